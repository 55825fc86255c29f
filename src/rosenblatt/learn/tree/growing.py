"""How a tree grows: level by level, every open node its best test.

Problem   a small tree that gets few rows wrong.
Input     rows, a plan.
Result    nodes, each leaf with the reason why it is one.
Papers    see `tree`.

`find_splits` seeks the tests of a level's nodes. A row goes the same way here as in a prediction (`routing_kernels`).
"""

from collections.abc import Callable

import numpy as np

from rosenblatt.learn.tree import routing_kernels
from rosenblatt.learn.tree.canonical_rows import TreeRows
from rosenblatt.learn.tree.find_sparse_splits import StoredSearch
from rosenblatt.learn.tree.find_splits import InterruptedSearch, Search
from rosenblatt.learn.tree.nodes import LeafRule, Node, PerceptronTest, Stop
from rosenblatt.learn.tree.proposals import Level, Proposal
from rosenblatt.learn.tree.tree_options import Plan
from rosenblatt.rows.kernels import Array


def grow(
    rows: TreeRows,
    plan: Plan,
    interrupted: Callable[[], bool] = lambda: False,
    watch: Callable[[int, int], None] | None = None,
) -> list[Node]:
    """The nodes of a tree for these rows, parents before children."""
    return Growth(rows, plan, interrupted).run(watch)


class Growth:
    """A tree that grows."""

    def __init__(self, rows: TreeRows, plan: Plan, interrupted: Callable[[], bool]) -> None:
        self.rows, self.plan, self.interrupted = rows, plan, interrupted
        self.search = (Search if rows.stored is None else StoredSearch)(rows, plan, interrupted)
        self.nodes: list[Node] = []

    def run(self, watch: Callable[[int, int], None] | None) -> list[Node]:
        """Level by level."""
        totals = np.zeros((1, self.rows.copies.size), np.int64)
        np.add.at(totals[0], self.rows.labelled.labels, self.rows.labelled.costs)
        level, depth = Level([0], np.zeros(1, np.int64), np.array([self.search.n]), totals, [False]), 0
        made = 1
        while level.numbers:
            stops, proposals, rules = self._sought(level, depth)
            tests = iter(proposals)
            nodes = []
            for k, number in enumerate(level.numbers):
                proposal = next(tests) if stops[k] is None else None
                node = self._node(number, level.totals[k], proposal, stops[k], made, rules[k])
                made += len(node.children)
                nodes.append(node)
            self.nodes += nodes
            level, depth = self._next(level, nodes), depth + 1
            if watch is not None:
                watch(depth, made)
        return self.nodes

    def _sought(
        self, level: Level, depth: int
    ) -> tuple[list[Stop | None], list[Proposal | None], list[LeafRule | None]]:
        """Why nodes need no test, the tests of the others, and the rules of all; if interrupted, none has any."""
        try:
            stops = self._stops(level, depth, self.interrupted())
            tests = self.search.tests(level.some(np.array([stop is None for stop in stops])))
            return stops, tests, self.search.rules(level)
        except InterruptedSearch:
            return self._stops(level, depth, True), [], [None] * len(level.numbers)

    def _stops(self, level: Level, depth: int, interrupted: bool) -> list[Stop | None]:
        """Why a node needs no test, for those that need none."""
        plan, stops = self.plan, list[Stop | None]()
        for counts, separated in zip(level.totals.tolist(), level.separated, strict=True):
            total = sum(counts)
            if max(counts) == total:
                stops.append(Stop.SEPARATED if separated else Stop.PURE)
            elif interrupted:
                stops.append(Stop.INTERRUPTED)
            elif plan.max_depth is not None and depth >= plan.max_depth:
                stops.append(Stop.DEPTH)
            elif total < 2 * self.search.measure.least:
                stops.append(Stop.SMALL)
            else:
                stops.append(None)
        return stops

    def _node(
        self, number: int, counts: Array, proposal: Proposal | None, stop: Stop | None, made: int, rule: LeafRule | None
    ) -> Node:
        """A node, whose children will have the numbers from `made` on."""
        weights = tuple((counts * self.rows.unit).tolist())
        if proposal is None:
            return Node(number, weights, stop=stop or Stop.NO_GAIN, rule=rule)
        test = proposal.test
        many = test.many
        larger = made + proposal.larger
        missing = made + many if proposal.absent else larger
        return Node(
            number, weights, test, tuple(range(made, made + many + proposal.absent)), missing, larger, rule=rule
        )

    def _next(self, level: Level, nodes: list[Node]) -> Level:
        """The children, and every column's order parted among them."""
        first = nodes[-1].number + 1
        many = sum(len(node.children) for node in nodes)
        totals, sizes = np.zeros((many, level.totals.shape[1]), np.int64), np.zeros(many, np.int64)
        if not many:
            return Level([], sizes, sizes, totals, [])
        child = np.empty(self.search.n, np.int32)
        data = self.search.data
        flat, table = self.search.seen(level, nodes)
        routing_kernels.step_all(flat, level.begins, level.ends, table, child)
        child[child >= 0] -= first
        routing_kernels.count_all(child, data.labels, data.costs, totals, sizes)
        ends = np.cumsum(sizes)
        begins = ends - sizes
        self.search.part(child, begins, int(ends[-1]))
        parents = [node for node in nodes for _ in node.children]
        pure = (totals > 0).sum(axis=1) <= 1
        separated = [
            isinstance(parent.test, PerceptronTest) and all(pure[c - first] for c in parent.children[:2])
            for parent in parents
        ]
        return Level(list(range(first, first + many)), begins, ends, totals, separated)
