"""The conventions of scikit-learn, and what SoftMarginPerceptron promises beyond them."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Reason, SoftMarginPerceptron, load_model, margin, save_model, soft_margin_path
from rosenblatt.errors import CertificateError, DataError, LedgerError, OptionError


@parametrize_with_checks([SoftMarginPerceptron(), SoftMarginPerceptron(C=10.0, normalize=True)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture
def noisy(rng):
    X = rng.normal(size=(300, 5))
    return X, np.where(X @ rng.normal(size=5) + rng.normal(size=300) > 0.2, "yes", "no")


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_it_has_the_rule_of_liblinear_and_says_how_good_it_is(noisy, C, fit_intercept):
    X, y = noisy
    rule = SoftMarginPerceptron(C=C, fit_intercept=fit_intercept).fit(X, y)
    peer = LinearSVC(loss="squared_hinge", C=C / 2, dual=False, tol=1e-12, fit_intercept=fit_intercept).fit(X, y)
    np.testing.assert_allclose(rule.coef_, peer.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(rule.intercept_, np.atleast_1d(peer.intercept_), rtol=1e-5, atol=1e-7)
    assert rule.stop_reason_ is Reason.SOLVED
    assert rule.dual_objective_ <= rule.objective_
    assert rule.objective_ - rule.dual_objective_ <= rule.gap_ <= 1e-9 * rule.objective_
    assert rule.certificate_.verify(X, y) == rule.certificate_.statement
    within = np.where(y == "yes", 1, -1) * rule.decision_function(X) < 1
    assert rule.support_.tolist() == np.flatnonzero(within).tolist()
    assert (rule.predict(X) == np.where(rule.decision_function(X) > 0, "yes", "no")).all()


def test_a_certificate_is_about_the_weights_of_rows_and_classes(noisy):
    X, y = noisy
    weights = np.arange(300) % 4 / 2
    rule = SoftMarginPerceptron(class_weight={"no": 3.0}).fit(X, y, weights)
    counted = weights * np.where(y == "no", 3.0, 1.0)
    assert rule.certificate_.verify(X, y, counted) == rule.certificate_.statement
    with pytest.raises(CertificateError, match=r"objective is above|do not prove"):
        rule.certificate_.verify(X, y, weights)
    balanced = SoftMarginPerceptron(class_weight="balanced").fit(X, y)
    factors = {label: 300 / (2 * (y == label).sum()) for label in ("no", "yes")}
    assert balanced.certificate_.verify(X, y, [factors[label] for label in y])


def test_several_classes_have_a_rule_and_a_certificate_each():
    X, y = load_iris(return_X_y=True)
    rule = SoftMarginPerceptron().fit(X, y)
    assert (rule.predict(X) == rule.decision_function(X).argmax(axis=1)).all()
    assert (rule.predict(X) == y).mean() > 0.9
    assert len(rule.objective_) == len(rule.gap_) == len(rule.support_) == 3
    for label, proof in enumerate(rule.certificate_):
        assert proof.verify(X, y == label) == proof.statement
        alone = SoftMarginPerceptron().fit(X, y == label)
        assert proof.upper == pytest.approx(alone.objective_, rel=1e-8)


def test_rows_of_length_1_are_those_that_it_is_about(noisy):
    X, y = noisy
    rule = SoftMarginPerceptron(normalize=True).fit(X, y)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert rule.objective_ == pytest.approx(SoftMarginPerceptron().fit(unit, y).objective_, rel=1e-8)
    assert (rule.predict(7 * X) == rule.predict(X)).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64, sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_any_storage_has_the_same_rule(noisy, kind):
    X, y = noisy
    X = X.astype(np.float32).astype(float)
    plain, other = SoftMarginPerceptron().fit(X, y), SoftMarginPerceptron().fit(kind(X), y)
    np.testing.assert_allclose(plain.weights_, other.weights_, rtol=1e-9)


def test_a_budget_that_is_spent_is_told_of(rng):
    X = rng.normal(size=(200, 5))
    y = X @ rng.normal(size=5) > 0
    with pytest.warns(ConvergenceWarning, match="budget of passes was spent. Other weights may have an objective"):
        rule = SoftMarginPerceptron(C=1e3, max_passes=1).fit(X, y)
    assert rule.stop_reason_ is Reason.MAX_PASSES
    assert rule.n_passes_ <= 2
    assert rule.certificate_.verify(X, y)
    with pytest.warns(ConvergenceWarning, match="The time was up"):
        SoftMarginPerceptron(C=1e3, max_seconds=1e-9).fit(X, y)


def test_large_costs_are_proved_by_multipliers(rng):
    X = rng.normal(size=(100, 3))
    y = X @ rng.normal(size=3) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rule = SoftMarginPerceptron(C=1e13).fit(X, y)
    assert rule.stop_reason_ is Reason.SOLVED
    assert rule.certificate_.multipliers
    assert 1 / np.sqrt(2 * rule.objective_) == pytest.approx(margin(X, y).lower, rel=1e-6)


def test_it_comes_back_from_a_pickle_and_a_file(noisy, tmp_path):
    X, y = noisy
    rule = SoftMarginPerceptron(C=3.0).fit(X, y)
    save_model(rule, tmp_path / "m.json")
    for again in (pickle.loads(pickle.dumps(rule)), load_model(tmp_path / "m.json")):
        assert again.decision_function(X).tobytes() == rule.decision_function(X).tobytes()
        assert again.certificate_ == rule.certificate_
        assert again.gap_ == rule.gap_
        assert (again.n_updates_, again.n_passes_) == (rule.n_updates_, rule.n_passes_)


def test_other_weights_have_no_certificate_until_they_are_compared(noisy):
    X, y = noisy
    rule = SoftMarginPerceptron().fit(X, y)
    learned, proof = rule.weights_, rule.certificate_
    rule.replace_weights(np.round(learned, 3))
    assert rule.certificate_ is None
    assert rule.run_certificates() == [None]
    assert not hasattr(rule, "gap_")
    rule.recount(rule.examples_of(X, y))
    assert rule.certificate_.verify(X, y) == rule.certificate_.statement
    assert rule.certificate_.lower == pytest.approx(proof.lower, rel=1e-9)
    assert 1e-9 * rule.objective_ < rule.gap_ < 1e-3 * rule.objective_
    rule.replace_weights(learned)
    assert rule.certificate_ == proof
    several = SoftMarginPerceptron().fit(*load_iris(return_X_y=True))
    several.replace_weights(np.ones((3, 5)))
    assert several.certificate_ == [None] * 3
    assert not hasattr(several, "objective_")


def test_weights_are_compared_by_multipliers_too(rng):
    X = rng.normal(size=(100, 3))
    y = X @ rng.normal(size=3) > 0
    rule = SoftMarginPerceptron(C=1e13).fit(X, y)
    rule.replace_weights(rule.weights_ * (1 + 1e-9))
    rule.recount(rule.examples_of(X, y))
    assert rule.certificate_.multipliers
    assert rule.certificate_.verify(X, y) == rule.certificate_.statement


def test_there_is_no_ledger_to_replay(noisy):
    X, y = noisy
    rule = SoftMarginPerceptron().fit(X, y)
    assert rule.n_updates_ > 0
    with pytest.raises(LedgerError, match="a soft margin has no ledger"):
        rule.replay(X, y)


def test_odd_options_and_rows_are_refused(noisy):
    X, y = noisy
    for options, told in (({"C": 0}, "C must be"), ({"tol": 1.0}, "tol must be"), ({"tol": 0.0}, "tol must be")):
        with pytest.raises(OptionError, match=told):
            SoftMarginPerceptron(**options).fit(X, y)
    with pytest.raises(DataError, match="the soft margin's sums would overflow"):
        SoftMarginPerceptron().fit(X * 1e150, y)


def test_a_path_has_the_objectives_of_the_rules(noisy):
    X, y = noisy
    for proof in soft_margin_path(X, y, [0.1, 10.0]).certificates:
        assert proof.upper == pytest.approx(SoftMarginPerceptron(C=proof.C).fit(X, y).objective_, rel=2e-9)


def test_a_class_that_no_row_counts_of_is_never_predicted(noisy):
    X, y = noisy
    rule = SoftMarginPerceptron().fit(X, y, (y == "yes").astype(float))
    assert rule.stop_reason_ is Reason.ABSENT
    assert rule.certificate_ is None
    assert (rule.predict(100 * X) == "yes").all()
    assert SoftMarginPerceptron(fit_intercept=False).fit(X, y, (y == "yes").astype(float)).certificate_ is not None
