"""Reasons are the scorecard's points, the strongest in the direction of the decision first."""

import re
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from rosenblatt.errors import OptionError
from rosenblatt.read.encode.columns import CategoryColumn, HashedTextColumn, NumberColumn, SparseColumn, TextColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.explain import reasons as module
from rosenblatt.ship.explain.reasons import reasons
from rosenblatt.ship.explain.scorecard import scorecard
from rosenblatt.ship.export.points import PointRule
from unit.cards import added_up, rules

TOLD = re.compile(r"(?P<what>.*) \((?P<sign>[+\u2212])(?P<size>[\d.]+)\)", re.S)


def told(points, frame, k, card=None):
    return frame.select(reasons(points, k, card)).unnest("reasons").rows()


def amount(reason):
    found = TOLD.fullmatch(reason)
    return Fraction(found["size"]) * (1 if found["sign"] == "+" else -1)


@given(rules())
def test_reasons_are_the_largest_points_in_the_direction_of_the_decision(case):
    points, frame = case
    card = scorecard(points)
    for row, given_reasons in zip(frame.to_dicts(), told(points, frame, 5), strict=True):
        each = [added_up(card, one, points.encoding, row) for one in card.cards]
        totals = [float(sum(found.values()) + one.start) for found, one in zip(each, card.cards, strict=True)]
        if len(each) == 1:
            if abs(totals[0]) < 1e-6:
                continue
            moved = {name: p if totals[0] > 0 else -p for name, p in each[0].items()}
            sign = 1 if totals[0] > 0 else -1
        else:
            first, second = np.argsort(totals)[::-1][:2]
            if min(np.diff(np.sort(totals))) < 1e-6:
                continue
            moved, sign = {name: each[first][name] - each[second][name] for name in each[0]}, 1
        wanted = sorted((p for p in moved.values() if p > Fraction(1, 10**6)), reverse=True)
        if given_reasons[0].startswith("an average row is already "):
            start = Fraction(amount(given_reasons[0])) * sign
            assert not any(p > Fraction(6, 100) for p in wanted) or (
                sum(moved.values()) < Fraction(6, 100) and start > wanted[0] - Fraction(6, 100)
            )
            given_reasons = given_reasons[1:]
        else:
            start = sign * card.cards[0].start if len(each) == 1 else card.cards[first].start - card.cards[second].start
            assert sum(moved.values()) > -Fraction(1, 10**6) or wanted[0] > start - Fraction(1, 10**6)
        found = [sign * amount(reason) for reason in given_reasons if reason is not None]
        assert all(abs(a - b) <= Fraction(51, 1000) for a, b in zip(wanted, found, strict=False))
        assert min(len([p for p in wanted if p > Fraction(6, 100)]), len(given_reasons)) <= len(found)
        assert not any(reason.endswith("0)") and amount(reason) == 0 for reason in filter(None, given_reasons))
        for reason in filter(None, given_reasons):
            name = re.split(" = | is missing| has ", TOLD.fullmatch(reason)["what"])[0]
            assert abs(sign * amount(reason) - moved[name]) <= Fraction(51, 1000)


def mixed():
    columns = (
        NumberColumn.of("months", least=0.0, most=60.0, mean=20.0, deviation=12.0, missing=True),
        CategoryColumn("check", ("none", "some"), False, True),
        TextColumn("note", ("free", "hello", "win")),
    )
    weights = (-1.0, 0.25, -1.0, 1.0, 0.5, 1.0, -2.0, 0.5)
    return PointRule(Encoding(columns, Target("y", ("bad", "good"))), (weights,), (0.0,), False)


def test_reasons_are_said_in_the_words_of_the_table():
    frame = pl.DataFrame({
        "months": [48.0, None, float("inf"), 12.5, 20.0], "check": ["none", "some", None, "odd", "odd"],
        "note": ["Hello hello you", "win FREE, hello", None, "x", "win FREE"],
    })  # fmt: skip
    assert scorecard(mixed()).factor == 25
    assert told(mixed(), frame, 2) == [
        ("note has 'hello' (\N{MINUS SIGN}50)", "months = 48 (\N{MINUS SIGN}43.8)"),
        ("check = some (+25)", "months is missing (+6.2)"),
        ("check is missing (+12.5)", "months is missing (+6.2)"),
        ("months = 12.5 (+11.7)", None),
        ("note has 'free', 'win' (+37.5)", None),
    ]


def test_another_card_gives_its_own_points():
    frame = pl.DataFrame({"months": [20.0, 20.0], "check": ["some", "none"], "note": ["", ""]})
    assert told(mixed(), frame, 1) == [("check = some (+25)",), ("check = none (\N{MINUS SIGN}25)",)]
    often_some = scorecard(mixed(), means=[0.0, 0.0, 0.2, 0.8, 0.0, 0.0, 0.0, 0.0])
    assert told(mixed(), frame, 1, often_some) == [("check = some (+10)",), ("check = none (\N{MINUS SIGN}40)",)]


def test_whole_numbers_and_long_values():
    points = mixed()
    frame = pl.DataFrame({"months": [48, 12], "check": ["x" * 500, "none"], "note": ["", ""]})
    rows = told(points, frame, 3)
    assert rows[0][0].startswith("months = 48 (")
    assert max(len(reason) for row in rows for reason in row if reason) < 100


def test_hashed_words_are_named():
    column = HashedTextColumn("note", (), 16)
    weights = tuple(float(k) for k in range(16))
    points = PointRule(Encoding((column,), Target("y", ("bad", "good"))), (weights,), (0.0,), False)
    ((reason,),) = told(points, pl.DataFrame({"note": ["free free money"]}), 1)
    assert reason.startswith(("note has 'free'", "note has 'money'"))


@pytest.mark.parametrize("name", ["", " ", "points", "literal", "moved", "reasons", "a\nb", "$x$", "\N{SNOWMAN}", '"'])
def test_any_column_name_will_do(name):
    points = PointRule(
        Encoding((CategoryColumn(name, ("a",), True, False),), Target("y", ("no", "yes"))), ((3.0, 1.0),), (0.0,), False
    )
    assert told(points, pl.DataFrame({name: ["a", "b"]}), 1) == [
        (f"{name} = a (+50)",),
        ("an average row is already yes (+100)",),
    ]


def test_blocks_and_streams_give_the_same(monkeypatch, tmp_path):
    points = mixed()
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({
        "months": rng.integers(0, 60, 5000), "check": rng.choice(["none", "some", "odd"], 5000),
        "note": rng.choice(["hello", "free win", ""], 5000),
    })  # fmt: skip
    whole = frame.select(reasons(points, 3)).unnest("reasons")
    frame.write_parquet(tmp_path / "in.parquet")
    lazy = pl.scan_parquet(tmp_path / "in.parquet").select(points.scores(["score"]).alias("y"), reasons(points, 3))
    lazy.unnest("reasons").sink_parquet(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").drop("y").equals(whole)
    for name, few in (("BLOCK", 7), ("NUMBERS", 1)):
        monkeypatch.setattr(module, name, few)
        assert frame[:500].select(reasons(points, 3)).unnest("reasons").equals(whole[:500])


def test_no_rows_and_no_points():
    points = mixed()
    empty = pl.DataFrame(schema={"months": pl.Float64, "check": pl.String, "note": pl.String})
    assert told(points, empty, 2) == []
    zero = PointRule(points.encoding, ((0.0,) * 8,), (1.0,), False)
    frame = pl.DataFrame({"months": [1.0, 2.0], "check": ["none", "x"], "note": ["", ""]})
    assert told(zero, frame, 2) == [("an average row is already good (+1)", None)] * 2


def test_bad_options_are_named():
    for k in (0, -1, 1.5, True):
        with pytest.raises(OptionError, match="number of reasons"):
            reasons(mixed(), k)
    sparse = PointRule(
        Encoding((SparseColumn.of("features", 2, 1.0),), Target("y", ("-1", "1"))), ((1.0, 2.0),), (0.0,), False
    )
    with pytest.raises(OptionError, match="numbered features"):
        reasons(sparse, 1)
