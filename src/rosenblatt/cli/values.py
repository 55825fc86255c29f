"""The values of options as they are typed: what they mean, and errors that say what was expected."""

from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import typer

from rosenblatt.vocabulary import CALIBRATIONS

WORDS = {"true": True, "false": False, "none": None}


def configured(context: typer.Context, value: Path | None) -> Path | None:
    """Take the values of a TOML file as the options' defaults."""
    if value is None:
        return None
    import tomllib

    from rosenblatt.errors import OptionError
    from rosenblatt.read.frames import nearest

    try:
        given: dict[str, Any] = tomllib.loads(value.read_text("utf-8"))
    except OSError as error:
        raise OptionError(f"{value}: {(error.strerror or 'cannot be read').lower()}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionError(f"{value}: not a valid TOML file: {error}") from error
    except RecursionError:
        raise OptionError(f"{value}: it is nested too deeply") from None
    params: list[Any] = [param for param in context.command.params if param.name != "config"]
    known = {name.lstrip("-").replace("-", "_"): param for param in params for name in param.opts}
    defaults = {}
    for key, wanted in given.items():
        name = key.replace("-", "_")
        if name not in known:
            raise OptionError(f"{value}: there is no option {key!r}{nearest(name, known)}")
        several = known[name].multiple or known[name].nargs == -1
        defaults[known[name].name] = [wanted] if several and not isinstance(wanted, list) else wanted
    context.default_map = {**(context.default_map or {}), **defaults}
    return value


def list_options(param: typer.CallbackParam, algorithm: str | None) -> None:
    """Print the options of an algorithm, and exit."""
    if algorithm is None:
        return
    from rosenblatt import registry
    from rosenblatt.errors import OptionError
    from rosenblatt.options import documentation_of

    if algorithm not in registry.ALGORITHMS:
        raise OptionError(f"{param.opts[0]} must be one of {', '.join(registry.ALGORITHMS)}, not {algorithm!r}")
    typer.echo(documentation_of(registry.ALGORITHMS[algorithm].rule))
    raise typer.Exit


def kinds_given(
    kinds: list[str] | None, ignore: list[str] | None = None, steps: list[str] | None = None
) -> dict[str, str]:
    """Options of the form COLUMN=KIND as a mapping, with the columns to cut into steps and those to ignore."""
    from rosenblatt.errors import OptionError
    from rosenblatt.read.profile.kinds import check_kind

    given = {}
    for each in kinds or []:
        column, equals, kind = each.rpartition("=")
        if not equals:
            raise OptionError(f"--kind needs COLUMN=KIND, as in --kind age=number, not {each!r}")
        check_kind(column, kind)
        given[column] = kind
    for column in steps or []:
        if given.get(column, "steps") != "steps":
            raise OptionError(f"column {column!r} cannot be both {given[column]} (--kind) and cut into steps (--steps)")
    return given | dict.fromkeys(steps or [], "steps") | dict.fromkeys(ignore or [], "ignore")


def weights_given(given: list[str] | None) -> Any:
    """Options of the form CLASS=COST as a mapping, or the word balanced."""
    if not given or given == ["balanced"]:
        return "balanced" if given else None
    return costs_given(given, "--class-weight")


def costs_given(given: list[str], option: str) -> dict[str, float]:
    """Options of the form CLASS=COST as a mapping."""
    from rosenblatt.errors import OptionError

    costs = {}
    for each in given:
        label, _, cost = each.rpartition("=")
        try:
            costs[label] = float(cost)
            if not 0 <= costs[label] < inf:
                raise ValueError
        except ValueError:
            raise OptionError(f"{option} needs CLASS=COST, as in {option} yes=5, not {each!r}") from None
    return costs


def share_given(text: str | None, option: str, example: str = "20%") -> float | None:
    """A share of rows: 20% or 0.2."""
    if text is None:
        return None
    number, percent = _number(text.rstrip("%").strip()), text.endswith("%")
    size = number / 100 if percent and not isinstance(number, str) else number
    if isinstance(size, str) or not 0 < size < 1:
        from rosenblatt.errors import OptionError

        raise OptionError(f"{option} must be a share above 0% and below 100%, such as {example}, not {text!r}")
    return size  # type: ignore[no-any-return]


def limits_given(given: list[str] | None) -> tuple[tuple[str | None, float], ...]:
    """Options of the form RATE or CLASS=RATE as pairs of a class, or None, and a rate."""
    found = []
    for each in given or []:
        label, equals, rate = each.rpartition("=")
        size = share_given(rate, "--at-most", "5% or yes=10%")
        assert size is not None
        found.append((label if equals else None, size))
    return tuple(found)


def with_value(args: list[str]) -> list[str]:
    """The arguments, with a value for every option that may go without one."""
    found = []
    for word, following in pairwise([*args, ""]):
        alone = word == "--probability" and following not in ("auto", *CALIBRATIONS)
        found.append(f"{word}=auto" if alone else word)
    return found


def values_given(options: list[str] | None) -> dict[str, Any]:
    """Options of the form NAME=VALUE as a mapping; numbers, true, false and none are read as such."""
    from rosenblatt.errors import OptionError

    given: dict[str, Any] = {}
    for each in options or []:
        name, equals, value = each.partition("=")
        if not equals:
            raise OptionError(f"--set needs NAME=VALUE, as in --set ratchet=true, not {each!r}")
        given[name.strip().replace("-", "_")] = WORDS[value.lower()] if value.lower() in WORDS else _number(value)
    return given


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def above_zero(param: typer.CallbackParam, value: float | None) -> float | None:
    """Refuse other numbers; the limits that Typer knows are part of the range."""
    from rosenblatt.errors import OptionError

    if value is not None and not 0.0 < value < inf:
        raise OptionError(f"{param.opts[0]} must be a number above 0, not {value!r}")
    return value
