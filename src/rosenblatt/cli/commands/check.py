"""`rosenblatt check`: can any rule be right on every row?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.codes import DONE, NO

NAME = "check"
EXAMPLE = "Example: rosenblatt check applications.csv --target approved"


def run(
    file: parameters.Source,
    target: parameters.TargetColumn,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PROOF", help="Write the proof to this file.")
    ] = None,
    fewest: Annotated[
        bool,
        typer.Option(
            "--fewest/--no-fewest", help="Prove how few mistakes are possible.", rich_help_panel=parameters.JUDGING
        ),
    ] = True,
    seconds: parameters.Seconds = None,
    positive: parameters.Positive = None,
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
    """Say whether a line separates the classes, by what margin, and prove it.

    Of more than two classes: whether there are linear scores whose largest is always that of the right class. If not,
    the rows that contradict each other are shown, and how few mistakes are possible. The exit code is 0 if the rows
    are separable, 1 if they are not or if no proof was found within the limit.
    """
    import shlex

    from rosenblatt.cli.prefetch import begin

    begun = begin(file, file_format, delimiter)

    from rosenblatt.cli import reading, wording
    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.check import finding

    screen = Screen(json, quiet, kernels=15)
    reading.free(output, force)
    data, notes = reading.noted(
        screen, begun, target, positive, parameters.kinds_given(kind, ignore), text, drop_missing_target
    )
    with screen.busy("proving") as tell, reading.progress_to(tell):
        found = finding(data, seconds=seconds, fewest=fewest, verbose=not quiet)
    wording.columns(screen, data)
    wording.finding(screen, data, found)
    record: dict[str, Any] = {"command": NAME, **reading.described(data, notes)}
    record["separable"] = [found.verdict.separable]
    record["findings"] = [wording.finding_record(data, found)]
    record["proof"] = output and str(output)
    if output is not None:
        from rosenblatt.desk.model import proof_of

        proof_of(data, found).save(output, force=force)
        screen.line(
            f"Proof written to {output}; check it with: {shlex.join(['rosenblatt', 'verify', str(output), *file])}"
        )
    screen.record(record)
    raise typer.Exit(DONE if all(record["separable"]) else NO)
