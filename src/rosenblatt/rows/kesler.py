"""Several classes as one problem of signed rows (Kesler's construction; Nilsson 1965; Duda and Hart 1973, section
5.12).

A rule of K classes is a table W of weights, a row for each class; a row x is given the class whose score W_k . x is the
largest. With its class y, x is right where (W_y - W_r) . x > 0 for each of the K - 1 rivals r. So a pair of a row and a
rival is a signed row e_y (x) x - e_r (x) x for the long vector W, which is sqrt(2) ||x|| long and has no threshold of
its own: that of every class is an entry of W. What is known of two classes then holds of K.
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import DataError
from rosenblatt.rows.examples import Examples, Labels, shown
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import n_features, rows_of, some_rows, table_of


@dataclass(frozen=True, eq=False)
class JointExamples(Examples):
    """Rows with the numbers of their classes as labels; `classes` has what those stand for."""

    classes: tuple[Any, ...] = ()

    all_classes: ClassVar[str] = "every class"

    @staticmethod
    def _numbered(labels: Labels) -> Array:
        """Labels of two values or more, numbered in order."""
        if labels.classes.size < 2:
            seen = f"one class only, {shown(labels.classes[0])}" if labels.classes.size else "no labels"
            raise DataError(f"y has {seen}; a rule needs rows of two classes or more")
        return np.searchsorted(labels.classes, labels.each).astype(np.int64)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number that a row of each class has as its label."""
        return tuple(range(len(self.classes)))

    @property
    def absent(self) -> Array:
        """The numbers of the classes of which no row counts."""
        counted = self.labels[self.weights > 0] if self.weights.size else self.labels
        return np.flatnonzero(np.bincount(counted, minlength=len(self.classes)) == 0)

    @property
    def lacks_a_class(self) -> bool:
        """Whether there is a class of which no row counts."""
        return bool(self.absent.size)

    @property
    def width(self) -> int:
        """How many weights a class has: the features, then the threshold's constant feature."""
        return n_features(self.rows) + 1

    @property
    def size(self) -> int:
        """How many weights all classes have."""
        return len(self.classes) * self.width

    @cached_property
    def radius(self) -> float:
        """R: the length of the longest signed row, which is that of a row times the root of two."""
        longest = self.rows.radius if self.weights.all() else float(self.lengths[self.weights > 0].max(initial=0.0))
        return sqrt(2.0) * longest

    @property
    def plain(self) -> Examples:
        """The rows, as if all were labelled +1: what a class scores on them is what a rule of two classes would."""
        return Examples(self.rows, np.ones(self.n, np.int8), self.weights)

    def some(self, chosen: Array) -> "JointExamples":
        """A copy of these rows, with all classes."""
        weights = self.weights[chosen] if self.weights.size else self.weights
        return JointExamples(some_rows(self.rows, chosen), self.labels[chosen], weights, self.classes)

    def every_pair(self) -> tuple[Array, Array]:
        """All pairs of a row and a rival, row by row."""
        many = len(self.classes) - 1
        rows, offsets = np.repeat(np.arange(self.n), many), np.tile(np.arange(many), self.n)
        return rows, offsets + (offsets >= self.labels[rows])

    def signed(self, rows: Array, rivals: Array, *, reduced: bool = False) -> Examples:
        """The signed rows of some pairs, as examples of two classes without a threshold.

        A pair is a row (e_b - e_a) (x) x with a < b, labelled +1 if b is the class of x and -1 if a is, so that a tie
        of both scores is for the pair what a score of 0 is for two classes: with the ties "minus" the first class
        wins. With `reduced`, the weights of the first class are 0 and left out, which moves no decision; of two
        classes, these are then the rows themselves.
        """
        own = self.labels[rows]
        low, high = np.minimum(own, rivals), np.maximum(own, rivals)
        part = some_rows(self.rows, rows)
        table = scipy.sparse.csr_array(table_of(part))
        if part.bias:
            table = _with_constant(table, part.bias)
        table.sort_indices()
        many = np.diff(table.indptr)
        skipped = self.width if reduced else 0
        wide = (rows.size, self.size - skipped)
        above = scipy.sparse.csr_array(
            (table.data, table.indices + np.repeat(high * self.width - skipped, many), table.indptr), wide
        )
        if not reduced:
            columns = table.indices + np.repeat(low * self.width, many)
            below = scipy.sparse.csr_array((table.data, columns, table.indptr), wide)
        else:
            kept = np.repeat(low > 0, many)
            starts = np.concatenate([[0], np.cumsum(np.where(low > 0, many, 0))])
            columns = (table.indices + np.repeat((low - 1) * self.width, many))[kept]
            below = scipy.sparse.csr_array((table.data[kept], columns, starts), wide)
        return Examples(rows_of(above - below, bias=0.0), np.where(own > rivals, 1, -1).astype(np.int8))

    def table_of_weights(self, w: Any, *, reduced: bool = False) -> Any:
        """Weights for the signed rows, without the last one, as a list of those of every class."""
        flat = list(w)[:-1]
        return [0 if isinstance(flat[0], int) else 0.0] * (self.width if reduced else 0) + flat


def _with_constant(table: "scipy.sparse.csr_array", bias: float) -> "scipy.sparse.csr_array":
    """The table with one column more, which holds the same number in every row."""
    n, features = table.shape
    starts = table.indptr.astype(np.int64) + np.arange(n + 1)
    dtype = table.dtype if table.dtype.type(bias) == bias else np.float64
    data, columns = np.empty(starts[-1], dtype), np.empty(starts[-1], np.int64)
    last = np.zeros(starts[-1], bool)
    last[starts[1:] - 1] = True
    data[last], columns[last] = bias, features
    data[~last], columns[~last] = table.data, table.indices
    return scipy.sparse.csr_array((data, columns, starts), shape=(n, features + 1))
