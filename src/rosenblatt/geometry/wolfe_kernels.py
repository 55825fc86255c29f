"""The compiled part of Wolfe's algorithm: a corral of points, held as a QR factorisation.

A corral is affinely independent points p with weights. In front of every point stands its group's indicator, times a
scale s: the columns (s E, P) = Q R. Column j of Q is stored as row j, so that all loops run along memory.

Only the innermost loops are inlined. To inline the rest would make the first run half a second longer, and no later one
any shorter.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.rows.compiling import any_order, compiled
from rosenblatt.rows.kernels import Array

SETTLED = 0  # every point reaches its level
AT_ZERO = 1  # the shortest vector is zero, as far as floats can tell
STUCK = 2  # rounding stops all progress
GOING = 3  # the steps that were allowed are used up
DEPENDENT = 1e-14
AGAIN = 0.1  # of its length: if less is left of a column, it is made orthogonal again
HOT = 0.2  # a point is looked at again at every step while it was this much as low as the lowest


@any_order
def dot(a: Array, b: Array, size: int) -> float:
    """The inner product of the first entries."""
    total = 0.0
    for k in range(size):
        total += a[k] * b[k]
    return total


@any_order
def four_dots(a: Array, b: Array, c: Array, d: Array, v: Array) -> tuple[float, float, float, float]:
    """The inner products of four vectors with v, in one loop: no sum waits for another."""
    one = two = three = four = 0.0
    for k in range(v.size):
        one += a[k] * v[k]
        two += b[k] * v[k]
        three += c[k] * v[k]
        four += d[k] * v[k]
    return one, two, three, four


@compiled
def scores_of(points: Array, chosen: Array, many: int, x: Array, out: Array) -> None:
    """How high on x the first `many` of the chosen points are."""
    for h in range(0, many - 3, 4):
        a, b, c, d = chosen[h], chosen[h + 1], chosen[h + 2], chosen[h + 3]
        out[h], out[h + 1], out[h + 2], out[h + 3] = four_dots(points[a], points[b], points[c], points[d], x)
    for h in range(many - many % 4, many):
        out[h] = dot(points[chosen[h]], x, x.size)


@any_order
def add_four(
    a: Array, b: Array, c: Array, d: Array, one: float, two: float, three: float, four: float, out: Array
) -> None:
    """Add shares of four vectors."""
    for k in range(out.size):
        out[k] += one * a[k] + two * b[k] + three * c[k] + four * d[k]


@any_order
def add_one(a: Array, share: float, out: Array) -> None:
    """Add a share of one vector."""
    for k in range(out.size):
        out[k] += share * a[k]


@compiled
def add_shares(points: Array, chosen: Array, many: int, shares: Array, out: Array) -> None:
    """Add shares of the first `many` of the chosen points."""
    for h in range(0, many - 3, 4):
        a, b, c, d = chosen[h], chosen[h + 1], chosen[h + 2], chosen[h + 3]
        one, two, three, four = shares[h], shares[h + 1], shares[h + 2], shares[h + 3]
        add_four(points[a], points[b], points[c], points[d], one, two, three, four, out)
    for h in range(many - many % 4, many):
        add_one(points[chosen[h]], shares[h], out)


@compiled
def take_out(Q: Array, size: int, column: Array, shares: Array) -> None:
    """Take out of a column what lies along the rows of Q, four at a time; the shares are what that was, negated."""
    for j in range(0, size - 3, 4):
        one, two, three, four = four_dots(Q[j], Q[j + 1], Q[j + 2], Q[j + 3], column)
        shares[j], shares[j + 1], shares[j + 2], shares[j + 3] = -one, -two, -three, -four
        add_four(Q[j], Q[j + 1], Q[j + 2], Q[j + 3], -one, -two, -three, -four, column)
    for j in range(size - size % 4, size):
        shares[j] = -dot(Q[j], column, column.size)
        add_one(Q[j], shares[j], column)


@compiled
def insert(Q: Array, R: Array, size: int, column: Array) -> bool:
    """Add a column to the factorisation by Gram and Schmidt; False if it depends on those there.

    A second time where little of the column is left, because what is left is then rounding too much. Below the
    diagonal of R is room for the shares.
    """
    if size == len(Q):
        return False
    length = rest = sqrt(dot(column, column, column.size))
    for j in range(size):
        R[j, size] = 0.0
    for left in (1.0, AGAIN):
        if rest > left * length:
            break
        take_out(Q, size, column, R[size])
        for j in range(size):
            R[j, size] -= R[size, j]
        rest = sqrt(dot(column, column, column.size))
    if not rest > DEPENDENT * length:
        return False
    R[size, size] = rest
    for k in range(column.size):
        Q[size, k] = column[k] / rest
    return True


@compiled
def set_column(points: Array, groups: Array, i: int, scale: float, out: Array) -> None:
    """A point with its groups in front."""
    many = groups.shape[1]
    for k in range(many):
        out[k] = scale * groups[i, k]
    for k in range(points.shape[1]):
        out[many + k] = points[i, k]


@compiled
def enlarge(
    points: Array, groups: Array, chosen: Array, Q: Array, R: Array, rows: Array, size: int, scale: float, column: Array
) -> int:
    """Take those of the chosen points that are independent into a corral; returns how many it then has."""
    for i in chosen:
        set_column(points, groups, i, scale, column)
        if insert(Q, R, size, column):
            rows[size] = i
            size += 1
    return size


@any_order
def rotate(a: Array, b: Array, c: float, s: float) -> None:
    """Rotate two vectors by an angle with this cosine and sine."""
    for k in range(a.size):
        upper, lower = a[k], b[k]
        a[k] = c * upper + s * lower
        b[k] = c * lower - s * upper


@any_order
def rotate_left(a: Array, b: Array, c: float, s: float) -> None:
    """Rotate all but the first entries of two vectors; the first vector moves one place to the left."""
    for k in range(a.size - 1):
        upper, lower = a[k + 1], b[k + 1]
        a[k] = c * upper + s * lower
        b[k + 1] = c * lower - s * upper


@compiled
def remove(Q: Array, R: Array, size: int, place: int) -> None:
    """Take a column out of the factorisation, by rotations of Givens."""
    for i in range(place):
        for j in range(place, size - 1):
            R[i, j] = R[i, j + 1]
    for i in range(place, size - 1):
        a, b = R[i, i + 1], R[i + 1, i + 1]
        length = sqrt(a * a + b * b)
        c, s = (a / length, b / length) if length > 0.0 else (1.0, 0.0)
        rotate_left(R[i, i:size], R[i + 1, i:size], c, s)
        rotate(Q[i], Q[i + 1], c, s)


@compiled
def solve(R: Array, size: int, out: Array) -> None:
    """Replace b by the solution of R a = b, four entries at a time."""
    for low in range((size - 1) // 4 * 4, -1, -4):
        top = low + 4 if low + 4 < size else size
        if top < size:
            a, b, c, d = R[low, top:size], R[low + 1, top:size], R[low + 2, top:size], R[low + 3, top:size]
            one, two, three, four = four_dots(a, b, c, d, out[top:size])
            out[low] -= one
            out[low + 1] -= two
            out[low + 2] -= three
            out[low + 3] -= four
        for i in range(top - 1, low - 1, -1):
            for j in range(i + 1, top):
                out[i] -= R[i, j] * out[j]
            out[i] /= R[i, i]


@compiled
def affine_weights(Q: Array, R: Array, size: int, many: int, scale: float, out: Array) -> bool:
    """The weights of the shortest vector in the affine hull, for one or two groups; False if rounding leaves none.

    P'P a = E'm with E a = 1 means R'R a = E'n, so a = R^-1 (Q_E)'n / s where Q_E Q_E' n = s^2 1.
    """
    a = b = c = 0.0
    least = np.inf
    for j in range(size):
        least = abs(R[j, j]) if abs(R[j, j]) < least else least
        a += Q[j, 0] * Q[j, 0]
        if many == 2:
            b += Q[j, 0] * Q[j, 1]
            c += Q[j, 1] * Q[j, 1]
    divisor = a * c - b * b if many == 2 else a
    if not (divisor > 0.0 and least > 0.0):  # no point is left of some group, or one depends on others
        return False
    if many == 2:
        first, second = scale * (c - b) / divisor, scale * (a - b) / divisor
    else:
        first, second = scale / divisor, 0.0
    for j in range(size):
        out[j] = Q[j, 0] * first + (Q[j, 1] * second if many == 2 else 0.0)
    solve(R, size, out)
    return True


class Corral(NamedTuple):
    """Points with weights, their factorisation, and the vector that they mix; there is room for more of them."""

    Q: Array
    R: Array
    rows: Array  # which points they are
    weights: Array
    x: Array


class Goal(NamedTuple):
    """When a descent ends."""

    scale: float  # of the indicators in front of points
    enough: float  # every point reaches this part of its level,
    tolerance: float  # but for so much
    zero: float  # the square of a length that cannot be told from 0


class DescentScratch(NamedTuple):
    """Where a descent writes meanwhile."""

    every: Array  # the numbers of all points
    scores: Array
    hot: Array
    wanted: Array
    column: Array


@compiled
def descend(  # one long function: five parts, compiled each by itself, made the first run 0.3 s longer
    points: Array,
    groups: Array,
    corral: Corral,
    size: int,
    before: float,
    goal: Goal,
    most: int,
    work: float,
    space: DescentScratch,
) -> tuple[int, int, float, float]:
    """Up to `most` steps of Wolfe's algorithm, and about this much `work`, in multiplications; ||x||^2 is `before`.

    Returns how it ended, the size of the corral, ||x||^2, and the work that is left. Where work ended a step half done,
    x is yet to follow.

    A step looks at the hot points only, those that were lowest when all were looked at, until none of them is low. It
    ends: ||x||^2 falls with every step, or it is stuck; within a step, the corral shrinks with every turn.
    """
    Q, R, rows, weights, x = corral
    scale, enough, tolerance, zero = goal
    every, scores, hot, wanted, column = space
    n, d, many = points.shape[0], points.shape[1], groups.shape[1]
    hots = 0
    low = 0.0
    for _ in range(most):
        # towards the shortest vector of the affine hull, until it is inside the convex one
        while True:
            if not work > 0.0:
                return GOING, size, before, work
            work -= 3.0 * size * (size + d)  # to solve, to remove or insert a point, and to add up x
            if not affine_weights(Q, R, size, many, scale, wanted):
                return STUCK, size, before, work
            share, gone = 2.0, -1
            for k in range(size):
                if not wanted[k] > 0.0:
                    part = weights[k] / (weights[k] - wanted[k]) if weights[k] > 0.0 else 0.0
                    if part < share:
                        share, gone = part, k
            if gone < 0:
                for k in range(size):
                    weights[k] = wanted[k]
                break
            if size == 1 or not share <= 1.0:
                return STUCK, size, before, work
            for k in range(size):
                moved = weights[k] + share * (wanted[k] - weights[k])
                weights[k] = moved if moved > 0.0 else 0.0
            remove(Q, R, size, gone)
            size -= 1
            for k in range(gone, size):
                rows[k], weights[k] = rows[k + 1], weights[k + 1]
        for k in range(d):
            x[k] = 0.0
        add_shares(points, rows, size, weights, x)
        length = dot(x, x, d)
        if length <= zero:
            return AT_ZERO, size, length, work
        if not length < before:
            return STUCK, size, length, work
        before = length
        # the levels: what the corral's points of each group score; they add up to ||x||^2
        level_0, level_1, first = length, 0.0, 0
        if many == 2:
            while first < size - 1 and groups[rows[first], 0] == 0.0:
                first += 1
            level_0 = dot(points[rows[first]], x, d)
            level_1 = length - level_0
        # the lowest point, of the hot ones if one of them is still low, or else of all
        lowest, depth = -1, 0.0
        scores_of(points, hot, hots, x, scores)
        work -= float(hots) * d
        for h in range(hots):
            i = hot[h]
            level = groups[i, 0] * level_0 + (groups[i, 1] * level_1 if many == 2 else 0.0)
            if scores[h] - level < depth:
                lowest, depth = i, scores[h] - level
        if not depth < HOT * low or not depth < -tolerance:
            lowest, depth, reached = -1, np.inf, True
            scores_of(points, every, n, x, scores)
            work -= float(n) * d
            for i in range(n):
                level = groups[i, 0] * level_0 + (groups[i, 1] * level_1 if many == 2 else 0.0)
                reached &= scores[i] - enough * level >= -tolerance
                scores[i] -= level
                if scores[i] < depth:
                    lowest, depth = i, scores[i]
            if reached:
                return SETTLED, size, length, work
            if lowest < 0:  # no score is a number
                return STUCK, size, length, work
            low, hots = depth, 0
            for i in range(n):
                if scores[i] < HOT * low and hots < hot.size:
                    hot[hots] = i
                    hots += 1
        for j in range(size):
            if rows[j] == lowest:
                return STUCK, size, length, work
        set_column(points, groups, lowest, scale, column)
        if not insert(Q, R, size, column):
            return STUCK, size, length, work
        rows[size], weights[size] = lowest, 0.0
        size += 1
    return GOING, size, before, work
