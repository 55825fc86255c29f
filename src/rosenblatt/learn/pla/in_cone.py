"""The projected perceptron: PLA in which every correction is followed by a step to the cone of the constraints.

Problem   weights in a cone, s_j w_j >= 0 for some features j, with y_i (w . x_i) > 0 for every row i.
Input     as for PLA, and the cone.
Result    as for PLA; all weights on the way are in the cone.

`learn.passes.averaged_kernels` explains why the bound on the corrections holds. Rows are corrected in cycles.
"""

from collections.abc import Callable
from typing import Any

from rosenblatt.learn.choices import TIES, UNLIMITED, Budget, Reason
from rosenblatt.learn.passes.averaged import Course, begin, follow
from rosenblatt.learn.passes.averaged_kernels import OnMistakes
from rosenblatt.learn.passes.in_cone import ConeLedger, signs_in
from rosenblatt.learn.pla.stalling import Stall, ended
from rosenblatt.learn.run_state import FOREVER, Run, Walk, honest
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Doubt


def stride_in(cone: Cone, ties: str, size: int) -> OnMistakes:
    """What looking at a row does."""
    return OnMistakes(TIES[ties], signs_in(cone, size))


class ConeWalk(Walk):
    """A run under way whose corrections end in the cone."""

    def __init__(self, examples: Examples, ties: str, cone: Cone, w: Array, *how: Any) -> None:
        super().__init__(examples, TIES[ties], cone.nearest(w), *how)
        self.most_at_once = FOREVER  # corrections
        self._course = Course(self, stride_in(cone, ties, examples.size), begin(self.w, averaged=False))

    def room(self, share: float = 1.0) -> tuple[Array, Doubt]:
        """A ledger page for the next kernel."""
        page, doubt = super().room(share)
        return page[: self.most_at_once], doubt

    def correct(self, order: Array, copies: Array, quiet: int, patience: int) -> tuple[int, int]:
        """As in a pass, but without patience: rows that were right in succession are not counted."""
        return self._course.sweep(order, copies), quiet

    def cycles(self, most: int) -> Reason | None:
        """Up to `most` passes in the order of the rows; None if there is no reason to stop after them."""
        order, each = self.in_order()
        for _ in range(most):
            before, at, copies = len(self.ledger), 0, each.copy()  # copies are used up
            while at < order.size:
                if reason := self.spent():
                    return reason
                stop = at + self.at_once
                at += self.correct(order[at:stop], copies[at:stop], 0, FOREVER)[0]
            self.ledger.end_pass()
            if len(self.ledger) == before:
                return Reason.SEPARATED
        return None


def learn(
    examples: Examples,
    start: Array,
    cone: Cone,
    *,
    ties: str = "mistake",
    budget: Budget = UNLIMITED,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
    stall: Stall | None = None,
) -> Run:
    """Run the algorithm from the weights in the cone that are nearest to `start`; otherwise as `pla.learn`."""
    walk = ConeWalk(examples, ties, cone, start, budget, watch)
    walk.interrupted = interrupted
    if stall is not None:
        walk.stalled = stall.is_over
    reason = walk.cycles(FOREVER) or Reason.MAX_PASSES
    w, ledger, reason = ended(walk, reason, lambda _, most: walk.cycles(most))
    ledger = ConeLedger.of(ledger, *cone.fields.values())
    return Run(w, ledger.seal(examples), honest(reason, examples, w, TIES[ties]), ledger.n_passes, walk.seen)


def follow_in(cone: Cone, examples: Examples, w: Array, ties: str) -> tuple[Array, Array]:
    """Take examples as the next part of a stream, as `pla.follow` does; w is in the cone."""
    start = begin(w, averaged=False)
    tally, entries, _ = follow(examples, start, stride_in(cone, ties, examples.size), TIES[ties])
    return tally.last, entries
