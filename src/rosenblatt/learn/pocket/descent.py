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

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.geometry import line_search, wolfe
from rosenblatt.geometry.line_search import Crossings
from rosenblatt.geometry.whitening import NUMBERS, Scaled, Space
from rosenblatt.geometry.working_set import lowest
from rosenblatt.rows.kernels import Array

WIDTHS = tuple(0.5**k for k in range(8))  # of the sigmoid; the rows have unit second moments
SLOPE_STEPS = 30  # for each width
NUMBERS_AT_ONCE = 4_000_000  # slopes that are held
TOGETHER = 32  # directions whose slopes are computed at once
TAKING_IN = 2e10  # multiplications, in all, to be right on one more row: on wide tables these steps are long
FAILURES = 100  # rows that cannot be taken in, one after the other: farther ones are left
SHARE, CROSSED = 0.1, 50  # of the rows are crossed in a line search, and at least so many
STUCK, MOST_IDLE = 2, 500  # so many directions per coordinate, and at most so many, are tried without a gain
FAR = 20.0  # widths of the sigmoid: rows so far from the boundary have no slope
LARGEST_KICK, KICKS_SPAN = 3.0, 30.0


class _OutOfBudget(Exception):  # noqa: N818
    """Raised inside a descent when it must end; what was found is kept."""


class Descent:
    """A place on the staircase, the best one so far, and what may still be spent."""

    def __init__(
        self,
        space: Space,
        costs: Array,
        gamma: float,
        rng: np.random.Generator,
        spend: Callable[[float], bool],
        worth_a_kick: Callable[[], bool],
    ) -> None:
        self.space, self.costs, self.gamma, self.rng = space, costs, gamma, rng
        self._spend, self._worth_a_kick, self.kicked = spend, worth_a_kick, False
        n = space.n
        self.together = int(np.clip(NUMBERS_AT_ONCE // n, 4, TOGETHER))
        self.share = max(SHARE, min(CROSSED / n, 1.0))
        self._many = 4 * space.size + 50  # rows that become active at once
        self._taking_in = TAKING_IN if min(n, self._many) * space.size <= NUMBERS else 0.0
        self.patience = min(STUCK * space.size, MOST_IDLE) + TOGETHER
        ints, floats = np.empty((2, n), np.int64), np.empty((2, n))
        heads = np.empty(n + 2, np.int64)
        self.crossings, self.sample = Crossings(floats[0], ints[0], floats[1], ints[1], heads), np.empty(64)
        self.v, self.scores, self.cost = np.zeros(space.size), np.zeros(n), 0
        self.best, self.kept = np.iinfo(np.int64).max - 1, self.v
        self._newest = not isinstance(space, Scaled)  # there, to drift along equal costs made rules worse on new rows

    def stand(self, v: Array) -> None:
        """Go to v, if it is a direction at all, and keep it unless the one kept is better (or as good: `_newest`)."""
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

    def spend(self, passes: float) -> None:
        """Count passes over the rows; ends the descent when there is nothing left to gain or to spend."""
        if self.best == 0 or not self._spend(passes) or (self.kicked and not self._worth_a_kick()):
            raise _OutOfBudget

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
            options = {"maxiter": SLOPE_STEPS, "maxcor": 20, "gtol": 1e-9, "ftol": 1e-12}
            slope = self._slope(some, part, width * unit)
            self.stand(scipy.optimize.minimize(slope, self.v, jac=True, method="L-BFGS-B", options=options).x)

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
        """Line searches until as many as STUCK tells have brought nothing.

        It ends: only a cost below all before, a whole number, makes the count begin anew. The cost itself may rise
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

    def kick(self) -> None:
        """Away from the best place, by a random length."""
        self.kicked = True
        size = LARGEST_KICK * KICKS_SPAN ** -self.rng.random() / np.sqrt(self.space.size)
        self.stand(self.kept + size * self.rng.standard_normal(self.space.size))

    def take_in(self) -> None:
        """Be right on one more row, and one more, while the rows that are right now stay right.

        It ends, because every turn tries one row more. Not where the rows that it would hold, densely, are too many.
        """
        if not self._taking_in > 0.0:
            return
        self.stand(self.kept)
        right = self.scores > 0.0
        right[np.argmax(self.scores)] = True  # one row at least
        found = self._separated(right, lowest(self.scores, right, self._many), np.zeros(1, np.int64))
        tried, failures = right.copy(), 0
        while found and failures < FAILURES and not tried.all() and self._taking_in > 0.0:
            row = int(np.argmax(np.where(tried, -np.inf, self.scores)))
            tried[row] = right[row] = True
            active, nearest = found
            if wider := self._separated(right, np.append(active, row), nearest.corral):
                found, failures = wider, 0
                self.stand(wider[1].x)
                right |= self.scores > 0.0
                tried |= right
            else:
                right[row] = False
                failures += 1

    def _separated(self, wanted: Array, active: Array, begin: Array) -> tuple[Array, wolfe.Nearest] | None:
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
) -> Array:
    """The best coordinates found from `start` on, until `patience` kicks in a row have brought nothing.

    `spend` counts passes and tells whether to go on, `worth_a_kick` whether to go on after the first kick. With
    gamma > 0, margins below gamma ||w|| are mistakes, and only the smooth way leads down. It ends, because kicks are
    only counted anew when the least cost, a whole number, has fallen.
    """
    if not space.size:  # all rows are zeros, which no weights tell apart
        return np.zeros(0)
    descent, idle = Descent(space, costs, gamma, rng, spend, worth_a_kick), 0
    try:
        descent.stand(start)
        descent.smooth()
        if gamma:
            return descent.kept
        descent.stand(descent.kept)
        descent.walk_down()
        descent.take_in()
        while idle < patience:
            before = descent.best
            descent.kick()
            descent.walk_down()
            if descent.cost <= before:
                descent.take_in()
            idle = 0 if descent.best < before else idle + 1
    except _OutOfBudget:
        pass
    return descent.kept
