"""The conventions of scikit-learn, and what PocketPerceptron promises beyond them."""

import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Examples, PocketPerceptron, Reason, optimality
from rosenblatt.errors import DataError, OptionError

DRAWS = (
    "the check reorders rows, and the draws are of row numbers; "
    "tests/oracle/test_pocket.py proves that weights are copies of rows and costs of mistakes"
)
TIGHT = (
    "the check wants nearly all rows predicted as the heavy class; the rule that costs least gets rows of the light "
    "class right wherever that costs nothing on the heavy one"
)


@parametrize_with_checks(
    [PocketPerceptron(random_state=0), PocketPerceptron(improve=None, max_updates=200, random_state=0)],
    expected_failed_checks=lambda rule: {
        **({"check_class_weight_classifiers": TIGHT} if rule.improve else {}),
        "check_sample_weight_equivalence_on_dense_data": DRAWS,
        "check_sample_weight_equivalence_on_sparse_data": DRAWS,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def noisy(n=400, d=4, flipped=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + 0.3 > 0, "yes", "no")
    wrong = rng.random(n) < flipped
    return X, np.where(wrong, np.where(y == "yes", "no", "yes"), y)


def test_it_beats_logistic_regression_and_says_what_it_did():
    X, y = noisy()
    rule = PocketPerceptron(random_state=0).fit(X, y)
    assert rule.mistakes_ == rule.cost_ == (rule.predict(X) != y).sum()
    assert rule.mistakes_ < (LogisticRegression().fit(X, y).predict(X) != y).sum()
    assert rule.stop_reason_ is Reason.SETTLED
    assert rule.n_updates_ == len(rule.ledger_) == 1000
    assert rule.kept_at_ == -1


def test_the_kept_weights_are_in_the_ledger():
    X, y = noisy()
    rule = PocketPerceptron(improve=None, random_state=0).fit(X, y)
    assert rule.stop_reason_ is Reason.MAX_UPDATES
    assert rule.ledger_.replay(Examples.of(X, y), rule.kept_at_).tobytes() == rule.weights_[0].tobytes()


def test_it_is_reproducible_and_does_not_depend_on_units_or_storage():
    X, y = noisy()
    first = PocketPerceptron(random_state=7).fit(X, y)
    assert (PocketPerceptron(random_state=7).fit(X, y).weights_ == first.weights_).all()
    assert (PocketPerceptron(random_state=7).fit(sp.csr_array(X), y).weights_ == first.weights_).all()
    in_other_units = PocketPerceptron(random_state=7).fit(X * [1e-6, 1.0, 1e3, 1e9], y)
    assert in_other_units.mistakes_ == first.mistakes_


def test_separable_rows_are_separated():
    X, y = noisy(flipped=0.0)
    rule = PocketPerceptron(random_state=0).fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert rule.mistakes_ == 0


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    rule = PocketPerceptron(random_state=0, multi_class="one-vs-rest").fit(X, y)
    assert len(rule.mistakes_) == len(rule.ledger_) == 3
    assert rule.mistakes_[0] == 0  # setosa is separable
    assert rule.mistakes_[2] == 1  # virginica: all but one row


def test_scores_of_classes_whose_sum_overflows_are_brought_to_scale():
    X = np.array([[0, 1e-3, 1e-15, 1e154], [1e136, 0, 0, 1e154], [1e136, 1e-3, 1e-15, 1e154]])
    rule = PocketPerceptron(multi_class="one-vs-rest", margin=0.1, max_updates=30, patience=3, random_state=0)
    rule.fit(X, [0, 1, 2])  # without a warning
    assert np.isfinite(rule.weights_).all()
    assert rule.predict(X)[0] == 0


def test_false_approvals_may_cost_more():
    X, y = noisy(flipped=0.2)

    def false_approvals(rule):
        return int(((rule.predict(X) == "yes") & (y == "no")).sum())

    even = PocketPerceptron(random_state=0).fit(X, y)
    wary = PocketPerceptron(class_weight={"no": 5.0, "yes": 1.0}, random_state=0).fit(X, y)
    assert false_approvals(wary) < false_approvals(even)
    wrong = wary.predict(X) != y
    assert wary.cost_ == np.where(y == "no", 5.0, 1.0)[wrong].sum()
    weighted = PocketPerceptron(random_state=0).fit(X, y, sample_weight=np.where(y == "no", 5.0, 1.0))
    assert (weighted.weights_ == wary.weights_).all()


def test_with_a_margin_the_rows_below_it_are_counted():
    X, y = noisy()
    gamma = 0.2
    plain = PocketPerceptron(improve=None, margin=gamma, random_state=0).fit(X, y)
    better = PocketPerceptron(margin=gamma, random_state=0).fit(X, y)
    assert better.cost_ < plain.cost_
    for rule in (plain, better):
        w, signs = rule.weights_[0], np.where(y == "yes", 1, -1)
        assert rule.cost_ == (signs * (X @ w[:-1] + w[-1]) < gamma * np.linalg.norm(w)).sum()


def test_a_large_table_is_not_copied(monkeypatch):
    from rosenblatt.geometry import whitening

    X, y = noisy()
    whitened = PocketPerceptron(random_state=0).fit(X, y)
    monkeypatch.setattr(whitening, "NUMBERS", 10)
    for table in (X, X.astype(np.float32), sp.csr_array(X)):
        rule = PocketPerceptron(random_state=0).fit(table, y)
        assert rule.mistakes_ <= whitened.mistakes_ + 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"improve": "luck"}, "improve must be 'descent', or None, not 'luck'"),
        ({"margin": -1.0}, "margin must be a number of at least 0"),
        ({"margin": float("nan")}, "margin must be a number of at least 0"),
        ({"max_updates": None}, "set max_updates or max_seconds"),
        ({"max_updates": 0}, "max_updates must be a whole number of at least 1"),
        ({"patience": 0}, "patience must be a whole number of at least 1"),
        ({"ties": "even"}, "ties must be one of"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(OptionError, match=message):
        PocketPerceptron(**options).fit(*noisy())


def test_rows_are_checked():
    X, y = noisy()
    X[3, 1] = np.nan
    with pytest.raises(DataError, match="row 3, column 1: the value is nan"):
        PocketPerceptron().fit(X, y)
    with pytest.raises(DataError, match="one class only"):
        PocketPerceptron().fit([[1.0], [2.0]], [1, 1])


@pytest.mark.parametrize("table", [1e150, 1e-150, 1e-300])
def test_extreme_units(table):
    X, y = noisy()
    assert PocketPerceptron(random_state=0, bias_scale=table).fit(X * table, y).mistakes_ <= 60


def test_budgets_end_it():
    X, y = noisy(n=3000, d=20)
    assert PocketPerceptron(max_passes=30, random_state=0).fit(X, y).stop_reason_ is Reason.MAX_PASSES
    assert PocketPerceptron(max_seconds=0.05, random_state=0).fit(X, y).stop_reason_ is Reason.MAX_SECONDS


def test_ctrl_c_keeps_what_was_learned():
    X, y = noisy(n=20_000, d=30)
    rule = PocketPerceptron(max_updates=10**9, random_state=0)
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        rule.fit(X, y)
    assert rule.stop_reason_ is Reason.INTERRUPTED
    assert rule.mistakes_ == (rule.predict(X) != y).sum()


def test_rows_of_zeros_without_a_threshold_have_no_direction_to_go_in():
    X, y = np.zeros((5, 2)), [0, 1, 1, 0, 1]
    rule = PocketPerceptron(fit_intercept=False).fit(X, y)
    assert not rule.coef_.any()
    found = optimality(X, y, fit_intercept=False, ties="mistake")
    assert (found.lower, found.upper) == (5, 5), "a tie is a mistake on every row"
    found = optimality(X, y, fit_intercept=False)
    assert (found.lower, found.upper) == (3, 3), "a tie is predicted as a no"
