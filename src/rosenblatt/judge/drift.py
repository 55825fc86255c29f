"""Whether new rows are still like the rows that a rule was learned from: columns, scores, and how often yes is said.

Result    for each column or score a `Drift`: the population stability index, a test whose p-value is small only once in
          so many samples of unchanged rows, and the share of values that were never seen; `RateChange` for decisions.

The index grows with differences and shrinks with rows, so it is no test: about 0.1 is the custom for "look", 0.25 for
"changed", but with few rows chance alone gives as much. The p-value takes the number of rows into account, and says
nothing about how large the change is. Of many columns, some p-values are small by chance: divide 0.05 by their number.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import DataError
from rosenblatt.judge import binomial
from rosenblatt.judge.scored import numbers_of
from rosenblatt.options import whole
from rosenblatt.rows.kernels import Array

ENOUGH = 5.0  # rows expected in a cell for the chi-square distribution to fit (Cochran)
SHUFFLES = 9999
MOST_CELLS = 100
HALF = 0.5  # a row in each cell, so that no share is 0
CHI_SQUARE, PERMUTATION, KOLMOGOROV = "chi-square", "permutation", "Kolmogorov-Smirnov"


@dataclass(frozen=True)
class Drift:
    """How new rows differ from old ones in one column or in the score."""

    index: float  # the population stability index
    p_value: float
    test: str
    old_rows: int
    new_rows: int
    unseen: float = 0.0  # the share of new rows with a value that no old row has; for numbers, outside the old range


@dataclass(frozen=True)
class RateChange:
    """How often yes is said of old and of new rows, each with an exact interval.

    The interval of the change is exact, too, in that it holds with at least the confidence: it is that of two intervals
    which both hold with it.
    """

    old: float
    new: float
    old_interval: tuple[float, float]
    new_interval: tuple[float, float]
    lower: float  # of new - old
    upper: float
    confidence: float

    @property
    def changed(self) -> bool:
        """Whether the interval of the change is without 0."""
        return not self.lower <= 0 <= self.upper


def of_values(old: Any, new: Any, random_state: int = 0) -> Drift:
    """The drift of a column of categories: any values that can be sorted, texts or whole numbers or True and False.

    The test is the chi-square test of two samples, or, where a cell has too few rows for it, the same statistic among
    9,999 shuffles of which row is old (drawn by `random_state`): small only as often as it says. Beyond the 99 most
    frequent values, all others count as one.
    """
    one, two = np.asarray(old), np.asarray(new)
    if one.ndim != 1 or two.ndim != 1 or not one.size or not two.size:
        raise DataError("old and new values must be two lists with at least one row each")
    try:
        values, codes = np.unique(np.concatenate([one, two]), return_inverse=True)
    except TypeError:
        raise DataError("values must all be of one kind, and none may be missing: give missing ones a name") from None
    counts = (
        np.bincount(codes[: one.size], minlength=values.size),
        np.bincount(codes[one.size :], minlength=values.size),
    )
    unseen = float(counts[1][counts[0] == 0].sum() / two.size)
    cells = _few_cells(*counts)
    p_value, test = _same_shares(*cells, random_state)
    return Drift(stability_index(*cells), p_value, test, one.size, two.size, unseen)


def of_numbers(old: Any, new: Any, bins: int = 10) -> Drift:
    """The drift of a column of numbers, or of scores: the index in bins with equally many old rows, and a test of all.

    The test is that of Kolmogorov and Smirnov for two samples. Equal numbers make its p-value too large, never too
    small.
    """
    one, two = numbers_of(old, "old values"), numbers_of(new, "new values")
    many = int(whole("bins", bins, 2, most=1000))
    ordered = np.sort(one)
    edges = np.unique(ordered[np.ceil(np.arange(1, many) / many * one.size).astype(np.int64) - 1])
    counts = [np.bincount(np.searchsorted(edges, each), minlength=edges.size + 1) for each in (one, two)]
    outside = float(np.mean((two < ordered[0]) | (two > ordered[-1])))
    p_value = float(scipy.stats.ks_2samp(one, two).pvalue)
    return Drift(stability_index(*counts), p_value, KOLMOGOROV, one.size, two.size, outside)


def of_decisions(old_yes: int, old_rows: int, new_yes: int, new_rows: int, confidence: float = 0.95) -> RateChange:
    """The change of how often yes is said.

    >>> from rosenblatt.judge import drift
    >>> drift.of_decisions(300, 1000, 450, 1000).changed
    True
    """
    both = 1 - binomial.confident(confidence) / 2  # each of the two holds with this
    old, new = binomial.interval(old_yes, old_rows, both), binomial.interval(new_yes, new_rows, both)
    return RateChange(
        old_yes / old_rows,
        new_yes / new_rows,
        binomial.interval(old_yes, old_rows, confidence),
        binomial.interval(new_yes, new_rows, confidence),
        new[0] - old[1],
        new[1] - old[0],
        confidence,
    )


def stability_index(old: Any, new: Any) -> float:
    """The population stability index of two lists of counts: the sum of (q - p) ln(q / p), p and q being shares.

    Half a row is added to every cell, because a share of 0 would make it infinite.

    >>> from rosenblatt.judge import drift
    >>> round(drift.stability_index([500, 500], [300, 700]), 3)
    0.169
    """
    one, two = (numbers_of(each, "counts") for each in (old, new))
    if one.size != two.size or (one < 0).any() or (two < 0).any():
        raise DataError("counts must be two lists of the same length, none below 0")
    p, q = ((each + HALF) / (each.sum() + HALF * each.size) for each in (one, two))
    return float((q - p) @ np.log(q / p))


def _few_cells(old: Array, new: Array) -> tuple[Array, Array]:
    """The counts of the most frequent values, and of all others together: which ones does not depend on who is old."""
    both = old + new
    if both.size <= MOST_CELLS:
        return old, new
    order = np.argsort(-both, kind="stable")
    one, two = (np.append(each[order[: MOST_CELLS - 1]], each[order[MOST_CELLS - 1 :]].sum()) for each in (old, new))
    return one, two


def _same_shares(old: Array, new: Array, random_state: int) -> tuple[float, str]:
    """How likely shares are so different if old and new rows are drawn alike."""
    both, n, m = old + new, int(old.sum()), int(new.sum())
    if both.size == 1:
        return 1.0, CHI_SQUARE
    found = float(_chi_square(both, new))
    if both.min() * min(n, m) / (n + m) >= ENOUGH:
        return float(scipy.special.chdtrc(both.size - 1, found)), CHI_SQUARE
    rng = np.random.default_rng(int(whole("random_state", random_state, 0)))
    drawn = _chi_square(both, rng.multivariate_hypergeometric(both, m, size=SHUFFLES, method="marginals"))
    as_far = np.count_nonzero(drawn >= found * (1 - 1e-12))  # equal ones, in spite of rounding
    return (1 + int(as_far)) / (1 + SHUFFLES), PERMUTATION


def _chi_square(both: Array, new: Array) -> Array:
    """Pearson's statistic of tables with two rows, of which one is `new` and their sum is `both`."""
    share = new.sum(axis=-1, keepdims=True) / float(both.sum())
    return np.asarray(((new - both * share) ** 2 / both).sum(axis=-1) / (share * (1 - share))[..., 0])
