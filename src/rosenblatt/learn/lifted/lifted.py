"""The lifted perceptron: every row gets a feature of its own, so that every table is separable.

Problem   weights w and own_i >= 0 with y_i (w . x_i) + s own_i > 0 for every row i: those of a rule that is right on
          every lifted row [x_i; s e_i], where e_1 ... e_n are n different unit vectors.
Input     examples, the lift s > 0, a budget.
Result    `LiftedRun`: a `Run`, whose weights are the first coordinates, and the weights of the own features.
Papers    Harchaoui, section 3, with [a x_i; sqrt(1 - a^2) e_i], which is a times the above for s = sqrt(1 - a^2) / a;
          no decision of the algorithm depends on that factor. The bound on updates at the best lift is that of Freund
          and Schapire 1999, theorem 2. It is the perceptron of the kernel K + s^2 I: a soft margin, squared slacks.

The lifted table is never made: a row's own feature needs one number, the sum of its steps times s. The run is, to the
last bit, that of the perceptron on the table with the n features more, in the cyclic order: cleaning the rows that were
ever wrong before the next pass was measured to be slower, as lifted rows need few looks per correction. A row of weight
k is k copies, and each copy is lifted for itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import frexp, hypot, inf, ldexp, sqrt

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError
from rosenblatt.learn.choices import TIES, UNLIMITED, Budget, Order, Reason
from rosenblatt.learn.ledger import rows_of_entries
from rosenblatt.learn.lifted import lifted_kernels
from rosenblatt.learn.lifted.lifted_kernels import Entries
from rosenblatt.learn.pla import pla
from rosenblatt.learn.run_state import AT_ONCE, Run, Walk, ctrl_c_noted
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Doubt, Page, Place, fixed
from rosenblatt.rows.scan import LabelledRows

BITS = 24  # of the lift: s^2, and s times a count below 2^29, are then floats, so counts lose nothing
MOST_COPIES = 2**25
PASSES_FOR_REFERENCE = 5
LEAST_LIFT = 2.0**-10  # of the radius
SEARCH_STEPS = 100
SHORT = -400  # the exponent of a radius below which rows are enlarged for what is computed in floats
GOLDEN = (sqrt(5) - 1) / 2


@dataclass(frozen=True)
class LiftedRun(Run):
    """What came of it."""

    lift: float
    own: Array  # the weight of each copy's own feature, times its label

    @property
    def lifted_length(self) -> float:
        """The length of all weights, those of the own features included."""
        return hypot(find.norm(self.weights), find.norm(self.own))


class LiftedWalk(Walk):
    """A run under way on lifted rows. An entry is a copy of a row; without sample weights, a row."""

    def __init__(
        self,
        examples: Examples,
        lift: float,
        budget: Budget,
        watch: Callable[[Walk], None] | None = None,
        start: Array | None = None,
    ) -> None:
        start = np.zeros(examples.size) if start is None else start.copy()
        super().__init__(examples, TIES["mistake"], start, budget, watch)
        self.lift = lift
        self.row_of, self.steps = entries_of(examples)
        self.own = np.zeros(examples.n_copies)
        self.whole_steps &= lift == int(lift) if lift < inf else False

    @property
    def entries(self) -> Entries:
        """The lifted rows, and the weights of their own features, as compiled code takes them."""
        return Entries(self.row_of, self.steps, self.own, self.lift)

    def room(self, share: float = 1.0) -> tuple[Array, Doubt]:
        """A ledger page for the next kernel, and the doubt until it is full, about lifted rows and all weights."""
        radius, size = hypot(self.examples.radius, self.lift), hypot(find.norm(self.w), find.norm(self.own))
        many: float = min(AT_ONCE, (kernels.HUGE - size) / radius)
        if self.budget.max_updates is not None:
            many = min(many, self.budget.max_updates - len(self.ledger))
        if many < 1:
            raise DataError("the weights would overflow: the values are too large; divide the columns by a constant")
        page = np.empty(int(many), self.index)
        return page, self.doubt(size + page.size * radius)

    def doubt(self, length: float) -> Doubt:
        """The doubt about margins of lifted rows, with weights no longer than `length`."""
        rows = self.examples.rows
        lifted = rows._replace(radius=hypot(rows.radius, self.lift), terms=rows.terms + 1)
        whole = self.whole_steps and find.is_whole(self.w) and find.is_whole(self.own)
        return kernels.doubt_about(lifted, length, whole)

    def cycles(self) -> Reason:
        """The next mistake from where the last was found, until a full cycle is clean or the budget is spent."""
        at = quiet = 0
        while quiet < self.own.size:
            if reason := self.spent():
                return reason
            page, doubt = self.room()
            most = int(min(self.at_once, self.looks_left()))
            ends = np.empty(most // self.own.size + 1, np.int64)
            ended, made, at, quiet, looks = lifted_kernels.cycle(
                self.examples.rows, self.examples.labels, self.entries, Place(at, quiet), most, self.w, doubt,
                Page(page, ends),
            )  # fmt: skip
            self.ledger.append(page[:made], ends[:ended])
            self.seen += looks
        return Reason.SEPARATED


def entries_of(examples: Examples) -> tuple[Array, Array]:
    """The row of every copy that weights stand for, and the copies' steps; both are empty where each entry is a row."""
    weights, index = examples.weights, find.index_type(examples.n)
    if not weights.size:
        return np.empty(0, index), weights
    if examples.n_copies > MOST_COPIES:
        raise DataError(
            f"the weights stand for {examples.n_copies} copies of rows, and each copy is lifted separately: "
            "divide the weights by a constant"
        )
    many = np.diff(examples.copies_before)
    rows = np.repeat(np.arange(examples.n, dtype=index), many)
    place = np.arange(rows.size) - examples.copies_before[rows]
    return rows, np.minimum(weights[rows] - place, 1.0)


def least_step(examples: Examples) -> float:
    """The smallest step that a correction makes: 1, or the least fraction that is left of a weight."""
    fractions = examples.weights % 1
    return float(fractions[fractions > 0].min(initial=1.0))


def lift_for(a: float) -> float:
    """The s of [x_i; s e_i], which is [a x_i; sqrt(1 - a^2) e_i] but for a factor, to 24 bits."""
    a = float(options.number("a", a, above=0, below=1, words=("best",)))
    return short(sqrt((1 - a) * (1 + a)) / a)


def short(number: float) -> float:
    """A positive number to 24 bits, kept away from the ends of the range of floats."""
    fraction, exponent = frexp(min(max(number, 2.0**-1000), 2.0**1000))
    return ldexp(round(ldexp(fraction, BITS)), exponent - BITS)


def learn(
    examples: Examples,
    lift: float,
    start: Array | None = None,
    *,
    budget: Budget = UNLIMITED,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> LiftedRun:
    """Run the algorithm on lifted rows, from zeros, until all are right, which they will be, or the budget is spent."""
    walk = LiftedWalk(examples, lift, budget, watch, start)
    with ctrl_c_noted() as pressed:
        walk.interrupted = interrupted or pressed
        reason = walk.cycles()
    return LiftedRun(walk.w, walk.ledger.seal(walk.examples), reason, walk.ledger.n_passes, walk.seen, lift, walk.own)


@dataclass(frozen=True, eq=False)
class LiftedMistakes:
    """How many copies of rows the lifted rule of a walk gets wrong."""

    walk: LiftedWalk
    length: float  # of all its weights

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> int:
        """Those among the copies of rows first .. last-1."""
        walk, before = self.walk, self.walk.examples.copies_before
        begin, end, doubt = int(before[first]), int(before[last]), walk.doubt(self.length)
        return lifted_kernels.count(table.rows, table.labels, walk.entries, begin, end, walk.w, doubt)


def count(examples: Examples, run: LiftedRun) -> int:
    """How many copies of rows the lifted rule gets wrong: none, after a run that ended by itself."""
    walk = LiftedWalk(examples, run.lift, UNLIMITED)
    walk.w, walk.own = run.weights, run.own
    return sum(examples.scan.look(examples, LiftedMistakes(walk, run.lifted_length), find.NO_PLACES))


# ---------------------------------------------------------------------------------------------------------
# What the run is compared with
#
# For any unit u and gamma > 0, with l_i = max(0, gamma - y_i (u . x_i)) and L = sum l_i^2, the unit vector along
# [u; y_i l_i / s] has y (. x~) >= gamma / sqrt(1 + L / s^2) on every lifted row (Harchaoui 3.1.1). Lifted rows are no
# longer than sqrt(R^2 + s^2), so there are at most (R^2 + s^2) (1 + L / s^2) / gamma^2 updates. It is least for
# s^2 = R sqrt(L): ((R + sqrt(L)) / gamma)^2. The roots of both are a convex function of gamma divided by gamma, so
# golden section finds the best gamma.
# ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reference:
    """A unit vector that need not be right on every row, a gamma, and the root of L, rounded up."""

    weights: Array
    margin: float
    slack: float

    def lifted_margin(self, lift: float) -> float:
        """The margin on the lifted rows [x_i; s e_i] that this proves."""
        return self.margin / hypot(1.0, self.slack / lift)


def quick_directions(
    examples: Examples, max_seconds: float | None = None, interrupted: Callable[[], bool] | None = None
) -> list[Array]:
    """Two that cost little: the sum of the signed rows, and the mean of a few passes' weights after each correction."""
    row_of, steps = entries_of(examples)
    rows = row_of if row_of.size else np.arange(examples.n)
    budget = Budget(max_passes=PASSES_FOR_REFERENCE, max_seconds=max_seconds)
    plain = pla.learn(examples, np.zeros(examples.size), order=Order.CYCLIC, budget=budget, interrupted=interrupted)
    entries = plain.ledger.entries()
    late = np.arange(entries.size, 0.0, -1.0)  # how many of the weight vectors each correction is part of
    if examples.weights.size:
        late = np.where(entries < 0, late * (examples.weights % 1)[rows_of_entries(entries)], late)
    whole = steps if steps.size else np.ones(rows.size)
    return [_sum_along(examples, *each) for each in ((rows, whole), (rows_of_entries(entries), late))]


def _sum_along(examples: Examples, rows: Array, amounts: Array) -> Array:
    """The sum of amounts times signed rows, one after the other, but for a power of two."""
    w = np.zeros(examples.size)
    small = ldexp(1.0, min(-frexp(amounts.sum())[1], 1000))
    kernels.combine(examples.rows, rows, amounts * examples.labels[rows] * small, w)
    return w


@dataclass(frozen=True, eq=False)
class MarginsInOrder:
    """Every row's margin, added up in the order of the features, so that it is the same for every storage."""

    w: Array

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> None:
        """Those of rows first .. last-1."""
        lifted_kernels.margins_in_order(table.rows, table.labels, first, self.w, out)


def best_reference(examples: Examples, directions: list[Array], lift: float | None = None) -> Reference:
    """The one of these directions, with its gamma, of the least bound on updates, at this lift or at the best one."""
    R = examples.radius or 1.0
    found = []
    for w in directions:
        u = w / length if (length := find.norm(w)) > 0 else np.eye(1, w.size)[0]
        m = np.empty(examples.n)
        examples.scan.look(examples, MarginsInOrder(u), m)
        m = np.repeat(m, np.diff(examples.copies_before)) / R  # as each copy is lifted for itself
        cost, gamma = _least_cost(m, None if lift is None else lift / R)
        found.append((cost, gamma, u, m))
    _, gamma, u, m = min(found, key=lambda each: each[0])
    error = (examples.rows.terms + 8) * kernels.UNIT  # of m, and of the length of u
    slacks = np.maximum(0.0, gamma - m + error)
    return Reference(u, R * gamma, R * sqrt(float((slacks**2).sum())) * (1 + 1e-9))


def _least_cost(m: Array, lift: float | None) -> tuple[float, float]:
    """The least root of the bound over gamma, and that gamma, for rows no longer than 1 with these margins."""
    m = np.sort(m)
    sums, squares = (np.concatenate([[0.0], np.cumsum(m**power)]) for power in (1, 2))

    def cost(gamma: float) -> float:
        k = int(m.searchsorted(gamma))
        L = max((k * gamma - 2 * sums.item(k)) * gamma + squares.item(k), 0.0)
        return (1 + sqrt(L) if lift is None else hypot(1.0, lift) * hypot(1.0, sqrt(L) / lift)) / gamma

    low, high = 0.0, 1.0  # no rule has a larger margin
    for _ in range(SEARCH_STEPS):
        left, right, before = high - GOLDEN * (high - low), low + GOLDEN * (high - low), (low, high)
        if cost(left) <= cost(right):
            high = right
        else:
            low = left
        if (low, high) == before:  # so would all further steps leave them
            break
    return cost(high), high


def enlarged(examples: Examples) -> tuple[Examples, float]:
    """Rows too short for products, which would underflow, times a power of two; and that power, 1 for other rows."""
    exponent = frexp(examples.radius)[1]
    if not examples.radius or exponent > SHORT:
        return examples, 1.0
    factor, rows = 2.0 ** min(-exponent, 1000), examples.rows
    with np.errstate(over="ignore"):
        values = rows.values.astype(np.float64) * factor
    values[~np.isfinite(values)] = 0.0  # of rows of weight 0, which are never looked at
    larger = rows._replace(values=fixed(values), bias=rows.bias * factor, radius=rows.radius * factor)
    return replace(examples, rows=larger), factor


def best_lift(examples: Examples, reference: Reference) -> float:
    """The s with s^2 = R sqrt(L), to 24 bits; no less than a thousandth of the radius, as there is none for L = 0."""
    R = examples.radius
    return short(max(sqrt(R) * sqrt(reference.slack), LEAST_LIFT * R) or 1.0)
