"""The perceptron of several classes in its slowest form: decisions in exact rationals. Imports nothing of rosenblatt.

A row is a list of floats, the threshold's constant included; classes are numbers from 0 on; W has a list for each.
"""

from fractions import Fraction


def dot(a, b):
    return sum((Fraction(p) * Fraction(q) for p, q in zip(a, b, strict=True)), Fraction(0))


def predict(x, W):
    scores = [dot(w, x) for w in W]
    return scores.index(max(scores))


def mistakes(rows, classes, W):
    return [i for i, (x, y) in enumerate(zip(rows, classes, strict=True)) if predict(x, W) != y]


def rival(x, y, W, ties="mistake"):
    """The strongest rival, if it makes the row a mistake; else None."""
    scores = [dot(w, x) for w in W]
    top = max(score for r, score in enumerate(scores) if r != y)
    equals = [r for r, score in enumerate(scores) if r != y and score == top]
    strongest = equals[-1] if ties == "plus" else equals[0]
    if top != scores[y]:
        return strongest if top > scores[y] else None
    wrong = {"mistake": True, "plus": strongest > y, "minus": strongest < y, "correct": False}[ties]
    return strongest if wrong else None


def update(x, y, r, W, step=1.0):
    new = [list(w) for w in W]
    new[y] = [b + step * a for a, b in zip(x, W[y], strict=True)]
    new[r] = [b + -step * a for a, b in zip(x, W[r], strict=True)]
    return new


def cyclic(rows, classes, W, passes, ties="mistake"):
    """Passes in order until n rows in a row are right: the corrected pairs of a row and a rival, and the weights."""
    corrected, quiet = [], 0
    for _ in range(passes):
        for i, (x, y) in enumerate(zip(rows, classes, strict=True)):
            if (r := rival(x, y, W, ties)) is not None:
                W = update(x, y, r, W)
                corrected.append((i, r))
                quiet = 0
            else:
                quiet += 1
                if quiet >= len(rows):
                    return corrected, W
    return corrected, W


def worst(rows, classes, W, steps):
    """Always the row that leads by the least, the first of equals, while that is a mistake (a tie is one)."""
    corrected = []
    for _ in range(steps):
        leads = []
        for x, y in zip(rows, classes, strict=True):
            scores = [dot(w, x) for w in W]
            leads.append(scores[y] - max(score for r, score in enumerate(scores) if r != y))
        i = leads.index(min(leads))
        if leads[i] > 0:
            break
        r = rival(rows[i], classes[i], W)
        W = update(rows[i], classes[i], r, W)
        corrected.append((i, r))
    return corrected, W


def spread_out(n):
    """Rows in an order in which each is the golden section further on: the rank of i times it, modulo 2^64."""
    places = [i * 0x9E3779B97F4A7C15 % 2**64 for i in range(n)]
    return [sorted(places).index(place) for place in places]


def averaged(rows, classes, W, passes):
    """The mean of W after each look, exactly, and the last W; rows are spread out."""
    total, looks, order = [[Fraction(0)] * len(w) for w in W], 0, spread_out(len(rows))
    for _ in range(passes):
        moved = False
        for i in order:
            if (r := rival(rows[i], classes[i], W)) is not None:
                W, moved = update(rows[i], classes[i], r, W), True
            total = [[a + Fraction(b) for a, b in zip(t, w, strict=True)] for t, w in zip(total, W, strict=True)]
            looks += 1
        mean = [[a / looks for a in t] for t in total]
        if not moved and not mistakes(rows, classes, mean):
            break
    return mean, W


def signed_rows(rows, classes, many):
    """Kesler's: for every row and rival, e_y (x) x - e_r (x) x, in the order of rows and rivals."""
    found = []
    for x, y in zip(rows, classes, strict=True):
        for r in range(many):
            if r != y:
                z = [0.0] * (many * len(x))
                z[y * len(x) : (y + 1) * len(x)] = x
                z[r * len(x) : (r + 1) * len(x)] = [-v for v in x]
                found.append(z)
    return found
