"""The passive-aggressive rule of `learn.passes.aggressive`."""

from typing import Annotated

import numpy as np

from rosenblatt.learn.ledger import Ledger
from rosenblatt.learn.passes import aggressive
from rosenblatt.learn.passes.aggressive import StepLedger, Variant
from rosenblatt.learn.passes.averaged import PassesRun
from rosenblatt.learn.passes.averaged_kernels import Stride
from rosenblatt.options import OneOf
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array
from rosenblatt.rules.in_passes import RuleInPasses
from rosenblatt.rules.option_types import (
    BiasScale,
    ClassWeight,
    Count,
    Positive,
    RandomState,
    Start,
    Switch,
    SwitchOrAuto,
)
from rosenblatt.rules.schemes import one_or_all


class AggressiveRule(RuleInPasses):
    """Linear yes/no rule that moves as little as each row allows, but as far as it asks (Crammer et al. 2006).

    `rosenblatt.PassiveAggressive` describes the options.
    """

    name = "PassiveAggressive"
    keeps = (*RuleInPasses.keeps, "steps")

    _name = "passive-aggressive"
    ties = "mistake"  # of prediction: a score of exactly zero is the first class

    def __init__(
        self,
        *,
        variant: Annotated[str, OneOf(tuple(Variant))] = "PA-I",
        C: Positive = 1.0,
        average: Switch = False,
        max_passes: Count = 10,
        shuffle: SwitchOrAuto = True,
        start: Start = "zeros",
        fit_intercept: Switch = True,
        bias_scale: BiasScale = 1.0,
        normalize: Switch = False,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
        verbose: Switch = False,
    ) -> None:
        self.variant = variant
        self.C = C
        self.average = average
        self.max_passes = max_passes
        self.shuffle = shuffle
        self.start = start
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def _settle(self) -> None:
        super()._settle()
        self._steps = aggressive.variant_named(self.variant), aggressive.checked_aggressiveness(self.C)
        self._averages = bool(self.average)

    def _stride(self, part: Examples) -> Stride:
        return aggressive.stride_of(part, *self._steps)

    def _is_averaged(self) -> bool:
        return self._averages

    def _keep(self, classes: Array, parts: list[Examples], runs: list[PassesRun]) -> None:
        super()._keep(classes, parts, runs)
        self.ledger_ = one_or_all([StepLedger.of(run.ledger, *self._steps) for run in runs])

    def _ledger(self, start: Array) -> Ledger:
        return StepLedger(start, 0, np.int64, *self._steps)
