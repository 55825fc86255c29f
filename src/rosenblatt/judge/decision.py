"""What a model ships besides its rule: the cut-offs that turn scores into labels, and the probability at each score.

Both are tables of scores, which every engine compares alike, so labels and probabilities are the same everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge.calibration import OneVsRest, Sigmoid, Steps, VennAbers
from rosenblatt.judge.ladder import ASK, YES, Rung
from rosenblatt.rows.kernels import Array

ASK_A_PERSON = "ask a person"  # in place of a label
UNDECIDED = -1  # in place of the code of a class


@dataclass(frozen=True)
class Decision:
    """How the scores of a rule become decisions and probabilities.

    With two classes, `rung` has the cut-offs of the score: yes at or above `upper`, no below `lower`, a person between
    them. With more, it has one for the lead of the highest score over the second: at or above `upper`, the class with
    the highest score; below, a person. None: the rule decides by itself, and every row.
    """

    rung: Rung | None = None
    probability: Steps | VennAbers | OneVsRest | None = None

    def __post_init__(self) -> None:
        each = self.probability.classes if isinstance(self.probability, OneVsRest) else (self.probability,)
        if any(isinstance(one, Sigmoid) for one in each):
            raise DataError("a shipped probability must be a table: engines may round a logistic differently")
        ends = () if self.rung is None else (self.rung.lower, self.rung.upper)
        given = [end for end in ends if end is not None]
        if not all(map(isfinite, given)) or sorted(given) != given:
            raise DataError("the cut-offs must be finite numbers, the lower one not above the upper one")

    @property
    def asks(self) -> bool:
        """Whether it may leave a row to a person."""
        return self.rung is not None and (self.rung.lower is None or self.rung.lower != self.rung.upper)

    def check(self, classes: Sequence[Any]) -> None:
        """Refuse a decision that is not for these classes."""
        several = len(classes) > 2
        if several and self.rung is not None and self.rung.lower is not None:
            raise DataError(
                "with more than two classes there is no lower cut-off: only the highest score gives a label"
            )
        tables = len(self.probability.classes) if isinstance(self.probability, OneVsRest) else 2
        if self.probability is not None and tables != len(classes):
            raise DataError(f"the probabilities are for {tables} classes, not {len(classes)}")
        if self.asks and ASK_A_PERSON in classes:
            raise DataError(
                f"a class is called {ASK_A_PERSON!r}, so it could not be told apart from rows left to people"
            )

    def codes(self, scores: Array, own: Array) -> Array:
        """The code of the class that each row is given, or UNDECIDED; `own` are the codes that the rule gives."""
        if self.rung is None or not len(scores):
            return own
        if scores.ndim == 2:
            return np.where(self.rung.of(leads(scores)) == YES, own, UNDECIDED)
        said = self.rung.of(scores)
        return np.where(said == ASK, UNDECIDED, (said == YES).astype(np.int64))

    def probabilities(self, scores: Any) -> Array | None:
        """The probability of yes for each score, or of each class; None if there is no table for them."""
        return None if self.probability is None else self.probability.of(scores)


def leads(scores: Array) -> Array:
    """How far the highest score of each row is ahead of the second highest."""
    two = np.partition(scores, scores.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])
