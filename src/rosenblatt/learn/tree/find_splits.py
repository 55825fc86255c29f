"""The tests of a level's nodes: the best feature, the best perceptron, and the better of both.

Problem   for each node, a test that brings its classes apart.
Input     rows, a plan, the nodes of a level.
Result    a `Proposal` for each node, or none where no test gains enough; and the rules of leaves.
Papers    Breiman and others 1984; Quinlan's gain ratio (C4.5, 1993) takes, of the columns that gain at least as much as
          the average one, the one with the highest gain per bit of the branch's own information.

Each column is sorted once. A level's nodes own stretches of the rows and of every column's order: the rows of a node
lie side by side, so that a small node's are near, and those of leaves are gone.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise, takewhile

import numpy as np

from rosenblatt.learn.tree import lookahead_kernels, oblique_kernels, routing_kernels, split_kernels
from rosenblatt.learn.tree import nodes as tree_nodes
from rosenblatt.learn.tree.canonical_rows import TreeRows
from rosenblatt.learn.tree.directions import Features
from rosenblatt.learn.tree.flat_nodes import flat_of, slants_of
from rosenblatt.learn.tree.nodes import T
from rosenblatt.learn.tree.oblique_kernels import Limits, Sorting, room_for
from rosenblatt.learn.tree.proposals import Level, Proposal, better_of, impurity
from rosenblatt.learn.tree.routing_kernels import Flat
from rosenblatt.learn.tree.split_kernels import EVEN, MISTAKES, PRESENCE, Found, Labelled, Purity, Values
from rosenblatt.learn.tree.tree import LOOK
from rosenblatt.learn.tree.tree_options import CRITERIA, Plan
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.threads import in_equal_pieces, in_pieces

NUMBERS = range(tree_nodes.NUMBER_ITSELF, tree_nodes.NUMBER_ITSELF + 1)  # the only code of a column of numbers
LOGS, LOGS_PER_ROW = 2**20, 64  # numbers k whose k log2 k are kept, at most: of heavy rows, few k are ever met
CANDIDATES = 32  # features that a perceptron test is sought among
UNCLEAR, FORESIGHT = 0.3, 3.0  # a gain below this part of the impurity is small; one this many times as high, large
MOST_PAIRED = 32  # columns; of more, there are too many pairs
DIGITS, ALL_DIGITS = 3, 17  # of a weight
WORK = 20.0  # a row's part of a scan, and of the search for a perceptron by feature, in numbers of a plain pass


class InterruptedSearch(Exception):  # noqa: N818
    """Raised where Ctrl-C ends the search for the tests of a level: none of them counts."""


class Search:
    """What tests are sought in: the rows and every column's order, parted among the nodes of a level.

    Between two columns, and between pieces of the nodes, it hears Ctrl-C.
    """

    def __init__(self, rows: TreeRows, plan: Plan, interrupted: Callable[[], bool] = lambda: False) -> None:
        self.rows, self.plan, self.data, self.interrupted = rows, plan, rows.labelled, interrupted
        table, labels, costs = rows.labelled
        self.n, self.d = labels.size, len(table)
        total = int(costs.sum())
        logs = np.empty(min(total + 1, LOGS, LOGS_PER_ROW * max(self.n, 1)))
        briefly(split_kernels.fill_logs, logs.size)(logs)
        least = max(int(np.ceil(plan.min_leaf * rows.usual)), 1)
        self.measure = Purity(CRITERIA[plan.criterion], logs, least)
        self._prepare()

    def _prepare(self) -> None:
        """Sort the columns, and list what a perceptron may use."""
        rows, plan = self.rows, self.plan
        self.order = np.empty((self.d if plan.test != "perceptron" else 0, self.n), np.uint32)
        in_pieces(self._sort, 0, len(self.order), self.n * WORK)
        codes = [NUMBERS if head.categories is None else range(len(head.categories)) for head in rows.heads]
        self.codes_at = np.cumsum([0, *(len(head.categories or ()) for head in rows.heads)])
        pairs = np.array([(column, code) for column, each in enumerate(codes) for code in each], np.int64).reshape(
            -1, 2
        )
        self.features = Features(pairs[:, 0].copy(), pairs[:, 1].copy())
        of_two = [head.categories is not None and len(head.categories) == 2 for head in rows.heads]
        self.firsts = np.flatnonzero(np.array(of_two, bool)[pairs[:, 0]] & (pairs[:, 1] == 0))  # each before its other

    def _sort(self, first: int, last: int) -> None:
        for column in self._columns(first, last):
            self.order[column] = np.argsort(self.data.table[column])  # nothing depends on the order of equals

    def _columns(self, first: int, last: int) -> Iterator[int]:
        """These columns one by one, until interrupted."""
        return takewhile(lambda _: not self.interrupted(), range(first, last))

    def _go_on(self) -> None:
        if self.interrupted():
            raise InterruptedSearch

    def part(self, child: Array, begins: Array, many: int) -> None:
        """Give each child a stretch of the rows and of every order; child[row] is below zero for rows of no child."""
        table, labels, costs = self.data
        if table is self.rows.labelled.table:
            table = table.copy()
        places = np.empty(self.n, np.int32)
        split_kernels.place_all(child, begins.copy(), places)

        def part(a: int, b: int) -> None:
            values, order = np.empty(many), np.empty(many, np.uint32)
            for column in range(a, b):
                split_kernels.move(table[column], places, values)
                table[column, :many] = values
                if len(self.order):
                    split_kernels.part(self.order[column], child, places, begins.copy(), order)
                    self.order[column, :many] = order

        in_pieces(part, 0, self.d, self.n * WORK / 4)
        some = places >= 0
        kept = np.empty(many, labels.dtype), np.empty(many, costs.dtype)
        kept[0][places[some]], kept[1][places[some]] = labels[some], costs[some]
        self.data, self.n = Labelled(table, *kept), many

    def tests(self, level: Level) -> list[Proposal | None]:
        """The best test of every node, if one gains enough; raises `InterruptedSearch`."""
        if not level.numbers:
            return []
        kind = self.plan.test
        none: list[Proposal | None] = [None] * len(level.numbers)
        simple = self._feature_tests(level) if kind != "perceptron" else none
        slanted = self._perceptron_tests(level, self.measure) if kind != "feature" else none
        if kind != "auto":
            return [a or b for a, b in zip(simple, slanted, strict=True)]
        better = [better_of(a, b, 1.0 + self.plan.simpler) for a, b in zip(simple, slanted, strict=True)]
        return self._with_foresight(level, better)

    def _with_foresight(self, level: Level, proposals: list[Proposal | None]) -> list[Proposal | None]:
        """The proposals; where they gain little, tests that gain much more together with the next ones."""
        shares = level.totals / level.totals.sum(axis=1, keepdims=True)
        gains = np.array([0.0 if proposal is None else proposal.gain for proposal in proposals])
        unclear = gains < UNCLEAR * impurity(shares, self.plan.criterion)
        sizes = level.ends - level.begins
        nodes = np.flatnonzero(unclear & (sizes >= lookahead_kernels.FEWEST))
        numbers = np.array([c for c, head in enumerate(self.rows.heads) if head.categories is None], np.int64)
        out = np.full((nodes.size, 4), -1.0)
        if not nodes.size or numbers.size > MOST_PAIRED:
            return proposals
        bins, classes = np.empty((self.n, self.d), np.uint8), level.totals.shape[1]

        def look(a: int, b: int) -> None:
            if self.interrupted():
                return
            size, room = lookahead_kernels.BINS, 2 * lookahead_kernels.ENOUGH
            near = np.empty((numbers.size, room), np.uint8), np.empty(room, np.uint32), np.empty(room, np.int64)
            tables = np.empty((size, size, classes), np.int64), np.empty((4, classes), np.int64)
            best = np.empty((4, size)), np.empty((4, size), np.int64)
            lookahead_kernels.look_ahead(
                a, b, nodes, level.nodes, self.order, self.data, numbers, self.measure,
                lookahead_kernels.Sight(bins, *near, *tables, *best, np.empty(numbers.size, np.bool_)), out,
            )  # fmt: skip

        in_equal_pieces(
            look,
            (
                (np.minimum(sizes[nodes], lookahead_kernels.ENOUGH) + lookahead_kernels.ENOUGH) * numbers.size**2
            ).tolist(),
        )
        self._go_on()
        for node, (gain, column, threshold, low) in zip(nodes.tolist(), out.tolist(), strict=True):
            if column >= 0 and gain > max(FORESIGHT * gains[node], self.plan.min_gain, EVEN):
                larger = int(2 * low < level.totals[node].sum())
                proposals[node] = Proposal(tree_nodes.FeatureTest(int(column), threshold), gain, gain, larger, False)
        return proposals

    def _feature_tests(self, level: Level) -> list[Proposal | None]:
        """The best column of every node."""
        found = self._scan(level)
        best, scores = self._best_columns(found)
        out: list[Proposal | None] = []
        for node, column in enumerate(best.tolist()):
            gain = float(found.gain[node, column])
            if not gain > max(self.plan.min_gain, EVEN):
                out.append(None)
                continue
            absent = bool(found.absent[node, column])
            test: tree_nodes.Test
            if found.place[node, column] == PRESENCE:
                test, larger = tree_nodes.PresenceTest(column), 0
            elif self.rows.heads[column].categories is None:
                known = level.totals[node].sum() - found.absent[node, column]
                larger = int(2 * found.low[node, column] < known)
                test = tree_nodes.FeatureTest(column, float(found.place[node, column]))
            else:
                test, larger = self._category_test(level, node, column, found)
            out.append(Proposal(test, gain, float(scores[node, column]), larger, absent))
        return out

    def _scan(self, level: Level) -> Found:
        """The best test of every column at every node."""
        shape = len(level.numbers), self.d
        gain, info, place = np.full(shape, -1.0), np.ones(shape), np.zeros(shape)
        groups = np.full((shape[0], int(self.codes_at[-1])), -1, np.int32)
        found = Found(gain, info, place, np.zeros(shape, np.int64), np.zeros(shape, np.int64), groups)
        each = self.plan.categories == "each"

        def scan(a: int, b: int) -> None:
            counts = np.empty((3, level.totals.shape[1]), np.int64)
            for column in self._columns(a, b):
                shared = self.order[column], level.nodes, self.data, self.measure
                if self.rows.heads[column].categories is None:
                    split_kernels.scan_numbers(column, *shared, counts, found)
                    continue
                many = len(self.rows.heads[column].categories or ())
                of_values = np.empty((many, counts.shape[1]), np.int64)
                room = Values(counts, np.empty(many, np.int64), of_values, np.empty(many), np.empty(many, np.int64))
                split_kernels.scan_values(column, int(self.codes_at[column]), each, *shared, room, found)

        in_pieces(scan, 0, self.d, self.n * WORK / 2)
        self._go_on()
        return found

    def _best_columns(self, found: Found) -> tuple[Array, Array]:
        """The column of every node with the highest score, the first of equals; and all scores."""
        scores = self._scores(found.gain, found.info)
        highest = scores.max(axis=1, keepdims=True)
        return (scores >= highest - EVEN).argmax(axis=1), scores

    def _scores(self, gain: Array, info: Array) -> Array:
        """What tests are compared by: the gain, or Quinlan's gain ratio where the gain is not below average."""
        if self.plan.criterion != "gain ratio":
            return gain
        useful = gain > EVEN
        average = np.where(useful, gain, 0.0).sum(axis=1, keepdims=True) / np.maximum(
            useful.sum(axis=1, keepdims=True), 1
        )
        ratio = gain / np.where(info > EVEN, info, 1.0)
        return np.where(useful & (gain >= average - EVEN), ratio, -1.0)

    def _category_test(self, level: Level, node: int, column: int, found: Found) -> tuple[tree_nodes.CategoryTest, int]:
        """The test of a column of categories at a node, and its larger branch."""
        groups = found.groups[node, self.codes_at[column] : self.codes_at[column + 1]]
        branches = tuple(tuple(np.flatnonzero(groups == branch).tolist()) for branch in range(int(groups.max()) + 1))
        places = self.order[column, level.begins[node] : level.ends[node]]
        values = self.data.table[column, places]
        known = ~np.isnan(values)
        weights = np.zeros(len(branches), np.int64)
        np.add.at(weights, groups[values[known].astype(np.int64)], self.data.costs[places[known]])
        return tree_nodes.CategoryTest(column, branches), int(weights.argmax())

    def _perceptron_tests(self, level: Level, measure: Purity) -> list[Proposal | None]:
        """The best perceptron of every node."""
        features, directions, separating = self._directions(level, measure)
        tests = self._as_tests(features, directions, DIGITS)
        found = self._sweep(level, tests, measure)
        used = (separating != 0.0).sum(axis=1)
        proven = (used > 0) & (used <= (self.plan.max_columns or np.inf))
        if proven.any():
            some = Features(features.columns[proven], features.codes[proven])
            whole = self._as_tests(some, separating[proven], ALL_DIGITS)
            exact = self._sweep(level.some(proven), whole, measure)
            for k, test, swept in zip(np.flatnonzero(proven).tolist(), whole, exact, strict=True):
                if swept[0] > found[k, 0] + EVEN:  # few digits or few columns have lost what is proven
                    tests[k], found[k] = test, swept
        scores = found[:, 0] / found[:, 1] if self.plan.criterion == "gain ratio" else found[:, 0]
        out: list[Proposal | None] = []
        for k, test in enumerate(tests):
            gain, _, threshold, low, absent = found[k].tolist()
            if not gain > max(self.plan.min_gain, EVEN):
                out.append(None)
                continue
            larger = int(2 * low < level.totals[k].sum() - absent)
            test = tree_nodes.PerceptronTest(test.columns, test.codes, test.weights, threshold)
            out.append(Proposal(test, gain, float(scores[k]), larger, absent > 0))
        return out

    def _directions(self, level: Level, measure: Purity) -> tuple[Features, Array, Array]:
        """Every node's features, the weights of its perceptron, and of one that separates, if there is one."""
        many_features, classes = self.features.columns.size, level.totals.shape[1]
        many = min(CANDIDATES, many_features)
        n = self.n
        values, scores = np.empty((many, n)), np.empty(n)
        out, separating = np.zeros((2, len(level.numbers), many_features))
        limits = Limits(self.plan.max_columns or many_features, self.plan.spare)

        def slant(a: int, b: int) -> None:
            if self.interrupted():
                return
            room = room_for(values, scores, many_features, classes)
            oblique_kernels.slant(a, b, level.nodes, self.data, self.features, measure, limits, room, out, separating)

        in_equal_pieces(slant, ((level.ends - level.begins) * many * WORK).tolist())
        self._go_on()
        columns, codes = (np.broadcast_to(each, out.shape) for each in self.features)
        return Features(columns, codes), out, separating

    def _as_tests(self, features: Features, directions: Array, digits: int) -> list[tree_nodes.PerceptronTest]:
        """Every node's weights with this many digits, the largest of them 1; the thresholds are still to be found.

        Of a column with two values one feature is enough: the difference of their weights goes to the second.
        """
        first, second = directions[:, self.firsts], directions[:, self.firsts + 1]
        both = (first != 0.0) & (second != 0.0)
        directions = directions.copy()
        directions[:, self.firsts] = np.where(both, 0.0, first)
        directions[:, self.firsts + 1] = np.where(both, second - first, second)
        largest = np.abs(directions).max(axis=1, keepdims=True, initial=0.0)  # there may be no feature at all
        weights = directions / np.where(largest > 0.0, largest, 1.0)
        weights[~np.isfinite(weights).all(axis=1)] = 0.0
        nodes, used = np.nonzero(weights)
        short = [float(f"{weight:.{digits}g}") for weight in weights[nodes, used].tolist()]
        columns, codes = features.columns[nodes, used].tolist(), features.codes[nodes, used].tolist()
        ends = np.searchsorted(nodes, np.arange(len(weights) + 1)).tolist()
        return [
            tree_nodes.PerceptronTest(tuple(columns[a:b]), tuple(codes[a:b]), tuple(short[a:b]), 0.0)
            for a, b in pairwise(ends)
        ]

    def _sweep(self, level: Level, tests: list[tree_nodes.PerceptronTest], measure: Purity) -> Array:
        """For every node's perceptron: gain, information, threshold, cost of the low side, and of missing rows."""
        scores, keys = np.empty((2, self.n))
        room, out = Sorting(scores, keys, np.empty(self.n, np.int64)), np.ones((len(tests), 5))
        table, tests = self._view(level, tests)
        data, slants = self.data._replace(table=table), slants_of(tests)

        def sweep(a: int, b: int) -> None:
            if self.interrupted():
                return
            classes = np.empty((3, level.totals.shape[1]), np.int64)
            oblique_kernels.sweep(a, b, level.nodes, data, slants, measure, room, classes, out)

        in_equal_pieces(sweep, ((level.ends - level.begins) * WORK).tolist())
        self._go_on()
        return out

    def _view(self, level: Level, tests: list[T]) -> tuple[Array, list[T]]:
        """A table, and tests that find in it what the nodes' tests find in their rows."""
        return self.data.table, tests

    def seen(self, level: Level, nodes: list[tree_nodes.Node]) -> tuple[Flat, Array]:
        """A table, and nodes by which the level's rows go to their children."""
        table, tests = self._view(level, [node.test for node in nodes])
        nodes = [replace(node, test=test, rule=None) for node, test in zip(nodes, tests, strict=True)]
        return flat_of(self.rows.heads, nodes), table

    def rules(self, level: Level) -> list[tree_nodes.LeafRule | None]:
        """Every node's own perceptron, where that makes fewer mistakes than the majority's; raises as `tests` does."""
        none: list[tree_nodes.LeafRule | None] = [None] * len(level.numbers)
        mixed = (level.totals > 0).sum(axis=1) > 1
        if self.plan.leaves != "perceptron" or not mixed.any():
            return none
        some = level.some(mixed)
        proposals = self._perceptron_tests(some, self.measure._replace(criterion=MISTAKES, least=1))
        for k, place in enumerate(np.flatnonzero(mixed).tolist()):
            proposal = proposals[k]
            if proposal is not None and isinstance(proposal.test, tree_nodes.PerceptronTest):
                none[place] = self._rule(some, k, proposal.test)
        return none

    def _rule(self, level: Level, node: int, test: tree_nodes.PerceptronTest) -> tree_nodes.LeafRule:
        """A leaf's rule with the counts of both of its sides, and of rows without a score."""
        places = slice(level.begins[node], level.ends[node])
        table, (seen,) = self._view(level.some(np.arange(len(level.numbers)) == node), [test])
        leaf = tree_nodes.Node(
            0,
            tuple(level.totals[node].tolist()),
            stop=tree_nodes.Stop.NO_GAIN,
            rule=tree_nodes.LeafRule(seen, ((1,),) * 3),
        )
        table, labels, costs = table[:, places], self.data.labels[places], self.data.costs[places]
        sides = np.empty(labels.size, np.int64)
        flat = flat_of(self.rows.heads, [leaf])
        sides_of = briefly(routing_kernels.sides_of, LOOK * sides.size)
        sides_of(flat, np.ascontiguousarray(table), np.zeros_like(sides), 0, sides.size, sides)
        counts = np.zeros((3, level.totals.shape[1]), np.int64)
        np.add.at(counts, (sides - 1, labels), costs)
        return tree_nodes.LeafRule(test, tuple(tuple(row) for row in (counts * self.rows.unit).tolist()))
