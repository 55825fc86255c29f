"""Finds columns that almost determine the target on their own: they were probably filled in afterwards.

Input     a table in memory, the class numbers of its rows, and its encoded columns.
Result    for each such column, the share of the rows on which a rule on that column alone is wrong.
Method    A category predicts the most frequent class of each of its values. A number predicts one class on each side of
          the best threshold, for two classes. A sample of the rows is tried first, since most columns reveal little.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from rosenblatt.read.encode.columns import CategoryColumn, EncodedColumn, NumberColumn
from rosenblatt.read.encode.encoding import cells_of
from rosenblatt.read.values import texts_of
from rosenblatt.rows.kernels import Array

FEWEST = 50  # rows; with fewer, it may be a coincidence
SAMPLE = 2**12  # rows
MOST_COLUMNS = 2000  # wider tables are not checked
NEARLY = 0.025  # of the rows may be wrong
BETTER = 5  # at least this many times fewer mistakes than always predicting the most frequent class
REPEATED = 10  # rows for each value of a category, at least


def near_leaks(frame: pl.DataFrame, y: Array, columns: Sequence[EncodedColumn]) -> Iterator[tuple[str, float]]:
    """The names of these columns, and the share of the rows that each alone gets wrong."""
    asked = [column for column in columns if isinstance(column, NumberColumn | CategoryColumn)]
    if y.size < FEWEST or len(asked) > MOST_COLUMNS:
        return
    some = slice(None, None, max(y.size // SAMPLE, 1))
    few = cells_of(frame.gather_every(max(y.size // SAMPLE, 1)), asked, 0)
    for column in asked:
        if _decides(column, few[column.name], y[some]) is None:
            continue
        wrong = _decides(column, cells_of(frame, [column], 0)[column.name], y)
        if wrong is not None:
            yield column.name, wrong / y.size


def _decides(column: EncodedColumn, cells: pl.Series, y: Array) -> int | None:
    """The number of mistakes of a rule on this column alone, if there are few; otherwise None."""
    totals = np.bincount(y)
    if isinstance(column, NumberColumn):
        wrong = _by_threshold(cells.to_numpy(), y) if totals.size == 2 else None
    else:
        assert isinstance(column, CategoryColumn)
        wrong = _by_value(column.lookup.places(texts_of(cells)), y)
    most = min(NEARLY * y.size, (y.size - totals.max()) / BETTER)
    return wrong if wrong is not None and wrong <= most else None


def _by_value(places: Array, y: Array) -> int | None:
    counts = np.zeros((int(places.max()) + 1, int(y.max()) + 1), int)
    np.add.at(counts, (places, y), 1)
    if counts.any(axis=1).sum() * REPEATED > y.size:
        return None
    return int(y.size - counts.max(axis=1).sum())


def _by_threshold(numbers: Array, y: Array) -> int:
    """The fewest mistakes of any threshold, in either direction; rows without a number are a group of their own."""
    there = np.isfinite(numbers)
    gone = np.bincount(y[~there], minlength=2)
    order = np.argsort(numbers[there], kind="stable")
    values, yes = numbers[there][order], np.cumsum(y[there][order])
    if not values.size:
        return int(gone.min())
    ends = np.append(np.flatnonzero(values[1:] != values[:-1]), values.size - 1)  # a threshold after each value
    below, total = yes[ends], int(yes[-1])
    wrong = below + (values.size - 1 - ends) - (total - below)  # a no below, a yes above
    return int(min(wrong.min(), (values.size - wrong).min()) + gone.min())
