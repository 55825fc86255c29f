"""Finds quotation marks that do not enclose a cell, and names their lines.

A mark that opens a cell and never closes it, or closes it too early, is ambiguous. Other readers refuse such a file, or
silently swallow the rows up to the next mark. Here, if every line has the right number of cells when marks are ordinary
characters, they are read that way, and a note says so; if rows may have been swallowed, the file is refused. A mark
inside an unquoted cell, as in 5" pipe, is an ordinary character and needs no note.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from rosenblatt.errors import TableError
from rosenblatt.read.files import File, as_text, text_of
from rosenblatt.read.formats.dialect import Dialect

MARK = '"'
SMALL = 2**24  # bytes; smaller files are checked completely even if their table stays on disk
REST_OF_QUOTED = re.compile('(?:[^"]|"")*')


@dataclass(frozen=True)
class Stray:
    """A mark that opens a cell and does not close it at the cell's end; `closes` is the line where it does."""

    opens: int
    closes: int | None

    def in_words(self, as_letters: bool) -> str:
        """What is wrong, and how the mark is read."""
        what = (
            "closes before the end of its cell" if self.closes == self.opens else "opens a cell and does not close it"
        )
        how = "so all quotation marks are read as text" if as_letters else "and is dropped"
        return f"line {self.opens}: a quotation mark {what}, {how}"


def first_stray(lines: Iterable[str], delimiter: str, complete: bool = True) -> Stray | None:
    """The first stray mark; if the lines are not `complete`, a mark still open at their end does not count."""
    apart = re.escape(delimiter)
    cell_end, cell = re.compile(rf"[^{apart}\r\n]*"), rf'(?:[^"{apart}\r\n]*+|"(?:[^"]++|"")*+")'
    in_order = re.compile(rf"{cell}(?:{apart}{cell})*+[\r\n]*+")
    opened = 0
    for number, line in enumerate(lines, 1):
        if not opened and (MARK not in line or in_order.fullmatch(line)):
            continue
        at, end = 0, len(line.rstrip("\r\n"))
        while at <= end:
            if not opened:
                at += len(line[at:]) - len(line[at:].lstrip(" "))
                if not line.startswith(MARK, at):
                    at = _end(cell_end, line, at) + 1
                    continue
                opened, at = number, at + 1
            at = _end(REST_OF_QUOTED, line, at)
            if at >= len(line):  # the cell continues on the next line
                break
            after = _end(cell_end, line, at + 1)
            if line[at + 1 : after].strip():
                return Stray(opened, number)
            opened, at = 0, after + 1
    return Stray(opened, None) if opened and complete else None


def _end(pattern: re.Pattern[str], line: str, at: int) -> int:
    found = pattern.match(line, at)
    return found.end() if found is not None else at


def notes_on_quotes(
    files: Sequence[File], dialect: Dialect, quoted: bool, rewritten: bool, frame: pl.DataFrame | pl.LazyFrame
) -> tuple[str, ...]:
    """Notes about stray marks in files that were read with `dialect`, with `quoted` cells or not.

    A large file whose table stays on disk is judged by its first lines, any other by all of them.
    """
    in_memory = isinstance(frame, pl.DataFrame)
    if isinstance(frame, pl.DataFrame) and not rewritten and not _is_suspicious(frame, dialect, quoted):
        return ()
    notes = []
    for file in files:
        if (found := _stray_in(file, dialect.delimiter, in_memory or file.size <= SMALL)) is None:
            continue
        if quoted and found.closes is not None and found.closes > found.opens:
            raise TableError(
                f"{file.shown}, line {found.opens}: a quotation mark opens a cell here and closes in the middle of one "
                f"in line {found.closes}; close it at the end of its cell, or double it if it is part of the text"
            )
        note = found.in_words(as_letters=not quoted)
        notes.append(note if len(files) == 1 else f"{file.shown}, {note}")
    return tuple(notes)


def _stray_in(file: File, delimiter: str, whole: bool) -> Stray | None:
    if whole:
        with as_text(file) as lines:
            return first_stray(lines, delimiter)
    return first_stray(text_of(file).splitlines(keepends=True), delimiter, file.complete)


def _is_suspicious(frame: pl.DataFrame, dialect: Dialect, quoted: bool) -> bool:
    """Whether some cell or name suggests a misread mark: it begins with one, or spans several lines."""
    if any("\n" in name if quoted else name.startswith(MARK) for name in dialect.names):
        return True
    texts = (frame[name].str for name, kind in frame.schema.items() if kind == pl.String)
    return any((text.contains("\n", literal=True) if quoted else text.starts_with(MARK)).any() for text in texts)
