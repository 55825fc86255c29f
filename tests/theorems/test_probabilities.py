"""What makes probabilities good ones: isotonic is a projection, Venn-Abers is calibrated, Platt's slopes are flat."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.judge import binomial, calibration, curves, drift, reliability
from rosenblatt.judge.scored import Scored

SCORES = st.integers(-4, 4).map(float)
LABELLED = st.lists(st.tuples(SCORES, st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: len({label for _, label in rows}) == 2
)


def scored(rows, weights=None):
    return Scored.of([score for score, _ in rows], np.array([label for _, label in rows]), weights)


# --- isotonic


def squares(rows, weights, values):
    return weights @ (np.array([label for _, label in rows]) - values) ** 2


@given(LABELLED, st.data())
def test_isotonic_is_the_nearest_of_all_monotone_tables(rows, data):
    """It is monotone, and a projection: <y - f, g - f> <= 0 for every monotone g, so none is nearer."""
    weights = np.array(data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(rows), max_size=len(rows))))
    f = calibration.isotonic(scored(rows, weights)).of([score for score, _ in rows])
    distinct = sorted({score for score, _ in rows})
    heights = data.draw(st.lists(st.floats(0, 1), min_size=len(distinct), max_size=len(distinct)).map(sorted))
    g = np.array([heights[distinct.index(score)] for score, _ in rows])
    order = np.argsort([score for score, _ in rows], kind="stable")
    assert (np.diff(f[order]) >= 0).all()
    labels = np.array([label for _, label in rows], float)
    assert (weights * (labels - f)) @ (g - f) <= 1e-9
    assert squares(rows, weights, f) <= squares(rows, weights, g) + 1e-9
    assert weights @ f == pytest.approx(weights @ labels)  # its mean is that of the labels


@given(LABELLED)
def test_isotonic_again_changes_nothing(rows):
    steps = calibration.isotonic(scored(rows))
    groups = scored(rows).groups
    values = steps.of(groups.scores)
    begins, again = calibration.pooled(values * groups.all, groups.all)
    assert np.repeat(again, np.diff(begins, append=values.size)) == pytest.approx(values, rel=1e-12)


# --- Venn-Abers


@pytest.mark.parametrize("table", [(0, 1, 2, 3), (0, 0, 1, 2, 2), (0, 1, 1, 1, 2)])
def test_one_of_the_two_probabilities_is_calibrated(table):
    """Of all orders of the rows of a table, equally likely: E[label - p_label | p_label] = 0, counted exactly."""
    for labels in product((False, True), repeat=len(table)):
        gathered = {}
        for last in range(len(table)):
            rest = [k for k in range(len(table)) if k != last]
            kept = np.array([labels[k] for k in rest])
            if kept.all() or not kept.any():  # refused: the same labels leave nothing to calibrate
                break
            found = calibration.venn_abers(Scored.of([float(table[k]) for k in rest], kept))
            p = found.interval([float(table[last])])[int(labels[last])][0]
            p = Fraction(float(p)).limit_denominator(100)
            count, total = gathered.get(p, (0, 0))
            gathered[p] = count + labels[last], total + 1
        else:
            assert sum(total for _, total in gathered.values()) == len(table)
            assert all(Fraction(count, total) == p for p, (count, total) in gathered.items())


@given(LABELLED)
def test_venn_abers_holds_the_regression_and_is_narrow(rows):
    found, steps = calibration.venn_abers(scored(rows)), calibration.isotonic(scored(rows))
    scores = [score for score, _ in rows]
    lower, upper = found.interval(scores)
    assert (lower <= steps.of(scores)).all()
    assert (steps.of(scores) <= upper).all()
    assert (lower < upper).all()
    assert ((found.of(scores) >= lower) & (found.of(scores) <= upper)).all()
    assert ((found.of(scores) > 0) & (found.of(scores) < 1)).all()
    assert found.merged.of(scores).tolist() == found.of(scores).tolist()


def test_cross_venn_abers_of_one_fold_is_venn_abers(rng):
    scores = rng.normal(size=80)
    one = calibration.venn_abers(Scored.of(scores, scores + rng.normal(size=80) > 0))
    assert calibration.CrossVennAbers((one,)).of(scores) == pytest.approx(one.of(scores))
    three = calibration.CrossVennAbers((one,) * 3)
    assert three.of(np.stack([scores] * 3, axis=1)) == pytest.approx(one.of(scores))
    assert three.of(scores) == pytest.approx(one.of(scores))


# --- Platt


@given(LABELLED, st.sampled_from([1e-6, 1.0, 1e6, 1e150]))
def test_platts_sigmoid_is_where_both_slopes_are_flat(rows, scale):
    yes, no = (sum(label == wanted for _, label in rows) for wanted in (True, False))
    found = calibration.sigmoid(scored([(score * scale, label) for score, label in rows]))
    p = found.of([score * scale for score, _ in rows])
    targets = np.array([(yes + 1) / (yes + 2) if label else 1 / (no + 2) for _, label in rows])
    left = targets - p
    assert abs(left.sum()) < 1e-6 * len(rows)
    assert abs(left @ [score for score, _ in rows]) < 4e-6 * len(rows)


@given(LABELLED, st.integers(1, 4))
def test_a_weight_of_k_is_k_copies(rows, k):
    weights = [float(k)] * len(rows)
    assert calibration.isotonic(scored(rows, weights)) == calibration.isotonic(scored(rows * k))
    one, other = calibration.sigmoid(scored(rows, weights)), calibration.sigmoid(scored(rows * k))
    assert (one.a, one.b) == pytest.approx((other.a, other.b), abs=1e-6)
    heavy, copied = curves.area(scored(rows, weights)), curves.area(scored(rows * k))
    assert heavy.value == pytest.approx(copied.value)
    assert curves.average_precision(scored(rows, weights)) == pytest.approx(curves.average_precision(scored(rows * k)))
    assert curves.gains(scored(rows, weights)) == curves.gains(scored(rows * k))


# --- losses


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.8, 1.0]), st.booleans()), min_size=1, max_size=25))
def test_the_parts_of_the_losses_add_up_and_none_is_negative(rows):
    p, labels = np.array([p for p, _ in rows]), np.array([label for _, label in rows])
    found = reliability.losses(reliability.given(p, labels), bins=5)
    assert found.brier.loss == pytest.approx(np.mean((p - labels) ** 2))
    impossible = bool(((p == 0) & labels).any() or ((p == 1) & ~labels).any())
    assert (found.log is None) == impossible
    for part in filter(None, (found.brier, found.log)):
        assert part.loss == pytest.approx(part.miscalibration - part.discrimination + part.uncertainty, abs=1e-12)
        assert min(part.miscalibration, part.discrimination, part.uncertainty) >= 0
    q = labels.mean()
    assert found.brier.uncertainty == pytest.approx(q * (1 - q))
    assert 0 <= found.expected_calibration_error <= 1


@given(LABELLED)
def test_recalibrated_probabilities_have_nothing_left_to_gain(rows):
    p = calibration.isotonic(scored(rows)).of([score for score, _ in rows])
    found = reliability.losses(reliability.given(p, np.array([label for _, label in rows])), bins=3)
    assert found.brier.miscalibration == pytest.approx(0, abs=1e-12)
    assert found.log is not None
    assert found.log.miscalibration == pytest.approx(0, abs=1e-12)
    bins = reliability.reliability(reliability.given(p, np.array([label for _, label in rows])), bins=1)
    assert reliability.expected_calibration_error(bins) == pytest.approx(0, abs=1e-12)  # the mean is right


@given(LABELLED, st.integers(1, 12), st.sampled_from(["rows", "width"]))
def test_bins_hold_every_row_once_and_keep_equal_ones_together(rows, many, by):
    p, labels = np.array([(score + 4) / 8 for score, _ in rows]), np.array([label for _, label in rows])
    bins = reliability.reliability(reliability.given(p, labels), many, by)
    assert len(bins) <= many
    for one in bins:
        inside = (p >= one.least) & (p <= one.most)
        assert (one.rows, one.yes) == (inside.sum(), labels[inside].sum())
        assert one.mean == pytest.approx(p[inside].mean())
        assert (one.lower, one.upper) == binomial.interval(int(one.yes), int(one.rows))
        assert one.holds == (one.lower <= one.mean <= one.upper)
    assert sum(one.rows for one in bins) == len(rows)


# --- curves


@given(LABELLED)
def test_the_area_of_turned_scores_and_labels(rows):
    table = scored(rows)
    value = curves.area(table).value
    assert 0 <= value <= 1
    assert curves.area(Scored.of(-table.scores, table.yes)).value == pytest.approx(1 - value)
    assert curves.area(Scored.of(table.scores, ~table.yes)).value == pytest.approx(1 - value)
    assert curves.area(Scored.of(np.exp(table.scores), table.yes)) == curves.area(table)  # only the order counts
    points = curves.curve(table)
    assert np.sum(np.diff(points.of_no) * (points.of_yes[1:] + points.of_yes[:-1]) / 2) == pytest.approx(value)
    assert curves.separation(table).value >= abs(2 * value - 1) / 2 - 1e-12


@given(LABELLED, st.integers(1, 12))
def test_gains_are_those_of_a_mean_order(rows, parts):
    found = curves.gains(scored(rows), parts)
    assert found[-1].of_yes == pytest.approx(1)
    assert found[-1].lift == pytest.approx(1)
    of_yes = [gain.of_yes for gain in found]
    assert of_yes == sorted(of_yes)
    positives = sum(label for _, label in rows)
    for gain in found:  # a row that is cut by the end of a part is counted in proportion
        room, wanted = gain.share * len(rows), 0.0
        for score in sorted({score for score, _ in rows}, reverse=True):
            labels = [label for s, label in rows if s == score]
            wanted += min(max(room / len(labels), 0.0), 1.0) * sum(labels)
            room -= len(labels)
        assert gain.of_yes == pytest.approx(wanted / positives)


def test_delongs_interval_holds_the_area_about_as_often_as_it_says():
    """By 400 samples of a normal shift whose area is known; a binomial tolerance around 95%."""
    rng, held = np.random.default_rng(20260302), 0
    for _ in range(400):
        scores = np.append(rng.normal(1.0, 1.0, 60), rng.normal(0.0, 1.0, 80))
        found = curves.area(Scored.of(scores, np.arange(140) < 60))
        held += found.lower <= 0.7602499389065233 <= found.upper  # Phi(1 / sqrt 2)
    assert 365 <= held <= 395  # about four standard errors, of 380


# --- drift


@pytest.mark.parametrize("shares", [(0.5, 0.3, 0.2), (0.97, 0.02, 0.01)])
def test_drift_is_rarely_seen_where_there_is_none(shares):
    rng, small = np.random.default_rng(20260303), 0
    for _ in range(150):
        old, new = rng.choice(3, 60, p=shares), rng.choice(3, 40, p=shares)
        small += drift.of_values(old, new).p_value <= 0.05
    assert small <= 19  # P(Bin(150, 0.05) > 19) < 1e-4


@given(st.lists(st.integers(0, 40), min_size=2, max_size=6), st.lists(st.integers(0, 40), min_size=2, max_size=6))
def test_the_stability_index_is_symmetric_and_zero_for_the_same(old, new):
    size = min(len(old), len(new))
    old, new = old[:size], new[:size]
    assert drift.stability_index(old, old) == 0
    assert drift.stability_index(old, new) == pytest.approx(drift.stability_index(new, old), abs=1e-12)
    assert drift.stability_index(old, new) >= -1e-15


@given(st.integers(1, 200), st.integers(1, 200), st.data())
def test_the_change_of_a_rate_is_within_its_interval(old_rows, new_rows, data):
    old, new = data.draw(st.integers(0, old_rows)), data.draw(st.integers(0, new_rows))
    found = drift.of_decisions(old, old_rows, new, new_rows)
    assert found.lower <= found.new - found.old <= found.upper
    assert -1 <= found.lower <= found.upper <= 1
    turned = drift.of_decisions(new, new_rows, old, old_rows)
    assert (turned.lower, turned.upper) == (-found.upper, -found.lower)
    assert found.changed == turned.changed


def test_the_interval_of_a_change_is_exact_by_counting():
    """Over all counts of two small samples: it misses the true change with at most the probability it says."""
    n, m, confidence = 6, 7, 0.8
    intervals = {(k, j): drift.of_decisions(k, n, j, m, confidence) for k, j in product(range(n + 1), range(m + 1))}
    for p, q in product([Fraction(k, 10) for k in (1, 3, 5, 9)], repeat=2):
        missed = Fraction(0)
        for (k, j), found in intervals.items():
            if not found.lower <= q - p <= found.upper:
                missed += ways(n, k) * p**k * (1 - p) ** (n - k) * ways(m, j) * q**j * (1 - q) ** (m - j)
        assert missed <= 1 - Fraction(confidence)


def ways(n, k):
    return sum(1 for _ in combinations(range(n), k))
