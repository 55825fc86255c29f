"""The perceptron learning algorithm: find a mistake, correct it, until there is none.

Problem   weights w with y_i (w . x_i) > 0 for every row i.
Input     examples, a tie rule, an order, a start, a budget.
Result    `Run`: the weights, the ledger of corrections, the reason for stopping, the counters.
Papers    Rosenblatt 1958; Novikoff 1962: at most R^2 ||u||^2 / g^2 corrections, whichever mistake is chosen,
          if some u has y_i (u . x_i) >= g > 0 for every row.

An order is a function that makes corrections through a `Walk` until there is a reason to stop.
"""

from collections.abc import Callable
from math import ceil

import numpy as np

from rosenblatt.learn.choices import TIES, UNLIMITED, Budget, Order, Reason
from rosenblatt.learn.pla.active import clean_near_the_boundary
from rosenblatt.learn.pla.stalling import IN_CYCLES, Stall, ended
from rosenblatt.learn.run_state import COPIES, FOREVER, Run, Walk, ctrl_c_noted, honest
from rosenblatt.rows import find, kernels
from rosenblatt.rows.compiling import brief_rows, briefly
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Page, Place, Ties, Visits
from rosenblatt.rows.storage import numbers_per_row

FEW = 10_000  # copies of rows; a pass over so few costs less than setting some of them apart
CYCLES_OF_FEW = 64


def active(walk: Walk, rng: np.random.Generator) -> Reason:
    """Rows near the boundary before the next full pass; plain cycles where that does not pay."""
    reason = _cycles(walk, CYCLES_OF_FEW) if walk.examples.n_copies <= FEW else None
    return reason or clean_near_the_boundary(walk) or cyclic(walk, rng)


def cyclic(walk: Walk, rng: np.random.Generator) -> Reason:
    """The next mistake from where the last was found, until a full cycle is clean (Liang, section 3)."""
    return _cycles(walk, FOREVER) or Reason.MAX_PASSES


def _cycles(walk: Walk, most: int) -> Reason | None:
    """Up to `most` passes of corrections in the order of the rows; None if there is no reason to stop after them."""
    examples, at, quiet = walk.examples, 0, 0
    order, each = walk.in_order()
    copies, numbers = each.copy(), numbers_per_row(examples.rows)
    while most > 0:
        if reason := walk.spent():
            walk.seen += _looks(examples, order, each, copies, at)
            return reason
        at_once = min(walk.at_once, brief_rows(kernels.cycle, numbers, order.size) or walk.at_once)
        passes = min(walk.looks_left() / examples.n_copies, at_once / order.size + 1, most)
        if passes < 1 and at == 0:
            return Reason.MAX_PASSES
        page, doubt = walk.room()
        ends = np.empty(max(int(passes), 1), np.int64)
        ended, made, at, quiet = briefly(kernels.cycle, at_once * numbers)(
            examples.rows, examples.labels, Visits(order, each, copies), Place(at, quiet), at_once, examples.n_copies,
            walk.w, walk.ties, doubt, Page(page, ends),
        )  # fmt: skip
        spare = max(quiet - examples.n_copies, 0)  # copies of the last row that the clean cycle did not need
        looked = examples.n_copies if spare and at == 0 else _looks(examples, order, each, copies, at)
        ended -= spare > 0 and at == 0
        walk.ledger.append(page[:made], ends[:ended])
        walk.seen += ended * examples.n_copies
        most -= ended
        if quiet >= examples.n_copies:
            walk.seen += looked - spare
            return Reason.SEPARATED
    return None


def _looks(examples: Examples, order: Array, each: Array, copies: Array, at: int) -> int:
    """How many copies of rows a pass has looked at that came to place `at` with these copies left."""
    if not each.size:
        return at
    return int(examples.copies_before[order[at]] + np.ceil(each[at]) - np.ceil(copies[at]))


def random(walk: Walk, rng: np.random.Generator) -> Reason:
    """Rows drawn with replacement; `patience` draws without an update end it (Nath, section 9.2)."""
    return _draw(walk, rng, walk.budget.patience)


def random_mistake(walk: Walk, rng: np.random.Generator) -> Reason:
    """A uniform draw among the mistakes, by drawing rows until one is a mistake (Liang, section 4).

    The draws are an index stream that does not depend on the data, as sample compression needs.
    """
    return _draw(walk, rng, None)


def _draw(walk: Walk, rng: np.random.Generator, patience: int | None) -> Reason:
    """Correct mistakes met in a stream of uniform draws; look at all rows before giving up.

    After `patience` quiet draws the run ends, with the truth about the rows that are left; without a patience,
    n quiet draws lead to that look, and if a mistake is left the draws go on. Where weights stand for too many copies
    to draw them all, there is a patience.
    """
    examples, quiet = walk.examples, 0
    if walk.has_too_many_copies:
        patience = patience or COPIES * examples.n
    while True:
        rows, copies = walk.drawn(rng)
        at = 0
        while at < rows.size:
            if reason := walk.spent():
                return reason
            end = at + ceil(min(walk.looks_left(), rows.size))
            seen = walk.seen  # which a walk of several classes counts itself
            moved, quiet = walk.correct(rows[at:end], copies[at:end], quiet, patience or examples.n_copies)
            walk.seen = seen + moved
            walk.draws += moved
            at += moved
            if quiet >= (patience or examples.n_copies):
                if walk.looks_left() < examples.n_copies:
                    return Reason.MAX_PASSES
                walk.seen += examples.n_copies
                walk.ledger.end_pass()
                if walk.is_clean():
                    return Reason.SEPARATED
                if patience:
                    return Reason.PATIENCE
                quiet = 0


def worst(walk: Walk, rng: np.random.Generator) -> Reason:
    """Always the row with the least y (w . x), at the price of a full pass each."""
    examples = walk.examples
    while True:
        if reason := walk.spent():
            return reason
        row = np.array([find.worst(examples, walk.w)], walk.index)
        walk.seen += examples.n_copies
        walk.ledger.end_pass()
        if not find.is_mistake(examples, int(row[0]), walk.w, walk.ties):
            row = find.find_first(examples, walk.w, walk.ties, 1)  # under some tie rules, a row of equal margin is
            if not row.size:
                return Reason.SEPARATED
        walk.correct(row, np.minimum(examples.weights[row], 1.0) if examples.weights.size else np.empty(0), 0, FOREVER)


ORDERS: dict[Order, Callable[[Walk, np.random.Generator], Reason]] = {
    Order.ACTIVE: active,
    Order.CYCLIC: cyclic,
    Order.RANDOM: random,
    Order.RANDOM_MISTAKE: random_mistake,
    Order.WORST: worst,
}


def learn(
    examples: Examples,
    start: Array,
    *,
    order: Order = Order.ACTIVE,
    ties: Ties = TIES["mistake"],
    budget: Budget = UNLIMITED,
    rng: np.random.Generator | None = None,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] | None = None,
    stall: Stall | None = None,
) -> Run:
    """Run the algorithm from `start` until it separates the examples or its budget is spent.

    With a `stall`, cycles also end when more of them do not help; of the last weights the best are kept then.

    `watch` is called with the walk every few dozen milliseconds. `interrupted` returns whether to stop now; by default,
    whether Ctrl-C was pressed.
    """
    walk = Walk(examples, ties, start.copy(), budget, watch)
    with ctrl_c_noted() as pressed:
        walk.interrupted = interrupted or pressed
        if stall is not None and order in IN_CYCLES:
            walk.stalled = stall.is_over
        reason = ORDERS[order](walk, rng if rng is not None else np.random.default_rng())
        w, ledger, reason = ended(walk, reason, _cycles)
    return Run(w, ledger.seal(examples), honest(reason, examples, w, ties), ledger.n_passes, walk.seen)


def follow(examples: Examples, w: Array, ties: Ties) -> tuple[Array, Array]:
    """Take examples as the next part of a stream: look at each once, in order, and correct it if it is a mistake.

    Returns the weights after them, and the corrections by position in `examples`; changes nothing. However a stream is
    cut into parts, the weights are the same to the last bit.
    """
    walk = Walk(examples, ties, w.copy(), UNLIMITED)
    (order, copies), at = walk.in_order(), 0
    while at < order.size:
        at += walk.correct(order[at:], copies[at:], 0, FOREVER)[0]
    return walk.w, walk.ledger.entries()
