"""Compiled: which way a row goes through a tree, and what becomes of a tree when it is pruned.

A tree is a small tuple of arrays, an entry for each node; `tree` makes it. All rows go the same way when a tree
grows and when it predicts: `step` is the only place that knows.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import Array

LEAF, NUMBER, CATEGORY, PERCEPTRON = 0, 1, 2, 3


class Slants(NamedTuple):
    """Perceptrons: the p-th adds up weights[k] times a number, or the weight where a code is met, for its terms k."""

    starts: Array
    columns: Array
    codes: Array  # MISSING: the column's number itself
    weights: Array
    thresholds: Array


class Flat(NamedTuple):
    """A tree, node by node."""

    kind: Array
    column: Array
    threshold: Array
    first: Array  # the child for low values; the one for high values is next to it
    codes_at: Array  # where the node's part of `branches` begins
    many_codes: Array
    branches: Array  # the child for every code
    missing: Array  # the child for missing values
    other: Array  # and for values that the node has not seen
    slant: Array  # the perceptron of the test
    rule: Array  # the perceptron of the leaf, or MISSING
    labels: Array  # by node: the majority's class; the classes of the leaf's own rule: low, high, missing
    slants: Slants


@inlined
def slanted(slants: Slants, p: int, table: Array, row: int) -> float:
    """The score of a row: NaN where a column that it needs is missing."""
    total = 0.0
    for k in range(slants.starts[p], slants.starts[p + 1]):
        value = table[slants.columns[k], row]
        if slants.codes[k] < 0:
            total += slants.weights[k] * value
        elif np.isnan(value):
            return np.nan
        elif value == slants.codes[k]:
            total += slants.weights[k]
    return total


@inlined
def step(tree: Flat, node: int, table: Array, row: int) -> int:
    """The child that a row goes to."""
    if tree.kind[node] == CATEGORY:
        value = table[tree.column[node], row]
        if np.isnan(value):
            return tree.missing[node]  # type: ignore[no-any-return]
        if not 0.0 <= value < tree.many_codes[node]:
            return tree.other[node]  # type: ignore[no-any-return]
        return tree.branches[tree.codes_at[node] + int(value)]  # type: ignore[no-any-return]
    if tree.kind[node] == NUMBER:
        value = table[tree.column[node], row]
    else:
        value = slanted(tree.slants, tree.slant[node], table, row)
    if np.isnan(value):
        return tree.missing[node]  # type: ignore[no-any-return]
    return tree.first[node] + (value > tree.threshold[node])  # type: ignore[no-any-return]


@compiled
def step_all(tree: Flat, begins: Array, ends: Array, table: Array, out: Array) -> None:
    """The child of every row of a level, whose nodes are those of `tree` and own stretches of rows; of leaves, -1."""
    for node in range(begins.size):
        for row in range(begins[node], ends[node]):
            out[row] = step(tree, node, table, row) if tree.kind[node] != LEAF else -1


@compiled
def count_all(child: Array, labels: Array, costs: Array, counts: Array, sizes: Array) -> None:
    """The counts of the classes of every child, and how many rows it has."""
    for row in range(child.size):
        if child[row] >= 0:
            counts[child[row], labels[row]] += costs[row]
            sizes[child[row]] += 1


@compiled
def leaves_of(tree: Flat, table: Array, first: int, last: int, out: Array) -> None:
    """The leaf of every row."""
    for row in range(first, last):
        node = 0
        while tree.kind[node] != LEAF:
            node = step(tree, node, table, row)
        out[row] = node


@inlined
def side(tree: Flat, node: int, table: Array, row: int) -> int:
    """Which entry of `labels` holds for a row in this leaf: 0 is the majority's; 1, 2, 3 are the leaf's own rule's."""
    if tree.rule[node] < 0:
        return 0
    score = slanted(tree.slants, tree.rule[node], table, row)
    if np.isnan(score):
        return 3
    return 2 if score > tree.slants.thresholds[tree.rule[node]] else 1


@compiled
def sides_of(tree: Flat, table: Array, leaves: Array, first: int, last: int, out: Array) -> None:
    """Where in its leaf every row lies."""
    for row in range(first, last):
        out[row] = side(tree, leaves[row], table, row)


@compiled
def held_out(tree: Flat, gone: Array, table: Array, labels: Array, costs: Array, out: Array) -> None:
    """What every tree of a pruning sequence gets wrong.

    gone[node] is the first tree in which the node has no test (its number in the sequence). out[k] becomes the cost of
    the k-th tree's mistakes: first as differences, added up in the end.
    """
    for row in range(labels.size):
        node, last = 0, out.size
        while True:
            begin = gone[node] if tree.kind[node] != LEAF else 0
            if begin < last:
                if tree.labels[node, side(tree, node, table, row)] != labels[row]:
                    out[begin] += costs[row]
                    if last < out.size:
                        out[last] -= costs[row]
                last = begin
            if last == 0:
                break
            node = step(tree, node, table, row)
    for k in range(1, out.size):
        out[k] += out[k - 1]


@compiled
def weakest_links(parent: Array, costs: Array, gone: Array, below: Array, leaves: Array, steps: Array) -> int:
    """The sequence of the best trees for every price of a leaf (Breiman and others 1984, chapter 3).

    costs[node] is what the node gets wrong as a leaf; nodes come after their parents. gone[node] must be 0 for leaves
    and -1 for others; it becomes the tree of the sequence from which on the node has no test. steps[k] becomes the
    price of a leaf from which on the k-th tree is best, as a fraction: two whole numbers. Returns how many trees
    there are; the first has price 0.
    """
    many, n = 0, parent.size
    while gone[0] < 0 or many == 0:
        for node in range(n):
            below[node] = leaves[node] = 0
        above, under = 1, 0  # the lowest price so far, as a fraction: infinite
        for node in range(n - 1, -1, -1):
            if gone[node] >= 0:
                below[node], leaves[node] = costs[node], 1
            elif leaves[node] > 1:
                saved, spared = costs[node] - below[node], leaves[node] - 1
                if saved * under < above * spared:
                    above, under = saved, spared
            if node > 0:
                below[parent[node]] += below[node]
                leaves[parent[node]] += leaves[node]
        if many == 0 and (under == 0 or above > 0):
            steps[0, 0], steps[0, 1] = 0, 1  # nothing is left that may go at price 0
            many = 1
            continue
        for node in range(n):  # parents first: what is below a node that becomes a leaf goes with it
            if gone[node] < 0 and (
                (node > 0 and gone[parent[node]] == many)
                or (costs[node] - below[node]) * under <= above * (leaves[node] - 1)
            ):
                gone[node] = many
        if many > 0:
            steps[many, 0], steps[many, 1] = above, under
            many += 1
    return many
