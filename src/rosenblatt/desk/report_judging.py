"""What a report shows about rows that the rule did not learn from."""

from typing import Any

from rosenblatt.desk.judging.in_words import areas_in_words, probabilities_in_words
from rosenblatt.desk.judging.judged import coverage_of, reliability_of
from rosenblatt.desk.judging.measures import Answers
from rosenblatt.desk.learning.train import Learned
from rosenblatt.judge.abstain import DECIDED
from rosenblatt.judge.curves import curve
from rosenblatt.judge.making import Decided
from rosenblatt.ship.explain.judging import ShownJudging
from rosenblatt.ship.explain.plots import Bar


def shown_judging(learned: Learned) -> ShownJudging | None:
    """The confusion matrix, the curves and what is guaranteed; None if the rule was not judged on other rows."""
    judged, classes = learned.judged, learned.trained.classes
    if judged is None:
        return None
    measures, codes, answers = judged.measures, range(len(classes)), judged.answers
    which = f"{answers.y.size:,} {'held-out rows' if judged.error is None else judged.error.which}"
    return ShownJudging(
        which,
        classes,
        measures.matrix,
        bool(judged.left_to_people),
        tuple(measures.recall(code) for code in codes),
        tuple(measures.precision(code) for code in codes),
        _statements(learned),
        reliability=tuple(Bar(one.mean, one.share, one.lower, one.upper) for one in reliability_of(answers)),
        **_curves(answers),
        **_coverage(answers, learned.decided),
    )


def _statements(learned: Learned) -> tuple[str, ...]:
    """How rows are decided, what is guaranteed about that, and what was measured."""
    made, judged = learned.decided, learned.judged
    found: list[str | None] = []
    if made is not None:
        if made.cut_off is not None:
            found.append(f"{made.cut_off.statement} Each row was scored by a rule that was learned without it.")
        found += [made.stays, made.guaranteed]
    if judged is not None and judged.left_to_people:
        rows = judged.answers.y.size
        found.append(
            f"{judged.left_to_people:,} of {rows:,} rows ({judged.left_to_people / rows:.1%}) are left to people."
        )
    if judged is not None:
        baseline, costs = judged.baseline, learned.costs
        if baseline is not None and baseline.clearly_better and not costs.are_counts:  # otherwise it is a warning
            found.append(baseline.statement(False))
        found.append(areas_in_words(judged.measures))
    if made is not None and (chances := probabilities_in_words(made, judged)) is not None:
        found.append(f"Probabilities were found {chances}")
    return tuple(text for text in found if text is not None)


def _curves(answers: Answers) -> dict[str, Any]:
    """The ROC and the precision-recall curve."""
    if (rows := answers.for_curves) is None:
        return {}
    points, yes = curve(rows), float(rows.groups.yes.sum() / rows.groups.all.sum())
    return {"roc": (points.of_no, points.of_yes), "precision_recall": (points.of_yes, points.precision), "share": yes}


def _coverage(answers: Answers, decided: Decided | None) -> dict[str, Any]:
    """The error among the rows decided, for every pair of cut-offs that might have been chosen."""
    rungs = coverage_of(answers, decided)
    if not rungs or decided is None or decided.guarantee is None:
        return {}
    chosen, tested = decided.guarantee.chosen, decided.guarantee.tested[0]
    bars = tuple(
        Bar(one.share, one.errors / one.decided, one.lower, one.upper, one.rung == chosen)
        for one in rungs
        if one.decided
    )
    rates = [count.tolerance.rate for count in tested if count.tolerance.among == DECIDED]
    return {"coverage": bars, "tolerated": rates[0] if rates else None}
