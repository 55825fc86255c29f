"""The averaged perceptron."""

from typing import Annotated

from rosenblatt.options import with_options
from rosenblatt.rules.linear.in_passes import RuleInPasses
from rosenblatt.rules.option_groups import AUTO, MonotonicOptions, MultiClassOptions, TieOptions


@with_options
class AveragedRule(TieOptions, MultiClassOptions, MonotonicOptions, RuleInPasses):
    """What `rosenblatt.AveragedPerceptron` is as a rule."""

    name = "AveragedPerceptron"

    shuffle: Annotated[bool | str, 'With several classes learned jointly, "auto" is always that fixed order.'] = AUTO
