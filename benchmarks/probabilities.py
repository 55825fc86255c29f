"""Claim: probabilities of new rows are nearer to what comes true than those of a calibrated LogisticRegression.

The tables, preparation and halves of `new_rows`; five stratified folds, the same for all; what is said of all rows by
rules that did not learn from them is then judged at once. "Ours" is DecisionRule(): PerceptronCV, and the merged
Venn-Abers table of its cross-fitted scores. "In the command" is how `rosenblatt fit --probability` turns the same
scores into probabilities, from the interval of Venn and Abers. The peer is scikit-learn's
CalibratedClassifierCV(LogisticRegression()): five rules with a sigmoid each. LogisticRegression alone is there to
compare.

The calibration error (ECE) is the mean distance between what is said and what is so over ten bins of as many rows each,
dealt out by probability, rows with equal ones in random order; the Brier score is the mean squared distance of each
row. Both times 100, the least of each table in bold. A perfect forecast has an ECE above 0, too: with few rows, shares
vary.

`python -m benchmarks.probabilities development` looks at the other half.
"""

import os
import sys
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from benchmarks import new_rows_sets, workloads
from rosenblatt import DecisionRule, PerceptronCV
from rosenblatt.estimators.crossfitting import LabelledRows, not_learned_from
from rosenblatt.judge.tables import VENN_ABERS, tables_of
from rosenblatt.learn.selection.folds import stratified

FOLDS, BINS, ENOUGH, FEWEST = 5, 10, 1000, 15
OURS, COMMAND, PEER, ALONE = "ours", "in the command", "calibrated LogisticRegression", "LogisticRegression alone"
RULES = (OURS, COMMAND, PEER, ALONE)
WORST = 5


def said(known: object, y: np.ndarray, new: object) -> list[np.ndarray]:
    """How likely each rule says that a yes is, for new rows."""
    rule = DecisionRule(PerceptronCV(random_state=0)).fit(known, y)
    fold = stratified(y.astype(np.int64), FOLDS, np.random.default_rng(0))  # as DecisionRule deals them
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(FOLDS)]
    rows = LabelledRows(known, y, y.astype(np.int64), None)
    unknown = not_learned_from(PerceptronCV(random_state=0), rule.estimator_, rows, splits)
    table = tables_of(VENN_ABERS, unknown.scores, unknown.y)
    peers = CalibratedClassifierCV(LogisticRegression(max_iter=ENOUGH)), LogisticRegression(max_iter=ENOUGH)
    of_peers = [peer.fit(known, y).predict_proba(new)[:, 1] for peer in peers]
    return [rule.predict_proba(new)[:, 1], table.of(rule.estimator_.decision_function(new)), *of_peers]


def calibration_error(p: np.ndarray, y: np.ndarray) -> float:
    """The mean distance between what is said and what is so, over bins of as many rows each."""
    mixed = np.random.default_rng(0).permutation(p.size)
    order = mixed[np.argsort(p[mixed], kind="stable")]
    return sum(abs((p[rows] - y[rows]).sum()) for rows in np.array_split(order, BINS)) / p.size


def judged(X: object, y: np.ndarray) -> np.ndarray:
    """The calibration error and the Brier score of each rule, over all folds at once."""
    p = np.empty((len(RULES), y.size))
    for learned, rest in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(y.size), y):
        known, new = (new_rows_sets.prepared(X[rows], X[learned]) for rows in (learned, rest))
        p[:, rest] = said(known, y[learned], new)
    return np.array([[calibration_error(each, y), np.mean((each - y) ** 2)] for each in p]).T


def table(sets: object) -> None:
    """Judge all rules on these sets, and print it."""
    names, found = [], []
    head = [f"{what}, {rule}" for what in ("ECE", "Brier") for rule in RULES]
    print("\n| data | rows, yes | " + " | ".join(head) + " |\n|" + "---|" * (len(head) + 2))
    for name, X, y in sets:
        if min(y.sum(), (~y).sum()) < FEWEST:
            continue
        lost = np.round(100 * judged(X, y), 2)
        cells = [f"**{e:.2f}**" if e == row.min() else f"{e:.2f}" for row in lost for e in row]
        print(f"| {name} | {y.size:,}, {y.mean():.0%} | " + " | ".join(cells) + " |", flush=True)
        names.append(name)
        found.append(lost)
    lost = np.array(found)
    print(f"| mean of {len(names)} | | " + " | ".join(f"{e:.2f}" for e in lost.mean(axis=0).ravel()) + " |")
    beyond = lost - lost[:, :, RULES.index(PEER), None]
    cells = [f"{(b < 0).sum()} / {(b == 0).sum()} / {(b > 0).sum()}" for b in beyond.reshape(len(names), -1).T]
    print("| below / level / above the calibrated peer | | " + " | ".join(cells) + " |")
    for what, differences in zip(("ECE", "Brier score"), beyond[:, :, 0].T, strict=True):
        worst = [k for k in np.argsort(-differences)[:WORST] if differences[k] > 0]
        losses = ", ".join(f"{names[k]} {differences[k]:+.2f}" for k in worst)
        print(f"\n{what}: ours loses most on {losses or 'nothing'}.")


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
