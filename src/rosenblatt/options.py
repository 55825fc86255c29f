"""Options: their kinds and ranges, and checks whose errors name the option, the accepted values, and the value given.

A rule states each of its options once, in its `__init__`: the default, and as the metadata of an `Annotated` type the
kind. What checks options, what a model file keeps of them, and what the command takes all follow from there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
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


# -- kinds -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flag:
    """True or False, or one of some words."""

    words: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> None:
        """Refuse other values."""
        flag(name, value, *self.words)


@dataclass(frozen=True)
class OneOf:
    """One of some words."""

    words: tuple[str, ...]
    none: bool = False  # whether None will do

    def check(self, name: str, value: Any) -> None:
        """Refuse other values."""
        if self.none and not is_word(value, *self.words) and value is not None:
            raise refused(name, " or ".join(map(repr, self.words)), value, none=True)
        if not self.none:
            one_of(name, value, self.words)


@dataclass(frozen=True)
class Number:
    """A number in a range, one of some words, or None."""

    above: float = -inf
    least: float = -inf
    below: float = inf
    infinite: bool = False
    words: tuple[str, ...] = ()
    none: bool = False

    def check(self, name: str, value: Any) -> None:
        """Refuse other values."""
        number(name, value, **vars(self))


@dataclass(frozen=True)
class Whole:
    """A whole number in a range, one of some words, or None."""

    least: int
    most: float = inf
    words: tuple[str, ...] = ()
    none: bool = False

    def check(self, name: str, value: Any) -> None:
        """Refuse other values."""
        whole(name, value, **vars(self))


@dataclass(frozen=True)
class Special:
    """Something that only the rows, or what uses it, can check."""

    what: str

    def check(self, name: str, value: Any) -> None:
        """Refuse nothing yet."""


Kind = Flag | OneOf | Number | Whole | Special


def kinds_of(made: type) -> dict[str, Kind]:
    """The kind of each option of a class, in order: as it says itself, or else the class that it is derived from."""
    found: dict[str, Kind] = {}
    for base in reversed(made.__mro__):
        own = vars(base).get("__init__")
        for name, parameter in () if own is None or base is object else signature(own).parameters.items():
            if hasattr(parameter.annotation, "__metadata__"):
                found[name] = parameter.annotation.__metadata__[0]
    return {name: found[name] for name in signature(made.__init__).parameters if name in found}  # type: ignore[misc]


def check(made: Any) -> None:
    """Refuse options of a rule that are not of their kinds."""
    for name, kind in kinds_of(type(made)).items():
        kind.check(name, getattr(made, name))
