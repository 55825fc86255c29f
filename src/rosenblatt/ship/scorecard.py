"""A linear rule as a scorecard: a table of points that a clerk can add up.

Problem   weights of scaled features say little to people, and the weights of a category's values may all be shifted.
Input     `Points`: the rule.
Result    `Scorecard`: for every column the points of each value, each word, each unit of a number; and the threshold.
          The points of a row add up to factor * score - start, exactly: a card is the rule, not a likeness of it.
Method    Points are measured from the middle of a column: from the mean of its values' points, and for numbers from a
          round number near the mean. So 0 points speak neither for nor against, and the largest swing is 100.
          A number has points per unit. Points per band would be another rule.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from math import ceil, floor, lcm, log10
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from rosenblatt import search
from rosenblatt.errors import DataError, OptionError
from rosenblatt.examples import Examples, rows_of
from rosenblatt.kernels import Array
from rosenblatt.read.columns import Category, Column, Date, HashedText, Number, Sparse, Text, YesNo
from rosenblatt.ship.points import Points, spare_bits

LARGEST_SWING = 100
SPREAD = 2  # scales to both sides of the centre: what a number's swing is measured over
DECIMALS = 1
DAYS = (1, 7, 30, 365, 3650)
ROUND = (1, 2, 5, 10)
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Measure:
    """How a number is counted: points for every `unit` by which it is above `base`."""

    unit: Fraction
    base: Fraction


@dataclass(frozen=True)
class Line:
    """What stands in the column, and the points for it; `seen`: whether there was such a row to learn from."""

    value: str
    points: Fraction
    seen: bool = True


@dataclass(frozen=True)
class Part:
    """The lines of one column."""

    column: str
    kind: str
    lines: tuple[Line, ...]  # of a number: for every unit, then for none
    span: tuple[Fraction, Fraction]  # the fewest and the most points; for numbers, within 2 scales of the centre
    reference: Fraction  # what was taken off the weights' own points, and is part of the start
    measure: Measure | None = None
    range: tuple[float, float] | None = None  # numbers beyond count as its nearer end
    reach: Fraction = Fraction(1)  # the most units that are counted

    @property
    def swing(self) -> Fraction:
        """By how much the column moves the points, at most."""
        return self.span[1] - self.span[0]


@dataclass(frozen=True)
class Card:
    """One rule: the points that every row starts with, and the columns, those that move most first."""

    label: str
    start: Fraction
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Scorecard:
    """A linear rule as points: one card for two classes, one per class for more."""

    target: str
    classes: tuple[str, ...]
    cards: tuple[Card, ...]
    factor: Fraction  # points per unit of the rule's own score
    zero_is_yes: bool
    decimals: int = DECIMALS  # that are shown

    @property
    def threshold(self) -> Fraction:
        """Where the yes begins, of a rule for two classes: the points without the start are compared with it."""
        return -self.cards[0].start

    @property
    def rule(self) -> str:
        """How to use it, in one sentence."""
        if len(self.cards) > 1:
            return f"{self.target}: the class with the most points, its start included."
        no, yes = self.classes
        level = self.shown(self.threshold)
        enough = f"{level} or more" if self.zero_is_yes else f"more than {level}"
        return f"{self.target} is {yes} where the points add up to {enough}, else it is {no}."

    @property
    def slack(self) -> Fraction:
        """By how much a sum of the points as they are shown may be off; nearer to the threshold, take all digits."""
        half = Fraction(1, 2 * 10**self.decimals)
        of_card = (sum(_rounding(part, half) for part in card.parts) + _rest(card.start, half) for card in self.cards)
        return Fraction(max(of_card) * min(len(self.cards), 2))

    def shown(self, points: Fraction) -> str:
        """Points as they are shown."""
        return _fixed(points, self.decimals)

    def rows(self, card: int = 0, most: int | None = None) -> Iterator[tuple[str, str, str]]:
        """Column, value and points as texts, for a table; of each column at most so many lines, the first."""
        for part in self.cards[card].parts:
            for value, points in self.lines(part, most):
                yield part.column, value, points
            if most is not None and (more := sum(line.seen for line in part.lines) - most) > 0:
                yield part.column, f"and {more} more", ""

    def lines(self, part: Part, most: int | None = None) -> Iterator[tuple[str, str]]:
        """The values of a column and their points as texts, the first so many of those that were seen."""
        for place, line in enumerate([line for line in part.lines if line.seen][:most]):
            rate = part.measure is not None and (place == 0 or part.kind == Sparse.kind)
            digits = self.decimals + (_more_digits(part) if rate and line.points.denominator > 1 else 0)
            yield line.value, _fixed(line.points, digits, sign=True)

    def as_record(self) -> dict[str, Any]:
        """The scorecard as plain lists, numbers and texts."""
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


def scorecard(points: Points, *, means: Sequence[float] | None = None, decimals: int = DECIMALS) -> Scorecard:
    """The scorecard of a rule.

    `means`: of every feature on the rows that the rule was learned from, where they are known. A category's points are
    then measured from the mean of its rows, else from the plain mean of its values.
    """
    if means is not None and len(means) != points.encoding.size:
        raise OptionError(f"the rule has {points.encoding.size} features; means has {len(means)}")
    measures = measures_of(points)
    raw = [_card(points, rule, Fraction(1), measures, means, centred=True) for rule in range(len(points.weights))]
    swing = max((part.swing for card in raw for part in card.parts), default=Fraction(0))
    factor = LARGEST_SWING / swing if swing else Fraction(1)
    return card_of(points, factor, measures, means=means, decimals=decimals)


def card_of(
    points: Points,
    factor: Fraction,
    measures: Mapping[str, Measure],
    *,
    means: Sequence[float] | None = None,
    decimals: int = DECIMALS,
    centred: bool = True,
) -> Scorecard:
    """The scorecard with this factor, these units, and categories that are measured from their middle or from 0."""
    cards = [_card(points, rule, factor, measures, means, centred=centred) for rule in range(len(points.weights))]
    return Scorecard(points.encoding.target.name, points.classes, tuple(cards), factor, points.zero_is_yes, decimals)


def measures_of(points: Points, *, binary: bool = False) -> dict[str, Measure]:
    """How each number is counted."""
    numbers = (column for column in points.encoding.used if isinstance(column, Number))
    return {column.name: measure_of(column, binary=binary) for column in numbers}


def measure_of(column: Number, *, binary: bool = False) -> Measure:
    """A round unit near the column's scale, and a round base near its centre; `binary`: rounded as computers do."""
    scale, centre = Fraction(column.scale), Fraction(column.centre)
    if binary:
        return Measure(scale, round(centre / scale) * scale)
    if isinstance(column, Date):
        unit = Fraction(min(DAYS, key=lambda days: abs(log10(days) - log10(column.scale))))
        return Measure(unit, Fraction(round(centre)))
    ten = Fraction(10) ** floor(log10(column.scale))
    unit = min((ten * k for k in ROUND), key=lambda u: max(u / scale, scale / u))
    return Measure(unit, round(centre / unit * 10) * unit / 10)


def number_text(kind: str, value: float | Fraction) -> str:
    """A number of a column of this kind for people: a date as one."""
    if kind == Date.kind and -700_000 < value < 2_900_000:
        return (date(1970, 1, 1) + timedelta(days=round(value))).isoformat()
    size = abs(float(value))
    text = f"{size:,.0f}" if 1e4 <= size < 1e12 else f"{size:.4g}"
    return f"{MINUS}{text}" if value < 0 else text


def _card(
    points: Points,
    rule: int,
    factor: Fraction,
    measures: Mapping[str, Measure],
    means: Sequence[float] | None,
    *,
    centred: bool,
) -> Card:
    parts, at = [], 0
    for column, weights in points.columns(rule):
        shares = None if means is None else means[at : at + column.size]
        at += column.size
        if isinstance(column, Number):
            parts.append(_number(column, weights, factor, measures[column.name]))
        elif isinstance(column, Category):
            parts.append(_category(column, [factor * Fraction(w) for w in weights], shares, centred=centred))
        elif isinstance(column, Text | Sparse):
            parts.append(_words(column, weights, factor))
    start = factor * Fraction(points.intercepts[rule]) + sum(part.reference for part in parts)
    parts.sort(key=lambda part: -part.swing)
    return Card(points.classes[1 if len(points.weights) == 1 else rule], start, tuple(parts))


def _number(column: Number, weights: Sequence[float], factor: Fraction, measure: Measure) -> Part:
    scale, centre = Fraction(column.scale), Fraction(column.centre)
    per_scale = factor * Fraction(weights[0])
    rate = per_scale * measure.unit / scale
    reference = per_scale * (measure.base - centre) / scale
    none = factor * Fraction(weights[1] if column.missing else 0.0) - reference
    lowest, highest = Fraction(column.lowest), Fraction(column.highest)
    ends = max(lowest, centre - SPREAD * scale), min(highest, centre + SPREAD * scale)
    met = [rate * (end - measure.base) / measure.unit for end in ends] + [none] * column.missing
    days = " days after " if isinstance(column, Date) else " above "
    every = f"for every {float(measure.unit):.10g}{days}{_base(column, measure.base)}"
    lines = Line(every, rate), Line("missing", none, column.missing)
    reach = max(highest - measure.base, measure.base - lowest) / measure.unit
    span = min(met), max(met)
    return Part(column.name, column.kind, lines, span, reference, measure, (column.lowest, column.highest), reach)


def _base(column: Number, base: Fraction) -> str:
    """A round number, all of it."""
    return number_text(column.kind, base) if isinstance(column, Date) else f"{float(base):.15g}".replace("-", MINUS)


def _category(column: Category, own: Sequence[Fraction], shares: Sequence[float] | None, *, centred: bool) -> Part:
    named = len(column.values)
    rest = own[named] if column.other else Fraction(0)
    values = [*zip(column.values, own, strict=False)]
    other = [] if isinstance(column, YesNo) else [("any other", rest, column.other)]
    if isinstance(column, YesNo):
        values.append((f"{column.no}, or anything else" if column.no else "anything else", rest))
    middle = [points for _, points in values] + [rest] * (column.other and not isinstance(column, YesNo))
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


def _words(column: Text | Sparse, weights: Sequence[float], factor: Fraction) -> Part:
    """One line for each word, or for each numbered feature, that has points; those with most points first."""
    each = [(k, factor * Fraction(w)) for k, w in enumerate(weights) if w]
    lines = tuple(Line(_name(column, k), points) for k, points in sorted(each, key=lambda pair: -abs(pair[1])))
    ends = [Fraction(0), *(line.points for line in lines)]
    span = min(ends), max(ends)
    if isinstance(column, Text):
        return Part(column.name, column.kind, lines, span, Fraction(0))
    high, one = column.highest, Measure(Fraction(1), Fraction(0))
    reach = Fraction(high)
    return Part(column.name, column.kind, lines, span, Fraction(0), one, (-high, high), reach)


def _name(column: Column, k: int) -> str:
    if isinstance(column, Sparse):
        return f"for every 1 of feature {k + 1}"
    return f"a word of bucket {k}" if isinstance(column, HashedText) else f"has {column.words[k]!r}"  # type: ignore[attr-defined]


def _record(part: Part) -> dict[str, Any]:
    lines = [{"value": line.value, "points": float(line.points), "seen": line.seen} for line in part.lines]
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
    """Of points per unit: so many that what is lost is small after multiplication."""
    return ceil(log10(max(float(part.reach), 1.0)))


def _rest(points: Fraction, half: Fraction) -> Fraction:
    """What is lost by showing these points, at most."""
    return half if (points / (2 * half)).denominator > 1 else Fraction(0)


def _rounding(part: Part, half: Fraction) -> Fraction:
    """By how much the shown points of a column may be off."""
    lost = [_rest(line.points, half) for line in part.lines if line.seen]
    if part.measure is not None:
        finer = half / 10 ** _more_digits(part)
        rates = part.lines if part.kind == Sparse.kind else part.lines[:1]
        lost[: len(rates)] = [_rest(line.points, finer) * part.reach for line in rates]
    several = part.kind in (Sparse.kind, Text.kind, HashedText.kind)  # lines count in one row
    return sum(lost, Fraction(0)) if several else max(lost)


def _fixed(points: Fraction, decimals: int, *, sign: bool = False) -> str:
    """So many decimals, rounded half to even, and none where the points are whole."""
    whole = round(points * 10**decimals)
    if points.denominator == 1:
        decimals, whole = 0, int(points)
    text = str(abs(whole)).rjust(decimals + 1, "0")
    text = f"{text[:-decimals]}.{text[-decimals:]}" if decimals else text
    return (MINUS if whole < 0 else "+" if sign and whole else "") + text


# ---------------------------------------------------------------------------------------------------------
# Whole points
#
# Problem   small whole numbers for the points, with as few mistakes on given rows as can be found.
# Method    The points are scaled and rounded, for many scales (Ustun and Rudin, JMLR 2019; Liu and others, NeurIPS
#           2022), each with its best threshold. From the best of them, coordinate descent: along one column's points
#           every row is right up to a certain whole number, or from it on, so one look tells the mistakes for all whole
#           numbers. Then kicks, and again. All scores are exact: points are counted in units that no float rounds.
# ---------------------------------------------------------------------------------------------------------

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)  # that "auto" tries, in this order
ALLOWED = Fraction(1, 100)  # of the mistakes: what whole points may cost for "auto" to be content with them
SCALES = 2.0 ** np.linspace(-2.0, 3.0, 31)  # times the one that makes the largest points the largest allowed
DESCENTS = 4  # from the best scales
WORK, AT_FIRST = 5e7, 1e7  # entries looked at for one size; by "auto", to see what it costs
LOOK = 3000  # entries: what a look at a column costs besides
ENTRIES = 8_000_000  # beyond, the search looks at a part of the rows
KICKED = 10  # points that a kick changes, at most


@dataclass(frozen=True)
class IntegerCard:
    """A rule of small whole points, and what they cost in mistakes on the rows that they were chosen on."""

    points: Points  # one point is `card.factor` of its score
    card: Scorecard
    largest: int
    rows: int
    sample: int  # rows that the search looked at; mistakes are counted on all
    mistakes: int
    before: int  # mistakes of the rule with all its digits
    plain: int  # mistakes of plain rounding to points of the same size

    @property
    def within(self) -> bool:
        """Whether it costs at most 1 % of the mistakes."""
        return self.mistakes <= self.before * (1 + ALLOWED)

    @property
    def statement(self) -> str:
        """What the whole points cost, in one sentence."""
        more = self.mistakes - self.before
        than = f"{abs(more)} {'more' if more > 0 else 'fewer'} than" if more else "as many as"
        part = f", chosen on {self.sample} of them" if self.sample < self.rows else ""
        return (
            f"Whole points of at most {self.largest} make {self.mistakes} mistakes on {self.rows} rows{part}: {than} "
            f"the rule with all its digits; plain rounding makes {self.plain}."
        )

    def as_record(self) -> dict[str, Any]:
        """The card and its mistakes as plain lists, numbers and texts."""
        counts = {name: getattr(self, name) for name in ("largest", "rows", "sample", "mistakes", "before", "plain")}
        return {**counts, "within": self.within, "statement": self.statement, "card": self.card.as_record()}


def integers(points: Points, X: Any, y: Any, *, largest: int | str = "auto") -> IntegerCard:
    """The rule in small whole points, chosen for few mistakes on encoded rows X of class numbers y.

    `largest`: no value has more points than this, and no unit of a number. "auto": the smallest of 1, 2, 3, 5, 10, 20,
    50 and 100 that costs at most 1 % of the mistakes; if none does (`within` is false), 100.
    """
    sizes = SIZES if largest == "auto" else (largest,)
    if not all(type(size) is int and 1 <= size <= 10_000 for size in sizes):
        raise OptionError(f"largest must be 'auto' or a whole number from 1 to 10000, not {largest!r}")
    y = np.asarray(y)
    if X.shape != (y.size, points.encoding.size) or not np.isin(y, np.arange(len(points.classes))).all():
        raise DataError(f"rows of {points.encoding.size} features, each with the number of its class, are needed")
    chooser = _Chooser(points, X, y, int(max(sizes)))
    for size in sizes[:-1]:
        found = chooser.card(int(size), AT_FIRST)
        if found.within:
            return chooser.card(int(size), WORK)
    return chooser.card(int(sizes[-1]), WORK)


def mistakes_of(points: Points, X: Any, y: Array) -> int:
    """How many rows a rule gets wrong, by exact signs; of more than two classes, by scores as they are computed."""
    yes = Examples(rows_of(X, bias=1.0), np.ones(y.size, np.int8))
    rules = zip(points.weights, points.intercepts, strict=True)
    scores = np.stack([search.margins(yes, np.array([*w, b])) for w, b in rules])
    zero = points.zero_is_yes
    said = scores.argmax(axis=0) if len(scores) > 1 else (scores[0] >= 0 if zero else scores[0] > 0)
    return int((said != y).sum())


class _Chooser:
    """A rule and rows, to choose whole points of any size on."""

    def __init__(self, points: Points, X: Any, y: Array, largest: int) -> None:
        self.rule, self.X, self.y, self.before = points, X, y, mistakes_of(points, X, y)
        self.grid, self.measures = _grid(points, largest)
        self.wished, self.thresholds = _wished(points, self.measures)
        step = max(-(-(X.nnz if hasattr(X, "nnz") else X.size) // ENTRIES), 1)
        self.board = _Board(self.grid, X[::step], y[::step], len(points.weights), points.zero_is_yes)

    def card(self, largest: int, work: float) -> IntegerCard:
        """The best card of this size that is found: at least as good as plain rounding."""
        plain = self.rounded(1.0, largest)
        both = [self.grid.points(self.rule, *place) for place in (plain, self.searched(plain, largest, work))]
        counts = [mistakes_of(each, self.X, self.y) for each in both]
        best = both[counts[1] <= counts[0]]
        card = card_of(best, Fraction(1, self.grid.multiple), self.measures, centred=False)
        return IntegerCard(best, card, largest, self.y.size, self.board.n, min(counts), self.before, counts[0])

    def rounded(self, times: float, largest: int) -> tuple[Array, Array]:
        """Plainly rounded: with `times` 1, the largest points are the largest allowed."""
        scale = times * largest / (float(np.abs(self.wished).max(initial=0.0)) or 1.0)
        whole = np.clip(np.rint(self.wished * scale), -largest, largest).astype(np.int64)
        return whole, np.rint(self.thresholds * scale).astype(np.int64)

    def searched(self, plain: tuple[Array, Array], largest: int, work: float) -> tuple[Array, Array]:
        """The whole points and thresholds with the fewest mistakes that are found."""
        board, features = self.board, self.wished.shape[1]
        starts = [(board.stand(*plain), *board.place)]
        for times in SCALES:
            board.stand(*self.rounded(times, largest))
            for rule in range(board.rules):
                board.step(rule, features, largest)
            starts.append((board.mistakes(), *board.place))
        starts.sort(key=lambda start: start[0])
        by_size = [np.argsort(-np.abs(w), kind="stable").tolist() for w in self.wished]
        order = [(rule, j) for rule in range(board.rules) for j in (features, *by_size[rule])]
        ends = []
        board.work = 0.0
        for _, whole, thresholds in starts[:DESCENTS]:
            board.stand(whole, thresholds)
            ends.append((board.descend(order, largest, work / 2), *board.place))
        best, whole, thresholds = min(ends, key=lambda end: end[0])
        board.stand(whole, thresholds)
        rng = np.random.default_rng(0)
        while best > 0 and board.work < work:
            kept = board.whole.copy(), board.scores.copy()
            board.kick(rng, largest)
            if board.rules == 1:
                order = [order[k] for k in rng.permutation(len(order))]
            if (found := board.descend(order, largest, work)) <= best:
                best = found
            else:
                board.whole, board.scores = kept
        return board.place


@dataclass(frozen=True)
class _Grid:
    """Whole points as weights that no float rounds: a point is `multiple` of the score."""

    multiple: int
    unit: Array  # of each feature: its weight for one point
    offset: Array  # of each feature: what one point adds to the intercept
    absence: Array  # of each feature: the one that tells that this is missing, or -1

    def points(self, points: Points, whole: Array, thresholds: Array) -> Points:
        """The rule that these whole points are."""
        weights, there = whole * self.unit, self.absence >= 0
        weights[:, self.absence[there]] -= whole[:, there] * self.offset[there]
        intercepts = whole @ self.offset - float(self.multiple) * thresholds
        return replace(points, weights=tuple(map(tuple, weights.tolist())), intercepts=tuple(intercepts.tolist()))


def _grid(points: Points, largest: int) -> tuple[_Grid, dict[str, Measure]]:
    """Round units if scores of such points are exact in double precision, else binary ones."""
    for binary in (False, True):
        measures = measures_of(points, binary=binary)
        units, offsets, absence = _shares(points, measures)
        multiple = lcm(*(x.denominator // (x.denominator & -x.denominator) for x in units + offsets))
        each = [[float(multiple * x) for x in part] for part in (units, offsets)]
        grid = _Grid(multiple, np.array(each[0]), np.array(each[1]), np.array(absence))
        kept = each[0] + each[1] == [multiple * x for x in units + offsets]
        most = grid.points(points, np.full((1, len(units)), largest), np.ones(1))
        if kept and spare_bits(most.weights[0], most.intercepts[0], points.encoding.features) > 2:
            break
    return grid, measures


def _shares(points: Points, measures: Mapping[str, Measure]) -> tuple[list[Fraction], list[Fraction], list[int]]:
    """Of each feature: the weight and the intercept that one point is, and the feature that tells its absence."""
    units, offsets, absence = [], [], []
    for column in points.encoding.used:
        many = column.size
        if isinstance(column, Number):
            unit, base = measures[column.name].unit, measures[column.name].base
            units.append(Fraction(column.scale) / unit)
            offsets.append((Fraction(column.centre) - base) / unit)
            absence.append(len(units) if column.missing else -1)
            many -= 1
        units += [Fraction(1)] * many
        offsets += [Fraction(0)] * many
        absence += [-1] * many
    return units, offsets, absence


def _wished(points: Points, measures: Mapping[str, Measure]) -> tuple[Array, Array]:
    """The points before rounding, as a scorecard has them, and the thresholds.

    A column of which every row has some value may be shifted: not a yes/no column, whose no has the points 0.
    """
    wished, thresholds = np.array(points.weights), -np.array(points.intercepts)
    for rule, card in enumerate(card_of(points, Fraction(1), measures).cards):
        parts, at = {part.column: part for part in card.parts}, 0
        for column, _ in points.columns(rule):
            part, place = parts[column.name], slice(at, at + column.size)
            at += column.size
            if isinstance(column, Number):
                wished[rule, place] = [float(line.points) for line in part.lines[: column.size]]
            elif isinstance(column, Category) and not isinstance(column, YesNo):
                wished[rule, place] -= float(part.reference)
            else:
                continue
            thresholds[rule] -= float(part.reference)
    return wished, thresholds


class _Board:
    """Rows in units of points, a place among whole points, and every row's scores there."""

    def __init__(self, grid: _Grid, X: Any, y: Array, rules: int, zero_is_yes: bool) -> None:
        self.y, self.n, self.rules, self.zero_is_yes = y, y.size, rules, zero_is_yes
        self.multiple, self.work = float(grid.multiple), 0.0
        self.yes = np.where(y > 0, 1.0, -1.0)
        table = csc_array(X, dtype=np.float64)
        table.sort_indices()
        self.columns = [self._column(grid, table, j) for j in range(table.shape[1])]
        self.columns.append((np.arange(self.n), np.full(self.n, -self.multiple)))  # the threshold's

    def _column(self, grid: _Grid, table: Any, j: int) -> tuple[Array, Array]:
        """The rows in which feature j counts, and what one point of it adds to each."""

        def entries(k: int) -> slice:
            return slice(int(table.indptr[k]), int(table.indptr[k + 1]))

        rows, values = table.indices[entries(j)], table.data[entries(j)] * grid.unit[j]
        if not grid.offset[j]:
            return rows, values
        whole = np.full(self.n, grid.offset[j])
        whole[rows] += values
        if grid.absence[j] >= 0:
            whole[table.indices[entries(grid.absence[j])]] = 0.0
        rows = np.flatnonzero(whole)
        return rows, whole[rows]

    @property
    def place(self) -> tuple[Array, Array]:
        """The whole points of every rule, and its threshold."""
        return self.whole[:, :-1].copy(), self.whole[:, -1].copy()

    def stand(self, whole: Array, thresholds: Array) -> int:
        """Go to a place, and tell how many mistakes there are."""
        self.whole, self.scores = np.column_stack([0 * whole, thresholds]), np.zeros((self.rules, self.n))
        self.scores -= self.multiple * thresholds[:, np.newaxis]
        for rule, j in np.argwhere(whole).tolist():
            self.move(rule, j, int(whole[rule, j]))
        return self.mistakes()

    def move(self, rule: int, j: int, step: int) -> None:
        """Add whole points to a feature, or to the threshold."""
        rows, values = self.columns[j]
        self.scores[rule, rows] += step * values
        self.whole[rule, j] += step

    def kick(self, rng: np.random.Generator, largest: int) -> None:
        """Change the points of some features at random."""
        many = int(rng.integers(2, KICKED + 1))
        for _ in range(many):
            rule, j = int(rng.integers(self.rules)), int(rng.integers(self.whole.shape[1] - 1))
            to = self.whole[rule, j] + int(rng.choice([-2, -1, 1, 2])) * max(1, largest // 10)
            self.move(rule, j, int(np.clip(to, -largest, largest) - self.whole[rule, j]))
        self.work += many * LOOK

    def sides(self, rule: int) -> tuple[Array, Array, Array]:
        """For every row: +1 if this rule's score must be above a level for the row to be right, -1 if below, 0 if that
        does not help; by how much it is above; and whether exactly on it is right."""
        if self.rules == 1:
            return self.yes, self.scores[0], (self.yes > 0) == self.zero_is_yes
        others = self.scores.copy()
        others[rule] = -np.inf
        best, own = others.argmax(axis=0), self.y == rule
        sides = np.where(own, 1.0, np.where(best == self.y, -1.0, 0.0))
        above = self.scores[rule] - others[best, np.arange(self.n)]
        return sides, above, np.where(own, rule < best, best < rule)

    def mistakes(self) -> int:
        """How many rows are wrong."""
        sides, above, ties = self.sides(0)
        return int(self.n - ((sides * above > 0) | ((above == 0) & ties & (sides != 0))).sum())

    def step(self, rule: int, j: int, largest: int) -> int:
        """Go along one feature to the nearest whole number with the fewest mistakes; tells how many fewer."""
        sides, above, ties = self.sides(rule)
        rows, values = self.columns[j]
        self.work += rows.size + LOOK + (self.rules > 1) * self.scores.size
        reach = int(np.abs(above).max() / self.multiple) + 1
        now = int(self.whole[rule, j])
        threshold = j == len(self.columns) - 1
        low, high = (-reach, reach) if threshold else (-largest - now, largest - now)
        right = _right(sides[rows] * above[rows], sides[rows] * values, ties[rows], low, high)
        gain = int(right.max() - right[-low])
        if gain:
            best = np.flatnonzero(right == right.max()) + low
            self.move(rule, j, int(best[np.argmin(np.abs(best))]))
        return gain

    def descend(self, order: Sequence[tuple[int, int]], largest: int, work: float) -> int:
        """Step along the features in turn, until none helps; returns the mistakes that are left."""
        idle, at = 0, 0
        while idle < len(order) and self.work < work:
            idle = 0 if self.step(*order[at % len(order)], largest) else idle + 1
            at += 1
        return self.mistakes()


def _right(margins: Array, slopes: Array, ties: Array, low: int, high: int) -> Array:
    """How many rows are right after each whole step from `low` to `high`."""
    rising, falling = slopes > 0, slopes < 0
    crossing = -margins / np.where(slopes, slopes, 1.0)
    next_up, next_on = np.floor(crossing) + 1, np.ceil(crossing)
    width = high - low + 1

    def counted(first: Array) -> Array:
        places = np.clip(first - low, 0, width).astype(np.int64)
        return np.cumsum(np.bincount(places, minlength=width + 1)[:width])

    begins, ends = np.where(ties, next_on, next_up)[rising], np.where(ties, next_up, next_on)[falling]
    return counted(begins) - counted(ends) + int(falling.sum())
