"""Exact decisions: the filter's bound holds, and inside it the exact sum decides."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.learn.choices import TIES
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.storage import rows_of

finite = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True)
pairs = st.lists(st.tuples(finite, finite), min_size=1, max_size=8)
MISTAKE = TIES["mistake"]


def exact(x, w, bias):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, w[:-1], strict=True)), Fraction(bias) * Fraction(w[-1]))


def sign(number):
    return int(number > 0) - int(number < 0)


def unchecked(x, bias):
    """One row, whatever its size: `rows_of` would refuse the largest numbers."""
    return kernels.Dense(np.array([x]), bias, float("inf"), len(x) + 1, False)


@given(pairs, finite, st.sampled_from([0.0, 1.0, 1e-300, 1e300]))
def test_exact_score_is_the_exact_value_cut_to_53_bits(pairs, last, bias):
    x, w = [p[0] for p in pairs], np.array([p[1] for p in pairs] + [last])
    truth = exact(x, w, bias)
    got = kernels.exact_score(unchecked(x, bias), 0, w, np.empty(kernels.LIMBS, np.int64))
    assert sign(got) == sign(truth)
    if abs(truth) >= Fraction(2) ** 1024:
        assert np.isinf(got)
    elif abs(truth) > Fraction(2) ** -1000:
        assert abs(Fraction(got)) <= abs(truth)
        assert abs(truth - Fraction(got)) <= abs(truth) * Fraction(2) ** -52


moderate = st.floats(-1e6, 1e6, allow_subnormal=True)


@given(st.lists(st.tuples(moderate, moderate), min_size=1, max_size=30), st.sampled_from([np.float32, np.float64]))
def test_the_doubt_bounds_the_error_of_a_score(pairs, dtype):
    x, w = np.array([p[0] for p in pairs], dtype), np.array([p[1] for p in pairs] + [0.7])
    for held in (x[np.newaxis], sp.csr_array(x[np.newaxis])):
        rows = rows_of(held)
        doubt = kernels.doubt_about(rows, find.norm(w))
        error = abs(Fraction(kernels.score(rows, 0, w)) - exact(map(float, x), w, 1.0))
        assert error <= Fraction(doubt.width)


@given(pairs, finite)
def test_margin_has_the_exact_sign_for_all_numbers(pairs, last):
    x, w = [p[0] for p in pairs], np.array([p[1] for p in pairs] + [last])
    rows = unchecked(x, 1.0)
    m = kernels.margin(rows, np.array([-1], np.int8), 0, w, kernels.doubt_about(rows, find.norm(w)))
    assert sign(m) == -sign(exact(x, w, 1.0))


CANCELLING = [  # (x, w) whose float sum, left to right, has the wrong sign or is zero although the exact one is not
    ([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]),
    ([1.0, 1e-17, -1.0], [1.0, 1.0, 1.0]),
    ([*[0.1] * 10, -1.0], [1.0] * 11),
    ([1e-200, 1e200, -1e200], [1.0, 1e100, 1e100]),
    ([1e-200, 1.0], [1e-200, 0.0]),
]


@pytest.mark.parametrize(("x", "w"), CANCELLING)
def test_near_ties_that_a_float_sum_decides_wrongly(x, w):
    truth = sign(exact(x, [*w, 0.0], 0.0))
    naive = 0.0
    for a, b in zip(x, w, strict=True):
        naive += a * b
    assert sign(naive) != truth
    rows = rows_of(np.array([x]), bias=0.0)
    weights = np.array([*w, 0.0])
    m = kernels.margin(rows, np.ones(1, np.int8), 0, weights, kernels.doubt_about(rows, find.norm(weights)))
    assert sign(m) == truth


def test_random_near_ties_need_exactness(rng):
    """Weights orthogonal to a row up to rounding: plain float decisions are often wrong, ours never."""
    wrong = 0
    for _ in range(300):
        x = rng.normal(size=6)
        w = rng.normal(size=7)
        w[-1] = 0.0
        w[0] -= (x @ w[:-1]) / x[0]
        truth = sign(exact(x, w, 0.0))
        wrong += sign(float(x @ w[:-1])) != truth
        rows = rows_of(x[np.newaxis], bias=0.0)
        m = kernels.margin(rows, np.ones(1, np.int8), 0, w, kernels.doubt_about(rows, find.norm(w)))
        assert sign(m) == truth
    assert wrong > 30


def test_whole_numbers_are_never_in_doubt():
    rows = rows_of(np.array([[1, -1], [2, 2]]))
    assert rows.whole
    assert kernels.doubt_about(rows, 5.0, whole=True).none
    assert not kernels.doubt_about(rows, 5.0, whole=False).none
    assert not kernels.doubt_about(rows, 2.0**60, whole=True).none
    assert not rows_of(np.array([[0.5, 1.0]])).whole


@pytest.fixture
def scattered(rng):
    X = rng.normal(size=(5000, 7))
    return Examples.of(X, rng.integers(0, 2, size=5000)), rng.normal(size=8)


def test_find_count_worst_and_margins_agree(scattered, monkeypatch):
    examples, w = scattered
    truth = find.margins(examples, w)
    for threads, worth in (("1", 10**9), ("", 1000)):
        monkeypatch.setenv("ROSENBLATT_THREADS", threads)
        monkeypatch.setattr("rosenblatt.rows.threads.WORTH_A_THREAD", worth)
        wrong, near = find.find(examples, w, MISTAKE, band=0.25)
        assert wrong.tolist() == np.flatnonzero(truth <= 0).tolist()
        assert near.tolist() == np.flatnonzero((truth > 0) & (truth < 0.25)).tolist()
        assert find.count(examples, w, MISTAKE) == wrong.size
        assert find.worst(examples, w) == truth.argmin()
        assert find.find_first(examples, w, MISTAKE, 5).tolist() == wrong[:5].tolist()
        assert (find.margins(examples, w) == truth).all()


@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=2), min_size=2, max_size=9),
    st.lists(st.floats(-4, 4), min_size=6, max_size=6),
    st.sampled_from([1e-9, 0.01, 1.0, 1e3]),
)
def test_a_row_is_left_out_only_if_its_margin_is_above_the_bound(X, weights, near):
    X, v = np.array(X), np.array(weights[:3])
    w = 2.0 * v + near * np.array(weights[3:])
    examples = Examples.of(X, np.arange(len(X)) % 2)
    seen = find.Seen(v, find.margins(examples, v))
    for scale in (1e-3, 1.0, 1e3):
        with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
            patch.setattr(find, "LARGE", 0)
            patch.setattr(find, "FEW", 1.0)
            found, latest = find.margins_below(examples, w, scale, seen)
        assert latest is seen
        for row, margin in enumerate(found.tolist()):
            truth = examples.labels[row] * exact(X[row].tolist(), w.tolist(), 1.0)
            assert truth > scale if margin == np.inf else margin == find.margins(examples, w)[row]


def test_rows_are_left_out_where_that_is_worth_it(rng, monkeypatch):
    X = rng.normal(size=(2000, 3))
    examples, v = Examples.of(X, X[:, 0] > 0), np.array([1.0, 0.0, 0.0, 0.0])
    w = v + 1e-3
    found, seen = find.margins_below(examples, v, 0.01, None)
    assert (found == find.margins(examples, v)).all()
    few, _ = find.margins_below(examples, w, 0.01, seen)
    assert np.isfinite(few).all()
    monkeypatch.setattr(find, "LARGE", 6000)
    few, same = find.margins_below(examples, w, 0.01, seen)
    assert same is seen
    assert 0 < np.isfinite(few).sum() < 200
    for elsewhere, bound in ((-v, 0.01), (w, 0.0), (w, 1.0)):
        everything, latest = find.margins_below(examples, elsewhere, bound, seen)
        assert np.isfinite(everything).all()
        assert latest.w is elsewhere


def test_rows_of_weight_zero_are_not_found(rng):
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, size=50)
    weights = rng.integers(0, 2, size=50)
    examples = Examples.of(X, y, weights=weights)
    w = rng.normal(size=3)
    wrong, near = find.find(examples, w, MISTAKE, band=1.0)
    assert weights[wrong].all()
    assert weights[near].all()
    assert weights[find.worst(examples, w)]
    assert find.count(examples, w, MISTAKE) == wrong.size


def test_worst_is_decided_exactly_and_prefers_the_first():
    X = np.array([[1e16, 1.0], [1e16, 2.0], [1e16, 1.0]])
    examples = Examples(rows_of(X, bias=0.0), np.ones(3, np.int8))
    assert find.worst(examples, np.array([1.0, 1.0, 0.0])) == 0
    assert find.worst(examples, np.array([1.0, -1.0, 0.0])) == 1


def test_the_band_is_exact():
    """Ten times 0.1 is a little more than 1, though a float sum says less."""
    examples = Examples(rows_of(np.full((1, 10), 0.1), bias=0.0), np.ones(1, np.int8))
    assert sum([0.1] * 10) < 1.0
    assert find.find(examples, np.ones(11), MISTAKE, band=1.0)[1].size == 0
    assert find.find(examples, np.ones(11), MISTAKE, band=1.0 + 2.0**-51)[1].size == 1


def test_the_shelf_is_exact():
    """The same margin, just below a shelf's bound, added up in any order of the features, lies on the same shelf."""
    bound = 2.0 / kernels.SQRT_HALF
    x = np.array([bound, 1e16, -1e16, -1e-17])
    shelves = set()
    for order in ([0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 3, 0], [3, 1, 0, 2]):
        rows = rows_of(x[order][np.newaxis], bias=0.0)
        w, labels = np.ones(5), np.ones(1, np.int8)
        doubt = kernels.doubt_about(rows, find.norm(w))
        m = kernels.margin(rows, labels, 0, w, doubt)
        shelves.add(kernels.shelf_for(rows, labels, 0, w, m, doubt, -10))
    assert len(shelves) == 1
