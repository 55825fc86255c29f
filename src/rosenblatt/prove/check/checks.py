"""Checks shared by several kinds of certificates, and the bounds that their numbers prove, in exact arithmetic."""

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite

from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import exact, rounding
from rosenblatt.prove.check.certificate_json import shown
from rosenblatt.prove.check.exact import Number
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import TIES


def hinge_bound(examples: Examples, counts: Mapping[int, int], reference: tuple[Number, ...], level: float) -> int:
    """sum l_t + ||u|| ||sum z_t|| / g for these corrections, rounded down (Harchaoui, 2.5.1, per round)."""
    vectors, exponent = exact.signed_rows(examples, counts)
    u, below = exact.whole_numbers(reference)
    losses, g = Fraction(0), Fraction(level)
    for vector, many in zip(vectors, counts.values(), strict=True):
        losses += many * max(1 - Fraction(exact.dot(vector, u), 1 << exponent + below) / g, Fraction(0))
    total = exact.square(exact.combination(vectors, list(counts.values())))
    root = Fraction(total * sum(k * k for k in u), 1 << 2 * (exponent + below)) / g**2
    return rounding.floor_of_root(losses, root, Fraction(1))


def lower_bound(weights: tuple[Number, ...], least: Fraction, affine: bool = False) -> float:
    """The least z_i . w, divided by ||w|| and rounded down; 0 for the zero vector."""
    w, exponent = exact.whole_numbers(weights)
    square = Fraction(sum(k * k for k in (w[:-1] if affine else w)), 1 << 2 * exponent)
    if not square or not least:
        return 0.0
    size = least * least / square
    return exact.root_below(size) if least > 0 else -exact.root_above(size)


def upper_bound(examples: Examples, rows: tuple[int, ...], multipliers: tuple[int, ...], affine: bool = False) -> float:
    """The length of the mean of these signed rows, rounded up."""
    return exact.root_above(square_upper_bound(examples, rows, multipliers, affine))


def square_upper_bound(
    examples: Examples, rows: tuple[int, ...], multipliers: tuple[int, ...], affine: bool = False
) -> Fraction:
    """The squared length of the mean of these signed rows, exactly.

    If the threshold does not count, both classes must have the same total weight: then the mean is half the difference
    of a mixture of each class, and no threshold moves it.
    """
    check_positive("support row", examples, rows, multipliers)
    total, exponent = exact.mixture(examples, rows, multipliers)
    if affine and total.get(examples.size - 1):
        raise CertificateError("the multipliers of the two classes have different sums")
    return Fraction(exact.square(total), sum(multipliers) ** 2 << 2 * exponent)


def common_point(examples: Examples, rows: tuple[int, ...], weights: tuple[int, ...]) -> tuple[float, ...]:
    """The weighted mean of the rows with the first row's label; with a threshold, also of the others."""
    label = examples.labels[rows[0]]
    mine = [(row, weight) for row, weight in zip(rows, weights, strict=True) if examples.labels[row] == label]
    total, exponent = exact.mixture(examples, [row for row, _ in mine], [weight for _, weight in mine])
    below = int(label) * sum(weight for _, weight in mine) << exponent
    zero = 0 / below  # one for all columns that the rows do not touch
    return tuple(total[column] / below if column in total else zero for column in range(examples.size - 1))


def check_ties(ties: str) -> None:
    """Refuse an unknown tie rule."""
    if ties not in TIES:
        raise CertificateError(f"ties must be one of {', '.join(TIES)}, not {ties!r}")


def check_weights(examples: Examples, weights: tuple[Number, ...], name: str = "weights") -> None:
    """Refuse weights that do not fit the rows, or are not finite."""
    if len(weights) != examples.size:
        raise CertificateError(f"{name} must have {examples.size} entries, not {len(weights)}")
    if not all(isinstance(weight, int) or isfinite(weight) for weight in weights):
        raise CertificateError(f"{name} must be finite")
    if not examples.rows.bias and weights[-1] != 0:
        raise CertificateError(f"{name} has a threshold, but the rule has none")


def check_rows(name: str, examples: Examples, rows: tuple[int, ...]) -> None:
    """Refuse rows that do not exist."""
    for row in rows:
        if not 0 <= row < examples.n:
            raise CertificateError(f"{name} {row} does not exist: the data has {examples.n} rows")


def check_positive(name: str, examples: Examples, rows: tuple[int, ...], weights: tuple[int, ...]) -> None:
    """Refuse rows that do not exist, occur twice, or have a weight below 1."""
    check_rows(name, examples, rows)
    if not rows or len(rows) != len(weights) or len(set(rows)) != len(rows):
        raise CertificateError(f"every {name} must occur once and have one weight, and there must be at least one")
    for row, weight in zip(rows, weights, strict=True):
        if weight < 1:
            raise CertificateError(f"{name} {row} has the weight {shown(weight)}; it must be at least 1")
