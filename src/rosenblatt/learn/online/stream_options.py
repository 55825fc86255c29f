"""The options of a stream: the mode, which says how a row moves the weights, and a comparator to check the bound."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True)
class Mode:
    """What a row asks for: a step of 1 on a mistake, or one of min(most, loss / (||x||^2 + soft)) below margin 1."""

    averaged: bool = False
    by_loss: bool = False
    most: float = np.inf
    soft: float = 0.0


MODES: Mapping[str, Callable[[float], Mode]] = {  # C bounds the steps of PA-I, and softens those of PA-II
    "perceptron": lambda C: Mode(),
    "averaged": lambda C: Mode(averaged=True),
    "PA": lambda C: Mode(by_loss=True),
    "PA-I": lambda C: Mode(by_loss=True, most=float(C)),
    "PA-II": lambda C: Mode(by_loss=True, soft=1 / (2 * C)),
}


def mode_named(name: str, C: float) -> Mode:
    """The mode of this name."""
    options.number("C", C, above=0)
    return MODES[options.one_of("mode", name, MODES)](C)


@dataclass(frozen=True, eq=False)
class Comparator:
    """w* and eps of the mistake bound; w* has its weights in an array, or by the names of features."""

    weights: Array | Mapping[Hashable, float]
    threshold: float
    epsilon: float

    @classmethod
    def of(cls, given: Any, fit_intercept: bool) -> "Comparator":
        """Weights like a rule's: the threshold's last, in a dict under None; left out where there is no threshold."""
        threshold, wanted = 0.0, "(weights, eps): finite weights, not all zero, and a number above 0"
        try:
            weights, epsilon = given
            if isinstance(weights, Mapping):
                weights = {name: float(weight) for name, weight in weights.items()}
                threshold = weights.pop(None, 0.0)
            else:
                weights = np.array(weights, np.float64)
                if fit_intercept:
                    weights, threshold = weights[:-1], float(weights[-1])
            found = cls(weights, threshold, float(epsilon))
            usable = np.isfinite(found.entries).all() and any(found.entries) and 0.0 < found.epsilon < np.inf
        except (TypeError, ValueError, IndexError, OverflowError):
            usable = False
        if not usable:
            raise options.refused("comparator", wanted, given, none=True)
        if threshold and not fit_intercept:
            raise OptionError("the comparator has a weight for the threshold, but fit_intercept is False")
        return found

    @property
    def entries(self) -> list[float]:
        """All weights of w*, the threshold's last."""
        weights = self.weights.values() if isinstance(self.weights, Mapping) else self.weights.tolist()
        return [*weights, self.threshold]
