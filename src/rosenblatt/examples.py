"""Examples: labelled rows, checked once.

The only place that knows about labels, weights, the threshold's constant feature, row lengths and the radius.
Dense tables in C order and CSR matrices are used where they lie, without a copy; float32 and float64 are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt import kernels, options
from rosenblatt.compiling import briefly
from rosenblatt.door import admitted, cell_without_number, labelled, names_of, refuse_dates, unmasked
from rosenblatt.errors import DataError, OptionError
from rosenblatt.kernels import Array, Csr, Dense, Rows, fixed_rows
from rosenblatt.threads import in_pieces

LONGEST = kernels.HUGE
SQUARES = (1e-280, 1e300)  # outside, a sum of squares may have lost something to underflow or overflow
NO_WEIGHTS = np.empty(0)
MOST_COPIES = 2**24  # of one row of a stream: they are looked at one after the other


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows with labels -1 and +1, and a weight each (an empty array: 1 each)."""

    rows: Rows
    labels: Array
    weights: Array = field(default_factory=lambda: NO_WEIGHTS)
    classes: tuple[Any, Any] = (-1, 1)  # what the labels -1 and +1 stand for

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        weights: Any = None,
        fit_intercept: bool = True,
        bias_scale: float = 1.0,
        normalize: bool = False,
    ) -> "Examples":
        """Check a table X and its labels y, any two values, the greater of which becomes +1."""
        rows = rows_of(X, bias=bias_of(fit_intercept, bias_scale))
        labels, classes = signs_of(y)
        if labels.size != n_rows(rows):
            raise DataError(f"X has {n_rows(rows)} rows but y has {labels.size} labels")
        rows = unit_rows(rows) if normalize else rows
        return cls(rows, labels, weights_of(weights, labels.size), classes).with_both_classes()

    def with_both_classes(self) -> "Examples":
        """These examples, if each class has a row that counts."""
        for label in (-1, 1):
            rows = self.labels == label
            if not (self.weights[rows].any() if self.weights.size else rows.any()):
                what = "the weights of all rows are zero for" if rows.any() else "there is no row of"
                raise DataError(f"{what} class {shown(self.classes[label > 0])}; a rule needs rows of both classes")
        return self

    @property
    def only_label(self) -> int:
        """The label of all rows that count, if they have the same; else 0. Where no row counts, it is -1."""
        labels = self.labels[self.weights > 0] if self.weights.size else self.labels
        if not labels.size:
            return -1
        return int(labels[0]) if (labels == labels[0]).all() else 0

    @property
    def lacks_a_class(self) -> bool:
        """Whether there is a class of which no row counts."""
        return self.only_label != 0

    @property
    def n(self) -> int:
        """How many rows there are."""
        return n_rows(self.rows)

    @property
    def size(self) -> int:
        """How many entries a weight vector has: the features, then the threshold's constant feature."""
        return n_features(self.rows) + 1

    @cached_property
    def radius(self) -> float:
        """R: the length of the longest row that counts, the constant feature included."""
        return self.rows.radius if self.weights.all() else float(self.lengths[self.weights > 0].max(initial=0.0))

    @cached_property
    def lengths(self) -> Array:
        """The length of every row, the constant feature included."""
        return lengths_of(self.rows)

    @cached_property
    def copies_before(self) -> Array:
        """A row of weight k stands for ceil(k) copies; how many there are before each row, and in all."""
        copies = np.ceil(self.weights) if self.weights.size else np.ones(self.n)
        return np.concatenate([[0], np.cumsum(copies.astype(np.int64))])

    @property
    def n_copies(self) -> int:
        """How many copies of rows there are in all: n, when every weight is 1."""
        return int(self.copies_before[-1]) if self.weights.size else self.n

    @property
    def counted(self) -> tuple[Array, Array]:
        """The rows that count, in order, and how many copies of each there are (empty: one each)."""
        rows = np.flatnonzero(self.weights) if self.weights.size else np.arange(self.n)
        return rows, self.weights[rows] if self.weights.size else self.weights

    @property
    def first_row(self) -> int:
        """The first row that counts."""
        return int(np.argmax(self.weights > 0)) if self.weights.size else 0


def n_rows(rows: Rows) -> int:
    """How many rows there are."""
    return len(rows.values) if isinstance(rows, Dense) else len(rows.starts) - 1


def n_features(rows: Rows) -> int:
    """How many features a row has, the threshold's constant not counted."""
    return int(rows.values.shape[1]) if isinstance(rows, Dense) else rows.features


def table_of(rows: Rows) -> Any:
    """The features as an array or as a SciPy matrix."""
    if isinstance(rows, Dense):
        return rows.values
    columns = rows.columns.view(rows.columns.dtype.str.replace("u", "i"))
    if max(rows.values.size, rows.features) < 2**31:  # what others compile for
        columns = columns.astype(np.int32, copy=False)
    starts = rows.starts.astype(columns.dtype)
    return scipy.sparse.csr_array((rows.values, columns, starts), shape=(n_rows(rows), rows.features))


def some_rows(rows: Rows, chosen: Array) -> Rows:
    """A copy of these rows."""
    if isinstance(rows, Dense):
        return fixed_rows(rows._replace(values=rows.values[chosen]))
    begins, ends = rows.starts[chosen].astype(np.int64), rows.starts[chosen + 1].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(ends - begins)])
    places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], ends - begins)
    columns, starts = rows.columns[places], starts.astype(np.uint64)
    return fixed_rows(rows._replace(values=rows.values[places], columns=columns, starts=starts))


def joined_rows(a: Rows, b: Rows) -> Rows:
    """Rows of a, then those of b, which are stored in the same way."""
    known: Any = {"radius": max(a.radius, b.radius), "terms": max(a.terms, b.terms), "whole": a.whole and b.whole}
    values = np.concatenate([a.values, b.values])
    if isinstance(a, Dense) or isinstance(b, Dense):
        return fixed_rows(a._replace(values=values, **known))
    columns, starts = np.concatenate([a.columns, b.columns]), np.concatenate([a.starts, b.starts[1:] + a.starts[-1]])
    return fixed_rows(a._replace(values=values, columns=columns, starts=starts, **known))


def narrowed(examples: Examples) -> tuple[Examples, Array]:
    """The same without the columns of a sparse table that no row has an entry in, and which weights are left."""
    rows = examples.rows
    if isinstance(rows, Dense) or not rows.values.size:
        return examples, np.arange(examples.size)
    occurs = np.zeros(rows.features, bool)
    occurs[rows.columns] = True
    kept = np.flatnonzero(occurs)
    if kept.size == rows.features:
        return examples, np.arange(examples.size)
    places = (np.cumsum(occurs) - 1).astype(rows.columns.dtype)
    narrow = rows._replace(columns=places[rows.columns], features=int(kept.size))
    return replace(examples, rows=narrow), np.append(kept, rows.features)


def numbers_per_row(rows: Rows) -> float:
    """How many numbers a look at a row reads, on average."""
    return rows.values.size / max(n_rows(rows), 1) + 1


def bias_of(fit_intercept: bool, bias_scale: float | str, *words: str) -> float:
    """The constant that every row shows the threshold: 0 where there is none, and 1 where it is one of some words."""
    scale = options.number("bias_scale", bias_scale, above=0, below=LONGEST, words=words)
    if not options.flag("fit_intercept", fit_intercept):
        return 0.0
    return 1.0 if isinstance(scale, str) else float(scale)


def signs_of(y: Any) -> tuple[Array, tuple[Any, Any]]:
    """Labels of any two values as -1 (the lesser) and +1 (the greater), and the two values."""
    y = np.asarray(labelled(y))
    if y.ndim != 1:
        raise DataError(f"y must be one-dimensional: one label per row, not an array of shape {y.shape}")
    classes = classes_of(y)
    if classes.size != 2:
        seen = ", ".join(repr(c) for c in classes[:5].tolist()) + (", ..." if classes.size > 5 else "")
        raise DataError(f"a yes/no rule needs labels of two classes; y has {classes.size}: {seen or 'no labels'}")
    return 2 * (y == classes[1]).astype(np.int8) - 1, (classes[0], classes[1])


def shown(label: Any) -> str:
    """A label for a message: 1 and 'yes', not np.int64(1) and np.str_('yes')."""
    return repr(label.item() if hasattr(label, "item") else label)


def classes_of(y: Array) -> Array:
    """The distinct labels, sorted; without a sort where there are only two numbers. None may be infinite."""
    if y.dtype.kind == "f" and not (finite := np.isfinite(y)).all():
        row = int(np.argmin(finite))
        raise DataError(f"row {row}: the label is {y[row]}; every row needs a label")
    if y.dtype.kind in "biuf" and y.size:
        ends = np.array([y.min(), y.max()])
        if ((y == ends[0]) | (y == ends[1])).all():
            return ends[:1] if ends[0] == ends[1] else ends
    try:
        return np.unique(y)
    except TypeError as error:
        raise DataError(f"the labels cannot be put in order: {error}; every row needs a label of one kind") from error


def weights_of(weights: Any, n: int) -> Array:
    """Checked weights of n rows; empty for None and for all ones, which mean the same."""
    if weights is None:
        return NO_WEIGHTS
    weights = unmasked(weights, "the weights")
    try:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the weights of rows must be numbers: {error}") from error
    if weights.shape != (n,):
        raise DataError(f"{n} rows need {n} weights, not an array of shape {weights.shape}")
    if not (good := np.isfinite(weights) & (weights >= 0)).all():
        row = int(np.argmin(good))
        raise DataError(f"row {row}: the weight {weights[row]} is not a finite number >= 0")
    if weights.sum() >= 2.0**53:
        raise DataError("the weights are too large to count in; divide them by a constant")
    return NO_WEIGHTS if (weights == 1).all() else weights


def refuse_heavy_rows(weights: Array) -> None:
    """Refuse the weight of a row of a stream, which has no budget, if its copies would take more than a second."""
    if weights.size and weights.max() > MOST_COPIES:
        row = int(np.argmax(weights))
        raise DataError(
            f"row {row}: the weight {weights[row]} stands for more than {MOST_COPIES:,} copies of the row; "
            "divide all weights by a constant"
        )


def class_factors(class_weight: Any, classes: Array, counts: Array) -> Array:
    """What a row of each class counts: given by class, or, if "balanced", as much as makes the classes equal."""
    if class_weight is None:
        return np.ones(classes.size)
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(counts.sum() / (classes.size * counts))
    if not isinstance(class_weight, Mapping):
        raise options.refused("class_weight", "a dict", class_weight, ("balanced",), none=True)
    known = classes.tolist()
    strange = [label for label in class_weight if label not in known]
    if strange and len(class_weight) - len(strange) < len(known):
        raise OptionError(f"class_weight names {shown(strange[0])}, but the classes are {', '.join(map(shown, known))}")
    for label in known:
        options.number(f"class_weight of {shown(label)}", class_weight.get(label, 1.0), least=0)
    return np.array([float(class_weight.get(label, 1.0)) for label in known])


def costs_of_rows(class_weight: Any, classes: Array, y: Array, sample_weight: Any) -> Array:
    """What a mistake on each row costs: its weight times the factor of its class; empty where all cost 1."""
    weights = weights_of(sample_weight, y.size)
    if class_weight is None:
        return weights
    of_class = np.searchsorted(classes, y)
    factors = class_factors(class_weight, classes, np.bincount(of_class, minlength=classes.size))[of_class]
    with np.errstate(over="ignore"):  # refused as what is not finite
        return weights_of(factors * weights if weights.size else factors, y.size)


def rows_of(X: Any, *, bias: float = 1.0, names: Sequence[str] | None = None) -> Rows:
    """Check a table: dense (in C order, float32 or float64: without a copy) or sparse."""
    X = admitted(X)
    refuse_dates(X)
    names = names_of(X) if names is None else names
    rows = _csr(X, bias) if hasattr(X, "tocsr") else _dense(X, bias, names)
    if not n_rows(rows):
        raise DataError("the table has no rows: found array with 0 sample(s)")
    if not n_features(rows):
        raise DataError("the table has no columns: found array with 0 feature(s)")
    return _measured(rows, names)


def unit_rows(rows: Rows) -> Rows:
    """A copy with every row's features scaled to length 1; a row of zeros, and the threshold's constant, stay."""
    lengths = lengths_of(rows._replace(bias=0.0))
    lengths[lengths == 0.0] = 1.0
    if isinstance(rows, Dense):
        values = rows.values / lengths[:, np.newaxis]
    else:
        values = rows.values / np.repeat(lengths, np.diff(rows.starts).astype(np.int64))
    return _measured(rows._replace(values=values.astype(rows.values.dtype)), None)


def with_bias(rows: Rows, bias: float) -> Rows:
    """The same rows with another constant for the threshold."""
    return _measured(rows._replace(bias=bias), None)


def lengths_of(rows: Rows) -> Array:
    """The length of every row, the bias included, safe from overflow and underflow."""
    out = np.empty(n_rows(rows))
    briefly(kernels.lengths, rows.values.size)(rows, out)
    return out


def _dense(X: Any, bias: float, names: Sequence[str] | None) -> Dense:
    X = np.asarray(X)
    if X.ndim != 2:
        raise DataError(f"X must be a table of rows and columns, not an array of shape {X.shape}")
    try:
        values = np.ascontiguousarray(_floats(X, lambda k: divmod(k, X.shape[1])))
    except DataError as error:
        raise DataError(cell_without_number(X, names) or str(error)) from error
    return Dense(values, bias, 0.0, X.shape[1] + 1, False)


def _csr(X: Any, bias: float) -> Csr:
    _, rise = briefly(kernels.order_of_entries, X.indices.size)(_unsigned(X.indices), X.indptr, X.shape[1])
    if not rise:  # whatever the matrix says of itself; two transpositions put a copy in order, in linear time
        X = X.tocsc().tocsr()
        X.sum_duplicates()
    columns, starts = _unsigned(X.indices), X.indptr.astype(np.uint64)

    def cell(k: int) -> tuple[int, int]:
        return int(np.searchsorted(starts, k, side="right")) - 1, int(X.indices[k])

    terms = int(np.diff(X.indptr).max(initial=0)) + 1
    return Csr(_floats(X.data, cell), columns, starts, bias, 0.0, terms, False, X.shape[1])


def _unsigned(indices: Array) -> Array:
    """The same indices, unsigned: compiled loops then need no check for negative ones."""
    return indices.view(indices.dtype.str.replace("i", "u"))


def _floats(values: Array, cell: Any) -> Array:
    """Numbers as float32 or float64, whole numbers exactly; `cell` tells the row and column of a flat position."""
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind == "c":
        raise DataError("Complex data not supported: a row is made of real numbers")
    try:
        floats = values.astype(np.float32 if values.dtype == np.float16 else np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X holds something that is not a number: {error}") from error
    if values.dtype.kind == "O" or (values.dtype.kind in "iu" and values.dtype.itemsize == 8):
        flat = values.ravel()
        for k in np.flatnonzero(np.abs(floats.ravel()) >= 2**53).tolist():
            if isinstance(flat[k], int | np.integer) and int(float(flat[k])) != int(flat[k]):
                row, column = cell(k)
                raise DataError(
                    f"row {row}, column {column}: {flat[k]} is too large a whole number for float64 to hold exactly; "
                    "subtract an offset or divide the column"
                )
    return floats


def _measured(rows: Rows, names: Sequence[str] | None) -> Rows:
    """The rows, read-only, with what one look at every number tells: the radius, and whether all are whole."""
    rows = fixed_rows(rows)
    squares, numbers = np.empty(n_rows(rows)), numbers_per_row(rows)
    look = briefly(kernels.square_lengths, rows.values.size)
    whole = in_pieces(lambda a, b: look(rows, a, b, squares), 0, squares.size, numbers)
    longest = float(squares.max())
    radius = sqrt(longest) if SQUARES[0] < longest < SQUARES[1] else _extreme_radius(rows, squares, names)
    return rows._replace(radius=radius, whole=all(whole))


def _extreme_radius(rows: Rows, squares: Array, names: Sequence[str] | None) -> float:
    """The longest row's length where squares overflow or underflow; NaN and infinity are refused."""
    suspicious = np.flatnonzero(~np.isfinite(squares)) if not np.isfinite(rows.values).all() else np.empty(0, int)
    for row in suspicious.tolist():
        for k in range(kernels.stored(rows, row)):
            number = kernels.value(rows, row, k)
            if not np.isfinite(number):
                raise DataError(
                    f"row {row}, column {_name(rows, row, k, names)}: the value is {number}. Input X contains NaN or "
                    "infinity, which no linear rule can use: fill in the value or leave out the row"
                )
    lengths = lengths_of(rows)
    row = int(np.argmax(lengths))
    if not lengths[row] < LONGEST:
        k = int(np.argmax([abs(kernels.value(rows, row, k)) for k in range(kernels.stored(rows, row))]))
        raise DataError(
            f"row {row}, column {_name(rows, row, k, names)}: the value {kernels.value(rows, row, k)} is so large that "
            "weights would overflow; divide the column by a constant"
        )
    return float(lengths[row])


def _name(rows: Rows, row: int, k: int, names: Sequence[str] | None) -> str:
    column = kernels.column(rows, row, k)
    return repr(str(names[column])) if names is not None else str(column)
