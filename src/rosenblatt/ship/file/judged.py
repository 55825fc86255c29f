"""How a rule was judged, as a model file keeps it in `held_out`: the kind and the range of every field.

The command writes the fields of `JUDGED`, all of them; `means` only where features have points. Whether they are true
is for `verify` to find out, on the table. Whoever saves a model in Python may tell something else instead, in other
words: texts, numbers and lists, which nothing goes by.
"""

from math import nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.file.codecs import COUNT, FLAG, NOWHERE, TEXT, Kind, Shape, fields, or_null, plainly, reals, scalar
from rosenblatt.visible import brief

if TYPE_CHECKING:
    from rosenblatt.read.encode.columns import Column
    from rosenblatt.read.encode.encoding import Encoding

DEEPEST = 8  # of what is told in other words
SLACK = 1 + 1e-9  # a mean is a sum of numbers, rounded
SCALAR = scalar(type(None), bool, int, float, str)
SHARE = scalar(int, float, low=0.0, high=1.0)
ERROR = {"rows": COUNT, "mistakes": COUNT, "lower": SHARE, "upper": SHARE, "confidence": SHARE, "how": TEXT}

FROM_ZERO = scalar(int, float, low=0.0)
BASELINE = {"label": TEXT, "cost": FROM_ZERO, "rule_cost": FROM_ZERO, "squares": FROM_ZERO, "clearly_better": FLAG}


def _error(value: Any, where: str, shape: Shape) -> dict[str, Any]:
    given = fields(value, where, ERROR, shape)
    if not 0 <= given["mistakes"] <= given["rows"] > 0:
        raise ModelError(f"{where}: {given['mistakes']} mistakes on {given['rows']} rows cannot be")
    if not given["lower"] <= given["mistakes"] / given["rows"] <= given["upper"]:
        raise ModelError(f"{where}: the interval from {given['lower']} to {given['upper']} is not about these rows")
    return given


def _baseline(value: Any, where: str, shape: Shape) -> dict[str, Any]:
    return fields(value, where, BASELINE, shape)


JUDGED = {
    "part": scalar(int, float, low=0.0, high=nextafter(1.0, 0.0)),
    "folds": COUNT,
    "seed": scalar(int, low=0),
    "trained_rows": COUNT,
    "trained_mistakes": COUNT,
    "exact": FLAG,
    "error": or_null(Kind(plainly, _error)),
}
MEANS = "means"
SOMETIMES = {  # that older files do not have
    "weights": or_null(TEXT),  # the column that the weights of rows are from
    "trained_cost": FROM_ZERO,  # of the mistakes on the rows learned from
    "baseline": or_null(Kind(plainly, _baseline)),  # the rule beside one that says the same of every row
    "whole_points": FLAG,  # whether the rule was made of small whole points, and is shown in them
}


def told(value: Any, where: str, shape: Shape) -> dict[str, Any]:
    """The record as it is: texts, numbers, lists and objects of those."""

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
    """Refuse a record of the command's fields if one of them is missing, of another kind or out of range."""
    if record.keys().isdisjoint({*JUDGED, *SOMETIMES, MEANS} - {"error"}) and type(record.get("error")) is not dict:
        return
    rest = {name: value for name, value in record.items() if name != MEANS}
    kinds = JUDGED | {name: kind for name, kind in SOMETIMES.items() if name in record}
    given = fields(rest, "held_out", kinds, NOWHERE)
    if given["trained_mistakes"] > given["trained_rows"]:
        raise ModelError("held_out has more mistakes than rows")
    if given["folds"] == 1 or (given["folds"] and given["part"]):
        raise ModelError("held_out must have at least two folds, and then no part of the rows held out")
    if MEANS in record:
        _check_means(reals(record[MEANS], f"held_out.{MEANS}", features), encoding)


def _check_means(means: Array, encoding: "Encoding | None") -> None:
    """Refuse means that the features of no rows can have."""
    at = 0
    for column in () if encoding is None else encoding.used:
        own, (low, high) = means[at : at + column.size], _ends(column)
        at += column.size
        odd = np.flatnonzero(~((low * SLACK <= own) & (own <= high * SLACK)))
        if odd.size:
            raise ModelError(f"held_out.{MEANS}: a feature of column {brief(column.name)} cannot have {own[odd[0]]}")


def _ends(column: "Column") -> tuple[Any, Any]:
    """The least and the greatest value of a column's features, of all or of each: most are 0 or 1."""
    from rosenblatt.read.encode.columns import (  # with Polars, which models learned from arrays do not need
        Number,
        Sparse,
    )

    if isinstance(column, Sparse):
        return -column.highest, column.highest
    if not isinstance(column, Number):
        return 0.0, 1.0
    lowest, highest = ((end - column.centre) / column.scale for end in (column.lowest, column.highest))
    return np.array([lowest, 0.0])[: column.size], np.array([highest, 1.0])[: column.size]
