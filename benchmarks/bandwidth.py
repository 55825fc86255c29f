"""Claim 2: one read-only pass, `find.find` with nothing to find, runs at memory speed.

The peers read the same bytes: numpy.dot(X, w) into a given array, and X.sum(). Goals: at least 0.85 of the faster of
the two on one thread, and 1.6 times the speed of one thread on two. Every speed is the best of seven, all in turns.
"""

import os
import sys
import time
from itertools import product
from math import inf
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.clean_pass import seconds
from rosenblatt.learn.choices import TIES
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.storage import rows_of

TABLES = [(np.float64, 100), (np.float64, 20), (np.float32, 100), (np.float32, 20)]
CALLS = ("find", "dot", "sum")


def right_rows(X, w) -> Examples:
    """The rows of X, each with the label that the weights give it."""
    rows = rows_of(X)
    scores = find.margins(Examples(rows, np.ones(len(X), np.int8)), w)
    return Examples(rows, np.where(scores > 0, 1, -1).astype(np.int8))


def speeds(X, w, turns: int) -> dict[tuple[str, int], float]:
    """GB/s of every call on one thread and on all cores (0)."""
    examples, features, out = right_rows(X, w), w[:-1].astype(X.dtype), np.zeros(len(X), X.dtype)
    calls = {
        "find": lambda: find.find(examples, w, TIES["mistake"]),
        "dot": lambda: np.dot(X, features, out=out),
        "sum": X.sum,
    }
    assert not any(found.size for found in calls["find"]())
    best = dict.fromkeys(product(CALLS, (1, 0)), inf)
    for _ in range(turns):
        for name, threads in best:
            with patch.dict(os.environ, ROSENBLATT_THREADS=str(threads)), threadpool_limits(threads or None):
                time.sleep(0.1)  # let threads of the call before come to rest
                best[name, threads] = min(best[name, threads], seconds(calls[name]))
    return {call: X.nbytes / took / 1e9 for call, took in best.items()}


def main(gigabytes: float = 1.0, turns: int = 7) -> None:
    """Run everything."""
    columns = [f"{call}, {threads}" for threads in ("1 thread", "all cores") for call in (*CALLS, "ratio")]
    columns = ["data", *columns, "find, all cores over 1 thread"]
    print(
        f"\n{gigabytes:g} GB per table, {os.cpu_count()} cores. GB/s; ratio: ours, find, to the faster of numpy's two."
    )
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for dtype, d in TABLES:
        rng = np.random.default_rng(0)
        X = np.empty((int(gigabytes * 1e9) // (d * np.dtype(dtype).itemsize), d), dtype)
        rng.standard_normal(out=X, dtype=dtype)
        speed = speeds(X, rng.standard_normal(d + 1), turns)
        row = [f"{len(X):,} x {d} {X.dtype}"]
        for threads in (1, 0):
            row += [f"{speed[call, threads]:.2f}" for call in CALLS]
            row.append(f"**{speed['find', threads] / max(speed['dot', threads], speed['sum', threads]):.2f}**")
        row.append(f"**{speed['find', 0] / speed['find', 1]:.2f}**")
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
