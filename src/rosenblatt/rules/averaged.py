"""The averaged perceptron."""

from typing import Any

from rosenblatt.rules.in_passes import RuleInPasses
from rosenblatt.rules.linear_learner import AUTO
from rosenblatt.rules.schemes import JOINT


class AveragedRule(RuleInPasses):
    """Linear yes/no rule: the mean of all weights that a perceptron went through (Freund and Schapire 1999).

    `rosenblatt.AveragedPerceptron` describes the options.
    """

    name = "AveragedPerceptron"

    def __init__(
        self,
        *,
        max_passes: int | None = 10,
        shuffle: bool | str = AUTO,
        ties: str = "mistake",
        start: Any = "zeros",
        fit_intercept: bool = True,
        bias_scale: float | str = 1.0,
        normalize: bool = False,
        multi_class: str = JOINT,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.max_passes = max_passes
        self.shuffle = shuffle
        self.ties = ties
        self.start = start
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.normalize = normalize
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose
