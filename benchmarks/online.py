"""Claim 6: one row of a stream is learned from in about a microsecond, several times sooner than by any peer.

One stream of 20 features, 7 % of whose rows are mistakes, a row at a time: `OnlinePerceptron` given arrays and dicts,
with exact decisions, counters and labels; River's Perceptron and PAClassifier, given the same dicts; Vowpal Wabbit with
hinge loss, given lines that were written beforehand; scikit-learn's `partial_fit`, given tables of one row. Peers are
measured where they are installed. Times are medians over stretches of 1000 rows that all learners take in turn, so that
they see the same machine. Then the same stream in blocks: `learn_many`, whose weights are those of the loop over
`learn_one` to the last bit, against `partial_fit`.
"""

import time
import warnings
from importlib.util import find_spec
from statistics import median

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as Peer

from rosenblatt.estimators.online import OnlinePerceptron

warnings.simplefilter("ignore")

ROWS, FEATURES, STRETCH, TURNS = 20_000, 20, 1000, 3
SLOW = 50  # rows of a stretch that are given to scikit-learn
BLOCKS = [1, 100, 10_000]


def stream() -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows and labels of a noisy hyperplane."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    return X, X @ rng.normal(size=FEATURES) + 0.5 * rng.normal(size=ROWS) > 0


def learners(X: np.ndarray, y: np.ndarray):
    """Each learner's name, rows and labels, how it learns from one and predicts one, and how many it gets at a time."""
    arrays, labels, names = list(X), y.tolist(), [f"x{j}" for j in range(FEATURES)]
    dicts = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    for mode in ("perceptron", "averaged", "PA-I"):
        for form, rows in (("array", arrays), ("dict", dicts)):
            rule = OnlinePerceptron(mode=mode)
            yield f"ours, {mode}, {form}", rows, labels, rule.learn_one, rule.predict_one, STRETCH
    if find_spec("river"):
        from river import linear_model

        for peer in (linear_model.Perceptron(), linear_model.PAClassifier()):
            yield f"River {type(peer).__name__}", dicts, labels, peer.learn_one, peer.predict_one, STRETCH
    if find_spec("vowpalwabbit"):
        from vowpalwabbit import Workspace

        vw = Workspace("--loss_function hinge --binary --quiet")
        features = [" | " + " ".join(f"{name}:{v!r}" for name, v in x.items()) for x in dicts]
        lines = [("1" if label else "-1") + line for label, line in zip(labels, features, strict=True)]
        yield "Vowpal Wabbit, lines", lines, labels, lambda line, _: vw.learn(line), vw.predict, STRETCH
    peer = Peer(shuffle=False)
    tables, singles = [x[np.newaxis] for x in X], [np.array([label]) for label in labels]
    peer.partial_fit(X[:10], y[:10], classes=[False, True])
    yield "scikit-learn partial_fit", tables, singles, peer.partial_fit, peer.predict, SLOW


def microseconds(found: dict) -> None:
    """Learn from the stream, and predict it, a stretch of every learner in turn; notes the times of each."""
    for _ in range(TURNS):
        for first in range(0, ROWS, STRETCH):
            for rows, labels, learn, predict, share, learned, predicted in found.values():
                part = slice(first, first + share)
                some, their = rows[part], labels[part]
                begin = time.perf_counter()
                for x, y in zip(some, their, strict=True):
                    learn(x, y)
                middle = time.perf_counter()
                for x in some:
                    predict(x)
                end = time.perf_counter()
                learned.append((middle - begin) / share * 1e6)
                predicted.append((end - middle) / share * 1e6)


def in_blocks(X: np.ndarray, y: np.ndarray) -> None:
    """Rows per second in blocks of several sizes."""
    print("\n| block | storage | ours, M rows/s | scikit-learn, M rows/s | factor |\n|---|---|---|---|---|")
    for size in BLOCKS:
        for storage, table in (("dense", X), ("CSR", sp.csr_array(X))):
            many = ROWS if size > 1 else 1000
            parts = [(table[k : k + size], y[k : k + size]) for k in range(0, many, size)]
            times: dict[str, list[float]] = {"ours": [], "peer": []}
            for _ in range(5):
                rule, peer = OnlinePerceptron(), Peer(shuffle=False)
                begin = time.perf_counter()
                for rows, labels in parts:
                    rule.learn_many(rows, labels)
                middle = time.perf_counter()
                for rows, labels in parts:
                    peer.partial_fit(rows, labels, classes=[False, True])
                times["ours"].append(middle - begin)
                times["peer"].append(time.perf_counter() - middle)
            ours, theirs = (many / median(times[who]) / 1e6 for who in ("ours", "peer"))
            print(f"| {size:,} | {storage} | {ours:.3g} | {theirs:.3g} | **{ours / theirs:.1f}** |", flush=True)


def main() -> None:
    """Run everything."""
    X, y = stream()
    found = {name: (*learner, [], []) for name, *learner in learners(X, y)}
    for rows, labels, learn, predict, *_ in found.values():
        learn(rows[0], labels[0]), predict(rows[0])  # what is compiled is compiled here
    microseconds(found)
    ours = {form: median(found[f"ours, perceptron, {form}"][5]) for form in ("array", "dict")}
    print("\n| learner | learn_one us | predict_one us | slower than ours: array | dict |\n|---|---|---|---|---|")
    for name, (*_, learned, predicted) in found.items():
        factors = [f"{median(learned) / ours[form]:.1f}" for form in ours]
        print(f"| {name} | {median(learned):.2f} | {median(predicted):.2f} | {factors[0]} | {factors[1]} |", flush=True)
    in_blocks(X, y)


if __name__ == "__main__":
    main()
