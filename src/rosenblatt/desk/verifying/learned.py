"""Checks what a rule says about its training rows; each row has the same weight as in learning."""

from collections.abc import Iterable
from math import fsum
from operator import le
from typing import Any

import numpy as np

from rosenblatt.desk.verifying.claim import AGAIN, NEAR, PREDICT, Claim, Outcome, Subject, near, unless
from rosenblatt.desk.verifying.proved import refuse_other_constraints
from rosenblatt.errors import CertificateError, DataError
from rosenblatt.learn.tree.canonical_rows import whole_costs
from rosenblatt.learn.tree.tree import Tree
from rosenblatt.plurals import many
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import Contradiction, NoMargin
from rosenblatt.prove.check.joint_certificate import JointContradiction, JointNoMargin
from rosenblatt.prove.check.joint_certificate import mistakes as mistakes_of_scores
from rosenblatt.prove.check.soft_margin import SoftMargin
from rosenblatt.rows.examples import class_factors
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import some_rows, table_of
from rosenblatt.rules.rule import right_on_every_row
from rosenblatt.rules.schemes import ONE_VS_ONE


def _node_counts(about: Subject, tree: Tree) -> Outcome:
    """The class counts at every node of a tree."""
    trained, rule = about.trained, about.rule
    given = np.empty(0) if trained.weights is None else trained.weights
    totals = np.bincount(trained.y, given if given.size else None, len(rule.classes_))
    factors = class_factors(rule.class_weight, rule.classes_, totals)
    costs, unit, _ = whole_costs(given, factors, trained.y)  # rounded as a tree rounds them
    with np.errstate(over="ignore"):
        weights = unit * costs
        if not np.isfinite(weights.sum()):
            return Outcome(False, "The row weights are too large to be added up.", AGAIN)
    found = tree.recounted(trained.X.table, trained.y, weights)
    for node in tree.nodes:
        claimed = [node.counts, *(node.rule.counts if node.rule is not None else ())]
        slack = NEAR * found[node.number, 0].sum()
        if not np.allclose(found[node.number, : len(claimed)], claimed, rtol=0.0, atol=slack):
            if not about.knows_weights:
                return Outcome(
                    None, "The counts may include row weights, but the file does not name their column.", None
                )
            return Outcome(False, f"The counts of node {node.number} do not match the training rows.", PREDICT)
    return Outcome(True, "At every node, the counts match the training rows.", PREDICT)


def _right_on_every_row(about: Subject, _: Any) -> Outcome:
    data = about.trained
    wrong, by = about.wrong_rows(data if data.weights is None else data.some(data.weights > 0))
    if wrong.size and not about.knows_weights:
        return Outcome(None, "The rows that it gets wrong may have weight 0: the file does not name the weights.", None)
    if wrong.size:
        return Outcome(False, f"The rule is wrong on {many(int(wrong.size), 'row')}, not right on every row.", by)
    return Outcome(True, right_on_every_row(data.weights), by)


def _support(about: Subject, support: tuple[Array, Any]) -> Outcome:
    """Whether the support rows of a kernel rule are among its training rows."""
    (numbers, vectors), examples = support, about.parts[0]
    holds = numbers.size == 0 or numbers[-1] < examples.n
    if holds:
        holds = not (table_of(some_rows(examples.rows, numbers)) != vectors).sum()
    return Outcome(holds, f"The support rows are {'' if holds else 'not all '}among the training rows.", AGAIN)


def _count(about: Subject, claim: tuple[str, list[Any] | None]) -> Outcome:
    """The number of mistakes of each rule, or their cost; rows with weight 0 do not count."""
    (name, given), parts = claim, about.parts
    if given is None:
        return Outcome(None, "The cost of the rows below the margin is not checked.", None)
    weights = [
        part.weights[rows] if part.weights.size else np.ones(rows.size)
        for part, rows in zip(parts, _wrong_of_each(about), strict=True)
    ]
    found: list[Any] = [fsum(w) if name == "cost" else int((w > 0).sum()) for w in weights]
    form = about.rule.linear
    against = "another" if form is not None and form.scheme == ONE_VS_ONE else "the rest"
    what = "The cost of mistakes" if name == "cost" else "The mistakes"
    whose = "the rule itself" if len(parts) == 1 else f"the rules themselves, each class against {against}"
    whose += " (without rows of weight 0)" if any((part.weights == 0).any() for part in parts) else ""
    statement = f"{what}, as counted by {whose}: {_list(found)}"
    fewer = name == "cost" or all(map(le, given, found))  # rows may have had weight 0
    if not (holds := near(given, found)) and not about.knows_weights and fewer:
        return Outcome(None, f"The {name} may include row weights, but the file does not name their column.", None)
    return Outcome(holds, unless(holds, statement, _list(given)))


def _wrong_of_each(about: Subject) -> list[Array]:
    """The rows that each rule gets wrong, in exact arithmetic."""
    rule, parts = about.model.rule, about.parts
    if isinstance(parts[0], JointExamples):
        return [mistakes_of_scores(parts[0], rule.weights_.ravel().tolist())]
    ties = rule.ties_of_prediction
    wrong = [exact.mistakes(part, w.tolist(), ties) for part, w in zip(parts, rule.weights_, strict=True)]
    if rule.linear is None or rule.linear.scheme != ONE_VS_ONE:
        return wrong
    return [rows[part.weights[rows] > 0] for rows, part in zip(wrong, parts, strict=True)]


def _list(numbers: list[Any]) -> str:
    return ", ".join(f"{number:.12g}" for number in numbers)


def _run_certificates(about: Subject) -> Iterable[Any]:
    """The certificate of each rule's run, with its examples and the name of the rule."""
    if not any(certificates := about.rule.run_certificates()):
        return
    names = about.model.rule.names_of_rules(about.trained.classes)
    for place, (whose, certificate, part) in enumerate(zip(names, certificates, about.parts, strict=True)):
        if certificate is not None:
            yield certificate, part, whose, place


def _proved_by_run(about: Subject, claim: Any) -> Outcome:
    """A run may prove that something is impossible, with its own tie rule, or how good the rule's own weights are."""
    (certificate, examples, whose, place), rule = claim, about.model.rule
    try:
        if isinstance(certificate, SoftMargin):
            _refuse_other_soft_margins(rule, certificate, place)
        elif not isinstance(certificate, Contradiction | NoMargin | JointContradiction | JointNoMargin):
            raise CertificateError(f"a run cannot prove this kind of certificate: {certificate.kind}")
        if getattr(certificate, "ties", rule.ties) != rule.ties:
            raise CertificateError("the certificate treats a score of 0 differently from the rule in learning")
        refuse_other_constraints(rule, certificate)
        scaled = "with rows scaled to length 1: " if rule.scales_rows else ""
        return Outcome(True, f"{whose}{scaled}{certificate.verify_examples(examples)}")
    except (CertificateError, DataError) as error:
        return Outcome(False, str(error))


def _refuse_other_soft_margins(rule: Any, certificate: SoftMargin, place: int) -> None:
    """Refuse a certificate about other weights than the rule's, or about another C."""
    if list(certificate.weights) != rule.weights_[place].tolist():
        raise CertificateError("the certificate is about other weights than the rule's")
    if rule.options().get("C") != certificate.C:
        raise CertificateError("the certificate is about another C than the rule was learned with")


CLAIMS = (
    Claim("counts", lambda about: [] if about.rule.tree is None else [about.rule.tree], _node_counts),
    Claim("stop reason", lambda about: [True] if about.rule.says_separated else [], _right_on_every_row),
    Claim("support rows", lambda about: [] if about.rule.support is None else [about.rule.support], _support),
    Claim(lambda claim: str(claim[0]), lambda about: about.rule.counts().items(), _count),
    Claim(lambda claim: str(claim[0].kind), _run_certificates, _proved_by_run),
)
