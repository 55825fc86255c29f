"""Columns enter a rule one after another, each time the one that helps most.

Problem   a few columns of a table for which the soft margin P(w) (`saturating`, at sharpness 0) is low. To find the
          lowest P for a given number of columns, one would have to look at every set of that size.
Input     rows on one scale, their classes, the share of each row in P, the features of every column, a ridge.
Result    after each column: the columns that are in, and the scores of all rows at the lowest P with those.
Method    Forward. At the lowest P of the columns S that are in, with slope g along the features of another column c,
          P falls by at least g' K^-1 g / 2 if c enters. Rows bend P by no more than their second moments M, so K is the
          Schur complement of S in M + ridge: the part that is c's own. Of the columns that promise most, some are
          learned with S, and the one with the lowest P enters. A column of many features promises more by noise alone:
          together they make P lower on the rows learned from than on others by about tr(K^-1 J), where J holds the
          sums of squares of the rows' pulls. This is subtracted.
Paper     forward selection: Efroymson 1960; the part subtracted: Takeuchi 1976.

If two columns promise the same, the first is taken. With k > 2 classes, rows bend P by up to k times their second
moments; which columns promise most hardly depends on that factor, so it is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.learn.selection.comparison import LabelledTable
from rosenblatt.learn.selection.path import MODERATE
from rosenblatt.learn.selection.problems import PathPoint
from rosenblatt.learn.selection.saturating import descend
from rosenblatt.learn.selection.standard import BIAS, space_of
from rosenblatt.rows.kernels import Array

LEARNED = 3  # at most this many columns are learned for every one that enters
UNCLEAR = 0.2  # columns that promise less than the best by at most this part are learned, too
LOOKED_AT = 12  # columns whose noise is estimated
TOGETHER = 300  # features whose moments are looked at together; a column of more promises what its slope alone does


@dataclass(frozen=True, eq=False)
class Entered:
    """The columns that are in, in order, and the lowest P with them."""

    columns: tuple[int, ...]
    weights: Array  # of their features, in order, and of the threshold: a row for each score
    scores: Array  # of all rows: a row for each score
    pulls: Array  # how strongly each row pulls its scores
    least: float  # P


class Entering:
    """The search on some rows, as columns enter."""

    def __init__(self, data: LabelledTable, table: Any, columns: Sequence[Array], share: Array) -> None:
        self.data, self.table, self.columns, self.share = data, table, columns, share
        self.bias, self.ridge = BIAS if data.rows.bias else 0.0, MODERATE.ridge
        sizes = np.array([features.size for features in columns])
        self.single, self.wide = np.flatnonzero(sizes == 1).tolist(), np.flatnonzero(sizes > TOGETHER).tolist()
        several = np.flatnonzero((sizes > 1) & (sizes <= TOGETHER)).tolist()
        parts = [self.dense(columns[c]) for c in several]
        self.moments = {c: part.T @ (part * share[:, np.newaxis]) for c, part in zip(several, parts, strict=True)}
        self.of_single = self.features(self.single)
        squares = table * table if isinstance(table, np.ndarray) else table.multiply(table)
        self.squares = np.asarray(squares.T @ share)[self.of_single]

    def run(self, most: int, stop: Callable[[], bool]) -> Iterator[Entered]:
        """What is found as columns enter, up to `most` or as many as time allows; the first always enters."""
        place = self._learned((), None)
        for k in range(min(most, len(self.columns))):
            if k and stop():
                return
            place = self._next(place)
            yield place

    def _next(self, place: Entered) -> Entered:
        promise = Promise(self, place)
        outside = np.setdiff1d(np.arange(len(self.columns)), place.columns)
        best = outside[np.argsort(-promise.gains[outside], kind="stable")[:LOOKED_AT]].tolist()
        noise = {c: promise.noise(c) for c in best}
        worth = {c: promise.gains[c] - noise[c] for c in best}
        best.sort(key=lambda c: -worth[c])
        enough = worth[best[0]] - UNCLEAR * abs(worth[best[0]])
        found = [self._learned((*place.columns, c), place) for c in best[:LEARNED] if worth[c] >= enough]
        return min(found, key=lambda each: each.least + noise[each.columns[-1]])

    def features(self, columns: Sequence[int]) -> Array:
        """The features of some columns."""
        return np.concatenate([np.empty(0, np.int64), *(self.columns[c] for c in columns)])

    def dense(self, features: Array) -> Array:
        """Some features of all rows."""
        part = self.table[:, features]
        return np.asarray(part if isinstance(part, np.ndarray) else part.toarray())

    def slopes(self, place: Entered) -> Array:
        """How steeply P falls along every feature, a row for each score; 0 if the constraint forbids the direction."""
        slopes = np.asarray(self.table.T @ place.pulls.T).T
        signs = self.data.cone.signs(slopes.shape[1]) if self.data.cone else np.zeros(1)
        return np.where(signs * slopes < 0.0, 0.0, slopes)

    def _learned(self, columns: tuple[int, ...], before: Entered | None) -> Entered:
        """The lowest P with these columns, from where it was before the last of them entered."""
        features = self.features(columns)
        part = replace(self.data, cone=self.data.cone.only(features))
        space = space_of(self.table[:, features], self.bias, of_columns=bool(part.cone))
        problems = part.problems(space, self.share[np.newaxis])
        start = problems.start()
        if before is not None:
            known = before.weights.shape[1] - 1
            W = np.insert(before.weights, [known] * (features.size - known), 0.0, axis=1)
            V = np.array([space.coordinates(w) for w in W]).reshape(1, -1)
            start = PathPoint(V, problems.margins(V))
        place = descend(problems, start, self.ridge, 0.0)
        lost, pulls = problems.pulled(place.margins, 0.0)
        return Entered(
            columns,
            np.array([space.weights(v) for v in problems.vectors(place)[0]]),
            problems.scores(place)[0],
            pulls.reshape(-1, self.share.size),
            float(lost[0] + self.ridge / 2.0 * (place.V[0] ** 2) @ problems.squares),
        )


class Promise:
    """By how much P falls, at least, if each column enters.

    The threshold and the first columns that are in, up to TOGETHER features, step with it: what is promised of steps
    that leave the others alone holds too.
    """

    def __init__(self, rows: Entering, place: Entered) -> None:
        self.rows, self.slopes = rows, rows.slopes(place)
        self._spread = (place.pulls**2).sum(axis=0)
        with_it = rows.features(place.columns)[:TOGETHER]
        self._inside = np.column_stack([rows.dense(with_it), np.full(rows.share.size, rows.bias)])
        self._weighted = self._inside * rows.share[:, np.newaxis]
        within = self._inside.T @ self._weighted + rows.ridge * np.eye(self._inside.shape[1])
        self._root = np.linalg.inv(np.linalg.cholesky(within))
        self._own = np.empty(0)
        self.gains = np.zeros(len(rows.columns))
        if rows.single:
            taken = self._taken(rows.of_single)
            self._own = np.zeros(rows.table.shape[1])
            left = rows.squares - np.einsum("ij,ij->j", taken, taken)
            self._own[rows.of_single] = np.maximum(left, 0.0) + rows.ridge
            slopes = self.slopes[:, rows.of_single]
            self.gains[rows.single] = (slopes * slopes).sum(axis=0) / self._own[rows.of_single] / 2.0
        for c in rows.moments:
            slopes = self.slopes[:, rows.columns[c]].T
            self.gains[c] = np.sum(slopes * self._solved(c, slopes)) / 2.0
        for c in rows.wide:
            self.gains[c] = self._along_slope(rows.columns[c])

    def noise(self, c: int) -> float:
        """How much lower P is expected to become on these rows than on others, as column c enters."""
        features = self.rows.columns[c]
        if features.size > TOGETHER:
            return 0.0
        rest = self.rows.dense(features) - self._inside @ (self._root.T @ self._taken(features))
        if features.size == 1:
            return float(self._spread @ rest[:, 0] ** 2 / self._own[features[0]])
        return float(np.trace(self._solved(c, rest.T @ (rest * self._spread[:, np.newaxis]))))

    def _taken(self, features: Array) -> Array:
        """The part of features that those which step with them take: its products are moments."""
        return np.asarray(self._root @ np.asarray(self.rows.table[:, features].T @ self._weighted).T)

    def _solved(self, c: int, right: Array) -> Array:
        """K^-1 times something, for a column of several features."""
        taken = self._taken(self.rows.columns[c])
        own = self.rows.moments[c] - taken.T @ taken
        own[np.diag_indices_from(own)] += self.rows.ridge
        return np.linalg.solve(own, right)

    def _along_slope(self, features: Array) -> float:
        """What a step along the slope alone promises."""
        slopes = self.slopes[:, features]
        length, ahead = np.einsum("ij,ij->i", slopes, slopes), np.asarray(self.rows.table[:, features] @ slopes.T)
        taken = self._root @ (self._weighted.T @ ahead)
        bent = self.rows.share @ ahead**2 - (taken * taken).sum(axis=0) + self.rows.ridge * length
        return float(np.sum(np.divide(length**2, bent, out=np.zeros_like(length), where=length > 0.0)) / 2.0)
