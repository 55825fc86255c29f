"""Whether new rows are still like the rows that a rule was learned from: columns, scores, and how often yes is said.

Result    for each column or score a `Drift`: the population stability index, the p-value of a test that nothing has
          changed, and the share of values that were never seen; `RateChange` for decisions.

The index measures how large a change is, but is no test. By custom, 0.1 means "look" and 0.25 "changed"; with few rows,
chance alone makes it as large. The p-value takes the number of rows into account, and says
nothing about how large the change is. Of many columns, some p-values are small by chance: `holm` allows for that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import DataError
from rosenblatt.judge import binomial
from rosenblatt.judge.scored import numbers_of
from rosenblatt.options import whole
from rosenblatt.rows.kernels import Array

ENOUGH = 5.0  # rows expected in a cell for the chi-square distribution to fit (Cochran)
MANY = 100  # with so many old rows in a bin, it hardly matters that these rows chose its ends
SHUFFLES = 9999
MOST_SHUFFLED = 10**9  # the most rows that NumPy can shuffle
MOST_CELLS = 100
HALF = 0.5  # of a row, added to each cell so that no share is 0
CHI_SQUARE, PERMUTATION, KOLMOGOROV = "chi-square", "permutation", "Kolmogorov-Smirnov"
URN = "chi-square by simulation"


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
    """How often old and new rows get a yes, each with an exact interval.

    The interval of the change holds with at least the stated confidence: it follows from two intervals that hold
    together with that confidence.
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
    """The drift of a column of categories: texts, whole numbers, booleans, or any other values that can be sorted.

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


def of_counts(old: Any, new: Any, *, quantiles: bool = False, unseen: float = 0.0, random_state: int = 0) -> Drift:
    """The drift between two lists of counts of the same cells, by the tests of `of_values`.

    Cells with too few rows for the chi-square distribution are tested together, as long as two cells remain.
    `quantiles`: the cells are bins between quantiles of the old rows. Their old counts are then less uneven than chance
    makes them, and the new ones more: how many new rows fall between two of n old ones is drawn from an urn (Polya's).
    Where a bin has few old rows, 9,999 such draws take the place of the chi-square distribution.

    >>> from rosenblatt.judge import drift
    >>> drift.of_counts([500, 300, 200], [50, 30, 20]).p_value
    1.0
    """
    one, two = (np.asarray(each, np.int64) for each in (old, new))
    if one.shape != two.shape or one.ndim != 1 or (one < 0).any() or (two < 0).any():
        raise DataError("counts must be two lists of the same length, none below 0")
    if not one.any() or not two.any():
        raise DataError("old and new counts must have at least one row each")
    n, m, there = int(one.sum()), int(two.sum()), one + two > 0
    cells = _few_cells(one[there], two[there])
    index = stability_index(*cells)
    if not quantiles:
        joined = _joined(*cells, (cells[0] + cells[1]) * (min(n, m) / (n + m)) / ENOUGH)
        return Drift(index, *_same_shares(*(joined or cells), random_state), n, m, unseen)
    joined = _joined(*cells, np.minimum(cells[0] / MANY, cells[0] * (m / n) / ENOUGH))  # as old rows alone tell
    return Drift(index, *(_same_shares(*joined, 0) if joined else _by_urn(*cells, random_state)), n, m, unseen)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, adjusted for how many there are (Holm 1979): if nothing changed, any is <= 0.05 one time in twenty.

    >>> from rosenblatt.judge import drift
    >>> drift.holm([0.5, 0.01, 0.02])
    [0.5, 0.03, 0.04]
    """
    found, least = [0.0] * len(p_values), 0.0
    for rank, k in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
        least = max(least, min((len(p_values) - rank) * p_values[k], 1.0))
        found[k] = least
    return found


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


def stability_part(old: float, new: float, old_rows: int, new_rows: int) -> float:
    """What a cell with these shares of old and of new rows adds to the index, with half a row in it."""
    p, q = max(old, HALF / old_rows), max(new, HALF / new_rows)
    return (q - p) * log(q / p)


def _few_cells(old: Array, new: Array) -> tuple[Array, Array]:
    """The counts of the most frequent values, and of all others together; which rows are old plays no part."""
    both = old + new
    if both.size <= MOST_CELLS:
        return old, new
    order = np.argsort(-both, kind="stable")
    one, two = (np.append(each[order[: MOST_CELLS - 1]], each[order[MOST_CELLS - 1 :]].sum()) for each in (old, new))
    return one, two


def _joined(old: Array, new: Array, size: Array) -> tuple[Array, Array] | None:
    """The counts with cells of a size below 1 joined, to cells of at least that size; None if fewer than two remain."""
    order = np.argsort(-size, kind="stable")
    many = int(np.count_nonzero(size >= 1))
    if many == size.size:
        return (old, new) if many > 1 else None
    many -= float(size[order[many:]].sum()) < 1  # the least frequent of the others is joined, too
    if many < 1:
        return None
    one, two = (np.append(each[order[:many]], each[order[many:]].sum()) for each in (old, new))
    return one, two


def _same_shares(old: Array, new: Array, random_state: int) -> tuple[float, str]:
    """The p-value of shares so different, if old and new rows are drawn alike."""
    both, n, m = old + new, int(old.sum()), int(new.sum())
    if both.size == 1:
        return 1.0, CHI_SQUARE
    found = float(_chi_square(both, new))
    if both.min() * min(n, m) / (n + m) >= ENOUGH:
        return float(scipy.special.chdtrc(both.size - 1, found)), CHI_SQUARE
    rng = np.random.default_rng(int(whole("random_state", random_state, 0)))
    if n + m < MOST_SHUFFLED:
        cells = rng.multivariate_hypergeometric(both, m, size=SHUFFLES, method="marginals")
    else:  # of so many rows, hardly one is drawn twice
        cells = rng.multinomial(m, both / both.sum(), size=SHUFFLES)
    drawn = _chi_square(both, cells)
    as_far = np.count_nonzero(drawn >= found * (1 - 1e-12))  # equal ones, in spite of rounding
    return (1 + int(as_far)) / (1 + SHUFFLES), PERMUTATION


def _by_urn(old: Array, new: Array, random_state: int) -> tuple[float, str]:
    """The p-value of new rows spread so differently between old ones, if both are drawn alike."""
    rng, m = np.random.default_rng(int(whole("random_state", random_state, 0))), int(new.sum())
    shares = rng.dirichlet(old + 1 / old.size, size=SHUFFLES)
    drawn = rng.multinomial(m, shares / shares.sum(axis=1, keepdims=True))
    found, each = float(_chi_square(old + new, new)), _chi_square(old + drawn, drawn)
    as_far = int(np.count_nonzero(each >= found * (1 - 1e-12)))
    p_value = (1 + as_far) / (1 + SHUFFLES)
    if not as_far and (spread := float(each.var())) > 0:  # beyond all draws, by the gamma distribution nearest to them
        mean = float(each.mean())
        p_value = min(p_value, float(scipy.special.gammaincc(mean**2 / spread, found * mean / spread)))
    return p_value, URN


def _chi_square(both: Array, new: Array) -> Array:
    """Pearson's statistic of tables with two rows, of which one is `new` and their sum is `both`."""
    share = new.sum(axis=-1, keepdims=True) / both.sum(axis=-1, keepdims=True)
    terms = (new - both * share) ** 2 / np.maximum(both, 1)  # a cell without rows adds nothing
    return np.asarray(terms.sum(axis=-1) / (share * (1 - share))[..., 0])
