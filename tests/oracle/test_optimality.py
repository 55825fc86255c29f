"""How few mistakes are possible: the interval holds the number that trying everything gives, and its proof verifies."""

from itertools import combinations

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import cases
from oracle import gordan, naive
from rosenblatt import (
    AveragedPerceptron,
    Examples,
    KernelPerceptron,
    OnlinePerceptron,
    PassiveAggressive,
    PocketPerceptron,
    VotedPerceptron,
    optimality,
)
from rosenblatt.errors import CertificateError, OptionError
from rosenblatt.prove.check import certificate, hitting, sweep


def fewest(X, y, bias=1.0):
    """How few mistakes are possible, by trying what to leave out."""
    rows = [[label * k for k in row] for row, label in zip(cases.with_bias(X, bias), y, strict=True)]
    for many in range(len(rows) + 1):
        for gone in combinations(range(len(rows)), many):
            left = [z for i, z in enumerate(rows) if i not in gone]
            if not left or gordan.is_separable(left, [True] * len(left)):
                return many
    raise AssertionError


@given(data=st.data(), bias=st.booleans())
def test_a_sweep_gives_the_fewest(data, bias):
    numbers = data.draw(st.sampled_from([cases.whole, cases.near_one, cases.odd]))
    X, y = data.draw(cases.tables(numbers, max_rows=7, max_columns=2 if bias else 3))
    examples = Examples.of(X, y, fit_intercept=bias)
    least, weights = sweep.fewest(examples)
    assert least == fewest(X, y, float(bias))
    assert least == len(naive.mistakes(cases.with_bias(X, float(bias)), y, weights))


@given(data=st.data(), ties=st.sampled_from(["mistake", "plus", "minus"]))
def test_the_interval_holds_the_fewest(data, ties):
    """With a threshold, the fewest mistakes are the same under all three tie rules."""
    X, y = data.draw(cases.tables(max_rows=8, max_columns=4))
    interval = optimality(X, y, ties=ties)
    assert interval.lower == interval.upper == fewest(X, y)
    assert interval.verify(X, y) == interval.statement
    assert interval.upper == len(naive.mistakes(cases.with_bias(X), y, interval.weights, ties))


@given(data=st.data())
def test_of_a_given_rule_it_tells_how_much_better_is_possible(data):
    X, y = data.draw(cases.tables(max_rows=8, max_columns=3))
    w = data.draw(st.lists(cases.whole, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1))
    ties = data.draw(st.sampled_from(["mistake", "plus", "minus"]))
    interval = optimality(X, y, w, ties=ties)
    assert interval.weights == tuple(w)
    assert interval.upper == len(naive.mistakes(cases.with_bias(X), y, w, ties))
    assert interval.lower <= fewest(X, y)
    interval.verify(X, y)


@given(data=st.data(), ties=st.sampled_from(["plus", "minus", "correct"]), bias=st.booleans())
def test_other_ties(data, ties, bias):
    X, y = data.draw(cases.tables(max_rows=7, max_columns=2))
    interval = optimality(X, y, ties=ties, fit_intercept=bias)
    rows = cases.with_bias(X, float(bias))
    signed = [[label * k for k in row] for row, label in zip(rows, y, strict=True)]
    must = [{"plus": label < 0, "minus": label > 0, "correct": False}[ties] for label in y]
    possible = next(
        many
        for many in range(len(rows) + 1)
        for gone in combinations(range(len(rows)), many)
        if not (left := [i for i in range(len(rows)) if i not in gone])
        or not any(must[i] for i in left)
        or gordan.is_separable([signed[i] for i in left], [must[i] for i in left])
    )
    assert interval.lower <= possible <= interval.upper
    interval.verify(X, y)


@given(st.lists(st.frozensets(st.integers(0, 8), min_size=1, max_size=4), max_size=7), st.integers(0, 6))
def test_how_many_rows_are_needed(sets, many):
    least = next(k for k in range(10) for rows in combinations(range(9), k) if all(set(rows) & each for each in sets))
    assert hitting.is_needed([tuple(each) for each in sets], many) == (least >= many)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes minutes uncompiled")
@pytest.mark.parametrize(("n", "d", "flipped", "gap"), [(2000, 2, 0.05, 0), (2000, 10, 0.02, 2), (1000, 40, 0.005, 2)])
def test_noisy_rows(n, d, flipped, gap):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + 0.3 > 0
    y ^= rng.random(n) < flipped
    rule = PocketPerceptron(random_state=0).fit(X, y)
    interval = optimality(X, y, rule)
    assert interval.upper == rule.mistakes_
    assert interval.upper - interval.lower <= gap
    interval.verify(X, y)


def test_equal_rows_with_different_labels_are_paired():
    X = np.repeat(np.eye(3), 10, axis=0)
    y = np.tile([1, 1, 1, 0, 1, 1, 0, 1, 0, 1], 3)
    interval = optimality(X, y)
    assert interval.lower == interval.upper == 9
    assert all(len(each.rows) == 2 for each in interval.contradictions)


@pytest.mark.parametrize(("ties", "wrong"), [("mistake", 2), ("minus", 1), ("plus", 1)])
def test_rows_of_zeros_score_zero(ties, wrong):
    X, y = np.array([[0.0, 0], [1, 0], [0, 1], [0, 0]]), [0, 1, 1, 1]
    interval = optimality(X, y, fit_intercept=False, ties=ties)
    assert interval.lower == interval.upper == wrong
    interval.verify(X, y)


def test_a_swept_claim_is_swept_again(rng):
    X, y = rng.integers(-3, 4, size=(40, 2)).astype(float), rng.integers(0, 2, 40)
    examples = Examples.of(X, y)
    least, weights = sweep.fewest(examples)
    claim = certificate.ErrorInterval(
        n=40, features=2, bias=1.0, ties="mistake", weights=weights, lower=least, upper=least, swept=True,
        contradictions=(),
    )  # fmt: skip
    claim.verify(X, y)
    too_good = certificate.ErrorInterval(
        n=40, features=2, bias=1.0, ties="mistake", weights=weights, lower=least - 1, upper=least, swept=True,
        contradictions=(),
    )  # fmt: skip
    with pytest.raises(CertificateError, match=f"the fewest mistakes of all lines are {least}, not {least - 1}"):
        too_good.verify(X, y)


def test_rules_that_cannot_be_judged_are_refused(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    several = PocketPerceptron(random_state=0).fit(X, y)
    with pytest.raises(OptionError, match="several classes"):
        optimality(X, y == 1, several)
    scaled = PocketPerceptron(random_state=0, normalize=True).fit(X, y == 1)
    with pytest.raises(OptionError, match="scales rows to length 1"):
        optimality(X, y == 1, scaled)
    with pytest.raises(OptionError, match=r"weights must be 2 numbers, or 3 with the threshold's, not of shape \(1,\)"):
        optimality(X, y == 1, [1.0])
    for words in ("random", ["a", "b"], [np.nan, 1.0]):
        with pytest.raises(OptionError, match="weights must be finite numbers, not"):
            optimality(X, y == 1, words)
    with pytest.raises(OptionError, match=r"weights of 3 classes must be a table with a row for each, not .* \(1, 2\)"):
        optimality(X, y, [[1.0, 2.0]])


def test_weights_may_be_a_table_of_one_row(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    for weights in ([1.0, 2.0], [1.0, 2.0, 0.5]):
        assert optimality(X, y, [weights]) == optimality(X, y, weights)


def test_no_threshold_is_not_a_constant_of_zero():
    with pytest.raises(OptionError, match="bias_scale must be a number above 0"):
        optimality([[0.0], [1.0]], [0, 1], bias_scale=0)


def test_the_time_is_kept(rng):
    X, y = rng.normal(size=(5000, 30)), rng.integers(0, 2, 5000)
    interval = optimality(X, y, np.ones(30), max_seconds=0.3)
    assert 0 <= interval.lower < interval.upper


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_is_judged_is_what_predicts(rng):
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] > 0) ^ (rng.random(150) < 0.2)
    online = OnlinePerceptron(mode="averaged")
    online.learn_many(X, y)
    linear = [AveragedPerceptron().fit(X, y), VotedPerceptron(vote="averaged").fit(X, y), PassiveAggressive().fit(X, y)]
    for rule in linear:
        assert optimality(X, y, rule).upper == (rule.predict(X) != y).sum()
    assert optimality(X, y, online).upper == (np.array(online.predict_many(X)) != y).sum()
    for rule in (
        VotedPerceptron().fit(X, y),
        KernelPerceptron(max_updates=50).fit(X, y),
        LogisticRegression().fit(X, y),
    ):
        with pytest.raises(OptionError, match="linear"):
            optimality(X, y, rule)


def test_a_rule_of_other_classes_or_columns_is_refused(rng):
    X, y = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"]), rng.integers(0, 2, 40)
    rule = PocketPerceptron(random_state=0).fit(X, np.where(y, "yes", "no"))
    with pytest.raises(OptionError, match="y has the label 0, which the rule does not know"):
        optimality(X, y, rule)
    with pytest.raises(OptionError, match="the columns of X are not those that the rule was learned from"):
        optimality(X[["b", "a"]], np.where(y, "yes", "no"), rule)
    assert optimality(X, np.where(y, "yes", "no"), rule).upper == rule.mistakes_
