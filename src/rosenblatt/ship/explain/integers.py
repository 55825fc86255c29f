"""Small whole-number points.

Problem   replace the points by small whole numbers, with as few or as cheap mistakes on given rows as possible.
          No points may change their sign.
Input     `PointRule`: the rule; encoded rows and their classes; the costs of mistakes; how large the points may be.
Result    `IntegerCard`: a rule of whole points, and its mistakes.
Method    The points are scaled and rounded, for many scales (Ustun and Rudin, JMLR 2019; Liu and others, NeurIPS
          2022), each with its best threshold. From the best of them, coordinate descent: along one column's points
          every row is right up to a certain whole number, or from it on, so one pass gives the mistakes for all whole
          numbers. Then random restarts, and again. All scores are exact: points are in units that no float rounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, lcm
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import DataError, OptionError
from rosenblatt.plurals import many
from rosenblatt.read.encode.columns import CategoryColumn, YesNoColumn
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.storage import rows_of
from rosenblatt.ship.explain.card_parts import PointUnit, is_counted, measures_of
from rosenblatt.ship.explain.scorecard import Scorecard, card_of
from rosenblatt.ship.export.points import PointRule, spare_bits

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)  # that "auto" tries, in this order
ALLOWED = Fraction(1, 100)  # of the mistakes: the extra mistakes that "auto" accepts
SCALES = 2.0 ** np.linspace(-2.0, 3.0, 31)  # times the scale at which the largest points are the largest allowed
DESCENTS = 4  # from the best scales
WORK, AT_FIRST = 5e7, 1e7  # entries read for one size; for the first try of "auto"
LOOK = 3000  # entries: the fixed cost of reading a column
ENTRIES = 8_000_000  # in larger tables, the search reads only some of the rows
KICKED = 10  # points that a kick changes at most
GRAIN = 2**20  # parts of the largest cost; in the search, costs are whole numbers of these, with exact sums


@dataclass(frozen=True)
class IntegerCard:
    """A rule with small whole points, and its mistakes on the rows on which they were chosen."""

    points: PointRule  # one point is `card.factor` of its score
    card: Scorecard
    largest: int
    rows: int
    sample: int  # rows that the search read; mistakes are counted on all
    mistakes: int
    before: int  # mistakes of the unrounded points
    plain: int  # mistakes of plain rounding to points of the same size
    costs: tuple[float, float, float] | None = None  # of these mistakes, if rows have different costs

    @property
    def within(self) -> bool:
        """Whether the whole points add at most 1% to the mistakes, or to their cost."""
        now, before, _ = self.costs or (self.mistakes, self.before, self.plain)
        return Fraction(now) <= Fraction(before) * (1 + ALLOWED)

    @property
    def statement(self) -> str:
        """The effect of the whole points on the mistakes, in one sentence."""
        part = f", chosen on {self.sample:,} of them" if self.sample < self.rows else ""
        which, where = f"Whole points up to {self.largest:,}", f"on {many(self.rows, 'row')}{part}"
        if self.costs is not None:
            now, before, plain = (f"{cost:,.6g}" for cost in self.costs)
            return (
                f"The mistakes of {which.lower()} cost {now} {where}; those of the unrounded points cost {before}, "
                f"and those of plain rounding {plain}."
            )
        more = self.mistakes - self.before
        than = f"{abs(more):,} {'more' if more > 0 else 'fewer'} than" if more else "as many as"
        return (
            f"{which} make {many(self.mistakes, 'mistake')} {where}, {than} the unrounded points; plain rounding makes "
            f"{self.plain:,}."
        )

    def as_record(self) -> dict[str, Any]:
        """The card and its mistakes as plain lists, numbers and texts."""
        counts = {name: getattr(self, name) for name in ("largest", "rows", "sample", "mistakes", "before", "plain")}
        costs = dict(zip(("cost", "cost_before", "cost_plain"), self.costs or (None,) * 3, strict=True))
        summary = {"within": self.within, "statement": self.statement, "card": self.card.as_record()}
        return {**counts, **costs, **summary}


def integers(
    points: PointRule, X: Any, y: Any, *, costs: Array | None = None, largest: int | str = "auto"
) -> IntegerCard:
    """The rule in small whole points, chosen for few mistakes on encoded rows X of class numbers y.

    `costs` are the costs of a mistake on each row; points are then chosen for a low total cost.
    `largest` is the most points for any value or unit of a number. "auto" chooses the smallest of 1, 2, 3, 5, 10, 20,
    50 and 100 for which `within` holds, or else 100.
    """
    sizes = SIZES if largest == "auto" else (largest,)
    if not all(type(size) is int and 1 <= size <= 10_000 for size in sizes):
        raise OptionError(f"largest must be 'auto' or a whole number from 1 to 10000, not {largest!r}")
    y = np.asarray(y)
    if X.shape != (y.size, points.encoding.size) or not np.isin(y, np.arange(len(points.classes))).all():
        raise DataError(f"expected rows of {points.encoding.size} features, each with its class number")
    chooser = _PointChooser(points, X, y, None if costs is None or np.ptp(costs) == 0.0 else costs, int(max(sizes)))
    for size in sizes[:-1]:
        found = chooser.card(int(size), AT_FIRST)
        if found.within:
            return chooser.card(int(size), WORK)
    return chooser.card(int(sizes[-1]), WORK)


def wrong_rows(points: PointRule, X: Any, y: Array) -> Array:
    """Which rows a rule gets wrong, by exact signs; with more than two classes, by computed scores."""
    yes = Examples(rows_of(X, bias=1.0), np.ones(y.size, np.int8))
    rules = zip(points.weights, points.intercepts, strict=True)
    scores = np.stack([find.margins(yes, np.array([*w, b])) for w, b in rules])
    zero = points.zero_is_yes
    predicted = scores.argmax(axis=0) if len(scores) > 1 else (scores[0] >= 0 if zero else scores[0] > 0)
    return np.asarray(predicted != y)


def whole_card(points: PointRule, means: Sequence[float] | None = None) -> Scorecard | None:
    """The scorecard of a rule with whole points, in these points; None for any other rule."""
    for binary in (False, True):
        measures = measures_of(points, binary=binary)
        factor = Fraction(1, _multiple(*_shares(points, measures)[:2]))
        card = card_of(points, factor, measures, means=means, centred=False)
        each = (line.points for one in card.cards for part in one.parts for line in part.lines if line.seen)
        if all(x.denominator == 1 for x in (*each, *(one.start for one in card.cards))):
            return card
    return None


class _PointChooser:
    """Chooses whole points of any size for a rule, on these rows."""

    def __init__(self, points: PointRule, X: Any, y: Array, costs: Array | None, largest: int) -> None:
        self.rule, self.X, self.y, self.costs = points, X, y, costs
        self.before = wrong_rows(points, X, y)
        self.grid, self.measures = _grid(points, largest)
        self.unrounded, self.thresholds = _before_rounding(points, self.measures)
        step = max(-(-(X.nnz if hasattr(X, "nnz") else X.size) // ENTRIES), 1)
        whole = np.ones(y.size) if costs is None else np.rint(costs / costs.max() * GRAIN)
        self.position = _Position(
            self.grid, X[::step], y[::step], whole[::step], np.sign(self.unrounded), points.zero_is_yes
        )

    def card(self, largest: int, work: float) -> IntegerCard:
        """The best card of this size that the search finds; at least as good as plain rounding."""
        plain = self.rounded(1.0, largest)
        both = [self.grid.points(self.rule, *place) for place in (plain, self.searched(plain, largest, work))]
        rounded, found = (wrong_rows(each, self.X, self.y) for each in both)
        best, wrong = (both[1], found) if self.cost(found) <= self.cost(rounded) else (both[0], rounded)
        card = card_of(best, Fraction(1, self.grid.multiple), self.measures, centred=False)
        mistakes, before, by_rounding = (int(each.sum()) for each in (wrong, self.before, rounded))
        costs = self.cost(wrong), self.cost(self.before), self.cost(rounded)
        return IntegerCard(
            best, card, largest, self.y.size, self.position.n, mistakes, before, by_rounding,
            None if self.costs is None else costs,
        )  # fmt: skip

    def cost(self, wrong: Array) -> float:
        """The cost of mistakes on these rows."""
        return float(wrong.sum()) if self.costs is None else fsum(self.costs[wrong])

    def rounded(self, times: float, largest: int) -> tuple[Array, Array]:
        """The points, simply rounded; with `times` 1, the largest points are the largest allowed."""
        scale = times * largest / (float(np.abs(self.unrounded).max(initial=0.0)) or 1.0)
        whole = np.clip(np.rint(self.unrounded * scale), -largest, largest).astype(np.int64)
        return whole, np.rint(self.thresholds * scale).astype(np.int64)

    def searched(self, plain: tuple[Array, Array], largest: int, work: float) -> tuple[Array, Array]:
        """The whole points and thresholds with the fewest mistakes that the search finds."""
        position, features = self.position, self.unrounded.shape[1]
        starts = [(position.go_to(*plain), *position.place)]
        for times in SCALES:
            position.go_to(*self.rounded(times, largest))
            for rule in range(position.rules):
                position.step(rule, features, largest)
            starts.append((position.mistakes(), *position.place))
        starts.sort(key=lambda start: start[0])
        by_size = [np.argsort(-np.abs(w), kind="stable").tolist() for w in self.unrounded]
        order = [(rule, j) for rule in range(position.rules) for j in (features, *by_size[rule])]
        ends = []
        position.work = 0.0
        for _, whole, thresholds in starts[:DESCENTS]:
            position.go_to(whole, thresholds)
            ends.append((position.descend(order, largest, work / 2), *position.place))
        best, whole, thresholds = min(ends, key=lambda end: end[0])
        position.go_to(whole, thresholds)
        rng = np.random.default_rng(0)
        while best > 0 and position.work < work:
            kept = position.whole.copy(), position.scores.copy()
            position.kick(rng, largest)
            if position.rules == 1:
                order = [order[k] for k in rng.permutation(len(order))]
            if (found := position.descend(order, largest, work)) <= best:
                best = found
            else:
                position.whole, position.scores = kept
        return position.place


@dataclass(frozen=True)
class _Grid:
    """Whole points as weights that no float rounds; a point is worth `multiple` in the score."""

    multiple: int
    unit: Array  # for each feature, its weight for one point
    offset: Array  # for each feature, what one point adds to the intercept
    absence: Array  # for each feature, the one that is 1 if it is missing, or -1

    def points(self, points: PointRule, whole: Array, thresholds: Array) -> PointRule:
        """The rule that consists of these whole points."""
        weights, there = whole * self.unit, self.absence >= 0
        weights[:, self.absence[there]] -= whole[:, there] * self.offset[there]
        intercepts = whole @ self.offset - float(self.multiple) * thresholds
        return replace(points, weights=tuple(map(tuple, weights.tolist())), intercepts=tuple(intercepts.tolist()))


def _grid(points: PointRule, largest: int) -> tuple[_Grid, dict[str, PointUnit]]:
    """A grid of round units if scores of such points are exact in double precision; otherwise of binary units."""
    for binary in (False, True):
        measures = measures_of(points, binary=binary)
        units, offsets, absence = _shares(points, measures)
        multiple = _multiple(units, offsets)
        each = [[float(multiple * x) for x in part] for part in (units, offsets)]
        grid = _Grid(multiple, np.array(each[0]), np.array(each[1]), np.array(absence))
        kept = each[0] + each[1] == [multiple * x for x in units + offsets]
        most = grid.points(points, np.full((1, len(units)), largest), np.ones(1))
        if kept and spare_bits(most.weights[0], most.intercepts[0], points.encoding.features) > 2:
            break
    return grid, measures


def _multiple(units: list[Fraction], offsets: list[Fraction]) -> int:
    """The score for one point, so that no float rounds it: a multiple of all odd denominators."""
    return lcm(*(x.denominator // (x.denominator & -x.denominator) for x in units + offsets))


def _shares(points: PointRule, measures: Mapping[str, PointUnit]) -> tuple[list[Fraction], list[Fraction], list[int]]:
    """For each feature, the weight and the intercept that one point is worth, and the feature for its absence."""
    units, offsets, absence = [], [], []
    for column in points.encoding.used:
        many = column.size
        if is_counted(column):
            unit, base = measures[column.name].unit, measures[column.name].base
            units.append(Fraction(column.scale) / unit)
            offsets.append((Fraction(column.centre) - base) / unit)
            absence.append(len(units) if column.missing else -1)
            many -= 1
        units += [Fraction(1)] * many
        offsets += [Fraction(0)] * many
        absence += [-1] * many
    return units, offsets, absence


def _before_rounding(points: PointRule, measures: Mapping[str, PointUnit]) -> tuple[Array, Array]:
    """The points before rounding, as on a scorecard, and the thresholds.

    The points of a column without missing values may be shifted, except for a yes/no column: its no has 0 points.
    """
    unrounded, thresholds = np.array(points.weights), -np.array(points.intercepts)
    for rule, card in enumerate(card_of(points, Fraction(1), measures).cards):
        parts, at = {part.column: part for part in card.parts}, 0
        for column, _ in points.columns(rule):
            part, place = parts[column.name], slice(at, at + column.size)
            at += column.size
            if is_counted(column):
                unrounded[rule, place] = [float(line.points) for line in part.lines[: column.size]]
            elif isinstance(column, CategoryColumn) and not isinstance(column, YesNoColumn):
                unrounded[rule, place] -= float(part.reference)
            else:
                continue
            thresholds[rule] -= float(part.reference)
    return unrounded, thresholds


class _Position:
    """Rows in units of points, the current whole points, and every row's scores with them."""

    def __init__(self, grid: _Grid, X: Any, y: Array, costs: Array, signs: Array, zero_is_yes: bool) -> None:
        self.y, self.n, self.costs, self.zero_is_yes = y, y.size, costs, zero_is_yes
        self.rules, self.signs = len(signs), signs
        self.multiple, self.work = float(grid.multiple), 0.0
        self.yes = np.where(y > 0, 1.0, -1.0)
        table = scipy.sparse.csc_array(X, dtype=np.float64)
        table.sort_indices()
        self.columns = [self._column(grid, table, j) for j in range(table.shape[1])]
        self.columns.append((np.arange(self.n), np.full(self.n, -self.multiple)))  # the threshold

    def _column(self, grid: _Grid, table: Any, j: int) -> tuple[Array, Array]:
        """The rows in which feature j is not zero, and what one point of it adds to each."""

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

    def go_to(self, whole: Array, thresholds: Array) -> int:
        """Switch to these whole points; returns the cost of their mistakes."""
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
            self.move(rule, j, int(np.clip(to, *self.ends(rule, j, largest)) - self.whole[rule, j]))
        self.work += many * LOOK

    def ends(self, rule: int, j: int, largest: int) -> tuple[int, int]:
        """The smallest and the largest points of a feature; the sign of the rule's own is kept."""
        return -largest if self.signs[rule, j] < 0 else 0, largest if self.signs[rule, j] > 0 else 0

    def sides(self, rule: int) -> tuple[Array, Array, Array]:
        """For every row: +1 if this rule's score must be above a level for the row to be right, -1 if below, 0 if no
        level helps; by how much it is above; and whether a score exactly at the level is right."""
        if self.rules == 1:
            return self.yes, self.scores[0], (self.yes > 0) == self.zero_is_yes
        others = self.scores.copy()
        others[rule] = -np.inf
        best, own = others.argmax(axis=0), self.y == rule
        sides = np.where(own, 1.0, np.where(best == self.y, -1.0, 0.0))
        above = self.scores[rule] - others[best, np.arange(self.n)]
        return sides, above, np.where(own, rule < best, best < rule)

    def mistakes(self) -> int:
        """The cost of the rows that are wrong."""
        sides, above, ties = self.sides(0)
        return int(self.costs.sum() - self.costs[(sides * above > 0) | ((above == 0) & ties & (sides != 0))].sum())

    def step(self, rule: int, j: int, largest: int) -> int:
        """Move one feature to the nearest whole number with the cheapest mistakes; returns by how much."""
        sides, above, ties = self.sides(rule)
        rows, values = self.columns[j]
        self.work += rows.size + LOOK + (self.rules > 1) * self.scores.size
        reach = int(np.abs(above).max() / self.multiple) + 1
        now = int(self.whole[rule, j])
        low, high = -reach, reach
        if j < len(self.columns) - 1:  # not the threshold
            low, high = (end - now for end in self.ends(rule, j, largest))
        right = _right(sides[rows] * above[rows], sides[rows] * values, ties[rows], self.costs[rows], low, high)
        gain = int(right.max() - right[-low])
        if gain:
            best = np.flatnonzero(right == right.max()) + low
            self.move(rule, j, int(best[np.argmin(np.abs(best))]))
        return gain

    def descend(self, order: Sequence[tuple[int, int]], largest: int, work: float) -> int:
        """Step along the features in turn until none helps; returns the cost of the remaining mistakes."""
        idle, at = 0, 0
        while idle < len(order) and self.work < work:
            idle = 0 if self.step(*order[at % len(order)], largest) else idle + 1
            at += 1
        return self.mistakes()


def _right(margins: Array, slopes: Array, ties: Array, costs: Array, low: int, high: int) -> Array:
    """The total cost of the rows that are right after each whole step from `low` to `high`."""
    rising, falling = slopes > 0, slopes < 0
    crossing = -margins / np.where(slopes, slopes, 1.0)
    next_up, next_on = np.floor(crossing) + 1, np.ceil(crossing)
    width = high - low + 1

    def counted(first: Array, some: Array) -> Array:
        places = np.clip(first - low, 0, width).astype(np.int64)[some]
        return np.cumsum(np.bincount(places, costs[some], minlength=width + 1)[:width])

    begins, ends = np.where(ties, next_on, next_up), np.where(ties, next_up, next_on)
    return np.asarray(counted(begins, rising) - counted(ends, falling) + costs[falling].sum())
