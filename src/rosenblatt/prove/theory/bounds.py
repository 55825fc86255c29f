"""The bounds of the lecture notes, corrected, one function each.

Symbols   z_i = y_i x_i, the signed rows, with the threshold's constant if there is one. R, the radius: no row is
          longer. gamma, the margin of a unit vector u: z_i . u >= gamma > 0 for every row. T: updates, each of which
          was made where z_i . w <= 0. Nothing else is required of a run: any order, any tie rule, any stream.
Rounding  Bounds are computed exactly and rounded to the safe side; see `rounding` for what a given float stands for.
Errors    If a condition does not hold, an `OptionError` names it.

Bounds for overlapping classes are in `overlap`, and are public here too.
"""

from fractions import Fraction
from math import ceil, floor, log

from rosenblatt.errors import OptionError
from rosenblatt.prove.check import exact, rounding
from rosenblatt.prove.check.rounding import DOWN, UP, Number
from rosenblatt.prove.theory.overlap import (
    HingeBound,
    best_hinge,
    best_lift,
    freund_schapire,
    hinge_losses,
    hinge_per_round,
    hinge_root,
    lifted_margin,
    lifted_updates,
    second_order,
)

__all__ = [
    "HingeBound",
    "a_posteriori",
    "after_first",
    "best_bias_scale",
    "best_hinge",
    "best_lift",
    "corrections_in_a_row",
    "cosine",
    "distance_falls",
    "expected_draws",
    "freund_schapire",
    "halts_or_refutes",
    "hinge_losses",
    "hinge_per_round",
    "hinge_root",
    "lifted_margin",
    "lifted_updates",
    "novikoff",
    "patience",
    "refuted_margin",
    "second_order",
    "stream",
    "unit_rows",
    "updates",
    "with_bias",
]


def updates(radius: Number, margin: Number, start_length: Number = 0, start_along: Number = 0) -> int:
    """T from any start w_0 of this length, with start_along = u . w_0: the theorem behind all five notes.

    From T gamma + u . w_0 <= u . w_T <= ||w_T|| <= sqrt(||w_0||^2 + T R^2): the floor of the larger root of a quadratic
    in T. Needs margin <= radius and |start_along| <= start_length. The notes' R^2 / gamma^2 holds only for w_0 = 0.

    >>> updates(5, 1), updates(5, 1, start_length=3), updates(5, 1, start_length=3, start_along=-3)
    (25, 25, 31)
    """
    R, g = _radius_and_margin(radius, margin)
    length, a = (
        rounding.not_negative("start_length", start_length, UP),
        rounding.finite("start_along", start_along, DOWN),
    )
    rounding.at_most("the size of start_along", max(start_along, -start_along), length, "start_length")
    b = R * R - 2 * a * g
    return rounding.floor_of_root(b, b * b + 4 * g * g * max(length * length - a * a, Fraction(0)), 2 * g * g)


def novikoff(radius: Number, margin: Number) -> int:
    """T <= R^2 / gamma^2 from zeros (the blog, end; printed with a ceiling, but T is a whole number).

    >>> novikoff(1, 0.3)
    11
    """
    return updates(radius, margin)


def unit_rows(margin: Number) -> int:
    """T <= 1 / gamma^2 from zeros, for rows no longer than 1 (Harchaoui 2.4.2; Nath, theorem 9.1).

    Nath's w* must be a unit vector, and no row with a constant feature of 1 is shorter than 1: scale that too.

    >>> unit_rows(0.1)
    100
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
    """Mistakes on a stream: at most U^2 ||w*||^2 / eps^2 (the mistake-bound note, whose example this is).

    ||x|| <= radius U and y (w* . x) >= margin eps, for a w* of any length.

    >>> stream(radius=2, length=3, margin=0.5)
    144
    """
    most = rounding.positive("radius", radius, UP) * rounding.positive("length", length, UP)
    eps = rounding.positive("margin", margin, DOWN)
    rounding.at_most("margin", margin, most, "radius times length")
    return floor((most / eps) ** 2)


def a_posteriori(length: Number, margin: Number) -> int:
    """T <= ||w_T|| / gamma from zeros, for a run that ended with weights of this length (Liang (24)).

    Printed as if it were known in advance, but w_T is known only after the run. It is never above Novikoff's.

    >>> a_posteriori(3.5, 0.5)
    7
    """
    return floor(rounding.not_negative("length", length, UP) / rounding.positive("margin", margin, DOWN))


def cosine(updates: int, radius: Number, margin: Number) -> float:
    """cos(w*, w_T) >= sqrt(T) gamma / R from zeros, for T >= 1 (Liang, corollary 1; the blog); rounded down.

    Only this bound grows with every update; the cosine itself need not. No run makes enough updates to take it above 1.

    >>> cosine(4, 4, 1)
    0.5
    """
    R, g = _radius_and_margin(radius, margin)
    T = rounding.whole("updates", updates, 1)
    rounding.at_most("updates", T, Fraction(floor((R / g) ** 2)), "R^2 / gamma^2")
    return exact.root_below(T * (g / R) ** 2)


def with_bias(radius: Number, margin: Number, offset: Number, bias_scale: Number) -> int:
    """T <= (R^2 + B^2) (1 + b^2 / B^2) / gamma^2 from zeros, with a constant feature B for the threshold.

    y (v . x + b) >= gamma for a unit v and the offset b; R is the radius without the constant. Liang, Nath: B = 1.

    >>> with_bias(4, 1, 4, 1), with_bias(4, 1, 4, best_bias_scale(4, 4))
    (289, 64)
    """
    R, g = rounding.positive("radius", radius, UP), rounding.positive("margin", margin, DOWN)
    b = max(abs(rounding.finite("offset", offset, side)) for side in (UP, DOWN))
    B = rounding.positive("bias_scale", bias_scale)
    rounding.at_most("margin", margin, R + b, "radius plus the size of offset")
    return floor((R * R + B * B) * (1 + (b / B) ** 2) / (g * g))


def best_bias_scale(radius: Number, offset: Number | None = None) -> float:
    """The B that minimises `with_bias`: sqrt(R |b|), which gives ((R + |b|) / gamma)^2.

    If the offset is not known, it is R, which gives at most (2 R / gamma)^2 if |b| <= R. For b = 0 there is no best B:
    smaller is always better, so leave the threshold out.

    >>> best_bias_scale(4, -9), best_bias_scale(4)
    (6.0, 4.0)
    """
    R = rounding.positive("radius", radius)
    b = R if offset is None else abs(rounding.finite("offset", offset))
    if b == 0:
        raise OptionError("offset must not be 0: a rule through the origin needs no threshold")
    return exact.root_below(R * b)


def halts_or_refutes(radius: Number, margin: Number) -> int:
    """The updates from zeros after which PLA has halted, or has shown that no unit vector has this margin.

    floor(R^2 / gamma^2) + 1: then ||w_T|| / T <= R / sqrt(T) < gamma, see `refuted_margin`. Any gamma > 0 works.

    >>> halts_or_refutes(1, 0.1)
    101
    """
    return floor((rounding.not_negative("radius", radius, UP) / rounding.positive("margin", margin, DOWN)) ** 2) + 1


def refuted_margin(length: Number, updates: int) -> float:
    """No unit vector has a margin above ||w_T|| / T, T >= 1, from zeros; rounded up.

    w_T / T is a mean of the signed rows, so u . w_T / T is at least the margin of u.

    >>> refuted_margin(3, 12)
    0.25
    """
    return rounding.rounded(rounding.not_negative("length", length, UP) / rounding.whole("updates", updates, 1), UP)


def patience(rows: int, updates: int, failure: Number) -> int:
    """Consecutive draws without an update after which a run is right on every row, except with this probability.

    m >= n ln((T + 1) / delta), where T bounds the updates: while a mistake is left, m draws from n rows all miss it
    with probability at most exp(-m / n), and there are at most T + 1 occasions (Nath 9.2, step 4, gives no number).

    >>> patience(100, 24, 0.01)
    783
    """
    n, T, delta = (
        rounding.whole("rows", rows, 1),
        rounding.whole("updates", updates, 0),
        rounding.positive("failure", failure),
    )
    if delta >= 1:
        raise OptionError(f"failure must be below 1, not {failure}")
    return ceil(n * Fraction((log(T + 1) - log(delta)) * (1 + 2**-50)))  # errors of the logarithms are below 2^-51


def expected_draws(rows: int, updates: int) -> int:
    """Mean number of draws up to the last update: at most n T, as each waits for at most n draws (Nath 9.3).

    The printed 1 / gamma^2 bounds updates, not draws.

    >>> expected_draws(100, 24)
    2400
    """
    return rounding.whole("rows", rows, 1) * rounding.whole("updates", updates, 0)


def corrections_in_a_row(score: Number, squared_length: Number) -> int:
    """How many times in a row an example must be corrected until it is right (Nath 9.2.1).

    floor(-y (w . x) / ||x||^2) + 1, exact for these numbers: each correction adds ||x||^2 to the score y (w . x) <= 0.

    >>> corrections_in_a_row(-7, 2), corrections_in_a_row(0, 2)
    (4, 1)
    """
    if (number := rounding.finite("score", score)) > 0:
        raise OptionError(f"score must be at most 0, not {score}: a row that is right is not corrected")
    return floor(-number / rounding.positive("squared_length", squared_length)) + 1


def distance_falls(radius: Number, margin: Number, c: Number) -> float:
    """The least by which ||w_t - c u||^2 falls at every update: 2 c gamma - R^2, for c > R^2 / (2 gamma); rounded down.

    So the weights approach every c u that is far enough out, from any start, but not necessarily w* (Liang, claim 1).

    >>> distance_falls(2, 1, 3)
    2.0
    """
    R, g = _radius_and_margin(radius, margin)
    falls = 2 * rounding.positive("c", c) * g - R * R
    if falls <= 0:
        raise OptionError(f"c must be above R^2 / (2 gamma), {rounding.rounded(R * R / (2 * g), DOWN)}, not {c}")
    return rounding.rounded(falls, DOWN)


def _radius_and_margin(radius: Number, margin: Number) -> tuple[Fraction, Fraction]:
    """Both as fractions, if the margin is possible: no row is further from the boundary than it is long."""
    R, g = rounding.positive("radius", radius, UP), rounding.positive("margin", margin, DOWN)
    rounding.at_most("margin", margin, R, "the radius")
    return R, g
