"""What must not matter: the unit of X, which class is called +1, the order of the columns."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases

ORDERS = st.sampled_from(cases.ORDERS)


@given(cases.tables(cases.near_one), ORDERS, st.integers(-40, 40))
def test_scaling_by_a_power_of_two(table, order, power):
    X, y = table
    a, _ = cases.learn(X, y, order, bias=False, max_passes=12)
    b, _ = cases.learn(X * 2.0**power, y, order, bias=False, max_passes=12)
    assert a.ledger.rows.tolist() == b.ledger.rows.tolist()
    assert (a.weights * 2.0**power).tobytes() == b.weights.tobytes()


@given(cases.tables(cases.odd), ORDERS)
def test_flipping_all_labels_flips_the_weights(table, order):
    X, y = table
    a, _ = cases.learn(X, y, order, max_passes=12)
    b, _ = cases.learn(X, -y, order, max_passes=12)
    assert a.ledger.rows.tolist() == b.ledger.rows.tolist()
    assert (a.weights == -b.weights).all()


@given(cases.tables(), ORDERS, st.randoms())
def test_permuting_features_permutes_the_weights(table, order, shuffler):
    X, y = table
    columns = list(range(X.shape[1]))
    shuffler.shuffle(columns)
    a, _ = cases.learn(X, y, order, max_passes=12)
    b, _ = cases.learn(X[:, columns], y, order, max_passes=12)
    assert a.ledger.rows.tolist() == b.ledger.rows.tolist()
    assert a.weights[[*columns, -1]].tobytes() == b.weights.tobytes()


@given(cases.tables(cases.near_one))
def test_permuting_features_of_awkward_numbers(table):
    X, y = table
    a, _ = cases.learn(X, y, "cyclic", max_passes=12)
    b, _ = cases.learn(X[:, ::-1], y, "cyclic", max_passes=12)
    assert a.ledger.rows.tolist() == b.ledger.rows.tolist()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="uncompiled, threads take turns")
@pytest.mark.parametrize("order", ["active", cases.ROUNDS, "cyclic", "worst"])
def test_the_number_of_threads(order, rng, monkeypatch):
    X = rng.normal(size=(3000, 5))
    y = np.where(X @ rng.normal(size=5) > 0.1, 1, -1)
    runs = []
    for threads, worth in (("1", 10**9), ("", 500)):
        monkeypatch.setenv("ROSENBLATT_THREADS", threads)
        monkeypatch.setattr("rosenblatt.rows.threads.WORTH_A_THREAD", worth)
        runs.append(cases.learn(X, y, order, max_passes=60)[0])
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes()
    assert runs[0].ledger.rows.tolist() == runs[1].ledger.rows.tolist()
