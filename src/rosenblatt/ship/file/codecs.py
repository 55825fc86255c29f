"""The kinds of values that a model file holds: how each is written, and what is refused when it is read.

A kind has two functions: `write` makes plain lists, numbers and texts of a value; `read` gives the value back, of the
same type and to the last bit, or raises a ModelError that says where it stands and what is wrong with it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nextafter
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import CertificateError, DataError, ModelError
from rosenblatt.learn.choices import Reason
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.rows.door import is_sparse
from rosenblatt.rows.kernels import Array, Dense, Rows
from rosenblatt.rows.storage import LONGEST, n_rows, rows_of, some_rows, table_of
from rosenblatt.rules.schemes import one_or_all
from rosenblatt.visible import brief

LARGEST = float(np.finfo(np.float64).max)
COUNTABLE = 2**62  # counters stay below
TINY = 5e-324  # the least float above 0
MOST_FEATURES = 2**24  # where no list in the file has an entry for each of them
WIDEST = 2**10  # letters of a type for labels that are all shorter
MOST_LETTERS = 2**24  # of an array of labels, each as long as the longest
WHOLE_TYPES = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
FLOAT_TYPES = ("float16", "float32", "float64")


class Shape(NamedTuple):
    """What the lengths in a model follow from."""

    rules: int
    features: int
    bias: float
    joint: bool = False  # the rules were learned in one run

    @property
    def runs(self) -> int:
        """How many runs the rules were learned in."""
        return 1 if self.joint else self.rules

    @property
    def size(self) -> int:
        """The entries of a weight vector: the features, then the threshold's."""
        return self.features + 1


NOWHERE = Shape(0, 0, 0.0)  # what lengths follow from where none do


@dataclass(frozen=True)
class Kind:
    """How a value is written and read; `read` is told where it stands."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str, Shape], Any]


def refusal(where: str, wanted: str, value: Any) -> ModelError:
    """What to raise for a value that does not fit."""
    return ModelError(f"{where} must be {wanted}, not {brief(value)}")


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def plainly(value: Any) -> Any:
    """The same of all that is in lists, tuples and dicts."""
    if isinstance(value, Mapping):
        return {str(key): plainly(item) for key, item in value.items()}
    return [plainly(item) for item in value] if isinstance(value, list | tuple) else plain(value)


# -- single values ---------------------------------------------------------------------------------------------

WORDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    str: "a text",
    type(None): "null",
}


def at_least(low: float) -> str:
    """A lower end in words; the least float above 0 stands for all that are."""
    return " above 0" if low == TINY else f" of at least {low:g}"


def scalar(*types: type, low: float = -LARGEST, high: float = LARGEST) -> Kind:
    """A value of one of these types, exactly; a number from `low` to `high`."""
    words = [WORDS[kind] for kind in types if kind is not type(None)]
    if {int, float} <= set(types):
        words = ["a number", *(word for word in words if word not in (WORDS[int], WORDS[float]))]
    if low > -LARGEST:
        words[0] += f" from {low:g} to {high:g}" if high not in (LARGEST, COUNTABLE) else at_least(low)
    wanted = " or ".join(words) + (", or null" if type(None) in types else "")

    def read(value: Any, where: str, shape: Shape) -> Any:
        if type(value) not in types or (type(value) in (int, float) and not low <= value <= high):
            raise refusal(where, wanted, value)
        return value

    return Kind(plain, read)


FLAG = Kind(bool, scalar(bool).read)
COUNT = scalar(int, low=0, high=COUNTABLE)
PLACE = scalar(int, low=-1, high=COUNTABLE)
REAL = scalar(float)
SIZE = scalar(float, low=0.0)
BIAS = scalar(float, low=0.0, high=nextafter(LONGEST, 0.0))
TEXT = scalar(str)
NUMBER = scalar(int, float)
LABEL = scalar(bool, int, float, str)


def choice(*names: str) -> Kind:
    """One of these texts."""

    def read(value: Any, where: str, shape: Shape) -> str:
        if type(value) is not str or value not in names:
            raise refusal(where, f"one of {', '.join(names)}", value)
        return value

    return Kind(lambda value: str(value) if isinstance(value, str) else value, read)


def or_null(kind: Kind) -> Kind:
    """A value of this kind, or none."""

    def read(value: Any, where: str, shape: Shape) -> Any:
        return None if value is None else kind.read(value, where, shape)

    return Kind(lambda value: None if value is None else kind.write(value), read)


REASON = Kind(
    lambda reason: reason.name,
    lambda name, where, shape: Reason[choice(*Reason.__members__).read(name, where, shape)],
)


def _certificate(value: Any, where: str, shape: Shape) -> Certificate:
    try:
        found = Certificate.from_json(json.dumps(value))
    except CertificateError as error:
        raise ModelError(f"{where}: {error}") from None
    if found.as_record() != value:
        raise ModelError(f"{where}: its fingerprint or its numbers are not as a certificate writes them")
    return found


CERTIFICATE = Kind(lambda certificate: certificate.as_record(), _certificate)


# -- lists and groups ------------------------------------------------------------------------------------------


def items(value: Any, where: str, many: int | None = None) -> list[Any]:
    """A list, of so many items."""
    if type(value) is not list:
        raise refusal(where, "a list", value)
    if many is not None and len(value) != many:
        raise ModelError(f"{where} must have {many} entries, not {len(value)}")
    return value


def listed(kind: Kind, many: Callable[[Shape], int] | None = None) -> Kind:
    """A list of values of this kind, and of this length."""

    def read(value: Any, where: str, shape: Shape) -> list[Any]:
        given = items(value, where, many(shape) if many else None)
        return [kind.read(item, f"{where}[{k}]", shape) for k, item in enumerate(given)]

    return Kind(lambda values: [kind.write(value) for value in values], read)


def each_rule(kind: Kind) -> Kind:
    """A list with a value for each rule."""
    return listed(kind, lambda shape: shape.rules)


def per_rule(kind: Kind) -> Kind:
    """The same for each run, of an attribute that is a list only where there are several."""
    every = listed(kind, lambda shape: shape.runs)
    return Kind(
        lambda value: every.write(value if isinstance(value, list) else [value]),
        lambda value, where, shape: one_or_all(every.read(value, where, shape)),
    )


def fields(value: Any, where: str, kinds: Mapping[str, Kind], shape: Shape) -> dict[str, Any]:
    """An object that has exactly these fields, each read by its kind."""
    if type(value) is not dict:
        raise refusal(where, "an object", value)
    if value.keys() != kinds.keys():
        missing, odd = [name for name in kinds if name not in value], [name for name in value if name not in kinds]
        told = f"lacks {', '.join(missing)}" if missing else f"has the unknown field {brief(odd[0])}"
        raise ModelError(f"{where} {told}")
    return {name: kind.read(value[name], f"{where}.{name}", shape) for name, kind in kinds.items()}


def group(make: Callable[..., Any], **kinds: Kind) -> Kind:
    """An object with an attribute for each of these fields; `make` gets the shape and the fields."""
    return Kind(
        lambda value: {name: kind.write(getattr(value, name)) for name, kind in kinds.items()},
        lambda value, where, shape: make(shape, **fields(value, where, kinds, shape)),
    )


# -- arrays ----------------------------------------------------------------------------------------------------


def reals(value: Any, where: str, many: int | None = None) -> Array:
    """An array of finite numbers."""
    if not {float}.issuperset(map(type, items(value, where, many))):
        odd = next(k for k, item in enumerate(value) if type(item) is not float)
        raise refusal(f"{where}[{odd}]", "a number with a decimal point", value[odd])
    found = np.array(value, np.float64)
    if not np.isfinite(found).all():
        raise ModelError(f"{where}[{int(np.argmin(np.isfinite(found)))}] is not a finite number")
    return found


def wholes(value: Any, where: str, many: int | None = None) -> Array:
    """An array of whole numbers that count something."""
    for k, item in enumerate(items(value, where, many)):
        if type(item) is not int or not 0 <= item < COUNTABLE:
            raise refusal(f"{where}[{k}]", "a whole number from 0 on", item)
    return np.array(value, np.int64)


REALS = Kind(np.ndarray.tolist, lambda value, where, shape: reals(value, where))
WHOLES = Kind(np.ndarray.tolist, lambda value, where, shape: wholes(value, where))
VECTOR = Kind(np.ndarray.tolist, lambda value, where, shape: reals(value, where, shape.size))
VECTORS = Kind(np.ndarray.tolist, lambda value, where, shape: np.stack(each_rule(VECTOR).read(value, where, shape)))


def _rows_written(rows: Rows) -> dict[str, Any]:
    numbers, table = rows.values.dtype.name, table_of(rows)
    if isinstance(rows, Dense):
        return {"storage": "dense", "numbers": numbers, "values": table.tolist()}
    cuts = table.indptr[1:-1]
    columns, values = (
        [part.tolist() for part in np.split(array, cuts)][: n_rows(rows)] for array in (table.indices, table.data)
    )
    return {"storage": "sparse", "numbers": numbers, "columns": columns, "values": values}


def _rows_read(record: Any, where: str, shape: Shape) -> Rows:
    sparse = type(record) is dict and record.get("storage") == "sparse"
    kinds = {"storage": choice("dense", "sparse"), "numbers": choice("float32", "float64"), "values": listed(REALS)}
    given = fields(record, where, kinds | ({"columns": listed(WHOLES)} if sparse else {}), shape)
    each, n = given["values"], len(given["values"])
    if (sparse or not n) and shape.features > MOST_FEATURES:
        raise ModelError(f"{where}: a file may have {MOST_FEATURES} features here, not {shape.features}")
    joined = np.concatenate([np.empty(0), *each])
    values = joined.astype(given["numbers"])
    if (values != joined).any():
        raise ModelError(f"{where}: a number does not fit {given['numbers']}")
    if sparse:
        starts, columns = _columns_read(given["columns"], each, where, shape)
        return _measured(scipy.sparse.csr_array((values, columns, starts), (n, shape.features)), where, shape)
    for k, row in enumerate(each):
        if row.size != shape.features:
            raise ModelError(f"{where}.values[{k}] must have {shape.features} entries, not {row.size}")
    return _measured(values.reshape(n, shape.features), where, shape)


def _columns_read(columns: list[Array], values: list[Array], where: str, shape: Shape) -> tuple[Array, Array]:
    """Where the rows of a sparse table begin, and all columns, one after the other."""
    if [places.size for places in columns] != [row.size for row in values]:
        raise ModelError(f"{where}: there must be as many columns as values in each row")
    for k, places in enumerate(columns):
        if places.size and not ((np.diff(places) > 0).all() and places[-1] < shape.features):
            raise ModelError(f"{where}.columns[{k}] must rise and stay below {shape.features}")
    starts = np.cumsum([0, *(places.size for places in columns)], dtype=np.int32)
    return starts, np.concatenate([np.empty(0, np.int32), *columns]).astype(np.int32)


def _measured(table: Any, where: str, shape: Shape) -> Rows:
    """Rows of a table, which may have none."""
    if not table.shape[0]:
        of_zeros = scipy.sparse.csr_array if is_sparse(table) else np.zeros
        blank = of_zeros((1, shape.features if is_sparse(table) else 1), dtype=table.dtype)
        none = some_rows(rows_of(blank), np.empty(0, np.int64))
        return none if is_sparse(table) else none._replace(values=table, terms=shape.size)
    try:
        return rows_of(table, bias=shape.bias)
    except DataError as error:
        raise ModelError(f"{where}: {error}") from None


ROWS = Kind(_rows_written, _rows_read)


# -- labels ----------------------------------------------------------------------------------------------------


def _labels_written(labels: Array) -> dict[str, Any]:
    kind = labels.dtype.kind
    name = f"text{labels.dtype.itemsize // 4}" if kind == "U" else "any" if kind == "O" else labels.dtype.name
    return {"type": name, "labels": [plain(label) for label in labels.tolist()]}


def _labels_read(record: Any, where: str, shape: Shape) -> Array:
    given = fields(record, where, {"type": TEXT, "labels": listed(LABEL)}, shape)
    name, labels = given["type"], given["labels"]
    if name == "any":
        anything = np.empty(len(labels), object)
        anything[:] = labels
        return anything
    found = _text_array(name, labels) if name.startswith("text") else _number_array(name, labels)
    if found is None or [plain(label) for label in found.tolist()] != labels:
        raise ModelError(f"{where}: the labels are not of the type {brief(name)}, or there is no such type")
    return found


def _text_array(name: str, labels: list[Any]) -> Array | None:
    width = name.removeprefix("text")
    if not (width.isascii() and width.isdigit() and len(width) < 9) or set(map(type, labels)) != {str}:
        return None
    longest = max(WIDEST, *map(len, labels))  # every label that is predicted is as wide as the type says
    fits = int(width) <= longest and int(width) * len(labels) <= MOST_LETTERS
    return np.array(labels, f"U{width}") if fits else None


def _number_array(name: str, labels: list[Any]) -> Array | None:
    kind = bool if name == "bool" else int if name in WHOLE_TYPES else float if name in FLOAT_TYPES else None
    if kind is None or set(map(type, labels)) != {kind}:
        return None
    if kind is int and not np.iinfo(name).min <= min(labels) <= max(labels) <= np.iinfo(name).max:
        return None
    return np.array(labels, name)


LABELS = Kind(_labels_written, _labels_read)
