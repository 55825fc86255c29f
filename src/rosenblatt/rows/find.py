"""Find: what a rule gets wrong, over all rows, on all cores, with fixed weights."""

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple, TypeVar

import numpy as np

from rosenblatt.rows import kernels
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Doubt, Ties
from rosenblatt.rows.storage import numbers_per_row, some_rows
from rosenblatt.rows.threads import in_pieces

T = TypeVar("T")

STRETCH = 1024  # rows; so many are read at a time where not all are
FEW = 0.2  # of the rows: so many are worth copying, instead of a look at all
THREADED = 10_000  # entries: longer products BLAS cuts up for threads, which take longer to wake than to add up
LARGE = 1_000_000  # numbers; where there are fewer, a look at all of them takes less than to choose


def find(
    examples: Examples, w: Array, ties: Ties, *, band: float = 0.0, first: int = 0, last: int | None = None
) -> tuple[Array, Array]:
    """The mistakes among rows first .. last-1, and the other rows whose margin is below `band`, both in order."""
    last = examples.n if last is None else last
    found = np.empty(last - first, index_type(examples.n))

    def piece(a: int, b: int, doubt: Doubt) -> Array:
        part = found[a - first : b - first]
        return part[: _found(examples, w, ties, a, b, doubt, band, part)]

    both = np.concatenate(_pass(examples, w, piece, first, last))
    return both[both >= 0], ~both[both < 0]


def _found(
    examples: Examples, w: Array, ties: Ties, first: int, last: int, doubt: Doubt, band: float, out: Array
) -> int:
    """`kernels.find`; returns how many were written."""
    find = briefly(kernels.find, (last - first) * numbers_per_row(examples.rows))
    return find(examples.rows, examples.labels, examples.weights, first, last, w, ties, doubt, band, out)


def find_first(examples: Examples, w: Array, ties: Ties, most: int) -> Array:
    """The first `most` mistakes."""
    found = np.empty(most, index_type(examples.n))
    doubt = kernels.doubt_about(examples.rows, norm(w), is_whole(w))
    return found[: _found(examples, w, ties, 0, examples.n, doubt, 0.0, found)]


def count(examples: Examples, w: Array, ties: Ties) -> int:
    """How many rows are mistakes."""
    return len(find(examples, w, ties)[0])


def is_mistake(examples: Examples, row: int, w: Array, ties: Ties) -> bool:
    """Whether this row is a mistake."""
    doubt, found = kernels.doubt_about(examples.rows, norm(w), is_whole(w)), np.empty(1, index_type(examples.n))
    every = Examples(examples.rows, examples.labels)  # whatever it counts
    return _found(every, w, ties, row, row + 1, doubt, 0.0, found) > 0


def worst(examples: Examples, w: Array) -> int:
    """The row with the least exact margin y (w . x), the first of equals."""
    rows, labels, weights = examples.rows, examples.labels, examples.weights

    def piece(a: int, b: int, doubt: Doubt) -> int:
        return kernels.worst(rows, labels, weights, a, b, w, doubt)

    best, limbs = -1, kernels.doubt_about(rows, norm(w)).limbs
    for row in _pass(examples, w, piece):
        if best < 0 or (row >= 0 and kernels.is_less(rows, labels, row, best, w, limbs)):
            best = row
    return best


def margins(examples: Examples, w: Array, every: int = 1) -> Array:
    """Every row's y (w . x), each with its exact sign; or only of one stretch of rows in `every`, others infinite."""
    out = np.full(examples.n, np.inf) if every > 1 else np.empty(examples.n)
    step = every * STRETCH

    def piece(a: int, b: int, doubt: Doubt) -> None:
        kernels.margins(examples.rows, examples.labels, a, b, w, doubt, out)

    def stretches(a: int, b: int, doubt: Doubt) -> None:
        for begin in range(a * step, b * step, step):
            piece(begin, min(begin + STRETCH, examples.n), doubt)

    if every == 1:
        _pass(examples, w, piece)
    else:
        _pass(examples, w, stretches, last=-(-examples.n // step))
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


def _pass(
    examples: Examples, w: Array, piece: Callable[[int, int, Doubt], T], first: int = 0, last: int | None = None
) -> list[T]:
    """`piece` for every stretch of rows that a core takes, each with a `Doubt` of its own to work in."""
    rows, length, whole = examples.rows, norm(w), is_whole(w)
    last = examples.n if last is None else last
    doubt = kernels.doubt_about
    return in_pieces(lambda a, b: piece(a, b, doubt(rows, length, whole)), first, last, numbers_per_row(rows))


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
