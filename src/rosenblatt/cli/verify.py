"""`rosenblatt verify`: an exact check, independent of how a model or a proof was made."""

from typing import Annotated

import typer

from rosenblatt.cli import terms
from rosenblatt.cli.codes import DONE, NO

NAME = "verify"
EXAMPLE = "Example: rosenblatt verify model.json applications.csv"


def run(
    proof: Annotated[str, typer.Argument(metavar="PROOF", help="Model, proof or certificate.", show_default=False)],
    file: terms.Source,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict; for a bare certificate only."),
    ] = None,
    file_format: terms.Format = None,
    delimiter: terms.Delimiter = None,
    drop_missing_target: terms.DropMissing = False,
    json: terms.Json = False,
    quiet: terms.Quiet = False,
) -> None:
    """Check on the table, in exact arithmetic, every claim that a model or a proof makes.

    The exit code is 0 if all of them hold, 1 if one does not.
    """
    from rosenblatt.cli import reading
    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.verifying import claims_in, verified

    screen = Screen(json, quiet)
    claims = claims_in(proof)
    encoding = getattr(claims, "encoding", None)
    table = reading.table(screen, file, file_format, delimiter, encoding)
    name = target if encoding is None else encoding.target.name
    if drop_missing_target and name is not None:
        table = reading.with_target(screen, table, name)
    with screen.busy("verifying"), reading.named(table):
        results = verified(claims, table, target)
    for result in results:
        screen.line(
            f"{'holds' if result.holds else 'FAILS'}: {result.statement}", style="green" if result.holds else "bold red"
        )
    holds = all(result.holds for result in results)
    screen.line(f"{len(results)} claims checked: {'all hold' if holds else 'not all hold'}.")
    checks = [{"claim": result.claim, "holds": result.holds, "statement": result.statement} for result in results]
    screen.record({"command": NAME, "proof": proof, "holds": holds, "claims": checks})
    raise typer.Exit(DONE if holds else NO)
