"""Constraints on the signs of weights, as scikit-learn's trees take them: every rule that has the option keeps them."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier

from cli.one_line import changed
from rosenblatt import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    PerceptronCV,
    PocketPerceptron,
    SoftMarginPerceptron,
    load_model,
    margin,
    optimality,
    separability,
)
from rosenblatt.errors import ModelError, OptionError
from rosenblatt.ship.file.modelfile import save_model

ABLE = [
    Perceptron, PocketPerceptron, AveragedPerceptron, MarginPerceptron, PassiveAggressive, SoftMarginPerceptron,
    PerceptronCV,
]  # fmt: skip
SIGNS = [1, -1, 0, 1]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def noisy(n=150, seed=0):
    """Rows whose own signs are not those of the constraints."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X @ [-1.0, 2.0, -1.0, 0.5] + rng.normal(size=n) > 0, "yes", "no")


def keeps(rule):
    return bool((rule.coef_[0] * SIGNS >= 0).all())


@pytest.mark.parametrize("made", ABLE)
def test_the_score_never_falls_as_a_constrained_feature_rises(made):
    X, y = noisy()
    rule = made(monotonic_cst=SIGNS).fit(X, y)
    assert keeps(rule)
    assert not keeps(made().fit(X, y))
    more = X.copy()
    more[:, [0, 3]] += 1.0
    more[:, 1] -= 1.0
    assert (rule.decision_function(more) >= rule.decision_function(X)).all()
    assert HistGradientBoostingClassifier(monotonic_cst=SIGNS, max_iter=2).fit(X, y)  # the same option


@pytest.mark.parametrize("made", ABLE)
def test_names_storage_and_weights_make_no_difference_to_the_signs(made):
    X, y = noisy(80)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    seed = {} if made is SoftMarginPerceptron else {"random_state": 0}
    by_name = made(monotonic_cst={"a": 1, "b": -1, "d": 1}, **seed).fit(frame, y)
    by_place = made(monotonic_cst=np.array(SIGNS), **seed).fit(X, y)
    assert (by_name.weights_ == by_place.weights_).all()
    assert keeps(made(monotonic_cst=SIGNS).fit(sp.csr_array(np.where(abs(X) < 1, 0, X)), y))
    assert keeps(made(monotonic_cst=SIGNS, fit_intercept=False).fit(X, y, sample_weight=np.arange(80) % 3))
    assert keeps(made(monotonic_cst=SIGNS, class_weight={"yes": 3}).fit(X.astype(np.float32), y))


@pytest.mark.parametrize("made", [Perceptron, PocketPerceptron, SoftMarginPerceptron, PerceptronCV])  # not in passes
def test_constraints_that_the_rows_oppose_may_leave_a_constant_rule(made):
    X = np.arange(40.0)[:, np.newaxis]
    rule = made(monotonic_cst=[-1]).fit(X, X[:, 0] > 10)
    assert rule.coef_[0, 0] == 0
    assert len(set(rule.predict(X))) == 1


@pytest.mark.parametrize("made", ABLE)
def test_copies_files_and_pickles_keep_them(made, tmp_path):
    X, y = noisy(80)
    rule = made(monotonic_cst=SIGNS).fit(X, y)
    assert clone(rule).monotonic_cst == SIGNS
    save_model(rule, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(rule)), load_model(tmp_path / "model")):
        assert again.cone == rule.cone
        assert list(again.monotonic_cst) == SIGNS
        assert (again.weights_ == rule.weights_).all()
        with pytest.raises(OptionError, match="must keep the constraints"):
            again.replace_weights(-again.weights_)
    if hasattr(rule, "partial_fit"):
        again = load_model(tmp_path / "model").partial_fit(*noisy(80, seed=1))
        assert keeps(again)
        assert (again.weights_ == rule.partial_fit(*noisy(80, seed=1)).weights_).all()


@pytest.mark.parametrize("made", ABLE)
def test_a_file_whose_weights_break_its_constraints_is_refused(made, tmp_path):
    X, y = noisy(80)
    seed = {} if made in (SoftMarginPerceptron, MarginPerceptron) else {"random_state": 0}
    rule = made(monotonic_cst=SIGNS, **seed).fit(X, y)
    assert rule.coef_[0, 3] > 0
    save_model(rule, tmp_path / "model")
    record = json.loads((tmp_path / "model").read_text())
    assert record["parameters"]["monotonic_cst"] == {"increasing": [0, 3], "decreasing": [1]}
    for change, words in [
        ({"increasing": [0], "decreasing": [1, 3]}, "break the rule's own constraints"),
        ({"increasing": [0, 3, 9], "decreasing": [1]}, "the rule has 4"),
        ({"increasing": [0], "decreasing": [0]}, "each once"),
        ({"increasing": [], "decreasing": []}, "each once"),
        ({"increasing": [0]}, "decreasing"),
        ("increasing", "monotonic_cst"),
    ]:
        record["parameters"]["monotonic_cst"] = change
        (tmp_path / "forged").write_text(changed(json.dumps(record)))
        with pytest.raises(ModelError, match=words):
            load_model(tmp_path / "forged")


@pytest.mark.parametrize("made", [Perceptron, AveragedPerceptron, PassiveAggressive, MarginPerceptron])
def test_a_stream_keeps_them_however_it_is_cut(made):
    X, y = noisy(90)
    whole = made(monotonic_cst=SIGNS).partial_fit(X, y, classes=["no", "yes"])
    parts = made(monotonic_cst=SIGNS)
    for k in range(0, 90, 7):
        parts.partial_fit(X[k : k + 7], y[k : k + 7], classes=["no", "yes"])
        assert keeps(parts)
    assert (whole.weights_ == parts.weights_).all()
    assert (parts.replay(X, y)[0] == (parts.weights_ if made is Perceptron else parts.last_weights_)[0]).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, 0], "for each of the 4 features"), ([1, 0, 0, 2], "for each of the 4 features"),
        ("up", "for each of the 4 features"), ([[1, 0, 0, 0]], "for each of the 4 features"),
        ({"a": 1}, "X has no names"), ([1, 0, 0, None], "for each of the 4 features"),
    ],
)  # fmt: skip
def test_what_is_no_constraint_is_refused(given, words):
    X, y = noisy(20)
    for ask in (Perceptron(monotonic_cst=given).fit, lambda X, y: separability(X, y, monotonic_cst=given)):
        with pytest.raises(OptionError, match=words):
            ask(X, y)


def test_what_cannot_keep_constraints_says_so():
    X, y = noisy(30)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    with pytest.raises(OptionError, match="the feature 'z', which X does not have"):
        Perceptron(monotonic_cst={"z": 1}).fit(frame, y)
    with pytest.raises(OptionError, match="for two classes"):
        PocketPerceptron(monotonic_cst=SIGNS).fit(X, np.arange(30) % 3)
    with pytest.raises(OptionError, match="for two classes"):
        optimality(X, np.arange(30) % 3, monotonic_cst=SIGNS)
    with pytest.raises(OptionError, match="not for normalize"):
        Perceptron(monotonic_cst=SIGNS, normalize=True).fit(X, y)
    for odd in ({"order": "random"}, {"order": "worst"}, {"max_updates": "bound", "margin": 0.1}):
        with pytest.raises(OptionError, match="need the order"):
            Perceptron(monotonic_cst=SIGNS, **odd).fit(X, y)
    with pytest.raises(OptionError, match="not for the ratchet"):
        PocketPerceptron(monotonic_cst=SIGNS, ratchet=True).fit(X, y)
    with pytest.raises(OptionError, match="must keep the constraints"):
        optimality(X, y, [-1.0, 0, 0, 0], monotonic_cst=SIGNS)


def test_proofs_of_an_estimator_are_about_its_constraints():
    X, y = noisy()
    rule = PocketPerceptron(monotonic_cst=SIGNS, random_state=0).fit(X, y)
    interval = optimality(X, y, rule)
    assert interval.cone == rule.cone
    assert interval.upper == rule.mistakes_
    assert interval.verify(X, y).startswith("Under the constraints on 3 weights")
    assert optimality(X, y).upper < interval.lower
    single = Perceptron(monotonic_cst=SIGNS).fit(X, y)
    assert single.certificate_.cone == single.cone
    assert single.certificate_.verify(X, y)


def test_proofs_follow_names():
    X, y = noisy(40)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    assert separability(frame, y, monotonic_cst={"d": -1}).certificate.decreasing == (3,)


@pytest.mark.parametrize("power", [-300, -160, -20, 50, 155, 165, 200])
def test_numbers_of_any_size_get_proofs_that_hold(power):
    """Squares of very smweights of all rows are zero in floats: bounds allow for that."""
    X, y, weights = np.array([[-1.0, -1.0], [2.0, 0.0]]) * 10.0**power, [0, 1], [3e-301, 2.5e-300]
    rule = SoftMarginPerceptron(monotonic_cst=[1, 1], fit_intercept=False)
    assert rule.fit(X, y, weights).certificate_.verify(X, y, weights)
    for cst in ([1, 1], [-1, 0]):
        found = margin(X, y, monotonic_cst=cst, fit_intercept=False)
        assert found.certificate.verify(X, y)
        assert found.lower <= found.upper


def test_the_margin_under_constraints_is_as_wide_as_it_can_be():
    X, y = [[0.0, 0.0], [3.0, 4.0]], [0, 1]
    assert margin(X, y, fit_intercept=False, monotonic_cst=[1, 0]).upper == 0.0  # the row of zeros is wrong
    X = [[-3.0, -4.0], [3.0, 4.0]]
    assert margin(X, y, fit_intercept=False).lower == pytest.approx(5.0)
    assert margin(X, y, fit_intercept=False, monotonic_cst=[-1, 0]).lower == pytest.approx(4.0, rel=1e-3)
    with pytest.raises(OptionError, match="no affine margin under constraints"):
        margin(X, y, affine=True, monotonic_cst=[1, 0])
    with pytest.raises(OptionError, match="for two classes"):
        margin([*X, [1.0, 0.0]], [0, 1, 2], monotonic_cst=[1, 0])
