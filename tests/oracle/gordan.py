"""Is a set of signed rows separable? Decided by a simplex in rationals that knows nothing of the library.

Gordan, Motzkin: some w has z_i . w > 0 for all strict rows and >= 0 for the others, or some a >= 0 has sum a_i z_i = 0
with a sum of 1 over the strict rows; never both. The second is phase one of the simplex method, with Bland's rule.
"""

from fractions import Fraction
from itertools import combinations


def is_separable(rows, strict):
    """Rows of numbers; whether each must score above zero (True) or may score zero."""
    width = len(rows[0])
    columns = [[*(Fraction(v) for v in row), Fraction(int(s))] for row, s in zip(rows, strict, strict=True)]
    height, many = width + 1, len(columns)
    table = [[*(column[i] for column in columns), Fraction(int(i == width))] for i in range(height)]
    basis = list(range(many, many + height))  # from `many` on: artificial, which never come back and have no column
    while True:
        artificial = [row for row, j in zip(table, basis, strict=True) if j >= many]
        enter = next((j for j in range(many) if sum(row[j] for row in artificial) > 0), None)
        if enter is None:
            return sum(row[-1] for row in artificial) > 0
        ratios = [(table[i][-1] / table[i][enter], basis[i], i) for i in range(height) if table[i][enter] > 0]
        _, _, leave = min(ratios)
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for i in range(height):
            if i != leave and table[i][enter]:
                factor = table[i][enter]
                table[i] = [a - factor * b if b else a for a, b in zip(table[i], table[leave], strict=True)]
        basis[leave] = enter


def squared_margin(rows, groups):
    """The squared length of the shortest sum of mixtures, one of each group of rows, by trying all small corrals.

    Some affinely independent rows, at most one more per group than there are columns, have it in their affine hull.
    """
    best = None
    width = len(rows[0])
    for many in range(1, width + len(set(groups)) + 1):
        for corral in combinations(range(len(rows)), many):
            weights = _affine_weights([rows[i] for i in corral], [groups[i] for i in corral], sorted(set(groups)))
            if weights is not None and min(weights) >= 0:
                x = [sum(w * Fraction(rows[i][k]) for w, i in zip(weights, corral, strict=True)) for k in range(width)]
                square = sum(v * v for v in x)
                best = square if best is None or square < best else best
    return best


def _affine_weights(rows, groups, all_groups):
    many = len(rows)
    system = [
        [sum(Fraction(a) * Fraction(b) for a, b in zip(rows[i], rows[j], strict=True)) for j in range(many)]
        + [Fraction(-int(groups[i] == g)) for g in all_groups]
        + [Fraction(0)]
        for i in range(many)
    ]
    system += [
        [Fraction(int(g == of)) for of in groups] + [Fraction(0)] * len(all_groups) + [Fraction(1)] for g in all_groups
    ]
    solution = _solved(system)
    return None if solution is None else solution[:many]


def _solved(system):
    """The solution of a square system (A | r), or None."""
    size = len(system)
    for k in range(size):
        pivot = next((i for i in range(k, size) if system[i][k]), None)
        if pivot is None:
            return None
        system[k], system[pivot] = system[pivot], system[k]
        system[k] = [v / system[k][k] for v in system[k]]
        for i in range(size):
            if i != k and system[i][k]:
                system[i] = [a - system[i][k] * b for a, b in zip(system[i], system[k], strict=True)]
    return [row[-1] for row in system]


def squared_radius(rows):
    """The squared radius of the largest ball about 0 in the hull of rows that has 0 inside, by trying all facets."""
    width, best = len(rows[0]), None
    for facet in combinations(rows, width):
        system = [[Fraction(v) for v in row] + [Fraction(-1)] for row in facet]
        w = _solved(system)
        if w is not None:
            lowest = min(sum(Fraction(v) * k for v, k in zip(row, w, strict=True)) for row in rows)
            square = lowest**2 / sum(k * k for k in w)
            best = square if lowest < 0 and (best is None or square < best) else best
    return best
