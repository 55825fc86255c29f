"""Compiled code of the lifted and of the kernel perceptron: the algorithm in spaces that are never written down."""

from typing import NamedTuple

import numpy as np

from rosenblatt.compiling import compiled, inlined
from rosenblatt.kernels import (
    HUGE,
    TINY,
    UNIT,
    Array,
    Csr,
    Dense,
    Doubt,
    Rows,
    accumulate,
    accumulate_score,
    add,
    column,
    exact_score,
    score,
    score_of_sizes,
    stored,
    truncated,
    value,
)

# ---------------------------------------------------------------------------------------------------------
# Rows with a feature of their own
#
# An entry is a copy of a row: it has a feature of its own, on which it is `lift` and all others are 0. `own` holds the
# weights of those features, each times its entry's label, so none is ever negative.
# ---------------------------------------------------------------------------------------------------------


@compiled
def resolved(rows: Rows, label: int, i: int, w: Array, own: float, lift: float, computed: float, limbs: Array) -> float:
    """A lifted margin with the exact sign, given a computed one that is in doubt: it has one term more than a score."""
    sizes = score_of_sizes(rows, i, w) + lift * own
    if abs(computed) > (stored(rows, i) + 6) * (UNIT * sizes + TINY) and sizes < HUGE:
        return computed
    limbs[:] = 0
    changed = accumulate_score(limbs, label, rows, i, w)
    changed |= accumulate(limbs, 1, lift, own)
    return truncated(limbs) if changed else 0.0


@inlined
def margin(rows: Rows, labels: Array, i: int, w: Array, own: float, lift: float, doubt: Doubt) -> float:
    """y_i (w . x_i) + lift * own with the exact sign."""
    m = labels[i] * score(rows, i, w) + lift * own
    if not (abs(m) > doubt.width or doubt.none):
        m = resolved(rows, labels[i], i, w, own, lift, m, doubt.limbs)
    return m  # type: ignore[no-any-return]


@compiled
def next_doubtful(
    rows: Rows, labels: Array, row_of: Array, first: int, last: int, w: Array, own: Array, lift: float, width: float
) -> int:
    """The next entry whose row is not clearly right; a loop with nothing else in it."""
    entry = first
    if row_of.size == 0:
        while entry < last and labels[entry] * score(rows, entry, w) + lift * own[entry] > width:
            entry += 1
        return entry
    while entry < last and labels[row_of[entry]] * score(rows, row_of[entry], w) + lift * own[entry] > width:
        entry += 1
    return entry


@compiled
def cycle(
    rows: Rows,
    labels: Array,
    row_of: Array,
    steps: Array,
    at: int,
    most: int,
    w: Array,
    own: Array,
    lift: float,
    doubt: Doubt,
    quiet: int,
    ends: Array,
    ledger: Array,
) -> tuple[int, int, int, int, int]:
    """PLA on lifted rows: pass after pass over the entries, beginning at entry `at`.

    `quiet` is how many entries in a row have been right; stops when all have, after `most` looks, or when the ledger or
    `ends` is full, which gets the corrections made when each pass ended. `row_of` and `steps` are empty where every
    entry is a row.
    Returns how many passes ended, the entry reached, the corrections written, `quiet`, and the looks.
    """
    passes = made = looks = 0
    while looks < most and quiet < own.size and made < ledger.size and passes < ends.size:
        stop = min(own.size, at + min(own.size - quiet, most - looks))
        entry = next_doubtful(rows, labels, row_of, at, stop, w, own, lift, doubt.width)
        looks += entry - at
        quiet += entry - at
        at = entry
        if at < stop:
            i = row_of[entry] if row_of.size > 0 else entry
            if margin(rows, labels, i, w, own[entry], lift, doubt) > 0.0:
                quiet += 1
            else:
                step = steps[entry] if steps.size > 0 else 1.0
                add(rows, i, w, step * labels[i])
                own[entry] += step * lift
                ledger[made] = i if step == 1.0 else ~i
                made += 1
                quiet = 0
            looks += 1
            at += 1
        if at == own.size:
            ends[passes] = made
            passes += 1
            at = 0
    return passes, at, made, quiet, looks


@compiled
def count(
    rows: Rows, labels: Array, row_of: Array, first: int, last: int, w: Array, own: Array, lift: float, doubt: Doubt
) -> int:
    """How many of the entries first .. last-1 are mistakes in the lifted space."""
    mistakes = 0
    for entry in range(first, last):
        mistakes += (
            not margin(rows, labels, row_of[entry] if row_of.size > 0 else entry, w, own[entry], lift, doubt) > 0.0
        )
    return mistakes


@compiled
def combine(rows: Rows, order: Array, amounts: Array, w: Array) -> None:
    """w += amounts times the rows in `order`, one after the other, so that the result is the same for every storage."""
    for k in range(order.size):
        add(rows, order[k], w, amounts[k])


@compiled
def margins_in_order(rows: Rows, labels: Array, w: Array, out: Array) -> None:
    """Every y_i (w . x_i), added up in the order of the features, so that it is the same for every storage."""
    for i in range(out.size):
        total = 0.0
        for k in range(stored(rows, i)):
            total += np.float64(value(rows, i, k)) * w[column(rows, i, k)]
        out[i] = labels[i] * (total + rows.bias * w[-1])


# ---------------------------------------------------------------------------------------------------------
# Products of rows
#
# A product is added up in the order of the features, so it is the same number for every storage, for both orders of its
# rows, and however many are asked for at once.
# ---------------------------------------------------------------------------------------------------------

CHUNK = 1024  # products that are added up together, and stay in the nearest cache
WHOLE = 2.0**52


@compiled
def dense_products(rows: Rows, across: Array, first: int, last: int, out: Array) -> None:
    """out[r, j] = x_r . z_j for all rows and j of first .. last-1, where across[k, j] is feature k of z_j."""
    for begin in range(first, last, CHUNK):
        end = min(begin + CHUNK, last)
        for r in range(out.shape[0]):
            sums = out[r, begin:end]
            for j in range(sums.size):
                sums[j] = 0.0
            for k in range(stored(rows, r)):
                x, z = np.float64(value(rows, r, k)), across[column(rows, r, k), begin:end]
                for j in range(sums.size):
                    sums[j] += x * z[j]


@compiled
def sparse_products(rows: Rows, others: Csr, first: int, last: int, spread: Array, out: Array) -> None:
    """The same for sparse z_j; `spread` has a zero for each feature, and is left so."""
    for r in range(out.shape[0]):
        for k in range(stored(rows, r)):
            spread[column(rows, r, k)] = value(rows, r, k)
        for j in range(first, last):
            total = 0.0
            for k in range(stored(others, j)):
                total += spread[column(others, j, k)] * np.float64(value(others, j, k))
            out[r, j] = total
        for k in range(stored(rows, r)):
            spread[column(rows, r, k)] = 0.0


@compiled
def moments(rows: Rows, n: int) -> tuple[float, float]:
    """The sum of all numbers, and of their squares, in the order of the table."""
    total = squares = 0.0
    for i in range(n):
        for k in range(stored(rows, i)):
            v = np.float64(value(rows, i, k))
            total += v
            squares += v * v
    return total, squares


# ---------------------------------------------------------------------------------------------------------
# Rules that are sums over rows
#
# scores[i] is sum_j amounts[j] K(i, j), computed. A correction of row j adds column j of K to all scores, so a look at
# a row costs nothing. Each addition is rounded once: it adds u |new score| to the error, and |new score| is at most
# the largest score before plus the largest number of the column. Where steps are fractions, the product step * K and
# the amount itself are rounded, too. Sums of whole numbers below 2^52 are exact.
# ---------------------------------------------------------------------------------------------------------


class Dual(NamedTuple):
    """A rule as a sum over rows."""

    scores: Array  # of every row
    amounts: Array  # y_j times the corrections of row j
    delays: Array  # y_j times the looks before each correction of row j, added up; empty where no mean is asked for
    error: Array  # [no score is off by more; no score is larger; 1 while all were added up without rounding]


class Held(NamedTuple):
    """Columns of the kernel matrix that are held in memory."""

    columns: Dense  # a row of numbers for each
    place: Array  # where the column of a row is, or -1
    used: Array  # when each was last used, in corrections
    largest: Array  # the largest number of each, in size
    whole: Array  # whether all numbers of each are whole
    limbs: Array  # to add up scores exactly, where column i is row i, too; empty where the matrix is not symmetric


class Memory(NamedTuple):
    """The corrections that are remembered, where there is a limit; arrays are empty where there is none."""

    row: Array
    step: Array  # with the sign of the row's label
    draws: Array  # which of them the correction of this number replaces


@compiled
def measure(held: Held, slots: Array) -> None:
    """Note the largest number of the columns in these places, and whether all are whole."""
    for slot in slots:
        numbers, largest, whole = held.columns.values[slot], 0.0, True
        for i in range(numbers.size):
            largest = max(largest, abs(numbers[i]))
            whole &= numbers[i] == np.floor(numbers[i])
        held.largest[slot], held.whole[slot] = largest, whole


ALL_SEEN, CLEAN, PAGE_FULL, NEEDS_COLUMN, NEEDS_SIGN = range(5)


@inlined
def move(dual: Dual, held: Held, j: int, step: float) -> None:
    """Add `step` times row j to the rule; its column is held."""
    slot = held.place[j]
    column_of_j, scores = held.columns.values[slot], dual.scores
    for i in range(scores.size):
        scores[i] += step * column_of_j[i]
    exact = abs(step) == 1.0 and dual.amounts[j] == np.floor(dual.amounts[j])
    dual.amounts[j] += step
    dual.error[1] += held.largest[slot] * abs(step)
    dual.error[2] *= exact and held.whole[slot] and dual.error[1] < WHOLE
    if dual.error[2] == 0.0:
        dual.error[0] += UNIT * dual.error[1]
    if not exact:
        dual.error[0] += UNIT * (1.0 + abs(dual.amounts[j])) * held.largest[slot] + TINY


@compiled
def correct(
    order: Array,
    copies: Array,
    labels: Array,
    known: int,
    dual: Dual,
    held: Held,
    memory: Memory,
    before: int,
    looks: int,
    quiet: int,
    patience: int,
    ledger: Array,
    forgotten: Array,
) -> tuple[int, int, int, int, int, int]:
    """PLA over the rows in `order`, by their scores alone; as `kernels.correct`, for rules that are sums over rows.

    `known` is the exact sign of the first row's score, or 2. `before` is how many corrections were made before. What
    has to be forgotten for the k-th correction is written to forgotten[k], as in the ledger.
    Returns why it stopped, how far it came in `order`, the corrections, `looks`, `quiet`, and the column needed.
    """
    made = k = 0
    while k < order.size:
        i = order[k]
        m = labels[i] * dual.scores[i]
        if dual.error[0] > 0.0 and not abs(m) > dual.error[0]:
            if held.limbs.size > 0 and held.place[i] >= 0:
                m = labels[i] * exact_score(held.columns, held.place[i], dual.amounts, held.limbs)
            elif known == 2:
                return NEEDS_SIGN, k, made, looks, quiet, i
            else:
                m = np.float64(labels[i] * known)
        many = copies[k] if copies.size > 0 else 1.0
        if m > 0.0:
            known = 2
            looks += int(np.ceil(many))
            quiet += int(np.ceil(many))
            k += 1
            if quiet >= patience:  # copies of the last row that the clean cycle did not need are not counted
                return CLEAN, k, made, looks - quiet + patience, patience, -1
            continue
        if made == ledger.size:
            return PAGE_FULL, k, made, looks, quiet, -1
        full = memory.row.size > 0 and before + made >= memory.row.size
        slot = memory.draws[made] if full else before + made
        if held.place[i] < 0:
            return NEEDS_COLUMN, k, made, looks, quiet, i
        if full and held.place[memory.row[slot]] < 0:
            return NEEDS_COLUMN, k, made, looks, quiet, memory.row[slot]
        step = min(many, 1.0)
        if full:
            j = memory.row[slot]
            move(dual, held, j, -memory.step[slot])
            held.used[held.place[j]] = before + made
            forgotten[made] = j if abs(memory.step[slot]) == 1.0 else ~j
        move(dual, held, i, step * labels[i])
        held.used[held.place[i]] = before + made
        if dual.delays.size > 0:
            dual.delays[i] += step * labels[i] * looks
        if memory.row.size > 0:
            memory.row[slot] = i
            memory.step[slot] = step * labels[i]
        ledger[made] = i if step == 1.0 else ~i
        made += 1
        looks += 1
        quiet = 0
        known = 2
        if copies.size > 0:
            copies[k] = many - step
        if many <= 1.0:
            k += 1
    return ALL_SEEN, k, made, looks, quiet, -1
