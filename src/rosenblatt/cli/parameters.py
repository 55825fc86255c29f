"""The options that several commands share, each described once, in groups that a command takes as a whole."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt import registry
from rosenblatt.cli import values
from rosenblatt.vocabulary import CALIBRATIONS

if TYPE_CHECKING:
    from rosenblatt.cli.prefetch import Begun
    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.judging.decision_options import DecisionOptions

ALGORITHMS = ("auto", "fewest-mistakes", *registry.ALGORITHMS)
FORMATS = ("csv", "tsv", "parquet", "ndjson", "arrow", "libsvm", "arff")

# options under a heading of their own in the help
of_reading: Callable[..., Any] = partial(typer.Option, rich_help_panel="Reading the table")
of_judging: Callable[..., Any] = partial(typer.Option, rich_help_panel="Judging the rule")
of_learning: Callable[..., Any] = partial(typer.Option, rich_help_panel="Learning the rule")
of_deciding: Callable[..., Any] = partial(typer.Option, rich_help_panel="Deciding")


def one_of(*words: str) -> Callable[[], list[str]]:
    """The values that a shell may complete."""
    return lambda: list(words)


def listed(*words: str) -> str:
    """A, B or C."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


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
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model file that `rosenblatt fit` wrote.", show_default=False)
]
Seconds = Annotated[
    float | None,
    of_judging(
        "--seconds",
        min=0.0,
        metavar="S",
        help="Time limit for each proof, not for learning; 0 for none. By default, work is limited instead of time, so "
        "that proofs are the same on every machine.",
    ),
]


WHERE_THEY_HELP = "auto"  # value of --steps


@dataclass(frozen=True)
class Format:
    """How to read the cells of a table."""

    file_format: Annotated[
        str | None,
        of_reading(
            "--format",
            metavar="FORMAT",
            help=f"Format of the file, if its name does not show it: {listed(*FORMATS)}.",
            autocompletion=one_of(*FORMATS),
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        of_reading("--delimiter", metavar="CHAR", help="Delimiter of a CSV file; detected by default."),
    ] = None

    def begin(self, source: list[str], **wanted: Any) -> "Begun":
        """Begin to read the table in these files; further arguments are those of `read_table`."""
        from rosenblatt.cli.prefetch import begin

        return begin(source, self.file_format, self.delimiter, **wanted)


@dataclass(frozen=True)
class KnownTable(Format):
    """How to read a table whose columns a model knows."""

    drop_missing_target: Annotated[
        bool, of_reading("--drop-missing-target", help="Leave out rows without a target.")
    ] = False


@dataclass(frozen=True)
class NewTable(KnownTable):
    """How to read a table whose columns are not known yet."""

    positive: Annotated[
        str | None, of_reading("--positive", metavar="VALUE", help="Value of the target that means yes.")
    ] = None
    kind: Annotated[
        list[str] | None,
        of_reading(
            "--kind",
            metavar="COLUMN=KIND",
            help="Read a column as number, steps, category, yes/no, date, text or ignore; may be repeated.",
        ),
    ] = None
    steps: Annotated[
        list[str] | None,
        of_reading(
            "--steps",
            metavar="COLUMN",
            help="Cut a column of numbers into a few steps; may be repeated. auto: cut every column where that "
            "predicts rows not learned from better.",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None, of_reading("--ignore", metavar="COLUMN", help="Column to leave out; may be repeated.")
    ] = None
    text: Annotated[
        str,
        of_reading(
            "--text",
            metavar="HOW",
            help="Words of free text: vocabulary or hashed.",
            autocompletion=one_of("vocabulary", "hashed"),
        ),
    ] = "vocabulary"

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of columns that were given."""
        return values.kinds_given(
            self.kind, self.ignore, [name for name in self.steps or () if name != WHERE_THEY_HELP]
        )

    @property
    def steps_where_they_help(self) -> bool:
        """Whether columns are to be cut into steps where that predicts better."""
        return WHERE_THEY_HELP in (self.steps or ())


@dataclass(frozen=True)
class RowWeights:
    """The weights of rows."""

    weights: Annotated[
        str | None, of_reading("--weights", metavar="COLUMN", help="Column with the weight of each row.")
    ] = None


@dataclass(frozen=True)
class WeightedTable(NewTable, RowWeights):
    """How to read a table to learn from, whose rows may have weights."""


@dataclass(frozen=True)
class Training:
    """What to learn, and how to judge it."""

    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help=f"{listed(*ALGORITHMS)}. auto: few mistakes on new rows, chosen by cross-validation. fewest-mistakes: "
            "few on these rows; the largest margin if they are proved separable, else the pocket. tree: tests of "
            "columns, not a sum of points.",
            autocompletion=one_of(*ALGORITHMS),
        ),
    ] = "auto"
    also: Annotated[
        list[str] | None,
        of_learning(
            "--also",
            metavar="NAME",
            help="Another algorithm for auto to compare, such as tree or kernel; may be repeated. It is chosen if it "
            "errs less than the best linear rule by more than noise.",
            autocompletion=one_of("tree", "kernel"),
        ),
    ] = None
    hold_out: Annotated[
        float, of_judging("--hold-out", metavar="PART", help="Share of the rows held out to judge the rule; 0: none.")
    ] = 0.2
    folds: Annotated[
        int,
        of_judging("--folds", metavar="K", help="Judge by cross-validation instead, and learn from all rows."),
    ] = 0
    seconds: Seconds = None
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Random seed, which also chooses the rows held out.")
    ] = 0


@dataclass(frozen=True)
class RuleOptions:
    """Options of the rule itself."""

    most_columns: Annotated[
        int | None,
        of_learning(
            "--most-columns",
            metavar="K",
            min=1,
            help="Use at most K columns, and show the error of rules of 1, 2, 3, ... columns.",
        ),
    ] = None
    class_weight: Annotated[
        list[str] | None,
        of_learning("--class-weight", metavar="CLASS=COST", help="What a mistake on a class costs, or balanced."),
    ] = None
    option: Annotated[
        list[str] | None,
        of_learning(
            "--set",
            metavar="NAME=VALUE",
            help="Any option of the algorithm, as in --set ratchet=true, --set kernel=poly or --set max-depth=3.",
        ),
    ] = None

    options_of: Annotated[
        str | None,
        of_learning(
            "--options",
            metavar="ALGORITHM",
            callback=values.list_options,
            is_eager=True,
            help="List the options of an algorithm, for --set, and exit.",
            autocompletion=one_of(*registry.ALGORITHMS),
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """The options that were given, by their names in Python."""
        costs = values.weights_given(self.class_weight)
        named = {"class_weight": costs, "most_columns": self.most_columns}
        return {name: value for name, value in named.items() if value is not None} | values.values_given(self.option)


@dataclass(frozen=True)
class Deciding:
    """How scores become decisions and probabilities, and what is guaranteed."""

    cost: Annotated[
        list[str] | None,
        of_deciding(
            "--cost",
            metavar="CLASS=COST",
            help="What a mistake on a class costs, in learning and for the cut-off; may be repeated.",
        ),
    ] = None
    rate: Annotated[
        str | None, of_deciding("--rate", metavar="SHARE", help="Say yes to this share of the rows, such as 20%.")
    ] = None
    probability: Annotated[
        str | None,
        of_deciding(
            "--probability",
            metavar="[=METHOD]",
            help=f"Add the probability of each class, by {listed(*CALIBRATIONS)}; by default, one that suits the rows.",
            autocompletion=one_of("auto", *CALIBRATIONS),
        ),
    ] = None
    at_most: Annotated[
        list[str] | None,
        of_deciding(
            "--at-most",
            metavar="RATE",
            help="Leave rows to people, so that at most this share of the rows decided is wrong, such as 5%. bad=10%: "
            "at most 10% of the rows that are bad are labelled otherwise. said:good=3%: at most 3% of the rows "
            "labelled good are not good. May be repeated.",
        ),
    ] = None
    confidence: Annotated[str, of_deciding("--confidence", metavar="SHARE", help="How sure --at-most must be.")] = "95%"
    calibrate: Annotated[
        str | None,
        of_deciding(
            "--calibrate", metavar="PART", help="Share of the rows set aside to test --at-most on; 20% by default."
        ),
    ] = None

    @property
    def costs(self) -> dict[str, float]:
        """What mistakes cost, by class."""
        return values.costs_given(self.cost or [], "--cost")

    def decision_options(self) -> "DecisionOptions":
        """These options, as the desk takes them."""
        from rosenblatt.desk.judging.decision_options import DecisionOptions

        return DecisionOptions(
            self.costs,
            values.share_given(self.rate, "--rate"),
            self.probability,
            values.limits_given(self.at_most),
            values.share_given(self.confidence, "--confidence", "95%") or 0.0,
            values.share_given(self.calibrate, "--calibrate"),
        )


@dataclass(frozen=True)
class Constraints:
    """How the rule may depend on columns."""

    increasing: Annotated[
        list[str] | None,
        of_learning(
            "--increasing", metavar="COLUMN", help="The score never falls as this column rises; may be repeated."
        ),
    ] = None
    decreasing: Annotated[
        list[str] | None,
        of_learning(
            "--decreasing", metavar="COLUMN", help="The score never rises as this column rises; may be repeated."
        ),
    ] = None

    def signs(self) -> dict[str, int]:
        """The sign that the weight of each column must have."""
        if not (self.increasing or self.decreasing):
            return {}
        from rosenblatt.desk.constraints import signs_by_column

        return signs_by_column(self.increasing or [], self.decreasing or [])


@dataclass(frozen=True)
class Output:
    """What to print."""

    json: Annotated[bool, typer.Option("--json", help="Write the result as JSON.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on standard error.")] = False

    def screen(self, kernels: int = 0) -> "Screen":
        """Where to print; `kernels` is roughly how many kernels the command needs, if known."""
        from rosenblatt.cli.screen import Screen

        return Screen(self.json, self.quiet, kernels)


@dataclass(frozen=True)
class FileOutput(Output):
    """What to print, and whether files may be replaced."""

    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite existing files.")] = False

    def screen_for(self, *paths: Path | None, kernels: int = 0) -> "Screen":
        """Where to print, if these files may be written."""
        from rosenblatt.cli.reading import refuse_unwritable

        screen = self.screen(kernels)
        for path in paths:
            refuse_unwritable(path, self.force)
        return screen


@dataclass(frozen=True)
class ConfiguredOutput(FileOutput):
    """What to print, and where other options may come from."""

    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            callback=values.configured,
            is_eager=True,
            help="TOML file with values for options, as in target = 'approved'.",
        ),
    ] = None
