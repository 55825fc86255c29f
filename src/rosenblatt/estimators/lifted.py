"""LiftedPerceptron: the scikit-learn face of `rules.lifted`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.lifted import LiftedRule


class LiftedPerceptron(Face, LiftedRule):
    """Linear yes/no rule for classes that overlap: PLA on rows with a feature of their own each (Harchaoui 3).

    Row i is learned as [a x_i; sqrt(1 - a^2) e_i]. Lifted rows are always separable, so learning always ends, after a
    number of updates that is bounded beforehand. Prediction uses the first coordinates alone, which may be wrong on
    some training rows: an allowance for noise, the larger the smaller a is. More than two classes are learned one
    against the rest.

    Parameters
    ----------
    a : float between 0 and 1, or "best", default="best"
        How much of a row is lifted; made for rows of length about 1 (see `normalize`). "best": the a for which the
        bound on updates is least, a^2 = 1 / (1 + R sqrt(L)), where R is the length of the longest row and L the sum of
        max(0, gamma - y (u . x))^2 over the rows, for a unit vector u and a gamma of least bound. u is the sum of
        the signed rows, or the mean of the weights in five passes of the plain algorithm, whichever is better.
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature; "auto": the length of the longest row.
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    max_passes, max_updates, max_seconds : number or None, default=None
        Budgets of passes over the data and of updates, for each one-vs-rest rule, and of time, for all of them. None:
        until every lifted row is right.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_, intercept_, threshold_, weights_, classes_, n_updates_, n_passes_, n_examples_seen_, ledger_
        As of `Perceptron`. The ledger replays the weights of the first coordinates.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several classes, the first one's that was not clean.
    lifted_mistakes_ : int, or a list of one per class
        Lifted rows that are wrong: 0 where the run ended by itself.
    training_mistakes_ : int, or a list of one per class
        Rows that the rule is wrong on, without their own features.
    a_, lift_ : float, or a list of one per class
        The a used, and s = sqrt(1 - a^2) / a, to 24 bits: rows are learned as [x; s e_i], which is the lifted row
        divided by a. Decisions are exact for this s.
    own_weights_ : array, or a list of one per class
        The weights of the own features of [x; s e_i], each times its row's label: s times the number of
        corrections of the row.
    lifted_margin_ : float, or a list of one per class
        The margin gamma' = a gamma / sqrt(1 + a^2 L / (1 - a^2)) on the lifted rows that a reference u and gamma prove:
        one of the u above, or the direction learned, whichever gives the least bound.
    update_bound_ : int, or a list of one per class
        What that margin proves: n_updates_ is at most (a^2 R^2 + 1 - a^2) / gamma'^2.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The lifted table is never made: the run needs one number per row. It is, to the last bit, that of
    `Perceptron(order="cyclic")` on the table [x; s e_i]. With the kernel K + s^2 I, `KernelPerceptron` makes the same
    updates.
    A row of sample weight k is learned as k copies of it, each with a feature of its own; weight 0 is no row; a
    fraction is a last copy that moves the weights by that part of a step. What is learned does not depend on whether X
    is dense or sparse, to the last bit.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import LiftedPerceptron
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0, 1, 1]
    >>> p = LiftedPerceptron().fit(X, y)
    >>> str(p.stop_reason_)
    'Every row is right in the lifted space, but not every one without its own feature.'
    >>> p.training_mistakes_, p.lifted_mistakes_, p.n_updates_ <= p.update_bound_
    (1, 0, True)
    """
