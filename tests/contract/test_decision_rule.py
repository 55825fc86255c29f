"""The conventions of scikit-learn, and what DecisionRule promises beyond them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
    AveragedPerceptron,
    DecisionRule,
    PerceptronCV,
    PerceptronTree,
    PocketPerceptron,
    VotedPerceptron,
    load_model,
    save_model,
)
from rosenblatt.errors import DataError, ModelError, OptionError
from rosenblatt.judge.abstain import Count, Tolerance
from rosenblatt.judge.calibration import ByLead, Steps, VennAbers
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.judge.ladder import Rung

DEALT = "the check gives weights instead of copies, and folds are dealt out by rows, so copies fall into several"
OWN = "labels are the rule's own, or by cost: not where a probability reaches 1/2"
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@parametrize_with_checks(
    [DecisionRule(AveragedPerceptron(), cv=3), DecisionRule(LogisticRegression(), cv=3)],
    expected_failed_checks=lambda rule: {
        "check_sample_weight_equivalence_on_dense_data": DEALT,
        "check_sample_weight_equivalence_on_sparse_data": DEALT,
        "check_classifiers_train": OWN,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def overlapping(n=600, classes=2, seed=0):
    """Rows whose classes overlap, in no order; labels are texts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    scores = X[:, :classes] * 1.5 + rng.normal(size=(n, classes))
    return X, np.array(["bad", "good", "none"])[:classes][scores.argmax(axis=1)]


class Remembering(LogisticRegression):
    """A classifier that remembers which rows it was ever fitted on: the first column of X has their numbers."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        Remembering.seen.append(set(X[:, 0].tolist()))
        return super().fit(X[:, 1:], y, sample_weight)

    def predict(self, X):
        return super().predict(X[:, 1:] if X.shape[1] > self.n_features_in_ else X)

    def decision_function(self, X):
        return super().decision_function(X[:, 1:] if X.shape[1] > self.n_features_in_ else X)


# -- what it learns and from which rows ----------------------------------------------------------------------------


def test_the_rule_learns_from_all_rows_and_its_labels_are_its_own():
    X, y = overlapping()
    rule = DecisionRule(AveragedPerceptron()).fit(X, y)
    alone = AveragedPerceptron().fit(X, y)
    assert rule.estimator_.weights_.tolist() == alone.weights_.tolist()
    assert rule.predict(X).tolist() == alone.predict(X).tolist()
    assert rule.coverage_ == 1.0
    assert rule.decided(X).all()
    assert rule.decision_.rung is None
    assert rule.score(X, y) == alone.score(X, y)


@pytest.mark.parametrize("how", [{"at_most": 0.3}, {"method": "venn-abers"}, {}])
def test_rows_kept_apart_are_learned_from_by_no_rule(how):
    X, y = overlapping()
    numbered = np.column_stack([np.arange(len(y)), X])
    Remembering.seen = []
    rule = DecisionRule(Remembering(), cv=4, validation_fraction=0.25, **how).fit(numbered, y)
    used, *of_folds = Remembering.seen
    assert len(of_folds) == 4
    assert all(part < used for part in of_folds)
    assert set.union(*of_folds) == used
    apart = np.array(sorted(set(range(len(y))) - {int(k) for k in used}))
    assert len(apart) == (150 if how else 0)
    if "at_most" in how:  # and the counts of the guarantee are theirs
        said = rule.predict(numbered[apart])
        (count,) = rule.guarantee_.claims
        decided = said != ASK_A_PERSON
        assert count == Count(Tolerance(0.3), int((said != y[apart])[decided].sum()), int(decided.sum()))
        assert rule.coverage_ == pytest.approx(decided.mean())
        assert "at most 30% of the rows decided are wrong" in rule.statement_


def test_scores_of_folds_make_the_tables():
    """A frozen classifier scores every row alike, so its own scores are calibrated."""
    X, y = overlapping()
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    rule = DecisionRule(frozen, method="isotonic").fit(X, y)
    scores = frozen.decision_function(X)
    p = rule.predict_proba(X)[:, 1]
    order = np.argsort(scores)
    assert (np.diff(p[order]) >= 0).all()
    for value in np.unique(p):  # isotonic: of the rows with a probability, so many are yes
        assert (y[p == value] == "good").mean() == pytest.approx(value)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "merged", "venn-abers", "auto"])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_its_decision(method, classes):
    X, y = overlapping(classes=classes)
    rule = DecisionRule(AveragedPerceptron(), method=method).fit(X, y)
    p = rule.predict_proba(X)
    assert p.shape == (600, classes)
    assert np.allclose(p.sum(axis=1), 1)
    made = rule.decision_.probabilities(rule.estimator_.decision_function(X))
    assert p[:, 1].tolist() == (made if classes == 2 else made[:, 1]).tolist()
    assert isinstance(rule.decision_.probability, ByLead if classes > 2 else VennAbers if "v" in method else Steps)
    assert hasattr(rule, "predict_interval") == (method == "venn-abers")
    if method == "venn-abers":
        ends = rule.predict_interval(X)
        assert ends.shape == ((600, 2) if classes == 2 else (600, 3, 2))
        assert (ends[..., 0] < ends[..., 1]).all()
        if classes == 2:
            assert ((ends[:, 0] <= p[:, 1]) & (p[:, 1] <= ends[:, 1])).all()


def test_the_method_chosen_depends_on_weights():
    X, y = overlapping()
    for weights, method in ((None, "merged"), (np.ones(600), "sigmoid")):
        auto, named = (DecisionRule(LogisticRegression(), method=m).fit(X, y, weights) for m in ("auto", method))
        assert auto.decision_ == named.decision_


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        PocketPerceptron(random_state=0),
        VotedPerceptron(),
        PerceptronTree(random_state=0),
        RandomForestClassifier(20, random_state=0),
        SVC(),
        make_pipeline(StandardScaler(), AveragedPerceptron()),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("classes", [2, 3])
def test_any_rule_and_any_classifier(estimator, classes):
    X, y = overlapping(300, classes)
    rule = DecisionRule(estimator, at_most=0.4, cv=3, validation_fraction=0.3).fit(X, y)
    assert set(rule.predict(X)) <= {*rule.classes_, ASK_A_PERSON}
    assert rule.predict_proba(X).shape == (300, classes)
    assert rule.n_features_in_ == 4


# -- cut-offs ------------------------------------------------------------------------------------------------------


def test_a_cost_moves_the_cut_off():
    X, y = overlapping()
    rules = [DecisionRule(AveragedPerceptron(), cost=cost).fit(X, y) for cost in (None, {"bad": 9}, {"good": 9})]
    plain, careful, bold = (float((rule.predict(X) == "good").mean()) for rule in rules)
    assert careful < plain < bold
    assert "if a false good costs 9 and a false bad 1" in rules[1].statement_
    assert all(rule.decided(X).all() for rule in rules)


def test_a_rate_says_yes_to_about_so_many():
    X, y = overlapping()
    rule = DecisionRule(AveragedPerceptron(), rate=0.1).fit(X, y)
    assert 0.05 < (rule.predict(X) == "good").mean() < 0.15
    assert "It says good at a score of " in rule.statement_
    assert "is the nearest to the 10.00% asked for" in rule.statement_


def test_a_cut_off_that_says_the_same_of_every_row_is_told():
    X, y = overlapping()
    y[np.argsort(X[:, 1] - X[:, 0])[-60:]] = "bad"  # also the rows that look best
    rule = DecisionRule(LogisticRegression(), cost={"bad": 1e6}).fit(X, y)
    assert "Saying bad to every row costs least" in rule.statement_
    assert set(rule.predict(X)) == {"bad"}


def test_cut_offs_of_trees_lie_between_the_shares_of_leaves():
    """The trees of the folds have other shares than the tree that is kept."""
    X, y = load_breast_cancer(return_X_y=True)
    rule = DecisionRule(PerceptronTree(random_state=0), cost={0: 10}).fit(X, y)
    assert 0 < (rule.predict(X) == 1).mean() < 1


@pytest.mark.parametrize(
    ("undecided", "labels", "kind"),
    [(ASK_A_PERSON, "text", "U"), ("?", "text", "U"), (-1, "number", "i"), (None, "text", "O"), ("?", "number", "O")],
)
def test_rows_left_to_people_get_the_label_that_was_named(undecided, labels, kind):
    X, y = overlapping(2000)
    y = y if labels == "text" else (y == "good").astype(int)
    rule = DecisionRule(LogisticRegression(), at_most=0.15, undecided=undecided).fit(X, y)
    said, decided = rule.predict(X), rule.decided(X)
    assert said.dtype.kind == kind
    assert 0 < decided.mean() < 1
    assert set(said[~decided].tolist()) == {undecided}
    assert set(said[decided].tolist()) == set(np.unique(y).tolist())
    assert rule.score(X, y) == (said == y)[decided].mean()


def test_classes_may_have_rates_of_their_own():
    X, y = overlapping(1500)
    limits = {"bad": 0.15, "said:bad": 0.35}
    rule = DecisionRule(LogisticRegression(), at_most=limits, validation_fraction=0.4).fit(X, y)
    assert "at most 15% of the rows that are bad are labelled good" in rule.statement_
    assert "at most 35% of the rows labelled bad are good" in rule.statement_
    single = DecisionRule(LogisticRegression(), at_most={"bad": 0.15}, validation_fraction=0.4).fit(X, y)
    assert single.decided(X).all()  # one cut-off is enough where errors of one kind are limited


def test_what_cannot_be_shown_is_left_to_people():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.integers(2, size=500)
    rule = DecisionRule(LogisticRegression(), at_most=0.05).fit(X, y)
    assert rule.coverage_ == 0.0
    assert "Every row is left to people" in rule.statement_
    assert not rule.decided(X).any()
    assert np.isnan(rule.score(X, y))


# -- rows ----------------------------------------------------------------------------------------------------------


def test_sparse_tables_and_frames_and_pipelines():
    X, y = overlapping()
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense = DecisionRule(AveragedPerceptron(), at_most=0.2).fit(X, y)
    sparse = DecisionRule(AveragedPerceptron(), at_most=0.2).fit(sp.csr_array(X), y)
    assert dense.predict_proba(X).tolist() == sparse.predict_proba(sp.csr_array(X)).tolist()
    assert dense.statement_ == sparse.statement_
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = DecisionRule(make_pipeline(StandardScaler(), AveragedPerceptron())).fit(frame, pd.Series(y))
    assert named.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        named.predict(frame[["b", "a", "c", "d"]])


def test_weights_reach_the_rule_and_the_tables():
    X, y = overlapping()
    weights = np.where(y == "good", 4.0, 1.0)
    rule = DecisionRule(LogisticRegression()).fit(X, y, sample_weight=weights)
    plain = DecisionRule(LogisticRegression()).fit(X, y)
    assert rule.estimator_.coef_.tolist() == LogisticRegression().fit(X, y, weights).coef_.tolist()
    assert rule.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1


def test_rows_of_weight_0_are_no_rows_of_a_guarantee():
    X, y = overlapping()
    weights = np.where(np.arange(600) < 300, 0.0, 2.0)
    rule = DecisionRule(LogisticRegression(), at_most=0.3).fit(X, y, sample_weight=weights)
    assert rule.guarantee_.n == 60


@pytest.mark.parametrize("cv", [3, StratifiedKFold(3), ShuffleSplit(4, random_state=0), "pairs"])
def test_folds(cv):
    X, y = overlapping(900)
    cv = list(StratifiedKFold(3).split(X, y)) if cv == "pairs" else cv
    found, usual = (DecisionRule(LogisticRegression(), method="sigmoid", cv=each).fit(X, y) for each in (cv, 5))
    assert found.predict_proba(X) == pytest.approx(usual.predict_proba(X), abs=0.1)


def test_the_seed_decides_which_rows_are_kept_apart():
    X, y = overlapping()
    one, again, other = (DecisionRule(LogisticRegression(), at_most=0.2, random_state=k).fit(X, y) for k in (0, 0, 1))
    assert one.statement_ == again.statement_
    assert one.statement_ != other.statement_


def test_it_is_searched_and_cloned():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(DecisionRule(AveragedPerceptron()), {"estimator__max_passes": [1, 5], "cv": [3]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.8
    assert clone(DecisionRule(PerceptronCV(), at_most=0.1)).at_most == 0.1
    inner = CalibratedClassifierCV(DecisionRule(AveragedPerceptron()), cv=2).fit(X, y)
    assert inner.predict_proba(X).shape == (150, 3)


# -- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("estimator", [AveragedPerceptron(), PerceptronTree(random_state=0)])
def test_a_file_keeps_the_rule_and_the_decision(estimator, classes, tmp_path):
    X, y = overlapping(classes=classes)
    rule = DecisionRule(estimator, at_most=0.3, method="venn-abers").fit(X, y)
    save_model(rule, tmp_path / "rule.json")
    again = load_model(tmp_path / "rule.json")
    assert type(again) is DecisionRule
    assert again.decision_ == rule.decision_
    assert again.predict(X).tolist() == rule.predict(X).tolist()
    assert again.predict_proba(X).tolist() == rule.predict_proba(X).tolist()
    assert again.predict_interval(X).tolist() == rule.predict_interval(X).tolist()
    save_model(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "rule.json").read_bytes()


def test_what_is_no_rule_of_this_package_is_not_saved(tmp_path):
    X, y = overlapping(100)
    with pytest.raises(ModelError, match="LogisticRegression"):
        save_model(DecisionRule(LogisticRegression()).fit(X, y), tmp_path / "rule.json")
    with pytest.raises(OptionError, match="this DecisionRule has not learned yet"):
        save_model(DecisionRule(), tmp_path / "rule.json")


def test_a_decision_without_probabilities_has_none():
    rule = DecisionRule.of(AveragedPerceptron().fit(*overlapping(50)), Decision(Rung(0.0, 1.0)))
    assert not hasattr(rule, "predict_proba")
    assert not hasattr(rule, "predict_interval")
    assert rule.predict(overlapping(50)[0]).size == 50


# -- what is refused -----------------------------------------------------------------------------------------------


class Mute(ClassifierMixin, BaseEstimator):
    """A classifier without scores."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cost": {"worse": 2}}, OptionError, "cost names the class 'worse', but the classes are bad, good"),
        ({"cost": {"bad": -1}}, OptionError, "the cost of 'bad' must be a number of at least 0"),
        ({"cost": 5}, OptionError, "cost must be a dict, as {'bad': 5}, or None, not 5"),
        ({"rate": 2}, OptionError, "rate must be a number above 0 and below 1"),
        ({"rate": 0.1, "at_most": 0.1}, OptionError, "rate sets the cut-off"),
        ({"cost": {"bad": 2}, "at_most": 0.1}, OptionError, "at_most sets the cut-offs, whatever mistakes cost"),
        ({"at_most": 5}, OptionError, "at_most must be a number above 0 and below 1"),
        ({"at_most": {"worse": 0.1}}, OptionError, "at_most names 'worse'; it takes 'bad', 'good', 'said:bad'"),
        ({"at_most": 0.1, "undecided": "good"}, OptionError, "undecided must not be a class, as 'good' is"),
        ({"at_most": 0.001}, DataError, "takes at least 2,995 such rows, all without an error, but there are 120"),
        ({"confidence": 2}, OptionError, "confidence must be a number"),
        (
            {"method": "platt"},
            OptionError,
            "method must be one of 'auto', 'sigmoid', 'isotonic', 'merged', 'venn-abers'",
        ),
        ({"validation_fraction": 1}, OptionError, "validation_fraction must be a number above 0 and below 1"),
        ({"cv": 1}, OptionError, "cv must be a whole number of at least 2"),
        ({"cv": "five"}, OptionError, "cv must be a whole number"),
        ({"cv": []}, OptionError, "cv has no fold"),
        ({"estimator": Mute()}, OptionError, "Mute has neither decision_function nor predict_proba"),
        ({"estimator": SVC(decision_function_shape="ovo")}, None, ""),
    ],
)
def test_wrong_options_are_refused_by_name(options, error, message):
    X, y = overlapping()
    if error is None:
        DecisionRule(**options).fit(X, y)
        return
    with pytest.raises(error) as caught:
        DecisionRule(**({"estimator": LogisticRegression()} | options)).fit(X, y)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_rows_are_refused():
    X, y = overlapping(60)
    rule = DecisionRule(LogisticRegression())
    with pytest.raises(DataError, match="y has one class, 'bad'"):
        rule.fit(X, ["bad"] * 60)
    rare = np.where(np.arange(60) < 3, "bad", "good")
    with pytest.raises(DataError, match="class 'bad' has 3 training rows"):
        rule.fit(X, rare)
    with pytest.raises(DataError, match="at_most counts rows, which must all count the same"):
        DecisionRule(LogisticRegression(), at_most=0.5).fit(X, y, sample_weight=np.arange(60.0))
    with pytest.raises(DataError, match="venn-abers counts rows"):
        DecisionRule(LogisticRegression(), method="venn-abers").fit(X, y, sample_weight=np.arange(60.0))
    with pytest.raises(DataError, match="row 3: the weight is -1; weights must be at least 0"):
        rule.fit(X, y, sample_weight=np.where(np.arange(60) == 3, -1.0, 1.0))
    X3, y3 = overlapping(90, classes=3)
    for name, value in (("cost", {"bad": 2}), ("rate", 0.2)):
        with pytest.raises(OptionError, match=f"{name} moves the cut-off between two classes, but there are 3"):
            DecisionRule(LogisticRegression(), **{name: value}).fit(X3, y3)
    with pytest.raises(OptionError, match="it takes one rate for all rows"):
        DecisionRule(LogisticRegression(), at_most={"bad": 0.2}).fit(X3, y3)
    without_bad = [(np.flatnonzero(y3 != "bad"), np.arange(5))]
    with pytest.raises(DataError, match="do not contain every class"):
        DecisionRule(LogisticRegression(), cv=without_bad).fit(X3, y3)
    with pytest.raises(OptionError, match="takes no sample weights"):
        DecisionRule(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y, sample_weight=np.ones(60))


@pytest.mark.parametrize(
    ("weights", "words"),
    [(0.0, "weights of all rows are zero"), (-1.0, "must be at least 0"), (np.nan, "must be finite")],
)
def test_weights_that_are_refused(weights, words):
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    with pytest.raises(DataError, match=words):
        DecisionRule().fit(X, y, sample_weight=np.full(40, weights))
