"""The mistake bound of the stream note in the space of a kernel, exactly, and what a kernel can separate."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
from rosenblatt import KernelPerceptron, Reason, bounds

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def poly(X, Z):
    """(x . z + 1)^2 in whole numbers."""
    return (np.asarray(X, int) @ np.asarray(Z, int).T + 1) ** 2


@st.composite
def separated_in_feature_space(draw):
    """Whole rows, labels of a u = sum of b_k phi(p_k) that has |u . phi(x)| >= eps on all, ||u||^2, and the eps."""
    points = st.lists(st.lists(st.integers(-4, 4), min_size=2, max_size=2), min_size=1, max_size=3)
    anchors = np.array(draw(points))
    b = np.array(draw(st.lists(st.integers(-3, 3), min_size=len(anchors), max_size=len(anchors))))
    X = np.array(draw(st.lists(st.lists(cases.whole, min_size=2, max_size=2), min_size=2, max_size=14)))
    scores = poly(X, anchors) @ b
    X, scores = X[scores != 0], scores[scores != 0]
    assume((scores > 0).any() and (scores < 0).any())
    return X, np.where(scores > 0, 1, -1), int(b @ poly(anchors, anchors) @ b), int(np.abs(scores).min()), (anchors, b)


@given(separated_in_feature_space(), st.sampled_from(["active", "cyclic"]))
def test_mistakes_are_bounded_in_any_inner_product_space(table, order):
    """M <= U^2 ||w*||^2 / eps^2, and the proof's two inequalities at every t (stream note, proofs I to III)."""
    X, y, square_length, eps, (anchors, b) = table
    rule = KernelPerceptron(kernel="poly", gamma=1, degree=2, coef0=1, order=order, max_passes=None).fit(X, y)
    K, square_radius = poly(X, X), int(poly(X, X).diagonal().max())
    assert rule.stop_reason_ is Reason.SEPARATED
    assert rule.n_updates_ <= Fraction(square_radius * square_length, eps**2)
    assert rule.n_updates_ <= bounds.stream(square_radius**0.5, square_length**0.5, eps)
    along, length, scores = 0, 0, np.zeros(len(X), int)
    for t, i in enumerate(rule.ledger_.rows.tolist(), 1):
        assert y[i] * scores[i] <= 0
        length += 2 * int(y[i] * scores[i]) + int(K[i, i])
        along += int(y[i] * (poly(X[[i]], anchors) @ b)[0])
        scores += y[i] * K[i]
        assert along >= eps * t
        assert length <= t * square_radius
        assert along**2 <= length * square_length


@pytest.mark.parametrize(
    "options", [{"kernel": "poly", "degree": 2}, {"kernel": "rbf", "gamma": 1.0}, {"kernel": "rbf", "budget": 50}]
)
def test_exclusive_or(options):
    rule = KernelPerceptron(**options).fit(*XOR)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert rule.predict(XOR[0]).tolist() == XOR[1].tolist()


def test_no_line_separates_exclusive_or():
    with pytest.warns(UserWarning, match="budget of passes was spent"):
        KernelPerceptron(kernel="linear", fit_intercept=True).fit(*XOR)


@pytest.mark.parametrize("options", [{"kernel": "rbf", "gamma": 2.0}, {"kernel": "poly", "degree": 2}])
def test_circles(options, rng):
    angle, outside = rng.uniform(0, 2 * np.pi, 400), np.arange(400) % 2
    radius = np.where(outside, 1.0, 0.5) + 0.05 * rng.normal(size=400)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    rule = KernelPerceptron(**options).fit(X[:200], outside[:200])
    assert rule.stop_reason_ is Reason.SEPARATED
    assert rule.score(X[200:], outside[200:]) > 0.97


@given(cases.tables(max_columns=2))
def test_a_gaussian_separates_all_rows_that_do_not_contradict_each_other(table):
    X, y = table
    X, first = np.unique(X, axis=0, return_index=True)
    y = y[first]
    assume(len(set(y)) == 2)
    rule = KernelPerceptron(kernel="rbf", gamma=1.0, max_passes=None).fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert (rule.predict(X) == y).all()


@given(separated_in_feature_space(), st.integers(0, 9))
def test_a_memory_for_all_corrections_forgets_none(table, more):
    X, y, *_ = table
    options = {"kernel": "poly", "gamma": 1, "degree": 2, "order": "cyclic", "max_passes": None}
    free = KernelPerceptron(**options).fit(X, y)
    held = KernelPerceptron(budget=free.n_updates_ + more, **options).fit(X, y)
    assert held.ledger_.rows.tolist() == free.ledger_.rows.tolist()
    assert held.forgotten_.size == 0


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=8))
def test_forgetting_one_at_random_shrinks_the_weights_and_keeps_their_direction(corrections):
    """E[w - z_J] = (1 - 1/B) w, E ||w - z_J||^2 <= (1 - 2/B) ||w||^2 + R^2, over a uniform J (Cavallanti et al.)."""
    Z = np.array(corrections)
    w, B = Z.sum(axis=0), len(Z)
    left = w - Z
    assert left.sum(axis=0).tolist() == ((B - 1) * w).tolist()
    assert (left**2).sum() <= (B - 2) * (w**2).sum() + B * (Z**2).sum(axis=1).max()
