"""What a model file says of its soft margin is checked: the rule, its C, and both bounds."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from rosenblatt.desk.data import data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.desk.verifying.claims import of_model
from rosenblatt.read.table import Table


def claims_of(model, data):
    return [result for result in of_model(model, data) if result.claim == "soft margin"]


@pytest.fixture
def learned(rng):
    X = rng.normal(size=(200, 3))
    score = X @ [1.0, -1.0, 0.5] + rng.normal(size=200)
    frame = pl.DataFrame({f"x{k}": X[:, k] for k in range(3)} | {"y": np.where(score > 0, "yes", "no")})
    decision_options = TrainingOptions("soft-margin", {"C": 2.0})
    data, _ = data_of(Table("t", frame), "y", positive="yes", held_out=decision_options.held_out)
    return model_of(learn(data, decision_options), decision_options), data


def test_an_honest_claim_holds_and_says_what_is_proved(learned):
    model, data = learned
    (result,) = claims_of(model, data)
    assert result.holds
    assert result.statement == model.rule.certificate_.statement
    assert model.rule.gap_ < 1e-6 * model.rule.objective_  # of weights that were rounded for exports


def test_a_lie_is_found_out(learned):
    model, data = learned
    proof = model.rule.certificate_
    for changes, told in (
        ({"C": 3.0}, "about another C"),
        ({"weights": (0.0,) * 4}, "about other weights"),
        ({"lower": proof.upper * 2}, "do not prove"),
        ({"upper": proof.upper / 2}, "objective is above"),
    ):
        model.rule.certificate_ = replace(proof, fingerprint="", **changes)
        (result,) = claims_of(model, data)
        assert result.holds is False
        assert told in result.statement
