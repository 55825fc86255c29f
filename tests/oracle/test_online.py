"""A stream gives what the slowest form of each mode gives, bit for bit, however its rows are handed over."""

from fractions import Fraction
from itertools import permutations

import numba
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
from oracle import naive
from rosenblatt import OnlinePerceptron, Perceptron

NUMBERS = pytest.mark.parametrize("numbers", [cases.whole, cases.near_one, cases.odd], ids=["whole", "near one", "odd"])
TIES = st.sampled_from(["mistake", "plus", "correct"])
C = 0.3


def in_order(a, b):
    total = 0.0
    for p, q in zip(a, b, strict=True):
        total += p * q
    return total


def step_of(mode, x, y, w, ties):
    """How far a row moves the weights: 1 for a mistake, or the closed form of Crammer et al. 2006, figure 1."""
    if mode in ("perceptron", "averaged"):
        return 1.0 if naive.is_mistake(x, y, w, ties) else 0.0
    square = in_order(x, x)
    if square == 0.0 or y * naive.dot(w, x) >= 1:
        return 0.0
    loss = max(1.0 - y * in_order(x, w), 0.0)
    if mode == "PA-II":
        return loss / (square + 1 / (2 * C))
    return min(C, loss / square) if mode == "PA-I" else loss / square


def follow(mode, rows, labels, ties="mistake"):
    """The weights after every row, where the mistakes were, and the sums that the average follows from."""
    w = [0.0] * len(rows[0])
    sums, states, wrong, updates = [0.0] * len(w), [], [], 0
    for t, (x, y) in enumerate(zip(rows, labels, strict=True)):
        if naive.is_mistake(x, y, w, ties):
            wrong.append(t)
        step = step_of(mode, x, y, w, ties)
        if step:
            w, sums = naive.update(x, y, w, step), naive.update(x, y, sums, t * step)
            updates += 1
        states.append(w)
    return states, wrong, sums, updates


def forms(X):
    """The same rows, in every way that one row can be given."""
    yield "array", list(X)
    yield "list", X.tolist()
    yield "strided array", list(np.repeat(X, 2, axis=1)[:, ::2])
    yield "tuple", [tuple(x) if X.shape[1] != 2 else x for x in X.tolist()]
    yield "dict", [{f"x{j}": v for j, v in enumerate(x)} for x in X.tolist()]
    yield "pair", [(np.arange(X.shape[1]), x) for x in X]
    yield "sparse pair", [(np.flatnonzero(x), x[np.flatnonzero(x)]) for x in X]
    yield "unsorted pair", [(np.arange(X.shape[1])[::-1], x[::-1]) for x in X]
    yield "csr rows", [sp.csr_array(x[np.newaxis]) for x in X]


def blocks(X):
    """The same rows, in every way that a block can be given."""
    names = [f"x{j}" for j in range(X.shape[1])]
    with np.errstate(over="ignore"):
        yield from list(cases.containers(X))
    yield "pandas", pd.DataFrame(X, columns=names)
    yield "polars", pl.DataFrame(X, schema=names)


def counters(rule):
    return rule.n_rows_, rule.n_examples_seen_, rule.n_mistakes_, rule.n_updates_, rule.progressive_error_


def all_weights(rule, d):
    """The weights of d features, of which a sparse stream may have met fewer, and the threshold's."""
    w = rule.weights_
    return [*w[:-1].tolist(), *[0.0] * (d + 1 - w.size), w[-1]]


@NUMBERS
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data(), ties=TIES)
def test_perceptron(numbers, data, ties):
    X, y = data.draw(cases.tables(numbers))
    states, wrong, _, _ = follow("perceptron", cases.with_bias(X), y, ties)
    peer = Perceptron(ties=ties).partial_fit(X, y, classes=[-1, 1])
    assert peer.weights_[0].tolist() == states[-1]
    for name, rows in forms(X):
        rule = OnlinePerceptron(ties=ties, ledger="all")
        said = []
        for x, label, w in zip(rows, y, states, strict=True):
            said.append(rule.learn_one(x, label))
            assert all_weights(rule, X.shape[1]) == w, name
        assert np.flatnonzero(said).tolist() == rule.mistakes_at_.tolist() == wrong, name
        assert counters(rule) == (len(X), len(X), len(wrong), len(wrong), len(wrong) / len(X)), name


@NUMBERS
@pytest.mark.parametrize("mode", ["PA", "PA-I", "PA-II"])
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data(), ties=TIES)
def test_passive_aggressive(numbers, mode, data, ties):
    X, y = data.draw(cases.tables(numbers))
    X = np.where(abs(X) < 1e-100, 0.0, X)  # steps for shorter rows would overflow, which is refused
    states, wrong, _, updates = follow(mode, cases.with_bias(X), y, ties)
    for name, rows in forms(X):
        rule = OnlinePerceptron(mode=mode, C=C, ties=ties)
        for x, label, w in zip(rows, y, states, strict=True):
            rule.learn_one(x, label)
            assert all_weights(rule, X.shape[1]) == w, name
        assert (rule.n_mistakes_, rule.n_updates_) == (len(wrong), updates), name


@NUMBERS
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data(), ties=TIES)
def test_averaged(numbers, data, ties):
    X, y = data.draw(cases.tables(numbers))
    rows, zero = cases.with_bias(X), [0.0] * (X.shape[1] + 1)
    states, wrong, _, _ = follow("averaged", rows, y, ties)
    sums = [follow("averaged", rows[:t], y[:t], ties)[2] for t in range(1, len(X) + 1)]
    averages = [[a - s / (t + 1) for a, s in zip(states[t], sums[t], strict=True)] for t in range(len(X))]
    missed = [naive.is_mistake(x, label, a, ties) for x, label, a in zip(rows, y, [zero, *averages], strict=False)]
    for name, given_rows in forms(X):
        rule = OnlinePerceptron(mode="averaged", ties=ties)
        for t, (x, label) in enumerate(zip(given_rows, y, strict=True)):
            rule.learn_one(x, label)
            assert [*rule.average_[:-1], *[0.0] * (X.shape[1] + 1 - rule.average_.size), rule.average_[-1]] == averages[
                t
            ]
            score = naive.dot(rows[t], averages[t])
            assert np.sign(rule.score_one(x)) == (score > 0) - (score < 0), name
        assert (rule.n_mistakes_, rule.progressive_error_) == (len(wrong), sum(missed) / len(X)), name


@given(cases.tables())
def test_the_average_is_that_of_the_weights_after_every_example(table):
    X, y = table
    states, _, _, _ = follow("averaged", cases.with_bias(X), y)
    rule = OnlinePerceptron(mode="averaged")
    rule.learn_many(X, y)
    means = [float(Fraction(sum(map(Fraction, column)), len(X))) for column in zip(*states, strict=True)]
    assert rule.average_ == pytest.approx(means, rel=1e-15, abs=1e-13)


@NUMBERS
@pytest.mark.parametrize("mode", ["perceptron", "averaged", "PA", "PA-I", "PA-II"])
@settings(max_examples=15)
@given(data=st.data(), ties=TIES)
def test_blocks_are_loops(numbers, mode, data, ties):
    X, y = data.draw(cases.tables(numbers))
    X = np.where(abs(X) < 1e-100, 0.0, X)
    k = data.draw(
        st.one_of(st.none(), st.lists(st.sampled_from([0, 1, 2, 0.5, 2.5]), min_size=len(X), max_size=len(X)))
    )
    cut = data.draw(st.integers(1, len(X) - 1))
    one = OnlinePerceptron(mode=mode, C=C, ties=ties, ledger="all")
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        one.learn_one(x, label, None if k is None else k[i])
    for name, table in blocks(X):
        many = OnlinePerceptron(mode=mode, C=C, ties=ties, ledger="all")
        for part in (slice(0, cut), slice(cut, len(X))):
            many.learn_many(table[part], y[part], None if k is None else k[part])
        assert many.weights_.tobytes() == one.weights_.tobytes(), name
        assert many.coef_.tobytes() == one.coef_.tobytes(), name
        assert counters(many) == counters(one), name
        assert many.mistakes_at_.tolist() == one.mistakes_at_.tolist(), name
        assert many.predict_many(table).tolist() == [one.predict_one(x) for x in X], name


@pytest.mark.parametrize("mode", ["perceptron", "averaged", "PA", "PA-I"])
@settings(max_examples=settings.default.max_examples // 2)
@given(table=cases.tables(), data=st.data())
def test_weight_k_is_k_adjacent_copies_and_0_is_absence(mode, table, data):
    X, y = table
    k = data.draw(st.lists(st.integers(0, 4), min_size=len(X), max_size=len(X)))
    a, b = (OnlinePerceptron(mode=mode, C=C) for _ in range(2))
    for x, label, weight in zip(X, y, k, strict=True):
        a.learn_one(x, label, weight)
        for _ in range(weight):
            b.learn_one(x, label)
    assert a.weights_[-1] == b.weights_[-1]
    assert a.coef_.tolist() == (b.coef_.tolist() or [0.0] * X.shape[1])
    assert counters(a)[1:] == counters(b)[1:]


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(1 if numba.config.DISABLE_JIT else 3))
def test_a_long_block_is_partial_fit(seed, container):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30_000, 3)) if seed else rng.integers(-3, 4, size=(30_000, 3)).astype(float)
    y = rng.integers(2, size=len(X))  # more mistakes than one call of a kernel takes
    rule, peer = OnlinePerceptron(ledger="all"), Perceptron().partial_fit(X, y, classes=[0, 1])
    assert rule.learn_many(container(X), y) == peer.n_updates_ > 8192
    assert rule.weights_.tobytes() == peer.weights_[0].tobytes()
    assert rule.mistakes_at_.tolist() == peer.ledger_.rows.tolist()
    assert rule.n_examples_seen_ == len(X)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_decisions_are_exact_where_floats_have_the_wrong_sign(order, sign):
    X = np.array([[2.0**53, 3.0, -(2.0**53) - 2.0, -1.5], [1.0] * 4])[:, list(order)]
    X[0] *= -sign  # w . x is half the sign; added up in the order above, minus half
    for name, rows in forms(X):
        rule = OnlinePerceptron(fit_intercept=False)
        rule.learn_one(rows[0], 1)
        assert np.sign(rule.score_one(rows[1])) == sign, name
        assert rule.learn_one(rows[1], sign) is False, name
    for name, table in blocks(X):
        rule = OnlinePerceptron(fit_intercept=False, classes=(-1, 1))
        assert rule.learn_many(table, [1, sign]) == 1, name
        assert rule.predict_many(table).tolist() == [1, sign], name
