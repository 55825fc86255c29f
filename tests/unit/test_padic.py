"""Linear systems in whole numbers, by their digits: what a long elimination gives, and nothing else."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.prove.solve import padic, rational
from rosenblatt.prove.solve.clock import Clock, TimeIsUp


def no_limit(work):
    assert work >= 0.0


ENTRY = st.integers(-50, 50) | st.sampled_from([-(2**25), 2**25, 2**26 - 1, 0])


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(ENTRY, min_size=n + 1, max_size=n + 1), min_size=n, max_size=n)
    )
)
def test_is_the_solution_of_a_long_elimination(system):
    found = padic.solution([row[:-1] for row in system], [row[-1] for row in system], no_limit)
    wanted, solved = rational.solve(system, no_limit)
    assert found == (wanted if solved else None)


@pytest.mark.parametrize("n", [1, 7, 40])
def test_long_solutions(n):
    rng = np.random.default_rng(n)
    A, b = rng.integers(-(2**25), 2**25, size=(n, n)).tolist(), rng.integers(-(2**25), 2**25, size=n).tolist()
    y = padic.solution(A, b, no_limit)
    assert all(sum(a * k for a, k in zip(row, y, strict=True)) == right for row, right in zip(A, b, strict=True))
    assert n < 7 or max(k.denominator for k in y).bit_length() > 100


def test_what_no_prime_can_invert_has_no_solution():
    assert padic.solution([[1, 2], [2, 4]], [1, 2], no_limit) is None
    product = padic.PRIMES[0] * 3
    assert padic.solution([[product, 0], [0, 1]], [3, 5], no_limit) == [Fraction(1, padic.PRIMES[0]), Fraction(5)]


def test_it_is_left_when_the_time_is_up():
    rng = np.random.default_rng(0)
    A, b = rng.integers(-99, 99, size=(50, 50)).tolist(), rng.integers(-99, 99, size=50).tolist()
    clock = Clock()
    padic.solution(A, b, clock.keep_time)
    for part in (0.1, 0.5, 0.9):
        with pytest.raises(TimeIsUp):
            padic.solution(A, b, Clock(most_work=part * clock.work).keep_time)


def test_a_large_contradiction_is_solved_for():
    """A positive null vector of many rows, which more columns than rows agree on."""
    rng = np.random.default_rng(1)
    rows = rng.integers(-(2**20), 2**20, size=(40, 60))
    mixture = rng.integers(1, 9, size=39)
    rows[:39] *= 2
    rows[39] = -(mixture @ rows[:39]) // 2
    basis = rows[:, :39] @ rng.integers(-2, 3, size=(39, 60))  # of rank 39 at most, in 60 columns
    vectors = [{k: int(v) for k, v in enumerate(row) if v} for row in basis]
    weights = rational.null_vector(vectors)
    assert [Fraction(w, weights[-1]) for w in weights[:-1]] == [Fraction(int(m), 2) for m in mixture]


def test_long_numbers_are_left_to_the_long_elimination():
    assert padic.fits(2**25, 300)
    assert not padic.fits(2**40, 300)
    assert padic.takes(2**25, 300) > padic.takes(2**25, 100)
