"""A tree comes back from its model file to the last bit, whatever it was learned from and with."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rosenblatt import PerceptronTree
from rosenblatt.desk.load import load_model
from rosenblatt.learn.tree.tree import ColumnHead, Columns
from rosenblatt.ship.file.modelfile import Model, grid_fingerprint, save_model

RNG = np.random.default_rng(7)
X = np.round(RNG.normal(size=(90, 4)), 2)
X[:, 3] = RNG.integers(0, 5, 90)
THREE = np.array(["a", "b", "ü"])[(X[:, 0] + X[:, 1] > 0) * 1 + (X[:, 3] % 2 == 1)]
X[RNG.random(X.shape) < 0.08] = np.nan
WEIGHTS = RNG.random(90) * (RNG.random(90) < 0.9)

OPTIONS = [
    {},
    {"prune": None, "categories": "each", "criterion": "gain ratio", "test": "feature"},
    {"prune": 0.01, "leaves": "perceptron", "max_depth": 2, "max_columns": 2},
    {"prune": "one standard error", "class_weight": {"a": 2, "ü": 0.5}, "random_state": 4, "test": "perceptron"},
    {"min_leaf": 60},
    {"max_depth": 0, "class_weight": "balanced"},
]


def same(rule, back, rows):
    assert back.tree_ == rule.tree_
    assert back.predict_proba(rows).tobytes() == rule.predict_proba(rows).tobytes()
    assert back.predict(rows).tolist() == rule.predict(rows).tolist()
    assert back.get_params() == rule.get_params()
    assert vars(back).keys() == vars(rule).keys()
    for name in vars(rule):
        ours, theirs = getattr(rule, name), getattr(back, name)
        assert type(ours) is type(theirs), name
        assert np.array_equal(np.asarray(ours, object), np.asarray(theirs, object)), name


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_a_tree_of_an_array(options, tmp_path):
    rule = PerceptronTree(categorical_features=[3], **options).fit(X, THREE, sample_weight=WEIGHTS)
    save_model(rule, tmp_path / "m")
    back = load_model(tmp_path / "m")
    same(rule, back, X)
    clone(back).fit(X, THREE)
    assert Model(back).text() == (tmp_path / "m").read_text("utf-8")


def test_a_tree_of_a_frame(tmp_path):
    towns = np.array(["Rome", "Oslo", None], object)[RNG.integers(0, 3, 90)]
    frame = pd.DataFrame({"x": X[:, 0], "town": towns, "flag": X[:, 1] > 0, "day": X[:, 3]})
    rule = PerceptronTree(prune=None, categorical_features=["town", "flag", "day"]).fit(frame, THREE)
    save_model(rule, tmp_path / "m")
    same(rule, load_model(tmp_path / "m"), frame)


def test_the_fingerprint_is_that_of_the_cells():
    table, labels = np.ascontiguousarray(X.T), np.arange(90) % 3
    prints = [grid_fingerprint(table, labels), grid_fingerprint(np.asfortranarray(table), labels)]
    assert prints[0] == prints[1]
    assert (prints[0]["rows"], prints[0]["features"]) == (90, 4)
    filled, moved = np.nan_to_num(table), table.copy()
    moved[:, [3, 4]] = moved[:, [4, 3]]
    others = [(filled, labels), (moved, labels), (table[:, :-1], labels[:-1]), (table, labels[::-1])]
    assert all(grid_fingerprint(*other) != prints[0] for other in others)


@pytest.mark.parametrize(
    "options", [{"test": "feature"}, {"test": "perceptron"}, {"max_depth": 0, "leaves": "perceptron"}]
)
def test_codes_that_did_not_occur_keep_their_places(options):
    names = (("town", ("Bonn", "Kiel", "Oslo", "Rome")), ("x", None))
    town, x = RNG.choice([0.0, 2.0, 3.0], 120), RNG.normal(size=120)  # nobody is from Kiel
    labels = ((town == 3.0) | ((town == 2.0) & (x > 0))).astype(int)
    rows = Columns(tuple(ColumnHead(*name) for name in names), np.stack([town, x]))
    rule = PerceptronTree(prune=None, **options).fit(rows, labels)
    assert [(column.name, column.categories) for column in rule.tree_.columns] == list(names)
    found = rule.predict(rows)
    assert (found != labels).mean() < (0.3 if "max_depth" in options else 0.001)
    frame = pd.DataFrame({"town": np.array(names[0][1])[town.astype(int)], "x": x})
    assert rule.predict(frame).tolist() == found.tolist()  # the codes mean what the names say
    assert Model.from_text(Model(rule).text().encode()).estimator.tree_ == rule.tree_
