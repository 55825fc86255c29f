"""Two rules on the same rows: where they differ, whether that can be chance, and what it costs.

Papers    McNemar 1947, with the exact binomial test instead of his approximation.
"""

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge import binomial
from rosenblatt.judge.scored import labels_of, weights_of
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True)
class Comparison:
    """Two rules on rows that neither was learned from; every row counts once.

    The p-value is exact: if both rules were equally often right, the rows where just one is would be divided as by a
    fair coin, and so unevenly with this probability. It assumes rows drawn independently; what mistakes cost has no
    part in it.
    """

    rows: int
    only_first_right: int
    only_second_right: int
    both_right: int
    differ: int  # rows where they say different things: more than one of them right, where there are several classes
    p_value: float
    costs: "CostDifference"

    @property
    def statement(self) -> str:
        """The comparison in words."""
        counts = f"{many(self.only_first_right, 'row')} right only by the first rule"
        other = f"{self.only_second_right:,} only by the second"
        if not self.only_first_right + self.only_second_right:
            return f"The rules are right on the same {self.both_right:,} of {many(self.rows, 'row')}."
        chance = "can be chance" if self.p_value > 0.05 else "is hardly chance"
        test = f"p = {self.p_value:.3g}, McNemar's exact test"
        return f"Of {many(self.rows, 'row')}, {counts}, {other}: that {chance} ({test})."


@dataclass(frozen=True)
class CostDifference:
    """How much more the first rule's mistakes cost than the second's, in all, with an interval.

    The interval is the normal approximation for the sum of the differences, row by row: it needs some dozens of rows
    where just one rule is right. Where every row has the same difference it is an exact one: few rows can have another,
    and none costs more than the dearest of these.
    """

    first: float
    second: float
    lower: float
    upper: float
    confidence: float

    @property
    def difference(self) -> float:
        """Above 0 if the second rule is cheaper."""
        return self.first - self.second


def compare(first: Any, second: Any, actual: Any, costs: Any = None, confidence: float = 0.95) -> Comparison:
    """Two rules' labels for the same rows, beside the actual ones; `costs` is what a mistake on each row costs."""
    one, two, so = (np.asarray(each) for each in (first, second, actual))
    if any(each.ndim != 1 for each in (one, two, so)) or not one.size == two.size == so.size:
        raise DataError("the labels of both rules and the actual ones must be three lists of the same length")
    if not so.size:
        raise DataError("there are no rows to compare the rules on")
    price = np.ones(so.size) if costs is None else weights_of(costs, so.size)
    right, other = labels_of(one == so), labels_of(two == so)
    counts = np.bincount(2 * right.astype(np.int64) + other, minlength=4).tolist()
    return Comparison(
        so.size,
        counts[2],
        counts[1],
        counts[3],
        int(np.count_nonzero(one != two)),
        binomial.sign_p_value(counts[2], counts[1]),
        _costs(price * ~right, price * ~other, price, confidence),
    )


def different(first: Any, second: Any) -> Array:
    """The numbers of the rows where two rules say different things."""
    one, two = np.asarray(first), np.asarray(second)
    if one.shape != two.shape or one.ndim != 1:
        raise DataError("the labels of both rules must be two lists of the same length")
    return np.flatnonzero(one != two)


def _costs(first: Array, second: Array, price: Array, confidence: float) -> CostDifference:
    """The sums, and how far chance makes their difference stray."""
    delta = binomial.confident(confidence)
    each, n = first - second, first.size
    total, most = float(each.sum()), n * float(price.max())
    if (each == each[0]).all():  # then nothing can be told from how the rows vary
        reach = binomial.limit(0, n, log(delta)) * (most + abs(total))
    else:
        reach = NormalDist().inv_cdf(1 - delta / 2) * sqrt(n * float(each.var(ddof=1)))
    lower, upper = max(total - reach, -most), min(total + reach, most)
    return CostDifference(float(first.sum()), float(second.sum()), lower, upper, confidence)
