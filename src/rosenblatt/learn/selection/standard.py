"""Columns on one scale, and weights back in the units of the table.

A column of numbers has mean 0 and deviation 1. Zeros and ones stay as they are, so that a rare category does
not become a large number. In a column that is mostly zeros, such as the counts of a word, the other numbers get mean
square 1, and the column is not moved. Nor are the columns of a sparse table too wide to be held densely; the threshold
makes up for that.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.geometry.whitening import NUMBERS, Scaled, Space, Spanned, Whitened, times_powers
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import table_of

BIAS = 32.0  # the threshold is multiplied by this, so that the ridge hardly limits it
AXES, AXES_OF_SPARSE = 1536, 400  # columns, or rows if fewer; finding their axes takes the cube of that number
MOSTLY = 0.5  # a column is mostly zeros above this share
ROUNDING = 1e-13  # a deviation below this part of the largest number


@dataclass(frozen=True, eq=False)
class Standard:
    """What columns are moved and divided by, once divided by two to the power of their exponents."""

    exponents: Array
    means: Array
    scales: Array
    bias: float  # the table's own constant; 0 where there is no threshold

    @classmethod
    def of(cls, rows: Rows) -> "Standard":
        """The scale that suits these rows."""
        table = _held(table_of(rows))
        dense = isinstance(table, np.ndarray)
        n, d = table.shape
        largest = abs(table).max(axis=0)
        exponents = np.frexp(np.asarray(largest if dense else largest.toarray(), np.float64).ravel())[1]
        table = _times(table, -exponents)
        with np.errstate(over="ignore"):  # infinite for a column whose numbers are all far below 1
            ones = np.ldexp(1.0, -exponents)
        if dense:
            filled, sums, squares = (table != 0.0).sum(axis=0), table.sum(axis=0), (table * table).sum(axis=0)
            binary = ((table == 0.0) | (table == ones)).all(axis=0)
        else:
            filled, sums, squares = (
                np.bincount(table.indices, numbers, d) for numbers in (table.data != 0.0, table.data, table.data**2)
            )
            binary = np.bincount(table.indices, (table.data != 0.0) & (table.data != ones[table.indices]), d) == 0
        mostly_zeros = filled < MOSTLY * n
        means = np.where(binary | mostly_zeros, 0.0, sums / n) if rows.bias else np.zeros(d)
        spread = ((table - means) ** 2).sum(axis=0) if dense else squares - n * means * means
        scales = np.sqrt(np.maximum(spread, 0.0) / np.where(mostly_zeros, np.maximum(filled, 1), n))
        scales = np.where(binary, ones, np.where(scales > ROUNDING, scales, 1.0))
        return cls(exponents, means if dense else np.zeros(d), scales, rows.bias)

    def table(self, rows: Rows) -> Any:
        """A table of rows on this scale."""
        table = _times(_held(table_of(rows)), -self.exponents)
        if isinstance(table, np.ndarray):
            table -= self.means
            table /= self.scales
        else:
            table.data /= self.scales[table.indices]
        return table

    def space(self, rows: Rows, of_columns: bool = False) -> Space:
        """Coordinates of rows on this scale, without labels; if `of_columns`, each is a part of one column's weight."""
        return space_of(self.table(rows), BIAS if self.bias else 0.0, of_columns)

    def weights(self, W: Array) -> Array:
        """Weights for rows of the table, a row for each rule, which decide as W does for rows on this scale."""
        own = W[:, :-1] / self.scales
        thresholds = (BIAS * W[:, -1] - own @ self.means) / self.bias if self.bias else np.zeros(len(W))
        return times_powers(np.column_stack([own, thresholds]), np.append(-self.exponents, 0))


def space_of(table: Any, bias: float, of_columns: bool = False) -> Space:
    """Coordinates of the rows of a table on one scale; `bias` is what the threshold is multiplied by."""
    n, size = table.shape[0], table.shape[1] + 1
    axes = AXES if isinstance(table, np.ndarray) else AXES_OF_SPARSE
    kind = Scaled if of_columns else Whitened if size <= min(n, axes) else Spanned if n <= axes else Scaled
    return kind(table, bias, np.ones(n), np.ones(size))


def _held(table: Any) -> Any:
    """The table in dense form, if that does not take too much memory."""
    few = table.shape[1] < AXES_OF_SPARSE and table.shape[0] * table.shape[1] <= NUMBERS
    return table.toarray() if few and not isinstance(table, np.ndarray) else table


def _times(table: Any, exponents: Array) -> Any:
    """A copy in float64, columns times two to the power of their exponents."""
    if isinstance(table, np.ndarray):
        return np.ldexp(table, exponents, dtype=np.float64)
    table = scipy.sparse.csr_array(table, dtype=np.float64, copy=True)
    table.data = np.ldexp(table.data, exponents[table.indices])
    return table
