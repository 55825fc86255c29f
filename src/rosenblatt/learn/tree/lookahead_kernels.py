"""Compiled: look one test ahead, for what no single test gains anything on: XOR along the columns.

The numbers of a node are put into a few bins of about equally many rows. For each pair of columns, a test of the first
at an edge of a bin, followed by the best edge of the second on either side, has a gain; the best pair is kept, and the
exact threshold of its first test is found with the second tests held where they are.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.learn.tree.split_kernels import (
    EVEN,
    Labelled,
    Nodes,
    Purity,
    between,
    cost_of,
    purity,
    purity_of,
    with_class,
)
from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import Array

BINS = 8
LAST = BINS - 1
FEWEST = BINS * BINS  # rows: one for each pair of bins
ENOUGH = 1024  # rows to compare pairs by; of more, a regular sample is taken


class Sight(NamedTuple):
    """Room to look ahead in."""

    bins: Array  # by row and column
    near: Array  # by column and place: the bins of the rows that pairs are compared by
    labels: Array  # of these
    costs: Array
    pair: Array  # by bin of the one column, bin of the other, class; added up from the first bins on
    parts: Array  # by part, class: two sides of each side
    best: Array  # by side, bin: the purity of the best two parts of that side of a cut after the bin
    edges: Array  # where they part
    usable: Array  # by column of numbers: whether no value is missing and some differ


@compiled
def put_into_bins(order: Array, begin: int, end: int, column: int, table: Array, bins: Array) -> bool:
    """The bin of each row of a node; equal values share one. Returns whether no value is missing and some differ."""
    now = 0
    for place in range(begin, end):
        row = order[place]
        value = table[column, row]
        if np.isnan(value):
            return False
        if (place - begin) * BINS >= (now + 1) * (end - begin) and value != table[column, order[place - 1]]:
            now = (place - begin) * BINS // (end - begin)
        bins[row, column] = now
    return now > 0


@compiled
def bring_near(begin: int, end: int, data: Labelled, numbers: Array, sight: Sight) -> int:
    """Put the rows that pairs are compared by side by side, for every pair looks at them; returns how many."""
    many = 0
    step = (end - begin) // ENOUGH if end - begin > ENOUGH else 1
    for row in range(begin, end, step):
        for c in range(numbers.size):
            sight.near[c, many] = sight.bins[row, numbers[c]]
        sight.labels[many], sight.costs[many] = data.labels[row], data.costs[row]
        many += 1
    return many


@compiled
def add_up_pairs(one: int, two: int, many: int, sight: Sight) -> None:
    """For a pair of columns: the counts of the rows in the first bins of the one and the first bins of the other."""
    pair = sight.pair
    pair[:, :, :] = 0
    for k in range(many):
        pair[sight.near[one, k], sight.near[two, k], sight.labels[k]] += sight.costs[k]
    for label in range(pair.shape[2]):
        for a in range(BINS):
            row = 0
            for b in range(BINS):
                row += pair[a, b, label]
                pair[a, b, label] = row + (pair[a - 1, b, label] if a > 0 else 0)


@inlined
def part_in_four(a: int, b: int, measure: Purity, sight: Sight) -> tuple[float, float, float, float]:
    """The purities of the four parts of a pair's rows that edges after bin a of the one and b of the other make."""
    pair = sight.pair
    low_low = low_high = high_low = high_high = 0.0
    of_low_low = of_low_high = of_high_low = of_high_high = 0
    for label in range(pair.shape[2]):
        both = pair[a, b, label]
        only_a, only_b = pair[a, LAST, label] - both, pair[LAST, b, label] - both
        neither = pair[LAST, LAST, label] - both - only_a - only_b
        low_low, of_low_low = with_class(low_low, both, measure), of_low_low + both
        low_high, of_low_high = with_class(low_high, only_a, measure), of_low_high + only_a
        high_low, of_high_low = with_class(high_low, only_b, measure), of_high_low + only_b
        high_high, of_high_high = with_class(high_high, neither, measure), of_high_high + neither
    return (
        purity_of(low_low, of_low_low, measure),
        purity_of(low_high, of_low_high, measure),
        purity_of(high_low, of_high_low, measure),
        purity_of(high_high, of_high_high, measure),
    )


@inlined
def keep(found: float, side: int, cut: int, edge: int, sight: Sight) -> None:
    """Keep an edge of the second column that is better than those before."""
    if found > sight.best[side, cut] + EVEN:
        sight.best[side, cut], sight.edges[side, cut] = found, edge


@compiled
def best_of_pair(measure: Purity, sight: Sight) -> None:
    """The best edge of the second column on either side of every cut of the first, whichever column is the first.

    Sides are below and above a cut of the one column, then of the other; edge 0 is none: the side is not cut.
    """
    for cut in range(LAST):
        below, _, above, _ = part_in_four(cut, LAST, measure, sight)
        before, behind, _, _ = part_in_four(LAST, cut, measure, sight)
        for side, whole in enumerate((below, above, before, behind)):
            sight.best[side, cut], sight.edges[side, cut] = whole, 0
    for a in range(LAST):
        for b in range(LAST):
            low_low, low_high, high_low, high_high = part_in_four(a, b, measure, sight)
            keep(low_low + low_high, 0, a, b + 1, sight)
            keep(high_low + high_high, 1, a, b + 1, sight)
            keep(low_low + high_low, 2, b, a + 1, sight)
            keep(low_high + high_high, 3, b, a + 1, sight)


@compiled
def refined(
    order: Array, begin: int, end: int, first: int, second: int, left: int, right: int, data: Labelled,
    measure: Purity, sight: Sight,
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
            found += purity(parts[k], cost_of(parts[k]), measure)
        if found > best + EVEN:
            best, threshold, best_low = found, between(here, after), low
    return best, threshold, best_low


@compiled
def look_ahead(
    first: int, last: int, chosen: Array, nodes: Nodes, order: Array, data: Labelled, numbers: Array, measure: Purity,
    sight: Sight, out: Array,
) -> None:  # fmt: skip
    """For some nodes: the gain of two tests, the column of the first (below zero: none), its threshold and low cost."""
    usable, totals = sight.usable, nodes.totals
    for which in range(first, last):
        node = chosen[which]
        begin, end = nodes.begins[node], nodes.ends[node]
        for c in range(numbers.size):
            usable[c] = put_into_bins(order[numbers[c]], begin, end, numbers[c], data.table, sight.bins)
        many = bring_near(begin, end, data, numbers, sight)
        best, one, two, left, right = -np.inf, -1, -1, 0, 0
        for c in range(numbers.size):
            for d in range(c + 1, numbers.size):
                if not (usable[c] and usable[d]):
                    continue
                add_up_pairs(c, d, many, sight)
                best_of_pair(measure, sight)
                for side in (0, 2):
                    for cut in range(LAST):
                        found = sight.best[side, cut] + sight.best[side + 1, cut]
                        if found > best + EVEN:
                            best, left, right = found, sight.edges[side, cut], sight.edges[side + 1, cut]
                            one, two = (numbers[c], numbers[d]) if side == 0 else (numbers[d], numbers[c])
        out[which, 1] = -1.0
        if one >= 0:
            found, threshold, low = refined(order[one], begin, end, one, two, left, right, data, measure, sight)
            if found > -np.inf:
                total = cost_of(totals[node])
                out[which, 0] = (found - purity(totals[node], total, measure)) / total
                out[which, 1], out[which, 2], out[which, 3] = one, threshold, low
