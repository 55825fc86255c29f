"""What is learned and proved, as hashes: to be compared between machines, storages, threads and compilers.

    python tests/parity/same_bits.py                     prints them, as JSON
    python tests/parity/same_bits.py --environments      repeats that in other environments, and compares

`SAME` is promised to be equal to the last bit everywhere; `AS_GOOD` to say the same, by other numbers: BLAS and LAPACK
add up in an order that depends on the processor.
"""

import json
import os
import subprocess
import sys
import warnings
from hashlib import sha256
from pathlib import Path

import numpy as np
import scipy.sparse as sp

ENVIRONMENTS = {
    "one thread": {"ROSENBLATT_THREADS": "1"},
    "uncompiled": {"NUMBA_DISABLE_JIT": "1"},
    "BLAS of 2004": {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"},
    "NumPy without wide vectors": {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX AVX512_ICL"},
    "any processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
}
QUICK = ("one thread", "uncompiled", "BLAS of 2004", "NumPy without wide vectors")  # nothing is compiled anew


def digest(*arrays):
    return sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[:16]


def tables():
    """Few rows, so that they can be learned from uncompiled: overlapping, separable, and of several classes."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4)).astype(np.float32).astype(float)
    score = X @ [1.0, -2.0, 0.5, 0.0] + 0.3
    X[rng.random(X.shape) < 0.2] = 0.0
    yield "overlapping", X, score + rng.normal(size=60) > 0
    yield "separable", X, X @ [1.0, -2.0, 0.5, 0.0] + 0.3 > 0
    yield "classes", X, np.digitize(score, [-1.0, 1.0])


def same(X, y):
    """Names and hashes of what must be equal everywhere."""
    from rosenblatt import (
        AveragedPerceptron,
        KernelPerceptron,
        LiftedPerceptron,
        MarginPerceptron,
        OnlinePerceptron,
        PassiveAggressive,
        Perceptron,
        PerceptronTree,
        PocketPerceptron,
        VotedPerceptron,
    )

    rules = {f"perceptron, {order}": Perceptron(order=order, max_passes=20, random_state=0) for order in
             ("active", "cyclic", "random", "random-mistake", "worst")}  # fmt: skip
    rules |= {
        "pocket of the notes": PocketPerceptron(improve=None, max_updates=60, random_state=0),
        "averaged": AveragedPerceptron(max_passes=4),
        "margin": MarginPerceptron(max_passes=4),
        "passive-aggressive": PassiveAggressive(max_passes=4, random_state=0),
        "voted": VotedPerceptron(max_passes=3),
        "lifted": LiftedPerceptron(a=0.5, max_passes=50),
    }
    for name, rule in rules.items():
        rule.fit(X, y)
        yield name, digest(rule.weights_, rule.predict(X))
    kernel = KernelPerceptron(kernel="linear", max_passes=4).fit(X, y)
    yield "kernel", digest(kernel.predict(X), np.atleast_1d(kernel.n_updates_))
    if np.unique(y).size == 2:
        online = OnlinePerceptron()
        online.learn_many(X, y)
        yield "online", digest(online.weights_)
    tree = PerceptronTree(random_state=0).fit(X.toarray() if sp.issparse(X) else np.asarray(X, float), y)
    yield "tree", sha256(repr(tree.tree_.nodes).encode()).hexdigest()[:16]


def as_good(X, y):
    """What may be reached by other numbers, and must say the same."""
    from rosenblatt import PocketPerceptron, margin, optimality, separability

    if np.unique(y).size > 2:
        return
    verdict = separability(X, y)
    verdict.certificate.verify(X, y)
    yield "verdict", verdict.separable
    wide = margin(X, y)
    if wide.certificate is not None:
        wide.certificate.verify(X, y)
    yield "margin", f"{wide.upper:.9g}"
    interval = optimality(X, y)
    interval.verify(X, y)
    yield "fewest mistakes", [interval.lower, interval.upper]
    yield "mistakes of the pocket", PocketPerceptron(random_state=0).fit(X, y).mistakes_


def results():
    """Everything, for every table and storage."""
    found = {"same": {}, "as good": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for table, X, y in tables():
            for storage, stored in (("dense", X), ("float32", X.astype(np.float32)), ("sparse", sp.csr_array(X))):
                for name, value in same(stored, y):
                    first = found["same"].setdefault(f"{name}, {table}", value)
                    if value != first:  # all storages give the same
                        found["same"][f"{name}, {table}, {storage}"] = value
            found["as good"] |= {f"{name}, {table}": value for name, value in as_good(X, y)}
    return found


def in_environment(name, cache):
    """The results of a process with these variables."""
    environment = {**os.environ, **ENVIRONMENTS[name], "PYTHONWARNINGS": "ignore"}
    if name == "any processor":  # compiled anew, beside what is there
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def compared(names, cache):
    """For each environment, what differs from here: hashes that should be the same, and findings that should be."""
    here = json.loads(json.dumps(results()))
    for name in names:
        there = in_environment(name, cache)
        yield (
            name,
            {
                kind: sorted(key for key in here[kind] | there[kind] if here[kind].get(key) != there[kind].get(key))
                for kind in here
            },
        )


if __name__ == "__main__":
    if "--environments" in sys.argv:
        for name, differ in compared(ENVIRONMENTS, Path("build") / "same_bits"):
            print(
                f"{name}: {differ['same'] or 'the same bits'}; {differ['as good'] or 'the same findings'}", flush=True
            )
    else:
        print(json.dumps(results(), indent=1))
