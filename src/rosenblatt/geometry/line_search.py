"""Compiled: the step along a line that leaves the fewest mistakes (Li and Lin, IJCNN 2007).

On the line w + t v, row i is wrong on one side of its crossing t_i = -(z_i . w) / (z_i . v) and right on the other, so
the cost of the mistakes is a staircase in t. Its lowest step is found by sorting the crossings, in linear time.
Slopes are the z_i . v of a direction v, for all rows; scores are the z_i . w.
"""

from typing import NamedTuple

from rosenblatt.rows.compiling import compiled
from rosenblatt.rows.kernels import Array, bin_of

BEYOND = 1.5  # times as far as the last crossing wanted
FEW = 12  # crossings; up to this many are sorted by insertion
NEAREST, FARTHEST = 2.0**-500, 2.0**500  # how far to look: what is computed from steps between them is finite


def cost_of(scores: Array, costs: Array) -> int:
    """What the mistakes cost: their number, where there are no costs."""
    wrong = scores <= 0.0
    return int(costs[wrong].sum() if costs.size else wrong.sum())


@compiled
def sift(keys: Array, changes: Array, first: int, last: int, root: int) -> None:
    """Let a key sink to its place in a heap that is keys[first:last]."""
    while 2 * root + 1 < last - first:
        child = 2 * root + 1
        if child + 1 < last - first and keys[first + child] < keys[first + child + 1]:
            child += 1
        if keys[first + root] >= keys[first + child]:
            break
        a, b = first + root, first + child
        keys[a], keys[b] = keys[b], keys[a]
        changes[a], changes[b] = changes[b], changes[a]
        root = child


@compiled
def sort(keys: Array, changes: Array, first: int, last: int) -> None:
    """Sort a stretch of keys, and what belongs to them: by insertion if it is short, or else by a heap."""
    if last - first > FEW:
        for root in range((last - first) // 2 - 1, -1, -1):
            sift(keys, changes, first, last, root)
        for end in range(last - 1, first, -1):
            keys[first], keys[end] = keys[end], keys[first]
            changes[first], changes[end] = changes[end], changes[first]
            sift(keys, changes, first, end, 0)
        return
    for k in range(first + 1, last):
        key, change = keys[k], changes[k]
        at = k
        while at > first and keys[at - 1] > key:
            keys[at], changes[at] = keys[at - 1], changes[at - 1]
            at -= 1
        keys[at], changes[at] = key, change


class Crossings(NamedTuple):
    """Room for the crossings and by how much the cost changes there: as they are met, then sorted by buckets."""

    raw: Array
    raw_changes: Array
    keys: Array
    changes: Array
    heads: Array  # where each bucket begins; two more than there are rows


@compiled
def best_step(scores: Array, slopes: Array, costs: Array, reach: float, room: Crossings) -> tuple[float, int]:
    """The middle of the widest stretch of [-reach, reach] with the least cost, and how much less that is than at 0.

    Crossings are sorted by buckets first: as places rise with crossings, so do buckets, wherever they are clamped.
    """
    raw, raw_changes, keys, changes, heads = room
    found = 0
    for i in range(scores.size):
        if abs(scores[i]) < reach * abs(slopes[i]):
            raw[found] = -scores[i] / slopes[i]
            cost = costs[i] if costs.size > 0 else 1
            raw_changes[found] = -cost if slopes[i] > 0.0 else cost
            found += 1
    if found == 0:
        return 0.0, 0
    for b in range(found + 1):
        heads[b] = 0
    scale = 0.999999 * found / (2.0 * reach)
    for k in range(found):
        heads[bin_of((raw[k] + reach) * scale, found) + 1] += 1
    for b in range(found):
        heads[b + 1] += heads[b]
    for k in range(found):
        b = bin_of((raw[k] + reach) * scale, found)
        keys[heads[b]], changes[heads[b]] = raw[k], raw_changes[k]
        heads[b] += 1
    first = 0
    for b in range(found):
        if heads[b] - first > 1:
            sort(keys, changes, first, heads[b])
        first = heads[b]
    cost, least, now, best, width = 0, 0, 0, 0.0, -1.0
    before = -reach
    for k in range(found + 1):
        after = keys[k] if k < found else reach
        if before < after:
            if before <= 0.0 < after:
                now = cost
            if cost < least or (cost == least and after - before > width) or width < 0.0:
                least, best, width = cost, 0.5 * (before + after), after - before
        if k < found:
            cost += changes[k]
            before = after
    return best, now - least


@compiled
def reach_of(scores: Array, slopes: Array, share: float, sample: Array) -> float:
    """About how far to look for this share of the rows to be crossed, from a sample of them."""
    many = min(sample.size, scores.size)
    found = 0
    for k in range(many):
        i = (k * scores.size) // many
        if slopes[i] != 0.0:
            sample[found] = abs(scores[i] / slopes[i])
            found += 1
    if found == 0:
        return 0.0
    for k in range(1, found):
        value = sample[k]
        at = k
        while at > 0 and sample[at - 1] > value:
            sample[at] = sample[at - 1]
            at -= 1
        sample[at] = value
    return float(BEYOND * sample[bin_of(share * found, found)])


@compiled
def descend(
    slopes: Array,
    directions: Array,
    costs: Array,
    share: float,
    w: Array,
    scores: Array,
    room: Crossings,
    sample: Array,
) -> int:
    """Take the best step along each direction in turn; returns by how much the cost fell.

    A step that leaves the cost as it is goes to the middle of the widest stretch: the next direction starts from there.
    """
    fell = 0
    for d in range(len(directions)):
        slope, direction = slopes[d], directions[d]
        reach = reach_of(scores, slope, share, sample)
        if not reach > 0.0:
            continue
        reach = min(max(reach, NEAREST), FARTHEST)
        step, gain = best_step(scores, slope, costs, reach, room)
        for i in range(scores.size):
            scores[i] += step * slope[i]
        for j in range(w.size):
            w[j] += step * direction[j]
        fell += gain
    return fell
