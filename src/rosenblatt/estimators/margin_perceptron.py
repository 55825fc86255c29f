"""MarginPerceptron: the scikit-learn face of `rules.margin_perceptron`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.margin_perceptron import MarginRule


class MarginPerceptron(Face, MarginRule):
    """Linear yes/no rule, learned by a step y x on every row with y (w . x) <= beta (Krauth and Mezard 1987).

    It ends when y (w . x) > beta for every row. If some rule of length 1 has the margin g, and rows are no longer
    than R, that takes at most (R^2 + 2 beta) / g^2 steps from zeros, and the margin found, the least y (w . x) / ||w||,
    is then more than beta / (R^2 + 2 beta) of g: nearly half of the largest margin for a large beta. With beta=0 it is
    the perceptron. More than two classes are learned one against the rest.

    Parameters
    ----------
    beta : float, default=1.0
        How large y (w . x) must be, at least 0. R^2 finds a third of the largest margin, 10 R^2 finds 10/21 of it.
    max_passes : int or None, default=1000
        Budget of passes over the data.
    max_updates, max_seconds : number or None, default=None
        Budgets of updates, like max_passes for each one-vs-rest rule, and of time, for all of them.
    shuffle : bool or "auto", default="auto"
        Whether every pass is in a new random order, or in the order of the rows. "auto": in that order, unless rows of
        a class come in long runs, as in a table sorted by class: then in a fixed order that is spread over the table.
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
        For shuffle=True and start="random".
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    margin_reached_ : bool
        Whether it is known that y (w . x) > beta for every row, for all rules: the last pass of `fit` moved nothing.
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
    intercept_, threshold_ : array of shape (1,) or (n_classes,)
        The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0.
    weights_, last_weights_ : array of shape (1 or n_classes, n_features + 1)
        The rule exactly as learned, the weight of the constant feature last.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several classes, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Steps, passes over the data, and looks at a row; summed over one-vs-rest rules.
    ledger_ : Ledger, or a list of one per class
        The rows of the steps in order: `replay(X, y, t)` gives the weights after t updates.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Whether y (w . x) <= beta is decided exactly, and what is learned does not depend on whether X is dense or sparse,
    to the last bit.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that moves the weights by that part of a step. With shuffle=True, all copies are shuffled.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import MarginPerceptron
    >>> p = MarginPerceptron(beta=20).fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.margin_reached_
    True
    >>> bool(p.decision_function([[1, 1]])[0] > 20)
    True
    """
