"""Every estimator inside scikit-learn's meta-estimators, also where a member sees no row of a class."""

import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier
from sklearn.multiclass import OneVsRestClassifier

import rosenblatt
from rosenblatt.errors import DataError
from rosenblatt.learn.choices import Reason

LINEAR = {
    "Perceptron": {},
    "PocketPerceptron": {"random_state": 0},
    "AveragedPerceptron": {},
    "VotedPerceptron": {},
    "MarginPerceptron": {"beta": 3.0},
    "PassiveAggressive": {},
    "LiftedPerceptron": {},
    "SoftMarginPerceptron": {},
}
EVERY = LINEAR | {"PerceptronCV": {}, "KernelPerceptron": {}, "PerceptronTree": {"prune": None}}
ENSEMBLES = {
    "bagging": lambda rule: BaggingClassifier(rule, n_estimators=5, random_state=0),
    "boosting": lambda rule: AdaBoostClassifier(rule, n_estimators=3, random_state=0),
    "one against the rest": OneVsRestClassifier,
    "calibrated": lambda rule: CalibratedClassifierCV(rule, cv=2),
    "stacked": lambda rule: StackingClassifier([("rule", rule)], cv=2),
}


def rule_of(name):
    return getattr(rosenblatt, name)(**EVERY[name])


def rare(rng, classes=2):
    """Sixty rows, of which three are of the last class."""
    X, y = rng.normal(size=(60, 4)), rng.integers(classes - 1, size=60)
    y[:3] = classes - 1
    return X + 2.0 * y[:, np.newaxis], y


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("ensemble", ENSEMBLES)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_ensembles_learn(name, ensemble, classes, rng):
    X, y = rare(rng, classes)
    found = ENSEMBLES[ensemble](rule_of(name)).fit(X, y)
    assert found.classes_.tolist() == list(range(classes))
    assert (found.predict(X) == y).mean() > 0.5


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("bias_scale", [1.0, 1e-3, "auto"])
def test_a_class_without_a_row_that_counts_is_never_predicted(name, label, bias_scale, rng):
    X, y = rng.normal(size=(40, 3)), rng.permutation(40) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rule = rule_of(name).set_params(bias_scale=bias_scale).fit(X, y, sample_weight=(y == label) * 2.0)
    assert rule.classes_.tolist() == [0, 1]
    assert rule.stop_reason_ is Reason.ABSENT
    assert (rule.predict(100.0 * rng.normal(size=(50, 3))) == label).all()
    assert rule.n_updates_ == 0
    X[:, 0] += 20.0 * y - 10.0
    assert rule.fit(X, y).stop_reason_ is not Reason.ABSENT


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("absent", [0, 1, 2])
@pytest.mark.filterwarnings("ignore")
def test_of_several_classes_too(name, absent, rng):
    X, y = rng.normal(size=(60, 3)), rng.permutation(60) % 3
    rule = rule_of(name).fit(X, y, sample_weight=y != absent)
    assert rule.classes_.tolist() == [0, 1, 2]
    assert absent not in rule.predict(100.0 * rng.normal(size=(200, 3)))
    alone = rule_of(name).fit(X, y, sample_weight=y == absent)
    assert (alone.predict(100.0 * rng.normal(size=(50, 3))) == absent).all()
    assert alone.stop_reason_ is Reason.ABSENT


@pytest.mark.parametrize("weight", [None, "balanced"])
def test_a_tree_without_a_row_of_a_class_is_a_leaf(weight, rng):
    X, y = rng.normal(size=(30, 3)), rng.permutation(30) % 3
    tree = rosenblatt.PerceptronTree(class_weight=weight).fit(X, y, sample_weight=y == 1)
    assert (tree.n_nodes_, tree.classes_.tolist()) == (1, [0, 1, 2])
    assert (tree.predict(X) == 1).all()
    assert tree.predict_proba(X)[0].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("name", EVERY)
def test_rows_of_one_class_are_right_and_no_rows_are_refused(name, rng):
    X, y = rng.normal(size=(30, 3)), rng.permutation(30) % 2
    rule = rule_of(name).fit(X, y, sample_weight=y)
    assert (rule.predict(X[y == 1]) == 1).all()
    with pytest.raises(DataError, match="the weights of all rows are zero"):
        rule.fit(X, y, sample_weight=np.zeros(30))
    without = rule_of(name)
    if "fit_intercept" in without.get_params():
        X[:, 0] = np.abs(X[:, 0]) + 1.0
        assert (without.set_params(fit_intercept=False).fit(X, y, sample_weight=y).predict(X[y == 1]) == 1).all()
