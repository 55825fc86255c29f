"""Rows cut into folds with each class in its share, and a smaller table of the same shares."""

import numpy as np

from rosenblatt.rows.kernels import Array


def stratified(codes: Array, folds: int, rng: np.random.Generator) -> Array:
    """The fold of every row: classes are dealt out in random order, each going on where the one before it stopped."""
    out = np.empty(codes.size, np.int64)
    dealt = rng.permutation(codes.size)
    dealt = dealt[np.argsort(codes[dealt], kind="stable")]
    out[dealt] = np.arange(codes.size) % folds
    return out


def sampled(codes: Array, most: int, rng: np.random.Generator) -> Array:
    """About so many rows, in order: the same part of each class, rounded up."""
    if codes.size <= most:
        return np.arange(codes.size)
    parts = []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        parts.append(rng.choice(rows, -(-rows.size * most // codes.size), replace=False))
    return np.sort(np.concatenate(parts))
