"""OnlinePerceptron: the scikit-learn face of `rules.online`."""

from sklearn.base import BaseEstimator

from rosenblatt.estimators.counterparts import Instead, NamesCounterparts
from rosenblatt.rules.online import OnlineRule


class OnlinePerceptron(NamesCounterparts, BaseEstimator, OnlineRule):
    """Linear yes/no rule, learned from an endless stream: each row is judged once, then corrected if it was wrong.

    Parameters
    ----------
    mode : {"perceptron", "averaged", "PA", "PA-I", "PA-II"}, default="perceptron"
        What is learned from a row: on a mistake, add y x (Rosenblatt 1958); the same, but predict by the average of the
        weights after every example (Freund and Schapire 1999); where y (w . x) < 1, make the smallest change that makes
        it 1, or a bounded or softened one (passive-aggressive, Crammer et al. 2006).
    C : float, default=1.0
        How much a single row may change: the longest step of PA-I, and 1 / (2 C) softens the steps of PA-II.
    ties : {"mistake", "plus", "minus", "correct"}, default="mistake"
        What a score of exactly zero is when learning: always wrong; right for the positive class; right for the
        negative; never wrong. It is predicted as the negative class, under "plus" as the positive.
    fit_intercept : bool, default=True
        Whether the rule has a threshold, learned as the weight of a constant feature.
    bias_scale : float, default=1.0
        The value of that constant feature.
    classes : pair of labels or None, default=None
        The negative and the positive label, any two values. None: False and True, 0 and 1, or -1 and 1, as the first
        negative label of the stream tells; until there was one, predictions are False and True.
    comparator : (weights, eps) or None, default=None
        w* and its margin in the mistake-bound note, for `mistake_bound_`. Weights like `weights_`, the threshold's last
        (without fit_intercept: left out), or a dict by the names of features, the threshold's under None.
    ledger : int, "all" or None, default=None
        Keep the positions of the last so many mistakes, or of all, as `mistakes_at_`.

    Attributes
    ----------
    n_rows_, n_examples_seen_ : int
        Rows given, and the copies of rows that they stand for: the same, without sample weights.
    n_mistakes_, n_updates_ : int
        Examples that the weights had wrong when they came, by the tie rule; changes of the weights.
    progressive_error_ : float
        The share of examples that were wrong when they came; in the averaged mode, by the averaged weights.
    weights_, average_ : array of shape (n_features_in_ + 1,)
        The weight of every feature and the constant feature's; their average, in the averaged mode.
    coef_, intercept_, threshold_
        Of the weights that predictions are made with: yes is where coef_ . x > threshold_.
    n_features_in_, feature_names_ : int, list or None
        The features met so far, in the order of the weights; names where the rows have them.
    classes_ : tuple
        The negative and the positive label.
    mistakes_at_ : array
        With `ledger`: the rows of the stream, from 0, that were mistakes, as often as their copies were.
    mistake_bound_ : MistakeBound
        With `comparator`: the running quantities of the stream's proof, and whether its hypotheses held so far.

    Notes
    -----
    A row is an array or list with a number for every feature; a dict of features and numbers, in which new features may
    appear at any time and absent ones count as zero; a pair (indices, values); or a sparse row. A block of rows for
    `learn_many` is a table, dense or sparse, or a data frame, whose column names are the features. However a stream is
    given, the weights are the same to the last bit (in the modes PA, for features in the same order), and those of
    `Perceptron.partial_fit`. A row with NaN or infinity is refused, and then nothing has changed.
    Options count from the first row on. One thread at a time may use a rule, for predictions too.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> rule = OnlinePerceptron(classes=("ham", "spam"))
    >>> rule.learn_one({"offer": 2, "cheap": 1}, "spam"), rule.learn_one({"hello": 1, "offer": 1}, "ham")
    (True, True)
    >>> rule.predict_one({"offer": 1, "pills": 3}), rule.predict_one({"hello": 1})
    ('spam', 'ham')
    >>> rule.n_mistakes_, dict(zip(rule.feature_names_, rule.coef_.tolist()))
    (2, {'offer': 1.0, 'cheap': 1.0, 'hello': -1.0})
    """

    fit = Instead("learn_many(X, y)")
    partial_fit = Instead("learn_many(X, y)")
    predict = Instead("predict_many(X)")
    decision_function = Instead("score_many(X)")
