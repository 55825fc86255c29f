"""Tables as scikit-learn's users have them, brought into columns of numbers and of categories."""

import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, OptionError, TableError
from rosenblatt.learn.tree.stored_numbers import Stored
from rosenblatt.learn.tree.tree import ColumnHead, Columns
from rosenblatt.rows.door import first_without_number, not_a_number
from rosenblatt.rows.kernels import Array
from rosenblatt.visible import brief

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding
    from rosenblatt.read.table import Table

FROM_DTYPE = "from_dtype"
NOT_TEXT = ("int", "uint", "float", "double", "decimal", "date", "timedelta", "duration")  # how types begin
SPARSE = "sparse["  # so do those of pandas that store few numbers
ENOUGH, NAMES = 20, 0.8  # rows; the part of them that have a value of their own, for values to be names of rows
MOST_NUMBERS = 2**29  # of a sparse table that becomes a dense one: 4 GiB
MOST_LEARNED = 2**27  # numbers of a table to learn from: a gigabyte
WIDE, FEW = 32, 4  # a sparse table of more columns, of which at most one number in FEW is stored, is not made dense


class Unnamed(Sequence[ColumnHead]):
    """Columns of numbers x0, x1, ..., each made when it is needed: there may be millions, of which few are."""

    def __init__(self, many: int) -> None:
        self.many = many

    def __len__(self) -> int:
        return self.many

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return tuple(self[each] for each in range(self.many)[k])
        return ColumnHead(f"x{range(self.many)[k]}")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Unnamed):
            return self.many == other.many
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


def is_frame(X: Any) -> bool:
    """Whether X is a data frame, of pandas or of polars."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and not hasattr(X, "tocsr")


def names_of(X: Any) -> list[str]:
    """The names of the columns: x0, x1, ... where they have none."""
    return [str(name) for name in X.columns] if is_frame(X) else [f"x{k}" for k in range(X.shape[1])]


def categorical(X: Any, wanted: Any) -> list[bool]:
    """Which columns hold categories."""
    if wanted is None:
        return [False] * X.shape[1]
    refusal = options.refused("categorical_features", "numbers or names in a list", wanted, (FROM_DTYPE,), none=True)
    if isinstance(wanted, str):
        if wanted != FROM_DTYPE:
            raise refusal
        if not is_frame(X):
            return [False] * X.shape[1]
        return [_is_categorical(str(kind).lower(), X, k) for k, kind in enumerate(list(X.dtypes))]
    if isinstance(wanted, Mapping | set) or np.ndim(wanted) != 1:
        raise refusal
    names, chosen = names_of(X), list(np.asarray(wanted).tolist())
    if len(chosen) == len(names) and all(isinstance(each, bool) for each in chosen):
        return chosen
    for each in chosen:
        known = each in names if isinstance(each, str) else isinstance(each, int) and 0 <= each < len(names)
        if not known or isinstance(each, bool):
            raise OptionError(f"categorical_features names a column that is not there: {each!r}")
    return [k in chosen or (is_frame(X) and name in chosen) for k, name in enumerate(names)]


def _is_categorical(kind: str, X: Any, k: int) -> bool:
    """Whether a column of this type holds categories; one of objects, unless all are numbers."""
    if kind != "object":
        return not kind.removeprefix(SPARSE).startswith(NOT_TEXT)
    cells = _cells(X, k)
    return any(isinstance(cell, bool) or not isinstance(cell, Real | Decimal) for cell in cells[~_missing(cells)])


def read(X: Any, chosen: Sequence[bool]) -> Columns:
    """The columns of a table to learn from; one that names rows has no values to learn from, and a warning says so."""
    if not any(chosen) and not is_frame(X):
        unnamed = Unnamed(X.shape[1])
        if _is_wide(X):
            return Columns(unnamed, np.empty((0, X.shape[0])), stored_of(X, unnamed))
        return Columns(tuple(unnamed), _table(X, unnamed))
    names = names_of(X)
    X, heads, parts = _by_column(X), [], []
    for k, name in enumerate(names):
        cells = _cells(X, k)
        values = _values(cells) if chosen[k] else None
        heads.append(ColumnHead(name, values))
        parts.append(_numbers(cells, name) if values is None else _codes(cells, values))
        if values is not None and len(values) > max(NAMES * np.count_nonzero(~np.isnan(parts[-1])), ENOUGH):
            parts[-1] = np.full_like(parts[-1], np.nan)
            warnings.warn(
                f"column {name!r} has another value in nearly every row, as names and identifiers have: no test is "
                "about it; leave it out",
                UserWarning,
                stacklevel=4,
            )
    return Columns(tuple(heads), np.array(parts).reshape(len(names), X.shape[0]))


def read_like(X: Any, heads: Sequence[ColumnHead]) -> Array:
    """The table of rows to predict; a category that was not among the rows learned from has a code beyond all."""
    if is_of_numbers(heads) and not is_frame(X):
        return _table(X, heads)
    X, parts = _by_column(X), []
    for k, head in enumerate(heads):
        cells = _cells(X, k)
        parts.append(_numbers(cells, head.name) if head.categories is None else _codes(cells, head.categories))
    return np.array(parts).reshape(len(heads), X.shape[0])


def is_of_numbers(heads: Sequence[ColumnHead]) -> bool:
    """Whether no column holds categories."""
    return isinstance(heads, Unnamed) or not any(head.categories for head in heads)


def _is_wide(X: Any) -> bool:
    """Whether a table is sparse, and better left so."""
    n, d = X.shape
    return hasattr(X, "tocsc") and d > WIDE and (X.nnz * FEW <= n * d or n * d > MOST_NUMBERS)


def stored_of(X: Any, heads: Sequence[ColumnHead]) -> Stored:
    """A sparse table by its numbers; infinity is refused."""
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.tocsc()  # a copy, in which what is there twice keeps its order, and is added up as by `toarray`
        X.sum_duplicates()
        X = X.tocsr()
    order = np.argsort(X.indices, kind="stable")  # not by `tocsc`, which has an entry for every column
    rows = np.repeat(np.arange(X.shape[0], dtype=np.uint32), np.diff(X.indptr))[order]
    columns, values = X.indices[order].astype(np.int64), _floats(X.data, heads)[order]
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        k = infinite[0]
        _refuse(int(rows[k]), heads[columns[k]].name, values[k])
    kept = values != 0.0
    return Stored((X.shape[1], X.shape[0]), columns[kept], rows[kept], values[kept])


def from_table(encoding: "Encoding", table: Any, first_row: int = 0) -> Columns:
    """Rows of a table as a tree sees them that was learned under this encoding; arguments as for `tree_view.grid`."""
    from rosenblatt.read.encode.tree_view import grid  # with Polars, which tables of other kinds do not need

    return Columns(heads_of(encoding), grid(encoding, table, first_row=first_row))


def heads_of(encoding: "Encoding") -> tuple[ColumnHead, ...]:
    """The columns of such a tree."""
    from rosenblatt.read.encode.tree_view import heads

    return tuple(ColumnHead(name, categories) for name, categories in heads(encoding))


def whole_table(encoding: "Encoding", table: "Table") -> Columns:
    """All rows of a table, block by block where it is large."""
    from rosenblatt.read.encode.tree_view import grid, width

    many, height = width(encoding), table.height
    if many * height > MOST_LEARNED:
        raise TableError(
            f"{table.source}: {height:,} rows of {many:,} columns are too many for a tree, which sorts them all; "
            "leave columns out (--kind COLUMN=ignore), or rows"
        )
    if not table.is_large:
        return from_table(encoding, table.whole())
    parts = [np.empty((many, 0))]
    for block in table.blocks():
        parts.append(grid(encoding, block, first_row=sum(part.shape[1] for part in parts)))
    return Columns(heads_of(encoding), np.concatenate(parts, axis=1))


def check_heads(encoding: "Encoding", columns: Sequence[ColumnHead]) -> None:
    """Refuse an encoding whose columns are not these."""
    from rosenblatt.read.encode.tree_view import heads, width

    found = tuple((column.name, column.categories) for column in columns)
    try:
        many = width(encoding)
    except OptionError as error:
        raise ModelError(str(error)) from None
    if len(found) != many:  # the file states the number, and making that many heads could take long
        raise ModelError(f"the encoding has {many} columns for a tree, but the tree has {len(found)}")
    for there, own in zip(heads(encoding), found, strict=True):
        if there != own:
            raise ModelError(f"the encoding's column {brief(there[0])} and the tree's {brief(own[0])} differ")


def _by_column(X: Any) -> Any:
    """The table, stored by columns if it is sparse."""
    return X.tocsc() if hasattr(X, "tocsc") else X


def _table(X: Any, heads: Sequence[ColumnHead]) -> Array:
    """A table of numbers, column by column."""
    if hasattr(X, "toarray") and X.shape[0] * X.shape[1] > MOST_NUMBERS:
        raise DataError(
            f"a tree looks at every number of every column, zeros included: {X.shape[0]} x {X.shape[1]} would take "
            f"{X.shape[0] * X.shape[1] / 2**27:.1f} GiB; leave out rare columns, or use a linear rule"
        )
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    table = np.ascontiguousarray(_floats(dense.T, heads))
    table += 0.0  # no -0.0
    _refuse_infinity(table, heads)
    return table


def _cells(X: Any, k: int) -> Array:
    """A column's cells."""
    if is_frame(X):
        column = X.iloc[:, k] if hasattr(X, "iloc") else X[:, k]
        zoned = hasattr(column.dtype, "tz")  # of pandas, whose array would be one of objects
        return np.asarray(column.to_numpy("datetime64[ns]") if zoned else column.to_numpy(), dtype=None)
    if hasattr(X, "toarray"):
        return np.asarray(X[:, [k]].toarray().ravel())
    return np.asarray(X[:, k])


def _floats(cells: Array, heads: Sequence[ColumnHead]) -> Array:
    """Cells of columns as numbers, column by column."""
    if cells.dtype.kind == "c":
        raise DataError("Complex data not supported: a row is made of real numbers")
    if cells.dtype.kind == "M":  # whole days since 1970-01-01
        return np.where(np.isnat(cells), np.nan, cells.astype("datetime64[D]").astype(np.float64))
    if cells.dtype.kind == "m":  # in days
        return np.where(np.isnat(cells), np.nan, cells / np.timedelta64(1, "D"))
    try:
        return np.array(cells, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if (k := first_without_number(cells)) is None:
            raise
        column, row = divmod(k, cells.shape[-1])
        cell = not_a_number(cells.ravel().tolist()[k], row, repr(heads[column].name))
        if isinstance(error, TypeError):  # which scikit-learn's users expect of what is not even a text
            raise TypeError(f"{cell}: {error}") from error
        raise DataError(f"{cell}; or is it one of categorical_features?") from error


def _numbers(cells: Array, name: str) -> Array:
    """Numbers, NaN where missing."""
    heads = [ColumnHead(name)]
    cells = np.where(_missing(cells), np.nan, cells) if cells.dtype.kind == "O" else cells
    numbers = _floats(cells, heads) + 0.0
    _refuse_infinity(numbers[np.newaxis], heads)
    return numbers


def _refuse_infinity(table: Array, heads: Sequence[ColumnHead]) -> None:
    if np.isinf(table).any():
        column, row = np.argwhere(np.isinf(table))[0].tolist()
        _refuse(row, heads[column].name, table[column, row])


def _refuse(row: int, name: str, value: float) -> None:
    raise DataError(
        f"row {row}, column {name!r}: the value is {value}. Input X contains infinity, which "
        "cannot be compared with: leave it out (NaN is missing)"
    )


def _missing(cells: Array) -> Array:
    """Which cells are missing: None, NaN and their likes are not equal to themselves, or are None."""
    if cells.dtype.kind == "f":
        return np.isnan(cells)
    if cells.dtype.kind != "O":
        return np.zeros(cells.size, bool)
    return np.array([cell is None or not _equals_itself(cell) for cell in cells.tolist()], bool)


def _equals_itself(cell: Any) -> bool:
    try:
        return bool(cell == cell)
    except TypeError:  # pandas.NA
        return False


def _values(cells: Array) -> tuple[Any, ...]:
    """The categories in a column, sorted."""
    known = set(cells[~_missing(cells)].tolist())
    try:
        return tuple(sorted(known))
    except TypeError:
        return tuple(sorted(known, key=lambda value: (type(value).__name__, str(value))))


def _codes(cells: Array, values: Sequence[Any]) -> Array:
    """The place of each cell among the values: beyond all if it is not among them, NaN if missing."""
    code_of = {value: float(code) for code, value in enumerate(values)}
    missing = _missing(cells)
    return np.array(
        [
            np.nan if gone else code_of.get(cell, float(len(values)))
            for cell, gone in zip(cells.tolist(), missing, strict=True)
        ]
    )
