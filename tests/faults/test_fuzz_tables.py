"""A part of the fuzz of fits and proofs, with every index checked; and that the fuzz itself misses nothing."""

import os
import re
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
from faults import fuzzed_calls as calls

def well(table):
    pass

def broken(table):
    number = next(k for k in range(12) if str(fuzz.table_of(5, k)) == str(table))
    if number == 2:
        os.abort()
    if number == 5:
        time.sleep(3600)
    while number == 6:
        pass
    if number == 7:
        calls.holds(False, "two and two are five")
    if number == 9:
        [][0]

fuzz.LIMIT, fuzz.WAIT = 2.0, 20.0
fuzz.ordinary, fuzz.CALLS = lambda: iter(()), {{"well": well, "broken": broken}}
if __name__ == "__main__":
    for first, many in ((0, 7), (7, 5)):
        for number, name, fault in fuzz.fuzz(5, many, 2, first):
            print(number, name, fault, sep="|")
"""


def test_what_dies_hangs_lies_or_fails_is_told_with_its_table(tmp_path):
    script = tmp_path / "broken.py"
    script.write_text(BROKEN.format(folder=str(FUZZ.parent), above=str(FUZZ.parents[1]), cache=str(tmp_path / "cache")))
    done = run(script, timeout=300)
    lines = done.stdout.splitlines()
    (one, other), faults = [[line for line in lines if ("|" in line) is told] for told in (False, True)]
    assert one.startswith("7 tables, 14 calls, 3 faults"), done.stdout + done.stderr
    assert "tables 0 to 6 of seed 5" in one
    assert other.startswith("5 tables, 10 calls, 2 faults"), done.stdout + done.stderr
    assert "tables 7 to 11 of seed 5" in other
    places, names, reasons = zip(*(fault.split("|") for fault in faults), strict=True)
    assert places == ("2", "5", "6", "7", "9")
    assert set(names) == {"broken"}
    assert "exit code -6" in reasons[0]
    assert "no end after 20 s of waiting" in reasons[1]
    assert "no end after 2 s of work" in reasons[2]
    assert "two and two are five" in reasons[3]
    assert "IndexError" in reasons[4]


SLOW = """
fuzz.SHOWN, fuzz.ordinary, fuzz.CALLS = 0.5, lambda: iter(()), {{"well": well}}
if __name__ == "__main__":
    fuzz.fuzz(5, 100_000, 2, first=30)
"""


def test_an_interrupted_run_says_how_far_it_came(tmp_path):
    script = tmp_path / "slow.py"
    slow = BROKEN[: BROKEN.index("def broken")].replace("    pass", "    time.sleep(0.05)") + SLOW
    script.write_text(slow.format(folder=str(FUZZ.parent), above=str(FUZZ.parents[1]), cache=str(tmp_path / "cache")))
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        next(line for line in process.stderr if "all tables below" in line)
        process.terminate()
        told, _ = process.communicate(timeout=60)
    found = re.match(r"(\d+) tables, \d+ calls, 0 faults, \d+ seconds: tables 30 to (\d+) of seed 5", told)
    assert found, told
    assert 30 + int(found[1]) == int(found[2]) + 1
