"""`rosenblatt warm-up`: compile now what the other commands would compile when they are first used."""

from typing import Annotated

import typer

from rosenblatt.cli import parameters

NAME = "warm-up"
EXAMPLE = "Example: rosenblatt warm-up --all"


def run(
    every: Annotated[
        bool,
        typer.Option("--all", help="Also what needs to be asked for: every algorithm, and the estimators of Python."),
    ] = False,
    json: parameters.Json = False,
    quiet: parameters.Quiet = False,
) -> None:
    """Compile what the commands need, and keep it: for images, and for machines that begin anew each time.

    Without it, the first check, the first fit and the first tree each take some seconds longer. What is compiled is for
    this kind of processor and this version; the environment variable NUMBA_CACHE_DIR names a folder for it.
    """
    import tempfile
    import time
    from pathlib import Path

    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.warm_up import steps, warm
    from rosenblatt.errors import OptionError
    from rosenblatt.rows import compiling

    screen = Screen(json, quiet)
    done, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        todo = steps(Path(folder), every)
        for k, (name, step) in enumerate(todo, 1):
            compiled = compiling.told.seconds
            with screen.busy(name):
                kernels = warm(step)
            seconds = compiling.told.seconds - compiled
            screen.line(f"{k} of {len(todo)}: {name}: {kernels} kernels, compiled in {seconds:.1f} s")
            done.append({"step": name, "kernels": kernels, "seconds": seconds})
    if compiling.told.lost:
        raise OptionError(f"what was compiled is lost: {compiling.told.lost}")
    kept, took = compiling.told.folder, time.monotonic() - begun
    screen.line(f"Ready in {took:.0f} s; what was compiled is in {kept}")
    screen.record({"command": NAME, "folder": kept, "steps": done, "seconds": took})
