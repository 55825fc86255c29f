"""The odd tables of `fuzz_tables.py`: table k of a seed is always the same."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

WARM_UP = 7200.0  # seconds, to compile everything on a slow or busy machine
PROOF = 600.0  # seconds that a proof may take before it gives up, which is a fault: by the clock, as others may work
SCALES = 5e-324, 1e-310, 1e-300, 1e-160, 1e160, 1e300, 1e306
SCALES_OF_WEIGHTS = 1e-300, 1e-9, 1e-3, 1.0, 100.0, 1e12


@dataclass
class Table:
    """Rows, labels, perhaps weights; and what was found out about them so far."""

    X: object
    y: np.ndarray
    weights: np.ndarray | None
    fit_intercept: bool
    ties: str = "mistake"
    seconds: float = PROOF  # that a proof may take
    separable: bool | None = None  # once that is known
    signs: np.ndarray | None = None  # that weights must have, where constraints are tried

    def __str__(self):
        X = self.X.toarray() if hasattr(self.X, "toarray") else self.X
        kind = f"{type(self.X).__name__} of {self.X.dtype}"
        weights = None if self.weights is None else self.weights.tolist()
        signs = None if self.signs is None else self.signs.tolist()
        how = f"fit_intercept={self.fit_intercept}, ties={self.ties!r}, signs {signs}"
        return f"{kind} {X.tolist()}, {self.y.tolist()}, weights {weights}, {how}"


def table_of(seed: int, number: int) -> Table:
    """Table `number` of a seed."""
    rng = np.random.default_rng([seed, number])
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    X = entries(rng, n, d)
    y = rng.integers(0, 3 if rng.random() < 0.05 else 2, n)
    if rng.random() < 0.95:
        y[:2] = 0, 1  # both classes, or there is little to do
    if rng.random() < 0.3:  # equal rows, perhaps with different labels
        X[rng.integers(n)] = X[rng.integers(n)]
    single = rng.random() < 0.2
    X = (X * scales(rng, n, d, 30 if single else 300)).astype(np.float32 if single else np.float64)
    X[rng.random((n, d)) < rng.choice([0.0, 0.3])] = 0.0
    weights = None
    if rng.random() < 0.2:
        weights = rng.choice([0.0, 0.3, 1.0, 2.0, 2.5], n) * rng.choice(
            SCALES_OF_WEIGHTS, n if rng.random() < 0.5 else 1
        )
    sparse = not single and rng.random() < 0.25  # one kind of compiled code less
    ties = str(rng.choice(["mistake", "mistake", "plus", "minus"]))
    fit_intercept, signs = bool(rng.random() < 0.5), rng.integers(-1, 2, d)
    return Table(csr_array(X) if sparse else X, y, weights, fit_intercept, ties, signs=signs)


def entries(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Numbers before they are scaled: small whole ones, ones that hardly differ, or any."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.integers(-3, 4, (n, d)).astype(float)
    if kind == 1:
        return 1.0 + rng.integers(-2, 3, (n, d)) * rng.choice([2.0**-52, 1e-9])
    return rng.normal(size=(n, d)) if kind == 2 else rng.choice([-2.0, -1.0, 1.0, 2.0], (n, d))


def scales(rng: np.random.Generator, n: int, d: int, most: int) -> np.ndarray:
    """What to multiply by: nothing, one of the extremes, or any power of ten per column, row or entry."""
    kind = rng.integers(5)
    if kind == 0:
        return np.ones((1, 1))
    if kind == 1:
        return np.array([[rng.choice(SCALES)]]) if most > 30 else np.array([[1e-42]])
    return 10.0 ** rng.integers(-most, most + 1, {2: (1, d), 3: (n, 1), 4: (n, d)}[int(kind)])


def ordinary() -> Iterator[Table]:
    """Tables that nothing is odd about, for each kind of storage: what they need is compiled before the clock runs."""
    rng = np.random.default_rng(0)
    for fit_intercept in (True, False):
        for weights in (None, np.array([1.0, 2.5, 0.0, 1.0, 1.0, 0.5, 1.0, 3.0])):
            for kind in (np.float64, np.float32):
                X = rng.normal(size=(8, 3)).astype(kind)
                for y in ((X[:, 0] > 0.1).astype(int), np.arange(8) % 2, np.arange(8) % 3):
                    yield Table(X, y, weights, fit_intercept, seconds=WARM_UP)
                    if kind is np.float64:
                        yield Table(csr_array(X), y, weights, fit_intercept, seconds=WARM_UP)
