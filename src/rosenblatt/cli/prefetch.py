"""Reading a table while the rest of the command is still being loaded."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import TIMEOUT_MAX
from typing import Any

from rosenblatt.cli import own_process
from rosenblatt.errors import OptionError
from rosenblatt.read.sources import check_reading, read_table
from rosenblatt.read.table import Table
from rosenblatt.rows.threads import in_background


@dataclass(frozen=True)
class Begun:
    """A table that is being read, or will be when it is needed."""

    names: str
    table: Callable[[], Table]  # waits for it


def begin(source: list[str], file_format: str | None, delimiter: str | None, **wanted: Any) -> Begun:
    """Begin to read the table in these files; further arguments are those of `read_table`.

    Only a process of its own reads in the background, because it may exit without waiting. Standard input is not read
    before the table is needed: a command that is refused takes nothing from it.
    """
    check_reading(file_format, delimiter)
    if "-" in source and len(source) > 1:
        raise OptionError("standard input, -, must be the only table")
    files, names = source[0] if len(source) == 1 else source, ", ".join(source)
    read = partial(read_table, files, format=file_format, delimiter=delimiter, **wanted)
    if not own_process.is_own:
        return Begun(names, read)
    begun = None if files == "-" else in_background(read)
    return Begun(
        names, lambda: (begun or in_background(read)).result(TIMEOUT_MAX)
    )  # without a limit, Ctrl-C would not be noticed
