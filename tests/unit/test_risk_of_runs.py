"""The bound of a run: which rows it keeps, which errors it counts, and what it refuses."""

import numpy as np
import pytest

import cases
from rosenblatt.errors import LedgerError, OptionError
from rosenblatt.learn.choices import TIES, Budget
from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.pocket import pocket
from rosenblatt.prove.theory import risk
from rosenblatt.rows.examples import Examples


def test_of_run_counts_distinct_rows(rng):
    X = rng.normal(size=(2000, 3))
    y = np.where(X @ [1, 2, 3] > 0.5, 1, -1)
    run, examples = cases.learn(X, y, "cyclic", max_passes=5000)
    kept = len(set(run.ledger.rows.tolist()))
    assert kept < run.updates
    assert risk.of_run(examples, run, "cyclic") == risk.compression(2000, kept, 0)
    assert risk.of_run(examples, run.ledger, "cyclic", delta=0.01) == risk.compression(2000, kept, 0, 0.01)


def test_of_run_that_was_stopped_counts_errors_on_the_others(rng):
    X = rng.normal(size=(2000, 3))
    y = np.where((X @ [1, 2, 3] > 0.5) ^ (rng.random(2000) < 0.01), 1, -1)
    run, examples = cases.learn(X, y, "cyclic", max_updates=40)
    kept = np.unique(run.ledger.rows)
    wrong = (y > 0) != (X @ run.weights[:-1] + run.weights[-1] > 0)
    errors = int(np.delete(wrong, kept).sum())
    assert 0 < errors < int(wrong.sum())
    assert risk.of_run(examples, run, "cyclic") == risk.compression(2000, kept.size, errors, updates=40)


def test_ties_are_errors_as_they_are_predicted():
    """Under "correct" nothing is ever corrected from zeros: the rule predicts -1 everywhere, and errs on every +1."""
    run, examples = cases.learn(np.eye(6), [1, 1, 1, 1, -1, -1], "cyclic", ties="correct")
    assert risk.of_run(examples, run, "cyclic", "correct") == risk.compression(6, 0, 4)
    run, examples = cases.learn(np.eye(6), [1, 1, 1, 1, -1, -1], "cyclic", ties="plus", bias=False)
    assert risk.of_run(examples, run, "cyclic", "plus") == risk.compression(6, 2, 0)


def test_a_start_at_the_first_row_keeps_it():
    X, y = np.array([[3.0, 1], [-3, 1], [2, 1], [-2, 1]]), np.array([1, -1, 1, -1])
    run, examples = cases.learn(X, y, "cyclic", bias=False, start=[3, 1, 0])
    assert run.updates == 0
    assert risk.of_run(examples, run, "cyclic") == risk.compression(4, 1, 0)


def test_other_starts_are_refused():
    run, examples = cases.learn(np.eye(2), [1, -1], "cyclic", start=[1, 2, 3])
    with pytest.raises(OptionError, match="start must be zeros or the first row"):
        risk.of_run(examples, run, "cyclic")


def test_weights_are_refused():
    run, examples = cases.learn(np.eye(2), [1, -1], "cyclic", weights=[1, 2])
    with pytest.raises(OptionError, match="without weights"):
        risk.of_run(examples, run, "cyclic")


def test_a_run_of_another_order_or_tie_rule_is_refused(rng):
    X = rng.normal(size=(300, 3))
    run, examples = cases.learn(X, np.where(X @ [1, 2, 3] > 0.2, 1, -1), "worst", max_passes=5000)
    with pytest.raises(OptionError, match="'cyclic', depends on other rows"):
        risk.of_run(examples, run, "cyclic")
    with pytest.raises(OptionError, match="order must be one of"):
        risk.of_run(examples, run, "best")
    with pytest.raises(OptionError, match="ties must be one of"):
        risk.of_run(examples, run, "worst", "never")
    with pytest.raises(LedgerError):
        risk.of_run(examples, Ledger(np.zeros(4), 299), "worst")


def test_a_pocket_is_compressed_up_to_the_weights_it_keeps(rng):
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] > 0) ^ (rng.random(2000) < 0.05)
    examples, budget = Examples.of(X, y), Budget(max_updates=300, patience=1)
    shared = {"ties": TIES["mistake"], "budget": budget, "rng": rng}
    run = pocket.learn(examples, np.zeros(4), **shared)
    kept = np.unique(run.ledger.rows[: run.kept_at])
    wrong = np.flatnonzero(examples.labels * (X @ run.weights[:-1] + run.weights[-1]) <= 0)
    expected = risk.compression(2000, kept.size, np.setdiff1d(wrong, kept).size, updates=run.kept_at)
    assert risk.of_run(examples, run, "random-mistake") == expected
    assert kept.size < np.unique(run.ledger.rows).size
    improved = pocket.improved(run, examples, begun=0.0, **shared)
    with pytest.raises(OptionError, match="found by a descent"):
        risk.of_run(examples, improved, "random-mistake")
