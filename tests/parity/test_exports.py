"""What each export refuses, and what it must bear: thousands of terms, every day, every constant."""

import ast
import csv
import io
import itertools
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.engines import by_estimator, ident
from rosenblatt.errors import MissingExtraError, OptionError
from rosenblatt.read.encode.columns import CategoryColumn, DateColumn, HashedTextColumn, NumberColumn, TextColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.export.onnx import MISSING, onnx_of
from rosenblatt.ship.export.pmml import pmml_of
from rosenblatt.ship.export.points import PointRule
from rosenblatt.ship.export.python import python_of
from rosenblatt.ship.export.sql import double, number, sql_of

NUMBER = NumberColumn("x", 0.0, 1.0, 2.0**-10, -8.0, 8.0, True)


def points_of(*columns, weights=None, intercept=0.0, classes=("no", "yes")):
    encoding = Encoding(columns, Target("y", classes))
    weights = (1.0,) * encoding.size if weights is None else weights
    return PointRule(encoding, (tuple(weights),), (intercept,), True)


def test_many_terms(engine):
    """Words, values and columns by the thousand; by the hundred where an engine plans slowly. No nest is too deep."""
    many = 150 if engine.name in ("duckdb", "jpmml", "pmml4s") else 1200
    rng = np.random.default_rng(1)
    words = tuple(f"word{k}" for k in range(many))
    values = tuple(f"value {k}" for k in range(many))
    numbers = [NumberColumn(f"x{k}", 0.0, 1.0, 2.0**-10, -8.0, 8.0, False) for k in range(many)]
    numbers = numbers[:900] if engine.name == "postgresql" else numbers  # which has no room for more in a row
    columns = (TextColumn("t", words), CategoryColumn("c", values, True, True), *numbers)
    size = sum(column.size for column in columns)
    points = points_of(*columns, weights=(rng.integers(-999, 1000, size) * 1.0).tolist())
    frame = pl.DataFrame(
        {
            "t": [" ".join(rng.choice(words, 30)) for _ in range(4)],
            "c": ["value 7", values[-1], "no value", None],
            **{column.name: rng.normal(size=4) for column in columns[2:]},
        }
    )
    labels, scores = by_estimator(points, frame)
    found, found_scores = engine(points, frame)
    assert found == labels
    np.testing.assert_array_equal(found_scores, scores)


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgresql", "python"], indirect=True, scope="session")
def test_every_kind_of_day(engine):
    """Days around the ends of centuries and of all time, as dates and as texts of several forms."""
    near = [date(year, 1, 1) for year in (1896, 1900, 1969, 1997, 2100)]
    days = [start + timedelta(k) for start in near for k in range(0, 1500, 11)] + [date.min, date.max]
    ends = [date(year, month, 1) - timedelta(1) for year in (1601, 1700, 1904, 2000, 2400) for month in range(1, 13)]
    days = pl.Series([*days, *ends, None])
    grid = (0.0, 1.0, 1.0, -(2.0**22), 2.0**22, True)
    forms = ["", "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d"]
    for form in forms:
        points = points_of(DateColumn("d", *grid, form))
        for cells in (days, days.dt.strftime(form or "%Y-%m-%d")):
            frame = pl.DataFrame({"d": cells})
            labels, scores = by_estimator(points, frame)
            assert len(set(scores.ravel().tolist())) > 700
            found, found_scores = engine(points, frame)
            assert found == labels
            np.testing.assert_array_equal(found_scores, scores)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_constants_are_exact_in_sqlite(x):
    """Its parser rounds the shortest digits of some doubles wrongly, and tiny ones whatever their digits."""
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute(f"SELECT {double(x)}, {number(x)}").fetchone() == (x, x)
    connection.close()


@pytest.mark.parametrize("k", range(-1074, 1024, 97))
def test_constants_of_all_sizes_are_exact_in_sqlite(k):
    connection = sqlite3.connect(":memory:")
    for mantissa in np.random.default_rng(k + 2000).uniform(1, 2, 200).tolist():
        x = float(np.ldexp(mantissa, k))
        assert connection.execute(f"SELECT {double(x)}").fetchone() == (x,)
    connection.close()


@pytest.mark.parametrize("export", [sql_of, onnx_of, pmml_of])
def test_hashed_text_is_refused(export):
    with pytest.raises(OptionError, match=r"hashed text cannot be written in .*; use a vocabulary of words"):
        export(points_of(HashedTextColumn("t", (), 4)))


def test_hashed_text_in_python():
    frame = pl.DataFrame({"t": ["Hello, World", "other words", "é", None, ""]})
    points = points_of(HashedTextColumn("t", (), 64), weights=range(64), intercept=-40.0)
    rule = {}
    exec(python_of(points), rule)
    labels, scores = by_estimator(points, frame)
    assert [rule["predict"](row) for row in frame.to_dicts()] == labels
    assert [rule["score"](row) for row in frame.to_dicts()] == scores.ravel().tolist()


@pytest.mark.parametrize(
    ("export", "column", "message"),
    [
        (
            sql_of,
            CategoryColumn("c", ("a\0",), False, False),
            r"'a\\x00' contains character number 0, which SQL cannot write",
        ),
        (sql_of, CategoryColumn("\0", ("a",), False, False), "cannot write"),
        (sql_of, CategoryColumn("", ("a",), False, False), "a column without a name cannot be written in SQL"),
        (
            sql_of,
            DateColumn("d", 0.0, 1.0, 1.0, -8.0, 8.0, False, "%d %b %Y"),
            "dates in the format '%d %b %Y' cannot be written in SQL",
        ),
        (onnx_of, CategoryColumn("c", (MISSING,), False, False), "which means missing in ONNX"),
        (onnx_of, CategoryColumn("\0", ("a",), False, False), "does not allow in a name"),
        (pmml_of, CategoryColumn("c", ("a\x01",), False, False), "cannot be written in PMML"),
        (pmml_of, CategoryColumn("\x1b", ("a",), False, False), "cannot be written in PMML"),
    ],
)
def test_refused(export, column, message):
    with pytest.raises(OptionError, match=message):
        export(points_of(column))


def test_onnx_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r'ONNX export needs an extra: pip install "rosenblatt\[onnx\]"'):
        onnx_of(points_of(NUMBER))


def test_a_table_that_has_a_score_and_a_label():
    """New columns give way to those that the rule knows."""
    points = points_of(
        NumberColumn("Score", 0.0, 1.0, 1.0, -8.0, 8.0, False), CategoryColumn("label", ("a",), False, False)
    )
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE odd (Score REAL, label TEXT)")
    connection.execute("INSERT INTO odd VALUES (-2.0, 'a')")
    cursor = connection.execute(sql_of(points, table="odd"))
    assert [name for name, *_ in cursor.description] == ["Score", "label", "_score", "_label"]
    assert cursor.fetchall() == [(-2.0, "a", -1.0, "no")]
    connection.close()


def test_a_column_that_is_not_there():
    """SQLite takes an unknown name in quotes for a text, unless it belongs to a table."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE odd (z REAL)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(sql_of(points_of(NUMBER), table="odd"))
    connection.close()


def test_python_imports_the_standard_library_only():
    tree = ast.parse(python_of(points_of(NUMBER, TextColumn("t", ("a",)))))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name.name for node in imported if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module for node in imported if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names


def run_exported(points, text, tmp_path):
    path = tmp_path / "rule.py"
    path.write_text(python_of(points), encoding="utf-8")
    command = [sys.executable, "-I", "-S", path]
    return subprocess.run(command, input=text.encode(), capture_output=True)


def test_python_as_a_command(tmp_path):
    label = 'a "label",\nof two lines'
    points = points_of(NUMBER, CategoryColumn("ü,", ("b\nc",), False, True), classes=(label, "yes"), intercept=-1.5)
    frame = pl.DataFrame({"x": [1.0, None, 2.25, -1e308], "ü,": ["b\nc", None, "z", "b\nc"]})
    done = run_exported(points, "\ufeff" + frame.write_csv(), tmp_path)
    assert done.returncode == 0
    assert [row[0] for row in csv.reader(io.StringIO(done.stdout.decode(), newline=""))][1:] == by_estimator(
        points, frame
    )[0]


def test_python_as_a_command_without_a_column(tmp_path):
    done = run_exported(points_of(NUMBER), "z\n1\n", tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().strip() == "the table has no column 'x'"


@pytest.mark.parametrize("zero_is_yes", [True, False])
def test_a_score_of_exactly_zero(engine, zero_is_yes):
    frame = pl.DataFrame({"x": [-1.0, -0.0, 0.0, 2.0**-12, -(2.0**-12), None, 1.0]})
    points = replace(points_of(NUMBER, weights=(0.75, 0.0)), zero_is_yes=zero_is_yes)
    found, scores = engine(points, frame)
    tie = "yes" if zero_is_yes else "no"
    assert found == ["no", tie, tie, tie, tie, tie, "yes"]
    assert scores.ravel().tolist() == [-0.75, 0, 0, 0, 0, 0, 0.75]


def test_equal_scores(engine):
    """Of the largest scores, the first counts."""
    values = [*itertools.product("abc", repeat=2)]
    columns = [CategoryColumn(name, ("a", "b", "c"), False, False) for name in ("u", "v")]
    encoding = Encoding(tuple(columns), Target("y", ("first", "second", "third")))
    weights = ((1.0, 0.0, 0.0, 0.5, 0.5, 0.0), (0.0, 1.0, 0.0, 0.5, 0.5, 1.0), (0.0, 0.0, 1.0, 0.5, 1.5, 1.0))
    points = PointRule(encoding, weights, (0.25, 0.25, 0.25), True)
    frame = pl.DataFrame(values, schema=["u", "v"], orient="row")
    scores = [[b + w["abc".index(u)] + w[3 + "abc".index(v)] for w in weights for b in [0.25]] for u, v in values]
    found, found_scores = engine(points, frame)
    assert found_scores.tolist() == scores
    assert found == [points.classes[each.index(max(each))] for each in scores]
    assert sum(sorted(each)[-1] == sorted(each)[-2] for each in scores) >= 3


def test_tiny_numbers(engine):
    """What single precision takes for zero counts: grids, weights and intercepts."""
    tiny = 2.0**-700
    column = NumberColumn("x", 3 * tiny, tiny, tiny / 1024, -(2.0**12) * tiny, 2.0**12 * tiny, False)
    frame = pl.DataFrame({"x": [0.0, 3 * tiny, 3.5 * tiny, 2.5 * tiny, 1.0, None]})
    for size in (1.0, 2.0**-300):
        points = points_of(column, weights=(2 * size,), intercept=size)
        assert points.exact
        found, scores = engine(points, frame)
        assert (scores.ravel() / size).tolist() == [-5, 1, 2, 0, 8187, 1]
        assert found == ["no", "yes", "yes", "yes", "yes", "yes"]


def test_numbers_that_the_rule_ignores(engine):
    """A rule of an intercept only still gives a label for every row."""
    frame = pl.DataFrame({"x": [1.0, None, 3.0]})
    points = points_of(NUMBER, weights=(0.0, 0.0), intercept=-1.0)
    found, scores = engine(points, frame)
    assert found == ["no"] * 3
    assert scores.ravel().tolist() == [-1.0] * 3


def test_names_are_quoted():
    assert ident('a"b') == '"a""b"'
    assert '"a""b"' in sql_of(points_of(CategoryColumn('a"b', ("it's",), False, False)))
    assert "'it''s'" in sql_of(points_of(CategoryColumn('a"b', ("it's",), False, False)))
