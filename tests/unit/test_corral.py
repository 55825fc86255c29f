"""The factorisation under Wolfe's algorithm stays one, whatever goes in and out of it; and its soft start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.geometry import soft_margin_kernels, wolfe, wolfe_kernels


class Factors:
    """A corral of some columns, and the columns."""

    def __init__(self, width):
        self.Q, self.R, self.columns = np.zeros((width, width)), np.full((width, width), np.nan), []

    def insert(self, column):
        if wolfe_kernels.insert(self.Q, self.R, len(self.columns), column.copy()):
            self.columns.append(column)
            return True
        return False

    def remove(self, place):
        wolfe_kernels.remove(self.Q, self.R, len(self.columns), place)
        del self.columns[place]

    def check(self):
        size = len(self.columns)
        Q, R = self.Q[:size], np.triu(self.R[:size, :size])
        np.testing.assert_allclose(Q @ Q.T, np.eye(size), atol=1e-12)
        np.testing.assert_allclose(R.T @ Q, np.array(self.columns).reshape(Q.shape), atol=1e-12)
        b = np.arange(1.0, size + 1)
        solved = b.copy()
        wolfe_kernels.solve(self.R, size, solved)
        np.testing.assert_allclose(R @ solved, b, rtol=1e-6, atol=1e-6)


@given(st.integers(1, 11), st.lists(st.integers(0, 99), min_size=1, max_size=30), st.integers(0, 5))
def test_columns_go_in_and_out(width, moves, seed):
    rng = np.random.default_rng(seed)
    factors = Factors(width)
    for move in moves:
        if len(factors.columns) == width or (factors.columns and move % 3 == 0):
            factors.remove(move % len(factors.columns))
        else:
            assert factors.insert(rng.normal(size=width))
        factors.check()


def test_what_depends_on_the_others_is_refused(rng):
    factors, columns = Factors(9), rng.normal(size=(6, 9))
    for column in columns:
        assert factors.insert(column)
    assert not factors.insert(rng.normal(size=6) @ columns)
    assert not factors.insert(np.zeros(9))
    factors.check()


def test_columns_that_hardly_differ_are_made_orthogonal(rng):
    factors, common = Factors(7), rng.normal(size=7)
    for _ in range(7):
        assert factors.insert(common + 1e-6 * rng.normal(size=7))
    np.testing.assert_allclose(factors.Q @ factors.Q.T, np.eye(7), atol=1e-12)


@pytest.mark.parametrize("groups", [1, 2])
def test_a_corral_solved_afresh_is_the_shortest_vector(rng, groups):
    points = rng.normal(size=(300, 8)) + 2.0
    members = np.eye(groups)[np.arange(300) % groups]
    points *= np.where(np.arange(300) % groups, 1.0, 1.5)[:, np.newaxis]
    found = wolfe.nearest(points, members, np.arange(groups))
    polished = wolfe.polished(points, members, found)
    assert found.settled
    assert polished.corral.tolist() == found.corral.tolist()
    np.testing.assert_allclose(polished.weights, found.weights, rtol=1e-9)
    np.testing.assert_allclose(polished.x, polished.weights @ points[polished.corral], atol=1e-13)
    np.testing.assert_allclose(polished.weights @ members[polished.corral], np.ones(groups))
    heights = points @ polished.x
    for group in range(groups):
        mine = members[polished.corral, group] > 0
        level = heights[polished.corral][mine]
        assert np.ptp(level) < 1e-13
        assert (heights[members[:, group] > 0] >= level.min() - 1e-12).all()


@given(st.integers(1, 11), st.integers(0, 20), st.integers(0, 5))
def test_products_of_points_are_added_and_solved_for(width, many, seed):
    rng = np.random.default_rng(seed)
    points, b = rng.normal(size=(30, width)), rng.normal(size=width)
    chosen, signs = rng.permutation(30)[:many], rng.choice([-1.0, 1.0], many)
    G = np.zeros((width, width))
    soft_margin_kernels.add_products(points, chosen, many, signs, G)
    signed = points[chosen] * signs[:, np.newaxis]
    np.testing.assert_allclose(np.triu(G), np.triu(signed.T @ points[chosen]), atol=1e-12)
    positive = points.T @ points
    for counted in (width - 1, width):
        ridge, solved = np.diag(np.where(np.arange(width) < counted, 0.5, 0.0)), b.copy()
        assert soft_margin_kernels.solve_with_ridge(np.triu(positive), 0.5, counted, np.full(G.shape, np.nan), solved)
        np.testing.assert_allclose((positive + ridge) @ solved, b, atol=1e-9)
    assert not soft_margin_kernels.solve_with_ridge(-positive, 0.0, width, G, b)


@given(st.integers(0, 99), st.sampled_from([1e-3, 1.0, 1e3]))
def test_a_line_is_followed_to_its_lowest_place(seed, size):
    rng = np.random.default_rng(seed)
    scores, steps = rng.normal(size=20), rng.normal(size=20) * size
    square = 0.1 * size**2
    along = min(0.0, -(soft_margin_kernels.slope(scores, steps, 0.0)[0])) - size  # so that it goes down at first
    at = soft_margin_kernels.lowest_along(scores, steps, along, square)
    slopes = [soft_margin_kernels.slope(scores, steps, t)[0] + along + t * square for t in (0.98 * at, 1.02 * at)]
    assert slopes[0] <= 0.0 <= slopes[1]


@pytest.mark.parametrize("threshold", [False, True])
def test_a_soft_start_leaves_few_points_below_and_begins_near_the_end(rng, threshold):
    normal = np.array([3.0, -2.0, 1.0, 0.5, 0.0, 1.0])
    X = rng.normal(size=(500, 6))
    y = np.where(X @ normal > (1.0 if threshold else 0.0), 1.0, -1.0)
    points = np.hstack([X + 0.1 * y[:, np.newaxis] * normal, np.ones((500, 1))]) * y[:, np.newaxis]
    points = points if threshold else points[:, :-1].copy()
    d = points.shape[1]
    soft = wolfe.soft(points, d, 2.0 * d, None)
    assert soft.settled
    assert sorted(soft.below.tolist()) == np.flatnonzero(points @ soft.w < 1.0).tolist()
    assert 0 < soft.below.size <= 2 * d
    assert np.all(np.diff((points @ soft.w)[soft.below]) >= 0.0)
    further = wolfe.soft(points, d, 1.2 * d, soft)
    assert further.settled
    assert further.ridge < soft.ridge
    members = np.ones((500, 1))
    found, plain = (wolfe.nearest(points, members, begin) for begin in (further.below, np.array([0])))
    assert found.settled
    assert sorted(found.corral) == sorted(plain.corral)
    assert len(set(found.corral) & set(further.below)) > len(found.corral) / 2


def test_a_soft_start_among_points_that_contradict_each_other_ends(rng):
    points = rng.normal(size=(60, 4))
    assert not wolfe.soft(points, 4, 6.0, None).settled
    assert not wolfe.soft(np.zeros((60, 4)), 4, 6.0, None).settled
    assert wolfe.soft(points, 4, 6.0, None, stop=lambda *work: True).w.tolist() == [0.0] * 4
    found = wolfe.nearest(np.vstack([points, -points]), np.ones((120, 1)), np.array([0]))
    assert found.is_zero
    assert not found.settled
