"""Examples: labelled rows, checked once. The only place that knows about labels and weights."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, OptionError
from rosenblatt.rows.door import labelled, unmasked
from rosenblatt.rows.kernels import Array, Dense, Rows
from rosenblatt.rows.scan import IN_MEMORY, Scan
from rosenblatt.rows.storage import bias_of, lengths_of, n_features, n_rows, rows_of, some_rows, unit_rows

NO_WEIGHTS = np.empty(0)
MOST_COPIES = 2**24  # of one row of a stream: they are looked at one after the other


@dataclass(frozen=True, eq=False)
class Labels:
    """The label of every row, checked, and the classes that there are, in order."""

    each: Array
    classes: Array

    @property
    def are_several(self) -> bool:
        """Whether there are more than two classes."""
        return self.classes.size > 2


def labels_of(y: Any) -> Labels:
    """Check labels; those that were checked before are returned as they are."""
    if isinstance(y, Labels):
        return y
    y = np.asarray(labelled(y))
    if y.ndim != 1:
        raise DataError(f"y must be one-dimensional: one label per row, not an array of shape {y.shape}")
    return Labels(y, classes_of(y))


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows with labels -1 and +1, and a weight each (an empty array: 1 each)."""

    rows: Rows
    labels: Array
    weights: Array = field(default_factory=lambda: NO_WEIGHTS)
    classes: tuple[Any, ...] = (-1, 1)  # what the labels stand for, in order
    scan: Scan = IN_MEMORY  # how all rows are looked at

    all_classes: ClassVar[str] = "both classes"

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
    ) -> Self:
        """Check a table X and its labels y; `Rows` and `Labels` were checked before, and are not checked again."""
        rows, labels = rows_of(X, bias=bias_of(fit_intercept, bias_scale)), labels_of(y)
        numbers, n = cls._numbered(labels), labels.each.size
        if n != n_rows(rows):
            raise DataError(f"X has {n_rows(rows)} rows but y has {n} labels")
        rows = unit_rows(rows) if normalize else rows
        return cls(rows, numbers, weights_of(weights, n), tuple(labels.classes)).with_all_classes()

    @staticmethod
    def _numbered(labels: Labels) -> Array:
        """Labels of any two values: -1 for the lesser, +1 for the greater."""
        classes = labels.classes
        if classes.size != 2:
            seen = ", ".join(repr(c) for c in classes[:5].tolist()) + (", ..." if classes.size > 5 else "")
            raise DataError(f"a yes/no rule needs labels of two classes; y has {classes.size}: {seen or 'no labels'}")
        return np.where(labels.each == classes[1], np.int8(1), np.int8(-1))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number that a row of each class has as its label."""
        return (-1, 1)

    def with_all_classes(self) -> Self:
        """These examples, if each class has a row that counts."""
        for number, label in zip(self.numbers, self.classes, strict=True):
            rows = self.labels == number
            if not (self.weights[rows].any() if self.weights.size else rows.any()):
                what = "the weights of all rows are zero for" if rows.any() else "there is no row of"
                raise DataError(f"{what} class {shown(label)}; a rule needs rows of {self.all_classes}")
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
        if self.weights.all():
            return self.rows.radius
        counted = np.flatnonzero(self.weights)
        if 2 * counted.size < self.n:  # as for each pair of several classes
            return float(lengths_of(some_rows(self.rows, counted)).max(initial=0.0))
        return float(self.lengths[counted].max(initial=0.0))

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


def narrowed(examples: Examples) -> tuple[Examples, Array]:
    """Examples without the empty columns of a sparse table, and the places of the weights that are left."""
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
        return np.where(counts > 0, counts.sum() / (classes.size * np.where(counts > 0, counts, 1)), 1.0)
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
    counts = np.bincount(of_class, weights if weights.size else None, classes.size)
    factors = class_factors(class_weight, classes, counts)[of_class]
    with np.errstate(over="ignore"):  # refused as what is not finite
        return weights_of(factors * weights if weights.size else factors, y.size)
