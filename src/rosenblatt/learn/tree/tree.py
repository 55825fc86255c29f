"""A decision tree: nodes that test a feature, or a function of the features, and leaves that decide.

Problem   labels for rows that no single line parts: each node sends a row on to one of its children.
Input     columns of numbers and of categories; NaN is missing.
Result    `Tree`: an immutable record of its nodes, and the same as flat arrays, by which rows are sent down.
Papers    Breiman, Friedman, Olshen and Stone 1984; Quinlan, C4.5, 1993; Utgoff, perceptron trees, AAAI 1988; Nath,
          section 9.5: "each node considers a feature or a function of the features".

A linear function of the features is a perceptron. A value at a threshold goes to the low side. A value that is missing
has a branch of its own where some were missing when the node was made, and goes with the larger branch where none were;
so does a category that the node has not seen. Of classes that are equally frequent the first is predicted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.learn.tree import routing_kernels
from rosenblatt.learn.tree.flat_nodes import flat_of
from rosenblatt.learn.tree.nodes import (
    NUMBER_ITSELF,
    CategoryTest,
    ColumnHead,
    Columns,
    FeatureTest,
    LeafRule,
    Node,
    PerceptronTest,
    PresenceTest,
    Stop,
    Test,
    columns_of,
    label_of,
    narrowed,
)
from rosenblatt.learn.tree.routing_kernels import Flat
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.threads import in_pieces

__all__ = [  # a tree, and what it is made of
    "NUMBER_ITSELF",
    "CategoryTest",
    "ColumnHead",
    "Columns",
    "FeatureTest",
    "LeafRule",
    "Node",
    "PerceptronTest",
    "PresenceTest",
    "Stop",
    "Test",
    "Tree",
    "columns_of",
    "label_of",
]

MOST_VALUES = 12  # of a category that are named in words
LOOK = 20.0  # a step down a tree costs as much as this many numbers of a plain pass


@dataclass(frozen=True)
class Tree:
    """Nodes, parents before children; the first is the root."""

    columns: Sequence[ColumnHead]
    classes: tuple[Any, ...]
    nodes: tuple[Node, ...]

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes without a test."""
        return tuple(node for node in self.nodes if node.test is None)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How many tests lie above each node."""
        depths = [0] * len(self.nodes)
        for node in self.nodes:
            for child in node.children:
                depths[child] = depths[node.number] + 1
        return tuple(depths)

    @cached_property
    def flat(self) -> Flat:
        """The same as arrays."""
        return flat_of(self.columns, self.nodes)

    @cached_property
    def narrow(self) -> "tuple[Array, Tree]":
        """The columns that any test looks at, and the same tree for a table of these alone."""
        used, nodes = narrowed(self.nodes)
        return used, Tree(tuple(self.columns[k] for k in used.tolist()), self.classes, tuple(nodes))

    def apply(self, table: Array) -> Array:
        """The number of each row's leaf; table[column, row] as in `Columns`."""
        out = np.empty(table.shape[1], np.int64)
        leaves_of = briefly(routing_kernels.leaves_of, LOOK * out.size)
        in_pieces(lambda a, b: leaves_of(self.flat, table, a, b, out), 0, out.size, LOOK)
        return out

    def counts(self, table: Array) -> Array:
        """The counts of the classes where each row ends: those of its leaf, or of its side of the leaf's own rule."""
        return np.asarray(self._counts[self.ends(table)])

    def ends(self, table: Array) -> tuple[Array, Array]:
        """The leaf of every row, and its side of the leaf's own rule: 0 for none, else 1 low, 2 high, 3 no score."""
        leaves, sides = self.apply(table), np.zeros(table.shape[1], np.int64)
        sides_of = briefly(routing_kernels.sides_of, LOOK * sides.size)
        in_pieces(lambda a, b: sides_of(self.flat, table, leaves, a, b, sides), 0, sides.size, LOOK)
        return leaves, sides

    def recounted(self, table: Array, labels: Array, weights: Array) -> Array:
        """By node and side, as `ends` numbers them: the weight of these rows of each class that come there."""
        out = np.zeros((len(self.nodes), 4, len(self.classes)))
        leaves, sides = self.ends(table)
        np.add.at(out, (leaves, sides, labels), weights)
        out[:, 0] = out.sum(axis=1)  # a node's own counts are of all its sides
        for node in reversed(self.nodes):
            for child in node.children:
                out[node.number, 0] += out[child, 0]
        return out

    @cached_property
    def _counts(self) -> Array:
        """By node and side: the node's counts, then those of its own rule's sides."""
        out = np.repeat(np.array([node.counts for node in self.nodes])[:, np.newaxis], 4, axis=1)
        for node in self.nodes:
            for side, counts in enumerate(node.rule.counts if node.rule is not None else (), start=1):
                if any(counts):
                    out[node.number, side] = counts
        return out

    def path(self, table: Array, row: int) -> Iterator[tuple[Node, int | None]]:
        """The nodes that a row passes, and the branch that it takes at each: none at the leaf."""
        parents = {child: node.number for node in self.nodes for child in node.children}
        way = [int(self.apply(np.ascontiguousarray(table[:, row : row + 1]))[0])]
        while way[-1] != 0:
            way.append(parents[way[-1]])
        way.reverse()
        for here, after in zip(way, [*way[1:], None], strict=True):
            node = self.nodes[here]
            yield node, None if after is None else node.children.index(after)

    def value(self, node: Node, row: Array) -> float | None:
        """What a node's test finds in a row: a number, a code or a score; None if it is missing."""
        test = node.test
        if isinstance(test, PerceptronTest):
            score = 0.0
            for column, code, weight in zip(test.columns, test.codes, test.weights, strict=True):
                value = float(row[column])
                met = value if code == NUMBER_ITSELF or np.isnan(value) else float(value == code)
                score += weight * met
            return None if np.isnan(score) else score
        return None if test is None or np.isnan(row[test.column]) else float(row[test.column])

    def in_text(self, names: Sequence[str] | None = None) -> str:
        """The tree in words: a line for every branch, then its leaf or the branches below it."""
        tree = self
        if names is not None:
            if len(names) != len(self.columns):
                raise OptionError(f"{len(self.columns)} columns need {len(self.columns)} names, not {len(names)}")
            heads = zip(self.columns, names, strict=True)
            tree = replace(self, columns=tuple(replace(head, name=str(name)) for head, name in heads))
        return "\n".join(tree.lines())

    def lines(self) -> Iterator[str]:
        """The same, line by line."""
        todo = [(self.nodes[0], "", "")]
        while todo:
            node, indent, condition = todo.pop()
            if condition:
                yield f"{indent}{condition}:"
                indent += "|   "
            if node.test is None:
                yield f"{indent}{self.leaf_in_words(node)}"
            for branch in reversed(range(len(node.children))):
                todo.append((self.nodes[node.children[branch]], indent, self.branch_in_words(node, branch)))

    def leaf_in_words(self, node: Node) -> str:
        """What a leaf decides, and the counts of the classes."""
        counts = ", ".join(
            f"{label} {count:g}" for label, count in zip(self.classes, node.counts, strict=True) if count
        )
        if node.rule is None:
            return f"{self.classes[node.label]} ({counts})"
        low, high, gone = node.sides
        test = node.rule.test
        condition = f"{self.in_words(test)} <= {test.threshold:.6g}"
        rest = f", {self.classes[gone]} if that is missing" if any(node.rule.counts[2]) and gone != high else ""
        return f"{self.classes[low]} if {condition}, else {self.classes[high]}{rest} ({counts})"

    def branch_in_words(self, node: Node, branch: int) -> str:
        """The condition for a branch of a node's test."""
        test = node.test
        if test is None:
            return ""
        what = self.in_words(test)
        if branch == test.many:
            return f"{what} is missing"
        if isinstance(test, PresenceTest):
            return f"{what} is not missing"
        if isinstance(test, CategoryTest):
            categories = self.columns[test.column].categories or ()
            return f"{what} is {_listed([categories[code] for code in test.branches[branch]])}"
        return f"{what} {'<=' if branch == 0 else '>'} {test.threshold:.6g}"

    def in_words(self, test: Test) -> str:
        """What a test looks at."""
        if not isinstance(test, PerceptronTest):
            return self.columns[test.column].name
        terms: list[tuple[float, str]] = []
        for column, code, weight in zip(test.columns, test.codes, test.weights, strict=True):
            name, categories = self.columns[column].name, self.columns[column].categories or ()
            what = name if code == NUMBER_ITSELF else f"[{name} is {categories[code]}]"
            terms.append((weight, what if abs(weight) == 1.0 else f"{abs(weight):.6g} {what}"))
        return " ".join(signed(terms))


def signed(terms: Iterable[tuple[float, str]]) -> list[str]:
    """The terms of a sum, from left to right, each with the sign of the number before it."""
    out: list[str] = []
    for sign, term in terms:
        minus, plus = ("- ", "+ ") if out else ("-", "")
        out.append(f"{minus if sign < 0 else plus}{term}")
    return out


def _listed(values: Sequence[Any]) -> str:
    """Values in words: of many, the first few; in quotation marks where a comma would mislead."""
    shown = [repr(value) if "," in str(value) else str(value) for value in values[:MOST_VALUES]]
    if len(values) == 1:
        return shown[0]
    more = f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
    return f"one of {', '.join(shown)}{more}"
