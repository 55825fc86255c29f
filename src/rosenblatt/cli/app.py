"""The commands, gathered."""

from typing import Annotated

import typer

from rosenblatt.cli.codes import USAGE
from rosenblatt.cli.commands import (
    check,
    compare,
    demo,
    explain,
    export,
    fit,
    monitor,
    predict,
    report,
    verify,
    warm_up,
)
from rosenblatt.cli.help_pages import AllCommands, OneCommand
from rosenblatt.version import __version__

app = typer.Typer(
    name="rosenblatt",
    cls=AllCommands,
    help="Linear yes/no rules, learned with proof.",
    epilog="Example: rosenblatt fit applications.csv --target approved -o model.json\n"
    "         rosenblatt demo shows every command on real data",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)
for command in (check, fit, predict, explain, export, report, verify, compare, monitor, demo, warm_up):
    app.command(command.NAME, cls=OneCommand, epilog=command.EXAMPLE)(command.run)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Linear yes/no rules, learned with proof."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(USAGE)
