"""Kernels that add up or compare the entries of rows, against the same done by NumPy on whole numbers."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.learn.dual import dual_kernels
from rosenblatt.rows import kernels
from rosenblatt.rows.storage import rows_of

X = np.random.default_rng(4).integers(-4, 5, (9, 3)) * 1.0
STORAGES = pytest.mark.parametrize("held", [X, sp.csr_array(X)], ids=["dense", "sparse"])


@STORAGES
def test_the_largest_entry_of_each_column(held):
    found = np.array([0.0, 7.0, 0.0, 0.0])
    kernels.largest_of_columns(rows_of(held), 2, 8, found)
    assert found.tolist() == [*np.maximum(np.abs(X[2:8]).max(axis=0), [0.0, 7.0, 0.0]), 0.0]


@STORAGES
def test_the_sum_of_all_entries_and_of_their_squares(held):
    assert dual_kernels.moments(rows_of(held), 8) == (X[:8].sum(), (X[:8] ** 2).sum())


@STORAGES
def test_rows_are_added_one_after_the_other(held):
    w, moves, entries = np.arange(4.0), np.array([2.0, -1.0, 0.5]), np.array([8, 0, 8])
    kernels.combine(rows_of(held), entries, moves, w)
    assert w.tolist() == [*(np.arange(3.0) + moves @ X[entries]), 3.0 + moves.sum()]
