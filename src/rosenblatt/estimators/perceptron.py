"""Perceptron: the scikit-learn face of `rules.perceptron`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.perceptron import PerceptronRule


class Perceptron(Face, PerceptronRule):
    """Linear yes/no rule, learned by correcting mistakes (Rosenblatt 1958) until there is none.

    On separable data it ends with a rule that is right on every training row, and says so; otherwise it says
    what ran out. More than two classes are learned jointly: the class with the largest score is the label, and a
    mistake corrects two scores, that of its own class and that of the strongest rival (Kesler's construction).

    Parameters
    ----------
    order : {"active", "cyclic", "random", "random-mistake", "worst"}, default="active"
        Which mistake is corrected next: rows near the boundary before the next full pass; the next one in a
        cycle; rows drawn at random; a random one of the present mistakes; the one with the least y (w . x).
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training: always wrong; right for the second class (sgn(0) = +1);
        right for the first; never wrong. A zero is predicted as the first class, under "plus" as the second. Of
        several classes learned jointly, the same of equal scores: always wrong; right for the last of the classes; for
        the first, which is always the one predicted; never wrong.
    start : {"zeros", "first", "random"} or array, default="zeros"
        The first weights: zeros; y_1 x_1; standard normal; given, one per feature and optionally one for the
        threshold (with several classes: one such row per class).
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature. "auto": the length of the longest row, which bounds the updates by
        (2 R / margin)^2 wherever the rows lie (see `bounds.with_bias`).
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    max_passes : int, "auto" or None, default="auto"
        Budget of passes over the data; looks at the active set count as parts of a pass. "auto": 1000, and under the
        orders "active" and "cyclic" it ends sooner where more passes do not help (see Notes).
    max_updates, max_seconds : number or None, default=None
        Budgets of updates, like max_passes for each rule, and of time, for all rules, without that of compiling, kept
        to within some two seconds. max_updates="bound" stops after as many updates as prove that no unit vector is
        right on every row with the `margin` given (Novikoff 1962).
    margin : float or None, default=None
        For max_updates="bound": the least margin worth finding, in the units of the rows.
    patience : int or None, default=None
        Under order="random": stop after that many draws in a row without an update. None: look at all rows
        after n such draws, and go on if one is wrong.
    multi_class : {"joint", "one-vs-rest", "one-vs-one"}, default="joint"
        How more than two classes are learned: all scores at once, so that the largest is that of the right class; a
        rule for each class against the rest; a rule for each pair of classes, which vote.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For the random orders and start="random".
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
        One-vs-one has a row for each pair of classes instead: 0 and 1, 0 and 2, 1 and 2, 0 and 3, ...
    intercept_, threshold_ : array of shape (1,) or (n_classes,)
        The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0; of several classes,
        the one where coef_ . x + intercept_ is largest, the first of equals.
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The rule exactly as learned, the weight of the constant feature last; intercept_ is that one times
        bias_scale, rounded.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several rules, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Corrections, full passes over the data, and looks at a row; summed over several rules.
    ledger_ : Ledger, or a list of one per rule
        The corrected rows in order: `replay(X, y, t)` gives the weights after t updates. Of classes learned
        jointly, `ledger_.rivals` has the classes that they were corrected against.
    certificate_ : Contradiction, NoMargin, their joint kinds or None, or a list of one per rule
        What is proved when a run did not separate the rows: that they contradict each other, because whole weights
        came back to where they had been, or as was found when passes did not help any more (then without sample
        weights of zero); or, with max_updates="bound", that there is no such margin.
        `certificate_.verify(X, y)` checks it; of one-vs-rest and one-vs-one rules, `verify(X, y == label)` that of
        each, with the class that it says yes to. With normalize=True it is about the rows scaled to length 1.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is
    a last copy that moves the weights by that part of a step. What is learned does not depend on whether X is dense or
    sparse, to the last bit. Where weights are above 1000 on average, max_passes allows no more work than if they were
    1000: no more than 1000 max_passes draws or corrections per row.
    With max_passes="auto", the passes are looked back on when there were 32, 64, 128, ... of them. If none of the later
    half made a quarter fewer corrections than all of the first half did, and little work proves that no rule is right
    on every row, it ends. It never ends so where rows are proved separable; where little work proves neither, as on
    many tables of many columns, it ends after 512 passes, if none of the later half made any fewer. Then mistakes are
    counted at 16 places of each of four more passes, which meet the rows spread out, as tables are often sorted by
    class; the weights with the fewest are the rule, and the ledger ends with them. A number as max_passes is just that.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.
    A pickle holds the rule without its ledger, which may be longer than the data and begins anew; to keep it, pickle
    `ledger_` as well, or call `ledger_.save(path)`.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> p = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> str(p.stop_reason_)
    'The rule is right on every row.'
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.coef_, p.threshold_
    (array([[3., 2.]]), array([4.]))
    """
