"""Probabilities, curves and tests against scikit-learn's and SciPy's, on tables with ties and weights."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest, chi2_contingency, ks_2samp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    log_loss,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_auc_score,
    roc_curve,
)

from rosenblatt.judge import binomial, calibration, compare, curves, drift, reliability
from rosenblatt.judge.scored import Scored


class Score(ClassifierMixin, BaseEstimator):
    """Rows of scores, as a classifier that has learned already."""

    def __init__(self, classes=2):
        self.classes = classes

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.arange(self.classes), X.shape[1]
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0] if self.classes == 2 else np.asarray(X)

    def predict(self, X):
        scores = self.decision_function(X)
        return (scores > 0).astype(int) if self.classes == 2 else scores.argmax(axis=1)


@pytest.fixture(params=["distinct", "ties"])
def table(request, rng):
    scores = rng.normal(size=700)
    scores = np.round(scores, 1) if request.param == "ties" else scores
    return scores, rng.random(700) < 1 / (1 + np.exp(-1.5 * scores - 0.4)), rng.uniform(0.1, 4, 700)


@pytest.fixture(params=["weights", "none"])
def weights(request, table):
    return table[2] if request.param == "weights" else None


def test_areas(table, weights):
    scores, yes, _ = table
    rows = Scored.of(scores, yes, weights)
    assert curves.area(rows).value == pytest.approx(roc_auc_score(yes, scores, sample_weight=weights))
    wanted = average_precision_score(yes, scores, sample_weight=weights)
    assert curves.average_precision(rows) == pytest.approx(wanted)


def test_curves(table, weights):
    scores, yes, _ = table
    points = curves.curve(Scored.of(scores, yes, weights))
    of_no, of_yes, cut_offs = roc_curve(yes, scores, sample_weight=weights, drop_intermediate=False)
    assert points.cut_offs.tolist() == cut_offs.tolist()
    assert points.of_no == pytest.approx(of_no)
    assert points.of_yes == pytest.approx(of_yes)
    precision, recall, cut_offs = precision_recall_curve(yes, scores, sample_weight=weights)
    assert points.precision[1:][::-1] == pytest.approx(precision[:-1])
    assert points.of_yes[1:][::-1] == pytest.approx(recall[:-1])
    assert points.cut_offs[1:][::-1].tolist() == cut_offs.tolist()


def test_confusion(table, weights):
    scores, yes, _ = table
    said = scores >= 0.3
    found = curves.Confusion.at(0.3, Scored.of(scores, yes, weights))
    wanted = confusion_matrix(yes, said, sample_weight=weights)
    assert [found.true_no, found.false_yes, found.false_no, found.true_yes] == pytest.approx(wanted.ravel().tolist())
    assert found.precision == pytest.approx(precision_score(yes, said, sample_weight=weights))
    assert found.recall == pytest.approx(recall_score(yes, said, sample_weight=weights))
    assert found.f1 == pytest.approx(f1_score(yes, said, sample_weight=weights))
    codes, others = np.digitize(scores, [-0.5, 0.5]), yes.astype(int) + (scores > 1)
    several = curves.table_of(codes, others, 3, weights)
    assert np.array(several) == pytest.approx(confusion_matrix(others, codes, sample_weight=weights))


def test_losses(table, weights):
    scores, yes, _ = table
    p = 1 / (1 + np.exp(-scores))
    found = reliability.losses(reliability.given(p, yes, weights))
    assert found.brier.loss == pytest.approx(brier_score_loss(yes, p, sample_weight=weights))
    assert found.log.loss == pytest.approx(log_loss(yes, p, sample_weight=weights))


@pytest.mark.parametrize("bins", [3, 10, 50])
def test_bins_of_equal_width(table, bins):
    scores, yes, _ = table
    p = np.append(1 / (1 + np.exp(-scores)), [0.0, 1.0, 0.5, 0.1])
    yes = np.append(yes, [False, True, True, False])
    found = reliability.reliability(reliability.given(p, yes), bins, by="width")
    shares, means = calibration_curve(yes, p, n_bins=bins)
    assert [one.share for one in found] == pytest.approx(shares.tolist())
    assert [one.mean for one in found] == pytest.approx(means.tolist())


def test_isotonic(table, weights):
    scores, yes, _ = table
    found = calibration.isotonic(Scored.of(scores, yes, weights))
    peer = IsotonicRegression(out_of_bounds="clip").fit(scores, yes, sample_weight=weights)
    assert found.of(scores) == pytest.approx(peer.predict(scores))
    assert found.of([-99.0, 99.0]) == pytest.approx(peer.predict([-99.0, 99.0]))


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator")  # weights are for the calibration only: as here
def test_sigmoid(table, weights):
    scores, yes, _ = table
    model = Score().fit(scores[:, None], yes)
    peer = CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid", cv=None)
    peer.fit(scores[:, None], yes.astype(int), sample_weight=weights)
    found = calibration.sigmoid(Scored.of(scores, yes, weights))
    p = np.mean([one.predict_proba(scores[:, None])[:, 1] for one in peer.calibrated_classifiers_], axis=0)
    assert found.of(scores) == pytest.approx(p, abs=2e-4)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_several_classes(method, rng):
    scores = rng.normal(size=(600, 3))
    y = np.argmax(scores + rng.normal(size=(600, 3)), axis=1)
    peer = CalibratedClassifierCV(FrozenEstimator(Score(3).fit(scores, y)), method=method, cv=None).fit(scores, y)
    columns = [getattr(calibration, method)(Scored.of(column, y == k)) for k, column in enumerate(scores.T)]
    found = calibration.one_vs_rest(columns).of(scores)
    assert found.sum(axis=1) == pytest.approx(np.ones(600))
    assert found == pytest.approx(peer.predict_proba(scores), abs=2e-4)


@pytest.mark.parametrize(("count", "rows"), [(0, 9), (3, 9), (9, 9), (37, 1000), (12_345, 10**6)])
def test_limits(count, rows):
    wanted = binomtest(count, rows).proportion_ci(0.9, method="exact")
    assert binomial.interval(count, rows, 0.9) == pytest.approx((wanted.low, wanted.high), rel=1e-8)
    if count < rows:
        assert binomial.upper_limit(count, rows) == pytest.approx(beta.isf(0.05, count + 1, rows - count), rel=1e-8)
    for rate in (0.01, 0.03, 0.6):
        wanted = binomtest(count, rows, rate, alternative="less").pvalue
        assert binomial.p_value(count, rows, rate) == pytest.approx(wanted, rel=1e-8)


def test_mcnemar(rng):
    so, one, two = rng.integers(2, size=200), rng.integers(2, size=200), rng.integers(2, size=200)
    found = compare.compare(one, two, so)
    wanted = binomtest(found.only_first_right, found.only_first_right + found.only_second_right).pvalue
    assert found.p_value == pytest.approx(wanted)


def test_drift(rng):
    old, new = rng.choice(4, 500), rng.choice(4, 400, p=[0.3, 0.3, 0.2, 0.2])
    found = drift.of_values(old, new)
    counts = np.array([np.bincount(old), np.bincount(new)])
    assert found.test == drift.CHI_SQUARE
    assert found.p_value == pytest.approx(chi2_contingency(counts, correction=False).pvalue)
    assert drift.of_values(old[:12], new[:9]).test == drift.PERMUTATION
    numbers = rng.normal(size=300), rng.normal(0.3, 1, 200)
    assert drift.of_numbers(*numbers).p_value == ks_2samp(*numbers).pvalue
