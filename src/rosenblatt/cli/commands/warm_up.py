"""`rosenblatt warm-up`: compile now what the other commands would compile when they are first used."""

from typing import Annotated

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.groups import flattened

NAME = "warm-up"
EXAMPLE = "Example: rosenblatt warm-up --all"


@flattened
def run(
    *,
    every: Annotated[
        bool,
        typer.Option("--all", help="Also compile the other algorithms, and the estimators of the Python package."),
    ] = False,
    shown: parameters.Output,
) -> None:
    """Compile what the commands need, and cache it: for container images, and machines that start from scratch.

    Without it, the first check, the first fit and the first tree each take a few seconds longer. Compiled code is for
    this kind of processor and this version; the environment variable NUMBA_CACHE_DIR names its folder.
    """
    import tempfile
    import time
    from pathlib import Path

    from rosenblatt.desk.warm_up import steps, warm
    from rosenblatt.errors import OptionError
    from rosenblatt.rows import compiling

    screen = shown.screen()
    done, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        todo = steps(Path(folder), every)
        for k, (name, step) in enumerate(todo, 1):
            compiled = compiling.progress.seconds
            with screen.busy(name):
                kernels = warm(step)
            seconds = compiling.progress.seconds - compiled
            screen.line(f"{k} of {len(todo)}: {name}: {kernels} kernels, compiled in {seconds:.1f} s")
            done.append({"step": name, "kernels": kernels, "seconds": seconds})
    if compiling.progress.lost:
        raise OptionError(f"the compiled code could not be cached: {compiling.progress.lost}")
    kept, took = compiling.progress.folder, time.monotonic() - begun
    screen.line(f"Ready in {took:.0f} s; the compiled code is in {kept}")
    screen.record({"command": NAME, "folder": kept, "steps": done, "seconds": took})
