"""Certificates for rules of several classes, which choose the class with the largest score; part of the checker.

The question is about the rule that is learned: is there a table W of weights whose largest score W_k . x is always that
of the right class? With the classes numbered in order, a pair is a row x of class y and a rival r, and its signed row
is e_y (x) x - e_r (x) x (`kesler`). For these, the claims are those of two classes:
    JointSeparation     (W_y - W_r) . x > 0 for every pair; and for the largest margin g of any W of length 1,
                        min (W_y - W_r) . x / ||W|| <= g <= ||sum a_p z_p|| / sum a_p over some pairs p.
    JointContradiction  sum a_p z_p = 0 for whole numbers a_p > 0: no W is right on all rows of these pairs.
    JointNoMargin       ||sum a_p z_p|| < g sum a_p: no W of length 1 has margin g or more.
    JointErrorInterval  a rule and its number of mistakes, and contradictions: every rule errs on a row of each.

Rules are judged as they predict: the first of equal scores is chosen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate_json import PREDICTED, STRICT, Certificate, shape_of, shown
from rosenblatt.prove.check.checks import check_ties, lower_bound
from rosenblatt.prove.check.exact import Number, Vector
from rosenblatt.prove.check.hitting import is_needed
from rosenblatt.prove.check.scores import Leads, Scores
from rosenblatt.rows.examples import Examples, narrowed
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import some_rows


class _OfClasses:
    """What the certificates of several classes share."""

    classes: int

    def _examples(self, X: Any, y: Any, bias: float) -> Examples:
        return JointExamples.of(X, y, fit_intercept=bias != 0.0, bias_scale=bias or 1.0)

    def _check_classes(self, examples: Examples) -> JointExamples:
        if not isinstance(examples, JointExamples) or len(examples.classes) != self.classes:
            many = len(examples.classes)
            raise CertificateError(f"the certificate is about {self.classes} classes; the data has {many}")
        return examples


@dataclass(frozen=True, kw_only=True, repr=False)
class JointSeparation(_OfClasses, Certificate):
    """Weights whose largest score is that of the right class on every row, and bounds on the largest margin."""

    kind: ClassVar[str] = "joint separation"

    classes: int
    ties: str
    weights: tuple[Number, ...]  # class by class: one per feature, then the threshold's
    support: tuple[int, ...]  # rows
    rivals: tuple[int, ...]  # against which classes
    multipliers: tuple[int, ...]
    lower: float  # of the largest margin; rounded down
    upper: float  # rounded up
    affine: ClassVar[bool] = False

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        return self._with_ties(
            f"there are linear scores of {self.classes} classes whose largest is that of the right class on all "
            f"{self.n} rows; the largest margin of any weights of length 1 is between {self.lower!r} and "
            f"{self.upper!r}."
        )

    @property
    def verdict(self) -> str:
        """The verdict, in a few words."""
        return self._with_ties(f"linear scores of {self.classes} classes choose the right one on every row")

    def _with_ties(self, claim: str) -> str:
        return self._sentence(claim if self.ties == STRICT else f"{ties_in_words(self.ties)}, {claim}")

    def _check(self, examples: Examples) -> None:
        joint = self._check_classes(examples)
        check_ties(self.ties)
        check_weights(joint, self.weights)
        least = least_leads(joint, self.weights)
        for own, rival, lead, row in least:
            if exact.is_wrong(lead, self.ties, 1 if own > rival else -1):
                raise CertificateError(
                    f"row {row}: its class scores no more than class {rival}; the rule is wrong on it"
                )
        lower = lower_bound(self.weights, min(lead for _, _, lead, _ in least))
        if self.lower != lower:
            raise CertificateError(f"the lower bound of the margin is {lower!r} with these weights, not {self.lower!r}")
        upper = upper_bound(joint, self.support, self.rivals, self.multipliers)
        if self.upper != upper:
            raise CertificateError(f"the upper bound of the margin is {upper!r} with this support, not {self.upper!r}")


@dataclass(frozen=True, kw_only=True, repr=False)
class JointContradiction(_OfClasses, Certificate):
    """Pairs of rows and rivals that no weights can all get right: the weighted sum of their signed rows is zero."""

    kind: ClassVar[str] = "joint contradiction"

    classes: int
    ties: str
    rows: tuple[int, ...]
    rivals: tuple[int, ...]
    weights: tuple[int, ...]
    exact: bool  # the sum is zero with these weights; if not, it is with some positive weights near them

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        how = "" if self.exact else " (for some weights very near those given)"
        many = len(set(self.rows))
        these = f"these {many} contradict each other, because the weighted sum of what they ask"
        these = "one of them contradicts itself, because the weighted sum of what it asks" if many == 1 else these
        return self._with_ties(
            f"no linear scores of {self.classes} classes are right on all {self.n} rows: {these} of the scores is "
            f"zero{how}."
        )

    @property
    def verdict(self) -> str:
        """The verdict, in a few words."""
        return self._with_ties(f"no linear scores of {self.classes} classes choose the right one on every row")

    def _with_ties(self, claim: str) -> str:
        # with a threshold, some row's rival comes before its class, and a tie is wrong on it: that needs no words
        return self._sentence(claim if self.bias or self.ties == STRICT else f"{ties_in_words(self.ties)}, {claim}")

    def _check(self, examples: Examples) -> None:
        joint = self._check_classes(examples)
        check_ties(self.ties)
        check_pairs(joint, self.rows, self.rivals, self.weights)
        own = joint.labels[list(self.rows)].tolist()
        if not any(
            exact.tie_is_wrong(self.ties, 1 if y > rival else -1) for y, rival in zip(own, self.rivals, strict=True)
        ):
            raise CertificateError(f"ties are {self.ties!r}: rows that may all tie do not contradict each other")
        if self.exact:
            for number, (rest, _) in enumerate(mixture(joint, self.rows, self.rivals, self.weights)):
                if rest:
                    raise CertificateError(
                        f"the weighted sum of the rows is not zero: not in column {min(rest)} of class {number}"
                    )
        elif not exact.is_near_a_positive_null_vector(signed_vectors(joint, self.rows, self.rivals), self.weights):
            raise CertificateError("no positive weights near the given ones can be proved to make the sum zero")


@dataclass(frozen=True, kw_only=True, repr=False)
class JointNoMargin(_OfClasses, Certificate):
    """A refutation that a run of the perceptron provides: no weights of length 1 have a margin of g or more."""

    kind: ClassVar[str] = "joint no margin"
    refutes_a_margin: ClassVar[bool] = True

    classes: int
    margin: float
    rows: tuple[int, ...]
    rivals: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        return self._sentence(
            f"no linear scores of {self.classes} classes, of weights of length 1, are right on all {self.n} rows with "
            f"a margin of {self.margin!r} or more."
        )

    def _check(self, examples: Examples) -> None:
        joint = self._check_classes(examples)
        check_pairs(joint, self.rows, self.rivals, self.counts)
        margin = Fraction(self.margin)
        if margin <= 0 or square_upper_bound(joint, self.rows, self.rivals, self.counts) >= margin**2:
            raise CertificateError(f"the counts do not refute a margin of {self.margin!r}")


@dataclass(frozen=True, kw_only=True, repr=False)
class JointErrorInterval(_OfClasses, Certificate):
    """A rule, its number of mistakes, and contradictions: no rule makes fewer mistakes than these require."""

    kind: ClassVar[str] = "joint error interval"

    classes: int
    weights: tuple[Number, ...]  # class by class: one per feature, then the threshold's
    lower: int
    upper: int
    contradictions: tuple[JointContradiction, ...]

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        best = f", and no rule makes fewer than {self.lower}" if self.lower else ""
        best = ", which is the fewest possible" if self.lower == self.upper else best
        mistakes = "1 mistake" if self.upper == 1 else f"{self.upper} mistakes"
        return self._sentence(f"the rule of {self.classes} classes makes {mistakes} on {self.n} rows{best}.")

    def _check(self, examples: Examples) -> None:
        joint = self._check_classes(examples)
        check_weights(joint, self.weights)
        wrong = mistakes(joint, self.weights).size
        if wrong != self.upper:
            raise CertificateError(f"the rule makes {wrong} mistakes, not {self.upper}")
        for contradiction in self.contradictions:
            if contradiction.ties != PREDICTED:
                raise CertificateError(f"a contradiction is about ties {contradiction.ties!r}, not {PREDICTED!r}")
            contradiction.verify_examples(joint)
        if not is_needed([sorted(set(each.rows)) for each in self.contradictions], self.lower):
            many = len(self.contradictions)
            raise CertificateError(f"{many} contradictions do not prove that any rule makes {self.lower} mistakes")


# -- arithmetic ------------------------------------------------------------------------------------------------


def ties_in_words(ties: str) -> str:
    """How equal scores are counted."""
    known = {PREDICTED: "right for the first of the classes", "plus": "right for the last of the classes"}
    return f"counting equal scores as {known.get(ties, 'right')}"


class _ExactLeads:
    """How much higher each row scores for its class than for others: in floats, and exactly on request."""

    def __init__(self, examples: JointExamples, weights: Sequence[Number]) -> None:
        self.plain, occurs = narrowed(examples.plain)  # without the columns that no row has an entry in
        self.labels, many, width = examples.labels, len(examples.classes), examples.width
        self.weights = [[weights[k * width + column] for column in occurs.tolist()] for k in range(many)]
        wholes, _ = exact.whole_numbers(w for each in self.weights for w in each)
        bits = exact.longest_of(wholes)
        self.scores = [Scores(self.plain, wholes[k * occurs.size : (k + 1) * occurs.size], bits) for k in range(many)]

    def pairs(self) -> Iterator[tuple[int, int, Leads]]:
        """Every class that has rows, every rival, and the leads of those rows, in floats."""
        for own in range(len(self.scores)):
            rows = np.flatnonzero(self.labels == own)
            for rival in range(len(self.scores)):
                if rows.size and own != rival:
                    yield own, rival, Leads(self.scores[own], self.scores[rival], rows)

    def exactly(self, own: int, rival: int, rows: Array) -> tuple[list[int], int]:
        """The leads of some rows times 2^e, as whole numbers, and that e."""
        if self.weights[own] == self.weights[rival]:
            return [0] * rows.size, 0
        part, left = narrowed(Examples(some_rows(self.plain.rows, rows), np.ones(rows.size, np.int8)))
        every, columns = range(rows.size), left.tolist()
        ours, e = exact.dots(part, every, [self.weights[own][k] for k in columns])
        theirs, f = exact.dots(part, every, [self.weights[rival][k] for k in columns])
        leads = [(a << max(f - e, 0)) - (b << max(e - f, 0)) for a, b in zip(ours, theirs, strict=True)]
        return leads, max(e, f)


def least_leads(examples: JointExamples, weights: Sequence[Number]) -> list[tuple[int, int, Fraction, int]]:
    """For every class that has rows and every rival: the smallest lead of a row, exactly, and the first such row."""
    leads, found = _ExactLeads(examples, weights), []
    for own, rival, near in leads.pairs():
        rows = near.rows[near.lowest()]
        wholes, exponent = leads.exactly(own, rival, rows)
        lead, row = min(zip(wholes, rows.tolist(), strict=True))
        found.append((own, rival, Fraction(lead, 1 << exponent), row))
    return found


def mistakes(examples: JointExamples, weights: Sequence[Number]) -> Array:
    """The rows that are predicted wrong, exactly; the first of equal scores is chosen."""
    leads, wrong = _ExactLeads(examples, weights), np.zeros(examples.n, bool)
    for own, rival, near in leads.pairs():
        behind, unclear = near.values < 0, near.unclear()
        if unclear.size:
            wholes, _ = leads.exactly(own, rival, near.rows[unclear])
            behind[unclear] = [lead < 0 or (lead == 0 and own > rival) for lead in wholes]
        wrong[near.rows[behind]] = True
    return np.flatnonzero(wrong)


def upper_bound(
    examples: JointExamples, rows: tuple[int, ...], rivals: tuple[int, ...], multipliers: tuple[int, ...]
) -> float:
    """The length of the mean of these signed rows, rounded up."""
    return exact.root_above(square_upper_bound(examples, rows, rivals, multipliers))


def square_upper_bound(
    examples: JointExamples, rows: tuple[int, ...], rivals: tuple[int, ...], multipliers: tuple[int, ...]
) -> Fraction:
    """The squared length of the mean of these signed rows, exactly."""
    check_pairs(examples, rows, rivals, multipliers)
    parts = mixture(examples, rows, rivals, multipliers)
    return sum((Fraction(exact.square(rest), 1 << 2 * e) for rest, e in parts), Fraction(0)) / sum(multipliers) ** 2


def mixture(
    examples: JointExamples, rows: Sequence[int], rivals: Sequence[int], weights: Sequence[int]
) -> list[tuple[Vector, int]]:
    """For every class, its part of the sum of these signed rows, each times its weight and 2^e; and that e."""
    plain, own, found = examples.plain, examples.labels[list(rows)].tolist(), []
    for number in range(len(examples.classes)):
        signs = [(y == number) - (rival == number) for y, rival in zip(own, rivals, strict=True)]
        used = [(row, sign * weight) for row, sign, weight in zip(rows, signs, weights, strict=True) if sign]
        found.append(
            exact.mixture(plain, [row for row, _ in used], [weight for _, weight in used]) if used else ({}, 0)
        )
    return found


def signed_vectors(examples: JointExamples, rows: Sequence[int], rivals: Sequence[int]) -> list[Vector]:
    """The signed rows of these pairs in whole numbers, times one power of two, without the weights of the first class.

    What all classes have in common cancels in every signed row, so a sum that is zero without a class is zero.
    """
    vectors, _ = exact.signed_rows(examples.plain, rows)
    own, found = examples.labels[list(rows)].tolist(), []
    for vector, y, rival in zip(vectors, own, rivals, strict=True):
        signed: Vector = {}
        for number, sign in ((y, 1), (rival, -1)):
            if number:
                signed |= {(number - 1) * examples.width + column: sign * k for column, k in vector.items()}
        found.append(signed)
    return found


def check_weights(examples: JointExamples, weights: Sequence[Number]) -> None:
    """Refuse weights that do not fit the classes."""
    if len(weights) != examples.size:
        raise CertificateError(f"weights must have {examples.size} entries, not {len(weights)}")
    if not all(isinstance(weight, int) or isfinite(weight) for weight in weights):
        raise CertificateError("weights must be finite")
    if not examples.rows.bias and any(weights[examples.width - 1 :: examples.width]):
        raise CertificateError("weights has a threshold, but the rule has none")


def check_pairs(examples: JointExamples, rows: Sequence[int], rivals: Sequence[int], weights: Sequence[int]) -> None:
    """Refuse pairs that do not exist, occur twice, or have a weight below 1."""
    if not rows or not len(rows) == len(rivals) == len(weights):
        raise CertificateError("there must be as many rows as rivals and weights, and at least one")
    seen = set()
    for row, rival, weight in zip(rows, rivals, weights, strict=True):
        if not 0 <= row < examples.n:
            raise CertificateError(f"row {row} does not exist: the data has {examples.n} rows")
        if not 0 <= rival < len(examples.classes) or rival == examples.labels[row]:
            raise CertificateError(f"row {row}: class {rival} is not a rival of it")
        if (row, rival) in seen:
            raise CertificateError(f"row {row} occurs twice against class {rival}")
        seen.add((row, rival))
        if weight < 1:
            raise CertificateError(f"row {row} has the weight {shown(weight)}; it must be at least 1")


def shape_of_classes(examples: JointExamples) -> dict[str, Any]:
    """The fields in which every certificate of several classes describes its data."""
    return shape_of(examples) | {"classes": len(examples.classes)}
