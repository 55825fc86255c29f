"""Paths of the soft margin: the same as rules learned one by one, for all rows and for each fold."""

import numpy as np
import pytest

from rosenblatt import soft_margin_path
from rosenblatt.errors import DataError, OptionError
from rosenblatt.learn.soft import soft
from rosenblatt.prove.solve.soft_margin import certified
from rosenblatt.rows.examples import Examples

TOL = 1e-9
COSTS = [1.0, 1e-3, 100.0, 0.1]


@pytest.fixture
def noisy(rng):
    X = rng.normal(size=(150, 4))
    return X, np.where(X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=150) > 0, "yes", "no")


def test_each_certificate_is_about_its_own_costs(noisy):
    X, y = noisy
    weights = np.linspace(0.5, 2.0, 150)
    path = soft_margin_path(X, y, COSTS, sample_weight=weights)
    assert [proof.C for proof in path.certificates] == COSTS
    for proof in path.certificates:
        assert proof.verify(X, y, weights) == proof.statement
        assert proof.gap <= TOL * proof.upper
        examples = Examples.of(X, y, weights=weights)
        alone = certified(examples, soft.learn(examples, proof.C, TOL), TOL)
        assert proof.upper == pytest.approx(alone.upper, rel=2 * TOL)
    assert str(path) == "\n".join(proof.statement for proof in path.certificates)
    with pytest.raises(OptionError, match="give folds"):
        _ = path.best


@pytest.mark.parametrize("weights", [None, np.arange(150) % 3 + 0.5])
def test_mistakes_on_folds_are_those_of_rules_learned_without_them(noisy, weights):
    X, y = noisy
    folds = np.arange(150) % 4
    path = soft_margin_path(X, y, COSTS, folds=folds, sample_weight=weights)
    counted = np.ones(150) if weights is None else weights
    for C, told in zip(COSTS, path.held_out_mistakes, strict=True):
        wrong = 0.0
        for fold in range(4):
            others = Examples.of(X[folds != fold], y[folds != fold], weights=counted[folds != fold])
            w = soft.learn(others, C, TOL).weights
            said = np.where(X[folds == fold] @ w[:-1] + w[-1] > 0, "yes", "no")
            wrong += counted[folds == fold][said != y[folds == fold]].sum()
        assert told == pytest.approx(wrong)
    least = min(path.held_out_mistakes)
    best = [C for C, wrong in zip(COSTS, path.held_out_mistakes, strict=True) if wrong == least]
    chosen = path.best.C
    assert chosen == min(best)
    assert str(path).splitlines()[0] == f"C = 1.0: {path.held_out_mistakes[0]:g} mistakes on rows held out."


def test_odd_options_are_refused(noisy):
    X, y = noisy
    with pytest.raises(OptionError, match=r"C must be .* above 0.*, not -1"):
        soft_margin_path(X, y, [1.0, -1.0])
    with pytest.raises(OptionError, match="tol must be"):
        soft_margin_path(X, y, [1.0], tol=0)
    with pytest.raises(DataError, match="150 rows need 150 numbers of folds"):
        soft_margin_path(X, y, [1.0], folds=[0, 1])
    with pytest.raises(DataError, match="two folds or more"):
        soft_margin_path(X, y, [1.0], folds=np.zeros(150))
