"""Runs that stop early tell the truth: no false success, counters of what was really done."""

import numba
import numpy as np
import pytest

import cases
from rosenblatt.learn.choices import UNLIMITED, Order, Reason
from rosenblatt.learn.pla import pla
from rosenblatt.rows.examples import Examples

ORDERS = [order.value for order in Order]
MANY = 1_100 if numba.config.DISABLE_JIT else 11_000  # rows


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("calls", range(2 if numba.config.DISABLE_JIT else 6))
def test_an_interruption_at_any_time_is_not_called_a_success(order, calls, rng):
    X, y = rng.normal(size=(700, 3)), rng.integers(2, size=700)
    left = calls

    def interrupted():
        nonlocal left
        left -= 1
        return left < 0

    examples = Examples.of(X, y)
    run = pla.learn(examples, np.zeros(4), order=Order(order), budget=UNLIMITED, interrupted=interrupted)
    assert run.reason is Reason.INTERRUPTED
    assert run.ledger.replay(examples).tobytes() == run.weights.tobytes()


@pytest.mark.parametrize("order", ["active", "cyclic"])
def test_counters_after_three_updates(order, rng):
    X, y = rng.normal(size=(500, 3)), rng.integers(2, size=500)
    run, _ = cases.learn(X, y, order, max_updates=3)
    assert (run.updates, run.passes) == (3, 0)
    assert run.examples_seen == run.ledger.rows[-1] + 1


def test_a_cycle_that_ends_within_a_pass_counts_its_looks():
    X, y = np.ones((10, 1)) * np.arange(1, 11)[:, np.newaxis], [1] * 10
    X[5], y[5] = -1.0, -1
    run, _ = cases.learn(X, y, "cyclic", bias=False)
    assert (run.updates, run.passes, run.examples_seen) == (1, 1, 11)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("passes", [1, 2, 3])
def test_a_small_budget_of_passes_reads_all_rows_and_no_more(order, passes, rng):
    n = 300 if order == "worst" else MANY
    X, y = rng.normal(size=(n, 2)), rng.integers(2, size=n)
    run, _ = cases.learn(X, y, order, max_passes=passes)
    assert run.examples_seen <= passes * n
    if order in ("active", "cyclic"):
        assert run.passes >= 1


@pytest.mark.parametrize("order", ORDERS)
def test_fractional_weights_replay_bit_for_bit(order, rng):
    n = 300 if order == "worst" else MANY
    X = rng.normal(size=(n, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0.1, 1, -1) * np.where(rng.random(n) < 0.01, -1, 1)
    run, examples = cases.learn(X, y, order, weights=rng.choice([0.1, 0.3, 0.45, 1.7, 2.2], size=n), max_passes=20)
    assert run.updates > 0
    assert run.ledger.replay(examples).tobytes() == run.weights.tobytes()


@pytest.mark.parametrize("size", [1e-170, 1e160, 1e200])
@pytest.mark.parametrize("order", ORDERS)
def test_every_order_takes_extreme_sizes(order, size, rng):
    X = rng.normal(size=(200, 3)) if order == "worst" else rng.normal(size=(MANY, 3))
    X = X[np.abs(X @ [1.0, -2.0, 0.5]) > 0.5]
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1, -1)
    run, _ = cases.learn(X * size, y, order, bias=False, max_passes=1000)
    assert run.reason is Reason.SEPARATED


def test_storage_does_not_matter_where_few_becomes_many(rng, monkeypatch):
    """Dense and sparse take the same way on both sides of the number of rows that decides it."""
    monkeypatch.setattr(pla, "FEW", min(pla.FEW, MANY))
    for n in (pla.FEW - 1, pla.FEW + 1):
        X = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.3)
        y = np.where(X @ rng.normal(size=6) > 0.1, 1, -1)
        a, _ = cases.learn(X, y, "active", max_passes=30)
        b, _ = cases.learn(list(cases.containers(X))[2][1], y, "active", max_passes=30)
        assert a.weights.tobytes() == b.weights.tobytes()
        assert a.examples_seen == b.examples_seen


@pytest.mark.parametrize("ties", ["mistake", "plus", "correct"])
def test_worst_under_every_tie_rule(ties):
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]), [1, -1, 1, -1]
    run, _ = cases.learn(X, y, "worst", ties, start=[1.0, 0.0, 0.0], max_passes=200)
    assert run.reason is Reason.SEPARATED
    again, _ = cases.learn(X, y, "cyclic", ties, start=run.weights, max_passes=2)
    assert again.updates == 0
