"""Rows that a rule has scored: a score, the label and perhaps a weight for each.

Everything in this room works on these. Labels are True for yes and False for no. A higher score speaks for yes, and a
row gets a yes when its score is at or above a cut-off. Rows with equal scores cannot be told apart, so whatever depends
on the order of the scores works on groups of rows with equal ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.rows.door import unmasked
from rosenblatt.rows.kernels import Array

Names = tuple[str, str]  # what no and yes are called
NO_AND_YES: Names = ("no", "yes")


class Groups(NamedTuple):
    """Rows of equal scores, lowest score first; sums of weights are counts where rows have no weights."""

    scores: Array
    yes: Array  # the weight of the rows that are yes
    no: Array

    @property
    def all(self) -> Array:
        """The weight of all rows of each group."""
        return self.yes + self.no


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows with a finite score and a label each; without weights, every row counts once."""

    scores: Array
    yes: Array
    weights: Array | None = None

    @classmethod
    def of(cls, scores: Any, yes: Any, weights: Any = None) -> "Scored":
        """The rows, checked; rows of weight 0 count for nothing and are left out."""
        found, labels = numbers_of(scores, "scores"), labels_of(yes)
        if found.size != labels.size:
            raise DataError(f"there are {found.size:,} scores but {labels.size:,} labels: every row needs both")
        if weights is None:
            return cls(found, labels)
        each = weights_of(weights, found.size)
        kept = each > 0
        return cls(found[kept], labels[kept], each[kept])

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.scores.size)

    @cached_property
    def groups(self) -> Groups:
        """Rows of equal scores."""
        order = np.argsort(self.scores)
        scores, yes = self.scores[order], self.yes[order]
        first = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
        if self.weights is None:
            positives = np.add.reduceat(yes.astype(np.float64), first)
            return Groups(scores[first], positives, np.diff(first, append=self.n) - positives)
        weights = self.weights[order]
        return Groups(
            scores[first],
            np.add.reduceat(np.where(yes, weights, 0.0), first),
            np.add.reduceat(np.where(yes, 0.0, weights), first),
        )

    def with_both_classes(self, purpose: str) -> "Scored":
        """The same rows, refused if all of them have the same label; the purpose is named in the error."""
        if self.yes.all() or not self.yes.any():
            label = "yes" if self.yes.any() else "no"
            raise DataError(f"all {self.n:,} rows are {label}: {purpose} needs rows of both classes")
        return self

    def without_weights(self, purpose: str) -> "Scored":
        """The same rows, refused if they have weights: exact counts need rows that count the same."""
        if self.weights is not None:
            raise DataError(f"{purpose} counts rows, which must all count the same: leave the weights out")
        return self


def numbers_of(values: Any, what: str) -> Array:
    """A list of finite numbers, at least one, as doubles; `what` they are, in the plural."""
    try:
        found = np.asarray(unmasked(values, what), dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{what} must be a list of numbers") from None
    if found.ndim != 1:
        raise DataError(f"{what} must be a list of numbers, not a table with {found.ndim} dimensions")
    if not found.size:
        raise DataError(f"there are no rows: {what} must have at least one")
    if not (good := np.isfinite(found)).all():
        row = int(np.argmin(good))
        raise DataError(f"row {row}: {what} must be finite numbers, not {found[row]}")
    return found


def labels_of(yes: Any) -> Array:
    """A list of True and False; others are refused, because what 1, 2 or -1 means is not for this room to guess."""
    found = np.asarray(unmasked(yes, "labels"))
    if found.dtype != np.bool_ or found.ndim != 1:
        raise DataError("labels must be a list of True for yes and False for no; make them by comparison, as in y == 1")
    return found


def weights_of(weights: Any, rows: int) -> Array:
    """The weights, one for each row: at least 0, and not all of them 0."""
    found = numbers_of(weights, "weights")
    if found.size != rows:
        raise DataError(f"there are {rows:,} rows but {found.size:,} weights: every row needs one")
    if (found < 0).any():
        row = int(np.argmax(found < 0))
        raise DataError(f"row {row}: the weight is {found[row]:g}; weights must be at least 0")
    if not found.any():
        raise DataError("the weights of all rows are zero: no row counts")
    return found


def plain(name: str, values: Sequence[float]) -> Array:
    """The numbers of a table, perhaps none; refused if they are not finite, or are no numbers at all."""
    found = np.asarray(values)
    if found.ndim != 1 or (found.size and (found.dtype.kind not in "fiu" or not np.isfinite(found).all())):
        raise DataError(f"{name} must be finite numbers")
    return found.astype(np.float64)
