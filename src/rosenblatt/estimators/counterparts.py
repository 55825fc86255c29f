"""What options of scikit-learn's linear models, kernels and trees are called here, for whoever comes from there."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

CORES = "all cores are used, and what is learned does not depend on how many; ROSENBLATT_THREADS limits them"
SOON = "learning stops by itself, and stop_reason_ says why"
STEPS = "the size of a step changes no decision: every weight of a run from zeros is multiplied by it"
COUNTERPARTS: dict[str, tuple[str, str]] = {  # the option that does the same, if there is one, and what else to say
    "max_iter": ("max_passes", ""),
    "eta0": ("", STEPS),
    "learning_rate": ("", STEPS),
    "penalty": ("", "weights are not penalised here; AveragedPerceptron is the rule that does well on new rows"),
    "alpha": ("", "weights are not penalised here; AveragedPerceptron is the rule that does well on new rows"),
    "l1_ratio": ("", "weights are not penalised here; AveragedPerceptron is the rule that does well on new rows"),
    "C": ("", "only PassiveAggressive and OnlinePerceptron have it"),
    "tol": ("", SOON),
    "early_stopping": ("", SOON),
    "validation_fraction": ("", SOON),
    "n_iter_no_change": ("patience", SOON),
    "n_jobs": ("", CORES),
    "warm_start": ("start", "give the weights to begin with, or call partial_fit"),
    "shuffle": ("order", "'random' draws the rows at random"),
    "average": ("", "AveragedPerceptron is the mean of all weights"),
    "intercept_scaling": ("bias_scale", ""),
    "cache_size": ("cache_mb", ""),
    "min_samples_leaf": ("min_leaf", ""),
    "min_weight_fraction_leaf": ("min_leaf", "a weight, not a share of it"),
    "min_impurity_decrease": ("min_gain", ""),
    "max_features": ("max_columns", "the most features of one test"),
    "ccp_alpha": ("prune", "the price of a leaf"),
}


class NamesCounterparts:
    """An estimator that says what an option of scikit-learn is called here, where it has no option of that name."""

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if "__init__" in vars(cls):
            cls.__init__ = _telling(cls.__init__)  # type: ignore[method-assign]

    def set_params(self, **params: Any) -> Any:
        """Set options by name, as everywhere in scikit-learn."""
        known = signature(type(self).__init__).parameters
        for name in params:
            if name in COUNTERPARTS and name not in known:
                raise ValueError(refusal(type(self).__name__, name, known))
        return super().set_params(**params)  # type: ignore[misc]


def _telling(init: Callable[..., None]) -> Callable[..., None]:
    known = signature(init).parameters

    @wraps(init)
    def told(self: Any, *values: Any, **options: Any) -> None:
        for name in options:
            if name in COUNTERPARTS and name not in known:
                raise TypeError(refusal(type(self).__name__, name, known))
        init(self, *values, **options)

    return told


def refusal(estimator: str, name: str, known: Any) -> str:
    """That an estimator has no such option, and what to use instead."""
    ours, more = COUNTERPARTS[name]
    told = [f"use {ours}" if ours in known else "", more]
    return f"{estimator} has no option {name!r}: {'; '.join(part for part in told if part) or SOON}"
