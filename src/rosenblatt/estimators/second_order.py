"""SecondOrderPerceptron: the scikit-learn face of `rules.linear.second_order`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.second_order import SecondOrderRule


@documented
class SecondOrderPerceptron(Face, SecondOrderRule):
    """Linear yes/no rule: the ridge regression of the labels on the rows that were mistakes (Cesa-Bianchi et al. 2005).

    A correction takes into account how the rows that were corrected before lie, so columns of very different sizes, or
    that go together, cost few corrections. Each one takes as many operations as there are pairs of columns. More than
    two classes are learned one against the rest.

    Attributes
    ----------
    {LINEAR} {WEIGHTS} {RUN} {LEDGER} {INPUT}

    Notes
    -----
    After corrections of rows x_1 ... x_m, weights_ minimises a ||w||^2 + sum (y_k - w . x_k)^2 over them, up to
    rounding. `bounds.second_order` bounds the corrections. A mistake is decided by the exact sign.
    {STORAGE}
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is a
    last copy that counts for that part in the regression.
    {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import SecondOrderPerceptron
    >>> p = SecondOrderPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> str(p.stop_reason_), p.predict([[1, 1], [0, 1]]).tolist()
    ('The rule is right on every row.', ['yes', 'no'])
    """
