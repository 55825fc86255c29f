"""Every bound against an independent computation: exact fractions, whole binomial sums, plain inversion."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, exp, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from rosenblatt.errors import OptionError
from rosenblatt.prove.theory import risk


def tail(errors, n, p):
    """P(Bin(n, p) <= errors), exactly."""
    p = Fraction(p)
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(errors + 1))


def is_limit(p, errors, n, delta, close=Fraction(1, 10**9)):
    """Whether p is at or just above the largest one that makes the tail at least delta."""
    return tail(errors, n, p) <= delta < tail(errors, n, Fraction(p) * (1 - close))


# --- held out


@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_held_out_is_the_exact_limit(n, delta):
    for errors in range(n):
        assert is_limit(risk.held_out(errors, n, delta).bound, errors, n, Fraction(delta))
    assert risk.held_out(n, n, delta).bound == 1.0


def test_held_out_by_hand():
    assert risk.held_out(0, 1).bound == pytest.approx(0.95)
    assert risk.held_out(0, 50).bound == pytest.approx(1 - 0.05 ** (1 / 50))
    assert risk.held_out(49, 50).bound == pytest.approx(0.95 ** (1 / 50))


@pytest.mark.parametrize(("errors", "n"), [(1, 1000), (37, 1000), (999, 1000), (12_345, 10**6), (5_000_000, 10**7)])
def test_held_out_against_scipy(errors, n):
    bound = risk.held_out(errors, n, 0.01).bound
    assert bound == pytest.approx(beta.isf(0.01, errors + 1, n - errors), rel=1e-9)
    assert bound > errors / n


@given(st.integers(1, 300), st.data())
def test_held_out_grows_with_errors_and_falls_with_rows_and_delta(n, data):
    errors = data.draw(st.integers(0, n - 1))
    bound = risk.held_out(errors, n).bound
    assert errors / n < bound < risk.held_out(errors + 1, n).bound <= 1
    assert risk.held_out(errors, n + 1).bound < bound < risk.held_out(errors, n, 0.01).bound


# --- compression


def shared(n, kept, delta, updates=None):
    """Delta for one set of rows, exactly."""
    times = 1 if updates is None else max(updates * (updates + 1), 1)
    return Fraction(delta) / (comb(n, kept) * (kept + 1) * (kept + 2) * times)


@given(st.integers(1, 40), st.data())
def test_compression_is_the_exact_limit(n, data):
    kept = data.draw(st.integers(0, n))
    errors = data.draw(st.integers(0, n - kept))
    updates = data.draw(st.none() | st.integers(kept, kept + 50)) if kept else None
    bound = risk.compression(n, kept, errors, 0.05, updates).bound
    if errors == n - kept:
        assert bound == 1.0
    else:
        delta = shared(n, kept, 0.05, updates)
        assert tail(errors, n - kept, bound) <= delta
        assert bound == 1.0 or tail(errors, n - kept, Fraction(bound) - Fraction(1, 10**9)) > delta


def test_deltas_of_all_sets_of_rows_and_all_times_add_up():
    assert sum(comb(12, k) * shared(12, k, 1) for k in range(13)) == 1 - Fraction(1, 14)
    assert sum(shared(12, 3, 1, t) / shared(12, 3, 1) for t in range(1, 1000)) == 1 - Fraction(1, 1000)


@pytest.mark.parametrize(("n", "kept"), [(100, 5), (10**5, 1000), (10**6, 5000), (10**7, 1000)])
def test_without_errors_the_closed_form_in_fifty_digits(n, kept):
    with localcontext() as context:
        context.prec = 50
        log_delta = (Decimal("0.05") / ((kept + 1) * (kept + 2) * comb(n, kept))).ln()
        least = 1 - (log_delta / (n - kept)).exp()
        bound = Decimal(risk.compression(n, kept, 0).bound)
        assert 0 <= bound / least - 1 < Decimal("1e-9")


@pytest.mark.parametrize(("n", "kept", "errors"), [(2000, 300, 90), (3000, 2000, 300)])
def test_deltas_far_below_the_least_float(n, kept, errors):
    """Whole-number sums: with p = a / 2^b, P(Bin(m, p) <= e) 2^(b m) is a whole number."""
    m, delta = n - kept, shared(n, kept, 0.05)
    assert delta < Fraction(1, 10**300)

    def whole_tail(p):
        a, b = p.as_integer_ratio()
        return Fraction(sum(comb(m, j) * a**j * (b - a) ** (m - j) for j in range(errors + 1)), b**m)

    bound = risk.compression(n, kept, errors).bound
    assert whole_tail(bound) <= delta < whole_tail(bound * (1 - 1e-9))


def test_one_error_is_near_none_and_inversion_agrees_with_the_closed_form():
    """The inversion for one error, (1-p)^m + m p (1-p)^(m-1), lies a little above the closed form for none."""
    for n in (10**3, 10**5, 10**7):
        none, one = (risk.compression(n, 10, errors).bound for errors in (0, 1))
        m, log_delta = n - 10, log(shared(n, 10, 0.05))
        p = none
        for _ in range(100):  # (1-p)^(m-1) (1 - p + m p) = delta, by fixed point
            p = 1 - exp((log_delta - log(1 - p + m * p)) / (m - 1))
        assert one == pytest.approx(p, rel=1e-9)
        assert none < one < 1.2 * none


def test_logarithms_at_ten_million_rows():
    """Against scipy where it still has digits: nothing kept, so delta is halved only."""
    for errors in (1, 1000, 10**6, 9 * 10**6):
        bound = risk.compression(10**7, 0, errors).bound
        assert bound == pytest.approx(beta.isf(0.025, errors + 1, 10**7 - errors), rel=1e-7)
        assert binom.cdf(errors, 10**7, bound) == pytest.approx(0.025, rel=1e-4)


@given(st.integers(10, 10**7), st.data())
def test_compression_grows_with_kept_errors_and_updates(n, data):
    kept = data.draw(st.integers(1, n // 4))
    errors = data.draw(st.integers(0, n // 4))
    bound = risk.compression(n, kept, errors).bound
    assert errors / (n - kept) < bound <= 1
    if bound < 1:
        assert bound < risk.compression(n, kept, errors + 1).bound
        assert bound < risk.compression(n, kept + 1, errors).bound
        assert bound < risk.compression(n, kept, errors, updates=kept).bound
        assert bound < risk.compression(n, kept, errors, delta=0.04).bound


def test_nothing_kept_and_everything_kept():
    assert risk.compression(100, 0, 0, updates=0) == risk.compression(100, 0, 0)
    assert risk.compression(100, 0, 3).bound == pytest.approx(risk.held_out(3, 100, 0.025).bound)
    assert risk.compression(100, 100, 0).bound == 1.0


# --- PAC-Bayes


def entropy(p, q):
    return sum(a * log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a)


@given(st.floats(0, 1), st.floats(1e-8, 20))
def test_kl_limit_is_the_upper_root(p, c):
    q = risk.kl_limit(p, c)
    assert p <= q <= 1
    if q < 1:
        assert entropy(p, q) >= c - 1e-14
    nearer = q - 1e-7 * (1 - p)
    if p < nearer < 1:
        assert entropy(p, nearer) < c + 1e-14
    assert risk.kl_limit(0.0, c) == pytest.approx(1 - exp(-c), rel=1e-6)


def brute_force(margins, delta):
    """The minimum over a fine grid, with Python's own normal distribution."""
    n, phi, best = len(margins), NormalDist().cdf, 1.0
    for theta in (0, 0.5, 1, 1.5, 2, 2.5, 3):
        for mu in np.arange(0, 20, 0.1):
            loss = sum(phi(theta - mu * m) for m in margins) / n
            c = (mu**2 / 2 + log(2 * sqrt(n) * 7 / delta)) / n
            low, high = loss, 1.0
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (low, middle) if middle < 1 and entropy(loss, middle) > c else (middle, high)
            best = min(best, high / phi(theta))
    return best


@pytest.mark.parametrize("delta", [0.05, 1e-4])
def test_pac_bayes_against_brute_force(delta, rng):
    for n, mean in ((8, 0.9), (60, 0.7), (200, 0.4)):
        margins = np.clip(rng.normal(mean, 0.2, size=n), -1, 1)
        assert risk.pac_bayes(margins, delta).bound == pytest.approx(brute_force(margins, delta), rel=2e-3)


def test_pac_bayes_falls_with_margins_and_rows(rng):
    m = np.clip(rng.normal(0.3, 0.2, size=500), -1, 1)
    bound = risk.pac_bayes(m).bound
    assert (m <= 0).mean() < bound < risk.pac_bayes(m - 0.01 * (m > -0.9)).bound
    assert risk.pac_bayes(np.repeat(m, 2)).bound < bound < risk.pac_bayes(m, 0.001).bound
    assert risk.pac_bayes([0.0] * 1000).bound == risk.pac_bayes([0.3] * 8).bound == 1.0


def test_many_margins_are_rounded_down(rng, monkeypatch):
    m = np.clip(rng.normal(0.3, 0.2, size=3000), -1, 1)
    exact = risk.pac_bayes(m).bound
    monkeypatch.setattr(risk, "FINE", 256)
    assert exact < risk.pac_bayes(m).bound < exact + 0.02


@pytest.mark.parametrize("margins", [[0.5] * 7 + [1.1], [0.5] * 7 + [np.nan], [[0.5] * 8], [0.5] * 7 + [-np.inf]])
def test_margins_that_are_none(margins):
    with pytest.raises(OptionError, match="margins must be"):
        risk.pac_bayes(margins)


# --- a single pass, Rademacher, the pocket


def test_single_pass_by_hand():
    assert risk.online_to_batch(10, 200, 0.1).bound == pytest.approx(0.05 + sqrt(log(10) / 400))
    selected = risk.online_to_batch(10, 20_000, 0.1, rule="selected")
    assert selected.bound == pytest.approx(0.0005 + 6 * sqrt(log(400_020) / 20_000))
    assert risk.longest_survivor(1, 1, 0.25).bound == pytest.approx(0.75)
    assert risk.longest_survivor(2, 4, 0.25).bound == pytest.approx(0.75)
    assert risk.longest_survivor(0, 9).bound == 1.0
    assert risk.leave_one_out(3, 20).bound == pytest.approx(0.15)
    assert risk.leave_one_out(3, 20, vote="deterministic").bound == pytest.approx(0.3)
    assert risk.leave_one_out(20, 20, vote="deterministic").bound == 1.0


def passed(labels):
    """PLA once over rows of one feature, 1, with these labels: the weights, before each row and at last; mistakes."""
    weights, mistakes = [0], 0
    for y in labels:
        wrong = weights[-1] * y <= 0
        mistakes += wrong
        weights.append(weights[-1] + y * wrong)
    return weights, mistakes


def test_leave_one_out_must_count_the_fresh_row():
    """Fair coins as labels, over all samples: the risk of the randomised vote over n rows is E[M of n + 1] / (n + 1).

    With M of the n rows alone, the printed bound would be false.
    """
    n, samples = 3, [[2 * coin - 1 for coin in coins] for coins in np.ndindex(2, 2, 2, 2)]
    errors = sum(Fraction(sum(w * y <= 0 for w in passed(rows)[0]), n + 1) for *rows, y in samples)
    assert errors == sum(Fraction(risk.leave_one_out(passed(rows)[1], n + 1).bound) for rows in samples)
    assert errors > sum(Fraction(passed(rows[:n])[1], n + 1) for rows in samples)


def test_rademacher_by_hand():
    assert risk.rademacher(5, 10_000, 2.0, 0.5, 0.1).bound == pytest.approx(0.0005 + 0.08 + sqrt(log(10) / 20_000))
    assert risk.rademacher(0, 4, 1.0, 0.5).bound == 1.0


def test_pocket_margin_by_hand():
    c = 4 * log(10**5 / 0.1) / (0.25 * 10**5)
    assert risk.pocket_margin(1000, 10**5, 0.5, 0.1).bound == pytest.approx(0.01 + sqrt(0.02 * c) + 2 * c)


@pytest.mark.parametrize("n", [50, 200, 1000, 10**4, 10**5])
def test_pocket_margin_is_above_pac_bayes(n):
    """The least favourable margins: those below it are -1, all others no more than it."""
    cells = 0
    for margin in (0.05, 0.2, 0.5, 1.0):
        for share in (0, 0.001, 0.02, 0.1, 0.45):
            for delta in (0.5, 0.05, 1e-4):
                errors = int(np.ceil(share * n))
                closed = risk.pocket_margin(errors, n, margin, delta).bound
                if closed < 1:
                    margins = np.concatenate([np.full(errors, -1.0), np.full(n - errors, margin)])
                    assert risk.pac_bayes(margins, delta).bound < closed
                    cells += 1
    assert cells


# --- all of them


BOUNDS = {
    "held out": lambda n, e, delta: risk.held_out(e, n, delta),
    "compression": lambda n, e, delta: risk.compression(n, 2, e, delta),
    "PAC-Bayes": lambda n, e, delta: risk.pac_bayes([0.5] * n, delta),
    "online to batch": lambda n, e, delta: risk.online_to_batch(e, n, delta),
    "survivor": lambda n, e, delta: risk.longest_survivor(e, n, delta),
    "Rademacher": lambda n, e, delta: risk.rademacher(e, n, 1.0, 0.5, delta),
    "pocket": lambda n, e, delta: risk.pocket_margin(e, n, 0.5, delta),
}


@pytest.mark.parametrize("kind", BOUNDS)
def test_what_a_risk_says(kind):
    found = BOUNDS[kind](1000, 20, 0.1)
    assert (found.kind, found.n, found.delta, found.confidence) == (kind, 1000, 0.1, 0.9)
    assert 0 < found.bound <= 1
    assert str(found) == found.statement
    assert found.statement.startswith("With confidence 90%, the ")
    printed = float(found.statement.split(" at most ")[1].split("%")[0]) / 100
    assert found.bound - 1e-15 <= printed < found.bound + 2e-4
    assert BOUNDS[kind](1000, 20, 0.01).bound >= found.bound


def test_confidence_is_never_rounded_to_certainty():
    assert risk.held_out(0, 10, 1e-7).statement.startswith("With confidence 99.99999%, ")
    assert risk.held_out(0, 10, 1e-30).statement.startswith("With confidence 1 - 1e-30, ")


def test_an_expectation_has_no_confidence():
    found = risk.leave_one_out(1, 10)
    assert found.delta is found.confidence is None
    assert found.statement.startswith("In expectation, the randomised vote over 9 rows errs on at most 10.00%")


@pytest.mark.parametrize("kind", BOUNDS)
@pytest.mark.parametrize("delta", [0, 0.6, 1, -0.1, np.nan])
def test_deltas_that_are_none(kind, delta):
    with pytest.raises(OptionError, match=r"delta must be above 0 and at most 0\.5, not"):
        BOUNDS[kind](100, 1, delta)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: risk.held_out(3, 2), "errors must be a whole number from 0 to 2, not 3"),
        (lambda: risk.held_out(-1, 2), "errors must be .*, not -1"),
        (lambda: risk.held_out(0.5, 2), "errors must be .*, not 0.5"),
        (lambda: risk.held_out(True, 2), "errors must be .*, not True"),
        (lambda: risk.held_out(0, 0), "n must be a whole number of at least 1, not 0"),
        (lambda: risk.held_out(0, np.inf), "n must be .*, not inf"),
        (lambda: risk.held_out(0, np.nan), "n must be .*, not nan"),
        (lambda: risk.compression(10, 11, 0), "kept must be a whole number from 0 to 10, not 11"),
        (lambda: risk.compression(10, 4, 7), "errors must be a whole number from 0 to 6, not 7"),
        (lambda: risk.compression(10, 4, 0, updates=3), "updates must be a whole number of at least 4, not 3"),
        (lambda: risk.compression(10, 0, 0, updates=3), "updates must be a whole number from 0 to 0, not 3"),
        (lambda: risk.pac_bayes([0.5] * 7), "number of margins must be a whole number of at least 8, not 7"),
        (lambda: risk.online_to_batch(11, 10), "mistakes must be a whole number from 0 to 10, not 11"),
        (lambda: risk.online_to_batch(1, 10, rule="last"), "rule must be 'average' or 'selected', not 'last'"),
        (lambda: risk.longest_survivor(11, 10), "length must be a whole number from 0 to 10, not 11"),
        (lambda: risk.leave_one_out(11, 10), "mistakes must be a whole number from 0 to 10, not 11"),
        (lambda: risk.leave_one_out(1, 10, vote="loud"), "vote must be 'randomised' or 'deterministic', not 'loud'"),
        (lambda: risk.rademacher(11, 10, 1, 1), "errors_at_margin must be a whole number from 0 to 10, not 11"),
        (lambda: risk.rademacher(1, 10, np.inf, 1), "radius must be a finite number above 0, not inf"),
        (lambda: risk.rademacher(1, 10, 1, 0), "margin must be a finite number above 0, not 0"),
        (lambda: risk.pocket_margin(0, 0, 1), "n must be a whole number from 1 to 1000000000, not 0"),
        (lambda: risk.pocket_margin(1, 10, 1.5), "margin must be above 0 and at most 1, not 1.5"),
        (lambda: risk.pocket_margin(1, 10, 0), "margin must be above 0 and at most 1, not 0"),
    ],
)
def test_refusals_name_the_condition_and_the_value(call, message):
    with pytest.raises(OptionError, match=message):
        call()
