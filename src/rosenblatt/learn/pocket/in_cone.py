"""The pocket under constraints on the signs of weights: the best of the weights that the projected perceptron meets.

Problem   weights in a cone whose mistakes cost as little as possible.
Input     as for `pocket`, and the cone.
Result    `PocketRun`; all weights met are in the cone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rosenblatt.learn import costs as pricing
from rosenblatt.learn.choices import Budget, Reason, counted, name_of
from rosenblatt.learn.passes.in_cone import ConeLedger
from rosenblatt.learn.pla.in_cone import ConeWalk
from rosenblatt.learn.run_state import Walk, honest
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Ties


@dataclass
class Kept:
    """The best weights so far, what their mistakes cost, and after how many updates they were met."""

    examples: Examples
    ties: Ties
    gamma: float
    weights: Array = field(default_factory=lambda: np.empty(0))
    cost: float = np.inf
    at: int = 0

    def compare(self, walk: Walk) -> None:
        """Keep the present weights, if their mistakes cost less."""
        if (cost := pricing.cost(self.examples, walk.w, self.ties, self.gamma)) < self.cost:
            self.weights, self.cost, self.at = walk.w.copy(), cost, len(walk.ledger)


def fill(
    examples: Examples,
    start: Array,
    cone: Cone,
    *,
    ties: Ties,
    budget: Budget,
    rng: np.random.Generator,
    gamma: float,
    watch: Callable[[Walk], None] | None,
    interrupted: Callable[[], bool],
) -> tuple[Kept, Walk, ConeLedger, Reason]:
    """Again and again, correct a random mistake, step to the cone, and keep the weights if they are the best so far."""
    walk = ConeWalk(examples, name_of(ties), cone, start, budget, watch)
    walk.interrupted, walk.most_at_once = interrupted, 1
    kept = Kept(examples, counted(ties), gamma)
    kept.compare(walk)
    reason = None
    while reason is None:
        rows, steps = walk.drawn(rng)
        at, steps = 0, steps.copy()  # which are used up
        while at < rows.size and reason is None:
            before = len(walk.ledger)
            at += walk.correct(rows[at:], steps[at:], 0, 0)[0]
            if len(walk.ledger) > before:
                kept.compare(walk)
            elif walk.is_clean():
                reason = Reason.SEPARATED
            elif walk.has_too_many_copies:
                reason = Reason.PATIENCE
            reason = Reason.SEPARATED if kept.cost == 0.0 else reason or walk.spent()
    ledger = ConeLedger.of(walk.ledger, *cone.fields.values())
    ledger.seal(examples)
    return kept, walk, ledger, honest(reason, examples, kept.weights, ties)
