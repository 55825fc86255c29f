"""Compiled kernels that turn cells into features, and features stored by column into rows."""

import numpy as np

from rosenblatt.rows.compiling import compiled
from rosenblatt.rows.kernels import Array


@compiled
def gather(places: Array, values: Array, rows: Array, at: int, starts: Array, columns: Array, data: Array) -> int:
    """Write the non-zero entries of these rows into a CSR matrix, starting at `at`; returns where they end."""
    for j in range(rows.size):
        i = rows[j]
        for k in range(values.shape[0]):
            if values[k, i] != 0:
                columns[at] = places[k, i]
                data[at] = values[k, i]
                at += 1
        starts[j] = at
    return at


@compiled
def scatter(places: Array, values: Array, rows: Array, table: Array) -> None:
    """Write the entries of these rows into a dense table of zeros."""
    for j in range(rows.size):
        i = rows[j]
        for k in range(values.shape[0]):
            if values[k, i] != 0:
                table[j, places[k, i]] = values[k, i]


@compiled
def look_up(first: Array, second: Array, gone: Array, keys: Array, checks: Array, codes: Array, out: Array) -> None:
    """Write the codes of the texts with these two hashes, or -1 if unknown; missing cells are left unchanged.

    The table uses open addressing; free slots have a code below 0. `gone` is empty if no cell is missing.
    """
    mask, one = np.uint64(keys.size - 1), np.uint64(1)
    for i in range(first.size):
        if gone.size > 0 and gone[i]:
            continue
        place = first[i] & mask
        while codes[place] >= 0 and keys[place] != first[i]:
            place = (place + one) & mask
        known = codes[place] >= 0 and checks[place] == second[i]
        out[i] = codes[place] if known else -1


@compiled
def grade(
    x: Array, lowest: float, highest: float, rounder: float, centre: float, factor: float, missing: float, out: Array
) -> None:
    """Add numbers, clipped to a range, rounded to a grid and multiplied; add `missing` if a number is not finite."""
    for i in range(x.size):
        if np.isfinite(x[i]):
            out[i] += ((min(max(x[i], lowest), highest) + rounder) - rounder - centre) * factor
        else:
            out[i] += missing
