"""Checks how a rule was judged: its mistakes on training and held-out rows, costs, intervals and baselines."""

from collections.abc import Callable, Iterable
from math import fsum
from typing import Any

from rosenblatt.desk.cost import Baseline
from rosenblatt.desk.data import Data
from rosenblatt.desk.judging.error_rate import HELD_OUT, ErrorEstimate, by_folds
from rosenblatt.desk.model import means_of
from rosenblatt.desk.model_contents import has_exact_points, has_whole_points
from rosenblatt.desk.verifying.claim import AGAIN, EXACT, PREDICT, Claim, Outcome, Subject, near, unless
from rosenblatt.plurals import many


def _field(field: str, when: Callable[[Subject], Any] = lambda about: True) -> Callable[[Subject], Iterable[Any]]:
    """The value of a field in the file's record of how the rule was judged, if this version wrote it."""

    def claimed(about: Subject) -> Iterable[Any]:
        value = about.judged.get(field)
        if "trained_rows" in about.judged and value is not None and value is not False and when(about):
            yield value

    return claimed


def _rows(about: Subject, rows: Any) -> Outcome:
    n = about.trained.n
    return Outcome(rows == n, unless(rows == n, f"The rule was learned from {many(n, 'row')}", rows), AGAIN)


def _mistakes(about: Subject, data: Data, which: str, wanted: Any) -> Outcome:
    if not data.n:
        return Outcome(wanted == 0, f"There are no {which} rows.", AGAIN)
    wrong, by = about.wrong_rows(data) if data is about.trained else about.wrongly_decided(data)
    found = f"The rule makes {many(int(wrong.size), 'mistake')} on the {many(data.n, f'{which} row')}"
    statement = unless(wrong.size == wanted, found, wanted)
    if by == PREDICT:
        statement = f"{statement[:-1]} (counted by {PREDICT}, in floating point)."
    return Outcome(wrong.size == wanted, statement, by)


def _cost(about: Subject, wanted: Any) -> Outcome:
    """The cost of the mistakes on the training rows, as in learning."""
    trained = about.trained
    wrong, by = about.wrong_rows(trained)
    found = fsum(about.costs.of_rows(trained)[wrong])
    statement = f"These mistakes cost {found:.12g}, where {about.costs.in_words(trained.classes)}"
    return Outcome(near(wanted, found), unless(near(wanted, found), statement, wanted), by)


def _is_cost(about: Subject) -> bool:
    """Whether the cost differs from the number of mistakes."""
    return not (about.costs.are_counts and about.judged["trained_cost"] == about.judged["trained_mistakes"])


def _has_folds(about: Subject) -> bool:
    return bool(about.judged["folds"])


def _right(about: Subject, error: Any) -> tuple[ErrorEstimate, bool]:
    """The error rate and interval that follow from the file's own counts, and whether the file agrees."""
    folds = about.judged["folds"]
    right = ErrorEstimate.of(error["mistakes"], error["rows"], by_folds(folds) if folds else HELD_OUT)
    return right, all(near(error[name], value) for name, value in vars(right).items())


def _cross_validation(about: Subject, error: Any) -> Outcome:
    possible = _right(about, error)[1] and error["rows"] <= about.trained.n
    why = "can be checked only by learning again" if possible else "does not fit these rows"
    holds, by = (None, None) if possible else (False, AGAIN)
    return Outcome(holds, f"The error by cross-validation {why}.", by)


def _interval(about: Subject, error: Any) -> Outcome:
    rows, mistakes = error["rows"], error["mistakes"]
    if rows + about.left_to_people != about.tested.n:
        held_out = f"{many(about.tested.n, 'row was', 'rows were')} held out"
        left = f" and {about.left_to_people:,} of them left to people" if about.left_to_people else ""
        return Outcome(False, f"{held_out}{left}, so the error cannot be that of {rows:,}.", AGAIN)
    right, same = _right(about, error)
    what = f"{many(mistakes, 'mistake')} on {many(rows, 'row')}"
    rate = f"{what} is an error rate of {mistakes / rows:.2%}, {right.interval}"
    return Outcome(same, f"{rate}." if same else f"{rate}; the file says otherwise.", AGAIN)


def _baseline(about: Subject, given: Any) -> Outcome:
    """The comparison with always predicting one class, on held-out rows."""
    claimed = Baseline(given["label"], given["cost"], given["rule_cost"], given["squares"])
    if claimed.clearly_better != given["clearly_better"]:
        return Outcome(False, "The file's claim about the baseline does not follow from its own numbers.", AGAIN)
    if _has_folds(about):
        return Outcome(None, "The baseline by cross-validation can be checked only by learning again.", None)
    if not about.tested.n:
        return Outcome(False, "No rows were held out, but the file compares the rule with a baseline.", AGAIN)
    found = Baseline.of(about.costs, about.trained, about.tested, about.model.codes(about.tested.seen))
    same = all(map(near, vars(claimed).values(), vars(found).values()))
    return Outcome(
        same, found.statement(about.costs.are_counts) + ("" if same else " The file says otherwise."), PREDICT
    )


def _exact(about: Subject, _: Any) -> Outcome:
    """Whether every export computes the same scores, to the last bit."""
    if about.rule.tree is not None:
        return Outcome(True, "The rule is a tree, which every export writes with the same numbers.", AGAIN)
    holds = has_exact_points(about.model)
    if holds:
        return Outcome(True, "No sum of points is rounded, so every export gives the same labels.", AGAIN)
    return Outcome(False, "Sums of points may be rounded, so exports may give other labels.", AGAIN)


def _whole_points(about: Subject, _: Any) -> Outcome:
    whole = has_whole_points(about.model)
    return Outcome(whole, f"All points are {'' if whole else 'not '}whole numbers.", EXACT)


def _means(about: Subject, means: Any) -> Outcome:
    same = near(means, means_of(about.trained))
    return Outcome(
        same, f"The means of the features are {'' if same else 'not '}the means of the training rows.", AGAIN
    )


def _in_other_words(about: Subject) -> Iterable[Any]:
    return [about.judged] if about.judged and "trained_rows" not in about.judged else []


CLAIMS = (
    Claim("rows learned from", _field("trained_rows"), _rows),
    Claim(
        "mistakes on the rows learned from",
        _field("trained_mistakes"),
        lambda about, wanted: _mistakes(about, about.trained, "training", wanted),
    ),
    Claim("cost of the mistakes", _field("trained_cost", _is_cost), _cost),
    Claim("cross-validation", _field("error", _has_folds), _cross_validation),
    Claim(
        "mistakes on the rows held out",
        _field("error", lambda about: not _has_folds(about)),
        lambda about, error: _mistakes(about, about.tested, "held-out", error["mistakes"]),
    ),
    Claim("interval", _field("error", lambda about: not _has_folds(about)), _interval),
    Claim("baseline", _field("baseline"), _baseline),
    Claim("exact", _field("exact"), _exact),
    Claim("whole points", _field("whole_points"), _whole_points),
    Claim("means", _field("means"), _means),
    Claim(
        "judged",
        _in_other_words,
        lambda about, _: Outcome(None, "The file describes in its own words how the rule was judged.", None),
    ),
)
