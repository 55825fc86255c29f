"""Ctrl-C, forks and threads: nothing is lost, nothing hangs."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron, Reason, separability
from rosenblatt.learn.pla import pla

RUNS = [
    *(f"{order}, {many} classes" for many in ("two", "three") for order in ("active", "cyclic", "random", "worst")),
    "averaged", "passive-aggressive", "lifted", "kernel",
]  # fmt: skip


@pytest.fixture(scope="module")
def endings():
    """How each run of `interrupted.py` ended: all in one process, as it takes seconds to start."""
    command = [sys.executable, Path(__file__).with_name("interrupted.py")]
    out = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    return dict(line.split(": ", 1) for line in out.stdout.splitlines())


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.large
def test_ctrl_c_keeps_what_was_learned(run, endings):
    assert endings[run] == "INTERRUPTED: True"


def test_the_handler_of_ctrl_c_is_given_back():
    Perceptron().fit([[0.0], [1.0]], [0, 1])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def fit_in_child(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60_000, 10))
    u = rng.normal(size=10)
    X = X[np.abs(X @ u) > 0.2]
    y = np.where(X @ u > 0, 1, 0)
    rule = Perceptron().fit(X, y)
    return rule.weights_.tobytes()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.large
def test_a_forked_child_does_not_wait_for_its_parents_threads():
    here = fit_in_child(1)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(fit_in_child, (1,)).get(timeout=60) == here


@pytest.mark.large
def test_fits_in_several_threads_do_not_disturb_each_other():
    expected = [fit_in_child(seed) for seed in range(3)]
    results = [b""] * 3

    def work(seed):
        results[seed] = fit_in_child(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == expected


NO_CACHE = """
from numba.core import caching
def refuse(self):
    raise OSError("read-only file system")
caching._CacheLocator.ensure_cache_path = refuse
from rosenblatt.rows import compiling, kernels
compiling.compile_all()
from rosenblatt.rules import kernel, online, tree
from rosenblatt.rules.linear import averaged, lifted, perceptron, pocket
from rosenblatt.rows.examples import Examples
print(Examples.of([[2.0, 2.0], [0.0, 0.0]], [0, 1]).radius, kernels.square_lengths.dispatcher.stats.cache_path)
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_where_nothing_can_be_cached_it_still_works():
    out = subprocess.run([sys.executable, "-c", NO_CACHE], capture_output=True, text=True, timeout=300, check=True)
    assert out.stdout.split() == ["3.0", "None"]


def test_ctrl_c_in_the_short_run_before_a_proof_ends_the_proof(monkeypatch):
    learn = pla.learn
    monkeypatch.setattr(pla, "learn", lambda *a, **k: learn(*a, **k, interrupted=lambda: True))
    rng = np.random.default_rng(0)
    with pytest.raises(KeyboardInterrupt):
        separability(rng.normal(size=(300, 200)), rng.integers(0, 2, 300))


def test_ctrl_c_while_a_run_is_searched_for_a_proof_loses_nothing(monkeypatch):
    monkeypatch.setattr("rosenblatt.prove.solve.run.recurrence", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    rule = Perceptron(max_passes=5)
    with pytest.raises(KeyboardInterrupt), pytest.warns(ConvergenceWarning):
        rule.fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert rule.n_updates_ == len(rule.ledger_) > 0
    assert rule.stop_reason_ is Reason.MAX_PASSES
