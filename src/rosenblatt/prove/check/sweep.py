"""The fewest mistakes of any line, or their least cost, by trying all lines: for two or three weights.

In two dimensions, a direction w turns once around. Row z is right while w is less than a right angle from it: between
two directions at which it joins and leaves. These are sorted, and the cost of the rows that are right is added up
in every arc between them, in whole numbers. In three dimensions, the weights that get the same rows right form a cone,
one side of which is in the plane of some row: for every row, a direction turns around in its plane, where the others
are their projections.
Angles are computed in floats; those too close to distinguish are compared in whole numbers.
This is part of the checker: it uses no solver.
"""

from collections.abc import Callable
from functools import cmp_to_key
from math import gcd
from operator import mul

import numpy as np

from rosenblatt.prove.check import exact
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

MOST = {1: 200_000, 2: 200_000, 3: 3_000}  # rows, by dimension
DOUBT = 2.0**-45  # of an angle, for vectors of length 1; shorter ones are what is left of such
SHORT = 2.0**-20
MOST_COST = 2**62  # of all rows: sums of costs are whole numbers of 64 bits
PER_ROW, PER_COMPARISON = 300.0, 2000.0  # nanoseconds
Pair = tuple[int, int]
KeepTime = Callable[[float], None]


def is_about(ties: str, examples: Examples) -> bool:
    """Whether a sweep finds the fewest mistakes under this tie rule, for not too many dimensions and rows.

    It counts ties as mistakes. With a threshold, the fewest mistakes are the same if a score of 0 is always a yes or
    always a no: move the threshold by less than the gap to the next score, and the same rows are right without ties.
    """
    counted = ties == "mistake" or (ties in ("plus", "minus") and examples.rows.bias != 0.0)
    return counted and examples.n <= MOST.get(len(_columns(examples)), 0)


def _no_limit(work: float) -> None:
    """A `keep_time` that sets no limit."""


def fewest(
    examples: Examples, costs: Array | None = None, keep_time: KeepTime = _no_limit
) -> tuple[int, tuple[int, ...]]:
    """The fewest rows that can be wrong, or their least cost, counting ties as wrong; and weights that attain it.

    Costs are whole numbers, 0 or more, one for each row; None means 1 each. `keep_time` is called again and again, with
    the nanoseconds of work since, and may raise what ends the sweep.
    """
    columns = _columns(examples)
    costs = np.ones(examples.n, np.int64) if costs is None else costs
    vectors, _ = exact.signed_rows(examples, range(examples.n))
    rows = [_shortened([vector.get(column, 0) for column in columns]) for vector in vectors]
    counted = [k for k, row in enumerate(rows) if any(row) and costs[k]]
    least, found = 0, [0] * len(columns)
    if counted:
        search = {1: _line, 2: _plane, 3: _space}[len(columns)]
        least, found = search([rows[k] for k in counted], costs[counted], keep_time)
    weights = [0] * examples.size
    for column, k in zip(columns, found, strict=True):
        weights[column] = k
    return int(costs.sum()) - int(costs[counted].sum()) + least, tuple(weights)


def _columns(examples: Examples) -> list[int]:
    """The columns, including the threshold's if there is one."""
    return list(range(examples.size if examples.rows.bias else examples.size - 1))


def _shortened(row: list[int]) -> list[int]:
    """A row divided by the common factor of its entries, because only its direction matters."""
    common = gcd(*row)
    return [k // common for k in row] if common > 1 else row


def _line(rows: list[list[int]], costs: Array, keep_time: KeepTime) -> tuple[int, list[int]]:
    up, all_of_them = int(costs[[row[0] > 0 for row in rows]].sum()), int(costs.sum())
    return (all_of_them - up, [1]) if 2 * up >= all_of_them else (up, [-1])


def _plane(rows: list[list[int]], costs: Array, keep_time: KeepTime) -> tuple[int, list[int]]:
    pairs = [(row[0], row[1]) for row in rows]
    wrong, w = _around(_floats(pairs), costs, np.full(len(rows), DOUBT), pairs.__getitem__, keep_time)
    return wrong, [*w]


def _space(rows: list[list[int]], costs: Array, keep_time: KeepTime) -> tuple[int, list[int]]:
    """For every row, the best direction in its plane, and the better side of that plane."""
    points = _floats(rows)
    points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    planes = (_Plane(rows, points, costs, i, keep_time) for i in range(len(rows)))
    best = min(planes, key=lambda plane: plane.wrong)
    return best.wrong, best.weights(rows, costs)


class _Plane:
    """The directions orthogonal to one row, and the least cost of wrong rows for directions next to them."""

    def __init__(self, rows: list[list[int]], points: Array, costs: Array, i: int, keep_time: KeepTime) -> None:
        keep_time(PER_ROW * len(rows))
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
        along = int(sum(costs[j] for j in parallel if sum(map(mul, rows[j], self.row)) > 0))
        against = int(costs[parallel].sum()) - along
        others = np.delete(np.arange(len(rows)), parallel).tolist()
        self.side = 1 if along >= against else -1
        self.wrong, self.direction = min(along, against), (1, 0)
        if others:
            wrong, self.direction = _around(
                flat[others], costs[others], doubt[others], lambda k: self._projected(rows[others[k]]), keep_time
            )
            self.wrong += wrong

    def _projected(self, z: list[int]) -> Pair:
        """The projection of a row onto this plane."""
        axis, row = self.axis, self.row
        return z[self.p] * row[axis] - z[axis] * row[self.p], z[self.q] * row[axis] - z[axis] * row[self.q]

    def weights(self, rows: list[list[int]], costs: Array) -> list[int]:
        """The best direction, moved off the plane by so little that no other row changes sides."""
        axis, row, flat = self.axis, self.row, [0, 0, 0]
        flat[self.p], flat[self.q] = (k * row[axis] for k in self.direction)
        flat[axis] = -self.direction[0] * row[self.p] - self.direction[1] * row[self.q]
        scale = 1
        while True:
            moved = [scale * a + self.side * b for a, b in zip(flat, row, strict=True)]
            if int(costs[[sum(map(mul, z, moved)) <= 0 for z in rows]].sum()) == self.wrong:
                return moved
            scale *= 16


def _floats(rows: list[list[int]] | list[Pair]) -> Array:
    """Rows as floats of the same direction, with entries of at most 1."""
    bits = [max(k.bit_length() for k in row) for row in rows]
    return np.array([[k / (1 << b) for k in row] for row, b in zip(rows, bits, strict=True)], dtype=np.float64)


def _around(
    points: Array, costs: Array, doubt: Array, exactly: Callable[[int], Pair], keep_time: KeepTime
) -> tuple[int, Pair]:
    """The least cost of the wrong rows over all directions in the plane, and a direction that attains it."""
    n = len(points)
    angles = np.arctan2(points[:, 1], points[:, 0])
    turns = np.concatenate([angles - np.pi / 2, angles + np.pi / 2])  # where rows join, and where they leave
    turns = np.where(turns <= -np.pi, turns + 2 * np.pi, np.where(turns > np.pi, turns - 2 * np.pi, turns))
    order = np.argsort(turns, kind="stable")

    def direction(event: int) -> Pair:
        a, b = exactly(event % n)
        return (b, -a) if event < n else (-b, a)

    order, equal = _in_exact_order(order, turns, np.concatenate([doubt, doubt]), direction, keep_time)
    changes = np.where(order < n, 1, -1) * costs[order % n]
    first = order[0]
    middle = _middle(direction(int(order[-1])), direction(int(first)))
    scores = points @ _floats([middle])[0] / np.hypot(points[:, 0], points[:, 1])
    unclear = np.flatnonzero(np.abs(scores) < 4 * doubt)
    right, everything = int(costs[scores > 0].sum()), int(costs.sum())  # before the first turn
    for k in unclear.tolist():
        right += int(costs[k]) * (int(_dot(exactly(k), middle) > 0) - int(scores[k] > 0))
    counts = right + np.cumsum(changes)
    counts[np.flatnonzero(equal)] = -1  # the next turn is in the same direction: there is no arc between
    place = int(np.argmax(counts))
    if counts[place] < right:
        return everything - right, middle
    after = direction(int(order[(place + 1) % order.size]))
    return everything - int(counts[place]), _middle(direction(int(order[place])), after)


def _dot(a: Pair, b: Pair) -> int:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Pair, b: Pair) -> int:
    return a[0] * b[1] - a[1] * b[0]


def _middle(a: Pair, b: Pair) -> Pair:
    """A direction strictly between a and b, counterclockwise, if they are at most half a turn apart."""
    if _cross(a, b) == 0:
        return (-a[1], a[0])  # half a turn, or all of it
    longer = max(map(abs, a)), max(map(abs, b))
    between = a[0] * longer[1] + b[0] * longer[0], a[1] * longer[1] + b[1] * longer[0]
    return between if _cross(a, b) > 0 else (-between[0], -between[1])


def _clockwise(a: tuple[Pair, int], b: tuple[Pair, int]) -> int:
    """1, 0 or -1 if a comes after b, equals b, or comes before b, for directions close to each other."""
    turn = _cross(b[0], a[0])
    return (turn > 0) - (turn < 0)


def _in_exact_order(
    order: Array, turns: Array, doubt: Array, direction: Callable[[int], Pair], keep_time: KeepTime
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
        keep_time(PER_COMPARISON)
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
