"""The signed rows in coordinates in which all columns look alike.

What is found there does not depend on the units of the columns. `space_of` chooses: a table of its own in which the
rows have unit second moments in every direction, `Whitened` by the moments of the columns or, where these are more than
the rows, `Spanned` by the products of the rows with each other; or, where neither is small, `Scaled`, the table of the
examples as it is, with columns of unit second moments.

These tables are not read by a pass of `rows.scan`: what is sought in them is a proposal, in floats, and a pass over the
examples themselves decides about it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import table_of
from rosenblatt.rows.threads import in_pieces

T = TypeVar("T")

NUMBERS, WIDEST = 50_000_000, 1536  # more, or more columns and rows, are not held as a table of its own
RANK = 1e-12  # of the largest: lesser second moments are rounding
RANK_OF_PRODUCTS = 1e-10  # the same where scores are known by products of rows only, which have lost half the digits
ROWS = 2048  # in a block of a whitened table
BLOCK = 1_000_000  # numbers that are brought to float64 at a time
MODERATE = 900  # binary digits before or behind the point, which leaves room for sums and products with others


class Space(ABC):
    """Signed rows z with z . v = (y x) . weights(v), for coordinates v.

    All is finite: beside large numbers of their column, numbers may become zero, and weights that would overflow are
    divided by a power of two, all alike.
    """

    n: int  # rows
    size: int  # coordinates

    @abstractmethod
    def slopes(self, directions: Array) -> Array:
        """z . v of every row, for several directions v, a row each."""

    def scores(self, v: Array) -> Array:
        """z . v of every row, for one direction."""
        return np.asarray(self.slopes(v[np.newaxis])[0])

    @abstractmethod
    def gathered(self, shares: Array) -> Array:
        """The sum of all rows, each times its share; of several rows of shares, a row each."""

    @abstractmethod
    def rows(self, some: Array) -> Array:
        """Some of the rows."""

    @abstractmethod
    def part(self, chosen: Array) -> "Space":
        """The space of some rows only."""

    @abstractmethod
    def weights(self, v: Array) -> Array:
        """Coordinates as weights for the examples."""

    @abstractmethod
    def coordinates(self, w: Array) -> Array:
        """Weights as coordinates."""

    @abstractmethod
    def inward(self, v: Array) -> Array:
        """The gradient of half the square of the length of the weights."""

    @cached_property
    def squares(self) -> Array:
        """What each coordinate adds to the square of the length of the weights, where columns came with sizes of 1."""
        return self.inward(np.ones(self.size))


def space_of(examples: Examples, of_columns: bool = False) -> Space:
    """A space for the rows that count; if `of_columns`, each coordinate is a part of one column's weight, above 0."""
    table, bias, labels = table_of(examples.rows), examples.rows.bias, examples.labels.astype(np.float64)
    sparse = hasattr(table, "toarray")
    sizes = np.append(abs(table).max(axis=0).toarray() if sparse else _largest(table), 1.0)
    sizes[-1] = bias
    sizes[sizes == 0.0] = 1.0
    sizes = np.ldexp(1.0, np.frexp(sizes)[1])
    if examples.weights.size:
        table, labels = table[examples.weights > 0], labels[examples.weights > 0]
    few, n, size = labels.size * sizes.size <= NUMBERS, labels.size, sizes.size
    if of_columns:
        return Scaled(table, bias, labels, sizes)
    if few and size <= min(n, WIDEST):
        return Whitened(table, bias, labels, sizes)
    if n <= min(size, WIDEST) and (few or sparse):
        return Spanned(table, bias, labels, sizes)
    return Scaled(table, bias, labels, sizes)


class OwnTable(Space):
    """A table of its own, a row for every coordinate."""

    _points: Array

    def slopes(self, directions: Array) -> Array:
        """z . v of every row, for several directions v, a row each."""
        out = np.empty((len(directions), self.n))

        def block(rows: slice) -> None:
            np.matmul(directions, self._points[:, rows], out=out[:, rows])

        self._in_blocks(block, len(directions))
        return out

    def gathered(self, shares: Array) -> Array:
        """The sum of all rows, each times its share; of several rows of shares, a row each."""
        many, shares = len(np.atleast_2d(shares)), shares.T
        return np.asarray(sum(self._in_blocks(lambda rows: self._points[:, rows] @ shares[rows], many))).T

    def _in_blocks(self, call: Callable[[slice], T], times: int) -> list[T]:
        """`call` for blocks of rows, on all cores; the blocks, so the rounding, do not depend on how many those are."""

        def some(first: int, last: int) -> list[T]:
            return [call(slice(k * ROWS, min((k + 1) * ROWS, self.n))) for k in range(first, last)]

        return [each for part in in_pieces(some, 0, -(-self.n // ROWS), ROWS * self.size * times) for each in part]

    def rows(self, some: Array) -> Array:
        """Some of the rows."""
        return np.ascontiguousarray(self._points[:, some].T)

    def part(self, chosen: Array) -> "OwnTable":
        """The space of some rows only."""
        part = copy(self)
        part._points = np.ascontiguousarray(self._points[:, chosen])
        part.n = part._points.shape[1]
        return part


class Whitened(OwnTable):
    """Coordinates along the principal axes of the columns."""

    def __init__(self, table: Any, bias: float, labels: Array, sizes: Array) -> None:
        self.n = labels.size
        points = np.empty((self.n, sizes.size))
        points[:, :-1] = table.toarray() if hasattr(table, "toarray") else table
        points[:, -1] = bias
        points /= sizes
        moments, axes = np.linalg.eigh(points.T @ points / self.n)
        kept = moments > RANK * moments[-1]
        axes, roots = axes[:, kept], np.sqrt(moments[kept])
        self.size = roots.size
        self._back, self._forth, self._exponents = axes / roots, (axes * roots).T, np.frexp(sizes)[1] - 1
        self._points = np.ascontiguousarray((points @ self._back * labels[:, np.newaxis]).T)

    def weights(self, v: Array) -> Array:
        """Coordinates as weights for the examples."""
        return times_powers(self._back @ v, -self._exponents)

    def coordinates(self, w: Array) -> Array:
        """Weights as coordinates."""
        return np.asarray(self._forth @ times_powers(w, self._exponents))

    def inward(self, v: Array) -> Array:
        """The gradient of half the square of the length of the weights."""
        return np.asarray(self._back.T @ times_powers(self.weights(v), -self._exponents))


class Spanned(OwnTable):
    """The same by the products of the rows P with each other, where these are fewer than the columns.

    With P P' = U L U', the coordinates of the rows are those of U, each times the root of n; coordinates v are the
    weights P' U (v / L) times that root. Nothing of the size of the columns squared, or of a dense table, is held.
    """

    def __init__(self, table: Any, bias: float, labels: Array, sizes: Array) -> None:
        self.n, self._exponents = labels.size, np.frexp(sizes)[1] - 1
        self._table, self._bias = table, bias / sizes[-1]
        self._sizes = sizes[:-1]
        if hasattr(table, "toarray"):  # once for all, as it is not larger
            self._table = _divided(table, self._sizes)
        products = np.full((self.n, self.n), self._bias**2)
        for _, part in self._columns():
            product = part @ part.T
            products += product.toarray() if hasattr(product, "toarray") else product
        moments, axes = np.linalg.eigh(products)
        kept = moments > RANK_OF_PRODUCTS * moments[-1]
        self._moments, self._axes = moments[kept], axes[:, kept] * np.sqrt(self.n)
        self.size = self._moments.size
        self._points = np.ascontiguousarray((self._axes * labels[:, np.newaxis]).T)

    def _columns(self) -> Iterator[tuple[slice, Any]]:
        """The table with scaled columns: a sparse one as a whole, of a dense one a block of columns at a time."""
        d = self._sizes.size
        if hasattr(self._table, "toarray"):
            yield slice(0, d), self._table
            return
        step = max(BLOCK // max(self.n, 1), 1)
        for begin in range(0, d, step):
            part = slice(begin, min(begin + step, d))
            yield part, _divided(self._table[:, part], self._sizes[part])

    def _mixed(self, shares: Array) -> Array:
        """The sum of the rows of P, each times its share."""
        out = np.empty(self._sizes.size + 1)
        for columns, part in self._columns():
            out[columns] = part.T @ shares
        out[-1] = self._bias * shares.sum()
        return out

    def _scores(self, weights: Array) -> Array:
        """The scores of the rows of P."""
        out = np.full(self._axes.shape[0], self._bias * weights[-1])
        for columns, part in self._columns():
            out += part @ weights[columns]
        return out

    def weights(self, v: Array) -> Array:
        """Coordinates as weights for the examples."""
        return times_powers(self._mixed(self._axes @ (v / self._moments)), -self._exponents)

    def coordinates(self, w: Array) -> Array:
        """Weights as coordinates: of their part that rows can see."""
        return np.asarray(self._axes.T @ self._scores(times_powers(w, self._exponents)) / self._axes.shape[0])

    def inward(self, v: Array) -> Array:
        """The gradient of half the square of the length of the weights."""
        inner = self._scores(times_powers(self.weights(v), -self._exponents))
        return np.asarray(self._axes.T @ inner / self._moments)


class Scaled(Space):
    """The table of the examples, dense or sparse, without a copy."""

    def __init__(self, table: Any, bias: float, labels: Array, sizes: Array) -> None:
        self.n, self.size = labels.size, sizes.size
        self._table, self._bias, self._labels = table, bias, labels
        squares = np.zeros(sizes.size)
        for _, part in _blocks(table):
            squares[:-1] += np.asarray((_divided(part, sizes[:-1]) ** 2).sum(axis=0)).ravel()
        squares[-1] = self.n * (bias / sizes[-1]) ** 2
        self._sees = squares > 0  # a column of zeros gets no weight
        scales = np.sqrt(np.divide(self.n, squares, out=np.ones(self.size), where=self._sees)) / sizes
        self._back = np.minimum(scales, 2.0**MODERATE)

    def slopes(self, directions: Array) -> Array:
        """z . v of every row, for several directions v, a row each."""
        weights = (directions * self._back).T
        out = np.empty((len(directions), self.n))
        if hasattr(self._table, "toarray") and len(directions) * np.count_nonzero(weights) < weights.size:
            few = scipy.sparse.csr_array(weights[:-1])  # entries: most directions have hardly any
            out[:] = (self._table @ few).toarray().T
        else:
            for rows, part in _blocks(self._table):
                out[:, rows] = (part @ weights[:-1]).T
        return np.asarray((out + self._bias * weights[-1][:, np.newaxis]) * self._labels)

    def gathered(self, shares: Array) -> Array:
        """The sum of all rows, each times its share; of several rows of shares, a row each."""
        signed = (shares * self._labels).T
        out = np.zeros((self.size, *signed.shape[1:]))
        for rows, part in _blocks(self._table):
            out[:-1] += part.T @ signed[rows]
        out[-1] = self._bias * signed.sum(axis=0)
        return out.T * self._back

    def rows(self, some: Array) -> Array:
        """Some of the rows."""
        part = self._table[some]
        out = np.empty((len(some), self.size))
        out[:, :-1] = part.toarray() if hasattr(part, "toarray") else part
        out[:, -1] = self._bias
        return out * self._back * self._labels[some][:, np.newaxis]

    def part(self, chosen: Array) -> "Scaled":
        """The space of some rows only."""
        part = copy(self)
        part._table, part._labels = self._table[chosen], self._labels[chosen]
        part.n = part._labels.size
        return part

    def weights(self, v: Array) -> Array:
        """Coordinates as weights for the examples."""
        return np.asarray(np.where(self._sees, self._back * v, 0.0))

    def coordinates(self, w: Array) -> Array:
        """Weights as coordinates."""
        return np.asarray(w / self._back)

    def inward(self, v: Array) -> Array:
        """The gradient of half the square of the length of the weights."""
        return np.asarray(self._back * self._back * v)


def times_powers(numbers: Array, exponents: Array) -> Array:
    """Numbers times powers of two, and all times one more where the largest would not be MODERATE."""
    digits = (np.frexp(numbers)[1] + exponents)[numbers != 0.0]
    largest = int(digits.max()) if digits.size else 0
    return np.asarray(np.ldexp(numbers, exponents + (min(max(largest, -MODERATE), MODERATE) - largest)))


def _divided(table: Any, sizes: Array) -> Any:
    """The table with its columns divided by sizes, in float64; of sizes below the normal ones, 1 / size overflows."""
    if not hasattr(table, "toarray"):
        return table / sizes
    table = scipy.sparse.csr_array(table, dtype=np.float64, copy=True)
    table.data /= sizes[table.indices]
    return table


def _largest(table: Array) -> Array:
    return np.asarray(np.maximum(table.max(axis=0), -table.min(axis=0)))


def _blocks(table: Any) -> Iterator[tuple[slice, Any]]:
    """The table in float64; a dense one a block of rows at a time."""
    n = table.shape[0]
    step = max(n if hasattr(table, "toarray") else BLOCK // table.shape[1], 1)
    for begin in range(0, n, step):
        part = slice(begin, min(begin + step, n))
        yield part, table[part].astype(np.float64, copy=False) if step < n else table.astype(np.float64, copy=False)
