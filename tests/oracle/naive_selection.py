"""The losses of `learn.selection` a row at a time, and their lowest point by small steps; imports nothing of ours."""

from math import exp


def loss(margin, sharpness):
    """A parabola below the margin 1, bent towards a ceiling."""
    half_square = max(0.0, 1.0 - margin) ** 2 / 2
    return half_square if sharpness == 0 else (1.0 - exp(-sharpness * half_square)) / sharpness


def fall(margin, sharpness):
    """How steeply the loss falls there."""
    slack = max(0.0, 1.0 - margin)
    return slack if sharpness == 0 else slack * exp(-sharpness * slack * slack / 2)


def joint_loss(scores, own, sharpness):
    """Of one row: its class should be ahead of each of the others by 1."""
    short = [max(0.0, 1.0 - (scores[own] - score)) for k, score in enumerate(scores) if k != own]
    half_square = sum(s * s for s in short) / 2
    return half_square if sharpness == 0 else (1.0 - exp(-sharpness * half_square)) / sharpness


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
