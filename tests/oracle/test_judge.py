"""Probabilities, curves and tests against their definitions in fractions."""

from fractions import Fraction
from math import isclose

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle import naive_judge as naive
from rosenblatt.judge import binomial, calibration, compare, curves, drift
from rosenblatt.judge.cutoff import by_cost
from rosenblatt.judge.scored import Scored

SCORES = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0])
ROWS = st.lists(st.tuples(SCORES, st.booleans()), min_size=2, max_size=12).filter(
    lambda rows: len({y for _, y in rows}) == 2
)
WEIGHTS = st.sampled_from([0.25, 1.0, 2.0, 3.5])
PLACES = [-3.0, -2.0, -1.9, -1.0, -0.75, -0.5, -0.1, 0.0, 0.1, 0.25, 0.5, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0]


def scored(rows, weights=None):
    scores, labels = zip(*rows, strict=True)
    return Scored.of(scores, np.array(labels), weights)


def weighted(rows, weights):
    return [(score, label, weight) for (score, label), weight in zip(rows, weights, strict=True)]


# --- probabilities


@given(ROWS, st.data())
def test_isotonic_is_the_regression(rows, data):
    weights = data.draw(st.lists(WEIGHTS, min_size=len(rows), max_size=len(rows)))
    steps = calibration.isotonic(scored(rows, weights))
    wanted = naive.isotonic(weighted(rows, weights))
    assert steps.of(list(wanted)).tolist() == pytest.approx([float(value) for value in wanted.values()], rel=1e-14)
    assert len(steps.values) == len({*wanted.values()})


@given(ROWS)
def test_isotonic_of_counts_is_exact(rows):
    steps, wanted = calibration.isotonic(scored(rows)), naive.isotonic(weighted(rows, [1] * len(rows)))
    assert steps.of(list(wanted)).tolist() == [float(value) for value in wanted.values()]
    first = [score for score, value in wanted.items() if value != wanted[min(wanted)]]
    assert steps.edges[:1] == tuple(first[:1])  # a step begins at the lowest score of its block
    assert steps.of([-9.0])[0] == steps.values[0]


@given(ROWS)
def test_venn_abers_is_two_regressions(rows):
    found = calibration.venn_abers(scored(rows))
    lower, upper = found.interval(PLACES)
    for place, low, high, single in zip(PLACES, lower, upper, found.of(PLACES), strict=True):
        no, yes = naive.venn_abers(rows, place)
        assert (low, high) == (float(no), float(yes))
        assert single == pytest.approx(float(yes / (1 - no + yes)), rel=1e-15)


def test_venn_abers_between_neighbouring_doubles():
    """Where no double is between two scores there is no gap, and nothing is lost."""
    close = [1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2), 2.0, np.finfo(float).max]
    for pattern in range(1, 2**5 - 1):
        rows = [(score, bool(pattern >> k & 1)) for k, score in enumerate(close)]
        found = calibration.venn_abers(scored(rows))
        for place in (0.0, *close, 1.5, 3.0):
            assert [end[0] for end in found.interval([place])] == [float(p) for p in naive.venn_abers(rows, place)]


@pytest.mark.parametrize("n", [300, 3000])
def test_venn_abers_of_many_rows(n, rng):
    scores = np.round(rng.normal(size=n), 2)
    labels = rng.random(n) < 1 / (1 + np.exp(-2 * scores))
    found = calibration.venn_abers(Scored.of(scores, labels))
    rows = list(zip(scores.tolist(), labels.tolist(), strict=True))
    for place in rng.choice(np.append(scores, [-9.0, 9.0, 0.001]), 4).tolist():
        wanted = []
        for label in (False, True):
            again = Scored.of([*scores, place], np.array([*labels, label]))
            wanted.append(calibration.isotonic(again).of([place])[0])
        assert [end[0] for end in found.interval([place])] == wanted
    if n == 300:  # fractions take their time
        low, high = naive.venn_abers(rows[:30], 0.005)
        small = calibration.venn_abers(Scored.of(scores[:30], labels[:30]))
        assert [end[0] for end in small.interval([0.005])] == [float(low), float(high)]


# --- counts


@given(st.integers(1, 60), st.data())
def test_limits_are_those_of_the_tail(n, data):
    count, confidence = data.draw(st.integers(0, n)), data.draw(st.sampled_from([0.5, 0.9, 0.95, 0.999]))
    delta, close = 1 - Fraction(confidence), Fraction(1, 10**9)
    upper, lower = binomial.upper_limit(count, n, confidence), binomial.lower_limit(count, n, confidence)
    assert upper == 1.0 or naive.tail(count, n, upper) <= delta < naive.tail(count, n, Fraction(upper) * (1 - close))
    at_least = 1 - Fraction(lower)  # the other way round: n - count are not
    assert lower <= 0.0 or naive.tail(n - count, n, at_least) <= delta < naive.tail(
        n - count, n, at_least * (1 - close)
    )
    both = binomial.interval(count, n, confidence)
    half = (1 + confidence) / 2
    assert both == pytest.approx(
        (binomial.lower_limit(count, n, half), binomial.upper_limit(count, n, half)), abs=1e-12
    )


@given(st.integers(0, 80), st.data())
def test_p_values_are_the_tail_rounded_up(n, data):
    count, rate = data.draw(st.integers(0, n)), data.draw(st.floats(1e-6, 1 - 1e-6))
    exact, found = naive.tail(count, n, rate), binomial.p_value(count, n, rate)
    assert exact <= found <= min(exact * (1 + Fraction(1, 10**9)) + Fraction(1, 10**9), 1)
    if rate * n >= count:
        assert found <= exact * (1 + Fraction(1, 10**9))


@given(st.floats(0.01, 0.9), st.sampled_from([0.5, 0.9, 0.95, 0.99]), st.integers(0, 4))
def test_rows_needed_is_the_least(rate, confidence, errors):
    n, delta = binomial.rows_needed(rate, confidence, errors), 1 - Fraction(confidence)
    assert naive.tail(errors, n, rate) <= delta
    assert n == errors + 1 or naive.tail(errors, n - 1, rate) > delta * (1 - Fraction(1, 10**9))
    assert binomial.most_errors(n, rate, confidence) == errors
    assert binomial.most_errors(n - 1, rate, confidence) == (errors - 1 if errors else None) or n == errors + 1


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_sign_test(one, other):
    exact, found = naive.mcnemar(one, other), binomial.sign_p_value(one, other)
    assert exact <= found <= exact * (1 + Fraction(1, 10**9))
    so = np.zeros(one + other + 3, int)
    first, second = so.copy(), so.copy()
    second[:one], first[one : one + other] = 1, 1
    compared = compare.compare(first, second, so)
    assert (compared.only_first_right, compared.only_second_right, compared.both_right) == (one, other, 3)
    assert compared.p_value == found
    assert compare.different(first, second).tolist() == list(range(one + other))


# --- curves


@given(ROWS, st.data())
def test_areas_are_those_of_all_pairs(rows, data):
    weights = data.draw(st.none() | st.lists(WEIGHTS, min_size=len(rows), max_size=len(rows)))
    table, each = scored(rows, weights), weighted(rows, weights or [1] * len(rows))
    found = curves.area(table)
    assert isclose(found.value, naive.area(each), rel_tol=1e-14, abs_tol=1e-15)
    assert found.gini == 2 * found.value - 1
    assert isclose(curves.average_precision(table), naive.average_precision(each), rel_tol=1e-13)
    assert (found.lower is None) == (weights is not None)


@given(ROWS)
def test_delongs_interval_is_that_of_his_variance(rows):
    assume(min(sum(y for _, y in rows), sum(not y for _, y in rows)) >= 2)
    found, variance = curves.area(scored(rows)), float(naive.area_variance(rows))
    assert found.lower <= found.value <= found.upper
    if variance > 0 and 0 < found.value < 1:
        odds, reach = np.log(found.value / (1 - found.value)), 1.959963984540054 * np.sqrt(variance)
        reach /= found.value * (1 - found.value)
        assert (found.lower, found.upper) == pytest.approx(
            (1 / (1 + np.exp(reach - odds)), 1 / (1 + np.exp(-odds - reach))), rel=1e-9
        )


@given(ROWS)
def test_separation_and_the_curve_count_rows(rows):
    table = scored(rows)
    points, found = curves.curve(table), curves.separation(table)
    yes, no = [s for s, y in rows if y], [s for s, y in rows if not y]
    far = {}
    for k, cut in enumerate(points.cut_offs.tolist()):
        shares = sum(s >= cut for s in yes) / len(yes), sum(s >= cut for s in no) / len(no)
        assert (points.of_yes[k], points.of_no[k]) == shares
        far[cut] = abs(shares[0] - shares[1])
        confusion = curves.Confusion.at(cut, table)
        assert confusion.recall == shares[0]
        assert confusion.specificity == pytest.approx(1 - shares[1])
        assert confusion.precision == (points.precision[k] if k else None)
    assert found.value == max(far.values())
    assert far[found.score] == found.value


@given(ROWS, st.sampled_from([(1.0, 1.0), (5.0, 1.0), (0.5, 2.0), (0.0, 1.0), (1.0, 0.0)]))
def test_the_cut_off_by_cost_is_the_cheapest(rows, prices):
    table, (false_yes, false_no) = scored(rows), prices
    cut_offs = [None, *sorted({s for s, _ in rows}, reverse=True)]

    def cost(cut):
        said = [cut is not None and s >= cut for s, _ in rows]
        return sum(
            false_yes if s and not y else false_no if y and not s else 0 for s, (_, y) in zip(said, rows, strict=True)
        )

    found = by_cost(table, false_yes, false_no)
    assert cost(found.at) == min(map(cost, cut_offs))
    assert found.at == min(cut_offs, key=cost)  # of several, the first: the highest
    assert found.said_yes == sum(found.of([s for s, _ in rows]))
    assert (found.warning is not None) == (found.said_yes in (0, len(rows)))


# --- drift


@given(st.lists(st.integers(0, 2), min_size=2, max_size=5), st.lists(st.integers(0, 2), min_size=2, max_size=5))
def test_the_permutation_test_is_that_of_all_shuffles(old, new):
    found = drift.of_values(old, new)
    exact = float(naive.shuffled_p_value(old, new, naive.chi_square))
    if len({*old, *new}) == 1:
        assert found.p_value == exact == 1.0
    else:
        assert found.test == drift.PERMUTATION
        assert abs(found.p_value - exact) <= 4 * np.sqrt(exact * (1 - exact) / drift.SHUFFLES) + 2e-4
    assert found.unseen == sum(value not in old for value in new) / len(new)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=3), st.data())
def test_the_test_of_bins_between_old_rows_is_that_of_the_urn(old, data):
    new = data.draw(st.lists(st.integers(0, 3), min_size=len(old), max_size=len(old)))
    assume(any(old) and any(new) and all(a + b for a, b in zip(old, new, strict=True)))
    found, exact = drift.of_counts(old, new, quantiles=True), float(naive.urn_p_value(old, new))
    assert found.test == drift.URN
    assert abs(found.p_value - exact) <= 4 * np.sqrt(exact * (1 - exact) / drift.SHUFFLES) + 3e-4


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_counts_are_tested_as_their_values_are(old, new):
    both = sorted({*old, *new})
    counts = [[values.count(value) for value in both] for values in (old, new)]
    found, wanted = drift.of_counts(*counts), drift.of_values(old, new)
    assert (found.index, found.p_value, found.test) == (wanted.index, wanted.p_value, wanted.test)
    assert drift.of_counts([*counts[0], 0], [*counts[1], 0]).p_value == found.p_value  # a cell that nobody is in


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_holm(p_values):
    assert drift.holm(p_values) == pytest.approx([float(p) for p in naive.holm(p_values)], rel=1e-12)


@given(ROWS, st.data())
def test_rows_in_parts_are_compared_as_all_at_once(rows, data):
    actual = np.array([y for _, y in rows])
    one, two = (np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))) for _ in "AB")
    price = np.array(data.draw(st.lists(WEIGHTS, min_size=len(rows), max_size=len(rows))))
    cut = data.draw(st.integers(0, len(rows)))
    running = compare.Running()
    for part in (slice(0, cut), slice(cut, None)):
        running.add(one[part], two[part], actual[part], price[part])
    found, wanted = running.comparison(), compare.compare(one, two, actual, price)
    assert (found.rows, found.differ, found.p_value) == (wanted.rows, wanted.differ, wanted.p_value)
    assert found.costs.lower == pytest.approx(wanted.costs.lower, rel=1e-9, abs=1e-9)
    each = price * (one != actual) - price * (two != actual)
    if (each != each[0]).any():
        reach = 1.959963984540054 * np.sqrt(each.size * each.var(ddof=1))
        most = each.size * price.max()
        assert wanted.costs.upper == pytest.approx(min(each.sum() + reach, most), rel=1e-9, abs=1e-9)
