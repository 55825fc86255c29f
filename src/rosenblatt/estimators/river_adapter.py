"""RiverPerceptron: `OnlinePerceptron` for River's pipelines, metrics and evaluators.

River is not needed by anything else here; without it, making a RiverPerceptron says how to install it.
"""

import sys
from functools import cached_property
from importlib import import_module
from math import exp
from typing import Any, Self

from rosenblatt.errors import DataError
from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.online import OnlinePerceptron
from rosenblatt.options import options_of, with_options
from rosenblatt.rules.online_state import StreamOptions

try:
    _Classifier: Any = import_module("river.base").MiniBatchClassifier
except ModuleNotFoundError:
    _Classifier = object


@documented
@with_options
class RiverPerceptron(StreamOptions, _Classifier):  # type: ignore[misc]
    """Linear yes/no rule, learned from a stream of dicts, under River's conventions.

    Other than in River's own linear models, `learn_many` is `learn_one` row after row, to the last bit, and no decision
    depends on the order of the features.

    Attributes
    ----------
    rule : OnlinePerceptron
        What learns, with its counters: `rule.n_mistakes_`, `rule.progressive_error_`, `rule.weights_`.

    Notes
    -----
    A perceptron knows no probabilities. `predict_proba_one` is the logistic function of the score, as of River's own
    perceptron: its order is that of the scores, which is what ROC AUC needs, and it is not calibrated.
    """

    def __new__(cls, **_: Any) -> Self:
        """Say what is missing where River is not installed."""
        if _Classifier is object:
            raise ModuleNotFoundError(f"RiverPerceptron needs River: {sys.executable} -m pip install river")
        return super().__new__(cls)  # type: ignore[no-any-return]

    @cached_property
    def rule(self) -> OnlinePerceptron:
        """What learns, made from the options when it is first used."""
        return OnlinePerceptron(**{name: getattr(self, name) for name in options_of(StreamOptions)})

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from a row, of weight w, and its label."""
        self.rule.learn_one(x, y, None if w == 1.0 else w)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The label of a row."""
        return self.rule.predict_one(x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """A number between 0 and 1 for either label, in the order of the scores."""
        yes = _squashed(self.rule.score_one(x))
        no, positive = self.rule.classes_
        return {no: 1.0 - yes, positive: yes}

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn from the rows of a data frame, one after the other."""
        self.rule.learn_many(X, y, w)

    def predict_many(self, X: Any) -> Any:
        """The labels of the rows of a data frame, as a series."""
        return _like(X).Series(self.rule.predict_many(X), index=X.index)

    def predict_proba_many(self, X: Any) -> Any:
        """`predict_proba_one` of the rows of a data frame, as a frame."""
        yes = [_squashed(score) for score in self.rule.score_many(X).tolist()]
        no, positive = self.rule.classes_
        return _like(X).DataFrame({no: [1.0 - p for p in yes], positive: yes}, index=X.index)

    @property
    def _multiclass(self) -> bool:
        return False


def _like(frame: Any) -> Any:
    """The module that a data frame comes from."""
    if not hasattr(frame, "index"):
        raise DataError(
            "River's blocks are pandas data frames; give others to `rule.learn_many` and `rule.predict_many`"
        )
    return import_module(type(frame).__module__.partition(".")[0])


def _squashed(score: float) -> float:
    """1 / (1 + exp(-score)), without overflow."""
    if score >= 0.0:
        return 1.0 / (1.0 + exp(-score))
    small = exp(max(score, -700.0))
    return small / (1.0 + small)
