"""The fewest mistakes: down a slope that turns into a staircase, and down its steps.

Problem   weights w for which the rows with y (w . x) <= 0 cost as little as possible. It is NP-hard in general.
Input     examples, weights to start from, a budget, a random generator.
Result    the best weights met, never worse than the start.
Method    Coordinates in which the rows have unit second moments, so that nothing depends on the units of the columns.
          From the least-squares rule, `smooth`: a mistake counts by a sigmoid of its margin, whose width shrinks
          (Nguyen and Sanner, ICML 2013). From there, exact line search along coordinates, random directions and
          mistakes (Li and Lin, IJCNN 2007). Where that is stuck, `take_in`: weights with the largest
          margin on all rows that are right and on one that is wrong, if there are any. Then a kick, and again.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.geometry import line_search, wolfe
from rosenblatt.geometry.line_search import Crossings
from rosenblatt.geometry.whitening import NUMBERS, Scaled, Space
from rosenblatt.geometry.working_set import lowest
from rosenblatt.learn.pocket.staircase import (
    CROSSED,
    FAR,
    MOST_IDLE,
    NUMBERS_AT_ONCE,
    SHARE,
    SLOPE_STEPS,
    STUCK,
    TAKING_IN,
    TOGETHER,
    WIDTHS,
    OutOfBudget,
    Staircase,
)
from rosenblatt.rows.kernels import Array

BOUNDS = {0: (None, None), 1: (0.0, None), -1: (None, 0.0)}  # of a coordinate that must have this sign
BETWEEN = 4  # directions that are searched before the way back to the cone


class Descent(Staircase):
    """A place on the staircase, the best one so far, and what may still be spent."""

    def __init__(
        self,
        space: Space,
        costs: Array,
        gamma: float,
        rng: np.random.Generator,
        spend: Callable[[float], bool],
        worth_a_kick: Callable[[], bool],
        signs: Array,
    ) -> None:
        super().__init__(space, rng, spend, worth_a_kick)
        self.signs = signs if signs.any() else None
        self.costs, self.gamma, n = costs, gamma, space.n
        self.together = int(np.clip(NUMBERS_AT_ONCE // n, 4, TOGETHER))
        self.share = max(SHARE, min(CROSSED / n, 1.0))
        self._many = 4 * space.size + 50  # rows that become active at once
        if min(n, self._many) * space.size > NUMBERS:
            self._taking_in = 0.0
        if self.signs is not None:
            self._taking_in, self.together = 0.0, min(self.together, BETWEEN)
        self.patience = min(STUCK * space.size, MOST_IDLE) + TOGETHER
        ints, floats = np.empty((2, n), np.int64), np.empty((2, n))
        heads = np.empty(n + 2, np.int64)
        self.crossings, self.sample = Crossings(floats[0], ints[0], floats[1], ints[1], heads), np.empty(64)
        self.v, self.scores, self.cost = np.zeros(space.size), np.zeros(n), 0
        self.best, self.kept = np.iinfo(np.int64).max - 1, self.v
        self._newest = not isinstance(space, Scaled)  # there, to drift along equal costs made rules worse on new rows

    def stand(self, v: Array) -> None:
        """Go to v, if it is a direction at all, and keep it unless the one kept is better (or as good: `_newest`).

        Under constraints, go to the nearest place in their cone.
        """
        if self.signs is not None:
            v = np.where(self.signs * v < 0.0, 0.0, v)
        largest = float(np.abs(v).max())
        if not 0.0 < largest < np.inf:
            return
        self.v = v / largest  # first, so that no square overflows
        self.v /= self.length(self.v)
        self.scores = self.space.scores(self.v) - self.gamma
        self.cost = line_search.cost_of(self.scores, self.costs)
        if self.cost < self.best + self._newest:
            self.best, self.kept = self.cost, self.v.copy()

    def length(self, v: Array) -> float:
        """What scores are divided by: with gamma, the length of the weights; else it does not matter."""
        return float(np.linalg.norm(self.space.weights(v) if self.gamma else v))

    def leads(self) -> Array:
        """The margin of each row, less gamma."""
        return self.scores

    def smooth(self) -> None:
        """From the least-squares rule, follow the smoothed cost down, from wide sigmoids to narrow ones."""
        shares = self.costs / self.costs.sum() if self.costs.size else np.full(self.space.n, 1.0 / self.space.n)
        self.stand(self.space.gathered(shares))
        if not self.v.any():  # neither the start nor the rule is a direction, but there must be one to go on from
            self.stand(np.eye(1, self.space.size)[0])
        unit = float(np.linalg.norm(self.v))
        for width in WIDTHS:
            near = np.abs(self.scores) < FAR * width * unit
            some, part = (self.space.part(near), shares[near]) if near.mean() < 0.5 else (self.space, shares)
            bounds = None if self.signs is None else [BOUNDS[sign] for sign in self.signs.tolist()]
            options = {"maxiter": SLOPE_STEPS, "maxcor": 20, "gtol": 1e-9, "ftol": 1e-12}
            slope = self._slope(some, part, width * unit)
            how: Any = {"jac": True, "method": "L-BFGS-B", "options": options, "bounds": bounds}
            self.stand(scipy.optimize.minimize(slope, self.v, **how).x)

    def _slope(self, space: Space, shares: Array, width: float) -> Callable[[Array], tuple[float, Array]]:
        """The cost of these rows, smoothed to this width, as a function of v that also gives its gradient."""

        def value(v: Array) -> tuple[float, Array]:
            self.spend(2 * space.n / self.space.n)
            length = self.length(v)
            u = v / length
            scores = space.scores(u)
            wrong = scipy.special.expit((self.gamma - scores) / width)
            pull = shares * wrong * (wrong - 1.0) / width
            inward = space.inward(u) if self.gamma else u
            return float(shares @ wrong), (space.gathered(pull) - (pull @ scores) * inward) / length

        return value

    def walk_down(self) -> None:
        """Line searches until `patience` of them in a row have brought nothing.

        It ends: only a cost below all before, a whole number, resets the count. The cost itself may rise
        again, by the rounding of scores that are changed with every step.
        """
        idle, lowest_cost = 0, self.cost
        while idle < self.patience:
            self.spend(self.together)
            directions, v = self.directions(), self.v.copy()
            slopes = self.space.slopes(directions)
            line_search.descend(
                slopes, directions, self.costs, self.share, v, self.scores.copy(), self.crossings, self.sample
            )
            self.stand(v)
            idle = idle + len(directions) if self.cost >= lowest_cost else 0
            lowest_cost = min(lowest_cost, self.cost)

    def directions(self) -> Array:
        """Coordinates, random directions, mistakes: a half, a quarter, a quarter."""
        many, d, rng = self.together, self.space.size, self.rng
        half, three_quarters = many // 2, 3 * many // 4
        out = np.zeros((many, d))
        out[np.arange(half), rng.integers(d, size=half)] = 1.0
        for _ in range(3):
            out[np.arange(half, three_quarters), rng.integers(d, size=three_quarters - half)] = rng.standard_normal(
                three_quarters - half
            )
        wrong = np.flatnonzero(self.scores <= 0.0)
        out[three_quarters:] = self.space.rows(wrong[rng.integers(wrong.size, size=many - three_quarters)])
        return out

    def kicked_place(self, size: float) -> Array:
        """The best direction, moved by a random one."""
        return self.kept + size * self.rng.standard_normal(self.space.size)

    def nearest_boundary(self, right: Array) -> Array:
        """The rows that are right with the smallest margins."""
        return lowest(self.scores, right, self._many)

    def points_of_row(self, row: int) -> Array:
        """The row itself."""
        return np.array([row])

    def separated(self, wanted: Array, active: Array, begin: Array) -> tuple[Array, wolfe.Nearest] | None:
        """The largest margin on the rows wanted, over active ones, from a corral; None if there is none.

        It ends, because every turn makes one row more active.
        """
        while True:
            self.spend(1 + active.size / self.space.n)
            left = self._taking_in + TAKING_IN  # what was begun may end, unless it is as long again

            def stop(work: float) -> bool:
                nonlocal left
                left -= work
                return left < 0.0 or not self._spend(0.0)

            found = wolfe.nearest(self.space.rows(active), np.ones((active.size, 1)), begin, stop=stop)
            self._taking_in -= found.work
            self.spend(0.0)
            if not found.settled:
                return None
            scores = self.space.scores(found.x)
            low = wanted & (scores <= 0.0)
            if not low.any():
                return active, found
            low[active] = False
            if not low.any():
                return None
            active, begin = np.append(active, lowest(scores, low, self._many)), found.corral


def fewest(
    space: Space,
    costs: Array,
    start: Array,
    rng: np.random.Generator,
    *,
    gamma: float = 0.0,
    patience: int,
    spend: Callable[[float], bool],
    worth_a_kick: Callable[[], bool],
    signs: Array,
) -> Array:
    """The best coordinates found from `start` on, until `patience` kicks in a row have brought nothing.

    `spend` counts passes and returns whether to go on; `worth_a_kick`, whether to go on after the first kick. With
    gamma > 0, margins below gamma ||w|| are mistakes, and only the smooth way leads down. `signs` has 1, -1 or 0 for
    each coordinate: the sign that it must have, if any.
    """
    if not space.size:  # all rows are zeros, which no weights tell apart
        return np.zeros(0)
    descent = Descent(space, costs, gamma, rng, spend, worth_a_kick, signs)
    with suppress(OutOfBudget):
        descent.stand(start)
        descent.smooth()
        if not gamma:
            descent.go_on(patience)
    return descent.kept
