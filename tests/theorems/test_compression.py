"""Sample compression: rows that were never corrected can go, and the run stays the same, bit for bit.

That is what `risk.compression` rests on (Harchaoui 2.4.4, with distinct rows for his examples). It is a theorem for
orders whose choice does not change when rows that were not chosen go: cyclic, worst, and any stream of row numbers. It
is false for the active order once that sets rows apart: see the last tests.
"""

import numba
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
from oracle import naive
from rosenblatt.errors import OptionError
from rosenblatt.learn import run_state
from rosenblatt.learn.choices import TIES, Budget
from rosenblatt.learn.pla import pla
from rosenblatt.prove.theory import risk
from rosenblatt.rows.examples import Examples

TIE_RULES = st.sampled_from(["mistake", "plus"])
ORDERS = st.sampled_from(["cyclic", "worst"])
MANY = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="uncompiled, what holds is shown with few rows")


def again(X, y, rows, run, order, ties="mistake", **budget):
    """The same learner on these rows only, in index order; its ledger in the numbers of the whole table."""
    alone = Examples(Examples.of(X, y).rows._replace(values=X[rows]), y[rows].astype(np.int8))
    budget = Budget(**{"max_updates": max(run.updates, 1), **budget})
    rerun = pla.learn(alone, np.zeros(alone.size), order=pla.Order(order), ties=TIES[ties], budget=budget)
    return rerun, rows[rerun.ledger.rows]


def assert_same(run, rerun, ledger):
    assert ledger.tolist() == run.ledger.rows.tolist()
    assert rerun.weights.tobytes() == run.weights.tobytes()


@given(cases.tables(cases.near_one, max_rows=20), ORDERS, TIE_RULES, st.randoms(use_true_random=False))
def test_rows_never_corrected_can_go(table, order, ties, dice):
    """All of them, or some: neither the corrections nor the last bit of the weights change."""
    X, y = table
    run, _ = cases.learn(X, y, order, ties=ties, max_passes=30)
    assume(run.updates)
    corrected = np.unique(run.ledger.rows)
    some = np.array([i for i in range(len(y)) if i in corrected or dice.random() < 0.5])
    for rows in (corrected, some):
        assert_same(run, *again(X, y, rows, run, order, ties))


@given(cases.separable_tables(max_rows=20), ORDERS, TIE_RULES)
def test_corrected_rows_alone_end_in_the_same_separator(table, order, ties):
    """Without being told when to stop: so a run to the end needs no side information."""
    X, y, _ = table
    run, _ = cases.learn(X, y, order, ties=ties, max_passes=100_000)
    assert run.reason.name == "SEPARATED"
    rerun, ledger = again(X, y, np.unique(run.ledger.rows), run, order, ties, max_updates=None)
    assert rerun.reason.name == "SEPARATED"
    assert_same(run, rerun, ledger)


@given(cases.tables(max_rows=20), st.sampled_from(["random", "random-mistake"]), st.integers(0, 9))
def test_a_stream_of_row_numbers_without_the_others(table, order, seed):
    """The draws are the generator's, whatever the rows hold; without those of rows never corrected, nothing changes."""
    X, y = table
    run, _ = cases.learn(X, y, order, rng=seed, max_passes=30)
    corrected = set(run.ledger.rows.tolist())
    stream = np.random.default_rng(seed).integers(len(y), size=run_state.AT_ONCE).tolist()
    kept = [i for i in stream[: 30 * len(y)] if i in corrected]
    ledger, w = naive.follow(cases.with_bias(X), y.tolist(), [0.0] * (X.shape[1] + 1), kept, most=run.updates)
    assert ledger == run.ledger.rows.tolist()
    assert w == run.weights.tolist()


@MANY
@pytest.mark.parametrize("order", ["cyclic", "worst"])
def test_many_rows(order, rng):
    X = rng.normal(size=(20_000 if order == "cyclic" else 2000, 4))
    y = np.where(X @ [1, -2, 3, 0.5] + 0.1 * rng.normal(size=len(X)) > 0.3, 1, -1)
    run, examples = cases.learn(X, y, order, max_passes=None, max_updates=3000)
    corrected = np.unique(run.ledger.rows)
    assert corrected.size < run.updates == 3000
    assert_same(run, *again(X, y, corrected, run, order))
    assert risk.of_run(examples, run, order).n == len(X)


@given(cases.tables(cases.near_one, max_rows=20), ORDERS, TIE_RULES)
def test_every_run_of_a_valid_order_has_a_bound(table, order, ties):
    run, examples = cases.learn(*table, order, ties=ties, max_passes=30)
    kept = np.unique(run.ledger.rows).size
    found = risk.of_run(examples, run, order, ties)
    assert found.bound >= risk.compression(examples.n, kept, 0).bound


# --- the active order


@given(cases.separable_tables(max_rows=20))
def test_active_runs_of_plain_cycles_are_cyclic(table):
    X, y, _ = table
    run, examples = cases.learn(X, y, "active", max_passes=100_000)
    assume(run.passes <= pla.CYCLES_OF_FEW)
    assert_same(run, *again(X, y, np.unique(run.ledger.rows), run, "cyclic"))
    assert risk.of_run(examples, run, "active") == risk.of_run(examples, run, "cyclic")


def test_an_active_run_that_its_corrected_rows_do_not_repeat():
    """Eight rows of one feature: rows 3 and 5 are never corrected, yet without them the weights are others."""
    X, y = np.array([[2.0], [7], [9], [9], [7], [8], [6], [3]]), np.array([-1, 1, 1, 1, 1, 1, -1, -1])
    run, examples = cases.learn(X, y, "active", max_passes=None)
    corrected = np.unique(run.ledger.rows)
    assert corrected.tolist() == [0, 1, 2, 4, 6, 7]
    rerun, _ = again(X, y, corrected, run, "active", max_updates=None)
    assert (run.weights.tolist(), rerun.weights.tolist()) == ([3.0, -19.0], [2.0, -13.0])
    with pytest.raises(OptionError, match="in order 'active', depends on other rows"):
        risk.of_run(examples, run, "active")


def test_an_active_run_repeated_by_its_own_budget_only_is_refused():
    """The active order shares out its budget, so repeating it with one tells the number of corrections."""
    X = np.array([[16.0], [17], [16], [17], [17], [13], [17], [21], [13]])
    y = np.where(X[:, 0] > 17, 1, -1)
    run, examples = cases.learn(X, y, "active", max_passes=None)
    assert_same(run, *again(X, y, np.unique(run.ledger.rows), run, "active"))
    with pytest.raises(OptionError, match="in order 'active', depends on other rows"):
        risk.of_run(examples, run, "active")


def test_rounds_that_their_corrected_rows_do_not_repeat():
    """Four rows, in rounds: row 1 is never corrected, yet without it the weights are others."""
    X, y = np.array([[-2.0, 0], [-2, 3], [-2, -3], [2, 1]]), np.array([-1, -1, 1, 1])
    run, examples = cases.learn(X, y, cases.ROUNDS)
    rerun, _ = cases.learn(X[[0, 2, 3]], y[[0, 2, 3]], cases.ROUNDS)
    assert run.ledger.rows.tolist() == [0, 2, 0, 3, 2, 3]
    assert (run.weights.tolist(), rerun.weights.tolist()) == ([4.0, -4.0, 2.0], [2.0, -2.0, 1.0])
    with pytest.raises(OptionError, match="in order 'active', depends on other rows"):
        risk.of_run(examples, run, "active")


@MANY
def test_active_at_its_own_size_is_refused(rng):
    X = rng.normal(size=(20_000, 3))
    run, examples = cases.learn(X, np.where(X @ [1, 2, 3] > 0.5, 1, -1), "active", max_passes=None)
    assert run.reason.name == "SEPARATED"
    with pytest.raises(OptionError, match="order='cyclic', or hold rows out"):
        risk.of_run(examples, run, "active")
