"""The pocket algorithm: the perceptron, and the weights with the fewest mistakes on the way.

Problem   weights that get as few rows wrong as possible; with costs, whose mistakes cost as little as possible; with
          gamma > 0, that leave as few rows as possible with y (w . x) < gamma ||w||.
Input     examples, a tie rule, a start, a budget, a random generator.
Result    `PocketRun`: the weights kept, the ledger of all corrections, and when the weights were kept.
Papers    Gallant, IEEE Transactions on Neural Networks 1, 1990; Liang, section 4; Harchaoui, section 2.6.1, with the
          margin divided by ||w||, without which any gamma is as good as zero.

A random mistake is found by drawing rows until one is a mistake: the draws do not depend on the data. Counting ends as
soon as the weights cannot be better than those kept, and begins with the rows that were wrong most often: what is
kept is the same, bit for bit. `improved` goes on from there with `descent`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.geometry.whitening import OwnTable, Scaled, Space, space_of
from rosenblatt.learn import costs as pricing
from rosenblatt.learn.choices import Budget, Reason, counted
from rosenblatt.learn.pla import pla
from rosenblatt.learn.pocket import descent, in_cone, pocket_kernels
from rosenblatt.learn.pocket.pocket_kernels import Counting, Draws, Pocket
from rosenblatt.learn.run_state import COPIES, Run, Walk, honest
from rosenblatt.rows import find, timing
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.examples import Examples, narrowed
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.storage import numbers_per_row
from rosenblatt.rows.threads import one_thread_for_blas

EFFORT, OVERHEAD = 2e9, 50  # numbers read, OVERHEAD of them for each look: after that a descent gets no more kicks
SORTED_EVERY = 256  # corrections
FEW_PASSES = 100  # of PLA, on tables that are large both ways: it separates them sooner than a descent begins
UPDATES, FEWEST_UPDATES, NUMBERS = 1000, 50, 1e8  # by default: fewer where counting that often would read more numbers


@dataclass(frozen=True)
class PocketRun(Run):
    """What came of it; `weights` are those kept."""

    cost: float  # of the mistakes that these weights make
    kept_at: int  # the number of updates before; -1 if no run of the perceptron has met them


def enough_updates(examples: Examples) -> int:
    """How many updates to make when nothing else is said."""
    numbers = examples.n * numbers_per_row(examples.rows)
    return int(np.clip(NUMBERS / numbers, FEWEST_UPDATES, UPDATES))


def learn(
    examples: Examples,
    start: Array,
    *,
    ties: Ties,
    budget: Budget,
    rng: np.random.Generator,
    gamma: float = 0.0,
    ratchet: bool = False,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
    cone: Cone = EVERYWHERE,
) -> PocketRun:
    """The pocket algorithm of the notes; under constraints, without a ratchet."""
    if cone:
        found: dict[str, Any] = {"ties": ties, "budget": budget, "rng": rng, "gamma": gamma}
        kept, went, cone_ledger, why = in_cone.fill(
            examples, start, cone, **found, watch=watch, interrupted=interrupted
        )
        return PocketRun(kept.weights, cone_ledger, why, 0, went.seen, cost=kept.cost, kept_at=kept.at)
    walk = Walk(examples, ties, start.copy(), budget, watch)
    walk.interrupted = interrupted
    costs, unit = pricing.costs_of(examples)
    counting = Counting(walk.in_order()[0], costs, gamma, np.zeros(examples.n, np.int64))
    nothing = np.array([(np.iinfo(np.int64).max, 0, 0, 0, 0)], pocket_kernels.KEPT)[0]
    pocket = Pocket(walk.w.copy(), nothing, ratchet)
    _keep_if_better(walk, counting, pocket)
    reason = _fill(walk, rng, counting, pocket)
    cost, kept_at = unit * int(pocket.kept.cost), int(pocket.kept.at)
    if counted(ties) != ties:
        cost = pricing.cost(examples, pocket.weights, counted(ties), gamma)
    reason, ledger = honest(reason, examples, pocket.weights, ties), walk.ledger.seal(examples)
    return PocketRun(pocket.weights, ledger, reason, ledger.n_passes, walk.seen, cost=cost, kept_at=kept_at)


def _fill(walk: Walk, rng: np.random.Generator, counting: Counting, pocket: Pocket) -> Reason:
    """Draw, correct, count and keep until there is a reason to stop."""
    examples, sorted_at, quiet = walk.examples, 0, 0
    while True:
        drawn, steps = walk.drawn(rng)
        at = 0
        while at < drawn.size:
            if pocket.kept.cost == 0:
                return Reason.SEPARATED
            if reason := walk.spent():
                return reason
            page, doubt = walk.room()
            page = page[: max(walk.at_once // examples.n, 1)]
            used, made, looked = pocket_kernels.pocket(
                examples.rows, examples.labels, Draws(drawn[at:], steps[at:]), counting, walk.w, walk.ties, doubt,
                pocket, page,
            )  # fmt: skip
            walk.ledger.append(page[:made])
            walk.seen += looked
            at += used
            if len(walk.ledger) - sorted_at >= SORTED_EVERY:
                most_often_first = np.argsort(-counting.often[counting.order], kind="stable")
                counting = counting._replace(order=counting.order[most_often_first])
                sorted_at = len(walk.ledger)
            walk.draws += used
            quiet = 0 if made else quiet + used
            if quiet > min(examples.n_copies, COPIES * examples.n):
                if not find.find_first(examples, walk.w, walk.ties, 1).size:
                    _keep_if_better(walk, counting, pocket)
                    return Reason.SEPARATED  # no mistake is left to correct; with gamma, some margins may be below it
                if walk.has_too_many_copies:
                    return Reason.PATIENCE


def _keep_if_better(walk: Walk, counting: Counting, pocket: Pocket) -> None:
    """Count the present weights, and keep them if their mistakes cost less than those of the weights kept."""
    examples, best, (_, doubt) = walk.examples, int(pocket.kept.cost), walk.room()
    total, looked = briefly(pocket_kernels.cost, examples.n * numbers_per_row(examples.rows))(
        examples.rows, examples.labels, counting, walk.w, walk.ties, doubt, best
    )
    walk.seen += looked
    if total < best:
        pocket.weights[:] = walk.w
        pocket.kept.cost, pocket.kept.at = total, len(walk.ledger)


class DescentBudget:
    """What a descent has spent of a budget, and why it ended."""

    def __init__(
        self,
        examples: Examples,
        budget: Budget,
        begun: float,
        interrupted: Callable[[], bool],
        watch: Callable[[float], None] | None,
    ) -> None:
        self.examples, self.budget, self.begun = examples, budget, begun
        self.interrupted, self.watch = interrupted, watch
        self.looks, self.reason = 0.0, Reason.SETTLED

    def spend(self, passes: float) -> bool:
        """Count passes over the rows; whether to go on."""
        budget, examples = self.budget, self.examples
        self.looks += passes * examples.n
        if self.watch:
            self.watch(self.looks / examples.n)
        if self.interrupted():
            self.reason = Reason.INTERRUPTED
        elif budget.max_passes is not None and self.looks >= budget.max_passes * examples.n_copies:
            self.reason = Reason.MAX_PASSES
        elif budget.max_seconds is not None and timing.now() - self.begun >= budget.max_seconds:
            self.reason = Reason.MAX_SECONDS
        return self.reason is Reason.SETTLED

    def worth_a_kick(self, space: Space, rules: int = 1) -> Callable[[], bool]:
        """A function: whether a descent of this many rules has read less so far than one with kicks may."""
        numbers = max(numbers_per_row(self.examples.rows), space.size if isinstance(space, OwnTable) else 0)
        return lambda: self.looks * rules * (numbers + OVERHEAD) < EFFORT

    def spent_on(self, run: "PocketRun") -> "PocketRun":
        """The run, with what the descent took and why it ended."""
        return replace(run, examples_seen=run.examples_seen + int(self.looks), reason=self.reason)


def improved(
    run: PocketRun,
    examples: Examples,
    *,
    ties: Ties,
    budget: Budget,
    rng: np.random.Generator,
    gamma: float = 0.0,
    begun: float,
    interrupted: Callable[[], bool] = lambda: False,
    watch: Callable[[float], None] | None = None,
    cone: Cone = EVERYWHERE,
) -> PocketRun:
    """The run with weights whose mistakes cost less, if a descent finds any: within what is left of the budget."""
    if not run.cost or run.reason is Reason.INTERRUPTED:
        return run
    costs, _ = pricing.costs_of(examples)
    spent = DescentBudget(examples, budget, begun, interrupted, watch)
    if not spent.spend(0.0):
        return replace(run, reason=spent.reason)
    with one_thread_for_blas(), np.errstate(all="ignore"):
        narrow, left = narrowed(examples)
        space = space_of(narrow, of_columns=bool(cone))
        if isinstance(space, Scaled) and not gamma and not cone:
            limits = replace(budget, max_passes=min(budget.max_passes or FEW_PASSES, FEW_PASSES), max_updates=None)
            first = pla.learn(examples, np.zeros(examples.size), ties=ties, budget=limits, interrupted=interrupted)
            if not spent.spend(first.examples_seen / examples.n) or first.reason is Reason.SEPARATED:
                return _taken(run, first.weights, spent, ties, gamma)
        v = descent.fewest(
            space, costs[costs > 0], space.coordinates(run.weights[left]), rng,
            gamma=gamma, patience=budget.patience or 0, spend=spent.spend, worth_a_kick=spent.worth_a_kick(space),
            signs=cone.signs(examples.size)[left],
        )  # fmt: skip
        w = np.zeros(examples.size)
        w[left] = space.weights(v)
    return _taken(run, w, spent, ties, gamma)


def _taken(run: PocketRun, w: Array, spent: DescentBudget, ties: Ties, gamma: float) -> PocketRun:
    """The run with these weights, if their mistakes cost less, and with what it took to find them."""
    run, examples = spent.spent_on(run), spent.examples
    if np.isfinite(w).all() and (total := pricing.cost(examples, w, counted(ties), gamma)) < run.cost:
        run = replace(run, weights=w, cost=total, kept_at=-1)
    return run if run.cost else replace(run, reason=honest(Reason.SEPARATED, examples, run.weights, ties))
