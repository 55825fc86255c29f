"""The model file: everything needed to use a rule, to continue learning and to check it, as canonical JSON.

Problem   store a rule for other processes, languages and years, in a file that need not be trusted.
Input     a fitted estimator; its encoding, its certificates, the fingerprint of its data, how it was judged.
Result    a canonical text, protected by its SHA-256; loading it restores the estimator to the last bit.

Loading executes nothing and follows no name in the file: every field is read by a table (`schemas`, `options`).
Unknown fields and values of the wrong type or length are refused. docs/modelfile.md describes the format.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import registry
from rosenblatt.errors import DataError, ModelError, OptionError
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.judge.profile import Profile
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.rows.door import labelled
from rosenblatt.rows.examples import Examples, classes_of
from rosenblatt.rows.kernels import Array, Dense, Rows
from rosenblatt.rows.storage import n_features, n_rows, rows_of
from rosenblatt.ship.file import decision_schemas, document, judged, profiled, records
from rosenblatt.ship.file.atomic import Path
from rosenblatt.ship.file.codecs import CERTIFICATE, COUNT, NO_SHAPE, Codec, Shape, fields, listed, or_null, plainly
from rosenblatt.version import __version__
from rosenblatt.visible import brief

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding

FORMAT = "rosenblatt model"
NUMBERS_AT_ONCE = 2**20
HASH = Codec(str, lambda value, where, shape: _hash(value, where))


def _hash(value: Any, where: str) -> str:
    if type(value) is not str or len(value) != 64 or not set(value) <= set("0123456789abcdef"):
        raise ModelError(f"{where} must be 64 hexadecimal digits, not {brief(value)}")
    return value


def _encoding(value: Any, where: str, shape: Shape) -> "Encoding":
    from rosenblatt.read.encode.encoding import Encoding  # imports Polars, which models learned from arrays do not need

    return Encoding.from_record(value)


FINGERPRINT = {"rows": COUNT, "features": COUNT, "sha256": HASH}
ABOUT = {
    "encoding": or_null(Codec(lambda encoding: encoding.as_record(), _encoding)),
    "data": or_null(Codec(plainly, lambda value, where, shape: fields(value, where, FINGERPRINT, shape))),
    "held_out": or_null(Codec(plainly, judged.free_form)),
    "certificates": listed(CERTIFICATE),
}
SOMETIMES = {  # fields that a file lacks where the model has none
    "decision": decision_schemas.DECISION,
    "profile": profiled.PROFILE,
}


@dataclass(frozen=True, eq=False)
class Model:
    """A rule, and what is known about it.

    `rule` is a fitted estimator, or its counterpart without scikit-learn; `estimator` is always an estimator.
    `encoding` says how a table's columns become features (None: learned from arrays), `data` is the fingerprint of the
    training data, `held_out` says how the rule was judged, `made_by` is the version that learned it. `decision` has the
    cut-offs and the tables of probabilities (None: the rule decides every row by itself). `profile` is what the
    training rows looked like, in counts.
    """

    rule: Any
    encoding: "Encoding | None" = None
    certificates: tuple[Certificate, ...] = ()
    data: dict[str, Any] | None = None
    held_out: dict[str, Any] | None = None
    made_by: str = __version__
    decision: Decision | None = None
    profile: Profile | None = None

    @cached_property
    def estimator(self) -> Any:
        """The rule as a fitted estimator of scikit-learn."""
        return registry.estimator_of(self.rule)

    @property
    def table_encoding(self) -> "Encoding":
        """How a table's columns become features; refuses a rule that was learned from arrays."""
        if self.encoding is None:
            raise OptionError("the rule was learned from arrays, so the model does not know their columns")
        return self.encoding

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write the model, completely or not at all; an existing file is overwritten only with `force`."""
        document.write_text(path, self.text, force=force)

    def text(self) -> str:
        """The model as text; refuses a model that could not be loaded."""
        about = {name: kind.write(getattr(self, name)) for name, kind in ABOUT.items()}
        given = {name: getattr(self, name) for name in SOMETIMES}
        about |= {name: SOMETIMES[name].write(value) for name, value in given.items() if value is not None}
        text = document.text_of(FORMAT, self.made_by, records.written(self.rule) | about)
        Model.from_text(text.encode())
        return text

    def predict(self, table: Any) -> list[str]:
        """The label of every row of a table, a data frame or a mapping of columns; its columns are found by name.

        Rows that the rule leaves to people are labelled "ask a person".
        """
        if self.encoding is None:
            raise OptionError("the rule was learned from arrays: use model.estimator.predict(X)")
        classes = self.encoding.target.classes
        return [classes[k] if k >= 0 else ASK_A_PERSON for k in self.codes(self.seen(self.encoding, table)).tolist()]

    def codes(self, seen: Any) -> Array:
        """What is decided about rows as the rule sees them: the places of their classes, or UNDECIDED."""
        own = np.searchsorted(self.rule.classes_, self.rule.predict(seen))
        return own if self.decision is None else self.decision.codes(self.rule.scores(seen), own)

    def seen(self, encoding: "Encoding", table: Any, first_row: int = 0) -> Any:
        """The rows of a table as the rule sees them: features, or the columns of a tree."""
        return self.rule.see(encoding, table, first_row=first_row)

    @classmethod
    def load(cls, path: Path) -> "Model":
        """Read a model; raises ModelError, naming the file, if anything is wrong with it."""
        return document.load(path, cls.from_text)

    @classmethod
    def from_text(cls, data: bytes) -> "Model":
        """The model from its text in UTF-8."""
        return document.opened(data, (FORMAT,), lambda form, made_by, record: cls.from_record(record, made_by))

    @classmethod
    def from_record(cls, record: dict[str, Any], made_by: str) -> "Model":
        """The model from its record; raises ModelError if it is not one."""
        with np.errstate(all="ignore"):  # numbers that overflow are refused; no warning is needed
            kinds = ABOUT | {name: kind for name, kind in SOMETIMES.items() if name in record}
            given = fields(record, "the model", dict.fromkeys(records.PARTS, records.AS_IS) | kinds, NO_SHAPE)
            rule = records.restored({name: given[name] for name in records.PARTS})
            about = {name: given[name] for name in kinds} | {"certificates": tuple(given["certificates"])}
            return cls(rule, **about, made_by=made_by)._checked()

    def _checked(self) -> "Model":
        """The model, after checking that its parts fit together."""
        features, classes = self.rule.n_features_in_, len(self.rule.classes_)
        if self.encoding is not None:
            self.rule.check_encoding(self.encoding)
            if len(self.encoding.target.classes) != classes:
                many = len(self.encoding.target.classes)
                raise ModelError(f"the encoding's target has {many} classes, but the rule has {classes}")
            labels = self.rule.classes_
            if labels.dtype.kind not in "biu" or labels.tolist() != list(range(classes)):
                raise ModelError(f"the rule's labels must be the numbers of the target's classes, 0 to {classes - 1}")
        if self.data is not None and self.data["features"] != features:
            raise ModelError(f"the data had {self.data['features']} features, but the rule has {features}")
        if self.held_out is not None:
            judged.check(self.held_out, features, self.encoding)
        if self.decision is not None:
            target = None if self.encoding is None else self.encoding.target
            decision_schemas.check(self.decision, self.rule.classes_.tolist() if target is None else target.classes)
        if self.profile is not None:
            profiled.check(self.profile, self.encoding)
        return self


def save_model(
    estimator: Any,
    path: Path,
    *,
    encoding: "Encoding | None" = None,
    certificates: Any = (),
    data: dict[str, Any] | None = None,
    held_out: dict[str, Any] | None = None,
    decision: Decision | None = None,
    force: bool = False,
) -> None:
    """Write a fitted estimator to a file, completely or not at all.

    Parameters
    ----------
    estimator : estimator of this package
        `load_model` restores it to the last bit, without its ledger (use `ledger_.save` for that). Of a `DecisionRule`,
        its rule and its decision are saved; what showed the guarantee is not.
    path : path
        An existing file is overwritten only with force=True.
    encoding : Encoding or None
        How a table's columns become features.
    certificates : certificates
        Proofs about the data or the rule.
    data : dict or None
        `data_fingerprint(X, y)` of the training data.
    held_out : dict or None
        How the rule was judged: texts, numbers and lists.
    decision : Decision or None
        Its cut-offs and tables of probabilities; None: those of a `DecisionRule`.
    force : bool, default=False
        Whether to overwrite an existing file.

    Examples
    --------
    >>> import tempfile, os
    >>> from rosenblatt import Perceptron, load_model, save_model
    >>> rule = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(rule, os.path.join(folder, "and.json"))
    ...     load_model(os.path.join(folder, "and.json")).predict([[1, 1], [0, 1]]).tolist()
    ['yes', 'no']
    """
    rule, own = registry.parts_of(estimator)
    made = own if decision is None else decision
    Model(rule, encoding, tuple(certificates), data, held_out, decision=made).save(path, force=force)


# -- the data --------------------------------------------------------------------------------------------------


def data_fingerprint(X: Any, y: Any = None) -> dict[str, Any]:
    """The numbers of rows and features, and a SHA-256 of the values and the order of the labels.

    It does not depend on dense or sparse storage, on float32 or float64, or on the names of the classes, only on their
    order. `X` may be `Examples`, which include their labels.
    """
    if isinstance(X, Examples):
        return _fingerprint(X.rows, X.labels > 0)
    rows, y = rows_of(X), np.asarray(labelled(y))
    if y.shape != (n_rows(rows),):
        raise DataError(f"X has {n_rows(rows)} rows, but y has the shape {y.shape}; it needs one label per row")
    return _fingerprint(rows, np.searchsorted(classes_of(y), y))


def grid_fingerprint(table: Array, labels: Array) -> dict[str, Any]:
    """The fingerprint of the columns that a tree sees: table[column, row], NaN if missing."""
    return _fingerprint(Dense(table.T, 0.0, 0.0, 0, False), labels)


def _fingerprint(rows: Rows, numbers_of_labels: Array) -> dict[str, Any]:
    made = Fingerprint()
    made.add(rows, numbers_of_labels)
    return made.result()


class Fingerprint:
    """The fingerprint of rows that come in parts, in order."""

    def __init__(self) -> None:
        self.rows, self.features = 0, 0
        self._hashes = [sha256(), sha256(), sha256(), sha256()]

    def add(self, rows: Rows, numbers_of_labels: Array) -> None:
        """Add rows, and the numbers of their labels."""
        n = n_rows(rows)
        self.rows, self.features = self.rows + n, n_features(rows)
        step = max(int(NUMBERS_AT_ONCE * max(n, 1) / max(rows.values.size, 1)), 1)
        for begin in range(0, n, step):
            for part, numbers in zip(self._hashes, _entries(rows, begin, begin + step), strict=False):
                part.update(np.ascontiguousarray(numbers).data)
        self._hashes[3].update(numbers_of_labels.astype("<i8").tobytes())

    def result(self) -> dict[str, Any]:
        """The fingerprint of all rows so far."""
        text = f"{self.rows} {self.features} " + " ".join(part.hexdigest() for part in self._hashes)
        return {"rows": self.rows, "features": self.features, "sha256": sha256(text.encode()).hexdigest()}


def _entries(rows: Rows, begin: int, end: int) -> tuple[Array, Array, Array]:
    """The number of non-zero values in each of these rows, their columns, and the values."""
    if isinstance(rows, Dense):
        table = rows.values[begin:end]
        there = table != 0
        columns = np.broadcast_to(np.arange(table.shape[1], dtype="<u4"), table.shape)[there]
        return there.sum(axis=1, dtype="<u4"), columns, table[there].astype("<f8")
    starts = rows.starts[begin : end + 1].astype(np.int64)
    some = slice(starts[0], starts[-1])
    there = rows.values[some] != 0
    before = np.concatenate([[0], np.cumsum(there)])
    counts = np.diff(before[starts - starts[0]]).astype("<u4")
    return counts, rows.columns[some][there].astype("<u4"), rows.values[some][there].astype("<f8")
