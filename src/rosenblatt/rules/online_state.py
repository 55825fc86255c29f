"""A stream of rows as far as it is known: its options, its labels, its counters and weights, and how it is kept."""

import sys
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn import choices
from rosenblatt.learn.online import online_kernels
from rosenblatt.learn.online.online import Stream
from rosenblatt.learn.online.stream_options import MODES, Comparator, mode_named
from rosenblatt.options import Number, OneOf, Special, Whole, with_options
from rosenblatt.prove.theory.stream import MistakeBound, mistake_bound
from rosenblatt.rows.examples import shown
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import LONGEST, bias_of
from rosenblatt.rules.option_groups import Positive, Switch
from rosenblatt.rules.rule import Rule
from rosenblatt.vocabulary import TIE_RULES

PROTOCOL = 1
NO, YES = np.array([-1], np.int8), np.array([1], np.int8)  # labels as compiled code takes them


def _are_two(classes: Any) -> bool:
    """Whether these are two labels."""
    try:
        return len(classes) == len(set(classes)) == 2
    except TypeError:
        return False


def _counter(place: int, what: str) -> Any:
    return property(lambda rule: 0 if rule._stream is None else int(rule._stream.counts[place]), doc=what)


@with_options
class StreamOptions:
    """How to learn from a stream."""

    mode: Annotated[
        str,
        OneOf(tuple(MODES)),
        "What is learned from a row: on a mistake, add y x (Rosenblatt 1958); the same, but predict with the average "
        "of the weights after every example (Freund and Schapire 1999); where y (w . x) < 1, make the smallest change "
        "that makes it 1, or a bounded or softened one (passive-aggressive, Crammer et al. 2006).",
    ] = "perceptron"
    C: Annotated[
        Positive,
        "How much a single row may change: the longest step of PA-I, and 1 / (2 C) softens the steps of PA-II.",
    ] = 1.0
    ties: Annotated[
        str,
        OneOf(TIE_RULES),
        "What a score of exactly zero is when learning: always wrong; right for the positive class; right for the "
        'negative; never wrong. It is predicted as the negative class, under "plus" as the positive.',
    ] = "mistake"
    fit_intercept: Annotated[
        Switch, "Whether the rule has a threshold, learned as the weight of a constant feature."
    ] = True
    bias_scale: Annotated[float, Number(above=0, below=LONGEST), "The value of the constant feature."] = 1.0
    classes: Annotated[
        Sequence[Any] | None,
        Special("classes", "pair of labels or None"),
        "The negative and the positive label, any two values. None: False and True, 0 and 1, or -1 and 1, as the first "
        "negative label of the stream tells; before that, predictions are False and True.",
    ] = None


@with_options
class BookOptions:
    """What to keep an account of."""

    comparator: Annotated[
        tuple[Any, float] | None,
        Special("comparator", "(weights, eps) or None"),
        "w* and its margin in the mistake-bound note, for `mistake_bound_`. Weights like `weights_`, the threshold's "
        "last (without fit_intercept: left out), or a dict by the names of features, the threshold's under None.",
    ] = None
    ledger: Annotated[
        int | str | None,
        Whole(1, most=sys.maxsize, words=("all",), none=True),
        "Keep the positions of this many of the last mistakes, or of all, as `mistakes_at_`.",
    ] = None


class OnlineState(StreamOptions, BookOptions, Rule):
    """What a stream knows so far."""

    _stream: Stream | None = None

    def _begin(self) -> Stream:
        """Take over the options."""
        self.check_options()
        mode, ties = mode_named(self.mode, self.C), choices.ties_named(self.ties)
        bias = bias_of(self.fit_intercept, self.bias_scale)
        comparator = None if self.comparator is None else Comparator.of(self.comparator, self.fit_intercept)
        if comparator and mode.by_loss:
            raise OptionError("the mistake bound of a comparator is about the modes 'perceptron' and 'averaged'")
        if self.classes is not None and not _are_two(self.classes):
            raise options.refused("classes", "two labels, the negative and the positive", self.classes, none=True)
        self._positions: deque[int] | None = None
        if self.ledger is not None:
            self._positions = deque(maxlen=None if self.ledger == "all" else int(self.ledger))
        self._labels, self._signs = (False, True), {1: YES}
        if self.classes is not None:
            self._know(*self.classes)
        self._zero_is_yes = choices.sign_at_zero(ties) > 0
        self._stream = Stream(mode, ties, bias, comparator)
        return self._stream

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

    def _place(self) -> str:
        stream: Any = self._stream
        return str(stream.place(True))

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
        return {"options": self.options(), "state": None if self._stream is None else self.get_state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(**kept["options"])  # type: ignore[misc]
        if kept["state"] is not None:
            self.set_state(kept["state"])
