"""A run under way: the weights, the ledger, the budget, and what a kernel may do next.

Every order makes its corrections through a `Walk`, a kernel's call at a time, and asks it whether to stop.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from types import FrameType

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.learn import costs
from rosenblatt.learn.choices import Budget, Reason, counted
from rosenblatt.learn.ledger import Ledger
from rosenblatt.rows import find, kernels, timing
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Doubt, Page, Place, Ties, Visits
from rosenblatt.rows.storage import numbers_per_row

AT_ONCE = 8192  # corrections in one call of a kernel
COPIES = 1000  # of each row, on average: weights that stand for more do not make more work
MOST_IN_PLACES = 2**25  # copies of rows that are put in order within some two seconds
FOREVER = np.iinfo(np.int64).max
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the golden section of 2^64
NUMBERS_AT_ONCE = 8_000_000  # numbers read in one call of a kernel: some 20 ms, so that Ctrl-C and clocks are heard


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    weights: Array  # features first, the threshold's last
    ledger: Ledger
    reason: Reason
    passes: int  # full passes over the data
    examples_seen: int  # looks at a row, at the active set too; a row of weight k counts k times

    @property
    def updates(self) -> int:
        """Corrections made; each was of a mistake."""
        return len(self.ledger)


def honest(reason: Reason, examples: Examples, w: Array, ties: Ties) -> Reason:
    """The reason, unless rows that score 0, which were not corrected, are predicted wrong."""
    if reason is Reason.SEPARATED and counted(ties) != ties and find.find_first(examples, w, counted(ties), 1).size:
        return Reason.QUIET
    return reason


class Walk:
    """A run under way."""

    def __init__(
        self, examples: Examples, ties: Ties, w: Array, budget: Budget, watch: Callable[["Walk"], None] | None = None
    ) -> None:
        self.examples = examples
        self.ties = ties
        self.w = w
        self.budget = budget
        self.index = find.index_type(examples.n)
        self.n_copies = examples.n_copies  # needed at every call of a kernel
        self.ledger = Ledger(w, examples.n, self.index)
        self.seen = 0
        self.draws = 0  # looks at copies one by one
        self.watch = watch
        self.interrupted: Callable[[], bool] = lambda: False
        self.stalled: Callable[[Walk], bool] = lambda walk: False  # whether more passes do not help
        self.started = timing.now()
        self.at_once = max(int(NUMBERS_AT_ONCE / numbers_per_row(examples.rows)), 1)
        self.whole_steps = examples.rows.whole and find.is_whole(examples.weights)

    def spent(self, share: float = 1.0) -> Reason | None:
        """Why to stop now, if there is a reason: an interruption, or this share of a budget is spent."""
        budget = self.budget
        if self.watch is not None:
            self.watch(self)
        if self.interrupted():
            return Reason.INTERRUPTED
        if budget.max_updates is not None and len(self.ledger) >= share * budget.max_updates:
            return Reason.MAX_UPDATES
        if self.stalled(self):
            return Reason.STALLED
        if self.looks_left(share) <= 0:
            return Reason.MAX_PASSES
        if self.examples.weights.size and budget.max_passes is not None:
            done, most = self.draws + len(self.ledger), COPIES * budget.max_passes * self.examples.n
            if done >= share * most:
                return Reason.MAX_COPIES
        if budget.max_seconds is not None and timing.now() - self.started >= share * budget.max_seconds:
            return Reason.MAX_SECONDS
        return None

    @property
    def has_too_many_copies(self) -> bool:
        """Whether the weights stand for more copies of rows than can be looked at one by one.

        Then only cycles get anywhere, which look at all copies of a row at once; and a budget of passes, which counts
        copies, is one of work, too: as much as if the weights were `COPIES` on average.
        """
        return self.examples.n_copies > COPIES * self.examples.n

    def looks_left(self, share: float = 1.0) -> float:
        """How many more rows may be looked at."""
        passes = self.budget.max_passes
        return np.inf if passes is None else share * passes * self.n_copies - self.seen

    def room(self, share: float = 1.0) -> tuple[Array, Doubt]:
        """A ledger page for the next kernel, within this share of the budget, and the doubt until it is full."""
        radius, size = self.examples.radius, find.norm(self.w)
        many: float = AT_ONCE
        if self.budget.max_updates is not None:
            many = min(many, ceil(share * self.budget.max_updates) - len(self.ledger))
        if radius > 0:
            many = min(many, (kernels.HUGE - size) / radius)
        if many < 1:
            raise DataError("the weights would overflow: the values are too large; divide the columns by a constant")
        page = np.empty(int(many), self.index)
        whole = self.whole_steps and find.is_whole(self.w)
        return page, kernels.doubt_about(self.examples.rows, size + page.size * radius, whole)

    def in_order(self) -> tuple[Array, Array]:
        """The rows that count, in order, as compiled code takes them, and how many copies of each there are."""
        order, copies = self.examples.counted
        return order.astype(self.index), copies

    def spread_out(self) -> tuple[Array, Array]:
        """All copies of rows in a fixed order that is spread evenly over the table, and each one's step.

        Tables are often sorted by class. A pass in the order of the rows then meets one class after the other: most of
        the weights that it goes through know the last class only, and so does their mean. Of too many copies, the rows
        are spread out, each with its copies.
        """
        if self.examples.n_copies <= MOST_IN_PLACES:
            return self.of_copies(spread_out(self.examples.n_copies))
        rows, copies = self.in_order()
        places = spread_out(rows.size)
        return rows[places], copies[places] if copies.size else copies

    def drawn(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """The next rows of a stream of uniform draws among all copies, and each one's step (empty: 1 each)."""
        return self.of_copies(rng.integers(self.examples.n_copies, size=AT_ONCE))

    def of_copies(self, places: Array) -> tuple[Array, Array]:
        """The rows of copies at these places, and each one's step (empty: 1 each), which may be a part of one."""
        examples = self.examples
        if not examples.weights.size:
            return places.astype(self.index), examples.weights
        rows = np.searchsorted(examples.copies_before, places, side="right") - 1
        left = examples.weights[rows] - (places - examples.copies_before[rows])
        return rows.astype(self.index), np.minimum(left, 1.0)

    def correct(self, order: Array, copies: Array, quiet: int, patience: int) -> tuple[int, int]:
        """PLA over rows in `order`; returns how far it came and how many rows in a row were right."""
        page, doubt = self.room()
        one_pass = briefly(kernels.cycle, order.size * numbers_per_row(self.examples.rows))
        passes, made, at, quiet = one_pass(
            self.examples.rows, self.examples.labels, Visits(order, copies, copies), Place(0, quiet), order.size,
            patience, self.w, self.ties, doubt, Page(page, np.empty(1, np.int64)),
        )  # fmt: skip
        self.ledger.append(page[:made])
        return order.size if passes else at, quiet

    def is_clean(self) -> bool:
        """Whether no row is a mistake, as mistakes are counted in learning."""
        return not find.find_first(self.examples, self.w, self.ties, 1).size

    def cost(self) -> float:
        """What the mistakes of the present weights cost, as they are predicted."""
        return costs.cost(self.examples, self.w, counted(self.ties))


def spread_out(n: int) -> Array:
    """All places of a table in an order of its own: each the golden section of it further on than the one before."""
    return np.argsort(np.argsort(np.arange(n, dtype=np.uint64) * GOLDEN))


@contextmanager
def ctrl_c_noted() -> Iterator[Callable[[], bool]]:
    """Hold back Ctrl-C, so that weights and ledger agree; gives a function that returns whether it was pressed.

    A second Ctrl-C is immediate. Only the main thread hears signals; a handler that is not Python's own is left alone.
    """
    pressed = False

    def note(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    heard = threading.current_thread() is threading.main_thread()
    if not heard or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
