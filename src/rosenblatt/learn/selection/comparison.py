"""Choose among candidates by cross-validation, and average those that noise cannot tell apart.

Problem   a rule that errs little on rows not seen.
Input     rows, their classes and costs; splits: rows to learn from and rows to judge by; candidates.
Result    `Choice`: every candidate's errors, and which are kept; then the weights that all rows give those.
Method    Every candidate learns from the same rows of every split, and is judged by the same others. The difference
          between its mistakes and those of the best, row by row, has a standard error. Those whose error is larger by
          no more than that are kept, and the rule is the mean of their weights, each scaled to scores of mean size 1:
          to pick one of them would be to pick by luck.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil

import numpy as np

from rosenblatt.geometry.whitening import Space
from rosenblatt.learn.selection.path import Candidate, follow
from rosenblatt.learn.selection.saturating import Problems
from rosenblatt.learn.selection.standard import Standard
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import some_rows
from rosenblatt.rows.threads import in_pieces

TOGETHER = 32_000  # scores of splits that are learned together
GROUPS = 2  # of splits, at least: for two cores
WORK = 20  # looks at each number, at least: what a thread must be worth
NOISE = 1.0  # standard errors

SHOWN = 3  # of the others, in the statement

Split = tuple[Array, Array]  # rows to learn from, rows to judge by


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Rows with a class and a cost each."""

    rows: Rows
    codes: Array
    costs: Array
    classes: int

    def some(self, chosen: Array) -> "LabelledTable":
        """Some of the rows."""
        return LabelledTable(some_rows(self.rows, chosen), self.codes[chosen], self.costs[chosen], self.classes)

    def signs(self) -> Array:
        """+1 for the rows of a class and -1 for others: of the second class, or of each, where there are more."""
        wanted = np.arange(self.classes)[:, np.newaxis] if self.classes > 2 else np.ones((1, 1), np.int64)
        return np.where(self.codes == wanted, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Choice:
    """What was tried, how it did, and what is kept."""

    tried: tuple[Candidate, ...]
    errors: Array  # of each candidate (a row) in each split
    error: Array  # of each candidate: a row that was judged several times counts once
    noise: Array  # the standard error of its difference from the best

    @property
    def best(self) -> int:
        """The one of least error; of several, the simplest."""
        return int(np.argmin(self.error))

    @property
    def kept(self) -> Array:
        """Which are part of the rule."""
        return np.asarray(self.error - self.error[self.best] <= NOISE * self.noise)

    @property
    def chosen(self) -> tuple[Candidate, ...]:
        """Those kept, the best first."""
        return tuple(self.tried[k] for k in np.argsort(self.error, kind="stable") if self.kept[k])

    @property
    def statement(self) -> str:
        """What was chosen and why."""
        if not self.errors.shape[1]:
            return f"There are too few rows to compare candidates; the rule is the mean of all {len(self.tried)}."
        first, *others = map(str, self.chosen)
        error, in_order = self.error[self.best], np.sort(self.error)
        said = f"Of {many(len(self.tried), 'candidate')}, the {first} errs least on rows not learned from: on"
        if not others:
            beside = f"; the next errs on {percent(in_order[1])}" if in_order.size > 1 else ""
            return f"{said} {percent(error)} of them{beside}."
        some = ", ".join(others[:SHOWN]) + (f", and {len(others) - SHOWN} more" if len(others) > SHOWN else "")
        worst = percent(self.error[self.kept].max())
        return (
            f"{said} {percent(error)} of them. Up to {worst}, the difference may be noise ({some}); "
            f"the rule is the mean of these {len(others) + 1}."
        )


def compare(data: LabelledTable, splits: Sequence[Split], tried: tuple[Candidate, ...]) -> Choice:
    """Judge every candidate in every split; without any, all are as good."""
    if not splits:
        return Choice(tried, np.zeros((len(tried), 0)), np.zeros(len(tried)), np.zeros(len(tried)))
    space, signs = Standard.of(data.rows).space(data.rows), data.signs()
    step = min(max(TOGETHER // signs.size, 1), ceil(len(splits) / GROUPS))
    groups = [splits[begin : begin + step] for begin in range(0, len(splits), step)]

    def judge(first: int, last: int) -> list[Array]:
        return [wrong for group in groups[first:last] for wrong in _judged(data, space, signs, group, tried)]

    found = in_pieces(judge, 0, len(groups), WORK * step * space.size * signs.shape[1])
    mistakes, times, errors = np.zeros((len(tried), data.codes.size)), np.zeros(data.codes.size), []
    for wrong, (_, judged) in zip(chain.from_iterable(found), splits, strict=True):
        mistakes[:, judged] += wrong
        times[judged] += 1.0
        errors.append(wrong @ data.costs[judged] / data.costs[judged].sum())
    seen = times > 0
    return _measured(tried, np.array(errors).T, mistakes[:, seen] / times[seen], data.costs[seen])


def _judged(
    data: LabelledTable, space: Space, signs: Array, group: Sequence[Split], tried: tuple[Candidate, ...]
) -> list[Array]:
    """For each split of a group, which of its rows (columns) each candidate is wrong about."""
    shares = np.zeros((len(group), data.codes.size))
    for share, (learned, _) in zip(shares, group, strict=True):
        np.add.at(share, learned, data.costs[learned] / data.costs[learned].sum())
    problems = Problems(space, np.tile(signs, (len(group), 1)), np.repeat(shares, len(signs), axis=0))
    found = [np.zeros((len(tried), judged.size), bool) for _, judged in group]
    for candidate, place in follow(problems, tried):
        scores = (place.margins * problems.signs).reshape(len(group), *signs.shape)
        for wrong, each, (_, judged) in zip(found, scores, group, strict=True):
            wrong[tried.index(candidate)] = _said(each[:, judged]) != data.codes[judged]
    return found


def _said(scores: Array) -> Array:
    """The class that the scores of a rule, or of several, say."""
    return (scores[0] > 0.0).astype(np.int64) if len(scores) == 1 else np.asarray(scores.argmax(axis=0))


def _measured(tried: tuple[Candidate, ...], errors: Array, mistakes: Array, costs: Array) -> Choice:
    """The candidates' errors, and how far noise may have put them apart, from the mistakes on every row."""
    error = mistakes @ costs / costs.sum()
    best = int(np.argmin(error))
    apart = mistakes - mistakes[best] - (error - error[best])[:, np.newaxis]
    return Choice(tried, errors, error, np.sqrt((apart * apart) @ (costs * costs)) / costs.sum())


def percent(share: float) -> str:
    """A share, as 12.3%."""
    return f"{share:.1%}"


def learn(data: LabelledTable, kept: tuple[Candidate, ...]) -> Array:
    """The mean of the weights that all rows give these candidates: a row for two classes, else one for each class."""
    standard = Standard.of(data.rows)
    space, signs = standard.space(data.rows), data.signs()
    shares = np.tile(data.costs / data.costs.sum(), (len(signs), 1))
    total = np.zeros((len(signs), space.size))
    for _, place in follow(Problems(space, signs, shares), kept):
        total += place.V / (np.einsum("ij,ij->", shares, abs(place.margins)) or 1.0)
    return standard.weights(np.array([space.weights(v) for v in total]))
