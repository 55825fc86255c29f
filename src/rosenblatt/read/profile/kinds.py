"""The kind of each column, inferred from all of its values: number, category, date, text, or nothing useful.

Input: a table, the name of its target, and the kinds chosen by the user.
Result: a `Guess` for every other column, with the reason, and with notes on what deserves a look: a column that alone
determines the target was probably filled in afterwards.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote

import polars as pl

from rosenblatt.errors import OptionError, TableError
from rosenblatt.read.dates import days_of, has_form
from rosenblatt.read.frames import nearest
from rosenblatt.read.profile.statistics import GLANCE, HeldOut, Profile, statistics_of
from rosenblatt.read.table import LABEL, Table, refuse_other_types
from rosenblatt.read.values import WRITTEN, YES, Spellings, sides_of

KINDS = ("number", "steps", "category", "yes/no", "date", "text", "ignore")
SAY_YES = (*YES, "+", "ja", "oui", "si", "sí", "positive", "pos")
KEYS = "id|ids|id_str|uid|key|nr|no|number|num|uuid|guid|index|idx|rowid|pk|rownames|row_names|rowname"
NAMES = re.compile(r"(^|[_\W])(?i:names?|surname|firstname|lastname|fullname)$|[a-z]Name$")
NAMED_AS_KEY = re.compile(rf"(^|[_\W])(?i:{KEYS})$|[a-z](Id|ID|Key|Nr|No)$")
ENOUGH = 20  # rows; with fewer, consecutive numbers may be a coincidence
SENTENCE = 2.0  # words on average; from here on, values that rarely repeat are text
LONG = 3.0  # words on average; from here on, even values that never repeat are text
MOST = 0.9  # of the rows; with this many different numbers, they may be identifiers
MANY = 0.5  # of the rows; with more different values, a category is doubtful
CLASSES = 100
NUMBER = "; it looks like a number to predict, not a class"
AS_REQUESTED = "as requested"  # why a column has its kind, if the user chose it
FORM_NAMES = {
    "%d/%m/%Y": "day/month/year",
    "%m/%d/%Y": "month/day/year",
    "%d.%m.%Y": "day.month.year",
    "%Y/%m/%d": "year/month/day",
    "%d-%m-%Y": "day-month-year",
    "%m-%d-%Y": "month-day-year",
    "%Y%m%d": "year, month and day without a separator",
    "": "year-month-day",
}


@dataclass(frozen=True)
class Guess:
    """The inferred kind of a column, and why."""

    column: str
    kind: str
    why: str
    notes: tuple[str, ...] = ()
    form: str = ""  # the format of dates that are text


def check_kind(column: str, kind: str) -> None:
    """Refuse an unknown kind."""
    if kind not in KINDS:
        raise OptionError(f"column {column!r}: unknown kind {kind!r}; choose one of {', '.join(KINDS)}")


def kinds_of(table: Table, target: str, overrides: Mapping[str, str] | None = None) -> list[Guess]:
    """The kind of every column but the target."""
    return guesses(table, target, overrides or {}, profiles_of(table, target, overrides or {}))


def profiles_of(
    table: Table, target: str, overrides: Mapping[str, str], held_out: HeldOut | None = None
) -> dict[str, Profile]:
    """The statistics of a table, after checking that target and overrides fit it."""
    columns = table.columns
    if target not in columns:
        raise TableError(
            f"{table.source}: there is no target column {target!r}{nearest(target, columns)}; "
            f"the columns are {_listed(list(columns))}"
        )
    refuse_other_types([target], columns, table.source)
    for name, kind in overrides.items():
        if name not in columns:
            wanted = "ignore" if kind == "ignore" else f"read as {kind}"
            raise OptionError(f"there is no column {name!r} to {wanted}{nearest(name, columns)}")
        check_kind(name, kind)
    if table.frame is None:
        return {}
    counted = [name for name, kind in overrides.items() if kind in ("category", "yes/no")]
    return statistics_of(table, target, counted, held_out)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:12])) + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def guesses(table: Table, target: str, overrides: Mapping[str, str], profiles: Mapping[str, Profile]) -> list[Guess]:
    """The kinds inferred from the statistics."""
    return [
        _as_requested(table, profile, overrides[name])
        if name in overrides
        else _with_notes(_guess(table, profile, table.hints.get(name)), profile)
        for name, profile in profiles.items()
        if name != target
    ]


def classes_of(table: Table, target: str, profiles: Mapping[str, Profile], positive: str | None) -> tuple[str, ...]:
    """The classes of the target, in order; with two, the second is the yes."""
    if table.sparse is not None:
        counts = dict.fromkeys(table.sparse[1], 1)
        target = LABEL
    else:
        profile = profiles[target]
        if profile.nulls:
            raise TableError(_missing_target(table, profile))
        if profile.odd:
            raise TableError(f"{table.source}: the target {target!r} has values that are not finite numbers")
        counts = dict(profile.values)
    classes = in_order(two_sides(list(counts)))
    if len(classes) < 2:
        only = f"the only value is {classes[0]!r}" if classes else "it has no values"
        raise TableError(f"{table.source}: the target {target!r} needs two classes or more; {only}")
    if len(classes) > CLASSES:
        raise TableError(
            f"{table.source}: the target {target!r} has {len(classes)} different values, more than the {CLASSES} "
            f"classes that a rule may have{NUMBER if table.columns[target].is_numeric() else ''}"
        )
    if positive is None:
        return classes
    place = Spellings(classes).place(positive)
    if place >= len(classes):
        raise OptionError(
            f"the target {target!r} has no value {positive!r}{nearest(positive, classes)}; "
            f"it has {_listed(list(classes))}"
        )
    return (*(label for k, label in enumerate(classes) if k != place), classes[place])


def two_sides(values: list[str]) -> list[str]:
    """The first no and the first yes, if all values are words for no or yes; otherwise the values unchanged.

    More than two single letters are codes: the f, n and y of a field guide do not mean yes or no.
    """
    sides, words = sides_of(values), {value.lower() for value in values}
    codes = len(words) > 2 and all(len(word) == 1 for word in words)
    return [side[0] for side in sides] if sides is not None and all(sides) and not codes else values


def _missing_target(table: Table, profile: Profile) -> str:
    row = profile.first_null or 1
    row = int(table.rows[row - 1]) if table.rows is not None else row
    more = f", and in {profile.nulls - 1} more rows" if profile.nulls > 1 else ""
    return (
        f"{table.source}: row {row}: the target {profile.name!r} is missing{more}; fill it in, "
        "or drop such rows with --drop-missing-target"
    )


def in_order(values: list[str]) -> tuple[str, ...]:
    """Values sorted, numerically if all are numbers; of two, the one that means yes comes second."""
    try:
        return tuple(sorted(values, key=lambda value: (float(value), value)))
    except ValueError:
        ordered = sorted(values)
    if len(ordered) == 2 and ordered[0].lower() in SAY_YES and ordered[1].lower() not in SAY_YES:
        ordered.reverse()
    return tuple(ordered)


def _as_requested(table: Table, profile: Profile, kind: str) -> Guess:
    """The kind that the user chose, if the column can have it."""
    name, why = profile.name, AS_REQUESTED
    if kind == "yes/no" and yes_no_of(profile) is None:
        raise OptionError(f"column {name!r} has {profile.distinct} different values; yes/no needs two")
    if kind == "text" and profile.dtype != pl.String:
        raise OptionError(f"column {name!r} holds {_content(profile)}, which cannot be read as text")
    if kind == "steps" and isinstance(profile.dtype, pl.Boolean | pl.Date | pl.Datetime):
        raise OptionError(f"column {name!r} holds {_content(profile)}; only numbers have steps")
    if kind in ("number", "steps") and not (
        profile.is_number or isinstance(profile.dtype, pl.Boolean | pl.Date | pl.Datetime)
    ):
        _check_numbers(table, profile)
    if kind == "date" and not isinstance(profile.dtype, pl.Date | pl.Datetime):
        if not profile.forms:
            raise OptionError(f"column {name!r} has values that are not dates, such as {_example(profile)}")
        return Guess(name, kind, why, form=profile.forms[0], notes=_which_form(profile))
    return Guess(name, kind, why)


def _check_numbers(table: Table, profile: Profile) -> None:
    """Refuse words in a column of numbers."""
    if profile.dtype != pl.String:
        raise OptionError(f"column {profile.name!r} holds {_content(profile)}, which cannot be read as numbers")
    text = pl.col(profile.name)
    bad = text.is_not_null() & ~text.str.contains(WRITTEN)
    row = table.select(bad.any().alias("any"), bad.arg_max().alias("row"), text.filter(bad).first().alias("cell"))
    if row["any"].item():
        place = f"row {row['row'].item() + 1}, column {profile.name!r}"
        raise TableError(f"{table.source}: {place}: {row['cell'].item()!r} is not a number")


def _content(profile: Profile) -> str:
    return "numbers" if profile.is_number else f"values of type {profile.dtype}"


def _example(profile: Profile) -> str:
    values = pl.Series([value for value, _ in profile.values[:100]], dtype=pl.String)
    return repr(next((value for value in values if not has_form(pl.Series([value]), "")), "these"))


def _guess(table: Table, profile: Profile, hint: str | None) -> Guess:
    """The kind that a column's values suggest, or that the file declares."""
    name, there = profile.name, profile.rows - profile.nulls
    if not _is_usable(profile.dtype):
        return Guess(name, "ignore", f"values of type {profile.dtype}, which a rule cannot use")
    if not there or profile.odd == there:
        return Guess(name, "ignore", "no values")
    if _is_constant(profile):
        return _constant(profile)
    if (why := _identifier(profile)) is not None and hint != "category":
        return Guess(name, "ignore", why)
    if hint == "category" or hint == "number":
        is_two = hint == "category" and profile.distinct == 2
        return Guess(name, "yes/no" if is_two else hint, "declared in the file")
    if isinstance(profile.dtype, pl.Date | pl.Datetime):
        return Guess(name, "date", "dates")
    if profile.forms:
        form = profile.forms[0]
        return Guess(name, "date", f"all values are dates ({FORM_NAMES[form]})", _which_form(profile), form)
    if (two := yes_no_of(profile)) is not None and not profile.odd:
        return Guess(name, "yes/no", f"two values: {two[0]} and {two[1]}")
    if profile.is_number:
        return Guess(name, "number", "numbers", _perhaps_key(profile))
    if profile.numbers:
        return Guess(name, "number", "numbers written as text", _how_written(profile))
    return _words(profile)


def yes_no_of(profile: Profile) -> tuple[str, str] | None:
    """The no and the yes of a column with two values, however they are spelled; otherwise None."""
    values = [value for value, _ in profile.values]
    if profile.more or len(two := two_sides(values)) != 2 or profile.distinct != len(values):
        return None
    first, second = in_order(two)
    return first, second


def _how_written(profile: Profile) -> tuple[str, ...]:
    """A note on numbers of which only some are percentages."""
    percents = sum(value.endswith("%") for value, _ in profile.values)
    if not 0 < percents < len(profile.values):
        return ()
    return ("some values have a % sign and some do not: 12% is read as 0.12, and 12 as 12",)


def _perhaps_key(profile: Profile) -> tuple[str, ...]:
    """A note on whole numbers that rarely repeat, in a column whose name suggests an identifier."""
    seen = min(profile.rows - profile.nulls, GLANCE)
    seldom = profile.dtype.is_integer() and profile.distinct >= MOST * seen and profile.rows >= ENOUGH
    if not seldom or NAMED_AS_KEY.search(profile.name) is None:
        return ()
    return (f"most values occur only once; if it is an identifier, use {to_ignore(profile.name)}",)


def to_ignore(name: str) -> str:
    """The command-line option that leaves a column out, ready to paste."""
    return f"--ignore {quote(name)}"


def _is_usable(dtype: pl.DataType) -> bool:
    return dtype.is_numeric() or isinstance(dtype, pl.String | pl.Boolean | pl.Date | pl.Datetime | pl.Null)


def _is_constant(profile: Profile) -> bool:
    if profile.is_number or isinstance(profile.dtype, pl.Date | pl.Datetime):
        return profile.least == profile.most
    return profile.distinct == 1


def _constant(profile: Profile) -> Guess:
    """A column with a single value: useful only if it is missing in some rows."""
    value = profile.values[0][0] if profile.values else f"{profile.least:g}"
    if profile.nulls or profile.odd:
        return Guess(profile.name, "category", f"always {value!r} or missing")
    return Guess(profile.name, "ignore", f"constant: always {value!r}")


def _identifier(profile: Profile) -> str | None:
    """Why a column merely identifies its row; None if it does not."""
    if not profile.all_distinct or profile.nulls * 2 > profile.rows:
        return None
    says_so = NAMED_AS_KEY.search(profile.name) is not None
    if profile.dtype.is_integer():
        if says_so:
            return "identifier: all values differ, and its name says so"
        return "identifier: consecutive whole numbers" if profile.consecutive and profile.rows >= ENOUGH else None
    if profile.dtype == pl.String and not profile.forms and profile.words < LONG and not profile.numbers:
        return "identifier: all values differ" if says_so or profile.rows >= ENOUGH else None
    return None


def _words(profile: Profile) -> Guess:
    """Text or category, for a column of words."""
    many = profile.distinct > MANY * (profile.rows - profile.nulls)
    if profile.words >= SENTENCE and many and profile.rows >= ENOUGH:
        person = (f"if these are only names, use {to_ignore(profile.name)}",)
        names = person if NAMES.search(profile.name) is not None else ()
        return Guess(profile.name, "text", f"free text: {profile.words:.0f} words on average", names)
    doubt = f"most values occur only once; if it is an identifier, use {to_ignore(profile.name)}"
    notes = (doubt,) if many and profile.rows >= ENOUGH else ()
    if profile.no_number:
        notes = (f"most values are numbers, but {profile.no_number!r} is not, so all are treated as words",)
    return Guess(profile.name, "category", f"{profile.distinct} different values", notes)


def _which_form(profile: Profile) -> tuple[str, ...]:
    """A note on dates that can be read in two ways."""
    values = pl.Series([value for value, _ in profile.values], dtype=pl.String)
    readings = {form: days_of(values, form).to_list() for form in profile.forms}
    first = profile.forms[0]
    other = next((form for form in profile.forms[1:] if readings[form] != readings[first]), None)
    if other is None:
        return ()
    return (f"dates read as {FORM_NAMES[first]}; they could also be {FORM_NAMES[other]}",)


def _with_notes(guess: Guess, profile: Profile) -> Guess:
    """The guess, with a note if the column gives the answer away."""
    if not profile.decides or guess.kind == "ignore":
        return guess
    how = "one threshold separates the classes" if profile.decides == "threshold" else "each value belongs to one class"
    note = f"determines the target on its own ({how}): a leak? If not known in advance, use {to_ignore(guess.column)}"
    if guess.kind == "number" and profile.decides == "value":
        note += f"; if its numbers are names, use --kind {quote(f'{guess.column}=category')}"
    return Guess(guess.column, guess.kind, guess.why, (*guess.notes, note), guess.form)
