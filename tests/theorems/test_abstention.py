"""Learn then test: what is claimed fails for at most delta of all samples, by counting them and by drawing some."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from rosenblatt.errors import DataError
from rosenblatt.judge import abstain, binomial, calibration
from rosenblatt.judge.abstain import ARE_NO, ARE_YES, DECIDED, SAID_NO, SAID_YES, Tolerance, choose
from rosenblatt.judge.ladder import ASK, NO, YES, Ladder, Rung
from rosenblatt.judge.scored import Scored

REPETITIONS = 600
GRID = np.linspace(-8, 8, 4001)


def chance(scores, steepness=3.0):
    """The probability of yes of a logistic world."""
    return 1 / (1 + np.exp(-steepness * scores))


def drawn(rng, n, steepness=3.0):
    scores = rng.normal(size=n)
    return Scored.of(scores, rng.random(n) < chance(scores, steepness))


@cache
def true_rates(rung):
    """The rates of a rung in that world, by a fine sum over the scores, and the share that it decides."""
    mass = np.exp(-GRID * GRID / 2)
    mass /= mass.sum()
    said, yes = rung.of(GRID), chance(GRID)
    false_yes, false_no = mass @ ((said == YES) * (1 - yes)), mass @ ((said == NO) * yes)
    said_yes, said_no = mass @ (said == YES), mass @ (said == NO)
    among = {
        DECIDED: (false_yes + false_no, said_yes + said_no),
        SAID_YES: (false_yes, said_yes),
        SAID_NO: (false_no, said_no),
        ARE_NO: (false_yes, mass @ (1 - yes)),
        ARE_YES: (false_no, mass @ yes),
    }
    return {name: wrong / rows if rows else 0.0 for name, (wrong, rows) in among.items()}, said_yes + said_no


@pytest.mark.parametrize(
    ("n", "tolerances", "confidence"),
    [
        (300, [Tolerance(0.1)], 0.8),
        (800, [Tolerance(0.05)], 0.9),
        (400, [Tolerance(0.15, SAID_YES), Tolerance(0.15, SAID_NO)], 0.8),
        (300, [Tolerance(0.1, ARE_NO)], 0.8),
        (300, [Tolerance(0.1, ARE_NO), Tolerance(0.15), Tolerance(0.12, ARE_YES)], 0.8),
    ],
    ids=["decided", "decided-surely", "said", "are-no", "all-at-once"],
)
def test_the_claim_holds_in_as_many_samples_as_it_says(n, tolerances, confidence):
    """A claim fails with probability at most delta; so many failures as follow from that in all but 1 of 10^4 runs."""
    rng = np.random.default_rng(20260301)
    scores = rng.normal(size=2000)
    calibrated = calibration.Sigmoid(-3.0, 0.0)
    failed = made = 0
    ladders = [Ladder.around(0.0, scores), Ladder.by_chance(calibrated, scores), Ladder.from_top(scores)]
    ladders = ladders[2:] if tolerances == [Tolerance(0.1, ARE_NO)] else ladders[:2]
    for k in range(REPETITIONS):
        found = choose(drawn(rng, n), ladders[k % len(ladders)], tolerances, confidence)
        made += bool(found.claims)
        if found.claims:
            failed += any(true_rates(found.chosen)[0][one.among] > one.rate for one in tolerances)
    assert made > REPETITIONS / 2  # it is no guarantee to claim nothing
    assert failed <= binom.isf(1e-4, REPETITIONS, 1 - confidence)


def test_the_guarantee_by_counting_every_sample():
    """Two kinds of rows, sure and unsure; the probability of a wrong claim, over all samples, exactly."""
    ladder = Ladder((Rung(None, 2.0, 0.0, 0.5), Rung(None, 1.0, 0.0, 1.0)))
    n, confidence, tolerated = 5, 0.75, Tolerance(0.45)
    delta = 1 - Fraction(confidence)
    for sure, wrong_if_sure, wrong_if_not in product(
        [Fraction(1, 4), Fraction(1, 2), Fraction(4, 5)], *[[Fraction(k, 20) for k in (2, 8, 9, 10, 14)]] * 2
    ):
        rates = [wrong_if_sure, sure * wrong_if_sure + (1 - sure) * wrong_if_not]
        failing = Fraction(0)
        cells = [sure * (1 - wrong_if_sure), sure * wrong_if_sure]
        cells += [(1 - sure) * (1 - wrong_if_not), (1 - sure) * wrong_if_not]
        for counts in product(range(n + 1), repeat=4):
            if sum(counts) != n:
                continue
            scores = [2.0] * (counts[0] + counts[1]) + [1.0] * (counts[2] + counts[3])
            labels = [True] * counts[0] + [False] * counts[1] + [True] * counts[2] + [False] * counts[3]
            found = choose(Scored.of(scores, np.array(labels)), ladder, [tolerated], confidence)
            if found.claims and rates[ladder.rungs.index(found.chosen)] > Fraction(tolerated.rate):
                failing += multinomial(counts, cells)
        assert failing <= delta


def multinomial(counts, cells):
    """The probability of these counts of rows."""
    left, ways, found = sum(counts), 1, Fraction(1)
    for count, cell in zip(counts, cells, strict=True):
        ways *= binomial_of(left, count)
        left -= count
        found *= cell**count
    return ways * found


def binomial_of(n, k):
    found = Fraction(1)
    for j in range(k):
        found = found * (n - j) / (j + 1)
    return found


@pytest.mark.parametrize(("n", "rate"), [(200, 0.1), (500, 0.05), (1000, 0.05), (3000, 0.05), (1000, 0.1)])
def test_more_is_decided_than_by_testing_every_rung_at_once(n, rate):
    """At the same guarantee, as much is decided on average as where delta is shared among the rungs (Bonferroni)."""
    rng = np.random.default_rng(7)
    ladder = Ladder.around(0.0, rng.normal(size=1000))
    by_order = by_sharing = 0.0
    for _ in range(40):
        rows = drawn(rng, n)
        by_order += true_rates(choose(rows, ladder, [Tolerance(rate)]).chosen)[1]
        shared = [
            rung for rung in ladder.rungs if binomial.p_value(*errors_of(rung, rows), rate) <= 0.05 / len(ladder.rungs)
        ]
        by_sharing += true_rates(shared[-1])[1] if shared else 0.0
    assert by_order >= by_sharing
    assert by_order > 0


def errors_of(rung, rows):
    said = rung.of(rows.scores)
    return int(np.sum((said != ASK) & ((said == YES) != rows.yes))), int(np.sum(said != ASK))


def test_a_plain_cut_of_the_probability_promises_too_much():
    """Deciding where the probability is at least 95% is wrong too often if the rule is too sure of itself; this is not.

    Where the probability is right, the plain cut leaves more to people: those it decides are wrong far less often.
    """
    rng = np.random.default_rng(11)
    scores = rng.normal(size=2000)
    for sure_of_itself in (6.0, 3.0):
        p = calibration.Sigmoid(-sure_of_itself, 0.0)
        reach = np.log(0.95 / 0.05) / sure_of_itself
        plain, plain_share = true_rates(Rung(-reach, reach))
        ladder = Ladder.by_chance(p, scores)
        shares, failed = [], 0
        for _ in range(100):
            found = choose(drawn(rng, 2000), ladder)
            rates, share = true_rates(found.chosen)
            failed += rates[DECIDED] > 0.05
            shares.append(share)
        assert failed <= binom.isf(1e-4, 100, 0.05)
        if sure_of_itself == 6.0:
            assert plain[DECIDED] > 0.05
        else:
            assert plain[DECIDED] < 0.05
            assert np.mean(shares) > plain_share


@given(st.data())
def test_what_is_chosen_is_the_last_of_a_row_of_rungs_that_pass(data):
    n = data.draw(st.integers(8, 40))
    scores = data.draw(st.lists(st.integers(-5, 5).map(float), min_size=n, max_size=n))
    labels = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    among = data.draw(st.sampled_from([DECIDED, SAID_YES, SAID_NO]))
    ladder = data.draw(
        st.sampled_from(
            [
                Ladder.around(0.0, [-5, -4, -2, -1, 0.5, 1, 2, 3, 5], rungs=4),
                Ladder.from_top([-5, -4, -2, -1, 0.5, 1, 2, 3, 5], rungs=5),
                Ladder.from_top([-5, -4, -2, -1, 0.5, 1, 2, 3, 5], "ask", rungs=5),
            ]
        )
    )
    rows, one = Scored.of(scores, labels), Tolerance(0.4, among)
    found = choose(rows, ladder, [one], 0.9)
    first, rate = abstain.first_rung(n, ladder, [one], 0.9), Fraction(0.4)
    assert found.first == first
    passing = 0
    for rung in ladder.rungs[first:]:
        said = rung.of(scores)
        chosen = {DECIDED: said != ASK, SAID_YES: said == YES, SAID_NO: said == NO}[among]
        wrong = chosen & (said != np.where(labels, YES, NO))
        m, k = int(chosen.sum()), int(wrong.sum())
        tail = sum(binomial_of(m, j) * rate**j * (1 - rate) ** (m - j) for j in range(k + 1))
        count = found.tested[passing][0] if passing < len(found.tested) else None
        if tail > 1 - Fraction(0.9):
            assert count is not None
            assert (count.errors, count.rows) == (k, m)
            break
        assert (count.errors, count.rows) == (k, m)
        passing += 1
    assert found.passed == passing
    assert found.chosen == (ladder.rungs[first + passing - 1] if passing else Rung(None, None))
    assert np.array_equal(found.of(scores), found.chosen.of(scores))
    said = found.of(scores)
    assert (found.said_yes, found.said_no) == ((said == YES).sum(), (said == NO).sum())
    assert found.asked == pytest.approx((said == ASK).mean())


def test_the_ladder_and_its_first_rung_know_no_label():
    rng = np.random.default_rng(3)
    rows = drawn(rng, 1500)
    other = Scored.of(rows.scores, ~rows.yes)
    ladder = Ladder.around(0.0, rng.normal(size=300))
    one, two = choose(rows, ladder), choose(other, ladder)
    assert one.first == two.first == abstain.first_rung(1500, ladder, [Tolerance(0.05)])
    assert one.claims
    assert not two.claims
    assert "Every row is left to people" in two.statement


def test_a_curve_of_errors_has_exact_intervals():
    rows = drawn(np.random.default_rng(5), 400)
    ladder = Ladder.around(0.0, np.linspace(-2, 2, 101), rungs=8)
    points = abstain.error_curve(rows, ladder, 0.9)
    assert [point.share for point in points] == sorted(point.share for point in points)
    assert points[-1].decided == 400
    for point in points:
        assert (point.errors, point.decided) == errors_of(point.rung, rows)
        assert (point.lower, point.upper) == binomial.interval(point.errors, point.decided, 0.9)


def test_several_classes_are_decided_by_how_far_the_first_is_ahead():
    """Yes then means that the first class is right; below the cut-off a person is asked."""
    rng = np.random.default_rng(9)
    scores = rng.normal(size=(1500, 3))
    scores[np.arange(1500), (actual := rng.integers(3, size=1500))] += 1.5
    ahead = np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0]
    right = scores.argmax(axis=1) == actual
    found = choose(Scored.of(ahead[500:], right[500:]), Ladder.from_top(ahead[:500], "ask"), [Tolerance(0.1)])
    assert found.chosen.lower is None
    assert set(found.of(ahead).tolist()) == {YES, ASK}
    assert 0.1 < found.asked < 0.9


def test_too_few_rows_are_told_how_many_it_takes():
    rows = Scored.of(np.arange(40.0), np.arange(40) > 20)
    with pytest.raises(
        DataError, match=r"that at most 5% of the rows decided are wrong takes at least 59 such rows, .* are 40:"
    ):
        choose(rows, Ladder.around(20.0, np.arange(40.0)))
    with pytest.raises(
        DataError, match=r"at most 10% of the rows that are no are labelled yes takes at least 22 .* are 21:"
    ):
        choose(rows, Ladder.from_top(np.arange(40.0)), [Tolerance(0.1, ARE_NO)], 0.9)


def test_its_words():
    rows = Scored.of(np.arange(-100.0, 100), np.arange(-100, 100) >= 0)
    found = choose(rows, Ladder.around(0.0, np.arange(-100.0, 100)))
    assert found.statement == (
        "It says yes at a score of 0 or more, no below. With confidence 95%, at most 5% of the rows decided are wrong: "
        "on 200 rows that were not learned from, 0 of 200 rows decided are wrong."
    )
    swapped = np.where(np.abs(rows.scores) < 30, rows.scores >= 0, rows.scores < 0)
    nothing = choose(Scored.of(rows.scores, swapped), Ladder.around(0.0, rows.scores))
    count = nothing.tested[0][0]
    limit = int(np.ceil(1000 * binomial.upper_limit(count.errors, count.rows))) / 10
    assert count.errors > 0.05 * count.rows
    assert nothing.statement == (
        "Every row is left to people: with confidence 95%, it cannot be claimed that at most 5% of the rows decided "
        f"are wrong. With the first cut-offs tested, {count.errors} of {count.rows} rows decided are wrong, which "
        f"shows only a rate of at most {limit:.1f}%. Errors there are hardly rarer than tolerated, so more rows would "
        "not help much: tolerate more errors."
    )
    few = Scored.of(rows.scores[80:160], rows.scores[80:160] >= 0)
    short = choose(few, Ladder((Rung(-15.0, 35.0),)), [Tolerance(0.05)])  # decides 5 no, 25 yes
    assert "0 of 30 rows decided are wrong" in short.statement
    assert "If errors stay as rare, about 158 rows instead of 80 would be enough" in short.statement  # 59 / 30 * 80
    named = choose(rows, Ladder.from_top(rows.scores), [Tolerance(0.1, ARE_NO)], names=("bad", "good"))
    assert "at most 10% of the rows that are bad are labelled good: on 200 rows" in named.statement
    asking = choose(rows, Ladder.from_top(np.arange(0.0, 100), "ask"), [Tolerance(0.1, SAID_YES)])
    assert asking.statement.startswith(
        "It says yes at a score of 0 or more; a person decides the rest. With confidence 95%"
    )
    assert asking.statement.endswith(" 50.0% of these rows are left to people.")
