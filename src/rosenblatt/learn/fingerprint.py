"""A number that identifies rows: other rows, labels, thresholds or steps have another one.

Problem   a ledger holds numbers of rows. On other rows it would replay another run, without a word.
Result    a whole number below 2^64, the same for dense, sparse and float32 copies of the same numbers.

It guards against mistakes, not against people: a sum of mixed bits, so that what was seen in parts can be added up.
"""

from collections.abc import Iterator

import numpy as np

from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Dense, Rows
from rosenblatt.rows.storage import n_features, numbers_per_row, some_rows

AT_ONCE = 2**20  # numbers


def fingerprint(examples: Examples, chosen: Array, first: int = 0) -> int:
    """That of these rows with their labels, the constant for the threshold, and the last part of their weights.

    A row is known by its place, counted from `first` on; what it weighs counts only where a step is not whole.
    """
    total = 0
    for few in _pieces(chosen, numbers_per_row(examples.rows)):
        rows = some_rows(examples.rows, few)
        seen = _mixed_rows(rows)
        seen = _mixed(seen ^ (few + first).astype(np.uint64))
        seen = _mixed(seen ^ examples.labels[few].astype(np.int64).view(np.uint64))
        parts = examples.weights[few] % 1.0 if examples.weights.size else np.zeros(few.size)
        seen = _mixed(seen ^ _bits(parts))
        total += int(seen.sum(dtype=np.uint64))
    return total % 2**64


def _pieces(chosen: Array, numbers: float) -> Iterator[Array]:
    many = max(int(AT_ONCE / numbers), 1)
    for begin in range(0, chosen.size, many):
        yield chosen[begin : begin + many].astype(np.int64)


def _mixed_rows(rows: Rows) -> Array:
    """A number for each row: its features, whatever their order, and its constant for the threshold."""
    if isinstance(rows, Dense):
        columns = np.arange(n_features(rows), dtype=np.uint64)
        terms = _mixed(_bits(rows.values) ^ _mixed(columns))
        terms[rows.values == 0.0] = 0
        of_rows = terms.sum(axis=1, dtype=np.uint64)
    else:
        terms = _mixed(_bits(rows.values) ^ _mixed(rows.columns.astype(np.uint64)))
        terms[rows.values == 0.0] = 0
        so_far = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
        of_rows = so_far[rows.starts[1:]] - so_far[rows.starts[:-1]]
    return _mixed(of_rows ^ _bits(np.array([rows.bias])))


def _bits(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers, np.float64).view(np.uint64)


def _mixed(bits: Array) -> Array:
    """Each number as another, every bit of which depends on all of its bits (Steele, Lea and Flood 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
