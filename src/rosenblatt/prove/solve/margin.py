"""The largest margin, with rigorous bounds.

Problem   gamma(D) = max over unit vectors w of min_i z_i . w (Harchaoui, 2.2.1), where the threshold's weight is an
          entry of w; or, with `affine`, where the threshold does not count in the length.
Result    `Margin`: a lower bound (reached by the weights given) and an upper bound, with the certificate of both.
          If the examples are not separable, the certificate is the contradiction, which proves gamma <= 0. How far
          below zero gamma is, `negative_margin` finds.
Method    The shortest vector x in the convex hull of the signed rows has ||x|| = gamma, and x / ||x|| has that margin;
          for the affine margin, x joins the hulls of the two classes and ||x|| = 2 gamma. `wolfe` finds it in floats,
          over an active set of rows that grows by the lowest of all rows; if there are very many, by the lowest of a
          part first. In many dimensions, most of the active set is found with a soft margin, in fewer and cheaper
          steps. If floats leave a gap, `rational` closes it in whole numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from math import isfinite
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.geometry import wolfe
from rosenblatt.geometry.working_set import ActiveRows, are_too_large
from rosenblatt.prove.check import exact, scores
from rosenblatt.prove.check.certificate import Contradiction, Separation
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointSeparation
from rosenblatt.prove.solve import negative_margin, rational, refined
from rosenblatt.prove.solve.clock import Clock, TimeIsUp
from rosenblatt.prove.solve.separability import MANY as MANY_WEIGHTS
from rosenblatt.prove.solve.separability import Separable, Undecided, decide, learned, separation
from rosenblatt.rows import find
from rosenblatt.rows.cone import cone_of, refuse_several
from rosenblatt.rows.door import names_of
from rosenblatt.rows.examples import Examples, labels_of
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.visible import ReadableResult

GAP = 1e-9  # of the margin; what floats leave beyond is closed in whole numbers
SOME = 0.5  # of the level is enough while many rows are still to come
STAGES = ((8, SOME), (1, SOME), (1, 1.0))  # one in how many rows is examined, and the share of the level that suffices
MANY = 50  # times as many rows as are active at first: then some are looked at before all
WIDE_ENOUGH = 24  # weights, so that soft ones are found sooner than exact ones
FEW = (1.5, 1.2)  # rows below the soft level for each weight: while many rows are still to come, and then
WIDE = 2.0  # times the level: rows so near join too, because one of them may soon be low
LEVEL = 1e-12  # of the level: rows lower than that join the active set


Proof = Separation | Contradiction | JointSeparation | JointContradiction


@dataclass(frozen=True, repr=False)
class Margin(ReadableResult):
    """An interval that contains the largest margin, and its proof."""

    lower: float
    upper: float
    weights: tuple[exact.Number, ...]  # that reach the lower bound: per feature, then the threshold; class by class
    certificate: Proof | None  # None: time or memory were not enough for any

    @property
    def gap(self) -> float:
        """The width of the interval, relative to its upper end."""
        return (self.upper - self.lower) / abs(self.upper) if self.upper else self.upper - self.lower

    @property
    def support(self) -> tuple[int, ...]:
        """The rows that prove the upper bound."""
        if isinstance(self.certificate, Separation | JointSeparation):
            return self.certificate.support
        return self.certificate.rows if self.certificate else ()

    def __str__(self) -> str:
        if self.certificate is None:
            return "No margin could be proved within the limits of time and memory."
        if isinstance(self.certificate, Separation | JointSeparation) or not isfinite(self.lower + self.upper):
            return self.certificate.statement
        return f"{self.certificate.statement} The largest margin is between {self.lower!r} and {self.upper!r}."


def margin(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    bias_scale: float = 1.0,
    affine: bool = False,
    monotonic_cst: Any = None,
    max_seconds: float | None = None,
    verbose: bool = False,
) -> Margin:
    """The largest margin of any linear rule on these rows.

    With more than two classes, it is the largest margin that all rows can have at once, with weights of total length 1:
    the smallest lead of a row's class over the other classes. There is no affine margin for several classes.
    With `monotonic_cst`, as for `Perceptron`, it is that of rules that keep these constraints, to a thousandth; there
    is no affine one, and if there is no such rule, only that it is not above 0 is proved.
    With `max_seconds`, kept to within about two seconds, the interval may stay wide. It also stays wide if the
    table has more than 10,000 columns and more than 100 million cells, zeros included, because the search for the
    largest margin would take too much memory.
    With `verbose`, progress is reported on standard error.

    >>> from rosenblatt import margin
    >>> wide = margin([[0.0], [4.0]], [0, 1], affine=True)
    >>> wide.lower, wide.upper, wide.support
    (2.0, 2.0, (0, 1))
    >>> margin([[0.0], [4.0], [5.0]], [0, 1, 0]).upper  # not separable; 1 / 85**0.5
    -0.10846522890932808
    """
    affine, fit_intercept = options.flag("affine", affine), options.flag("fit_intercept", fit_intercept)
    if affine and not fit_intercept:
        raise OptionError("an affine margin needs a threshold: fit_intercept must be True")
    labels = labels_of(y)
    if labels.are_several:
        if affine:
            raise OptionError("an affine margin needs two classes; with more, every threshold counts in the length")
        refuse_several(monotonic_cst)
        from rosenblatt.prove.solve import joint_separability

        several = JointExamples.of(X, labels, fit_intercept=fit_intercept, bias_scale=bias_scale)
        return joint_separability.largest(several, Clock(max_seconds, verbose))
    examples = Examples.of(X, labels, fit_intercept=fit_intercept, bias_scale=bias_scale)
    clock = Clock(max_seconds, verbose)
    if cone := cone_of(monotonic_cst, examples.size - 1, names_of(X)):
        if affine:
            raise OptionError("there is no affine margin under constraints: the threshold counts in the length")
        return import_module("rosenblatt.prove.solve.constrained").margin_in(cone, examples, clock)  # type: ignore[no-any-return]
    return largest(examples, affine=affine, clock=clock)


def largest(
    examples: Examples, *, affine: bool = False, clock: Clock | None = None, proved: Separation | None = None
) -> Margin:
    """The largest margin on examples that have already been read; `proved` is a proof to fall back on."""
    clock = clock or Clock()
    if proved is None and clock.is_limited and examples.size > MANY_WEIGHTS:
        proved = learned(examples, "mistake", clock)
    too_large, is_late = are_too_large(examples), proved is not None and clock.late()
    known = None if is_late else as_far_as_floats_go(examples, affine, clock)
    if known is None:
        verdict = Separable(proved) if proved else decide(examples, clock=clock)
        if isinstance(verdict, Undecided):
            return Margin(-2 * examples.radius, 2 * examples.radius, (), None)
        if isinstance(verdict.certificate, Contradiction):
            if too_large:
                return Margin(-2 * examples.radius, 0.0, (), verdict.certificate)
            return Margin(*negative_margin.widest(examples, affine, clock), verdict.certificate)
        known = verdict.certificate
    if not too_large and (known.affine != affine or known.upper - known.lower > GAP * known.upper):
        clock.doing = "in whole numbers"
        known = _in_whole_numbers(examples, affine, known.support, clock) or known
    if known.affine != affine:  # there was no time or memory: the threshold counts in what is known
        return Margin(known.lower, 2 * examples.radius, known.weights, None)
    return Margin(known.lower, known.upper, known.weights, known)


def as_far_as_floats_go(examples: Examples, affine: bool, clock: Clock) -> Separation | None:
    """The largest margin that floats find, proved; None if they do not even separate the rows, or not in time."""
    if are_too_large(examples):
        return None
    with np.errstate(all="ignore"):  # floats only propose
        return _MarginSearch(examples, affine, clock).proof()


class _MarginSearch:
    """The search in floats, over an active set of rows that grows."""

    def __init__(self, examples: Examples, affine: bool, clock: Clock) -> None:
        self.examples, self.affine, self.clock = examples, affine, clock
        self.size = float(np.ldexp(1.0, np.clip(np.frexp(examples.radius)[1], -1000, 1000)))
        self.active = ActiveRows(examples, np.full(examples.size, self.size), unit=False)
        first = [int(np.argmax(examples.labels[self.active.rows] == label)) for label in (-1, 1)]
        self.begin = np.array(first if affine else first[:1])
        self.soft: wolfe.Soft | None = None
        self.seen: find.Seen | None = None
        self.softly = examples.size >= WIDE_ENOUGH and 2 * examples.size <= self.active.rows.size < examples.n

    def proof(self) -> Separation | None:
        """The largest margin that floats find; None if they do not even separate the rows."""
        examples, active = self.examples, self.active
        stages = iter(STAGES[_first_stage(examples.n, active.rows.size) :])
        every, enough = next(stages)
        while True:
            self.clock.doing = f"{active.rows.size} of {examples.n} rows are active"
            rule = self._soft_rule(enough) if self.softly else self._rule(enough)
            if rule is None:
                return None
            w, level = rule
            margins = self._margins(w, WIDE * level, every)
            self.clock.spend(examples.rows.values.size / every)
            near = np.flatnonzero(margins < WIDE * level)
            low = (margins[near] < (1 - LEVEL) * enough * level) & ~active.is_active[near]
            if enough == 1.0 and not low.any():
                break
            fresh = active.add_lowest(near, margins[near])
            if low.sum() <= examples.size or not fresh:
                every, enough = next(stages, (1, 1.0))
        rows, multipliers = active.multipliers(self.found.corral, self.found.weights)
        if self.affine:
            multipliers = _balanced(examples, rows, multipliers)
        least = _least(examples, w, margins)
        certificate = separation(examples, "mistake", tuple(w.tolist()), rows, multipliers, self.affine, least)
        return certificate if certificate.lower > 0.0 else None

    def _margins(self, w: Array, bound: float, every: int) -> Array:
        """The margins of the rows that may be below the bound; or those of one stretch of rows in `every`."""
        if every > 1:
            return find.margins(self.examples, w, every)
        margins, self.seen = find.margins_below(self.examples, w, bound, self.seen)
        return margins

    def _soft_rule(self, enough: float) -> tuple[Array, float] | None:
        """Weights, and the level that nearly all active rows reach; finally, the level that all reach, from there."""
        last, counted = enough == 1.0, self.examples.size - self.affine
        few = FEW[last] * self.examples.size
        self.soft = wolfe.soft(self.active.points, counted, few, self.soft, self.clock.late)
        if np.unique(self.examples.labels[self.active.rows[self.soft.below]]).size > self.affine:
            self.begin = self.soft.below
        self.softly = self.soft.settled and not last
        return (self.soft.w, self.size) if self.softly else self._rule(enough)

    def _rule(self, enough: float) -> tuple[Array, float] | None:
        """Weights, and the level that all active rows reach, or a part of it; None if floats cannot tell it from 0.

        For the affine margin, the threshold is between the two classes.
        """
        labels, points = self.examples.labels[self.active.rows], self.active.points
        groups = np.ones((labels.size, 1))
        if self.affine:
            groups, points = np.stack([labels < 0, labels > 0], axis=1).astype(float), np.delete(points, -1, axis=1)
        found = wolfe.nearest(points, groups, self.begin, enough=enough, stop=self.clock.late)
        if self.clock.late() or found.is_zero or not found.x.any():
            return None
        self.found = wolfe.polished(points, groups, found, self.clock.late) if enough == 1.0 else found
        self.begin, members = found.corral, groups[found.corral]
        levels = (points[found.corral] @ self.found.x) @ members / members.sum(axis=0) * self.size
        threshold = [(levels[0] - levels[1]) / 2 / self.examples.rows.bias] if self.affine else []
        w = np.append(self.found.x, threshold)
        return (w, max(float(levels.mean()), 0.0)) if np.isfinite(w).all() else None


def _first_stage(n: int, active: int) -> int:
    """The stage to start with: not a part of the rows if they are few, nor a part of the level if all are active."""
    return 0 if n > MANY * active else 1 if n > active else 2


def _least(examples: Examples, w: Array, margins: Array) -> Fraction | None:
    """The smallest margin, exactly, if the margins in floats leave only a few candidates."""
    rows = find.lowest(examples, w, margins)
    return exact.least_of(examples, w.tolist(), rows.tolist())[0] if rows.size <= scores.FEW else None


def _balanced(examples: Examples, rows: tuple[int, ...], multipliers: tuple[int, ...]) -> tuple[int, ...]:
    """Multipliers with equal sums over the two classes, by a small change to the largest one on the smaller side."""
    signed = [int(examples.labels[row]) * k for row, k in zip(rows, multipliers, strict=True)]
    excess = sum(signed)
    place = min(range(len(rows)), key=lambda k: signed[k] * (1 if excess > 0 else -1))
    return tuple(k + abs(excess) * (i == place) for i, k in enumerate(multipliers))


def _in_whole_numbers(examples: Examples, affine: bool, begin: tuple[int, ...], clock: Clock) -> Separation | None:
    """The margin exactly; the remaining interval comes from rounding its bounds. None if time ran out."""
    if affine:  # each class must have a row to begin with
        begin += tuple(
            int(np.argmax(examples.labels == label)) for label in {-1, 1} - {*examples.labels[[*begin]].tolist()}
        )
    found = None
    for method in (refined.nearest, rational.nearest):
        if method is rational.nearest and not clock.allows(
            rational.descent_takes(exact.signed_rows(examples, begin)[0])
        ):
            break
        try:
            mixture = method(examples, affine, begin, clock.keep_time)
        except TimeIsUp:
            break
        if mixture is None:
            continue
        for weights in _weights(examples, mixture, affine):
            if not exact.mistakes(examples, weights, "mistake").size:
                found = separation(examples, "mistake", weights, mixture.rows, mixture.multipliers, affine)
                if found.upper - found.lower <= GAP * found.upper:
                    return found
    return found  # among the subnormal numbers no float is near enough


def _weights(examples: Examples, mixture: rational.Mixture, affine: bool) -> Iterator[tuple[exact.Number, ...]]:
    """The mixture as weights: rounded to floats or, if those do not work, exact."""
    weights = negative_margin.centred(examples, mixture.x) if affine else mixture.x
    yield exact.as_floats(weights)
    yield weights
