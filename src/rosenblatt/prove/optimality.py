"""How few mistakes are possible? An interval, with the proof of both ends.

Problem   the fewest rows that any weights get wrong. To find it is NP-hard in general; to bound it is not.
Result    `ErrorInterval`: a rule and its mistakes, and contradictions that no fewer rows are in all of.
Method    Every rule errs at least once in each contradiction, so disjoint ones are counted. First equal rows with
          different labels, in pairs. Then for every mistake e of the rule, nearest the boundary first, rows that it has
          right and that contradict e: -z_e is in their cone, which the shortest vector of z_e + cone tells (`wolfe`).
          One mistake each, so there may be as many contradictions as mistakes.
          A few rows more: overlapping contradictions, until what the smallest set of rows in all of them leaves is
          separable (Parker and Ryan, Annals of Mathematics and Artificial Intelligence 17, 1996).
          With one or two features, a sweep over all lines gives the number itself (`sweep`).
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from rosenblatt import timing
from rosenblatt.errors import OptionError
from rosenblatt.examples import Examples, some_rows
from rosenblatt.kernels import Array
from rosenblatt.kesler import JointExamples, has_several_classes
from rosenblatt.learn import pocket, wolfe
from rosenblatt.learn.active_rows import lowest, whole_multipliers
from rosenblatt.learn.rules import TIES, Budget, generator_of, start_weights, ties_named
from rosenblatt.learn.space import Space, space_of
from rosenblatt.prove import certificate, exact, sweep
from rosenblatt.prove.certificate import Contradiction, ErrorInterval
from rosenblatt.prove.clock import Clock, TimeIsUp
from rosenblatt.prove.joint_certificate import JointErrorInterval
from rosenblatt.prove.separability import (
    NotSeparable,
    Separable,
    column_sizes,
    contradiction,
    decide,
    in_order_of_equals,
    proposed,
)

KICKS = 20
ROWS_AT_ONCE = 50  # and four per dimension
WORK = 1e7  # operations on words, for one contradiction in whole numbers
FEW_ROWS = 200  # among so many, the smallest set of rows is searched for
ROUNDS = 100  # of more contradictions
NODES = 100_000  # that the search for a smallest set may look at


def optimality(
    X: Any,
    y: Any,
    rule: Any = None,
    *,
    fit_intercept: bool = True,
    bias_scale: float = 1.0,
    ties: str = "minus",
    random_state: Any = 0,
    max_seconds: float | None = None,
    verbose: bool = False,
) -> ErrorInterval | JointErrorInterval:
    """How many mistakes a rule makes, and how few any rule can make, with the proof.

    Of more than two classes, rules are linear scores of all classes, the largest of which is chosen, and the result is
    a `JointErrorInterval`; weights are then a table with a row for each class, and `ties` do not count.

    `rule` is a fitted linear estimator of this package, whose mistakes are counted as its `predict` makes them; or
    weights, one per feature and optionally one for the threshold's constant feature; or None, for the best rule that
    can be found. For those, `ties` says what a score of exactly 0 is: "minus", a no, which is what rules predict;
    "plus", a yes; "mistake", wrong for either class. With `max_seconds`, kept to within some two seconds, the interval
    may stay wide.

    >>> from rosenblatt import optimality
    >>> interval = optimality([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> print(interval.statement)
    The rule makes 1 mistake on 4 rows, which is the fewest possible.
    """
    bias = bias_scale if fit_intercept else 0.0
    weights, joint = rule, has_several_classes(y)
    if joint and hasattr(rule, "joint_rule"):
        weights, bias = rule.joint_rule()
    elif hasattr(rule, "one_linear_rule"):
        weights, bias, ties = rule.one_linear_rule()
    elif hasattr(rule, "fit") or hasattr(rule, "learn_one"):
        raise OptionError("optimality judges linear rules of this package, or weights: give it those, as an array")
    ties_named(ties)
    rng = generator_of(random_state)
    threshold: Any = {"fit_intercept": bias != 0.0, "bias_scale": bias or 1.0}
    if joint:
        from rosenblatt.prove import joint_optimality

        several = JointExamples.of(X, y, **threshold)
        return joint_optimality.interval(several, weights, rng, Clock(max_seconds, verbose))
    examples = Examples.of(X, y, **threshold)
    return interval(examples, weights, ties, rng, Clock(max_seconds, verbose))


def interval(
    examples: Examples, weights: Any, ties: str, rng: np.random.Generator, clock: Clock | None = None
) -> ErrorInterval:
    """The same for examples that are read already; None stands for the best weights that can be found."""
    clock = clock or Clock()
    w = best_rule(examples, ties, rng, clock) if weights is None else start_weights(weights, examples, rng)
    rule: tuple[exact.Number, ...] = tuple(w.tolist())
    wrong = exact.mistakes(examples, rule, ties)
    proofs: list[Contradiction] = []
    lower = 0
    if wrong.size and ties != "correct" and not clock.late():
        with threadpool_limits(1, user_api="blas"), np.errstate(all="ignore"):  # floats only propose
            proofs = _Packing(examples, ties, w, wrong, clock).contradictions()
        lower = len(proofs)
        if lower < wrong.size and sweep.is_about(ties, examples):
            clock.doing = "looking at all lines"
            with suppress(TimeIsUp):
                lower, best = sweep.fewest(examples, clock.keep_time)
                proofs = []
                if weights is None:
                    rule, wrong = best, exact.mistakes(examples, best, ties)
        elif lower < wrong.size and examples.n <= FEW_ROWS:
            rest = partial(_packed, examples, ties)
            lower, proofs, better = more_contradictions(rest, examples.n, proofs, wrong.size, clock)
            if better and weights is None:
                rule, wrong = better, exact.mistakes(examples, better, ties)
    return ErrorInterval(
        **certificate.shape_of(examples), ties=ties, weights=rule, lower=lower, upper=int(wrong.size),
        swept=bool(lower and not proofs), contradictions=tuple(proofs),
    )  # fmt: skip


def best_rule(examples: Examples, ties: str, rng: np.random.Generator, clock: Clock) -> Array:
    """The best weights that the pocket and its descent find; half of the time is left for proofs."""
    seconds = None if clock.left is None else clock.left / 2
    budget = Budget(max_updates=pocket.enough_updates(examples), max_seconds=seconds, patience=KICKS)
    shared: Any = {"ties": TIES[ties], "budget": budget, "rng": rng}
    begun = timing.now()
    run = pocket.learn(examples, np.zeros(examples.size), **shared)
    return pocket.improved(run, examples, begun=begun, **shared).weights


class _Packing:
    """Disjoint contradictions, each with one mistake of a rule."""

    def __init__(self, examples: Examples, ties: str, w: Array, wrong: Array, clock: Clock) -> None:
        self.examples, self.ties, self.clock = examples, ties, clock
        self.space: Space = space_of(examples)
        scores = self.space.scores(self.space.coordinates(w / (np.abs(w).max() or 1.0)))
        self.free = np.ones(examples.n, bool)  # rows that are right, and in no contradiction yet
        self.free[wrong] = False
        nearness = np.abs(scores[wrong]) / examples.lengths[wrong].clip(1e-300)
        self.scores, self.wrong = scores, wrong[np.argsort(nearness, kind="stable")]

    def contradictions(self) -> list[Contradiction]:
        """As many as can be found."""
        found, used = self._of_single_rows(), set()
        found += self._of_equal_rows({row for proof in found for row in proof.rows})
        for proof in found:
            used |= set(proof.rows)
        self.free[[*used]] = False
        for place, row in enumerate(self.wrong.tolist()):
            self.clock.doing = f"{len(found)} contradictions, {place} of {self.wrong.size} mistakes tried"
            try:
                new = self._of_mistake(row) if row not in used else None
            except TimeIsUp:
                break
            if new:
                found.append(new)
                self.free[[*new.rows]] = False
        return found

    def _of_single_rows(self) -> list[Contradiction]:
        """Rows of zeros, which no weights score."""
        zeros = sorted(self.wrong[self.examples.lengths[self.wrong] == 0.0].tolist())
        in_time = takewhile(lambda _: not self.clock.late(), zeros)
        return [contradiction(self.examples, self.ties, (row,), (1,)) for row in in_time]

    def _of_equal_rows(self, used: set[int]) -> list[Contradiction]:
        """Equal rows with different labels, in pairs."""
        examples = self.examples
        order, same = in_order_of_equals(examples, column_sizes(examples))
        ends = np.append(np.flatnonzero(~same) + 1, order.size)
        found: list[Contradiction] = []
        begin = 0
        for end in ends.tolist():
            if end - begin > 1:
                rows = order[begin:end]
                yes, no = rows[examples.labels[rows] > 0].tolist(), rows[examples.labels[rows] < 0].tolist()
                for pair in zip(sorted(yes), sorted(no), strict=False):
                    if self.clock.late():
                        return found
                    vectors, _ = exact.signed_rows(examples, pair)
                    if not exact.combination(vectors, (1, 1)) and not used & set(pair):
                        found.append(contradiction(examples, self.ties, tuple(sorted(pair)), (1, 1)))
            begin = end
        return found

    def _of_mistake(self, row: int) -> Contradiction | None:
        """A contradiction of this row with rows that are free; raises `TimeIsUp`."""
        many = 4 * self.space.size + ROWS_AT_ONCE
        active, begin = np.append(row, lowest(self.scores, self.free, many)), np.zeros(1, np.int64)
        while True:
            points = self.space.rows(active)
            groups = np.zeros((active.size, 1))
            groups[0] = 1.0  # the mistake is one point, the others span a cone
            found = wolfe.nearest(points, groups, begin, stop=self.clock.late)
            self.clock.keep_time()
            if not found.settled:
                rows = active[found.corral]
                in_order = np.argsort(rows)
                multipliers = whole_multipliers(found.weights[in_order])
                return self._proved(tuple(rows[in_order].tolist()), multipliers) or self._decided(active)
            scores = self.space.scores(found.x)
            low = self.free & (scores < 0.0)
            low[active] = False
            if not low.any():
                return None
            active, begin = np.append(active, lowest(scores, low, many)), found.corral

    def _decided(self, rows: Array) -> Contradiction | None:
        """A contradiction among these rows, of which all but the first can be right together, so it has the first."""
        rows = np.sort(rows)
        found, _ = _packed(self.examples, self.ties, rows, self.clock)
        return found[0] if found else None

    def _proved(self, rows: tuple[int, ...], multipliers: tuple[int, ...]) -> Contradiction | None:
        if not any(exact.tie_is_wrong(self.ties, int(self.examples.labels[row])) for row in rows):
            return None
        return proposed(self.examples, self.ties, rows, multipliers, self.clock, most=WORK)


def more_contradictions(
    packed: Callable[[Array, Clock], tuple[list[Any], tuple[exact.Number, ...] | None]],
    n: int,
    proofs: list[Any],
    upper: int,
    clock: Clock,
) -> tuple[int, list[Any], tuple[exact.Number, ...] | None]:
    """More contradictions, while the fewest rows in all of them leave rows that contradict each other.

    `packed` finds disjoint ones among some of the n rows, or weights that are right on these. Returns how few mistakes
    are proved possible, by which contradictions, and weights that make no more, if it ends so.
    """
    lower, known = len(proofs), list(proofs)
    for _ in range(ROUNDS):
        hit = _small_hitting_set([proof.rows for proof in known], n, clock.left)
        if clock.late():
            break
        if hit.size > lower:
            if not certificate.is_needed([proof.rows for proof in known], hit.size):
                break
            lower, proofs = hit.size, list(known)
        if lower >= upper:
            break
        fresh, weights = packed(np.delete(np.arange(n), hit), clock)
        if not fresh:
            return lower, proofs, weights
        known += fresh
    return lower, proofs, None


def _packed(
    examples: Examples, ties: str, left: Array, clock: Clock
) -> tuple[list[Contradiction], tuple[exact.Number, ...] | None]:
    """Disjoint contradictions among the rows left; and weights that are right on what those leave, if any are."""
    found: list[Contradiction] = []
    while len(set(examples.labels[left].tolist())) == 2:
        verdict = decide(Examples(some_rows(examples.rows, left), examples.labels[left]), ties, clock)
        if not isinstance(verdict, NotSeparable):
            return found, verdict.certificate.weights if isinstance(verdict, Separable) else None
        rows = left[[*verdict.certificate.rows]]
        inner = verdict.certificate
        found.append(contradiction(examples, ties, tuple(rows.tolist()), inner.weights, whole=inner.exact))
        left = np.setdiff1d(left, rows)
    return found, None


def _small_hitting_set(sets: list[tuple[int, ...]], n: int, seconds: float | None) -> Array:
    """The fewest rows with one in each set, as a linear program with whole numbers finds them in bounded work."""
    member = np.zeros((len(sets), n))
    for place, rows in enumerate(sets):
        member[place, [*rows]] = 1.0
    solver: Any = scipy.optimize
    options = {"node_limit": NODES} | ({} if seconds is None else {"time_limit": seconds})
    solved = solver.milp(
        np.ones(n), constraints=solver.LinearConstraint(member, lb=1.0), bounds=solver.Bounds(0, 1),
        integrality=np.ones(n), options=options,
    )  # fmt: skip
    return np.flatnonzero(solved.x > 0.5) if solved.x is not None else np.arange(n)
