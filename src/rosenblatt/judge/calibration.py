"""Probabilities that mean what they say: of the rows given a probability of 30%, about 30 in 100 should be yes.

Problem   a higher score makes yes likelier; how likely is it?
Input     rows that the rule was not learned from: their scores and labels.
Result    a small value that turns a score into a probability: the logistic of a line (`Sigmoid`), a table of steps
          (`Steps`, isotonic), or steps with a lower and an upper probability (`VennAbers`).
Papers    Platt 2000 with Lin, Lin and Weng 2007; Zadrozny and Elkan 2002 (isotonic); Vovk and Petej 2014, and Vovk,
          Petej and Fedorova 2015 (Venn-Abers).

A table compares the score with its edges and nothing else, so every engine finds the same numbers, bit for bit. The
logistic rests on the engine's own exp, which may differ in the last place: decide by the score, never by its logistic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf
from sys import float_info
from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.judge.pooling_kernels import insert, link, pool
from rosenblatt.judge.scored import Groups, Scored, numbers_of, plain
from rosenblatt.options import number
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array

FARTHEST = 700.0  # exp of more may overflow a double
LARGEST = float_info.max / 2  # of a score: differences are finite
STEPS = 100  # of Newton's method, at most; ten are usually enough
ENOUGH = 1e-12  # a slope below this, for each row, counts as flat
LEAST_STEP = 1e-10


@dataclass(frozen=True)
class Sigmoid:
    """The logistic of a line: 1 / (1 + exp(a score + b)). Where higher scores speak for yes, a is negative."""

    a: float
    b: float

    def __post_init__(self) -> None:
        number("a", self.a)
        number("b", self.b)

    def of(self, scores: Any) -> Array:
        """The probability of yes."""
        with np.errstate(over="ignore"):  # a product that is too large for a double is as good as FARTHEST
            line = self.a * np.asarray(scores, dtype=np.float64) + self.b
        return 1.0 / (1.0 + np.exp(np.clip(line, -FARTHEST, FARTHEST)))


@dataclass(frozen=True)
class Steps:
    """A table: values[0] below the first edge, values[k] from edge k on (the score is at or above it)."""

    edges: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        _checked(self.edges, self.values)

    def of(self, scores: Any) -> Array:
        """The probability of yes."""
        return np.array(self.values)[_place(self.edges, scores)]


@dataclass(frozen=True)
class VennAbers:
    """A lower and an upper probability of yes; the more rows they are made from, the closer they are.

    For rows drawn alike, one of the two is perfectly calibrated, whatever the rule: which one, only the label tells.
    """

    edges: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        _checked(self.edges, self.lower)
        _checked(self.edges, self.upper)
        if not all(low <= high for low, high in zip(self.lower, self.upper, strict=True)):
            raise DataError("a lower probability must not be above the upper one")

    def interval(self, scores: Any) -> tuple[Array, Array]:
        """The lower and the upper probability."""
        place = _place(self.edges, scores)
        return np.array(self.lower)[place], np.array(self.upper)[place]

    def of(self, scores: Any) -> Array:
        """The single probability with the least regret of the two: upper / (1 - lower + upper)."""
        return np.array(self.merged.values)[_place(self.edges, scores)]

    @property
    def merged(self) -> Steps:
        """The table of single probabilities."""
        low, high = np.array(self.lower), np.array(self.upper)
        single = np.maximum.accumulate(high / (1.0 - low + high))  # rounding must not let it decrease
        return Steps(self.edges, tuple(single.tolist()))


@dataclass(frozen=True)
class CrossVennAbers:
    """The Venn-Abers values of several folds, each from the rows that the fold's rule was not learned from.

    No row is spent on calibration alone. It works well, but the guarantee of a single Venn-Abers value is lost.
    """

    folds: tuple[VennAbers, ...]

    def of(self, scores: Any) -> Array:
        """The probability of yes; a column of scores for each fold's rule, or one that is the same for all.

        The geometric means of what the folds say (the least regret in log loss): G(p1) / (G(1 - p0) + G(p1)).
        """
        table = np.asarray(scores, dtype=np.float64)
        columns = [table] * len(self.folds) if table.ndim == 1 else list(table.T)
        if len(columns) != len(self.folds):
            raise DataError(f"there are {len(columns)} columns of scores for {len(self.folds)} folds")
        pairs = [fold.interval(column) for fold, column in zip(self.folds, columns, strict=True)]
        no, yes = (np.exp(np.mean(np.log(each), axis=0)) for each in ([1 - p for p, _ in pairs], [p for _, p in pairs]))
        return np.asarray(yes / (no + yes))


@dataclass(frozen=True)
class OneVsRest:
    """Several classes: a probability of each against the rest, divided by their sum."""

    classes: tuple[Sigmoid | Steps | VennAbers, ...]

    def of(self, scores: Any) -> Array:
        """A row of probabilities for each row of scores; where all are 0, every class is as likely."""
        each = [one.of(column) for one, column in zip(self.classes, self.columns(scores).T, strict=True)]
        total = reduce(np.add, each)  # one after the other, as every engine can
        shares = [np.where(total > 0, p / np.where(total > 0, total, 1.0), 1 / len(each)) for p in each]
        return np.stack(shares, axis=1)

    def columns(self, scores: Any) -> Array:
        """What the probability of each class is looked up by: here, its score."""
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.classes):
            raise DataError(f"scores must be a table with {len(self.classes)} columns, one for each class")
        return table


@dataclass(frozen=True)
class ByLead(OneVsRest):
    """The same, but the probability of each class is looked up by how far its score is ahead of the highest other.

    Since the highest score decides, a score alone says little: only differences matter.
    """

    def columns(self, scores: Any) -> Array:
        """What the probability of each class is looked up by: its lead."""
        return ahead(super().columns(scores))


def ahead(scores: Array) -> Array:
    """How far the score of each class is ahead of the highest other; below 0 for those that are behind."""
    places, scores = np.arange(scores.shape[1]), np.clip(scores, -LARGEST, LARGEST)
    return np.stack([scores[:, k] - scores[:, places != k].max(axis=1) for k in places], axis=1)


def sigmoid(rows: Scored) -> Sigmoid:
    """Platt's sigmoid, with the targets of Platt and the Newton steps of Lin, Lin and Weng: few rows are enough.

    The targets are (yes + 1) / (yes + 2) and 1 / (no + 2) instead of 1 and 0, so the least is always reached.
    """
    groups = rows.with_both_classes("calibration").groups
    middle, scale = _middle_and_scale(groups.scores)
    x, weights = (groups.scores - middle) / scale, groups.all
    yes, no = float(groups.yes.sum()), float(groups.no.sum())
    targets = groups.yes * ((yes + 1) / (yes + 2)) + groups.no / (no + 2)  # of all rows of a group together
    a, b = _newton(x, weights, targets, b=float(np.log((no + 1) / (yes + 1))))
    slope = min(max(a / scale, -float_info.max), float_info.max)  # of scores near the smallest doubles
    return Sigmoid(slope, b - slope * middle)


def _middle_and_scale(scores: Array) -> tuple[float, float]:
    """Numbers that bring scores, lowest first, to about -1 to 1."""
    middle = float(scores[0] / 2 + scores[-1] / 2)
    scale = float(max(scores[-1] - middle, middle - scores[0]))
    return middle, scale if scale > 0 else 1.0


def _newton(x: Array, weights: Array, targets: Array, b: float) -> tuple[float, float]:
    """The a and b of the least log loss; each step is halved until it helps, or is too small to."""

    def loss_at(a: float, b: float) -> tuple[float, Array]:
        """The log loss, and the probability of yes."""
        line = a * x + b
        small = np.exp(-np.abs(line))
        loss = weights @ (np.maximum(line, 0.0) + np.log1p(small)) - (weights - targets) @ line
        return float(loss), np.where(line > 0, small, 1.0) / (1.0 + small)

    a, flat = 0.0, ENOUGH * float(weights.sum())
    loss, p = loss_at(a, b)
    for _ in range(STEPS):
        left, bend = targets - weights * p, weights * p * (1 - p)
        slope_a, slope_b = float(left @ x), float(left.sum())
        if max(abs(slope_a), abs(slope_b)) <= flat:
            break
        bent = bend * x
        aa, ab, bb = float(bent @ x) + flat, float(bent.sum()), float(bend.sum()) + flat
        det = aa * bb - ab * ab
        step_a, step_b = (ab * slope_b - bb * slope_a) / det, (ab * slope_a - aa * slope_b) / det
        gain, size = slope_a * step_a + slope_b * step_b, 1.0
        while (tried := loss_at(a + size * step_a, b + size * step_b))[0] >= loss + 1e-4 * size * gain:
            size /= 2
            if size < LEAST_STEP:
                return a, b
        a, b, (loss, p) = a + size * step_a, b + size * step_b, tried
    return a, b


def isotonic(rows: Scored) -> Steps:
    """The non-decreasing table with the least squared error (and the least log loss), by pooling adjacent violators.

    A step begins at the lowest score of its block: what lies between two blocks has the lower one's probability. Values
    of 0 and 1 are what the rows say, not certainty; `venn_abers` has none.
    """
    groups = rows.with_both_classes("calibration").groups
    begins, values = pooled(groups.yes, groups.all)
    return Steps(tuple(groups.scores[begins[1:]].tolist()), tuple(values.tolist()))


def pooled(yes: Array, weights: Array) -> tuple[Array, Array]:
    """Where the blocks of the isotonic regression of yes / weights begin, and their increasing values."""
    totals, sums, begins = yes.astype(np.float64), weights.astype(np.float64), np.empty(yes.size, np.int64)
    blocks = briefly(pool, 4 * yes.size)(totals, sums, begins)
    values = totals[:blocks] / sums[:blocks]
    new = np.concatenate([[True], values[1:] > values[:-1]])  # products of weights may round where quotients do not
    return begins[:blocks][new], np.minimum(values[new], 1.0)


def venn_abers(rows: Scored) -> VennAbers:
    """The inductive Venn-Abers predictor: isotonic regression with the new row as a no, and again with it as a yes.

    Both for every score that a new row could have, in one walk along the scores each. Its guarantee is for rows drawn
    alike, so weights are refused.
    """
    groups = rows.without_weights("Venn-Abers").with_both_classes("calibration").groups
    x, y = _diagram(groups)
    after = np.empty(x.size, np.int64)
    briefly(link, 10 * x.size)(x, y, after)
    lower, upper = (_inserted(x, y, after, label) for label in (0, 1))
    edges = np.empty(2 * groups.scores.size)
    with np.errstate(over="ignore"):  # there is no gap above the largest double
        edges[0::2], edges[1::2] = groups.scores, np.nextafter(groups.scores, inf)  # at the score, and above it
    there = edges < np.append(edges[1:], inf)  # between neighbouring doubles there is no gap
    edges, lower, upper = edges[there], lower[np.append(True, there)], upper[np.append(True, there)]
    new = (lower[1:] != lower[:-1]) | (upper[1:] != upper[:-1])
    kept = np.append(True, new)
    return VennAbers(tuple(edges[new].tolist()), tuple(lower[kept].tolist()), tuple(upper[kept].tolist()))


def _diagram(groups: Groups) -> tuple[Array, Array]:
    """The rows, and those that are yes, up to each group: the corners of the cumulative sum diagram."""
    x, y = (np.append(0.0, np.cumsum(each)).astype(np.int64) for each in (groups.all, groups.yes))
    return x, y


def _inserted(x: Array, y: Array, after: Array, label: int) -> Array:
    """The value of a new row with this label, in each gap and at each group."""
    rises, runs = np.empty(2 * x.size - 1, np.int64), np.empty(2 * x.size - 1, np.int64)
    briefly(insert, 10 * x.size)(x, y, after, label, np.empty(x.size, np.int64), rises, runs)
    return np.asarray(rises / runs)


def one_vs_rest(columns: Sequence[Sigmoid | Steps | VennAbers]) -> OneVsRest:
    """Probabilities of several classes, from the calibration of each one's score against the rest."""
    if len(columns) < 3:
        raise DataError("one_vs_rest needs three classes or more; for two, calibrate the one score")
    return OneVsRest(tuple(columns))


def _place(edges: tuple[float, ...], scores: Any) -> Array:
    """How many edges each score is at or above."""
    return np.asarray(np.searchsorted(np.array(edges), numbers_of(scores, "scores"), side="right"))


def _checked(edges: tuple[float, ...], values: tuple[float, ...]) -> None:
    """Refuse edges and values that are not a table of non-decreasing probabilities."""
    found = plain("edges", edges)
    if (found[1:] <= found[:-1]).any():
        raise DataError("edges must increase")
    if len(values) != len(edges) + 1:
        raise DataError(f"{len(edges)} edges need {len(edges) + 1} values, not {len(values)}")
    found = plain("probabilities", values)
    if not ((found >= 0) & (found <= 1)).all() or (found[1:] < found[:-1]).any():
        raise DataError("probabilities must be from 0 to 1, and must not decrease")
