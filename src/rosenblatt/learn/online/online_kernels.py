"""Compiled code of the stream: look at one row, and move the weights if it is a mistake or has a loss.

A rule under way is a few arrays, which Python holds (`Arrays`). Kernels see them as a `StreamedRule`, with
names for the parts.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.learn.passes.averaged_kernels import step_by_loss
from rosenblatt.rows.compiling import any_order, compiled, direct, inlined
from rosenblatt.rows.kernels import (
    HUGE,
    TINY,
    UNIT,
    Array,
    Csr,
    Dense,
    Doubt,
    Rows,
    Ties,
    add,
    column,
    is_below,
    is_mistake,
    length,
    next_unclear,
    score,
    stored,
    value,
    with_exact_sign,
)
from rosenblatt.rows.storage import LONGEST, SQUARES

# Places in `counts`: rows given, copies of rows looked at, those that the weights had wrong, those that the average had
# wrong, changes of the weights, and the first row on which the comparator fails (-1: none).
ROWS, SEEN, MISTAKES, AVERAGE_MISTAKES, UPDATES, BROKEN = range(6)

# Places in `numbers`: the threshold's constant; whether steps are by loss, the longest one and what softens them; the
# tie rule; the comparator's margin, and the longest row it was shown. Only `rule_of` reads them by these.
BIAS, BY_LOSS, MOST, SOFT, POSITIVE_TIE, NEGATIVE_TIE, EPSILON, RADIUS = range(8)


class Arrays(NamedTuple):
    """What Python holds of a rule under way.

    Where a single row is learned from, it is handed over array by array: to take a tuple apart would cost more than to
    learn from the row, and a record with names in place of the positions above a tenth of it.
    """

    table: Array  # weights; where they are averaged, scratch and sums in two more rows
    star: Array  # the weights of a comparator, or nothing
    counts: Array
    numbers: Array
    limbs: Array  # scratch


class StreamSteps(NamedTuple):
    """What a row asks for: 1 on a mistake; or, by its loss below margin 1, min(most, loss / (||x||^2 + soft))."""

    by_loss: bool
    most: float
    soft: float


class StreamedRule(NamedTuple):
    """A rule under way.

    The average is weights - sums / examples seen. The last entry of weights is the threshold's, and the one before it,
    always zero, stands for features never seen.
    """

    table: Array
    star: Array
    counts: Array
    numbers: Array
    limbs: Array
    ties: Ties
    steps: StreamSteps


UNUSABLE, OVERFLOW = -1, -2  # instead of a count: a row that is not finite or too long; weights would be too large


@inlined
def zero() -> int:
    """0, but not as a literal, for which numba would compile the other kernels once more."""
    return int(np.int64(0))


@any_order
def measured(rows: Rows, i: int, w: Array) -> tuple[float, float]:
    """|w| . |x_i|, which the rounding error of a score is proportional to, and ||x_i||^2, in one loop."""
    sizes, square = abs(rows.bias * w[-1]), rows.bias * rows.bias
    for k in range(stored(rows, i)):
        v = np.float64(value(rows, i, k))
        sizes += abs(v * w[column(rows, i, k)])
        square += v * v
    return sizes, square


@compiled
def is_usable(rows: Rows, i: int, square: float) -> bool:
    """Whether row i is finite and not too long, given its squared length as far as that could be computed."""
    if SQUARES[0] < square < SQUARES[1]:
        return True
    for k in range(stored(rows, i)):
        if not np.isfinite(value(rows, i, k)):
            return False
    return length(rows, i) < LONGEST


@inlined
def doubt_of(rows: Rows, i: int, sizes: float, limbs: Array) -> Doubt:
    """The doubt about the score of row i; `kernels` has the proof."""
    return Doubt((stored(rows, i) + 5) * (UNIT * sizes + TINY) if sizes < HUGE else np.inf, bool(zero()), limbs)


@inlined
def rule_of(table: Array, star: Array, counts: Array, numbers: Array, limbs: Array) -> StreamedRule:
    """The rule that these arrays hold."""
    ties = Ties(numbers[POSITIVE_TIE] != 0.0, numbers[NEGATIVE_TIE] != 0.0)
    return StreamedRule(
        table, star, counts, numbers, limbs, ties, StreamSteps(numbers[BY_LOSS] != 0.0, numbers[MOST], numbers[SOFT])
    )


@inlined
def square_length(rows: Rows, i: int) -> float:
    """||x_i||^2, added up as in `kernels.square_lengths`, where it stands apart: every first run compiles that one."""
    total = 0.0
    for k in range(stored(rows, i)):
        v = np.float64(value(rows, i, k))
        total += v * v
    return total + rows.bias * rows.bias


@inlined
def step_for(rows: Rows, labels: Array, i: int, w: Array, doubt: Doubt, rule: StreamedRule) -> tuple[float, bool]:
    """The step that a look at row i asks for (0: none), and whether w has the row wrong, both decided exactly."""
    wrong = is_mistake(rows, labels, i, w, rule.ties, doubt)
    if rule.steps.by_loss:
        square, steps = square_length(rows, i), rule.steps
        return step_by_loss(rows, labels, i, w, square, steps.most, steps.soft, doubt), wrong
    return 1.0 if wrong else 0.0, wrong


@inlined
def fits(rows: Rows, i: int, w: Array, c: float) -> bool:
    """Whether w + c x_i is far from overflow. Written so that NaN is not."""
    fit = abs(w[-1]) + abs(c * rows.bias) < LONGEST
    for k in range(stored(rows, i)):
        fit &= abs(w[column(rows, i, k)]) + abs(c * value(rows, i, k)) < LONGEST
    return fit  # type: ignore[no-any-return]


@compiled
def all_fit(rows: Rows, i: int, table: Array, c: float, seen: float) -> bool:
    """Whether the weights, and the sums of their average, stay far from overflow when c x_i is added."""
    return fits(rows, i, table[0], c) and (len(table) == 1 or fits(rows, i, table[2], c * seen))


@inlined
def put_average(rows: Rows, i: int, table: Array, seen: int) -> None:
    """Write the averaged weights of row i's features, and of the threshold, to the table's second row."""
    for k in range(stored(rows, i)):
        j = column(rows, i, k)
        table[1, j] = table[0, j] - table[2, j] / max(seen, 1)
    table[1, -1] = table[0, -1] - table[2, -1] / max(seen, 1)


@compiled
def average_is_wrong(rows: Rows, labels: Array, i: int, rule: StreamedRule) -> bool:
    """Whether the averaged weights have row i wrong, decided exactly."""
    put_average(rows, i, rule.table, rule.counts[SEEN])
    average = rule.table[1]
    sizes, _ = measured(rows, i, average)
    return is_mistake(rows, labels, i, average, rule.ties, doubt_of(rows, i, sizes, rule.limbs))


@compiled
def compare(rows: Rows, labels: Array, i: int, rule: StreamedRule) -> None:
    """Note row i's length if no row was longer, and its place if it is the first with y (w* . x) < eps."""
    star, counts, numbers = rule.star, rule.counts, rule.numbers
    numbers[RADIUS] = max(numbers[RADIUS], length(rows, i))
    sizes, _ = measured(rows, i, star)
    m, doubt = labels[i] * score(rows, i, star), doubt_of(rows, i, sizes, rule.limbs)
    if counts[BROKEN] < 0 and is_below(rows, labels, i, star, m, doubt, numbers[EPSILON]):
        counts[BROKEN] = counts[ROWS]


@inlined
def take(rows: Rows, labels: Array, i: int, copies: float, rule: StreamedRule) -> int:
    """Look at the copies of row i, one after the other, and move the weights by the step that each asks for.

    Returns how many of them were mistakes; or, with nothing changed, why the row cannot be learned from.
    """
    table, counts = rule.table, rule.counts
    w, averaged, many = table[0], len(table) > 1, np.ceil(copies)
    sizes, square = measured(rows, i, w)
    if not is_usable(rows, i, square):
        return UNUSABLE
    mistakes, untouched = 0, True
    while copies > 0.0:
        step, wrong = step_for(rows, labels, i, w, doubt_of(rows, i, sizes, rule.limbs), rule)
        if untouched:  # of copies of one row, no step is longer than the first
            if step != 0.0 and not all_fit(rows, i, table, step * many, counts[SEEN] + many):
                return OVERFLOW
            if rule.star.size > 0:
                compare(rows, labels, i, rule)
            untouched = False
        part = min(copies, 1.0)
        if step == 0.0 and not averaged:  # nor will the other copies change anything
            part = copies
        looks = int(np.ceil(part))
        mistakes += wrong * looks
        if averaged:
            counts[AVERAGE_MISTAKES] += average_is_wrong(rows, labels, i, rule)
        if step != 0.0:
            change = part * step * labels[i]
            add(rows, i, w, change)
            if averaged:
                add(rows, i, table[2], counts[SEEN] * change)
            counts[UPDATES] += 1
            sizes, _ = measured(rows, i, w)
        counts[SEEN] += looks
        copies -= part
    counts[ROWS] += 1
    counts[MISTAKES] += mistakes
    return int(mistakes)


@inlined
def heard(rows: Rows, table: Array, counts: Array, limbs: Array) -> float:
    """The score of a single row, averaged weights where there are some, with its exact sign; NaN if it is unusable."""
    w, i = table[0], zero()
    if len(table) > 1:
        put_average(rows, i, table, counts[SEEN])
        w = table[1]
    sizes, square = measured(rows, i, w)
    if not is_usable(rows, i, square):
        return np.nan
    return with_exact_sign(rows, i, w, score(rows, i, w), doubt_of(rows, i, sizes, limbs))


# ---------------------------------------------------------------------------------------------------------
# What Python calls. Arguments are arrays and numbers only: to take a tuple apart costs more than to learn from a row.
# ---------------------------------------------------------------------------------------------------------


@inlined
def one_dense(x: Array, numbers: Array) -> Dense:
    """A vector as a table of one row."""
    return Dense(x.reshape(1, x.size), numbers[BIAS], 0.0, x.size + 1, bool(zero()))


@inlined
def one_sparse(values: Array, columns: Array, starts: Array, numbers: Array) -> Csr:
    """Entries and their columns as a table of one row."""
    return Csr(values, columns, starts, numbers[BIAS], 0.0, values.size, bool(zero()), values.size)


@direct
def learn_dense(
    x: Array, labels: Array, copies: float, table: Array, star: Array, counts: Array, numbers: Array, limbs: Array
) -> int:
    """Learn from one row: an entry per feature."""
    rule = rule_of(table, star, counts, numbers, limbs)
    return take(one_dense(x, numbers), labels, zero(), copies, rule)


@direct
def learn_sparse(
    values: Array, columns: Array, starts: Array, labels: Array, copies: float,
    table: Array, star: Array, counts: Array, numbers: Array, limbs: Array,
) -> int:  # fmt: skip
    """Learn from one row: some entries and their columns."""
    rows = one_sparse(values, columns, starts, numbers)
    return take(rows, labels, zero(), copies, rule_of(table, star, counts, numbers, limbs))


@direct
def score_dense(x: Array, table: Array, counts: Array, numbers: Array, limbs: Array) -> float:
    """The score of one row: an entry per feature."""
    return heard(one_dense(x, numbers), table, counts, limbs)


@direct
def score_sparse(
    values: Array, columns: Array, starts: Array, table: Array, counts: Array, numbers: Array, limbs: Array
) -> float:
    """The score of one row: some entries and their columns."""
    return heard(one_sparse(values, columns, starts, numbers), table, counts, limbs)


@compiled
def learn_rows(
    rows: Rows,
    labels: Array,
    copies: Array,
    first: int,
    last: int,
    most: int,
    width: float,
    times: Array,
    arrays: Arrays,
) -> int:
    """Learn from rows first .. last-1 in order, until the weights were changed `most` times.

    `copies` says how many there are of each (empty: one); `width` bounds the doubt about all scores meanwhile. Writes
    in `times` how many mistakes each row was. Returns the row it came to, or ~i if row i cannot be learned from.
    """
    rule = rule_of(arrays.table, arrays.star, arrays.counts, arrays.numbers, arrays.limbs)
    table, counts = rule.table, rule.counts
    skips = copies.size == 0 and rule.star.size == 0 and len(table) == 1
    clear, end, i = width + (1.0 if rule.steps.by_loss else 0.0), counts[UPDATES] + most, first
    while i < last and counts[UPDATES] < end:
        if skips:  # what is clearly right only counts
            after = next_unclear(rows, labels, i, last, table[0], clear)
            counts[ROWS] += after - i
            counts[SEEN] += after - i
            i = after
            if i == last:
                break
        many = copies[i] if copies.size > 0 else 1.0
        mistakes = take(rows, labels, i, many, rule)
        if mistakes < 0:
            return ~i
        times[i] = mistakes
        i += 1
    return i
