"""Wolfe's algorithm beyond the precision of floats, for margins that are tiny compared with the rows.

Problem   as in `wolfe`, for the signed rows themselves.
Input     examples, and rows to start with: the corral where the floating-point algorithm ended.
Result    the mixture of rows whose length is the margin, to about forty digits, or None if that does not converge.
Method    The shortest x in the affine hull of the corral is b + A c, where b is one row of each group and A holds the
          differences to the others: a least squares problem. It is solved in floats by QR, and its residuals, computed
          in whole numbers, are solved for again (Bjoerck, BIT 7, 1967): each round gains as many digits as floats have
          beyond the condition of A. The rest is Wolfe's algorithm.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.prove.check import exact
from rosenblatt.prove.solve import rational
from rosenblatt.prove.solve.rational import KeepTime
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

BITS = 192  # of a whole number that stands for 1
ROUNDS = 40
CLOSE = 2.0**-120  # of the terms added up: residuals this small are settled
LEVEL = Fraction(1, 2**40)  # of the level: rows lower than that join
ONE = 1 << BITS


def nearest(
    examples: Examples, affine: bool, begin: Sequence[int], keep_time: KeepTime = rational.no_limit
) -> rational.Mixture | None:
    """The shortest mixture of all rows, or with `affine`, the shortest difference of a mixture of either class.

    `keep_time`, called for every round and every row of a corral, raises an exception when the time is up.
    """
    corral, weights = list(begin), _equal(examples, affine, begin)
    met: set[frozenset[int]] = set()  # x becomes shorter with every corral, so none comes again but by rounding
    while True:
        try:
            shortest = _shortest(examples, affine, corral, weights, keep_time)
        except (OverflowError, ValueError, np.linalg.LinAlgError):  # numbers beyond the range of floats
            return None
        if shortest is None:
            return None
        corral, weights, x = shortest
        if not any(x) or frozenset(corral) in met:
            return None
        met.add(frozenset(corral))
        lowest = rational.lowest(examples, affine, corral, x, LEVEL)
        if lowest is None:
            used = [(row, weight) for row, weight in zip(corral, weights, strict=True) if weight > 0]
            return rational.Mixture(tuple(row for row, _ in used), tuple(weight for _, weight in used), tuple(x))
        if lowest in corral:
            return None
        corral.append(lowest)
        weights.append(0)


def _groups(examples: Examples, affine: bool, rows: Sequence[int]) -> list[list[int]]:
    """The places of the rows of each group."""
    if not affine:
        return [list(range(len(rows)))]
    return [[k for k, row in enumerate(rows) if examples.labels[row] == label] for label in (-1, 1)]


def _equal(examples: Examples, affine: bool, rows: Sequence[int]) -> list[int]:
    """Equal weights within each group, adding up to one."""
    weights = [0] * len(rows)
    for group in _groups(examples, affine, rows):
        for k in group:
            weights[k] = ONE // len(group)
        weights[group[0]] += ONE - sum(weights[k] for k in group)
    return weights


def _shortest(
    examples: Examples, affine: bool, corral: list[int], weights: list[int], keep_time: KeepTime
) -> tuple[list[int], list[int], list[int]] | None:
    """Go to the shortest x of the affine hull, dropping rows until it is inside the convex one."""
    while True:
        solved = _affine_weights(examples, affine, corral, keep_time)
        if solved is None:
            return None
        wanted, x = solved
        falling = [k for k, weight in enumerate(wanted) if weight <= 0]
        if not falling:
            return corral, wanted, x
        share, gone = min((Fraction(weights[k], weights[k] - wanted[k] or 1), k) for k in falling)
        weights = [w + int(share * (to - w)) for w, to in zip(weights, wanted, strict=True)]
        kept = [k for k in range(len(corral)) if k != gone]
        corral, weights = [corral[k] for k in kept], [max(weights[k], 0) for k in kept]


def _affine_weights(
    examples: Examples, affine: bool, corral: list[int], keep_time: KeepTime
) -> tuple[list[int], list[int]] | None:
    """The weights of the shortest x of the affine hull, as whole numbers in units of 2^-BITS, and x, likewise."""
    vectors, exponent = exact.signed_rows(examples, corral)
    width = examples.size - affine
    points = np.array([[vector.get(column, 0) for column in range(width)] for vector in vectors], dtype=object)
    groups = _groups(examples, affine, corral)
    if not all(groups):
        return None
    base = sum(points[group[0]] for group in groups)
    others = [(k, group[0]) for group in groups for k in group[1:]]
    x, shares = base * ONE, np.zeros(len(others), dtype=object)
    if others:
        A = np.array([points[k] - points[first] for k, first in others], dtype=object).T
        refined = _least_squares(A, base, exponent, keep_time)
        if refined is None:
            return None
        x, shares = refined
    weights = [0] * len(corral)
    for (k, first), share in zip(others, shares.tolist(), strict=True):
        weights[k] = share
        weights[first] -= share
    for group in groups:
        weights[group[0]] += ONE
    return weights, [*x.tolist(), *[0] * affine]


def _least_squares(A: Array, b: Array, exponent: int, keep_time: KeepTime) -> tuple[Array, Array] | None:
    """The shortest x = b + A c and c, times 2^BITS, for matrices of whole numbers that are floats times 2^exponent."""
    unit = 1 << exponent
    with np.errstate(over="ignore", invalid="ignore"):
        floats = np.empty(A.shape)
        for place, row in enumerate(A):
            keep_time(rational.PER_ENTRY * len(row))
            floats[place] = [k / unit for k in row]
        if not np.isfinite(floats).all() or A.shape[1] > A.shape[0]:
            return None
        Q, R = np.linalg.qr(floats)
        if not (abs(np.diag(R)) > 0).all():
            return None
        x, c, before = b * ONE, np.zeros(A.shape[1], dtype=object), np.inf
        for _ in range(ROUNDS):
            keep_time(2 * rational.PER_ENTRY * A.size)
            f = np.array([k / (unit << BITS) for k in (b * ONE - x + A @ c).tolist()])
            g = np.array([-k / (unit * unit << BITS) for k in (x @ A).tolist()])
            h = scipy.linalg.solve_triangular(R, g, trans="T")
            d = Q.T @ f
            step_x, step_c = Q @ h + (f - Q @ d), scipy.linalg.solve_triangular(R, h - d)
            size = float(abs(step_c).max(initial=0.0)) + float(abs(step_x).max() / abs(floats).max())
            if not size < before:
                return None
            before = size if before < np.inf else max(size, 1.0)
            x = x + np.array([int(Fraction(s) * (unit << BITS)) for s in step_x.tolist()], dtype=object)
            c = c + np.array([int(Fraction(s) * ONE) for s in step_c.tolist()], dtype=object)
            if size < CLOSE:
                return b * ONE + A @ c, c
    return None
