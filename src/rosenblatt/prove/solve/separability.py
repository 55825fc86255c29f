"""Is there a rule that is right on every row? Decided by a proof, never by a tolerance.

Problem   weights w with z_i . w > 0 for all signed rows z_i, or a proof that there are none.
Result    `Separable` or `NotSeparable`, each with a certificate that anyone can check; `Undecided` with the reason.
Method    First the contradictions that are easiest to read: a row of zeros, or equal rows with different labels. Then
          the shortest vector in the convex hull of the signed rows (`wolfe`), over an active set of rows that grows by
          those that a full pass finds wrong. A vector that is right on every row is a separator. If the hull contains
          the origin, the corral contradicts itself: in whole numbers or, if those would be too long, by a verified
          float computation. Whatever remains is decided in whole numbers alone (`rational`).

Before floating-point work, columns and rows are scaled in ways that change no decision.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import frexp, inf
from typing import Any, ClassVar

import numpy as np

from rosenblatt.geometry import wolfe
from rosenblatt.geometry.working_set import ActiveRows, are_too_large
from rosenblatt.learn.choices import TIES, Budget, Reason, ties_named
from rosenblatt.learn.pla import pla
from rosenblatt.prove.check import certificate, exact
from rosenblatt.prove.check.certificate import Contradiction, Separation
from rosenblatt.prove.solve import rational
from rosenblatt.prove.solve.clock import Clock, TimeIsUp
from rosenblatt.rows import find, kernels
from rosenblatt.rows.cone import EVERYWHERE, Cone, cone_of, refuse_several
from rosenblatt.rows.door import names_of
from rosenblatt.rows.examples import Examples, labels_of
from rosenblatt.rows.kernels import Array, Dense
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import numbers_per_row
from rosenblatt.visible import ReadableResult

LONG = 200_000  # operations on words of 64 bits; beyond, a verified float computation replaces whole numbers
MANY = 128  # dimensions
FEW_PASSES, MANY_PASSES = 20, 1000
SUPPORT = 4_000_000  # numbers of rows that are added up exactly within some half a second
FEW_NUMBERS = 5e7  # read in a small fraction of a second
PER_ENTRY, PER_PRODUCT = 2000.0, 1.0  # nanoseconds that the verified float computation takes, rather more than less
NEGLIGIBLE = 1e-11  # of the largest weight: rows that a contradiction does not need
BEGUN, PER_ROW = 2e6, 300.0  # nanoseconds that any verdict takes, and what it takes for each row
ENOUGH = 0.5  # of the level: rows of the active set may be this much nearer than the nearest point needs


class _Verdict(ReadableResult):
    """One of three answers, which have no truth value."""

    def __bool__(self) -> bool:
        raise TypeError("a verdict is neither true nor false: use .separable, which is True, False or None (undecided)")


def under_constraints(verdict: str, certificate: Any) -> str:
    """A verdict in a few words that says so if it is about rules that keep constraints."""
    return f"{verdict[:-1]} under the constraints." if certificate.cone else verdict


@dataclass(frozen=True, repr=False)
class Separable(_Verdict):
    """There are weights that are right on every row."""

    certificate: Any  # Separation, or of several classes JointSeparation
    separable: ClassVar[bool] = True

    def __str__(self) -> str:
        strict = self.certificate.ties == certificate.STRICT or self.certificate.lower > 0.0
        found = "Linearly separable." if strict else "Separable, but not strictly."
        return f"{under_constraints(found, self.certificate)} {self.certificate.statement}"


@dataclass(frozen=True, repr=False)
class NotSeparable(_Verdict):
    """There are no weights that are right on every row."""

    certificate: Any  # Contradiction, or of several classes JointContradiction
    separable: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{under_constraints('Not linearly separable.', self.certificate)} {self.certificate.statement}"


@dataclass(frozen=True, repr=False)
class Undecided(_Verdict):
    """Neither answer was proved, for this reason."""

    reason: str
    separable: ClassVar[None] = None

    def __str__(self) -> str:
        return f"Undecided. {self.reason}"


Verdict = Separable | NotSeparable | Undecided
TOO_LARGE = Undecided("A proof would need too many of these long rows in memory: leave out rare columns.")


def _undecided(clock: Clock) -> Undecided:
    return Undecided(f"{clock.why_late} before there was a proof either way.")


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    bias_scale: float = 1.0,
    ties: str = "mistake",
    monotonic_cst: Any = None,
    max_seconds: float | None = None,
    verbose: bool = False,
) -> Verdict:
    """Whether some linear rule is right on every row, with the proof.

    With more than two classes the question is about all at once: is there a set of linear scores, one for each class,
    in which the right class always scores highest? The certificate is a `JointSeparation` or a `JointContradiction`,
    and ties are equal scores: "minus" counts them as right for the first of the classes, as rules predict.
    With `monotonic_cst`, as for `Perceptron`, the question is about rules that keep these constraints.
    With `max_seconds`, kept to within about two seconds, the verdict may be undecided. The verdict itself is neither
    true nor false; its `separable` is True, False or None.
    With `verbose`, progress is reported on standard error.

    >>> from rosenblatt import separability
    >>> print(separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]))  # and
    Linearly separable. There are weights that are right on all 4 rows; ...
    >>> verdict = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> print(verdict)
    Not linearly separable. No weights are right on all 4 rows: these 4 contradict each other, ...
    >>> verdict.certificate.weights, verdict.certificate.point
    ((1, 1, 1, 1), (0.5, 0.5))
    >>> print(separability([[0.0], [1.0], [2.0]], ["a", "b", "c"]))
    Linearly separable. There are linear scores of 3 classes whose largest is that of the right class on all 3 rows; ...
    """
    ties_named(ties)
    clock = Clock(max_seconds, verbose)
    labels = labels_of(y)
    if labels.are_several:
        from rosenblatt.prove.solve import joint_separability

        refuse_several(monotonic_cst)
        several = JointExamples.of(X, labels, fit_intercept=fit_intercept, bias_scale=bias_scale)
        return joint_separability.decide(several, ties, clock)
    examples = Examples.of(X, labels, fit_intercept=fit_intercept, bias_scale=bias_scale)
    if monotonic_cst is not None:
        from rosenblatt.prove.solve.constrained import decide_in

        return decide_in(cone_of(monotonic_cst, examples.size - 1, names_of(X)), examples, ties, clock)
    return decide(examples, ties, clock)


def decide(examples: Examples, ties: str = "mistake", clock: Clock | None = None, *, learning: bool = True) -> Verdict:
    """The verdict on examples that have already been read; without `learning`, no run of PLA is tried."""
    clock = clock or Clock()
    if ties == "correct":
        return Separable(separation(examples, ties, (0,) * examples.size, (0,), (1,)))
    sizes = column_sizes(examples)
    clock.spend(BEGUN + PER_ROW * examples.n + 3.0 * examples.rows.values.size)
    if plain := _plain_contradiction(examples, ties, sizes):
        return NotSeparable(plain)
    if learning and examples.size > MANY and (found := learned(examples, ties, clock)):
        return Separable(found)
    if are_too_large(examples):
        return _undecided(clock) if clock.late() else TOO_LARGE
    try:
        with np.errstate(all="ignore"):  # floats only propose
            return _SeparatorSearch(examples, ties, sizes, clock).verdict()
    except TimeIsUp:
        return _undecided(clock)


def learned(examples: Examples, ties: str, clock: Clock) -> Separation | None:
    """What a short run of PLA proves. In many dimensions it separates before the shortest vector is found.

    From zeros, its weights are the sum of the rows it corrected, so these counts bound the largest margin from above.
    """
    passes = max(FEW_PASSES, int(FEW_NUMBERS / max(examples.rows.values.size, 1)))
    if are_too_large(examples):  # for anything else
        passes = MANY_PASSES
    budget = Budget(max_passes=passes, max_seconds=clock.left)
    run = pla.learn(examples, np.zeros(examples.size), ties=TIES[ties], budget=budget)
    clock.spend(run.examples_seen * numbers_per_row(examples.rows))
    if run.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
    if run.reason is not Reason.SEPARATED or not run.updates:
        return None
    rows, counts = run.ledger.counts()
    some = most_corrected(counts, numbers_per_row(examples.rows), clock)
    support, multipliers = tuple(rows[some].tolist()), tuple(counts[some].tolist())
    return separation(examples, ties, tuple(run.weights.tolist()), support, multipliers)


def most_corrected(counts: Array, numbers: float, clock: Clock) -> Array:
    """The rows that bound a margin from above: all or, if time is short, those corrected most often.

    Any of them give a bound; adding fewer takes less time, but the bound is looser.
    """
    most = max(int(SUPPORT / numbers), 1)
    if clock.max_seconds is None or counts.size <= most:
        return np.arange(counts.size)
    return np.sort(np.argsort(-counts, kind="stable")[:most])


def separation(
    examples: Examples,
    ties: str,
    weights: tuple[exact.Number, ...],
    support: tuple[int, ...],
    multipliers: tuple[int, ...],
    affine: bool = False,
    least: Fraction | None = None,
    cone: Cone = EVERYWHERE,
) -> Separation:
    """A certificate with the bounds that its numbers prove; the smallest z_i . w may already be known."""
    least = exact.least_margin(examples, weights) if least is None else least
    return Separation(
        **certificate.shape_of(examples), ties=ties, weights=weights, support=support, multipliers=multipliers,
        affine=affine, lower=certificate.lower_bound(weights, least, affine),
        upper=certificate.upper_bound(examples, support, multipliers, affine, cone), **cone.fields,
    )  # fmt: skip


def contradiction(
    examples: Examples,
    ties: str,
    rows: tuple[int, ...],
    weights: tuple[int, ...],
    whole: bool = True,
    cone: Cone = EVERYWHERE,
) -> Contradiction:
    """A certificate with the point that its rows have in common."""
    return Contradiction(
        **certificate.shape_of(examples), ties=ties, rows=rows, weights=weights, exact=whole,
        point=certificate.common_point(examples, rows, weights), **cone.fields,
    )  # fmt: skip


def _plain_contradiction(examples: Examples, ties: str, sizes: Array) -> Contradiction | None:
    """A row of zeros, which scores 0 with any weights, or two equal rows with different labels."""
    if not examples.rows.bias:
        for row in np.flatnonzero((examples.lengths == 0) & _wrong_at_zero(examples, ties))[:1].tolist():
            return contradiction(examples, ties, (row,), (1,))
    order, same = in_order_of_equals(examples, sizes)
    for place in np.flatnonzero(same & (np.diff(examples.labels[order]) != 0)).tolist():
        pair = sorted(order[place : place + 2].tolist())
        vectors, _ = exact.signed_rows(examples, pair)
        if not exact.combination(vectors, (1, 1)):
            return contradiction(examples, ties, tuple(pair), (1, 1))
    return None


def in_order_of_equals(examples: Examples, sizes: Array) -> tuple[Array, Array]:
    """Rows sorted so that equal ones are neighbours, and for each but the last whether the next may be equal."""
    w = _draws(examples.size) / sizes
    hashes = find.margins(examples, w) * examples.labels  # equal rows are added up in the same order
    if (np.diff(np.sort(hashes)) != 0).all():  # to sort is quick, to keep count of the order is not
        return np.arange(examples.n), np.zeros(max(examples.n - 1, 0), bool)
    order = np.argsort(hashes, kind="stable")
    return order, np.diff(hashes[order]) == 0


@lru_cache(maxsize=8)
def _draws(size: int) -> Array:
    """Random numbers that make sums of different rows different; kept, because seeding a generator is slow."""
    return np.random.default_rng(0).uniform(1.0, 2.0, size)


def proposed(
    examples: Examples, ties: str, rows: tuple[int, ...], multipliers: tuple[int, ...], clock: Clock, most: float = inf
) -> Contradiction | None:
    """The contradiction of these rows that multipliers in floats suggest, if it can be proved.

    Whole numbers are not tried if they would take more nanoseconds than `most`. Raises `TimeIsUp`.
    """
    vectors, _ = exact.signed_rows(examples, rows)
    clock.keep_time(rational.PER_ENTRY * sum(map(len, vectors)))
    words, many = rational.words(vectors), len(vectors)
    takes = PER_ENTRY * many**2 + PER_PRODUCT * many**3
    in_floats = words > LONG and clock.allows(takes)
    clock.spend(takes if in_floats else 0.0)
    if in_floats and exact.is_near_a_positive_null_vector(vectors, multipliers):
        return contradiction(examples, ties, rows, multipliers, whole=False)
    weights = rational.null_vector(vectors, clock.keep_time) if rational.takes(vectors) <= most else None
    return contradiction(examples, ties, rows, tuple(weights)) if weights else None


def not_negligible(weights: Array) -> Array:
    """Which weights, of a mixture that is zero in floats, are larger than rounding errors."""
    return np.asarray(weights > NEGLIGIBLE * weights.max())


def _wrong_at_zero(examples: Examples, ties: str) -> Array:
    """For every row, whether a score of zero is a mistake."""
    return np.where(examples.labels > 0, exact.tie_is_wrong(ties, 1), exact.tie_is_wrong(ties, -1))


def column_sizes(examples: Examples) -> Array:
    """A power of two near each column's largest entry, the constant feature's last; 1 for a column of zeros."""
    rows = examples.rows
    sizes = np.zeros(examples.size)
    if isinstance(rows, Dense):
        sizes[:-1] = np.maximum(rows.values.max(axis=0), -rows.values.min(axis=0))
    else:
        kernels.largest_of_columns(rows, 0, examples.n, sizes)
    sizes[-1] = rows.bias
    sizes[sizes == 0] = 1.0
    return np.asarray(np.ldexp(1.0, np.clip(np.frexp(sizes)[1], -1000, 1000)))


class _SeparatorSearch:
    """The search for the shortest vector, over an active set of rows that grows."""

    def __init__(self, examples: Examples, ties: str, sizes: Array, clock: Clock) -> None:
        self.examples, self.ties, self.wrong_at_zero = examples, ties, _wrong_at_zero(examples, ties)
        self.clock = clock
        self.sizes, self.units = sizes, [1 - frexp(size)[1] for size in sizes.tolist()]
        self.active = ActiveRows(examples, sizes, unit=True)

    def verdict(self) -> Verdict:
        """Enlarge the active set until it decides."""
        begin = np.array([np.argmax(self.wrong_at_zero[self.active.rows])])
        while True:
            groups = self.wrong_at_zero[self.active.rows][:, np.newaxis].astype(float)
            self.clock.doing = f"{self.active.rows.size} of {self.examples.n} rows are active"
            found = wolfe.nearest(self.active.points, groups, begin, enough=ENOUGH, stop=self.clock.late)
            if self.clock.late():
                return _undecided(self.clock)
            begin, w = found.corral, found.x / self.sizes
            if not np.isfinite(w).all():
                return self._decided(found)
            wrong, _ = find.find(self.examples, w, TIES[self.ties])
            self.clock.spend(float(self.examples.rows.values.size))
            if not wrong.size:
                support = self.active.multipliers(found.corral, found.weights)
                return Separable(separation(self.examples, self.ties, tuple(w.tolist()), *support))
            if not found.settled or not self.active.add_lowest(*self.active.heights(wrong, found.x)):
                return self._decided(found)

    def _decided(self, found: wolfe.Nearest) -> Verdict:
        """What the corral proves; otherwise, what whole numbers prove."""
        examples, ties = self.examples, self.ties
        counted = not_negligible(found.weights)
        rows, multipliers = self.active.multipliers(found.corral[counted], found.weights[counted])
        self.clock.doing = "in whole numbers"
        if proof := proposed(examples, ties, rows, multipliers, self.clock):
            return NotSeparable(proof)
        if not self.clock.allows(rational.descent_takes(exact.signed_rows(examples, rows)[0])):
            raise TimeIsUp
        mixture = rational.decide(examples, ties, rows, self.units, self.clock.keep_time)
        if not any(mixture.x):
            return NotSeparable(contradiction(examples, ties, mixture.rows, mixture.multipliers))
        wholes = rational.in_columns(mixture.x, self.units)
        floats = exact.as_floats(wholes)
        weights: tuple[exact.Number, ...] = floats if not exact.mistakes(examples, floats, ties).size else wholes
        return Separable(separation(examples, ties, weights, mixture.rows, mixture.multipliers))
