"""Reads the cells of a database, whatever the types of their columns; and writes names and constants in SQL.

A cell is read as text, without surrounding blanks: true is 'true' in DuckDB and PostgreSQL and '1' in SQLite, and a
double of 1 is '1.0' or '1'. `read.values` defines what a text means. A number is compared directly, not as text, of
which SQLite shows only 15 digits. SQLite has no regular expressions: numbers are recognised by stripping digits from
both ends.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from math import inf, nextafter

from rosenblatt.errors import OptionError
from rosenblatt.read.values import BLANKS, MISSING, NOT_FINITE, Spellings
from rosenblatt.ship.export.points import grain_of

TINY = 1e-280  # SQLite reads smaller constants inexactly
LARGEST = sys.float_info.max
DIGITS = "'0123456789'"
NO_NUMBERS = (*MISSING, *(form for word in NOT_FINITE for form in (word, word.title()) if form not in MISSING))
GROUPS = 5  # of thousands: up to a million million million, more than doubles can distinguish


def stripped(cell: str) -> str:
    """A cell as text, without surrounding blanks."""
    return f"RTRIM(LTRIM(CAST({cell} AS VARCHAR), {text(BLANKS)}), {text(BLANKS)})"


def of_value(spellings: Spellings, cell: str, known: Sequence[str], other: str, missing: str) -> str:
    """The result for the value in a cell: one for each of `known`, in order, one for any other, one if missing."""
    t, raw = stripped(cell), f"CAST({cell} AS VARCHAR) || ''"
    met = {value: k for value, k in spellings.words.items() if value in ("true", "false")}  # of type BOOLEAN
    met |= {value: k for k, value in enumerate(spellings.known)}
    usual = [(f"{raw} = {text(value)}", known[k]) for value, k in met.items()]
    cases = [(f"{t} = {text(form)}", known[k]) for form, k in spellings.texts.items() if not spellings.numbers]
    for k in sorted({*spellings.words.values()}):
        words = [word for word, place in spellings.words.items() if place == k]
        cases.append((is_among(f"LOWER({t})", words), known[k]))
    if spellings.numbers:
        pairs = [(number(x), known[k]) for x, k in spellings.numbers.items() if known[k] != other]
        inner = "".join(f" WHEN {x} THEN {result}" for x, result in pairs)
        cases.append((is_number(t), f"CASE CAST({t} AS DOUBLE PRECISION){inner} ELSE {other} END" if inner else other))
    cases = [(test, result) for test, result in cases if result != other]
    if missing != other:
        cases = [*usual, (f"{cell} IS NULL", missing), (is_missing(t, spellings.marks), missing), *cases]
    elif cases:
        cases = [*usual, *cases]  # first the usual spelling of each value, which is quick to compare
    chain = "".join(f" WHEN {test} THEN {result}" for test, result in cases)
    return f"CASE{chain} ELSE {other} END" if chain else other


def is_among(t: str, words: Sequence[str]) -> str:
    """Whether a text is one of a few. DuckDB would turn IN into a join, and copy `t` for every word of a CASE."""
    joined = text("".join(f"[{word}]" for word in words))
    return f"REPLACE({joined}, '[' || {t} || ']', '') <> {joined}"


def is_missing(t: str, marks: Sequence[str] = MISSING) -> str:
    """Whether a text is NULL, or means a missing value."""
    return is_among(f"COALESCE({t}, '')", marks) if "" in marks else f"({t} IS NULL OR {is_among(t, marks)})"


def is_number(t: str) -> str:
    """Whether a text is a plain number: digits, optionally with a decimal point, a sign and an exponent."""
    u = f"LTRIM({t}, '+-')"
    short = f"RTRIM(LTRIM({u}, {DIGITS}), {DIGITS}) IN ('', '.') AND LTRIM({u}, '.') <> ''"
    long = f"LTRIM({u}, '0123456789.eE+-') = '' AND LOWER({u}) LIKE '_%e%_'"
    return f"({short} OR {long})"


def of_number(cell: str, written: bool, points: Callable[[str], str], missing: str) -> str:
    """The result for the number in a cell, or for a missing one; NULL if the cell's text is not a number.

    With `written`, thousands may be separated by commas, and 12% is 0.12.
    """
    t = stripped(cell)
    plain = points(f"CAST({cell} AS DOUBLE PRECISION)")
    begun = (
        f"CASE WHEN {_is_of_numbers(cell)} THEN {cell} IS NOT NULL"  # not OR, because DuckDB evaluates all its parts
    )
    if not written:
        test = f"{begun} WHEN {_looks_like_one(cell)} THEN TRUE WHEN {cell} IS NULL THEN FALSE ELSE {is_number(t)} END"
        return (
            f"CASE WHEN {test} THEN {plain} WHEN {cell} IS NULL THEN {missing}"
            f" WHEN {is_missing(t, NO_NUMBERS)} THEN {missing} END"
        )
    cut = f"SUBSTR({t}, 1, LENGTH({t}) - 1)"
    hundredths = (
        f"CASE WHEN {is_number(cut)} THEN {points(f'(CAST({cut} AS DOUBLE PRECISION) / 100e0)')}"
        f" WHEN {_is_grouped(cut)} THEN {points(f'({_joined(cut)} / 100e0)')} END"
    )
    return (
        f"CASE WHEN {begun} ELSE {is_number(t)} END THEN {plain} WHEN {_is_grouped(t)} THEN {points(_joined(t))}"
        f" WHEN {t} LIKE '%!%' ESCAPE '!' THEN {hundredths} WHEN {is_missing(t, NO_NUMBERS)} THEN {missing} END"
    )


def _is_of_numbers(cell: str) -> str:
    """Whether a column has a numeric type. DuckDB and PostgreSQL know this when planning, and drop the other cases.

    A text constant next to a column is cast to its type, and only a text keeps its blank. SQLite has no column types,
    so this is never true there.
    """
    return f"CAST(CASE WHEN FALSE THEN {cell} ELSE ' 0' END AS VARCHAR) <> ' 0'"


def _looks_like_one(cell: str) -> str:
    """Whether a cell begins like a number, which is enough in DuckDB: anything else raises an error there.

    DuckDB is slow at turning a number into text, and slower at stripping characters. In the other engines 3 / 2 is 1,
    and this is never true: PostgreSQL sorts characters differently, and SQLite reads 1-2 as 1.
    """
    return f"(3 / 2 > 1 AND CAST({cell} AS VARCHAR) BETWEEN '+' AND ':')"


def _joined(t: str) -> str:
    return f"CAST(REPLACE({t}, ',', '') AS DOUBLE PRECISION)"


def _is_grouped(t: str) -> str:
    """Whether a text is a number with commas between its thousands."""
    u = f"LTRIM({t}, '+-')"
    whole = f"CASE WHEN RTRIM({u}, {DIGITS}) LIKE '%.' THEN RTRIM(RTRIM({u}, {DIGITS}), '.') ELSE {u} END"
    shapes = [f"{whole} LIKE '{'_' * first}{',___' * many}'" for many in range(1, GROUPS + 1) for first in (1, 2, 3)]
    together = f"REPLACE({t}, ',', '')"
    return f"({' OR '.join(shapes)}) AND {is_number(together)}"


def texts(values: Iterable[str]) -> str:
    """Text constants, side by side."""
    return ", ".join(map(text, values))


def identifier(name: str) -> str:
    """A column's name."""
    if not name:
        raise OptionError("a column without a name cannot be written in SQL")
    return '"' + _clean(name).replace('"', '""') + '"'


def text(value: str) -> str:
    """A text constant."""
    return "'" + _clean(value).replace("'", "''") + "'"


def _clean(value: str) -> str:
    if "\0" in value:
        raise OptionError(f"{value!r:.60} contains character number 0, which SQL cannot write")
    return value


def number(x: float) -> str:
    """A constant that every engine reads as exactly this number, next to a double."""
    if 0.0 < abs(x) < TINY:
        unit = grain_of(x)
        return f"({double(x / unit)} * CAST({unit!r} AS DOUBLE PRECISION))"
    shortest = repr(x) if _is_read_right(x) else f"{x:.16e}"
    return shortest if "e" in shortest else shortest.removesuffix(".0") + "e0"


def _is_read_right(x: float) -> bool:
    """Whether SQLite reads the shortest digits of x as x, not as its neighbour.

    It divides whole numbers by powers of ten, both exact up to 15 and 22 digits. The result is not rounded twice unless
    the digits lie near the middle between two doubles.
    """
    shortest = Decimal(repr(x))
    off, (_, digits, exponent) = abs(shortest - Decimal(x)), shortest.as_tuple()
    nearest = min(x - nextafter(x, -inf), nextafter(x, inf) - x)
    plain = len(digits) <= 15 and abs(int(exponent)) <= 22
    return not off or (plain and off <= Decimal(nearest) * Decimal("0.49"))


def double(x: float) -> str:
    """A constant that is a double on its own."""
    return f"CAST({number(x)} AS DOUBLE PRECISION)"
