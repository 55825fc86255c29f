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
