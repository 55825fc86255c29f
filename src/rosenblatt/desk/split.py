"""Which rows are held out: decided for every row by its number and a seed alone.

So anyone can repeat it, in any language, for a file of any length, without a list of rows:
row i (from 0) has the number mix(i + (seed + 1) * 0x9E3779B97F4A7C15), where mix is the finaliser of SplitMix64
(Steele, Lea and Flood 2014), all modulo 2^64; it is held out if that is below part * 2^64.
"""

import numpy as np

from rosenblatt.kernels import Array

GOLDEN = 0x9E3779B97F4A7C15
WORD = 2**64


def mixed(n: int, seed: int) -> Array:
    """A number of 64 bits for each of n rows, as if drawn at random."""
    z = np.arange(n, dtype=np.uint64) + np.uint64((seed + 1) * GOLDEN % WORD)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def held_out(n: int, part: float, seed: int) -> Array:
    """Which of n rows are held out."""
    return mixed(n, seed) < np.uint64(min(int(part * WORD), WORD - 1))


def folds(n: int, many: int, seed: int) -> Array:
    """Which of `many` folds each of n rows is in."""
    return (mixed(n, seed) % np.uint64(many)).astype(np.int64)
