"""The theorems of two classes, of several at once: with the radius of Kesler's signed rows, sqrt(2) R."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
from rosenblatt import AveragedPerceptron, Perceptron, PocketPerceptron, bounds, margin, optimality, separability
from rosenblatt.prove.solve import joint_optimality, joint_separability
from rosenblatt.rows.kesler import JointExamples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
ORDERS = st.sampled_from(["active", "cyclic", "random", "random-mistake", "worst"])
SLACK = 1 + 1e-9


def least_lead(X, y, U):
    scores = X @ U.T
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    return (own - scores.max(axis=1)).min()


@given(cases.separable_classed_tables(), ORDERS)
def test_corrections_are_at_most_two_squared_radii_over_the_squared_margin(table, order):
    X, y, U = table
    assume(len(set(y.tolist())) > 2)
    y = np.unique(y, return_inverse=True)[1]
    U = U[np.unique((X @ U.T).argmax(axis=1))]
    rule = Perceptron(order=order, fit_intercept=False, max_passes=None, random_state=0).fit(X, y)
    assert rule.stop_reason_.name == "SEPARATED"
    assert (rule.predict(X) == y).all()
    square = (np.linalg.norm(X, axis=1).max() * np.linalg.norm(U) / least_lead(X, y, U)) ** 2
    assert rule.n_updates_ <= 2 * square * SLACK
    found = margin(X, y, fit_intercept=False)
    examples = rule.examples_of(X, y)[0]
    assert rule.n_updates_ <= bounds.novikoff(examples.radius, found.lower) * SLACK
    assert least_lead(X, y, U) / np.linalg.norm(U) <= found.upper * SLACK


@given(cases.separable_classed_tables())
def test_the_average_and_the_pocket_end_right_where_that_is_possible(table):
    X, y, _ = table
    assume(len(set(y.tolist())) > 2)
    for rule in (AveragedPerceptron(fit_intercept=False, max_passes=None), PocketPerceptron(fit_intercept=False)):
        rule.fit(X, y)
        assert (rule.predict(X) == y).all()
        assert rule.stop_reason_.name == "SEPARATED"


@given(cases.classed_tables(), ORDERS)
def test_weights_of_the_classes_add_up_to_zero_and_grow_no_faster_than_the_root(table, order):
    """From zeros, an update adds x to one class and subtracts it from another, and was of a mistake."""
    X, y, _ = table
    rule = Perceptron(order=order, max_passes=10, random_state=1).fit(X, y)
    assert (rule.weights_.sum(axis=0) == 0).all()  # whole numbers
    radius = np.sqrt(2) * np.linalg.norm(np.column_stack([X, np.ones(len(X))]), axis=1).max()
    assert np.linalg.norm(rule.weights_) <= radius * np.sqrt(rule.n_updates_) * SLACK


@given(cases.tables(), st.booleans(), st.sampled_from(["mistake", "plus", "minus", "correct"]))
def test_of_two_classes_the_joint_verdict_is_the_binary_one(table, threshold, ties):
    X, y = table
    examples = JointExamples.of(X, y, fit_intercept=threshold)
    verdict = joint_separability.decide(examples, ties)
    assert verdict.separable == separability(X, y, fit_intercept=threshold, ties=ties).separable
    verdict.certificate.verify_examples(examples)


@given(cases.tables(max_rows=8, max_columns=2))
def test_of_two_classes_the_margin_is_the_binary_one_over_the_root_of_two_and_the_fewest_mistakes_are_the_same(table):
    """W_1 = -W_0 = w / 2 leads by w . x and is shorter than w by the root of two: Kesler's rows are longer by it."""
    X, y = table
    examples, binary = JointExamples.of(X, y), margin(X, y)
    found = joint_separability.largest(examples)
    if binary.lower > 0:
        assert found.lower == pytest.approx(np.sqrt(2) * binary.lower, rel=1e-8)
    else:
        assert found.upper <= 0
    several = joint_optimality.interval(examples, None, np.random.default_rng(0))
    assert (several.lower, several.upper) == (optimality(X, y).lower, optimality(X, y).upper)


@given(cases.classed_tables(max_rows=8), st.data())
def test_a_row_of_weight_k_is_the_row_k_times_and_of_weight_0_no_row(table, data):
    X, y, many = table
    copies = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    assume(len(set(y[copies > 0].tolist())) == many)
    for make in (
        Perceptron(max_passes=20),
        Perceptron(order="cyclic", max_passes=20),
        AveragedPerceptron(max_passes=4),
        PocketPerceptron(improve=None, max_updates=20, random_state=0),
    ):
        weighted = make.fit(X, y, sample_weight=copies).weights_.tobytes()
        assert make.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies)).weights_.tobytes() == weighted


@given(cases.classed_tables(numbers=cases.near_one), st.integers(0, 12))
def test_a_stream_is_the_same_however_it_is_cut_and_however_it_is_stored(table, cut):
    X, y, many = table
    classes, results = range(many), set()
    for make in (Perceptron, AveragedPerceptron):
        for _, Z in cases.containers(X):
            whole = make().partial_fit(Z, y, classes=classes)
            results.add((make, whole.weights_.tobytes(), whole.n_updates_))
        cut = min(cut, len(y) - 1)
        parts = make()
        for piece in (slice(0, cut), slice(cut, None)):
            if len(y[piece]):
                parts.partial_fit(X[piece], y[piece], classes=classes)
        results.add((make, parts.weights_.tobytes(), parts.n_updates_))
        assert parts.ledger_.entries().tolist() == whole.ledger_.entries().tolist()
    assert len(results) == 2


@given(cases.classed_tables(numbers=cases.near_one), ORDERS)
def test_a_run_is_the_same_for_every_storage(table, order):
    X, y, _ = table
    runs = {
        Perceptron(order=order, max_passes=15, random_state=0).fit(Z, y).weights_.tobytes()
        for _, Z in cases.containers(X)
    }
    assert len(runs) == 1


@given(cases.classed_tables())
def test_a_run_that_comes_back_proves_a_contradiction_and_the_bound_refutes_a_margin(table):
    X, y, _ = table
    rule = Perceptron(order="cyclic", max_passes=60).fit(X, y)
    if rule.certificate_ is not None:
        rule.certificate_.verify(X, y)
        assert not separability(X, y).separable
    bound = Perceptron(max_updates="bound", margin=1.0, max_passes=None).fit(X, y)
    if bound.stop_reason_.name == "BOUND":
        bound.certificate_.verify(X, y)
        assert margin(X, y).lower < 1.0
