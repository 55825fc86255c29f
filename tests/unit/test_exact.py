"""Whole-number arithmetic on rows, against fractions; and the floats that sort out which rows need it."""

from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
from rosenblatt.prove.check import exact, joint_certificate
from rosenblatt.prove.check import scores as rounded
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import rows_of

numbers = st.one_of(cases.whole, cases.near_one, cases.odd)
long = st.integers(-(2**80), 2**80)


def signed(X, y, bias):
    """The rows y_i (x_i, bias) as fractions."""
    return [[int(s) * Fraction(float(v)) for v in (*x, bias)] for x, s in zip(X, y, strict=True)]


def as_fractions(wholes, exponent):
    """Whole numbers divided by 2^exponent."""
    assert all(type(k) is int for k in wholes)
    return [Fraction(k, 2**exponent) for k in wholes]


def check(X, y, bias, weights, multipliers):
    """The inner products and the sum of all rows, and of one, in every storage, with limbs and without."""
    truth = signed(X, y, bias)
    for table, few in product((X, sp.csr_array(X)), (-1, 10**9)):
        examples = Examples.of(table, y, fit_intercept=bool(bias), bias_scale=bias or 1.0)
        for rows in (list(range(len(X))), [len(X) - 1], []):
            with patch.object(exact, "FEW_NUMBERS", few):
                found = as_fractions(*exact.dots(examples, rows, weights))
                total, exponent = exact.mixture(examples, rows, [multipliers[i] for i in rows])
            assert found == [sum(a * Fraction(b) for a, b in zip(truth[i], weights, strict=True)) for i in rows]
            sums = [sum(multipliers[i] * truth[i][k] for i in rows) for k in range(examples.size)]
            assert all(total.values())
            assert as_fractions([total.get(k, 0) for k in range(examples.size)], exponent) == sums


@given(cases.tables(numbers), st.sampled_from([0.0, 1.0, 0.3]), st.data())
def test_inner_products_and_sums_are_exact(table, bias, data):
    X, y = table
    weights = data.draw(st.lists(st.one_of(numbers, long), min_size=X.shape[1] + 1, max_size=X.shape[1] + 1))
    multipliers = data.draw(st.lists(st.one_of(st.integers(1, 2**53), long), min_size=len(X), max_size=len(X)))
    check(X, y, bias, weights, multipliers)


@pytest.mark.parametrize(("n", "d"), [(2, 1023), (1023, 2), (127, 3), (3, 128)])
def test_the_longest_digits_are_added_up_without_rounding(n, d):
    X = np.full((n, d), 2.0 - 2.0**-52) * np.where(np.arange(n) % 2, 1.0, -1.0)[:, np.newaxis]
    y = np.where(np.arange(n) % 2, 1, -1)  # all products have the same sign, and every bit of every number is set
    check(X, y, 0.0, [2.0**53 - 1] * d + [0.0], [2**53 - 1] * n)


@pytest.mark.parametrize("weights", [[1.0, 1.0, 0.0], [1e150, 5e-324, 0.0]])
def test_no_number_is_too_small_beside_another(weights):
    X, y = np.array([[1e100, 5e-324], [5e-324, -1e100]]), np.array([1, -1])
    check(X, y, 0.0, weights, [3, 1])


def test_rows_are_taken_a_few_at_a_time(monkeypatch, rng):
    X, y = rng.normal(size=(9, 4)) * 2.0 ** rng.integers(-90, 90, size=(9, 1)), np.arange(9) % 2 * 2 - 1
    monkeypatch.setattr(exact, "AT_ONCE", 12)
    check(X, y, 1.0, rng.normal(size=5).tolist(), rng.integers(1, 2**50, 9).tolist())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_least_margin_is_among_the_lowest(rng, dtype):
    X = np.round(rng.normal(size=(400, 5)), 1).astype(dtype)
    X = np.vstack([X, X[:50]])  # ties
    examples = Examples.of(X, np.where(X[:, 0] > 0, 1, 0))
    w = rng.normal(size=6)
    rows = find.lowest(examples, w, find.margins(examples, w))
    truth = signed(X, examples.labels, 1.0)
    margins = [sum(a * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in truth]
    assert {i for i, margin in enumerate(margins) if margin == min(margins)} <= set(rows.tolist())
    assert rows.size < 10
    assert exact.least_of(examples, w.tolist(), rows.tolist()) == (min(margins), margins.index(min(margins)))
    assert exact.least_margin(examples, w.tolist()) == min(margins)


def test_rows_that_tie_are_all_among_the_lowest(rng):
    X = np.array([rng.permutation([1e9, -1e9, 0.1, 0.3, 1e-8, 0.7, 1e5]) for _ in range(40)])
    X[::2] *= -1.0
    examples, w = Examples.of(X, np.arange(40) % 2), np.append(np.ones(7), 0.0)
    margins = find.margins(examples, w)
    assert np.ptp(margins) > 0.0  # rounding tells rows apart that are equal
    assert find.lowest(examples, w, margins).size == 40


def test_where_floats_overflow_every_row_may_be_the_lowest():
    examples = Examples.of(np.array([[1e200], [-1e200], [2e200]]), [1, 0, 1])
    w = np.array([1e200, 0.0])
    with np.errstate(over="ignore", invalid="ignore"):
        assert find.lowest(examples, w, find.margins(examples, w)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("n", [5, 16, 17, 31, 100])
def test_one_stretch_of_rows_in_so_many(monkeypatch, rng, n):
    monkeypatch.setattr(find, "STRETCH", 4)
    examples, w = Examples.of(rng.normal(size=(n, 3)), np.arange(n) % 2), rng.normal(size=4)
    seen = np.arange(n) % 16 < 4
    expected = np.where(seen, find.margins(examples, w), np.inf)
    assert (find.margins(examples, w, every=4) == expected).all()


@given(cases.tables(numbers), st.sampled_from([0.0, 1.0, 0.3]), st.sampled_from([0, 500]), st.data())
def test_leads_of_classes_are_exact(table, bias, few, data):
    X, _ = table
    n, width = len(X), X.shape[1] + 1
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = data.draw(st.lists(st.one_of(numbers, long), min_size=3 * width, max_size=3 * width))
    rows = signed(X, [1] * n, bias)
    W = [weights[k : k + width] for k in range(0, len(weights), width)]
    scores = [[sum(a * Fraction(b) for a, b in zip(row, w, strict=True)) for w in W] for row in rows]
    least = [
        (own, rival, *min((scores[i][own] - scores[i][rival], i) for i in range(n) if labels[i] == own))
        for own, rival in product(range(3), repeat=2)
        if own != rival and own in labels
    ]
    wrong = [i for i in range(n) if scores[i].index(max(scores[i])) != labels[i]]
    for stored in (X, sp.csr_array(X)):
        examples = JointExamples(rows_of(stored, bias=bias), labels, classes=(0, 1, 2))
        with patch.object(rounded, "FEW", few):
            assert joint_certificate.least_leads(examples, weights) == least
            assert joint_certificate.mistakes(examples, weights).tolist() == wrong


@pytest.mark.parametrize("few", [0, 500])
def test_leads_that_floats_get_wrong(few):
    examples = JointExamples(rows_of(np.ones((2, 3)), bias=0.0), np.array([0, 1]), classes=(0, 1))
    weights = [1e16, 1.0, -1e16, 0.0, 0.0, 0.5, 0.0, 0.0]  # 1 and 0.5, but 1e16 + 1 is 1e16 in floats
    with patch.object(rounded, "FEW", few):
        assert joint_certificate.least_leads(examples, weights) == [
            (0, 1, Fraction(1, 2), 0),
            (1, 0, Fraction(-1, 2), 1),
        ]
        assert joint_certificate.mistakes(examples, weights).tolist() == [1]
