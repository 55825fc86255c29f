"""What certificates prove, if the rule that they are about is the model's: its threshold, its ties, its weights."""

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.desk.verifying.claim import Claim, Finding, Subject
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

JointKinds = JointContradiction | JointErrorInterval | JointNoMargin | JointSeparation


def verified(certificate: Certificate, X: Any, y: Any) -> Finding:
    """What a certificate proves of these rows, or why it proves nothing."""
    try:
        return Finding(True, certificate.verify(X, y))
    except (CertificateError, DataError) as error:
        return Finding(False, str(error))


def _of_model(about: Subject, certificate: Certificate) -> Finding:
    try:
        if isinstance(certificate, JointKinds):
            _refuse_other_scores(about, certificate)
        else:
            _refuse_other_rules(about, certificate)
    except (CertificateError, DataError) as error:
        return Finding(False, str(error))
    return verified(certificate, about.trained.seen, about.trained.y)


def _refuse_other_rules(about: Subject, certificate: Certificate) -> None:
    """Refuse a certificate about another linear rule of two classes than the model's."""
    if about.linear is None:
        raise CertificateError("the certificate is about a linear rule of two classes; the model's is not one")
    w, bias, ties = about.linear
    _refuse_other_bias(certificate, bias)
    if getattr(certificate, "ties", ties) not in (ties, STRICT):
        raise CertificateError("the certificate counts a score of 0 otherwise than the rule predicts it")
    if isinstance(certificate, ErrorInterval | CostInterval | RunRecord) and list(certificate.weights) != w.tolist():
        raise CertificateError("the certificate is about another rule than the model's")
    if isinstance(certificate, CostInterval):
        _refuse_other_costs(about, certificate)


def _refuse_other_bias(certificate: Certificate, bias: float) -> None:
    if certificate.bias != bias:
        shown = f"the constant {certificate.bias!r}; the model's is shown {bias!r}"
        raise CertificateError(f"the certificate is about a threshold that is shown {shown}")


def _refuse_other_costs(about: Subject, certificate: CostInterval) -> None:
    """Refuse costs that are not those that the rule was learned with."""
    data = about.trained
    examples = data.examples(fit_intercept=certificate.bias != 0.0, bias_scale=certificate.bias or 1.0)
    weights = costs_of_rows(about.rule.class_weight, np.arange(2), data.y, data.weights)
    costs, unit = costs_of(replace(examples, weights=weights))
    if certificate.unit != unit or not np.array_equal(certificate.costs(examples), costs):
        raise CertificateError("the certificate counts other costs than the rule was learned with")


def _refuse_other_scores(about: Subject, certificate: Certificate) -> None:
    """Refuse a certificate about other scores of several classes than the model's."""
    try:
        W, bias = about.rule.joint_rule()
    except OptionError:
        raise CertificateError("the certificate is about linear scores of several classes; the rule has none") from None
    _refuse_other_bias(certificate, bias)
    if getattr(certificate, "ties", PREDICTED) not in (PREDICTED, STRICT):
        raise CertificateError("the certificate counts equal scores otherwise than the rule predicts them")
    if isinstance(certificate, JointErrorInterval) and list(certificate.weights) != W.ravel().tolist():
        raise CertificateError("the certificate is about another rule than the model's")


CLAIMS = (Claim(lambda certificate: str(certificate.kind), lambda about: about.model.certificates, _of_model),)
