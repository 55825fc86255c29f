"""The implicit lifted run makes the corrections of the explicit one, whatever the numbers and the storage."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import naive, naive_lifted
from rosenblatt import Examples, Perceptron
from rosenblatt.learn.choices import Budget
from rosenblatt.learn.lifted import lifted

NUMBERS = pytest.mark.parametrize("numbers", [cases.whole, cases.near_one, cases.odd], ids=["whole", "near one", "odd"])
lifts = st.sampled_from([0.25, 0.5, 1.0, 3.0, lifted.lift_for(0.6), lifted.lift_for(0.95)])


def learn(X, y, lift, weights=None, bias=True, **budget):
    examples = Examples.of(X, y, weights=weights, fit_intercept=bias)
    return lifted.learn(examples, lift, budget=Budget(**{"max_passes": 50, **budget})), examples


@NUMBERS
@given(data=st.data(), lift=lifts)
def test_the_explicit_run_in_rationals(numbers, data, lift):
    X, y = data.draw(cases.tables(numbers, max_rows=8))
    corrected, w, own = naive_lifted.lifted_cyclic(cases.with_bias(X), y, lift, 7)
    run, _ = learn(X, y, lift, max_passes=7)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == w
    assert run.own.tolist() == own


@NUMBERS
@given(data=st.data(), lift=lifts)
def test_our_own_perceptron_on_the_explicit_lift(numbers, data, lift):
    X, y = data.draw(cases.tables(numbers))
    run, _ = learn(X, y, lift, max_passes=20)
    wide = np.hstack([X, lift * np.eye(len(X))])
    for table in (wide, sp.csr_array(wide)):
        explicit, _ = cases.learn(table, y, "cyclic", max_passes=20)
        assert run.ledger.rows.tolist() == explicit.ledger.rows.tolist()
        assert run.ledger.pass_ends.tolist() == explicit.ledger.pass_ends.tolist()
        assert (run.reason, run.passes, run.examples_seen) == (explicit.reason, explicit.passes, explicit.examples_seen)
        w = explicit.weights
        assert run.weights.tolist() == [*w[: X.shape[1]], w[-1]]
        assert run.own.tolist() == (y * w[X.shape[1] : -1]).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_the_explicit_lift_at_a_size(seed, no_convergence_warning):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 6)) if seed % 2 else rng.integers(-3, 4, size=(400, 6)).astype(float)
    y = np.where(X @ rng.normal(size=6) + rng.normal(size=400) > 0, 1, -1)
    run, _ = learn(X, y, lifted.lift_for(0.7), max_passes=None)
    wide = sp.hstack([sp.csr_array(X), run.lift * sp.eye_array(400)])
    explicit = Perceptron(order="cyclic", max_passes=None).fit(wide, y)
    assert run.ledger.rows.tolist() == explicit.ledger_.rows.tolist()
    assert run.weights[:6].tolist() == explicit.coef_[0, :6].tolist()


@given(cases.tables(max_rows=8), lifts)
def test_whole_rows_are_the_kernel_plus_a_multiple_of_the_identity(table, lift):
    X, y = table
    run, _ = learn(X, y, lift, bias=False, max_passes=9)
    K = (X @ X.T + lift * lift * np.eye(len(X))).tolist()
    corrected, amounts, _, _ = naive_lifted.dual_cyclic(K, y.tolist(), 9)
    assert run.ledger.rows.tolist() == corrected
    assert run.own.tolist() == (lift * np.abs(amounts)).tolist()  # s times the count, without rounding


@given(cases.tables(cases.near_one), lifts)
def test_every_storage_gives_the_same_run(table, lift):
    X, y = table
    expected, examples = learn(X, y, lift, max_passes=12)
    reference = lifted.best_reference(examples, lifted.quick_directions(examples))
    for name, held in cases.containers(X):
        run, other = learn(held, y, lift, max_passes=12)
        assert run.ledger.rows.tolist() == expected.ledger.rows.tolist(), name
        assert run.weights.tobytes() == expected.weights.tobytes(), name
        assert run.own.tobytes() == expected.own.tobytes(), name
        again = lifted.best_reference(other, lifted.quick_directions(other))
        assert (again.margin, again.slack) == (reference.margin, reference.slack), name


@given(cases.tables(max_rows=6), st.data(), lifts)
def test_weight_k_is_k_copies_with_features_of_their_own(table, data, lift):
    X, y = table
    k = data.draw(
        st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)).filter(
            lambda k: len(set(y[np.array(k) > 0])) == 2
        )
    )
    a, weighted = learn(X, y, lift, weights=k, max_passes=15)
    b, copied = learn(np.repeat(X, k, axis=0), np.repeat(y, k), lift, max_passes=15)
    assert a.weights.tobytes() == b.weights.tobytes()
    assert a.own.tobytes() == b.own.tobytes()
    assert a.ledger.rows.tolist() == np.repeat(np.arange(len(X)), k)[b.ledger.rows].tolist()
    assert (a.reason, a.passes, a.examples_seen) == (b.reason, b.passes, b.examples_seen)
    assert lifted.count(weighted, a) == lifted.count(copied, b)
    assert a.ledger.replay(weighted).tobytes() == a.weights.tobytes()


def test_a_fraction_is_a_last_copy_of_a_smaller_step():
    run, examples = learn([[4.0], [-1.0]], [1, -1], 1.0, weights=[0.25, 1.5], bias=False, max_passes=1)
    assert run.ledger.entries().tolist() == [~0]
    assert run.weights.tolist() == [1.0, 0.0]
    assert run.own.tolist() == [0.25, 0.0, 0.0]
    assert run.ledger.replay(examples).tolist() == run.weights.tolist()


@given(cases.tables(cases.odd, max_rows=8), lifts)
def test_lifted_mistakes_are_counted_exactly(table, lift):
    X, y = table
    run, examples = learn(X, y, lift, max_passes=2)
    rows = naive_lifted.lifted_rows(cases.with_bias(X), lift)
    w = [*run.weights.tolist(), *(y * run.own).tolist()]
    assert lifted.count(examples, run) == len(naive.mistakes(rows, y, w))
