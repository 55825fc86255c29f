"""Compiled code: cells become features, and features that lie column by column become rows."""

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
def look_up(first: Array, second: Array, keys: Array, checks: Array, codes: Array, belongs: Array, out: Array) -> None:
    """What belongs to the value with these two hashes, from a table with open addressing; the last but one for none.

    Free places have a code below 0.
    """
    mask, one, none = np.uint64(keys.size - 1), np.uint64(1), belongs.size - 2
    for i in range(first.size):
        place = first[i] & mask
        while codes[place] >= 0 and keys[place] != first[i]:
            place = (place + one) & mask
        known = codes[place] >= 0 and checks[place] == second[i]
        out[i] = belongs[codes[place]] if known else belongs[none]


@compiled
def grade(
    x: Array, lowest: float, highest: float, rounder: float, centre: float, factor: float, missing: float, out: Array
) -> None:
    """Numbers clipped to a range, rounded to a grid and multiplied, exactly; `missing` where there is no finite one."""
    for i in range(x.size):
        if np.isfinite(x[i]):
            out[i] = ((min(max(x[i], lowest), highest) + rounder) - rounder - centre) * factor
        else:
            out[i] = missing
