"""How a model file stores the options of a rule.

Options that cannot be written, such as a kernel function or a random generator, are refused by name.
"""

from collections.abc import Mapping
from functools import cache
from math import inf, nextafter
from typing import Any

import numpy as np

from rosenblatt import options, registry
from rosenblatt.errors import ModelError
from rosenblatt.learn.dual.gram import OF_PAIRS, OF_PRODUCTS, PRECOMPUTED
from rosenblatt.rows.cone import NAME as MONOTONIC
from rosenblatt.rows.cone import Cone
from rosenblatt.rules.schemes import JOINT, ONE_VS_REST
from rosenblatt.ship.file.codecs import (
    COUNTABLE,
    FLAG,
    LABEL,
    LARGEST,
    NO_SHAPE,
    NUMBER,
    REAL,
    TINY,
    WHOLES,
    Codec,
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
from rosenblatt.vocabulary import STARTS

NONE = type(None)
TEXT_OR_NONE = scalar(str, NONE)
NAME = scalar(bool, int, float, str, NONE)


def above(low: float, *words: str, high: float = LARGEST) -> Codec:
    """A number of at least `low`, or one of some words."""
    number, word = scalar(int, float, low=low, high=high), choice(*words)

    def read(value: Any, where: str, shape: Shape) -> Any:
        return (word if words and type(value) is str else number).read(value, where, shape)

    return Codec(plain, read)


def whole(low: int, *words: str, high: float = COUNTABLE) -> Codec:
    """A whole number of at least `low`, which may be written as a float, or one of some words."""
    wanted = f"a whole number{at_least(low)}" + "".join(f" or {word!r}" for word in words)

    def read(value: Any, where: str, shape: Shape) -> Any:
        if value in words or (type(value) in (int, float) and low <= value <= high and value == int(value)):
            return value
        raise refusal(where, wanted, value)

    return Codec(plain, read)


def flag(*words: str) -> Codec:
    """True or false, or one of some words."""

    def read(value: Any, where: str, shape: Shape) -> Any:
        return (choice(*words) if type(value) is str else FLAG).read(value, where, shape)

    return Codec(plain, read)


def _start_written(start: Any) -> Any:
    return start if isinstance(start, str) else np.asarray(start, np.float64).tolist()


def _start_read(value: Any, where: str, shape: Shape) -> Any:
    if type(value) is str:
        return choice(*STARTS).read(value, where, shape)
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


def _pairs_read(value: Any, where: str, shape: Shape, name: Codec, number: Codec) -> dict[Any, Any]:
    """A dict, written as a list of names and numbers."""
    found = {}
    for k, pair in enumerate(items(value, where)):
        given = items(pair, f"{where}[{k}]", 2)
        found[name.read(given[0], f"{where}[{k}][0]", shape)] = number.read(given[1], f"{where}[{k}][1]", shape)
    if len(found) < len(value):
        raise ModelError(f"{where} has a duplicate name")
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
    anything = Codec(plain, lambda given, place, about: given)
    given = fields(value, where, {"weights": anything, "epsilon": REAL, "named": FLAG}, shape)
    if given["named"]:
        weights: Any = _pairs_read(given["weights"], f"{where}.weights", shape, NAME, REAL)
    else:
        weights = reals(given["weights"], f"{where}.weights")
    return weights, given["epsilon"]


def _names_written(names: Any) -> Any:
    return names if isinstance(names, str) else list(names)


def _names_read(value: Any, where: str, shape: Shape) -> Any:
    return listed(NAME).read(value, where, shape) if type(value) is list else scalar(str).read(value, where, shape)


def _columns_written(chosen: Any) -> Any:
    return chosen if chosen is None or isinstance(chosen, str) else np.asarray(chosen).tolist()


def _columns_read(value: Any, where: str, shape: Shape) -> Any:
    return listed(LABEL).read(value, where, shape) if type(value) is list else TEXT_OR_NONE.read(value, where, shape)


def _signs_written(signs: Any) -> Any:
    """Constraints as the features that may not fall, and those that may not rise."""
    return {name: list(features) for name, features in Cone.of(signs).fields.items()}


def _signs_read(value: Any, where: str, shape: Shape) -> Any:
    given = fields(value, where, {"increasing": WHOLES, "decreasing": WHOLES}, shape)
    found = {name: given[name].tolist() for name in given}
    several = [*found["increasing"], *found["decreasing"]]
    if not several or len(set(several)) < len(several):
        raise ModelError(f"{where} must name features, each once")
    if shape is NO_SHAPE:
        return value
    if max(several) >= shape.features:
        raise ModelError(f"{where} names feature {max(several)}, but the rule has {shape.features}")
    return Cone(**{name: tuple(part) for name, part in found.items()}).signs(shape.features).tolist()


def _groups_written(groups: Any) -> Any:
    return None if groups is None else [name if type(name) is str else int(name) for name in groups]


def _groups_read(value: Any, where: str, shape: Shape) -> Any:
    if value is None:
        return None
    found = listed(scalar(int, str)).read(value, where, shape)
    if shape is not NO_SHAPE and len(found) != shape.features:
        raise ModelError(f"{where} must have {shape.features} names, not {len(found)}")
    return found


MULTI_CLASS = "multi_class"
YOUNGER = {
    "PerceptronCV": ("max_seconds", "most_columns", "feature_groups")
}  # options that older files lack; left out of others too where None
SPECIAL: Mapping[str, Codec] = {
    "start": Codec(_start_written, _start_read),
    "class_weight": Codec(_class_weight_written, _class_weight_read),
    "random_state": scalar(int, NONE, low=0),
    "cv": whole(2),
    "families": Codec(_names_written, _names_read),
    "kernel": choice(*OF_PRODUCTS, *OF_PAIRS, PRECOMPUTED),
    "categorical_features": Codec(_columns_written, _columns_read),
    "classes": Codec(_classes_written, _classes_read),
    "comparator": Codec(_comparator_written, _comparator_read),
    "feature_groups": Codec(_groups_written, _groups_read),
    MONOTONIC: Codec(_signs_written, _signs_read),
}


def _kept(kind: options.Kind) -> Codec:
    """The codec for an option of this kind."""
    match kind:
        case options.Flag():
            found = flag(*kind.words) if kind.words else FLAG
        case options.OneOf():
            found = choice(*kind.words)
        case options.Whole():
            found = whole(kind.least, *kind.words, high=min(kind.most, COUNTABLE))
        case options.Number():
            low = TINY if kind.above == 0 else max(kind.least, kind.above, -LARGEST)
            found = above(low, *kind.words, high=LARGEST if kind.below == inf else nextafter(kind.below, 0.0))
        case options.Special():
            return SPECIAL[kind.what]
    return or_null(found) if getattr(kind, "none", False) else found


@cache
def kinds_kept(estimator: str) -> Mapping[str, Codec]:
    """The codec for each option of the estimator with this name."""
    return {name: _kept(kind) for name, kind in options.kinds_of(registry.NAMED[estimator].rule).items()}


def scheme_meant(classes: int) -> str:
    """The class scheme of a file that does not name one: it is older than the option, or has only two classes."""
    return JOINT if classes == 2 else ONE_VS_REST


def options_written(rule: Any) -> dict[str, Any]:
    """The options of a rule, each checked to be readable again."""
    given, found = rule.options(), {}
    if rule.cone:  # by the numbers of the features, however they were named
        given[MONOTONIC] = rule.cone.signs(rule.n_features_in_)
    scheme, classes = given.get(MULTI_CLASS), rule.classes_
    if scheme is not None and len(classes) > 2 and scheme != rule._scheme:
        raise ModelError(f"multi_class was changed to {scheme!r} after learning with {rule._scheme!r}: fit again")
    for name, kind in kinds_kept(rule.name).items():
        if name == MONOTONIC and not rule.cone:  # as in files of before
            continue
        where = f"a model file cannot hold the option {name}: it"
        try:
            found[name] = kind.write(given[name])
        except (TypeError, ValueError):
            raise refusal(where, "numbers and texts", given[name]) from None
        kind.read(found[name], where, NO_SHAPE)
    if scheme == scheme_meant(len(classes)):
        found.pop(MULTI_CLASS, None)
    for name in YOUNGER.get(rule.name, ()):
        if found[name] is None:
            del found[name]
    return found


def with_younger(rule: str, given: Any) -> Any:
    """The options of a rule from a file, with those that it leaves out."""
    return dict.fromkeys(YOUNGER.get(rule, ())) | given if type(given) is dict else given
