"""`rosenblatt fit`: from a table to a rule."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.codes import DONE, INTERRUPTED
from rosenblatt.vocabulary import ORDERS, STARTS, TIE_RULES

NAME = "fit"
EXAMPLE = "Example: rosenblatt fit applications.csv --target approved --positive yes -o model.json"
RULES = parameters.RULES


def run(
    file: parameters.Source,
    target: parameters.TargetColumn,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write.", show_default=False)
    ],
    algorithm: parameters.Algorithm = "auto",
    hold_out: parameters.HoldOut = 0.2,
    folds: parameters.Folds = 0,
    prove: Annotated[
        bool,
        typer.Option(
            "--prove/--no-prove",
            help="Put a proof of how good the rule is into the model. Without, nothing is proved: auto is the pocket.",
            rich_help_panel=parameters.JUDGING,
        ),
    ] = True,
    seconds: parameters.Seconds = None,
    seed: parameters.Seed = 0,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help=f"Which mistake is corrected next: {', '.join(ORDERS)}.",
            rich_help_panel=RULES,
            autocompletion=parameters.one_of(*ORDERS),
        ),
    ] = None,
    ties: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help=f"What a score of zero is: {', '.join(TIE_RULES)}.",
            rich_help_panel=RULES,
            autocompletion=parameters.one_of(*TIE_RULES),
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help=f"First weights: {', '.join(STARTS)}.",
            rich_help_panel=RULES,
            autocompletion=parameters.one_of(*STARTS),
        ),
    ] = None,
    threshold: Annotated[
        bool | None,
        typer.Option("--threshold/--no-threshold", help="Whether the rule has a threshold.", rich_help_panel=RULES),
    ] = None,
    bias_scale: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            callback=parameters.above_zero,
            help="Constant that every row shows the threshold.",
            rich_help_panel=RULES,
        ),
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option("--normalize/--no-normalize", help="Scale every row to length 1.", rich_help_panel=RULES),
    ] = None,
    max_passes: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Budget of passes over the rows.", rich_help_panel=RULES)
    ] = None,
    max_updates: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Budget of corrections.", rich_help_panel=RULES)
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(metavar="S", callback=parameters.above_zero, help="Budget of seconds.", rich_help_panel=RULES),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Draws without an update, or failed restarts, before stopping.",
            rich_help_panel=RULES,
        ),
    ] = None,
    class_weight: parameters.ClassWeight = None,
    option: parameters.Options = None,
    positive: parameters.Positive = None,
    kind: parameters.Kinds = None,
    ignore: parameters.Ignore = None,
    text: parameters.TextAs = "vocabulary",
    weights: parameters.WeightColumn = None,
    file_format: parameters.Format = None,
    delimiter: parameters.Delimiter = None,
    drop_missing_target: parameters.DropMissing = False,
    config: parameters.Config = None,
    force: parameters.Force = False,
    json: parameters.Json = False,
    quiet: parameters.Quiet = False,
) -> None:
    """Learn a rule from a table and write it to a model file, with its proof.

    By default a fifth of the rows is held out, and the rule's error on those is reported with an exact interval. Ctrl-C
    ends learning early and keeps the best rule so far.
    """
    from rosenblatt.cli.prefetch import begin

    begun = begin(file, file_format, delimiter)

    from rosenblatt.cli import learning, reading, wording
    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.train import TrainingOptions

    screen = Screen(json, quiet, kernels=15)
    reading.free(output, force)
    given: dict[str, Any] = {
        "order": order, "ties": ties, "start": start, "fit_intercept": threshold, "bias_scale": bias_scale,
        "normalize": normalize, "max_passes": max_passes, "max_updates": max_updates, "max_seconds": max_seconds,
        "patience": patience, "class_weight": parameters.costs_given(class_weight),
    }  # fmt: skip
    options = {name: value for name, value in given.items() if value is not None} | parameters.values_given(option)
    wishes = TrainingOptions(algorithm, options, hold_out, folds, seed, seconds, prove, not quiet)
    learning.check(wishes, option)
    data, notes = reading.noted(
        screen, begun, target, positive, parameters.kinds_given(kind, ignore), text, drop_missing_target, weights,
        wishes.held_out,
    )  # fmt: skip
    learned = learning.learned(screen, data, wishes, option)
    learned, model = learning.proved(screen, learned, wishes)
    model.save(output, force=force)
    wording.columns(screen, data, features=learned.rule.tree is None)
    wording.learned(screen, learned, model)
    screen.line(f"Model written to {output}")
    found = {**reading.described(data, (*notes, *learned.notes)), **wording.learned_record(learned, model)}
    screen.record({"command": NAME, **found, "model": str(output)})
    raise typer.Exit(INTERRUPTED if learned.interrupted else DONE)
