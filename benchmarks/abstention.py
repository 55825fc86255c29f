"""Claim: a guaranteed error rate is exceeded no more often than its confidence allows. Beside it: the share decided.

Each repetition draws 1,000 rows, with replacement where they are those of a table, learns
`DecisionRule(PerceptronCV(), at_most=..., random_state=...)`, and judges it on the whole population: 40,000 other
Gaussians, or every row of the table. There the error among decided rows is known. With confidence 95%, 25 of 500
repetitions may exceed the rate that was asked for.

The peer is a plain cut-off of |p - 1/2|: CalibratedClassifierCV(LogisticRegression()) learns from the same rows, p is
its probability, and the same exact test on the same rows set aside goes along cut-offs that are quantiles of |p - 1/2|
of cross-validated probabilities; it begins, as ours, at the one that these say is likeliest to pass. For a rate among
the rows of one class, the cut-offs are of p itself. "Decided" is the mean share of all rows, with the standard error of
the difference in each repetition (for a rate of a class: the share of all rows that are said to be the other class).

`python -m benchmarks.abstention 50` does 50 repetitions; `... 50 electricity phishing` only these populations.
"""

import os
import sys
import warnings
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from benchmarks import workloads
from rosenblatt import DecisionRule, PerceptronCV
from rosenblatt.judge.abstain import ARE_NO, DECIDED, Tolerance, choose, surest_rung
from rosenblatt.judge.binomial import interval
from rosenblatt.judge.ladder import Ladder
from rosenblatt.judge.scored import Scored

REPETITIONS, ROWS, POPULATION, APART, CONFIDENCE = 500, 1000, 40_000, 0.2, 0.95
Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def logistic(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows of 10 columns, with the labels that logistic regression is made for."""
    X = rng.normal(size=(n, 10))
    return X, rng.random(n) < 1 / (1 + np.exp(-X @ np.linspace(0.2, 1.6, 10) - 0.5))


def flipped(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows of 20 columns; far from the plane labels are right, near it every fourth is flipped."""
    X = rng.normal(size=(n, 20))
    score = X @ np.linspace(-1, 1, 20)
    return X, (score > 0.5) ^ ((rng.random(n) < 0.25) & (np.abs(score) < 2.5))


def of_table(wanted: str) -> tuple[np.ndarray, np.ndarray] | None:
    """A table of the shared folder, numbers standardised."""
    if not workloads.SHARED.exists():
        return None
    X, y = next((X, y) for name, X, y in workloads.other_sets() if name.startswith(wanted))
    return workloads.standardised(X), y == np.unique(y)[1]


POPULATIONS = {"logistic": logistic, "flipped near the plane": flipped}
SETTINGS = [
    ("logistic", 0.1),
    ("flipped near the plane", 0.1),
    ("electricity", 0.2),
    ("phishing", 0.05),
    ("logistic", {-1: 0.1}),
]


def said_by_peer(X: object, y: np.ndarray, apart: np.ndarray, rate: object, everything: object) -> np.ndarray:
    """The decisions of the peer: 1, -1, or 0 for asking a person."""
    rest, peer = np.setdiff1d(np.arange(y.size), apart), CalibratedClassifierCV(LogisticRegression(max_iter=1000))
    crossed = cross_val_predict(peer, X[rest], y[rest], method="predict_proba")[:, 1]
    peer.fit(X[rest], y[rest])
    of_class = isinstance(rate, dict)
    tolerance = Tolerance(rate[-1], ARE_NO) if of_class else Tolerance(rate, DECIDED)
    ladder = Ladder.from_top(crossed) if of_class else Ladder.around(0.5, crossed)
    first = surest_rung(apart.size, ladder, [tolerance], Scored.of(crossed, y[rest]))
    shown = Scored.of(peer.predict_proba(X[apart])[:, 1], y[apart])
    return choose(shown, ladder, [tolerance], CONFIDENCE, first=first).of(peer.predict_proba(everything)[:, 1])


def measured(said: np.ndarray, y: np.ndarray, rate: object) -> tuple[bool, float]:
    """Whether the rate is exceeded, and the share decided."""
    if isinstance(rate, dict):
        return float((said[~y] == 1).mean()) > rate[-1], float((said == 1).mean())
    decided = said != 0
    wrong = (said == 1) != y
    return bool(decided.any()) and float(wrong[decided].mean()) > rate, float(decided.mean())


def repeated(name: str, rate: object, times: int) -> None:
    """A line of the table."""
    rng = np.random.default_rng(1)
    draw: Draw | None = POPULATIONS.get(name)
    population = of_table(name) if draw is None else draw(rng, POPULATION)
    if population is None:
        return
    everything, truth = population
    found = []
    for k in range(times):
        if draw is None:
            rows = rng.integers(truth.size, size=ROWS)
            X, y = everything[rows], truth[rows]
        else:
            X, y = draw(rng, ROWS)
        rule = DecisionRule(PerceptronCV(random_state=0), at_most=rate, undecided=0, random_state=k)
        codes = rule.fit(X, np.where(y, 1, -1)).predict(everything)
        apart = np.sort(np.random.default_rng(k).permutation(ROWS)[: round(APART * ROWS)])  # as the rule's
        found.append([measured(codes, truth, rate), measured(said_by_peer(X, y, apart, rate, everything), truth, rate)])
    results = np.array(found, float)
    (ours, decided), (peer, peer_decided) = results.mean(axis=0)
    more = results[:, 0, 1] - results[:, 1, 1]
    asked = (
        f"of {'no' if isinstance(rate, dict) else 'decided'}: {100 * (rate[-1] if isinstance(rate, dict) else rate):g}%"
    )
    ends = interval(round(ours * times), times)
    print(
        f"| {name} | {asked} | {round(ours * times)} of {times} ({100 * ours:.1f}%; {100 * ends[0]:.1f} to "
        f"{100 * ends[1]:.1f}) | {100 * decided:.1f} | {round(peer * times)} ({100 * peer:.1f}%) | "
        f"{100 * peer_decided:.1f} | {100 * more.mean():+.1f} ± {100 * more.std() / times**0.5:.1f} |",
        flush=True,
    )


def main(times: str = str(REPETITIONS), *names: str) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    workloads.tell_if_absent()
    print("\n| rows | at most | exceeded, ours | decided, % | exceeded, plain cut-off | decided, % | difference |")
    print("|---|---|---|---|---|---|---|")
    for name, rate in SETTINGS:
        if not names or name in names:
            repeated(name, rate, int(times))


if __name__ == "__main__":
    main(*sys.argv[1:])
