"""What Freund and Schapire, Krauth and Mezard, and Crammer et al. proved, checked on runs."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
from oracle import naive_averaged as naive
from rosenblatt import AveragedPerceptron, Examples, MarginPerceptron, PassiveAggressive, VotedPerceptron, margin

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
VARIANTS = st.sampled_from(["PA", "PA-I", "PA-II"])
AGGRESSIVENESS = st.sampled_from([0.05, 0.5, 1.0, 20.0])
SLACK = 1 + 1e-9


def directions(size):
    """Weights of any rule to compare with."""
    return st.lists(st.integers(-4, 4).map(float), min_size=size, max_size=size).filter(any).map(np.array)


@given(cases.tables(), st.data(), st.sampled_from([0.1, 1.0, 4.0]))
def test_mistakes_of_one_pass_are_bounded_for_overlapping_classes_too(table, data, g):
    """Freund and Schapire, theorem 2: k <= ((R + D) / g)^2 for every unit u, D^2 the sum of max(0, g - y (u . x))^2."""
    X, y = table
    u = data.draw(directions(X.shape[1] + 1))
    rule = VotedPerceptron(max_passes=1).fit(X, y)
    rows = np.array(cases.with_bias(X))
    deviation = np.linalg.norm(np.maximum(0, g - y * (rows @ u) / np.linalg.norm(u)))
    radius = np.linalg.norm(rows, axis=1).max()
    assert rule.n_updates_ <= ((radius + deviation) / g) ** 2 * SLACK


@given(cases.separable_tables())
def test_all_corrections_together_keep_novikoffs_bound_and_the_average_ends_right(table):
    X, y, u = table
    for make in (AveragedPerceptron, VotedPerceptron):
        rule = make(fit_intercept=False, max_passes=10_000).fit(X, y)
        assert rule.n_updates_ <= (np.linalg.norm(X, axis=1).max() * np.linalg.norm(u)) ** 2 * SLACK
        assert (rule.predict(X) == y).all()
        assert rule.stop_reason_.name == "SEPARATED"


@given(cases.tables())
def test_votes_are_looks_and_the_average_is_their_weighted_mean(table):
    X, y = table
    voted, mean = VotedPerceptron().fit(X, y), AveragedPerceptron().fit(X, y)
    assert voted.votes_.sum() == voted.n_examples_seen_
    assert (voted.votes_[1:] >= 1).all()
    examples, votes = Examples.of(X, y), VotedPerceptron(vote="averaged").fit(X, y).votes_
    vectors = [mean.ledger_.replay(examples, t).tolist() for t in range(votes.size)]
    weighted = [
        sum(int(c) * Fraction(w) for c, w in zip(votes, column, strict=True)) for column in zip(*vectors, strict=True)
    ]
    assert mean.weights_[0].tolist() == [float(total / int(votes.sum())) for total in weighted]


@given(cases.separable_tables(), st.sampled_from([0.0, 0.5, 3.0, 40.0]))
def test_the_margin_perceptron_ends_within_its_bound_and_finds_its_part_of_the_margin(table, beta):
    """At most (R^2 + 2 beta) / g^2 steps from zeros; the margin found is above beta g / (R^2 + 2 beta)."""
    X, y, _ = table
    rule = MarginPerceptron(beta=beta, fit_intercept=False, max_passes=None).fit(X, y)
    largest = margin(X, y, fit_intercept=False)
    square = np.square(X).sum(axis=1).max()
    assert rule.margin_reached_
    assert rule.n_updates_ <= (square + 2 * beta) / largest.lower**2 * SLACK
    w = rule.coef_[0]
    assert (y * (X @ w) > beta).all()
    found = (y * (X @ w)).min() / np.linalg.norm(w)
    assert found * SLACK >= beta * largest.lower / (square + 2 * beta)
    assert found <= largest.upper * SLACK


def followed(X, y, variant, C, passes=2):
    """A run, the rows as looked at, their labels, and the exact margin of each when it was looked at."""
    rule = PassiveAggressive(variant=variant, C=C, max_passes=passes, shuffle=False).fit(X, y)
    rows = cases.with_bias(X)
    order = [i for _ in range(rule.n_passes_) for i in range(len(X))]
    start = [0.0] * len(rows[0])
    states = [start, *(w for w, _ in naive.looks(rows, y, start, order, naive.by_loss(variant, C)))]
    assert rule.weights_[0].tolist() == states[-1]
    margins = np.array([float(y[i] * naive.dot(states[k], rows[i])) for k, i in enumerate(order)])
    return rule, np.array(rows)[order], y[order], margins


@given(cases.separable_tables(max_rows=8), st.integers(1, 4))
def test_squared_losses_of_pa_are_bounded_where_some_rule_has_none(table, passes):
    """Crammer et al., theorem 2: the sum of loss^2 is at most R^2 ||u||^2, if y (u . x) >= 1 for every row."""
    X, y, u = table
    _, rows, _, margins = followed(X, y, "PA", 1.0, passes)
    square = np.square(rows).sum(axis=1).max()
    assert np.square(np.maximum(0, 1 - margins)).sum() <= square * (u @ u) * SLACK


@given(cases.tables(max_rows=8), st.data(), AGGRESSIVENESS)
def test_mistakes_of_pa_i_are_bounded_by_every_rules_losses(table, data, C):
    """Crammer et al., theorem 4: mistakes <= max(R^2, 1 / C) (||u||^2 + 2 C sum of u's losses)."""
    X, y = table
    u = data.draw(directions(X.shape[1] + 1)) / data.draw(st.sampled_from([1.0, 3.0, 10.0]))
    _, rows, labels, margins = followed(X, y, "PA-I", C)
    losses = np.maximum(0, 1 - labels * (rows @ u)).sum()
    square = np.square(rows).sum(axis=1).max()
    assert (margins <= 0).sum() <= max(square, 1 / C) * (u @ u + 2 * C * losses) * SLACK


@given(cases.tables(max_rows=8), st.data(), AGGRESSIVENESS)
def test_squared_losses_of_pa_ii_are_bounded_by_every_rules_squared_losses(table, data, C):
    """Crammer et al., theorem 5: sum of loss^2 <= (R^2 + 1 / (2 C)) (||u||^2 + 2 C sum of u's loss^2)."""
    X, y = table
    u = data.draw(directions(X.shape[1] + 1)) / data.draw(st.sampled_from([1.0, 3.0, 10.0]))
    _, rows, labels, margins = followed(X, y, "PA-II", C)
    losses = np.square(np.maximum(0, 1 - labels * (rows @ u))).sum()
    square = np.square(rows).sum(axis=1).max()
    assert np.square(np.maximum(0, 1 - margins)).sum() <= (square + 1 / (2 * C)) * (u @ u + 2 * C * losses) * SLACK


@given(cases.tables(max_rows=6), st.data(), VARIANTS, AGGRESSIVENESS)
def test_a_step_is_the_best_compromise_between_staying_and_meeting_the_row(table, data, variant, C):
    """Crammer et al., equations 3, 6 and 7: no weights have a lower ||w - w_t||^2 / 2 + what the loss is charged."""
    X, y = table
    rule = PassiveAggressive(variant=variant, C=C, max_passes=1, shuffle=False).fit(X, y)
    examples, rows = Examples.of(X, y), np.array(cases.with_bias(X))
    assume(len(rule.ledger_))
    t = data.draw(st.integers(0, len(rule.ledger_) - 1))
    before, after, i = rule.ledger_.replay(examples, t), rule.ledger_.replay(examples, t + 1), rule.ledger_.rows[t]

    def cost(w):
        loss = max(0.0, 1 - y[i] * (rows[i] @ w))
        charge = {"PA": 0.0, "PA-I": C * loss, "PA-II": C * loss**2}[variant]
        return np.square(w - before).sum() / 2 + charge

    other = data.draw(directions(before.size)) * data.draw(st.sampled_from([1e-3, 0.1, 1.0]))
    if variant == "PA":
        assert y[i] * (rows[i] @ after) == pytest.approx(1)
        other -= min(0.0, y[i] * (rows[i] @ other)) * y[i] * rows[i] / (rows[i] @ rows[i])  # stays where the row is met
    assert cost(after) <= cost(after + other) + 1e-9 * (1 + sqrt(before @ before))


@given(cases.tables(), VARIANTS)
def test_weights_never_lengthen_by_more_than_the_doubt_allows(table, variant):
    """The bound on ||w|| that exact decisions rest on: 2 / ||x|| for every step."""
    X, y = table
    rule = PassiveAggressive(variant=variant, C=5.0, max_passes=3, shuffle=False).fit(X, y)
    lengths = [state.norm for state in rule.ledger_.steps(Examples.of(X, y))]
    shortest = np.linalg.norm(cases.with_bias(X), axis=1).min()
    assert (np.diff(lengths) <= 2 / shortest * SLACK).all()
