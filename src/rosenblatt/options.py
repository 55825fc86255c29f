"""Options: their kinds and ranges, and checks whose errors name the option, the accepted values, and the value given.

A rule states each of its options once, as an attribute of its class: the default, and in an `Annotated` type the kind
and the documentation. The rule's `__init__`, the checks, the estimator's docstring, what a model file keeps, and what
the command takes all follow from there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, Signature, get_annotations, signature
from math import inf, isfinite
from numbers import Integral, Real
from textwrap import wrap
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from rosenblatt.errors import OptionError

WIDTH, INDENT = 100, "    "  # of documentation
BEYOND_USE = 1e300  # a limit of what can be computed, which documentation need not mention


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
    limits = _range(above, least, below)
    raise refused(name, f"a number {limits}" if limits else "a finite number", value, words, none)


def _range(above: float = -inf, least: float = -inf, below: float = inf) -> str:
    """The limits of a number, in words."""
    parts = [f"above {above:g}"] if above > -inf else [f"of at least {least:g}"] if least > -inf else []
    return " and ".join([*parts, f"below {below:g}"] if below < inf else parts)


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

    def in_words(self) -> str:
        """What the option takes, for its documentation."""
        return _either("bool", *map(quoted, self.words))


@dataclass(frozen=True)
class OneOf:
    """One of some words, or None."""

    words: tuple[str, ...]
    none: bool = False

    def check(self, name: str, value: Any) -> None:
        """Refuse other values."""
        if self.none and not is_word(value, *self.words) and value is not None:
            raise refused(name, " or ".join(map(repr, self.words)), value, none=True)
        if not self.none:
            one_of(name, value, self.words)

    def in_words(self) -> str:
        """What the option takes, for its documentation."""
        return f"{{{', '.join([*map(quoted, self.words), *(['None'] if self.none else [])])}}}"


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

    def in_words(self) -> str:
        """What the option takes, for its documentation."""
        below = self.below if self.below < BEYOND_USE else inf
        limits = _range(self.above, self.least, below)
        return _either(f"float {limits}".strip(), *map(quoted, self.words), *(["None"] if self.none else []))


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

    def in_words(self) -> str:
        """What the option takes, for its documentation."""
        first = f"int {_range(least=self.least)}"
        return _either(first, *map(quoted, self.words), *(["None"] if self.none else []))


@dataclass(frozen=True)
class Special:
    """Something that only the rows, or what uses it, can check."""

    what: str
    type_in_words: str

    def check(self, name: str, value: Any) -> None:
        """Refuse nothing yet."""

    def in_words(self) -> str:
        """What the option takes, for its documentation."""
        return self.type_in_words


Kind = Flag | OneOf | Number | Whole | Special


def quoted(value: Any) -> str:
    """A value as documentation writes it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _either(*each: str) -> str:
    """A, B or C."""
    *first, last = each
    return f"{', '.join(first)} or {last}" if first else last


# -- options of a class ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """An option as a class states it."""

    kind: Kind
    type: Any
    documentation: str
    default: Any

    def in_words(self, name: str) -> str:
        """Its name, what it takes, and its default, as numpydoc writes them."""
        return f"{name} : {self.kind.in_words()}, default={quoted(self.default)}"


@cache
def options_of(made: Any) -> dict[str, Option]:
    """The options of a class by name: those it states itself first, then those of its bases.

    A class may state an option of its bases again: with a kind, in place of theirs; without, its sentences are added to
    theirs. A plain assignment changes the default only.
    """
    kinds: dict[str, tuple[Kind, Any]] = {}
    sentences: dict[str, list[str]] = {}
    for base in made.__mro__:
        for name, stated in get_annotations(base).items():
            if name in kinds or not hasattr(stated, "__metadata__"):
                continue
            texts = [each for each in stated.__metadata__ if isinstance(each, str)]
            sentences[name] = [*texts, *sentences.get(name, [])]
            for kind in stated.__metadata__:
                if isinstance(kind, Kind):
                    kinds[name] = kind, stated.__origin__
    return {
        name: Option(kind, plain, " ".join(sentences[name]), getattr(made, name))
        for name, (kind, plain) in kinds.items()
    }


def documentation_of(made: type) -> str:
    """The options of a class, as numpydoc lists them."""
    lines = []
    for name, option in options_of(made).items():
        lines += [
            option.in_words(name),
            *wrap(option.documentation, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT),
        ]
    return "\n".join(lines)


@cache
def kinds_of(made: Any) -> dict[str, Kind]:
    """The kind of each option that a class takes; a subclass with an `__init__` of its own may take fewer."""
    taken, stated = signature(made.__init__).parameters, options_of(made)
    return {name: option.kind for name, option in stated.items() if name in taken}


def check(made: Any) -> None:
    """Refuse options of a rule that are not of their kinds."""
    for name, kind in kinds_of(made.__class__).items():
        kind.check(name, getattr(made, name))


T = TypeVar("T")


@dataclass_transform(kw_only_default=True)
def with_options(made: type[T]) -> type[T]:
    """Give a class the `__init__` that takes the options which it and its bases state, by keyword."""
    stated = options_of(made)  # type: ignore[arg-type]
    defaults = {name: option.default for name, option in stated.items()}

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807
        for name in given.keys() - defaults:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}")
        vars(self).update(defaults | given)

    by_keyword = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type)
        for name, option in stated.items()
    ]
    takes = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *by_keyword]
    __init__.__signature__ = Signature(takes, return_annotation=None)  # type: ignore[attr-defined]
    __init__.__module__, __init__.__qualname__ = made.__module__, f"{made.__qualname__}.__init__"
    made.__init__ = __init__  # type: ignore[method-assign]
    return made
