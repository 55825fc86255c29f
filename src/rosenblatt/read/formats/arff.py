"""ARFF: a header that declares the columns, then rows separated by commas; `?` is missing, `%` begins a comment."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from rosenblatt.errors import TableError
from rosenblatt.read.files import File, MemoryBudget, as_text
from rosenblatt.read.table import Table, refuse_patterns

ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)""", re.I | re.S)
CELL_BYTES = 64  # of a number or a short text in a list
NUMERIC = ("numeric", "real", "integer")
WORD = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"]*)\s*(,|$)""", re.S)
ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Attribute:
    """A declared column of numbers, listed values, dates or text."""

    name: str
    kind: str  # number, category, date or text
    values: tuple[str, ...] = ()


def looks_like_arff(text: str) -> bool:
    """Whether the first line that is not a comment declares a relation or an attribute."""
    lines = (line.strip().lower() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("%")), "")
    return first.startswith(("@relation", "@attribute"))


def read_arff(files: Sequence[File], shown: str) -> Table:
    """Read ARFF files as one table."""
    frames, first = [], None
    for file in files:
        attributes, frame = _read(file)
        if first is not None and attributes != first:
            differ = next((b.name for a, b in zip(first, attributes, strict=False) if a != b), "a column")
            raise TableError(f"{file.shown}: {differ!r} is declared differently in {files[0].shown}")
        first = attributes
        frames.append(frame)
    assert first is not None
    refuse_patterns(shown, [attribute.name for attribute in first])
    hints = {attribute.name: attribute.kind for attribute in first if attribute.kind in ("number", "category")}
    return Table(shown, pl.concat(frames), hints=hints, notes=("ARFF: column kinds taken from the header",))


def _read(file: File) -> tuple[list[Attribute], pl.DataFrame]:
    with as_text(file) as lines:
        numbered = _kept(lines)
        attributes = _header(file, numbered)
        columns: list[list[object]] = [[] for _ in attributes]
        declared = [frozenset(attribute.values) for attribute in attributes]
        room = MemoryBudget(file.shown)
        for number, line in numbered:
            room.take(CELL_BYTES * len(attributes))
            cells = _cells(file, number, line, len(attributes))
            for cell, column, attribute, values in zip(cells, columns, attributes, declared, strict=True):
                column.append(_value(file, number, cell, attribute, values))
    if not columns[0]:
        raise TableError(f"{file.shown}: there are no rows after @data")
    made = {
        a.name: pl.Series(a.name, column, pl.Float64 if a.kind == "number" else pl.String)
        for a, column in zip(attributes, columns, strict=True)
    }
    return attributes, pl.DataFrame(made)


def _kept(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines, without comments and blank lines."""
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line and not line.startswith("%"):
            yield number, line


def _header(file: File, lines: Iterator[tuple[int, str]]) -> list[Attribute]:
    attributes: list[Attribute] = []
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            if not attributes:
                raise TableError(f"{file.shown}, line {number}: @data comes before any @attribute")
            return attributes
        if word == "@attribute":
            attribute = _attribute(file, number, line)
            if any(attribute.name == other.name for other in attributes):
                raise TableError(f"{file.shown}, line {number}: a second column called {attribute.name!r}; rename one")
            attributes.append(attribute)
        elif word != "@relation":
            raise TableError(f"{file.shown}, line {number}: {line[:40]!r} before @data; is a line missing?")
    raise TableError(f"{file.shown}: there is no @data line")


def _attribute(file: File, number: int, line: str) -> Attribute:
    match = ATTRIBUTE.fullmatch(line)
    if match is None:
        raise TableError(f"{file.shown}, line {number}: not a column declaration: {line[:60]!r}")
    name, declared = _plain(match[1]), match[2].strip()
    if declared.startswith("{") and declared.endswith("}"):
        values = [value for value in _split(declared[1:-1]) or [] if value is not None]
        return Attribute(name, "category", tuple(values))
    kind = declared.split(None, 1)[0].lower() if declared else ""
    if kind in NUMERIC:
        return Attribute(name, "number")
    if kind in ("date", "string"):
        return Attribute(name, "text" if kind == "string" else "date")
    raise TableError(f"{file.shown}, line {number}: column {name!r} has an unknown type: {declared[:40]!r}")


def _plain(word: str) -> str:
    """A word without its quotes."""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return ESCAPE.sub(r"\1", word[1:-1])
    return word.strip()


def _split(line: str) -> list[str | None] | None:
    """The values in a line, each None if missing; None for the whole line if its quotes do not match."""
    if "'" not in line and '"' not in line:
        return [None if (cell := raw.strip()) in ("?", "") else cell for raw in line.split(",")]
    values: list[str | None] = []
    place = 0
    while True:
        match = WORD.match(line, place)
        if match is None:
            return None
        values.append(None if match[1].strip() in ("?", "") else _plain(match[1]))
        place = match.end()
        if not match[2]:
            return values


def _cells(file: File, number: int, line: str, width: int) -> list[str | None]:
    cells = _sparse(file, number, line, width) if line.startswith("{") else _split(line)
    if cells is None:
        raise TableError(f"{file.shown}, line {number}: unclosed quotation mark")
    if len(cells) != width:
        raise TableError(f"{file.shown}, line {number}: {len(cells)} values where {width} columns are declared")
    return cells


def _sparse(file: File, number: int, line: str, width: int) -> list[str | None]:
    raise TableError(f"{file.shown}, line {number}: sparse ARFF is not supported; save it as plain ARFF or as LIBSVM")


def _value(file: File, number: int, cell: str | None, attribute: Attribute, values: frozenset[str]) -> object:
    if cell is None:
        return None
    if attribute.kind == "number":
        try:
            return float(cell)
        except ValueError:
            raise TableError(
                f"{file.shown}, line {number}, column {attribute.name!r}: {cell!r} is not a number"
            ) from None
    if attribute.kind == "category" and cell not in values:
        raise TableError(
            f"{file.shown}, line {number}, column {attribute.name!r}: {cell!r} is not among the declared values"
        )
    return cell
