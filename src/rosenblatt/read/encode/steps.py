"""The edges of the steps that a column of numbers is cut into.

Problem   a few steps, none with too few rows, between which the classes differ; with edges that people can remember.
Input     numbers, the classes of their rows, how many classes there are, and the weight of each row.
Result    edges, rising; a number that equals an edge is in the step above it.
Method    Candidates are the roundest numbers near the quantiles. The one that tells most about the classes is taken,
          then the next, as long as it tells more than chance would, and no step gets too few rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10

import numpy as np

from rosenblatt.errors import TableError
from rosenblatt.read.encode.columns import NumberColumn, StepColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.profile.statistics import HeldOut, marked_blocks, narrow
from rosenblatt.read.table import Table
from rosenblatt.rows.kernels import Array

MOST_STEPS = 6
LEAST = 0.05  # the share of the rows that each step must have
QUANTILES = 40
CHANCE = 10.83  # twice the gain in log likelihood that chance exceeds once in a thousand times, for two classes
MOST_DIGITS = 17


@dataclass(frozen=True, eq=False)
class KnownNumbers:
    """The numbers of some columns in the rows to learn from, with the classes and the weights of those rows."""

    numbers: Mapping[str, Array]  # NaN or infinite where there is none
    codes: Array
    weights: Array

    @classmethod
    def of(
        cls, encoding: Encoding, names: Sequence[str], table: Table, held_out: HeldOut | None, weights: Array | None
    ) -> "KnownNumbers":
        """From a table without its held-out rows; `weights` are those of all its rows."""
        by_name = {column.name: column for column in encoding.columns if isinstance(column, NumberColumn)}
        parts: dict[str, list[Array]] = {name: [] for name in names}
        codes, chosen = list[Array](), list[Array]()
        for block, learned in marked_blocks(table, held_out):
            codes.append(encoding.target.labels(narrow(block, encoding.target.name).filter(learned)))
            chosen.append(np.asarray(learned, np.bool_))
            for name in names:
                cells = narrow(block, name).filter(learned).select(by_name[name].cells).to_series()
                parts[name].append(cells.to_numpy())
        y, rows = np.concatenate(codes), np.concatenate(chosen)
        own = np.ones(y.size) if weights is None else weights[rows]
        return cls({name: np.concatenate(each) for name, each in parts.items()}, y, own)

    def edges(self, name: str, classes: int, some: Array | None = None) -> tuple[float, ...]:
        """The edges of a column, found from some of the rows, or from all; none if there is no number."""
        numbers = self.numbers[name]
        there = np.isfinite(numbers) & (self.weights > 0)
        known = np.flatnonzero(there) if some is None else some[there[some]]
        return edges_of(numbers[known], self.codes[known], classes, self.weights[known]) if known.size else ()


def with_steps(encoding: Encoding, names: Sequence[str], known: KnownNumbers, source: str) -> Encoding:
    """The encoding, with these columns of numbers in steps."""
    columns = list(encoding.columns)
    for place, column in enumerate(columns):
        if column.name in names and isinstance(column, NumberColumn):
            edges = known.edges(column.name, len(encoding.target.classes))
            if not edges:
                raise TableError(f"{source}: column {column.name!r} has no number to make steps of")
            columns[place] = StepColumn(**vars(column), edges=edges)
    return replace(encoding, columns=tuple(columns))


def edges_of(numbers: Array, codes: Array, classes: int, weights: Array | None = None) -> tuple[float, ...]:
    """The edges for finite numbers; at least one. Weights must be above 0; only their ratios matter."""
    weights = np.ones(numbers.size) if weights is None else weights / weights.mean()
    found = np.array(sorted(set(_candidates(np.sort(numbers)))))
    places = np.searchsorted(found, numbers, side="right")
    counts = np.zeros((found.size + 1, classes))
    np.add.at(counts, (places, codes), weights)
    below = np.concatenate(
        [np.zeros((1, classes)), np.cumsum(counts, axis=0)]
    )  # the weight of each class below each candidate
    least = ceil(LEAST * numbers.size)
    ends, chosen = [0, found.size + 1], list[int]()
    while len(chosen) < MOST_STEPS - 1:
        gains = [(_gain(below, ends, k, least), -k) for k in range(1, found.size + 1) if k not in ends]
        gain, place = max(gains, default=(-1.0, 0))
        if gain < (CHANCE * (classes - 1) if chosen else 0.0):
            break
        chosen.append(-place)
        ends = sorted([*ends, -place])
    return tuple(found[np.array(sorted(chosen)) - 1].tolist()) if chosen else (float(np.median(numbers)),)


def _gain(below: Array, ends: list[int], k: int, least: int) -> float:
    """Twice what the log likelihood gains from an edge at candidate k; below 0 if a step gets too few rows."""
    first, last = max(end for end in ends if end < k), min(end for end in ends if end > k)
    whole, left = below[last] - below[first], below[k] - below[first]
    right = whole - left
    if min(left.sum(), right.sum()) < least:
        return -1.0
    return 2.0 * (_likelihood(left) + _likelihood(right) - _likelihood(whole))


def _likelihood(counts: Array) -> float:
    seen = counts[counts > 0]
    return float(seen @ np.log(seen / seen.sum()))


def _candidates(ordered: Array) -> Iterator[float]:
    """The roundest number near each quantile."""
    last = ordered.size - 1
    for k in range(1, QUANTILES):
        low, high = (float(ordered[round(last * (k + off) / QUANTILES)]) for off in (-0.5, 0.5))
        yield high if low == high else roundest(low, high)


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits above `low` and not above `high`; 5 is rounder than 4."""
    size = floor(log10(max(abs(low), abs(high)))) + 1
    for power in range(size, size - MOST_DIGITS, -1):
        for times in (1, 5, 2) if power < size else (1,):
            unit = float(f"{times}e{power}")
            nearest = float(f"{floor(high / unit) * times}e{power}") if unit > 0.0 else high
            if low < nearest <= high:
                return nearest
    return high
