"""What the rows that a rule was learned from looked like, in counts: enough to tell later whether new rows look alike.

A profile contains no rows: only counts of the cells of each column (`read.encode.census`), of the scores and of the
decisions. The last two are those of the held-out rows, if there are any, because scores of rows learned from flatter
the rule.
"""

from dataclasses import dataclass

Counts = tuple[int, ...]


@dataclass(frozen=True)
class ColumnProfile:
    """The counts of a column's cells; `edges` are the upper ends of all bins of numbers but the last."""

    name: str
    edges: tuple[float, ...]
    counts: Counts


@dataclass(frozen=True)
class ScoreProfile:
    """The scores of some rows in bins, and their decisions: how many have each class, and how many go to a person.

    With more than two classes, the score is how far the highest is ahead of the second.
    """

    held_out: bool  # whether these rows were held out in learning
    edges: tuple[float, ...]
    counts: Counts
    decisions: Counts

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.counts)


@dataclass(frozen=True)
class Profile:
    """The counts of some rows in each column, and those of scored rows."""

    rows: int
    columns: tuple[ColumnProfile, ...]
    scores: ScoreProfile
