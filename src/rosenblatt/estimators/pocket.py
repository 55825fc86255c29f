"""PocketPerceptron: the scikit-learn face of `rules.linear.pocket`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.pocket import PocketRule


@documented
class PocketPerceptron(Face, PocketRule):
    """Linear yes/no rule with as few mistakes as can be found: the pocket algorithm (Gallant 1990), and better.

    For data that no line separates. The perceptron runs on random mistakes, and the weights that got the fewest rows
    wrong are kept in the pocket. From there, by default, a descent looks for rules with fewer mistakes still: what is
    learned is never worse than the pocket's with the same seed and budget. More than two classes are learned jointly: a
    row is wrong if another class has as large a score, and counts once. Where predicting the same label for every row
    costs less than all that was found, that is the rule, if it has a threshold and no margin is given.

    Attributes
    ----------
    {LINEAR} {WEIGHTS}
    mistakes_ : int, or a list of one per rule
        How many rows the rule gets wrong.
    cost_ : float, or a list of one per rule
        The sum of the weights of those rows; with a margin, of the rows below it.
    kept_at_ : int, or a list of one per rule
        After how many updates these weights were met; -1 if the descent found them, or if they are constant.
    {RUN} {LEDGER}
        Updates and ledger are those of the pocket algorithm, without the descent.
    {INPUT}

    Notes
    -----
    A sample weight is what a mistake on that row costs; a row of weight k is drawn as k copies of it.
    `optimality(X, y, model)` proves how far the rule is from the best possible one.
    Of one-vs-rest rules the one with the largest score is predicted, so each rule's weights are multiplied by a power
    of two that brings its scores to about 1.
    Scores have no scale of their own: weights that the perceptron met are sums of rows, while those of the descent give
    scores of about 1. To compare or combine the scores of several fits, as stacking does, calibrate them first
    (`sklearn.calibration.CalibratedClassifierCV`).
    {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import PocketPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # no line gets more than three of these right
    >>> PocketPerceptron(random_state=0).fit(X, y).mistakes_
    1
    """
