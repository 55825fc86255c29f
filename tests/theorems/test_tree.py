"""What holds for every tree: rows and leaves, order, storage, weights, pruning."""

from itertools import pairwise

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.tree import pruning
from rosenblatt.learn.tree.canonical_rows import TreeRows, canonical, whole_costs
from rosenblatt.learn.tree.growing import grow
from rosenblatt.learn.tree.tree import ColumnHead, Columns, FeatureTest, PerceptronTest, Stop
from rosenblatt.learn.tree.tree_options import Plan

FEWER = settings(max_examples=3 if numba.config.DISABLE_JIT else 33)  # for each of several kinds
KINDS = [
    {"test": "feature"},
    {"test": "auto"},
    {"test": "perceptron"},
    {"test": "feature", "leaves": "perceptron"},
    {"test": "auto", "criterion": "gain ratio", "prune": "cross-validation", "folds": 3},
]


@st.composite
def tables(draw, gaps=True):
    """Whole numbers, some missing, of two or three classes; rows may repeat and contradict each other."""
    seed, n, d = draw(st.integers(0, 10**6)), draw(st.integers(4, 60)), draw(st.integers(1, 5))
    many = draw(st.sampled_from([2, 3]))
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)).astype(float)
    if gaps and draw(st.booleans()):
        X[rng.random((n, d)) < 0.1] = np.nan
    y = (np.nan_to_num(X) @ rng.normal(size=d) + rng.normal(size=n) > 0) + rng.integers(0, many - 1, n)
    y[:2] = 0, 1
    return X, y


def model(**options):
    return PerceptronTree(**{"prune": None, **options})


@pytest.mark.parametrize("options", KINDS)
@FEWER
@given(tables())
def test_each_row_reaches_one_leaf_and_counts_add_up(options, data):
    X, y = data
    fitted = model(**options).fit(X, y)
    tree, leaves = fitted.tree_, fitted.apply(X)
    for node in tree.nodes:
        if node.test is None:
            assert node.stop is not None
            reached = [int((y[leaves == node.number] == label).sum()) for label in fitted.classes_]
            assert node.counts == tuple(reached)
        else:
            below = np.sum([tree.nodes[child].counts for child in node.children], axis=0)
            assert node.counts == tuple(below)
            assert all(sum(tree.nodes[child].counts) > 0 for child in node.children)
    assert sorted(child for node in tree.nodes for child in node.children) == list(range(1, len(tree.nodes)))
    assert sum(sum(leaf.counts) for leaf in tree.leaves) == len(y)
    assert set(fitted.stop_reasons_) == {leaf.number for leaf in tree.leaves}


@pytest.mark.parametrize("options", KINDS)
@FEWER
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(options, data, random):
    X, y = data
    order = list(range(len(y)))
    random.shuffle(order)
    assert model(**options).fit(X[order], y[order]).tree_ == model(**options).fit(X, y).tree_


@pytest.mark.parametrize("options", KINDS)
@FEWER
@given(tables())
def test_storage_does_not_matter(options, data):
    X, y = data
    tree = model(**options).fit(X, y)
    for table in (sp.csr_array(X), X.astype(np.float32), np.asfortranarray(X), sp.csr_array(X.astype(np.float32))):
        other = model(**options).fit(table, y)
        assert other.tree_ == tree.tree_
        assert (other.predict_proba(table) == tree.predict_proba(X)).all()


@pytest.mark.parametrize(
    "options", [*KINDS[:-1], {"test": "auto", "class_weight": {0: 2.5}}, {"class_weight": "balanced"}]
)
@FEWER
@given(tables(), st.data())
def test_a_weight_is_so_many_copies(options, data, drawn):
    X, y = data
    weights = np.array(drawn.draw(st.lists(st.sampled_from([0, 1, 1, 2, 5]), min_size=len(y), max_size=len(y))))
    weights[:3] = 1
    y[2] = y.max()
    copies = np.repeat(np.arange(len(y)), weights)
    if len(set(y[copies])) == len(set(y)):
        weighted = model(**options).fit(X, y, sample_weight=weights)
        assert model(**options).fit(X[copies], y[copies]).tree_ == weighted.tree_


@given(tables())
def test_weights_are_counted_in_any_unit(data):
    X, y = data
    for least in (1.0, 3.0):
        whole = model(min_leaf=least).fit(X, y)
        for unit in (0.125, 1 / len(y), 1e-10):
            small = model(min_leaf=least).fit(X, y, sample_weight=np.full(len(y), unit))
            assert [node.test for node in whole.tree_.nodes] == [node.test for node in small.tree_.nodes]


def rows_of(X, y):
    costs, unit, copies = whole_costs(np.empty(0), np.ones(y.max() + 1), y)
    heads = tuple(ColumnHead(f"x{k}") for k in range(X.shape[1]))
    return TreeRows.of(Columns(heads, np.ascontiguousarray(X.T)), y, costs, unit, copies)


@given(tables())
def test_rows_are_joined_in_an_order_of_their_own(data):
    X, y = data
    order, new = canonical(np.ascontiguousarray(X.T), y)
    assert sorted(order.tolist()) == list(range(len(y)))
    rows = [(*np.where(np.isnan(x), np.inf, x), label) for x, label in zip(X[order], y[order], strict=True)]
    assert rows == sorted(rows)
    assert new.tolist() == [k == 0 or rows[k] != rows[k - 1] for k in range(len(rows))]
    assert rows_of(X, y).labelled.costs.sum() == len(y)


@pytest.mark.parametrize("plan", [Plan(test="feature"), Plan(), Plan(test="feature", leaves="perceptron")])
@FEWER
@given(tables())
def test_the_trees_of_a_pruning_sequence_are_nested(plan, data):
    rows = rows_of(*data)
    nodes = grow(rows, plan)
    trees = pruning.trees_of(nodes, rows.unit)
    assert list(trees.prices) == sorted(set(trees.prices))
    assert trees.prices[0] == 0
    cuts = [pruning.cut(nodes, trees.gone, k) for k in range(len(trees.prices))]
    leaves = [sum(node.test is None for node in cut) for cut in cuts]
    assert leaves == sorted(set(leaves), reverse=True)
    assert leaves[-1] == 1
    total = sum(nodes[0].counts)

    def cost(k, price):
        wrong = sum(pruning.mistakes(node, rows.unit) for node in cuts[k] if node.test is None)
        return wrong + price * round(total) * leaves[k]

    for k, price in enumerate(trees.prices):
        assert cost(k, price) == min(cost(j, price) for j in range(len(cuts)))
        assert k == 0 or cost(k, price) == cost(k - 1, price)  # at its price a link is worth just as much
    for parent, child in zip(trees.gone, nodes, strict=True):
        assert all(trees.gone[below] <= parent for below in child.children)


@pytest.mark.parametrize("options", [{}, {"test": "feature"}, {"test": "feature", "leaves": "perceptron"}])
@FEWER
@given(tables())
def test_cross_validation_never_prefers_a_tree_that_it_finds_worse(options, data):
    X, y = data
    fitted = PerceptronTree(folds=3, **options).fit(X, y)
    errors = fitted.cv_errors_
    assert errors[fitted.cv_tree_] == errors.min() <= errors[0]
    assert (errors[fitted.cv_tree_ + 1 :] > errors.min()).all()
    spared = PerceptronTree(folds=3, prune="one standard error", **options).fit(X, y)
    assert spared.n_leaves_ <= fitted.n_leaves_


@given(tables(), st.integers(2, 6), st.data())
def test_folds_deal_out_every_row(data, many, drawn):
    X, y = data
    weights = np.array(drawn.draw(st.lists(st.sampled_from([1, 2, 7, 0.5, 2.25]), min_size=len(y), max_size=len(y))))
    costs, unit, copies = whole_costs(weights.astype(float), np.ones(y.max() + 1), y)
    heads = tuple(ColumnHead(f"x{k}") for k in range(X.shape[1]))
    rows = TreeRows.of(Columns(heads, np.ascontiguousarray(X.T)), y, costs, unit, copies)
    dealt = pruning.folds_of(rows, many, 0)
    assert (dealt >= 0).all()
    assert (dealt.sum(axis=0) == rows.labelled.costs).all()
    assert rows.pieces.sum() == (costs > 0).sum()
    assert ((dealt > 0).sum(axis=0) <= rows.pieces).all()  # a row is in one fold, whatever it weighs
    for label in range(len(copies)):
        mine = rows.labelled.labels == label
        if (weights[y == label] == weights[y == label][:1]).all():  # then every row costs the same
            in_folds = (dealt[:, mine] // (rows.labelled.costs[mine] // rows.pieces[mine])).sum(axis=1)
            assert in_folds.max() - in_folds.min() <= 1


@pytest.mark.parametrize("weights", [np.full(300, 2.0), np.full(300, 1000.0), np.linspace(0.5, 1.5, 300)])
def test_weights_do_not_tell_a_fold_what_it_is_judged_by(weights):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)  # noise
    for weighted in (None, weights):
        tree = PerceptronTree(random_state=0).fit(X, y, sample_weight=weighted)
        assert tree.n_nodes_ < 30
        assert tree.cv_errors_.min() > 0.4


def xor(n, d, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (n, d))
    return X, (X[:, 0] > 0) ^ (X[:, 1] > 0)


def test_xor_of_four_points_needs_two_perceptrons():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    fitted = model().fit(X, y)
    assert (fitted.predict(X) == y).all()
    assert fitted.n_nodes_ == 5


@pytest.mark.parametrize(("d", "most"), [(2, 7), (5, 9)])
@pytest.mark.parametrize("seed", range(3))
def test_xor_along_the_columns_is_seen_one_test_ahead(seed, d, most):
    X, y = xor(400, d, seed)
    fitted = model().fit(X, y)
    assert fitted.n_nodes_ <= most
    assert (fitted.predict(X) == y).all()
    assert isinstance(fitted.tree_.nodes[0].test, FeatureTest)
    assert fitted.tree_.nodes[0].test.column in (0, 1)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="what is found does not depend on how it is run, but takes long")
def test_xor_among_noise_needs_fewer_nodes_than_a_tree_of_features():
    (X, y), (new_X, new_y) = xor(1000, 10), xor(1000, 10, seed=1)
    slanted, straight = PerceptronTree().fit(X, y), PerceptronTree(test="feature").fit(X, y)
    assert slanted.n_nodes_ <= 9
    assert slanted.score(new_X, new_y) > 0.98 > straight.score(new_X, new_y)


@given(st.integers(0, 1000), st.integers(2, 6))
def test_separable_rows_need_one_perceptron(seed, d):
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(200, d)), rng.normal(size=d)
    scores = X @ u / np.linalg.norm(u)
    X, y = X[abs(scores) > 0.1], scores[abs(scores) > 0.1] > 0
    fitted = model(test="perceptron").fit(X, y)
    assert fitted.n_nodes_ == 3
    assert isinstance(fitted.tree_.nodes[0].test, PerceptronTest)
    assert set(fitted.stop_reasons_.values()) == {Stop.SEPARATED}
    assert (fitted.predict(X) == y).all()


@given(tables(gaps=False), st.integers(2, 3))
def test_a_perceptron_has_no_more_columns_than_it_may(data, most):
    X, y = data
    tests = [node.test for node in model(test="perceptron", max_columns=most).fit(X, y).tree_.nodes]
    assert all(len(test.columns) <= most for test in tests if test is not None)


@given(tables())
def test_the_path_ends_in_the_leaf(data):
    X, y = data
    fitted = model().fit(X, y)
    for row in range(0, len(y), 7):
        path = fitted.path(X[row])
        assert path[0][0] == 0
        assert path[-1][0] == fitted.apply(X[row : row + 1])[0]
        assert path[-1][1] == repr(fitted.predict(X[row : row + 1])[0].item())
        for (number, words, value), (child, *_) in pairwise(path):
            node = fitted.tree_.nodes[number]
            branch = node.children.index(child)
            assert words == fitted.tree_.branch_in_words(node, branch)
            if value is None:
                assert node.missing == child
            else:
                assert branch == int(value > getattr(node.test, "threshold", np.inf))
