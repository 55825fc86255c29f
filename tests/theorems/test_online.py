"""The mistake-bound note on streams, statement by statement, and what Crammer et al. prove about passive-aggressive."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
from rosenblatt import OnlinePerceptron, bounds


@st.composite
def streams(draw):
    """Rows of whole numbers that may repeat, their labels, w* and eps: y (w* . x) >= eps for all."""
    X, y, u = draw(cases.separable_tables(max_rows=10))
    order = draw(st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=60))
    return X[order], y[order], u, float((y * (X @ u)).min())


@pytest.mark.parametrize("mode", ["perceptron", "averaged"])
@given(streams(), st.sampled_from(["mistake", "plus", "correct"]))
def test_the_proof_holds_after_every_row(mode, stream, ties):
    X, y, star, eps = stream
    rule = OnlinePerceptron(mode=mode, fit_intercept=False, ties=ties, comparator=(star, eps))
    U = Fraction(0)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        before = rule.n_mistakes_
        wrong = rule.learn_one(x, label)
        proof, w = rule.mistake_bound_, rule.weights_[:-1]
        U = max(U, Fraction(x @ x))
        assert proof.mistakes == before + wrong == rule.n_mistakes_
        assert proof.along == w @ star
        assert proof.along >= proof.along_at_least == eps * proof.mistakes  # proof I
        assert proof.squared_length == w @ w
        assert w @ w <= proof.mistakes * U  # proof II
        assert proof.squared_length_at_most == pytest.approx(float(proof.mistakes * U), rel=1e-14)
        assert proof.mistakes <= proof.bound  # proof III
        assert proof.bound >= floor(U * Fraction(star @ star) / Fraction(eps) ** 2)
        assert proof.hypotheses_hold, t
        assert proof.inequalities_hold, t


def test_the_notes_example():
    """Examples of length 2 at most, ||w*|| = 3, eps = 1/2: no more than 144 mistakes."""
    rule = OnlinePerceptron(fit_intercept=False, comparator=([3.0, 0.0], 0.5))
    rule.learn_one([2.0, 0.0], True)
    assert rule.mistake_bound_.radius == 2.0
    assert rule.mistake_bound_.bound == 144 == bounds.stream(2, 3, 0.5)


@given(streams(), st.data())
def test_a_row_that_breaks_the_hypothesis_is_named(stream, data):
    X, y, star, eps = stream
    t = data.draw(st.integers(0, len(X) - 1))
    y = y.copy()
    y[t] *= -1
    one, many = (OnlinePerceptron(fit_intercept=False, comparator=(star, eps)) for _ in range(2))
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label)
    many.learn_many(X, y)
    assert one.mistake_bound_ == many.mistake_bound_
    assert one.mistake_bound_.broken_at == t
    assert not one.mistake_bound_.hypotheses_hold
    assert one.mistake_bound_.bound is None


def test_the_hypothesis_is_decided_exactly():
    ulp = 2.0**-52
    for row, eps, broken in (
        ([1.0, ulp], 1 + ulp, None),
        ([1.0, ulp], 1 + 2 * ulp, 0),
        ([0.1, 0.2], 0.1 + 0.2, 0),  # the exact sum is less than the computed one
        ([0.1, 0.2], 0.3, None),
    ):
        rule = OnlinePerceptron(fit_intercept=False, comparator=([1.0, 1.0], eps))
        rule.learn_one(row, True)
        assert rule.mistake_bound_.broken_at == broken


@given(cases.tables(), st.booleans())
def test_a_correction_moves_its_own_row_towards_right(table, bias):
    """w_{t+1} . x_t > w_t . x_t for a positive example that is not zero, and by ||x||^2."""
    X, y = table
    rule = OnlinePerceptron(fit_intercept=bias)
    for x, label in zip(X, y, strict=True):
        before = rule.score_one(x)
        if rule.learn_one(x, label):
            assert rule.score_one(x) == before + label * (x @ x + bias)


@pytest.mark.parametrize("mode", ["PA", "PA-I", "PA-II"])
@given(stream=streams(), C=st.sampled_from([0.01, 0.5, 10.0]))
@settings(max_examples=40)
def test_passive_aggressive_bounds(mode, stream, C):
    """Theorems 2, 4 and 5 of Crammer et al., with u = w* / eps, which has no loss on the stream."""
    X, y, star, eps = stream
    rule = OnlinePerceptron(mode=mode, C=C, fit_intercept=False)
    losses, u, R = [], star / eps, float((X * X).sum(axis=1).max())
    for x, label in zip(X, y, strict=True):
        losses.append(max(0.0, 1 - label * rule.score_one(x)))
        rule.learn_one(x, label)
        after = label * rule.score_one(x)
        if losses[-1] == 0.0:
            assert after >= 1
        elif mode == "PA":
            assert after == pytest.approx(1)
        else:
            assert 1 - losses[-1] - 1e-9 < after < 1 + 1e-9
    total, square = sum(loss * loss for loss in losses), u @ u
    most = {"PA": R * square, "PA-I": np.inf, "PA-II": (R + 1 / (2 * C)) * square}[mode]
    assert total <= most * (1 + 1e-9)
    if mode == "PA-I":
        assert rule.n_mistakes_ <= max(R, 1 / C) * square * (1 + 1e-9)


@given(streams())
@settings(max_examples=30)
def test_a_stream_repeated_ends_without_mistakes(stream):
    """The bound counts all mistakes there ever are: one that repeats has its last."""
    X, y, star, eps = stream
    rule = OnlinePerceptron(fit_intercept=False, comparator=(star, eps))
    most = int((X * X).sum(axis=1).max() * (star @ star) / eps**2) + 1
    for _ in range(most + 1):
        if rule.learn_many(X, y) == 0:
            break
    assert rule.learn_many(X, y) == 0
    assert rule.n_mistakes_ <= most
