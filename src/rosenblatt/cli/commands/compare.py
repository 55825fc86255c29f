"""`rosenblatt compare`: two rules on the same rows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import parameters, values
from rosenblatt.cli.groups import flattened
from rosenblatt.cli.parameters import of_judging

NAME = "compare"
EXAMPLE = "Example: rosenblatt compare old.json new.json march.csv --cost bad=5 -o differences.csv"


@dataclass(frozen=True)
class Judging(parameters.RowWeights):
    """Which rows to judge by, and what mistakes cost."""

    held_out: Annotated[
        bool,
        of_judging(
            "--held-out",
            help="Use only rows that were held out from both rules; the table must be the one they were learned from.",
        ),
    ] = False
    cost: Annotated[
        list[str] | None,
        of_judging(
            "--cost",
            metavar="CLASS=COST",
            help="What a mistake on a class costs, 1 by default; may be repeated. Without this option, the costs that "
            "both rules were learned with, if they are the same.",
        ),
    ] = None


@flattened
def run(
    *,
    first: Annotated[Path, typer.Argument(metavar="A", help="Model file of rule A.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B", help="Model file of rule B.", show_default=False)],
    file: parameters.Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the rows that the rules label differently: .csv, .parquet, .ndjson or .arrow.",
        ),
    ] = None,
    page: Annotated[Path | None, typer.Option("--report", metavar="PAGE", help="HTML page to write.")] = None,
    judging: Judging,
    wanted: parameters.Format,
    shown: parameters.FileOutput,
) -> None:
    """Say which of two rules makes fewer or cheaper mistakes on a table, and whether that may be chance.

    The table must have the target; rows without it are left out. Rules may be of any kind and use different columns.
    Rows that a rule was learned from flatter it: the output says so if the table is the one that it was learned from.
    Tables larger than memory are streamed.
    """
    from rosenblatt.cli import reading, wording_rows, writing
    from rosenblatt.desk.compare import as_record, contenders, differences, prices_for, side_by_side
    from rosenblatt.desk.report import now
    from rosenblatt.ship.explain.compare_page import compare_page
    from rosenblatt.ship.file.atomic import write_whole
    from rosenblatt.ship.file.modelfile import Model
    from rosenblatt.version import __version__

    screen = shown.screen_for(output, page)
    writing.check_suffix(output)
    costs = values.costs_given(judging.cost or [], "--cost")
    models = Model.load(first), Model.load(second)
    pair = contenders((str(first), str(second)), models)
    table = reading.table(screen, file, wanted, pair[0].encoding, large=True, beside=pair[1].encoding)
    prices, notes = prices_for(pair, table, costs, judging.weights)
    for note in notes:
        screen.note(note)
    with screen.busy("comparing"), writing.explained(models[0], table), writing.explained(models[1], table):
        found = side_by_side(pair, table, held_out=judging.held_out, prices=prices)
        if output is not None:
            writing.to_file(differences(pair, table, judging.held_out), output, shown.force)
    if page is not None:
        about = {"A": str(first), "B": str(second), "Table": table.source}
        about["Created"] = f"{now()}, by rosenblatt {__version__}"
        write_whole(page, compare_page(found, about).encode(), replace=shown.force)
    wording_rows.compared(screen, found)
    for path in (output, page):
        if path is not None:
            screen.line(f"Written: {path}")
    written = {"output": None if output is None else str(output), "report": None if page is None else str(page)}
    screen.record({"command": NAME, "source": table.source, **as_record(found), **written})
