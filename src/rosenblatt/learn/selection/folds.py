"""Rows dealt into folds, and samples of rows, with every class in proportion."""

import numpy as np

from rosenblatt.rows.kernels import Array

ROWS_JUDGED, MOST_TIMES = 3_000, 3  # rows to judge in all, by dealing the rows at most this many times


def stratified(codes: Array, folds: int, rng: np.random.Generator) -> Array:
    """The fold of every row: classes are dealt out in random order, each going on where the one before it stopped."""
    out = np.empty(codes.size, np.int64)
    dealt = rng.permutation(codes.size)
    dealt = dealt[np.argsort(codes[dealt], kind="stable")]
    out[dealt] = np.arange(codes.size) % folds
    return out


def splits(codes: Array, folds: int, rng: np.random.Generator) -> list[tuple[Array, Array]]:
    """Rows to learn from and rows to judge by: folds dealt out once, or more often if rows are few and errors noisy."""
    found = []
    for _ in range(min(max(ROWS_JUDGED // codes.size, 1), MOST_TIMES)):
        fold = stratified(codes, folds, rng)
        pairs = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds))
        found += [(learned, judged) for learned, judged in pairs if learned.size and judged.size]
    return found


def sampled(codes: Array, most: int, rng: np.random.Generator) -> Array:
    """About `most` of the rows, in order: the same share of each class, rounded up."""
    if codes.size <= most:
        return np.arange(codes.size)
    parts = []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        parts.append(rng.choice(rows, -(-rows.size * most // codes.size), replace=False))
    return np.sort(np.concatenate(parts))
