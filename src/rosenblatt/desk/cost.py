"""What mistakes cost, and whether a rule costs clearly less than predicting one class for every row.

A mistake costs the row's weight times the factor of its class. Both are 1 by default; costs then count mistakes.
"""

from dataclasses import dataclass
from math import fsum, sqrt
from typing import Any

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.rows.examples import class_factors
from rosenblatt.rows.kernels import Array

CLEARLY = 2.0  # standard errors of the difference


@dataclass(frozen=True)
class Costs:
    """The cost factor of each class in learning, and the column of row weights, if any."""

    of_class: tuple[float, ...]
    weight_column: str | None

    @classmethod
    def of(cls, rule: Any, trained: Data) -> "Costs":
        """The costs that follow from a rule's `class_weight` and its training rows."""
        counts = np.bincount(trained.y, trained.weights, len(trained.classes))
        factors = class_factors(rule.class_weight, np.arange(counts.size), counts)
        return cls(tuple(factors.tolist()), trained.weight_column)

    @property
    def are_counts(self) -> bool:
        """Whether every mistake costs 1."""
        return self.weight_column is None and all(factor == 1.0 for factor in self.of_class)

    def of_rows(self, data: Data) -> Array:
        """The cost of a mistake on each row."""
        factors = np.array(self.of_class)[data.y]
        return factors if data.weights is None else factors * data.weights

    def cheapest_class(self, data: Data) -> int:
        """The class that costs least if it is predicted for every row."""
        return int(np.argmax(np.bincount(data.y, self.of_rows(data), len(data.classes))))

    def in_words(self, classes: tuple[str, ...]) -> str:
        """The costs in words."""
        each = ", ".join(f"{factor:.4g} for {label}" for label, factor in zip(classes, self.of_class, strict=True))
        if self.weight_column is None:
            return f"a mistake costs {each}"
        weight = f"a mistake costs the row's {self.weight_column}"
        return weight if len({*self.of_class}) == 1 else f"{weight}, times {each}"


@dataclass(frozen=True)
class Baseline:
    """A rule compared with always predicting one class, on rows not used in learning."""

    label: str  # predicted for every row
    cost: float  # of that prediction
    rule_cost: float
    squares: float  # the sum of the squared differences, row by row

    @classmethod
    def of(cls, costs: Costs, trained: Data, tested: Data, predicted: Array) -> "Baseline":
        """Compare a rule's predictions with the class that costs least on the training rows."""
        code, each = costs.cheapest_class(trained), costs.of_rows(tested)
        constant, rule = each * (tested.y != code), each * (tested.y != predicted)
        return cls(trained.classes[code], fsum(constant), fsum(rule), fsum((constant - rule) ** 2))

    def __add__(self, other: "Baseline") -> "Baseline":
        return Baseline(
            self.label, self.cost + other.cost, self.rule_cost + other.rule_cost, self.squares + other.squares
        )

    @property
    def clearly_better(self) -> bool:
        """Whether the rule costs less by more than chance makes plausible: two standard errors of the difference."""
        return self.cost - self.rule_cost > CLEARLY * sqrt(self.squares)

    def statement(self, counts: bool) -> str:
        """The comparison in one sentence; `counts` says whether costs are counts of mistakes."""
        what = f"is wrong on {self.cost:,.0f} of these rows" if counts else f"costs {self.cost:,.6g}"
        rule = "" if counts else f" (the rule costs {self.rule_cost:,.6g})"
        if self.clearly_better:
            return f"The rule is clearly better than always predicting {self.label}, which {what}{rule}."
        if self.rule_cost >= self.cost:
            how = "no better" if self.rule_cost == self.cost else "worse"
            return f"The rule is {how} than always predicting {self.label}, which {what}{rule}."
        return (
            f"The rule is not clearly better than always predicting {self.label}, which {what}{rule}: "
            "the difference may be chance."
        )

    @property
    def record(self) -> dict[str, Any]:
        """The comparison as plain numbers and texts."""
        return {
            "label": self.label,
            "cost": self.cost,
            "rule_cost": self.rule_cost,
            "squares": self.squares,
            "clearly_better": self.clearly_better,
        }
