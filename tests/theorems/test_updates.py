"""The theorems about updates, checked exactly on every state of every run (data and weights are whole numbers)."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import naive

ORDERS = cases.ORDERS
orders = st.sampled_from(ORDERS)


def run_exactly(table, order, **options):
    """A run without threshold on separable whole numbers: its states as rows of whole numbers, and z_i = y_i x_i."""
    X, y, u = table
    run, examples = cases.learn(X, y, order, bias=False, max_passes=100_000, **options)
    assert run.reason.name == "SEPARATED"
    states = [step.weights[:-1] for step in run.ledger.steps(examples)]
    return run, states, y[:, np.newaxis] * X, u


def squared(vector):
    return Fraction(int(vector @ vector))


@given(cases.separable_tables(), orders)
def test_novikoff_at_every_update(table, order):
    run, states, Z, u = run_exactly(table, order)
    g, R2 = Fraction(int((Z @ u).min())), max(map(squared, Z))
    assert g > 0
    for t, w in enumerate(states):
        assert Fraction(int(u @ w)) >= t * g  # w . w* grows by at least the margin
        assert squared(w) <= t * R2  # ||w||^2 grows by at most R^2
        if t:  # cos(u, w_t) >= sqrt(t) g / (||u|| R), both sides squared
            assert Fraction(int(u @ w)) ** 2 * R2 >= t * g**2 * squared(w)
    assert run.updates <= floor(R2 * squared(u) / g**2)
    assert run.updates * g <= Fraction(int(u @ states[-1]))  # a posteriori


@given(cases.separable_tables(), orders, st.data())
def test_theorem_a_for_any_start(table, order, data):
    """T gam + a <= ||w_T|| and ||w_T||^2 <= ||w_0||^2 + T R^2, so T is at most the root of a quadratic."""
    start = data.draw(st.lists(st.integers(-9, 9).map(float), min_size=table[0].shape[1], max_size=table[0].shape[1]))
    run, states, Z, u = run_exactly(table, order, start=[*start, 0.0])
    g, R2, T = Fraction(int((Z @ u).min())), max(map(squared, Z)), run.updates
    assert squared(states[-1]) <= squared(states[0]) + T * R2
    left = T * g + Fraction(int(u @ states[0]))
    assert left <= 0 or left**2 <= squared(u) * (squared(states[0]) + T * R2)


@given(cases.separable_tables(), orders)
def test_a_separator_is_strict(table, order):
    _, states, Z, _ = run_exactly(table, order)
    assert (Z @ states[-1] > 0).all()


@given(cases.separable_tables(), orders)
def test_one_update_adds_the_squared_length_to_its_own_margin(table, order):
    run, states, Z, _ = run_exactly(table, order)
    for t, i in enumerate(run.ledger.rows):
        assert Z[i] @ states[t + 1] == Z[i] @ states[t] + Z[i] @ Z[i]


@given(cases.tables(), orders, st.sampled_from(["mistake", "plus", "correct"]))
def test_every_correction_is_of_a_mistake(table, order, ties):
    X, y = table
    run, examples = cases.learn(X, y, order, ties, max_passes=15)
    rows = cases.with_bias(X)
    states = [step.weights.tolist() for step in run.ledger.steps(examples)]
    for i, w in zip(run.ledger.rows, states[:-1], strict=True):
        assert naive.is_mistake(rows[i], y[i], w, ties)
    if run.reason.name == "SEPARATED":
        assert not naive.mistakes(rows, y, states[-1], ties)


@given(cases.tables(cases.odd), orders, st.data())
def test_replay_gives_every_state_bit_for_bit(table, order, data):
    X, y = table
    run, examples = cases.learn(X, y, order, max_passes=10)
    t = data.draw(st.integers(0, run.updates))
    w = [0.0] * (X.shape[1] + 1)
    for i in run.ledger.rows[:t]:
        w = naive.update(cases.with_bias(X)[i], y[i], w)
    assert run.ledger.replay(examples, t).tolist() == w
    assert run.ledger.replay(examples).tobytes() == run.weights.tobytes()


@given(cases.separable_tables(max_rows=20))
def test_the_corrected_rows_alone_give_the_same_weights(table):
    """Compression: rows never corrected can be deleted without changing the cyclic run."""
    X, y, _ = table
    run, _ = cases.learn(X, y, "cyclic", max_passes=100_000)
    used = np.unique(run.ledger.rows)
    if len(set(y[used])) == 2:
        again, _ = cases.learn(X[used], y[used], "cyclic", max_passes=100_000)
        assert again.weights.tobytes() == run.weights.tobytes()


@given(cases.separable_tables())
def test_random_needs_patience_to_be_sure(table):
    """After `patience` quiet draws the run looks at every row and tells the truth."""
    X, y, _ = table
    for patience in (1, 1000):
        run, _ = cases.learn(X, y, "random", patience=patience, max_passes=100_000)
        wrong = naive.mistakes(cases.with_bias(X), y, run.weights.tolist())
        assert run.reason.name == ("PATIENCE" if wrong else "SEPARATED")


def test_the_bound_is_reached_by_orthogonal_rows():
    run, _ = cases.learn(np.eye(7), [1, -1] * 3 + [1], "cyclic", bias=False)
    assert run.updates == 7  # R^2 / gamma^2 = 1 / (1/sqrt(7))^2


@pytest.mark.parametrize("order", ORDERS)
def test_harchaouis_figure(order, rng):
    """Uniform in the square, +1 above the diagonal: separated, with a normal near (-1, 1)."""
    X = rng.uniform(-1, 1, size=(200, 2))
    run, _ = cases.learn(X, np.where(X[:, 1] > X[:, 0], 1, -1), order, bias=False, max_passes=100_000)
    w = run.weights[:2] / np.linalg.norm(run.weights[:2])
    assert w @ [-(0.5**0.5), 0.5**0.5] > 0.99
