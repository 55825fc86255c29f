"""LiftedPerceptron: the scikit-learn face of `rules.linear.lifted`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.lifted import LiftedRule


@documented
class LiftedPerceptron(Face, LiftedRule):
    """Linear yes/no rule for classes that overlap: PLA on rows with a feature of their own each (Harchaoui 3).

    Row i is learned as [a x_i; sqrt(1 - a^2) e_i]. Lifted rows are always separable, so learning always ends, after a
    number of updates that is bounded beforehand. Prediction uses the first coordinates alone, which may be wrong on
    some training rows: an allowance for noise, the larger the smaller a is. More than two classes are learned one
    against the rest.

    Attributes
    ----------
    {LINEAR} {WEIGHTS} {RUN} {LEDGER}
        They are the weights of the first coordinates.
    lifted_mistakes_ : int, or a list of one per class
        Lifted rows that are wrong: 0 where the run ended by itself.
    training_mistakes_ : int, or a list of one per class
        Rows that the rule is wrong on, without their own features.
    a_, lift_ : float, or a list of one per class
        The a used, and s = sqrt(1 - a^2) / a, to 24 bits: rows are learned as [x; s e_i], which is the lifted row
        divided by a. Decisions are exact for this s.
    own_weights_ : array, or a list of one per class
        The weights of the own features of [x; s e_i], each times its row's label: s times the number of
        corrections of the row.
    lifted_margin_ : float, or a list of one per class
        The margin gamma' = a gamma / sqrt(1 + a^2 L / (1 - a^2)) on the lifted rows that a reference u and gamma prove:
        one of the u above, or the direction learned, whichever gives the least bound.
    update_bound_ : int, or a list of one per class
        What that margin proves: n_updates_ is at most (a^2 R^2 + 1 - a^2) / gamma'^2.
    {INPUT}

    Notes
    -----
    The lifted table is never made: the run needs one number per row. It is, to the last bit, that of
    `Perceptron(order="cyclic")` on the table [x; s e_i]. With the kernel K + s^2 I, `KernelPerceptron` makes the same
    updates.
    A row of sample weight k is learned as k copies of it, each with a feature of its own; weight 0 is no row; a
    fraction is a last copy that moves the weights by that part of a step.
    {STORAGE} {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import LiftedPerceptron
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0, 1, 1]
    >>> p = LiftedPerceptron().fit(X, y)
    >>> str(p.stop_reason_)
    'Every row is right in the lifted space, but not every one without its own feature.'
    >>> p.training_mistakes_, p.lifted_mistakes_, p.n_updates_ <= p.update_bound_
    (1, 0, True)
    """
