"""How a model does on rows that it did not learn from: labels against classes, and how well scores rank rows.

Input     the rows' classes, the labels that they were given, their scores and probabilities.
Result    `Measures`, and their record for files and programs, which `verify` computes again.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rosenblatt.judge.curves import Area, MeanPrecision, ScoreSeparation, area, mean_precision, separation, table_of
from rosenblatt.judge.decision import UNDECIDED, leads
from rosenblatt.judge.reliability import given, losses
from rosenblatt.judge.scored import Scored
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True, eq=False)
class Answers:
    """The labels, scores and probabilities that a model gives rows that it did not learn from."""

    y: Array
    codes: Array  # of the class that each row is given, or UNDECIDED
    scores: Array  # NaN if the scores of different rows cannot be compared
    probabilities: Array | None
    weights: Array | None

    @property
    def decided(self) -> Array:
        """Which rows are not left to people."""
        return np.asarray(self.codes != UNDECIDED)

    @property
    def wrong(self) -> Array:
        """Which rows are decided wrongly."""
        return np.asarray(self.decided & (self.codes != self.y))

    @property
    def as_scored(self) -> Scored:
        """Scores, and which rows are yes; with several classes, leads, and which rows' highest score is right."""
        if self.scores.ndim == 2:
            return Scored.of(leads(self.scores), self.codes == self.y, self.weights)
        return Scored.of(self.scores, self.y == 1, self.weights)

    @property
    def for_curves(self) -> Scored | None:
        """Scores, and which rows are yes, if there are two classes, with rows of both."""
        if self.scores.ndim == 2 or np.isnan(self.scores).any() or not 0 < np.count_nonzero(self.y) < self.y.size:
            return None
        rows = self.as_scored
        return None if rows.yes.all() or not rows.yes.any() else rows

    @property
    def with_probabilities(self) -> Scored | None:
        """Probabilities of yes, and which rows are yes; with several classes, of the likeliest, and where it is."""
        if self.probabilities is None:
            return None
        if self.probabilities.ndim == 1:
            return given(self.probabilities, self.y == 1, self.weights)
        likeliest = self.probabilities.argmax(axis=1)
        return given(self.probabilities.max(axis=1), likeliest == self.y, self.weights)


@dataclass(frozen=True)
class Measures:
    """How well a model does on rows that it did not learn from."""

    matrix: tuple[tuple[float, ...], ...]  # a row for each class; columns: each label, people
    roc: Area | None  # of two classes, if there are rows of both
    precision_recall: MeanPrecision | None
    separation: ScoreSeparation | None
    brier: float | None  # if there are probabilities
    calibration_error: float | None

    @classmethod
    def of(cls, answers: Answers, classes: int) -> "Measures":
        """The measures of these answers."""
        many = classes + 1
        matrix = table_of(answers.codes % many, answers.y, many, answers.weights)[:classes]
        rows, chances = answers.for_curves, answers.with_probabilities
        lost = None if chances is None else losses(chances)
        return cls(
            matrix,
            None if rows is None else area(rows),
            None if rows is None else mean_precision(rows),
            None if rows is None else separation(rows),
            None if lost is None or answers.probabilities is None else _brier(answers.probabilities, answers),
            None if lost is None else lost.expected_calibration_error,
        )

    def precision(self, code: int) -> float | None:
        """The share of a class among the rows with its label."""
        return _share(self.matrix[code][code], sum(row[code] for row in self.matrix))

    def recall(self, code: int) -> float | None:
        """The share of the rows of a class that get its label."""
        return _share(self.matrix[code][code], sum(self.matrix[code]))

    @property
    def brier_of_shares(self) -> float:
        """The Brier score if every row gets the shares of the classes as its probabilities."""
        rows = np.array(self.matrix).sum(axis=1)
        shares = rows / rows.sum()
        return float(1 - shares @ shares) / (2 if shares.size == 2 else 1)

    @property
    def never_found(self) -> tuple[int, ...]:
        """Classes that have rows, none of which gets their label."""
        return tuple(code for code, row in enumerate(self.matrix) if any(row) and not row[code])

    def record(self, classes: Sequence[str]) -> dict[str, Any]:
        """The measures as plain numbers, with what follows from them, by the names of the classes."""
        each = {
            label: {"precision": self.precision(code), "recall": self.recall(code)}
            for code, label in enumerate(classes)
        }
        return self.kept | {
            "classes": each,
            "gini": None if self.roc is None else self.roc.gini,
        }

    @property
    def kept(self) -> dict[str, Any]:
        """The measures as a model file has them."""
        parts = {name: getattr(self, name) for name in ("roc", "precision_recall", "separation")}
        return {
            "matrix": [list(row) for row in self.matrix],
            **{name: None if part is None else asdict(part) for name, part in parts.items()},
            "brier": self.brier,
            "calibration_error": self.calibration_error,
        }


def _brier(probabilities: Array, answers: Answers) -> float:
    """The mean squared distance of probabilities from 1 for the actual class and 0 for others; of two, that of yes."""
    if probabilities.ndim == 1:
        each = (probabilities - (answers.y == 1)) ** 2
    else:
        each = ((probabilities - np.eye(probabilities.shape[1])[answers.y]) ** 2).sum(axis=1)
    return float(np.average(each, weights=answers.weights))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None
