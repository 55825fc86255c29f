"""Tables as scikit-learn's users have them, brought into columns of numbers and of categories."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import options
from rosenblatt.door import first_without_number, not_a_number
from rosenblatt.errors import DataError, OptionError
from rosenblatt.kernels import Array
from rosenblatt.learn.tree import Column, Columns

if TYPE_CHECKING:
    from rosenblatt.read.encoding import Encoding

FROM_DTYPE = "from_dtype"
NOT_TEXT = ("int", "uint", "float", "double", "date")  # how the types of numbers and dates begin, in pandas and polars
MOST_NUMBERS = 2**29  # of a sparse table that becomes a dense one: 4 GiB


def is_frame(X: Any) -> bool:
    """Whether X is a data frame, of pandas or of polars."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and not hasattr(X, "tocsr")


def names_of(X: Any) -> list[str]:
    """The names of the columns: x0, x1, ... where they have none."""
    return [str(name) for name in X.columns] if is_frame(X) else [f"x{k}" for k in range(X.shape[1])]


def categorical(X: Any, wanted: Any) -> list[bool]:
    """Which columns hold categories."""
    names = names_of(X)
    if wanted is None:
        return [False] * len(names)
    refusal = options.refused("categorical_features", "numbers or names in a list", wanted, (FROM_DTYPE,), none=True)
    if isinstance(wanted, str):
        if wanted != FROM_DTYPE:
            raise refusal
        if not is_frame(X):
            return [False] * len(names)
        return [not str(kind).lower().startswith(NOT_TEXT) for kind in list(X.dtypes)]
    if isinstance(wanted, Mapping | set) or np.ndim(wanted) != 1:
        raise refusal
    chosen = list(np.asarray(wanted).tolist())
    if len(chosen) == len(names) and all(isinstance(each, bool) for each in chosen):
        return chosen
    for each in chosen:
        known = each in names if isinstance(each, str) else isinstance(each, int) and 0 <= each < len(names)
        if not known or isinstance(each, bool):
            raise OptionError(f"categorical_features names a column that is not there: {each!r}")
    return [k in chosen or (is_frame(X) and name in chosen) for k, name in enumerate(names)]


def read(X: Any, chosen: Sequence[bool]) -> Columns:
    """The columns of a table to learn from."""
    names = names_of(X)
    if not any(chosen) and not is_frame(X):
        return Columns(tuple(Column(name) for name in names), _table(X, names))
    X, heads, parts = _by_column(X), [], []
    for k, name in enumerate(names):
        cells = _cells(X, k)
        values = _values(cells) if chosen[k] else None
        heads.append(Column(name, values))
        parts.append(_numbers(cells, name) if values is None else _codes(cells, values))
    return Columns(tuple(heads), np.array(parts).reshape(len(names), X.shape[0]))


def read_like(X: Any, heads: Sequence[Column]) -> Array:
    """The table of rows to predict; a category that was not there to learn from has a code beyond all."""
    if not any(head.categories for head in heads) and not is_frame(X):
        return _table(X, [head.name for head in heads])
    X, parts = _by_column(X), []
    for k, head in enumerate(heads):
        cells = _cells(X, k)
        parts.append(_numbers(cells, head.name) if head.categories is None else _codes(cells, head.categories))
    return np.array(parts).reshape(len(heads), X.shape[0])


def from_table(encoding: "Encoding", table: Any, first_row: int = 0) -> Columns:
    """Rows of a table as a tree sees them that was learned under this encoding; arguments as for `read.grid.grid`."""
    from rosenblatt.read.grid import grid  # with Polars, which tables of other kinds do not need

    return Columns(heads_of(encoding), grid(encoding, table, first_row=first_row))


def heads_of(encoding: "Encoding") -> tuple[Column, ...]:
    """The columns of such a tree."""
    from rosenblatt.read.grid import heads

    return tuple(Column(name, categories) for name, categories in heads(encoding))


def _by_column(X: Any) -> Any:
    """The same table, stored so that a column is at hand."""
    return X.tocsc() if hasattr(X, "tocsc") else X


def _table(X: Any, names: Sequence[str]) -> Array:
    """A table of numbers, column by column."""
    if hasattr(X, "toarray") and X.shape[0] * X.shape[1] > MOST_NUMBERS:
        raise DataError(
            f"a tree looks at every number of every column, also at zeros: {X.shape[0]} x {X.shape[1]} would take "
            f"{X.shape[0] * X.shape[1] / 2**27:.1f} GiB; leave out rare columns, or use a linear rule"
        )
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    table = np.ascontiguousarray(_floats(dense.T, names))
    table += 0.0  # no -0.0
    _refuse_infinity(table, names)
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


def _floats(cells: Array, names: Sequence[str]) -> Array:
    """Cells of columns with these names as numbers, column by column."""
    if cells.dtype.kind == "c":
        raise DataError("Complex data not supported: a row is made of real numbers")
    if cells.dtype.kind == "M":  # whole days since 1970-01-01
        return np.where(np.isnat(cells), np.nan, cells.astype("datetime64[D]").astype(np.float64))
    try:
        return np.array(cells, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if (k := first_without_number(cells)) is None:
            raise
        column, row = divmod(k, cells.shape[-1])
        cell = not_a_number(cells.ravel().tolist()[k], row, repr(names[column]))
        if isinstance(error, TypeError):  # which scikit-learn's users expect of what is not even a text
            raise TypeError(f"{cell}: {error}") from error
        raise DataError(f"{cell}; or is it one of categorical_features?") from error


def _numbers(cells: Array, name: str) -> Array:
    """Numbers, NaN where missing."""
    numbers = _floats(cells, [name]) + 0.0
    _refuse_infinity(numbers[np.newaxis], [name])
    return numbers


def _refuse_infinity(table: Array, names: Sequence[str]) -> None:
    if np.isinf(table).any():
        column, row = np.argwhere(np.isinf(table))[0].tolist()
        raise DataError(
            f"row {row}, column {names[column]!r}: the value is {table[column, row]}. Input X contains infinity, which "
            "is no number to compare with: leave it out (NaN is missing)"
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
