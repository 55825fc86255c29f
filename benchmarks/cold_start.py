"""Claim 4: the first fit in a new process, compiled kernels cached, takes under 0.5 s beyond imports.

Every number comes from new processes: the best and the median of five. `import rosenblatt` is counted beyond numpy
and should take 50 ms at most; the next column is what `rosenblatt.Perceptron` imports, numba and parts of
scikit-learn; then come two fits on 1000 x 20. Without a cache, the first fit compiles.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

CHILD = """
import json, sys, time
times = [time.perf_counter()]
import numpy as np
times.append(time.perf_counter())
import rosenblatt
times.append(time.perf_counter())
from rosenblatt import Perceptron
times.append(time.perf_counter())
rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 20))
y = X @ rng.normal(size=20) > 0
if sys.argv[1] == "CSR":
    from scipy.sparse import csr_array
    X = csr_array(X)
for _ in range(2):
    begin = time.perf_counter()
    Perceptron().fit(X, y)
    times.append(times[-1] + time.perf_counter() - begin)
print(json.dumps(np.diff(times).tolist()))
"""
PARTS = ["import numpy", "import rosenblatt", "import Perceptron", "first fit", "second fit"]


def new_process(storage: str, **environment: str) -> list[float]:
    """The milliseconds of each part in one new process."""
    run = subprocess.run(
        [sys.executable, "-c", CHILD, storage],
        env=os.environ | environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return [1e3 * took for took in json.loads(run.stdout)]


def without_cache(storage: str) -> list[float]:
    """The same with an empty folder for compiled kernels."""
    with tempfile.TemporaryDirectory() as folder:
        return new_process(storage, NUMBA_CACHE_DIR=folder)


def main(processes: int = 5) -> None:
    """Run everything."""
    print(f"\nMilliseconds, best / median of {processes} processes.")
    print("\n| " + " | ".join(["1000 x 20", "kernels", *PARTS]) + " |\n|" + "---|" * (2 + len(PARTS)))
    for storage in ("dense", "CSR"):
        new_process(storage)  # fills the cache
        for kernels, start in (("cached", new_process), ("compiled", without_cache)):
            took = np.array([start(storage) for _ in range(processes)])
            cells = [f"{a:.1f} / {b:.1f}" for a, b in zip(took.min(axis=0), np.median(took, axis=0), strict=True)]
            print("| " + " | ".join([storage, kernels, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
