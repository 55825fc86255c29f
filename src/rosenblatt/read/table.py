"""The table that was read, in memory or block by block."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from rosenblatt.errors import TableError

if TYPE_CHECKING:  # reading a table begins before these are loaded
    from scipy.sparse import csr_array

    from rosenblatt.rows.kernels import Array

BLOCK = 100_000  # rows
LABEL = "label"  # the name of a LIBSVM file's target
TROUBLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)  # raised by reading a broken file


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with named columns (`frame`), or with numbered features (`sparse`: a CSR matrix and the labels' texts).

    Keep the table alive as long as its lazy frame: it owns the temporary files that the frame reads.
    """

    source: str  # for messages
    frame: pl.DataFrame | pl.LazyFrame | None = None
    sparse: "tuple[csr_array, list[str]] | None" = None
    hints: Mapping[str, str] = field(default_factory=dict)  # kinds of columns that the file itself declares
    notes: tuple[str, ...] = ()  # findings about the file, in sentences
    rows: "Array | None" = None  # the numbers of the rows in the file, from 1, if some were left out
    explain: Callable[[BaseException], TableError] | None = field(default=None, repr=False)
    scratch: Any = field(default=None, repr=False)  # temporary files

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """The names and types of the columns; for a LIBSVM file, only its label."""
        if self.frame is None:
            return {LABEL: pl.String()}
        with self.readable():
            return dict(self.frame.collect_schema())

    @property
    def is_large(self) -> bool:
        """Whether the table stays on disk and is read in blocks."""
        return isinstance(self.frame, pl.LazyFrame)

    @property
    def height(self) -> int:
        """The number of rows; takes a pass over the file if it is large."""
        if self.sparse is not None:
            return int(self.sparse[0].shape[0])
        if isinstance(self.frame, pl.DataFrame):
            return self.frame.height
        return int(self.select(pl.len()).item())

    def select(self, *expressions: Any) -> pl.DataFrame:
        """Evaluate expressions in one pass, in bounded memory."""
        assert self.frame is not None
        with self.readable():
            return self.frame.lazy().select(*expressions).collect(engine="streaming" if self.is_large else "in-memory")

    def whole(self) -> Any:
        """All rows in memory: a data frame, or a CSR matrix."""
        if self.sparse is not None:
            return self.sparse[0]
        if isinstance(self.frame, pl.DataFrame):
            return self.frame
        assert self.frame is not None
        with self.readable():
            return self.frame.collect(engine="streaming")

    def blocks(self, size: int = BLOCK) -> Iterator[Any]:
        """All rows in the order of the file, at most `size` at a time: data frames, or CSR matrices."""
        if isinstance(self.frame, pl.LazyFrame):
            with self.readable():
                for batch in self.frame.collect_batches(chunk_size=size, maintain_order=True, lazy=True):
                    yield from batch.iter_slices(size)
        elif self.frame is not None:
            yield from self.frame.iter_slices(size)
        elif self.sparse is not None:
            X, _ = self.sparse
            for start in range(0, X.shape[0], size):
                yield X[start : start + size]

    def with_known(self, column: str) -> "Table":
        """The rows that have a value in this column."""
        if self.frame is None or column not in self.columns:
            return self
        known = pl.col(column).is_not_null()
        there = self.select(known).to_series()
        dropped = len(there) - int(there.sum())
        if not dropped:
            return self
        rows = there.arg_true().to_numpy() + 1 if self.rows is None else self.rows[there.to_numpy()]
        count = "1 row" if dropped == 1 else f"{dropped} rows"
        note = f"{count} without a value of {column!r} left out"
        return replace(self, frame=self.frame.filter(known), rows=rows, notes=(*self.notes, note))

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Turn Polars errors while reading into a one-line error about the file."""
        try:
            yield
        except TROUBLE as error:
            if self.explain is not None:
                raise self.explain(error) from error
            raise TableError(f"{self.source}: {first_line(error)}") from error


def refuse_patterns(source: str, names: Iterable[str]) -> None:
    """Refuse column names that Polars treats as a pattern."""
    for name in names:
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise TableError(f"{source}: the column name {name!r} is a pattern to Polars; rename the column")


def refuse_other_types(names: Iterable[str], there: Mapping[str, Any], source: str = "") -> None:
    """Refuse columns whose cells are not single values that a rule can use: lists, structures, bytes, times of day."""
    for name in names:
        kind = there.get(name)
        if kind is not None and (kind.is_nested() or kind in (pl.Binary, pl.Object, pl.Time, pl.Duration)):
            raise TableError(
                f"{source}{': ' if source else ''}column {name!r} is of type {kind}; "
                "its cells must be numbers, texts, dates, or true/false"
            )


def first_line(error: BaseException) -> str:
    """The message of an error, without the advice that follows."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
