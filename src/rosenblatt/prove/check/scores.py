"""Scores in floats, with error bounds: they settle the clear cases, and leave the rest to whole numbers.

Input     rows, and weights as whole numbers.
Result    the rows that may have the smallest score, or whose sign is unclear. Part of the checker, so
          it makes no pass of `rows.scan`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Dense
from rosenblatt.rows.storage import table_of

UNIT = 1.01 * 2.0**-53  # the relative error of one operation, and a little for the bounds' own rounding
TINY = 2.0**-1000  # more than underflow can lose in any sum here
BLOCK = 2**19  # numbers at a time, so that copies of them stay in the cache
FEW, PART = 500, 50  # this many rows, or one in PART, are faster in whole numbers than with sharper bounds


class Approximate(ABC):
    """A float for each row, within `error` of the exact number; `error` is infinite if one of the floats is."""

    values: Array
    error: float  # of any of them

    @cached_property
    @abstractmethod
    def errors(self) -> Array:
        """An error bound for each row, which is sharper and takes longer."""

    def lowest(self, among: Array | bool = True) -> Array:
        """The rows, of those marked, that may have the smallest number."""
        errors: Any = self.error
        for _ in range(2):
            with np.errstate(over="ignore", invalid="ignore"):
                highest = np.where(among, self.values + errors, inf)
                rows = np.flatnonzero(~(self.values - errors > np.fmin.reduce(highest)) & among)
            if self._are_few(rows):
                break
            errors = self.errors
        return rows

    def _are_few(self, rows: Array) -> bool:
        return rows.size <= min(FEW, 1 + self.values.size // PART)

    def unclear(self) -> Array:
        """The rows whose sign is not certain."""
        rows = np.flatnonzero(~(np.abs(self.values) > self.error))
        return rows if self._are_few(rows) else np.flatnonzero(~(np.abs(self.values) > self.errors))


class Scores(Approximate):
    """y (w . x) of every row, divided by 2^bits, which exceeds every weight.

    Each of the D products and sums is rounded once and each weight once: the error is at most (D + 6) u |w| . |x|
    (Higham, Accuracy and Stability, 3.1), the constant feature included, and what underflow loses. By Cauchy and
    Schwarz that is at most (D + 6) u ||w|| R, infinite before any sum overflows; only if this leaves many rows
    open is it computed row by row.
    """

    def __init__(self, examples: Examples, wholes: Sequence[int], bits: int) -> None:
        self.examples, self.floats = examples, np.array([k / (1 << bits) for k in wholes])
        self.lost = any(k and abs(f) < 2.0**-900 for k, f in zip(wholes, self.floats.tolist(), strict=True))
        self.values = np.empty(examples.n)
        with np.errstate(over="ignore", invalid="ignore"):
            for part, X in _blocks(examples):
                self.values[part] = X @ self.floats[:-1]
            self.values += examples.rows.bias * self.floats[-1]
            self.values *= examples.labels
            self.error = self._bound(float(np.linalg.norm(self.floats)) * examples.rows.radius)

    @cached_property
    def errors(self) -> Array:
        """An error bound for every row."""
        sizes = np.empty(self.examples.n)
        with np.errstate(over="ignore", invalid="ignore"):
            for part, X in _blocks(self.examples):
                sizes[part] = abs(X) @ abs(self.floats[:-1])
            return np.asarray(self._bound(sizes + abs(self.examples.rows.bias * self.floats[-1])))

    def _bound(self, sizes: Any) -> Any:
        return inf * (1 + 0 * sizes) if self.lost else (self.examples.size + 6) * (UNIT * sizes + TINY)


class Leads(Approximate):
    """How much higher one rule scores than another on some rows; errors add up, and the difference is rounded."""

    def __init__(self, own: Scores, rival: Scores, rows: Array) -> None:
        self.own, self.rival, self.rows = own, rival, rows
        with np.errstate(over="ignore", invalid="ignore"):
            self.values = own.values[rows] - rival.values[rows]
            self.error = self._with_rounding(own.error + rival.error, float(np.abs(self.values).max(initial=0.0)))

    @cached_property
    def errors(self) -> Array:
        """An error bound for every row."""
        with np.errstate(over="ignore", invalid="ignore"):
            both = self.own.errors[self.rows] + self.rival.errors[self.rows]
            return np.asarray(self._with_rounding(both, np.abs(self.values)))

    @staticmethod
    def _with_rounding(error: Any, size: Any) -> Any:
        return error * (1 + 4 * UNIT) + UNIT * size


def _blocks(examples: Examples) -> Iterator[tuple[slice, "Array | scipy.sparse.csr_array"]]:
    """The table in float64, one block of rows at a time."""
    rows, n, features = examples.rows, examples.n, examples.size - 1
    if isinstance(rows, Dense):
        step = max(BLOCK // features, 1)
        for begin in range(0, n, step):
            part = slice(begin, begin + step)
            yield part, rows.values[part].astype(np.float64, copy=False)
    else:
        yield slice(0, n), table_of(rows).astype(np.float64)
