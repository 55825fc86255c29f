"""What mistakes cost, in whole numbers: sums of them are exact in any order, so a comparison of two rules is, too."""

from math import frexp, fsum, ldexp

import numpy as np

from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Ties

ROOM = 61  # binary digits of the sum of costs, which rows that cost 1 instead of a part of it hardly change
LEAST = -1074  # the exponent of the least float
NO_COSTS = np.empty(0, np.int64)


def costs_of(examples: Examples) -> tuple[Array, float]:
    """A whole number for every row (empty: 1 each), and what one unit of them is worth.

    Weights that are whole, or have few binary digits, are taken exactly; others to a part in 2^61 of their sum, but no
    row that counts costs nothing.
    """
    weights = examples.weights
    if not weights.size:
        return NO_COSTS, 1.0
    fraction, exponent = frexp(float(weights.sum()))
    unit = ldexp(1.0, max(exponent - (fraction == 0.5) - ROOM, LEAST))
    costs = np.maximum(np.rint(weights / unit).astype(np.int64), weights > 0.0)
    if not costs.any():
        return costs, unit
    common = int(np.bitwise_or.reduce(costs))
    zeros = (common & -common).bit_length() - 1  # at the end of all of them
    return costs >> zeros, unit * 2.0**zeros


def by_class(labels: Array, costs: Array) -> tuple[int, ...]:
    """What a no and a yes cost, where all rows of a class cost the same; else nothing."""
    sides = [costs[labels < 0], costs[labels > 0]]
    return tuple(int(side[0]) for side in sides) if all((side == side[0]).all() for side in sides) else ()


def cost(examples: Examples, w: Array, ties: Ties, gamma: float = 0.0) -> float:
    """What the mistakes of these weights cost, so counted; with gamma > 0, rows below gamma ||w|| are mistakes, too."""
    costs, unit = costs_of(examples)
    wrong = _wrong(examples, w, ties, gamma)
    return unit * (int(costs[wrong].sum()) if costs.size else int(wrong.size))


def exact_cost(examples: Examples, w: Array, ties: Ties, gamma: float = 0.0) -> float:
    """What mistakes cost, as the sum of the weights themselves."""
    wrong = _wrong(examples, w, ties, gamma)
    return fsum(examples.weights[wrong]) if examples.weights.size else float(wrong.size)


def _wrong(examples: Examples, w: Array, ties: Ties, gamma: float) -> Array:
    return np.concatenate(find.find(examples, w, ties, band=gamma * find.norm(w)))
