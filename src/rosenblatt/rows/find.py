"""Find: what a rule gets wrong, over all rows, with fixed weights.

A function here puts a question to the scan of its examples, and joins the answers. Questions are named tuples: to make
a frozen dataclass takes five times as long, and small tables are looked at thousands of times.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.rows import kernels
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Doubt, Ties
from rosenblatt.rows.scan import LabelledRows
from rosenblatt.rows.storage import numbers_per_row, some_rows

STRETCH = 1024  # rows in a stretch, where not all are read
FIRST_STRETCH = 100_000  # numbers that are read in search of a first mistake, before twice as many are, and so on
FEW = 0.2  # of the rows: up to this share, copying them costs less than a look at all
THREADED = 10_000  # entries: longer products BLAS cuts up for threads, which take longer to wake than to add up
LARGE = 1_000_000  # numbers; where there are fewer, a look at all of them takes less than to choose
NO_PLACES = np.empty(0)


class Fixed(NamedTuple):
    """Weights that do not change during a pass, and what the doubt about scores follows from."""

    w: Array
    length: float
    whole: bool

    @classmethod
    def of(cls, w: Array) -> "Fixed":
        """These weights, of one class, or a table of several."""
        return cls(w, norm(w), is_whole(w))

    def doubt(self, table: LabelledRows) -> Doubt:
        """The doubt about scores of any row of a table; each stretch needs its own, to work in."""
        return kernels.doubt_about(table.rows, self.length, self.whole)


class Mistakes(NamedTuple):
    """Which rows are mistakes, and which others have a margin below the band (~i for row i): the first `most`."""

    weights: Fixed
    ties: Ties
    band: float = 0.0
    most: int | None = None

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> Array:
        """Those among rows first .. last-1."""
        find, out = briefly(kernels.find, (last - first) * numbers_per_row(table.rows)), out[: self.most]
        w, doubt = self.weights.w, self.weights.doubt(table)
        many = find(table.rows, table.labels, table.weights, first, last, w, self.ties, doubt, self.band, out)
        return out[:many]


class Worst(NamedTuple):
    """Which row has the least exact margin; -1 if none counts."""

    weights: Fixed

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> int:
        """The one of rows first .. last-1, the first of equals."""
        w, doubt = self.weights.w, self.weights.doubt(table)
        return kernels.worst(table.rows, table.labels, table.weights, first, last, w, doubt)


class Margins(NamedTuple):
    """Every row's margin, with its exact sign; or only that of one stretch of rows in `every`."""

    weights: Fixed
    every: int = 1

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> None:
        """Those of rows first .. last-1."""
        doubt, step = self.weights.doubt(table), self.every * STRETCH
        if self.every == 1:
            kernels.margins(table.rows, table.labels, first, last, self.weights.w, doubt, out)
            return
        for begin in range(first - first % step, last, step):
            a, b = max(begin, first), min(begin + STRETCH, last)
            if a < b:
                kernels.margins(table.rows, table.labels, a, b, self.weights.w, doubt, out[a - first : b - first])


def find(
    examples: Examples, w: Array, ties: Ties, *, band: float = 0.0, first: int = 0, last: int | None = None
) -> tuple[Array, Array]:
    """The mistakes among rows first .. last-1, and the other rows whose margin is below `band`, both in order."""
    last = examples.n if last is None else last
    out = np.empty(last - first, index_type(examples.n))
    both = np.concatenate(examples.scan.look(examples, Mistakes(Fixed.of(w), ties, band), out, first, last))
    return both[both >= 0], ~both[both < 0]


def find_first(examples: Examples, w: Array, ties: Ties, most: int) -> Array:
    """The first `most` mistakes, sought in stretches of rows, each twice as long as the one before."""
    question, found = Mistakes(Fixed.of(w), ties, most=most), [np.empty(0, index_type(examples.n))]
    first, rows = 0, max(int(FIRST_STRETCH / numbers_per_row(examples.rows)), 1)
    while first < examples.n and sum(map(len, found)) < most:
        last = min(first + rows, examples.n)
        found += examples.scan.look(examples, question, np.empty(last - first, found[0].dtype), first, last)
        first, rows = last, 2 * rows
    return np.concatenate(found)[:most]


def count(examples: Examples, w: Array, ties: Ties) -> int:
    """How many rows are mistakes."""
    return len(find(examples, w, ties)[0])


def is_mistake(examples: Examples, row: int, w: Array, ties: Ties) -> bool:
    """Whether this row, which is at hand, is a mistake, whatever it counts."""
    question, every = Mistakes(Fixed.of(w), ties), Examples(examples.rows, examples.labels)
    return question(every, row, row + 1, np.empty(1, index_type(examples.n))).size > 0


def worst(examples: Examples, w: Array) -> int:
    """The row with the least exact margin y (w . x), the first of equals."""
    best, limbs = -1, kernels.doubt_about(examples.rows, norm(w)).limbs
    for row in examples.scan.look(examples, Worst(Fixed.of(w)), NO_PLACES):
        if best < 0 or (row >= 0 and kernels.is_less(examples.rows, examples.labels, row, best, w, limbs)):
            best = row
    return best


def margins(examples: Examples, w: Array, every: int = 1) -> Array:
    """Every row's y (w . x), each with its exact sign; or only of one stretch of rows in `every`, others infinite."""
    out = np.full(examples.n, np.inf) if every > 1 else np.empty(examples.n)
    examples.scan.look(examples, Margins(Fixed.of(w), every), out, times=1 / every)
    return out


class Seen(NamedTuple):
    """The margins of all rows with some weights."""

    w: Array
    margins: Array


def margins_below(examples: Examples, w: Array, bound: float, seen: Seen | None) -> tuple[Array, Seen]:
    """The margins, infinite where those seen with weights v prove that it is above the positive `bound`.

    For every t, y x . w = t y x . v + y x . (w - t v) >= t y x . v - R ||w - t v|| (Cauchy and Schwarz); the factors
    leave room for the rounding of all this. Also returns the latest margins of all rows.
    """
    if seen is not None and bound > 0.0 and examples.rows.values.size >= LARGE:
        v, length = seen.w, norm(seen.w)
        t = float(w @ v) / length / length if length > 0.0 else 0.0
        away = 1.001 * norm(w - t * v) + 2.0**-50 * (norm(w) + t * length) + kernels.TINY
        width = kernels.doubt_about(examples.rows, length, is_whole(v)).width
        clear = 1.001 * ((bound + examples.rows.radius * away) / t + width) if t > 0.0 else np.inf
        rows = np.flatnonzero(~(seen.margins > clear))
        if rows.size <= FEW * examples.n:
            out = np.full(examples.n, np.inf)
            out[rows] = margins(Examples(some_rows(examples.rows, rows), examples.labels[rows]), w)
            return out, seen
    found = margins(examples, w)
    return found, Seen(w, found)


def lowest(examples: Examples, w: Array, found: Array) -> Array:
    """The rows whose exact margin may be the least, given the margins found for all rows."""
    width = kernels.doubt_about(examples.rows, norm(w), is_whole(w)).width
    return np.flatnonzero(~(found > np.fmin.reduce(found) + 2.0 * width))


def norm(w: Array) -> float:
    """The length of a weight vector, safe from overflow and underflow."""
    largest = float(np.abs(w).max())
    if not 0.0 < largest < np.inf:
        return largest
    part = (w / largest).ravel()  # those of several classes are a table
    return largest * sqrt(float(np.einsum("i,i->", part, part) if part.size > THREADED else part @ part))


def is_whole(w: Array) -> bool:
    """Whether all weights are whole numbers."""
    return bool((w == np.floor(w)).all())


def index_type(n: int) -> type[np.int32] | type[np.int64]:
    """The smallest type for row numbers."""
    return np.int32 if n < 2**31 else np.int64
