"""The point of least norm in a polytope, in floating point (Wolfe, Mathematical Programming 11, 1976).

Problem   the shortest x = sum a_i p_i with a >= 0 and, for every group of points, weights that add up to 1.
          One group of all points: x is the shortest vector in their convex hull. Two groups: it joins two hulls.
          Points of no group span a cone that is added.
Input     the points, their groups, and a corral to begin with.
Result    `Nearest`: the corral, its weights, x. All points have p_i . x >= the level of their group (0 without one),
          up to rounding; the levels add up to ||x||^2.
Method    An active set. Add the point that is lowest against its level; go to the shortest vector in the affine hull
          of the corral; on the way, drop every point whose weight becomes zero (`wolfe_kernels`). Of many points, those
          that a soft margin leaves below are a corral to begin with, nearly the last one (`soft_margin_kernels`).

Nothing here is proved, and nothing else rests on it: what it finds is a proposal.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rosenblatt.geometry import soft_margin_kernels, wolfe_kernels
from rosenblatt.geometry.soft_margin_kernels import Newton
from rosenblatt.geometry.wolfe_kernels import Corral, DescentScratch, Goal
from rosenblatt.rows.kernels import Array

TOLERANCE = 1e-13  # of the squared length of the longest point: a level that cannot be told from reached
ZERO = 1e-10  # of the longest point
AT_ONCE, WORK = 256, 3e8  # steps, and multiplications: some tenths of a second, after which it can be stopped
HOT_POINTS = 256
RIDGE = 0.1  # of the mean square of a column, times the points: to begin with
STEPS = 40  # of Newton, at most
CALM = 0.45  # of the points below 1: if fewer change sides, the steps have come near enough
LOWER = 0.5  # times the ridge


@dataclass(frozen=True)
class Nearest:
    """The shortest vector found, as a mixture of the corral's points."""

    corral: Array
    weights: Array
    x: Array
    settled: bool  # no point is lower than its level, as far as floats can tell
    is_zero: bool = False  # as far as floats can tell
    work: float = 0.0  # multiplications that it took, about


@dataclass(frozen=True)
class Soft:
    """Weights on which most points score 1 or more, and what they were found with."""

    w: Array
    ridge: float
    below: Array  # the points that score less than 1, lowest first
    settled: bool  # these are few enough


def never(work: float) -> bool:
    """What to ask, after so much work, where nothing limits it."""
    return False


def nearest(
    points: Array,
    groups: Array,
    begin: Array,
    *,
    enough: float = 1.0,
    stop: Callable[[float], bool] = never,
) -> Nearest:
    """The shortest vector, starting from the points `begin`, of which every group must have one.

    With `enough` below 1, ends as soon as every point reaches that part of its level. `stop` is asked with the work, in
    multiplications, since it was asked last; what it ends is not settled, and may be anything.
    """
    d, many = points.shape[1], groups.shape[1]
    width, most = d + many, min(d + many, len(points) + 1)
    scale = float(np.sqrt(np.einsum("ij,ij->i", points, points).max())) or 1.0
    Q, R = np.zeros((most, width)), np.zeros((most, most))
    rows, weights, wanted = np.zeros(most, np.int64), np.zeros(most), np.zeros(most)
    x, scores, hot = np.zeros(d), np.empty(len(points)), np.empty(HOT_POINTS, np.int64)
    column, square, how = np.empty(width), np.inf, wolfe_kernels.GOING
    corral, space = Corral(Q, R, rows, weights, x), DescentScratch(np.arange(len(points)), scores, hot, wanted, column)
    goal = Goal(scale, enough, TOLERANCE * scale**2, (ZERO * scale) ** 2)
    size, work, last = 0, 0.0, 0.0
    for part in _parts(begin, Q.size, stop):
        size = wolfe_kernels.enlarge(points, groups, part, Q, R, rows, size, scale, column)
        work += 2.0 * len(part) * size * width
    members = groups[rows[:size]]
    weights[:size] = members @ (1.0 / members.sum(axis=0).clip(1.0))
    while how == wolfe_kernels.GOING and not stop(last):
        how, size, square, left = wolfe_kernels.descend(
            points, groups, corral, size, square, goal, AT_ONCE, WORK, space
        )
        last = WORK - left
        work += last
    if last:
        stop(last)
    settled, is_zero = how == wolfe_kernels.SETTLED, how == wolfe_kernels.AT_ZERO
    return Nearest(rows[:size].copy(), weights[:size].copy(), x, settled, is_zero, work)


def _parts(chosen: Array, work: float, stop: Callable[[float], bool]) -> Iterator[Array]:
    """Some of those chosen at a time, each of which is so much work, until all are taken or it is to stop."""
    step = max(int(WORK / max(work, 1)), 1)
    for first in range(0, len(chosen), step):
        if stop(work * min(step, len(chosen) - first)):
            return
        yield chosen[first : first + step]


def soft(points: Array, counted: int, few: float, before: Soft | None, stop: Callable[[float], bool] = never) -> Soft:
    """Where to begin among many points: weights that leave at most `few` below 1, if there are such.

    Only the first `counted` weights count in their length. It goes on from what was found `before` for some of these.
    Where few points change sides, the ridge is lowered.
    """
    n, d = points.shape
    w = before.w.copy() if before else np.zeros(d)
    ridge = before.ridge if before else RIDGE * float(np.einsum("ij,ij->", points, points)) / d
    every, inside, settled = np.arange(n), np.zeros(n, bool), False
    G, U, step, scores, steps = np.zeros((d, d)), np.empty((d, d)), np.empty(d), np.empty(n), np.empty(n)
    chosen, shares = np.empty(n, np.int64), np.empty(n)
    newton = Newton(w, scores, inside, G, U, chosen, shares, steps, step)
    wolfe_kernels.scores_of(points, every, n, w, scores)
    for _ in range(STEPS):
        below, changed, many = soft_margin_kernels.change_sides(scores, inside, G, chosen, shares)
        for part in _parts(every[:many], d * d / 2, stop):
            soft_margin_kernels.add_products(points, chosen[part], part.size, shares[part], G)
        if changed < CALM * below:
            settled = below <= few
            ridge *= 1.0 if settled else LOWER
        if settled or stop(float(points.size + d**3 / 3)):
            break
        if not soft_margin_kernels.soften(points, every, counted, ridge, newton):
            break
    low = np.flatnonzero(scores < 1.0)
    settled = settled and not stop(0.0) and bool(np.isfinite(w).all())
    return Soft(w, ridge, low[np.argsort(scores[low], kind="stable")], settled)


def polished(points: Array, groups: Array, found: Nearest, stop: Callable[[float], bool] = never) -> Nearest:
    """The same corral, solved for afresh: with the rounding errors of one factorisation, not of all its changes."""
    chosen, members = points[found.corral], groups[found.corral]
    first = members.argmax(axis=0)
    others = np.delete(np.arange(len(chosen)), first)
    own = first[members[others].argmax(axis=1)]  # the first of the same group
    differences, many = chosen[others] - chosen[own], others.size
    Q, R, every = np.zeros((many, points.shape[1])), np.zeros((many, many)), np.arange(many)
    shares, column, x = np.zeros(many), np.empty(points.shape[1]), chosen[first].sum(axis=0)
    size, rows, none = 0, every.copy(), np.empty((many, 0))
    for part in _parts(every, many * points.shape[1], stop):
        size = wolfe_kernels.enlarge(differences, none, part, Q, R, rows, size, 0.0, column)
    if size < many:
        return found
    wolfe_kernels.take_out(Q, many, x, shares)
    wolfe_kernels.take_out(Q, many, x, column[:many])
    wolfe_kernels.solve(R, many, shares)
    weights = np.zeros(len(chosen))
    weights[others] = shares
    weights[first] = 1.0 - weights[others] @ members[others]
    return Nearest(found.corral, weights, x, found.settled) if (weights > 0.0).all() else found
