"""`rosenblatt demo`: every command on real data."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.codes import DONE, INTERRUPTED, USAGE
from rosenblatt.cli.groups import flattened

NAME = "demo"
EXAMPLE = "Example: rosenblatt demo --folder credit"
FIRST = 100
STEPS = (
    "check first.csv --target creditability",
    "check credit.csv --target creditability --positive good -o proof.json",
    "verify proof.json credit.csv",
    "fit credit.csv --target creditability --positive good -o model.json",
    "explain model.json",
    "explain model.json credit.csv --integers -o card.json",
    "predict model.json credit.csv --keep creditability --reasons 2 --judge -o decisions.csv",
    "export model.json --to sql --table applications -o score.sql",
    "export model.json --to python -o score.py",
    "verify model.json credit.csv",
    "fit credit.csv --target creditability --positive good --cost bad=5 --probability -o wary.json",
    "compare model.json wary.json credit.csv --held-out --cost bad=5",
    "predict wary.json credit.csv --keep creditability --places 200 -o approved.csv",
    "fit credit.csv --target creditability --positive good --at-most 15% -o sure.json",
    "verify sure.json credit.csv",
    "report credit.csv --target creditability --positive good --cost bad=5 --at-most 15% --probability -o report.html",
)


@flattened
def run(
    *,
    folder: Annotated[
        Path,
        typer.Option(
            "--folder", metavar="FOLDER", help="Where to write the files; those of an earlier demo are replaced."
        ),
    ] = Path("build/demo"),
    shown: parameters.Output,
) -> None:
    """Check, learn, explain, predict, export, verify, decide, compare and report: 1000 real credit applications.

    The data is Statlog (German Credit Data) by Hans Hofmann, UCI, CC BY 4.0. Its documentation says that a bad credit
    that is approved costs five times as much as a good one that is refused: --cost bad=5.
    """
    import contextlib
    import io
    import os
    import shlex
    from importlib.resources import files

    from rosenblatt.cli.app import app
    from rosenblatt.errors import MissingExtraError, OptionError

    screen = shown.screen()
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"{folder} is a file; --folder needs a folder to write into")
    folder.mkdir(parents=True, exist_ok=True)
    table = (files("rosenblatt") / "data" / "german_credit.csv").read_text("utf-8")
    (folder / "credit.csv").write_text(table, "utf-8")
    (folder / "first.csv").write_text("".join(table.splitlines(keepends=True)[: FIRST + 1]), "utf-8")
    codes = {}
    with contextlib.chdir(folder):
        for step in STEPS:
            screen.line()
            screen.line(f"$ rosenblatt {step}", style="bold cyan")
            words = [
                *shlex.split(step),
                *(["--force"] if " -o " in step else []),
                *(["--quiet"] if shown.quiet else []),
            ]
            try:
                with contextlib.redirect_stdout(io.StringIO()) if shown.json else contextlib.nullcontext():
                    codes[step] = app(words, standalone_mode=False) or DONE
            except MissingExtraError as error:
                codes[step] = USAGE
                screen.note(str(error))
            if codes[step] == INTERRUPTED:
                raise typer.Exit(INTERRUPTED)
        written = sorted(os.listdir())
    page = f"; open {folder / 'report.html'} in a browser" if "report.html" in written else ""
    screen.line()
    screen.line(f"All files are in {folder}{page}.", style="bold")
    screen.record({"command": NAME, "folder": str(folder), "files": written, "exit_codes": codes})
