"""The columns of a table as a tree sees them: numbers and codes of categories, not features of 0 and 1.

Numbers are clipped as features are, but not rounded: a tree compares them with a threshold, and clipped numbers keep
every sum of a perceptron test finite.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.errors import OptionError
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
)
from rosenblatt.read.encode.encoding import Encoding, cells_of, numbered, occurrences
from rosenblatt.read.frames import frame_of
from rosenblatt.read.values import texts_of
from rosenblatt.rows.kernels import Array

OTHER = "any other"

Head = tuple[str, tuple[str, ...] | None]


def heads(encoding: Encoding) -> tuple[Head, ...]:
    """The name of every column of the grid, and its categories; None for numbers."""
    return tuple(head for column in encoding.used for head in _heads_of(column))


def width(encoding: Encoding) -> int:
    """The number of columns of the grid."""
    return sum(
        1 if isinstance(column, NumberColumn | CategoryColumn) else _named(column).size for column in encoding.used
    )


def grid(encoding: Encoding, table: Any, *, first_row: int = 0) -> Array:
    """grid[column, row]: a number, or the code of a category; NaN is missing.

    A value that is not among a column's categories has the code after the last. `table` and `first_row` are as for
    `Encoding.encode`.
    """
    if encoding.is_sparse:
        return _numbered_rows(encoding.used[0], numbered(table))  # type: ignore[arg-type]
    frame = frame_of(table, [column.name for column in encoding.used])
    encoding.check(frame)
    names = heads(encoding)
    cells = cells_of(frame, encoding.used, first_row)
    out, at = np.zeros((len(names), frame.height)), 0
    for column in encoding.used:
        if isinstance(column, NumberColumn):
            out[at] = _numbers(column, cells[column.name])
        elif isinstance(column, CategoryColumn):
            out[at] = _codes(column, cells[column.name])
        elif isinstance(column, TextColumn):
            rows, words = occurrences(frame, column)
            out[at + words, rows] = 1.0
        at += len(_heads_of(column))
    return out


def _named(column: EncodedColumn) -> EncodedColumn:
    """The column, if its features have names; refuses hashed text."""
    if isinstance(column, HashedTextColumn):
        raise OptionError(f"a tree cannot use hashed words: use a vocabulary for {column.name!r}, or leave it out")
    return column


def _heads_of(column: EncodedColumn) -> Sequence[Head]:
    if isinstance(column, CategoryColumn):
        other = OTHER if OTHER not in column.values else f"{OTHER} than these"
        return [(column.name, (*column.known, *((other,) if column.other else ())))]
    if isinstance(column, NumberColumn):
        return [(column.name, None)]
    return [(feature.meaning, None) for feature in _named(column).features]


def _numbers(column: NumberColumn, cells: pl.Series) -> Array:
    numbers = cells.to_numpy()
    clipped: Array = np.clip(numbers, column.lowest, column.highest) + 0.0  # no -0.0
    clipped[~np.isfinite(numbers)] = np.nan
    return clipped


def _codes(column: CategoryColumn, cells: pl.Series) -> Array:
    """The codes of the values; NaN if missing."""
    places = column.lookup.places(texts_of(cells))
    return np.where(places == column.spellings.missing, np.nan, places)


def _numbered_rows(column: SparseColumn, X: Any) -> Array:
    """Numbered features, one row of the grid for each."""
    there = column.known(X).toarray().T
    clipped: Array = np.clip(np.where(np.isfinite(there), there, 0.0), -column.highest, column.highest)
    return np.ascontiguousarray(clipped + 0.0)
