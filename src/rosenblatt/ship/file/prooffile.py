"""The proof file: the certificates about a table, and the encoding of its columns.

A certificate is about features. With the encoding, anyone who has the table can compute the same features and check
the certificate on them.
"""

from dataclasses import dataclass
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.read.encode.encoding import Encoding
from rosenblatt.ship.file import document
from rosenblatt.ship.file.atomic import Path
from rosenblatt.ship.file.codecs import CERTIFICATE, NO_SHAPE, TEXT, fields, items, or_null
from rosenblatt.ship.file.modelfile import FINGERPRINT
from rosenblatt.version import __version__

FORMAT = "rosenblatt proof"


@dataclass(frozen=True)
class ProofFile:
    """Claims about the rows of a table: pairs of a class (against the rest; None: all classes) and a certificate."""

    encoding: Encoding
    claims: tuple[tuple[str | None, Certificate], ...]
    data: dict[str, Any]  # the fingerprint of the features
    made_by: str = __version__

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write the proof, completely or not at all."""
        document.save(path, FORMAT, self.made_by, self._record(), force=force)

    def _record(self) -> dict[str, Any]:
        claims = [{"class": label, "certificate": CERTIFICATE.write(claim)} for label, claim in self.claims]
        return {"data": self.data, "encoding": self.encoding.as_record(), "claims": claims}

    @classmethod
    def from_record(cls, record: dict[str, Any], made_by: str) -> "ProofFile":
        """Read a proof; raises ModelError if it is not one."""
        if set(record) != {"data", "encoding", "claims"}:
            raise ModelError("a proof must have exactly the fields data, encoding and claims")
        encoding = Encoding.from_record(record["encoding"])
        claims = []
        for k, claim in enumerate(items(record["claims"], "the claims")):
            read = fields(claim, f"claim {k + 1}", {"class": or_null(TEXT), "certificate": CERTIFICATE}, NO_SHAPE)
            if read["class"] is not None and read["class"] not in encoding.target.classes:
                raise ModelError(f"claim {k + 1} is about the class {read['class']!r}, which the target does not have")
            claims.append((read["class"], read["certificate"]))
        return cls(encoding, tuple(claims), fields(record["data"], "data", FINGERPRINT, NO_SHAPE), made_by)
