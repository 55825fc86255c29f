"""Model files of trees that are no trees: refused in one line that names the node; and trees that are merely odd."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import PerceptronTree
from rosenblatt.errors import ModelError
from rosenblatt.learn.tree.tree import ColumnHead, FeatureTest, Node, Stop, Tree
from rosenblatt.ship.file import tree_schemas
from rosenblatt.ship.file.canonical import digest, laid_out
from rosenblatt.ship.file.modelfile import Model

GOLDEN = Path(__file__).parents[1] / "golden"
PLAIN = (GOLDEN / "models" / "tree.json").read_text("utf-8")
OF_TABLE = (GOLDEN / "table" / "tree.json").read_text("utf-8")


def checked(record):
    """The text of a record with a checksum that fits."""
    del record["sha256"]
    return laid_out(record | {"sha256": digest(record)}).encode()


def found(nodes, kind, more=lambda node: True):
    """The first node with a test of this kind."""
    return next(node for node in nodes if node["test"] and node["test"]["kind"] == kind and more(node))


def leaf(nodes, more=lambda node: True):
    return next(node for node in nodes if not node["test"] and more(node))


def changed(change, text=PLAIN):
    record = json.loads(text)
    change(record["learned"]["tree"]["nodes"], record)
    return checked(record)


def has_rule(node):
    return node["rule"] is not None


WRONG = {
    "no nodes": (lambda nodes, record: nodes.clear(), "nodes must have a root"),
    "a cycle": (lambda nodes, record: nodes[0]["children"].__setitem__(0, 0), r"nodes\[0\]: the child 0 must be one"),
    "backwards": (
        lambda nodes, record: next(node for node in nodes[1:] if node["test"])["children"].__setitem__(0, 1),
        r"the child 1 must be one of the nodes that follow it|is the child of two nodes",
    ),
    "beyond the end": (lambda nodes, record: nodes[0]["children"].__setitem__(1, 99), "the child 99 must be one"),
    "huge number": (lambda nodes, record: nodes[0]["children"].__setitem__(1, 2**62), "the child 46116860184273"),
    "negative": (lambda nodes, record: nodes[0]["children"].__setitem__(0, -1), "whole number of at least 0, not -1"),
    "two parents": (lambda nodes, record: nodes[0]["children"].append(nodes[0]["children"][0]), "child of two nodes"),
    "lost node": (lambda nodes, record: nodes.append(dict(nodes[-1])), "is no node's child"),
    "no children": (lambda nodes, record: nodes[-1].update(test=nodes[0]["test"], stop=None, rule=None), "0 children"),
    "children of a leaf": (lambda nodes, record: leaf(nodes).update(missing=1), "a leaf has a stop, and no children"),
    "leaf without a stop": (lambda nodes, record: leaf(nodes).update(stop=None), "a leaf has a stop"),
    "unknown stop": (lambda nodes, record: leaf(nodes).update(stop="BORED"), "must be one of PURE"),
    "stop of a test": (lambda nodes, record: nodes[0].update(stop="PURE"), "a stop and a rule are for leaves"),
    "low and high apart": (
        lambda nodes, record: nodes[0]["children"].reverse(),
        "must follow each other|the last child must be the one for missing",
    ),
    "missing goes nowhere": (
        lambda nodes, record: nodes[0].update(missing=None), "missing and other must be among its children",
    ),
    "other goes astray": (lambda nodes, record: nodes[0].update(other=len(nodes) - 1), "missing and other must be"),
    "unknown test": (lambda nodes, record: nodes[0]["test"].update(kind="eval"), "must be one of feature, category"),
    "test without a kind": (lambda nodes, record: nodes[0]["test"].pop("kind"), "must be one of feature, category"),
    "test is a list": (lambda nodes, record: nodes[0].update(test=[]), r"nodes\[0\].test must be an object"),
    "no threshold": (
        lambda nodes, record: found(nodes, "feature")["test"].update(threshold=None), "threshold must be a finite"
    ),
    "whole threshold": (
        lambda nodes, record: found(nodes, "feature")["test"].update(threshold=1), "threshold must be a finite number"
    ),
    "column beyond all": (lambda nodes, record: found(nodes, "feature")["test"].update(column=4), "column of numbers"),
    "feature of categories": (
        lambda nodes, record: found(nodes, "feature")["test"].update(column=3), "needs a column of numbers"
    ),
    "categories of numbers": (
        lambda nodes, record: found(nodes, "category")["test"].update(column=0), "needs a column of categories"
    ),
    "code out of range": (
        lambda nodes, record: found(nodes, "category")["test"]["branches"][0].append(5), "has a category 5, which"
    ),
    "code twice": (
        lambda nodes, record: found(nodes, "category")["test"].update(branches=[[0, 1], [1]]), "categories of its own"
    ),
    "empty branch": (
        lambda nodes, record: found(nodes, "category")["test"]["branches"][0].clear(), "categories of its own"
    ),
    "branch without a child": (
        lambda nodes, record: found(nodes, "category")["test"].update(branches=[[0], [1], [2], [3]]), "4 branches, but"
    ),
    "no terms": (
        lambda nodes, record: found(nodes, "perceptron")["test"].update(columns=[], codes=[], weights=[]), "as many"
    ),
    "weights of another length": (
        lambda nodes, record: found(nodes, "perceptron")["test"]["weights"].append(1.0), "as many columns as codes and"
    ),
    "codes that do not fit": (
        lambda nodes, record: found(nodes, "perceptron")["test"]["codes"].__setitem__(0, 0), "do not fit its columns"
    ),
    "term's code out of range": (
        lambda nodes, record: found(nodes, "perceptron")["test"].update(columns=[3], codes=[5], weights=[1.0]),
        "a category 5, which the column does not have",
    ),
    "rule with odd terms": (
        lambda nodes, record: leaf(nodes, has_rule)["rule"]["test"]["columns"].__setitem__(0, 77), "do not fit its col"
    ),
    "rule with two sides": (lambda nodes, record: leaf(nodes, has_rule)["rule"]["counts"].pop(), "must have 3 entries"),
    "counts of two classes": (lambda nodes, record: nodes[0]["counts"].pop(), "counts must have 3 entries, not 2"),
    "negative count": (lambda nodes, record: nodes[0]["counts"].__setitem__(0, -1.0), "at least 0, with a finite sum"),
    "counts of nothing": (lambda nodes, record: nodes[1].update(counts=[0.0] * 3), "its counts are all 0"),
    "counts that overflow": (lambda nodes, record: nodes[1].update(counts=[1e308] * 3), "with a finite sum"),
    "unknown field": (lambda nodes, record: nodes[0].update(number=0), "has the unknown field 'number'"),
    "too few columns": (lambda nodes, record: record["learned"]["tree"]["columns"].pop(), "must have 4 entries"),
    "odd category": (
        lambda nodes, record: record["learned"]["tree"]["columns"][3]["categories"].append([]), "must be a number or tr"
    ),
    "negative price": (lambda nodes, record: record["learned"].update(price=-1.0), "price must be a finite number"),
    "other words": (lambda nodes, record: record["conventions"].update(ties="heads"), "the conventions do not match"),
    "settled": (lambda nodes, record: record["settled"].update(bias=1.0), "settled has the unknown field 'bias'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_tree_is_named(name):
    change, told = WRONG[name]
    with pytest.raises(ModelError, match=told) as caught:
        Model.from_text(changed(change))
    assert str(caught.value).isprintable()
    assert "damaged" not in str(caught.value)  # which would be an accident, not a check


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_thresholds_that_are_no_numbers(number):
    threshold = found(json.loads(PLAIN)["learned"]["tree"]["nodes"], "feature")["test"]["threshold"]
    with pytest.raises(ModelError, match=r"not a number|not finite"):
        Model.from_text(PLAIN.replace(f'"threshold": {threshold}', f'"threshold": {number}').encode())


def test_cross_validation_must_fit_together():
    record = json.loads((GOLDEN / "models" / "tree_pruned.json").read_text("utf-8"))
    record["learned"]["cross_validation"]["tree"] = 8
    with pytest.raises(ModelError, match="the prices, the errors and the tree taken do not fit together"):
        Model.from_text(checked(record))


def renamed(nodes, record):
    record["learned"]["tree"]["columns"][0]["name"] = "aged"


def hashed(nodes, record):
    record["encoding"]["columns"][0] = {"kind": "hashed text", "name": "number", "words": [], "buckets": 4}


def shorter(nodes, record):
    record["encoding"]["columns"] = record["encoding"]["columns"][:3]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (renamed, "the encoding's column 'age' and the tree's 'aged' differ"),
        (hashed, "a tree cannot use hashed words"),
        (shorter, "the encoding has 2 columns for a tree, but the tree has 6"),
    ],
)
def test_the_encoding_must_have_the_columns_of_the_tree(change, told):
    with pytest.raises(ModelError, match=told):
        Model.from_text(changed(change, OF_TABLE))


def chain(deep):
    """A tree that is one long branch, as an estimator."""
    nodes = []
    for k in range(0, 2 * deep, 2):
        nodes.append(Node(k, (1.0, 1.0), FeatureTest(0, -float(k)), (k + 1, k + 2), k + 2, k + 2))
        nodes.append(Node(k + 1, (0.0, 1.0), stop=Stop.PURE))
    end = Node(2 * deep, (1.0, 0.0), stop=Stop.PURE)
    rule = PerceptronTree(prune=None)
    rule.classes_, rule.n_features_in_, rule.price_ = np.array([0, 1]), 1, 0.0
    rule._take(Tree((ColumnHead("x0"),), (0, 1), (*nodes, end)))
    return rule


def test_a_deep_tree_comes_back():
    rule = chain(2500)
    back = Model.from_text(Model(rule).text().encode()).estimator
    assert back.tree_ == rule.tree_
    assert back.depth_ == 2500
    assert back.predict([[-1e9], [1.0]]).tolist() == [1, 0]


def test_more_categories_than_memory_are_refused(monkeypatch):
    monkeypatch.setattr(tree_schemas, "MOST_CODES", 4)  # the one category test has five
    with pytest.raises(ModelError, match="5 categories in all, too many for a tree"):
        Model.from_text(PLAIN.encode())


@pytest.mark.parametrize("category", [np.datetime64("2020-01-01"), b"x", None])
def test_categories_that_json_cannot_hold_are_refused(category, tmp_path):
    rule = chain(1)
    rule._take(Tree((ColumnHead("x0", (category,)),), (0, 1), (Node(0, (1.0, 1.0), stop=Stop.PURE),)))
    with pytest.raises(ModelError, match="cannot hold this category of a tree"):
        Model(rule).save(tmp_path / "m")
    assert not list(tmp_path.iterdir())
