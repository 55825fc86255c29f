"""Nodes as flat arrays, by which compiled code sends rows down a tree."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.learn.tree.nodes import CategoryTest, ColumnHead, FeatureTest, Node, PerceptronTest
from rosenblatt.learn.tree.routing_kernels import CATEGORY, NUMBER, PERCEPTRON, Flat, Slants


def flat_of(columns: Sequence[ColumnHead], nodes: Sequence[Node]) -> Flat:
    """Nodes as arrays; children keep their numbers."""
    many = len(nodes)
    whole = {name: np.full(many, -1, np.int64) for name in ("column", "first", "missing", "other", "slant", "rule")}
    kind, threshold = np.zeros(many, np.int8), np.zeros(many)
    codes_at, many_codes = np.zeros(many, np.int64), np.zeros(many, np.int64)
    tested = [len(columns[node.test.column].categories or ()) for node in nodes if isinstance(node.test, CategoryTest)]
    branches, filled = np.empty(sum(tested), np.int64), 0
    labels, slants = np.zeros((many, 4), np.int64), list[PerceptronTest]()
    for k, node in enumerate(nodes):
        test = node.test
        labels[k] = node.label
        if node.rule is not None:
            whole["rule"][k] = len(slants)
            slants.append(node.rule.test)
            labels[k, 1:] = node.sides
        if test is None or node.missing is None or node.other is None:
            continue
        whole["missing"][k], whole["other"][k], whole["first"][k] = node.missing, node.other, node.children[0]
        if isinstance(test, CategoryTest):
            kind[k], whole["column"][k] = CATEGORY, test.column
            codes_at[k], many_codes[k] = filled, len(columns[test.column].categories or ())
            own = branches[filled : filled + many_codes[k]]
            own[:] = node.other
            for child, codes in zip(node.children, test.branches, strict=False):
                own[list(codes)] = child
            filled += own.size
            continue
        if isinstance(test, PerceptronTest):
            kind[k], threshold[k], whole["slant"][k] = PERCEPTRON, test.threshold, len(slants)
            slants.append(test)
        else:  # every value that is not missing is at most infinite
            kind[k], whole["column"][k] = NUMBER, test.column
            threshold[k] = test.threshold if isinstance(test, FeatureTest) else np.inf
    return Flat(
        kind, whole["column"], threshold, whole["first"], codes_at, many_codes, branches,
        whole["missing"], whole["other"], whole["slant"], whole["rule"], labels, slants_of(slants),
    )  # fmt: skip


def slants_of(tests: Sequence[PerceptronTest]) -> Slants:
    """Perceptrons as arrays."""
    starts = np.cumsum([0, *(len(test.columns) for test in tests)])
    return Slants(
        starts.astype(np.int64),
        np.array([column for test in tests for column in test.columns], np.int64),
        np.array([code for test in tests for code in test.codes], np.int64),
        np.array([weight for test in tests for weight in test.weights], np.float64),
        np.array([test.threshold for test in tests], np.float64),
    )
