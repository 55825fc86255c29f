"""The rule of `learn.selection`: chosen by cross-validation, for rows not seen."""

from collections.abc import Iterable
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.learn.choices import TIES, Reason
from rosenblatt.learn.selection import comparison, folds
from rosenblatt.learn.selection.comparison import Choice, LabelledTable, Split
from rosenblatt.learn.selection.path import FAMILIES, Candidate, candidates
from rosenblatt.options import OneOf, Special, with_options
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import some_rows
from rosenblatt.rows.threads import one_thread_for_blas
from rosenblatt.rules.linear.learner import LinearLearner, empty_ledger
from rosenblatt.rules.option_groups import AUTO, ClassWeightOptions, RandomOptions, Switch
from rosenblatt.rules.rule import right_on_every_row
from rosenblatt.rules.schemes import ONE_VS_REST, one_or_all

MOST_COMPARED = 20_000  # rows that candidates are compared on


@with_options
class CrossValidatedRule(ClassWeightOptions, RandomOptions, LinearLearner):
    """What `rosenblatt.PerceptronCV` is as a rule."""

    name = "PerceptronCV"
    keeps = (*LinearLearner.keeps, "weights", "choice")
    not_checkable = ("how the candidates did on rows not learned from",)

    ties = "mistake"
    start = "zeros"
    bias_scale = 1.0
    normalize = False
    multi_class = ONE_VS_REST

    families: Annotated[
        str,
        OneOf((AUTO, *FAMILIES)),
        'Which candidates to try. "soft": soft margins, with ridges from strong to weak. "saturating": losses that '
        'begin at each of those and count a row less, the more wrong it is. "auto": both.',
    ] = AUTO
    cv: Annotated[
        Any,
        Special("cv", "int of at least 2, splitter or iterable"),
        "How many folds, each with its share of every class; or a splitter of scikit-learn; or pairs of arrays, the "
        "rows to learn from and the rows to judge by.",
    ] = 5
    fit_intercept: Annotated[Switch, "Whether the rule has a threshold."] = True
    random_state: Annotated[Any, "Used to deal out the folds."] = 0

    _choice: Choice

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        classes, parts = self._parts(X, y, sample_weight)
        data, counted = _labelled(parts, len(classes))
        rng = self._generator()
        tried = candidates(FAMILIES if self.families == AUTO else (self.families,))
        with one_thread_for_blas():
            if isinstance(self.cv, int | float | np.integer):
                compared = data.some(folds.sampled(data.codes, MOST_COMPARED, rng))
                self._choice = comparison.compare(compared, folds.splits(compared.codes, int(self.cv), rng), tried)
            else:
                self._choice = comparison.compare(data, self._splits(X, y, counted, parts[0].n), tried)
            self.weights_ = comparison.learn(data, self._choice.chosen)
        self.classes_, self._updates_before = classes, 0
        self.ledger_ = one_or_all([empty_ledger(w) for w in self.weights_])
        self.n_passes_ = self.n_examples_seen_ = 0
        right = not any(find.count(part, w, TIES["minus"]) for part, w in zip(parts, self.weights_, strict=True))
        self.stop_reason_ = Reason.SEPARATED if right and self._knows_all_classes else Reason.COMPARED
        self._expose()
        return self

    def check_options(self) -> None:
        """Refuse options that are not of their kinds."""
        options.check(self)
        if isinstance(self.cv, str) or not (isinstance(self.cv, Iterable) or hasattr(self.cv, "split")):
            options.whole("cv", self.cv, 2)

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
        """What was chosen and why; and whether that is right on every row."""
        return f"{right_on_every_row(weights)} {self.choice_}" if self.says_separated else self.choice_

    @property
    def choice_(self) -> str:
        """What was chosen and why."""
        self._refuse_unfitted("weights_")
        return self._choice.statement


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
    codes = np.argmax([part.labels for part in parts], axis=0) if len(parts) > 1 else (first.labels > 0).astype(int)
    counted, costs = first.counted
    rows = first.rows if counted.size == first.n else some_rows(first.rows, counted)
    costs = costs / costs.max() if costs.size else np.ones(counted.size)
    return LabelledTable(rows, codes[counted], costs, classes), counted
