"""What the command proves depends on a clock only if the user gave seconds; and a limit that ends a proof is told."""

from dataclasses import replace
from itertools import count

import numpy as np
import polars as pl
import pytest

from rosenblatt.desk import check, limits, model
from rosenblatt.desk.check import finding
from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning import choosing
from rosenblatt.desk.learning.choosing import CLOSE, FEWEST
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.desk.verifying.verify import verified
from rosenblatt.errors import CertificateError
from rosenblatt.prove.check.certificate import Contradiction, CostInterval, ErrorInterval, Separation
from rosenblatt.prove.solve import joint_separability, rational, separability
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.margin import largest
from rosenblatt.prove.solve.separability import Undecided
from rosenblatt.read.table import Table
from rosenblatt.rows import timing
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kesler import JointExamples


def table(n=300, d=6, noise=0.7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    label = np.where(X @ np.arange(1, d + 1) + noise * d * rng.normal(size=n) > 0, "yes", "no")
    columns = {f"x{k}": X[:, k] for k in range(d)}
    return Table("made", pl.DataFrame(columns | {"much": rng.integers(1, 9, n) / 2, "y": label}))


def data_from(*about, weights=None, **more):
    made = table(*about, **more)
    return data_of(made, "y", kinds=None if weights else {"much": "ignore"}, weights=weights)[0]


def test_a_slow_machine_proves_the_same(monkeypatch):
    def results():
        found = [finding(data_from())]
        learned = learn(data_from(), TrainingOptions())
        return found, learned.rule.weights_.tolist(), model_of(learned, TrainingOptions()).certificates

    before = results()
    moments = count(0.0, 1000.0)  # each look at the clock is a quarter of an hour after the last
    monkeypatch.setattr(timing, "now", lambda: next(moments))
    assert results() == before


@pytest.mark.parametrize("work", [0.0, 1e5, 1e7])
def test_a_limit_of_work_that_ends_a_proof_is_told(work, monkeypatch):
    for module in (choosing, model):
        monkeypatch.setattr(module, "FIT_WORK", work)
    monkeypatch.setattr(check, "CHECK_WORK", work)
    found = finding(data_from())
    learned = learn(data_from(), TrainingOptions())
    clock = limits.clock_of(None, work, False)
    model_of(learned, TrainingOptions(), clock=clock)
    if isinstance(found.verdict, Undecided):
        assert str(found.verdict).startswith("Undecided. The default budget of work was spent before")
    assert found.cut_short.startswith("The default budget of work was spent; use --seconds N")
    assert clock.ran_out
    if work == 0.0:
        assert isinstance(found.verdict, Undecided)
        assert any("separability could not be decided" in note for note in learned.notes)


def test_where_the_verdict_is_left_open_a_rule_is_told_and_its_mistakes_may_decide(monkeypatch):
    monkeypatch.setattr(check, "decide_in", lambda *_, **__: Undecided("Too long."))
    found, data = finding(data_from()), data_from()
    assert found.verdict.separable is False
    assert found.fewest.upper > 0
    assert "contradict each other" in found.verdict.certificate.verify_examples(data.examples())
    apart = finding(data_from(noise=0.0))
    assert isinstance(apart.verdict, Undecided)
    assert (apart.fewest.lower, apart.fewest.upper) == (0, 0)


def test_an_elimination_that_cannot_end_in_time_is_not_begun(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.ldexp(rng.integers(0, 2**30, size=(400, 120)).astype(float), rng.integers(-20, 20, size=120))
    examples = Examples.of(X, np.arange(400) % 2)
    monkeypatch.setattr(separability, "proposed", lambda *_: None)  # floats have no idea
    monkeypatch.setattr(rational, "decide", lambda *_: pytest.fail("begun"))
    clock = Clock(most_work=1e9)
    assert isinstance(separability.decide(examples, clock=clock, learning=False), Undecided)
    assert clock.ran_out
    assert rational.descent_takes([{0: 1, 1: 2}] * 10) < 1e6


def test_what_no_limit_ends_is_not_said_to_be_cut_short():
    found = finding(data_from(60, 2))
    assert found.cut_short is None
    clock = Clock(3600.0)
    model_of(learn(data_from(60, 2), TrainingOptions()), TrainingOptions(), clock=clock)
    assert not clock.ran_out


@pytest.mark.parametrize("seconds", [1e-9, 1e-3, 0.03])
def test_an_unfinished_margin_is_no_start(seconds):
    learned = learn(data_from(80, 130, noise=0.0), TrainingOptions(FEWEST, seconds=seconds))
    assert learned.algorithm in ("perceptron", "pocket")
    assert learned.mistakes == 0 or learned.algorithm == "pocket"


def test_the_model_keeps_the_largest_margin():
    learned = learn(data_from(200, 4, noise=0.0), TrainingOptions())
    certificate = model_of(learned, TrainingOptions()).certificates[0]
    assert isinstance(certificate, Separation)
    assert certificate.upper - certificate.lower <= CLOSE * certificate.upper
    results = verified(model_of(learned, TrainingOptions()), learned.trained.table, None)
    assert all(result.holds is not False for result in results)


def test_rows_that_are_proved_not_separable_cost_at_least_one_mistake():
    data = data_from(400, 8, noise=2.0)
    learned = learn(data, TrainingOptions())
    _, interval = model_of(learned, TrainingOptions(), clock=Clock(most_work=1.0)).certificates
    assert isinstance(learned.verdict.certificate, Contradiction)
    assert isinstance(interval, ErrorInterval)
    assert interval.lower >= 1


@pytest.mark.parametrize("options", [{}, {"class_weight": {"yes": 3.0, "no": 1.0}}, {"class_weight": "balanced"}])
@pytest.mark.parametrize("weights", [None, "much"])
def test_the_cost_that_was_asked_for_is_proved_and_checked(options, weights):
    data, training = data_from(weights=weights), TrainingOptions(options=options)
    learned = learn(data, training)
    model = model_of(learned, training)
    interval = model.certificates[-1]
    if learned.costs.are_counts:
        assert isinstance(interval, ErrorInterval)
        return
    assert isinstance(interval, CostInterval)
    assert interval.unit * interval.upper == pytest.approx(learned.cost, rel=1e-12)
    assert interval.lower > 0
    results = {result.claim: result for result in verified(model, data.table, None)}
    assert results["cost interval"].holds
    assert results["cost of the mistakes"].holds
    costs = {"class_costs": (3, 5), "row_costs": ()}
    rows = learned.trained
    forged = replace(interval, **costs, unit=1.0, lower=0, upper=0, contradictions=(), fingerprint="")
    with pytest.raises(CertificateError):
        forged.verify(rows.X, rows.y)
    wrong = learned.rule.predict(rows.X) != rows.y
    upper = int(np.where(rows.y == 1, 5, 3)[wrong].sum())
    forged = replace(forged, upper=upper, fingerprint="")
    forged.verify(rows.X, rows.y)  # true of other costs
    other = replace(model, certificates=(forged,))
    (told,) = [result for result in verified(other, data.table, None) if result.claim == "cost interval"]
    assert told.holds is False
    assert "other costs than learning did" in told.statement


@pytest.mark.parametrize("classes", [2, 3])
def test_a_margin_without_time_for_the_largest_tells_what_a_short_run_proves(classes):
    X, y = np.random.default_rng(0).normal(size=(60, 150)), np.arange(60) % classes
    if classes == 2:
        found = largest(Examples.of(X, y), clock=Clock(most_work=1.0))
    else:
        found = joint_separability.largest(JointExamples.of(X, y), Clock(most_work=1.0))
    assert 0.0 < found.lower < found.upper
    assert found.certificate.verify(X, y)
