"""The options that every estimator was made with, and their kinds and ranges in a model file.

What cannot be written down, a function as kernel or a random generator under way, is refused by name.
"""

from collections.abc import Mapping
from math import nextafter
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.learn import choices
from rosenblatt.learn.dual.dual import ORDERS
from rosenblatt.learn.dual.gram import OF_PAIRS, OF_PRODUCTS, PRECOMPUTED, SCALE
from rosenblatt.learn.passes.aggressive import Variant
from rosenblatt.learn.tree import tree_options
from rosenblatt.rows.storage import LONGEST
from rosenblatt.rules.lifted import BEST
from rosenblatt.rules.pocket import DESCENT
from rosenblatt.rules.schemes import JOINT, ONE_VS_REST, SCHEMES
from rosenblatt.rules.tree import BY_CROSS_VALIDATION
from rosenblatt.rules.voted import VOTES
from rosenblatt.ship.file.codecs import (
    COUNTABLE,
    FLAG,
    LABEL,
    LARGEST,
    NOWHERE,
    NUMBER,
    REAL,
    TEXT,
    TINY,
    Kind,
    Shape,
    at_least,
    choice,
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
TEXT_OR_NONE = scalar(str, NONE)
NAME = scalar(bool, int, float, str, NONE)
SEED = scalar(int, NONE, low=0)


def above(low: float, *words: str, high: float = LARGEST) -> Kind:
    """A number of at least `low`, or one of some words."""
    number, word = scalar(int, float, low=low, high=high), choice(*words)

    def read(value: Any, where: str, shape: Shape) -> Any:
        return (word if words and type(value) is str else number).read(value, where, shape)

    return Kind(plain, read)


def whole(low: int, *words: str, high: float = COUNTABLE) -> Kind:
    """A whole number of at least `low`, which may be written as a float, or one of some words."""
    wanted = f"a whole number{at_least(low)}" + "".join(f" or {word!r}" for word in words)

    def read(value: Any, where: str, shape: Shape) -> Any:
        if value in words or (type(value) in (int, float) and low <= value <= high and value == int(value)):
            return value
        raise refusal(where, wanted, value)

    return Kind(plain, read)


def _flag_or_auto_read(value: Any, where: str, shape: Shape) -> Any:
    return (choice("auto") if type(value) is str else FLAG).read(value, where, shape)


FLAG_OR_AUTO = Kind(plain, _flag_or_auto_read)
COUNT = or_null(whole(1))  # None: no limit
SECONDS = or_null(above(TINY))
POSITIVE, FROM_ZERO = above(TINY), above(0)
BIAS_SCALE = above(TINY, "auto", high=nextafter(LONGEST, 0.0))
TIES = choice(*choices.TIES)


def _start_written(start: Any) -> Any:
    return start if isinstance(start, str) else np.asarray(start, np.float64).tolist()


def _start_read(value: Any, where: str, shape: Shape) -> Any:
    if type(value) is str:
        return choice("zeros", "first", "random").read(value, where, shape)
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

MULTI_CLASS = "multi_class"
_SCHEME = {MULTI_CLASS: choice(*SCHEMES)}
_RULE = {"fit_intercept": FLAG, "bias_scale": BIAS_SCALE, "normalize": FLAG}
_PASSES = {
    "max_passes": COUNT,
    "shuffle": FLAG_OR_AUTO,
    "start": START,
    **_RULE,
    "class_weight": CLASS_WEIGHT,
    "random_state": SEED,
    "verbose": FLAG,
}

PARAMETERS: Mapping[str, Mapping[str, Kind]] = {
    "Perceptron": {
        "order": choice(*choices.Order),
        "ties": TIES,
        "start": START,
        **_RULE,
        "max_passes": or_null(whole(1, "auto")),
        "max_updates": or_null(whole(1, "bound")),
        "max_seconds": SECONDS,
        "margin": SECONDS,
        "patience": COUNT,
        **_SCHEME,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "PocketPerceptron": {
        "improve": or_null(choice(DESCENT)),
        "ratchet": FLAG,
        "margin": FROM_ZERO,
        "ties": TIES,
        "start": START,
        **_RULE,
        "max_updates": or_null(whole(1, "auto")),
        "max_passes": COUNT,
        "max_seconds": SECONDS,
        "patience": COUNT,
        **_SCHEME,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "LiftedPerceptron": {
        "a": above(TINY, BEST, high=nextafter(1.0, 0.0)),
        **_RULE,
        "max_passes": COUNT,
        "max_updates": COUNT,
        "max_seconds": SECONDS,
        "class_weight": CLASS_WEIGHT,
        "verbose": FLAG,
    },
    "AveragedPerceptron": {"ties": TIES, **_SCHEME, **_PASSES},
    "VotedPerceptron": {"vote": choice(*VOTES), "ties": TIES, **_PASSES},
    "MarginPerceptron": {"beta": FROM_ZERO, "max_updates": COUNT, "max_seconds": SECONDS, **_PASSES},
    "PassiveAggressive": {"variant": choice(*Variant), "C": POSITIVE, "average": FLAG, **_PASSES},
    "KernelPerceptron": {
        "kernel": choice(*OF_PRODUCTS, *OF_PAIRS, PRECOMPUTED),
        "gamma": or_null(above(TINY, SCALE)),
        "degree": NUMBER,
        "coef0": NUMBER,
        "order": choice(*ORDERS),
        "budget": COUNT,
        "average": FLAG,
        "fit_intercept": FLAG,
        "bias_scale": BIAS_SCALE,
        "max_passes": COUNT,
        "max_updates": COUNT,
        "max_seconds": SECONDS,
        "cache_mb": POSITIVE,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "PerceptronTree": {
        "test": choice(*tree_options.TESTS),
        "criterion": choice(*tree_options.CRITERIA),
        "leaves": choice(*tree_options.LEAVES),
        "categories": choice(*tree_options.CATEGORIES),
        "max_depth": or_null(whole(0)),
        "min_leaf": POSITIVE,
        "min_gain": FROM_ZERO,
        "max_columns": or_null(whole(2)),
        "spare": FROM_ZERO,
        "simpler": FROM_ZERO,
        "prune": or_null(above(0, *BY_CROSS_VALIDATION)),
        "folds": whole(2),
        "categorical_features": COLUMNS,
        "class_weight": CLASS_WEIGHT,
        "random_state": SEED,
        "verbose": FLAG,
    },
    "OnlinePerceptron": {
        "mode": TEXT,
        "C": POSITIVE,
        "ties": TIES,
        "fit_intercept": FLAG,
        "bias_scale": BIAS_SCALE,
        "classes": CLASSES,
        "comparator": COMPARATOR,
        "ledger": or_null(whole(1, "all")),
    },
}


def scheme_meant(classes: int) -> str:
    """How classes were learned where a file does not say: it is older than the choice, or has only two."""
    return JOINT if classes == 2 else ONE_VS_REST


def options_written(rule: Any) -> dict[str, Any]:
    """The options of a rule, each checked to come back."""
    given, found = rule.options(), {}
    scheme, classes = given.get(MULTI_CLASS), rule.classes_
    if scheme is not None and len(classes) > 2 and scheme != rule._scheme:
        raise ModelError(f"multi_class was changed to {scheme!r} after learning with {rule._scheme!r}: fit again")
    for name, kind in PARAMETERS[rule.name].items():
        where = f"a model file cannot hold the option {name}: it"
        try:
            found[name] = kind.write(given[name])
        except (TypeError, ValueError):
            raise refusal(where, "made of numbers and texts", given[name]) from None
        kind.read(found[name], where, NOWHERE)
    if scheme == scheme_meant(len(classes)):
        found.pop(MULTI_CLASS, None)
    return found
