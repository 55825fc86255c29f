"""`rosenblatt verify`: an exact check, independent of how a model or a proof was made."""

from dataclasses import asdict
from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.codes import DONE, NO
from rosenblatt.cli.groups import flattened

NAME = "verify"
EXAMPLE = "Example: rosenblatt verify model.json applications.csv"
WORDS = {True: ("holds", "green"), False: ("FAILS", "bold red"), None: ("not checked", "yellow")}


@flattened
def run(
    *,
    proof: Annotated[str, typer.Argument(metavar="PROOF", help="Model, proof or certificate.", show_default=False)],
    file: parameters.Source,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict; for a bare certificate only."),
    ] = None,
    wanted: parameters.KnownTable,
    shown: parameters.Output,
) -> None:
    """Check on the table, in exact arithmetic, every claim that a model or a proof makes.

    Kernels, votes, trees, classes learned separately and rules on rows of length 1 are judged by their predictions
    instead. What no table can show is listed as not checked. The exit code is 0 if no claim fails, 1 if one does.
    """
    from rosenblatt.cli import reading
    from rosenblatt.desk.verifying.verify import claims_in, verified

    screen = shown.screen()
    claims = claims_in(proof)
    encoding = getattr(claims, "encoding", None)
    table = reading.table(screen, file, wanted, encoding)
    name = target if encoding is None else encoding.target.name
    if name is not None and (encoding is not None or wanted.drop_missing_target):  # nothing is claimed about the others
        table = reading.with_target(screen, table, name)
    with screen.busy("verifying"), reading.named(table):
        results = verified(claims, table, target)
    for result in results:
        word, style = WORDS[result.holds]
        screen.line(f"{word}: {result.statement}", style=style)
    checked = [result for result in results if result.holds is not None]
    holds, many = all(result.holds for result in checked), len(checked)
    checks = f"{many} {'claim' if many == 1 else 'claims'} checked: {'all hold' if holds else 'not all hold'}."
    screen.line(checks if many else "The file makes no claim that a table can check.")
    record = {"command": NAME, "proof": proof, "holds": holds, "claims": [asdict(result) for result in checked]}
    screen.record(record | {"not_checked": [result.statement for result in results if result.holds is None]})
    raise typer.Exit(DONE if holds else NO)
