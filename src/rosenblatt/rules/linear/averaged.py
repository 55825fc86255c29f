"""The averaged perceptron."""

from typing import Annotated

import numpy as np

from rosenblatt.learn.passes import averaged
from rosenblatt.learn.passes.averaged import Choice, PassesRun
from rosenblatt.learn.passes.averaged_kernels import Stride
from rosenblatt.learn.passes.in_cone import ConeLedger, stride_in
from rosenblatt.options import with_options
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.in_passes import RuleInPasses
from rosenblatt.rules.option_groups import AUTO, MonotonicOptions, MultiClassOptions, TieOptions


@with_options
class AveragedRule(TieOptions, MultiClassOptions, MonotonicOptions, RuleInPasses):
    """What `rosenblatt.AveragedPerceptron` is as a rule."""

    name = "AveragedPerceptron"

    shuffle: Annotated[bool | str, 'With several classes learned jointly, "auto" is always that fixed order.'] = AUTO

    def _stride(self, part: Examples) -> Stride:
        return stride_in(self.cone, self.ties, part.size) if self.cone else super()._stride(part)

    def _start_weights(self, parts: list[Examples], rng: np.random.Generator) -> list[Array]:
        starts = super()._start_weights(parts, rng)
        return [self.cone.nearest(start) for start in starts] if self.cone else starts

    def _choice(self) -> Choice:
        """The mean, in the cone in spite of rounding."""
        return (lambda course: self.cone.nearest(averaged.average(course))) if self.cone else super()._choice()

    def _rule(self, k: int) -> Array:
        mean = super()._rule(k)
        return self.cone.nearest(mean) if self.cone else mean

    def _keep(self, classes: Array, parts: list[Examples], runs: list[PassesRun]) -> None:
        super()._keep(classes, parts, runs)
        if self.cone:
            (run,) = runs
            self.ledger_ = ConeLedger.of(run.ledger, self.ties, *self.cone.fields.values())
