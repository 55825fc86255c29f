"""How often a rule errs on rows that it was not learned from, and how sure that is."""

from dataclasses import dataclass
from math import log

from rosenblatt.prove.theory import risk

CONFIDENCE = 0.95
HELD_OUT = "held out"


def by_folds(many: int) -> str:
    """How rows are judged by cross-validation, in words."""
    return f"each by a rule learned without its fold, one of {many}"


@dataclass(frozen=True)
class Error:
    """How often the rule errs on rows that it was not learned from, and an interval that holds the true rate."""

    rows: int
    mistakes: int
    lower: float
    upper: float
    confidence: float
    how: str

    @classmethod
    def of(cls, mistakes: int, rows: int, how: str) -> "Error":
        """The exact interval of Clopper and Pearson."""
        tail = log((1 - CONFIDENCE) / 2)
        lower = 1.0 - risk.binomial_limit(rows - mistakes, rows, tail)
        return cls(rows, mistakes, lower, risk.binomial_limit(mistakes, rows, tail), CONFIDENCE, how)

    @property
    def statement(self) -> str:
        """The rate and its interval in one sentence."""
        rate = f"{self.mistakes / self.rows:.2%}"
        return f"{self.mistakes:,} of {self.rows:,} rows wrong, {self.how} ({rate}; {self.interval})."

    @property
    def interval(self) -> str:
        """The interval in words."""
        low, high = (f"{part:.2%}" for part in (self.lower, self.upper))
        return f"with {self.confidence:.0%} confidence {low} to {high}"
