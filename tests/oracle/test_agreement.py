"""The library makes the same corrections as the exact rational oracle, whatever the numbers and the storage."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import naive

NUMBERS = pytest.mark.parametrize("numbers", [cases.whole, cases.near_one, cases.odd], ids=["whole", "near one", "odd"])


@NUMBERS
@given(data=st.data(), ties=st.sampled_from(["mistake", "plus", "correct"]))
def test_cyclic(numbers, data, ties):
    X, y = data.draw(cases.tables(numbers))
    start = data.draw(st.lists(numbers, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1))
    corrected, w = naive.cyclic(cases.with_bias(X), y, start, 7, ties)
    run, _ = cases.learn(X, y, "cyclic", ties, start, max_passes=7)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == w


@NUMBERS
@given(data=st.data())
def test_worst(numbers, data):
    X, y = data.draw(cases.tables(numbers))
    corrected, w = naive.worst(cases.with_bias(X), y, [0.0] * (X.shape[1] + 1), 9)
    run, _ = cases.learn(X, y, "worst", max_passes=9)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == w


@NUMBERS
@given(data=st.data(), seed=st.integers(0, 2**32), ties=st.sampled_from(["mistake", "plus", "correct"]))
def test_random(numbers, data, seed, ties):
    X, y = data.draw(cases.tables(numbers))
    run, _ = cases.learn(X, y, "random", ties, rng=seed, max_updates=20, max_passes=8192 // len(X))
    draws, rows = np.random.default_rng(seed).integers(len(X), size=8192), cases.with_bias(X)
    corrected, w = naive.follow(rows, y, [0.0] * (X.shape[1] + 1), draws, ties, most=run.updates)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == w
    assert run.reason.name in ("MAX_UPDATES", "MAX_PASSES") or not naive.mistakes(rows, y, w, ties)


@NUMBERS
@given(
    data=st.data(),
    order=st.sampled_from(["active", cases.ROUNDS]),
    ties=st.sampled_from(["mistake", "plus", "correct"]),
)
def test_active_corrects_only_mistakes(numbers, data, order, ties):
    X, y = data.draw(cases.tables(numbers, max_rows=24, max_columns=2))
    run, _ = cases.learn(X, y, order, ties, max_passes=40)
    rows, w = cases.with_bias(X), [0.0] * (X.shape[1] + 1)
    for i in run.ledger.rows:
        assert naive.is_mistake(rows[i], y[i], w, ties)
        w = naive.update(rows[i], y[i], w)
    assert run.weights.tolist() == w
    assert run.reason.name == "MAX_PASSES" or not naive.mistakes(rows, y, w, ties)


@given(cases.separable_tables(max_rows=24), st.sampled_from(cases.ORDERS))
def test_every_order_ends_when_all_rows_are_right(table, order):
    X, y, _ = table
    run, _ = cases.learn(X, y, order, max_passes=None)
    assert run.reason.name == "SEPARATED"
    assert not naive.mistakes(cases.with_bias(X), y, run.weights.tolist(), "mistake")


@given(cases.tables(), st.sampled_from(cases.ORDERS))
def test_every_storage_gives_the_same_run(table, order):
    X, y = table
    expected, _ = cases.learn(X, y, order, max_passes=12)
    for name, held in cases.containers(X):
        run, _ = cases.learn(held, y, order, max_passes=12)
        assert run.ledger.rows.tolist() == expected.ledger.rows.tolist(), name
        assert run.weights.tobytes() == expected.weights.tobytes(), name
        assert (run.reason, run.passes, run.examples_seen) == (
            expected.reason,
            expected.passes,
            expected.examples_seen,
        ), name


@given(cases.tables(cases.near_one), st.sampled_from(cases.ORDERS))
def test_dense_and_sparse_agree_on_awkward_numbers(table, order):
    X, y = table
    a, _ = cases.learn(X, y, order, max_passes=12)
    b, _ = cases.learn(list(cases.containers(X))[2][1], y, order, max_passes=12)
    assert a.ledger.rows.tolist() == b.ledger.rows.tolist()
    assert a.weights.tobytes() == b.weights.tobytes()


@given(cases.tables(max_rows=8), st.data(), st.sampled_from(cases.ORDERS))
def test_weight_k_is_k_adjacent_copies_and_0_is_absence(table, data, order):
    X, y = table
    k = data.draw(
        st.lists(st.integers(0, 4), min_size=len(X), max_size=len(X)).filter(
            lambda k: len(set(y[np.array(k) > 0])) == 2
        )
    )
    a, _ = cases.learn(X, y, order, weights=k, max_passes=15)
    b, _ = cases.learn(np.repeat(X, k, axis=0), np.repeat(y, k), order, max_passes=15)
    assert a.weights.tobytes() == b.weights.tobytes()
    assert a.ledger.rows.tolist() == np.repeat(np.arange(len(X)), k)[b.ledger.rows].tolist()
    assert (a.reason, a.passes, a.examples_seen) == (b.reason, b.passes, b.examples_seen)


@pytest.mark.parametrize("order", ["active", cases.ROUNDS, "cyclic", "random"])
@pytest.mark.parametrize("seed", range(6))
def test_weights_and_storage_at_a_size_where_rounds_matter(order, seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1500, 4000)) // (10 if numba.config.DISABLE_JIT else 1), int(rng.integers(2, 8))
    X = rng.normal(size=(n, d)) if seed % 2 else rng.integers(-3, 4, size=(n, d)).astype(float)
    u = rng.normal(size=d)
    y = np.where(X @ u + 0.3 > 0, 1, -1) * np.where(rng.random(n) < 0.02 * (seed % 3), -1, 1)
    k = rng.integers(0, 4, size=n)
    a, _ = cases.learn(X, y, order, weights=k, max_passes=30)
    b, _ = cases.learn(np.repeat(X, k, axis=0), np.repeat(y, k), order, max_passes=30)
    c, _ = cases.learn(list(cases.containers(X))[2][1], y, order, weights=k, max_passes=30)
    for other in (b, c):
        assert a.weights.tobytes() == other.weights.tobytes()
        assert (a.updates, a.reason, a.examples_seen) == (other.updates, other.reason, other.examples_seen)


def test_fractional_weight_is_a_last_copy_of_a_smaller_step():
    X, y = [[4.0], [-1.0]], [1, -1]
    run, examples = cases.learn(X, y, "cyclic", weights=[0.25, 2.5], bias=False, max_passes=1)
    assert run.weights[0] == 1.0  # a quarter step on row 0; row 1 is then right
    assert run.ledger.entries().tolist() == [~0]
    assert run.ledger.rows.tolist() == [0]
    assert run.ledger.replay(examples).tolist() == run.weights.tolist()
