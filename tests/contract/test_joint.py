"""More than two classes: learned jointly by default, one against the rest or another where that is wanted."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Ledger,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
    load_model,
    optimality,
    save_model,
)
from rosenblatt.errors import OptionError
from rosenblatt.learn.pla.joint_run_state import JointLedger

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SCHEMES = ["joint", "one-vs-rest", "one-vs-one"]
EVERY = pytest.mark.parametrize("make", [Perceptron, PocketPerceptron, AveragedPerceptron])
REORDERS = "the check reorders rows, and the algorithm depends on their order by definition"
IN_DEFIANCE = {
    "check_sample_weight_equivalence_on_dense_data": REORDERS,
    "check_sample_weight_equivalence_on_sparse_data": REORDERS,
    "check_class_weight_classifiers": "the check wants nearly all rows predicted as the heavy class",
}


@parametrize_with_checks(
    [PocketPerceptron(multi_class="one-vs-one", max_updates=100, improve=None, random_state=0)],
    expected_failed_checks=lambda rule: IN_DEFIANCE,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_iris_is_learned_with_the_one_mistake_that_must_be():
    X, y = load_iris(return_X_y=True)
    rule = PocketPerceptron(random_state=0).fit(X, y)
    assert rule.mistakes_ == (rule.predict(X) != y).sum() == rule.cost_ == 1
    assert rule.weights_.shape == (3, 5)
    interval = optimality(X, y, rule)
    assert interval.statement == "The rule of 3 classes makes 1 mistake on 150 rows, which is the fewest possible."
    interval.verify(X, y)
    assert (AveragedPerceptron().fit(X, y).predict(X) != y).sum() <= 7
    assert (Perceptron().fit(X, y).predict(X) != y).sum() <= 10


@EVERY
def test_classes_that_scores_separate_are_learned_without_a_mistake_by_every_scheme(make):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for scheme, rules in zip(SCHEMES, (3, 3, 3), strict=True):
        rule = make(multi_class=scheme, **({"max_passes": 1000} if make is AveragedPerceptron else {})).fit(X, y)
        assert (rule.predict(X) == y).all()
        assert rule.coef_.shape == (rules, 13)
        assert rule.decision_function(X).shape == (178, 3)
        assert (rule.decision_function(X).argmax(axis=1) == rule.predict(X)).all()
        assert isinstance(rule.ledger_, list) == (scheme != "joint")


def test_one_vs_one_has_a_rule_for_each_pair_learned_from_its_rows_alone(rng):
    X, y = rng.normal(size=(60, 2)), np.array(["a", "b", "c", "d"])[np.arange(60) % 4]
    rule = Perceptron(multi_class="one-vs-one", max_passes=20).fit(X, y)
    assert rule.weights_.shape == (6, 3)
    pairs = ["ab", "ac", "bc", "ad", "bd", "cd"]
    for k, (no, yes) in enumerate(pairs):
        some = (y == no) | (y == yes)
        alone = Perceptron(max_passes=20).fit(X[some], y[some])
        assert alone.weights_[0].tobytes() == rule.weights_[k].tobytes()
    said = {
        pair: np.where(X @ w[:2] + w[2] > 0, pair[1], pair[0]) for pair, w in zip(pairs, rule.weights_, strict=True)
    }
    for row, label in enumerate(rule.predict(X)):
        votes = {letter: sum(each[row] == letter for each in said.values()) for letter in "abcd"}
        best = [letter for letter in "abcd" if votes[letter] == max(votes.values())]
        among = {letter: sum(said[p][row] == letter for p in pairs if set(p) <= set(best)) for letter in best}
        assert label == max(best, key=lambda letter: (among[letter], -ord(letter)))


@EVERY
def test_two_classes_do_not_know_of_schemes(make, rng):
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    options = {"random_state": 0, "max_passes": 5}
    assert len({make(multi_class=scheme, **options).fit(X, y).weights_.tobytes() for scheme in SCHEMES}) == 1


@EVERY
def test_another_scheme_is_refused(make):
    with pytest.raises(OptionError, match="multi_class must be one of 'joint', 'one-vs-rest', 'one-vs-one', not 'ovo'"):
        make(multi_class="ovo").fit([[0], [1], [2]], [0, 1, 2])


def test_a_margin_of_the_pocket_is_for_two_classes():
    with pytest.raises(OptionError, match="one-vs-rest"):
        PocketPerceptron(margin=0.1).fit([[0], [1], [2]], [0, 1, 2])


@EVERY
@pytest.mark.parametrize("scheme", SCHEMES)
def test_clone_pickle_and_file_give_the_same_rule_and_go_on_alike(make, scheme, rng, tmp_path):
    X, y = rng.normal(size=(50, 3)), np.array(["x", "y", "z"])[rng.integers(3, size=50)]
    rule = make(multi_class=scheme, max_passes=3, random_state=0).fit(X, y)
    save_model(rule, tmp_path / "model.json")
    for other in (pickle.loads(pickle.dumps(rule)), load_model(tmp_path / "model.json"), clone(rule).fit(X, y)):
        assert other.get_params() == rule.get_params()
        assert other.weights_.tobytes() == rule.weights_.tobytes()
        assert (other.predict(X) == rule.predict(X)).all()
        assert other.n_updates_ == rule.n_updates_
        if make is not PocketPerceptron:
            one, two = (each.partial_fit(X[:20], y[:20]).weights_ for each in (other, pickle.loads(pickle.dumps(rule))))
            assert one.tobytes() == two.tobytes()


def test_a_scheme_that_was_changed_after_learning_is_not_saved(tmp_path):
    rule = Perceptron(max_passes=2).fit([[0.0], [1.0], [2.0]], [0, 1, 2]).set_params(multi_class="one-vs-one")
    with pytest.raises(Exception, match="multi_class"):
        save_model(rule, tmp_path / "model.json")
    assert rule.predict([[0.0]]).shape == (1,)


def test_the_ledger_of_several_classes_is_saved_and_read(tmp_path):
    X, y = load_iris(return_X_y=True)
    rule = Perceptron(max_passes=5).fit(X, y)
    rule.ledger_.save(tmp_path / "ledger")
    again = JointLedger.load(tmp_path / "ledger")
    assert again.rivals.tolist() == rule.ledger_.rivals.tolist()
    assert again.replay(rule.examples_of(X, y)[0]).tobytes() == rule.weights_.tobytes()
    with pytest.raises(Exception, match="ledger"):
        Ledger.load(tmp_path / "ledger")


def test_weights_of_classes_and_rows_are_costs_of_mistakes(rng):
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    plain = PocketPerceptron(random_state=0).fit(X, y)
    heavy = PocketPerceptron(class_weight={0: 20.0}, random_state=0).fit(X, y)
    wrong = [(rule.predict(X)[y == 0] != 0).sum() for rule in (plain, heavy)]
    assert wrong[1] < wrong[0]
    assert heavy.cost_ == 20.0 * wrong[1] + (heavy.predict(X)[y > 0] != y[y > 0]).sum()


def test_the_fewest_mistakes_are_asked_of_rules_that_choose_the_largest_score(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    rest = AveragedPerceptron(multi_class="one-vs-rest").fit(X, y)
    assert optimality(X, y, rest).upper == (rest.predict(X) != y).sum()
    duels = Perceptron(multi_class="one-vs-one", max_passes=3).fit(X, y)
    for rule in (
        duels,
        VotedPerceptron().fit(X, y),
        KernelPerceptron().fit(X, y),
        Perceptron(normalize=True).fit(X, y),
    ):
        with pytest.raises(OptionError):
            optimality(X, y, rule)


def test_who_has_two_classes_loads_and_compiles_nothing_of_this():
    code = (
        "import sys; from rosenblatt import *; X, y = [[0.0], [1.0], [2.0], [0.5]], [0, 1, 1, 1];"
        "Perceptron().fit(X, y).predict(X); PocketPerceptron().fit(X, y); AveragedPerceptron().fit(X, y);"
        "separability(X, y); margin(X, y); optimality(X, y);"
        "print([name for name in sys.modules if 'choosing' in name or '.joint' in name and 'certificate' not in name])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_margin_of_wide_text_that_contradicts_itself():
    """Not all pairs are looked at there, and there may be no weights to tell."""
    X = sp.random_array((600, 60_000), density=0.001, format="csr", rng=np.random.default_rng(0))
    X = sp.csr_array(sp.vstack([X, X[[0]]]))
    found = rosenblatt.margin(X, np.append(np.arange(600) % 3, 1))
    assert found.upper == 0.0
    assert found.certificate.verify(X, np.append(np.arange(600) % 3, 1))


def test_equal_rows_are_compared_when_the_time_is_up(rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 3
    X[30:33] = X[:3]
    y[30:33] = (y[:3] + 1) % 3
    found = rosenblatt.optimality(X, y, max_seconds=1e-9)
    assert found.lower >= 3
    assert found.verify(X, y)


def test_weights_are_copies_where_passes_end_by_themselves(rng):
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0) * 1 + (X[:, 1] > 0)
    k = rng.integers(0, 4, 300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weighted = rosenblatt.Perceptron().fit(X, y, sample_weight=k)
        copied = rosenblatt.Perceptron().fit(X.repeat(k, axis=0), y.repeat(k))
    assert weighted.weights_.tobytes() == copied.weights_.tobytes()
