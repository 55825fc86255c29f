"""LiftedPerceptron: the scikit-learn face of `learn.lifted.lifted`."""

import warnings
from dataclasses import replace
from fractions import Fraction
from math import hypot
from typing import Any, Self

from rosenblatt import options
from rosenblatt.estimators.contract import ConvergenceWarning
from rosenblatt.estimators.linear import LinearRule, one_or_all
from rosenblatt.estimators.progress import reporter
from rosenblatt.learn.choices import MOMENT, Budget, Reason, shares
from rosenblatt.learn.lifted import lifted
from rosenblatt.learn.lifted.lifted import LiftedRun
from rosenblatt.learn.run_state import ctrl_c_noted
from rosenblatt.plurals import many
from rosenblatt.prove.theory import bounds
from rosenblatt.rows import timing
from rosenblatt.rows.examples import Examples, shown
from rosenblatt.rows.kernels import Array

BEST = "best"
SAFELY = 1e-12  # covers the rounding of the few operations between a reference and its bound


class LiftedPerceptron(LinearRule):
    """Linear yes/no rule for classes that overlap: PLA on rows with a feature of their own each (Harchaoui 3).

    Row i is learned as [a x_i; sqrt(1 - a^2) e_i]. Lifted rows are always separable, so learning always ends, after a
    number of updates that is bounded beforehand. Prediction uses the first coordinates alone, which may be wrong on
    some training rows: an allowance for noise, the larger the smaller a is. More than two classes are learned one
    against the rest.

    Parameters
    ----------
    a : float between 0 and 1, or "best", default="best"
        How much of a row is lifted; made for rows of length about 1 (see `normalize`). "best": the a for which the
        bound on updates is least, a^2 = 1 / (1 + R sqrt(L)), where R is the length of the longest row and L the sum of
        max(0, gamma - y (u . x))^2 over the rows, for a unit vector u and a gamma of least bound. u is the sum of
        the signed rows, or the mean of the weights in five passes of the plain algorithm, whichever is better.
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature; "auto": the length of the longest row.
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    max_passes, max_updates, max_seconds : number or None, default=None
        Budgets of passes over the data and of updates, for each one-vs-rest rule, and of time, for all of them. None:
        until every lifted row is right.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_, intercept_, threshold_, weights_, classes_, n_updates_, n_passes_, n_examples_seen_, ledger_
        As of `Perceptron`. The ledger replays the weights of the first coordinates.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several classes, the first one's that was not clean.
    lifted_mistakes_ : int, or a list of one per class
        Lifted rows that are wrong: 0 where the run ended by itself.
    training_mistakes_ : int, or a list of one per class
        Rows that the rule is wrong on, without their own features.
    a_, lift_ : float, or a list of one per class
        The a used, and s = sqrt(1 - a^2) / a, to 24 bits: rows are learned as [x; s e_i], which is the lifted row
        divided by a. Decisions are exact for this s.
    own_weights_ : array, or a list of one per class
        The weights of the own features of [x; s e_i], each times its row's label: s times the number of
        corrections of the row.
    lifted_margin_ : float, or a list of one per class
        The margin gamma' = a gamma / sqrt(1 + a^2 L / (1 - a^2)) on the lifted rows that a reference u and gamma prove:
        one of the u above, or the direction learned, whichever gives the least bound.
    update_bound_ : int, or a list of one per class
        What that margin proves: n_updates_ is at most (a^2 R^2 + 1 - a^2) / gamma'^2.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The lifted table is never made: the run needs one number per row. It is, to the last bit, that of
    `Perceptron(order="cyclic")` on the table [x; s e_i]. With the kernel K + s^2 I, `KernelPerceptron` makes the same
    updates.
    A row of sample weight k is learned as k copies of it, each with a feature of its own; weight 0 is no row; a
    fraction is a last copy that moves the weights by that part of a step. What is learned does not depend on whether X
    is dense or sparse, to the last bit.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import LiftedPerceptron
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0, 1, 1]
    >>> p = LiftedPerceptron().fit(X, y)
    >>> str(p.stop_reason_)
    'Every row is right in the lifted space, but not every one without its own feature.'
    >>> p.training_mistakes_, p.lifted_mistakes_, p.n_updates_ <= p.update_bound_
    (1, 0, True)
    """

    ties = "mistake"
    start = "zeros"

    def __init__(
        self,
        *,
        a: float | str = BEST,
        fit_intercept: bool = True,
        bias_scale: float | str = 1.0,
        normalize: bool = False,
        max_passes: int | None = None,
        max_updates: int | None = None,
        max_seconds: float | None = None,
        class_weight: Any = None,
        verbose: bool = False,
    ) -> None:
        self.a = a
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.max_seconds = max_seconds
        self.class_weight = class_weight
        self.verbose = verbose

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
        for part, run in zip(parts, runs, strict=True):
            if run.reason is not Reason.SEPARATED:
                _warn(part, run)
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


def _warn(examples: Examples, run: LiftedRun) -> None:
    """Say that a run ended before its time, and what is left."""
    no, yes = map(shown, examples.classes)
    warnings.warn(
        f"{run.reason} {lifted.count(examples, run)} of {run.own.size} lifted rows are wrong ({yes} against {no}) "
        f"after {many(run.updates, 'update')} and {many(run.passes, 'full pass', 'full passes')}. "
        "Raise the budget, or leave a at 'best': lifted rows are always separable.",
        ConvergenceWarning,
        stacklevel=3,
    )
