"""Validation of options. Every error names the option, the accepted values, and the value given."""

from collections.abc import Iterable
from inspect import signature
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError


def refused(name: str, wanted: str, value: Any, words: Iterable[str] = (), none: bool = False) -> OptionError:
    """The error for an invalid option: it must be what is `wanted`, one of `words`, or (if `none`) None."""
    *first, last = [wanted, *map(repr, words), *(["None"] if none else [])]
    return OptionError(f"{name} must be {', '.join(first)}{', or ' if first else ''}{last}, not {value!r}")


def flag(name: str, value: Any, *words: str) -> bool:
    """The option as a bool: 1 and 0 count as True and False, and any of `words` counts as False."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, Integral) and value in (0, 1)):
        return bool(value)
    if is_word(value, *words):
        return False
    raise refused(name, "True or False" if not words else "True, False", value, words)


def check_flags(made: Any) -> None:
    """Refuse options annotated as bool that are not True or False."""
    for name, parameter in signature(type(made).__init__).parameters.items():
        if parameter.annotation is bool:
            flag(name, getattr(made, name))


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """The option, if it is one of the `known` words."""
    known = list(map(str, known))
    if not isinstance(value, str) or value not in known:
        raise refused(name, f"one of {', '.join(map(repr, known))}", value)
    return value


def is_word(value: Any, *words: str) -> bool:
    """Whether an option is one of these words. Safe for arrays, which cannot be compared with a text."""
    return isinstance(value, str) and value in words


def number(
    name: str,
    value: Any,
    *,
    above: float = -inf,
    least: float = -inf,
    below: float = inf,
    infinite: bool = False,
    words: tuple[str, ...] = (),
    none: bool = False,
) -> Any:
    """The option, if it is a number in the range (finite unless `infinite`), one of `words`, or (if `none`) None."""
    if is_word(value, *words) or (none and value is None):
        return value
    size = as_float(value)
    if size is not None and above < size and least <= size and (size < below or (infinite and size == inf)):
        return value
    parts = [f"above {above:g}"] if above > -inf else [f"of at least {least:g}"] if least > -inf else []
    parts += [f"below {below:g}"] if below < inf else []
    wanted = f"a number {' and '.join(parts)}" if parts else "a finite number"
    raise refused(name, wanted, value, words, none)


def whole(
    name: str, value: Any, least: int, *, most: float = inf, words: tuple[str, ...] = (), none: bool = False
) -> Any:
    """The option, if it is a whole number in the range (a float is fine), one of `words`, or (if `none`) None."""
    if is_word(value, *words) or (none and value is None):
        return value
    size = as_float(value)
    if size is not None and isfinite(size) and least <= size <= most and value == int(value):
        return value
    wanted = f"a whole number of at least {least}" + (f" and at most {most:,}" if most < inf else "")
    raise refused(name, wanted, value, words, none)


def as_float(value: Any) -> float | None:
    """The number as a float; None if it is not a number. True and False are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number or a fraction
        return inf


def floats(name: str, values: Any) -> Any:
    """The option as an array of finite numbers."""
    wanted = "finite numbers"
    try:
        found = np.asarray("None" if values is None else values, dtype=np.float64)  # which NumPy takes for NaN
    except (TypeError, ValueError):
        raise refused(name, wanted, values) from None
    if not (good := np.isfinite(found)).all():
        place = ", ".join(map(str, np.argwhere(~good)[0].tolist()))
        raise OptionError(f"{name} must be {wanted}, not {found[~good][0]}" + (f" at {place}" if place else ""))
    return found
