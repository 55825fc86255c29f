"""KernelPerceptron: the scikit-learn face of `rules.kernel`."""

from typing import Any

from sklearn.utils.metaestimators import available_if

from rosenblatt.estimators.face import Face
from rosenblatt.learn.dual.gram import PRECOMPUTED
from rosenblatt.options import is_word
from rosenblatt.rules.kernel import KernelRule


class KernelPerceptron(Face, KernelRule):
    """Perceptron in the feature space of a kernel: a linear rule there, a curved one here.

    On rows that some rule of that space separates it ends with one that is right on every training row. More than two
    classes are learned one against the rest.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "chi2" or "additive_chi2" as in
        `sklearn.metrics.pairwise`; "precomputed": X is the kernel matrix; or a function that takes two tables, with n
        and m rows, and returns an array of shape (n, m), as `SVC` has it.
    gamma : float, "scale" or None, default=None
        For "rbf", "poly", "sigmoid", "laplacian" and "chi2". None: 1 / n_features (1 for "chi2"); "scale":
        1 / (n_features * X.var()), which needs all rows at once.
    degree, coef0 : float, default=3 and 1.0
        For "poly" and, coef0 alone, "sigmoid".
    order : {"active", "cyclic"}, default="active"
        Which mistake is corrected next: among rows that were ever wrong, until they are right, before the next full
        pass, which leads to fewer support rows; or the next one in a cycle.
    budget : int or None, default=None
        How many corrections are remembered; so no more than that many support rows are kept. When the memory is full,
        each new correction replaces one drawn at random (Cavallanti, Cesa-Bianchi and Gentile 2007).
    average : bool, default=False
        Predict with the mean of the weights after every look at a row (Freund and Schapire 1999).
    fit_intercept : bool, default=False
        Whether the rule has a threshold: adds the square of bias_scale to the kernel. Most kernels need none.
    bias_scale : float, default=1.0
        The value of the constant feature whose weight the threshold is.
    max_passes : int or None, default=1000
        Budget of passes over the data; looks at the rows that were ever wrong count as parts of a pass.
    max_updates, max_seconds : number or None, default=None
        Budgets of updates, like max_passes for each one-vs-rest rule, and of time, for all of them.
    cache_mb : float, default=200
        Memory for columns of the kernel matrix. What is learned does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Factors for the sample weights of each class.
    random_state : int, RandomState, Generator or None, default=None
        For what a budget forgets.
    verbose : bool, default=False
        Show progress on standard error once two seconds have passed.

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
        The same before it is averaged.
    intercept_ : array of shape (1,) or (n_classes,)
        The threshold's part: the sum of dual_coef_ times the square of bias_scale.
    gamma_ : float
        The gamma used.
    classes_, stop_reason_, n_updates_, n_passes_, n_examples_seen_
        As of `Perceptron`.
    ledger_ : Ledger, or a list of one per class
        The corrected rows in order. With a linear kernel, `replay(X, y)` gives the weights.
    forgotten_ : array, or a list of one per class
        With a budget: the rows of the corrections that were taken back, in order.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Decisions are exact for the numbers that the kernel gives. Those of named kernels are the same for dense and sparse
    X, and so is what is learned, to the last bit. A function must give the same number for two rows however many it is
    asked for at once, or decisions may depend on that in the last digit.
    Rows are looked at in their order: shuffle rows that are sorted by class.
    A row of sample weight k is learned as k copies of it, one after the other; weight 0 is no row; a fraction is
    a last copy that moves the rule by that part of a step.
    If some u of the feature space has y (u . x) >= eps on every row, there are at most max K(x, x) ||u||^2 / eps^2
    updates (`bounds.stream`).
    Pressing Ctrl-C keeps what was learned so far in the estimator before KeyboardInterrupt is raised.

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
