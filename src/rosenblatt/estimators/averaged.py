"""AveragedPerceptron: the scikit-learn face of `rules.linear.averaged`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.averaged import AveragedRule


@documented
class AveragedPerceptron(Face, AveragedRule):
    """Linear yes/no rule: the mean of all weights that a perceptron went through (Freund and Schapire 1999).

    The perceptron's last weights hang on the rows that happened to be corrected last; their mean does not, and is
    usually the better rule where the classes overlap. More than two classes are learned jointly, as in `Perceptron`.

    Attributes
    ----------
    {LINEAR}
    weights_ : array of shape (1 or n_classes, n_features + 1)
        The average, the weight of the constant feature last; intercept_ is that one times bias_scale, rounded.
    last_weights_ : array of the same shape
        The perceptron's own weights at the end; `start=last_weights_` goes on from them, with a new average.
    {RUN} {LEDGER}
        They are the perceptron's own.
    {INPUT}

    Notes
    -----
    The average is over all looks at a row, whether they move the weights or not: (w_1 + ... + w_T) / T, with w_s the
    weights after look s. It is computed as (T w_T - u) / T, where u adds up, entry by entry, what each correction added
    times the number of looks before it; so a look that moves nothing costs nothing, and the result does not depend on
    whether X is dense or sparse, to the last bit. It ends early after a pass without a correction, if the average is
    then right on every row; if it is not, each further pass brings it nearer to the last weights, which are.
    {COPIES}
    A fraction counts as a look like every other.
    {SHUFFLED} {CTRL-C}

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> p = AveragedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> p.predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    >>> p.coef_.round(3), p.threshold_.round(3)
    (array([[2.083, 1.333]]), array([2.556]))
    """
