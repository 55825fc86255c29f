"""A scorecard is the rule: its points add up to the score. Whole points cost the mistakes that they state."""

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
from rosenblatt.read.columns import Category, Date, HashedText, Number, Sparse, Text, YesNo
from rosenblatt.read.encoding import Encoding, Target
from rosenblatt.ship import integers as whole
from rosenblatt.ship import scorecard as ship
from rosenblatt.ship.integers import integers, mistakes_of
from rosenblatt.ship.points import Points
from rosenblatt.ship.scorecard import Measure, measure_of, scorecard

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
        Number.of("age", least=18.0, most=90.0, mean=draw(st.floats(30, 60)), deviation=11.4, missing=missing),
        Category("kind", ("a", "b", "it's"), other, missing),
        YesNo("own", ("yes",), False, missing, "no"),
        Text("note", ("free", "hello")),
        Date.of("day", least=0.0, most=20_000.0, mean=9000.3, deviation=4000.0, missing=False),
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
    return Points(encoding, weights, tuple(draw(numbers) for _ in range(n_rules)), draw(st.booleans())), frame


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
        if isinstance(column, Number):
            if cell is None:
                found[part.column] = lines["missing"]
            else:
                x = (cell - pl.Series([0]).cast(pl.Int32).cast(pl.Date)[0]).days if part.kind == "date" else cell
                x = on_the_grid(column, x)
                found[part.column] = part.lines[0].points * (x - part.measure.base) / part.measure.unit
        elif isinstance(column, Text):
            words = {w for w in (cell or "").lower().replace(",", " ").replace("!", " ").split() if w in column.words}
            found[part.column] = sum((lines.get(f"has {w!r}", Fraction(0)) for w in words), Fraction(0))
        elif cell is None:
            found[part.column] = lines["missing"]
        else:
            rest = "no, or anything else" if isinstance(column, YesNo) else "any other"
            found[part.column] = lines[cell if cell in column.values else rest]
    return found


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
    columns = (Category("kind", ("a", "b"), False, False),)
    points = Points(Encoding(columns, Target("y", ("no", "yes"))), ((4.0, 0.0),), (1.0,), False)
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
    column = Number.of("x", least=mean - 1, most=mean + 1, mean=mean, deviation=deviation, missing=False)
    assert measure_of(column) == Measure(Fraction(unit), Fraction(base))


def test_extreme_columns_have_a_card():
    for scale in (1e-300, 1e-5, 1e5, 1e300):
        column = Number.of("x", least=-scale, most=scale, mean=scale / 3, deviation=scale, missing=True)
        points = Points(Encoding((column,), Target("y", ("no", "yes"))), ((1.0, 2.0),), (1.0,), False)
        card = scorecard(points)
        assert card.cards[0].parts[0].swing == 100
        assert list(card.rows())


def test_dates_words_and_numbered_features_are_named():
    day = Date.of("day", least=0.0, most=20_000.0, mean=9000.3, deviation=4000.0, missing=False)
    columns = day, Text("note", ("free",)), HashedText("more", (), 8)
    points = Points(Encoding(columns, Target("y", ("no", "yes"))), ((1.0, 2.0, *[1.0] * 8),), (0.0,), True)
    rows = [row[:2] for row in scorecard(points).rows(most=2)]
    assert ("day", "for every 3650 days after 1994-08-23") in rows
    assert ("note", "has 'free'") in rows
    assert ("more", "a word of bucket 0") in rows
    assert ("more", "and 6 more") in rows
    assert "or more" in scorecard(points).rule
    sparse = Points(
        Encoding((Sparse.of("features", 3, 1.0),), Target("y", ("-1", "1"))), ((1.0, 0.0, -2.0),), (0.0,), False
    )
    assert [row[1:] for row in scorecard(sparse).rows()] == [
        ("for every 1 of feature 3", "\N{MINUS SIGN}66.67"),
        ("for every 1 of feature 1", "+33.33"),
    ]


def test_a_rule_without_points_has_a_card():
    points = Points(
        Encoding((Category("kind", ("a",), True, False),), Target("y", ("no", "yes"))), ((0.0, 0.0),), (0.0,), False
    )
    assert scorecard(points).factor == 1
    assert scorecard(points).slack == 0


# ---------------------------------------------------------------------------------------------------------
# Whole points
# ---------------------------------------------------------------------------------------------------------


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
    said = frame.select(found.points.label()).to_series().to_list()
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
        Number.of("age", least=5.0, most=55.0, mean=37.0, deviation=11.0, missing=True),
        Number.of("sum", least=0.0, most=2e4, mean=3000.0, deviation=2100.0, missing=False),
        Category("kind", tuple("abc"), True, False),
        YesNo("own", ("yes",), False, False, "no"),
    )
    encoding = Encoding(columns, Target("y", tuple("xyz"[:classes])))
    X = encoding.encode(frame)
    y = np.argmax(X @ rng.normal(size=(X.shape[1], classes)) + rng.gumbel(size=(n, classes)) / 2, axis=1)
    rule = PocketPerceptron(random_state=0, max_passes=20).fit(X, y)
    return Points.of(encoding, rule), X, y, frame


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("largest", [1, 3, 10, 100])
def test_whole_points_are_found_that_beat_plain_rounding(quick, largest, classes):
    points, X, y, frame = learned(classes=classes)
    found = integers(points, X, y, largest=largest)
    assert found.mistakes <= found.plain
    assert found.mistakes == (by_hand(found.card, points.encoding, frame) != y).sum()
    assert found.plain == plainly_rounded(points, X, y, largest)
    assert found.before == mistakes_of(points, X, y)
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
            shift = Fraction(0) if isinstance(column, YesNo) else part.reference
            own = [line.points + part.reference - shift for line in part.lines]
            lines[column.name] = own[:1] if isinstance(column, YesNo) else own[: column.size]
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
            if isinstance(column, Number):
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
    found = whole._right(margins[some] * 0.5, slopes[some] * 0.5, ties[some], low, high)
    for step, right in zip(range(low, high + 1), found.tolist(), strict=True):
        after = (margins + step * slopes)[some]
        assert right == ((after > 0) | ((after == 0) & ties[some])).sum()


@pytest.mark.parametrize("seed", range(4))
def test_the_fewest_mistakes_of_all_small_whole_points_are_found(quick, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (40, 4)).astype(np.float32)
    y = (X @ rng.normal(size=4) + rng.normal(size=40) / 2 > 0.2).astype(int)
    encoding = Encoding(tuple(YesNo(name, ("1",), False, False, "0") for name in "abcd"), Target("y", ("no", "yes")))
    points = Points(encoding, (tuple(rng.normal(size=4).tolist()),), (0.1,), False)
    each = np.array(list(product(range(-2, 3), repeat=4)))
    sums = X @ each.T
    fewest = min(int(((sums > t) != y[:, np.newaxis].astype(bool)).sum(axis=0).min()) for t in range(-9, 9))
    assert integers(points, X, y, largest=2).mistakes == fewest


def test_whole_points_are_the_same_again(quick):
    points, X, y, _ = learned()
    assert integers(points, X, y, largest=5) == integers(points, X, y, largest=5)


def test_auto_takes_the_smallest_that_costs_little(quick):
    points, X, y, _ = learned()
    found = integers(points, X, y)
    assert found.within == (found.mistakes <= 1.01 * found.before)
    assert found.within or found.largest == 100
    smaller = [size for size in whole.SIZES if size < found.largest]
    assert not any(whole._Chooser(points, X, y, 100).card(size, whole.AT_FIRST).within for size in smaller)


def test_a_part_of_the_rows_is_said_and_all_are_counted(quick, monkeypatch):
    points, X, y, frame = learned()
    monkeypatch.setattr(whole, "ENTRIES", X.size // 3)
    found = integers(points, X, y, largest=5)
    assert found.sample == 100
    assert "chosen on 100 of them" in found.statement
    assert found.mistakes == (by_hand(found.card, points.encoding, frame) != y).sum() <= found.plain


def test_units_are_binary_where_round_ones_would_round():
    columns = tuple(
        Number.of(name, least=-s, most=s, mean=s / 7, deviation=s, missing=False)
        for name, s in (("a", 1e-9), ("b", 1e9))
    )
    points = Points(Encoding(columns, Target("y", ("no", "yes"))), ((1.0, -1.0),), (0.0,), False)
    frame = pl.DataFrame({"a": [1e-9, -2e-9, 0.0], "b": [-1e9, 1e9, 5.0]})
    found = integers(points, points.encoding.encode(frame), [1, 0, 1], largest=10)
    assert found.points.exact
    assert found.card.cards[0].parts[0].measure.unit in [Fraction(column.scale) for column in columns]


def test_bad_options_are_named():
    points, X, y, _ = learned(50)
    for largest in (0, -1, 2.5, "many", 10**6, True):
        with pytest.raises(OptionError, match="largest must be"):
            integers(points, X, y, largest=largest)
    with pytest.raises(DataError, match="features, each with the number of its class"):
        integers(points, X[:, :2], y)
    with pytest.raises(DataError, match="features, each with the number of its class"):
        integers(points, X, y + 1)
