"""How the columns of a table become features: an immutable record, saved with the rule.

Problem: a rule must give every row the same label in SQL, in ONNX and in other languages as it does here.
Sums of doubles are rounded, and each engine adds in its own order.
Solution: features are short. A number is clipped to a range and rounded to a grid of 24 bits, a category is 0 or 1.
With weights that are short as well (`ship.export.points.short`), no product and no sum in a score is rounded in double
precision: every engine computes the same score in any order, and what is proved about the rule holds in all of them.
 Features fit float32 exactly.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import ModelError, TableError
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    EncodedColumn,
    Feature,
    IgnoredColumn,
    NumberColumn,
    SparseColumn,
    StepColumn,
    TextColumn,
)
from rosenblatt.read.encode.encoding_json import column_of, texts, wanted
from rosenblatt.read.encode.features import Cells
from rosenblatt.read.encode.lookup import Lookup, Unseen
from rosenblatt.read.frames import frame_of, nearest, refuse_lacking
from rosenblatt.read.table import refuse_other_types
from rosenblatt.read.values import BLANKS, MISSING, number_of, texts_of
from rosenblatt.rows.door import csr_of, is_sparse
from rosenblatt.rows.kernels import Array

DENSE = 0.25  # the share of non-zero features from which a table is dense
NOT_USED = "the rule does without it"
SMALL_DENSE = 4_000_000  # numbers; smaller tables are always dense


@dataclass(frozen=True)
class Target:
    """The column to predict, and its classes; with two, the second is the yes."""

    name: str
    classes: tuple[str, ...]

    def labels(self, frame: pl.DataFrame, first_row: int = 0) -> Array:
        """The class number of each row; `first_row` is the number of rows before these, for messages."""
        text = self.texts(frame)
        codes = self.codes(text)
        if (codes >= len(self.classes)).any():
            row = int((codes >= len(self.classes)).argmax())
            number = first_row + row + 1
            if codes[row] > len(self.classes):
                raise TableError(f"row {number}: the target {self.name!r} is missing")
            known = ", ".join(self.classes)
            raise TableError(
                f"row {number}: {text[row]!r} is not a class of the target {self.name!r}, which has {known}"
            )
        return codes.astype(np.int64)

    def texts(self, frame: pl.DataFrame) -> pl.Series:
        """What each row has in this column, as text."""
        if self.name not in frame.columns:
            raise TableError(f"the table has no column {self.name!r}, the target{nearest(self.name, frame.columns)}")
        refuse_other_types([self.name], frame.schema)
        return texts_of(frame[self.name])

    def codes(self, text: pl.Series) -> Array:
        """The class number of each text; K for any other text and K + 1 for a missing one, with K classes."""
        return Lookup(self.classes).places(text)


@dataclass(frozen=True)
class Encoding:
    """Columns in the order of their features, and the target."""

    columns: tuple[EncodedColumn, ...]
    target: Target

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """All features, in order."""
        return tuple(feature for column in self.columns for feature in column.features)

    @property
    def knows_labels(self) -> bool:
        """Whether labels have a part in it: edges of steps follow from the classes of the rows."""
        return any(isinstance(column, StepColumn) for column in self.columns)

    @cached_property
    def used(self) -> tuple[EncodedColumn, ...]:
        """The columns that are not left out."""
        return tuple(column for column in self.columns if column.size)

    @property
    def size(self) -> int:
        """The number of features."""
        return sum(column.size for column in self.columns)

    @property
    def names(self) -> list[str]:
        """The features' meanings."""
        return [feature.meaning for feature in self.features]

    def encode(self, table: Any, *, dense: bool | None = None, first_row: int = 0, rows: Array | None = None) -> Any:
        """The features of every row: a float32 array, or a CSR matrix if most are zero.

        `table`: a data frame or a mapping of columns; a sparse matrix for a rule on numbered features. `first_row` is
        the number of rows of a file before this table, for messages; `rows` are the indices of the wanted rows, sorted.
        """
        if self.is_sparse:
            X = self.used[0].encode(numbered(table))  # type: ignore[attr-defined]
            return X if rows is None else X[rows]
        frame = frame_of(table, [column.name for column in self.used])
        self.check(frame)
        starts = np.concatenate([[0], np.cumsum([column.size for column in self.used])]).tolist()
        whole = [(c, start) for c, start in zip(self.used, starts, strict=False) if not isinstance(c, TextColumn)]
        single = [(part, start + k) for c, start in whole for k, part in enumerate(c.parts)]
        prose = [(c, start) for c, start in zip(self.used, starts, strict=False) if isinstance(c, TextColumn)]
        found = cells_of(frame, [column for column, _ in whole], first_row)
        cells = Cells(found, frame.height, single, rows)
        if dense is None:
            dense = cells.n * self.size <= SMALL_DENSE or len(single) + 8 * len(prose) >= DENSE * self.size
        words = [(start, *occurrences(frame, column, rows)) for column, start in prose]
        return _with_words(cells.dense(self.size) if dense else cells.sparse(self.size), words)

    @property
    def is_sparse(self) -> bool:
        """Whether the rule uses numbered features, as in LIBSVM files."""
        return len(self.used) == 1 and isinstance(self.used[0], SparseColumn)

    def check(self, frame: pl.DataFrame | pl.LazyFrame) -> None:
        """Refuse a table that lacks a column, or has one that cannot be read as its kind."""
        there = dict(frame.collect_schema())
        refuse_lacking([column.name for column in self.used], there)
        refuse_other_types([column.name for column in self.used], there)
        for column in self.used:
            if not can_be(column, there[column.name]):
                raise TableError(
                    f"column {column.name!r} holds values of type {there[column.name]}, which cannot be read as "
                    f"{column.kind if isinstance(column, TextColumn | StepColumn) else f'a {column.kind}'}"
                )

    def only(self, names: Collection[str]) -> Self:
        """With these columns only; of numbered features, those with these numbers."""
        if self.is_sparse:
            return replace(self, columns=tuple(_numbers_only(column, names) for column in self.columns))
        kept = (
            column if column.name in names or not column.size else IgnoredColumn(column.name, NOT_USED)
            for column in self.columns
        )
        return replace(self, columns=tuple(kept))

    @property
    def column_names(self) -> list[str]:
        """The column of each feature; numbered features are columns of their own."""
        return self.names if self.is_sparse else [feature.column for feature in self.features]

    def note(self, frame: Any, unseen: Unseen | None) -> None:
        """Count the cells of a frame whose values the rule does not know."""
        if unseen is None or not isinstance(frame, pl.DataFrame):
            return
        for column in self.used:
            if isinstance(column, CategoryColumn):
                cells = texts_of(frame[column.name])
                unseen.add(column.name, cells, column.lookup.places(cells) == column.spellings.other)

    def labels(self, table: Any, first_row: int = 0) -> Array:
        """The class number of each row; `first_row` is as for `encode`."""
        return self.target.labels(frame_of(table, [self.target.name]), first_row)

    def as_record(self) -> dict[str, Any]:
        """The encoding as plain lists, numbers and texts."""
        columns = [column.as_record() for column in self.columns]
        return {"columns": columns, "target": {"name": self.target.name, "classes": list(self.target.classes)}}

    @classmethod
    def from_record(cls, record: Any) -> Self:
        """Read an encoding; raises ModelError if it is not valid."""
        wanted(record, {"columns": list, "target": dict}, "the encoding")
        wanted(record["target"], {"name": str, "classes": list}, "the target")
        classes = texts(record["target"]["classes"], "the target's classes")
        if len(classes) < 2:
            raise ModelError("the encoding's target has fewer than two classes")
        columns = tuple(column_of(column, k) for k, column in enumerate(record["columns"]))
        if len({column.name for column in columns}) < len(columns):
            raise ModelError("the encoding has two columns with the same name")
        return cls(columns, Target(record["target"]["name"], classes))


def _numbers_only(column: EncodedColumn, names: Collection[str]) -> EncodedColumn:
    if not isinstance(column, SparseColumn):
        return column
    numbers = tuple(number for number in column.all_numbers if str(number) in names)
    return replace(column, count=len(numbers), numbers=numbers)


def can_be(column: EncodedColumn, dtype: pl.DataType) -> bool:
    """Whether values of this type can be read as this kind of column."""
    if isinstance(dtype, pl.String | pl.Null) or isinstance(column, SparseColumn):
        return True
    if isinstance(column, DateColumn):
        return isinstance(dtype, pl.Date | pl.Datetime) or (column.format == "%Y%m%d" and dtype.is_integer())
    if isinstance(column, TextColumn):
        return dtype.is_integer() or dtype == pl.Boolean
    return dtype.is_numeric() or isinstance(dtype, pl.Boolean | pl.Date | pl.Datetime)


def numbered(table: Any) -> Any:
    """A sparse matrix of numbered features; refuses any other table."""
    if not is_sparse(table):
        raise TableError("the rule uses numbered features: it needs a LIBSVM file or a sparse matrix")
    return csr_of(table)


def cells_of(frame: pl.DataFrame, columns: Sequence[EncodedColumn], first_row: int) -> pl.DataFrame:
    """The cells of the columns of numbers and categories, read as their kinds require."""
    try:
        return frame.select(column.cells for column in columns if isinstance(column, NumberColumn | CategoryColumn))
    except pl.exceptions.PolarsError as error:
        for column in columns:
            _complain(frame, column, first_row)
        raise TableError(f"the table does not fit the rule's columns: {str(error).splitlines()[0]}") from error


def _complain(frame: pl.DataFrame, column: EncodedColumn, first_row: int) -> None:
    """Raise an error for the first cell of a number column that is not a number."""
    if isinstance(column, NumberColumn) and frame[column.name].dtype == pl.String:
        for row, cell in enumerate(frame[column.name]):
            text = None if cell is None else cell.strip(BLANKS)
            if text is not None and text not in MISSING and number_of(text, column.written) is None:
                raise TableError(f"row {first_row + row + 1}, column {column.name!r}: {cell!r} is not a number")


def _with_words(X: Any, words: list[tuple[int, Array, Array]]) -> Any:
    """The features, with the features of words added."""
    if not is_sparse(X):
        for first, rows, numbers in words:
            X[rows, first + numbers] = 1.0
        return X
    for first, rows, numbers in words:
        ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
        X = X + scipy.sparse.csr_array((np.ones(rows.size, np.float32), first + numbers, ends), X.shape)
    if words:
        X.sort_indices()
    return X


def occurrences(frame: pl.DataFrame, column: TextColumn, rows: Array | None = None) -> tuple[Array, Array]:
    """The rows and the indices of the words that occur in them, in order; for all rows, or for some."""
    texts = frame.select(column.name)
    lists = (texts if rows is None else texts[rows]).select(column.places.alias(column.name)).to_series()
    counts = lists.list.len().fill_null(0).to_numpy()
    places = lists.explode().drop_nulls().to_numpy()
    return np.repeat(np.arange(len(counts)), counts), places.astype(np.int32)
