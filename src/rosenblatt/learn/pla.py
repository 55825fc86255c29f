"""The perceptron learning algorithm: find a mistake, correct it, until there is none.

Problem   weights w with y_i (w . x_i) > 0 for every row i.
Input     examples, a tie rule, an order, a start, a budget.
Result    `Run`: the weights, the ledger of corrections, the reason for stopping, the counters.
Papers    Rosenblatt 1958; Novikoff 1962: at most R^2 ||u||^2 / g^2 corrections, whichever mistake is chosen,
          if some u has y_i (u . x_i) >= g > 0 for every row.

An order is a function that makes corrections through a `Walk` until the walk has a reason to stop.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from types import FrameType
from typing import Any

import numpy as np

from rosenblatt import kernels, search
from rosenblatt.errors import DataError
from rosenblatt.examples import Examples, numbers_per_row
from rosenblatt.kernels import Array, Doubt, Ties
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.rules import TIES, UNLIMITED, Budget, Order, Reason

AT_ONCE = 8192  # corrections in one call of a kernel
PATIENT = np.iinfo(np.int64).max
NUMBERS_AT_ONCE = 8_000_000  # numbers read in one call of a kernel: some 20 ms, so that Ctrl-C and clocks are heard


@dataclass(frozen=True)
class Run:
    """What came of it."""

    weights: Array  # features first, the threshold's last
    ledger: Ledger
    reason: Reason
    passes: int  # full passes over the data
    examples_seen: int  # looks at a row, at the active set too; a row of weight k counts k times

    @property
    def updates(self) -> int:
        """Corrections made; each was of a mistake."""
        return len(self.ledger)


class Walk:
    """A run under way."""

    def __init__(
        self, examples: Examples, ties: Ties, w: Array, budget: Budget, watch: Callable[["Walk"], None] | None = None
    ) -> None:
        self.examples = examples
        self.ties = ties
        self.w = w
        self.budget = budget
        self.index = search.index_type(examples.n)
        self.ledger = Ledger(w, examples.n, self.index)
        self.seen = 0
        self.watch = watch
        self.interrupted = False
        self.started = time.monotonic()
        self.at_once = max(int(NUMBERS_AT_ONCE / numbers_per_row(examples.rows)), 1)
        self.whole_steps = examples.rows.whole and search.is_whole(examples.weights)

    def spent(self, share: float = 1.0) -> Reason | None:
        """Why to stop now, if there is a reason: an interruption, or this share of a budget is spent."""
        budget = self.budget
        if self.watch is not None:
            self.watch(self)
        if self.interrupted:
            return Reason.INTERRUPTED
        if budget.max_updates is not None and len(self.ledger) >= share * budget.max_updates:
            return Reason.MAX_UPDATES
        if self.looks_left(share) <= 0:
            return Reason.MAX_PASSES
        if budget.max_seconds is not None and time.monotonic() - self.started >= share * budget.max_seconds:
            return Reason.MAX_SECONDS
        return None

    def looks_left(self, share: float = 1.0) -> float:
        """How many more rows may be looked at."""
        passes = self.budget.max_passes
        return np.inf if passes is None else share * passes * self.examples.n_copies - self.seen

    def room(self, share: float = 1.0) -> tuple[Array, Doubt]:
        """A ledger page for the next kernel, within this share of the budget, and the doubt until it is full."""
        radius, size = self.examples.radius, search.norm(self.w)
        many: float = AT_ONCE
        if self.budget.max_updates is not None:
            many = min(many, ceil(share * self.budget.max_updates) - len(self.ledger))
        if radius > 0:
            many = min(many, (kernels.HUGE - size) / radius)
        if many < 1:
            raise DataError("the weights would overflow: the values are too large; divide the columns by a constant")
        page = np.empty(int(many), self.index)
        whole = self.whole_steps and search.is_whole(self.w)
        return page, kernels.doubt_about(self.examples.rows, size + page.size * radius, whole)

    def correct(self, order: Array, copies: Array, quiet: int, patience: int) -> tuple[int, int]:
        """PLA over rows in `order`; returns how far it came and how many rows in a row were right."""
        page, doubt = self.room()
        at, made, quiet = kernels.correct(
            self.examples.rows, self.examples.labels, order, copies, self.w, self.ties, doubt, quiet, patience, page
        )
        self.ledger.append(page[:made])
        return at, quiet


def cyclic(walk: Walk, rng: np.random.Generator) -> Reason:
    """The next mistake from where the last was found, until a full cycle is clean (Liang, section 3)."""
    examples, at, quiet = walk.examples, 0, 0
    order, each = _in_order(walk)
    copies = each.copy()
    while True:
        if reason := walk.spent():
            return reason
        passes = min(walk.looks_left() / examples.n_copies, walk.at_once / order.size + 1)
        if passes < 1 and at == 0:
            return Reason.MAX_PASSES
        page, doubt = walk.room()
        ends = np.empty(max(int(passes), 1), np.int64)
        ended, at, made, quiet = kernels.cycle(
            examples.rows, examples.labels, order, each, copies, at, walk.at_once,
            walk.w, walk.ties, doubt, quiet, examples.n_copies, ends, page,
        )  # fmt: skip
        walk.ledger.append(page[:made], ends[:ended])
        walk.seen += ended * examples.n_copies
        if quiet >= examples.n_copies:
            return Reason.SEPARATED


def _in_order(walk: Walk) -> tuple[Array, Array]:
    """The rows that count, in order, and how many copies of each there are (empty: one each)."""
    weights = walk.examples.weights
    order = np.flatnonzero(weights) if weights.size else np.arange(walk.examples.n)
    return order.astype(walk.index), weights[order] if weights.size else weights


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
    n quiet draws lead to that look, and if a mistake is left the draws go on.
    """
    examples, quiet = walk.examples, 0
    while True:
        drawn = rng.integers(examples.n_copies, size=AT_ONCE)
        rows, copies = drawn.astype(walk.index), np.empty(0)
        if examples.weights.size:
            rows = (np.searchsorted(examples.copies_before, drawn, side="right") - 1).astype(walk.index)
            copies = np.minimum(examples.weights[rows] - (drawn - examples.copies_before[rows]), 1.0)
        at = 0
        while at < drawn.size:
            if reason := walk.spent():
                return reason
            moved, quiet = walk.correct(rows[at:], copies[at:], quiet, patience or examples.n_copies)
            walk.seen += moved
            at += moved
            if quiet >= (patience or examples.n_copies):
                walk.seen += examples.n_copies
                walk.ledger.end_pass()
                if not search.find_first(examples, walk.w, walk.ties, 1).size:
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
        row = np.array([search.worst(examples, walk.w)], walk.index)
        copies = np.minimum(examples.weights[row], 1.0) if examples.weights.size else np.empty(0)
        walk.seen += examples.n_copies
        walk.ledger.end_pass()
        _, quiet = walk.correct(row, copies, 0, 2)
        if quiet:  # the least margin is no mistake; under some tie rules another row with that margin is
            row = search.find_first(examples, walk.w, walk.ties, 1)
            if not row.size:
                return Reason.SEPARATED
            copies = np.minimum(examples.weights[row], 1.0) if examples.weights.size else np.empty(0)
            walk.correct(row, copies, 0, 2)


# ---------------------------------------------------------------------------------------------------------
# The active order
#
# Rounds: find, with fixed weights, the mistakes in a stretch of rows and the rows nearly so (margin below a
# band); then clean those rows, most doubtful first, before paying for the next stretch. Stretches double until
# the first pass is over; from then on each is the whole data, and the last one finds nothing. The schedule
# depends on exact decisions and counts only, so it is the same for every storage and machine.
#
# Rows that contradict each other are never clean, and weights that come from them alone are poor on all others.
# So a round has a limit, and half of every budget is kept for plain cycles.
# ---------------------------------------------------------------------------------------------------------

FIRST_STRETCH = 1000  # copies of rows
SMALLEST_SHELF = 17  # octaves below the squared radius
LOOKS_BETWEEN_FINDS = 16  # at the active set, in passes
ACTIVE_SHARE = 0.5
NEAR = (64, 16)
SMALL_PART = 4  # the active set is worth having while it is at most a quarter of the rows


@dataclass(frozen=True)
class Some:
    """Some of the rows, in order, and how many copies of each (empty: one each)."""

    rows: Array
    copies: Array

    @property
    def size(self) -> int:
        """How many copies of rows there are."""
        return int(np.ceil(self.copies).sum()) if self.copies.size else self.rows.size


def active(walk: Walk, rng: np.random.Generator) -> Reason:
    """Clean the rows that were ever wrong, and those nearly so, before the next full pass."""
    examples, n = walk.examples, walk.examples.n_copies
    scale = kernels.octave(examples.radius * examples.radius)
    band = 2.0 ** (scale - 1)
    begin, end, covered = 0, min(FIRST_STRETCH, n), 0
    wrong_ever = near_now = nothing = Some(np.empty(0, walk.index), np.empty(0))
    while not walk.spent(ACTIVE_SHARE) and end - begin <= walk.looks_left(ACTIVE_SHARE):
        plain = covered < SMALL_PART * max(wrong_ever.size, 1)
        if plain and covered == n:
            break
        if plain:
            wrong, near = _corrected(walk, begin, end), nothing
        else:
            first, last = _rows_of(examples, begin, end)
            found = search.find(examples, walk.w, walk.ties, band=band, first=first, last=last)
            wrong, near = (_copies_of(examples, rows, begin, end) for rows in found)
        walk.seen += end - begin
        if end == n:
            walk.ledger.end_pass()
            if begin == 0 and not wrong.size:
                return Reason.SEPARATED
        wrong_ever = _union(examples, wrong_ever, wrong)
        near_now = _union(examples, nothing if covered == n else near_now, near)
        if not plain:
            others = _difference(_union(examples, wrong_ever, near_now), wrong)
            _clean(walk, wrong, others, end - begin, scale - SMALLEST_SHELF)
            band *= 2.0 if NEAR[0] * near.size < end - begin else 0.5 if NEAR[1] * near.size > end - begin else 1.0
        covered = max(covered, end)
        begin, end = (0, n) if end == n else (end, min(2 * end, n))
    return cyclic(walk, rng)


def _corrected(walk: Walk, begin: int, end: int) -> Some:
    """Plain PLA over copies begin .. end-1; returns those that were corrected."""
    examples, before = walk.examples, len(walk.ledger)
    first, last = _rows_of(examples, begin, end)
    order = np.arange(first, last, dtype=walk.index)
    if examples.weights.size:
        order = order[examples.weights[first:last] > 0]
    copies, at = _copies_of(examples, order, begin, end).copies, 0
    while at < order.size and not walk.spent():
        at += walk.correct(order[at:], copies[at:], 0, PATIENT)[0]
    entries = walk.ledger.entries(before)
    rows, many = np.unique(np.where(entries < 0, ~entries, entries), return_counts=True)
    if not examples.weights.size:
        return Some(rows, np.empty(0))
    parts = np.isin(rows, ~entries[entries < 0])  # a fraction that was corrected counts as that fraction
    return Some(rows, many - parts * (np.ceil(examples.weights[rows]) - examples.weights[rows]))


def _rows_of(examples: Examples, begin: int, end: int) -> tuple[int, int]:
    """The rows that copies begin .. end-1 belong to."""
    if not examples.weights.size:
        return begin, end
    first, last = np.searchsorted(examples.copies_before, [begin, end - 1], side="right")
    return int(first) - 1, int(last)


def _copies_of(examples: Examples, rows: Array, begin: int, end: int) -> Some:
    """These rows, with as many of their copies as are among begin .. end-1; a fraction is a row's last copy."""
    if not examples.weights.size:
        return Some(rows, np.empty(0))
    before = examples.copies_before[rows]
    return Some(rows, np.minimum(examples.weights[rows], end - before) - np.maximum(begin - before, 0))


def _union(examples: Examples, a: Some, b: Some) -> Some:
    """The rows of both; copies of one row found at different times add up to all of them at most."""
    rows = np.union1d(a.rows, b.rows)
    if not examples.weights.size:
        return Some(rows, np.empty(0))
    copies = np.zeros(rows.size)
    for part in (a, b):
        copies[np.searchsorted(rows, part.rows)] += part.copies
    return Some(rows, np.minimum(copies, examples.weights[rows]))


def _difference(a: Some, b: Some) -> Some:
    """The rows of a without those of b, which are among them."""
    places = np.searchsorted(a.rows, b.rows)
    if not a.copies.size:
        return Some(np.delete(a.rows, places), a.copies)
    copies = a.copies.copy()
    copies[places] -= b.copies
    return Some(a.rows[copies > 0], copies[copies > 0])


def _clean(walk: Walk, wrong: Some, others: Some, stretch: int, lowest: int) -> None:
    """Clean the active set, or leave it once a look at it corrects less than a look at the last stretch did."""
    shelves = _shelved(wrong, others)
    looks = min(LOOKS_BETWEEN_FINDS * walk.examples.n_copies, walk.looks_left(ACTIVE_SHARE))
    at_once, rate = wrong.size, -1.0
    while looks > 0 and not walk.spent(ACTIVE_SHARE):
        page, doubt = walk.room(ACTIVE_SHARE)
        done, seen, made = kernels.clean(
            walk.examples.rows, walk.examples.labels, shelves, lowest,
            walk.w, walk.ties, doubt, ceil(min(at_once, looks)), page,
        )  # fmt: skip
        walk.ledger.append(page[:made])
        walk.seen += seen
        looks -= seen
        if shelves.copies.size and shelves.cursor[3] == shelves.row.size:
            shelves = _widened(shelves)
        elif done or made < rate * seen:
            break
        elif rate < 0:
            rate = made / stretch
            at_once = min(max(wrong.size + others.size, 8192), walk.at_once)


def _shelved(wrong: Some, others: Some) -> kernels.Shelves:
    """Mistakes on the lowest shelf, all others on the highest."""
    rows, copies = np.concatenate([wrong.rows, others.rows]), np.concatenate([wrong.copies, others.copies])
    following = np.arange(1, rows.size + 1)
    head, tail = np.full(kernels.SHELVES, -1), np.full(kernels.SHELVES, -1)
    for shelf, begin, end in ((0, 0, wrong.rows.size), (kernels.SHELVES - 1, wrong.rows.size, rows.size)):
        if begin < end:
            following[end - 1] = -1
            head[shelf], tail[shelf] = begin, end - 1
    shelves = kernels.Shelves(rows, copies, following, head, tail, np.array([-1, -1, 0, rows.size]))
    return _widened(shelves) if copies.size else shelves


def _widened(shelves: kernels.Shelves) -> kernels.Shelves:
    """Twice the places, for entries whose copies part."""
    return shelves._replace(
        row=np.concatenate([shelves.row, np.zeros_like(shelves.row)]),
        copies=np.concatenate([shelves.copies, np.zeros_like(shelves.copies)]),
        following=np.concatenate([shelves.following, np.zeros_like(shelves.following)]),
    )


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
) -> Run:
    """Run the algorithm from `start` until it separates the examples or its budget is spent.

    `watch` is called with the walk every few dozen milliseconds.
    """
    walk = Walk(examples, ties, start.copy(), budget, watch)
    with _ctrl_c_noted(walk):
        reason = ORDERS[order](walk, rng if rng is not None else np.random.default_rng())
    return Run(walk.w, walk.ledger, reason, walk.ledger.n_passes, walk.seen)


def follow(examples: Examples, w: Array, ties: Ties, ledger: Ledger) -> None:
    """Take examples as the next part of a stream: look at each once, in order, and correct it if it is a mistake.

    Changes w and the ledger, whose row numbers are positions in the stream. However the stream is cut into parts,
    the weights are the same to the last bit.
    """
    walk = Walk(examples, ties, w, UNLIMITED)
    (order, copies), at = _in_order(walk), 0
    while at < order.size:
        at += walk.correct(order[at:], copies[at:], 0, PATIENT)[0]
    entries = walk.ledger.entries().astype(np.int64)
    ledger.append(np.where(entries < 0, entries - ledger.n_rows, entries + ledger.n_rows))
    ledger.n_rows += examples.n


@contextmanager
def _ctrl_c_noted(walk: Walk) -> Iterator[None]:
    """Let Ctrl-C end the run between two kernels, so that weights and ledger agree; a second one is immediate."""

    def note(_signal: int, _frame: FrameType | None) -> Any:
        walk.interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
