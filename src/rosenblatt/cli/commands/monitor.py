"""`rosenblatt monitor`: does new data look like the data that a rule was learned from?"""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.codes import DONE, NO
from rosenblatt.cli.groups import flattened

NAME = "monitor"
EXAMPLE = "Example: rosenblatt monitor model.json march.csv --report march.html --fail-on-change"


@flattened
def run(
    *,
    model: parameters.ModelFile,
    file: parameters.Source,
    old: Annotated[
        list[str] | None,
        typer.Option(
            "--old",
            metavar="FILE",
            help="Table to compare with, instead of the rows that the model was learned from; may be repeated.",
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--report", metavar="PAGE", help="HTML page to write, with a picture of each column.")
    ] = None,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="Exit with code 1 if the new data has changed.")
    ] = False,
    wanted: parameters.Format,
    shown: parameters.FileOutput,
) -> None:
    """Say whether a new table looks like the one that a rule was learned from: columns, scores, decisions.

    A change is more than chance (a test of all columns together, at 5%) and more than slight (a population stability
    index of at least 0.1). If the table has the target, its error is compared with the one that `fit` reported. Tables
    larger than memory are streamed.
    """
    from rosenblatt.cli import reading, wording_rows, writing
    from rosenblatt.desk.monitor import as_record, monitored
    from rosenblatt.desk.report import now
    from rosenblatt.ship.explain.monitor_page import monitor_page
    from rosenblatt.ship.file.atomic import write_whole
    from rosenblatt.ship.file.modelfile import Model
    from rosenblatt.version import __version__

    screen = shown.screen_for(page)
    loaded = Model.load(model)
    encoding = loaded.table_encoding
    before = None if not old else reading.table(screen, old, wanted, encoding, large=True)
    table = reading.table(screen, file, wanted, encoding, large=True)
    with screen.busy("comparing"), writing.explained(loaded, table):
        found = monitored(loaded, table, before)
    if page is not None:
        compared = {"New data": table.source, "Old data": ", ".join(old or []) or "the profile in the model"}
        about = {"Rule": str(model), **compared, "Created": f"{now()}, by rosenblatt {__version__}"}
        write_whole(page, monitor_page(found, about).encode(), replace=shown.force)
    wording_rows.monitored(screen, found)
    if page is not None:
        screen.line(f"Written: {page}")
    record = {"command": NAME, "model": str(model), "source": table.source, **as_record(found)}
    screen.record({**record, "report": None if page is None else str(page)})
    raise typer.Exit(NO if fail_on_change and found.changed else DONE)
