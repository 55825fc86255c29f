"""Weights of any size: a run ends, or the weights are refused, and the reason says which."""

import warnings
from copy import deepcopy

import numpy as np
import pytest

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LiftedPerceptron,
    MarginPerceptron,
    OnlinePerceptron,
    PassiveAggressive,
    Perceptron,
    PerceptronCV,
    PerceptronTree,
    PocketPerceptron,
    Reason,
    SoftMarginPerceptron,
    VotedPerceptron,
)
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn import run_state

N = 40
HEAVY = {
    "1e12": np.full(N, 1e12),
    "1e9": np.full(N, 1e9),
    "light beside heavy": np.where(np.arange(N) % 2, 1e-300, 1e10),
    "1 beside 1e7": np.where(np.arange(N) % 2, 1.0, 1e7),
    "one heavy": np.where(np.arange(N) == 7, 1e12, 1.0),
    "1e-300": np.full(N, 1e-300),
    "least": np.full(N, 5e-324),
}
RULES = {
    "active": Perceptron(max_passes=20),
    "cyclic": Perceptron(order="cyclic", max_passes=20),
    "random": Perceptron(order="random", max_passes=20, random_state=0),
    "random mistake": Perceptron(order="random-mistake", max_passes=20, random_state=0),
    "worst": Perceptron(order="worst", max_passes=20),
    "pocket": PocketPerceptron(random_state=0),
    "pocket of the notes": PocketPerceptron(improve=None, random_state=0),
    "ratchet": PocketPerceptron(improve=None, ratchet=True, random_state=0),
    "averaged": AveragedPerceptron(),
    "shuffled": AveragedPerceptron(shuffle=True, random_state=0),
    "voted": VotedPerceptron(),
    "margin": MarginPerceptron(),
    "passive-aggressive": PassiveAggressive(),
    "lifted": LiftedPerceptron(max_passes=20),
    "soft margin": SoftMarginPerceptron(),
    "chosen": PerceptronCV(),
    "kernel": KernelPerceptron(max_passes=20),
    "tree": PerceptronTree(),
}
ONE_BY_ONE = ("shuffled", "passive-aggressive", "lifted")  # every copy has a place of its own


@pytest.mark.parametrize("weights", HEAVY)
@pytest.mark.parametrize("name", RULES)
def test_weights_of_any_size_end_or_are_refused(name, weights, rng):
    X = rng.normal(size=(N, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=N) > 0).astype(int)
    rule = deepcopy(RULES[name])
    light = weights in ("1e-300", "least")
    if (name in ONE_BY_ONE and not light) or (name == "tree" and light):
        with pytest.raises((DataError, OptionError), match=r"(the weights|them) by a constant"):
            rule.fit(X, y, sample_weight=HEAVY[weights])
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.fit(X, y, sample_weight=HEAVY[weights])
    if getattr(rule, "stop_reason_", None) is Reason.SEPARATED:
        assert (rule.predict(X) == y).all()


def test_weights_that_stand_for_too_many_copies_have_a_reason_of_their_own(rng, monkeypatch):
    monkeypatch.setattr(run_state, "COPIES", 10)
    X, y, weights = rng.normal(size=(50, 2)), np.arange(50) % 2, np.full(50, 1000.0)
    with pytest.warns(UserWarning, match="divide the weights by a constant"):
        rule = Perceptron(order="random", max_passes=20, random_state=0).fit(X, y, sample_weight=weights)
    assert rule.stop_reason_ is Reason.MAX_COPIES
    assert rule.n_updates_ <= 10 * 20 * 50


def test_a_mistake_on_a_light_row_is_a_mistake():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    for weights in ([1e-300] * 4, [1e10, 1e-300, 1e-300, 1e10]):
        rule = PocketPerceptron(random_state=0).fit(X, y, sample_weight=weights)
        assert rule.mistakes_ == 1
        assert rule.cost_ > 0
        assert rule.stop_reason_ is not Reason.SEPARATED


def test_the_weight_of_a_streams_row_is_bounded():
    for mode in ("perceptron", "averaged", "PA-I"):
        rule = OnlinePerceptron(mode=mode)
        for learn in (
            lambda rule=rule: rule.learn_one([1.0], 1, 1e12),
            lambda rule=rule: rule.learn_many([[1.0], [2.0]], [0, 1], [1.0, 1e12]),
        ):
            with pytest.raises(DataError, match="copies of the row; divide all weights by a constant"):
                learn()
        assert rule.n_rows_ == 0


@pytest.mark.parametrize("rule", [Perceptron, AveragedPerceptron, VotedPerceptron, PassiveAggressive, KernelPerceptron])
def test_the_weight_of_a_row_of_partial_fit_is_bounded(rule):
    with pytest.raises(
        DataError, match=r"row 1: the weight 1000000000000.0 stands for more than 16,777,216 copies of the row"
    ):
        rule().partial_fit([[1.0], [2.0]], [0, 1], classes=[0, 1], sample_weight=[1.0, 1e12])


@pytest.mark.parametrize("size", [1e-300, 1e-310, 5e-324])
@pytest.mark.parametrize("a", ["best", 0.9])
def test_lifted_rows_may_be_as_small_as_floats_are(size, a, rng):
    X = np.sign(rng.normal(size=(40, 3))) * size
    y = (X[:, 0] + rng.choice([-1, 1], 40) * 2 * X[:, 1] > 0).astype(int)
    rule = LiftedPerceptron(a=a, fit_intercept=False).fit(X, y)
    assert rule.lifted_mistakes_ == 0
    assert 0 < rule.n_updates_ <= rule.update_bound_


def test_fractions_of_a_step_may_be_as_small_as_floats_are(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    rule = LiftedPerceptron(max_passes=50).fit(X, y, sample_weight=np.full(30, 5e-324))
    assert rule.n_updates_ <= rule.update_bound_


def test_a_tree_takes_weights_that_are_small_but_not_too_small(rng):
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    weights = rng.integers(1, 5, size=60)
    plain = PerceptronTree(prune=None, min_leaf=0.1).fit(X, y, sample_weight=weights)
    small = PerceptronTree(prune=None, min_leaf=0.1).fit(X, y, sample_weight=weights * 2.0**-50)
    assert small.predict(X).tolist() == plain.predict(X).tolist()
    assert small.n_nodes_ == plain.n_nodes_
    with pytest.raises(DataError, match="too small to count in; multiply them by a constant"):
        PerceptronTree().fit(X, y, sample_weight=np.full(60, 1e-300))
