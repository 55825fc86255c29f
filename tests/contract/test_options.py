"""Every value that an option cannot have is refused at fit: its name, what it must be, and what it is."""

import inspect

import numpy as np
import pytest

import rosenblatt
from rosenblatt.errors import OptionError

ESTIMATORS = [
    rosenblatt.Perceptron, rosenblatt.PocketPerceptron, rosenblatt.AveragedPerceptron, rosenblatt.VotedPerceptron,
    rosenblatt.MarginPerceptron, rosenblatt.PassiveAggressive, rosenblatt.LiftedPerceptron,
    rosenblatt.SoftMarginPerceptron, rosenblatt.PerceptronCV, rosenblatt.KernelPerceptron, rosenblatt.PerceptronTree,
    rosenblatt.OnlinePerceptron,
]  # fmt: skip
QUESTIONS = [rosenblatt.separability, rosenblatt.margin, rosenblatt.optimality]
X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = np.array([0, 0, 0, 1])
NONE_IS_FINE = {
    "max_passes", "max_updates", "max_seconds", "patience", "class_weight", "random_state", "improve", "margin",
    "gamma", "budget", "max_depth", "max_columns", "prune", "categorical_features", "classes", "comparator", "ledger",
    "rule", "sample_weight", "monotonic_cst", "most_columns", "feature_groups",
}  # fmt: skip
NO_VALUES = {
    "a word": "foo",
    "a list of words": ["foo", "bar"],
    "nothing in a list": [],
    "a dict": {"foo": "bar"},
    "not a number": float("nan"),
    "below 0": -1.0,
    "an array": np.array([[-1.0, 0.5], [2.0, np.nan]]),
    "anything": object(),
}
FINE = {
    ("coef0", "below 0"), ("degree", "below 0"),  # of a polynomial, any numbers
    ("classes", "a list of words"), ("random_state", "nothing in a list"),  # as NumPy takes it
    ("categorical_features", "nothing in a list"), ("feature_groups", "a list of words"),  # one for each feature
}  # fmt: skip


def use(made, name, value):
    """Fit an estimator, or ask a question, with this option."""
    if made in QUESTIONS:
        return made(X, Y, **{name: value})
    rule = made(**{name: value})
    return rule.learn_many(X, Y) if isinstance(rule, rosenblatt.OnlinePerceptron) else rule.fit(X, Y)


def options(made):
    return [name for name in inspect.signature(made).parameters if name not in ("X", "y", "rule", "sample_weight")]


EVERY = [(made, name) for made in ESTIMATORS + QUESTIONS for name in options(made)]


@pytest.mark.parametrize(("made", "name"), EVERY)
@pytest.mark.parametrize("what", NO_VALUES)
def test_what_no_option_can_be_is_refused_in_words(made, name, what):
    if (name, what) in FINE:
        return
    with pytest.raises(OptionError, match=f"^{name} .*(must be|names)"):
        use(made, name, NO_VALUES[what])


@pytest.mark.parametrize(("made", "name"), EVERY)
def test_none_is_refused_where_it_means_nothing(made, name):
    if name in NONE_IS_FINE and (made, name) != (rosenblatt.PocketPerceptron, "margin"):
        return
    with pytest.raises(OptionError, match=f"^{name} must be .*, not None"):
        use(made, name, None)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("made", "name"), EVERY)
def test_true_and_false_may_be_of_numpy_or_numbers(made, name):
    if name != "shuffle" and inspect.signature(made).parameters[name].annotation is not bool:
        return
    for value in (np.True_, np.False_, 0, 1, np.int64(1)):
        use(made, name, value)
    for value in (2, 1.0, "no", None):
        with pytest.raises(OptionError, match=f"^{name} must be True( or False|, False, or 'auto'), not "):
            use(made, name, value)
