"""`rosenblatt export`: the rule for other systems."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.groups import flattened
from rosenblatt.ship.export.formats import FORMATS, exported

NAME = "export"
EXAMPLE = "Example: rosenblatt export model.json --to sql --table applications > score.sql"


@flattened
def run(
    *,
    model: parameters.ModelFile,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="FORMAT", help=f"{', '.join(FORMATS)}.", autocompletion=parameters.one_of(*FORMATS)
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write; standard output by default.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="NAME", help="For SQL: a whole SELECT from this table, not an expression."),
    ] = None,
    shown: parameters.FileOutput,
) -> None:
    """Write the rule as SQL, ONNX, PMML, Python or JSON; all give the same labels.

    SQL is one expression of CASE and arithmetic that DuckDB, SQLite and PostgreSQL run unchanged.
    """
    import sys

    from rosenblatt.cli import writing
    from rosenblatt.errors import OptionError
    from rosenblatt.ship.file.atomic import write_whole
    from rosenblatt.ship.file.modelfile import Model

    screen = shown.screen_for(output)
    if to not in FORMATS:
        raise OptionError(f"--to must be one of {', '.join(FORMATS)}, not {to!r}")
    if table is not None and to != "sql":
        raise OptionError("--table requires --to sql")
    if output is None and (shown.json or (to == "onnx" and sys.stdout.isatty())):
        raise OptionError("--output is required here: name a file to write")
    data, exact = exported(Model.load(model), to, table)
    if not exact:
        screen.note(
            "the weights need more digits than a double has room for: other systems may differ on rows that nearly tie"
        )
    if output is None:
        writing.to_stdout(data)
        return
    write_whole(output, data, replace=shown.force)
    screen.line(f"Written: {output}")
    screen.record({"command": NAME, "model": str(model), "to": to, "output": str(output), "exact": exact})
