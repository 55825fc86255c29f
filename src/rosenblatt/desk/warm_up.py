"""Compiles the code that the commands need, by running them on small tables.

For container images and CI, which do not keep what an earlier run compiled.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.desk.check import finding
from rosenblatt.desk.data import Data, data_of, encoded
from rosenblatt.desk.learning.choosing import STANDS_FOR, options_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.read.sources import read_table
from rosenblatt.read.table import LABEL
from rosenblatt.registry import ALGORITHMS
from rosenblatt.rows import compiling

ROWS, SEPARABLE = 300, 100  # of the bundled table: the first ones are separable
SECONDS = 2.0  # for each proof
DENSE, SPARSE = "a table of columns", "a sparse table"
OFTEN = "tree"  # the algorithm that users most often choose
FEW = {"max_passes": 3}  # for rules with this option


def steps(folder: Path, every: bool) -> list[tuple[str, Callable[[], None]]]:
    """The steps to run, with their names; `every` adds all algorithms and the estimators."""
    found: list[tuple[str, Callable[[], None]]] = []
    for name, data in _tables(folder):
        found.append((f"check, {name}", partial(_checked, data)))
        for algorithm in (*STANDS_FOR, *ALGORITHMS) if every else (*STANDS_FOR, OFTEN) if name == DENSE else STANDS_FOR:
            found.append((f"fit and predict, {algorithm}, {name}", partial(_fitted, data, algorithm)))
        if every:
            found.append((f"estimators, {name}", partial(_in_python, data)))
    return found


def _tables(folder: Path) -> Iterator[tuple[str, Data]]:
    """A dense and a sparse table, each with a separable part."""
    table = (files("rosenblatt") / "data" / "german_credit.csv").read_text("utf-8")
    (folder / "credit.csv").write_text("".join(table.splitlines(keepends=True)[: ROWS + 1]), "utf-8")
    yield DENSE, data_of(read_table(str(folder / "credit.csv")), "creditability")[0]
    rng = np.random.default_rng(0)
    lines = [
        f"{label} {' '.join(f'{k}:1' for k in sorted(rng.choice(400, 12, replace=False) + 1))}\n"
        for label in rng.integers(2, size=ROWS)
    ]
    (folder / "words.svm").write_text("".join([*lines, *lines[::-1], lines[0].replace("1 ", "0 ", 1)]), "utf-8")
    yield SPARSE, data_of(read_table(str(folder / "words.svm")), LABEL)[0]


def _checked(data: Data) -> None:
    for some in (data, data.some(np.arange(data.n) < SEPARABLE)):
        finding(some, seconds=SECONDS)


def _fitted(data: Data, algorithm: str) -> None:
    training = TrainingOptions(algorithm, _options(algorithm), seconds=SECONDS)
    learned = learn(data, training)
    model_of(learned, training, prove=algorithm in STANDS_FOR)
    again = encoded(data.table, data.encoding)
    learned.rule.predict(again.seen_by(learned.rule).seen)


def _options(algorithm: str) -> dict[str, Any]:
    if algorithm in (*STANDS_FOR, "pocket", "kernel"):
        return {}
    _, known = options_of(algorithm, {})
    return {name: few for name, few in FEW.items() if name in known}


def _in_python(data: Data) -> None:
    """The estimators on doubles, which are more common in Python than in the command."""
    import rosenblatt

    X = data.X.astype(np.float64)
    for name in ("Perceptron", "PocketPerceptron", "AveragedPerceptron", "VotedPerceptron", "MarginPerceptron"):
        getattr(rosenblatt, name)().fit(X, data.y).predict(X)
    for name in ("PassiveAggressive", "LiftedPerceptron", "KernelPerceptron"):
        getattr(rosenblatt, name)().fit(X, data.y).predict(X)
    rosenblatt.separability(X, data.y)
    rosenblatt.margin(X[:SEPARABLE], data.y[:SEPARABLE])
    rosenblatt.optimality(X, data.y, max_seconds=SECONDS)


def warm(step: Callable[[], None]) -> int:
    """Run a step with everything compiled, however small its table is; returns how many kernels it needed."""
    before, all_before = compiling.progress.ready, compiling.compile_all()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # rules and estimators did not converge
            step()
    finally:
        compiling.compile_all(all_before)
    return compiling.progress.ready - before
