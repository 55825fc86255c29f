"""The public names, and what importing them costs."""

import subprocess
import sys

import pytest

import rosenblatt


def test_public_names_are_sorted_and_there():
    assert rosenblatt.__all__ == sorted(rosenblatt.__all__)
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name).__name__.split(".")[-1] == name
    assert set(rosenblatt.__all__) <= set(dir(rosenblatt))


def test_unknown_names_are_unknown():
    with pytest.raises(AttributeError, match="Nothing"):
        _ = rosenblatt.Nothing


def test_import_loads_nothing_heavy():
    code = "import sys, rosenblatt; print([m for m in ('numpy', 'scipy', 'sklearn', 'numba') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_an_estimator_loads_nothing_that_it_needs_only_to_learn():
    code = """
import sys, sklearn.base
before = set(sys.modules)
from rosenblatt import Perceptron, PocketPerceptron, PerceptronTree, OnlinePerceptron
print([m for m in ("numba", "polars", "matplotlib", "rich", "typer") if m in set(sys.modules) - before])"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_check_of_a_few_rows_loads_little(tmp_path):
    (tmp_path / "four.csv").write_text("a,b,y\n1,2,yes\n2,1,no\n3,5,yes\n4,1,no\n")
    code = """
import atexit, sys
heavy = ("sklearn", "scipy.sparse", "scipy.stats", "pandas", "pyarrow", "matplotlib")
atexit.register(lambda: print([m for m in (*heavy, "rosenblatt.ship.file.modelfile") if m in sys.modules], flush=True))
from rosenblatt.cli.main import start
sys.argv = ["rosenblatt", "check", "four.csv", "--target", "y", "--json", "--quiet"]
start()"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert out.stdout.splitlines()[-1] == "[]"
