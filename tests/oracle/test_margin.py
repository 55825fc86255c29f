"""The largest margin against the one found by trying all corrals in rationals, and against what theory says of it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import gordan
from rosenblatt import margin, separability
from rosenblatt.errors import OptionError
from rosenblatt.geometry import wolfe
from rosenblatt.rows import find

SHAPES = [(True, False), (False, False), (True, True)]  # (a threshold, outside the norm)


def assert_told(found, X, y):
    """It holds, and its text is what is proved; where that is no margin, the interval follows."""
    proved = found.certificate.verify(X, y)
    interval = f" The largest margin is between {found.lower!r} and {found.upper!r}."
    assert str(found) in (proved, proved + interval)
    assert f"between {found.lower!r} and {found.upper!r}." in str(found)


def squared(X, y, fit_intercept, affine):
    """The exact square of the largest margin of a separable table."""
    if affine:
        rows = [[float(v) * int(s) for v in x] for x, s in zip(X, y, strict=True)]
        return gordan.squared_margin(rows, y.tolist()) / 4
    rows = [[float(v) * int(s) for v in x] + [float(s)] * fit_intercept for x, s in zip(X, y, strict=True)]
    return gordan.squared_margin(rows, [0] * len(rows))


@given(
    st.one_of(
        cases.separable_tables(max_rows=4, max_columns=2).map(lambda t: t[:2]), cases.tables(cases.near_one, 6, 2)
    ),
    st.sampled_from(SHAPES),
)
def test_the_interval_holds_the_exact_margin(table, shape):
    X, y = table
    fit_intercept, affine = shape
    found = margin(X, y, fit_intercept=fit_intercept, affine=affine)
    if separability(X, y, fit_intercept=fit_intercept).separable:
        assert Fraction(found.lower) ** 2 <= squared(X, y, fit_intercept, affine) <= Fraction(found.upper) ** 2
        assert found.lower > 0
        assert found.gap <= 1e-9
    else:
        assert found.lower <= found.upper <= 0
    assert_told(found, X, y)


@given(cases.tables(max_rows=8, max_columns=2), st.booleans())
def test_without_a_separator_it_is_the_radius_of_a_ball(table, fit_intercept):
    X, y = table
    found = margin(X, y, fit_intercept=fit_intercept)
    rows = [[float(v) * int(s) for v in x] + [float(s)] * fit_intercept for x, s in zip(X, y, strict=True)]
    if found.upper < 0:
        assert Fraction(found.upper) ** 2 <= gordan.squared_radius(rows) <= Fraction(found.lower) ** 2
        assert found.upper - found.lower <= 1e-15 * -found.upper
    elif found.lower == 0 and any(found.weights):
        w = [*found.weights[: X.shape[1]], *[found.weights[-1]] * fit_intercept]
        assert all(sum(Fraction(a) * Fraction(b) for a, b in zip(row, w, strict=True)) >= 0 for row in rows)


@pytest.mark.parametrize(("n", "d"), [(12, 1), (60, 2), (60, 3)])
def test_in_few_dimensions_the_negative_margin_is_exact(n, d):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    found = margin(X, y)
    assert found.upper < 0
    assert found.gap < 1e-15
    signed = np.where(y, 1, -1)[:, None] * np.hstack([X, np.ones((n, 1))])
    w = np.array([float(k) for k in found.weights])
    assert (signed @ w).min() / np.linalg.norm(w) == pytest.approx(found.lower)
    others = rng.normal(size=(20_000, d + 1))
    assert ((others @ signed.T).min(axis=1) / np.linalg.norm(others, axis=1)).max() <= found.upper


@pytest.mark.parametrize("affine", [False, True])
def test_in_many_dimensions_the_negative_margin_is_an_interval(affine):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 12)), rng.integers(0, 2, 200)
    found = margin(X, y, affine=affine)
    assert found.lower < 0 == found.upper
    w = np.array([float(k) for k in found.weights])
    lowest = (np.where(y, 1, -1) * (X @ w[:-1] + w[-1])).min() / np.linalg.norm(w[:-1] if affine else w)
    assert lowest == pytest.approx(found.lower)


@given(cases.separable_tables(), st.integers(-60, 60))
def test_the_margin_has_the_units_of_the_rows(table, power):
    X, y, _ = table
    scaled = margin(X * 2.0**power, y, fit_intercept=False)
    assert scaled.lower == pytest.approx(margin(X, y, fit_intercept=False).lower * 2.0**power, rel=2e-9)


@given(cases.separable_tables(), st.lists(st.integers(-9, 9), min_size=4, max_size=4))
def test_an_affine_margin_does_not_depend_on_the_origin(table, shift):
    X, y, _ = table
    moved = margin(X + np.array(shift[: X.shape[1]]), y, affine=True)
    assert moved.lower == pytest.approx(margin(X, y, affine=True).lower, rel=2e-9)


@given(cases.separable_tables())
def test_no_separator_has_more_and_pla_proves_no_less(table):
    X, y, u = table
    found = margin(X, y, fit_intercept=False)
    assert (y * (X @ u)).min() / np.linalg.norm(u) <= found.upper * (1 + 1e-12)
    run, _ = cases.learn(X, y, bias=False, max_passes=None)
    assert np.linalg.norm(run.weights) / run.updates >= found.lower * (1 - 1e-12)


@pytest.mark.parametrize("affine", [False, True])
def test_a_part_of_the_rows_first_does_not_move_the_margin(monkeypatch, affine):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 5))
    y = np.where(X @ [1.0, -2.0, 0.5, 0.0, 1.0] > 0.1, 1, 0)
    X[:, 0] += 0.02 * y
    looks = []
    margins = find.margins

    def noted(examples, w, every=1):
        looks.append(every)
        return margins(examples, w, every)

    monkeypatch.setattr(find, "margins", noted)
    plain = margin(X, y, affine=affine)
    assert set(looks) == {1}
    monkeypatch.setattr(find, "STRETCH", 16)
    monkeypatch.setattr("rosenblatt.prove.solve.margin.MANY", 1)
    staged = margin(X, y, affine=affine)
    assert set(looks) == {1, 8}
    assert looks[-1] == 1
    assert_told(staged, X, y)
    assert max(plain.lower, staged.lower) <= min(plain.upper, staged.upper)
    assert max(plain.gap, staged.gap) <= 1e-9


@pytest.fixture(scope="module")
def many_rows():
    """Separable rows, more than are active at first, in a few dimensions."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2500, 6)) * [1.0, 3.0, 1.0, 0.2, 1.0, 1.0] + 2.0
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0, 2.0, 1.0] > 7.0, 1, 0)
    X[:, 0] += 0.1 * y
    return X, y


@pytest.mark.parametrize("shape", SHAPES)
def test_a_soft_start_and_rows_left_out_do_not_move_the_margin(monkeypatch, many_rows, shape):
    X, y = many_rows
    fit_intercept, affine = shape
    X = X if fit_intercept else np.hstack([X, np.ones((len(X), 1))])
    options, begun, looked_at = {"fit_intercept": fit_intercept, "affine": affine}, [], []
    soft, margins = wolfe.soft, find.margins

    def noted(*arguments):
        begun.append(soft(*arguments))
        return begun[-1]

    def counted(examples, w, every=1):
        looked_at.append(examples.n)
        return margins(examples, w, every)

    plain = margin(X, y, **options)
    monkeypatch.setattr(wolfe, "soft", noted)
    monkeypatch.setattr(find, "margins", counted)
    monkeypatch.setattr(find, "LARGE", 0)
    monkeypatch.setattr(find, "FEW", 1.0)
    monkeypatch.setattr("rosenblatt.prove.solve.margin.WIDE_ENOUGH", 1)
    found = margin(X, y, **options)
    assert begun[0].settled
    assert looked_at[0] == len(X)
    assert looked_at[-1] < len(X)
    assert_told(found, X, y)
    assert sorted(found.support) == sorted(plain.support)
    assert max(plain.lower, found.lower) <= min(plain.upper, found.upper)
    assert max(plain.gap, found.gap) <= 1e-9


@pytest.mark.parametrize("wide_enough", [1, 100])
def test_rows_that_contradict_each_other_are_noticed_at_once(monkeypatch, many_rows, wide_enough):
    X, y = many_rows
    y = np.where(np.arange(len(y)) % 500 == 3, 1 - y, y)
    monkeypatch.setattr("rosenblatt.prove.solve.margin.WIDE_ENOUGH", wide_enough)
    sizes, nearest = [], wolfe.nearest

    def noted(points, *arguments, **options):
        sizes.append(len(points))
        return nearest(points, *arguments, **options)

    monkeypatch.setattr(wolfe, "nearest", noted)
    found = margin(X, y)
    assert found.upper <= 0
    assert_told(found, X, y)
    assert len(sizes) <= 3


@pytest.mark.parametrize("power", [-150, 150])
def test_margins_of_huge_and_tiny_rows(power):
    X, y = np.array([[3.0, 4.0], [-3.0, -4.0]]) * 10.0**power, [1, 0]
    found = margin(X, y, fit_intercept=False)
    assert found.lower <= 5 * 10.0**power * (1 + 1e-15)
    assert found.gap <= 1e-9


def test_a_margin_far_below_the_precision_of_floats():
    X = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52], [-3.0, -3.0], [5.0, 5.0 + 2.0**-50]])
    y = [0, 1, 0, 1]
    found = margin(X, y)
    assert found.lower > 0
    assert found.gap <= 1e-9
    found.certificate.verify(X, y)


@pytest.mark.parametrize(
    ("X", "y", "options"),
    [
        ([[0.0], [1e-30]], [0, 1], {}),
        ([[1e40, 0.0], [1e40, 1.0]], [0, 1], {}),
        ([[0.0], [1.0], [2.0]], [0, 1, 1], {"bias_scale": 1e40}),
        ([[0.0], [1.0]], [0, 1], {"bias_scale": 1e155}),
        ([[5e-324], [-1e-323]], [0, 1], {"fit_intercept": False}),
        ([[-1e25, 4e-22], [-4e25, 1e-22], [2e25, 4e-22]], [1, 0, 0], {"affine": True}),
        ([[1e306], [-3e305]], [0, 1], {"affine": True, "bias_scale": 1e-200}),
    ],
)
def test_margins_beyond_the_range_of_floats_are_proved(X, y, options):
    found = margin(X, y, **options)
    assert_told(found, X, y)
    assert found.lower > 0
    assert found.gap <= 1e-9


def test_rows_that_do_not_span_have_margin_zero():
    found = margin([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [0, 1, 0])
    assert (found.lower, found.upper) == (0.0, 0.0)
    assert any(found.weights)


def test_options_and_time():
    with pytest.raises(OptionError, match="needs a threshold"):
        margin([[0.0], [1.0]], [0, 1], fit_intercept=False, affine=True)
    rng = np.random.default_rng(0)
    late = margin(rng.normal(size=(300, 20)), rng.integers(0, 2, 300), max_seconds=1e-9)
    assert late.certificate is None
    assert late.lower < 0 < late.upper
    assert str(late) == "No margin could be proved within the limits of time and memory."
