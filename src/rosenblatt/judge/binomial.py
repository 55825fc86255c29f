"""Exact statements from counts of independent rows, all of which count the same.

Problem   k of n rows drawn alike had a property (an error, say); how often do fresh rows have it?
Result    limits that are wrong with at most the stated probability, and p-values; where rounding matters, it is to the
          safe side: limits outwards, p-values upwards, by a relative error far below 1e-9.
Paper     Clopper and Pearson 1934.

Callers refuse rows with weights: a sum of weights is not binomial. Nothing here approximates for large n.
"""

from math import exp, expm1, lgamma, log, log1p

import numpy as np

from rosenblatt.errors import OptionError
from rosenblatt.options import as_float, whole

EPSILON = float(np.finfo(np.float64).eps)
SLACK = 64 * EPSILON  # relative: the most that a few dozen roundings take from a logarithm
UP = 1 + 2 * EPSILON  # makes any rounded product exceed the exact factor
AT_ONCE = 4096  # terms of a binomial sum
MOST_ROWS = 10**12


def confident(confidence: float) -> float:
    """The probability that a statement is wrong, at most: 1 minus a confidence from 50% to below 100%."""
    size = as_float(confidence)
    if size is None or not 0.5 <= size < 1:
        raise OptionError(f"confidence must be a number of at least 0.5 and below 1, such as 0.95, not {confidence!r}")
    return 1 - size


def share(name: str, value: float) -> float:
    """The option, if it is a share above 0 and below 1."""
    size = as_float(value)
    if size is None or not 0 < size < 1:
        raise OptionError(f"{name} must be a number above 0 and below 1, such as 0.05, not {value!r}")
    return size


def upper_limit(count: int, rows: int, confidence: float = 0.95) -> float:
    """The one-sided limit from above on how often fresh rows have the property.

    >>> from rosenblatt.judge import binomial
    >>> round(binomial.upper_limit(0, 59), 4)
    0.0495
    """
    count, rows = _counted(count, rows)
    return limit(count, rows, log(confident(confidence)))


def lower_limit(count: int, rows: int, confidence: float = 0.95) -> float:
    """The one-sided limit from below on how often fresh rows have the property."""
    count, rows = _counted(count, rows)
    return 1.0 - limit(rows - count, rows, log(confident(confidence)))


def interval(count: int, rows: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided interval of Clopper and Pearson.

    >>> from rosenblatt.judge import binomial
    >>> [round(end, 4) for end in binomial.interval(5, 100)]
    [0.0164, 0.1128]
    """
    count, rows = _counted(count, rows)
    tail = log(confident(confidence) / 2)
    return 1.0 - limit(rows - count, rows, tail), limit(count, rows, tail)


def p_value(count: int, rows: int, rate: float) -> float:
    """P(Bin(rows, rate) <= count): how likely so few or fewer are, at most, if the rate is `rate` or more; rounded up.

    >>> from rosenblatt.judge import binomial
    >>> round(binomial.p_value(1, 93, 0.05), 4)
    0.05
    """
    count, rows = _counted(count, rows, least=0)
    rate = share("rate", rate)
    if count == rows:
        return 1.0
    rare = rate * rows >= count
    tail = log_tail(count, rows, rate) if rare else log_tail(rows - count - 1, rows, 1 - rate)  # of more than count
    safe = SLACK * (lgamma(rows + 1) - tail + 1)
    return min((exp(tail + safe) if rare else -expm1(tail - safe)) * UP, 1.0)


def sign_p_value(one: int, other: int) -> float:
    """How likely two counts are at least this uneven, if each row is as likely to be in one as in the other.

    >>> from rosenblatt.judge import binomial
    >>> binomial.sign_p_value(1, 9)  # 22 / 1024
    0.021484...
    """
    few, rows = _counted(min(one, other), one + other, least=0)
    return min(2 * p_value(few, rows, 0.5), 1.0)


def rows_needed(rate: float, confidence: float = 0.95, errors: int = 0) -> int:
    """The fewest rows on which this many errors still show that the rate is at most `rate`.

    Without errors it is the smallest n with (1 - rate)^n <= 1 - confidence.

    >>> from rosenblatt.judge import binomial
    >>> [binomial.rows_needed(0.05, errors=k) for k in range(4)]
    [59, 93, 124, 153]
    """
    delta, rate = confident(confidence), share("rate", rate)
    errors = int(whole("errors", errors, 0, most=MOST_ROWS))
    low = high = errors  # on `low` rows it is not enough
    while p_value(errors, high := min(2 * high + 1, MOST_ROWS), rate) > delta:
        low = high
        if high == MOST_ROWS:
            raise OptionError(f"a rate of {rate:g} would need more than {MOST_ROWS:,} rows: name a higher one")
    while high - low > 1:  # the gap halves
        middle = (low + high) // 2
        low, high = (middle, high) if p_value(errors, middle, rate) > delta else (low, middle)
    return high


def most_errors(rows: int, rate: float, confidence: float = 0.95) -> int | None:
    """The most errors among `rows` that still show a rate of at most `rate`; None if not even zero errors do."""
    delta = confident(confidence)
    if rows < 1 or p_value(0, rows, rate) > delta:
        return None
    low, high = 0, rows  # `low` errors are few enough, `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if p_value(middle, rows, rate) <= delta else (low, middle)
    return low


def limit(errors: int, n: int, log_delta: float) -> float:
    """The largest p with P(Bin(n, p) <= errors) >= exp(log_delta), for a delta up to 1/2; rounded up.

    Delta is given by its logarithm: shared among many sets of rows it may be less than a float can be.

    >>> from rosenblatt.judge import binomial
    >>> round(binomial.limit(1, 2, np.log(0.25)), 9)  # 1 - p^2 = 1/4
    0.866025404
    """
    if errors == n:
        return 1.0
    target = log_delta - SLACK * (lgamma(n + 1) - log_delta + 1)
    if errors == 0:
        return min(-expm1(target / n) * UP, 1.0)
    low, high = errors / n, 1.0  # the median of Bin(n, errors / n) is errors
    while low < (p := (low + high) / 2) < high:
        low, high = (low, p) if log_tail(errors, n, p) <= target else (p, high)
    return high


def log_tail(errors: int, n: int, p: float) -> float:
    """ln P(Bin(n, p) <= errors) for p >= errors / n: the last term, and the others by their ratios, each below 1."""
    total = term = 1.0
    for top in range(errors, 0, -AT_ONCE):
        j = np.arange(top, max(top - AT_ONCE, 0), -1, dtype=np.float64)
        terms = term * np.cumprod(j / (n - j + 1) * ((1 - p) / p))
        total, term = total + float(terms.sum()), float(terms[-1])
        if term * top < EPSILON * total:
            break
    ways = lgamma(n + 1) - lgamma(errors + 1) - lgamma(n - errors + 1)
    return ways + errors * log(p) + (n - errors) * log1p(-p) + log(total)


def _counted(count: int, rows: int, least: int = 1) -> tuple[int, int]:
    """The count and the rows, checked: there must be enough rows, and the count must be a part of them."""
    rows = int(whole("rows", rows, least, most=MOST_ROWS))
    return int(whole("count", count, 0, most=rows)), rows
