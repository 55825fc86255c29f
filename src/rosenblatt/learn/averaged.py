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

In the vote every w has as many votes as looks that it was there after: the one that stays right longest has the most.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt import kernels, search
from rosenblatt.errors import DataError, OptionError
from rosenblatt.examples import Examples, n_rows, numbers_per_row, some_rows
from rosenblatt.kernels import Array, Dense, Doubt, Rows, Ties
from rosenblatt.learn import averaging
from rosenblatt.learn.averaging import Stride
from rosenblatt.learn.ledger import Ledger, Tape, rows_of_entries
from rosenblatt.learn.rules import UNLIMITED, Budget, Reason, counted, sign_at_zero
from rosenblatt.learn.walk import Run, Walk
from rosenblatt.threads import in_pieces

MOST_SHUFFLED = 2**25  # copies of rows that are put in order within some two seconds
NUMBERS_IN_A_BLOCK = 2**15  # of weight vectors that vote together: 256 KiB, which stay in a core's cache
LEAST_IN_A_BLOCK = 64  # vectors, however long
FIRST_ASKED = 32  # rows

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
    """What came of it; `weights` are those of the rule that was asked for."""

    tally: Tally
    when: Array  # how many looks there had been before each update

    @property
    def is_quiet(self) -> bool:
        """Whether the last pass moved nothing."""
        ends = np.concatenate([[0], self.ledger.pass_ends])
        return ends.size > 1 and ends[-2] == ends[-1] == len(self.ledger)


class Course:
    """A run of passes under way."""

    def __init__(self, walk: Walk, stride: Stride, tally: Tally, growth: float | None = None) -> None:
        self.walk = walk
        self.stride = stride
        self.sums = tally.sums.copy()
        self.looks = tally.looks
        self.when = Tape(np.int64)
        self.growth = growth  # of ||w||, at most, by one update; None: steps are whole, or a part of one

    @property
    def tally(self) -> Tally:
        """The weights now, and what their average needs."""
        return Tally(self.walk.w, self.sums, self.looks)

    def sweep(self, order: Array, copies: Array) -> int:
        """Look at the rows in `order` until a page of the ledger is full; returns how far it came."""
        page, doubt = self._room()
        when, examples = np.empty(page.size, np.int64), self.walk.examples
        at, made, looks = averaging.sweep(
            examples.rows, examples.labels, order, copies, self.stride,
            self.walk.w, self.sums, self.looks, doubt, page, when,
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
            longest = search.norm(self.walk.w) + (page.size + 1) * growth
            if not search.norm(self.sums) + most * longest < kernels.HUGE:
                raise DataError(
                    "the average would overflow: the values are too large; divide the columns by a constant"
                )
        return page, doubt

    def run(self, rng: np.random.Generator | None, is_right: Callable[[], bool], is_final: bool) -> Reason:
        """Pass after pass until one moves nothing and the rule is right on every row, or a budget is spent.

        `is_final` tells that the rule is that of the weights now, so that further passes cannot change it either.
        """
        in_order = order_of_a_pass(self.walk, None) if rng is None else None
        while not (reason := self.walk.spent()):
            order, copies = in_order or order_of_a_pass(self.walk, rng)
            copies = copies.copy()  # they are used up
            before, at = len(self.walk.ledger), 0
            while at < order.size:
                if reason := self.walk.spent():
                    break
                stop = at + self.walk.at_once
                at += self.sweep(order[at:stop], copies[at:stop])
            if reason:
                break
            self.walk.ledger.end_pass()
            if len(self.walk.ledger) == before:
                if is_right():
                    return Reason.SEPARATED
                if is_final:
                    return Reason.QUIET
        return Reason.SEPARATED if reason is not Reason.INTERRUPTED and is_right() else reason

    def weights_at(self, look: int) -> Array:
        """The weights after look number `look`, counted from 0."""
        t = int(np.searchsorted(self.when.read(), look, side="right"))
        return self.walk.ledger.replay(self.walk.examples, t)


def doubt_during(updates: int, examples: Examples, w: Array, growth: float) -> Doubt:
    """The doubt about scores during so many updates from w on, each of which lengthens it by no more than `growth`."""
    longest = 1.01 * (search.norm(w) + updates * growth)
    if not examples.rows.radius * longest < kernels.HUGE:
        raise DataError("the weights would overflow: the values are too large; divide the columns by a constant")
    return kernels.doubt_about(examples.rows, longest)


def order_of_a_pass(walk: Walk, rng: np.random.Generator | None) -> tuple[Array, Array]:
    """Rows in order, and the copies of each (empty: one each); or, with `rng`, all copies in an order drawn from it."""
    examples = walk.examples
    if rng is None:
        return walk.in_order()
    if examples.weights.size and examples.n_copies > MOST_SHUFFLED:
        raise OptionError(
            f"the weights make {examples.n_copies} copies of rows, too many to shuffle; "
            "divide the weights by a constant, or set shuffle=False"
        )
    drawn = rng.permutation(examples.n_copies)
    if not examples.weights.size:
        return drawn.astype(walk.index), examples.weights
    rows = np.searchsorted(examples.copies_before, drawn, side="right") - 1
    copies = np.minimum(examples.weights[rows] - (drawn - examples.copies_before[rows]), 1.0)
    return rows.astype(walk.index), copies


Choice = Callable[[Course], Array]


def last(course: Course) -> Array:
    """The weights now."""
    return course.walk.w.copy()


def average(course: Course) -> Array:
    """The mean of the weights after each look."""
    return course.tally.average


def is_right(examples: Examples, w: Array, ties: Ties) -> bool:
    """Whether w is right on every row."""
    return not search.find_first(examples, w, ties, 1).size


def learn(
    examples: Examples,
    start: Array,
    stride: Stride,
    *,
    ties: Ties,
    averaged: bool = True,
    choice: Choice = average,
    vote: bool = False,
    budget: Budget = UNLIMITED,
    rng: np.random.Generator | None = None,
    watch: Callable[[Walk], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
    growth: float | None = None,
) -> PassesRun:
    """Passes from `start` until one moves nothing and the rule is right on every row, or the budget is spent.

    The rule is the weights of `choice`, or with `vote` the vote of all weights. Rows are looked at in order, or, with
    `rng`, in a new order in every pass. `growth` is by how much an update can lengthen the weights, if not by R.
    """
    walk = Walk(examples, ties, start.copy(), budget, watch)
    walk.interrupted = interrupted
    course = Course(walk, stride, begin(start, averaged=averaged), growth)

    def right() -> bool:
        if vote:
            return electorate(examples, walk.ledger, course.when.read(), course.looks).is_right(examples, ties)
        return is_right(examples, choice(course), counted(ties))

    reason = course.run(rng, right, is_final=choice is last and not vote)
    tally, when = course.tally, course.when.read()
    ledger = walk.ledger.seal(examples)
    return PassesRun(choice(course), ledger, reason, ledger.n_passes, walk.seen, tally, when)


def follow(
    examples: Examples, tally: Tally, stride: Stride, ties: Ties, growth: float | None = None
) -> tuple[Tally, Array, Array]:
    """Take examples as the next part of a stream: look at each once, in order; changes nothing.

    Returns the tally after them, the updates by position in `examples`, and when they were made. However a stream is
    cut into parts, the tally is the same to the last bit.
    """
    course = Course(Walk(examples, ties, tally.last.copy(), UNLIMITED), stride, tally, growth)
    (order, copies), at = order_of_a_pass(course.walk, None), 0
    while at < order.size:
        at += course.sweep(order[at:], copies[at:])
    return course.tally, course.walk.ledger.entries(), course.when.read()


# ---------------------------------------------------------------------------------------------------------
# The vote
# ---------------------------------------------------------------------------------------------------------


class Chunk(NamedTuple):
    """Updates in a row: what is needed to make the weights after each of them again."""

    rows: Rows  # those that were corrected, each once
    entries: Array  # which of `rows` each update was of
    moves: Array  # how much of it was added
    when: Array  # how many looks there had been before

    def joined(self, other: "Chunk") -> "Chunk":
        """These updates, and then the others, whose rows are stored in the same way."""
        entries = np.concatenate([self.entries, other.entries + n_rows(self.rows)])
        moves, when = np.concatenate([self.moves, other.moves]), np.concatenate([self.when, other.when])
        return Chunk(joined_rows(self.rows, other.rows), entries, moves, when)


class Electorate:
    """All weight vectors of a run, kept as the start and the updates, and their votes."""

    def __init__(self, start: Array) -> None:
        self.start = start.copy()
        self.looks = 0
        self._chunks: list[Chunk] = []

    def extend(self, examples: Examples, entries: Array, when: Array, looks: int) -> None:
        """Take in the next updates, by position in `examples`, and how many looks there were after them."""
        self.looks = looks
        if not entries.size:
            return
        corrected, places = np.unique(rows_of_entries(entries), return_inverse=True)
        moves = examples.labels[corrected[places]].astype(np.float64)
        if (parts := entries < 0).any():
            weights = examples.weights[corrected[places[parts]]]
            moves[parts] *= weights - np.floor(weights)
        self._chunks.append(Chunk(some_rows(examples.rows, corrected), places, moves, when))
        while len(self._chunks) > 1 and self._alike(*self._chunks[-2:]):
            newer, older = self._chunks.pop(), self._chunks.pop()
            self._chunks.append(older.joined(newer))

    @staticmethod
    def _alike(older: Chunk, newer: Chunk) -> bool:
        """Whether to join two chunks: of sizes that make a long stream cheap, and stored in the same way."""
        same = type(older.rows) is type(newer.rows) and older.rows.values.dtype == newer.rows.values.dtype
        return same and older.entries.size <= 2 * newer.entries.size

    @property
    def votes(self) -> Array:
        """How many looks each weight vector was there after, the start first."""
        return np.diff(np.concatenate([[0], *(chunk.when for chunk in self._chunks), [self.looks]]))

    def weights_at(self, look: int) -> Array:
        """The weights after look number `look`, counted from 0."""
        w = self.start.copy()
        for chunk in self._chunks:
            many = int(np.searchsorted(chunk.when, look, side="right"))
            averaging.move(chunk.rows, chunk.moves[:many], chunk.entries[:many], w)
        return w

    def vote(self, rows: Rows, zero: int) -> Array:
        """For every row, how many votes for +1 there are more than for -1; a score of exactly zero votes `zero`."""
        out = np.zeros(n_rows(rows), np.int64)
        for vectors, votes in self._blocks():
            ask = self._asking(rows, vectors, votes, zero, out)
            in_pieces(ask, 0, out.size, len(vectors) * numbers_per_row(rows))
        return out

    @staticmethod
    def _asking(rows: Rows, vectors: Array, votes: Array, zero: int, out: Array) -> Callable[[int, int], None]:
        """What adds the votes of a block of vectors on rows a .. b-1 to `out`."""
        columns = np.ascontiguousarray(vectors.T)
        longest = float(np.abs(vectors).max()) * sqrt(vectors.shape[1])

        def ask(a: int, b: int) -> None:
            doubt, scores = kernels.doubt_about(rows, longest), np.empty(len(vectors))
            averaging.votes_of(rows, a, b, vectors, columns, votes, zero, doubt, scores, out)

        return ask

    def _blocks(self) -> Iterator[tuple[Array, Array]]:
        """The weight vectors, a block at a time, and their votes."""
        size, done = self.start.size, 0
        most = max(NUMBERS_IN_A_BLOCK // size, LEAST_IN_A_BLOCK)
        vectors = np.empty((most + 1, size))
        vectors[0] = self.start
        for chunk in self._chunks:
            for a in range(0, chunk.entries.size, most):
                entries, moves, when = (part[a : a + most] for part in chunk[1:])
                averaging.vectors_of(chunk.rows, moves, entries, vectors)
                yield vectors[: entries.size], np.diff(when, prepend=done)
                done, vectors[0] = when[-1], vectors[entries.size]
        yield vectors[:1], np.array([self.looks - done])

    def is_right(self, examples: Examples, ties: Ties) -> bool:
        """Whether the vote is right on every row; asks few rows first, because one mistake is enough."""
        counted, _ = examples.counted
        zero, first, last = sign_at_zero(ties), 0, FIRST_ASKED
        while first < counted.size:
            asked = counted[first:last]
            votes = self.vote(some_rows(examples.rows, asked), zero)
            if (np.where(votes == 0, zero, votes) * examples.labels[asked] < 0).any():
                return False
            first, last = last, 4 * last
        return True


def electorate(examples: Examples, ledger: Ledger, when: Array, looks: int) -> Electorate:
    """The voters that a run leaves."""
    voters = Electorate(ledger.start)
    voters.extend(examples, ledger.entries(), when, looks)
    return voters


def joined_rows(a: Rows, b: Rows) -> Rows:
    """Rows of a, then those of b, which are stored in the same way."""
    values = np.concatenate([a.values, b.values])
    if isinstance(a, Dense) or isinstance(b, Dense):
        return a._replace(values=values)
    columns, starts = np.concatenate([a.columns, b.columns]), np.concatenate([a.starts, b.starts[1:] + a.starts[-1]])
    return a._replace(values=values, columns=columns, starts=starts)
