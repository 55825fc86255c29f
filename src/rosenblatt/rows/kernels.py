"""Compiled code: score, exact sign, find, correct, clean, replay.

Rows are a small tuple of arrays, `Dense` or `Csr`. Three functions know which: `stored`, `value` and
`column`. Everything else is written once on those three. A weight vector has one entry per feature and
a last one for the threshold, which every row meets with the constant `rows.bias` (0 when there is none).

Run with NUMBA_DISABLE_JIT=1, every function here is plain Python and its own reference. An algorithm's own kernels may
live beside it, in a file that holds nothing else.
"""

from math import frexp, ldexp, sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.rows.compiling import any_order, chosen_by_kind, compiled, inlined

Array = np.ndarray[Any, np.dtype[Any]]


@inlined
def bin_of(place: float, many: int) -> int:
    """The one of `many` bins, each of width 1, that a place is in; those beyond the ends are in the bins at the ends.

    Compared before it is converted, because a float that no int can hold becomes any int: NaN is in bin 0.
    """
    if not place >= 1.0:
        return 0
    return int(place) if place < many else many - 1


# ---------------------------------------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------------------------------------


class Dense(NamedTuple):
    """A table with one number per row and feature, in C order."""

    values: Array
    bias: float
    radius: float  # the length of the longest row, its bias included
    terms: int  # the most products that a score adds up
    whole: bool  # all numbers are whole

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and features there are."""
        return len(self.values), self.values.shape[1]


class Csr(NamedTuple):
    """Compressed sparse rows: row i holds values[starts[i]:starts[i+1]], sorted by column, none twice.

    Columns and starts are unsigned, which spares the compiled loops a check for negative indices.
    """

    values: Array
    columns: Array
    starts: Array
    bias: float
    radius: float
    terms: int
    whole: bool
    features: int

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and features there are."""
        return len(self.starts) - 1, self.features


Rows = Dense | Csr


def fixed(array: Array) -> Array:
    """A read-only view of an array: kernels are compiled once, not again for arrays that can be written to."""
    array = np.asarray(array).view()
    array.flags.writeable = False
    return array


def writable(array: Array) -> Array:
    """A view of an array that can be written to; a copy if its owner does not allow that."""
    try:
        array = array.view()
        array.flags.writeable = True
    except ValueError:
        return array.copy()
    return array


def fixed_rows(rows: "Rows") -> "Rows":
    """Rows in read-only arrays."""
    if isinstance(rows, Dense):
        return rows._replace(values=fixed(rows.values))
    return rows._replace(values=fixed(rows.values), columns=fixed(rows.columns), starts=fixed(rows.starts))


@chosen_by_kind(
    {
        Dense: lambda rows, i: rows.values.shape[1],
        Csr: lambda rows, i: rows.starts[np.uintp(i + 1)] - rows.starts[np.uintp(i)],
    }
)
def stored(rows: Rows, i: int) -> int:
    """How many entries of row i are stored."""
    return rows.values.shape[1] if isinstance(rows, Dense) else int(rows.starts[i + 1] - rows.starts[i])


@chosen_by_kind(
    {
        Dense: lambda rows, i, k: rows.values[np.uintp(i), np.uintp(k)],
        Csr: lambda rows, i, k: rows.values[rows.starts[np.uintp(i)] + k],
    }
)
def value(rows: Rows, i: int, k: int) -> float:
    """The k-th stored entry of row i; in double precision, as compiled code computes with it."""
    return float(rows.values[i, k] if isinstance(rows, Dense) else rows.values[int(rows.starts[i]) + k])


@chosen_by_kind({Dense: lambda rows, i, k: k, Csr: lambda rows, i, k: rows.columns[rows.starts[np.uintp(i)] + k]})
def column(rows: Rows, i: int, k: int) -> int:
    """The feature that the k-th stored entry of row i belongs to."""
    return k if isinstance(rows, Dense) else int(rows.columns[int(rows.starts[i]) + k])


@any_order
def score(rows: Rows, i: int, w: Array) -> float:
    """w . x_i with the threshold's part, in floating point, added up in any order."""
    total = rows.bias * w[-1]
    for k in range(stored(rows, i)):
        total += value(rows, i, k) * w[column(rows, i, k)]
    return total  # type: ignore[no-any-return]


@any_order
def score_of_sizes(rows: Rows, i: int, w: Array) -> float:
    """|w| . |x_i|: what the rounding error of `score` is proportional to."""
    total = abs(rows.bias * w[-1])
    for k in range(stored(rows, i)):
        total += abs(value(rows, i, k) * w[column(rows, i, k)])
    return total  # type: ignore[no-any-return]


@inlined
def add(rows: Rows, i: int, w: Array, c: float) -> None:
    """w += c x_i, entry by entry: the one place where weights change."""
    for k in range(stored(rows, i)):
        w[column(rows, i, k)] += c * value(rows, i, k)
    w[-1] += c * rows.bias


@compiled
def combine(rows: Rows, order: Array, amounts: Array, w: Array) -> None:
    """w += amounts times the rows in `order`, one after the other, so that the result is the same for every storage."""
    for k in range(order.size):
        add(rows, order[k], w, amounts[k])


@compiled
def order_of_entries(columns: Array, starts: Array, features: int) -> tuple[bool, bool]:
    """Of compressed sparse rows: whether every column exists, and whether the columns of every row rise."""
    exist = rise = True
    for i in range(starts.size - 1):
        row = columns[starts[i] : starts[i + 1]]
        falls = 0
        for k in range(1, row.size):
            falls += row[k - 1] >= row[k]
        rise &= falls == 0
        for k in range(row.size):
            exist &= row[k] < features
    return exist, rise


@compiled
def square_lengths(rows: Rows, first: int, last: int, out: Array) -> bool:
    """||x_i||^2 with the bias, added up in the order of the features, so the same for every storage.

    Returns whether all numbers are whole.
    """
    whole = rows.bias == np.floor(rows.bias)
    for i in range(first, last):
        total = 0.0
        for k in range(stored(rows, i)):
            v = np.float64(value(rows, i, k))
            total += v * v
        out[i] = total + rows.bias * rows.bias
        if whole:  # a fraction is soon found, as a rule
            fractions = 0
            for k in range(stored(rows, i)):
                v = np.float64(value(rows, i, k))
                fractions += v != np.floor(v)
            whole = fractions == 0
    return whole  # type: ignore[no-any-return]


@compiled
def largest_of_columns(rows: Rows, first: int, last: int, out: Array) -> None:
    """Raise out[j] to the largest |x_ij| of rows [first, last)."""
    for i in range(first, last):
        for k in range(stored(rows, i)):
            j = column(rows, i, k)
            out[j] = max(out[j], abs(np.float64(value(rows, i, k))))


@compiled
def length(rows: Rows, i: int) -> float:
    """||x_i|| with the bias, scaled by a power of two on the way so that no square overflows or underflows."""
    largest = abs(rows.bias)
    for k in range(stored(rows, i)):
        largest = max(largest, abs(np.float64(value(rows, i, k))))
    if largest == 0.0:
        return 0.0
    exponent = frexp(largest)[1]
    total = 0.0
    for k in range(stored(rows, i)):
        v = ldexp(np.float64(value(rows, i, k)), -exponent)
        total += v * v
    size = sqrt(total + ldexp(rows.bias, -exponent) ** 2)
    return ldexp(size, exponent) if exponent < 1000 else size * 2.0**1000 * 2.0 ** (exponent - 1000)


@compiled
def lengths(rows: Rows, out: Array) -> None:
    """Every row's length."""
    for i in range(out.size):
        out[i] = length(rows, i)


# ---------------------------------------------------------------------------------------------------------
# Exact decisions
#
# A score is a sum of m <= terms products. Computed in any order, with or without fused multiply-add, each
# product and each sum is rounded at most once, so (Higham, Accuracy and Stability, 3.1)
#     |computed - exact| <= m u / (1 - m u) * sum |x_k w_k| + m * 2^-1021,        u = 2^-53,
# where the last part covers results below the normal numbers, flushed to zero or not. By Cauchy and
# Schwarz, sum |x_k w_k| <= ||x|| ||w|| <= radius * length for every row and every w with ||w|| <= length.
# The factor 1.05 covers 1/(1 - m u) and the rounding of radius, length and the bound itself (each is far below
# 1 % for any m < 2^40); 4 is added to m so that a value cut to 53 bits, and m +- the bound, stay inside, too.
# If radius * length < 2^1020 no product or partial sum overflows; if it is not, the bound is infinite.
# Outside the bound the computed sign is the exact one; inside it, `exact_score` decides. Whole rows and whole
# weights with radius * length < 2^52 are added up without any rounding: there, no doubt is left.
# ---------------------------------------------------------------------------------------------------------

UNIT = 1.05 * 2.0**-53
TINY = 2.0**-1021
HUGE = 2.0**1020

LIMB = 32
LIMBS = 142
LOW = (1 << LIMB) - 1
ORIGIN = 71 * LIMB  # the bit of the accumulator that stands for 1; the least bit of a product is 2^-2252


class Doubt(NamedTuple):
    """By how much a computed score may be off, whether there is none, and a place to add one up exactly."""

    width: float
    none: bool
    limbs: Array


def doubt_about(rows: Rows, length: float, whole: bool = False) -> Doubt:
    """The doubt about scores of any row, with weights no longer than `length`, and perhaps known to be whole."""
    reach = rows.radius * length
    none = whole and rows.whole and reach < 2.0**52
    width = 0.0 if none else (rows.terms + 4) * (UNIT * reach + TINY) if reach < HUGE else np.inf
    return Doubt(width, none, np.empty(LIMBS, np.int64))


@compiled
def accumulate(total: Array, sign: int, a: float, b: float) -> bool:
    """total += sign * a * b, exactly, in a long accumulator of 32-bit limbs (Kulisch and Miranker 1981).

    Exponents are from -1073 to 1024, and 0 for what is not finite: limbs 0 to 135 are written, of LIMBS.
    """
    if a == 0.0 or b == 0.0:
        return False
    fraction_a, exponent_a = frexp(a)
    fraction_b, exponent_b = frexp(b)
    if (a < 0.0) != (b < 0.0):
        sign = -sign
    p = np.int64(abs(fraction_a) * 9007199254740992.0)  # 2^53: the fractions as whole numbers
    q = np.int64(abs(fraction_b) * 9007199254740992.0)
    p_high, p_low, q_high, q_low = p >> 27, p & 0x7FFFFFF, q >> 27, q & 0x7FFFFFF
    bit = exponent_a + exponent_b - 106 + ORIGIN
    for piece, shift in ((p_low * q_low, 0), (p_low * q_high + p_high * q_low, 27), (p_high * q_high, 54)):
        limb, offset = (bit + shift) >> 5, (bit + shift) & 31
        low = (piece & LOW) << offset
        high = (piece >> LIMB) << offset
        total[limb] += sign * (low & LOW)
        total[limb + 1] += sign * ((low >> LIMB) + (high & LOW))
        total[limb + 2] += sign * (high >> LIMB)
    return True


@compiled
def _carry(total: Array) -> int:
    """Bring every limb into [0, 2^32); what is carried out of the last one is -1 for a negative value."""
    carry = 0
    for k in range(LIMBS):
        carry += total[k]
        total[k] = carry & LOW
        carry >>= LIMB
    return carry


@compiled
def truncated(total: Array) -> float:
    """The accumulator's value cut to 53 bits towards zero: its sign, and its octave, are exact."""
    sign = 1.0
    if _carry(total) < 0:
        sign = -1.0
        for k in range(LIMBS):
            total[k] = -total[k]
        _carry(total)
    top = LIMBS - 1
    while top >= 0 and total[top] == 0:
        top -= 1
    if top < 0:
        return 0.0
    if top >= ORIGIN // LIMB + 32:  # 2^1024 or more
        return sign * np.inf
    spare, leading = 53, total[top]
    while leading > 0:
        leading >>= 1
        spare -= 1
    middle = total[top - 1] if top > 0 else 0
    last = total[top - 2] if top > 1 else 0
    if spare < LIMB:
        middle, last = (middle >> (LIMB - spare)) << (LIMB - spare), 0
    else:
        last = (last >> (2 * LIMB - spare)) << (2 * LIMB - spare)
    size = ldexp((total[top] * 4294967296.0 + middle) * 4294967296.0 + last, (top - 2) * LIMB - ORIGIN)
    return sign * (size if size > 5e-324 else 5e-324)


@compiled
def accumulate_score(total: Array, sign: int, rows: Rows, i: int, w: Array) -> bool:
    """total += sign * w . x_i, exactly; returns whether there was anything to add."""
    changed = accumulate(total, sign, rows.bias, w[-1])
    for k in range(stored(rows, i)):
        changed |= accumulate(total, sign, np.float64(value(rows, i, k)), w[column(rows, i, k)])
    return changed


@compiled
def exact_score(rows: Rows, i: int, w: Array, limbs: Array) -> float:
    """w . x_i without rounding, then cut to 53 bits towards zero."""
    limbs[:] = 0
    return truncated(limbs) if accumulate_score(limbs, 1, rows, i, w) else 0.0


@compiled
def is_less(rows: Rows, labels: Array, i: int, j: int, w: Array, limbs: Array) -> bool:
    """Whether row i's margin is exactly less than row j's."""
    limbs[:] = 0
    accumulate_score(limbs, labels[i], rows, i, w)
    accumulate_score(limbs, -labels[j], rows, j, w)
    return _carry(limbs) < 0


@compiled
def resolved(rows: Rows, i: int, w: Array, computed: float, limbs: Array) -> float:
    """A score with the exact sign, given a computed one that is in doubt."""
    sizes = score_of_sizes(rows, i, w)
    if abs(computed) > (stored(rows, i) + 5) * (UNIT * sizes + TINY) and sizes < HUGE:
        return computed
    return exact_score(rows, i, w, limbs)


@inlined
def with_exact_sign(rows: Rows, i: int, w: Array, computed: float, doubt: Doubt) -> float:
    """Row i's score, given a computed one. Written so that NaN is in doubt."""
    if not (abs(computed) > doubt.width or doubt.none):
        computed = resolved(rows, i, w, computed, doubt.limbs)
    return computed


@inlined
def margin(rows: Rows, labels: Array, i: int, w: Array, doubt: Doubt) -> float:
    """y_i (w . x_i) with the exact sign."""
    return labels[i] * with_exact_sign(rows, i, w, score(rows, i, w), doubt)  # type: ignore[no-any-return]


class Ties(NamedTuple):
    """Whether y (w . x) = 0 is a mistake, for a row that is labelled +1 and for one that is labelled -1."""

    positive: bool
    negative: bool


TIES = {
    "mistake": Ties(True, True),
    "plus": Ties(False, True),
    "minus": Ties(True, False),
    "correct": Ties(False, False),
}


@inlined
def is_wrong(m: float, label: int, ties: Ties) -> bool:
    """Whether a margin makes its row a mistake."""
    if m == 0.0:
        return ties.positive if label > 0 else ties.negative
    return m < 0.0


@inlined
def is_mistake(rows: Rows, labels: Array, i: int, w: Array, ties: Ties, doubt: Doubt) -> bool:
    """Whether w gets row i wrong, decided exactly."""
    return is_wrong(margin(rows, labels, i, w, doubt), labels[i], ties)


# ---------------------------------------------------------------------------------------------------------
# Find: read-only passes with fixed weights
# ---------------------------------------------------------------------------------------------------------

SHORT = 48  # terms; longer rows are faster one by one


@any_order
def scores_of_three(rows: Rows, i: int, w: Array) -> tuple[float, float, float]:
    """The scores of the dense rows i, i + 1 and i + 2, in one loop: faster than one by one while rows are short."""
    one = two = three = rows.bias * w[-1]
    for k in range(stored(rows, i)):
        one += value(rows, i, k) * w[k]
        two += value(rows, i + 1, k) * w[k]
        three += value(rows, i + 2, k) * w[k]
    return one, two, three


@compiled
def next_unclear(rows: Rows, labels: Array, first: int, last: int, w: Array, clear: float) -> int:
    """The next row whose computed margin is not above `clear`; loops with nothing else in them run at memory speed."""
    i = first
    if rows.values.ndim == 2 and rows.terms < SHORT:
        while i + 2 < last:
            one, two, three = scores_of_three(rows, i, w)
            if not ((labels[i] * one > clear) & (labels[i + 1] * two > clear) & (labels[i + 2] * three > clear)):
                break
            i += 3
    while i < last and labels[i] * score(rows, i, w) > clear:
        i += 1
    return i


@compiled
def find(
    rows: Rows,
    labels: Array,
    weights: Array,
    first: int,
    last: int,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    band: float,
    found: Array,
) -> int:
    """The mistakes among rows first .. last-1, and the rows whose margin is less than `band`.

    Writes i for a mistake and ~i for a near one until `found` is full; rows of weight 0 do not count.
    Returns how many were written.
    """
    clear = band + doubt.width
    written, i = 0, next_unclear(rows, labels, first, last, w, clear)
    while i < last and written < found.size:
        if weights.size == 0 or weights[i] > 0.0:
            m = margin(rows, labels, i, w, doubt)
            if is_wrong(m, labels[i], ties):
                found[written] = i
                written += 1
            elif is_below(rows, labels, i, w, m, doubt, band):
                found[written] = ~i
                written += 1
        i = next_unclear(rows, labels, i + 1, last, w, clear)
    return written


@compiled
def is_below(rows: Rows, labels: Array, i: int, w: Array, m: float, doubt: Doubt, bound: float) -> bool:
    """Whether row i's exact margin is less than `bound`; m is a computed one."""
    if not (abs(m - bound) > doubt.width or doubt.none):
        m = labels[i] * exact_score(rows, i, w, doubt.limbs)  # cut towards zero, so right for every positive bound
    return m < bound


@compiled
def worst(rows: Rows, labels: Array, weights: Array, first: int, last: int, w: Array, doubt: Doubt) -> int:
    """The row of first .. last-1 with the least exact margin, the first of equals; -1 if all have weight 0."""
    best, least = -1, np.inf
    for i in range(first, last):
        m = labels[i] * score(rows, i, w)
        if m - least > 2.0 * doubt.width or (weights.size > 0 and weights[i] == 0.0):
            continue
        if best < 0 or least - m > 2.0 * doubt.width or is_less(rows, labels, i, best, w, doubt.limbs):
            best, least = i, m
    return best


@compiled
def margins(rows: Rows, labels: Array, first: int, last: int, w: Array, doubt: Doubt, out: Array) -> None:
    """The margins of rows first .. last-1, each with the exact sign; `out` has a place for each of these."""
    for i in range(first, last):
        out[i - first] = margin(rows, labels, i, w, doubt)


# ---------------------------------------------------------------------------------------------------------
# Correct: sequential, in place, writing the ledger
#
# A row of weight k stands for k copies of itself, one after the other; a fraction left over is a last copy
# that moves the weights by that fraction of a step. The ledger gets i for a whole step and ~i for a part.
# ---------------------------------------------------------------------------------------------------------


@inlined
def correct_copies(
    rows: Rows,
    labels: Array,
    i: int,
    copies: float,
    m: float,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    ledger: Array,
    made: int,
) -> tuple[int, float]:
    """Correct the copies of row i for as long as it is a mistake, m being its margin now.

    Stops early when the ledger is full. Returns the corrections in the ledger and the copies not corrected.
    """
    while copies > 0.0 and made < ledger.size and is_wrong(m, labels[i], ties):
        step = copies if copies < 1.0 else 1.0
        add(rows, i, w, step * labels[i])
        ledger[made] = i if step == 1.0 else ~i
        made += 1
        copies -= step
        if copies > 0.0:
            m = margin(rows, labels, i, w, doubt)
    return made, copies


@compiled
def next_doubtful(rows: Rows, labels: Array, order: Array, first: int, last: int, w: Array, width: float) -> int:
    """The next place in `order` whose row is not clearly right."""
    k = first
    while k < last and labels[order[k]] * score(rows, order[k], w) > width:
        k += 1
    return k


@compiled
def correct(
    rows: Rows,
    labels: Array,
    order: Array,
    copies: Array,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    quiet: int,
    patience: int,
    ledger: Array,
) -> tuple[int, int, int]:
    """PLA over the rows in `order`: correct each mistake met (Rosenblatt 1958; Novikoff 1962).

    `copies` goes with `order` and is used up (empty: one each). `quiet` is how many copies in a row have been
    right before; stops when that reaches `patience`, or when the ledger is full. Returns how far it came in
    `order`, how many corrections it wrote, and `quiet`.

    Every order of PLA, and `cycle`, is this loop. Others find and correct, too. What it would cost to merge some of
    them was measured on one core, in 10 passes over 2,000 and 100,000 rows of 20 numbers:

    averaged_kernels   `sweep`: a stride is a value (mistakes, with margin, by loss), with or without a mean. Plain PLA
                       by it takes 1.6 and 1.2 times as long; on 200 rows of 5 numbers, 3.4 times
    clean              chooses the next row by the margins it meets: linked lists, no order; shares `correct_copies`
    pocket_kernels     after each correction it may count all mistakes; a draw is one step, never several copies
    joint_kernels      a look compares the scores of all classes, and a correction moves two rows of a table; two
                       classes by it take 3.4 and 3.0 times as long
    lifted_kernels     each copy has a feature of its own: one number beside its row. As a third storage, with it as the
                       last entry of a row, the loop over the others is not vectorised: 3.5 and 3.7 times as long
    dual_kernels       all scores are kept, so a look reads one number; a correction adds a column, which may have to be
                       fetched first
    online_kernels     rows come one by one, unchecked: each is measured, and refused before anything has changed; the
                       step by loss is that of `averaged_kernels`
    second_order       a correction is a step of a regression, d x d numbers; between two, it uses `next_doubtful`
    oblique_kernels    columns side by side, in floats: what it finds is a proposal, so nothing is decided exactly
    """
    made = k = 0
    while k < order.size:
        if copies.size == 0:
            stop = k + (patience - quiet) if patience - quiet < order.size - k else order.size
            after = next_doubtful(rows, labels, order, k, stop, w, doubt.width)
            quiet += after - k
            k = after
            if k == stop:
                break
        i = order[k]
        many = copies[k] if copies.size > 0 else 1.0
        m = margin(rows, labels, i, w, doubt)
        if is_wrong(m, labels[i], ties) and many > 0.0:
            quiet = 0
            made, many = correct_copies(rows, labels, i, many, m, w, ties, doubt, ledger, made)
            if copies.size > 0:
                copies[k] = many
            if made == ledger.size:
                return k + (many <= 0.0), made, quiet
        quiet += np.int64(np.ceil(many))  # type: ignore[assignment]  # int() would be compiled apart
        k += 1
        if quiet >= patience:
            break
    return k, made, quiet


class Visits(NamedTuple):
    """The rows of a pass in order, the copies of each, and those left in the present pass (both empty: one each)."""

    order: Array
    each: Array
    left: Array


class Place(NamedTuple):
    """Where a run stands: the place reached in the order, and how many copies in a row have been right."""

    at: int
    quiet: int


class Page(NamedTuple):
    """What cycles write: the ledger, and how many corrections there were when each pass ended."""

    ledger: Array
    ends: Array


@compiled
def cycle(
    rows: Rows,
    labels: Array,
    visits: Visits,
    place: Place,
    most: int,
    patience: int,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    page: Page,
) -> tuple[int, int, int, int]:
    """Pass after pass of `correct` over `visits`, from `place` on.

    Stops after about `most` rows, or as `correct` does.
    Returns how many passes ended, the corrections written, and the place: how far it came, and how many were right.
    """
    order, left, ledger = visits.order, visits.left, page.ledger
    at, quiet = place.at, place.quiet
    passes = made = 0
    while most > 0 and passes < page.ends.size:
        stop = at + most if most < order.size - at else order.size
        some = left[at:stop] if left.size > 0 else left
        moved, more, quiet = correct(rows, labels, order[at:stop], some, w, ties, doubt, quiet, patience, ledger[made:])
        at += moved
        made += more
        most -= moved
        if at == order.size:
            for k in range(left.size):
                left[k] = visits.each[k]
            page.ends[passes] = made
            passes += 1
            at = 0
        if made == ledger.size or quiet >= patience:
            break
    return passes, made, at, quiet


@compiled
def replay(rows: Rows, labels: Array, weights: Array, w: Array, ledger: Array) -> None:
    """Make the corrections that a ledger holds, in order."""
    for entry in ledger:
        i = entry if entry >= 0 else ~entry
        step = 1.0 if entry >= 0 else weights[i] - np.floor(weights[i])
        add(rows, i, w, step * labels[i])


@compiled
def replay_until(rows: Rows, labels: Array, w: Array, ledger: Array, mark: Array) -> int:
    """Make whole corrections until w equals `mark`; returns how many that took, or -1 if it never does."""
    for t in range(ledger.size):
        add(rows, ledger[t], w, labels[ledger[t]])
        k = 0
        while k < w.size and w[k] == mark[k]:
            k += 1
        if k == w.size:
            return t + 1
    return -1


# ---------------------------------------------------------------------------------------------------------
# Clean: the active set, most doubtful row first
# ---------------------------------------------------------------------------------------------------------

SHELVES = 24
SQRT_HALF = 0.7071067811865476


class Shelves(NamedTuple):
    """Rows to be looked at, kept by the octave of their margin when last seen: shelf 0 has the smallest.

    An entry is a row and how many copies of it wait together. Shelves are linked lists through `following`.
    """

    row: Array
    copies: Array  # empty: one each
    following: Array
    head: Array
    tail: Array
    cursor: Any  # a record, of type CURSOR


CURSOR = np.dtype(  # the shelf being looked through, its next entry, corrections since shelf 0, entries in use
    (np.record, [("shelf", np.int64), ("entry", np.int64), ("corrected", np.int64), ("used", np.int64)])
)


@inlined
def put(following: Array, head: Array, tail: Array, shelf: int, entry: int) -> None:
    """Append an entry to a shelf."""
    following[entry] = -1
    if head[shelf] < 0:
        head[shelf] = entry
    else:
        following[tail[shelf]] = entry
    tail[shelf] = entry


@inlined
def octave(m: float) -> int:
    """The e with 2^(e-1) <= m < 2^e, for a positive normal m; for any other, some number from -3070 to 1025."""
    return int(np.float64(m).view(np.int64) >> 52) - 1022


@inlined
def shelf_for(rows: Rows, labels: Array, i: int, w: Array, m: float, doubt: Doubt, lowest: int) -> int:
    """The shelf for a row whose margin m is positive; bounds lie between powers of two, which margins often are."""
    if octave(max(m - doubt.width, TINY) * SQRT_HALF) != octave((m + doubt.width) * SQRT_HALF):
        m = labels[i] * exact_score(rows, i, w, doubt.limbs)
    return min(max(octave(m * SQRT_HALF) - lowest, 0), SHELVES - 1)


@compiled
def clean(
    rows: Rows,
    labels: Array,
    shelves: Shelves,
    lowest: int,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    most: int,
    ledger: Array,
) -> tuple[bool, int, int]:
    """Correct mistakes among the rows on the shelves until none is left, looking at small margins first.

    Looks through one shelf after the other, from the lowest; each row goes to the shelf of its present margin,
    a corrected one to the lowest. A shelf with a mistake on it sends the search back to the lowest shelf.
    Stops early when the ledger is full or `most` copies were looked at; a second call goes on from there.
    Returns whether all are right, how many copies of rows it looked at, and the corrections it wrote.
    """
    row, copies, following, head, tail, cursor = shelves
    shelf, entry, corrected, used = cursor.shelf, cursor.entry, cursor.corrected, cursor.used
    seen = made = 0
    while True:
        while entry >= 0:
            if made == ledger.size or seen >= most or (copies.size > 0 and used == row.size):
                cursor.shelf, cursor.entry, cursor.corrected, cursor.used = shelf, entry, corrected, used
                return False, seen, made
            i, after = row[entry], following[entry]
            many = copies[entry] if copies.size > 0 else 1.0
            part = min(many, np.float64(most - seen))
            m = margin(rows, labels, i, w, doubt)
            if is_wrong(m, labels[i], ties):
                to, before = 0, made
                made, left = correct_copies(rows, labels, i, part, m, w, ties, doubt, ledger, made)
                corrected += made - before
                part -= left
            else:
                to = shelf_for(rows, labels, i, w, m, doubt, lowest)
            seen += int(np.ceil(part))
            if part < many:  # the copies dealt with part from the others, which are next
                copies[entry] = many - part
                entry, after = used, entry
                used += 1
                row[entry], copies[entry] = i, part
            put(following, head, tail, to, entry)
            entry = after
        if corrected > 0:
            shelf, corrected = 0, 0
        else:
            shelf += 1
            if shelf == SHELVES:
                return True, seen, made
        entry = head[shelf]
        head[shelf] = -1
