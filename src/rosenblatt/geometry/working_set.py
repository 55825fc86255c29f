"""The active set of a proof: some of the rows, signed and scaled, as points for `wolfe`."""

import numpy as np

from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Dense

NUMBERS = 10_000_000  # that are taken in at once
MOST = 100_000_000  # numbers of as many rows as a corral may have, dense: 0.8 GB, and its factors are as large
PRECISION = 2**50  # multipliers are rounded to this part of the largest


def are_too_large(examples: Examples) -> bool:
    """Whether rows are so long, and so many, that no corral of them is held."""
    return min(examples.n, examples.size) * examples.size > MOST


class ActiveRows:
    """Rows in the units of their columns; with `unit`, each scaled to length 1."""

    def __init__(self, examples: Examples, sizes: Array, unit: bool, every: bool = False) -> None:
        self.examples, self.sizes, self.unit = examples, sizes, unit
        self.is_active = np.ones(examples.n, bool) if every else _spread(examples)
        self.rows = np.flatnonzero(self.is_active)
        self.points, self.lengths = self._points(self.rows)

    def add_lowest(self, rows: Array, heights: Array) -> bool:
        """Take in the lowest of these rows, as many as are worth adding at once; False if none is new."""
        new = rows[lowest(heights, ~self.is_active[rows], self._worth_adding())]
        if not new.size:
            return False
        points, lengths = self._points(new)
        self.is_active[new] = True
        self.rows = np.concatenate([self.rows, new])
        self.points, self.lengths = np.vstack([self.points, points]), np.concatenate([self.lengths, lengths])
        return True

    def heights(self, rows: Array, x: Array) -> tuple[Array, Array]:
        """Some of these rows, spread over them, and how high on x their points are."""
        rows = rows[:: max(rows.size // (20 * self._worth_adding()), 1)]
        return rows, self._points(rows)[0] @ x

    def _worth_adding(self) -> int:
        return _at_most(self.examples, max(4 * self.examples.size, 500, self.examples.n // 100))

    def multipliers(self, places: Array, weights: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The rows at these places, and their weights as whole numbers."""
        return tuple(self.rows[places].tolist()), whole_multipliers(weights / self.lengths[places])

    def _points(self, rows: Array) -> tuple[Array, Array]:
        """Points, and what they were divided by beyond the units of their columns."""
        table, labels = self.examples.rows, self.examples.labels[rows]
        points = np.zeros((rows.size, self.examples.size))
        if isinstance(table, Dense):
            points[:, :-1] = table.values[rows]
        else:
            for place, i in enumerate(rows.tolist()):
                part = slice(int(table.starts[i]), int(table.starts[i + 1]))
                points[place, table.columns[part]] = table.values[part]
        points[:, -1] = table.bias
        points /= self.sizes
        points *= labels[:, np.newaxis]
        if not self.unit:
            return points, np.ones(rows.size)
        lengths = np.linalg.norm(points, axis=1)
        lengths[lengths == 0] = 1.0
        return points / lengths[:, np.newaxis], lengths


def lowest(heights: Array, among: Array, many: int) -> Array:
    """The places of the lowest of those that are marked, at most `many`, in no order."""
    places = np.flatnonzero(among)
    return places if places.size <= many else places[np.argpartition(heights[places], many)[:many]]


def whole_multipliers(weights: Array) -> tuple[int, ...]:
    """Positive weights as whole numbers, to a part of the largest."""
    return tuple(np.maximum(np.rint(weights / weights.max() * PRECISION), 1.0).astype(np.int64).tolist())


def _spread(examples: Examples) -> Array:
    """Marks rows to begin with: spread over the data, of both classes; where that would be the half of them, all."""
    n, many = examples.n, _at_most(examples, max(10 * examples.size, 1000, examples.n // 200))
    if n <= 2 * many:
        return np.ones(n, bool)
    marks = np.zeros(n, bool)
    marks[np.linspace(0, n - 1, many).astype(np.int64)] = True
    for label in (-1, 1):
        marks[np.argmax(examples.labels == label)] = True
    return marks


def _at_most(examples: Examples, rows: int) -> int:
    """So many rows, or fewer where they are long: points are dense."""
    return min(rows, max(NUMBERS // examples.size, 200))
