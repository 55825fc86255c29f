"""A linear rule as SQL that runs unchanged in DuckDB, SQLite and PostgreSQL.

Problem   label every row of a database table, exactly as here, without an extension.
Input     the points of a rule; the table's columns have the names that the rule expects.
Result    an expression for the label, or a query with the scores and the label beside all columns.

The engines agree on little. Constants are doubles only if cast, and SQLite reads them correctly only if they have few
digits or 17. NaN is the largest number in two engines and NULL in the third. A sum of a thousand terms is nested too
deeply. Planners copy an expression to wherever its name is used, unless it is DISTINCT or has an OFFSET.

Columns may have any type that can express their values (`sql_cells`); dates are dates, or text that begins with an
ISO 8601 date, of the years 1 to 9999. If a number is expected and the text of a cell is not one, the row has no label.
"""

import re
import string
from collections.abc import Iterable, Sequence
from functools import reduce

from rosenblatt.errors import OptionError
from rosenblatt.judge.calibration import ByLead
from rosenblatt.judge.decision import Decision
from rosenblatt.read.encode.columns import (
    SEPARATORS,
    CategoryColumn,
    DateColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    StepColumn,
    TextColumn,
)
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.values import MISSING
from rosenblatt.ship.export.decided import PROBABILITY
from rosenblatt.ship.export.points import PointRule
from rosenblatt.ship.export.sql_cells import (
    LARGEST,
    double,
    identifier,
    number,
    of_number,
    of_value,
    stripped,
    text,
    texts,
)
from rosenblatt.ship.export.sql_decided import AGAINST_REST, LEAD, Label, label_of, often_used, query

WIDTH = 10  # terms in a sum: DuckDB plans long sums slowly, and engines refuse deep nesting
MONTHS = (306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275)  # days from 1 March to the first of each month
EPOCH = 865566  # days from 1 March of the year -400 to 1970-01-01, plus one
SIZES = {"Y": 4, "m": 2, "d": 2}  # of the fields of a date, in the order of ISO 8601
FORMAT = r"%([Ymd])([^%\w\\]?)%([Ymd])([^%\w\\]?)%([Ymd])"


def sql_of(points: PointRule, *, table: str | None = None) -> str:
    """The rule as SQL: an expression for the label, or a query on `table`, whose name is inserted unchanged.

    The query returns all columns, then `score` and `label`; with more than two classes, `score_1` and so on for the
    classes in order. If columns of the rule have names that start like these, the new names start with an underscore.
    A decision adds its probabilities to the query, and both label by its cut-offs.
    """
    own = own_prefix(points.encoding, points.decision)
    if table is None:
        return _label_alone(points, own)
    scores = score_names(len(points.weights), own)
    each = [f"{_score(points, k, 't.', own)} AS {name}" for k, name in enumerate(scores)]
    rows = f"SELECT t.*,\n{', '.join(each)}\nFROM {table} AS t{often_used(scores, points.decision)}"
    return query(rows, scores, _by_itself(points), points.decision, points.classes, own)


def own_prefix(encoding: Encoding, decision: Decision) -> str:
    """Enough underscores to keep our names different from the rule's column names."""
    own, names = "", [encoding.target.name, *(column.name for column in encoding.columns)]
    ours = ("score", "label", "cell", *((PROBABILITY, AGAINST_REST) if decision.probability else ()))
    ours += (LEAD,) if isinstance(decision.probability, ByLead) else ()
    while any(name.casefold().startswith(tuple(f"{own}{begun}" for begun in ours)) for name in names):
        own += "_"
    return own


def score_names(many: int, own: str) -> list[str]:
    """The names of the scores."""
    return [f"{own}score"] if many == 1 else [f"{own}score_{k + 1}" for k in range(many)]


def _label_alone(points: PointRule, own: str) -> str:
    """The label as an expression; with several scores a query on one row, so that each is written once."""
    decided = label_of(points.classes, _by_itself(points), points.decision)
    if len(points.weights) == 1 and points.decision.rung is None:
        return decided([_score(points, 0, "", own)])
    names = score_names(len(points.weights), own)
    each = ",\n".join(f"{_score(points, k, '', own)} AS {name}" for k, name in enumerate(names))
    return f"(SELECT {decided([f's.{name}' for name in names])}\nFROM (SELECT DISTINCT {each}) AS s)"


def _by_itself(points: PointRule) -> Label:
    """The label by the rule alone, from the score or from one score for each class."""
    if len(points.weights) > 1:
        return lambda scores: first_of_largest(points.classes, scores)
    return lambda scores: of_sides(f"{scores[0]} {'>=' if points.zero_is_yes else '>'} 0", points.classes)


def of_sides(yes: str, classes: Sequence[str]) -> str:
    """One of two labels; NULL if `yes` is NULL."""
    return f"CASE ({yes}) WHEN TRUE THEN {text(classes[1])} WHEN FALSE THEN {text(classes[0])} END"


def first_of_largest(classes: Sequence[str], scores: Sequence[str]) -> str:
    """The label of the first class with the largest score; NULL if a score is NULL."""
    labels = [text(label) for label in classes]
    best = [" AND ".join(f"{score} >= {later}" for later in scores[k + 1 :]) for k, score in enumerate(scores[:-1])]
    cases = "".join(f" WHEN {test} THEN {label}" for test, label in zip(best, labels, strict=False))
    return f"CASE WHEN {' + '.join(scores)} IS NULL THEN NULL{cases} ELSE {labels[-1]} END"


def _score(points: PointRule, rule: int, of: str, own: str) -> str:
    """The sum of the points; `of` is written before every column's name."""
    terms = [_term(column, w[rule], of, own) for column, w in points.terms() if any(w[rule])]
    return _sum([double(points.intercepts[rule]), *terms])


def _sum(terms: Sequence[str]) -> str:
    """A sum in brackets; long sums become sums of sums."""
    while len(terms) > WIDTH:
        terms = [_sum(terms[k : k + WIDTH]) for k in range(0, len(terms), WIDTH)]
    joined = "\n + ".join(terms)
    return f"({joined})" if len(terms) > 1 else joined


def _term(column: EncodedColumn, w: Sequence[float], of: str, own: str) -> str:
    """What a column adds to the score."""
    cell = of + identifier(column.name)
    if isinstance(column, DateColumn):
        return _of_date(column, w, cell, f"{own}cell")
    if isinstance(column, StepColumn):
        *worth, none = map(number, column.worth(w))
        return of_number(cell, column.written, lambda x: _of_steps(column, worth, none, x), none)
    if isinstance(column, NumberColumn):
        empty = number(w[1] if column.missing else 0.0)
        return of_number(cell, column.written, lambda x: _of_number(column, w, x), empty)
    if isinstance(column, CategoryColumn):
        return _of_category(column, w, cell)
    if isinstance(column, HashedTextColumn) or not isinstance(column, TextColumn):
        raise OptionError(f"column {column.name!r}: {column.kind} cannot be written in SQL; use a vocabulary of words")
    return _of_text(column, w, cell, f"{own}cell")


def _of_number(column: NumberColumn, w: Sequence[float], x: str) -> str:
    """The points of a number; outside its range, as the nearest end; if not finite, as a missing one."""

    def at(end: float) -> str:
        return number((end + column.rounder - column.rounder - column.centre) / column.scale * w[0])

    low, high, rounder = number(column.lowest), number(column.highest), number(column.rounder)
    scaled = f"({x} + {rounder}) - {rounder}"
    if column.centre:
        scaled = f"({scaled}) - {number(column.centre)}"
    if column.scale != 1.0:
        scaled = f"({scaled}) / {number(column.scale)}"
    return (
        f"CASE WHEN {x} BETWEEN {low} AND {high} THEN ({scaled}) * {number(w[0])}"
        f" WHEN {x} BETWEEN {high} AND {number(LARGEST)} THEN {at(column.highest)}"
        f" WHEN {x} BETWEEN {number(-LARGEST)} AND {low} THEN {at(column.lowest)}"
        f" ELSE {number(w[1] if column.missing else 0.0)} END"
    )


def _of_steps(column: StepColumn, worth: Sequence[str], none: str, x: str) -> str:
    """The points of the step that a number is in; if not finite, those of a missing one."""
    ends = [number(-LARGEST), *map(number, column.edges), number(LARGEST)]
    steps = zip(ends, ends[1:], worth, strict=False)
    cases = [f" WHEN {x} BETWEEN {low} AND {high} THEN {points}" for low, high, points in steps]
    return f"CASE{''.join(reversed(cases))} ELSE {none} END"  # from the top: an edge is in the step above it


def _of_category(column: CategoryColumn, w: Sequence[float], cell: str) -> str:
    """The points of a value, however it is spelled."""
    *known, rest, empty = column.worth(w)
    return of_value(column.spellings, cell, [number(value) for value in known], double(rest), number(empty))


def _of_text(column: TextColumn, w: Sequence[float], cell: str, c: str) -> str:
    """The points of the words that occur."""
    counted = [(word, value) for word, value in zip(column.words, w, strict=True) if value]
    rows = ",\n ".join(f"({like_pattern(word)}, {double(value)})" for word, value in counted)
    there = f"{c}_words (word, points) AS (VALUES {rows})"
    return in_steps(
        stripped(cell), to_words(c), "COALESCE(SUM(points), 0)", c, there, f", {c}_words WHERE {c} LIKE word"
    )


def to_words(c: str) -> list[str]:
    """Steps from a text to its words, in lower case, each between blanks."""
    letters = zip(string.ascii_uppercase, string.ascii_lowercase, strict=True)
    marks = ((mark, " ") for mark in SEPARATORS if mark != " ")
    known = f"CASE WHEN {c} NOT IN ({texts(MISSING)}) THEN {c} END AS {c}"
    return [known, *_replacing(c, letters), *_replacing(c, marks), f"' ' || {c} || ' ' AS {c}"]


def like_pattern(word: str) -> str:
    """The LIKE pattern for a prepared text that contains the word."""
    return text(f"% {word} %")


def _replacing(c: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Steps that replace letters by others, a few at a time, because SQLite's parser refuses deep nesting."""
    each = list(pairs)
    return [f"{_replaced(c, each[k : k + 10])} AS {c}" for k in range(0, len(each), 10)]


def _replaced(expression: str, pairs: Iterable[tuple[str, str]]) -> str:
    return reduce(lambda inner, pair: f"REPLACE({inner}, {text(pair[0])}, {text(pair[1])})", pairs, expression)


def in_steps(cell: str, steps: Iterable[str], result: str, c: str, table: str = "", joined: str = "") -> str:
    """An expression on the text of a cell, which is named `c` and changed step by step: a query on one row.

    A step is what follows SELECT DISTINCT. Without DISTINCT, planners would copy it to wherever the next one uses it.
    """
    rows = [f"{c}_0 AS (SELECT DISTINCT {cell} AS {c})"]
    for step in steps:
        rows.append(f"{c}_{len(rows)} AS (SELECT DISTINCT {step} FROM {c}_{len(rows) - 1})")
    source = f"{c}_{len(rows) - 1}{joined}"
    tables = ",\n ".join([*rows, table] if table else rows)
    return f"(WITH {tables}\n SELECT {result} FROM {source})"


def _of_date(column: DateColumn, w: Sequence[float], cell: str, c: str) -> str:
    """The points of a date."""
    return in_steps(stripped(cell), to_days(column, c), _of_number(column, w, "days"), c)


def to_days(column: DateColumn, c: str) -> list[str]:
    """Steps from a date, or its text, to `days` since 1970-01-01; no row if there is no such date."""
    return [*_to_iso(column, c), *_iso_to_days(c)]


def _to_iso(column: DateColumn, c: str) -> list[str]:
    """Steps that turn text in the column's format into ISO 8601 and leave other text, such as database dates, alone."""
    if not column.format:
        return []
    form = re.fullmatch(FORMAT, column.format)
    if form is None or {*form.group(1, 3, 5)} != {*SIZES}:
        raise OptionError(f"column {column.name!r}: dates in the format {column.format!r} cannot be written in SQL")
    steps, shape, places = [], "", {}
    for field, after in zip(form.group(1, 3, 5), (form[2], form[4], ""), strict=True):
        size, start = SIZES[field], len(shape) + 1
        if size == 2 and form[2] and form[4]:
            single = text(f"{shape}_{after}%" if after else f"{shape}_")  # digit, which gets a zero before it
            longer = f"SUBSTR({c}, 1, {start - 1}) || '0' || SUBSTR({c}, {start})"
            steps.append(f"CASE WHEN {c} LIKE {single} THEN {longer} ELSE {c} END AS {c}")
        places[field] = f"SUBSTR({c}, {start}, {size})"
        shape += "_" * size + after
    iso = " || '-' || ".join(places[field] for field in SIZES)
    return [*steps, f"CASE WHEN {c} LIKE {text(shape)} THEN {iso} ELSE {c} END AS {c}"]


def _iso_to_days(c: str) -> list[str]:
    """Steps from ISO 8601 to days since 1970-01-01; no row if there is no such date.

    (y - y % 4) / 4 is exact whether an engine divides whole numbers or doubles. Years begin in March.
    """
    letters = _replaced(
        f"SUBSTR({c}, 1, 4) || SUBSTR({c}, 6, 2) || SUBSTR({c}, 9, 2)", ((k, "") for k in string.digits)
    )
    fields = ((1, 4, "y"), (6, 2, "m"), (9, 2, "d"))
    numbers = ", ".join(f"CAST(SUBSTR({c}, {start}, {size}) AS INTEGER) AS {name}" for start, size, name in fields)
    leap = "y % 4 = 0 AND (y % 100 <> 0 OR y % 400 = 0)"
    last = f"CASE WHEN m IN (4, 6, 9, 11) THEN 30 WHEN m <> 2 THEN 31 WHEN {leap} THEN 29 ELSE 28 END"
    leaps = "(since - since % 4) / 4 - (since - since % 100) / 100 + (since - since % 400) / 400"
    months = "".join(f" WHEN {k + 1} THEN {days}" for k, days in enumerate(MONTHS))
    days = (
        f"CASE WHEN y > 0 AND d BETWEEN 1 AND {last} THEN 365 * since + {leaps} + CASE m{months} END + d - {EPOCH} END"
    )
    return [
        f"CASE WHEN {c} LIKE '____-__-__%' AND {letters} = '' THEN {c} END AS {c}",
        numbers,
        "y, m, d, y + CASE WHEN m <= 2 THEN 399 ELSE 400 END AS since",
        f"CAST({days} AS DOUBLE PRECISION) AS days",
    ]
