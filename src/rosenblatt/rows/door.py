"""The one door that arrays and sparse matrices come in by.

Problem   compiled code goes where indices point, SciPy's own too, and NumPy drops the mask of a masked array silently.
Input     whatever a caller has for a table, its labels or its weights.
Result    a table that can be trusted: a sparse matrix as CSR with all indices inside its shape; an array without a
          mask. Damaged or masked input raises a DataError that says where. The caller's own stays as it is, and CSR is
          not copied.
"""

from collections.abc import Sequence
from reprlib import repr as shortened
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import DataError
from rosenblatt.rows.kernels import Array, Csr, Dense

DAMAGED = "the sparse matrix is damaged: "
WHOLE = "iu"


def admitted(X: Any) -> Any:
    """A table: a sparse matrix as checked CSR; an array without its mask, if nothing is masked; else as it is.

    Rows came in by this door before, so they are not checked again.
    """
    if are_rows(X):
        return X
    return csr_of(X) if is_sparse(X) else unmasked(X, "X")


def are_rows(X: Any) -> bool:
    """Whether a table is one that `storage.rows_of` has checked."""
    return isinstance(X, Dense | Csr)


def unmasked(values: Any, what: str) -> Any:
    """Values without a mask; refused if one of them is masked. `what` they are: X, y or the weights."""
    if isinstance(values, list | tuple) and any(isinstance(each, np.ma.MaskedArray) for each in values):
        values = np.ma.array(values)
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if np.ma.getmaskarray(values).any():
        place = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
        where = ", ".join(f"{name} {k}" for name, k in zip(("row", "column"), place, strict=False)) or "it"
        raise DataError(f"{what}: {where} is masked; leave the row out, or give a value with .filled(value)")
    return np.asarray(values)


def labelled(y: Any) -> Any:
    """Labels without a mask, of which none is missing, and none would become another by its kind."""
    if y is None:
        raise DataError("y is missing: every row needs a label")
    y = unmasked(y, "y")
    missing = _missing(y)
    if missing.ndim == 1 and missing.any():
        raise DataError(f"row {int(np.argmax(missing))}: the label is missing; every row needs one: leave the row out")
    if isinstance(y, list | tuple) and len({type(label) for label in y}) > 1:
        _refuse_mixed(y)
    return y


def _missing(y: Any) -> Array:
    """Which labels are NaN, None or what a data frame has for them."""
    for name in ("isna", "is_null"):
        if hasattr(y, name):
            found = np.asarray(getattr(y, name)())
            return found | np.asarray(y.is_nan()) if name == "is_null" and y.dtype.is_float() else found
    if isinstance(y, list | tuple):
        return np.array([_is_missing(label) for label in y])
    y = np.asarray(y)
    if y.dtype.kind == "O":
        return np.array([_is_missing(label) for label in y.tolist()])
    return np.isnan(y) if y.dtype.kind in "fmM" else np.zeros(0, np.bool_)


def _is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or pandas' NA, which is equal to nothing and neither true nor false."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float | np.floating | np.datetime64 | np.timedelta64) and bool(label != label)


def _refuse_mixed(y: Any) -> None:
    """Refuse a list of texts and others: as an array, all would be texts, and 1 the same as "1"."""
    texts = [isinstance(label, str) for label in y]
    if any(texts) and not all(texts):
        row = texts.index(not texts[0])
        raise DataError(f"row {row}: the label {shortened(y[row])} is of another kind than {shortened(y[0])} in row 0")


def refuse_dates(X: Any) -> None:
    """Refuse columns of dates or times: in which unit they are numbers, only the caller knows."""
    if (names := names_of(X)) is not None:
        dated = [repr(name) for name, kind in zip(names, X.dtypes, strict=True) if _is_of_time(kind)]
    else:
        dated = ["0"] if _is_of_time(getattr(X, "dtype", None)) else []
    if dated:
        raise DataError(
            f"column {dated[0]} holds dates or times; give numbers instead, such as days since a date, or use "
            "PerceptronTree, which takes dates"
        )


def _is_of_time(kind: Any) -> bool:
    """Whether values of a type, NumPy's, pandas' or Polars', are dates or times."""
    of_polars = getattr(kind, "is_temporal", None)
    return getattr(kind, "kind", "") in ("m", "M") if of_polars is None else bool(of_polars())


def refuse_rounded(X: Any, floats: Array) -> None:
    """Refuse whole numbers that are not the same as floats, where other columns made floats of them."""
    if floats.dtype.kind != "f" or floats.ndim != 2 or not floats.size:
        return
    columns = _columns_of_whole_numbers(X, floats.shape[1])
    if not columns.size:
        return
    sizes = np.abs(floats[:, columns].astype(np.float64))  # float16 does not reach so far
    for row, place in np.argwhere(sizes >= 2.0**53).tolist():
        column = int(columns[place])
        cell = _cell(X, row, column)
        if isinstance(cell, int | np.integer) and int(cell) != int(floats[row, column]):
            names = names_of(X)
            named = column if names is None else repr(names[column])
            raise DataError(
                f"row {row}, column {named}: {cell} is too large a whole number for float64 to hold exactly; "
                "subtract an offset or divide the column"
            )


def _columns_of_whole_numbers(X: Any, many: int) -> Array:
    """The columns of a table of any kind that may have whole numbers where floats are made of it."""
    if (kind := getattr(X, "dtype", None)) is not None:
        return np.arange(many if kind.kind in "iuO" else 0)
    if names_of(X) is None:
        return np.arange(many)
    return np.flatnonzero([str(each).lower().startswith(("int", "uint", "object")) for each in X.dtypes])


def _cell(X: Any, row: int, column: int) -> Any:
    """A cell of a table of any kind, as it is written there."""
    if hasattr(X, "iloc"):
        return X.iloc[:, column].iloc[row]
    return X[row, column] if hasattr(X, "shape") else X[row][column]


def with_nan_for_masked(X: Any) -> Any:
    """A table for a rule that knows missing values: NaN where it is masked, None among words."""
    if not isinstance(X, np.ma.MaskedArray) or not np.ma.getmaskarray(X).any():
        return admitted(X)
    is_number = X.dtype.kind in "biuf"
    filled = np.asarray(X).astype(np.result_type(X.dtype, np.float32) if is_number else object)
    filled[np.ma.getmaskarray(X)] = np.nan if is_number else None
    return filled


def as_array(X: Any) -> Array:
    """A table as an array, if its rows are equally long."""
    try:
        return np.asarray(X)
    except ValueError as error:
        if not isinstance(X, list | tuple) or not all(hasattr(row, "__len__") for row in X):
            raise
        row = next((k for k, each in enumerate(X) if len(each) != len(X[0])), None)
        if row is None:
            raise
        raise DataError(f"row {row} has {len(X[row])} values, but row 0 has {len(X[0])}") from error


def names_of(X: Any) -> list[str] | None:
    """The names of a data frame's columns."""
    return list(map(str, X.columns)) if hasattr(X, "columns") and hasattr(X, "dtypes") else None


def first_without_number(values: Array) -> int | None:
    """The place, among all in order, of the first entry that is not a number; None counts as missing."""
    if values.dtype.kind not in "OUS":
        return 0 if values.dtype.kind in "mMV" and values.size else None
    for k, value in enumerate(values.ravel().tolist()):
        try:
            float("nan" if value is None else value)
        except (TypeError, ValueError, OverflowError):
            return k
    return None


def not_a_number(value: Any, row: int, column: object) -> str:
    """That a cell holds something else than a number, in words."""
    return f"row {row}, column {column}: {shortened(value)} is not a number"


def cell_without_number(X: Any, names: Sequence[str] | None = None) -> str | None:
    """Says which cell of a table is the first that holds no number, if there is one."""
    table = None if is_sparse(X) else np.asarray(X)
    if table is None or table.ndim != 2 or (k := first_without_number(table)) is None:
        return None
    row, column = divmod(k, table.shape[1])
    names = names_of(X) if names is None else names
    return not_a_number(table[row].tolist()[column], row, column if names is None else repr(str(names[column])))


def csr_of(X: Any) -> Any:
    """A sparse matrix of any format as CSR, once it is known that nothing in it points elsewhere."""
    if X.ndim != 2:
        raise DataError(f"X must be a table of rows and columns, not an array of shape {X.shape}")
    kind = getattr(X, "format", None)
    if kind in ("csr", "csc", "bsr"):
        _check_compressed(X, kind)
    elif kind == "coo":
        _check_coordinates(X)
    elif kind == "lil":
        _check_lists(X)
    elif kind == "dia" and (X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1] or X.offsets.dtype.kind != "i"):
        raise DataError(DAMAGED + "its diagonals do not fit their offsets")
    elif kind == "dok":
        _check_keys(X)
    try:
        found = X.tocsr()
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise DataError(f"{DAMAGED}{error}") from error
    if kind != "csr":
        _check_compressed(found, "csr")
    return found if _is_usual(found.indices) and _is_usual(found.indptr) else _with_usual_indices(found)


def is_sparse(X: Any) -> bool:
    """Whether a table is one of SciPy's."""
    return hasattr(X, "tocsr")


def _is_usual(indices: Array) -> bool:
    """Whether indices are of the kinds that code is compiled for, SciPy's and ours."""
    return indices.dtype in (np.int32, np.int64) and indices.flags.c_contiguous


def _with_usual_indices(X: Any) -> Any:
    return scipy.sparse.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)


def _check_compressed(X: Any, kind: str) -> None:
    """Rows, columns or blocks one after the other: the pointers rise from 0 to the entries, whose indices exist."""
    lines, across = X.shape if kind != "csc" else X.shape[::-1]
    if kind == "bsr":
        high, wide = X.data.shape[1:] if X.data.ndim == 3 else (0, 0)
        if not high or not wide or lines % high or across % wide:
            raise DataError(DAMAGED + "its blocks do not fit its shape")
        lines, across = lines // high, across // wide
    pointers, indices = X.indptr, X.indices
    _check_whole(pointers, indices)
    name = "column" if kind == "csc" else "row"
    if pointers.shape != (lines + 1,):
        raise DataError(f"{DAMAGED}it has {lines} {name}s, and {pointers.size} {name} pointers, not one more")
    if indices.shape != X.data.shape[:1] or (kind != "bsr" and X.data.ndim != 1):
        raise DataError(f"{DAMAGED}it has {indices.size} indices, but values of shape {X.data.shape}")
    if pointers[0] != 0 or (pointers[1:] < pointers[:-1]).any() or pointers[-1] > indices.size:
        raise DataError(f"{DAMAGED}its {name} pointers do not fit its entries")
    _check_range(indices[: int(pointers[-1])], across, "rows" if kind == "csc" else "columns")


def _check_coordinates(X: Any) -> None:
    rows, columns = X.row, X.col
    _check_whole(rows, columns)
    if not rows.shape == columns.shape == X.data.shape or rows.ndim != 1:
        raise DataError(f"{DAMAGED}it has {rows.size} rows and {columns.size} columns for {X.data.size} values")
    _check_range(rows, X.shape[0], "rows")
    _check_range(columns, X.shape[1], "columns")


def _check_lists(X: Any) -> None:
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        raise DataError(f"{DAMAGED}it has {len(X.rows)} lists of columns for {X.shape[0]} rows")
    for row, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if len(columns) != len(values):
            raise DataError(f"{DAMAGED}row {row} has {len(columns)} columns for {len(values)} values")
        _check_range(np.array(columns, np.int64), X.shape[1], "columns")


def _check_keys(X: Any) -> None:
    for key in X.keys():  # noqa: SIM118
        if len(key) != 2 or not all(0 <= k < most for k, most in zip(key, X.shape, strict=True)):
            raise DataError(
                f"{DAMAGED}it has an entry at {key}, outside its {X.shape[0]} rows and {X.shape[1]} columns"
            )


def _check_whole(*numbers: Array) -> None:
    if any(each.dtype.kind not in WHOLE or each.ndim != 1 for each in numbers):
        raise DataError(DAMAGED + "its indices are not whole numbers in a row")


def _check_range(indices: Array, most: int, what: str) -> None:
    if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= most):
        raise DataError(f"{DAMAGED}it has an entry outside its {most} {what}")
