"""Choose among candidates by cross-validation, and average those that noise cannot tell apart.

Problem   a rule that errs little on rows not seen.
Input     rows, their classes and costs; splits: rows to learn from and rows to judge by; candidates, and functions
          that learn those that are not on the path.
Result    `Choice`: every candidate's errors, and which are kept; then the weights that all rows give those.
Method    Every candidate learns from the same rows of every split, and is judged by the same others. The difference
          between its mistakes and those of the best, row by row, has a standard error. Those whose error is larger by
          no more than that are kept, and the rule is the mean of their weights, each scaled to scores of mean size 1:
          picking one of them would be picking by luck. If time is up or Ctrl-C is pressed, the candidates that were
          judged in every split are compared, and the best of them is the rule.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil

import numpy as np

from rosenblatt.geometry.whitening import Space
from rosenblatt.learn.selection.choice import Choice
from rosenblatt.learn.selection.path import FAMILIES, MODERATE, Candidate, follow
from rosenblatt.learn.selection.problems import JointProblems, Problems
from rosenblatt.learn.selection.saturating import never
from rosenblatt.learn.selection.standard import BIAS, Standard
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import n_features, rows_of, some_features, some_rows, table_of
from rosenblatt.rows.threads import in_pieces

TOGETHER = 32_000  # scores in the splits that are learned together
UNJUDGED = np.int8(-1)
GROUPS = 2  # of splits, at least: for two cores
WORK = 20  # looks at each number, at least, so that a thread is worth starting

Split = tuple[Array, Array]  # rows to learn from, rows to judge by
Learner = Callable[["LabelledTable"], Array]  # weights for rows with a constant of 1, the threshold's last
NO_LEARNERS: Mapping[str, Learner] = {}


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Rows with a class and a cost each."""

    rows: Rows
    codes: Array
    costs: Array
    classes: int
    cone: Cone = EVERYWHERE  # that weights must be in

    def some(self, chosen: Array) -> "LabelledTable":
        """Some of the rows."""
        return replace(self, rows=some_rows(self.rows, chosen), codes=self.codes[chosen], costs=self.costs[chosen])

    def only(self, features: Array) -> "LabelledTable":
        """Some of the features."""
        return replace(self, rows=some_features(self.rows, features), cone=self.cone.only(features))

    def space(self, standard: Standard) -> Space:
        """Coordinates of the rows."""
        return standard.space(self.rows, of_columns=bool(self.cone))

    @property
    def rules(self) -> int:
        """How many scores tell the classes apart."""
        return self.classes if self.classes > 2 else 1

    def problems(self, space: Space, shares: Array) -> Problems:
        """Problems with these rows, one for each row of shares."""
        if self.classes > 2:
            return JointProblems(space, self.codes, shares, self.classes)
        signs = np.tile(np.where(self.codes == 1, 1.0, -1.0), (len(shares), 1))
        return Problems(space, signs, shares, cone=self.cone.signs(space.size) if self.cone else None)

    def on(self, standard: Standard) -> "LabelledTable":
        """The same on another scale, with a constant of 1 for the threshold."""
        rows = rows_of(standard.table(self.rows), bias=1.0 if self.rows.bias else 0.0)
        return replace(self, rows=rows)

    def scores(self, W: Array) -> Array:
        """The scores of all rows, in floats, a row for each of several weights."""
        return np.asarray(table_of(self.rows) @ W[:, :-1].T + self.rows.bias * W[:, -1]).T


@dataclass(frozen=True, eq=False)
class Comparison:
    """A choice, and what it was made from: another rule can be compared with its best on the same splits."""

    choice: Choice
    data: LabelledTable
    splits: Sequence[Split]
    mistakes: Array  # how often each candidate (a row) was wrong about each row judged, as a share of the times

    def beside_best(self, wrong: Sequence[Array]) -> tuple[float, float, float]:
        """The error of another rule, from its mistakes in each split; the best candidate's; the noise in between."""
        seen, (mistakes,) = by_row(self.data.codes.size, self.splits, [each[np.newaxis] for each in wrong])
        costs, best = self.data.costs[seen], self.choice.best
        noise = float(noise_beside(mistakes, self.mistakes[best], costs))
        return float(mistakes @ costs / costs.sum()), float(self.choice.error[best]), noise


def compare(
    data: LabelledTable,
    splits: Sequence[Split],
    tried: tuple[Candidate, ...],
    learners: Mapping[str, Learner] = NO_LEARNERS,
    stop: Callable[[], bool] = never,
    features: Sequence[Array] | None = None,
) -> Comparison:
    """Judge every candidate in every split, on the split's own features if given; without splits, all are as good."""
    if not splits:
        return _uncompared(data, splits, tried)
    if features is None:
        wrong = judged(data, splits, tried, learners, stop)
    else:
        each = zip(features, splits, strict=True)
        wrong = [judged(data.only(own), [split], tried, learners, stop)[0] for own, split in each]
    done = np.flatnonzero([all((each[k] != UNJUDGED).all() for each in wrong) for k in range(len(tried))])
    if not done.size:
        moderate = tuple(candidate for candidate in tried if candidate == MODERATE)
        return _uncompared(data, splits, moderate or tried[:1])
    compared = tuple(tried[k] for k in done)
    return measured(data, splits, compared, [each[done] for each in wrong], alone=done.size < len(tried))


def judged(
    data: LabelledTable,
    splits: Sequence[Split],
    tried: tuple[Candidate, ...],
    learners: Mapping[str, Learner] = NO_LEARNERS,
    stop: Callable[[], bool] = never,
) -> list[Array]:
    """For each split, which of its rows (columns) each candidate is wrong about; UNJUDGED where time was up."""
    on_path = tuple(candidate for candidate in tried if candidate.family in FAMILIES)
    standard = Standard.of(data.rows)
    wrong = [np.full((len(tried), judged.size), UNJUDGED) for _, judged in splits]
    if on_path:
        for each, found in zip(wrong, _path_judged(data, standard, splits, on_path, stop), strict=True):
            each[: len(on_path)] = found
    scaled = data.on(standard) if len(on_path) < len(tried) else data
    for k in range(len(on_path), len(tried)):
        for each, (learned, others) in zip(wrong, splits, strict=True):
            if not stop():
                part = scaled.some(others)
                answers = classes_by(part.scores(learners[tried[k].family](scaled.some(learned))))
                each[k] = (answers != part.codes).astype(np.int8)
    return wrong


def _uncompared(data: LabelledTable, splits: Sequence[Split], tried: tuple[Candidate, ...]) -> Comparison:
    """A comparison without errors, in which all candidates are as good."""
    many = len(tried)
    choice = Choice(tried, np.zeros((many, 0)), np.zeros(many), np.zeros(many))
    return Comparison(choice, data, splits, np.zeros((many, 0)))


def measured(
    data: LabelledTable,
    splits: Sequence[Split],
    tried: tuple[Candidate, ...],
    wrong: Sequence[Array],
    alone: bool = False,
) -> Comparison:
    """The candidates' errors, and how far noise may have put them apart, from the mistakes on the rows judged."""
    errors = [
        each @ data.costs[judged] / data.costs[judged].sum() for each, (_, judged) in zip(wrong, splits, strict=True)
    ]
    seen, mistakes = by_row(data.codes.size, splits, wrong)
    costs = data.costs[seen]
    error = mistakes @ costs / costs.sum()
    noise = noise_beside(mistakes, mistakes[int(np.argmin(error))], costs)
    of_class = np.bincount(data.codes[seen], costs, data.classes)
    constant = float(1.0 - of_class.max() / of_class.sum())
    return Comparison(Choice(tried, np.array(errors).T, error, noise, constant, alone), data, splits, mistakes)


def by_row(n: int, splits: Sequence[Split], wrong: Sequence[Array]) -> tuple[Array, Array]:
    """The rows that were judged, and how often each was wrong, as a share of the times; a row for each candidate."""
    mistakes, times = np.zeros((len(wrong[0]), n)), np.zeros(n)
    for each, (_, judged) in zip(wrong, splits, strict=True):
        mistakes[:, judged] += each
        times[judged] += 1.0
    seen = np.flatnonzero(times)
    return seen, mistakes[:, seen] / times[seen]


def noise_beside(mistakes: Array, others: Array, costs: Array) -> Array:
    """The standard error of the difference between errors, from the mistakes on every row."""
    apart = mistakes - others
    apart = apart - (apart @ costs / costs.sum())[..., np.newaxis]
    return np.asarray(np.sqrt((apart * apart) @ (costs * costs)) / costs.sum())


def _path_judged(
    data: LabelledTable,
    standard: Standard,
    splits: Sequence[Split],
    tried: tuple[Candidate, ...],
    stop: Callable[[], bool],
) -> list[Array]:
    """For each split, which of its rows (columns) the candidates are wrong about: as many as there was time for."""
    space = data.space(standard)
    step = min(max(TOGETHER // (data.rules * data.codes.size), 1), ceil(len(splits) / GROUPS))
    groups = [splits[begin : begin + step] for begin in range(0, len(splits), step)]

    def judge(first: int, last: int) -> list[Array]:
        return [wrong for group in groups[first:last] for wrong in _judged(data, space, group, tried, stop)]

    found = in_pieces(judge, 0, len(groups), WORK * step * space.size * data.codes.size)
    return list(chain.from_iterable(found))


def _judged(
    data: LabelledTable,
    space: Space,
    group: Sequence[Split],
    tried: tuple[Candidate, ...],
    stop: Callable[[], bool],
) -> list[Array]:
    """For each split of a group, which of its rows (columns) each candidate is wrong about."""
    shares = np.zeros((len(group), data.codes.size))
    for share, (learned, _) in zip(shares, group, strict=True):
        np.add.at(share, learned, data.costs[learned] / data.costs[learned].sum())
    problems = data.problems(space, shares)
    found = [np.full((len(tried), judged.size), UNJUDGED) for _, judged in group]
    for candidate, place in follow(problems, tried, stop):
        for wrong, each, (_, judged) in zip(found, problems.scores(place), group, strict=True):
            wrong[tried.index(candidate)] = classes_by(each[:, judged]) != data.codes[judged]
    return found


def classes_by(scores: Array) -> Array:
    """The class of every row by its score, or by its scores if there are several."""
    return (scores[0] > 0.0).astype(np.int64) if len(scores) == 1 else np.asarray(scores.argmax(axis=0))


def learn(
    found: Comparison, data: LabelledTable, learners: Mapping[str, Learner], stop: Callable[[], bool]
) -> tuple[Comparison, Array]:
    """The weights of the rule, learned from all rows; if there is no time for that, the best of the rows compared."""
    if data.codes.size > found.data.codes.size:
        weights, in_time = mean_weights(data, found.choice.chosen, learners, stop)
        if in_time:
            return found, weights
        found = replace(found, choice=replace(found.choice, alone=True))
    return found, mean_weights(found.data, found.choice.chosen, learners)[0]


def mean_weights(
    data: LabelledTable,
    kept: tuple[Candidate, ...],
    learners: Mapping[str, Learner] = NO_LEARNERS,
    stop: Callable[[], bool] = never,
) -> tuple[Array, bool]:
    """The mean of the weights that these candidates learn, a row for each score; and whether all did in time."""
    standard, shares = Standard.of(data.rows), data.costs / data.costs.sum()
    total = np.zeros((data.rules, n_features(data.rows) + 1))
    if any(candidate.family in FAMILIES for candidate in kept):
        space = data.space(standard)
        V, problems = np.zeros((data.rules, space.size)), data.problems(space, shares[np.newaxis])
        for _, place in follow(problems, kept, stop):
            V += problems.vectors(place)[0] / (np.sum(abs(problems.scores(place)[0]) @ shares) or 1.0)
        total += np.array([space.weights(v) for v in V])
    others = [candidate for candidate in kept if candidate.family in learners]
    scaled = data.on(standard) if others else data
    for candidate in others if not stop() else ():
        W = learners[candidate.family](scaled)
        size = np.sum(abs(scaled.scores(W)) @ shares) or 1.0
        W[:, -1] /= BIAS
        total += W / size
    return standard.weights(total), not stop()
