"""Claim 4: first use is short: what is compiled then is little, and nothing heavy is imported that is not used.

Everything is measured in new processes, in processor seconds (user and system), the best of three: first with an empty
folder for compiled code, then with the folder that this has filled. The commands work on the bundled table of credit
applications, 1000 x 20; the estimators on 500 x 5, separable and overlapping. `before` is what comes before the work: a
check of four rows, and imports, those of ours beyond scikit-learn's own `sklearn.base`.
"""

import os
import resource
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

FOUR = "a,b,y\n1,2,yes\n2,1,no\n3,5,yes\n4,1,no\n"
FIT = """
import warnings
import numpy as np
from rosenblatt import {name}
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(500, 5))
y = (X @ rng.normal(size=5) > 0) ^ (rng.random(500) < {flipped})
{name}().fit(X, y)
"""
TABLE = ["credit.csv", "--target", "creditability", "--positive", "good"]
FIRST_USES = {
    "first check": ["-m", "rosenblatt", "check", *TABLE],
    "first fit": ["-m", "rosenblatt", "fit", *TABLE, "-o", "model.json", "--force"],
    "first tree": ["-m", "rosenblatt", "fit", *TABLE, "-o", "tree.json", "--force", "--algorithm", "tree"],
    "Perceptron().fit": ["-c", FIT.format(name="Perceptron", flipped=0)],
    "Perceptron().fit, overlapping": ["-c", FIT.format(name="Perceptron", flipped=0.1)],
    "PerceptronTree().fit, overlapping": ["-c", FIT.format(name="PerceptronTree", flipped=0.1)],
}
OVERHEADS = {
    "check of 4 rows": ["-m", "rosenblatt", "check", "four.csv", "--target", "y"],
    "predict 4 rows": ["-m", "rosenblatt", "predict", "four.json", "four.csv"],
    "--version": ["-m", "rosenblatt", "--version"],
}
IMPORTS = ("Perceptron", "PocketPerceptron", "PerceptronTree", "OnlinePerceptron")


def new_process(arguments: list[str], folder: str, cache: str) -> float:
    """The processor seconds of one new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    ran = subprocess.run(
        command, cwd=folder, env=os.environ | {"NUMBA_CACHE_DIR": cache}, capture_output=True, check=False
    )
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"{arguments}: {ran.stderr.decode()[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(processes: int = 3) -> None:
    """Run everything."""
    with tempfile.TemporaryDirectory() as folder:
        table = (files("rosenblatt") / "data" / "german_credit.csv").read_text("utf-8")
        Path(folder, "credit.csv").write_text(table, "utf-8")
        Path(folder, "four.csv").write_text(FOUR, "utf-8")
        print("\n| processor seconds | nothing compiled | everything compiled |\n|---|---|---|")
        for name, arguments in FIRST_USES.items():
            cold, warm = [], []
            for _ in range(processes):
                with tempfile.TemporaryDirectory() as cache:
                    cold.append(new_process(arguments, folder, cache))
                    warm.append(new_process(arguments, folder, cache))
            print(f"| {name} | {min(cold):.2f} | {min(warm):.2f} |", flush=True)
        print("\n| before the work, everything compiled | processor seconds |\n|---|---|")
        with tempfile.TemporaryDirectory() as cache:
            fit = ["-m", "rosenblatt", "fit", "four.csv", "--target", "y", "-o", "four.json", "--hold-out", "0"]
            new_process(fit, folder, cache)
            for name, arguments in OVERHEADS.items():
                took = [new_process(arguments, folder, cache) for _ in range(1 + processes)]
                print(f"| {name} | {min(took):.2f} |", flush=True)
            sklearn = min(new_process(["-c", "import sklearn.base"], folder, cache) for _ in range(1 + processes))
            print(f"| `import sklearn.base` | {sklearn:.2f} |")
            for name in IMPORTS:
                code = f"import sklearn.base; from rosenblatt import {name}"
                took = [new_process(["-c", code], folder, cache) for _ in range(1 + processes)]
                print(f"| `from rosenblatt import {name}`, beyond that | {min(took) - sklearn:.2f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
