"""Features and weights are short, so no engine rounds: the theorem behind equal labels everywhere."""

from fractions import Fraction
from math import frexp, inf

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.errors import ModelError, TableError
from rosenblatt.read.encode.columns import (
    BITS,
    CategoryColumn,
    DateColumn,
    Feature,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
    YesNoColumn,
)
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.read.encode.lookup import Lookup
from rosenblatt.read.values import as_text
from rosenblatt.ship.export.points import PointRule, grain_of, short, spare_bits

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
CELLS = st.none() | st.floats() | st.sampled_from([-0.0, 1e308, -1e308, 5e-324, 2.0**53 + 2])


def number_for(values, missing=True):
    """A grid for these finite numbers, as the reader would choose it."""
    scaled = np.array(values) / max(np.abs(values).max(), 1e-300)
    size = float(np.abs(values).max()) or 1.0
    deviation = float(scaled.std()) * size or 1.0
    mean = float(scaled.mean()) * size
    return NumberColumn.of("x", least=min(values), most=max(values), mean=mean, deviation=deviation, missing=missing)


def feature_by_the_book(column, x):
    """What a number's feature is, in exact arithmetic: clip, round to the grid half to even, centre, scale."""
    if x is None or not -inf < x < inf:
        return None
    clipped = Fraction(min(max(x, column.lowest), column.highest))
    return (round(clipped / Fraction(column.step)) * Fraction(column.step) - Fraction(column.centre)) / Fraction(
        column.scale
    )


@given(st.lists(FLOATS, min_size=2, max_size=8), st.lists(CELLS, min_size=1, max_size=8))
def test_a_number_becomes_a_short_feature_and_nothing_else(seen, cells):
    column = number_for(seen)
    feature, indicator = column.features
    series, found = (
        pl.DataFrame({"x": pl.Series(cells, dtype=pl.Float64)}).select(column.cells)["x"],
        np.zeros(len(cells)),
    )
    column.add(series, (1.0, np.nan), found)
    found = [None if np.isnan(f) else f for f in found.tolist()]
    for x, f in zip(cells, found, strict=True):
        expected = feature_by_the_book(column, x)
        assert (f is None) == (expected is None)
        if f is not None:
            assert Fraction(f) == expected
            assert abs(f) <= feature.reach
            assert f / feature.grain == round(f / feature.grain)
            assert np.float32(f) == f
    assert frexp(column.scale)[0] == frexp(column.step)[0] == 0.5
    assert indicator.meaning == "x is missing"


@given(st.lists(FLOATS, min_size=2, max_size=8))
def test_what_was_seen_lies_within_the_range_and_is_hardly_moved(seen):
    assume(max(map(abs, seen)) < 1e280)
    column = number_for(seen)
    far = max(abs(x - column.centre) for x in seen)
    for x in seen:
        if far <= 2.0**9 * column.scale:
            assert column.lowest <= x <= column.highest
            moved = abs(feature_by_the_book(column, x) * Fraction(column.scale) + Fraction(column.centre) - Fraction(x))
            assert moved <= Fraction(column.step) / 2


FEATURES = st.builds(
    lambda reach, grain: Feature("c", "m", 2.0**reach, 2.0 ** (reach - grain)),
    st.integers(-30, 30),
    st.integers(0, BITS),
)
WEIGHTS = st.floats(-1e30, 1e30).filter(lambda w: w == 0 or abs(w) > 1e-30)


@given(st.data(), st.lists(FEATURES, min_size=1, max_size=6))
def test_short_weights_make_every_sum_exact_in_every_order(data, features):
    many = len(features)
    weights = np.array(data.draw(st.lists(WEIGHTS, min_size=many, max_size=many)))
    intercept = data.draw(WEIGHTS)
    w, b = short(weights, intercept, features)
    assert spare_bits(w.tolist(), b, features) >= 0
    drawn = data.draw(st.lists(st.floats(-1, 1), min_size=many, max_size=many))
    x = [round(d * f.reach / f.grain) * f.grain for d, f in zip(drawn, features, strict=True)]
    terms = [b, *(wj * xj for wj, xj in zip(w.tolist(), x, strict=True))]
    exact = Fraction(b) + sum(Fraction(wj) * Fraction(xj) for wj, xj in zip(w.tolist(), x, strict=True))
    for order in (range(many + 1), reversed(range(many + 1)), data.draw(st.permutations(range(many + 1)))):
        total = 0.0
        for k in order:
            total += terms[k]
        assert Fraction(total) == exact
    size = max(np.abs(weights).max(), abs(intercept))
    total = float(np.abs(weights) @ [f.reach for f in features]) + abs(intercept)
    for old, new, f in zip(weights, w, features, strict=True):
        assert abs(old - new) * f.reach <= total * 2.0**-25 or size == 0


@given(st.data(), st.lists(FEATURES, min_size=1, max_size=6))
def test_what_is_short_already_stays(data, features):
    whole = data.draw(st.lists(st.integers(-100, 100), min_size=len(features), max_size=len(features)))
    w = np.array([k / f.grain for k, f in zip(whole, features, strict=True)])
    if spare_bits(w.tolist(), 1.0, features) >= 0:
        assert short(w, 1.0, features)[0].tolist() == w.tolist()


@given(FLOATS.filter(bool))
def test_grain(x):
    grain = Fraction(grain_of(x))
    assert (Fraction(x) / grain).denominator == 1
    assert (Fraction(x) / grain).numerator % 2 == 1


TEXTS = st.text(max_size=6)


@given(st.lists(TEXTS, unique=True, max_size=8), st.lists(st.none() | TEXTS, max_size=30))
def test_a_lookup_finds_what_is_there(values, cells):
    lookup = Lookup(tuple(values))
    own = {value: k for k, value in enumerate(values)}
    expected = [len(values) + 1 if c is None else own.get(c, lookup.spellings.place(c)) for c in cells]
    assert lookup.places(pl.Series(cells, dtype=pl.String)).tolist() == expected


def test_one_equal_hash_is_not_enough():
    lookup, stranger = Lookup(("a", "b")), pl.Series(["c"])
    place = int(stranger.hash(lookup.seeds[0])[0]) % lookup.keys.size
    lookup.keys[place], lookup.codes[place] = stranger.hash(lookup.seeds[0])[0], 0  # as if "a" had the hash of "c"
    assert lookup.places(stranger).tolist() == [2]


def small_encoding():
    columns = (
        NumberColumn.of("age", least=18, most=90, mean=40, deviation=12, missing=True),
        CategoryColumn("job", ("clerk", "it's", "naïve"), True, True),
        YesNoColumn("owner", ("yes",), False, True, "no"),
        TextColumn("note", ("late", "paid")),
        DateColumn.of("since", least=0, most=20000, mean=9000, deviation=4000, missing=True),
        HashedTextColumn("more", (), 7),
    )
    return Encoding(columns, Target("good", ("no", "yes")))


ROWS = st.fixed_dictionaries(
    {
        "age": CELLS,
        "job": st.none() | st.sampled_from(["clerk", "it's", "naïve", "other", ""]),
        "owner": st.none() | st.sampled_from(["yes", "no", "maybe"]),
        "note": st.none() | st.sampled_from(["Paid, late!", "LATE late", "nothing", ""]),
        "since": st.none() | st.dates().map(str),
        "more": st.none() | TEXTS,
    }
)
SCHEMA = {name: pl.Float64 if name == "age" else pl.String for name in ("age", "job", "owner", "note", "since", "more")}


@given(st.lists(ROWS, min_size=1, max_size=10), st.data())
def test_dense_sparse_and_points_are_the_same_rule(rows, data):
    encoding, frame = small_encoding(), pl.DataFrame(rows, schema=SCHEMA)
    dense, sparse = encoding.encode(frame, dense=True), encoding.encode(frame, dense=False)
    assert dense.dtype == sparse.dtype == np.float32
    assert np.array_equal(sparse.toarray(), dense)
    assert sparse.has_sorted_indices
    assert all(abs(dense[:, k]).max() <= f.reach for k, f in enumerate(encoding.features))
    drawn = data.draw(st.lists(st.floats(-9, 9), min_size=encoding.size, max_size=encoding.size))
    w, b = short(np.array(drawn), 0.3, encoding.features)
    points = PointRule(encoding, (tuple(w.tolist()),), (b,), False)
    assert points.exact
    scored = frame.select(points.scores(["score"]).alias("scores")).unnest("scores")
    assert scored["score"].to_list() == [
        float(Fraction(b) + sum(map(lambda a, c: Fraction(a) * Fraction(float(c)), w, row))) for row in dense
    ]
    labels = scored.select(points.label([pl.col("score")])).to_series().to_list()
    assert labels == ["yes" if s > 0 else "no" for s in scored["score"]]


def test_an_encoding_is_read_as_it_was_written():
    encoding = small_encoding()
    assert Encoding.from_record(encoding.as_record()) == encoding
    numbered = Encoding((SparseColumn.of("features", 5, 3.0),), Target("label", ("-1", "1")))
    assert Encoding.from_record(numbered.as_record()) == numbered


@pytest.mark.parametrize(
    ("column", "field", "value"),
    [
        (0, "step", 0.3),
        (0, "scale", -1.0),
        (0, "lowest", 1e9),
        (0, "centre", 0.1),
        (0, "missing", 1),
        (0, "kind", "numbers"),
        (1, "values", ["a", "a"]),
        (1, "values", [1]),
        (5, "buckets", 0),
        (5, "buckets", 2**40),
        (3, "name", "age"),
    ],
)
def test_a_damaged_encoding_is_refused(column, field, value):
    record = small_encoding().as_record()
    record["columns"][column][field] = value
    with pytest.raises(ModelError):
        Encoding.from_record(record)


def test_a_table_without_a_column_is_refused_with_a_hint():
    with pytest.raises(TableError, match=r"no columns 'owner' \(did you mean 'owners'\?\), 'note', 'since'"):
        small_encoding().encode({"age": [1.0], "job": ["clerk"], "owners": ["yes"]})


def test_a_word_where_a_number_is_wanted_is_named():
    frame = pl.DataFrame({name: ["x"] for name in SCHEMA}).with_columns(age=pl.Series(["old"]))
    with pytest.raises(TableError, match="row 1, column 'age': 'old' is not a number"):
        small_encoding().encode(frame)


def test_values_as_text():
    frame = pl.DataFrame({"a": [1.0, 2.5, None, np.inf], "b": [True, False, None, True], "c": [1, 2, 3, None]})
    told = frame.select(as_text(pl.col(name)) for name in "abc")
    assert told["a"].to_list() == ["1", "2.5", None, "inf"]
    assert told["b"].to_list() == ["true", "false", None, "true"]
    assert told["c"].to_list() == ["1", "2", "3", None]
