"""The rule of `learn.selection`: chosen by cross-validation, for rows not seen."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.learn.selection import comparison, folds
from rosenblatt.learn.selection.choice import Choice
from rosenblatt.learn.selection.column_path import ColumnPath
from rosenblatt.learn.selection.comparison import Comparison, LabelledTable, Learner, Split
from rosenblatt.learn.selection.few_columns import compare_few
from rosenblatt.learn.selection.path import AVERAGED, EVERY_FAMILY, FAMILIES, POCKET, Candidate, candidates
from rosenblatt.options import Special, with_options
from rosenblatt.rows import timing
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import n_features, some_rows
from rosenblatt.rows.threads import one_thread_for_blas
from rosenblatt.rules.linear.learner import LinearLearner, empty_ledger
from rosenblatt.rules.option_groups import (
    AUTO,
    ClassWeightOptions,
    ColumnOptions,
    MonotonicOptions,
    RandomOptions,
    Switch,
    TimeOptions,
)
from rosenblatt.rules.rule import right_on_every_row
from rosenblatt.rules.schemes import JOINT

MOST_COMPARED = 20_000  # rows that candidates are compared on
TO_COMPARE = 0.75  # of the seconds; the others are for learning from all rows
RULES = {AVERAGED: ("averaged", "AveragedRule"), POCKET: ("pocket", "PocketRule")}  # modules beside this one


@with_options
class CrossValidatedRule(
    TimeOptions, ColumnOptions, ClassWeightOptions, MonotonicOptions, RandomOptions, LinearLearner
):
    """What `rosenblatt.PerceptronCV` is as a rule."""

    name = "PerceptronCV"
    keeps = (*LinearLearner.keeps, "weights", "choice")
    not_checkable = ("how the candidates did on rows not learned from",)

    ties = "mistake"
    start = "zeros"
    bias_scale = 1.0
    normalize = False
    multi_class = _multi_class = JOINT

    families: Annotated[
        Any,
        Special("families", "str or list of str"),
        'Which candidates to try, one name or several. "soft": soft margins, with ridges from strong to weak. '
        '"saturating": losses that begin at each of those and count a row less, the more wrong it is. "averaged": the '
        'averaged perceptron. "pocket": the fewest mistakes on the rows learned from. "auto": the first two.',
    ] = AUTO
    cv: Annotated[
        Any,
        Special("cv", "int of at least 2, splitter or iterable"),
        "How many folds, each with its share of every class; or a splitter of scikit-learn; or pairs of arrays, the "
        "rows to learn from and the rows to judge by.",
    ] = 5
    fit_intercept: Annotated[Switch, "Whether the rule has a threshold."] = True
    max_seconds: Annotated[
        float | None,
        "The candidates that were compared by then are chosen from. What is learned then depends on the speed of the "
        "machine.",
    ] = None
    random_state: Annotated[Any, "Used to deal out the folds."] = 0

    _choice: Choice

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        self.compare_and_fit(X, y, sample_weight)
        return self

    def compare_and_fit(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Array, Comparison]:
        """Learn from the rows of X and their labels y; returns the rows compared, and what the choice was made from."""
        classes, parts = self._parts(X, y, sample_weight)
        data, counted = _labelled(parts, len(classes))
        data = replace(data, cone=self.cone)
        columns = columns_of(self.feature_groups, self._names_of_features())
        rng, tried = self._generator(), candidates(self._families())
        with one_thread_for_blas(), ctrl_c_noted() as interrupted:
            late = _late(self.max_seconds)
            if isinstance(self.cv, int | float | np.integer):
                chosen = folds.sampled(data.codes, MOST_COMPARED, rng)
                compared = data.some(chosen)
                splits = folds.splits(compared.codes, int(self.cv), rng)
            else:
                chosen, compared = np.arange(counted.size), data
                splits = self._splits(X, y, counted, parts[0].n)
            learners = _learners(tried, rng)
            soon, now = (partial(_ended, interrupted, late, share) for share in (TO_COMPARE, 1.0))
            if self.most_columns is None:
                found = comparison.compare(compared, splits, tried, learners, soon)
                found, self.weights_ = comparison.learn(found, data, learners, now)
            else:
                few = compare_few(compared, splits, tried, columns, self.most_columns, learners, soon)
                found, weights = comparison.learn(few.comparison, data.only(few.features), learners, now)
                self.weights_ = np.zeros((len(weights), self.n_features_in_ + 1))
                self.weights_[:, np.append(few.features, -1)] = weights
            self._choice = found.choice
            cut_short = self._choice.alone or (bool(splits) and not self._choice.errors.size)
            reason = Reason.INTERRUPTED if interrupted() else Reason.MAX_SECONDS if cut_short else Reason.COMPARED
        self._finish(classes, parts, reason)
        if interrupted():
            raise KeyboardInterrupt
        return counted[chosen], found

    def _names_of_features(self) -> list[str]:
        """The names of the features, or their numbers."""
        names = getattr(self, "feature_names_in_", None)
        return [str(name) for name in (range(self.n_features_in_) if names is None else names)]

    def _finish(self, classes: Array, parts: list[Examples], reason: Reason) -> None:
        """The attributes that follow from the weights."""
        self.classes_, self._updates_before = classes, 0
        self.ledger_ = empty_ledger(self.weights_ if len(classes) > 2 else self.weights_[0])
        self.n_passes_ = self.n_examples_seen_ = 0
        right = not any(self._mistakes(parts))
        self.stop_reason_ = Reason.SEPARATED if right and self._knows_all_classes else reason
        self._expose()

    def check_options(self) -> None:
        """Refuse options that are not of their kinds."""
        options.check(self)
        self._families()
        if isinstance(self.cv, str) or not (isinstance(self.cv, Iterable) or hasattr(self.cv, "split")):
            options.whole("cv", self.cv, 2)

    def _families(self) -> tuple[str, ...]:
        """The families to try: the default ones, or those named."""
        given: Any = self.families
        names = given.split(",") if isinstance(given, str) else given if isinstance(given, Iterable) else ()
        names = [name.strip() if isinstance(name, str) else name for name in names]
        if names == [AUTO]:
            return FAMILIES
        if not names or not all(options.is_word(name, *EVERY_FAMILY) for name in names):
            raise options.refused("families", f"one or several of {', '.join(map(repr, EVERY_FAMILY))}", given, (AUTO,))
        return tuple(names)

    def _splits(self, X: Any, y: Any, counted: Array, n: int) -> list[Split]:
        """What a splitter says, or whoever made the pairs: of the rows that count."""
        places = np.full(n, -1)
        places[counted] = np.arange(counted.size)
        found = []
        for pair in self.cv.split(X, y) if hasattr(self.cv, "split") else self.cv:
            learned, judged = (places[rows] for rows in _row_numbers(pair, n))
            found.append((learned[learned >= 0], judged[judged >= 0]))
        if not (found := [pair for pair in found if pair[0].size and pair[1].size]):
            raise OptionError("cv must be pairs of rows to learn from and rows to judge by, of those that count")
        return found

    @property
    def column_path(self) -> ColumnPath | None:
        """Of a rule of few columns, which those are, and the errors of rules of one column, of two, ..."""
        return self._choice.columns

    @property
    def uses_other_columns(self) -> bool:
        """Whether it breaks that."""
        return self._use_others(self.weights_)

    def _use_others(self, weights: Array) -> bool:
        """Whether weights use columns that are not chosen."""
        if self.column_path is None:
            return False
        columns = columns_of(self.feature_groups, self._names_of_features())
        others = [features for name, features in columns.items() if name not in self.column_path.chosen]
        return bool(others) and bool(weights[:, np.concatenate(others)].any())

    def replace_weights(self, weights: Array) -> None:
        """Predict with these weights from now on; features that the rule may not use must have none."""
        self._refuse_unfitted("weights_")
        if self._use_others(np.reshape(weights, self.weights_.shape)):
            raise OptionError(f"the rule may use {', '.join(self.columns_ or ())} only: other weights must be 0")
        super().replace_weights(weights)

    def keep_features(self, features: Array) -> None:
        """Be a rule of these features only, in order; the weights of the others must be 0."""
        if np.delete(self.coef_, features, axis=1).any():
            raise OptionError("features whose weight is not 0 cannot be left out")
        self._cone, self.n_features_in_ = self.cone.only(features), len(features)
        self.monotonic_cst = self.cone.signs(len(features)).tolist() if self.cone else None
        if self.feature_groups is not None:
            self.feature_groups = [self.feature_groups[k] for k in features.tolist()]
        self.weights_ = self.weights_[:, np.append(features, -1)]
        self.ledger_ = empty_ledger(self.weights_ if len(self.classes_) > 2 else self.weights_[0])
        self._expose()

    @property
    def columns_(self) -> list[str] | None:
        """With most_columns, the columns that the rule uses, in the order in which they entered."""
        self._refuse_unfitted("weights_")
        return None if self.column_path is None else list(self.column_path.chosen)

    @property
    def column_path_(self) -> dict[str, Any] | None:
        """With most_columns, the columns that entered, and the errors of rules of one of them, of two, ..."""
        self._refuse_unfitted("weights_")
        return None if (path := self.column_path) is None else path.record

    @property
    def chosen_(self) -> list[Candidate]:
        """The candidates that the rule is the mean of, the best first."""
        self._refuse_unfitted("weights_")
        return list(self._choice.chosen)

    @property
    def cv_results_(self) -> dict[str, Any]:
        """Every candidate, its error over all splits, and that in each (a row for each candidate)."""
        self._refuse_unfitted("weights_")
        return {"candidates": list(self._choice.tried), "error": self._choice.error, "errors": self._choice.errors}

    def stop_sentence(self, weights: Array | None = None) -> str:
        """What was chosen and why; and whether that is right on every row, or was cut short."""
        if self.stop_reason_ is Reason.COMPARED:
            return self.choice_
        return f"{right_on_every_row(weights) if self.says_separated else self.stop_reason_} {self.choice_}"

    @property
    def choice_(self) -> str:
        """What was chosen and why."""
        self._refuse_unfitted("weights_")
        return self._choice.statement


def _late(seconds: float | None) -> Callable[[float], bool]:
    """Whether a share of the seconds is over, if there is a limit."""
    begun = timing.now()
    return lambda share: seconds is not None and timing.now() - begun > share * seconds


def _ended(interrupted: Callable[[], bool], late: Callable[[float], bool], share: float) -> bool:
    """Whether to stop, by Ctrl-C or as a share of the seconds is over."""
    return interrupted() or late(share)


def columns_of(groups: Any, names: Sequence[str]) -> dict[str, Array]:
    """The features of every column, by name: those of a group, or each feature for itself."""
    given = names if groups is None else _groups_given(groups, len(names))
    found: dict[str, list[int]] = {}
    for feature, name in enumerate(given):
        found.setdefault(str(name), []).append(feature)
    return {name: np.array(features) for name, features in found.items()}


def _groups_given(groups: Any, features: int) -> list[Any]:
    each = list(groups) if isinstance(groups, Iterable) and not isinstance(groups, str | Mapping) else []
    if len(each) != features or not all(isinstance(name, int | np.integer | str) for name in each):
        raise options.refused(
            "feature_groups", f"a number or a name for each of the {features} features", groups, none=True
        )
    return each


def _learners(tried: tuple[Candidate, ...], rng: np.random.Generator) -> dict[str, Learner]:
    """How the candidates that are not on the path are learned."""
    named = [candidate.family for candidate in tried if candidate.family in RULES]
    return {family: partial(_weights_by, family, int(rng.integers(2**31))) for family in named}


def _weights_by(family: str, seed: int, data: LabelledTable) -> Array:
    """The weights that a rule of this package has for these rows, the largest of several scores being right."""
    module, name = RULES[family]
    made = getattr(import_module(f"rosenblatt.rules.linear.{module}"), name)
    signs = data.cone.signs(n_features(data.rows)) if data.cone else None
    rule = made(random_state=seed, fit_intercept=bool(data.rows.bias), monotonic_cst=signs)
    absent = np.setdiff1d(np.arange(data.classes), data.codes)  # which a row without weight stands for
    rows = np.append(np.arange(data.codes.size), np.zeros(absent.size, np.int64))
    costs = np.append(data.costs, np.zeros(absent.size))
    weights = None if (costs == 1.0).all() else costs
    W = rule.fit(some_rows(data.rows, rows), np.append(data.codes, absent), sample_weight=weights).weights_.copy()
    if len(W) > 1:
        W[absent] = 0.0
        W -= W.mean(axis=0)  # which changes no decision
        W[absent, -1] = -2.0 * abs(data.scores(W)).max() * (data.rows.bias != 0.0)  # and is never the largest
    return np.asarray(W)


def _row_numbers(pair: Any, n: int) -> list[Array]:
    """A pair of arrays of row numbers, or of flags of all rows."""
    arrays = [np.asarray(part) for part in pair] if isinstance(pair, Iterable) and not isinstance(pair, str) else []
    flags = [part.dtype == bool and part.shape == (n,) for part in arrays]
    numbers = [part.dtype.kind in "iu" and part.ndim == 1 and bool((abs(part + 0.5) < n).all()) for part in arrays]
    if len(arrays) != 2 or not all(flag or number for flag, number in zip(flags, numbers, strict=True)):
        raise OptionError(f"cv must be a whole number, a splitter, or pairs of arrays of row numbers; it has {pair!r}")
    return [np.arange(n)[part] for part in arrays]


def _labelled(parts: list[Examples], classes: int) -> tuple[LabelledTable, Array]:
    """The rows that count, with the numbers of their classes; and which they are."""
    first = parts[0]
    codes = first.labels if classes > 2 else (first.labels > 0).astype(np.int64)
    counted, costs = first.counted
    rows = first.rows if counted.size == first.n else some_rows(first.rows, counted)
    costs = costs / costs.max() if costs.size else np.ones(counted.size)
    return LabelledTable(rows, codes[counted], costs, classes), counted
