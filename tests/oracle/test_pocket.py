"""The pocket keeps what the exact rational oracle keeps, and the descent never keeps anything worse."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import gordan, naive
from rosenblatt import Examples, Reason
from rosenblatt.learn import costs
from rosenblatt.learn.choices import TIES, Budget
from rosenblatt.learn.pocket import pocket

NUMBERS = pytest.mark.parametrize("numbers", [cases.whole, cases.near_one, cases.odd], ids=["whole", "near one", "odd"])
UPDATES = 12


def run_on(X, y, seed=0, ties="mistake", updates=UPDATES, weights=None, improve=False, **options):
    """A pocket run and its examples."""
    examples = Examples.of(X, y, weights=weights)
    budget, rng = Budget(max_updates=updates, max_passes=4000, patience=10), np.random.default_rng(seed)
    shared = {"ties": TIES[ties], "budget": budget, "rng": rng}
    gamma = options.get("gamma", 0.0)
    run = pocket.learn(examples, np.zeros(examples.size), **shared, **options)
    if improve:
        run = pocket.improved(run, examples, **shared, begun=0.0, gamma=gamma)
    return run, examples


def same(run, kept, best, kept_at, corrected):
    if run.reason is Reason.MAX_PASSES:  # quiet draws: the oracle may have gone on
        return
    assert run.ledger.rows.tolist() == corrected
    assert (run.weights.tolist(), run.cost, run.kept_at) == (kept, best, kept_at)


@NUMBERS
@given(data=st.data(), seed=st.integers(0, 2**32), ties=st.sampled_from(["mistake", "plus", "minus", "correct"]))
def test_pocket(numbers, data, seed, ties):
    """Under "correct" the pocket keeps what it corrects by, but its cost is that of what is predicted."""
    X, y = data.draw(cases.tables(numbers))
    rows = cases.with_bias(X)
    draws = np.random.default_rng(seed).integers(len(X), size=8192).tolist()
    run, _ = run_on(X, y, seed, ties)
    kept, best, *rest = naive.pocket(rows, y, [0.0] * (X.shape[1] + 1), draws, UPDATES, ties)
    same(run, kept, len(naive.mistakes(rows, y, kept, "minus")) if ties == "correct" else best, *rest)


@given(data=st.data(), seed=st.integers(0, 2**32))
def test_ratchet(data, seed):
    X, y = data.draw(cases.tables())
    draws = np.random.default_rng(seed).integers(len(X), size=8192).tolist()
    run, _ = run_on(X, y, seed, ratchet=True)
    same(run, *naive.ratchet(cases.with_bias(X), y, [0.0] * (X.shape[1] + 1), draws, UPDATES))


@given(data=st.data(), seed=st.integers(0, 2**32), gamma=st.sampled_from([0.25, 0.5, 1.0, 3.0]))
def test_pocket_with_margin(data, seed, gamma):
    X, y = data.draw(cases.tables())

    def is_low(x, label, w):
        m, square = label * naive.dot(w, x), sum(Fraction(k) ** 2 for k in w)
        return naive.is_mistake(x, label, w, "mistake") or m * m < Fraction(gamma) ** 2 * square

    draws = np.random.default_rng(seed).integers(len(X), size=8192).tolist()
    run, _ = run_on(X, y, seed, gamma=gamma)
    zeros = [0.0] * (X.shape[1] + 1)
    same(run, *naive.pocket(cases.with_bias(X), y, zeros, draws, run.updates or UPDATES, counts=is_low))


@given(data=st.data(), seed=st.integers(0, 2**32))
def test_weights_are_costs_and_copies(data, seed):
    X, y = data.draw(cases.tables())
    many = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.25]), min_size=len(X), max_size=len(X)))
    if any(not any(k for k, label in zip(many, y, strict=True) if label == s) for s in (-1, 1)):
        return
    stream = [(i, min(k - j, 1.0)) for i, k in enumerate(many) for j in range(int(np.ceil(k)))]
    drawn = [stream[j] for j in np.random.default_rng(seed).integers(len(stream), size=8192)]
    rows, steps = zip(*drawn, strict=True)
    run, _ = run_on(X, y, seed, weights=many)
    zeros = [0.0] * (X.shape[1] + 1)
    same(run, *naive.pocket(cases.with_bias(X), y, zeros, rows, UPDATES, costs=many, steps=steps))


@given(data=st.data(), seed=st.integers(0, 2**32))
def test_storage_does_not_matter(data, seed):
    X, y = data.draw(cases.tables())
    one, _ = run_on(X, y, seed)
    for _, table in cases.containers(X):
        other, _ = run_on(table, y, seed)
        assert other.weights.tobytes() == one.weights.tobytes()


def fewest(X, y):
    """How few mistakes are possible, by trying what to leave out."""
    rows = [[label * k for k in row] for row, label in zip(cases.with_bias(X), y, strict=True)]
    for many in range(len(rows) + 1):
        for gone in combinations(range(len(rows)), many):
            if gordan.is_separable(left := [z for i, z in enumerate(rows) if i not in gone], [True] * len(left)):
                return many
    raise AssertionError


@given(data=st.data(), seed=st.integers(0, 2**32))
def test_the_descent_is_never_worse_and_counts_exactly(data, seed):
    numbers = data.draw(st.sampled_from([cases.whole, cases.near_one, cases.odd]))
    X, y = data.draw(cases.tables(numbers))
    plain, _ = run_on(X, y, seed)
    better, _ = run_on(X, y, seed, improve=True)
    assert better.cost <= plain.cost
    assert better.cost == len(naive.mistakes(cases.with_bias(X), y, better.weights.tolist()))
    assert better.ledger.rows.tolist() == plain.ledger.rows.tolist()
    assert (better.reason is Reason.SEPARATED) == (better.cost == 0)


@pytest.mark.parametrize("seed", range(40))
def test_the_descent_finds_the_fewest_on_small_tables(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 11)), int(rng.integers(1, 4))
    X, y = rng.integers(-3, 4, size=(n, d)).astype(float), rng.choice([-1, 1], size=n)
    y[:2] = -1, 1
    run, _ = run_on(X, y, seed, improve=True)
    assert run.cost == fewest(X, y)


@given(
    st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5, 1e-9, 1e9, 3.0]), min_size=2, max_size=8).filter(
        lambda w: w[0] and w[1]
    )
)
def test_costs_are_the_weights(weights):
    X = np.arange(len(weights), dtype=float)[:, np.newaxis]
    y = [0, 1, *[1] * (len(weights) - 2)]
    examples = Examples.of(X, y, weights=weights)
    units, unit = costs.costs_of(examples)
    if not units.size:
        return
    assert int(units.sum()) < 2**62
    assert np.allclose(units * unit, weights, rtol=1e-6, atol=2.0**-50 * sum(weights))
    if all(k == int(k) for k in weights):
        assert (units * unit == weights).all()
