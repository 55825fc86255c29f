"""A part of the fuzz of fits and proofs, with every index checked; and that the fuzz itself misses nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).with_name("fuzz_tables.py")
pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


def run(*command, **more):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, **more)


def test_odd_tables_break_nothing():
    """The first time it compiles everything once more, which takes minutes; what is compiled is kept under build/."""
    done = run(FUZZ, "--tables", 150, "--seed", 3, timeout=2000)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("150 tables, ")


def test_code_without_checks_is_noticed(tmp_path):
    unchecked = {"NUMBA_BOUNDSCHECK": "0", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = run(FUZZ, "--only", 0, env=os.environ | unchecked, timeout=300)
    assert done.returncode == 1
    assert "not bounds-checked" in done.stderr


BROKEN = """
import os, sys, time
os.environ |= {{"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": {cache!r}}}
sys.path[:0] = [{folder!r}, {above!r}]
import fuzz_tables as fuzz

def well(table):
    pass

def broken(table):
    number = next(k for k in range(12) if str(fuzz.table_of(5, k)) == str(table))
    if number == 2:
        os.abort()
    if number == 5:
        time.sleep(3600)
    if number == 7:
        fuzz.holds(False, "two and two are five")
    if number == 9:
        [][0]

fuzz.LIMIT, fuzz.ordinary, fuzz.CALLS = 5.0, lambda: iter(()), {{"well": well, "broken": broken}}
if __name__ == "__main__":
    for number, name, fault in fuzz.fuzz(5, 12, 2):
        print(number, name, fault, sep="|")
"""


def test_what_dies_hangs_lies_or_fails_is_told_with_its_table(tmp_path):
    script = tmp_path / "broken.py"
    script.write_text(BROKEN.format(folder=str(FUZZ.parent), above=str(FUZZ.parents[1]), cache=str(tmp_path / "cache")))
    done = run(script, timeout=300)
    summary, *faults = done.stdout.splitlines()
    assert summary.startswith("12 tables, 24 calls, 4 faults"), done.stdout + done.stderr
    places, names, reasons = zip(*(fault.split("|") for fault in faults), strict=True)
    assert places == ("2", "5", "7", "9")
    assert set(names) == {"broken"}
    assert "exit code -6" in reasons[0]
    assert "no end" in reasons[1]
    assert "two and two are five" in reasons[2]
    assert "IndexError" in reasons[3]
