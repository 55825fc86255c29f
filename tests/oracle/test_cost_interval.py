"""What mistakes cost at least: the interval holds the least that trying everything gives, and its proof verifies."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from oracle import gordan
from rosenblatt import Examples, PocketPerceptron, optimality
from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import hitting, sweep
from rosenblatt.prove.check.certificate import Certificate, CostInterval, ErrorInterval

COSTS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.25, 7.0])


def least_cost(X, y, costs, bias=1.0):
    """The least that the mistakes of any rule cost, by trying every set of rows to leave out; fractions only."""
    rows = [[label * k for k in row] for row, label in zip(cases.with_bias(X, bias), y, strict=True)]
    possible = []
    for many in range(len(rows) + 1):
        for gone in combinations(range(len(rows)), many):
            left = [i for i in range(len(rows)) if i not in gone]
            if not left or gordan.is_separable([rows[i] for i in left], [True] * len(left)):
                possible.append(sum((Fraction(costs[i]) for i in gone), Fraction(0)))
    return min(possible)


def drawn(data, **options):
    """A table with costs, of which each class has some."""
    X, y = data.draw(cases.tables(**options))
    costs = data.draw(st.lists(COSTS, min_size=len(X), max_size=len(X)))
    for label in (-1, 1):
        if not any(cost for cost, k in zip(costs, y, strict=True) if k == label):
            costs[list(y).index(label)] = 1.0
    return X, y, costs


def worth(interval, units):
    return Fraction(interval.unit) * units if isinstance(interval, CostInterval) else Fraction(units)


@given(data=st.data())
def test_the_interval_holds_the_least_cost(data):
    X, y, costs = drawn(data, max_rows=7, max_columns=3)
    interval = optimality(X, y, sample_weight=costs, ties="mistake")
    least = least_cost(X, y, costs)
    assert worth(interval, interval.lower) <= least <= worth(interval, interval.upper)
    assert interval.verify(X, y) == interval.statement
    again = Certificate.from_json(interval.to_json())
    assert again == interval
    if X.shape[1] <= 2:
        assert worth(interval, interval.lower) == least


@given(data=st.data(), bias=st.booleans())
def test_a_sweep_gives_the_least_cost(data, bias):
    X, y, costs = drawn(data, max_rows=7, max_columns=2)
    examples = Examples.of(X, y, fit_intercept=bias)
    whole = np.array([int(4 * cost) for cost in costs])
    least, weights = sweep.fewest(examples, whole)
    assert Fraction(least, 4) == least_cost(X, y, costs, float(bias))
    if not sweep.is_about("mistake", examples):
        return
    interval = optimality(X, y, weights, sample_weight=costs, ties="mistake", fit_intercept=bias)
    assert interval.lower == interval.upper
    assert worth(interval, interval.upper) == Fraction(least, 4)


@given(
    st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=4), max_size=6),
    st.lists(st.integers(0, 5), min_size=8, max_size=8),
    st.integers(0, 15),
)
def test_what_rows_in_all_sets_cost(sets, costs, cost):
    chosen = [rows for k in range(9) for rows in combinations(range(8), k) if all(set(rows) & each for each in sets)]
    least = min(sum(costs[row] for row in rows) for rows in chosen)
    priced = dict(enumerate(costs))
    assert hitting.packed([tuple(each) for each in sets], priced) <= least
    assert hitting.is_needed([tuple(each) for each in sets], cost, priced) == (least >= cost)


def test_a_row_may_be_in_several_contradictions():
    """A yes that costs 3 is equal to three noes that cost 1: whatever a rule says of them costs 3."""
    X, y = [[1.0], [1.0], [1.0], [1.0], [0.0], [2.0]], [1, 0, 0, 0, 0, 1]
    interval = optimality(X, y, [1.0, -1.5], class_weight={0: 1.0, 1: 3.0}, ties="mistake")
    assert (interval.lower, interval.upper) == (3, 3)
    assert len(interval.contradictions) == 3
    assert interval.statement == (
        "Counting a score of 0 as a mistake, the rule's mistakes cost 3 on 6 rows, which is the least possible; "
        "a mistake on a no costs 1, on a yes 3."
    )
    interval.verify(X, y)


def noisy(n=300, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ np.arange(1, d + 1) + rng.normal(size=n) > 1).astype(int), rng.uniform(0.1, 9.0, n)


@pytest.mark.parametrize("costs", ["rows", "balanced", {0: 1.0, 1: 7.0}], ids=["rows", "balanced", "given"])
def test_an_estimators_cost_is_what_is_proved(costs):
    X, y, weights = noisy()
    own = None if costs == "rows" else costs
    rule = PocketPerceptron(class_weight=own, random_state=0)
    rule.fit(X, y, sample_weight=weights if costs == "rows" else None)
    interval = optimality(X, y, rule, sample_weight=weights if costs == "rows" else None)
    assert isinstance(interval, CostInterval)
    assert interval.unit * interval.upper == pytest.approx(rule.cost_, rel=1e-12)
    assert 0.4 * interval.upper < interval.lower <= interval.upper
    assert bool(interval.row_costs) == (costs == "rows")
    interval.verify(X, y)


def test_equal_weights_change_no_proof():
    X, y, _ = noisy(120)
    plain, ones = optimality(X, y), optimality(X, y, sample_weight=np.ones(120))
    assert isinstance(plain, ErrorInterval)
    assert ones == plain
    threes = optimality(X, y, sample_weight=np.full(120, 3.0))
    assert isinstance(threes, CostInterval)
    assert Fraction(threes.unit) * threes.lower == 3 * plain.lower
    assert Fraction(threes.unit) * threes.upper == 3 * plain.upper


def test_a_changed_cost_is_noticed():
    X, y, weights = noisy(150)
    for interval in (optimality(X, y, sample_weight=weights), optimality(X, y, class_weight={1: 5.0})):
        for change in (
            {"lower": interval.upper + 1},
            {"upper": interval.upper - 1},
            {"row_costs": (3,) * 150, "class_costs": ()},
            {"row_costs": (1,) * 149, "class_costs": ()},
            {"class_costs": (3, 3), "row_costs": ()},
            {"class_costs": (-1, 5), "row_costs": ()},
            {"class_costs": (1,), "row_costs": ()},
            {"class_costs": (2**62, 1), "row_costs": ()},
            {"class_costs": (2**61, 2**61), "row_costs": ()},
            {"class_costs": (), "row_costs": ()},
            {"unit": 0.0},
            {"unit": -1.0},
            {"contradictions": ()},
        ):
            with pytest.raises(CertificateError):
                replace(interval, **change, fingerprint="").verify(X, y)
        record = json.loads(interval.to_json())
        record["unit"] *= 2
        with pytest.raises(CertificateError, match="was changed after it was made"):
            Certificate.from_json(json.dumps(record)).verify(X, y)


def test_not_separable_is_at_least_one_mistake():
    """Every mistake alone could be right as well: only several together contradict the other rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 12))
    y = np.zeros(400, int)
    y[rng.choice(400, 40, replace=False)] = 1
    interval = optimality(X, y, [0.0] * 12 + [-1.0])
    assert interval.upper == 40
    assert interval.lower >= 1
    interval.verify(X, y)
