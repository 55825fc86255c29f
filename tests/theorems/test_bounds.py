"""The bounds hold on runs: tables and weights are whole numbers, and what is rounded is rounded to the safe side."""

from dataclasses import replace
from fractions import Fraction
from itertools import cycle, islice, pairwise
from math import floor, nextafter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
from oracle import naive
from rosenblatt.learn.choices import TIES
from rosenblatt.learn.pla.pla import follow
from rosenblatt.prove.check.exact import root_above, root_below
from rosenblatt.prove.theory import bounds
from rosenblatt.prove.theory.trace import trace
from rosenblatt.rows.examples import Examples

orders = st.sampled_from(cases.ORDERS)
powers_of_two = st.integers(-2, 5).map(lambda k: Fraction(2) ** k)


def squared(vector):
    return Fraction(int(vector @ vector))


def longest(Z):
    return root_above(max(map(squared, Z)))


def measured(X, y, u):
    """The signed rows, their radius rounded up and the margin of u / ||u|| rounded down."""
    Z = y[:, np.newaxis] * X
    return Z, longest(Z), root_below(Fraction(int((Z @ u).min())) ** 2 / squared(u))


def separated(table, order, **options):
    """A run without threshold to its end, its states, the signed rows, R, gamma and u."""
    X, y, u = table
    run, examples = cases.learn(X, y, order, bias=False, max_passes=100_000, **options)
    assert run.reason.name == "SEPARATED"
    return run, [step.weights[:-1] for step in run.ledger.steps(examples)], *measured(X, y, u), u


@given(cases.separable_tables(), orders)
def test_updates_from_zeros(table, order):
    run, states, Z, R, gamma, u = separated(table, order)
    g, R2 = Fraction(int((Z @ u).min())), max(map(squared, Z))
    bound = bounds.novikoff(R, gamma)
    assert run.updates <= bound == bounds.updates(R, gamma) == floor(R2 * squared(u) / g**2)
    assert bounds.stream(R, root_above(squared(u)), int(g)) == bound
    scale = 2.0 ** np.ceil(np.log2(R))
    assert run.updates <= bounds.unit_rows(gamma / scale)
    assert run.updates <= bounds.a_posteriori(root_above(squared(states[-1])), gamma) <= bound


@given(cases.separable_tables(), orders)
def test_the_cosine_at_every_update(table, order):
    _, states, _, R, gamma, u = separated(table, order)
    for t, w in enumerate(states[1:], 1):
        assert u @ w > 0
        assert Fraction(int(u @ w)) ** 2 / (squared(u) * squared(w)) >= Fraction(bounds.cosine(t, R, gamma)) ** 2


@given(cases.separable_tables(), orders, st.data())
def test_updates_from_any_start(table, order, data):
    d = table[0].shape[1]
    start = np.array(data.draw(st.lists(st.integers(-9, 9).map(float), min_size=d, max_size=d)))
    run, _, _, R, gamma, u = separated(table, order, start=[*start, 0.0])
    along = Fraction(int(u @ start)) ** 2 / squared(u)
    along = root_below(along) if u @ start >= 0 else -root_above(along)
    assert run.updates <= bounds.updates(R, gamma, root_above(squared(start)), along)


def test_a_start_can_cost_more_than_novikoffs_bound():
    run, _, _, R, gamma, _ = separated(
        (np.array([[1.0], [-1.0]]), np.array([1, -1]), np.ones(1)), "cyclic", start=[-5, 0]
    )
    assert run.updates == 6 > bounds.novikoff(R, gamma)
    assert run.updates <= bounds.updates(R, gamma, 5, -5) == 11


@given(cases.separable_tables(), orders)
def test_updates_after_the_first_row(table, order):
    X, y, _ = table
    run, states, _, R, gamma, _ = separated(table, order, start=[*(y[0] * X[0]), 0.0])
    assert run.updates <= bounds.after_first(R, gamma)
    for t, w in enumerate(states):
        assert squared(w) <= (t + 1) * Fraction(R) ** 2


def test_orthogonal_rows_reach_the_bounds():
    """n unit rows at right angles: n updates, n - 1 after the first row, and the cosine reaches 1."""
    X, y, u = np.eye(7), np.array([1, -1] * 3 + [1]), np.array([1.0, -1.0] * 3 + [1.0])
    run, states, _, R, gamma, _ = separated((X, y, u), "cyclic")
    assert run.updates == 7 == bounds.novikoff(R, gamma) == bounds.a_posteriori(root_above(squared(states[-1])), gamma)
    assert bounds.cosine(7, R, gamma) == pytest.approx(1)
    run, *_ = separated((X, y, u), "cyclic", start=[*(y[0] * X[0]), 0.0])
    assert run.updates == 6 == bounds.after_first(R, gamma)
    assert bounds.halts_or_refutes(R, gamma) == 8


@given(cases.separable_tables(max_rows=8), orders, st.sampled_from([0.25, 1.0, 4.0, "best", "radius"]), st.data())
def test_updates_with_a_threshold(table, order, scale, data):
    """Rows shifted by s: the rule u . x - u . s."""
    X, y, u = table
    s = np.array(data.draw(st.lists(st.integers(-9, 9).map(float), min_size=u.size, max_size=u.size)))
    _, _, gamma = measured(X, y, u)
    R, offset = longest(X + s), root_above(Fraction(int(u @ s)) ** 2 / squared(u))
    assume(scale != "best" or offset)
    if scale in ("best", "radius"):  # to sixteenths, so that weights stay exact
        scale = np.ceil(bounds.best_bias_scale(R, offset if scale == "best" else None) * 16) / 16
    run, _ = cases.learn(X + s, y, order, bias_scale=scale, max_passes=1_000_000)
    assert run.reason.name == "SEPARATED"
    assert run.updates <= bounds.with_bias(R, gamma, offset, scale)


@given(cases.tables(), orders, st.sampled_from([0.1, 0.3, 1.0, 2.0, 30.0]))
def test_halts_or_refutes(table, order, g):
    X, y = table
    R = longest(X)
    most = bounds.halts_or_refutes(R, g)
    run, _ = cases.learn(X, y, order, bias=False, max_passes=10**9, max_updates=most)
    if run.reason.name != "SEPARATED":
        assert run.updates == most
        assert squared(run.weights) < (run.updates * Fraction(g)) ** 2
        assert bounds.refuted_margin(root_above(squared(run.weights)), run.updates) <= nextafter(nextafter(g, 99), 99)


@given(cases.separable_tables(), orders)
def test_what_is_refuted_is_above_the_margin(table, order):
    _, states, _, _, gamma, _ = separated(table, order)
    for t, w in enumerate(states[1:], 1):
        assert gamma <= bounds.refuted_margin(root_above(squared(w)), t)


@given(cases.tables(), st.integers(1, 5), powers_of_two, st.data())
def test_hinge_bounds(table, passes, G, data):
    """For any u, margin and number of passes; scores and margin times ||u|| are whole numbers, or nearly."""
    X, y = table
    u = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=X.shape[1], max_size=X.shape[1]).filter(any)), float)
    run, _ = cases.learn(X, y, "cyclic", bias=False, max_passes=passes)
    Z = y[:, np.newaxis] * X
    rounds = list(islice(cycle((Z @ u).tolist()), run.examples_seen))
    R, length = longest(Z), squared(u)
    gamma = root_below(G * G / length)
    losses = [max(Fraction(0), 1 - Fraction(k) / G) for k in rounds]
    assert bounds.hinge_losses(rounds, G).tolist() == losses

    updated = bounds.hinge_losses((Z @ u)[run.ledger.rows], G)
    assert run.updates <= bounds.hinge_per_round(updated, root_above(squared(run.weights)), gamma)
    if R > 0:
        deviation = root_above(sum(max(Fraction(0), G - Fraction(k)) ** 2 for k in rounds) / length)
        assert run.updates <= bounds.hinge_root(sum(losses), R, gamma)
        assert run.updates <= bounds.freund_schapire(R, deviation, gamma)
        size = root_above(length)
        scores = [[nextafter(k / size, -np.inf) for k in rounds], [-nextafter(k / size, np.inf) for k in rounds]]
        best = bounds.best_hinge(scores, R)
        assert run.updates <= best.bound <= len(rounds)
        assert best.bound <= bounds.hinge_root(sum(losses), R, gamma)
        assert best.bound <= bounds.freund_schapire(R, deviation, gamma)


def test_hinge_bounds_that_are_reached():
    """Rows at right angles, twice: each is corrected once, and no bound is above their number."""
    for n in (4, 9, 16):
        X, y = np.eye(n), np.array([1, -1] * n)[:n]
        run, _ = cases.learn(X, y, "cyclic", bias=False, max_passes=2)
        scores = [[n**-0.5] * n * 2]
        assert run.updates == n == bounds.best_hinge(scores, 1).bound
        assert bounds.hinge_per_round([0.0] * n, root_above(Fraction(n)), n**-0.5) == pytest.approx(n)


@given(cases.separable_tables())
def test_a_stream(table):
    """Mistakes in one pass over the rows three times, and then over them in the other order."""
    X, y, u = table
    X, y = np.vstack([X, X, X, X[::-1]]), np.concatenate([y, y, y, y[::-1]])
    Z, R, _ = measured(X, y, u)
    examples = Examples.of(X, y, fit_intercept=False)
    _, corrected = follow(examples, np.zeros(examples.size), TIES["mistake"])
    assert len(corrected) <= bounds.stream(R, root_above(squared(u)), int((Z @ u).min()))


@given(cases.tables(), orders, powers_of_two, st.data())
def test_lifting(table, order, G, data):
    """a = 3/5: the rows 5 [3/5 x; 4/5 e_i], all scaled by a power of two, are whole numbers, so nothing is rounded."""
    X, y = table
    u = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=X.shape[1], max_size=X.shape[1]).filter(any)), float)
    unit = int(2 ** np.ceil(np.log2(max(longest(X), 1.0))))  # no row is longer
    a, scores = Fraction(3, 5), [Fraction(int(k)) for k in y * (X @ u)]
    slack = [max(Fraction(0), G - k) for k in scores]
    L = sum(k * k for k in slack) / squared(u) / unit**2
    gamma = root_below(G * G / squared(u) / unit**2)

    lifted = np.hstack([3 * X, 4 * unit * np.eye(len(X))])
    w = np.concatenate([unit * u, 3 / 4 * y * np.array(slack, float)])  # the proof's, times unit ||u||
    margins = y * (lifted @ w) / (5 * unit * np.linalg.norm(w))
    assert margins.min() >= bounds.lifted_margin(gamma, L, a) * (1 - 1e-12)
    if any(k <= G for k in scores):
        assert margins.min() == pytest.approx(bounds.lifted_margin(gamma, L, a))

    run, _ = cases.learn(lifted, y, order, bias=False, max_passes=100_000)
    assert run.reason.name == "SEPARATED"
    assert run.updates <= bounds.lifted_updates(gamma, L, a)
    if L:
        assert bounds.freund_schapire(1, root_above(L), gamma) <= bounds.lifted_updates(gamma, L, a)


def test_patience_keeps_its_word():
    """A table where a run with less patience often ends too soon, 400 times."""
    X, y = np.array([[1.0, 0.0]] * 19 + [[0.0, 1.0]]), np.array([1] * 19 + [-1])
    updates = bounds.novikoff(1, 0.5**0.5)
    for failure, some in ((0.5, True), (0.02, False)):
        m = bounds.patience(20, updates, failure)
        runs = [cases.learn(X, y, "random", bias=False, rng=k, patience=m, max_passes=10**6)[0] for k in range(400)]
        failed = sum(run.reason.name == "PATIENCE" for run in runs)
        assert failed <= 400 * failure
        assert not some or failed > 20


def test_draws_to_the_last_update():
    """Rows at right angles are corrected when they are first drawn: n (1 + 1/2 + ... + 1/n) draws on average."""
    rng, n, draws = np.random.default_rng(5), 8, []
    for _ in range(200):
        order = rng.integers(n, size=300).tolist()
        corrected, _ = naive.follow(np.eye(n).tolist(), [1] * n, [0.0] * n, order, most=n)
        assert len(corrected) == n
        draws.append(order.index(corrected[-1]) + 1)
    assert n * 2 < np.mean(draws) <= bounds.expected_draws(n, bounds.novikoff(1, n**-0.5))


@given(cases.tables(), st.data())
def test_corrections_in_a_row(table, data):
    X, y = table
    x, label = X[0].tolist(), int(y[0])
    w = data.draw(st.lists(st.integers(-40, 40).map(float), min_size=len(x), max_size=len(x)))
    assume(any(x) and naive.is_mistake(x, label, w, "mistake"))
    corrected, _ = naive.follow([x], [label], w, [0] * 100)
    assert len(corrected) == bounds.corrections_in_a_row(label * naive.dot(w, x), naive.dot(x, x))


@given(cases.separable_tables(), orders, st.integers(1, 60))
def test_the_distance_falls(table, order, more):
    """||w - c u / ||u|| ||^2 with c = C ||u||."""
    _, states, Z, R, gamma, u = separated(table, order)
    C = Fraction(R) ** 2 / (2 * int((Z @ u).min())) * (1 + Fraction(more, 20))
    falls = bounds.distance_falls(R, gamma, root_below(C * C * squared(u)))
    distances = [sum((Fraction(int(k)) - C * int(m)) ** 2 for k, m in zip(w, u, strict=True)) for w in states]
    for before, after in pairwise(distances):
        assert before - after >= falls


@given(cases.separable_tables(), orders, st.sampled_from([1, 2, 5]), st.data())
def test_traces_hold(table, order, every, data):
    X, y, u = table
    start = data.draw(st.none() | st.lists(st.integers(-9, 9), min_size=u.size, max_size=u.size).map(lambda w: [*w, 0]))
    run, examples = cases.learn(X, y, order, bias=False, start=start, max_passes=100_000)
    seen = trace(examples, run.ledger, [*(3 * u), 0.0], every=every)
    assert seen.holds
    _, R, gamma = measured(X, y, u)
    assert (seen.gamma, seen.radius) == pytest.approx((gamma, R))
    for t, row, along, squares, cosine in zip(
        seen.t, seen.row, seen.along, seen.squared_length, seen.cosine, strict=True
    ):
        w = run.ledger.replay(examples, t)[:-1]
        assert row == (run.ledger.rows[t - 1] if t else -1)
        assert along == pytest.approx(u @ w / np.linalg.norm(u), abs=1e-9)
        assert squares == w @ w
        assert np.isnan(cosine) if not w.any() else cosine == pytest.approx(along / np.linalg.norm(w))
    if start is None:
        assert seen.along_bound == pytest.approx(seen.t * gamma)
        assert seen.squared_length_bound == pytest.approx(seen.t * R**2)
        assert seen.cosine_bound == pytest.approx(np.sqrt(seen.t) * gamma / R)


@given(cases.separable_tables(), orders, st.data())
def test_traces_of_weighted_rows_hold(table, order, data):
    X, y, u = table
    weights = data.draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 2.5]), min_size=len(X), max_size=len(X)))
    weights[-2:] = [0.5, 0.5]
    run, examples = cases.learn(X, y, order, bias=False, weights=weights, max_passes=100_000)
    assert trace(examples, run.ledger, [*u, 0.0]).holds


def test_traces_of_floats_hold(rng):
    X = rng.normal(size=(300, 20)) * 1e3
    u = rng.normal(size=21)
    y = np.where(X @ u[:-1] + u[-1] > 0, 1, -1)
    run, examples = cases.learn(X, y, "cyclic", max_passes=100_000)
    assert run.updates > 100
    assert trace(examples, run.ledger, u).holds


@pytest.mark.parametrize("name", ["along", "squared_length", "cosine"])
def test_a_trace_that_does_not_hold(name):
    run, examples = cases.learn(np.eye(7), [1, -1] * 3 + [1], "cyclic", bias=False)
    seen = trace(examples, run.ledger, [1, -1] * 3 + [1, 0])
    assert seen.holds
    assert not replace(seen, **{name: getattr(seen, name) * (1 + (1e-9 if name == "squared_length" else -1e-9))}).holds
