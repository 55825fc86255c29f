"""The mistake-bound note along a stream: its two inequalities, its hypotheses and its bound, after any row."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from operator import mul
from typing import Any

from rosenblatt.learn.online import online_kernels
from rosenblatt.learn.online.online import Stream
from rosenblatt.prove.check import exact
from rosenblatt.prove.theory import bounds


@dataclass(frozen=True)
class MistakeBound:
    """The state of the mistake-bound note's proof after some rows of a stream."""

    mistakes: int  # M_t
    along: float  # w_t . w*
    along_at_least: float  # eps M_t
    squared_length: float  # ||w_t||^2
    squared_length_at_most: float  # M_t U^2
    radius: float  # U, the length of the longest row so far
    bound: int | None  # U^2 ||w*||^2 / eps^2, while the hypotheses hold
    broken_at: int | None  # the first row of the stream with y (w* . x) < eps
    inequalities_hold: bool  # up to the rounding of the weights

    @property
    def hypotheses_hold(self) -> bool:
        """Whether y (w* . x) >= eps for every row so far."""
        return self.broken_at is None


def mistake_bound(stream: Stream) -> MistakeBound:
    """The state of the proof of the mistake bound; inequalities are compared in exact arithmetic."""
    known: Any = stream.comparator
    (w, p), (star, q) = (exact.whole_numbers(weights.tolist()) for weights in (stream.table[0], stream.star))
    along, square = Fraction(sum(map(mul, w, star)), 1 << (p + q)), Fraction(sum(k * k for k in w), 1 << 2 * p)
    mistakes, broken = int(stream.counts[online_kernels.MISTAKES]), int(stream.counts[online_kernels.BROKEN])
    U, eps = float(stream.numbers[online_kernels.RADIUS]), Fraction(known.epsilon)
    length = exact.root_above(sum((Fraction(entry) ** 2 for entry in known.entries), Fraction(0)))
    most = mistakes * Fraction(U) ** 2
    # Each correction rounds w, of length sqrt(most) or less, by half a unit; U is the root of a rounded sum.
    share = Fraction((mistakes + 1) * (stream.features + 8), 2**52)
    hold = along >= eps * mistakes - share * Fraction(exact.root_above(most)) * Fraction(length)
    return MistakeBound(
        mistakes=mistakes,
        along=_rounded(along),
        along_at_least=_rounded(eps * mistakes),
        squared_length=_rounded(square),
        squared_length_at_most=_rounded(most),
        radius=U,
        bound=bounds.stream(U, length, known.epsilon) if U > 0.0 and broken < 0 else None,
        broken_at=broken if broken >= 0 else None,
        inequalities_hold=hold and square <= most * (1 + share),
    )


def _rounded(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
