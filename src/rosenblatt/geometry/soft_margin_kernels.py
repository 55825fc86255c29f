"""The compiled part of a soft start for Wolfe's algorithm: squared hinge losses, by Newton's steps.

The least ridge ||w||^2 + sum max(0, 1 - p . w)^2 (Keerthi and DeCoste, JMLR 6, 2005) tends to the w of the largest
margin as the ridge goes to zero. While more points are below 1 than there are columns, few steps are needed. They are
solved for by normal equations, which is good enough for a start; what is built on it is solved for by QR.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.geometry.wolfe_kernels import add_four, add_one, add_shares, dot, scores_of, solve
from rosenblatt.rows.compiling import any_order, compiled, inlined
from rosenblatt.rows.kernels import Array

LINE = 40  # steps at most to the lowest place on a line


@compiled
def add_products(points: Array, chosen: Array, many: int, signs: Array, G: Array) -> None:
    """Add p p' times its sign for the first `many` of the chosen points p, in the upper half of G."""
    for h in range(0, many - 3, 4):
        a, b, c, d = points[chosen[h]], points[chosen[h + 1]], points[chosen[h + 2]], points[chosen[h + 3]]
        for i in range(len(G)):
            one, two, three, four = signs[h] * a[i], signs[h + 1] * b[i], signs[h + 2] * c[i], signs[h + 3] * d[i]
            add_four(a[i:], b[i:], c[i:], d[i:], one, two, three, four, G[i, i:])
    for h in range(many - many % 4, many):
        a = points[chosen[h]]
        for i in range(len(G)):
            add_one(a[i:], signs[h] * a[i], G[i, i:])


@inlined
def solve_with_ridge(G: Array, ridge: float, counted: int, U: Array, out: Array) -> bool:
    """Replace b by the solution of (G + ridge) a = b, by Cholesky's U'U; the ridge is for the first columns only."""
    size = len(G)
    for i in range(size):
        for j in range(i, size):
            U[i, j] = G[i, j]
        U[i, i] += ridge if i < counted else 0.0
    for low in range(0, size, 4):
        top = min(low + 4, size)
        for i in range(low, top):
            for j in range(low, i):
                add_one(U[j, i:], -U[j, i], U[i, i:])
            if not U[i, i] > 0.0:
                return False
            pivot = sqrt(U[i, i])
            for j in range(i, size):
                U[i, j] /= pivot
        for i in range(top, size):
            a, b, c, d = U[low, i:], U[low + 1, i:], U[low + 2, i:], U[low + 3, i:]
            add_four(a, b, c, d, -a[0], -b[0], -c[0], -d[0], U[i, i:])
    for i in range(size):
        out[i] /= U[i, i]
        add_one(U[i, i + 1 :], -out[i], out[i + 1 :])
    solve(U, size, out)
    return True


@any_order
def slope(scores: Array, steps: Array, at: float) -> tuple[float, float]:
    """Of half the sum of max(0, 1 - score)^2, so far along the steps: its slope, and how that changes."""
    first = second = 0.0
    for i in range(scores.size):
        rest = 1.0 - scores[i] - at * steps[i]
        step = steps[i] if rest > 0.0 else 0.0
        first -= step * rest
        second += step * step
    return first, second


@inlined
def lowest_along(scores: Array, steps: Array, along: float, square: float) -> float:
    """How far along the steps it is lowest; the ridge's part has this slope at the beginning, and this bend."""
    at, low, high = 1.0, 0.0, np.inf
    for _ in range(LINE):
        first, second = slope(scores, steps, at)
        first += along + at * square
        low, high = (at, high) if first < 0.0 else (low, at)
        at -= first / (second + square) if second + square > 0.0 else 0.0
        if not low < at < high:
            at = (low + high) / 2.0 if high < np.inf else 2.0 * low
        elif abs(first) < 0.01 * at * (second + square):
            break
    return at


@compiled
def change_sides(scores: Array, inside: Array, G: Array, chosen: Array, signs: Array) -> tuple[int, int, int]:
    """Mark the points below 1 as inside; returns how many those are, how many were not marked so, and how many to add.

    These are chosen, each with the sign that its products have to be added to G with, which holds those inside.
    """
    below = changed = many = 0
    for i in range(scores.size):
        below += scores[i] < 1.0
        changed += (scores[i] < 1.0) != inside[i]
    if changed > below:  # to compute all again is less work
        inside[:] = False
        G[:] = 0.0
    for i in range(scores.size):
        if (scores[i] < 1.0) != inside[i]:
            inside[i] = not inside[i]
            chosen[many], signs[many] = i, 1.0 if inside[i] else -1.0
            many += 1
    return below, changed, many


class Newton(NamedTuple):
    """Where Newton's steps stand, and room for the next one."""

    w: Array
    scores: Array  # of all points
    inside: Array  # which points G holds
    G: Array
    U: Array
    chosen: Array
    shares: Array
    steps: Array  # by how much a whole step changes the scores
    step: Array


@compiled
def soften(points: Array, every: Array, counted: int, ridge: float, newton: Newton) -> bool:
    """One step of Newton, with the products of the points inside in G; False where rounding allows none."""
    w, scores, inside, G, U, chosen, shares, steps, step = newton
    n, d = points.shape
    many = 0
    for i in range(n):
        if inside[i]:
            chosen[many], shares[many] = i, 1.0 - scores[i]
            many += 1
    for k in range(d):
        step[k] = -ridge * w[k] if k < counted else 0.0
    add_shares(points, chosen, many, shares, step)
    if not solve_with_ridge(G, ridge, counted, U, step):
        return False
    scores_of(points, every, n, step, steps)
    at = lowest_along(scores, steps, ridge * dot(w, step, counted), ridge * dot(step, step, counted))
    for k in range(d):
        w[k] += at * step[k]
    for i in range(n):
        scores[i] += at * steps[i]
    return True
