"""Learns a rule that can be shipped: chooses the algorithm, holds rows out, learns, shortens the weights, judges.

Input     `Data` and `TrainingOptions`: the algorithm, its options, what to hold out, a seed.
Result    `Learned`: the rule, the reason for the algorithm, and its mistakes on training and held-out rows.
"""

import inspect
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import fsum
from typing import Any

import numpy as np

from rosenblatt.desk import deciding
from rosenblatt.desk.check import decided as separable
from rosenblatt.desk.cost import Baseline, Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.deciding import by_rules_of_folds
from rosenblatt.desk.error_rate import ErrorEstimate
from rosenblatt.desk.judging import Judged, folds_of, on_folds, on_held_out, pooled
from rosenblatt.desk.limits import FIT_WORK, clock_of, more
from rosenblatt.desk.plain_warnings import in_plain_words
from rosenblatt.desk.shortening import floats_of, made_short
from rosenblatt.desk.split import HoldOut
from rosenblatt.desk.wishes import Wishes
from rosenblatt.errors import DataError, ModelError, NotConverged, OptionError
from rosenblatt.judge.making import Decided
from rosenblatt.prove.check.certificate import Separation
from rosenblatt.prove.check.joint_certificate import JointSeparation
from rosenblatt.prove.solve.separability import Separable, Undecided, Verdict
from rosenblatt.read.frames import nearest
from rosenblatt.registry import ALGORITHMS
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import numbers_per_row, some_rows
from rosenblatt.rules.rule import Rule
from rosenblatt.rules.schemes import JOINT
from rosenblatt.ship.file.codecs import NO_SHAPE
from rosenblatt.ship.file.options import kinds_kept

AUTO = "auto"
SMALL = 300_000  # numbers; in larger tables, the pocket starts from an averaged rule
DESCENT, LEAST_PASSES = 2e9, 10  # its budget there: numbers to read, and at least this many passes
ALSO_AVERAGED = (
    "ties",
    "fit_intercept",
    "bias_scale",
    "normalize",
    "class_weight",
    "multi_class",
)  # options that the averaged rule shares with the pocket
FEW_PASSES, FEW_UPDATES = 3, 3  # of the averaged rule; of the pocket that starts there, which rarely improves on it
CLOSE = 0.01  # the largest relative gap of a margin that is called the largest


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
    wishes: Wishes = field(default_factory=Wishes)  # of the decisions

    def check(self) -> None:
        """Refuse options that are wrong for any table."""
        for each in ("perceptron", "pocket") if self.algorithm == AUTO else (self.algorithm,):
            rule_class, _ = options_of(each, self.options)
            rule_class(**self.options).check_options()
            _refuse_values(rule_class.name, self.options)
        if not 0.0 <= self.hold_out < 1.0:
            raise OptionError(f"--hold-out must be at least 0 and below 1, not {self.hold_out!r}")
        if self.folds < 0 or self.folds == 1:
            raise OptionError(f"--folds must be at least 2, or 0 for none, not {self.folds}")
        self.wishes.check()
        if self.part + self.wishes.part >= 1.0:
            raise OptionError(
                f"--hold-out {self.part:g} and --calibrate {self.wishes.part:g} leave no rows to learn from"
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
        part = self.part + self.wishes.part
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
    decided: Decided | None  # cut-offs and probabilities, where they were asked for
    exact: bool  # whether every export gives the same labels
    seconds: float
    interrupted: bool
    notes: tuple[str, ...]

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
    begun, wishes = time.monotonic(), training.wishes
    tested, aside = _rows_held_out(data, training)
    data = _prepared(data, training.held_out, training)
    out = tested | aside
    trained = data.some(~out) if out.any() else data
    _ = trained.fingerprint_begun  # the model will need it
    trainer = _Trainer(trained, training)
    interrupted, rule = trainer.fit(), trainer.rule
    exact = rule.tree is not None or made_short(rule, trained)
    costs = Costs.of(rule, trained)
    wrong = rule.predict(trained.seen) != trained.y
    judged = decided = None
    anew = partial(_learned_from, training)
    try:
        if training.folds and not interrupted:
            known = partial(_prepared, data, training=training)
            folds = folds_of(trained, training.folds, HoldOut(wishes.part, training.seed), known, anew)
            rows = pooled(rule, trained, folds)
            if wishes.needs_scores:
                decided = deciding.decided(wishes, data.classes, rows, rule, data.some(aside))
            judged = on_folds(wishes, rows, decided, trained, folds, training.folds)
            trainer.notes += judged.notes
        elif wishes.needs_scores and not interrupted:
            rows = by_rules_of_folds(rule, trained, training.seed, anew)
            decided = deciding.decided(wishes, data.classes, rows, rule, data.some(aside))
        if tested.any():
            judged = on_held_out(
                wishes, rule, None if decided is None else decided.decision, costs, trained, data.some(tested)
            )
    except KeyboardInterrupt:  # there is a rule, though it is not judged
        interrupted = True
    if wishes.needs_scores and decided is None:
        trainer.notes.append("interrupted before cut-offs and probabilities were found: the model has none")
    cost, seconds = fsum(costs.of_rows(trained)[wrong]), time.monotonic() - begun
    notes = (*trainer.notes, *_beside_constant(rule, costs, cost, trained), *_one_answer(rule, judged, trained, wishes))
    return Learned(
        rule, trainer.algorithm, trainer.why, trainer.verdict, trained, int(wrong.sum()), costs, cost, judged, decided,
        exact, seconds, interrupted, notes,
    )  # fmt: skip


def _learned_from(training: TrainingOptions, part: Data) -> Rule:
    """A rule learned anew from some of the rows."""
    trainer = _Trainer(part, training)
    if trainer.fit():
        raise KeyboardInterrupt
    return trainer.rule  # type: ignore[no-any-return]


def _one_answer(rule: Rule, judged: Judged | None, trained: Data, wishes: Wishes) -> tuple[str, ...]:
    """What to do about a rule that finds no row of a class."""
    never = () if judged is None else judged.measures.never_found
    if len(trained.classes) > 2 or wishes.costs or not wishes.is_about_cost or not (rule.is_constant or never):
        return ()
    counts = np.bincount(trained.y, trained.weights, 2)
    rare = int(np.argmin(counts))
    times, yes = round(float(counts[1 - rare] / counts[rare])), float(counts[1] / counts.sum())
    found = "" if rule.is_constant else f"the rule finds no row that is {trained.classes[rare]} among the new ones: "
    advice = f"--cost {trained.classes[rare]}={times} would make both classes count the same"
    return (f"{found}{advice}, and --rate {100 * yes:.2g}% would say {trained.classes[1]} to as many rows as are",)


def _beside_constant(rule: Rule, costs: Costs, cost: float, trained: Data) -> tuple[str, ...]:
    """A note if the rule predicts one class for every row, or if that would cost less."""
    code = costs.cheapest_class(trained)
    label, least = trained.classes[code], fsum(costs.of_rows(trained)[trained.y != code])
    if rule.is_constant:
        return (f"the rule predicts {label} for every row: no rule was found that costs less on the training rows",)
    if cost > least:
        return (f"always predicting {label} costs less on the training rows than this rule",)
    return ()


def _prepared(data: Data, held_out: HoldOut | None, training: TrainingOptions) -> Data:
    """The rows as the algorithm sees them, encoded without any knowledge of the held-out ones."""
    data = data.without_knowing(held_out)
    return data if training.algorithm == AUTO else data.seen_by(ALGORITHMS[training.algorithm].rule)


def _rows_held_out(data: Data, training: TrainingOptions) -> tuple[Array, Array]:
    """Which rows are held out, and which others are set aside to show a guarantee on."""
    training.check()
    training.wishes.check_classes(data.classes)
    if training.folds > data.n:
        raise OptionError(f"cannot split {data.n} rows into {training.folds} folds")
    none = np.zeros(data.n, np.bool_)
    out = none if training.held_out is None else training.held_out(0, data.n)
    tested = none if training.tested is None else training.tested(0, data.n)
    training.wishes.check_rows(data.y[out & ~tested], data.weights, data.classes)
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
        self.data, self.training = data, training
        self.verdict: Verdict | None = None
        self.notes: list[str] = []
        self.algorithm, self.why, start = self._chosen()
        self.rule = rule_of(self.algorithm, {**start, **training.options}, data, training)

    def fit(self) -> bool:
        """Learn; returns whether learning was interrupted, which keeps the best rule so far."""
        interrupted = self._fit()
        if not self.training.wishes.needs_scores:  # of the same score for every row, nothing can be made
            self.rule.settle_for_constant(self.data.seen, self.data.y, self.data.weights)
        return interrupted

    def _fit(self) -> bool:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", NotConverged)
            try:
                if self.data.weights is None:
                    self.rule.fit(self.data.seen, self.data.y)
                else:
                    self.rule.fit(self.data.seen, self.data.y, sample_weight=self.data.weights)
            except KeyboardInterrupt:
                if not self.rule.is_fitted:
                    raise
                return True
        self.notes += [in_plain_words(str(warning.message), self.data.classes) for warning in caught]
        return False

    def _chosen(self) -> tuple[str, str, dict[str, Any]]:
        """The algorithm, the reason for it, and its initial options."""
        training, data = self.training, self.data
        scheme = training.options.get("multi_class", JOINT)
        if training.algorithm != AUTO:
            return training.algorithm, "you chose it", {}
        if training.options.get("normalize"):
            why = "the rows are scaled to length 1"
        elif not training.prove:
            why = "proofs are turned off"
        elif (len(data.classes) == 2 or scheme == JOINT) and data.weights is None:
            threshold = {
                name: training.options[name] for name in ("fit_intercept", "bias_scale") if name in training.options
            }
            ties = training.options.get("ties", "mistake")
            ties = "minus" if ties == "correct" else ties  # zero weights would separate every table
            clocks = [clock_of(training.seconds, FIT_WORK, training.verbose) for _ in range(2)]
            self.verdict, widest = separable(data, threshold, ties, *clocks)
            if isinstance(self.verdict, Separable) and widest is not None:
                start_at, weights = "the weights that prove it", self.verdict.certificate.weights
                if (
                    isinstance(widest.certificate, Separation | JointSeparation) and widest.gap <= CLOSE
                ):  # no limit ended it
                    start_at, weights = "the largest margin", widest.weights
                    self.verdict = Separable(widest.certificate)  # tighter than the verdict's own
                else:
                    self.notes.append(f"the largest margin was not found: {more(clocks[1])}")
                start = floats_of(weights)
                start = start.reshape(len(data.classes), -1) if len(data.classes) > 2 else start
                return "perceptron", f"the rows are proved separable; it starts from {start_at}", {"start": start}
            why = "the rows are proved not separable"
            if isinstance(self.verdict, Undecided):
                why = "separability could not be decided"
                self.notes.append(f"{why}: {more(clocks[0])}")
        else:
            why = "the rows have weights" if data.weights is not None else f"the classes are learned {scheme}"
        numbers = data.n * numbers_per_row(some_rows(data.seen, np.arange(min(data.n, 1000))))
        if numbers <= SMALL:
            return "pocket", why, {}
        passes = max(int(DESCENT / numbers), LEAST_PASSES)
        options = {"start": self._averaged(), "max_updates": FEW_UPDATES, "max_passes": passes}
        done = training.options.get("max_passes", passes)
        return "pocket", f"{why}; it starts from an averaged perceptron and descends for up to {done} passes", options

    def _averaged(self) -> Array:
        """The weights of an averaged perceptron with these costs, in random order in case the file is sorted."""
        training, data = self.training, self.data
        shared = {name: training.options[name] for name in ALSO_AVERAGED if name in training.options}
        averaged = rule_of("averaged", {"max_passes": FEW_PASSES, **shared}, data, training)
        costs = Costs.of(averaged, data).of_rows(data)
        averaged.class_weight = None  # row weights instead, with mean 1: few copies to shuffle
        averaged.fit(data.seen, data.y, sample_weight=costs / (costs.mean() or 1.0))
        return averaged.weights_ if len(data.classes) > 2 else averaged.weights_[0]  # type: ignore[no-any-return]


def rule_of(algorithm: str, options: Mapping[str, Any], data: Data, training: TrainingOptions) -> Any:
    """A new rule with this name and these options."""
    rule_class, known = options_of(algorithm, options)
    common = {
        "random_state": training.seed,
        "verbose": training.verbose,
        "shuffle": True,
    }  # because files are often sorted
    options = {**{name: value for name, value in common.items() if name in known}, **options}
    if isinstance(costs := options.get("class_weight"), Mapping):
        options["class_weight"] = {_code(label, data.classes): cost for label, cost in costs.items()}
    return rule_class(**options)


def options_of(algorithm: str, options: Mapping[str, Any]) -> tuple[Any, set[str]]:
    """The class of rules with this name, and its options; refuses other options."""
    if algorithm not in ALGORITHMS:
        raise OptionError(f"the algorithm must be one of {AUTO}, {', '.join(ALGORITHMS)}, not {algorithm!r}")
    rule_class = ALGORITHMS[algorithm].rule
    known = set(inspect.signature(rule_class).parameters) - {"categorical_features"}  # known from the table
    for option in options:
        if option not in known:
            hint = nearest(option, known) or f"; it has {', '.join(sorted(known))}"
            raise OptionError(f"the {algorithm} rule has no option {option!r}{hint}")
    return rule_class, known


def _code(label: str, classes: tuple[str, ...]) -> int:
    """The number of the class with this label."""
    if label not in classes:
        raise OptionError(f"class_weight names the class {label!r}, but the classes are {', '.join(classes)}")
    return classes.index(label)
