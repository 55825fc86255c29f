"""What all kinds of columns share: a name, and features."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

BITS = 24  # of a feature: the precision of float32
OMITTED_IF_EMPTY = ("numbers", "written", "whole")  # fields that a record omits when empty


@dataclass(frozen=True)
class Feature:
    """A number that the rule sees: its column, and its meaning."""

    column: str
    meaning: str
    reach: float = 1.0  # never larger than this
    grain: float = 1.0  # always a whole multiple of this
    scale: float = 1.0  # a power of two that weights may be divided by instead


@dataclass(frozen=True)
class EncodedColumn:
    """A column, and how it becomes features."""

    name: str

    kind: ClassVar[str]

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features of this column."""
        return ()

    @property
    def size(self) -> int:
        """The number of features."""
        return len(self.features)

    @property
    def parts(self) -> "tuple[EncodedColumn, ...]":
        """The column as columns of one feature in each row; each has the next feature, the last one all that follow."""
        return (self,)

    def as_record(self) -> dict[str, Any]:
        """The column as plain lists, numbers and texts, for JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        kept = {name: value for name, value in values.items() if value or name not in OMITTED_IF_EMPTY}
        return {"kind": self.kind, **{k: list(v) if isinstance(v, tuple) else v for k, v in kept.items()}}
