"""The kinds of columns, and how each becomes features.

Features are short: 0 or 1, or a number clipped to a range and rounded to a grid of 24 bits. `encoding` explains why.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, ldexp, log2
from typing import Any, Self

import numpy as np
import polars as pl
import scipy  # its parts are loaded when they are used

from rosenblatt.read.encode.column import BITS as BITS
from rosenblatt.read.encode.column import OMITTED_IF_EMPTY as OMITTED_IF_EMPTY
from rosenblatt.read.encode.column import EncodedColumn as EncodedColumn
from rosenblatt.read.encode.column import Feature as Feature
from rosenblatt.read.encode.lookup import Lookup, Unseen, places_of
from rosenblatt.read.encode.number_columns import DateColumn as DateColumn
from rosenblatt.read.encode.number_columns import NumberColumn as NumberColumn
from rosenblatt.read.encode.number_columns import StepColumn as StepColumn
from rosenblatt.read.values import BLANKS, MISSING, Spellings, as_text, texts_of
from rosenblatt.rows.kernels import Array

SEPARATORS = string.whitespace + string.punctuation


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
