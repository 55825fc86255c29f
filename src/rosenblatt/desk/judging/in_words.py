"""What was measured on rows that a rule did not learn from, in sentences."""

from rosenblatt.desk.judging.judged import Judged
from rosenblatt.desk.judging.measures import Measures
from rosenblatt.judge.curves import Area, MeanPrecision
from rosenblatt.judge.making import Decided


def probabilities_in_words(made: Decided, judged: Judged | None) -> str | None:
    """How probabilities were found, and how good they are; None if there are none."""
    if made.method is None:
        return None
    how = f"by {made.method}; each row was scored by a rule that was learned without it."
    if judged is None or (brier := judged.measures.brier) is None or (off := judged.measures.calibration_error) is None:
        return how
    return (
        f"{how} On new rows, the Brier score is {brier:.4f} ({judged.measures.brier_of_shares:.4f} if every row got "
        f"the shares of the classes); over bins of rows with similar probabilities, they are off by {100 * off:.1f} "
        "points on average (calibration error)."
    )


def areas_in_words(measures: Measures) -> str | None:
    """The areas under the curves, Gini and the distance of Kolmogorov and Smirnov; None without two classes."""
    if measures.roc is None or measures.precision_recall is None or measures.separation is None:
        return None
    return (
        f"Area under the ROC curve {_area(measures.roc)}, Gini {measures.roc.gini:.3f}, KS "
        f"{measures.separation.value:.3f}; under the precision-recall curve {_area(measures.precision_recall)}."
    )


def _area(found: Area | MeanPrecision) -> str:
    if found.lower is None or found.upper is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} ({found.confidence:.0%}: {found.lower:.3f} to {found.upper:.3f})"
