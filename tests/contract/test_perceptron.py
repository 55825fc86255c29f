"""The conventions of scikit-learn, and what Perceptron promises beyond them."""

import pickle
import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Perceptron as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

import cases
from rosenblatt import Examples, Perceptron, Reason, bounds, margin
from rosenblatt.errors import DataError, LedgerError, OptionError

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


def separable(rng, n=300, d=5):
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) > 0.2, "yes", "no")


def test_it_separates_and_says_so(rng):
    X, y = separable(rng)
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
    X, y = separable(rng)
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
    X, y = separable(rng)
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
    X, y = separable(rng)
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
        Perceptron().fit(*separable(rng))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(frame, rng):
    X, y = separable(rng, d=2)
    table = frame({"age": X[:, 0], "income": X[:, 1]})
    rule = Perceptron().fit(table, y)
    assert rule.feature_names_in_.tolist() == ["age", "income"]
    assert (rule.predict(table) == y).all()
    broken = X.copy()
    broken[7, 1] = np.nan
    with pytest.raises(DataError, match="row 7, column 'income'"):
        Perceptron().fit(frame({"age": broken[:, 0], "income": broken[:, 1]}), y)


def test_a_frame_of_whole_numbers_and_booleans():
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": [True, False, True, False]})
    assert Perceptron().fit(table, [0, 0, 1, 1]).score(table, [0, 0, 1, 1]) == 1.0


def test_clone_and_pickle(rng):
    X, y = separable(rng)
    rule = Perceptron(order="random", random_state=3).fit(X, y)
    again = clone(rule).fit(X, y)
    back = pickle.loads(pickle.dumps(rule))
    for other in (again, back, deepcopy(rule)):
        assert other.weights_.tobytes() == rule.weights_.tobytes()
        assert other.n_updates_ == rule.n_updates_
    for ledger in (again.ledger_, deepcopy(rule).ledger_, pickle.loads(pickle.dumps((rule, rule.ledger_)))[1]):
        assert ledger.rows.tolist() == rule.ledger_.rows.tolist()
    assert len(back.ledger_) == 0
    back.partial_fit(-X, y)
    assert back.replay(-X, y).tobytes() == back.weights_.tobytes()


def test_metadata_routing_knows_the_sample_weight():
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        rule = Perceptron().set_fit_request(sample_weight=True).set_partial_fit_request(sample_weight=True)
        assert rule.get_metadata_routing().fit.requests["sample_weight"] is True


@pytest.mark.parametrize("balance", ["balanced", {"yes": 2, "no": 3}])
def test_class_weights_are_sample_weights(balance, rng):
    X, y = separable(rng, n=40)
    factors = {"yes": 2.0, "no": 3.0}
    if balance == "balanced":
        factors = {label: 40 / (2 * (y == label).sum()) for label in ("yes", "no")}
    a = Perceptron(class_weight=balance).fit(X, y)
    b = Perceptron().fit(X, y, sample_weight=[factors[label] for label in y])
    assert a.weights_.tobytes() == b.weights_.tobytes()


def test_bias_scale_and_intercept(rng):
    X, y = separable(rng)
    rule = Perceptron(bias_scale=4.0).fit(X, y)
    assert rule.intercept_[0] == 4.0 * rule.weights_[0, -1]
    assert (rule.predict(X) == y).all()
    without = Perceptron(fit_intercept=False, max_passes=20)
    with pytest.warns(ConvergenceWarning):
        without.fit(X + 10, y)
    assert without.intercept_.tolist() == [0.0]


def test_normalize_predicts_on_normalized_rows(rng):
    X, y = separable(rng)
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


@pytest.mark.parametrize(
    "options",
    [
        {"order": "best"},
        {"ties": "no"},
        {"max_passes": 0},
        {"max_seconds": -1},
        {"start": "one"},
        {"bias_scale": 0},
        {"random_state": -1},
        {"random_state": "luck"},
    ],
)
def test_bad_options_are_refused_when_fitting(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        Perceptron(**options).fit([[0.0], [1.0]], [0, 1])


def test_one_class_is_refused():
    with pytest.raises(DataError, match="one class only"):
        Perceptron().fit([[0.0], [1.0]], [1, 1])


def test_random_states_of_every_kind(rng):
    X, y = separable(rng)
    for make in (lambda: 5, lambda: np.random.RandomState(5), lambda: np.random.default_rng(5)):
        a, b = (Perceptron(order="random", random_state=make()).fit(X, y) for _ in range(2))
        assert a.weights_.tobytes() == b.weights_.tobytes()


def test_progress_is_shown_on_standard_error(capsys, monkeypatch):
    from rosenblatt import progress

    clock = iter(range(0, 10**9, 3))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    with pytest.warns(ConvergenceWarning):
        Perceptron(verbose=True, max_passes=50).fit([[1.0], [1.0]], [0, 1])
    captured = capsys.readouterr()
    assert "passes" in captured.err
    assert captured.out == ""


def test_a_failed_fit_leaves_the_last_one_as_it_was(rng):
    X, y = separable(rng)
    rule = Perceptron().fit(X, y)
    with pytest.raises(DataError, match="row 0: the weight"):
        rule.fit(X, np.where(y == "yes", "c", "d"), sample_weight=-np.ones(len(X)))
    assert (rule.predict(X) == y).all()
    broken = Perceptron()
    with pytest.raises(DataError):
        broken.fit(X, y, sample_weight=-np.ones(len(X)))
    with pytest.raises(NotFittedError):
        broken.predict(X)
    broken.partial_fit(X, y, classes=["no", "yes"])


def test_a_stream_that_fails_changes_nothing():
    rule = Perceptron(fit_intercept=False).partial_fit(np.eye(200), np.arange(200) % 2, classes=[0, 1])
    before, made = rule.weights_.copy(), len(rule.ledger_)
    with pytest.raises(DataError, match="overflow"):
        rule.partial_fit(np.eye(200) * 1e306, (np.arange(200) + 1) % 2)
    assert rule.weights_.tobytes() == before.tobytes()
    assert len(rule.ledger_) == made
    assert rule.ledger_.n_rows == 200


def test_options_set_after_fit_do_not_change_predictions(rng):
    X, y = separable(rng)
    rule = Perceptron().fit(X, y)
    rule.set_params(bias_scale=10.0, fit_intercept=False, normalize=True, ties="plus")
    assert (rule.predict(X) == y).all()


def test_weights_are_checked_with_class_weights_too(rng):
    X, y = separable(rng, n=20)
    for weights in ([1.0, 2.0], 3.0):
        with pytest.raises(DataError, match="20 rows need 20 weights"):
            Perceptron(class_weight="balanced").fit(X, y, sample_weight=weights)


def test_labels_of_unusual_kinds(rng):
    X = rng.normal(size=(90, 2)) * 0.3 + np.repeat([[0, 4], [4, 0], [-4, -4]], 30, axis=0)
    for labels in (np.array(["2020", "2021", "2022"], "datetime64[ns]"), np.array([b"a", b"b", b"c"])):
        y = np.repeat(labels, 30)
        assert (Perceptron().fit(X, y).predict(X) == y).all()
    with pytest.raises(DataError, match="cannot be put in order"):
        Perceptron().fit(X, np.array(["a", 1, "b"] * 30, object))


def test_a_pickle_has_no_ledger_to_replay_and_says_so(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    with pytest.warns(ConvergenceWarning):
        rule = Perceptron().fit(X, y)
    assert rule.replay(X, y).shape == rule.weights_.shape
    with pytest.raises(LedgerError, match="the ledger is empty, as pickles and model files leave it out"):
        pickle.loads(pickle.dumps(rule)).replay(X, y)
