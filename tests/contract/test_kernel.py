"""The conventions of scikit-learn, and what KernelPerceptron promises beyond them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Examples, KernelPerceptron, Perceptron, Reason
from rosenblatt.errors import DataError, OptionError

ORDER_DEPENDENT = (
    "the check reorders rows, and the algorithm depends on their order by definition; "
    "tests/oracle/test_kernel.py proves that weight k is k adjacent copies and 0 is absence, bit for bit"
)

SEPARATED = (
    "the rule follows the training rows, whatever their weights, as the kernel can separate them; "
    "test_class_weights_are_sample_weights proves what class weights are"
)
NO_MATRIX = "the check predicts a table that is not a kernel matrix, which is refused for its number of columns"


def expected_failures(estimator):
    failures = {
        "check_sample_weight_equivalence_on_dense_data": ORDER_DEPENDENT,
        "check_sample_weight_equivalence_on_sparse_data": ORDER_DEPENDENT,
    }
    if estimator.kernel != "poly":
        failures["check_class_weight_classifiers"] = SEPARATED
    if estimator.kernel == "precomputed":
        failures["check_estimators_nan_inf"] = NO_MATRIX
    return failures


@parametrize_with_checks(
    [
        KernelPerceptron(),
        KernelPerceptron(kernel="poly", degree=2, order="cyclic", average=True, max_passes=100),
        KernelPerceptron(budget=100, max_passes=20, random_state=0),
        KernelPerceptron(kernel="precomputed", max_passes=100),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def rings(rng, n=200, noise=0.05):
    angle, outside = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    radius = np.where(outside, 1.0, 0.5) + noise * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.where(outside, "yes", "no")


@pytest.mark.parametrize("order", ["active", "cyclic"])
def test_it_separates_and_says_so(order, rng):
    X, y = rings(rng)
    rule = KernelPerceptron(order=order).fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert (rule.predict(X) == y).all()
    assert rule.n_updates_ == len(rule.ledger_) == np.abs(rule.dual_coef_).sum()
    assert rule.n_passes_ == rule.ledger_.n_passes
    assert rule.n_examples_seen_ >= rule.n_passes_ * len(X)
    assert rule.support_.tolist() == np.unique(rule.ledger_.rows).tolist()
    assert rule.support_vectors_.tolist() == X[rule.support_].tolist()
    scores = rbf_kernel(X, rule.support_vectors_, gamma=rule.gamma_) @ rule.dual_coef_[0]
    assert rule.decision_function(X) == pytest.approx(scores)


def test_the_linear_kernel_is_the_perceptron(rng, no_convergence_warning):
    X = rng.integers(-4, 5, size=(80, 3)).astype(float)
    y = np.where(X @ [1, -2, 1] > 0, 1, 0)
    for bias in (True, False):
        plain = Perceptron(order="cyclic", fit_intercept=bias, bias_scale=2.0, max_passes=30)
        rule = KernelPerceptron(kernel="linear", order="cyclic", fit_intercept=bias, bias_scale=2.0, max_passes=30)
        plain.fit(X, y)
        rule.fit(X, y)
        assert rule.ledger_.rows.tolist() == plain.ledger_.rows.tolist()
        assert (rule.dual_coef_ @ rule.support_vectors_).tolist() == plain.coef_.tolist()
        assert rule.intercept_.tolist() == plain.intercept_.tolist()
        assert rule.decision_function(X).tolist() == plain.decision_function(X).tolist()
        examples = Examples.of(X, y, fit_intercept=bias, bias_scale=2.0)
        assert rule.ledger_.replay(examples).tolist() == plain.weights_[0].tolist()


def test_precomputed_and_callable_kernels(rng):
    X, y = rings(rng, 120)
    T, _ = rings(rng, 50)
    named = KernelPerceptron(gamma=0.5).fit(X, y)
    function = KernelPerceptron(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.5)).fit(X, y)
    given = KernelPerceptron(kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), y)
    assert given.support_vectors_ is None
    for other, tested in ((function, T), (given, rbf_kernel(T, X, gamma=0.5))):
        assert other.ledger_.rows.tolist() == named.ledger_.rows.tolist()
        assert other.predict(tested).tolist() == named.predict(T).tolist()
    assert cross_val_score(given, rbf_kernel(X, gamma=0.5), y, cv=3).mean() > 0.9
    with pytest.raises(DataError, match="120 rows and 50 columns"):
        given.fit(rbf_kernel(X, T), y)


def test_a_function_must_give_a_number_for_every_pair(rng):
    X, y = rings(rng, 20)
    with pytest.raises(DataError, match="has the shape"):
        KernelPerceptron(kernel=lambda a, b: np.ones(3)).fit(X, y)
    with pytest.raises(DataError, match="kernel is nan"):
        KernelPerceptron(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X, y)


@pytest.mark.parametrize("sizes", [[1] * 60, [60], [7, 13, 40], [59, 1]])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"budget": 6, "random_state": 3}, {"average": True}, {"fit_intercept": True}])
def test_any_chunks_of_a_stream_give_the_same_bits(sizes, classes, options, rng):
    X = np.round(rng.normal(size=(60, 3)), 1) * (rng.random((60, 3)) < 0.7)
    y = rng.integers(classes, size=60)
    w = rng.integers(0, 3, size=60) + rng.choice([0.0, 0.5], size=60)
    whole = KernelPerceptron(**options).partial_fit(X, y, classes=range(classes), sample_weight=w)
    parts, at = KernelPerceptron(**options), 0
    for size in sizes:
        piece = slice(at, at + size)
        held = sp.csr_array(X[piece]) if at % 2 else X[piece]
        parts.partial_fit(held, y[piece], classes=range(classes), sample_weight=w[piece])
        at += size
    assert parts.dual_coef_.tobytes() == whole.dual_coef_.tobytes()
    assert parts.support_.tolist() == whole.support_.tolist()
    assert parts.n_updates_ == whole.n_updates_
    assert parts.n_examples_seen_ == whole.n_examples_seen_
    assert parts.stop_reason_ is Reason.STREAM
    if classes == 2:
        assert parts.ledger_.rows.tolist() == whole.ledger_.rows.tolist()
        assert parts.forgotten_.tolist() == whole.forgotten_.tolist()


def test_a_stream_goes_on_after_fit(rng, no_convergence_warning):
    X, y = rng.normal(size=(50, 3)), rng.integers(2, size=50)
    for options in ({}, {"average": True}, {"budget": 10, "random_state": 1}):
        rule = KernelPerceptron(order="cyclic", max_passes=1, **options).fit(X, y)
        stream = KernelPerceptron(**options).partial_fit(X, y, classes=[0, 1])
        assert stream.dual_coef_.tobytes() == rule.dual_coef_.tobytes()
        rule.partial_fit(X[:20] + 0.5, y[:20])
        stream.partial_fit(X[:20] + 0.5, y[:20])
        assert stream.dual_coef_.tobytes() == rule.dual_coef_.tobytes()
        assert rule.support_.max() < 70
        assert rule.ledger_.n_rows == 70


def test_streams_refuse_what_does_not_fit(rng):
    X, y = rng.normal(size=(4, 2)), [0, 1, 0, 1]
    with pytest.raises(OptionError, match="must be given all classes"):
        KernelPerceptron().partial_fit(X, y)
    assert not hasattr(KernelPerceptron(kernel="precomputed"), "partial_fit")
    with pytest.raises(OptionError, match="gamma='scale'"):
        KernelPerceptron(gamma="scale").partial_fit(X, y, classes=[0, 1])
    rule = KernelPerceptron().partial_fit(X, y, classes=[0, 1])
    before = rule.dual_coef_.copy()
    with pytest.raises(DataError, match="row 1, column 0"):
        rule.partial_fit([[1.0, 2.0], [np.nan, 1.0]], [0, 1])
    with pytest.raises(DataError, match="row 2: the label 7 is not among"):
        rule.partial_fit(X, [0, 1, 7, 1])
    assert rule.dual_coef_.tobytes() == before.tobytes()


def test_a_budget_bounds_the_support(rng, no_convergence_warning):
    X, y = rng.normal(size=(300, 4)), rng.integers(2, size=300)
    rule = KernelPerceptron(budget=25, max_passes=3, random_state=0).fit(X, y)
    again = clone(rule).fit(X, y)
    assert rule.support_.size <= np.abs(rule.dual_coef_).sum() == 25
    assert rule.forgotten_.size == rule.n_updates_ - 25
    assert again.dual_coef_.tobytes() == rule.dual_coef_.tobytes()
    made, taken = np.bincount(rule.ledger_.rows, minlength=300), np.bincount(rule.forgotten_, minlength=300)
    assert (made - taken)[rule.support_].tolist() == np.abs(rule.dual_coef_[0]).tolist()


def test_three_classes_are_learned_one_against_the_rest(rng):
    X = rng.normal(size=(90, 2)) * 0.3 + np.repeat([[0, 4], [4, 0], [-4, -4]], 30, axis=0)
    y = np.repeat(["a", "b", "c"], 30)
    rule = KernelPerceptron().fit(X, y)
    assert (rule.predict(X) == y).all()
    assert rule.decision_function(X).shape == (90, 3)
    for k, label in enumerate("abc"):
        alone = KernelPerceptron().fit(X, y == label)
        own = rule.dual_coef_[k] != 0
        assert alone.dual_coef_[0].tolist() == rule.dual_coef_[k, own].tolist()
        assert alone.support_.tolist() == rule.support_[own].tolist()


def test_gamma_as_scikit_learn_scales_it(rng):
    X, y = rings(rng)
    assert KernelPerceptron(gamma="scale").fit(X, y).gamma_ == pytest.approx(1 / (2 * X.var()))
    assert KernelPerceptron(gamma="scale").fit(sp.csr_array(X), y).gamma_ == pytest.approx(1 / (2 * X.var()))
    assert KernelPerceptron().fit(X, y).gamma_ == 0.5
    assert KernelPerceptron(kernel="chi2").fit(np.abs(X), y).gamma_ == 1.0


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "cosine", "sigmoid", "laplacian"])
def test_dense_and_sparse_give_the_same_bits(kernel, rng, no_convergence_warning):
    X, y = rng.normal(size=(60, 6)) * (rng.random((60, 6)) < 0.5), rng.integers(2, size=60)
    a, b = (KernelPerceptron(kernel=kernel, max_passes=10).fit(held, y) for held in (X, sp.csr_array(X)))
    assert a.dual_coef_.tobytes() == b.dual_coef_.tobytes()
    assert a.ledger_.rows.tolist() == b.ledger_.rows.tolist()
    assert a.decision_function(X).tobytes() == b.decision_function(X).tobytes()


def test_averages_are_means_over_looks(rng, no_convergence_warning):
    X, y = rings(rng, 2000, noise=0.2)
    plain = KernelPerceptron(order="cyclic", max_passes=3).fit(X[:1000], y[:1000])
    mean = KernelPerceptron(order="cyclic", max_passes=3, average=True).fit(X[:1000], y[:1000])
    assert mean.weights_.tobytes() == plain.weights_.tobytes()
    assert mean.score(X[1000:], y[1000:]) >= plain.score(X[1000:], y[1000:])


def test_a_run_that_is_not_clean_warns_why_and_what_to_try():
    with pytest.warns(ConvergenceWarning, match="budget of passes was spent.*1 of 2 rows are wrong.*a larger gamma"):
        rule = KernelPerceptron(max_passes=5).fit([[0.1], [0.1]], [0, 1])
    assert rule.stop_reason_ is Reason.MAX_PASSES
    with pytest.warns(ConvergenceWarning):
        rule = KernelPerceptron(max_updates=3).fit([[0.1], [0.1]], [0, 1])
    assert (rule.stop_reason_, rule.n_updates_) == (Reason.MAX_UPDATES, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "best"}, "kernel must be"),
        ({"gamma": 0}, "gamma must be"),
        ({"gamma": "auto"}, "gamma must be"),
        ({"degree": np.nan}, "degree"),
        ({"coef0": "one"}, "coef0"),
        ({"order": "random"}, "order must be one of 'active', 'cyclic'"),
        ({"budget": 0}, "budget"),
        ({"budget": 2.5}, "budget"),
        ({"budget": 5, "average": True}, "average=True needs all"),
        ({"cache_mb": 0}, "cache_mb"),
        ({"bias_scale": "auto"}, "bias_scale"),
        ({"bias_scale": 0}, "bias_scale"),
        ({"max_passes": 0}, "max_passes"),
    ],
)
def test_bad_options_are_refused_when_fitting(options, message):
    with pytest.raises(OptionError, match=message):
        KernelPerceptron(**options).fit([[0.0], [1.0]], [0, 1])


def test_bad_input_is_refused(rng):
    X, y = rings(rng, 20)
    broken = pd.DataFrame(X, columns=["age", "income"])
    broken.loc[7, "income"] = np.nan
    with pytest.raises(DataError, match="row 7, column 'income'"):
        KernelPerceptron().fit(broken, y)
    with pytest.raises(DataError, match="one class only"):
        KernelPerceptron().fit(X, ["a"] * 20)
    with pytest.raises(DataError, match=r"kernel is inf.*scale the columns"):
        KernelPerceptron(kernel="poly").fit(X * 1e200, y)
    with pytest.raises(OptionError, match="dense table"):
        KernelPerceptron(kernel="chi2").fit(sp.csr_array(np.abs(X)), y)
    with pytest.raises(NotFittedError):
        KernelPerceptron().predict(X)
    with pytest.raises(ValueError, match="expecting 2 features"):
        KernelPerceptron().fit(X, y).predict(X[:, :1])


def test_class_weights_are_sample_weights(rng, no_convergence_warning):
    X, y = rings(rng, 40, noise=0.3)
    a = KernelPerceptron(class_weight={"yes": 2, "no": 1.5}, max_passes=9, gamma=9.0).fit(X, y)
    b = KernelPerceptron(max_passes=9, gamma=9.0).fit(X, y, sample_weight=np.where(y == "yes", 2, 1.5))
    assert a.dual_coef_.tobytes() == b.dual_coef_.tobytes()


def test_decisions_have_the_exact_sign():
    with pytest.warns(ConvergenceWarning):
        rule = KernelPerceptron(kernel="precomputed", order="cyclic", max_passes=1).fit(np.zeros((3, 3)), [1, 0, 1])
    assert rule.dual_coef_.tolist() == [[1.0, -1.0, 1.0]]
    near = np.array([[1e16, -1.0, -1e16], [1e16, 1.0, -1e16], [1e16, 0.0, -1e16]])
    assert np.sign(rule.decision_function(near)).tolist() == [1, -1, 0]
    assert rule.predict(near).tolist() == [1, 0, 0]


def test_prediction_goes_in_blocks(rng, monkeypatch):
    from rosenblatt.rules import kernel

    X, y = rings(rng)
    rule = KernelPerceptron().fit(X, y)
    expected = rule.decision_function(X)
    monkeypatch.setattr(kernel, "NUMBERS_AT_ONCE", 3 * rule.support_.size)
    assert rule.decision_function(X).tobytes() == expected.tobytes()


def test_clone_and_pickle(rng):
    X, y = rings(rng)
    rule = KernelPerceptron().fit(X, y)
    again, back = clone(rule).fit(X, y), pickle.loads(pickle.dumps(rule))
    for other in (again, back):
        assert other.decision_function(X).tobytes() == rule.decision_function(X).tobytes()
        assert other.n_updates_ == rule.n_updates_
    assert again.ledger_.rows.tolist() == rule.ledger_.rows.tolist()
    rule.set_params(kernel="linear", fit_intercept=True)
    assert rule.decision_function(X).tobytes() == back.decision_function(X).tobytes()


def test_a_failed_fit_leaves_the_last_one_as_it_was(rng):
    X, y = rings(rng)
    rule = KernelPerceptron().fit(X, y)
    with pytest.raises(DataError, match="row 0: the weight"):
        rule.fit(X, y, sample_weight=-np.ones(len(X)))
    assert (rule.predict(X) == y).all()


def test_sparse_indices_of_64_bits_are_taken():
    X = sp.csr_array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    long = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)
    for kernel in ("laplacian", "rbf"):
        rule = KernelPerceptron(kernel=kernel).fit(long, [0, 1, 0])
        assert rule.predict(long).tolist() == [0, 1, 0]


def test_progress_is_shown_on_standard_error(capsys, monkeypatch):
    from rosenblatt import progress

    clock = iter(range(0, 10**9, 3))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    with pytest.warns(ConvergenceWarning):
        KernelPerceptron(verbose=True, max_passes=50).fit([[1.0], [1.0]], [0, 1])
    captured = capsys.readouterr()
    assert "kernel perceptron" in captured.err
    assert captured.out == ""
