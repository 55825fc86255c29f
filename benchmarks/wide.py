"""Claim: wide tables and sparse text cost by what is stored in them: no rule takes d^2 memory, crawls or crashes.

Every fit is a process of its own, stopped after TIMEOUT seconds; compiled code is loaded first, on a few rows of the
same kind. Times are of `fit` and of `predict` on the held-out rows, memory is what both took beyond the table; mistakes
are in per cent of the rows learned from and of those held out. The peers are scikit-learn's SGDClassifier, Perceptron
and LogisticRegression(solver="liblinear"), with their defaults. "overlap": one document in fifty is there a second time
with the other label. `python -m benchmarks.wide TABLE RULE` measures one.
"""

import json
import resource
import subprocess
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks import workloads

TIMEOUT, MOST_MEMORY = 240, 8 * 2**30
HASHED = 2**18
PEERS = {
    "SGDClassifier": ("sklearn.linear_model", {"random_state": 0}),
    "scikit-learn's Perceptron": ("sklearn.linear_model", {"random_state": 0}),
    "LogisticRegression": ("sklearn.linear_model", {"solver": "liblinear"}),
}
OURS = {
    "Perceptron": {},
    "PocketPerceptron": {"random_state": 0},
    "AveragedPerceptron": {},
    "VotedPerceptron": {},
    "MarginPerceptron": {},
    "PassiveAggressive": {"random_state": 0},
    "LiftedPerceptron": {},
    "SoftMarginPerceptron": {},
    "KernelPerceptron": {},
    "PerceptronTree": {"random_state": 0},
}
PROOFS = ["separability", "margin", "optimality"]


def documents(n: int, seed: int, words: int = 100_000, length: int = 90, flipped: float = 0.05) -> tuple:
    """Bags of words, drawn as Zipf draws them, but words of a class a little more often in it; hashed, of length 1."""
    drawn = np.random.default_rng(7)  # the same words for every seed
    leaning, place = drawn.normal(size=words), drawn.integers(HASHED, size=words)
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n) * 2 - 1
    tokens = (words ** rng.random((n, length))).astype(int) - 1
    again = (words ** rng.random((n, length))).astype(int) - 1
    keep = rng.random((n, length)) < 1.0 / (1.0 + np.exp(-2.0 * y[:, None] * leaning[tokens]))
    columns = place[np.where(keep, tokens, again)]
    X = sp.csr_array((np.ones(n * length), columns.ravel(), np.arange(0, n * length + 1, length)), shape=(n, HASHED))
    return _unit(X), np.where(rng.random(n) < flipped, -y, y)


def overlapping_documents(n: int, seed: int) -> tuple:
    """The same, one in fifty of them a second time with the other label."""
    X, y = documents(n, seed)
    again = np.arange(0, n, 50)
    return sp.csr_array(sp.vstack([X[: n - again.size], X[again]])), np.concatenate([y[: n - again.size], -y[again]])


def real_documents() -> tuple:
    """Text messages and newsgroups, hashed: three quarters of them first."""
    from scipy.io import loadmat
    from sklearn.feature_extraction.text import HashingVectorizer

    lines = (workloads.SHARED / "sms_spam" / "SMSSpamCollection").read_text("utf-8").splitlines()
    texts, labels = [line.split("\t", 1)[1] for line in lines], [line.startswith("spam") for line in lines]
    for name in ("BASEHOCK", "PCMAC", "RELATHE"):
        stored = loadmat(workloads.SHARED / "text_pairs_20ng" / f"{name}.mat")
        X = sp.csr_array(stored["X"])
        for i in range(X.shape[0]):
            row = slice(X.indptr[i], X.indptr[i + 1])
            texts.append(" ".join(f"{name}{j}" for j in np.repeat(X.indices[row], X.data[row].astype(int))))
        labels += (stored["Y"].ravel() == stored["Y"].max()).tolist()
    X = sp.csr_array(HashingVectorizer(n_features=HASHED, alternate_sign=False).transform(texts))
    order = np.random.default_rng(0).permutation(len(texts))
    return workloads._narrow(sp.csr_array(X[order])), np.where(np.array(labels)[order], 1, -1)


def genes(n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlated expressions of very different sizes; two hundred of them differ between the classes."""
    drawn, rng = np.random.default_rng(d), np.random.default_rng(seed)
    factors, sizes = drawn.normal(size=(20, d)), np.exp(drawn.normal(5.0, 1.5, size=d))
    y = np.where(np.arange(n) % 3 == 0, -1, 1)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(n, 20)) @ factors
    X[:, :200] += 0.75 * y[:, None]
    return X * sizes + 3.0 * sizes, y


def _unit(X: sp.csr_array) -> sp.csr_array:
    X.sum_duplicates()
    X = sp.csr_array(sp.diags_array(1.0 / np.sqrt(X.multiply(X).sum(axis=1))) @ X)
    X.sort_indices()
    return workloads._narrow(X)


def table(name: str) -> tuple:
    """Rows to learn from and rows held out, with their labels."""
    if name == "real documents":
        X, y = real_documents()
        many = 3 * len(y) // 4
        return X[:many], y[:many], X[many:], y[many:]
    make = {
        "20k documents": lambda seed: documents(20_000 if seed else 5_000, seed),
        "20k documents, overlap": lambda seed: overlapping_documents(20_000 if seed else 5_000, seed),
        "genes 74 x 7,129": lambda seed: genes(74, 7_129, seed),
        "dense 200 x 20,000": lambda seed: genes(200, 20_000, seed),
    }[name]
    return *make(1), *make(0)


TABLES = ["20k documents", "20k documents, overlap", "real documents", "genes 74 x 7,129", "dense 200 x 20,000"]


def rule_of(name: str):
    """The rule of this name, with its defaults."""
    if name in PEERS:
        module, options = PEERS[name]
        return getattr(import_module(module), name.removeprefix("scikit-learn's "))(**options)
    return getattr(import_module("rosenblatt"), name)(**OURS[name])


def memory(what: str = "VmHWM") -> float:
    """The most memory that the process has had since `forget`, in MB; with "VmRSS", what it has now (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def forget() -> float:
    """Count the most memory anew from here; returns what there is now."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def one(where: str, name: str) -> dict[str, object]:
    """Measure one rule or proof on one table."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    warnings.simplefilter("ignore")
    X, y, new, labels = table(where)
    few = np.concatenate([np.flatnonzero(y == label)[:10] for label in (-1, 1)])
    if name in PROOFS:
        prove = getattr(import_module("rosenblatt"), name)
        rule = rule_of("PocketPerceptron").fit(X, y) if name == "optimality" else None
        before, begin = forget(), time.perf_counter()
        told = prove(X, y, rule) if rule else prove(X, y)
        return {"fit": time.perf_counter() - begin, "memory": memory() - before, "said": str(told)[:100]}
    rule_of(name).fit(X[few], y[few]).predict(new[:20])
    before, begin = forget(), time.perf_counter()
    rule = rule_of(name).fit(X, y)
    fitted = time.perf_counter()
    wrong = (rule.predict(new) != labels).mean()
    took = time.perf_counter() - fitted
    result = {"fit": fitted - begin, "predict": took, "memory": memory() - before, "held out": wrong}
    return result | {"wrong": (rule.predict(X) != y).mean(), "said": str(getattr(rule, "stop_reason_", ""))}


def measured(where: str, name: str) -> dict[str, object]:
    """The same in a process of its own."""
    call = [sys.executable, "-m", "benchmarks.wide", where, name]
    try:
        run = subprocess.run(call, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return {"said": f"over {TIMEOUT} s"}
    if run.returncode:
        return {"said": run.stderr.strip().splitlines()[-1][:120] if run.stderr.strip() else f"code {run.returncode}"}
    return json.loads(run.stdout.splitlines()[-1])


def main(tables: list[str] | None = None) -> None:
    """Measure everything, or only these tables."""
    for where in tables or TABLES:
        if where == "real documents" and not workloads.SHARED.exists():
            workloads.tell_if_absent()
            continue
        print(f"\n| {where} | fit s | predict s | MB | wrong % | held out % | why it stopped |\n|" + "---|" * 7)
        for name in [*PEERS, *OURS, *PROOFS]:
            got = measured(where, name)
            cells = [f"{got[key]:.2f}" if key in got else "" for key in ("fit", "predict")]
            cells.append(f"{got['memory']:.0f}" if "memory" in got else "")
            cells += [f"{100 * got[key]:.2f}" if key in got else "" for key in ("wrong", "held out")]
            print(f"| {name} | " + " | ".join([*cells, str(got["said"])]) + " |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(one(sys.argv[1], sys.argv[2])))
    else:
        main(sys.argv[1:])
