"""Columns of numbers: on a grid, as dates, and in steps."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from math import ceil, floor, frexp, inf, ldexp, log2
from typing import Self

import numpy as np
import polars as pl

from rosenblatt.read.dates import days
from rosenblatt.read.encode import feature_kernels
from rosenblatt.read.encode.column import BITS, EncodedColumn, Feature
from rosenblatt.read.values import numbers_in
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array, fixed

REACH = (2, 10)  # a number is clipped at 2^2 to 2^10 of its scales from the centre, and at twice what was seen
LARGEST, SMALLEST = 2.0**950, 2.0**-950  # scales; beyond, the arithmetic of the rounding would overflow
FINEST = 2.0**-50  # of the largest value: finer steps are lost in doubles anyway


@dataclass(frozen=True)
class NumberColumn(EncodedColumn):
    """A number, clipped and rounded: ((x + M) - M - centre) / scale with M = 1.5 * 2^52 * step; 0 where missing.

    Because scale is a power of two, dividing by it and multiplying by a short weight can be one operation.
    """

    centre: float
    scale: float  # a power of two
    step: float  # a power of two
    lowest: float
    highest: float
    missing: bool  # whether a second feature says that there is no finite number
    written: bool = field(default=False, kw_only=True)  # whether texts such as 1,000 and 12% are numbers
    whole: bool = field(default=False, kw_only=True)  # whether all were whole numbers

    kind = "number"

    @classmethod
    def of(cls, name: str, *, least: float, most: float, mean: float, deviation: float, missing: bool) -> Self:
        """A grid for numbers from `least` to `most` with this mean and a standard deviation above 0."""
        largest = min(max(abs(least), abs(most)), LARGEST)
        finest = ldexp(1.0, frexp(largest * FINEST)[1])
        scale = min(max(power_of_two(deviation), finest, SMALLEST), LARGEST)
        half = scale / 2  # differences of halves do not overflow
        far = max((most / 2 - mean / 2) / half, (mean / 2 - least / 2) / half, 1.0)
        octaves = min(max(ceil(log2(min(far, 2.0**20))) + 1, REACH[0]), REACH[1])
        step = max(ldexp(scale, octaves - BITS), finest)
        centre = round(min(max(mean, -LARGEST), LARGEST) / step) * step
        reach = max(ldexp(scale, octaves), 8 * step)
        return cls(name, centre, scale, step, centre - reach, centre + reach, missing)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The number, and whether it is missing."""
        reach = max(self.highest - self.centre, self.centre - self.lowest) / self.scale
        number = Feature(self.name, self.name, reach, self.step / self.scale, self.scale)
        return (number, Feature(self.name, f"{self.name} is missing")) if self.missing else (number,)

    @property
    def rounder(self) -> float:
        """M: a double has no digits below `step` at this size, so adding and subtracting it rounds, half to even."""
        return 1.5 * 2.0**52 * self.step

    @property
    def cells(self) -> pl.Expr:
        """The numbers in this column."""
        read = partial(numbers_in, written=self.written)
        return pl.col(self.name).map_batches(read, return_dtype=pl.Float64, is_elementwise=True)

    @property
    def value(self) -> pl.Expr:
        """The finite numbers in this column; null otherwise."""
        return pl.when(self.cells.is_finite()).then(self.cells)

    def add(self, cells: pl.Series, weights: Sequence[float], out: Array) -> None:
        """Add the first weight times the number, or the second weight if the number is missing."""
        grid = (self.lowest, self.highest, self.rounder, self.centre, weights[0] / self.scale)
        grade = briefly(feature_kernels.grade, out.size)
        grade(fixed(cells.to_numpy()), *grid, weights[1] if len(weights) > 1 else 0.0, out)


@dataclass(frozen=True)
class DateColumn(NumberColumn):
    """A date as whole days since 1970-01-01, then as a number."""

    format: str = ""  # the format of dates that are text; empty for ISO 8601

    kind = "date"

    @property
    def cells(self) -> pl.Expr:
        """The dates in this column, as days."""
        return days(pl.col(self.name), self.format).cast(pl.Float64)


@dataclass(frozen=True)
class StepColumn(NumberColumn):
    """A number in steps: a feature for every edge, 1 where the number is not below it.

    So the weight of an edge is what the step above it has more points than the step below. A tree takes the number.
    """

    edges: tuple[float, ...] = ()

    kind = "steps"

    @property
    def features(self) -> tuple[Feature, ...]:
        """One for each edge, then for a missing number, if there was one."""
        steps = tuple(Feature(self.name, f"{self.name} is at least {edge:.15g}") for edge in self.edges)
        return (*steps, Feature(self.name, f"{self.name} is missing")) if self.missing else steps

    @property
    def parts(self) -> "tuple[StepColumn, ...]":
        """A column for each edge."""
        last = len(self.edges) - 1
        return tuple(
            replace(self, edges=(edge,), missing=self.missing and k == last) for k, edge in enumerate(self.edges)
        )

    def worth(self, weights: Sequence[float]) -> list[float]:
        """The points of each step, the lowest first, and then of a missing number."""
        many = len(self.edges)
        steps = [0.0, *accumulate(weights[:many])]
        return [*steps, weights[many] if len(weights) > many else 0.0]

    def add(self, cells: pl.Series, weights: Sequence[float], out: Array) -> None:
        """Add the points of each number's step, or those of a missing one."""
        numbers = cells.to_numpy()
        places = np.searchsorted(np.array(self.edges), numbers, side="right")
        places[~np.isfinite(numbers)] = len(self.edges) + 1
        out += np.array(self.worth(weights), dtype=out.dtype)[places]


def power_of_two(size: float) -> float:
    """The power of two nearest to a positive number, on a logarithmic scale."""
    return ldexp(1.0, min(floor(log2(size) + 0.5), 1023)) if 0.0 < size < inf else 1.0
