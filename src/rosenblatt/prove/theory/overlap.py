"""Bounds for overlapping classes: no rule is right on every row, and a run is compared with any rule u.

Rounds   A round is a look at a row; over K passes every row has K of them. Its score is y (u . x).
Loss     With the margin gamma > 0 a round costs max(0, 1 - y (u . x) / gamma) (Harchaoui 2.5.2).
Lifting  Each row gets a feature of its own, which makes every table separable (Harchaoui 3).

All bounds are for runs from zeros and for u no longer than 1; they are also in `bounds`. For rounding see `rounding`.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import floor, inf, log1p, nextafter, sqrt
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.prove.check import exact, rounding
from rosenblatt.prove.check.rounding import DOWN, UP, Number
from rosenblatt.rows.kernels import Array


def hinge_losses(scores: Any, margin: Number) -> Array:
    """The loss of each round, as the nearest float (Harchaoui 2.5.2).

    >>> hinge_losses([-1, 0, 1, 2, 4], 2).tolist()
    [1.5, 1.0, 0.5, 0.0, 0.0]
    """
    gamma = rounding.rounded(rounding.positive("margin", margin), UP)
    with np.errstate(over="ignore"):
        return np.maximum(0.0, 1.0 - rounding.array("scores", scores) / gamma)


def hinge_per_round(losses: Any, length: Number, margin: Number) -> float:
    """|M| <= the losses of the update rounds M + ||w_T|| / gamma; rounded up (Harchaoui 2.5.1).

    Slightly sharper than printed, where the root of the sum of ||x_t||^2 replaces ||w_T||.

    >>> hinge_per_round([0.5, 1, 0], 3, 2)
    3.0
    """
    found = rounding.array("losses", losses).ravel()
    if (found < 0).any():
        raise OptionError(f"losses must be 0 or more, not {found.min()}")
    wholes, exponent = exact.whole_numbers(found.tolist())
    rest = rounding.not_negative("length", length, UP) / rounding.positive("margin", margin, DOWN)
    return rounding.rounded(Fraction(sum(wholes), 1 << exponent) + rest, UP)


def second_order(total_loss: Number, margin: Number, along: Number, ridge: Number, eigenvalues: Any) -> float:
    """M <= L / gamma + sqrt((a + s) sum ln(1 + lambda_i / a)) / gamma, for the second-order perceptron with ridge a.

    For any unit vector u and gamma > 0: L adds up max(0, gamma - y u . x) over the M mistakes, s adds up (u . x)^2, and
    the lambda_i are the eigenvalues of the sum of x x' over them (Cesa-Bianchi, Conconi and Gentile 2005, theorem 3.1).

    >>> round(second_order(0, 1, 3, 1, [3, 0]), 6)
    2.35482
    """
    a = rounding.positive("ridge", ridge, UP)
    found = rounding.array("eigenvalues", eigenvalues).ravel()
    if (found < 0).any():
        raise OptionError(f"eigenvalues must be 0 or more, not {found.min()}")
    logs = sum(log1p(value / float(ridge)) for value in found.tolist()) * (1 + 1e-14)  # each rounds by less
    s = rounding.not_negative("along", along, UP)
    root = exact.root_above((a + s) * Fraction(logs))
    gamma = rounding.positive("margin", margin, DOWN)
    return rounding.rounded((rounding.not_negative("total_loss", total_loss, UP) + Fraction(root)) / gamma, UP)


def hinge_root(total_loss: Number, radius: Number, margin: Number) -> int:
    """M <= L + R^2 / (2 gamma^2) + (R / gamma) sqrt(R^2 / (4 gamma^2) + L), with L the loss of all rounds.

    It is `hinge_per_round` with ||w_T|| <= R sqrt(M), solved for M (compare Mohri and Rostamizadeh 2013).

    >>> hinge_root(0, 1, 0.5), hinge_root(2, 1, 1)
    (4, 4)
    """
    L = rounding.not_negative("total_loss", total_loss, UP)
    ratio = rounding.positive("radius", radius, UP) / rounding.positive("margin", margin, DOWN)
    return rounding.floor_of_root(L + ratio**2 / 2, ratio**4 / 4 + L * ratio**2, Fraction(1))


def freund_schapire(radius: Number, deviation: Number, margin: Number) -> int:
    """M <= ((R + D) / gamma)^2, with D^2 the sum over all rounds of max(0, gamma - y (u . x))^2.

    Freund and Schapire 1999, theorem 2: Novikoff's bound after the best lift.

    >>> freund_schapire(1, 1, 0.5)
    16
    """
    R, D = rounding.positive("radius", radius, UP), rounding.not_negative("deviation", deviation, UP)
    return floor(((R + D) / rounding.positive("margin", margin, DOWN)) ** 2)


@dataclass(frozen=True)
class HingeBound:
    """The smallest bound on mistakes among these candidates."""

    bound: int
    candidate: int  # the one that gives it
    margin: float  # the gamma for which `hinge_root` gives it; infinite where the bound is the number of rounds


def best_hinge(scores: Any, radius: Number) -> HingeBound:
    """The smallest of `hinge_root` and `freund_schapire` over candidates u (the pocket's weights, ...) and all margins.

    scores[c, t] is the score of candidate c in round t, for all rounds. No search for gamma is needed: the smallest
    `hinge_root` is the largest m whose m smallest scores sum to at most R sqrt(m), because the scores of m mistakes
    sum to u . w_T <= R sqrt(m). Freund and Schapire's is never smaller: the m smallest scores average at most
    R / sqrt(m), so D >= sqrt(m) (gamma - R / sqrt(m)).

    The printed infimum (Harchaoui 2.5.1) is over update rounds alone and says nothing: as gamma grows, every loss tends
    to 1 and ||w_T|| / gamma to 0, so it is |M| itself, whatever the data.

    >>> best_hinge([[0.5, -0.5] * 50, [0.5] * 100], 1)
    HingeBound(bound=4, candidate=1, margin=0.5)
    """
    table, R = rounding.array("scores", scores), rounding.positive("radius", radius, UP)
    if table.ndim != 2 or not table.size:
        raise OptionError(f"scores must be a table of candidates and rounds, not of shape {table.shape}")
    if (largest := float(np.abs(table).max())) > R * (1 + Fraction(1, 10**9)):
        raise OptionError(f"scores must be at most the radius, {radius}, in size, not {largest}: is u too long?")
    found = []
    for candidate, row in enumerate(np.sort(table, axis=1).tolist()):
        wholes, exponent = exact.whole_numbers(row)
        sums, square = list(accumulate(wholes)), R * R * 4**exponent
        bound = bisect_left(range(len(row)), True, key=lambda k: sums[k] > 0 and sums[k] ** 2 > (k + 1) * square)
        found.append((bound, candidate, row[bound] if bound < len(row) else inf))
    return HingeBound(*min(found))


def lifted_margin(margin: Number, squared_slack: Number, a: Number) -> float:
    """A margin that the lifted rows [a x_i; sqrt(1 - a^2) e_i], 0 < a < 1, have; rounded down (Harchaoui 3.1.1).

    gamma' = a gamma / sqrt(1 + a^2 L / (1 - a^2)) for any unit w* and gamma > 0, where L, the squared slack, is the sum
    over the rows of max(0, gamma - y (w* . x))^2. w* need not separate, and the e_i must be n different unit vectors.

    >>> lifted_margin(1, 1, 0.5)
    0.4330127018922193
    """
    g, L, part = _lift(margin, squared_slack, a)
    return exact.root_below(part * g * g / (1 + part * L / (1 - part)))


def best_lift(squared_slack: Number) -> float:
    """The a that minimises `lifted_updates`: a^2 = 1 / (1 + sqrt(L)), which gives ((1 + sqrt(L)) / gamma)^2.

    For L = 0 there is none, because larger is always better: the rows need no lift.

    >>> best_lift(9)
    0.5
    """
    return min(1 / sqrt(1 + sqrt(rounding.positive("squared_slack", squared_slack))), nextafter(1.0, 0.0))


def lifted_updates(margin: Number, squared_slack: Number, a: Number) -> int:
    """T <= 1 / gamma'^2 = 1 / (a^2 gamma^2) + L / ((1 - a^2) gamma^2) on lifted rows (Harchaoui 3.1).

    The rows must be no longer than 1 before they are lifted.

    >>> lifted_updates(0.5, 9, best_lift(9)), freund_schapire(1, 3, 0.5)
    (64, 64)
    """
    g, L, part = _lift(margin, squared_slack, a)
    return floor((1 / part + L / (1 - part)) / (g * g))


def _lift(margin: Number, squared_slack: Number, a: Number) -> tuple[Fraction, Fraction, Fraction]:
    """gamma, L and a^2."""
    if (share := rounding.positive("a", a)) >= 1:
        raise OptionError(f"a must be below 1, not {a}")
    slack = rounding.not_negative("squared_slack", squared_slack, UP)
    return rounding.positive("margin", margin, DOWN), slack, share * share
