"""Checks every claim of a model, a proof or a certificate on a table.

Nothing here depends on how a rule was learned or a proof was found: the table is encoded as the file says, and
`prove.check` counts again.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.desk.constraints import NOT_OF_COLUMNS, are_of_columns, points_in_words
from rosenblatt.desk.data import Data, encoded
from rosenblatt.desk.verifying.claim import CheckedClaim
from rosenblatt.desk.verifying.claims import of_model, same_data
from rosenblatt.desk.verifying.proved import verified as proved
from rosenblatt.errors import CertificateError, DataError, ModelError, OptionError
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.read.table import Table
from rosenblatt.ship.file import document, modelfile, prooffile
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.ship.file.prooffile import ProofFile


def claims_in(path: str) -> Model | ProofFile | Certificate:
    """The model, proof or certificate in a file."""
    return document.load(path, _read)


def _read(data: bytes) -> Model | ProofFile | Certificate:
    if b'"format"' not in data and b'"certificate"' in data:
        try:
            return Certificate.from_json(data.decode())
        except (CertificateError, UnicodeDecodeError) as error:
            raise ModelError(str(error)) from None
    return document.opened(data, (modelfile.FORMAT, prooffile.FORMAT), _of_format)


def _of_format(form: str, made_by: str, record: dict[str, Any]) -> Model | ProofFile:
    made: Any = Model if form == modelfile.FORMAT else ProofFile
    return made.from_record(record, made_by)  # type: ignore[no-any-return]


def verified(claims: Model | ProofFile | Certificate, table: Table, target: str | None) -> list[CheckedClaim]:
    """Check all claims on a table."""
    if isinstance(claims, Certificate):
        X, y = _numbers(table, target)
        return [CheckedClaim(claims.kind, *proved(claims, X, y))]
    if target is not None:
        raise OptionError("--target is only for certificates; this file already names its target")
    if claims.encoding is None:
        raise OptionError("the rule was learned from arrays; check its certificates in Python")
    if not isinstance(claims, Model):
        return list(_of_proof(claims, encoded(table, claims.encoding)))
    judged = claims.held_out or {}
    data = encoded(table, claims.encoding, judged.get("weights") if "trained_rows" in judged else None)
    return list(of_model(claims, data.seen_by(claims.rule)))


def _of_proof(proof: ProofFile, data: Data) -> Iterator[CheckedClaim]:
    yield CheckedClaim("data", *same_data(proof.data, data))
    for cone in {certificate.cone: None for _, certificate in proof.claims if certificate.cone}:
        right = are_of_columns(proof.encoding, cone)
        yield CheckedClaim("constraints", right, points_in_words(proof.encoding, cone) if right else NOT_OF_COLUMNS)
    for label, certificate in proof.claims:
        about = data.y if label is None else data.y == data.classes.index(label)
        found = proved(certificate, data.seen, about)
        whose = "" if label is None or len(data.classes) == 2 else f"{label} against the rest: "
        yield CheckedClaim(certificate.kind, found.holds, f"{whose}{found.statement}")


def _numbers(table: Table, target: str | None) -> tuple[Any, Any]:
    """A table of numbers and its target, for a certificate without an encoding."""
    if table.sparse is not None:
        return table.sparse[0], np.array(table.sparse[1])
    if target is None:
        raise OptionError("a certificate does not name its target; use --target")
    frame = table.whole()
    if target not in frame.columns:
        raise OptionError(f"there is no column {target!r}")
    features = frame.drop(target)
    if words := [name for name, kind in features.schema.items() if not kind.is_numeric()]:
        raise DataError(f"column {words[0]!r} is not numeric; a certificate needs a table of numbers")
    return features.cast(pl.Float64).to_numpy(), frame[target].to_numpy()
