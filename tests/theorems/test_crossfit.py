"""Cross-fitted scores on one scale, and probabilities as tables: what may not change, and what does by how much."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import DataError
from rosenblatt.judge.calibration import Sigmoid, Steps, ahead, isotonic, sigmoid, venn_abers
from rosenblatt.judge.crossfit import FoldScores, on_one_scale
from rosenblatt.judge.scored import Scored
from rosenblatt.judge.tables import FARTHEST, METHODS, STEP, halfway, rounded_outwards, steps_of, table_of, tables_of

SCORES = st.floats(-1e3, 1e3).map(lambda score: round(score, 3))
ROWS = st.lists(st.tuples(SCORES, st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: len({label for _, label in rows}) == 2
)


def folds_of(scores, factors, cut):
    """Folds whose rules are multiples of the rule of all rows: the first judges the rows up to the cut."""
    rows = np.arange(len(scores))
    for (judged, learned), factor in zip(((rows[:cut], rows[cut:]), (rows[cut:], rows[:cut])), factors, strict=True):
        yield FoldScores(learned, scores[learned] * factor, judged, scores[judged] * factor)


@given(st.lists(SCORES, min_size=2, max_size=20), st.integers(-300, 300), st.integers(-300, 300), st.data())
def test_multiples_of_one_rule_are_brought_back_to_it(scores, one, other, data):
    """By powers of two, so exactly; and whatever the columns."""
    scores, cut = np.array(scores), data.draw(st.integers(1, len(scores) - 1))
    for table in (scores, np.stack([scores, scores[::-1], 2 * scores], axis=1)):
        if not all(table[part].any() for part in (slice(cut), slice(cut, None))):
            continue
        rows, found = on_one_scale(table, folds_of(table, (2.0**one, 2.0**other), cut))
        assert rows.tolist() == list(range(len(table)))
        np.testing.assert_allclose(found, table, rtol=1e-15)


@given(st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=20), st.integers(1, 19))
def test_no_sign_and_no_order_changes(pairs, cut):
    of_all, of_fold = np.array(pairs).T
    rows = np.arange(len(pairs))
    fold = FoldScores(rows[cut:], of_fold[cut:], rows[:cut], of_fold[:cut])
    _, found = on_one_scale(of_all, [fold])
    assert (np.sign(found) == np.sign(of_fold[:cut])).all()
    order = np.argsort(of_fold[:cut], kind="stable")
    assert (np.diff(found[order]) >= 0).all()


@pytest.mark.parametrize(("of_all", "of_fold"), [(0.0, 0.0), (0.0, 3.0), (3.0, 0.0), (1e308, 1e-308), (np.inf, 3.0)])
def test_rules_without_a_scale_are_left_alone(of_all, of_fold):
    rows = np.arange(4)
    fold = FoldScores(rows[:2], np.full(2, of_fold), rows[2:], np.array([1.0, -1.0]))
    assert on_one_scale(np.full(4, of_all), [fold])[1].tolist() == [1.0, -1.0]


def test_the_largest_scores_do_not_overflow():
    rows = np.arange(4)
    fold = FoldScores(rows[:2], np.full(2, 1e308), rows[2:], np.full(2, 5e307))
    assert on_one_scale(np.full(4, 1e308), [fold])[1].tolist() == [5e307, 5e307]


def test_scores_beyond_all_floats_are_infinite():
    rows = np.arange(4)
    fold = FoldScores(rows[:2], np.full(2, 1.0), rows[2:], np.array([1e10, -1e10]))
    assert on_one_scale(np.full(4, 1e300), [fold])[1].tolist() == [np.inf, -np.inf]


def test_there_must_be_folds():
    with pytest.raises(DataError, match="at least one fold"):
        on_one_scale(np.zeros(3), [])


@given(ROWS, st.sampled_from([1e-9, 1.0, 1e9]))
def test_steps_are_near_the_sigmoid_where_scores_were_seen(rows, scale):
    """Within half a step of its exponent, what rounding an edge moves, and the last decimal."""
    found = Scored.of([score * scale for score, _ in rows], np.array([label for _, label in rows]))
    curve = sigmoid(found)
    steps = steps_of(curve, found)
    exponents = -(curve.a * found.scores + curve.b)
    near = np.abs(exponents) <= FARTHEST
    if curve.a < 0:
        assert np.abs(steps.of(found.scores) - curve.of(found.scores))[near].max(initial=0.0) <= STEP / 8 * 1.03 + 1e-6
        assert len(steps.edges) <= 2 * FARTHEST / STEP + 1
        below, above = 1 / (1 + exp(STEP / 2)), 1 / (1 + exp(-STEP / 2))
        assert not any(below + 1e-6 < value < above - 1e-6 for value in steps.values)  # the edge at 1/2 is there
    else:
        assert steps.edges == ()


@given(ROWS)
def test_isotonic_steps_lie_between_scores_and_say_the_same_at_them(rows):
    found = Scored.of([score for score, _ in rows], np.array([label for _, label in rows]))
    here, exact = table_of("isotonic", found), isotonic(found)
    assert here.of(found.scores).tolist() == exact.of(found.scores).tolist()
    assert here.values == exact.values
    assert not set(here.edges) & set(found.scores.tolist())


@given(ROWS)
def test_merged_probabilities_are_near_those_between_the_two_of_venn_abers(rows):
    found = Scored.of([score for score, _ in rows], np.array([label for _, label in rows]))
    here, exact = table_of("merged", found), venn_abers(found)
    assert np.abs(here.of(found.scores) - exact.of(found.scores)).max() <= STEP / 4
    assert min(here.values) > 0
    assert max(here.values) < 1
    assert len(here.edges) <= 2 * FARTHEST / STEP


def test_intervals_are_rounded_outwards(rng):
    scores = rng.normal(size=8000) * 3
    found = venn_abers(Scored.of(scores, rng.random(8000) < 1 / (1 + np.exp(-scores))))
    short = rounded_outwards(found)
    assert len(found.edges) > len(short.edges)
    (lower, upper), (least, most) = found.interval(scores), short.interval(scores)
    assert (least <= lower).all()
    assert (upper <= most).all()
    assert max((lower - least).max(), (most - upper).max()) <= 0.001
    assert len(short.edges) <= 2000


def test_there_may_be_no_number_between_two_scores():
    scores = np.array([1.0, np.nextafter(1.0, 2.0), -1e308, 1e308])
    assert halfway(scores[:2], scores).tolist() == [1.0 / 2 - 1e308 / 2, scores[1]]
    assert halfway(scores[2:], scores).tolist() == [-1e308, 1e308 / 2 + scores[1] / 2]


@given(ROWS)
def test_a_rule_that_is_worse_than_its_opposite_gets_one_probability(rows):
    found = Scored.of([score for score, _ in rows], np.array([label for _, label in rows]))
    steps = steps_of(Sigmoid(2.0, 0.0), found)
    assert steps == Steps((), steps.values)
    assert steps.values[0] == pytest.approx(Sigmoid(2.0, 0.0).of(found.scores).mean(), abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_each_method_gives_a_table_of_each_class(method, rng):
    scores = rng.normal(size=(300, 3))
    codes = np.argmax(scores + rng.normal(size=scores.shape), axis=1)
    found = tables_of(method, scores, codes)
    assert np.allclose(found.of(scores).sum(axis=1), 1)
    leads = ahead(scores)
    for code, one in enumerate(found.classes):
        assert one == table_of(method, Scored.of(leads[:, code], codes == code))
    two = tables_of(method, leads[:, 0], (codes == 0).astype(int))
    assert two == found.classes[0]


def test_a_class_without_rows_is_named():
    with pytest.raises(DataError, match="class 1 has none"):
        tables_of("isotonic", np.zeros((4, 3)), np.array([0, 2, 0, 2]))
