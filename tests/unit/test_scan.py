"""Passes with fixed weights go through the scan of their examples, and are as many as is said."""

from dataclasses import replace

import numpy as np
import pytest

from rosenblatt.learn import costs
from rosenblatt.learn.choices import TIES, Budget, Order, Reason
from rosenblatt.learn.lifted import lifted
from rosenblatt.learn.passes import averaged
from rosenblatt.learn.passes.averaged_kernels import OnMistakes
from rosenblatt.learn.pla import active, joint_pla, pla
from rosenblatt.learn.pla.joint_run_state import wrong_rows
from rosenblatt.learn.pocket import pocket
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.margin import as_far_as_floats_go
from rosenblatt.prove.solve.separability import decide
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kesler import JointExamples
from unit.scans import CountingScan, StretchingScan

MISTAKE = TIES["mistake"]


def parted(n, seed=0, weights=None):
    """Separable examples, whose passes are counted."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    score = X @ [1.0, -2.0, 0.5, 0.0, 1.0] + 0.3
    X += 0.05 * np.sign(score)[:, np.newaxis] * [1.0, -2.0, 0.5, 0.0, 1.0]
    return replace(Examples.of(X, score > 0, weights=weights), scan=CountingScan())


def zeros(examples):
    return np.zeros(examples.size)


@pytest.mark.parametrize("seed", range(3))
def test_the_active_order_makes_as_many_full_passes_as_it_reports(seed):
    examples = parted(30_000, seed)
    run = pla.learn(examples, zeros(examples), order=Order.ACTIVE)
    assert run.reason is Reason.SEPARATED
    assert run.passes > 1
    assert examples.scan.asked == ["Mistakes"]
    assert examples.scan.looks[-1][1:] == (0, examples.n)
    # the first stretch is corrected row by row; all others are found with fixed weights
    assert examples.scan.rows == run.passes * examples.n - active.FIRST_STRETCH


def test_in_cycles_rows_are_corrected_as_they_are_met():
    examples = parted(500)
    run = pla.learn(examples, zeros(examples), order=Order.CYCLIC)
    assert run.passes >= 1
    assert not examples.scan.looks


def test_the_worst_row_costs_a_full_pass_each_time():
    examples = parted(2_000)
    run = pla.learn(examples, zeros(examples), order=Order.WORST)
    passes = [look for look in examples.scan.looks if look == ("Worst", 0, examples.n)]
    assert len(passes) == run.passes == run.updates + 1
    assert examples.scan.rows == (run.passes + 1) * examples.n  # and one to make sure that no row is wrong


def test_draws_end_with_a_look_at_all_rows():
    examples = parted(2_000)
    run = pla.learn(examples, zeros(examples), order=Order.RANDOM, rng=np.random.default_rng(0))
    assert run.reason is Reason.SEPARATED
    assert run.passes * examples.n >= examples.scan.rows >= examples.n


def test_a_verdict_rests_on_passes_through_the_scan():
    examples = parted(3_000)
    assert decide(examples, learning=False).separable
    assert examples.scan.asked == ["Margins", "Mistakes"]
    assert examples.scan.looks[-1][1:] == (0, examples.n)
    crossed = replace(examples, labels=-examples.labels * np.where(np.arange(examples.n) % 2, 1, -1).astype(np.int8))
    assert decide(crossed, learning=False).separable is False
    assert crossed.scan.asked[-1] == "Mistakes"


def test_the_largest_margin_rests_on_passes_through_the_scan():
    examples = parted(3_000)
    assert as_far_as_floats_go(examples, False, Clock(None)) is not None
    assert set(examples.scan.asked) == {"Margins"}


def test_a_pocket_is_priced_through_the_scan():
    examples = parted(400)
    w = -np.ones(examples.size)
    assert 0 < costs.cost(examples, w, MISTAKE) < examples.n
    assert examples.scan.looks == [("Mistakes", 0, examples.n)]
    ties, budget = TIES["correct"], Budget(max_updates=5)
    run = pocket.learn(examples, w, ties=ties, budget=budget, rng=np.random.default_rng(0))
    assert examples.scan.looks[1:] == [("Mistakes", 0, examples.n)]  # the cost, as mistakes are counted in the end
    assert run.cost == costs.cost(examples, run.weights, TIES["minus"])


def test_an_average_is_right_once_a_pass_says_so():
    examples = parted(1_000)
    run = averaged.learn(examples, zeros(examples), OnMistakes(MISTAKE), ties=MISTAKE)
    assert run.reason is Reason.SEPARATED
    assert examples.scan.rows >= examples.n
    assert examples.scan.looks[-1][2] == examples.n


def test_lifted_rows_are_counted_through_the_scan():
    weights = np.arange(300) % 4 / 2
    examples = parted(300, weights=weights)
    run = lifted.learn(examples, 1.0)
    assert not examples.scan.looks
    assert lifted.count(examples, run) == 0
    assert lifted.count(examples, replace(run, weights=-run.weights, own=0.0 * run.own)) == examples.n_copies
    lifted.best_reference(examples, [run.weights])
    assert examples.scan.looks == 2 * [("LiftedMistakes", 0, 300)] + [("MarginsInOrder", 0, 300)]


def test_several_classes_are_looked_at_through_the_scan():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3)) + 6.0 * np.eye(3)[np.arange(400) % 3]
    examples = replace(JointExamples.of(X, np.arange(400) % 3), scan=CountingScan())
    start = np.zeros((3, examples.width))
    run = joint_pla.learn(examples, start, order=Order.WORST, budget=Budget(max_passes=20))
    worst = [look for look in examples.scan.looks if look[0] == "WorstOfClasses"]
    assert worst == [("WorstOfClasses", 0, 400)] * run.passes
    wrong_rows(examples, run.weights)
    assert examples.scan.looks[-1] == ("Choices", 0, 400)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_answers_do_not_depend_on_the_stretches(size, monkeypatch):
    monkeypatch.setattr(find, "STRETCH", 16)
    monkeypatch.setattr(find, "FIRST_STRETCH", 40)
    weights = np.arange(200) % 3 / 2
    whole = parted(200, weights=weights)
    cut = replace(whole, scan=StretchingScan(size))
    w = np.random.default_rng(2).normal(size=whole.size)
    for asked in (
        lambda examples: np.concatenate(find.find(examples, w, MISTAKE, band=0.5)),
        lambda examples: np.concatenate(find.find(examples, w, MISTAKE, band=0.5, first=31, last=170)),
        lambda examples: find.find_first(examples, w, MISTAKE, 3),
        lambda examples: find.find_first(examples, w, MISTAKE, 1000),
        lambda examples: np.array(find.worst(examples, w)),
        lambda examples: find.margins(examples, w),
        lambda examples: find.margins(examples, w, every=3),
        lambda examples: np.array(lifted.count(examples, lifted.learn(examples, 1.0, budget=Budget(max_updates=9)))),
    ):
        assert asked(whole).tobytes() == asked(cut).tobytes()


def test_a_first_mistake_is_sought_no_further_than_needed():
    examples = parted(50_000)
    wrong = find.find(examples, -np.ones(examples.size), MISTAKE)[0]
    examples.scan.looks.clear()
    assert find.find_first(examples, -np.ones(examples.size), MISTAKE, 1).tolist() == wrong[:1].tolist()
    assert examples.scan.rows < examples.n / 2
    assert not find.find_first(examples, pla.learn(examples, zeros(examples)).weights, MISTAKE, 1).size
