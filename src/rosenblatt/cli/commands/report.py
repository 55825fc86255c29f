"""`rosenblatt report`: one page about a table and a rule."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.codes import DONE, INTERRUPTED

NAME = "report"
EXAMPLE = "Example: rosenblatt report applications.csv --target approved -o report.html"


def run(
    file: parameters.Source,
    target: parameters.TargetColumn,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PAGE", help="HTML page to write.", show_default=False)
    ],
    model: Annotated[
        Path | None, typer.Option("--model", metavar="MODEL", help="Model file to write; by default beside the page.")
    ] = None,
    algorithm: parameters.Algorithm = "auto",
    hold_out: parameters.HoldOut = 0.2,
    folds: parameters.Folds = 0,
    seconds: parameters.Seconds = None,
    seed: parameters.Seed = 0,
    class_weight: parameters.ClassWeight = None,
    option: parameters.Options = None,
    positive: parameters.Positive = None,
    weights: parameters.WeightColumn = None,
    kind: parameters.Kinds = None,
    ignore: parameters.Ignore = None,
    text: parameters.TextAs = "vocabulary",
    file_format: parameters.Format = None,
    delimiter: parameters.Delimiter = None,
    drop_missing_target: parameters.DropMissing = False,
    config: parameters.Config = None,
    force: parameters.Force = False,
    json: parameters.Json = False,
    quiet: parameters.Quiet = False,
) -> None:
    """Learn a rule and write a page about it: verdict, scorecard, mistakes, plots, and the proof.

    The page needs nothing else, and prints well. The model is written beside it, so that the proof can be checked.
    """
    import shlex
    from importlib.util import find_spec

    from rosenblatt.cli.prefetch import begin

    begun = begin(file, file_format, delimiter)

    from rosenblatt.cli import learning, reading, wording
    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.report import contents_of
    from rosenblatt.desk.train import TrainingOptions
    from rosenblatt.errors import MissingExtraError
    from rosenblatt.ship.explain.report import report_of
    from rosenblatt.ship.file.atomic import write_whole

    screen = Screen(json, quiet, kernels=15)
    model = model or output.with_suffix(".json")
    for path in (output, model):
        reading.free(path, force)
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "a report with plots")
    costs = parameters.costs_given(class_weight)
    options = ({} if costs is None else {"class_weight": costs}) | parameters.values_given(option)
    wishes = TrainingOptions(algorithm, options, hold_out, folds, seed, seconds, True, not quiet)
    learning.check(wishes, option)
    data, notes = reading.noted(
        screen, begun, target, positive, parameters.kinds_given(kind, ignore), text, drop_missing_target, weights,
        wishes.held_out,
    )  # fmt: skip
    learned = learning.learned(screen, data, wishes, option)
    learned, made = learning.proved(screen, learned, wishes)
    with screen.busy("drawing"):
        check = shlex.join(["rosenblatt", "verify", str(model), *file])
        page = report_of(contents_of(data, learned, made, (*notes, *learned.notes), check))
    made.save(model, force=force)
    write_whole(output, page.encode(), replace=force)
    wording.columns(screen, data, features=learned.rule.tree is None)
    wording.learned(screen, learned, made)
    screen.line(f"Written: {output} and {model}")
    found = {**reading.described(data, (*notes, *learned.notes)), **wording.learned_record(learned, made)}
    screen.record({"command": NAME, **found, "report": str(output), "model": str(model)})
    raise typer.Exit(INTERRUPTED if learned.interrupted else DONE)
