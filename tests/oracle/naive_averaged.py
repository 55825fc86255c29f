"""Averaged, voted, margin and passive-aggressive learning in their slowest form. Imports nothing of rosenblatt.

A row is a list of floats, the threshold's constant last; labels are -1 and +1. Whether a row moves the weights is
decided in exact rationals; a move is one float addition per entry. Weights after every look are kept, one by one.
"""

from fractions import Fraction
from math import ceil


def dot(a, b):
    return sum((Fraction(p) * Fraction(q) for p, q in zip(a, b, strict=True)), Fraction(0))


def moved(x, y, w, step):
    return [b + (step * y) * a for a, b in zip(x, w, strict=True)]


def on_mistakes(ties="mistake"):
    """The perceptron's step."""

    def step(x, y, w):
        m = y * dot(w, x)
        wrong = m < 0 or (m == 0 and {"mistake": True, "plus": y < 0, "correct": False}[ties])
        return 1.0 if wrong else 0.0

    return step


def within_margin(beta):
    """The step of the perceptron with margin."""
    return lambda x, y, w: 1.0 if y * dot(w, x) <= Fraction(beta) else 0.0


def by_loss(variant, C):
    """The passive-aggressive step: decided exactly, computed by float sums in the order of the features."""

    def step(x, y, w):
        square = score = 0.0
        for a, b in zip(x, w, strict=True):
            square += a * a
            score += a * b
        loss = max(1.0 - y * score, 0.0)
        if square == 0 or y * dot(w, x) >= 1:
            return 0.0
        if variant == "PA-II":
            return loss / (square + 1 / (2 * C))
        return min(C, loss / square) if variant == "PA-I" else loss / square

    return step


def looks(rows, labels, w, order, step, copies=None):
    """Look at rows in `order`, as many copies of each as `copies` says; after every look: the weights, what moved."""
    for i in order:
        many = 1.0 if copies is None else float(copies[i])
        for k in range(ceil(many)):
            part = min(many - k, 1.0)
            size = part * step(rows[i], labels[i], w)
            if size:
                w = moved(rows[i], labels[i], w, size)
            yield w, (i, size) if size else None


def mean(states):
    """The exact mean of weights."""
    return [sum(map(Fraction, column)) / len(states) for column in zip(*states, strict=True)]


def vote(states, x, zero=-1):
    """The votes of weights for +1, less those for -1."""
    scores = [dot(w, x) for w in states]
    return sum(zero if s == 0 else 1 if s > 0 else -1 for s in scores)
