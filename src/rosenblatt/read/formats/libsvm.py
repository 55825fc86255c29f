"""LIBSVM files: a label, then the number and the value of each feature that is not zero.

    +1 3:1 7:0.5   # a comment

Result: a CSR matrix (feature k in column k - 1) and the labels as text, whole numbers as "1" rather than "+1" or "1.0".
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from rosenblatt.errors import TableError
from rosenblatt.read.files import File, MemoryBudget, Scratch, damage, plain
from rosenblatt.read.table import TROUBLE, Table

if TYPE_CHECKING:
    from rosenblatt.rows.kernels import Array

LINES = 50_000  # at a time
LABEL_BYTES = 64  # of a short text in a list
LOOKS_LIKE = re.compile(r"[+-]?\d+(\.\d+)?([ \t]+qid:\d+)?([ \t]+\d+:[^\s:]+)+[ \t]*(#.*)?")
LARGEST_INDEX = 2**31 - 1


def looks_like_libsvm(text: str) -> bool:
    """Whether the first lines have a label and numbered values."""
    lines = [line.strip() for line in text.splitlines()[:20] if line.strip()]
    return bool(lines) and all(map(LOOKS_LIKE.fullmatch, lines[: max(1, len(lines) - 1)]))


def read_libsvm(files: Sequence[File], shown: str, scratch: Scratch) -> Table:
    """Read LIBSVM files as one table."""
    import numpy as np  # imported late, because reading begins while the rest of a command is still loading
    from scipy.sparse import csr_array

    parts, room = [], MemoryBudget(shown)
    for part in (part for file in files for part in _parts(plain(file, scratch))):
        parts.append(part)
        room.take(
            LABEL_BYTES * len(part[0]) + 2 * sum(array.nbytes for array in part[1:])
        )  # twice, because they are joined later
    labels = [label for part in parts for label in part[0]]
    if not labels:
        raise TableError(f"{shown}: the file has no rows")
    counts, columns, values = (np.concatenate([part[k] for part in parts]) for k in (1, 2, 3))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32 if columns.size < 2**31 else np.int64)
    width = int(columns.max()) + 1 if columns.size else 0
    X = csr_array((values, columns, starts), (len(labels), width))
    occurring = np.unique(columns).size
    last = f", the last one is number {width}" if occurring < width else ""
    return Table(shown, sparse=(X, labels), notes=(f"LIBSVM: {occurring} numbered features{last}",))


def _parts(file: File) -> Iterator["tuple[list[str], Array, Array, Array]"]:
    """Labels, entries per row, columns and values, in batches of lines."""
    first = 1
    try:
        scan = pl.scan_lines(file.path, glob=False)
        for lines in scan.collect_batches(chunk_size=LINES, maintain_order=True, lazy=True):
            yield _parsed(file, lines.to_series(), first)
            first += lines.height
    except TROUBLE as error:
        raise TableError(f"{file.shown}: {damage(error)}") from error


def _parsed(file: File, lines: pl.Series, first: int) -> "tuple[list[str], Array, Array, Array]":
    import numpy as np

    line = pl.col("line")
    if lines.str.contains("#", literal=True).any():
        line = line.str.replace(r"#.*$", "")
    for blank in "\t\r\ufeff":
        if lines.str.contains(blank, literal=True).any():
            line = line.str.replace_all(blank, " ", literal=True)
    words = (
        pl.DataFrame({"line": lines})
        .with_row_index("number", first)
        .select("number", word=line.str.split(" "))
        .explode("word", empty_as_null=False, keep_nulls=False)
        .filter((pl.col("word") != "") & ~pl.col("word").str.starts_with("qid:"))
    )
    begins = (words["number"] != words["number"].shift(1)).fill_null(True)
    labels = words.filter(begins).with_columns(value=pl.col("word").cast(pl.Float64, strict=False))
    _refuse(file, labels.filter(~pl.col("value").is_finite().fill_null(False)), "the label {} is not a number")
    pair = pl.col("word").str.split_exact(":", 1)
    entries = words.filter(~begins).with_columns(
        index=pair.struct.field("field_0").cast(pl.Int64, strict=False),
        value=pair.struct.field("field_1").cast(pl.Float64, strict=False),
    )
    _check(file, entries)
    counts = np.bincount(entries["number"].to_numpy() - first, minlength=len(lines))
    columns = (entries["index"] - 1).cast(pl.Int32).to_numpy()
    return _texts(labels), counts[labels["number"].to_numpy() - first], columns, entries["value"].to_numpy()


def _check(file: File, entries: pl.DataFrame) -> None:
    bad = pl.col("index").is_null() | pl.col("value").is_null()
    _refuse(file, entries.filter(bad), "{} is not a feature number and a value, such as 3:0.5")
    _refuse(file, entries.filter(~pl.col("value").is_finite()), "{} is not a finite value")
    low = pl.col("index") < 1
    _refuse(file, entries.filter(low), "feature numbers start at 1, but there is {}; add 1 to every number")
    high = pl.col("index") > LARGEST_INDEX
    _refuse(file, entries.filter(high), "the feature number in {} is too large")
    same_line = pl.col("number") == pl.col("number").shift(1)
    falls = same_line & (pl.col("index") <= pl.col("index").shift(1))
    _refuse(file, entries.filter(falls), "feature numbers must increase, but {} does not")


def _refuse(file: File, bad: pl.DataFrame, complaint: str) -> None:
    if bad.height:
        found = bad.row(0, named=True)
        raise TableError(f"{file.shown}, line {found['number']}: {complaint.format(repr(found['word']))}")


def _texts(labels: pl.DataFrame) -> list[str]:
    """Labels as text: "1" rather than "+1" or "1.0"."""
    value = pl.col("value")
    whole = (value == value.round()) & (value.abs() < 2.0**53)
    text = pl.when(whole).then(pl.when(whole).then(value).cast(pl.Int64).cast(pl.String)).otherwise(pl.col("word"))
    return labels.select(text).to_series().to_list()
