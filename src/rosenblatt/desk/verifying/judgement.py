"""How a rule was judged, checked: its mistakes on the rows learned from and held out, costs, intervals, baselines."""

from collections.abc import Callable, Iterable
from math import fsum
from typing import Any

from rosenblatt.desk.cost import Baseline
from rosenblatt.desk.data import Data
from rosenblatt.desk.error_rate import HELD_OUT, Error, by_folds
from rosenblatt.desk.model import means_of
from rosenblatt.desk.model_contents import has_exact_points, has_whole_points
from rosenblatt.desk.verifying.claim import AGAIN, EXACT, PREDICT, Claim, Finding, Subject, near, unless
from rosenblatt.plurals import many


def _said(field: str, when: Callable[[Subject], Any] = lambda about: True) -> Callable[[Subject], Iterable[Any]]:
    """What a file says in a field about how the rule was judged, where this version wrote it."""

    def said(about: Subject) -> Iterable[Any]:
        value = about.judged.get(field)
        if "trained_rows" in about.judged and value is not None and value is not False and when(about):
            yield value

    return said


def _rows(about: Subject, rows: Any) -> Finding:
    n = about.trained.n
    told = f"{many(n, 'row was', 'rows were')} learned from"
    return Finding(rows == n, unless(rows == n, told, rows), AGAIN)


def _mistakes(about: Subject, data: Data, which: str, wanted: Any) -> Finding:
    if not data.n:
        return Finding(wanted == 0, "There are no such rows.", AGAIN)
    wrong, by = about.wrong_rows(data)
    made = f"The rule makes {many(int(wrong.size), 'mistake')} on the {many(data.n, 'row')} {which}"
    told = unless(wrong.size == wanted, made, wanted)
    told = f"{told[:-1]} (counted by {PREDICT}, in floating point)." if by == PREDICT else told
    return Finding(wrong.size == wanted, told, by)


def _cost(about: Subject, wanted: Any) -> Finding:
    """What the mistakes on the rows learned from cost, as learning was told to count."""
    trained = about.trained
    wrong, by = about.wrong_rows(trained)
    found = fsum(about.costs.of_rows(trained)[wrong])
    told = f"Those mistakes cost {found:.12g}; {about.costs.in_words(trained.classes)}"
    return Finding(near(wanted, found), unless(near(wanted, found), told, wanted), by)


def _is_cost(about: Subject) -> bool:
    """Whether a cost says more than the number of mistakes."""
    return not (about.costs.are_counts and about.judged["trained_cost"] == about.judged["trained_mistakes"])


def _has_folds(about: Subject) -> bool:
    return bool(about.judged["folds"])


def _right(about: Subject, error: Any) -> tuple[Error, bool]:
    """The error rate and interval that follow from the file's own counts, and whether the file says the same."""
    folds = about.judged["folds"]
    right = Error.of(error["mistakes"], error["rows"], by_folds(folds) if folds else HELD_OUT)
    return right, all(near(error[name], value) for name, value in vars(right).items())


def _cross_validation(about: Subject, error: Any) -> Finding:
    possible = _right(about, error)[1] and error["rows"] <= about.trained.n
    told = "can be checked only by learning again" if possible else "cannot be of these rows"
    holds, by = (None, None) if possible else (False, AGAIN)
    return Finding(holds, f"The error by cross-validation {told}.", by)


def _interval(about: Subject, error: Any) -> Finding:
    rows, mistakes = error["rows"], error["mistakes"]
    if rows != about.tested.n:
        return Finding(False, f"{many(about.tested.n, 'row was', 'rows were')} held out, not {rows:,}.", AGAIN)
    right, same = _right(about, error)
    what = f"{many(mistakes, 'mistake')} on {many(rows, 'row')}"
    told = f"{what} is an error rate of {mistakes / rows:.2%}, {right.interval}"
    return Finding(same, f"{told}." if same else f"{told}; the file says otherwise.", AGAIN)


def _baseline(about: Subject, given: Any) -> Finding:
    """The rule beside one that says the same of every row, on rows that it was not learned from."""
    claimed = Baseline(given["label"], given["cost"], given["rule_cost"], given["squares"])
    if claimed.clearly_better != given["clearly_better"]:
        return Finding(False, "Whether the rule is clearly better does not follow from its numbers.", AGAIN)
    if _has_folds(about):
        return Finding(None, "The baseline by cross-validation can be checked only by learning again.", None)
    if not about.tested.n:
        return Finding(False, "No rows were held out, but the file compares rules on some.", AGAIN)
    found = Baseline.of(about.costs, about.trained, about.tested, about.rule.predict(about.tested.seen))
    same = all(map(near, vars(claimed).values(), vars(found).values()))
    told = found.statement(about.costs.are_counts) + ("" if same else " The file says otherwise.")
    return Finding(same, told, PREDICT)


def _exact(about: Subject, _: Any) -> Finding:
    """Whether every engine computes the same scores, to the last bit."""
    if about.rule.tree is not None:
        return Finding(True, "The rule is a tree, which every export writes with the same numbers.", AGAIN)
    holds = has_exact_points(about.model)
    told = "No sum of points rounds, so every export gives the same labels."
    return Finding(holds, told if holds else "Sums of points may round: exports may give other labels.", AGAIN)


def _whole_points(about: Subject, _: Any) -> Finding:
    whole = has_whole_points(about.model)
    return Finding(whole, f"All points are {'' if whole else 'not '}whole numbers.", EXACT)


def _means(about: Subject, means: Any) -> Finding:
    same = near(means, means_of(about.trained))
    return Finding(same, f"The means of the features are {'' if same else 'not '}those of the rows.", AGAIN)


def _in_other_words(about: Subject) -> Iterable[Any]:
    return [about.judged] if about.judged and "trained_rows" not in about.judged else []


CLAIMS = (
    Claim("rows learned from", _said("trained_rows"), _rows),
    Claim(
        "mistakes on the rows learned from",
        _said("trained_mistakes"),
        lambda about, wanted: _mistakes(about, about.trained, "learned from", wanted),
    ),
    Claim("cost of the mistakes", _said("trained_cost", _is_cost), _cost),
    Claim("cross-validation", _said("error", _has_folds), _cross_validation),
    Claim(
        "mistakes on the rows held out",
        _said("error", lambda about: not _has_folds(about)),
        lambda about, error: _mistakes(about, about.tested, "held out", error["mistakes"]),
    ),
    Claim("interval", _said("error", lambda about: not _has_folds(about)), _interval),
    Claim("baseline", _said("baseline"), _baseline),
    Claim("exact", _said("exact"), _exact),
    Claim("whole points", _said("whole_points"), _whole_points),
    Claim("means", _said("means"), _means),
    Claim(
        "judged",
        _in_other_words,
        lambda about, _: Finding(None, "The file says in words of its own how the rule was judged.", None),
    ),
)
