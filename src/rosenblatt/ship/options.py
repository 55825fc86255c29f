"""The options that every estimator was made with, and their kinds in a model file.

What cannot be written down, a function as kernel or a random generator under way, is refused by name.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.ship.values import (
    FLAG,
    LABEL,
    NUMBER,
    REAL,
    TEXT,
    Kind,
    Shape,
    fields,
    items,
    listed,
    or_null,
    plain,
    reals,
    refusal,
    scalar,
)

NONE = type(None)
OPTIONAL = or_null(NUMBER)
TEXT_OR_NONE = scalar(str, NONE)
NUMBER_OR_TEXT = scalar(int, float, str)
LIMIT = scalar(int, float, str, NONE)  # a number, a word such as "auto", or none
NAME = scalar(bool, int, float, str, NONE)
SEED = scalar(int, NONE, low=0)


def _start_written(start: Any) -> Any:
    return start if isinstance(start, str) else np.asarray(start, np.float64).tolist()


def _start_read(value: Any, where: str, shape: Shape) -> Any:
    if type(value) is str:
        return value
    if not any(type(row) is list for row in items(value, where)):
        return reals(value, where)
    width = len(items(value[0], f"{where}[0]"))
    return np.stack([reals(row, f"{where}[{k}]", width) for k, row in enumerate(value)])


def _class_weight_written(given: Any) -> Any:
    return [[plain(label), plain(factor)] for label, factor in given.items()] if isinstance(given, Mapping) else given


def _class_weight_read(value: Any, where: str, shape: Shape) -> Any:
    if type(value) is not list:
        return TEXT_OR_NONE.read(value, where, shape)
    return _pairs_read(value, where, shape, LABEL, NUMBER)


def _pairs_read(value: Any, where: str, shape: Shape, name: Kind, number: Kind) -> dict[Any, Any]:
    """A dict, written as a list of names and numbers."""
    found = {}
    for k, pair in enumerate(items(value, where)):
        given = items(pair, f"{where}[{k}]", 2)
        found[name.read(given[0], f"{where}[{k}][0]", shape)] = number.read(given[1], f"{where}[{k}][1]", shape)
    if len(found) < len(value):
        raise ModelError(f"{where} has a name twice")
    return found


def _classes_written(classes: Any) -> Any:
    return None if classes is None else [plain(label) for label in classes]


def _classes_read(value: Any, where: str, shape: Shape) -> Any:
    return None if value is None else tuple(listed(LABEL).read(items(value, where, 2), where, shape))


def _comparator_written(given: Any) -> Any:
    if given is None:
        return None
    weights, epsilon = given
    if isinstance(weights, Mapping):
        written: Any = [[plain(name), float(weight)] for name, weight in weights.items()]
    else:
        written = np.asarray(weights, np.float64).tolist()
    return {"weights": written, "epsilon": float(epsilon), "named": isinstance(weights, Mapping)}


def _comparator_read(value: Any, where: str, shape: Shape) -> Any:
    if value is None:
        return None
    anything = Kind(plain, lambda given, place, about: given)
    given = fields(value, where, {"weights": anything, "epsilon": REAL, "named": FLAG}, shape)
    if given["named"]:
        weights: Any = _pairs_read(given["weights"], f"{where}.weights", shape, NAME, REAL)
    else:
        weights = reals(given["weights"], f"{where}.weights")
    return weights, given["epsilon"]


def _columns_written(chosen: Any) -> Any:
    return chosen if chosen is None or isinstance(chosen, str) else np.asarray(chosen).tolist()


def _columns_read(value: Any, where: str, shape: Shape) -> Any:
    return listed(LABEL).read(value, where, shape) if type(value) is list else TEXT_OR_NONE.read(value, where, shape)


START = Kind(_start_written, _start_read)
CLASS_WEIGHT = Kind(_class_weight_written, _class_weight_read)
CLASSES = Kind(_classes_written, _classes_read)
COMPARATOR = Kind(_comparator_written, _comparator_read)
COLUMNS = Kind(_columns_written, _columns_read)

_RULE = {"fit_intercept": FLAG, "bias_scale": NUMBER_OR_TEXT, "normalize": FLAG}
_PASSES = {
    "max_passes": OPTIONAL,
    "shuffle": FLAG,
    "start": START,
    **_RULE,
    "class_weight": CLASS_WEIGHT,
    "random_state": SEED,
    "verbose": FLAG,
}

PARAMETERS: Mapping[str, Mapping[str, Kind]] = {
    "Perceptron": {
        "order": TEXT,
        "ties": TEXT,
        "start": START,
        **_RULE,
        "max_passes": OPTIONAL,
        "max_updates": LIMIT,
        "max_seconds": OPTIONAL,
        "margin": OPTIONAL,
        "patience": OPTIONAL,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "PocketPerceptron": {
        "improve": TEXT_OR_NONE,
        "ratchet": FLAG,
        "margin": NUMBER,
        "ties": TEXT,
        "start": START,
        **_RULE,
        "max_updates": LIMIT,
        "max_passes": OPTIONAL,
        "max_seconds": OPTIONAL,
        "patience": NUMBER,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "LiftedPerceptron": {
        "a": NUMBER_OR_TEXT,
        **_RULE,
        "max_passes": OPTIONAL,
        "max_updates": OPTIONAL,
        "max_seconds": OPTIONAL,
        "class_weight": CLASS_WEIGHT,
        "verbose": FLAG,
    },
    "AveragedPerceptron": {"ties": TEXT, **_PASSES},
    "VotedPerceptron": {"vote": TEXT, "ties": TEXT, **_PASSES},
    "MarginPerceptron": {"beta": NUMBER, "max_updates": OPTIONAL, "max_seconds": OPTIONAL, **_PASSES},
    "PassiveAggressive": {"variant": TEXT, "C": NUMBER, "average": FLAG, **_PASSES},
    "KernelPerceptron": {
        "kernel": TEXT,
        "gamma": LIMIT,
        "degree": NUMBER,
        "coef0": NUMBER,
        "order": TEXT,
        "budget": OPTIONAL,
        "average": FLAG,
        "fit_intercept": FLAG,
        "bias_scale": NUMBER_OR_TEXT,
        "max_passes": OPTIONAL,
        "max_updates": OPTIONAL,
        "max_seconds": OPTIONAL,
        "cache_mb": NUMBER,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "PerceptronTree": {
        "test": TEXT,
        "criterion": TEXT,
        "leaves": TEXT,
        "categories": TEXT,
        "max_depth": OPTIONAL,
        "min_leaf": NUMBER,
        "min_gain": NUMBER,
        "max_columns": OPTIONAL,
        "spare": NUMBER,
        "simpler": NUMBER,
        "prune": LIMIT,
        "folds": NUMBER,
        "categorical_features": COLUMNS,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "OnlinePerceptron": {
        "mode": TEXT,
        "C": NUMBER,
        "ties": TEXT,
        "fit_intercept": FLAG,
        "bias_scale": NUMBER,
        "classes": CLASSES,
        "comparator": COMPARATOR,
        "ledger": LIMIT,
    },
}


def options_written(estimator: Any) -> dict[str, Any]:
    """The options of an estimator, each checked to come back."""
    given, found = estimator.get_params(deep=False), {}
    for name, kind in PARAMETERS[type(estimator).__name__].items():
        where = f"a model file cannot hold the option {name}: it"
        try:
            found[name] = kind.write(given[name])
        except (TypeError, ValueError):
            raise refusal(where, "made of numbers and texts", given[name]) from None
        kind.read(found[name], where, Shape(0, 0, 0.0))
    return found
