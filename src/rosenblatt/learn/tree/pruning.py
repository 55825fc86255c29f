"""Cost-complexity pruning: a leaf has a price, and a test must pay for its leaves.

Problem   the subtree with the least (cost of the mistakes) + price * (number of leaves), for every price; and the price
          under which rows that a tree has not seen are predicted best.
Input     a tree's nodes; for the price, the rows and the plan of the tree, and a number of folds.
Result    `Trees`: nested trees and the prices from which on each is best; `PruningChoice`: the one to take.
Paper     Breiman, Friedman, Olshen and Stone 1984, chapter 3.

Costs and numbers of leaves are whole numbers, and prices are compared as fractions, so ties are decided the same
everywhere. The whole tree is one of those compared: the one chosen is never worse by cross-validation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf, sqrt

import numpy as np

from rosenblatt.learn.tree import routing_kernels
from rosenblatt.learn.tree.canonical_rows import TreeRows
from rosenblatt.learn.tree.flat_nodes import flat_of
from rosenblatt.learn.tree.growing import grow
from rosenblatt.learn.tree.nodes import Node, Stop
from rosenblatt.learn.tree.tree import LOOK
from rosenblatt.learn.tree.tree_options import Plan
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True, eq=False)
class Trees:
    """Nested trees: the k-th is best from prices[k] on; gone[node] is the first tree in which a node has no test."""

    prices: tuple[Fraction, ...]  # of a leaf, as parts of the cost of all rows
    gone: Array

    def leaves(self, nodes: Sequence[Node]) -> list[int]:
        """How many leaves each tree has."""
        return [sum(node.test is None for node in cut(nodes, self.gone, k)) for k in range(len(self.prices))]

    def at(self, price: float) -> int:
        """The tree for this price."""
        return sum(1 for other in self.prices if other <= price) - 1


@dataclass(frozen=True)
class PruningChoice:
    """A tree of the sequence, and what cross-validation says of each: the price tried, and the cost of mistakes."""

    tree: int
    prices: tuple[float, ...]
    costs: tuple[int, ...]


def mistakes(node: Node, unit: float) -> int:
    """The cost of a node's mistakes as a leaf, in whole units."""
    sides = node.rule.counts if node.rule is not None else (node.counts,)
    return sum(round((sum(side) - max(side)) / unit) for side in sides)


def trees_of(nodes: Sequence[Node], unit: float) -> Trees:
    """The sequence of the best trees for every price."""
    many = len(nodes)
    parent = np.full(many, -1, np.int64)
    for node in nodes:
        parent[list(node.children)] = node.number
    costs = np.array([mistakes(node, unit) for node in nodes], np.int64)
    gone = np.array([-1 if node.test is not None else 0 for node in nodes], np.int64)
    below, leaves, steps = np.empty(many, np.int64), np.empty(many, np.int64), np.empty((many + 1, 2), np.int64)
    found = briefly(routing_kernels.weakest_links, many * LOOK)(parent, costs, gone, below, leaves, steps)
    total = round(sum(nodes[0].counts) / unit)
    return Trees(tuple(Fraction(int(a), int(b)) / total for a, b in steps[:found]), gone)


def whole(nodes: Sequence[Node]) -> list[Node]:
    """The nodes of the tree as it has grown; rules are for leaves."""
    return [node if node.test is None else replace(node, rule=None) for node in nodes]


def cut(nodes: Sequence[Node], gone: Array, tree: int) -> list[Node]:
    """The nodes of a tree of the sequence, renumbered."""
    kept, number = [0], {0: 0}
    for place in kept:
        if nodes[place].test is not None and gone[place] > tree:
            for child in nodes[place].children:
                number[child] = len(kept)
                kept.append(child)
    return [_renumbered(nodes[place], number, gone[place] > tree) for place in kept]


def _renumbered(node: Node, number: dict[int, int], whole: bool) -> Node:
    """A node with new numbers; a leaf if it is not to be whole."""
    if node.test is None or node.missing is None or node.other is None:
        return replace(node, number=number[node.number])
    if not whole:
        return Node(number[node.number], node.counts, stop=Stop.PRUNED, rule=node.rule)
    return replace(
        node,
        number=number[node.number],
        children=tuple(number[child] for child in node.children),
        missing=number[node.missing],
        other=number[node.other],
        rule=None,
    )


def folds_of(rows: TreeRows, many: int, seed: int) -> Array:
    """What each row costs in each fold: the rows of a class, in a random order, are dealt out one by one.

    A row stays whole, whatever its weight: else a tree would be judged by a part of a row that it knows the rest of.
    Of equal rows that were joined, each is dealt out by itself, and all cost the same, but the last the rest, too.
    """
    _, labels, costs = rows.labelled
    pieces, each = rows.pieces, costs // rows.pieces
    order = np.random.default_rng(seed).permutation(labels.size)
    order = order[np.argsort(labels[order], kind="stable")]
    begins = np.empty_like(pieces)
    begins[order] = np.cumsum(pieces[order]) - pieces[order]
    folds = np.arange(many)[:, np.newaxis]
    dealt = ((begins + pieces - 1 - folds) // many - (begins - 1 - folds) // many) * each
    dealt[(begins + pieces - 1) % many, np.arange(labels.size)] += costs - pieces * each
    return np.asarray(dealt)


def _of_fold(watch: Callable[[int, int, int], None], fold: int, depth: int, made: int) -> None:
    watch(depth, made, fold)


def chosen(
    rows: TreeRows,
    plan: Plan,
    whole: Trees,
    *,
    folds: int,
    seed: int,
    errors: float = 0.0,
    interrupted: Callable[[], bool] = lambda: False,
    watch: Callable[[int, int, int], None] | None = None,
) -> PruningChoice:
    """The tree with the least cross-validated cost, the smallest of equals, or within `errors` standard errors of it.

    Each tree of the sequence is judged at the geometric mean of the prices between which it is best. `watch` is told
    the depth, the nodes, and the fold from 1.
    """
    ends = [*(float(price) for price in whole.prices[1:]), inf]
    tried = [sqrt(float(price) * end) for price, end in zip(whole.prices, ends, strict=True)]
    tried[-1] = inf if len(tried) > 1 else 0.0
    costs = np.zeros(len(tried), np.int64)
    for fold, dealt in enumerate(folds_of(rows, folds, seed), start=1):
        known, held_out = rows.with_costs(rows.labelled.costs - dealt), rows.with_costs(dealt)
        if interrupted() or not known.labelled.labels.size:
            continue
        nodes = grow(known, plan, interrupted, None if watch is None else partial(_of_fold, watch, fold))
        trees = trees_of(nodes, rows.unit)
        wrong = np.zeros(len(trees.prices), np.int64)
        judge = briefly(routing_kernels.held_out, held_out.labelled.labels.size * LOOK)
        for sent, part in held_out.sent_down(nodes):
            more = np.zeros_like(wrong)
            judge(flat_of(rows.heads, sent), trees.gone, *part, more)
            wrong += more
        prices = np.array([float(price) for price in trees.prices])
        costs += wrong[np.searchsorted(prices, tried, side="right") - 1]
    least, total = int(costs.min()), int(rows.labelled.costs.sum())
    share = least / total
    spare = errors * sqrt(share * (1.0 - share) / (total * rows.unit)) * total
    best = int(np.flatnonzero(costs <= least + spare).max())
    return PruningChoice(best, tuple(tried), tuple(costs.tolist()))
