"""PocketPerceptron: the scikit-learn face of `rules.pocket`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.pocket import PocketRule


class PocketPerceptron(Face, PocketRule):
    """Linear yes/no rule with as few mistakes as can be found: the pocket algorithm (Gallant 1990), and better.

    For data that no line separates. The perceptron runs on random mistakes, and the weights that got the fewest rows
    wrong are kept in the pocket. From there, by default, a descent looks for rules with fewer mistakes still: what is
    learned is never worse than the pocket's with the same seed and budget. More than two classes are learned jointly: a
    row is wrong if another class has as large a score, and counts once. Where saying the same of every row costs less
    than all that was found, that is the rule, if it has a threshold and no margin is asked for.

    Parameters
    ----------
    improve : {"descent", None}, default="descent"
        None: the pocket algorithm of the notes, no more. "descent": then a smoothed count of the mistakes is followed
        down, exact line searches lead to a rule that no step along a line improves, and kicks away from there.
    ratchet : bool, default=False
        Gallant's ratchet: count mistakes only of weights that were right on more draws in a row than any before.
    margin : float, default=0.0
        If above 0: keep the weights for which most rows have y (w . x) >= margin * ||w||, in the units of the rows. Not
        for several classes learned jointly.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training, as in `Perceptron`.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights, as in `Perceptron`.
    fit_intercept, bias_scale, normalize
        As in `Perceptron`.
    max_updates : int, "auto" or None, default="auto"
        How many mistakes the pocket algorithm corrects, for each rule. "auto": 1000, on tables of more than 100,000
        numbers in proportion fewer, at least 50.
    max_passes : int or None, default=None
        Budget of passes over the data, for the pocket algorithm and once more for the descent.
    max_seconds : float or None, default=None
        Budget of time for all rules; a quarter of it is the pocket algorithm's. What is learned then depends on the
        speed of the machine.
    patience : int, default=20
        The descent ends after so many kicks in a row that brought no better rule, or when it has been long enough: on
        large tables without any kick.
    multi_class : {"joint", "one-vs-rest", "one-vs-one"}, default="joint"
        How more than two classes are learned, as in `Perceptron`.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class: what a mistake on one of its rows costs.
    random_state : int, RandomState, Generator or None, default=None
        For the draws and the descent.
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_, intercept_, threshold_, weights_, classes_, n_features_in_, feature_names_in_
        As in `Perceptron`.
    mistakes_ : int, or a list of one per rule
        How many rows the rule gets wrong.
    cost_ : float, or a list of one per rule
        The sum of the weights of those rows; with a margin, of the rows below it.
    kept_at_ : int, or a list of one per rule
        After how many updates these weights were met; -1 if the descent found them, or if they are constant.
    stop_reason_, n_updates_, n_passes_, n_examples_seen_, ledger_
        As in `Perceptron`; updates and ledger are those of the pocket algorithm.

    Notes
    -----
    A sample weight is what a mistake on that row costs; a row of weight k is drawn as k copies of it.
    `optimality(X, y, model)` proves how far the rule is from the best possible one.
    Of one-vs-rest rules the one with the largest score is predicted, so each rule's weights are multiplied by a power
    of two that brings its scores to about 1.
    Scores have no scale of their own: weights that the perceptron met are sums of rows, while those of the descent give
    scores of about 1. To compare or combine the scores of several fits, as stacking does, calibrate them first
    (`sklearn.calibration.CalibratedClassifierCV`).
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import PocketPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # no line gets more than three of these right
    >>> PocketPerceptron(random_state=0).fit(X, y).mistakes_
    1
    """
