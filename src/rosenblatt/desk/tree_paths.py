"""A tree, and the path of one row through it, in terms of the columns of its table."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import floor, isfinite, isnan
from typing import Any

import polars as pl

from rosenblatt.errors import OptionError
from rosenblatt.learn.tree.tree import ColumnHead, FeatureTest, Node, PerceptronTest, Test, Tree, columns_of
from rosenblatt.read.encode.columns import DateColumn, SparseColumn, TextColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.table import Table
from rosenblatt.read.values import as_text
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain.card_parts import number_text
from rosenblatt.ship.file.modelfile import Model

SIDES = ("<=", ">")
LONGEST = 60  # characters of a cell
MISSING = "missing"


@dataclass(frozen=True)
class TableTree(Tree):
    """A tree that knows which of its columns are dates, and which say whether a text has a word."""

    sources: tuple[str, ...] = ()  # the table's column for each column of the tree
    dates: frozenset[int] = frozenset()
    words: dict[int, str] = field(default_factory=dict)

    @cached_property
    def parents(self) -> dict[int, int]:
        """The parent of every node but the root."""
        return {child: node.number for node in self.nodes for child in node.children}

    def branch_in_words(self, node: Node, branch: int) -> str:
        """The condition for a branch of a node's test."""
        test = node.test
        if isinstance(test, FeatureTest) and branch < 2:
            if test.column in self.dates:
                last = number_text(DateColumn.kind, floor(test.threshold))
                return f"{self.columns[test.column].name} is {'up to' if branch == 0 else 'after'} {last}"
            if test.column in self.words and 0.0 <= test.threshold < 1.0:
                has = "has" if branch == 1 else "does not have"
                return f"{self.sources[test.column]} {has} {self.words[test.column]!r}"
        return super().branch_in_words(node, branch)

    def in_words(self, test: Test) -> str:
        """What a test compares; in a sum, dates are numbers of days, and words are conditions."""
        if isinstance(test, PerceptronTest):
            return Tree(self._terms, self.classes, ()).in_words(test)
        return super().in_words(test)

    @cached_property
    def _terms(self) -> tuple[ColumnHead, ...]:
        """The columns with their names in a sum."""
        return tuple(replace(column, name=self._term(k, column.name)) for k, column in enumerate(self.columns))

    def _term(self, column: int, name: str) -> str:
        return f"{name} in days since 1970" if column in self.dates else f"[{name}]" if column in self.words else name


def table_tree(encoding: Encoding, tree: Tree) -> TableTree:
    """A tree with the labels and columns of its table."""
    sources, dates, words = list[str](), set[int](), dict[int, str]()
    for column in encoding.used:
        if isinstance(column, DateColumn):
            dates.add(len(sources))
        for word in column.words if isinstance(column, TextColumn) else ():
            words[len(sources)] = word
            sources.append(column.name)
        if isinstance(column, SparseColumn):
            sources += [f"feature {number}" for number in column.all_numbers]
        elif not isinstance(column, TextColumn):
            sources.append(column.name)
    columns = tree.columns
    if encoding.is_sparse:
        columns = tuple(replace(column, name=name) for column, name in zip(columns, sources, strict=True))
    return TableTree(columns, encoding.target.classes, tree.nodes, tuple(sources), frozenset(dates), words)


def first_lines(tree: Tree, most: int) -> tuple[list[str], int]:
    """The first lines of the tree in words, and how many more there are."""
    total = len(tree.nodes) - 1 + len(tree.leaves)  # one line for every branch and every leaf
    return list(islice(tree.lines(), most)), max(total - most, 0)


def conditions(tree: TableTree, leaf: int, side: int) -> list[str]:
    """All conditions on the path from the root to this side of this leaf."""
    found, here = list[str](), leaf
    while here:
        node = tree.nodes[tree.parents[here]]
        found.append(tree.branch_in_words(node, node.children.index(here)))
        here = node.number
    return [*reversed(found), *_of_rule(tree, tree.nodes[leaf], side)]


def _of_rule(tree: Tree, leaf: Node, side: int) -> list[str]:
    """The condition that a leaf's own rule adds."""
    if leaf.rule is None or not side:
        return []
    what = tree.in_words(leaf.rule.test)
    return [f"{what} is missing" if side == 3 else f"{what} {SIDES[side - 1]} {leaf.rule.test.threshold:.6g}"]


@dataclass(frozen=True)
class PathStep:
    """A condition that a row meets, and the row's cells in the columns of that condition."""

    node: int
    condition: str
    cells: dict[str, str]
    is_sum: bool
    score: float | None = None  # of a sum, unless it is missing

    def in_words(self) -> str:
        """The condition, and how the row meets it."""
        is_missing = self.condition.endswith(MISSING)
        if self.is_sum:
            score = "" if is_missing else f": it is {MISSING}" if self.score is None else f": it is {self.score:.6g}"
            return f"{self.condition}{score}, with {', '.join(f'{name} {cell}' for name, cell in self.cells.items())}"
        (cell,) = self.cells.values()
        return self.condition if is_missing and cell == MISSING else f"{self.condition}: it is {cell}"


@dataclass(frozen=True)
class TreePath:
    """The path of a row through a tree: the conditions that it meets, and the leaf where it ends."""

    row: int  # the first row after the header is 1
    steps: tuple[PathStep, ...]
    leaf: int
    label: str
    counts: dict[str, float]  # the weight of the training rows of each class in this leaf

    def lines(self, target: str) -> Iterator[str]:
        """The path in words."""
        for k, step in enumerate(self.steps, start=1):
            yield f"{k}. {step.in_words()}"
        counts = ", ".join(f"{label} {count:.10g}" for label, count in self.counts.items() if count)
        yield f"So {target} is {self.label}; training rows in this leaf: {counts}"

    def as_record(self) -> dict[str, Any]:
        """The path as plain lists, numbers and texts."""
        return asdict(self)


def tree_of(model: Model) -> TableTree:
    """The tree of a model, if its rule is one."""
    if model.rule.tree is None:
        raise OptionError("--row needs a tree; for other rules, use predict --reasons")
    return table_tree(model.table_encoding, model.rule.tree)


def path_of(model: Model, table: Table, row: int) -> TreePath:
    """The path of one row of a table."""
    tree, one = tree_of(model), _one_row(table, row)
    rows = model.seen(model.table_encoding, one, row - 1)
    numbers = rows.table[:, 0]
    leaves, sides = tree.ends(rows.table)
    steps = [
        _step(tree, node, node.test, tree.branch_in_words(node, branch), one, numbers)
        for node, branch in tree.path(rows.table, 0)
        if branch is not None and node.test is not None
    ]
    leaf = tree.nodes[int(leaves[0])]
    if leaf.rule is not None:
        (condition,) = _of_rule(tree, leaf, int(sides[0]))
        steps.append(_step(tree, replace(leaf, test=leaf.rule.test), leaf.rule.test, condition, one, numbers))
    counts = dict(zip(tree.classes, tree.counts(rows.table)[0].tolist(), strict=True))
    return TreePath(row, tuple(steps), leaf.number, tree.classes[int(model.rule.predict(rows)[0])], counts)


def _one_row(table: Table, row: int) -> Any:
    if table.sparse is not None:
        found, many = table.sparse[0][row - 1 : row], table.height
    else:
        assert table.frame is not None
        with table.readable():
            found = table.frame.lazy().slice(min(row, sys.maxsize) - 1, 1).collect()
        many = row if found.height else table.height
    if row > many:
        raise OptionError(f"{table.source} has {many:,} rows; there is no row {row}")
    return found


def _step(tree: TableTree, node: Node, test: Test, condition: str, one: Any, numbers: Array) -> PathStep:
    is_sum, score = isinstance(test, PerceptronTest), tree.value(node, numbers)
    columns = columns_of(test)
    cells = {tree.sources[column]: _cell(tree, column, one, numbers[column]) for column in columns}
    return PathStep(node.number, condition, cells, is_sum, score if is_sum and isfinite(score or 0.0) else None)


def _cell(tree: TableTree, column: int, one: Any, number: float) -> str:
    """The cell of a column, and how the tree reads it if that is not obvious."""
    if not isinstance(one, pl.DataFrame):
        return f"{number:.6g}"
    text = one.select(as_text(pl.col(tree.sources[column]))).item()
    if text is None:
        return MISSING
    categories, shown = tree.columns[column].categories, text[:LONGEST]
    if isnan(number):
        return f"{shown}, which counts as missing"
    return f"{shown}, a new value" if categories is not None and number >= len(categories) else shown
