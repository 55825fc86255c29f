"""Compiled: look one test ahead, for what no single test gains anything on: XOR along the columns.

The numbers of a node are put into a few bins of about equally many rows. For each pair of columns, a test of the first
at an edge of a bin, followed by the best edge of the second on either side, has a gain; the best pair is kept, and the
exact threshold of its first test is found with the second tests held where they are.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels import Array, compiled
from rosenblatt.learn.splitting import EVEN, Labelled, Measure, between, cost_of, purity

BINS = 8
FEWEST = BINS * BINS  # rows: one for each pair of bins
ENOUGH = 1024  # rows to compare pairs by; of more, every so many-th is taken


class Sight(NamedTuple):
    """Room to look ahead in."""

    bins: Array  # by row and column
    near: Array  # by column and place: the bins of the rows that pairs are compared by
    labels: Array  # of these
    costs: Array
    pair: Array  # by bin of the one column, bin of the other, class
    low: Array  # by bin of the second column, class: rows on the low side of the first
    high: Array
    parts: Array  # by part, class: two sides of each side


@compiled
def put_into_bins(order: Array, begin: int, end: int, column: int, table: Array, bins: Array) -> bool:
    """The bin of each row of a node; equal values share one. Returns whether no value is missing and some differ."""
    now = 0
    for place in range(begin, end):
        row = order[place]
        value = table[column, row]
        if np.isnan(value):
            return False
        if place > begin and value != table[column, order[place - 1]]:
            now = max(now, (place - begin) * BINS // (end - begin))
        bins[row, column] = now
    return now > 0


@compiled
def bring_near(rows: Array, begin: int, end: int, data: Labelled, numbers: Array, sight: Sight) -> int:
    """Put the rows that pairs are compared by side by side, for every pair looks at them; returns how many."""
    many = 0
    for place in range(begin, end, max((end - begin) // ENOUGH, 1)):
        row = rows[place]
        for c in range(numbers.size):
            sight.near[c, many] = sight.bins[row, numbers[c]]
        sight.labels[many], sight.costs[many] = data.labels[row], data.costs[row]
        many += 1
    return many


@compiled
def best_edge(counts: Array, measure: Measure, low: Array, high: Array) -> tuple[float, int]:
    """The purity of the best two parts of bins, and where they part; of all bins together, if none is better (0)."""
    low[:] = 0
    high[:] = 0
    for b in range(BINS):
        for k in range(high.size):
            high[k] += counts[b, k]
    best, edge = purity(high, measure), 0
    for b in range(BINS - 1):
        for k in range(high.size):
            low[k] += counts[b, k]
            high[k] -= counts[b, k]
        found = purity(low, measure) + purity(high, measure)
        if found > best + EVEN:
            best, edge = found, b + 1
    return best, edge


@compiled
def best_pair(swapped: bool, measure: Measure, sight: Sight) -> tuple[float, int, int, int]:
    """The purity of the best four parts, where the first column is cut, and where the second is on either side."""
    sight.low[:, :] = 0
    for b in range(BINS):
        for k in range(sight.low.shape[1]):
            sight.high[b, k] = 0
            for a in range(BINS):
                sight.high[b, k] += sight.pair[b, a, k] if swapped else sight.pair[a, b, k]
    best, cut, left, right = -np.inf, 0, 0, 0
    for a in range(BINS - 1):
        for b in range(BINS):
            for k in range(sight.low.shape[1]):
                count = sight.pair[b, a, k] if swapped else sight.pair[a, b, k]
                sight.low[b, k] += count
                sight.high[b, k] -= count
        below, at_left = best_edge(sight.low, measure, sight.parts[0], sight.parts[1])
        above, at_right = best_edge(sight.high, measure, sight.parts[0], sight.parts[1])
        if below + above > best + EVEN:
            best, cut, left, right = below + above, a + 1, at_left, at_right
    return best, cut, left, right


@compiled
def refined(
    order: Array, begin: int, end: int, first: int, second: int, left: int, right: int, data: Labelled,
    measure: Measure, sight: Sight,
) -> tuple[float, float, int]:  # fmt: skip
    """The best threshold of the first column, given the second's edges: the purity, the threshold, the low cost."""
    parts = sight.parts
    parts[:, :] = 0
    total = 0
    for place in range(begin, end):
        row = order[place]
        parts[2 + (sight.bins[row, second] >= right), data.labels[row]] += data.costs[row]
        total += data.costs[row]
    best, threshold, low, best_low = -np.inf, 0.0, 0, 0
    for place in range(begin, end - 1):
        row, cost = order[place], data.costs[order[place]]
        parts[0 + (sight.bins[row, second] >= left), data.labels[row]] += cost
        parts[2 + (sight.bins[row, second] >= right), data.labels[row]] -= cost
        low += cost
        here, after = data.table[first, row], data.table[first, order[place + 1]]
        if here == after or low < measure.least or total - low < measure.least:
            continue
        found = 0.0
        for k in range(4):
            found += purity(parts[k], measure)
        if found > best + EVEN:
            best, threshold, best_low = found, between(here, after), low
    return best, threshold, best_low


@compiled
def look_ahead(
    first: int, last: int, nodes: Array, begins: Array, ends: Array, order: Array, data: Labelled, numbers: Array,
    totals: Array, measure: Measure, usable: Array, sight: Sight, out: Array,
) -> None:  # fmt: skip
    """For some nodes: the gain of two tests, the column of the first (below zero: none), its threshold and low cost."""
    for which in range(first, last):
        node = nodes[which]
        begin, end = begins[node], ends[node]
        for c in range(numbers.size):
            usable[c] = put_into_bins(order[numbers[c]], begin, end, numbers[c], data.table, sight.bins)
        many = bring_near(order[-1], begin, end, data, numbers, sight)
        best, one, two, left, right = -np.inf, -1, -1, 0, 0
        for c in range(numbers.size):
            for d in range(c + 1, numbers.size):
                if not (usable[c] and usable[d]):
                    continue
                sight.pair[:, :, :] = 0
                for k in range(many):
                    sight.pair[sight.near[c, k], sight.near[d, k], sight.labels[k]] += sight.costs[k]
                for swapped in (False, True):
                    found, _, at_left, at_right = best_pair(swapped, measure, sight)
                    if found > best + EVEN:
                        best, left, right = found, at_left, at_right
                        one, two = (numbers[d], numbers[c]) if swapped else (numbers[c], numbers[d])
        out[which, 1] = -1.0
        if one >= 0:
            found, threshold, low = refined(order[one], begin, end, one, two, left, right, data, measure, sight)
            if found > -np.inf:
                out[which, 0] = (found - purity(totals[node], measure)) / cost_of(totals[node])
                out[which, 1], out[which, 2], out[which, 3] = one, threshold, low
