"""The commands, gathered."""

from typing import Annotated

import typer

from rosenblatt import __version__
from rosenblatt.cli import check, demo, explain, export, fit, predict, report, verify

app = typer.Typer(
    name="rosenblatt",
    help="Linear yes/no rules, learned with proof.",
    epilog="Example: rosenblatt fit applications.csv --target approved -o model.json",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)
for command in (check, fit, predict, explain, export, report, verify, demo):
    app.command(command.NAME, epilog=command.EXAMPLE, no_args_is_help=command is not demo)(command.run)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Linear yes/no rules, learned with proof."""
