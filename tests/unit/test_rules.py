"""Every choice has a name; a wrong one is refused; every run ends with its reason."""

from contextlib import nullcontext
from itertools import count

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import cases
import rosenblatt
from rosenblatt.errors import OptionError
from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget, Reason
from rosenblatt.rows.examples import Examples

CONTRADICTION = np.array([[1.0], [1.0], [2.0]]), [1, -1, 1]


@pytest.mark.parametrize(
    ("order", "budget", "reason"),
    [
        ("active", {"max_passes": 9}, Reason.MAX_PASSES),
        ("cyclic", {"max_passes": 9}, Reason.MAX_PASSES),
        ("random", {"max_passes": 9}, Reason.MAX_PASSES),
        ("random-mistake", {"max_passes": 9}, Reason.MAX_PASSES),
        ("worst", {"max_passes": 9}, Reason.MAX_PASSES),
        ("random", {"patience": 1, "max_passes": None}, Reason.PATIENCE),
        *((order, {"max_updates": 7, "max_passes": None}, Reason.MAX_UPDATES) for order in choices.Order),
        *((order, {"max_seconds": 0.02, "max_passes": None}, Reason.MAX_SECONDS) for order in choices.Order),
    ],
)
def test_every_budget_ends_a_run_that_cannot_end(order, budget, reason):
    run, examples = cases.learn(*CONTRADICTION, order, **budget)
    assert run.reason is reason
    assert str(reason).endswith(".")
    if "max_updates" in budget:
        assert run.updates == 7
    if budget.get("max_passes"):
        assert run.examples_seen <= 9 * examples.n
    assert run.ledger.replay(examples).tobytes() == run.weights.tobytes()


@pytest.mark.parametrize("field", ["max_passes", "max_updates", "patience"])
@pytest.mark.parametrize("number", [0, -3, 2.5, True])
def test_bad_budgets_are_refused(field, number):
    with pytest.raises(OptionError, match=field):
        Budget(**{field: number})


@pytest.mark.parametrize("seconds", [0, -1.0])
def test_bad_times_are_refused(seconds):
    with pytest.raises(OptionError, match="max_seconds"):
        Budget(max_seconds=seconds)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(OptionError, match="'active', 'cyclic'"):
        choices.order_named("shuffled")
    with pytest.raises(OptionError, match="'mistake', 'plus', 'minus', 'correct'"):
        choices.ties_named("maybe")


def test_starts():
    examples = Examples.of([[2.0, 3.0], [1.0, 1.0]], [0, 1])
    rng = np.random.default_rng
    assert choices.start_weights("zeros", examples, rng(0)).tolist() == [0, 0, 0]
    assert choices.start_weights("first", examples, rng(0)).tolist() == [-2, -3, -1]
    assert choices.start_weights("random", examples, rng(0)).tolist() == rng(0).standard_normal(3).tolist()
    assert choices.start_weights([5, 6], examples, rng(0)).tolist() == [5, 6, 0]
    assert choices.start_weights([5, 6, 7], examples, rng(0)).tolist() == [5, 6, 7]


def test_the_first_start_is_the_first_row_that_counts():
    examples = Examples.of([[2.0], [3.0], [4.0]], [0, 1, 0], weights=[0, 1, 1])
    assert choices.start_weights("first", examples, np.random.default_rng()).tolist() == [3, 1]


def test_without_a_threshold_its_weight_stays_zero():
    examples = Examples.of([[2.0], [-3.0]], [0, 1], fit_intercept=False)
    assert choices.start_weights("random", examples, np.random.default_rng(0))[-1] == 0
    with pytest.raises(OptionError, match="fit_intercept is False"):
        choices.start_weights([1.0, 1.0], examples, np.random.default_rng())


@pytest.mark.parametrize("start", ["ones", [1.0], [1.0] * 5, [np.nan, 0.0], [[1.0, 2.0]] * 2, ["x", 1.0], None])
def test_bad_starts_are_refused(start):
    with pytest.raises(OptionError, match="start"):
        choices.start_weights(start, Examples.of([[2.0, 3.0], [1.0, 1.0]], [0, 1]), np.random.default_rng())


def test_random_mistake_is_uniform_among_the_mistakes():
    """From zeros all rows are mistakes; the first correction is any of them, equally often."""
    X, y = np.eye(4), [1, -1, 1, -1]
    first = [cases.learn(X, y, "random-mistake", rng=s, bias=False)[0].ledger.rows[0] for s in range(400)]
    assert np.bincount(first, minlength=4).min() > 70


def test_random_runs_are_reproduced_by_their_seed():
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    a, b, c = (cases.learn(X, y, "random", rng=s, max_passes=20)[0] for s in (1, 1, 2))
    assert a.weights.tobytes() == b.weights.tobytes() != c.weights.tobytes()


def test_several_runs_share_the_seconds_that_are_left(monkeypatch):
    moment = 0.0
    monkeypatch.setattr("rosenblatt.rows.timing.now", lambda: moment)
    shared = choices.shares(Budget(max_passes=7, max_seconds=12.0), 4)
    seconds = []
    for taken in (3.0, 1.0, 20.0, 0.0):  # its share, less, and far more than there is
        share = next(shared)
        assert share.max_passes == 7
        seconds.append(share.max_seconds)
        moment += taken
    assert seconds == [3.0, 3.0, 4.0, choices.MOMENT]
    assert [share.max_seconds for share in choices.shares(Budget(), 3)] == [None] * 3


RULES = [
    lambda: rosenblatt.Perceptron(max_seconds=8.0, max_passes=None, multi_class="one-vs-rest"),
    lambda: rosenblatt.PocketPerceptron(max_seconds=8.0, multi_class="one-vs-rest"),
    lambda: rosenblatt.MarginPerceptron(max_seconds=8.0, max_passes=None),
    lambda: rosenblatt.LiftedPerceptron(max_seconds=8.0, max_passes=None),
    lambda: rosenblatt.KernelPerceptron(max_seconds=8.0, max_passes=None),
]


@pytest.mark.parametrize("made", RULES, ids=lambda made: type(made()).__name__)
def test_max_seconds_are_for_all_rules_of_several_classes(made, monkeypatch, rng):
    moments = count(0.0, 0.5)  # each look at the clock is half a second after the last
    monkeypatch.setattr("rosenblatt.rows.timing.now", lambda: next(moments))
    X, y = np.ones((12, 2)), np.arange(12) % 4  # nothing separates these
    with pytest.warns(ConvergenceWarning) if "Pocket" not in type(made()).__name__ else nullcontext():
        made().fit(X, y)
    assert next(moments) < 8.0 + 4 * 6 * 0.5  # some looks of each of four rules find it spent
