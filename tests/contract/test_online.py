"""What OnlinePerceptron promises about rows, labels, counters, errors and keeping its state."""

import copy
import json
import pickle
import signal
from collections import OrderedDict, UserDict

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import cases
from rosenblatt import OnlinePerceptron, Perceptron
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.online import online

MODES = ["perceptron", "averaged", "PA", "PA-I", "PA-II"]


def stream(rng, n=300, d=5):
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0.2


def learned(rule, rows, labels):
    for x, y in zip(rows, labels, strict=True):
        rule.learn_one(x, y)
    return rule


# Labels


@pytest.mark.parametrize("labels", [(False, True), (0, 1), (-1, 1), (0.0, 1.0), (np.False_, np.True_)])
def test_without_classes_the_first_negative_label_tells(labels):
    rule = OnlinePerceptron()
    assert rule.predict_one([1.0]) is False  # nothing is known yet
    rule.learn_one([1.0], labels[1])
    assert rule.predict_one([1.0]) == 1
    rule.learn_one([-1.0], labels[0])
    assert rule.classes_ == labels
    assert type(rule.predict_one([-1.0])) is type(labels[0].item() if hasattr(labels[0], "item") else labels[0])
    assert rule.predict_one([-1.0]) == labels[0]
    assert rule.predict_many([[-1.0], [1.0]]).tolist() == [*labels]
    with pytest.raises(DataError, match="row 2 of the stream: the label 7 does not fit"):
        rule.learn_one([1.0], 7)


@pytest.mark.parametrize("odd", ["spam", None, np.nan, 2, [1], np.array([0, 1]), -1.5])
def test_other_labels_need_classes(odd):
    rule = OnlinePerceptron()
    with pytest.raises(DataError, match="give classes="):
        rule.learn_one([1.0], odd)
    assert (rule.n_rows_, rule.n_features_in_) == (0, 0)


def test_a_stream_has_two_labels_only():
    rule = OnlinePerceptron()
    rule.learn_one([1.0], 0)
    with pytest.raises(DataError, match=r"the label -1 does not fit the labels of this stream, 0 and 1"):
        rule.learn_one([1.0], -1)
    with pytest.raises(DataError, match="begins with row 1 of the stream: row 1: the label -1"):
        rule.learn_many([[1.0], [2.0]], [1, -1])
    assert rule.n_rows_ == 1


def test_the_second_of_classes_is_positive():
    rule = OnlinePerceptron(classes=("spam", "ham"))
    assert rule.classes_ == ("spam", "ham")
    rule.learn_one([1.0], "ham")
    assert rule.coef_.tolist() == [1.0]
    assert (rule.predict_one([1.0]), rule.predict_one([-2.0])) == ("ham", "spam")
    assert rule.predict_many([[1.0], [-2.0]]).tolist() == ["ham", "spam"]
    assert rule.learn_many([[1.0], [-3.0]], ["ham", "spam"]) == 0


def test_a_refused_row_does_not_settle_the_labels():
    rule = OnlinePerceptron()
    with pytest.raises(DataError):
        rule.learn_one([np.nan], 0)
    with pytest.raises(DataError):
        rule.learn_many([[np.nan]], [0])
    rule.learn_one([1.0], -1)
    assert rule.classes_ == (-1, 1)


# Rows and features


def test_features_may_appear_and_stay_away():
    rule = OnlinePerceptron()
    rule.learn_one({"a": 1.0}, True)
    rule.learn_one({"b": 2.0, "a": -3}, False)  # right already
    rule.learn_one({"c": np.float32(0.5), "b": True}, False)
    assert rule.feature_names_ == ["a", "b", "c"]
    assert rule.coef_.tolist() == [1.0, -1.0, -0.5]
    assert rule.score_one({"a": 1.0, "never": 100.0}) == 1.0
    assert rule.score_one({}) == 0.0
    assert rule.score_one(OrderedDict(c=2.0)) == rule.score_one(UserDict(c=2.0)) == -1.0
    rule.learn_one(UserDict(d=1.0), True)
    assert rule.n_features_in_ == 4
    assert rule.feature_names_[-1] == "d"


@pytest.mark.parametrize("mode", MODES)
def test_many_features_mid_stream_change_nothing_else(mode, rng):
    X, y = stream(rng, 200, 40)
    X[np.add.outer(np.arange(200), 40 - np.arange(40)) < 60] = 0.0  # feature j first appears about row 20 + j
    rows = [{f"x{j}": v for j, v in enumerate(x.tolist()) if v} for x in X]
    grown, fixed = learned(OnlinePerceptron(mode=mode), rows, y), learned(OnlinePerceptron(mode=mode), X, y)
    order = [int(name[1:]) for name in grown.feature_names_]
    assert grown.coef_ == pytest.approx(fixed.coef_[order], rel=1e-9)  # PA adds up in the order of the features
    if mode in ("perceptron", "averaged"):
        assert grown.coef_.tobytes() == fixed.coef_[order].tobytes()
    by_number = learned(OnlinePerceptron(mode=mode), [(np.flatnonzero(x), x[x != 0]) for x in X], y)
    assert by_number.weights_.tobytes() == fixed.weights_.tobytes()


def test_frames_have_names(rng):
    X, y = stream(rng, 60, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    rule, peer = OnlinePerceptron(), learned(OnlinePerceptron(), [dict(zip("abc", x, strict=True)) for x in X], y)
    rule.learn_many(frame[:20], y[:20])
    rule.learn_many(frame.loc[20:39, ["c", "a", "b"]], y[20:40])
    rule.learn_many(frame.loc[40:, ["b", "a", "c"]], y[40:])
    assert rule.weights_.tobytes() == peer.weights_.tobytes()
    assert rule.predict_many(frame[["c", "b", "a"]]).tolist() == [
        peer.predict_one(dict(r)) for _, r in frame.iterrows()
    ]
    assert rule.score_many(frame[["b"]].rename(columns={"b": "never"})).tolist() == [rule.intercept_] * 60
    with pytest.raises(DataError, match=r"feature.* of this stream have names; give it dicts"):
        rule.learn_one(X[0], True)
    with pytest.raises(DataError, match="have numbers; give it arrays"):
        learned(OnlinePerceptron(), X, y).learn_one({"a": 1.0}, True)


def test_unknown_numbered_features_count_as_zero_only_in_predictions():
    rule = OnlinePerceptron()
    rule.learn_one(([3], [2.0]), True)
    assert rule.n_features_in_ == 4
    assert rule.score_one(([3, 1000], [1.0, 5.0])) == rule.score_one(([3], [1.0])) == 3.0
    assert rule.score_many(sp.csr_array(([1.0, 5.0], ([0, 0], [3, 1000])), (1, 2000))).tolist() == [3.0]
    rule.learn_one([1.0, 0.0, 0.0, 0.0, 0.0, 1.0], False)  # the first array says how many there are
    assert rule.n_features_in_ == 6
    for x in ([1.0] * 5, [1.0] * 7, ([6], [1.0])):
        with pytest.raises(
            DataError, match=r"row 2 of the stream.*(has . features, but the stream has 6|no feature 6)"
        ):
            rule.learn_one(x, True)
    assert rule.score_one(([9], [1.0])) == rule.intercept_
    with pytest.raises(DataError, match="the table has 7 features, but the stream has 6"):
        rule.learn_many(sp.csr_array((1, 7)), [True])


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"a": 1.0, "b": np.nan}, "row 2 of the stream, feature 'b': the value is nan"),
        ({"new": np.inf}, "feature 'new': the value is inf"),
        ({"a": "much"}, "feature 'a': the value is 'much'"),
        ({"a": None}, "feature 'a': the value is None"),
        ({"a": 10**400}, "feature 'a'"),
        ({"a": 1.5e308, "b": 1.5e308}, "row 2 of the stream: the row is too long.*1.5e.308, of feature 'a'"),
        ({"b": -1e307}, "the weights would overflow"),
    ],
)
@pytest.mark.parametrize("mode", ["perceptron", "averaged"])
def test_a_named_row_that_cannot_be_used_changes_nothing(x, message, mode):
    rule = learned(OnlinePerceptron(mode=mode), [{"a": 1.0, "b": 1e307}, {"a": 1.0, "b": -1.0}], [1, 0])
    before = rule.get_state()
    with pytest.raises(DataError, match=message):
        rule.learn_one(x, 0 if "b" not in x or x["b"] != -1e307 else 1)
    assert rule.get_state() == before


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0, np.nan], "row 1 of the stream, feature 1: the value is nan"),
        (np.array([np.inf, 1.0]), "feature 0: the value is inf"),
        ([1.0, "b"], "not a number"),
        ([[1.0, 2.0]], "not one-dimensional"),
        (3.0, "not one-dimensional"),
        (([0, 1], [1.0]), "a sparse row is"),
        (([0.5], [1.0]), "a sparse row is"),
        (([-1], [1.0]), "no feature"),
        (([0, 1], [0.0, np.nan]), "feature 1: the value is nan"),
        (sp.csr_array((2, 2)), "not a sparse matrix of 2 rows"),
    ],
)
def test_a_numbered_row_that_cannot_be_used_changes_nothing(x, message):
    rule = learned(OnlinePerceptron(), [[1.0, 2.0]], [True])
    before = rule.get_state()
    with pytest.raises(DataError, match=message):
        rule.learn_one(x, False)
    assert rule.get_state() == before
    if "of the stream" in message:
        with pytest.raises(DataError, match="the row to predict, feature 1"):
            rule.predict_one(x)


def test_a_block_names_its_row_and_its_place_in_the_stream():
    rule = OnlinePerceptron()
    rule.learn_many(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.0]}), [0, 1])
    before = rule.get_state()
    with pytest.raises(DataError, match="begins with row 2 of the stream: row 1, column 'b': the value is nan"):
        rule.learn_many(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, np.nan]}), [0, 1])
    with pytest.raises(DataError, match="X has 1 rows but y is of shape"):
        rule.learn_many(pd.DataFrame({"a": [1.0]}), [0, 1])
    with pytest.raises(DataError, match="row 1: the weight -1"):
        rule.learn_many(pd.DataFrame({"a": [1.0, 1.0]}), [0, 1], [1, -1])
    assert rule.get_state() == before


def test_weights_that_would_overflow_name_the_row():
    big, rule = 0.9e307, OnlinePerceptron(fit_intercept=False)
    with pytest.raises(DataError, match=r"row 1 of the stream: the weights would overflow; .* of feature 1"):
        rule.learn_many([[big, 1.0], [-big / 4, big / 3]] * 2, [1, 1, 1, 1])
    assert rule.n_rows_ == 1  # what came before it was learned
    with pytest.raises(DataError, match="row 0 of the stream: the weights would overflow"):
        OnlinePerceptron(mode="PA", fit_intercept=False).learn_one([1e-160], 1)
    assert OnlinePerceptron(mode="PA-I", fit_intercept=False).learn_one([1e-160], 1)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_odd_sample_weights(weight):
    with pytest.raises(DataError, match="row 0 of the stream: the weight"):
        OnlinePerceptron().learn_one([1.0], 1, weight)


# Options


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "pa"},
        {"C": 0},
        {"C": np.nan},
        {"ties": "maybe"},
        {"bias_scale": -1.0},
        {"classes": ("a",)},
        {"classes": ("a", "a")},
        {"ledger": 0},
        {"ledger": "some"},
        {"comparator": ([1.0, 1.0], 0.0)},
        {"comparator": ([0.0, 0.0], 1.0)},
        {"comparator": ([1.0, np.nan], 1.0)},
        {"comparator": ([1.0, 1.0], 1.0), "mode": "PA"},
        {"comparator": ({"a": 1.0, None: 1.0}, 1.0), "fit_intercept": False},
        {"comparator": ({"a": 1.0}, 1.0)},  # the rows have no names
        {"comparator": ([1.0, 2.0, 3.0], 1.0)},  # the rows have one feature
    ],
)
def test_options_that_do_not_exist_or_fit(options):
    with pytest.raises(OptionError):
        OnlinePerceptron(**options).learn_one([1.0], 1)


def test_a_comparator_by_names():
    rule = OnlinePerceptron(comparator=({"a": 2.0, "b": -1.0, None: 0.5}, 0.5))
    rule.learn_one({"c": 3.0}, True)
    rule.learn_one({"b": 1.0, "c": 3.0}, False)
    rule.learn_one({"a": 1.0}, True)
    proof = rule.mistake_bound_
    assert proof.hypotheses_hold
    assert proof.along == 2.0 * rule.coef_[2] - 1.0 * rule.coef_[1] + 0.5 * rule.intercept_
    assert proof.radius == pytest.approx(11**0.5)
    rule.learn_one({"a": -1.0}, True)
    assert rule.mistake_bound_.broken_at == 3
    with pytest.raises(DataError, match=r"whole steps, but the weight is 0\.5"):
        rule.learn_one({"a": 1.0}, True, 0.5)
    with pytest.raises(AttributeError, match="comparator"):
        _ = OnlinePerceptron().mistake_bound_


def test_a_ledger_keeps_the_last_mistakes(rng):
    X, y = stream(rng)
    everything = learned(OnlinePerceptron(ledger="all"), X, y)
    few = learned(OnlinePerceptron(ledger=4), X, y)
    assert len(everything.mistakes_at_) == everything.n_mistakes_ > 8
    assert few.mistakes_at_.tolist() == everything.mistakes_at_[-4:].tolist()
    with pytest.raises(AttributeError, match="ledger"):
        _ = OnlinePerceptron().mistakes_at_
    with pytest.raises(AttributeError, match="averaged"):
        _ = OnlinePerceptron().average_


def test_options_and_clones(rng):
    X, y = stream(rng)
    rule = learned(OnlinePerceptron(mode="averaged", ledger=3), X, y)
    fresh = clone(rule)
    assert fresh.get_params() == rule.get_params()
    assert (fresh.n_rows_, fresh.n_features_in_, fresh.progressive_error_, fresh.feature_names_) == (0, 0, 0.0, None)
    assert repr(fresh) == "OnlinePerceptron(ledger=3, mode='averaged')"
    assert "OnlinePerceptron" in rule._repr_mimebundle_()["text/html"]  # what a notebook shows


def test_ties_in_predictions():
    assert OnlinePerceptron(classes="ab").predict_one([1.0]) == "a"
    assert OnlinePerceptron(classes="ab", ties="plus").predict_one([1.0]) == "b"
    assert OnlinePerceptron(classes="ab", ties="plus").predict_many([[1.0]]).tolist() == ["b"]


def test_averaged_predictions_are_by_the_average():
    rule = learned(OnlinePerceptron(mode="averaged", fit_intercept=False), [[1.0], [1.0], [1.0], [-1.0]], [1, 1, 1, 1])
    assert rule.weights_[0] == 0.0
    assert rule.coef_.tolist() == [0.75]
    assert (rule.predict_one([1.0]), rule.score_one([2.0])) == (1, 1.5)


# Keeping it


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("named", [False, True])
def test_state_and_pickle_go_on_bit_for_bit(mode, named, rng):
    X, y = stream(rng)
    rows = [{f"x{j}": v for j, v in enumerate(x.tolist())} for x in X] if named else list(X)
    comparator = None if mode.startswith("PA") else ({"x0": 1.0} if named else [1.0, 0, 0, 0, 0, 0], 0.1)
    whole = learned(OnlinePerceptron(mode=mode, ledger=5, comparator=comparator), rows, y)
    half = learned(OnlinePerceptron(mode=mode, ledger=5, comparator=comparator), rows[:150], y[:150])
    state = json.loads(json.dumps(half.get_state()))
    read = clone(half).set_state(state)
    for again in (read, pickle.loads(pickle.dumps(half)), copy.deepcopy(half)):
        learned(again, rows[150:], y[150:])
        assert again.get_state() == whole.get_state()
        assert again.weights_.tobytes() == whole.weights_.tobytes()
        assert again.predict_one(rows[0]) is whole.predict_one(rows[0])
    assert half.n_rows_ == 150


def test_sparse_streams_can_grow_after_they_were_kept():
    rule = learned(OnlinePerceptron(), [([2], [1.0])], [True])
    again = pickle.loads(pickle.dumps(rule))
    assert again.classes_ == (False, True)
    learned(again, [([5], [1.0])], [-1])
    assert again.classes_ == (-1, 1)
    assert again.n_features_in_ == 6
    assert pickle.loads(pickle.dumps(OnlinePerceptron())).n_rows_ == 0


def test_a_state_that_does_not_fit_is_refused():
    state = learned(OnlinePerceptron(), [[1.0]], [1]).get_state()
    with pytest.raises(OptionError, match="options"):
        OnlinePerceptron(mode="PA").set_state(state)
    with pytest.raises(OptionError, match="protocol 2"):
        OnlinePerceptron().set_state({**state, "protocol": 2})
    rule = learned(OnlinePerceptron(), [[2.0]], [1])
    before = rule.get_state()
    for damage in ({"weights": [[1.0]]}, {"weights": [[np.nan, 1.0]]}, {"counts": {}}, {"features": None}):
        with pytest.raises(OptionError, match="this state is damaged"):
            rule.set_state({**state, **damage})
        assert rule.get_state() == before


def test_memory_stays_bounded(rng):
    X, y = stream(rng, 1000)
    rule = learned(OnlinePerceptron(mode="averaged", ledger=10), [{f"x{j}": v for j, v in enumerate(x)} for x in X], y)
    size = len(pickle.dumps(rule))
    for _ in range(20):
        rule.learn_many(pd.DataFrame(X, columns=rule.feature_names_), y)
    assert len(pickle.dumps(rule)) < size + 200


def test_ctrl_c_keeps_what_was_learned(rng, monkeypatch):
    X, y = stream(rng, 500)
    monkeypatch.setattr(online, "NUMBERS_AT_ONCE", 100)
    rule, real = OnlinePerceptron(), online.online_kernels.learn_rows

    def pressed(*given):
        signal.raise_signal(signal.SIGINT)
        return real(*given)

    monkeypatch.setattr(online.online_kernels, "learn_rows", pressed)
    with pytest.raises(KeyboardInterrupt):
        rule.learn_many(X, y)
    monkeypatch.undo()
    assert 0 < rule.n_rows_ < 500
    rule.learn_many(X[rule.n_rows_ :], y[rule.n_rows_ :])
    assert rule.weights_.tobytes() == learned(OnlinePerceptron(), X, y).weights_.tobytes()


@given(cases.tables(cases.near_one), st.booleans(), st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=30)
def test_threshold_options_are_perceptrons(table, bias, scale):
    X, y = table
    rule = learned(OnlinePerceptron(fit_intercept=bias, bias_scale=scale), X, y)
    peer = Perceptron(fit_intercept=bias, bias_scale=scale).partial_fit(X, y, classes=[-1, 1])
    assert rule.weights_.tobytes() == peer.weights_[0].tobytes()
    assert (rule.coef_.tolist(), rule.intercept_) == (peer.coef_[0].tolist(), peer.intercept_[0])
    assert rule.threshold_ == peer.threshold_[0]
    assert rule.predict_many(X).tolist() == peer.predict(X).tolist() == [rule.predict_one(x) for x in X]
