"""What goes wrong under the rules as the lecture notes print them, and that the corrected ones hold."""

import numpy as np
import pytest
from hypothesis import given

import cases
from oracle import naive
from rosenblatt.learn import loss

IDENTITY = np.eye(2), [1, -1]


def test_strictly_less_from_zeros_never_starts():
    """The blog's `< 0` with w_0 = 0 returns w = 0, which separates nothing."""
    run, _ = cases.learn(*IDENTITY, "cyclic", ties="correct", bias=False)
    assert run.updates == 0
    assert not run.weights.any()


def test_strictly_less_from_the_first_row_can_stop_on_a_row():
    """Harchaoui's `< 0` with W_1 = y_1 x_1 stops at once with (0, 1) on the boundary."""
    run, _ = cases.learn(*IDENTITY, "cyclic", ties="correct", start=[1.0, 0.0, 0.0], bias=False)
    assert run.updates == 0
    assert naive.mistakes(np.eye(2).tolist(), [1, -1], run.weights[:2].tolist(), "mistake") == [1]


def test_under_sgn_0_plus_a_perfect_rule_may_never_be_found():
    """(0, -1) is right on every row under sgn(0) = +1, but no rule is right strictly, and the states repeat."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.5, 1.0]]), [1, 1, -1]
    assert not naive.mistakes(X.tolist(), y, [0.0, -1.0], "plus")
    for ties in ("plus", "mistake"):
        run, examples = cases.learn(X, y, "cyclic", ties=ties, bias=False, start=[-1.0, 0.5, 0.0], max_passes=60)
        assert run.reason.name == "MAX_PASSES"
        states = [step.weights.tobytes() for step in run.ledger.steps(examples)]
        assert len(set(states)) < len(states)


def test_after_the_first_row_one_more_is_needed_under_the_root():
    """With W_1 = y_1 x_1, ||W_{t+1}|| <= sqrt(t) is false at t = 1; sqrt(t + 1) holds."""
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    run, examples = cases.learn(X, [1, -1], "cyclic", start=[1.0, 0.0, 0.0], bias=False)
    norms = [step.norm for step in run.ledger.steps(examples)]
    assert norms[1] > 1.0
    assert all(norm <= (t + 1) ** 0.5 + 1e-12 for t, norm in enumerate(norms))


@given(cases.tables())
def test_the_one_line_update_is_the_rule_plus(table):
    X, y = table
    rows, w = np.array(cases.with_bias(X)), np.zeros(X.shape[1] + 1)
    for _ in range(3):
        for x, label in zip(rows, y, strict=True):
            w = loss.half_difference_step(x, label, w)
    run, _ = cases.learn(X, y, "cyclic", ties="plus", max_passes=3)
    assert run.reason.name == "SEPARATED" or run.weights.tolist() == w.tolist()
    if run.reason.name == "SEPARATED":
        assert run.weights.tolist() == w.tolist()


@given(cases.tables())
def test_gradient_descent_is_the_rule_that_its_choice_at_the_kink_makes_it(table):
    X, y = table
    rows = np.array(cases.with_bias(X))
    for at_kink, ties in ((1.0, "mistake"), (0.0, "correct")):
        w = np.zeros(X.shape[1] + 1)
        for _ in range(3):
            for x, label in zip(rows, y, strict=True):
                w = loss.gradient_step(x, label, w, at_kink=at_kink)
        run, _ = cases.learn(X, y, "cyclic", ties=ties, max_passes=3)
        assert run.weights.tolist() == w.tolist()


def test_the_one_line_update_as_printed_updates_rows_that_are_right():
    """sgn(y w . x) instead of sgn(w . x): a row labelled -1 is moved exactly when it is right."""
    x, y, w = np.array([1.0]), -1, np.array([-3.0])
    printed = w + (y - np.sign(y * (w @ x))) / 2 * x
    assert y * (w @ x) > 0
    assert printed != w
    assert loss.half_difference_step(x, y, w) == w


def test_the_loss_is_zero_at_zero_weights_and_falls_to_zero_on_a_separator():
    X, y = np.array([[2.0, 1.0], [-1.0, -3.0], [1.0, 2.0]]), [1, -1, 1]
    run, examples = cases.learn(X, y, "cyclic")
    along = [step.loss for step in run.ledger.steps(examples)]
    assert along[0] == 0.0  # the minimum of the loss, and a useless rule
    assert along[-1] == loss.perceptron_loss(examples, run.weights) == 0.0
    assert (
        loss.perceptron_loss(examples, -run.weights) == -(examples.labels * (np.c_[X, np.ones(3)] @ -run.weights)).sum()
    )


@pytest.mark.parametrize("seed", range(3))
def test_n_quiet_draws_do_not_prove_a_separator(seed):
    """Nath's step 4 with m = n draws stops with mistakes left in many runs; we say so instead of claiming success."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(40, 3)).astype(float)
    u = np.array([1.0, -2.0, 1.0])
    X = X[X @ u != 0]
    y = np.where(X @ u > 0, 1, -1)
    reasons = [cases.learn(X, y, "random", rng=s, patience=len(X), max_passes=10_000)[0].reason.name for s in range(40)]
    assert reasons.count("PATIENCE") > 4
