"""The types of text columns, determined from all rows: whole numbers, numbers, or text."""

from collections.abc import Mapping, Sequence

import polars as pl

from rosenblatt.read.table import Table
from rosenblatt.read.values import BLANKS, MISSING

Types = dict[str, pl.DataType | None]  # None: the column has no values
NUMBERS = (pl.Int64(), pl.Float64())


def cleaned(name: str, missing: Sequence[str] = MISSING) -> pl.Expr:
    """A column of text without blanks around its cells; null if missing."""
    text = pl.col(name).str.strip_chars(BLANKS)
    return pl.when(~text.is_in(list(missing))).then(text) if missing else text  # `replace` would not stream


def as_number(text: pl.Expr, kind: pl.DataType, decimal_comma: bool, strict: bool = True) -> pl.Expr:
    """Text as numbers."""
    text = text.str.strip_chars(BLANKS)
    if decimal_comma and kind == pl.Float64:
        text = text.str.replace(",", ".", literal=True)
    return text.cast(kind, strict=strict)


def as_typed(types: Mapping[str, pl.DataType | None], missing: Sequence[str], decimal_comma: bool) -> list[pl.Expr]:
    """Expressions that turn columns of text into these types."""
    made = []
    for name, kind in types.items():
        text = cleaned(name, missing)
        if kind is not None and kind in NUMBERS:
            text = as_number(text, kind, decimal_comma)
        made.append(text.fill_nan(None) if kind == pl.Float64 else text)
    return made


def types_of(table: Table, names: Sequence[str], missing: Sequence[str], decimal_comma: bool) -> Types:
    """The narrowest type that holds every value of each column of text, in one pass."""
    if not names:
        return {}
    asked: list[pl.Expr] = []
    for k, name in enumerate(names):
        text = cleaned(name, missing)
        asked.append(text.is_not_null().sum().alias(f"{k} there"))
        for kind in NUMBERS:
            number = as_number(text, kind, decimal_comma, strict=False)
            asked.append((text.is_not_null() & number.is_null()).sum().alias(f"{k} not {kind}"))
    found = table.select(asked).row(0, named=True)
    types: Types = {}
    for k, name in enumerate(names):
        fitting = (kind for kind in NUMBERS if not found[f"{k} not {kind}"])
        types[name] = next(fitting, pl.String()) if found[f"{k} there"] else None
    return types
