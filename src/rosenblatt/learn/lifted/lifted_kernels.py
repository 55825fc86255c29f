"""Compiled code of the lifted perceptron: every row has a feature of its own, which is never written down."""

from typing import NamedTuple

from rosenblatt.learn.passes.averaged_kernels import score_in_order
from rosenblatt.rows.compiling import compiled, inlined
from rosenblatt.rows.kernels import (
    HUGE,
    TINY,
    UNIT,
    Array,
    Doubt,
    Page,
    Place,
    Rows,
    accumulate,
    accumulate_score,
    add,
    score,
    score_of_sizes,
    stored,
    truncated,
)

# ---------------------------------------------------------------------------------------------------------
# Rows with a feature of their own
#
# An entry is a copy of a row: it has a feature of its own, on which it is `lift` and all others are 0. `own` holds the
# weights of those features, each times its entry's label, so none is ever negative.
# ---------------------------------------------------------------------------------------------------------


class Entries(NamedTuple):
    """Copies of rows, lifted."""

    row_of: Array  # the row of each; empty where every entry is a row
    steps: Array  # of each; empty: 1 each
    own: Array
    lift: float


@compiled
def resolved(rows: Rows, label: int, i: int, w: Array, own: float, lift: float, computed: float, limbs: Array) -> float:
    """A lifted margin with the exact sign, given a computed one that is in doubt: it has one term more than a score."""
    sizes = score_of_sizes(rows, i, w) + lift * own
    if abs(computed) > (stored(rows, i) + 6) * (UNIT * sizes + TINY) and sizes < HUGE:
        return computed
    limbs[:] = 0
    changed = accumulate_score(limbs, label, rows, i, w)
    changed |= accumulate(limbs, 1, lift, own)
    return truncated(limbs) if changed else 0.0


@inlined
def margin(rows: Rows, labels: Array, i: int, w: Array, own: float, lift: float, doubt: Doubt) -> float:
    """y_i (w . x_i) + lift * own with the exact sign."""
    m = labels[i] * score(rows, i, w) + lift * own
    if not (abs(m) > doubt.width or doubt.none):
        m = resolved(rows, labels[i], i, w, own, lift, m, doubt.limbs)
    return m  # type: ignore[no-any-return]


@compiled
def next_doubtful(rows: Rows, labels: Array, entries: Entries, first: int, last: int, w: Array, width: float) -> int:
    """The next entry whose row is not clearly right; a loop with nothing else in it."""
    entry, row_of, own, lift = first, entries.row_of, entries.own, entries.lift
    if row_of.size == 0:
        while entry < last and labels[entry] * score(rows, entry, w) + lift * own[entry] > width:
            entry += 1
        return entry
    while entry < last and labels[row_of[entry]] * score(rows, row_of[entry], w) + lift * own[entry] > width:
        entry += 1
    return entry


@compiled
def cycle(
    rows: Rows, labels: Array, entries: Entries, place: Place, most: int, w: Array, doubt: Doubt, page: Page
) -> tuple[int, int, int, int, int]:
    """PLA on lifted rows: pass after pass over the entries, beginning at a place.

    Stops when all entries in a row have been right, after `most` looks, or when the page is full.
    Returns how many passes ended, the corrections written, the place reached, and the looks.
    """
    row_of, steps, own, lift = entries
    at, quiet = place.at, place.quiet
    passes = made = looks = 0
    while looks < most and quiet < own.size and made < page.ledger.size and passes < page.ends.size:
        stop = min(own.size, at + min(own.size - quiet, most - looks))
        entry = next_doubtful(rows, labels, entries, at, stop, w, doubt.width)
        looks += entry - at
        quiet += entry - at
        at = entry
        if at < stop:
            i = row_of[entry] if row_of.size > 0 else entry
            if margin(rows, labels, i, w, own[entry], lift, doubt) > 0.0:
                quiet += 1
            else:
                step = steps[entry] if steps.size > 0 else 1.0
                add(rows, i, w, step * labels[i])
                own[entry] += step * lift
                page.ledger[made] = i if step == 1.0 else ~i
                made += 1
                quiet = 0
            looks += 1
            at += 1
        if at == own.size:
            page.ends[passes] = made
            passes += 1
            at = 0
    return passes, made, at, quiet, looks


@compiled
def count(rows: Rows, labels: Array, entries: Entries, first: int, last: int, w: Array, doubt: Doubt) -> int:
    """How many of the entries first .. last-1 are mistakes in the lifted space."""
    mistakes, row_of = 0, entries.row_of
    for entry in range(first, last):
        i = row_of[entry] if row_of.size > 0 else entry
        mistakes += not margin(rows, labels, i, w, entries.own[entry], entries.lift, doubt) > 0.0
    return mistakes


@compiled
def margins_in_order(rows: Rows, labels: Array, first: int, w: Array, out: Array) -> None:
    """y_i (w . x_i) of as many rows as `out` has places, from the first on, added up in the order of the features.

    So it is the same for every storage.
    """
    for i in range(first, first + out.size):
        out[i - first] = labels[i] * score_in_order(rows, i, w)
