"""Reads the columns of an encoding from a file, checking every field."""

from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from math import frexp, isfinite
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.read.encode.columns import (
    BITS,
    KINDS,
    OMITTED_IF_EMPTY,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    YesNoColumn,
)
from rosenblatt.read.encode.number_columns import LARGEST, SMALLEST

NUMBERS, EDGES = "numbers", "edges"
MOST_FEATURES = 2**24  # as many numbers as a file may hold


def wanted(record: Any, shape: Mapping[str, type], what: str) -> None:
    """Refuse a record with the wrong fields, or with fields of the wrong type."""
    if not isinstance(record, dict) or set(record) != set(shape):
        raise ModelError(f"{what} must have exactly the fields {', '.join(shape)}")
    for name, kind in shape.items():
        value = record[name]
        if not (_is_a_float(value) if kind is float else type(value) is kind):
            raise ModelError(f"{what}: {name} must be of type {kind.__name__}, not {value!r:.60}")


def _is_a_float(value: Any) -> bool:
    """Whether a value is a finite float, or a whole number that a float represents exactly."""
    return isfinite(value) if type(value) is float else type(value) is int and abs(value) <= 2**53


def texts(values: list[Any], what: str) -> tuple[str, ...]:
    """A list of different texts."""
    if not all(type(value) is str for value in values) or len(set(values)) < len(values):
        raise ModelError(f"{what} must be different texts")
    return tuple(values)


def wholes(values: list[Any], what: str) -> tuple[int, ...]:
    """A list of increasing feature numbers."""
    fit = all(type(value) is int and 0 < value < 2**31 for value in values)
    if not values or not fit or any(a >= b for a, b in pairwise(values)):
        raise ModelError(f"{what} must be increasing whole numbers from 1 to 2^31 - 1")
    return tuple(values)


def rising(values: list[Any], what: str) -> tuple[float, ...]:
    """A list of rising numbers."""
    if not values or not all(map(_is_a_float, values)) or any(a >= b for a, b in pairwise(values)):
        raise ModelError(f"{what} must be rising numbers")
    return tuple(map(float, values))


def column_of(record: Any, k: int) -> EncodedColumn:
    """One column from its record."""
    what = f"column {k + 1} of the encoding"
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str) or record["kind"] not in KINDS:
        raise ModelError(f"{what} must have one of the kinds {', '.join(KINDS)}")
    made = KINDS[record["kind"]]
    shape = {field.name: list if str(field.type).startswith("tuple") else field.type for field in fields(made)}
    shape = {name: kind for name, kind in shape.items() if name in record or name not in OMITTED_IF_EMPTY}
    wanted(record, {"kind": str, **shape}, what)  # type: ignore[dict-item]
    values = {
        name: {NUMBERS: wholes, EDGES: rising}.get(name, texts)(record[name], f"{what}: {name}")
        if kind is list
        else float(record[name])
        if kind is float
        else record[name]
        for name, kind in shape.items()
    }
    column: EncodedColumn = made(**values)  # type: ignore[arg-type]
    if (problem := _problem(column)) is not None:
        raise ModelError(f"{what}, {column.name!r}: {problem}")
    return column


def _problem(column: EncodedColumn) -> str | None:
    """What is wrong with a column read from a file."""
    if isinstance(column, NumberColumn):
        powers = all(SMALLEST * 2.0**-BITS <= x <= LARGEST and frexp(x)[0] == 0.5 for x in (column.scale, column.step))
        if not powers or not column.lowest <= column.centre <= column.highest or column.centre % column.step != 0.0:
            return "scale and step must be powers of two, and lowest, centre and highest in order and on the grid"
        if max(column.highest - column.centre, column.centre - column.lowest) / column.step > 2.0**BITS:
            return f"more than {BITS} bits between the centre and an end"
        if (column.highest - column.lowest) / column.scale > 2.0**BITS:
            return "the scale is too small for lowest and highest"
    if isinstance(column, SparseColumn):
        return _problem_of_numbered(column)
    if isinstance(column, YesNoColumn) and (len(column.values) != 1 or column.other or column.no in column.values):
        return "a yes/no has one yes, and a no that differs from it"
    if isinstance(column, HashedTextColumn) and not 1 <= column.buckets <= MOST_FEATURES:
        return "buckets must be from 1 to 2^24"
    return None


def _problem_of_numbered(column: SparseColumn) -> str | None:
    if not 0 < column.count <= MOST_FEATURES:
        return "count must be from 1 to 2^24"
    powers = SMALLEST * 2.0**-BITS <= column.step <= LARGEST and frexp(column.step)[0] == 0.5
    if not powers or not 0 < column.highest <= min(column.step * 2.0**BITS, LARGEST):
        return "step and highest do not fit together"
    if column.numbers and len(column.numbers) != column.count:
        return f"{column.count} features must have {column.count} numbers, not {len(column.numbers)}"
    return None
