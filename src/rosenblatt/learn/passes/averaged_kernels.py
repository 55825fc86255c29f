"""Compiled code of the algorithms that look at every row once in a pass.

A small tuple, the stride, says what a look does: `OnMistakes`, `WithinMargin` or `ByLoss`. Two functions depend on its
kind: `clear_above` and `wanted`. The pass, `sweep`, is written once on those two.

Constraints on the signs of weights are a part of every stride: after a step, weights of the wrong sign become 0, which
leads to the nearest weights that keep the constraints. Let u be any weights that keep them. No number of u has the
sign of one that became 0, so on that way ||w|| and ||w - u|| do not grow and u . w does not fall. Proofs that follow
these through the steps therefore hold as they are, for every u in the cone of weights that keep the constraints:

- the perceptron: T steps lead to T g <= u . w_T <= ||w_T|| <= sqrt(T) R, where ||u|| = 1 and u has the margin g
  (Novikoff 1962), so T <= (R / g)^2, g being the largest margin in the cone;
- with a margin beta: ||w_T||^2 <= T (R^2 + 2 beta), so T <= (R^2 + 2 beta) / g^2;
- passive-aggressive: what a step gains on ||w - u||^2 is not lost (Crammer et al. 2006, lemma 1).
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.rows.compiling import compiled, inlined, when_compiling
from rosenblatt.rows.kernels import (
    Array,
    Dense,
    Doubt,
    Rows,
    Ties,
    accumulate,
    accumulate_score,
    add,
    column,
    is_below,
    is_wrong,
    next_unclear,
    score,
    stored,
    truncated,
    value,
    with_exact_sign,
)

# ---------------------------------------------------------------------------------------------------------
# Strides: which rows move the weights, and by how much
# ---------------------------------------------------------------------------------------------------------


FREE = np.empty(0)  # the signs of weights without constraints


class OnMistakes(NamedTuple):
    """A whole step on every mistake: the perceptron."""

    ties: Ties
    signs: Array = FREE  # that each weight must have: 1.0, -1.0, or 0.0 for any


class WithinMargin(NamedTuple):
    """A whole step where y (w . x) <= beta: the perceptron with margin."""

    beta: float
    signs: Array = FREE


class ByLoss(NamedTuple):
    """A step of min(most, loss / (||x||^2 + soft)), where loss = 1 - y (w . x) > 0: passive-aggressive."""

    most: float
    soft: float
    squares: Array  # ||x_i||^2 of every row, the constant feature included
    signs: Array = FREE


Stride = OnMistakes | WithinMargin | ByLoss


@inlined
def score_in_order(rows: Rows, i: int, w: Array) -> float:
    """w . x_i added up in the order of the features, the threshold's part last: the same bits for every storage."""
    total = 0.0
    for k in range(stored(rows, i)):
        total += np.float64(value(rows, i, k)) * w[column(rows, i, k)]
    return total + rows.bias * w[-1]  # type: ignore[no-any-return]


@compiled
def is_exactly_at_most(rows: Rows, labels: Array, i: int, w: Array, doubt: Doubt, bound: float) -> bool:
    """Whether row i's margin, without rounding, is `bound` or less."""
    doubt.limbs[:] = 0
    if not accumulate_score(doubt.limbs, labels[i], rows, i, w):
        return bound >= 0.0
    accumulate(doubt.limbs, -1, bound, 1.0)
    return truncated(doubt.limbs) <= 0.0


@inlined
def step_on_mistake(stride: OnMistakes, rows: Rows, labels: Array, i: int, w: Array, s: float, doubt: Doubt) -> float:
    """1 where w gets row i wrong, decided exactly."""
    m = labels[i] * with_exact_sign(rows, i, w, s, doubt)
    return 1.0 if is_wrong(m, labels[i], stride.ties) else 0.0


@inlined
def step_within_margin(
    stride: WithinMargin, rows: Rows, labels: Array, i: int, w: Array, s: float, doubt: Doubt
) -> float:
    """1 where row i's margin is beta or less, decided exactly."""
    m = labels[i] * s
    if abs(m - stride.beta) > doubt.width or doubt.none:
        return 1.0 if m <= stride.beta else 0.0
    return 1.0 if is_exactly_at_most(rows, labels, i, w, doubt, stride.beta) else 0.0


@inlined
def step_by_loss(
    rows: Rows, labels: Array, i: int, w: Array, square: float, most: float, soft: float, doubt: Doubt
) -> float:
    """min(most, loss / (square + soft)), the closed form of Crammer et al., figure 1; `square` is ||x_i||^2.

    A row of zeros has no step. Whether there is a loss is decided exactly. How much there is follows from a sum in a
    fixed order, so that the step is a function of the numbers alone.
    """
    m = labels[i] * score_in_order(rows, i, w)
    if square == 0.0 or not is_below(rows, labels, i, w, m, doubt, 1.0):
        return 0.0
    return min(most, max(1.0 - m, 0.0) / (square + soft))  # type: ignore[no-any-return]


def clear_above(stride: Stride) -> float:
    """The margin above which a row moves nothing."""
    if isinstance(stride, OnMistakes):
        return 0.0
    return stride.beta if isinstance(stride, WithinMargin) else 1.0


def wanted(stride: Stride, rows: Rows, labels: Array, i: int, w: Array, s: float, doubt: Doubt) -> float:
    """The step that a look at row i asks for, s being its computed score; 0: none."""
    if isinstance(stride, OnMistakes):
        return step_on_mistake(stride, rows, labels, i, w, s, doubt)
    if isinstance(stride, WithinMargin):
        return step_within_margin(stride, rows, labels, i, w, s, doubt)
    return step_by_loss(rows, labels, i, w, stride.squares[i], stride.most, stride.soft, doubt)


@when_compiling
def _teach_numba() -> None:
    """Tell numba what `clear_above`, `wanted` and `move` are of each kind of stride."""
    from numba.extending import overload

    @overload(clear_above, inline="always", strict=False)
    def _clear_above(stride: Any) -> Any:
        if stride.instance_class is OnMistakes:
            return lambda stride: 0.0
        return (lambda stride: stride.beta) if stride.instance_class is WithinMargin else (lambda stride: 1.0)

    @overload(wanted, inline="always", strict=False)
    def _wanted(stride: Any, rows: Any, labels: Any, i: Any, w: Any, s: Any, doubt: Any) -> Any:
        if stride.instance_class is OnMistakes:
            return lambda stride, rows, labels, i, w, s, doubt: step_on_mistake(stride, rows, labels, i, w, s, doubt)
        if stride.instance_class is WithinMargin:
            return lambda stride, rows, labels, i, w, s, doubt: step_within_margin(stride, rows, labels, i, w, s, doubt)
        return lambda stride, rows, labels, i, w, s, doubt: step_by_loss(
            rows, labels, i, w, stride.squares[i], stride.most, stride.soft, doubt
        )


# ---------------------------------------------------------------------------------------------------------
# A pass
# ---------------------------------------------------------------------------------------------------------

CALM = 8  # clear looks in a row; then it is worth to look for the next unclear row in a loop of its own
AHEAD = 4  # rows; one prefetched this early has come from memory when it is looked at
LINE = 8  # numbers in a line of the cache


def ask_for(rows: Rows, i: int) -> None:
    """Ask the memory for row i, which will be looked at soon: in a shuffled order nothing else foresees it."""


@when_compiling
def _teach_prefetching() -> None:
    """Tell numba how to ask the memory for a row of either kind."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    @intrinsic
    def prefetch(_context: Any, array: Any, at: Any) -> Any:
        """Ask the memory for array.flat[at]."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            pointer, number = cgutils.voidptr_t, cgutils.int32_t
            kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
            call = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
            place = builder.bitcast(builder.gep(data, [args[1]]), pointer)
            builder.call(call, [place, number(0), number(3), number(1)])  # to read, keep, data
            return context.get_dummy_value()

        return types.void(array, at), generate

    @overload(ask_for, inline="always", strict=False)
    def _ask_for(rows: Any, i: Any) -> Any:
        def dense(rows: Any, i: Any) -> None:
            size = rows.values.shape[1]
            for k in range(0, size, LINE):
                prefetch(rows.values, np.int64(i) * size + k)  # type: ignore[call-arg]

        def csr(rows: Any, i: Any) -> None:
            first, last = np.int64(rows.starts[np.uintp(i)]), np.int64(rows.starts[np.uintp(i + 1)])
            for k in range(first, last, LINE):
                prefetch(rows.values, k)  # type: ignore[call-arg]
                prefetch(rows.columns, k)

        return dense if rows.instance_class is Dense else csr


class Log(NamedTuple):
    """What a pass writes: the ledger, and how many looks there had been before each update."""

    ledger: Array
    when: Array


@inlined
def is_stretch(order: Array) -> bool:
    """Whether these are consecutive rows."""
    jumps = 0
    for k in range(1, order.size):
        jumps += order[k] - order[k - 1] != 1
    return jumps == 0


@inlined
def move(rows: Rows, i: int, signs: Array, w: Array, c: float, sums: Array, looks: int) -> None:
    """w += c x_i, and sums += looks * (what is added), unless `sums` is empty; numbers of another sign become 0."""
    if signs.size > 0:
        move_in_cone(rows, i, signs, w, c, sums, looks)
        return
    add(rows, i, w, c)
    if sums.size > 0:
        add(rows, i, sums, looks * c)


@inlined
def move_in_cone(rows: Rows, i: int, signs: Array, w: Array, c: float, sums: Array, looks: int) -> None:
    """The same, where there are constraints."""
    for k in range(stored(rows, i)):
        j = column(rows, i, k)
        before, after = w[j], w[j] + c * value(rows, i, k)
        if signs[j] * after < 0.0:
            after = 0.0
        w[j] = after
        if sums.size > 0:
            sums[j] += looks * (after - before)
    w[-1] += c * rows.bias
    if sums.size > 0:
        sums[-1] += looks * (c * rows.bias)


@compiled
def sweep(
    rows: Rows,
    labels: Array,
    order: Array,
    copies: Array,
    stride: Stride,
    w: Array,
    sums: Array,
    looks: int,
    doubt: Doubt,
    log: Log,
) -> tuple[int, int, int]:
    """Look at the rows in `order` once each, and move the weights by the step that each look asks for.

    `copies` goes with `order` and is used up (empty: one each). `looks` is how many copies were looked at before; at an
    update, sums += looks * (what is added to w), unless `sums` is empty. Stops when the ledger is full.
    Returns how far it came in `order`, how many updates it wrote, and `looks`.
    """
    made = k = clear_looks = 0
    clear = clear_above(stride) + doubt.width
    in_order = copies.size == 0 and is_stretch(order)
    while k < order.size:
        if in_order and clear_looks >= CALM:
            after = next_unclear(rows, labels, order[k], order[0] + order.size, w, clear) - order[0]
            looks += after - k
            k, clear_looks = after, 0
            if k == order.size:
                break
        i = order[k]
        if k + AHEAD < order.size and order[k + AHEAD] != i + AHEAD:
            ask_for(rows, order[k + AHEAD])
        many = copies[k] if copies.size > 0 else 1.0
        s = score(rows, i, w)
        clear_looks = clear_looks + 1 if labels[i] * s > clear else 0
        while many > 0.0 and not labels[i] * s > clear:
            part = min(many, 1.0)
            step = part * wanted(stride, rows, labels, i, w, s, doubt)
            if step == 0.0:
                break
            if made == log.ledger.size:
                if copies.size > 0:
                    copies[k] = many
                return k, made, looks
            move(rows, i, stride.signs, w, step * labels[i], sums, looks)
            log.ledger[made], log.when[made] = i if part == 1.0 else ~i, looks
            made += 1
            looks += 1
            many -= part
            if many > 0.0:
                s = score(rows, i, w)
        looks += int(np.ceil(many))
        k += 1
    return k, made, looks


@compiled
def replay_strides(
    rows: Rows, labels: Array, weights: Array, stride: Stride, w: Array, sums: Array, doubt: Doubt, ledger: Array
) -> None:
    """Make the updates that a ledger holds, in order, each with the step that its row asks for; `sums` is empty."""
    for entry in ledger:
        i = entry if entry >= 0 else ~entry
        part = 1.0 if entry >= 0 else weights[i] - np.floor(weights[i])
        step = part * wanted(stride, rows, labels, i, w, score(rows, i, w), doubt)
        move(rows, i, stride.signs, w, step * labels[i], sums, 0)
