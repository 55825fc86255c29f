"""Count, extremes, mean and standard deviation of numbers, block by block, at any magnitude.

A block's mean and variance are computed directly or, if squares would overflow or underflow, from the numbers divided
by a power of two. Blocks have a fixed number of rows, so the result does not depend on how the table is stored or read.
"""

import sys
from dataclasses import dataclass, field
from math import frexp, fsum, ldexp, sqrt

import numpy as np
import polars as pl

from rosenblatt.rows.kernels import Array

TAME = (2.0**-400, 2.0**400)  # numbers of this size can be squared and added up safely


@dataclass
class Moments:
    """The running statistics of a column of numbers."""

    rows: int = 0
    nulls: int = 0
    least: float = 0.0
    most: float = 0.0
    _parts: list[tuple[int, float, float, int]] = field(default_factory=list)  # count, mean, variance, exponent

    @property
    def count(self) -> int:
        """The number of finite values."""
        return sum(part[0] for part in self._parts)

    @property
    def odd(self) -> int:
        """The number of values that are present but not finite."""
        return self.rows - self.nulls - self.count

    def add(self, rows: int, nulls: int, count: int, least: float, most: float, part: tuple[float, float, int]) -> None:
        """Add a block."""
        self.rows += rows
        self.nulls += nulls
        if count:
            first = not self._parts
            self.least = least if first else min(self.least, least)
            self.most = most if first else max(self.most, most)
            self._parts.append((count, *part))

    def mean_and_deviation(self) -> tuple[float, float]:
        """The mean and the standard deviation of the finite numbers."""
        if not self._parts:
            return 0.0, 0.0
        n, top = self.count, max(exponent for *_, exponent in self._parts)
        means = [(count, ldexp(mean, exponent - top)) for count, mean, _, exponent in self._parts]
        mean = fsum(count / n * x for count, x in means)
        within = fsum(count / n * ldexp(variance, 2 * (exponent - top)) for count, _, variance, exponent in self._parts)
        between = fsum(count / n * (x - mean) ** 2 for count, x in means)
        return _scaled(mean, top), _scaled(sqrt(within + between), top)


def _scaled(x: float, exponent: int) -> float:
    """x times a power of two, or the largest double if that overflows."""
    try:
        return ldexp(x, exponent)
    except OverflowError:
        return sys.float_info.max if x > 0 else -sys.float_info.max


def add_cells(cells: pl.Series, moments: Moments) -> None:
    """Add a block's numbers: Float64, null if missing."""
    x, exponent = cells.to_numpy(), 0
    x = x[np.isfinite(x)]
    least, most = (float(x.min()), float(x.max())) if x.size else (0.0, 0.0)
    size = max(abs(least), abs(most))
    if size and not TAME[0] < size < TAME[1]:
        exponent = frexp(size)[1]
        x = x * ldexp(1.0, -(exponent // 2)) * ldexp(1.0, exponent // 2 - exponent)
    mean = _in_order(x) / x.size if x.size else 0.0
    variance = _in_order(np.square(x - mean)) / x.size if x.size else 0.0
    moments.add(len(cells), cells.null_count(), x.size, least, most, (mean, variance, exponent))


def _in_order(x: Array) -> float:
    """The sum from first to last; the order that NumPy uses depends on the processor."""
    return float(np.add.accumulate(x)[-1])
