"""The soft margin's lowest point in rationals, by Newton's method on a piecewise quadratic; imports nothing of ours.

P(w) = ||w||^2 / 2 + sum c_i / 2 max(0, 1 - z_i . w)^2 is strictly convex and once differentiable, so a w at which its
gradient is exactly zero is the only lowest point, however it was found.
"""

from fractions import Fraction


def exact(numbers):
    return [Fraction(v) for v in numbers]


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def objective(rows, costs, w):
    """P(w), for signed rows."""
    slacks = [max(Fraction(0), 1 - dot(z, w)) for z in rows]
    return (dot(w, w) + sum((c * s * s for c, s in zip(costs, slacks, strict=True)), Fraction(0))) / 2


def gradient(rows, costs, w):
    g = list(w)
    for z, c in zip(rows, costs, strict=True):
        slack = 1 - dot(z, w)
        if slack > 0:
            g = [a - c * slack * b for a, b in zip(g, z, strict=True)]
    return g


def dual(rows, costs, numbers):
    """D(a) for a >= 0."""
    width = len(rows[0])
    v = [sum((a * z[k] for a, z in zip(numbers, rows, strict=True)), Fraction(0)) for k in range(width)]
    own = sum((a * a / c for a, c in zip(numbers, costs, strict=True) if a), Fraction(0))
    return sum(numbers, Fraction(0)) - (dot(v, v) + own) / 2


def lowest(rows, costs):
    """The w of least P."""
    rows, costs = [exact(z) for z in rows], exact(costs)
    w = [Fraction(0)] * len(rows[0])
    while any(g := gradient(rows, costs, w)):
        within = [(z, c) for z, c in zip(rows, costs, strict=True) if 1 - dot(z, w) > 0]
        H = [
            [sum((c * z[i] * z[j] for z, c in within), Fraction(int(i == j))) for j in range(len(w))]
            for i in range(len(w))
        ]
        step = solve(H, [-v for v in g])
        t = lowest_on_line(rows, costs, w, step)
        w = [a + t * b for a, b in zip(w, step, strict=True)]
    return w


def lowest_on_line(rows, costs, w, step):
    """Where the slope is zero: it is linear between the places where a row comes to the margin or leaves it."""
    slacks, falls = [1 - dot(z, w) for z in rows], [dot(z, step) for z in rows]

    def slope(t):
        value = dot(w, step) + t * dot(step, step)
        for c, s, f in zip(costs, slacks, falls, strict=True):
            value -= c * f * max(Fraction(0), s - t * f)
        return value

    places = sorted({s / f for s, f in zip(slacks, falls, strict=True) if f and s / f > 0})
    low = max((t for t in places if slope(t) < 0), default=Fraction(0))
    high = next((t for t in places if t > low), low + 1)
    a, b = slope(low), slope(high)
    return low - a * (high - low) / (b - a)


def solve(H, b):
    """Gauss and Jordan, for a positive definite H."""
    table = [[*row, value] for row, value in zip(H, b, strict=True)]
    for i in range(len(table)):
        pivot = table[i][i]
        table[i] = [v / pivot for v in table[i]]
        for j in range(len(table)):
            if j != i and table[j][i]:
                factor = table[j][i]
                table[j] = [p - factor * q for p, q in zip(table[j], table[i], strict=True)]
    return [row[-1] for row in table]


def signed(X, y, bias=1.0):
    """Signed rows with the constant, as the functions above take them."""
    return [[Fraction(float(v)) * int(s) for v in [*x, bias]] for x, s in zip(X, y, strict=True)]
