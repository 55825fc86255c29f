"""Compiled code of the kernel perceptron: products of rows, and rules that are sums over rows."""

from typing import NamedTuple

import numpy as np

from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import TINY, UNIT, Array, Csr, Dense, Rows, column, exact_score, stored, value

# ---------------------------------------------------------------------------------------------------------
# Products of rows
#
# A product is added up in the order of the features, so it is the same number for every storage, for both orders of its
# rows, and however many are computed at once.
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
    """out[r, j] = x_r . z_j for sparse z_j; `spread` has a zero for each feature, and is left so."""
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
    delays: Array  # y_j times the looks before each correction of row j, added up; empty where no mean is kept
    error: Array  # one record, of type ERROR


ERROR = np.dtype(  # no score is off by more; none is larger; whether all were added up without rounding
    (np.record, np.dtype([("most", np.float64), ("largest", np.float64), ("none", np.bool_)], align=True))
)


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
UNKNOWN = 2  # for a sign


@inlined
def move(dual: Dual, held: Held, j: int, step: float) -> None:
    """Add `step` times row j to the rule; its column is held."""
    slot = held.place[j]
    column_of_j, scores, error = held.columns.values[slot], dual.scores, dual.error[0]
    for i in range(scores.size):
        scores[i] += step * column_of_j[i]
    exact = abs(step) == 1.0 and dual.amounts[j] == np.floor(dual.amounts[j])
    dual.amounts[j] += step
    error.largest += held.largest[slot] * abs(step)
    error.none = error.none and exact and held.whole[slot] and error.largest < WHOLE
    if not error.none:
        error.most += UNIT * error.largest
    if not exact:
        error.most += UNIT * (1.0 + abs(dual.amounts[j])) * held.largest[slot] + TINY


class Queue(NamedTuple):
    """The rows to look at."""

    order: Array
    copies: Array  # of each; used up (empty: one each)
    known: int  # the exact sign of the first one's score, or UNKNOWN


class SoFar(NamedTuple):
    """The corrections and the looks made before, and how many copies in a row were right."""

    made: int
    looks: int
    quiet: int


class Pages(NamedTuple):
    """What is written: the ledger, and what was forgotten for each correction, as in the ledger."""

    ledger: Array
    forgotten: Array


@inlined
def margin(dual: Dual, held: Held, label: int, i: int, known: int) -> float:
    """Row i's margin with the exact sign; NaN if neither its column is at hand for that, nor its sign known."""
    m = label * dual.scores[i]
    if not dual.error[0].most > 0.0 or abs(m) > dual.error[0].most:
        return m  # type: ignore[no-any-return]
    if held.limbs.size > 0 and held.place[i] >= 0:
        return label * exact_score(held.columns, held.place[i], dual.amounts, held.limbs)
    return np.nan if known == UNKNOWN else np.float64(label * known)


@inlined
def forget(dual: Dual, held: Held, memory: Memory, slot: int, number: int) -> int:
    """Take back the correction that is remembered in this place; returns it, as in the ledger."""
    j = memory.row[slot]
    move(dual, held, j, -memory.step[slot])
    held.used[held.place[j]] = number
    return j if abs(memory.step[slot]) == 1.0 else ~j  # type: ignore[no-any-return]


@inlined
def learn_from(dual: Dual, held: Held, memory: Memory, slot: int, i: int, step: float, so_far: SoFar) -> None:
    """Correct row i by this step, which has the sign of its label, and remember that in this place."""
    move(dual, held, i, step)
    held.used[held.place[i]] = so_far.made
    if dual.delays.size > 0:
        dual.delays[i] += step * so_far.looks
    if memory.row.size > 0:
        memory.row[slot] = i
        memory.step[slot] = step


@compiled
def correct(
    queue: Queue, labels: Array, dual: Dual, held: Held, memory: Memory, so_far: SoFar, patience: int, pages: Pages
) -> tuple[int, int, int, int, int, int]:
    """PLA over the rows in a queue, by their scores alone; as `kernels.correct`, for rules that are sums over rows.

    Returns why it stopped, how far it came in the queue, the corrections, the looks, how many copies in a row were
    right, and the column needed.
    """
    order, copies, known = queue
    before, looks, quiet = so_far
    made = k = 0
    while k < order.size:
        i = order[k]
        m = margin(dual, held, labels[i], i, known)
        if np.isnan(m):
            return NEEDS_SIGN, k, made, looks, quiet, i
        many = copies[k] if copies.size > 0 else 1.0
        if m > 0.0:
            known = UNKNOWN
            looks += int(np.ceil(many))
            quiet += int(np.ceil(many))
            k += 1
            if quiet >= patience:  # copies of the last row that the clean cycle did not need are not counted
                return CLEAN, k, made, looks - quiet + patience, patience, -1
            continue
        if made == pages.ledger.size:
            return PAGE_FULL, k, made, looks, quiet, -1
        full = memory.row.size > 0 and before + made >= memory.row.size
        slot = memory.draws[made] if full else before + made
        if held.place[i] < 0:
            return NEEDS_COLUMN, k, made, looks, quiet, i
        if full:
            if held.place[memory.row[slot]] < 0:
                return NEEDS_COLUMN, k, made, looks, quiet, memory.row[slot]
            pages.forgotten[made] = forget(dual, held, memory, slot, before + made)
        step = min(many, 1.0)
        learn_from(dual, held, memory, slot, i, step * labels[i], SoFar(before + made, looks, 0))
        pages.ledger[made] = i if step == 1.0 else ~i
        made += 1
        looks += 1
        quiet = 0
        known = UNKNOWN
        if copies.size > 0:
            copies[k] = many - step
        if many <= 1.0:
            k += 1
    return ALL_SEEN, k, made, looks, quiet, -1
