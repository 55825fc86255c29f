"""The seam for passes: all rows are looked at with fixed weights, wherever they are.

A pass asks one question of every stretch of rows. The question is a small value that holds the weights; a scan knows
where rows are, puts the question, and hands back the answers in the order of the rows. `InMemory` is the scan of every
`Examples` that says nothing else. Another one (blocks of a file, a cluster) has the same one method.

What reads all rows, but not through a scan:

- kernels that find and correct in one visit: the weights change from row to row (`kernels.correct` has a list);
- `pocket_kernels.cost`: it begins with the rows that were wrong most often, and ends as soon as it can;
- `electorate`: a vote is asked of rows that are at hand, those to be predicted, or a copy of some;
- `whitening`: its rows are a table of its own, in other coordinates; `dual` has all scores at hand; trees read columns;
- `prove/check`: the checker does not know the maker;
- `storage`: rows are measured when they come in, before there are weights.
"""

from typing import Protocol, TypeVar

from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.storage import n_rows, numbers_per_row
from rosenblatt.rows.threads import in_pieces

T = TypeVar("T")
Answer = TypeVar("Answer", covariant=True)


class LabelledRows(Protocol):
    """What a pass reads: rows, with labels and with weights of rows where there are any."""

    @property
    def rows(self) -> Rows:
        """Dense or sparse."""

    @property
    def labels(self) -> Array:
        """-1 and +1, or the numbers of several classes."""

    @property
    def weights(self) -> Array:
        """Of each row; empty where all are 1."""


class Question(Protocol[Answer]):
    """What is asked of a stretch of rows. It reads these rows only, and writes only to its part of `out`."""

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> Answer:
        """The answer for rows first .. last-1; `out` has a place for each of them, or none."""


class Scan(Protocol):
    """A pass over the rows of a table."""

    def look(
        self,
        table: LabelledRows,
        question: Question[T],
        out: Array,
        first: int = 0,
        last: int | None = None,
        times: float = 1,
    ) -> list[T]:
        """The answers for stretches that make up rows first .. last-1, in order.

        `out` has a place for each of these rows, or none, and a stretch is given its part. `times` is how often each
        number is used: with how many weight vectors.
        """


class InMemory:
    """All rows are at hand: the cores take stretches of them in turn."""

    def look(
        self,
        table: LabelledRows,
        question: Question[T],
        out: Array,
        first: int = 0,
        last: int | None = None,
        times: float = 1,
    ) -> list[T]:
        """The answers for stretches of rows, in order."""
        rows = table.rows
        last = n_rows(rows) if last is None else last

        def piece(a: int, b: int) -> T:
            return question(table, a, b, out[a - first : b - first])

        return in_pieces(piece, first, last, times * numbers_per_row(rows))


IN_MEMORY: Scan = InMemory()
