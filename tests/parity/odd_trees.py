"""Trees as no one would learn them, on tables as no one would make them, for Hypothesis."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from hypothesis import strategies as st

from parity.odd_tables import VALUES, columns, names, plain_letters
from rosenblatt.judge.decision import Decision
from rosenblatt.learn.tree.tree import (
    NUMBER_ITSELF,
    CategoryTest,
    ColumnHead,
    FeatureTest,
    LeafRule,
    Node,
    PerceptronTest,
    PresenceTest,
    Stop,
    Tree,
)
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.read.encode.tree_view import grid, heads
from rosenblatt.ship.export.decided import BY_ITSELF

WEIGHTS = [1.0, -1.0, 0.5, -0.25, 0.1, -0.3, 3.0, 1e-3]
TINY = 1e-315  # smaller numbers are taken for 0 in SQL, beside such weights


@dataclass(frozen=True)
class Grown:
    """A tree, and what its columns are."""

    encoding: Encoding
    tree: Tree
    decision: Decision = BY_ITSELF


def columns_of(encoding: Encoding) -> tuple[ColumnHead, ...]:
    return tuple(ColumnHead(name, categories) for name, categories in heads(encoding))


def grown(encoding: Encoding, nodes: Sequence[Node]) -> Grown:
    return Grown(encoding, Tree(columns_of(encoding), tuple(range(len(encoding.target.classes))), tuple(nodes)))


def by_tree(rule: Grown, table):
    """Labels and shares, by the tree itself."""
    counts = rule.tree.counts(grid(rule.encoding, table))
    shares = counts / counts.sum(axis=1, keepdims=True)
    labels = [rule.encoding.target.classes[k] for k in counts.argmax(axis=1)]
    return labels, shares[:, 1:] if shares.shape[1] == 2 else shares


class Gardener:
    """Grows a tree at random; thresholds are often what a row has there."""

    def __init__(self, encoding, table, rng):
        self.heads, self.table, self.rng = heads(encoding), table, rng
        self.classes, self.nodes = len(encoding.target.classes), []
        numbers = [k for k, (_, categories) in enumerate(self.heads) if categories is None]
        named = [k for k, (_, categories) in enumerate(self.heads) if categories is not None]
        self.groups = [group for group in (numbers, named) if group]

    def tree(self, most):
        """The nodes of a tree of up to so many tests."""
        self.nodes, open_nodes, tests = [None], [0], 0
        while open_nodes:
            number = open_nodes.pop(self.rng.integers(len(open_nodes)))
            if tests == most or (tests and self.rng.random() < 0.1):
                self.nodes[number] = self.leaf(number)
                continue
            tests += 1
            test = self.test()
            many = test.many
            own = many == 1 or self.rng.random() < 0.4
            children = tuple(range(len(self.nodes), len(self.nodes) + many + int(own)))
            missing = children[-1] if len(children) > many else self.pick(children)
            self.nodes[number] = Node(number, self.counts(), test, children, missing, self.pick(children[:many]))
            self.nodes += [None] * len(children)
            open_nodes += children
        return self.nodes

    def pick(self, some):
        return some[int(self.rng.integers(len(some)))]

    def counts(self):
        counts = self.rng.integers(0, 4, self.classes) * self.pick([1.0, 0.1])
        return tuple((counts if counts.any() else counts + 1.0).tolist())

    def leaf(self, number):
        rule = None
        if self.rng.random() < 0.3:
            rule = LeafRule(self.perceptron(), tuple(self.pick([self.counts(), (0.0,) * self.classes]) for _ in "012"))
        return Node(number, self.counts(), stop=Stop.NO_GAIN, rule=rule)

    def test(self):
        column = self.pick(self.pick(self.groups))
        categories = self.heads[column][1]
        if self.rng.random() < 0.3:
            return self.perceptron()
        if self.rng.random() < 0.1:
            return PresenceTest(column)
        if categories is None:
            return FeatureTest(column, self.threshold(self.table[column]))
        branch_of = self.rng.integers(-1, 3, len(categories))  # -1: the node has not seen it
        branches = [tuple(np.flatnonzero(branch_of == k).tolist()) for k in range(3)]
        branches = [branch for branch in branches if branch]
        return CategoryTest(column, tuple(branches)) if len(branches) > 1 else self.perceptron()

    def threshold(self, values):
        seen = values[np.isfinite(values)]
        near = float(self.pick(seen)) if seen.size and self.rng.random() < 0.8 else float(self.rng.normal())
        return near if self.rng.random() < 0.8 else float(np.nextafter(near, -np.inf))

    def perceptron(self):
        """A sum whose threshold some row may reach exactly."""
        chosen = self.rng.choice(len(self.heads), self.rng.integers(1, min(len(self.heads), 4) + 1), replace=False)
        codes = [self.code(self.heads[k][1]) for k in chosen]
        weights = [self.pick(WEIGHTS) * self.pick([1.0, 1.0, 1.0, 1 / 3]) for _ in chosen]
        test = PerceptronTest(tuple(chosen.tolist()), tuple(codes), tuple(weights), 0.0)
        scores = [self.score(test, row) for row in self.table.T]
        return PerceptronTest(test.columns, test.codes, test.weights, self.threshold(np.array(scores)))

    def code(self, categories):
        return NUMBER_ITSELF if categories is None else int(self.rng.integers(len(categories)))

    @staticmethod
    def score(test, row):
        total = 0.0
        for k, code, weight in zip(test.columns, test.codes, test.weights, strict=True):
            met = row[k] if code == NUMBER_ITSELF or np.isnan(row[k]) else float(row[k] == code)
            total += weight * met
        return total


@st.composite
def odd_trees(draw):
    """A frame, and a tree for it."""
    n, k, seed = draw(st.integers(6, 12)), draw(st.sampled_from([2, 2, 3, 4])), draw(st.integers(0, 2**32 - 1))
    named = draw(st.lists(names, min_size=2, max_size=5, unique_by=(str.casefold, lambda name: name.encode()[:63])))
    made = [draw(columns(name, n)) for name in named[1:]]
    labels = draw(st.lists(st.sampled_from(VALUES) | st.text(plain_letters), min_size=k, max_size=k, unique=True))
    encoding = Encoding(tuple(column for column, _ in made), Target(named[0], tuple(labels)))
    frame = pl.DataFrame({column.name: cells for column, cells in made})
    floats = pl.col(pl.Float64)
    frame = frame.with_columns(pl.when(floats.abs() < TINY).then(0.0).otherwise(floats).name.keep())
    nodes = Gardener(encoding, grid(encoding, frame), np.random.default_rng(seed)).tree(draw(st.integers(2, 12)))
    return frame, grown(encoding, nodes)


def kinds_met(frame, rule):
    """The kinds of tests that the rows pass: of a leaf's own rule or not, with no value, exactly at the threshold."""
    tree, table = rule.tree, grid(rule.encoding, frame)
    for row in range(frame.height):
        for node, branch in tree.path(table, row):
            test = node.test if branch is not None else node.rule and node.rule.test
            value = tree.value(Node(0, (), test), table[:, row])
            yield (
                type(test),
                branch is None,
                value is None,
                value is not None and value == getattr(test, "threshold", None),
            )
            if isinstance(test, CategoryTest) and value == len(tree.columns[test.column].categories):
                yield "a category that the column has not seen"
    yield f"{len(tree.classes)} classes"
    yield f"{len(set(by_tree(rule, frame)[0]))} labels"


def needed_kinds():
    """Those that odd trees must be able to have."""
    for kind, own in ((FeatureTest, False), (PerceptronTest, False), (PerceptronTest, True)):
        yield from [(kind, own, True, False), (kind, own, False, True), (kind, own, False, False)]
    for kind in (CategoryTest, PresenceTest):
        yield from [(kind, False, True, False), (kind, False, False, False)]
    yield from ["a category that the column has not seen", "2 classes", "3 classes", "4 classes", "3 labels"]
