"""Several classes at once, against exact rationals that know nothing of the library."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import gordan, naive_joint
from rosenblatt import AveragedPerceptron, Perceptron, margin, optimality, separability
from rosenblatt.learn.pla.joint_run_state import chosen
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.prove.solve import joint_separability
from rosenblatt.prove.solve.separability import Separable
from rosenblatt.rows.kesler import JointExamples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
TIES = st.sampled_from(["mistake", "plus", "minus", "correct"])


@given(cases.classed_tables(numbers=cases.near_one), TIES)
def test_a_cyclic_run_is_the_oracles_to_the_last_bit(table, ties):
    X, y, many = table
    rule = Perceptron(order="cyclic", ties=ties, max_passes=15, start="zeros").fit(X, y)
    corrected, W = naive_joint.cyclic(
        cases.with_bias(X), y.tolist(), np.zeros((many, X.shape[1] + 1)).tolist(), 15, ties
    )
    assert list(zip(rule.ledger_.rows.tolist(), rule.ledger_.rivals.tolist(), strict=True)) == corrected
    assert rule.weights_.tolist() == W
    examples = rule.examples_of(X, y)[0]
    assert rule.ledger_.replay(examples).reshape(many, -1).tolist() == W
    assert [step.row for step in rule.ledger_.steps(examples)] == [-1, *(i for i, _ in corrected)]


@given(cases.classed_tables())
def test_the_worst_order_is_the_oracles(table):
    X, y, many = table
    rule = Perceptron(order="worst", max_passes=12).fit(X, y)
    corrected, W = naive_joint.worst(cases.with_bias(X), y.tolist(), np.zeros((many, X.shape[1] + 1)).tolist(), 12)
    assert list(zip(rule.ledger_.rows.tolist(), rule.ledger_.rivals.tolist(), strict=True)) == corrected
    assert rule.weights_.tolist() == W


@given(cases.classed_tables())
def test_the_average_is_the_oracles(table):
    X, y, many = table
    rule = AveragedPerceptron(max_passes=5).fit(X, y)
    mean, last = naive_joint.averaged(cases.with_bias(X), y.tolist(), np.zeros((many, X.shape[1] + 1)).tolist(), 5)
    assert rule.last_weights_.tolist() == last
    assert rule.weights_.tolist() == [[float(a) for a in w] for w in mean]  # whole numbers: rounded once


@given(cases.classed_tables(numbers=cases.odd), st.integers(0, 2**32 - 1))
def test_the_class_chosen_is_that_of_the_exactly_largest_score(table, seed):
    X, y, many = table
    W = np.random.default_rng(seed).integers(-2, 3, (many, X.shape[1] + 1)) * 0.1
    examples = JointExamples.of(X, y)
    wanted = [naive_joint.predict(x, W.tolist()) for x in cases.with_bias(X)]
    assert chosen(examples.rows, W).tolist() == wanted
    assert chosen(JointExamples.of(sp.csr_array(X), y).rows, W).tolist() == wanted


@given(cases.classed_tables(max_rows=9, max_columns=3), st.booleans(), TIES)
def test_the_verdict_is_that_of_an_exact_simplex_and_its_certificate_holds(table, threshold, ties):
    X, y, many = table
    verdict = separability(X, y, fit_intercept=threshold, ties=ties)
    rows = cases.with_bias(X) if threshold else X.tolist()
    signed = naive_joint.signed_rows(rows, y.tolist(), many)
    pairs = [(own, r) for own in y.tolist() for r in range(many) if r != own]
    strict = [{"mistake": True, "minus": own > r, "plus": own < r, "correct": False}[ties] for own, r in pairs]
    assert verdict.separable is (not any(strict) or gordan.is_separable(signed, strict))
    assert Certificate.from_json(verdict.certificate.to_json()).verify(X, y) in str(verdict)


@given(cases.classed_tables(numbers=cases.near_one, max_rows=8, max_columns=2))
def test_with_few_pairs_at_a_time_the_verdict_is_the_same(table):
    X, y, _ = table
    examples, numbers = JointExamples.of(X, y), joint_separability.NUMBERS
    wanted = joint_separability.decide(examples)
    joint_separability.NUMBERS = joint_separability.FIRST_PAIRS = 0
    try:
        verdict = joint_separability.decide(examples)
        widest = joint_separability.largest(examples)
    finally:
        joint_separability.NUMBERS, joint_separability.FIRST_PAIRS = numbers, 20
    assert verdict.separable == wanted.separable
    verdict.certificate.verify(X, y)
    if wanted.separable:
        assert widest.gap <= 1e-6
        assert widest.lower == pytest.approx(joint_separability.largest(examples).lower, rel=1e-6)


@given(cases.classed_tables(max_rows=5, max_columns=1))
def test_the_margin_is_the_shortest_mixture_of_signed_rows(table):
    X, y, many = table
    found = margin(X, y)
    signed = naive_joint.signed_rows(cases.with_bias(X), y.tolist(), many)
    if isinstance(separability(X, y), Separable) and len(signed) <= 10:
        square = gordan.squared_margin(signed, [0] * len(signed))
        assert Fraction(found.lower) ** 2 <= square <= Fraction(found.upper) ** 2
        assert found.gap <= 1e-9
    elif not separability(X, y).separable:
        assert found.upper <= 0.0
    found.certificate.verify(X, y)


@given(cases.classed_tables(max_rows=7, max_columns=2))
def test_no_rule_makes_fewer_mistakes_than_the_lower_end(table):
    X, y, many = table
    interval = optimality(X, y)
    interval.verify(X, y)
    fewest = _fewest(X, y.tolist(), many)
    assert interval.lower <= fewest <= interval.upper
    assert interval.upper == len(naive_joint.mistakes(cases.with_bias(X), y.tolist(), _table(interval, many)))
    assert interval.lower == interval.upper  # as few rows are always settled


def _table(interval, many):
    w = list(interval.weights)
    return [w[k : k + len(w) // many] for k in range(0, len(w), len(w) // many)]


def _fewest(X, classes, many):
    """The fewest rows to leave out so that the rest can be right, as `predict` decides ties, by trying all."""
    rows, n = cases.with_bias(X), len(classes)
    for wrong in sorted(range(2**n), key=int.bit_count):
        kept = [i for i in range(n) if not wrong >> i & 1]
        if not kept:
            return n
        signed = naive_joint.signed_rows([rows[i] for i in kept], [classes[i] for i in kept], many)
        strict = [classes[i] > r for i in kept for r in range(many) if r != classes[i]]
        if not any(strict) or gordan.is_separable(signed, strict):
            return wrong.bit_count()
    return n
