"""The kinds of columns, and how each becomes features.

Features are short: 0 or 1, or a number clipped to a range and rounded to a grid of 24 bits. `encoding` explains why.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import accumulate
from math import ceil, floor, frexp, inf, ldexp, log2
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
import scipy  # its parts are loaded when they are used

from rosenblatt.read.dates import days
from rosenblatt.read.encode import feature_kernels
from rosenblatt.read.encode.lookup import Lookup, Unseen, places_of
from rosenblatt.read.values import BLANKS, MISSING, Spellings, as_text, numbers_in, texts_of
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array, fixed

BITS = 24  # of a feature: the precision of float32
REACH = (2, 10)  # a number is clipped at 2^2 to 2^10 of its scales from the centre, and at twice what was seen
LARGEST, SMALLEST = 2.0**950, 2.0**-950  # scales; beyond, the arithmetic of the rounding would overflow
FINEST = 2.0**-50  # of the largest value: finer steps are lost in doubles anyway
SEPARATORS = string.whitespace + string.punctuation
OMITTED_IF_EMPTY = ("numbers", "written", "whole")  # fields that a record omits when empty


@dataclass(frozen=True)
class Feature:
    """A number that the rule sees: its column, and its meaning."""

    column: str
    meaning: str
    reach: float = 1.0  # never larger than this
    grain: float = 1.0  # always a whole multiple of this
    scale: float = 1.0  # a power of two that weights may be divided by instead


@dataclass(frozen=True)
class EncodedColumn:
    """A column, and how it becomes features."""

    name: str

    kind: ClassVar[str]

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features of this column."""
        return ()

    @property
    def size(self) -> int:
        """The number of features."""
        return len(self.features)

    @property
    def parts(self) -> "tuple[EncodedColumn, ...]":
        """The column as columns of one feature in each row; each has the next feature, the last one all that follow."""
        return (self,)

    def as_record(self) -> dict[str, Any]:
        """The column as plain lists, numbers and texts, for JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        kept = {name: value for name, value in values.items() if value or name not in OMITTED_IF_EMPTY}
        return {"kind": self.kind, **{k: list(v) if isinstance(v, tuple) else v for k, v in kept.items()}}


@dataclass(frozen=True)
class NumberColumn(EncodedColumn):
    """A number, clipped and rounded: ((x + M) - M - centre) / scale with M = 1.5 * 2^52 * step; 0 where missing.

    Because scale is a power of two, dividing by it and multiplying by a short weight can be one operation.
    """

    centre: float
    scale: float  # a power of two
    step: float  # a power of two
    lowest: float
    highest: float
    missing: bool  # whether a second feature says that there is no finite number
    written: bool = field(default=False, kw_only=True)  # whether texts such as 1,000 and 12% are numbers
    whole: bool = field(default=False, kw_only=True)  # whether all were whole numbers

    kind = "number"

    @classmethod
    def of(cls, name: str, *, least: float, most: float, mean: float, deviation: float, missing: bool) -> Self:
        """A grid for numbers from `least` to `most` with this mean and a standard deviation above 0."""
        largest = min(max(abs(least), abs(most)), LARGEST)
        finest = ldexp(1.0, frexp(largest * FINEST)[1])
        scale = min(max(power_of_two(deviation), finest, SMALLEST), LARGEST)
        half = scale / 2  # differences of halves do not overflow
        far = max((most / 2 - mean / 2) / half, (mean / 2 - least / 2) / half, 1.0)
        octaves = min(max(ceil(log2(min(far, 2.0**20))) + 1, REACH[0]), REACH[1])
        step = max(ldexp(scale, octaves - BITS), finest)
        centre = round(min(max(mean, -LARGEST), LARGEST) / step) * step
        reach = max(ldexp(scale, octaves), 8 * step)
        return cls(name, centre, scale, step, centre - reach, centre + reach, missing)

    @property
    def features(self) -> tuple[Feature, ...]:
        """The number, and whether it is missing."""
        reach = max(self.highest - self.centre, self.centre - self.lowest) / self.scale
        number = Feature(self.name, self.name, reach, self.step / self.scale, self.scale)
        return (number, Feature(self.name, f"{self.name} is missing")) if self.missing else (number,)

    @property
    def rounder(self) -> float:
        """M: a double has no digits below `step` at this size, so adding and subtracting it rounds, half to even."""
        return 1.5 * 2.0**52 * self.step

    @property
    def cells(self) -> pl.Expr:
        """The numbers in this column."""
        read = partial(numbers_in, written=self.written)
        return pl.col(self.name).map_batches(read, return_dtype=pl.Float64, is_elementwise=True)

    @property
    def value(self) -> pl.Expr:
        """The finite numbers in this column; null otherwise."""
        return pl.when(self.cells.is_finite()).then(self.cells)

    def add(self, cells: pl.Series, weights: Sequence[float], out: Array) -> None:
        """Add the first weight times the number, or the second weight if the number is missing."""
        grid = (self.lowest, self.highest, self.rounder, self.centre, weights[0] / self.scale)
        grade = briefly(feature_kernels.grade, out.size)
        grade(fixed(cells.to_numpy()), *grid, weights[1] if len(weights) > 1 else 0.0, out)


@dataclass(frozen=True)
class DateColumn(NumberColumn):
    """A date as whole days since 1970-01-01, then as a number."""

    format: str = ""  # the format of dates that are text; empty for ISO 8601

    kind = "date"

    @property
    def cells(self) -> pl.Expr:
        """The dates in this column, as days."""
        return days(pl.col(self.name), self.format).cast(pl.Float64)


@dataclass(frozen=True)
class StepColumn(NumberColumn):
    """A number in steps: a feature for every edge, 1 where the number is not below it.

    So the weight of an edge is what the step above it has more points than the step below. A tree takes the number.
    """

    edges: tuple[float, ...] = ()

    kind = "steps"

    @property
    def features(self) -> tuple[Feature, ...]:
        """One for each edge, then for a missing number, if there was one."""
        steps = tuple(Feature(self.name, f"{self.name} is at least {edge:.15g}") for edge in self.edges)
        return (*steps, Feature(self.name, f"{self.name} is missing")) if self.missing else steps

    @property
    def parts(self) -> "tuple[StepColumn, ...]":
        """A column for each edge."""
        last = len(self.edges) - 1
        return tuple(
            replace(self, edges=(edge,), missing=self.missing and k == last) for k, edge in enumerate(self.edges)
        )

    def worth(self, weights: Sequence[float]) -> list[float]:
        """The points of each step, the lowest first, and then of a missing number."""
        many = len(self.edges)
        steps = [0.0, *accumulate(weights[:many])]
        return [*steps, weights[many] if len(weights) > many else 0.0]

    def add(self, cells: pl.Series, weights: Sequence[float], out: Array) -> None:
        """Add the points of each number's step, or those of a missing one."""
        numbers = cells.to_numpy()
        places = np.searchsorted(np.array(self.edges), numbers, side="right")
        places[~np.isfinite(numbers)] = len(self.edges) + 1
        out += np.array(self.worth(weights), dtype=out.dtype)[places]


@dataclass(frozen=True)
class CategoryColumn(EncodedColumn):
    """One of several values: a feature for each, which is 1 for that value."""

    values: tuple[str, ...]
    other: bool  # whether all other values share a feature; otherwise they have none
    missing: bool

    kind = "category"

    @property
    def features(self) -> tuple[Feature, ...]:
        """One for each value, then for any other value and for a missing one, if those were seen."""
        named = [Feature(self.name, f"{self.name} = {value}") for value in self.values]
        rest = [Feature(self.name, f"{self.name} = any other")] if self.other else []
        none = [Feature(self.name, f"{self.name} is missing")] if self.missing else []
        return (*named, *rest, *none)

    @property
    def cells(self) -> pl.Expr:
        """The cells of this column."""
        return pl.col(self.name)

    @property
    def known(self) -> tuple[str, ...]:
        """All values that have a name."""
        return self.values

    @property
    def spellings(self) -> Spellings:
        """How the known values may be written."""
        return self.lookup.spellings

    @cached_property
    def lookup(self) -> Lookup:
        """Which of the known values a cell has."""
        return Lookup(self.known)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the lookup, because another version of Polars may hash differently."""
        return {name: value for name, value in vars(self).items() if not isinstance(value, Lookup)}

    def worth(self, weights: Sequence[float]) -> list[float]:
        """The weight for each known value, then for any other value and for a missing one."""
        k = len(self.values)
        nameless = [0.0] * (len(self.known) - k)
        return [*nameless, *weights[:k], weights[k] if self.other else 0, weights[-1] if self.missing else 0]


@dataclass(frozen=True)
class YesNoColumn(CategoryColumn):
    """A column of two values: one feature, 1 for the yes. `values` has the yes only, `no` the other."""

    no: str = ""

    kind = "yes/no"

    @property
    def known(self) -> tuple[str, ...]:
        """The no and the yes."""
        return (self.no, *self.values)


@dataclass(frozen=True)
class TextColumn(EncodedColumn):
    """Free text: a feature for every word of a vocabulary, 1 where the word occurs.

    Words are separated by ASCII white space and punctuation; ASCII capital letters are made lower case.
    """

    words: tuple[str, ...]

    kind = "text"

    @property
    def features(self) -> tuple[Feature, ...]:
        """One for each word."""
        return tuple(Feature(self.name, f"{self.name} has {word!r}") for word in self.words)

    @property
    def places(self) -> pl.Expr:
        """The indices of the words that occur, in order, as a list."""
        number = pl.element().replace_strict(
            list(self.words), range(len(self.words)), default=None, return_dtype=pl.Int32
        )
        return split(present_texts(self.name)).list.eval(number.drop_nulls()).list.unique().list.sort()


@dataclass(frozen=True)
class HashedTextColumn(TextColumn):
    """Free text with words hashed into a fixed number of buckets: no vocabulary, and no names."""

    buckets: int = 2**18

    kind = "hashed text"

    @property
    def size(self) -> int:
        """The number of features."""
        return self.buckets

    @property
    def features(self) -> tuple[Feature, ...]:
        """One for each bucket."""
        return tuple(Feature(self.name, f"{self.name} has a word of bucket {k}") for k in range(self.buckets))

    @property
    def places(self) -> pl.Expr:
        """The buckets of the words that occur, in order, as a list."""
        found = split(present_texts(self.name)).list.unique()
        return found.map_elements(
            lambda words: sorted({bucket_of(word, self.buckets) for word in words}), return_dtype=pl.List(pl.Int32)
        )


@dataclass(frozen=True)
class SparseColumn(EncodedColumn):
    """Numbered features, most of them zero, as in LIBSVM files: clipped and rounded on one grid.

    If few of the numbers up to the last occur, only those are features.
    """

    count: int
    step: float
    highest: float
    numbers: tuple[int, ...] = ()  # of the features, in order; empty: 1, 2, ..., count

    kind = "sparse"

    @classmethod
    def of(cls, name: str, count: int, largest: float, numbers: tuple[int, ...] = ()) -> Self:
        """A grid for values up to `largest` in absolute value."""
        octaves = min(max(ceil(log2(largest)) if largest > 0 else 0, -100), 126) + 1  # features are held as float32
        return cls(name, count, ldexp(1.0, octaves - BITS), ldexp(1.0, octaves), numbers)

    @property
    def size(self) -> int:
        """The number of features."""
        return self.count

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features, named by their numbers, from 1."""
        return tuple(Feature(self.name, str(number), self.highest, self.step) for number in self.all_numbers)

    @property
    def all_numbers(self) -> Sequence[int]:
        """The number of every feature."""
        return self.numbers or range(1, self.count + 1)

    def known(self, X: Any) -> "scipy.sparse.csr_array":
        """The entries of known features; features with other numbers did not occur in learning and have no points."""
        X = scipy.sparse.csr_array(X, dtype=np.float64)
        if not self.numbers:
            places, there = X.indices, X.indices < self.count
        else:
            columns = np.array(self.numbers) - 1
            places = np.searchsorted(columns, X.indices).astype(X.indices.dtype)
            there = columns[np.minimum(places, self.count - 1)] == X.indices
        if there.all():
            return scipy.sparse.csr_array((X.data, places, X.indptr), (X.shape[0], self.count))
        starts = np.concatenate([[0], np.cumsum(there)])[X.indptr].astype(X.indptr.dtype)
        return scipy.sparse.csr_array((X.data[there], places[there], starts), (X.shape[0], self.count))

    def encode(self, X: Any) -> "scipy.sparse.csr_array":
        """The features, clipped and rounded to the grid."""
        X = self.known(X)
        rounder = 1.5 * 2.0**52 * self.step
        values = (np.clip(X.data, -self.highest, self.highest) + rounder) - rounder
        values[~np.isfinite(X.data)] = 0.0
        return scipy.sparse.csr_array((values.astype(np.float32), X.indices, X.indptr), X.shape)


@dataclass(frozen=True)
class IgnoredColumn(EncodedColumn):
    """A column that is left out."""

    why: str

    kind = "ignore"


KINDS: dict[str, type[EncodedColumn]] = {
    kind.kind: kind
    for kind in (
        NumberColumn,
        DateColumn,
        StepColumn,
        CategoryColumn,
        YesNoColumn,
        TextColumn,
        HashedTextColumn,
        SparseColumn,
        IgnoredColumn,
    )
}


def add_up(
    frame: pl.DataFrame,
    parts: Sequence[tuple[NumberColumn | CategoryColumn, Sequence[float], Array]],
    unseen: Unseen | None = None,
) -> None:
    """For each column, add its features times their weights to an array; record unseen values."""
    looked_up = []
    for column, weights, out in parts:
        cells = frame[column.name]
        if isinstance(column, NumberColumn):
            column.add(cells, weights, out)
        else:
            looked_up.append((column, texts_of(cells), np.array(column.worth(weights), dtype=out.dtype), out))
    found = places_of([(column.lookup, cells) for column, cells, _, _ in looked_up])
    for places, (column, cells, worth, out) in zip(found, looked_up, strict=True):
        out += worth[places]
        if unseen is not None:
            unseen.add(column.name, cells, places == column.spellings.other)


def power_of_two(size: float) -> float:
    """The power of two nearest to a positive number, on a logarithmic scale."""
    return ldexp(1.0, min(floor(log2(size) + 0.5), 1023)) if 0.0 < size < inf else 1.0


def present_texts(name: str) -> pl.Expr:
    """The texts of a column; null if a text means a missing value."""
    text = as_text(pl.col(name))
    return pl.when(~text.str.strip_chars(BLANKS).is_in(list(MISSING))).then(text)


def split(expr: pl.Expr) -> pl.Expr:
    """The words of a text, as a list."""
    small = expr.str.replace_many(list(string.ascii_uppercase), list(string.ascii_lowercase))
    return small.str.replace_many(list(SEPARATORS), [" "]).str.split(" ").list.filter(pl.element() != "")


def bucket_of(word: str, buckets: int) -> int:
    """The bucket of a word: FNV-1a, the same on every machine."""
    code = 0x811C9DC5
    for byte in word.encode():
        code = ((code ^ byte) * 0x01000193) & 0xFFFFFFFF
    return code % buckets
