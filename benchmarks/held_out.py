"""Claim: the family in the open: held-out error of each of our rules beside four peers, also where we lose.

Ten seeded stratified splits, three quarters to learn from (three splits on sets of more than 10,000 rows), the same for
all; numbers standardised by the rows learned from. Everything has its default settings and one seed: nothing is tuned.
The peers are scikit-learn's LogisticRegression, LinearSVC, SGDClassifier and Perceptron. KernelPerceptron, with its rbf
kernel, is no linear rule, and sits out sets of more than 2,000 rows. Errors in per cent, the least of each set in bold.
Below: the mean of the ranks on the sets that a rule took part in, and on how many of these it was below, level with and
above LogisticRegression.
"""

import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as Peer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from benchmarks import workloads

warnings.simplefilter("ignore")

PEERS = {
    "LogisticRegression": LogisticRegression(),
    "LinearSVC": LinearSVC(random_state=0),
    "SGDClassifier": SGDClassifier(random_state=0),
    "scikit-learn's Perceptron": Peer(random_state=0),
}
OURS = [
    ("Perceptron", "perceptron", "Perceptron", {}),
    ("PocketPerceptron", "pocket", "PocketPerceptron", {}),
    ("the same, improve=None", "pocket", "PocketPerceptron", {"improve": None}),
    ("AveragedPerceptron", "averaged", "AveragedPerceptron", {}),
    ("VotedPerceptron", "voted", "VotedPerceptron", {}),
    ("MarginPerceptron", "margin_perceptron", "MarginPerceptron", {}),
    ("PassiveAggressive", "passive_aggressive", "PassiveAggressive", {}),
    ("LiftedPerceptron", "lifted", "LiftedPerceptron", {}),
    ("KernelPerceptron", "kernel", "KernelPerceptron", {"kernel": "rbf"}),
]
NOISY = [(2_000, 10, 0.05), (2_000, 10, 0.2), (20_000, 10, 0.1)]
SPLITS, LARGE, FEW_SPLITS = 10, 10_000, 3
MOST_ROWS = {"KernelPerceptron": 2_000}


def rules() -> dict[str, object]:
    """The peers, and those of ours that are there."""
    found = dict(PEERS)
    for called, module, name, options in OURS:
        if find_spec(f"rosenblatt.estimators.{module}"):
            rule = getattr(import_module(f"rosenblatt.estimators.{module}"), name)(**options)
            found[called] = rule.set_params(random_state=0) if "random_state" in rule.get_params() else rule
    return found


def sets(most_rows: int) -> Iterator[tuple[str, object, np.ndarray]]:
    """Real and noisy sets of at most so many rows."""
    for name, X, y in workloads.inseparable_sets():
        if len(y) <= most_rows:
            yield name, X, y
    for n, d, flipped in NOISY:
        if n <= most_rows:
            yield f"Gaussian {n:,} x {d}, {flipped:.0%} flipped", *workloads.noisy_gaussians(n, d, flipped)


def errors(X, y, compared: dict[str, object]) -> np.ndarray:
    """The held-out error of each rule over all splits; nan if the set is too large for it."""
    splitter = StratifiedShuffleSplit(FEW_SPLITS if len(y) > LARGE else SPLITS, test_size=0.25, random_state=0)
    too_large = [len(y) > MOST_ROWS.get(name, len(y)) for name in compared]
    mistakes, rows = np.where(too_large, np.nan, 0.0), 0
    for learned, held_out in splitter.split(np.zeros(len(y)), y):
        known, new = workloads.standardised(X[learned]), workloads.standardised(X[held_out], like=X[learned])
        rows += len(held_out)
        for k, rule in enumerate(compared.values()):
            if not too_large[k]:
                mistakes[k] += (rule.fit(known, y[learned]).predict(new) != y[held_out]).sum()
    return mistakes / rows


def main(most_rows: int = sys.maxsize) -> None:
    """Run everything, or only sets of at most so many rows."""
    workloads.tell_if_absent()
    compared = rules()
    print("\n| data | " + " | ".join(compared) + " |\n|" + "---|" * (len(compared) + 1))
    table = []
    for name, X, y in sets(most_rows):
        found = errors(X, y, compared)
        cells = ["-" if np.isnan(e) else f"**{e:.2%}**" if e == np.nanmin(found) else f"{e:.2%}" for e in found]
        print(f"| {name} | " + " | ".join(cells).replace("%", "") + " |", flush=True)
        table.append(found)
    ranks = np.nanmean([rankdata(found, nan_policy="omit") for found in table], axis=0)
    print("| mean rank | " + " | ".join(f"{rank:.1f}" for rank in ranks) + " |")
    beside = np.array(table) - np.array(table)[:, :1]
    marks = [f"{(b < 0).sum()} / {(b == 0).sum()} / {(b > 0).sum()}" for b in beside.T[1:]]
    print("| below / level / above LogisticRegression | | " + " | ".join(marks) + " |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
