"""Constraints on columns: the score never falls, or never rises, as a column rises.

A constraint on a column is one on the sign of its feature's weight, because features of numbers, dates and yes/no
columns never fall as the cell rises. The points of a missing cell are not constrained.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from rosenblatt.errors import OptionError
from rosenblatt.prove.check.certificate import Contradiction
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    EncodedColumn,
    Feature,
    IgnoredColumn,
    NumberColumn,
    YesNoColumn,
)
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.frames import nearest
from rosenblatt.rows.cone import EVERYWHERE, Cone

if TYPE_CHECKING:
    from rosenblatt.desk.data import Data

DIRECTION = {1: "increasing", -1: "decreasing"}  # of the score as a column rises
ORDERED = "numbers, dates and yes/no columns"
MOST_NAMED = 5  # columns, in a sentence
NOT_OF_COLUMNS = "The constraints are not on whole columns of numbers, dates or yes/no, each in one direction."


def signs_by_column(increasing: Sequence[str], decreasing: Sequence[str]) -> dict[str, int]:
    """The sign that the weight of each column must have; refuses a column that is named in both lists."""
    for name in increasing:
        if name in decreasing:
            raise OptionError(f"column {name!r} cannot be both --increasing and --decreasing")
    return {**dict.fromkeys(increasing, 1), **dict.fromkeys(decreasing, -1)}


def refuse_unfit(data: "Data", columns: Mapping[str, int]) -> None:
    """Refuse columns that do not exist or that have no order, and tables of more than two classes."""
    if not columns:
        return
    encoding = data.encoding
    if len(data.classes) > 2:
        raise OptionError(
            f"--increasing and --decreasing need a target of two classes; {encoding.target.name!r} has "
            f"{len(data.classes)}, and no single score decides between them"
        )
    known = {column.name: column for column in encoding.columns}
    for name, sign in columns.items():
        option = f"--{DIRECTION[sign]}"
        if encoding.is_sparse:
            if name not in (numbers := {str(k) for k in encoding.used[0].all_numbers}):  # type: ignore[attr-defined]
                raise OptionError(f"{option}: there is no feature {name!r}{nearest(name, numbers)}")
            continue
        if name == encoding.target.name:
            raise OptionError(f"{option}: {name!r} is the target")
        if name not in known:
            raise OptionError(f"{option}: there is no column {name!r}{nearest(name, known)}")
        if not _rises(column := known[name]):
            why = f"left out: {column.why}" if isinstance(column, IgnoredColumn) else f"read as {_kind(column)}"
            raise OptionError(f"{option}: column {name!r} is {why}; only {ORDERED} can be constrained")


def signs_of(encoding: Encoding, columns: Mapping[str, int]) -> list[int]:
    """The sign that the weight of each feature must have: 1, -1 or 0; columns that are left out have no features."""
    if encoding.is_sparse:
        return [columns.get(str(number), 0) for number in encoding.used[0].all_numbers]  # type: ignore[attr-defined]
    found: list[int] = []
    for column in encoding.used:
        own = [0] * column.size
        if column.name in columns and _rises(column):
            values = column.size - column.missing  # of steps, more than one
            own[:values] = [columns[column.name]] * values
        found += own
    return found


def cone_of_columns(encoding: Encoding, columns: Mapping[str, int]) -> Cone:
    """The cone that the weights of the features must be in."""
    return Cone.of(signs_of(encoding, columns)) if columns else EVERYWHERE


def by_column(encoding: Encoding, cone: Cone) -> list[tuple[str, int, list[int]]]:
    """The constrained columns, the sign of each, and its constrained features."""
    found: dict[str, tuple[int, list[int]]] = {}
    signs = cone.signs(encoding.size).tolist()
    for place, (feature, sign) in enumerate(zip(encoding.features, signs, strict=True)):
        if sign:
            found.setdefault(_name(encoding, feature), (sign, []))[1].append(place)
    return [(name, sign, places) for name, (sign, places) in found.items()]


def are_of_columns(encoding: Encoding, cone: Cone) -> bool:
    """Whether these are constraints on columns, each with one sign: those that `signs_of` gives the features."""
    return cone == cone_of_columns(encoding, {name: sign for name, sign, _ in by_column(encoding, cone)})


def points_in_words(encoding: Encoding, cone: Cone) -> str:
    """What the constraints mean for the points, in one sentence."""
    each = by_column(encoding, cone)
    parts = [
        f"never {verb} as {_listed([name for name, sign, _ in each if sign == wanted_sign])} rises"
        for wanted_sign, verb in ((1, "fall"), (-1, "rise"))
        if any(sign == wanted_sign for _, sign, _ in each)
    ]
    return f"The points {' and '.join(parts)}."


def but_for(data: "Data", proof: Contradiction) -> str:
    """The columns in which the averages of contradicting rows do not coincide, as the end of a sentence."""
    if not proof.cone:
        return ""
    places = proof.against(data.examples(fit_intercept=proof.bias != 0.0, bias_scale=proof.bias or 1.0))
    own = [name for name, _, features in by_column(data.encoding, proof.cone) if not places.isdisjoint(features)]
    shown = own if len(own) <= MOST_NAMED else [*own[:MOST_NAMED], f"{len(own) - MOST_NAMED} more"]
    return (
        f", except in {_listed(shown, 'and')}, where they differ in the way that the constraints rule out"
        if own
        else ""
    )


def without_points(encoding: Encoding, rule: Any) -> list[str]:
    """The constrained columns whose weight is 0, because the rows favour the direction that the constraint forbids."""
    weights = rule.linear.coefficients[0] if rule.cone and rule.linear is not None else []
    return [name for name, _, places in by_column(encoding, rule.cone) if not any(weights[k] for k in places)]


def record(encoding: Encoding, cone: Cone) -> dict[str, list[str]]:
    """The constraints for a program."""
    each = by_column(encoding, cone)
    return {
        name: [column for column, sign, _ in each if sign == wanted_sign] for wanted_sign, name in DIRECTION.items()
    }


def _name(encoding: Encoding, feature: Feature) -> str:
    return feature.meaning if encoding.is_sparse else feature.column


def _rises(column: EncodedColumn) -> TypeGuard[NumberColumn | YesNoColumn]:
    return isinstance(column, NumberColumn | YesNoColumn)


def _kind(column: EncodedColumn) -> str:
    return "a category" if isinstance(column, CategoryColumn) else column.kind


def _listed(names: list[str], last: str = "or") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
