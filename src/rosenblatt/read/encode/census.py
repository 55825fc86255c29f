"""The census of a column: how many rows are in each of its cells.

A cell is a bin of numbers, a value, or a number of known words. After its own cells, every column has one for what the
rule does not know (a new value, a number beyond the range that the rule distinguishes, no known word), and one for
missing values.

The ends of bins are short numbers near the quantiles of a sample, so that they are not the values of single rows. A
number that many rows have gets a bin of its own.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import floor, inf, log10
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.read.encode.columns import (
    CategoryColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
    present_texts,
    split,
)
from rosenblatt.read.encode.encoding import cells_of, numbered
from rosenblatt.read.encode.lookup import places_of
from rosenblatt.read.values import texts_of
from rosenblatt.rows.kernels import Array

BINS = 10
WINDOW = 100  # a bin may end up to a 100th of the rows before or after a quantile
DIGITS = 17  # of a double
WORDS = (1, 2, 4, 8, 16, 32)  # the most known words that a text in each cell has
UNKNOWN, ABSENT = -2, -1  # the last two cells


def is_number(column: EncodedColumn) -> bool:
    """Whether the column's cells are bins of numbers or dates."""
    return isinstance(column, NumberColumn)


def numbers_of(columns: Sequence[EncodedColumn], frame: pl.DataFrame, first_row: int = 0) -> dict[str, Array]:
    """The finite numbers in each column of numbers or dates; NaN for all other cells."""
    of_numbers = [column for column in columns if is_number(column)]
    found = cells_of(frame, of_numbers, first_row)
    numbers = {column.name: found[column.name].to_numpy() for column in of_numbers}
    return {name: np.where(np.isfinite(each), each, np.nan) for name, each in numbers.items()}


def edges_of(numbers: Array) -> tuple[float, ...]:
    """The upper ends of all bins but the last, for a sample of numbers; there are none if there are no numbers."""
    ordered = np.sort(numbers[np.isfinite(numbers)])
    n, ends = ordered.size, set[float]()
    near = max(n // WINDOW, 1)
    for k in range(1, BINS) if n else ():
        at = n * k // BINS
        low, high = (float(ordered[min(max(at - 1 + side, 0), n - 1)]) for side in (-near, near))
        if low < high:
            ends.add(shortest(low, high))
            continue
        before, after = np.searchsorted(ordered, low, "left"), np.searchsorted(ordered, low, "right")
        ends.add(shortest(low, float(ordered[after])) if after < n else low)
        if before:
            ends.add(shortest(float(ordered[before - 1]), low))
    return tuple(sorted(ends))


def shortest(low: float, high: float) -> float:
    """A number with few digits that is at least `low` and below `high`."""
    if low <= 0.0 < high:
        return 0.0
    size = max(abs(low), abs(high))
    begin = floor(log10(size)) + 1
    for exponent in range(begin, begin - DIGITS - 1, -1):
        unit = float(f"1e{exponent}")
        if unit in (0.0, inf) or (times := low / unit) in (inf, -inf):
            continue
        found = float(f"{-floor(-times)}e{exponent}")
        if low <= found < high:
            return found
    return low


def cells_in(column: EncodedColumn, edges: Sequence[float]) -> int:
    """The number of cells of a column."""
    return len(names_of_cells(column, edges, str))


def names_of_cells(column: EncodedColumn, edges: Sequence[float], number: Any) -> list[str]:
    """What the cells of a column hold, in words; `number` turns a number into text."""
    if isinstance(column, NumberColumn):
        return [*names_of_bins([number(end) for end in edges]), "far out of range", "missing"]
    if isinstance(column, CategoryColumn):
        return [*column.known, "unknown values", "missing"]
    what = "known feature" if isinstance(column, SparseColumn) else "known word"
    own = [f"1 {what}", f"2 {what}s"]
    own += [f"{low + 1} to {high} {what}s" for low, high in pairwise(WORDS[1:])]
    return [*own, f"over {WORDS[-1]} {what}s", f"no {what}", "missing"]


def names_of_bins(ends: Sequence[str]) -> list[str]:
    """What the bins with these ends hold, in words."""
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return [f"up to {ends[0]}", *between, f"above {ends[-1]}"] if ends else ["any number"]


def places(
    columns: Sequence[EncodedColumn], edges: Sequence[Sequence[float]], table: Any, first_row: int = 0
) -> Iterator[Array]:
    """The cell of every row in each column; `first_row` is the number of rows before this table, for messages."""
    if columns and isinstance(columns[0], SparseColumn):
        found = columns[0].known(numbered(table))
        yield _of_words(np.diff(found.indptr))
        return
    numbers = numbers_of(columns, table, first_row)
    named = [column for column in columns if isinstance(column, CategoryColumn)]
    values = places_of([(column.lookup, texts_of(table[column.name])) for column in named]) if named else []
    looked_up = {column.name: each for column, each in zip(named, values, strict=True)}
    for column, ends in zip(columns, edges, strict=True):
        if isinstance(column, NumberColumn):
            yield _of_numbers(column, ends, numbers[column.name])
        elif isinstance(column, CategoryColumn):
            yield looked_up[column.name]
        elif isinstance(column, TextColumn):
            yield _of_words(*_words_known(column, table))


def bins_of(numbers: Array, edges: Sequence[float]) -> Array:
    """The bin of every number: the first whose end is not below it."""
    return np.searchsorted(np.asarray(edges, np.float64), numbers)


def _of_numbers(column: NumberColumn, edges: Sequence[float], numbers: Array) -> Array:
    found = bins_of(numbers, edges)
    found[(numbers < column.lowest) | (numbers > column.highest)] = len(edges) + 1
    found[np.isnan(numbers)] = len(edges) + 2
    return found


def _words_known(column: TextColumn, table: pl.DataFrame) -> tuple[Array, Array]:
    """How many different known words each text has, and which texts are missing."""
    hashed = isinstance(column, HashedTextColumn)  # which knows every word
    words = split(present_texts(column.name)).list.unique() if hashed else column.places
    counts = table.select(column.name).select(words.list.len()).to_series()
    return counts.fill_null(0).to_numpy(), counts.is_null().to_numpy()


def _of_words(counts: Array, missing: Array | None = None) -> Array:
    own = len(WORDS) + 1
    found = np.where(counts > 0, np.searchsorted(WORDS, counts), own)
    if missing is not None:
        found[missing] = own + 1
    return found
