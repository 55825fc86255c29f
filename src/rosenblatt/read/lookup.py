"""Which of a list of values stands in each cell.

A cast to an enumeration answers that, and takes most of the time of a prediction. Here two hashes of a cell, with seeds
drawn anew by every process, are looked up in a table. A cell that is none of the values would have to agree with one of
them in all 128 bits.
"""

import secrets
from collections.abc import Sequence

import numpy as np
import polars as pl

from rosenblatt.kernels import Array
from rosenblatt.read import gathering

ROOM = 4  # places for each value
NONE_GONE = np.empty(0, bool)


class Lookup:
    """A list of different texts."""

    def __init__(self, values: tuple[str, ...]) -> None:
        if len(set(values)) < len(values):
            raise ValueError("the values are not all different")
        texts = pl.Series(values, dtype=pl.String)
        self.seeds = (secrets.randbits(63), secrets.randbits(63))
        while texts.hash(self.seeds[0]).n_unique() < len(values):
            self.seeds = (secrets.randbits(63), self.seeds[1])
        size = 1 << (ROOM * max(len(values), 1) - 1).bit_length()
        self.keys, self.checks, self.codes = np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.full(size, -1)
        for code, hashes in enumerate(zip(*(texts.hash(seed).to_list() for seed in self.seeds), strict=True)):
            place = hashes[0] % size
            while self.codes[place] >= 0:
                place = (place + 1) % size
            self.keys[place], self.checks[place] = hashes
            self.codes[place] = code

    def add(self, cells: pl.Series, belongs: Array, out: Array) -> None:
        """Add what belongs to the value in each cell; the last but one for any other value, the last where it is null.

        Sums of short numbers are exact, so it does not matter in which order they are added up.
        """
        add_all([(self, cells, belongs, out)])


def add_all(parts: Sequence[tuple[Lookup, pl.Series, Array, Array]]) -> None:
    """The same for many columns: to ask Polars once takes as long as to hash a thousand cells."""
    frame = pl.DataFrame([cells.alias(str(k)) for k, (_, cells, _, _) in enumerate(parts)])
    asked = [
        pl.col(str(k)).hash(s).alias(f"{k} {j}") for k, part in enumerate(parts) for j, s in enumerate(part[0].seeds)
    ]
    hashes = frame.select(asked)
    for k, (lookup, cells, belongs, out) in enumerate(parts):
        first, second = hashes[f"{k} 0"].to_numpy(), hashes[f"{k} 1"].to_numpy()
        gone = cells.is_null().to_numpy() if cells.null_count() else NONE_GONE
        gathering.look_up(first, second, gone, lookup.keys, lookup.checks, lookup.codes, belongs, out)
