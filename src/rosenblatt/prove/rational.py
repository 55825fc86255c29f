"""Wolfe's algorithm in whole numbers: always right, always ends, and slow.

Problem   is there a w with z_i . w > 0 for all rows (>= 0 for rows that may score zero)?
Input     examples, a tie rule, and rows to begin with, best those where the floating-point algorithm ended.
Result    weights in whole numbers, or rows with positive whole weights whose sum is zero.
Method    As in `wolfe`: x = sum b_i z_i is the shortest with b >= 0 and sum b_i e_i = 1, where e_i > 0 is any length to
          measure row i by (0 for a row that may score zero). If x = 0 that is a contradiction. If all rows are right
          with x, it is a separator. Otherwise the row that is most wrong joins. ||x|| falls with every step, and
          there are finitely many corrals, so it ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, lcm

from rosenblatt.examples import Examples
from rosenblatt.prove import exact
from rosenblatt.prove.exact import Vector


@dataclass(frozen=True)
class Outcome:
    """Either the weights of a separator, or rows that contradict each other with their weights."""

    weights: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    multipliers: tuple[int, ...] = ()


@dataclass
class _Row:
    """A signed row in whole numbers, how it is scaled, and the length it is measured by."""

    number: int
    vector: Vector  # z_i * 2^exponent, and column j times 2^units[j]
    exponent: int
    length: int


def decide(examples: Examples, ties: str, begin: Sequence[int], units: Sequence[int]) -> Outcome:
    """Separate the examples or refute it. Column j is measured in units of 2^-units[j], which moves no decision."""
    corral = [_row(examples, ties, i, units) for i in begin]
    anchored = [row for row in corral if row.length]
    if not anchored:
        anchor = next(i for i in range(examples.n) if exact.tie_is_wrong(ties, int(examples.labels[i])))
        anchored = [_row(examples, ties, anchor, units)]
        corral += anchored
    b = [Fraction(1, row.length * len(anchored)) if row.length else Fraction(0) for row in corral]
    while True:
        corral, b = _shortest(corral, b)
        below = lcm(*(weight.denominator for weight in b))
        whole = [int(weight * below) for weight in b]
        x = exact.combination([row.vector for row in corral], whole)
        if not x:
            return _contradiction(corral, whole)
        w = [x.get(column, 0) << units[column] - min(units) for column in range(examples.size)]
        common = gcd(*w)
        w = [k // common for k in w]
        least = exact.least_margins(examples, w)
        wrong = [at for label, at in least.items() if at[0] < 0 or (at[0] == 0 and exact.tie_is_wrong(ties, label))]
        if not wrong:
            return Outcome(weights=tuple(w))
        corral.append(_row(examples, ties, min(wrong)[1], units))
        b.append(Fraction(0))


def _row(examples: Examples, ties: str, i: int, units: Sequence[int]) -> _Row:
    """Row i as the algorithm takes it."""
    vectors, exponent = exact.signed_rows(examples, [i])
    vector = {column: k << units[column] - min(units) for column, k in vectors[0].items()}
    length = max(isqrt(exact.square(vector)), 1) if exact.tie_is_wrong(ties, int(examples.labels[i])) else 0
    return _Row(i, vector, exponent, length)


def _contradiction(corral: Sequence[_Row], b: Sequence[int]) -> Outcome:
    """The rows and weights of a zero sum, in the units of the data."""
    used = [(row, weight) for row, weight in zip(corral, b, strict=True) if weight]
    weights = [weight << row.exponent for row, weight in used]
    common = gcd(*weights)
    return Outcome(rows=tuple(row.number for row, _ in used), multipliers=tuple(weight // common for weight in weights))


def _shortest(corral: list[_Row], b: list[Fraction]) -> tuple[list[_Row], list[Fraction]]:
    """Go to the shortest x of the affine hull, dropping rows until it is inside the convex one."""
    while True:
        direction, ends = _towards_affine_minimum(corral, b)
        falling = [k for k, step in enumerate(direction) if step < 0]
        if ends and all(b[k] + direction[k] > 0 for k in falling):
            return corral, [weight + step for weight, step in zip(b, direction, strict=True)]
        share, gone = min((-b[k] / direction[k], k) for k in falling)
        b = [weight + share * step for weight, step in zip(b, direction, strict=True)]
        corral, b = corral[:gone] + corral[gone + 1 :], b[:gone] + b[gone + 1 :]


def _towards_affine_minimum(corral: Sequence[_Row], b: Sequence[Fraction]) -> tuple[list[Fraction], bool]:
    """The step from b to the weights of the shortest x, and True; or a step along which x stays, and False."""
    many = len(corral)
    gram = [[0] * many for _ in range(many)]
    for i in range(many):
        for j in range(i + 1):
            small, large = sorted((corral[i].vector, corral[j].vector), key=len)
            gram[i][j] = gram[j][i] = sum(k * large[column] for column, k in small.items() if column in large)
    lengths = [row.length for row in corral]
    system = [[*gram[i], -lengths[i], 0] for i in range(many)] + [[*lengths, 0, 1]]
    solution, solved = solve(system)
    if solved:
        return [solution[k] - b[k] for k in range(many)], True
    step = solution[:many]
    return (step if any(s < 0 for s in step) else [-s for s in step]), False


def null_vector(vectors: Sequence[Vector]) -> list[int]:
    """Positive whole weights that make the sum of the vectors zero, one more than they have columns; or nothing."""
    columns = sorted(set().union(*vectors))
    if len(vectors) != len(columns) + 1:
        return []
    system = [[vector.get(column, 0) for vector in vectors[:-1]] + [-vectors[-1].get(column, 0)] for column in columns]
    solution, solved = solve([_primitive(row) for row in system])
    if not solved or min(solution) <= 0:
        return []
    below = lcm(*(weight.denominator for weight in solution))
    return [int(weight * below) for weight in solution] + [below]


def _primitive(row: list[int]) -> list[int]:
    """An equation without a common factor."""
    common = gcd(*row) or 1
    return [k // common for k in row]


def solve(system: list[list[int]]) -> tuple[list[Fraction], bool]:
    """The solution of a square system (A | r) and True, or some c != 0 with A c = 0 and False.

    Elimination without fractions (Bareiss 1968): all divisions leave no remainder.
    """
    size, before = len(system), 1
    rows = [list(row) for row in system]
    for k in range(size):
        pivot = min((i for i in range(k, size) if rows[i][k]), key=lambda i: abs(rows[i][k]), default=None)
        if pivot is None:  # column k depends on those before it: the triangle with minus column k on its right
            head = _substituted([[*row[:k], -row[k]] for row in rows[:k]])
            return [*head, Fraction(1), *[Fraction(0)] * (size - k - 1)], False
        rows[k], rows[pivot] = rows[pivot], rows[k]
        top, head_entry = rows[k][k:], rows[k][k]
        for i in range(k + 1, size):
            factor = rows[i][k]
            rows[i][k:] = [(head_entry * a - factor * b) // before for a, b in zip(rows[i][k:], top, strict=True)]
        before = head_entry
    return _substituted(rows), True


def _substituted(triangle: list[list[int]]) -> list[Fraction]:
    """The solution of a triangular system, by whole numbers over its determinant."""
    size = len(triangle)
    below = triangle[-1][size - 1] if size else 1
    above = [0] * size
    for i in range(size - 1, -1, -1):
        row = triangle[i]
        rest = below * row[size] - sum(row[j] * above[j] for j in range(i + 1, size))
        above[i] = rest // row[i]
    return [Fraction(k, below) for k in above]
