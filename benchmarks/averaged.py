"""Averaged and passive-aggressive learning against scikit-learn: `fit` end to end, at the same number of passes.

The peers are SGDClassifier(loss="perceptron", average=True), Perceptron, which cannot average, and the learning rates
"pa1" and "pa2" of SGDClassifier, which replace PassiveAggressiveClassifier; all without a stopping rule, so that each
makes its ten passes. Each time is the best of seven fits, ours and the peer's in turns. No rule stops early: the labels
of 1 row in 1000 are turned, or of 1 in 20 ("noisy"), where about 17 % of the looks are mistakes and 38 % have a loss.
On CSR all learn without a threshold, because there the peers damp it by 0.01 and are other algorithms.
Then the vote: the time to predict, and that of multiplying the rows with all weight vectors, a block at a time.
"""

import time
import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as Peer
from sklearn.linear_model import SGDClassifier

from benchmarks import workloads
from benchmarks.clean_pass import seconds
from rosenblatt.estimators.averaged import AveragedPerceptron
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.voted import VotedPerceptron

warnings.simplefilter("ignore")
PASSES = 10


def noisy(X: object, y: np.ndarray, part: float) -> tuple[object, np.ndarray]:
    """The same rows with this part of the labels turned."""
    return X, y * np.where(np.random.default_rng(0).random(len(y)) < part, -1, 1)


def peers(shuffle: bool, threshold: bool) -> list[tuple[str, object, str, object]]:
    """Ours and theirs, with names."""
    both = {"shuffle": shuffle, "random_state": 0, "fit_intercept": threshold}
    how, ours = {"max_iter": PASSES, "tol": None, "penalty": None, **both}, {"max_passes": PASSES, **both}
    mean = SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, average=True, **how)
    aggressive = [SGDClassifier(loss="hinge", learning_rate=rate, eta0=1.0, **how) for rate in ("pa1", "pa2")]
    return [
        ("AveragedPerceptron", AveragedPerceptron(**ours), "SGDClassifier(average=True)", mean),
        ("AveragedPerceptron", AveragedPerceptron(**ours), "Perceptron (no average)", Peer(**how)),
        ("PassiveAggressive PA-I", PassiveAggressive(**ours), "SGDClassifier pa1", aggressive[0]),
        ("PassiveAggressive PA-II", PassiveAggressive(variant="PA-II", **ours), "SGDClassifier pa2", aggressive[1]),
    ]


def compare(data: str, X: object, y: np.ndarray, shuffle: bool) -> None:
    """Print a table row per pair."""
    for name, rule, peer_name, peer in peers(shuffle, threshold=not sp.issparse(X)):
        rule.fit(X, y)  # loads the compiled kernels
        fits = [partial(rule.fit, X, y), partial(peer.fit, X, y)]
        ours, theirs = np.min([[seconds(fit) for fit in fits] for _ in range(7)], axis=0)
        scores = f"{rule.score(X, y):.3f} | {peer.score(X, y):.3f}"
        order = "shuffled" if shuffle else "in order"
        cells = [data, order, name, peer_name, f"{ours / PASSES * 1e3:.2f}", f"{theirs / PASSES * 1e3:.2f}"]
        print("| " + " | ".join([*cells, f"**{theirs / ours:.1f}**", scores]) + " |", flush=True)


def vote(data: str, X: object, y: np.ndarray, rows: int) -> None:
    """Print how long a vote takes, and how long it takes by products of matrices."""
    rule = VotedPerceptron(max_passes=PASSES).fit(X, y)
    some, voters = X[:rows], rule._electorates[0]
    rule.predict(some)
    ours = min(seconds(lambda: rule.predict(some)) for _ in range(3))

    def products() -> np.ndarray:
        total = np.zeros(rows)
        for vectors, votes in voters._blocks():
            scores = some @ np.ascontiguousarray(vectors[:, :-1].T) + vectors[:, -1]
            total += np.where(scores > 0, 1, -1) @ votes
        return total

    begin = time.perf_counter()
    total = products()
    theirs = time.perf_counter() - begin
    assert ((total > 0) == (rule.predict(some) == rule.classes_[1])).all()
    cells = [data, str(rule.n_updates_ + 1), f"{ours / rows * 1e6:.0f}", f"{theirs / rows * 1e6:.0f}"]
    print("| " + " | ".join([*cells, f"**{theirs / ours:.1f}**"]) + " |", flush=True)


def main() -> None:
    """Run everything."""
    rows, text = workloads.unit_rows(50_000, 20, 0.002, 0), workloads.sparse_rows("zipf", 0, n=20_000, d=5_000)
    dense, sparse = noisy(*rows, 0.05), noisy(*text, 0.05)
    columns = [
        "data",
        "order",
        "ours",
        "peer",
        "ours, ms a pass",
        "peer, ms a pass",
        "factor",
        "our score",
        "its score",
    ]
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    sets = {
        "50k x 20": noisy(*rows, 0.001),
        "50k x 20, noisy": dense,
        "20k x 5k CSR": noisy(*text, 0.001),
        "20k x 5k CSR, noisy": sparse,
    }
    for data, (X, y) in sets.items():
        for shuffle in (False, True):
            compare(data, X, y, shuffle)
    columns = ["data", "vectors", "vote, us a row", "products, us a row", "factor"]
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    vote("50k x 20, noisy", *dense, 5_000)
    vote("20k x 5k CSR, noisy", sp.csr_array(sparse[0]), sparse[1], 1_000)


if __name__ == "__main__":
    main()
