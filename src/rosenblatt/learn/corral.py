"""The compiled part of Wolfe's algorithm: a corral of points, held as a QR factorisation.

A corral is affinely independent points p with weights. In front of every point stands its group's indicator, times a
scale s: the columns (s E, P) = Q R. Column j of Q is stored as row j, so that all loops run along memory.
"""

from math import sqrt

import numpy as np

from rosenblatt.kernels import Array, any_order, compiled

SETTLED = 0  # every point reaches its level
AT_ZERO = 1  # the shortest vector is zero, as far as floats can tell
STUCK = 2  # rounding stops all progress
GOING = 3  # the steps that were allowed are used up
DEPENDENT = 1e-14
AGAIN = 0.1  # of its length: if less is left of a column, it is made orthogonal again
NEAR = 4  # entries just computed are not loaded with others, which would wait for them
HOT = 0.2  # a point is looked at again at every step while it was this much as low as the lowest


@any_order
def dot(a: Array, b: Array, size: int) -> float:
    """The inner product of the first entries."""
    total = 0.0
    for k in range(size):
        total += a[k] * b[k]
    return total


@compiled
def insert(Q: Array, R: Array, size: int, column: Array) -> bool:
    """Add a column to the factorisation by Gram and Schmidt; False if it depends on those there.

    A second time where little of the column is left, because what is left is then rounding too much.
    """
    width = column.size
    if size == len(Q):
        return False
    length = sqrt(dot(column, column, width))
    for j in range(size):
        R[j, size] = 0.0
    for left in (1.0, AGAIN):
        rest = sqrt(dot(column, column, width))
        if rest > left * length:
            break
        for j in range(size):
            share = dot(Q[j], column, width)
            R[j, size] += share
            for k in range(width):
                column[k] -= share * Q[j, k]
    rest = sqrt(dot(column, column, width))
    if not rest > DEPENDENT * length:
        return False
    R[size, size] = rest
    for k in range(width):
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
def begin(
    points: Array, groups: Array, chosen: Array, Q: Array, R: Array, rows: Array, scale: float, column: Array
) -> int:
    """Make a corral of those of the chosen points that are independent; returns how many they are."""
    size = 0
    for i in chosen:
        set_column(points, groups, i, scale, column)
        if insert(Q, R, size, column):
            rows[size] = i
            size += 1
    return size


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
        for j in range(i, size - 1):
            upper, lower = R[i, j + 1], R[i + 1, j + 1]
            R[i, j] = c * upper + s * lower
            R[i + 1, j + 1] = c * lower - s * upper
        for k in range(Q.shape[1]):
            upper, lower = Q[i, k], Q[i + 1, k]
            Q[i, k] = c * upper + s * lower
            Q[i + 1, k] = c * lower - s * upper


@compiled
def affine_weights(Q: Array, R: Array, size: int, many: int, scale: float, out: Array) -> None:
    """The weights of the shortest vector in the affine hull, for one or two groups.

    P'P a = E'm with E a = 1 means R'R a = E'n, so a = R^-1 (Q_E)'n / s where Q_E Q_E' n = s^2 1.
    """
    a = b = c = 0.0
    for j in range(size):
        a += Q[j, 0] * Q[j, 0]
        if many == 2:
            b += Q[j, 0] * Q[j, 1]
            c += Q[j, 1] * Q[j, 1]
    if many == 2:
        first, second = scale * (c - b) / (a * c - b * b), scale * (a - b) / (a * c - b * b)
    else:
        first, second = scale / a, 0.0
    for i in range(size - 1, -1, -1):
        total = Q[i, 0] * first + (Q[i, 1] * second if many == 2 else 0.0)
        near = min(i + NEAR, size)
        total -= dot(R[i, near:], out[near:], size - near)
        for j in range(i + 1, near):
            total -= R[i, j] * out[j]
        out[i] = total / R[i, i]


@compiled
def descend(
    points: Array,
    groups: Array,
    Q: Array,
    R: Array,
    rows: Array,
    weights: Array,
    size: int,
    x: Array,
    scale: float,
    enough: float,
    tolerance: float,
    zero: float,
    most: int,
    before: float,
    scores: Array,
    hot: Array,
    wanted: Array,
    column: Array,
) -> tuple[int, int, float]:
    """Up to `most` steps of Wolfe's algorithm. Returns how it ended, the size of the corral, and ||x||^2.

    A step looks at the hot points only, those that were lowest when all were looked at, until none of them is low.
    """
    n, d, many = points.shape[0], points.shape[1], groups.shape[1]
    hots = 0
    low = 0.0
    for _ in range(most):
        # towards the shortest vector of the affine hull, until it is inside the convex one
        while True:
            affine_weights(Q, R, size, many, scale, wanted)
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
                return STUCK, size, before
            for k in range(size):
                weights[k] = max(weights[k] + share * (wanted[k] - weights[k]), 0.0)
            remove(Q, R, size, gone)
            size -= 1
            for k in range(gone, size):
                rows[k], weights[k] = rows[k + 1], weights[k + 1]
        for k in range(d):
            x[k] = 0.0
        for j in range(size):
            point, weight = points[rows[j]], weights[j]
            for k in range(d):
                x[k] += weight * point[k]
        length = dot(x, x, d)
        if length <= zero:
            return AT_ZERO, size, length
        if not length < before:
            return STUCK, size, length
        before = length
        # the levels: what the corral's points of each group score; they add up to ||x||^2
        level_0, level_1, first = length, 0.0, 0
        if many == 2:
            while groups[rows[first], 0] == 0.0:
                first += 1
            level_0 = dot(points[rows[first]], x, d)
            level_1 = length - level_0
        # the lowest point, of the hot ones if one of them is still low, or else of all
        lowest, depth = -1, 0.0
        for h in range(hots):
            i = hot[h]
            level = groups[i, 0] * level_0 + (groups[i, 1] * level_1 if many == 2 else 0.0)
            height = dot(points[i], x, d) - level
            if height < depth:
                lowest, depth = i, height
        if not depth < HOT * low or not depth < -tolerance:
            lowest, depth, reached = -1, np.inf, True
            for i in range(n):
                level = groups[i, 0] * level_0 + (groups[i, 1] * level_1 if many == 2 else 0.0)
                score = dot(points[i], x, d)
                reached &= score - enough * level >= -tolerance
                scores[i] = score - level
                if scores[i] < depth:
                    lowest, depth = i, scores[i]
            if reached:
                return SETTLED, size, length
            low, hots = depth, 0
            for i in range(n):
                if scores[i] < HOT * low and hots < hot.size:
                    hot[hots] = i
                    hots += 1
        for j in range(size):
            if rows[j] == lowest:
                return STUCK, size, length
        set_column(points, groups, lowest, scale, column)
        if not insert(Q, R, size, column):
            return STUCK, size, length
        rows[size], weights[size] = lowest, 0.0
        size += 1
    return GOING, size, before
