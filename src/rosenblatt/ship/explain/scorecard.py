"""A linear rule as a scorecard: a table of points that a clerk can add up.

Problem   weights of scaled features mean little to people, and the weights of a category's values may all be shifted.
Input     `PointRule`: the rule.
Result    `Scorecard`: for every column the points of each value, each word, each unit of a number; and the threshold.
          The points of a row add up to factor * score - start, exactly: the card is the rule, not an approximation.
Method    Points are measured from the middle of a column: from the mean of its values' points, and for numbers from a
          round number near the mean. So 0 points count neither for nor against. The largest swing is 100.
          A number has points per unit, or, if it was cut into steps before learning, points for each step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log10
from typing import Any

from rosenblatt.errors import OptionError
from rosenblatt.judge.ladder import Rung
from rosenblatt.read.encode.columns import HashedTextColumn, SparseColumn, TextColumn
from rosenblatt.ship.explain.card_parts import MINUS, Part, PointUnit, measures_of, part_of
from rosenblatt.ship.export.points import LARGEST, PointRule

LARGEST_SWING = 100
DECIMALS = 1


@dataclass(frozen=True)
class Card:
    """One rule: the points that every row starts with, and the columns, the largest effect first."""

    label: str
    start: Fraction
    parts: tuple[Part, ...]

    @property
    def moving(self) -> tuple[Part, ...]:
        """The columns that make a difference; with whole points, all values of a column may have the same points."""
        return tuple(part for part in self.parts if any(line.points for line in part.lines if line.seen))

    def times(self, factor: Fraction) -> "Card":
        """A copy with all points multiplied by a factor."""
        return Card(self.label, self.start * factor, tuple(part.times(factor) for part in self.parts))


@dataclass(frozen=True)
class Scorecard:
    """A linear rule as points: one card for two classes, one per class for more."""

    target: str
    classes: tuple[str, ...]
    cards: tuple[Card, ...]
    factor: Fraction  # points per unit of the rule's own score
    zero_is_yes: bool
    decimals: int = DECIMALS  # shown
    people: Rung | None = None  # the scores between which people are asked, if they are

    @property
    def threshold(self) -> Fraction:
        """The threshold of a rule for two classes; the points without the start are compared with it."""
        return -self.cards[0].start

    @property
    def rule(self) -> str:
        """How to use the card, in one sentence."""
        if len(self.cards) > 1:
            most = f"{self.target} is the class with the most points, including its start"
            if self.people is None:
                return f"{most}."
            if self.people.upper is None:
                return f"A person decides every row; {most[0].lower()}{most[1:]}, by the points alone."
            lead = self.shown(Fraction(self.people.upper) * self.factor)
            return f"{most}, if it is ahead by {lead} or more; otherwise a person decides."
        no, yes = self.classes
        if self.people is not None:
            return self._with_people(self.people, no, yes)
        level = self.shown(self.threshold)
        enough = f"{level} or more" if self.zero_is_yes else f"more than {level}"
        return f"{self.target} is {yes} if the points add up to {enough}, otherwise {no}."

    def _with_people(self, people: Rung, no: str, yes: str) -> str:
        """How to use the card where people decide what lies between two sums."""
        upper, lower = (
            None if end is None else self.shown(self.threshold + Fraction(end) * self.factor)
            for end in (people.upper, people.lower)
        )
        parts = [] if upper is None else [f"{yes} if the points add up to {upper} or more"]
        parts += [] if lower is None else [f"{no} if they add up to less than {lower}"]
        if not parts:
            return f"{self.target} is for a person to decide, whatever the points."
        return f"{self.target} is {', '.join(parts)}; otherwise a person decides."

    @property
    def slack(self) -> Fraction:
        """How far a sum of displayed points may be off; nearer to the threshold, use all digits."""
        half = Fraction(1, 2 * 10**self.decimals)
        of_card = (sum(_rounding(part, half) for part in card.parts) + _rest(card.start, half) for card in self.cards)
        return Fraction(max(of_card) * min(len(self.cards), 2))

    def shown(self, points: Fraction) -> str:
        """Points as displayed."""
        return _fixed(points, self.decimals)

    def rows(
        self, card: int = 0, most: int | None = None, columns: int | None = None
    ) -> Iterator[tuple[str, str, str]]:
        """Column, value and points as texts, for a table: the first `columns` columns that make a difference, each with
        its first `most` lines."""
        for part in self.cards[card].moving[:columns]:
            for value, points in self.lines(part, most, self.cards[card].label):
                yield part.column, value, points
            if most is not None and (more := sum(line.seen for line in part.lines) - most) > 0:
                yield part.column, f"and {more} more", ""

    def lines(self, part: Part, most: int | None = None, label: str = "") -> Iterator[tuple[str, str]]:
        """The values of a column and their points as texts: the first `most` of those seen in learning.

        `label` is the class that the card is about.
        """
        for place, line in enumerate([line for line in part.lines if line.seen][:most]):
            rate = part.measure is not None and (place == 0 or part.kind == SparseColumn.kind)
            digits = self.decimals + (_more_digits(part) if rate and line.points.denominator > 1 else 0)
            yield line.described(label), _fixed(line.points, digits, sign=True)

    def as_record(self) -> dict[str, Any]:
        """The scorecard as plain lists, numbers and texts, for JSON."""
        cards = [
            {"class": card.label, "start": float(card.start), "columns": [_record(part) for part in card.parts]}
            for card in self.cards
        ]
        threshold = {"threshold": float(self.threshold)} if len(cards) == 1 else {}
        return {
            "target": self.target,
            "classes": list(self.classes),
            "rule": self.rule,
            "zero_is_yes": self.zero_is_yes,
            "factor": float(self.factor),
            **threshold,
            "cards": cards,
        }


def scorecard(points: PointRule, *, means: Sequence[float] | None = None, decimals: int = DECIMALS) -> Scorecard:
    """The scorecard of a rule.

    `means` are the means of every feature over the training rows, if they are known. A category's points are then
    measured from the mean over its rows, otherwise from the plain mean of its values.
    """
    if means is not None and len(means) != points.encoding.size:
        raise OptionError(f"the rule has {points.encoding.size} features; means has {len(means)}")
    raw = card_of(points, Fraction(1), measures_of(points), means=means, decimals=decimals)
    swing = max((part.swing for card in raw.cards for part in card.parts), default=Fraction(0))
    factor = LARGEST_SWING / swing if swing else Fraction(1)
    card = replace(raw, cards=tuple(each.times(factor) for each in raw.cards), factor=factor)
    if max(factor, 1 / factor, *(abs(card.start) for card in card.cards)) > LARGEST:
        raise OptionError("no scorecard: the weights are so small or so far apart that their points overflow")
    return card


def card_of(
    points: PointRule,
    factor: Fraction,
    measures: Mapping[str, PointUnit],
    *,
    means: Sequence[float] | None = None,
    decimals: int = DECIMALS,
    centred: bool = True,
) -> Scorecard:
    """The scorecard with this factor, these units, and categories measured from their middle or from 0."""
    cards = [_card(points, rule, factor, measures, means, centred=centred) for rule in range(len(points.weights))]
    return Scorecard(points.encoding.target.name, points.classes, tuple(cards), factor, points.zero_is_yes, decimals)


def _card(
    points: PointRule,
    rule: int,
    factor: Fraction,
    measures: Mapping[str, PointUnit],
    means: Sequence[float] | None,
    *,
    centred: bool,
) -> Card:
    parts, at = [], 0
    for column, weights in points.columns(rule):
        shares = None if means is None else means[at : at + column.size]
        at += column.size
        if (part := part_of(column, weights, factor, measures, shares, centred=centred)) is not None:
            parts.append(part)
    start = factor * Fraction(points.intercepts[rule]) + sum(part.reference for part in parts)
    parts.sort(key=lambda part: -part.swing)
    return Card(points.classes[1 if len(points.weights) == 1 else rule], start, tuple(parts))


def _record(part: Part) -> dict[str, Any]:
    lines = [
        {"value": line.value, "points": float(line.points), "seen": line.seen}
        | ({} if line.share is None else {"share": line.share})
        for line in part.lines
    ]
    measured = part.measure and {"unit": float(part.measure.unit), "base": float(part.measure.base)}
    return {
        "column": part.column,
        "kind": part.kind,
        "swing": float(part.swing),
        "lines": lines,
        **(measured or {}),
        **({"range": list(part.range)} if part.range else {}),
    }


def _more_digits(part: Part) -> int:
    """Extra digits for points per unit, enough that the rounding error stays small after multiplication."""
    return ceil(log10(max(float(part.reach), 1.0)))


def _rest(points: Fraction, half: Fraction) -> Fraction:
    """The rounding error of displaying these points, at most."""
    return half if (points / (2 * half)).denominator > 1 else Fraction(0)


def _rounding(part: Part, half: Fraction) -> Fraction:
    """How far the displayed points of a column may be off."""
    lost = [_rest(line.points, half) for line in part.lines if line.seen]
    if part.measure is not None:
        finer = half / 10 ** _more_digits(part)
        rates = part.lines if part.kind == SparseColumn.kind else part.lines[:1]
        lost[: len(rates)] = [_rest(line.points, finer) * part.reach for line in rates]
    several = part.kind in (SparseColumn.kind, TextColumn.kind, HashedTextColumn.kind)  # may count in the same row
    return sum(lost, Fraction(0)) if several else max(lost)


def _fixed(points: Fraction, decimals: int, *, sign: bool = False) -> str:
    """The points with this many decimals, rounded half to even; none if they are whole."""
    whole = round(points * 10**decimals)
    if points.denominator == 1:
        decimals, whole = 0, int(points)
    text = str(abs(whole)).rjust(decimals + 1, "0")
    text = f"{text[:-decimals]}.{text[-decimals:]}" if decimals else text
    return (MINUS if whole < 0 else "+" if sign and whole else "") + text
