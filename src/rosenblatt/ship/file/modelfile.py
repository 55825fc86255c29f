"""The model file: a rule with all that is needed to use it, to go on with it and to check it, as canonical JSON.

Problem   a rule that another process, another year or another language can use, from a file that nobody need trust.
Input     a fitted estimator; what its columns mean, what was proved, what it was learned from, how well it did.
Result    a text of one form only, protected by its SHA-256; loading gives the estimator back to the last bit.

Loading executes nothing and follows no name in the file: every field is read by a table (`states`, `options`), and
what is not in the table, too long, too short or of another type is refused. The format is described in
docs/modelfile.md.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import registry
from rosenblatt.errors import DataError, ModelError, OptionError
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.rows.door import labelled
from rosenblatt.rows.examples import Examples, classes_of
from rosenblatt.rows.kernels import Array, Dense, Rows
from rosenblatt.rows.storage import n_features, n_rows, rows_of
from rosenblatt.ship.file import document, judged, records
from rosenblatt.ship.file.atomic import Path
from rosenblatt.ship.file.codecs import CERTIFICATE, COUNT, NOWHERE, Kind, Shape, fields, listed, or_null, plainly
from rosenblatt.version import __version__
from rosenblatt.visible import brief

if TYPE_CHECKING:
    from rosenblatt.read.encode.encoding import Encoding

FORMAT = "rosenblatt model"
NUMBERS_AT_ONCE = 2**20
HASH = Kind(str, lambda value, where, shape: _hash(value, where))


def _hash(value: Any, where: str) -> str:
    if type(value) is not str or len(value) != 64 or not set(value) <= set("0123456789abcdef"):
        raise ModelError(f"{where} must be 64 hexadecimal digits, not {brief(value)}")
    return value


def _encoding(value: Any, where: str, shape: Shape) -> "Encoding":
    from rosenblatt.read.encode.encoding import Encoding  # with Polars, which models learned from arrays do not need

    return Encoding.from_record(value)


FINGERPRINT = {"rows": COUNT, "features": COUNT, "sha256": HASH}
ABOUT = {
    "encoding": or_null(Kind(lambda encoding: encoding.as_record(), _encoding)),
    "data": or_null(Kind(plainly, lambda value, where, shape: fields(value, where, FINGERPRINT, shape))),
    "held_out": or_null(Kind(plainly, judged.told)),
    "certificates": listed(CERTIFICATE),
}


@dataclass(frozen=True, eq=False)
class Model:
    """A rule, and what is known about it.

    `rule` is a fitted estimator, or the same without scikit-learn; `estimator` is always an estimator. `encoding` is
    what the columns of a table mean to it (None: it was learned from arrays), `data` the fingerprint of what it was
    learned from, `held_out` what was measured on other rows, `made_by` the version that learned it.
    """

    rule: Any
    encoding: "Encoding | None" = None
    certificates: tuple[Certificate, ...] = ()
    data: dict[str, Any] | None = None
    held_out: dict[str, Any] | None = None
    made_by: str = __version__

    @cached_property
    def estimator(self) -> Any:
        """The rule as a fitted estimator of scikit-learn."""
        return registry.estimator_of(self.rule)

    @property
    def table_encoding(self) -> "Encoding":
        """What the columns of a table mean to the rule; refuses a rule that was learned from arrays."""
        if self.encoding is None:
            raise OptionError("the rule was learned from arrays, and the model does not know what their columns mean")
        return self.encoding

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write the model, whole or not at all; a file that exists is overwritten only with `force`."""
        document.write_text(path, self.text, force=force)

    def text(self) -> str:
        """The model as text; what could not be loaded is refused."""
        about = {name: kind.write(getattr(self, name)) for name, kind in ABOUT.items()}
        text = document.text_of(FORMAT, self.made_by, records.written(self.rule) | about)
        Model.from_text(text.encode())
        return text

    def predict(self, table: Any) -> list[str]:
        """The label of every row of a table, a data frame or a mapping of columns; its columns are found by name."""
        if self.encoding is None:
            raise OptionError("the rule was learned from arrays: ask model.estimator.predict(X)")
        return [self.encoding.target.classes[k] for k in self.rule.predict(self.seen(self.encoding, table))]

    def seen(self, encoding: "Encoding", table: Any, first_row: int = 0) -> Any:
        """The rows of a table as the rule sees them: features, or the columns of a tree."""
        return self.rule.see(encoding, table, first_row=first_row)

    @classmethod
    def load(cls, path: Path) -> "Model":
        """Read a model; anything wrong with the file is a ModelError that names it."""
        return document.load(path, cls.from_text)

    @classmethod
    def from_text(cls, data: bytes) -> "Model":
        """The model of a text in UTF-8."""
        return document.opened(data, (FORMAT,), lambda form, made_by, record: cls.from_record(record, made_by))

    @classmethod
    def from_record(cls, record: dict[str, Any], made_by: str) -> "Model":
        """The model of what is in a document; raises ModelError for anything that is not one."""
        with np.errstate(all="ignore"):  # numbers that overflow are refused, without a warning
            given = fields(record, "the model", dict.fromkeys(records.PARTS, records.AS_IS) | ABOUT, NOWHERE)
            rule = records.restored({name: given[name] for name in records.PARTS})
            about = {name: given[name] for name in ABOUT} | {"certificates": tuple(given["certificates"])}
            return cls(rule, **about, made_by=made_by)._checked()

    def _checked(self) -> "Model":
        """This model, if its parts fit together."""
        features, classes = self.rule.n_features_in_, len(self.rule.classes_)
        if self.encoding is not None:
            self.rule.check_encoding(self.encoding)
            if len(self.encoding.target.classes) != classes:
                many = len(self.encoding.target.classes)
                raise ModelError(f"the encoding's target has {many} classes, but the rule has {classes}")
            labels = self.rule.classes_
            if labels.dtype.kind not in "biu" or labels.tolist() != list(range(classes)):
                raise ModelError(f"the rule's labels must be the places of the target's classes, 0 to {classes - 1}")
        if self.data is not None and self.data["features"] != features:
            raise ModelError(f"the data had {self.data['features']} features, but the rule has {features}")
        if self.held_out is not None:
            judged.check(self.held_out, features, self.encoding)
        return self


def save_model(
    estimator: Any,
    path: Path,
    *,
    encoding: "Encoding | None" = None,
    certificates: Any = (),
    data: dict[str, Any] | None = None,
    held_out: dict[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write a fitted estimator to a file, whole or not at all.

    Parameters
    ----------
    estimator : estimator of this package
        What `load_model` gives back, to the last bit; its ledger is not kept (`ledger_.save` keeps it).
    path : path
        An existing file is overwritten only with force=True.
    encoding : Encoding or None
        What the columns of a table mean to the rule.
    certificates : certificates
        What was proved about the data or the rule.
    data : dict or None
        `data_fingerprint(X, y)` of what it was learned from.
    held_out : dict or None
        What was measured on other rows: texts, numbers and lists.
    force : bool, default=False
        Whether to overwrite a file.

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
    Model(estimator, encoding, tuple(certificates), data, held_out).save(path, force=force)


# -- the data --------------------------------------------------------------------------------------------------


def data_fingerprint(X: Any, y: Any = None) -> dict[str, Any]:
    """How many rows and features there are, and a SHA-256 of the numbers and the order of the labels.

    It is the same for dense and sparse tables, for float32 and float64, and for other names of the classes in the same
    order. `X` may be `Examples`, which have their labels.
    """
    if isinstance(X, Examples):
        return _fingerprint(X.rows, X.labels > 0)
    rows, y = rows_of(X), np.asarray(labelled(y))
    if y.shape != (n_rows(rows),):
        raise DataError(f"X has {n_rows(rows)} rows but y is of shape {y.shape}: it needs one label per row")
    return _fingerprint(rows, np.searchsorted(classes_of(y), y))


def grid_fingerprint(table: Array, labels: Array) -> dict[str, Any]:
    """The same of the columns that a tree sees, table[column, row] with NaN for what is missing."""
    return _fingerprint(Dense(table.T, 0.0, 0.0, 0, False), labels)


def _fingerprint(rows: Rows, numbers_of_labels: Array) -> dict[str, Any]:
    labels = numbers_of_labels.astype("<i8")
    shape = {"rows": n_rows(rows), "features": n_features(rows)}
    hashes = [sha256(), sha256(), sha256(), sha256(labels.tobytes())]
    step = max(int(NUMBERS_AT_ONCE * max(n_rows(rows), 1) / max(rows.values.size, 1)), 1)
    for begin in range(0, shape["rows"], step):
        for part, numbers in zip(hashes, _entries(rows, begin, begin + step), strict=False):
            part.update(np.ascontiguousarray(numbers).data)
    text = f"{shape['rows']} {shape['features']} " + " ".join(part.hexdigest() for part in hashes)
    return {**shape, "sha256": sha256(text.encode()).hexdigest()}


def _entries(rows: Rows, begin: int, end: int) -> tuple[Array, Array, Array]:
    """How many numbers of these rows are not zero, where they are, and what they are."""
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
