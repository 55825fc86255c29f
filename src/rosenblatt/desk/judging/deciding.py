"""From scores to decisions: cut-offs by cost, by rate or with a guarantee, and tables of probabilities.

Input     the options; rows of the table with scores by rules that did not learn from them; for a guarantee, more
          rows, which neither those rules nor the one to ship learned from, scored by the one to ship.
Result    `Decided`: the decision to ship, and how each part of it was found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.desk.judging.decision_options import DecisionOptions
from rosenblatt.judge import making
from rosenblatt.judge.crossfit import FoldScores, on_one_scale
from rosenblatt.judge.making import Decided, NotLearnedFrom, refuse_few_of_a_class
from rosenblatt.learn.selection.folds import stratified
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.rule import Rule

FOLDS = 5


def scored_by_folds(rule: Rule, data: Data, seed: int, learned_from: Callable[[Data], Rule]) -> NotLearnedFrom:
    """Every training row, scored by a rule that is learned anew without its fold."""
    counted = np.ones(data.n, np.bool_) if data.weights is None else data.weights > 0
    refuse_few_of_a_class(data.y, counted, data.classes)
    fold_of = stratified(data.y + len(data.classes) * ~counted, FOLDS, np.random.default_rng(seed))
    found = []
    for fold in range(FOLDS):
        known, unknown = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        part = data.some(known)
        found.append(of_fold(learned_from(part), known, part, unknown, data.some(unknown)))
    return on_the_scale_of(rule, data, found)


@dataclass(frozen=True, eq=False)
class FoldRule:
    """The scores and labels that the rule of one fold gives."""

    scores: FoldScores
    own: Array  # the codes of the labels that it gives the rows it is judged on
    are_shares: bool  # whether the scores are a tree's shares


def of_fold(rule: Rule, learned: Array, part: Data, judged: Array, rest: Data) -> FoldRule:
    """The scores of a rule that learned from a part of some rows, with the places of the rows."""
    part, rest = part.seen_by(rule), rest.seen_by(rule)
    scores = FoldScores(learned, rule.scores(part.seen), judged, rule.scores(rest.seen))
    return FoldRule(scores, rule.predict(rest.seen), rule.tree is not None)


def on_the_scale_of(rule: Rule, data: Data, folds: Sequence[FoldRule]) -> NotLearnedFrom:
    """The rows judged, with scores on the scale of the rule to ship; shares of trees have one scale already.

    If some rules are trees and others are not, the scores are NaN, because they cannot be compared.
    """
    rows = np.concatenate([fold.scores.judged for fold in folds])
    are_shares = rule.tree is not None
    if any(fold.are_shares != are_shares for fold in folds):
        scores = np.full(rows.size if len(data.classes) == 2 else (rows.size, len(data.classes)), np.nan)
    else:
        _, scores = on_one_scale(None if are_shares else rule.scores(data.seen), [fold.scores for fold in folds])
    weights = None if data.weights is None else data.weights[rows]
    own = np.concatenate([fold.own for fold in folds]).astype(np.int64)
    each = np.repeat(np.arange(len(folds)), [fold.scores.judged.size for fold in folds])
    return NotLearnedFrom(data.y[rows], scores, own, weights, each)


def decided(
    options: DecisionOptions, classes: Sequence[str], rows: NotLearnedFrom, rule: Rule, set_aside: Data
) -> Decided:
    """The decision to ship; `set_aside` are the rows that a guarantee is tested on."""
    shown = None
    if set_aside.n:
        own = rule.predict(set_aside.seen).astype(np.int64)
        shown = NotLearnedFrom(set_aside.y, rule.scores(set_aside.seen), own, set_aside.weights)
    return making.decided(options.aims(classes, rows), classes, rows, shown)


def decided_by_folds(
    options: DecisionOptions, classes: Sequence[str], rows: NotLearnedFrom, shipped: Decided
) -> tuple[Array, Array | None]:
    """The code and the probability of each row, by cut-offs and tables that were found without the row's fold."""
    codes = rows.own.copy()
    probabilities = None if shipped.decision.probability is None else np.empty(rows.scores.shape)
    fold_of = np.zeros(rows.y.size) if rows.fold is None else rows.fold
    for fold in np.unique(fold_of):
        here = fold_of == fold
        found = making.without_guarantee(options.aims(classes, rows), classes, rows.some(~here)).decision
        if shipped.guarantee is not None:
            found = replace(found, rung=shipped.decision.rung)
        codes[here] = found.codes(rows.scores[here], rows.own[here])
        if probabilities is not None:
            probabilities[here] = found.probabilities(rows.scores[here])
    return codes, probabilities
