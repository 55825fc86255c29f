"""The projected perceptron: after every correction, to the nearest weights that keep constraints on their signs.

Problem   weights in a cone, s_j w_j >= 0 for some features j, with y_i (w . x_i) > 0 for every row i.
Input     as for PLA, and the cone.
Result    as of PLA; all weights on the way are in the cone, and so is their mean.

Why the bound on the corrections holds is said of `averaged_kernels.InCone`. Rows are corrected in cycles.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.learn.choices import TIES
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import averaged, averaged_kernels
from rosenblatt.learn.passes.averaged import NO_SUMS
from rosenblatt.learn.passes.averaged_kernels import InCone
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array


def stride_in(cone: Cone, ties: str, size: int) -> InCone:
    """What a look at a row does."""
    return InCone(TIES[ties], cone.signs(size).astype(np.float64))


class ConeLedger(Ledger):
    """A ledger of corrections, each of which is followed by the way to the cone."""

    def __init__(
        self, start: Array, n_rows: int, dtype: Any, ties: str, increasing: tuple[int, ...], decreasing: tuple[int, ...]
    ) -> None:
        super().__init__(start, n_rows, dtype)
        self.ties, self.cone = ties, Cone(tuple(increasing), tuple(decreasing))

    def follower(self, examples: Examples) -> Callable[[Array, Array], None]:
        """What makes the corrections of some entries once more."""
        stride = stride_in(self.cone, self.ties, examples.size)

        def follow(w: Array, entries: Array) -> None:
            doubt = averaged.doubt_during(entries.size, examples, w, examples.radius)
            given = examples.rows, examples.labels, examples.weights
            averaged_kernels.replay_strides(*given, stride, w, NO_SUMS, doubt, entries)

        return follow

    def _more(self) -> dict[str, Any]:
        return {"ties": self.ties, **self.cone.fields}
