"""Statistics of columns: against naive ones in exact arithmetic, at any magnitude, in blocks or at once."""

from collections import Counter
from datetime import date
from fractions import Fraction
from math import isfinite, isqrt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.read.profile import statistics
from rosenblatt.read.profile.statistics import statistics_of
from rosenblatt.read.sources import read_table
from rosenblatt.read.table import Table


def naive(numbers):
    """Mean and standard deviation, exact but for the last rounding."""
    exact = [Fraction(x) for x in numbers]
    mean = sum(exact) / len(exact)
    variance = sum((x - mean) ** 2 for x in exact) / len(exact)
    scale = 1 << 2600  # enough for the squares of the smallest doubles
    return float(mean), float(Fraction(isqrt(int(variance * scale)), isqrt(scale)))


def profile(values, **options):
    return statistics_of(Table("t", pl.DataFrame({"x": values}, strict=False)), **options)["x"]


numbers = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True), st.integers(-5, 5).map(float))


@given(st.lists(numbers, min_size=1, max_size=12), st.integers(1, 5))
def test_numbers_of_any_size(values, rows):
    old, statistics.ROWS = statistics.ROWS, rows
    try:
        table = Table("t", pl.DataFrame({"x": values}, schema={"x": pl.Float64}))
        moments = statistics_of(table)["x"]
    finally:
        statistics.ROWS = old
    finite = [x for x in values if x is not None and isfinite(x)]
    assert moments.rows == len(values)
    assert moments.nulls == values.count(None)
    assert moments.odd == len(values) - moments.nulls - len(finite)
    if not finite:
        return
    mean, deviation = naive(finite)
    size = max(map(abs, finite))
    assert (moments.least, moments.most) == (min(finite), max(finite))
    assert moments.mean == pytest.approx(mean, rel=1e-12, abs=1e-12 * size)
    assert moments.deviation == pytest.approx(deviation, rel=1e-7, abs=1e-7 * size)


@pytest.mark.parametrize("size", [1e308, 1e-308, 5e-324, 1e200, 1e-200, 1.0])
def test_extremes_neither_overflow_nor_vanish(size):
    found = profile([size, -size, size, -size] * 9)
    assert found.mean == 0.0
    assert found.deviation == pytest.approx(size, rel=1e-12)
    found = profile([size, 0.0] * 9)
    assert found.mean == pytest.approx(size / 2, rel=1e-12, abs=5e-324)
    assert found.deviation > 0 or size == 5e-324  # half of which is no double


def test_large_and_small_blocks_add_up(monkeypatch):
    monkeypatch.setattr(statistics, "ROWS", 2)
    found = profile([1e308, -1e308, 1.0, 2.0, 1e-308, 3e-308])
    assert found.mean == pytest.approx(0.5, rel=1e-9)
    assert found.deviation == pytest.approx(1e308 / 3**0.5, rel=1e-9)


@given(st.lists(st.sampled_from(["a", "b", "c c", "d  d d", None]), min_size=1, max_size=30), st.integers(1, 9))
def test_values_are_counted(values, rows):
    old, statistics.ROWS = statistics.ROWS, rows
    try:
        found = profile(pl.Series(values, dtype=pl.String))
    finally:
        statistics.ROWS = old
    there = [value for value in values if value is not None]
    assert found.values == tuple(sorted(Counter(there).items(), key=lambda pair: (-pair[1], pair[0])))
    assert (found.distinct, found.more) == (len(set(there)), 0)
    assert found.nulls == len(values) - len(there)
    assert found.first_null == (values.index(None) + 1 if None in values else None)
    if there:
        assert found.words == pytest.approx(sum(len(value.split()) for value in there) / len(there))
    assert found.all_distinct == (len(there) > 1 and len(set(there)) == len(there))


def test_only_the_most_frequent_values_are_kept():
    found = profile([f"v{k}" for k in range(3000)] + ["v7", "v7", "v5"])
    assert found.values[:2] == (("v7", 3), ("v5", 2))
    assert (len(found.values), found.more, found.distinct) == (1000, 2000, 3000)
    assert not found.all_distinct
    assert len(profile([f"v{k}" for k in range(3000)] * 2, counted=["x"]).values) == 3000


def test_memory_of_values_is_bounded(monkeypatch):
    monkeypatch.setattr(statistics, "REMEMBERED", 100)
    monkeypatch.setattr(statistics, "ROWS", 50)
    found = profile([f"v{k}" for k in range(1000)] + ["often"] * 60)
    assert found.values[0] == ("often", 60)
    assert len(found.values) <= 100
    assert found.distinct >= 100


def test_numbers_that_are_few_are_counted_as_text():
    assert profile([1.0, 0.0, 1.0, None]).values == (("1", 2), ("0", 1))
    assert profile([1.5, 0.5] * 3).values == (("0.5", 3), ("1.5", 3))
    assert profile([True, False, True]).values == (("true", 2), ("false", 1))
    assert profile(list(range(100))).values == ()
    assert len(profile(list(range(100)), counted=["x"]).values) == 100


def test_distinct_and_consecutive_whole_numbers(monkeypatch):
    assert profile([3, 1, 2]).consecutive
    assert profile([3, 1, None, 2]).consecutive
    assert not profile([3, 1, 4]).consecutive
    assert profile([3, 1, 4]).all_distinct
    assert not profile([3, 1, 3]).all_distinct
    assert not profile([1.0, 2.0, 3.0]).consecutive
    monkeypatch.setattr(statistics, "ROWS", 2)
    assert profile([5, 4, 3, 2, 1]).consecutive
    assert not profile([1, 2, 3, 1, 2]).all_distinct  # the second time comes in another block


DATES = {
    ("2020-01-31", "1999-12-01"): {""},
    ("2020-01-31T10:00:00", "2020-01-31 10:00:01.5"): {""},
    ("31/01/2020", "01/02/2020"): {"%d/%m/%Y"},
    ("01/31/2020", "01/02/2020"): {"%m/%d/%Y"},
    ("01/12/2020", "01/02/2020"): {"%d/%m/%Y", "%m/%d/%Y"},
    ("31.01.2020", "1.2.1999"): {"%d.%m.%Y"},
    ("2020/01/31", "2020/12/31"): {"%Y/%m/%d"},
    ("2020-01-31", "2020-02-31"): set(),
    ("2020-01-31", "yesterday"): set(),
    ("12", "13"): set(),
}


@pytest.mark.parametrize("values", DATES)
def test_dates_are_known_if_all_values_are(values):
    assert set(profile(pl.Series([*values, None] * 3)).forms) == DATES[values]


def test_a_word_in_a_late_block_is_no_date(monkeypatch):
    monkeypatch.setattr(statistics, "ROWS", 3)
    assert profile(["2020-01-31"] * 7 + ["soon"]).forms == ()


def decides(values, labels, dtype=None, rows=None, monkeypatch=None):
    if rows:
        monkeypatch.setattr(statistics, "ROWS", rows)
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype), "y": labels})
    return statistics_of(Table("t", frame), "y")["x"].decides


def test_columns_that_decide_the_target(monkeypatch):
    labels = ["no", "yes"] * 10
    assert decides(["a", "b"] * 10, labels) == "value"
    assert decides(["a", "b", "a", "c"] * 5, labels) == "value"
    assert decides(["a", None] * 10, labels) == "value"
    assert decides(["a", "b", "a", "a"] * 5, labels) == ""
    assert decides([f"v{k}" for k in range(20)], labels) == ""  # as many values as rows decide everything
    assert decides([0.1, 2.5] * 10, labels) == "threshold"
    assert decides([k if k % 2 else -k for k in range(20)], labels) == "threshold"
    assert decides(list(range(20)), labels) == ""
    assert decides([1, 5, 3, 6] * 5, ["a", "b", "c", "b"] * 5) == "value"
    assert decides([0.1, 2.5] * 9 + [2.5, 0.1], labels, rows=4, monkeypatch=monkeypatch) == ""
    assert decides(["a", "b"] * 9 + ["b", "a"], labels, rows=4, monkeypatch=monkeypatch) == ""


def test_in_blocks_or_at_once_statistics_are_the_same_to_the_bit(tmp_path, rng, monkeypatch):
    monkeypatch.setattr(statistics, "ROWS", 1000)
    n = 7777
    frame = pl.DataFrame(
        {
            "x": rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
            "z": rng.normal(size=n),
            "k": rng.integers(0, 50, n),
            "s": rng.choice(["red", "green", "dark blue"], n),
            "d": rng.choice(["2020-01-01", "2021-05-06"], n),
            "y": rng.choice(["yes", "no"], n),
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=123)
    eager = statistics_of(read_table(tmp_path / "t.csv"), "y")
    assert eager["x"].deviation > 1e290
    for name in ("t.csv", "t.parquet"):
        assert statistics_of(read_table(tmp_path / name, large=True), "y") == eager
    assert statistics_of(read_table(tmp_path / "t.parquet"), "y") == eager


def test_odd_columns_are_passed_over():
    frame = pl.DataFrame({"x": [[1], [2], None], "y": ["a", "b", "a"]})
    found = statistics_of(Table("t", frame), "y")["x"]
    assert (found.nulls, found.values, found.decides) == (1, (), "")


def test_dates_of_parquet_are_days():
    found = profile([date(1970, 1, 1), date(1970, 1, 11)])
    assert (found.least, found.most, found.mean, found.deviation) == (0.0, 10.0, 5.0, 5.0)
