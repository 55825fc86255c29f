"""DecisionRule: any rule with probabilities, cut-offs, and rows that it leaves to people.

The mathematics is in `judge`; what is here deals out the rows, and asks rules and other classifiers for their scores.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rosenblatt.errors import DataError, OptionError
from rosenblatt.estimators.cross_validated import PerceptronCV
from rosenblatt.estimators.crossfitting import (
    LabelledRows,
    codes_of,
    learned_from,
    not_learned_from,
    scored,
    scores_of,
)
from rosenblatt.estimators.face import checked_labels
from rosenblatt.judge import binomial
from rosenblatt.judge.abstain import Tolerance
from rosenblatt.judge.calibration import OneVsRest, VennAbers
from rosenblatt.judge.decision import ASK_A_PERSON, UNDECIDED, Decision
from rosenblatt.judge.making import (
    SAID,
    Aims,
    counted_among,
    decided,
    refuse_few_of_a_class,
)
from rosenblatt.judge.scored import weights_of
from rosenblatt.judge.tables import MERGED, METHODS, SIGMOID, VENN_ABERS
from rosenblatt.learn.selection.folds import stratified
from rosenblatt.options import number, one_of, whole
from rosenblatt.rows.door import admitted, labelled, unmasked
from rosenblatt.rows.kernels import Array

AUTO = "auto"


def _has_intervals(made: "DecisionRule") -> bool:
    """Whether probabilities have two ends."""
    if not hasattr(made, "decision_"):
        return made.method == VENN_ABERS
    return all(isinstance(one, VennAbers) for one in _tables(made.decision_)) and made.decision_.probability is not None


class DecisionRule(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Probabilities, cut-offs and the right to ask a person, for any rule of this package or other classifier.

    The rule learns from all rows. Its scores are judged by rules that learn without one fold each, so probabilities
    and cut-offs come from rows that were not learned from. With `at_most`, some rows are kept apart from all of this,
    and the rule decides only rows for which they show, by an exact test, that it rarely errs; the others are left to
    people.

    Parameters
    ----------
    estimator : classifier, default=None
        What gives the scores: a rule of this package, a pipeline, or any classifier with `decision_function` or
        `predict_proba`. None: `PerceptronCV()`.
    method : {"auto", "sigmoid", "isotonic", "merged", "venn-abers"}, default="auto"
        How scores become probabilities. "sigmoid": Platt's. "isotonic": the shares among rows, never falling with
        the score. "venn-abers": a lower and an upper probability, one of which is perfectly calibrated for rows drawn
        alike; it is made from the rows kept apart. "merged": the single number between those two, from all rows; it
        follows the rows, but is never 0 or 1. "auto": merged, or the sigmoid if rows have weights or there are more
        than two classes. Each of several classes has a table, looked up by its score's lead over the highest other.
    cost : dict or None, default=None
        What a mistake on a row of a class costs, as {"bad": 5}; 1 for a class that is not named. Of two classes, the
        cut-off of the score is the one that costs least; the rule keeps its own if what that saves may be chance.
    rate : float above 0 and below 1, or None, default=None
        Instead of costs: the share of rows that get a yes, that is, the second class.
    at_most : float, dict or None, default=None
        The tolerable error rate among the rows decided, such as 0.05; other rows are left to people. With two
        classes, a dict sets rates for some rows: {"bad": 0.1}: at most a tenth of the rows that are bad are labelled
        good; {"said:good": 0.1}: at most a tenth of the rows labelled good are bad; the key None: all rows decided.
    confidence : float of at least 0.5 and below 1, default=0.95
        How sure `at_most` must be.
    undecided : label, default="ask a person"
        What is predicted for rows that are left to people.
    cv : int of at least 2, splitter or iterable, default=5
        How many folds, each with its share of every class; or a splitter of scikit-learn; or pairs of arrays, the rows
        to learn from and the rows to judge by.
    validation_fraction : float above 0 and below 1, default=0.2
        The part of the rows that is kept apart for `at_most` and for "venn-abers".
    random_state : int, RandomState, Generator or None, default=0
        Used to deal out the folds, and to draw the rows that are kept apart.

    Attributes
    ----------
    estimator_ : classifier
        The rule that gives the scores, learned from all rows that are not kept apart.
    decision_ : Decision
        Cut-offs and tables of probabilities: what `save_model` keeps, and exports write.
    statement_ : str
        What is decided, what is guaranteed, and why, in words.
    coverage_ : float
        The share of rows that are decided, of those kept apart; 1 if all are.
    guarantee_ : Abstention or None
        The counts behind `at_most`.
    classes_ : array
        The labels, sorted; of two, "yes" is the second.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Without cost, rate and at_most, labels are the rule's own.
    Probabilities are tables of the score, so exports give the same to the last bit; a sigmoid is cut into steps that
    change it by less than 0.01. There is no `decision_function`; that of `estimator_` has the scores.
    The guarantee holds for new rows drawn like those given, with the stated confidence, whatever the classifier. It
    counts rows, so sample weights that differ are refused there, and for "venn-abers".

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import DecisionRule, PerceptronCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = np.where(X @ [1, 2, 0] + rng.normal(size=2000) > 0.5, "good", "bad")
    >>> rule = DecisionRule(PerceptronCV(), at_most=0.05).fit(X, y)
    >>> rule.predict([[1, 1, 0], [0, 0.3, 0], [-1, -1, 0]]).tolist()
    ['good', 'ask a person', 'bad']
    >>> rule.predict_proba([[0, 0.3, 0]]).round(1).tolist()
    [[0.4, 0.6]]
    >>> 0.4 < rule.coverage_ < 0.6
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = AUTO,
        cost: Mapping[Any, float] | None = None,
        rate: float | None = None,
        at_most: Any = None,
        confidence: float = 0.95,
        undecided: Any = ASK_A_PERSON,
        cv: Any = 5,
        validation_fraction: float = 0.2,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cost = cost
        self.rate = rate
        self.at_most = at_most
        self.confidence = confidence
        self.undecided = undecided
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    @classmethod
    def of(cls, estimator: Any, decision: Decision) -> Self:
        """A fitted rule with a decision that was made before."""
        made = cls(estimator)
        made.estimator_, made.decision_, made.classes_ = estimator, decision, estimator.classes_
        return made

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        if y is None:
            raise DataError("this DecisionRule requires y to be passed, but the target y is None")
        X, y = indexable(admitted(X), checked_labels(np.asarray(column_or_1d(labelled(y), warn=True))))
        self.classes_, codes = np.unique(y, return_inverse=True)
        aims = self._aims()
        weights = None if sample_weight is None else weights_of(sample_weight, codes.size)
        rng = np.random.default_rng(self.random_state) if _is_seed(self.random_state) else self.random_state
        kept = self._kept_apart(codes.size, weights, rng, aims)
        rows = LabelledRows(X, y, codes, weights)
        part = rows.some(np.setdiff1d(np.arange(codes.size), kept))
        refuse_few_of_a_class(part.codes, part.counted, self.classes_.tolist(), self._folds or 2)
        self.estimator_ = learned_from(self._unfitted(), part)
        unknown = not_learned_from(self._unfitted(), self.estimator_, part, self._splits(part, rng))
        held = scored(self.estimator_, rows.some(kept)) if kept.size else None
        if self.method == AUTO:
            plain = weights is None and len(self.classes_) == 2
            aims = replace(aims, method=MERGED if plain else SIGMOID)
        found = decided(aims, self.classes_.tolist(), unknown, held)
        self.decision_, self.guarantee_ = found.decision, found.guarantee
        self.coverage_ = 1.0 if found.guarantee is None else 1.0 - found.guarantee.asked
        cut = found.cut_off
        by_cut_off = None if cut is None else f"{cut.statement} {cut.warning or ''}".rstrip()
        self.statement_ = found.guaranteed or by_cut_off or found.stays or "The rule decides every row by itself."
        return self

    def predict(self, X: Any) -> Array:
        """The label of every row; `undecided` for rows that are left to people."""
        codes = self._codes(X)
        labels = np.asarray(self.classes_[np.maximum(codes, 0)])
        if not self.decision_.asks:
            return labels
        other = np.asarray(self.undecided)
        alike = other.dtype.kind == labels.dtype.kind
        return np.where(codes == UNDECIDED, other, labels if alike else labels.astype(object))

    def decided(self, X: Any) -> Array:
        """Whether each row is decided, not left to people."""
        return np.asarray(self._codes(X) != UNDECIDED)

    @available_if(lambda self: not hasattr(self, "decision_") or self.decision_.probability is not None)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class."""
        found = self._checked.probabilities(scores_of(self.estimator_, X))
        assert found is not None
        return np.stack([1.0 - found, found], axis=1) if found.ndim == 1 else found

    @available_if(_has_intervals)  # type: ignore[untyped-decorator]
    def predict_interval(self, X: Any) -> Array:
        """The lower and the upper probability of yes, of shape (n, 2).

        With more than two classes, those of each class against the rest, of shape (n, n_classes, 2).
        """
        decision = self._checked
        scores, made = scores_of(self.estimator_, X), decision.probability
        scores = made.columns(scores) if isinstance(made, OneVsRest) else scores.reshape(-1, 1)
        ends = [np.stack(one.interval(column), axis=1) for one, column in zip(_tables(decision), scores.T, strict=True)]
        return ends[0] if len(ends) == 1 else np.stack(ends, axis=1)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows decided that are predicted right; NaN if none is decided."""
        right = self._checked_labels(y) == self._codes(X)
        weights = np.ones(right.size) if sample_weight is None else weights_of(sample_weight, right.size)
        weights = weights * self.decided(X)
        return float(np.average(right, weights=weights)) if weights.any() else float("nan")

    @property
    def n_features_in_(self) -> int:
        """How many features the rule was learned from."""
        check_is_fitted(self, "estimator_")
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """The names of the columns that the rule was learned from, if they had names."""
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()  # type: ignore[no-untyped-call]
        tags.input_tags.sparse = get_tags(self._unfitted()).input_tags.sparse
        return tags

    # -- options -------------------------------------------------------------------------------------------

    def _unfitted(self) -> Any:
        return PerceptronCV() if self.estimator is None else self.estimator  # type: ignore[call-arg]

    def _aims(self) -> Aims:
        """What the options ask for, checked."""
        classes = self.classes_.tolist()
        if len(classes) < 2:
            raise DataError(f"y has {f'one class, {classes[0]!r}' if classes else 'no rows'}: two classes are needed")
        one_of("method", self.method, (AUTO, *METHODS))
        binomial.confident(self.confidence)
        binomial.share("validation_fraction", self.validation_fraction)
        if self.rate is not None:
            binomial.share("rate", self.rate)
            if self.cost is not None or self.at_most is not None:
                raise OptionError("rate sets the cut-off, and so do cost and at_most: use rate, or the others")
        for name in ("cost", "rate"):
            if len(classes) > 2 and getattr(self, name) is not None:
                raise OptionError(f"{name} moves the cut-off between two classes, but there are {len(classes)}")
        if self.at_most is not None and self.undecided in classes:
            raise OptionError(f"undecided must not be a class, as {self.undecided!r} is: name another label")
        if self.cost is not None and self.at_most is not None:
            raise OptionError("at_most sets the cut-offs, whatever mistakes cost: leave cost out")
        return Aims(self._costs(classes), self.rate, self.method, self._tolerances(classes), self.confidence, True)

    def _costs(self, classes: list[Any]) -> Mapping[Any, float]:
        if self.cost is None:
            return {}
        if not isinstance(self.cost, Mapping):
            raise OptionError(f"cost must be a dict, as {{{classes[0]!r}: 5}}, or None, not {self.cost!r}")
        for label, each in self.cost.items():
            if label not in classes:
                raise OptionError(f"cost names the class {label!r}, but the classes are {', '.join(map(str, classes))}")
            number(f"the cost of {label!r}", each, least=0.0)
        return self.cost

    def _tolerances(self, classes: list[Any]) -> tuple[Tolerance, ...]:
        if self.at_most is None:
            return ()
        rates = self.at_most if isinstance(self.at_most, Mapping) else {None: self.at_most}
        for label, rate in rates.items():
            binomial.share("at_most", rate)
            if (label is not None and len(classes) > 2) or counted_among(label, classes) is None:
                by_label = [repr(SAID + str(each)) for each in classes]
                takes = ", ".join([*map(repr, classes), *by_label]) if len(classes) == 2 else "one rate for all rows"
                raise OptionError(f"at_most names {label!r}; it takes {takes}")
        return tuple(Tolerance(float(rate), str(counted_among(label, classes))) for label, rate in rates.items())

    # -- rows ----------------------------------------------------------------------------------------------

    def _kept_apart(self, n: int, weights: Array | None, rng: Any, aims: Aims) -> Array:
        """The rows kept apart from learning and calibration; drawn from all that count, whatever their class."""
        if not aims.tolerances and self.method != VENN_ABERS:
            return np.arange(0)
        counted = np.arange(n) if weights is None else np.flatnonzero(weights)
        if weights is not None and np.ptp(weights[counted]) > 0:
            what = "at_most" if aims.tolerances else "venn-abers"
            raise DataError(f"{what} counts rows, which must all count the same: leave the weights out")
        return np.sort(rng.permutation(counted)[: round(self.validation_fraction * counted.size)])

    @property
    def _folds(self) -> int | None:
        """How many folds to deal out; None: cv says which rows are in them."""
        given = not isinstance(self.cv, str) and (hasattr(self.cv, "split") or hasattr(self.cv, "__iter__"))
        return None if given else int(whole("cv", self.cv, 2))

    def _splits(self, part: LabelledRows, rng: Any) -> Iterator[tuple[Array, Array]]:
        """Rows to learn from and rows to judge by, as cv says."""
        if folds := self._folds:
            fold = stratified(part.codes + len(self.classes_) * ~part.counted, folds, rng)
            pairs = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds))
        else:
            pairs = self.cv.split(part.X, part.y) if hasattr(self.cv, "split") else self.cv
        for learned, judged in pairs:
            if len(learned) and len(judged):
                yield np.asarray(learned), np.asarray(judged)

    @property
    def _checked(self) -> Decision:
        check_is_fitted(self, "decision_")
        decision: Decision = self.decision_
        return decision

    def _codes(self, X: Any) -> Array:
        """The decision about every row: the place of its class, or UNDECIDED."""
        decision, own = self._checked, codes_of(self.estimator_, X)
        return own if decision.rung is None else decision.codes(scores_of(self.estimator_, X), own)

    def _checked_labels(self, y: Any) -> Array:
        """The codes of labels; an unknown label gets a code above all others."""
        labels = np.asarray(unmasked(y, "y"))
        places = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        return np.where(self.classes_[places] == labels, places, len(self.classes_))


def _is_seed(given: Any) -> bool:
    return given is None or isinstance(given, int | np.integer)


def _tables(decision: Decision) -> tuple[Any, ...]:
    """The table of yes, or one for each class."""
    found = decision.probability
    return found.classes if isinstance(found, OneVsRest) else (found,)
