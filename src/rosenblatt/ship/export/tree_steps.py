"""A tree as a list of steps: the form that its exports are written from.

Problem   a tree may be as deep as it has rows, and no language allows nesting of any depth.
Input     an encoding, and a tree on the grid of its columns (`read.encode.tree_view`).
Result    a `BranchStep` for every branch of a node except the last, with its subtree one level deeper; then the last
          subtree on the same level, because no other rows are left. A `LeafStep` holds the counts of the classes.

The deepest branch comes last. Each further level then takes twice as many leaves (Horton 1945 and Strahler 1952, on
rivers), and a decision list is not nested at all.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.judge.decision import ASK_A_PERSON, UNDECIDED, Decision
from rosenblatt.learn.tree.tree import (
    CategoryTest,
    FeatureTest,
    Node,
    PerceptronTest,
    PresenceTest,
    Test,
    Tree,
    columns_of,
    label_of,
)
from rosenblatt.read.encode.columns import CategoryColumn, EncodedColumn, NumberColumn, SparseColumn, TextColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.tree_view import heads

LOW, HIGH, PRESENT = "<=", ">", "is there"
WIDTH = 100  # characters in a line
MOST_TERMS = 500  # in a sum, which is added from left to right: parsers nest it as deep as it has terms

Counts = tuple[float, ...]


@dataclass(frozen=True)
class TreeColumn:
    """A column of a tree: a number, a category, or a word of a text."""

    column: EncodedColumn
    word: str | None = None
    absent_is_zero: bool = False  # for a numbered feature

    @property
    def may_be_missing(self) -> bool:
        """Whether it can be missing; a word either occurs or does not."""
        return self.word is None and not self.absent_is_zero


@dataclass(frozen=True)
class Branch:
    """The rows that take the same branch at a test."""

    test: Test
    to: int | Counts  # the next node, or the counts of the leaf
    missing: bool  # whether it takes rows with a missing value
    side: str = ""  # rows with a number or sum on this side of the threshold, or with any value at all
    values: tuple[str, ...] = ()  # rows with these categories
    elsewhere: tuple[str, ...] | None = None  # rows with any category except these, known or not


@dataclass(frozen=True)
class BranchStep:
    """If a row is in this branch, the steps of the next level apply; otherwise those after them."""

    level: int
    branch: Branch


@dataclass(frozen=True)
class LeafStep:
    """A leaf: no further step applies."""

    level: int
    counts: Counts


TreeStep = BranchStep | LeafStep


def sources_of(encoding: Encoding, tree: Tree) -> tuple[TreeColumn, ...]:
    """The columns of the tree; refuses a tree that was learned from other columns."""
    if heads(encoding) != tuple((column.name, column.categories) for column in tree.columns):
        raise OptionError("the tree was not learned from the columns of this encoding")
    if len(tree.classes) != len(encoding.target.classes):
        raise OptionError(f"the tree has {len(tree.classes)} classes, the target {len(encoding.target.classes)}")
    return tuple(source for column in encoding.used for source in _sources(column))


def _sources(column: EncodedColumn) -> Iterable[TreeColumn]:
    if isinstance(column, SparseColumn):
        ends = (column.step, -column.highest, column.highest)
        numbers = (NumberColumn(str(number), 0.0, 1.0, *ends, False) for number in column.all_numbers)
        return [TreeColumn(number, absent_is_zero=True) for number in numbers]
    return (
        [TreeColumn(column, word) for word in column.words] if isinstance(column, TextColumn) else [TreeColumn(column)]
    )


def tests_of(tree: Tree) -> list[Test]:
    """The tests of all nodes and of the leaves' own rules."""
    rules = [node.rule.test for node in tree.nodes if node.rule is not None]
    return [*(node.test for node in tree.nodes if node.test is not None), *rules]


def tested_columns(tree: Tree, sources: Sequence[TreeColumn]) -> list[TreeColumn]:
    """The columns that the tree tests, in order, one for each column of the table."""
    seen = {k for test in tests_of(tree) for k in columns_of(test)}
    return list({sources[k].column.name: sources[k] for k in sorted(seen)}.values())


def steps_of(tree: Tree, sources: Sequence[TreeColumn]) -> Iterator[TreeStep]:
    """The steps that lead every row to its leaf."""
    for node in tree.nodes:
        test = node.test if node.rule is None else node.rule.test
        if isinstance(test, PerceptronTest) and len(test.columns) > MOST_TERMS:
            raise OptionError(
                f"node {node.number}: a sum over {len(test.columns)} columns is too long for an export; learn with "
                f"max_columns of at most {MOST_TERMS}"
            )
    forks = _in_order(tree, [_branches(node, sources) for node in tree.nodes])
    todo: list[TreeStep | tuple[int, int]] = [(0, 0)]
    while todo:
        step = todo.pop()
        if isinstance(step, BranchStep | LeafStep):
            yield step
            continue
        level, number = step
        if not forks[number]:
            yield LeafStep(level, tree.nodes[number].counts)
            continue
        *nested, last = forks[number]
        todo.append(_next(level, last))
        for branch in reversed(nested):
            todo += [_next(level + 1, branch), BranchStep(level, branch)]


def _next(level: int, branch: Branch) -> LeafStep | tuple[int, int]:
    return (level, branch.to) if isinstance(branch.to, int) else LeafStep(level, branch.to)


def _in_order(tree: Tree, forks: list[list[Branch]]) -> list[list[Branch]]:
    """The branches of every node, the most deeply nested last; among equals, missing values first, the rest last."""
    nests = [0] * len(forks)

    def nest(branch: Branch) -> int:
        return nests[branch.to] if isinstance(branch.to, int) else 0

    def place(branch: Branch) -> tuple[int, int]:
        plain = bool(branch.side or branch.values)
        return nest(branch), 2 if branch.elsewhere is not None else 1 if plain else 0

    for node in reversed(tree.nodes):
        fork = forks[node.number] = sorted(forks[node.number], key=place)
        nests[node.number] = max(
            [nest(branch) + 1 for branch in fork[:-1]] + [nest(branch) for branch in fork[-1:]] + [0]
        )
    return forks


def _branches(node: Node, sources: Sequence[TreeColumn]) -> list[Branch]:
    """The branches of a node, or of a leaf's own rule, that some row can take."""
    if node.rule is not None:
        ends = [counts if any(counts) else node.counts for counts in node.rule.counts]
        sides = [(LOW, ends[0], False), (HIGH, ends[1], False), ("", ends[2], True)]
        return _possible([Branch(node.rule.test, to, missing, side) for side, to, missing in sides], sources)
    if node.test is None:
        return []
    if isinstance(node.test, CategoryTest):
        return _of_category(node, node.test, sources)
    order = (PRESENT, "") if isinstance(node.test, PresenceTest) else (LOW, HIGH, "")
    ways = {child: (side, node.missing == child) for child, side in zip(node.children, order, strict=False)}
    return _possible([Branch(node.test, to, missing, side) for to, (side, missing) in ways.items()], sources)


def _possible(branches: Iterable[Branch], sources: Sequence[TreeColumn]) -> list[Branch]:
    """The branches that some row can take: values may never be missing, and words have only two values."""
    out = []
    for branch in branches:
        tested = [sources[k] for k in columns_of(branch.test)]
        side = branch.side
        if isinstance(branch.test, FeatureTest) and tested[0].word is not None:
            side = side if side in {LOW if there <= branch.test.threshold else HIGH for there in (0.0, 1.0)} else ""
        missing = branch.missing and any(source.may_be_missing for source in tested)
        if side or missing:
            out.append(Branch(branch.test, branch.to, missing, side))
    return out


def _of_category(node: Node, test: CategoryTest, sources: Sequence[TreeColumn]) -> list[Branch]:
    """The branches of a category; some also take values that are unknown, or unknown to the node."""
    column = sources[test.column].column
    assert isinstance(column, CategoryColumn)
    child_of = {code: child for child, codes in zip(node.children, test.branches, strict=False) for code in codes}
    known = column.known
    ways = [child_of.get(code, node.other) for code in range(len(known))]
    rest = child_of.get(len(known), node.other) if column.other else node.other
    out = []
    for child in node.children:
        here = tuple(value for value, way in zip(known, ways, strict=True) if way == child)
        elsewhere = tuple(value for value in known if value not in here) if child == rest else None
        if here or elsewhere is not None or node.missing == child:
            out.append(Branch(test, child, node.missing == child, "", here, elsewhere))
    return out


def shares_of(counts: Counts) -> tuple[float, ...]:
    """The share of each class, computed like the tree's own scores."""
    each = np.array(counts)
    return tuple((each / each.sum()).tolist())


def label_at(counts: Counts, classes: Sequence[str], decision: Decision) -> str:
    """What is decided in a leaf: the label of a class, or asking a person."""
    shares = np.array([shares_of(counts)])
    (code,) = decision.codes(shares[:, 1] if len(classes) == 2 else shares, np.array([label_of(counts)]))
    return ASK_A_PERSON if code == UNDECIDED else classes[code]


def in_lines(parts: Sequence[str], indent: str) -> str:
    """Parts side by side, or one below the other if the line would be long."""
    line = " ".join(parts)
    return line if len(line) <= WIDTH else f"\n{indent}".join(parts)
