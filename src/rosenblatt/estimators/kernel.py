"""KernelPerceptron: the scikit-learn face of `rules.kernel`."""

from typing import Any

from sklearn.utils.metaestimators import available_if

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.learn.dual.gram import PRECOMPUTED
from rosenblatt.options import is_word
from rosenblatt.rules.kernel import KernelRule


@documented
class KernelPerceptron(Face, KernelRule):
    """Perceptron in the feature space of a kernel: a linear rule there, a curved one here.

    On rows that some rule of that space separates it ends with one that is right on every training row. More than two
    classes are learned one against the rest.

    Attributes
    ----------
    support_ : array of shape (n_support,)
        The rows that the rule is a sum over; numbered from the first of a stream.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features)
        Those rows; None for a precomputed kernel.
    dual_coef_ : array of shape (1, n_support), or (n_classes, n_support) for more than two classes
        The rule says yes where dual_coef_ . K(support_vectors_, x) > 0, with the threshold's part in K: y_j times how
        often row j was corrected; with average=True, the mean of that.
    weights_ : array of the same shape
        dual_coef_ before it is averaged.
    intercept_ : array of shape (1,) or (n_classes,)
        The threshold's part: the sum of dual_coef_ times the square of bias_scale.
    gamma_ : float
        The gamma used.
    {RUN} {LEDGER}
        Only a linear kernel has weights to replay.
    forgotten_ : array, or a list of one per class
        With a budget: the rows of the corrections that were taken back, in order.
    {INPUT}

    Notes
    -----
    Decisions are exact for the numbers that the kernel gives. Named kernels give the same for dense and sparse X. A
    function must give the same number for two rows however many it is called with at once, or decisions may depend on
    that in the last digit.
    Rows are looked at in their order: shuffle rows that are sorted by class.
    {COPIES}
    If some u of the feature space has y (u . x) >= eps on every row, there are at most max K(x, x) ||u||^2 / eps^2
    updates (`bounds.stream`).
    {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # no line separates exclusive or
    >>> p = KernelPerceptron(kernel="poly", degree=2).fit(X, y)
    >>> str(p.stop_reason_), p.predict(X).tolist()
    ('The rule is right on every row.', [0, 1, 1, 0])
    """

    partial_fit = available_if(lambda self: not is_word(self.kernel, PRECOMPUTED))(KernelRule.partial_fit)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_word(self.kernel, PRECOMPUTED)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
