"""Claim: on rows not seen, PerceptronCV errs less than LogisticRegression, LogisticRegressionCV and LinearSVC.

Real tables with two classes and a seeded sample of at most 2,000 rows each (`new_rows_sets`), split by name beforehand:
choices in the code were made on DEVELOPMENT, and VERDICT was looked at when they were made. Gaussians with flipped
labels beside them, other ones in each half. Ten seeded stratified folds; numbers standardised by the rows learned from;
the same for all. LinearSVC's C is chosen by five folds, as LogisticRegressionCV's and the candidates of PerceptronCV
are. Errors in per cent, the least of each table in bold; seconds are those of one fit. Below: the mean error and the
mean rank, on how many tables PerceptronCV is below, level with and above a peer, and where it loses most.

`python -m benchmarks.new_rows development` looks at the other half.
"""

import os
import sys
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tables are small; threads would wait for each other
import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

from benchmarks import new_rows_sets, workloads
from rosenblatt import PerceptronCV

FOLDS, ENOUGH = 10, 1000
COSTS = {"C": [10.0**k for k in range(-4, 3)]}
OURS = "PerceptronCV"
RULES = {
    OURS: PerceptronCV(random_state=0),
    "LogisticRegression": LogisticRegression(max_iter=ENOUGH),
    "LogisticRegressionCV": LogisticRegressionCV(max_iter=ENOUGH),
    "LinearSVC, C by folds": GridSearchCV(LinearSVC(random_state=0), COSTS),
}
WORST = 5


def judged(X: object, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The error of each rule over all folds, and the seconds of a fit."""
    mistakes, seconds = np.zeros(len(RULES)), np.zeros(len(RULES))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for learned, judged in folds.split(np.zeros(len(y)), y):
        known = new_rows_sets.prepared(X[learned], X[learned])
        new = new_rows_sets.prepared(X[judged], X[learned])
        for k, rule in enumerate(RULES.values()):
            begun = time.perf_counter()
            made = clone(rule).fit(known, y[learned])
            seconds[k] += (time.perf_counter() - begun) / FOLDS
            mistakes[k] += (made.predict(new) != y[judged]).sum()
    return mistakes / len(y), seconds


def table(sets: object) -> None:
    """Judge all rules on these sets, and print it."""
    print("\n| data | rows x columns | " + " | ".join(RULES) + " |\n|" + "---|" * (len(RULES) + 2))
    names, errors, seconds = [], [], []
    for name, X, y in sets:
        error, took = judged(X, y)
        cells = [f"**{100 * e:.2f}**" if e == error.min() else f"{100 * e:.2f}" for e in error]
        print(f"| {name} | {X.shape[0]:,} x {X.shape[1]:,} | " + " | ".join(cells) + " |", flush=True)
        names.append(name)
        errors.append(error)
        seconds.append(took)
    errors, seconds = np.array(errors), np.array(seconds)
    ranks = np.mean([rankdata(np.round(error, 12)) for error in errors], axis=0)
    rows = {
        f"mean error of {len(names)}": [f"{100 * e:.2f}" for e in errors.mean(axis=0)],
        "mean rank": [f"{rank:.2f}" for rank in ranks],
        "seconds, mean": [f"{s:.3f}" for s in seconds.mean(axis=0)],
        "seconds, median": [f"{s:.3f}" for s in np.median(seconds, axis=0)],
    }
    beyond = np.round(errors[:, :1] - errors[:, 1:], 12).T
    rows[f"{OURS} below / level / above"] = [
        "",
        *(f"{(b < 0).sum()} / {(b == 0).sum()} / {(b > 0).sum()}" for b in beyond),
    ]
    for called, cells in rows.items():
        print(f"| {called} | | " + " | ".join(cells) + " |")
    for peer, differences in zip(list(RULES)[1:], beyond, strict=True):
        worst = np.argsort(-differences)[:WORST]
        losses = ", ".join(f"{names[k]} {100 * differences[k]:+.2f}" for k in worst if differences[k] > 0)
        print(f"\nIt loses most to {peer} on: {losses or 'nothing'}.")


def main(half: str = "verdict") -> None:
    """Print the tables."""
    workloads.tell_if_absent()
    warnings.simplefilter("ignore")
    print(f"\n{half.upper()}")
    table(new_rows_sets.real_sets(half))
    print("\nFLIPPED LABELS")
    table(new_rows_sets.noisy_sets(half))


if __name__ == "__main__":
    main(*sys.argv[1:])
