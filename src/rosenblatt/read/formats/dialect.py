"""How a text file is split into cells: its delimiter, quotes and header, detected from its first lines.

Problem: files do not describe themselves; a comma may separate cells, be part of a text, or be a decimal point.
Input: the first lines. Result: a `Dialect`.
Method: split the lines at each delimiter in turn, with and without quotes, and keep the way that gives most rows the
same width.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rosenblatt.errors import TableError

DELIMITERS = ("\t", ";", "|", ",")  # in order of preference: commas also occur in texts and in numbers
BLANKS = " "  # as a delimiter: any run of blanks
NAMES = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", BLANKS: "blanks"}
BY_SUFFIX = {".tsv": "\t", ".psv": "|"}
ROWS = 1000  # in the sample
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
LONG_NAME = 100
csv.field_size_limit(2**27)


@dataclass(frozen=True)
class Dialect:
    """How to split a file into cells, and the names of its columns."""

    delimiter: str
    quoted: bool  # whether quotes enclose cells; if not, they are ordinary characters
    header: bool
    names: tuple[str, ...]
    padded: bool = False  # blanks around cells
    decimal_comma: bool = False
    odd: bool = False  # something that Polars would misread
    rows: tuple[tuple[str, ...], ...] = ()  # the first rows below the header, as text

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)


def cut(lines: Iterable[str], delimiter: str, quoted: bool) -> "Iterable[list[str]]":
    """The cells of every line; blank lines are left out."""
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        skipinitialspace=quoted or delimiter == BLANKS,
    )
    for row in reader:
        if delimiter == BLANKS:
            row = [cell for cell in row if cell] if not quoted else _without_last_blank(row)
        if row and any(cell.strip() for cell in row):
            yield row


def _without_last_blank(row: list[str]) -> list[str]:
    """A row without the empty cells that come from blanks at the ends of its line."""
    while row and not row[-1]:
        row.pop()
    return row[1:] if row and not row[0] else row


def sniffed(
    text: str,
    *,
    complete: bool,
    suffix: str,
    delimiter: str | None,
    header: bool | None,
    missing: Sequence[str],
    bare: bool = False,
) -> Dialect:
    """The dialect that fits the first lines best; with `bare`, quotes are ordinary characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line + "\n" for line in (lines if complete else lines[:-1] or lines)]
    marked = any('"' in line for line in lines)
    best: tuple[tuple[float, ...], str, bool, list[list[str]]] | None = None
    for candidate in _candidates(delimiter, suffix):
        for quoted in (False,) if bare else (True, False) if marked else (True,):
            rows = list(_first_rows(cut(lines, candidate, quoted), complete))
            score = _score(rows, quoted, candidate, lines)
            if best is None or score > best[0]:
                best = score, candidate, quoted, rows
    if best is None or not best[3]:
        raise TableError("the file has no rows")
    _, chosen, quoted, rows = best
    return _described(rows, lines, chosen, quoted and marked, header, missing)


def _candidates(delimiter: str | None, suffix: str) -> list[str]:
    if delimiter is not None:
        return [delimiter]
    first = BY_SUFFIX.get(suffix)
    others = [candidate for candidate in (*DELIMITERS, BLANKS) if candidate != first]
    return others if first is None else [first, *others]


def _first_rows(rows: Iterable[list[str]], complete: bool) -> list[list[str]]:
    """The first rows; the last is left out if it may have been cut off."""
    taken: list[list[str]] = []
    for row in rows:
        taken.append(row)
        if len(taken) > ROWS:
            return taken[:-1]
    return taken if complete or len(taken) == 1 else taken[:-1]


def _score(rows: list[list[str]], quoted: bool, delimiter: str, lines: list[str]) -> tuple[float, ...]:
    """How well a way of splitting fits: most rows have one width, more than one cell, and no stray quotes."""
    if not rows:
        return (0.0,)
    widths = Counter(map(len, rows))
    width, many = widths.most_common(1)[0]
    agreement = many / len(rows)
    if width == 1 or (delimiter == BLANKS and agreement < 1):
        return (0.0, agreement)
    swallowed = quoted and any("\n" in cell and len(cell) > 20_000 for row in rows for cell in row)
    stray = not quoted and _holds_quoted_cells(rows)
    return (0.0 if swallowed else round(agreement, 2), float(delimiter != BLANKS), -float(stray), agreement)


def _holds_quoted_cells(rows: list[list[str]]) -> bool:
    """Whether some cells are entirely in quotes, as they would be if the quotes meant something."""
    cells = [cell for row in rows for cell in row if cell.startswith('"')]
    whole = sum(len(cell) > 1 and cell.endswith('"') for cell in cells)
    return bool(cells) and 2 * whole > len(cells)


def _described(
    rows: list[list[str]], lines: list[str], delimiter: str, quoted: bool, header: bool | None, missing: Sequence[str]
) -> Dialect:
    has_header = _has_header(rows, missing) if header is None else header
    width = len(rows[0]) if has_header else Counter(map(len, rows)).most_common(1)[0][0]
    names = tuple(cell.strip() or f"c{k + 1}" for k, cell in enumerate(rows[0])) if has_header else numbered(width)
    body = [tuple(row) for row in rows[has_header:] if len(row) == width]
    comma = delimiter != "," and _is_decimal_comma(body, missing)
    dialect = Dialect(delimiter, quoted, has_header, names, decimal_comma=comma, rows=tuple(body))
    padded, odd = _padding(lines[:ROWS], dialect)
    return replace(dialect, padded=padded, odd=odd or not lines[0].strip())


def numbered(width: int) -> tuple[str, ...]:
    """Numbered names for columns without names."""
    return tuple(f"c{k + 1}" for k in range(width))


def _padding(lines: list[str], dialect: Dialect) -> tuple[bool, bool]:
    """Whether cells have blanks around them, and quotes that Polars would not recognise."""
    if dialect.delimiter == BLANKS:
        return False, True
    d = re.escape(dialect.delimiter)
    text = "".join(lines)
    padded = any(
        cell != cell.strip(" ")
        for line in lines
        if not (dialect.quoted and '"' in line)
        for cell in line.rstrip("\n").split(dialect.delimiter)
    )
    if not dialect.quoted:
        return padded, False
    odd = re.search(rf'({d}|^) +"|"[ \t]+({d}|$)|[^"\n{d}]"[^"\n{d}]', text, re.M)
    return padded, odd is not None


def _has_header(rows: list[list[str]], missing: Sequence[str]) -> bool:
    """Whether the first row is a header: words above numbers, or words that do not occur below."""
    first, body = rows[0], rows[1:]
    if any(_is_number(cell) for cell in first) or all(cell.strip() in missing for cell in first):
        return False
    if max(map(len, first)) > LONG_NAME:
        return False
    if not body:
        return True
    found = []
    for k, name in enumerate(first):
        below = [row[k] for row in body if k < len(row) and row[k].strip() not in missing]
        if below and all(map(_is_number, below)):
            return True
        if len(set(below)) < len(below):  # values repeat: if this is a name, it is probably not one of them
            found.append(name not in below)
    return all(found) if found else len(set(first)) == len(first)


def _is_number(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell) or DECIMAL_COMMA.fullmatch(cell))


def _is_decimal_comma(rows: list[tuple[str, ...]], missing: Sequence[str]) -> bool:
    """Whether some column has numbers with a decimal comma, and none has a decimal point."""
    found = False
    for column in zip(*rows, strict=False):
        cells = [cell for cell in column if cell.strip() not in missing]
        if cells and all(map(_is_number, cells)):
            found = found or any("," in cell for cell in cells)
            if any("." in cell for cell in cells):
                return False
    return found
