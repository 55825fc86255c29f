"""Is a set of signed rows separable? Decided by a simplex in rationals that knows nothing of the library.

Gordan, Motzkin: some w has z_i . w > 0 for all strict rows and >= 0 for the others, or some a >= 0 has sum a_i z_i = 0
with a sum of 1 over the strict rows; never both. The second is phase one of the simplex method, with Bland's rule.
"""

from fractions import Fraction


def is_separable(rows, strict):
    """Rows of numbers; whether each must score above zero (True) or may score zero."""
    width = len(rows[0])
    columns = [[*(Fraction(v) for v in row), Fraction(int(s))] for row, s in zip(rows, strict, strict=True)]
    height, many = width + 1, len(columns)
    table = [
        [columns[j][i] for j in range(many)]
        + [Fraction(int(i == k)) for k in range(height)]
        + [Fraction(int(i == width))]
        for i in range(height)
    ]
    basis = list(range(many, many + height))
    while True:
        costs = [sum(table[i][j] for i in range(height) if basis[i] >= many) for j in range(many)]
        enter = next((j for j in range(many) if costs[j] > 0), None)
        if enter is None:
            return sum(table[i][-1] for i in range(height) if basis[i] >= many) > 0
        ratios = [(table[i][-1] / table[i][enter], basis[i], i) for i in range(height) if table[i][enter] > 0]
        _, _, leave = min(ratios)
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for i in range(height):
            if i != leave and table[i][enter]:
                factor = table[i][enter]
                table[i] = [a - factor * b for a, b in zip(table[i], table[leave], strict=True)]
        basis[leave] = enter
