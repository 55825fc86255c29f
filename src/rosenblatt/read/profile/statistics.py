"""The statistics of all columns, in one pass over a table.

Input: a `Table`, in memory or larger, and which rows are held out, if any. Result: a `Profile` of every column, with a
second one of the training rows only.
Memory is bounded: anything that requires remembering all values (which are distinct, how often each occurs, whether a
value occurs with one class only) is dropped for a column as soon as the answer is known, usually in the first block.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.read.dates import FORMS, days, has_form
from rosenblatt.read.profile.moments import Moments, add_cells
from rosenblatt.read.table import Table
from rosenblatt.read.values import CODE, WRITTEN, as_text
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.threads import in_pieces

ROWS, FEWEST_ROWS, CELLS = 2**19, 2**14, 2**23  # in a block
WORK = 20  # the cost of a cell, in numbers of a plain pass
GLANCE, LOOK = 2**11, 2**14  # rows in a first and a second sample
FEW = 16  # different numbers in a column whose values are still counted
MOSTLY = 9  # numbers for each other text in a column that gets a note about it
KEPT = 1000  # most frequent values of a column
REMEMBERED = 2**18  # different values counted per column; the rarest beyond are forgotten
WATCHED = 2**24  # rows after which values that were all distinct are assumed to remain so
FEWEST_DIGITS = 6  # in a date of any format
VALUE, CLASS, COUNT = "value", "class", "count"
HeldOut = Callable[[int, int], Array]  # which of the rows from `first` up to `last` are held out


@dataclass(frozen=True)
class Profile:
    """The statistics of a column."""

    name: str
    dtype: pl.DataType
    rows: int
    nulls: int
    odd: int = 0  # numbers that are not finite
    least: float = 0.0
    most: float = 0.0
    mean: float = 0.0
    deviation: float = 0.0
    distinct: int = 0  # a lower bound on the different values; exact if `values` or `all_distinct` say so
    all_distinct: bool = False
    values: tuple[tuple[str, int], ...] = ()  # the most frequent values as text, with counts
    more: int = 0  # values not in `values`
    words: float = 0.0  # in a text, on average
    forms: tuple[str, ...] = ()  # date formats that all values have
    numbers: bool = False  # whether all texts are numbers, as people write them
    no_number: str = ""  # a text that is not a number, if most are
    decides: str = ""  # "value" or "threshold", if the target follows from this column alone
    first_null: int | None = None  # the first row without a value, from 1
    of_learned: "Profile | None" = None  # the profile of the training rows, if others are held out

    @property
    def learned(self) -> "Profile":
        """The profile of the training rows."""
        return self if self.of_learned is None else self.of_learned

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.dtype.is_numeric()

    @property
    def consecutive(self) -> bool:
        """Whether the values are whole numbers that follow one another without a gap."""
        there = self.rows - self.nulls
        return self.all_distinct and self.dtype.is_integer() and self.most - self.least == there - 1


def statistics_of(
    table: Table, target: str | None = None, counted: Iterable[str] = (), held_out: HeldOut | None = None
) -> dict[str, Profile]:
    """The profile of every column; values of the `counted` columns are counted even if there are many."""
    columns = table.columns

    def watches() -> dict[str, _RunningStatistics]:
        return {
            name: _RunningStatistics(name, dtype, name in counted or name == target) for name, dtype in columns.items()
        }

    names, every, learned = list(columns), watches(), watches() if held_out is not None else {}

    def add(block: pl.DataFrame, kept: pl.Series, first: int, last: int) -> None:
        for name in names[first:last]:
            other = None if target is None or name == target else target
            few = narrow(block, name, other)
            every[name].add(few, other)
            if learned:
                learned[name].add(narrow(few, name).filter(kept), None)

    for block, kept in marked_blocks(table, held_out):
        in_pieces(partial(add, block, kept), 0, len(names), block.height * WORK)
    own = {name: watch.profile() for name, watch in learned.items()}
    return {name: replace(watch.profile(), of_learned=own.get(name)) for name, watch in every.items()}


def number_in(name: str, dtype: pl.DataType) -> pl.Expr | None:
    """The numbers of a column as Float64, dates as days; None if the column has no numbers."""
    if dtype.is_numeric():
        return pl.col(name).cast(pl.Float64)
    if isinstance(dtype, pl.Date | pl.Datetime):
        return days(pl.col(name), "").cast(pl.Float64)
    return None


def narrow(block: pl.DataFrame, *names: str | None) -> pl.DataFrame:
    """The frame with these columns only, because Polars visits every column of a frame in each query."""
    return pl.DataFrame([block[name] for name in names if name is not None])


def marked_blocks(table: Table, held_out: HeldOut | None) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
    """The rows in blocks, with a mask of the training rows in each."""
    before = 0
    for block in even_blocks(table):
        after = before + block.height
        yield block, pl.Series(np.ones(block.height, np.bool_) if held_out is None else ~held_out(before, after))
        before = after


def even_blocks(table: Table) -> Iterator[pl.DataFrame]:
    """The rows in blocks of a fixed size, however the table is stored."""
    rows = min(ROWS, max(CELLS // len(table.columns), FEWEST_ROWS))
    waiting: list[pl.DataFrame] = []
    for block in table.blocks(rows):
        waiting.append(block)
        if sum(part.height for part in waiting) >= rows:
            whole = pl.concat(waiting) if len(waiting) > 1 else block
            yield whole[:rows]
            waiting = [whole[rows:]]
    if waiting and (last := pl.concat(waiting)).height:
        yield last


@dataclass
class _RunningStatistics:
    """The running statistics of a column, block by block."""

    name: str
    dtype: pl.DataType
    always: bool  # count values even if they are many
    rows: int = 0
    nulls: int = 0
    moments: Moments = field(default_factory=Moments)
    first_null: int | None = None
    seen: list[pl.Series] | None = field(default_factory=list)  # hashes, while all values are distinct
    counts: pl.DataFrame | None = None
    counting: bool = True
    forgotten: bool = False
    distinct: int = 0
    forms: tuple[str, ...] = FORMS
    number_texts: int = 0  # different texts of a block that are numbers
    other_texts: int = 0  # different texts that are not
    other_text: str = ""
    pairs: pl.DataFrame | None = None  # values, each with its only class
    by_value: bool = True
    ranges: dict[Any, tuple[float, float]] = field(default_factory=dict)  # of each class
    by_threshold: bool = True

    def add(self, block: pl.DataFrame, target: str | None) -> None:
        """Add a block."""
        before, self.rows = self.rows, self.rows + block.height
        if (number := number_in(self.name, self.dtype)) is not None:
            add_cells(block.select(number).to_series(), self.moments)
        if not _is_plain(self.dtype):
            self.nulls += block[self.name].null_count()
            self.counting, self.seen, self.by_value, self.by_threshold = False, None, False, False
            return
        column = block[self.name]
        if nulls := column.null_count():
            self.nulls += nulls
            if self.first_null is None:
                self.first_null = before + int(column.is_null().arg_max() or 0) + 1
        if not before:
            self._stop_counting_numbers(column[:GLANCE])
        if self.counting or self.seen is not None:
            self._count(column)
        if target is None:
            self.by_value = self.by_threshold = False
        for part in (block[:GLANCE], block[:LOOK], block):  # a few rows rule out most columns
            if self.by_value:
                self._check_values(part, target or "")
            if self.by_threshold:
                self._check_threshold(part, target or "")

    def _stop_counting_numbers(self, first: pl.Series) -> None:
        """Stop counting numbers if there are many, or if they repeat."""
        there = first.drop_nulls()
        self.distinct = (there.filter(there.is_finite()) if self.dtype.is_float() else there).n_unique()
        if self.dtype.is_numeric() and not self.always:
            self.counting = self.distinct <= FEW
            if self.dtype.is_float() or self.distinct < len(first) - first.null_count():
                self.seen = None

    def _count(self, column: pl.Series) -> None:
        there = column.drop_nulls().rename(VALUE)
        if self.dtype.is_float():
            there = there.filter(there.is_finite())
        counts = there.value_counts(name=COUNT)
        self.distinct = max(self.distinct, counts.height)
        if self.seen is not None:
            if counts.height < len(there):
                self.seen = None
            elif sum(map(len, self.seen)) < WATCHED:
                self.seen.append(there.hash())
        if self.counting:
            if self.dtype == pl.String and self.forms:
                self._drop_date_formats(counts[VALUE])
            if self.dtype == pl.String and (self.number_texts or not self.other_texts):
                self._count_numbers(counts[VALUE])
            self._merge(counts)

    def _merge(self, counts: pl.DataFrame) -> None:
        """Add a block's counts to those so far."""
        counts = counts.with_columns(pl.col(COUNT).cast(pl.Int64))
        if self.counts is not None:
            counts = pl.concat([self.counts, counts]).group_by(VALUE).agg(pl.col(COUNT).sum())
        self.distinct = max(self.distinct, counts.height)
        if self.dtype.is_numeric() and counts.height > FEW and not self.always:
            self.counting, self.counts = False, None
            return
        if counts.height > REMEMBERED:
            counts = counts.sort(COUNT, VALUE, descending=[True, False]).head(REMEMBERED // 2)
            self.forgotten = True
        self.counts = counts

    def _drop_date_formats(self, values: pl.Series) -> None:
        """Drop the date formats that do not fit every value."""
        if len(values) and sum(map(str.isdigit, values[0])) < FEWEST_DIGITS:
            self.forms = ()
        self.forms = tuple(form for form in self.forms if has_form(values, form))

    def _count_numbers(self, values: pl.Series) -> None:
        """Count the texts that are numbers, as people write them, and those that are not."""
        fit = values.str.contains(WRITTEN) & ~values.str.contains(CODE)
        self.number_texts += int(fit.sum())
        if others := len(values) - int(fit.sum()):
            self.other_texts += others
            self.other_text = self.other_text or str(values.filter(~fit).min())

    def _check_values(self, block: pl.DataFrame, target: str) -> None:
        """Check whether every value still occurs with one class only."""
        pairs = block.select(pl.col(self.name).alias(VALUE), pl.col(target).alias(CLASS)).unique()
        pairs = pairs if self.pairs is None else pl.concat([self.pairs, pairs]).unique()
        seldom_again = self.dtype.is_float() and 2 * pairs.height > block.height >= LOOK
        self.by_value = pairs[VALUE].n_unique() == pairs.height <= REMEMBERED and not seldom_again
        self.pairs = pairs if self.by_value else None

    def _check_threshold(self, block: pl.DataFrame, target: str) -> None:
        """Check whether some threshold still separates two classes."""
        number = number_in(self.name, self.dtype)
        if number is None or self.nulls:
            self.by_threshold = False
            return
        ends = block.group_by(pl.col(target).alias(CLASS)).agg(number.min().alias("a"), number.max().alias("b"))
        for label, low, high in ends.rows():
            if low is None:  # dates beyond the years 1 to 9999 only
                self.by_threshold = False
                return
            old = self.ranges.get(label, (low, high))
            self.ranges[label] = min(low, old[0]), max(high, old[1])
        self.by_threshold = len(self.ranges) == 1 or _do_not_overlap(list(self.ranges.values()))

    def profile(self) -> Profile:
        """The resulting profile."""
        rows, moments = self.rows, self.moments
        all_distinct = self.seen is not None and rows - self.nulls > 1 and self._hashes_differ()
        if all_distinct:
            self.distinct = rows - self.nulls
        mean, deviation = moments.mean_and_deviation()
        values, more, words = self._values()
        return Profile(
            self.name, self.dtype, rows, self.nulls, moments.odd, moments.least, moments.most, mean, deviation,
            self.distinct, all_distinct, values, more, words,
            self.forms if self.dtype == pl.String and self.counts is not None else (),
            self.number_texts > 0 == self.other_texts,
            self.other_text if self.number_texts > MOSTLY * self.other_texts else "",
            self._decides(rows), self.first_null,
        )  # fmt: skip

    def _hashes_differ(self) -> bool:
        hashes = pl.concat(self.seen) if self.seen else pl.Series([], dtype=pl.UInt64)
        return hashes.n_unique() == len(hashes)

    def _values(self) -> tuple[tuple[tuple[str, int], ...], int, float]:
        """The most frequent values as text, how many more there are, and the mean number of words."""
        if self.counts is None or not self.counts.height:
            return (), 0, 0.0
        text = self.counts.select(as_text(pl.col(VALUE)).alias(VALUE), COUNT)
        text = text.sort(COUNT, VALUE, descending=[True, False])
        many, total = text.select(
            (pl.col(VALUE).str.count_matches(r"\S+") * pl.col(COUNT)).sum().alias("many"), pl.col(COUNT).sum()
        ).row(0)
        kept = text if self.always else text.head(KEPT)
        return tuple(kept.rows()), self.distinct - kept.height, float(many / total)

    def _decides(self, rows: int) -> str:
        if self.by_threshold and len(self.ranges) == 2:
            return "threshold"
        if self.by_value and self.pairs is not None and self.pairs[CLASS].n_unique() > 1:
            return "value" if 2 * self.pairs.height <= rows else ""
        return ""


def _is_plain(dtype: pl.DataType) -> bool:
    """Whether a column holds numbers, texts, dates, or true and false."""
    return dtype.is_numeric() or isinstance(dtype, pl.String | pl.Boolean | pl.Date | pl.Datetime | pl.Null)


def _do_not_overlap(ranges: list[tuple[float, float]]) -> bool:
    """Whether two ranges do not overlap."""
    return len(ranges) == 2 and (ranges[0][1] < ranges[1][0] or ranges[1][1] < ranges[0][0])
