"""MarginPerceptron: the perceptron that is not content with being right."""

import warnings
from typing import Annotated, Any, Self

from rosenblatt.learn.choices import Budget
from rosenblatt.learn.passes.averaged import PassesRun
from rosenblatt.learn.passes.averaged_kernels import Stride, WithinMargin
from rosenblatt.learn.passes.in_cone import signs_in
from rosenblatt.options import with_options
from rosenblatt.plurals import many
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.in_passes import RuleInPasses
from rosenblatt.rules.option_groups import FromZero, MonotonicOptions, TimeOptions, UpdateOptions


@with_options
class MarginRule(UpdateOptions, TimeOptions, MonotonicOptions, RuleInPasses):
    """What `rosenblatt.MarginPerceptron` is as a rule."""

    name = "MarginPerceptron"
    keeps = (*RuleInPasses.keeps, "margin")
    not_checkable = (*RuleInPasses.not_checkable, "whether the margin was reached")

    _name = "margin perceptron"
    ties = "mistake"  # of prediction: a score of exactly zero is the first class

    beta: Annotated[
        FromZero,
        "How large y (w . x) must be. R^2 finds a third of the largest margin, 10 R^2 finds 10/21 of it.",
    ] = 1.0
    max_passes = 1000

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of X and their labels y."""
        super().fit(X, y, sample_weight)
        if not self.margin_reached_:
            warnings.warn(
                f"y (w . x) > {self.beta:g} was not reached on every row after {many(self.n_updates_, 'update')} and "
                f"{many(self.n_passes_, 'pass', 'passes')}. Try to raise max_passes or to lower beta; if the classes "
                "overlap, no line separates them and no budget is enough.",
                self.not_converged,
                stacklevel=2,
            )
        return self

    def _settle(self) -> None:
        super()._settle()
        self._beta = float(self.beta)

    def _budget(self) -> Budget:
        return Budget(self.max_passes, self.max_updates, self.max_seconds)

    def _stride(self, part: Examples) -> Stride:
        return WithinMargin(self._beta, signs_in(self.cone, part.size))

    def _margin_wanted(self) -> float:
        return max(self._beta, 1.0)

    def _is_averaged(self) -> bool:
        return False

    def _keep(self, classes: Array, parts: list[Examples], runs: list[PassesRun]) -> None:
        super()._keep(classes, parts, runs)
        self.margin_reached_ = all(run.is_quiet for run in runs)

    def _go_on(self, parts: list[Examples], made: list[tuple[Array, Array]]) -> None:
        self.margin_reached_ = False
