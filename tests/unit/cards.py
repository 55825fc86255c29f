"""Rules on tables of mixed columns, and a clerk who reads their cards."""

from fractions import Fraction

import polars as pl
from hypothesis import strategies as st

from rosenblatt.read.encode.columns import CategoryColumn, DateColumn, NumberColumn, TextColumn, YesNoColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.export.points import PointRule

cells = {
    "age": st.one_of(st.none(), st.integers(18, 90).map(float), st.floats(-1e6, 1e6)),
    "kind": st.sampled_from(["a", "b", "it's", "unseen", None]),
    "own": st.sampled_from(["yes", "no", "odd", None]),
    "note": st.sampled_from(["Free, free!", "hello free", "", "nothing", None]),
    "day": st.integers(0, 20_000),
}


@st.composite
def rules(draw, whole=False):
    """An encoding of five kinds of columns, a table, weights of one rule or of three."""
    missing, other = draw(st.booleans()), draw(st.booleans())
    columns = (
        NumberColumn.of("age", least=18.0, most=90.0, mean=draw(st.floats(30, 60)), deviation=11.4, missing=missing),
        CategoryColumn("kind", ("a", "b", "it's"), other, missing),
        YesNoColumn("own", ("yes",), False, missing, "no"),
        TextColumn("note", ("free", "hello")),
        DateColumn.of("day", least=0.0, most=20_000.0, mean=9000.3, deviation=4000.0, missing=False),
    )
    n_rules = draw(st.sampled_from([1, 3]))
    encoding = Encoding(columns, Target("y", ("no", "yes") if n_rules == 1 else ("a", "b", "c")))
    numbers = st.integers(-3, 3).map(float) if whole else st.floats(-10, 10)
    weights = tuple(tuple(draw(numbers) for _ in range(encoding.size)) for _ in range(n_rules))
    rows = draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=8))
    frame = pl.DataFrame(
        rows, schema={"age": pl.Float64, "kind": pl.String, "own": pl.String, "note": pl.String, "day": pl.Int64}
    )
    frame = frame.with_columns(pl.col("day").cast(pl.Int32).cast(pl.Date))
    return PointRule(encoding, weights, tuple(draw(numbers) for _ in range(n_rules)), draw(st.booleans())), frame


def on_the_grid(column, x):
    """A number as the encoding rounds and clips it, by whole-number arithmetic."""
    x, step = min(max(Fraction(x), Fraction(column.lowest)), Fraction(column.highest)), Fraction(column.step)
    return round(x / step) * step


def added_up(card, one, encoding, row):
    """What a clerk does: the points of each column of a row, by the card's lines alone."""
    found = {}
    for part in one.parts:
        column = next(c for c in encoding.used if c.name == part.column)
        lines = {line.value: line.points for line in part.lines}
        cell = row[part.column]
        if isinstance(column, NumberColumn):
            if cell is None:
                found[part.column] = lines["missing"]
            else:
                x = (cell - pl.Series([0]).cast(pl.Int32).cast(pl.Date)[0]).days if part.kind == "date" else cell
                x = on_the_grid(column, x)
                found[part.column] = part.lines[0].points * (x - part.measure.base) / part.measure.unit
        elif isinstance(column, TextColumn):
            words = {w for w in (cell or "").lower().replace(",", " ").replace("!", " ").split() if w in column.words}
            found[part.column] = sum((lines.get(f"has {w!r}", Fraction(0)) for w in words), Fraction(0))
        elif cell is None:
            found[part.column] = lines["missing"]
        else:
            rest = "no, or anything else" if isinstance(column, YesNoColumn) else "any other"
            found[part.column] = lines[cell if cell in column.values else rest]
    return found
