"""Passive-aggressive learning: move as little as possible, but as far as each row asks.

Problem   weights with y_i (w . x_i) >= 1 for the rows of a stream, or for the rows of several passes.
Input     examples, a variant, its C, and what `averaged` takes.
Result    a `PassesRun` whose ledger replays the steps.
Paper     Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, Online passive-aggressive algorithms.

On a row with loss = max(0, 1 - y (w . x)) > 0, w += tau y x with
    PA     tau = loss / ||x||^2                 the nearest weights that have no loss on the row;
    PA-I   tau = min(C, loss / ||x||^2)         the same, with the loss charged C times;
    PA-II  tau = loss / (||x||^2 + 1 / (2 C))   the same, with the squared loss charged C times.
The constant feature belongs to x. Every tau is at most PA's, so w goes at most all the way to its projection p on
the half space y (w . x) >= 1, and ||p|| <= ||w|| + 2 / ||x||: no update lengthens the weights by more.
"""

from collections.abc import Callable
from enum import StrEnum
from math import inf
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import averaged_kernels
from rosenblatt.learn.passes.averaged import NO_SUMS, doubt_during, growth_of
from rosenblatt.learn.passes.averaged_kernels import ByLoss
from rosenblatt.learn.passes.in_cone import signs_in
from rosenblatt.rows import kernels
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import SQUARES, numbers_per_row
from rosenblatt.rows.threads import in_pieces


class Variant(StrEnum):
    """How a row that cannot be met without cost is dealt with."""

    PA = "PA"
    PA_I = "PA-I"
    PA_II = "PA-II"


def variant_named(name: str) -> Variant:
    """The variant of this name."""
    return Variant(options.one_of("variant", name, Variant))


def checked_aggressiveness(C: float) -> float:
    """C, if it is one."""
    return float(options.number("C", C, above=0))


def stride_of(examples: Examples, variant: Variant, C: float, cone: Cone = EVERYWHERE) -> ByLoss:
    """The steps of a variant on these rows, each followed by the way to the cone."""
    squares, rows = np.empty(examples.n), examples.rows
    in_pieces(lambda a, b: kernels.square_lengths(rows, a, b, squares), 0, examples.n, numbers_per_row(rows))
    _check_squares(examples, squares)
    soft = 1.0 / (2.0 * C) if variant is Variant.PA_II else 0.0
    return ByLoss(C if variant is Variant.PA_I else inf, soft, squares, signs_in(cone, examples.size))


def _check_squares(examples: Examples, squares: Array) -> None:
    """Refuse rows whose square length is too small or too large for a step to be computed; a row of zeros has none."""
    for row in np.flatnonzero((squares <= SQUARES[0]) | (squares >= SQUARES[1])).tolist():
        length = examples.lengths[row]
        if length > 0:
            raise DataError(
                f"row {row}: its length {length:.3g} is too {'small' if length < 1 else 'large'} for the square of it "
                f"to be computed; {'multiply' if length < 1 else 'divide'} the columns by a constant"
            )


class StepLedger(Ledger):
    """A ledger whose steps are not whole: each follows from the weights before it and its row."""

    def __init__(
        self,
        start: Array,
        n_rows: int,
        dtype: Any,
        variant: str,
        C: float,
        increasing: tuple[int, ...] = (),
        decreasing: tuple[int, ...] = (),
    ) -> None:
        super().__init__(start, n_rows, dtype)
        self.variant, self.C = variant_named(variant), C
        self.cone = Cone(tuple(increasing), tuple(decreasing))

    def follower(self, examples: Examples) -> Callable[[Array, Array], None]:
        """What makes the steps of some entries once more."""
        stride = stride_of(examples, self.variant, self.C, self.cone)
        growth = growth_of(stride) or 0.0

        def follow(w: Array, entries: Array) -> None:
            doubt = doubt_during(entries.size, examples, w, growth)
            given = examples.rows, examples.labels, examples.weights
            averaged_kernels.replay_strides(*given, stride, w, NO_SUMS, doubt, entries)

        return follow

    def _more(self) -> dict[str, Any]:
        return {"variant": self.variant.value, "C": self.C, **(self.cone.fields if self.cone else {})}
