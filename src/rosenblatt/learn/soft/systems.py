"""Newton's step for the soft margin: three ways to solve (I + sum C_i z_i z_i') d = -gradient, over rows within it.

`Normal`     a table of products of columns, kept up to date as rows come and go; Cholesky. Where columns are few.
`RowProducts`       a table of products of rows, made once, whatever the labels and C; Cholesky. Where rows are few.
`Conjugate`  conjugate gradients, preconditioned by the diagonal; makes no table. Where both are many.

A system belongs to a table, not to a run: other labels, weights of rows, and C go on with the products that it has.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import scipy  # its parts are loaded when they are used

from rosenblatt.rows import find, kernels
from rosenblatt.rows.compiling import briefly
from rosenblatt.rows.cone import EVERYWHERE, Cone
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Csr, Dense
from rosenblatt.rows.scan import LabelledRows
from rosenblatt.rows.storage import n_features, n_rows, numbers_per_row, some_rows, table_of

if TYPE_CHECKING:
    from rosenblatt.learn.soft.soft import NewtonDescent

AT_ONCE = 2**18  # numbers that are added up one after the other, before sums of such sums
BLOCK = 2**15  # numbers of rows that are copied at a time, and stay in the cache
MOST_ROWS, MOST_COLUMNS = 4000, 3000  # of a table of products
FEW = 500  # columns, always worth it under constraints
WORTH = 4000  # products of columns that take as long as one number of a row in conjugate gradients
STEPS = 1000  # of conjugate gradients at a time
TRIES, TINY_SLOPE = 5, 1e-13  # pivots that make no fewer wrong; a slope, as a part of the steepest, that is rounding
NEARER = 0.1  # the part of the gradient that may be left, at most


class System(Protocol):
    """One of the three ways."""

    def direction(self, run: "NewtonDescent", goal: float) -> Array:
        """Newton's step from the weights of a run; a gradient of this length would be short enough."""


@np.errstate(all="ignore")  # floats only propose
def system_for(examples: Examples, cone: Cone = EVERYWHERE) -> System:
    """The way that suits these rows. Products of rows hold all columns, also those that a cone may leave out."""
    n, size = examples.n, examples.size
    if n <= min(size, MOST_ROWS) and not cone:
        return RowProducts(examples)
    if size <= MOST_COLUMNS and (size * size <= WORTH * numbers_per_row(examples.rows) or (cone and size <= FEW)):
        return Normal(examples)
    return Conjugate()


def dot(a: Array, b: Array) -> float:
    """The inner product of two arrays: long ones would wake BLAS's threads, which takes longer."""
    return float(np.einsum("i,i->", a, b))


def blocks(chosen: Array, numbers: float, at_once: int) -> Iterator[slice]:
    """Stretches of the chosen rows, cut so that each reads about `at_once` numbers, `numbers` for each row."""
    step = max(int(at_once / numbers), 1)
    return (slice(begin, begin + step) for begin in range(0, chosen.size, step))


class Combination:
    """The sum of amounts times the signed rows `chosen`, which rise."""

    def __init__(self, chosen: Array, amounts: Array) -> None:
        self.chosen, self.amounts = chosen, amounts

    def __call__(self, table: LabelledRows, first: int, last: int, out: Array) -> Array:
        """The part of rows first .. last-1."""
        begin, end = np.searchsorted(self.chosen, (first, last))
        rows, total = self.chosen[begin:end], np.zeros(n_features(table.rows) + 1)
        numbers = rows.size * numbers_per_row(table.rows)
        briefly(kernels.combine, numbers)(table.rows, rows, self.amounts[begin:end] * table.labels[rows], total)
        return total


def combined(examples: Examples, chosen: Array, amounts: Array) -> Array:
    """The sum of amounts times the signed rows `chosen`, added up in parts that do not depend on the cores."""
    question, numbers = Combination(chosen, amounts), max(numbers_per_row(examples.rows), 1.0)
    step = max(int(max(AT_ONCE, 8 * examples.size) / numbers), 1)
    total = np.zeros(examples.size)
    for first in range(0, examples.n, step):
        last = min(first + step, examples.n)
        for part in examples.scan.look(examples, question, find.NO_PLACES, first, last):
            total += part
    return total


def _dense(rows: "Dense | Csr") -> Array:
    """Rows as a table in float64, the constant feature last."""
    table = np.empty((n_rows(rows), n_features(rows) + 1))
    table[:, :-1] = rows.values if isinstance(rows, Dense) else table_of(rows).toarray()
    table[:, -1] = rows.bias
    return table


def solved(H: Array, b: Array) -> Array:
    """H^-1 b for a positive definite H, by Cholesky; where rounding leaves it none, by its eigenvectors."""
    with suppress(np.linalg.LinAlgError):
        x = np.asarray(scipy.linalg.cho_solve(scipy.linalg.cho_factor(H, check_finite=False), b, check_finite=False))
        if np.isfinite(x).all():
            return x
    scale = 1.0 / np.sqrt(np.maximum(H.diagonal(), 1e-300))
    try:
        values, vectors = np.linalg.eigh(H * np.outer(scale, scale))
    except np.linalg.LinAlgError:  # H is not finite
        return np.full_like(b, np.nan)
    values = np.maximum(values, len(H) * np.finfo(float).eps * values[-1])
    return np.asarray(scale * (vectors @ ((vectors.T @ (scale * b)) / values)))


def pivoted(run: "NewtonDescent", step: Callable[[Array], tuple[Array, Array]]) -> Array:
    """The step to the lowest point in the cone of the quadratic that the objective is now.

    `step` gives the one that takes some weights to 0 and the others to where the slope is 0, and the slope there. Those
    that are wrong change sides: all of them, as long as they become fewer, else the last one (Portugal, Judice and
    Vicente, Mathematics of Computation 63, 1994). It ends, as no way to part the weights comes again but by rounding.
    """
    held, signs, small = run.held.copy(), run.signs, TINY_SLOPE * float(np.abs(run.slope).max(initial=0.0))
    fewest, tries, d = held.size + 1, TRIES, np.zeros_like(run.w)
    for _ in range(3 * len(run.cone.features) + TRIES):
        d, slope = step(held)
        wrong = np.where(held, signs * slope < -small, signs * (run.w + d) < 0.0)
        many = int(np.count_nonzero(wrong))
        if not many:
            break
        fewest, tries = (many, TRIES) if many < fewest else (fewest, tries - 1)
        if tries < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        held = held ^ wrong
    return d


def _with_held(H: Array, run: "NewtonDescent", held: Array) -> tuple[Array, Array]:
    """The step to where the slope is 0, but for weights that are held at 0; and the slope there."""
    d, free = np.zeros_like(run.w), ~held
    d[held] = -run.w[held]
    slope = run.slope + H @ d
    d[free] = -solved(H[np.ix_(free, free)], slope[free])
    return d, run.slope + H @ d


class Normal:
    """Products of columns, over the rows within the margin times their weights."""

    def __init__(self, examples: Examples) -> None:
        self.products = np.zeros((examples.size, examples.size))
        self.inside = np.zeros(examples.n)  # how often each row is in them

    def direction(self, run: "NewtonDescent", goal: float) -> Array:
        """By Cholesky, of products of columns."""
        examples = run.examples
        weights = examples.weights if examples.weights.size else np.ones(examples.n)
        self._count(examples, np.where(run.duals > 0.0, weights, 0.0))
        H = run.C * self.products
        H.flat[:: len(H) + 1] += 1.0
        if run.cone:
            return pivoted(run, lambda held: _with_held(H, run, held))
        return np.negative(solved(H, run.gradient))

    def _count(self, examples: Examples, wanted: Array) -> None:
        """Add the rows that came, and take away those that went; or begin anew, where that is less work."""
        changed = np.flatnonzero(wanted != self.inside)
        if changed.size > np.count_nonzero(wanted):
            self.products[:], self.inside[:] = 0.0, 0.0
            changed = np.flatnonzero(wanted)
        amounts = wanted[changed] - self.inside[changed]
        self.inside[changed] = wanted[changed]
        for sign in (1.0, -1.0):
            these = np.flatnonzero(sign * amounts > 0.0)
            rows, factors = changed[these], np.sqrt(sign * amounts[these])
            for part in blocks(rows, examples.size, BLOCK):
                table = _dense(some_rows(examples.rows, rows[part]))
                if examples.weights.size:
                    table *= factors[part, np.newaxis]
                self.products += sign * (table.T @ table)


class RowProducts:
    """Products of rows, without their labels."""

    def __init__(self, examples: Examples) -> None:
        rows = examples.rows
        table: Any = table_of(rows).astype(np.float64, copy=False)
        products = table @ table.T
        self.products = (products if isinstance(rows, Dense) else products.toarray()) + rows.bias * rows.bias

    def direction(self, run: "NewtonDescent", goal: float) -> Array:
        """By Cholesky, of products of rows: the step is z' a - g with (K + 1 / C) a = z g."""
        rows = np.flatnonzero(run.duals)
        signs = run.examples.labels[rows].astype(np.float64)
        K = self.products[np.ix_(rows, rows)] * np.outer(signs, signs)
        of_gradient = 1.0 - run.slacks[rows] - K @ run.duals[rows]
        K.flat[:: rows.size + 1] += 1.0 / run.costs[rows]
        change = combined(run.examples, rows, solved(K, of_gradient))
        return np.asarray(change - run.gradient)


class Conjugate:
    """No table, but a copy of the rows within the margin."""

    def direction(self, run: "NewtonDescent", goal: float) -> Array:
        """Until the gradient that is left is short, or it is time to stop."""
        chosen = np.flatnonzero(run.duals)
        costs, few = run.costs[chosen], _Products.of(some_rows(run.examples.rows, chosen))
        scale = 1.0 / (1.0 + few.squares_of_columns(costs))
        size = sqrt(dot(run.gradient, run.gradient))
        enough = max(min(NEARER, sqrt(run.gap / run.objective)) * size, goal / 2)
        if not run.cone:
            return self._solved(run, costs, few, scale, enough)
        slope = run.slope

        def step(held: Array) -> tuple[Array, Array]:
            d = self._solved(run, costs, few, scale, enough, held)
            return d, slope + d + few.combined(costs * few.scores(d))

        return pivoted(run, step)

    def _solved(
        self,
        run: "NewtonDescent",
        costs: Array,
        few: "_Products",
        scale: Array,
        enough: float,
        held: Array | None = None,
    ) -> Array:
        """The step, as far as this; weights that are held go to 0."""
        left = -run.gradient
        d = np.zeros_like(left)
        if held is not None:
            d[held] = -run.w[held]
            left = -run.slope - d - few.combined(costs * few.scores(d))
            left[held] = 0.0
        p = scale * left
        square = dot(left, p)
        for _ in range(STEPS):
            bent = p + few.combined(costs * few.scores(p))
            if held is not None:
                bent[held] = 0.0
            step = square / dot(p, bent)
            d += step * p
            left -= step * bent
            run.passes += 1
            if not dot(left, left) > enough * enough or run.spent():
                break
            scaled = scale * left
            before, square = square, dot(left, scaled)
            p = scaled + (square / before) * p
        return d


class _Products(NamedTuple):
    """Products with rows, sparse ones by SciPy: rows in compressed columns are summed sooner than one by one."""

    rows: Dense | Csr
    sparse: Any  # None of dense ones

    @classmethod
    def of(cls, rows: Dense | Csr) -> "_Products":
        """Those with these rows."""
        return cls(rows, None if isinstance(rows, Dense) else table_of(rows).astype(np.float64, copy=False))

    def scores(self, w: Array) -> Array:
        """w . x of every row."""
        if self.sparse is not None:
            return np.asarray(self.sparse @ w[:-1] + self.rows.bias * w[-1])
        return find.margins(self._unlabelled, w)

    def combined(self, amounts: Array) -> Array:
        """The sum of amounts times rows."""
        if self.sparse is not None:
            return np.append(self.sparse.T @ amounts, self.rows.bias * amounts.sum())
        return combined(self._unlabelled, np.arange(amounts.size), amounts)

    def squares_of_columns(self, amounts: Array) -> Array:
        """The sum of amounts times the squares in every column."""
        rows = self.rows
        squares = np.square(rows.values, dtype=np.float64)
        return _Products.of(rows._replace(values=squares, bias=rows.bias * rows.bias)).combined(amounts)

    @property
    def _unlabelled(self) -> Examples:
        return Examples(self.rows, np.ones(n_rows(self.rows), np.int8))
