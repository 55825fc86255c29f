def hinge_losses(scores: Any, margin: Number) -> Array:
    """max(0, 1 - y (u . x) / gamma) for each score y (u . x), of which there is one per round (Harchaoui 2.5.2).

    A round is a look at a row: over K passes every row has K of them.

    >>> hinge_losses([-1, 0, 1, 2, 4], 2).tolist()
    [1.5, 1.0, 0.5, 0.0, 0.0]
    """
    with np.errstate(over="ignore"):
        return np.maximum(0.0, 1.0 - _finite_array("scores", scores) / float(_positive("margin", margin)))


def hinge_per_round(losses: Any, length: Number, margin: Number) -> float:
    """|M| <= sum of the update rounds' losses + ||w_T|| / gamma from zeros, for any u no longer than 1; rounded up.

    Harchaoui 2.5.1, sharper: there ||w_T|| is replaced by the root of the sum of ||x_t||^2. Here M are the update
    rounds and only their losses count.

    >>> hinge_per_round([0.5, 1, 0], 3, 2)
    3.0
    """
    l = _finite_array("losses", losses).ravel()  # noqa: E741
    if (l < 0).any():
        raise OptionError(f"losses must be 0 or more, not {l.min()}")
    wholes, exponent = exact.whole_numbers(l.tolist())
    rest = _not_negative("length", length) / _positive("margin", margin)
    return _rounded(Fraction(sum(wholes), 1 << exponent) + rest, inf)


def hinge_root(total_loss: Number, radius: Number, margin: Number) -> int:
    """M <= L + R^2 / (2 gamma^2) + (R / gamma) sqrt(R^2 / (4 gamma^2) + L), L being the loss of all rounds.

    From zeros, for any u no longer than 1 and any gamma > 0: `hinge_per_round` with ||w_T|| <= R sqrt(M), solved for M
    (Harchaoui 2.5.1, made useful; compare Mohri and Rostamizadeh 2013).

    >>> hinge_root(0, 1, 0.5), hinge_root(2, 1, 1)
    (4, 4)
    """
    L, ratio = _not_negative("total_loss", total_loss), _positive("radius", radius) / _positive("margin", margin)
    return _floor(L + ratio**2 / 2, ratio**4 / 4 + L * ratio**2, Fraction(1))


def freund_schapire(radius: Number, deviation: Number, margin: Number) -> int:
    """M <= ((R + D) / gamma)^2, D being the root of the sum over all rounds of max(0, gamma - y (u . x))^2.

    From zeros, for any u no longer than 1 and any gamma > 0 (Freund and Schapire 1999, theorem 2): Novikoff's bound
    after the best lift, see `lifted_updates`.

    >>> freund_schapire(1, 1, 0.5)
    16
    """
    R, D = _positive("radius", radius), _not_negative("deviation", deviation)
    return floor(((R + D) / _positive("margin", margin)) ** 2)


@dataclass(frozen=True)
class HingeBound:
    """The least bound on mistakes that was found."""

    bound: int
    form: str  # "root" or "freund-schapire"
    candidate: int  # which of the candidates gives it
    margin: float  # and with which gamma


def best_hinge(scores: Any, radius: Number) -> HingeBound:
    """The least of `hinge_root` and `freund_schapire` over candidates and margins.

    scores[c, t] is y (u_c . x) in round t, over all rounds, for a candidate u_c no longer than 1 (the pocket's weights,
    another solver's, ...). The printed infimum (Harchaoui 2.5.1) is over update rounds alone, and says nothing: as gamma
    grows, every loss tends to 1 and ||w_T|| / gamma to 0, so it is |M| itself, always. With all rounds, a margin that is
    too large costs something.

    >>> best_hinge([[0.5, 0.5, 1, 0.5], [1, 1, 1, -1]], 1)
    HingeBound(bound=4, form='root', candidate=0, margin=0.5)
    """
    table, R = _finite_array("scores", scores), float(_positive("radius", radius))
    if table.ndim != 2 or not table.size:
        raise OptionError(f"scores must be a table of candidates and rounds, not of shape {table.shape}")
    if (largest := float(np.abs(table).max())) > R * (1 + 1e-9):
        raise OptionError(f"scores must be at most the radius, {radius}, in size, not {largest}: is u too long?")
    found = []  # in floats; the best is then computed exactly
    for candidate, row in enumerate(np.sort(table, axis=1)):
        for form, curve in _curves(row, R).items():
            for gamma in (_least(curve, R, row.size), float(row[0])):
                if gamma > 0:
                    found.append((float(curve(np.array([gamma]))[0]), form, candidate, gamma))
    _, form, candidate, gamma = min(found)
    (g, *wholes), exponent = exact.whole_numbers([gamma, *table[candidate].tolist()])
    short = [g - k for k in wholes if k < g]
    if form == "root":
        bound = hinge_root(Fraction(sum(short), g), radius, gamma)
    else:
        deviation = exact.root_above(Fraction(sum(k * k for k in short), 1 << 2 * exponent))
        bound = freund_schapire(radius, deviation, gamma)
    return HingeBound(bound, form, candidate, gamma)


def _curves(row: Array, radius: float) -> dict[str, Callable[[Array], Array]]:
    """Both forms as functions of gamma, for sorted scores: sums over the scores below gamma are looked up."""
    s = row / radius
    sums, squares = (np.concatenate([[0.0], np.cumsum(terms)]) for terms in (s, s * s))

    def root(gamma: Array) -> Array:
        below, g = np.searchsorted(row, gamma), gamma / radius
        L = np.maximum(below - sums[below] / g, 0.0)
        return L + 0.5 / g**2 + np.sqrt(0.25 / g**2 + L) / g

    def square(gamma: Array) -> Array:
        below, g = np.searchsorted(row, gamma), gamma / radius
        return (1 + np.sqrt(np.maximum(below * g**2 - 2 * g * sums[below] + squares[below], 0.0))) ** 2 / g**2

    return {"root": root, "freund-schapire": square}


def _least(curve: Callable[[Array], Array], radius: float, rounds: int) -> float:
    """The gamma where the curve is least: below R / sqrt(rounds), R^2 / gamma^2 alone is more than all rounds."""
    low, high = radius / sqrt(rounds + 3), radius * sqrt(rounds + 3)
    for _ in range(ZOOMS):
        grid = np.geomspace(low, high, GRID)
        best = int(np.argmin(curve(grid)))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, GRID - 1)]
    return float(grid[best])


def lifted_margin(margin: Number, squared_slack: Number, a: Number) -> float:
    """A margin of the lifted rows [a x_i; sqrt(1 - a^2) e_i], which are always separable; rounded down.

    gamma' = a gamma / sqrt(1 + a^2 L / (1 - a^2)), 0 < a < 1, for any unit w* and gamma > 0, where L is the squared slack,
    the sum over the rows of max(0, gamma - y (w* . x))^2 (Harchaoui 3.1.1: w* itself need not separate).

    >>> lifted_margin(1, 0, 0.5), lifted_margin(1, 1, 0.6)
    (0.5, 0.48)
    """
    g, L, part = _lift(margin, squared_slack, a)
    return exact.root_below(part * g * g / (1 + part * L / (1 - part)))


def best_lift(squared_slack: Number) -> float:
    """The a that makes `lifted_updates` least: a^2 = 1 / (1 + sqrt(L)), which gives ((1 + sqrt(L)) / gamma)^2.

    For L = 0 there is no best one, as more is always better: the rows need no lift.

    >>> best_lift(9)
    0.5
    """
    L = _positive("squared_slack", squared_slack)
    return min(sqrt(1 / (1 + sqrt(L))), nextafter(1.0, 0.0))


def lifted_updates(margin: Number, squared_slack: Number, a: Number) -> int:
    """T <= 1 / gamma'^2 = 1 / (a^2 gamma^2) + L / ((1 - a^2) gamma^2) on lifted rows, from zeros (Harchaoui 3.1).

    The rows, before they are lifted, are no longer than 1.

    >>> lifted_updates(0.5, 9, best_lift(9)), freund_schapire(1, 3, 0.5)
    (64, 64)
    """
    g, L, part = _lift(margin, squared_slack, a)
    return floor((1 / part + L / (1 - part)) / (g * g))


def _lift(margin: Number, squared_slack: Number, a: Number) -> tuple[Fraction, Fraction, Fraction]:
    """gamma, L and a^2."""
    share = _positive("a", a)
    if share >= 1:
        raise OptionError(f"a must be below 1, not {a}")
    return _positive("margin", margin), _not_negative("squared_slack", squared_slack), share * share
