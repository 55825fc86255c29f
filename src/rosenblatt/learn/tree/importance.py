"""What a tree's columns are worth, and which nodes rows pass: what others ask of a tree after it is learned."""

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.learn.tree.nodes import columns_of
from rosenblatt.learn.tree.proposals import impurity
from rosenblatt.learn.tree.tree import Tree
from rosenblatt.rows.kernels import Array


def importances(tree: Tree, criterion: str) -> Array:
    """The part of each column in what all tests gain (Breiman and others 1984, section 5.3.4); a perceptron's gain is
    shared equally among its columns.
    """
    counts = np.array([node.counts for node in tree.nodes])
    weights = counts.sum(axis=1)
    impure = weights * impurity(counts / weights[:, np.newaxis], criterion)
    out = np.zeros(len(tree.columns))
    for node in tree.nodes:
        if node.test is not None:
            columns = sorted(set(columns_of(node.test)))
            gain = impure[node.number] - impure[list(node.children)].sum()
            out[columns] += max(gain, 0.0) / len(columns)
    total = out.sum()
    return out / total if total > 0.0 else out


def passed(tree: Tree, leaves: Array) -> "scipy.sparse.csr_array":
    """For every row, by its leaf: 1 at the nodes that it passes, the root and the leaf included."""
    parents = {child: node.number for node in tree.nodes for child in node.children}
    ways: dict[int, list[int]] = {}
    for leaf in np.unique(leaves).tolist():
        way = [leaf]
        while way[-1] != 0:
            way.append(parents[way[-1]])
        ways[leaf] = way[::-1]
    each = [ways[leaf] for leaf in leaves.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(way) for way in each])])
    nodes = np.array([number for way in each for number in way], np.int64)
    return scipy.sparse.csr_array((np.ones(nodes.size, np.int64), nodes, starts), shape=(leaves.size, len(tree.nodes)))
