"""Two rules on the same rows: where they differ, whether that may be chance, and what it costs.

Papers    McNemar 1947, with the exact binomial test instead of his approximation.
"""

from dataclasses import dataclass, field
from math import inf, log, sqrt
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

    The p-value is exact: if both rules were right equally often, each row where just one is right would be a toss of a
    fair coin, and this is the probability of so uneven a division, or a more uneven one. It assumes rows drawn
    independently, and ignores what mistakes cost.
    """

    rows: int
    only_first_right: int
    only_second_right: int
    both_right: int
    differ: int  # rows that they label differently: with several classes, both may be wrong there
    p_value: float
    costs: "CostDifference"

    @property
    def statement(self) -> str:
        """The comparison in words."""
        first, second = f"{self.only_first_right:,}", f"{self.only_second_right:,}"
        if not self.only_first_right + self.only_second_right:
            return f"The rules are right on the same {self.both_right:,} of {many(self.rows, 'row')}."
        chance = "may be chance" if self.p_value > 0.05 else "is unlikely to be chance"
        test = f"p = {self.p_value:.3g}, McNemar's exact test"
        alone = f"only the first rule is right on {first}, only the second on {second}"
        return f"Of {many(self.rows, 'row')}, {alone}: that {chance} ({test})."


@dataclass(frozen=True)
class CostDifference:
    """How much more the first rule's mistakes cost than the second's, in all, with an interval.

    The interval is the normal approximation for the sum of the differences, row by row: it needs some dozens of rows
    where just one rule is right. If every row has the same difference, the interval is exact instead: few rows can have
    another difference, and none is taken to cost more than the dearest of these.
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
    running = Running()
    running.add(one, two, so, None if costs is None else weights_of(costs, so.size))
    return running.comparison(confidence)


@dataclass
class Running:
    """Two rules on rows that come in parts."""

    counts: Array = field(default_factory=lambda: np.zeros(4, np.int64))  # both wrong, second right, first right, both
    differ: int = 0
    costs: tuple[float, float] = (0.0, 0.0)
    dearest: float = 0.0
    mean: float = 0.0  # of the differences of costs, row by row
    squares: float = 0.0  # of their distances from it
    span: tuple[float, float] = (inf, -inf)

    @property
    def rows(self) -> int:
        """How many rows there were."""
        return int(self.counts.sum())

    def add(self, first: Array, second: Array, actual: Array, price: Array | None = None) -> None:
        """Add rows: both rules' labels, the actual ones, and what a mistake on each costs, which is 1 by default."""
        if not actual.size:
            return
        price = np.ones(actual.size) if price is None else price
        right, other = labels_of(first == actual), labels_of(second == actual)
        before, n = self.rows, actual.size
        self.counts += np.bincount(2 * right.astype(np.int64) + other, minlength=4)
        self.differ += int(np.count_nonzero(first != second))
        one, two = price * ~right, price * ~other
        self.costs = self.costs[0] + float(one.sum()), self.costs[1] + float(two.sum())
        self.dearest = max(self.dearest, float(price.max()))
        each = one - two
        mean, share = float(each.mean()), n / (before + n)
        self.squares += n * float(each.var()) + (mean - self.mean) ** 2 * before * share
        self.mean += (mean - self.mean) * share
        self.span = min(self.span[0], float(each.min())), max(self.span[1], float(each.max()))

    def comparison(self, confidence: float = 0.95) -> Comparison:
        """The comparison on all of these rows."""
        if not self.rows:
            raise DataError("there are no rows to compare the rules on")
        _, second, first, both = self.counts.tolist()
        p_value = binomial.sign_p_value(first, second)
        return Comparison(self.rows, first, second, both, self.differ, p_value, self._costs(confidence))

    def _costs(self, confidence: float) -> CostDifference:
        """The sums, and the interval of their difference."""
        delta, n = binomial.confident(confidence), self.rows
        total, most = self.costs[0] - self.costs[1], n * self.dearest
        if self.span[0] == self.span[1]:  # no variation to estimate the spread from
            reach = binomial.limit(0, n, log(delta)) * (most + abs(total))
        else:
            reach = NormalDist().inv_cdf(1 - delta / 2) * sqrt(n * self.squares / (n - 1))
        lower, upper = max(total - reach, -most), min(total + reach, most)
        return CostDifference(*self.costs, lower, upper, confidence)


def different(first: Any, second: Any) -> Array:
    """The numbers of the rows that two rules label differently."""
    one, two = np.asarray(first), np.asarray(second)
    if one.shape != two.shape or one.ndim != 1:
        raise DataError("the labels of both rules must be two lists of the same length")
    return np.flatnonzero(one != two)
