"""What stands in the cell of a database, whatever type its column has; and names and constants in SQL.

A cell is told as text, without the blanks around it: true is 'true' in DuckDB and PostgreSQL and '1' in SQLite, and a
double of 1 is '1.0' or '1'. What a text means is said in `read.values`. A number is compared as it stands, not as its
text, of which SQLite shows 15 digits only. There are no regular expressions in SQLite: what is a number is found by
taking digits off both ends.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from math import inf, nextafter

from rosenblatt.errors import OptionError
from rosenblatt.read.values import BLANKS, MISSING, NOT_FINITE, Spellings
from rosenblatt.ship.points import grain_of

TINY = 1e-280  # SQLite reads smaller constants inexactly
LARGEST = sys.float_info.max
DIGITS = "'0123456789'"
GROUPS = 5  # of thousands: up to a million million million, beyond what doubles tell apart


def stripped(cell: str) -> str:
    """A cell as text, without the blanks around it."""
    return f"RTRIM(LTRIM(CAST({cell} AS VARCHAR), {text(BLANKS)}), {text(BLANKS)})"


def of_value(spellings: Spellings, cell: str, known: Sequence[str], other: str, missing: str) -> str:
    """What belongs to the value in a cell: one of `known`, in their order, or what belongs to any other or to none."""
    t = stripped(cell)
    found = other
    if spellings.numbers:
        pairs = [(number(x), known[k]) for x, k in spellings.numbers.items()]
        inner = _case(f"CAST({t} AS DOUBLE PRECISION)", pairs, other, other)
        found = f"CASE WHEN {is_number(t)} THEN {inner} ELSE {other} END" if inner != other else other
    words = [(text(word), known[k]) for word, k in spellings.words.items()]
    found = _case(f"LOWER({t})", words, found, other)
    if not spellings.numbers:
        found = _case(t, [(text(form), known[k]) for form, k in spellings.texts.items()], found, other)
    if missing != found:
        found = f"CASE WHEN {is_missing(t, spellings.marks)} THEN {missing} ELSE {found} END"
    padded = [(text(form), known[k]) for form, k in spellings.texts.items() if form != form.strip(BLANKS)]
    return _case(f"CAST({cell} AS VARCHAR) || ''", padded, found, "")


def _case(subject: str, pairs: Iterable[tuple[str, str]], rest: str, usual: str) -> str:
    """What belongs to a subject; pairs that say what is the case without them are left out."""
    cases = "".join(f" WHEN {value} THEN {result}" for value, result in pairs if result not in (value, usual))
    return f"CASE {subject}{cases} ELSE {rest} END" if cases else rest


def is_missing(t: str, marks: Sequence[str] = MISSING) -> str:
    """Whether a text is none, or says that there is none."""
    return f"{t} IS NULL OR {t} IN ({texts(marks)})" if marks else f"{t} IS NULL"


def is_no_number(t: str) -> str:
    """Whether there is no finite number to be told."""
    return f"{is_missing(t)} OR LOWER({t}) IN ({texts(NOT_FINITE)})"


def is_number(t: str) -> str:
    """Whether a text is a plain number: digits, one point among them, a sign before, an exponent behind."""
    u = f"LTRIM({t}, '+-')"
    mantissa = f"RTRIM(RTRIM(RTRIM(LOWER({u}), {DIGITS}), '+-'), 'e')"
    short = f"{u} NOT IN ('', '.') AND {_without_digits(u)} IN ('', '.')"
    long = (
        f"LOWER({u}) LIKE '%e%' AND RTRIM({u}, {DIGITS}) <> {u}"
        f" AND {mantissa} NOT IN ('', '.') AND {_without_digits(mantissa)} IN ('', '.')"
    )
    return f"SUBSTR({t}, 2, 1) NOT IN ('+', '-') AND ({short} OR {long})"


def _without_digits(t: str) -> str:
    return f"RTRIM(LTRIM({t}, {DIGITS}), {DIGITS})"


def of_number(cell: str, written: bool, points: Callable[[str], str], missing: str) -> str:
    """What belongs to the number in a cell, or to none; NULL where the cell's text is no number.

    `written`: thousands may be set apart by commas, and 12% is 0.12.
    """
    t = stripped(cell)
    cases = [f"WHEN {is_number(t)} THEN {points(f'CAST({cell} AS DOUBLE PRECISION)')}"]
    if written:
        cut = f"SUBSTR({t}, 1, LENGTH({t}) - 1)"
        cases.append(f"WHEN {_is_grouped(t)} THEN {points(_joined(t))}")
        hundredths = (
            f"CASE WHEN {is_number(cut)} THEN {points(f'(CAST({cut} AS DOUBLE PRECISION) / 100e0)')}"
            f" WHEN {_is_grouped(cut)} THEN {points(f'({_joined(cut)} / 100e0)')} END"
        )
        cases.append(f"WHEN {t} LIKE '%!%' ESCAPE '!' THEN {hundredths}")
    return f"CASE {' '.join(cases)} WHEN {is_no_number(t)} THEN {missing} END"


def _joined(t: str) -> str:
    return f"CAST(REPLACE({t}, ',', '') AS DOUBLE PRECISION)"


def _is_grouped(t: str) -> str:
    """Whether a text is a number whose thousands are set apart by commas."""
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
        raise OptionError("a column without a name has no form in SQL")
    return '"' + _clean(name).replace('"', '""') + '"'


def text(value: str) -> str:
    """A text constant."""
    return "'" + _clean(value).replace("'", "''") + "'"


def _clean(value: str) -> str:
    if "\0" in value:
        raise OptionError(f"{value!r:.60} has a character that SQL cannot write, number 0")
    return value


def number(x: float) -> str:
    """A constant that an engine reads as exactly this number, beside a double."""
    if 0.0 < abs(x) < TINY:
        unit = grain_of(x)
        return f"({double(x / unit)} * CAST({unit!r} AS DOUBLE PRECISION))"
    shortest = repr(x) if _is_read_right(x) else f"{x:.16e}"
    return shortest if "e" in shortest else shortest.removesuffix(".0") + "e0"


def _is_read_right(x: float) -> bool:
    """Whether SQLite takes the shortest digits of x for x, not for its neighbour.

    It divides whole numbers by powers of ten, both exact up to 15 and 22 digits. The result is not rounded twice unless
    the digits lie near the middle between two doubles.
    """
    shortest = Decimal(repr(x))
    off, (_, digits, exponent) = abs(shortest - Decimal(x)), shortest.as_tuple()
    nearest = min(x - nextafter(x, -inf), nextafter(x, inf) - x)
    plain = len(digits) <= 15 and abs(int(exponent)) <= 22
    return not off or (plain and off <= Decimal(nearest) * Decimal("0.49"))


def double(x: float) -> str:
    """A constant that is a double by itself."""
    return f"CAST({number(x)} AS DOUBLE PRECISION)"
