"""`rosenblatt predict`: apply a rule to a table of any length."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.groups import flattened

NAME = "predict"
EXAMPLE = "Example: rosenblatt predict model.json new.csv --keep id --reasons 3 -o decisions.csv"


@dataclass(frozen=True)
class Decisions:
    """What to write about each row, and how many get a yes."""

    reasons: Annotated[
        int, typer.Option("--reasons", min=0, metavar="K", help="Show the K features that moved each decision most.")
    ] = 0
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMN", help="Column to copy to the output, or all; may be repeated."),
    ] = None
    places: Annotated[
        int | None,
        typer.Option(
            "--places", min=0, metavar="N", help="Say yes to the N rows of this table with the highest scores."
        ),
    ] = None
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="SHARE", help="Say yes to this share of the rows of this table.")
    ] = None
    judge: Annotated[
        bool, typer.Option("--judge", help="Compare with the target column, and report the error rate.")
    ] = False
    safe_csv: Annotated[
        bool,
        typer.Option(
            "--safe-csv",
            help="Put an apostrophe before texts that a spreadsheet would take for formulas (they begin with = + - @).",
        ),
    ] = False

    def share_of_yes(self) -> float | None:
        """The share of the rows to say yes to, if given."""
        from rosenblatt.cli.values import share_given
        from rosenblatt.errors import OptionError

        rate = share_given(self.rate, "--rate")
        if rate is not None and self.places is not None:
            raise OptionError("--places and --rate both set how many rows get a yes: leave one of them out")
        return rate


@flattened
def run(
    *,
    model: parameters.ModelFile,
    file: parameters.Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write: .csv, .parquet, .ndjson or .arrow; by default, CSV to standard output.",
        ),
    ] = None,
    decisions: Decisions,
    wanted: parameters.Format,
    shown: parameters.FileOutput,
) -> None:
    """Write the label and the score of every row, in order. Tables larger than memory are streamed.

    With --json and no output file, every row is a JSON object on a line of its own.
    """
    import os
    import sys
    from contextlib import nullcontext

    from rosenblatt.cli import reading, writing
    from rosenblatt.desk.predict import LeftToPeople, judged, predictions, with_capacity
    from rosenblatt.read.encode.lookup import Unseen
    from rosenblatt.ship.file.modelfile import Model

    os.environ.setdefault("POLARS_ROW_GROUP_PREFETCH_SIZE", "2")  # more costs memory and brings no speed
    screen = shown.screen_for(output)
    writing.check_suffix(output)
    rate = decisions.share_of_yes()
    loaded = Model.load(model)
    table = reading.table(
        screen, file, wanted, loaded.encoding, large=True, target=decisions.judge, keep=decisions.keep or ()
    )
    error, cut_off, unseen, left = None, None, Unseen(), LeftToPeople()
    to_terminal = output is None and sys.stdout.isatty()  # there the rows show the progress
    busy = nullcontext() if to_terminal else screen.busy("predicting")
    with busy, writing.explained(loaded, table):
        if rate is not None or decisions.places is not None:
            loaded, cut_off = with_capacity(loaded, table, decisions.places, rate)
        found = predictions(
            loaded, table, reasons_wanted=decisions.reasons, keep=decisions.keep or (), unseen=unseen, left=left
        )
        if decisions.safe_csv:
            found = writing.harmless(found, output, shown.json)
        if decisions.judge:
            error = judged(loaded, table)
        if output is None:
            writing.stream(found, shown.json)
        else:
            writing.to_file(found, output, shown.force)
    for note in writing.on_unseen(unseen, loaded.table_encoding):
        screen.note(note)
    for line in writing.in_words(cut_off, left, error):
        screen.aside(line) if output is None else screen.line(line)
    if output is not None:
        screen.line(f"Written: {output}")
        screen.record(writing.summary(NAME, model, output, error, unseen, left, cut_off))
