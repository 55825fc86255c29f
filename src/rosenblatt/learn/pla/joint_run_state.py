"""A run of the perceptron of several classes under way, its ledger, and what a rule of several classes says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.choices import UNLIMITED, Budget, Reason
from rosenblatt.learn.ledger import Ledger, Tape
from rosenblatt.learn.passes.averaged import NO_SUMS, Tally
from rosenblatt.learn.passes.averaged_kernels import Log
from rosenblatt.learn.pla import joint_kernels
from rosenblatt.learn.pla.joint_kernels import Joint, Looks
from rosenblatt.learn.run_state import FOREVER, Walk
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Rows, Ties
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.scan import LabelledRows
from rosenblatt.rows.storage import n_rows

NO_LABELS = np.empty(0, np.int64)


class JointLedger(Ledger):
    """The corrected rows and their rivals in order: an entry is i K + r for row i against class r of K."""

    def __init__(self, start: Array, n_rows: int, dtype: Any = np.int64, classes: int = 2) -> None:
        if type(classes) is not int or classes < 2 or start.size % classes:
            raise OptionError(f"the weights of a ledger of several classes must be those of {classes!r} classes")
        super().__init__(start.ravel(), n_rows, dtype)
        self.numbers_per_row = classes

    @property
    def rivals(self) -> Array:
        """The classes against which the rows were corrected, in order."""
        entries = self.entries()
        return np.where(entries < 0, ~entries, entries) % self.numbers_per_row

    def follower(self, examples: Examples) -> Callable[[Array, Array], None]:
        """What makes the corrections of some entries once more, given the weights before them, which it changes."""
        rows, own, weights, many = examples.rows, examples.labels, examples.weights, self.numbers_per_row
        return lambda w, entries: joint_kernels.replay(rows, own, weights, w.reshape(many, -1), entries)

    def _loss(self, examples: Examples, w: Array) -> float:
        """By how much the strongest rivals lead, summed over the rows."""
        scores = scores_of(examples.rows, w.reshape(self.numbers_per_row, -1))
        own = np.take_along_axis(scores, examples.labels[:, np.newaxis], axis=1)[:, 0]
        losses = scores.max(axis=1) - own
        return float(losses @ examples.weights if examples.weights.size else losses.sum())

    def _more(self) -> dict[str, Any]:
        return {"classes": self.numbers_per_row}


class JointWalk(Walk):
    """A run under way; `W` is `w` as a table, and `sums` is what the mean of all W needs, if that is wanted."""

    examples: JointExamples

    def __init__(
        self,
        examples: JointExamples,
        ties: Ties,
        tally: Tally,
        budget: Budget = UNLIMITED,
        watch: Callable[[Walk], None] | None = None,
    ) -> None:
        many = len(examples.classes)
        super().__init__(examples, ties, tally.last.ravel().copy(), budget, watch)
        self.W = self.w.reshape(many, -1)
        self.sums = tally.sums.copy() if tally.sums.size else np.empty((0, self.W.shape[1]))
        self.looks = tally.looks
        self.when = Tape(np.int64)
        self.index = find.index_type(examples.n * many)
        self.ledger = JointLedger(self.w, examples.n, self.index, many)
        self.at_once = max(self.at_once // many, 1)
        self._scores = np.empty(many)

    @property
    def tally(self) -> Tally:
        """The weights now, and what their average needs."""
        return Tally(self.W, self.sums if self.sums.size else NO_SUMS, self.looks)

    def sweep(
        self, order: Array, copies: Array, quiet: int = 0, patience: int = FOREVER, most: int | None = None
    ) -> tuple[int, int]:
        """Look at rows, and correct at most `most`; returns how far it came, and how many were right since."""
        page, doubt = self.room()
        page = page[:most]
        self._refuse_overflow(page.size)
        when, examples = np.empty(page.size, np.int64), self.examples
        at, made, looks, quiet = joint_kernels.sweep(
            examples.rows, examples.labels, order, copies, Joint(self.W, self.sums, self._scores),
            Looks(self.looks, quiet), patience, self.ties, doubt, Log(page, when),
        )  # fmt: skip
        self.seen += looks - self.looks
        self.looks = looks
        self.ledger.append(page[:made])
        self.when.append(when[:made])
        return int(at), int(quiet)

    def correct(self, order: Array, copies: Array, quiet: int, patience: int) -> tuple[int, int]:
        """`sweep`, by the name that it has for every walk."""
        return self.sweep(order, copies, quiet, patience)

    def cost(self) -> float:
        """What the mistakes of the present weights cost, as they are predicted."""
        wrong = wrong_rows(self.examples, self.W)
        return float(self.examples.weights[wrong].sum() if self.examples.weights.size else wrong.size)

    def _refuse_overflow(self, updates: int) -> None:
        if self.sums.size:
            longest = find.norm(self.w) + (updates + 1) * self.examples.radius
            most = float(self.looks + self.examples.n_copies) * updates * longest
            if not find.norm(self.sums) + most < kernels.HUGE:
                raise DataError(
                    "the average would overflow: the values are too large; divide the columns by a constant"
                )

    def is_clean(self) -> bool:
        """Whether no row is a mistake, as mistakes are counted in learning."""
        (order, copies), looks, seen = self.in_order(), self.looks, self.seen
        at, _ = self.sweep(order, copies, most=0)
        self.looks, self.seen = looks, seen
        return at == order.size


def honest(reason: Reason, examples: JointExamples, W: Array) -> Reason:
    """The reason, unless rows with equal scores, which were not corrected, are predicted wrong."""
    if reason is Reason.SEPARATED and wrong_rows(examples, W).size:
        return Reason.QUIET
    return reason


# -- what a rule says ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Choices:
    """The class of every row: that with the exactly largest score, the first of equals."""

    weights: find.Fixed

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> None:
        """Those of rows first .. last-1."""
        W = self.weights.w
        joint_kernels.choose(table.rows, first, last, W, self.weights.doubt(table), np.empty(len(W)), out)


def chosen(rows: Rows, W: Array) -> Array:
    """The class of every row, of rows that are at hand and may have no label."""
    return _classes(Examples(rows, NO_LABELS), W)


def _classes(examples: Examples, W: Array) -> Array:
    out, W = np.empty(examples.n, np.int64), np.ascontiguousarray(W)
    examples.scan.look(examples, Choices(find.Fixed.of(W)), out, times=len(W))
    return out


def wrong_rows(examples: JointExamples, W: Array) -> Array:
    """The rows that count and that are predicted wrong."""
    wrong = _classes(examples, W) != examples.labels
    return np.flatnonzero(wrong & (examples.weights > 0) if examples.weights.size else wrong)


def scores_of(rows: Rows, W: Array) -> Array:
    """The score of every class on every row, each with its exact sign."""
    every = Examples(rows, np.ones(n_rows(rows), np.int8))
    return np.stack([find.margins(every, w) for w in W], axis=1)
