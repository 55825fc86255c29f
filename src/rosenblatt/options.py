"""Checks of options: a refusal names the option, what it must be, and what it is."""

from collections.abc import Iterable
from inspect import signature
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from rosenblatt.errors import OptionError


def refused(name: str, wanted: str, value: Any, words: Iterable[str] = (), none: bool = False) -> OptionError:
    """The error for an option that must be something else: what is `wanted`, one of some words, or None."""
    *first, last = [wanted, *map(repr, words), *(["None"] if none else [])]
    return OptionError(f"{name} must be {', '.join(first)}{', or ' if first else ''}{last}, not {value!r}")


def flag(name: str, value: Any, *words: str) -> bool:
    """True or False, which 1 and 0 may stand for; False also for one of some words."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, Integral) and value in (0, 1)):
        return bool(value)
    if is_word(value, *words):
        return False
    raise refused(name, "True or False" if not words else "True, False", value, words)


def check_flags(made: Any) -> None:
    """Refuse options that are declared to be True or False, and are something else."""
    for name, parameter in signature(type(made).__init__).parameters.items():
        if parameter.annotation is bool:
            flag(name, getattr(made, name))


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """One of some words."""
    known = list(map(str, known))
    if not isinstance(value, str) or value not in known:
        raise refused(name, f"one of {', '.join(map(repr, known))}", value)
    return value


def is_word(value: Any, *words: str) -> bool:
    """Whether an option is one of these words; an array may be compared with none."""
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
    """A number in a range, finite unless `infinite`; one of some words; or None."""
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
    """A whole number in a range, which may be written as a float; one of some words; or None."""
    if is_word(value, *words) or (none and value is None):
        return value
    size = as_float(value)
    if size is not None and isfinite(size) and least <= size <= most and value == int(value):
        return value
    wanted = f"a whole number of at least {least}" + (f" and at most {most:,}" if most < inf else "")
    raise refused(name, wanted, value, words, none)


def as_float(value: Any) -> float | None:
    """A number as a float; None if it is none, as True is not."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number or a fraction
        return inf


def floats(name: str, values: Any) -> Any:
    """Finite numbers in an array."""
    wanted = "finite numbers"
    try:
        found = np.asarray("None" if values is None else values, dtype=np.float64)  # which NumPy takes for NaN
    except (TypeError, ValueError):
        raise refused(name, wanted, values) from None
    if not (good := np.isfinite(found)).all():
        place = ", ".join(map(str, np.argwhere(~good)[0].tolist()))
        raise OptionError(f"{name} must be {wanted}, not {found[~good][0]}" + (f" at {place}" if place else ""))
    return found
