"""What the descents to the fewest mistakes share, of two classes (`descent`) and of more (`joint_descent`).

A descent stands at some weights, keeps the best it has met, and ends when it has spent its budget. Kicks lead away from
where nothing helps any more; `take_in` asks whether one more row can be right.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from rosenblatt.geometry.whitening import Space
from rosenblatt.geometry.wolfe import Nearest
from rosenblatt.rows.kernels import Array

WIDTHS = tuple(0.5**k for k in range(8))  # of a sigmoid; the rows have unit second moments
SLOPE_STEPS = 30  # for each width
NUMBERS_AT_ONCE = 4_000_000  # slopes that are held
TOGETHER = 32  # directions whose slopes are computed at once
TAKING_IN = 2e10  # multiplications, in all, to be right on one more row: on wide tables these steps are long
FAILURES = 100  # rows that cannot be taken in, one after the other: farther ones are left
SHARE, CROSSED = 0.1, 50  # the share of the rows that a line search crosses, and the fewest rows
STUCK, MOST_IDLE = 2, 500  # directions that are tried without a gain: per coordinate, and at most
FAR = 20.0  # widths of the sigmoid: rows so far from the boundary have no slope
LARGEST_KICK, KICKS_SPAN = 3.0, 30.0


class OutOfBudget(Exception):  # noqa: N818
    """Raised inside a descent when it must end; what was found is kept."""


class Staircase(ABC):
    """A place on the staircase of costs, the best one so far, and what may still be spent."""

    best: int  # the least cost so far
    kept: Array  # the weights that have it
    cost: int  # at the place now

    def __init__(
        self,
        space: Space,
        rng: np.random.Generator,
        spend: Callable[[float], bool],
        worth_a_kick: Callable[[], bool],
    ) -> None:
        self.space, self.rng, self.kicked = space, rng, False
        self._spend, self._worth_a_kick, self._taking_in = spend, worth_a_kick, TAKING_IN

    def spend(self, passes: float) -> None:
        """Count passes over the rows; ends the descent when there is nothing left to gain or to spend."""
        if self.best == 0 or not self._spend(passes) or (self.kicked and not self._worth_a_kick()):
            raise OutOfBudget

    @abstractmethod
    def stand(self, place: Array) -> None:
        """Go to these weights, and keep them unless those kept are better."""

    @abstractmethod
    def leads(self) -> Array:
        """By how much each row is right; 0 or less for a mistake."""

    @abstractmethod
    def walk_down(self) -> None:
        """Line searches until many in a row have brought nothing."""

    @abstractmethod
    def kicked_place(self, size: float) -> Array:
        """The best weights, moved by a random vector with entries of this size."""

    @abstractmethod
    def nearest_boundary(self, right: Array) -> Array:
        """The points of the rows that are right with the smallest leads."""

    @abstractmethod
    def points_of_row(self, row: int) -> Array:
        """The points that a row stands for."""

    @abstractmethod
    def separated(self, wanted: Array, active: Array, begin: Array) -> tuple[Array, Nearest] | None:
        """The largest margin on the rows wanted, over active points, from a corral; None if there is none."""

    def kick(self) -> None:
        """Away from the best place, by a random length."""
        self.kicked = True
        self.stand(self.kicked_place(LARGEST_KICK * KICKS_SPAN ** -self.rng.random() / np.sqrt(self.kept.size)))

    def take_in(self) -> None:
        """Be right on one more row, and one more, while the rows that are right now stay right.

        It ends, because every turn tries one row more. Nothing is tried where the points held densely are too many.
        """
        if not self._taking_in > 0.0:
            return
        self.stand(self.kept)
        leads = self.leads()
        right = leads > 0.0
        right[np.argmax(leads)] = True  # one row at least
        found = self.separated(right, self.nearest_boundary(right), np.zeros(1, np.int64))
        tried, failures = right.copy(), 0
        while found and failures < FAILURES and not tried.all() and self._taking_in > 0.0:
            row = int(np.argmax(np.where(tried, -np.inf, self.leads())))
            tried[row] = right[row] = True
            active, nearest = found
            if wider := self.separated(right, np.append(active, self.points_of_row(row)), nearest.corral):
                found, failures = wider, 0
                self.stand(wider[1].x.reshape(self.kept.shape))
                right |= self.leads() > 0.0
                tried |= right
            else:
                right[row] = False
                failures += 1

    def go_on(self, patience: int) -> None:
        """From the best place, walk down and take in; then kick, and again, until `patience` kicks brought nothing.

        It ends: the count of kicks is reset only when the least cost, a whole number, has fallen.
        """
        self.stand(self.kept)
        self.walk_down()
        self.take_in()
        idle = 0
        while idle < patience:
            before = self.best
            self.kick()
            self.walk_down()
            if self.cost <= before:
                self.take_in()
            idle = 0 if self.best < before else idle + 1
