"""Contradictions for a proof of how few mistakes are possible, each with its contribution to the bound.

Problem   contradictions among rows, so many and so disjoint that they prove much (`optimality`).
Input     examples, what a mistake on each row costs, a rule and its mistakes.
Result    contradictions; each charges its rows what is left of the cheapest.
"""

from itertools import takewhile
from math import inf

import numpy as np

from rosenblatt.geometry import wolfe
from rosenblatt.geometry.whitening import NUMBERS, Space, space_of
from rosenblatt.geometry.working_set import lowest, whole_multipliers
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import Contradiction
from rosenblatt.prove.solve.clock import Clock, TimeIsUp
from rosenblatt.prove.solve.separability import (
    NotSeparable,
    Separable,
    column_sizes,
    contradiction,
    decide,
    in_order_of_equals,
    not_negligible,
    proposed,
)
from rosenblatt.rows.examples import Examples, narrowed
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import some_rows

ROWS_AT_ONCE = 50  # and four per dimension
WORK = 5e8  # nanoseconds, for one contradiction in whole numbers
WRITTEN = 5_000_000  # numbers that all contradictions write down, each as many as there are columns
HALF = 0.5  # of the limit is for contradictions of one mistake each; the rest is for those of several
MORE = 2e9  # operations, or as many as until then, for contradictions of several mistakes
PER_PAIR = 5e5  # nanoseconds: two equal rows
PER_TRY, PER_ROW = 1e6, 30.0  # nanoseconds: a look for a contradiction, and for each row
NEVER_LESS = 2**62  # than any cost


class Packing:
    """Contradictions, each with its contribution to the least cost: what is left of its cheapest row.

    After the rows that have costs come those of constraints: they have none, and are never used up.
    """

    def __init__(self, examples: Examples, ties: str, costs: Array, w: Array, wrong: Array, clock: Clock) -> None:
        self.examples, self.ties, self.clock, self.many = examples, ties, clock, costs.size
        narrow, left = narrowed(examples)
        self.space: Space = space_of(narrow)
        scores = self.space.scores(self.space.coordinates(w[left] / (np.abs(w).max() or 1.0)))
        self.left = np.append(costs, np.full(examples.n - costs.size, NEVER_LESS))  # of a row's cost, to be counted yet
        self.right = np.ones(examples.n, bool)
        self.right[wrong] = False
        self.free = self.right & (self.left > 0)  # rows that are right and can still be counted
        nearness = np.abs(scores[wrong]) / examples.lengths[wrong].clip(1e-300)
        self.scores, self.wrong = scores, wrong[np.argsort(nearness, kind="stable")]
        self.found: list[Contradiction] = []
        self.total = 0

    @property
    def is_full(self) -> bool:
        """Whether the certificate has reached its maximum number of contradictions."""
        return len(self.found) >= max(WRITTEN // self.examples.size, 1)

    def pack(self) -> None:
        """As many contradictions as can be found with one mistake each."""
        self._of_single_rows()
        self._of_equal_rows()
        for place, row in enumerate(self.wrong.tolist()):
            self.clock.doing = f"{len(self.found)} contradictions, {place} of {self.wrong.size} mistakes tried"
            if self.clock.share > HALF or self.is_full:
                self.clock.ran_out = True
                break
            try:
                while self.left[row] and (new := self._of_mistake(row)):
                    self._take(new)
            except TimeIsUp:
                break

    def pack_more(self, known: Contradiction | None) -> tuple[exact.Number, ...] | None:
        """More contradictions, with any number of mistakes; returns weights right on all rows, if those are found."""
        if known is not None and self.left[[*known.rows]].all() and self._counts(known.rows):
            self._take(contradiction(self.examples, self.ties, known.rows, known.weights, whole=known.exact))
        self.clock.doing = f"{len(self.found)} contradictions, and others of several mistakes"
        until = self.clock.work + max(self.clock.work, MORE)
        while not self.clock.late() and self.clock.work < until and not self.is_full:
            left = np.flatnonzero(self.left)
            fresh, weights = disjoint(self.examples, self.ties, left, self.many, self.clock, most=1)
            if not fresh:
                return weights if left.size == self.examples.n else None
            self._take(fresh[0])
        return None

    def _take(self, proof: Contradiction) -> None:
        rows = [row for row in proof.rows if row < self.many]
        least = int(self.left[rows].min())
        self.left[rows] -= least
        self.free[rows] &= self.left[rows] > 0
        self.found.append(proof)
        self.total += least

    def _of_single_rows(self) -> None:
        """Rows of zeros, which score 0 with any weights."""
        zeros = sorted(self.wrong[self.examples.lengths[self.wrong] == 0.0].tolist())
        for row in takewhile(lambda _: not self.clock.late(), zeros):
            self._take(contradiction(self.examples, self.ties, (row,), (1,)))

    def _of_equal_rows(self) -> None:
        """Equal rows with different labels, in pairs."""
        examples = self.examples
        order, same = in_order_of_equals(examples, column_sizes(examples))
        ends = np.append(np.flatnonzero(~same) + 1, order.size)
        begin = 0
        for end in ends.tolist():
            if end - begin > 1:
                rows = np.sort(order[begin:end])
                rows = rows[self.left[rows] > 0]
                yes, no = rows[examples.labels[rows] > 0].tolist(), rows[examples.labels[rows] < 0].tolist()
                while yes and no:
                    if self.clock.late(PER_PAIR) or self.is_full:
                        return
                    pair = tuple(sorted((yes[0], no[0])))
                    vectors, _ = exact.signed_rows(examples, pair)
                    if exact.combination(vectors, (1, 1)):  # their sums are equal, but they are not
                        yes, no = yes[1:], no[1:]
                        continue
                    self._take(contradiction(examples, self.ties, pair, (1, 1)))
                    yes, no = ([row for row in side[:1] if self.left[row]] + side[1:] for side in (yes, no))
            begin = end

    def _of_mistake(self, row: int) -> Contradiction | None:
        """A contradiction of this row with rows not used up yet; raises `TimeIsUp`."""
        many = 4 * self.space.size + ROWS_AT_ONCE
        if min(many, self.examples.n) * self.space.size > NUMBERS:  # these rows, held densely
            return None
        active, begin = np.append(row, lowest(self.scores, self.free, many)), np.zeros(1, np.int64)
        while True:
            points = self.space.rows(active)
            groups = np.zeros((active.size, 1))
            groups[0] = 1.0  # the mistake is one point, the others span a cone
            found = wolfe.nearest(points, groups, begin, stop=self.clock.late)
            self.clock.keep_time(PER_TRY + PER_ROW * self.space.n + points.size)
            if not found.settled:
                counted = not_negligible(found.weights)
                rows, weights = active[found.corral[counted]], found.weights[counted]
                in_order = np.argsort(rows)
                multipliers = whole_multipliers(weights[in_order])
                return self._proved(tuple(rows[in_order].tolist()), multipliers) or self._decided(active)
            scores = self.space.scores(found.x)
            self.clock.spend(float(self.space.n * self.space.size))
            low = self.free & (scores < 0.0)
            low[active] = False
            if not low.any():
                return None
            active, begin = np.append(active, lowest(scores, low, many)), found.corral

    def _decided(self, rows: Array) -> Contradiction | None:
        """A contradiction among these rows; it contains the first, as all the others can be right together."""
        found, _ = disjoint(self.examples, self.ties, np.sort(rows), self.many, self.clock, most=1)
        return found[0] if found else None

    def _proved(self, rows: tuple[int, ...], multipliers: tuple[int, ...]) -> Contradiction | None:
        return proposed(self.examples, self.ties, rows, multipliers, self.clock, WORK) if self._counts(rows) else None

    def _counts(self, rows: tuple[int, ...]) -> bool:
        """Whether a score of zero is a mistake on at least one of these rows."""
        return any(exact.tie_is_wrong(self.ties, int(self.examples.labels[row])) for row in rows)


def disjoint(
    examples: Examples, ties: str, left: Array, many: int, clock: Clock, most: float = inf
) -> tuple[list[Contradiction], tuple[exact.Number, ...] | None]:
    """Disjoint contradictions among the remaining rows, and weights that are right on the rest, if there are any.

    Only the first `many` rows are used up.
    """
    found: list[Contradiction] = []
    while len(found) < most and np.abs(examples.labels[left].sum()) < left.size:  # rows of both classes
        verdict = decide(Examples(some_rows(examples.rows, left), examples.labels[left]), ties, clock)
        if not isinstance(verdict, NotSeparable):
            return found, verdict.certificate.weights if isinstance(verdict, Separable) else None
        rows = left[[*verdict.certificate.rows]]
        inner = verdict.certificate
        found.append(contradiction(examples, ties, tuple(rows.tolist()), inner.weights, whole=inner.exact))
        left = np.setdiff1d(left, rows[rows < many])
    return found, None
