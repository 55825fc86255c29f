"""What is proved of saturating losses, their descent, and folds."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from cases import tables, whole
from oracle import naive_selection
from rosenblatt.learn.selection import folds, saturating
from rosenblatt.learn.selection.comparison import LabelledTable, measured
from rosenblatt.learn.selection.path import FAMILIES, candidates, follow
from rosenblatt.learn.selection.problems import JointProblems, PathPoint, Problems, losses
from rosenblatt.learn.selection.saturating import descend
from rosenblatt.learn.selection.standard import BIAS, Standard
from rosenblatt.rows.storage import rows_of

margins = st.floats(-30, 30)
sharpnesses = st.sampled_from([0.0, 0.01, 0.25, 1.0, 4.0])
ridges = st.sampled_from([1.0, 0.1, 0.001])


def problems_of(X, y, costs):
    rows = rows_of(X)
    standard = Standard.of(rows)
    costs = np.asarray(costs, float)
    return standard, Problems(standard.space(rows), y[np.newaxis].astype(float), costs[np.newaxis] / costs.sum())


def objective(problems, place, ridge, sharpness):
    return problems.lost(place.margins, sharpness) + ridge / 2 * (place.V * place.V) @ problems.squares


@given(margins, sharpnesses)
def test_a_loss_is_between_zero_and_its_ceiling_and_the_naive_one(margin, sharpness):
    (loss,), (fall,) = losses(np.array([margin]), sharpness)
    assert loss == pytest.approx(naive_selection.loss(margin, sharpness), rel=1e-12, abs=1e-300)
    assert fall == pytest.approx(naive_selection.fall(margin, sharpness), rel=1e-12, abs=1e-300)
    assert 0.0 <= loss <= max(0.0, 1.0 - margin) ** 2 / 2 * (1 + 1e-15)
    if sharpness:
        assert loss <= 1.0 / sharpness


@given(margins, margins, sharpnesses)
def test_a_loss_bends_no_more_than_a_parabola(here, there, sharpness):
    loss, fall = losses(np.array([here, there]), sharpness)
    step = there - here
    assert loss[1] <= loss[0] - fall[0] * step + step * step / 2 + 1e-9


@given(tables(), st.data(), ridges, sharpnesses)
def test_a_descent_never_ends_above_where_it_began(table, data, ridge, sharpness):
    X, y = table
    costs = data.draw(st.lists(st.integers(1, 5), min_size=len(y), max_size=len(y)))
    _, problems = problems_of(X, y, costs)
    start = np.array([data.draw(st.lists(whole, min_size=problems.space.size, max_size=problems.space.size))])
    begun = PathPoint(start, problems.margins(start))
    ended = descend(problems, begun, ridge, sharpness)
    before, after = (objective(problems, place, ridge, sharpness)[0] for place in (begun, ended))
    assert after <= before
    assert ended.margins == pytest.approx(problems.margins(ended.V), rel=1e-6, abs=1e-6)


def joint_problems_of(X, codes, costs):
    rows = rows_of(np.asarray(X, float))
    costs = np.asarray(costs, float)[np.newaxis]
    return JointProblems(Standard.of(rows).space(rows), np.array(codes), costs / costs.sum(), 3)


several = st.lists(
    st.tuples(whole, whole, st.integers(0, 2), st.integers(1, 5), st.lists(margins, min_size=3, max_size=3)),
    min_size=2,
    max_size=12,
)


@given(several, sharpnesses)
def test_several_classes_lose_and_pull_as_in_the_naive_sums(rows, sharpness):
    X, codes, costs = [row[:2] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    problems = joint_problems_of(X, codes, costs)
    scores = np.array([row[4] for row in rows]).T.reshape(1, -1)
    lost, pulls = problems.pulled(scores, sharpness)
    naive = [naive_selection.joint_loss(row[4], row[2], sharpness) for row in rows]
    assert lost[0] == pytest.approx(np.dot(problems.costs[0], naive), rel=1e-9, abs=1e-300)
    assert problems.lost(scores, sharpness).tolist() == lost.tolist()
    slopes = [
        np.multiply(cost, naive_selection.joint_pulls(row[4], row[2], sharpness))
        for row, cost in zip(rows, problems.costs[0], strict=True)
    ]
    found = pulls.reshape(3, -1).T
    assert found == pytest.approx(np.array(slopes), rel=1e-9, abs=1e-12)


@given(several, ridges, sharpnesses)
def test_a_descent_of_several_classes_never_ends_above_where_it_began_and_scores_add_up_to_zero(rows, ridge, sharpness):
    X, codes, costs = [row[:2] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    problems = joint_problems_of(X, codes, costs)
    ended = descend(problems, problems.start(), ridge, sharpness)
    before, after = (objective(problems, place, ridge, sharpness)[0] for place in (problems.start(), ended))
    assert after <= before
    assert ended.margins == pytest.approx(problems.margins(ended.V), rel=1e-6, abs=1e-6)
    assert problems.scores(ended)[0].sum(axis=0) == pytest.approx(np.zeros(len(rows)), abs=1e-6)


@given(tables(max_rows=10), ridges, sharpnesses)
def test_two_classes_learned_jointly_lose_what_one_score_does(table, ridge, sharpness):
    """A score for each class, w / 2 and its opposite, has the margins of w and half the square of its length."""
    X, y = table
    _, one = problems_of(X, y, np.ones(len(y)))
    both = JointProblems(one.space, (y > 0).astype(int), one.costs, 2)
    V = np.arange(1.0, one.space.size + 1)[np.newaxis] / one.space.size
    place, pair = PathPoint(V, one.margins(V)), np.hstack([-V / 2, V / 2])
    joint = PathPoint(pair, both.margins(pair))
    assert both.lost(joint.margins, sharpness) == pytest.approx(one.lost(place.margins, sharpness), rel=1e-9, abs=1e-12)
    lengths = (pair * pair) @ both.squares, (V * V) @ one.squares / 2
    assert lengths[0] == pytest.approx(lengths[1])


@given(tables(max_rows=8, max_columns=2), ridges)
def test_the_soft_margin_is_the_naive_one(table, ridge):
    X, y = table
    standard, problems = problems_of(X, y, np.ones(len(y)))
    found = descend(problems, problems.start(), ridge, 0.0)
    rows = np.column_stack([(X - standard.means * 2.0**standard.exponents) / scale_of(standard), np.full(len(y), BIAS)])
    ones, zeros = np.ones(len(y)), np.zeros(rows.shape[1])
    naive = naive_selection.downhill(rows, y, ones, zeros, ridge, 0.0, steps=300)
    reached = naive_selection.objective(rows, y, ones, naive, ridge, 0.0)
    ours = objective(problems, found, ridge, 0.0)[0]
    assert ours <= reached * (1 + 2 * saturating.TOLERANCE) + 1e-12
    weights = problems.space.weights(found.V[0])
    assert naive_selection.objective(rows, y, ones, weights, ridge, 0.0) == pytest.approx(ours, rel=1e-6, abs=1e-12)


def scale_of(standard):
    return standard.scales * 2.0**standard.exponents


@given(tables(), sharpnesses)
def test_weights_in_the_units_of_the_table_decide_as_those_of_standard_rows(table, sharpness):
    X, y = table
    standard, problems = problems_of(X, y, np.ones(len(y)))
    place = descend(problems, problems.start(), 0.01, sharpness)
    (w,) = standard.weights(problems.space.weights(place.V[0])[np.newaxis])
    scores = (X @ w[:-1] + w[-1]) * y
    assert scores == pytest.approx(place.margins[0], rel=1e-6, abs=1e-6 * (1 + abs(place.margins).max()))


@given(tables())
def test_a_sparse_table_is_put_on_the_same_scale(table):
    dense, sparse = (Standard.of(rows_of(made(table[0]))) for made in (np.asarray, sp.csr_array))
    for name in ("exponents", "means", "scales"):
        assert getattr(dense, name).tolist() == getattr(sparse, name).tolist()


@st.composite
def judgements(draw):
    """Rows with classes and costs, splits of some of them, and mistakes of two candidates or more."""
    n, many = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    codes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    costs = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    judged = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=1, unique=True), min_size=1, max_size=4))
    wrong = [
        draw(st.lists(st.lists(st.booleans(), min_size=len(p), max_size=len(p)), min_size=many, max_size=many))
        for p in judged
    ]
    return codes, costs, judged, wrong


@given(judgements())
def test_errors_and_their_noise_are_those_of_the_naive_sums(given_):
    codes, costs, judged, wrong = given_
    errors, noise, constant = naive_selection.compared(wrong, judged, costs, codes)
    data = LabelledTable(rows_of(np.zeros((len(codes), 1))), np.array(codes), np.array(costs, float), 3)
    splits = [(np.zeros(0, int), np.array(part)) for part in judged]
    tried = candidates(FAMILIES)[: len(errors)]
    found = measured(data, splits, tried, [np.array(flags, np.int8) for flags in wrong])
    assert found.choice.error == pytest.approx(np.array(errors))
    assert found.choice.noise == pytest.approx(np.array(noise), abs=1e-9)
    assert found.choice.constant == pytest.approx(constant)
    for k in range(len(errors)):  # another rule with these mistakes
        error, best, apart = found.beside_best([np.array(flags[k]) for flags in wrong])
        assert (error, best, apart) == pytest.approx((errors[k], errors[found.choice.best], found.choice.noise[k]))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 8), st.integers(0, 3))
def test_folds_have_every_class_in_its_share(codes, many, seed):
    codes = np.array(codes)
    found = folds.stratified(codes, many, np.random.default_rng(seed))
    assert np.ptp(np.bincount(found, minlength=many)) <= 1
    for code in np.unique(codes):
        assert np.ptp(np.bincount(found[codes == code], minlength=many)) <= 1


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 50), st.integers(0, 3))
def test_a_sample_has_every_class_in_its_share(codes, most, seed):
    codes = np.array(codes)
    rows = folds.sampled(codes, most, np.random.default_rng(seed))
    assert (np.diff(rows) > 0).all()
    for code, rows_of_class in zip(*np.unique(codes, return_counts=True), strict=True):
        kept, wanted = (codes[rows] == code).sum(), rows_of_class * min(most / codes.size, 1.0)
        assert wanted <= kept < wanted + 1


def test_every_candidate_of_a_path_is_met_once_and_ends_where_it_says():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.where(rng.random(60) < 0.5, 1, -1)
    _, problems = problems_of(X, y, np.ones(60))
    tried = candidates(FAMILIES)
    met = list(follow(problems, tried))
    assert sorted(map(str, (candidate for candidate, _ in met))) == sorted(map(str, tried))
    for candidate, place in met:
        ended = descend(problems, place, candidate.ridge, candidate.sharpness)
        here, there = (objective(problems, each, candidate.ridge, candidate.sharpness)[0] for each in (place, ended))
        assert there >= here * (1 - 10 * saturating.TOLERANCE)
