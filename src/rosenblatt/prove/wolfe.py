"""The point of least norm in a polytope, in floating point (Wolfe, Mathematical Programming 11, 1976).

Problem   the shortest x = sum a_i p_i with a >= 0 and, for every group of points, weights that add up to 1.
          One group of all points: x is the shortest vector in their convex hull. Two groups: it joins two hulls.
          Points of no group span a cone that is added.
Input     the points, their groups, and a corral to begin with.
Result    `Nearest`: the corral, its weights, x. All points have p_i . x >= the level of their group (0 without one),
          up to rounding; the levels add up to ||x||^2.
Method    An active set. Add the point that is lowest against its level; go to the shortest vector in the affine hull
          of the corral; on the way, drop every point whose weight becomes zero. The affine hull is held as a QR
          factorisation of the corral, with the group's indicator in front of every point, and updated point by point.

Nothing here is proved, and nothing else rests on it: what it finds is a proposal.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from rosenblatt.kernels import Array

SETTLED = 1e-13  # of the squared length of the longest point: a level that cannot be told from reached
NEAR_ZERO = 1e-10  # of the longest point


@dataclass
class Nearest:
    """The shortest vector found, as a mixture of the corral's points."""

    corral: list[int]
    weights: Array
    x: Array
    settled: bool  # no point is lower than its level, as far as floats can tell


class Corral:
    """Some affinely independent points, factorised."""

    def __init__(self, points: Array, groups: Array) -> None:
        self.points, self.groups = points, groups
        self.scale = float(np.sqrt((points**2).sum(axis=1).max())) or 1.0
        self.rows: list[int] = []
        self.Q, self.R = np.empty((points.shape[1] + groups.shape[1], 0)), np.empty((0, 0))

    def add(self, row: int) -> bool:
        """Take in a point; False if it depends on those that are there."""
        column = np.concatenate([self.scale * self.groups[row], self.points[row]])
        if not self.rows:
            length = float(np.linalg.norm(column))
            if not length:
                return False
            self.Q, self.R = np.asfortranarray(column[:, np.newaxis] / length), np.array([[length]], order="F")
        elif len(self.rows) == self.Q.shape[0]:
            return False
        else:
            try:
                self.Q, self.R = qr_insert(
                    self.Q, self.R, column, len(self.rows), "col", rcond=1e-14, overwrite_qru=True, check_finite=False
                )
            except LinAlgError:
                return False
        self.rows.append(row)
        return True

    def drop(self, place: int) -> None:
        """Give up a point."""
        del self.rows[place]
        Q, R = qr_delete(self.Q, self.R, place, 1, "col", overwrite_qr=True, check_finite=False)
        self.Q, self.R = Q[:, : len(self.rows)], R[: len(self.rows)]  # a square Q comes back square

    def affine_weights(self) -> Array:
        """The weights of the shortest vector in the affine hull.

        The columns are (s E, P) = Q R. P'P a = E' m with E a = 1 means R'R a = E' n, so a = R^-1 (Q_E)' n / s, where
        Q_E Q_E' n = s^2 1.
        """
        ahead = self.Q[: self.groups.shape[1]]
        levels = np.linalg.solve(ahead @ ahead.T, np.full(len(ahead), self.scale))
        weights, _ = dtrtrs(self.R, ahead.T @ levels)
        return np.asarray(weights)

    def mixture(self, weights: Array) -> Array:
        """The sum of the points, each times its weight."""
        return np.asarray(weights @ self.points[self.rows])


def nearest(points: Array, groups: Array, begin: list[int], enough: float = 1.0, most: int | None = None) -> Nearest:
    """The shortest vector, starting from the points `begin`, of which every group must have one.

    With `enough` below 1, ends as soon as every point reaches that part of its level.
    """
    corral = Corral(points, groups)
    for row in begin:
        corral.add(row)
    weights = _feasible(corral)
    settled, x, before = False, corral.mixture(weights), np.inf
    for _ in range(most or 50 * (points.shape[1] + 10)):
        weights = _shortest_in_corral(corral, weights)
        x = corral.mixture(weights)
        length = float(x @ x)
        if length <= (NEAR_ZERO * corral.scale) ** 2 or length >= before:
            break
        before = length
        scores = points @ x
        levels = _levels(corral, scores)
        lowest = int(np.argmin(scores - groups @ levels))
        if (scores - enough * (groups @ levels)).min() >= -SETTLED * corral.scale**2:
            settled = True
            break
        if lowest in corral.rows or not corral.add(lowest):
            break
        weights = np.append(weights, 0.0)
    return Nearest(corral.rows, weights, x, settled)


def _feasible(corral: Corral) -> Array:
    """Weights to begin with: equal in every group."""
    groups = corral.groups[corral.rows]
    return groups @ (1.0 / groups.sum(axis=0))


def _levels(corral: Corral, scores: Array) -> Array:
    """Each group's level: what its points in the corral score."""
    groups = corral.groups[corral.rows]
    return np.asarray((scores[corral.rows] @ groups) / groups.sum(axis=0))


def _shortest_in_corral(corral: Corral, weights: Array) -> Array:
    """Go towards the shortest vector of the affine hull, dropping points until it is inside the convex one."""
    while True:
        wanted = corral.affine_weights()
        if (wanted > 0).all():
            return wanted
        falling = wanted <= 0
        shares = weights[falling] / (weights[falling] - wanted[falling])
        weights = weights + min(float(shares.min(initial=1.0)), 1.0) * (wanted - weights)
        gone = int(np.flatnonzero(falling)[np.argmin(shares)])
        if len(corral.rows) == 1:
            return weights
        corral.drop(gone)
        weights = np.maximum(np.delete(weights, gone), 0.0)
