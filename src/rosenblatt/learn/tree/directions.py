"""Compiled: directions that part the classes of a node, from the moments of its rows.

`gather` writes the candidate features of a node's rows, standardised there, to `values`. Classes are put on two sides.
From the moments follow the least-squares direction of the sides, and the directions in which their second moments
differ most: XOR is no matter of means.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.learn.tree.split_kernels import Labelled, cost_of
from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import Array

ROUNDS = 40  # of the power iteration


class Features(NamedTuple):
    """What a perceptron may use: numbers (code MISSING) and values of categories."""

    columns: Array
    codes: Array


class DirectionScratch(NamedTuple):
    """Where a direction is sought. The first two are shared by all nodes, which have a stretch each."""

    values: Array  # by candidate and row
    scores: Array  # by row
    chosen: Array  # the candidates: their numbers as features
    order: Array  # candidates by the size of their weights
    means: Array  # by feature
    scales: Array
    merits: Array
    sides: Array  # by class: +1 or -1
    sums: Array  # by class and candidate
    moments: Array  # by candidate, twice: of all rows
    bent: Array  # first those of the + side, then by how much the sides differ
    root: Array  # a triangle: root root' = moments + ridge
    vectors: Array  # rows of candidates
    bins: Array  # by bin and class
    classes: Array  # rows of classes
    steps: Array  # of the perceptron: on a mistake of the - side, and of the + side
    starts: Array  # of a sparse table: where the numbers of each feature begin


@inlined
def feature(features: Features, f: int, table: Array, row: int) -> float:
    """The value of a feature: NaN if missing."""
    value = table[features.columns[f], row]
    if features.codes[f] < 0 or np.isnan(value):
        return value  # type: ignore[no-any-return]
    return 1.0 if value == features.codes[f] else 0.0


@compiled
def describe(begin: int, end: int, data: Labelled, features: Features, room: DirectionScratch) -> None:
    """Every feature's mean and deviation at a node, and how far apart it has the means of the two sides."""
    for f in range(features.columns.size):
        many = total = plus = sum_plus = 0.0
        for row in range(begin, end):
            value = feature(features, f, data.table, row)
            if not np.isnan(value):
                cost = float(data.costs[row])
                many += cost
                total += cost * value
                if room.sides[data.labels[row]] > 0:
                    plus += cost
                    sum_plus += cost * value
        mean, squares = total / max(many, 1.0), 0.0
        for row in range(begin, end):
            value = feature(features, f, data.table, row)
            if not np.isnan(value):
                squares += data.costs[row] * ((value - mean) * (value - mean))
        deviation = sqrt(squares / max(many, 1.0))
        known = 1e-12 * abs(mean) < deviation < np.inf
        room.means[f], room.scales[f] = mean, deviation if known else 0.0
        minus = many - plus
        room.merits[f] = -1.0
        if known:
            apart = sum_plus / max(plus, 1.0) - (total - sum_plus) / max(minus, 1.0)
            room.merits[f] = abs(apart) / deviation * sqrt(plus * minus) / max(many, 1.0)


@compiled
def choose(features: int, most: int, room: DirectionScratch) -> int:
    """The features of the highest merit, the first of equals, in their order; returns how many."""
    chosen, merits = room.chosen, room.merits
    many = 0
    for f in range(features):
        if not merits[f] >= 0.0 or (many == most and merits[f] <= merits[chosen[many - 1]]):
            continue
        place = many if many < most else many - 1  # the last one goes if there are too many
        many = place + 1
        while place > 0 and merits[chosen[place - 1]] < merits[f]:
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = f
    for k in range(1, many):
        f, place = chosen[k], k
        while place > 0 and chosen[place - 1] > f:
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = f
    return many


@compiled
def gather(
    begin: int, end: int, many: int, data: Labelled, features: Features, room: DirectionScratch, total: float
) -> None:
    """Standardised candidates of a node's rows, 0 where missing; their moments, and in `bent` those of the + side."""
    for k in range(many):
        f = room.chosen[k]
        for row in range(begin, end):
            value = (feature(features, f, data.table, row) - room.means[f]) / room.scales[f]
            room.values[k, row] = 0.0 if np.isnan(value) else value
    add_moments(begin, end, many, data, room, total)


@compiled
def add_moments(begin: int, end: int, many: int, data: Labelled, room: DirectionScratch, total: float) -> None:
    """The moments of what is gathered."""
    room.sums[:, :many] = 0.0
    room.moments[:many, :many] = 0.0
    room.bent[:many, :many] = 0.0
    values = room.vectors[0]
    for row in range(begin, end):
        share, label = data.costs[row] / total, data.labels[row]
        for k in range(many):
            values[k] = room.values[k, row]
        of_side = room.bent if room.sides[label] > 0 else room.moments
        for k in range(many):
            part = share * values[k]
            room.sums[label, k] += part
            for j in range(k + 1):
                of_side[k, j] += part * values[j]
    for k in range(many):
        for j in range(k + 1):
            room.moments[k, j] += room.bent[k, j]


@inlined
def copy(many: int, v: Array, out: Array) -> None:
    """out = v, for the first entries."""
    for k in range(many):
        out[k] = v[k]


@compiled
def factor(many: int, some: Array, ridge: float, room: DirectionScratch) -> None:
    """The triangle of the moments of some candidates (Cholesky)."""
    for i in range(many):
        for j in range(i + 1):
            a, b = (some[i], some[j]) if some[i] > some[j] else (some[j], some[i])
            total = room.moments[a, b] + (ridge if i == j else 0.0)
            for k in range(j):
                total -= room.root[i, k] * room.root[j, k]
            room.root[i, j] = sqrt(max(total, 1e-12)) if i == j else total / room.root[j, j]


@inlined
def solve_forth(many: int, root: Array, v: Array) -> None:
    """v becomes root^-1 v."""
    for i in range(many):
        for k in range(i):
            v[i] -= root[i, k] * v[k]
        v[i] /= root[i, i]


@inlined
def solve_back(many: int, root: Array, v: Array) -> None:
    """v becomes root'^-1 v."""
    for i in range(many - 1, -1, -1):
        v[i] /= root[i, i]
        for k in range(i):
            v[k] -= root[i, k] * v[i]


@compiled
def least_squares(many: int, some: Array, room: DirectionScratch, out: Array) -> None:
    """The direction in some candidates that fits the sides best, computed from the triangle of their moments."""
    for i in range(many):
        out[i] = 0.0
        for label in range(room.sides.size):
            out[i] += room.sides[label] * room.sums[label, some[i]]
    solve_forth(many, room.root, out)
    solve_back(many, room.root, out)


@compiled
def largest_against_the_rest(total: Array, sides: Array) -> None:
    """Of two classes, the second is +1."""
    largest = 1 if total.size == 2 else 0
    for k in range(total.size):
        if total.size > 2 and total[k] > total[largest]:
            largest = k
    for k in range(total.size):
        sides[k] = 1.0 if k == largest else -1.0


@inlined
def along(many: int, v: Array, label: int, total: Array, whole: float, room: DirectionScratch) -> float:
    """The mean of a class along a direction."""
    mean = 0.0
    for k in range(many):
        mean += v[k] * room.sums[label, k]
    return mean * whole / total[label]  # type: ignore[no-any-return]


@compiled
def regroup(many: int, v: Array, total: Array, room: DirectionScratch) -> bool:
    """Sides for classes in the order of their means along a direction, so that the sides' means are far apart.

    Returns whether there are any: all classes may have one mean.
    """
    whole = float(cost_of(total))
    best, best_bound = -1.0, 0.0
    for bound_of in range(total.size):
        if total[bound_of] == 0:
            continue
        bound = along(many, v, bound_of, total, whole, room)
        size = sum_of_side = 0.0
        for k in range(total.size):
            if total[k] > 0 and along(many, v, k, total, whole, room) <= bound:
                size += total[k] / whole
                sum_of_side += along(many, v, k, total, whole, room) * total[k] / whole
        if 0.0 < size < 1.0 - 1e-12:
            apart = sum_of_side * sum_of_side / (size * (1.0 - size))
            if apart > best:
                best, best_bound = apart, bound
    if best < 0.0:
        return False
    for k in range(total.size):
        below = total[k] > 0 and along(many, v, k, total, whole, room) <= best_bound
        room.sides[k] = -1.0 if below else 1.0
    return True


@compiled
def compare_moments(many: int, total: Array, room: DirectionScratch) -> None:
    """`bent` becomes the second moments of the + side about its mean less those of the - side."""
    plus = 0.0
    for label in range(total.size):
        plus += total[label] if room.sides[label] > 0 else 0.0
    plus /= cost_of(total)
    for k in range(many):
        for j in range(k + 1):
            one = two = 0.0
            for label in range(total.size):
                one += room.sums[label, k] if room.sides[label] > 0 else 0.0
                two += room.sums[label, j] if room.sides[label] > 0 else 0.0
            of_plus = room.bent[k, j] / plus - one * two / (plus * plus)
            of_minus = (room.moments[k, j] - room.bent[k, j]) / (1.0 - plus) - one * two / ((1.0 - plus) * (1.0 - plus))
            room.bent[k, j] = room.bent[j, k] = of_plus - of_minus


@compiled
def bend(many: int, shift: float, room: DirectionScratch, v: Array, spare: Array) -> float:
    """Power iteration for the second moments in which the sides differ; returns the length that v grew by last."""
    size = 0.0
    for _ in range(ROUNDS):
        for k in range(many):
            spare[k] = v[k]
        solve_back(many, room.root, spare)
        size = 0.0
        for k in range(many):
            v[k], spare[many + k] = 0.0, v[k]
        for j in range(many):
            for k in range(many):
                v[k] += room.bent[j, k] * spare[j]
        solve_forth(many, room.root, v)
        for k in range(many):
            v[k] += shift * spare[many + k]
            size += v[k] * v[k]
        size = sqrt(size)
        if size == 0.0:
            return 0.0
        for k in range(many):
            v[k] /= size
    return size
