"""Engines that know nothing of rosenblatt: each gives the labels and the scores of a frame from an exported rule.

An engine is a function of points, for some also of a tree, and a frame. Scores have a row for every row, a column for
every rule. If the rule has a decision with probabilities, they follow: a column for each output.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from parity.odd_trees import Grown
from rosenblatt import Perceptron
from rosenblatt.read.encode.columns import DateColumn, NumberColumn, SparseColumn
from rosenblatt.read.values import as_text
from rosenblatt.ship.export.decided import PROBABILITY, Tables
from rosenblatt.ship.export.onnx import MISSING, onnx_of
from rosenblatt.ship.export.pmml import pmml_of
from rosenblatt.ship.export.python import python_of
from rosenblatt.ship.export.sql import sql_of
from rosenblatt.ship.export.tree_python import python_of_tree
from rosenblatt.ship.export.tree_sql import sql_of_tree

ROW = "the row's number"


def estimator(points):
    """The rule as an estimator that was never fitted."""
    rule = Perceptron(ties="plus" if points.zero_is_yes else "mistake")
    rule._settle()
    rule.n_features_in_ = points.encoding.size
    rule.classes_ = np.array(points.classes, object)
    rule.weights_ = np.column_stack([points.weights, points.intercepts])
    return rule


def by_estimator(points, table):
    """Labels by exact signs, from the encoded rows."""
    rule, X = estimator(points), points.encoding.encode(table)
    return rule.predict(X).tolist(), rule.decision_function(X).reshape(X.shape[0], -1)


def by_polars(points, frame):
    names = [str(k) for k in _rules(points)]
    scored = frame.select(points.scores(names).alias("scores")).unnest("scores")
    found = scored.select(points.label([pl.col(name) for name in names]).alias("label"), *names)
    return found["label"].to_list(), found.drop("label").to_numpy()


def _rules(points):
    return range(len(points.weights))


def chances(rule):
    """The names of the probabilities that its decision adds to the outputs."""
    tables = Tables.of(rule.decision)
    return [name for name, _ in tables.named] or [f"{PROBABILITY}_{k + 1}" for k in range(len(tables.of_classes))]


def _as_sql(rule, table=None):
    if isinstance(rule, Grown):
        return sql_of_tree(rule.encoding, rule.tree, table=table, decision=rule.decision)
    return sql_of(rule, table=table)


def _as_python(rule):
    return python_of_tree(rule.encoding, rule.tree, rule.decision) if isinstance(rule, Grown) else python_of(rule)


def _by_sql(rule, run):
    """Labels from the query, which must be those of the expression."""
    classes = len(rule.encoding.target.classes)
    scores, last = classes if classes > 2 else 1, len(chances(rule))
    between = last if classes > 2 else 0  # of each class against the rest
    between += last if Tables.of(rule.decision).by_lead else 0  # leads
    label = -1 - between - last
    rows = sorted(run(_as_sql(rule, "rows")), key=lambda row: row[label - 1 - scores])
    labels = [row[label] for row in rows]
    alone = sorted(run(f"SELECT {ident(ROW)}, {_as_sql(rule)} FROM rows"))
    assert [label for _, label in alone] == labels
    found = [np.array([row[label - scores : label] for row in rows], float)]
    return labels, *found, *([np.array([row[-last:] for row in rows], float)] if last else [])


def ident(name):
    return '"' + name.replace('"', '""') + '"'


def _numbered(frame):
    return frame.with_columns(pl.int_range(pl.len()).alias(ROW))


@contextmanager
def duckdb_engine():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow, which DuckDB reads frames with, is not installed")
    connection = duckdb.connect()

    def labels(points, frame):
        connection.register("rows", _numbered(frame).to_arrow())
        return _by_sql(points, lambda query: connection.execute(query).fetchall())

    yield labels
    connection.close()


SQLITE = {pl.Float64: "DOUBLE PRECISION", pl.Int64: "BIGINT", pl.Boolean: "BOOLEAN", pl.Date: "DATE"}


@contextmanager
def sqlite_engine():
    connection = sqlite3.connect(":memory:")

    def labels(points, frame):
        frame = _numbered(frame).with_columns(pl.col(pl.Date).cast(pl.String))
        kinds = [f"{ident(name)} {SQLITE.get(kind, 'VARCHAR COLLATE NOCASE')}" for name, kind in frame.schema.items()]
        connection.execute("DROP TABLE IF EXISTS rows")
        connection.execute(f"CREATE TABLE rows ({', '.join(kinds)})")
        connection.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * frame.width)})", frame.rows())
        return _by_sql(points, lambda query: connection.execute(query).fetchall())

    yield labels
    connection.close()


@contextmanager
def postgresql_engine():
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    with _postgresql_server() as folder, psycopg.connect(host=folder, user="postgres", dbname="postgres") as connection:

        def labels(points, frame):
            frame = _numbered(frame)
            kinds = [f"{ident(name)} {SQLITE.get(kind, 'TEXT')}" for name, kind in frame.schema.items()]
            with connection.cursor() as cursor:
                cursor.execute("DROP TABLE IF EXISTS rows")
                cursor.execute(f"CREATE TEMP TABLE rows ({', '.join(kinds)})")
                with cursor.copy("COPY rows FROM STDIN") as copy:
                    for row in frame.iter_rows():
                        copy.write_row(row)
                return _by_sql(points, lambda query: cursor.execute(query).fetchall())

        yield labels


@contextmanager
def _postgresql_server():
    """A private server on a socket in a temporary folder; PostgreSQL refuses to run as root."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "/")]
    programs = found[-1].parent
    if not (programs / "pg_ctl").exists():
        pytest.skip("PostgreSQL is not installed")
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="parity-"))
    control = [*user, programs / "pg_ctl", "-D", folder / "data", "-w"]
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    try:
        if user:
            shutil.chown(folder, "postgres")
        made = [*user, programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "-N"]
        for command in (made, [*control, "-l", folder / "log", "-o", options, "start"]):
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
    except (OSError, LookupError, subprocess.CalledProcessError) as error:
        shutil.rmtree(folder)
        pytest.skip(f"no PostgreSQL server can be started: {error}")
    try:
        yield str(folder)
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True, cwd=folder)
        shutil.rmtree(folder)


@contextmanager
def onnx_engine():
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")

    def labels(points, frame):
        session = runtime.InferenceSession(onnx_of(points).SerializeToString())
        feed = {column.name: _array(column, frame) for column in points.encoding.used}
        found, scores, *more = session.run(None, feed)
        made = [np.column_stack(more)] if more else []
        return found.tolist(), scores.reshape(len(found), -1), *made

    yield labels


def _array(column, frame):
    """A column as ONNX wants it."""
    if isinstance(column, SparseColumn):
        return np.nan_to_num(frame.select(str(k + 1) for k in range(column.count)).to_numpy())
    cells = _plain(column, frame)
    if isinstance(column, NumberColumn):
        return np.array([[np.nan if cell is None else cell] for cell in cells], float)
    return np.array([[MISSING if cell is None else cell] for cell in cells], object)


def _plain(column, frame):
    """A column as doubles and texts; dates as days."""
    cell = pl.col(column.name)
    value = (
        column.value if isinstance(column, DateColumn) else column.cells if isinstance(column, NumberColumn) else None
    )
    return frame.select(as_text(cell) if value is None else value).to_series().to_list()


def _records(points, frame):
    columns = {column.name: _plain(column, frame) for column, _ in points.terms()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)] or [{}] * frame.height


def _outputs(points, rows):
    """Labels, scores and probabilities among the outputs of a PMML reader, whatever their underscores."""
    named = [{name.lstrip("_"): value for name, value in row.items()} for row in rows]
    scores = ["score"] if len(points.weights) == 1 else [f"score_{k + 1}" for k in _rules(points)]
    wanted = [scores, *([names] if (names := chances(points)) else [])]
    tables = [np.array([[row[name] for name in names] for row in named], float) for names in wanted]
    return [row["label"] for row in named], *tables


def _end(process):
    """Wait until a process that was told to end has ended, and leave no pipe open."""
    process.wait(timeout=30)
    process.stdin.close()


@contextmanager
def pmml4s_engine():
    pypmml = pytest.importorskip("pypmml", reason="pypmml is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java, which the PMML reader needs, is not installed")

    def labels(points, frame):
        model = pypmml.Model.fromString(pmml_of(points))
        return _outputs(points, [model.predict(row) for row in _records(points, frame)])

    yield labels
    pypmml.Model.close()
    for process in [process for process in subprocess._active if "py4j" in str(process.args)]:
        _end(process)  # the package forgets its Java process, and `subprocess` would find it in the next test


@contextmanager
def jpmml_engine():
    jpmml = pytest.importorskip("jpmml_evaluator", reason="jpmml_evaluator is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java, which the PMML reader needs, is not installed")
    backend = jpmml.make_backend("py4j")

    def labels(points, frame):
        model = jpmml.LoadingModelEvaluatorBuilder(backend).loadString(pmml_of(points)).build().verify()
        return _outputs(points, [model.evaluate(row, nan_as_missing=False) for row in _records(points, frame)])

    yield labels
    process = backend.gateway.java_process
    backend.destroyGateway()
    _end(process)


DRIVER = """
import json, runpy, sys
from datetime import date
for line in sys.stdin:
    path, rows = json.loads(line, object_hook=lambda d: date.fromisoformat(d[""]) if "" in d else d)
    rule = runpy.run_path(path)
    scores = [rule["score"](row) for row in rows]
    scores = [list(s.values()) if isinstance(s, dict) else [s] for s in scores]
    found = [[rule["predict"](row) for row in rows], scores]
    if "probability" in rule:
        chances = [rule["probability"](row) for row in rows]
        found.append([list(p.values()) if isinstance(p, dict) else [p] for p in chances])
    if "interval" in rule:
        found[-1] = [[*p, *rule["interval"](row)] for p, row in zip(found[-1], rows)]
    print(json.dumps(found), flush=True)
"""


@contextmanager
def python_engine():
    """A Python without site packages, which runs what was exported."""
    command = [sys.executable, "-I", "-S", "-c", DRIVER]
    with (
        tempfile.TemporaryDirectory(prefix="parity-") as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii") as process,
    ):
        path = Path(folder) / "rule.py"

        def labels(points, frame):
            path.write_text(_as_python(points), encoding="utf-8")
            request = json.dumps([str(path), frame.to_dicts()], default=lambda day: {"": day.isoformat()})
            print(request, file=process.stdin, flush=True)
            found, *tables = json.loads(process.stdout.readline())
            return found, *(np.array(table, float) for table in tables)

        yield labels


ENGINES = {
    "duckdb": duckdb_engine,
    "sqlite": sqlite_engine,
    "postgresql": postgresql_engine,
    "onnx": onnx_engine,
    "pmml4s": pmml4s_engine,
    "jpmml": jpmml_engine,
    "python": python_engine,
}
