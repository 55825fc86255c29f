"""The cone of weights that keep constraints on their signs: projections, and the perceptron that makes them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from rosenblatt import AveragedPerceptron, MarginPerceptron, PassiveAggressive, Perceptron
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.pla import in_cone
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.storage import rows_of

signs = st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=5)


def vectors(size):
    return st.lists(st.integers(-9, 9), min_size=size, max_size=size).map(lambda v: np.array(v, float))


@given(signs.flatmap(lambda s: st.tuples(st.just(s), vectors(len(s)), vectors(len(s)))))
def test_the_nearest_weights_are_those_of_moreau(given_):
    """What is left out is orthogonal to what is kept, and points away from all of the cone."""
    of, w, other = given_
    cone = Cone.of(of)
    near, v = cone.nearest(w), cone.nearest(other)  # any vector of the cone
    assert (near * of >= 0).all()
    assert (w - near) @ near == 0
    assert (w - near) @ v <= 0
    assert cone.within(dict(enumerate(w.astype(int).tolist()))) == {
        k: int(each) for k, each in enumerate(w) if near[k] or not each
    }


@given(cases.separable_tables(), st.data())
def test_novikoffs_bound_survives_the_projection(table, data):
    """With any u in the cone, T <= R^2 ||u||^2 / g^2: at every update u . w_t >= t g, and ||w_t||^2 <= t R^2."""
    X, y, u = table
    cone = Cone.of(cone_with(u, data))
    examples = Examples(rows_of(X, bias=0.0), y.astype(np.int8))
    run = in_cone.learn(examples, np.zeros(examples.size), cone)
    assert run.reason is Reason.SEPARATED
    Z = y[:, np.newaxis] * X
    g, R2 = Fraction(int((Z @ u).min())), max(Fraction(int(z @ z)) for z in Z)
    for t in range(run.updates + 1):
        w = run.ledger.replay(examples, t)[:-1]
        assert (cone.nearest(w) == w).all()
        assert Fraction(int(u @ w)) >= t * g
        assert Fraction(int(w @ w)) <= t * R2
    assert (run.ledger.replay(examples) == run.weights).all()
    assert run.updates * g * g <= R2 * Fraction(int(u @ u))


def cone_with(u, data):
    """Some constraints that u keeps."""
    chosen = data.draw(st.lists(st.booleans(), min_size=len(u), max_size=len(u)))
    return [int(np.sign(v)) if c else 0 for v, c in zip(u, chosen, strict=True)]


@given(cases.separable_tables(), st.data(), st.sampled_from([0.0, 1.0, 8.0]))
def test_the_margin_perceptron_keeps_its_bound_in_the_cone(table, data, beta):
    """With any u in the cone, T <= (R^2 + 2 beta) ||u||^2 / g^2."""
    X, y, u = table
    rule = MarginPerceptron(beta=beta, fit_intercept=False, max_passes=None, monotonic_cst=cone_with(u, data)).fit(X, y)
    assert rule.margin_reached_
    assert (y * (X @ rule.coef_[0]) > beta).all()
    g, R2 = int((y * (X @ u)).min()), int(np.square(X).sum(axis=1).max())
    assert rule.n_updates_ * g * g <= (R2 + 2 * beta) * int(u @ u)
    assert (rule.replay(X, y) == rule.weights_).all()


@given(cases.separable_tables(), st.data(), st.sampled_from(["PA", "PA-I", "PA-II"]))
def test_passive_aggressive_steps_never_lead_away_from_what_has_no_loss(table, data, variant):
    """Of every u in the cone without loss, ||w - u|| never grows, and a step of PA gains loss^2 / ||x||^2 on it."""
    X, y, u = table
    of = cone_with(u, data)
    how = {"shuffle": False, "fit_intercept": False, "max_passes": 3, "monotonic_cst": of}
    rule = PassiveAggressive(variant=variant, **how).fit(X, y)
    u = u / (y * (X @ u)).min()
    states = [rule.replay(X, y, t)[0][:-1] for t in range(rule.n_updates_ + 1)]
    assert all((Cone.of(of).nearest(w) == w).all() for w in states)
    far = [float((w - u) @ (w - u)) for w in states]
    for row, w, before, after in zip(rule.ledger_.rows, states, far, far[1:], strict=False):
        loss, square = 1.0 - y[row] * (X[row] @ w), X[row] @ X[row]
        gained = loss * loss / square if variant == "PA" else 0.0
        assert after <= (before - gained) + 1e-9 * (1.0 + before)


@given(cases.tables(), st.data())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_weight_on_the_way_and_their_mean_is_in_the_cone(table, data):
    X, y = table
    of = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=X.shape[1], max_size=X.shape[1]))
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=len(y), max_size=len(y)))
    rule = AveragedPerceptron(monotonic_cst=of, max_passes=3, shuffle=False).fit(X, y, weights)
    cone, states = Cone.of(of), [rule.replay(X, y, t, weights)[0] for t in range(rule.n_updates_ + 1)]
    assert all((cone.nearest(w) == w).all() for w in [*states, rule.weights_[0]])
    assert (states[-1] == rule.last_weights_[0]).all()
    single = Perceptron(monotonic_cst=of, max_passes=5).fit(X, y, weights)
    assert (single.replay(X, y, sample_weight=weights) == single.weights_).all()
    assert (cone.nearest(single.weights_[0]) == single.weights_[0]).all()


@given(cases.tables())
def test_without_constraints_nothing_changes(table):
    X, y = table
    free, zeros = (AveragedPerceptron(monotonic_cst=c, random_state=0).fit(X, y) for c in (None, [0] * X.shape[1]))
    assert (free.weights_ == zeros.weights_).all()
