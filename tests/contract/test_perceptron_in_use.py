"""A Perceptron in use: frames, copies, weights, labels, options, and what a refusal leaves behind."""

import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import cases
from rosenblatt import Perceptron
from rosenblatt.errors import DataError, LedgerError, OptionError


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(frame, rng):
    X, y = cases.separable_rows(rng, d=2)
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
    X, y = cases.separable_rows(rng)
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
    X, y = cases.separable_rows(rng, n=40)
    factors = {"yes": 2.0, "no": 3.0}
    if balance == "balanced":
        factors = {label: 40 / (2 * (y == label).sum()) for label in ("yes", "no")}
    a = Perceptron(class_weight=balance).fit(X, y)
    b = Perceptron().fit(X, y, sample_weight=[factors[label] for label in y])
    assert a.weights_.tobytes() == b.weights_.tobytes()


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
    X, y = cases.separable_rows(rng)
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
    X, y = cases.separable_rows(rng)
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


def test_options_set_after_fit_do_not_change_predictions(rng):
    X, y = cases.separable_rows(rng)
    rule = Perceptron().fit(X, y)
    rule.set_params(bias_scale=10.0, fit_intercept=False, normalize=True, ties="plus")
    assert (rule.predict(X) == y).all()


def test_weights_are_checked_with_class_weights_too(rng):
    X, y = cases.separable_rows(rng, n=20)
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
