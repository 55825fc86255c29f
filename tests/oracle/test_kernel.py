"""The kernel perceptron makes the corrections of the exact rational oracle, for the numbers that the kernel gives."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels

import cases
from oracle import naive_lifted
from rosenblatt import Examples
from rosenblatt.learn.choices import Budget, Order
from rosenblatt.learn.dual import dual
from rosenblatt.learn.dual.dual import DRAWS, DualState
from rosenblatt.learn.dual.gram import Gram, KernelFunction, KernelRows
from rosenblatt.learn.lifted import lifted
from rosenblatt.rows.storage import rows_of

ORDERS = ["cyclic", "active"]
tiny = st.sampled_from([-1.0, 1.0, 1e-17, -1e-17, 2.0**-60, 1 + 2**-52, 0.1, 0.2, 0.3, -0.3])
NUMBERS = pytest.mark.parametrize("numbers", [cases.whole, tiny, cases.odd], ids=["whole", "near one", "odd"])


def learn(X, y, kernel, order="cyclic", weights=None, remember=None, average=False, seed=0, megabytes=10, **budget):
    examples = Examples.of(X, y, weights=weights, fit_intercept=False)
    gram = Gram(kernel, KernelRows(examples.rows), megabytes)
    state = DualState.blank(examples.n, average, remember, seed)
    return dual.learn(examples, gram, state, order=Order(order), budget=Budget(**{"max_passes": 50, **budget}))


@st.composite
def matrices(draw, numbers, max_rows=7):
    """A symmetric matrix, not of any space in general, and labels of both kinds."""
    n = draw(st.integers(2, max_rows))
    half = np.triu(draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=n, max_size=n)))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    return half + np.triu(half, 1).T, np.array(y)


@NUMBERS
@given(data=st.data())
def test_a_matrix_in_rationals(numbers, data):
    K, y = data.draw(matrices(numbers))
    corrected, amounts, _, _ = naive_lifted.dual_cyclic(K.tolist(), y.tolist(), 6)
    run = learn(K, y, KernelFunction("precomputed"), max_passes=6)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == amounts


@given(data=st.data(), order=st.sampled_from(ORDERS))
def test_only_mistakes_are_corrected_in_any_order(data, order):
    K, y = data.draw(matrices(tiny))
    run = learn(K, y, KernelFunction("precomputed"), order, max_passes=12)
    amounts = [0.0] * len(y)
    for i in run.ledger.rows.tolist():
        assert naive_lifted.is_mistake(K, y, amounts, i)
        amounts[i] += y[i]
    assert run.weights.tolist() == amounts
    predicted = [1 if naive_lifted.score(K, amounts, i) > 0 else -1 for i in range(len(y))]
    assert run.mistakes == sum(a != b for a, b in zip(predicted, y, strict=True))
    wrong = sum(naive_lifted.is_mistake(K, y, amounts, i) for i in range(len(y)))
    assert (run.reason.name == "SEPARATED") == (wrong == 0) or run.reason.name == "MAX_PASSES"


def test_a_matrix_need_not_be_symmetric():
    K, y = np.array([[1.0, 3.0], [0.5, 1.0]]), np.array([1, -1])
    corrected, amounts, _, _ = naive_lifted.dual_cyclic(K.tolist(), y.tolist(), 9)
    run = learn(K, y, KernelFunction("precomputed"), max_passes=9)
    assert (run.ledger.rows.tolist(), run.weights.tolist()) == (corrected, amounts)


@given(cases.tables(), st.booleans(), st.booleans())
def test_linear_on_whole_numbers_is_the_plain_algorithm(table, bias, sparse):
    X, y = table
    plain, _ = cases.learn(X, y, "cyclic", bias=bias, bias_scale=2.0, max_passes=20)
    run = learn(
        sp.csr_array(X) if sparse else X, y, KernelFunction("linear", shift=4.0 if bias else 0.0), max_passes=20
    )
    assert run.ledger.rows.tolist() == plain.ledger.rows.tolist()
    assert run.ledger.pass_ends.tolist() == plain.ledger.pass_ends.tolist()
    assert (run.reason, run.passes, run.examples_seen) == (plain.reason, plain.passes, plain.examples_seen)
    assert (run.weights @ X).tolist() == plain.weights[:-1].tolist()


@given(cases.tables(), st.sampled_from([0.25, 1.0, 3.0]))
def test_with_a_multiple_of_the_identity_it_is_the_lifted_perceptron(table, lift):
    X, y = table
    implicit = lifted.learn(Examples.of(X, y, fit_intercept=False), lift, budget=Budget(max_passes=30))
    run = learn(X @ X.T + lift**2 * np.eye(len(X)), y, KernelFunction("precomputed"), max_passes=30)
    assert run.ledger.rows.tolist() == implicit.ledger.rows.tolist()
    assert (run.reason, run.passes, run.examples_seen) == (implicit.reason, implicit.passes, implicit.examples_seen)


@given(data=st.data(), remember=st.integers(1, 5), seed=st.integers(0, 2**40))
def test_forgetting(data, remember, seed):
    K, y = data.draw(matrices(cases.whole))
    draws = np.random.default_rng([seed, 0]).integers(remember, size=DRAWS)
    corrected, amounts, forgotten, _ = naive_lifted.dual_cyclic(K.tolist(), y.tolist(), 9, None, remember, draws)
    run = learn(K, y, KernelFunction("precomputed"), remember=remember, seed=seed, max_passes=9)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == amounts
    assert run.forgotten.tolist() == forgotten
    assert len(forgotten) == max(len(corrected) - remember, 0)
    assert np.abs(run.weights).sum() <= remember


@given(data=st.data())
def test_the_mean_of_the_amounts_after_every_look(data):
    K, y = data.draw(matrices(cases.whole))
    weights = data.draw(st.lists(st.sampled_from([1.0, 0.5, 2.25]), min_size=len(y), max_size=len(y)))
    _, amounts, _, states = naive_lifted.dual_cyclic(K.tolist(), y.tolist(), 4, weights)
    run = learn(K, y, KernelFunction("precomputed"), weights=weights, average=True, max_passes=4)
    assert run.weights.tolist() == amounts
    assert run.examples_seen == len(states)
    assert run.state.mean == pytest.approx(np.mean(states, axis=0), abs=1e-12)


@given(cases.tables(max_rows=8), st.data(), st.sampled_from(ORDERS), st.sampled_from([None, 3]))
def test_weight_k_is_k_adjacent_copies_and_0_is_absence(table, data, order, remember):
    X, y = table
    k = data.draw(
        st.lists(st.integers(0, 4), min_size=len(X), max_size=len(X)).filter(
            lambda k: len(set(y[np.array(k) > 0])) == 2
        )
    )
    kernel = KernelFunction("rbf", gamma=0.25)
    a = learn(X, y, kernel, order, k, remember, max_passes=15)
    b = learn(np.repeat(X, k, axis=0), np.repeat(y, k), kernel, order, None, remember, max_passes=15)
    assert a.ledger.rows.tolist() == np.repeat(np.arange(len(X)), k)[b.ledger.rows].tolist()
    assert (a.reason, a.passes, a.examples_seen) == (b.reason, b.passes, b.examples_seen)


@given(data=st.data())
def test_fractions_of_steps(data):
    K, y = data.draw(matrices(tiny))
    weights = data.draw(st.lists(st.sampled_from([1.0, 0.3, 2.1, 0.0]), min_size=len(y), max_size=len(y)))
    if len(set(y[np.array(weights) > 0])) < 2:
        return
    corrected, amounts, _, _ = naive_lifted.dual_cyclic(K.tolist(), y.tolist(), 6, weights)
    run = learn(K, y, KernelFunction("precomputed"), weights=weights, max_passes=6)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == amounts


KERNELS = [
    KernelFunction("linear"),
    KernelFunction("poly", gamma=0.5, degree=2, coef0=1.0),
    KernelFunction("rbf", gamma=0.3),
    KernelFunction("sigmoid", gamma=0.1, coef0=0.5),
    KernelFunction("cosine"),
    KernelFunction("laplacian", gamma=0.3),
    KernelFunction("chi2", gamma=0.3),
    KernelFunction("additive_chi2"),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.function)
def test_kernels_are_scikit_learns(kernel, rng):
    X, Z = rng.random((30, 7)), rng.random((20, 7))
    options = {name: getattr(kernel, name) for name in ("gamma", "degree", "coef0")}
    expected = pairwise_kernels(X, Z, metric=kernel.function, filter_params=True, **options)
    found = kernel.between(KernelRows(rows_of(X, bias=0.0)), KernelRows(rows_of(Z, bias=0.0)))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.function)
def test_values_do_not_depend_on_storage_or_company(kernel, rng):
    X = np.round(rng.random((40, 9)), 3) * (rng.random((40, 9)) < 0.5) + 0.0
    points = KernelRows(rows_of(X, bias=0.0))
    whole = kernel.between(points, points)
    if kernel.function not in ("chi2", "additive_chi2"):  # which scikit-learn computes for dense tables only
        sparse = KernelRows(rows_of(sp.csr_array(X), bias=0.0))
        assert kernel.between(sparse, sparse).tobytes() == whole.tobytes()
        assert kernel.columns(sparse, np.array([3, 8])).tobytes() == whole[[3, 8]].tobytes()
        assert kernel.between(sparse.take(np.array([5])), sparse).tobytes() == whole[5].tobytes()
    assert (whole == whole.T).all()
    assert kernel.columns(points, np.array([7])).tobytes() == whole[7].tobytes()
    assert kernel.row(points, 7, np.array([2, 30])).tolist() == whole[7, [2, 30]].tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("remember", [None, 30])
@pytest.mark.parametrize("seed", range(2))
def test_the_memory_for_columns_does_not_matter(order, remember, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 3))
    y = np.where((X**2).sum(axis=1) + 0.3 * rng.normal(size=100) > 2.5, 1, -1)
    kernel = KernelFunction("rbf", gamma=0.5)
    expected = learn(X, y, kernel, order, remember=remember, max_passes=8)
    for held, table in ((1e-9, X), (0.01, X), (10, sp.csr_array(X)), (0.01, np.asfortranarray(X))):
        run = learn(table, y, kernel, order, remember=remember, megabytes=held, max_passes=8)
        assert run.ledger.rows.tolist() == expected.ledger.rows.tolist()
        assert run.weights.tobytes() == expected.weights.tobytes()
        assert run.forgotten.tolist() == expected.forgotten.tolist()


def test_rows_in_doubt_are_decided_exactly():
    X, y = np.array([[0.1], [0.1], [0.7], [0.7]]), np.array([1, -1, 1, -1])  # scores that are zero but for rounding
    K = KernelFunction("rbf", gamma=1.0).between(*[KernelRows(rows_of(X, bias=0.0))] * 2)
    corrected, amounts, _, _ = naive_lifted.dual_cyclic(K.tolist(), y.tolist(), 40)
    run = learn(X, y, KernelFunction("rbf", gamma=1.0), max_passes=40)
    assert run.ledger.rows.tolist() == corrected
    assert run.weights.tolist() == amounts
