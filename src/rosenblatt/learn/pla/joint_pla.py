"""The perceptron of several classes: find a row that a rival scores as high on, and correct both scores.

Problem   weights W, a row for each class, with W_y . x > W_r . x for every row x, its class y and all rivals r.
Input     examples, a tie rule, an order, a start, a budget.
Result    `Run`, as of two classes; or `PassesRun`, with the mean of all W on the way.
Papers    Nilsson 1965 and Duda and Hart 1973 (Kesler's construction); Crammer and Singer, JMLR 3, 2003. At most
          2 R^2 ||U||^2 / g^2 corrections, if some U has (U_y - U_r) . x >= g > 0 for all of them.

A mistake is corrected against its strongest rival, W_y += x and W_r -= x, which is a correction of a mistake among the
signed rows of `kesler`, so every theorem about those holds. To go over all pairs of rows and rivals would be so, too,
but then a row of weight 2 would not be the row twice, nor a stream the same however it is cut: a row is looked at as a
whole here, is wrong once, and counts once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.learn.choices import TIES, UNLIMITED, Budget, Order, Reason
from rosenblatt.learn.passes.averaged import NO_SUMS, PassesRun, Tally, run_passes
from rosenblatt.learn.pla import joint_kernels
from rosenblatt.learn.pla.joint_run_state import JointWalk, honest, wrong_rows
from rosenblatt.learn.pla.pla import CYCLES_OF_FEW, FEW, random, random_mistake
from rosenblatt.learn.pla.stalling import IN_CYCLES, Stall, ended
from rosenblatt.learn.run_state import FOREVER, Run, Walk
from rosenblatt.rows import find, kernels
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.scan import LabelledRows

SMALL_PART = 4  # the rows that were ever wrong are gone over by themselves while they are at most a quarter
LOOKS_BETWEEN_PASSES = 16  # at those rows, in passes
ACTIVE_SHARE = 0.5  # of every budget; the rest is for passes


# -- orders ----------------------------------------------------------------------------------------------------


def cyclic(walk: JointWalk, rng: np.random.Generator) -> Reason:
    """The next mistake from where the last was found, until a full cycle is clean."""
    return _cycles(walk, FOREVER) or Reason.MAX_PASSES


def _cycles(walk: JointWalk, most: int) -> Reason | None:
    """Up to `most` passes in the order of the rows; None if there is no reason to stop after them."""
    (order, each), n, quiet = walk.in_order(), walk.examples.n_copies, 0
    for _ in range(min(most, 2**62)):
        if walk.looks_left() < n:
            return Reason.MAX_PASSES
        copies, at = each.copy(), 0
        while at < order.size:
            if reason := walk.spent():
                return reason
            part = slice(at, at + walk.at_once)
            moved, quiet = walk.sweep(order[part], copies[part], quiet, n)
            at += moved
            if at == order.size:
                walk.ledger.end_pass()
            if quiet >= n:
                return Reason.SEPARATED
    return None


def active(walk: JointWalk, rng: np.random.Generator) -> Reason:
    """After every pass, the rows that were ever wrong until they are clean; plain cycles where that does not pay."""
    n = walk.examples.n
    reason = _cycles(walk, CYCLES_OF_FEW if walk.examples.n_copies <= FEW else 1)
    while not reason and not walk.spent(ACTIVE_SHARE) and not walk.has_too_many_copies:
        ever = np.unique(walk.ledger.rows)
        if SMALL_PART * ever.size > n:
            break
        _clean(walk, ever.astype(walk.index))
        reason = _cycles(walk, 1)
    return reason or cyclic(walk, rng)


def _clean(walk: JointWalk, rows: Array) -> None:
    """Go over some rows until they are clean, or for long enough."""
    weights = walk.examples.weights
    each = weights[rows] if weights.size else weights
    n = int(np.ceil(each).sum()) if each.size else rows.size
    quiet, most = 0, walk.seen + min(LOOKS_BETWEEN_PASSES * walk.examples.n_copies, walk.looks_left(ACTIVE_SHARE))
    while quiet < n and walk.seen < most:
        copies, at = each.copy(), 0
        while at < rows.size and quiet < n:
            if walk.spent(ACTIVE_SHARE):
                return
            part = slice(at, at + walk.at_once)
            moved, quiet = walk.sweep(rows[part], copies[part], quiet, n)
            at += moved


def worst(walk: JointWalk, rng: np.random.Generator) -> Reason:
    """Always the row that leads its strongest rival by the least, at the price of a full pass each."""
    examples = walk.examples
    while True:
        if reason := walk.spent():
            return reason
        if walk.looks_left() < examples.n_copies:
            return Reason.MAX_PASSES
        walk.seen += examples.n_copies
        walk.ledger.end_pass()
        row = np.array([_worst(walk)], walk.index)
        before, seen = len(walk.ledger), walk.seen
        walk.sweep(row, np.minimum(examples.weights[row], 1.0) if examples.weights.size else np.empty(0))
        walk.seen = seen  # the pass has looked at it
        if len(walk.ledger) == before:  # under some tie rules, a row that leads by as much may be wrong
            if walk.is_clean():
                return Reason.SEPARATED
            order, copies = walk.in_order()
            walk.sweep(order, copies, most=1)


@dataclass(frozen=True, eq=False)
class WorstOfClasses:
    """Which row leads its strongest rival by the least, exactly, and the rival; -1 if no row counts."""

    weights: find.Fixed

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> tuple[int, int]:
        """The one of rows first .. last-1, the first of equals."""
        W, doubt = self.weights.w, self.weights.doubt(table)
        return joint_kernels.worst(table.rows, table.labels, table.weights, first, last, W, doubt, np.empty(len(W)))


def _worst(walk: JointWalk) -> int:
    """The row that leads by the least, exactly; the first of equals."""
    examples, rows, own, W = walk.examples, walk.examples.rows, walk.examples.labels, walk.W
    best, against, limbs = -1, -1, kernels.doubt_about(rows, find.norm(W)).limbs
    for row, rival in examples.scan.look(examples, WorstOfClasses(find.Fixed.of(W)), find.NO_PLACES, times=len(W)):
        if row >= 0 and (
            best < 0 or joint_kernels.is_lower(rows, row, own[row], rival, best, own[best], against, W, limbs)
        ):
            best, against = row, rival
    return best


ORDERS: dict[Order, Callable[[JointWalk, np.random.Generator], Reason]] = {
    Order.ACTIVE: active,
    Order.CYCLIC: cyclic,
    Order.RANDOM: random,
    Order.RANDOM_MISTAKE: random_mistake,
    Order.WORST: worst,
}


# -- runs ------------------------------------------------------------------------------------------------------


def learn(
    examples: JointExamples,
    start: Array,
    *,
    order: Order = Order.ACTIVE,
    ties: Ties = TIES["mistake"],
    budget: Budget = UNLIMITED,
    rng: np.random.Generator | None = None,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
    stall: Stall | None = None,
) -> Run:
    """Run the algorithm from `start` until it separates the examples or its budget is spent.

    With a `stall`, cycles also end when more of them do not help; of the last weights the best are kept then.
    """
    walk = JointWalk(examples, ties, Tally(start, NO_SUMS, 0), budget, watch)
    walk.interrupted = interrupted
    if stall is not None and order in IN_CYCLES:
        walk.stalled = stall.is_over
    reason = ORDERS[order](walk, rng if rng is not None else np.random.default_rng())
    w, ledger, reason = ended(walk, reason, _cycles)
    W = w.reshape(walk.W.shape)
    return Run(W, ledger.seal(examples), honest(reason, examples, W), ledger.n_passes, walk.seen)


def learn_in_passes(
    examples: JointExamples,
    start: Array,
    *,
    ties: Ties,
    budget: Budget = UNLIMITED,
    rng: np.random.Generator | None = None,
    spread: bool = False,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> PassesRun:
    """Passes until one moves nothing and the mean of all W is right on every row, or the budget is spent."""
    walk = JointWalk(examples, ties, Tally(start, np.zeros_like(start), 0), budget, watch)
    walk.interrupted = interrupted

    def is_right() -> bool:
        return not wrong_rows(examples, walk.tally.average).size

    reason = run_passes(walk, lambda order, copies: walk.sweep(order, copies)[0], rng, spread, is_right)
    ledger = walk.ledger.seal(examples)
    return PassesRun(
        walk.tally.average, ledger, reason, ledger.n_passes, walk.seen, tally=walk.tally, when=walk.when.read()
    )


def follow(examples: JointExamples, W: Array, ties: Ties) -> tuple[Array, Array]:
    """Take examples as the next part of a stream: the weights after them, and the corrections."""
    tally, entries = follow_tally(examples, Tally(W, NO_SUMS, 0), ties)
    return tally.last, entries


def follow_tally(examples: JointExamples, tally: Tally, ties: Ties) -> tuple[Tally, Array]:
    """Take examples as the next part of a stream: look at each once, in order; changes nothing.

    Returns the tally after them, and the corrections by position in `examples`. However a stream is cut into parts, the
    tally is the same to the last bit.
    """
    walk = JointWalk(examples, ties, tally)
    (order, copies), at = walk.in_order(), 0
    while at < order.size:
        at += walk.sweep(order[at:], copies[at:])[0]
    return walk.tally, walk.ledger.entries()


def start_of(start: Any, examples: JointExamples, rng: np.random.Generator, given: Callable[..., Array]) -> Array:
    """The first weights of every class; `given` makes those of one. "first" is a correction of the first row."""
    many = len(examples.classes)
    if isinstance(start, str) and start == "first":
        W = np.zeros((many, examples.width))
        row, own = examples.first_row, int(examples.labels[examples.first_row])
        kernels.add(examples.rows, row, W[own], 1.0)
        kernels.add(examples.rows, row, W[int(own == 0)], -1.0)
        return W
    each = [start] * many
    if not isinstance(start, str) and options.floats("start", start).ndim == 2:
        if len(start) != many:
            raise OptionError(f"start has weights for {len(start)} classes, but there are {many}")
        each = list(start)
    return np.stack([given(one, examples.plain, rng) for one in each])
