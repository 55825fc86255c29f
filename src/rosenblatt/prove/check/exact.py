"""Exact arithmetic on the numbers as they are stored; it solves nothing and learns nothing.

A float is a whole number times a power of two, so every claim about a table is a claim about whole numbers.
Floating-point sums settle the clear cases, with a bound on their error; whole numbers decide the rest. Even so, many
whole numbers are added as floats, split into limbs so short that nothing is ever rounded.
Nothing here is compiled, and nothing is shared with the code whose answers it checks, except for reading tables, which
includes the radius.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf, isqrt, nextafter
from operator import mul
from typing import NamedTuple

import numpy as np

from rosenblatt.prove.check.scores import TINY, UNIT, Scores
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import TIES, Array, Dense
from rosenblatt.rows.storage import numbers_per_row, some_rows

Vector = dict[int, int]  # whole numbers by column, zeros left out
Number = int | float

NEAR = 2.0**-20  # relative: how near weights must be to those that are proved to exist
FEW_NUMBERS = 250  # of rows; so few are added up in Python's own whole numbers sooner than in limbs
AT_ONCE = 2**21  # numbers that are cut into limbs
MOST_LIMBS = 8  # of a number; where more are needed, Python's whole numbers are faster


def whole_numbers(numbers: Iterable[Number]) -> tuple[list[int], int]:
    """Whole numbers k and one exponent e such that the numbers are k * 2^-e."""
    numbers = list(numbers)
    if all(type(number) is float for number in numbers) and np.isfinite(floats := np.array(numbers, float)).all():
        return _wholes(floats)
    ratios = [number.as_integer_ratio() for number in numbers]
    exponent = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return [above << (exponent - below.bit_length() + 1) for above, below in ratios], exponent


def as_floats(wholes: Sequence[int]) -> tuple[float, ...]:
    """Whole numbers divided by a power of two larger than all of them, each rounded once."""
    bits = longest_of(wholes)
    return tuple(k / (1 << bits) for k in wholes)


def longest_of(wholes: Iterable[int]) -> int:
    """The number of bits of the longest of some whole numbers."""
    return max(k.bit_length() for k in wholes)


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


class _Entries(NamedTuple):
    """The entries of some vectors y_i (x_i, bias), in float64, each with the place of its vector and its column."""

    values: Array
    places: Array
    columns: Array


def _entries(examples: Examples, rows: Sequence[int]) -> _Entries:
    """The entries of these rows, the constant feature's last."""
    chosen = np.array(rows, np.int64)
    some, every = some_rows(examples.rows, chosen), np.arange(chosen.size)
    if isinstance(some, Dense):
        many, columns = np.full(chosen.size, examples.size - 1), np.tile(np.arange(examples.size - 1), chosen.size)
    else:
        many, columns = np.diff(some.starts).astype(np.int64), some.columns.astype(np.int64)
    places = np.concatenate([np.repeat(every, many), every])
    columns = np.concatenate([columns, np.full(chosen.size, examples.size - 1)])
    values = np.concatenate([some.values.ravel(), np.full(chosen.size, some.bias)])
    return _Entries(values * examples.labels[chosen][places], places, columns)


def signed_rows(examples: Examples, rows: Iterable[int]) -> tuple[list[Vector], int]:
    """The vectors y_i (x_i, bias) of some rows times 2^e, as whole numbers, and that e."""
    chosen = list(rows)
    if not chosen:
        return [], 0
    entries = _entries(examples, chosen)
    wholes, exponent = _wholes(entries.values)
    vectors: list[Vector] = [{} for _ in chosen]
    for place, column, k in zip(entries.places.tolist(), entries.columns.tolist(), wholes, strict=True):
        if k:
            vectors[place][column] = k
    return vectors, exponent


def _wholes(floats: Array) -> tuple[list[int], int]:
    """`whole_numbers` for an array: 53-bit mantissas times a power of two, without trailing zeros."""
    fractions, powers = np.frexp(floats)
    mantissas = np.ldexp(fractions, 53).astype(np.int64)
    zeros = np.frexp((mantissas & -mantissas).astype(np.float64))[1] - 1
    mantissas >>= np.maximum(zeros, 0)
    powers = np.where(mantissas != 0, powers - 53 + zeros, 0)
    exponent = max(-int(powers.min(initial=0)), 0)
    return [k << shift for k, shift in zip(mantissas.tolist(), (powers + exponent).tolist(), strict=True)], exponent


def longest(examples: Examples) -> int:
    """The number of bits that a solution of a linear system of these rows can need, in any units of the columns.

    Rows are whole numbers of at most b bits, up to a power of two, b being the range of their exponents and a mantissa;
    units at most double that. The systems hold no more products of two rows than the weights have entries, and a few
    more; a minor of order m with entries below 2^k is below 2^(m (k + log2(m) / 2)) (Hadamard), and a sum of that many
    rows is no longer than another row of it.
    """
    values = np.append(examples.rows.values.ravel(), examples.rows.bias)
    powers = np.frexp(values[values != 0.0].astype(np.float64))[1]
    entry = 2 * (int(powers.max(initial=0)) - int(powers.min(initial=0)) + 53)
    order = examples.size + 4
    return (order + 1) * (2 * entry + 2 * order.bit_length())


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


def dots(examples: Examples, rows: Sequence[int], weights: Sequence[Number]) -> tuple[list[int], int]:
    """Every y_i (w . x_i) of some rows times 2^e, as whole numbers, and that e."""
    numbers, half = len(rows) * numbers_per_row(examples.rows), len(rows) // 2
    if numbers > AT_ONCE and half:
        (first, e), (last, f) = dots(examples, rows[:half], weights), dots(examples, rows[half:], weights)
        return [k << max(f - e, 0) for k in first] + [k << max(e - f, 0) for k in last], max(e, f)
    if numbers > FEW_NUMBERS and (floats := _same_floats(weights)) is not None:
        entries = _entries(examples, rows)
        if sums := _sums(entries.values, floats, entries.columns, entries.places, len(rows)):
            return sums
    (vectors, exponent), (w, below) = signed_rows(examples, rows), whole_numbers(weights)
    return [dot(vector, w) for vector in vectors], exponent + below


def mixture(examples: Examples, rows: Sequence[int], weights: Sequence[int]) -> tuple[Vector, int]:
    """The sum of the vectors y_i (x_i, bias) of some rows, each times its weight and 2^e, and that e."""
    numbers, half = len(rows) * numbers_per_row(examples.rows), len(rows) // 2
    if numbers > AT_ONCE and half:
        first, e = mixture(examples, rows[:half], weights[:half])
        last, f = mixture(examples, rows[half:], weights[half:])
        return combination([first, last], [1 << max(f - e, 0), 1 << max(e - f, 0)]), max(e, f)
    if numbers > FEW_NUMBERS and (floats := _same_floats(weights)) is not None:
        entries, used = _entries(examples, rows), np.zeros(examples.size, bool)
        used[entries.columns] = True
        columns, places = np.flatnonzero(used).tolist(), np.cumsum(used)[entries.columns] - 1
        if sums := _sums(entries.values, floats, entries.places, places, len(columns)):
            return {column: k for column, k in zip(columns, sums[0], strict=True) if k}, sums[1]
    vectors, exponent = signed_rows(examples, rows)
    return combination(vectors, weights), exponent


def _same_floats(numbers: Sequence[Number]) -> Array | None:
    """The numbers as an array of floats, if floats represent them all exactly."""
    try:
        floats = [float(number) for number in numbers]
    except OverflowError:
        return None
    return np.array(floats) if floats == list(numbers) else None


def _sums(values: Array, factors: Array, taken: Array, places: Array, many: int) -> tuple[list[int], int] | None:
    """The sum of values[k] factors[taken[k]] over all k of the same place, times 2^e, in whole numbers, and that e.

    Numbers are split into limbs so short that their products are added as floats without rounding. None if the
    numbers differ too much in magnitude.
    """
    bits = (53 - (MOST_LIMBS * int(np.bincount(places).max(initial=0))).bit_length()) // 2
    cut, other = _limbs(values, bits), _limbs(factors, bits)
    if cut is None or other is None:
        return None
    ours, theirs = cut[0], [limb[taken] for limb in other[0]]
    totals = np.zeros(many, object)
    for order in range(len(ours) + len(theirs) - 1):
        pairs = range(max(order - len(theirs) + 1, 0), min(order + 1, len(ours)))
        products = sum(ours[k] * theirs[order - k] for k in pairs)
        totals = totals * (1 << bits) + np.bincount(places, products, many).astype(np.int64)
    exponent = cut[1] + other[1]
    return (totals * (1 << max(-exponent, 0))).tolist(), max(exponent, 0)


def _limbs(floats: Array, bits: int) -> tuple[list[Array], int] | None:
    """Whole numbers below 2^bits in size, highest first, that are the digits of the floats times 2^e; and that e."""
    sizes = abs(floats[floats != 0.0])
    top = int(np.frexp(sizes.max(initial=0.0))[1])
    if sizes.size and top - int(np.frexp(sizes.min())[1]) > MOST_LIMBS * bits:
        return None
    rest = np.ldexp(floats, -top)
    limbs: list[Array] = []
    while rest.any() or not limbs:
        if len(limbs) == MOST_LIMBS:
            return None
        rest = rest * (1 << bits)
        limbs.append(np.trunc(rest))
        rest = rest - limbs[-1]
    return limbs, len(limbs) * bits - top


def square(vector: Vector) -> int:
    """The squared length."""
    return sum(k * k for k in vector.values())


def root_below(number: Fraction) -> float:
    """The largest float that is at most the square root."""
    return _root(number)[0]


def root_above(number: Fraction) -> float:
    """The smallest float that is at least the square root."""
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


def _scores(examples: Examples, weights: Sequence[Number]) -> Scores:
    """y (w . x) of every row, as floats with an error bound."""
    wholes, _ = whole_numbers(weights)
    return Scores(examples, wholes, longest_of(wholes))


def least_margins(examples: Examples, weights: Sequence[Number]) -> dict[int, tuple[Fraction, int]]:
    """For each label that occurs, the smallest y (w . x) of its rows, exactly, and the first row that attains it."""
    scores = _scores(examples, weights)
    marked = ((label, examples.labels == label) for label in (-1, 1))
    return {label: least_of(examples, weights, scores.lowest(rows).tolist()) for label, rows in marked if rows.any()}


def least_margin(examples: Examples, weights: Sequence[Number]) -> Fraction:
    """The smallest y (w . x) of all rows, exactly."""
    return least_of(examples, weights, _scores(examples, weights).lowest().tolist())[0]


def least_of(examples: Examples, weights: Sequence[Number], rows: Sequence[int]) -> tuple[Fraction, int]:
    """The smallest y (w . x) of some rows, exactly, and the first row that attains it."""
    margins, exponent = dots(examples, rows, weights)
    margin, row = min(zip(margins, rows, strict=True))
    return Fraction(margin, 1 << exponent), row


def mistakes(examples: Examples, weights: Sequence[Number], ties: str) -> Array:
    """The rows that the weights get wrong, exactly."""
    scores = _scores(examples, weights)
    wrong, unclear = scores.values < 0, scores.unclear()
    for row, margin in zip(unclear.tolist(), dots(examples, unclear.tolist(), weights)[0], strict=True):
        wrong[row] = is_wrong(margin, ties, int(examples.labels[row]))
    return np.flatnonzero(wrong)


def tie_is_wrong(ties: str, label: int) -> bool:
    """Whether y (w . x) = 0 is a mistake."""
    return TIES[ties].positive if label > 0 else TIES[ties].negative


def is_wrong(margin: Fraction | float, ties: str, label: int) -> bool:
    """Whether this y (w . x) is a mistake."""
    return margin < 0 or (margin == 0 and tie_is_wrong(ties, label))


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
