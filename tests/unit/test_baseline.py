"""No rule is worse than to say the same of every row, and one that is not clearly better says so."""

from math import sqrt

import numpy as np
import polars as pl
import pytest

from rosenblatt import PocketPerceptron
from rosenblatt.desk.cost import Baseline, Costs
from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning import choosing
from rosenblatt.desk.learning.choosing import AUTO, FEWEST
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.desk.report import contents_of
from rosenblatt.desk.verifying.verify import verified
from rosenblatt.read.table import Table


def flights(n=6000, late=0.2, signal=0.0, seed=0):
    """Rows in the order of a calendar, in which a label has little to do with the columns: late ones come last."""
    rng = np.random.default_rng(seed)
    month = np.arange(n) * 12 // n + 1
    hour, distance = rng.integers(5, 23, n), rng.integers(100, 2500, n)
    chance = late * (0.5 + month / 12) + signal * (hour - 14) / 9
    said = np.where(rng.random(n) < chance, "yes", "no")
    return pl.DataFrame({"month": month, "hour": hour, "distance": distance, "late": said})


def data_from(frame, **options):
    return data_of(Table("flights", frame), "late", positive="yes", **options)[0]


def constant_cost(costs, data):
    each = costs.of_rows(data)
    return min(each[data.y != code].sum() for code in range(len(data.classes)))


@pytest.mark.parametrize("size", [0, 10**9], ids=["large", "small"])
@pytest.mark.parametrize("algorithm", [AUTO, FEWEST, "perceptron", "averaged", "pa", "margin", "lifted"])
def test_no_linear_rule_costs_more_than_a_constant_one(algorithm, size, monkeypatch):
    monkeypatch.setattr(choosing, "SMALL", size)
    options = {"max_passes": 3} if algorithm in ("perceptron", "averaged", "pa", "margin", "lifted") else {}
    for costs in (None, {"yes": 4.0, "no": 1.0}):
        learned = learn(
            data_from(flights(1500)),
            TrainingOptions(algorithm, options | ({} if costs is None else {"class_weight": costs}), prove=False),
        )
        assert learned.cost <= constant_cost(learned.costs, learned.trained) * (1 + 1e-12)


def test_a_pocket_is_never_worse_than_a_constant_rule():
    rng = np.random.default_rng(0)
    for classes in (2, 3):
        X = rng.normal(size=(300, 2))
        y = np.where(rng.random(300) < 0.95, 0, rng.integers(classes, size=300))
        rule = PocketPerceptron(improve=None, max_updates=1, random_state=0).fit(X, y)
        assert (rule.predict(X) != y).sum() <= (y != 0).sum()
        weights = np.where(y == 0, 1.0, 100.0)
        rule = PocketPerceptron(improve=None, max_updates=1, random_state=0).fit(X, y, sample_weight=weights)
        costs = [weights[y != label].sum() for label in range(classes)]
        assert weights[rule.predict(X) != y].sum() <= min(costs)


def test_a_rule_of_three_classes_keeps_what_is_better_than_a_constant():
    X = np.repeat(np.eye(3), 20, axis=0)
    y = np.repeat([0, 1, 2], 20)
    assert PocketPerceptron(random_state=0).fit(X, y).score(X, y) == 1.0


def test_the_order_of_the_file_does_not_spoil_the_start(monkeypatch):
    monkeypatch.setattr(choosing, "SMALL", 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    label = X @ [1.0, 1.0, 0.0] + 0.3 * rng.normal(size=4000) > 0
    order = np.argsort(label, kind="stable")  # all yes rows come last
    frame = pl.DataFrame({"a": X[order, 0], "b": X[order, 1], "c": X[order, 2], "late": label[order].astype(str)})
    learned = learn(data_of(Table("sorted", frame), "late")[0], TrainingOptions(FEWEST, prove=False))
    assert learned.mistakes < 0.1 * learned.trained.n


def test_costs_reach_a_rule_begun_at_an_averaged_one(monkeypatch):
    """Without them, the start is one that says no of nearly every row."""
    monkeypatch.setattr(choosing, "SMALL", 0)
    data = data_from(flights(6000, late=0.1, signal=0.15))
    learned = learn(data, TrainingOptions(FEWEST, {"class_weight": "balanced"}, prove=False))
    said = learned.rule.predict(learned.trained.X)
    recalls = [(said[learned.trained.y == code] == code).mean() for code in (0, 1)]
    assert min(recalls) > 0.5
    assert not learned.costs.are_counts
    assert learned.cost < 0.9 * constant_cost(learned.costs, learned.trained)


@pytest.mark.parametrize("algorithm", [AUTO, FEWEST])
def test_a_rule_that_is_no_better_says_so_everywhere(algorithm, monkeypatch):
    monkeypatch.setattr(choosing, "SMALL", 0)
    training = TrainingOptions(algorithm, seconds=1.0)
    data = data_from(flights(2000))
    learned = learn(data, training)
    assert not learned.baseline.clearly_better
    told = learned.baseline.statement(learned.costs.are_counts)
    assert "always predicting no" in told
    model = model_of(learned, training)
    assert model.held_out["baseline"]["clearly_better"] is False
    assert any("always predicting no" in warning for warning in contents_of(data, learned, model, (), "").warnings)
    results = {result.claim: result for result in verified(model, data.table, None)}
    assert results["baseline"].holds
    model.held_out["baseline"]["cost"] += 1
    assert not {result.claim: result for result in verified(model, data.table, None)}["baseline"].holds


def test_a_good_rule_is_clearly_better():
    learned = learn(data_from(flights(3000, late=0.4, signal=0.4)), TrainingOptions(prove=False))
    assert learned.baseline.clearly_better
    folded = learn(data_from(flights(1000, late=0.4, signal=0.4)), TrainingOptions(prove=False, folds=3, hold_out=0.0))
    assert folded.baseline.clearly_better
    assert folded.baseline.rule_cost == folded.error.mistakes


def test_the_comparison_counts_row_by_row():
    data = data_from(flights(50), weights="distance")
    said = np.zeros(50, int)
    said[:7] = 1
    costs = Costs.of(PocketPerceptron(class_weight={0: 1.0, 1: 3.0}), data)
    found = Baseline.of(costs, data, data, said)
    each = np.where(data.y == 1, 3.0, 1.0) * data.weights
    code = data.classes.index(found.label)
    assert found.cost == pytest.approx(each[data.y != code].sum())
    assert found.rule_cost == pytest.approx(each[said != data.y].sum())
    gain = each * (data.y != code) - each * (said != data.y)
    assert found.clearly_better == (gain.sum() > 2 * sqrt((gain**2).sum()))
    assert costs.in_words(data.classes) == "a mistake costs the row's distance, times 1 for no, 3 for yes"
