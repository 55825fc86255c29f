"""The kernel perceptron: the algorithm in any space with an inner product.

Problem   amounts a_j with y_i (sum_j a_j K(x_i, x_j)) > 0 for every row i, where K is the inner product of some space.
Input     examples, the columns of their kernel matrix, an order, a budget; perhaps how much may be remembered.
Result    `DualRun`: a `Run`, whose weights are the amounts: y_j times how often row j was corrected.
Papers    Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999. The bound of the stream note holds as it
          stands, "in some vector space", with U^2 = max K(x, x).

A decision is exact for the numbers K(x_i, x_j), which are floats. All scores are kept, and a correction adds a column
of the kernel matrix to them, so a look at a row costs nothing.

Forgetting. With a limit to the corrections that are remembered, one drawn at random is taken back for each new one: the
Randomized Budget Perceptron (Cavallanti, Cesa-Bianchi and Gentile 2007). On average that shrinks the weights by a
factor and keeps their direction. Expected mistakes have a bound against every rule no longer than a constant times the
root of what is remembered, which is the best trade-off.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError
from rosenblatt.learn.choices import TIES, UNLIMITED, Budget, Order, Reason
from rosenblatt.learn.dual import dual_kernels
from rosenblatt.learn.dual.dual_kernels import UNKNOWN, Dual, Memory, Pages, Queue, SoFar
from rosenblatt.learn.dual.gram import Gram, KernelFunction, KernelRows
from rosenblatt.learn.ledger import rows_of_entries
from rosenblatt.learn.run_state import AT_ONCE, FOREVER, NUMBERS_AT_ONCE, Run, Walk, ctrl_c_noted
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Dense

ACTIVE_SHARE = 0.5
LOOKS_BETWEEN_PASSES = 16  # at the rows that were ever wrong, in passes
DRAWS = 8192  # made at once


@dataclass(frozen=True)
class DualState:
    """A rule as a sum over rows, and what is needed to go on with it."""

    amounts: Array
    delays: Array  # see `dual_kernels.Dual`; empty where no mean is kept
    memory: Memory
    seed: int
    average: bool
    made: int = 0
    looks: int = 0

    @classmethod
    def blank(cls, n: int, average: bool = False, remember: int | None = None, seed: int = 0) -> "DualState":
        """No correction yet; n rows; perhaps a limit to what is remembered."""
        memory = Memory(np.zeros(remember or 0, np.int64), np.zeros(remember or 0), np.zeros(0, np.int64))
        return cls(np.zeros(n), np.zeros(n if average else 0), memory, seed, average)

    def with_more(self, n: int, places: Array) -> "DualState":
        """The state for n more rows; `places` are those of the remembered rows among all."""
        delays = np.append(self.delays, np.zeros(n)) if self.average else self.delays
        return replace(
            self,
            amounts=np.append(self.amounts, np.zeros(n)),
            delays=delays,
            memory=self.memory._replace(row=places),
        )

    def of(self, rows: Array, numbers: Array) -> "DualState":
        """The state for some of the rows; remembered ones are known by their numbers."""
        delays = self.delays[rows] if self.average else self.delays
        memory = self.memory._replace(row=numbers[self.memory.row])
        return replace(self, amounts=self.amounts[rows], delays=delays, memory=memory)

    @property
    def mean(self) -> Array:
        """The amounts, or their mean over all looks, each after its correction."""
        return self.amounts - self.delays / self.looks if self.average and self.looks else self.amounts


@dataclass(frozen=True)
class DualRun(Run):
    """What came of it; `weights` are the amounts."""

    state: DualState
    forgotten: Array  # the corrections taken back, in order, as in the ledger: one for each beyond those remembered
    mistakes: int = 0  # rows that are wrong at the end

    def forgotten_of(self, numbers: Array) -> Array:
        """The rows of the corrections taken back, by their numbers."""
        return np.asarray(numbers[rows_of_entries(self.forgotten)])


class DualWalk(Walk):
    """A run under way."""

    def __init__(
        self,
        examples: Examples,
        gram: Gram,
        state: DualState,
        budget: Budget = UNLIMITED,
        watch: Callable[[Walk], None] | None = None,
    ) -> None:
        super().__init__(examples, TIES["mistake"], np.zeros(examples.size), budget, watch)
        self.gram = gram
        self.state = state
        copied = state.memory._replace(row=state.memory.row.copy(), step=state.memory.step.copy())
        self.memory = copied
        no_error = np.array([(0.0, 0.0, True)], dual_kernels.ERROR)
        self.dual = Dual(np.zeros(gram.points.n), state.amounts.copy(), state.delays.copy(), no_error)
        self.forgotten: list[Array] = []
        self.limbs = np.empty(kernels.LIMBS, np.int64)
        gram.begin()

    @property
    def made(self) -> int:
        """Corrections, those before this run included."""
        return self.state.made + len(self.ledger)

    def begin_with(self, scores: Array, error: float) -> None:
        """Start from these scores, none of which is off by more."""
        self.dual.scores[:] = scores
        of_all = self.dual.error[0]
        of_all.most, of_all.largest, of_all.none = error, np.abs(scores).max(initial=0.0), error == 0.0

    def go_over(self, order: Array, copies: Array, quiet: int, patience: int) -> tuple[Reason | None, int]:
        """PLA over rows in `order`; returns why to stop, if there is a reason, and how many in a row were right."""
        at, known, labels = 0, UNKNOWN, self.examples.labels
        while at < order.size:
            if reason := self.spent():
                return reason, quiet
            before = self.made
            page = np.empty(self._room(before), self.index)
            forgotten = np.empty(page.size if self.memory.row.size else 0, self.index)
            why, moved, made, looks, quiet, needed = dual_kernels.correct(
                Queue(order[at:], copies[at:], known), labels, self.dual, self.gram.held,
                self._with_draws(page.size, before), SoFar(before, self.state.looks + self.seen, quiet), patience,
                Pages(page, forgotten),
            )  # fmt: skip
            self.seen = looks - self.state.looks
            if made:
                self._note(before, page[:made], forgotten)
            at += moved
            in_doubt = why == dual_kernels.NEEDS_SIGN
            known = self._sign(needed) if in_doubt and not self.gram.symmetric else UNKNOWN
            if why == dual_kernels.NEEDS_COLUMN or (in_doubt and self.gram.symmetric):
                later = order[at:]
                likely = later[labels[later] * self.dual.scores[later] < 0]
                self.gram.fetch(needed, likely, self.made)
            elif why == dual_kernels.CLEAN:
                break
        return None, quiet

    def _note(self, before: int, entries: Array, forgotten: Array) -> None:
        """Take over the corrections of a kernel; there were some before."""
        self.ledger.append(entries)
        if before + entries.size > (full := self.memory.row.size) > 0:
            self.forgotten.append(forgotten[max(full - before, 0) : entries.size])
        largest = float(np.abs(self.dual.scores).max())
        if not largest < kernels.HUGE:
            raise DataError("the scores would overflow: the values of the kernel are too large; scale the columns")
        self.dual.error["largest"] = largest  # to set an attribute of a record takes ten times as long

    def _room(self, before: int) -> int:
        """How many corrections a kernel may make: as many as take some 20 ms, and as there are draws for."""
        many = min(AT_ONCE, max(NUMBERS_AT_ONCE // self.gram.points.n, 1), DRAWS - before % DRAWS)
        limit = self.budget.max_updates
        return many if limit is None else min(many, limit - len(self.ledger))

    def _with_draws(self, many: int, before: int) -> Memory:
        """The memory, and which part of it each of the next corrections replaces."""
        memory = self.memory
        if not memory.row.size:
            return memory
        block, first = divmod(before, DRAWS)
        if first == 0 or not memory.draws.size:
            draws = np.random.default_rng([self.state.seed, block]).integers(memory.row.size, size=DRAWS)
            self.memory = memory = memory._replace(draws=draws)
        return memory._replace(draws=memory.draws[first : first + many])

    def _sign(self, i: int) -> int:
        """The exact sign of row i's score."""
        support = np.flatnonzero(self.dual.amounts)
        values = self.gram.row(i, support).reshape(1, -1)
        row = Dense(values, 0.0, 0.0, support.size + 1, False)
        return int(np.sign(kernels.exact_score(row, 0, np.append(self.dual.amounts[support], 0.0), self.limbs)))

    def mistakes(self) -> int:
        """How many rows that count are predicted wrong now; a score of 0 is a no."""
        order, _ = self.examples.counted
        margins = self.examples.labels[order] * self.dual.scores[order]
        doubtful = order[np.abs(margins) <= self.dual.error[0].most]
        wrong = int((margins < -self.dual.error[0].most).sum())
        return wrong + sum(int(self.examples.labels[i]) * (self._sign(i) or -1) < 0 for i in doubtful.tolist())

    def end(self, reason: Reason) -> DualRun:
        """What came of it."""
        amounts, delays = self.dual.amounts, self.dual.delays
        state = replace(
            self.state,
            amounts=amounts,
            delays=delays,
            memory=self.memory,
            made=self.made,
            looks=self.state.looks + self.seen,
        )
        forgotten = np.concatenate([np.empty(0, self.index), *self.forgotten])
        wrong = 0 if reason in (Reason.SEPARATED, Reason.STREAM) else self.mistakes()
        return DualRun(
            amounts, self.ledger.seal(self.examples), reason, self.ledger.n_passes, self.seen, state, forgotten, wrong
        )


def cyclic(walk: DualWalk) -> Reason:
    """The next mistake from where the last was found, until a full cycle is clean."""
    (order, copies), quiet, n = walk.examples.counted, 0, walk.examples.n_copies
    while quiet < n:
        if walk.looks_left() < n:
            return walk.spent() or Reason.MAX_PASSES
        before = walk.seen
        reason, quiet = walk.go_over(order, copies.copy(), quiet, n)
        if reason:
            return reason
        if walk.seen - before == n:
            walk.ledger.end_pass()
    return Reason.SEPARATED


def active(walk: DualWalk) -> Reason:
    """Copies of rows that were ever wrong, until they are right, before the next pass: it needs fewer columns.

    Rows that contradict each other never are, so half of the budget is kept for plain cycles.
    """
    if walk.has_too_many_copies:
        return cyclic(walk)
    (order, copies), n = walk.examples.counted, walk.examples.n_copies
    copies = copies if copies.size else np.ones(order.size)
    ever = np.zeros(order.size)
    while walk.looks_left(ACTIVE_SHARE) >= n and not walk.spent(ACTIVE_SHARE):
        left = copies.copy()
        reason, quiet = walk.go_over(order, left, 0, FOREVER)
        if reason:
            return reason
        walk.ledger.end_pass()
        if quiet >= n:
            return Reason.SEPARATED
        ever = np.maximum(ever, copies - left)  # the first copies of a row are wrong first
        if reason := _clean(walk, order[ever > 0], ever[ever > 0]):
            return reason
    return cyclic(walk)


def _clean(walk: DualWalk, order: Array, copies: Array) -> Reason | None:
    """Cycles over some rows until they are right or their share of the budget is spent; a reason to stop, if any."""
    quiet, n, until = 0, int(np.ceil(copies).sum()), walk.seen + LOOKS_BETWEEN_PASSES * walk.examples.n_copies
    while quiet < n and walk.seen < until and not walk.spent(ACTIVE_SHARE):
        reason, quiet = walk.go_over(order, copies.copy(), quiet, n)
        if reason:
            return reason
    return None


ORDERS: dict[Order, Callable[[DualWalk], Reason]] = {Order.ACTIVE: active, Order.CYCLIC: cyclic}


def order_named(name: str) -> Order:
    """The order of this name, of those that there are here."""
    return Order(options.one_of("order", name, ORDERS))


def learn(
    examples: Examples,
    gram: Gram,
    state: DualState,
    *,
    order: Order = Order.ACTIVE,
    budget: Budget = UNLIMITED,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> DualRun:
    """Run the algorithm from a blank state until it is right on every row or its budget is spent."""
    walk = DualWalk(examples, gram, state, budget, watch)
    with ctrl_c_noted() as pressed:
        walk.interrupted = interrupted or pressed
        reason = ORDERS[order](walk)
    return walk.end(reason)


def follow(examples: Examples, gram: Gram, state: DualState, scores: Array, error: float) -> DualRun:
    """Take the last rows of `gram` as the next part of a stream: look at each once, and correct it if it is a mistake.

    The first ones are those that the state is a sum over; `examples` labels all, and the first have weight 0. `scores`
    are those of all rows under the state, off by `error` at most.
    """
    walk = DualWalk(examples, gram, state)
    walk.begin_with(scores, error)
    walk.go_over(*examples.counted, 0, FOREVER)
    return walk.end(Reason.STREAM)


def scores_of(kernel: KernelFunction, points: KernelRows, support: KernelRows, amounts: Array) -> tuple[Array, Array]:
    """The scores of rows under the rules with these amounts, and what none of each rule's is off by more than."""
    scores, errors = np.zeros((len(amounts), points.n)), np.zeros(len(amounts))
    whole = np.array([find.is_whole(a) for a in amounts])
    for begin in range(0, points.n if support.n else 0, step := max(NUMBERS_AT_ONCE // max(support.n, 1), 1)):
        some = np.arange(begin, min(begin + step, points.n))
        values = kernel.between(points.take(some), support)
        scores[:, some] = amounts @ values.T
        sizes = (np.abs(amounts) @ np.abs(values).T).max(axis=1)
        exact = whole & bool((values == np.floor(values)).all()) & (sizes < dual_kernels.WHOLE)
        bound = np.where(exact, 0.0, (support.n + 4) * (kernels.UNIT * sizes + kernels.TINY))
        errors = np.maximum(errors, bound)
    return scores, errors
