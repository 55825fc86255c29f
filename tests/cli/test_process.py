"""The command in a process of its own does without scikit-learn, and writes the same to the last byte."""

import json
import os
import signal
import subprocess
import sys
from subprocess import PIPE
from time import sleep

import pytest

from cli.running import run
from rosenblatt.registry import ALGORITHMS

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
    found = {name: ["fit", *table, name] for name in ("auto", "fewest-mistakes", *ALGORITHMS)}
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


def in_its_process(source, *arguments, **options):
    """The command's own process, begun, after `source` has changed something in it."""
    code = f"import sys; sys.argv[0] = 'rosenblatt'\n{source}\nfrom rosenblatt.cli.main import start\nstart()"
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stderr=PIPE, text=True, **options)


SLOW_READING = """
import time
import rosenblatt.cli.prefetch as ahead

def slow(*_, **__):
    print("reading", file=sys.stderr, flush=True)
    for _ in range(6000):
        time.sleep(0.01)

ahead.read_table = slow"""


def test_an_option_is_refused_while_the_table_is_read(desk, tmp_path):
    arguments = ("fit", desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "x", "--folds", "1")
    with in_its_process(SLOW_READING, *arguments) as ran:
        said = ran.communicate(timeout=50)[1]
    assert ran.returncode == 2
    assert said.startswith("reading\nrosenblatt: --folds must be at least 2")


def test_standard_input_is_left_alone_by_a_command_that_is_refused(tmp_path):
    arguments = ("fit", "-", "-t", "approved", "-o", tmp_path / "x", "--folds", "1")
    with in_its_process("", *arguments, stdin=PIPE) as ran:
        assert ran.wait(50) == 2  # although nobody closes it
        assert ran.stderr.read().startswith("rosenblatt: --folds must be at least 2")


def test_ctrl_c_is_heard_while_the_table_is_read(desk, tmp_path):
    with in_its_process(SLOW_READING, "fit", desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "x") as ran:
        assert ran.stderr.readline() == "reading\n"
        sleep(3.0)  # until it waits for the table
        ran.send_signal(signal.SIGINT)
        said = ran.communicate(timeout=20)[1]
    assert ran.returncode == 130
    assert said == "rosenblatt: interrupted; nothing was written\n"
    assert not list(tmp_path.iterdir())


def test_ctrl_c_is_heard_while_standard_input_is_open():
    with in_its_process("", "check", "-", "-t", "approved", stdin=PIPE) as ran:
        sleep(3.0)
        ran.send_signal(signal.SIGINT)
        assert ran.wait(20) == 130


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_closed_streams(closed, desk, tmp_path):
    fit = f"{sys.executable} -m rosenblatt fit {desk['noisy.csv']} -t approved -a averaged -o {tmp_path / 'x.json'}"
    subprocess.run(["sh", "-c", f"{fit} {closed}"], capture_output=True, timeout=100, check=True)
    assert (tmp_path / "x.json").exists()
