"""What PerceptronCV(most_columns=...) promises."""

from itertools import count

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import DecisionRule, PerceptronCV, Reason, load_model
from rosenblatt.errors import ModelError, OptionError
from rosenblatt.learn.selection import few_columns
from rosenblatt.rules.linear import cross_validated
from rosenblatt.ship.file.modelfile import save_model

DEALT = "the check gives weights instead of copies, and folds are dealt out by rows, so copies fall into several"


@parametrize_with_checks(
    [PerceptronCV(most_columns=2, cv=3)],
    expected_failed_checks=lambda rule: {
        "check_sample_weight_equivalence_on_dense_data": DEALT,
        "check_sample_weight_equivalence_on_sparse_data": DEALT,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def rows(n=300, d=12, noise=0.5, seed=0):
    """Rows in which features 7, 2 and 5 count, in this order."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 7] * 3 + X[:, 2] * 2 - X[:, 5] + noise * rng.normal(size=n) > 0


def test_it_uses_the_columns_that_count_and_says_so():
    X, y = rows()
    rule = PerceptronCV(most_columns=5).fit(X, y)
    path = rule.column_path_
    assert rule.columns_ == path["added"][: path["used"]]
    assert rule.columns_[:3] == ["7", "2", "5"]
    assert np.flatnonzero(rule.coef_[0]).tolist() == sorted(map(int, rule.columns_))
    assert path["within_noise"] == 3
    assert path["of"] == 12
    assert len(path["error"]) == len(path["noise"]) == len(path["added"]) == 5
    assert path["error"][2] < path["error"][1] < path["error"][0]
    assert 0 < path["error_of_all"] < path["error"][1]
    used = path["used"]
    assert rule.choice_.startswith(
        f"The rule uses {used} columns of 12: of rules of 1 to 5 columns, one of {used} errs"
    )
    assert rule.score(X, y) > 0.9
    without = PerceptronCV().fit(X, y)
    assert without.columns_ is None
    assert without.column_path_ is None


def test_errors_are_honest_where_no_column_counts():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 300)), np.arange(120) % 2
    path = PerceptronCV(most_columns=4).fit(X, y).column_path_
    assert min(path["error"]) > 0.4  # the best of 300 columns of noise look far better on the rows that chose them


def test_all_columns_are_fine_and_so_are_more():
    X, y = rows(d=9)
    few, more = (PerceptronCV(most_columns=k).fit(X, y) for k in (9, 50))
    assert few.column_path_ == more.column_path_
    assert few.column_path_["error_of_all"] is None  # it is the last one
    assert few.coef_.tolist() == more.coef_.tolist()


def test_more_than_forty_are_not_looked_for():
    X, y = rows(n=60, d=45)
    assert len(PerceptronCV(most_columns=45, cv=2).fit(X, y).column_path_["added"]) == few_columns.MOST == 40


def test_features_of_one_column_go_in_together():
    X, y = rows()
    groups = ["a", "b", "c"] * 4  # 7 and so b, with 4; 2 and 5, so c
    rule = PerceptronCV(most_columns=2, feature_groups=groups).fit(X, y)
    assert sorted(rule.columns_) == ["b", "c"]
    assert not rule.coef_[0, ::3].any()
    assert rule.coef_[0, 1::3].all()
    numbered = PerceptronCV(most_columns=2, feature_groups=np.arange(12) % 3).fit(X, y)
    assert numbered.coef_.tolist() == rule.coef_.tolist()
    assert sorted(numbered.columns_) == ["1", "2"]


def test_names_of_features_are_names_of_columns():
    X, y = rows()
    rule = PerceptronCV(most_columns=3).fit(pd.DataFrame(X, columns=list("abcdefghijkl")), y)
    assert rule.columns_ == ["h", "c", "f"]


def test_sparse_rows_choose_what_dense_ones_do():
    rng = np.random.default_rng(1)
    X = np.where(rng.random((300, 30)) < 0.2, rng.integers(1, 4, size=(300, 30)), 0).astype(float)
    y = X[:, 3] * 2 + X[:, 8] - X[:, 20] + rng.normal(size=300) / 2 > 0.3
    dense, sparse = (PerceptronCV(most_columns=3).fit(given, y) for given in (X, sp.csr_array(X)))
    assert dense.columns_ == sparse.columns_
    assert dense.coef_ == pytest.approx(sparse.coef_, rel=1e-6)


def test_several_classes_share_the_columns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 8))
    y = np.argmax(np.column_stack([X[:, 1], X[:, 4], -X[:, 1] - X[:, 4]]) + rng.normal(size=(300, 3)) / 3, axis=1)
    rule = PerceptronCV(most_columns=2).fit(X, y)
    assert sorted(rule.columns_) == ["1", "4"]
    assert rule.coef_.shape == (3, 8)
    assert not np.delete(rule.coef_, [1, 4], axis=1).any()
    assert rule.score(X, y) > 0.8


def test_constraints_are_kept():
    X, y = rows()
    rule = PerceptronCV(most_columns=3, monotonic_cst=np.where(np.arange(12) == 7, -1, 1)).fit(X, y)
    assert rule.coef_[0, 7] == 0.0
    assert (rule.coef_ >= 0.0).all()
    assert "2" in rule.columns_
    free = PerceptronCV(most_columns=3, monotonic_cst=[0] * 7 + [1] + [0] * 4).fit(X, y)
    assert free.columns_ == ["7", "2", "5"]


def test_weights_of_rows_count():
    X, y = rows()
    Z, z = np.vstack([X, X[:, ::-1]]), np.append(y, y)  # the rows behind say 4, 9 and 6
    first, second = (
        PerceptronCV(most_columns=2).fit(Z, z, sample_weight=np.repeat(weights, 300)).columns_
        for weights in ([1.0, 1e-6], [1e-6, 1.0])
    )
    assert first == ["7", "2"]
    assert second == ["4", "9"]


def test_candidates_off_the_path_use_the_same_columns():
    X, y = rows(n=120)
    rule = PerceptronCV(most_columns=2, families="averaged", cv=2).fit(X, y)
    assert [each.family for each in rule.chosen_] == ["averaged"]
    assert np.flatnonzero(rule.coef_[0]).tolist() == [2, 7]


def test_a_rule_without_threshold_and_few_rows():
    X, y = rows(n=8)
    y[:4], y[4:] = False, True
    rule = PerceptronCV(most_columns=2, fit_intercept=False).fit(X, y)
    assert rule.intercept_.tolist() == [0.0]
    assert 1 <= np.count_nonzero(rule.coef_) <= 2
    alone = PerceptronCV(most_columns=2, cv=5).fit(X[[0, 7]], y[[0, 7]])
    assert 1 <= np.count_nonzero(alone.coef_) <= 2


@pytest.mark.parametrize("looks", [0, 1, 5, 20, 40, 60])
def test_time_that_is_up_leaves_a_rule_of_few_columns(looks, monkeypatch):
    X, y = rows()
    left = count(looks, -1)
    monkeypatch.setattr(cross_validated, "_late", lambda seconds: lambda share: next(left) < 0)
    rule = PerceptronCV(most_columns=4, max_seconds=9.0).fit(X, y)
    assert 1 <= np.count_nonzero(rule.coef_) <= 4
    assert rule.stop_reason_ in (Reason.MAX_SECONDS, Reason.COMPARED)
    path = rule.column_path_
    assert path["used"] <= len(path["added"])
    if rule.stop_reason_ is Reason.MAX_SECONDS and not path["error"]:
        assert "rules of fewer columns were not compared" in rule.choice_


def test_decisions_choose_the_columns_of_each_fold_anew():
    X, y = rows(n=400, noise=2.0)
    seen = []

    class Watched(PerceptronCV):
        def fit(self, X, y, sample_weight=None):
            fitted = super().fit(X, y, sample_weight)
            seen.append((len(y), tuple(self.columns_)))
            return fitted

    DecisionRule(Watched(most_columns=2), cv=3, method="sigmoid").fit(X, y)
    assert sorted(n for n, _ in seen) == [266, 267, 267, 400]
    assert all(1 <= len(columns) <= 2 for _, columns in seen)


def test_a_file_keeps_it_and_other_weights_are_refused(tmp_path):
    X, y = rows()
    rule = PerceptronCV(most_columns=3, feature_groups=[str(k) for k in range(12)]).fit(X, y)
    save_model(rule, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert again.columns_ == rule.columns_
    assert again.column_path_ == rule.column_path_
    assert again.get_params() == rule.get_params()
    assert again.choice_ == rule.choice_
    assert clone(again).fit(X, y).coef_.tolist() == rule.coef_.tolist()
    with pytest.raises(OptionError, match="the rule may use 7, 2, 5 only"):
        again.replace_weights(np.ones(13))
    rule.weights_[0, 0] = 1.0
    with pytest.raises(ModelError, match="columns that the rule may not use"):
        save_model(rule, tmp_path / "other.json")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"most_columns": 0}, "most_columns must be a whole number of at least 1, or None, not 0"),
        ({"most_columns": -3}, "most_columns must be a whole number"),
        ({"most_columns": 2.5}, "most_columns must be a whole number"),
        ({"feature_groups": ["a"]}, "feature_groups must be a number or a name for each of the 12 features"),
        ({"feature_groups": [0.5] * 12}, "feature_groups must be a number or a name"),
    ],
)
def test_wrong_requests_are_refused_in_words(options, words):
    with pytest.raises(OptionError, match=words):
        PerceptronCV(**options).fit(*rows())
