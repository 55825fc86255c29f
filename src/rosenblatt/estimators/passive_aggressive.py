"""PassiveAggressive: the scikit-learn face of `rules.linear.passive_aggressive`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.passive_aggressive import AggressiveRule


@documented
class PassiveAggressive(Face, AggressiveRule):
    """Linear yes/no rule that moves as little as each row allows, but as far as it asks (Crammer et al. 2006).

    A row with y (w . x) >= 1 moves nothing. Any other moves the weights to the nearest ones that meet it, or part of
    the way. More than two classes are learned one against the rest.

    Attributes
    ----------
    {LINEAR} {WEIGHTS}
    last_weights_ : array of the same shape
        The weights at the end; equal to weights_, unless average=True.
    {RUN} {LEDGER}
        It does so bit for bit, because a step follows from the weights and the row.
    {INPUT}

    Notes
    -----
    This is the algorithm of scikit-learn's PassiveAggressiveClassifier: its loss="hinge" is variant="PA-I",
    "squared_hinge" is "PA-II", max_iter is max_passes, warm_start is `start`; of SGDClassifier, it is the learning
    rates "pa1" and "pa2", with C for eta0. Without a threshold and class weights the steps are the same. With a
    threshold, ||x||^2 counts the constant feature here, as the paper's closed form needs.
    Whether a row has a loss is decided exactly; how much, by a sum in the order of the features.
    {STORAGE} {COPIES} {SHUFFLED} {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> p = PassiveAggressive(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    """
