"""AveragedPerceptron: the scikit-learn face of `rules.averaged`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.averaged import AveragedRule


class AveragedPerceptron(Face, AveragedRule):
    """Linear yes/no rule: the mean of all weights that a perceptron went through (Freund and Schapire 1999).

    The perceptron's last weights hang on the rows that happened to be corrected last; their mean does not, and is
    usually the better rule where the classes overlap. More than two classes are learned jointly, as in `Perceptron`.

    Parameters
    ----------
    max_passes : int or None, default=10
        How many passes over the data, unless it ends earlier (see Notes).
    shuffle : bool or "auto", default="auto"
        Whether every pass is in a new random order, or in the order of the rows. "auto": in that order, unless rows of
        a class come in long runs, as in a table sorted by class, or several classes are learned jointly: then in a
        fixed order that is spread over the table.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training: always wrong; right for the second class (sgn(0) = +1);
        right for the first; never wrong. A zero is predicted as the first class, under "plus" as the second.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights: zeros; y_1 x_1; standard normal; given, one per feature and optionally one for the
        threshold (with several classes: one such row per class).
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature. "auto": the length of the longest row.
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    multi_class : {"joint", "one-vs-rest", "one-vs-one"}, default="joint"
        How more than two classes are learned, as in `Perceptron`.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For shuffle=True and start="random".
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
    intercept_, threshold_ : array of shape (1,) or (n_classes,)
        The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0.
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The average, the weight of the constant feature last; intercept_ is that one times bias_scale, rounded.
    last_weights_ : array of the same shape
        The perceptron's own weights at the end; `start=last_weights_` goes on from them, with a new average.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several rules, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Corrections, passes over the data, and looks at a row; summed over several rules.
    ledger_ : Ledger, or a list of one per rule
        The corrected rows in order: `replay(X, y, t)` gives the perceptron's weights after t updates.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The average is over all looks at a row, whether they move the weights or not: (w_1 + ... + w_T) / T, with w_s the
    weights after look s. It is computed as (T w_T - u) / T, where u adds up, entry by entry, what each correction added
    times the number of looks before it; so a look that moves nothing costs nothing, and the result does not depend on
    whether X is dense or sparse, to the last bit. It ends early after a pass without a correction, if the average is
    then right on every row; if it is not, each further pass brings it nearer to the last weights, which are.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that moves the weights by that part of a step, and is a look like every other. With shuffle=True, all
    copies are shuffled.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> p = AveragedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.coef_.round(3), p.threshold_.round(3)
    (array([[2.083, 1.333]]), array([2.556]))
    """
