"""The way down in the number of mistakes: it ends, and keeps within its arrays and the range of floats."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Examples, PocketPerceptron, optimality
from rosenblatt.geometry import line_search, whitening
from rosenblatt.geometry.whitening import Scaled, Whitened, space_of
from rosenblatt.learn import costs
from rosenblatt.learn.pocket.descent import Descent, fewest
from rosenblatt.rows import kernels

FAR_APART = np.array([[2e295, -2e58], [0, -1e-52], [-1e108, -1e156], [-2e109, -2e-299], [0, 0]])
UNLIKE = np.array([[0, 0], [-2e-186, 2e-90], [-2e298, 1e-242], [-1e-103, -2e-90]])
extreme = st.builds(lambda k, e: k * 10.0**e, st.integers(-9, 9), st.sampled_from([-307, -300, -150, 0, 150, 300]))


def room(n):
    """What `best_step` needs, in the middle of numbers that it must not touch."""
    ints, floats = np.full((3, n + 64), 77), np.full((2, n + 64), 77.0)
    inner = slice(32, n + 32)
    arrays = floats[0, inner], ints[0, inner], floats[1, inner], ints[1, inner], ints[2, 32 : n + 34]
    return line_search.Crossings(*arrays), lambda: all(
        (each[:, :32] == 77).all() and (each[:, n + 34 :] == 77).all() for each in (ints, floats)
    )


@pytest.mark.parametrize("place", [np.nan, np.inf, -np.inf, -1e300, -1.0, 0.0, 0.5, 6.5, 7.0, 7.5, 1e19, 1e300])
def test_whatever_becomes_an_index_is_in_range(place):
    expected = 0 if np.isnan(place) else int(min(max(place, 0.0), 6.0))
    assert kernels.bin_of(place, 7) == expected


@given(st.lists(st.tuples(extreme, extreme), min_size=1, max_size=30), st.sampled_from([0.1, 0.5, 1.0]))
def test_a_descent_keeps_within_its_arrays_and_stays_finite(pairs, share):
    scores, slopes = np.array(pairs).T.copy()
    slopes /= max(np.abs(slopes).max(), 1.0)  # as those of a space are
    scores /= max(np.abs(scores).max(), 1.0)
    crossings, untouched = room(scores.size)
    w = np.ones(1)
    for sign in (1.0, -1.0):
        line_search.descend(
            sign * slopes[np.newaxis], np.ones((1, 1)), costs.NO_COSTS, share, w, scores, crossings, np.empty(64)
        )
        assert untouched()
        assert np.isfinite(scores).all()
        assert np.isfinite(w).all()


@given(st.integers(0, 1000), st.sampled_from([2.0**-500, 1e-9, 1.0, 1e9, 2.0**500]))
def test_the_best_step_is_the_best_at_every_scale(seed, scale):
    rng = np.random.default_rng(seed)
    scores, slopes = scale * rng.normal(size=20), rng.normal(size=20)
    reach = scale * 10.0
    step, gain = line_search.best_step(scores, slopes, costs.NO_COSTS, reach, room(20)[0])
    crossings = -scores / slopes
    inside = np.sort(crossings[np.abs(crossings) < reach])
    ends = np.concatenate([[-reach], inside, [reach]])
    counts = [(scores + t * slopes <= 0.0).sum() for t in (ends[:-1] + ends[1:]) / 2]
    assert (scores + step * slopes <= 0.0).sum() == min(counts)
    assert gain == (scores <= 0.0).sum() - min(counts)


@pytest.mark.parametrize("seed", range(4))
def test_entries_that_differ_beyond_all_measure(seed):
    rule = PocketPerceptron(fit_intercept=False, random_state=seed).fit(FAR_APART, [0, 1, 0, 0, 0])
    assert np.isfinite(rule.weights_).all()
    assert (rule.predict(FAR_APART) != [0, 1, 0, 0, 0]).sum() == 1
    proof = optimality(UNLIKE, [-1, 1, -1, 1], random_state=seed)
    assert proof.lower <= proof.upper
    proof.verify(UNLIKE, [-1, 1, -1, 1])


@pytest.mark.parametrize("kind", [Whitened, Scaled])
@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-300, 1.0, 1e300])
def test_a_space_is_finite_and_there_and_back_again_is_the_same_direction(kind, scale, rng, monkeypatch):
    if kind is Scaled:
        monkeypatch.setattr(whitening, "NUMBERS", 0)
    X = np.round(8.0 * rng.normal(size=(30, 3))) * np.array([scale, 1.0, 1e300])
    with np.errstate(all="ignore"):
        found = space_of(Examples.of(X, rng.integers(0, 2, 30)))
        assert isinstance(found, kind)
        v = rng.normal(size=found.size)
        for numbers in (
            found.rows(np.arange(30)),
            found.weights(v),
            found.scores(v),
            found.coordinates(found.weights(v)),
        ):
            assert np.isfinite(numbers).all()
    if scale == 1.0:
        back = found.coordinates(found.weights(v))
        np.testing.assert_allclose(back / np.abs(back).max(), v / np.abs(v).max(), rtol=1e-9)


def test_subnormal_columns_still_separate():
    X = np.array([[3.0], [1.0], [-1.0], [-2.0]]) * 5e-324
    assert PocketPerceptron(fit_intercept=False, random_state=0).fit(X, [1, 1, 0, 0]).score(X, [1, 1, 0, 0]) == 1.0


def counting(most):
    """Something to spend, and what was spent."""
    spent = []

    def spend(passes):
        spent.append(passes)
        assert sum(spent) < most, "no end"
        return True

    return spend, spent


@pytest.mark.parametrize("seed", range(10))
def test_costs_that_rise_again_do_not_keep_a_descent_going(seed):
    found = space_of(Examples.of([[2.0], [0.1], [0.1]], [0, 1, 1], fit_intercept=False))
    rng = np.random.default_rng(seed)
    spend, _ = counting(1e5)
    free = np.zeros(found.size)
    fewest(found, costs.NO_COSTS, np.ones(1), rng, patience=20, spend=spend, worth_a_kick=lambda: True, signs=free)


def test_a_walk_ends_though_every_step_changes_the_cost(monkeypatch):
    found = space_of(Examples.of([[2.0], [0.1], [0.1]], [0, 1, 1], fit_intercept=False))
    spend, _ = counting(1e5)
    descent = Descent(found, costs.NO_COSTS, 0.0, np.random.default_rng(0), spend, lambda: True, np.zeros(found.size))
    descent.stand(np.ones(1))

    def turn(slopes, directions, costs, share, w, *rest):
        w *= -1.0
        return 0

    monkeypatch.setattr(line_search, "descend", turn)
    descent.walk_down()
    assert descent.best == 1


def test_rows_of_zeros_have_no_directions():
    rule = PocketPerceptron(fit_intercept=False, random_state=0).fit(np.zeros((3, 2)), [0, 1, 1])
    assert np.isfinite(rule.weights_).all()


@pytest.mark.parametrize(
    "weights", [[1e-300, 1e10, 1.0], [1e-300] * 3, [5e-324, 1.0, 1.0], [5e-324] * 3, [1e15, 1e-9, 0.0], [0.1, 0.2, 0.3]]
)
def test_every_row_that_counts_costs_something(weights):
    examples = Examples.of([[1.0], [2.0], [3.0]], [0, 1, 0], weights=weights) if weights[2] else None
    examples = examples or Examples.of([[1.0], [2.0], [3.0]], [0, 1, 1], weights=weights)
    found, unit = costs.costs_of(examples)
    assert ((found > 0) == (np.array(weights) > 0)).all()
    assert 0 < int(found.sum()) < 2**62
    assert unit > 0.0
    np.testing.assert_allclose(unit * found, weights, rtol=1e-15, atol=1e-18 * sum(weights) + 5e-324)


def test_weights_far_apart_are_counted_row_by_row():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    rule = PocketPerceptron(random_state=0).fit(X, y, sample_weight=[1e-300, 100.0, 10.0, 1e-300])
    assert rule.predict(X)[1:3].tolist() == [1, 0]


def test_rules_for_several_classes_of_tiny_numbers_do_not_overflow():
    X = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1]]) * 5e-324
    rule = PocketPerceptron(max_updates=30, patience=3, random_state=0).fit(X, [0, 1, 1, 0, 2])
    assert np.isfinite(rule.weights_).all()
