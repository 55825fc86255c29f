"""Probabilities, curves and tests as they are defined, in fractions; imports nothing of ours."""

from fractions import Fraction
from itertools import combinations
from math import comb


def isotonic(rows):
    """The isotonic regression of (score, label, weight) rows, rows of equal scores pooled first: score -> value."""
    pooled = {}
    for score, label, weight in rows:
        yes, total = pooled.get(score, (Fraction(0), Fraction(0)))
        pooled[score] = yes + Fraction(weight) * label, total + Fraction(weight)
    scores = sorted(pooled)
    sums = [pooled[score] for score in scores]

    def mean(i, j):
        return sum(yes for yes, _ in sums[i : j + 1]) / sum(total for _, total in sums[i : j + 1])

    last = len(scores) - 1  # the formula of the greatest of the least means
    return {
        score: max(min(mean(i, j) for j in range(k, last + 1)) for i in range(k + 1)) for k, score in enumerate(scores)
    }


def venn_abers(rows, score):
    """The values of a new row with this score, as a no and as a yes, in a regression of all rows with it."""
    return tuple(isotonic([*((s, y, 1) for s, y in rows), (score, label, 1)])[score] for label in (0, 1))


def tail(count, rows, p):
    """P(Bin(rows, p) <= count)."""
    p = Fraction(p)
    return sum((comb(rows, j) * p**j * (1 - p) ** (rows - j) for j in range(count + 1)), Fraction(0))


def area(rows):
    """How often a yes scores higher than a no, over all pairs of (score, label, weight) rows; equal ones are a half."""
    pairs = [
        (Fraction(wy) * Fraction(wn), Fraction((sy > sn) + (sy >= sn), 2))
        for sy, y, wy in rows
        for sn, n, wn in rows
        if y and not n
    ]
    return sum(weight * won for weight, won in pairs) / sum(weight for weight, _ in pairs)


def area_variance(rows):
    """DeLong's: the sample variances of each row's share of won pairs, divided by the numbers of rows."""
    yes, no = [s for s, y in rows if y], [s for s, y in rows if not y]

    def won(a, b):
        return Fraction((a > b) + (a >= b), 2)

    parts = [
        [sum(won(a, b) for b in no) / Fraction(len(no)) for a in yes],
        [sum(won(a, b) for a in yes) / Fraction(len(yes)) for b in no],
    ]
    found = Fraction(0)
    for each in parts:
        mean = sum(each) / len(each)
        found += sum((value - mean) ** 2 for value in each) / (len(each) - 1) / len(each)
    return found


def average_precision(rows):
    """Precision times what is added to recall, at each distinct score from the highest on."""
    positives = sum(Fraction(w) for _, y, w in rows if y)
    found = before = Fraction(0)
    for cut in sorted({s for s, _, _ in rows}, reverse=True):
        said = [(y, Fraction(w)) for s, y, w in rows if s >= cut]
        yes = sum(w for y, w in said if y)
        found += (yes - before) / positives * yes / sum(w for _, w in said)
        before = yes
    return found


def mcnemar(one, other):
    """The two-sided sign test: twice the smaller tail of a fair coin, at most 1."""
    return min(2 * tail(min(one, other), one + other, Fraction(1, 2)), Fraction(1))


def shuffled_p_value(old, new, statistic):
    """The share of all ways to say which rows are new that are as far off as these."""
    rows = [*old, *new]
    far, found = 0, []
    for chosen in combinations(range(len(rows)), len(new)):
        found.append(statistic([rows[i] for i in range(len(rows)) if i not in chosen], [rows[i] for i in chosen]))
    far = sum(value >= statistic(old, new) for value in found)
    return Fraction(far, len(found))


def chi_square(old, new):
    """Pearson's statistic of the counts of each value."""
    n, m = len(old), len(new)
    found = Fraction(0)
    for value in {*old, *new}:
        both = old.count(value) + new.count(value)
        for rows in (old, new):
            expected = Fraction(both * len(rows), n + m)
            found += (rows.count(value) - expected) ** 2 / expected
    return found


def urn_p_value(old, new):
    """How likely new counts are as far off if each new row falls into a cell as a ball is drawn from Polya's urn.

    It begins with the old counts and a whole ball more, divided among the cells.
    """
    k, n, m = len(old), sum(old), sum(new)
    start = [count + Fraction(1, k) for count in old]

    def likely(drawn):
        ways, left = Fraction(1), m
        for count, weight in zip(drawn, start, strict=True):
            ways *= comb(left, count)
            left -= count
            for i in range(count):
                ways *= weight + i
        for i in range(m):
            ways /= n + 1 + i
        return ways

    def far(drawn):
        found = Fraction(0)
        for a, b in zip(old, drawn, strict=True):
            if a + b:
                found += (b - Fraction((a + b) * m, n + m)) ** 2 / (a + b)
        return found

    return sum(likely(drawn) for drawn in _divided(m, k) if far(drawn) >= far(new))


def _divided(rows, cells):
    """All ways to divide so many rows among so many cells."""
    if cells == 1:
        return [(rows,)]
    return [(first, *rest) for first in range(rows + 1) for rest in _divided(rows - first, cells - 1)]


def holm(p_values):
    """The p-values, each times the number of hypotheses that are not yet rejected before it."""
    ranked = sorted(p_values)
    return [
        max(min(Fraction(1), (len(ranked) - k) * Fraction(p)) for k, p in enumerate(ranked) if p <= own)
        for own in p_values
    ]
