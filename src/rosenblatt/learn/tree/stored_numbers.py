"""A sparse table for a tree: the numbers that are not zero, and nothing for the columns that have none.

`Stored` is the table as a record. A tree looks at few of its columns: `dense` makes a table of these.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rosenblatt.rows.kernels import Array

PART = 2**24  # numbers of the dense tables that rows are sent down by, part after part


@dataclass(frozen=True, eq=False)
class Stored:
    """The numbers of a table that are not zero, column after column, each in the order of the rows; NaN is missing."""

    shape: tuple[int, int]  # columns and rows
    columns: Array  # int64
    rows: Array  # uint32
    values: Array  # float64

    def take(self, rows: Array) -> "Stored":
        """These rows, in this order, each at most once."""
        places = np.full(self.shape[1], -1, np.int64)
        places[rows] = np.arange(rows.size)
        new = places[self.rows]
        kept = np.flatnonzero(new >= 0)
        kept = kept[np.lexsort((new[kept], self.columns[kept]))]
        return Stored((self.shape[0], rows.size), self.columns[kept], new[kept].astype(np.uint32), self.values[kept])

    def dense(self, columns: Array, first: int, last: int) -> Array:
        """The rows from the first to before the last, in these columns, which are in order: out[place, row]."""
        out = np.zeros((columns.size, last - first))
        begins, ends = (np.searchsorted(self.columns, columns, side) for side in ("left", "right"))
        for place, (a, b) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            a, b = a + np.searchsorted(self.rows[a:b], [first, last])
            out[place, self.rows[a:b] - np.uint32(first)] = self.values[a:b]
        return out

    def keys(self) -> Iterator[Callable[[Array], Array]]:
        """What to sort rows by, to have them in the order of their values in the first column, then the second, ...

        The k-th key is the rank of a row's k-th number. A number below zero puts its row before rows that have zero
        there, the more so the earlier the column; one above zero behind them. A row's end is between the two.
        """
        falling, gone = self.values < 0.0, np.isnan(self.values)
        where = np.where(falling, self.columns - self.shape[0], self.shape[0] - self.columns)
        order = np.lexsort((self.values, where))
        here, numbers = where[order], self.values[order]
        same = (numbers[1:] == numbers[:-1]) | (gone[order][1:] & gone[order][:-1])
        ranks = np.empty(order.size, np.int64)
        ranks[order] = np.cumsum(np.r_[False, (here[1:] != here[:-1]) | ~same][: order.size])
        ranks += ~falling  # leaves one number free, for the end
        end = int(ranks[falling].max(initial=-1)) + 1
        by_row = np.argsort(self.rows, kind="stable")
        ranks = ranks[by_row]
        starts = np.searchsorted(self.rows[by_row], np.arange(self.shape[1] + 1))
        sizes = np.diff(starts)

        def key(k: int) -> Callable[[Array], Array]:
            def of(rows: Array) -> Array:
                out = np.full(rows.size, end)
                longer = sizes[rows] > k
                out[longer] = ranks[starts[rows[longer]] + k]
                return out

            return of

        return (key(k) for k in range(int(sizes.max(initial=0))))


def parts(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Stretches of rows, few enough for a dense table with this many columns."""
    each = max(PART // max(columns, 1), 1)
    return ((first, min(first + each, rows)) for first in range(0, rows, each))
