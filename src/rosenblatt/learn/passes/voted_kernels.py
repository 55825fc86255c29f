"""Compiled code of a vote: of weight vectors a block at a time, or, on sparse rows, of each in passing."""

from typing import NamedTuple

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


RENEWED = 1024  # updates, after which scores are computed again, not added up


class Updates(NamedTuple):
    """Updates, one after the other: from `begin` on, each adds moves[k] times corrected row entries[k] to weights."""

    corrected: Rows
    entries: Array
    moves: Array
    votes: Array  # of the weights before each
    begin: Array


class ByColumns(NamedTuple):
    """The corrected rows by columns: the entries of column j are at starts[j] and on."""

    starts: Array
    places: Array
    values: Array


class Accuracy(NamedTuple):
    """Whether scores are added up without rounding, or by how much they are off; and the doubt about a computed one."""

    exact: bool
    width: float
    doubt: Doubt


class Tile(NamedTuple):
    """Room for the rows that are asked together."""

    w: Array
    line: Array  # the products of a row with all corrected ones
    products: Array
    scores: Array


@inlined
def products_with(rows: Rows, i: int, others: ByColumns, bias: float, out: Array) -> None:
    """The inner products of row i with others."""
    for r in range(out.size):
        out[r] = rows.bias * bias
    for k in range(stored(rows, i)):
        v, j = np.float64(value(rows, i, k)), column(rows, i, k)
        for t in range(others.starts[j], others.starts[j + 1]):
            out[others.places[t]] += v * others.values[t]


@compiled
def votes_in_passing(
    rows: Rows,
    first: int,
    last: int,
    updates: Updates,
    by_columns: ByColumns,
    zero: int,
    accuracy: Accuracy,
    tile: Tile,
    out: Array,
) -> None:
    """Add to `out` the votes on rows first .. last-1 of the vectors before each update, each decided exactly.

    An update changes a row's score by its product with the corrected row, so vectors are gone through once for as many
    rows as a tile has room for. Scores are computed again every RENEWED updates, and are off by less than a width in
    between; where that leaves a doubt, the weights tell.
    """
    corrected, entries, moves, votes, begin = updates
    w, line, products, scores = tile
    width, doubt = accuracy.width, accuracy.doubt
    for start in range(first, last, scores.size):
        many = min(scores.size, last - start)
        for h in range(many):
            products_with(rows, start + h, by_columns, corrected.bias, line)
            for r in range(line.size):
                products[r, h] = line[r]
        for j in range(w.size):
            w[j] = begin[j]
        for k in range(entries.size):
            if k % RENEWED == 0:
                for h in range(many):
                    scores[h] = score(rows, start + h, w)
            if votes[k] != 0:
                unclear = 0
                for h in range(many):
                    out[start + h] += votes[k] if scores[h] > width else -votes[k]
                    unclear += not abs(scores[h]) > width
                for h in range(many if unclear > 0 else 0):
                    if not abs(scores[h]) > width:
                        s, i = scores[h], start + h
                        if not accuracy.exact:
                            s = with_exact_sign(rows, i, w, score(rows, i, w), doubt)
                        if s > 0.0 or (s == 0.0 and zero > 0):
                            out[i] += 2 * votes[k]  # it was counted as a no
            for h in range(many):
                scores[h] += moves[k] * products[entries[k], h]
            add(corrected, entries[k], w, moves[k])
