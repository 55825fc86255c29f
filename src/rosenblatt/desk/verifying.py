"""Every claim of a model or a proof, checked on the table in exact arithmetic.

Nothing here knows how a rule was learned or a proof was found: the table is encoded as the file says, and the checker
of `prove.certificate` counts again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.desk.data import Data, encoded
from rosenblatt.desk.split import held_out
from rosenblatt.errors import CertificateError, DataError, ModelError, OptionError
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.examples import Examples
from rosenblatt.prove import exact
from rosenblatt.prove.certificate import Certificate, ErrorInterval
from rosenblatt.read.table import Table
from rosenblatt.ship import document, modelfile, prooffile
from rosenblatt.ship.modelfile import Model
from rosenblatt.ship.prooffile import Proof


@dataclass(frozen=True)
class Result:
    """A claim, and whether it holds."""

    claim: str
    holds: bool
    statement: str


def claims_in(path: str) -> Model | Proof | Certificate:
    """The model, proof or certificate in a file."""
    return document.load(path, _read)


def _read(data: bytes) -> Model | Proof | Certificate:
    if b'"format"' not in data and b'"certificate"' in data:
        try:
            return Certificate.from_json(data.decode())
        except (CertificateError, UnicodeDecodeError) as error:
            raise ModelError(str(error)) from None
    return document.opened(data, (modelfile.FORMAT, prooffile.FORMAT), _of_format)


def _of_format(form: str, made_by: str, record: dict[str, Any]) -> Model | Proof:
    made: Any = Model if form == modelfile.FORMAT else Proof
    return made.from_record(record, made_by)  # type: ignore[no-any-return]


def verified(claims: Model | Proof | Certificate, table: Table, target: str | None) -> list[Result]:
    """Check all claims on a table."""
    if isinstance(claims, Certificate):
        X, y = _numbers(table, target)
        return [_result(claims.kind, lambda: claims.verify(X, y))]
    if target is not None:
        raise OptionError("--target is for bare certificates; this file knows its target")
    if claims.encoding is None:
        raise OptionError("the rule was learned from arrays; its certificates can be checked one by one in Python")
    data = encoded(table, claims.encoding)
    if not isinstance(claims, Model):
        return list(_of_proof(claims, data))
    return list(_of_model(claims, data.for_tree() if isinstance(claims.estimator, PerceptronTree) else data))


def _of_proof(proof: Proof, data: Data) -> Iterator[Result]:
    yield _same_data(proof.data, data)
    for label, certificate in proof.claims:
        yes = data.y == data.classes.index(label)
        yield _result(certificate.kind, lambda c=certificate, y=yes: c.verify(data.X, y))


def _of_model(model: Model, data: Data) -> Iterator[Result]:
    judged = model.held_out or {}
    out = held_out(data.n, float(judged.get("part") or 0.0), int(judged.get("seed") or 0))
    trained, tested = data.some(~out), data.some(out)
    if model.data is not None:
        yield _same_data(model.data, trained)
    if "trained_mistakes" in judged:
        yield _mistakes("mistakes on the rows learned from", model, trained, judged["trained_mistakes"])
    if isinstance(judged.get("error"), dict) and not judged.get("folds"):
        yield _mistakes("mistakes on the rows held out", model, tested, judged["error"].get("mistakes"))
    for certificate in model.certificates:
        yield _result(certificate.kind, lambda c=certificate: _about(model, c).verify(trained.X, trained.y))


def _about(model: Model, certificate: Certificate) -> Certificate:
    """The certificate, if the rule that it is about is the model's."""
    if isinstance(certificate, ErrorInterval):
        w, _, _ = model.estimator.one_linear_rule()
        if list(certificate.weights) != w.tolist():
            raise CertificateError("the certificate is about another rule than the model's")
    return certificate


def _same_data(wanted: dict[str, Any], data: Data) -> Result:
    """Whether the features are those that the claims are about."""
    found = data.fingerprint
    if found == wanted:
        return Result("data", True, f"These are the {found['rows']} rows that the claims are about, to the last bit.")
    return Result("data", False, f"This is other data: {_shape(found)} instead of {_shape(wanted)}.")


def _shape(data: dict[str, Any]) -> str:
    return f"{data['rows']} rows of {data['features']} features (SHA-256 {data['sha256'][:12]}...)"


def _mistakes(claim: str, model: Model, data: Data, wanted: Any) -> Result:
    """Count again, for a linear rule of two classes in whole numbers."""
    if not data.n:
        return Result(claim, wanted == 0, "There are no such rows.")
    try:
        w, bias, _ = model.estimator.one_linear_rule()
        side = 1 if model.estimator._zero_is_yes else -1  # of a score of zero; "plus" is right for that side only
        examples = Examples.of(data.X, np.arange(data.n) % 2, fit_intercept=bias != 0, bias_scale=bias or 1.0)
        signs = np.where(data.y == 1, side, -side).astype(np.int8)
        wrong = exact.mistakes(replace(examples, labels=signs), (side * w).tolist(), "plus")
    except (AttributeError, OptionError, DataError):
        wrong = np.flatnonzero(model.estimator.predict(data.X) != data.y)
    holds = wrong.size == wanted
    told = f"The rule makes {wrong.size} {claim}, {data.n} in all"
    return Result(claim, holds, f"{told}." if holds else f"{told}, not {wanted}.")


def _result(claim: str, check: Any) -> Result:
    try:
        return Result(claim, True, check())
    except (CertificateError, DataError) as error:
        return Result(claim, False, str(error))


def _numbers(table: Table, target: str | None) -> tuple[Any, Any]:
    """A table of numbers as it is, and its target, for a certificate that has no encoding."""
    if table.sparse is not None:
        return table.sparse[0], np.array(table.sparse[1])
    if target is None:
        raise OptionError("a bare certificate does not know the target: name it with --target")
    frame = table.whole()
    if target not in frame.columns:
        raise OptionError(f"there is no column {target!r}")
    features = frame.drop(target)
    if words := [name for name, kind in features.schema.items() if not kind.is_numeric()]:
        raise DataError(f"column {words[0]!r} holds no numbers; a bare certificate is about a table of numbers")
    return features.cast(pl.Float64).to_numpy(), frame[target].to_numpy()
