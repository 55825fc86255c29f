"""Tables as no one would make them, and rules on them, for Hypothesis."""

import itertools
import math
from dataclasses import replace
from datetime import date

import numpy as np
import polars as pl
from hypothesis import strategies as st

from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    NumberColumn,
    StepColumn,
    TextColumn,
    YesNoColumn,
)
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.export.points import PointRule, short

NAMES = [
    "select", "order", "t", "s", "c", "d", "y", "cell", "cell_0", "score", "score_1", "label", "_score", "features",
    "a b", 'qu"ote', "it's", "semi;colon", "--", "/*", "%s", "{x}", "$1", "\\", "&lt;<>", "]]>", "naïve 🌍", "名", " ",
    "tab\t", "new\nline", "1", "x" * 200, "constant_0", "sum_1", "feature_1", "CELL", "row", "rows",
    "probability", "against_rest_1",
]  # fmt: skip
VALUES = [
    "a", "A", " a", "a ", "", " ", "it's", '"', "''", "\n", "\r\n", "\t", "é", "e\u0301", "NULL", "null", "None",
    "%", "_", "\\", "日本", "x" * 300, "true", "a;b", "--", "<&>", "]]>", "🌍", "\u00a0", "ß", "SS", "nan",
]  # fmt: skip
TEXTS = [
    "Hello, World", "hello free!", "FREE free Free", "x", "", " ", "a_b%c\\d", "it's", "tab\tand\nline\rfeed\x0b\x0c",
    "É é école", "\u0130 i \u0131", "\u017fs ß", "\u212a k", "a\u00a0b", "日本 語", "a\u0301 a", "<b>&amp;]]>",
    "1 23 -4.5", "🌍🌍", "\u2028z",
]  # fmt: skip
WORDS = [
    "hello", "world", "free", "x", "a", "b", "c", "d", "it", "s", "tab", "and", "é", "école", "i", "i\u0307", "\u0131",
    "\u017fs", "k", "ß", "a\u00a0b", "日本", "a\u0301", "amp", "1", "23", "🌍🌍", "never", "hell",
]  # fmt: skip
NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1.5, 2.5, 1e308, -1e308, 5e-324, -5e-324, 2.0**-1022, math.nan, math.inf, -math.inf,
    1e15 + 0.5, 2.0**53, 1e-300, 1.7976931348623157e308, -1.7976931348623157e308,
]  # fmt: skip
WHOLE = [0, 1, -1, 2, 7, 255, 2**53 + 1, 2**63 - 1, -(2**63)]
DATES = [
    date(1, 1, 1), date(1582, 10, 15), date(1900, 2, 28), date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29),
    date(2024, 12, 31), date(9999, 12, 31),
]  # fmt: skip
ISO = [
    *map(str, DATES), "2023-02-29", "1900-02-29", "2000-13-01", "2000-00-10", "2000-01-00", "2000-1-1", "", "x",
    "2000-04-31", "0000-01-01", "2000-01-01T23:59", "2000-01-01 23:59:59", "20000101", "\u0662000-01-01", " 2000-01-01",
]  # fmt: skip
SLASHED = [
    "31/12/1999", "1/2/2003", "01/2/2003", "1/02/2003", "29/02/1900", "x", "", "1/1/20000", " 1/1/2000", "+1/1/2000",
    "1/1/2000\n", "\u0661/1/2000", "1/1/0000",
]  # fmt: skip
plain_letters = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
names = st.sampled_from(NAMES) | st.text(plain_letters, min_size=1, max_size=20)
numbers = st.sampled_from(NUMBERS) | st.floats()


def cells(values, n):
    return st.lists(st.none() | values, min_size=n, max_size=n)


@st.composite
def grids(draw, kind, name, **more):
    """A number's grid, whether it suits its values or not; its deviation may be very small beside its size."""
    least, most = sorted(
        draw(st.lists(st.floats(-1e300, 1e300) | st.sampled_from([-4.0, 4.0]), min_size=2, max_size=2))
    )
    mean = draw(st.sampled_from([least, most, least / 2 + most / 2]))
    deviation = (max(abs(least), abs(most)) or 1.0) * draw(st.sampled_from([1.0, 0.3, 1e-3, 2.0**-50]))
    made = kind.of(name, least=least, most=most, mean=mean, deviation=deviation, missing=draw(st.booleans()))
    return made if not more else DateColumn(**{**made.__dict__, **more})


@st.composite
def categories(draw, name, values):
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, max_size=5, unique=True))
    return CategoryColumn(name, tuple(chosen), draw(st.booleans()), draw(st.booleans()))


KINDS = (
    "number", "whole", "steps", "whole steps", "date", "iso", "slashed", "category", "codes", "halves", "yes", "text",
)  # fmt: skip


@st.composite
def columns(draw, name, n):
    """A column of any kind, and its cells."""
    kind = draw(st.sampled_from(KINDS))
    if kind in ("steps", "whole steps"):
        values, of_type = (numbers, pl.Float64) if kind == "steps" else (st.sampled_from(WHOLE), pl.Int64)
        ends = [x for x in NUMBERS if math.isfinite(x)] if kind == "steps" else [0.0, 1.0, 2.0, 6.5, 2.0**53, -1e300]
        edges = draw(st.lists(st.sampled_from(ends), min_size=1, max_size=5, unique=True))
        grid = draw(grids(NumberColumn, name))
        return StepColumn(**vars(grid), edges=tuple(sorted(edges))), pl.Series(draw(cells(values, n)), dtype=of_type)
    if kind == "number":
        return draw(grids(NumberColumn, name)), pl.Series(draw(cells(numbers, n)), dtype=pl.Float64)
    if kind == "whole":
        whole = st.sampled_from(WHOLE) | st.integers(-(2**63), 2**63 - 1)
        return draw(grids(NumberColumn, name)), pl.Series(draw(cells(whole, n)), dtype=pl.Int64)
    if kind in ("date", "iso", "slashed"):
        values = {"date": DATES, "iso": ISO, "slashed": SLASHED}[kind]
        column = draw(grids(DateColumn, name, format="%d/%m/%Y" if kind == "slashed" else ""))
        return column, pl.Series(
            draw(cells(st.sampled_from(values), n)), dtype=pl.Date if kind == "date" else pl.String
        )
    if kind == "category":
        texts = st.sampled_from(VALUES) | st.text(plain_letters, max_size=5)
        return draw(categories(name, VALUES)), pl.Series(draw(cells(texts, n)), dtype=pl.String)
    if kind == "codes":
        return draw(categories(name, [*map(str, WHOLE)])), pl.Series(
            draw(cells(st.sampled_from(WHOLE), n)), dtype=pl.Int64
        )
    if kind == "halves":
        halves = st.sampled_from([0.0, -0.0, 1.0, 0.5, -1.5, 2.0])
        values = ["0", "1", "0.5", "-1.5", "2"]
        return draw(categories(name, values)), pl.Series(draw(cells(halves, n)), dtype=pl.Float64)
    if kind == "yes":
        yes, no = draw(st.permutations(["true", "false"]))
        return YesNoColumn(name, (yes,), False, draw(st.booleans()), no), pl.Series(
            draw(cells(st.booleans(), n)), dtype=pl.Boolean
        )
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8, unique=True))
    return TextColumn(name, tuple(words)), pl.Series(draw(cells(st.sampled_from(TEXTS), n)), dtype=pl.String)


def rule(encoding, rng):
    """Points on an encoding: small whole weights, which tie often, or weights of all sizes, made short."""
    k = len(encoding.target.classes) if len(encoding.target.classes) > 2 else 1
    shape = (k, encoding.size + 1)
    if rng.random() < 0.5:
        weights = rng.integers(-1, 2, shape) * 1.0
    else:
        spread = rng.choice([0, 3, 30])
        weights = rng.normal(size=shape) * 10.0 ** rng.integers(-spread, spread + 1, shape)
    if k > 1 and rng.random() < 0.5:
        weights[1] = weights[0]
    each = [short(w[:-1], float(w[-1]), encoding.features) for w in weights]
    made = tuple(tuple(w.tolist()) for w, _ in each), tuple(float(b) for _, b in each)
    return PointRule(encoding, *made, zero_is_yes=True)


@st.composite
def odd_tables(draw):
    """A frame, and points for it."""
    n, k, seed = draw(st.integers(3, 8)), draw(st.sampled_from([2, 2, 2, 3, 4, 5])), draw(st.integers(0, 2**32 - 1))
    zero_is_yes, tie = draw(st.sampled_from(list(itertools.product([True, False], repeat=2))))
    named = draw(st.lists(names, min_size=2, max_size=5, unique_by=(str.casefold, lambda name: name.encode()[:63])))
    made = [draw(columns(name, n)) for name in named[1:]]
    labels = draw(st.lists(st.sampled_from(VALUES) | st.text(plain_letters), min_size=k, max_size=k, unique=True))
    encoding = Encoding(tuple(column for column, _ in made), Target(named[0], tuple(labels)))
    frame = pl.DataFrame({column.name: cells for column, cells in made})
    points = replace(rule(encoding, np.random.default_rng(seed)), zero_is_yes=zero_is_yes)
    return frame, tied(points, frame) if k == 2 and tie else points


def tied(points, frame):
    """The same rule, moved so that it gives the first row a score of exactly zero, if that makes no sum round."""
    first = points.encoding.encode(frame[:1]).astype(float)[0]
    moved = replace(points, intercepts=(-float(first @ np.array(points.weights[0])),))
    return moved if moved.exact else points
