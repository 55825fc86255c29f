"""A sentence about mistakes means what `predict` does, or its first words say how a score of exactly 0 is counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LiftedPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
    optimality,
    separability,
)
from rosenblatt.learn.choices import Reason

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TIES = st.sampled_from(["mistake", "plus", "minus", "correct"])
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def wrong(rule, X, y):
    return int((rule.predict(X) != y).sum())


@given(table=cases.tables(max_rows=8, max_columns=3), ties=TIES, bias=st.booleans())
def test_right_on_every_row_is_what_is_predicted(table, ties, bias):
    X, y = table
    shared = {"ties": ties, "fit_intercept": bias}
    for rule in (
        Perceptron(max_passes=30, **shared),
        AveragedPerceptron(max_passes=10, **shared),
        VotedPerceptron(max_passes=10, **shared),
        PocketPerceptron(improve=None, max_updates=30, random_state=0, **shared),
        KernelPerceptron(max_passes=10),
        LiftedPerceptron(fit_intercept=bias),
    ):
        rule.fit(X, y)
        if rule.stop_reason_ is Reason.SEPARATED:
            assert wrong(rule, X, y) == 0
        if rule.stop_reason_ in (Reason.QUIET, Reason.LIFTED):
            assert wrong(rule, X, y) > 0


@given(table=cases.tables(max_rows=8, max_columns=3), ties=TIES, bias=st.booleans())
def test_mistakes_are_counted_as_predicted(table, ties, bias):
    X, y = table
    pocket = PocketPerceptron(ties=ties, fit_intercept=bias, max_updates=20, max_passes=200, random_state=0).fit(X, y)
    assert pocket.mistakes_ == pocket.cost_ == optimality(X, y, pocket).upper == wrong(pocket, X, y)
    lifted = LiftedPerceptron(fit_intercept=bias).fit(X, y)
    assert lifted.training_mistakes_ == optimality(X, y, lifted).upper == wrong(lifted, X, y)


@given(table=cases.tables(max_rows=7, max_columns=2), ties=TIES, bias=st.booleans())
def test_a_verdict_without_first_words_is_about_predictions(table, ties, bias):
    """Whoever reads "right on all rows" may predict with these weights, a score of 0 being a no."""
    X, y = table
    verdict = separability(X, y, ties=ties, fit_intercept=bias)
    told = verdict.certificate.statement.removeprefix("Without a threshold, ").lower()
    if told.startswith("there are weights"):
        w = [float(k) for k in verdict.certificate.weights]
        assert (np.where(X @ w[:-1] + w[-1] * bias > 0, 1, -1) == y).all()
    elif not told.startswith("counting"):
        assert optimality(X, y, ties="minus", fit_intercept=bias).upper > 0


def test_first_words():
    assert separability(*XOR, ties="correct").certificate.statement == (
        "Counting a score of 0 as right for either class, zero weights are right on all 4 rows."
    )
    assert not str(separability(*XOR, ties="correct")).startswith("Linearly separable")
    assert optimality(*XOR, [0.0, 0.0, 0.0], ties="correct").statement.startswith(
        "Counting a score of 0 as right for either class, the rule makes 0 mistakes"
    )
    assert optimality(*XOR, [0.0, 0.0], ties="mistake", fit_intercept=False).statement.startswith(
        "Without a threshold, counting a score of 0 as a mistake, the rule makes 4 mistakes"
    )
    assert optimality(*XOR, [0.0, 0.0, 0.0]).statement.startswith("The rule makes 2 mistakes")
    assert optimality(*XOR, [0.0, 0.0, 0.0], ties="plus").statement.startswith("Counting a score of 0 as a yes")


def test_a_pocket_never_rests_on_ties():
    """Zero weights tie on every row; nothing is ever corrected, but what is predicted is counted and improved."""
    rule = PocketPerceptron(ties="correct", random_state=0).fit(*XOR)
    assert rule.mistakes_ == 1
    rule = PocketPerceptron(ties="correct", improve=None, random_state=0).fit(*XOR)
    assert (rule.mistakes_, rule.stop_reason_) == (2, Reason.QUIET)


def test_no_certificate_is_about_rows_that_were_scaled():
    rule = Perceptron(normalize=True, order="cyclic", max_passes=50).fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert rule.certificate_ is None


def test_the_mean_of_a_kernels_weights_is_what_predicts():
    rule = KernelPerceptron(kernel="linear", average=True).fit(X := [[-2.0, 2.0], [-1.0, 2.0]], y := [0, 1])
    assert (rule.stop_reason_ is Reason.SEPARATED) == (wrong(rule, X, y) == 0)
