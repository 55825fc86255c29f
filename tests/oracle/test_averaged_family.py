"""Averages, votes and aggressive steps agree with the naive implementation, whatever the numbers and the storage."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier

import cases
from oracle import naive_averaged as naive
from rosenblatt import AveragedPerceptron, Examples, MarginPerceptron, PassiveAggressive, VotedPerceptron
from rosenblatt.learn.choices import Budget
from rosenblatt.learn.passes import averaged, averaged_kernels, electorate
from rosenblatt.rows.kernels import TIES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
moderate = st.sampled_from([-1.0, -0.5, 0.1, 0.2, 0.3, 0.5, 1.0, 1 / 3, 1 + 2**-52, 1e16, -1e16, 3.0])
NUMBERS = pytest.mark.parametrize("numbers", [cases.whole, cases.near_one, moderate], ids=["whole", "near one", "odd"])
PASSES = 4


def runs(X, y, stride, weights=None, passes=PASSES, rng=None, start=None):
    """A run that never stops early, and its examples."""
    examples = Examples.of(X, y, weights=weights)
    start = np.zeros(examples.size) if start is None else np.array(start, float)
    options = {"ties": TIES["mistake"], "budget": Budget(passes), "rng": rng}
    return averaged.learn(examples, start, stride, **options), examples


def expected(X, y, step, looks, weights=None, start=None):
    """The oracle's weights after each of so many looks, and what moved them."""
    order = [i for _ in range(PASSES) for i in range(len(X))]
    w = [0.0] * (X.shape[1] + 1) if start is None else start
    return list(naive.looks(cases.with_bias(X), y, w, order, step, weights))[:looks]


@NUMBERS
@given(data=st.data(), ties=st.sampled_from(["mistake", "plus", "correct"]))
def test_the_perceptron_in_passes_and_its_average(numbers, data, ties):
    X, y = data.draw(cases.tables(numbers))
    start = data.draw(st.lists(numbers, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1))
    run, _ = runs(X, y, averaged_kernels.OnMistakes(TIES[ties]), start=start)
    states = expected(X, y, naive.on_mistakes(ties), run.examples_seen, start=[s + 0.0 for s in start])
    assert run.ledger.rows.tolist() == [move[0] for _, move in states if move]
    assert run.when.tolist() == [k for k, (_, move) in enumerate(states) if move]
    assert run.tally.last.tolist() == states[-1][0]
    average = naive.mean([w for w, _ in states])
    size = max(max(map(abs, w)) for w, _ in states)
    for got, exact in zip(run.weights, average, strict=True):
        if numbers is cases.whole:
            assert got == float(exact)
        assert (
            abs(Fraction(got) - exact) <= (3 + 2 * len(run.ledger)) * len(states) * Fraction(size) * Fraction(2) ** -52
        )


@given(cases.tables(cases.near_one), st.data())
def test_the_average_is_what_its_definition_computes(table, data):
    X, y = table
    k = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 2.3]), min_size=len(X), max_size=len(X)))
    run, _ = runs(X, y, averaged_kernels.OnMistakes(TIES["mistake"]), weights=k)
    states = expected(X, y, naive.on_mistakes(), run.examples_seen, weights=k)
    u, rows = [0.0] * (X.shape[1] + 1), cases.with_bias(X)
    for looks, (_, move) in enumerate(states):
        if move:
            i, size = move
            u = [b + (looks * (size * y[i])) * a for a, b in zip(rows[i], u, strict=True)]
    T = len(states)
    assert run.weights.tolist() == [(T * a - b) / T for a, b in zip(states[-1][0], u, strict=True)]


@NUMBERS
@given(data=st.data(), beta=st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.0, 7.5]))
def test_the_perceptron_with_margin(numbers, data, beta):
    X, y = data.draw(cases.tables(numbers))
    rule = MarginPerceptron(beta=beta, max_passes=PASSES).fit(X, y)
    states = expected(X, y, naive.within_margin(beta), rule.n_examples_seen_)
    assert rule.ledger_.rows.tolist() == [move[0] for _, move in states if move]
    assert rule.weights_[0].tolist() == states[-1][0]


@NUMBERS
@given(data=st.data(), variant=st.sampled_from(["PA", "PA-I", "PA-II"]), C=st.sampled_from([0.01, 0.3, 1.0, 50.0]))
def test_passive_aggressive_steps(numbers, data, variant, C):
    X, y = data.draw(cases.tables(numbers))
    k = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=len(X), max_size=len(X)))
    assume(len(set(y[np.array(k) > 0])) == 2)
    rule = PassiveAggressive(variant=variant, C=C, max_passes=PASSES, shuffle=False).fit(X, y, sample_weight=k)
    states = expected(X, y, naive.by_loss(variant, C), rule.n_examples_seen_, weights=k)
    assert rule.ledger_.rows.tolist() == [move[0] for _, move in states if move]
    assert rule.weights_[0].tolist() == states[-1][0]
    assert rule.ledger_.replay(Examples.of(X, y, weights=k)).tobytes() == rule.weights_[0].tobytes()


@NUMBERS
@given(data=st.data(), ties=st.sampled_from(["mistake", "plus"]), block=st.sampled_from([1, 3, 100]))
def test_votes(numbers, data, ties, block):
    X, y = data.draw(cases.tables(numbers))
    rule = VotedPerceptron(max_passes=PASSES, ties=ties).fit(X, y)
    states = expected(X, y, naive.on_mistakes(ties), rule.n_examples_seen_)
    votes = [naive.vote([w for w, _ in states], x, 1 if ties == "plus" else -1) for x in cases.with_bias(X)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(electorate, "NUMBERS_IN_A_BLOCK", block)
        patch.setattr(electorate, "LEAST_IN_A_BLOCK", 1)
        patch.setattr(electorate, "RENEWED", block)
        patch.setattr(electorate, "FEWEST_TOGETHER", block)
        patch.setattr(electorate, "PRODUCTS", 1)
        assert (rule.decision_function(X) * len(states)).round().tolist() == votes
        sparse = VotedPerceptron(max_passes=PASSES, ties=ties).fit(sp.csr_array(X), y)
        assert (sparse.decision_function(sp.csr_array(X)) * len(states)).round().tolist() == votes
    firsts = [0, *(k for k, (_, move) in enumerate(states) if move), len(states)]
    assert rule.votes_.tolist() == np.diff(firsts).tolist()


RULES = {
    "averaged": AveragedPerceptron(max_passes=PASSES),
    "shuffled": AveragedPerceptron(max_passes=PASSES, shuffle=True, random_state=5),
    "voted": VotedPerceptron(max_passes=PASSES),
    "random": VotedPerceptron(max_passes=PASSES, vote="random", random_state=5),
    "margin": MarginPerceptron(max_passes=PASSES, beta=0.7),
    "PA": PassiveAggressive(max_passes=PASSES, variant="PA", random_state=5),
    "PA-I": PassiveAggressive(max_passes=PASSES, C=0.2, average=True, shuffle=False),
    "PA-II": PassiveAggressive(max_passes=PASSES, variant="PA-II", random_state=5),
}
EVERY = pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())


def told(rule, X):
    """All that was learned, as bits."""
    counts = [rule.stop_reason_, rule.n_updates_, rule.n_passes_, rule.n_examples_seen_]
    return [rule.weights_.tobytes(), rule.last_weights_.tobytes(), rule.decision_function(X).tobytes(), *counts]


@EVERY
@settings(max_examples=15)
@given(table=st.one_of(cases.tables(), cases.tables(cases.near_one)))
def test_every_storage_learns_the_same_bits(rule, table):
    X, y = table
    expected = told(rule.fit(X, y), X)
    for name, held in cases.containers(X):
        assert told(rule.fit(held, y), X) == expected, name


@EVERY
@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(table=cases.tables(cases.near_one, max_rows=8), data=st.data())
def test_weight_k_is_k_adjacent_copies_and_0_is_absence(rule, table, data):
    X, y = table
    k = data.draw(st.lists(st.integers(0, 4), min_size=len(X), max_size=len(X)))
    assume(len(set(y[np.array(k) > 0])) == 2)
    weighted = told(rule.fit(X, y, sample_weight=k), X)
    copied = told(rule.fit(np.repeat(X, k, axis=0), np.repeat(y, k)), X)
    assert weighted == copied


@EVERY
@pytest.mark.parametrize("seed", range(2))
def test_storage_copies_and_pages_at_a_size_where_they_matter(rule, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(600, 900)), int(rng.integers(2, 8))
    X = rng.normal(size=(n, d)) if seed % 2 else rng.integers(-3, 4, size=(n, d)) / 10
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) * 0.3 > 0, 1, -1)
    k = rng.integers(0, 4, size=n)
    expected = told(rule.fit(X, y, sample_weight=k), X[:50])
    assert told(rule.fit(sp.csr_array(X), y, sample_weight=k), X[:50]) == expected
    assert told(rule.fit(np.repeat(X, k, axis=0), np.repeat(y, k)), X[:50]) == expected
    monkeypatch.setattr("rosenblatt.learn.run_state.AT_ONCE", 7)
    monkeypatch.setattr("rosenblatt.learn.run_state.NUMBERS_AT_ONCE", 300)
    assert told(rule.fit(X, y, sample_weight=k), X[:50]) == expected


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
@pytest.mark.parametrize("sparse", [False, True])
def test_passive_aggressive_makes_the_steps_of_scikit_learns(variant, sparse, rng):
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    ours = PassiveAggressive(variant=variant, C=0.1, max_passes=3, shuffle=False, fit_intercept=False).fit(X, y)
    how = {"learning_rate": "pa1" if variant == "PA-I" else "pa2", "eta0": 0.1, "penalty": None}
    peer = SGDClassifier(**how, max_iter=3, tol=None, shuffle=False, fit_intercept=False)
    peer.fit(sp.csr_array(X) if sparse else X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-9)


def test_the_average_is_that_of_scikit_learns_descent(rng):
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    ours = AveragedPerceptron(max_passes=3, fit_intercept=False).fit(X, y)
    how = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "penalty": None, "average": True}
    peer = SGDClassifier(**how, max_iter=3, tol=None, shuffle=False, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-9)


def test_exact_decisions_where_floats_cancel():
    X, y = np.array([[1e16, 1.0, -1e16], [0.0, -1.0, 0.0]]), [1, -1]
    start = [1.0, 0.5, 1.0]
    margin = MarginPerceptron(beta=0.5, start=start, fit_intercept=False, max_passes=1).fit(X, y)
    assert margin.ledger_.rows.tolist() == [0]  # 1e16 + 0.5 - 1e16 is 0.5 exactly, and <= 0.5; then row 1 has 1.5
    above = MarginPerceptron(beta=np.nextafter(0.5, 0), start=start, fit_intercept=False, max_passes=1).fit(X, y)
    assert above.ledger_.rows.tolist() == []
    enough = PassiveAggressive(variant="PA", start=[1.0, 1.0, 1.0], fit_intercept=False, max_passes=1).fit(X, y)
    assert enough.n_updates_ == 0  # the margin is 1, though a float sum says 0


def test_every_vote_has_the_exact_sign():
    rule = VotedPerceptron(fit_intercept=False, start=[1.0, 1.0, 1.0]).fit([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [1, 0])
    assert rule.votes_.tolist() == [2]
    near = np.array([[1e16, 1.0, -1e16], [1e16, -1.0, -1e16], [1e16, 0.0, -1e16]])
    assert rule.decision_function(near).tolist() == [1.0, -1.0, -1.0]
