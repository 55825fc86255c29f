"""Trees of features agree with a naive tree in exact fractions, node by node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import naive_tree
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.tree.tree import CategoryTest, FeatureTest, PresenceTest


@st.composite
def mixed_tables(draw, max_rows=24, classes=(2, 3)):
    """Columns of numbers and of categories with gaps, labels, and whole weights, some of them zero."""
    n, d = draw(st.integers(2, max_rows)), draw(st.integers(1, 4))
    many = draw(st.sampled_from(classes))
    kinds = draw(st.lists(st.booleans(), min_size=d, max_size=d))
    number = st.one_of(st.integers(-3, 3).map(float), st.sampled_from([0.1, 0.2, 1 / 3, 1e300, -1e300, 5e-324]))
    cells = [st.one_of(st.integers(0, 4).map(float) if kind else number, st.just(np.nan)) for kind in kinds]
    X = np.array(draw(st.lists(st.tuples(*cells), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, many - 1), min_size=n, max_size=n)))
    weights = np.array(draw(st.lists(st.sampled_from([0, 1, 1, 1, 2, 3]), min_size=n, max_size=n)))
    return X, y, weights, kinds


def naive_rows(X, y, weights, heads, classes):
    """Rows as the oracle takes them; categories by their codes."""
    rows = []
    for x, label, weight in zip(X, y, weights, strict=True):
        values = [
            None if np.isnan(v) else v if head.categories is None else head.categories.index(v)
            for v, head in zip(x.tolist(), heads, strict=True)
        ]
        if weight:
            rows.append((values, classes.index(label), int(weight)))
    return rows


def assert_same(tree, node, expected):
    assert node.counts == tuple(expected["counts"])
    assert len(node.children) == len(expected["children"])
    if expected["test"] is None:
        assert node.test is None
        return
    kind, column, rule = expected["test"]
    made = {"number": FeatureTest, "category": CategoryTest, "presence": PresenceTest}[kind]
    assert node.test == (made(column) if rule is None else made(column, rule))
    assert node.missing == node.children[expected["missing"]]
    for child, below in zip(node.children, expected["children"], strict=True):
        assert_same(tree, tree.nodes[child], below)


@pytest.mark.parametrize("criterion", ["gini", "gain ratio", "mistakes"])
@pytest.mark.parametrize("categories", ["grouped", "each"])
@given(data=mixed_tables(), min_leaf=st.sampled_from([1, 2, 4]), max_depth=st.sampled_from([None, 0, 1, 3]))
def test_every_node_is_the_oracles(criterion, categories, data, min_leaf, max_depth):
    X, y, weights, kinds = data
    if len(set(y[weights > 0])) < len(set(y)) or len(set(y)) < 2:
        return
    plan = {"criterion": criterion, "categories": categories, "min_leaf": min_leaf, "max_depth": max_depth}
    model = PerceptronTree(test="feature", prune=None, categorical_features=kinds, **plan)
    model.fit(X, y, sample_weight=weights)
    heads, classes = model.tree_.columns, model.classes_.tolist()
    rows = naive_rows(X, y, weights, heads, classes)
    expected = naive_tree.grow(rows, kinds, len(classes), plan)
    assert_same(model.tree_, model.tree_.nodes[0], expected)
    every = naive_rows(X, y, np.ones_like(weights), heads, classes)
    assert model.predict(X).tolist() == [classes[naive_tree.label_of(expected, values)] for values, *_ in every]


@given(data=mixed_tables(max_rows=12, classes=(2,)), parts=st.integers(0, 40))
def test_pruning_is_best_of_all_subtrees(data, parts):
    X, y, weights, kinds = data
    if len(set(y[weights > 0])) < 2:
        return
    plan = {"criterion": "gini", "categories": "grouped", "min_leaf": 1, "max_depth": 3}
    price = parts / 128
    model = PerceptronTree(test="feature", prune=price, categorical_features=kinds, max_depth=3)
    model.fit(X, y, sample_weight=weights)
    rows = naive_rows(X, y, weights, model.tree_.columns, model.classes_.tolist())
    total = sum(weight for *_, weight in rows)
    versions = naive_tree.subtrees(naive_tree.grow(rows, kinds, 2, plan))
    costs = [(128 * mistakes + parts * total * leaves, leaves) for mistakes, leaves, _ in versions]
    mistakes = sum(round(sum(leaf.counts) - max(leaf.counts)) for leaf in model.tree_.leaves)
    assert (128 * mistakes + parts * total * model.n_leaves_, model.n_leaves_) == min(costs)
