"""The tables that Python users have, converted to Polars data frames."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.errors import TableError
from rosenblatt.read.values import has_plainer_type, with_plain_types

MOST_NAMES = 12  # of columns, in an error


def frame_of(table: Any, wanted: Sequence[str]) -> pl.DataFrame:
    """The wanted columns of a table.

    A table is a Polars or pandas data frame, an Arrow table, a list of rows as dicts, or a mapping of columns.
    A Polars data frame with plain types is returned with all its columns.
    """
    if isinstance(table, pl.DataFrame) and not any(map(has_plainer_type, table.dtypes)):
        return table.rename({there: name for name, there in _places(wanted, table.columns).items() if there != name})
    return with_plain_types(_frame(table, wanted).lazy()).collect()


def _frame(table: Any, wanted: Sequence[str]) -> pl.DataFrame:
    if isinstance(table, pl.DataFrame | pl.LazyFrame):
        places = _places(wanted, table.collect_schema())
        return table.lazy().select(pl.col(there).alias(name) for name, there in places.items()).collect()
    if isinstance(table, Mapping):
        places = _places(wanted, table)
        return pl.DataFrame([_series(name, table[places[name]]) for name in wanted])
    if isinstance(table, list | tuple) and all(isinstance(row, Mapping) for row in table):
        places = _places(wanted, dict.fromkeys(name for row in table for name in row))
        return pl.DataFrame([_series(name, [row.get(places[name]) for row in table]) for name in wanted])
    if hasattr(table, "columns") and hasattr(table, "iloc"):  # pandas
        names = {str(name): name for name in table.columns}
        places = _places(wanted, names)
        return pl.DataFrame([_of_pandas(name, table[names[places[name]]]) for name in wanted])
    if hasattr(table, "__arrow_c_stream__"):
        return _frame(pl.DataFrame(table), wanted)
    raise TableError(
        "expected a table with named columns: a pandas or Polars data frame, an Arrow table, a list of dicts or a "
        f"mapping of columns, not {type(table).__name__}"
    )


def _places(wanted: Sequence[str], there: Collection[str]) -> dict[str, str]:
    """What the table calls each of the wanted columns: the same, or the same between blanks, as files trim names."""
    trimmed = {name.strip(): name for name in there if isinstance(name, str)}
    places = {name: trimmed[name] for name in wanted if name not in there and name in trimmed}
    refuse_lacking(wanted, [*there, *places])
    return {name: places.get(name, name) for name in wanted}


def refuse_lacking(wanted: Sequence[str], there: Collection[str]) -> None:
    """Refuse a table that lacks columns, and name them."""
    lacking = [name for name in wanted if name not in there]
    others = [name for name in there if name not in wanted] if lacking else []  # that may have been meant
    if len(lacking) == 1:
        raise TableError(f"the table has no column {lacking[0]!r}{nearest(lacking[0], others)}")
    if lacking:
        more = f" and {len(lacking) - MOST_NAMES} more" if len(lacking) > MOST_NAMES else ""
        hints = {name: nearest(name, others).removeprefix("; ") for name in lacking[:MOST_NAMES]}
        named = [f"{name!r} ({hint})" if hint else repr(name) for name, hint in hints.items()]
        raise TableError(f"the table has no columns {', '.join(named)}{more}")


def nearest(name: str, there: Iterable[str]) -> str:
    """A hint naming the column that was probably meant."""
    close = get_close_matches(name, list(there), 1, cutoff=0.65)
    return f"; did you mean {close[0]!r}?" if close else ""


def _of_pandas(name: str, column: Any) -> pl.Series:
    """A pandas column; what pandas considers missing is null."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return pl.Series(name, column.to_numpy())
    there, cells = (~column.isna()).tolist(), column.astype(object).tolist()
    return _series(name, [cell if known else None for cell, known in zip(cells, there, strict=True)])


def _series(name: str, cells: Any) -> pl.Series:
    """Cells of any type as a series; cells of mixed types become text."""
    if isinstance(cells, pl.Series):
        return cells.alias(name)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "biufM":
        return pl.Series(name, cells)
    values = list(cells)
    kinds = {type(cell) for cell in values if cell is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        values = [cell if cell is None or isinstance(cell, str) else _text(cell) for cell in values]
    return pl.Series(name, values, strict=False)


def _text(cell: Any) -> str | None:
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell)).lower()
    return None if cell != cell else str(cell)  # NaN
