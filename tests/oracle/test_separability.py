"""Verdicts against an independent decision in rationals, on small tables of every degenerate kind."""

import numba
import numpy as np
import pytest

from oracle import gordan
from rosenblatt import separability

SETS = 20 if numba.config.DISABLE_JIT else 455  # for each of 44 cases: 20,020 in all


def whole(rng, n, d):
    return rng.integers(-2, 3, (n, d)).astype(float)


def ordinary(rng, n, d):
    return rng.normal(size=(n, d))


def binary(rng, n, d):
    return rng.integers(0, 2, (n, d)).astype(float)


def collinear(rng, n, d):
    return np.outer(rng.integers(-3, 4, n), rng.integers(-3, 4, d)).astype(float)


def duplicates(rng, n, d):
    return whole(rng, n, d)[rng.integers(0, n, n)]


def zero_rows(rng, n, d):
    return np.where(rng.random((n, 1)) < 0.4, 0.0, whole(rng, n, d))


def one_feature(rng, n, d):
    return whole(rng, n, 1)


def more_features_than_rows(rng, n, d):
    return rng.normal(size=(min(n, 4), d + 4))


def columns_of_other_scales(rng, n, d):
    return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-150, 151, (1, d))


def rows_of_other_scales(rng, n, d):
    return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-150, 151, (n, 1))


KINDS = [
    whole, ordinary, binary, collinear, duplicates, zero_rows, one_feature, more_features_than_rows,
    columns_of_other_scales, rows_of_other_scales,
]  # fmt: skip


def labelled(rng, X):
    """Labels at random, or those of a rule that some rows lie on."""
    n, d = X.shape
    if rng.random() < 0.5:
        y = rng.choice([-1, 1], n)
    else:
        u = rng.integers(-2, 3, d) + rng.integers(0, 2) * rng.normal(size=d)
        y = np.where(X @ u + rng.integers(-1, 2) > 0, 1, -1)
    if len(set(y.tolist())) < 2:
        y[0] = -y[-1]
    return y


def with_margin_of_1e_15(rng, n, d):
    """Rows in a plane, each moved off it by as much as floats can just tell, to its side or to the other."""
    X, u = rng.normal(size=(n, d)), rng.normal(size=d)
    u /= np.linalg.norm(u)
    y = rng.choice([-1, 1], n)
    if len(set(y.tolist())) < 2:
        y[0] = -y[-1]
    return X - np.outer(X @ u, u) + np.outer(y * rng.choice([1e-15, -1e-15, 3e-16, 0.0]), u), y


def check(X, y, fit_intercept, ties):
    rows = [[float(v) * int(s) for v in x] + [float(s)] * fit_intercept for x, s in zip(X, y, strict=True)]
    wrong_at_zero = {"mistake": (-1, 1), "plus": (-1,), "minus": (1,)}[ties]
    expected = gordan.is_separable(rows, [s in wrong_at_zero for s in y])
    verdict = separability(X, y, fit_intercept=fit_intercept, ties=ties)
    assert verdict.separable is expected
    assert verdict.certificate.verify(X, y) in str(verdict)


@pytest.mark.parametrize("kind", [*KINDS, with_margin_of_1e_15], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_every_verdict_is_right_and_proved(kind, seed):
    rng = np.random.default_rng([seed, *kind.__name__.encode()])
    for _ in range(SETS):
        n, d = int(rng.integers(2, 13)), int(rng.integers(1, 5))
        X, y = kind(rng, n, d) if kind is with_margin_of_1e_15 else (X := kind(rng, n, d), labelled(rng, X))
        check(X, y, bool(rng.integers(0, 2)), str(rng.choice(["mistake", "mistake", "plus", "minus"])))


@pytest.mark.parametrize("gap", [1e-15, 0.0, -1e-15])
def test_a_gap_that_only_exact_arithmetic_sees(gap):
    X = np.array([[0.5 - gap / 2], [0.5 + gap / 2], [0.25], [0.75]])
    verdict = separability(X, [0, 1, 0, 1])
    assert verdict.separable is (gap > 0)
    verdict.certificate.verify(X, [0, 1, 0, 1])


def test_no_row_is_ever_a_mistake_if_ties_are_right():
    verdict = separability([[1.0], [1.0]], [0, 1], ties="correct")
    assert verdict.separable
    assert set(verdict.certificate.weights) == {0}
    verdict.certificate.verify([[1.0], [1.0]], [0, 1])


@pytest.mark.parametrize(("d", "flipped"), [(60, 0), (60, 30), (200, 0), (200, 30)])
def test_many_dimensions(d, flipped):
    rng = np.random.default_rng(d + flipped)
    X = rng.normal(size=(2000 if not numba.config.DISABLE_JIT else 250, d))
    y = np.where(X @ rng.normal(size=d) > 0, 1, -1)
    y[:flipped] *= -1
    verdict = separability(X, y)
    verdict.certificate.verify(X, y)
    if not flipped:
        assert verdict.separable


def test_time_that_is_up_leaves_it_undecided():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 30)), rng.integers(0, 2, 500)
    verdict = separability(X, y, max_seconds=1e-9)
    assert verdict.separable is None
    assert str(verdict) == "Undecided. Time ran out before there was a proof either way."
