"""PassiveAggressive: the scikit-learn face of `rules.passive_aggressive`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.passive_aggressive import AggressiveRule


class PassiveAggressive(Face, AggressiveRule):
    """Linear yes/no rule that moves as little as each row allows, but as far as it asks (Crammer et al. 2006).

    A row with y (w . x) >= 1 moves nothing. Any other moves the weights to the nearest ones that meet it, or part of
    the way. More than two classes are learned one against the rest.

    Parameters
    ----------
    variant : {"PA-I", "PA-II", "PA"}, default="PA-I"
        The step on a row, with loss = max(0, 1 - y (w . x)): min(C, loss / ||x||^2); loss / (||x||^2 + 1 / (2 C));
        loss / ||x||^2. "PA" is for data without noise: one wrong label undoes what was learned.
    C : float, default=1.0
        How aggressive a step may be; without a meaning for "PA".
    average : bool, default=False
        Whether the rule is the mean of the weights after each look, instead of the last.
    max_passes : int or None, default=10
        How many passes over the data, unless one moves nothing.
    shuffle : bool or "auto", default=True
        Whether every pass is in a new random order, or in the order of the rows. "auto": in that order, unless rows of
        a class come in long runs, as in a table sorted by class: then in a fixed order that is spread over the table.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights: zeros; y_1 x_1; standard normal; given, one per feature and optionally one for the
        threshold (with several classes: one such row per class). `start=last_weights_` goes on where a run ended.
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature, which is a part of x.
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
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
    intercept_, threshold_ : array of shape (1,) or (n_classes,)
        The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0.
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The rule exactly as learned, the weight of the constant feature last.
    last_weights_ : array of the same shape
        The weights at the end; the same, unless average=True.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several classes, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Steps, passes over the data, and looks at a row; summed over one-vs-rest rules.
    ledger_ : StepLedger, or a list of one per class
        The rows that the weights were moved towards, in order: `replay(X, y, t)` gives the weights after
        t updates, bit for bit, because a step follows from the weights and the row.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    This is the algorithm of scikit-learn's PassiveAggressiveClassifier: its loss="hinge" is variant="PA-I",
    "squared_hinge" is "PA-II", max_iter is max_passes, warm_start is `start`; of SGDClassifier, it is the learning
    rates "pa1" and "pa2", with C for eta0. Without a threshold and class weights the steps are the same. With a
    threshold, ||x||^2 counts the constant feature here, as the paper's closed form needs.
    Whether a row has a loss is decided exactly; how much, by a sum in the order of the features. So what is learned
    does not depend on whether X is dense or sparse, to the last bit.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that moves the weights by that part of a step. With shuffle=True, all copies are shuffled.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> p = PassiveAggressive(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    """
