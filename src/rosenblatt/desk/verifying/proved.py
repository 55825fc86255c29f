"""Checks the certificates of a model: each must be about the model's own rule, and must prove its statement."""

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.desk.verifying.claim import Claim, Outcome, Subject
from rosenblatt.errors import CertificateError, DataError, OptionError
from rosenblatt.learn.costs import costs_of
from rosenblatt.prove.check.certificate import STRICT, Certificate, CostInterval, ErrorInterval, RunRecord
from rosenblatt.prove.check.certificate_json import PREDICTED
from rosenblatt.prove.check.joint_certificate import (
    JointContradiction,
    JointErrorInterval,
    JointNoMargin,
    JointSeparation,
)
from rosenblatt.rows.examples import costs_of_rows
from rosenblatt.rules.rule import Rule

JointKinds = JointContradiction | JointErrorInterval | JointNoMargin | JointSeparation


def verified(certificate: Certificate, X: Any, y: Any) -> Outcome:
    """What a certificate proves about these rows, or why it proves nothing."""
    try:
        return Outcome(True, certificate.verify(X, y))
    except (CertificateError, DataError) as error:
        return Outcome(False, str(error))


def _of_model(about: Subject, certificate: Certificate) -> Outcome:
    try:
        if isinstance(certificate, JointKinds):
            _refuse_other_scores(about, certificate)
        else:
            _refuse_other_rules(about, certificate)
    except (CertificateError, DataError) as error:
        return Outcome(False, str(error))
    return verified(certificate, about.trained.seen, about.trained.y)


def _refuse_other_rules(about: Subject, certificate: Certificate) -> None:
    """Refuse a certificate that is not about the model's linear rule for two classes."""
    if about.linear is None:
        raise CertificateError("the certificate is about a linear rule for two classes, but the model has none")
    w, bias, ties = about.linear
    _refuse_other_bias(certificate, bias)
    refuse_other_constraints(about.rule, certificate)
    if getattr(certificate, "ties", ties) not in (ties, STRICT):
        raise CertificateError("the certificate treats a score of 0 differently from the rule")
    if isinstance(certificate, ErrorInterval | CostInterval | RunRecord) and list(certificate.weights) != w.tolist():
        raise CertificateError("the certificate is about a different rule")
    if isinstance(certificate, CostInterval):
        _refuse_other_costs(about, certificate)


def refuse_other_constraints(rule: Rule, certificate: Certificate) -> None:
    """Refuse a certificate about rules that keep other constraints than this one."""
    if certificate.cone != rule.cone:
        raise CertificateError("the certificate is about other constraints than those that the rule was learned under")


def _refuse_other_bias(certificate: Certificate, bias: float) -> None:
    if certificate.bias != bias:
        raise CertificateError(
            f"the certificate has the constant feature {certificate.bias!r}, but the model's rule has {bias!r}"
        )


def _refuse_other_costs(about: Subject, certificate: CostInterval) -> None:
    """Refuse costs that differ from those in learning."""
    data = about.trained
    examples = data.examples(fit_intercept=certificate.bias != 0.0, bias_scale=certificate.bias or 1.0)
    weights = costs_of_rows(about.rule.class_weight, np.arange(2), data.y, data.weights)
    costs, unit = costs_of(replace(examples, weights=weights))
    if certificate.unit != unit or not np.array_equal(certificate.costs(examples), costs):
        raise CertificateError("the certificate counts other costs than learning did")


def _refuse_other_scores(about: Subject, certificate: Certificate) -> None:
    """Refuse a certificate that is not about the model's linear scores for several classes."""
    try:
        W, bias = about.rule.joint_rule()
    except OptionError:
        raise CertificateError(
            "the certificate is about linear scores for several classes, but the model has none"
        ) from None
    _refuse_other_bias(certificate, bias)
    if getattr(certificate, "ties", PREDICTED) not in (PREDICTED, STRICT):
        raise CertificateError("the certificate treats equal scores differently from the rule")
    if isinstance(certificate, JointErrorInterval) and list(certificate.weights) != W.ravel().tolist():
        raise CertificateError("the certificate is about a different rule")


CLAIMS = (Claim(lambda certificate: str(certificate.kind), lambda about: about.model.certificates, _of_model),)
