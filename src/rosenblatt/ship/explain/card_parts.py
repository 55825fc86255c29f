"""The parts of a scorecard: the points of each value, word, step or unit of one column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from itertools import accumulate, pairwise
from math import floor, log10
from typing import TypeGuard

from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    EncodedColumn,
    HashedTextColumn,
    NumberColumn,
    SparseColumn,
    StepColumn,
    TextColumn,
    YesNoColumn,
)
from rosenblatt.ship.export.points import PointRule

SPREAD = 2  # scales on both sides of the centre; a number's swing is measured over this range
DAYS = (1, 7, 30, 365, 3650)
ROUND = (1, 2, 5, 10)
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class PointUnit:
    """How a number is counted: points for every `unit` above `base`."""

    unit: Fraction
    base: Fraction


@dataclass(frozen=True)
class Line:
    """A value and its points; `seen` says whether the value occurred in learning.

    For a step, also its share of the training rows and the share of the card's class in it, if known.
    """

    value: str
    points: Fraction
    seen: bool = True
    share: float | None = None
    rate: float | None = None

    def described(self, label: str) -> str:
        """The value, with what is known about its rows; `label` is the card's class."""
        if self.share is None:
            return self.value
        rate = "" if self.rate is None else f", {self.rate:.0%} {label}"
        return f"{self.value} ({self.share:.0%} of rows{rate})"


@dataclass(frozen=True)
class Part:
    """The lines of one column."""

    column: str
    kind: str
    lines: tuple[Line, ...]  # for a number: its points per unit, then those of a missing one
    span: tuple[Fraction, Fraction]  # the fewest and most points; for numbers, within 2 scales of the centre
    reference: Fraction  # subtracted from the weights' own points and added to the start
    measure: PointUnit | None = None
    range: tuple[float, float] | None = None  # numbers outside count as the nearest end
    reach: Fraction = Fraction(1)  # the most units that are counted

    @property
    def swing(self) -> Fraction:
        """The largest difference in points that the column can make."""
        return self.span[1] - self.span[0]

    def times(self, factor: Fraction) -> "Part":
        """A copy with all points multiplied by a factor."""
        lines = tuple(replace(line, points=line.points * factor) for line in self.lines)
        span = self.span[0] * factor, self.span[1] * factor
        return replace(self, lines=lines, span=span, reference=self.reference * factor)


def is_counted(column: EncodedColumn) -> TypeGuard[NumberColumn]:
    """Whether a column has points for every unit."""
    return isinstance(column, NumberColumn) and not isinstance(column, StepColumn)


def measures_of(points: PointRule, *, binary: bool = False) -> dict[str, PointUnit]:
    """How each number is counted."""
    numbers = filter(is_counted, points.encoding.used)
    return {column.name: measure_of(column, binary=binary) for column in numbers}


def measure_of(column: NumberColumn, *, binary: bool = False) -> PointUnit:
    """A round unit near the column's scale, and a round base near its centre; `binary`: rounded as computers do."""
    scale, centre = Fraction(column.scale), Fraction(column.centre)
    if binary:
        return PointUnit(scale, round(centre / scale) * scale)
    if isinstance(column, DateColumn):
        unit = Fraction(min(DAYS, key=lambda days: abs(log10(days) - log10(column.scale))))
        return PointUnit(unit, Fraction(round(centre)))
    if column.whole:
        unit = Fraction(10) ** max(floor(log10(2 * column.scale)), 0)
        fine = max(unit / 10, Fraction(1))
        return PointUnit(unit, round(centre / fine) * fine)
    ten = Fraction(10) ** floor(log10(column.scale))
    unit = min((ten * k for k in ROUND), key=lambda u: max(u / scale, scale / u))
    return PointUnit(unit, round(centre / unit * 10) * unit / 10)


def number_text(kind: str, value: float | Fraction) -> str:
    """A number of a column of this kind as text; a date is written as a date."""
    if kind == DateColumn.kind and -700_000 < value < 2_900_000:
        return (date(1970, 1, 1) + timedelta(days=round(value))).isoformat()
    size = abs(float(value))
    text = f"{size:,.0f}" if 1e4 <= size < 1e12 else f"{size:.4g}"
    return f"{MINUS}{text}" if value < 0 else text


def part_of(
    column: EncodedColumn,
    weights: Sequence[float],
    factor: Fraction,
    measures: Mapping[str, PointUnit],
    shares: Sequence[float] | None,
    *,
    centred: bool,
) -> Part | None:
    """The lines of a column with these weights; `shares` are the means of its features, if they are known."""
    if is_counted(column):
        return _number(column, weights, factor, measures[column.name])
    if isinstance(column, StepColumn):
        return _steps(column, [factor * Fraction(w) for w in weights], shares, centred=centred)
    if isinstance(column, CategoryColumn):
        return _category(column, [factor * Fraction(w) for w in weights], shares, centred=centred)
    if isinstance(column, TextColumn | SparseColumn):
        return _words(column, weights, factor)
    return None


def _number(column: NumberColumn, weights: Sequence[float], factor: Fraction, measure: PointUnit) -> Part:
    scale, centre = Fraction(column.scale), Fraction(column.centre)
    per_scale = factor * Fraction(weights[0])
    rate = per_scale * measure.unit / scale
    reference = per_scale * (measure.base - centre) / scale
    none = factor * Fraction(weights[1] if column.missing else 0.0) - reference
    lowest, highest = Fraction(column.lowest), Fraction(column.highest)
    ends = max(lowest, centre - SPREAD * scale), min(highest, centre + SPREAD * scale)
    met = [rate * (end - measure.base) / measure.unit for end in ends] + [none] * column.missing
    days = " days after " if isinstance(column, DateColumn) else " above "
    every = f"for every {float(measure.unit):.10g}{days}{_base(column, measure.base)}"
    lines = Line(every, rate), Line("missing", none, column.missing)
    reach = max(highest - measure.base, measure.base - lowest) / measure.unit
    span = min(met), max(met)
    return Part(column.name, column.kind, lines, span, reference, measure, (column.lowest, column.highest), reach)


def _base(column: NumberColumn, base: Fraction) -> str:
    """A round number with all its digits."""
    return (
        number_text(column.kind, base) if isinstance(column, DateColumn) else f"{float(base):.15g}".replace("-", MINUS)
    )


def _category(
    column: CategoryColumn, own: Sequence[Fraction], shares: Sequence[float] | None, *, centred: bool
) -> Part:
    named = len(column.values)
    rest = own[named] if column.other else Fraction(0)
    values = [*zip(column.values, own, strict=False)]
    other = [] if isinstance(column, YesNoColumn) else [("any other", rest, column.other)]
    if isinstance(column, YesNoColumn):
        values.append((f"{column.no}, or anything else" if column.no else "anything else", rest))
    middle = [points for _, points in values] + [rest] * (column.other and not isinstance(column, YesNoColumn))
    reference = sum(middle, Fraction(0)) / len(middle) if centred and middle else Fraction(0)
    if centred and shares is not None:
        reference = sum((Fraction(share) * points for share, points in zip(shares, own, strict=True)), Fraction(0))
    none = own[-1] if column.missing else Fraction(0)
    lines = (
        *(Line(value, points - reference) for value, points in values),
        *(Line(value, points - reference, seen) for value, points, seen in other),
        Line("missing", none - reference, column.missing),
    )
    seen = [line.points for line in lines if line.seen]
    return Part(column.name, column.kind, lines, (min(seen), max(seen)), reference)


def _steps(column: StepColumn, own: Sequence[Fraction], shares: Sequence[float] | None, *, centred: bool) -> Part:
    """One line for each step, the lowest first."""
    many = len(column.edges)
    points = [Fraction(0), *accumulate(own[:many])]
    reference = sum(points, Fraction(0)) / len(points) if centred else Fraction(0)
    if centred and shares is not None:
        reference = sum((Fraction(share) * w for share, w in zip(shares, own, strict=True)), Fraction(0))
    ends = [f"{MINUS if edge < 0 else ''}{abs(edge):,.15g}" for edge in column.edges]
    names = [f"below {ends[0]}", *(f"{a} to below {b}" for a, b in pairwise(ends)), f"{ends[-1]} or more"]
    none = own[many] if column.missing else Fraction(0)
    *of_steps, of_none = [None] * (many + 2) if shares is None else shares_of_steps(many, shares)
    lines = (
        *(Line(name, each - reference, True, k) for name, each, k in zip(names, points, of_steps, strict=True)),
        Line("missing", none - reference, column.missing, of_none),
    )
    seen = [line.points for line in lines if line.seen]
    return Part(column.name, column.kind, lines, (min(seen), max(seen)), reference)


def shares_of_steps(edges: int, means: Sequence[float]) -> list[float]:
    """The share of the rows in each step, the lowest first, and without a number, from the means of the features."""
    none = means[edges] if len(means) > edges else 0.0
    above = [1.0 - none, *means[:edges], 0.0]
    return [*(max(low - high, 0.0) for low, high in pairwise(above)), none]


def _words(column: TextColumn | SparseColumn, weights: Sequence[float], factor: Fraction) -> Part:
    """One line for each word or numbered feature with points; the most points first."""
    each = [(k, factor * Fraction(w)) for k, w in enumerate(weights) if w]
    lines = tuple(Line(_name(column, k), points) for k, points in sorted(each, key=lambda pair: -abs(pair[1])))
    ends = [Fraction(0), *(line.points for line in lines)]
    span = min(ends), max(ends)
    if isinstance(column, TextColumn):
        return Part(column.name, column.kind, lines, span, Fraction(0))
    high, one = column.highest, PointUnit(Fraction(1), Fraction(0))
    reach = Fraction(high)
    return Part(column.name, column.kind, lines, span, Fraction(0), one, (-high, high), reach)


def _name(column: EncodedColumn, k: int) -> str:
    if isinstance(column, SparseColumn):
        return f"for every 1 of feature {column.all_numbers[k]}"
    return f"a word of bucket {k}" if isinstance(column, HashedTextColumn) else f"has {column.words[k]!r}"  # type: ignore[attr-defined]
