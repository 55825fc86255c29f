"""Choose among candidates by folds, and average those that noise cannot tell apart.

Problem   a rule that errs little on rows not seen.
Input     rows, their classes and costs, pairs of rows to learn from and rows to judge by, families of candidates.
Result    `Choice`: the weights, which candidates they are made of, and every candidate's error in every fold.
Method    Every candidate learns from the same rows of every fold, and is judged by the same others. The difference
          between a candidate's mistakes and those of the best, row by row, has a standard error. Those whose error is
          larger by no more than that learn from all rows, and the rule is the mean of their weights, each scaled to
          scores of mean size 1: to pick one of them would be to pick by luck.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.learn.selection.path import Candidate, candidates, follow
from rosenblatt.learn.selection.saturating import Problems
from rosenblatt.learn.selection.standard import Standard
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import some_rows
from rosenblatt.rows.threads import in_pieces

TOGETHER, NUMBERS_TOGETHER = 3, 4_000_000  # folds that are learned at once, and the most scores that these may have
WORK = 20  # looks at each number, at least: what a thread must be worth
NOISE = 1.0  # standard errors


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen, and what it was chosen from."""

    weights: Array  # a row for two classes, else one for each
    tried: tuple[Candidate, ...]
    errors: Array  # of each candidate (a row) in each fold
    error: Array  # of each candidate, over all folds
    noise: Array  # the standard error of its difference from the best
    kept: Array  # whether it is part of the rule

    @property
    def best(self) -> Candidate:
        """The one of least error; of several, the simplest."""
        return self.tried[int(np.argmin(self.error))]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows with a class and a cost each."""

    rows: Rows
    codes: Array
    costs: Array
    classes: int

    def some(self, chosen: Array) -> "Labelled":
        """Some of the rows."""
        return Labelled(some_rows(self.rows, chosen), self.codes[chosen], self.costs[chosen], self.classes)

    def signs(self) -> Array:
        """+1 for the rows of a class and -1 for others: of the second class, or of every one, where there are more."""
        wanted = np.arange(self.classes)[:, np.newaxis] if self.classes > 2 else np.ones((1, 1), np.int64)
        return np.where(self.codes == wanted, 1.0, -1.0)


Split = tuple[Array, Array]  # rows to learn from, rows to judge by


def compare(data: Labelled, splits: Sequence[Split], families: tuple[str, ...]) -> Choice:
    """Every candidate judged in every fold; the weights are still to be found."""
    tried = candidates(families)
    space, signs = Standard.of(data.rows).space(data.rows), data.signs()
    step = max(min(TOGETHER, NUMBERS_TOGETHER // max(signs.size, 1)), 1)
    groups = [splits[begin : begin + step] for begin in range(0, len(splits), step)]
    wrong: list[list[Array]] = [[] for _ in tried]

    def judge(first: int, last: int) -> list[list[list[Array]]]:
        return [_judged(data, space, signs, group, tried) for group in groups[first:last]]

    for part in in_pieces(judge, 0, len(groups), WORK * space.size * signs.shape[1]):
        for group in part:
            for mistakes, found in zip(wrong, group, strict=True):
                mistakes += found
    costs = [data.costs[judged] for _, judged in splits]
    return _choice(tried, wrong, costs)


def _judged(
    data: Labelled, space: Any, signs: Array, group: Sequence[Split], tried: tuple[Candidate, ...]
) -> list[list[Array]]:
    """Of each candidate, which rows of each split of a group it is wrong about."""
    shares = np.zeros((len(group), data.codes.size))
    for share, (learned, _) in zip(shares, group, strict=True):
        np.add.at(share, learned, data.costs[learned] / data.costs[learned].sum())
    problems = Problems(space, np.tile(signs, (len(group), 1)), np.repeat(shares, len(signs), axis=0))
    found = {}
    for candidate, place in follow(problems, tried):
        scores = (place.margins * problems.signs).reshape(len(group), *signs.shape)
        found[candidate] = [
            _said(each[:, judged]) != data.codes[judged] for each, (_, judged) in zip(scores, group, strict=True)
        ]
    return [found[candidate] for candidate in tried]


def _said(scores: Array) -> Array:
    """The class that the scores of a rule, or of several, say."""
    return (scores[0] > 0.0).astype(np.int64) if len(scores) == 1 else np.asarray(scores.argmax(axis=0))


def _choice(tried: tuple[Candidate, ...], wrong: list[list[Array]], costs: list[Array]) -> Choice:
    """Which candidates noise cannot tell from the best."""
    errors = np.array([[cost @ part / cost.sum() for part, cost in zip(each, costs, strict=True)] for each in wrong])
    rows, cost = np.array([np.concatenate(each) for each in wrong], float), np.concatenate(costs)
    error = rows @ cost / cost.sum()
    best = int(np.argmin(error))
    beyond = rows - rows[best]
    spread = beyond - (error - error[best])[:, np.newaxis]
    noise = np.sqrt((spread * spread) @ (cost * cost)) / cost.sum()
    kept = error - error[best] <= NOISE * noise
    return Choice(np.zeros((0, 0)), tried, errors, error, noise, kept)


def learn(data: Labelled, choice: Choice) -> Array:
    """The weights that all rows give the candidates kept: their mean, each scaled to scores of mean size 1."""
    standard = Standard.of(data.rows)
    space, signs = standard.space(data.rows), data.signs()
    shares = np.tile(data.costs / data.costs.sum(), (len(signs), 1))
    total = np.zeros((len(signs), space.size))
    wanted = tuple(c for c, kept in zip(choice.tried, choice.kept, strict=True) if kept)
    for _, place in follow(Problems(space, signs, shares), wanted):
        total += place.V / (np.einsum("ij,ij->", shares, abs(place.margins)) or 1.0)
    return np.array([standard.weights(space.weights(v)) for v in total])
