"""Examples are handled right or refused with an error that names the row and the column."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from rosenblatt.errors import DataError, OptionError, RosenblattError
from rosenblatt.rows.examples import Examples, costs_of_rows
from rosenblatt.rows.storage import rows_of

X, Y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1, 0])


def changed(row, column, number):
    table = X.copy()
    table[row, column] = number
    return table


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize(
    ("table", "words"),
    [
        (changed(1, 0, np.nan), "row 1, column 0: the value is nan"),
        (changed(2, 1, np.inf), "row 2, column 1: the value is inf"),
        (changed(0, 1, -np.inf), "row 0, column 1: the value is -inf"),
        (changed(2, 0, 1e308), r"row 2, column 0: the value 1e\+308 is so large"),
        (np.empty((0, 2)), "no rows"),
        (np.empty((3, 0)), "no columns"),
        (X + 1j, "Complex data"),
        (np.array([[1, 2], [3, 2**60 + 1], [5, 6]]), "row 1, column 1: 1152921504606846977 is too large a whole"),
    ],
)
def test_bad_tables_are_refused(container, table, words):
    with pytest.raises(DataError, match=words):
        rows_of(container(table))


def test_errors_name_the_column_where_names_are_known():
    with pytest.raises(DataError, match="row 1, column 'income'"):
        rows_of(changed(1, 1, np.nan), names=["age", "income"])


@pytest.mark.parametrize("table", [np.ones(3), np.ones((3, 1, 1)), 5.0])
def test_a_table_has_two_dimensions(table):
    with pytest.raises(DataError, match="rows and columns"):
        rows_of(table)


def test_words_are_not_numbers():
    with pytest.raises(DataError, match="not a number"):
        rows_of(np.array([["a", "b"]], object))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1, 1, 1], "y has 1: 1"),
        ([1, 2, 3], "y has 3: 1, 2, 3"),
        ([0.0, np.nan, 1.0], "row 1: the label is missing"),
        ([0, 1], "3 rows but y has 2"),
        ([[0], [1], [0]], "one-dimensional"),
        ([], "no labels"),
    ],
)
def test_bad_labels_are_refused(y, words):
    with pytest.raises(DataError, match=words):
        Examples.of(X, y)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -1, 1], "row 1: the weight -1.0"),
        ([1, np.nan, 1], "row 1: the weight nan"),
        ([1, np.inf, 1], "row 1: the weight inf"),
        ([1, 1], "3 rows need 3 weights"),
        ([1, 0, 1], "weights of all rows are zero for class"),
        ([1e300, 1, 1], "too large to count"),
    ],
)
def test_bad_weights_are_refused(weights, words):
    with pytest.raises(DataError, match=words):
        Examples.of(X, Y, weights=weights)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf])
def test_bad_bias_scales_are_refused(scale):
    with pytest.raises(OptionError, match="bias_scale"):
        Examples.of(X, Y, bias_scale=scale)


def test_all_errors_are_value_errors_of_one_tree():
    assert issubclass(DataError, RosenblattError)
    assert issubclass(RosenblattError, ValueError)


@pytest.mark.parametrize("y", [["no", "yes", "no"], [False, True, False], [-1, 1, -1], [3.5, 7.25, 3.5], list("aba")])
def test_the_greater_label_is_plus_one(y):
    examples = Examples.of(X, y)
    assert examples.labels.tolist() == [-1, 1, -1]
    assert list(examples.classes) == [y[0], y[1]]


def test_dense_and_sparse_tables_are_not_copied():
    for dtype in (np.float32, np.float64):
        dense = X.astype(dtype)
        assert np.shares_memory(rows_of(dense).values, dense)
        assert dense.flags.writeable
        sparse = sp.csr_array(dense)
        assert np.shares_memory(rows_of(sparse).values, sparse.data)
        assert np.shares_memory(rows_of(sparse).columns, sparse.indices)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.longdouble])
def test_other_numbers_become_floats_exactly(dtype):
    table = np.array([[0, 1], [97, 13]]).astype(dtype)
    for held in (table, sp.csr_array(table.astype(float)).astype(dtype) if dtype not in (np.float16,) else table):
        values = rows_of(held).values
        assert values.dtype in (np.float32, np.float64)
    assert rows_of(table).values.tolist() == table.tolist()


def test_whole_numbers_too_long_for_floats_are_refused_wherever_they_are():
    for table in ([[2**64], [2**64 + 1]], np.array([[2**53], [2**53 + 1]], dtype=object)):
        with pytest.raises(DataError, match=r"row 1, column 0: .* too large a whole number"):
            rows_of(table)


def test_a_sparse_matrix_is_not_believed():
    changed = sp.csr_array((np.array([-6.0, 5.0, 1.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert changed.has_canonical_format  # which it remembers
    changed.indices[1] = 0
    assert rows_of(changed).values.tolist() == [-1.0, 1.0]
    for at, to in ((1, 10**9), (0, 1), (1, 3)):
        damaged = sp.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
        damaged.indptr[at] = to
        with pytest.raises(DataError, match="damaged"):
            rows_of(damaged)


def test_the_callers_sparse_matrix_stays_as_it_is():
    messy = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([0, 3])), shape=(1, 2))
    rows = rows_of(messy)
    assert rows.values.tolist() == [5.0, 1.0]
    assert messy.data.tolist() == [1.0, 2.0, 3.0]
    assert messy.indices.tolist() == [1, 0, 0]


def test_lengths_and_radius_include_the_constant_feature():
    examples = Examples.of([[3.0, 4.0], [0.0, 0.0]], [0, 1], bias_scale=2.0)
    assert examples.lengths.tolist() == [29**0.5, 2.0]
    assert examples.radius == 29**0.5
    assert Examples.of([[3.0, 4.0], [0.0, 0.0]], [0, 1], fit_intercept=False).radius == 5.0


def test_rows_without_weight_do_not_count_for_the_radius():
    assert Examples.of([[100.0], [3.0], [4.0]], [0, 1, 0], weights=[0, 1, 1], fit_intercept=False).radius == 4.0


@pytest.mark.parametrize("size", [1e-170, 1e160, 1e250, 5e-324])
def test_squares_that_overflow_or_underflow_change_nothing(size):
    """Lengths are right, and the run is that of the same table at a moderate size."""
    table, y = np.array([[3.0, 4.0], [-1.0, 2.0], [2.0, -5.0]]), [1, -1, 1]
    rows = rows_of(table * size, bias=0.0)
    assert rows.radius == pytest.approx(29**0.5 * size, rel=1e-12) or size == 5e-324
    a, _ = cases.learn(table, y, bias=False)
    b, _ = cases.learn(table * size, y, bias=False)
    if size != 5e-324:
        assert a.ledger.rows.tolist() == b.ledger.rows.tolist()
    assert b.reason.name == "SEPARATED"


def test_weights_that_would_overflow_are_refused():
    with pytest.raises(DataError, match="weights would overflow"):
        cases.learn([[1e307], [5e306]], [1, -1], bias=False, max_passes=9)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normalized_rows_have_length_one(container, dtype, rng):
    table = rng.normal(size=(20, 3)).astype(dtype) * 10.0 ** rng.integers(-30, 30, size=(20, 1)).astype(dtype)
    y = np.arange(20) % 2
    examples = Examples.of(container(table), y, normalize=True, fit_intercept=False)
    assert examples.rows.values.dtype == dtype
    assert examples.lengths == pytest.approx(1.0, rel=1e-6)
    dense = Examples.of(table, y, normalize=True).rows.values
    assert examples.rows.values.tobytes() == dense.tobytes()


def test_a_row_of_zeros_stays_when_normalized():
    assert Examples.of([[2.0, 0.0], [0.0, 0.0]], [0, 1], normalize=True).rows.values.tolist() == [[1, 0], [0, 0]]


def test_a_damaged_sparse_matrix_is_refused():
    broken = sp.csr_array(X)
    broken.indices[0] = 7
    with pytest.raises(DataError, match="outside its 2 columns"):
        rows_of(broken)
    with pytest.raises(DataError, match="rows and columns"):
        rows_of(sp.coo_array(np.ones(3)))


def test_balanced_classes_are_balanced_by_weight(rng):
    y, weights = rng.integers(0, 3, 60), rng.integers(1, 4, 60)
    copies = np.repeat(np.arange(60), weights)
    once = costs_of_rows("balanced", np.arange(3), y[copies], None)
    weighted = costs_of_rows("balanced", np.arange(3), y, weights)
    assert weighted.tolist() == pytest.approx(once[np.cumsum(weights) - 1] * weights)
    assert costs_of_rows("balanced", np.arange(3), np.array([0, 1, 2]), [1.0, 1.0, 0.0]).tolist()[2] == 0.0


def test_the_radius_is_that_of_the_rows_that_count(rng):
    X = rng.normal(size=(40, 3))
    for counted in ([5], [3, 9, 30], list(range(1, 40))):
        weights = np.isin(np.arange(40), counted).astype(float)
        for table in (X, sp.csr_array(X)):
            examples = Examples(rows_of(table), np.ones(40, np.int8), weights)
            assert examples.radius == pytest.approx(np.sqrt((X[counted] ** 2).sum(axis=1) + 1).max())
