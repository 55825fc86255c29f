"""The soft margin's certificate: how far below a rule's objective that of any rule can be.

With z_i = y_i (x_i, bias) and C_i = C times the weight of row i, for any weights w and any numbers a_i >= 0,
    P(w) = ||w||^2 / 2 + sum C_i / 2 max(0, 1 - z_i . w)^2 >= sum a_i - ||sum a_i z_i||^2 / 2 - sum a_i^2 / (2 C_i).
Under constraints on signs, ||sum a_i z_i|| may be replaced by the length of the nearest vector to the sum in the cone
of weights that keep them: w . t is no larger than w times that vector, for each of these w.
The right side, with fixed numbers, bounds the objective of all weights from below. A certificate has the numbers, or
weights v that they follow from: a_i = C_i max(0, 1 - z_i . v). At the lowest point both sides are then the same; a
rule whose weights were rounded for use may be compared with it.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

import numpy as np

from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import exact, rounding
from rosenblatt.prove.check.certificate_json import Certificate
from rosenblatt.prove.check.checks import check_rows, check_signs, check_weights
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.examples import Examples

SPARE = 64  # bits of a quotient, at least
BITS = 53  # of the largest number that follows from the weights; the others have the same last place


@dataclass(frozen=True, kw_only=True, repr=False)
class SoftMargin(Certificate):
    """Weights, a bound on their soft-margin objective from above, and one on that of any weights from below."""

    kind: ClassVar[str] = "soft margin"
    may_be_constrained: ClassVar[bool] = True

    C: float  # of a row of weight 1
    weights: tuple[float, ...]  # one per feature, then the threshold's
    reference: tuple[float, ...]  # those from which the numbers of the lower bound follow; empty where these are given
    rows: tuple[int, ...]  # those that are given one
    multipliers: tuple[float, ...]  # these numbers
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """No rule's objective is lower than this one's by more; rounded up."""
        return rounding.rounded(max(Fraction(self.upper) - Fraction(self.lower), Fraction(0)), rounding.UP)

    @property
    def statement(self) -> str:
        """What is proved, in one sentence."""
        return self._sentence(
            f"the rule's soft-margin objective, with C = {self.C!r} on {self.n} rows, is at most {self.upper!r}, and "
            f"no rule has one that is lower by more than {self.gap!r}."
        )

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> str:
        """Check every claim against the data, exactly; `sample_weight` is what each row counted in learning.

        That includes the factor of its class, if classes had factors. Returns the proved sentence, or raises
        CertificateError.
        """
        self._refuse_odd_values()
        has_bias, scale = self.bias != 0.0, self.bias or 1.0
        examples = Examples.of(X, y, weights=sample_weight, fit_intercept=has_bias, bias_scale=scale)
        return self.verify_examples(examples)

    def _check(self, examples: Examples) -> None:
        check_weights(examples, self.weights)
        check_signs(self.cone, self.weights)
        if not 0.0 < self.C < inf:
            raise CertificateError(f"C is {self.C!r}; it must be a number above 0")
        objective = Objective.of(examples, self.C, self.weights)
        if objective.value > Fraction(self.upper):
            raise CertificateError(f"the weights' objective is above {self.upper!r}")
        numbers = self._multipliers(examples) if self.rows or self.multipliers else self._from_reference(objective)
        if max(objective.lower_bound(*numbers, self.cone), Fraction(0)) < Fraction(self.lower):  # zeros prove 0
            raise CertificateError(f"the multipliers do not prove that no objective is below {self.lower!r}")

    def _from_reference(self, objective: "Objective") -> tuple[list[int], list[int], int]:
        """The rows within the margin of the reference, and the numbers that follow."""
        if self.reference == self.weights:
            return objective.multipliers()
        check_weights(objective.examples, self.reference, "reference")
        return Objective.of(objective.examples, self.C, self.reference).multipliers()

    def _multipliers(self, examples: Examples) -> tuple[list[int], list[int], int]:
        """The rows, and their numbers as whole numbers divided by a power of two."""
        if self.reference:
            raise CertificateError("there are multipliers and a reference; one of them must be empty")
        check_rows("multiplier of row", examples, self.rows)
        if len(set(self.rows)) != len(self.rows) or len(self.rows) != len(self.multipliers):
            raise CertificateError("every row must occur once and have one multiplier")
        if not all(0.0 <= number < inf for number in self.multipliers):
            raise CertificateError("multipliers must be finite and at least 0")
        return list(self.rows), *exact.whole_numbers(self.multipliers)


@dataclass(frozen=True)
class Objective:
    """The soft-margin objective of some weights, exactly."""

    examples: Examples
    square: Fraction  # of the weights' length
    rows: list[int]  # those within the margin that count
    slacks: list[int]  # by how much, times 2^below
    below: int
    costs: list[int]  # of all rows, times 2^place
    place: int

    @classmethod
    def of(cls, examples: Examples, C: float, weights: tuple[float, ...]) -> "Objective":
        """Found from these weights."""
        costs, place = _costs(examples, C)
        counted = np.flatnonzero(examples.weights).tolist() if examples.weights.size else list(range(examples.n))
        margins, below = exact.dots(examples, counted, weights)
        one = 1 << below
        slack = [(row, one - margin) for row, margin in zip(counted, margins, strict=True) if margin < one]
        wholes, exponent = exact.whole_numbers(weights)
        square = Fraction(sum(k * k for k in wholes), 1 << 2 * exponent)
        return cls(examples, square, [row for row, _ in slack], [s for _, s in slack], below, costs, place)

    @property
    def value(self) -> Fraction:
        """Half of what the length of the weights and the squares of the slacks add up to."""
        losses = sum(self.costs[row] * s * s for row, s in zip(self.rows, self.slacks, strict=True))
        return (self.square + Fraction(losses, 1 << self.place + 2 * self.below)) / 2

    def multipliers(self) -> tuple[list[int], list[int], int]:
        """The rows within the margin, and C_i times their slacks, rounded, as whole numbers divided by 2^e."""
        numbers = [self.costs[row] * s for row, s in zip(self.rows, self.slacks, strict=True)]
        cut = max(max((k.bit_length() for k in numbers), default=0) - BITS, 0)
        half = (1 << cut) >> 1
        return self.rows, [k + half >> cut for k in numbers], self.place + self.below - cut

    def lower_bound(self, rows: list[int], numbers: list[int], exponent: int, cone: Cone = EVERYWHERE) -> Fraction:
        """What the numbers of these rows, divided by 2^e, prove of the objective of any weights."""
        if any(number and not self.costs[row] for row, number in zip(rows, numbers, strict=True)):
            raise CertificateError("a row that does not count has a multiplier")
        unit = Fraction(2) ** -exponent
        kept = [(row, number) for row, number in zip(rows, numbers, strict=True) if number]
        if not kept:
            return Fraction(0)
        total, e = exact.mixture(self.examples, [row for row, _ in kept], [number for _, number in kept])
        length = Fraction(exact.square(cone.within(total)), 1 << 2 * e)
        return unit * sum(number for _, number in kept) - unit * unit * (length + self._squares(kept)) / 2

    def _squares(self, kept: list[tuple[int, int]]) -> Fraction:
        """The sum of a_i^2 / C_i, each rounded up to a place so far down that it does not matter."""
        place = SPARE + max(self.costs).bit_length()
        total = sum(-(-(number * number << self.place + place) // self.costs[row]) for row, number in kept)
        return Fraction(total, 1 << place)


def _costs(examples: Examples, C: float) -> tuple[list[int], int]:
    """C times the weight of each row, as whole numbers divided by 2^place."""
    above, below = C.as_integer_ratio()
    weights, exponent = exact.whole_numbers(examples.weights.tolist() if examples.weights.size else [1.0])
    costs = [above * weight for weight in weights]
    return costs if examples.weights.size else costs * examples.n, exponent + below.bit_length() - 1
