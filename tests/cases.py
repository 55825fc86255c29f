"""Examples for property tests, and short ways to run the library on them."""

from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt.learn.choices import TIES, Budget, Order
from rosenblatt.learn.pla import active, pla
from rosenblatt.rows.examples import Examples

whole = st.integers(-6, 6).map(float)
odd = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100, allow_subnormal=True)
near_one = st.sampled_from([-1.0, -0.5, 0.1, 0.2, 0.3, 0.5, 1.0, 1 / 3, 1 + 2**-52, 1e-17, -1e-17])


@st.composite
def tables(draw, numbers=whole, max_rows=12, max_columns=4):
    """A table and labels -1/+1 of both kinds; rows may repeat, be zero, or contradict each other."""
    n = draw(st.integers(2, max_rows))
    d = draw(st.integers(1, max_columns))
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    return np.array(X), np.array(y)


@st.composite
def classed_tables(draw, numbers=whole, max_rows=12, max_columns=4, max_classes=4):
    """A table, the numbers of its classes, of which all occur, and how many classes there are."""
    many = draw(st.integers(3, max_classes))
    n = draw(st.integers(many, max(max_rows, many)))
    d = draw(st.integers(1, max_columns))
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    rest = draw(st.lists(st.integers(0, many - 1), min_size=n - many, max_size=n - many))
    return np.array(X), np.array(draw(st.permutations([*range(many), *rest]))), many


@st.composite
def separable_classed_tables(draw, max_rows=12, max_columns=3, max_classes=4):
    """A table of whole numbers, the classes that scores U of whole numbers choose without a tie, and U."""
    d, many = draw(st.integers(1, max_columns)), draw(st.integers(3, max_classes))
    U = np.array(
        draw(st.lists(st.lists(st.integers(-5, 5), min_size=d, max_size=d), min_size=many, max_size=many)), float
    )
    n = draw(st.integers(2, max_rows))
    X = np.array(draw(st.lists(st.lists(whole, min_size=d, max_size=d), min_size=n, max_size=n)))
    scores = np.sort(X @ U.T, axis=1)
    X = X[scores[:, -1] > scores[:, -2]]
    return X, (X @ U.T).argmax(axis=1) if len(X) else np.empty(0, int), U


@st.composite
def separable_tables(draw, max_rows=12, max_columns=4):
    """A table of whole numbers, labels that a whole-number u gives, and that u: y (u . x) >= 1 for every row."""
    d = draw(st.integers(1, max_columns))
    u = np.array(draw(st.lists(st.integers(-5, 5), min_size=d, max_size=d).filter(any)), float)
    n = draw(st.integers(2, max_rows))
    X = np.array(draw(st.lists(st.lists(whole, min_size=d, max_size=d), min_size=n, max_size=n)))
    X = X[X @ u != 0]
    X = np.vstack([X, u, -u])
    return X, np.where(X @ u > 0, 1, -1), u


def with_bias(X, bias=1.0):
    """Rows as the oracle takes them."""
    return [[*map(float, x), bias] for x in X]


ROUNDS = "active, in rounds"  # what the active order does with many rows, done with few
ORDERS = ["active", ROUNDS, "cyclic", "random", "random-mistake", "worst"]


def learn(X, y, order="cyclic", ties="mistake", start=None, rng=0, weights=None, bias=True, bias_scale=1.0, **budget):
    """A run and its examples."""
    examples = Examples.of(X, y, weights=weights, fit_intercept=bias, bias_scale=bias_scale)
    start = np.zeros(examples.size) if start is None else np.asarray(start, float)
    budget = Budget(**{"max_passes": 50, **budget})
    with ExitStack() as patches:
        if order == ROUNDS:
            order = "active"
            patches.enter_context(patch.object(pla, "FEW", 0))
            patches.enter_context(patch.multiple(active, FIRST_STRETCH=2, SMALL_PART=1))
        rng = np.random.default_rng(rng)
        return pla.learn(examples, start, order=Order(order), ties=TIES[ties], budget=budget, rng=rng), examples


def containers(X):
    """The same table in every storage that holds it exactly."""
    yield "dense", X
    yield "fortran", np.asfortranarray(X)
    yield "csr", sp.csr_array(X)
    yield "csr matrix", sp.csr_matrix(X)
    unsorted = sp.csr_array(X)
    for a, b in zip(unsorted.indptr[:-1], unsorted.indptr[1:], strict=True):
        unsorted.indices[a:b] = unsorted.indices[a:b][::-1].copy()
        unsorted.data[a:b] = unsorted.data[a:b][::-1].copy()
    unsorted.has_sorted_indices = False
    yield "csr, unsorted", unsorted
    halves = sp.csr_array(X)  # every entry twice, by halves
    halves = sp.csr_array(
        (np.repeat(halves.data / 2, 2), np.repeat(halves.indices, 2), 2 * halves.indptr), shape=X.shape
    )
    if (2 * (X / 2) == X).all():
        yield "csr, from halves", halves
    if (X.astype(np.float32) == X).all():
        yield "float32", X.astype(np.float32)
        yield "csr float32", sp.csr_array(X.astype(np.float32))
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    yield "csr, 64-bit indices", long


def separable_rows(rng, n=300, d=5):
    """Normal rows and the labels yes and no, which a line with a threshold separates."""
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) > 0.2, "yes", "no")
