"""The second-order perceptron: corrections that know how the corrected rows lie.

Problem   a rule that needs few corrections where rows lie along few directions, which slow the perceptron down.
Input     examples, a ridge a > 0, passes over the rows.
Result    `SecondOrderRun`: a `Run` with the inverse matrix that the next correction needs.
Paper     Cesa-Bianchi, Conconi and Gentile 2005, A second-order perceptron algorithm, figure 3.1.

With A = a I + the sum of x x' over the corrected rows, and v that of y x, a row is decided by the sign of
v' (A + x x')^-1 x. By Sherman and Morrison that is v' A^-1 x divided by 1 + x' A^-1 x > 0, so the sign is that of w . x
with w = A^-1 v: between two corrections the rule is linear, and mistakes are found as everywhere, by exact signs. A
correction of x moves w by z (y - w . x) / (1 + x . z), with z = A^-1 x: w is the ridge regression of the labels on the
corrected rows.

Numbers are added up in a fixed order, so the run is the same for dense and sparse rows, and on every machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError, LedgerError
from rosenblatt.learn.choices import UNLIMITED, Budget, Reason
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes.averaged import order_of_a_pass
from rosenblatt.learn.passes.averaged_kernels import score_in_order
from rosenblatt.learn.run_state import Run, Walk, honest
from rosenblatt.rows import find, kernels
from rosenblatt.rows.compiling import compiled
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Doubt, Rows, Ties, column, is_wrong, margin, next_doubtful, stored, value

LARGEST = 1e300  # that x' A^-1 x may be
WIDEST = 8192  # features and the threshold: the inverse then takes half a gigabyte


class SecondOrderState(NamedTuple):
    """The weights w = A^-1 v, and A^-1."""

    weights: Array
    inverse: Array


@dataclass(frozen=True)
class SecondOrderRun(Run):
    """The result of a run, with the inverse that the next correction needs."""

    inverse: Array


@compiled
def next_mistake(rows: Rows, labels: Array, order: Array, first: int, w: Array, ties: Ties, doubt: Doubt) -> int:
    """The next place in `order` whose row is a mistake, decided exactly."""
    k = first
    while k < order.size:
        k = next_doubtful(rows, labels, order, k, order.size, w, doubt.width)
        if k == order.size or is_wrong(margin(rows, labels, order[k], w, doubt), labels[order[k]], ties):
            return k
        k += 1
    return k


@compiled
def regress(rows: Rows, labels: Array, i: int, weight: float, w: Array, inverse: Array, z: Array) -> None:
    """Take row i into the regression, as `weight` rows; z is room for A^-1 x."""
    for a in range(z.size):
        total = 0.0
        for k in range(stored(rows, i)):
            total += np.float64(value(rows, i, k)) * inverse[a, column(rows, i, k)]
        z[a] = total + rows.bias * inverse[a, z.size - 1]
    gain = weight / (1.0 + weight * max(score_in_order(rows, i, z), 0.0))  # below 0 only by rounding
    step = gain * (labels[i] - score_in_order(rows, i, w))
    for a in range(z.size):
        w[a] += step * z[a]
        for b in range(z.size):
            inverse[a, b] -= gain * z[a] * z[b]


def begin(size: int, ridge: float) -> SecondOrderState:
    """Before the first correction; refuses rows that are too wide."""
    if size > WIDEST:
        raise DataError(
            f"the second-order perceptron keeps a number for each pair of columns, and {size - 1} columns are too "
            f"many; leave some out (at most {WIDEST - 1}), or use AveragedPerceptron"
        )
    return SecondOrderState(np.zeros(size), np.eye(size) / ridge)


def _refuse_long_rows(examples: Examples, state: SecondOrderState) -> None:
    """Refuse rows for which x' A^-1 x may overflow."""
    with np.errstate(over="ignore", divide="ignore"):  # after rows of great length, A^-1 is small
        most = np.sqrt(LARGEST / np.abs(state.inverse).max())
    for row in np.flatnonzero(examples.lengths > most)[:1].tolist():
        raise DataError(
            f"row {row}: its length {examples.lengths[row]:.3g} is too large for the square of it to be computed; "
            "divide the columns by a constant"
        )


class _Course:
    """A run under way, one correction after the other."""

    def __init__(self, walk: Walk, state: SecondOrderState) -> None:
        _refuse_long_rows(walk.examples, state)
        self.walk, self.inverse, self.room = walk, state.inverse.copy(), np.empty(walk.w.size)

    def sweep(self, order: Array, copies: Array) -> Reason | None:
        """Look at the copies of the rows in `order`, and correct those that are wrong; the reason if it was cut."""
        walk, at = self.walk, 0
        rows, labels = walk.examples.rows, walk.examples.labels
        while at < order.size:
            if reason := walk.spent():
                return reason
            stop = min(at + walk.at_once, order.size)
            k = int(next_mistake(rows, labels, order[:stop], at, walk.w, walk.ties, self._doubt()))
            walk.seen += int(np.ceil(copies[at:k]).sum()) if copies.size else k - at
            if k < stop:
                if reason := self._correct(int(order[k]), float(copies[k]) if copies.size else 1.0):
                    return reason
                k += 1
            at = k
        return None

    def _correct(self, row: int, copies: float) -> Reason | None:
        """Correct a row for as long as one of its copies is wrong; the reason if it was cut."""
        walk, one = self.walk, np.array([row], self.walk.index)
        rows, labels = walk.examples.rows, walk.examples.labels
        while True:
            part = min(copies, 1.0)
            self._take(row, part, one if part == 1.0 else np.invert(one))
            walk.seen += 1
            copies -= part
            if copies <= 0.0 or next_mistake(rows, labels, one, 0, walk.w, walk.ties, self._doubt()):
                walk.seen += int(np.ceil(copies))
                return None
            if reason := walk.spent():
                return reason

    def _take(self, row: int, part: float, entry: Array) -> None:
        walk = self.walk
        regress(walk.examples.rows, walk.examples.labels, row, part, walk.w, self.inverse, self.room)
        walk.ledger.append(entry)

    def _doubt(self) -> Doubt:
        return kernels.doubt_about(self.walk.examples.rows, 1.01 * find.norm(self.walk.w))


def learn(
    examples: Examples,
    ridge: float,
    *,
    ties: Ties,
    budget: Budget = UNLIMITED,
    rng: np.random.Generator | None = None,
    spread: bool = False,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> SecondOrderRun:
    """Passes until one corrects nothing, or the budget is spent; rows in order, spread out, or shuffled by `rng`."""
    state = begin(examples.size, ridge)
    walk = Walk(examples, ties, state.weights, budget, watch)
    walk.interrupted = interrupted
    course, reason = _Course(walk, state), walk.spent()
    in_order = order_of_a_pass(walk, None, spread) if rng is None else None
    while reason is None:
        before = len(walk.ledger)
        reason = course.sweep(*(in_order or order_of_a_pass(walk, rng)))
        if reason is None:
            walk.ledger.end_pass()
            reason = Reason.SEPARATED if len(walk.ledger) == before else walk.spent()
    ledger = SecondOrderLedger.of(walk.ledger, ridge).seal(examples)
    reason = honest(reason, examples, walk.w, ties)
    return SecondOrderRun(walk.w, ledger, reason, ledger.n_passes, walk.seen, course.inverse)


def follow(examples: Examples, state: SecondOrderState, ties: Ties) -> tuple[SecondOrderState, Array]:
    """Take examples as the next part of a stream: look at each once, in order; changes nothing.

    Returns the state after them, and the corrections by position in `examples`.
    """
    walk = Walk(examples, ties, state.weights.copy(), UNLIMITED)
    course = _Course(walk, state)
    course.sweep(*walk.in_order())
    return SecondOrderState(walk.w, course.inverse), walk.ledger.entries()


class SecondOrderLedger(Ledger):
    """A ledger whose steps follow from all corrections before them."""

    def __init__(self, start: Array, n_rows: int, dtype: Any, ridge: float) -> None:
        super().__init__(start, n_rows, dtype)
        self.ridge = ridge

    def follower(self, examples: Examples) -> Callable[[Array, Array], None]:
        """What makes the corrections of some entries once more, from the first on."""
        if self.start.any():
            raise LedgerError("this run went on from an earlier one, whose corrections this ledger does not have")
        state = begin(examples.size, self.ridge)
        room = np.empty(examples.size)

        def correct(w: Array, entries: Array) -> None:
            for entry in entries.tolist():
                row = entry if entry >= 0 else ~entry
                part = 1.0 if entry >= 0 else float(examples.weights[row] % 1.0)
                regress(examples.rows, examples.labels, row, part, w, state.inverse, room)

        return correct

    def _more(self) -> dict[str, Any]:
        return {"ridge": self.ridge}
