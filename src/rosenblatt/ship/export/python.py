"""A linear rule as a Python module that needs nothing but Python.

Problem   label a row where rosenblatt is not installed.
Input     the points of a rule.
Result    the text of a module with `score(row)` and `predict(row)`; run as a command, it reads CSV.
"""

from typing import Any

from rosenblatt.judge.decision import Decision
from rosenblatt.read.dates import shape_of
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    StepColumn,
    TextColumn,
)
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.values import GROUPED, MISSING, NOT_FINITE, PLAIN
from rosenblatt.ship.export import python_decided
from rosenblatt.ship.export.points import PointRule

OPENING = '''"""A rule that gives a label to a row. Written by rosenblatt; needs nothing but Python 3.8 or later.

    predict({"a column": its value, ...})    the label
    score({"a column": its value, ...})      SCORE

Values may be of any type that can express them: numbers, texts, true and false, dates. A missing value is None, NaN
or a text in MISSING. Run as a command, it reads CSV with a header from standard input and writes a label for each row.
"""

import bisect
import csv
import math
import re
import string
import sys
from datetime import date, datetime

'''

ABOUT = "# Points are lists with one entry for each score. No sum of them is rounded, so their order does not matter.\n"

WORDS = f"""MISSING = {MISSING!r}
NOT_FINITE = {NOT_FINITE!r}
PLAIN = re.compile({PLAIN.pattern!r})
GROUPED = re.compile({GROUPED.pattern!r})
SEPARATORS = string.whitespace + string.punctuation
SMALL = str.maketrans(string.ascii_uppercase + SEPARATORS, string.ascii_lowercase + " " * len(SEPARATORS))
"""

RULE = '''

def score(row):
    """The sum of the points."""
    sums = list(INTERCEPTS)
    for points in _points(row):
        for k, p in enumerate(points):
            sums[k] += p
    return sums[0] if len(sums) == 1 else dict(zip(CLASSES, sums))

PREDICT


def _points(row):
    for name, column in NUMBERS.items():
        yield _of_number(_float(name, CELL, column["written"]), column)
    for name, column in STEPS.items():
        x = _float(name, CELL, column["written"])
        there = x is not None and math.isfinite(x)
        yield column["points"][bisect.bisect_right(column["edges"], x)] if there else column["missing"]
    for name, column in DATES.items():
        yield _of_number(_days(CELL, column["format"], column["shape"]), column)
    for name, column in CATEGORIES.items():
        value = _value(CELL, column)
        yield column["missing"] if value is None else column["points"].get(value, column["other"])
    for name, column in TEXTS.items():
        words = _words(CELL)
        if column["buckets"]:
            words = {_bucket(word, column["buckets"]) for word in words}
        for word in words:
            yield column["points"].get(word, ())


def _of_number(x, column):
    """The points of a number, which is clipped, rounded to a multiple of a power of two and scaled."""
    if x is None or not math.isfinite(x):
        return column["missing"]
    x = min(max(x, column["lowest"]), column["highest"])
    x = ((x + column["rounder"]) - column["rounder"] - column["centre"]) / column["scale"]
    return [x * p for p in column["points"]]
'''

PREDICT = '''
def predict(row):
    """The label: with two classes by the sign of the score, otherwise the first class with the largest score."""
    result = score(row)
    if isinstance(result, dict):
        return max(result, key=result.get)
    return CLASSES[result >= 0 if ZERO_IS_YES else result > 0]
'''

READERS = '''

def _float(name, value, written):
    """A number, or a text that is one; with `written`, also 1,000 and 12%."""
    if not isinstance(value, str):
        try:
            return None if value is None else float(value)
        except OverflowError:  # a whole number beyond all doubles
            return None
        except TypeError:
            raise ValueError(f"column {name!r}: {value!r} is not a number") from None
    text = value.strip(" \t")
    if text in MISSING:
        return None
    if PLAIN.fullmatch(text) or text.lower() in NOT_FINITE:
        return float(text)
    plain = text[:-1] if text.endswith("%") else text
    if written and (GROUPED.fullmatch(plain) or (plain != text and PLAIN.fullmatch(plain))):
        number = float(plain.replace(",", ""))
        return number if plain == text else number / 100.0
    raise ValueError(f"column {name!r}: {value!r} is not a number")


def _value(cell, column):
    """A value of a category as the rule spells it; None if it is missing."""
    if cell is None or cell != cell:  # NaN
        return None
    text = _text(cell)
    for form in (text, text.strip(" \t")):
        if form in column["texts"]:
            return column["texts"][form]
    if form in MISSING:
        return None
    if form.lower() in column["words"]:
        return column["words"][form.lower()]
    number = float(form) if column["numbers"] and PLAIN.fullmatch(form) else None
    return column["numbers"].get(number, form)


def _days(value, form, shape):
    """Days since 1970-01-01, or None if there is no such date."""
    if value is None or value != value:
        return None
    if isinstance(value, date):
        return value.toordinal() - 719163
    found = (re.fullmatch if form else re.match)(shape, _text(value).strip(" \t"))
    try:
        return datetime.strptime(found.group(), form or "%Y-%m-%d").toordinal() - 719163 if found else None
    except ValueError:
        return None


def _text(value):
    """A value as text: whole numbers without a decimal point, true and false in lower case."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and abs(value) < 2.0**53 and value == math.floor(value):
        return str(int(value))
    return str(value)


def _words(value):
    """The different words of a text, separated by ASCII white space and punctuation, in lower case."""
    text = "" if value is None or value != value else _text(value)
    return set() if text.strip(" \t") in MISSING else set(text.translate(SMALL).split(" ")) - {""}
'''

HASHING = '''

def _bucket(word, buckets):
    """FNV-1a."""
    code = 0x811C9DC5
    for byte in word.encode():
        code = ((code ^ byte) * 0x01000193) & 0xFFFFFFFF
    return code % buckets
'''

MAIN = '''

def main():
    """Write the labels of the CSV on standard input to standard output."""
    sys.stdin.reconfigure(encoding="utf-8-sig", newline="")
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    csv.field_size_limit(2**31 - 1)
    write = csv.writer(sys.stdout, lineterminator="\\n").writerow
    write(["label"])
    for number, row in enumerate(csv.DictReader(sys.stdin), 1):
        trimmed = {name.strip(): cell for name, cell in row.items() if name}
        try:
            write([predict({**trimmed, **row})])
        except KeyError as error:
            sys.exit(f"the table has no column {error}")
        except ValueError as error:
            sys.exit(f"row {number}: {error}")


if __name__ == "__main__":
    main()
'''


def python_of(points: PointRule) -> str:
    """The rule as the text of a Python module."""
    tables: dict[str, dict[str, Any]] = {"NUMBERS": {}, "STEPS": {}, "DATES": {}, "CATEGORIES": {}, "TEXTS": {}}
    none = [0.0] * len(points.weights)
    for column, weights in points.terms():
        each = [list(w) for w in zip(*weights, strict=True)]  # of every feature, the points in each score
        tables[_kind(column)][column.name] = _table(column, each, none)
    lines = [
        f"CLASSES = {list(points.classes)!r}",
        f"ZERO_IS_YES = {points.zero_is_yes!r}  # what a score of exactly zero means",
        f"INTERCEPTS = {list(points.intercepts)!r}",
        *(f"{name} = {written(table)}" for name, table in tables.items()),
        *python_decided.constants_of(points.decision, len(points.classes)),
    ]
    score = "the score that decides it; with several classes, one for each"
    constants = ABOUT + "\n".join(lines) + "\n" + WORDS
    return module(points.encoding, points.decision, score, constants, (RULE, PREDICT), HASHING)


def module(
    encoding: Encoding, decision: Decision, score: str, constants: str, rule: tuple[str, str], more: str = ""
) -> str:
    """The text of a module: what its score means, its constants, how it scores and labels, and what else it needs."""
    (scoring, by_itself), cell = rule, "row.get(name)" if encoding.is_sparse else "row[name]"
    labelling = python_decided.code_of(decision, len(encoding.target.classes), by_itself)
    code = scoring.replace("PREDICT\n", labelling).replace("CELL", cell) + READERS + more + MAIN
    opening = OPENING.replace("SCORE\n", f"{score}\n{python_decided.about(decision)}")
    if decision.probability is not None:
        opening = opening.replace("import csv\n", "import bisect\nimport csv\n")
    return opening + constants + code


def _kind(column: EncodedColumn) -> str:
    """The table that a column belongs to."""
    if isinstance(column, DateColumn | StepColumn):
        return "DATES" if isinstance(column, DateColumn) else "STEPS"
    return (
        "NUMBERS"
        if isinstance(column, NumberColumn)
        else "CATEGORIES"
        if isinstance(column, CategoryColumn)
        else "TEXTS"
    )


def _table(column: EncodedColumn, each: list[list[float]], none: list[float]) -> dict[str, Any]:
    """What the module needs to know about a column."""
    if isinstance(column, StepColumn):
        *steps, empty = [list(w) for w in zip(*map(column.worth, zip(*each, strict=True)), strict=True)]
        return {**form_of(column), "edges": list(column.edges), "points": steps, "missing": empty}
    if isinstance(column, NumberColumn):
        grid = {name: getattr(column, name) for name in ("lowest", "highest", "rounder", "centre", "scale")}
        return {**form_of(column), **grid, "points": each[0], "missing": each[1] if column.missing else none}
    if isinstance(column, CategoryColumn):
        k = len(column.values)
        rest, empty = each[k] if column.other else none, each[-1] if column.missing else none
        named = dict.fromkeys(column.known, none) | dict(zip(column.values, each, strict=False))
        return {**spelled(column), "points": named, "other": rest, "missing": empty}
    assert isinstance(column, TextColumn)
    buckets = column.buckets if isinstance(column, HashedTextColumn) else 0
    names_of_words = range(buckets) if buckets else column.words
    return {"points": {word: w for word, w in zip(names_of_words, each, strict=True) if any(w)}, "buckets": buckets}


def form_of(column: NumberColumn) -> dict[str, Any]:
    """How a number or a date is written if it is text."""
    if isinstance(column, DateColumn):
        return {"format": column.format, "shape": shape_of(column.format)}
    return {"written": column.written}


def spelled(column: CategoryColumn) -> dict[str, Any]:
    """How the values of a category may be written."""
    forms = column.spellings
    each: dict[str, dict[Any, int]] = {"texts": forms.texts, "words": forms.words, "numbers": forms.numbers}
    return {name: {form: column.known[k] for form, k in places.items()} for name, places in each.items()}


def written(value: Any, indent: str = "") -> str:
    """A dictionary with one entry per line; any other value unchanged."""
    if not isinstance(value, dict) or not value:
        return repr(value)
    deeper = indent + "    "
    entries = "".join(f"{deeper}{key!r}: {written(entry, deeper)},\n" for key, entry in value.items())
    return f"{{\n{entries}{indent}}}"
