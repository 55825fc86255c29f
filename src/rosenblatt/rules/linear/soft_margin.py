"""The soft-margin perceptron of `learn.soft.soft`."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np

from rosenblatt.errors import LedgerError
from rosenblatt.learn import choices
from rosenblatt.learn.choices import Budget, Reason
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.learn.soft import soft
from rosenblatt.learn.soft.soft import NewtonDescent, SoftRun
from rosenblatt.learn.soft.systems import system_for
from rosenblatt.options import Number, with_options
from rosenblatt.plurals import many
from rosenblatt.progress import ticker
from rosenblatt.prove.check.soft_margin import SoftMargin
from rosenblatt.prove.solve.soft_margin import certified, compared
from rosenblatt.rows.examples import Examples, shown
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.learner import LinearLearner
from rosenblatt.rules.option_groups import (
    ClassWeightOptions,
    MonotonicOptions,
    PassOptions,
    Positive,
    ThresholdOptions,
    TimeOptions,
    VerboseOptions,
)
from rosenblatt.rules.schemes import as_list, one_or_all


@with_options
class SoftMarginRule(
    ThresholdOptions, PassOptions, TimeOptions, ClassWeightOptions, MonotonicOptions, VerboseOptions, LinearLearner
):
    """What `rosenblatt.SoftMarginPerceptron` is as a rule."""

    name = "SoftMarginPerceptron"
    keeps = (*LinearLearner.keeps, "weights", "certificates")

    ties = "mistake"  # of prediction: a score of exactly zero is the first class
    start = "zeros"

    C: Annotated[
        Positive,
        "What the squared slack of a row costs, against the squared length of the weights. Small: a wide margin that "
        "many rows are within. Large: the widest margin that every row keeps, if there is one.",
    ] = 1.0
    tol: Annotated[
        float,
        Number(above=0, below=1),
        "The part of the objective by which other weights may be better, at most, when learning ends.",
    ] = 1e-9
    max_passes: Annotated[int | None, "One more may be made to confirm the result."] = None

    _solved: list[Any] | None = None  # certificates of the weights learned, once others were put in their place
    certificate_: Any  # of each rule; None of weights that were put in its place

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        self.check_options()
        C, tol = float(self.C), float(self.tol)
        budget = Budget(max_passes=self.max_passes, max_seconds=self.max_seconds)
        classes, parts = self._parts(X, y, sample_weight)
        system = system_for(parts[0], self.cone)
        runs: list[SoftRun] = []
        proofs: list[SoftMargin | None] = []
        with ctrl_c_noted() as interrupted:
            starts = self._starts(parts, self._generator())
            for part, start, share in zip(parts, starts, choices.shares(budget, len(parts)), strict=True):
                watch = _reporter() if self.verbose else None
                how: Any = {"system": system, "budget": share, "interrupted": interrupted, "watch": watch}
                how["cone"] = self.cone
                if start.any():  # no row of a class counts
                    runs.append(soft.constant(part, C, start))
                    proofs.append(None)
                    continue
                run = soft.learn(part, C, tol, **how)
                proof = certified(part, run, tol)
                if run.reason is Reason.ROUNDED and proof.gap <= tol * proof.upper:  # by multipliers of its own
                    run = replace(run, reason=Reason.SOLVED)
                runs.append(run)
                proofs.append(proof)
            self._keep(classes, parts, runs, proofs)
        self._warn_unless_solved(parts, runs, proofs)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _keep(
        self, classes: Array, parts: list[Examples], runs: list[SoftRun], proofs: list[SoftMargin | None]
    ) -> None:
        """Take over what was learned; the ledger, which a sum of all rows at once has no use for, is empty."""
        self.classes_ = classes
        self.weights_ = np.vstack([run.weights for run in runs])
        self.ledger_ = one_or_all([self._ledger(w) for w in self.weights_])
        self.support_ = one_or_all([run.support for run in runs])
        self.certificate_, self._solved = one_or_all(proofs), None
        self.n_passes_ = sum(run.passes for run in runs)
        self.n_examples_seen_ = sum(run.passes * part.n for run, part in zip(runs, parts, strict=True))
        self._updates_before = sum(run.steps for run in runs)
        best = Reason.SOLVED if self._knows_all_classes else Reason.ABSENT
        self.stop_reason_ = next((run.reason for run in runs if run.reason is not Reason.SOLVED), best)
        self._expose()

    def _warn_unless_solved(self, parts: list[Examples], runs: list[SoftRun], proofs: list[SoftMargin | None]) -> None:
        for part, run, proof in zip(parts, runs, proofs, strict=True):
            if proof is not None and run.reason is not Reason.SOLVED:
                no, yes = map(shown, part.classes)
                warnings.warn(
                    f"{run.reason} Other weights may have an objective that is lower by {proof.gap:.3g}, of "
                    f"{proof.upper:.6g} ({yes} against {no}), after {many(run.passes, 'pass', 'passes')}.",
                    self.not_converged,
                    stacklevel=3,
                )

    # -- what was proved -----------------------------------------------------------------------------------

    @property
    def objective_(self) -> Any:
        """The objective of the weights, bounded from above."""
        return one_or_all([proof.upper for proof in self._proofs])

    @property
    def dual_objective_(self) -> Any:
        """A bound on the objective of any weights, from below."""
        return one_or_all([proof.lower for proof in self._proofs])

    @property
    def gap_(self) -> Any:
        """The difference: no weights have an objective that is lower by more."""
        return one_or_all([proof.gap for proof in self._proofs])

    @property
    def _proofs(self) -> list[SoftMargin]:
        proofs = self.run_certificates()
        if not all(proofs):
            raise AttributeError("nothing is proved of these weights")
        return proofs

    def run_certificates(self) -> list[Any]:
        """What was proved of each rule; nothing of weights put in their place."""
        return as_list(getattr(self, "certificate_", None))

    def replace_weights(self, weights: Array) -> None:
        """Predict with these weights from now on; what is proved of others is not of these, until they are compared."""
        known = self._solved = getattr(self, "_solved", None) or self.run_certificates()
        super().replace_weights(weights)
        same = [p is not None and list(p.weights) == w.tolist() for p, w in zip(known, self.weights_, strict=True)]
        self.certificate_ = one_or_all([p if is_same else None for p, is_same in zip(known, same, strict=True)])

    def recount(self, parts: list[Examples]) -> None:
        """Compare the weights with the best that are known, on the rows learned from."""
        known = getattr(self, "_solved", None) or self.run_certificates()
        each = zip(parts, known, self.weights_, strict=True)
        self.certificate_ = one_or_all([p and compared(part, p, w) for part, p, w in each])

    def replay(self, X: Any, y: Any, t: int | None = None, sample_weight: Any = None) -> Array:
        """Refused: there is nothing to replay."""
        raise LedgerError("a soft margin has no ledger: each step moves the weights by all rows within the margin")


def _reporter() -> Callable[[NewtonDescent], None]:
    """A function that tells passes and the gap of a run, twice a second."""
    tick = ticker("soft margin")

    def report(run: NewtonDescent) -> None:
        tick(lambda: f"{run.passes} passes, gap {run.gap:.3g} of {run.objective:.6g}")

    return report
