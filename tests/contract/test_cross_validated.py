"""The conventions of scikit-learn, and what PerceptronCV promises beyond them."""

from contextlib import contextmanager, nullcontext
from itertools import count

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import AveragedPerceptron, PerceptronCV, Reason, load_model, separability
from rosenblatt.errors import ModelError, OptionError
from rosenblatt.learn.selection import comparison
from rosenblatt.learn.selection.path import FAMILIES, candidates
from rosenblatt.rules.linear import cross_validated
from rosenblatt.ship.file.modelfile import save_model

DEALT = "the check gives weights instead of copies, and folds are dealt out by rows, so copies fall into several"


@parametrize_with_checks(
    [PerceptronCV()],
    expected_failed_checks=lambda rule: {
        "check_sample_weight_equivalence_on_dense_data": DEALT,
        "check_sample_weight_equivalence_on_sparse_data": DEALT,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def noisy(n=400, d=4, flipped=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ np.arange(1, d + 1) > 0.3, "yes", "no")
    wrong = rng.random(n) < flipped
    return X, np.where(wrong, np.where(y == "yes", "no", "yes"), y)


def test_it_says_what_it_chose():
    X, y = noisy()
    rule = PerceptronCV().fit(X, y)
    tried, error, errors = (rule.cv_results_[name] for name in ("candidates", "error", "errors"))
    assert tuple(tried) == candidates(FAMILIES)
    assert errors.shape == (len(tried), 15)  # few rows: five folds, three times
    assert error[tried.index(rule.chosen_[0])] == error.min()
    assert str(rule.chosen_[0]) in rule.choice_
    assert all(str(each) in rule.choice_ for each in rule.chosen_[:4])
    assert f"{error.min():.1%}" in rule.choice_
    assert rule.stop_reason_ is Reason.COMPARED
    assert error == pytest.approx(errors.mean(axis=1), rel=0.05)


def test_flipped_labels_are_seen_through():
    X, y = noisy(n=1000, flipped=0.3)
    new = np.random.default_rng(1).normal(size=(2000, 4))
    truth = np.where(new @ [1, 2, 3, 4] > 0.3, "yes", "no")
    assert (PerceptronCV().fit(X, y).predict(new) == truth).mean() > 0.95


def test_units_of_columns_do_not_matter():
    X, y = noisy()
    plain, scaled = PerceptronCV().fit(X, y), PerceptronCV().fit(X * [1e-9, 1.0, 3.0, 1e12] + [5.0, 0, -2.0, 1e12], y)
    assert plain.cv_results_["error"].tolist() == scaled.cv_results_["error"].tolist()
    ratio = scaled.coef_ * [1e-9, 1.0, 3.0, 1e12] / plain.coef_
    assert ratio == pytest.approx(np.full((1, 4), ratio[0, 0]), rel=1e-6)


def test_extreme_numbers_do_not_overflow():
    X, y = noisy()
    X = X * [1e-150, 0.0, 1.0, 1e150]
    rule = PerceptronCV().fit(X, y)
    assert np.isfinite(rule.weights_).all()
    assert rule.score(X, y) > 0.7


def test_sparse_tables_give_the_same_rule():
    X, y = noisy()
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense, sparse = PerceptronCV().fit(X, y), PerceptronCV().fit(sp.csr_array(X), y)
    assert dense.choice_ == sparse.choice_
    assert dense.weights_ == pytest.approx(sparse.weights_, rel=1e-9)


@pytest.mark.parametrize("shape", [(30, 450), (700, 450)])
def test_wide_sparse_tables_are_learned_without_a_dense_copy(shape):
    rng = np.random.default_rng(0)
    X = sp.random_array(shape, density=0.05, random_state=rng, format="csr")
    y = X @ rng.normal(size=shape[1]) > 0
    assert PerceptronCV().fit(X, y).score(X, y) > 0.9


def test_the_seed_decides_the_folds():
    X, y = noisy()
    one, again, other = (PerceptronCV(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert one.weights_.tolist() == again.weights_.tolist()
    assert one.cv_results_["errors"].tolist() == again.cv_results_["errors"].tolist()
    assert one.cv_results_["errors"].tolist() != other.cv_results_["errors"].tolist()


def test_threads_do_not_matter(monkeypatch):
    X, y = noisy(n=1500, d=40)
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("ROSENBLATT_THREADS", threads)
        found.append(PerceptronCV().fit(X, y).weights_.tolist())
    assert found[0] == found[1]


def test_splitters_and_pairs_of_rows():
    X, y = noisy(n=90)
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    pairs = list(splitter.split(X, y))
    one, other = PerceptronCV(cv=splitter).fit(X, y), PerceptronCV(cv=pairs).fit(X, y)
    assert one.cv_results_["errors"].shape[1] == 6
    assert one.weights_.tolist() == other.weights_.tolist()
    part = PerceptronCV(cv=ShuffleSplit(n_splits=2, test_size=0.2, random_state=0)).fit(X, y)
    assert part.cv_results_["errors"].shape[1] == 2


def test_rows_without_weight_have_no_part():
    X, y = noisy(n=120)
    weights = np.ones(120)
    weights[::4] = 0.0
    some = weights > 0
    rule = PerceptronCV().fit(X, y, sample_weight=weights)
    assert rule.weights_.tolist() == PerceptronCV().fit(X[some], y[some]).weights_.tolist()
    pairs = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
    left = np.cumsum(some) - 1
    fewer = [tuple(left[rows][some[rows]] for rows in pair) for pair in pairs]
    rule = PerceptronCV(cv=pairs).fit(X, y, sample_weight=weights)
    assert rule.weights_.tolist() == PerceptronCV(cv=fewer).fit(X[some], y[some]).weights_.tolist()


def test_costs_move_the_rule():
    X, y = noisy(flipped=0.3)
    plain, careful = PerceptronCV().fit(X, y), PerceptronCV(class_weight={"no": 1, "yes": 20}).fit(X, y)
    assert (careful.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()


def test_several_classes_are_judged_together():
    X, y = load_iris(return_X_y=True)
    rule = PerceptronCV().fit(X, y)
    assert rule.coef_.shape == (3, 4)
    assert rule.score(X, y) > 0.95
    assert rule.cv_results_["error"].min() < 0.06


def test_separable_rows_are_separated_and_proved():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X, y = X[np.abs(X[:, 0]) > 0.5], X[np.abs(X[:, 0]) > 0.5][:, 0] > 0
    rule = PerceptronCV().fit(X, y)
    assert rule.stop_reason_ is Reason.SEPARATED
    assert separability(X, y).separable


def test_candidates_are_compared_on_a_sample_of_many_rows(monkeypatch):
    monkeypatch.setattr(cross_validated, "MOST_COMPARED", 200)
    X, y = noisy(n=1000)
    rule = PerceptronCV().fit(X, y)
    step = 1 / 200 / 3  # three times as many folds as of 1000 rows
    assert rule.cv_results_["error"] / step == pytest.approx(np.round(rule.cv_results_["error"] / step), abs=1.0)
    assert rule.cv_results_["errors"].shape[1] == 15
    assert rule.score(X, y) > 0.85


def test_a_model_file_keeps_the_choice(tmp_path):
    X, y = noisy()
    rule = PerceptronCV(families="saturating").fit(X, y)
    save_model(rule, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.choice_ == rule.choice_
    assert again.chosen_ == rule.chosen_
    assert again.weights_.tolist() == rule.weights_.tolist()
    assert clone(again).get_params() == rule.get_params()
    with pytest.raises(ModelError, match="cv"):
        save_model(PerceptronCV(cv=ShuffleSplit(2)).fit(X, y), tmp_path / "other.json")


@pytest.mark.parametrize(
    ("families", "names"),
    [
        ("pocket", ["pocket"]),
        ("averaged, soft", ["soft", "averaged"]),
        (["saturating", "averaged", "pocket"], ["saturating", "averaged", "pocket"]),
        (("soft",), ["soft"]),
    ],
)
def test_families_are_one_name_or_several(families, names, tmp_path):
    X, y = noisy(n=120)
    rule = PerceptronCV(families=families, cv=2).fit(X, y)
    tried = rule.cv_results_["candidates"]
    assert list(dict.fromkeys(candidate.family for candidate in tried)) == names
    assert rule.score(X, y) > 0.8
    save_model(rule, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.choice_ == rule.choice_
    assert again.weights_.tolist() == rule.weights_.tolist()
    expected = list(families) if isinstance(families, tuple) else families
    assert again.families == expected


def test_the_pocket_and_the_average_learn_the_same_rows_as_the_others():
    """A family that is learned by itself is judged by rules that learned from the rows of each split only."""
    X, y = noisy(n=200, d=3)
    splits = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.arange(100))]
    rule = PerceptronCV(families="averaged", cv=splits).fit(X, y)
    wrong = 0
    for learned, judged in splits:
        scale = X.mean(axis=0), X.std(axis=0)
        alone = AveragedPerceptron(random_state=0).fit((X[learned] - scale[0]) / scale[1], y[learned])
        wrong += (alone.predict((X[judged] - scale[0]) / scale[1]) != y[judged]).sum()
    assert rule.cv_results_["error"].tolist() == [wrong / 200]


def test_columns_in_other_units_change_nothing_for_the_average():
    X, y = noisy()
    plain = PerceptronCV(families="averaged").fit(X, y)
    scaled = PerceptronCV(families="averaged").fit(X * 2.0 ** np.array([-20, 0, 3, 30]), y)
    assert plain.cv_results_["error"].tolist() == scaled.cv_results_["error"].tolist()
    assert (plain.predict(X) == scaled.predict(X * 2.0 ** np.array([-20, 0, 3, 30]))).all()


def test_a_class_without_rows_that_count_is_never_predicted():
    X, y = load_iris(return_X_y=True)
    for families in ("auto", "averaged", "averaged,soft"):
        rule = PerceptronCV(families=families).fit(X, y, sample_weight=(y != 1).astype(float))
        assert set(rule.predict(X)) == {0, 2}
        assert rule.score(X[y != 1], y[y != 1]) == 1.0
        assert rule.stop_reason_ is Reason.COMPARED


def test_the_error_of_one_class_is_told():
    X, y = noisy(n=300)
    y[:240] = "no"
    rule = PerceptronCV().fit(X, y)
    share = (y == "yes").mean()
    assert f"(one class for every row errs on {share:.1%})" in rule.choice_
    weights = np.where(y == "yes", 9.0, 1.0)
    share = weights[y == "no"].sum() / weights.sum()
    beside = f"(one class for every row errs on {min(share, 1 - share):.1%})"
    assert beside in PerceptronCV().fit(X, y, weights).choice_


def test_when_time_is_up_the_best_so_far_is_the_rule(monkeypatch, tmp_path):
    X, y = noisy(n=400)
    whole = PerceptronCV().fit(X, y)
    looks = count()
    monkeypatch.setenv("ROSENBLATT_THREADS", "1")
    monkeypatch.setattr(cross_validated.timing, "now", lambda: next(looks) / 400)
    rule = PerceptronCV(max_seconds=1.0).fit(X, y)
    tried = rule.cv_results_["candidates"]
    assert 0 < len(tried) < 15
    assert rule.stop_reason_ is Reason.MAX_SECONDS
    assert len(rule.chosen_) == 1
    errors = dict(zip(whole.cv_results_["candidates"], whole.cv_results_["error"], strict=True))
    assert rule.cv_results_["error"].tolist() == [errors[candidate] for candidate in tried]
    assert rule.cv_results_["error"].min() == errors[rule.chosen_[0]]
    assert rule.stop_sentence().startswith(f"The time was up. Of {len(tried)} candidates, ")
    save_model(rule, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.stop_sentence() == rule.stop_sentence()
    assert again.max_seconds == 1.0
    assert rule.score(X, y) > 0.7


def test_without_time_for_any_candidate_there_is_a_rule():
    X, y = noisy()
    rule = PerceptronCV(max_seconds=1e-9).fit(X, y)
    told = "The time was up. No candidates were compared; the rule is the soft margin with ridge 0.01."
    assert rule.stop_sentence() == told
    assert rule.score(X, y) > 0.8


@pytest.mark.parametrize("pressed_at", [3, 300, 10**9])
def test_ctrl_c_keeps_the_best_so_far(pressed_at, monkeypatch):
    X, y = noisy(n=400)
    looks = count()

    @contextmanager
    def noted():
        yield lambda: next(looks) > pressed_at

    monkeypatch.setenv("ROSENBLATT_THREADS", "1")
    monkeypatch.setattr(cross_validated, "ctrl_c_noted", noted)
    rule = PerceptronCV()
    if pressed_at == 10**9:
        assert rule.fit(X, y).weights_.tolist() == PerceptronCV().fit(X, y).weights_.tolist()
        return
    with pytest.raises(KeyboardInterrupt):
        rule.fit(X, y)
    assert rule.stop_reason_ is Reason.INTERRUPTED
    assert len(rule.chosen_) == 1
    assert rule.score(X, y) > 0.8


@pytest.mark.parametrize("way", ["time", "Ctrl-C"])
def test_where_learning_from_all_rows_is_cut_short_the_rule_is_the_best_of_the_rows_compared(way, monkeypatch):
    X, y = noisy(n=1000)
    monkeypatch.setattr(cross_validated, "MOST_COMPARED", 200)
    whole, compare, compared = PerceptronCV().fit(X, y), comparison.compare, []

    @contextmanager
    def noted():
        yield lambda: way == "Ctrl-C" and bool(compared)

    def then_stop(*given):
        found = compare(*given)
        compared.append(found)
        return found

    monkeypatch.setattr(comparison, "compare", then_stop)
    monkeypatch.setattr(cross_validated, "ctrl_c_noted", noted)
    monkeypatch.setattr(cross_validated.timing, "now", lambda: 2.0 * bool(compared))
    rule = PerceptronCV(max_seconds=1.0 if way == "time" else None)
    with nullcontext() if way == "time" else pytest.raises(KeyboardInterrupt):
        rule.fit(X, y)
    assert rule.stop_reason_ is (Reason.MAX_SECONDS if way == "time" else Reason.INTERRUPTED)
    assert rule.cv_results_["error"].tolist() == whole.cv_results_["error"].tolist()
    assert rule.chosen_ == whole.chosen_[:1]
    found = compared[0]
    assert rule.weights_.tolist() == comparison.mean_weights(found.data, tuple(rule.chosen_))[0].tolist()


def test_bad_options_are_refused():
    X, y = noisy(n=20)
    for options in (
        {"cv": 1},
        {"cv": "five"},
        {"cv": 2.5},
        {"families": "best"},
        {"cv": None},
        {"families": []},
        {"families": ["soft", 3]},
        {"families": None},
        {"families": "soft,wide"},
        {"max_seconds": 0},
    ):
        with pytest.raises(OptionError, match=next(iter(options))):
            PerceptronCV(**options).fit(X, y)
    with pytest.raises(OptionError, match="cv"):
        PerceptronCV(cv=[(np.arange(20), np.arange(0))]).fit(X, y)


def test_one_row_that_counts_is_learned_without_a_comparison():
    rule = PerceptronCV().fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[0.0, 1.0, 0.0])
    assert rule.choice_ == "There are too few rows to compare candidates; the rule is the mean of all 15."
    assert rule.predict([[1.0]]).tolist() == [1]


def test_columns_of_the_smallest_numbers():
    X = [[5e-324, 1.0], [1e-323, 0.0], [0.0, 1.0], [5e-324, 0.0]] * 5
    assert np.isin(PerceptronCV().fit(X, [0, 1, 0, 1] * 5).predict(X), [0, 1]).all()
