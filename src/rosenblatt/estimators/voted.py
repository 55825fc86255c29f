"""VotedPerceptron: the scikit-learn face of `rules.linear.voted`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.voted import VotedRule


@documented
class VotedPerceptron(Face, VotedRule):
    """Yes/no rule by the vote of all weights that a perceptron went through (Freund and Schapire 1999).

    Every weight vector has as many votes as looks at a row that it was there after: the longer it stayed right, the
    more. The rule is not linear. More than two classes are learned one against the rest.

    Attributes
    ----------
    votes_ : array of shape (n_updates + 1,), or a list of one per class
        The votes of each weight vector, the start's first; `replay(X, y, t)` gives vector t.
    {LINEAR}
        With vote="voted" there are none of these.
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The weights that predict, or with vote="voted" the last ones; the weight of the constant feature last.
    last_weights_ : array of the same shape
        The perceptron's own weights at the end.
    {RUN} {LEDGER} {INPUT}

    Notes
    -----
    The vectors are not kept: what predicts is the start, the rows that were corrected, and the order of corrections, so
    memory grows with those and not with the number of vectors times that of features. To predict, the vectors are made
    again, a block at a time. Each vote is decided by the exact sign, and votes are whole numbers: the vote is exact.
    It ends early after a pass without a correction, if the vote is then right on every row; if it is not, each further
    pass gives the last weights more votes, and they are.
    {COPIES}
    A fraction counts as a look like every other.
    {SHUFFLED} {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron
    >>> p = VotedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.votes_.tolist()
    [0, 3, 1, 1, 2, 2, 1, 1, 3, 1, 2, 2, 2, 1, 1, 3, 1, 2, 7]
    """
