"""What a tree is made of: columns, the tests of nodes, and nodes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, TypeVar

import numpy as np

from rosenblatt.learn.tree.stored_numbers import Stored
from rosenblatt.rows.kernels import Array

NUMBER_ITSELF = -1  # the code of a term that is no category


class Stop(Enum):
    """Why a node is a leaf; the text is a sentence."""

    PURE = "All its rows are of one class."
    SEPARATED = "The perceptron above it is right on every row."
    DEPTH = "It is as deep as the tree may be."
    SMALL = "It has too few rows for two branches."
    NO_GAIN = "No test gains enough."
    PRUNED = "Pruning left no test here: it did not pay for its leaves."
    INTERRUPTED = "It was interrupted before a test was sought; nothing is lost."

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class ColumnHead:
    """What is known of a column: its name, and its categories, in the order of their codes."""

    name: str
    categories: tuple[Any, ...] | None = None  # None: a column of numbers


@dataclass(frozen=True, eq=False)
class Columns:
    """A table in columns: table[column, row] is a number, or the code of a category; NaN is missing."""

    heads: Sequence[ColumnHead]
    table: Array  # float64; of a sparse table, without any column
    stored: Stored | None = None  # a sparse table

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return self.table.shape[1], len(self.heads)

    def __getitem__(self, rows: Any) -> "Columns":
        """Some of the rows."""
        stored = None if self.stored is None else self.stored.take(np.arange(self.shape[0])[rows])
        return Columns(self.heads, np.ascontiguousarray(self.table[:, rows]), stored)


@dataclass(frozen=True)
class FeatureTest:
    """A number of a column: at most the threshold, or above it."""

    column: int
    threshold: float
    many: ClassVar[int] = 2  # branches, without one for missing values


@dataclass(frozen=True)
class CategoryTest:
    """A category: the codes of the values that take each branch."""

    column: int
    branches: tuple[tuple[int, ...], ...]

    @property
    def many(self) -> int:
        """How many branches there are, without one for missing values."""
        return len(self.branches)


@dataclass(frozen=True)
class PresenceTest:
    """Whether a column has a value at all: one branch if it has, and the one for missing values if not."""

    column: int
    many: ClassVar[int] = 1


@dataclass(frozen=True)
class PerceptronTest:
    """A sum over columns: at most the threshold, or above it.

    A column of numbers adds its weight times the number; one of categories adds its weight where its value is the code.
    """

    columns: tuple[int, ...]
    codes: tuple[int, ...]  # NUMBER_ITSELF for a column of numbers
    weights: tuple[float, ...]
    threshold: float
    many: ClassVar[int] = 2


Test = FeatureTest | CategoryTest | PresenceTest | PerceptronTest
T = TypeVar("T", bound=Test | None)


@dataclass(frozen=True)
class LeafRule:
    """A leaf's own perceptron, and the counts of the classes on its low side, its high side, and without a score."""

    test: PerceptronTest
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Node:
    """A node: where it sends rows, or, of a leaf, why it is one."""

    number: int
    counts: tuple[float, ...]  # the weight of its rows of each class
    test: Test | None = None
    children: tuple[int, ...] = ()  # in the order of the branches; a last one if missing values have their own
    missing: int | None = None  # the child for missing values
    other: int | None = None  # the child for categories that the node has not seen: the larger one
    stop: Stop | None = None
    rule: LeafRule | None = None

    @property
    def label(self) -> int:
        """The number of its most frequent class, the first of equals."""
        return label_of(self.counts)

    @property
    def sides(self) -> tuple[int, ...]:
        """The same for the low side of its own rule, the high side, and rows without a score."""
        return () if self.rule is None else tuple(label_of(c) if any(c) else self.label for c in self.rule.counts)


def label_of(counts: Sequence[float]) -> int:
    """The number of the most frequent class, the first of equals."""
    return counts.index(max(counts))


def columns_of(test: Test) -> tuple[int, ...]:
    """The columns that a test looks at."""
    return test.columns if isinstance(test, PerceptronTest) else (test.column,)


def narrowed(nodes: Sequence[Node]) -> tuple[Array, list[Node]]:
    """The columns that any test looks at, in order, and the nodes for a table of these alone."""
    tests = [node.test for node in nodes if node.test is not None]
    rules = [node.rule.test for node in nodes if node.rule is not None]
    used = sorted({column for test in (*tests, *rules) for column in columns_of(test)})
    place_of = {column: place for place, column in enumerate(used)}

    def moved(test: T) -> T:
        if isinstance(test, PerceptronTest):
            return replace(test, columns=tuple(place_of[column] for column in test.columns))
        return test if test is None else replace(test, column=place_of[test.column])

    return np.array(used, np.int64), [
        replace(node, test=moved(node.test), rule=node.rule and replace(node.rule, test=moved(node.rule.test)))
        for node in nodes
    ]
