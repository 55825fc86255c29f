"""The profile of the training rows in a model file: the type and the range of every field, and that they fit together.

Counts are in the order of the cells (`read.encode.census`), whose names the encoding has. However wide a table is, the
profile has at most `MOST_COLUMNS` of its columns, so its size is bounded.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rosenblatt.errors import ModelError
from rosenblatt.judge.profile import ColumnProfile, Profile, ScoreProfile
from rosenblatt.ship.file.codecs import COUNT, FLAG, REAL, TEXT, Codec, group, listed
from rosenblatt.visible import brief

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding

MOST_COLUMNS = 1000


def _tuples(kind: Codec) -> Codec:
    """A list that becomes a tuple."""
    return Codec(listed(kind).write, lambda *place: tuple(listed(kind).read(*place)))


COUNTS, EDGES = _tuples(COUNT), _tuples(REAL)
COLUMN = group(lambda shape, **parts: ColumnProfile(**parts), name=TEXT, edges=EDGES, counts=COUNTS)
SCORES = group(
    lambda shape, **parts: ScoreProfile(**parts), held_out=FLAG, edges=EDGES, counts=COUNTS, decisions=COUNTS
)
PROFILE = group(lambda shape, **parts: Profile(**parts), rows=COUNT, columns=_tuples(COLUMN), scores=SCORES)


def check(profile: Profile, encoding: "Encoding | None") -> None:
    """Refuse a profile whose columns are not those of the encoding, or whose counts contradict each other."""
    from rosenblatt.read.encode.census import cells_in, is_number  # with Polars, which arrays do not need

    if encoding is None:
        raise ModelError("a rule learned from arrays has no profile of columns")
    columns = encoding.used[:MOST_COLUMNS]
    if [each.name for each in profile.columns] != [column.name for column in columns]:
        raise ModelError("the profile's columns are not those of the encoding")
    for each, column in zip(profile.columns, columns, strict=True):
        where = f"the profile of column {brief(column.name)}"
        if each.edges and not is_number(column):
            raise ModelError(f"{where} has edges, but the column has no numbers")
        _check_counts(where, each.counts, cells_in(column, each.edges), profile.rows)
        _check_edges(where, each.edges)
    scores, where = profile.scores, "the profile of the scores"
    _check_edges(where, scores.edges)
    _check_counts(where, scores.counts, len(scores.edges) + 1, scores.rows)
    _check_counts("the profile of the decisions", scores.decisions, len(encoding.target.classes) + 1, scores.rows)
    if not profile.rows or not scores.rows:
        raise ModelError("the profile has no rows")


def _check_edges(where: str, edges: Sequence[float]) -> None:
    if not all(low < high for low, high in pairwise(edges)):
        raise ModelError(f"{where} has edges that do not rise")


def _check_counts(where: str, counts: Sequence[int], many: int, rows: int) -> None:
    if len(counts) != many:
        raise ModelError(f"{where} must have {many} counts, not {len(counts)}")
    if sum(counts) != rows:
        raise ModelError(f"{where} has counts for {sum(counts):,} rows, not {rows:,}")
