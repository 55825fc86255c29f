"""PerceptronCV: the scikit-learn face of `rules.linear.cross_validated`."""

from rosenblatt.estimators.documentation import documented
from rosenblatt.estimators.face import Face
from rosenblatt.rules.linear.cross_validated import CrossValidatedRule


@documented
class PerceptronCV(Face, CrossValidatedRule):
    """Linear yes/no rule for rows not seen, chosen by cross-validation.

    Candidates run from the widest street to the fewest mistakes: soft margins with ridges from strong to weak, and
    from each of them on, losses that saturate, so that rows far on the wrong side, whose labels may be wrong, count
    less. All are judged on the same rows, which they have not learned from. Those that noise cannot tell from the best
    then learn from all rows, and the rule is their mean. The scores of more than two classes are learned at once.

    Attributes
    ----------
    {LINEAR} {WEIGHTS}
    choice_ : str
        What was chosen and why, in a sentence.
    chosen_ : list
        The candidates that the rule is the mean of, the best first: each has a family, and those on the path have a
        ridge and a sharpness.
    cv_results_ : dict
        "candidates": all that were tried. "error": how often each errs on rows that it has not learned from. "errors":
        the same for each split, a row for each candidate.
    columns_ : list of str or None
        With most_columns, the columns that the rule uses, in the order in which they entered.
    column_path_ : dict or None
        With most_columns, "added": the columns that entered, in order; "error": how often rules of the first, of the
        first two, ... err on rows not learned from; "noise": the standard error of how much that is above the least;
        "error_of_all": the error of rules of all columns; "used": how many columns the rule uses; "within_noise": how
        many would do within noise; "of": how many there are.
    classes_ : array
        The labels, sorted; of two, "yes" is the second.
    stop_reason_ : Reason
        That the rule is right on every row, or else that all candidates were compared, or why that ended early; its
        text is a sentence.
    {INPUT}

    Notes
    -----
    Columns are brought to one scale first: numbers get mean 0 and deviation 1; in a column that is mostly zeros, the
    other numbers get mean square 1; zeros and ones stay. The weights are then converted back, so coef_ is for X as
    given.
    With fewer than 3,000 rows, folds are dealt out two or three times, as errors on few rows are noisy. Candidates
    are compared on at most 20,000 rows, drawn from each class in its share; the rule learns from all.
    On Ctrl-C, or when max_seconds are over, the candidates that were judged in every split are compared, and the best
    of them is the rule.
    With most_columns, columns enter one after another. What a column promises is how much its slope lowers the
    objective, less what noise alone would give; of those that promise most, the one that lowers it most enters. The
    candidates are compared with that number of columns, chosen anew in every split.
    A sample weight is what a mistake on that row costs, in learning and in judging.
    Deterministic, given random_state; the last digits of weights may differ between processors.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import PerceptronCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = (X @ [1, 2, 0] > 0.5) ^ (rng.random(500) < 0.2)  # one label in five is wrong
    >>> rule = PerceptronCV().fit(X, y)
    >>> print(rule.chosen_[0])
    saturating loss with ridge 0.0001 and sharpness 1
    >>> new = rng.normal(size=(1000, 3))
    >>> bool((rule.predict(new) == (new @ [1, 2, 0] > 0.5)).mean() > 0.95)
    True
    """
