"""Checks shared by several kinds of certificates, and the bounds that their numbers prove, in exact arithmetic."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite

from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import exact, rounding
from rosenblatt.prove.check.certificate_json import shown
from rosenblatt.prove.check.exact import Number, Vector
from rosenblatt.rows.cone import EVERYWHERE, Cone
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


def upper_bound(
    examples: Examples,
    rows: tuple[int, ...],
    multipliers: tuple[int, ...],
    affine: bool = False,
    cone: Cone = EVERYWHERE,
) -> float:
    """The length of the mean of these signed rows, rounded up."""
    return exact.root_above(square_upper_bound(examples, rows, multipliers, affine, cone))


def square_upper_bound(
    examples: Examples,
    rows: tuple[int, ...],
    multipliers: tuple[int, ...],
    affine: bool = False,
    cone: Cone = EVERYWHERE,
) -> Fraction:
    """The squared length of the mean of these signed rows, exactly; of the nearest vector to it in the cone.

    If the threshold does not count, both classes must have the same total weight: then the mean is half the difference
    of a mixture of each class, and no threshold moves it.
    """
    check_positive("support row", examples, rows, multipliers)
    total, exponent = exact.mixture(examples, rows, multipliers)
    if affine and total.get(examples.size - 1):
        raise CertificateError("the multipliers of the two classes have different sums")
    return Fraction(exact.square(cone.within(total)), sum(multipliers) ** 2 << 2 * exponent)


def common_point(examples: Examples, rows: tuple[int, ...], weights: tuple[int, ...]) -> tuple[float, ...]:
    """The weighted mean of the rows with the first row's label; with a threshold, also of the others."""
    label = examples.labels[rows[0]]
    mine = [(row, weight) for row, weight in zip(rows, weights, strict=True) if examples.labels[row] == label]
    total, exponent = exact.mixture(examples, [row for row, _ in mine], [weight for _, weight in mine])
    below = int(label) * sum(weight for _, weight in mine) << exponent
    zero = 0 / below  # one for all columns that the rows do not touch
    return tuple(total[column] / below if column in total else zero for column in range(examples.size - 1))


def near_a_contradiction(vectors: Sequence[Vector], weights: Sequence[int], cone: Cone) -> bool:
    """Proves that the sum of the vectors is zero for some positive weights close to these; or points against the cone.

    In a column where it does so by more than weights this close can change, it does so for those weights, too; in all
    others it has to be zero.
    """
    total = exact.combination(vectors, weights) if cone else {}
    away = set(total) - set(cone.within(total))
    sizes = {column: sum(k * abs(v.get(column, 0)) for k, v in zip(weights, vectors, strict=True)) for column in away}
    clear = {column for column in away if abs(total[column]) >= Fraction(exact.NEAR) * sizes[column]}
    left = [{column: k for column, k in v.items() if column not in clear} for v in vectors]
    return exact.is_near_a_positive_null_vector(left, weights)


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


def check_signs(cone: Cone, weights: tuple[Number, ...]) -> None:
    """Refuse weights that break the constraints."""
    kept = cone.within(dict(enumerate(weights)))
    if len(kept) < len(weights):
        column = next(column for column in range(len(weights)) if column not in kept)
        raise CertificateError(f"the weight of feature {column} is {shown(weights[column])}, against the constraints")


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
