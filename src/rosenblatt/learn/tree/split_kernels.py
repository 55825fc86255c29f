"""Compiled: the best test of every column at every node of a level, and the rows sorted for the next level.

A level's nodes own stretches of the rows, begins[node] to ends[node], and the same stretches of every column's order.
There, each column has the node's rows sorted by value, with missing values (NaN) last. Costs are whole numbers, so that
counts do not depend on the order of the rows, nor does a gain, which is computed from counts alone.
"""

from math import log2
from typing import NamedTuple

import numpy as np

from rosenblatt.geometry.line_search import sort
from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import Array

ENTROPY, GINI, MISTAKES = 0, 1, 2
EVEN = 1e-12  # gains that differ by less are equal: the first is taken
MISSING = -1
PRESENCE = np.inf  # the threshold of a test that asks only whether there is a value


class Labelled(NamedTuple):
    """Rows in columns: table[column, row] is a number, or the code of a category; NaN is missing."""

    table: Array
    labels: Array  # the number of the class; unsigned, as orders are: compiled code need not ask whether it is below 0
    costs: Array  # whole


class Nodes(NamedTuple):
    """The nodes of a level: where the rows of each begin and end, and the counts of its classes."""

    begins: Array
    ends: Array
    totals: Array


class Purity(NamedTuple):
    """How the purity of counts is measured, and how small a branch may be."""

    criterion: int
    logs: Array  # logs[k] = k log2 k for the first few k
    least: int  # the cost of a branch's rows


class Found(NamedTuple):
    """The best test of every node (first index) and column (second)."""

    gain: Array  # below zero: there is none
    info: Array  # of which branch a row takes, in bits
    place: Array  # the threshold, or PRESENCE
    low: Array  # the cost of the rows at or below it
    absent: Array  # and of those whose value is missing
    groups: Array  # by node and code: the branch of each value


@compiled
def fill_logs(logs: Array) -> None:
    """k log2 k for every k."""
    for k in range(logs.size):
        logs[k] = k * log2(k) if k > 0 else 0.0


@inlined
def weighed(count: int, logs: Array) -> float:
    """count * log2(count); no sum or difference of costs that it is given is negative."""
    if count < logs.size:
        return logs[count]  # type: ignore[no-any-return]
    return count * log2(count)


@inlined
def with_class(so_far: float, count: int, measure: Purity) -> float:
    """What `purity_of` needs to know of a branch's classes, with one more of them."""
    if measure.criterion == GINI:
        return so_far + float(count) * float(count)
    if measure.criterion == MISTAKES:
        return so_far if so_far > count else float(count)
    return so_far + weighed(count, measure.logs)


@inlined
def purity_of(classes: float, total: int, measure: Purity) -> float:
    """What a branch adds; less what the node had, the sum is the gain times N."""
    if measure.criterion == GINI:
        return classes / total if total > 0 else 0.0
    return classes if measure.criterion == MISTAKES else classes - weighed(total, measure.logs)


@inlined
def purity(counts: Array, total: int, measure: Purity) -> float:
    """The same for these counts of the classes."""
    classes = 0.0
    for k in range(counts.size):
        classes = with_class(classes, counts[k], measure)
    return purity_of(classes, total, measure)


@inlined
def between(low: float, high: float) -> float:
    """The middle of two numbers, which is at least `low` and below `high`."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@inlined
def cost_of(counts: Array) -> int:
    """Their sum."""
    total = 0
    for k in range(counts.size):
        total += counts[k]
    return total


@inlined
def rest(total: Array, low: Array, absent: Array, high: Array) -> None:
    """high = total - low - absent."""
    for k in range(total.size):
        high[k] = total[k] - low[k] - absent[k]


@inlined
def best_threshold(
    values: Array, order: Array, begin: int, end: int, total: Array, absent: Array, rows: Labelled, measure: Purity,
    low: Array, high: Array,
) -> tuple[float, float, float, int]:  # fmt: skip
    """The best threshold for a node's rows in the order of their values; `absent` are rows that have none.

    Returns the gain (below zero: there is no threshold), the information, the threshold, and the cost of the low side.
    """
    whole, of_absent = cost_of(total), cost_of(absent)
    known, even = whole - of_absent, EVEN * whole
    low[:] = 0
    rest(total, low, absent, high)
    best, threshold, best_low = -np.inf, 0.0, 0
    of_low, after = 0, values[order[begin]]
    for place in range(begin, end - 1):
        row, here, after = order[place], after, values[order[place + 1]]
        label, cost = rows.labels[row], rows.costs[row]
        low[label] += cost
        high[label] -= cost
        of_low += cost
        both = -np.inf if here == after else purity_of_sides(low, of_low, high, known - of_low, measure)
        if both > best + even:
            best, threshold, best_low = both, between(here, after), of_low
    gain, info = worth_of(best, best_low, total, whole, absent, of_absent, measure)
    return gain, info, threshold, best_low


@inlined
def purity_of_sides(low: Array, of_low: int, high: Array, of_high: int, measure: Purity) -> float:
    """The purity of both sides of a threshold; none where one is smaller than a leaf may be."""
    if of_low < measure.least or of_high < measure.least:
        return -np.inf
    return purity(low, of_low, measure) + purity(high, of_high, measure)


@inlined
def worth_of(
    best: float, best_low: int, total: Array, whole: int, absent: Array, of_absent: int, measure: Purity
) -> tuple[float, float]:
    """The gain of a threshold whose sides have the purity `best`, below zero if there is none; and the information."""
    if best == -np.inf:
        return -1.0, 1.0
    gain = best + purity(absent, of_absent, measure) - purity(total, whole, measure)
    sides = weighed(best_low, measure.logs) + weighed(whole - of_absent - best_low, measure.logs)
    info = weighed(whole, measure.logs) - sides - weighed(of_absent, measure.logs)
    return (gain / whole if gain > 0.0 else 0.0), info / whole


@inlined
def scan_presence(
    node: int, column: int, total: Array, absent: Array, measure: Purity, known: Array, found: Found
) -> None:
    """What it gains to ask only whether there is a value: the least that other tests of the column must gain."""
    whole, of_absent = cost_of(total), cost_of(absent)
    of_known = whole - of_absent
    found.gain[node, column], found.absent[node, column] = -1.0, of_absent
    if of_absent < measure.least or of_known < measure.least:
        return
    for k in range(total.size):
        known[k] = total[k] - absent[k]
    gain = purity(known, of_known, measure) + purity(absent, of_absent, measure) - purity(total, whole, measure)
    info = weighed(whole, measure.logs) - weighed(of_known, measure.logs) - weighed(of_absent, measure.logs)
    found.gain[node, column], found.info[node, column] = (gain / whole if gain > 0.0 else 0.0), info / whole
    found.place[node, column] = PRESENCE


@compiled
def scan_numbers(
    column: int, order: Array, nodes: Nodes, rows: Labelled, measure: Purity, counts: Array, found: Found
) -> None:
    """The best threshold of a column of numbers at every node; `counts` is room for three rows of classes."""
    low, high, absent = counts[0], counts[1], counts[2]
    values, totals = rows.table[column], nodes.totals
    for node in range(nodes.begins.size):
        begin, end = nodes.begins[node], nodes.ends[node]
        absent[:] = 0
        while end > begin and np.isnan(values[order[end - 1]]):
            end -= 1
            absent[rows.labels[order[end]]] += rows.costs[order[end]]
        scan_presence(node, column, totals[node], absent, measure, high, found)
        gain, info, threshold, of_low = best_threshold(
            values, order, begin, end, totals[node], absent, rows, measure, low, high
        )
        if gain > found.gain[node, column] + EVEN:
            found.gain[node, column], found.info[node, column] = gain, info
            found.place[node, column], found.low[node, column] = threshold, of_low


@compiled
def count_values(
    column: int, order: Array, begin: int, end: int, rows: Labelled, absent: Array, values: Array, counts: Array
) -> int:
    """The codes at a node, in order, and the counts of the classes for each; returns how many there are.

    What is none of the codes that there is room for, NaN too, is missing.
    """
    many = 0
    absent[:] = 0
    for place in range(begin, end):
        row = order[place]
        value = rows.table[column, row]
        if not 0.0 <= value < values.size:
            absent[rows.labels[row]] += rows.costs[row]
            continue
        if many == 0 or values[many - 1] != value:
            values[many] = int(value)
            counts[many, :] = 0
            many += 1
        counts[many - 1, rows.labels[row]] += rows.costs[row]
    return many


@compiled
def line_up(counts: Array, many: int, label: int, keys: Array, lined: Array) -> None:
    """The values in the order of the share of one class."""
    for k in range(many):
        keys[k] = counts[k, label] / cost_of(counts[k])
        lined[k] = k
    sort(keys, lined, 0, many)


@compiled
def best_groups(
    counts: Array, many: int, total: Array, absent: Array, measure: Purity, low: Array, high: Array,
    keys: Array, lined: Array,
) -> tuple[float, int, int]:  # fmt: skip
    """The best two groups of values: the gain times N without the node's own part, the class to line up by, the cut.

    For two classes and a convex measure no other two groups are better (Breiman and others 1984, theorem 4.5).
    """
    best, best_label, best_cut = -np.inf, 0, 0
    for label in range(1 if total.size == 2 else 0, total.size):
        line_up(counts, many, label, keys, lined)
        low[:] = 0
        for cut in range(1, many):
            for k in range(low.size):
                low[k] += counts[lined[cut - 1], k]
            rest(total, low, absent, high)
            of_low, of_high = cost_of(low), cost_of(high)
            if of_low < measure.least or of_high < measure.least:
                continue
            both = purity(low, of_low, measure) + purity(high, of_high, measure)
            if both > best + EVEN * cost_of(total):
                best, best_label, best_cut = both, label, cut
    return best, best_label, best_cut


class Values(NamedTuple):
    """Room for the values of a column of categories at a node."""

    classes: Array  # three rows of classes
    values: Array  # the codes that occur
    counts: Array  # by value and class
    keys: Array
    lined: Array


@compiled
def scan_values(
    column: int, codes_at: int, each: bool, order: Array, nodes: Nodes, rows: Labelled, measure: Purity, room: Values,
    found: Found,
) -> None:  # fmt: skip
    """The best branches of a column of categories at every node: one for each value, or two groups of values."""
    classes, values, counts, keys, lined = room
    low, high, absent, totals = classes[0], classes[1], classes[2], nodes.totals
    for node in range(nodes.begins.size):
        many = count_values(column, order, nodes.begins[node], nodes.ends[node], rows, absent, values, counts)
        scan_presence(node, column, totals[node], absent, measure, high, found)
        total, of_absent = cost_of(totals[node]), cost_of(absent)
        info = weighed(total, measure.logs) - weighed(of_absent, measure.logs)
        base, large = purity(absent, of_absent, measure) - purity(totals[node], total, measure), 0
        if many < 2:
            continue
        if each:
            for k in range(many):
                of_value = cost_of(counts[k])
                large += of_value >= measure.least
                base += purity(counts[k], of_value, measure)
                info -= weighed(of_value, measure.logs)
                found.groups[node, codes_at + values[k]] = k
            if large < 2:
                continue
        else:
            gain, label, cut = best_groups(counts, many, totals[node], absent, measure, low, high, keys, lined)
            if gain == -np.inf:
                continue
            base += gain
            line_up(counts, many, label, keys, lined)
            of_low, first = 0, False
            for k in range(cut):
                of_low += cost_of(counts[lined[k]])
                first |= lined[k] == 0
            for k in range(many):  # the group of the first value comes first
                found.groups[node, codes_at + values[lined[k]]] = (k < cut) != first
            info -= weighed(of_low, measure.logs) + weighed(total - of_low - of_absent, measure.logs)
        if base / total > found.gain[node, column] + EVEN:
            found.gain[node, column], found.info[node, column] = (base / total if base > 0.0 else 0.0), info / total
            found.place[node, column] = 0.0


@compiled
def place_all(child: Array, nexts: Array, out: Array) -> None:
    """The new place of every row, in the stretch of its child, where rows keep their order; of no child, -1."""
    for row in range(child.size):
        out[row] = -1
        if child[row] >= 0:
            out[row] = nexts[child[row]]
            nexts[child[row]] += 1


@compiled
def move(values: Array, places: Array, out: Array) -> None:
    """Bring what rows have to their new places."""
    for row in range(places.size):
        if places[row] >= 0:
            out[places[row]] = values[row]


@compiled
def part(order: Array, child: Array, places: Array, nexts: Array, out: Array) -> None:
    """Bring an order into the stretches of the children, each as it was; a row is then called by its new place."""
    for k in range(places.size):
        row = order[k]
        if child[row] >= 0:
            out[nexts[child[row]]] = places[row]
            nexts[child[row]] += 1
