"""SoftMarginPerceptron: the scikit-learn face of `rules.linear.soft_margin`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.soft_margin import SoftMarginRule


@documented
class SoftMarginPerceptron(Face, SoftMarginRule):
    """Linear yes/no rule for classes that overlap: the soft margin, solved, with a certificate of how well.

    The weights of least ||w||^2 / 2 + sum_i C_i / 2 max(0, 1 - y_i (w . x_i))^2, C_i being C times the weight of row i:
    the largest margin of the rows [x_i; s e_i] with a feature of their own each, s^2 = 1 / C_i. `LiftedPerceptron`
    stops at any rule that is right on those rows; its [a x_i; sqrt(1 - a^2) e_i] are the rows of C = a^2 / (1 - a^2).
    This is the support vector machine with squared hinge loss. More than two classes are learned one against the rest,
    and the label is that of the largest score.

    Attributes
    ----------
    {LINEAR} {WEIGHTS}
    classes_ : array
        The labels, sorted; of two, "yes" is the second.
    objective_, dual_objective_ : float, or a list of one per class
        An upper bound on the objective of the weights, and a lower bound on that of any weights.
    gap_ : float, or a list of one per class
        Their difference: no weights have an objective that is lower by more.
    certificate_ : Certificate, or a list of one per class; None once the weights were replaced
        The proof, which anyone can check: `certificate_.verify(X, y, sample_weight)`. The weights of rows include the
        factors of `class_weight`, the rows are scaled if `normalize` is True, and of several classes y is whether
        the row is of that class.
    support_ : array, or a list of one per class
        The numbers of the rows within the margin, of which the weights are a mixture. Not kept in model files.
    stop_reason_ : Reason
        Why learning ended; its text is a sentence. Of several classes, that of the first one that is not solved.
    n_updates_, n_passes_, n_examples_seen_ : int
        Steps, passes over the data, and looks at a row, summed over all classes.
    {INPUT}

    Notes
    -----
    Each step goes to the lowest point of the quadratic that the objective is while the same rows are within the margin
    (Newton's method; Mangasarian 2002, Keerthi and DeCoste 2005), as far as the objective falls on the way. There is no
    ledger: a step moves by all of these rows at once. Columns of similar magnitudes are learned from soonest.
    scikit-learn's `LinearSVC(loss="squared_hinge", C=c)` has the same rule for C = 2 c.
    A row of sample weight k is learned as k copies of it; weight 0 is no row.
    The weights may differ in their last digits between processors; the certificate is exact for those there are.
    {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import SoftMarginPerceptron
    >>> X, y = [[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0, 1, 1]
    >>> p = SoftMarginPerceptron().fit(X, y)
    >>> str(p.stop_reason_)
    'No weights have an objective that is lower by more than the tolerance.'
    >>> round(p.objective_, 6), p.gap_ < 1e-9, p.support_.tolist()
    (1.896552, True, [0, 1, 2, 3, 4, 5])
    >>> p.certificate_.verify(X, y).split(",")[0]
    "The rule's soft-margin objective"
    """
