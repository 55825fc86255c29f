"""Every kind of run, endless but for the Ctrl-C that ends it; run by test_interruptions.py in a process of its own.

Prints a line for each: its name, why the run stopped, and whether what it kept is what its ledger tells.
"""

import os
import signal
import threading
import warnings

import numpy as np

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LiftedPerceptron,
    PassiveAggressive,
    Perceptron,
)

SECONDS = 0.5
X = np.random.default_rng(0).normal(size=(2000, 5))
FEW = np.round(X[:, :1], 1)  # values that many rows share, so that no kernel tells their classes apart
CLASSES = {"two classes": np.arange(2000) % 2, "three classes": np.arange(2000) % 3}


def replayed(rule, y, weights):
    """Whether the ledgers lead to the weights, after some corrections."""
    return rule.n_updates_ > 0 and rule.replay(X, y).tobytes() == weights.tobytes()


def counted(rule, _):
    made = np.bincount(rule.ledger_.rows, minlength=2000)[rule.support_]
    return made.tolist() == np.abs(rule.dual_coef_[0]).tolist()


def interrupted(name, rule, X, y, is_kept):
    type(rule)(**rule.get_params() | {"max_passes": 1}).fit(X, y)  # compiled before the clock runs
    threading.Timer(SECONDS, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        rule.fit(X, y)
    except KeyboardInterrupt:
        print(name, rule.stop_reason_.name, is_kept(rule, y), sep=": ", flush=True)


def main():
    warnings.simplefilter("ignore")
    for many, y in CLASSES.items():
        for order in ("active", "cyclic", "random", "worst"):
            rule = Perceptron(order=order, max_passes=None)
            interrupted(f"{order}, {many}", rule, X, y, lambda rule, y: replayed(rule, y, rule.weights_))
    y = CLASSES["two classes"]
    for name, rule in (("averaged", AveragedPerceptron), ("passive-aggressive", PassiveAggressive)):
        interrupted(name, rule(max_passes=None), X, y, lambda rule, y: replayed(rule, y, rule.last_weights_))
    lifted = LiftedPerceptron(a=1 - 1e-12)
    interrupted("lifted", lifted, X, y, lambda rule, y: replayed(rule, y, rule.weights_))
    interrupted("kernel", KernelPerceptron(max_passes=None), FEW, y, counted)


if __name__ == "__main__":
    main()
