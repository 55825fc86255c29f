"""What a rule says of the rows that it was learned from, checked: each row counts as much as it did in learning."""

from collections.abc import Iterable
from math import fsum
from operator import le
from typing import Any

import numpy as np

from rosenblatt.desk.verifying.claim import AGAIN, NEAR, PREDICT, Claim, Finding, Subject, near, unless
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


def _node_counts(about: Subject, tree: Tree) -> Finding:
    """The counts of the classes at every node of a tree."""
    trained, rule = about.trained, about.rule
    given = np.empty(0) if trained.weights is None else trained.weights
    totals = np.bincount(trained.y, given if given.size else None, len(rule.classes_))
    factors = class_factors(rule.class_weight, rule.classes_, totals)
    costs, unit, _ = whole_costs(given, factors, trained.y)  # rounded as a tree rounds them
    with np.errstate(over="ignore"):
        weights = unit * costs
        if not np.isfinite(weights.sum()):
            return Finding(False, "The weights of the rows are too large to count in.", AGAIN)
    found = tree.recounted(trained.X.table, trained.y, weights)
    for node in tree.nodes:
        claimed = [node.counts, *(node.rule.counts if node.rule is not None else ())]
        slack = NEAR * found[node.number, 0].sum()
        if not np.allclose(found[node.number, : len(claimed)], claimed, rtol=0.0, atol=slack):
            if not about.knows_weights:
                return Finding(None, "The counts may be of rows with weights, which the file does not name.", None)
            return Finding(False, f"Other rows come to node {node.number} than its counts say.", PREDICT)
    return Finding(True, "At every node, the counts are those of the rows learned from.", PREDICT)


def _right_on_every_row(about: Subject, _: Any) -> Finding:
    data = about.trained
    wrong, by = about.wrong_rows(data if data.weights is None else data.some(data.weights > 0))
    if wrong.size and not about.knows_weights:
        told = "The rule may be right on every row that counts: the file does not name the weights."
        return Finding(None, told, None)
    told = f"The rule is wrong on {many(int(wrong.size), 'row')}, not right on every row."
    return Finding(not wrong.size, told if wrong.size else right_on_every_row(data.weights), by)


def _support(about: Subject, support: tuple[Array, Any]) -> Finding:
    """Whether the rows that a kernel's rule is a sum of are rows that it was learned from."""
    (numbers, vectors), examples = support, about.parts[0]
    holds = numbers.size == 0 or numbers[-1] < examples.n
    if holds:
        holds = not (table_of(some_rows(examples.rows, numbers)) != vectors).sum()
    told = f"The rows that the rule is a sum of are {'' if holds else 'not all '}among those learned from."
    return Finding(holds, told, AGAIN)


def _count(about: Subject, said: tuple[str, list[Any] | None]) -> Finding:
    """The mistakes of each rule, or what they cost; rows of weight 0 do not count."""
    (name, given), parts = said, about.parts
    if given is None:
        return Finding(None, "What the rows below the margin cost is not checked.", None)
    weights = [
        part.weights[rows] if part.weights.size else np.ones(rows.size)
        for part, rows in zip(parts, _wrong_of_each(about), strict=True)
    ]
    found: list[Any] = [fsum(w) if name == "cost" else int((w > 0).sum()) for w in weights]
    form = about.rule.linear
    against = "another" if form is not None and form.scheme == ONE_VS_ONE else "the rest"
    whose = "the rule's own count" if len(parts) == 1 else f"the rules' own counts, each class against {against}"
    whose += " (without rows of weight 0)" if any((part.weights == 0).any() for part in parts) else ""
    told = f"{'What mistakes cost' if name == 'cost' else 'The mistakes'}, {whose}: {_list(found)}"
    fewer = name == "cost" or all(map(le, given, found))  # rows may have had the weight 0
    if not (holds := near(given, found)) and not about.knows_weights and fewer:
        return Finding(None, f"The {name} may be of rows with weights, which the file does not name.", None)
    return Finding(holds, unless(holds, told, _list(given)))


def _wrong_of_each(about: Subject) -> list[Array]:
    """The rows that each rule gets wrong, exactly."""
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
    """What each rule's run proved by itself, with its examples and whose it is."""
    if not any(certificates := about.rule.run_certificates()):
        return
    names = about.model.rule.names_of_rules(about.trained.classes)
    for place, (whose, certificate, part) in enumerate(zip(names, certificates, about.parts, strict=True)):
        if certificate is not None:
            yield certificate, part, whose, place


def _proved_by_run(about: Subject, said: Any) -> Finding:
    """That something cannot be, counting ties as the run did; or how good the rule's own weights are."""
    (certificate, examples, whose, place), rule = said, about.model.rule
    try:
        if isinstance(certificate, SoftMargin):
            _refuse_other_soft_margins(rule, certificate, place)
        elif not isinstance(certificate, Contradiction | NoMargin | JointContradiction | JointNoMargin):
            raise CertificateError(f"a run proves no {certificate.kind}")
        if getattr(certificate, "ties", rule.ties) != rule.ties:
            raise CertificateError("the certificate counts a score of 0 otherwise than the rule did in learning")
        scaled = "with rows scaled to length 1: " if rule.scales_rows else ""
        return Finding(True, f"{whose}{scaled}{certificate.verify_examples(examples)}")
    except (CertificateError, DataError) as error:
        return Finding(False, str(error))


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
    Claim(lambda said: str(said[0]), lambda about: about.rule.counts().items(), _count),
    Claim(lambda said: str(said[0].kind), _run_certificates, _proved_by_run),
)
