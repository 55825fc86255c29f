"""The cells of columns: bins whose ends are short numbers between old rows, values, and how many words are known."""

from decimal import Decimal
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl
import pytest
import scipy
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.read.encode.census import bins_of, cells_in, edges_of, names_of_cells, places, shortest
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
    YesNoColumn,
)

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
AGE = NumberColumn("x", centre=40.0, scale=16.0, step=0.5, lowest=0.0, highest=99.5, missing=True)


@given(NUMBERS, NUMBERS)
def test_the_shortest_number_is_in_its_range_and_a_coarser_one_is_not(one, other):
    assume(one != other)
    low, high = sorted((one, other))
    found = shortest(low, high)
    assert low <= found < high
    assume(all(not end or 1e-100 < abs(end) < 1e100 for end in (low, high)))  # units divide others without underflow
    last = Decimal(repr(found)).normalize().as_tuple().exponent
    unit = Fraction(10) ** (last + 1)  # no multiple of ten times its last digit is in the range
    assert not found or found == low or float(ceil(Fraction(low) / unit) * unit) >= high


@given(st.lists(st.integers(-5, 5) | NUMBERS, max_size=300))
def test_bins_rise_and_a_frequent_number_has_one_of_its_own(numbers):
    numbers = np.array(numbers, np.float64)
    edges = edges_of(numbers)
    assert list(edges) == sorted(set(edges))
    assert len(edges) <= 18
    assert np.isfinite(edges).all()
    values, counts = np.unique(numbers, return_counts=True)
    if numbers.size >= 10:
        for value in values[counts > 0.13 * numbers.size + 3]:
            assert len({*numbers[bins_of(numbers, edges) == bins_of(value, edges)].tolist()}) == 1


def test_no_end_is_a_value_of_a_single_row():
    rng = np.random.default_rng(0)
    incomes = np.round(rng.lognormal(8, 1, 5000), 2)
    edges = edges_of(incomes)
    assert max(len(f"{end:g}") for end in edges) <= 5
    shares = np.bincount(bins_of(incomes, edges)) / incomes.size
    assert shares.min() > 0.07
    assert shares.max() < 0.13


@pytest.mark.parametrize(
    ("column", "cells", "wanted"),
    [
        (AGE, [5.0, 10.0, 20.0, 99.0, 1000.0, -1.0, None, float("nan"), float("inf")], [0, 0, 1, 2, 3, 3, 4, 4, 4]),
        (DateColumn("x", 0.0, 16.0, 1.0, -99.0, 99.0, False), ["1970-01-11", "1970-02-01", None], [0, 2, 4]),
        (CategoryColumn("x", ("a", "b"), True, True), ["b", "a", " a", "c", None], [1, 0, 0, 2, 3]),
        (YesNoColumn("x", ("yes",), False, False, "no"), ["no", "yes", "TRUE", "perhaps"], [0, 1, 1, 2]),
        (TextColumn("x", ("a", "b", "c")), ["a a", "A-b", "a b c", "z", None], [0, 1, 2, 7, 8]),
        (HashedTextColumn("x", ()), ["u v w x y z", "", "?!"], [3, 8, 7]),
    ],
)
def test_the_cell_of_every_row(column, cells, wanted):
    edges = (10.0, 25.0) if column.kind in ("number", "date") else ()
    table = pl.DataFrame({"x": cells}, strict=False)
    assert next(places([column], [edges], table)).tolist() == wanted
    names = names_of_cells(column, edges, str)
    assert len(names) == cells_in(column, edges) > max(wanted)
    assert names[-1] == "missing"


def test_numbered_features_are_counted_by_row():
    X = scipy.sparse.csr_array(np.array([[1.0, 0, 0], [1, 1, 1], [0, 0, 0]]))
    column = SparseColumn("features", 3, 0.5, 4.0)
    assert next(places([column], [()], X)).tolist() == [0, 2, 7]
