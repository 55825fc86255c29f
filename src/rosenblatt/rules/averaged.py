"""The averaged perceptron."""

from rosenblatt.rules.in_passes import RuleInPasses
from rosenblatt.rules.linear_learner import AUTO
from rosenblatt.rules.option_types import (
    BiasScale,
    ClassWeight,
    Count,
    MultiClass,
    RandomState,
    Start,
    Switch,
    SwitchOrAuto,
    TieRule,
)
from rosenblatt.rules.schemes import JOINT


class AveragedRule(RuleInPasses):
    """Linear yes/no rule: the mean of all weights that a perceptron went through (Freund and Schapire 1999).

    `rosenblatt.AveragedPerceptron` describes the options.
    """

    name = "AveragedPerceptron"

    def __init__(
        self,
        *,
        ties: TieRule = "mistake",
        multi_class: MultiClass = JOINT,
        max_passes: Count = 10,
        shuffle: SwitchOrAuto = AUTO,
        start: Start = "zeros",
        fit_intercept: Switch = True,
        bias_scale: BiasScale = 1.0,
        normalize: Switch = False,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
        verbose: Switch = False,
    ) -> None:
        self.ties = ties
        self.multi_class = multi_class
        self.max_passes = max_passes
        self.shuffle = shuffle
        self.start = start
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose
