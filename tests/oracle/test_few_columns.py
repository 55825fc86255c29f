"""Columns enter a rule as the naive search that tries them all says."""

import numpy as np
import pytest

from oracle import naive_columns
from rosenblatt.learn.selection import entering
from rosenblatt.learn.selection.comparison import LabelledTable
from rosenblatt.learn.selection.path import MODERATE
from rosenblatt.learn.selection.standard import BIAS, Standard
from rosenblatt.rows.storage import rows_of


def problem(seed, bias=1.0):
    """Rows with columns of one to three features, their classes and shares; on one scale as the search has them."""
    rng = np.random.default_rng(seed)
    n, sizes = int(rng.integers(20, 60)), rng.integers(1, 4, size=6)
    X = rng.normal(size=(n, sizes.sum())) * rng.choice([0.1, 1.0, 30.0], size=sizes.sum())
    X[:, -1] += X[:, 0]
    codes = (X[:, 0] + X[:, 2] / 2 + rng.normal(size=n) * np.std(X[:, 0]) > 0).astype(np.int64)
    codes[:2] = 0, 1
    costs = rng.choice([1.0, 2.0, 5.0], size=n)
    columns = np.split(np.arange(sizes.sum()), np.cumsum(sizes)[:-1])
    data = LabelledTable(rows_of(X, bias=bias), codes, costs, 2)
    return data, Standard.of(data.rows).table(data.rows), columns, costs / costs.sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_the_column_that_enters_is_the_one_of_all_that_helps_most(seed, bias, monkeypatch):
    data, table, columns, share = problem(seed, bias)
    monkeypatch.setattr(entering, "LEARNED", len(columns))
    monkeypatch.setattr(entering, "UNCLEAR", np.inf)
    *_, last = entering.Entering(data, table, columns, share).run(3, lambda: False)
    signs, scale = np.where(data.codes == 1, 1.0, -1.0), BIAS if bias else 0.0
    each = [table[:, features] for features in columns]
    assert list(last.columns) == naive_columns.entered(each, signs, share, MODERATE.ridge, scale, 3)


@pytest.mark.parametrize("seed", range(12))
def test_promises_and_noise_are_the_naive_ones(seed):
    data, table, columns, share = problem(seed)
    rows = entering.Entering(data, table, columns, share)
    place = next(rows.run(1, lambda: False))
    found = entering.Promise(rows, place)
    inside = np.column_stack([table[:, columns[place.columns[0]]], np.full(share.size, BIAS)])
    for c in set(range(len(columns))) - set(place.columns):
        promised, noise = naive_columns.promise(inside, table[:, columns[c]], place.pulls[0], share, MODERATE.ridge)
        assert found.gains[c] == pytest.approx(promised, rel=1e-6)
        assert found.noise(c) == pytest.approx(noise, rel=1e-6)
