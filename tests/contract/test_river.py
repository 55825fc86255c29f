"""RiverPerceptron: River's own checks, a pipeline of River's, and what is said where River is not installed."""

import importlib
import subprocess
import sys

import pytest


@pytest.mark.parametrize("mode", ["perceptron", "averaged", "PA-I"])
def test_rivers_checks(mode):
    checks = pytest.importorskip("river.checks")
    from rosenblatt.estimators.river_adapter import RiverPerceptron

    checks.check_estimator(RiverPerceptron(mode=mode))


def test_it_works_in_a_river_pipeline():
    pytest.importorskip("river")
    from river import datasets, evaluate, metrics, preprocessing

    from rosenblatt.estimators.river_adapter import RiverPerceptron

    rule = RiverPerceptron(mode="averaged")
    found = evaluate.progressive_val_score(
        datasets.Phishing(), preprocessing.StandardScaler() | rule, metrics.Accuracy()
    )
    assert found.get() > 0.85
    assert 1 - found.get() == pytest.approx(rule.rule.progressive_error_, abs=0.002)
    assert rule.learn_one({"a": 1.0}, True, w=2.0) is None


def test_without_river_the_command_is_named(monkeypatch):
    adapter = "rosenblatt.estimators.river_adapter"
    code = f"import sys; sys.modules['river'] = None; import {adapter} as a; a.RiverPerceptron()"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert f"ModuleNotFoundError: RiverPerceptron needs River: {sys.executable} -m pip install river" in said
    importlib.import_module(adapter)
