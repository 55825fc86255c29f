"""What every linear estimator shares: checked input, the rules of two classes and of more, prediction.

Of two classes, prediction is by the exact sign. Of more, it is by the largest score: exactly where the classes were
learned jointly, as computed where each was learned against the rest. One-vs-one rules vote.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, LedgerError, OptionError
from rosenblatt.estimators.contract import (
    BaseEstimator,
    ClassifierMixin,
    check_classification_targets,
    check_is_fitted,
    validate_data,
)
from rosenblatt.estimators.counterparts import NamesCounterparts
from rosenblatt.learn import choices, costs
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.run_state import Run
from rosenblatt.prove.theory import bounds
from rosenblatt.rows import find
from rosenblatt.rows.door import labelled
from rosenblatt.rows.examples import Examples, classes_of, costs_of_rows, refuse_heavy_rows, shown
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import bias_of, lengths_of, n_rows, rows_of, unit_rows, with_bias

AUTO = "auto"
JOINT, ONE_VS_REST, ONE_VS_ONE = SCHEMES = ("joint", "one-vs-rest", "one-vs-one")  # of more than two classes
FAR_BELOW, MOST = 64, 900  # binary digits: of the scores of a class that has no row; of a threshold


class LinearRule(NamesCounterparts, ClassifierMixin, BaseEstimator):
    """A classifier whose `weights_` hold one rule, or of more than two classes one for each (or for each pair)."""

    ties: str
    start: Any
    fit_intercept: bool
    bias_scale: float | str
    normalize: bool
    class_weight: Any
    multi_class: str = ONE_VS_REST

    classes_: Array
    weights_: Array
    stop_reason_: Reason
    ledger_: Ledger | list[Ledger]
    _multi_class = ONE_VS_REST  # as it was when the rule was learned
    _knows_all_classes = True  # of each, some row counts
    _updates_before = 0  # those that a rule from a file has made; its ledger begins after them

    def decision_function(self, X: Any) -> Array:
        """coef_ . x + intercept_ for every row, with the exact sign: of shape (n,), or (n, n_classes).

        One-vs-one: the rules that say the class; of classes with equally many, those that win more of the rules among
        them have a part of one more.
        """
        check_is_fitted(self, "weights_")
        scores = self._scores_of_rules(self._seen(X))
        if len(scores) == 1:
            return scores[0]
        return self._votes(scores) if self._scheme == ONE_VS_ONE else np.stack(scores, axis=1)

    def predict(self, X: Any) -> Array:
        """The label of every row."""
        check_is_fitted(self, "weights_")
        if self._scheme == JOINT:
            from rosenblatt.learn.pla.joint_run_state import chosen  # which only rules of several classes need

            return np.asarray(self.classes_[chosen(self._seen(X), self.weights_)])
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]  # type: ignore[no-any-return]
        yes = scores >= 0 if self._zero_is_yes else scores > 0
        return self.classes_[yes.astype(int)]  # type: ignore[no-any-return]

    def _seen(self, X: Any) -> Rows:
        return self._rows(validate_data(self, X, accept_sparse="csr", ensure_all_finite=False, reset=False))

    def _scores_of_rules(self, rows: Rows) -> list[Array]:
        """What each rule scores, with the exact sign."""
        yes = Examples(rows, np.ones(n_rows(rows), np.int8))
        return [find.margins(yes, w) for w in self.weights_]

    def _votes(self, scores: list[Array]) -> Array:
        """How many one-vs-one rules say each class, and a part of one for those won among classes with as many."""
        many, n = len(self.classes_), scores[0].size
        wins = np.zeros((n, many, many), bool)
        for (low, high), score in zip(pairs_of(many), scores, strict=True):
            wins[:, high, low] = score >= 0 if self._zero_is_yes else score > 0
            wins[:, low, high] = ~wins[:, high, low]
        votes = wins.sum(axis=2)
        even = votes[:, :, np.newaxis] == votes[:, np.newaxis, :]
        return votes + (wins & even).sum(axis=2) / many  # type: ignore[no-any-return]

    @property
    def _scheme(self) -> str | None:
        """How more than two classes were learned; None of two."""
        return self._multi_class if len(self.classes_) > 2 else None

    def joint_rule(self) -> tuple[Array, float]:
        """Of a rule that chooses the largest of several scores: the weights of all, and the threshold's constant."""
        check_is_fitted(self, "weights_")
        if self._scheme not in (JOINT, ONE_VS_REST) or not hasattr(self, "coef_"):  # as votes and kernels have none
            raise OptionError("the rule is not one that chooses the largest of several linear scores")
        if self._unit_rows:
            raise OptionError("the rule scales rows to length 1; give optimality such rows, and the weights")
        return self.weights_, self._bias

    def one_linear_rule(self) -> tuple[Array, float, str]:
        """Of one linear rule: its weights, the constant it shows the threshold, and what it predicts for a tie."""
        check_is_fitted(self, "weights_")
        if len(self.weights_) != 1:
            raise OptionError("the rule has several classes; give the weights of one, and y == that class")
        if self._unit_rows:
            raise OptionError("the rule scales rows to length 1; give optimality such rows, and the weights")
        return self.weights_[0], self._bias, self.ties_of_prediction

    def examples_of(self, X: Any, y: Any, sample_weight: Any = None) -> list[Examples]:
        """Rows and labels as each rule sees them: one rule for two classes, one for each class of more."""
        return self._rules(self._rows(X), np.asarray(y), self.classes_, sample_weight)

    def replay(self, X: Any, y: Any, t: int | None = None, sample_weight: Any = None) -> Array:
        """The perceptron's weights after t updates (None: all) on the rows learned from, shaped as `weights_`.

        Bit for bit what they were then. Other rows than those that were corrected are refused.
        """
        check_is_fitted(self, "weights_")
        if self.n_updates_ and not any(len(ledger) for ledger in self._ledgers()):
            raise LedgerError("the ledger is empty, as pickles and model files leave it out; it can be saved by itself")
        parts = self.examples_of(X, y, sample_weight)
        states = [ledger.replay(part, t) for ledger, part in zip(self._ledgers(), parts, strict=True)]
        return np.stack(states).reshape(self.weights_.shape)

    @property
    def scales_rows(self) -> bool:
        """Whether rows are scaled to length 1 first."""
        return self._unit_rows

    @property
    def ties_of_prediction(self) -> str:
        """The tie rule that counts a mistake exactly where the label predicted is wrong."""
        return choices.ties_of_prediction(self._zero_is_yes)

    def replace_weights(self, weights: Array) -> None:
        """Predict with these weights from now on; the ledger still tells what was learned."""
        check_is_fitted(self, "coef_")
        self.weights_ = np.array(weights, dtype=np.float64).reshape(self.weights_.shape)
        self._expose()

    def constant_if_cheaper(self, parts: list[Examples]) -> bool:
        """Say the same of every row, where that costs less on these rows than the rule does; needs a threshold.

        One-vs-one rules are left alone.
        """
        if self._scheme == ONE_VS_ONE:
            return False
        whole, _ = costs.costs_of(parts[0])
        whole = whole if whole.size else np.ones(parts[0].n, np.int64)
        if isinstance(parts[0], JointExamples):
            of_class = [int(whole[parts[0].labels == k].sum()) for k in range(len(self.classes_))]
        else:
            of_class = [int(whole[part.labels > 0].sum()) for part in parts]
            of_class = of_class if len(parts) > 1 else [int(whole.sum()) - of_class[0], *of_class]
        if not self._bias or int(whole.sum()) - max(of_class) >= self._whole_cost(parts, whole):
            return False
        best, many = int(np.argmax(of_class)), len(self.weights_)
        constant = np.zeros_like(self.weights_)
        constant[:, -1] = np.where(np.arange(many) == best - (many == 1), 1.0, -1.0)
        self.replace_weights(constant)
        return True

    def _whole_cost(self, parts: list[Examples], whole: Array) -> int:
        """What the mistakes of the rule cost, in whole numbers."""
        if isinstance(parts[0], JointExamples):
            from rosenblatt.learn.pla.joint_run_state import wrong_rows

            return int(whole[wrong_rows(parts[0], self.weights_)].sum())
        if len(parts) == 1:
            wrong, _ = find.find(parts[0], self.weights_[0], choices.ties_named(self.ties_of_prediction))
            return int(whole[wrong].sum())
        yes = [Examples(part.rows, np.ones(part.n, np.int8)) for part in parts]
        said = np.argmax([find.margins(part, w) for part, w in zip(yes, self.weights_, strict=True)], axis=0)
        return int(whole[np.argmax([part.labels for part in parts], axis=0) != said].sum())

    def recount(self, parts: list[Examples]) -> None:
        """Count anew what the attributes say of the rule's mistakes on the rows learned from, if they say anything."""

    def _mistakes(self, parts: list[Examples]) -> list[int]:
        """How many rows each rule predicts wrong."""
        if isinstance(parts[0], JointExamples):
            from rosenblatt.learn.pla.joint_run_state import wrong_rows

            return [wrong_rows(parts[0], self.weights_).size]
        ties = choices.ties_named(self.ties_of_prediction)
        return [find.count(part, w, ties) for part, w in zip(parts, self.weights_, strict=True)]

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()  # type: ignore[no-untyped-call]
        tags.input_tags.sparse = True
        return tags

    def _settle(self) -> None:
        """Take over the options that learning and prediction must agree on, whatever is set later."""
        options.check_flags(self)
        self._bias = bias_of(self.fit_intercept, self.bias_scale, AUTO)
        self._unit_rows = bool(self.normalize)
        self._multi_class = options.one_of("multi_class", self.multi_class, SCHEMES)
        self._zero_is_yes = choices.sign_at_zero(choices.ties_named(self.ties)) > 0

    def _parts(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, list[Examples]]:
        """For `fit`: the classes, and the examples of each rule."""
        self._settle()
        rows, y = self._checked(X, y, reset=True)
        rows = self._with_best_bias(rows)
        classes = self._classes(y)
        parts = self._rules(rows, y, classes, sample_weight)
        if parts[0].weights.size and not parts[0].weights.any():
            raise DataError("the weights of all rows are zero; a rule needs rows that count")
        self._knows_all_classes = not any(part.lacks_a_class for part in parts)
        return classes, parts

    def _next_parts(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[Array, list[Examples]]:
        """For `partial_fit`: the same of the next rows of a stream, whose first call must name all classes."""
        first = not hasattr(self, "weights_")
        if first and classes is None:
            raise OptionError("the first call of partial_fit must be given all classes, as classes=[...]")
        if options.is_word(self.class_weight, "balanced"):
            raise OptionError("class_weight='balanced' needs all rows at once; give partial_fit a dict")
        if options.is_word(self.bias_scale, AUTO):
            raise OptionError("bias_scale='auto' needs all rows at once; give partial_fit a number")
        if first:
            self._settle()
        rows, y = self._checked(X, y, reset=first)
        known = np.unique(labelled(classes)) if first else self.classes_
        if known.size < 2:
            raise OptionError(f"classes must be two or more, not {list(classes)!r}")
        if not first and classes is not None and not np.array_equal(np.unique(classes), known):
            raise OptionError(f"classes must be those of the first call, {known.tolist()!r}, not {list(classes)!r}")
        if not (fits := np.isin(y, known)).all():
            row = int(np.argmin(fits))
            raise DataError(f"row {row}: the label {shown(y[row])} is not among the classes {known.tolist()!r}")
        parts = self._rules(rows, y, known, sample_weight)
        refuse_heavy_rows(parts[0].weights)
        return known, parts

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        """X as rows and y as a flat array, feature names and counts compared or noted."""
        X, y = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite=False, reset=reset)
        if y.dtype.kind not in "biuSUT":
            classes_of(y)  # refuses labels that cannot be put in order, with our own error
            check_classification_targets(y)
        return self._rows(X), y

    def _with_best_bias(self, rows: Rows) -> Rows:
        """With bias_scale="auto", rows with the constant that the bias-scaled bound recommends: their radius."""
        if not options.is_word(self.bias_scale, AUTO) or not self.fit_intercept:
            return rows
        radius = float(lengths_of(rows._replace(bias=0.0)).max())
        self._bias = bounds.best_bias_scale(radius) if radius > 0 else 1.0
        return with_bias(rows, self._bias)

    def _rows(self, X: Any) -> Rows:
        names = getattr(self, "feature_names_in_", None)
        rows = rows_of(X, bias=self._bias, names=names)
        return unit_rows(rows) if self._unit_rows else rows

    def _classes(self, y: Array) -> Array:
        """The classes to learn from all of y."""
        classes = classes_of(y)
        if classes.size < 2:
            raise DataError(f"y has one class only, {shown(classes[0])}; a rule needs rows of two classes or more")
        return classes

    def _rules(self, rows: Rows, y: Array, classes: Array, sample_weight: Any) -> list[Examples]:
        """The examples of each rule: second class against first; all classes; each against the rest or another."""
        weights = costs_of_rows(self.class_weight, classes, y, sample_weight)
        if classes.size > 2 and self._multi_class == JOINT:
            return [JointExamples(rows, np.searchsorted(classes, y).astype(np.int64), weights, tuple(classes))]
        if classes.size > 2 and self._multi_class == ONE_VS_ONE:
            return [_duel(rows, y, weights, classes[low], classes[high]) for low, high in pairs_of(classes.size)]
        pairs = [(classes[0], classes[1])] if classes.size == 2 else [(f"not {label}", label) for label in classes]
        return [Examples(rows, 2 * (y == yes).astype(np.int8) - 1, weights, (no, yes)) for no, yes in pairs]

    def _start_weights(self, parts: list[Examples], rng: np.random.Generator) -> list[Array]:
        """The start of each rule; a table of weights has a row for each."""
        if isinstance(parts[0], JointExamples):
            from rosenblatt.learn.pla.joint_pla import start_of

            return [start_of(self.start, parts[0], rng, choices.start_weights)]
        starts = [self.start] * len(parts)
        if not isinstance(self.start, str) and options.floats("start", self.start).ndim == 2:
            if len(self.start) != len(parts):
                raise OptionError(f"start has weights for {len(self.start)} rules, but {len(parts)} are learned")
            starts = list(self.start)
        return [choices.start_weights(start, part, rng) for start, part in zip(starts, parts, strict=True)]

    def _starts(self, parts: list[Examples], rng: np.random.Generator) -> list[Array]:
        """For `fit`: the same, but where no row of a class counts, a rule that always says the same.

        Its threshold is beyond every margin that is asked for. Of several classes, one without a row scores far below
        the others. Without a threshold there is no such rule, and what is learned is right on the rows that count.
        """
        starts = self._start_weights(parts, rng)
        for part, start in zip(parts, starts, strict=True):
            if not part.rows.bias or not part.lacks_a_class:
                continue
            least = int(np.frexp(self._margin_wanted() / part.rows.bias)[1])
            if isinstance(part, JointExamples):
                start[part.absent] = 0.0
                start[part.absent, -1] = -(2.0 ** min(least + FAR_BELOW, MOST))
                continue
            label = part.only_label
            far = FAR_BELOW if len(parts) > 1 and self._multi_class == ONE_VS_REST and label < 0 else 1
            start[:] = 0.0
            start[-1] = label * 2.0 ** min(least + far, MOST)
        return starts

    def _margin_wanted(self) -> float:
        """The margin above which no row moves the weights, if it is above 1."""
        return 1.0

    def _generator(self) -> np.random.Generator:
        """Randomness from `random_state`, where there is one."""
        return choices.generator_of(getattr(self, "random_state", None))

    def _take(self, classes: Array, runs: Sequence[Run]) -> None:
        """Take over what was learned, a run per rule."""
        self.classes_, self._updates_before = classes, 0
        self.weights_ = np.vstack([run.weights for run in runs])
        self.ledger_ = one_or_all([run.ledger for run in runs])
        self.n_passes_ = sum(run.passes for run in runs)
        self.n_examples_seen_ = sum(run.examples_seen for run in runs)
        best = Reason.SEPARATED if self._knows_all_classes else Reason.ABSENT
        self.stop_reason_ = next((run.reason for run in runs if run.reason is not Reason.SEPARATED), best)
        self._expose()

    def __getstate__(self) -> Any:
        """What a pickle holds: all but the ledger, which may be longer than the data; it begins anew at the weights."""
        state = dict(super().__getstate__())  # type: ignore[no-untyped-call]
        if "ledger_" in state:
            state |= {"ledger_": one_or_all(self._emptied_ledgers()), "_updates_before": self.n_updates_}
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = type(self).__new__(type(self))
        copied.__dict__ = deepcopy(self.__dict__, memo)
        return copied

    def _emptied_ledgers(self) -> list[Ledger]:
        """Ledgers that begin at the weights which the next correction would change."""
        starts = [self.weights_] if self._scheme == JOINT else self.weights_
        return [ledger.emptied(w) for ledger, w in zip(self._ledgers(), starts, strict=True)]

    def _ledgers(self) -> list[Ledger]:
        return self.ledger_ if isinstance(self.ledger_, list) else [self.ledger_]

    def _expose(self) -> None:
        """The attributes that follow from the weights and the ledger."""
        self.coef_ = self.weights_[:, :-1].copy()
        self.intercept_ = self.weights_[:, -1] * self._bias
        self.threshold_ = -self.intercept_
        self.n_updates_ = self._updates_before + sum(len(ledger) for ledger in self._ledgers())


def empty_ledger(start: Array) -> Ledger:
    """The ledger of a stream that begins with these weights; those of several classes are a table."""
    if start.ndim == 1:
        return Ledger(start, 0, np.int64)
    from rosenblatt.learn.pla.joint_run_state import JointLedger

    return JointLedger(start, 0, np.int64, len(start))


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """The pairs of classes, in order: the rules of one-vs-one."""
    return [(low, high) for high in range(classes) for low in range(high)]


def _duel(rows: Rows, y: Array, weights: Array, no: Any, yes: Any) -> Examples:
    """The examples of two classes of several: the rows of all others have the weight 0."""
    counts = ((y == no) | (y == yes)).astype(np.float64)
    return Examples(rows, 2 * (y == yes).astype(np.int8) - 1, counts * weights if weights.size else counts, (no, yes))


def one_or_all(each: list[Any]) -> Any:
    """What belongs to each rule: itself if there is one rule, else the list."""
    return each[0] if len(each) == 1 else each
