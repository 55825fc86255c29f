"""The command in a process of its own does without scikit-learn, and writes the same to the last byte."""

import json
import os
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

KEEPS_A_FILE = """
import sys
from rosenblatt.cli.main import start
from rosenblatt.read.files import Scratch
kept = Scratch()
kept.path().write_text("a copy of a table")
sys.argv = ["rosenblatt", "--version"]
start()
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


def test_temporary_files_go(tmp_path):
    """The process ends at once, but not before it has cleaned up."""
    subprocess.run(
        [sys.executable, "-c", KEEPS_A_FILE], env=os.environ | {"TMPDIR": str(tmp_path)}, check=True, timeout=300
    )
    assert not list(tmp_path.iterdir())


def test_an_option_is_refused_while_the_table_is_read(desk, tmp_path):
    """Reading has begun when the option is looked at, and does not hold up the answer."""
    fit = [sys.executable, "-m", "rosenblatt", "fit", "-", "--target", "approved", "-o", tmp_path / "rule.json"]
    with subprocess.Popen([*fit, "--folds", "1"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        said = running.stderr.read()  # its input is still open: reading would wait for more
        assert running.wait(60) == 2
    assert "--folds must be at least 2" in said
