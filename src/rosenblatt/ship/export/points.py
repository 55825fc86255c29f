"""A linear rule as points for the values in the columns: the form that every export is written from.

The score of a row is the intercept plus, for every feature, its weight times the feature. With features and weights
that are short (`PointRule.exact`), no engine rounds anything, in any order of summation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import frexp, ldexp
from typing import Self

import numpy as np
import polars as pl

from rosenblatt.errors import OptionError
from rosenblatt.judge.decision import Decision
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    EncodedColumn,
    Feature,
    NumberColumn,
    SparseColumn,
    TextColumn,
    add_up,
)
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.read.encode.lookup import Unseen
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.rule import Rule
from rosenblatt.rules.schemes import ONE_VS_ONE
from rosenblatt.ship.export.decided import BY_ITSELF

PRECISION = 53  # bits of a double
SINGLE = "single"  # scores of all columns except texts
LARGEST = 2.0**1000  # scores, so that sums do not overflow


@dataclass(frozen=True)
class PointRule:
    """A linear rule as a sum of points: the weights of all features for each score. Two classes have one score."""

    encoding: Encoding
    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    zero_is_yes: bool  # what a score of exactly zero means with two classes; with more, the first of equal scores wins
    rounded: bool = False  # whether an intercept is not exactly the threshold's weight times the constant feature
    decision: Decision = BY_ITSELF  # what exports make of the scores

    @classmethod
    def of(cls, encoding: Encoding, rule: Rule) -> Self:
        """The points of a linear rule; refuses any other rule."""
        if rule.tree is not None:
            raise OptionError("the rule is a tree, which has tests instead of points; explain shows them")
        if (form := rule.linear) is None:
            raise OptionError(
                f"{rule.name} is not a sum of points, so it has no scorecard; averaged and pocket rules have one"
            )
        if form.scheme == ONE_VS_ONE:
            raise OptionError(
                "one-vs-one rules vote, so they are not a sum of points: use multi_class 'joint' or 'one-vs-rest'"
            )
        if form.unit_rows:
            raise OptionError("a rule that scales rows to length 1 is not a sum of points: learn without normalize")
        if len(encoding.features) != form.coefficients.shape[1]:
            raise OptionError(f"the encoding has {encoding.size} features, the rule {form.coefficients.shape[1]}")
        weights = tuple(tuple(map(float, w)) for w in form.coefficients)
        intercepts, bias = tuple(map(float, form.intercepts)), Fraction(form.bias)
        thresholds = zip(intercepts, form.weights[:, -1].tolist(), strict=True)
        rounded = any(Fraction(b) != Fraction(w) * bias for b, w in thresholds)
        made = cls(encoding, weights, intercepts, bool(form.zero_is_yes), rounded)
        if not made.reach <= LARGEST:
            raise OptionError("the weights are so large that scores overflow, so the rule is not a sum of points")
        return made

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels, in order; with two, the second is the yes."""
        return self.encoding.target.classes

    @property
    def reach(self) -> float:
        """An upper bound on the absolute value of all scores."""
        reach = np.array([feature.reach for feature in self.encoding.features])
        with np.errstate(all="ignore"):
            sums = np.abs(np.array(self.weights)) @ reach + np.abs(self.intercepts)
        return float(sums.max())

    @property
    def exact(self) -> bool:
        """Whether the score is the rule's own, and no sum of points can round in double precision, in any order."""
        if self.rounded:
            return False
        each = zip(self.weights, self.intercepts, strict=True)
        return all(spare_bits(w, b, self.encoding.features) >= 0 for w, b in each)

    def columns(self, rule: int = 0) -> Iterator[tuple[EncodedColumn, tuple[float, ...]]]:
        """Every column in use, with the weights of its features, in order."""
        start = 0
        for column in self.encoding.used:
            yield column, self.weights[rule][start : start + column.size]
            start += column.size

    def terms(self) -> Iterator[tuple[EncodedColumn, tuple[tuple[float, ...], ...]]]:
        """Every column with points in any score, with the weights of its features in each score.

        Numbered features come one by one, as numbers in columns named "1", "2", ...
        """
        for each in zip(*(self.columns(rule) for rule in range(len(self.weights))), strict=True):
            column, weights = each[0][0], tuple(w for _, w in each)
            if isinstance(column, SparseColumn):
                ends = (column.step, -column.highest, column.highest)
                for number, *w in zip(column.all_numbers, *weights, strict=True):
                    if any(w):
                        yield NumberColumn(str(number), 0.0, 1.0, *ends, False), tuple((one,) for one in w)
            elif any(map(any, weights)):
                yield column, weights

    def scores(self, names: Sequence[str], unseen: Unseen | None = None) -> pl.Expr:
        """The scores of a table's rows by every rule, for Polars: a struct of fields with these names.

        Each cell is read once for all rules. Values that the rule does not know are counted in `unseen`.
        """
        terms = list(self.terms())
        single = [(column, weights) for column, weights in terms if isinstance(column, NumberColumn | CategoryColumn)]
        first, kind = pl.col(self.encoding.used[0].name), pl.Struct(dict.fromkeys(names, pl.Float64))

        def scored(cells: pl.Series) -> pl.Series:
            frame, out = cells.struct.unnest(), np.repeat(np.array([self.intercepts]).T, len(cells), axis=1)
            for rule, sums in enumerate(out):
                noted = unseen if rule == 0 else None
                parts = [(column, weights[rule], sums) for column, weights in single]
                add_up(frame, [part for part in parts if noted is not None or any(part[1])], noted)
            return pl.DataFrame(dict(zip(names, out, strict=True))).to_struct(cells.name)

        cells = pl.struct([column.cells for column, _ in single] or [first])
        found = cells.map_batches(scored, return_dtype=kind, is_elementwise=True)
        texts = [(column, weights) for column, weights in terms if isinstance(column, TextColumn)]
        if not texts:
            return found

        def with_words(cells: pl.Series) -> pl.Series:
            frame = cells.struct.unnest()
            sums = frame[SINGLE].struct.unnest()
            for rule, name in enumerate(names):
                for k in range(len(texts)):
                    sums = sums.with_columns(sums[name] + frame[f"{rule} {k}"])
            return sums.to_struct(cells.name)

        words = [
            of_words(column, w).alias(f"{rule} {k}")
            for k, (column, weights) in enumerate(texts)
            for rule, w in enumerate(weights)
        ]
        return pl.struct(found.alias(SINGLE), *words).map_batches(with_words, return_dtype=kind, is_elementwise=True)

    def label(self, scores: Sequence[pl.Expr]) -> pl.Expr:
        """The label of a table's rows, for Polars, from the rules' scores."""
        if len(self.weights) == 1:
            yes = scores[0] >= 0 if self.zero_is_yes else scores[0] > 0
            return pl.when(yes).then(pl.lit(self.classes[1])).otherwise(pl.lit(self.classes[0]))
        labels = pl.Series(self.classes)
        return pl.concat_list(scores).list.arg_max().replace_strict(range(len(labels)), labels, return_dtype=pl.String)


def spare_bits(weights: Sequence[float], intercept: float, features: Sequence[Feature]) -> int:
    """The number of bits by which all sums of weights times features are shorter than a double; negative if longer.

    Weights are first divided by the scale of their feature, and that must not round either.
    """
    reach = abs(intercept)
    unit = grain_of(intercept)
    for w, feature in zip(weights, features, strict=True):
        if w:
            reach += abs(w) * feature.reach
            unit = min(unit, grain_of(w) * feature.grain)
            if not (grain_of(w) / feature.scale > 0.0 and abs(w) / feature.scale < np.inf):
                return -PRECISION
    if reach == 0.0:
        return PRECISION
    if not 0.0 < unit < np.inf or reach > LARGEST:
        return -PRECISION
    return PRECISION - 1 - frexp(reach / unit)[1] if reach / unit < np.inf else -PRECISION


def grain_of(value: float) -> float:
    """The largest power of two that divides a number; infinite for 0."""
    if value == 0.0:
        return np.inf
    mantissa, exponent = frexp(value)
    whole = int(ldexp(mantissa, PRECISION))
    return ldexp(float(whole & -whole), exponent - PRECISION)


def short(weights: Array, intercept: float, features: Sequence[Feature]) -> tuple[Array, float]:
    """The rule, rounded just enough to make its sums exact in double precision."""
    reach = np.array([feature.reach for feature in features])
    grain = np.array([feature.grain for feature in features])
    if spare_bits(weights.tolist(), intercept, features) >= 0:
        return weights, intercept
    total = float(np.abs(weights) @ reach) + abs(intercept)
    unit = ldexp(1.0, frexp(total)[1] - PRECISION + 2)  # of the sum; one bit for what rounding adds, and one to spare
    of_each = unit / grain
    if unit == 0.0 or not of_each.all():  # the weights are too small to be rounded
        return weights, intercept
    return np.round(weights / of_each) * of_each, round(intercept / unit) * unit


def of_words(column: TextColumn, w: tuple[float, ...]) -> pl.Expr:
    """The points of the words that occur."""
    each = pl.element().replace_strict(range(len(w)), list(w), default=0.0, return_dtype=pl.Float64)
    return column.places.list.eval(each).list.sum().fill_null(0.0)
