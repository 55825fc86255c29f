"""Codecs for the values in a model file: how each is written, and what is refused when it is read.

A codec has two functions: `write` turns a value into plain lists, numbers and texts; `read` restores the value with the
same type and to the last bit, or raises a ModelError that names its place in the file and what is wrong with it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nextafter
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.errors import CertificateError, DataError, ModelError, OptionError
from rosenblatt.learn.choices import Reason
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.rows.door import is_sparse
from rosenblatt.rows.kernels import Array, Dense, Rows
from rosenblatt.rows.storage import LONGEST, n_rows, rows_of, some_rows, table_of
from rosenblatt.rules.schemes import one_or_all
from rosenblatt.visible import brief

LARGEST = float(np.finfo(np.float64).max)
COUNTABLE = 2**62  # an upper bound on counters
TINY = 5e-324  # the least float above 0
MOST_FEATURES = 2**24  # if no list in the file has an entry for each
WIDEST = 2**10  # characters in the type of labels that are all shorter
MOST_LETTERS = 2**24  # characters in an array of labels, each as wide as the longest
WHOLE_TYPES = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
FLOAT_TYPES = ("float16", "float32", "float64")


class Shape(NamedTuple):
    """The sizes that determine the lengths of the lists in a model."""

    rules: int
    features: int
    bias: float
    joint: bool = False  # whether the rules were learned in one run

    @property
    def runs(self) -> int:
        """The number of runs in which the rules were learned."""
        return 1 if self.joint else self.rules

    @property
    def size(self) -> int:
        """The length of a weight vector: the features and the threshold."""
        return self.features + 1


NO_SHAPE = Shape(0, 0, 0.0)  # for values without such lists


@dataclass(frozen=True)
class Codec:
    """How a value is written and read; `read` gets its place in the file, for messages."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str, Shape], Any]


def refusal(where: str, wanted: str, value: Any) -> ModelError:
    """The error for a value that does not fit."""
    return ModelError(f"{where} must be {wanted}, not {brief(value)}")


def plain(value: Any) -> Any:
    """A NumPy scalar as a Python value."""
    return value.item() if isinstance(value, np.generic) else value


def plainly(value: Any) -> Any:
    """Lists, tuples and dicts with all NumPy scalars as Python values."""
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
    """A lower bound in words; the smallest float above 0 means any number above 0."""
    return " above 0" if low == TINY else f" of at least {low:g}"


def scalar(*types: type, low: float = -LARGEST, high: float = LARGEST) -> Codec:
    """A value of exactly one of these types; numbers from `low` to `high`."""
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

    return Codec(plain, read)


FLAG = Codec(bool, scalar(bool).read)
COUNT = scalar(int, low=0, high=COUNTABLE)
PLACE = scalar(int, low=-1, high=COUNTABLE)
REAL = scalar(float)
SIZE = scalar(float, low=0.0)
BIAS = scalar(float, low=0.0, high=nextafter(LONGEST, 0.0))
TEXT = scalar(str)
NUMBER = scalar(int, float)
LABEL = scalar(bool, int, float, str)


def choice(*names: str) -> Codec:
    """One of these texts."""

    def read(value: Any, where: str, shape: Shape) -> str:
        if type(value) is not str or value not in names:
            raise refusal(where, f"one of {', '.join(names)}", value)
        return value

    return Codec(lambda value: str(value) if isinstance(value, str) else value, read)


def or_null(kind: Codec) -> Codec:
    """A value of this kind, or null."""

    def read(value: Any, where: str, shape: Shape) -> Any:
        return None if value is None else kind.read(value, where, shape)

    return Codec(lambda value: None if value is None else kind.write(value), read)


REASON = Codec(
    lambda reason: reason.name,
    lambda name, where, shape: Reason[choice(*Reason.__members__).read(name, where, shape)],
)


def _certificate(value: Any, where: str, shape: Shape) -> Certificate:
    try:
        found = Certificate.from_json(json.dumps(value))
    except CertificateError as error:
        raise ModelError(f"{where}: {error}") from None
    if found.as_record() != value:
        raise ModelError(f"{where}: its fingerprint or its numbers are not in the canonical form")
    return found


CERTIFICATE = Codec(lambda certificate: certificate.as_record(), _certificate)


# -- lists and groups ------------------------------------------------------------------------------------------


def items(value: Any, where: str, many: int | None = None) -> list[Any]:
    """A list, of `many` items if given."""
    if type(value) is not list:
        raise refusal(where, "a list", value)
    if many is not None and len(value) != many:
        raise ModelError(f"{where} must have {many} entries, not {len(value)}")
    return value


def listed(kind: Codec, many: Callable[[Shape], int] | None = None) -> Codec:
    """A list of values of this kind, with this length."""

    def read(value: Any, where: str, shape: Shape) -> list[Any]:
        given = items(value, where, many(shape) if many else None)
        return [kind.read(item, f"{where}[{k}]", shape) for k, item in enumerate(given)]

    return Codec(lambda values: [kind.write(value) for value in values], read)


def each_rule(kind: Codec) -> Codec:
    """A list with a value for each rule."""
    return listed(kind, lambda shape: shape.rules)


def per_rule(kind: Codec) -> Codec:
    """A list with a value for each run, for an attribute that is a list only if there are several runs."""
    every = listed(kind, lambda shape: shape.runs)
    return Codec(
        lambda value: every.write(value if isinstance(value, list) else [value]),
        lambda value, where, shape: one_or_all(every.read(value, where, shape)),
    )


def fields(value: Any, where: str, kinds: Mapping[str, Codec], shape: Shape) -> dict[str, Any]:
    """An object with exactly these fields, each read by its codec."""
    if type(value) is not dict:
        raise refusal(where, "an object", value)
    if value.keys() != kinds.keys():
        missing, odd = [name for name in kinds if name not in value], [name for name in value if name not in kinds]
        problem = f"lacks {', '.join(missing)}" if missing else f"has the unknown field {brief(odd[0])}"
        raise ModelError(f"{where} {problem}")
    return {name: kind.read(value[name], f"{where}.{name}", shape) for name, kind in kinds.items()}


def group(make: Callable[..., Any], **kinds: Codec) -> Codec:
    """An object with an attribute for each of these fields; `make` is called with the shape and the fields."""
    return Codec(
        lambda value: {name: kind.write(getattr(value, name)) for name, kind in kinds.items()},
        lambda value, where, shape: make(shape, **fields(value, where, kinds, shape)),
    )


def value_of(make: Callable[..., Any], **kinds: Codec) -> Codec:
    """An object with these fields, for a value that `make` makes of them or refuses."""

    def read(value: Any, where: str, shape: Shape) -> Any:
        given = fields(value, where, kinds, shape)
        try:
            return make(**given)
        except (DataError, OptionError) as error:
            raise ModelError(f"{where}: {error}") from None

    return Codec(lambda value: {name: kind.write(getattr(value, name)) for name, kind in kinds.items()}, read)


def one_of(kinds: Mapping[str, tuple[type, Codec]]) -> Codec:
    """A value of one of several types; the field `kind` says which."""

    def write(value: Any) -> dict[str, Any]:
        name, kind = next((name, kind) for name, (made, kind) in kinds.items() if type(value) is made)
        return {"kind": name, **kind.write(value)}

    def read(value: Any, where: str, shape: Shape) -> Any:
        if type(value) is not dict:
            raise refusal(where, "an object", value)
        name = choice(*kinds).read(value.get("kind"), f"{where}.kind", shape)
        return kinds[name][1].read({key: part for key, part in value.items() if key != "kind"}, where, shape)

    return Codec(write, read)


def tuple_of(kind: Codec) -> Codec:
    """A tuple of values of this kind."""
    each = listed(kind)
    return Codec(each.write, lambda value, where, shape: tuple(each.read(value, where, shape)))


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
    """An array of counts: whole numbers from 0."""
    for k, item in enumerate(items(value, where, many)):
        if type(item) is not int or not 0 <= item < COUNTABLE:
            raise refusal(f"{where}[{k}]", "a whole number of at least 0", item)
    return np.array(value, np.int64)


REAL_TUPLE = Codec(list, lambda value, where, shape: tuple(reals(value, where).tolist()))
REALS = Codec(np.ndarray.tolist, lambda value, where, shape: reals(value, where))
WHOLES = Codec(np.ndarray.tolist, lambda value, where, shape: wholes(value, where))
VECTOR = Codec(np.ndarray.tolist, lambda value, where, shape: reals(value, where, shape.size))
VECTORS = Codec(np.ndarray.tolist, lambda value, where, shape: np.stack(each_rule(VECTOR).read(value, where, shape)))


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
    """The start of each row of a sparse table, and the columns of all entries."""
    if [places.size for places in columns] != [row.size for row in values]:
        raise ModelError(f"{where}: each row must have as many columns as values")
    for k, places in enumerate(columns):
        if places.size and not ((np.diff(places) > 0).all() and places[-1] < shape.features):
            raise ModelError(f"{where}.columns[{k}] must rise and stay below {shape.features}")
    starts = np.cumsum([0, *(places.size for places in columns)], dtype=np.int32)
    return starts, np.concatenate([np.empty(0, np.int32), *columns]).astype(np.int32)


def _measured(table: Any, where: str, shape: Shape) -> Rows:
    """The rows of a table, which may be empty."""
    if not table.shape[0]:
        of_zeros = scipy.sparse.csr_array if is_sparse(table) else np.zeros
        blank = of_zeros((1, shape.features if is_sparse(table) else 1), dtype=table.dtype)
        none = some_rows(rows_of(blank), np.empty(0, np.int64))
        return none if is_sparse(table) else none._replace(values=table, terms=shape.size)
    try:
        return rows_of(table, bias=shape.bias)
    except DataError as error:
        raise ModelError(f"{where}: {error}") from None


ROWS = Codec(_rows_written, _rows_read)


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
        raise ModelError(f"{where}: the labels do not have the type {brief(name)}, or it does not exist")
    return found


def _text_array(name: str, labels: list[Any]) -> Array | None:
    width = name.removeprefix("text")
    if not (width.isascii() and width.isdigit() and len(width) < 9) or set(map(type, labels)) != {str}:
        return None
    longest = max(WIDEST, *map(len, labels))  # every predicted label is as wide as its type
    fits = int(width) <= longest and int(width) * len(labels) <= MOST_LETTERS
    return np.array(labels, f"U{width}") if fits else None


def _number_array(name: str, labels: list[Any]) -> Array | None:
    kind = bool if name == "bool" else int if name in WHOLE_TYPES else float if name in FLOAT_TYPES else None
    if kind is None or set(map(type, labels)) != {kind}:
        return None
    if kind is int and not np.iinfo(name).min <= min(labels) <= max(labels) <= np.iinfo(name).max:
        return None
    return np.array(labels, name)


LABELS = Codec(_labels_written, _labels_read)
