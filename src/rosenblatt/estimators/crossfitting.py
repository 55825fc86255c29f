"""Scores of rows that a classifier has not learned from, by clones that each learn without one fold."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from rosenblatt.errors import DataError, OptionError
from rosenblatt.judge.crossfit import FoldScores, on_one_scale
from rosenblatt.judge.making import NotLearnedFrom
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.rule import Rule


class LabelledRows:
    """Rows of any kind that classifiers take, with their labels, the codes of these, and perhaps weights."""

    def __init__(self, X: Any, y: Array, codes: Array, weights: Array | None) -> None:
        self.X, self.y, self.codes, self.weights = X, y, codes, weights
        self.counted = np.ones(codes.size, np.bool_) if weights is None else weights > 0

    def some(self, rows: Array) -> "LabelledRows":
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return LabelledRows(_safe_indexing(self.X, rows), self.y[rows], self.codes[rows], weights)


def learned_from(unfitted: Any, part: LabelledRows) -> Any:
    """A new rule, learned from these rows."""
    made = clone(unfitted)
    if part.weights is None:
        return made.fit(part.X, part.y)
    if not has_fit_parameter(made, "sample_weight"):
        name = type(made).__name__
        raise OptionError(f"{name} takes no sample weights: leave them out, or give a classifier that does")
    return made.fit(part.X, part.y, sample_weight=part.weights)


def not_learned_from(
    unfitted: Any, of_all: Any, rows: LabelledRows, splits: Iterable[tuple[Array, Array]]
) -> NotLearnedFrom:
    """The rows judged, on the scale of the rule that learned from all of them."""
    folds, own = [], []
    for learned, judged in splits:
        part, rest = rows.some(learned), rows.some(judged)
        rule = learned_from(unfitted, part)
        if not np.array_equal(rule.classes_, of_all.classes_):
            raise DataError("the training rows of a fold do not contain every class: use fewer folds in cv")
        folds.append(FoldScores(learned, scores_of(rule, part.X), judged, scores_of(rule, rest.X)))
        own.append(codes_of(rule, rest.X))
    if not folds:
        raise OptionError("cv has no fold with rows to learn from and rows to judge by")
    scale = scores_of(of_all, rows.X) if _has_a_scale(of_all) else None
    judged, scores = on_one_scale(scale, folds)
    weights = None if rows.weights is None else rows.weights[judged]
    return NotLearnedFrom(rows.codes[judged], scores, np.concatenate(own), weights)


def scored(rule: Any, rows: LabelledRows) -> NotLearnedFrom:
    """Rows that the rule has not learned from, all of the same weight."""
    return NotLearnedFrom(rows.codes, scores_of(rule, rows.X), codes_of(rule, rows.X))


def codes_of(rule: Any, X: Any) -> Array:
    """The places of the classes that a rule gives the rows."""
    return np.asarray(np.searchsorted(rule.classes_, rule.predict(X)))


def scores_of(rule: Any, X: Any) -> Array:
    """The scores of a rule, or of another classifier."""
    if isinstance(rule, Rule):
        return np.asarray(rule.scores(X))
    classes = len(rule.classes_)
    if hasattr(rule, "decision_function"):
        found = np.asarray(rule.decision_function(X), dtype=np.float64)
    elif hasattr(rule, "predict_proba"):
        shares = np.asarray(rule.predict_proba(X), dtype=np.float64)
        found = shares[:, 1] if classes == 2 else shares
    else:
        raise OptionError(f"{type(rule).__name__} has neither decision_function nor predict_proba")
    if found.shape[1:] != ((classes,) if classes > 2 else ()):
        raise OptionError(f"{type(rule).__name__} gives scores of shape {found.shape} for {classes} classes")
    return found


def _has_a_scale(rule: Any) -> bool:
    """Whether its scores have a scale of their own; shares and probabilities all have the same scale."""
    return rule.tree is None if isinstance(rule, Rule) else hasattr(rule, "decision_function")
