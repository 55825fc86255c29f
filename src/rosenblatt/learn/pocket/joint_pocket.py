"""The pocket algorithm of several classes: the perceptron of `joint_pla`, and weights with the fewest mistakes on the
way.

Problem   weights, a row for each class, whose largest score is wrong on as few rows as possible, or as cheap ones.
Input     examples, a tie rule, a start, a budget, a random generator.
Result    `PocketRun`, as of two classes.

A row is wrong once, however many rivals score higher, and as `predict` says. What `learn` keeps, `improved` makes
better with `joint_descent`.
"""

from collections.abc import Callable
from dataclasses import replace
from math import fsum

import numpy as np

from rosenblatt.geometry.whitening import Space, space_of
from rosenblatt.learn import costs as pricing
from rosenblatt.learn.choices import Budget, Reason
from rosenblatt.learn.passes.averaged import NO_SUMS, Tally
from rosenblatt.learn.pla.joint_run_state import JointWalk, wrong_rows
from rosenblatt.learn.pocket import joint_descent
from rosenblatt.learn.pocket.pocket import FEWEST_UPDATES, NUMBERS, UPDATES, DescentBudget, PocketRun
from rosenblatt.learn.run_state import COPIES, Walk
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import numbers_per_row
from rosenblatt.rows.threads import one_thread_for_blas

EXTREME = 890  # binary digits: beyond, a space divides weights by powers of two


def enough_updates(examples: JointExamples) -> int:
    """How many updates to make when nothing else is said."""
    numbers = examples.n * numbers_per_row(examples.rows) * len(examples.classes)
    return int(np.clip(NUMBERS / numbers, FEWEST_UPDATES, UPDATES))


def exact_cost(examples: JointExamples, W: Array) -> float:
    """The sum of the weights of the rows that are predicted wrong."""
    wrong = wrong_rows(examples, W)
    return fsum(examples.weights[wrong]) if examples.weights.size else float(wrong.size)


def learn(
    examples: JointExamples,
    start: Array,
    *,
    ties: Ties,
    budget: Budget,
    rng: np.random.Generator,
    ratchet: bool = False,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> PocketRun:
    """The pocket algorithm."""
    walk = JointWalk(examples, ties, Tally(start, NO_SUMS, 0), budget, watch)
    walk.interrupted = interrupted
    pocket = _Pocket(walk)
    reason = _fill(walk, pocket, rng, ratchet)
    reason = Reason.SEPARATED if not pocket.best and reason is not Reason.INTERRUPTED else reason
    reason = Reason.QUIET if pocket.best and reason is Reason.SEPARATED else reason
    ledger, cost = walk.ledger.seal(examples), pocket.unit * pocket.best
    return PocketRun(pocket.W, ledger, reason, ledger.n_passes, walk.seen, cost=cost, kept_at=pocket.kept_at)


class _Pocket:
    """The best weights so far."""

    def __init__(self, walk: JointWalk) -> None:
        self.walk, (self.costs, self.unit) = walk, pricing.costs_of(walk.examples)
        self.best, self.W, self.kept_at, self.streak = np.iinfo(np.int64).max, walk.W.copy(), 0, -1
        self.keep_if_better()

    def keep_if_better(self) -> None:
        """Count what the mistakes of the present weights cost, and keep the weights if that is less."""
        wrong = wrong_rows(self.walk.examples, self.walk.W)
        cost = int(self.costs[wrong].sum()) if self.costs.size else wrong.size
        self.walk.seen += self.walk.examples.n_copies
        if cost < self.best:
            self.best, self.W, self.kept_at = cost, self.walk.W.copy(), len(self.walk.ledger)


def _fill(walk: JointWalk, pocket: _Pocket, rng: np.random.Generator, ratchet: bool) -> Reason:
    """Draw, correct, count and keep until there is a reason to stop."""
    examples, quiet = walk.examples, 0
    while True:
        drawn, steps = walk.drawn(rng)
        at = 0
        while at < drawn.size:
            if not pocket.best:
                return Reason.SEPARATED
            if reason := walk.spent():
                return reason
            moved, quiet = walk.sweep(drawn[at:], steps[at:], quiet, most=0)  # to the next mistake
            walk.draws += moved
            at += moved
            if at < drawn.size:
                if ratchet and quiet > pocket.streak:
                    pocket.streak = quiet
                    pocket.keep_if_better()
                walk.sweep(drawn[at : at + 1], steps[at : at + 1], most=1)
                quiet, at = 0, at + 1
                if not ratchet:
                    pocket.keep_if_better()
            if quiet > min(examples.n_copies, COPIES * examples.n):
                if walk.is_clean():
                    pocket.keep_if_better()
                    return Reason.SEPARATED
                if walk.has_too_many_copies:
                    return Reason.PATIENCE


def improved(
    run: PocketRun,
    examples: JointExamples,
    *,
    budget: Budget,
    rng: np.random.Generator,
    begun: float,
    interrupted: Callable[[], bool] = lambda: False,
    watch: Callable[[float], None] | None = None,
) -> PocketRun:
    """The run with weights whose mistakes cost less, if a descent finds any: within what is left of the budget."""
    if not run.cost or run.reason is Reason.INTERRUPTED:
        return run
    (costs, unit), many = pricing.costs_of(examples), len(examples.classes)
    spent = DescentBudget(examples, budget, begun, interrupted, watch)
    if not spent.spend(0.0):
        return replace(run, reason=spent.reason)
    with one_thread_for_blas(), np.errstate(all="ignore"):
        space = space_of(examples.plain)
        if not space.size:  # all rows are zero: no weights tell them apart
            return run
        own = examples.labels[examples.weights > 0] if examples.weights.size else examples.labels
        kicks = spent.worth_a_kick(space, many)
        descent = joint_descent.JointDescent(space, own, many, costs[costs > 0], rng, spent.spend, kicks)
        start = np.stack([space.coordinates(w) for w in run.weights])
        W = _weights(space, joint_descent.fewest(descent, start, budget.patience or 0))
    run = spent.spent_on(run)
    if W is not None:
        wrong = wrong_rows(examples, W)
        cost = unit * (int(costs[wrong].sum()) if costs.size else wrong.size)
        if cost < run.cost:
            run = replace(run, weights=W, cost=cost, kept_at=-1)
    return run if run.cost else replace(run, reason=Reason.SEPARATED)


def _weights(space: Space, V: Array) -> Array | None:
    """Coordinates of every class as weights; None where a space may have scaled some classes and not others."""
    W = np.stack([space.weights(v) for v in V])
    sizes = np.abs(W).max(axis=1)
    moderate = (sizes == 0.0) | ((sizes > 2.0**-EXTREME) & (sizes < 2.0**EXTREME))
    return W if moderate.all() and np.isfinite(W).all() else None
