"""The conventions of scikit-learn, and what LiftedPerceptron promises beyond them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Examples, LiftedPerceptron, Reason
from rosenblatt.errors import DataError, OptionError

ORDER_DEPENDENT = (
    "the check reorders rows, and the algorithm depends on their order by definition; "
    "tests/oracle/test_lifted.py proves that weight k is k adjacent copies and 0 is absence, bit for bit"
)


@parametrize_with_checks(
    [LiftedPerceptron(), LiftedPerceptron(a=0.5, normalize=True)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": ORDER_DEPENDENT,
        "check_sample_weight_equivalence_on_sparse_data": ORDER_DEPENDENT,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def overlapping(rng, n=300, d=5, noise=0.1):
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) > 0.2, 1, 0)
    return X, np.where(np.where(rng.random(n) < noise, 1 - y, y), "yes", "no")


def test_it_ends_on_classes_that_overlap_and_says_what_is_left(rng):
    X, y = overlapping(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rule = LiftedPerceptron().fit(X, y)
    assert rule.stop_reason_ is Reason.LIFTED
    assert "lifted space" in str(rule.stop_reason_)
    assert rule.lifted_mistakes_ == 0
    assert 0 < rule.training_mistakes_ == (rule.predict(X) != y).sum() < 75
    assert rule.n_updates_ == len(rule.ledger_) <= rule.update_bound_
    assert rule.n_passes_ == rule.ledger_.n_passes
    assert rule.a_ == pytest.approx(1 / np.hypot(1, rule.lift_))
    assert rule.ledger_.replay(Examples.of(X, y)).tobytes() == rule.weights_[0].tobytes()


def test_separable_classes_may_end_with_a_rule_that_is_right(rng):
    X, y = overlapping(rng, noise=0)
    rule = LiftedPerceptron(a=0.9999).fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert (rule.predict(X) == y).all()


def test_an_allowance_for_noise_predicts_better_than_none(rng):
    X, y = overlapping(rng, n=4000, noise=0.1)
    X, y, later, truth = X[:2000], y[:2000], X[2000:], y[2000:]
    best = LiftedPerceptron().fit(X, y).score(later, truth)
    little = LiftedPerceptron(a=0.99, max_passes=20)
    with pytest.warns(ConvergenceWarning):
        little.fit(X, y)
    assert best > little.score(later, truth)


def test_dense_and_sparse_give_the_same_bits(rng):
    X, y = overlapping(rng)
    X[X < 0.5] = 0
    a, b = LiftedPerceptron().fit(X, y), LiftedPerceptron().fit(sp.csr_array(X), y)
    assert a.weights_.tobytes() == b.weights_.tobytes()
    assert (a.lift_, a.lifted_margin_, a.update_bound_) == (b.lift_, b.lifted_margin_, b.update_bound_)
    assert a.ledger_.rows.tolist() == b.ledger_.rows.tolist()


def test_three_classes_are_learned_one_against_the_rest(rng):
    X, y = rng.normal(size=(90, 2)) + np.repeat([[0, 3], [3, 0], [-3, -3]], 30, axis=0), np.repeat(["a", "b", "c"], 30)
    rule = LiftedPerceptron().fit(X, y)
    assert rule.coef_.shape == (3, 2)
    assert rule.lifted_mistakes_ == [0, 0, 0]
    assert rule.score(X, y) > 0.8
    for k, label in enumerate("abc"):
        alone = LiftedPerceptron().fit(X, y == label)
        assert alone.weights_[0].tobytes() == rule.weights_[k].tobytes()
        assert (alone.a_, alone.update_bound_) == (rule.a_[k], rule.update_bound_[k])


def test_budgets_are_kept_and_what_is_left_is_told(rng):
    X, y = overlapping(rng)
    with pytest.warns(
        ConvergenceWarning, match=r"budget of passes.*of 300 lifted rows are wrong \('yes' against 'no'\)"
    ):
        rule = LiftedPerceptron(a=0.9, max_passes=1).fit(X, y)
    assert (rule.stop_reason_, rule.n_passes_, rule.n_examples_seen_) == (Reason.MAX_PASSES, 1, 300)
    with pytest.warns(ConvergenceWarning):
        rule = LiftedPerceptron(a=0.9, max_updates=7).fit(X, y)
    assert (rule.stop_reason_, rule.n_updates_) == (Reason.MAX_UPDATES, 7)
    assert rule.lifted_mistakes_ > 0
    with pytest.warns(ConvergenceWarning):
        rule = LiftedPerceptron(a=0.9, max_seconds=1e-9).fit(X, y)
    assert rule.stop_reason_ is Reason.MAX_SECONDS


@pytest.mark.parametrize("balance", ["balanced", {"yes": 2, "no": 3}])
def test_class_weights_are_sample_weights(balance, rng):
    X, y = overlapping(rng, n=40)
    factors = {"yes": 2.0, "no": 3.0}
    if balance == "balanced":
        factors = {label: 40 / (2 * (y == label).sum()) for label in ("yes", "no")}
    a = LiftedPerceptron(class_weight=balance).fit(X, y)
    b = LiftedPerceptron().fit(X, y, sample_weight=[factors[label] for label in y])
    assert a.weights_.tobytes() == b.weights_.tobytes()
    assert a.lifted_mistakes_ == 0


@pytest.mark.parametrize("a", [0, 1, -0.5, 2, "good", None, True, np.nan])
def test_a_must_be_between_0_and_1(a):
    with pytest.raises(OptionError, match="a must be a number above 0 and below 1, or 'best'"):
        LiftedPerceptron(a=a).fit([[0.0], [1.0]], [0, 1])


def test_bad_input_is_refused(rng):
    X, y = overlapping(rng, n=20)
    broken = pd.DataFrame(X, columns=list("abcde"))
    broken.loc[7, "b"] = np.nan
    with pytest.raises(DataError, match="row 7, column 'b'"):
        LiftedPerceptron().fit(broken, y)
    with pytest.raises(DataError, match="row 0, column 0"):
        LiftedPerceptron().fit([[np.inf], [1.0]], [0, 1])
    with pytest.raises(DataError, match="one class only"):
        LiftedPerceptron().fit(X, ["a"] * 20)
    with pytest.raises(ValueError, match="0 sample"):
        LiftedPerceptron().fit(np.empty((0, 2)), [])
    with pytest.raises(DataError, match=r"copies of rows.*divide the weights"):
        LiftedPerceptron().fit(X, y, sample_weight=np.full(20, 1e12))
    with pytest.raises(NotFittedError):
        LiftedPerceptron().predict(X)
    with pytest.raises(OptionError, match="max_passes"):
        LiftedPerceptron(max_passes=0).fit(X, y)


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1e150, 1e300])
def test_rows_of_any_size_are_learned_alike(scale, rng):
    X, y = overlapping(rng, n=100)
    rule = LiftedPerceptron(fit_intercept=False).fit(X * scale, y)
    assert rule.lifted_mistakes_ == 0
    assert rule.n_updates_ <= rule.update_bound_
    assert rule.score(X * scale, y) > 0.7


def test_rows_of_zeros_are_lifted_too():
    rule = LiftedPerceptron(fit_intercept=False).fit([[0.0], [0.0]], [0, 1])
    assert rule.lifted_mistakes_ == 0
    assert rule.training_mistakes_ == 1, "a score of 0 is predicted as the first class"
    assert rule.n_updates_ <= rule.update_bound_


def test_clone_and_pickle(rng):
    X, y = overlapping(rng)
    rule = LiftedPerceptron(a=0.4).fit(X, y)
    again, back = clone(rule).fit(X, y), pickle.loads(pickle.dumps(rule))
    for other in (again, back):
        assert other.weights_.tobytes() == rule.weights_.tobytes()
        assert other.stop_reason_ is rule.stop_reason_


def test_progress_is_shown_on_standard_error(capsys, monkeypatch):
    from rosenblatt import progress

    clock = iter(range(0, 10**9, 3))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    LiftedPerceptron(verbose=True).fit([[1.0], [1.0]], [0, 1])
    captured = capsys.readouterr()
    assert "lifted perceptron" in captured.err
    assert captured.out == ""
