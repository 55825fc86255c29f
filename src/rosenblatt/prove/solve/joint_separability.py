"""Several classes at once: is there a set of linear scores in which the right class always scores highest?

Problem   for rows x of classes y: weights W with (W_y - W_r) . x > 0 for all rivals r; their largest margin; or a proof
          that there are none.
Result    verdicts and margins as for two classes, with certificates for several (`joint_certificate`).
Method    Kesler's: the signed rows of pairs of a row and a rival are examples of two classes, which `separability` and
          `margin` decide. If that table would be too large, some pairs are taken first, and pairs that the weights
          found get wrong, or score lowest, are added until there are none: a contradiction of some pairs is one of
          all, and weights are checked on all rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.geometry.working_set import lowest
from rosenblatt.learn.choices import TIES, Budget, Reason
from rosenblatt.learn.pla import joint_pla, joint_run_state
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import Contradiction
from rosenblatt.prove.check.checks import lower_bound
from rosenblatt.prove.check.exact import Number
from rosenblatt.prove.check.joint_certificate import (
    JointContradiction,
    JointSeparation,
    least_leads,
    shape_of_classes,
    upper_bound,
)
from rosenblatt.prove.solve import margin, separability
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.joint_run import contradiction
from rosenblatt.prove.solve.margin import Margin
from rosenblatt.prove.solve.separability import NotSeparable, Separable, Undecided, Verdict
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import numbers_per_row

NUMBERS, MOST_NUMBERS = 20_000_000, 100_000_000  # of signed rows that are made at once, and that are ever held
FIRST_PAIRS, MORE_PAIRS = 20, 10  # for every weight: pairs to begin with, and those added at once
LEVEL = 1e-9  # of the margin: pairs that are lower by more join


def decide(
    examples: JointExamples, ties: str = "mistake", clock: Clock | None = None, *, learning: bool = True
) -> Verdict:
    """Whether some weights choose the right class of every row, with the proof; `learning` is as for two classes."""
    clock, pairs = clock or Clock(), _Pairs(examples)
    if ties == "correct":
        return Separable(_separation(examples, ties, (0,) * examples.size, pairs, (0,), (1,)))
    if equal := next(iter(equal_rows(examples, ties)), None):
        return NotSeparable(equal)
    if learning and examples.size > separability.MANY and (learned := _learned(examples, ties, clock)):
        return Separable(learned)
    while True:
        if pairs.are_full:
            return separability.TOO_LARGE
        found = separability.decide(pairs.signed(reduced=True), ties, clock, learning=learning)
        if isinstance(found, Undecided):
            return found
        proof: Any = found.certificate
        if isinstance(found, NotSeparable):
            return NotSeparable(pairs.contradiction(ties, proof))
        weights = examples.table_of_weights(proof.weights, reduced=True)
        if not pairs.add_lower(weights, 0.0, ties):
            best = max(_centred(examples, weights), weights, key=lambda w: _reached(examples, w, ties))
            return Separable(_separation(examples, ties, tuple(best), pairs, proof.support, proof.multipliers))


def largest(examples: JointExamples, clock: Clock | None = None, proved: JointSeparation | None = None) -> Margin:
    """The largest margin of any weights of length 1; `proved` is a proof of separability to fall back on."""
    clock, pairs, far = clock or Clock(), _Pairs(examples), 2 * examples.radius
    if proved is None and clock.is_limited and examples.size > separability.MANY:
        proved = _learned(examples, "mistake", clock)
    known = Margin(proved.lower, proved.upper, proved.weights, proved) if proved else Margin(-far, far, (), None)
    if proved and clock.late():
        return known
    while not pairs.are_full:
        found = margin.largest(pairs.signed(), clock=clock)
        proof: Any = found.certificate
        if proof is None:
            return known
        if isinstance(proof, Contradiction):
            proved_in_full = pairs.every and bool(found.weights)
            weights, lower = (
                (tuple(examples.table_of_weights(found.weights)), found.lower) if proved_in_full else ((), -far)
            )
            return Margin(lower, found.upper, weights, pairs.contradiction("mistake", proof))
        weights = examples.table_of_weights(proof.weights)
        if not pairs.add_lower(weights, 1.0 - LEVEL, "mistake"):
            made = _separation(examples, "mistake", tuple(weights), pairs, proof.support, proof.multipliers)
            return Margin(made.lower, made.upper, made.weights, made)
    return known


def _learned(examples: JointExamples, ties: str, clock: Clock) -> JointSeparation | None:
    """What a short run of the perceptron proves. In many dimensions it separates before the shortest vector is found.

    From zeros, its weights are the sum of the signed rows it corrected, so these counts bound the margin from above.
    """
    numbers = max(examples.rows.values.size * len(examples.classes), 1)
    passes = max(separability.FEW_PASSES, int(separability.FEW_NUMBERS / numbers))
    budget = Budget(max_passes=passes, max_seconds=clock.left)
    with ctrl_c_noted() as interrupted:
        zeros = np.zeros((len(examples.classes), examples.width))
        run = joint_pla.learn(examples, zeros, ties=TIES[ties], budget=budget, interrupted=interrupted)
    clock.spend(float(run.examples_seen) * len(examples.classes) * numbers_per_row(examples.rows))
    if run.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
    if run.reason is not Reason.SEPARATED or not run.updates:
        return None
    places, counts = run.ledger.counts()
    some = separability.most_corrected(counts, 2 * numbers_per_row(examples.rows), clock)
    pairs = _Pairs(examples, *np.divmod(places[some], len(examples.classes)))
    flat = tuple(run.weights.ravel().tolist())
    return _separation(examples, ties, flat, pairs, range(some.size), tuple(counts[some].tolist()))


class _Pairs:
    """The active pairs of rows and rivals: all of them or, if there would be too many, a growing set."""

    def __init__(self, examples: JointExamples, rows: Array | None = None, rivals: Array | None = None) -> None:
        self.examples, many, self.every = examples, len(examples.classes) - 1, False
        if rows is not None and rivals is not None:
            self.rows, self.rivals = rows, rivals
            return
        self.every = 2 * examples.n * many * numbers_per_row(examples.rows) <= NUMBERS
        self.rows, self.rivals = examples.every_pair()
        if not self.every:
            begin = min(FIRST_PAIRS * examples.size, self._room(NUMBERS)) // many
            some = np.linspace(0, examples.n - 1, begin).astype(np.int64)
            first = [int(np.argmax(examples.labels == k)) for k in range(len(examples.classes))]
            places = np.unique(np.concatenate([some, first]))[:, np.newaxis] * many + np.arange(many)
            self.rows, self.rivals = self.rows[places.ravel()], self.rivals[places.ravel()]

    def _room(self, numbers: int) -> int:
        """The number of pairs that fit into this many numbers."""
        return int(numbers / (2 * numbers_per_row(self.examples.rows)))

    @property
    def are_full(self) -> bool:
        """Whether no more pairs fit."""
        return not self.every and self.rows.size >= self._room(MOST_NUMBERS)

    def signed(self, *, reduced: bool = False) -> Any:
        """The signed rows of the active pairs."""
        return self.examples.signed(self.rows, self.rivals, reduced=reduced)

    def contradiction(self, ties: str, proof: Contradiction) -> JointContradiction:
        """A contradiction of the signed rows, expressed in rows and rivals."""
        return contradiction(
            self.examples, ties, self.rows, self.rivals, proof.rows, proof.weights, whole=proof.exact
        )  # fmt: skip

    def add_lower(self, weights: Sequence[Number], share: float, ties: str) -> bool:
        """Add pairs whose lead is below this share of the smallest active lead; False if there are none.

        Pairs that are right in float sums but wrong in exact ones are added one by one. This terminates, because
        every call adds one.
        """
        if self.every:
            return False
        examples, every = self.examples, np.arange(self.examples.n)
        W = np.array(exact.as_floats(exact.whole_numbers(weights)[0])).reshape(len(examples.classes), -1)
        scores = joint_run_state.scores_of(examples.rows, W)
        leads = scores[every, examples.labels][:, np.newaxis] - scores
        level = share * max(float(leads[self.rows, self.rivals].min()), 0.0)
        low = leads <= level if share == 0.0 else leads < level
        low[every, examples.labels] = low[self.rows, self.rivals] = False
        most = min(MORE_PAIRS * examples.size, self._room(MOST_NUMBERS) - self.rows.size)
        new = lowest(leads.ravel(), low.ravel(), max(most, 1))
        rows, rivals = np.divmod(new, len(examples.classes))
        if not new.size and share == 0.0:
            wrong = _wrong(examples, weights, ties)
            rows, rivals = np.array([pair[0] for pair in wrong], int), np.array([pair[1] for pair in wrong], int)
        self.rows, self.rivals = np.append(self.rows, rows), np.append(self.rivals, rivals)
        return bool(rows.size)


def _wrong(examples: JointExamples, weights: Sequence[Number], ties: str) -> list[tuple[int, int]]:
    """For every class and rival, the row that is most wrong, if there is one."""
    return [
        (row, rival)
        for own, rival, lead, row in least_leads(examples, weights)
        if exact.is_wrong(lead, ties, 1 if own > rival else -1)
    ]


def _reached(examples: JointExamples, weights: Sequence[Number], ties: str) -> float:
    """The margin that the weights attain; negative if they are wrong."""
    least = least_leads(examples, weights)
    if any(exact.is_wrong(lead, ties, 1 if own > rival else -1) for own, rival, lead, _ in least):
        return -1.0
    return lower_bound(tuple(weights), min(lead for _, _, lead, _ in least))


def _centred(examples: JointExamples, weights: list[Any]) -> list[Any]:
    """An equivalent rule with shorter weights, which sum to zero over the classes; rounded if they are floats."""
    width, many = examples.width, len(examples.classes)
    each = [weights[k : k + width] for k in range(0, len(weights), width)]
    sums = [sum(column) for column in zip(*each, strict=True)]
    if any(isinstance(w, float) for w in weights):
        return [float(w) - total / many for row in each for w, total in zip(row, sums, strict=True)]
    return [w * many - total for row in each for w, total in zip(row, sums, strict=True)]


def _separation(
    examples: JointExamples,
    ties: str,
    weights: tuple[Number, ...],
    pairs: _Pairs,
    places: Sequence[int],
    multipliers: tuple[int, ...],
) -> JointSeparation:
    """A certificate with the bounds that its numbers prove."""
    support = tuple(pairs.rows[list(places)].tolist())
    rivals = tuple(pairs.rivals[list(places)].tolist())
    return JointSeparation(
        **shape_of_classes(examples), ties=ties, weights=weights, support=support, rivals=rivals,
        multipliers=multipliers, lower=lower_bound(weights, min(each[2] for each in least_leads(examples, weights))),
        upper=upper_bound(examples, support, rivals, multipliers),
    )  # fmt: skip


def equal_rows(examples: JointExamples, ties: str) -> list[JointContradiction]:
    """Disjoint pairs of equal rows of different classes, and rows of zeros, which score 0 with any weights."""
    plain, found = examples.plain, []
    if not examples.rows.bias:
        for row in np.flatnonzero(examples.lengths == 0.0).tolist():
            own = int(examples.labels[row])
            for rival in (0, len(examples.classes) - 1):  # if any rival's tie is wrong, one of these is
                if rival != own and exact.tie_is_wrong(ties, 1 if own > rival else -1):
                    found.append(_of_pairs(examples, ties, (row,), (rival,)))
                    break
    order, same = separability.in_order_of_equals(plain, separability.column_sizes(plain))
    used = {row for proof in found for row in proof.rows}
    for group in np.split(order, np.flatnonzero(~same) + 1) if same.any() else ():
        found += _different(examples, ties, [row for row in group.tolist() if row not in used])
    return found


def _different(examples: JointExamples, ties: str, rows: list[int]) -> list[JointContradiction]:
    """Rows that may be equal, in pairs of different classes, always from the two classes with the most rows left."""
    left: dict[int, list[int]] = {}
    for row in sorted(rows, reverse=True):
        left.setdefault(int(examples.labels[row]), []).append(row)
    found = []
    while len(left) > 1:
        a, b = sorted(left, key=lambda k: (-len(left[k]), k))[:2]
        i, j = left[a].pop(), left[b].pop()
        vectors, _ = exact.signed_rows(examples.plain, (i, j))
        if vectors[0] == vectors[1]:
            (i, b), (j, a) = sorted([(i, b), (j, a)])
            found.append(_of_pairs(examples, ties, (i, j), (b, a)))
        left = {k: each for k, each in left.items() if each}
    return found


def _of_pairs(examples: JointExamples, ties: str, rows: tuple[int, ...], rivals: tuple[int, ...]) -> JointContradiction:
    return JointContradiction(
        **shape_of_classes(examples), ties=ties, rows=rows, rivals=rivals, weights=(1,) * len(rows), exact=True
    )  # fmt: skip
