"""As much of scikit-learn's contract as the command needs, under its names: options, and the number of features.

The command makes its tables itself, so nothing is converted or checked here but the number of features.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, OptionError
from rosenblatt.rows.kernels import Array


class ConvergenceWarning(UserWarning):
    """It ended before it had what was asked for."""


class ClassifierMixin:
    """A classifier."""


class BaseEstimator:
    """Something with options: the parameters of its __init__, kept under their names."""

    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}


def check_is_fitted(estimator: Any, attribute: str) -> None:
    """Refuse what has not learned."""
    if not hasattr(estimator, attribute):
        raise OptionError(f"this {type(estimator).__name__} has not learned yet")


def validate_data(estimator: Any, X: Any, y: Any = None, *, reset: bool = True, **checks: Any) -> Any:
    """X, or X and y, whose number of features is noted, or compared with the one that was noted."""
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != estimator.n_features_in_:
        raise DataError(f"the rule has {estimator.n_features_in_} features, but the rows have {X.shape[1]}")
    return X if y is None else (X, y)


def column_or_1d(y: Any, **how: Any) -> Array:
    """Labels in a row."""
    return np.ravel(y)


def check_classification_targets(y: Array) -> None:
    """The command's labels are numbers of classes."""


def available_if(check: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """A method that is always there."""
    return lambda method: method
