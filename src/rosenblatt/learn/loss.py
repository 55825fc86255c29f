"""The algorithm seen as stochastic gradient descent, and as one line without a branch (Nath, 9.2 and 9.4).

Loss of one row   L(w) = max(0, -y (w . x)), the "perceptron loss": 0 where the row is right or on the boundary.
Subgradient       -y x where y (w . x) < 0, and 0 where it is > 0. At 0, every vector from 0 to -y x is one; the
                  choice is the tie rule. With 0 (as printed) descent from w = 0 never starts; with -y x it is
                  the rule "mistake".
One line          w += (y - sgn(w . x)) / 2 * x, with sgn(0) = +1: the rule "plus". (As printed, with
                  sgn(y w . x), it updates rows labelled -1 exactly when they are right.)

These are for reading and for checking; `learn.pla.pla` is for learning. The loss along a run is in `Ledger.steps`.
"""

import numpy as np

from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array


def perceptron_loss(examples: Examples, w: Array) -> float:
    """The sum of max(0, -y (w . x)) over the rows, each as often as its weight says."""
    losses = np.maximum(0.0, -find.margins(examples, w))
    return float(losses @ examples.weights if examples.weights.size else losses.sum())


def subgradient(x: Array, y: int, w: Array, *, at_kink: float = 1.0) -> Array:
    """A subgradient of one row's loss; at the kink, `at_kink` times -y x."""
    m = y * float(w @ x)
    return -y * x * (1.0 if m < 0 else at_kink if m == 0 else 0.0)


def gradient_step(x: Array, y: int, w: Array, *, at_kink: float = 1.0) -> Array:
    """The weights after one step of stochastic gradient descent with step length 1."""
    return w - subgradient(x, y, w, at_kink=at_kink)


def half_difference_step(x: Array, y: int, w: Array) -> Array:
    """The weights after w += (y - sgn(w . x)) / 2 * x, with sgn(0) = +1."""
    return w + (y - (1 if float(w @ x) >= 0 else -1)) / 2 * x
