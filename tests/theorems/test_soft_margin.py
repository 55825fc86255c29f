"""What theory says of the soft margin, in exact arithmetic where it is exact, on tables of whole numbers."""

from fractions import Fraction
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import naive_soft
from rosenblatt import margin
from rosenblatt.learn.soft import soft
from rosenblatt.prove.solve.soft_margin import certified
from rosenblatt.rows.examples import Examples

TOL = 1e-9
small = st.integers(-4, 4).map(Fraction)
at_least_zero = st.integers(0, 12).map(lambda k: Fraction(k, 4))


def solved(X, y, C=1.0, weights=None, **shape):
    examples = Examples.of(X, y, weights=weights, **shape)
    run = soft.learn(examples, C, TOL)
    return run, certified(examples, run, TOL)


@given(cases.tables(max_rows=6, max_columns=3), st.data())
def test_weak_duality(table, data):
    X, y = table
    signed = naive_soft.signed(X, y)
    n, width = len(signed), len(signed[0])
    costs = [Fraction(1, 2) + k for k in range(n)]
    w = data.draw(st.lists(small, min_size=width, max_size=width))
    numbers = data.draw(st.lists(at_least_zero, min_size=n, max_size=n))
    assert naive_soft.dual(signed, costs, numbers) <= naive_soft.objective(signed, costs, w)


@given(cases.tables(max_rows=6, max_columns=3), st.data())
def test_the_gap_is_half_the_squared_gradient(table, data):
    X, y = table
    signed = naive_soft.signed(X, y)
    costs = [Fraction(k + 1, 3) for k in range(len(signed))]
    w = data.draw(st.lists(small, min_size=len(signed[0]), max_size=len(signed[0])))
    numbers = [c * max(Fraction(0), 1 - naive_soft.dot(z, w)) for z, c in zip(signed, costs, strict=True)]
    g = naive_soft.gradient(signed, costs, w)
    gap = naive_soft.objective(signed, costs, w) - naive_soft.dual(signed, costs, numbers)
    assert gap == naive_soft.dot(g, g) / 2


@given(cases.tables(max_rows=8, max_columns=3), st.sampled_from([0.125, 1.0, 8.0]))
def test_optimality_conditions(table, C):
    X, y = table
    run, _ = solved(X, y, C)
    Z = y[:, np.newaxis] * np.column_stack([X, np.ones(len(y))])
    slacks = 1 - Z @ run.weights
    within = np.isin(np.arange(len(y)), run.support)
    assert (run.duals >= 0).all()
    assert (slacks[within] > -1e-9).all()
    assert (slacks[~within] < 1e-9).all()  # beyond the margin
    np.testing.assert_allclose(run.duals, C * np.maximum(slacks, 0), atol=1e-7)
    np.testing.assert_allclose(run.weights, run.duals @ Z, atol=1e-3 * sqrt(TOL) * C * len(y) * 100)


@given(cases.tables(max_rows=8, max_columns=3), st.sampled_from([0.25, 1.0, 2.0]), st.integers(-3, 3))
def test_rows_times_a_factor_are_costs_times_its_square(table, C, power):
    X, y = table
    factor = 2.0**power
    _, plain = solved(X, y, C * factor**2)
    _, longer = solved(X * factor, y, C, bias_scale=factor)
    assert longer.upper * factor**2 == pytest.approx(plain.upper, rel=2 * TOL)


@given(cases.tables(max_rows=6, max_columns=3), st.data())
def test_a_row_of_weight_k_is_k_rows(table, data):
    X, y = table
    many = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y))))
    _, weighted = solved(X, y, 1.0, many)
    _, copied = solved(np.repeat(X, many, axis=0), np.repeat(y, many))
    assert weighted.upper == pytest.approx(copied.upper, rel=2 * TOL)
    assert weighted.verify(X, y, many) == weighted.statement


@given(cases.tables(max_rows=6, max_columns=3))
def test_a_row_of_weight_0_is_no_row(table):
    X, y = table
    Xs, ys = np.vstack([X, np.full((2, X.shape[1]), 1e6)]), np.append(y, [1, -1])
    run, proof = solved(Xs, ys, 1.0, np.append(np.ones(len(y)), [0.0, 0.0]))
    _, plain = solved(X, y)
    assert proof.upper == pytest.approx(plain.upper, rel=2 * TOL)
    assert not np.isin(run.support, [len(y), len(y) + 1]).any()


@given(cases.tables(max_rows=6, max_columns=3))
def test_the_objective_rises_with_costs_and_stays_below_its_value_at_zero(table):
    X, y = table
    found = [solved(X, y, C)[1] for C in (0.01, 0.1, 1.0, 10.0)]
    for less, more in pairwise(found):
        assert less.lower <= more.upper
    for proof in found:
        assert proof.lower <= proof.C * len(y) / 2


@given(cases.separable_tables(max_rows=6, max_columns=2))
def test_with_large_costs_it_tends_to_the_largest_margin_of_separable_rows(table):
    X, y, _ = table
    widest = margin(X, y)
    before = 0.0
    for C in (1.0, 1e3, 1e6, 1e9):
        run, proof = solved(X, y, C)
        soft_margin = 1 / sqrt(2 * proof.upper)
        assert proof.gap <= TOL * proof.upper
        assert soft_margin >= widest.lower * (1 - 1e-9)  # a slack is allowed
        assert before <= proof.upper * (1 + 1e-9)
        before = proof.upper
    assert soft_margin == pytest.approx(widest.lower, rel=1e-4)
    direction = run.weights / np.linalg.norm(run.weights)
    Z = y[:, np.newaxis] * np.column_stack([X, np.ones(len(y))])
    assert (Z @ direction).min() == pytest.approx(widest.lower, rel=1e-3)
