"""The error rate of a rule on rows not used in learning, with its confidence interval."""

import re
from dataclasses import dataclass

from rosenblatt.judge import binomial
from rosenblatt.plurals import many

CONFIDENCE = 0.95
HELD_OUT = "held out"  # in model files
FOLDS = "each by a rule learned without its fold, one of {}"  # in model files


def by_folds(folds: int) -> str:
    """How rows are judged in cross-validation, in the words of model files."""
    return FOLDS.format(folds)


@dataclass(frozen=True)
class ErrorEstimate:
    """Mistakes on rows not used in learning, and a confidence interval for the error rate."""

    rows: int
    mistakes: int
    lower: float
    upper: float
    confidence: float
    how: str

    @classmethod
    def of(cls, mistakes: int, rows: int, how: str) -> "ErrorEstimate":
        """The exact interval of Clopper and Pearson."""
        return cls(rows, mistakes, *binomial.interval(mistakes, rows, CONFIDENCE), CONFIDENCE, how)

    @property
    def statement(self) -> str:
        """The rate and its interval in one sentence."""
        made, rate = many(self.mistakes, "mistake"), f"{self.mistakes / self.rows:.2%}"
        return f"{made} on {self.rows:,} {self.which} ({rate}; {self.interval})."

    @property
    def which(self) -> str:
        """The rows that were judged, in words."""
        if self.how == HELD_OUT:
            return "held-out rows"
        folds = re.fullmatch(FOLDS.format(r"(\d+)"), self.how)
        return f"rows in {folds[1]}-fold cross-validation" if folds else f"rows {self.how}"

    @property
    def interval(self) -> str:
        """The interval in words."""
        low, high = (f"{part:.2%}" for part in (self.lower, self.upper))
        return f"{self.confidence:.0%} confidence interval {low} to {high}"
