"""What a model of several classes that were learned jointly claims, checked on the table in exact arithmetic."""

from typing import Any

import numpy as np

from rosenblatt.desk.data import Data
from rosenblatt.errors import CertificateError, OptionError
from rosenblatt.prove.check.certificate import STRICT, Certificate
from rosenblatt.prove.check.certificate_json import PREDICTED
from rosenblatt.prove.check.joint_certificate import (
    JointContradiction,
    JointErrorInterval,
    JointNoMargin,
    JointSeparation,
    mistakes,
)
from rosenblatt.rows.kernels import Array
from rosenblatt.rows.kesler import JointExamples
from rosenblatt.rows.storage import rows_of
from rosenblatt.ship.file.modelfile import Model

JointKinds = JointContradiction | JointErrorInterval | JointNoMargin | JointSeparation


def proved_jointly(model: Model, certificate: Certificate, data: Data) -> str:
    """What a certificate proves, if the rule that it is about is the model's: its thresholds, its ties, its weights."""
    try:
        W, bias = model.estimator.joint_rule()
    except (AttributeError, OptionError):
        raise CertificateError("the certificate is about linear scores of several classes; the rule has none") from None
    if certificate.bias != bias:
        shown = f"the constant {certificate.bias!r}; the model's is shown {bias!r}"
        raise CertificateError(f"the certificate is about a threshold that is shown {shown}")
    if getattr(certificate, "ties", PREDICTED) not in (PREDICTED, STRICT):
        raise CertificateError("the certificate counts equal scores otherwise than the rule predicts them")
    if isinstance(certificate, JointErrorInterval) and list(certificate.weights) != W.ravel().tolist():
        raise CertificateError("the certificate is about another rule than the model's")
    return certificate.verify(data.X, data.y)


def wrong_jointly(rule: Any, data: Data) -> Array:
    """The rows that a joint rule gets wrong, as it predicts them."""
    examples = JointExamples(rows_of(data.X, bias=rule._bias), data.y.astype(np.int64), classes=data.classes)
    return mistakes(examples, rule.weights_.ravel().tolist())
