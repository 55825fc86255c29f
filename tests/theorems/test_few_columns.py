"""What is true of columns that enter a rule, whatever the rows are."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import tables
from rosenblatt import PerceptronCV
from rosenblatt.learn.selection import entering
from rosenblatt.learn.selection.column_path import ColumnPath
from rosenblatt.learn.selection.comparison import LabelledTable
from rosenblatt.learn.selection.standard import Standard
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.storage import rows_of


def search(X, codes, columns, classes=2, signs=None):
    data = LabelledTable(rows_of(np.asarray(X, float)), np.asarray(codes), np.ones(len(codes)), classes)
    if signs is not None:
        data = LabelledTable(data.rows, data.codes, data.costs, classes, Cone.of(signs))
    table = Standard.of(data.rows).table(data.rows)
    return entering.Entering(data, table, columns, np.full(len(codes), 1.0 / len(codes)))


def never():
    return False


@given(tables(max_rows=12, max_columns=4), st.data())
def test_the_objective_never_rises_as_columns_enter(table, data):
    X, y = table
    d = np.shape(X)[1]
    signs = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=d, max_size=d))
    found = list(search(X, (np.array(y) > 0).astype(int), [np.array([k]) for k in range(d)], signs=signs).run(d, never))
    values = [place.least for place in found]
    assert all(later <= before * (1 + 1e-9) + 1e-12 for before, later in pairwise(values))
    assert sorted(found[-1].columns) == list(range(d))


@given(st.integers(0, 10_000), st.integers(1, 40))
def test_what_is_promised_is_kept(seed, together):
    rng = np.random.default_rng(seed)
    n, sizes = int(rng.integers(15, 40)), rng.integers(1, 5, size=4)
    X, codes = rng.normal(size=(n, sizes.sum())), rng.integers(2, size=n)
    X[:, 0] = codes + X[:, 0] / 3
    codes[:2] = 0, 1
    columns = np.split(np.arange(sizes.sum()), np.cumsum(sizes)[:-1])
    with pytest.MonkeyPatch.context() as patch:  # of columns with many features, the slope alone promises
        patch.setattr(entering, "TOGETHER", together)
        rows = search(X, codes, columns)
        place = next(rows.run(1, never))
        promise = entering.Promise(rows, place)
        for c in set(range(4)) - set(place.columns):
            reached = rows._learned((*place.columns, c), place)
            # descents end a little above the lowest place, before and after
            assert promise.gains[c] <= (place.least - reached.least) + 2e-3 * place.least


@given(st.permutations(range(5)), st.integers(0, 10_000))
def test_the_order_of_the_columns_does_not_matter(order, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5))
    codes = (X @ [3.0, 2.0, 1.0, 0.5, 0.1] + rng.normal(size=60) > 0).astype(int)
    codes[:2] = 0, 1
    *_, plain = search(X, codes, [np.array([k]) for k in range(5)]).run(3, never)
    *_, mixed = search(X[:, order], codes, [np.array([k]) for k in range(5)]).run(3, never)
    assert [order[c] for c in mixed.columns] == list(plain.columns)


@pytest.mark.parametrize("seed", range(6))
def test_weights_of_other_columns_are_zero_and_columns_go_in_as_a_whole(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 8))
    groups = rng.permutation(np.repeat(["a", "b", "c", "d"], 2))
    y = X[:, 0] + X[:, 1] + rng.normal(size=40) > 0
    y[:2] = False, True
    rule = PerceptronCV(most_columns=2, feature_groups=groups).fit(X, y)
    assert 1 <= len(rule.columns_) <= 2
    assert not rule.coef_[:, ~np.isin(groups, rule.columns_)].any()
    assert rule.coef_[:, np.isin(groups, rule.columns_)].all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.data())
def test_as_many_columns_are_used_as_err_least(errors, data):
    many = len(errors)
    noise = np.array(data.draw(st.lists(st.floats(0, 0.5), min_size=many, max_size=many)))
    error = np.array(errors)
    noise[error.argmin()] = 0.0
    path = ColumnPath(tuple("abcdefgh"[:many]), 8, error, noise)
    assert error[path.many - 1] == error.min()
    assert (error[: path.many - 1] > error.min()).all()
    assert path.chosen == tuple("abcdefgh"[: path.many])
    assert path.within_noise == next(k + 1 for k in range(many) if error[k] - error.min() <= noise[k])
    assert path.within_noise <= path.many
    assert [line[0].endswith("(used)") for line in path.rows].index(True) + 1 == path.many
