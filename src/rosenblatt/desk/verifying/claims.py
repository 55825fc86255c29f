"""What a model file claims about its rule and its rows, each claim checked on the table.

A rule that is linear, of two classes or of several that were learned jointly, is judged in exact arithmetic; others by
`predict`, and the result says so. What a table cannot tell, such as how many passes learning took, is said not to be
checked.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import fsum, isclose
from operator import le
from typing import Any

import numpy as np

from rosenblatt.desk.cost import Baseline, Costs
from rosenblatt.desk.data import Data
from rosenblatt.desk.error_rate import HELD_OUT, Error, by_folds
from rosenblatt.desk.model import means_of
from rosenblatt.desk.model_contents import has_exact_points, has_whole_points
from rosenblatt.desk.split import HoldOut
from rosenblatt.desk.tree_data import right_on_every_row
from rosenblatt.desk.verifying.joint_claims import JointKinds, proved_jointly, wrong_jointly
from rosenblatt.errors import CertificateError, DataError, OptionError
from rosenblatt.estimators.linear import JOINT, ONE_VS_ONE, ONE_VS_REST, LinearRule, pairs_of
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.choices import Reason
from rosenblatt.learn.costs import costs_of
from rosenblatt.learn.tree.canonical_rows import whole_costs
from rosenblatt.plurals import many
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import (
    STRICT,
    Certificate,
    Contradiction,
    CostInterval,
    ErrorInterval,
    NoMargin,
    RunRecord,
)
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointNoMargin
from rosenblatt.prove.check.joint_certificate import mistakes as mistakes_of_scores
from rosenblatt.rows.examples import Examples, class_factors, costs_of_rows
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import rows_of, some_rows, table_of
from rosenblatt.ship.file.modelfile import Model

EXACT, PREDICT, AGAIN = "exact arithmetic", "predict", "computed again"
UNCHECKED = {  # what a file says of how a rule was learned, by the attribute of its estimator
    "stop_reason_": "why learning stopped",
    "n_updates_": "how many updates, passes and looks it took",
    "kept_at_": "when the rule was met",
    "margin_reached_": "whether the margin was reached",
    "lifted_margin_": "the margin, the mistakes and the bound of the lifted rows",
    "price_": "how the tree was pruned",
}
NEAR = 1e-9  # relative: sums of floats may be added up in another order


@dataclass(frozen=True)
class Result:
    """A claim, whether it holds (None: it was not checked), and by what that was decided."""

    claim: str
    holds: bool | None
    statement: str
    by: str | None = EXACT


def checked(claim: str, check: Callable[..., str], *about: Any) -> Result:
    """The result of a check that returns what is proved, or raises what is wrong."""
    try:
        return Result(claim, True, check(*about))
    except (CertificateError, DataError) as error:
        return Result(claim, False, str(error))


def same_data(wanted: dict[str, Any], data: Data) -> Result:
    """Whether the features are those that the claims are about."""
    found = data.fingerprint
    if found == wanted:
        return Result("data", True, f"{_these(found['rows'])} that the claims are about, to the last bit.", AGAIN)
    return Result("data", False, f"This is other data: {_shape(found)} instead of {_shape(wanted)}.", AGAIN)


def _these(rows: int) -> str:
    return "This is the row" if rows == 1 else f"These are the {rows:,} rows"


def _shape(data: dict[str, Any]) -> str:
    return f"{many(data['rows'], 'row')} of {many(data['features'], 'feature')} (SHA-256 {data['sha256'][:12]}...)"


def of_model(model: Model, data: Data) -> Iterator[Result]:
    """Every claim of a model, on all rows of its table."""
    judged = model.held_out or {}
    out = HoldOut(float(judged.get("part") or 0.0), int(judged.get("seed") or 0))(0, data.n)
    trained, tested = data.some(~out), data.some(out)
    if model.data is not None:
        yield same_data(model.data, trained)
    if "trained_rows" in judged:
        yield from _judged(model, judged, trained, tested)
    elif judged:
        yield Result("judged", None, "The file says in words of its own how the rule was judged.", None)
    yield from _learned(model, judged, trained)
    for certificate in model.certificates:
        yield checked(certificate.kind, _proved, model, certificate, trained)
    told = [name for attribute, name in UNCHECKED.items() if hasattr(model.estimator, attribute)]
    told += ["that the weights were learned without the rows held out"] if out.any() else []
    yield Result("run", None, f"Not something that a table can tell: {', '.join(told)}.", None)


# -- how the rule was judged -----------------------------------------------------------------------------------


def _judged(model: Model, judged: dict[str, Any], trained: Data, tested: Data) -> Iterator[Result]:
    rows = judged["trained_rows"]
    told = f"{many(trained.n, 'row was', 'rows were')} learned from"
    yield Result("rows learned from", rows == trained.n, _unless(rows == trained.n, told, rows), AGAIN)
    yield _mistakes("mistakes on the rows learned from", model, trained, judged["trained_mistakes"])
    costs = Costs.of(model.estimator, trained)
    if "trained_cost" in judged and not (costs.are_counts and judged["trained_cost"] == judged["trained_mistakes"]):
        yield _cost(model, costs, trained, judged["trained_cost"])
    if judged["error"] is not None:
        yield from _error(model, judged["folds"], judged["error"], trained, tested)
    if judged.get("baseline") is not None:
        yield _baseline(model, costs, judged, trained, tested)
    if judged["exact"]:
        yield _exact(model)
    if judged.get("whole_points"):
        whole = has_whole_points(model)
        yield Result("whole points", whole, f"All points are {'' if whole else 'not '}whole numbers.", EXACT)
    if judged.get("means") is not None:
        same = _near(judged["means"], means_of(trained))
        yield Result("means", same, f"The means of the features are {'' if same else 'not '}those of the rows.", AGAIN)


def _error(model: Model, folds: int, error: dict[str, Any], trained: Data, tested: Data) -> Iterator[Result]:
    """The error on rows that the rule was not learned from: their mistakes, and the interval around the rate."""
    rows, mistakes = error["rows"], error["mistakes"]
    right = Error.of(mistakes, rows, by_folds(folds) if folds else HELD_OUT)
    same = all(_near(error[name], value) for name, value in vars(right).items())
    if folds:
        possible = same and rows <= trained.n
        told = "can be checked only by learning again" if possible else "cannot be of these rows"
        holds, by = (None, None) if possible else (False, AGAIN)
        yield Result("cross-validation", holds, f"The error by cross-validation {told}.", by)
        return
    yield _mistakes("mistakes on the rows held out", model, tested, mistakes)
    if rows != tested.n:
        yield Result("interval", False, f"{many(tested.n, 'row was', 'rows were')} held out, not {rows:,}.", AGAIN)
        return
    what = f"{many(mistakes, 'mistake')} on {many(rows, 'row')}"
    told = f"{what} is an error rate of {mistakes / rows:.2%}, {right.interval}"
    yield Result("interval", same, f"{told}." if same else f"{told}; the file says otherwise.", AGAIN)


def _cost(model: Model, costs: Costs, trained: Data, wanted: float) -> Result:
    """What the mistakes on the rows learned from cost, as learning was told to count."""
    wrong, by = wrong_rows(model, trained)
    found = fsum(costs.of_rows(trained)[wrong])
    told = f"Those mistakes cost {found:.12g}; {costs.in_words(trained.classes)}"
    return Result("cost of the mistakes", _near(wanted, found), _unless(_near(wanted, found), told, wanted), by)


def _baseline(model: Model, costs: Costs, judged: dict[str, Any], trained: Data, tested: Data) -> Result:
    """The rule beside one that says the same of every row, on rows that it was not learned from."""
    given = judged["baseline"]
    claimed = Baseline(given["label"], given["cost"], given["rule_cost"], given["squares"])
    if claimed.clearly_better != given["clearly_better"]:
        return Result("baseline", False, "Whether the rule is clearly better does not follow from its numbers.", AGAIN)
    if judged["folds"]:
        return Result("baseline", None, "The baseline by cross-validation can be checked only by learning again.", None)
    if not tested.n:
        return Result("baseline", False, "No rows were held out, but the file compares rules on some.", AGAIN)
    found = Baseline.of(costs, trained, tested, model.estimator.predict(tested.X))
    same = all(map(_near, vars(claimed).values(), vars(found).values()))
    return Result(
        "baseline", same, found.statement(costs.are_counts) + ("" if same else " The file says otherwise."), PREDICT
    )


def _exact(model: Model) -> Result:
    """Whether every engine computes the same scores, to the last bit."""
    if isinstance(model.estimator, PerceptronTree):
        return Result("exact", True, "The rule is a tree, which every export writes with the same numbers.", AGAIN)
    holds = has_exact_points(model)
    told = "No sum of points rounds, so every export gives the same labels."
    return Result("exact", holds, told if holds else "Sums of points may round: exports may give other labels.", AGAIN)


# -- what the rule itself claims -------------------------------------------------------------------------------


def _learned(model: Model, judged: dict[str, Any], trained: Data) -> Iterator[Result]:
    """What the rule says of the rows that it was learned from, each row counting as much as it did in learning."""
    rule, known = model.estimator, "weights" in judged
    if isinstance(rule, PerceptronTree):
        yield _counts(rule, trained, known)
        return
    if getattr(rule, "stop_reason_", None) is Reason.SEPARATED:
        yield _right_on_every_row(model, trained, known)
    if not isinstance(rule, LinearRule):
        return
    parts = rule.examples_of(trained.X, trained.y, trained.weights)
    if getattr(rule, "support_vectors_", None) is not None:
        yield _support(rule, parts[0])
    yield from _counted(rule, parts, known)
    certificates = getattr(rule, "certificate_", None)
    each = certificates if isinstance(certificates, list) else [certificates] * len(parts)
    for whose, certificate, part in zip(_whose(rule, trained.classes), each, parts, strict=True):
        if certificate is not None:
            yield checked(certificate.kind, _proved_by_run, rule, certificate, part, whose)


def _support(rule: Any, examples: Examples) -> Result:
    """Whether the rows that a kernel's rule is a sum of are rows that it was learned from."""
    numbers = rule.support_
    holds = numbers.size == 0 or numbers[-1] < examples.n
    if holds:
        holds = not (table_of(some_rows(examples.rows, numbers)) != rule.support_vectors_).sum()
    told = f"The rows that the rule is a sum of are {'' if holds else 'not all '}among those learned from."
    return Result("support rows", holds, told, AGAIN)


def _whose(rule: LinearRule, classes: tuple[str, ...]) -> list[str]:
    """Whom each rule tells from whom, where there are several."""
    if rule._scheme == ONE_VS_REST:
        return [f"{label} against the rest: " for label in classes]
    if rule._scheme == ONE_VS_ONE:
        return [f"{classes[yes]} against {classes[no]}: " for no, yes in pairs_of(len(classes))]
    return [""]


def _right_on_every_row(model: Model, data: Data, known: bool) -> Result:
    counts = None if data.weights is None else data.weights > 0
    wrong, by = wrong_rows(model, data if counts is None else data.some(counts))
    if wrong.size and not known:
        told = "The rule may be right on every row that counts: the file does not name the weights."
        return Result("stop reason", None, told, None)
    told = f"The rule is wrong on {many(int(wrong.size), 'row')}, not right on every row."
    return Result("stop reason", not wrong.size, told if wrong.size else right_on_every_row(data.weights), by)


def _counted(rule: LinearRule, parts: list[Examples], known: bool) -> Iterator[Result]:
    """The mistakes of each rule, and what they cost; rows of weight 0 do not count."""
    claimed = {name: getattr(rule, f"{name}_", None) for name in ("mistakes", "training_mistakes", "cost")}
    if all(each is None for each in claimed.values()):
        return
    wrong = _wrong_of_each(rule, parts)
    weights = [
        part.weights[rows] if part.weights.size else np.ones(rows.size) for part, rows in zip(parts, wrong, strict=True)
    ]
    against = "another" if rule._scheme == ONE_VS_ONE else "the rest"
    whose = "the rule's own count" if len(parts) == 1 else f"the rules' own counts, each class against {against}"
    whose += " (without rows of weight 0)" if any((part.weights == 0).any() for part in parts) else ""
    for name, each in claimed.items():
        if each is None:
            continue
        if name == "cost" and getattr(rule, "margin", None):
            yield Result(name, None, "What the rows below the margin cost is not checked.", None)
            continue
        found: list[Any] = [fsum(w) if name == "cost" else int((w > 0).sum()) for w in weights]
        given = each if isinstance(each, list) else [each]
        told = f"{'What mistakes cost' if name == 'cost' else 'The mistakes'}, {whose}: {_list(found)}"
        fewer = name == "cost" or all(map(le, given, found))  # rows may have had the weight 0
        if not (holds := _near(given, found)) and not known and fewer:
            yield Result(name, None, f"The {name} may be of rows with weights, which the file does not name.", None)
        else:
            yield Result(name, holds, _unless(holds, told, _list(given)))


def _wrong_of_each(rule: LinearRule, parts: list[Examples]) -> list[Array]:
    """The rows that each rule gets wrong, exactly."""
    if isinstance(parts[0], JointExamples):
        return [mistakes_of_scores(parts[0], rule.weights_.ravel().tolist())]
    ties = rule.ties_of_prediction
    wrong = [exact.mistakes(part, w.tolist(), ties) for part, w in zip(parts, rule.weights_, strict=True)]
    if rule._scheme != ONE_VS_ONE:
        return wrong
    return [rows[part.weights[rows] > 0] for rows, part in zip(wrong, parts, strict=True)]


def _list(numbers: list[Any]) -> str:
    return ", ".join(f"{number:.12g}" for number in numbers)


def _counts(rule: PerceptronTree, trained: Data, known: bool) -> Result:
    """The counts of the classes at every node of a tree."""
    given = np.empty(0) if trained.weights is None else trained.weights
    totals = np.bincount(trained.y, given if given.size else None, len(rule.classes_))
    factors = class_factors(rule.class_weight, rule.classes_, totals)
    costs, unit, _ = whole_costs(given, factors, trained.y)  # rounded as a tree rounds them
    with np.errstate(over="ignore"):
        weights = unit * costs
        if not np.isfinite(weights.sum()):
            return Result("counts", False, "The weights of the rows are too large to count in.", AGAIN)
    found = rule.tree_.recounted(trained.X.table, trained.y, weights)
    for node in rule.tree_.nodes:
        claimed = [node.counts, *(node.rule.counts if node.rule is not None else ())]
        slack = NEAR * found[node.number, 0].sum()
        if not np.allclose(found[node.number, : len(claimed)], claimed, rtol=0.0, atol=slack):
            if not known:
                return Result(
                    "counts", None, "The counts may be of rows with weights, which the file does not name.", None
                )
            return Result("counts", False, f"Other rows come to node {node.number} than its counts say.", PREDICT)
    return Result("counts", True, "At every node, the counts are those of the rows learned from.", PREDICT)


# -- what is proved --------------------------------------------------------------------------------------------


def _proved(model: Model, certificate: Certificate, data: Data) -> str:
    """What a certificate proves, if the rule that it is about is the model's: its threshold, its ties, its weights."""
    if isinstance(certificate, JointKinds):
        return proved_jointly(model, certificate, data)
    if (linear := _linear(model)) is None:
        raise CertificateError("the certificate is about a linear rule of two classes; the model's is not one")
    w, bias, ties = linear
    if certificate.bias != bias:
        shown = f"the constant {certificate.bias!r}; the model's is shown {bias!r}"
        raise CertificateError(f"the certificate is about a threshold that is shown {shown}")
    if getattr(certificate, "ties", ties) not in (ties, STRICT):
        raise CertificateError("the certificate counts a score of 0 otherwise than the rule predicts it")
    if isinstance(certificate, ErrorInterval | CostInterval | RunRecord) and list(certificate.weights) != w.tolist():
        raise CertificateError("the certificate is about another rule than the model's")
    if isinstance(certificate, CostInterval):
        _refuse_other_costs(model, certificate, data)
    return certificate.verify(data.X, data.y)


def _refuse_other_costs(model: Model, certificate: CostInterval, data: Data) -> None:
    """Refuse costs that are not those that the rule was learned with."""
    examples = data.examples(fit_intercept=certificate.bias != 0.0, bias_scale=certificate.bias or 1.0)
    weights = costs_of_rows(model.estimator.class_weight, np.arange(2), data.y, data.weights)
    costs, unit = costs_of(replace(examples, weights=weights))
    if certificate.unit != unit or not np.array_equal(certificate.costs(examples), costs):
        raise CertificateError("the certificate counts other costs than the rule was learned with")


def _proved_by_run(rule: LinearRule, certificate: Certificate, examples: Examples, whose: str) -> str:
    """What a run proved by itself: only that something cannot be, counting ties as the run did."""
    if not isinstance(certificate, Contradiction | NoMargin | JointContradiction | JointNoMargin):
        raise CertificateError(f"a run proves no {certificate.kind}")
    if getattr(certificate, "ties", rule.ties) != rule.ties:
        raise CertificateError("the certificate counts a score of 0 otherwise than the rule did in learning")
    scaled = "with rows scaled to length 1: " if rule.scales_rows else ""
    return f"{whose}{scaled}{certificate.verify_examples(examples)}"


# -- mistakes --------------------------------------------------------------------------------------------------


def _mistakes(claim: str, model: Model, data: Data, wanted: Any) -> Result:
    if not data.n:
        return Result(claim, wanted == 0, "There are no such rows.", AGAIN)
    wrong, by = wrong_rows(model, data)
    where = claim.removeprefix("mistakes on the rows ")
    made = f"The rule makes {many(int(wrong.size), 'mistake')} on the {many(data.n, 'row')} {where}"
    told = _unless(wrong.size == wanted, made, wanted)
    told = f"{told[:-1]} (counted by {PREDICT}, in floating point)." if by == PREDICT else told
    return Result(claim, wrong.size == wanted, told, by)


def wrong_rows(model: Model, data: Data) -> tuple[Array, str]:
    """The rows that the rule gets wrong, and by what that was decided: in whole numbers for one linear rule."""
    if getattr(model.estimator, "_scheme", None) == JOINT and not model.estimator.scales_rows:
        return wrong_jointly(model.estimator, data), EXACT
    if (linear := _linear(model)) is None:
        return np.flatnonzero(model.estimator.predict(data.X) != data.y), PREDICT
    w, bias, ties = linear
    labels = np.where(data.y == 1, 1, -1).astype(np.int8)
    return exact.mistakes(Examples(rows_of(data.X, bias=bias), labels), w.tolist(), ties), EXACT


def _linear(model: Model) -> tuple[Array, float, str] | None:
    """The weights, the threshold's constant and the ties of a rule that is one linear rule; None for any other."""
    try:
        return model.estimator.one_linear_rule()  # type: ignore[no-any-return]
    except (AttributeError, OptionError):
        return None


def _unless(holds: bool, told: str, wanted: Any) -> str:
    return f"{told}." if holds else f"{told}, not {wanted}."


def _near(claimed: Any, found: Any) -> bool:
    """Whether two values are the same, but for the rounding of sums."""
    if isinstance(found, list):
        same_length = isinstance(claimed, list) and len(claimed) == len(found)
        return same_length and all(map(_near, claimed, found))
    if isinstance(found, float):
        return type(claimed) in (int, float) and isclose(claimed, found, rel_tol=NEAR, abs_tol=1e-300)
    return bool(claimed == found)
