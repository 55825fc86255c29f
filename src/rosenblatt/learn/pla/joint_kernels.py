"""Compiled code of rules that choose among several classes by the largest score: find and correct, exactly.

`W` has a row of weights for each class, `own` the class of every row. An update touches two rows of W: that of the
row's own class and that of its strongest rival. The ledger gets i K + r for a whole step on row i against rival r, and
~ of it for a part of a step.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.learn.passes.averaged_kernels import Log
from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import Array, Doubt, Rows, Ties, accumulate_score, add, score, truncated


@inlined
def lead(rows: Rows, i: int, W: Array, a: int, b: int, computed: float, doubt: Doubt) -> float:
    """W_a . x_i - W_b . x_i with the exact sign, given a computed one, each part of which is off by the doubt at most.

    Rounding is monotonic, so a computed difference above twice the doubt is one of numbers that differ by more.
    """
    if abs(computed) > 2.0 * doubt.width or doubt.none:
        return computed
    doubt.limbs[:] = 0
    changed = accumulate_score(doubt.limbs, 1, rows, i, W[a])
    changed |= accumulate_score(doubt.limbs, -1, rows, i, W[b])
    return truncated(doubt.limbs) if changed else 0.0


@inlined
def strongest(rows: Rows, i: int, own: int, W: Array, last: bool, doubt: Doubt, scores: Array) -> int:
    """The class with the exactly largest score on row i, other than `own`; of equals the first, or the last.

    Leaves the computed scores of all classes in `scores`.
    """
    best = -1
    for k in range(scores.size):
        scores[k] = score(rows, i, W[k])
        if k != own:
            ahead = lead(rows, i, W, k, best, scores[k] - scores[best], doubt) if best >= 0 else 1.0
            if ahead > 0.0 or (ahead == 0.0 and last):
                best = k
    return best


@inlined
def rival_of(rows: Rows, i: int, own: int, W: Array, ties: Ties, doubt: Doubt, scores: Array) -> int:
    """The strongest rival of row i's class, if it makes the row a mistake; else -1.

    Ties are those of a pair of classes, the later of which is the positive one.
    """
    rival = strongest(rows, i, own, W, ties.negative and not ties.positive, doubt, scores)
    m = lead(rows, i, W, own, rival, scores[own] - scores[rival], doubt)
    wrong = m < 0.0 or (m == 0.0 and (ties.positive if own > rival else ties.negative))
    return rival if wrong else -1


@compiled
def choose(rows: Rows, first: int, last: int, W: Array, doubt: Doubt, scores: Array, out: Array) -> None:
    """The class of rows first .. last-1: that of the exactly largest score, the first of equals."""
    for i in range(first, last):
        out[i - first] = strongest(rows, i, -1, W, False, doubt, scores)


class Joint(NamedTuple):
    """The weights of all classes, what their mean needs (empty: none is kept), and room for the scores of a row."""

    W: Array
    sums: Array
    scores: Array


class Looks(NamedTuple):
    """How many copies of rows were looked at before, and how many of them in a row were right."""

    looks: int
    quiet: int


@compiled
def sweep(
    rows: Rows,
    own: Array,
    order: Array,
    copies: Array,
    joint: Joint,
    before: Looks,
    patience: int,
    ties: Ties,
    doubt: Doubt,
    log: Log,
) -> tuple[int, int, int, int]:
    """Look at the rows in `order`, and correct each that is a mistake against its strongest rival.

    `copies` goes with `order` and is used up (empty: one each). At an update, sums += looks * (what is added to W).
    Stops when `patience` copies in a row were right, or when the ledger is full. Returns how far it
    came in `order`, how many updates it wrote, and how many copies were looked at, and right in a row, by then.
    """
    W, sums, scores = joint.W, joint.sums, joint.scores
    looks, quiet = before.looks, before.quiet
    made = k = 0
    while k < order.size and quiet < patience:
        i = order[k]
        many, y = copies[k] if copies.size > 0 else 1.0, own[order[k]]
        while many > 0.0:
            rival = rival_of(rows, i, y, W, ties, doubt, scores)
            if rival < 0:
                break
            if made == log.ledger.size:
                if copies.size > 0:
                    copies[k] = many
                return k, made, looks, quiet
            step = min(many, 1.0)
            add(rows, i, W[y], step)
            add(rows, i, W[rival], -step)
            if sums.size > 0:
                add(rows, i, sums[y], looks * step)
                add(rows, i, sums[rival], -looks * step)
            entry = i * scores.size + rival
            log.ledger[made], log.when[made] = entry if step == 1.0 else ~entry, looks
            made += 1
            looks += 1
            quiet = 0
            many -= step
        looks += int(np.ceil(many))
        quiet += int(np.ceil(many))
        k += 1
    return k, made, looks, quiet


@compiled
def replay(rows: Rows, own: Array, weights: Array, W: Array, ledger: Array) -> None:
    """Make the corrections that a ledger holds, in order."""
    for entry in ledger:
        pair = entry if entry >= 0 else ~entry
        i, rival = pair // len(W), pair % len(W)
        step = 1.0 if entry >= 0 else weights[i] - np.floor(weights[i])
        add(rows, i, W[own[i]], step)
        add(rows, i, W[rival], -step)


@compiled
def is_lower(
    rows: Rows, i: int, own_i: int, rival_i: int, j: int, own_j: int, rival_j: int, W: Array, limbs: Array
) -> bool:
    """Whether row i leads its rival by exactly less than row j does."""
    limbs[:] = 0
    accumulate_score(limbs, 1, rows, i, W[own_i])
    accumulate_score(limbs, -1, rows, i, W[rival_i])
    accumulate_score(limbs, -1, rows, j, W[own_j])
    accumulate_score(limbs, 1, rows, j, W[rival_j])
    return truncated(limbs) < 0.0


@compiled
def worst(
    rows: Rows, own: Array, weights: Array, first: int, last: int, W: Array, doubt: Doubt, scores: Array
) -> tuple[int, int]:
    """The row of first .. last-1 that leads its strongest rival by exactly the least, the first of equals; the rival.

    Rows of weight 0 do not count; -1 if there is no other.
    """
    best, against, least = -1, -1, np.inf
    for i in range(first, last):
        if weights.size > 0 and weights[i] == 0.0:
            continue
        rival = strongest(rows, i, own[i], W, False, doubt, scores)
        m = scores[own[i]] - scores[rival]
        if best < 0 or least - m > 4.0 * doubt.width:
            lower = True
        else:
            lower = not m - least > 4.0 * doubt.width and is_lower(
                rows, i, own[i], rival, best, own[best], against, W, doubt.limbs
            )
        if lower:
            best, against, least = i, rival, m
    return best, against
