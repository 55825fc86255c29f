"""`rosenblatt report`: one page about a table and a rule."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.groups import flattened

NAME = "report"
EXAMPLE = "Example: rosenblatt report applications.csv --target approved -o report.html"


@flattened
def run(
    *,
    file: parameters.Source,
    target: parameters.TargetColumn,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PAGE", help="HTML page to write.", show_default=False)
    ],
    model: Annotated[
        Path | None, typer.Option("--model", metavar="MODEL", help="Model file to write; by default beside the page.")
    ] = None,
    training: parameters.Training,
    options: parameters.RuleOptions,
    deciding: parameters.Deciding,
    constraints: parameters.Constraints,
    table: parameters.WeightedTable,
    shown: parameters.ConfiguredOutput,
) -> None:
    """Learn a rule and write a page about it: verdict, scorecard, mistakes, plots, and the proof.

    The page is self-contained, and prints well. The model is written beside it, so that the proof can be checked.
    """
    import shlex
    from importlib.util import find_spec

    begun = table.begin(file)

    from rosenblatt.cli import learning
    from rosenblatt.desk.report import contents_of
    from rosenblatt.errors import MissingExtraError
    from rosenblatt.ship.explain.report import report_of
    from rosenblatt.ship.file.atomic import write_whole

    model = model or output.with_suffix(".json")
    screen = shown.screen_for(output, model, kernels=15)
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "a report with plots")
    found = learning.outcome(screen, begun, target, table, training, options, deciding, constraints)
    with screen.busy("drawing"):
        check = shlex.join(["rosenblatt", "verify", str(model), *file])
        page = report_of(contents_of(found.data, found.learned, found.model, found.notes, check))
    found.model.save(model, force=shown.force)
    write_whole(output, page.encode(), replace=shown.force)
    found.show(screen)
    screen.line(f"Written: {output} and {model}")
    screen.record({"command": NAME, **found.record(), "report": str(output), "model": str(model)})
    raise typer.Exit(found.code)
