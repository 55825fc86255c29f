"""The certificate of a run that looked for the soft margin.

Problem   bounds on the objective of the run's weights, and on that of any weights, that the checker will confirm.
Input     examples, a `SoftRun`, the gap wanted.
Result    `SoftMargin`.
Method    What the run computed in floats, moved to the safe side by a bound on all rounding. If that is not enough,
          the same in exact arithmetic. If the digits of w do not suffice for multipliers that follow from it, as for
          large C, multipliers of their own for the rows within the margin, solved for and rounded.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from rosenblatt.learn.soft.soft import SoftRun, costs_of, held
from rosenblatt.learn.soft.systems import AT_ONCE, RowProducts, combined, dot, solved
from rosenblatt.prove.check import exact, rounding
from rosenblatt.prove.check.certificate_json import shape_of
from rosenblatt.prove.check.scores import TINY, UNIT
from rosenblatt.prove.check.soft_margin import Objective, SoftMargin
from rosenblatt.rows import find
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import NO_WEIGHTS, Examples
from rosenblatt.rows.kernels import Array, Dense, Rows
from rosenblatt.rows.storage import numbers_per_row, some_rows

MOST_NUMBERS = 2e7  # in a table for exact arithmetic, which takes some ten seconds then
MOST_ROWS = 2000  # to solve multipliers for
PAIRWISE = 200  # roundings that a number goes through, at most, in and around a pairwise sum
REFINED = 2  # times


@np.errstate(all="ignore")  # what is not finite proves nothing
def certified(examples: Examples, run: SoftRun, tol: float) -> SoftMargin:
    """The weights of a run, with bounds as near to each other as the tolerance asks, if that can be reached."""
    weights = tuple(run.weights.tolist())
    upper, lower = _bounds(examples, run.C, run.weights, run.slacks, sqrt(2.0 * run.gap))
    claim = partial(_certificate, examples, run.C, run.cone, weights)
    known = claim(upper, lower, reference=weights)
    if _is_enough(known, tol) or examples.rows.values.size > MOST_NUMBERS:
        return known
    objective = Objective.of(examples, run.C, weights)
    upper = rounding.rounded(objective.value, rounding.UP)
    lower = _below(objective.lower_bound(*objective.multipliers(), run.cone))
    exactly = claim(upper, lower, reference=weights)
    if _is_enough(exactly, tol) or not 0 < run.support.size <= MOST_ROWS:
        return exactly
    rows, multipliers = _multipliers(examples, run)
    lower = _below(objective.lower_bound(rows, *exact.whole_numbers(multipliers), run.cone))
    own = claim(upper, lower, rows=tuple(rows), multipliers=tuple(multipliers))
    return own if own.lower > exactly.lower else exactly


@np.errstate(all="ignore")
def compared(examples: Examples, known: SoftMargin, weights: Array) -> SoftMargin:
    """A certificate for other weights, with the same lower bound, computed anew on these rows."""
    upper, _ = _bounds_anew(examples, known.C, known.cone, weights)
    if known.reference:
        _, lower = _bounds_anew(examples, known.C, known.cone, np.array(known.reference))
    else:
        objective = Objective.of(examples, known.C, known.weights)
        numbers = list(known.rows), *exact.whole_numbers(known.multipliers)
        lower = _below(objective.lower_bound(*numbers, known.cone))
    others: Any = {"reference": known.reference, "rows": known.rows, "multipliers": known.multipliers}
    return _certificate(examples, known.C, known.cone, tuple(weights.tolist()), upper, lower, **others)


def _is_enough(certificate: SoftMargin, tol: float) -> bool:
    return certificate.gap <= tol * certificate.upper


def _below(number: Fraction) -> float:
    """A bound from below; 0 always is one."""
    return rounding.rounded(max(number, Fraction(0)), rounding.DOWN)


def _certificate(
    examples: Examples,
    C: float,
    cone: Cone,
    weights: tuple[float, ...],
    upper: float,
    lower: float,
    *,
    reference: tuple[float, ...] = (),
    rows: tuple[int, ...] = (),
    multipliers: tuple[float, ...] = (),
) -> SoftMargin:
    return SoftMargin(
        C=float(C), weights=weights, reference=reference, rows=rows, multipliers=multipliers, lower=lower, upper=upper,
        **shape_of(examples), **cone.fields,
    )  # fmt: skip


def _bounds_anew(examples: Examples, C: float, cone: Cone, w: Array) -> tuple[float, float]:
    """The same as `_bounds`, for weights whose slacks and gradient are not known yet."""
    slacks = 1.0 - find.margins(examples, w)
    numbers = costs_of(examples, C) * np.maximum(slacks, 0.0)
    rows = np.flatnonzero(numbers)
    gradient = w - combined(examples, rows, numbers[rows])
    gradient[held(w, gradient, cone.signs(w.size))] = 0.0
    return _bounds(examples, C, w, slacks, find.norm(gradient))


def _bounds(examples: Examples, C: float, w: Array, slacks: Array, gradient: float) -> tuple[float, float]:
    """In floats, but surely: the objective of weights from above, and that of any weights by what follows from these.

    Each margin is off by no more than `off`, so each of the numbers a_i by C_i times that; those within that reach of
    the margin count, too. The gradient adds that many numbers, one after the other. Of weights that constraints hold at
    0, the nearest vector in the cone has nothing, or as much as the gradient is off. Products below the normal numbers
    may be off by TINY each.
    """
    R = examples.radius
    off = (examples.rows.terms + 6) * UNIT * R * find.norm(w)
    costs = costs_of(examples, C)
    near = float(np.sum(costs[slacks > -off]))
    slacks = np.where(costs > 0.0, np.maximum(slacks, 0.0), 0.0)
    numbers = costs * slacks
    total, losses = float(np.sum(numbers)), float(np.sum(numbers * slacks))
    value = (dot(w, w) + losses) / 2
    error = off * total + off * off * near + (PAIRWISE + w.size) * UNIT * value
    error += 4 * TINY * (w.size + examples.n * (1.0 + float(slacks.max(initial=0.0))))
    in_a_row = AT_ONCE / numbers_per_row(examples.rows) + numbers_per_row(examples.rows) * examples.n / AT_ONCE
    drift = R * (off * near + (in_a_row + PAIRWISE) * UNIT * total) + 4 * UNIT * find.norm(w)
    length = (gradient + drift) * (1.0 + PAIRWISE * UNIT)
    upper, lower = value + error, value - error - length * length / 2
    if not np.isfinite(upper):
        return float(np.finfo(float).max), 0.0
    return float(upper), max(float(lower), 0.0) if np.isfinite(lower) else 0.0


def _multipliers(examples: Examples, run: SoftRun) -> tuple[list[int], list[float]]:
    """The dual's highest point over the rows within the margin, as far as floats find it."""
    rows = run.support
    few = Examples(some_rows(examples.rows, rows), examples.labels[rows], NO_WEIGHTS)
    if run.cone:
        few = replace(few, rows=_without(few.rows, (run.weights == 0.0) & (run.cone.signs(examples.size) != 0)))
    K = RowProducts(few).products * np.outer(few.labels, few.labels)
    K.flat[:: rows.size + 1] += 1.0 / costs_of(examples, run.C)[rows]
    numbers = np.zeros(rows.size)
    for _ in range(REFINED):
        numbers = numbers + solved(K, 1.0 - K @ numbers)
    numbers = np.where(np.isfinite(numbers), np.maximum(numbers, 0.0), 0.0)
    return rows.tolist(), numbers.tolist()


def _without(rows: Rows, columns: Array) -> Rows:
    """The rows with zeros in some columns."""
    if isinstance(rows, Dense):
        return rows._replace(values=np.where(columns[:-1], 0.0, rows.values))
    return rows._replace(values=np.where(columns[rows.columns], 0.0, rows.values))
