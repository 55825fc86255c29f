"""The active order: rows near the boundary before the next full pass.

Rounds: find, with fixed weights, the mistakes in a stretch of rows and the rows nearly so (margin below a
band); then clean those rows, most doubtful first, before paying for the next stretch. Stretches double until
the first pass is over; from then on each is the whole data, and the last one finds nothing. The schedule
depends on exact decisions and counts only, so it is the same for every storage and machine.

Rows that contradict each other are never clean, and weights that come from them alone are poor on all others.
So a round has a limit, and half of every budget is kept for plain cycles.
"""

from dataclasses import dataclass
from math import ceil, frexp

import numpy as np

from rosenblatt.learn.choices import Reason
from rosenblatt.learn.ledger import rows_of_entries
from rosenblatt.learn.run_state import FOREVER, Walk
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

FIRST_STRETCH = 1000  # copies of rows
SMALLEST_SHELF = 17  # octaves below the squared radius
LOOKS_BETWEEN_FINDS = 16  # at the active set, in passes
ACTIVE_SHARE = 0.5
NEAR = (64, 16)  # rows in the band: at least one in 64 of the stretch, at most one in 16
SMALL_PART = 4  # the active set is worth having while it is at most a quarter of the rows


@dataclass(frozen=True)
class Some:
    """Some of the rows, in order, and how many copies of each (empty: one each)."""

    rows: Array
    copies: Array

    @property
    def size(self) -> int:
        """How many copies of rows there are."""
        return int(np.ceil(self.copies).sum()) if self.copies.size else self.rows.size


def clean_near_the_boundary(walk: Walk) -> Reason | None:
    """Clean the rows that were ever wrong, and those nearly so, before the next full pass.

    Returns None when this is no longer the way: the share of the budget is spent, or most rows are active.
    """
    examples, n = walk.examples, walk.examples.n_copies
    scale = min(max(2 * frexp(examples.radius)[1], -1000), 1000)  # 2^scale is about the squared radius
    band = 2.0 ** (scale - 1)
    begin, end, covered = 0, min(FIRST_STRETCH, n), 0
    wrong_ever = near_now = nothing = Some(np.empty(0, walk.index), np.empty(0))
    if walk.looks_left() < 2 * n or SMALL_PART * examples.size > n:  # as many rows as features settle a boundary
        return None
    if walk.has_too_many_copies:
        return None
    while not walk.spent(ACTIVE_SHARE) and end - begin <= walk.looks_left(ACTIVE_SHARE):
        plain = covered < SMALL_PART * max(wrong_ever.size, 1)
        if plain and covered == n:
            break
        if plain:
            corrected = _corrected(walk, begin, end)
            if corrected is None:
                break
            wrong, near = corrected, nothing
        else:
            first, last = _rows_of(examples, begin, end)
            found = find.find(examples, walk.w, walk.ties, band=band, first=first, last=last)
            wrong, near = (_copies_of(examples, rows, begin, end) for rows in found)
        walk.seen += end - begin
        if end == n:
            walk.ledger.end_pass()
            if begin == 0 and not wrong.size:
                return Reason.SEPARATED
        wrong_ever = _union(examples, wrong_ever, wrong)
        near_now = _union(examples, nothing if covered == n else near_now, near)
        if not plain:
            others = _difference(_union(examples, wrong_ever, near_now), wrong)
            _clean(walk, wrong, others, end - begin, scale - SMALLEST_SHELF)
            band *= 2.0 if NEAR[0] * near.size < end - begin else 0.5 if NEAR[1] * near.size > end - begin else 1.0
        covered = max(covered, end)
        begin, end = (0, n) if end == n else (end, min(2 * end, n))
    return None


def _corrected(walk: Walk, begin: int, end: int) -> Some | None:
    """Plain PLA over copies begin .. end-1; returns those that were corrected, or None if it had to stop on the way."""
    examples, before = walk.examples, len(walk.ledger)
    first, last = _rows_of(examples, begin, end)
    order = np.arange(first, last, dtype=walk.index)
    if examples.weights.size:
        order = order[examples.weights[first:last] > 0]
    copies, at = _copies_of(examples, order, begin, end).copies, 0
    each = copies.copy()
    while at < order.size:
        if walk.spent():
            walk.seen += int(np.ceil(each).sum() - np.ceil(copies[at:]).sum()) if each.size else at
            return None
        at += walk.correct(order[at : at + walk.at_once], copies[at : at + walk.at_once], 0, FOREVER)[0]
    entries = walk.ledger.entries(before)
    rows, many = np.unique(rows_of_entries(entries), return_counts=True)
    if not examples.weights.size:
        return Some(rows, np.empty(0))
    weights = examples.weights[rows]
    parts = np.isin(rows, ~entries[entries < 0])  # a fraction that was corrected counts as that fraction
    return Some(rows, np.where(parts, many - 1 + (weights - np.floor(weights)), many))


def _rows_of(examples: Examples, begin: int, end: int) -> tuple[int, int]:
    """The rows that copies begin .. end-1 belong to."""
    if not examples.weights.size:
        return begin, end
    first, last = np.searchsorted(examples.copies_before, [begin, end - 1], side="right")
    return int(first) - 1, int(last)


def _copies_of(examples: Examples, rows: Array, begin: int, end: int) -> Some:
    """These rows, with as many of their copies as are among begin .. end-1; a fraction is a row's last copy."""
    if not examples.weights.size:
        return Some(rows, np.empty(0))
    before = examples.copies_before[rows]
    return Some(rows, np.minimum(examples.weights[rows], end - before) - np.maximum(begin - before, 0))


def _union(examples: Examples, a: Some, b: Some) -> Some:
    """The rows of both; copies of one row found at different times add up to all of them at most."""
    rows = np.concatenate([a.rows, b.rows])
    rows.sort(kind="stable")  # which finds that there are two runs in order
    rows = rows[np.diff(rows, prepend=-1) > 0]
    if not examples.weights.size:
        return Some(rows, np.empty(0))
    copies = np.zeros(rows.size)
    for part in (a, b):
        copies[np.searchsorted(rows, part.rows)] += part.copies
    return Some(rows, np.minimum(copies, examples.weights[rows]))


def _difference(a: Some, b: Some) -> Some:
    """The rows of a without those of b, which are among them."""
    places = np.searchsorted(a.rows, b.rows)
    if not a.copies.size:
        return Some(np.delete(a.rows, places), a.copies)
    copies = a.copies.copy()
    copies[places] -= b.copies
    return Some(a.rows[copies > 0], copies[copies > 0])


def _clean(walk: Walk, wrong: Some, others: Some, stretch: int, lowest: int) -> None:
    """Clean the active set, or leave it once a look at it corrects less than a look at the last stretch did."""
    shelves = _shelved(wrong, others)
    looks = min(LOOKS_BETWEEN_FINDS * walk.examples.n_copies, walk.looks_left(ACTIVE_SHARE))
    at_once, rate = wrong.size, -1.0
    while looks > 0 and not walk.spent(ACTIVE_SHARE):
        page, doubt = walk.room(ACTIVE_SHARE)
        done, seen, made = kernels.clean(
            walk.examples.rows, walk.examples.labels, shelves, lowest,
            walk.w, walk.ties, doubt, ceil(min(at_once, looks)), page,
        )  # fmt: skip
        walk.ledger.append(page[:made])
        walk.seen += seen
        looks -= seen
        if shelves.copies.size and shelves.cursor.used == shelves.row.size:
            shelves = _widened(shelves)
        elif done or made < rate * seen:
            break
        elif rate < 0:
            rate = made / stretch
            at_once = min(max(wrong.size + others.size, 8192), walk.at_once)


def _shelved(wrong: Some, others: Some) -> kernels.Shelves:
    """Mistakes on the lowest shelf, all others on the highest."""
    rows, copies = np.concatenate([wrong.rows, others.rows]), np.concatenate([wrong.copies, others.copies])
    following = np.arange(1, rows.size + 1)
    head, tail = np.full(kernels.SHELVES, -1), np.full(kernels.SHELVES, -1)
    for shelf, begin, end in ((0, 0, wrong.rows.size), (kernels.SHELVES - 1, wrong.rows.size, rows.size)):
        if begin < end:
            following[end - 1] = -1
            head[shelf], tail[shelf] = begin, end - 1
    cursor = np.array([(-1, -1, 0, rows.size)], kernels.CURSOR)[0]
    shelves = kernels.Shelves(rows, copies, following, head, tail, cursor)
    return _widened(shelves) if copies.size else shelves


def _widened(shelves: kernels.Shelves) -> kernels.Shelves:
    """Twice the places, for entries whose copies part."""
    return shelves._replace(
        row=np.concatenate([shelves.row, np.zeros_like(shelves.row)]),
        copies=np.concatenate([shelves.copies, np.zeros_like(shelves.copies)]),
        following=np.concatenate([shelves.following, np.zeros_like(shelves.following)]),
    )
