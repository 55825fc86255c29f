"""Values of this room as plain numbers and words, for JSON, and back.

Floats are written with as many digits as they need to be the same when they are read; "never" is null.
"""

from dataclasses import fields, is_dataclass
from typing import Any

from rosenblatt.errors import DataError
from rosenblatt.judge.abstain import Abstention, Count, Tolerance
from rosenblatt.judge.calibration import ByLead, CrossVennAbers, OneVsRest, Sigmoid, Steps, VennAbers
from rosenblatt.judge.cutoff import CutOff
from rosenblatt.judge.ladder import Ladder, Rung

KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        Abstention,
        ByLead,
        Count,
        CrossVennAbers,
        CutOff,
        Ladder,
        OneVsRest,
        Rung,
        Sigmoid,
        Steps,
        Tolerance,
        VennAbers,
    )
}


def record_of(value: Any) -> Any:
    """The value as plain lists, numbers and texts."""
    if isinstance(value, tuple):
        return [record_of(each) for each in value]
    if not is_dataclass(value):
        return value
    return {"kind": type(value).__name__} | {one.name: record_of(getattr(value, one.name)) for one in fields(value)}


def from_record(record: Any) -> Any:
    """The value of a record; refuses unknown or missing parts, and parts that contradict each other."""
    if isinstance(record, list):
        return tuple(from_record(each) for each in record)
    if not isinstance(record, dict):
        return record
    kind = KINDS.get(str(record.get("kind")))
    if kind is None or {"kind", *(one.name for one in fields(kind))} != set(record):
        raise DataError(f"this record is damaged: {str(record.get('kind'))[:40]!r} with {', '.join(record)[:80]}")
    try:
        return kind(**{name: from_record(part) for name, part in record.items() if name != "kind"})
    except DataError:
        raise
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise DataError(f"this record of kind {record['kind']} is damaged: {error}") from None
