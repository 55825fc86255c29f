"""The fewest mistakes of all lines, by looking at every one: for weights of two or three entries.

In two dimensions, a direction w turns once around. Row z is right while w is less than a right angle from it: between
two directions at which it joins and leaves. These are put in order, and the rows that are right are counted in every
arc between them. In three dimensions, the weights that get the same rows right form a cone, one side of which is in the
plane of some row: for every row, a direction turns around in its plane, where the others are their projections.
Angles are computed in floats; those too near each other to be told apart are compared in whole numbers.
It is a part of the checker: it knows of no solver.
"""

from collections.abc import Callable
from functools import cmp_to_key
from math import gcd
from operator import mul

import numpy as np

from rosenblatt.examples import Examples
from rosenblatt.kernels import Array
from rosenblatt.prove import exact

MOST = {1: 200_000, 2: 200_000, 3: 3_000}  # rows, by dimension
DOUBT = 2.0**-45  # of an angle, for vectors of length 1; shorter ones are what is left of such
SHORT = 2.0**-20
Pair = tuple[int, int]


def is_about(ties: str, examples: Examples) -> bool:
    """Whether a sweep tells the fewest mistakes under this tie rule, and there are not too many dimensions and rows.

    It counts ties as mistakes. With a threshold, the fewest are the same where a score of 0 is always a yes, or always
    a no: move the threshold by less than the next score is away, and the same rows are right without a tie.
    """
    counted = ties == "mistake" or (ties in ("plus", "minus") and examples.rows.bias != 0.0)
    return counted and examples.n <= MOST.get(len(_columns(examples)), 0)


def _no_limit() -> None:
    """What to call where time does not matter."""


def fewest(examples: Examples, keep_time: Callable[[], None] = _no_limit) -> tuple[int, tuple[int, ...]]:
    """How few rows can be wrong, scores of zero being wrong, and weights that get so few wrong.

    `keep_time` is called again and again, and may raise what ends the sweep.
    """
    columns = _columns(examples)
    vectors, _ = exact.signed_rows(examples, range(examples.n))
    rows = [_shortened([vector.get(column, 0) for column in columns]) for vector in vectors]
    rows = [row for row in rows if any(row)]
    least, found = {1: _line, 2: _plane, 3: _space}[len(columns)](rows, keep_time) if rows else (0, [0] * len(columns))
    weights = [0] * examples.size
    for column, k in zip(columns, found, strict=True):
        weights[column] = k
    return examples.n - len(rows) + least, tuple(weights)


def _columns(examples: Examples) -> list[int]:
    """The columns that there are, the threshold's too, if it has one."""
    return list(range(examples.size if examples.rows.bias else examples.size - 1))


def _shortened(row: list[int]) -> list[int]:
    """A row divided by what its entries have in common: directions matter only."""
    common = gcd(*row)
    return [k // common for k in row] if common > 1 else row


def _line(rows: list[list[int]], keep_time: Callable[[], None]) -> tuple[int, list[int]]:
    up = sum(row[0] > 0 for row in rows)
    return (len(rows) - up, [1]) if 2 * up >= len(rows) else (up, [-1])


def _plane(rows: list[list[int]], keep_time: Callable[[], None]) -> tuple[int, list[int]]:
    pairs = [(row[0], row[1]) for row in rows]
    wrong, w = _around(_floats(pairs), np.full(len(rows), DOUBT), pairs.__getitem__, keep_time)
    return wrong, [*w]


def _space(rows: list[list[int]], keep_time: Callable[[], None]) -> tuple[int, list[int]]:
    """For every row, the best direction in its plane, and the better side of that plane."""
    points = _floats(rows)
    points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    best = min((_Plane(rows, points, i, keep_time) for i in range(len(rows))), key=lambda plane: plane.wrong)
    return best.wrong, best.weights(rows)


class _Plane:
    """The directions at right angles to one row, and the fewest rows that are wrong for directions next to them."""

    def __init__(self, rows: list[list[int]], points: Array, i: int, keep_time: Callable[[], None]) -> None:
        keep_time()
        self.row = rows[i]
        self.axis = int(np.argmax(np.abs(points[i])))
        self.p, self.q = (self.axis + 1) % 3, (self.axis + 2) % 3
        pivot, main = points[i], points[:, self.axis]
        flat = np.stack([points[:, k] * pivot[self.axis] - main * pivot[k] for k in (self.p, self.q)], axis=1)
        doubt = DOUBT / np.maximum(np.hypot(flat[:, 0], flat[:, 1]), SHORT)
        parallel = []
        for j in np.flatnonzero(doubt == DOUBT / SHORT).tolist():
            exactly = self._projected(rows[j])
            if any(exactly):
                flat[j], doubt[j] = _floats([exactly])[0], DOUBT
            else:
                parallel.append(j)
        along = sum(sum(map(mul, rows[j], self.row)) > 0 for j in parallel)
        others = np.delete(np.arange(len(rows)), parallel).tolist()
        self.side = 1 if 2 * along >= len(parallel) else -1
        self.wrong, self.direction = min(along, len(parallel) - along), (1, 0)
        if others:
            wrong, self.direction = _around(
                flat[others], doubt[others], lambda k: self._projected(rows[others[k]]), keep_time
            )
            self.wrong += wrong

    def _projected(self, z: list[int]) -> Pair:
        """A row as the directions in this plane see it."""
        axis, row = self.axis, self.row
        return z[self.p] * row[axis] - z[axis] * row[self.p], z[self.q] * row[axis] - z[axis] * row[self.q]

    def weights(self, rows: list[list[int]]) -> list[int]:
        """The best direction, moved off the plane by so little that no other row changes sides."""
        axis, row, flat = self.axis, self.row, [0, 0, 0]
        flat[self.p], flat[self.q] = (k * row[axis] for k in self.direction)
        flat[axis] = -self.direction[0] * row[self.p] - self.direction[1] * row[self.q]
        scale = 1
        while True:
            moved = [scale * a + self.side * b for a, b in zip(flat, row, strict=True)]
            if sum(sum(map(mul, z, moved)) <= 0 for z in rows) == self.wrong:
                return moved
            scale *= 16


def _floats(rows: list[list[int]] | list[Pair]) -> Array:
    """Rows as floats of the same direction, their entries no greater than 1."""
    bits = [max(k.bit_length() for k in row) for row in rows]
    return np.array([[k / (1 << b) for k in row] for row, b in zip(rows, bits, strict=True)], dtype=np.float64)


def _around(
    points: Array, doubt: Array, exactly: Callable[[int], Pair], keep_time: Callable[[], None]
) -> tuple[int, Pair]:
    """The fewest of these rows that are wrong for any direction in the plane, and a direction for which so few are."""
    n = len(points)
    angles = np.arctan2(points[:, 1], points[:, 0])
    turns = np.concatenate([angles - np.pi / 2, angles + np.pi / 2])  # where rows join, and where they leave
    turns = np.where(turns <= -np.pi, turns + 2 * np.pi, np.where(turns > np.pi, turns - 2 * np.pi, turns))
    order = np.argsort(turns, kind="stable")

    def direction(event: int) -> Pair:
        a, b = exactly(event % n)
        return (b, -a) if event < n else (-b, a)

    order, equal = _in_exact_order(order, turns, np.concatenate([doubt, doubt]), direction, keep_time)
    changes = np.where(order < n, 1, -1)
    first = order[0]
    middle = _middle(direction(int(order[-1])), direction(int(first)))
    scores = points @ _floats([middle])[0] / np.hypot(points[:, 0], points[:, 1])
    unclear = np.flatnonzero(np.abs(scores) < 4 * doubt)
    right = int((scores > 0).sum())  # before the first turn
    for k in unclear.tolist():
        right += int(_dot(exactly(k), middle) > 0) - int(scores[k] > 0)
    counts = right + np.cumsum(changes)
    counts[np.flatnonzero(equal)] = -1  # the next turn is in the same direction: there is no arc between
    place = int(np.argmax(counts))
    if counts[place] < right:
        return n - right, middle
    after = direction(int(order[(place + 1) % order.size]))
    return n - int(counts[place]), _middle(direction(int(order[place])), after)


def _dot(a: Pair, b: Pair) -> int:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Pair, b: Pair) -> int:
    return a[0] * b[1] - a[1] * b[0]


def _middle(a: Pair, b: Pair) -> Pair:
    """A direction strictly between a and b, counterclockwise, where they are at most half a turn apart."""
    if _cross(a, b) == 0:
        return (-a[1], a[0])  # half a turn, or all of it
    longer = max(map(abs, a)), max(map(abs, b))
    between = a[0] * longer[1] + b[0] * longer[0], a[1] * longer[1] + b[1] * longer[0]
    return between if _cross(a, b) > 0 else (-between[0], -between[1])


def _clockwise(a: tuple[Pair, int], b: tuple[Pair, int]) -> int:
    """1, 0 or -1: whether a is after b, the same, or before it, for directions that are near each other."""
    turn = _cross(b[0], a[0])
    return (turn > 0) - (turn < 0)


def _in_exact_order(
    order: Array, turns: Array, doubt: Array, direction: Callable[[int], Pair], keep_time: Callable[[], None]
) -> tuple[Array, Array]:
    """Turns in the order of their exact directions, and for each whether the next one has the same."""
    many = order.size
    steps = np.diff(turns[order], append=turns[order[0]] + 2 * np.pi)
    unclear = steps <= doubt[order] + doubt[np.roll(order, -1)]
    equal = np.zeros(many, bool)
    if not unclear.any():
        return order, equal
    shift = int(np.argmin(unclear)) + 1  # begin after a clear step, so that no cluster is cut
    order, unclear = np.roll(order, -shift), np.roll(unclear, -shift)

    def compared(a: tuple[Pair, int], b: tuple[Pair, int]) -> int:
        keep_time()
        return _clockwise(a, b)

    before = cmp_to_key(compared)
    begin = 0
    for end in (np.flatnonzero(~unclear) + 1).tolist():
        if end - begin > 1:
            cluster = sorted(((direction(k), k) for k in order[begin:end].tolist()), key=before)
            order[begin:end] = [k for _, k in cluster]
            for place in range(begin, end - 1):
                equal[place] = _cross(cluster[place - begin][0], cluster[place + 1 - begin][0]) == 0
        begin = end
    return order, equal
