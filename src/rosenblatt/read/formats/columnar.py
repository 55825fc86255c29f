"""Parquet, Arrow IPC and NDJSON: files that contain the types of their columns."""

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from rosenblatt.errors import TableError
from rosenblatt.read.files import File, Scratch, TooLargeError, as_text, collected, damage, plain
from rosenblatt.read.formats.delimited import check_names
from rosenblatt.read.formats.types import cleaned
from rosenblatt.read.table import TROUBLE, Table, first_line, refuse_patterns
from rosenblatt.read.values import with_plain_types

DEEPEST = 32  # levels of lists and structures in a column; their names alone would take thousands of lines
NAMES = {"parquet": "Parquet", "arrow": "Arrow IPC", "ndjson": "NDJSON"}


def read_columnar(files: Sequence[File], shown: str, scratch: Scratch, kind: str, large: bool) -> Table:
    """Read Parquet, Arrow IPC or NDJSON files as one table."""
    if kind == "ndjson":
        files = [plain(file, scratch) for file in files]
    elif any(file.packed for file in files):
        raise TableError(f"{shown}: {NAMES[kind]} in a compressed file; unpack it first")
    scans = [_scanned(file, kind) for file in files]
    refuse_patterns(shown, scans[0][1])
    _check_same(files, scans)
    frame = pl.concat([scan for scan, _ in scans], how="vertical_relaxed")
    table = Table(
        shown,
        _plain_types(frame),
        notes=(NAMES[kind],),
        explain=lambda error: _explained(files, kind, error),
        scratch=scratch,
    )
    if large:
        return table
    try:
        with table.readable():
            whole = collected(table.frame)  # type: ignore[arg-type]
    except TooLargeError:
        return table
    if not whole.height:
        raise TableError(f"{shown}: the file has columns but no rows")
    return Table(shown, whole, notes=table.notes)


def _scanned(file: File, kind: str) -> tuple[pl.LazyFrame, dict[str, pl.DataType]]:
    """The lazy scan of a file, and its columns."""
    try:
        if kind == "parquet":
            scan = pl.scan_parquet(file.path, glob=False, hive_partitioning=False)
        elif kind == "arrow":
            scan = pl.scan_ipc(file.path, glob=False)
        else:
            scan = pl.scan_ndjson(file.path, infer_schema_length=None)
        columns = dict(scan.collect_schema())
    except TROUBLE as error:
        raise _explained([file], kind, error) from error
    except RecursionError:
        raise TableError(f"{file.shown}: a column is nested too deeply; write its parts as separate columns") from None
    for name, dtype in columns.items():
        if _is_deep(dtype):
            raise TableError(f"{file.shown}: column {name!r} is nested too deeply; write its parts as separate columns")
    return scan, columns


def _is_deep(dtype: pl.DataType) -> bool:
    """Whether a column has too many levels of lists and structures."""
    level: list[Any] = [dtype]
    for _ in range(DEEPEST):
        fields = [field.dtype for kind in level for field in getattr(kind, "fields", ())]
        level = fields + [kind.inner for kind in level if isinstance(kind, pl.List | pl.Array)]
        if not level:
            return False
    return True


def _check_same(files: Sequence[File], scans: Sequence[tuple[pl.LazyFrame, dict[str, pl.DataType]]]) -> None:
    """Refuse files with other column names or kinds than the first file."""
    first = scans[0][1]
    if not first:
        raise TableError(f"{files[0].shown}: the file has no columns")
    for file, (_, columns) in zip(files[1:], scans[1:], strict=True):
        check_names(file.shown, list(columns), files[0].shown, list(first))
        for name, dtype in columns.items():
            if dtype.is_numeric() != first[name].is_numeric() and pl.Null not in (dtype, first[name]):
                raise TableError(f"{file.shown}: column {name!r} is {dtype}, but {first[name]} in {files[0].shown}")


def _plain_types(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Categories as text, exact decimals as floats, texts without surrounding blanks, and null if missing."""
    frame = with_plain_types(frame)
    texts = [name for name, kind in frame.collect_schema().items() if kind == pl.String]
    return frame.with_columns(map(cleaned, texts)) if texts else frame


def _explained(files: Sequence[File], kind: str, error: BaseException) -> TableError:
    """A one-line error; of several files, it names the first that cannot be read on its own."""
    for file in files:
        if kind == "ndjson":
            if (found := _wrong_line(file)) is not None:
                return found
        elif len(files) > 1:
            try:
                scan = pl.scan_parquet if kind == "parquet" else pl.scan_ipc
                scan(file.path, glob=False).select(pl.all().null_count()).collect()
            except TROUBLE as own:
                return _explained([file], kind, own)
    text = damage(error) if isinstance(error, OSError) else first_line(error)
    return TableError(f"{files[0].shown}: not {NAMES[kind]}, or damaged: {text}; write or copy it again")


def _wrong_line(file: File) -> TableError | None:
    """The error for the first line that is not a JSON object."""
    with as_text(file) as lines:
        for number, line in enumerate(lines, 1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return TableError(f"{file.shown}, line {number}: not a JSON object; NDJSON has one on every line")
            except RecursionError:
                return TableError(
                    f"{file.shown}, line {number}: nested too deeply; write its parts as separate columns"
                )
            except json.JSONDecodeError as error:
                return TableError(f"{file.shown}, line {number}: not JSON: {error.msg} at character {error.pos + 1}")
            except ValueError:
                return TableError(f"{file.shown}, line {number}: it contains a number with too many digits")
    return None
