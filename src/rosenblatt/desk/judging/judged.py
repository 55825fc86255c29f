"""Judges a model on rows not learned from: rows held out, or each row by a rule that learned without its fold.

Input     a rule and its decision; the rows held out, or the rules of all folds.
Result    `Judged`: the error with its interval, the comparison with always predicting one class, and the measures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from rosenblatt.desk.cost import Baseline, Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.judging.deciding import FoldRule, decided_by_folds, of_fold, on_the_scale_of
from rosenblatt.desk.judging.decision_options import DecisionOptions
from rosenblatt.desk.judging.error_rate import HELD_OUT, ErrorEstimate, by_folds
from rosenblatt.desk.judging.measures import Answers, Measures
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import DataError
from rosenblatt.judge.abstain import Covered, error_curve
from rosenblatt.judge.decision import Decision
from rosenblatt.judge.making import Decided, NotLearnedFrom
from rosenblatt.judge.reliability import Bin, reliability
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.rule import Rule


@dataclass(frozen=True, eq=False)
class Judged:
    """How a model does on rows that it did not learn from."""

    error: ErrorEstimate | None  # on the rows decided; None if all are left to people
    baseline: Baseline | None  # None if the aim of the decision is not a low cost
    measures: Measures
    answers: Answers
    left_to_people: int  # rows
    notes: tuple[str, ...] = ()


def answers_of(rule: Rule, decision: Decision | None, data: Data) -> Answers:
    """The labels, scores and probabilities that a model gives some rows."""
    scores, own = rule.scores(data.seen), rule.predict(data.seen).astype(np.int64)
    made = decision or Decision()
    return Answers(data.y, made.codes(scores, own), scores, made.probabilities(scores), data.weights)


def on_held_out(
    options: DecisionOptions, rule: Rule, decision: Decision | None, costs: Costs, trained: Data, tested: Data
) -> Judged:
    """Judge a model on the rows held out."""
    answers = answers_of(rule, decision, tested)
    baseline = Baseline.of(costs, trained, tested, answers.codes) if options.is_about_cost else None
    return _judged(answers, HELD_OUT, len(trained.classes), baseline)


def _judged(answers: Answers, how: str, classes: int, baseline: Baseline | None, notes: tuple[str, ...] = ()) -> Judged:
    decided = int(answers.decided.sum())
    error = ErrorEstimate.of(int(answers.wrong.sum()), decided, how) if decided else None
    return Judged(error, baseline, Measures.of(answers, classes), answers, answers.y.size - decided, notes)


def reliability_of(answers: Answers) -> tuple[Bin, ...]:
    """How often yes is right, by bins of probability; empty if there are no probabilities."""
    return () if (rows := answers.with_probabilities) is None else reliability(rows)


def coverage_of(answers: Answers, made: Decided | None) -> tuple[Covered, ...]:
    """The error among the rows decided, for every pair of cut-offs tried; empty if none leaves rows to people."""
    if made is None or made.guarantee is None or made.guarantee.ladder.without_asking:
        return ()
    return error_curve(answers.as_scored, made.guarantee.ladder)


# -- by folds --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Fold:
    """The answers of the rule of one fold, and what its baseline is made from."""

    found: FoldRule
    costs: Costs
    part: Data  # without features
    rest: Data


def folds_of(
    data: Data,
    many_folds: int,
    aside: HoldOut,
    known_without: Callable[[HoldOut], Data],
    learned_from: Callable[[Data], Rule],
) -> list[Fold]:
    """Learn without each fold in turn; skip a fold if some class has no rows without it.

    `data` are the rows to judge; rows of the table that are set `aside` are in no fold.
    """
    found = []
    for k in range(many_folds):
        fold = replace(aside, folds=many_folds, fold=k)
        everywhere = known_without(fold)
        out, apart = (each(0, everywhere.n) for each in (fold, aside))
        counted = ~out if everywhere.weights is None else ~out & (everywhere.weights > 0)
        inside = out & ~apart
        if not inside.any() or np.unique(everywhere.y[counted]).size < len(data.classes):
            continue
        part, rest = everywhere.some(~out), everywhere.some(inside)
        rule = learned_from(part)
        places = np.cumsum(~apart) - 1  # among the rows that are not set aside
        scored = of_fold(rule, places[~out], part, places[inside], rest)
        found.append(Fold(scored, Costs.of(rule, part), part.without_features, rest.without_features))
    if not found:
        raise DataError(
            "every fold contains all rows of some class; use more folds or another --seed, or merge rare classes"
        )
    return found


def pooled(rule: Rule, data: Data, folds: Sequence[Fold]) -> NotLearnedFrom:
    """The rows of all folds, with scores on the scale of the rule to ship."""
    return on_the_scale_of(rule, data, [fold.found for fold in folds])


def on_folds(
    options: DecisionOptions,
    rows: NotLearnedFrom,
    made: Decided | None,
    data: Data,
    folds: Sequence[Fold],
    folds_wanted: int,
) -> Judged:
    """Judge by the rules of all folds; `folds_wanted` may be more than there are, as some are skipped."""
    codes, probabilities = (rows.own, None) if made is None else decided_by_folds(options, data.classes, rows, made)
    answers = Answers(rows.y, codes, rows.scores, probabilities, rows.weights)
    each = [Baseline.of(fold.costs, fold.part, fold.rest, codes[rows.fold == k]) for k, fold in enumerate(folds)]
    baseline = reduce(add, each) if options.is_about_cost else None
    return _judged(answers, by_folds(folds_wanted), len(data.classes), baseline, _not_judged(data, rows.y))


def _not_judged(data: Data, judged: Array) -> tuple[str, ...]:
    """A note if some folds were skipped."""
    if judged.size == data.n:
        return ()
    left_out = many(data.n - judged.size, "row")
    return (f"{left_out} of {data.n:,} not judged: without their fold, some class has no training rows",)
