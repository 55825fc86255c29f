"""The lifted perceptron of `learn.lifted.lifted`."""

from dataclasses import replace
from fractions import Fraction
from math import hypot
from typing import Annotated, Any, Self

from rosenblatt import options
from rosenblatt.learn.choices import MOMENT, Budget, Reason, shares
from rosenblatt.learn.lifted import lifted
from rosenblatt.learn.lifted.lifted import LiftedRun
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.options import Number, with_options
from rosenblatt.plurals import many
from rosenblatt.prove.theory import bounds
from rosenblatt.rows import timing
from rosenblatt.rows.examples import Examples, shown
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.learner import LinearLearner
from rosenblatt.rules.option_groups import BudgetOptions, ClassWeightOptions, ThresholdOptions, VerboseOptions
from rosenblatt.rules.run_progress import reporter
from rosenblatt.rules.schemes import as_list, one_or_all

BEST = "best"
SAFELY = 1e-12  # covers the rounding of the few operations between a reference and its bound


@with_options
class LiftedRule(ThresholdOptions, BudgetOptions, ClassWeightOptions, VerboseOptions, LinearLearner):
    """What `rosenblatt.LiftedPerceptron` is as a rule."""

    name = "LiftedPerceptron"
    keeps = (*LinearLearner.keeps, "weights", "lift")
    not_checkable = (
        *LinearLearner.not_checkable,
        "the margin, the mistakes and the bound of the lifted rows",
    )

    ties = "mistake"
    start = "zeros"

    a: Annotated[
        float | str,
        Number(above=0, below=1, words=(BEST,)),
        'How much of a row is lifted; made for rows of length about 1 (see `normalize`). "best": the a for which the '
        "bound on updates is least, a^2 = 1 / (1 + R sqrt(L)), where R is the length of the longest row and L the sum "
        "of max(0, gamma - y (u . x))^2 over the rows, for a unit vector u and a gamma of least bound. u is the sum "
        "of the signed rows, or the mean of the weights in five passes of the plain algorithm, whichever is better.",
    ] = BEST

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        budget = Budget(self.max_passes, self.max_updates, self.max_seconds)
        given = None if options.is_word(self.a, BEST) else lifted.lift_for(self.a)  # type: ignore[arg-type]
        classes, parts = self._parts(X, y, sample_weight)
        runs, directions = [], []
        with ctrl_c_noted() as interrupted:
            starts = self._starts(parts, self._generator())
            for part, start, share in zip(parts, starts, shares(budget, len(parts)), strict=True):
                begun = timing.now()
                quick = lifted.quick_directions(part, share.max_seconds, interrupted)
                large, factor = lifted.enlarged(part)
                lift = given or lifted.short(lifted.best_lift(large, lifted.best_reference(large, quick)) / factor)
                watch = reporter(share, "lifted perceptron") if self.verbose else None
                left = share
                if share.max_seconds is not None:
                    left = replace(share, max_seconds=max(share.max_seconds - (timing.now() - begun), MOMENT))
                runs.append(lifted.learn(part, lift, start, budget=left, watch=watch, interrupted=interrupted))
                directions.append([*quick, runs[-1].weights])
            self._take(classes, list(runs))
            self._report(parts, runs, directions)
        self._warn_unless_separated(parts, runs, _in_words)
        if interrupted():
            raise KeyboardInterrupt
        return self

    def _report(self, parts: list[Examples], runs: list[LiftedRun], directions: list[Any]) -> None:
        """Say what the lift and the rule without it are worth."""
        each = list(zip(parts, runs, strict=True))
        self.recount(parts)
        self.lifted_mistakes_ = one_or_all([lifted.count(part, run) for part, run in each])
        self.lift_ = one_or_all([run.lift for run in runs])
        self.a_ = one_or_all([1 / hypot(1, run.lift) for run in runs])
        self.own_weights_ = one_or_all([run.own for run in runs])
        known = [_margin_and_bound(*pair, us) for pair, us in zip(each, directions, strict=True)]
        self.lifted_margin_ = one_or_all([margin for margin, _ in known])
        self.update_bound_ = one_or_all([bound for _, bound in known])

    def counts(self) -> dict[str, list[Any] | None]:
        """Mistakes without the rows' own features."""
        return {"training_mistakes": as_list(self.training_mistakes_)}

    def recount(self, parts: list[Examples]) -> None:
        """Count the mistakes on the rows learned from, without their own features."""
        wrong = self._mistakes(parts)
        if self.stop_reason_ in (Reason.SEPARATED, Reason.LIFTED):
            self.stop_reason_ = Reason.LIFTED if any(wrong) else Reason.SEPARATED
        self.training_mistakes_ = one_or_all(wrong)


def _margin_and_bound(part: Examples, run: LiftedRun, directions: list[Array]) -> tuple[float, int]:
    """The margin of the lifted rows that these directions prove, and the most updates, which no factor changes."""
    large, factor = lifted.enlarged(part)
    lift = run.lift * factor
    margin = lifted.best_reference(large, directions, lift).lifted_margin(lift)
    least = Fraction(margin * (1 - SAFELY)) * Fraction(lifted.least_step(part))  # as a float, it may underflow
    bound = bounds.novikoff(hypot(large.radius, lift) * (1 + SAFELY), least)
    return margin / factor / hypot(1, run.lift), bound


def _in_words(examples: Examples, run: LiftedRun) -> str:
    """Why a run ended before every lifted row was right, and what to try."""
    no, yes = map(shown, examples.classes)
    return (
        f"{run.reason} {lifted.count(examples, run)} of {run.own.size} lifted rows are wrong ({yes} against {no}) "
        f"after {many(run.updates, 'update')} and {many(run.passes, 'full pass', 'full passes')}. "
        "Raise the budget, or leave a at 'best': lifted rows are always separable."
    )
