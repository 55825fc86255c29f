"""What a first run compiles, what it says meanwhile, and what happens where nothing can be kept."""

import json
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

import rosenblatt
from rosenblatt.rows import compiling

pytestmark = pytest.mark.skipif(compiling._plain, reason="nothing is compiled")

COUNTING = """
import collections, json, os, sys
import rosenblatt.rows.compiling as compiling
compiled = collections.Counter()
def listen():
    from numba.core import event
    class Listener(event.Listener):
        def on_start(self, what):
            function = what.data["dispatcher"].py_func
            compiled[f"{function.__module__}.{function.__name__}"] += 1
        def on_end(self, what):
            pass
    event.register("numba:compile", Listener())
compiling.when_compiling(listen)
def write():
    with open("compiled.json", "w") as file:
        json.dump(compiled, file)
"""
COMMAND = """
import atexit
from rosenblatt.cli.main import start
atexit.register(write)
sys.argv = ["rosenblatt", *sys.argv[1:]]
start()
"""
FIT = """
import warnings
import numpy as np
from rosenblatt import Perceptron
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(500, 5))
y = (X @ rng.normal(size=5) > 0) ^ (rng.random(500) < float(sys.argv[1]))
Perceptron().fit(X, y)
write()
"""
CREDIT = ("credit.csv", "--target", "creditability")
TWICE = {  # functions that may be compiled more than once
    "rosenblatt.learn.tree.split_kernels.best_threshold",  # labels are unsigned in orders of the table, signed in rooms
}


def child(code, *arguments, folder, cache="cache", **environment):
    """Run something in a new process, with a folder of its own for compiled code."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, timeout=600, check=False,
        env=os.environ | {"NUMBA_CACHE_DIR": str(Path(folder, cache))} | environment,
    )  # fmt: skip


def counted(folder, code, *arguments, **environment):
    """How often each function was compiled, and what the process wrote."""
    ran = child(COUNTING + code, *arguments, folder=folder, **environment)
    assert ran.returncode in (0, 1), ran.stderr
    return json.loads(Path(folder, "compiled.json").read_text()), ran


@pytest.fixture
def folder(tmp_path):
    table = Path(rosenblatt.__file__).with_name("data") / "german_credit.csv"
    (tmp_path / "credit.csv").write_text(table.read_text("utf-8"), "utf-8")
    return tmp_path


class TestAFirstRun:
    """Raise a number here only for something that users want: every function costs each of them some 0.1 s, once."""

    @pytest.mark.parametrize(
        ("most", "arguments"),
        [
            (51, ("check", *CREDIT)),
            (57, ("fit", *CREDIT, "-o", "model.json")),
            (64, ("fit", *CREDIT, "-o", "tree.json", "--algorithm", "tree")),
        ],
    )
    def test_of_a_command_compiles_few_functions(self, folder, most, arguments):
        compiled, ran = counted(folder, COMMAND, *arguments)
        assert sum(compiled.values()) <= most, compiled
        ours = {name for name, times in compiled.items() if times > 1 and name.startswith("rosenblatt")}
        assert ours <= TWICE
        assert "note: compiling for this processor, once for each kind of work: " in ran.stderr
        assert " of about 15, 1 s\n" in ran.stderr  # on a pipe, too
        again, ran = counted(folder, COMMAND, *arguments, *(["--force"] if "-o" in arguments else []))
        assert not again
        assert "compiling" not in ran.stderr

    @pytest.mark.parametrize(("most", "flipped"), [(0, 0.0), (36, 0.1)])
    def test_of_an_estimator_compiles_few_functions(self, folder, most, flipped):
        compiled, ran = counted(folder, FIT, flipped)
        assert sum(compiled.values()) <= most, compiled
        assert ran.stderr == ""  # nobody sits at a prompt

    def test_is_quiet_if_asked_to_be(self, folder):
        ran = child(COUNTING + COMMAND, "check", *CREDIT, "--quiet", folder=folder)
        assert ran.returncode == 1
        assert ran.stderr == ""

    def test_tells_people_at_a_prompt_unless_they_are_quiet(self, folder):
        for quiet, told in (("", True), ("1", False)):
            ran = child("import sys; sys.ps1 = '>>> '" + COUNTING + FIT, 0.1, folder=folder, ROSENBLATT_QUIET=quiet,
                        cache=f"cache{quiet}")  # fmt: skip
            assert ("rosenblatt: compiling for this processor, once for each kind of work: " in ran.stderr) == told


BITS = """
import hashlib, sys, warnings
import numpy as np
from rosenblatt import PocketPerceptron, margin, separability
from rosenblatt.rows import compiling
compiling.compile_all()
warnings.simplefilter("ignore")
rng = np.random.default_rng(7)
digest = hashlib.sha256()
def soft():
    from rosenblatt.geometry import wolfe
    found = wolfe.soft(rng.normal(size=(400, 9)) + 0.5, 9, 11.0, None)
    return found.w
def wide():
    X = rng.normal(size=(60, 23))
    return np.array(margin(X, X[:, 0] > 0).weights, float)
def near():
    X = rng.normal(size=(300, 6))
    return np.array(separability(X, rng.random(300) < 0.5).certificate.weights, float)
def pocket():
    X = rng.normal(size=(300, 6))
    return PocketPerceptron(random_state=0).fit(X, (X[:, 0] > 0) ^ (rng.random(300) < 0.2)).weights_
for make in (soft, wide, near, pocket):
    digest.update(make().tobytes())
print(digest.hexdigest(), compiling.progress.seconds > 1.0)
"""


def test_what_was_compiled_gives_the_same_bits_when_it_is_loaded(folder):
    """Also where sums are added up in any order, which the compiler chooses."""
    first, later = (child(BITS, folder=folder).stdout.split() for _ in range(2))
    assert (first[1], later[1]) == ("True", "False")
    assert first[0] == later[0]


def test_warming_up_leaves_nothing_to_compile(folder):
    compiled, ran = counted(folder, COMMAND, "warm-up", "--json")
    record = json.loads(ran.stdout)
    assert compiled
    assert record["command"] == "warm-up"
    assert sum(step["kernels"] for step in record["steps"]) > 30
    assert Path(record["folder"]) == folder / "cache"
    assert {file.suffix for file in (folder / "cache").rglob("*") if file.is_file()} == {".nbi", ".nbc"}
    for arguments in (
        ("check", *CREDIT),
        ("fit", *CREDIT, "-o", "model.json"),
        ("fit", *CREDIT, "-o", "tree.json", "-a", "tree"),
    ):
        assert not counted(folder, COMMAND, *arguments)[0], arguments


SMALL = """
from rosenblatt.rows import kernels
from rosenblatt import separability
import numpy as np
rng = np.random.default_rng(0)
verdict = separability(rng.normal(size=(40, 3)), rng.integers(2, size=40))
print(verdict.certificate.rows, compiling.progress.lost)
"""
FULL = """
from numba.core import caching
def full(*_):
    raise OSError(28, "No space left on device")
caching.IndexDataCacheFile.save = full
"""


class TestWhatIsKept:
    def test_is_not_needed(self, folder):
        expected = child(COUNTING + SMALL, folder=folder, cache="other")
        ran = child(COUNTING + FULL + SMALL, folder=folder)
        assert ran.stdout.split(") ")[0] == expected.stdout.split(") ")[0]
        assert f"{folder / 'cache'}" in ran.stdout
        assert "does not take it (no space left on device)" in ran.stdout

    def test_may_be_broken(self, folder):
        first = child(COUNTING + SMALL, folder=folder)
        files = [file for file in (folder / "cache").rglob("*") if file.is_file()]
        assert files
        for k, file in enumerate(files):
            file.write_bytes(file.read_bytes()[: 40 * (k % 3)])
        assert child(COUNTING + SMALL, folder=folder).stdout == first.stdout

    @pytest.mark.parametrize("name", ["rosenblatt.rows.kernels\nGone", "rosenblatt.gone\nGone"])
    def test_may_be_of_a_version_with_other_names(self, folder, name):
        first = child(COUNTING + SMALL, folder=folder)
        indices = list((folder / "cache").rglob("*.nbi"))
        assert indices
        old = pickle.dumps(numba.__version__) + f"c{name}\n.".encode()
        for index in indices:
            index.write_bytes(old)
        ran = child(COUNTING + SMALL, folder=folder)
        assert ran.stdout == first.stdout, ran.stderr
        assert all(index.read_bytes() != old for index in indices)

    def test_may_be_written_by_two_at_once(self, folder):
        both = [
            subprocess.Popen(
                [sys.executable, "-c", COUNTING + SMALL], stdout=subprocess.PIPE, text=True,
                env=os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")},
            )
            for _ in range(2)
        ]  # fmt: skip
        first, second = (each.communicate(timeout=600)[0] for each in both)
        assert first == second
        assert [each.returncode for each in both] == [0, 0]
        assert {file.suffix for file in (folder / "cache").rglob("*") if file.is_file()} == {".nbi", ".nbc"}

    def test_is_renewed_when_a_source_changes(self):
        from rosenblatt.rows import specialising

        digest, checked = specialising._stamp()
        assert (digest, checked) == specialising._STAMP
        assert len(digest) == 64


@compiling.compiled
def total(x):
    found = 0.0
    for k in range(x.size):
        found += x[k]
    return found


class TestLittleWork:
    @pytest.fixture(autouse=True)
    def _not_all(self):
        compiling.compile_all(False)
        yield
        compiling.compile_all()

    def test_is_done_uncompiled_until_it_has_become_more(self):
        x = np.full(3, 0.1)
        assert compiling.brief_rows(total, 1.0, 1) == compiling.TINY
        assert compiling.briefly(total, 3) == total.plainly
        assert compiling.briefly(total, 3)(x) == 0.1 + 0.1 + 0.1
        assert compiling.briefly(total, compiling.LITTLE) is total
        assert compiling.brief_rows(total, 1.0, 1) == 0
        assert total(x) == 0.1 + 0.1 + 0.1

    def test_needs_no_numba(self, folder):
        code = """
import sys
from rosenblatt import Perceptron
rule = Perceptron().fit([[2, 1.5], [3, 4.0], [8, 3.1], [4, 0.3]], [0, 1, 1, 0])
print(rule.weights_.tolist(), "numba" in sys.modules)
"""
        uncompiled = child(code, folder=folder)
        compiled = child("from rosenblatt.rows import compiling; compiling.compile_all()" + code, folder=folder)
        assert uncompiled.stdout.endswith(" False\n"), uncompiled.stderr
        assert compiled.stdout == uncompiled.stdout.replace("False", "True")


def wait_for(is_so):
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.01)


class TestProgress:
    def test_nothing_of_what_is_short(self, monkeypatch):
        progress, said = compiling.Progress(), []
        progress.tell = said.append
        monkeypatch.setattr(compiling, "OFTEN", 0.01)
        progress.start()
        time.sleep(0.05)
        progress.end()
        time.sleep(0.1)
        assert said == [] or progress.seconds >= compiling.FIRST
        assert progress.seconds >= 0.05

    def test_of_the_rest_how_far_it_is_and_when_it_is_over(self, monkeypatch):
        progress, said = compiling.Progress(), []
        progress.tell, progress.expected, progress.again = said.append, 7, 0.2
        monkeypatch.setattr(compiling, "OFTEN", 0.01)
        monkeypatch.setattr(compiling, "FIRST", 0.1)
        for kernel in range(2):
            progress.ready = kernel
            progress.start()
            wait_for(lambda kernel=kernel: any(f": {kernel + 1} of about 7, " in line for line in said))
            progress.end()
        wait_for(lambda: said[-1] == "")
        assert said[0].startswith("compiling for this processor, once for each kind of work: 1 of about 7, ")

    def test_why_it_happens_again(self):
        progress = compiling.Progress()
        progress.lost = "there is no folder"
        why = "because there is no folder"
        assert str(progress) == f"compiling for this processor, again in every process, {why}: 0 so far, 0 s"
