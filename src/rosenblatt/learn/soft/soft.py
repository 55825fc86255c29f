"""The soft margin, solved: find the rows within the margin, correct the weights, until a gap proves that it is enough.

Problem   the least P(w) = ||w||^2 / 2 + sum_i C_i / 2 max(0, 1 - z_i . w)^2, with z_i = y_i (x_i, bias) and C_i = C
          times the weight of row i. It is the largest margin of the lifted rows [x_i; s e_i] (`learn.lifted`), with
          s^2 = 1 / C_i: the own features' weights are C_i s max(0, 1 - z_i . w), so the slack is what they add, and
          1 / sqrt(2 P) is the margin. In the lecture's [a x_i; sqrt(1 - a^2) e_i], C = a^2 / (1 - a^2).
Input     examples, C, a tolerance, a budget.
Result    `SoftRun`: the weights, P, and how far below P no weights can be.
Method    Newton's, which is finite: on the rows within the margin P is a quadratic, and `systems` finds its lowest
          point; then the lowest point on the line to there, exactly, as P is quadratic in pieces.
Gap       a_i = C_i max(0, 1 - z_i . w) is feasible for the dual D(a) = sum a - ||sum a_i z_i||^2 / 2
          - sum a_i^2 / (2 C_i), and P(w) - D(a) = ||w - sum a_i z_i||^2 / 2: half the squared gradient of P.
Signs     Under constraints on signs, Newton's step goes to the lowest point in the cone, which holds some weights at 0
          (`systems.pivoted`). Those that the slope would move the wrong way have no part in the gap: their numbers in
          sum a_i z_i point against the constraints, so in the dual the nearest vector in the cone takes its place.
Papers    Mangasarian 2002; Keerthi and DeCoste, JMLR 6, 2005; Chapelle 2007.

All of this is in floats; the certificate (`prove.check.soft_margin`) has the gap in exact arithmetic. To begin with
some of the rows was measured to bring nothing: from zeros, three or four steps are enough for most tables.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.learn.choices import UNLIMITED, Budget, Reason
from rosenblatt.learn.soft.systems import System, combined, dot, system_for
from rosenblatt.rows import find, timing
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

MOST_SQUARE = 1e200  # of what is added up in floats: beyond, squares of it overflow
LINE = 60  # looks at a line, at most
THERE = 1e-10  # relative: what is left of a step, when its piece of the line has been found, is the square of it
STALLS = 10  # steps in a row that bring hardly anything: floats allow no more
SOME = 1e-3  # relative: so much lower must the objective be after them, or the gap half as wide
CLEAR = 0.5  # of the gap asked for: so far to go, so that what is proved of it is enough


TOO_LARGE = (
    "the soft margin's sums would overflow: the values, the weights of rows or C are too large; divide the columns by "
    "a constant"
)


@dataclass(frozen=True, eq=False)
class SoftRun:
    """What came of it."""

    weights: Array
    C: float
    objective: float
    gap: float  # no weights have an objective lower by more, as far as floats tell
    slacks: Array  # 1 - z_i . w, of each row that counts; below 0 beyond the margin
    duals: Array  # C_i times those above 0
    reason: Reason
    steps: int
    passes: int  # looks at all rows
    cone: Cone = EVERYWHERE

    @property
    def support(self) -> Array:
        """The rows within the margin."""
        return np.flatnonzero(self.duals)


@dataclass(eq=False)
class NewtonDescent:
    """A run under way."""

    examples: Examples
    C: float
    w: Array
    budget: Budget = UNLIMITED
    interrupted: Callable[[], bool] = lambda: False
    watch: Callable[["NewtonDescent"], None] | None = None
    cone: Cone = EVERYWHERE
    steps: int = 0
    passes: int = 0
    objective: float = inf
    gap: float = inf
    started: float = field(default_factory=timing.now)

    def __post_init__(self) -> None:
        self.w, self.signs = self.cone.nearest(self.w) if self.cone else self.w, self.cone.signs(self.w.size)
        self.costs = costs_of(self.examples, self.C)
        self.counts = self.costs > 0.0
        self.look()

    @np.errstate(all="ignore")
    def go_on_with(self, C: float) -> None:
        """The same weights with another C; the rows are where they are."""
        self.C, self.costs = C, costs_of(self.examples, C)
        self._measure()

    def look(self) -> None:
        """See where all rows are with the weights as they are, and measure."""
        self.slacks = 1.0 - self.scores(self.w)
        self.slacks[~self.counts] = -1.0
        self.fresh = True
        self._measure()

    def scores(self, w: Array) -> Array:
        """y (w . x) of every row."""
        if not w.any():
            return np.zeros(self.examples.n)
        self.passes += 1
        return find.margins(self.examples, w)

    def _measure(self) -> None:
        """The objective, its gradient, and the gap that follows."""
        self.duals = np.maximum(self.slacks, 0.0)
        self.duals *= self.costs
        rows = np.flatnonzero(self.duals)
        self.gradient = self.w - combined(self.examples, rows, self.duals[rows])
        if self.cone:
            self.slope = self.gradient.copy()
            self.held = held(self.w, self.gradient, self.signs)
            self.gradient[self.held] = 0.0
        self.objective = (dot(self.w, self.w) + dot(self.duals[rows], self.slacks[rows])) / 2
        self.gap = dot(self.gradient, self.gradient) / 2

    def advance(self, direction: Array) -> None:
        """Go to the lowest point on the line; in a cone, no further than its end, which is in it."""
        if self.cone:
            direction = self.cone.nearest(self.w + direction) - self.w
        steps = self.scores(direction)
        steps[~self.counts] = 0.0
        t = lowest_along(self.slacks, steps, self.costs, dot(self.w, direction), dot(direction, direction))
        t = min(t, 1.0) if self.cone else t
        self.w = self.w + t * direction
        if self.cone:
            self.w = self.cone.nearest(self.w)  # in spite of rounding
        self.slacks -= t * steps
        self.steps += 1
        self.fresh = False
        self._measure()

    def spent(self) -> Reason | None:
        """Why to stop now, if there is a reason."""
        if self.watch is not None:
            self.watch(self)
        if self.interrupted():
            return Reason.INTERRUPTED
        if self.budget.max_passes is not None and self.passes >= self.budget.max_passes:
            return Reason.MAX_PASSES
        if self.budget.max_seconds is not None and timing.now() - self.started >= self.budget.max_seconds:
            return Reason.MAX_SECONDS
        return None

    @np.errstate(all="ignore")
    def descend(self, system: System, tol: float) -> SoftRun:
        """Step after step, until the gap is no more than this part of the objective."""
        steps, passes = self.steps, self.passes
        reason = self._reason_to_end(system, tol)
        if not self.fresh:
            self.look()
        if not np.isfinite(self.w).all() or not np.isfinite(self.objective):
            raise DataError(TOO_LARGE)
        counts = self.steps - steps, self.passes - passes
        found = self.w, self.C, self.objective, self.gap, self.slacks.copy(), self.duals
        return SoftRun(*found, reason, *counts, self.cone)

    def _reason_to_end(self, system: System, tol: float) -> Reason:
        stalls, objective, gap = 0, inf, inf
        while stalls < STALLS:
            if self.gap <= CLEAR * tol * self.objective:
                if self.fresh:
                    return Reason.SOLVED
                self.look()  # what was added up step by step may have drifted
                if self.gap <= CLEAR * tol * self.objective:
                    return Reason.SOLVED
            if reason := self.spent():
                return reason
            helped = self.objective < (1 - SOME) * objective or self.gap < gap / 2
            stalls, objective, gap = (0, self.objective, min(self.gap, gap)) if helped else (stalls + 1, objective, gap)
            goal = sqrt(CLEAR * tol * self.objective)  # of the gradient's length, and a little to spare
            self.advance(system.direction(self, goal))
        self.look()
        return Reason.SOLVED if self.gap <= tol * self.objective else Reason.ROUNDED


def learn(examples: Examples, C: float, tol: float = 1e-9, start: Array | None = None, **how: Any) -> SoftRun:
    """Run the algorithm until no weights can be better by more than this part of the objective; `how` as for `path`."""
    return next(path(examples, [C], tol, start, **how))


def path(
    examples: Examples,
    several: Sequence[float],
    tol: float = 1e-9,
    start: Array | None = None,
    *,
    system: System | None = None,
    budget: Budget = UNLIMITED,
    interrupted: Callable[[], bool] = lambda: False,
    watch: Callable[[NewtonDescent], None] | None = None,
    cone: Cone = EVERYWHERE,
) -> Iterator[SoftRun]:
    """A run for each C, in this order, each from where the last one ended; those of a rising or falling C are near."""
    for C in several:
        refuse_extremes(examples, C)
    begin = np.zeros(examples.size) if start is None else start
    system = system or system_for(examples, cone)
    run: NewtonDescent | None = None
    for C in several:
        if run is None:
            run = _begun(examples, C, begin, budget, interrupted, watch, cone)
        else:
            run.go_on_with(C)
        yield run.descend(system, tol)


@np.errstate(all="ignore")  # floats only propose
def _begun(examples: Examples, C: float, w: Array, *how: Any) -> NewtonDescent:
    return NewtonDescent(examples, C, w, *how)


def held(w: Array, gradient: Array, signs: Array) -> Array:
    """The weights that are 0 and that the slope would move the wrong way."""
    return np.asarray((w == 0.0) & (signs * gradient > 0.0))


def constant(examples: Examples, C: float, w: Array) -> SoftRun:
    """What is taken for a run where the rows that count are of one class: weights that say this of every row."""
    return SoftRun(w, C, inf, inf, np.zeros(examples.n), np.zeros(examples.n), Reason.SOLVED, 0, 0)


def costs_of(examples: Examples, C: float) -> Array:
    """C times the weight of each row."""
    return C * (examples.weights if examples.weights.size else np.ones(examples.n))


def refuse_extremes(examples: Examples, C: float) -> None:
    """Refuse what floats cannot add up the squares of."""
    total = float(examples.weights.sum()) if examples.weights.size else float(examples.n)
    longest = max(examples.radius, 1.0)
    if not C * total * longest * longest < MOST_SQUARE / max(C, 1.0):
        raise DataError(TOO_LARGE)


def lowest_along(slacks: Array, steps: Array, costs: Array, along: float, square: float) -> float:
    """Where on the line the objective is lowest: t, if every slack falls by t times its step.

    The weights' part has the slope `along` at the beginning, and the bend `square`. The slope of the whole is linear in
    pieces, so Newton's steps from 1, kept between what is known to be too near and too far, find where it is 0.
    """
    t, near, far = 1.0, 0.0, inf
    moved = costs * steps
    bends, rest = moved * steps, np.empty_like(steps)  # in place: to be given new memory takes longer than to compute
    for _ in range(LINE):
        np.multiply(steps, -t, out=rest)
        rest += slacks
        np.maximum(rest, 0.0, out=rest)
        slope = along + t * square - dot(moved, rest)
        bend = square + dot(bends, (rest > 0.0).astype(float))
        near, far = (t, far) if slope < 0.0 else (near, t)
        nearer = t - slope / bend if bend > 0.0 else t
        if not near < nearer < far:
            nearer = (near + far) / 2 if far < inf else 2 * near
        if abs(nearer - t) <= THERE * t:
            return nearer
        t = nearer
    return t
