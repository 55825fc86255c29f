"""The cut-off, by what mistakes cost, by the share of yes wanted, or by the number of places.

Problem   a higher score makes yes likelier; from which score on should a rule say yes?
Input     rows that the rule was not learned from, or, for a share or places, the very rows to decide.
Result    `CutOff`: the score, in words how it was found, and a warning if every row gets the same label.

A cut-off is the score of one of the rows, and yes is said at or above it. Rows with equal scores get the same label.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.judge.scored import NO_AND_YES, Names, Scored, numbers_of
from rosenblatt.options import as_float, number, whole
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True)
class CutOff:
    """Yes is said at or above a score."""

    at: float | None  # None: never
    rows: int  # how many it was found on
    said_yes: int  # how many of these get a yes
    how: str
    warning: str | None = None
    names: Names = NO_AND_YES

    def __post_init__(self) -> None:
        number("at", self.at, none=True)
        whole("said_yes", self.said_yes, 0, most=whole("rows", self.rows, 1))

    def of(self, scores: Any) -> Array:
        """The decisions: True for yes."""
        found = numbers_of(scores, "scores")
        return np.zeros(found.size, np.bool_) if self.at is None else found >= self.at

    @property
    def statement(self) -> str:
        """The cut-off, how many rows it says yes to, and how it was found."""
        yes, rows = self.names[1], many(self.rows, "row")
        if self.at is None:
            return f"It says {yes} to none of {rows}: {self.how}"
        return f"It says {yes} at a score of {self.at:.6g} or more, to {self.said_yes:,} of {rows}: {self.how}"

    @property
    def record(self) -> dict[str, Any]:
        """It, for a program."""
        names = ("at", "rows", "said_yes", "statement", "warning")
        return {name: getattr(self, name) for name in names}


def by_cost(rows: Scored, false_yes: float, false_no: float, names: Names = NO_AND_YES) -> CutOff:
    """The cut-off with the least cost on these rows; of several, the one that says yes least often.

    A no that is labelled yes costs `false_yes`, and a yes that is labelled no costs `false_no`, times the row's weight.
    The cut-off is chosen to be cheap on these rows, so expect it to cost somewhat more on others.
    """
    prices = false_yes, false_no
    for name, price in zip(("false_yes", "false_no"), prices, strict=True):
        number(name, price, least=0.0)
    if not any(prices):
        raise OptionError("false_yes and false_no must not both be 0: no mistake would cost anything")
    groups = rows.groups
    costs = np.append(_from_top(groups.no) * false_yes + (groups.yes.sum() - _from_top(groups.yes)) * false_no, 0.0)
    costs = np.append(groups.yes.sum() * false_no, costs[:-1])  # of none, of the highest score, of the two highest, ...
    best = int(np.argmin(costs))
    how = (
        f"its mistakes then cost least, {costs[best]:.6g}, if a false {names[1]} costs {false_yes:g} and a false "
        f"{names[0]} {false_no:g}."
    )
    scores = groups.scores[::-1]
    said = int(np.count_nonzero(rows.scores >= scores[best - 1])) if best else 0
    at, warning = float(scores[best - 1]) if best else None, _same_of_all(costs, best, scores, names)
    return CutOff(at, rows.n, said, how, warning, names)


def _same_of_all(costs: Array, best: int, scores: Array, names: Names) -> str | None:
    """A warning if the cheapest cut-off gives every row the same label."""
    if 0 < best < costs.size - 1:
        return None
    said = names[best > 0]
    cheapest = f"Saying {said} to every row costs least"
    if costs.size == 2:
        return f"{cheapest}: all scores are equal, so no cut-off can tell the rows apart."
    other = 1 + int(np.argmin(costs[1:-1]))
    return (
        f"{cheapest}: at these costs the scores do not help. The cheapest cut-off that gives both labels, "
        f"{scores[other - 1]:.6g}, costs {costs[other]:.6g} instead of {costs[best]:.6g}. "
        f"Check the costs, or ask for a share of {names[1]} instead."
    )


def by_share(scores: Any, share: float, names: Names = NO_AND_YES) -> CutOff:
    """The cut-off whose share of yes on these rows is nearest to this one; if two are as near, the lower share."""
    size = as_float(share)
    if size is None or not 0 <= size <= 1:
        raise OptionError(f"share must be a number from 0 to 1, such as 0.2, not {share!r}")
    found, counts = _counts_of(numbers_of(scores, "scores"))
    n = int(counts[-1])
    best = int(np.argmin(np.abs(counts - size * n)))
    how = f"that share, {counts[best] / n:.2%}, is the nearest to the {size:.2%} asked for."
    return _at(found, counts, best, how, names, wanted=0 < size < 1)


def by_places(scores: Any, places: int, names: Names = NO_AND_YES) -> CutOff:
    """The cut-off that says yes to as many of these rows as there are places for, and to no more."""
    found, counts = _counts_of(numbers_of(scores, "scores"))
    wanted, n = int(whole("places", places, 0)), int(counts[-1])
    best = int(np.searchsorted(counts, wanted, side="right")) - 1
    how = f"there are {many(wanted, 'place')}."
    if wanted >= n:
        how = f"there are {many(wanted, 'place')}, enough for every row."
    elif counts[best] < wanted:
        equal = int(counts[best + 1] - counts[best])
        left = many(wanted - int(counts[best]), "place")
        how = (
            f"there are {many(wanted, 'place')}, and {left} cannot be filled by score, because the next {equal:,} rows "
            f"have the same score, {found[best]:.6g}."
        )
    return _at(found, counts, best, how, names, wanted=0 < wanted < n)


def _counts_of(scores: Array) -> tuple[Array, Array]:
    """The distinct scores, highest first, and how many rows are above the first, the second, ... and above none."""
    found, counts = np.unique(scores, return_counts=True)
    return found[::-1], np.append(0, np.cumsum(counts[::-1]))


def _at(scores: Array, counts: Array, best: int, how: str, names: Names, wanted: bool) -> CutOff:
    """The cut-off at one of the distinct scores; `wanted` says whether both labels were wanted."""
    warning, n = None, int(counts[-1])
    if wanted and counts[best] in (0, n):
        others = [f"{int(count):,}" for count in counts[1:-1][[0, -1] if counts.size > 3 else slice(None)]]
        many_rows = f"between {others[0]} and {others[1]} rows" if len(others) == 2 else f"{''.join(others)} rows"
        why = f"a cut-off that gives both labels says {names[1]} to {many_rows}" if others else "all scores are equal"
        warning = f"It says {names[best > 0]} to every row, because rows with equal scores get the same label: {why}."
    return CutOff(float(scores[best - 1]) if best else None, n, int(counts[best]), how, warning, names)


def _from_top(weights: Array) -> Array:
    """Sums from the highest score on, highest first."""
    return np.cumsum(weights[::-1])
