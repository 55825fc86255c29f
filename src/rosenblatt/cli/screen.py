"""What people see: results on standard output, progress and notes on standard error."""

import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from rosenblatt.cli import output
from rosenblatt.rows import compiling
from rosenblatt.visible import json_text, visible, visible_lines

PATIENCE = 2.0  # seconds before progress is shown
WIDE = 120  # columns, where there is no terminal to measure


class _Console(Console):
    """Rich would exit with a code of its own where nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Leave it to the command."""
        raise BrokenPipeError


class Screen:
    """Where a command prints; `kernels` is about how many it needs, if it knows."""

    def __init__(self, as_json: bool = False, quiet: bool = False, kernels: int = 0) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._tell: Callable[[str], None] | None = None  # where a bar is shown
        width = None if sys.stdout.isatty() else shutil.get_terminal_size((WIDE, 25)).columns
        self.out = _Console(width=width, highlight=False, soft_wrap=True)
        self.err = _Console(stderr=True, highlight=False, soft_wrap=True)
        often = compiling.AGAIN if not self.err.is_terminal else compiling.FIRST
        compiling.report_to(None if quiet else self.compiling, kernels, often)

    def line(self, text: str = "", style: str = "") -> None:
        """A line of the result, for people."""
        if not self.as_json:
            self.out.print(Text(visible(text)), style=style or None)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[int] = ()) -> None:
        """A table of the result, for people; the columns in `right` are numbers."""
        if self.as_json:
            return
        made = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
        for k, head in enumerate(heads):
            made.add_column(
                Text(visible(head)), justify="right" if k in right else "left", overflow="fold", no_wrap=k in right
            )
        for row in rows:
            made.add_row(*(Text("" if cell is None else visible_lines(str(cell))) for cell in row))
        self.out.print(made, soft_wrap=False)

    def record(self, record: dict[str, Any]) -> None:
        """The whole result, for programs."""
        if self.as_json:
            output.write(f"{json_text(record, indent=1)}\n".encode())

    def aside(self, text: str) -> None:
        """A line of the result on standard error, where standard output is for rows."""
        self.err.print(Text(visible(text)))

    def note(self, text: str) -> None:
        """Something that people should know besides the result."""
        if not self.quiet:
            self.err.print(Text(f"note: {visible(text)}"), style="dim")

    def compiling(self, text: str) -> None:
        """Report how far compiling is; an empty text ends it."""
        if self._tell is not None:
            self._tell(text)
        elif text:
            self.note(text)

    @contextmanager
    def busy(self, doing: str) -> Iterator[Callable[[str], None]]:
        """Show progress on standard error once two seconds have passed; call what it yields to report the state."""
        if self.quiet or not self.err.is_terminal:
            yield lambda _: None
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(12), TimeElapsedColumn())
        bar = Progress(*columns, console=self.err, transient=True)
        task = bar.add_task(visible(doing), total=None)
        timer = Timer(PATIENCE, bar.start)
        timer.daemon = True
        timer.start()

        def tell(text: str) -> None:
            bar.update(task, description=visible(re.sub(r", \d+ s$", "", text) or doing))

        self._tell = tell
        try:
            yield tell
        finally:
            self._tell = None
            timer.cancel()
            bar.stop()
