"""Kernels: inner products of feature spaces, and the columns of their matrix.

Problem   K(x_i, x_j) for the rows that a run asks for, without n x n numbers in memory.
Input     rows; the name of a kernel, or a function of two tables; how much memory there is.
Result    floats. Those of named kernels do not depend on the storage, on how many are computed at once, or on cores.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.dual import dual_kernels
from rosenblatt.learn.dual.dual_kernels import Held
from rosenblatt.rows import kernels
from rosenblatt.rows.door import is_sparse
from rosenblatt.rows.kernels import Array, Csr, Dense, Rows, fixed_rows, writable
from rosenblatt.rows.storage import n_features, n_rows, numbers_per_row, some_rows, table_of
from rosenblatt.rows.threads import in_pieces

PRECOMPUTED = "precomputed"
OF_PRODUCTS = ("linear", "poly", "polynomial", "rbf", "sigmoid", "cosine")
OF_PAIRS = ("laplacian", "chi2", "additive_chi2")  # as scikit-learn computes them, pair by pair
SCALE = "scale"
BLOCK = 8  # columns computed at once
LEAST_HELD = 4
EMPTY, LONG_AGO = -2, -1  # when a place was last used


class KernelRows:
    """Rows, with what kernels need to know of them."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows._replace(bias=0.0)
        self.n = n_rows(rows)

    @cached_property
    def across(self) -> Array:
        """A dense table with features first."""
        return np.ascontiguousarray(self.rows.values.T)

    @cached_property
    def squares(self) -> Array:
        """Every row's x . x."""
        out = np.empty(self.n)
        kernels.square_lengths(self.rows, 0, self.n, out)
        return out

    @cached_property
    def matrix(self) -> Any:
        """The rows as an array or a SciPy matrix that can be written to: compiled code of others may want that."""
        table = table_of(self.rows)
        if is_sparse(table):
            table.data = writable(table.data)
            table.indices, table.indptr = writable(table.indices), writable(table.indptr)
            return table
        return writable(table)

    def take(self, rows: Array) -> "KernelRows":
        """Some of the rows."""
        return KernelRows(some_rows(self.rows, rows))

    def followed_by(self, more: "KernelRows") -> "KernelRows":
        """These rows and more, in the storage of these."""
        if isinstance(self.rows, Dense):
            values = more.rows.values if isinstance(more.rows, Dense) else more.matrix.toarray()
            return KernelRows(fixed_rows(self.rows._replace(values=np.concatenate([self.rows.values, values]))))
        both = scipy.sparse.vstack([self.matrix, scipy.sparse.csr_array(more.matrix)], format="csr")
        columns, starts = both.indices.astype(self.rows.columns.dtype), both.indptr.astype(self.rows.starts.dtype)
        return KernelRows(fixed_rows(self.rows._replace(values=both.data, columns=columns, starts=starts)))


@dataclass(frozen=True)
class KernelFunction:
    """An inner product of some feature space: of what name, or which function, with which parameters."""

    function: str | Callable[[Any, Any], Any]
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1.0
    shift: float = 0.0  # added to every value: the square of the threshold's constant feature

    def between(self, left: KernelRows, right: KernelRows) -> Array:
        """K(x, z) for every row x of one table and z of the other; of a precomputed one, all that are in `left`."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            values = self._values(left, right)
            values += self.shift
        if not np.isfinite(values).all():
            i, j = np.unravel_index(int(np.argmin(np.isfinite(values))), values.shape)
            raise DataError(
                f"the kernel is {values[i, j]} for a pair of rows: scale the columns or change its parameters"
            )
        return values

    def is_symmetric(self, points: KernelRows) -> bool:
        """Whether K(x, z) is K(z, x), to the last bit, for these rows."""
        if self.function == PRECOMPUTED:
            return bool((points.matrix == points.matrix.T).all())
        return not callable(self.function)

    def columns(self, points: KernelRows, rows: Array) -> Array:
        """K(x, z) for every row x, for each of these rows z: one after the other."""
        if self.function == PRECOMPUTED:
            return np.asarray(points.matrix[:, rows].T + self.shift)
        some = points.take(rows)
        if callable(self.function):
            return np.ascontiguousarray(self.between(points, some).T)
        return self.between(some, points)

    def row(self, points: KernelRows, i: int, others: Array) -> Array:
        """K(x_i, z) for these rows z."""
        if self.function == PRECOMPUTED:
            return np.asarray(points.matrix[i, others] + self.shift)
        return np.asarray(self.between(points.take(np.array([i])), points.take(others))[0])

    def _values(self, left: KernelRows, right: KernelRows) -> Array:
        if callable(self.function):
            found = np.array(self.function(left.matrix, right.matrix), np.float64)
            if found.shape != (left.n, right.n):
                raise DataError(f"the kernel of {left.n} and {right.n} rows has the shape {found.shape}")
            return found
        if self.function == PRECOMPUTED:
            return np.array(left.matrix, np.float64)
        if self.function in OF_PAIRS:
            return self._of_pairs(left, right)
        values = _products(left, right)
        if self.function == "rbf":
            np.subtract(left.squares[:, np.newaxis] + right.squares, 2 * values, out=values)
            np.maximum(values, 0.0, out=values)
            values *= -self.gamma
            return np.exp(values, out=values)
        if self.function == "cosine":
            lengths = np.sqrt(left.squares)[:, np.newaxis] * np.sqrt(right.squares)
            np.divide(values, lengths, out=values, where=lengths > 0)
            return values
        if self.function in ("poly", "polynomial"):
            return np.asarray(np.power(self.gamma * values + self.coef0, self.degree))
        return np.asarray(np.tanh(self.gamma * values + self.coef0)) if self.function == "sigmoid" else values

    def _of_pairs(self, left: KernelRows, right: KernelRows) -> Array:
        from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

        if self.function != "laplacian" and is_sparse(left.matrix):
            raise OptionError(f"kernel={self.function!r} needs a dense table")
        options = {} if self.function == "additive_chi2" else {"gamma": self.gamma}
        values = PAIRWISE_KERNEL_FUNCTIONS[str(self.function)](left.matrix, right.matrix, **options)
        return np.asarray(values, np.float64)


def _products(left: KernelRows, right: KernelRows) -> Array:
    """Every x . z, on all cores."""
    out, rows = np.empty((left.n, right.n)), right.rows

    def piece(a: int, b: int) -> None:
        if isinstance(rows, Csr):
            dual_kernels.sparse_products(left.rows, rows, a, b, np.zeros(rows.features), out)
        else:
            dual_kernels.dense_products(left.rows, right.across, a, b, out)

    with np.errstate(over="ignore", invalid="ignore"):
        in_pieces(piece, 0, right.n, left.n * numbers_per_row(left.rows))
    return out


def kernel_of(
    function: str | Callable[[Any, Any], Any],
    gamma: float | str | None,
    degree: float,
    coef0: float,
    bias: float,
    points: KernelRows,
) -> KernelFunction:
    """The kernel with these options, for these rows."""
    names = (*OF_PRODUCTS, *OF_PAIRS, PRECOMPUTED)
    if not callable(function) and not options.is_word(function, *names):
        raise options.refused("kernel", "a function", function, names)
    for name, number in (("degree", degree), ("coef0", coef0)):
        options.number(name, number)
    options.number("gamma", gamma, above=0, words=(SCALE,), none=True)
    if gamma is None:
        gamma = 1.0 if function == "chi2" else 1 / n_features(points.rows)
    elif gamma == SCALE:
        numbers = points.n * n_features(points.rows)
        total, squares = dual_kernels.moments(points.rows, points.n)
        variance = squares / numbers - (total / numbers) ** 2
        gamma = 1 / (n_features(points.rows) * variance) if variance > 0 else 1.0
    options.number("gamma", gamma, above=0)  # that of the scale may be beyond floats
    return KernelFunction(function, float(gamma), degree, coef0, bias * bias)


class Gram:
    """Columns of the kernel matrix of some rows, computed when they are needed and held while there is room."""

    def __init__(self, kernel: KernelFunction, points: KernelRows, megabytes: float) -> None:
        self.kernel = kernel
        self.points = points
        n = points.n
        room = min(n, max(int(megabytes * 2**20 / (8 * n)), LEAST_HELD))
        self.symmetric = kernel.is_symmetric(points)
        self.held = Held(
            Dense(np.empty((room, n)), 0.0, 0.0, n + 1, False), np.full(n, -1), np.full(room, EMPTY), np.empty(room),
            np.empty(room, np.bool_), np.empty(kernels.LIMBS if self.symmetric else 0, np.int64),
        )  # fmt: skip
        self.row_in = np.full(room, -1)

    def begin(self) -> None:
        """Forget when columns were used: another run begins."""
        self.held.used[self.row_in >= 0] = LONG_AGO

    def fetch(self, needed: int, likely: Array, now: int) -> None:
        """Hold the column of the row that is needed, and, as they cost less together, of some that are likely to be."""
        held, room = self.held, self.row_in.size
        many = max(min(BLOCK, room - 2), 1)
        likely = likely[(held.place[likely] < 0) & (likely != needed)][: many - 1]
        rows = np.concatenate([[needed], likely])
        slots = np.argsort(held.used, kind="stable")[: rows.size]
        out = self.row_in[slots]
        held.place[out[out >= 0]] = -1
        held.columns.values[slots] = self.kernel.columns(self.points, rows)
        dual_kernels.measure(held, slots)
        held.place[rows], self.row_in[slots] = slots, rows
        held.used[slots] = now - 1
        held.used[slots[0]] = now

    def row(self, i: int, others: Array) -> Array:
        """Row i of the matrix, at these places: the numbers that are in the columns of those rows."""
        return self.kernel.row(self.points, i, others)
