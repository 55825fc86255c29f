"""Learns a rule that can be shipped: chooses the algorithm, holds rows out, learns, shortens the weights, judges.

Input     `Data` and `TrainingOptions`: the algorithm, its options, what to hold out, a seed.
Result    `Learned`: the rule, the reason for the algorithm, and its mistakes on training and held-out rows.
"""

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np

from rosenblatt.desk.challenge import challenger, shared_options
from rosenblatt.desk.choosing import AUTO as AUTO
from rosenblatt.desk.choosing import COMPARED, MEANT, chosen, options_of, rule_of, rules_of
from rosenblatt.desk.cost import Baseline, Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.error_rate import HELD_OUT, ErrorEstimate, by_folds
from rosenblatt.desk.plain_warnings import in_plain_words
from rosenblatt.desk.shortening import made_short
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import DataError, ModelError, NotConverged, OptionError
from rosenblatt.plurals import many
from rosenblatt.prove.solve.separability import Verdict
from rosenblatt.registry import ALGORITHMS
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.rule import Rule
from rosenblatt.ship.file.codecs import NO_SHAPE
from rosenblatt.ship.file.options import kinds_kept


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

    def check(self) -> None:
        """Refuse options that are wrong for any table."""
        for rule_class in rules_of(self.algorithm, self.options):
            rule_class(**self.options).check_options()
            _refuse_values(rule_class.name, self.options)
        for each in self.also:
            if self.algorithm != AUTO:
                raise OptionError(f"--also {each} is compared with the rules of -a {AUTO}, not of {self.algorithm}")
            if each == COMPARED:
                raise OptionError(f"--also {each}: its rules are compared anyway")
            options_of(each, {})
        if not 0.0 <= self.hold_out < 1.0:
            raise OptionError(f"--hold-out must be at least 0 and below 1, not {self.hold_out!r}")
        if self.folds < 0 or self.folds == 1:
            raise OptionError(f"--folds must be at least 2, or 0 for none, not {self.folds}")

    @property
    def held_out(self) -> HoldOut | None:
        """The rows to hold out, if any."""
        return HoldOut(self.hold_out, self.seed) if self.hold_out and not self.folds else None


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
    error: ErrorEstimate | None
    baseline: Baseline | None  # on the rows of `error`
    exact: bool  # whether every export gives the same labels
    seconds: float
    interrupted: bool
    notes: tuple[str, ...]


def learn(data: Data, training: TrainingOptions) -> Learned:
    """Learn a rule and judge it."""
    begun = time.monotonic()
    out = _rows_held_out(data, training)
    data = _prepared(data, training.held_out, training)
    trained = data.some(~out) if out.any() else data
    _ = trained.fingerprint_begun  # the model will need it
    trainer = _Trainer(trained, training)
    interrupted, rule, trained = trainer.fit(), trainer.rule, trainer.data
    exact = rule.tree is not None or made_short(rule, trained)
    costs = Costs.of(rule, trained)
    predicted = rule.predict(trained.seen)
    wrong = predicted != trained.y
    error = baseline = None
    try:
        if out.any():
            error, baseline = _judged(rule, costs, trained, trainer.seen(data.some(out)), HELD_OUT)
        elif training.folds and not interrupted:
            error, baseline = _cross_validated(data, training)
            interrupted = error is None
            trainer.notes += _on_rows_not_judged(data, error)
    except KeyboardInterrupt:  # there is a rule, though it is not judged
        interrupted = True
    cost, seconds = fsum(costs.of_rows(trained)[wrong]), time.monotonic() - begun
    counted = wrong if trained.weights is None else wrong & (trained.weights > 0)
    notes = (*trainer.notes, *trainer.chosen.beside_verdict(int(counted.sum())))
    notes += _beside_constant(rule, costs, cost, trained, predicted)
    how = trainer.chosen
    return Learned(
        rule, how.algorithm, how.why, how.verdict, trained, int(wrong.sum()), costs, cost, error, baseline, exact,
        seconds, interrupted, notes,
    )  # fmt: skip


def _beside_constant(rule: Rule, costs: Costs, cost: float, trained: Data, predicted: Array) -> tuple[str, ...]:
    """A note if the rule predicts one class for every row, or if that would cost less."""
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


def _judged(rule: Rule, costs: Costs, trained: Data, tested: Data, how: str) -> tuple[ErrorEstimate, Baseline]:
    """The rule's error on rows not used in learning, and a comparison with the best constant rule."""
    predicted = rule.predict(tested.seen)
    wrong = int((predicted != tested.y).sum())
    return ErrorEstimate.of(wrong, tested.n, how), Baseline.of(costs, trained, tested, predicted)


def _on_rows_not_judged(data: Data, error: ErrorEstimate | None) -> list[str]:
    """A note if some folds were skipped."""
    if error is None or error.rows == data.n:
        return []
    left_out = many(data.n - error.rows, "row")
    return [f"{left_out} of {data.n:,} not judged: without their fold, some class has no training rows"]


def _prepared(data: Data, held_out: HoldOut | None, training: TrainingOptions) -> Data:
    """The rows as the algorithm sees them, encoded without any knowledge of the held-out ones."""
    data = data.without_knowing(held_out)
    return data if training.algorithm in MEANT else data.seen_by(ALGORITHMS[training.algorithm].rule)


def _rows_held_out(data: Data, training: TrainingOptions) -> Any:
    """Which rows are held out."""
    training.check()
    if training.folds > data.n:
        raise OptionError(f"cannot split {data.n} rows into {training.folds} folds")
    out = np.zeros(data.n, np.bool_) if training.held_out is None else training.held_out(0, data.n)
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
    return out


def _cross_validated(data: Data, training: TrainingOptions) -> tuple[ErrorEstimate | None, Baseline | None]:
    """The error of rules that were each learned without one fold and judged on it; None if interrupted."""
    how = by_folds(training.folds)
    judged: tuple[ErrorEstimate, Baseline] | None = None
    without_proofs = replace(training, prove=training.prove and training.algorithm != AUTO)  # which nothing rests on
    for k in range(training.folds):
        fold = HoldOut(seed=training.seed, folds=training.folds, fold=k)
        inside = fold(0, data.n)
        counted = ~inside if data.weights is None else ~inside & (data.weights > 0)
        if not inside.any() or np.unique(data.y[counted]).size < len(data.classes):
            continue
        known = _prepared(data, fold, training)
        part = known.some(~inside)
        trainer = _Trainer(part, without_proofs)
        if trainer.fit():
            return None, None
        costs = Costs.of(trainer.rule, part)
        error, baseline = _judged(trainer.rule, costs, part, trainer.seen(known.some(inside)), how)
        if judged is not None:
            error = ErrorEstimate.of(judged[0].mistakes + error.mistakes, judged[0].rows + error.rows, how)
            baseline = judged[1] + baseline
        judged = error, baseline
    if judged is None:
        raise DataError(
            "every fold holds all rows of some class; use more folds or another --seed, or merge rare classes"
        )
    return judged


class _Trainer:
    """Chooses the algorithm and learns the rule."""

    def __init__(self, data: Data, training: TrainingOptions) -> None:
        self.data, self.training, self.chosen = data, training, chosen(data, training)
        self.notes = list(self.chosen.notes)
        self.rule = rule_of(self.chosen.algorithm, {**self.chosen.options, **training.options}, data, training)

    def fit(self) -> bool:
        """Learn; returns whether learning was interrupted, which keeps the best rule so far."""
        interrupted = self._fit()
        self.rule.settle_for_constant(self.data.seen, self.data.y, self.data.weights)
        return interrupted

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
