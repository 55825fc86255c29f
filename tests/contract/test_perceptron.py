"""The conventions of scikit-learn, and what Perceptron promises beyond them."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

import cases
from rosenblatt import Examples, Perceptron, Reason, bounds, margin
from rosenblatt.errors import DataError, OptionError

ORDER_DEPENDENT = (
    "the check reorders rows, and the algorithm depends on their order by definition; "
    "tests/oracle/test_agreement.py proves that weight k is k adjacent copies and 0 is absence, bit for bit"
)


@parametrize_with_checks(
    [
        Perceptron(),
        Perceptron(order="cyclic"),
        Perceptron(order="random", random_state=0),
        Perceptron(order="cyclic", normalize=True, max_passes=990),
    ],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": ORDER_DEPENDENT,
        "check_sample_weight_equivalence_on_sparse_data": ORDER_DEPENDENT,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_it_separates_and_says_so(rng):
    X, y = cases.separable_rows(rng)
    rule = Perceptron().fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert (rule.predict(X) == y).all()
    assert rule.score(X, y) == 1.0
    assert rule.n_updates_ == len(rule.ledger_)
    assert rule.n_passes_ == rule.ledger_.n_passes
    assert rule.n_examples_seen_ >= rule.n_passes_ * len(X)
    assert rule.threshold_ == -rule.intercept_
    assert ((X @ rule.coef_[0] > rule.threshold_) == (y == "yes")).all()
    assert rule.ledger_.replay(Examples.of(X, y)).tobytes() == rule.weights_[0].tobytes()
    assert rule.replay(X, y).tobytes() == rule.weights_.tobytes()


@given(cases.separable_tables(max_rows=25), st.booleans())
def test_cyclic_makes_the_updates_of_scikit_learns_perceptron(table, sparse):
    X, y, _ = table
    ours = Perceptron(order="cyclic", fit_intercept=False, max_passes=1000).fit(X, y)
    epochs = max(int(np.argmax(ours.ledger_.pass_ends == ours.n_updates_)) + 1, 1)
    peer = Peer(shuffle=False, tol=None, fit_intercept=False, max_iter=epochs)
    peer.fit(sp.csr_array(X) if sparse else X, y)
    assert ours.coef_.tolist() == peer.coef_.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_cyclic_agrees_with_scikit_learn_on_real_numbers(seed):
    rng = np.random.default_rng(seed)
    X, y = cases.separable_rows(rng)
    ours = Perceptron(order="cyclic", max_passes=1000).fit(X, y)
    epochs = int(np.argmax(ours.ledger_.pass_ends == ours.n_updates_)) + 1
    peer = Peer(shuffle=False, tol=None, max_iter=epochs).fit(X, y)
    assert ours.coef_.tolist() == peer.coef_.tolist()
    assert ours.intercept_.tolist() == peer.intercept_.tolist()


@pytest.mark.parametrize("sizes", [[1] * 60, [60], [7, 13, 40], [59, 1]])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_any_chunks_of_a_stream_give_the_same_bits(sizes, classes, container, rng):
    X = rng.normal(size=(60, 3))
    y = rng.integers(classes, size=60)
    w = rng.integers(0, 3, size=60) + rng.choice([0.0, 0.5], size=60)
    whole = Perceptron().partial_fit(X, y, classes=range(classes), sample_weight=w)
    parts, at = Perceptron(), 0
    for size in sizes:
        piece = slice(at, at + size)
        parts.partial_fit(container(X[piece]), y[piece], classes=range(classes), sample_weight=w[piece])
        at += size
    assert parts.weights_.tobytes() == whole.weights_.tobytes()
    assert parts.n_updates_ == whole.n_updates_
    assert parts.n_examples_seen_ == whole.n_examples_seen_
    assert parts.stop_reason_ is Reason.STREAM
    if classes == 2:
        examples = Examples.of(X, y, weights=w)
        assert parts.ledger_.replay(examples).tobytes() == parts.weights_[0].tobytes()


def test_one_pass_of_a_stream_is_one_cyclic_pass(rng, no_convergence_warning):
    X, y = rng.normal(size=(50, 3)), rng.integers(2, size=50)
    stream = Perceptron().partial_fit(X, y, classes=[0, 1])
    once = Perceptron(order="cyclic", max_passes=1).fit(X, y)
    assert stream.weights_.tobytes() == once.weights_.tobytes()


def test_a_stream_goes_on_after_fit(rng, no_convergence_warning):
    X, y = rng.normal(size=(50, 3)), rng.integers(2, size=50)
    rule = Perceptron(order="cyclic", max_passes=2).fit(X, y)
    before = rule.n_updates_
    rule.partial_fit(X, y)
    again = Perceptron(order="cyclic", max_passes=3).fit(X, y)
    assert rule.weights_.tobytes() == again.weights_.tobytes()
    assert rule.n_updates_ > before


def test_streams_refuse_what_does_not_fit(rng):
    X, y = rng.normal(size=(4, 2)), [0, 1, 0, 1]
    with pytest.raises(OptionError, match="must be given all classes"):
        Perceptron().partial_fit(X, y)
    with pytest.raises(OptionError, match="balanced"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    rule = Perceptron().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(OptionError, match="those of the first call"):
        rule.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(DataError, match="row 2: the label 7 is not among"):
        rule.partial_fit(X, [0, 1, 7, 1])
    before = rule.weights_.copy()
    with pytest.raises(DataError, match="row 1, column 0"):
        rule.partial_fit([[1.0, 2.0], [np.nan, 1.0]], [0, 1])
    assert rule.weights_.tobytes() == before.tobytes()


def test_three_classes_are_learned_one_against_the_rest(rng):
    X = rng.normal(size=(90, 2)) * 0.3 + np.repeat([[0, 4], [4, 0], [-4, -4]], 30, axis=0)
    y = np.repeat(["a", "b", "c"], 30)
    rule = Perceptron(multi_class="one-vs-rest").fit(X, y)
    assert (rule.predict(X) == y).all()
    assert rule.coef_.shape == (3, 2)
    assert rule.decision_function(X).shape == (90, 3)
    assert len(rule.ledger_) == 3
    for k, label in enumerate("abc"):
        alone = Perceptron().fit(X, y == label)
        assert alone.weights_[0].tobytes() == rule.weights_[k].tobytes()


def test_a_run_that_is_not_clean_warns_why_and_what_to_try():
    with pytest.warns(ConvergenceWarning, match="budget of passes was spent.*1 of 2 rows are wrong.*raise max_passes"):
        rule = Perceptron(max_passes=5).fit([[0.1], [0.1]], [0, 1])
    assert rule.stop_reason_ is Reason.MAX_PASSES
    assert rule.certificate_ is None  # the numbers are not whole, so the weights need not come back


def test_whole_weights_that_come_back_are_a_contradiction():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    for order in ("active", "cyclic", "random"):
        with pytest.warns(ConvergenceWarning, match="these . contradict each other"):
            rule = Perceptron(order=order, random_state=0).fit(X, y)
        assert "contradict" in rule.certificate_.verify(X, y)


def test_under_plus_only_a_contradiction_of_that_rule_is_one():
    X, y = [[1.0, 0.0], [-1.0, 0.0], [0.5, 1.0]], [1, 1, 0]  # PLA goes round for ever, though (0, -1) is right
    with pytest.warns(ConvergenceWarning, match="raise max_passes"):
        rule = Perceptron(ties="plus", fit_intercept=False, order="cyclic").fit(X, y)
    assert rule.certificate_ is None


def test_the_bound_refutes_a_margin(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    for start in ("zeros", "random"):
        with pytest.warns(ConvergenceWarning, match="The bound was reached: no rule"):
            rule = Perceptron(max_updates="bound", margin=0.1, max_passes=None, start=start, random_state=0).fit(X, y)
        assert rule.stop_reason_ is Reason.BOUND
        assert rule.certificate_.margin <= 0.1
        rule.certificate_.verify(X, y)
    assert bounds.halts_or_refutes(max(np.hypot(1, np.linalg.norm(X, axis=1))), 0.1) <= rule.n_updates_


def test_the_bound_is_no_hurdle_for_what_has_the_margin(rng):
    X, y = cases.separable_rows(rng)
    found = margin(X, y)
    rule = Perceptron(max_updates="bound", margin=found.lower, max_passes=None).fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert rule.certificate_ is None


def test_the_bound_needs_a_margin_and_whole_rows():
    with pytest.raises(OptionError, match="needs the margin"):
        Perceptron(max_updates="bound").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(OptionError, match="whole numbers"):
        Perceptron(max_updates="bound", margin=0.1).fit([[0.0], [1.0]], [0, 1], sample_weight=[0.5, 1])


def test_the_best_bias_scale_is_the_radius_and_saves_updates(rng):
    X, y = cases.separable_rows(rng)
    far = X + 5
    auto, plain = (
        Perceptron(bias_scale="auto", max_passes=None, order="cyclic").fit(far, y),
        Perceptron(max_passes=None, order="cyclic").fit(far, y),
    )
    assert (auto.predict(far) == y).all()
    assert auto.intercept_ / auto.weights_[:, -1] == pytest.approx(np.linalg.norm(far, axis=1).max())
    assert auto.n_updates_ < plain.n_updates_
    assert Perceptron(bias_scale="auto", fit_intercept=False).fit([[1.0], [-1.0]], [1, 0]).intercept_ == 0
    with pytest.raises(OptionError, match="needs all rows at once"):
        Perceptron(bias_scale="auto").partial_fit(X, y, classes=[0, 1])


def test_a_clean_run_does_not_warn(rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Perceptron().fit(*cases.separable_rows(rng))


def test_bias_scale_and_intercept(rng):
    X, y = cases.separable_rows(rng)
    rule = Perceptron(bias_scale=4.0).fit(X, y)
    assert rule.intercept_[0] == 4.0 * rule.weights_[0, -1]
    assert (rule.predict(X) == y).all()
    without = Perceptron(fit_intercept=False, max_passes=20)
    with pytest.warns(ConvergenceWarning):
        without.fit(X + 10, y)
    assert without.intercept_.tolist() == [0.0]


def test_normalize_predicts_on_normalized_rows(rng):
    X, y = cases.separable_rows(rng)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(unit @ rng.normal(size=5) > 0.05, 1, 0)
    rule = Perceptron(normalize=True).fit(X, y)
    assert (rule.predict(X) == y).all()
    assert (rule.predict(X * 1000) == y).all()
    assert rule.predict(np.zeros((1, 5))).shape == (1,)


@pytest.mark.parametrize(("ties", "label"), [("mistake", "a"), ("plus", "b"), ("correct", "a")])
def test_a_score_of_zero_is_predicted_as_documented(ties, label):
    rule = Perceptron(ties=ties, fit_intercept=False, start=[1.0]).fit([[1.0], [-1.0]], ["b", "a"])
    assert rule.decision_function([[0.0]]).tolist() == [0.0]
    assert rule.predict([[0.0]]).tolist() == [label]


def test_decisions_have_the_exact_sign():
    rule = Perceptron(fit_intercept=False, start=[1.0, 1.0, 1.0], max_passes=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        rule.fit([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [1, 0])
    assert rule.coef_.tolist() == [[1.0, 1.0, 1.0]]
    near = np.array([[1e16, 1.0, -1e16], [1e16, -1.0, -1e16], [1e16, 0.0, -1e16]])
    assert np.sign(rule.decision_function(near)).tolist() == [1, -1, 0]
    assert rule.predict(near).tolist() == [1, 0, 0]


def test_starts_for_several_rules(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    with pytest.raises(OptionError, match="weights for 2 rules, but 3"):
        Perceptron(start=np.zeros((2, 3)), multi_class="one-vs-rest").fit(X, y)
    with pytest.raises(OptionError, match="weights for 2 classes, but there are 3"):
        Perceptron(start=np.zeros((2, 3))).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        rule = Perceptron(start=np.ones((3, 3)), max_passes=3, multi_class="one-vs-rest").fit(X, y)
        joint = Perceptron(start=np.ones((3, 3)), max_passes=3).fit(X, y)
    assert rule.ledger_[2].start.tolist() == [1.0, 1.0, 1.0]
    assert joint.ledger_.start.tolist() == [1.0] * 9


def test_a_stream_that_fails_changes_nothing():
    rule = Perceptron(fit_intercept=False).partial_fit(np.eye(200), np.arange(200) % 2, classes=[0, 1])
    before, made = rule.weights_.copy(), len(rule.ledger_)
    with pytest.raises(DataError, match="overflow"):
        rule.partial_fit(np.eye(200) * 1e306, (np.arange(200) + 1) % 2)
    assert rule.weights_.tobytes() == before.tobytes()
    assert len(rule.ledger_) == made
    assert rule.ledger_.n_rows == 200
