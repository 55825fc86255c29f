"""SecondOrderPerceptron: the scikit-learn face of `rules.second_order`."""

from rosenblatt.estimators.face import Face
from rosenblatt.rules.second_order import SecondOrderRule


class SecondOrderPerceptron(Face, SecondOrderRule):
    """Linear yes/no rule: the ridge regression of the labels on the rows that were mistakes (Cesa-Bianchi et al. 2005).

    A correction takes into account how the rows that were corrected before lie, so columns of very different sizes, or
    that go together, cost few corrections. Each one takes as many operations as there are pairs of columns. More than
    two classes are learned one against the rest.

    Parameters
    ----------
    ridge : float, default=1.0
        How strongly weights are held at zero: the a of the paper. As it grows, the run becomes that of the perceptron.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is in training: always wrong; right for the second class (sgn(0) = +1);
        right for the first; never wrong. A zero is predicted as the first class, under "plus" as the second.
    max_passes : int or None, default=100
        How many passes over the data, unless one corrects nothing.
    max_updates, max_seconds : number or None, default=None
        Budgets of corrections for each rule, and of time for all rules, kept to within some two seconds.
    shuffle : bool or "auto", default="auto"
        Whether every pass is in a new random order, or in the order of the rows. "auto": in that order, unless rows of
        a class come in long runs, as in a table sorted by class: then in a fixed order that is spread over the table.
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float or "auto", default=1.0
        The value of that constant feature. "auto": the length of the longest row.
    normalize : bool, default=False
        Scale every row's features to length 1 first, when learning and when predicting; a row of zeros stays.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For shuffle=True.
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

    Attributes
    ----------
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
    intercept_, threshold_ : array of shape (1,) or (n_classes,)
        The rule says yes where coef_ . x > threshold_, that is, where coef_ . x + intercept_ > 0.
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The weight of the constant feature last; intercept_ is that one times bias_scale, rounded.
    classes_ : array
        The labels, sorted; "yes" is the second.
    stop_reason_ : Reason
        Why it ended; its text is a sentence. For several rules, the first one's that was not separated.
    n_updates_, n_passes_, n_examples_seen_ : int
        Corrections, passes over the data, and looks at a row; summed over several rules.
    ledger_ : Ledger, or a list of one per rule
        The corrected rows in order: `replay(X, y, t)` gives the weights after t corrections.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    After corrections of rows x_1 ... x_m, weights_ minimises a ||w||^2 + sum (y_k - w . x_k)^2 over them, up to
    rounding. `bounds.second_order` bounds the corrections. A mistake is decided by the exact sign, and what is learned
    does not depend on whether X is dense or sparse, to the last bit.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that counts for that part in the regression.
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from rosenblatt import SecondOrderPerceptron
    >>> p = SecondOrderPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> str(p.stop_reason_), p.predict([[1, 1], [0, 1]]).tolist()
    ('The rule is right on every row.', ['yes', 'no'])
    """
