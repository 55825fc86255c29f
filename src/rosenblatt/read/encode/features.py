"""Computes the features of a table's rows from its columns, block by block, on all cores.

A block stays in the cache, and its memory is reused: touching new memory would take longer than everything else.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
import scipy  # its parts are loaded when they are used

from rosenblatt.read.encode import feature_kernels
from rosenblatt.read.encode.columns import CategoryColumn, EncodedColumn, NumberColumn, add_up
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.threads import in_pieces

BLOCK = 2**14  # rows
WORK = 4  # the cost of a cell, in numbers of a plain pass


class Cells:
    """The columns with one feature per row, each with the index of its first feature; for all rows, or for some."""

    def __init__(
        self, cells: pl.DataFrame, n: int, columns: Sequence[tuple[EncodedColumn, int]], rows: Array | None
    ) -> None:
        self.height, self.n = n, n if rows is None else int(rows.size)
        self.cells, self.columns, self.rows = cells, columns, rows if self.n < n else None

    def dense(self, size: int) -> Array:
        """The rows as a dense array."""
        X = np.zeros((self.n, size), np.float32)

        def fill(first: int, last: int) -> None:
            for start, places, values, rows in self._blocks(first, last):
                scatter = briefly(feature_kernels.scatter, rows.size * len(self.columns))
                scatter(places, values, rows, X[start : start + rows.size])

        self._in_pieces(fill)
        return X

    def sparse(self, size: int) -> "scipy.sparse.csr_array":
        """The rows as a CSR matrix. Blocks are written where they would start if no entry were zero, then moved up."""
        each = len(self.columns)
        kind = np.int32 if self.n * each < 2**31 else np.int64
        starts: Array = np.zeros(self.n + 1, kind)
        columns, data = np.empty(self.n * each, kind), np.empty(self.n * each, np.float32)

        def fill(first: int, last: int) -> list[tuple[int, int, int]]:
            ends = []
            for start, places, values, rows in self._blocks(first, last):
                gather = briefly(feature_kernels.gather, rows.size * each)
                end = gather(places, values, rows, start * each, starts[start + 1 :], columns, data)
                ends.append((start, rows.size, end))
            return ends

        at = 0
        for start, many, end in (block for piece in self._in_pieces(fill) for block in piece):
            begin = start * each
            if at < begin:
                starts[start + 1 : start + many + 1] -= begin - at
                for entries in (columns, data):
                    entries[at : at + end - begin] = entries[begin:end]
            at += end - begin
        return scipy.sparse.csr_array((data[:at], columns[:at], starts), (self.n, size))

    def _in_pieces(self, fill: Any) -> list[Any]:
        return in_pieces(fill, 0, -(-self.n // BLOCK), BLOCK * len(self.columns) * WORK)

    def _blocks(self, first: int, last: int) -> Iterator[tuple[int, Array, Array, Array]]:
        """For each block, the number of its first row; for each column, the only feature of every row that may be
        non-zero, and its value; and which of these rows are wanted."""
        shape = (len(self.columns), min(2 * BLOCK, max(self.height, 1)))
        places, values = np.empty(shape, np.int32), np.empty(shape, np.float32)
        for start in range(first * BLOCK, min(last * BLOCK, self.n), BLOCK):
            block, rows = self._block(start)
            many = block.height
            places[:, :many], values[:, :many] = 0, 0
            _fill(self.columns, block, places[:, :many], values[:, :many])
            yield start, places, values, rows

    def _block(self, start: int) -> tuple[pl.DataFrame, Array]:
        """The cells of a block, and which of its rows are wanted. If most are, the others are not worth removing."""
        if self.rows is None:
            return self.cells.slice(start, BLOCK), np.arange(min(BLOCK, self.n - start))
        rows = self.rows[start : start + BLOCK]
        there = rows - rows[0]
        around = self.cells.slice(int(rows[0]), int(there[-1]) + 1)
        if around.height > 2 * BLOCK or 2 * rows.size < around.height:
            return around.select(pl.all().gather(there)), np.arange(rows.size)
        return around, there


def _fill(columns: Sequence[tuple[EncodedColumn, int]], block: pl.DataFrame, places: Array, values: Array) -> None:
    """Write the feature index and the value of every cell into the arrays of zeros."""
    single = [(k, column) for k, (column, _) in enumerate(columns) if isinstance(column, NumberColumn | CategoryColumn)]
    add_up(block, [_what_to_add(column, places[k], values[k]) for k, column in single])
    for k, (column, first) in enumerate(columns):
        if isinstance(column, NumberColumn):
            gone = np.isnan(values[k])
            values[k, gone] = column.missing
            places[k] = first + (gone & column.missing)
        else:
            values[k] = places[k] > 0
            places[k] += first - 1


def _what_to_add(
    column: NumberColumn | CategoryColumn, places: Array, values: Array
) -> tuple[NumberColumn | CategoryColumn, Sequence[float], Array]:
    """What to add up for a column: the number itself, or the index of its feature, from 1; 0 means none."""
    return (
        (column, (1.0, np.nan), values)
        if isinstance(column, NumberColumn)
        else (column, range(1, column.size + 1), places)
    )
