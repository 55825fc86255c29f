"""Rows, constraints, encodings and tables with some of their features only."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from rosenblatt.errors import TableError
from rosenblatt.read.encode.columns import SparseColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.table import Table
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.storage import n_features, rows_of, some_features, table_of

X = np.array([[1.0, 0.0, 3.0, 0.0], [0.0, 5.0, 0.0, 7.0], [2.0, 0.0, 0.0, 4.0]])


@pytest.mark.parametrize("chosen", [[0], [1, 3], [3, 0], [0, 1, 2, 3]])
def test_rows_dense_and_sparse(chosen):
    dense, sparse = (some_features(rows_of(given, bias=2.0), np.array(chosen)) for given in (X, sp.csr_array(X)))
    assert table_of(dense).tolist() == table_of(sparse).toarray().tolist() == X[:, chosen].tolist()
    assert n_features(dense) == n_features(sparse) == len(chosen)
    assert dense.bias == sparse.bias == 2.0


def test_constraints_are_numbered_anew():
    cone = Cone.of([1, 0, -1, 0, 1])
    assert cone.only(np.array([2, 3, 4])) == Cone((2,), (0,))
    assert cone.only(np.array([1, 3])) == EVERYWHERE
    assert cone.only(np.array([4, 6])) == Cone((0,), ())  # feature 6 has no constraint
    assert EVERYWHERE.only(np.array([0])) is EVERYWHERE


def test_an_encoding_leaves_out_the_other_columns():
    frame = pl.DataFrame({"a": [1.5, 2.0, 8.0, 9.0], "b": ["x", "y", "x", "z"], "c": [4, 3, 2, 1], "y": [0, 1, 0, 1]})
    whole, _ = encoding_of(Table("here", frame), "y", overrides={"b": "category", "a": "number", "c": "number"})
    few = whole.only(["b"])
    places = [k for k, name in enumerate(whole.column_names) if name == "b"]
    assert few.column_names == ["b"] * len(places)
    assert few.encode(frame.select("b")).tolist() == whole.encode(frame)[:, places].tolist()
    assert [column.kind for column in few.columns if column.name != "b"] == ["ignore", "ignore"]
    with pytest.raises(TableError, match="no column 'b'"):
        few.encode(frame.select("a"))


def test_numbered_features_are_columns_of_their_own():
    whole = Encoding((SparseColumn.of("features", 4, 7.0),), Target("label", ("0", "1")))
    few = whole.only(["2", "4"])
    assert whole.column_names == ["1", "2", "3", "4"]
    assert few.column_names == ["2", "4"]
    assert few.encode(sp.csr_array(X)).toarray().tolist() == X[:, [1, 3]].tolist()
    assert Encoding.from_record(few.as_record()) == few
