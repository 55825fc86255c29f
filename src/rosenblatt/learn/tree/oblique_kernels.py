"""Compiled: the perceptron test of a node: a direction along which a threshold parts the classes well.

Directions are proposed and the best by gain is kept, as the pocket keeps weights: those of `directions`, and,
from the best of them on, passes of the perceptron and their averages. A gain is estimated from a histogram of the
scores; `sweep` finds the exact threshold of the direction that is kept. A pass without a mistake is a proof that the
sides are separable: its weights are handed over as they are, too.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.geometry.line_search import sort
from rosenblatt.learn.tree.directions import (
    DirectionScratch,
    Features,
    bend,
    choose,
    compare_moments,
    copy,
    describe,
    factor,
    gather,
    largest_against_the_rest,
    least_squares,
    regroup,
    solve_back,
)
from rosenblatt.learn.tree.routing_kernels import Slants, slanted
from rosenblatt.learn.tree.split_kernels import ENTROPY, Labelled, Nodes, Purity, best_threshold, cost_of, purity
from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import Array, bin_of

BINS, SPAN = 128, 3.0  # of the histogram, which reaches SPAN standard deviations to each side of the mean
RIDGE = 0.001  # added to unit second moments; and the features per row
PASSES, MANY_PASSES, FEW_WRONG = 4, 40, 0.05  # of the perceptron; more while a pass has few mistakes
FIRST_LENGTH = 0.5  # of the weights that passes begin from, in lengths of a row times the root of the rows
ROWS_PER_FEATURE = 4  # fewer say nothing about second moments
BLOCK = 512  # rows whose scores stay near while features are added up
CLEAR = 0.5  # of the impurity: a direction that gains so much is not sought by second moments
FITTED, REGROUPED, LEVEL, RISING, FALLING = range(5)  # the directions proposed, in turn


class Limits(NamedTuple):
    """How many features a test may have, and which part of the gain fewer of them may cost."""

    most: int
    spare: float


def room_for(values: Array, scores: Array, features: int, classes: int) -> DirectionScratch:
    """Room to seek directions in."""
    many = len(values)
    square = (many, many)
    return DirectionScratch(
        values, scores, np.empty(many, np.int64), np.empty(many, np.int64), np.empty(features), np.empty(features),
        np.empty(features), np.empty(classes), np.empty((classes, many)), np.empty(square), np.empty(square),
        np.empty(square), np.empty((5, 2 * many + 2)), np.empty((BINS, classes), np.int64),
        np.empty((2, classes), np.int64), np.empty(2), np.empty(features, np.int64),
    )  # fmt: skip


@compiled
def score_all(begin: int, end: int, many: int, v: Array, room: DirectionScratch) -> tuple[float, float]:
    """The scores of a node's rows; returns the ends of a histogram of them."""
    total = squares = 0.0
    for first in range(begin, end, BLOCK):
        stop = first + BLOCK if first + BLOCK < end else end
        scores = room.scores[first:stop]
        scores[:] = 0.0
        for k in range(many):
            weight, values = v[k], room.values[k, first:stop]
            for row in range(scores.size if weight != 0.0 else 0):
                scores[row] += weight * values[row]
        for row in range(scores.size):
            total += scores[row]
            squares += scores[row] * scores[row]
    mean = total / (end - begin)
    square = squares / (end - begin) - mean * mean
    deviation = sqrt(square) if square > 0.0 else 0.0
    return mean - SPAN * deviation, mean + SPAN * deviation


@compiled
def estimate(
    begin: int, end: int, many: int, v: Array, data: Labelled, total: Array, measure: Purity, room: DirectionScratch
) -> tuple[float, float]:
    """About how much the best threshold along a direction gains, times N, and that threshold."""
    lowest, highest = score_all(begin, end, many, v, room)
    if not 0.0 < highest - lowest < np.inf:
        return -np.inf, 0.0
    room.bins[:, :] = 0
    per_unit = BINS / (highest - lowest)
    scores, labels, costs = room.scores[begin:end], data.labels[begin:end], data.costs[begin:end]
    for row in range(scores.size):
        room.bins[bin_of((scores[row] - lowest) * per_unit, BINS), labels[row]] += costs[row]
    low, high = room.classes[0], room.classes[1]
    low[:] = 0
    for k in range(high.size):
        high[k] = total[k]
    of_low, of_high = 0, cost_of(total)
    base, best, at = purity(total, of_high, measure), -np.inf, 0
    for b in range(BINS - 1):
        here = cost_of(room.bins[b])
        if here == 0:
            continue
        for k in range(low.size):
            low[k] += room.bins[b, k]
            high[k] -= room.bins[b, k]
        of_low += here
        of_high -= here
        if of_low >= measure.least and of_high >= measure.least:
            both = purity(low, of_low, measure) + purity(high, of_high, measure)
            if both > best:
                best, at = both, b + 1
    return best - base, lowest + at / per_unit


@compiled
def correct_pass(begin: int, end: int, many: int, data: Labelled, room: DirectionScratch) -> int:
    """One pass of the perceptron over a node's rows; the last weight is the threshold's. Returns the mistakes."""
    w, mean, steps = room.vectors[2], room.vectors[3], room.steps
    mistakes = 0
    values, labels, costs = room.values[:, begin:end], data.labels[begin:end], data.costs[begin:end]
    for row in range(labels.size):
        side = room.sides[labels[row]]
        score = w[many]
        for k in range(many):
            score += w[k] * values[k, row]
        if side * score <= 0.0:
            mistakes += 1
            change = side * steps[1 if side > 0 else 0] * costs[row]
            left = 1.0 - row / labels.size
            w[many] += change
            mean[many] += left * change
            for k in range(many):
                w[k] += change * values[k, row]
                mean[k] += left * (change * values[k, row])
    return mistakes


@compiled
def start_passes(begin: int, end: int, many: int, threshold: float, total: Array, room: DirectionScratch) -> None:
    """Weights of a good length in the best direction so far, turned so that the + side has positive scores."""
    best, w = room.vectors[0], room.vectors[2]
    agree = length = plus = 0.0
    for label in range(total.size):
        plus += total[label] if room.sides[label] > 0 else 0.0
        for k in range(many):
            agree += room.sides[label] * room.sums[label, k] * best[k]
    for k in range(many):
        length += best[k] * best[k]
    scale = FIRST_LENGTH * sqrt((many + 1.0) * (end - begin)) / sqrt(length + threshold * threshold)
    scale = -scale if agree < 0.0 else scale
    for k in range(many):
        w[k] = scale * best[k]
    w[many] = -scale * threshold
    whole = float(cost_of(total))
    room.steps[1], room.steps[0] = (end - begin) / (2.0 * plus), (end - begin) / (2.0 * (whole - plus))


@compiled
def pocket(
    begin: int, end: int, many: int, gain: float, threshold: float, data: Labelled, total: Array,
    measure: Purity, room: DirectionScratch,
) -> tuple[float, bool]:  # fmt: skip
    """Passes of the perceptron from the best direction so far; what gains more is kept.

    Returns its gain, and whether the last pass was clean: then its weights separate the sides.
    """
    best, w, mean = room.vectors[0], room.vectors[2], room.vectors[3]
    start_passes(begin, end, many, threshold, total, room)
    for turn in range(MANY_PASSES):
        for k in range(many + 1):
            mean[k] = w[k]
        mistakes = correct_pass(begin, end, many, data, room)
        for v in (w, mean):
            found, _ = estimate(begin, end, many, v, data, total, measure, room)
            if found > gain:
                gain = found
                copy(many, v, best)
        if mistakes == 0:
            return gain, True
        if turn + 1 >= PASSES and mistakes > FEW_WRONG * (end - begin):
            break
    return gain, False


@compiled
def shorten(
    begin: int, end: int, many: int, gain: float, ridge: float, data: Labelled, total: Array,
    measure: Purity, limits: Limits, room: DirectionScratch,
) -> None:  # fmt: skip
    """Keep the fewest features whose gain is nearly as high: those with the largest weights, as they are or fitted."""
    best, short, fitted = room.vectors[0], room.vectors[1], room.vectors[4]
    for k in range(many):
        room.order[k], room.merits[k] = k, -abs(best[k])
    sort(room.merits, room.order, 0, many)
    size = 2
    while size < many:
        factor(size, room.order, ridge, room)
        least_squares(size, room.order, room, fitted)
        kept = -1
        highest = -np.inf
        for way in range(2):
            for k in range(many):
                short[k] = 0.0
            for k in range(size):
                short[room.order[k]] = best[room.order[k]] if way == 0 else fitted[k]
            found, _ = estimate(begin, end, many, short, data, total, measure, room)
            if found > highest:
                highest, kept = found, way
        larger = size + (size // 3 if size > 3 else 1)
        last = size >= limits.most or larger > limits.most
        if highest >= (1.0 - limits.spare) * gain or last:
            for k in range(size):
                short[room.order[k]] = best[room.order[k]] if kept == 0 else fitted[k]
            copy(many, short, best)
            return
        size = larger


@compiled
def propose(turn: int, many: int, total: Array, room: DirectionScratch) -> bool:
    """Write the next direction to `room.vectors[1]`, if there is one; the best so far is in `room.vectors[0]`."""
    v, reach = room.vectors[1], room.vectors[3]
    if turn < LEVEL:
        if turn == REGROUPED and (total.size == 2 or not regroup(many, room.vectors[0], total, room)):
            return False
        least_squares(many, room.order, room, v)
        return True
    for k in range(many):
        v[k] = 1.0 / (k + 1.5)
    shift = 0.0 if turn == LEVEL else reach[0] if turn == RISING else -reach[0]
    size = bend(many, shift, room, v, room.vectors[4])
    solve_back(many, room.root, v)
    if turn == LEVEL:  # this turn only measures how large the differences are, which may be of both signs
        reach[0] = size
    return turn > LEVEL


@inlined
def left_to_gain(total: Array, measure: Purity) -> float:
    """What pure branches would gain, times N."""
    whole = cost_of(total)
    return (0.0 if measure.criterion == ENTROPY else float(whole)) - purity(total, whole, measure)


@compiled
def seek(
    begin: int,
    end: int,
    many: int,
    data: Labelled,
    total: Array,
    measure: Purity,
    limits: Limits,
    room: DirectionScratch,
) -> tuple[bool, bool]:
    """The weights for a node's gathered candidates, in `room.vectors[0]`: whether there are any, and whether those in
    `room.vectors[2]` separate the sides.
    """
    for k in range(many):
        room.order[k] = k
    ridge = RIDGE + many / (end - begin)
    factor(many, room.order, ridge, room)
    compare_moments(many, total, room)
    gain, threshold, kept = -np.inf, 0.0, FITTED
    for turn in range(FALLING + 1):
        few = end - begin < ROWS_PER_FEATURE * many and gain > -np.inf
        if turn == LEVEL and (few or gain > CLEAR * left_to_gain(total, measure)):
            break
        if propose(turn, many, total, room):
            found, at = estimate(begin, end, many, room.vectors[1], data, total, measure, room)
            if found > gain:
                gain, threshold, kept = found, at, turn
                copy(many, room.vectors[1], room.vectors[0])
    if gain == -np.inf:
        return False, False
    if kept != REGROUPED:
        largest_against_the_rest(total, room.sides)
    gain, clean = pocket(begin, end, many, gain, threshold, data, total, measure, room)
    shorten(begin, end, many, gain, ridge, data, total, measure, limits, room)
    return True, clean


@compiled
def slant(
    first: int, last: int, nodes: Nodes, data: Labelled, features: Features, measure: Purity, limits: Limits,
    room: DirectionScratch, out: Array, separating: Array,
) -> None:  # fmt: skip
    """The weights of the perceptron tests of some nodes, by feature, and of those that separate; zeros where none."""
    for node in range(first, last):
        begin, end, total = nodes.begins[node], nodes.ends[node], nodes.totals[node]
        largest_against_the_rest(total, room.sides)
        describe(begin, end, data, features, room)
        many = choose(features.columns.size, room.chosen.size, room)
        if many < 1:
            continue
        gather(begin, end, many, data, features, room, float(cost_of(total)))
        any_at_all, clean = seek(begin, end, many, data, total, measure, limits, room)
        if not any_at_all:
            continue
        for k in range(many if clean else 0):
            separating[node, room.chosen[k]] = room.vectors[2, k] / room.scales[room.chosen[k]]
        for k in range(many):
            out[node, room.chosen[k]] = room.vectors[0, k] / room.scales[room.chosen[k]]


class Sorting(NamedTuple):
    """Room to sort the rows of all nodes by their scores."""

    scores: Array
    keys: Array
    order: Array


@compiled
def sweep(
    first: int, last: int, nodes: Nodes, data: Labelled, slants: Slants, measure: Purity, room: Sorting,
    classes: Array, out: Array,
) -> None:  # fmt: skip
    """The best threshold of every node's perceptron: the gain (below zero: none), the information, the threshold, the
    cost of the rows at or below it and of those without a score.
    """
    low, high, absent = classes[0], classes[1], classes[2]
    scores, keys, order = room
    for node in range(first, last):
        begin, known = nodes.begins[node], nodes.begins[node]
        absent[:] = 0
        out[node, 0] = -1.0
        for row in range(begin, nodes.ends[node]):
            score = slanted(slants, node, data.table, row)
            if np.isnan(score):
                absent[data.labels[row]] += data.costs[row]
            else:
                scores[row], keys[known], order[known] = score, score, row
                known += 1
        sort(keys, order, begin, known)
        if known == begin or not (abs(keys[begin]) < np.inf and abs(keys[known - 1]) < np.inf):
            continue
        out[node, 0], out[node, 1], out[node, 2], out[node, 3] = best_threshold(
            scores, order, begin, known, nodes.totals[node], absent, data, measure, low, high
        )
        out[node, 4] = cost_of(absent)
