"""Every bound once by hand, and what is refused."""

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from rosenblatt.errors import LedgerError, OptionError
from rosenblatt.prove.check import exact
from rosenblatt.prove.check import rounding as numbers
from rosenblatt.prove.theory import bounds
from rosenblatt.prove.theory.trace import trace

fractions = st.fractions(Fraction(1, 50), 50, max_denominator=60)


def test_every_public_bound_is_listed():
    assert bounds.__all__ == sorted(bounds.__all__)
    assert all(hasattr(bounds, name) for name in bounds.__all__)


@pytest.mark.parametrize(
    ("found", "by_hand"),
    [
        (bounds.updates(3, 2), 2),  # 9 / 4
        (bounds.updates(5, 1, 12, 0), 29),  # (25 + sqrt(625 + 576)) / 2 = 29.8
        (bounds.updates(5, 1, 12, 5), 20),  # (15 + sqrt(225 + 476)) / 2 = 20.7
        (bounds.updates(5, 1, 12, -12), 49),  # 25 + 24
        (bounds.updates(1, 1, 2, 2), 0),  # (-3 + 3) / 2
        (bounds.novikoff(7, 2), 12),  # 49 / 4
        (bounds.novikoff(6, 2), 9),
        (bounds.unit_rows(Fraction(1, 3)), 9),
        (bounds.after_first(6, 2), 8),
        (bounds.stream(2, 3, Fraction(1, 2)), 144),  # the mistake-bound note's example
        (bounds.a_posteriori(10, 3), 3),
        (bounds.a_posteriori(9, 3), 3),
        (bounds.cosine(9, 8, 2), 0.75),
        (bounds.cosine(16, 8, 2), 1.0),
        (bounds.with_bias(3, 2, 6, 3), 22),  # 18 * 5 / 4
        (bounds.with_bias(3, 2, -6, 3), 22),
        (bounds.best_bias_scale(2, 8), 4.0),
        (bounds.best_bias_scale(7), 7.0),
        (bounds.halts_or_refutes(7, 2), 13),
        (bounds.halts_or_refutes(6, 2), 10),
        (bounds.halts_or_refutes(0, 1), 1),
        (bounds.refuted_margin(5, 4), 1.25),
        (bounds.hinge_losses([[3, -3], [1, 2]], 4).tolist(), [[0.25, 1.75], [0.75, 0.5]]),
        (bounds.hinge_per_round([0.25, 0.5], 3, 4), 1.5),
        (bounds.hinge_per_round([], 3, 4), 0.75),
        (bounds.hinge_root(3, 2, 1), 9),  # 3 + 2 + 2 * 2
        (bounds.hinge_root(Fraction(29, 10), 2, 1), 8),
        (bounds.freund_schapire(3, 2, 2), 6),  # 25 / 4
        (bounds.lifted_margin(5, Fraction(16, 3), Fraction(3, 5)), 1.5),  # 3 / sqrt(1 + 3)
        (bounds.best_lift(9), 0.5),
        (bounds.lifted_updates(Fraction(1, 2), 2, Fraction(3, 5)), 23),  # 4 / 0.36 + 8 / 0.64 = 23.6
        (bounds.patience(10, 9, 0.1), 47),  # 10 ln 100 = 46.05
        (bounds.expected_draws(7, 6), 42),
        (bounds.corrections_in_a_row(-6, 3), 3),
        (bounds.corrections_in_a_row(-5, 3), 2),
        (bounds.corrections_in_a_row(0.0, 0.5), 1),
        (bounds.distance_falls(3, 2, 4), 7.0),
    ],
)
def test_by_hand(found, by_hand):
    assert found == by_hand


def test_a_float_is_no_trap():
    """1 / 0.1 ** 2 is 99.99999999999999; a margin of a tenth allows 100 updates."""
    assert bounds.unit_rows(0.1) == bounds.unit_rows(Fraction(1, 10)) == bounds.unit_rows(np.float32(0.1)) == 100
    assert bounds.novikoff(3**0.5, 3**0.5 / 7) == 49
    assert bounds.updates(1, 0.1, 3.3, -3.3) == bounds.updates(1, Fraction(1, 10), Fraction(33, 10), Fraction(-33, 10))
    assert bounds.stream(0.1, 0.3, 0.03) == 1
    assert bounds.a_posteriori(0.3, 0.1) == 3
    assert bounds.with_bias(0.3, 0.1, -0.3, 0.3) == 36
    assert bounds.hinge_root(0.1, 0.3, 0.1) == bounds.hinge_root(Fraction(1, 10), 3, 1)
    assert bounds.freund_schapire(0.1, 0.2, 0.1) == 9
    assert bounds.halts_or_refutes(0.3, 0.1) == 10
    assert bounds.novikoff(np.int64(2**40), np.int64(1)) == 2**80
    assert bounds.novikoff(1e300, 5e-324) > 10**1246


@given(fractions, fractions, fractions, st.fractions(-1, 1, max_denominator=9))
def test_updates_is_the_last_number_that_the_proof_allows(R, margin, length, share):
    """T gamma + a <= sqrt(||w_0||^2 + T R^2) for the bound and not for the next number."""
    g, a = min(R, margin), share * length
    T = bounds.updates(R, g, length, a)

    def allowed(t):
        return t * g + a <= 0 or (t * g + a) ** 2 <= length**2 + t * R**2

    assert allowed(T)
    assert not allowed(T + 1)


@given(fractions, fractions)
def test_the_best_bias_scale_and_the_best_lift(R, b):
    """Nearby choices are no better, and the best ones give the closed forms."""
    g, B = min(R, b) / 7, Fraction(bounds.best_bias_scale(R, b))
    least = bounds.with_bias(R, g, b, B)
    assert least <= min(bounds.with_bias(R, g, b, B * k) for k in (Fraction(9, 10), Fraction(11, 10)))
    assert least in ((R + b) ** 2 // g**2, (R + b) ** 2 // g**2 + 1)
    assert bounds.with_bias(R, g, min(b, R), bounds.best_bias_scale(R)) <= (2 * R / g) ** 2
    a = Fraction(bounds.best_lift(b * b))
    least = bounds.lifted_updates(g, b * b, a)
    assert least <= min(bounds.lifted_updates(g, b * b, min(a * k, Fraction(99, 100))) for k in (0.9, 1.02))
    assert least in (freund_schapire := bounds.freund_schapire(1, b, g), freund_schapire + 1)
    assert abs(bounds.lifted_margin(g, b * b, a) ** -2 - (1 + b) ** 2 / g**2) < 1e-9 * (1 + b) ** 2 / g**2


@given(st.lists(st.lists(st.integers(-6, 9), min_size=7, max_size=7), min_size=1, max_size=3), st.integers(9, 12))
def test_the_least_hinge_bound(table, radius):
    """Of both forms, with every margin where a loss has a kink, and with some between and beyond."""
    best = bounds.best_hinge(table, radius)
    margins = [Fraction(k, 2) for k in range(1, 40)] + [10**6, 10**9]

    def root(scores, gamma):
        return bounds.hinge_root(sum(max(0, 1 - k / Fraction(gamma)) for k in scores), radius, gamma)

    def freund_schapire(scores, gamma):
        squares = sum(max(0, Fraction(gamma) - k) ** 2 for k in scores)
        return bounds.freund_schapire(radius, exact.root_above(squares), gamma)

    assert best.bound == min(root(scores, gamma) for scores in table for gamma in margins)
    assert best.bound == min(root(table[best.candidate], gamma) for gamma in margins)
    assert best.bound <= min(freund_schapire(scores, gamma) for scores in table for gamma in margins)
    if best.bound < 7:
        assert best.bound == root(table[best.candidate], best.margin)
    else:
        assert best.margin == inf


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_least_hinge_bound_has_no_unit(scale):
    best = bounds.best_hinge(np.array([[3.0, 4.0, -1.0] * 9]) * scale, 5 * scale)
    assert best.bound == 18  # 9 times -1 and 9 times 3 is 18 <= 5 sqrt(18), but 18 + 4 > 5 sqrt(19)


def test_the_printed_infimum_is_a_tautology():
    """Over update rounds alone, the bound tends to their number, whatever the scores are."""
    scores = np.array([-3.0, 1.0, 2.0, -5.0])
    found = [bounds.hinge_per_round(bounds.hinge_losses(scores, g), 7.0, g) for g in (1.0, 1e4, 1e8, 1e12)]
    assert found == sorted(found, reverse=True)
    assert 4 <= found[-1] < 4 + 1e-10


NUMBERS = {
    "updates": {"radius": 5, "margin": 1, "start_length": 3, "start_along": 2},
    "novikoff": {"radius": 5, "margin": 1},
    "unit_rows": {"margin": 0.5},
    "after_first": {"radius": 5, "margin": 1},
    "stream": {"radius": 2, "length": 3, "margin": 0.5},
    "a_posteriori": {"length": 3, "margin": 1},
    "cosine": {"updates": 4, "radius": 5, "margin": 1},
    "with_bias": {"radius": 5, "margin": 1, "offset": 2, "bias_scale": 1},
    "best_bias_scale": {"radius": 5, "offset": 2},
    "halts_or_refutes": {"radius": 5, "margin": 1},
    "refuted_margin": {"length": 3, "updates": 4},
    "hinge_losses": {"scores": [1.0, 2.0], "margin": 1},
    "hinge_per_round": {"losses": [1.0, 2.0], "length": 3, "margin": 1},
    "hinge_root": {"total_loss": 3, "radius": 5, "margin": 1},
    "second_order": {"total_loss": 1, "margin": 1, "along": 3, "ridge": 1, "eigenvalues": [3.0, 1.0]},
    "freund_schapire": {"radius": 5, "deviation": 2, "margin": 1},
    "best_hinge": {"scores": [[1.0, 2.0]], "radius": 5},
    "lifted_margin": {"margin": 1, "squared_slack": 2, "a": 0.5},
    "best_lift": {"squared_slack": 2},
    "lifted_updates": {"margin": 1, "squared_slack": 2, "a": 0.5},
    "patience": {"rows": 9, "updates": 4, "failure": 0.1},
    "expected_draws": {"rows": 9, "updates": 4},
    "corrections_in_a_row": {"score": -3, "squared_length": 2},
    "distance_falls": {"radius": 2, "margin": 1, "c": 3},
}
SIGNED = {"start_along", "offset", "score", "scores"}
ZERO_IS_FINE = SIGNED - {"offset"} | {"start_length", "length", "losses", "total_loss", "deviation", "squared_slack"}
ZERO_IS_FINE |= {"along", "eigenvalues"}


def test_every_bound_is_asked():
    assert {*NUMBERS, "HingeBound"} == set(bounds.__all__)


@pytest.mark.parametrize(("name", "argument"), [(name, one) for name, given_ in NUMBERS.items() for one in given_])
def test_what_is_no_number_is_refused(name, argument):
    bound, good = getattr(bounds, name), NUMBERS[name]
    bound(**good)
    bad = [nan, inf, -inf, np.float64("nan"), True, "1", None, 1j]
    if argument not in SIGNED:
        bad += [-1, -0.5, Fraction(-1, 3)]
    if argument not in ZERO_IS_FINE and (name, argument) not in {
        ("with_bias", "offset"), ("halts_or_refutes", "radius"), ("patience", "updates"), ("expected_draws", "updates"),
        ("lifted_margin", "squared_slack"),
    }:  # fmt: skip
        bad += [0, 0.0]
    if argument in ("updates", "rows"):
        bad += [1.5]
    shape = np.shape(good[argument])
    for value in bad:
        if (name, argument, value) == ("best_bias_scale", "offset", None):
            continue
        with pytest.raises(OptionError, match=argument):
            bound(**{**good, argument: np.full(shape, value) if shape else value})


@pytest.mark.parametrize(
    ("text", "bound", "arguments"),
    [
        ("margin must be at most the radius, 5.0, not 6", bounds.updates, (5, 6)),
        ("margin must be at most the radius, 1.0, not 1.5", bounds.unit_rows, (1.5,)),
        ("the size of start_along must be at most start_length, 1.0, not 2", bounds.updates, (5, 1, 1, -2)),
        ("margin must be at most radius times length, 6.0, not 7", bounds.stream, (2, 3, 7)),
        ("updates must be at most R\\^2 / gamma\\^2, 25.0, not 26", bounds.cosine, (26, 5, 1)),
        ("margin must be at most radius plus the size of offset, 3.0, not 4", bounds.with_bias, (1, 4, -2, 1)),
        ("offset must not be 0", bounds.best_bias_scale, (1, 0)),
        ("losses must be 0 or more, not -1.0", bounds.hinge_per_round, ([1.0, -1.0], 1, 1)),
        ("scores must be finite numbers, not nan at .0, 1.", bounds.best_hinge, ([[1.0, nan]], 1)),
        ("scores must be a table of candidates and rounds, not of shape .2,.", bounds.best_hinge, ([1.0, 1.0], 1)),
        ("scores must be a table", bounds.best_hinge, ([[]], 1)),
        ("scores must be at most the radius, 1, in size, not 2.0", bounds.best_hinge, ([[1.0, -2.0]], 1)),
        ("a must be below 1, not 1", bounds.lifted_margin, (1, 1, 1)),
        ("a must be below 1, not 1.5", bounds.lifted_updates, (1, 1, 1.5)),
        ("squared_slack must be above 0, not 0", bounds.best_lift, (0,)),
        ("failure must be below 1, not 1", bounds.patience, (1, 1, 1)),
        ("score must be at most 0, not 0.5", bounds.corrections_in_a_row, (0.5, 1)),
        ("c must be above R\\^2 / .2 gamma., 2.0, not 2", bounds.distance_falls, (2, 1, 2)),
    ],
)
def test_refused_conditions(text, bound, arguments):
    with pytest.raises(OptionError, match=text):
        bound(*arguments)


def test_floats_on_the_safe_side():
    tenth = Fraction(1, 10)
    assert numbers.rounded(tenth, numbers.DOWN) < tenth < numbers.rounded(tenth, numbers.UP)
    assert numbers.rounded(Fraction(10) ** 400, numbers.UP) == inf
    assert numbers.rounded(Fraction(10) ** 400, numbers.DOWN) == np.finfo(float).max
    assert bounds.refuted_margin(1, 10) >= tenth
    assert bounds.hinge_per_round([], 1, 10) >= tenth
    assert bounds.distance_falls(1, 1, Fraction(11, 20)) <= tenth
    assert bounds.cosine(1, 10, 1) <= tenth
    assert Fraction(bounds.lifted_margin(1, 1, Fraction(1, 3))) ** 2 <= Fraction(1, 9) * Fraction(8, 9)


AND = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]


def test_a_trace_by_hand():
    """x = 1 is +, x = -2 is -, no threshold: two corrections of each from w_0 = -4, the last of a tie."""
    run, examples = cases.learn([[1], [-2]], [1, -1], start=[-4, 0], bias=False)
    seen = trace(examples, run.ledger, [3, 0], losses=True)
    assert (seen.gamma, seen.radius) == (1.0, 2.0)
    assert seen.t.tolist() == [0, 1, 2, 3, 4]
    assert seen.row.tolist() == [-1, 0, 1, 0, 1]
    assert seen.along.tolist() == [-4, -3, -1, 0, 2]
    assert seen.along_bound.tolist() == [-4, -3, -2, -1, 0]
    assert seen.squared_length.tolist() == [16, 9, 1, 0, 4]
    assert seen.squared_length_bound.tolist() == [16, 20, 24, 28, 32]
    assert seen.cosine_bound.tolist() == [-1, -1, -1, -1, 0]
    assert str(seen.cosine.tolist()) == "[-1.0, -1.0, -1.0, nan, 1.0]"
    assert seen.loss.tolist() == [12, 9, 3, 0, 0]
    assert seen.holds


def test_a_trace_of_some_states():
    run, examples = cases.learn(*AND)
    seen, some = (trace(examples, run.ledger, [2, 2, -3], every=every) for every in (1, 4))
    assert seen.loss is None
    assert some.t.tolist() == [0, 4, 8, 12, 16, 18]
    for name in ("t", "row", "along", "along_bound", "squared_length", "squared_length_bound", "cosine_bound"):
        assert getattr(some, name).tolist() == getattr(seen, name)[some.t].tolist()
    steps = list(run.ledger.steps(examples))
    assert seen.row.tolist() == [step.row for step in steps]
    assert seen.squared_length.tolist() == [float(step.weights @ step.weights) for step in steps]
    with_losses = trace(examples, run.ledger, [2, 2, -3], losses=True)
    assert with_losses.loss.tolist() == [step.loss for step in steps]


def test_a_trace_asks_only_rows_that_count():
    """The last row contradicts the one before, and is longer than all others, but its weight is 0."""
    X, y = [*AND[0], [9, 9]], [*AND[1], -1]
    run, examples = cases.learn(X, y, weights=[1, 1, 1, 1.5, 0])
    seen = trace(examples, run.ledger, [2, 2, -3])
    assert seen.holds
    assert seen.gamma == pytest.approx(1 / 17**0.5)
    assert seen.radius == pytest.approx(3**0.5)


def test_a_trace_without_updates():
    run, examples = cases.learn(*AND, start=[2, 2, -3])
    seen = trace(examples, run.ledger, [2, 2, -3])
    assert seen.holds
    assert seen.t.tolist() == [0]
    assert seen.cosine.tolist() == seen.cosine_bound.tolist() == pytest.approx([1])


@pytest.mark.parametrize(
    ("text", "reference", "options"),
    [
        ("does not separate: .* is -2.0 in row 1", [1, 1, 1], {}),
        ("does not separate: .* is 0.0 in row 1", [2, 2, -2], {}),
        ("needs 3 finite weights", [1, 1], {}),
        ("needs 3 finite weights", [1, nan, 1], {}),
        ("the reference's length must be between", [0, 0, 0], {}),
        ("the reference's length must be between", [2e200, 2e200, -3e200], {}),
        ("every must be a whole number of at least 1, not 0", [2, 2, -3], {"every": 0}),
    ],
)
def test_refused_references(text, reference, options):
    run, examples = cases.learn(*AND)
    with pytest.raises(OptionError, match=text):
        trace(examples, run.ledger, reference, **options)


def test_refused_traces():
    run, examples = cases.learn([[1], [-2]], [1, -1], bias=False)
    with pytest.raises(OptionError, match="fit_intercept is False"):
        trace(examples, run.ledger, [1, 1])
    huge, examples = cases.learn([[1e200], [-2]], [1, -1], bias=False)
    with pytest.raises(OptionError, match="the radius must be between"):
        trace(examples, huge.ledger, [1, 0])
    far, examples = cases.learn([[1], [-2]], [1, -1], start=[1e200, 0], bias=False)
    with pytest.raises(OptionError, match="the start's length must be between"):
        trace(examples, far.ledger, [1, 0])
    _, others = cases.learn(*AND)
    with pytest.raises(LedgerError, match="belongs to 2 rows"):
        trace(others, run.ledger, [2, 2, -3])
