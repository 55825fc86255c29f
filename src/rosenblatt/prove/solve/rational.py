"""Wolfe's algorithm in whole numbers: always right, always terminates, and slow.

Problem   as in `wolfe`, exactly: the shortest x = sum b_i z_i with b >= 0 and sum b_i e_i = 1, where e_i is a length to
          measure row i by, 0 for a row that only spans a cone; with two groups of rows, one such sum for each.
Input     examples, rows to start with (best those where the floating-point algorithm ended), and lengths.
Result    `decide`: weights that are right on every row, or rows with positive weights whose sum is zero.
          `nearest`: the shortest x itself, which gives the largest margin.
Method    The shortest x of the corral is found by solving a linear system without fractions. If x = 0 that is a
          contradiction. Otherwise the row that is most wrong, or lowest, joins. ||x|| falls with every step, and there
          are finitely many corrals, so it terminates.
Time      `keep_time` is called for every row of every elimination, with its approximate nanoseconds; it raises an
          exception when the time is up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, lcm

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.prove.check import exact
from rosenblatt.prove.check.exact import Vector
from rosenblatt.prove.solve import padic
from rosenblatt.rows.examples import Examples

PER_ENTRY, PER_SQUARE = 300.0, 4.0  # nanoseconds: an operation on whole numbers, and for the square of their digits
DIGIT = 30  # bits
MANY = 20  # equations, from which on digits are sooner found than a long elimination is done
PER_WORD = 50.0  # nanoseconds: an operation on words of 64 bits, within long numbers
PER_NUMBER = 5.0  # nanoseconds: a pass over all rows, in floats with bounds
KeepTime = Callable[[float], None]


def no_limit(work: float) -> None:
    """A `keep_time` that sets no limit."""


@dataclass(frozen=True)
class Mixture:
    """Rows with positive whole weights, and their weighted sum: whole numbers in the units of the columns."""

    rows: tuple[int, ...]
    multipliers: tuple[int, ...]
    x: tuple[int, ...]


@dataclass(frozen=True)
class _Row:
    """A signed row in whole numbers, its scale, and the length that each group measures it by."""

    number: int
    vector: Vector  # z_i * 2^exponent, and column j times 2^units[j]
    exponent: int
    lengths: tuple[int, ...]


def decide(
    examples: Examples, ties: str, begin: Sequence[int], units: Sequence[int], keep_time: KeepTime = no_limit
) -> Mixture:
    """A mixture of rows that is right on every row, or zero; column j counts 2^units[j] fold, which moves no sign."""

    def row(i: int) -> _Row:
        vector, exponent = _whole(examples, i, units)
        anchored = exact.tie_is_wrong(ties, int(examples.labels[i]))
        return _Row(i, vector, exponent, (max(isqrt(exact.square(vector)), 1) if anchored else 0,))

    def low(mixture: Mixture) -> int | None:
        keep_time(PER_NUMBER * examples.rows.values.size)
        least = exact.least_margins(examples, in_columns(mixture.x, units))
        wrong = [at for label, at in least.items() if exact.is_wrong(at[0], ties, label)]
        return min(wrong)[1] if wrong else None

    corral = [row(i) for i in begin]
    if not any(member.lengths[0] for member in corral):
        corral.append(row(next(i for i in range(examples.n) if exact.tie_is_wrong(ties, int(examples.labels[i])))))
    return _descended(corral, row, low, keep_time, examples.size)


def nearest(examples: Examples, affine: bool, begin: Sequence[int], keep_time: KeepTime = no_limit) -> Mixture:
    """The shortest mixture of all rows, or with `affine`, the shortest difference of a mixture of either class."""
    units = [0] * examples.size

    def row(i: int) -> _Row:
        vector, exponent = _whole(examples, i, units)
        if affine:
            vector.pop(examples.size - 1, None)
        length = 1 << exponent
        groups = (length,) if not affine else (length, 0) if examples.labels[i] < 0 else (0, length)
        return _Row(i, vector, exponent, groups)

    def low(mixture: Mixture) -> int | None:
        keep_time(PER_NUMBER * examples.rows.values.size)
        return lowest(examples, affine, mixture.rows, mixture.x, Fraction(0))

    return _descended([row(i) for i in begin], row, low, keep_time, examples.size)


def lowest(
    examples: Examples, affine: bool, corral: Sequence[int], x: Sequence[int], tolerance: Fraction
) -> int | None:
    """The row that is lowest relative to its group's level, if it is lower by more than this share of x's levels."""
    vectors, exponent = exact.signed_rows(examples, corral)
    levels: dict[int, Fraction] = {}
    for i, vector in zip(corral, vectors, strict=True):
        group, score = int(examples.labels[i]) * affine, Fraction(exact.dot(vector, x), 1 << exponent)
        levels[group] = min(levels.get(group, score), score)
    least = exact.least_margins(examples, x)
    height, row = min((margin - levels[label * affine], row) for label, (margin, row) in least.items())
    return row if height < -tolerance * sum(levels.values()) else None


def in_columns(x: Sequence[int], units: Sequence[int]) -> tuple[int, ...]:
    """x, given in the units of the columns, as weights."""
    least = min(units)
    w = [k << unit - least for k, unit in zip(x, units, strict=True)]
    common = gcd(*w) or 1
    return tuple(k // common for k in w)


def _whole(examples: Examples, i: int, units: Sequence[int]) -> tuple[Vector, int]:
    """A signed row times a power of two, in whole numbers, and its exponent."""
    vectors, exponent = exact.signed_rows(examples, [i])
    least = min(units)
    return {column: k << units[column] - least for column, k in vectors[0].items()}, exponent


def _descended(
    corral: list[_Row],
    row: Callable[[int], _Row],
    low: Callable[[Mixture], int | None],
    keep_time: KeepTime,
    size: int,
) -> Mixture:
    """Wolfe's algorithm from this corral, until x is zero or no row is low."""
    sums = [sum(1 for member in corral if member.lengths[group]) for group in range(len(corral[0].lengths))]
    b = [
        sum(
            (Fraction(1, length * many) for length, many in zip(member.lengths, sums, strict=True) if length),
            Fraction(0),
        )
        for member in corral
    ]
    while True:
        corral, b = _shortest(corral, b, keep_time)
        wholes, _ = cleared(b)
        x = exact.combination([member.vector for member in corral], wholes)
        used = [(member, whole) for member, whole in zip(corral, wholes, strict=True) if whole]
        multipliers = [whole << member.exponent for member, whole in used]
        common = gcd(*multipliers)
        mixture = Mixture(
            tuple(member.number for member, _ in used),
            tuple(k // common for k in multipliers),
            tuple(x.get(column, 0) for column in range(size)),
        )
        if not x or (lowest := low(mixture)) is None:
            return mixture
        corral.append(row(lowest))
        b.append(Fraction(0))


def _shortest(corral: list[_Row], b: list[Fraction], keep_time: KeepTime) -> tuple[list[_Row], list[Fraction]]:
    """Go to the shortest x of the affine hull, dropping rows until it is inside the convex one."""
    while True:
        direction, ends = _towards_affine_minimum(corral, b, keep_time)
        falling = [k for k, step in enumerate(direction) if step < 0]
        if ends and all(b[k] + direction[k] > 0 for k in falling):
            return corral, [weight + step for weight, step in zip(b, direction, strict=True)]
        share, gone = min((-b[k] / direction[k], k) for k in falling)
        b = [weight + share * step for weight, step in zip(b, direction, strict=True)]
        corral, b = corral[:gone] + corral[gone + 1 :], b[:gone] + b[gone + 1 :]


def _towards_affine_minimum(
    corral: Sequence[_Row], b: Sequence[Fraction], keep_time: KeepTime
) -> tuple[list[Fraction], bool]:
    """The step from b to the weights of the shortest x, and True; or a step along which x stays, and False."""
    many, groups = len(corral), len(corral[0].lengths)
    gram = [[0] * many for _ in range(many)]
    for i in range(many):
        keep_time(PER_ENTRY * (i + 1) * len(corral[i].vector))
        for j in range(i + 1):
            small, large = sorted((corral[i].vector, corral[j].vector), key=len)
            gram[i][j] = gram[j][i] = sum(k * large[column] for column, k in small.items() if column in large)
    system = [[*gram[i], *(-length for length in corral[i].lengths), 0] for i in range(many)]
    system += [[*(member.lengths[group] for member in corral), *[0] * groups, 1] for group in range(groups)]
    solution, solved = solve([_primitive(equation) for equation in system], keep_time)
    if solved:
        return [solution[k] - b[k] for k in range(many)], True
    step = solution[:many]
    return (step if any(s < 0 for s in step) else [-s for s in step]), False


def null_vector(vectors: Sequence[Vector], keep_time: KeepTime = no_limit) -> list[int]:
    """Positive whole weights that make the sum of the vectors zero, if they are unique; otherwise an empty list."""
    columns = _independent_columns(vectors)
    system = [[vector.get(column, 0) for vector in vectors[:-1]] + [-vectors[-1].get(column, 0)] for column in columns]
    if len(system) != len(vectors) - 1:
        return []
    solution = _solution([_primitive(row) for row in system], keep_time)
    if solution is None or min(solution, default=1) <= 0:
        return []
    wholes, below = cleared(solution)
    weights = [*wholes, below]
    return weights if not exact.combination(vectors, weights) else []


def words(vectors: Sequence[Vector]) -> int:
    """The approximate operations on 64-bit words that a long elimination for a null vector takes."""
    bits = max((k.bit_length() for vector in vectors for k in vector.values()), default=0)
    return len(vectors) ** 3 * (1 + len(vectors) * bits // 64)


def descent_takes(vectors: Sequence[Vector]) -> float:
    """The approximate nanoseconds that a descent from this corral takes at least: those of one elimination.

    Its numbers grow with every step by some three quarters of the digits of the products; by half of them, here.
    """
    steps, bits = (
        np.arange(len(vectors)),
        max((k.bit_length() for vector in vectors for k in vector.values()), default=0),
    )
    each = PER_ENTRY + PER_SQUARE * (steps * bits / DIGIT) ** 2
    return float(((len(vectors) - steps) ** 2 * each).sum())


def takes(vectors: Sequence[Vector]) -> float:
    """The approximate nanoseconds that a null vector takes."""
    size, largest = len(vectors) - 1, max((abs(k) for vector in vectors for k in vector.values()), default=0)
    by_digits = size >= MANY and padic.fits(largest, size)
    return padic.takes(largest, size) if by_digits else PER_WORD * words(vectors)


def _solution(system: list[list[int]], keep_time: KeepTime) -> list[Fraction] | None:
    """The unique solution of a square system (A | r), by digits if it is large and its numbers are not."""
    size, largest = len(system), max((abs(k) for equation in system for k in equation), default=0)
    if size >= MANY and padic.fits(largest, size):
        return padic.solution([row[:-1] for row in system], [row[-1] for row in system], keep_time)
    solution, solved = solve(system, keep_time)
    return solution if solved else None


def _independent_columns(vectors: Sequence[Vector]) -> list[int]:
    """One column fewer than vectors, as independent as floats can tell; the result is checked on all columns."""
    columns = sorted(set().union(*vectors))
    if len(columns) < len(vectors):
        return columns
    sizes = {column: max(abs(vector.get(column, 0)) for vector in vectors) for column in columns}
    floats = np.array([[vector.get(column, 0) / sizes[column] for column in columns] for vector in vectors])
    order = scipy.linalg.qr(floats, mode="r", pivoting=True)[1]
    return [columns[k] for k in sorted(order[: len(vectors) - 1].tolist())]


def cleared(fractions: Sequence[Fraction]) -> tuple[list[int], int]:
    """The fractions as whole numbers and a common denominator."""
    below = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * below) for fraction in fractions], below


def _primitive(equation: list[int]) -> list[int]:
    """The equation divided by its common factor."""
    common = gcd(*equation) or 1
    return [k // common for k in equation]


def solve(system: list[list[int]], keep_time: KeepTime = no_limit) -> tuple[list[Fraction], bool]:
    """The solution of a square system (A | r) and True, or some c != 0 with A c = 0 and False.

    Elimination without fractions (Bareiss 1968): all divisions leave no remainder.
    """
    size, before = len(system), 1
    rows = [list(row) for row in system]
    for k in range(size):
        candidates = [(abs(rows[i][k]), i) for i in range(k, size) if rows[i][k]]
        if not candidates:  # column k depends on those before it: the triangle with minus column k on its right
            ahead = _substituted([[*row[:k], -row[k]] for row in rows[:k]], keep_time)
            return [*ahead, Fraction(1), *[Fraction(0)] * (size - k - 1)], False
        pivot = min(candidates)[1]
        rows[k], rows[pivot] = rows[pivot], rows[k]
        top, head = rows[k][k:], rows[k][k]
        each = (PER_ENTRY + PER_SQUARE * (head.bit_length() / DIGIT) ** 2) * len(top)
        for i in range(k + 1, size):
            keep_time(each)
            factor = rows[i][k]
            rows[i][k:] = [(head * a - factor * b) // before for a, b in zip(rows[i][k:], top, strict=True)]
        before = head
    return _substituted(rows, keep_time), True


def _substituted(triangle: list[list[int]], keep_time: KeepTime) -> list[Fraction]:
    """The solution of a triangular system, by whole numbers over its determinant."""
    size = len(triangle)
    below = triangle[-1][size - 1] if size else 1
    above = [0] * size
    each = PER_ENTRY + PER_SQUARE * (below.bit_length() / DIGIT) ** 2
    for i in range(size - 1, -1, -1):
        keep_time(each * (size - i))
        row = triangle[i]
        rest = below * row[size] - sum(row[j] * above[j] for j in range(i + 1, size))
        above[i] = rest // row[i]
    return [Fraction(k, below) for k in above]
