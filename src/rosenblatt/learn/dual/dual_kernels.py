"""Compiled code of the kernel perceptron: products of rows, and rules that are sums over rows."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import TINY, UNIT, Array, Csr, Dense, Rows, column, exact_score, stored, value

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
    error: Any  # a record, of type ERROR


ERROR = np.dtype(  # no score is off by more; none is larger; whether all were added up without rounding
    (np.record, [("most", np.float64), ("largest", np.float64), ("none", np.bool_)])
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


@inlined
def move(dual: Dual, held: Held, j: int, step: float) -> None:
    """Add `step` times row j to the rule; its column is held."""
    slot = held.place[j]
    column_of_j, scores = held.columns.values[slot], dual.scores
    for i in range(scores.size):
        scores[i] += step * column_of_j[i]
    exact = abs(step) == 1.0 and dual.amounts[j] == np.floor(dual.amounts[j])
    dual.amounts[j] += step
    dual.error.largest += held.largest[slot] * abs(step)
    dual.error.none = dual.error.none and exact and held.whole[slot] and dual.error.largest < WHOLE
    if not dual.error.none:
        dual.error.most += UNIT * dual.error.largest
    if not exact:
        dual.error.most += UNIT * (1.0 + abs(dual.amounts[j])) * held.largest[slot] + TINY


class SoFar(NamedTuple):
    """The corrections and the looks made before, and how many copies in a row were right."""

    made: int
    looks: int
    quiet: int


class Pages(NamedTuple):
    """What is written: the ledger, and what was forgotten for each correction, as in the ledger."""

    ledger: Array
    forgotten: Array


@compiled
def correct(  # one long function: each part of it would be compiled by itself, and everyone waits for that once
    order: Array,
    copies: Array,
    labels: Array,
    known: int,
    dual: Dual,
    held: Held,
    memory: Memory,
    so_far: SoFar,
    patience: int,
    pages: Pages,
) -> tuple[int, int, int, int, int, int]:
    """PLA over the rows in `order`, by their scores alone; as `kernels.correct`, for rules that are sums over rows.

    `known` is the exact sign of the first row's score, or 2.
    Returns why it stopped, how far it came in `order`, the corrections, the looks, how many copies in a row were right,
    and the column needed.
    """
    before, looks, quiet = so_far
    made = k = 0
    while k < order.size:
        i = order[k]
        m = labels[i] * dual.scores[i]
        if dual.error.most > 0.0 and not abs(m) > dual.error.most:
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
        if made == pages.ledger.size:
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
            pages.forgotten[made] = j if abs(memory.step[slot]) == 1.0 else ~j
        move(dual, held, i, step * labels[i])
        held.used[held.place[i]] = before + made
        if dual.delays.size > 0:
            dual.delays[i] += step * labels[i] * looks
        if memory.row.size > 0:
            memory.row[slot] = i
            memory.step[slot] = step * labels[i]
        pages.ledger[made] = i if step == 1.0 else ~i
        made += 1
        looks += 1
        quiet = 0
        known = 2
        if copies.size > 0:
            copies[k] = many - step
        if many <= 1.0:
            k += 1
    return ALL_SEEN, k, made, looks, quiet, -1
