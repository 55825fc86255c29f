"""Writing tables: to a file, whole or not at all, or to standard output."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from rosenblatt.cli import output
from rosenblatt.cli.reading import named
from rosenblatt.desk.predict import ErrorInTable, LeftToPeople, complaint
from rosenblatt.errors import OptionError, TableError
from rosenblatt.judge.cutoff import CutOff
from rosenblatt.plurals import many
from rosenblatt.read.encode.columns import YesNoColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.lookup import Unseen
from rosenblatt.read.table import Table, first_line
from rosenblatt.ship.file.atomic import drafted
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.visible import visible_json, visible_lines

ROWS = 50_000
LONGEST = 60  # letters of an example in a note
FORMULA = (
    r"^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]"  # what a spreadsheet computes begins so; the last four are wide forms
)
PLAIN_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
SINKS: dict[str, Any] = {
    ".csv": pl.LazyFrame.sink_csv,
    ".parquet": pl.LazyFrame.sink_parquet,
    ".ndjson": pl.LazyFrame.sink_ndjson,
    ".jsonl": pl.LazyFrame.sink_ndjson,
    ".arrow": pl.LazyFrame.sink_ipc,
    ".ipc": pl.LazyFrame.sink_ipc,
    ".feather": pl.LazyFrame.sink_ipc,
}


def check_suffix(path: Path | None) -> None:
    """Refuse a name whose ending is not that of a format."""
    if path is not None and path.suffix.lower() not in SINKS:
        raise OptionError(f"{path}: the name must end in one of {', '.join(SINKS)}")


def harmless(found: pl.LazyFrame, path: Path | None, as_json: bool) -> pl.LazyFrame:
    """The table made safe for a spreadsheet: an apostrophe before texts and names that it would take for formulas."""
    if as_json if path is None else path.suffix.lower() != ".csv":
        raise OptionError("--safe-csv is for CSV only: in the other formats, a text cannot be taken for a formula")
    schema = found.collect_schema()
    texts = [pl.col(name) for name, kind in schema.items() if kind == pl.String]
    is_formula = [text.str.contains(FORMULA) & ~text.str.contains(PLAIN_NUMBER) for text in texts]
    safe = [
        pl.when(risky).then("'" + text).otherwise(text).name.keep()
        for risky, text in zip(is_formula, texts, strict=True)
    ]
    return found.with_columns(safe).rename({name: f"'{name}" for name in schema if re.match(FORMULA, name)})


def to_file(found: pl.LazyFrame, path: Path, force: bool) -> None:
    """Stream a table into a file whose suffix is that of the format; the file appears only when it is whole."""
    check_suffix(path)
    with drafted(path, replace=force) as draft:
        SINKS[path.suffix.lower()](found, draft, maintain_order=True)


def stream(found: pl.LazyFrame, as_json: bool) -> None:
    """Write a table to standard output, as CSV or as a JSON object per line."""
    first = True
    for block in found.collect_batches(chunk_size=ROWS, maintain_order=True, lazy=True):
        text = visible_json(block.write_ndjson()) if as_json else block.write_csv(include_header=first)
        to_stdout(text.encode())
        first = False
    if first and not as_json:
        to_stdout(",".join(found.collect_schema().names()).encode() + b"\n")
    sys.stdout.flush()


def to_stdout(data: bytes) -> None:
    """Write to standard output; on a terminal, control characters are made visible."""
    output.write(visible_lines(data.decode()).encode() if output.is_terminal() else data)


@contextmanager
def explained(model: Model, table: Table) -> Iterator[None]:
    """Turn errors of Polars into ours, which name the row, the column and the file."""
    with named(table):
        try:
            yield
        except pl.exceptions.PolarsError as error:
            raise complaint(model, table) or TableError(first_line(error)) from error


def on_unseen(unseen: Unseen, encoding: Encoding) -> Iterator[str]:
    """A sentence for each column with values that the rule does not know."""
    counted_as = {
        column.name: f"; counted as {column.no}" for column in encoding.used if isinstance(column, YesNoColumn)
    }
    for column, cells in sorted(unseen.counts.items()):
        example, end = unseen.examples[column], counted_as.get(column, "")
        shown = repr(example if len(example) <= LONGEST else f"{example[: LONGEST - 3]}...")
        if cells == 1:
            yield f"{column!r}: 1 cell holds a value that the rule does not know, {shown}{end}"
        else:
            yield f"{column!r}: {cells:,} cells hold values that the rule does not know, such as {shown}{end}"


def in_words(cut_off: CutOff | None, left: LeftToPeople, judged: ErrorInTable | None) -> Iterator[str]:
    """How the rows were decided, and how well."""
    if cut_off is not None:
        yield cut_off.statement
        if cut_off.warning is not None:
            yield cut_off.warning
    if judged is not None:
        yield judged.statement
    elif left.rows:
        yield f"Left to people: {many(left.rows, 'row')}."


def summary(
    command: str,
    model: Path,
    output: Path,
    judged: ErrorInTable | None,
    unseen: Unseen,
    left: LeftToPeople,
    cut_off: CutOff | None = None,
) -> dict[str, Any]:
    """What was written, for a program."""
    written = {"command": command, "model": str(model), "output": str(output)}
    error = None if judged is None or judged.error is None else asdict(judged.error)
    cut = None if cut_off is None else cut_off.record
    found = sorted(unseen.counts.items())
    each = [{"column": column, "cells": cells, "example": unseen.examples[column]} for column, cells in found]
    return written | {"error": error, "asked": left.rows, "cut_off": cut, "unseen": each}
