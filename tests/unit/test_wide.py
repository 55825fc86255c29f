"""Tables with more columns than rows, and sparse text: cost by what is stored, the same answers."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import PerceptronTree, PocketPerceptron, VotedPerceptron, margin, optimality, separability
from rosenblatt.errors import DataError
from rosenblatt.geometry import whitening, working_set
from rosenblatt.geometry.whitening import Scaled, Spanned, space_of
from rosenblatt.learn.passes import electorate
from rosenblatt.learn.tree import stored_numbers
from rosenblatt.prove.solve import packing
from rosenblatt.rows.examples import Examples, narrowed
from rosenblatt.rules import tree_columns

HASHED = 2**18


def hashed(rng, n, d=HASHED, per_row=30, words=3000):
    """Rows of few words, drawn as Zipf draws them, in a table of many columns."""
    tokens = (words ** rng.random((n, per_row))).astype(int) - 1
    columns = np.random.default_rng(5).permutation(d)[:words][tokens]
    X = sp.csr_array((np.ones(n * per_row), columns.ravel(), np.arange(0, n * per_row + 1, per_row)), shape=(n, d))
    X.sum_duplicates()
    return X


def memory_of(call):
    """The most memory that a call took, in MB."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def test_columns_that_do_not_occur_are_left_out_and_nothing_else_changes(rng):
    X = hashed(rng, 40)
    examples = Examples.of(X, rng.permutation(40) % 2)
    narrow, left = narrowed(examples)
    occurring = np.unique(X.indices)
    assert left.tolist() == [*occurring, HASHED]
    assert narrow.size == occurring.size + 1
    w = rng.normal(size=examples.size)
    np.testing.assert_array_equal(
        (sp.csr_array((narrow.rows.values, narrow.rows.columns.astype(int), narrow.rows.starts.astype(int)))
         @ w[left][:-1]),
        X @ w[:-1],
    )  # fmt: skip


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("bias", [False, True])
def test_products_of_rows_span_the_same_space(storage, bias, rng):
    X = rng.normal(size=(12, 40)) * 10.0 ** rng.integers(-5, 5, size=40)
    X[7] = X[3]  # the rank is below the number of rows
    examples = Examples.of(storage(X), rng.permutation(12) % 2, fit_intercept=bias)
    found = space_of(examples)
    assert isinstance(found, Spanned)
    assert found.size == 11
    v = rng.normal(size=found.size)
    w = found.weights(v)
    z = np.column_stack([X, np.full(12, float(bias))]) * examples.labels[:, np.newaxis]
    np.testing.assert_allclose(z @ w, found.scores(v), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.coordinates(w), v, rtol=1e-6, atol=1e-8)
    points = found.rows(np.arange(12))
    np.testing.assert_allclose(points.T @ points / 12, np.eye(11), atol=1e-8)
    step = 1e-6 * rng.normal(size=found.size)  # the gradient of ||w||^2 / 2
    rise = (found.weights(v + step) @ found.weights(v + step) - found.weights(v - step) @ found.weights(v - step)) / 4
    assert rise == pytest.approx(found.inward(v) @ step, rel=1e-4)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300])
def test_products_of_rows_are_finite_whatever_the_units(scale, sparse, rng, monkeypatch):
    X = np.round(8.0 * rng.normal(size=(5, 9))) * np.repeat([scale, 1.0, 1e300], 3)
    X = sp.csr_array(X) if sparse else X
    with np.errstate(all="ignore"):
        found = space_of(Examples.of(X, [0, 1, 0, 1, 1]))
        v = rng.normal(size=found.size)
        assert isinstance(found, Spanned)
        assert all(np.isfinite(part).all() for part in (found.weights(v), found.scores(v), found.inward(v)))
    assert PocketPerceptron(random_state=0).fit(X, [0, 1, 0, 1, 1]).mistakes_ == 0
    monkeypatch.setattr(whitening, "WIDEST", 1)
    assert PocketPerceptron(random_state=0).fit(X, [0, 1, 0, 1, 1]).mistakes_ == 0


@pytest.mark.large
@pytest.mark.parametrize("gamma", [0.0, 0.01])
def test_more_columns_than_rows_cost_no_square_of_the_columns(gamma, rng):
    X, y = rng.normal(size=(60, 6000)), rng.permutation(60) % 2
    rule = PocketPerceptron(margin=gamma, random_state=0)
    assert memory_of(lambda: rule.fit(X, y)) < 60  # the square would be 288 MB
    assert rule.mistakes_ == 0


@pytest.mark.large
def test_rows_that_touch_one_column_of_many(rng):
    X = sp.csr_array((rng.normal(size=400), (np.arange(400), np.full(400, 7))), shape=(400, 30_000))
    y = rng.integers(2, size=400)
    rule = PocketPerceptron(random_state=0)
    assert memory_of(lambda: rule.fit(X, y)) < 60
    narrow = PocketPerceptron(random_state=0).fit(X[:, [7]].toarray(), y)
    assert rule.mistakes_ == narrow.mistakes_
    assert np.flatnonzero(rule.coef_).tolist() in ([], [7])


@pytest.mark.large
def test_text_that_overlaps_costs_by_entries(rng, monkeypatch):
    """Where both rows and columns are many, all but the rows that are there with both labels become right."""
    monkeypatch.setattr(whitening, "WIDEST", 100)  # stands for tables of many thousands of both
    monkeypatch.setattr(whitening, "NUMBERS", 10_000)
    X, y = hashed(rng, 600), rng.permutation(600) % 2
    X, y = sp.csr_array(sp.vstack([X, X[:20]])), np.concatenate([y, 1 - y[:20]])
    assert isinstance(space_of(narrowed(Examples.of(X, y))[0]), Scaled)
    rule = PocketPerceptron(random_state=0)
    assert memory_of(lambda: rule.fit(X, y)) < 100  # a dense table would be 1,240 MB
    assert rule.mistakes_ == 20
    assert not rule.coef_[0, np.setdiff1d(np.arange(HASHED), X.indices)].any()


def test_directions_of_few_entries_have_the_slopes_of_dense_ones(rng, monkeypatch):
    monkeypatch.setattr(whitening, "WIDEST", 10)
    X = hashed(rng, 50, d=900, words=900)
    sparse, dense = (space_of(Examples.of(table, rng.permutation(50) % 2)) for table in (X, X.toarray()))
    dense._labels = sparse._labels
    directions = np.zeros((8, sparse.size))
    directions[np.arange(8), rng.integers(sparse.size, size=8)] = rng.normal(size=8)
    np.testing.assert_allclose(sparse.slopes(directions), dense.slopes(directions), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ties", ["mistake", "plus"])
@pytest.mark.parametrize("numbers", ["whole", "float64", "float32"])
@pytest.mark.parametrize("weights", [None, "fractions"])
def test_sparse_votes_are_those_of_dense_rows(ties, numbers, weights, rng, monkeypatch):
    monkeypatch.setattr(electorate, "RENEWED", 7)
    monkeypatch.setattr(electorate, "PRODUCTS", 500)
    X = hashed(rng, 150, d=60, words=60, per_row=4)
    if numbers != "whole":
        X.data = rng.normal(size=X.data.size).round(1).astype(numbers)
    y = rng.permutation(150) % 2
    weights = None if weights is None else rng.integers(0, 9, size=100) / 4
    rules = [VotedPerceptron(ties=ties).fit(table[:100], y[:100], weights) for table in (X, X.toarray())]
    votes = [rule.decision_function(table) for rule, table in zip(rules, (X, X.toarray()), strict=True)]
    np.testing.assert_array_equal(*votes)
    assert (rules[0].votes_ == rules[1].votes_).all()
    np.testing.assert_array_equal(rules[0].decision_function(X.toarray()), votes[0])  # sparse voters, dense rows
    np.testing.assert_array_equal(rules[1].decision_function(X), votes[0])


def test_sparse_votes_of_a_stream_whose_later_rows_are_longer(rng):
    X = hashed(rng, 120, d=50, words=50, per_row=4).astype(float)
    X.data *= 2.0 ** (40 * (np.repeat(np.arange(120), np.diff(X.indptr)) // 40))  # parts of a stream, ever longer
    y = rng.permutation(120) % 2
    rules = [VotedPerceptron(), VotedPerceptron()]
    for part in np.array_split(np.arange(120), 6):
        for rule, table in zip(rules, (X, X.toarray()), strict=True):
            rule.partial_fit(table[part], y[part], classes=[0, 1])
    np.testing.assert_array_equal(rules[0].decision_function(X), rules[1].decision_function(X.toarray()))


@pytest.mark.large
def test_a_vote_of_wide_rows_takes_no_memory_for_their_columns(rng):
    X, y = hashed(rng, 300), rng.permutation(300) % 2
    rule = VotedPerceptron(max_passes=5)
    assert memory_of(lambda: rule.fit(X, y).predict(X)) < 50  # a block of vectors would be 136 MB, and as much again


def test_proofs_about_long_rows_stay_small_or_say_why_not(rng, monkeypatch):
    monkeypatch.setattr(working_set, "MOST", 10_000)  # stands for many thousands of rows and columns
    X, y = hashed(rng, 200), rng.permutation(200) % 2
    verdict = separability(X, y)
    assert verdict.separable  # by passes of the perceptron
    assert verdict.certificate.verify(X, y)
    known = margin(X, y)
    assert 0.0 < known.lower < known.upper
    both, labels = sp.csr_array(sp.vstack([X, X[:3]])), np.concatenate([y, 1 - y[:3]])
    assert margin(both, labels).upper == 0.0
    near, half = sp.csr_array(sp.vstack([X, X[:9]])), np.concatenate([y, 1 - y[:9]])
    near = near.astype(float)
    near.data[near.indptr[200] :] *= 2.0  # twice the row: without a threshold, no two rows are equal
    told = separability(near, half, fit_intercept=False)
    assert "leave out rare columns" in str(told)
    assert "limits of time and memory" in str(margin(near, half, fit_intercept=False))


def test_a_proof_of_few_mistakes_writes_down_a_bounded_number_of_long_rows(rng, monkeypatch):
    monkeypatch.setattr(packing, "WRITTEN", 10 * HASHED)
    X, y = hashed(rng, 200), rng.permutation(200) % 2
    X, y = sp.csr_array(sp.vstack([X, X[:20]])), np.concatenate([y, 1 - y[:20]])
    interval = optimality(X, y)
    assert (interval.lower, interval.upper) == (9, 20)
    interval.verify(X, y)


def test_a_tree_refuses_a_sparse_table_that_would_not_fit(monkeypatch):
    monkeypatch.setattr(tree_columns, "MOST_NUMBERS", 2**12)
    X = sp.csr_array((np.ones(4), (range(4), range(4))), shape=(3000, 30))
    with pytest.raises(DataError, match=r"3000 x 30 would take 0\.0 GiB; leave out rare columns"):
        PerceptronTree().fit(X, np.arange(3000) % 2)


@pytest.mark.large
@pytest.mark.parametrize("test", ["auto", "feature", "perceptron"])
def test_a_tree_takes_no_memory_for_columns_that_do_not_occur(test, rng):
    X, y = hashed(rng, 60), rng.permutation(60) % 2
    tree = PerceptronTree(test=test, prune=None).fit(X, y)  # what is compiled takes memory, too
    assert memory_of(lambda: tree.fit(X, y)) < 20  # a dense table would be 126 MB
    assert memory_of(lambda: tree.predict(X)) < 20
    assert (tree.predict(X) == y).all()
    assert tree.n_features_in_ == tree.feature_importances_.size == HASHED


OPTIONS = [
    {"test": "feature", "criterion": "gain ratio"},
    {"test": "feature", "criterion": "mistakes", "min_leaf": 2.0},
    {"test": "perceptron", "leaves": "perceptron", "max_depth": 2},
    {"test": "perceptron", "max_columns": 3, "class_weight": "balanced"},
    {"prune": "one standard error", "leaves": "perceptron"},
    {"spare": 0.0},
]


def everything(tree, X):
    """All that is known of a tree but its columns' names."""
    told = tree.predict_proba(X).tolist(), tree.apply(X).tolist(), tree.decision_path(X).toarray().tolist()
    return repr(tree.tree_.nodes), getattr(tree, "cv_errors_", np.zeros(1)).tolist(), *told


@pytest.mark.large
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", ["words", "numbers", "missing"])
@pytest.mark.parametrize("classes", [2, 4])
def test_a_tree_of_a_sparse_table_is_that_of_the_dense_one(options, kind, classes, rng):
    X = hashed(rng, 90, d=120, words=90, per_row=9).astype(float)
    if kind != "words":
        X.data = rng.normal(size=X.data.size).round(1)  # some of the numbers are zeros that are stored
    if kind == "missing":
        X.data[rng.random(X.data.size) < 0.2] = np.nan
    X = sp.csr_array(sp.vstack([X, X[:9]]))
    y, weights = rng.permutation(99) % classes, rng.integers(0, 4, size=99) / 3
    trees = [PerceptronTree(**options).fit(table, y, weights) for table in (X, X.toarray())]
    assert everything(trees[0], X) == everything(trees[1], X.toarray())
    assert everything(trees[0], X.toarray()) == everything(trees[1], X)
    assert trees[0].tree_ == trees[1].tree_
    assert trees[1].tree_ == trees[0].tree_
    assert trees[0].export_text() == trees[1].export_text()
    assert trees[0].path(X[[3]]) == trees[1].path(X[[3]].toarray())
    np.testing.assert_array_equal(trees[0].feature_importances_, trees[1].feature_importances_)


@pytest.mark.large
@pytest.mark.parametrize("test", ["auto", "feature", "perceptron"])
def test_a_tree_of_a_wide_table_is_that_of_the_columns_that_occur(test, rng):
    X, y = hashed(rng, 60, words=200), rng.permutation(60) % 2
    occurring = np.unique(X.indices)
    wide = PerceptronTree(test=test).fit(X, y)
    narrow = PerceptronTree(test=test).fit(X[:, occurring].toarray(), y)
    names = [f"x{column}" for column in occurring]
    assert wide.export_text() == narrow.export_text(names)
    np.testing.assert_array_equal(wide.feature_importances_[occurring], narrow.feature_importances_)
    assert everything(wide, X)[1:] == everything(narrow, X[:, occurring].toarray())[1:]


@pytest.mark.parametrize("kind", [float, np.int8, bool])
def test_numbers_stored_twice_or_in_disorder_are_those_of_the_dense_table(kind, rng):
    each = (rng.integers(3, size=200).astype(kind), rng.integers(70, size=200), np.arange(0, 201, 5))
    X, y = sp.csr_array(each, shape=(40, 70)), rng.permutation(40) % 2
    assert not X.has_canonical_format
    trees = [PerceptronTree().fit(table, y) for table in (X.copy(), X.toarray())]
    assert everything(trees[0], X) == everything(trees[1], X.toarray())


@pytest.mark.large
def test_rows_are_sent_down_part_by_part(rng, monkeypatch):
    X, y = hashed(rng, 60, words=200), rng.permutation(60) % 2
    whole = everything(PerceptronTree().fit(X, y), X)
    monkeypatch.setattr(stored_numbers, "PART", 40)
    assert everything(PerceptronTree().fit(X, y), X) == whole


def test_a_wide_tree_names_the_first_number_that_is_infinite(rng):
    X = hashed(rng, 20).astype(float)
    tree = PerceptronTree().fit(X, np.arange(20) % 2)
    X = sp.csr_array(X + sp.csr_array(([-np.inf, -np.inf], ([3, 7], [9, 5])), shape=X.shape))
    for call in (lambda: PerceptronTree().fit(X, np.arange(20) % 2), lambda: tree.predict(X)):
        with pytest.raises(DataError, match="row 7, column 'x5': the value is -inf"):
            call()
