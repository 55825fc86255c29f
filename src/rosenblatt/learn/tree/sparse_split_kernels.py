"""Compiled: what `split_kernels`, `directions` and `oblique_kernels` do, by the numbers that a sparse table stores.

A level's nodes own stretches of the numbers, too: from `first[node]` to `last[node]`, column after column. There are
two such lists of the same numbers: in `by_value` each column is sorted by value, NaN last; in `by_row`, by row. Every
sum of floats is made in the order in which the dense table's is, so that the tree is the same to the last bit.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.learn.tree.directions import DirectionScratch, add_moments, choose, largest_against_the_rest
from rosenblatt.learn.tree.oblique_kernels import Limits, seek
from rosenblatt.learn.tree.routing_kernels import Slants
from rosenblatt.learn.tree.split_kernels import (
    EVEN,
    Found,
    Labelled,
    Purity,
    between,
    cost_of,
    purity_of_sides,
    rest,
    scan_presence,
    worth_of,
)
from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import Array


class StoredList(NamedTuple):
    """A list of numbers, node after node, and there column after column."""

    columns: Array
    rows: Array
    values: Array


class Stretches(NamedTuple):
    """For every node: its rows, the counts of their classes, and its numbers."""

    begins: Array
    ends: Array
    totals: Array
    first: Array
    last: Array


class Candidates(NamedTuple):
    """By node and candidate: its column, its weight, and its weight in a perceptron that separates, if there is one."""

    columns: Array
    weights: Array
    separating: Array


@inlined
def end_of_column(numbers: StoredList, place: int, last: int) -> int:
    """Where the column at a place ends."""
    end = place + 1
    while end < last and numbers.columns[end] == numbers.columns[place]:
        end += 1
    return end


@inlined
def best_stored_threshold(
    numbers: StoredList, begin: int, end: int, zeros: int, total: Array, rows: Labelled, measure: Purity, counts: Array
) -> tuple[float, float, float, int]:
    """As `split_kernels.best_threshold`, for the numbers from begin to end, and `zeros` rows that have none.

    `counts` has the rows without a value, and room.
    """
    low, high, absent, zero = counts[0], counts[1], counts[2], counts[3]
    whole, of_absent = cost_of(total), cost_of(absent)
    known, even = whole - of_absent, EVEN * whole
    low[:] = 0
    rest(total, low, absent, high)
    for k in range(zero.size):
        zero[k] = high[k]
    for place in range(begin, end):
        zero[rows.labels[numbers.rows[place]]] -= rows.costs[numbers.rows[place]]
    best, threshold, best_low, of_low = -np.inf, 0.0, 0, 0
    place, ahead = begin, zeros > 0  # whether the rows of zero are still to come
    while place < end or ahead:
        if ahead and (place == end or numbers.values[place] > 0.0):
            for k in range(zero.size):
                low[k] += zero[k]
                high[k] -= zero[k]
            of_low += cost_of(zero)
            here, ahead = 0.0, False
        else:
            row, here = numbers.rows[place], numbers.values[place]
            low[rows.labels[row]] += rows.costs[row]
            high[rows.labels[row]] -= rows.costs[row]
            of_low += rows.costs[row]
            place += 1
        if place == end and not ahead:
            break
        after = 0.0 if ahead and (place == end or numbers.values[place] > 0.0) else numbers.values[place]
        both = -np.inf if here == after else purity_of_sides(low, of_low, high, known - of_low, measure)
        if both > best + even:
            best, threshold, best_low = both, between(here, after), of_low
    gain, info = worth_of(best, best_low, total, whole, absent, of_absent, measure)
    return gain, info, threshold, best_low


@compiled
def scan_stored(
    first: int, last: int, stretches: Stretches, by_value: StoredList, rows: Labelled, measure: Purity, counts: Array,
    found: Found,
) -> None:  # fmt: skip
    """The best threshold of every column with numbers at some nodes; found where the column's numbers begin."""
    high, absent, totals = counts[1], counts[2], stretches.totals
    for node in range(first, last):
        place = stretches.first[node]
        while place < stretches.last[node]:
            after = end_of_column(by_value, place, stretches.last[node])
            zeros = (stretches.ends[node] - stretches.begins[node]) - (after - place)
            end = after
            absent[:] = 0
            while end > place and np.isnan(by_value.values[end - 1]):
                end -= 1
                absent[rows.labels[by_value.rows[end]]] += rows.costs[by_value.rows[end]]
            scan_presence(0, place, totals[node], absent, measure, high, found)
            gain, info, threshold, of_low = best_stored_threshold(
                by_value, place, end, zeros, totals[node], rows, measure, counts
            )
            if gain > found.gain[0, place] + EVEN:
                found.gain[0, place], found.info[0, place] = gain, info
                found.place[0, place], found.low[0, place] = threshold, of_low
            place = after


@compiled
def describe_stored(
    begin: int,
    end: int,
    first: int,
    last: int,
    by_row: StoredList,
    data: Labelled,
    total: Array,
    room: DirectionScratch,
) -> int:
    """As `directions.describe`, for the columns that have numbers at a node; returns how many, and where each begins.

    Squares are added up row by row, also those of zeros: another order would have other last bits.
    """
    costs, whole, whole_plus, many_columns = data.costs, cost_of(total), 0, 0
    for label in range(total.size):
        whole_plus += total[label] if room.sides[label] > 0 else 0
    place = first
    while place < last:
        after = end_of_column(by_row, place, last)
        known_cost, known_plus = whole, whole_plus
        sum_all = sum_plus = 0.0
        for k in range(place, after):
            row, value = by_row.rows[k], by_row.values[k]
            on_plus = room.sides[data.labels[row]] > 0
            if np.isnan(value):
                known_cost -= costs[row]
                known_plus -= costs[row] if on_plus else 0
            else:
                sum_all += float(costs[row]) * value
                if on_plus:
                    sum_plus += float(costs[row]) * value
        many, plus = float(known_cost), float(known_plus)
        mean, squares, now = sum_all / max(many, 1.0), 0.0, begin
        square = mean * mean
        for k in range(place, after + 1):
            until = by_row.rows[k] if k < after else end
            for row in range(now, until):
                squares += costs[row] * square
            if k < after and not np.isnan(by_row.values[k]):
                squares += costs[until] * ((by_row.values[k] - mean) * (by_row.values[k] - mean))
            now = until + 1
        deviation = sqrt(squares / max(many, 1.0))
        known = 1e-12 * abs(mean) < deviation < np.inf
        room.means[many_columns], room.scales[many_columns] = mean, deviation if known else 0.0
        room.merits[many_columns] = -1.0
        if known:
            minus = many - plus
            apart = sum_plus / max(plus, 1.0) - (sum_all - sum_plus) / max(minus, 1.0)
            room.merits[many_columns] = abs(apart) / deviation * sqrt(plus * minus) / max(many, 1.0)
        room.starts[many_columns] = place
        many_columns += 1
        place = after
    return many_columns


@compiled
def gather_stored(
    begin: int, end: int, many: int, last: int, by_row: StoredList, data: Labelled, room: DirectionScratch, total: float
) -> None:
    """As `directions.gather`."""
    for k in range(many):
        f = room.chosen[k]
        room.values[k, begin:end] = (0.0 - room.means[f]) / room.scales[f]
        for place in range(room.starts[f], end_of_column(by_row, room.starts[f], last)):
            value = (by_row.values[place] - room.means[f]) / room.scales[f]
            room.values[k, by_row.rows[place]] = 0.0 if np.isnan(value) else value
    add_moments(begin, end, many, data, room, total)


@compiled
def slant_stored(
    first: int, last: int, stretches: Stretches, by_row: StoredList, data: Labelled, measure: Purity, limits: Limits,
    room: DirectionScratch, out: Candidates,
) -> None:  # fmt: skip
    """As `oblique_kernels.slant`."""
    for node in range(first, last):
        begin, end, total = stretches.begins[node], stretches.ends[node], stretches.totals[node]
        numbers_end = stretches.last[node]
        largest_against_the_rest(total, room.sides)
        found = describe_stored(begin, end, stretches.first[node], numbers_end, by_row, data, total, room)
        many = choose(found, room.chosen.size, room)
        if many < 1:
            continue
        gather_stored(begin, end, many, numbers_end, by_row, data, room, float(cost_of(total)))
        any_at_all, clean = seek(begin, end, many, data, total, measure, limits, room)
        if not any_at_all:
            continue
        for k in range(many):
            f = room.chosen[k]
            out.columns[node, k] = by_row.columns[room.starts[f]]
            out.weights[node, k] = room.vectors[0, k] / room.scales[f]
            if clean:
                out.separating[node, k] = room.vectors[2, k] / room.scales[f]


@compiled
def score_stored(stretches: Stretches, by_row: StoredList, slants: Slants, out: Array) -> None:
    """The score of every row under its node's perceptron."""
    for node in range(stretches.begins.size):
        out[stretches.begins[node] : stretches.ends[node]] = 0.0
        last = stretches.last[node]
        for k in range(slants.starts[node], slants.starts[node + 1]):
            low, high = stretches.first[node], last
            while low < high:
                middle = (low + high) // 2
                if by_row.columns[middle] < slants.columns[k]:
                    low = middle + 1
                else:
                    high = middle
            while low < last and by_row.columns[low] == slants.columns[k]:
                out[by_row.rows[low]] += slants.weights[k] * by_row.values[low]
                low += 1


@compiled
def part_stored(numbers: StoredList, child: Array, places: Array, nexts: Array, out: StoredList) -> None:
    """Bring numbers into the stretches of the children, each as it was; a row is then called by its new place."""
    for k in range(numbers.rows.size):
        row = numbers.rows[k]
        if child[row] >= 0:
            place = nexts[child[row]]
            nexts[child[row]] += 1
            out.columns[place], out.rows[place], out.values[place] = numbers.columns[k], places[row], numbers.values[k]
