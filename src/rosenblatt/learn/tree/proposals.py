"""What a search for tests is asked, and what it answers: the nodes of a level, and a test for each."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.learn.tree.nodes import Test
from rosenblatt.learn.tree.split_kernels import EVEN, Nodes
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True, eq=False)
class Level:
    """The open nodes of a level."""

    numbers: list[int]
    begins: Array
    ends: Array
    totals: Array  # counts of the classes
    separated: list[bool]  # the perceptron above is right on every row

    @property
    def nodes(self) -> Nodes:
        """The same as compiled code takes them."""
        return Nodes(self.begins, self.ends, self.totals)

    def some(self, chosen: Array) -> "Level":
        """Some of them."""
        return Level(
            [number for number, wanted in zip(self.numbers, chosen, strict=True) if wanted],
            self.begins[chosen], self.ends[chosen], self.totals[chosen],
            [s for s, wanted in zip(self.separated, chosen, strict=True) if wanted],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Proposal:
    """A test for a node, what it is worth, and how heavy its branches are."""

    test: Test
    gain: float
    score: float
    larger: int  # the branch
    absent: bool  # whether missing values need a branch of their own


def better_of(simple: Proposal | None, slanted: Proposal | None, factor: float) -> Proposal | None:
    """The better test; the simple one unless the other is better by a factor."""
    if simple is None or slanted is None:
        return simple or slanted
    return slanted if slanted.score > factor * simple.score + EVEN else simple


def impurity(shares: Array, criterion: str) -> Array:
    """What pure branches would gain, for the classes' shares at each node."""
    if criterion == "gini":
        return np.asarray(1.0 - (shares**2).sum(axis=1))
    if criterion == "mistakes":
        return np.asarray(1.0 - shares.max(axis=1))
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1))
