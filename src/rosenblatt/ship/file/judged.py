"""How a rule was judged, stored as `held_out` in a model file: the type and the range of every field.

The command writes all fields of `JUDGED`, and `means` if features have points. `verify` checks them on the table.
A model saved in Python may store anything else instead: texts, numbers and lists, which nothing relies on.
"""

from math import nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.judge.tables import METHODS
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.file.codecs import (
    COUNT,
    FLAG,
    NO_SHAPE,
    TEXT,
    TINY,
    Codec,
    Shape,
    choice,
    fields,
    or_null,
    plainly,
    reals,
    scalar,
)
from rosenblatt.ship.file.decision_schemas import CUT_OFF, GUARANTEE, MEASURES
from rosenblatt.visible import brief

if TYPE_CHECKING:
    from rosenblatt.read.encode.columns import EncodedColumn
    from rosenblatt.read.encode.encoding import Encoding

DEEPEST = 8  # levels in a free-form record
SLACK = 1 + 1e-9  # because a mean is a rounded sum
SCALAR = scalar(type(None), bool, int, float, str)
SHARE = scalar(int, float, low=0.0, high=1.0)
ERROR = {"rows": COUNT, "mistakes": COUNT, "lower": SHARE, "upper": SHARE, "confidence": SHARE, "how": TEXT}

FROM_ZERO = scalar(int, float, low=0.0)
BASELINE = {"label": TEXT, "cost": FROM_ZERO, "rule_cost": FROM_ZERO, "squares": FROM_ZERO, "clearly_better": FLAG}


def _error(value: Any, where: str, shape: Shape) -> dict[str, Any]:
    given = fields(value, where, ERROR, shape)
    if not 0 <= given["mistakes"] <= given["rows"] > 0:
        raise ModelError(f"{where}: {given['mistakes']} mistakes on {given['rows']} rows are impossible")
    if not given["lower"] <= given["mistakes"] / given["rows"] <= given["upper"]:
        raise ModelError(f"{where}: the interval from {given['lower']} to {given['upper']} does not fit these counts")
    return given


def _baseline(value: Any, where: str, shape: Shape) -> dict[str, Any]:
    return fields(value, where, BASELINE, shape)


def as_it_is(kind: Codec) -> Codec:
    """A value that is checked by its codec, and kept as the record that it is."""
    return Codec(kind.write, lambda value, where, shape: (kind.read(value, where, shape), value)[1])


JUDGED = {
    "part": scalar(int, float, low=0.0, high=nextafter(1.0, 0.0)),
    "folds": COUNT,
    "seed": scalar(int, low=0),
    "trained_rows": COUNT,
    "trained_mistakes": COUNT,
    "exact": FLAG,
    "error": or_null(Codec(plainly, _error)),
}
MEANS = "means"
SOMETIMES = {  # fields that older files lack
    "weights": or_null(TEXT),  # the column of row weights
    "trained_cost": FROM_ZERO,  # of the mistakes on the training rows
    "baseline": or_null(Codec(plainly, _baseline)),  # the comparison with always predicting one class
    "whole_points": FLAG,  # whether the rule has small whole points and is shown in them
    "set_aside": scalar(float, low=TINY, high=nextafter(1.0, 0.0)),  # the part of the rows for testing a guarantee
    "asked": COUNT,  # how many of the rows that were judged are left to people
    "cut_off": as_it_is(CUT_OFF),
    "guarantee": as_it_is(GUARANTEE),
    "probability": choice(*METHODS),  # how probabilities were found
    "measures": as_it_is(MEASURES),
}


def free_form(value: Any, where: str, shape: Shape) -> dict[str, Any]:
    """A record of texts, numbers, lists and objects, unchanged."""

    def check(part: Any, depth: int) -> None:
        if type(part) not in (list, dict):
            SCALAR.read(part, where, shape)
        elif depth > DEEPEST:
            raise ModelError(f"{where} is nested too deeply")
        else:
            for inner in part.values() if type(part) is dict else part:
                check(inner, depth + 1)

    if type(value) is not dict:
        raise ModelError(f"{where} must be an object, not {brief(value)}")
    check(value, 1)
    return value


def check(record: dict[str, Any], features: int, encoding: "Encoding | None") -> None:
    """Refuse a record with the command's fields if one is missing, of the wrong type or out of range."""
    if record.keys().isdisjoint({*JUDGED, *SOMETIMES, MEANS} - {"error"}) and type(record.get("error")) is not dict:
        return
    rest = {name: value for name, value in record.items() if name != MEANS}
    kinds = JUDGED | {name: kind for name, kind in SOMETIMES.items() if name in record}
    given = fields(rest, "held_out", kinds, NO_SHAPE)
    if given["trained_mistakes"] > given["trained_rows"]:
        raise ModelError("held_out has more mistakes than rows")
    if given["folds"] == 1 or (given["folds"] and given["part"]):
        raise ModelError("held_out must have at least two folds, and no held-out part besides folds")
    if given["part"] + given.get("set_aside", 0.0) >= 1.0:
        raise ModelError("held_out leaves no rows to learn from")
    if ("guarantee" in given) != ("set_aside" in given):
        raise ModelError("held_out must have a guarantee and the part set aside to show it, or neither")
    if MEANS in record:
        _check_means(reals(record[MEANS], f"held_out.{MEANS}", features), encoding)


def _check_means(means: Array, encoding: "Encoding | None") -> None:
    """Refuse means that are impossible for these features."""
    at = 0
    for column in () if encoding is None else encoding.used:
        own, (low, high) = means[at : at + column.size], _ends(column)
        at += column.size
        odd = np.flatnonzero(~((low * SLACK <= own) & (own <= high * SLACK)))
        if odd.size:
            raise ModelError(f"held_out.{MEANS}: a feature of column {brief(column.name)} cannot have {own[odd[0]]}")


def _ends(column: "EncodedColumn") -> tuple[Any, Any]:
    """The smallest and largest value of a column's features, for all or for each; most are 0 and 1."""
    from rosenblatt.read.encode.columns import (  # imports Polars, which models learned from arrays do not need
        NumberColumn,
        SparseColumn,
        StepColumn,
    )

    if isinstance(column, SparseColumn):
        return -column.highest, column.highest
    if not isinstance(column, NumberColumn) or isinstance(column, StepColumn):
        return 0.0, 1.0
    lowest, highest = ((end - column.centre) / column.scale for end in (column.lowest, column.highest))
    return np.array([lowest, 0.0])[: column.size], np.array([highest, 1.0])[: column.size]
