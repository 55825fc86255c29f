"""Compiled: the perceptron test of a node: a direction along which a threshold parts the classes well.

Directions are proposed and the best by gain is kept, as the pocket keeps weights: those of `learn.directions`, and,
from the best of them on, passes of the perceptron and their averages. A gain is estimated from a histogram of the
scores; `sweep` finds the exact threshold of the direction that is kept. A pass without a mistake is a proof that the
sides are separable: its weights are handed over as they are, too.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels import Array, compiled, inlined
from rosenblatt.learn.branching import Slants, slanted
from rosenblatt.learn.directions import (
    Features,
    Room,
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
from rosenblatt.learn.line import sort
from rosenblatt.learn.splitting import ENTROPY, EVEN, Labelled, Measure, between, cost_of, purity, rest, weighed

BINS, SPAN = 128, 3.0  # of the histogram, which reaches so many standard deviations to each side of the mean
RIDGE = 0.001  # added to unit second moments; and the features per row
PASSES, MANY_PASSES, FEW_WRONG = 4, 40, 0.05  # of the perceptron; more while a pass has few mistakes
FIRST_LENGTH = 0.5  # of the weights that passes begin from, in lengths of a row times the root of the rows
ROWS_PER_FEATURE = 4  # fewer say nothing about second moments
CLEAR = 0.5  # of the impurity: a direction that gains so much is not sought by second moments
FITTED, REGROUPED, LEVEL, RISING, FALLING = range(5)  # the directions proposed, in turn


class Limits(NamedTuple):
    """How many features a test may have, and which part of the gain fewer of them may cost."""

    most: int
    spare: float


@compiled
def score_all(begin: int, end: int, many: int, v: Array, room: Room) -> tuple[float, float]:
    """The scores of a node's rows; returns the ends of a histogram of them."""
    total = squares = 0.0
    for place in range(begin, end):
        score, values = 0.0, room.values[place]
        for k in range(many):
            score += v[k] * values[k]
        room.scores[place] = score
        total += score
        squares += score * score
    mean = total / (end - begin)
    deviation = sqrt(max(squares / (end - begin) - mean * mean, 0.0))
    return mean - SPAN * deviation, mean + SPAN * deviation


@compiled
def estimate(
    rows: Array, begin: int, end: int, many: int, v: Array, data: Labelled, total: Array, measure: Measure, room: Room
) -> tuple[float, float]:
    """About how much the best threshold along a direction gains, times N, and that threshold."""
    lowest, highest = score_all(begin, end, many, v, room)
    if not lowest < highest:
        return -np.inf, 0.0
    room.bins[:, :] = 0
    per_unit = BINS / (highest - lowest)
    for place in range(begin, end):
        row = rows[place]
        at = min(max(int((room.scores[place] - lowest) * per_unit), 0), BINS - 1)
        room.bins[at, data.labels[row]] += data.costs[row]
    low, high, none = room.classes[0], room.classes[1], room.classes[2]
    low[:] = 0
    none[:] = 0
    best, at = -np.inf, 0
    for b in range(BINS - 1):
        for k in range(low.size):
            low[k] += room.bins[b, k]
        rest(total, low, none, high)
        if cost_of(low) >= measure.least and cost_of(high) >= measure.least:
            gain = purity(low, measure) + purity(high, measure)
            if gain > best:
                best, at = gain, b + 1
    return best - purity(total, measure), lowest + at / per_unit


@compiled
def correct_pass(rows: Array, begin: int, end: int, many: int, data: Labelled, steps: Array, room: Room) -> int:
    """One pass of the perceptron over a node's rows; the last weight is the threshold's. Returns the mistakes."""
    w, mean = room.vectors[2], room.vectors[3]
    mistakes = 0
    for place in range(begin, end):
        row, values = rows[place], room.values[place]
        side = room.sides[data.labels[row]]
        score = w[many]
        for k in range(many):
            score += w[k] * values[k]
        if side * score <= 0.0:
            mistakes += 1
            change = side * steps[1 if side > 0 else 0] * data.costs[row]
            left = (end - place) / (end - begin)
            w[many] += change
            mean[many] += left * change
            for k in range(many):
                w[k] += change * values[k]
                mean[k] += left * (change * values[k])
    return mistakes


@compiled
def start_passes(begin: int, end: int, many: int, threshold: float, total: Array, steps: Array, room: Room) -> None:
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
    steps[1], steps[0] = (end - begin) / (2.0 * plus), (end - begin) / (2.0 * (whole - plus))


@compiled
def pocket(
    rows: Array, begin: int, end: int, many: int, gain: float, threshold: float, data: Labelled, total: Array,
    measure: Measure, room: Room, steps: Array,
) -> tuple[float, bool]:  # fmt: skip
    """Passes of the perceptron from the best direction so far; what gains more is kept.

    Returns its gain, and whether the last pass was clean: then its weights separate the sides.
    """
    best, w, mean = room.vectors[0], room.vectors[2], room.vectors[3]
    start_passes(begin, end, many, threshold, total, steps, room)
    for turn in range(MANY_PASSES):
        for k in range(many + 1):
            mean[k] = w[k]
        mistakes = correct_pass(rows, begin, end, many, data, steps, room)
        if turn >= PASSES and mistakes > FEW_WRONG * (end - begin):
            break
        for v in (w, mean):
            found, _ = estimate(rows, begin, end, many, v, data, total, measure, room)
            if found > gain:
                gain = found
                copy(many, v, best)
        if mistakes == 0:
            return gain, True
    return gain, False


@compiled
def shorten(
    rows: Array, begin: int, end: int, many: int, gain: float, ridge: float, data: Labelled, total: Array,
    measure: Measure, limits: Limits, room: Room,
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
            found, _ = estimate(rows, begin, end, many, short, data, total, measure, room)
            if found > highest:
                highest, kept = found, way
        last = size >= limits.most or size + max(size // 3, 1) > limits.most
        if highest >= (1.0 - limits.spare) * gain or last:
            for k in range(size):
                short[room.order[k]] = best[room.order[k]] if kept == 0 else fitted[k]
            copy(many, short, best)
            return
        size += max(size // 3, 1)


@compiled
def propose(turn: int, many: int, total: Array, room: Room) -> bool:
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
    if turn == LEVEL:  # tells how large the differences are, which may be of both signs
        reach[0] = size
    return turn > LEVEL


@inlined
def left_to_gain(total: Array, measure: Measure) -> float:
    """What pure branches would gain, times N."""
    return (0.0 if measure.criterion == ENTROPY else float(cost_of(total))) - purity(total, measure)


@compiled
def slant(
    first: int, last: int, begins: Array, ends: Array, rows: Array, data: Labelled, features: Features, totals: Array,
    measure: Measure, limits: Limits, room: Room, steps: Array, out: Array, separating: Array,
) -> None:  # fmt: skip
    """The weights of the perceptron tests of some nodes, by feature, and of those that separate; zeros where none."""
    for node in range(first, last):
        begin, end, total = begins[node], ends[node], totals[node]
        largest_against_the_rest(total, room.sides)
        describe(rows, begin, end, data, features, room)
        many = choose(room.chosen.size, room)
        if many < 1:
            continue
        gather(rows, begin, end, many, data, features, room, float(cost_of(total)))
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
                found, at = estimate(rows, begin, end, many, room.vectors[1], data, total, measure, room)
                if found > gain:
                    gain, threshold, kept = found, at, turn
                    copy(many, room.vectors[1], room.vectors[0])
        if gain == -np.inf:
            continue
        if kept != REGROUPED:
            largest_against_the_rest(total, room.sides)
        gain, clean = pocket(rows, begin, end, many, gain, threshold, data, total, measure, room, steps)
        for k in range(many if clean else 0):
            separating[node, room.chosen[k]] = room.vectors[2, k] / room.scales[room.chosen[k]]
        shorten(rows, begin, end, many, gain, ridge, data, total, measure, limits, room)
        for k in range(many):
            out[node, room.chosen[k]] = room.vectors[0, k] / room.scales[room.chosen[k]]


@compiled
def sweep(
    first: int, last: int, begins: Array, ends: Array, rows: Array, data: Labelled, slants: Slants, totals: Array,
    measure: Measure, keys: Array, places: Array, classes: Array, out: Array,
) -> None:  # fmt: skip
    """The best threshold of every node's perceptron: the gain (below zero: none), the information, the threshold, the
    cost of the rows at or below it and of those without a score.
    """
    low, high, absent = classes[0], classes[1], classes[2]
    for node in range(first, last):
        begin, known, total = begins[node], begins[node], cost_of(totals[node])
        absent[:] = 0
        out[node, 0] = -1.0
        for place in range(begin, ends[node]):
            score = slanted(slants, node, data.table, rows[place])
            if np.isnan(score):
                absent[data.labels[rows[place]]] += data.costs[rows[place]]
            else:
                keys[known], places[known] = score, rows[place]
                known += 1
        sort(keys, places, begin, known)
        if known == begin or not (abs(keys[begin]) < np.inf and abs(keys[known - 1]) < np.inf):
            continue
        of_absent, of_low, best = cost_of(absent), 0, -1.0
        base = purity(absent, measure) - purity(totals[node], measure)
        low[:] = 0
        for place in range(begin, known - 1):
            low[data.labels[places[place]]] += data.costs[places[place]]
            of_low += data.costs[places[place]]
            if keys[place] == keys[place + 1] or of_low < measure.least or total - of_low - of_absent < measure.least:
                continue
            rest(totals[node], low, absent, high)
            gain = (base + purity(low, measure) + purity(high, measure)) / total
            if gain > best + EVEN:
                best = gain
                parts = weighed(of_low, measure.logs) + weighed(total - of_low - of_absent, measure.logs)
                info = weighed(total, measure.logs) - parts - weighed(of_absent, measure.logs)
                out[node, 0], out[node, 1], out[node, 3], out[node, 4] = best, info / total, of_low, of_absent
                out[node, 2] = between(keys[place], keys[place + 1])
