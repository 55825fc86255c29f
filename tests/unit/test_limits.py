"""Limits of time and work: every stage asks, ends soon, and says the truth about what it knows."""

import threading
from importlib import import_module

import numpy as np
import pytest
from numba.core import event
from scipy.sparse import csr_array, hstack
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron, PocketPerceptron, Reason, separability
from rosenblatt.geometry import wolfe
from rosenblatt.learn.pocket import staircase
from rosenblatt.learn.tree import canonical_rows, growing
from rosenblatt.learn.tree.canonical_rows import TreeRows
from rosenblatt.learn.tree.tree import ColumnHead, Columns, Stop
from rosenblatt.learn.tree.tree_options import Plan
from rosenblatt.prove.check import sweep
from rosenblatt.prove.solve import joint_separability, margin, negative_margin, optimality, rational
from rosenblatt.prove.solve.clock import Clock, TimeIsUp
from rosenblatt.prove.solve.separability import Undecided, decide
from rosenblatt.rows import timing
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kesler import JointExamples


class CountingClock(Clock):
    """A clock that is late after so many asks, and counts those that come all the same."""

    def __init__(self, most_asks):
        super().__init__(most_asks=most_asks)
        self.too_late = 0

    def late(self, work=0.0):
        late = super().late(work)
        self.too_late += late
        return late


def categories(rng, n, sizes):
    """Sparse rows of zeros and ones, one for each value of several columns: their features depend on each other."""
    parts = [csr_array((np.ones(n), (np.arange(n), rng.integers(many, size=n))), (n, many)) for many in sizes]
    return hstack(parts, format="csr")


def tables(rng):
    """Tables whose proofs go through floats, whole numbers, facets and sweeps."""
    noise = rng.integers(2, size=30)
    yield "noise", rng.normal(size=(30, 4)), noise
    yield "two columns", np.round(rng.normal(size=(30, 2)), 1), noise
    yield "separable", (X := rng.normal(size=(40, 5))), (X[:, 0] > 0).astype(int)
    yield "thin", np.array([[0.0, 1e-9], [1.0, 0.0], [1.0, 1e-9], [0.0, 0.0]]), np.array([1, 0, 1, 0])
    yield "categories", categories(rng, 60, (6, 5, 4)), rng.integers(2, size=60)


class TestCompiling:
    def test_does_not_count(self, monkeypatch):
        import_module("rosenblatt.rows.specialising")  # which listens from the first kernel on
        moment = 0.0
        monkeypatch.setattr(timing.time, "monotonic", lambda: moment)
        before = timing.now()
        moment = 1.0
        event.start_event("numba:compiler_lock")
        event.start_event("numba:compiler_lock")  # a kernel that the first one calls
        moment = 5.0
        event.end_event("numba:compiler_lock")
        moment = 8.0
        event.end_event("numba:compiler_lock")
        moment = 8.5
        assert timing.now() - before == 1.5

    def test_of_another_thread_counts_nothing_here(self, monkeypatch):
        moment = 0.0
        monkeypatch.setattr(timing.time, "monotonic", lambda: moment)
        before = timing.now()
        thread = threading.Thread(target=event.start_event, args=("numba:compiler_lock",))
        thread.start()
        thread.join()
        moment = 3.0
        assert timing.now() - before == 3.0


class TestProofs:
    @pytest.mark.parametrize("asks", [0, 1, 2, 3, 5, 8, 13, 30, 80, 200])
    def test_end_soon_after_the_time_is_up(self, asks, rng):
        for name, X, y in tables(rng):
            examples = Examples.of(X, y)
            for prove in (
                lambda e, clock: decide(e, clock=clock),
                lambda e, clock: margin.largest(e, clock=clock),
                lambda e, clock: margin.largest(e, affine=True, clock=clock),
                lambda e, clock: optimality.interval(e, None, "mistake", np.random.default_rng(0), clock),
            ):
                clock = CountingClock(asks)
                found = prove(examples, clock)
                assert clock.too_late < 20, name
                certificate = getattr(found, "certificate", found)
                if hasattr(certificate, "verify"):
                    certificate.verify(X, y)
                elif not isinstance(found, Undecided):
                    assert found.certificate is None
                    assert str(found) == "No margin could be proved within the limits of time and memory."

    def test_a_large_system_of_whole_numbers_is_left_in_the_middle(self):
        asked = 0

        def keep_time(work):
            nonlocal asked
            asked += 1
            if asked == 500:
                raise TimeIsUp

        rng = np.random.default_rng(0)
        system = rng.integers(-5, 6, size=(60, 61)).tolist()
        with pytest.raises(TimeIsUp):
            rational.solve(system, keep_time)
        asked = 501
        rational.solve(system, keep_time)
        assert asked == 501 + 60 * 59 // 2 + 60  # a row of each elimination, and of the substitution

    def test_of_many_categories_keep_to_their_seconds(self):
        rng = np.random.default_rng(0)
        X, y = categories(rng, 2000, (150, 130, 120)), rng.integers(2, size=2000)
        begun = timing.now()
        verdict = separability(X, y, max_seconds=0.5)
        assert timing.now() - begun < 20
        assert isinstance(verdict, Undecided) or verdict.certificate.verify(X, y)  # on a machine that is fast enough

    def test_a_sweep_is_left_in_the_middle(self, rng):
        examples = Examples.of(np.round(rng.normal(size=(50, 2)), 1), rng.integers(2, size=50))
        with pytest.raises(TimeIsUp):
            sweep.fewest(examples, keep_time=CountingClock(40).keep_time)

    def test_a_ball_is_bounded_from_below_even_without_time(self, rng):
        X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
        known = negative_margin.widest(Examples.of(X, y), False, Clock())
        late = negative_margin.widest(Examples.of(X, y), False, CountingClock(0))
        assert late[0] <= known[0] <= known[1] <= late[1] == 0.0

    def test_the_search_for_a_small_set_is_told_how_long_it_may_take(self, monkeypatch):
        told = {}
        milp = optimality.scipy.optimize.milp
        monkeypatch.setattr(
            optimality.scipy.optimize, "milp", lambda *a, options, **k: told.update(options) or milp(*a, **k)
        )
        sets, costs = [(0, 1), (1, 2)], np.ones(3, np.int64)
        assert optimality.cheap_hitting_set(sets, costs, Clock(2.5)).tolist() == [1]
        assert told["node_limit"] == optimality.NODES
        assert 0 < told["time_limit"] <= 2.5
        told.clear()
        assert optimality.cheap_hitting_set(sets, costs, Clock(most_work=1.0)).tolist() == [1]
        assert told == {"node_limit": 1}


class TestWorkInParts:
    @pytest.mark.parametrize("work", [1.0, 1e3, 1e5])
    def test_the_shortest_vector_is_the_same(self, work, rng, monkeypatch):
        points, groups = rng.normal(size=(80, 12)) + 0.7, np.ones((80, 1))
        whole = wolfe.nearest(points, groups, np.arange(9))
        monkeypatch.setattr(wolfe, "WORK", work)
        asks = 0

        def stop(work):
            nonlocal asks
            asks += 1
            return False

        parts = wolfe.nearest(points, groups, np.arange(9), stop=stop)
        assert whole.settled
        assert parts.settled
        assert np.allclose(parts.x, whole.x, rtol=1e-9, atol=0)
        assert whole.work > 0
        assert asks > (10 if work == 1.0 else 1)

    def test_a_soft_start_is_the_same(self, rng, monkeypatch):
        points = rng.normal(size=(200, 6)) + 0.3
        whole = wolfe.soft(points, 6, 40.0, None)
        monkeypatch.setattr(wolfe, "WORK", 4 * 6 * 6 / 2)
        assert wolfe.soft(points, 6, 40.0, None).w.tobytes() == whole.w.tobytes()

    @pytest.mark.parametrize("asks", range(4))
    def test_what_is_stopped_is_not_settled(self, asks, rng):
        clock = CountingClock(asks)
        points = rng.normal(size=(300, 40)) + 0.1
        assert not wolfe.nearest(points, np.ones((300, 1)), np.arange(1), stop=clock.late).settled or asks > 1
        assert clock.too_late <= 2

    def test_to_be_right_on_one_more_row_has_a_budget(self, rng, monkeypatch):
        X, y = rng.normal(size=(120, 8)), rng.integers(2, size=120)
        asked = []
        nearest = wolfe.nearest
        monkeypatch.setattr(wolfe, "nearest", lambda *a, **k: asked.append(0) or nearest(*a, **k))
        PocketPerceptron(random_state=0, patience=1).fit(X, y)
        many = len(asked)
        asked.clear()
        monkeypatch.setattr(staircase, "TAKING_IN", 0.0)
        rule = PocketPerceptron(random_state=0, patience=1).fit(X, y)
        assert len(asked) < many
        assert rule.stop_reason_ is Reason.SETTLED


def late_after(calls):
    """A function that is False so often, and then True."""
    left = calls

    def interrupted():
        nonlocal left
        left -= 1
        return left < 0

    return interrupted


@pytest.mark.parametrize("calls", [0, 1, 2, 4, 7, 12, 20, 35])
@pytest.mark.parametrize("leaves", ["class", "perceptron"])
def test_ctrl_c_within_a_level_of_a_tree_leaves_a_tree(calls, leaves, rng):
    X, labels = rng.normal(size=(80, 3)), rng.integers(2, size=80)
    columns = Columns(tuple(ColumnHead(name) for name in "abc"), np.ascontiguousarray(X.T))
    rows = TreeRows.of(columns, labels, *canonical_rows.whole_costs(np.empty(0), np.ones(2), labels))
    nodes = growing.grow(rows, Plan(leaves=leaves), late_after(calls))
    assert [node.number for node in nodes] == list(range(len(nodes)))
    assert {child for node in nodes for child in node.children} == set(range(1, len(nodes)))
    assert any(node.stop is Stop.INTERRUPTED for node in nodes)
    assert all((node.test is None) == (node.stop is not None) for node in nodes)


def test_a_run_that_was_long_is_not_gone_through_again_when_its_time_is_up(monkeypatch):
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]  # whole weights, which come back
    with pytest.warns(ConvergenceWarning):
        assert Perceptron(max_passes=None, max_seconds=0.5).fit(X, y).certificate_ is not None
    monkeypatch.setattr("rosenblatt.rules.linear.perceptron.A_SECOND", 1.0)
    with pytest.warns(ConvergenceWarning):
        assert Perceptron(max_passes=None, max_seconds=0.01).fit(X, y).certificate_ is None
    with pytest.warns(ConvergenceWarning):
        assert Perceptron(max_passes=50).fit(X, y).certificate_ is not None


def test_wide_tables_of_several_classes_are_proved_in_bounded_memory(rng, monkeypatch):
    monkeypatch.setattr(joint_separability, "NUMBERS", 2000)
    monkeypatch.setattr(joint_separability, "MOST_NUMBERS", 4000)
    held = []
    real = joint_separability.JointExamples.signed

    def noted(examples, rows, rivals, **how):
        held.append(rows.size * (examples.width - 1) * 2)
        return real(examples, rows, rivals, **how)

    monkeypatch.setattr(joint_separability.JointExamples, "signed", noted)
    y, undecided = np.arange(60) % 4, 0
    for features in (30, 12, 6, 2):
        X = rng.normal(size=(60, features))
        found = joint_separability.decide(JointExamples.of(X, y), learning=False)
        if found.separable is None:
            assert "too many of these long rows in memory" in str(found)
            undecided += 1
        else:
            found.certificate.verify(X, y)
    assert max(held) <= 4000 + 2 * 31 * 12  # a row of every class, whatever there is room for
    assert undecided < 4


def test_a_limit_is_named_as_the_reason_that_there_is_no_verdict(rng, monkeypatch):
    monkeypatch.setattr("rosenblatt.geometry.working_set.MOST", 10)
    X = rng.normal(size=(300, 200))
    verdict = separability(X, rng.integers(0, 2, 300), max_seconds=1e-9)
    assert str(verdict) == "Undecided. Time ran out before there was a proof either way."


@pytest.mark.parametrize("classes", [2, 3])
def test_where_time_is_short_fewer_rows_bound_the_margin(classes, rng, monkeypatch):
    X = rng.normal(size=(300, 200))
    y = np.arange(300) % classes
    X[np.arange(300), y] += 5.0
    monkeypatch.setattr("rosenblatt.prove.solve.separability.MANY", 10)
    whole = separability(X, y).certificate
    monkeypatch.setattr("rosenblatt.prove.solve.separability.SUPPORT", 2000)
    short = separability(X, y, max_seconds=100.0).certificate
    for proof in (whole, short):
        proof.verify(X, y)
    assert len(short.support) < 10 < len(whole.support)
    assert short.lower == whole.lower <= whole.upper <= short.upper
