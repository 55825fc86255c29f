"""The passive-aggressive rule of `learn.passes.aggressive`."""

from typing import Annotated, Any

import numpy as np

from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import aggressive
from rosenblatt.learn.passes.aggressive import StepLedger, Variant
from rosenblatt.learn.passes.averaged import PassesRun
from rosenblatt.learn.passes.averaged_kernels import Stride
from rosenblatt.options import OneOf, with_options
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.linear.in_passes import RuleInPasses
from rosenblatt.rules.option_groups import MonotonicOptions, Positive, Switch
from rosenblatt.rules.schemes import one_or_all


@with_options
class AggressiveRule(MonotonicOptions, RuleInPasses):
    """What `rosenblatt.PassiveAggressive` is as a rule."""

    name = "PassiveAggressive"
    keeps = (*RuleInPasses.keeps, "steps")

    _name = "passive-aggressive"
    ties = "mistake"  # of prediction: a score of exactly zero is the first class

    variant: Annotated[
        str,
        OneOf(tuple(Variant)),
        "The step on a row, with loss = max(0, 1 - y (w . x)): loss / ||x||^2; min(C, loss / ||x||^2); "
        'loss / (||x||^2 + 1 / (2 C)). "PA" is for data without noise: one wrong label undoes what was learned.',
    ] = "PA-I"
    C: Annotated[Positive, 'How aggressive a step may be; ignored for "PA".'] = 1.0
    average: Annotated[
        Switch, "Whether the rule is the mean of the weights after each look at a row, instead of the last."
    ] = False
    shuffle = True
    start: Annotated[Any, "`start=last_weights_` goes on where a run ended."] = "zeros"
    fit_intercept: Annotated[bool, "That feature is a part of x."] = True

    def _settle(self) -> None:
        super()._settle()
        self._steps = aggressive.variant_named(self.variant), aggressive.checked_aggressiveness(self.C)
        self._averages = bool(self.average)

    def _stride(self, part: Examples) -> Stride:
        return aggressive.stride_of(part, *self._steps, self.cone)

    def _is_averaged(self) -> bool:
        return self._averages

    def _keep(self, classes: Array, parts: list[Examples], runs: list[PassesRun]) -> None:
        super()._keep(classes, parts, runs)
        how = *self._steps, *self.cone.fields.values()
        self.ledger_ = one_or_all([StepLedger.of(run.ledger, *how) for run in runs])

    def _ledger(self, start: Array) -> Ledger:
        return StepLedger(start, 0, np.int64, *self._steps, **self.cone.fields)
