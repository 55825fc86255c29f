"""Delimited text: CSV, TSV and similar files.

Problem: types must hold for all rows, so they are certain only after the last row.
Method: guess the types from the first rows and read. If Polars finds a cell that does not fit, read everything as text
and determine the types from all rows. Files that Polars cannot split into cells are rewritten by `rewritten`, which
also names the line where that fails.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from rosenblatt.errors import TableError
from rosenblatt.read.files import LONGEST, File, Scratch, UndecodableError, collected, damage, plain, text_of
from rosenblatt.read.formats.dialect import NAMES, Dialect, sniffed
from rosenblatt.read.formats.quotes import notes_on_quotes
from rosenblatt.read.formats.rewritten import as_rewritten, check_all, first_row, rewritten
from rosenblatt.read.formats.types import NUMBERS, Types, as_number, as_typed, cleaned, types_of
from rosenblatt.read.table import TROUBLE, Table, first_line, refuse_patterns

Frame = pl.DataFrame | pl.LazyFrame
ANY_VALUE = pl.any_horizontal(pl.all().is_not_null())


@dataclass(frozen=True)
class TextOptions:
    """What the caller says about text files; None means detected."""

    delimiter: str | None
    header: bool | None
    missing: tuple[str, ...]  # cells that mean "no value"
    types: Mapping[str, pl.DataType | None]
    others: pl.DataType | None  # the type of all columns not in `types`


@dataclass(frozen=True)
class TextFiles:
    """Text files of one dialect."""

    files: tuple[File, ...]
    plain: tuple[File, ...]  # the original files, before they were rewritten
    shown: str
    dialect: Dialect
    options: TextOptions
    known: Mapping[str, pl.DataType]  # types given by the caller
    scratch: Scratch
    large: bool

    def scan(self, types: Mapping[str, pl.DataType], nulls: Sequence[str] = ()) -> pl.LazyFrame:
        """The rows, parsed by Polars into these types."""
        return pl.scan_csv(
            [file.path for file in self.files],
            has_header=False,
            skip_rows=int(self.dialect.header),
            separator=self.dialect.delimiter,
            quote_char='"' if self.dialect.quoted else None,
            schema=dict(types),
            null_values=list(nulls) or None,
            decimal_comma=self.dialect.decimal_comma,
            glob=False,
        )

    def texts(self) -> pl.LazyFrame:
        """The rows as text."""
        return self.scan(dict.fromkeys(self.dialect.names, pl.String()))

    def table(self, frame: Frame) -> Table:
        """A frame of these files as a table that raises the errors of Polars unchanged."""
        return Table(self.shown, frame, scratch=self.scratch, explain=lambda error: _UnreadableError(error))

    def kept(self, frame: pl.LazyFrame) -> Frame:
        """The frame in memory, or unchanged if the files are large."""
        if self.large:
            return frame
        return collected(frame) if any(file.packed for file in self.files) else frame.collect()


class _UnreadableError(TableError):
    """Polars could not read the files; caught here, and another way is tried."""


def read_delimited(files: Sequence[File], shown: str, scratch: Scratch, options: TextOptions, large: bool) -> Table:
    """Read delimited text files as one table."""
    dialect = _dialect(files[0], options)
    for file in files[1:]:
        _check_same(file, files[0], dialect)
    wanted = {name: options.types.get(name, options.others) for name in dialect.names}
    known = {name: kind for name, kind in wanted.items() if kind is not None}
    plain_files = tuple(plain(file, scratch) for file in files)
    source = TextFiles(plain_files, plain_files, shown, dialect, options, known, scratch, large)
    source, frame = _read(source, files)
    if isinstance(frame, pl.DataFrame) and not frame.height:
        raise TableError(f"{shown}: the file has a header but no rows")

    def explain(error: BaseException) -> TableError:
        return _explained(source, error)

    rewrote = source.files != source.plain
    on_quotes = notes_on_quotes(source.plain, dialect, source.dialect.quoted, rewrote, frame)
    return Table(shown, frame, notes=(*_notes(files, dialect), *on_quotes), explain=explain, scratch=scratch)


def _dialect(file: File, options: TextOptions, bare: bool = False) -> Dialect:
    """The dialect of a file; with `bare`, quotes are ordinary characters."""
    text = text_of(file)
    if not file.complete and "\n" not in text and "\r" not in text:
        raise TableError(f"{file.shown}: line 1 is longer than {LONGEST >> 20} MiB, the maximum")
    try:
        dialect = sniffed(
            text,
            complete=file.complete,
            suffix=file.suffix,
            delimiter=options.delimiter,
            header=options.header,
            missing=options.missing,
            bare=bare,
        )
    except TableError as error:
        raise TableError(f"{file.shown}: {error}") from error
    refuse_patterns(file.shown, dialect.names)
    places: dict[str, int] = {}
    for k, name in enumerate(dialect.names):
        if (first := places.setdefault(name, k)) < k:
            raise TableError(f"{file.shown}: columns {first + 1} and {k + 1} are both named {name!r}; rename one")
    return dialect


def _check_same(file: File, first: File, dialect: Dialect) -> None:
    """Refuse a file whose columns differ from the first file's."""
    row = first_row(file, dialect)
    if not dialect.header:
        if len(row) != dialect.width:
            raise TableError(f"{file.shown}: {len(row)} columns, but {first.shown} has {dialect.width}")
        return
    names = tuple(cell.strip() or f"c{k + 1}" for k, cell in enumerate(row))
    check_names(file.shown, names, first.shown, dialect.names)


def check_names(shown: str, names: Sequence[str], first: str, wanted: Sequence[str]) -> None:
    """Refuse a file whose column names differ from the first file's."""
    for k, (name, other) in enumerate(zip(names, wanted, strict=False)):
        if name != other:
            raise TableError(f"{shown}: column {k + 1} is {name!r}, but {other!r} in {first}")
    if len(names) != len(wanted):
        more, fewer = (names, wanted) if len(names) > len(wanted) else (wanted, names)
        where = shown if more is names else first
        raise TableError(
            f"{shown}: {len(names)} columns, but {first} has {len(wanted)}; {more[len(fewer)]!r} is only in {where}"
        )


def _read(source: TextFiles, files: Sequence[File]) -> tuple[TextFiles, Frame]:
    """The rows, by the first method that works."""
    try:
        return _split_rows(source)
    except (*TROUBLE, _UnreadableError, UndecodableError) as error:
        cause = error.__cause__ or error
        if not _is_undecodable(cause):
            raise _explained(source, cause) from cause
        if any(file.encoding_given or file.encoding != "utf-8" or file.packed == "zst" for file in files):
            text = "not valid UTF-8; specify its encoding, for example latin-1, or unpack it"
            raise TableError(f"{source.shown}: {text}") from cause
    source = _western(source, files)
    try:
        return _split_rows(source)
    except (*TROUBLE, _UnreadableError) as error:
        raise _explained(source, error.__cause__ or error) from error


def _split_rows(source: TextFiles) -> tuple[TextFiles, Frame]:
    """The rows as Polars splits them; if it cannot, split by Python and rewritten."""
    if source.dialect.odd:
        source = _rewritten_rows(source)
        return source, _frame(source)
    try:
        return source, _frame(source)
    except (*TROUBLE, _UnreadableError) as error:
        cause = error.__cause__ or error
        if _is_undecodable(cause) or isinstance(cause, OSError) or not source.dialect.quoted:
            raise
    source = _rewritten_rows(source)
    return source, _frame(source)


def _is_undecodable(error: BaseException) -> bool:
    return isinstance(error, UndecodableError) or "utf-8" in str(error) or "utf8" in str(error)


def _western(source: TextFiles, files: Sequence[File]) -> TextFiles:
    """The files read as Windows-1252 or Latin-1, because they contain bytes that are not UTF-8."""
    made = []
    for file in files:
        try:
            made.append(plain(replace(file, encoding="cp1252"), source.scratch))
        except TableError:
            made.append(plain(replace(file, encoding="latin-1"), source.scratch))
    return replace(source, files=tuple(made), plain=tuple(made))


def _rewritten_rows(source: TextFiles) -> TextFiles:
    """The rows in rewritten files that Polars splits correctly, or in the same files if quotes mean nothing in them."""
    dialect = source.dialect
    bare = source
    if dialect.quoted:
        options = replace(source.options, delimiter=dialect.delimiter)
        bare_dialect = _dialect(source.files[0], options, bare=True)
        bare = replace(source, dialect=bare_dialect)
    lines = _count_of_equal_lines(bare) if dialect.quoted and not _quotes_matter(source) else None
    try:
        files = tuple(rewritten(file, dialect, source.scratch) for file in source.files)
        rewrote = replace(source, files=files, dialect=as_rewritten(dialect))
        if lines is None or rewrote.texts().select(pl.len()).collect().item() >= lines - len(files) * dialect.header:
            return rewrote
    except TableError:
        if lines is None:
            raise
    return bare


def _count_of_equal_lines(source: TextFiles) -> int | None:
    """The number of lines, if all have equally many delimiters, so that quotes do not matter."""
    cells = pl.col("line").str.count_matches(source.dialect.delimiter, literal=True)
    low, high, count = _lines(source).select(cells.min().alias("a"), cells.max().alias("b"), pl.len()).collect().row(0)
    return count if low == high == source.dialect.width - 1 else None


def _quotes_matter(source: TextFiles) -> bool:
    """Whether some cell is entirely in quotes; in tab-separated files, that may also be plain text."""
    mark = re.escape(source.dialect.delimiter)
    quoted = pl.col("line").str.contains(f'(^|{mark})"[^"]*"({mark}|$)')
    return source.dialect.delimiter != "\t" and bool(_lines(source).select(quoted.any()).collect().item())


def _lines(source: TextFiles) -> pl.LazyFrame:
    """The lines that are not blank."""
    lines = pl.scan_lines([file.path for file in source.files], glob=False)
    return lines.filter(pl.col("line").str.strip_chars() != "")


def _frame(source: TextFiles) -> Frame:
    """The rows with types that hold for all of them; rows without any value are left out."""
    dialect = source.dialect
    guess = _guess(source)
    if not dialect.padded:
        try:
            return _complete(source, _with_guessed_types(source, guess))
        except (*TROUBLE, _UnreadableError) as error:
            if _is_undecodable(error.__cause__ or error):
                raise
    texts = source.kept(source.texts())
    unknown = [name for name in dialect.names if name not in source.known]
    types = {**types_of(source.table(texts), unknown, source.options.missing, dialect.decimal_comma), **source.known}
    typed = as_typed(types, source.options.missing, dialect.decimal_comma)
    return _complete(source, source.kept(texts.lazy().select(typed)))


def _guess(source: TextFiles) -> Types:
    """Types from the first rows."""
    names, rows = source.dialect.names, source.dialect.rows
    sample = pl.DataFrame(list(map(list, rows)), schema=dict.fromkeys(names, pl.String), orient="row")
    unknown = [name for name in names if name not in source.known]
    guess = types_of(source.table(sample), unknown, source.options.missing, source.dialect.decimal_comma)
    return {name: source.known.get(name, guess.get(name)) for name in names}


def _with_guessed_types(source: TextFiles, guess: Types) -> Frame:
    """The rows, read with guessed types; raises if they do not fit."""
    seen = {cell for row in source.dialect.rows for cell in row}
    nulls = [token for token in source.options.missing if token and token in seen]
    frame = source.scan({name: kind or pl.String() for name, kind in guess.items()}, nulls)
    numbers = [pl.col(name).fill_nan(None) for name, kind in guess.items() if kind == pl.Float64]
    texts = [cleaned(name, source.options.missing) for name, kind in guess.items() if kind not in NUMBERS]
    read = source.kept(frame.with_columns(numbers + texts))
    late = [name for name, kind in guess.items() if kind is None]
    if not late:
        return read
    types = types_of(source.table(read), late, source.options.missing, source.dialect.decimal_comma)
    typed = as_typed(types, (), source.dialect.decimal_comma)
    return source.kept(read.lazy().with_columns(typed))


def _complete(source: TextFiles, frame: Frame) -> Frame:
    """The frame without empty rows; refuses rows that are too short, which Polars fills with nulls."""
    if source.dialect.width == 1:
        return frame
    if source.large and len(source.known) == source.dialect.width:
        return frame.filter(ANY_VALUE)  # types were given: do not read the file in advance
    last = source.dialect.names[-1]
    nulls = pl.all().null_count() if source.large else pl.col(last).null_count()  # all columns, so that all are parsed
    if not source.table(frame).select(nulls)[last].item():
        return frame
    bare = replace(source, dialect=replace(source.dialect, quoted=False))
    if _count_of_equal_lines(bare) is None:
        for file in source.files:
            check_all(file, source.dialect)
    return frame.filter(ANY_VALUE)


def _explained(source: TextFiles, error: BaseException) -> TableError:
    """A one-line error about the files, after a closer look."""
    text = first_line(error)
    if isinstance(error, OSError):
        return TableError(f"{source.shown}: {damage(error)}")
    try:
        for file in source.files:
            check_all(file, source.dialect)
        return _not_a_number(source) or TableError(f"{source.shown}: {text}")
    except TableError as found:
        return found
    except TROUBLE:
        return TableError(f"{source.shown}: {text}")


def _not_a_number(source: TextFiles) -> TableError | None:
    """The error for the first cell in a column of numbers that is not a number."""
    texts = source.texts().filter(ANY_VALUE)
    for name, kind in source.known.items():
        if kind in NUMBERS:
            text = cleaned(name, source.options.missing)
            number = as_number(text, kind, source.dialect.decimal_comma, strict=False)
            bad = texts.with_row_index("row").filter(text.is_not_null() & number.is_null()).select("row", name)
            if (found := bad.head(1).collect()).height:
                row, cell = found.row(0)
                return TableError(f"{source.shown}: row {row + 1}, column {name!r}: {cell!r} is not a number")
    return None


def _notes(files: Sequence[File], dialect: Dialect) -> tuple[str, ...]:
    delimiter = NAMES.get(dialect.delimiter, repr(dialect.delimiter))
    notes = [
        f"delimiter: {delimiter}" + (", decimal comma" if dialect.decimal_comma else ""),
        "column names from the header" if dialect.header else "no header: columns are named c1, c2, ...",
    ]
    encodings = {file.encoding for file in files} - {"utf-8"}
    if encodings:
        notes.append(f"encoding: {', '.join(sorted(encodings))}")
    return tuple(notes)
