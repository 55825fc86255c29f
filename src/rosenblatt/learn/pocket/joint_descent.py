"""The fewest mistakes of rules that choose among several classes: the descent of two classes, for a table of weights.

Problem   weights V, a row for each class, for which the rows that some rival scores as high on cost as little as
          possible.
Input     a space of the rows (all labelled +1), their classes and costs, weights to start from, a budget, a generator.
Result    the best weights met, never worse than the start.
Method    As in `descent`. `soften`: multinomial logistic regression, a start beside least squares. `smooth`: a mistake
          counts by 1 - p, p being the softmax share of its class, whose width shrinks. `walk_down`: along a direction,
          a row is right on an interval of steps, between the rivals that it overtakes and those that overtake it; the
          step that most intervals hold, by cost, is found by sorting their ends. `take_in`: the largest margin on the
          signed rows (`kesler`) of all rows that are right and of one that is wrong. Then a kick, and again.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.geometry import wolfe
from rosenblatt.geometry.whitening import Space
from rosenblatt.geometry.working_set import lowest
from rosenblatt.learn.pocket.staircase import (
    CROSSED,
    FAR,
    MOST_IDLE,
    NUMBERS_AT_ONCE,
    SHARE,
    SLOPE_STEPS,
    STUCK,
    TOGETHER,
    WIDTHS,
    OutOfBudget,
    Staircase,
)
from rosenblatt.rows.kernels import Array

SOFT_STEPS = 100  # of logistic regression
ROUGHLY = 3e9  # multiplications of one descent of a slope: more rows, fewer steps
WIDEST = 2_000  # weights, of which one row more is tried to be right
PENALTY = 1e-6  # of the squared weights, in logistic regression: enough to end where classes are separable


class JointDescent(Staircase):
    """A place on the staircase, the best one so far, and what may still be spent."""

    def __init__(
        self,
        space: Space,
        own: Array,
        classes: int,
        costs: Array,
        rng: np.random.Generator,
        spend: Callable[[float], bool],
        worth_a_kick: Callable[[], bool],
    ) -> None:
        super().__init__(space, rng, spend, worth_a_kick)
        self.own = own
        self.costs = costs if costs.size else np.ones(space.n, np.int64)
        self.shares = self.costs / self.costs.sum()
        self.shape, self.every = (classes, space.size), np.arange(space.n)
        size = classes * space.size
        self.together = int(np.clip(NUMBERS_AT_ONCE // (space.n * classes), 1, TOGETHER))
        self.slope_steps = int(np.clip(ROUGHLY / (2 * space.n * size), 5, SLOPE_STEPS))
        self.patience = min(STUCK * size, MOST_IDLE) + TOGETHER
        self._many = min(4 * size + 50, NUMBERS_AT_ONCE // size + 50)  # pairs that become active at once
        self.V, self.scores, self.cost = np.zeros(self.shape), np.zeros((classes, space.n)), 0
        self.best, self.kept = np.iinfo(np.int64).max, self.V
        if size > WIDEST:
            self._taking_in = 0.0

    def stand(self, V: Array) -> None:
        """Go to V, if it is a rule at all, and keep it unless the one kept is better."""
        V = V - V.mean(axis=0)  # what all classes have in common decides nothing
        largest = float(np.abs(V).max())
        if not 0.0 < largest < np.inf:
            return
        self.V = V / largest
        self.V /= np.linalg.norm(self.V)
        self.scores = self.space.slopes(self.V)
        self.cost = int(self.costs[self.leads() <= 0.0].sum())
        if self.cost <= self.best:
            self.best, self.kept = self.cost, self.V.copy()

    def leads(self) -> Array:
        """By how much each row's class leads its strongest rival."""
        return np.asarray(self._against(self.scores).min(axis=0))

    def _against(self, scores: Array) -> Array:
        """By how much each row's class leads every class; infinite against itself."""
        ahead = scores[self.own, self.every] - scores
        ahead[self.own, self.every] = np.inf
        return np.asarray(ahead)

    # -- down the slope ----------------------------------------------------------------------------------------

    def least_squares(self) -> Array:
        """The rule that predicts 1 for a row's class and 0 for the others, as the coordinates have it."""
        return np.stack([self.space.gathered(self.shares * (self.own == k)) for k in range(self.shape[0])])

    def soften(self, V: Array) -> Array:
        """Multinomial logistic regression from V on."""

        def value(flat: Array) -> tuple[float, Array]:
            self.spend(2)
            V = flat.reshape(self.shape)
            scores = self.space.slopes(V)
            top = scores.max(axis=0)
            logs = top + np.log(np.exp(scores - top).sum(axis=0))
            pull = np.exp(scores - logs)
            pull[self.own, self.every] -= 1.0
            loss = self.shares @ (logs - scores[self.own, self.every]) + PENALTY * float(flat @ flat)
            return float(loss), (self._gathered(self.space, pull * self.shares) + 2 * PENALTY * V).ravel()

        return self._minimised(value, V, min(SOFT_STEPS, 4 * self.slope_steps))

    def smooth(self, V: Array) -> None:
        """From V, follow the smoothed cost down, from wide shares to narrow ones."""
        self.stand(V)
        if not self.V.any():  # there must be a direction to go on from
            self.stand(np.eye(*self.shape))
        for width in WIDTHS:
            near = np.abs(self.leads()) < FAR * width
            if not near.any():
                break
            some = np.flatnonzero(near) if near.mean() < 0.5 else self.every
            space = self.space.part(near) if some.size < self.every.size else self.space
            self.stand(self._minimised(self._slope(space, some, width), self.V, self.slope_steps))

    def _slope(self, space: Space, some: Array, width: float) -> Callable[[Array], tuple[float, Array]]:
        """The cost of these rows, smoothed to this width, as a function of V that also gives its gradient."""
        own, shares, places = self.own[some], self.shares[some], np.arange(some.size)

        def value(flat: Array) -> tuple[float, Array]:
            self.spend(2 * some.size / self.space.n)
            length = float(np.linalg.norm(flat))
            u = flat / length
            scores = space.slopes(u.reshape(self.shape)) / width
            scores = np.exp(scores - scores.max(axis=0))
            scores /= scores.sum(axis=0)
            right = scores[own, places]
            pull = scores * (shares * right / width)
            pull[own, places] -= shares * right / width
            gradient = self._gathered(space, pull).ravel()
            return float(shares @ (1.0 - right)), (gradient - (gradient @ u) * u) / length

        return value

    @staticmethod
    def _gathered(space: Space, pull: Array) -> Array:
        return np.stack([space.gathered(each) for each in pull])

    def _minimised(self, value: Callable[[Array], tuple[float, Array]], V: Array, steps: int) -> Array:
        options: Any = {"maxiter": steps, "maxcor": 20, "gtol": 1e-9, "ftol": 1e-12}
        found = scipy.optimize.minimize(value, V.ravel(), jac=True, method="L-BFGS-B", options=options).x
        return np.asarray(found).reshape(self.shape)

    # -- down the steps ----------------------------------------------------------------------------------------

    def walk_down(self) -> None:
        """Line searches until many in a row have brought nothing.

        It ends: only a cost below all before, a whole number, resets the count.
        """
        idle, lowest_cost = 0, self.cost
        while idle < self.patience:
            self.spend(self.together)
            directions = self.directions()
            slopes = self.space.slopes(directions.reshape(-1, self.shape[1])).reshape(
                len(directions), *self.scores.shape
            )
            V, scores = self.V.copy(), self.scores.copy()
            for direction, slope in zip(directions, slopes, strict=True):
                step = best_step(self._against(scores), self._against(slope), self.costs)
                if step:
                    V += step * direction
                    scores += step * slope
            self.stand(V)
            idle = idle + len(directions) if self.cost >= lowest_cost else 0
            lowest_cost = min(lowest_cost, self.cost)

    def directions(self) -> Array:
        """Single weights of one class, random ones of one class, mistakes: a half, a quarter, a quarter."""
        (classes, size), rng, many = self.shape, self.rng, self.together
        out = np.zeros((many, classes, size))
        leads = self._against(self.scores)
        wrong = np.flatnonzero(leads.min(axis=0) <= 0.0)
        for k, kind in enumerate(rng.integers(4, size=many).tolist()):
            if kind < 2:
                out[k, rng.integers(classes), rng.integers(size)] = 1.0
            elif kind == 2 or not wrong.size:
                out[k, rng.integers(classes)] = rng.standard_normal(size)
            else:
                row = int(wrong[rng.integers(wrong.size)])
                point = self.space.rows(np.array([row]))[0]
                out[k, self.own[row]] += point
                out[k, int(np.argmin(leads[:, row]))] -= point
        return out

    def kicked_place(self, size: float) -> Array:
        """The best weights, moved by random ones."""
        return self.kept + size * self.rng.standard_normal(self.shape)

    # -- one row more ------------------------------------------------------------------------------------------

    def nearest_boundary(self, right: Array) -> Array:
        """The pairs r n + i of the rows that are right which have the smallest leads."""
        leads = self._against(self.scores)
        return lowest(leads.ravel(), (np.isfinite(leads) & right).ravel(), self._many)

    def points_of_row(self, row: int) -> Array:
        """The pairs of a row with its rivals."""
        return np.delete(np.arange(self.shape[0]), self.own[row]) * self.space.n + row

    def separated(self, wanted: Array, active: Array, begin: Array) -> tuple[Array, wolfe.Nearest] | None:
        """The largest margin on the rows wanted, over active pairs r n + i, from a corral; None if there is none.

        It ends, because every turn makes one pair more active.
        """
        while True:
            self.spend(1 + active.size / self.space.n)
            ones = np.ones((active.size, 1))
            found = wolfe.nearest(self.points(active), ones, begin, stop=lambda _: not self._spend(0.0))
            self._taking_in -= found.work
            self.spend(0.0)
            if not found.settled:
                return None
            leads = self._against(self.space.slopes(found.x.reshape(self.shape)))
            low = (wanted & (leads <= 0.0)).ravel()
            if not low.any():
                return active, found
            low[active] = False
            if not low.any():
                return None
            active, begin = np.append(active, lowest(leads.ravel(), low, self._many)), found.corral

    def points(self, pairs: Array) -> Array:
        """The signed rows of pairs r n + i."""
        rivals, rows = np.divmod(pairs, self.space.n)
        return signed_points(self.space.rows(rows), self.own[rows], rivals, self.shape[0])


def signed_points(points: Array, own: Array, rivals: Array, classes: int) -> Array:
    """e_y (x) x - e_r (x) x for points x of class y against rival r."""
    out, every = np.zeros((len(points), classes, points.shape[1])), np.arange(len(points))
    out[every, own] = points
    out[every, rivals] = -points
    return out.reshape(len(points), -1)


def best_step(leads: Array, slopes: Array, costs: Array) -> float:
    """How far to go so that the rows that are right cost most: to the middle of the widest such stretch.

    `leads` has, for every class and row, by how much the row's own class leads, and `slopes` how that changes; the own
    class leads itself by infinity. A row is right between the steps at which its rivals are overtaken and those at
    which they overtake. Only the nearest of these steps are looked at, a share of SHARE.
    """
    with np.errstate(all="ignore"):
        crossings = -leads / slopes
    never = np.isposinf(leads)
    low = np.where((slopes > 0.0) & ~never, crossings, -np.inf).max(axis=0)
    high = np.where((slopes < 0.0) & ~never, crossings, np.inf).min(axis=0)
    stuck = ((slopes == 0.0) & ~never & (leads <= 0.0)).any(axis=0)
    holds = (low < high) & ~stuck
    low, high, gains = low[holds], high[holds], costs[holds]
    both = np.concatenate([low, high])
    sizes = np.abs(both[np.isfinite(both)])
    if not sizes.size:
        return 0.0
    many = min(max(int(SHARE * sizes.size), CROSSED), sizes.size - 1)
    reach = float(np.partition(sizes, many)[many]) * 1.5
    near = np.abs(both) < reach
    ends, changes = both[near], np.concatenate([gains, -gains])[near]
    order = np.argsort(ends)
    ends = np.concatenate([[-reach], ends[order], [reach]])
    before = gains[(low <= -reach) & (high > -reach)].sum()
    covered = np.concatenate([[before], before + np.cumsum(changes[order])])
    widths = np.diff(ends)
    covered[widths <= 0.0] = -1
    best = np.flatnonzero(covered == covered.max())
    place = best[np.argmax(widths[best])]
    return float(ends[place] + ends[place + 1]) / 2.0


def fewest(descent: JointDescent, start: Array, patience: int) -> Array:
    """The best weights found from `start` on, until `patience` kicks in a row have brought nothing.

    It ends: the count of kicks is reset only when the least cost, a whole number, has fallen.
    """
    if not descent.space.size:  # all rows are zeros, which no weights tell apart
        return np.zeros(descent.shape)
    with suppress(OutOfBudget):
        descent.stand(start)
        squares = descent.least_squares()
        descent.smooth(squares)
        descent.smooth(descent.soften(squares))
        descent.go_on(patience)
    return descent.kept
