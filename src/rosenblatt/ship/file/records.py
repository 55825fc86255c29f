"""Estimators as records of plain lists, numbers and texts, and back.

A record says what the rule is in words, too. Those are checked when it is read: a file cannot say one thing and do
another.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.estimators.linear import JOINT, ONE_VS_ONE, ONE_VS_REST, pairs_of
from rosenblatt.estimators.online import PROTOCOL, OnlinePerceptron
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.online.online import COUNTS
from rosenblatt.ship.file.canonical import brief
from rosenblatt.ship.file.codecs import (
    BIAS,
    COUNT,
    FLAG,
    LABEL,
    LABELS,
    NOWHERE,
    PLACE,
    SIZE,
    TEXT,
    VECTOR,
    WHOLES,
    Kind,
    Shape,
    fields,
    listed,
    or_null,
    scalar,
)
from rosenblatt.ship.file.options import MULTI_CLASS, PARAMETERS, options_written, scheme_meant
from rosenblatt.ship.file.schemas import TABLES

AS_IS = Kind(lambda value: value, lambda value, where, shape: value)  # read later
PARTS: Mapping[str, Kind] = {
    "estimator": TEXT,
    "conventions": AS_IS,
    "classes": LABELS,
    "features": scalar(int, low=0, high=2**31),
    "feature_names": or_null(listed(LABEL)),
    "parameters": AS_IS,
    "settled": AS_IS,
    "learned": AS_IS,
}
UNIT_ROWS = "the features of a row are divided by their length first; a row of zeros stays"
SUM = "the sum of every weight times its feature, plus the last weight times the bias"
AVERAGE = f"{SUM}; a weight is the one given less its sum divided by the examples seen"
VOTE = (
    "the share of the looks whose weights say yes less the share of those that say no; a score of exactly 0 of one of "
    "them says {zero}"
)
KERNEL = (
    "the sum over the support rows of their amount, or where average is true of its mean over all looks, times the "
    "kernel of both rows plus the square of the bias"
)

TREE = {
    "score": "the share of a class in the counts of the leaf that a row ends in, or of its side of the leaf's rule",
    "branches": "a number, or the sum of a perceptron's terms added up from left to right, of at most the threshold "
    "goes to the first child, a greater one to the second; a category goes to the child of its branch, and to `other` "
    "if it is in none; what is missing goes to `missing`",
    "threshold": "the class with the greatest share is predicted",
    "ties": "of equal shares the first class",
}
OF_CLASSES = {
    ONE_VS_REST: {
        "threshold": "each class has a rule against the rest; the class with the greatest score is predicted",
        "ties": "of equal scores the first class",
    },
    JOINT: {
        "threshold": "each class has a score; the class with the greatest score is predicted",
        "ties": "of equal scores the first class",
    },
    ONE_VS_ONE: {
        "threshold": "each pair of classes has a rule that says the second where its score is above 0; the class that "
        "most rules say is predicted",
        "ties": "a score of exactly 0 is {zero}; of classes that as many rules say, the one that wins most of the "
        "rules among them, then the first",
    },
}


def written(estimator: Any) -> dict[str, Any]:
    """All that is kept of an estimator."""
    name, made = type(estimator).__name__, type(estimator)
    table = TABLES.get(name)
    if table is not None and made is table.make:
        if not hasattr(estimator, "classes_"):
            raise ModelError(f"this {name} has not learned anything yet: fit it first")
        names, classes = getattr(estimator, "feature_names_in_", None), LABELS.write(estimator.classes_)
        LABELS.read(classes, "classes", NOWHERE)  # labels that JSON does not know are refused by name
        return {
            "estimator": name,
            "conventions": conventions(estimator),
            "classes": classes,
            "features": int(estimator.n_features_in_),
            "feature_names": None if names is None else [str(feature) for feature in names],
            "parameters": options_written(estimator),
            "settled": {key: field.kind.write(field.get(estimator)) for key, field in table.settled.items()},
            "learned": {key: field.kind.write(field.get(estimator)) for key, field in table.learned.items()},
        }
    if made is OnlinePerceptron:
        return _online_written(estimator)
    inside = "; save what learns inside it, its `rule`" if name == "RiverPerceptron" else ""
    raise ModelError(f"a model file holds the estimators {', '.join(PARAMETERS)}, not {name}{inside}")


def restored(record: Mapping[str, Any]) -> Any:
    """The estimator of such a record."""
    given = fields(dict(record), "the model", PARTS, NOWHERE)
    name = given["estimator"]
    if name not in PARAMETERS:
        raise ModelError(f"this version knows no estimator {brief(name)}, only {', '.join(PARAMETERS)}")
    estimator = _online_restored(given) if name == OnlinePerceptron.__name__ else _restored(given)
    if given["conventions"] != conventions(estimator):
        raise ModelError("the conventions are not those of a rule with these settings")
    return estimator


def _restored(given: Mapping[str, Any]) -> Any:
    table, classes, names = TABLES[given["estimator"]], given["classes"], given["feature_names"]
    labels = classes.tolist()
    try:
        rising = all(a < b for a, b in pairwise(labels))
    except TypeError:
        rising = False
    if len(labels) < 2 or not rising:
        raise ModelError("there must be two classes or more, different and in order")
    if names is not None and (len(names) != given["features"] or not all(type(feature) is str for feature in names)):
        raise ModelError(f"feature_names must be {given['features']} texts")
    kinds = {key: field.kind for key, field in table.settled.items()}
    parameters = given["parameters"]
    if MULTI_CLASS in table.parameters and type(parameters) is dict and MULTI_CLASS not in parameters:
        parameters = {**parameters, MULTI_CLASS: scheme_meant(len(labels))}
    scheme = parameters.get(MULTI_CLASS, ONE_VS_REST) if type(parameters) is dict and len(labels) > 2 else None
    rules = 1 if scheme is None else len(pairs_of(len(labels))) if scheme == ONE_VS_ONE else len(labels)
    settled = fields(given["settled"], "settled", kinds, NOWHERE)
    shape = Shape(rules, given["features"], settled.get("bias", 0.0), scheme == JOINT)
    options = fields(parameters, "parameters", table.parameters, shape)
    learned = fields(given["learned"], "learned", {key: field.kind for key, field in table.learned.items()}, shape)
    estimator: Any = table.make(**options)
    if MULTI_CLASS in options:  # files of before have none: one-vs-rest, as the class itself says
        estimator._multi_class = options[MULTI_CLASS]
    estimator.classes_, estimator.n_features_in_ = classes, given["features"]
    if names is not None:
        estimator.feature_names_in_ = np.array(names, object)
    for values, fields_of in ((settled, table.settled), (learned, table.learned)):
        for key, field in fields_of.items():
            field.put(estimator, values[key])
    table.finish(estimator, shape, learned)
    return estimator


# -- OnlinePerceptron ------------------------------------------------------------------------------------------

LEARNED = {
    "knows_labels": FLAG,
    "width": or_null(COUNT),
    "weights": VECTOR,
    "sums": or_null(VECTOR),
    "counts": Kind(
        dict,
        lambda value, where, shape: fields(
            value, where, {name: PLACE if name == "broken_at" else COUNT for name in COUNTS}, shape
        ),
    ),
    "radius": SIZE,
    "mistakes_at": or_null(WHOLES),
}


def _online_written(rule: OnlinePerceptron) -> dict[str, Any]:
    state = rule.get_state()
    weights, sums = [*state["weights"], None][:2]
    labels = np.empty(2, object)
    labels[:] = state["labels"]
    names = rule.feature_names_
    learned = {"knows_labels": state["settled"], "width": state["width"], "weights": weights, "sums": sums}
    return {
        "estimator": type(rule).__name__,
        "conventions": conventions(rule),
        "classes": LABELS.write(labels),
        "features": rule.n_features_in_,
        "feature_names": None if names is None else [LABEL.write(name) for name in names],
        "parameters": options_written(rule),
        "settled": {"bias": state["method"]["bias"], "zero_is_yes": rule._zero_is_yes},
        "learned": learned | {key: state[key] for key in ("counts", "radius", "mistakes_at")},
    }


def _online_restored(given: Mapping[str, Any]) -> OnlinePerceptron:
    labels, names = given["classes"].tolist(), given["feature_names"]
    settled = fields(given["settled"], "settled", {"bias": BIAS, "zero_is_yes": FLAG}, NOWHERE)
    shape = Shape(1, given["features"], settled["bias"])
    learned = fields(given["learned"], "learned", LEARNED, shape)
    if names is not None and (len(names) != shape.features or len(set(names)) != shape.features):
        raise ModelError(f"feature_names must be {shape.features} different names")
    if learned["width"] not in (None, shape.features if names is None else None):
        raise ModelError(f"the width must be null or the number of features, not {learned['width']}")
    rule = OnlinePerceptron(**fields(given["parameters"], "parameters", PARAMETERS["OnlinePerceptron"], shape))
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


# -- in words --------------------------------------------------------------------------------------------------


def conventions(estimator: Any) -> dict[str, str]:
    """What a score is, what is decided from it and what a tie is; protocol 1 has these words for ever."""
    if isinstance(estimator, PerceptronTree):
        return TREE
    zero = "yes" if estimator._zero_is_yes else "no"
    if hasattr(estimator, "dual_coef_"):
        words = {"score": KERNEL}
    elif getattr(estimator, "_vote", None) == "voted":
        words = {"score": VOTE.format(zero=zero)}
    else:
        words = {"score": AVERAGE if getattr(estimator, "mode", None) == "averaged" else SUM}
    if getattr(estimator, "_unit_rows", False):
        words["rows"] = UNIT_ROWS
    if len(estimator.classes_) == 2:
        words["threshold"] = "yes, the second class, where the score is above 0; no, the first class, where it is below"
        words["ties"] = f"a score of exactly 0 is {zero}"
    else:
        told = OF_CLASSES[getattr(estimator, "_scheme", ONE_VS_REST)]
        words |= {name: text.format(zero="the second" if zero == "yes" else "the first") for name, text in told.items()}
    return words
