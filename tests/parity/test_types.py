"""One table, one label: however its columns are typed, and however their values are written."""

import sqlite3
from datetime import date

import numpy as np
import polars as pl
import pytest

from parity.engines import by_estimator, by_polars, ident
from parity.test_exports import run_exported
from rosenblatt.errors import TableError
from rosenblatt.read.encode.columns import CategoryColumn, DateColumn, NumberColumn, TextColumn, YesNoColumn
from rosenblatt.read.encode.infer import encoding_of, types_for
from rosenblatt.read.sources import read_table
from rosenblatt.read.values import NO, YES
from rosenblatt.ship.export.points import PointRule
from rosenblatt.ship.export.python import python_of
from rosenblatt.ship.export.sql import sql_of

CELLS = {  # as a CSV file has them
    "amount": ["1", "2.5", "-3", "", "1e3", "7", "NA", "12", "3", "4", "5", "6"],
    "smoker": ["Yes", "No", "Yes", "NA", "No", "No", "Yes", "Yes", "No", "Yes", "", "No"],
    "flag": ["1", "0", "0", "1", "", "1", "0", "1", "0", "0", "1", "1"],
    "grade": ["1", "2", "3", "2", "1", "?", "3", "3", "2", "1", "1", "2"],
    "mixed": ["1", "x", "2", "x", "1", "2", "", "x", "1", "1", "2", "x"],
    "answer": ["yes", "no", "maybe", "no", "yes", "maybe", "yes", "", "no", "maybe", "yes", "no"],
    "town": ["Rome", "Oslo", "Rome", "Bern", "null", "Oslo", "Bern", "Rome", "Oslo", "Bern", "Rome", "Oslo"],
    "since": ["2020-01-31", "2021-02-28", "", "2019-12-01", "NA", *["2020-06-15", "2022-03-04", "2018-07-09"] * 2, "?"],
    "price": ["1,000", "12%", "2,345,678.5", "7", "NA", "1,250", "99%", "3.5", "4", "10,000", "55", "1"],
    "y": ["a", "b"] * 6,
}
DTYPES = {"amount": pl.Float64, "flag": pl.Int64, "grade": pl.Int64}
TYPED = pl.DataFrame(
    {
        **{name: [None if c in ("", "NA", "?", "null") else c for c in cells] for name, cells in CELLS.items()},
        "price": [1000, 0.12, 2345678.5, 7, None, 1250, 0.99, 3.5, 4, 10000, 55, 1],
    },
    strict=False,
).with_columns(
    pl.col("amount").cast(pl.Float64),
    pl.col("smoker") == "Yes",
    pl.col("flag", "grade").cast(pl.Int64),
    pl.col("since").str.to_date(),
)


def shouted(cells):
    return pl.Series([cell if cell is None else cell.upper() for cell in cells], dtype=pl.String)


VARIANTS = {
    "as in the file": pl.DataFrame(CELLS),
    "typed": TYPED,
    "whole numbers as doubles": TYPED.with_columns(pl.col("flag", "grade").cast(pl.Float64)),
    "booleans as numbers": TYPED.with_columns(pl.col("smoker").cast(pl.Int64), pl.col("flag").cast(pl.Boolean)),
    "booleans as doubles": TYPED.with_columns(pl.col("smoker", "flag").cast(pl.Float64)),
    "in capital letters": pl.DataFrame(CELLS).with_columns(smoker=shouted(CELLS["smoker"])),
    "numbers as texts of doubles": pl.DataFrame(CELLS).with_columns(
        pl.col("grade", "flag").replace({"1": "1.0", "2": "2.00", "3": "03", "0": "0.0"})
    ),
    "other words": pl.DataFrame(CELLS).with_columns(
        smoker=pl.Series(["t", "off", "on", "NA", "F", "n", "Y", "True", "FALSE", "1", "", "0"]),
        flag=pl.Series(["yes", "No", "false", "T", "", "true", "F", "on", "0", "n", "TRUE", "Y"]),
    ),
    "with blanks": pl.DataFrame(CELLS).with_columns(pl.format(" {}\t", pl.all()).name.keep()),
}
NOT_FOR = {"with blanks": ("onnx", "pmml4s", "jpmml"), "numbers as texts of doubles": ("onnx", "pmml4s", "jpmml")}


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """The table as a file, and a rule about it in which every feature counts."""
    path = tmp_path_factory.mktemp("types") / "table.csv"
    pl.DataFrame(CELLS).write_csv(path)
    table = read_table(path)
    encoding, _ = encoding_of(table, "y", overrides={"grade": "category", "mixed": "category", "town": "category"})
    kinds = {column.name: type(column) for column in encoding.columns}
    words = dict.fromkeys(["grade", "mixed", "answer", "town"], CategoryColumn)
    assert kinds == {
        "amount": NumberColumn,
        "smoker": YesNoColumn,
        "flag": YesNoColumn,
        **words,
        "since": DateColumn,
        "price": NumberColumn,
    }
    weights = tuple((np.arange(encoding.size) * 37.0 % 64 - 31.5).tolist())
    points = PointRule(encoding, (weights,), (0.25,), True)
    expected = by_estimator(points, table.whole())
    assert len(set(expected[0])) == 2
    assert len(np.unique(expected[1])) == 12
    return path, points, expected


def assert_same(found, expected):
    assert found[0] == expected[0]
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_engines(engine, learned, variant):
    if engine.name in NOT_FOR.get(variant, ()):
        pytest.skip("it takes categories as they are written, and has no way to take blanks off")
    _, points, expected = learned
    assert_same(engine(points, VARIANTS[variant]), expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_polars(learned, variant):
    _, points, expected = learned
    assert_same(by_polars(points, VARIANTS[variant]), expected)
    assert_same(by_estimator(points, VARIANTS[variant]), expected)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "ndjson", "arrow"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_files(learned, tmp_path, variant, suffix):
    _, points, expected = learned
    path, frame = tmp_path / f"t.{suffix}", VARIANTS[variant]
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "ndjson": frame.write_ndjson}
    write.get(suffix, frame.write_ipc)(path)
    types = types_for(points.encoding)
    assert_same(by_estimator(points, read_table(path, types=types, others=pl.String()).whole()), expected)


def test_types_that_duckdb_finds(learned, tmp_path):
    """It takes Yes and No for BOOLEAN, and dates for DATE; its Parquet file means the same here."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    path, points, expected = learned
    with duckdb.connect() as connection:
        marks = "['', 'NA', '?', 'null']"
        connection.execute(f"CREATE TABLE rows AS SELECT * FROM read_csv_auto('{path}', nullstr={marks})")
        kinds = {name: str(kind) for name, kind, *_ in connection.execute("DESCRIBE rows").fetchall()}
        assert [kinds[name] for name in ("smoker", "since", "flag")] == ["BOOLEAN", "DATE", "BIGINT"]
        rows = connection.execute(sql_of(points, table="rows")).fetchall()
        assert [row[-1] for row in rows] == expected[0]
        connection.execute(f"COPY rows TO '{tmp_path / 't.parquet'}'")
        connection.execute(f"CREATE TABLE plain AS SELECT * FROM read_csv('{path}', all_varchar=true)")
        assert [row[-1] for row in connection.execute(sql_of(points, table="plain")).fetchall()] == expected[0]
    assert_same(by_estimator(points, read_table(tmp_path / "t.parquet").whole()), expected)


@pytest.mark.parametrize(
    "kind", ["DOUBLE", "FLOAT", "INTEGER", "UTINYINT", "HUGEINT", "DECIMAL(3, 3)", "DECIMAL(18, 2)"]
)
def test_numbers_of_duckdb_are_not_read_as_texts(learned, kind):
    """The planner sees from a column's type that they are numbers; to look at their texts took 20 times as long."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    _, points, _ = learned
    alone = PointRule(
        points.encoding, (tuple(w if k == 0 else 0.0 for k, w in enumerate(points.weights[0])),), (0.25,), True
    )
    with duckdb.connect() as connection:

        def plan(kind):
            connection.execute(f"CREATE OR REPLACE TABLE rows (amount {kind})")
            return connection.execute(f"EXPLAIN (FORMAT json) SELECT {sql_of(alone)} FROM rows").fetchall()[0][1]

        assert "amount" in plan(kind)
        assert "0123456789" not in plan(kind)
        assert "0123456789" in plan("VARCHAR")


def test_duckdb_refuses_booleans_where_numbers_are_wanted(learned):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    _, points, _ = learned
    with duckdb.connect() as connection:
        frame = VARIANTS["typed"].with_columns(amount=pl.lit(value=True))  # noqa: F841
        connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
        with pytest.raises(duckdb.Error, match="to BOOL"):
            connection.execute(sql_of(points, table="rows"))


def test_python_reads_the_file_as_it_is(learned, tmp_path):
    path, points, expected = learned
    done = run_exported(points, path.read_text(), tmp_path)
    assert done.stderr == b""
    assert done.stdout.decode().split()[1:] == expected[0]


def test_python_objects(learned):
    _, points, expected = learned
    rule = {}
    exec(python_of(points), rule)
    for row, label in zip(TYPED.iter_rows(named=True), expected[0], strict=True):
        assert rule["predict"](row) == label
    assert rule["predict"](dict(row, amount=float("nan"), flag=True, smoker="nO", since=date(2020, 1, 1)))


def test_a_time_with_a_zone_is_the_day_that_it_shows(learned):
    _, points, expected = learned
    late = pl.col("since").cast(pl.Datetime("us")).dt.offset_by("23h30m")
    zoned = TYPED.with_columns(late.dt.replace_time_zone("America/New_York"))
    written = pl.DataFrame(CELLS).with_columns(
        since=pl.Series([f"{cell} 23:30:00-05:00" if cell[:2] == "20" else cell for cell in CELLS["since"]])
    )
    assert by_polars(points, zoned)[0] == by_polars(points, written)[0] == expected[0]
    rule = {}
    exec(python_of(points), rule)
    assert [rule["predict"](row) for row in zoned.iter_rows(named=True)] == expected[0]
    assert [rule["predict"](row) for row in written.iter_rows(named=True)] == expected[0]
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.register("rows", zoned.with_row_index("place").to_arrow())
        query = f"SELECT label FROM ({sql_of(points, table='rows')}) ORDER BY place"
        assert [row[0] for row in connection.execute(query).fetchall()] == expected[0]


NUMBER = NumberColumn("x", 0.0, 1.0, 2.0**-10, -8.0, 8.0, True)
BAD = ["abc", "1-2", "2020-01-01", "1.2.3", "-", ".", "1,000", "12%", "1 000", "0x1", "5 m"]
GOOD = ["1", "-1", "NA", " 2 ", "1e-3", "-1.5E+2", "inf", "-Infinity", "+.5", "5.", None]


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgresql"], indirect=True, scope="session")
def test_a_text_that_is_no_number_has_no_label_in_sql(engine):
    points = PointRule(encoding_on(NUMBER), ((1.0, 0.5),), (0.0,), True)
    bad = BAD if engine.name != "duckdb" else ["abc", "ten", "%", "x1"]
    frame = pl.DataFrame({"x": [*bad, *GOOD]})
    labels, scores = engine(points, frame)
    assert labels[: len(bad)] == [None] * len(bad)
    assert np.isnan(scores[: len(bad)]).all()
    assert_same((labels[len(bad) :], scores[len(bad) :]), by_estimator(points, frame[len(bad) :]))
    with pytest.raises(TableError, match="row 1, column 'x': 'abc' is not a number"):
        by_estimator(points, frame)


@pytest.mark.parametrize("cell", BAD[1:])
@pytest.mark.parametrize("engine", ["duckdb"], indirect=True, scope="session")
def test_a_text_that_only_begins_like_a_number_is_refused_by_duckdb(engine, cell):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    points = PointRule(encoding_on(NUMBER), ((1.0, 0.5),), (0.0,), True)
    with pytest.raises(duckdb.ConversionException, match="Could not convert string"):
        engine(points, pl.DataFrame({"x": ["1", cell]}))


def test_a_text_that_is_no_number_in_python(tmp_path):
    points = PointRule(encoding_on(NumberColumn("x", 0.0, 1.0, 1.0, -8.0, 8.0, True)), ((1.0, 0.5),), (0.0,), True)
    done = run_exported(points, "x\n1\nNA\nabc\n", tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().strip() == "row 3: column 'x': 'abc' is not a number"


def encoding_on(*columns):
    from rosenblatt.read.encode.encoding import Encoding, Target

    return Encoding(columns, Target("y", ("no", "yes")))


@pytest.mark.parametrize("yes", YES)
@pytest.mark.parametrize("no", NO)
def test_every_pair_of_words(yes, no):
    """Whichever words a rule was learned with, it knows all others."""
    points = PointRule(
        encoding_on(YesNoColumn("c", (yes.title(),), False, False, no.upper())), ((1.0,),), (-0.5,), True
    )
    words = [*YES, *NO, *(word.upper() for word in (*YES, *NO)), "other"]
    expected = ["yes"] * 6 + ["no"] * 6 + ["yes"] * 6 + ["no"] * 7
    frame = pl.DataFrame({"c": words})
    assert by_estimator(points, frame)[0] == expected
    rule = {}
    exec(python_of(points), rule)
    assert [rule["predict"](row) for row in frame.to_dicts()] == expected
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE rows ({ident('c')})")
    connection.executemany("INSERT INTO rows VALUES (?)", frame.rows())
    assert [row[-1] for row in connection.execute(sql_of(points, table="rows"))] == expected
    connection.close()


def test_words_of_a_text_that_say_that_there_is_none(engine):
    points = PointRule(encoding_on(TextColumn("t", ("na", "none", "good"))), ((1.0, 2.0, -4.0),), (-0.5,), True)
    frame = pl.DataFrame({"t": ["NA", "na na", "None", "none of it", "Good, NA", None, "nan"]})
    assert_same(engine(points, frame), by_estimator(points, frame))


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        (DateColumn("d", 0.0, 1.0, 1.0, -8.0, 8.0, False), [1, 2], "column 'd' holds values of type Int64, .* a date"),
        (DateColumn("d", 0.0, 1.0, 1.0, -8.0, 8.0, False), [True], "type Boolean, which cannot be read as a date"),
        (
            NumberColumn("d", 0.0, 1.0, 1.0, -8.0, 8.0, False),
            [[1.0]],
            "column 'd' is of type List.*; its cells must be numbers, texts",
        ),
        (TextColumn("d", ("a",)), [1.5], "type Float64, which cannot be read as text"),
    ],
)
def test_types_that_are_refused(column, cells, message):
    with pytest.raises(TableError, match=message):
        encoding_on(column).encode(pl.DataFrame({"d": cells}))
