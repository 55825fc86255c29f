"""A table as a tree sees it, cell by cell."""

from datetime import date
from math import copysign, isfinite, isnan, nan

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt.errors import OptionError, TableError
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    HashedTextColumn,
    IgnoredColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
    YesNoColumn,
)
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.read.encode.tree_view import grid, heads

X = NumberColumn.of("x", least=0.0, most=10.0, mean=5.0, deviation=2.0, missing=False)
DAYS = NumberColumn.of("day", least=10_000.0, most=11_000.0, mean=10_500.0, deviation=300.0, missing=True)
DAY = DateColumn("day", DAYS.centre, DAYS.scale, DAYS.step, DAYS.lowest, DAYS.highest, True, "")
TOWN = CategoryColumn("town", ("Rome", "Oslo"), True, True)
SIZE = CategoryColumn("size", ("1", "2.5"), False, False)
PAID = YesNoColumn("paid", ("yes",), False, True, "no")
NOTE = TextColumn("note", ("late", "fee"))
ALL = Encoding(
    (X, DAY, IgnoredColumn("id", "different in every row"), TOWN, SIZE, PAID, NOTE), Target("good", ("no", "yes"))
)

NUMBERS = st.none() | st.floats() | st.sampled_from([-0.0, 0.0, X.lowest, X.highest, 1e308, 5.123456789012345])
PLACES = st.sampled_from([None, "Rome", "Oslo", "any other", "", "rome", "Oslo "])
SIZES = st.sampled_from([None, 1.0, 2.5, 2.0, nan])
ANSWERS = st.sampled_from([None, "yes", "no", "YES"])


def same(found, expected):
    return (isnan(found) and isnan(expected)) or (found == expected and copysign(1, found) == copysign(1, expected))


def number_by_the_book(x, column):
    return nan if x is None or not isfinite(x) else min(max(x, column.lowest), column.highest) + 0.0


def code_by_the_book(cell, known):
    return nan if cell is None else float(known.index(cell)) if cell in known else float(len(known))


def word_by_the_book(cell):
    """Blanks around a word do not count, and an empty one is none."""
    return None if cell is None else cell.strip() or None


def test_every_column_has_a_name_and_its_categories():
    assert heads(ALL) == (
        ("x", None),
        ("day", None),
        ("town", ("Rome", "Oslo", "any other")),
        ("size", ("1", "2.5")),
        ("paid", ("no", "yes")),
        ("note has 'late'", None),
        ("note has 'fee'", None),
    )


@given(st.lists(st.tuples(NUMBERS, PLACES, SIZES, ANSWERS), min_size=1, max_size=6))
def test_cells_become_numbers_and_codes(rows):
    x, town, size, paid = (list(cells) for cells in zip(*rows, strict=True))
    day, note = [date(2000, 1, 1)] * len(rows), ["a Late fee,"] * len(rows)
    table = {
        "x": pl.Series(x, dtype=pl.Float64), "day": day, "town": pl.Series(town, dtype=pl.String),
        "size": pl.Series(size, dtype=pl.Float64), "paid": pl.Series(paid, dtype=pl.String), "note": note,
    }  # fmt: skip
    found = grid(ALL, table)
    assert found.shape == (7, len(rows))
    assert found.dtype == np.float64
    for k in range(len(rows)):
        expected = [
            number_by_the_book(x[k], X),
            10957.0,
            code_by_the_book(word_by_the_book(town[k]), ("Rome", "Oslo")),
            nan if size[k] is None or isnan(size[k]) else code_by_the_book(size[k], (1.0, 2.5)),
            code_by_the_book(paid[k] and paid[k].lower(), ("no", "yes")),
            1.0,
            1.0,
        ]
        assert all(map(same, found[:, k].tolist(), expected)), (found[:, k], expected)


def test_numbers_are_not_rounded_and_text_is_read_as_its_kind_wants():
    table = {"x": ["5.123456789012345", None, "1e300"], "day": ["2000-01-02", "soon", None], "town": ["Rome"] * 3}
    table |= {"size": [1, 2, None], "paid": ["no"] * 3, "note": [None, "", "fee fee"]}
    found = grid(ALL, table)
    np.testing.assert_array_equal(found[0], [5.123456789012345, nan, X.highest])
    np.testing.assert_array_equal(found[1], [10958.0, nan, nan])
    np.testing.assert_array_equal(found[3], [0.0, 2.0, nan])
    np.testing.assert_array_equal(found[5:], [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def test_numbered_features():
    encoding = Encoding((SparseColumn("features", 3, 2.0**-20, 4.0),), Target("label", ("-1", "1")))
    assert heads(encoding) == (("1", None), ("2", None), ("3", None))
    wide = csr_array(np.array([[1.23456789, 0.0, -9.0, 7.0], [np.inf, 5.0, -0.0, 0.0]]))
    np.testing.assert_array_equal(grid(encoding, wide), [[1.23456789, 0.0], [0.0, 4.0], [-4.0, 0.0]])
    np.testing.assert_array_equal(grid(encoding, csr_array(np.array([[2.0]]))), [[2.0], [0.0], [0.0]])
    with pytest.raises(TableError, match="needs a LIBSVM file"):
        grid(encoding, {"x": [1.0]})


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ({"X": [1.0]}, "the table has no columns 'x', 'town'"),
        ({"x": ["1", "two"], "town": ["Rome", None]}, "row 12, column 'x': 'two' is not a number"),
    ],
)
def test_a_table_that_does_not_fit_gets_the_errors_of_features(table, what):
    encoding = Encoding((X, TOWN), ALL.target)
    for way in (grid, Encoding.encode):
        with pytest.raises(TableError, match=what):
            way(encoding, table, first_row=10)


def test_hashed_words_are_refused():
    with pytest.raises(OptionError, match="use a vocabulary for 'note'"):
        heads(Encoding((HashedTextColumn("note", (), 16),), ALL.target))
