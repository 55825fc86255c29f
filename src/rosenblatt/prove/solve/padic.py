"""Linear systems of whole numbers, solved exactly, one digit at a time (Dixon, Numerische Mathematik 40, 1982).

Problem   the y with A y = b, for a square matrix A and b of short whole numbers.
Method    With the inverse of A modulo a prime p, the digits of y in base p: each is the inverse times what is left of
          b, modulo p; then A times the digit is taken off, and p divided out. Enough digits determine the fractions
          (Wang 1981). They are checked; if they are wrong, twice as many digits are computed.
Time      An elimination of machine words, and a product of a matrix and a vector for each digit. Elimination in long
          whole numbers takes a hundred times as long for a few hundred columns.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt, lcm, log2

import numpy as np

from rosenblatt.rows.kernels import Array

PRIMES = (8388593, 8388587, 8388581)  # the greatest below 2^23
ROOM, EXACT = 62, 52  # bits of a sum of products: of all, and of those with half a digit, which floats hold
HALF, MASK = 12, 2**12 - 1
PER_WORD, PER_TERM = 16.0, 1.5  # nanoseconds: to eliminate an entry modulo p, and to add up a product


def fits(entry: int, size: int) -> bool:
    """Whether a system of this size, with entries up to this one, can be solved in machine words."""
    bits = entry.bit_length() + size.bit_length()
    return bits + 23 <= ROOM and max(bits, 23 + size.bit_length()) + HALF <= EXACT


def takes(entry: int, size: int) -> float:
    """The approximate nanoseconds that the longest solution of such a system takes."""
    return size**3 * PER_WORD + _most_digits(entry, size) * size**2 * 2 * PER_TERM


def solution(
    matrix: Sequence[Sequence[int]], right: Sequence[int], keep_time: Callable[[float], None]
) -> list[Fraction] | None:
    """The unique y with A y = b; None if it is not unique or does not exist, as far as three primes can tell."""
    A, b = np.array(matrix, dtype=np.int64), np.array(right, dtype=np.int64)
    size = len(b)
    most = _most_digits(max(int(np.abs(A).max(initial=0)), int(np.abs(b).max(initial=0))), size)
    for prime in PRIMES:
        inverse = _inverse(A, prime, keep_time)
        if inverse is None:
            continue
        left, wanted, digits = b.copy(), 8, list[Array]()
        times_inverse, times_matrix = _times(inverse), _times(A)
        while True:
            while len(digits) < wanted:
                keep_time(2 * PER_TERM * size**2)
                digit = times_inverse(left % prime) % prime
                left = (left - times_matrix(digit)) // prime
                digits.append(digit)
            first = _fractions([digit[:1] for digit in digits], prime, keep_time)  # shows early that more are needed
            found = _fractions(digits, prime, keep_time) if first is not None else None
            if found is not None and _solves(matrix, right, found, keep_time):
                return found
            if wanted >= most:
                break
            wanted = min(2 * wanted, most)
    return None


def _times(matrix: Array) -> Callable[[Array], Array]:
    """The product with digits, in two halves whose sums do not round in floats, which are multiplied fast."""
    floats = matrix.astype(np.float64)

    def product(digits: Array) -> Array:
        high, low = floats @ (digits >> HALF).astype(np.float64), floats @ (digits & MASK).astype(np.float64)
        return (high.astype(np.int64) << HALF) + low.astype(np.int64)

    return product


def _most_digits(entry: int, size: int) -> int:
    """Enough digits for any solution, by Hadamard's bound on the determinants of Cramer's rule."""
    bits = size * (log2(entry + 1) + log2(size + 1) / 2) + 1
    return int(2 * bits / log2(PRIMES[-1])) + 2


def _inverse(A: Array, prime: int, keep_time: Callable[[float], None]) -> Array | None:
    """The inverse modulo a prime, by Gauss and Jordan, in place; None if there is none."""
    M, size = A % prime, len(A)
    order = np.arange(size)
    for k in range(size):
        keep_time(PER_WORD * size**2)
        candidates = np.flatnonzero(M[k:, k])
        if not candidates.size:
            return None
        pivot = k + int(candidates[0])
        M[[k, pivot]] = M[[pivot, k]]
        order[[k, pivot]] = order[[pivot, k]]
        inverse = pow(int(M[k, k]), -1, prime)
        M[k, k] = 1
        M[k] = M[k] * inverse % prime
        factors = M[:, k].copy()
        factors[k] = 0
        others = np.flatnonzero(factors)
        M[others, k] = 0
        M[others] = (M[others] - factors[others, np.newaxis] * M[k]) % prime
    out = np.empty_like(M)
    out[:, order] = M
    return out


def _fractions(digits: list[Array], prime: int, keep_time: Callable[[float], None]) -> list[Fraction] | None:
    """The fractions with these digits, if their parts are short enough to be unique."""
    modulus = prime ** len(digits)
    most = isqrt(modulus // 2)
    words = len(digits)
    parts, power = [digit.astype(object) for digit in digits], prime
    while len(parts) > 1:  # neighbours are joined to digits in base p^2, those in base p^4, and so on
        keep_time(100.0 * len(parts) * parts[0].size + words**1.6 * parts[0].size)
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts, power = [low + power * high for low, high in pairs] + parts[len(parts) & ~1 :], power * power
    found, common = [], 1
    for number in parts[0].tolist():
        keep_time(100.0 + words**2)
        above = number * common % modulus
        above = above - modulus if above > modulus // 2 else above
        if abs(above) > most:  # another denominator
            keep_time(30.0 * words**2 + 2000.0 * words)
            fraction = _fraction(above % modulus, modulus, most)
            if fraction is None or common * fraction[1] > most:
                return None
            above, common = fraction[0], common * fraction[1]
        found.append(Fraction(above, common))
    return found


def _fraction(number: int, modulus: int, most: int) -> tuple[int, int] | None:
    """The fraction with parts up to `most` that is this number modulo another, by Euclid's algorithm; or None."""
    before, rest, factor_before, factor = modulus, number, 0, 1
    while rest > most:
        quotient = before // rest
        before, rest = rest, before - quotient * rest
        factor_before, factor = factor, factor_before - quotient * factor
    if not factor or abs(factor) > most:
        return None
    return (rest, factor) if factor > 0 else (-rest, -factor)


def _solves(
    matrix: Sequence[Sequence[int]],
    right: Sequence[int],
    found: list[Fraction],
    keep_time: Callable[[float], None],
) -> bool:
    """Whether A y = b, exactly."""
    below = lcm(*(y.denominator for y in found))
    wholes = [y.numerator * (below // y.denominator) for y in found]
    words = below.bit_length() / 30
    for row, b in zip(matrix, right, strict=True):
        keep_time(len(row) * (60.0 + words))
        if sum(a * y for a, y in zip(row, wholes, strict=True) if a) != b * below:
            return False
    return True
