"""The losses of `learn.selection` a row at a time, and their lowest point by small steps; imports nothing of ours."""

from math import exp, expm1, sqrt


def loss(margin, sharpness):
    """A parabola below the margin 1, bent towards a ceiling."""
    half_square = max(0.0, 1.0 - margin) ** 2 / 2
    return half_square if sharpness == 0 else -expm1(-sharpness * half_square) / sharpness


def fall(margin, sharpness):
    """How steeply the loss falls there."""
    slack = max(0.0, 1.0 - margin)
    return slack if sharpness == 0 else slack * exp(-sharpness * slack * slack / 2)


def joint_loss(scores, own, sharpness):
    """Of one row: its class should be ahead of each of the others by 1."""
    short = [max(0.0, 1.0 - (scores[own] - score)) for k, score in enumerate(scores) if k != own]
    half_square = sum(s * s for s in short) / 2
    return half_square if sharpness == 0 else -expm1(-sharpness * half_square) / sharpness


def joint_pulls(scores, own, sharpness):
    """By how much the loss of one row falls as each of its scores rises."""
    short = [0.0 if k == own else max(0.0, 1.0 - (scores[own] - score)) for k, score in enumerate(scores)]
    steep = exp(-sharpness * sum(s * s for s in short) / 2)
    return [steep * (sum(short) if k == own else -s) for k, s in enumerate(short)]


def objective(rows, signs, costs, w, ridge, sharpness):
    """The mean loss and half the ridge times the square of the length of the weights."""
    total = sum(costs)
    lost = sum(
        c * loss(y * sum(a * b for a, b in zip(w, x, strict=True)), sharpness)
        for x, y, c in zip(rows, signs, costs, strict=True)
    )
    return lost / total + ridge / 2 * sum(a * a for a in w)


def downhill(rows, signs, costs, w, ridge, sharpness, steps=5000):
    """Small steps down the slope, as small as the longest row asks."""
    total, w = sum(costs), list(w)
    step = 1.0 / (ridge + max(sum(a * a for a in x) for x in rows) or 1.0)
    for _ in range(steps):
        slope = [ridge * a for a in w]
        for x, y, c in zip(rows, signs, costs, strict=True):
            pull = c / total * y * fall(y * sum(a * b for a, b in zip(w, x, strict=True)), sharpness)
            slope = [s - pull * a for s, a in zip(slope, x, strict=True)]
        w = [a - step * s for a, s in zip(w, slope, strict=True)]
    return w


def compared(wrong, judged, costs, codes):
    """Of each candidate the error and how noisy its difference from the best is; and the least error of one class.

    wrong[s][k] has a flag for each row in judged[s]. A row that is judged several times counts once.
    """
    rows = sorted({row for part in judged for row in part})
    total = sum(costs[row] for row in rows)

    def share(k, row):
        found = [flags[k][part.index(row)] for flags, part in zip(wrong, judged, strict=True) if row in part]
        return sum(found) / len(found)

    shares = [{row: share(k, row) for row in rows} for k in range(len(wrong[0]))]
    errors = [sum(costs[row] * each[row] for row in rows) / total for each in shares]
    best = errors.index(min(errors))
    noise = []
    for each, error in zip(shares, errors, strict=True):
        apart = [(each[row] - shares[best][row]) - (error - errors[best]) for row in rows]
        noise.append(sqrt(sum((costs[row] * a) ** 2 for row, a in zip(rows, apart, strict=True))) / total)
    classes = {codes[row] for row in rows}
    constant = min(sum(costs[row] for row in rows if codes[row] != code) / total for code in classes)
    return errors, noise, constant
