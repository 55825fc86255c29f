"""What a tree may look like: a small frozen value."""

from dataclasses import dataclass

from rosenblatt.learn.tree.split_kernels import ENTROPY, GINI, MISTAKES

CRITERIA = {"gain ratio": ENTROPY, "gini": GINI, "mistakes": MISTAKES}
TESTS = ("feature", "perceptron", "auto")
CATEGORIES = ("grouped", "each")
LEAVES = ("majority", "perceptron")


@dataclass(frozen=True)
class Plan:
    """What a tree may look like."""

    test: str = "auto"
    criterion: str = "gini"
    leaves: str = "majority"
    categories: str = "grouped"
    max_depth: int | None = None
    min_leaf: float = (
        1.0  # the weight of a branch's rows; of rows that weigh less than 1 on average, in their mean weight
    )
    min_gain: float = 0.0
    max_columns: int | None = None  # features of a perceptron test
    spare: float = 0.02  # the part of the gain that a perceptron test may lose for fewer features
    simpler: float = 0.25  # a perceptron test must gain more than a feature by this part
