"""Whoever comes from scikit-learn is told what its options and attributes are called here."""

import inspect

import numpy as np
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import Perceptron as Theirs
from sklearn.tree import DecisionTreeClassifier

import rosenblatt
from rosenblatt.estimators.counterparts import COUNTERPARTS

ESTIMATORS = [
    rosenblatt.Perceptron, rosenblatt.PocketPerceptron, rosenblatt.AveragedPerceptron, rosenblatt.VotedPerceptron,
    rosenblatt.MarginPerceptron, rosenblatt.PassiveAggressive, rosenblatt.LiftedPerceptron, rosenblatt.KernelPerceptron,
    rosenblatt.PerceptronTree, rosenblatt.OnlinePerceptron,
]  # fmt: skip


@pytest.mark.parametrize("made", ESTIMATORS)
@pytest.mark.parametrize("name", sorted(COUNTERPARTS))
def test_an_option_of_scikit_learn_names_its_counterpart(made, name):
    known = inspect.signature(made).parameters
    if name in known:
        return
    ours = COUNTERPARTS[name][0]
    for error, use in ((TypeError, lambda: made(**{name: 1})), (ValueError, lambda: made().set_params(**{name: 1}))):
        with pytest.raises(error, match=f"{made.__name__} has no option '{name}': .") as told:
            use()
        assert (f"use {ours}" in str(told.value)) is (ours in known)


def test_every_option_of_scikit_learns_perceptron_is_known():
    ours = inspect.signature(rosenblatt.Perceptron).parameters
    assert {*inspect.signature(Theirs).parameters} <= {*ours, *COUNTERPARTS}


def test_counterparts_are_options_of_some_estimator():
    every = {name for made in ESTIMATORS for name in inspect.signature(made).parameters}
    assert {ours for ours, _ in COUNTERPARTS.values() if ours} <= every


def test_other_options_are_refused_as_python_does():
    with pytest.raises(TypeError, match="unexpected keyword argument 'maximum'"):
        rosenblatt.Perceptron(maximum=1)
    with pytest.raises(ValueError, match="Invalid parameter 'maximum'"):
        rosenblatt.Perceptron().set_params(maximum=1)


def four_columns(rng):
    X = rng.normal(size=(300, 4))
    return X, np.where(X[:, 1] > 0, X[:, 2] > 0.5, X[:, 1] > -1)


def test_a_tree_tells_what_its_columns_are_worth(rng):
    X, y = four_columns(rng)
    tree = rosenblatt.PerceptronTree(test="feature").fit(X, y)
    theirs = DecisionTreeClassifier(ccp_alpha=0.01, random_state=0).fit(X, y)
    found = tree.feature_importances_
    assert found.sum() == pytest.approx(1.0)
    assert set(np.argsort(found)[2:]) == set(np.argsort(theirs.feature_importances_)[2:]) == {1, 2}
    assert SelectFromModel(tree, prefit=True, threshold=0.05).transform(X).shape == (300, 2)
    leaf = rosenblatt.PerceptronTree(max_depth=0).fit(X, y)
    assert leaf.feature_importances_.tolist() == [0.0] * 4


def test_importances_are_those_of_the_same_tree_in_scikit_learn(rng):
    X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    tree = rosenblatt.PerceptronTree(test="feature", prune=None, max_depth=1).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert theirs.tree_.feature[0] == tree.tree_.nodes[0].test.column
    assert tree.feature_importances_.tolist() == theirs.feature_importances_.tolist()


def test_the_path_of_every_row(rng):
    X, y = four_columns(rng)
    tree = rosenblatt.PerceptronTree().fit(X, y)
    passed = tree.decision_path(X)
    assert passed.shape == (300, tree.n_nodes_)
    for row in (0, 7, 299):
        assert np.flatnonzero(passed[[row]].toarray()).tolist() == sorted(node for node, *_ in tree.path(X[row]))
    assert passed.sum(axis=0)[0] == 300


def test_a_kernel_says_why_it_has_no_weights_of_columns(rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    rule = rosenblatt.KernelPerceptron(gamma=50.0).fit(X, y)
    with pytest.raises(AttributeError, match="no weight for each column; dual_coef_ has one for each support row"):
        rule.coef_  # noqa: B018
    assert not hasattr(rule, "coef_")
