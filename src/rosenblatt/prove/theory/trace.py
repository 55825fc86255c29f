"""Proof traces: the two inequalities of the convergence proof, and what follows from them, along a run.

With a reference w* that separates, u = w* / ||w*||, gamma = min z_i . u and R = max ||z_i|| over the signed rows:

    u . w_t   >= u . w_0 + t gamma      (Liang, claim 1; the mistake-bound note, proof I)
    ||w_t||^2 <= ||w_0||^2 + t R^2      (Liang, claim 2; proof II)
    cos(u, w_t) >= the first bound over the root of the second: sqrt(t) gamma / R from zeros (Liang, corollary 1)

A row of weight k stands for k copies; a last, fractional copy s is a step of length s, which counts for s in the first
line and for s^2 in the second.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.learn.ledger import Ledger, rows_of_entries
from rosenblatt.learn.loss import perceptron_loss
from rosenblatt.prove.check import rounding
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

LENGTHS = (1e-140, 1e140)  # of vectors whose squares, and sums of many of them, are ordinary floats
EPSILON = 2.0**-52


@dataclass(frozen=True, eq=False)
class Trace:
    """A run compared with w*: one entry per kept state, from the start to the end."""

    gamma: float  # the margin of w* / ||w*||
    radius: float
    t: Array  # updates made
    row: Array  # the one corrected last, -1 at the start
    along: Array  # u . w_t
    along_bound: Array  # at least
    squared_length: Array  # ||w_t||^2
    squared_length_bound: Array  # at most
    cosine: Array  # of w* and w_t; NaN where w_t = 0
    cosine_bound: Array  # at least; -1 while a start that points away from w* leaves nothing to say
    loss: Array | None  # the perceptron loss, if requested
    size: int  # how many weights there are

    @property
    def holds(self) -> bool:
        """Whether all inequalities hold at every state, up to rounding."""
        # Each of t updates rounds w once. A margin is a sum over the weights, so gamma is off by as many units of R at
        # most, and t gamma by t times that. R <= the longest that weights may be, once there is an update.
        longest = np.sqrt(np.maximum.accumulate(np.maximum(self.squared_length, self.squared_length_bound)))
        error = (self.t + 1) * (self.size + 8) * EPSILON * longest
        length, defined = np.sqrt(self.squared_length), self.squared_length > 0
        return bool(
            (self.along >= self.along_bound - error).all()
            and (length <= np.sqrt(self.squared_length_bound) + error).all()
            and ((self.cosine - self.cosine_bound) * length >= -2 * error)[defined].all()
        )


def trace(examples: Examples, ledger: Ledger, reference: Any, *, every: int = 1, losses: bool = False) -> Trace:
    """Compare a run with the reference w*, keeping the first state, the last, and every `every`-th in between.

    w* has an entry per feature and a last one for the threshold, and any length; it must be right on every row.
    A state's loss needs a pass over all rows, so it is computed only if `losses` is true.

    >>> examples = Examples.of([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> from rosenblatt.learn.pla.pla import learn
    >>> run = learn(examples, np.zeros(3))
    >>> seen = trace(examples, run.ledger, [2, 2, -3])
    >>> print(seen.holds, seen.t[-1], seen.squared_length[-1], seen.cosine[-1].round(3), seen.cosine_bound[-1].round(3))
    True 18 29.0 0.991 0.594
    """
    step = rounding.whole("every", every, 1)
    u, gamma = _unit(examples, reference)
    R, many = _ordinary("the radius", examples.radius), len(ledger)
    if ledger.start.any():
        _ordinary("the start's length", find.norm(ledger.start))
    kept = np.union1d(np.arange(0, many, step), [0, many])
    along, squares, loss = np.empty(kept.size), np.empty(kept.size), np.empty(kept.size if losses else 0)
    for place, w in enumerate(_states(examples, ledger, kept)):
        along[place], squares[place] = u @ w, w @ w
        if losses:
            loss[place] = perceptron_loss(examples, w)
    entries = ledger.entries()
    rows = rows_of_entries(entries)
    steps = np.ones(many)
    if (parts := entries < 0).any():
        steps[parts] = examples.weights[rows[parts]] % 1.0
    along_bound = along[0] + gamma * _sums(steps)[kept]
    squares_bound = squares[0] + R * R * _sums(steps * steps)[kept]
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = np.where(squares > 0, along / np.sqrt(squares), np.nan)
        cosine_bound = np.where(along_bound >= 0, along_bound / np.sqrt(squares_bound), -1.0)
    return Trace(
        gamma=gamma,
        radius=R,
        t=kept,
        row=np.concatenate([[-1], rows])[kept],
        along=along,
        along_bound=along_bound,
        squared_length=squares,
        squared_length_bound=squares_bound,
        cosine=cosine,
        cosine_bound=np.where(squares_bound > 0, cosine_bound, 0.0),
        loss=loss if losses else None,
        size=examples.size,
    )


def _states(examples: Examples, ledger: Ledger, kept: Array) -> Iterator[Array]:
    """w_t for every t that is kept, each replayed from the previous one."""
    w = ledger.replay(examples, 0)
    yield w
    for last, t in zip(kept[:-1].tolist(), kept[1:].tolist(), strict=True):
        entries = ledger.entries(last, t)
        leg = Ledger(w, ledger.n_rows, entries.dtype)
        leg.append(entries)
        w = leg.replay(examples)
        yield w


def _unit(examples: Examples, reference: Any) -> tuple[Array, float]:
    """w* / ||w*|| and its margin over the rows that count."""
    w = np.asarray(reference, dtype=np.float64)
    if w.shape != (examples.size,) or not np.isfinite(w).all():
        raise OptionError(f"the reference needs {examples.size} finite weights, the threshold's last")
    if examples.rows.bias == 0.0 and w[-1] != 0.0:
        raise OptionError("the reference has a weight for the threshold, but fit_intercept is False")
    length = _ordinary("the reference's length", find.norm(w))
    margins = find.margins(examples, w)
    if examples.weights.size:
        margins[examples.weights == 0] = np.inf
    worst = int(np.argmin(margins))
    if not margins[worst] > 0:
        raise OptionError(f"the reference does not separate: y (w* . x) is {margins[worst] + 0.0} in row {worst}")
    return w / length, float(margins[worst]) / length


def _ordinary(name: str, length: float) -> float:
    if not LENGTHS[0] < length < LENGTHS[1]:
        raise OptionError(f"{name} must be between {LENGTHS[0]:g} and {LENGTHS[1]:g}, not {length}: scale it")
    return length


def _sums(steps: Array) -> Array:
    """The sum of the first t steps, for every t from 0 on."""
    return np.concatenate([[0.0], np.cumsum(steps)])
