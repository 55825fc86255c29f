"""Columns enter a rule one after another, each time the one that helps most.

Problem   few columns of a table whose soft margin P(w) (`saturating`, at sharpness 0) is low; least P of all sets of so
          many columns would take a look at every set.
Input     rows on one scale, their classes, the share of each row in P, the features of every column, a ridge.
Result    after each column: the columns that are in, and the scores of all rows at the lowest P with those.
Method    Forward. At the lowest P of the columns S that are in, with slope g along the features of another column c,
          P falls by at least g' K^-1 g / 2 where c enters: rows bend P by no more than their second moments M, so K is
          what of M + ridge is c's own once S has taken its part (the Schur complement of S). Of the columns that
          promise most, some are learned with S, and the one with the lowest P enters. A column of many features
          promises more by noise alone: each of them adds its part of tr(K^-1 J), J the sums of squares of what rows
          pull, to how much lower P is on the rows learned from than on others. It is taken off.
Paper     forward selection: Efroymson 1960; the part taken off: Takeuchi 1976.

Where two columns promise the same, the first is taken.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.learn.selection.comparison import LabelledTable
from rosenblatt.learn.selection.path import MODERATE
from rosenblatt.learn.selection.problems import PathPoint
from rosenblatt.learn.selection.saturating import descend
from rosenblatt.learn.selection.standard import BIAS, space_of
from rosenblatt.rows.kernels import Array

LEARNED = 3  # columns for every one that enters
UNCLEAR = 0.2  # of what the best promises: those that promise nearly as much are learned too
LOOKED_AT = 12  # columns whose noise is estimated
TOGETHER = 300  # features of a column: beyond, what is promised is that of one step along the slope


@dataclass(frozen=True, eq=False)
class Entered:
    """The columns that are in, in order; the weights, and the scores of all rows, a row for each score."""

    columns: tuple[int, ...]
    weights: Array  # of their features, in order, and of the threshold
    scores: Array
    least: float  # P
    pulls: Array  # of every row on its scores


class Entering:
    """Rows that columns enter for."""

    def __init__(self, data: LabelledTable, table: Any, columns: Sequence[Array], share: Array) -> None:
        self.data, self.table, self.columns, self.share = data, table, columns, share
        self.bias = BIAS if data.rows.bias else 0.0
        self.ridge = MODERATE.ridge

    def run(self, most: int, stop: Callable[[], bool]) -> Iterator[Entered]:
        """As so many columns enter, or as many as there is time for; the first one always does."""
        place = self._learned((), None)
        for k in range(min(most, len(self.columns))):
            if k and stop():
                return
            place = self._next(place)
            yield place

    def _next(self, place: Entered) -> Entered:
        gains, noise = self._promised(place)
        outside = np.setdiff1d(np.arange(len(self.columns)), place.columns)
        best = outside[np.argsort(-gains[outside], kind="stable")[:LOOKED_AT]]
        lost = np.array([noise(c) for c in best])
        worth = gains[best] - lost
        likely = [k for k in np.argsort(-worth, kind="stable")[:LEARNED] if worth[k] >= worth.max() - UNCLEAR * abs(worth.max())]
        each = [self._learned((*place.columns, int(best[k])), place) for k in likely]
        return each[int(np.argmin([found.least + lost[k] for found, k in zip(each, likely, strict=True)]))]

    def _features(self, columns: Sequence[int]) -> Array:
        return np.concatenate([np.empty(0, np.int64), *(self.columns[c] for c in columns)])

    def _dense(self, features: Array) -> Array:
        part = self.table[:, features]
        return part if isinstance(part, np.ndarray) else part.toarray()

    @cached_property
    def _own(self) -> Array:
        """The second moment of every feature."""
        squares = self.table * self.table if isinstance(self.table, np.ndarray) else self.table.multiply(self.table)
        return np.asarray(squares.T @ self.share)

    @cached_property
    def _single(self) -> Array:
        """Which columns have one feature."""
        return np.array([features.size == 1 for features in self.columns])

    @cached_property
    def _blocks(self) -> dict[int, Array]:
        """The second moments of the features of each column that has several."""
        found = {}
        for c in np.flatnonzero(~self._single).tolist():
            if self.columns[c].size <= TOGETHER:
                part = self._dense(self.columns[c])
                found[c] = part.T @ (part * self.share[:, np.newaxis])
        return found

    def _promised(self, place: Entered) -> tuple[Array, Callable[[int], float]]:
        """By how much P falls at least where each column enters, and what of that is noise for one of them."""
        inside = np.column_stack([self._dense(self._features(place.columns)), np.full(self.share.size, self.bias)])
        weighted = inside * self.share[:, np.newaxis]
        within = inside.T @ weighted + self.ridge * np.eye(inside.shape[1])
        root = scipy.linalg.cholesky(within, lower=True)
        taken = scipy.linalg.solve_triangular(root, np.asarray(self.table.T @ weighted).T, lower=True)
        slopes = self._slopes(place)
        own = self._own + self.ridge - np.einsum("ij,ij->j", taken, taken)
        own = np.maximum(own, self.ridge)
        gains = np.zeros(len(self.columns))
        if self._single.any():
            features = np.concatenate([self.columns[c] for c in np.flatnonzero(self._single)])
            gains[self._single] = (slopes[:, features] ** 2).sum(axis=0) / own[features] / 2.0
        for c in np.flatnonzero(~self._single).tolist():
            features = self.columns[c]
            if c in self._blocks:
                gains[c] = np.sum(slopes[:, features] * self._solved(c, taken, slopes[:, features].T).T) / 2.0
            else:
                gains[c] = self._along(features, slopes[:, features], taken)
        pulls = (place.pulls**2).sum(axis=0)
        back = scipy.linalg.solve_triangular(root, taken, lower=True, trans=1)

        def noise(c: int) -> float:
            features = self.columns[c]
            if features.size > TOGETHER:
                return 0.0
            rest = self._dense(features) - inside @ back[:, features]
            if features.size == 1:
                return float(pulls @ rest[:, 0] ** 2 / own[features[0]])
            spread = rest.T @ (rest * pulls[:, np.newaxis])
            return float(np.trace(self._solved(c, taken, spread)))

        return gains, noise

    def _solved(self, c: int, taken: Array, right: Array) -> Array:
        features = self.columns[c]
        block = self._blocks[c] - taken[:, features].T @ taken[:, features]
        block[np.diag_indices_from(block)] += self.ridge
        return np.asarray(scipy.linalg.solve(block, right, assume_a="pos"))

    def _along(self, features: Array, slopes: Array, taken: Array) -> float:
        """The same for a step along the slope alone."""
        part = self.table[:, features]
        length = np.einsum("ij,ij->i", slopes, slopes)
        ahead = np.asarray(part @ slopes.T) ** 2
        bent = self.share @ ahead + self.ridge * length - ((taken[:, features] @ slopes.T) ** 2).sum(axis=0)
        return float(np.sum(length**2 / np.maximum(bent, self.ridge * length + (length == 0.0))) / 2.0)

    def _slopes(self, place: Entered) -> Array:
        """How steeply P falls along every feature, a row for each score; 0 where its weight may not go."""
        slopes = np.asarray(self.table.T @ place.pulls.T).T
        if self.data.cone:
            slopes = np.where(self.data.cone.signs(slopes.shape[1]) * slopes < 0.0, 0.0, slopes)
        return slopes

    def _learned(self, columns: tuple[int, ...], before: Entered | None) -> Entered:
        """The lowest P with these columns, from where it was before the last of them entered."""
        features = self._features(columns)
        part = replace(self.data, cone=self.data.cone.only(features))
        space = space_of(self.table[:, features], self.bias, of_columns=bool(part.cone))
        problems = part.problems(space, self.share[np.newaxis])
        start = problems.start()
        if before is not None:
            more = features.size + 1 - before.weights.shape[1]
            W = np.insert(before.weights, [before.weights.shape[1] - 1] * more, 0.0, axis=1)
            V = np.array([space.coordinates(w) for w in W]).reshape(1, -1)
            start = PathPoint(V, problems.margins(V))
        place = descend(problems, start, self.ridge, 0.0)
        _, pulls = problems.pulled(place.margins, 0.0)
        least = problems.lost(place.margins, 0.0) + (place.V * place.V) @ problems.squares * self.ridge / 2.0
        return Entered(
            columns,
            np.array([space.weights(v) for v in problems.vectors(place)[0]]),
            problems.scores(place)[0],
            float(least[0]),
            pulls.reshape(-1, self.share.size),
        )
