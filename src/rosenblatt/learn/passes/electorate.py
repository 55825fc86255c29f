"""All weight vectors of a run, and how they vote (Freund and Schapire 1999).

Every w has as many votes as looks that it was there after: the one that stays right longest has the most. The vectors
are not kept, but made again when they vote, from the rows that were corrected.
"""

from collections.abc import Callable, Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np

from rosenblatt.learn.choices import sign_at_zero
from rosenblatt.learn.ledger import Ledger, rows_of_entries
from rosenblatt.learn.passes import voted_kernels
from rosenblatt.learn.passes.voted_kernels import RENEWED, Accuracy, ByColumns, Tile, Updates
from rosenblatt.rows import find, kernels
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Csr, Rows, Ties
from rosenblatt.rows.storage import joined_rows, n_rows, numbers_per_row, some_rows, table_of
from rosenblatt.rows.threads import in_pieces

NUMBERS_IN_A_BLOCK = 2**15  # of weight vectors that vote together: 256 KiB, which stay in a core's cache
LEAST_IN_A_BLOCK = 64  # vectors, however long
FIRST_ASKED = 32  # rows
PRODUCTS, FEWEST_TOGETHER = 2**20, 16  # products of rows with corrected ones that are held; rows, however many


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
            kernels.combine(chunk.rows, chunk.entries[:many], chunk.moves[:many], w)
        return w

    def vote(self, rows: Rows, zero: int) -> Array:
        """For every row, how many votes for +1 there are more than for -1; a score of exactly zero votes `zero`.

        Not a pass of `rows.scan`: these rows are at hand, and each is looked at by very many weights.
        """
        out, w, done = np.zeros(n_rows(rows), np.int64), self.start.copy(), 0
        for chunk in self._chunks:
            votes, done = np.diff(chunk.when, prepend=done), chunk.when[-1]
            if isinstance(rows, Csr) and isinstance(chunk.rows, Csr):
                ask = self._asking_by_entries(rows, chunk, votes, w, zero, out)
                in_pieces(ask, 0, out.size, chunk.entries.size + numbers_per_row(rows))
                kernels.combine(chunk.rows, chunk.entries, chunk.moves, w)
            else:
                for vectors, some in self._blocks(chunk, votes, w):
                    ask = self._asking(rows, vectors, some, zero, out)
                    in_pieces(ask, 0, out.size, len(vectors) * numbers_per_row(rows))
        ask = self._asking(rows, w[np.newaxis], np.array([self.looks - done]), zero, out)
        in_pieces(ask, 0, out.size, numbers_per_row(rows))
        return out

    @staticmethod
    def _asking_by_entries(
        rows: Csr, chunk: Chunk, votes: Array, w: Array, zero: int, out: Array
    ) -> Callable[[int, int], None]:
        """What adds the votes of all vectors of a chunk, from w on, on sparse rows a .. b-1 to `out`.

        It costs by the entries that rows share, not by columns. A score is w . x, computed, and then up to RENEWED
        products added to it, while the weights, too, are rounded at every update. So it is off by no more than
        (terms + 2 RENEWED + 8) roundings of what all these numbers add up to, whatever their signs (Higham, 3.1).
        """
        corrected, begin = chunk.rows, w.copy()
        longest = 1.01 * (find.norm(w) + float(np.abs(chunk.moves).sum()) * corrected.radius)
        reach, roundings = rows.radius * longest, rows.terms + 2 * RENEWED + 8
        exact = find.is_whole(w) and find.is_whole(chunk.moves)
        exact = exact and rows.whole and corrected.whole and reach < 2.0**52
        width = roundings * (kernels.UNIT * reach + (rows.terms + 2) * kernels.TINY) if reach < kernels.HUGE else np.inf
        columns = table_of(corrected).tocsc()
        starts, places = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
        by_columns = ByColumns(starts, places, columns.data.astype(np.float64))
        updates = Updates(corrected, chunk.entries, chunk.moves, votes, begin)
        together = max(PRODUCTS // n_rows(corrected), FEWEST_TOGETHER)

        def ask(a: int, b: int) -> None:
            many = min(together, b - a)
            line, scores = np.empty(n_rows(corrected)), np.empty(many)
            products, w = np.empty((line.size, many)), np.empty(begin.size)
            accuracy = Accuracy(exact, 0.0 if exact else width, kernels.doubt_about(rows, longest))
            tile = Tile(w, line, products, scores)
            voted_kernels.votes_in_passing(rows, a, b, updates, by_columns, zero, accuracy, tile, out)

        return ask

    @staticmethod
    def _asking(rows: Rows, vectors: Array, votes: Array, zero: int, out: Array) -> Callable[[int, int], None]:
        """What adds the votes of a block of vectors on rows a .. b-1 to `out`."""
        columns = np.ascontiguousarray(vectors.T)
        longest = float(np.abs(vectors).max()) * sqrt(vectors.shape[1])

        def ask(a: int, b: int) -> None:
            doubt, scores = kernels.doubt_about(rows, longest), np.empty(len(vectors))
            voted_kernels.votes_of(rows, a, b, vectors, columns, votes, zero, doubt, scores, out)

        return ask

    @staticmethod
    def _blocks(chunk: Chunk, votes: Array, w: Array) -> Iterator[tuple[Array, Array]]:
        """The weight vectors of a chunk, a block at a time, and their votes; leaves in w the one after all updates."""
        most = max(NUMBERS_IN_A_BLOCK // w.size, LEAST_IN_A_BLOCK)
        vectors = np.empty((most + 1, w.size))
        for a in range(0, chunk.entries.size, most):
            vectors[0] = w
            entries = chunk.entries[a : a + most]
            voted_kernels.vectors_of(chunk.rows, chunk.moves[a : a + most], entries, vectors)
            yield vectors[: entries.size], votes[a : a + most]
            w[:] = vectors[entries.size]

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
