"""Damaged sparse matrices and masked arrays, at every way in: refused in words, never followed, never unmasked."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import (
    AveragedPerceptron,
    Examples,
    KernelPerceptron,
    LiftedPerceptron,
    MarginPerceptron,
    OnlinePerceptron,
    PassiveAggressive,
    Perceptron,
    PerceptronCV,
    PerceptronTree,
    PocketPerceptron,
    SoftMarginPerceptron,
    VotedPerceptron,
    margin,
    optimality,
    separability,
)
from rosenblatt.errors import DataError
from rosenblatt.prove.theory import risk
from rosenblatt.rows.door import admitted, csr_of

ESTIMATORS = (
    Perceptron, PocketPerceptron, LiftedPerceptron, AveragedPerceptron, VotedPerceptron, MarginPerceptron,
    PassiveAggressive, SoftMarginPerceptron, PerceptronCV, KernelPerceptron, PerceptronTree,
)  # fmt: skip
STREAMED = [made for made in ESTIMATORS if hasattr(made, "partial_fit")]
X = np.array(
    [[1.0, 0.0, 2.0], [0.0, -1.0, 0.0], [3.0, 1.0, 0.0], [0.0, -2.0, -1.0], [2.0, 0.0, 1.0], [-1.0, 0.0, -3.0]]
)
Y = np.array([1, 0, 1, 0, 1, 0])
WEIGHTS = np.array([1.0, 2.0, 1.0, 1.0, 1.0, 3.0])


def fitted(made):
    return made(gamma=1.0).fit(X, Y) if made is KernelPerceptron else made().fit(X, Y)


def ways_of(made):
    """Every method of an estimator that takes a table: called with the table, labels and weights."""
    fresh = {"gamma": 1.0} if made is KernelPerceptron else {}
    yield "fit", lambda x, y, w: made(**fresh).fit(x, y, sample_weight=w)
    if made in STREAMED:
        yield "partial_fit", lambda x, y, w: made(**fresh).partial_fit(x, y, classes=[0, 1], sample_weight=w)
    rule = fitted(made)
    yield "score", lambda x, y, w: rule.score(x, y, sample_weight=w)
    for name in ("predict", "decision_function", "predict_proba", "apply"):
        if hasattr(rule, name):
            yield name, lambda x, y, w, name=name: getattr(rule, name)(x)


FUNCTIONS = {
    "Examples.of": lambda x, y, w: Examples.of(x, y, weights=w),
    "separability": lambda x, y, w: separability(x, y),
    "margin": lambda x, y, w: margin(x, y),
    "optimality": lambda x, y, w: optimality(x, y),
    "a certificate": lambda x, y, w: separability(X, Y).certificate.verify(x, y),
    "learn_many": lambda x, y, w: OnlinePerceptron().learn_many(x, y, w),
    "score_many": lambda x, y, w: OnlinePerceptron().score_many(x),
}


@pytest.fixture(scope="module")
def ways():
    """All ways in, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {f"{made.__name__}.{name}": way for made in ESTIMATORS for name, way in ways_of(made)}
    return found | FUNCTIONS


def damaged():
    """Sparse matrices that SciPy would follow out of their memory, or misread."""

    def changed(kind, **parts):
        made = sp.csr_array(X).asformat(kind, copy=True)
        for name, change in parts.items():
            setattr(made, name, change(getattr(made, name)))
        return made

    def put(place, value):
        def change(array):
            array = array.copy()
            array[place] = value
            return array

        return change

    yield "pointers fall", changed("csr", indptr=put(2, 1))
    yield "pointers beyond the entries", changed("csr", indptr=put(-1, 10**6))
    yield "pointers begin late", changed("csr", indptr=put(0, 2))
    yield "pointers below zero", changed("csr", indptr=put(1, -5))
    yield "too few pointers", changed("csr", indptr=lambda p: p[:-1])
    yield "too many pointers", changed("csr", indptr=lambda p: np.append(p, p[-1]))
    yield "no pointers", changed("csr", indptr=lambda p: p[:0])
    yield "an index below zero", changed("csr", indices=put(1, -1))
    yield "an index beyond the columns", changed("csr", indices=put(1, 3))
    yield "an index far beyond", changed("csr", indices=put(1, 2**30))
    yield "fewer indices than values", changed("csr", indices=lambda i: i[:-1])
    yield "fewer values than indices", changed("csr", data=lambda d: d[:-1])
    yield "indices that are not whole", changed("csr", indices=lambda i: i.astype(float))
    yield "indices in a table", changed("csr", indices=lambda i: i.reshape(-1, 1))
    yield "CSC with a far index", changed("csc", indices=put(1, 2**30))
    yield "CSC whose pointers fall", changed("csc", indptr=put(1, 50))
    yield "COO with a far row", changed("coo", row=put(1, 2**30))
    yield "COO with a column below zero", changed("coo", col=put(1, -7))
    yield "COO with fewer values", changed("coo", data=lambda d: d[:-1])
    yield "BSR with a far index", changed("bsr", indices=put(0, 2**30))
    lists = sp.lil_array(X)
    lists.rows[2].append(7)
    yield "LIL with a column too many", lists
    lists = sp.lil_array(X)
    lists.rows[2][0] = 99
    yield "LIL with a far column", lists


DAMAGED = dict(damaged())


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_matrix_is_refused_at_every_way_in(case, ways):
    for way, call in ways.items():
        with pytest.raises(DataError, match="the sparse matrix is damaged: "):
            call(DAMAGED[case], Y, None)
        assert way


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_every_sound_format_is_read(kind):
    given = sp.csr_array(X).asformat(kind)
    assert (csr_of(given).toarray() == X).all()
    assert given.format == kind
    assert fitted(Perceptron).predict(given).tolist() == Y.tolist()
    assert fitted(PerceptronTree).predict(given).tolist() == fitted(PerceptronTree).predict(X).tolist()


def test_a_sound_matrix_is_not_copied():
    given = sp.csr_array(X)
    assert csr_of(given) is given


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint32, np.uint64, ">i4"])
def test_indices_of_any_kind_are_read(dtype):
    given = sp.csr_array(X)
    given.indices, given.indptr = given.indices.astype(dtype), given.indptr.astype(dtype)
    assert separability(given, Y).separable
    assert fitted(PerceptronTree).predict(given).tolist() == fitted(PerceptronTree).predict(X).tolist()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_odd_values_inside_a_sparse_matrix_are_refused(value, ways):
    given = sp.csr_array(X)
    given.data[3] = value
    for way, call in ways.items():
        if way.startswith("PerceptronTree") and np.isnan(value):
            continue  # missing
        with pytest.raises(DataError, match=r"row 2, column .*: the value is (nan|-?inf)"):
            call(given, Y, None)


numbers = st.one_of(st.integers(-3, 8), st.sampled_from([-(2**31), 2**31 - 1, 10**6]))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["csr", "csc", "bsr"]),
    st.lists(numbers, max_size=9), st.lists(numbers, max_size=8), st.integers(0, 8),
)  # fmt: skip
def test_whatever_stands_in_the_parts_it_is_read_or_refused(kind, pointers, indices, values):
    made = sp.csr_array((4, 3)).asformat(kind)
    made.indptr, made.indices = np.array([0, *pointers], np.int32), np.array(indices, np.int32)
    made.data = np.ones(values) if kind != "bsr" else np.ones((values, 1, 1))
    tree = fitted(PerceptronTree)
    try:
        found = admitted(made)
    except DataError as error:
        told = str(error)
        for call in (lambda: Perceptron().fit(made, [0, 1, 0, 1]), lambda: tree.predict(made)):
            with pytest.raises(DataError) as refused:
                call()
            assert str(refused.value) == told
    else:
        lines = 3 if kind == "csc" else 4
        assert made.indptr.size == lines + 1
        assert len(indices) == values
        assert found.toarray().shape == (4, 3)
        assert tree.predict(made).size == 4


# -- masks


def masked(values, place):
    mask = np.zeros(values.shape, bool)
    mask[place] = True
    return np.ma.array(values, mask=mask)


def test_a_masked_value_is_refused_by_name(ways):
    for way, call in ways.items():
        if way.startswith("PerceptronTree"):
            continue  # missing
        for table in (masked(X, (2, 1)), list(masked(X, (2, 1))), masked(X.astype(int), (2, 1))):
            with pytest.raises(DataError, match="X: row 2, column 1 is masked; leave the row out, or give a value"):
                call(table, Y, None)


def test_a_masked_label_or_weight_is_refused_by_name(ways):
    for way, call in ways.items():
        if way.split(".")[-1] in ("predict", "decision_function", "predict_proba", "apply", "score_many"):
            continue
        with pytest.raises(DataError, match="y: row 3 is masked"):
            call(X, masked(Y, 3), None)
        with pytest.raises(DataError, match="y: row 3 is masked"):
            call(X, masked(Y.astype(str), 3), None)
        if way not in ("separability", "margin", "optimality", "a certificate"):
            with pytest.raises(DataError, match="the weights: row 4 is masked"):
                call(X, Y, masked(WEIGHTS, 4))


def test_a_mask_over_nothing_changes_nothing():
    bare = np.ma.array(X), np.ma.array(Y), np.ma.array(WEIGHTS)
    for made in ESTIMATORS:
        rule = made(gamma=1.0) if made is KernelPerceptron else made()
        found = rule.fit(bare[0], bare[1], sample_weight=bare[2]).predict(bare[0])
        plain = type(rule)(**rule.get_params()).fit(X, Y, sample_weight=WEIGHTS).predict(X)
        assert found.tolist() == plain.tolist()
        assert type(found) is np.ndarray


@pytest.mark.parametrize("dtype", [float, np.float32, int])
def test_what_is_masked_is_missing_to_a_tree(dtype):
    given, gone = masked(X.astype(dtype), (2, 1)), X.copy()
    gone[2, 1] = np.nan
    tree, same = PerceptronTree(prune=None).fit(given, Y), PerceptronTree(prune=None).fit(gone, Y)
    assert tree.tree_ == same.tree_
    assert tree.predict(given).tolist() == same.predict(gone).tolist()
    assert tree.path(given[2]) == same.path(gone[2])


def test_masked_words_are_missing_to_a_tree():
    words = np.array([["a"], ["b"], ["a"], ["b"], ["a"], ["b"]], dtype=object)
    options = {"categorical_features": [0], "prune": None}
    given, gone = masked(words, (2, 0)), words.copy()
    gone[2, 0] = None
    assert PerceptronTree(**options).fit(given, Y).tree_ == PerceptronTree(**options).fit(gone, Y).tree_


def test_masked_margins_bound_no_risk():
    with pytest.raises(DataError, match="margins: row 3 is masked"):
        risk.pac_bayes(masked(np.full(1000, 0.5), 3))


def test_one_masked_row_of_a_stream():
    rule = OnlinePerceptron()
    for call in (lambda: rule.learn_one(masked(X[0], 1), True), lambda: rule.predict_one(masked(X[0], 1))):
        with pytest.raises(DataError, match="the row: row 1 is masked"):
            call()
    assert rule.learn_one(np.ma.array(X[0]), True) in (True, False)
