"""Cuts columns of numbers into steps, wherever that predicts rows not learned from better.

Problem   a number whose effect is not a straight line: say, more is better up to a point, and worse beyond it.
Input     rows in an encoding without such steps; held-out rows have no influence on anything here.
Result    an encoding with some columns in steps, and notes that say why.
Method    Rows are dealt into folds. Without each fold, a soft margin is learned from all columns. Then, for every
          column of numbers, two small ones: each sees the score that the other columns add up to, and either the number
          or its steps (whose edges are found without the fold, too). A column is cut if its steps lower the loss on the
          rows of the folds by more than noise, and if the columns to cut also do so all together.

The loss is that of the soft margin, max(0, 1 - margin)^2; of several classes, that of each against the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.desk.data import Data
from rosenblatt.learn.selection.comparison import noise_beside
from rosenblatt.learn.selection.folds import sampled, stratified
from rosenblatt.learn.soft import soft
from rosenblatt.plurals import many
from rosenblatt.read.encode.columns import NumberColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.steps import KnownNumbers, with_steps
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import rows_of
from rosenblatt.rows.threads import one_thread_for_blas

FOLDS = 5
NOISE = 2.0  # standard errors that a gain must exceed
COST, TOLERANCE = 1.0, 1e-4  # C of the soft margins; how near they come to the lowest objective
MOST_ROWS, MOST_COLUMNS = 4_000, 200  # rows to look at; if there are more columns of numbers, none is cut
MOST_NAMED = 8


@dataclass(frozen=True)
class Trial:
    """A column, the part by which steps lower its loss, and the standard error of that part."""

    column: str
    gain: float
    noise: float

    @property
    def helps(self) -> bool:
        """Whether it is more than noise."""
        return self.gain > NOISE * self.noise

    def __str__(self) -> str:
        return f"{self.column} (by {self.gain:.1%} ± {self.noise:.1%})"


def cut_where_it_helps(data: Data) -> tuple[Encoding, tuple[str, ...]]:
    """The encoding with steps where they help, and notes on that."""
    names = [column.name for column in data.encoding.used if type(column) is NumberColumn]
    if not names:
        return data.encoding, ("--steps auto: there is no column of numbers to cut",)
    if len(names) > MOST_COLUMNS:
        return data.encoding, (f"--steps auto: {len(names)} columns of numbers are too many to try; name those to cut",)
    known = KnownNumbers.of(data.encoding, names, data.table, data.held_out, data.weights)
    with one_thread_for_blas():
        folds = _Trials(data, known)
        trials = [folds.trial(name) for name in names if folds.folds]
        good = sorted((trial for trial in trials if trial.helps), key=lambda trial: -trial.gain)
        while good and not folds.together([trial.column for trial in good]).helps:
            good = good[: len(good) // 2]
    if not good:
        return data.encoding, (
            "--steps auto: no column is cut, because steps do not predict better by more than noise",
        )
    named = [str(trial) for trial in good[:MOST_NAMED]]
    named += [f"{len(good) - MOST_NAMED} more"] if len(good) > MOST_NAMED else []
    left = f"; {many(len(names) - len(good), 'column')} of numbers not cut" if len(good) < len(names) else ""
    why = f"--steps auto: steps lower the loss on rows not learned from, so these are cut: {', '.join(named)}{left}"
    return with_steps(data.encoding, [trial.column for trial in good], known, data.table.source), (why,)


class _Trials:
    """The folds, and the weights of a soft margin of all columns learned without each."""

    def __init__(self, data: Data, known: KnownNumbers) -> None:
        self.known, self.classes = known, len(data.classes)
        counted, rng = np.flatnonzero(known.weights > 0), np.random.default_rng(0)  # of the rows learned from
        self.some = counted[sampled(known.codes[counted], MOST_ROWS, rng)]
        self.codes, self.costs = known.codes[self.some], known.weights[self.some]
        self.X = data.X[np.flatnonzero(~data.held_out(0, data.n))[self.some] if data.held_out else self.some]
        fold_of = stratified(self.codes, FOLDS, rng)
        pairs = ((np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in range(FOLDS))
        self.folds = [(some, rest) for some, rest in pairs if rest.size and self._has_all_classes(some)]
        self.weights = [[self._learned(self.X, yes, some) for yes in self._rules] for some, _ in self.folds]
        starts = np.cumsum([0, *(column.size for column in data.encoding.used)]).tolist()
        each = zip(data.encoding.used, starts, strict=False)
        self.places = {column.name: slice(start, start + column.size) for column, start in each}

    def _has_all_classes(self, some: Array) -> bool:
        return np.unique(self.codes[some]).size == self.classes

    @property
    def _rules(self) -> Sequence[int]:
        """The classes that are each separated from the rest; of two classes, one."""
        return range(self.classes) if self.classes > 2 else (1,)

    def trial(self, name: str) -> Trial:
        """Compare a column as a number with its steps, given the score of the other columns."""
        place, plain, cut = self.places[name], np.zeros(self.some.size), np.zeros(self.some.size)
        own = _dense(self.X[:, place])
        for (some, rest), weights in zip(self.folds, self.weights, strict=True):
            steps = self._steps(name, some)
            for yes, w in zip(self._rules, weights, strict=True):
                others = self.X @ w[:-1] - own @ w[place]
                for losses, features in ((plain, own), (cut, steps)):
                    losses[rest] += self._losses(np.column_stack([others, features]), yes, some, rest)
        return self._compared(name, plain, cut)

    def together(self, names: Sequence[str]) -> Trial:
        """Compare all columns, with these as numbers, with the same columns and these in steps."""
        plain, cut = np.zeros(self.some.size), np.zeros(self.some.size)
        kept = np.ones(self.X.shape[1], np.bool_)
        for name in names:
            kept[self.places[name]] = False
        others = self.X[:, np.flatnonzero(kept)]
        stack: Any = scipy.sparse.hstack if hasattr(others, "toarray") else np.hstack
        for some, rest in self.folds:
            stepped = stack([others, *(self._steps(name, some) for name in names)])
            for yes in self._rules:
                for losses, features in ((plain, self.X), (cut, stepped)):
                    losses[rest] += self._losses(features, yes, some, rest)
        return self._compared(", ".join(names), plain, cut)

    def _steps(self, name: str, some: Array) -> Array:
        """The features of a column in steps, with edges found from these rows; features of missing numbers stay."""
        numbers = self.known.numbers[name][self.some]
        edges = np.array(self.known.edges(name, self.classes, self.some[some]))
        above = (numbers[:, np.newaxis] >= edges) & np.isfinite(numbers)[:, np.newaxis]
        return np.hstack([above.astype(np.float64), _dense(self.X[:, self.places[name]])[:, 1:]])

    def _learned(self, X: Any, yes: int, some: Array) -> Array:
        """The soft margin's weights of one class against the rest."""
        labels = np.where(self.codes[some] == yes, 1, -1).astype(np.int8)
        X = scipy.sparse.csr_array(X) if hasattr(X, "toarray") else X
        return soft.learn(Examples(rows_of(X[some], bias=1.0), labels, self.costs[some]), COST, TOLERANCE).weights

    def _losses(self, X: Any, yes: int, some: Array, rest: Array) -> Array:
        """The losses on the rest of the rows, of weights that are learned from some."""
        w = self._learned(X, yes, some)
        X = scipy.sparse.csr_array(X) if hasattr(X, "toarray") else X
        margins = np.where(self.codes[rest] == yes, 1.0, -1.0) * (X[rest] @ w[:-1] + w[-1])
        return np.asarray(np.maximum(1.0 - margins, 0.0) ** 2)

    def _compared(self, name: str, plain: Array, cut: Array) -> Trial:
        judged = np.sort(np.concatenate([rest for _, rest in self.folds]))
        plain, cut, costs = plain[judged], cut[judged], self.costs[judged]
        before = float(plain @ costs / costs.sum()) or 1.0
        gain = before - float(cut @ costs / costs.sum())
        return Trial(name, gain / before, float(noise_beside(plain, cut, costs)) / before)


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, np.float64)
