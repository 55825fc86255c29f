"""The fewest mistakes possible with linear scores of several classes: an interval, with a proof of both ends.

Problem   the fewest rows on which the right class does not have the largest score.
Result    `JointErrorInterval`: a rule and its mistakes, and contradictions that no smaller number of rows can hit.
Method    As for two classes (`optimality`), on the signed rows of pairs of a row and a rival. A contradiction is about
          rows: every rule errs on one of them. For a mistake e of the rule, rows that it gets right contradict e if
          some mixture of e's pairs lies opposite to the cone of theirs, which the shortest vector of both shows
          (`wolfe`).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.errors import OptionError
from rosenblatt.geometry import wolfe
from rosenblatt.geometry.whitening import space_of
from rosenblatt.geometry.working_set import lowest, whole_multipliers
from rosenblatt.learn.choices import TIES, Budget, given_weights
from rosenblatt.learn.pocket import joint_pocket
from rosenblatt.learn.pocket.joint_descent import WIDEST, signed_points
from rosenblatt.learn.pocket.staircase import NUMBERS_AT_ONCE
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate_json import PREDICTED
from rosenblatt.prove.check.hitting import is_needed
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointErrorInterval, mistakes, shape_of_classes
from rosenblatt.prove.solve.clock import Clock, TimeIsUp
from rosenblatt.prove.solve.joint_run import contradiction
from rosenblatt.prove.solve.joint_separability import decide, equal_rows
from rosenblatt.prove.solve.optimality import FEW_ROWS, KICKS, ROUNDS, cheap_hitting_set
from rosenblatt.prove.solve.packing import HALF, PER_ROW, PER_TRY, ROWS_AT_ONCE, WORK
from rosenblatt.prove.solve.separability import NotSeparable, Separable, not_negligible, proposed
from rosenblatt.rows import timing
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.threads import one_thread_for_blas


def interval(
    examples: JointExamples,
    weights: Any,
    rng: np.random.Generator,
    clock: Clock | None = None,
    known: JointContradiction | None = None,
) -> JointErrorInterval:
    """The mistakes of these weights, one row per class, and the fewest possible; None means the best weights found.

    A contradiction that is already `known` is used if no other is found.
    """
    clock = clock or Clock()
    W = best_rule(examples, rng, clock) if weights is None else _given(weights, examples)
    rule: tuple[exact.Number, ...] = tuple(W.ravel().tolist())
    wrong, lower, proofs = mistakes(examples, rule), 0, list[JointContradiction]()
    if wrong.size and not clock.late():
        with one_thread_for_blas(), np.errstate(all="ignore"):  # floats only propose
            proofs = _JointPacking(examples, W, wrong, clock).contradictions()
        lower = len(proofs)
        if lower < wrong.size and examples.n <= FEW_ROWS:
            lower, proofs, better = _more(examples, proofs, wrong.size, clock)
            if better and weights is None:
                rule, wrong = better, mistakes(examples, better)
    elif wrong.size:  # there is always time to compare rows
        proofs = equal_rows(examples, PREDICTED)
        lower = len(proofs)
    if wrong.size and not proofs and known is not None and _holds_as_predicted(examples, known):
        lower, proofs = 1, [replace(known, ties=PREDICTED, fingerprint="")]
    return JointErrorInterval(
        **shape_of_classes(examples), weights=rule, lower=lower, upper=int(wrong.size), contradictions=tuple(proofs)
    )  # fmt: skip


def _holds_as_predicted(examples: JointExamples, known: JointContradiction) -> bool:
    """Whether a contradiction under other ties also holds if the first of equal scores is predicted."""
    own = examples.labels[list(known.rows)].tolist()
    pairs = zip(own, known.rivals, strict=True)
    return any(exact.tie_is_wrong(PREDICTED, 1 if y > rival else -1) for y, rival in pairs)


def _given(weights: Any, examples: JointExamples) -> Array:
    """The weights that the user gave, checked."""
    table, many = options.floats("weights", weights), len(examples.classes)
    if table.ndim != 2 or len(table) != many:
        wanted = f"weights of {many} classes must be a table with a row for each"
        raise OptionError(f"{wanted}, not an array of shape {table.shape}")
    return np.stack([given_weights("weights", each, examples.plain) for each in table])


def best_rule(examples: JointExamples, rng: np.random.Generator, clock: Clock) -> Array:
    """The best weights that the pocket and its descent find, using at most half of the time."""
    seconds = None if clock.left is None else clock.left / 2
    budget = Budget(max_updates=joint_pocket.enough_updates(examples), max_seconds=seconds, patience=KICKS)
    begun, zeros = timing.now(), np.zeros((len(examples.classes), examples.width))
    run = joint_pocket.learn(examples, zeros, ties=TIES[PREDICTED], budget=budget, rng=rng)
    return joint_pocket.improved(run, examples, budget=budget, rng=rng, begun=begun).weights


class _JointPacking:
    """Disjoint contradictions, each with one mistake of a rule."""

    def __init__(self, examples: JointExamples, W: Array, wrong: Array, clock: Clock) -> None:
        self.examples, self.clock, self.many = examples, clock, len(examples.classes)
        self.space, every = space_of(examples.plain), np.arange(examples.n)
        V = np.stack([self.space.coordinates(w) for w in W / (np.abs(W).max() or 1.0)])
        self.leads = self._leads(V)
        self.free = np.ones(examples.n, bool)  # rows that are right, and in no contradiction yet
        self.free[wrong] = False
        nearness = np.abs(self.leads.min(axis=0)[wrong]) / examples.lengths[wrong].clip(1e-300)
        self.wrong, self.every = wrong[np.argsort(nearness, kind="stable")], every

    def _leads(self, V: Array) -> Array:
        """By how much the class of every row leads each class; infinite against itself."""
        scores, every = self.space.slopes(V), np.arange(self.examples.n)
        leads = scores[self.examples.labels, every] - scores
        leads[self.examples.labels, every] = np.inf
        return np.asarray(leads)

    def contradictions(self) -> list[JointContradiction]:
        """As many disjoint contradictions as can be found."""
        found = equal_rows(self.examples, PREDICTED)
        used = {row for proof in found for row in proof.rows}
        self.free[[*used]] = False
        for place, row in enumerate(self.wrong.tolist()):
            self.clock.doing = f"{len(found)} contradictions, {place} of {self.wrong.size} mistakes tried"
            if self.many * self.space.size > WIDEST:  # each would take too long
                break
            if self.clock.share > HALF:
                self.clock.ran_out = True
                break
            try:
                new = self._of_mistake(row) if row not in used else None
            except TimeIsUp:
                break
            if new:
                found.append(new)
                self.free[[*new.rows]] = False
        return found

    def _of_mistake(self, row: int) -> JointContradiction | None:
        """A contradiction of this row with rows not used yet; raises `TimeIsUp`."""
        own, n = self.examples.labels, self.examples.n
        of_row = np.delete(np.arange(self.many), own[row]) * n + row  # a pair is r n + i
        size = self.many * self.space.size
        many = min(4 * size, NUMBERS_AT_ONCE // size) + ROWS_AT_ONCE
        among = (self.free & np.isfinite(self.leads)).ravel()
        active, begin = np.append(of_row, lowest(self.leads.ravel(), among, many)), np.zeros(1, np.int64)
        while True:
            rivals, rows = np.divmod(active, n)
            points = signed_points(self.space.rows(rows), own[rows], rivals, self.many)
            groups = np.zeros((active.size, 1))
            groups[: of_row.size] = 1.0  # the mistake's pairs are mixed, the others span a cone
            found = wolfe.nearest(points, groups, begin, stop=self.clock.late)
            self.clock.keep_time(PER_TRY + PER_ROW * self.leads.size + points.size)
            if not found.settled:
                return self._proved(rows, rivals, found) or self._decided(np.unique(rows))
            leads = self._leads(found.x.reshape(self.many, -1)).ravel()
            low = among & (leads < 0.0)
            low[active] = False
            if not low.any():
                return None
            active, begin = np.append(active, lowest(leads, low, many)), found.corral

    def _proved(self, rows: Array, rivals: Array, found: wolfe.Nearest) -> JointContradiction | None:
        """The contradiction of the corral, if it can be proved."""
        counted = not_negligible(found.weights)
        rows, rivals, weights = rows[found.corral[counted]], rivals[found.corral[counted]], found.weights[counted]
        order = np.lexsort((rivals, rows))
        rows, rivals, multipliers = rows[order], rivals[order], whole_multipliers(weights[order])
        signed = self.examples.signed(rows, rivals, reduced=True)
        if not any(exact.tie_is_wrong(PREDICTED, label) for label in signed.labels.tolist()):
            return None
        proof = proposed(signed, PREDICTED, tuple(range(rows.size)), multipliers, self.clock, most=WORK)
        if proof is None:
            return None
        return contradiction(self.examples, PREDICTED, rows, rivals, proof.rows, proof.weights, proof.exact)

    def _decided(self, rows: Array) -> JointContradiction | None:
        """A contradiction among these rows; it contains the mistake, as all the others can be right together."""
        found, _ = _packed(self.examples, rows, self.clock)
        return found[0] if found else None


def _more(
    examples: JointExamples, proofs: list[JointContradiction], upper: int, clock: Clock
) -> tuple[int, list[JointContradiction], tuple[exact.Number, ...] | None]:
    """More contradictions, while the smallest set of rows that hits all of them leaves rows that contradict each other.

    Returns the proved lower bound, its contradictions, and, if the search is complete, weights that attain it.
    """
    lower, known, ones = len(proofs), list(proofs), np.ones(examples.n, np.int64)
    for _ in range(ROUNDS):
        sets = [tuple(sorted(set(proof.rows))) for proof in known]
        hit = cheap_hitting_set(sets, ones, clock)
        if clock.late():
            break
        if hit.size > lower:
            if not is_needed(sets, hit.size):
                break
            lower, proofs = hit.size, list(known)
        if lower >= upper:
            break
        fresh, weights = _packed(examples, np.delete(np.arange(examples.n), hit), clock)
        if not fresh:
            return lower, proofs, weights
        known += fresh
    return lower, proofs, None


def _packed(
    examples: JointExamples, left: Array, clock: Clock
) -> tuple[list[JointContradiction], tuple[exact.Number, ...] | None]:
    """Disjoint contradictions among the remaining rows, and weights that are right on the rest, if there are any."""
    found: list[JointContradiction] = []
    while len(set(examples.labels[left].tolist())) > 1:
        verdict = decide(examples.some(left), PREDICTED, clock)
        if not isinstance(verdict, NotSeparable):
            return found, verdict.certificate.weights if isinstance(verdict, Separable) else None
        inner: Any = verdict.certificate
        places = np.array(inner.rows)
        each, rivals = tuple(range(places.size)), np.array(inner.rivals)
        found.append(contradiction(examples, PREDICTED, left[places], rivals, each, inner.weights, inner.exact))
        left = np.setdiff1d(left, left[places])
    return found, None
