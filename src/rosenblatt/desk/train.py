"""Learn a rule that can be shipped: choose the algorithm, hold rows out, learn, make the weights short, count.

Input     `Data`, and `Wishes`: the algorithm, its options, what to hold out, a seed.
Result    `Learned`: the rule, why it was chosen, what it does on the rows that it saw and on others.
"""

import inspect
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Any

import numpy as np

from rosenblatt.desk.check import decided
from rosenblatt.desk.cost import Baseline, Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.error_rate import HELD_OUT, Error, by_folds
from rosenblatt.desk.limits import FIT_WORK, clock_of, more
from rosenblatt.desk.plain_warnings import in_plain_words
from rosenblatt.desk.shortening import floats_of, made_short
from rosenblatt.desk.split import HoldOut
from rosenblatt.errors import DataError, ModelError, NotConverged, OptionError
from rosenblatt.plurals import many
from rosenblatt.prove.check.certificate import Separation
from rosenblatt.prove.check.joint_certificate import JointSeparation
from rosenblatt.prove.solve.separability import Separable, Undecided, Verdict
from rosenblatt.read.frames import nearest
from rosenblatt.registry import ALGORITHMS
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import numbers_per_row, some_rows
from rosenblatt.rules.rule import Rule
from rosenblatt.rules.schemes import JOINT
from rosenblatt.ship.file.codecs import NOWHERE
from rosenblatt.ship.file.options import kinds_kept

AUTO = "auto"
SMALL = 300_000  # numbers; tables of up to so many get the whole descent, larger ones begin at an averaged rule
DESCENT, LEAST_PASSES = 2e9, 10  # numbers that the descent of those may read, and passes, however many are in one
ALSO_AVERAGED = (
    "ties",
    "fit_intercept",
    "bias_scale",
    "normalize",
    "class_weight",
    "multi_class",
)  # options of the averaged rule
FEW_PASSES, FEW_UPDATES = 3, 3  # of the averaged rule; of the pocket begun there, which seldom finds a better one
CLOSE = 0.01  # the gap of a margin that is called the largest


@dataclass(frozen=True)
class Wishes:
    """How to learn."""

    algorithm: str = AUTO
    options: Mapping[str, Any] = field(default_factory=dict)  # of the rule
    hold_out: float = 0.2  # the part of the rows that have no part in learning
    folds: int = 0  # instead: learn from all rows, and judge by cross-validation
    seed: int = 0
    seconds: float | None = None  # for each proof; 0: no limit; None: so much work, the same on every machine
    prove: bool = True  # else nothing is proved, not even to choose the algorithm
    verbose: bool = False

    def check(self) -> None:
        """Refuse what does not fit, whatever the table."""
        for each in ("perceptron", "pocket") if self.algorithm == AUTO else (self.algorithm,):
            made, _ = options_of(each, self.options)
            made(**self.options).check_options()
            _refuse_values(made.name, self.options)
        if not 0.0 <= self.hold_out < 1.0:
            raise OptionError(
                f"--hold-out, the part of the rows to hold out, must be at least 0 and below 1, not {self.hold_out!r}"
            )
        if self.folds < 0 or self.folds == 1:
            raise OptionError(f"--folds must be at least 2 folds, or 0 for none, not {self.folds}")

    @property
    def held_out(self) -> HoldOut | None:
        """The rows that have no part in learning, if there are any."""
        return HoldOut(self.hold_out, self.seed) if self.hold_out and not self.folds else None


def _refuse_values(rule: str, options: Mapping[str, Any]) -> None:
    """Refuse values of options that no table makes right: those that a model file could not hold either."""
    for name, value in options.items():
        kind = kinds_kept(rule)[name]
        try:
            kind.read(kind.write(value) if isinstance(value, Mapping | list) else value, name, NOWHERE)
        except (ModelError, ValueError) as error:
            raise OptionError(str(error)) from None


@dataclass(frozen=True)
class Learned:
    """A rule and what is known of it."""

    rule: Rule
    algorithm: str
    why: str  # this algorithm
    verdict: Verdict | None  # on the rows learned from, where it was asked for
    trained: Data
    mistakes: int  # on those rows
    costs: Costs
    cost: float  # of those mistakes
    error: Error | None
    baseline: Baseline | None  # on the rows that the error is about
    exact: bool  # whether every system that it is exported to decides the same
    seconds: float
    interrupted: bool
    notes: tuple[str, ...]


def learn(data: Data, wishes: Wishes) -> Learned:
    """Learn a rule, and judge it."""
    begun = time.monotonic()
    out = _rows_held_out(data, wishes)
    data = _prepared(data, wishes.held_out, wishes)
    trained = data.some(~out) if out.any() else data
    _ = trained.fingerprint_begun  # goes into the model
    made = _Maker(trained, wishes)
    interrupted = made.fit()
    exact = made.rule.tree is not None or made_short(made.rule, trained)
    costs = Costs.of(made.rule, trained)
    wrong = made.rule.predict(trained.seen) != trained.y
    error = baseline = None
    try:
        if out.any():
            error, baseline = _judged(made.rule, costs, trained, data.some(out), HELD_OUT)
        elif wishes.folds and not interrupted:
            error, baseline = _cross_validated(data, wishes)
            interrupted = error is None
            made.notes += _on_rows_not_judged(data, error)
    except KeyboardInterrupt:  # the rule is there, if not judged
        interrupted = True
    cost, seconds = fsum(costs.of_rows(trained)[wrong]), time.monotonic() - begun
    notes = (*made.notes, *_beside_constant(made.rule, costs, cost, trained))
    return Learned(
        made.rule, made.algorithm, made.why, made.verdict, trained, int(wrong.sum()), costs, cost, error, baseline,
        exact, seconds, interrupted, notes,
    )  # fmt: skip


def _beside_constant(rule: Rule, costs: Costs, cost: float, trained: Data) -> tuple[str, ...]:
    """What there is to note of a rule that says the same of every row, or would do better to say so."""
    code = costs.cheapest_class(trained)
    label, least = trained.classes[code], fsum(costs.of_rows(trained)[trained.y != code])
    if rule.is_constant:
        return (f"the rule says {label} of every row: nothing that was found costs less on the rows learned from",)
    if cost > least:
        return (f"always saying {label} costs less on the rows learned from than this rule does",)
    return ()


def _judged(rule: Rule, costs: Costs, trained: Data, tested: Data, how: str) -> tuple[Error, Baseline]:
    """How often the rule errs on rows that it was not learned from, alone and beside the best constant rule."""
    said = rule.predict(tested.seen)
    wrong = int((said != tested.y).sum())
    return Error.of(wrong, tested.n, how), Baseline.of(costs, trained, tested, said)


def _on_rows_not_judged(data: Data, error: Error | None) -> list[str]:
    """What there is to note where folds were passed over."""
    if error is None or error.rows == data.n:
        return []
    left_out = many(data.n - error.rows, "row")
    return [f"{left_out} of {data.n:,} not judged: without their fold, some class has no row to learn from"]


def _prepared(data: Data, held_out: HoldOut | None, wishes: Wishes) -> Data:
    """The rows as the algorithm sees them, knowing nothing of those held out."""
    data = data.without_knowing(held_out)
    return data if wishes.algorithm == AUTO else data.seen_by(ALGORITHMS[wishes.algorithm].rule)


def _rows_held_out(data: Data, wishes: Wishes) -> Any:
    """Which rows have no part in learning."""
    wishes.check()
    if wishes.folds > data.n:
        raise OptionError(f"{wishes.folds} folds are more than the {data.n} rows")
    out = np.zeros(data.n, np.bool_) if wishes.held_out is None else wishes.held_out(0, data.n)
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
            raise DataError(f"all rows of class {label!r} to learn from have the weight 0")
    return out


def _cross_validated(data: Data, wishes: Wishes) -> tuple[Error | None, Baseline | None]:
    """Every row judged by a rule that was learned without its fold; None if it was interrupted."""
    how = by_folds(wishes.folds)
    judged: tuple[Error, Baseline] | None = None
    for k in range(wishes.folds):
        fold = HoldOut(seed=wishes.seed, folds=wishes.folds, fold=k)
        inside = fold(0, data.n)
        counted = ~inside if data.weights is None else ~inside & (data.weights > 0)
        if not inside.any() or np.unique(data.y[counted]).size < len(data.classes):
            continue
        known = _prepared(data, fold, wishes)
        part = known.some(~inside)
        made = _Maker(part, wishes)
        if made.fit():
            return None, None
        costs = Costs.of(made.rule, part)
        error, baseline = _judged(made.rule, costs, part, known.some(inside), how)
        if judged is not None:
            error = Error.of(judged[0].mistakes + error.mistakes, judged[0].rows + error.rows, how)
            baseline = judged[1] + baseline
        judged = error, baseline
    if judged is None:
        raise DataError(
            "every fold holds all rows of some class; use more folds or another --seed, or merge rare classes"
        )
    return judged


class _Maker:
    """A rule in the making."""

    def __init__(self, data: Data, wishes: Wishes) -> None:
        self.data, self.wishes = data, wishes
        self.verdict: Verdict | None = None
        self.notes: list[str] = []
        self.algorithm, self.why, start = self._chosen()
        self.rule = rule_of(self.algorithm, {**start, **wishes.options}, data, wishes)

    def fit(self) -> bool:
        """Learn; whether it was interrupted, with the best so far kept."""
        interrupted = self._fit()
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
        """The algorithm, why, and options that it starts with."""
        wishes, data = self.wishes, self.data
        scheme = wishes.options.get("multi_class", JOINT)
        if wishes.algorithm != AUTO:
            return wishes.algorithm, "you asked for it", {}
        if wishes.options.get("normalize"):
            why = "rows are scaled to length 1"
        elif not wishes.prove:
            why = "no proof was asked for"
        elif (len(data.classes) == 2 or scheme == JOINT) and data.weights is None:
            threshold = {
                name: wishes.options[name] for name in ("fit_intercept", "bias_scale") if name in wishes.options
            }
            ties = wishes.options.get("ties", "mistake")
            ties = "minus" if ties == "correct" else ties  # zero weights separate every table, which says nothing
            clocks = [clock_of(wishes.seconds, FIT_WORK, wishes.verbose) for _ in range(2)]
            self.verdict, widest = decided(data, threshold, ties, *clocks)
            if isinstance(self.verdict, Separable) and widest is not None:
                begun, weights = "the weights that prove it", self.verdict.certificate.weights
                if (
                    isinstance(widest.certificate, Separation | JointSeparation) and widest.gap <= CLOSE
                ):  # no limit ended it
                    begun, weights = "the largest margin", widest.weights
                    self.verdict = Separable(widest.certificate)  # the verdict's own is loose
                else:
                    self.notes.append(f"the largest margin is not known: {more(clocks[1])}")
                start = floats_of(weights)
                start = start.reshape(len(data.classes), -1) if len(data.classes) > 2 else start
                return "perceptron", f"the rows are proved separable: begun at {begun}", {"start": start}
            why = "the rows are proved not separable"
            if isinstance(self.verdict, Undecided):
                why = "it is not decided whether the rows are separable"
                self.notes.append(f"{why}: {more(clocks[0])}")
        else:
            why = "rows have weights" if data.weights is not None else f"classes are learned {scheme}"
        numbers = data.n * numbers_per_row(some_rows(data.seen, np.arange(min(data.n, 1000))))
        if numbers <= SMALL:
            return "pocket", why, {}
        passes = max(int(DESCENT / numbers), LEAST_PASSES)
        options = {"start": self._averaged(), "max_updates": FEW_UPDATES, "max_passes": passes}
        done = wishes.options.get("max_passes", passes)
        return "pocket", f"{why}; begun at an averaged perceptron, then a descent of up to {done} passes", options

    def _averaged(self) -> Array:
        """The weights of an averaged perceptron: of the costs asked for, in random order, which no file's can spoil."""
        wishes, data = self.wishes, self.data
        shared = {name: wishes.options[name] for name in ALSO_AVERAGED if name in wishes.options}
        averaged = rule_of("averaged", {"max_passes": FEW_PASSES, **shared}, data, wishes)
        costs = Costs.of(averaged, data).of_rows(data)
        averaged.class_weight = None  # one weight for each row, 1 in the mean: few copies to shuffle
        averaged.fit(data.seen, data.y, sample_weight=costs / (costs.mean() or 1.0))
        return averaged.weights_ if len(data.classes) > 2 else averaged.weights_[0]  # type: ignore[no-any-return]


def rule_of(algorithm: str, options: Mapping[str, Any], data: Data, wishes: Wishes) -> Any:
    """A rule of this name, with these options."""
    made, known = options_of(algorithm, options)
    common = {"random_state": wishes.seed, "verbose": wishes.verbose, "shuffle": True}  # files are often sorted
    options = {**{name: value for name, value in common.items() if name in known}, **options}
    if isinstance(costs := options.get("class_weight"), Mapping):
        options["class_weight"] = {_code(label, data.classes): cost for label, cost in costs.items()}
    return made(**options)


def options_of(algorithm: str, options: Mapping[str, Any]) -> tuple[Any, set[str]]:
    """The class of rules of this name, and the options that it has; refuses others."""
    if algorithm not in ALGORITHMS:
        raise OptionError(f"the algorithm must be one of {AUTO}, {', '.join(ALGORITHMS)}, not {algorithm!r}")
    made = ALGORITHMS[algorithm].rule
    known = set(inspect.signature(made).parameters) - {"categorical_features"}  # the table tells
    for option in options:
        if option not in known:
            hint = nearest(option, known) or f"; it has {', '.join(sorted(known))}"
            raise OptionError(f"the {algorithm} rule has no option {option!r}{hint}")
    return made, known


def _code(label: str, classes: tuple[str, ...]) -> int:
    """The number of a class."""
    if label not in classes:
        raise OptionError(f"class_weight names the class {label!r}, but the classes are {', '.join(classes)}")
    return classes.index(label)
