"""The largest margin without a separator: minus the radius of the largest ball around 0 in the hull of the rows.

Problem   gamma = max over unit w of min_i z_i . w, for signed rows whose convex hull contains 0 (so gamma <= 0).
Result    weights that attain a lower bound on gamma, that bound, and an upper bound; equal if all could be proved.
Method    In few dimensions, Qhull proposes the facets of the hull. The hyperplane w . z = -1 of each is solved for in
          whole numbers, and checked to have all rows on its side: its distance from the origin is 1 / ||w||. That no
          facet is missing follows modulo two: if every ridge belongs to two of the facets, they are a cycle on the
          boundary, which is a sphere, and cover all of its points an even or all an odd number of times; and one
          point, in the middle of a facet, is covered once. In more dimensions, and where the threshold does not count
          in the length, the best of a few directions is a lower bound.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.geometry.working_set import ActiveRows
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import lower_bound
from rosenblatt.prove.solve import rational
from rosenblatt.prove.solve.clock import Clock, TimeIsUp
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

WORK = 2e9  # multiplications, of least squares; fewer rows are taken where there are many columns
FACETS = {1: 20_000, 2: 20_000, 3: 20_000, 4: 2_000, 5: 300}  # the most rows that are tried, by dimensions


def widest(examples: Examples, affine: bool, clock: Clock) -> tuple[float, float, tuple[exact.Number, ...]]:
    """The largest margin found, rounded down, an upper bound on all margins, and the weights that attain it."""
    columns = [k for k in range(examples.size) if k < examples.size - 1 or examples.rows.bias]
    if not affine and examples.n <= FACETS.get(len(columns), 0):
        points = ActiveRows(examples, np.ones(examples.size), unit=False, every=True).points[:, columns]
        with suppress(TimeIsUp):
            if found := _nearest_facet(examples, points, columns, clock):
                w, square = found
                return 0.0 - exact.root_above(square), 0.0 - exact.root_below(square), w
    best: tuple[float, tuple[exact.Number, ...]] | None = None
    for direction in _directions(examples, clock):
        weights = centred(examples, exact.whole_numbers(direction)[0]) if affine else direction
        reached = lower_bound(weights, exact.least_margin(examples, weights), affine), weights
        best = reached if best is None else max(best, reached)
        if clock.late(rational.PER_NUMBER * examples.rows.values.size):
            break
    assert best is not None  # some axis or its opposite is always there
    return best[0], 0.0, best[1]


def _directions(examples: Examples, clock: Clock) -> list[tuple[exact.Number, ...]]:
    """Weights that may be slightly wrong: least squares and the mean of a part of the signed rows; and the axes."""
    active = ActiveRows(examples, np.ones(examples.size), unit=False)
    points = active.points / (np.abs(active.points).max() or 1.0)
    some = points[:: -(-points.size * examples.size // int(WORK))]
    squares = np.linalg.lstsq(some, np.ones(len(some)), rcond=None)[0] if not clock.late() else points[0]
    axes = np.eye(min(examples.size - 1, 20), examples.size)
    found = np.vstack([squares, points.mean(axis=0), axes, -axes])
    return [tuple(w.tolist()) for w in found if w[:-1].any()]


def centred(examples: Examples, w: Sequence[int]) -> tuple[int, ...]:
    """The direction with the threshold that is equally far from both classes, in whole numbers."""
    least = exact.least_margins(examples, (*w[:-1], 0))
    threshold = (least[-1][0] - least[1][0]) / 2 / Fraction(examples.rows.bias)
    return (*(k * threshold.denominator for k in w[:-1]), threshold.numerator)


def _nearest_facet(
    examples: Examples, points: Array, columns: list[int], clock: Clock
) -> tuple[tuple[exact.Number, ...], Fraction] | None:
    """Weights orthogonal to the nearest facet, and its squared distance, if all facets can be proved to be facets."""
    vectors, exponent = exact.signed_rows(examples, range(examples.n))
    facets = _facets(points)
    if facets is None:
        return _orthogonal(examples, vectors, points, columns)
    ridges = Counter(ridge for facet in facets for ridge in combinations(sorted(facet), len(facet) - 1))
    if any(many != 2 for many in ridges.values()):
        return None
    planes = []
    for facet in facets:
        clock.keep_time(rational.PER_NUMBER * examples.rows.values.size + rational.PER_ENTRY * len(columns) ** 3)
        system = [[vectors[i].get(column, 0) for column in columns] + [-(1 << exponent)] for i in facet]
        plane, solved = rational.solve(system)
        w, below = _whole(plane, columns, examples.size)
        if not solved:  # the hyperplane goes through the origin: if all rows are on one side of it, gamma is 0
            sides = [side for side in (w, tuple(-k for k in w)) if exact.least_margin(examples, side) >= 0]
            return (sides[0], Fraction(0)) if sides else None
        if exact.least_margin(examples, w) != -below:
            return None
        planes.append((Fraction(sum(k * k for k in w), below * below), w))
    if not _covered_once(vectors, columns, facets, planes, clock):
        return None
    longest, w = max(planes)
    return w, 1 / longest


def _orthogonal(
    examples: Examples, vectors: Sequence[exact.Vector], points: Array, columns: list[int]
) -> tuple[tuple[exact.Number, ...], Fraction] | None:
    """Weights for which all rows score zero, if the rows do not span the space: then gamma is 0."""
    order = scipy.linalg.qr(points.T, mode="r", pivoting=True)[1][: len(columns)].tolist()
    system = [[vectors[i].get(column, 0) for column in columns] + [0] for i in order]
    system += [[0] * (len(columns) + 1)] * (len(columns) - len(system))
    null, solved = rational.solve(system)
    w, _ = _whole(null, columns, examples.size)
    return (w, Fraction(0)) if not solved and exact.least_margin(examples, w) >= 0 else None


def _whole(entries: Sequence[Fraction], columns: list[int], size: int) -> tuple[tuple[int, ...], int]:
    """Weights with these entries in these columns, times a whole number, and that number."""
    wholes, below = rational.cleared(entries)
    placed = dict(zip(columns, wholes, strict=True))
    return tuple(placed.get(column, 0) for column in range(size)), below


def _facets(points: Array) -> list[list[int]] | None:
    """The facets that Qhull proposes, as simplices."""
    if points.shape[1] == 1:
        return [[int(points.argmin())], [int(points.argmax())]]
    try:
        return [
            list(map(int, facet))
            for facet in scipy.spatial.ConvexHull(points / (np.abs(points).max() or 1.0), qhull_options="Qt").simplices
        ]
    except scipy.spatial.QhullError:  # flat: all rows in a hyperplane
        return None


def _covered_once(
    vectors: Sequence[exact.Vector],
    columns: list[int],
    facets: list[list[int]],
    planes: list[tuple[Fraction, tuple[int, ...]]],
    clock: Clock,
) -> bool:
    """Whether the middle of the first facet lies in no other."""
    total = exact.combination([vectors[i] for i in facets[0]], [1] * len(facets[0]))
    for facet, plane in zip(facets[1:], planes[1:], strict=True):
        if plane == planes[0]:
            clock.keep_time(rational.PER_ENTRY * len(columns) ** 3)
            system = [[vectors[i].get(column, 0) for i in facet] + [total.get(column, 0)] for column in columns]
            if min(rational.solve(system)[0]) >= 0:
                return False
    return True
