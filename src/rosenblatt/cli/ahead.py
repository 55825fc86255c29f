"""Reading a table while the rest of the command is still loaded: neither waits for the other."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rosenblatt import process
from rosenblatt.errors import OptionError
from rosenblatt.read.sources import read_table
from rosenblatt.read.table import Table
from rosenblatt.threads import in_background


@dataclass(frozen=True)
class Begun:
    """A table that is being read."""

    names: str
    table: Callable[[], Table]


def begin(source: list[str], file_format: str | None, delimiter: str | None, **wanted: Any) -> Begun:
    """Begin to read the table in these files; further arguments are those of `read_table`.

    Only a process of its own reads behind the back of what goes on, for it may end without waiting.
    """
    if "-" in source and len(source) > 1:
        raise OptionError("standard input, -, must be the only table")
    files = source[0] if len(source) == 1 else source
    read = partial(read_table, files, format=file_format, delimiter=delimiter, **wanted)
    return Begun(", ".join(source), in_background(read).result if process.is_command else read)
