"""Compiled: what mistakes cost, counted no further than needed, and the pocket's loop."""

from math import sqrt
from typing import NamedTuple

from rosenblatt.rows.compiling import compiled
from rosenblatt.rows.kernels import Array, Doubt, Rows, Ties, add, is_below, is_wrong, margin


class Pocket(NamedTuple):
    """The kept weights, and the numbers that go with them."""

    weights: Array
    numbers: (
        Array  # [the cost of its mistakes, the update it was kept at, the updates so far, the longest run, the run]
    )


@compiled
def cost(
    rows: Rows,
    labels: Array,
    order: Array,
    costs: Array,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    gamma: float,
    limit: int,
    tally: Array,
) -> tuple[int, int]:
    """What the mistakes of w cost, or at least `limit`: then counting ends. Also returns how many rows were looked at.

    Not a pass of `rows.scan`: the rows that were wrong most often come first, so that few are looked at.
    With gamma > 0, a row with y (w . x) < gamma ||w|| is a mistake. `tally` counts for every row how often it was one.
    """
    bound = 0.0
    if gamma > 0.0:
        for k in range(w.size):
            bound += w[k] * w[k]
        bound = gamma * sqrt(bound)
    total = 0
    for k in range(order.size):
        i = order[k]
        m = margin(rows, labels, i, w, doubt)
        if is_wrong(m, labels[i], ties) or (bound > 0.0 and is_below(rows, labels, i, w, m, doubt, bound)):
            tally[i] += 1
            total += costs[i] if costs.size > 0 else 1
            if total >= limit:
                return total, k + 1
    return total, order.size


@compiled
def pocket(
    rows: Rows,
    labels: Array,
    drawn: Array,
    steps: Array,
    order: Array,
    costs: Array,
    w: Array,
    ties: Ties,
    doubt: Doubt,
    gamma: float,
    ratchet: bool,
    kept: Pocket,
    tally: Array,
    ledger: Array,
) -> tuple[int, int, int]:
    """Correct the mistakes among the rows drawn, and keep the weights whose own mistakes cost the least.

    `steps` goes with `drawn` (empty: one each). With `ratchet`, weights are only counted when they have been right on
    more draws in a row than any before. Stops when the ledger is full, or when the weights kept make no mistake.
    Returns how many draws were used, how many corrections were made, and how many rows were looked at.
    """
    best, made, looked = kept.numbers[0], 0, 0
    for k in range(drawn.size):
        if best == 0 or made == ledger.size:
            return k, made, looked
        i = drawn[k]
        looked += 1
        if is_wrong(margin(rows, labels, i, w, doubt), labels[i], ties):
            step = steps[k] if steps.size > 0 else 1.0
            add(rows, i, w, step * labels[i])
            ledger[made] = i if step == 1.0 else ~i
            made += 1
            kept.numbers[2] += 1
            kept.numbers[4] = 0
            if ratchet:
                continue
        else:
            kept.numbers[4] += 1
            if not ratchet or kept.numbers[4] <= kept.numbers[3]:
                continue
            kept.numbers[3] = kept.numbers[4]
            if kept.numbers[2] == kept.numbers[1]:  # these weights are the ones kept
                continue
        total, rows_counted = cost(rows, labels, order, costs, w, ties, doubt, gamma, best, tally)
        looked += rows_counted
        if total < best:
            best = total
            kept.numbers[0], kept.numbers[1] = total, kept.numbers[2]
            for j in range(w.size):
                kept.weights[j] = w[j]
    return drawn.size, made, looked
