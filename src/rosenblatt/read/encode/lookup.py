"""Finds which of a list of values each cell contains.

A cast to an enumeration would answer that, but would take most of the time of a prediction. Here two hashes of a cell,
with new random seeds in every process, are looked up in a table. To be mistaken for one of the texts, another text
would have to agree with it in all 128 bits. Cells not in the table are checked again, one by one, for other spellings.
"""

import secrets
from collections.abc import Sequence
from threading import Lock

import numpy as np
import polars as pl

from rosenblatt.read.encode import feature_kernels
from rosenblatt.read.values import Spellings, without_blanks
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.kernels import Array, fixed

ROOM = 4  # slots in the table for each text
NONE_GONE = np.empty(0, bool)


class Lookup:
    """A list of different values, and the place of each in the list, however it is spelled."""

    def __init__(self, values: tuple[str, ...]) -> None:
        if len(set(values)) < len(values):
            raise ValueError("the values are not all different")
        self.spellings = Spellings(values)
        usual = self.spellings.usual
        texts = pl.Series(list(usual), dtype=pl.String)
        self.seeds = (secrets.randbits(63), secrets.randbits(63))
        while texts.hash(self.seeds[0]).n_unique() < len(usual):
            self.seeds = (secrets.randbits(63), self.seeds[1])
        size = 1 << (ROOM * len(usual) - 1).bit_length()
        self.keys, self.checks, self.codes = np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.full(size, -1)
        hashes = zip(*(texts.hash(seed).to_list() for seed in self.seeds), strict=True)
        for code, (first, second) in zip(usual.values(), hashes, strict=True):
            place = first % size
            while self.codes[place] >= 0:
                place = (place + 1) % size
            self.keys[place], self.checks[place], self.codes[place] = first, second, code

    def places(self, cells: pl.Series) -> Array:
        """The place of each cell's value; one past the last for any other value, two past for a missing one."""
        return places_of([(self, cells)])[0]

    def look_again(self, cells: pl.Series, places: Array) -> None:
        """Find other spellings among the cells that have no place yet."""
        unknown = np.flatnonzero(places < 0)
        if not unknown.size:
            return
        texts = cells.gather(unknown)
        different = texts.unique()
        if not (self.spellings.words or self.spellings.numbers):  # then only blanks can make a difference
            different = different.filter(different != without_blanks(different))
        found = [self.spellings.place(text) for text in different]
        other = self.spellings.other
        again = texts.replace_strict(different, found, default=other, return_dtype=pl.Int32) if found else other
        places[unknown] = again


def places_of(parts: Sequence[tuple[Lookup, pl.Series]]) -> list[Array]:
    """The places of many columns' cells at once, because one Polars call costs as much as hashing a thousand cells."""
    frame = pl.DataFrame([cells.alias(str(k)) for k, (_, cells) in enumerate(parts)])
    asked = [
        pl.col(str(k)).hash(s).alias(f"{k} {j}")
        for k, (lookup, _) in enumerate(parts)
        for j, s in enumerate(lookup.seeds)
    ]
    hashes, out = frame.select(asked), []
    for k, (lookup, cells) in enumerate(parts):
        first, second = hashes[f"{k} 0"].to_numpy(), hashes[f"{k} 1"].to_numpy()
        gone = cells.is_null().to_numpy() if cells.null_count() else NONE_GONE
        places = np.full(len(cells), lookup.spellings.missing, np.int32)
        look_up = briefly(feature_kernels.look_up, places.size)
        keys, checks, codes = fixed(lookup.keys), fixed(lookup.checks), fixed(lookup.codes)
        look_up(fixed(first), fixed(second), fixed(gone), keys, checks, codes, places)
        lookup.look_again(cells, places)
        out.append(places)
    return out


class Unseen:
    """Values that a rule does not know: the number of such cells in each column, and an example."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.examples: dict[str, str] = {}
        self._lock = Lock()  # blocks of a table come in several threads

    def add(self, column: str, cells: pl.Series, unknown: Array) -> None:
        """Count the unknown values among some cells."""
        if many := int(np.count_nonzero(unknown)):
            least = str(cells.filter(unknown).min())
            with self._lock:
                self.counts[column] = self.counts.get(column, 0) + many
                self.examples[column] = min(least, self.examples.get(column, least))  # independent of the blocks
