"""The bounds of the lecture notes, one function each, as they are true.

Symbols   z_i = y_i x_i, the signed rows, with the threshold's constant if there is one. R, the radius: no row is
          longer. gamma, the margin of a unit vector u: z_i . u >= gamma for every row. T: updates, each of which
          was made where z_i . w <= 0. Nothing else is asked of a run: any order, any tie rule, any stream.
Rounding  Numbers are taken exactly as they are given, and what is counted is computed in whole numbers, so no bound
          is below its true value. What was rounded before should have been rounded to the safe side: a radius, a
          length or a loss up, a margin down (`exact.root_above`, `exact.root_below`).
Refusals  A condition that does not hold is an `OptionError` that names it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, isqrt, lcm, log, nextafter, sqrt
from numbers import Integral, Real
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.kernels import Array
from rosenblatt.prove import exact

Number = int | float | Fraction

GRID, ZOOMS = 65, 4  # margins tried at a time, and how often their range is narrowed around the best
HALF = Fraction(1, 2)


def updates(radius: Number, margin: Number, start_length: Number = 0.0, start_along: Number = 0.0) -> int:
    """T from any start w_0 of this length, with start_along = u . w_0: the theorem behind all five notes.

    From T gamma + u . w_0 <= u . w_T <= ||w_T|| <= sqrt(||w_0||^2 + T R^2): the floor of the larger root of a quadratic
    in T. Needs 0 < margin <= radius and |start_along| <= start_length. The notes' R^2 / gamma^2 is for w_0 = 0 alone.

    >>> updates(5, 1), updates(5, 1, start_length=3), updates(5, 1, start_length=3, start_along=-3)
    (25, 25, 31)
    """
    R, g = _radius_and_margin(radius, margin)
    length, a = _not_negative("start_length", start_length), _finite("start_along", start_along)
    if abs(a) > length:
        raise OptionError(f"start_along must be at most start_length, {start_length}, in size, not {start_along}")
    b = R * R - 2 * a * g
    return _floor(b, b * b + 4 * g * g * (length * length - a * a), 2 * g * g)


def novikoff(radius: Number, margin: Number) -> int:
    """T <= R^2 / gamma^2 from zeros (the blog, end; printed with a ceiling, but T is a whole number).

    >>> novikoff(1, 0.3)
    11
    """
    return updates(radius, margin)


def unit_rows(margin: Number) -> int:
    """T <= 1 / gamma^2 from zeros, for rows no longer than 1 (Harchaoui 2.4.2; Nath, theorem 9.1).

    Nath's w* must be a unit vector, and with a constant feature of 1 no row is that short: scale it too.

    >>> unit_rows(0.125)
    64
    """
    return updates(1, margin)


def after_first(radius: Number, margin: Number) -> int:
    """Updates after the start w = y_1 x_1: at most R^2 / gamma^2 - 1 (Harchaoui 2.4.3, where R = 1).

    The start is the first update from zeros; the printed ||W_{t+1}|| <= sqrt(t) forgets it.

    >>> after_first(1, 0.5)
    3
    """
    return updates(radius, margin) - 1


def stream(radius: Number, length: Number, margin: Number) -> int:
    """Mistakes on a stream: at most U^2 ||w*||^2 / eps^2 (the mistake-bound note; its example is below).

    ||x|| <= radius U, and y (w* . x) >= margin eps for a w* of any length.

    >>> stream(2, 3, 0.5)
    144
    """
    U, size, eps = _positive("radius", radius), _positive("length", length), _positive("margin", margin)
    _at_most("margin", margin, U * size, "radius times length")
    return floor((U * size / eps) ** 2)


def a_posteriori(length: Number, margin: Number) -> int:
    """T <= ||w_T|| / gamma from zeros, for a run that ended with weights of this length (Liang (24)).

    Printed as a bound on T beforehand, which it is not: w_T is known after the run. It is never above Novikoff's.

    >>> a_posteriori(3.5, 0.5)
    7
    """
    return floor(_not_negative("length", length) / _positive("margin", margin))


def cosine(updates: int, radius: Number, margin: Number) -> float:
    """cos(w*, w_T) >= sqrt(T) gamma / R from zeros, for T >= 1 (Liang, corollary 1; the blog); rounded down.

    Only this bound grows with every update, the cosine itself need not. Above 1 there is no such T.

    >>> cosine(4, 5, 1)
    0.4
    """
    R, g = _radius_and_margin(radius, margin)
    T = _whole("updates", updates, 1)
    _at_most("updates", T, Fraction(floor((R / g) ** 2)), "R^2 / gamma^2")
    return exact.root_below(T * (g / R) ** 2)


def with_bias(radius: Number, margin: Number, offset: Number, bias_scale: Number) -> int:
    """T <= (R^2 + B^2) (1 + b^2 / B^2) / gamma^2 from zeros, where every row shows the threshold the constant B.

    y (v . x + b) >= margin for a unit v and the offset b; the radius is that of the rows without the constant.
    Liang and Nath have B = 1.

    >>> with_bias(4, 1, 4, 1), with_bias(4, 1, 4, best_bias_scale(4, 4))
    (289, 64)
    """
    R, g, b = _positive("radius", radius), _positive("margin", margin), abs(_finite("offset", offset))
    B = _positive("bias_scale", bias_scale)
    _at_most("margin", margin, R + b, "radius plus the size of offset")
    return floor((R * R + B * B) * (1 + (b / B) ** 2) / (g * g))


def best_bias_scale(radius: Number, offset: Number | None = None) -> float:
    """The B that makes `with_bias` least: sqrt(R |b|), which gives ((R + |b|) / gamma)^2.

    Without an offset, R: that gives (2 R / gamma)^2 at most if |b| <= R. For b = 0 there is no best one, as less is
    always better: leave the threshold out.

    >>> best_bias_scale(4, -9), best_bias_scale(4)
    (6.0, 4.0)
    """
    R = _positive("radius", radius)
    if offset is None:
        return float(R)
    if not _finite("offset", offset):
        raise OptionError("offset must not be 0: a rule through the origin needs no threshold")
    return sqrt(R) * sqrt(abs(offset))


def halts_or_refutes(radius: Number, margin: Number) -> int:
    """After so many updates from zeros, PLA has halted or shown that no unit vector has this margin.

    floor(R^2 / gamma^2) + 1: then ||w_T|| / T <= R / sqrt(T) < gamma, see `refuted_margin`. Any margin above 0 will do.

    >>> halts_or_refutes(1, 0.1)
    101
    """
    return floor((_not_negative("radius", radius) / _positive("margin", margin)) ** 2) + 1


def refuted_margin(length: Number, updates: int) -> float:
    """No unit vector has a margin above ||w_T|| / T, T >= 1, from zeros; rounded up.

    w_T / T is a mean of the signed rows, so u . w_T / T is no less than the margin of u.

    >>> refuted_margin(3, 12)
    0.25
    """
    return _rounded(_not_negative("length", length) / _whole("updates", updates, 1), inf)


def hinge_losses(scores: Any, margin: Number) -> Array:
    """max(0, 1 - y (u . x) / gamma) for each score y (u . x), of which there is one per round (Harchaoui 2.5.2).

    A round is a look at a row: over K passes every row has K of them.

    >>> hinge_losses([-1, 0, 1, 2, 4], 2).tolist()
    [1.5, 1.0, 0.5, 0.0, 0.0]
    """
    with np.errstate(over="ignore"):
        return np.maximum(0.0, 1.0 - _finite_array("scores", scores) / float(_positive("margin", margin)))


def hinge_per_round(losses: Any, length: Number, margin: Number) -> float:
    """|M| <= sum of the update rounds' losses + ||w_T|| / gamma from zeros, for any u no longer than 1; rounded up.

    Harchaoui 2.5.1, sharper: there ||w_T|| is replaced by the root of the sum of ||x_t||^2. Here M are the update
    rounds and only their losses count.

    >>> hinge_per_round([0.5, 1, 0], 3, 2)
    3.0
    """
    l = _finite_array("losses", losses).ravel()  # noqa: E741
    if (l < 0).any():
        raise OptionError(f"losses must be 0 or more, not {l.min()}")
    wholes, exponent = exact.whole_numbers(l.tolist())
    rest = _not_negative("length", length) / _positive("margin", margin)
    return _rounded(Fraction(sum(wholes), 1 << exponent) + rest, inf)


def hinge_root(total_loss: Number, radius: Number, margin: Number) -> int:
    """M <= L + R^2 / (2 gamma^2) + (R / gamma) sqrt(R^2 / (4 gamma^2) + L), L being the loss of all rounds.

    From zeros, for any u no longer than 1 and any gamma > 0: `hinge_per_round` with ||w_T|| <= R sqrt(M), solved for M
    (Harchaoui 2.5.1, made useful; compare Mohri and Rostamizadeh 2013).

    >>> hinge_root(0, 1, 0.5), hinge_root(2, 1, 1)
    (4, 4)
    """
    L, ratio = _not_negative("total_loss", total_loss), _positive("radius", radius) / _positive("margin", margin)
    return _floor(L + ratio**2 / 2, ratio**4 / 4 + L * ratio**2, Fraction(1))


def freund_schapire(radius: Number, deviation: Number, margin: Number) -> int:
    """M <= ((R + D) / gamma)^2, D being the root of the sum over all rounds of max(0, gamma - y (u . x))^2.

    From zeros, for any u no longer than 1 and any gamma > 0 (Freund and Schapire 1999, theorem 2): Novikoff's bound
    after the best lift, see `lifted_updates`.

    >>> freund_schapire(1, 1, 0.5)
    16
    """
    R, D = _positive("radius", radius), _not_negative("deviation", deviation)
    return floor(((R + D) / _positive("margin", margin)) ** 2)


@dataclass(frozen=True)
class HingeBound:
    """The least bound on mistakes that was found."""

    bound: int
    form: str  # "root" or "freund-schapire"
    candidate: int  # which of the candidates gives it
    margin: float  # and with which gamma


def best_hinge(scores: Any, radius: Number) -> HingeBound:
    """The least of `hinge_root` and `freund_schapire` over candidates and margins.

    scores[c, t] is y (u_c . x) in round t, over all rounds, for a candidate u_c no longer than 1 (the pocket's weights,
    another solver's, ...). The printed infimum (Harchaoui 2.5.1) is over update rounds alone, and says nothing: as gamma
    grows, every loss tends to 1 and ||w_T|| / gamma to 0, so it is |M| itself, always. With all rounds, a margin that is
    too large costs something.

    >>> best_hinge([[0.5, 0.5, 1, 0.5], [1, 1, 1, -1]], 1)
    HingeBound(bound=4, form='root', candidate=0, margin=0.5)
    """
    table, R = _finite_array("scores", scores), float(_positive("radius", radius))
    if table.ndim != 2 or not table.size:
        raise OptionError(f"scores must be a table of candidates and rounds, not of shape {table.shape}")
    if (largest := float(np.abs(table).max())) > R * (1 + 1e-9):
        raise OptionError(f"scores must be at most the radius {radius} in size, not {largest}: is a candidate too long?")
    found = []
    for candidate, row in enumerate(np.sort(table / R, axis=1)):
        for form, curve in _curves(row).items():
            margins = [_least(curve, row.size), *row[:1][row[:1] > 0]]
            found += [(float(curve(np.array([margin]))[0]), candidate, form, float(margin)) for margin in margins]
    _, candidate, form, margin = min(found, key=lambda one: one[0])
    if margin == table[candidate].min() / R:
        margin = table[candidate].min() / R
    gamma = margin * R
    (g, *wholes), exponent = exact.whole_numbers([gamma, *table[candidate].tolist()])
    short = [g - k for k in wholes if k < g]
    if form == "root":
        return HingeBound(hinge_root(Fraction(sum(short), g), radius, gamma), form, candidate, gamma)
    deviation = exact.root_above(Fraction(sum(k * k for k in short), 1 << 2 * exponent))
    return HingeBound(freund_schapire(radius, deviation, gamma), form, candidate, gamma)
