"""`rosenblatt report`: one page about a table and a rule."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import terms
from rosenblatt.cli.codes import DONE, INTERRUPTED

NAME = "report"
EXAMPLE = "Example: rosenblatt report applications.csv --target approved -o report.html"


def run(
    file: terms.Source,
    target: terms.TargetColumn,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PAGE", help="HTML page to write.", show_default=False)
    ],
    model: Annotated[
        Path | None, typer.Option("--model", metavar="MODEL", help="Model file to write; by default beside the page.")
    ] = None,
    algorithm: terms.Algorithm = "auto",
    hold_out: terms.HoldOut = 0.2,
    folds: terms.Folds = 0,
    seconds: terms.Seconds = None,
    seed: terms.Seed = 0,
    class_weight: terms.ClassWeight = None,
    option: terms.Options = None,
    positive: terms.Positive = None,
    weights: terms.WeightColumn = None,
    kind: terms.Kinds = None,
    ignore: terms.Ignore = None,
    text: terms.TextAs = "vocabulary",
    file_format: terms.Format = None,
    delimiter: terms.Delimiter = None,
    drop_missing_target: terms.DropMissing = False,
    config: terms.Config = None,
    force: terms.Force = False,
    json: terms.Json = False,
    quiet: terms.Quiet = False,
) -> None:
    """Learn a rule and write a page about it: verdict, scorecard, mistakes, plots, and the proof.

    The page needs nothing else, and prints well. The model is written beside it, so that the proof can be checked.
    """
    import shlex
    from importlib.util import find_spec

    from rosenblatt.cli.ahead import begin

    begun = begin(file, file_format, delimiter)

    from rosenblatt.cli import learning, reading, wording
    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.learning import TREE, Wishes
    from rosenblatt.desk.reporting import findings_of
    from rosenblatt.errors import MissingExtraError
    from rosenblatt.ship.atomic import write_whole
    from rosenblatt.ship.report import report_of

    screen = Screen(json, quiet, kernels=15)
    model = model or output.with_suffix(".json")
    for path in (output, model):
        reading.free(path, force)
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "a report with plots")
    costs = terms.costs_given(class_weight)
    options = ({} if costs is None else {"class_weight": costs}) | terms.values_given(option)
    wishes = Wishes(algorithm, options, hold_out, folds, seed, seconds, True, not quiet)
    learning.check(wishes, option)
    data, notes = reading.noted(
        screen, begun, target, positive, terms.kinds_given(kind, ignore), text, drop_missing_target, weights,
        wishes.held_out,
    )  # fmt: skip
    learned = learning.learned(screen, data, wishes, option)
    learned, made = learning.proved(screen, learned, wishes)
    with screen.busy("drawing"):
        check = shlex.join(["rosenblatt", "verify", str(model), *file])
        page = report_of(findings_of(data, learned, made, (*notes, *learned.notes), check))
    made.save(model, force=force)
    write_whole(output, page.encode(), replace=force)
    wording.columns(screen, data, features=learned.algorithm != TREE)
    wording.learned(screen, learned, made)
    screen.line(f"Written: {output} and {model}")
    found = {**reading.described(data, (*notes, *learned.notes)), **wording.learned_record(learned, made)}
    screen.record({"command": NAME, **found, "report": str(output), "model": str(model)})
    raise typer.Exit(INTERRUPTED if learned.interrupted else DONE)
