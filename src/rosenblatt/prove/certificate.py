"""Certificates: small records of what was proved, each of which checks itself against the data.

A certificate is made by a solver and checked here, in exact arithmetic, by code that knows no solver. Whatever made
it, `verify(X, y)` either returns the sentence that is proved or raises a CertificateError that names what failed.

With z_i = y_i (x_i, bias) for the signed rows, weights w and whole numbers a_i > 0:
    Separation     z_i . w > 0 for every row; and for the largest margin g, weak duality gives
                   min z_i . w / ||w|| <= g <= ||sum a_i z_i|| / sum a_i.
    Contradiction  sum a_i z_i = 0: no w has z_i . w > 0 for all of these rows (Gordan 1873).
    NoMargin       ||sum a_i z_i|| < g sum a_i: no unit vector has margin g or more.
    ErrorInterval  a rule with so many mistakes, and contradictions: every rule errs at least once in each of them.
    RunRecord      a run of PLA, replayed: every correction was of a mistake, and Theorem A's two inequalities hold.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import ClassVar

import numpy as np

from rosenblatt.errors import CertificateError
from rosenblatt.examples import Examples
from rosenblatt.kernels import TIES
from rosenblatt.prove import exact, given, sweep
from rosenblatt.prove.exact import Number
from rosenblatt.prove.record import STRICT as STRICT
from rosenblatt.prove.record import Certificate as Certificate
from rosenblatt.prove.record import shape_of as shape_of
from rosenblatt.prove.record import shown

MOST_READ = 5_000_000  # entries of sets, to prove that fewer rows are not enough


@dataclass(frozen=True, kw_only=True)
class Separation(Certificate):
    """Weights that are right on every row, and bounds on the largest margin of any unit vector."""

    kind: ClassVar[str] = "separation"

    ties: str
    weights: tuple[Number, ...]  # one per feature, then the threshold's
    support: tuple[int, ...]
    multipliers: tuple[int, ...]
    lower: float  # of the largest margin; rounded down
    upper: float  # rounded up
    affine: bool  # the threshold does not count in the length of the weights

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        if not any(self.weights):
            return self._sentence(f"zero weights are right on all {self.n} rows.", self.ties)
        what = "of any rule, measured without the threshold," if self.affine else "of any unit vector"
        return self._verdict(
            f"there are weights that are right on all {self.n} rows; the largest margin {what} is "
            f"between {self.lower!r} and {self.upper!r}."
        )

    @property
    def verdict(self) -> str:
        """The main thing, in a few words."""
        return self._verdict("a linear rule is right on every row")

    def _verdict(self, claim: str) -> str:
        return self._sentence(
            claim, None if self.ties == STRICT else self.ties
        )  # what is right strictly needs no words

    def _check(self, examples: Examples) -> None:
        _check_ties(self.ties)
        _check_weights(examples, self.weights)
        least = exact.least_margins(examples, self.weights)
        for label, (margin, row) in least.items():
            if exact.is_wrong(margin, self.ties, label):
                raise CertificateError(f"row {row}: y (w . x) is not above zero; the weights are wrong on it")
        lower = lower_bound(self.weights, min(least.values())[0], self.affine)
        if self.lower != lower:
            raise CertificateError(f"the lower bound of the margin is {lower!r} with these weights, not {self.lower!r}")
        upper = upper_bound(examples, self.support, self.multipliers, self.affine)
        if self.upper != upper:
            raise CertificateError(f"the upper bound of the margin is {upper!r} with this support, not {self.upper!r}")


@dataclass(frozen=True, kw_only=True)
class Contradiction(Certificate):
    """Rows that no weights are all right on, because their signed sum with positive weights is zero."""

    kind: ClassVar[str] = "contradiction"

    ties: str
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    exact: bool  # the sum is zero with these weights; if not, it is with some positive weights near them
    point: tuple[float, ...]  # the mean of the first row's class; with a threshold, of the other class as well

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        how = "" if self.exact else " (for some weights very near those given)"
        return self._verdict(
            f"no weights are right on all {self.n} rows: these {len(self.rows)} contradict each other, because their "
            f"signed weighted sum is zero{how}."
        )

    @property
    def verdict(self) -> str:
        """The main thing, in a few words."""
        return self._verdict("no linear rule is right on every row")

    def _verdict(self, claim: str) -> str:
        # with a threshold, the rows are of both classes, and a tie is wrong on one of them: that needs no words
        return self._sentence(claim, None if self.bias else self.ties)

    def _check(self, examples: Examples) -> None:
        _check_ties(self.ties)
        _check_positive("row", examples, self.rows, self.weights)
        if not any(exact.tie_is_wrong(self.ties, int(examples.labels[row])) for row in self.rows):
            raise CertificateError(f"ties are {self.ties!r}: rows that may all score zero do not contradict each other")
        if self.exact:
            rest, _ = exact.mixture(examples, self.rows, self.weights)
            if rest:
                raise CertificateError(f"the weighted sum of the rows is not zero: not in column {min(rest)}")
        elif not exact.is_near_a_positive_null_vector(exact.signed_rows(examples, self.rows)[0], self.weights):
            raise CertificateError("no positive weights near the given ones can be proved to make the sum zero")
        if len(self.point) != self.features:  # before one of that length is made
            raise CertificateError(f"the common point must have {self.features} numbers, not {len(self.point)}")
        if self.point != (point := common_point(examples, self.rows, self.weights)):
            place = next((k for k, (a, b) in enumerate(zip(self.point, point, strict=False)) if a != b), len(point))
            raise CertificateError(f"the common point is not the mixture of the rows: not in column {place}")


@dataclass(frozen=True, kw_only=True)
class NoMargin(Certificate):
    """A refutation that PLA itself gives: no unit vector has a margin of g or more."""

    kind: ClassVar[str] = "no margin"
    refutes_a_margin: ClassVar[bool] = True

    margin: float
    rows: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        return self._sentence(f"no unit vector is right on all {self.n} rows with a margin of {self.margin!r} or more.")

    def _check(self, examples: Examples) -> None:
        _check_positive("row", examples, self.rows, self.counts)
        if (
            Fraction(self.margin) <= 0
            or square_upper_bound(examples, self.rows, self.counts) >= Fraction(self.margin) ** 2
        ):
            raise CertificateError(f"the counts do not refute a margin of {self.margin!r}")


@dataclass(frozen=True, kw_only=True)
class ErrorInterval(Certificate):
    """A rule, how many mistakes it makes, and disjoint contradictions: no rule makes fewer mistakes than those."""

    kind: ClassVar[str] = "error interval"

    ties: str
    weights: tuple[Number, ...]
    lower: int
    upper: int
    swept: bool  # the lower end is what a sweep over all lines tells, and needs no contradictions
    contradictions: tuple[Contradiction, ...]

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        best = (
            "which is the fewest possible" if self.lower == self.upper else f"and no rule makes fewer than {self.lower}"
        )
        mistakes = "1 mistake" if self.upper == 1 else f"{self.upper} mistakes"
        return self._sentence(f"the rule makes {mistakes} on {self.n} rows, {best}.", self.ties)

    def _check(self, examples: Examples) -> None:
        _check_ties(self.ties)
        _check_weights(examples, self.weights)
        wrong = exact.mistakes(examples, self.weights, self.ties).size
        if wrong != self.upper:
            raise CertificateError(f"the rule makes {wrong} mistakes, not {self.upper}")
        if self.swept:
            self._check_sweep(examples)
            return
        for contradiction in self.contradictions:
            if contradiction.ties != self.ties:
                raise CertificateError(f"a contradiction is about ties {contradiction.ties!r}, not {self.ties!r}")
            contradiction.verify_examples(examples)
        if not is_needed([contradiction.rows for contradiction in self.contradictions], self.lower):
            many = len(self.contradictions)
            raise CertificateError(f"{many} contradictions do not prove that any rule makes {self.lower} mistakes")

    def _check_sweep(self, examples: Examples) -> None:
        if not sweep.is_about(self.ties, examples) or self.contradictions:
            raise CertificateError(
                "a sweep is for few rows of one or two features, and for ties 'mistake' or a threshold"
            )
        if self.lower != (least := sweep.fewest(examples)[0]):
            raise CertificateError(f"the fewest mistakes of all lines are {least}, not {self.lower}")


@dataclass(frozen=True, kw_only=True)
class RunRecord(Certificate):
    """A run of PLA: where it began, what it corrected, where it ended; and what a reference vector u says of it.

    With T corrections, of rows z_t, and any u and level g > 0, let l_t = max(0, 1 - z_t . u / g). Then
        T <= sum l_t + ||u|| ||sum z_t|| / g      and      ||w_T||^2 <= ||w_0||^2 + sum ||z_t||^2.
    """

    kind: ClassVar[str] = "run"

    order: str
    ties: str
    start: tuple[float, ...]
    corrections: tuple[int, ...]  # the rows corrected, in order
    weights: tuple[float, ...]
    reference: tuple[Number, ...]  # u; empty where there is none
    level: float  # g; 0 where there is no u
    bound: int  # the corrections that u and g allow, rounded down; 0 where there is no u

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        bounded = f"; the reference allows {shown(self.bound)}" if self.reference else ""
        return self._sentence(
            f"all {len(self.corrections)} corrections were of mistakes, and they lead from the start to the "
            f"weights{bounded}.",
            self.ties,
        )

    def _check(self, examples: Examples) -> None:
        _check_ties(self.ties)
        _check_weights(examples, self.start, "start")
        _check_weights(examples, self.weights)
        _check_rows("correction", examples, self.corrections)
        self._check_replay(examples)
        counts = Counter(self.corrections)
        vectors, exponent = exact.signed_rows(examples, counts)
        squares = sum(many * exact.square(vector) for vector, many in zip(vectors, counts.values(), strict=True))
        first, last = (Fraction(sum(Fraction(k) ** 2 for k in w)) for w in (self.start, self.weights))
        slack = 1 + Fraction(len(self.corrections), 2**50)  # each correction rounds every weight once
        if last > (first + Fraction(squares, 1 << 2 * exponent)) * slack:
            raise CertificateError("the weights are longer than corrections of mistakes can make them")
        if self.reference:
            _check_weights(examples, self.reference, "reference")
            if not self.level > 0:
                raise CertificateError(f"the level is {self.level!r}; it must be above 0")
            bound = hinge_bound(examples, counts, self.reference, self.level)
            if self.bound != bound:
                raise CertificateError(f"the reference allows {bound} corrections, not {self.bound}")
            if len(self.corrections) > bound:
                raise CertificateError(f"{len(self.corrections)} corrections are more than {bound}")
        elif self.level or self.bound:
            raise CertificateError("there is a level or a bound, but no reference")

    def _check_replay(self, examples: Examples) -> None:
        """Every correction is of a row that is wrong at that moment, and the last one gives the weights."""
        w = np.array(self.start)
        rows = {row: exact.signed_row(examples, row) for row in set(self.corrections)}
        for t, row in enumerate(self.corrections):
            columns, z = rows[row]
            with np.errstate(over="ignore", invalid="ignore"):
                score, size = float(z @ w[columns]), float(abs(z) @ abs(w[columns]))
            if not abs(score) > (examples.size + 6) * (exact.UNIT * size + exact.TINY):
                score = exact.sign_of_dot(z, w[columns])
            if not exact.is_wrong(score, self.ties, int(examples.labels[row])):
                raise CertificateError(f"correction {t}: row {row} was not a mistake")
            with np.errstate(over="ignore"):
                w[columns] += z
            if not np.isfinite(w[columns]).all():
                raise CertificateError(f"correction {t}: the weights overflow")
        if tuple(w.tolist()) != self.weights:
            place = int(np.argmax(w != np.array(self.weights)))
            raise CertificateError(f"the corrections lead to other weights: not in column {place}")


def hinge_bound(examples: Examples, counts: Mapping[int, int], reference: tuple[Number, ...], level: float) -> int:
    """sum l_t + ||u|| ||sum z_t|| / g for these corrections, rounded down (Harchaoui, 2.5.1, per round)."""
    vectors, exponent = exact.signed_rows(examples, counts)
    u, below = exact.whole_numbers(reference)
    losses, g = Fraction(0), Fraction(level)
    for vector, many in zip(vectors, counts.values(), strict=True):
        losses += many * max(1 - Fraction(exact.dot(vector, u), 1 << exponent + below) / g, Fraction(0))
    total = exact.square(exact.combination(vectors, list(counts.values())))
    root = Fraction(total * sum(k * k for k in u), 1 << 2 * (exponent + below)) / g**2
    return given.floor_of_root(losses, root, Fraction(1))


def _disjoint(sets: Sequence[frozenset[int]]) -> int:
    """How many disjoint sets there are among these, at least."""
    many, seen = 0, set[int]()
    for each in sorted(sets, key=len):
        if seen.isdisjoint(each):
            seen |= each
            many += 1
    return many


def is_needed(sets: Sequence[Sequence[int]], many: int) -> bool:
    """Proves that no fewer than so many rows can have one in each of these sets; False if that is not so, or too long.

    Disjoint sets need a row each. Where they overlap, each row of a smallest set is tried in turn: with it, and from
    there on without it. The search ends: each branch settles one row, and all of them read at most MOST_READ entries.
    """
    left = list(dict.fromkeys(frozenset(each) for each in sets))
    if many > len(left):
        return False
    branches: list[tuple[list[frozenset[int]], int, Iterator[int]]] = []
    rows, read = many - 1, 0
    while True:
        if not left and rows >= 0:
            return False  # so few rows are enough
        read += sum(map(len, left))
        if read > MOST_READ:
            return False
        if _disjoint(left) <= rows:
            smallest: frozenset[int] = min(left, key=len)
            branches.append((left, rows, iter(sorted(smallest))))
        row = next(branches[-1][2], None) if branches else None
        while row is None:
            if len(branches) < 2:
                return True
            branches.pop()
            row = next(branches[-1][2], None)
        before, rows, order = branches[-1]
        branches[-1] = [each - {row} if row in each else each for each in before], rows, order
        left, rows = [each for each in before if row not in each], rows - 1


def lower_bound(weights: tuple[Number, ...], least: Fraction, affine: bool = False) -> float:
    """The least z_i . w, divided by ||w|| and rounded down; 0 for the zero vector."""
    w, exponent = exact.whole_numbers(weights)
    square = Fraction(sum(k * k for k in (w[:-1] if affine else w)), 1 << 2 * exponent)
    if not square or not least:
        return 0.0
    size = least * least / square
    return exact.root_below(size) if least > 0 else -exact.root_above(size)


def upper_bound(examples: Examples, rows: tuple[int, ...], multipliers: tuple[int, ...], affine: bool = False) -> float:
    """The length of the mean of these signed rows, rounded up."""
    return exact.root_above(square_upper_bound(examples, rows, multipliers, affine))


def square_upper_bound(
    examples: Examples, rows: tuple[int, ...], multipliers: tuple[int, ...], affine: bool = False
) -> Fraction:
    """Its square, exactly.

    Where the threshold does not count, the rows of both classes must have the same weight in all: then the mean is
    half the difference of a mixture of either class, and no threshold moves it.
    """
    _check_positive("support row", examples, rows, multipliers)
    total, exponent = exact.mixture(examples, rows, multipliers)
    if affine and total.get(examples.size - 1):
        raise CertificateError("the multipliers of the two classes do not add up to the same")
    return Fraction(exact.square(total), sum(multipliers) ** 2 << 2 * exponent)


def common_point(examples: Examples, rows: tuple[int, ...], weights: tuple[int, ...]) -> tuple[float, ...]:
    """The weighted mean of those rows that have the first row's label; with a threshold, also of the others."""
    label = examples.labels[rows[0]]
    mine = [(row, weight) for row, weight in zip(rows, weights, strict=True) if examples.labels[row] == label]
    total, exponent = exact.mixture(examples, [row for row, _ in mine], [weight for _, weight in mine])
    below = int(label) * sum(weight for _, weight in mine) << exponent
    return tuple(total.get(column, 0) / below for column in range(examples.size - 1))


def _check_ties(ties: str) -> None:
    if ties not in TIES:
        raise CertificateError(f"ties must be one of {', '.join(TIES)}, not {ties!r}")


def _check_weights(examples: Examples, weights: tuple[Number, ...], name: str = "weights") -> None:
    if len(weights) != examples.size:
        raise CertificateError(f"{name} must have {examples.size} entries, not {len(weights)}")
    if not all(isinstance(weight, int) or isfinite(weight) for weight in weights):
        raise CertificateError(f"{name} must be finite")
    if not examples.rows.bias and weights[-1] != 0:
        raise CertificateError(f"{name} has a threshold, but the rule has none")


def _check_rows(name: str, examples: Examples, rows: tuple[int, ...]) -> None:
    for row in rows:
        if not 0 <= row < examples.n:
            raise CertificateError(f"{name} {row} does not exist: the data has {examples.n} rows")


def _check_positive(name: str, examples: Examples, rows: tuple[int, ...], weights: tuple[int, ...]) -> None:
    """Rows that exist, none twice, each with a weight of 1 or more."""
    _check_rows(name, examples, rows)
    if not rows or len(rows) != len(weights) or len(set(rows)) != len(rows):
        raise CertificateError(f"every {name} must be there once and have one weight, and there must be at least one")
    for row, weight in zip(rows, weights, strict=True):
        if weight < 1:
            raise CertificateError(f"{name} {row} has the weight {shown(weight)}; it must be at least 1")
