"""Rows: tables as compiled code sees them, dense or CSR, checked and measured once; no labels.

The only place that knows about the threshold's constant feature, row lengths and the radius. Dense tables in C order
and CSR matrices are used where they lie, without a copy; float32 and float64 are kept.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt import options
from rosenblatt.errors import DataError
from rosenblatt.rows import kernels
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.door import (
    admitted,
    are_rows,
    as_array,
    cell_without_number,
    is_sparse,
    names_of,
    refuse_dates,
    refuse_rounded,
)
from rosenblatt.rows.kernels import Array, Csr, Dense, Rows, fixed_rows
from rosenblatt.rows.threads import in_pieces

LONGEST = kernels.HUGE
SQUARES = (1e-280, 1e300)  # outside, a sum of squares may have lost something to underflow or overflow


def n_rows(rows: Rows) -> int:
    """How many rows there are."""
    return len(rows.values) if isinstance(rows, Dense) else len(rows.starts) - 1


def n_features(rows: Rows) -> int:
    """How many features a row has, the threshold's constant not counted."""
    return int(rows.values.shape[1]) if isinstance(rows, Dense) else rows.features


def table_of(rows: Rows) -> Any:
    """The features as an array or as a SciPy matrix."""
    if isinstance(rows, Dense):
        return rows.values
    columns = rows.columns.view(rows.columns.dtype.str.replace("u", "i"))
    if max(rows.values.size, rows.features) < 2**31:  # what others compile for
        columns = columns.astype(np.int32, copy=False)
    starts = rows.starts.astype(columns.dtype)
    return scipy.sparse.csr_array((rows.values, columns, starts), shape=(n_rows(rows), rows.features))


def some_rows(rows: Rows, chosen: Array) -> Rows:
    """A copy of these rows."""
    if isinstance(rows, Dense):
        return fixed_rows(rows._replace(values=rows.values[chosen]))
    begins, ends = rows.starts[chosen].astype(np.int64), rows.starts[chosen + 1].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(ends - begins)])
    places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], ends - begins)
    columns, starts = rows.columns[places], starts.astype(np.uint64)
    return fixed_rows(rows._replace(values=rows.values[places], columns=columns, starts=starts))


def some_features(rows: Rows, chosen: Array) -> Rows:
    """A copy with these features only; the radius of all is still a bound, and not measured again."""
    if isinstance(rows, Dense):
        return fixed_rows(rows._replace(values=np.ascontiguousarray(rows.values[:, chosen])))
    part = scipy.sparse.csr_array(table_of(rows)[:, chosen])
    part.sort_indices()
    columns, starts = part.indices.astype(rows.columns.dtype), part.indptr.astype(np.uint64)
    return fixed_rows(rows._replace(values=part.data, columns=columns, starts=starts, features=len(chosen)))


def joined_rows(a: Rows, b: Rows) -> Rows:
    """Rows of a, then those of b, which are stored in the same way."""
    known: Any = {"radius": max(a.radius, b.radius), "terms": max(a.terms, b.terms), "whole": a.whole and b.whole}
    values = np.concatenate([a.values, b.values])
    if isinstance(a, Dense) or isinstance(b, Dense):
        return fixed_rows(a._replace(values=values, **known))
    columns, starts = np.concatenate([a.columns, b.columns]), np.concatenate([a.starts, b.starts[1:] + a.starts[-1]])
    return fixed_rows(a._replace(values=values, columns=columns, starts=starts, **known))


def numbers_per_row(rows: Rows) -> float:
    """How many numbers a look at a row reads, on average."""
    return rows.values.size / max(n_rows(rows), 1) + 1


def bias_of(fit_intercept: bool, bias_scale: float | str, *words: str) -> float:
    """The constant that every row shows the threshold: 0 where there is none, and 1 where it is one of some words."""
    scale = options.number("bias_scale", bias_scale, above=0, below=LONGEST, words=words)
    if not options.flag("fit_intercept", fit_intercept):
        return 0.0
    return 1.0 if isinstance(scale, str) else float(scale)


def rows_of(X: Any, *, bias: float = 1.0, names: Sequence[str] | None = None) -> Rows:
    """Check a table: dense (in C order, float32 or float64: without a copy) or sparse.

    Rows were checked when they were made: they are not checked again, and measured again only for another constant.
    """
    return rows_of_admitted(admitted(X), bias, names)


def rows_of_admitted(X: Any, bias: float, names: Sequence[str] | None = None) -> Rows:
    """The rows of a table that came in by the door: `door.admitted` has been called on it."""
    if are_rows(X):
        return with_bias(X, bias)
    refuse_dates(X)
    names = names_of(X) if names is None else names
    rows = _csr(X, bias) if is_sparse(X) else _dense(X, bias, names)
    if not n_rows(rows):
        raise DataError("the table has no rows: found array with 0 sample(s)")
    if not n_features(rows):
        raise DataError("the table has no columns: found array with 0 feature(s)")
    return _measured(rows, names)


def unit_rows(rows: Rows) -> Rows:
    """A copy with every row's features scaled to length 1; a row of zeros, and the threshold's constant, stay."""
    lengths = lengths_of(rows._replace(bias=0.0))
    lengths[lengths == 0.0] = 1.0
    if isinstance(rows, Dense):
        values = rows.values / lengths[:, np.newaxis]
    else:
        values = rows.values / np.repeat(lengths, np.diff(rows.starts).astype(np.int64))
    return _measured(rows._replace(values=values.astype(rows.values.dtype)), None)


def with_bias(rows: Rows, bias: float) -> Rows:
    """Rows with this constant for the threshold."""
    return rows if rows.bias == bias else _measured(rows._replace(bias=bias), None)


def lengths_of(rows: Rows) -> Array:
    """The length of every row, the bias included, safe from overflow and underflow."""
    out = np.empty(n_rows(rows))
    briefly(kernels.lengths, rows.values.size)(rows, out)
    return out


def _dense(X: Any, bias: float, names: Sequence[str] | None) -> Dense:
    given, X = X, as_array(X)
    if X.ndim != 2:
        raise DataError(f"X must be a table of rows and columns, not an array of shape {X.shape}")
    refuse_rounded(given, X)
    try:
        values = np.ascontiguousarray(_floats(X, lambda k: divmod(k, X.shape[1])))
    except DataError as error:
        cell = cell_without_number(X, names)
        raise DataError(f"{cell}; encode words first, as OneHotEncoder does" if cell else str(error)) from error
    return Dense(values, bias, 0.0, X.shape[1] + 1, False)


def _csr(X: Any, bias: float) -> Csr:
    _, rise = briefly(kernels.order_of_entries, X.indices.size)(_unsigned(X.indices), X.indptr, X.shape[1])
    if not rise:  # whatever the matrix says of itself; two transpositions put a copy in order, in linear time
        X = X.tocsc().tocsr()
        X.sum_duplicates()
    columns, starts = _unsigned(X.indices), X.indptr.astype(np.uint64)

    def cell(k: int) -> tuple[int, int]:
        return int(np.searchsorted(starts, k, side="right")) - 1, int(X.indices[k])

    terms = int(np.diff(X.indptr).max(initial=0)) + 1
    return Csr(_floats(X.data, cell), columns, starts, bias, 0.0, terms, False, X.shape[1])


def _unsigned(indices: Array) -> Array:
    """Indices, made unsigned: compiled loops then need no check for negative ones."""
    return indices.view(indices.dtype.str.replace("i", "u"))


def _floats(values: Array, cell: Any) -> Array:
    """Numbers as float32 or float64, whole numbers exactly; `cell` gives the row and column of a flat position."""
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind == "c":
        raise DataError("Complex data not supported: a row is made of real numbers")
    try:
        floats = values.astype(np.float32 if values.dtype == np.float16 else np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"X holds something that is not a number: {error}") from error
    if values.dtype.kind == "O" or (values.dtype.kind in "iu" and values.dtype.itemsize == 8):
        flat = values.ravel()
        for k in np.flatnonzero(np.abs(floats.ravel()) >= 2**53).tolist():
            if isinstance(flat[k], int | np.integer) and int(float(flat[k])) != int(flat[k]):
                row, column = cell(k)
                raise DataError(
                    f"row {row}, column {column}: {flat[k]} is too large a whole number for float64 to hold exactly; "
                    "subtract an offset or divide the column"
                )
    return floats


def _measured(rows: Rows, names: Sequence[str] | None) -> Rows:
    """The rows, read-only, with the radius and whether all numbers are whole: one look at each finds both."""
    rows = fixed_rows(rows)
    squares, numbers = np.empty(n_rows(rows)), numbers_per_row(rows)
    look = briefly(kernels.square_lengths, rows.values.size)
    whole = in_pieces(lambda a, b: look(rows, a, b, squares), 0, squares.size, numbers)
    longest = float(squares.max())
    radius = sqrt(longest) if SQUARES[0] < longest < SQUARES[1] else _extreme_radius(rows, squares, names)
    return rows._replace(radius=radius, whole=all(whole))


def _extreme_radius(rows: Rows, squares: Array, names: Sequence[str] | None) -> float:
    """The longest row's length where squares overflow or underflow; NaN and infinity are refused."""
    suspicious = np.flatnonzero(~np.isfinite(squares)) if not np.isfinite(rows.values).all() else np.empty(0, int)
    for row in suspicious.tolist():
        for k in range(kernels.stored(rows, row)):
            number = kernels.value(rows, row, k)
            if not np.isfinite(number):
                raise DataError(
                    f"row {row}, column {_name(rows, row, k, names)}: the value is {number}. Input X contains NaN or "
                    "infinity, which no linear rule can use: fill in the value or leave out the row"
                )
    lengths = lengths_of(rows)
    row = int(np.argmax(lengths))
    if not lengths[row] < LONGEST:
        k = int(np.argmax([abs(kernels.value(rows, row, k)) for k in range(kernels.stored(rows, row))]))
        raise DataError(
            f"row {row}, column {_name(rows, row, k, names)}: the value {kernels.value(rows, row, k)} is so large that "
            "weights would overflow; divide the column by a constant"
        )
    return float(lengths[row])


def _name(rows: Rows, row: int, k: int, names: Sequence[str] | None) -> str:
    column = kernels.column(rows, row, k)
    return repr(str(names[column])) if names is not None else str(column)
