"""Compiled code of a vote: of weight vectors a block at a time, or, on sparse rows, of each in passing."""

import numpy as np

from rosenblatt.rows.compiling import any_order, compiled, inlined
from rosenblatt.rows.kernels import Array, Doubt, Rows, add, column, score, stored, value, with_exact_sign


@compiled
def vectors_of(rows: Rows, moves: Array, entries: Array, vectors: Array) -> None:
    """The vectors after the one in vectors[0]: each is the one before plus moves[k] x_entries[k]."""
    for k in range(entries.size):
        for j in range(vectors.shape[1]):
            vectors[k + 1, j] = vectors[k, j]
        add(rows, entries[k], vectors[k + 1], moves[k])


@any_order
def scores_of_all(rows: Rows, i: int, columns: Array, scores: Array) -> None:
    """Row i's score under every vector, whose entries of one feature lie side by side in `columns`."""
    for k in range(scores.size):
        scores[k] = rows.bias * columns[-1, k]
    for e in range(stored(rows, i)):
        v, j = np.float64(value(rows, i, e)), column(rows, i, e)
        for k in range(scores.size):
            scores[k] += v * columns[j, k]


@compiled
def votes_of(
    rows: Rows,
    first: int,
    last: int,
    vectors: Array,
    columns: Array,
    votes: Array,
    zero: int,
    doubt: Doubt,
    scores: Array,
    out: Array,
) -> None:
    """Add to `out` the votes of the vectors on rows first .. last-1, each decided exactly.

    `columns` are the same vectors, a feature's entries side by side; `scores` is a place for one row's. A score of zero
    votes `zero`.
    """
    for i in range(first, last):
        scores_of_all(rows, i, columns, scores)
        total = unclear = 0
        for k in range(scores.size):
            total += votes[k] if scores[k] > doubt.width else -votes[k]
            unclear += not abs(scores[k]) > doubt.width
        for k in range(scores.size if unclear > 0 else 0):
            if not abs(scores[k]) > doubt.width:
                s = with_exact_sign(rows, i, vectors[k], scores[k], doubt)
                if s > 0.0 or (s == 0.0 and zero > 0):
                    total += 2 * votes[k]  # it was counted as a no
        out[i] += total


@inlined
def products_with(rows: Rows, i: int, starts: Array, places: Array, values: Array, bias: float, out: Array) -> None:
    """The inner products of row i with others, which are given by columns: those of column j at starts[j] and on."""
    for r in range(out.size):
        out[r] = rows.bias * bias
    for k in range(stored(rows, i)):
        v, j = np.float64(value(rows, i, k)), column(rows, i, k)
        for t in range(starts[j], starts[j + 1]):
            out[places[t]] += v * values[t]


@compiled
def votes_in_passing(
    rows: Rows,
    first: int,
    last: int,
    corrected: Rows,
    entries: Array,
    moves: Array,
    votes: Array,
    zero: int,
    exact: bool,
    width: float,
    doubt: Doubt,
    renewed: int,
    starts: Array,
    places: Array,
    values: Array,
    begin: Array,
    w: Array,
    line: Array,
    products: Array,
    scores: Array,
    out: Array,
) -> None:
    """Add to `out` the votes on rows first .. last-1 of the vectors before each update, each decided exactly.

    Update k adds moves[k] times corrected row entries[k] to the weights, which are `begin` at first; `starts`, `places`
    and `values` are the corrected rows by columns. An update changes a row's score by its product with the corrected
    row, so vectors are gone through once for as many rows as `scores` has room for. Scores are computed anew every
    `renewed` updates, and are off by less than `width` in between; where that leaves a doubt, the weights tell.
    """
    for tile in range(first, last, scores.size):
        many = min(scores.size, last - tile)
        for h in range(many):
            products_with(rows, tile + h, starts, places, values, corrected.bias, line)
            for r in range(line.size):
                products[r, h] = line[r]
        for j in range(w.size):
            w[j] = begin[j]
        for k in range(entries.size):
            if k % renewed == 0:
                for h in range(many):
                    scores[h] = score(rows, tile + h, w)
            if votes[k] != 0:
                unclear = 0
                for h in range(many):
                    out[tile + h] += votes[k] if scores[h] > width else -votes[k]
                    unclear += not abs(scores[h]) > width
                for h in range(many if unclear > 0 else 0):
                    if not abs(scores[h]) > width:
                        s, i = scores[h], tile + h
                        if not exact:
                            s = with_exact_sign(rows, i, w, score(rows, i, w), doubt)
                        if s > 0.0 or (s == 0.0 and zero > 0):
                            out[i] += 2 * votes[k]  # it was counted as a no
            for h in range(many):
                scores[h] += moves[k] * products[entries[k], h]
            add(corrected, entries[k], w, moves[k])
