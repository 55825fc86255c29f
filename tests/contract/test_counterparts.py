"""Whoever comes from scikit-learn is told what its options and attributes are called here."""

import inspect
import re

import numpy as np
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import Perceptron as Theirs
from sklearn.tree import DecisionTreeClassifier

import rosenblatt
from rosenblatt.estimators.counterparts import COUNTERPARTS

ESTIMATORS = [
    rosenblatt.Perceptron, rosenblatt.PocketPerceptron, rosenblatt.AveragedPerceptron, rosenblatt.VotedPerceptron,
    rosenblatt.MarginPerceptron, rosenblatt.PassiveAggressive, rosenblatt.LiftedPerceptron,
    rosenblatt.SoftMarginPerceptron, rosenblatt.PerceptronCV, rosenblatt.KernelPerceptron, rosenblatt.PerceptronTree,
    rosenblatt.OnlinePerceptron,
]  # fmt: skip


ELSEWHERE = {"ROSENBLATT_THREADS"}
X, Y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])


def fitted(made, **options):
    rule = made(**options)
    return (rule.learn_many(X, Y), rule)[1] if made is rosenblatt.OnlinePerceptron else rule.fit(X, Y)


def told(made, name):
    """The two ways to be told that there is no such option, which say the same."""
    with pytest.raises(TypeError, match=f"^{made.__name__} has no option '{name}': .") as first:
        made(**{name: 1})
    with pytest.raises(ValueError, match=f"^{made.__name__} has no option '{name}': .") as second:
        made().set_params(**{name: 1})
    assert str(first.value) == str(second.value)
    return str(first.value).partition(": ")[2]


@pytest.mark.parametrize("made", ESTIMATORS)
def test_a_hint_names_what_this_very_estimator_has(made):
    rule, known = fitted(made), inspect.signature(made).parameters
    others = {name for each in ESTIMATORS for name in inspect.signature(each).parameters}
    for name in COUNTERPARTS.keys() - known:
        hint = told(made, name)
        assert made.__name__ not in re.findall(r"\w+", hint)
        assert not re.search("[{}]", hint)
        named = set(re.findall(r"\w*_\w*|\w+(?==)|\bC\b|(?<=^use )\w+|(?<=^call )\w+", hint)) - ELSEWHERE
        for each in named:
            assert hasattr(rule, each), f"{made.__name__}({name}=...): {hint}"
        for option in re.findall(r"(?<=^use )\w+|\w+(?==)", hint):
            assert option in known
        for option, value in re.findall(r"(\w+)='(\w+)'", hint):
            fitted(made, **{option: value})
        assert not (named & others) - known.keys()


@pytest.mark.parametrize(
    ("made", "name", "words"),
    [
        (rosenblatt.Perceptron, "max_iter", "use max_passes"),
        (rosenblatt.Perceptron, "shuffle", "use order='random', which draws rows at random"),
        (rosenblatt.Perceptron, "warm_start", "use start, which .*, or call partial_fit"),
        (rosenblatt.PocketPerceptron, "warm_start", "use start, which takes the weights to begin with$"),
        (rosenblatt.PocketPerceptron, "shuffle", "mistakes are drawn at random already"),
        (rosenblatt.PocketPerceptron, "n_iter_no_change", "use patience; "),
        (rosenblatt.OnlinePerceptron, "tol", "a stream has no end"),
        (rosenblatt.OnlinePerceptron, "max_iter", "a stream has no end"),
        (rosenblatt.OnlinePerceptron, "warm_start", "learn_one and learn_many always go on"),
        (rosenblatt.OnlinePerceptron, "shuffle", "in the order in which they come"),
        (rosenblatt.PerceptronTree, "max_iter", "stop_reasons_ says why"),
        (rosenblatt.PerceptronTree, "warm_start", "every fit starts from scratch"),
        (rosenblatt.PerceptronTree, "shuffle", "the order of the rows changes no test"),
        (rosenblatt.PerceptronTree, "ccp_alpha", "use prune"),
        (rosenblatt.PassiveAggressive, "eta0", "use C, which bounds the steps"),
        (rosenblatt.MarginPerceptron, "eta0", "use beta"),
        (rosenblatt.AveragedPerceptron, "penalty", "their mean does well on new rows without that"),
        (rosenblatt.KernelPerceptron, "shuffle", "rows are looked at in their order"),
        (rosenblatt.KernelPerceptron, "warm_start", "call partial_fit"),
        (rosenblatt.LiftedPerceptron, "cache_size", "only KernelPerceptron"),
        (rosenblatt.Perceptron, "min_samples_leaf", "only PerceptronTree"),
    ],
)
def test_hints(made, name, words):
    assert re.search(words, told(made, name))


def test_every_option_of_scikit_learns_perceptron_is_known():
    ours = inspect.signature(rosenblatt.Perceptron).parameters
    assert {*inspect.signature(Theirs).parameters} <= {*ours, *COUNTERPARTS}


def test_every_hint_is_told_to_somebody():
    said = {
        told(made, name) for made in ESTIMATORS for name in COUNTERPARTS.keys() - inspect.signature(made).parameters
    }
    assert {re.sub("[{}]", "", hint) for hints in COUNTERPARTS.values() for hint in hints} == said


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


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("fit", "learn_many(X, y)"),
        ("partial_fit", "learn_many(X, y)"),
        ("predict", "predict_many(X)"),
        ("decision_function", "score_many(X)"),
    ],
)
def test_a_stream_names_what_it_has_for_the_methods_of_tables(name, instead):
    for stream in (rosenblatt.OnlinePerceptron(), rosenblatt.OnlinePerceptron):
        assert not hasattr(stream, name)
        with pytest.raises(AttributeError, match=re.escape(f"has no {name}, as it learns row by row; use {instead}")):
            getattr(stream, name)
