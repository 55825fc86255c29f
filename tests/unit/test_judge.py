"""The edges of judging: odd rows and options are refused in one line, and what is left has a value that is told."""

import json
from math import inf, log

import numpy as np
import pytest

from rosenblatt.errors import DataError, OptionError
from rosenblatt.judge import (
    abstain,
    binomial,
    calibration,
    compare,
    curves,
    cutoff,
    drift,
    record,
    reliability,
    tables,
)
from rosenblatt.judge.abstain import Tolerance
from rosenblatt.judge.ladder import ASK, NO, YES, Ladder, Rung
from rosenblatt.judge.scored import Scored

SCORES, LABELS = [0.1, 0.4, 0.4, 0.9], np.array([False, True, False, True])
ROWS = Scored.of(SCORES, LABELS)
HUNDRED = Scored.of(np.arange(100.0), np.arange(100) * 7 % 10 < np.arange(100) // 10)


# --- rows


@pytest.mark.parametrize(
    ("scores", "labels", "weights", "told"),
    [
        ([0.1, float("nan")], [True, False], None, "row 1: scores must be finite numbers, not nan"),
        ([0.1, inf], [True, False], None, "row 1: scores must be finite numbers, not inf"),
        ([], [], None, "there are no rows: scores must have at least one"),
        ([[0.1, 0.2]], [True, False], None, "scores must be a list of numbers, not a table with 2 dimensions"),
        (["high"], [True], None, "scores must be a list of numbers"),
        ([0.1, 0.2], [1, -1], None, "labels must be a list of True for yes and False for no"),
        ([0.1, 0.2], [True], None, "there are 2 scores but 1 labels: every row needs both"),
        ([0.1, 0.2], [True, False], [1.0], "there are 2 rows but 1 weights: every row needs one"),
        ([0.1, 0.2], [True, False], [1.0, -2.0], "row 1: the weight is -2; weights must be at least 0"),
        ([0.1, 0.2], [True, False], [0.0, 0.0], "weights of all rows are zero: no row counts"),
        ([0.1, 0.2], [True, False], [1.0, inf], "row 1: weights must be finite numbers, not inf"),
        (np.ma.array([0.1, 0.2], mask=[0, 1]), [True, False], None, "scores: row 1 is masked"),
    ],
)
def test_rows_that_are_refused(scores, labels, weights, told):
    with pytest.raises(DataError, match=told) as refused:
        Scored.of(scores, np.array(labels, dtype=None if labels else bool), weights)
    assert "\n" not in str(refused.value)


def test_rows_of_no_weight_count_for_nothing():
    rows = Scored.of([*SCORES, 0.7], np.append(LABELS, False), [1, 1, 1, 1, 0])
    assert rows.n == 4
    assert curves.area(rows).value == curves.area(ROWS).value


@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize(
    "what", [calibration.sigmoid, calibration.isotonic, calibration.venn_abers, curves.area, curves.curve]
)
def test_one_class_is_refused(what, label):
    with pytest.raises(DataError, match=rf"all 2 rows are {'yes' if label else 'no'}: .* needs rows of both classes"):
        what(Scored.of([0.1, 0.2], np.array([label, label])))


@pytest.mark.parametrize("confidence", [0, 0.3, 1, 1.5, float("nan"), "95%", None, True])
def test_a_confidence_is_below_one(confidence):
    for what in (
        lambda: binomial.interval(1, 10, confidence),
        lambda: curves.area(ROWS, confidence),
        lambda: abstain.choose(HUNDRED, Ladder.around(0, SCORES), confidence=confidence),
        lambda: compare.compare([0], [1], [1], confidence=confidence),
        lambda: drift.of_decisions(1, 2, 1, 2, confidence),
        lambda: reliability.reliability(ROWS, confidence=confidence),
    ):
        with pytest.raises(
            OptionError, match=r"confidence must be a number of at least 0\.5 and below 1, such as 0\.95"
        ):
            what()


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (lambda: binomial.p_value(1, 2, 0.0), "rate must be a number above 0 and below 1, such as 0.05, not 0.0"),
        (lambda: binomial.interval(3, 2), "count must be a whole number of at least 0 and at most 2, not 3"),
        (lambda: binomial.interval(0, 0), "rows must be a whole number of at least 1"),
        (lambda: binomial.rows_needed(1e-13), "would need more than 1,000,000,000,000 rows"),
        (lambda: Tolerance(5), "rate must be a number above 0 and below 1, such as 0.05, not 5"),
        (lambda: Tolerance(0.1, "all"), "among must be one of 'decided', 'said yes'"),
        (lambda: abstain.choose(ROWS, Ladder.around(0, SCORES), []), "name at least one tolerable rate"),
        (lambda: cutoff.by_cost(ROWS, -1, 1), "false_yes must be a number of at least 0, not -1"),
        (lambda: cutoff.by_cost(ROWS, 0, 0), "must not both be 0"),
        (lambda: cutoff.by_share(SCORES, 20), "share must be a number from 0 to 1, such as 0.2, not 20"),
        (lambda: cutoff.by_places(SCORES, -1), "places must be a whole number of at least 0, not -1"),
        (lambda: reliability.reliability(ROWS, 0), "bins must be a whole number of at least 1"),
        (lambda: reliability.reliability(ROWS, by="size"), "by must be one of 'rows', 'width', not 'size'"),
        (lambda: Ladder.from_top(SCORES, "maybe"), "below must be one of 'no', 'ask', not 'maybe'"),
        (lambda: Ladder.around(0, SCORES, 0), "rungs must be a whole number of at least 1"),
    ],
)
def test_options_that_are_refused(what, told):
    with pytest.raises(OptionError, match=told):
        what()


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (lambda: reliability.given([0.5, 1.2], [True, False]), "row 1: 1.2 is not a probability; calibrate scores"),
        (lambda: calibration.Steps((1.0, 1.0), (0.1, 0.2, 0.3)), "edges must increase"),
        (lambda: calibration.Steps((inf,), (0.1, 0.2)), "edges must be finite numbers"),
        (lambda: calibration.Steps((1.0,), (0.1, 0.2, 0.3)), "1 edges need 2 values, not 3"),
        (lambda: calibration.Steps((1.0,), (0.3, 0.2)), "probabilities must be from 0 to 1, and must not decrease"),
        (lambda: calibration.VennAbers((1.0,), (0.3, 0.4), (0.2, 0.5)), "a lower probability must not be above"),
        (lambda: calibration.one_vs_rest([calibration.Sigmoid(-1, 0)] * 2), "needs three classes or more"),
        (lambda: calibration.venn_abers(Scored.of(SCORES, LABELS, [1, 2, 1, 1])), "leave the weights out"),
        (lambda: abstain.choose(Scored.of(SCORES, LABELS, [1, 2, 1, 1]), Ladder.around(0, SCORES)), "weights out"),
        (lambda: Ladder((Rung(0.0, 1.0), Rung(-1.0, 1.0))), "lower cut-offs must not fall from rung to rung"),
        (lambda: Ladder((Rung(0.0, 1.0), Rung(0.0, 2.0))), "upper cut-offs must not rise from rung to rung"),
        (lambda: Ladder((Rung(2.0, 1.0),)), "a lower cut-off that is not above the upper one"),
        (lambda: Ladder(()), "a ladder must have a rung"),
        (lambda: Ladder.by_chance(calibration.Sigmoid(1.0, 0.0), SCORES), "the rule is worse than its opposite"),
        (lambda: compare.compare([0], [1], [1, 0]), "three lists of the same length"),
        (lambda: compare.compare([], [], []), "there are no rows to compare the rules on"),
        (lambda: curves.Confusion.of(np.array([True]), ROWS), "there are 1 decisions but 4 rows"),
        (lambda: curves.table_of([0, 3], [0, 1], 3), "classes must be numbered from 0 to 2"),
        (lambda: curves.gains(Scored.of([1, 2], np.array([False, False]))), "all 2 rows are no: gains need a yes"),
        (lambda: drift.of_values([], ["a"]), "two lists with at least one row each"),
        (lambda: drift.stability_index([1, 2], [1]), "two lists of the same length"),
    ],
)
def test_values_that_are_refused(what, told):
    with pytest.raises(DataError, match=told):
        what()


# --- degenerate rows


def test_equal_scores_say_nothing():
    rows = Scored.of([2.0] * 8, np.arange(8) < 3)
    found = curves.area(rows)
    assert (found.value, found.gini) == (0.5, 0.0)
    assert (found.lower, found.upper) == (0.0, 1.0)
    many = curves.area(Scored.of([2.0] * 200, np.arange(200) < 100))
    reach = (log(2 / 0.05) / 200) ** 0.5  # Hoeffding's, of 100 pairs
    assert (many.lower, many.upper) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert curves.separation(rows) == curves.ScoreSeparation(0.0, 2.0)
    assert curves.average_precision(rows) == 3 / 8
    assert calibration.isotonic(rows) == calibration.Steps((), (3 / 8,))
    assert calibration.sigmoid(rows).of([2.0])[0] == pytest.approx((3 * (4 / 5) + 5 * (1 / 7)) / 8)
    assert cutoff.by_cost(rows, 1, 1).warning == (
        "Saying no to every row costs least: all scores are equal, so no cut-off can tell the rows apart."
    )


def test_a_perfect_area_is_not_certain():
    """DeLong's variance is 0 there; of as many disjoint pairs, all came out right."""
    rows = Scored.of(np.arange(10.0), np.arange(10) >= 6)
    found = curves.area(rows)
    assert (found.value, found.upper) == (1.0, 1.0)
    assert found.lower == pytest.approx(0.025 ** (1 / 4))
    turned = curves.area(Scored.of(np.arange(10.0), np.arange(10) < 6))
    assert (turned.value, turned.lower) == (0.0, 0.0)
    assert turned.upper == pytest.approx(1 - 0.025 ** (1 / 4))
    assert curves.area(Scored.of([1.0, 2.0], np.array([False, True]))).lower == pytest.approx(0.025)


def test_shares_of_nothing_are_none():
    nothing = curves.Confusion.of(np.array([False] * 4), ROWS)
    assert (nothing.precision, nothing.recall, nothing.f1, nothing.accuracy) == (None, 0.0, 0.0, 0.5)
    assert curves.Confusion(0, 0, 3, 0).recall is None
    assert curves.Confusion(0, 0, 3, 0).f1 is None
    assert curves.Confusion(3, 0, 0, 0).specificity is None


def test_scores_as_large_as_doubles_go():
    most = np.finfo(float).max
    rows = Scored.of([-most, -1.0, 1.0, most], np.array([False, True, False, True]))
    for calibrate in (calibration.sigmoid, calibration.isotonic, calibration.venn_abers):
        found = calibrate(rows).of([-most, -1.0, 0.0, 1.0, most])
        assert np.isfinite(found).all()
        assert (np.diff(found) >= 0).all()
    assert calibration.Sigmoid(-1e300, 0.0).of([1e300, -1e300]).tolist() == [1.0, pytest.approx(0, abs=1e-300)]


def test_scores_as_small_as_doubles_go():
    least = 5e-324
    rows = Scored.of([-least, 0.0, least, 2 * least], np.array([False, False, True, True]))
    found = calibration.sigmoid(rows)
    assert np.isfinite([found.a, found.b]).all()
    assert (np.diff(found.of([-1.0, -least, least, 1.0])) >= 0).all()
    assert (np.diff(tables.steps_of(found, rows).of([-1.0, -least, least, 1.0])) >= 0).all()


def test_leads_of_huge_scores_are_finite():
    most = np.finfo(float).max
    leads = calibration.ahead(np.array([[most, -most, 1.0], [np.inf, np.inf, -np.inf]]))
    assert np.isfinite(leads).all()
    assert (np.sign(leads) == [[1, -1, -1], [0, 0, -1]]).all()


def test_minus_zero_is_zero():
    assert Scored.of([0.0, -0.0], np.array([True, False])).groups.scores.size == 1


def test_several_classes_where_no_one_is_likely():
    steps = calibration.Steps((0.0,), (0.0, 1.0))
    found = calibration.one_vs_rest([steps] * 3).of([[-1.0, -1.0, -1.0], [1.0, 1.0, -1.0]])
    assert found.tolist() == [[1 / 3] * 3, [0.5, 0.5, 0.0]]


def test_by_lead_a_number_added_to_all_scores_changes_nothing(rng):
    scores = rng.integers(-9, 9, (200, 4)).astype(float)
    leads = calibration.ahead(scores)
    for k in range(4):
        assert leads[:, k].tolist() == [row[k] - max(np.delete(row, k)) for row in scores]
    found = tables.tables_of("sigmoid", scores, scores.argmax(axis=1))
    assert isinstance(found, calibration.ByLead)
    assert (found.of(scores) == found.of(scores + 64.0)).all()
    assert found.of(scores).sum(axis=1) == pytest.approx(np.ones(200))
    right = found.of(scores).max(axis=1)
    assert right[np.sort(leads, axis=1)[:, -1] > 3].min() > 0.7


# --- cut-offs


def test_places_and_ties():
    scores = [3.0, 2.0, 2.0, 2.0, 1.0]
    found = cutoff.by_places(scores, 3)
    assert (found.at, found.said_yes, found.warning) == (3.0, 1, None)
    assert found.statement == (
        "It says yes at a score of 3 or more, to 1 of 5 rows: there are 3 places, and 2 places cannot be filled by "
        "score, because the next 3 rows have the same score, 2."
    )
    assert cutoff.by_places(scores, 4).said_yes == 4
    assert cutoff.by_places(scores, 9).how == "there are 9 places, enough for every row."
    none = cutoff.by_places(scores, 0)
    assert none.at is None
    assert not none.of(scores).any()
    assert none.statement == "It says yes to none of 5 rows: there are 0 places."
    assert cutoff.by_places([1.0] * 5, 3).warning == (
        "It says no to every row, because rows with equal scores get the same label: all scores are equal."
    )
    assert cutoff.by_places([2.0, 2.0, 2.0, 1.0, 0.0], 2).warning == (
        "It says no to every row, because rows with equal scores get the same label: a cut-off that gives both "
        "labels says yes to between 3 and 4 rows."
    )


def test_a_share_is_the_nearest_that_can_be_had():
    scores = [3.0, 2.0, 2.0, 1.0]
    assert [cutoff.by_share(scores, share).said_yes for share in (0, 0.25, 0.4, 0.5, 0.6, 1)] == [0, 1, 1, 1, 3, 4]
    assert cutoff.by_share(scores, 0.4).how == "that share, 25.00%, is the nearest to the 40.00% asked for."


def test_a_cut_off_that_helps_nobody_is_told():
    rows = Scored.of([1.0, 2.0, 3.0, 4.0], np.array([False, False, True, False]))
    found = cutoff.by_cost(rows, 10, 1)
    assert found.at is None
    assert found.warning == (
        "Saying no to every row costs least: at these costs the scores do not help. The cheapest cut-off that gives "
        "both labels, 3, costs 10 instead of 1. Check the costs, or ask for a share of yes instead."
    )
    assert cutoff.by_cost(rows, 0.01, 5).at == 3.0
    assert cutoff.by_cost(rows, 0, 5).warning is None
    named = cutoff.by_cost(rows, 0.01, 5, names=("bad", "good"))
    assert named.statement == (
        "It says good at a score of 3 or more, to 2 of 4 rows: its mistakes then cost least, 0.01, if a false good "
        "costs 0.01 and a false bad 5."
    )


# --- asking


def test_a_rung_asks_between_its_cut_offs():
    scores = [-2.0, -1.0, 0.0, 1.0, 2.0]
    assert Rung(-1.0, 1.0).of(scores).tolist() == [NO, ASK, ASK, YES, YES]
    assert Rung(None, 1.0).of(scores).tolist() == [ASK, ASK, ASK, YES, YES]
    assert Rung(0.0, 0.0).of(scores).tolist() == [NO, NO, YES, YES, YES]
    assert Rung(None, None).of(scores).tolist() == [ASK] * 5


def test_ladders():
    around = Ladder.around(1.0, [0.0, 1.5, 3.0, 4.0], rungs=2)
    assert [(rung.lower, rung.upper) for rung in around.rungs] == [(-1.0, 3.0), (0.5, 1.5), (1.0, 1.0)]
    assert [(rung.of_no, rung.of_yes) for rung in around.rungs] == [(0.0, 0.5), (0.25, 0.75), (0.25, 0.75)]
    steps = calibration.Steps((0.0, 1.0, 2.0), (0.1, 0.5, 0.8, 0.95))
    chance = Ladder.by_chance(steps, [-1.0, 0.5, 1.5, 2.5], rungs=4)
    assert [(rung.lower, rung.upper) for rung in chance.rungs] == [(None, 2.5), (0.5, 2.5), (0.5, 1.5), (0.5, 0.5)]
    never = Ladder.by_chance(calibration.Steps((0.0,), (0.1, 0.2)), [-1.0, 1.0], rungs=2)
    assert never.rungs[-1].of([-1.0, 1.0]).tolist() == [NO, NO]
    top = Ladder.from_top([1.0, 2.0, 3.0, 4.0], rungs=2)
    assert [(rung.lower, rung.upper) for rung in top.rungs] == [(3.0, 3.0), (1.0, 1.0)]
    assert top.without_asking


def test_what_is_said_of_the_rows_asked_about():
    found = abstain.choose(HUNDRED, Ladder.around(50.0, np.arange(100.0)), [Tolerance(0.4)])
    assert found.claims
    assert all(count.p_value <= 0.05 for count in found.claims)
    assert found.claims[0].statement() == f"{found.claims[0].errors} of {found.claims[0].rows} rows decided are wrong"
    assert found == abstain.choose(HUNDRED, found.ladder, [Tolerance(0.4)])


# --- comparing and drift


def test_rules_that_never_differ_may_still_differ_elsewhere():
    found = compare.compare(np.zeros(100, int), np.zeros(100, int), np.zeros(100, int))
    assert found.statement == "The rules are right on the same 100 of 100 rows."
    assert (found.p_value, found.differ, found.costs.difference) == (1.0, 0, 0.0)
    assert (found.costs.lower, found.costs.upper) == pytest.approx((-100 * (1 - 0.05**0.01), 100 * (1 - 0.05**0.01)))
    worst = compare.compare(np.ones(100, int), np.zeros(100, int), np.zeros(100, int)).costs
    assert (worst.difference, worst.upper) == (100.0, 100.0)
    assert worst.lower == pytest.approx(100 - 200 * (1 - 0.05**0.01))


def test_costs_of_two_rules():
    so, one, two = np.array(list("aabbb")), np.array(list("abbba")), np.array(list("aabab"))
    found = compare.compare(one, two, so, costs=[1, 2, 1, 5, 1])
    assert (found.costs.first, found.costs.second, found.costs.difference) == (3.0, 5.0, -2.0)
    each = np.array([0, 2, 0, -5, 1.0])
    reach = 1.959963984540054 * np.sqrt(5 * each.var(ddof=1))
    assert (found.costs.lower, found.costs.upper) == pytest.approx((-2 - reach, -2 + reach))
    assert found.statement == (
        "Of 5 rows, only the first rule is right on 1, only the second on 2: that may be chance (p = 1, McNemar's "
        "exact test)."
    )
    assert compare.different(one, two).tolist() == [1, 3, 4]


def test_values_never_seen():
    found = drift.of_values(["a"] * 30 + ["b"] * 30, ["a"] * 30 + ["c"] * 20)
    assert found.unseen == 0.4
    assert found.p_value < 0.001
    assert drift.of_values(["a"] * 3, ["a"] * 4).p_value == 1.0
    outside = drift.of_numbers(np.arange(100.0), np.arange(50.0, 150.0))
    assert outside.unseen == 0.5
    assert outside.index > 0.25
    assert outside.p_value < 1e-6


def test_the_change_of_a_rate_is_between_two_surer_intervals():
    found = drift.of_decisions(3, 20, 30, 50, 0.9)
    (old_lower, old_upper), (new_lower, new_upper) = binomial.interval(3, 20, 0.95), binomial.interval(30, 50, 0.95)
    assert (found.lower, found.upper) == pytest.approx((new_lower - old_upper, new_upper - old_lower))
    assert found.old_interval == binomial.interval(3, 20, 0.9)


def test_bins_of_equally_many_rows():
    p = np.array([0.1, 0.2, 0.3, 0.3, 0.3, 0.7, 0.8, 0.9])
    bins = reliability.reliability(reliability.given(p, p > 0.25), bins=4)
    assert [(one.least, one.most, one.rows, one.share) for one in bins] == [
        (0.1, 0.2, 2.0, 0.0),
        (0.3, 0.3, 3.0, 1.0),
        (0.7, 0.7, 1.0, 1.0),
        (0.8, 0.9, 2.0, 1.0),
    ]


def test_the_stability_index_by_hand():
    p, q = (500.5 / 1001, 500.5 / 1001), (300.5 / 1001, 700.5 / 1001)
    wanted = sum((b - a) * log(b / a) for a, b in zip(p, q, strict=True))
    assert drift.stability_index([500, 500], [300, 700]) == pytest.approx(wanted)


def test_of_many_rare_values_only_the_frequent_count_alone(rng):
    old, new = rng.integers(0, 5000, 400), rng.integers(0, 5000, 400)
    found = drift.of_values(old, new)
    assert found.p_value > 0.001
    assert found.unseen > 0.8


# --- records


VALUES = {
    "sigmoid": lambda: calibration.Sigmoid(-1.5, 0.25),
    "isotonic": lambda: calibration.isotonic(HUNDRED),
    "venn-abers": lambda: calibration.venn_abers(HUNDRED),
    "cross": lambda: calibration.CrossVennAbers((calibration.venn_abers(HUNDRED), calibration.venn_abers(ROWS))),
    "classes": lambda: calibration.one_vs_rest([calibration.Sigmoid(-1, 0.1), calibration.isotonic(ROWS)] * 2),
    "cost": lambda: cutoff.by_cost(HUNDRED, 5, 1),
    "never": lambda: cutoff.by_places(SCORES, 0),
    "claims": lambda: abstain.choose(
        HUNDRED, Ladder.around(50.0, np.arange(100.0)), [Tolerance(0.4), Tolerance(0.9, "are no")]
    ),
    "no claim": lambda: abstain.choose(HUNDRED, Ladder.from_top(np.arange(100.0)), [Tolerance(0.05)]),
    "ladder": lambda: Ladder.from_top(SCORES, "ask"),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_the_same_after_json(name):
    value = VALUES[name]()
    written = json.dumps(record.record_of(value), allow_nan=False)
    again = record.from_record(json.loads(written))
    assert again == value
    assert json.dumps(record.record_of(again), allow_nan=False) == written
    if hasattr(value, "of") and not isinstance(value, (calibration.OneVsRest, Ladder)):
        places = np.linspace(-5, 105, 50)
        assert again.of(places).tolist() == value.of(places).tolist()


def test_damaged_records_are_refused():
    good = record.record_of(calibration.isotonic(HUNDRED))
    for bad in (
        {**good, "kind": "Model"},
        {**good, "more": 1},
        {key: part for key, part in good.items() if key != "edges"},
        {**good, "values": good["values"][:-1]},
        {**good, "values": "many"},
        {**good, "values": [str(value) for value in good["values"]]},
        {**record.record_of(calibration.Sigmoid(-1.0, 0.0)), "a": "-1"},
        {**record.record_of(cutoff.by_places(SCORES, 2)), "at": "0.4"},
        {**record.record_of(cutoff.by_places(SCORES, 2)), "said_yes": 9},
        {**good, "edges": [None]},
        {**good, "edges": 3},
    ):
        with pytest.raises(DataError):
            record.from_record(bad)


def test_a_claim_must_follow_from_its_counts():
    found = abstain.choose(HUNDRED, Ladder.around(50.0, np.arange(100.0)), [Tolerance(0.4)])
    assert found.claims
    good = record.record_of(found)
    fewer = {**good, "tested": good["tested"][:-1]}
    surer = {**good, "confidence": 0.9999999}
    other = {**good, "chosen": record.record_of(found.ladder.rungs[found.first])}
    later = {**good, "first": found.first + 1}
    worse = json.loads(json.dumps(good))
    worse["tested"][0][0]["errors"] = worse["tested"][0][0]["rows"]
    for bad in (fewer, surer, other, later, worse):
        with pytest.raises(DataError, match="the rung chosen does not follow from its counts"):
            record.from_record(bad)
