"""The docstrings of estimators: their options, from what the rules state, and the paragraphs that several share."""

from inspect import cleandoc
from typing import TypeVar

from rosenblatt.options import documentation_of

PARAMETERS, ATTRIBUTES = "Parameters\n----------", "Attributes\n----------"
# A docstring names them in braces, alone or several on a line.
PARAGRAPHS = {
    "{LINEAR}": """
coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
    The weights of the features.
intercept_, threshold_ : array of shape (1,) or (n_classes,)
    The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0.""",
    "{WEIGHTS}": """
weights_ : array of shape (1 or n_classes, n_features + 1)
    The rule exactly as learned, the weight of the constant feature last; intercept_ is that one times
    bias_scale, rounded.""",
    "{RUN}": """
classes_ : array
    The labels, sorted; of two, "yes" is the second.
stop_reason_ : Reason
    Why learning ended; its text is a sentence. If several rules are learned, that of the first one
    that is not right on every row.
n_updates_, n_passes_, n_examples_seen_ : int
    Corrections, passes over the data, and looks at a row, summed over all rules if several are learned.""",
    "{LEDGER}": """
ledger_ : Ledger, or a list of one per rule
    The corrected rows in order: `replay(X, y, t)` gives the weights after t updates.""",
    "{INPUT}": """
n_features_in_, feature_names_in_
    As everywhere in scikit-learn.""",
    "{STORAGE}": """
What is learned does not depend on whether X is dense or sparse, to the last bit.""",
    "{COPIES}": """
A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a
fraction is a last copy that moves the weights by that part of a step.""",
    "{SHUFFLED}": """
With shuffle=True, all copies are shuffled.""",
    "{CTRL-C}": """
Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.""",
}
T = TypeVar("T")


def documented(made: type[T]) -> type[T]:
    """Complete the docstring of an estimator: its options, and the paragraphs that it names."""
    if made.__doc__ is None:  # Python was told to leave docstrings out
        return made
    text = "\n".join(map(_completed, cleandoc(made.__doc__).splitlines()))
    made.__doc__ = text.replace(ATTRIBUTES, f"{PARAMETERS}\n{documentation_of(made)}\n\n{ATTRIBUTES}", 1)
    return made


def _completed(line: str) -> str:
    """The paragraphs that a line names, or else the line."""
    names = line.split()
    return "".join(PARAGRAPHS[name] for name in names).strip("\n") if set(names) & PARAGRAPHS.keys() else line
