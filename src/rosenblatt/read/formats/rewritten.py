"""Rewrites text files that Polars misreads, using Python's csv reader.

It is slower, but handles blanks before quotes, quotes within words and runs of blanks, and names the faulty line.
"""

import csv
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from rosenblatt.errors import TableError
from rosenblatt.read.files import File, Scratch, as_text
from rosenblatt.read.formats.dialect import BLANKS, NAMES, Dialect, cut


def cells(file: File, dialect: Dialect) -> Iterator[list[str]]:
    """The rows of a file, including the header; refuses a row of another width and an unclosed quotation mark."""
    with as_text(file) as lines:
        counted = _Counted(lines)
        first_line = 1
        try:
            for row in cut(counted, dialect.delimiter, dialect.quoted):
                if dialect.quoted and counted.ended and _is_open(row, counted):
                    raise TableError(f"{file.shown}, line {first_line}: unclosed quotation mark")
                if len(row) != dialect.width:
                    raise TableError(_ragged(file, counted.number, first_line, row, dialect))
                yield row
                first_line = counted.number + 1
        except csv.Error as error:
            raise TableError(f"{file.shown}, line {counted.number}: {error}") from error


class _Counted:
    """An iterator that counts lines and remembers the last one."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = iter(lines)
        self.number, self.last, self.ended = 0, "", False

    def __iter__(self) -> "_Counted":
        return self

    def __next__(self) -> str:
        try:
            self.last = next(self._lines)
        except StopIteration:
            self.ended = True
            raise
        self.number += 1
        return self.last


def _is_open(row: list[str], lines: _Counted) -> bool:
    """Whether the last row ended only because the file did, so that its last cell runs to the end of the file."""
    return "\n" in row[-1] or not lines.last.rstrip("\r\n").endswith('"')


def _ragged(file: File, line: int, first_line: int, row: list[str], dialect: Dialect) -> str:
    where = f"line {line}" if line == first_line else f"lines {first_line} to {line}"
    count = "1 cell" if len(row) == 1 else f"{len(row)} cells"
    wanted = f"the {'header' if dialect.header else 'other rows'} {'has' if dialect.header else 'have'} {dialect.width}"
    delimiter = NAMES.get(dialect.delimiter, repr(dialect.delimiter))
    return (
        f"{file.shown}, {where}: {count} where {wanted} (delimiter: {delimiter}); fix the line or specify the delimiter"
    )


def rewritten(file: File, dialect: Dialect, scratch: Scratch) -> File:
    """A copy of the file without the header, separated by commas, with correct quotes."""
    target = scratch.path(".csv")
    with open(target, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows(islice(cells(file, dialect), int(dialect.header), None))
    return replace(file, path=target, packed="", encoding="utf-8", complete=True)


def as_rewritten(dialect: Dialect) -> Dialect:
    """The dialect of what `rewritten` writes."""
    return replace(dialect, delimiter=",", quoted=True, header=False, odd=False, padded=dialect.delimiter != BLANKS)


def check_all(file: File, dialect: Dialect) -> None:
    """Read all rows to find the first that is wrong."""
    for _ in cells(file, dialect):
        pass


def first_row(file: File, dialect: Dialect) -> list[str]:
    """The cells of the first line."""
    with as_text(file) as lines, suppress(csv.Error):
        return next(iter(cut(lines, dialect.delimiter, dialect.quoted)), [])
    return []
