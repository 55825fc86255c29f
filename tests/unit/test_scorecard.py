"""A scorecard is the rule: its points add up to the score."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import OptionError
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
)
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.explain.card_parts import PointUnit, measure_of
from rosenblatt.ship.explain.scorecard import scorecard
from rosenblatt.ship.export.points import PointRule
from unit.cards import added_up, rules


def exact_scores(points, X):
    """The scores of encoded rows, as fractions."""
    X = X.toarray() if hasattr(X, "toarray") else X
    return [
        [sum((Fraction(w) * Fraction(float(f)) for w, f in zip(ws, x, strict=True)), Fraction(b)) for x in X]
        for ws, b in zip(points.weights, points.intercepts, strict=True)
    ]


@given(rules())
def test_the_points_of_a_row_add_up_to_its_score(case):
    points, frame = case
    card = scorecard(points)
    scores = exact_scores(points, points.encoding.encode(frame))
    for k, one in enumerate(card.cards):
        for row, score in zip(frame.to_dicts(), scores[k], strict=True):
            assert sum(added_up(card, one, points.encoding, row).values()) + one.start == card.factor * score


@given(rules(), st.integers(0, 3))
def test_the_points_as_shown_are_off_by_no_more_than_stated(case, decimals):
    points, frame = case
    card = scorecard(points, decimals=decimals)
    if len(card.cards) > 1:
        return
    one = card.cards[0]

    def number(text):
        return Fraction(text.replace("\N{MINUS SIGN}", "-"))

    for row in frame.to_dicts():
        exact, shown = added_up(card, one, points.encoding, row), Fraction(0)
        for part in one.parts:
            if exact[part.column] in [line.points for line in part.lines if not line.seen]:
                return  # what is not shown cannot be added up
            told = [number(text) for _, text in card.lines(part)]
            if part.measure and not (row[part.column] is None and part.lines[1].seen):
                units = exact[part.column] / part.lines[0].points if part.lines[0].points else Fraction(0)
                shown += told[0] * units
            elif part.kind == "text":
                words = set((row[part.column] or "").lower().replace(",", " ").replace("!", " ").split())
                named = dict(card.lines(part))
                shown += sum((number(named.get(f"has {w!r}", "0")) for w in words), Fraction(0))
            else:
                at = [line.points for line in part.lines if line.seen].index(exact[part.column])
                shown += told[at]
        assert abs(shown - number(card.shown(card.threshold)) - (sum(exact.values()) + one.start)) <= card.slack


@given(rules())
def test_the_largest_swing_is_100_and_comes_first(case):
    card = scorecard(case[0])
    swings = [part.swing for one in card.cards for part in one.parts]
    assert max(swings) in (0, 100)
    for one in card.cards:
        assert [part.swing for part in one.parts] == sorted((part.swing for part in one.parts), reverse=True)
    json.dumps(card.as_record())


@given(rules())
def test_the_values_of_a_category_are_neither_for_nor_against_on_average(case):
    points, _ = case
    for one in scorecard(points).cards:
        for part in one.parts:
            if part.kind in ("category", "yes/no"):
                assert sum(line.points for line in part.lines if line.seen and line.value != "missing") == 0


def test_known_shares_move_the_middle():
    columns = (CategoryColumn("kind", ("a", "b"), False, False),)
    points = PointRule(Encoding(columns, Target("y", ("no", "yes"))), ((4.0, 0.0),), (1.0,), False)
    plain, weighted = scorecard(points), scorecard(points, means=[0.75, 0.25])
    assert [line.points for line in plain.cards[0].parts[0].lines[:2]] == [50, -50]
    assert [line.points for line in weighted.cards[0].parts[0].lines[:2]] == [25, -75]
    assert plain.threshold - weighted.threshold == 25
    with pytest.raises(OptionError, match="2 features; means has 1"):
        scorecard(points, means=[1.0])


@pytest.mark.parametrize(
    ("deviation", "mean", "unit", "base"),
    [
        (12.0, 20.9, "20", "20"),
        (11.0, 35.5, "10", "36"),
        (2822.0, 3271.0, "2000", "3200"),
        (0.03, 0.5, "1/50", "1/2"),
        (0.9, -2.7, "1", "-27/10"),
    ],
)
def test_units_and_bases_are_round(deviation, mean, unit, base):
    column = NumberColumn.of("x", least=mean - 1, most=mean + 1, mean=mean, deviation=deviation, missing=False)
    assert measure_of(column) == PointUnit(Fraction(unit), Fraction(base))


def test_extreme_columns_have_a_card():
    for scale in (1e-300, 1e-5, 1e5, 1e300):
        column = NumberColumn.of("x", least=-scale, most=scale, mean=scale / 3, deviation=scale, missing=True)
        points = PointRule(Encoding((column,), Target("y", ("no", "yes"))), ((1.0, 2.0),), (1.0,), False)
        card = scorecard(points)
        assert card.cards[0].parts[0].swing == 100
        assert list(card.rows())


def test_dates_words_and_numbered_features_are_named():
    day = DateColumn.of("day", least=0.0, most=20_000.0, mean=9000.3, deviation=4000.0, missing=False)
    columns = day, TextColumn("note", ("free",)), HashedTextColumn("more", (), 8)
    points = PointRule(Encoding(columns, Target("y", ("no", "yes"))), ((1.0, 2.0, *[1.0] * 8),), (0.0,), True)
    rows = [row[:2] for row in scorecard(points).rows(most=2)]
    assert ("day", "for every 3650 days after 1994-08-23") in rows
    assert ("note", "has 'free'") in rows
    assert ("more", "a word of bucket 0") in rows
    assert ("more", "and 6 more") in rows
    assert "or more" in scorecard(points).rule
    sparse = PointRule(
        Encoding((SparseColumn.of("features", 3, 1.0),), Target("y", ("-1", "1"))), ((1.0, 0.0, -2.0),), (0.0,), False
    )
    assert [row[1:] for row in scorecard(sparse).rows()] == [
        ("for every 1 of feature 3", "\N{MINUS SIGN}66.67"),
        ("for every 1 of feature 1", "+33.33"),
    ]


def test_a_rule_without_points_has_a_card():
    points = PointRule(
        Encoding((CategoryColumn("kind", ("a",), True, False),), Target("y", ("no", "yes"))),
        ((0.0, 0.0),),
        (0.0,),
        False,
    )
    assert scorecard(points).factor == 1
    assert scorecard(points).slack == 0
