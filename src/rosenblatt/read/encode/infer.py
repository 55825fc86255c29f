"""Infers the `Encoding` of a table: the kinds of its columns, and the numbers that belong to each.

A column's kind is inferred from all of its cells. Its scale, the values that have names, and the words of a vocabulary
are inferred from the training rows only: the held-out rows must be as new to the rule as tomorrow's.

Category values that occur once, or are not among the 255 most frequent, share a feature. A vocabulary contains the
words that occur in two rows or more, at most 20,000.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.errors import OptionError, TableError
from rosenblatt.plurals import many
from rosenblatt.read.dates import days
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    EncodedColumn,
    HashedTextColumn,
    IgnoredColumn,
    NumberColumn,
    SparseColumn,
    StepColumn,
    TextColumn,
    YesNoColumn,
    split,
)
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.read.encode.leaks import near_leaks
from rosenblatt.read.encode.steps import KnownNumbers, with_steps
from rosenblatt.read.profile.kinds import AS_REQUESTED, Guess, classes_of, guesses, profiles_of, to_ignore, yes_no_of
from rosenblatt.read.profile.moments import Moments, add_cells
from rosenblatt.read.profile.statistics import COUNT, VALUE, HeldOut, Profile, marked_blocks, narrow
from rosenblatt.read.table import LABEL, Table
from rosenblatt.read.values import is_code, numbers_in
from rosenblatt.rows.kernels import Array

MOST_VALUES = 255
SEEN_TWICE = 2
MOST_WORDS = 20_000
REMEMBERED_WORDS = 2**20
BUCKETS = 2**18
MOST_GAPS = 2**16  # numbered features up to here are all kept, whether they occur or not
GAPS = 2  # and so are those up to any number, if at least every second one occurs
STEPS = StepColumn.kind
FEATURES = "features"  # the name for all numbered features of a LIBSVM file


def encoding_of(
    table: Table,
    target: str,
    *,
    positive: str | None = None,
    overrides: Mapping[str, str] | None = None,
    text: str = "vocabulary",
    buckets: int = BUCKETS,
    held_out: HeldOut | None = None,
    weights: Array | None = None,
) -> tuple[Encoding, tuple[str, ...]]:
    """The encoding for a table, and notes on its columns; `weights` are those of its rows, if they have some.

    `overrides` gives the kinds of columns that are not inferred; `text` is "vocabulary" or "hashed".
    """
    check_text(text)
    if table.sparse is not None:
        return _numbered(table, positive)
    chosen = dict(overrides or {})
    if target in chosen:
        raise OptionError(f"{target!r} is the target; its kind cannot be chosen")
    profiles = profiles_of(table, target, chosen, held_out)
    classes = classes_of(table, target, profiles, positive)
    found = guesses(table, target, chosen, profiles)
    moments = _more_moments(table, profiles, found, held_out)
    prose = [guess.column for guess in found if guess.kind == "text" and text == "vocabulary"]
    words = _vocabularies(table, prose, held_out)
    columns = tuple(_column(guess, profiles[guess.column], moments, words, buckets) for guess in found)
    encoding = Encoding(columns, Target(target, classes))
    if stepped := [guess.column for guess in found if guess.kind == STEPS]:
        known = KnownNumbers.of(encoding, stepped, table, held_out, weights)
        encoding = with_steps(encoding, stepped, known, table.source)
    sure = {name for name, profile in profiles.items() if profile.decides}
    return encoding, (
        *_notes(found, columns),
        *_on_merged_numbers(table, encoding),
        *_on_near_leaks(table, encoding, sure),
    )


def _on_merged_numbers(table: Table, encoding: Encoding) -> Iterator[str]:
    """Notes on columns with numbers so large that most of the others are rounded to the same few."""
    frame = next(table.blocks())
    for column in encoding.used:
        if not isinstance(column, NumberColumn) or isinstance(column, StepColumn):
            continue
        numbers = narrow(frame, column.name).select(column.value).to_series().drop_nulls().unique().to_numpy()
        kept = np.unique((np.clip(numbers, column.lowest, column.highest) + column.rounder) - column.rounder)
        if len(kept) * 2 < len(numbers):
            yield (
                f"{column.name!r}: its numbers reach {np.abs(numbers).max():g}, so those less than {column.step:.2g} "
                f"apart count as equal: {many(len(numbers), 'different number')} become {len(kept):,}. If the largest "
                "stand for missing values, leave those cells empty"
            )


def _on_near_leaks(table: Table, encoding: Encoding, sure: Collection[str]) -> Iterator[str]:
    """Notes on columns that almost determine the target on their own, except those that certainly do."""
    if table.is_large:
        return
    frame = table.whole()
    asked = [column for column in encoding.used if column.name not in sure]
    for name, wrong in near_leaks(frame, encoding.labels(frame), asked):
        yield (
            f"{name!r}: almost determines the target on its own (it alone is wrong on {_share(wrong)} of the rows): a "
            f"leak? If not known in advance, use {to_ignore(name)}"
        )


def _share(part: float) -> str:
    """A share of the rows as a percentage; never 0.0% if there are some."""
    return f"{part:.1%}" if part >= 0.0005 or not part else "less than 0.1%"


def check_text(text: str) -> None:
    """Refuse an unknown way to read words."""
    if text not in ("vocabulary", "hashed"):
        raise OptionError(f"text must be 'vocabulary' or 'hashed', not {text!r}")


def types_for(encoding: Encoding) -> dict[str, pl.DataType | None]:
    """The types for reading a text file's columns, so that they mean what they meant when the rule was learned.

    None means inferred, for categories that may have been read as numbers.
    """
    types: dict[str, pl.DataType | None] = {encoding.target.name: None}
    for column in encoding.used:
        if isinstance(column, DateColumn | TextColumn):
            types[column.name] = pl.String()
        elif isinstance(column, NumberColumn):
            types[column.name] = pl.String() if column.written else pl.Float64()
        elif isinstance(column, CategoryColumn):
            types[column.name] = None if all(map(is_code, column.known)) else pl.String()
    return types


def _numbered(table: Table, positive: str | None) -> tuple[Encoding, tuple[str, ...]]:
    """The encoding of a LIBSVM file."""
    assert table.sparse is not None
    X, _ = table.sparse
    if not X.shape[1]:
        raise TableError(f"{table.source}: no row has a feature")
    classes = classes_of(table, LABEL, {}, positive)
    numbers = _numbers_with_gaps(X)
    column = SparseColumn.of(FEATURES, len(numbers) or X.shape[1], float(np.abs(X.data).max(initial=0.0)), numbers)
    return Encoding((column,), Target(LABEL, classes)), ()


def _numbers_with_gaps(X: Any) -> tuple[int, ...]:
    """The numbers of the features that occur, if many more do not; otherwise empty."""
    if X.shape[1] <= MOST_GAPS:
        return ()
    columns = np.unique(X.indices)
    return () if X.shape[1] <= GAPS * columns.size else tuple((columns + 1).tolist())


def _column(
    guess: Guess, profile: Profile, moments: Mapping[str, Moments], words: Mapping[str, tuple[str, ...]], buckets: int
) -> EncodedColumn:
    """The column encoded as the kind that was inferred."""
    if guess.kind in ("number", "date", STEPS):
        return _number(guess, profile, moments)
    if guess.kind in ("category", "yes/no"):
        return _category(guess, profile)
    if guess.kind == "text":
        if guess.column not in words:
            return HashedTextColumn(guess.column, (), buckets)
        found = words[guess.column]
        return TextColumn(guess.column, found) if found else IgnoredColumn(guess.column, "no word occurs in two rows")
    return IgnoredColumn(guess.column, guess.why)


def _number(guess: Guess, profile: Profile, moments: Mapping[str, Moments]) -> EncodedColumn:
    seen = profile.learned
    least, most, mean, deviation = seen.least, seen.most, seen.mean, seen.deviation
    missing = bool(seen.nulls or seen.odd)
    if (own := moments.get(guess.column)) is not None:
        least, most, missing = own.least, own.most, own.count < own.rows
        mean, deviation = own.mean_and_deviation()
    if not deviation > 0.0:
        deviation = most / 2 - least / 2 or 1.0  # numbers so close that their differences are lost in squares
    if guess.kind == "date":
        days = DateColumn.of(guess.column, least=least, most=most, mean=mean, deviation=deviation, missing=missing)
        return replace(days, format=guess.form)
    made = NumberColumn.of(guess.column, least=least, most=most, mean=mean, deviation=deviation, missing=missing)
    return replace(made, written=profile.dtype == pl.String, whole=profile.dtype.is_integer())


def _category(guess: Guess, profile: Profile) -> EncodedColumn:
    seen = profile.learned
    missing = bool(seen.nulls or seen.odd)
    if guess.kind == "yes/no":
        two = yes_no_of(profile)
        assert two is not None
        no, yes = two
        return YesNoColumn(guess.column, (yes,), False, missing, no)
    frequent = [value for value, count in seen.values[:MOST_VALUES] if count >= SEEN_TWICE]
    other = len(frequent) < len(seen.values) + seen.more
    return CategoryColumn(guess.column, tuple(frequent), other, missing)


def _more_moments(
    table: Table, profiles: Mapping[str, Profile], found: list[Guess], held_out: HeldOut | None
) -> dict[str, Moments]:
    """Statistics of text columns that turned out to be dates or numbers; a second pass, if there are any."""
    numbers: dict[str, pl.Expr] = {}
    for guess in found:
        column = pl.col(guess.column)
        if guess.kind == "date" and profiles[guess.column].dtype == pl.String:
            numbers[guess.column] = days(column, guess.form).cast(pl.Float64)
        elif guess.kind in ("number", STEPS) and not profiles[guess.column].is_number:
            numbers[guess.column] = column.map_batches(
                partial(numbers_in, written=True), return_dtype=pl.Float64, is_elementwise=True
            )
    moments = {name: Moments() for name in numbers}
    if numbers:
        for block, learned in marked_blocks(table, held_out):
            for name, number in numbers.items():
                add_cells(narrow(block, name).filter(learned).select(number).to_series(), moments[name])
    return moments


def _vocabularies(table: Table, names: list[str], held_out: HeldOut | None) -> dict[str, tuple[str, ...]]:
    """For each column of text, the words that occur in two rows or more, the most frequent first."""
    if not names:
        return {}
    counts: dict[str, pl.DataFrame] = {}
    for block, learned in marked_blocks(table, held_out):
        for name in names:
            texts = narrow(block, name).filter(learned).select(split(pl.col(name)).list.unique().alias(VALUE))
            words = texts.explode(VALUE).drop_nulls()
            new = words.group_by(VALUE).len(COUNT)
            if name in counts:
                new = pl.concat([counts[name], new]).group_by(VALUE).agg(pl.col(COUNT).sum())
            counts[name] = new if new.height <= REMEMBERED_WORDS else new.filter(pl.col(COUNT) >= SEEN_TWICE)
    found = {}
    for name, count in counts.items():
        often = count.filter(pl.col(COUNT) >= SEEN_TWICE).sort(COUNT, VALUE, descending=[True, False])
        found[name] = tuple(often[VALUE].head(MOST_WORDS).to_list())
    return found


def _notes(found: list[Guess], columns: Sequence[Any]) -> tuple[str, ...]:
    """Notes on the columns that are left out or doubtful."""
    notes = []
    for guess, column in zip(found, columns, strict=True):
        if isinstance(column, IgnoredColumn) and column.why != AS_REQUESTED:
            notes.append(f"{guess.column!r} is left out: {column.why}")
        notes += [f"{guess.column!r}: {note}" for note in guess.notes]
    return tuple(notes)
