"""OnlinePerceptron: the scikit-learn face of `rules.online`."""

from rosenblatt.estimators.counterparts import Instead
from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import RuleEstimator
from rosenblatt.rules.online import OnlineRule


@documented
class OnlinePerceptron(RuleEstimator, OnlineRule):
    """Linear yes/no rule, learned from an endless stream: each row is judged once, then corrected if it was wrong.

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
