"""OnlinePerceptron: the face of `learn.online.online`, one row at a time."""

import sys
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.estimators.contract import BaseEstimator
from rosenblatt.estimators.counterparts import Instead, NamesCounterparts
from rosenblatt.learn import choices
from rosenblatt.learn.online import online_kernels
from rosenblatt.learn.online.online import Comparator, Stream, mode_named
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.prove.theory.stream import MistakeBound, mistake_bound
from rosenblatt.rows.door import labelled, unmasked
from rosenblatt.rows.examples import MOST_COPIES, classes_of, refuse_heavy_rows, shown, weights_of
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import bias_of, n_rows, rows_of

FLOAT64 = np.dtype(np.float64)
PROTOCOL = 1
NO, YES = np.array([-1], np.int8), np.array([1], np.int8)  # labels as compiled code takes them
LEARN: Any = {1: online_kernels.learn_dense, 3: online_kernels.learn_sparse}  # by the number of arrays that a row has
SCORE: Any = {1: online_kernels.score_dense, 3: online_kernels.score_sparse}


def _are_two(classes: Any) -> bool:
    """Whether these are two labels."""
    try:
        return len(classes) == len(set(classes)) == 2
    except TypeError:
        return False


def _counter(place: int, what: str) -> Any:
    return property(lambda rule: 0 if rule._stream is None else int(rule._stream.counts[place]), doc=what)


class OnlinePerceptron(NamesCounterparts, BaseEstimator):
    """Linear yes/no rule, learned from an endless stream: each row is judged once, then corrected if it was wrong.

    Parameters
    ----------
    mode : {"perceptron", "averaged", "PA", "PA-I", "PA-II"}, default="perceptron"
        What is learned from a row: on a mistake, add y x (Rosenblatt 1958); the same, but predict by the average of the
        weights after every example (Freund and Schapire 1999); where y (w . x) < 1, make the smallest change that makes
        it 1, or a bounded or softened one (passive-aggressive, Crammer et al. 2006).
    C : float, default=1.0
        How much a single row may change: the longest step of PA-I, and 1 / (2 C) softens the steps of PA-II.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is when learning: always wrong; right for the positive class; right for the
        negative; never wrong. It is predicted as the negative class, under "plus" as the positive.
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float, default=1.0
        The value of that constant feature.
    classes : pair of labels or None, default=None
        The negative and the positive label, any two values. None: False and True, 0 and 1, or -1 and 1, as the first
        negative label of the stream tells; until there was one, predictions are False and True.
    comparator : (weights, eps) or None, default=None
        w* and its margin in the mistake-bound note, for `mistake_bound_`. Weights like `weights_`, the threshold's last
        (without fit_intercept: left out), or a dict by the names of features, the threshold's under None.
    ledger : int, "all" or None, default=None
        Keep the positions of the last so many mistakes, or of all, as `mistakes_at_`.

    Attributes
    ----------
    n_rows_, n_examples_seen_ : int
        Rows given, and the copies of rows that they stand for: the same, without sample weights.
    n_mistakes_, n_updates_ : int
        Examples that the weights had wrong when they came, by the tie rule; changes of the weights.
    progressive_error_ : float
        The share of examples that were wrong when they came; in the averaged mode, by the averaged weights.
    weights_, average_ : array of shape (n_features_in_ + 1,)
        The weight of every feature and the constant feature's; their average, in the averaged mode.
    coef_, intercept_, threshold_
        Of the weights that predictions are made with: yes is where coef_ . x > threshold_.
    n_features_in_, feature_names_ : int, list or None
        The features met so far, in the order of the weights; names where the rows have them.
    classes_ : tuple
        The negative and the positive label.
    mistakes_at_ : array
        With `ledger`: the rows of the stream, from 0, that were mistakes, as often as their copies were.
    mistake_bound_ : MistakeBound
        With `comparator`: the running quantities of the stream's proof, and whether its hypotheses held so far.

    Notes
    -----
    A row is an array or list with a number for every feature; a dict of features and numbers, in which new features may
    appear at any time and absent ones count as zero; a pair (indices, values); or a sparse row. A block of rows for
    `learn_many` is a table, dense or sparse, or a data frame, whose column names are the features. However a stream is
    given, the weights are the same to the last bit (in the modes PA, for features in the same order), and those of
    `Perceptron.partial_fit`. A row with NaN or infinity is refused, and then nothing has changed.
    Options count from the first row on. One thread at a time may use a rule, for predictions too.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> rule = OnlinePerceptron(classes=("ham", "spam"))
    >>> rule.learn_one({"offer": 2, "cheap": 1}, "spam"), rule.learn_one({"hello": 1, "offer": 1}, "ham")
    (True, True)
    >>> rule.predict_one({"offer": 1, "pills": 3}), rule.predict_one({"hello": 1})
    ('spam', 'ham')
    >>> rule.n_mistakes_, dict(zip(rule.feature_names_, rule.coef_.tolist()))
    (2, {'offer': 1.0, 'cheap': 1.0, 'hello': -1.0})
    """

    def __init__(
        self,
        *,
        mode: str = "perceptron",
        C: float = 1.0,
        ties: str = "mistake",
        fit_intercept: bool = True,
        bias_scale: float = 1.0,
        classes: Sequence[Any] | None = None,
        comparator: tuple[Any, float] | None = None,
        ledger: int | str | None = None,
    ) -> None:
        self.mode = mode
        self.C = C
        self.ties = ties
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.classes = classes
        self.comparator = comparator
        self.ledger = ledger

    _stream: Stream | None = None

    def _begin(self) -> Stream:
        """Take over the options."""
        options.check_flags(self)
        mode, ties = mode_named(self.mode, self.C), choices.ties_named(self.ties)
        bias = bias_of(self.fit_intercept, self.bias_scale)
        comparator = None if self.comparator is None else Comparator.of(self.comparator, self.fit_intercept)
        if comparator and mode.level:
            raise OptionError("the mistake bound of a comparator is about the modes 'perceptron' and 'averaged'")
        if self.classes is not None and not _are_two(self.classes):
            raise options.refused("classes", "two labels, the negative and the positive", self.classes, none=True)
        most = options.whole("ledger", self.ledger, 1, most=sys.maxsize, words=("all",), none=True)
        self._positions: deque[int] | None = None
        if most is not None:
            self._positions = deque(maxlen=None if most == "all" else int(most))
        self._labels, self._signs = (False, True), {1: YES}
        if self.classes is not None:
            self._know(*self.classes)
        self._zero_is_yes = choices.sign_at_zero(ties) > 0
        self._stream = Stream(mode, ties, bias, comparator)
        return self._stream

    # -- one row -------------------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, sample_weight: float | None = None) -> bool:
        """Learn from a row and its label; returns whether the row was a mistake.

        A row of weight k is learned from as k copies of it, one after the other; weight 0 is no row; a fraction is a
        last copy that moves the weights by that part of a step.
        """
        stream = self._stream or self._begin()
        try:
            label = self._signs[y]
        except (KeyError, TypeError):
            return self._learn_new_label(x, y, sample_weight)
        copies = 1.0 if sample_weight is None else self._copies(sample_weight)
        if type(x) is np.ndarray and x.dtype is FLOAT64 and x.shape == stream.shape and x.flags.c_contiguous:
            outcome = online_kernels.learn_dense(x, label, copies, *stream.parts)
        else:
            row = stream.row(unmasked(x, "the row"), True)
            outcome = LEARN[len(row)](*row, label, copies, *stream.parts)
        if outcome < 0:
            raise stream.refusal(outcome, x, True)
        if outcome and self._positions is not None:
            self._positions.extend([self.n_rows_ - 1] * outcome)
        return outcome > 0

    def score_one(self, x: Any) -> float:
        """coef_ . x + intercept_, with the exact sign: above 0 for the positive class."""
        stream = self._stream or self._begin()
        if type(x) is np.ndarray and x.dtype is FLOAT64 and x.shape == stream.shape and x.flags.c_contiguous:
            score = online_kernels.score_dense(x, *stream.score_parts)
        else:
            row = stream.row(unmasked(x, "the row"), False)
            score = SCORE[len(row)](*row, *stream.score_parts)
        if score != score:
            raise stream.refusal(online_kernels.UNUSABLE, x, False)
        return float(score)

    def predict_one(self, x: Any) -> Any:
        """The label of a row; features never learned from count as zero."""
        score = self.score_one(x)
        return self._labels[1 if score > 0.0 or (score == 0.0 and self._zero_is_yes) else 0]

    def _copies(self, sample_weight: float) -> float:
        copies = float(sample_weight)
        if not 0.0 <= copies < 2.0**53:
            raise DataError(f"{self._place()}: the weight {copies} is not a finite number >= 0")
        if copies > MOST_COPIES:
            raise DataError(
                f"{self._place()}: the weight {copies} stands for more than {MOST_COPIES:,} copies of the row; "
                "divide all weights by a constant"
            )
        if self.comparator is not None and copies != int(copies):
            raise DataError(f"{self._place()}: the mistake bound is about whole steps, but the weight is {copies}")
        return copies

    # -- labels --------------------------------------------------------------------------------------------

    def _know(self, negative: Any, positive: Any) -> None:
        self._labels = (negative, positive)
        self._signs = {negative: NO, positive: YES}

    def _meet(self, y: Any, place: str) -> None:
        """Take a label not met before: without `classes`, the first 0, False or -1 tells what labels there are."""
        plain = y.item() if isinstance(y, np.generic) else y
        if len(self._signs) == 2 or not isinstance(plain, int | float) or plain not in (0, -1):
            known = "False and True, 0 and 1, or -1 and 1: give classes=(negative, positive)"
            known = known if len(self._signs) < 2 else " and ".join(map(shown, self._labels))
            raise DataError(f"{place}: the label {plain!r} does not fit the labels of this stream, {known}")
        self._know(plain, type(plain)(1))

    def _learn_new_label(self, x: Any, y: Any, sample_weight: float | None) -> bool:
        before = self._labels, self._signs
        self._meet(y, self._place())
        try:
            return self.learn_one(x, y, sample_weight)
        except BaseException:
            self._labels, self._signs = before
            raise

    def _place(self) -> str:
        stream: Any = self._stream
        return str(stream.place(True))

    # -- blocks of rows ------------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any, sample_weight: Any = None) -> int:
        """Learn from the rows of a block, one after the other, as `learn_one` would; returns how many were mistakes.

        A block with a row that cannot be learned from is refused as a whole. Pressing Ctrl-C keeps what was learned so
        far; `n_rows_` says how far it came.
        """
        stream = self._stream or self._begin()
        before = self._labels, self._signs
        try:
            rows, names = self._table(X)
            labels = self._block_labels(y, n_rows(rows))
            copies = weights_of(sample_weight, labels.size)
            refuse_heavy_rows(copies)
            if self.comparator is not None and (copies % 1.0).any():
                raise DataError("the mistake bound is about whole steps, but some weights are not whole")
            rows = stream.numbered_rows(rows, True) if names is None else stream.named_rows(rows, names, True)
        except DataError as error:
            self._labels, self._signs = before
            raise DataError(f"in the block that begins with {self._place()}: {error}") from error
        times, first = np.zeros(labels.size, np.int64), int(stream.counts[online_kernels.ROWS])
        try:
            with ctrl_c_noted() as interrupted:
                stream.learn_rows(rows, labels, copies, times, interrupted)
        finally:
            if self._positions is not None:
                self._positions.extend(np.repeat(np.arange(first, first + times.size), times).tolist())
        if interrupted():
            raise KeyboardInterrupt
        return int(times.sum())

    def score_many(self, X: Any) -> Array:
        """coef_ . x + intercept_ for every row, with the exact sign."""
        stream = self._stream or self._begin()
        rows, names = self._table(X)
        return stream.scores(
            stream.numbered_rows(rows, False) if names is None else stream.named_rows(rows, names, False)
        )

    def predict_many(self, X: Any) -> Array:
        """The label of every row."""
        scores = self.score_many(X)
        yes = scores >= 0 if self._zero_is_yes else scores > 0
        return np.array(self._labels)[yes.astype(int)]  # type: ignore[no-any-return]

    def _table(self, X: Any) -> tuple[Rows, list[Hashable] | None]:
        """Checked rows, and the names of their columns if they have some."""
        stream: Any = self._stream
        names = list(X.columns) if hasattr(X, "columns") and hasattr(X, "to_numpy") else None
        return rows_of(X if names is None else X.to_numpy(), bias=stream.bias, names=names), names

    def _block_labels(self, y: Any, rows: int) -> Array:
        """The labels of a block as -1 and +1."""
        y = np.asarray(labelled(y))
        if y.shape != (rows,):
            raise DataError(f"X has {rows} rows but y is of shape {y.shape}: it needs one label per row")
        for label in classes_of(y).tolist():
            if label not in self._signs:
                self._meet(label, f"row {int(np.argmax((y == label) | (y != y)))}")
        return np.where(y == self._labels[1], YES, NO)

    fit = Instead("learn_many(X, y)")
    partial_fit = Instead("learn_many(X, y)")
    predict = Instead("predict_many(X)")
    decision_function = Instead("score_many(X)")

    # -- what is known so far ------------------------------------------------------------------------------

    n_rows_ = _counter(online_kernels.ROWS, "Rows given.")
    n_examples_seen_ = _counter(online_kernels.SEEN, "Copies of rows looked at.")
    n_mistakes_ = _counter(online_kernels.MISTAKES, "M_t: examples that the weights had wrong when they came.")
    n_updates_ = _counter(online_kernels.UPDATES, "Changes of the weights.")
    _n_average_mistakes = _counter(
        online_kernels.AVERAGE_MISTAKES, "Examples that the average had wrong when they came."
    )

    @property
    def progressive_error_(self) -> float:
        """The share of examples that were wrong when they came, 0 before the first."""
        wrong = self._n_average_mistakes if self.mode == "averaged" else self.n_mistakes_
        return float(wrong / max(self.n_examples_seen_, 1))

    @property
    def classes_(self) -> tuple[Any, Any]:
        """The negative and the positive label."""
        _ = self._stream or self._begin()
        return self._labels

    @property
    def weights_(self) -> Array:
        """The weights under training, the constant feature's last."""
        return (self._stream or self._begin()).weights()

    def one_linear_rule(self) -> tuple[Array, float, str]:
        """The weights of predictions, the constant they show the threshold, and what they predict for a tie."""
        stream = self._stream or self._begin()
        return stream.without_room(stream.heard), stream.bias, choices.ties_of_prediction(self._zero_is_yes)

    @property
    def average_(self) -> Array:
        """The average of the weights after every example, in the averaged mode."""
        stream = self._stream or self._begin()
        if not stream.mode.averaged:
            raise AttributeError("average_ needs mode='averaged'")
        return stream.without_room(stream.heard)

    @property
    def coef_(self) -> Array:
        """The weights of the features in predictions."""
        stream = self._stream or self._begin()
        return stream.heard[: stream.features].copy()

    @property
    def intercept_(self) -> float:
        """What the constant feature adds to every score."""
        stream = self._stream or self._begin()
        return float(stream.heard[-1]) * stream.bias

    @property
    def threshold_(self) -> float:
        """What coef_ . x must exceed."""
        return -self.intercept_

    @property
    def n_features_in_(self) -> int:
        """Features met so far."""
        return 0 if self._stream is None else self._stream.features

    @property
    def feature_names_(self) -> list[Hashable] | None:
        """Their names, if they have some, in the order of the weights."""
        return None if self._stream is None or self._stream.names is None else list(self._stream.names)

    @property
    def mistakes_at_(self) -> Array:
        """The rows of the stream that were mistakes, in order."""
        _ = self._stream or self._begin()
        if self._positions is None:
            raise AttributeError("mistakes_at_ needs ledger='all', or how many to keep")
        return np.array(self._positions, np.int64)

    @property
    def mistake_bound_(self) -> MistakeBound:
        """Where the proof of the mistake bound stands."""
        stream = self._stream or self._begin()
        if stream.comparator is None:
            raise AttributeError("mistake_bound_ needs a comparator")
        return mistake_bound(stream)

    # -- keeping it ----------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """Everything that was learned, in numbers, lists, labels and names, for `set_state`."""
        stream = self._stream or self._begin()
        state = {"protocol": PROTOCOL, "method": self._method(), "labels": list(self._labels), **stream.state()}
        state["settled"] = len(self._signs) == 2
        state["mistakes_at"] = None if self._positions is None else list(self._positions)
        return state

    def set_state(self, state: Mapping[str, Any]) -> Self:
        """Go on from what `get_state` gave, with the same options; a state that does not fit changes nothing."""
        if state.get("protocol") != PROTOCOL:
            raise OptionError(f"this state is of protocol {state.get('protocol')!r}; this version reads {PROTOCOL}")
        before = self.__dict__.copy()
        try:
            stream = self._begin()
            if state["method"] != self._method():
                raise OptionError(f"this state is of a rule with the options {state['method']}, not {self._method()}")
            stream.restore(state)
            if state["settled"]:
                self._know(*state["labels"])
            if self._positions is not None:
                self._positions.extend(state["mistakes_at"] or ())
        except (KeyError, TypeError, ValueError) as error:
            self.__dict__ = before
            raise (
                error if isinstance(error, OptionError) else OptionError(f"this state is damaged: {error!r}")
            ) from error
        return self

    def _method(self) -> dict[str, Any]:
        """The options that what was learned depends on."""
        stream: Any = self._stream
        return {"mode": self.mode, "C": float(self.C), "ties": self.ties, "bias": stream.bias}

    def __getstate__(self) -> dict[str, Any]:
        options: Any = self.get_params(deep=False)  # type: ignore[no-untyped-call]
        return {"options": options, "state": None if self._stream is None else self.get_state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(**kept["options"])  # type: ignore[misc]
        if kept["state"] is not None:
            self.set_state(kept["state"])
