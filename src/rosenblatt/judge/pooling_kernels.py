"""Compiled: isotonic regression by pooling adjacent violators, and what one more row would do to it.

Both read groups of equal scores, lowest first, and walk along them once. Where sums are counts, every comparison is of
products of whole numbers, and exact.
"""

from rosenblatt.rows.compiling import compiled
from rosenblatt.rows.kernels import Array


@compiled
def pool(totals: Array, weights: Array, begins: Array) -> int:
    """Merge, in place, neighbours whose means do not increase; returns how many blocks remain.

    `begins` is where each block begins. A group is merged at most once, so it takes as many steps as there are groups.
    """
    last = -1
    for group in range(totals.size):
        total, weight, begin = totals[group], weights[group], group
        while last >= 0 and totals[last] * weight >= total * weights[last]:
            total, weight, begin = total + totals[last], weight + weights[last], begins[last]
            last -= 1
        last += 1
        totals[last], weights[last], begins[last] = total, weight, begin
    return last + 1


@compiled
def link(x: Array, y: Array, after: Array) -> None:
    """The lower hull of the points from each one on: `after` is the next corner, or the point itself if it is the last.

    Every round of the inner loop passes a corner that no later round can see.
    """
    last = x.size - 1
    after[last] = last
    for point in range(last - 1, -1, -1):
        corner = point + 1
        while after[corner] != corner:
            beyond = after[corner]
            rise, run = y[corner] - y[point], x[corner] - x[point]
            if (y[beyond] - y[corner]) * run > rise * (x[beyond] - x[corner]):
                break
            corner = beyond
        after[point] = corner


@compiled
def insert(x: Array, y: Array, after: Array, label: int, hull: Array, rises: Array, runs: Array) -> None:
    """The isotonic value of one more row with this label, at each group of scores and in each gap between them.

    x and y count the rows, and those that are yes, up to each group, from (0, 0) on. The new row lifts what comes after
    it by (1, label); its value is the slope of the bridge between the lower hull of the points before it and that of
    the lifted points after it. Places are ordered: gap, group, gap, ..., gap. Values do not decrease from place to
    place, so both ends of the bridge only move on (`hull` is the corners before, `left` the end among them). `rises`
    over `runs` are the values.
    """
    top = left = right = 0
    hull[0] = 0
    for place in range(2 * x.size - 1):
        before, behind = place // 2, (place + 1) // 2
        if before > hull[top]:
            while top > 0 and (y[hull[top]] - y[hull[top - 1]]) * (x[before] - x[hull[top]]) >= (
                y[before] - y[hull[top]]
            ) * (x[hull[top]] - x[hull[top - 1]]):
                top -= 1
            top += 1
            hull[top] = before
            left = min(left, top)
        right = max(right, behind)
        while (
            True
        ):  # the end whose hull bends first moves on, until the bridge is no steeper than either hull beyond it
            end, corner, beyond = hull[left], hull[min(left + 1, top)], after[right]
            rise, run = y[right] + label - y[end], x[right] + 1 - x[end]
            left_rise, left_run = y[corner] - y[end], x[corner] - x[end]
            right_rise, right_run = y[beyond] - y[right], x[beyond] - x[right]
            if left_run > 0 and (right_run == 0 or left_rise * right_run <= right_rise * left_run):
                if rise * left_run <= left_rise * run:
                    break
                left += 1
            elif right_run == 0 or rise * right_run <= right_rise * run:
                break
            else:
                right = beyond
        rises[place], runs[place] = rise, run
