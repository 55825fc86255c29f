"""Options that several commands share, each described once."""

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt import registry

ALGORITHMS = ("auto", *registry.ALGORITHMS)
READING, JUDGING, RULES = "Reading the table", "Judging the rule", "Rules of learning"


def one_of(*words: str) -> Callable[[], list[str]]:
    """What a shell completes a value from."""
    return lambda: list(words)


Source = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Table to read: CSV, TSV, Parquet, NDJSON, Arrow, LIBSVM or ARFF, also .gz and .zst; "
        "several files, a pattern in quotes, or - for standard input.",
        show_default=False,
    ),
]
TargetColumn = Annotated[
    str, typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict.", show_default=False)
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", metavar="VALUE", help="Value of the target that means yes.", rich_help_panel=READING),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COLUMN=KIND",
        help="Read a column as number, category, yes/no, date, text or ignore; may be given again.",
        rich_help_panel=READING,
    ),
]
TextAs = Annotated[
    str,
    typer.Option(
        "--text",
        metavar="HOW",
        help="Words of free text: vocabulary or hashed.",
        rich_help_panel=READING,
        autocompletion=one_of("vocabulary", "hashed"),
    ),
]
WeightColumn = Annotated[
    str | None,
    typer.Option(
        "--weights", metavar="COLUMN", help="Column that says how much a row counts.", rich_help_panel=READING
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, parquet, ndjson, arrow, libsvm or arff, where the name does not tell.",
        rich_help_panel=READING,
        autocompletion=one_of("csv", "tsv", "parquet", "ndjson", "arrow", "libsvm", "arff"),
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHAR",
        help="Between the cells of a CSV file; found by default.",
        rich_help_panel=READING,
    ),
]
DropMissing = Annotated[
    bool, typer.Option("--drop-missing-target", help="Leave out rows without a target.", rich_help_panel=READING)
]
Json = Annotated[bool, typer.Option("--json", help="Write the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on standard error.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite files that are there.")]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, help="Seed of all that is drawn at random, and of the rows held out."),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        min=0.0,
        metavar="S",
        help="Time limit for each proof, not for learning; 0 for none. By default work is limited, not time: the same "
        "proofs on every machine.",
        rich_help_panel=JUDGING,
    ),
]
HoldOut = Annotated[
    float,
    typer.Option(
        "--hold-out", metavar="PART", help="Part of the rows to judge the rule by; 0 for none.", rich_help_panel=JUDGING
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        "--folds",
        metavar="K",
        help="Judge by cross-validation instead, and learn from all rows.",
        rich_help_panel=JUDGING,
    ),
]
Algorithm = Annotated[
    str,
    typer.Option(
        "--algorithm",
        "-a",
        metavar="NAME",
        help=f"{', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}. auto: the largest margin if the rows are proved "
        "separable, else the pocket. tree: tests of columns, not a sum of points.",
        autocompletion=one_of(*ALGORITHMS),
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any option of the algorithm, as in --set ratchet=true, --set kernel=poly or --set max-depth=3.",
        rich_help_panel=RULES,
    ),
]
ClassWeight = Annotated[
    list[str] | None,
    typer.Option(
        "--class-weight",
        metavar="CLASS=COST",
        help="What a mistake on a class costs, or: balanced.",
        rich_help_panel=RULES,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", metavar="COLUMN", help="Column to leave out; may be given again.", rich_help_panel=READING
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model file that `rosenblatt fit` wrote.", show_default=False)
]


def _configured(context: typer.Context, value: Path | None) -> Path | None:
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
        raise OptionError(f"{value}: this is no TOML file: {error}") from error
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


Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        callback=_configured,
        is_eager=True,
        help="TOML file with values for options, as in target = 'approved'.",
    ),
]


def kinds_given(kinds: list[str] | None, ignore: list[str] | None = None) -> dict[str, str]:
    """COLUMN=KIND, several times, as a mapping, with the columns to ignore."""
    from rosenblatt.errors import OptionError
    from rosenblatt.read.profile.kinds import check_kind

    given = {}
    for each in kinds or []:
        column, equals, kind = each.rpartition("=")
        if not equals:
            raise OptionError(f"--kind needs COLUMN=KIND, as in --kind age=number, not {each!r}")
        check_kind(column, kind)
        given[column] = kind
    return given | dict.fromkeys(ignore or [], "ignore")


def costs_given(given: list[str] | None) -> Any:
    """CLASS=COST, several times, or the word balanced."""
    from rosenblatt.errors import OptionError

    if not given or given == ["balanced"]:
        return "balanced" if given else None
    costs = {}
    for each in given:
        label, _, cost = each.rpartition("=")
        try:
            costs[label] = float(cost)
            if not 0 <= costs[label] < inf:
                raise ValueError
        except ValueError:
            raise OptionError(f"--class-weight needs CLASS=COST, as in --class-weight yes=5, not {each!r}") from None
    return costs


def values_given(options: list[str] | None) -> dict[str, Any]:
    """NAME=VALUE, several times, as a mapping; numbers, true, false and none are read as such."""
    from rosenblatt.errors import OptionError

    words = {"true": True, "false": False, "none": None}
    given: dict[str, Any] = {}
    for each in options or []:
        name, equals, value = each.partition("=")
        if not equals:
            raise OptionError(f"--set needs NAME=VALUE, as in --set ratchet=true, not {each!r}")
        given[name.strip().replace("-", "_")] = words[value.lower()] if value.lower() in words else _number(value)
    return given


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def above_zero(param: typer.CallbackParam, value: float | None) -> float | None:
    """Refuse other numbers; the range that Typer knows has its ends in it."""
    from rosenblatt.errors import OptionError

    if value is not None and not 0.0 < value < inf:
        raise OptionError(f"{param.opts[0]} must be a number above 0, not {value!r}")
    return value
