"""Certificates: small records of what was proved, each of which checks itself against the data.

A certificate is made by a solver and checked here, in exact arithmetic, by code that uses no solver. However it was
made, `verify(X, y)` either returns the sentence that is proved or raises a CertificateError that names what failed.

With z_i = y_i (x_i, bias) for the signed rows, weights w and whole numbers a_i > 0:
    Separation     z_i . w > 0 for every row; and for the largest margin g, weak duality gives
                   min z_i . w / ||w|| <= g <= ||sum a_i z_i|| / sum a_i.
    Contradiction  sum a_i z_i = 0: no w has z_i . w > 0 for all of these rows (Gordan 1873).
    NoMargin       ||sum a_i z_i|| < g sum a_i: no unit vector has margin g or more.
    ErrorInterval  a rule and its number of mistakes, and contradictions: every rule errs at least once in each of them.
    CostInterval   the cost of a rule's mistakes, and contradictions, when mistakes differ in cost.
    RunRecord      a run of PLA, replayed: every correction was of a mistake, and Theorem A's two inequalities hold.
"""

from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf
from typing import ClassVar

import numpy as np

from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import exact, hitting, sweep
from rosenblatt.prove.check.certificate_json import STRICT as STRICT
from rosenblatt.prove.check.certificate_json import Certificate as Certificate
from rosenblatt.prove.check.certificate_json import shape_of as shape_of
from rosenblatt.prove.check.certificate_json import shown
from rosenblatt.prove.check.checks import check_positive, check_rows, check_signs, check_ties, check_weights
from rosenblatt.prove.check.checks import common_point as common_point
from rosenblatt.prove.check.checks import hinge_bound as hinge_bound
from rosenblatt.prove.check.checks import lower_bound as lower_bound
from rosenblatt.prove.check.checks import near_a_contradiction as near_a_contradiction
from rosenblatt.prove.check.checks import square_upper_bound as square_upper_bound
from rosenblatt.prove.check.checks import upper_bound as upper_bound
from rosenblatt.prove.check.exact import Number
from rosenblatt.prove.check.scores import TINY, UNIT
from rosenblatt.rows.cone import Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array

PLACES = 9  # of a cost in a sentence; the certificate holds it exactly


@dataclass(frozen=True, kw_only=True, repr=False)
class Separation(Certificate):
    """Weights that are right on every row, and bounds on the largest margin of any unit vector."""

    kind: ClassVar[str] = "separation"
    may_be_constrained: ClassVar[bool] = True

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
        """The verdict, in a few words."""
        return self._verdict("a linear rule is right on every row")

    def _verdict(self, claim: str) -> str:
        return self._sentence(
            claim, None if self.ties == STRICT else self.ties
        )  # what is right strictly needs no words

    def _check(self, examples: Examples) -> None:
        check_ties(self.ties)
        check_weights(examples, self.weights)
        check_signs(self.cone, self.weights)
        least = exact.least_margins(examples, self.weights)
        for label, (margin, row) in least.items():
            if exact.is_wrong(margin, self.ties, label):
                raise CertificateError(f"row {row}: y (w . x) is not above zero; the weights are wrong on it")
        lower = lower_bound(self.weights, min(least.values())[0], self.affine)
        if self.lower != lower:
            raise CertificateError(f"the lower bound of the margin is {lower!r} with these weights, not {self.lower!r}")
        upper = upper_bound(examples, self.support, self.multipliers, self.affine, self.cone)
        if self.upper != upper:
            raise CertificateError(f"the upper bound of the margin is {upper!r} with this support, not {self.upper!r}")


@dataclass(frozen=True, kw_only=True, repr=False)
class Contradiction(Certificate):
    """Rows that no weights can all get right, because their signed sum with positive weights is zero.

    Under constraints, because it is zero but for columns in which it points against them: t . w <= 0 for every w that
    keeps them, t being the sum, so not all of its rows score above 0.
    """

    kind: ClassVar[str] = "contradiction"
    may_be_constrained: ClassVar[bool] = True

    ties: str
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    exact: bool  # the sum is zero with these weights; if not, it is with some positive weights near them
    point: tuple[float, ...]  # the mean of the first row's class; with a threshold, of the other class as well

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        how = "" if self.exact else " (for some weights very near those given)"
        why = f"these {len(self.rows)} contradict each other, because their signed weighted sum {self._is_zero}{how}"
        zeros = f"has nothing but zeros{', or points against the constraints' if self.cone else ''}"
        why = f"one of them {zeros}" if len(self.rows) == 1 else why
        return self._verdict(f"no weights are right on all {self.n} rows: {why}.")

    @property
    def _is_zero(self) -> str:
        return "is zero, or points against the constraints" if self.cone else "is zero"

    @property
    def verdict(self) -> str:
        """The verdict, in a few words."""
        return self._verdict("no linear rule is right on every row")

    def against(self, examples: Examples) -> frozenset[int]:
        """The features in which the sum of the rows points against the constraints."""
        total, _ = exact.mixture(examples, self.rows, self.weights)
        return frozenset(total).difference(self.cone.within(total))

    def _verdict(self, claim: str) -> str:
        # with a threshold, the rows are of both classes, and a tie is wrong on one of them: that needs no words
        return self._sentence(claim, None if self.bias else self.ties)

    def _check(self, examples: Examples) -> None:
        check_ties(self.ties)
        check_positive("row", examples, self.rows, self.weights)
        if not any(exact.tie_is_wrong(self.ties, int(examples.labels[row])) for row in self.rows):
            raise CertificateError(f"ties are {self.ties!r}: rows that may all score zero do not contradict each other")
        if self.exact:
            rest, _ = exact.mixture(examples, self.rows, self.weights)
            if rest := self.cone.within(rest):
                also = " and does not point against the constraints" if self.cone else ""
                raise CertificateError(f"the weighted sum of the rows is not zero{also}: not in column {min(rest)}")
        elif not near_a_contradiction(exact.signed_rows(examples, self.rows)[0], self.weights, self.cone):
            raise CertificateError("no positive weights near the given ones can be proved to make the sum zero")
        if len(self.point) != self.features:  # before one of that length is made
            raise CertificateError(f"the common point must have {self.features} numbers, not {len(self.point)}")
        if self.point != (point := common_point(examples, self.rows, self.weights)):
            place = next((k for k, (a, b) in enumerate(zip(self.point, point, strict=False)) if a != b), len(point))
            raise CertificateError(f"the common point is not the mixture of the rows: not in column {place}")


@dataclass(frozen=True, kw_only=True, repr=False)
class NoMargin(Certificate):
    """A refutation that a run of PLA provides: no unit vector has a margin of g or more."""

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
        check_positive("row", examples, self.rows, self.counts)
        if (
            Fraction(self.margin) <= 0
            or square_upper_bound(examples, self.rows, self.counts) >= Fraction(self.margin) ** 2
        ):
            raise CertificateError(f"the counts do not refute a margin of {self.margin!r}")


@dataclass(frozen=True, kw_only=True, repr=False)
class ErrorInterval(Certificate):
    """A rule, its number of mistakes, and disjoint contradictions: no rule makes fewer mistakes than contradictions."""

    kind: ClassVar[str] = "error interval"
    may_be_constrained: ClassVar[bool] = True

    ties: str
    weights: tuple[Number, ...]
    lower: int
    upper: int
    swept: bool  # whether the lower end comes from a sweep over all lines and needs no contradictions
    contradictions: tuple[Contradiction, ...]

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        best = f", and no rule makes fewer than {self.lower}" if self.lower else ""
        best = ", which is the fewest possible" if self.lower == self.upper else best
        mistakes = "1 mistake" if self.upper == 1 else f"{self.upper} mistakes"
        return self._sentence(f"the rule makes {mistakes} on {self.n} rows{best}.", self.ties)

    def _check(self, examples: Examples) -> None:
        check_ties(self.ties)
        check_weights(examples, self.weights)
        check_signs(self.cone, self.weights)
        wrong = exact.mistakes(examples, self.weights, self.ties).size
        if wrong != self.upper:
            raise CertificateError(f"the rule makes {wrong} mistakes, not {self.upper}")
        if self.swept:
            self._check_sweep(examples)
            return
        _check_contradictions(examples, self.ties, self.cone, self.contradictions)
        if not hitting.is_needed([contradiction.rows for contradiction in self.contradictions], self.lower):
            many = len(self.contradictions)
            raise CertificateError(f"{many} contradictions do not prove that any rule makes {self.lower} mistakes")

    def _check_sweep(self, examples: Examples) -> None:
        _check_sweep(examples, self.ties, self.cone, self.contradictions)
        if self.lower != (least := sweep.fewest(examples)[0]):
            raise CertificateError(f"the fewest mistakes of all lines are {least}, not {self.lower}")


@dataclass(frozen=True, kw_only=True, repr=False)
class CostInterval(Certificate):
    """A rule, the cost of its mistakes, and contradictions that prove a lower bound on the cost of any rule's mistakes.

    Costs are whole multiples of `unit`, one per class or one per row. Every rule errs on a row of each contradiction,
    so its mistakes cost at least as much as the cheapest set of rows that hits every contradiction.
    """

    kind: ClassVar[str] = "cost interval"
    may_be_constrained: ClassVar[bool] = True

    ties: str
    weights: tuple[Number, ...]
    unit: float
    class_costs: tuple[int, ...]  # of a mistake on a no, and on a yes; empty where every row has its own
    row_costs: tuple[int, ...]
    lower: int  # in units
    upper: int
    swept: bool  # as in an error interval
    contradictions: tuple[Contradiction, ...]

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        upper, lower = self._worth(self.upper, ROUND_CEILING), self._worth(self.lower, ROUND_FLOOR)
        best = f", and no rule's mistakes cost less than {lower}" if self.lower else ""
        best = ", which is the least possible" if self.lower == self.upper else best
        each = "every row has a cost of its own"
        if self.class_costs:
            no, yes = (self._worth(cost, ROUND_CEILING) for cost in self.class_costs)
            each = f"a mistake on a no costs {no}, on a yes {yes}"
        return self._sentence(f"the rule's mistakes cost {upper} on {self.n} rows{best}; {each}.", self.ties)

    def _worth(self, units: int, rounding: str) -> str:
        """A number of units as a float, rounded to the side where the claim still holds."""
        worth = Fraction(self.unit) * units
        if worth.denominator == 1:
            return str(worth.numerator)
        rounded = Context(PLACES, rounding).divide(Decimal(worth.numerator), Decimal(worth.denominator))
        return str(rounded.normalize())

    def costs(self, examples: Examples) -> Array:
        """The cost of a mistake on each row, in units."""
        of_rows = len(self.row_costs) == examples.n and not self.class_costs
        if not of_rows and (self.row_costs or len(self.class_costs) != 2):
            raise CertificateError(f"there must be two costs, of a no and of a yes, or {examples.n}, one for each row")
        each = self.row_costs if of_rows else self.class_costs
        if min(each) < 0 or max(each) >= sweep.MOST_COST or not 0 < self.unit < inf:
            raise CertificateError("costs must be whole numbers of at least 0, and their unit a number above 0")
        costs = np.array(each, dtype=np.int64)
        costs = costs if of_rows else np.where(examples.labels > 0, costs[1], costs[0])
        if not sum(costs.tolist()) < sweep.MOST_COST:
            raise CertificateError("the costs are too large to add up")
        return costs

    def _check(self, examples: Examples) -> None:
        check_ties(self.ties)
        check_weights(examples, self.weights)
        check_signs(self.cone, self.weights)
        costs = self.costs(examples)
        upper = int(costs[exact.mistakes(examples, self.weights, self.ties)].sum())
        if upper != self.upper:
            raise CertificateError(f"the rule's mistakes cost {upper} units, not {self.upper}")
        if self.swept:
            _check_sweep(examples, self.ties, self.cone, self.contradictions)
            if self.lower != (least := sweep.fewest(examples, costs)[0]):
                raise CertificateError(f"the least that any line's mistakes cost is {least} units, not {self.lower}")
            return
        _check_contradictions(examples, self.ties, self.cone, self.contradictions)
        sets = [contradiction.rows for contradiction in self.contradictions]
        if not hitting.is_needed(sets, self.lower, dict(enumerate(costs.tolist()))):
            many = len(sets)
            raise CertificateError(f"{many} contradictions do not prove that mistakes cost {self.lower} units or more")


def _check_contradictions(examples: Examples, ties: str, cone: Cone, contradictions: tuple[Contradiction, ...]) -> None:
    for contradiction in contradictions:
        if contradiction.ties != ties:
            raise CertificateError(f"a contradiction is about ties {contradiction.ties!r}, not {ties!r}")
        if contradiction.cone != cone:
            raise CertificateError("a contradiction is about other constraints")
        contradiction.verify_examples(examples)


def _check_sweep(examples: Examples, ties: str, cone: Cone, contradictions: tuple[Contradiction, ...]) -> None:
    if not sweep.is_about(ties, examples) or contradictions or cone:
        raise CertificateError(
            "a sweep needs few rows of one or two features, no constraints, and ties 'mistake' or a threshold"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class RunRecord(Certificate):
    """A run of PLA: its start, its corrections and its end; and the bound that a reference vector u gives.

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
        check_ties(self.ties)
        check_weights(examples, self.start, "start")
        check_weights(examples, self.weights)
        check_rows("correction", examples, self.corrections)
        self._check_replay(examples)
        counts = Counter(self.corrections)
        vectors, exponent = exact.signed_rows(examples, counts)
        squares = sum(many * exact.square(vector) for vector, many in zip(vectors, counts.values(), strict=True))
        first, last = (Fraction(sum(Fraction(k) ** 2 for k in w)) for w in (self.start, self.weights))
        slack = 1 + Fraction(len(self.corrections), 2**50)  # each correction rounds every weight once
        if last > (first + Fraction(squares, 1 << 2 * exponent)) * slack:
            raise CertificateError("the weights are longer than corrections of mistakes could make them")
        if self.reference:
            check_weights(examples, self.reference, "reference")
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
        """Check that every correction is of a row that is wrong at that moment, and that they lead to the weights."""
        w = np.array(self.start)
        rows = {row: exact.signed_row(examples, row) for row in set(self.corrections)}
        for t, row in enumerate(self.corrections):
            columns, z = rows[row]
            with np.errstate(over="ignore", invalid="ignore"):
                score, size = float(z @ w[columns]), float(abs(z) @ abs(w[columns]))
            if not abs(score) > (examples.size + 6) * (UNIT * size + TINY):
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
