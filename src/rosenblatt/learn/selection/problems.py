"""The losses that the paths of `learn.selection` lower, for several problems at once.

With two classes, a row loses s(h(m)) for its margin m = y (w . x), h(m) = max(0, 1 - m)^2 / 2, and
s(u) = (1 - exp(-sharpness u)) / sharpness, which is u itself at sharpness 0. With more, all scores are learned at once,
and a row loses s of the sum of h over the margins by which the score of its class is ahead of each of the others.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rosenblatt.geometry.whitening import Space
from rosenblatt.rows.kernels import Array


@dataclass(frozen=True, eq=False)
class PathPoint:
    """Coordinates of weights for each problem, and the margins there; with several classes, the scores."""

    V: Array
    margins: Array

    def beyond(self, steps: Array, before: "PathPoint") -> "PathPoint":
        """The point beyond this one by `steps` times the way from `before`."""
        steps = steps[:, np.newaxis]
        return PathPoint(self.V + steps * (self.V - before.V), self.margins + steps * (self.margins - before.margins))

    def some(self, chosen: Array) -> "PathPoint":
        """The point in some of the problems only."""
        return PathPoint(self.V[chosen], self.margins[chosen])

    def put(self, chosen: Array, other: "PathPoint") -> None:
        """Move to another place in some of the problems."""
        self.V[chosen], self.margins[chosen] = other.V, other.margins


def losses(margins: Array, sharpness: float) -> tuple[Array, Array]:
    """The loss of rows of two classes at margins, and how steeply it falls there."""
    slack = np.subtract(1.0, margins)
    np.maximum(slack, 0.0, out=slack)
    loss = np.square(slack)
    loss *= 0.5
    if sharpness:
        slack *= np.exp(-sharpness * loss)
    return saturated(loss, sharpness), slack


def saturated(loss: Array, sharpness: float) -> Array:
    """s of these losses, in their place."""
    if sharpness:
        loss *= -sharpness
        np.expm1(loss, out=loss)
        loss /= -sharpness
    return loss


@dataclass(frozen=True, eq=False)
class Problems:
    """Several problems of two classes on the same rows."""

    space: Space  # of rows without labels
    signs: Array  # of each row (a column) in each problem, -1 or +1
    costs: Array  # the same, summing to 1 in each problem
    cone: Array | None = field(
        default=None, kw_only=True
    )  # 1, -1 or 0 of each coordinate: the sign it must have, if any

    @property
    def many(self) -> int:
        """The number of problems."""
        return len(self.costs)

    @property
    def squares(self) -> Array:
        """What each coordinate adds to the square of the length of the weights."""
        return self.space.squares

    def some(self, chosen: Array) -> "Problems":
        """Some of the problems."""
        return Problems(self.space, self.signs[chosen], self.costs[chosen], cone=self.cone)

    def within(self, V: Array) -> Array:
        """The nearest coordinates that keep the constraints on signs."""
        return V if self.cone is None else np.where(self.cone * V < 0.0, 0.0, V)

    def start(self) -> PathPoint:
        """Weights of zero."""
        return PathPoint(np.zeros((self.many, self.space.size)), np.zeros(self.signs.shape))

    def margins(self, V: Array) -> Array:
        """y (w . x) of every row, in each problem."""
        margins = self.space.slopes(V)
        margins *= self.signs
        return margins

    def lost(self, margins: Array, sharpness: float) -> Array:
        """The loss of each problem at these margins."""
        slack = np.subtract(1.0, margins)
        np.maximum(slack, 0.0, out=slack)
        np.square(slack, out=slack)
        slack *= 0.5
        return np.asarray(np.einsum("ij,ij->i", self.costs, saturated(slack, sharpness)))

    def pulled(self, margins: Array, sharpness: float) -> tuple[Array, Array]:
        """The same, and how strongly each row pulls its score."""
        loss, pulls = losses(margins, sharpness)
        pulls *= self.costs
        pulls *= self.signs
        return np.einsum("ij,ij->i", self.costs, loss), pulls

    def gathered(self, pulls: Array) -> Array:
        """The pulls of all rows on the coordinates, in each problem."""
        return self.space.gathered(pulls)

    def scores(self, place: PathPoint) -> Array:
        """The scores of all rows in each problem: of the second class."""
        return (place.margins * self.signs)[:, np.newaxis]

    def vectors(self, place: PathPoint) -> Array:
        """The coordinates of each problem, a row for each score."""
        return place.V[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class JointProblems(Problems):
    """Several problems of more than two classes; the coordinates, and the scores, of all classes lie in a row.

    Their weights are not constrained: a constraint is about what one score decides.
    """

    signs: Array  # the class of each row, as a number, for all problems
    classes: int = 0

    def some(self, chosen: Array) -> "JointProblems":
        """Some of the problems."""
        return JointProblems(self.space, self.signs, self.costs[chosen], self.classes)

    @cached_property
    def squares(self) -> Array:
        """What each coordinate adds to the square of the length of the weights."""
        return np.tile(self.space.squares, self.classes)

    def start(self) -> PathPoint:
        """Weights of zero."""
        sizes = (self.space.size, self.signs.size)
        return PathPoint(*(np.zeros((self.many, self.classes * size)) for size in sizes))

    def margins(self, V: Array) -> Array:
        """The scores of all classes of every row, in each problem."""
        return self.space.slopes(V.reshape(-1, self.space.size)).reshape(len(V), -1)

    def lost(self, margins: Array, sharpness: float) -> Array:
        """The loss of each problem at these scores."""
        _, loss = self._short_of_one(margins)
        return np.asarray(np.einsum("ij,ij->i", self.costs, saturated(loss, sharpness)))

    def pulled(self, margins: Array, sharpness: float) -> tuple[Array, Array]:
        """The same, and how strongly each row pulls its scores."""
        slack, loss = self._short_of_one(margins)
        slack *= (self.costs * np.exp(-sharpness * loss) if sharpness else self.costs)[:, np.newaxis]
        total = slack.sum(axis=1)
        np.negative(slack, out=slack)
        slack[:, self.signs, np.arange(self.signs.size)] = total
        lost = np.einsum("ij,ij->i", self.costs, saturated(loss, sharpness))
        return lost, slack.reshape(self.many, -1)

    def _short_of_one(self, margins: Array) -> tuple[Array, Array]:
        """How far each row's lead over each other class is below 1, and half the sum of the squares of these."""
        own, rows = self.signs, np.arange(self.signs.size)
        scores = margins.reshape(self.many, self.classes, -1)
        slack = scores - (scores[:, own, rows] - 1.0)[:, np.newaxis]
        np.maximum(slack, 0.0, out=slack)
        slack[:, own, rows] = 0.0
        return slack, np.einsum("ijk,ijk->ik", slack, slack) / 2.0

    def gathered(self, pulls: Array) -> Array:
        """The pulls of all rows on the coordinates, in each problem."""
        return self.space.gathered(pulls.reshape(-1, self.signs.size)).reshape(len(pulls), -1)

    def scores(self, place: PathPoint) -> Array:
        """The scores of all rows in each problem, a row for each class."""
        return place.margins.reshape(self.many, self.classes, -1)

    def vectors(self, place: PathPoint) -> Array:
        """The coordinates of each problem, a row for each score."""
        return place.V.reshape(self.many, self.classes, -1)
