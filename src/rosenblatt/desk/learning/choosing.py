"""Chooses the algorithm: what is wanted, what is proved of the table, and which rule follows from both.

By default few mistakes on new rows are wanted, so rules are compared by cross-validation (`PerceptronCV`). For the
fewest mistakes on the training rows: the largest margin if they are proved separable, else the pocket.
"""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.desk.check import decided
from rosenblatt.desk.constraints import cone_of_columns, signs_of
from rosenblatt.desk.cost import Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.learning.shortening import floats_of
from rosenblatt.desk.limits import FIT_WORK, clock_of, more
from rosenblatt.errors import OptionError
from rosenblatt.plurals import many
from rosenblatt.prove.check.certificate import Separation
from rosenblatt.prove.check.joint_certificate import JointSeparation
from rosenblatt.prove.solve.separability import Separable, Undecided, Verdict
from rosenblatt.read.frames import nearest
from rosenblatt.registry import ALGORITHMS
from rosenblatt.rows.cone import NAME as MONOTONIC
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import numbers_per_row, some_rows
from rosenblatt.rules.schemes import JOINT

if TYPE_CHECKING:
    from rosenblatt.desk.learning.train import TrainingOptions

AUTO, FEWEST = "auto", "fewest-mistakes"
COMPARED = "cv"  # the algorithm that compares rules
STANDS_FOR = {AUTO: (COMPARED,), FEWEST: ("perceptron", "pocket")}  # the algorithms that these may choose
LIMIT, GROUPS = "most_columns", "feature_groups"  # options of rules of few columns
FOR_NEW_ROWS = "it aims at few errors on new rows"
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
CLOSE = 0.01  # a margin within this relative gap is called the largest


@dataclass(frozen=True)
class Chosen:
    """An algorithm, the reason for it, the options it begins with, and what was proved on the way."""

    algorithm: str
    why: str
    options: Mapping[str, Any] = field(default_factory=dict)
    verdict: Verdict | None = None
    notes: tuple[str, ...] = ()

    def note_on_verdict(self, wrong: int) -> tuple[str, ...]:
        """A note if the rows are proved separable, but the rule is wrong on some of them."""
        if not isinstance(self.verdict, Separable) or not wrong:
            return ()
        some = "some rule that keeps the constraints" if self.verdict.certificate.cone else "some rule"
        here = f"this one, which aims at few errors on new rows, is wrong on {many(wrong, 'row')}"
        return (f"{some} is right on every training row, and -a {FEWEST} finds it; {here}",)


@dataclass(frozen=True)
class Proved:
    """What is proved about a table, in words; if it is separable, also weights that are right on every row."""

    why: str
    verdict: Verdict | None = None
    weights: Any = None
    which: str = ""
    notes: tuple[str, ...] = ()


def chosen(data: Data, training: "TrainingOptions") -> Chosen:
    """Choose the algorithm."""
    if training.algorithm not in STANDS_FOR:
        return Chosen(training.algorithm, "you chose it")
    found = _proved(data, training)
    if training.algorithm == AUTO:
        if found.verdict is None:
            return Chosen(COMPARED, FOR_NEW_ROWS)
        return Chosen(COMPARED, f"{FOR_NEW_ROWS}; {found.why}", {}, found.verdict, found.notes)
    if found.weights is None:
        how, options = _pocket(data, training)
        return Chosen("pocket", f"{found.why}{how}", options, found.verdict, found.notes)
    start = floats_of(found.weights)
    start = start.reshape(len(data.classes), -1) if len(data.classes) > 2 else start
    why = f"{found.why}; it starts from {found.which}"
    return Chosen("perceptron", why, {"start": start}, found.verdict, found.notes)


def _proved(data: Data, training: "TrainingOptions") -> Proved:
    """Whether the rows are separable and, if so, with which margin; where that can be proved."""
    given, scheme = training.options, training.options.get("multi_class", JOINT)
    if given.get("normalize"):
        return Proved("the rows are scaled to length 1")
    if not training.prove:
        return Proved("proofs are turned off")
    if data.weights is not None:
        return Proved("the rows have weights")
    if len(data.classes) > 2 and scheme != JOINT:
        return Proved(f"the classes are learned {scheme}")
    clock, another = (clock_of(training.seconds, FIT_WORK, training.verbose) for _ in range(2))
    threshold = {name: given[name] for name in ("fit_intercept", "bias_scale") if name in given}
    ties = given.get("ties", "mistake")
    ties = "minus" if ties == "correct" else ties  # zero weights would separate every table
    cone = cone_of_columns(data.encoding, training.constraints)
    under = " by the columns in use" if given.get(LIMIT) is not None else ""
    under += " under the constraints" if cone else ""
    verdict, widest = decided(data, threshold, ties, clock, another, cone)
    if isinstance(verdict, Undecided):
        why = "separability could not be decided"
        return Proved(why, verdict, notes=(f"{why}: {more(clock)}",))
    if not isinstance(verdict, Separable) or widest is None:
        return Proved(f"the rows are proved not separable{under}", verdict)
    why = f"the rows are proved separable{under}"
    if isinstance(widest.certificate, Separation | JointSeparation) and widest.gap <= CLOSE:  # no limit ended it
        tighter = Separable(widest.certificate)  # than the verdict's own
        return Proved(why, tighter, widest.weights, "the largest margin")
    note = f"the largest margin was not found: {more(another)}"
    return Proved(why, verdict, verdict.certificate.weights, "the weights that prove it", (note,))


def _pocket(data: Data, training: "TrainingOptions") -> tuple[str, dict[str, Any]]:
    """How the pocket starts, in words, and its options: on a large table, from an averaged perceptron."""
    numbers = data.n * numbers_per_row(some_rows(data.seen, np.arange(min(data.n, 1000))))
    if numbers <= SMALL:
        return "", {}
    passes = max(int(DESCENT / numbers), LEAST_PASSES)
    options = {"start": _averaged(data, training), "max_updates": FEW_UPDATES, "max_passes": passes}
    done = training.options.get("max_passes", passes)
    return f"; it starts from an averaged perceptron and descends for up to {done} passes", options


def _averaged(data: Data, training: "TrainingOptions") -> Array:
    """The weights of an averaged perceptron with these costs, in random order in case the file is sorted."""
    shared = {name: training.options[name] for name in ALSO_AVERAGED if name in training.options}
    averaged = rule_of("averaged", {"max_passes": FEW_PASSES, **shared}, data, training)
    costs = Costs.of(averaged, data).of_rows(data)
    averaged.class_weight = None  # row weights instead, with mean 1: few copies to shuffle
    averaged.fit(data.seen, data.y, sample_weight=costs / (costs.mean() or 1.0))
    return averaged.weights_ if len(data.classes) > 2 else averaged.weights_[0]  # type: ignore[no-any-return]


def rule_of(algorithm: str, options: Mapping[str, Any], data: Data, training: "TrainingOptions") -> Any:
    """A new rule with this name and these options."""
    rule_class, known = options_of(algorithm, options, bool(training.constraints))
    if training.constraints:
        options = {**options, MONOTONIC: signs_of(data.encoding, training.constraints)}
    if options.get(LIMIT) is not None:
        options = {**options, GROUPS: data.encoding.column_names}
    common = {
        "random_state": training.seed,
        "verbose": training.verbose,
        "shuffle": True,
    }  # because files are often sorted
    options = {**{name: value for name, value in common.items() if name in known}, **options}
    if isinstance(costs := options.get("class_weight"), Mapping):
        options["class_weight"] = {_code(label, data.classes): cost for label, cost in costs.items()}
    return rule_class(**options)


def options_of(algorithm: str, options: Mapping[str, Any], constrained: bool = False) -> tuple[Any, set[str]]:
    """The class of rules with this name, and its options; refuses other options, and rules that keep no constraints."""
    if algorithm not in ALGORITHMS:
        raise OptionError(f"the algorithm must be one of {', '.join([*STANDS_FOR, *ALGORITHMS])}, not {algorithm!r}")
    rule_class = ALGORITHMS[algorithm].rule
    known = _known(algorithm)
    if constrained and MONOTONIC not in known:
        able = ", ".join(each for each in ALGORITHMS if MONOTONIC in _known(each))
        raise OptionError(f"the {algorithm} rule does not support --increasing and --decreasing; these do: {able}")
    if options.get(LIMIT) is not None and LIMIT not in known:
        able = ", ".join(each for each in ALGORITHMS if LIMIT in _known(each))
        raise OptionError(f"the {algorithm} rule does not support --most-columns; these do: {AUTO}, {able}")
    for option in options:
        if option not in known:
            hint = nearest(option, known) or f"; it has {', '.join(sorted(known))}"
            raise OptionError(f"the {algorithm} rule has no option {option!r}{hint}")
    return rule_class, known


def rules_of(algorithm: str, options: Mapping[str, Any], constrained: bool = False) -> Iterator[Any]:
    """The classes of rules that an algorithm may lead to; refuses options that they do not all have."""
    if algorithm == AUTO:
        for option in sorted(options.keys() - _known(COMPARED)):
            if having := [each for each in ALGORITHMS if option in _known(each)]:
                one = f"one of {', '.join(having)}" if len(having) > 1 else having[0]
                raise OptionError(f"the default rule has no option {option!r}: choose the algorithm with -a, {one}")
    for each in STANDS_FOR.get(algorithm, (algorithm,)):
        yield options_of(each, options, constrained)[0]


def _known(algorithm: str) -> set[str]:
    """The options of an algorithm, but for what is known from the table."""
    return set(inspect.signature(ALGORITHMS[algorithm].rule).parameters) - {"categorical_features", GROUPS}


def _code(label: str, classes: tuple[str, ...]) -> int:
    """The number of the class with this label."""
    if label not in classes:
        raise OptionError(f"class_weight names the class {label!r}, but the classes are {', '.join(classes)}")
    return classes.index(label)
