"""Averaged and voted perceptrons, and the passes that they share with their relatives.

Problem   a rule that does not hang on the rows that happened to be corrected last.
Input     examples, a stride (what a look at a row does), a start, a budget of passes, in order or shuffled.
Result    `PassesRun`: a `Run` with the last weights, the sums of the average, and when each update was made.
Paper     Freund and Schapire 1999, Large margin classification using the perceptron algorithm.

A look at a copy of a row is counted whether or not it moves the weights; a fractional copy is a look, too. With w_s the
weights after look s, and T looks in all, the average is (w_1 + ... + w_T) / T. If an update adds delta to the weights
after s looks, those are the s weights that it is missing in, so the sum is T w_T - sums, where sums adds up s delta: a
look that moves nothing costs nothing. Entry by entry, each update rounds twice in `sums`, and the end three times; with
whole numbers below 2^53 only the last division rounds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.choices import UNLIMITED, Budget, Reason, counted
from rosenblatt.learn.ledger import Tape
from rosenblatt.learn.passes import averaged_kernels
from rosenblatt.learn.passes.averaged_kernels import ByLoss, Log, Stride
from rosenblatt.learn.passes.electorate import electorate
from rosenblatt.learn.run_state import MOST_IN_PLACES, Run, Walk
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Doubt, Ties

ENOUGH, IN_RUNS = 20, 0.5  # copies of rows; of the changes of class that chance would make
NO_SUMS = np.empty(0)


class Tally(NamedTuple):
    """Weights under way, and what their average needs."""

    last: Array
    sums: Array  # the sum of (looks before) * (what was added); empty where no average is kept
    looks: int

    @property
    def average(self) -> Array:
        """The mean of the weights after each look."""
        if not self.looks:
            return self.last.copy()
        return (self.looks * self.last - self.sums) / self.looks


def begin(start: Array, *, averaged: bool) -> Tally:
    """The tally before the first look."""
    return Tally(start, np.zeros_like(start) if averaged else NO_SUMS, 0)


@dataclass(frozen=True)
class PassesRun(Run):
    """What came of it; `weights` are those that the rule decides by."""

    tally: Tally
    when: Array  # how many looks there had been before each update

    @property
    def is_quiet(self) -> bool:
        """Whether the last pass moved nothing."""
        ends = np.concatenate([[0], self.ledger.pass_ends])
        return ends.size > 1 and ends[-2] == ends[-1] == len(self.ledger)


class Course:
    """A run of passes under way."""

    def __init__(self, walk: Walk, stride: Stride, tally: Tally) -> None:
        self.walk = walk
        self.stride = stride
        self.sums = tally.sums.copy()
        self.looks = tally.looks
        self.when = Tape(np.int64)
        self.growth = growth_of(stride)

    @property
    def tally(self) -> Tally:
        """The weights now, and what their average needs."""
        return Tally(self.walk.w, self.sums, self.looks)

    def sweep(self, order: Array, copies: Array) -> int:
        """Look at the rows in `order` until a page of the ledger is full; returns how far it came."""
        page, doubt = self._room()
        when, examples = np.empty(page.size, np.int64), self.walk.examples
        at, made, looks = averaged_kernels.sweep(
            examples.rows, examples.labels, order, copies, self.stride,
            self.walk.w, self.sums, self.looks, doubt, Log(page, when),
        )  # fmt: skip
        self.walk.seen += looks - self.looks
        self.looks = looks
        self.walk.ledger.append(page[:made])
        self.when.append(when[:made])
        return int(at)

    def _room(self) -> tuple[Array, Doubt]:
        """A ledger page for the next kernel, and the doubt until it is full."""
        page, doubt = self.walk.room()
        examples, growth = self.walk.examples, self.walk.examples.radius
        if self.growth is not None:
            growth = self.growth
            doubt = doubt_during(page.size, examples, self.walk.w, growth)
        if self.sums.size:
            most = float(self.looks + examples.n_copies) * page.size
            longest = find.norm(self.walk.w) + (page.size + 1) * growth
            if not find.norm(self.sums) + most * longest < kernels.HUGE:
                raise DataError(
                    "the average would overflow: the values are too large; divide the columns by a constant"
                )
        return page, doubt

    def weights_at(self, look: int) -> Array:
        """The weights after look number `look`, counted from 0."""
        t = int(np.searchsorted(self.when.read(), look, side="right"))
        return self.walk.ledger.replay(self.walk.examples, t)


def run_passes(
    walk: Walk,
    sweep: Callable[[Array, Array], int],
    rng: np.random.Generator | None,
    spread: bool,
    is_right: Callable[[], bool],
    is_final: bool = False,
) -> Reason:
    """Pass after pass until one moves nothing and the rule is right on every row, or a budget is spent.

    `sweep` looks at the rows in an order, with their copies, and returns how far it came. `is_final` says that the rule
    is that of the weights now, so that further passes cannot change it either.
    """
    in_order = order_of_a_pass(walk, None, spread) if rng is None else None
    while not (reason := walk.spent()):
        order, copies = in_order or order_of_a_pass(walk, rng)
        copies = copies.copy()  # they are used up
        before, at = len(walk.ledger), 0
        while at < order.size:
            if reason := walk.spent():
                break
            stop = at + walk.at_once
            at += sweep(order[at:stop], copies[at:stop])
        if reason:
            break
        walk.ledger.end_pass()
        if len(walk.ledger) == before:
            if is_right():
                return Reason.SEPARATED
            if is_final:
                return Reason.QUIET
    return Reason.SEPARATED if reason is not Reason.INTERRUPTED and is_right() else reason


def growth_of(stride: Stride) -> float | None:
    """By how much an update can lengthen the weights, at most; None: by the longest row, as steps are at most whole."""
    if not isinstance(stride, ByLoss):
        return None
    squares = stride.squares[stride.squares > 0]
    if not squares.size:
        return 0.0
    return min(2.0 / sqrt(squares.min()), stride.most * sqrt(squares.max()))


def doubt_during(updates: int, examples: Examples, w: Array, growth: float) -> Doubt:
    """The doubt about scores during the next updates of w, each of which lengthens it by no more than `growth`."""
    longest = 1.01 * (find.norm(w) + updates * growth)
    if not examples.rows.radius * longest < kernels.HUGE:
        raise DataError("the weights would overflow: the values are too large; divide the columns by a constant")
    return kernels.doubt_about(examples.rows, longest)


def order_of_a_pass(walk: Walk, rng: np.random.Generator | None, spread: bool = False) -> tuple[Array, Array]:
    """Rows in order, and the copies of each (empty: one each); or, with `rng`, all copies in an order drawn from it.

    Without it, but with `spread`, all copies spread out.
    """
    examples = walk.examples
    if rng is None:
        return walk.spread_out() if spread else walk.in_order()
    if examples.weights.size and examples.n_copies > MOST_IN_PLACES:
        raise OptionError(
            f"the weights make {examples.n_copies} copies of rows, too many to shuffle; "
            "divide the weights by a constant, or set shuffle=False"
        )
    return walk.of_copies(rng.permutation(examples.n_copies))


def come_in_runs(examples: Examples) -> bool:
    """Whether the class changes at most half as often, from copy to copy, as in a random order: is the table sorted?"""
    rows, weights = examples.counted
    labels, copies = examples.labels[rows], np.ceil(weights) if weights.size else np.ones(rows.size)
    of_minus = float(copies[labels < 0].sum())
    by_chance = 2.0 * of_minus * (1.0 - of_minus / examples.n_copies)
    return examples.n_copies >= ENOUGH and bool(np.count_nonzero(np.diff(labels)) < IN_RUNS * by_chance)


Choice = Callable[[Course], Array]


def last(course: Course) -> Array:
    """The weights now."""
    return course.walk.w.copy()


def average(course: Course) -> Array:
    """The mean of the weights after each look."""
    return course.tally.average


def is_right(examples: Examples, w: Array, ties: Ties) -> bool:
    """Whether w is right on every row."""
    return not find.find_first(examples, w, ties, 1).size


@dataclass(frozen=True)
class Decision:
    """Which of the weights that a run goes through decide."""

    choice: Choice = average
    averaged: bool = True  # whether their mean is kept
    vote: bool = False  # whether all of them vote, not those of `choice`


MEAN = Decision()


def learn(
    examples: Examples,
    start: Array,
    stride: Stride,
    *,
    ties: Ties,
    decision: Decision = MEAN,
    budget: Budget = UNLIMITED,
    rng: np.random.Generator | None = None,
    spread: bool = False,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> PassesRun:
    """Passes from `start` until one moves nothing and the rule is right on every row, or the budget is spent.

    Rows are looked at in order, or spread out, or, with `rng`, in a new order in every pass.
    """
    walk = Walk(examples, ties, start.copy(), budget, watch)
    walk.interrupted = interrupted
    course, choice = Course(walk, stride, begin(start, averaged=decision.averaged)), decision.choice

    def right() -> bool:
        if decision.vote:
            return electorate(examples, walk.ledger, course.when.read(), course.looks).is_right(examples, ties)
        return is_right(examples, choice(course), counted(ties))

    is_final = choice is last and not decision.vote
    reason = run_passes(walk, course.sweep, rng, spread, right, is_final)
    tally, when = course.tally, course.when.read()
    ledger = walk.ledger.seal(examples)
    return PassesRun(choice(course), ledger, reason, ledger.n_passes, walk.seen, tally, when)


def follow(examples: Examples, tally: Tally, stride: Stride, ties: Ties) -> tuple[Tally, Array, Array]:
    """Take examples as the next part of a stream: look at each once, in order; changes nothing.

    Returns the tally after them, the updates by position in `examples`, and when they were made. However a stream is
    cut into parts, the tally is the same to the last bit.
    """
    course = Course(Walk(examples, ties, tally.last.copy(), UNLIMITED), stride, tally)
    (order, copies), at = order_of_a_pass(course.walk, None), 0
    while at < order.size:
        at += course.sweep(order[at:], copies[at:])
    return course.tally, course.walk.ledger.entries(), course.when.read()
