"""Reads files, file patterns and stdin into a `Table`.

Problem: only a name is given; the compression, the format and the encoding must be detected.
Input: a path, a pattern such as `data/*.csv`, a list of paths, or `-` for stdin.
Result: a `Table`, or a one-line `TableError` that names the file, the place in it, and what to do.
"""

import glob
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl

from rosenblatt.errors import OptionError, TableError
from rosenblatt.read.files import CHUNK, File, Scratch, TooLargeError, is_too_large, opened, text_of, with_encoding
from rosenblatt.read.formats.arff import looks_like_arff, read_arff
from rosenblatt.read.formats.columnar import read_columnar
from rosenblatt.read.formats.delimited import TextOptions, read_delimited
from rosenblatt.read.formats.dialect import BLANKS, NAMES
from rosenblatt.read.formats.libsvm import looks_like_libsvm, read_libsvm
from rosenblatt.read.table import Table
from rosenblatt.read.values import MISSING

FORMATS = {
    "csv": (".csv", ".tsv", ".tab", ".psv"),
    "parquet": (".parquet", ".pq"),
    "ndjson": (".ndjson", ".jsonl"),
    "arrow": (".arrow", ".ipc", ".feather"),
    "libsvm": (".libsvm", ".svm", ".svmlight"),
    "arff": (".arff",),
}
OTHER_NAMES = {
    "tsv": "csv",
    "psv": "csv",
    "txt": "csv",
    "jsonl": "ndjson",
    "ipc": "arrow",
    "feather": "arrow",
    "svm": "libsvm",
}
TEXTS = (*FORMATS["csv"], ".txt", ".data", ".dat", "")  # suffixes of text that may have a single column
COLUMNAR_GROWTH = 4.0  # how much larger than its file a Parquet table may be in memory
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
FOREIGN = {
    b"FEA1": "an old Feather file; write it as Arrow IPC",
    b"SQLite format 3": "an SQLite database; export the table as CSV",
    b"\x89HDF": "an HDF5 file; export the table as CSV or Parquet",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV",
    b"%PDF": "a PDF; save the table as CSV",
    b"\x80\x04": "a pickle; pickles are never opened, because they can run any code; write a Parquet file",
    b"\x80\x05": "a pickle; pickles are never opened, because they can run any code; write a Parquet file",
}

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def read_table(
    source: Paths,
    *,
    format: str | None = None,  # noqa: A002
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = MISSING,
    types: Mapping[str, pl.DataType | None] | None = None,
    others: pl.DataType | None = None,
    large: bool | None = None,
) -> Table:
    """Read a table.

    Parameters
    ----------
    source : str, path or list of them
        A file, a pattern of files with the same columns, a list of such files, or "-" for stdin. Files may be
        compressed with gzip, zstd or zip (a single file).
    format : {"csv", "parquet", "ndjson", "arrow", "libsvm", "arff"}, optional
        Detected from the suffix or the first bytes by default.
    delimiter, encoding, header
        For text files, if detection gets them wrong. The delimiter " " means any run of blanks.
    missing : list of str
        The cells of a text file that mean "no value".
    types : mapping of column to Polars type, optional
        Column types for text files: Int64, Float64 or String; None means detected. A word in a column of numbers is
        then an error. If all types are given, a large file is not read in advance.
    others : Polars type, optional
        The type of all columns not in `types`; detected by default.
    large : bool, optional
        Whether to leave the table on disk and read it in blocks; by default, if it would take more than a quarter of
        the available memory.
    """
    check_reading(format, delimiter)
    scratch = Scratch()
    files, shown = _files(source, scratch)
    kind = _format(files, format)
    if kind not in ("parquet", "arrow"):
        files = [with_encoding(file, encoding) for file in files]
    if large is None:
        large = is_too_large(files, COLUMNAR_GROWTH if kind in ("parquet", "arrow") else 1.0)
    text = TextOptions(_delimiter(delimiter), header, tuple(missing), types or {}, others)
    table = _read(files, shown, scratch, kind, text, large)
    detected = kind == "csv" and format is None and delimiter is None
    if detected and len(table.columns) == 1 and files[0].suffix not in TEXTS:
        raise TableError(f"{shown}: does not look like a table; specify its format or its delimiter")
    return table


def _read(files: Sequence[File], shown: str, scratch: Scratch, kind: str, text: TextOptions, large: bool) -> Table:
    """Read files of this format."""
    if kind in ("parquet", "arrow", "ndjson"):
        return read_columnar(files, shown, scratch, kind, large)
    if kind == "libsvm":
        return read_libsvm(files, shown, scratch)
    if kind == "arff":
        return read_arff(files, shown)
    with suppress(TooLargeError):  # compressed, and larger than estimated
        return read_delimited(files, shown, scratch, text, large)
    return read_delimited(files, shown, scratch, text, large=True)


def check_reading(format: str | None, delimiter: str | None) -> None:  # noqa: A002
    """Refuse an unknown format or delimiter."""
    if format is not None and OTHER_NAMES.get(format, format) not in FORMATS:
        raise OptionError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    _delimiter(delimiter)


def _files(source: Paths, scratch: Scratch) -> tuple[list[File], str]:
    """The opened files of a source, and a name for all of them in messages."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if name == "-":
            return [_spooled(scratch)], "stdin"
        paths = [name]
        if glob.has_magic(name) and not os.path.exists(name):
            paths = sorted(glob.glob(name, recursive=True))
            if not paths:
                raise TableError(f"{name}: no file matches this pattern")
    else:
        paths = [os.fspath(path) for path in source]
        if not paths:
            raise TableError("no input file given")
        name = paths[0]
    files = [opened(Path(path), path, path, scratch) for path in paths]
    if len(files) == 1:
        return files, name
    return files, f"{len(files)} files" if name in paths else f"{name} ({len(files)} files)"


def _spooled(scratch: Scratch) -> File:
    """The contents of stdin, in a temporary file."""
    target = scratch.path()
    with open(target, "wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out, CHUNK)
    return opened(target, "stdin", "", scratch)


def _format(files: Sequence[File], given: str | None) -> str:
    """The format of all files: the one given, or the one detected."""
    if given is not None:
        return OTHER_NAMES.get(given, given)
    kinds = [_shown_format(file) for file in files]
    for file, kind in zip(files, kinds, strict=True):
        if kind != kinds[0]:
            raise TableError(f"{file.shown}: is {kind}, but {files[0].shown} is {kinds[0]}; read them separately")
    return kinds[0]


def _shown_format(file: File) -> str:
    """The format detected from a file's first bytes or its suffix."""
    for magic, what in FOREIGN.items():
        if file.start.startswith(magic):
            raise TableError(f"{file.shown}: is {what}")
    for magic, kind in MAGIC.items():
        if file.start.startswith(magic):
            return kind
    for kind, suffixes in FORMATS.items():
        if file.suffix in suffixes:
            return kind
    text = text_of(with_encoding(file, None))
    if looks_like_arff(text):
        return "arff"
    if looks_like_libsvm(text):
        return "libsvm"
    first = text.lstrip("\ufeff \t\r\n")[:1]
    if first == "{":
        return "ndjson"
    if first in ("[", "<"):
        what = "a JSON array; write one object on each line (NDJSON)" if first == "[" else "HTML or XML; save it as CSV"
        raise TableError(f"{file.shown}: looks like {what}, or specify the format")
    return "csv"


def _delimiter(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    named = {name: character for character, name in NAMES.items()} | {"\\t": "\t", "blank": BLANKS, "space": BLANKS}
    character = named.get(delimiter.lower(), delimiter)
    if len(character) != 1 or not character.isascii() or character in '"\r\n\0' or character.isalnum():
        raise OptionError(
            f"the delimiter must be one character, or one of {', '.join(NAMES.values())}, not {delimiter!r}"
        )
    return character
