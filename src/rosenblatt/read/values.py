"""How a value may be written: one meaning, whatever the type of the column that it stands in.

Problem   the same column is text in a CSV file, BOOLEAN where a database has looked at it, DOUBLE once pandas had a
          missing value in it. A rule must take all of them for the same.
Way       every cell is told as a text, without the blanks around it; what a text means is said here, for the reader,
          for `predict` and for every export. docs/types.md has it as a table.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import polars as pl

BLANKS = " \t"  # around a cell, that do not count
MISSING = (
    "", "?", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "Null", "NULL", "None",
)  # fmt: skip
YES, NO = ("yes", "y", "true", "t", "1", "on"), ("no", "n", "false", "f", "0", "off")  # as PostgreSQL has them
NOT_FINITE = tuple(f"{sign}{word}" for word in ("inf", "infinity", "nan") for sign in ("", "-", "+"))  # no number
WHOLE = re.compile("0|-?[1-9][0-9]{0,15}")
DECIMAL = re.compile(r"-?[0-9]+\.[0-9]*[1-9]")
PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")  # thousands set apart
WRITTEN = f"^(?:{GROUPED.pattern}|{PLAIN.pattern})%?$"  # as people write numbers
CODE = "^[+-]?0[0-9]"  # a zero before other digits: a code, rather than a number
LARGEST_CODE = 2.0**53  # whole numbers up to here are told apart as doubles


def is_yes(value: str) -> bool | None:
    """What a word says, in letters of any size; None if it is neither a yes nor a no."""
    word = value.lower()
    return True if word in YES else False if word in NO else None


def sides_of(values: Iterable[str]) -> tuple[list[str], list[str]] | None:
    """The noes and the yeses, each in order, where all values are such words; else None."""
    said = [(value, is_yes(value)) for value in values]
    if any(yes is None for _, yes in said):
        return None
    return [value for value, yes in said if not yes], [value for value, yes in said if yes]


def number_of(text: str, written: bool = False) -> float | None:
    """The number that a text without blanks around it is; `written`: also 1,000 and 12%."""
    if PLAIN.fullmatch(text):
        return float(text)
    if text.lower() in NOT_FINITE:
        return float(text)
    if not written:
        return None
    plain = text.removesuffix("%")
    if GROUPED.fullmatch(plain) or (plain != text and PLAIN.fullmatch(plain)):
        number = float(plain.replace(",", ""))
        return number if plain == text else number / 100.0
    return None


@dataclass(frozen=True)
class Spellings:
    """How the values of a category may be written; each has its place among those that are known."""

    known: tuple[str, ...]

    @property
    def other(self) -> int:
        """The place of any other value."""
        return len(self.known)

    @property
    def missing(self) -> int:
        """The place of none."""
        return len(self.known) + 1

    @cached_property
    def texts(self) -> dict[str, int]:
        """The places of texts as they are; a whole number has a point where it stands among doubles."""
        own = {value: k for k, value in enumerate(self.known)}
        twins = {twin: k for value, k in own.items() for twin in _twins(value) if twin not in own}
        return own | twins

    @cached_property
    def words(self) -> dict[str, int]:
        """The places of words in small letters, which may be written in letters of any size.

        Where a yes, or a no, is all that is known, or both are, every word for it will do. Beside other values, the
        words for it are true and false only: what a column has become that held nothing else for a while.
        """
        sides = [[k for k, value in enumerate(self.known) if is_yes(value) is yes] for yes in (False, True)]
        if any(len(side) > 1 for side in sides) or not any(sides):
            return {}
        if sum(map(len, sides)) < len(self.known):
            return {word: side[0] for side, word in zip(sides, ("false", "true"), strict=True) if all(sides)}
        return {word: side[0] for side, words in zip(sides, (NO, YES), strict=True) if side for word in words}

    @cached_property
    def numbers(self) -> dict[float, int]:
        """The places of numbers, where all that is known is numbers, or a yes and a no."""
        if "1" in self.words or "0" in self.words:
            return {float(word): self.words[word] for word in ("0", "1") if word in self.words}
        plain = [WHOLE.fullmatch(value) or DECIMAL.fullmatch(value) for value in self.known]
        found = {float(value): k for k, value in enumerate(self.known)} if all(plain) else {}
        return found if len(found) == len(self.known) and all(abs(x) <= LARGEST_CODE for x in found) else {}

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The texts that stand for no value, as long as they are none."""
        return tuple(mark for mark in MISSING if mark not in self.texts)

    @cached_property
    def usual(self) -> dict[str, int]:
        """The places of all texts that are met often enough to keep."""
        each = {form: k for word, k in self.words.items() for form in (word, word.upper(), word.capitalize())}
        return dict.fromkeys(self.marks, self.missing) | each | self.texts

    def place(self, text: str) -> int:
        """The place of any text."""
        for form in (text, text.strip(BLANKS)):
            if form in self.usual:
                return self.usual[form]
        if (found := self.words.get(form.lower())) is not None:
            return found
        number = number_of(form) if self.numbers else None
        return self.other if number is None else self.numbers.get(number, self.other)


def _twins(value: str) -> list[str]:
    """A whole number as doubles show it, and the other way round."""
    if WHOLE.fullmatch(value):
        return [f"{value}.0", *(("-0", "-0.0") if value == "0" else ())]
    return [value[:-2]] if value.endswith(".0") and WHOLE.fullmatch(value[:-2]) else []


def numbers_in(cells: pl.Series, written: bool = False) -> pl.Series:
    """The numbers of a column of any type, as doubles; null where none is told. Raises where a text is no number."""
    if cells.dtype != pl.String:
        return cells.cast(pl.Float64)
    text = without_blanks(cells)
    text = text.set(text.is_in(list(MISSING)), None)
    if not written:
        return text.cast(pl.Float64)
    plain = text.str.strip_suffix("%")
    grouped = plain.str.contains(f"^(?:{GROUPED.pattern})$").fill_null(False)
    number = plain.str.replace_all(",", "", literal=True).zip_with(grouped, plain).cast(pl.Float64)
    return (number / 100.0).zip_with(plain != text, number)


def without_blanks(cells: pl.Series) -> pl.Series:
    """Texts without the blanks around them."""
    return cells.str.strip_chars(BLANKS)


def is_code(value: str) -> bool:
    """Whether a text is a finite number."""
    number = number_of(value)
    return number is not None and isfinite(number)


def as_text(expr: pl.Expr) -> pl.Expr:
    """Values as text: whole numbers without a point, true and false in small letters."""
    return expr.map_batches(told, return_dtype=pl.String, is_elementwise=True)


def told(series: pl.Series) -> pl.Series:
    """The same of a series."""
    if isinstance(series.dtype, pl.Decimal):
        series = series.cast(pl.Float64)
    text = series.cast(pl.String)
    if not series.dtype.is_float():
        return text
    whole = ((series == series.floor()) & (series.abs() < 2.0**53)).fill_null(False)
    return series.set(~whole, 0.0).cast(pl.Int64).cast(pl.String).zip_with(whole, text)


def texts_of(cells: pl.Series) -> pl.Series:
    """The values of a category as text; NaN is none."""
    return told(cells.fill_nan(None) if cells.dtype.is_float() else cells)


def is_fancy(kind: pl.DataType) -> bool:
    """Whether there is a plainer type for the same values."""
    return isinstance(kind, pl.Categorical | pl.Enum | pl.Decimal | pl.Int128)


def with_plain_types(frame: pl.LazyFrame) -> pl.LazyFrame:
    """A frame with its categories as text, and exact decimals as floats."""
    fancy = {name: kind for name, kind in frame.collect_schema().items() if is_fancy(kind)}
    casts = {n: pl.Float64() if kind.is_numeric() else pl.String() for n, kind in fancy.items()}
    return frame.cast(casts) if casts else frame  # type: ignore[arg-type]
