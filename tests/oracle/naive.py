"""The algorithm in its slowest form: decisions in exact rationals. Imports nothing of rosenblatt.

A row is a list of floats, the threshold's constant included; labels are -1 and +1. Decisions are exact; an update
is one float addition per entry, as the library promises.
"""

from fractions import Fraction


def dot(a, b):
    return sum((Fraction(p) * Fraction(q) for p, q in zip(a, b, strict=True)), Fraction(0))


def is_mistake(x, y, w, ties):
    m = y * dot(w, x)
    if m != 0:
        return m < 0
    return {"mistake": True, "plus": y < 0, "minus": y > 0, "correct": False}[ties]


def update(x, y, w, step=1.0):
    return [b + (step * y) * a for a, b in zip(x, w, strict=True)]


def mistakes(rows, labels, w, ties="mistake"):
    return [i for i, (x, y) in enumerate(zip(rows, labels, strict=True)) if is_mistake(x, y, w, ties)]


def follow(rows, labels, w, order, ties="mistake", most=None):
    """Look at rows in `order` and correct each mistake met; the corrected rows, and the weights after them."""
    corrected = []
    for i in order:
        if most is not None and len(corrected) == most:
            break
        if is_mistake(rows[i], labels[i], w, ties):
            w = update(rows[i], labels[i], w)
            corrected.append(i)
    return corrected, w


def cyclic(rows, labels, w, passes, ties="mistake"):
    """Passes in order until n rows in a row are right."""
    corrected, quiet = [], 0
    for _ in range(passes):
        for i in range(len(rows)):
            if is_mistake(rows[i], labels[i], w, ties):
                w = update(rows[i], labels[i], w)
                corrected.append(i)
                quiet = 0
            else:
                quiet += 1
                if quiet >= len(rows):
                    return corrected, w
    return corrected, w


def worst(rows, labels, w, steps):
    """Always the row with the least margin, the first of equals, while that is a mistake (a tie is one)."""
    corrected = []
    for _ in range(steps):
        margins = [y * dot(w, x) for x, y in zip(rows, labels, strict=True)]
        i = margins.index(min(margins))
        if margins[i] > 0:
            break
        w = update(rows[i], labels[i], w)
        corrected.append(i)
    return corrected, w


def pocket(rows, labels, w, draws, most, ties="mistake", costs=None, steps=None, counts=None):
    """The pocket algorithm on a stream of draws: the weights kept, their cost, when they were kept, and all updates.

    `counts(x, y, w)` tells which rows the kept weights should not have; by default, the mistakes.
    """
    counts = counts or (lambda x, y, w: is_mistake(x, y, w, ties))
    costs = costs or [1] * len(rows)

    def cost(w):
        return sum(c for x, y, c in zip(rows, labels, costs, strict=True) if c and counts(x, y, w))

    kept, best, kept_at, corrected = w, cost(w), 0, []
    for k, i in enumerate(draws):
        if best == 0 or len(corrected) == most:
            break
        if is_mistake(rows[i], labels[i], w, ties):
            w = update(rows[i], labels[i], w, steps[k] if steps is not None else 1.0)
            corrected.append(i)
            if (now := cost(w)) < best:
                kept, best, kept_at = w, now, len(corrected)
    return kept, best, kept_at, corrected


def ratchet(rows, labels, w, draws, most, ties="mistake"):
    """The same with Gallant's ratchet: weights are counted when they are right on more draws in a row than ever."""

    def cost(w):
        return len(mistakes(rows, labels, w, ties))

    kept, best, kept_at, corrected, longest, now = w, cost(w), 0, [], 0, 0
    for i in draws:
        if best == 0 or len(corrected) == most:
            break
        if is_mistake(rows[i], labels[i], w, ties):
            w, now = update(rows[i], labels[i], w), 0
            corrected.append(i)
            continue
        now += 1
        if now > longest:
            longest = now
            if cost(w) < best:
                kept, best, kept_at = w, cost(w), len(corrected)
    return kept, best, kept_at, corrected
