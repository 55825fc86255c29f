"""Learns a rule that can be shipped: chooses the algorithm, holds rows out, learns, shortens the weights, judges.

Input     `Data` and `TrainingOptions`: the algorithm, its options, what to hold out, a seed.
Result    `Learned`: the rule, the reason for the algorithm, and its mistakes on training and held-out rows.
"""

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum
from typing import Any

import numpy as np

from rosenblatt.desk.constraints import refuse_unfit, without_points
from rosenblatt.desk.cost import Baseline, Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.judging import deciding
from rosenblatt.desk.judging.deciding import scored_by_folds
from rosenblatt.desk.judging.decision_options import DecisionOptions
from rosenblatt.desk.judging.error_rate import ErrorEstimate
from rosenblatt.desk.judging.judged import Judged, folds_of, on_folds, on_held_out, pooled
from rosenblatt.desk.judging.measures import Measures
from rosenblatt.desk.learning.challenge import challenger, shared_options
from rosenblatt.desk.learning.choosing import AUTO as AUTO
from rosenblatt.desk.learning.choosing import COMPARED, LIMIT, STANDS_FOR, chosen, options_of, rule_of, rules_of
from rosenblatt.desk.learning.plain_warnings import in_plain_words
from rosenblatt.desk.learning.shortening import made_short
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import DataError, ModelError, NotConverged, OptionError
from rosenblatt.judge.making import Decided
from rosenblatt.learn.selection.few_columns import MOST
from rosenblatt.prove.solve.separability import Verdict
from rosenblatt.registry import ALGORITHMS
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.rule import Rule
from rosenblatt.ship.file.codecs import NO_SHAPE
from rosenblatt.ship.file.options import kinds_kept

RARE, FEW = 0.2, 0.5  # a class is rare with at most this share of all rows; few are at most this share of its rows


@dataclass(frozen=True)
class TrainingOptions:
    """What to learn with, and how to judge the result."""

    algorithm: str = AUTO
    options: Mapping[str, Any] = field(default_factory=dict)  # of the rule
    hold_out: float = 0.2  # the part of the rows to hold out
    folds: int = 0  # instead: learn from all rows and judge by cross-validation
    seed: int = 0
    seconds: float | None = None  # for each proof; 0: no limit; None: a fixed amount of work
    prove: bool = True  # if not, nothing is proved, not even to choose the algorithm
    verbose: bool = False
    also: tuple[str, ...] = ()  # algorithms to compare with the linear rules, where those are compared
    decision_options: DecisionOptions = field(default_factory=DecisionOptions)  # of the decisions
    constraints: Mapping[str, int] = field(default_factory=dict)  # by column: 1, the score never falls; -1, never rises

    def check(self) -> None:
        """Refuse options that are wrong for any table."""
        for rule_class in rules_of(self.algorithm, self.options, bool(self.constraints)):
            rule_class(**self.options).check_options()
            _refuse_values(rule_class.name, self.options)
        for each in self.also:
            if self.algorithm != AUTO:
                raise OptionError(
                    f"--also {each} is for -a {AUTO}, whose rules it is compared with, not for -a {self.algorithm}"
                )
            if each == COMPARED:
                raise OptionError(f"--also {each}: its rules are always compared")
            if self.options.get(LIMIT) is not None:
                raise OptionError(
                    f"--also {each} cannot be compared with rules of few columns: leave --most-columns out"
                )
            options_of(each, {}, bool(self.constraints))
        if self.also and self.folds and self.decision_options.needs_scores:
            raise OptionError(
                "with --also, each of the --folds may choose another kind of rule, and cut-offs and probabilities "
                "cannot be made from scores of different kinds: use --hold-out instead of --folds"
            )
        if not 0.0 <= self.hold_out < 1.0:
            raise OptionError(f"--hold-out must be at least 0 and below 1, not {self.hold_out!r}")
        if self.folds < 0 or self.folds == 1:
            raise OptionError(f"--folds must be at least 2, or 0 for none, not {self.folds}")
        self.decision_options.check()
        if self.part + self.decision_options.part >= 1.0:
            raise OptionError(
                f"--hold-out {self.part:g} and --calibrate {self.decision_options.part:g} leave no rows to learn from"
            )

    @property
    def part(self) -> float:
        """The part of the rows to hold out."""
        return 0.0 if self.folds else self.hold_out

    @property
    def tested(self) -> HoldOut | None:
        """The rows to judge the rule on, if any."""
        return HoldOut(self.part, self.seed) if self.part else None

    @property
    def held_out(self) -> HoldOut | None:
        """The rows not to learn from, if any: those, and those set aside for a guarantee."""
        part = self.part + self.decision_options.part
        return HoldOut(part, self.seed) if part else None


def _refuse_values(rule: str, options: Mapping[str, Any]) -> None:
    """Refuse option values that a model file could not hold."""
    for name, value in options.items():
        kind = kinds_kept(rule)[name]
        try:
            kind.read(kind.write(value) if isinstance(value, Mapping | list) else value, name, NO_SHAPE)
        except (ModelError, ValueError) as error:
            raise OptionError(str(error)) from None


@dataclass(frozen=True)
class Learned:
    """A rule, how it was learned, and how good it is."""

    rule: Rule
    algorithm: str
    why: str  # the reason for this algorithm
    verdict: Verdict | None  # on the training rows, unless proofs were turned off
    trained: Data
    mistakes: int  # on the training rows
    costs: Costs
    cost: float  # of these mistakes
    judged: Judged | None  # on rows not learned from
    decided: Decided | None  # cut-offs and probabilities, if wanted
    exact: bool  # whether every export gives the same labels
    seconds: float
    interrupted: bool
    notes: tuple[str, ...]
    tested: Data | None = None  # the rows held out, if any

    @property
    def error(self) -> ErrorEstimate | None:
        """On rows not learned from, the error among those decided."""
        return None if self.judged is None else self.judged.error

    @property
    def baseline(self) -> Baseline | None:
        """On the rows of `error`, the comparison with always predicting one class."""
        return None if self.judged is None else self.judged.baseline


def learn(data: Data, training: TrainingOptions) -> Learned:
    """Learn a rule and judge it."""
    begun, decision_options = time.monotonic(), training.decision_options
    tested, aside = _rows_held_out(data, training)
    data = _prepared(data, training.held_out, training)
    refuse_unfit(data, training.constraints)
    out = tested | aside
    trained = data.some(~out) if out.any() else data
    if training.options.get(LIMIT) is None:
        _ = trained.fingerprint_begun  # the model will need it
    trainer = _Trainer(trained, training)
    interrupted, rule, trained = trainer.fit(), trainer.rule, trainer.data
    held_out, set_aside = (trainer.seen(data.some(some)) for some in (tested, aside))
    exact = rule.tree is not None or made_short(rule, trained)
    costs = Costs.of(rule, trained)
    predicted = rule.predict(trained.seen)
    wrong = predicted != trained.y
    judged, decided, interrupted = _judged(data, trainer, costs, held_out, set_aside, interrupted)
    if decision_options.needs_scores and decided is None:
        trainer.notes.append("interrupted before cut-offs and probabilities were found: the model has none")
    if (path := rule.column_path) is not None:
        if min(path.of, training.options[LIMIT]) > MOST:
            trainer.notes.append(f"rules of more than {MOST} columns are not tried")
        rule, trained, held_out = _narrowed(rule, trained, held_out)
        if not interrupted:  # only now is it known which columns proofs are about
            trainer.chosen = chosen(trained, training)
            trainer.notes += trainer.chosen.notes
    cost, seconds = fsum(costs.of_rows(trained)[wrong]), time.monotonic() - begun
    counted = wrong if trained.weights is None else wrong & (trained.weights > 0)
    notes = (*trainer.notes, *trainer.chosen.note_on_verdict(int(counted.sum())))
    if decided is None or decided.decision.rung is None:
        notes += _note_on_constant(rule, costs, cost, trained, predicted)
    notes += _note_on_columns_without_points(rule, trained)
    notes += _advice_on_missed_class(rule, judged, trained, decision_options)
    how = trainer.chosen
    return Learned(
        rule, how.algorithm, how.why, how.verdict, trained, int(wrong.sum()), costs, cost, judged, decided, exact,
        seconds, interrupted, notes, held_out if held_out.n else None,
    )  # fmt: skip


def _judged(
    data: Data, trainer: "_Trainer", costs: Costs, held_out: Data, set_aside: Data, interrupted: bool
) -> tuple[Judged | None, Decided | None, bool]:
    """How the rule does on rows not learned from, and what its scores decide; and whether it was interrupted."""
    training, rule, trained, decision_options = (
        trainer.training,
        trainer.rule,
        trainer.data,
        trainer.training.decision_options,
    )
    known, judged, decided = partial(_prepared, data, training=training), None, None
    try:
        if training.folds and not interrupted:
            anew = partial(_learned_from, training)
            folds = folds_of(trained, training.folds, HoldOut(decision_options.part, training.seed), known, anew)
            rows = pooled(rule, trained, folds)
            if decision_options.needs_scores:
                decided = deciding.decided(decision_options, data.classes, rows, rule, set_aside)
            judged = on_folds(decision_options, rows, decided, trained, folds, training.folds)
            trainer.notes += judged.notes
        elif decision_options.needs_scores and not interrupted:
            anew = partial(_learned_from, trainer.settled)
            if trained.encoding.knows_labels:  # so it is made anew, too
                apart = training.held_out or HoldOut(0.0, training.seed)
                rows = pooled(rule, trained, folds_of(trained, deciding.FOLDS, apart, known, anew))
            else:
                rows = scored_by_folds(rule, trained, training.seed, anew)
            decided = deciding.decided(decision_options, data.classes, rows, rule, set_aside)
        if held_out.n:
            made = None if decided is None else decided.decision
            judged = on_held_out(decision_options, rule, made, costs, trained, held_out)
    except KeyboardInterrupt:  # there is a rule, though it is not judged
        interrupted = True
    return judged, decided, interrupted


def _narrowed(rule: Any, trained: Data, held_out: Data) -> tuple[Any, Data, Data]:
    """A rule of few columns, and its rows, without all other columns: no table that it is used on needs those."""
    columns, names = rule.column_path.chosen, trained.encoding.column_names
    rule.keep_features(np.array([k for k, name in enumerate(names) if name in columns]))
    return rule, trained.only(columns), held_out.only(columns)


def _learned_from(training: TrainingOptions, part: Data) -> Rule:
    """A rule learned anew from some of the rows."""
    without_proofs = replace(
        training, prove=training.prove and training.algorithm != AUTO
    )  # nothing depends on them here
    trainer = _Trainer(part, without_proofs)
    if trainer.fit():
        raise KeyboardInterrupt
    return trainer.rule  # type: ignore[no-any-return]


def _advice_on_missed_class(
    rule: Rule, judged: Judged | None, trained: Data, decision_options: DecisionOptions
) -> tuple[str, ...]:
    """Advice for a rule that finds no row of a class, or few rows of a rare one."""
    if len(trained.classes) > 2 or decision_options.costs or not decision_options.is_about_cost:
        return ()
    counts = np.bincount(trained.y, trained.weights, 2)
    rare = int(np.argmin(counts))
    found = "" if rule.is_constant or judged is None else _few_found(judged.measures, rare, trained.classes[rare])
    if not (rule.is_constant or found):
        return ()
    times, yes = round(float(counts[1 - rare] / counts[rare])), float(counts[1] / counts.sum())
    advice = f"--cost {trained.classes[rare]}={times} would make both classes count the same"
    as_often = f"--rate {100 * yes:.2g}% would say {trained.classes[1]} as often as rows are {trained.classes[1]}"
    return (f"{found}{advice}, and {as_often}",)


def _few_found(measures: Measures, rare: int, label: str) -> str:
    """How few of the new rows of a rare class are found; empty if many are."""
    row, rows = measures.matrix[rare], sum(map(sum, measures.matrix))
    if measures.never_found:
        return f"the rule finds none of the new rows that are {label}: "
    if sum(row) > RARE * rows or row[rare] > FEW * sum(row):
        return ""
    return f"the rule finds only {row[rare]:,.6g} of the {sum(row):,.6g} new rows that are {label}: "


def _note_on_constant(rule: Rule, costs: Costs, cost: float, trained: Data, predicted: Array) -> tuple[str, ...]:
    """A note if the rule predicts one class for every row, or if such a rule would cost less."""
    code = costs.cheapest_class(trained)
    label, least = trained.classes[code], fsum(costs.of_rows(trained)[trained.y != code])
    if rule.is_constant:
        return (f"the rule predicts {label} for every row: no rule was found that costs less on the training rows",)
    if cost > least:
        return (f"always predicting {label} costs less on the training rows than this rule",)
    if (predicted == predicted[0]).all():
        only = trained.classes[predicted[0]]
        more = "--class-weight balanced, or CLASS=COST, makes mistakes on other classes cost more"
        return (f"the rule predicts {only} for every training row; {more}",)
    return ()


def _note_on_columns_without_points(rule: Rule, trained: Data) -> tuple[str, ...]:
    """A note on columns that their constraints have left without points."""
    if not (names := without_points(trained.encoding, rule)):
        return ()
    return (f"the constraints leave no points to {', '.join(names)}: the rows favour the opposite direction",)


def _prepared(data: Data, held_out: HoldOut | None, training: TrainingOptions) -> Data:
    """The rows as the algorithm sees them, encoded without any knowledge of the held-out ones."""
    data = data.without_knowing(held_out)
    return data if training.algorithm in STANDS_FOR else data.seen_by(ALGORITHMS[training.algorithm].rule)


def _rows_held_out(data: Data, training: TrainingOptions) -> tuple[Array, Array]:
    """Which rows are held out, and which others are set aside to test a guarantee on."""
    training.check()
    training.decision_options.check_classes(data.classes)
    if training.folds > data.n:
        raise OptionError(f"cannot split {data.n} rows into {training.folds} folds")
    none = np.zeros(data.n, np.bool_)
    out = none if training.held_out is None else training.held_out(0, data.n)
    tested = none if training.tested is None else training.tested(0, data.n)
    training.decision_options.check_rows(data.y[out & ~tested], data.weights, data.classes)
    for code, label in enumerate(data.classes):
        inside, counts = data.y[~out] == code, True if data.weights is None else data.weights[~out] > 0
        if not inside.any():
            rows = int((data.y == code).sum())
            every = f"all {rows:,} rows" if rows > 1 else "the only row"
            raise DataError(
                f"{every} of class {label!r} would be held out; use another --seed or a smaller --hold-out, or merge "
                "rare classes"
            )
        if not (inside & counts).any():
            raise DataError(f"all training rows of class {label!r} have weight 0")
    return tested, out & ~tested


class _Trainer:
    """Chooses the algorithm and learns the rule."""

    def __init__(self, data: Data, training: TrainingOptions) -> None:
        proving = training.prove and training.options.get(LIMIT) is None  # with few columns, only once those are known
        self.data, self.training, self.chosen = data, training, chosen(data, replace(training, prove=proving))
        self.notes = list(self.chosen.notes)
        self.rule = rule_of(self.chosen.algorithm, {**self.chosen.options, **training.options}, data, training)

    def fit(self) -> bool:
        """Learn; returns whether learning was interrupted, which keeps the best rule so far."""
        interrupted = self._fit()
        if not self.training.decision_options.needs_scores:  # equal scores for all rows would be of no use
            self.rule.settle_for_constant(self.data.seen, self.data.y, self.data.weights)
        return interrupted

    @property
    def settled(self) -> TrainingOptions:
        """How to learn the same kind of rule again, without comparing kinds."""
        training, algorithm = self.training, self.chosen.algorithm
        if not training.also:
            return training
        return replace(training, algorithm=algorithm, also=(), options=shared_options(algorithm, training))

    def seen(self, data: Data) -> Data:
        """Other rows as the rule sees them."""
        return data.seen_by(self.rule) if self.training.also else data

    def _fit(self) -> bool:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", NotConverged)
            try:
                self._learn()
            except KeyboardInterrupt:
                if not self.rule.is_fitted:
                    raise
                return True
        self.notes += [in_plain_words(str(warning.message), self.data.classes) for warning in caught]
        return False

    def _learn(self) -> None:
        data = self.data
        weights = {} if data.weights is None else {"sample_weight": data.weights}
        if not self.training.also:
            self.rule.fit(data.seen, data.y, **weights)
            return
        rows, found = self.rule.compare_and_fit(data.seen, data.y, **weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # in a fold
            others = [challenger(each, data, rows, found, self.training) for each in self.training.also]
        best = min(others, key=lambda other: other.error)
        self.notes += [other.note for other in others if not best.wins]
        if best.wins:
            theirs = data.seen_by(ALGORITHMS[best.algorithm].rule)
            rule = rule_of(best.algorithm, shared_options(best.algorithm, self.training), theirs, self.training)
            rule.fit(theirs.seen, theirs.y, **weights)
            self.rule, self.data, self.chosen = rule, theirs, best.chosen
