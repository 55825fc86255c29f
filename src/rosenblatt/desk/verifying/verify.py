"""Every claim of a model, a proof or a certificate, checked on the table.

Nothing here knows how a rule was learned or a proof was found: the table is encoded as the file says, and the checker
of `prove.check` counts again.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.desk.data import Data, encoded
from rosenblatt.desk.verifying.claim import Result
from rosenblatt.desk.verifying.claims import of_model, same_data
from rosenblatt.desk.verifying.proved import verified as proved
from rosenblatt.errors import CertificateError, DataError, ModelError, OptionError
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.read.table import Table
from rosenblatt.ship.file import document, modelfile, prooffile
from rosenblatt.ship.file.modelfile import Model
from rosenblatt.ship.file.prooffile import Proof


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
        return [Result(claims.kind, *proved(claims, X, y))]
    if target is not None:
        raise OptionError("--target is for bare certificates; this file knows its target")
    if claims.encoding is None:
        raise OptionError("the rule was learned from arrays; its certificates can be checked one by one in Python")
    if not isinstance(claims, Model):
        return list(_of_proof(claims, encoded(table, claims.encoding)))
    judged = claims.held_out or {}
    data = encoded(table, claims.encoding, judged.get("weights") if "trained_rows" in judged else None)
    return list(of_model(claims, data.seen_by(claims.rule)))


def _of_proof(proof: Proof, data: Data) -> Iterator[Result]:
    yield Result("data", *same_data(proof.data, data))
    for label, certificate in proof.claims:
        about = data.y if label is None else data.y == data.classes.index(label)
        found = proved(certificate, data.seen, about)
        whose = "" if label is None or len(data.classes) == 2 else f"{label} against the rest: "
        yield Result(certificate.kind, found.holds, f"{whose}{found.statement}")


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
