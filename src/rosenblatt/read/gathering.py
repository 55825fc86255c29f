"""Compiled code: features that lie column by column become rows; values become their numbers."""

import numpy as np

from rosenblatt.kernels import Array, compiled


@compiled
def count(values: Array, first: int, last: int, counts: Array) -> None:
    """How many entries of rows [first, last) are not zero."""
    for i in range(first, last):
        found = 0
        for k in range(values.shape[0]):
            if values[k, i] != 0:
                found += 1
        counts[i] = found


@compiled
def gather(places: Array, values: Array, first: int, last: int, starts: Array, columns: Array, data: Array) -> None:
    """Write the entries of rows [first, last) that are not zero into a CSR matrix."""
    for i in range(first, last):
        at = starts[i]
        for k in range(values.shape[0]):
            if values[k, i] != 0:
                columns[at] = places[k, i]
                data[at] = values[k, i]
                at += 1


@compiled
def scatter(places: Array, values: Array, first: int, last: int, table: Array) -> None:
    """Write the entries of rows [first, last) into a dense table of zeros."""
    for i in range(first, last):
        for k in range(values.shape[0]):
            if values[k, i] != 0:
                table[i, places[k, i]] = values[k, i]


@compiled
def look_up(hashes: Array, keys: Array, codes: Array, out: Array) -> None:
    """For each hash the code of its key, from a table with open addressing whose free places have a code below 0."""
    mask = np.uint64(keys.size - 1)
    one = np.uint64(1)
    for i in range(hashes.size):
        place = hashes[i] & mask
        while codes[place] >= 0 and keys[place] != hashes[i]:
            place = (place + one) & mask
        out[i] = codes[place]
