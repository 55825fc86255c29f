"""The second-order perceptron against a slow version in plain Python, and its bound in exact rationals."""

from fractions import Fraction
from math import log1p, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Perceptron, Reason, SecondOrderPerceptron, load_model, save_model
from rosenblatt.errors import DataError, LedgerError
from rosenblatt.learn.passes import second_order
from rosenblatt.prove.theory import bounds

ORDER_DEPENDENT = "the check reorders rows, and the algorithm depends on their order by definition"


@parametrize_with_checks(
    [SecondOrderPerceptron(), SecondOrderPerceptron(ridge=0.1, normalize=True, shuffle=True, random_state=0)],
    expected_failed_checks=lambda rule: {
        "check_sample_weight_equivalence_on_dense_data": ORDER_DEPENDENT,
        "check_sample_weight_equivalence_on_sparse_data": ORDER_DEPENDENT,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def naive(rows, labels, ridge, passes, number=float):
    """The algorithm as the paper has it: corrected rows, and the weights after all of them.

    With `Fraction` as numbers nothing rounds; the least size of a margin tells how far decisions were from a tie.
    """
    size = len(rows[0])
    inverse = [[number(int(a == b)) / number(ridge) for b in range(size)] for a in range(size)]
    w, ledger, closest = [number(0)] * size, [], None
    for _ in range(passes):
        before = len(ledger)
        for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
            margin = y * sum(a * b for a, b in zip(w, x, strict=True))
            if len(ledger):
                closest = abs(margin) if closest is None else min(closest, abs(margin))
            if margin <= 0:
                z = [sum(a * b for a, b in zip(row, x, strict=True)) for row in inverse]
                gain = 1 / (1 + sum(a * b for a, b in zip(x, z, strict=True)))
                step = gain * (y - sum(a * b for a, b in zip(x, w, strict=True)))
                w = [a + step * b for a, b in zip(w, z, strict=True)]
                inverse = [[inverse[a][b] - gain * z[a] * z[b] for b in range(size)] for a in range(size)]
                ledger.append(i)
        if len(ledger) == before:
            break
    return ledger, w, closest


tables = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.tuples(st.lists(st.integers(-9, 9), min_size=d, max_size=d), st.sampled_from([-1, 1])),
        min_size=2,
        max_size=12,
    )
)


@given(tables, st.sampled_from([0.25, 1.0, 8.0]))
def test_it_corrects_the_rows_that_exact_arithmetic_corrects(table, ridge):
    rows, labels = [[*row, 1] for row, _ in table], [label for _, label in table]
    assume(len(set(labels)) == 2)
    exact = [[Fraction(value) for value in row] for row in rows]
    ledger, w, closest = naive(exact, labels, Fraction(ridge), 20, Fraction)
    assume(closest is None or closest > 1e-9)  # ties of the exact weights are not those of the rounded ones
    rule = SecondOrderPerceptron(ridge=ridge, max_passes=20, shuffle=False)
    rule.fit(np.array([row for row, _ in table], float), labels)
    assert rule.ledger_.rows.tolist() == ledger
    np.testing.assert_allclose(rule.weights_[0], [float(value) for value in w], rtol=1e-7, atol=1e-9)


@given(tables, st.sampled_from([0.25, 1.0, 8.0]), st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_its_corrections_are_no_more_than_the_bound(table, ridge, direction):
    rows, labels = [[*row, 1] for row, _ in table], [label for _, label in table]
    direction = direction[: len(rows[0])]
    assume(any(direction))
    ledger, _, _ = naive([[Fraction(v) for v in row] for row in rows], labels, Fraction(ridge), 4, Fraction)
    X, y = np.array(rows, float)[ledger], np.array(labels, float)[ledger]
    u = np.array(direction, float) / np.linalg.norm(direction)
    eigenvalues = np.maximum(np.linalg.eigvalsh(X.T @ X), 0.0)
    for gamma in (0.1, 1.0, 5.0):
        loss, along = np.maximum(gamma - y * (X @ u), 0.0).sum(), ((X @ u) ** 2).sum()
        bound = bounds.second_order(loss, gamma, along, ridge, eigenvalues)
        assert len(ledger) <= bound * (1 + 1e-9)  # what was given is rounded
        logs = sum(log1p(value / ridge) for value in eigenvalues)
        assert bound == pytest.approx((loss + sqrt((ridge + along) * logs)) / gamma)


def overlapping(rng, n=200, d=5):
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=d) + rng.normal(size=n) > 0).astype(int)


def test_the_weights_are_the_ridge_regression_on_the_corrected_rows(rng):
    X, y = overlapping(rng)
    rule = SecondOrderPerceptron(ridge=0.5, max_passes=3).fit(X, y)
    rows = rule.ledger_.rows
    Z, labels = np.c_[X, np.ones(len(X))][rows], 2.0 * y[rows] - 1.0
    np.testing.assert_allclose(rule.weights_[0], np.linalg.solve(0.5 * np.eye(6) + Z.T @ Z, Z.T @ labels), rtol=1e-9)


def test_columns_of_very_different_sizes_cost_few_corrections(rng):
    sizes = 10.0 ** np.arange(-2, 3)
    X = rng.normal(size=(300, 5)) * sizes
    y = X @ (rng.normal(size=5) / sizes) > 0
    rule = SecondOrderPerceptron().fit(X, y)
    assert (rule.predict(X) == y).all()
    with pytest.warns(ConvergenceWarning):
        assert Perceptron(max_passes=100).fit(X, y).n_updates_ > 10 * rule.n_updates_


def test_it_is_the_same_for_dense_sparse_replayed_streamed_and_stored_rows(rng, tmp_path):
    X, y = overlapping(rng)
    X[np.abs(X) < 0.5] = 0.0
    weights = rng.integers(0, 3, y.size).astype(float)
    rule = SecondOrderPerceptron(max_passes=4).fit(X, y, weights)
    assert (
        SecondOrderPerceptron(max_passes=4).fit(csr_array(X), y, weights).weights_.tobytes() == rule.weights_.tobytes()
    )
    assert rule.replay(X, y, sample_weight=weights).tobytes() == rule.weights_.tobytes()
    copies = np.repeat(np.arange(y.size), weights.astype(int))
    plain, of_copies = (SecondOrderPerceptron(max_passes=4, shuffle=False) for _ in range(2))
    plain.fit(X, y, weights), of_copies.fit(X[copies], y[copies])
    assert plain.weights_.tobytes() == of_copies.weights_.tobytes()
    assert plain.n_examples_seen_ == of_copies.n_examples_seen_ == 4 * copies.size
    whole, cut = SecondOrderPerceptron().partial_fit(X, y, [0, 1]), SecondOrderPerceptron()
    for k in range(0, y.size, 7):
        cut.partial_fit(X[k : k + 7], y[k : k + 7], [0, 1])
    assert cut.weights_.tobytes() == whole.weights_.tobytes()
    assert cut.ledger_.rows.tolist() == whole.ledger_.rows.tolist()
    save_model(whole, tmp_path / "m.json")
    back = load_model(tmp_path / "m.json").partial_fit(X, 1 - y)
    assert back.weights_.tobytes() == whole.partial_fit(X, 1 - y).weights_.tobytes()
    with pytest.raises(LedgerError, match="an earlier one"):
        back.replay(X, 1 - y)


def test_heavy_rows_end_within_the_budget():
    rule = SecondOrderPerceptron(max_passes=2, fit_intercept=False)
    rule.fit([[0.0], [1.0]], [0, 1], [1e12, 1.0])  # no correction helps a row of zeros
    assert rule.stop_reason_ is Reason.MAX_COPIES
    assert rule.n_updates_ == 2 * 1000 * 2


def test_a_stream_goes_on_after_rows_of_great_length():
    rule = SecondOrderPerceptron(fit_intercept=False).partial_fit([[1e140], [-1e140]], [1, 0], [0, 1])
    assert (rule.partial_fit([[1e149]], [0]).coef_ > 0).all()


def test_a_fraction_of_a_weight_is_that_part_in_the_regression():
    rule = SecondOrderPerceptron(fit_intercept=False, max_passes=1).fit([[2.0], [-1.0]], [1, 0], [0.5, 1.0])
    assert rule.weights_[0, 0] == pytest.approx(0.5 * 2.0 / (1.0 + 0.5 * 4.0))
    assert rule.replay([[2.0], [-1.0]], [1, 0], sample_weight=[0.5, 1.0]).tobytes() == rule.weights_.tobytes()


def test_tables_that_it_cannot_take(monkeypatch):
    with pytest.raises(DataError, match="row 0: its length 1e\\+200 is too large for the square"):
        SecondOrderPerceptron().fit([[1e200], [-1e200]], [0, 1])
    monkeypatch.setattr(second_order, "WIDEST", 3)
    with pytest.raises(DataError, match="3 columns are too many"):
        SecondOrderPerceptron().fit(np.eye(3), [0, 1, 0])
