"""Lifting (Harchaoui 3): every table becomes separable, with the margin and the bound that the lemma gives."""

from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from rosenblatt import Examples, LiftedPerceptron, Perceptron, bounds, margin, separability
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.lifted import lifted
from rosenblatt.prove.solve.separability import NotSeparable

sizes = st.sampled_from(["best", 0.1, 0.5, 0.8, 0.95])
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])


@given(cases.tables(), sizes)
def test_a_run_always_ends_within_its_bound(table, a):
    X, y = table
    rule = LiftedPerceptron(a=a).fit(X, y)
    assert rule.lifted_mistakes_ == 0
    assert rule.n_updates_ <= rule.update_bound_
    assert (rule.stop_reason_ is Reason.SEPARATED) == (rule.training_mistakes_ == 0)
    scores = y * rule.decision_function(X)
    assert (scores + rule.lift_ * rule.own_weights_ > 0).all()
    assert rule.training_mistakes_ == (rule.predict(X) != y).sum()


@given(cases.tables(max_rows=6, max_columns=2), st.integers(1, 3), sizes)
def test_weights_are_bounded_like_their_copies(table, k, a):
    X, y = table
    weights = np.full(len(X), float(k))
    rule = LiftedPerceptron(a=a).fit(X, y, sample_weight=weights)
    copies = LiftedPerceptron(a=a).fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    assert rule.weights_.tobytes() == copies.weights_.tobytes()
    assert (rule.lift_, rule.lifted_margin_) == (copies.lift_, copies.lifted_margin_)
    assert rule.update_bound_ == copies.update_bound_
    half = LiftedPerceptron(a=a).fit(X, y, sample_weight=weights - 0.5)
    assert half.n_updates_ <= half.update_bound_


@given(cases.tables(), st.floats(0.05, 0.95))
def test_the_lemma(table, a):
    """The proof's vector is a unit vector with at least the margin stated, for any unit vector and gamma (E13)."""
    X, y = table
    examples = Examples.of(X, y)
    found = lifted.best_reference(examples, lifted.quick_directions(examples), lifted.lift_for(a))
    b = sqrt(1 - a * a)
    rows = np.hstack([X, np.ones((len(X), 1))])
    slack = np.maximum(0, found.margin - y * (rows @ found.weights))
    assert sqrt((slack**2).sum()) <= found.slack
    w = np.concatenate([found.weights, a / b * y * slack]) / sqrt(1 + (a / b) ** 2 * (slack**2).sum())
    tall = np.hstack([a * rows, b * np.eye(len(X))])
    assert np.linalg.norm(w) == pytest.approx(1)
    proved = found.lifted_margin(lifted.lift_for(a)) / hypot(1, lifted.lift_for(a))
    assert (y * (tall @ w)).min() >= proved * (1 - 1e-6)
    assert proved == pytest.approx(bounds.lifted_margin(found.margin, found.slack**2, a), rel=1e-5)


@given(cases.tables(max_columns=2), st.sampled_from([0.3, 0.6, 0.9]))
def test_the_lifted_margin_is_no_more_than_the_largest_and_no_less_than_b_over_root_n(table, a):
    X, y = table
    rule = LiftedPerceptron(a=a).fit(X, y)
    rows = np.hstack([X, np.ones((len(X), 1))])
    tall = np.hstack([rule.a_ * rows, sqrt(1 - rule.a_**2) * np.eye(len(X))])
    largest = margin(tall, y, fit_intercept=False)
    assert rule.lifted_margin_ <= largest.upper * (1 + 1e-9)
    assert largest.upper >= sqrt(1 - rule.a_**2) / sqrt(len(X)) * (1 - 1e-9)


@given(cases.tables(max_rows=10))
def test_the_best_a_gives_the_bound_of_freund_and_schapire(table):
    X, y = table
    examples = Examples.of(X, y)
    found = lifted.best_reference(examples, lifted.quick_directions(examples))
    s, R = lifted.best_lift(examples, found), examples.radius
    at_best = ((R * R + s * s) / found.lifted_margin(s) ** 2) if s > lifted.LEAST_LIFT * R else None
    if at_best:
        assert at_best == pytest.approx(bounds.freund_schapire(R, found.slack, found.margin), rel=1e-5, abs=1)
        for other in (s / 3, s * 3):
            assert at_best <= (R * R + other * other) / found.lifted_margin(other) ** 2 * (1 + 1e-6)
    for gamma in (found.margin / 2, min(found.margin * 1.5, R)):  # no other gamma gives less, for the same direction
        slack = np.maximum(0, gamma - y * (np.hstack([X, np.ones((len(X), 1))]) @ found.weights))
        assert (R + found.slack) / found.margin <= (R + sqrt((slack**2).sum())) / gamma * (1 + 1e-6)


def test_own_features_must_differ():
    """One feature common to all rows is a threshold, and leaves exclusive or as it is (E22)."""
    X, y = XOR
    common = np.hstack([X, np.full((4, 1), 0.5)])
    assert isinstance(separability(common, y), NotSeparable)
    rule = LiftedPerceptron(a=0.9).fit(X, y)
    assert rule.lifted_mistakes_ == 0
    assert rule.training_mistakes_ > 0  # as no line is right


def test_little_lift_leaves_a_separable_table_to_the_plain_algorithm(rng):
    X = rng.normal(size=(200, 4))
    y = np.where(X @ rng.normal(size=4) > 0, 1, -1)
    rule = LiftedPerceptron(a=1 - 1e-9).fit(X, y)
    plain = Perceptron(order="cyclic", max_passes=None).fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert rule.training_mistakes_ == 0
    assert rule.n_updates_ == plain.n_updates_
