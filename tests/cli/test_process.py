"""The command in a process of its own does without scikit-learn, and writes the same to the last byte."""

import json
import subprocess
import sys

import pytest

from cli.running import run
from rosenblatt.desk.learning import ALGORITHMS

ALL_HERE = """
import json, os, sys
from rosenblatt.cli.main import start
os._exit = sys.exit
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["rosenblatt", *arguments]
    try:
        start()
    except SystemExit as end:
        assert not end.code, arguments
assert not {"sklearn", "pandas", "scipy.stats"} & set(sys.modules)
"""


@pytest.fixture(scope="module")
def jobs(desk):
    """Everything that needs an estimator, by name: what to do, without the file to write to."""
    table = [desk["noisy.csv"], "--target", "approved", "--no-prove", "--quiet", "--algorithm"]
    found = {name: ["fit", *table, name] for name in ("auto", *ALGORITHMS)}
    found["balanced"] = ["fit", *table, "averaged", "--class-weight", "balanced"]
    found["grades"] = ["fit", desk["grades.csv"], "--target", "grade", "--quiet"]
    found["predict"] = ["predict", desk["voted.json"], desk["noisy.csv"], "--quiet"]
    return found


def test_models_are_the_same(jobs, tmp_path):
    there = {name: tmp_path / f"{name}.there.csv" for name in jobs}
    commands = [[*job, "-o", str(there[name])] for name, job in jobs.items()]
    subprocess.run([sys.executable, "-c", ALL_HERE, json.dumps(commands)], check=True, timeout=300)
    for name, job in jobs.items():
        here = tmp_path / f"{name}.here.csv"
        assert run(*job, "-o", here).code == 0
        assert here.read_bytes() == there[name].read_bytes(), name


def test_python_m():
    said = subprocess.run([sys.executable, "-m", "rosenblatt", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("rosenblatt ")
