"""MarginPerceptron: the scikit-learn face of `rules.linear.margin_perceptron`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.margin_perceptron import MarginRule


@documented
class MarginPerceptron(Face, MarginRule):
    """Linear yes/no rule, learned by a step y x on every row with y (w . x) <= beta (Krauth and Mezard 1987).

    It ends when y (w . x) > beta for every row. If some rule of length 1 has the margin g, and rows are no longer
    than R, that takes at most (R^2 + 2 beta) / g^2 steps from zeros, and the margin found, the least y (w . x) / ||w||,
    is then more than beta / (R^2 + 2 beta) of g: nearly half of the largest margin for a large beta. With beta=0 it is
    the perceptron. More than two classes are learned one against the rest.

    Attributes
    ----------
    margin_reached_ : bool
        Whether it is known that y (w . x) > beta for every row, for all rules: the last pass of `fit` moved nothing.
    {LINEAR} {WEIGHTS}
    last_weights_ : array of the same shape
        Equal to weights_.
    {RUN} {LEDGER} {INPUT}

    Notes
    -----
    Whether y (w . x) <= beta is decided exactly.
    {STORAGE} {COPIES} {SHUFFLED} {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import MarginPerceptron
    >>> p = MarginPerceptron(beta=20).fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.margin_reached_
    True
    >>> bool(p.decision_function([[1, 1]])[0] > 20)
    True
    """
