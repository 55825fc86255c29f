"""The numbers given to a bound: checked, made exact, and moved to the safe side.

A whole number or a Fraction is exact. A float stands for numbers near it, as 0.1 stands for a tenth: it is moved by
one unit in the last place, UP or DOWN, whichever weakens the bound. So a bound holds for the number that was meant, not
only for the one that was written. EXACT is for numbers that are chosen, not measured.
"""

from fractions import Fraction
from math import inf, isqrt, lcm, nextafter
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.rows.door import unmasked
from rosenblatt.rows.kernels import Array

Number = int | float | Fraction

UP, EXACT, DOWN = 1, 0, -1


def finite(name: str, value: Any, side: int = EXACT) -> Fraction:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise OptionError(f"{name} must be a number, not {value!r}")
    if isinstance(value, Rational):
        return Fraction(int(value)) if isinstance(value, Integral) else Fraction(value)
    measured: Any = np.asarray(value)[()]
    if not np.isfinite(measured):
        raise OptionError(f"{name} must be a finite number, not {value}")
    number, unit = (Fraction(*x.as_integer_ratio()) for x in (measured, np.finfo(measured.dtype).eps))
    return number + side * unit * abs(number)


def positive(name: str, value: Number, side: int = EXACT) -> Fraction:
    """A finite number above 0."""
    if (number := finite(name, value, side)) <= 0:
        raise OptionError(f"{name} must be above 0, not {value}")
    return number


def not_negative(name: str, value: Number, side: int = EXACT) -> Fraction:
    """A finite number, 0 or more."""
    if (number := finite(name, value, side)) < 0:
        raise OptionError(f"{name} must be 0 or more, not {value}")
    return number


def whole(name: str, value: Number, least: int) -> int:
    """A whole number of at least `least`."""
    number = finite(name, value)
    if number.denominator != 1 or number < least:
        raise OptionError(f"{name} must be a whole number of at least {least}, not {value}")
    return int(number)


def at_most(name: str, value: Number, most: Fraction, what: str) -> None:
    """Refuse a number above this one."""
    if finite(name, value) > most:
        raise OptionError(f"{name} must be at most {what}, {rounded(most, DOWN)}, not {value}")


def array(name: str, values: Any) -> Array:
    """Finite numbers as floats."""
    found = np.asarray(unmasked(values, name))
    if found.size and found.dtype.kind not in "iuf":
        raise OptionError(f"{name} must be numbers, not {found.dtype}")
    if not (good := np.isfinite(found)).all():
        place = [int(k) for k in np.unravel_index(int(np.argmin(good)), found.shape)]
        raise OptionError(f"{name} must be finite numbers, not {found[*place]} at {place}")
    return found.astype(np.float64)


def floor_of_root(p: Fraction, q: Fraction, s: Fraction) -> int:
    """floor((p + sqrt(q)) / s) for q >= 0 and s > 0: k s <= p + sqrt(q) becomes a comparison of whole numbers."""
    n = lcm(p.denominator, q.denominator, s.denominator)
    return (int(p * n) + isqrt(int(q * n * n))) // int(s * n)


def rounded(number: Fraction, side: int) -> float:
    """A number of 0 or more as a float, rounded UP or DOWN."""
    try:
        near = float(number)
    except OverflowError:
        return inf if side == UP else nextafter(inf, 0.0)
    wrong = near < number if side == UP else near > number  # Python compares floats and fractions exactly
    return nextafter(near, inf if side == UP else 0.0) if wrong else near
