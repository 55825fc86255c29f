"""Whole points cost the mistakes that they state, and no more than plain rounding."""

import json
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import PocketPerceptron
from rosenblatt.errors import DataError, OptionError
from rosenblatt.read.encode.columns import CategoryColumn, NumberColumn, YesNoColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.explain import integers as whole
from rosenblatt.ship.explain import scorecard as ship
from rosenblatt.ship.explain.card_parts import measure_of
from rosenblatt.ship.explain.integers import integers, wrong_rows
from rosenblatt.ship.export.points import PointRule
from unit.cards import added_up, rules


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(whole, "WORK", 4e5)
    monkeypatch.setattr(whole, "AT_FIRST", 2e5)


def by_hand(card, encoding, frame):
    """The class number that a clerk finds for each row."""
    said = []
    for row in frame.to_dicts():
        totals = [sum(added_up(card, one, encoding, row).values()) + one.start for one in card.cards]
        if len(totals) == 1:
            said.append(int(totals[0] >= 0 if card.zero_is_yes else totals[0] > 0))
        else:
            said.append(totals.index(max(totals)))
    return np.array(said)


@settings(max_examples=30)
@given(rules(whole=True), st.sampled_from([1, 3, 10]), st.randoms(use_true_random=False))
def test_whole_points_make_the_mistakes_that_they_state(case, largest, random):
    points, frame = case
    y = np.array([random.randrange(len(points.classes)) for _ in range(frame.height)])
    work, whole.WORK = whole.WORK, 2e5
    try:
        found = integers(points, points.encoding.encode(frame), y, largest=largest)
    finally:
        whole.WORK = work
    assert found.points.exact
    for one in found.card.cards:
        assert one.start.denominator == 1
        for line in (line for part in one.parts for line in part.lines if line.seen):
            assert line.points.denominator == 1
            assert abs(line.points) <= largest
    assert (by_hand(found.card, points.encoding, frame) != y).sum() == found.mistakes
    assert found.mistakes <= found.plain
    names = [str(k) for k in range(len(found.points.weights))]
    scored = frame.select(found.points.scores(names).alias("scores")).unnest("scores")
    said = scored.select(found.points.label([pl.col(name) for name in names])).to_series().to_list()
    assert (np.array([points.classes.index(label) for label in said]) != y).sum() == found.mistakes


@cache
def learned(n=300, seed=0, classes=2):
    """A mixed table with missing values, and a rule learned from it."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({
        "age": rng.normal(40, 12, n).round(), "sum": rng.gamma(2.0, 1500.0, n), "kind": rng.choice(list("abcd"), n),
        "own": rng.choice(["yes", "no"], n),
    }).with_columns(pl.when(pl.col("age") > 55).then(None).otherwise(pl.col("age")).alias("age"))  # fmt: skip
    columns = (
        NumberColumn.of("age", least=5.0, most=55.0, mean=37.0, deviation=11.0, missing=True),
        NumberColumn.of("sum", least=0.0, most=2e4, mean=3000.0, deviation=2100.0, missing=False),
        CategoryColumn("kind", tuple("abc"), True, False),
        YesNoColumn("own", ("yes",), False, False, "no"),
    )
    encoding = Encoding(columns, Target("y", tuple("xyz"[:classes])))
    X = encoding.encode(frame)
    y = np.argmax(X @ rng.normal(size=(X.shape[1], classes)) + rng.gumbel(size=(n, classes)) / 2, axis=1)
    rule = PocketPerceptron(random_state=0, max_passes=20).fit(X, y)
    return PointRule.of(encoding, rule), X, y, frame


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("largest", [1, 3, 10, 100])
def test_whole_points_are_found_that_beat_plain_rounding(quick, largest, classes):
    points, X, y, frame = learned(classes=classes)
    found = integers(points, X, y, largest=largest)
    assert found.mistakes <= found.plain
    assert found.mistakes == (by_hand(found.card, points.encoding, frame) != y).sum()
    assert found.plain == plainly_rounded(points, X, y, largest)
    assert found.before == wrong_rows(points, X, y).sum()
    assert str(found.mistakes) in found.statement
    json.dumps(found.as_record())
    sparse = integers(points, csr_array(X), y, largest=largest)
    assert sparse == found


def plainly_rounded(points, X, y, largest):
    """Mistakes of rounding at the one scale that makes the largest points the largest allowed, threshold and all."""
    raw = ship.card_of(points, Fraction(1), ship.measures_of(points))
    each = []
    for rule, one in enumerate(raw.cards):
        parts, start = {part.column: part for part in one.parts}, Fraction(points.intercepts[rule])
        lines = {}
        for column in points.encoding.used:
            part = parts[column.name]
            shift = Fraction(0) if isinstance(column, YesNoColumn) else part.reference
            own = [line.points + part.reference - shift for line in part.lines]
            lines[column.name] = own[:1] if isinstance(column, YesNoColumn) else own[: column.size]
            start += shift
        each.append((lines, start))
    scale = largest / max(float(max(abs(p) for ps in lines.values() for p in ps)) for lines, _ in each)
    scores = []
    for lines, start in each:
        total = np.full(len(X), -float(np.rint(-float(start) * scale)))
        at = 0
        for column in points.encoding.used:
            rounded = [float(np.rint(float(p) * scale)) for p in lines[column.name]]
            f = X[:, at : at + column.size].astype(float)
            if isinstance(column, NumberColumn):
                measure = measure_of(column)
                units = (f[:, 0] * column.scale + column.centre - float(measure.base)) / float(measure.unit)
                gone = f[:, 1] if column.missing else np.zeros(len(X))
                total += np.where(gone > 0, rounded[-1], units * rounded[0])
            else:
                total += f @ rounded
            at += column.size
        scores.append(total)
    said = np.argmax(scores, axis=0) if len(scores) > 1 else (scores[0] >= 0 if points.zero_is_yes else scores[0] > 0)
    return int((said != y).sum())


@given(
    st.lists(st.tuples(st.integers(-6, 6), st.integers(-3, 3), st.booleans()), min_size=1, max_size=12),
    st.integers(-5, 0),
    st.integers(0, 5),
)
def test_one_look_tells_the_right_rows_for_all_whole_steps(rows, low, high):
    margins, slopes, ties = (np.array(part) for part in zip(*rows, strict=True))
    some = slopes != 0
    costs = np.arange(1.0, slopes.size + 1)
    found = whole._right(margins[some] * 0.5, slopes[some] * 0.5, ties[some], costs[some], low, high)
    for step, right in zip(range(low, high + 1), found.tolist(), strict=True):
        after = margins + step * slopes
        assert right == costs[some & ((after > 0) | ((after == 0) & ties))].sum()


@pytest.mark.parametrize("seed", range(4))
def test_the_fewest_mistakes_of_all_small_whole_points_are_found(quick, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (40, 4)).astype(np.float32)
    y = (X @ rng.normal(size=4) + rng.normal(size=40) / 2 > 0.2).astype(int)
    encoding = Encoding(
        tuple(YesNoColumn(name, ("1",), False, False, "0") for name in "abcd"), Target("y", ("no", "yes"))
    )
    points = PointRule(encoding, (tuple(rng.normal(size=4).tolist()),), (0.1,), False)
    each = np.array(list(product(*(range(3) if w > 0 else range(-2, 1) for w in points.weights[0]))))
    sums, costs = X @ each.T, rng.integers(1, 5, 40)

    def least(costs):
        wrong = [(sums > t) != y[:, np.newaxis].astype(bool) for t in range(-9, 9)]
        return min(int((costs @ each).min()) for each in wrong)

    assert integers(points, X, y, largest=2).mistakes == least(np.ones(40))
    found = integers(points, X, y, costs=costs / 8, largest=2)
    assert found.costs[0] * 8 == least(costs)
    assert f"cost {found.costs[0]:,.6g} on 40 rows" in found.statement
    assert integers(points, X, y, costs=np.full(40, 0.3), largest=2) == integers(points, X, y, largest=2)


def test_nothing_speaks_for_the_other_side_than_in_the_rule(quick):
    points, X, y, _ = learned()
    for largest in (1, 5, 100):
        found = integers(points, X, 1 - y, largest=largest)  # labels that ask for the opposite of the rule
        whole_points = {(p.column, line.value): line.points for p in found.card.cards[0].parts for line in p.lines}
        for part in ship.scorecard(points).cards[0].parts:
            for line in part.lines if part.measure is None else part.lines[:1]:
                assert whole_points[part.column, line.value] * line.points >= 0


def test_whole_points_are_the_same_again(quick):
    points, X, y, _ = learned()
    assert integers(points, X, y, largest=5) == integers(points, X, y, largest=5)


def test_auto_takes_the_smallest_that_costs_little(quick):
    points, X, y, _ = learned()
    found = integers(points, X, y)
    assert found.within == (found.mistakes <= 1.01 * found.before)
    assert found.within or found.largest == 100
    smaller = [size for size in whole.SIZES if size < found.largest]
    assert not any(whole._PointChooser(points, X, y, None, 100).card(size, whole.AT_FIRST).within for size in smaller)


def test_a_part_of_the_rows_is_said_and_all_are_counted(quick, monkeypatch):
    points, X, y, frame = learned()
    monkeypatch.setattr(whole, "ENTRIES", X.size // 3)
    found = integers(points, X, y, largest=5)
    assert found.sample == 100
    assert "chosen on 100 of them" in found.statement
    assert found.mistakes == (by_hand(found.card, points.encoding, frame) != y).sum() <= found.plain


def test_units_are_binary_where_round_ones_would_round():
    columns = tuple(
        NumberColumn.of(name, least=-s, most=s, mean=s / 7, deviation=s, missing=False)
        for name, s in (("a", 1e-9), ("b", 1e9))
    )
    points = PointRule(Encoding(columns, Target("y", ("no", "yes"))), ((1.0, -1.0),), (0.0,), False)
    frame = pl.DataFrame({"a": [1e-9, -2e-9, 0.0], "b": [-1e9, 1e9, 5.0]})
    found = integers(points, points.encoding.encode(frame), [1, 0, 1], largest=10)
    assert found.points.exact
    assert found.card.cards[0].parts[0].measure.unit in [Fraction(column.scale) for column in columns]


def test_bad_options_are_named():
    points, X, y, _ = learned(50)
    for largest in (0, -1, 2.5, "many", 10**6, True):
        with pytest.raises(OptionError, match="largest must be"):
            integers(points, X, y, largest=largest)
    with pytest.raises(DataError, match="features, each with its class number"):
        integers(points, X[:, :2], y)
    with pytest.raises(DataError, match="features, each with its class number"):
        integers(points, X, y + 1)
