def _finite(name: str, value: Any) -> Fraction:
    """A finite number, exactly."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise OptionError(f"{name} must be a number, not {value!r}")
    try:
        return Fraction(int(value)) if isinstance(value, Integral) else Fraction(*value.as_integer_ratio())  # type: ignore[attr-defined]
    except (OverflowError, ValueError):
        raise OptionError(f"{name} must be a finite number, not {value}") from None


def _positive(name: str, value: Number) -> Fraction:
    if (number := _finite(name, value)) <= 0:
        raise OptionError(f"{name} must be above 0, not {value}")
    return number


def _not_negative(name: str, value: Number) -> Fraction:
    if (number := _finite(name, value)) < 0:
        raise OptionError(f"{name} must be 0 or more, not {value}")
    return number


def _whole(name: str, value: Number, least: int) -> int:
    number = _finite(name, value)
    if number.denominator != 1 or number < least:
        raise OptionError(f"{name} must be a whole number of at least {least}, not {value}")
    return int(number)


def _at_most(name: str, value: Number, most: Fraction, what: str) -> None:
    if _finite(name, value) > most:
        raise OptionError(f"{name} must be at most {what}, {float(most)}, not {value}")


def _radius_and_margin(radius: Number, margin: Number) -> tuple[Fraction, Fraction]:
    """No row is further from a boundary through the origin than it is long."""
    R, g = _positive("radius", radius), _positive("margin", margin)
    _at_most("margin", margin, R, "the radius")
    return R, g


def _finite_array(name: str, values: Any) -> Array:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf" and array.size:
        raise OptionError(f"{name} must be numbers, not {array.dtype}")
    if not (finite := np.isfinite(array)).all():
        place = np.unravel_index(int(np.argmin(finite)), array.shape)
        raise OptionError(f"{name} must be finite numbers, not {array[place]} as at {[int(k) for k in place]}")
    return array.astype(np.float64)


def _floor(p: Fraction, q: Fraction, s: Fraction) -> int:
    """floor((p + sqrt(q)) / s) for q >= 0 and s > 0, exactly: k s <= p + sqrt(q) is a comparison of whole numbers."""
    n = lcm(p.denominator, q.denominator, s.denominator)
    return (int(p * n) + isqrt(int(q * n * n))) // int(s * n)


def _rounded(number: Fraction, towards: float) -> float:
    """A number above 0 as a float, rounded up (towards infinity) or down (towards 0)."""
    try:
        near = float(number)
    except OverflowError:
        return inf if towards else nextafter(inf, 0.0)
    wrong = near < number if towards else near > number  # Python compares floats and fractions exactly
    return nextafter(near, towards) if wrong else near
