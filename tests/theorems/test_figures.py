"""Small statements of the notes that have no place elsewhere: what one update does, and what scaling rows does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import cases
from rosenblatt import bounds, margin


@given(cases.separable_tables(), st.sampled_from(cases.ORDERS))
def test_every_update_goes_along_the_separator_by_the_margin_or_more(table, order):
    X, y, u = table
    run, examples = cases.learn(X, y, order, bias=False)
    along = np.array([step.weights[:-1] @ u for step in run.ledger.steps(examples)])
    assert (np.diff(along) >= (y * (X @ u)).min()).all()


def test_one_update_may_be_too_little_and_may_break_another_row():
    too_little = np.array([-5.0, 0.0]) + np.array([1.0, 1.0])
    assert too_little @ [1.0, 1.0] < 0  # after a correction of x = (1, 1), y = +1, it is still wrong
    X, y = np.array([[3.0, 1.0], [3.0, -1.0]]), [1, -1]
    run, examples = cases.learn(X, y, "cyclic", start=[-1.0, 1.0, 0.0], bias=False, max_updates=1)
    before, after = (y * (X @ step.weights[:-1]) > 0 for step in run.ledger.steps(examples))
    assert before.tolist() == [False, True]
    assert after.tolist() == [True, False]


def test_rows_of_length_one_have_another_margin_and_another_widest_rule():
    X, y = np.array([[4.0, 1.0], [0.0, 1.0], [-1.0, -3.0]]), [1, 1, -1]
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    plain, unit = (margin(rows, y, fit_intercept=False) for rows in (X, units))
    a, b = (np.array(found.weights) / np.linalg.norm(found.weights) for found in (plain, unit))
    assert abs(a @ b) < 0.999
    assert plain.lower != unit.lower


@given(cases.separable_tables(), st.floats(0.01, 3.0))
def test_no_loss_on_any_row_means_the_margin(table, share):
    X, y, u = table
    scores = y * (X @ u)
    gamma = share * scores.min()
    assert (bounds.hinge_losses(scores, gamma).sum() == 0) == (gamma <= scores.min())
