"""Decides which rows are held out, from the number of each row and a seed.

Anyone can repeat this, in any language, for a file of any length, without a list of rows:
row i (from 0) has the number mix(i + (seed + 1) * 0x9E3779B97F4A7C15), where mix is the finaliser of SplitMix64
(Steele, Lea and Flood 2014), all modulo 2^64; it is held out if that is below part * 2^64, or in the fold.
"""

from dataclasses import dataclass

import numpy as np

from rosenblatt.rows.kernels import Array

GOLDEN = 0x9E3779B97F4A7C15
WORD = 2**64


@dataclass(frozen=True)
class HoldOut:
    """The rows not used in learning: a part of all rows, one of several folds, or both."""

    part: float = 0.0
    seed: int = 0
    folds: int = 0
    fold: int = 0

    def __call__(self, first: int, last: int) -> Array:
        """Which of the rows from `first` up to `last` are held out."""
        drawn = mixed(first, last, self.seed)
        out = np.less(drawn, np.uint64(min(int(self.part * WORD), WORD - 1)))
        if self.folds:
            out |= np.equal(drawn % np.uint64(self.folds), np.uint64(self.fold))
        return out


def mixed(first: int, last: int, seed: int) -> Array:
    """A pseudorandom 64-bit number for each row from `first` up to `last`."""
    z = np.arange(first, last, dtype=np.uint64) + np.uint64((seed + 1) * GOLDEN % WORD)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
