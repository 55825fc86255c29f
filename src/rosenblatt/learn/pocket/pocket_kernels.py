"""Compiled: what mistakes cost, counted no further than needed, and the pocket's loop."""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.rows.compiling import compiled
from rosenblatt.rows.kernels import Array, Doubt, Rows, Ties, correct_copies, is_below, is_wrong, margin

KEPT = np.dtype(  # what goes with the weights kept, and the draws that were right in a row: the most, and those now
    (np.record, [(name, np.int64) for name in ("cost", "at", "updates", "longest_run", "run")])
)


class Pocket(NamedTuple):
    """The kept weights, and when they are counted."""

    weights: Array
    kept: Any  # a record, of type KEPT: the cost of their mistakes, the update they were kept at, the updates so far
    ratchet: bool  # only once they have been right on more draws in a row than any before


class Counting(NamedTuple):
    """How mistakes are counted."""

    order: Array  # of the rows
    costs: Array  # of a mistake on each row; empty: 1 each
    gamma: float  # above 0: a row with y (w . x) < gamma ||w|| is a mistake, too
    often: Array  # how often each row was one


class Draws(NamedTuple):
    """Rows drawn, and the step of each (empty: 1 each)."""

    rows: Array
    steps: Array


@compiled
def cost(
    rows: Rows, labels: Array, counting: Counting, w: Array, ties: Ties, doubt: Doubt, limit: int
) -> tuple[int, int]:
    """What the mistakes of w cost, or at least `limit`: then counting ends. Also returns how many rows were looked at.

    Not a pass of `rows.scan`: the rows that were wrong most often come first, so that few are looked at.
    """
    order, costs, bound = counting.order, counting.costs, 0.0
    if counting.gamma > 0.0:
        for k in range(w.size):
            bound += w[k] * w[k]
        bound = counting.gamma * sqrt(bound)
    total = 0
    for k in range(order.size):
        i = order[k]
        m = margin(rows, labels, i, w, doubt)
        if is_wrong(m, labels[i], ties) or (bound > 0.0 and is_below(rows, labels, i, w, m, doubt, bound)):
            counting.often[i] += 1
            total += costs[i] if costs.size > 0 else 1
            if total >= limit:
                return total, k + 1
    return total, order.size


@compiled
def pocket(
    rows: Rows,
    labels: Array,
    draws: Draws,
    counting: Counting,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    pocket: Pocket,
    ledger: Array,
) -> tuple[int, int, int]:
    """Correct the mistakes among the rows drawn, and keep the weights whose own mistakes cost the least.

    Stops when the ledger is full, or when the weights kept make no mistake.
    Returns how many draws were used, how many corrections were made, and how many rows were looked at.
    """
    kept = pocket.kept
    best, made, looked = kept.cost, 0, 0
    for k in range(draws.rows.size):
        if best == 0 or made == ledger.size:
            return k, made, looked
        i = draws.rows[k]
        looked += 1
        m = margin(rows, labels, i, w, doubt)
        if is_wrong(m, labels[i], ties):
            step = draws.steps[k] if draws.steps.size > 0 else 1.0
            made, _ = correct_copies(rows, labels, i, step, m, w, ties, doubt, ledger, made)
            kept.updates += 1
            kept.run = 0
            if pocket.ratchet:
                continue
        else:
            kept.run += 1
            if not pocket.ratchet or kept.run <= kept.longest_run:
                continue
            kept.longest_run = kept.run
            if kept.updates == kept.at:  # these weights are the ones kept
                continue
        total, rows_counted = cost(rows, labels, counting, w, ties, doubt, best)
        looked += rows_counted
        if total < best:
            best = total
            kept.cost, kept.at = total, kept.updates
            for j in range(w.size):
                pocket.weights[j] = w[j]
    return draws.rows.size, made, looked
