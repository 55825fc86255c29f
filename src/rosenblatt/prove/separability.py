"""Is there a rule that is right on every row? Decided by a proof, never by a tolerance.

Problem   weights w with z_i . w > 0 for all signed rows z_i, or a proof that there are none.
Result    `Separable` or `NotSeparable`, each with a certificate that anyone can check; `Undecided` with the reason.
Method    First what people read most easily: a row of zeros, or equal rows with different labels. Then the shortest
          vector in the convex hull of the signed rows (`wolfe`), over an active set of rows that grows by those which
          a full pass finds wrong. A vector that is right on every row is a separator. If the hull holds the origin,
          the corral contradicts itself: in whole numbers, or where those would be too long, by a verified float
          computation. Whatever remains is decided in whole numbers alone (`rational`).

Before floats are computed with, columns and rows are scaled by what moves no decision.
"""

import time
from dataclasses import dataclass
from math import frexp
from typing import Any

import numpy as np

from rosenblatt import search
from rosenblatt.examples import Examples
from rosenblatt.kernels import Array, Dense
from rosenblatt.learn.rules import ties_named
from rosenblatt.prove import certificate, exact, rational, wolfe
from rosenblatt.prove.certificate import Contradiction, Separation

LONG = 200_000  # operations on words of 64 bits; beyond, a verified float computation replaces whole numbers
ENOUGH = 0.5  # of the level: rows of the active set may be this much nearer than the nearest point needs
PRECISION = 2**40  # multipliers are rounded to this part of the largest


@dataclass(frozen=True)
class Separable:
    """There are weights that are right on every row."""

    certificate: Separation
    separable: bool = True

    def __str__(self) -> str:
        return f"Linearly separable. {self.certificate.statement}"


@dataclass(frozen=True)
class NotSeparable:
    """There are none."""

    certificate: Contradiction
    separable: bool = False

    def __str__(self) -> str:
        return f"Not linearly separable. {self.certificate.statement}"


@dataclass(frozen=True)
class Undecided:
    """Neither was proved, for this reason."""

    reason: str
    separable: None = None

    def __str__(self) -> str:
        return f"Undecided. {self.reason}"


Verdict = Separable | NotSeparable | Undecided


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    bias_scale: float = 1.0,
    ties: str = "mistake",
    max_seconds: float | None = None,
) -> Verdict:
    """Whether some linear rule is right on every row, with the proof.

    >>> from rosenblatt import separability
    >>> print(separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]))  # and
    Linearly separable. The weights are right on all 4 rows; ...
    >>> verdict = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> print(verdict)
    Not linearly separable. No weights are right on all 4 rows: these 4 contradict each other, ...
    >>> verdict.certificate.weights, verdict.certificate.point
    ((1, 1, 1, 1), (0.5, 0.5))
    """
    ties_named(ties)
    return decide(Examples.of(X, y, fit_intercept=fit_intercept, bias_scale=bias_scale), ties, max_seconds)


def decide(examples: Examples, ties: str = "mistake", max_seconds: float | None = None) -> Verdict:
    """The same for examples that are read already."""
    if ties == "correct":
        return Separable(separation(examples, ties, (0,) * examples.size, (0,), (1,)))
    sizes = _column_sizes(examples)
    if plain := _plain_contradiction(examples, ties, sizes):
        return NotSeparable(plain)
    return _Search(examples, ties, sizes, max_seconds).verdict()


def separation(
    examples: Examples,
    ties: str,
    weights: tuple[exact.Number, ...],
    support: tuple[int, ...],
    multipliers: tuple[int, ...],
) -> Separation:
    """A certificate with the bounds that its numbers prove."""
    least = min(exact.least_margins(examples, weights).values())[0]
    return Separation(
        n=examples.n, features=examples.size - 1, bias=examples.rows.bias, ties=ties, weights=weights,
        support=support, multipliers=multipliers, lower=certificate.lower_bound(weights, least),
        upper=certificate.upper_bound(examples, support, multipliers),
    )  # fmt: skip


def contradiction(
    examples: Examples, ties: str, rows: tuple[int, ...], weights: tuple[int, ...], whole: bool
) -> Contradiction:
    """A certificate with the point that its rows have in common."""
    return Contradiction(
        n=examples.n, features=examples.size - 1, bias=examples.rows.bias, ties=ties, rows=rows, weights=weights,
        exact=whole, point=certificate.common_point(examples, rows, weights),
    )  # fmt: skip


def _plain_contradiction(examples: Examples, ties: str, sizes: Array) -> Contradiction | None:
    """A row of zeros (which no weights score), or two equal rows with different labels."""
    if not examples.rows.bias:
        for row in np.flatnonzero((examples.lengths == 0) & _wrong_at_zero(examples, ties))[:1].tolist():
            return contradiction(examples, ties, (row,), (1,), whole=True)
    draws = np.random.default_rng(0).uniform(1.0, 2.0, examples.size) / sizes
    hashes = search.margins(examples, draws) * examples.labels  # equal rows are added up in the same order
    order = np.argsort(hashes, kind="stable")
    same = np.flatnonzero((np.diff(hashes[order]) == 0) & (np.diff(examples.labels[order]) != 0))
    for place in same.tolist():
        pair = sorted(order[place : place + 2].tolist())
        vectors, _ = exact.signed_rows(examples, pair)
        if not exact.combination(vectors, (1, 1)):
            return contradiction(examples, ties, tuple(pair), (1, 1), whole=True)
    return None


def _wrong_at_zero(examples: Examples, ties: str) -> Array:
    """For every row, whether a score of zero is a mistake."""
    return np.where(examples.labels > 0, exact.tie_is_wrong(ties, 1), exact.tie_is_wrong(ties, -1))


def _column_sizes(examples: Examples) -> Array:
    """A power of two of about the size of each column's largest entry, the constant feature's last; 1 for zeros."""
    rows = examples.rows
    sizes = np.zeros(examples.size)
    if isinstance(rows, Dense):
        sizes[:-1] = np.maximum(rows.values.max(axis=0), -rows.values.min(axis=0))
    else:
        np.maximum.at(sizes, rows.columns, np.abs(rows.values))
    sizes[-1] = rows.bias
    sizes[sizes == 0] = 1.0
    return np.ldexp(1.0, np.frexp(sizes)[1])


def _work(vectors: list[exact.Vector]) -> int:
    """About how many operations on words of 64 bits it takes to solve for a null vector in whole numbers."""
    bits = max((k.bit_length() for vector in vectors for k in vector.values()), default=0)
    return len(vectors) ** 3 * (1 + len(vectors) * bits // 64)


class _Search:
    """The active set: signed rows, scaled, among which the shortest vector is sought."""

    def __init__(self, examples: Examples, ties: str, sizes: Array, max_seconds: float | None) -> None:
        self.examples, self.ties, self.wrong_at_zero = examples, ties, _wrong_at_zero(examples, ties)
        self.deadline = time.monotonic() + max_seconds if max_seconds is not None else np.inf
        self.sizes = sizes
        self.units = [1 - frexp(size)[1] for size in self.sizes.tolist()]
        self.rows = self._some()
        self.points, self.lengths = self._points(self.rows)

    def _late(self) -> bool:
        return time.monotonic() >= self.deadline

    def _some(self) -> Array:
        """Rows to begin with: spread over the data, of both classes."""
        n, many = self.examples.n, max(10 * self.examples.size, 1000)
        rows = np.unique(np.linspace(0, n - 1, min(n, many)).astype(np.int64))
        first = [int(np.argmax(self.examples.labels == label)) for label in (-1, 1)]
        return np.union1d(rows, first)

    def _points(self, rows: Array) -> tuple[Array, Array]:
        """These rows, signed, in the units of their columns, each of length 1; and what length they had."""
        table, labels = self.examples.rows, self.examples.labels[rows]
        points = np.zeros((rows.size, self.examples.size))
        if isinstance(table, Dense):
            points[:, :-1] = table.values[rows]
        else:
            for place, i in enumerate(rows.tolist()):
                part = slice(int(table.starts[i]), int(table.starts[i + 1]))
                points[place, table.columns[part]] = table.values[part]
        points[:, -1] = table.bias
        points *= labels[:, np.newaxis] / self.sizes
        lengths = np.linalg.norm(points, axis=1)
        lengths[lengths == 0] = 1.0
        return points / lengths[:, np.newaxis], lengths

    def verdict(self) -> Verdict:
        """Enlarge the active set until it decides."""
        begin = np.array([np.argmax(self.wrong_at_zero[self.rows])])
        while not self._late():
            groups = self.wrong_at_zero[self.rows][:, np.newaxis].astype(float)
            found = wolfe.nearest(self.points, groups, begin, enough=ENOUGH, stop=self._late)
            if self._late():
                break
            if not found.settled:
                return self._decided(found)
            w = found.x / self.sizes
            margins = search.margins(self.examples, w)
            wrong = np.flatnonzero((margins < 0) | ((margins == 0) & self.wrong_at_zero))
            if not wrong.size:
                return self._separable(tuple(w.tolist()), found)
            most = max(4 * self.examples.size, 500)
            if wrong.size > most:
                wrong = wrong[np.argpartition(margins[wrong], most)[:most]]
            fresh = np.setdiff1d(wrong, self.rows)
            if not fresh.size:
                return self._decided(found)
            points, lengths = self._points(fresh)
            begin = found.corral
            self.rows = np.concatenate([self.rows, fresh])
            self.points, self.lengths = np.vstack([self.points, points]), np.concatenate([self.lengths, lengths])
        return Undecided("The time was up before there was a proof either way.")

    def _multipliers(self, found: wolfe.Nearest) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The rows of the corral, and their weights as whole numbers."""
        weights = found.weights / self.lengths[found.corral]
        wholes = np.maximum(np.rint(weights / weights.max() * PRECISION), 1.0).astype(np.int64)
        return tuple(self.rows[found.corral].tolist()), tuple(wholes.tolist())

    def _separable(self, weights: tuple[exact.Number, ...], found: wolfe.Nearest) -> Separable:
        return Separable(separation(self.examples, self.ties, weights, *self._multipliers(found)))

    def _not_separable(self, rows: tuple[int, ...], weights: tuple[int, ...], whole: bool = True) -> NotSeparable:
        return NotSeparable(contradiction(self.examples, self.ties, rows, weights, whole))

    def _decided(self, found: wolfe.Nearest) -> Verdict:
        """What the corral proves, or else what whole numbers do."""
        rows, multipliers = self._multipliers(found)
        vectors, _ = exact.signed_rows(self.examples, rows)
        if _work(vectors) <= LONG:
            if wholes := rational.null_vector(vectors):
                return self._not_separable(rows, tuple(wholes))
        elif exact.is_near_a_positive_null_vector(vectors, multipliers):
            return self._not_separable(rows, multipliers, whole=False)
        outcome = rational.decide(self.examples, self.ties, rows, self.units)
        if outcome.rows:
            return self._not_separable(outcome.rows, outcome.multipliers)
        bits = max(k.bit_length() for k in outcome.weights)
        floats = tuple(k / (1 << bits) for k in outcome.weights)
        right = not exact.mistakes(self.examples, floats, self.ties).size
        return self._separable(floats if right else outcome.weights, found)
