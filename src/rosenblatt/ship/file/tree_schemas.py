"""How a model file stores a tree, and the checks that ensure that every file is a tree.

Nodes are in the order of their numbers, parents before children, and each but the first is the child of exactly one. So
a tree has no cycles and no lost nodes, and reading it does not follow branches.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.learn.tree import nodes as tree_nodes
from rosenblatt.learn.tree.tree import ColumnHead, Tree
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.file.codecs import (
    COUNT,
    LABEL,
    PLACE,
    REAL,
    REAL_TUPLE,
    SIZE,
    TEXT,
    Codec,
    Shape,
    choice,
    fields,
    group,
    items,
    listed,
    one_of,
    or_null,
    reals,
    tuple_of,
)

MOST_CODES = 2**25  # categories of all category tests together, counting every category of each test's column


# -- prices ----------------------------------------------------------------------------------------------------

PRICE = Codec(  # null: an infinite price, which leaves only the root
    lambda price: None if price == inf else float(price),
    lambda value, where, shape: inf if value is None else SIZE.read(value, where, shape),
)


def _validation_written(tree: Any) -> Any:
    if not hasattr(tree, "cv_tree_"):
        return None
    prices = [PRICE.write(price) for price in tree.cv_prices_.tolist()]
    return {"prices": prices, "errors": tree.cv_errors_.tolist(), "tree": int(tree.cv_tree_)}


def _validation_read(value: Any, where: str, shape: Shape) -> dict[str, Any] | None:
    if value is None:
        return None
    errors = Codec(Array.tolist, lambda given, place, about: reals(given, place))
    given = fields(value, where, {"prices": listed(PRICE), "errors": errors, "tree": COUNT}, shape)
    if not len(given["prices"]) == given["errors"].size > given["tree"]:
        raise ModelError(f"{where}: the prices, the errors and the tree taken do not fit together")
    return {"cv_prices_": np.array(given["prices"]), "cv_errors_": given["errors"], "cv_tree_": given["tree"]}


VALIDATION = Codec(_validation_written, _validation_read)


# -- columns and tests -----------------------------------------------------------------------------------------


def _category_written(value: Any) -> Any:
    return LABEL.read(LABEL.write(value), "a model file cannot hold this category of a tree: it", Shape(0, 0, 0.0))


CATEGORY = Codec(_category_written, LABEL.read)
COLUMN = group(
    lambda shape, name, categories: ColumnHead(name, None if categories is None else tuple(categories)),
    name=TEXT,
    categories=or_null(listed(CATEGORY)),
)
WHOLE_TUPLE = tuple_of(COUNT)
FEATURE = group(lambda shape, **parts: tree_nodes.FeatureTest(**parts), column=COUNT, threshold=REAL)
GROUPS = group(
    lambda shape, column, branches: tree_nodes.CategoryTest(column, tuple(branches)),
    column=COUNT,
    branches=listed(WHOLE_TUPLE),
)
PRESENCE = group(lambda shape, **parts: tree_nodes.PresenceTest(**parts), column=COUNT)
PERCEPTRON = group(
    lambda shape, **parts: tree_nodes.PerceptronTest(**parts),
    columns=WHOLE_TUPLE,
    codes=tuple_of(PLACE),
    weights=REAL_TUPLE,
    threshold=REAL,
)
TESTS = {
    "feature": (tree_nodes.FeatureTest, FEATURE),
    "category": (tree_nodes.CategoryTest, GROUPS),
    "presence": (tree_nodes.PresenceTest, PRESENCE),
    "perceptron": (tree_nodes.PerceptronTest, PERCEPTRON),
}


TEST = one_of(TESTS)


# -- nodes -----------------------------------------------------------------------------------------------------


def _counts_read(value: Any, where: str, shape: Shape) -> tuple[float, ...]:
    """The weight of the rows of each class."""
    found = tuple(items(value, where, 2 if shape.rules == 1 else shape.rules))
    if {*map(type, found)} != {float} or min(found) < 0.0 or not isfinite(sum(found)):
        raise ModelError(f"{where} must be numbers with a decimal point, at least 0, with a finite sum")
    return found


COUNTS = Codec(list, _counts_read)
RULE = group(
    lambda shape, test, counts: tree_nodes.LeafRule(test, tuple(counts)),
    test=PERCEPTRON,
    counts=listed(COUNTS, lambda shape: 3),
)
STOP = Codec(
    lambda stop: stop.name,
    lambda name, where, shape: tree_nodes.Stop[choice(*tree_nodes.Stop.__members__).read(name, where, shape)],
)
NODE = group(
    lambda shape, **parts: tree_nodes.Node(0, **parts),
    counts=COUNTS,
    test=or_null(TEST),
    children=WHOLE_TUPLE,
    missing=or_null(COUNT),
    other=or_null(COUNT),
    stop=or_null(STOP),
    rule=or_null(RULE),
)


def _tree_written(tree: Tree) -> dict[str, Any]:
    return {"columns": listed(COLUMN).write(tree.columns), "nodes": listed(NODE).write(tree.nodes)}


def _tree_read(value: Any, where: str, shape: Shape) -> Tree:
    """The tree, without the names of its classes."""
    kinds = {"columns": listed(COLUMN, lambda shape: shape.features), "nodes": listed(NODE)}
    given = fields(value, where, kinds, shape)
    nodes = [replace(node, number=k) for k, node in enumerate(given["nodes"])]
    _check_numbers(nodes, where)
    many_codes = 0
    for node in nodes:
        problem = _problem(node, given["columns"])
        if problem is not None:
            raise ModelError(f"{where}.nodes[{node.number}]: {problem}")
        if isinstance(node.test, tree_nodes.CategoryTest):
            many_codes += len(given["columns"][node.test.column].categories)
    if many_codes > MOST_CODES:
        raise ModelError(f"{where}: its tests have {many_codes} categories in all, too many for a tree")
    return Tree(tuple(given["columns"]), (), tuple(nodes))


TREE = Codec(_tree_written, _tree_read)


def _check_numbers(nodes: Sequence[tree_nodes.Node], where: str) -> None:
    """Refuse nodes without a parent, with two parents, or before their parent."""
    if not nodes:
        raise ModelError(f"{where}.nodes must have a root")
    parents = {0: -1}
    for node in nodes:
        for child in node.children:
            if not node.number < child < len(nodes):
                raise ModelError(
                    f"{where}.nodes[{node.number}]: the child {child} must be one of the nodes that follow it"
                )
            if child in parents:
                raise ModelError(f"{where}.nodes[{child}] is the child of two nodes")
            parents[child] = node.number
    if len(parents) < len(nodes):
        lost = next(k for k in range(len(nodes)) if k not in parents)
        raise ModelError(f"{where}.nodes[{lost}] is no node's child")


def _problem(node: tree_nodes.Node, columns: Sequence[ColumnHead]) -> str | None:
    """What is wrong with a single node."""
    if not any(node.counts):
        return "its counts are all 0"
    if node.test is None:
        if node.children or node.missing is not None or node.other is not None or node.stop is None:
            return "a leaf has a stop, and no children"
        return None if node.rule is None else _of_perceptron(node.rule.test, columns)
    if node.stop is not None or node.rule is not None:
        return "a stop and a rule are for leaves"
    return _of_test(node.test, columns) or _of_children(node)


def _of_children(node: tree_nodes.Node) -> str | None:
    """What is wrong with the branches: one for each side, and perhaps a last one for missing values."""
    branches, many = node.test.many if node.test is not None else 0, len(node.children)
    if many not in (branches, branches + 1) or many < 2:
        return f"its test has {branches} branches, but {many} children"
    if (
        isinstance(node.test, tree_nodes.FeatureTest | tree_nodes.PerceptronTest)
        and node.children[1] != node.children[0] + 1
    ):
        return "the children for low and for high values must follow each other"
    if node.missing not in node.children or node.other not in node.children:
        return "missing and other must be among its children"
    if many > branches and node.missing != node.children[-1]:
        return "the last child must be the one for missing values"
    return None


def _of_test(test: tree_nodes.Test, columns: Sequence[ColumnHead]) -> str | None:
    if isinstance(test, tree_nodes.CategoryTest):
        return _of_category(test, columns)
    if isinstance(test, tree_nodes.PerceptronTest):
        return _of_perceptron(test, columns)
    if isinstance(test, tree_nodes.PresenceTest):
        return None if test.column < len(columns) else "its test needs a column of the table"
    return None if _is(columns, test.column, number=True) else "its test needs a column of numbers"


def _of_category(test: tree_nodes.CategoryTest, columns: Sequence[ColumnHead]) -> str | None:
    if not _is(columns, test.column, number=False):
        return "its test needs a column of categories"
    codes = [code for branch in test.branches for code in branch]
    if not all(test.branches) or len(set(codes)) < len(codes):
        return "each branch of its test must have categories of its own"
    if max(codes, default=0) >= len(columns[test.column].categories or ()):
        return f"its test has a category {max(codes, default=0)}, which the column does not have"
    return None


def _of_perceptron(test: tree_nodes.PerceptronTest, columns: Sequence[ColumnHead]) -> str | None:
    if not len(test.columns) == len(test.codes) == len(test.weights) > 0:
        return "a perceptron must have as many columns as codes and weights"
    for column, code in zip(test.columns, test.codes, strict=True):
        if not _is(columns, column, number=code == tree_nodes.NUMBER_ITSELF):
            return "a perceptron's codes do not fit its columns"
        if code >= len(columns[column].categories or (0,)):
            return f"a perceptron has a category {code}, which the column does not have"
    return None


def _is(columns: Sequence[ColumnHead], column: int, *, number: bool) -> bool:
    """Whether the column exists and has this kind."""
    return column < len(columns) and (columns[column].categories is None) == number
