"""Ladders of cut-offs to try in a fixed order, from the most cautious pair to the boldest.

A ladder must depend on neither the labels nor the scores of the rows that the pair is then chosen on: it is made from
other rows, such as those learned from. (Quantiles of the scores of those very rows would be nearly valid, but not
exactly: given that a pair was reached, the rows it decides are no longer drawn like fresh ones.)
"""

from dataclasses import dataclass
from math import inf, nextafter
from sys import float_info
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge.calibration import Sigmoid, Steps, VennAbers
from rosenblatt.judge.scored import numbers_of
from rosenblatt.options import number, one_of, whole
from rosenblatt.rows.kernels import Array

RUNGS = 40
MOST_RUNGS = 1000
YES, NO, ASK = 1, -1, 0


@dataclass(frozen=True)
class Rung:
    """Yes at or above `upper`, no below `lower`, a person in between; None: that label is never given."""

    lower: float | None
    upper: float | None
    of_no: float = 0.0  # of the rows that the ladder is made from, the share that it labels no
    of_yes: float = 0.0  # and yes

    def of(self, scores: Any) -> Array:
        """The decisions: YES, NO or ASK for each score."""
        found = numbers_of(scores, "scores")
        said = np.full(found.size, ASK, np.int8)
        if self.lower is not None:
            said[found < self.lower] = NO
        if self.upper is not None:
            said[found >= self.upper] = YES
        return said


@dataclass(frozen=True)
class Ladder:
    """Rungs, each of which decides every row that the one before it decides, in the same way, and perhaps more.

    Or single cut-offs, each of which gives one label, yes or no, to every row that the one before it gives it to, and
    the other label to the rest.
    """

    rungs: tuple[Rung, ...]

    def __post_init__(self) -> None:
        if not self.rungs:
            raise DataError("a ladder must have a rung")
        uppers = np.array([np.inf if rung.upper is None else rung.upper for rung in self.rungs])
        lowers = np.array([-np.inf if rung.lower is None else rung.lower for rung in self.rungs])
        if np.isnan(uppers).any() or np.isnan(lowers).any() or (lowers > uppers).any():
            raise DataError("every rung needs a lower cut-off that is not above the upper one")
        if self.without_asking and ((uppers[1:] >= uppers[:-1]).all() or (lowers[1:] <= lowers[:-1]).all()):
            return
        if (uppers[1:] > uppers[:-1]).any():
            raise DataError("upper cut-offs must not rise from rung to rung")
        if (lowers[1:] < lowers[:-1]).any():
            raise DataError("lower cut-offs must not fall from rung to rung")

    @property
    def without_asking(self) -> bool:
        """Whether every rung is a single cut-off: below it, no is said."""
        return all(rung.lower == rung.upper for rung in self.rungs)

    @classmethod
    def around(cls, cut_off: float, scores: Any, rungs: int = RUNGS) -> "Ladder":
        """Pairs at equal distances from a cut-off; the k-th decides about k / rungs of the rows that are given."""
        found, cut_off = numbers_of(scores, "scores"), float(number("cut_off", cut_off))
        reaches = _quantiles(np.abs(found - cut_off), rungs)
        pairs = [(cut_off - reach, cut_off + reach) for reach in reaches.tolist()]
        return cls._made([*pairs, (cut_off, cut_off)], found)

    @classmethod
    def by_chance(cls, calibration: Sigmoid | Steps | VennAbers, scores: Any, rungs: int = RUNGS) -> "Ladder":
        """Pairs with equal chances of being wrong on both sides, by a calibration; the surest rows are decided first.

        The calibration, too, must be made from other rows than those that the pair is chosen on.
        """
        found = np.sort(numbers_of(scores, "scores"))
        of_yes = calibration.of(found)
        if (of_yes[1:] < of_yes[:-1]).any():
            raise DataError("higher scores must not have lower probabilities: the rule is worse than its opposite")
        of_no, above = (1 - of_yes)[::-1], min(nextafter(float(found[-1]), inf), float_info.max)
        pairs: list[tuple[float | None, float | None]] = []
        for least in [*_quantiles(np.maximum(of_yes, 1 - of_yes), rungs).tolist(), 0.5]:
            first, noes = int(np.searchsorted(of_yes, least)), found.size - int(np.searchsorted(of_no, least))
            upper = float(found[first]) if first < found.size else None
            lower = None if noes == 0 else float(found[noes]) if noes < found.size else above
            pairs.append((lower if lower is None or upper is None else min(lower, upper), upper))
        return cls._made(pairs, found)

    @classmethod
    def from_top(cls, scores: Any, below: str = "no", rungs: int = RUNGS) -> "Ladder":
        """Yes from the highest scores on; the k-th rung says it to about k / rungs of the rows that are given.

        Below, "no" is said or a person is to "ask". With "ask", it also fits several classes: the score is how far the
        first class is ahead of the second, and yes means that the first is right.
        """
        found, asked = numbers_of(scores, "scores"), one_of("below", below, ("no", "ask")) == "ask"
        return cls._made([(None if asked else cut, cut) for cut in _quantiles(found, rungs).tolist()], found)

    @classmethod
    def from_bottom(cls, scores: Any, rungs: int = RUNGS) -> "Ladder":
        """No from the lowest scores on, and yes above; the k-th rung says no to about k / rungs of the rows."""
        found = numbers_of(scores, "scores")
        above = [min(nextafter(-cut, inf), float_info.max) for cut in _quantiles(-found, rungs).tolist()]
        return cls._made([(cut, cut) for cut in above], found)

    @classmethod
    def _made(cls, pairs: list[tuple[float | None, float | None]], scores: Array) -> "Ladder":
        """The rungs, without repetitions, and which shares of the scores they decide."""
        found = []
        for lower, upper in dict.fromkeys(pairs):
            said = Rung(lower, upper).of(scores)
            found.append(Rung(lower, upper, float(np.mean(said == NO)), float(np.mean(said == YES))))
        return cls(tuple(found))


def _quantiles(values: Array, rungs: int) -> Array:
    """The k-th of them has about k / rungs of the values at or above it, for each k."""
    many = int(whole("rungs", rungs, 1, most=MOST_RUNGS))
    ranks = np.ceil(np.arange(1, many + 1) / many * values.size).astype(np.int64)
    return np.asarray(np.sort(values)[::-1][np.maximum(ranks, 1) - 1])
