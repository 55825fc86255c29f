"""The conventions of scikit-learn, and what PerceptronTree promises beyond them."""

import os
import pickle
import signal
import threading
from dataclasses import FrozenInstanceError
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import load_model, save_model
from rosenblatt.errors import DataError, OptionError
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.tree.tree import CategoryTest, FeatureTest, PerceptronTest, PresenceTest, Stop


@parametrize_with_checks(
    [
        PerceptronTree(),
        PerceptronTree(test="feature", prune=None, criterion="gain ratio"),
        PerceptronTree(test="perceptron", prune="one standard error", folds=2),
        PerceptronTree(test="feature", leaves="perceptron", prune=0.01, criterion="mistakes"),
    ],
    expected_failed_checks=lambda tree: {
        f"check_sample_weight_equivalence_on_{kind}_data": "a row of weight 2 is in one fold of the cross-validation, "
        "its two copies may be in two; tests/theorems/test_tree.py proves that without it weights are copies"
        for kind in ("dense", "sparse")
        if tree.prune in ("cross-validation", "one standard error")
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_whether_a_value_is_missing_can_be_the_whole_test(tmp_path):
    X, y = np.array([[0.0], [0.0], [0.0], [np.nan], [np.nan]]), [0, 0, 0, 1, 1]
    tree = PerceptronTree(prune=None).fit(X, y)
    assert tree.tree_.nodes[0].test == PresenceTest(0)
    assert tree.predict(X).tolist() == y
    assert tree.export_text().splitlines()[::2] == ["x0 is not missing:", "x0 is missing:"]
    save_model(tree, tmp_path / "tree.json")
    assert load_model(tmp_path / "tree.json").predict(X).tolist() == y
    named = PerceptronTree(prune=None, categorical_features=[0]).fit(X, y)
    assert named.predict(X).tolist() == y
    assert named.predict([[7.0]]).tolist() == [0]  # a value that was not seen is a value


def test_a_threshold_that_gains_nothing_is_left_out():
    X, y = [[1.0], [2.0], [3.0], [np.nan], [np.nan]], [0, 0, 0, 1, 1]
    assert PerceptronTree(prune=None).fit(X, y).n_leaves_ == 2


def test_boosted_trees_learn(rng):
    X = rng.normal(size=(300, 2))
    y = (X**2).sum(axis=1) > 1.4
    boosted = AdaBoostClassifier(PerceptronTree(max_depth=1, prune=None), n_estimators=20, random_state=0).fit(X, y)
    assert boosted.score(X, y) > 0.9


def cars():
    rng = np.random.default_rng(0)
    weight, origin = rng.uniform(1500, 5000, 200), rng.choice(["USA", "Europe", "Japan"], 200)
    power = weight / 30 + rng.normal(size=200) * 15
    good = np.where(weight + 10 * power - 400 * (origin == "Japan") < 4000, "good", "bad")
    power[::17] = np.nan
    return {"weight": weight, "power": power, "origin": origin}, good


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("options", [{}, {"test": "feature"}, {"test": "feature", "categories": "each"}])
def test_data_frames_with_categories_and_gaps(frame, options):
    columns, y = cars()
    X = frame(columns)
    tree = PerceptronTree(**options).fit(X, y)
    assert tree.feature_names_in_.tolist() == ["weight", "power", "origin"]
    assert [c.categories for c in tree.tree_.columns] == [None, None, ("Europe", "Japan", "USA")]
    assert tree.score(X, y) > 0.9
    text = tree.export_text()
    assert "good" in text
    assert "weight" in text
    coded = np.column_stack([columns["weight"], columns["power"], pd.Categorical(columns["origin"]).codes])
    by_number = PerceptronTree(**options, categorical_features=[2]).fit(coded, y)
    assert [node.test for node in by_number.tree_.nodes] == [node.test for node in tree.tree_.nodes]
    named = PerceptronTree(**options, categorical_features=["origin"]).fit(X, y)
    assert named.tree_ == tree.tree_


def test_an_unknown_category_goes_with_the_larger_branch_and_a_missing_one_where_no_gap_was_seen():
    X = pd.DataFrame({"fuel": ["gas", "gas", "gas", "coal"]})
    y = [1, 1, 1, 0]
    tree = PerceptronTree(prune=None).fit(X, y)
    root = tree.tree_.nodes[0]
    assert root.test == CategoryTest(0, ((0,), (1,)))
    assert root.missing == root.other == root.children[1]
    new = pd.DataFrame({"fuel": ["wood", None, "coal"]})
    assert tree.predict(new).tolist() == [1, 1, 0]


def test_missing_values_have_a_branch_of_their_own():
    X = [[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]]
    y = ["a", "a", "b", "b", "c", "c"]
    tree = PerceptronTree(prune=None).fit(X, y)
    root = tree.tree_.nodes[0]
    assert root.test == FeatureTest(0, 2.5)
    assert root.missing == root.children[2]
    assert tree.predict([[np.nan], [0.0], [9.0]]).tolist() == ["c", "a", "b"]
    assert tree.path([np.nan])[0] == (0, "x0 is missing", None)


def test_perceptrons_without_a_score_take_their_own_branch():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(X.sum(axis=1) > 0, 1, 0)
    X[:30, 0], y[:30] = np.nan, 2
    tree = PerceptronTree(test="perceptron", prune=None).fit(X, y)
    root = tree.tree_.nodes[0]
    assert isinstance(root.test, PerceptronTest)
    assert len(root.children) == 3
    assert tree.predict([[np.nan, 5.0]]).tolist() == [2]
    assert tree.score(X, y) == 1.0


def test_a_value_at_the_threshold_is_low_and_equal_classes_give_the_first():
    tree = PerceptronTree(prune=None).fit([[1.0], [3.0]], ["b", "a"])
    assert tree.predict([[2.0], [np.nextafter(2.0, 3.0)]]).tolist() == ["b", "a"]
    undecided = PerceptronTree(prune=None).fit([[1.0], [1.0]], ["b", "a"])
    assert undecided.n_nodes_ == 1
    assert undecided.predict([[1.0]]).tolist() == ["a"]
    assert undecided.stop_reasons_ == {0: Stop.NO_GAIN}
    assert undecided.predict_proba([[7.0]]).tolist() == [[0.5, 0.5]]


def test_it_tells_what_it_is_made_of():
    X, y = load_iris(return_X_y=True)
    tree = PerceptronTree(max_depth=2, prune=None).fit(X, y)
    assert tree.depth_ == 2
    assert tree.n_leaves_ == len(tree.stop_reasons_) == (tree.n_nodes_ + 1) // 2
    assert Stop.DEPTH in tree.stop_reasons_.values()
    assert str(Stop.DEPTH) == "It is as deep as the tree may be."
    assert tree.export_text(["a", "b", "c", "d"]) != tree.export_text()
    with pytest.raises(OptionError, match="4 columns need 4 names, not 1"):
        tree.export_text(["a"])
    with pytest.raises(FrozenInstanceError):
        tree.tree_.nodes = ()
    small = PerceptronTree(min_leaf=60, prune=None).fit(X, y)
    assert all(sum(leaf.counts) >= 60 for leaf in small.tree_.leaves)
    assert PerceptronTree(min_gain=2.0, prune=None).fit(X, y).n_nodes_ == 1


def test_the_text_of_a_tree():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    tree = PerceptronTree(test="feature", prune=None).fit(X, ["no", "no", "no", "yes"])
    assert tree.export_text(["rain", "sun"]) == (
        "rain <= 0.5:\n|   no (no 2)\nrain > 0.5:\n|   sun <= 0.5:\n|   |   no (no 1)\n|   sun > 0.5:\n"
        "|   |   yes (yes 1)"
    )
    assert tree.path([1.0, 0.0]) == [(0, "x0 > 0.5", 1.0), (2, "x1 <= 0.5", 0.0), (3, "'no'", None)]
    one = PerceptronTree(test="perceptron", prune=None).fit(X, ["no", "no", "no", "yes"])
    assert one.export_text(["rain", "sun"]).startswith("rain + sun <= 1.5:")


def test_a_very_deep_tree():
    X = np.arange(3000.0)[:, np.newaxis]
    y = np.arange(3000) % 2
    tree = PerceptronTree(test="feature", criterion="gain ratio", prune=None).fit(X, y)
    assert (tree.predict(X) == y).all()
    assert tree.export_text().count("\n") == tree.n_nodes_ - 2 + tree.n_leaves_


def test_leaves_with_perceptrons_of_their_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X @ [1.0, 1.0, 0.0] > 0
    tree = PerceptronTree(test="feature", leaves="perceptron").fit(X, y)
    assert tree.n_nodes_ == 1
    assert tree.tree_.nodes[0].rule is not None
    assert tree.score(X, y) == 1.0
    assert " if " in tree.export_text()
    assert set(map(tuple, tree.predict_proba(X).tolist())) == {(0.0, 1.0), (1.0, 0.0)}


def test_class_weights_move_the_decision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = (X[:, 0] + rng.normal(size=500) > 1.0).astype(int)
    wary, plain = (PerceptronTree(class_weight=w, max_depth=2).fit(X, y) for w in ({1: 10.0}, None))
    assert (wary.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    weights = np.where(y == 1, 10.0, 1.0)
    assert PerceptronTree(max_depth=2, prune=None).fit(X, y, weights).tree_ == (
        PerceptronTree(class_weight={1: 10.0}, max_depth=2, prune=None).fit(X, y).tree_
    )


def test_the_seed_shuffles_folds_only():
    columns, y = cars()
    X = pd.DataFrame(columns)
    assert PerceptronTree(random_state=1).fit(X, y).tree_ == PerceptronTree(random_state=1).fit(X, y).tree_
    errors = [PerceptronTree(random_state=seed).fit(X, y).cv_errors_.tolist() for seed in range(4)]
    assert any(each != errors[0] for each in errors)
    assert PerceptronTree(random_state=3, prune=None).fit(X, y).tree_ == PerceptronTree(prune=None).fit(X, y).tree_


def test_it_can_be_cloned_pickled_and_cross_validated():
    X, y = load_iris(return_X_y=True)
    tree = PerceptronTree(folds=3).fit(X, y)
    assert pickle.loads(pickle.dumps(tree)).tree_ == tree.tree_
    assert clone(tree).get_params() == tree.get_params()
    assert cross_val_score(PerceptronTree(), X, y).mean() > 0.9


def test_the_number_of_threads_does_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 8))
    y = X @ rng.normal(size=8) + rng.normal(size=20_000) > 0
    both = PerceptronTree(max_depth=6, prune=None).fit(X, y)
    monkeypatch.setenv("ROSENBLATT_THREADS", "1")
    alone = PerceptronTree(max_depth=6, prune=None).fit(X, y)
    assert alone.tree_ == both.tree_
    assert (alone.predict(sp.csr_array(X)) == both.predict(X)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "guess"}, "test must be one of 'feature', 'perceptron', 'auto', not 'guess'"),
        ({"criterion": "luck"}, "criterion must be one of"),
        ({"leaves": "none"}, "leaves must be one of"),
        ({"categories": "all"}, "categories must be one of"),
        ({"max_depth": -1}, "max_depth must be a whole number of at least 0"),
        ({"max_depth": 1.5}, "max_depth must be a whole number"),
        ({"max_columns": 1}, "max_columns must be a whole number of at least 2"),
        ({"min_leaf": 0}, "min_leaf must be a number above 0"),
        ({"min_gain": -1.0}, "min_gain must be a number of at least 0"),
        ({"spare": float("nan")}, "spare must be a number of at least 0"),
        ({"folds": 1}, "folds must be a whole number of at least 2"),
        (
            {"prune": "hard"},
            "prune must be a number of at least 0, 'cross-validation', 'one standard error', or None, not 'hard'",
        ),
        ({"prune": -0.1}, "prune must be a number of at least 0"),
        ({"class_weight": "fair"}, "class_weight must be a dict, 'balanced', or None"),
        ({"class_weight": {0: -1.0}}, "class_weight of 0 must be a number of at least 0, not -1.0"),
        ({"categorical_features": [9]}, "names a column that is not there: 9"),
        (
            {"categorical_features": "dtype"},
            "categorical_features must be numbers or names in a list, 'from_dtype', or None",
        ),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(OptionError, match=message):
        PerceptronTree(**options).fit(*load_iris(return_X_y=True))


def test_one_of_two_values_tells_all():
    """A sum asks for one value of a column that has two, and for any of a column that has three."""
    rng = np.random.default_rng(0)
    late, home, debt = rng.integers(0, 2, 400), rng.integers(0, 3, 400), rng.normal(size=400)
    frame = pd.DataFrame({"late": late, "home": home}, dtype="category").assign(debt=debt)
    y = debt + late - np.array([0.0, 0.5, -0.5])[home] > 0.3
    tests = [node.test for node in PerceptronTree(test="perceptron", prune=None).fit(frame, y).tree_.nodes]
    asked = [
        [code for column, code in zip(test.columns, test.codes, strict=True) if column == 0] for test in tests if test
    ]
    assert any(asked)
    assert all(len(codes) <= 1 for codes in asked)


@pytest.mark.parametrize("test", ["auto", "feature", "perceptron"])
def test_where_nothing_is_known_there_is_one_leaf(test):
    """A column of categories that are all missing has no feature."""
    tree = PerceptronTree(test=test).fit(pd.DataFrame({"a": [None] * 6}, dtype="category"), [0, 1] * 3)
    assert tree.n_nodes_ == 1


def test_rows_are_checked():
    X, y = load_iris(return_X_y=True)
    X[3, 1] = np.inf
    with pytest.raises(DataError, match="row 3, column 'x1': the value is inf"):
        PerceptronTree().fit(X, y)
    with pytest.raises(DataError, match="one class only, 1"):
        PerceptronTree().fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(DataError, match="row 0, column 'a': 'x' is not a number"):
        PerceptronTree(categorical_features=None).fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])
    with pytest.raises(DataError, match="weights of all rows are zero"):
        PerceptronTree().fit([[1.0], [2.0]], [0, 1], sample_weight=[0, 0])
    with pytest.raises(DataError, match="X has 2 rows but y has 1 labels"):
        PerceptronTree().fit(pd.DataFrame({"a": [1, 2]}), [0])
    with pytest.raises(NotFittedError):
        PerceptronTree().predict([[1.0]])
    tree = PerceptronTree().fit(*load_iris(return_X_y=True))
    with pytest.raises(DataError, match="path explains one row, not 2"):
        tree.path(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="3 features"):
        tree.predict([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("size", [1e300, 1e-300, 5e-324])
def test_extreme_units(size):
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, size=(100, 3)).astype(float)
    y = X @ [1.0, 2.0, -1.0] > 0.5
    assert PerceptronTree(prune=None).fit(X * size, y).score(X * size, y) == 1.0


def test_ctrl_c_keeps_the_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 20)), rng.integers(0, 2, 60_000)
    tree = PerceptronTree(folds=50)
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        tree.fit(X, y)
    assert sum(sum(leaf.counts) for leaf in tree.tree_.leaves) == len(y)
    assert tree.predict(X[:5]).shape == (5,)


@pytest.mark.parametrize(
    "typed",
    [
        lambda frame: frame.astype(object),
        lambda frame: frame.astype(pd.SparseDtype(float, 0.0)),
        lambda frame: frame.map(lambda number: Decimal(str(number))),
        lambda frame: frame.apply(lambda column: pd.to_timedelta(column, unit="h")),
        lambda frame: frame.astype(object).replace(frame.iloc[3, 0], pd.NA),
    ],
    ids=["objects", "sparse", "decimals", "lengths of time", "objects, one missing"],
)
def test_numbers_of_any_type_are_numbers(typed, rng):
    frame = pd.DataFrame(rng.normal(size=(400, 4)).round(3), columns=list("abcd"))
    y = (frame["a"] + frame["b"] > 0).to_numpy()
    X = typed(frame)
    assert PerceptronTree().fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.9


def test_a_column_that_names_rows_is_no_test(rng):
    a = rng.normal(size=600)
    y, frame = a + rng.normal(size=600) / 2 > 0, pd.DataFrame({"a": a, "id": [f"u{k}" for k in range(600)]})
    with pytest.warns(UserWarning, match="column 'id' has another value in nearly every row"):
        tree = PerceptronTree(random_state=0).fit(frame[:300], y[:300])
    alone = PerceptronTree(random_state=0).fit(frame[["a"]][:300], y[:300])
    assert (tree.predict(frame[300:]) == alone.predict(frame[["a"]][300:])).all()


def test_columns_in_another_order_are_told_so(rng):
    frame = pd.DataFrame({"a": rng.normal(size=60), "s": rng.choice(["p", "q"], 60)})
    tree = PerceptronTree().fit(frame, frame["a"] > 0)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        tree.predict(frame[["s", "a"]])
    with pytest.raises(ValueError, match="Feature names unseen at fit time"):
        tree.predict(frame.rename(columns={"a": "b"}))
