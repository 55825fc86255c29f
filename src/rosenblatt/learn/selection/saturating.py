"""A soft margin whose rows count less the more wrong they are.

Problem   the least P(w) = sum_i c_i s(z_i . w) + ridge ||w||^2 / 2, with z_i = y_i (x_i, bias), costs c_i that sum
          to 1, h(m) = max(0, 1 - m)^2 / 2, and s(m) = (1 - exp(-sharpness h(m))) / sharpness.
          At sharpness 0, s = h: the soft margin. As it grows, or the ridge falls, a row far on the wrong side costs
          no more than one just there: s counts mistakes.
Input     coordinates in which the columns look alike, several problems at once, weights to start from.
Result    the weights of each problem, and their scores.
Method    s bends at most as a parabola of curvature 1, so in coordinates where the rows have unit second moments one
          metric is above all problems: a step to its lowest point never makes P larger. Steps are extrapolated
          (Nesterov 1983), and begin anew where P rose (O'Donoghue and Candes 2015). Coordinates under a constraint
          become 0 in any step that would give them the wrong sign; the step then leads to the lowest point in their
          cone.
Paper     a redescending loss: Welsch 1975; in classification, the correntropy loss (Singh, Pokharel and Principe 2014).

At sharpness 0, P is convex and has one lowest point (which `learn.soft` finds exactly, for one problem at a time, with
a proof). Otherwise, the end of the descent depends on its start. All is computed in floats, and meant to be judged on
rows that were not learned from: no proof rests on it.
"""

from collections.abc import Callable

import numpy as np

from rosenblatt.learn.selection.problems import PathPoint, Problems
from rosenblatt.rows.kernels import Array

TOLERANCE = 1e-4  # of P: a step that promises less is not worth taking
MOST_STEPS = 200
FINER, MORE_STEPS = 1e-5, 1000  # the same under constraints, in coordinates of columns, which may differ a lot
SPARE = 1e-6  # of what is promised, to allow for rounding
STEEPEST = 2.0**40  # of the metric: beyond, rounding is all that makes P rise


def never() -> bool:
    """Whether to stop early, where nothing may end a descent."""
    return False


def descend(
    problems: Problems, start: PathPoint, ridge: float, sharpness: float, stop: Callable[[], bool] = never
) -> PathPoint:
    """The lowest place that the slope leads to, in each problem; or, if it must stop, the place reached so far."""
    ended, going = PathPoint(start.V.copy(), start.margins.copy()), np.arange(problems.many)
    run = PathDescent(problems, start, ridge, sharpness)
    for _ in range(MOST_STEPS if problems.cone is None else MORE_STEPS):  # so it ends
        if stop():
            break
        moving = run.step()
        if not moving.all():
            ended.put(going[~moving], run.best.some(~moving))
            going = going[moving]
            if not going.size:
                return ended
            run.drop(moving)
    ended.put(going, run.best)
    return ended


class PathDescent:
    """Problems that are not solved yet."""

    def __init__(self, problems: Problems, start: PathPoint, ridge: float, sharpness: float) -> None:
        self.problems, self.ridge, self.sharpness = problems, ridge, sharpness
        self.held = ridge * problems.squares
        self.best = self.ahead = start
        self.least = self._objective(start)
        self.speed = np.ones(problems.many)
        # how much a problem bends beyond what all rows do: as much as its costs are larger, on average, to begin with
        self.metric = np.asarray(problems.space.n * np.einsum("ij,ij->i", problems.costs, problems.costs))

    def _objective(self, place: PathPoint) -> Array:
        """P of each problem."""
        return self.problems.lost(place.margins, self.sharpness) + self._of_length(place)

    def _of_length(self, place: PathPoint) -> Array:
        return np.asarray((place.V * place.V) @ self.held / 2.0)

    def step(self) -> Array:
        """Take a step in each problem; returns which of them are not finished."""
        ahead = self.ahead
        lost, pulls = self.problems.pulled(ahead.margins, self.sharpness)
        here = lost + self._of_length(ahead)
        gradient = self.held * ahead.V - self.problems.gathered(pulls)
        way = -gradient / (self.metric[:, np.newaxis] + self.held)
        promised = far = -np.einsum("ij,ij->i", gradient, way)  # twice what the metric says P falls by
        if self.problems.cone is not None:  # from outside of it, P may have to rise
            way = self.problems.within(ahead.V + way) - ahead.V
            far = np.einsum("ij,ij->i", way * way, self.metric[:, np.newaxis] + self.held)
            promised = -2.0 * np.einsum("ij,ij->i", gradient, way) - far
        found = PathPoint(ahead.V + way, ahead.margins + self.problems.margins(way))
        reached = self._objective(found)
        steep = (reached > here - promised / 2 * (1.0 - SPARE)) & (self.metric < STEEPEST)
        good = ~steep & (reached <= self.least)
        moving: Array = far > (TOLERANCE if self.problems.cone is None else FINER) * here
        self.metric = np.where(steep, 2.0 * self.metric, self.metric)
        faster = (1.0 + np.sqrt(1.0 + 4.0 * self.speed * self.speed)) / 2.0
        self.ahead = found.beyond(np.where(good, (self.speed - 1.0) / faster, 0.0), self.best)
        if good.all():
            self.best, self.least, self.speed = found, reached, faster
            return moving
        self.ahead.put(steep, ahead.some(steep))
        self.ahead.put(~steep & ~good, self.best.some(~steep & ~good))
        self.speed = np.where(good, faster, np.where(steep, self.speed, 1.0))
        found.put(~good, self.best.some(~good))
        self.best, self.least = found, np.where(good, reached, self.least)
        return moving

    def drop(self, moving: Array) -> None:
        """Go on with these problems only."""
        self.problems, self.best, self.ahead = (
            self.problems.some(moving),
            self.best.some(moving),
            self.ahead.some(moving),
        )
        self.least, self.speed, self.metric = self.least[moving], self.speed[moving], self.metric[moving]
