"""`rosenblatt check`: can any rule be right on every row?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.codes import DONE, NO
from rosenblatt.cli.groups import flattened

NAME = "check"
EXAMPLE = "Example: rosenblatt check applications.csv --target approved"


@flattened
def run(
    *,
    file: parameters.Source,
    target: parameters.TargetColumn,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PROOF", help="Write the proof to this file.")
    ] = None,
    fewest: Annotated[
        bool, parameters.of_judging("--fewest/--no-fewest", help="Prove how few mistakes are possible.")
    ] = True,
    seconds: parameters.Seconds = None,
    constraints: parameters.Constraints,
    table: parameters.NewTable,
    shown: parameters.ConfiguredOutput,
) -> None:
    """Say whether a line separates the classes, by what margin, and prove it.

    With more than two classes: whether there are linear scores of which the right class always has the largest. If not,
    the rows that contradict each other are shown, and how few mistakes are possible. The exit code is 0 if the rows
    are separable, 1 if they are not or if no proof was found within the limit.
    """
    import shlex

    begun = table.begin(file)

    from rosenblatt.cli import reading, wording
    from rosenblatt.desk.check import finding

    screen = shown.screen_for(output, kernels=15)
    data, notes = reading.noted(screen, begun, target, table)
    with screen.busy("proving") as tell, reading.progress_to(tell):
        found = finding(data, seconds=seconds, fewest=fewest, verbose=not shown.quiet, constraints=constraints.signs())
    wording.columns(screen, data)
    wording.finding(screen, data, found)
    record: dict[str, Any] = {"command": NAME, **reading.described(data, notes)}
    record["separable"] = [found.verdict.separable]
    record["findings"] = [wording.finding_record(data, found)]
    record["proof"] = output and str(output)
    if output is not None:
        from rosenblatt.desk.model import proof_of

        proof_of(data, found).save(output, force=shown.force)
        screen.line(
            f"Proof written to {output}; check it with: {shlex.join(['rosenblatt', 'verify', str(output), *file])}"
        )
    screen.record(record)
    raise typer.Exit(DONE if all(record["separable"]) else NO)
