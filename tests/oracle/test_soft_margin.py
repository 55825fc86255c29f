"""The soft margin against its lowest point in rationals, and against the largest margin of the lifted table."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import naive_soft
from rosenblatt import margin
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.soft import soft
from rosenblatt.learn.soft.systems import Conjugate, Normal, RowProducts
from rosenblatt.prove.solve.soft_margin import certified
from rosenblatt.rows.examples import Examples

TOL = 1e-9
WAYS = {"normal": Normal, "gram": RowProducts, "conjugate": lambda examples: Conjugate()}
Cs = st.sampled_from([2.0**-10, 0.1, 1.0, 3.0, 2.0**10])
weights = st.sampled_from([0.5, 1.0, 2.0, 3.25])


def solved(X, y, C, way, bias=1.0, rows=None):
    """A run, its examples and its certificate."""
    examples = Examples.of(X, y, weights=rows, fit_intercept=bias != 0, bias_scale=bias or 1.0)
    run = soft.learn(examples, C, TOL, system=WAYS[way](examples))
    return run, examples, certified(examples, run, TOL)


@pytest.mark.parametrize("way", WAYS)
@given(cases.tables(max_rows=8, max_columns=3), Cs, st.sampled_from([0.0, 1.0, 0.5]), st.data())
def test_no_weights_are_better_than_by_the_gap(way, table, C, bias, data):
    X, y = table
    rows = np.array(data.draw(st.lists(weights, min_size=len(y), max_size=len(y))))
    run, _, proof = solved(X, y, C, way, bias, rows)
    costs = [Fraction(C) * Fraction(w) for w in rows.tolist()]
    signed = naive_soft.signed(X, y, bias)
    best = naive_soft.objective(signed, costs, naive_soft.lowest(signed, costs))
    found = naive_soft.objective(signed, costs, naive_soft.exact(run.weights.tolist()))
    assert run.reason is Reason.SOLVED
    assert Fraction(proof.lower) <= best <= found <= Fraction(proof.upper)
    assert proof.gap <= TOL * proof.upper
    assert proof.verify(X, y, rows) == proof.statement
    assert f"at most {proof.upper!r}" in proof.statement
    assert f"by more than {proof.gap!r}" in proof.statement


@given(cases.tables(max_rows=7, max_columns=2), st.sampled_from([0.25, 1.0, 4.0, 64.0]), st.booleans())
def test_it_is_the_largest_margin_of_the_lifted_table(table, C, fit_intercept):
    X, y = table
    _, _, proof = solved(X, y, C, "normal", float(fit_intercept))
    lifted = np.hstack([X, np.diag(np.full(len(y), 1 / sqrt(C)))])  # a power of two: exact
    widest = margin(lifted, y, fit_intercept=fit_intercept)
    for ours, theirs in ((proof.upper, widest.lower), (proof.lower, widest.upper)):
        assert 1 / sqrt(2 * ours) == pytest.approx(theirs, rel=1e-8)
    assert 1 / sqrt(2 * proof.upper) <= widest.upper * (1 + 1e-12)
    assert widest.lower <= 1 / sqrt(2 * proof.lower) * (1 + 1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_all_ways_lead_to_the_same_place(way, C, rng):
    X = rng.normal(size=(60, 12)) * np.logspace(-1, 1, 12)
    y = np.where(X @ rng.normal(size=12) + rng.normal(size=60) > 0, 1, -1)
    run, _, proof = solved(X, y, C, way)
    signed, costs = naive_soft.signed(X, y), [Fraction(C)] * 60
    best = naive_soft.objective(signed, costs, [Fraction(v).limit_denominator(10**9) for v in run.weights.tolist()])
    assert run.reason is Reason.SOLVED
    assert proof.gap <= TOL * proof.upper
    assert proof.upper <= float(best) * (1 + TOL)


@pytest.mark.parametrize("way", WAYS)
def test_columns_of_very_different_scales(way, rng):
    scales = np.logspace(-3, 3, 8)
    X = rng.normal(size=(300, 8)) * scales
    y = np.where((X / scales) @ rng.normal(size=8) + 2 * rng.normal(size=300) > 0, 1, -1)
    run, _, proof = solved(X, y, 1.0, way)
    assert run.reason is Reason.SOLVED
    assert proof.gap <= TOL * proof.upper
    assert proof.verify(X, y) == proof.statement


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_and_sparse_rows_have_the_same_objective(way, dtype, rng):
    X = (rng.normal(size=(40, 9)) * (rng.random((40, 9)) < 0.4)).astype(dtype)
    y = np.where(rng.random(40) < 0.5, 1, -1)
    dense, sparse = (solved(table, y, 2.0, way)[2] for table in (X, sp.csr_array(X)))
    assert dense.upper == pytest.approx(sparse.upper, rel=TOL)
    assert dense.verify(sp.csr_array(X), y) == dense.statement
    assert sparse.verify(X, y) == sparse.statement


def test_many_rows_need_few_passes(rng):
    X = rng.normal(size=(20_000, 3))
    y = np.where(X @ [1.0, -1.0, 0.5] + rng.normal(size=20_000) > 0, 1, -1)
    run, _, proof = solved(X, y, 1.0, "normal")
    assert run.reason is Reason.SOLVED
    assert run.passes <= 6
    assert proof.gap <= TOL * proof.upper
