"""Rows for a tree: in an order of their own, equal ones joined, with whole costs.

The order does not depend on the one that the rows came in, and equal rows of a class become one, whose cost is the sum.
So a tree does not depend on the order of the rows, and a row of weight two is the row twice.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, log2

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.learn.tree.nodes import ColumnHead, Columns, Node, narrowed
from rosenblatt.learn.tree.split_kernels import Labelled
from rosenblatt.learn.tree.stored_numbers import Stored, parts
from rosenblatt.rows.kernels import Array

ROOM = 2.0**40  # more than any sum of costs: times a number of leaves, it stays below 2^63
FINEST = 2.0**61  # more than a row of weight 1 costs, however small the weights are
CLASS_BITS = 16  # of the classes' weights


@dataclass(frozen=True, eq=False)
class TreeRows:
    """Rows in an order of their own, equal ones of a class joined."""

    heads: Sequence[ColumnHead]
    labelled: Labelled  # of a sparse table, without its columns
    unit: float  # of the costs
    copies: Array  # by class: the cost of a row of weight 1
    usual: float  # the cost of a row: of weight 1, or of the mean weight if that is less, as where weights add up to 1
    pieces: Array  # how many rows of the table were joined in each
    stored: Stored | None = None  # a sparse table

    @classmethod
    def of(cls, columns: Columns, labels: Array, costs: Array, unit: float, copies: Array) -> "TreeRows":
        """These rows, without those that cost nothing."""
        table, stored = columns.table, columns.stored
        if not costs.all():
            stored = None if stored is None else stored.take(np.flatnonzero(costs > 0))
            table, labels, costs = table[:, costs > 0], labels[costs > 0], costs[costs > 0]
        usual = min(float(costs.sum()) / max(costs.size, 1), 1.0 / unit)
        order, new = canonical(table, labels) if stored is None else canonical_of_stored(stored, labels)
        firsts, begins = order[new], np.flatnonzero(new)
        joined = np.add.reduceat(costs[order], begins) if order.size else costs
        pieces = np.diff(np.append(begins, order.size))
        labelled = Labelled(table.take(firsts, axis=1), labels[firsts].astype(np.uint32), joined)
        return cls(
            columns.heads, labelled, unit, copies, usual, pieces, None if stored is None else stored.take(firsts)
        )

    def with_costs(self, costs: Array) -> "TreeRows":
        """The rows that count, when they cost this."""
        table, labels, _ = self.labelled
        some = costs > 0
        return replace(
            self,
            labelled=Labelled(table.compress(some, axis=1), labels[some], costs[some]),
            pieces=self.pieces[some],
            stored=None if self.stored is None else self.stored.take(np.flatnonzero(some)),
        )

    def sent_down(self, nodes: Sequence[Node]) -> Iterator[tuple[Sequence[Node], Labelled]]:
        """The rows, part by part, and nodes that send them where these do; of a sparse table, by the columns in use."""
        if self.stored is None:
            yield nodes, self.labelled
            return
        columns, nodes = narrowed(nodes)
        _, labels, costs = self.labelled
        for a, b in parts(labels.size, columns.size):
            yield nodes, Labelled(self.stored.dense(columns, a, b), labels[a:b], costs[a:b])


def canonical(table: Array, labels: Array) -> tuple[Array, Array]:
    """An order of the rows by their values, and whether each row in it differs from the one before."""
    return _sorted(labels.size, (column.__getitem__ for column in [*table, labels]))


def canonical_of_stored(stored: Stored, labels: Array) -> tuple[Array, Array]:
    """The same."""
    return _sorted(labels.size, (*stored.keys(), labels.__getitem__))


def _sorted(n: int, keys: Iterable[Callable[[Array], Array]]) -> tuple[Array, Array]:
    """An order of n rows by the first key, of equals by the second, ...; and whether any key differs from before."""
    order = np.arange(n)
    tied = np.zeros(n, bool)  # with the place before
    tied[1:] = True
    for key in keys:
        runs = tied.copy()
        runs[:-1] |= tied[1:]
        places = np.flatnonzero(runs)
        if not places.size:
            break
        group = np.cumsum(~tied[places])
        values = key(order[places])
        sort = np.lexsort((values, group))
        order[places], values = order[places][sort], values[sort]
        same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
        tied[places[1:]] &= same
    return order, ~tied


def whole_costs(weights: Array, factors: Array, labels: Array) -> tuple[Array, float, Array]:
    """Whole numbers for weights (empty: 1 each) times the classes' factors, what one unit of them is worth, and what a
    row of weight 1 costs in each class.
    """
    scale = 1.0
    if (factors == 1.0).all():
        parts = np.ones(factors.size, np.int64)
    else:
        scale = 2.0 ** (floor(log2(float(factors.max()))) - CLASS_BITS)
        parts = np.rint(factors / scale).astype(np.int64)
    counts = np.ones(labels.size, np.int64)
    unit = 1.0
    if weights.size:
        fine = min(ROOM / int(parts.max()) / float(weights.sum()), FINEST / int(parts.max()))
        unit = min(2.0 ** -floor(log2(fine)), 1.0)
        counts = np.rint(weights / unit).astype(np.int64)
        if not counts.any():
            raise DataError("the weights are too small to count in; multiply them by a constant")
    costs = counts * parts[labels]
    copies = np.rint(parts / unit).astype(np.int64)
    common = int(np.gcd.reduce(np.append(costs, copies)))
    return costs // common, unit * scale * common, copies // common
