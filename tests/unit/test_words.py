"""Sentences: one and many, labels in place of numbers, a reason for every decision."""

import polars as pl
import pytest

from rosenblatt.desk.learning.plain_warnings import in_plain_words
from rosenblatt.plurals import many
from rosenblatt.read.encode.columns import CategoryColumn, NumberColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.explain.reasons import reasons
from rosenblatt.ship.export.points import PointRule


def test_one_and_many():
    assert [many(k, "row") for k in (0, 1, 2, 1234)] == ["0 rows", "1 row", "2 rows", "1,234 rows"]
    assert many(2, "row was", "rows were") == "2 rows were"


def test_warnings_speak_of_labels_and_options():
    text = (
        "The budget of passes was spent. 3 of 9 rows are wrong (1 against 0) after 5 updates and 2 full passes. "
        "Try to raise max_passes, or bring the columns to similar sizes (StandardScaler); if the classes overlap, "
        "PocketPerceptron keeps the rule with the fewest mistakes."
    )
    told = in_plain_words(text, ("deny", "approve"))
    assert "(approve against deny) after 5 updates" in told
    assert "raise --max-passes; if" in told
    assert "--algorithm pocket keeps" in told
    assert "(c against not c)" in in_plain_words("(2 against not 2)", ("a", "b", "c"))


def told(points, frame, k=2):
    return frame.select(reasons(points, k)).unnest("reasons").rows()


@pytest.mark.parametrize(("start", "label", "sign"), [(50.0, "yes", "+"), (-50.0, "no", "\N{MINUS SIGN}")])
def test_every_decision_has_a_reason(start, label, sign):
    """A rule that is mostly its threshold: where all columns speak against the label, the start speaks for it."""
    columns = (NumberColumn("x", 0.0, 1.0, 2.0**-10, -8.0, 8.0, False), CategoryColumn("c", ("a", "b"), False, False))
    points = PointRule(Encoding(columns, Target("y", ("no", "yes"))), ((1.0, 2.0, -2.0),), (start,), True)
    against = {"x": [-3.0], "c": ["b"]} if label == "yes" else {"x": [3.0], "c": ["a"]}
    ((first, second),) = told(points, pl.DataFrame(against))
    assert first.startswith(f"an average row is already {label} ({sign}")
    assert second is None


def test_what_the_start_decides_is_not_told_by_a_column_that_hardly_counts():
    columns = (NumberColumn("x", 0.0, 1.0, 2.0**-10, -8.0, 8.0, False), CategoryColumn("c", ("a", "b"), False, False))
    points = PointRule(Encoding(columns, Target("y", ("no", "yes"))), ((1.0, 0.25, -0.25),), (-50.0,), True)
    ((first, second),) = told(points, pl.DataFrame({"x": [6.0], "c": ["b"]}))
    assert first.startswith("an average row is already no (\N{MINUS SIGN}")
    assert second.startswith("c = b (\N{MINUS SIGN}")
    ((first, second),) = told(points, pl.DataFrame({"x": [-6.0], "c": ["b"]}))
    assert first.startswith("x = -6 (\N{MINUS SIGN}")
    assert second.startswith("c = b (\N{MINUS SIGN}")


def test_every_decision_of_several_classes_has_a_reason():
    columns = (CategoryColumn("c", ("a", "b"), False, False),)
    weights = ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0))
    points = PointRule(Encoding(columns, Target("y", ("u", "v", "w"))), weights, (9.0, 0.0, 0.0), True)
    rows = told(points, pl.DataFrame({"c": ["a", "b", None]}), 1)
    assert all(reason is not None for (reason,) in rows)
    assert rows[0][0].startswith("an average row is already u (+")


def test_a_rule_without_points_has_a_reason():
    encoding = Encoding((CategoryColumn("c", ("a",), False, False),), Target("y", ("no", "yes")))
    points = PointRule(encoding, ((0.0,),), (1.0,), True)
    assert told(points, pl.DataFrame({"c": ["a", "b"]})) == [("an average row is already yes (+1)", None)] * 2
