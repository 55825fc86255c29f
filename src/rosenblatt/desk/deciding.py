"""From scores to decisions: cut-offs by cost, by rate or with a guarantee, and tables of probabilities.

Input     what is wanted; rows of the table with scores by rules that did not learn from them; for a guarantee, more
          rows, which neither those rules nor the one to ship learned from, scored by the one to ship.
Result    `Decided`: the decision to ship, and how each part of it was found.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from sys import float_info

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.desk.measures import Said
from rosenblatt.desk.wishes import AUTO, Wishes, names_of, refuse_few_of_a_class
from rosenblatt.judge.abstain import ARE_NO, ARE_YES, SAID_NO, SAID_YES, Abstention, Tolerance, choose, surest_rung
from rosenblatt.judge.calibration import sigmoid
from rosenblatt.judge.crossfit import FoldScores, on_one_scale
from rosenblatt.judge.cutoff import CutOff, by_cost, by_share
from rosenblatt.judge.decision import Decision
from rosenblatt.judge.ladder import YES, Ladder, Rung
from rosenblatt.judge.scored import Scored
from rosenblatt.judge.tables import ISOTONIC, SIGMOID, VENN_ABERS, steps_of, tables_of
from rosenblatt.learn.selection.folds import stratified
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.rule import Rule

FOLDS = 5
ENOUGH = 1_000  # rows with weights; with more, isotonic probabilities are as sure as a sigmoid's


@dataclass(frozen=True, eq=False)
class NotLearnedFrom:
    """Rows with scores by rules that did not learn from them, on the scale of the rule to ship."""

    y: Array
    scores: Array  # for several classes, a column for each
    own: Array  # the classes that those rules give the rows
    weights: Array | None
    fold: Array  # which of those rules scored the row

    def some(self, chosen: Array) -> "NotLearnedFrom":
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return NotLearnedFrom(self.y[chosen], self.scores[chosen], self.own[chosen], weights, self.fold[chosen])

    @property
    def scored(self) -> Scored:
        """The rows with one score each."""
        return Said(self.y, self.own, self.scores, None, self.weights).shown


@dataclass(frozen=True, eq=False)
class Decided:
    """The decision to ship, and how it was found."""

    decision: Decision
    cut_off: CutOff | None = None  # by cost or by rate
    stays: str | None = None  # why the rule's own threshold is kept instead of one by cost
    guarantee: Abstention | None = None
    method: str | None = None  # of the probabilities

    @property
    def guaranteed(self) -> str | None:
        """The guarantee in words."""
        if self.guarantee is None:
            return None
        of_lead = self.guarantee.names == names_of(())
        return self.guarantee.statement.replace(" a score of ", " a lead of ") if of_lead else self.guarantee.statement


def by_rules_of_folds(rule: Rule, data: Data, seed: int, learned_from: Callable[[Data], Rule]) -> NotLearnedFrom:
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
    """What the rule of one fold says."""

    scores: FoldScores
    own: Array  # the classes that it gives the rows it is judged on


def of_fold(rule: Rule, learned: Array, part: Data, judged: Array, rest: Data) -> FoldRule:
    """The scores of a rule that learned from a part of some rows, with the places of the rows."""
    return FoldRule(
        FoldScores(learned, rule.scores(part.seen), judged, rule.scores(rest.seen)), rule.predict(rest.seen)
    )


def on_the_scale_of(rule: Rule, data: Data, folds: Sequence[FoldRule]) -> NotLearnedFrom:
    """The rows judged, with scores as large as the rule's own; shares of a tree are on one scale."""
    rows = np.concatenate([fold.scores.judged for fold in folds])
    if rule.tree is None:
        _, scores = on_one_scale(rule.scores(data.seen), [fold.scores for fold in folds])
    else:
        scores = np.concatenate([fold.scores.of_judged for fold in folds])
    weights = None if data.weights is None else data.weights[rows]
    own = np.concatenate([fold.own for fold in folds]).astype(np.int64)
    each = np.repeat(np.arange(len(folds)), [fold.scores.judged.size for fold in folds])
    return NotLearnedFrom(data.y[rows], scores, own, weights, each)


def decided(wishes: Wishes, classes: Sequence[str], rows: NotLearnedFrom, rule: Rule, held: Data) -> Decided:
    """The decision to ship; `held` are the rows that a guarantee is shown on."""
    found = without_guarantee(wishes, classes, rows)
    if not wishes.at_most:
        return found
    tolerances = wishes.tolerances(classes)
    ladder = _ladder(tolerances, rows)
    scores, own = rule.scores(held.seen), rule.predict(held.seen).astype(np.int64)
    shown = Said(held.y, own, scores, None, held.weights).shown
    first = surest_rung(held.n, ladder, tolerances, rows.scored)
    guarantee = choose(shown, ladder, tolerances, wishes.confidence, names_of(classes), first)
    chosen = Rung(guarantee.chosen.lower, guarantee.chosen.upper)
    return replace(found, decision=replace(found.decision, rung=chosen), guarantee=guarantee)


def without_guarantee(wishes: Wishes, classes: Sequence[str], rows: NotLearnedFrom) -> Decided:
    """The cut-off by cost or by rate, and the probabilities."""
    cut_off, stays = None, None
    if len(classes) == 2 and wishes.costs and not wishes.at_most:
        cut_off, stays = _by_cost(wishes, classes, rows)
    elif wishes.rate is not None:
        cut_off = by_share(rows.scores, wishes.rate, names_of(classes))
    method = wishes.probability
    if method == AUTO:
        method = VENN_ABERS if rows.weights is None else SIGMOID if rows.y.size < ENOUGH else ISOTONIC
    probability = None if method is None else tables_of(method, rows.scores, rows.y, rows.weights)
    return Decided(Decision(None if cut_off is None else single(cut_off), probability), cut_off, stays, None, method)


def _by_cost(wishes: Wishes, classes: Sequence[str], rows: NotLearnedFrom) -> tuple[CutOff | None, str | None]:
    """The cut-off of least cost; or, if it costs less by no more than chance may make it, why there is none.

    The best of many cut-offs on some rows is partly so by luck, and the fewer rows there are, the more.
    """
    each = np.array([float(wishes.costs.get(label, 1.0)) for label in classes])
    found = by_cost(rows.scored, each[0], each[1], names_of(classes))
    costs = each[rows.y] if rows.weights is None else each[rows.y] * rows.weights
    own, other = (costs * (said != rows.y) for said in (rows.own, single(found).of(rows.scores) == YES))
    saved, chance = float((own - other).sum()), float(np.sqrt(((own - other) ** 2).sum()))
    if saved > chance:
        return found, None
    return None, (
        f"The rule's own threshold stays: mistakes cost {own.sum():,.6g} there, and the cheapest cut-off, at a score "
        f"of {found.at or 0.0:.6g}, saves {max(saved, 0.0):,.6g}, which may be chance."
    )


def single(cut_off: CutOff) -> Rung:
    """A single cut-off, which leaves nothing to people; where yes is never said, no score reaches it."""
    at = float_info.max if cut_off.at is None else cut_off.at
    return Rung(at, at)


def _ladder(tolerances: Iterable[Tolerance], rows: NotLearnedFrom) -> Ladder:
    """What to try: one cut-off if errors of only one kind are limited, else pairs, the surest decisions first."""
    among, scored = {tolerance.among for tolerance in tolerances}, rows.scored
    if rows.scores.ndim == 2:
        return Ladder.from_top(scored.scores, below="ask")
    if among <= {SAID_YES, ARE_NO}:
        return Ladder.from_top(scored.scores)
    if among <= {SAID_NO, ARE_YES}:
        return Ladder.from_bottom(scored.scores)
    return Ladder.by_chance(steps_of(sigmoid(scored), scored), scored.scores)


def said_by_folds(
    wishes: Wishes, classes: Sequence[str], rows: NotLearnedFrom, shipped: Decided
) -> tuple[Array, Array | None]:
    """What is decided about each row and how likely it is, by cut-offs and tables found without the row's fold."""
    codes = rows.own.copy()
    probabilities = None if shipped.decision.probability is None else np.empty(rows.scores.shape)
    for fold in np.unique(rows.fold):
        here = rows.fold == fold
        found = without_guarantee(wishes, classes, rows.some(~here)).decision
        if shipped.guarantee is not None:
            found = replace(found, rung=shipped.decision.rung)
        codes[here] = found.codes(rows.scores[here], rows.own[here])
        if probabilities is not None:
            probabilities[here] = found.probabilities(rows.scores[here])
    return codes, probabilities
