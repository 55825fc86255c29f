"""How far probabilities can be trusted: bins of rows with exact intervals, and what the probabilities lose.

Problem   a row is given a probability of yes; of all rows with a similar probability, how many are yes?
Result    bins (`reliability`), and `Losses`: Brier score and log loss with their parts, the expected calibration error.
Papers    Brier 1950; Dimitriadis, Gneiting and Jordan 2021 (the parts, by isotonic regression instead of bins).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge import binomial
from rosenblatt.judge.calibration import pooled
from rosenblatt.judge.scored import Scored
from rosenblatt.options import one_of, whole
from rosenblatt.rows.kernels import Array

MOST_BINS = 10_000


@dataclass(frozen=True)
class Bin:
    """Rows that were given similar probabilities, and how many of them are yes."""

    least: float  # the lowest probability in it
    most: float
    mean: float
    rows: float  # their weight; their number, if they have no weights
    yes: float
    lower: float | None  # of the exact interval of the share of yes; None for rows with weights
    upper: float | None

    @property
    def share(self) -> float:
        """The share of yes."""
        return self.yes / self.rows

    @property
    def holds(self) -> bool | None:
        """Whether the mean probability is in the interval; None for rows with weights."""
        return None if self.lower is None or self.upper is None else self.lower <= self.mean <= self.upper


@dataclass(frozen=True)
class LossParts:
    """A mean loss and its parts: loss = miscalibration - discrimination + uncertainty, none of them negative.

    Miscalibration is what an isotonic recalibration of these rows would gain; discrimination, what the recalibrated
    probabilities gain over one probability for every row; uncertainty, what that one probability loses.
    """

    loss: float
    miscalibration: float
    discrimination: float
    uncertainty: float


@dataclass(frozen=True)
class Losses:
    """What probabilities lose, per row."""

    brier: LossParts
    log: LossParts | None  # None if a row has a label whose probability was 0
    expected_calibration_error: float  # over the bins asked for


def given(probabilities: Any, yes: Any, weights: Any = None) -> Scored:
    """Rows whose score is a probability of yes."""
    rows = Scored.of(probabilities, yes, weights)
    if (outside := (rows.scores < 0) | (rows.scores > 1)).any():
        row = int(np.argmax(outside))
        raise DataError(f"row {row}: {rows.scores[row]:g} is not a probability; calibrate scores first")
    return rows


def reliability(rows: Scored, bins: int = 10, by: str = "rows", confidence: float = 0.95) -> tuple[Bin, ...]:
    """The rows in bins of about as many rows each (by="rows"), or of equal width (by="width"); empty ones left out.

    Rows with equal probabilities share a bin. The intervals are those of Clopper and Pearson, one for each bin: with
    confidence 95%, each bin may miss in one sample of twenty even if every probability is right.
    """
    groups = rows.groups
    bin_of, sums = _bins(rows, bins, by), groups.all
    binomial.confident(confidence)
    found = []
    first = np.flatnonzero(np.concatenate([[True], bin_of[1:] != bin_of[:-1]]))
    for begin, end in zip(first.tolist(), [*first[1:].tolist(), bin_of.size], strict=True):
        total, yes = float(sums[begin:end].sum()), float(groups.yes[begin:end].sum())
        mean = float(groups.scores[begin:end] @ sums[begin:end]) / total
        lower, upper = (None, None) if rows.weights is not None else binomial.interval(int(yes), int(total), confidence)
        found.append(Bin(float(groups.scores[begin]), float(groups.scores[end - 1]), mean, total, yes, lower, upper))
    return tuple(found)


def _bins(rows: Scored, bins: int, by: str) -> Array:
    """The bin of each group, none before the last one's."""
    many = int(whole("bins", bins, 1, most=MOST_BINS))
    if one_of("by", by, ("rows", "width")) == "width":
        return np.asarray(np.searchsorted(np.linspace(0.0, 1.0, many + 1)[1:-1], rows.groups.scores))
    sums = rows.groups.all
    up_to = np.cumsum(sums)
    return np.asarray(np.minimum((up_to - sums / 2) / up_to[-1] * many, many - 1).astype(np.int64))


def expected_calibration_error(bins: tuple[Bin, ...]) -> float:
    """The mean distance, over the rows, between a bin's mean probability and its share of yes.

    It is above 0 even for perfect probabilities, and the more so the fewer rows a bin has: compare it only between
    probabilities of the same rows in the same bins.
    """
    rows = sum(one.rows for one in bins)
    return sum(one.rows * abs(one.mean - one.share) for one in bins) / rows


def losses(rows: Scored, bins: int = 10, by: str = "rows") -> Losses:
    """Brier score, log loss and expected calibration error of rows whose score is a probability of yes."""
    yes, all_ = rows.groups.yes, rows.groups.all
    p = rows.groups.scores
    begins, values = pooled(yes, all_)
    recalibrated = np.repeat(values, np.diff(begins, append=p.size))
    base = np.full(p.size, yes.sum() / all_.sum())
    each = [(_brier(q, yes, all_), _log_loss(q, yes, all_)) for q in (p, recalibrated, base)]
    brier, log = zip(*each, strict=True)
    return Losses(
        _parts(*brier),
        _parts(*log) if np.isfinite(log[0]) else None,
        expected_calibration_error(reliability(rows, bins, by)),
    )


def _parts(loss: float, recalibrated: float, base: float) -> LossParts:
    """No part is below 0, except by rounding."""
    return LossParts(loss, max(loss - recalibrated, 0.0), max(base - recalibrated, 0.0), base)


def _brier(p: Array, yes: Array, all_: Array) -> float:
    return float((yes @ (1 - p) ** 2 + (all_ - yes) @ p**2) / all_.sum())


def _log_loss(p: Array, yes: Array, all_: Array) -> float:
    """Infinite if a label of probability 0 occurs; a probability of 0 for a label that does not occur loses nothing."""
    no = all_ - yes
    with np.errstate(divide="ignore"):
        of_yes = -np.log(p[yes > 0]) @ yes[yes > 0]
        of_no = -np.log1p(-p[no > 0]) @ no[no > 0]
    return float((of_yes + of_no) / all_.sum())
