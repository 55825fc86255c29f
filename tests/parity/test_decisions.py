"""One decision, one label and one probability: here, in three databases, ONNX, PMML and plain Python."""

import csv
import io
import sqlite3
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from parity.engines import by_estimator, chances
from parity.odd_decisions import decided, decision_for
from parity.odd_tables import odd_tables
from parity.odd_trees import by_tree, odd_trees
from rosenblatt.judge.calibration import ByLead, OneVsRest, Steps, VennAbers, isotonic, venn_abers
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.judge.ladder import Rung
from rosenblatt.judge.scored import Scored
from rosenblatt.read.encode.columns import NumberColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.export.points import PointRule
from rosenblatt.ship.export.python import python_of
from rosenblatt.ship.export.sql import sql_of

NUMBER = NumberColumn("x", 0.0, 1.0, 2.0**-10, -8.0, 8.0, True)
SLOW = ("pmml4s", "jpmml", "postgresql")


def points_of(decision, classes=("no", "yes"), weights=((1.0, 0.0),), intercepts=(0.0,)):
    return PointRule(Encoding((NUMBER,), Target("y", classes)), weights, intercepts, True, decision=decision)


def assert_same(found, expected, *about):
    """Labels, scores and probabilities are those of the decision, to the last bit."""
    assert len(found) == len(expected), about
    assert found[0] == expected[0], about
    for one, other in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(one, other, str(about))


@cache
def examples(of_trees):
    """Odd tables and rules, each with a decision, and what must come out. Made once for all engines."""
    made = []

    @settings(max_examples=60, phases=[Phase.generate], database=None, deadline=None)
    @given(odd_trees() if of_trees else odd_tables(), st.integers(0, 2**32 - 1))
    def collect(table, seed):
        frame, rule = table
        labels, scores = by_tree(rule, frame) if of_trees else by_estimator(rule, frame)
        rng = np.random.default_rng(seed)
        rule = replace(rule, decision=decision_for(scores, rng, len(rule.encoding.target.classes) > 2))
        if ASK_A_PERSON not in rule.encoding.target.classes:
            made.append((frame, rule, decided(rule, labels, scores)))

    collect()
    return made


def test_odd_decisions(engine):
    for frame, points, expected in examples(False)[: 25 if engine.name in SLOW else None]:
        assert_same(engine(points, frame), expected, frame, points)


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "postgresql", "python"], indirect=True, scope="session")
def test_odd_decisions_of_trees(engine):
    for frame, tree, expected in examples(True)[: 25 if engine.name in SLOW else None]:
        assert_same(engine(tree, frame), expected, frame, tree)


def test_odd_decisions_are_odd():
    """Of two classes and more, with rows left to people and none, at a cut-off exactly, with every kind of table."""
    found = [(rule.decision, expected) for _, rule, expected in [*examples(False), *examples(True)]]
    kinds = {type(one).__name__ for one, _ in found} | {type(one.probability) for one, _ in found}
    assert {Steps, VennAbers, OneVsRest, ByLead, type(None)} <= kinds
    assert any(ASK_A_PERSON in labels for _, (labels, *_) in found)
    assert any(one.rung and ASK_A_PERSON not in labels for one, (labels, *_) in found)
    at = [one.rung and one.rung.upper in scores for one, (_, scores, *_) in found if scores.shape[1] == 1]
    assert sum(map(bool, at)) > 9
    assert any(len(tables) == 2 and len(np.unique(tables[1])) > 2 for _, (_, *tables) in found)


@pytest.mark.parametrize("make", [isotonic, venn_abers])
def test_long_tables(engine, make, rng):
    """Hundreds of steps, and scores at every edge."""
    scores = np.round(rng.normal(size=1500) * 4, 2)
    rows = Scored.of(scores, scores + rng.normal(size=1500) * 4 > 0)
    steps = make(rows)
    if make is isotonic:  # as steep as it gets
        edges = tuple(np.unique(scores).tolist())
        steps = Steps(edges, tuple(np.linspace(0.001, 0.999, len(edges) + 1).tolist()))
    points = points_of(Decision(Rung(-1.25, 1.5), steps))
    places = [*rng.choice(steps.edges, 40), *np.nextafter(rng.choice(steps.edges, 10), -np.inf), None, -9.0, 9.0]
    frame = pl.DataFrame({"x": pl.Series(places, dtype=pl.Float64)})
    if engine.name not in SLOW:
        frame = pl.concat([frame] * 20)
    assert_same(engine(points, frame), decided(points, *by_estimator(points, frame)))


def test_classes_that_all_say_no(engine):
    """No probability against the rest is above 0: every class is as likely."""
    never = Steps((1.0,), (0.0, 0.5))
    decision = Decision(Rung(None, 2.0), OneVsRest((never, never, never)))
    weights = ((1.0, 0.0), (-1.0, 0.0), (0.5, 0.0))
    points = points_of(decision, ("a", "b", "c"), weights, (0.0, 0.0, 0.0))
    frame = pl.DataFrame({"x": [0.0, 1.0, 4.0, -0.5, None]})
    found = engine(points, frame)
    assert_same(found, decided(points, *by_estimator(points, frame)))
    assert found[2][0].tolist() == [1 / 3] * 3
    assert found[0] == [ASK_A_PERSON, ASK_A_PERSON, "a", ASK_A_PERSON, ASK_A_PERSON]


@pytest.mark.parametrize("rung", [Rung(None, None), Rung(0.0, 0.0), Rung(None, 0.0), Rung(0.0, None), Rung(-0.0, 0.5)])
def test_cut_offs_at_zero_and_nowhere(engine, rung):
    points = points_of(Decision(rung))
    frame = pl.DataFrame({"x": [0.0, -0.0, 0.5, -0.5, None]})
    assert_same(engine(points, frame), decided(points, *by_estimator(points, frame)))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_row_without_a_score_has_no_label_and_no_probability(classes):
    """In SQL, where the text of a cell may be no number."""
    steps = Steps((0.5,), (0.25, 0.75))
    several = classes > 2
    decision = Decision(Rung(None if several else 0.0, 1.0), OneVsRest((steps,) * 3) if several else steps)
    weights = tuple((1.0 + k, 0.0) for k in range(3 if several else 1))
    points = points_of(decision, ("a", "b", "c")[:classes], weights, (0.0,) * len(weights))
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (x)")
    connection.execute("INSERT INTO rows VALUES ('no number')")
    (row,) = connection.execute(sql_of(points, table="rows")).fetchall()
    assert row == ("no number", *[None] * (len(row) - 1))
    assert connection.execute(f"SELECT {sql_of(points)} FROM rows").fetchall() == [(None,)]
    connection.close()


def test_what_a_decision_adds_to_a_module(tmp_path):
    """It imports nothing but Python, says what its functions are, and labels CSV by the cut-offs."""
    text = python_of(points_of(Decision(Rung(0.0, 1.0), VennAbers((0.5,), (0.1, 0.6), (0.3, 0.8)))))
    rule = {}
    exec(text, rule)
    assert rule["predict"]({"x": 0.5}) == ASK_A_PERSON
    assert rule["interval"]({"x": 0.5}) == (0.6, 0.8)
    assert "probability(" in rule["__doc__"]
    assert "interval(" in rule["__doc__"]
    (tmp_path / "rule.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(tmp_path / "rule.py")]
    done = subprocess.run(command, input="x\n2\n0.5\n-1\n", capture_output=True, text=True, check=True)
    written = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["label"] for row in written] == ["yes", ASK_A_PERSON, "no"]


def test_names_give_way():
    column = NumberColumn("probability", 0.0, 1.0, 2.0**-10, -8.0, 8.0, True)
    points = PointRule(
        Encoding((column,), Target("y", ("no", "yes"))), ((1.0, 0.0),), (0.0,), True,
        decision=Decision(None, Steps((), (0.5,))),
    )  # fmt: skip
    assert " AS _probability" in sql_of(points, table="rows")
    assert chances(points) == ["probability"]
    assert " AS _" not in sql_of(replace(points, decision=Decision(Rung(0.0, 1.0))), table="rows")
