"""Exact arithmetic on the numbers as they are stored; it solves nothing and learns nothing.

A float is a whole number times a power of two, so every claim about a table is a claim about whole numbers.
Floating-point sums sort out the clear cases, with a bound on their error; whole numbers decide the rest.
Nothing here is compiled, and nothing is shared with the code whose answers it checks, but the reading of tables, which
includes the radius.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, isqrt, nextafter
from operator import mul
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from rosenblatt.examples import Examples, table_of
from rosenblatt.kernels import TIES, Array, Dense

Vector = dict[int, int]  # whole numbers by column, zeros left out
Number = int | float

UNIT = 1.01 * 2.0**-53  # the relative error of one operation, and a little for the bounds' own rounding
TINY = 2.0**-1000  # more than underflow can lose in any sum here
BLOCK = 2**17  # numbers at a time, which stay in the cache
NEAR = 2.0**-20  # relative: how near weights must be to those that are proved to exist
FEW = 500  # rows; so many are computed in whole numbers sooner than their bounds are sharpened


def whole_numbers(numbers: Iterable[Number]) -> tuple[list[int], int]:
    """Whole numbers k and one exponent e, so that the numbers are k * 2^-e."""
    ratios = [number.as_integer_ratio() for number in numbers]
    exponent = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return [above << (exponent - below.bit_length() + 1) for above, below in ratios], exponent


def as_floats(wholes: Sequence[int]) -> tuple[float, ...]:
    """Whole numbers divided by a power of two above them all, each rounded once."""
    bits = max(k.bit_length() for k in wholes)
    return tuple(k / (1 << bits) for k in wholes)


def signed_row(examples: Examples, i: int) -> tuple[Array, Array]:
    """The columns and the entries, in float64, of y_i (x_i, bias); the bias is in the last column."""
    rows = examples.rows
    if isinstance(rows, Dense):
        columns, values = np.arange(rows.values.shape[1]), rows.values[i]
    else:
        part = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
        columns, values = rows.columns[part].astype(np.int64), rows.values[part]
    entries = np.empty(columns.size + 1)
    entries[:-1], entries[-1] = values, rows.bias
    entries *= float(examples.labels[i])
    return np.append(columns, examples.size - 1), entries


def signed_rows(examples: Examples, rows: Iterable[int]) -> tuple[list[Vector], int]:
    """The vectors y_i (x_i, bias) of some rows times 2^e, as whole numbers, and that e."""
    parts = [signed_row(examples, i) for i in rows]
    if not parts:
        return [], 0
    wholes, exponent = _wholes(np.concatenate([entries for _, entries in parts]))
    numbers = iter(wholes)
    vectors = [dict(zip(columns.tolist(), numbers, strict=False)) for columns, _ in parts]
    return [
        {column: k for column, k in vector.items() if k} if 0 in vector.values() else vector for vector in vectors
    ], exponent


def _wholes(floats: Array) -> tuple[list[int], int]:
    """`whole_numbers` for an array: a float is a mantissa of 53 bits times a power of two; zeros at its end go."""
    fractions, powers = np.frexp(floats)
    mantissas = np.ldexp(fractions, 53).astype(np.int64)
    zeros = np.frexp((mantissas & -mantissas).astype(np.float64))[1] - 1
    mantissas >>= np.maximum(zeros, 0)
    powers = np.where(mantissas != 0, powers - 53 + zeros, 0)
    exponent = max(-int(powers.min()), 0)
    return [k << shift for k, shift in zip(mantissas.tolist(), (powers + exponent).tolist(), strict=True)], exponent


def combination(vectors: Sequence[Vector], weights: Sequence[int]) -> Vector:
    """The sum of the vectors, each times its weight."""
    total: Vector = dict.fromkeys(set().union(*vectors), 0)
    for vector, weight in zip(vectors, weights, strict=True):
        for column, k in vector.items():
            total[column] += weight * k
    return {column: k for column, k in total.items() if k}


def dot(vector: Vector, w: Sequence[int]) -> int:
    """The inner product with a full vector."""
    return sum(map(mul, vector.values(), map(w.__getitem__, vector)))


def sign_of_dot(a: Array, b: Array) -> int:
    """The sign of the inner product of two arrays of floats."""
    wholes, others = whole_numbers(a.tolist())[0], whole_numbers(b.tolist())[0]
    total = sum(k * m for k, m in zip(wholes, others, strict=True))
    return (total > 0) - (total < 0)


def square(vector: Vector) -> int:
    """The squared length."""
    return sum(k * k for k in vector.values())


def root_below(number: Fraction) -> float:
    """The greatest float that is at most the square root."""
    return _root(number)[0]


def root_above(number: Fraction) -> float:
    """The least float that is at least the square root."""
    return _root(number)[1]


def _root(number: Fraction) -> tuple[float, float]:
    shift = max(130 - number.numerator.bit_length() + number.denominator.bit_length(), 0)
    shift += shift % 2
    near = Fraction(isqrt((number.numerator << shift) // number.denominator), 1 << shift // 2)
    try:
        below = above = float(near)
    except OverflowError:
        return nextafter(inf, 0.0), inf
    while Fraction(below) ** 2 > number:
        below = nextafter(below, 0.0)
    while above < inf and Fraction(above) ** 2 < number:
        above = nextafter(above, inf)
    while (higher := nextafter(below, inf)) < inf and Fraction(higher) ** 2 <= number:
        below = higher
    return below, above


def least_margins(examples: Examples, weights: Sequence[Number]) -> dict[int, tuple[Fraction, int]]:
    """For each label, the least y (w . x) of its rows, exactly, and the first row that has it."""
    scores = _Scores(examples, weights)
    return {label: scores.least(examples.labels == label) for label in (-1, 1)}


def least_margin(examples: Examples, weights: Sequence[Number]) -> Fraction:
    """The least y (w . x) of all rows, exactly."""
    return _Scores(examples, weights).least()[0]


def mistakes(examples: Examples, weights: Sequence[Number], ties: str) -> Array:
    """The rows that the weights get wrong, exactly."""
    scores = _Scores(examples, weights)
    wrong, unclear = scores.values < 0, scores.unclear()
    for row, vector in zip(unclear.tolist(), signed_rows(examples, unclear.tolist())[0], strict=True):
        wrong[row] = is_wrong(dot(vector, scores.w), ties, int(examples.labels[row]))
    return np.flatnonzero(wrong)


def tie_is_wrong(ties: str, label: int) -> bool:
    """Whether y (w . x) = 0 is a mistake."""
    return TIES[ties].positive if label > 0 else TIES[ties].negative


def is_wrong(margin: Fraction | float, ties: str, label: int) -> bool:
    """Whether this y (w . x) is a mistake."""
    return margin < 0 or (margin == 0 and tie_is_wrong(ties, label))


class _Scores:
    """Every row's y (w . x) divided by a power of two, in floats, with bounds on their errors.

    Each of the D products and sums is rounded once and each weight once: the error is at most (D + 6) u |w| . |x|
    (Higham, Accuracy and Stability, 3.1), the constant feature included, and what underflow loses. By Cauchy and
    Schwarz that is at most (D + 6) u ||w|| R, infinite before any sum overflows; only where this leaves many rows
    open is it computed row by row.
    """

    def __init__(self, examples: Examples, weights: Sequence[Number]) -> None:
        self.w, self.exponent = whole_numbers(weights)
        self.examples, self.floats = examples, np.array(as_floats(self.w))
        self.lost = any(k and abs(f) < 2.0**-900 for k, f in zip(self.w, self.floats.tolist(), strict=True))
        self.values = np.empty(examples.n)
        with np.errstate(over="ignore", invalid="ignore"):
            for part, X in _blocks(examples):
                self.values[part] = X @ self.floats[:-1]
            self.values += examples.rows.bias * self.floats[-1]
            self.values *= examples.labels
            self.error = self._bound(float(np.linalg.norm(self.floats)) * examples.rows.radius)

    def least(self, among: Array | bool = True) -> tuple[Fraction, int]:
        """The least y (w . x) of the rows that are marked, and the first of them that has it.

        Rows that could be the least one, for all that is known of the errors, are computed in whole numbers.
        """
        rows = self._lowest(among).tolist()
        vectors, exponent = signed_rows(self.examples, rows)
        first = {tuple(vector.items()): k for k, vector in reversed([*enumerate(vectors)])}  # of equal rows
        margin, row = min((dot(vectors[k], self.w), rows[k]) for k in first.values())
        return Fraction(margin, 1 << self.exponent + exponent), row

    def _lowest(self, among: Array | bool) -> Array:
        """The rows that may be the least of those that are marked."""
        errors = self.error  # where a sum is not finite, its error is infinite
        for _ in range(2):
            with np.errstate(over="ignore", invalid="ignore"):
                highest = np.where(among, self.values + errors, inf)
                rows = np.flatnonzero(~(self.values - errors > np.fmin.reduce(highest)) & among)
            if rows.size <= FEW:
                break
            errors = self.errors
        return rows

    def unclear(self) -> Array:
        """The rows whose sign is not known."""
        rows = np.flatnonzero(~(np.abs(self.values) > self.error))
        return rows if rows.size <= FEW else np.flatnonzero(~(np.abs(self.values) > self.errors))

    @cached_property
    def errors(self) -> Array:
        """A bound for every row."""
        sizes = np.empty(self.examples.n)
        with np.errstate(over="ignore", invalid="ignore"):
            for part, X in _blocks(self.examples):
                sizes[part] = abs(X) @ abs(self.floats[:-1])
            return np.asarray(self._bound(sizes + abs(self.examples.rows.bias * self.floats[-1])))

    def _bound(self, sizes: Any) -> Any:
        return inf * (1 + 0 * sizes) if self.lost else (self.examples.size + 6) * (UNIT * sizes + TINY)


def _blocks(examples: Examples) -> Iterator[tuple[slice, Array | csr_array]]:
    """The table in float64, a block of rows at a time."""
    rows, n, features = examples.rows, examples.n, examples.size - 1
    if isinstance(rows, Dense):
        step = max(BLOCK // features, 1)
        for begin in range(0, n, step):
            part = slice(begin, begin + step)
            yield part, rows.values[part].astype(np.float64, copy=False)
    else:
        yield slice(0, n), table_of(rows).astype(np.float64)


def is_near_a_positive_null_vector(vectors: Sequence[Vector], weights: Sequence[int]) -> bool:
    """Proves that some positive weights, close to these, make the sum of the vectors exactly zero.

    There are as many vectors as columns, and one more. Write the true weights as a_j (1 + e_j), the last e being 0.
    Then B e = -r, where B has the columns a_j z_j and r = sum a_j z_j is known exactly. With any matrix M, a good one
    being near the inverse of B, e = -M r + (I - M B) e; if |I - M B| <= b < 1, then B can be inverted and
    |e| <= |M r| / (1 - b), in the maximum norm. Below 1, all true weights are positive; it must be below NEAR. Where a
    number is rounded to the nearest, UNIT and TINY are added for it.
    """
    columns = sorted(set().union(*vectors))
    if not columns:
        return min(weights) > 0
    if len(vectors) != len(columns) + 1 or min(weights) <= 0:
        return False
    last = max(range(len(weights)), key=weights.__getitem__)
    others = [j for j in range(len(weights)) if j != last]
    rest = combination(vectors, weights)
    B, r = np.empty((len(columns), len(columns))), np.empty(len(columns))
    for place, column in enumerate(columns):
        products = [weights[j] * vectors[j].get(column, 0) for j in others]
        scale = 1 << max(map(abs, products)).bit_length()  # the columns' units do not matter
        B[place] = [k / scale for k in products]
        r[place] = abs(rest.get(column, 0)) / scale if abs(rest.get(column, 0)) < scale else inf
    if not np.isfinite(r).all():
        return False
    try:
        M = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        return False
    if not np.isfinite(M).all():
        return False
    size = len(columns)
    rounding = (size + 4) * (UNIT * (abs(M) @ abs(B)) + TINY * (1 + abs(M).sum(axis=1, keepdims=True)))
    b = float((abs(np.eye(size) - M @ B) + rounding).sum(axis=1).max()) * (1 + 2 * size * UNIT)
    e = float((abs(M) @ r).max()) * (1 + 2 * size * UNIT) + size * TINY * float(1 + abs(M).max())
    return b < 0.5 and 2 * e < NEAR
