"""How well scores tell yes from no: at one cut-off, and over all of them.

Problem   rows with scores and labels; how many are right and wrong at a cut-off, and how does that change with it?
Result    `Confusion` for one cut-off; curves with one point for each distinct score, so that rows with equal scores are
          never separated; areas and distances with the scores where they are reached.
Papers    DeLong, DeLong and Clarke-Pearson 1988 (the interval of the area); Boyd, Eng and Page 2013 (that of the
          area under the precision-recall curve).
"""

from dataclasses import dataclass
from math import exp, log, log1p, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge import binomial
from rosenblatt.judge.scored import Scored, labels_of, weights_of
from rosenblatt.options import whole
from rosenblatt.rows.kernels import Array

MOST_PARTS = 1000


@dataclass(frozen=True)
class Confusion:
    """Decisions against actual labels: counts, or sums of weights. A share of nothing is None."""

    true_yes: float
    false_yes: float
    true_no: float
    false_no: float

    @classmethod
    def of(cls, said: Any, rows: Scored) -> "Confusion":
        """The counts for decisions on the rows, True for yes."""
        said = labels_of(said)
        if said.size != rows.n:
            raise DataError(f"there are {said.size:,} decisions but {rows.n:,} rows")
        codes = 2 * said.astype(np.int64) + rows.yes
        true_no, false_no, false_yes, true_yes = np.bincount(codes, rows.weights, 4).tolist()
        return cls(true_yes, false_yes, true_no, false_no)

    @classmethod
    def at(cls, cut_off: float, rows: Scored) -> "Confusion":
        """The counts if yes is said at or above a cut-off."""
        return cls.of(rows.scores >= cut_off, rows)

    @property
    def precision(self) -> float | None:
        """The share of yes among the rows labelled yes."""
        return _share(self.true_yes, self.false_yes)

    @property
    def recall(self) -> float | None:
        """The share of the yes that are labelled yes."""
        return _share(self.true_yes, self.false_no)

    @property
    def specificity(self) -> float | None:
        """The share of the no that are labelled no."""
        return _share(self.true_no, self.false_yes)

    @property
    def accuracy(self) -> float | None:
        """The share that is right."""
        return _share(self.true_yes + self.true_no, self.false_yes + self.false_no)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall: 0 if yes was said but never right."""
        return _share(2 * self.true_yes, self.false_yes + self.false_no)


class Curve(NamedTuple):
    """One point for each cut-off, highest first: no row is labelled yes, then those at or above each distinct score."""

    cut_offs: Array  # the first is infinite
    of_yes: Array  # the share of the yes that is labelled yes
    of_no: Array  # the share of the no that is labelled yes
    precision: Array  # the share of yes among the rows labelled yes; 1 at the first point, where there are none


@dataclass(frozen=True)
class Area:
    """The area under the ROC curve: how often a yes scores higher than a no, equal scores counting half.

    The interval is DeLong's, on the scale of log odds. It assumes rows drawn independently and alike, scored by a rule
    that was not learned from them, and enough rows of each class for the area to be about normal (some dozens); it is
    None for rows with weights. Where the scores leave it no variance (every yes above every no, say), it is an exact
    one, of as many pairs of a yes and a no as share no row.
    """

    value: float
    lower: float | None
    upper: float | None
    confidence: float

    @property
    def gini(self) -> float:
        """The same as a share of what is possible above chance: 2 area - 1."""
        return 2 * self.value - 1


@dataclass(frozen=True)
class MeanPrecision:
    """The area under the precision-recall curve: the mean precision over the yes.

    The interval is the approximate one of Boyd, Eng and Page, on the scale of log odds; None for rows with weights, and
    where every yes scores above every no.
    """

    value: float
    lower: float | None
    upper: float | None
    confidence: float


@dataclass(frozen=True)
class ScoreSeparation:
    """The largest distance between the shares of yes and of no at or above a score (Kolmogorov and Smirnov)."""

    value: float
    score: float  # the highest at which it is reached


@dataclass(frozen=True)
class Gain:
    """The rows with the highest scores, up to a share of all."""

    share: float  # of all rows
    of_yes: float  # the share of all yes that is among them
    lift: float  # how many times as many as among the same number of rows taken at random


def curve(rows: Scored) -> Curve:
    """The points of the ROC and the precision-recall curve."""
    groups = rows.with_both_classes("a curve").groups
    yes, no = np.cumsum(groups.yes[::-1]), np.cumsum(groups.no[::-1])
    return Curve(
        np.append(np.inf, groups.scores[::-1]),
        np.append(0.0, yes / yes[-1]),
        np.append(0.0, no / no[-1]),
        np.append(1.0, yes / (yes + no)),
    )


def area(rows: Scored, confidence: float = 0.95) -> Area:
    """The area under the ROC curve, with its interval."""
    yes, no = rows.with_both_classes("the area under the ROC curve").groups[1:]
    delta, all_yes, all_no = binomial.confident(confidence), float(yes.sum()), float(no.sum())
    no_below = np.cumsum(no) - no / 2  # and half of those with the same score
    value = min(float(yes @ no_below) / all_yes / all_no, 1.0)
    if rows.weights is not None:
        return Area(value, None, None, confidence)
    if min(all_yes, all_no) < 2:
        return Area(value, *_of_pairs(value, 1, delta), confidence)
    yes_above = all_yes - np.cumsum(yes) + yes / 2
    spread = float(yes @ (no_below / all_no - value) ** 2) / (all_yes - 1) / all_yes
    spread += float(no @ (yes_above / all_yes - value) ** 2) / (all_no - 1) / all_no
    if spread <= 0 or not 0 < value < 1:
        return Area(value, *_of_pairs(value, int(min(all_yes, all_no)), delta), confidence)
    reach = NormalDist().inv_cdf(1 - delta / 2) * sqrt(spread) / (value * (1 - value))
    return Area(value, *_around(value, reach), confidence)


def _around(value: float, reach: float) -> tuple[float, float]:
    """An interval that reaches this far on the scale of log odds."""
    odds = log(value) - log1p(-value)
    return 1 / (1 + exp(min(reach - odds, 700))), 1 / (1 + exp(min(-odds - reach, 700)))


def _of_pairs(value: float, pairs: int, delta: float) -> tuple[float, float]:
    """An interval by pairs of a yes and a no that share no row: each is worth 0, 1 or a half."""
    if value in (0.0, 1.0):
        return binomial.interval(round(value * pairs), pairs, 1 - delta)
    reach = sqrt(log(2 / delta) / (2 * pairs))  # Hoeffding
    return max(value - reach, 0.0), min(value + reach, 1.0)


def average_precision(rows: Scored) -> float:
    """The mean precision over the yes: the sum of precision times what each distinct score adds to recall."""
    points = curve(rows)
    return float(np.diff(points.of_yes) @ points.precision[1:])


def mean_precision(rows: Scored, confidence: float = 0.95) -> MeanPrecision:
    """The area under the precision-recall curve, with its interval."""
    value, yes = average_precision(rows), float(rows.groups.yes.sum())
    reach = NormalDist().inv_cdf(1 - binomial.confident(confidence) / 2)
    if rows.weights is not None or not 0 < value < 1:
        return MeanPrecision(value, None, None, confidence)
    return MeanPrecision(value, *_around(value, reach / sqrt(yes * value * (1 - value))), confidence)


def separation(rows: Scored) -> ScoreSeparation:
    """The Kolmogorov-Smirnov distance between the scores of the yes and of the no."""
    points = curve(rows)
    distance = np.abs(points.of_yes - points.of_no)[1:]
    at = int(np.argmax(distance))
    return ScoreSeparation(float(distance[at]), float(points.cut_offs[at + 1]))


def gains(rows: Scored, parts: int = 10) -> tuple[Gain, ...]:
    """How many of all yes are among the first tenth of the rows by score, the first two tenths, ...

    If a part ends among equal scores, it counts their yes in proportion: the average over all orders of these rows.
    """
    groups = rows.groups
    yes, all_ = np.cumsum(groups.yes[::-1]), np.cumsum(groups.all[::-1])
    if yes[-1] == 0:
        raise DataError(f"all {rows.n:,} rows are no: gains need a yes")
    many = int(whole("parts", parts, 1, most=MOST_PARTS))
    shares = np.arange(1, many + 1) / many
    found = np.interp(shares * all_[-1], np.append(0.0, all_), np.append(0.0, yes / yes[-1]))
    return tuple(
        Gain(part, of_yes, of_yes / part) for part, of_yes in zip(shares.tolist(), found.tolist(), strict=True)
    )


def table_of(said: Any, actual: Any, classes: int, weights: Any = None) -> tuple[tuple[float, ...], ...]:
    """The confusion matrix of several classes, as codes from 0: a row for each actual class, a column for each label.

    >>> from rosenblatt.judge.curves import table_of
    >>> table_of([0, 1, 1, 2], [0, 1, 2, 2], classes=3)
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 1.0))
    """
    pair = [np.asarray(each) for each in (said, actual)]
    if any(each.ndim != 1 or each.dtype.kind not in "iu" for each in pair) or pair[0].size != pair[1].size:
        raise DataError("predicted and actual classes must be two lists of whole numbers of the same length")
    if any(((each < 0) | (each >= classes)).any() for each in pair):
        raise DataError(f"classes must be numbered from 0 to {classes - 1}")
    each = None if weights is None else weights_of(weights, pair[0].size)
    counts = np.bincount(pair[1].astype(np.int64) * classes + pair[0], each, classes * classes)
    return tuple(map(tuple, counts.astype(np.float64).reshape(classes, classes).tolist()))


def _share(part: float, rest: float) -> float | None:
    return part / (part + rest) if part + rest > 0 else None
