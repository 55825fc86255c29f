"""A soft margin whose rows count less the more wrong they are.

Problem   the least P(w) = sum_i c_i s(z_i . w) + ridge ||w||^2 / 2, with z_i = y_i (x_i, bias), costs c_i that sum
          to 1, h(m) = max(0, 1 - m)^2 / 2, and s(m) = (1 - exp(-sharpness h(m))) / sharpness.
          At sharpness 0, s = h: the soft margin. As it grows, or the ridge falls, a row far on the wrong side costs
          no more than one just there: s counts mistakes.
Input     coordinates in which the columns look alike, several problems at once, weights to start from.
Result    the weights of each problem, and their scores.
Method    s bends at most as a parabola of curvature 1, so in coordinates where the rows have unit second moments one
          metric is above all problems: a step to its lowest point never makes P larger. Steps are extrapolated
          (Nesterov 1983), and begin anew where P rose (O'Donoghue and Candes 2015).
Paper     a redescending loss: Welsch 1975; in classification, the correntropy loss (Singh, Pokharel and Principe 2014).

It is convex, and the lowest point the only one, at sharpness 0; else where it ends depends on the start. All is in
floats, and to be judged on rows that were not learned from: no proof rests on it.
"""

from dataclasses import dataclass

import numpy as np

from rosenblatt.geometry.whitening import Space
from rosenblatt.rows.kernels import Array

TOLERANCE = 1e-4  # of P: less than a step promises is not worth it
MOST_STEPS = 200
STEEPEST = 2.0**40  # of the metric: beyond, rounding is all that makes P rise


@dataclass(frozen=True, eq=False)
class Problems:
    """Several problems on the same rows."""

    space: Space  # of rows without labels
    signs: Array  # of each row in each problem, -1 or +1
    costs: Array  # the same, summing to 1 in each problem

    @property
    def many(self) -> int:
        """How many there are."""
        return len(self.signs)

    def scores(self, V: Array) -> Array:
        """y (w . x) of every row, in each problem."""
        return self.signs * self.space.slopes(V)


@dataclass(frozen=True, eq=False)
class Place:
    """Coordinates of weights for each problem, and the margins there."""

    V: Array
    margins: Array

    def moved(self, steps: Array, along: "Place") -> "Place":
        """So many times the way from `along` beyond this place."""
        steps = steps[:, np.newaxis]
        return Place(self.V + steps * (self.V - along.V), self.margins + steps * (self.margins - along.margins))

    def where(self, chosen: Array, other: "Place") -> "Place":
        """This place in the problems chosen, the other elsewhere."""
        chosen = chosen[:, np.newaxis]
        return Place(np.where(chosen, self.V, other.V), np.where(chosen, self.margins, other.margins))


def losses(margins: Array, sharpness: float) -> tuple[Array, Array]:
    """s of margins, and how steeply it falls there."""
    slack = np.maximum(0.0, 1.0 - margins)
    loss = slack * slack / 2
    if not sharpness:
        return loss, slack
    left = np.exp(-sharpness * loss)
    return (1.0 - left) / sharpness, left * slack


def objective(problems: Problems, place: Place, ridge: float, sharpness: float) -> tuple[Array, Array]:
    """P of each problem, and how steeply the loss of each row falls, times its cost."""
    loss, falls = losses(place.margins, sharpness)
    held = ridge / 2 * (place.V * place.V) @ problems.space.squares
    return np.einsum("ij,ij->i", problems.costs, loss) + held, problems.costs * falls


def descend(problems: Problems, start: Place, ridge: float, sharpness: float) -> Place:
    """The lowest place that the slope leads to, in each problem.

    It ends: by MOST_STEPS.
    """
    held = ridge * problems.space.squares
    metric = _first_metric(problems)
    best = ahead = start
    least = objective(problems, start, ridge, sharpness)[0]
    speed = np.ones(problems.many)
    for _ in range(MOST_STEPS):
        here, pulls = objective(problems, ahead, ridge, sharpness)
        gradient = held * ahead.V - problems.space.gathered(problems.signs * pulls)
        step = -gradient / (metric[:, np.newaxis] + held)
        promised = -np.einsum("ij,ij->i", gradient, step)  # twice what the metric says P falls by
        moving = promised > TOLERANCE * here
        if not moving.any():
            break
        found = Place(ahead.V + step, ahead.margins + problems.scores(step))
        reached = objective(problems, found, ridge, sharpness)[0]
        steep = moving & (reached > here - promised / 2 * (1.0 - 1e-6)) & (metric < STEEPEST)
        metric = np.where(steep, 2.0 * metric, metric)
        good = moving & ~steep & (reached <= least)
        faster = (1.0 + np.sqrt(1.0 + 4.0 * speed * speed)) / 2.0
        gone_on = found.moved(np.where(good, (speed - 1.0) / faster, 0.0), best)
        ahead = gone_on.where(good, best.where(moving & ~steep, ahead))
        speed = np.where(good, faster, np.where(moving & ~steep, 1.0, speed))
        best, least = found.where(good, best), np.where(good, reached, least)
    return best


def _first_metric(problems: Problems) -> Array:
    """How much a problem may bend more than all rows do: as much as its costs are larger, on average."""
    return np.asarray(problems.signs.shape[1] * np.einsum("ij,ij->i", problems.costs, problems.costs))
