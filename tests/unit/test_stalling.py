"""The default budget of passes: it ends where more passes do not help, and never where rows are separable."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer

import cases
from rosenblatt import Perceptron, separability
from rosenblatt.learn.choices import Budget, Order, Reason
from rosenblatt.learn.pla import pla, stalling
from rosenblatt.learn.pla.stalling import Stall
from rosenblatt.rows.examples import Examples

pytestmark = pytest.mark.filterwarnings("ignore")


def overlapping(rng, n=400, d=4):
    X = rng.normal(size=(n, d))
    return X, (X @ np.arange(1.0, d + 1.0) > 0.5) ^ (rng.random(n) < 0.1)


@pytest.mark.parametrize("order", ["active", "cyclic"])
@pytest.mark.parametrize("n", [400, pytest.param(11_000, marks=pytest.mark.large)])
def test_overlapping_classes_end_early_with_a_proof_and_a_better_rule(order, n, rng):
    X, y = overlapping(rng, n)
    rule, all_passes = Perceptron(order=order).fit(X, y), Perceptron(order=order, max_passes=1000).fit(X, y)
    assert rule.stop_reason_ is Reason.STALLED
    assert rule.n_examples_seen_ < all_passes.n_examples_seen_ / 3
    assert rule.certificate_.verify(X, y)
    assert rule.score(X, y) >= all_passes.score(X, y)
    assert rule.score(X, y) > 0.8
    examples = Examples.of(X, y)
    assert (rule.ledger_.replay(examples) == rule.weights_[0]).all()
    assert rule.n_updates_ == len(rule.ledger_)
    assert rule.ledger_.pass_ends.max(initial=0) <= rule.n_updates_
    assert rule.n_passes_ == rule.ledger_.n_passes


def test_storage_and_weights_do_not_matter(rng):
    X, y = overlapping(rng)
    dense, sparse = Perceptron().fit(X, y), Perceptron().fit(sp.csr_array(X), y)
    assert dense.stop_reason_ is Reason.STALLED
    assert dense.weights_.tobytes() == sparse.weights_.tobytes()
    many = rng.integers(0, 3, size=len(y))
    weighted, copied = Perceptron().fit(X, y, many), Perceptron().fit(np.repeat(X, many, axis=0), np.repeat(y, many))
    assert weighted.stop_reason_ is copied.stop_reason_ is Reason.STALLED
    assert weighted.certificate_ is None  # it would count rows that are left out


@pytest.mark.parametrize("passes", [1, 40, 100, 1000])
def test_a_number_of_passes_is_just_that(passes, rng):
    rule = Perceptron(max_passes=passes, order="cyclic").fit(*overlapping(rng))
    assert rule.stop_reason_ is Reason.MAX_PASSES
    assert rule.n_passes_ == passes


@pytest.mark.parametrize("angle", [0.3, 0.1, 0.05, 0.04])
def test_separable_rows_whose_passes_look_stalled_go_on(angle):
    """Two rows nearly opposite: every pass corrects both, for about 1 / angle^2 updates, and then none."""
    X, y = np.array([[1.0, 0.0], [1.0, -angle]]), np.array([1, 0])
    rule = Perceptron(fit_intercept=False).fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert rule.n_passes_ > 1.0 / angle


@pytest.mark.parametrize("margin", [0.05, 0.005, 0.0005])
@pytest.mark.parametrize("d", [2, 10])
def test_separable_rows_end_as_with_all_passes(margin, d, rng):
    X = rng.normal(size=(300, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u = np.eye(d)[0]
    X = X[np.abs(X @ u) > margin]
    y = X @ u > 0
    rule, all_passes = Perceptron().fit(X, y), Perceptron(max_passes=1000).fit(X, y)
    assert rule.stop_reason_ is all_passes.stop_reason_
    assert rule.weights_.tobytes() == all_passes.weights_.tobytes()


@pytest.mark.large
def test_a_tiny_margin_on_real_rows():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert separability(X, y).separable
    rule = Perceptron().fit(X, y)
    assert rule.stop_reason_ in (Reason.SEPARATED, Reason.MAX_PASSES)  # never the third


def run_of(examples, refuted, **options):
    asked = []

    def ask():
        asked.append(True)
        return refuted

    budget = Budget(max_passes=1000)
    start = np.zeros(examples.size)
    run = pla.learn(examples, start, order=Order.CYCLIC, budget=budget, stall=Stall(ask), **options)
    return run, len(asked)


def test_the_proof_is_asked_for_once_and_decides(rng):
    examples = Examples.of(*overlapping(rng))
    proved, asked = run_of(examples, True)
    assert (proved.reason, asked) == (Reason.STALLED, 1)
    separable, asked = run_of(examples, False)
    assert (separable.reason, asked) == (Reason.MAX_PASSES, 1)
    unknown, asked = run_of(examples, None)
    assert asked == 1
    assert proved.examples_seen < 200 * examples.n
    if unknown.reason is Reason.STALLED:
        assert unknown.examples_seen >= stalling.UNPROVED * examples.n


def test_an_interruption_among_the_last_passes_loses_nothing(rng):
    examples = Examples.of(*overlapping(rng))
    calls: list[bool] = []
    whole, _ = run_of(examples, True, interrupted=lambda: calls.append(True))
    for most in (len(calls) - 1, len(calls) - 20):
        left = iter(range(most))
        run, _ = run_of(examples, True, interrupted=lambda left=left: next(left, None) is None)
        assert run.reason is Reason.INTERRUPTED
        assert run.ledger.replay(examples).tobytes() == run.weights.tobytes()
    assert whole.reason is Reason.STALLED


def test_the_warning_tells_the_proof(rng):
    X, y = overlapping(rng)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        Perceptron().fit(X, y)
    assert "hardly reduced the number of corrections" in str(told[0].message)
    assert "contradict each other" in str(told[0].message)


def test_the_cases_of_the_other_tests_have_no_stall(rng):
    X, y = overlapping(rng)
    run, _ = cases.learn(X, y, "cyclic", max_passes=300)
    assert run.reason is Reason.MAX_PASSES


class TestSeveralClasses:
    def three(self, rng, n=400, noise=0.1):
        X = rng.normal(size=(n, 3))
        return X, np.where(rng.random(n) < noise, rng.integers(3, size=n), np.argmax(X, axis=1))

    @pytest.mark.parametrize("order", ["active", "cyclic"])
    def test_end_early_with_a_proof_and_a_better_rule(self, order, rng):
        X, y = self.three(rng)
        rule, all_passes = Perceptron(order=order).fit(X, y), Perceptron(order=order, max_passes=1000).fit(X, y)
        assert rule.stop_reason_ is Reason.STALLED
        assert rule.n_examples_seen_ < all_passes.n_examples_seen_ / 2
        assert rule.certificate_.verify(X, y)
        assert rule.score(X, y) >= all_passes.score(X, y)
        assert rule.replay(X, y).tobytes() == rule.weights_.tobytes()
        assert rule.ledger_.rivals.size == rule.n_updates_ == len(rule.ledger_)
        assert rule.n_passes_ == rule.ledger_.n_passes

    def test_separable_rows_end_as_with_all_passes(self, rng):
        X, y = self.three(rng, noise=0.0)
        rule, all_passes = Perceptron().fit(X, y), Perceptron(max_passes=1000).fit(X, y)
        assert rule.stop_reason_ is all_passes.stop_reason_ is Reason.SEPARATED
        assert rule.weights_.tobytes() == all_passes.weights_.tobytes()

    def test_rows_of_no_weight_do_not_count(self, rng):
        X, y = self.three(rng)
        many = rng.integers(0, 3, size=len(y))
        weighted, copied = (
            Perceptron().fit(X, y, many),
            Perceptron().fit(np.repeat(X, many, axis=0), np.repeat(y, many)),
        )
        assert weighted.stop_reason_ is copied.stop_reason_ is Reason.STALLED
        assert weighted.certificate_ is None

    def test_a_number_of_passes_is_just_that(self, rng):
        rule = Perceptron(max_passes=300, order="cyclic").fit(*self.three(rng))
        assert (rule.stop_reason_, rule.n_passes_) == (Reason.MAX_PASSES, 300)


def test_sorted_rows_are_learned_as_well_as_others(rng):
    X = rng.normal(size=(600, 6)) + 3.0
    score = X @ rng.normal(size=6) + rng.normal(size=600)
    y = score > np.median(score)
    in_order = np.argsort(y, kind="stable")
    mixed, in_classes = Perceptron().fit(X, y), Perceptron().fit(X[in_order], y[in_order])
    assert in_classes.score(X, y) > mixed.score(X, y) - 0.05


def test_the_warning_counts_the_rows_that_count(rng):
    X, y = overlapping(rng)
    weights = np.arange(len(y)) % 3 > 0
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rule = Perceptron().fit(X, y, weights)
    wrong, counted = int(((rule.predict(X) != y) & weights).sum()), int(weights.sum())
    text = str(told[-1].message)
    assert f" {wrong} of {counted} rows are wrong " in text
    assert text.endswith(" No rule is right on every row that counts.")
