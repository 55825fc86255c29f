"""The tests of a level's nodes for a sparse table: the same as of the dense one, at a cost by the numbers stored.

Problem   as in `find_splits`.
Input     rows whose numbers that are not zero are listed, in more columns than `MOST_PAIRED`: none holds categories.
Result    the same proposals, bit for bit. A column that has no number at a node is zero there, and parts nothing.

The numbers lie node after node, and there column after column, in two lists: sorted by value, and by row.
"""

from dataclasses import replace

import numpy as np

from rosenblatt.learn.tree import sparse_split_kernels, split_kernels
from rosenblatt.learn.tree.directions import Features
from rosenblatt.learn.tree.find_splits import CANDIDATES, WORK, Search
from rosenblatt.learn.tree.flat_nodes import slants_of
from rosenblatt.learn.tree.nodes import NUMBER_ITSELF, FeatureTest, PerceptronTest, PresenceTest, T, Test
from rosenblatt.learn.tree.oblique_kernels import Limits, room_for
from rosenblatt.learn.tree.proposals import Level, Proposal
from rosenblatt.learn.tree.sparse_split_kernels import Candidates, StoredList, Stretches
from rosenblatt.learn.tree.split_kernels import EVEN, PRESENCE, Found, Labelled, Purity
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.threads import in_equal_pieces


class StoredSearch(Search):
    """What tests are sought in: two lists of the numbers that are not zero."""

    def _prepare(self) -> None:
        stored = self.rows.stored
        assert stored is not None
        self.d = stored.shape[0]
        self.firsts = np.empty(0, np.int64)
        order = np.lexsort((stored.values, stored.columns))
        self.by_row = StoredList(stored.columns, stored.rows, stored.values)
        self.by_value = StoredList(stored.columns[order], stored.rows[order], stored.values[order])
        self.first_node, self.starts = 0, np.array([0, stored.rows.size])  # of every node's numbers

    def _stretches(self, level: Level) -> Stretches:
        places = np.array(level.numbers, np.int64) - self.first_node
        return Stretches(*level.nodes, self.starts[places], self.starts[places + 1])

    def part(self, child: Array, begins: Array, many: int) -> None:
        """Give each child a stretch of the rows and of the numbers."""
        _, labels, costs = self.data
        places = np.empty(self.n, np.int32)
        split_kernels.place_all(child, begins.copy(), places)
        of_number = child[self.by_row.rows]
        sizes = np.bincount(of_number[of_number >= 0], minlength=begins.size)
        self.first_node += self.starts.size - 1
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        size = int(self.starts[-1])
        lists = []
        for numbers in (self.by_row, self.by_value):
            out = StoredList(np.empty(size, np.int64), np.empty(size, np.uint32), np.empty(size))
            sparse_split_kernels.part_stored(numbers, child, places, self.starts.copy(), out)
            lists.append(out)
        self.by_row, self.by_value = lists
        some = places >= 0
        kept = np.empty(many, labels.dtype), np.empty(many, costs.dtype)
        kept[0][places[some]], kept[1][places[some]] = labels[some], costs[some]
        self.data, self.n = Labelled(np.empty((0, many)), *kept), many

    def _with_foresight(self, level: Level, proposals: list[Proposal | None]) -> list[Proposal | None]:
        return proposals  # there are too many pairs of columns

    def _feature_tests(self, level: Level) -> list[Proposal | None]:
        """The best column of every node."""
        found, stretches = self._found(level), self._stretches(level)
        out: list[Proposal | None] = []
        for node, (a, b) in enumerate(zip(stretches.first.tolist(), stretches.last.tolist(), strict=True)):
            scores = self._scores(found.gain[:, a:b], found.info[:, a:b])[0]
            best = int((scores >= scores.max(initial=-1.0) - EVEN).argmax()) if b > a else 0
            gain = float(found.gain[0, a + best]) if b > a else -1.0
            if not gain > max(self.plan.min_gain, EVEN):
                out.append(None)
                continue
            place, low, absent = (float(each[0, a + best]) for each in (found.place, found.low, found.absent))
            column = int(self.by_value.columns[a + best])
            test: Test = PresenceTest(column) if place == PRESENCE else FeatureTest(column, place)
            larger = int(place != PRESENCE and 2 * low < level.totals[node].sum() - absent)
            out.append(Proposal(test, gain, float(scores[best]), larger, absent > 0))
        return out

    def _found(self, level: Level) -> Found:
        """The best test of every column at every node, where the column's numbers begin."""
        shape, stretches = (1, self.by_value.rows.size), self._stretches(level)
        gain, info, place = np.full(shape, -1.0), np.ones(shape), np.zeros(shape)
        found = Found(
            gain, info, place, np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.empty((1, 0), np.int32)
        )

        def scan(a: int, b: int) -> None:
            if not self.interrupted():
                counts = np.empty((4, level.totals.shape[1]), np.int64)
                sparse_split_kernels.scan_stored(a, b, stretches, self.by_value, self.data, self.measure, counts, found)

        in_equal_pieces(scan, ((stretches.last - stretches.first) * WORK).tolist())
        self._go_on()
        return found

    def _directions(self, level: Level, measure: Purity) -> tuple[Features, Array, Array]:
        """Every node's candidates, the weights of its perceptron, and of one that separates, if there is one."""
        stretches, classes = self._stretches(level), level.totals.shape[1]
        many = min(CANDIDATES, self.d)
        sizes = stretches.last - stretches.first
        values, scores = np.empty((many, self.n)), np.empty(self.n)
        shape = len(level.numbers), many
        out = Candidates(np.zeros(shape, np.int64), *np.zeros((2, *shape)))
        limits = Limits(self.plan.max_columns or self.d, self.plan.spare)

        def slant(a: int, b: int) -> None:
            if self.interrupted():
                return
            most = max(int(sizes[a:b].max()), many)
            room = room_for(values, scores, most, classes)
            sparse_split_kernels.slant_stored(a, b, stretches, self.by_row, self.data, measure, limits, room, out)

        in_equal_pieces(slant, ((level.ends - level.begins) * many * WORK).tolist())
        self._go_on()
        return Features(out.columns, np.full(shape, NUMBER_ITSELF)), out.weights, out.separating

    def _view(self, level: Level, tests: list[T]) -> tuple[Array, list[T]]:
        """The rows' scores as the only column of a table, and tests of that column."""
        slants = slants_of([_slanted(test) for test in tests])
        scores = np.empty((1, self.n))
        sparse_split_kernels.score_stored(self._stretches(level), self.by_row, slants, scores[0])
        return scores, [_of_scores(test) for test in tests]


def _slanted(test: Test | None) -> PerceptronTest:
    """A test as one of a sum."""
    if isinstance(test, PerceptronTest):
        return test
    columns = () if test is None else (test.column,)
    return PerceptronTest(columns, (NUMBER_ITSELF,) * len(columns), (1.0,) * len(columns), 0.0)


def _of_scores(test: T) -> T:
    """The same test of the scores that are the first column."""
    if isinstance(test, PerceptronTest):
        return replace(test, columns=(0,), codes=(NUMBER_ITSELF,), weights=(1.0,))
    return test if test is None else replace(test, column=0)
