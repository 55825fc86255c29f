"""Counts what the rows of a table look like: the training rows, for the model file, and new rows, to compare.

A table is read block by block, in bounded memory. The ends of bins come from a sample of the old rows; the counts are
of all rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy  # its parts are loaded when they are used

from rosenblatt.desk.data import Data
from rosenblatt.desk.split import WORD, mixed
from rosenblatt.errors import TableError
from rosenblatt.judge.decision import leads
from rosenblatt.judge.profile import ColumnProfile, Profile, ScoreProfile
from rosenblatt.read.encode.census import bins_of, cells_in, edges_of, is_number, numbers_of, places
from rosenblatt.read.encode.columns import EncodedColumn
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.lookup import Unseen
from rosenblatt.read.table import BLOCK, Table
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.ship.file.profiled import MOST_COLUMNS

SAMPLE = 2**14  # rows, at most; at least half as many, if the table has them
SEED = 0
CELLS, FEWEST = 2**23, 2**12  # in a block, at most; rows in a block, at least

Edges = Sequence[tuple[float, ...]]  # of each column


def codes_and_scores(model: Model, X: Any) -> tuple[Array, Array]:
    """The code of the class that a model gives each row, and its score; with many classes, the lead of the highest.

    The code of a row that is left to a person is `judge.decision.UNDECIDED`.
    """
    scores, codes = model.rule.scores(X), model.rule.predict(X).astype(np.int64)
    if model.decision is not None:
        codes = model.decision.codes(scores, codes)
    return codes, leads(scores) if scores.ndim == 2 else scores


def profiled_columns(encoding: Encoding) -> tuple[EncodedColumn, ...]:
    """The columns that a profile has: the first ones, as a table may have any number."""
    return encoding.used[:MOST_COLUMNS]


def profile_of(model: Model, trained: Data, tested: Data | None) -> Profile:
    """The profile of the training rows; scores and decisions are those of the held-out rows, if there are any."""
    sample = Sample()
    for first, block in _blocks(trained.table):
        sample.add(block, first, _own(trained.rows, first, block))
    counting = counted_columns(trained, edges_in(profiled_columns(trained.encoding), sample.rows()))
    judged, held_out = (trained, False) if tested is None or not tested.n else (tested, True)
    codes, scores = codes_and_scores(model, judged.seen)
    scored = Scoring(len(trained.classes), edges_of(_some(scores)))
    scored.add(codes, scores)
    return counting.profile(scored.profile(held_out))


def counted_columns(data: Data, edges: Edges) -> "Counting":
    """The counts of these rows, in these bins, for the columns that a profile has."""
    counting = Counting(profiled_columns(data.encoding), edges)
    for first, block in _blocks(data.table):
        counting.add(block, first, _own(data.rows, first, block))
    return counting


def _own(rows: Array, first: int, block: Any) -> Array:
    """Which rows of a block are among these rows of the table, in order."""
    own: Array = np.zeros(n_rows_of(block), np.bool_)
    begin, end = np.searchsorted(rows, (first, first + own.size))
    own[rows[begin:end] - first] = True
    return own


def _blocks(table: Table) -> Iterator[tuple[int, Any]]:
    """The blocks of a table, each with the number of rows before it."""
    first = 0
    for block in table.blocks(max(min(BLOCK, CELLS // len(table.columns)), FEWEST)):
        yield first, block
        first += n_rows_of(block)


def n_rows_of(block: Any) -> int:
    """The number of rows of a block of a table."""
    return int(block.shape[0])


def _some(scores: Array) -> Array:
    """A sample of scores."""
    return scores if scores.size <= SAMPLE else scores[np.argsort(mixed(0, scores.size, SEED))[:SAMPLE]]


def edges_in(columns: Sequence[EncodedColumn], rows: Any) -> Edges:
    """The ends of bins for the columns of numbers among these, from some rows of a table."""
    numbers = numbers_of(columns, rows) if isinstance(rows, pl.DataFrame) else {}
    return [edges_of(numbers[column.name]) if is_number(column) else () for column in columns]


class Sample:
    """Some rows of a table of any length: those with the least pseudorandom numbers."""

    def __init__(self) -> None:
        self.limit, self.kept = WORD - 1, list[tuple[Array, Any]]()

    def add(self, block: Any, first: int, wanted: Array | None = None) -> None:
        """Add a block, or the wanted rows of one; `first` is the number of rows before it."""
        drawn = mixed(first, first + n_rows_of(block), SEED)
        there = drawn <= np.uint64(self.limit)
        self._keep(drawn, block, there if wanted is None else there & wanted)
        while sum(each.size for each, _ in self.kept) > SAMPLE:  # halves what is kept
            self.limit //= 2
            before, self.kept = self.kept, []
            for each, rows in before:
                self._keep(each, rows, each <= np.uint64(self.limit))

    def _keep(self, drawn: Array, rows: Any, which: Array) -> None:
        some = rows.filter(pl.Series(which)) if isinstance(rows, pl.DataFrame) else rows[np.flatnonzero(which)]
        self.kept.append((drawn[which], some))

    def rows(self) -> Any:
        """The sample: a data frame, or a CSR matrix."""
        parts = [rows for _, rows in self.kept]
        if not parts:
            return pl.DataFrame()
        return pl.concat(parts) if isinstance(parts[0], pl.DataFrame) else scipy.sparse.vstack(parts, format="csr")


class Counting:
    """The counts of the cells of columns, block by block."""

    def __init__(self, columns: Sequence[EncodedColumn], edges: Edges) -> None:
        self.columns, self.edges, self.rows = columns, edges, 0
        self.counts = [np.zeros(cells_in(column, ends), np.int64) for column, ends in zip(columns, edges, strict=True)]

    def add(self, block: Any, first: int = 0, wanted: Array | None = None) -> None:
        """Count a block, or the wanted rows of one; `first` is the number of rows before it."""
        for counts, found in zip(self.counts, places(self.columns, self.edges, block, first), strict=True):
            counts += np.bincount(found if wanted is None else found[wanted], minlength=counts.size)
        self.rows += n_rows_of(block) if wanted is None else int(wanted.sum())

    def profile(self, scores: ScoreProfile) -> Profile:
        """The counts so far, with those of scores."""
        each = zip(self.columns, self.edges, self.counts, strict=True)
        columns = tuple(ColumnProfile(column.name, ends, tuple(counts.tolist())) for column, ends, counts in each)
        return Profile(self.rows, columns, scores)


class Scoring:
    """The counts of scores in bins, and of decisions, block by block; the last decision is to ask a person."""

    def __init__(self, classes: int, edges: tuple[float, ...]) -> None:
        self.edges, self.counts = edges, np.zeros(len(edges) + 1, np.int64)
        self.decisions = np.zeros(classes + 1, np.int64)

    def add(self, codes: Array, scores: Array) -> None:
        """Count the codes and scores of some rows."""
        self.counts += np.bincount(bins_of(scores, self.edges), minlength=self.counts.size)
        self.decisions += np.bincount(codes % self.decisions.size, minlength=self.decisions.size)

    def profile(self, held_out: bool) -> ScoreProfile:
        """The counts so far."""
        return ScoreProfile(held_out, self.edges, tuple(self.counts.tolist()), tuple(self.decisions.tolist()))


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a table that a rule was applied to, some of its rows, and, if it has the target, the mistakes."""

    profile: Profile
    sample: Any  # rows: a data frame, or a CSR matrix
    unseen: Unseen
    labelled: int  # rows with a known class
    mistakes: int  # on those rows that are decided
    decided: int  # labelled rows that are not left to a person


def counted(model: Model, table: Table, edges: Edges, score_edges: tuple[float, ...]) -> Counted:
    """Count the rows of a table in these bins, and apply the rule to them, block by block."""
    encoding, rule = model.table_encoding, model.rule
    counting = Counting(profiled_columns(encoding), edges)
    scoring, sample, unseen = Scoring(len(encoding.target.classes), score_edges), Sample(), Unseen()
    sums = np.zeros(3, np.int64)
    if table.sparse is None:
        encoding.check(pl.DataFrame(schema=table.columns))
    first = 0
    for block in table.blocks(rule.rows_at_once(encoding)):
        X = model.seen(encoding, block, first)
        counting.add(block, first)
        codes, scores = codes_and_scores(model, X)
        scoring.add(codes, scores)
        sample.add(block, first)
        encoding.note(block, unseen)
        sums += _judged(encoding, table, block, codes, first)
        first += n_rows_of(block)
    if not first:
        raise TableError(f"{table.source}: there are no rows")
    return Counted(counting.profile(scoring.profile(False)), sample.rows(), unseen, *sums.tolist())


def _judged(encoding: Encoding, table: Table, block: Any, codes: Array, first: int) -> Array:
    """How many rows have a class that the rule knows, how many of those it gets wrong, and how many it decides."""
    target = encoding.target
    if table.sparse is not None:
        text = pl.Series(table.sparse[1][first : first + codes.size], dtype=pl.String)
    elif target.name in block.columns:
        text = target.texts(block)
    else:
        return np.zeros(3, np.int64)
    own = target.codes(text)
    known = own < len(target.classes)
    decided = known & (codes >= 0)
    return np.array([known.sum(), (decided & (own != codes)).sum(), decided.sum()])


def edges_of_table(model: Model, table: Table) -> tuple[Edges, tuple[float, ...]]:
    """The ends of bins for a table's columns and for the rule's scores, from a sample of its rows."""
    encoding, sample = model.table_encoding, Sample()
    for first, block in _blocks(table):
        sample.add(block, first)
    rows = sample.rows()
    if not n_rows_of(rows):
        raise TableError(f"{table.source}: there are no rows")
    _, scores = codes_and_scores(model, model.seen(encoding, rows))
    return edges_in(profiled_columns(encoding), rows), edges_of(scores)
