"""What mistakes cost, in whole numbers: sums of them are exact in any order, so a comparison of two rules is, too."""

from math import frexp

import numpy as np

from rosenblatt import search
from rosenblatt.examples import Examples
from rosenblatt.kernels import Array, Ties

ROOM = 61  # bits: more than any sum of costs has
SMALLEST = -1074  # the exponent of the least float above 0
NO_COSTS = np.empty(0, np.int64)


def costs_of(examples: Examples) -> tuple[Array, float]:
    """A whole number for every row (empty: 1 each), and what one unit of them is worth.

    Weights that are whole, or have few binary digits, are taken exactly; others to a part in 2^61 of their sum, and a
    mistake on a row that counts is never free.
    """
    weights = examples.weights
    if not weights.size:
        return NO_COSTS, 1.0
    unit = 2.0 ** max(frexp(float(weights.sum()))[1] - ROOM, SMALLEST)
    costs = np.maximum(np.rint(weights / unit).astype(np.int64), weights > 0)
    if not (costs & -costs).any():
        return costs, unit
    common = int(np.bitwise_or.reduce(costs))
    zeros = (common & -common).bit_length() - 1  # at the end of all of them
    return costs >> zeros, unit * 2.0**zeros


def cost(examples: Examples, w: Array, ties: Ties, gamma: float = 0.0) -> float:
    """What the mistakes of these weights cost; with gamma > 0, margins below gamma ||w|| are mistakes, too."""
    costs, unit = costs_of(examples)
    wrong, near = search.find(examples, w, ties, band=gamma * search.norm(w))
    wrong = np.concatenate([wrong, near])
    return unit * (int(costs[wrong].sum()) if costs.size else int(wrong.size))
