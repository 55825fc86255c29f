"""How a value may be written: one meaning, whatever the type of its column.

Problem   the same column may be text in a CSV file, BOOLEAN in a database, and DOUBLE in pandas once a value is
          missing. A rule must treat all of them alike.
Method    every cell is turned into text without surrounding blanks. What a text means is defined here, for the reader,
          for `predict` and for every export. docs/types.md lists it in a table.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import polars as pl

BLANKS = " \t"  # ignored around a cell
MISSING = (
    "", "?", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "Null", "NULL", "None",
)  # fmt: skip
YES, NO = (
    ("yes", "y", "true", "t", "1", "on"),
    ("no", "n", "false", "f", "0", "off"),
)  # the words that PostgreSQL accepts
NOT_FINITE = tuple(f"{sign}{word}" for word in ("inf", "infinity", "nan") for sign in ("", "-", "+"))  # no number
WHOLE = re.compile("0|-?[1-9][0-9]{0,15}")
DECIMAL = re.compile(r"-?[0-9]+\.[0-9]*[1-9]")
PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")  # with thousands separators
WRITTEN = f"^(?:{GROUPED.pattern}|{PLAIN.pattern})%?$"  # as people write numbers
CODE = "^[+-]?0[0-9]"  # a leading zero: a code rather than a number
LARGEST_CODE = 2.0**53  # doubles distinguish whole numbers up to here


def is_yes(value: str) -> bool | None:
    """Whether a word means yes or no, ignoring case; None if it means neither."""
    word = value.lower()
    return True if word in YES else False if word in NO else None


def sides_of(values: Iterable[str]) -> tuple[list[str], list[str]] | None:
    """The words for no and the words for yes, each in order, if all values are such words; otherwise None."""
    meanings = [(value, is_yes(value)) for value in values]
    if any(yes is None for _, yes in meanings):
        return None
    return [value for value, yes in meanings if not yes], [value for value, yes in meanings if yes]


def number_of(text: str, written: bool = False) -> float | None:
    """A text without surrounding blanks as a number, or None; with `written`, 1,000 and 12% are numbers too."""
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
    """How the values of a category may be written. Each value has a place: its index among the known values."""

    known: tuple[str, ...]

    @property
    def other(self) -> int:
        """The place of any other value."""
        return len(self.known)

    @property
    def missing(self) -> int:
        """The place of a missing value."""
        return len(self.known) + 1

    @cached_property
    def texts(self) -> dict[str, int]:
        """The place of each exact spelling; a whole number may also have the .0 that a column of doubles adds."""
        own = {value: k for k, value in enumerate(self.known)}
        other_forms = {
            other_form: k for value, k in own.items() for other_form in _other_spellings(value) if other_form not in own
        }
        return own | other_forms

    @cached_property
    def words(self) -> dict[str, int]:
        """The places of words that may be written in any case, in lower case.

        If the known values are only a yes, only a no, or both, every word for yes or no is accepted. Next to other
        values, only true and false are: that is what a column becomes when it holds nothing but yes and no for a while.
        """
        sides = [[k for k, value in enumerate(self.known) if is_yes(value) is yes] for yes in (False, True)]
        if any(len(side) > 1 for side in sides) or not any(sides):
            return {}
        if sum(map(len, sides)) < len(self.known):
            return {word: side[0] for side, word in zip(sides, ("false", "true"), strict=True) if all(sides)}
        return {word: side[0] for side, words in zip(sides, (NO, YES), strict=True) if side for word in words}

    @cached_property
    def numbers(self) -> dict[float, int]:
        """The places of numbers, if all known values are numbers, or a yes and a no."""
        if "1" in self.words or "0" in self.words:
            return {float(word): self.words[word] for word in ("0", "1") if word in self.words}
        plain = [WHOLE.fullmatch(value) or DECIMAL.fullmatch(value) for value in self.known]
        found = {float(value): k for k, value in enumerate(self.known)} if all(plain) else {}
        return found if len(found) == len(self.known) and all(abs(x) <= LARGEST_CODE for x in found) else {}

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The texts that mean a missing value, except those that are known values themselves."""
        return tuple(mark for mark in MISSING if mark not in self.texts)

    @cached_property
    def marks_as_written(self) -> tuple[str, ...]:
        """The same for systems that cannot take blanks off a cell: one that is a single blank is missing, too."""
        blank = " " if "" in self.marks and " " not in self.texts else None
        return self.marks if blank is None else (*self.marks, blank)

    @cached_property
    def usual(self) -> dict[str, int]:
        """The places of all texts common enough to keep in a dict."""
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


def _other_spellings(value: str) -> list[str]:
    """Other spellings of a whole number: with .0 if it has none, and without if it has one."""
    if WHOLE.fullmatch(value):
        return [f"{value}.0", *(("-0", "-0.0") if value == "0" else ())]
    return [value[:-2]] if value.endswith(".0") and WHOLE.fullmatch(value[:-2]) else []


def numbers_in(cells: pl.Series, written: bool = False) -> pl.Series:
    """The numbers of a column of any type, as doubles; null if missing. Raises if a text is not a number."""
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
    """The texts without surrounding blanks."""
    return cells.str.strip_chars(BLANKS)


def is_code(value: str) -> bool:
    """Whether a text is a finite number."""
    number = number_of(value)
    return number is not None and isfinite(number)


def as_text(expr: pl.Expr) -> pl.Expr:
    """Values as text: whole numbers without a decimal point, true and false in lower case."""
    return expr.map_batches(to_text, return_dtype=pl.String, is_elementwise=True)


def to_text(series: pl.Series) -> pl.Series:
    """A series as text: whole numbers without a decimal point, true and false in lower case."""
    if isinstance(series.dtype, pl.Decimal):
        series = series.cast(pl.Float64)
    text = series.cast(pl.String)
    if not series.dtype.is_float():
        return text
    whole = ((series == series.floor()) & (series.abs() < 2.0**53)).fill_null(False)
    return series.set(~whole, 0.0).cast(pl.Int64).cast(pl.String).zip_with(whole, text)


def texts_of(cells: pl.Series) -> pl.Series:
    """The values of a category as text; NaN is missing."""
    return to_text(cells.fill_nan(None) if cells.dtype.is_float() else cells)


def has_plainer_type(kind: pl.DataType) -> bool:
    """Whether a simpler type can hold the same values."""
    return isinstance(kind, pl.Categorical | pl.Enum | pl.Decimal | pl.Int128)


def with_plain_types(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with categories as text and exact decimals as floats."""
    fancy = {name: kind for name, kind in frame.collect_schema().items() if has_plainer_type(kind)}
    casts = {n: pl.Float64() if kind.is_numeric() else pl.String() for n, kind in fancy.items()}
    return frame.cast(casts) if casts else frame  # type: ignore[arg-type]
