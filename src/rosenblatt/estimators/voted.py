"""VotedPerceptron: the scikit-learn face of `rules.voted`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.voted import VotedRule


class VotedPerceptron(Face, VotedRule):
    """Yes/no rule by the vote of all weights that a perceptron went through (Freund and Schapire 1999).

    Every weight vector has as many votes as looks at a row that it was there after: the longer it stayed right, the
    more. The rule is not linear. More than two classes are learned one against the rest.

    Parameters
    ----------
    vote : {"voted", "averaged", "last", "random"}, default="voted"
        What predicts: the vote of all vectors; their mean, weighted by the votes, as AveragedPerceptron does; the last
        one; one drawn at random, with chances as the votes, once for all predictions. All but the first are linear.
    max_passes : int or None, default=10
        How many passes over the data, unless it ends earlier (see Notes).
    shuffle : bool or "auto", default="auto"
        Whether every pass is in a new random order, or in the order of the rows. "auto": in that order, unless rows of
        a class come in long runs, as in a table sorted by class: then in a fixed order that is spread over the table.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training: always wrong; right for the second class (sgn(0) = +1);
        right for the first; never wrong. A zero is a vote for the first class, under "plus" for the second, and so is
        a vote that is even.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights: zeros; y_1 x_1; standard normal; given, one per feature and optionally one for the
        threshold (with several classes: one such row per class).
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature. "auto": the length of the longest row.
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For shuffle=True, start="random" and vote="random".
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    votes_ : array of shape (n_updates + 1,), or a list of one per class
        The votes of each weight vector, the start's first; `replay(X, y, t)` gives vector t.
    coef_, intercept_, threshold_ : arrays
        As of Perceptron, of the weights that predict; not there with vote="voted".
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The weights that predict, or with vote="voted" the last ones; the weight of the constant feature last.
    last_weights_ : array of the same shape
        The perceptron's own weights at the end.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several classes, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Corrections, passes over the data, and looks at a row; summed over one-vs-rest rules.
    ledger_ : Ledger, or a list of one per class
        The corrected rows in order.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The vectors are not kept: what predicts is the start, the rows that were corrected, and the order of corrections, so
    memory grows with those and not with the number of vectors times that of features. To predict, the vectors are made
    again, a block at a time. Each vote is decided by the exact sign, and votes are whole numbers: the vote is exact.
    It ends early after a pass without a correction, if the vote is then right on every row; if it is not, each further
    pass gives the last weights more votes, and they are.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that moves the weights by that part of a step, and is a look like every other. With shuffle=True, all
    copies are shuffled.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron
    >>> p = VotedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.votes_.tolist()
    [0, 3, 1, 1, 2, 2, 1, 1, 3, 1, 2, 2, 2, 1, 1, 3, 1, 2, 7]
    """
