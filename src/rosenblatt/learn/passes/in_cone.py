"""The ledger of a run under constraints on the signs of weights, in which every correction ends in their cone.

`averaged_kernels` says what a correction is, and why the bounds on their number hold.
"""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import averaged, averaged_kernels
from rosenblatt.learn.passes.averaged import NO_SUMS
from rosenblatt.learn.passes.averaged_kernels import FREE, WithinMargin
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array


def signs_in(cone: Cone, size: int) -> Array:
    """The signs of the weights, as strides take them; `size` is how many weights there are."""
    return cone.signs(size).astype(np.float64) if cone else FREE


class ConeLedger(Ledger):
    """A ledger of whole corrections, each followed by a step to the nearest weights in the cone."""

    def __init__(
        self, start: Array, n_rows: int, dtype: Any, increasing: tuple[int, ...], decreasing: tuple[int, ...]
    ) -> None:
        super().__init__(start, n_rows, dtype)
        self.cone = Cone(tuple(increasing), tuple(decreasing))

    def follower(self, examples: Examples) -> Callable[[Array, Array], None]:
        """A function that repeats the corrections of some entries."""
        every_look = WithinMargin(inf, signs_in(self.cone, examples.size))  # no margin is infinite: every look corrects

        def follow(w: Array, entries: Array) -> None:
            doubt = averaged.doubt_during(entries.size, examples, w, examples.radius)
            given = examples.rows, examples.labels, examples.weights
            averaged_kernels.replay_strides(*given, every_look, w, NO_SUMS, doubt, entries)

        return follow

    def _more(self) -> dict[str, Any]:
        return self.cone.fields
