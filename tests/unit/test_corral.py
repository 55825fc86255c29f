"""The factorisation under Wolfe's algorithm stays one, whatever goes in and out of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.learn import corral, wolfe


class Factors:
    """A corral of some columns, and the columns."""

    def __init__(self, width):
        self.Q, self.R, self.columns = np.zeros((width, width)), np.full((width, width), np.nan), []

    def insert(self, column):
        if corral.insert(self.Q, self.R, len(self.columns), column.copy()):
            self.columns.append(column)
            return True
        return False

    def remove(self, place):
        corral.remove(self.Q, self.R, len(self.columns), place)
        del self.columns[place]

    def check(self):
        size = len(self.columns)
        Q, R = self.Q[:size], np.triu(self.R[:size, :size])
        np.testing.assert_allclose(Q @ Q.T, np.eye(size), atol=1e-12)
        np.testing.assert_allclose(R.T @ Q, np.array(self.columns).reshape(Q.shape), atol=1e-12)
        b = np.arange(1.0, size + 1)
        solved = b.copy()
        corral.solve(self.R, size, solved)
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
