"""Perceptron: the scikit-learn face of `rules.linear.perceptron`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.perceptron import PerceptronRule


@documented
class Perceptron(Face, PerceptronRule):
    """Linear yes/no rule, learned by correcting mistakes (Rosenblatt 1958) until there is none.

    On separable data it ends with a rule that is right on every training row, and says so; otherwise it says
    what ran out. More than two classes are learned jointly: the class with the largest score is the label, and a
    mistake corrects two scores, that of its own class and that of the strongest rival (Kesler's construction).

    Attributes
    ----------
    {LINEAR}
        Of several classes, the label is the one for which coef_ . x + intercept_ is largest, the first of equals.
        One-vs-one has a row for each pair of classes instead: 0 and 1, 0 and 2, 1 and 2, 0 and 3, ...
    {WEIGHTS} {RUN} {LEDGER}
        Of classes learned jointly, `ledger_.rivals` has the classes that the rows were corrected against.
    certificate_ : Contradiction, NoMargin, their joint kinds or None, or a list of one per rule
        What is proved when a run did not separate the rows: that they contradict each other, because whole weights
        came back to where they had been, or as was found when passes did not help any more (then without sample
        weights of zero); or, with max_updates="bound", that there is no such margin.
        `certificate_.verify(X, y)` checks it; of one-vs-rest and one-vs-one rules, `verify(X, y == label)` that of
        each, with the class that it says yes to. With normalize=True it is about the rows scaled to length 1.
    {INPUT}

    Notes
    -----
    {STORAGE} {COPIES}
    Where weights are above 1000 on average, max_passes allows no more work than if they were 1000: no more than
    1000 max_passes draws or corrections per row.
    With max_passes="auto", the passes are looked back on when there were 32, 64, 128, ... of them. If none of the later
    half made a quarter fewer corrections than all of the first half did, and little work proves that no rule is right
    on every row, it ends. It never ends so where rows are proved separable; where little work proves neither, as on
    many tables of many columns, it ends after 512 passes, if none of the later half made any fewer. Then mistakes are
    counted at 16 places of each of four more passes, which meet the rows spread out, as tables are often sorted by
    class; the weights with the fewest are the rule, and the ledger ends with them. A number as max_passes is just that.
    {CTRL-C}
    A pickle holds the rule without its ledger, which may be longer than the data, and a new one begins; to keep the
    ledger, pickle `ledger_` as well, or call `ledger_.save(path)`.

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
