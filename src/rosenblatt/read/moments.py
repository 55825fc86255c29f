"""Count, extremes, mean and standard deviation of numbers, block by block, at any magnitude.

A block's mean and variance are taken as they are, or, where squares would overflow or underflow, of the numbers divided
by a power of two. Blocks have a fixed number of rows, so the result does not depend on how the table is stored or read.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import frexp, fsum, ldexp, sqrt

import polars as pl

TAME = (2.0**-400, 2.0**400)  # sizes whose squares are safe to add up


@dataclass
class Moments:
    """What is known of a column of numbers so far."""

    rows: int = 0
    nulls: int = 0
    least: float = 0.0
    most: float = 0.0
    _parts: list[tuple[int, float, float, int]] = field(default_factory=list)  # count, mean, variance, exponent

    @property
    def count(self) -> int:
        """How many finite numbers there are."""
        return sum(part[0] for part in self._parts)

    @property
    def odd(self) -> int:
        """How many values are there but not finite."""
        return self.rows - self.nulls - self.count

    def add(self, rows: int, nulls: int, count: int, least: float, most: float, part: tuple[float, float, int]) -> None:
        """One block more."""
        self.rows += rows
        self.nulls += nulls
        if count:
            first = not self._parts
            self.least = least if first else min(self.least, least)
            self.most = most if first else max(self.most, most)
            self._parts.append((count, *part))

    def mean_and_deviation(self) -> tuple[float, float]:
        """Of the finite numbers."""
        if not self._parts:
            return 0.0, 0.0
        n, top = self.count, max(exponent for *_, exponent in self._parts)
        means = [(count, ldexp(mean, exponent - top)) for count, mean, _, exponent in self._parts]
        mean = fsum(count / n * x for count, x in means)
        within = fsum(count / n * ldexp(variance, 2 * (exponent - top)) for count, _, variance, exponent in self._parts)
        between = fsum(count / n * (x - mean) ** 2 for count, x in means)
        return _scaled(mean, top), _scaled(sqrt(within + between), top)


def _scaled(x: float, exponent: int) -> float:
    """x times a power of two, the largest double where that overflows."""
    try:
        return ldexp(x, exponent)
    except OverflowError:
        return sys.float_info.max if x > 0 else -sys.float_info.max


def add_block(block: pl.DataFrame, numbers: Mapping[str, pl.Expr], moments: Mapping[str, Moments]) -> None:
    """Add a block's numbers; each expression gives Float64, null where missing."""
    if not numbers:
        return
    block = block.select(x.alias(name) for name, x in numbers.items()).rechunk()  # sums depend on a column's pieces
    asked: list[pl.Expr] = []
    for k, name in enumerate(numbers):
        finite = _finite(name)
        asked += [
            pl.col(name).null_count().alias(f"{k} nulls"),
            finite.count().alias(f"{k} count"),
            finite.min().alias(f"{k} least"),
            finite.max().alias(f"{k} most"),
            finite.mean().alias(f"{k} mean"),
            finite.var(ddof=0).alias(f"{k} variance"),
        ]
    found = block.select(asked).row(0, named=True)
    for k, name in enumerate(numbers):
        least, most = found[f"{k} least"], found[f"{k} most"]
        part = (found[f"{k} mean"], found[f"{k} variance"], 0)
        if least is not None:
            size = max(abs(least), abs(most))
            if size and not TAME[0] < size < TAME[1]:
                part = _rescaled(block, name, frexp(size)[1])
        moments[name].add(block.height, found[f"{k} nulls"], found[f"{k} count"], least, most, part)


def _finite(name: str) -> pl.Expr:
    return pl.when(pl.col(name).is_finite()).then(pl.col(name))


def _rescaled(block: pl.DataFrame, name: str, exponent: int) -> tuple[float, float, int]:
    """Mean and variance of numbers of unusual size, divided by a power of two."""
    half = exponent // 2
    scaled = _finite(name) * ldexp(1.0, -half) * ldexp(1.0, half - exponent)
    mean, variance = block.select(scaled.mean().alias("mean"), scaled.var(ddof=0).alias("variance")).row(0)
    return mean, variance, exponent
