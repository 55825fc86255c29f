"""Turns rules into records of plain lists, numbers and texts, and back.

A record also describes the rule's conventions in words. They are checked when it is read, so a file cannot say one
thing and do another.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt import registry
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.learn.online.online import COUNTS
from rosenblatt.rows.cone import NAME as MONOTONIC
from rosenblatt.rows.cone import Cone
from rosenblatt.rules.online import OnlineRule
from rosenblatt.rules.online_state import PROTOCOL
from rosenblatt.rules.schemes import JOINT, ONE_VS_REST, rules_of
from rosenblatt.ship.file.codecs import (
    BIAS,
    COUNT,
    FLAG,
    LABEL,
    LABELS,
    NO_SHAPE,
    PLACE,
    SIZE,
    TEXT,
    VECTOR,
    WHOLES,
    Codec,
    Shape,
    fields,
    listed,
    or_null,
    scalar,
)
from rosenblatt.ship.file.options import MULTI_CLASS, kinds_kept, options_written, scheme_meant, with_younger
from rosenblatt.ship.file.schemas import kept_by
from rosenblatt.visible import brief

AS_IS = Codec(lambda value: value, lambda value, where, shape: value)  # checked later
PARTS: Mapping[str, Codec] = {
    "estimator": TEXT,
    "conventions": AS_IS,
    "classes": LABELS,
    "features": scalar(int, low=0, high=2**31),
    "feature_names": or_null(listed(LABEL)),
    "parameters": AS_IS,
    "settled": AS_IS,
    "learned": AS_IS,
}


def written(rule: Any) -> dict[str, Any]:
    """The record of a rule."""
    if (entry := registry.entry_of(rule)) is None:
        name = type(rule).__name__
        inside = "; save its `rule` instead" if name == "RiverPerceptron" else ""
        raise ModelError(f"a model file holds the estimators {', '.join(registry.NAMED)}, not {name}{inside}")
    if not rule.is_fitted:
        raise ModelError(f"this {rule.name} is not fitted yet: call fit first")
    if entry.name == OnlineRule.name:
        return _online_written(rule)
    table = kept_by(rule.keeps)
    names, classes = getattr(rule, "feature_names_in_", None), LABELS.write(rule.classes_)
    LABELS.read(classes, "classes", NO_SHAPE)  # refuses labels that JSON cannot hold
    return {
        "estimator": rule.name,
        "conventions": rule.conventions(),
        "classes": classes,
        "features": int(rule.n_features_in_),
        "feature_names": None if names is None else [str(feature) for feature in names],
        "parameters": options_written(rule),
        "settled": {key: field.kind.write(field.get(rule)) for key, field in table.settled.items()},
        "learned": {key: field.kind.write(field.get(rule)) for key, field in table.learned.items()},
    }


def restored(record: Mapping[str, Any]) -> Any:
    """The rule from its record."""
    given = fields(dict(record), "the model", PARTS, NO_SHAPE)
    name = given["estimator"]
    if name not in registry.NAMED:
        raise ModelError(f"unknown estimator {brief(name)}; this version has {', '.join(registry.NAMED)}")
    rule = _online_restored(given) if name == OnlineRule.name else _restored(given)
    if given["conventions"] != rule.conventions():
        raise ModelError("the conventions do not match the settings of the rule")
    return rule


def _restored(given: Mapping[str, Any]) -> Any:
    name, classes, names = given["estimator"], given["classes"], given["feature_names"]
    made, parameter_kinds, labels = registry.NAMED[name].rule, kinds_kept(name), classes.tolist()
    table = kept_by(made.keeps)
    try:
        rising = all(a < b for a, b in pairwise(labels))
    except TypeError:
        rising = False
    if len(labels) < 2 or not rising:
        raise ModelError("classes must be two or more different labels, in order")
    if names is not None and (len(names) != given["features"] or not all(type(feature) is str for feature in names)):
        raise ModelError(f"feature_names must be {given['features']} texts")
    kinds = {key: field.kind for key, field in table.settled.items()}
    parameters = with_younger(name, given["parameters"])
    if MULTI_CLASS in parameter_kinds and type(parameters) is dict and MULTI_CLASS not in parameters:
        parameters = {**parameters, MULTI_CLASS: scheme_meant(len(labels))}
    free = MONOTONIC in parameter_kinds and type(parameters) is dict and MONOTONIC not in parameters
    kinds_given = {name: kind for name, kind in parameter_kinds.items() if name != MONOTONIC or not free}
    own = getattr(made, MULTI_CLASS, ONE_VS_REST)
    scheme = parameters.get(MULTI_CLASS, own) if type(parameters) is dict and len(labels) > 2 else None
    settled = fields(given["settled"], "settled", kinds, NO_SHAPE)
    shape = Shape(rules_of(len(labels), scheme), given["features"], settled.get("bias", 0.0), scheme == JOINT)
    options = fields(parameters, "parameters", kinds_given, shape)
    learned = fields(given["learned"], "learned", {key: field.kind for key, field in table.learned.items()}, shape)
    rule = made(**options)
    if MULTI_CLASS in options:  # older files lack it and keep the class's default, one-vs-rest
        rule._multi_class = options[MULTI_CLASS]
    rule.classes_, rule.n_features_in_ = classes, given["features"]
    if MONOTONIC in options:
        rule._cone = Cone.of(options[MONOTONIC])
    if names is not None:
        rule.feature_names_in_ = np.array(names, object)
    for values, fields_of in ((settled, table.settled), (learned, table.learned)):
        for key, field in fields_of.items():
            field.put(rule, values[key])
    if rule.cone and (len(labels) > 2 or (rule.cone.signs(shape.size) * rule.weights_ < 0.0).any()):
        raise ModelError("the weights break the rule's own constraints on their signs")
    if table.finish is not None:
        table.finish(rule, shape, learned)
    if rule.uses_other_columns:
        raise ModelError("the weights use columns that the rule may not use")
    return rule


# -- OnlinePerceptron ------------------------------------------------------------------------------------------

LEARNED = {
    "knows_labels": FLAG,
    "width": or_null(COUNT),
    "weights": VECTOR,
    "sums": or_null(VECTOR),
    "counts": Codec(
        dict,
        lambda value, where, shape: fields(
            value, where, {name: PLACE if name == "broken_at" else COUNT for name in COUNTS}, shape
        ),
    ),
    "radius": SIZE,
    "mistakes_at": or_null(WHOLES),
}


def _online_written(rule: OnlineRule) -> dict[str, Any]:
    state = rule.get_state()
    weights, sums = [*state["weights"], None][:2]
    labels = np.empty(2, object)
    labels[:] = state["labels"]
    names = rule.feature_names_
    learned = {"knows_labels": state["settled"], "width": state["width"], "weights": weights, "sums": sums}
    return {
        "estimator": rule.name,
        "conventions": rule.conventions(),
        "classes": LABELS.write(labels),
        "features": rule.n_features_in_,
        "feature_names": None if names is None else [LABEL.write(name) for name in names],
        "parameters": options_written(rule),
        "settled": {"bias": state["method"]["bias"], "zero_is_yes": rule._zero_is_yes},
        "learned": learned | {key: state[key] for key in ("counts", "radius", "mistakes_at")},
    }


def _online_restored(given: Mapping[str, Any]) -> OnlineRule:
    labels, names = given["classes"].tolist(), given["feature_names"]
    settled = fields(given["settled"], "settled", {"bias": BIAS, "zero_is_yes": FLAG}, NO_SHAPE)
    shape = Shape(1, given["features"], settled["bias"])
    learned = fields(given["learned"], "learned", LEARNED, shape)
    if names is not None and (len(names) != shape.features or len(set(names)) != shape.features):
        raise ModelError(f"feature_names must be {shape.features} different names")
    if learned["width"] not in (None, shape.features if names is None else None):
        raise ModelError(f"the width must be null or the number of features, not {learned['width']}")
    rule = OnlineRule(**fields(given["parameters"], "parameters", kinds_kept(OnlineRule.name), shape))
    state = {
        "protocol": PROTOCOL,
        "method": {"mode": rule.mode, "C": float(rule.C), "ties": rule.ties, "bias": settled["bias"]},
        "labels": labels,
        "settled": learned["knows_labels"],
        "weights": [learned[key] for key in ("weights", "sums") if learned[key] is not None],
        **{key: learned[key] for key in ("width", "counts", "radius")},
        "features": shape.features if names is None else names,
        "mistakes_at": None if learned["mistakes_at"] is None else learned["mistakes_at"].tolist(),
    }
    try:
        again = rule.set_state(state).get_state()
    except RosenblattError as error:
        raise ModelError(f"the state does not fit the options: {error}") from None
    if (
        list(map(type, again["labels"])) != list(map(type, labels))
        or again["labels"] != labels
        or again["mistakes_at"] != state["mistakes_at"]
        or rule._zero_is_yes != settled["zero_is_yes"]
    ):
        raise ModelError("the labels, the ties or the kept mistakes do not fit the options")
    return rule
