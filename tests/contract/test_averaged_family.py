"""The conventions of scikit-learn, and what the averaged, voted, margin and passive-aggressive rules promise."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import check_class_weight_classifiers, parametrize_with_checks

from rosenblatt import (
    AveragedPerceptron,
    Examples,
    Ledger,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    Reason,
    VotedPerceptron,
)
from rosenblatt.errors import DataError, LedgerError, OptionError
from rosenblatt.learn.passes import electorate
from rosenblatt.learn.run_state import spread_out

ORDER_DEPENDENT = (
    "the check reorders rows, and the algorithm depends on their order by definition; "
    "tests/oracle/test_averaged_family.py proves that weight k is k adjacent copies and 0 is absence, bit for bit"
)
FAMILY = {
    "averaged": AveragedPerceptron(),
    "voted": VotedPerceptron(),
    "vote averaged": VotedPerceptron(vote="averaged"),
    "vote last": VotedPerceptron(vote="last"),
    "vote random": VotedPerceptron(vote="random", random_state=0),
    "margin": MarginPerceptron(max_passes=30),
    "PA": PassiveAggressive(variant="PA", random_state=0),
    "PA-I": PassiveAggressive(shuffle=False),
    "PA-II averaged": PassiveAggressive(variant="PA-II", average=True, random_state=0),
}
TOO_FEW_PASSES = "the check raises max_iter for others; here that is max_passes, and is raised in a test of its own"
EVERY = pytest.mark.parametrize("rule", FAMILY.values(), ids=FAMILY.keys())
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@parametrize_with_checks(
    [
        *(FAMILY[name] for name in ("averaged", "voted", "vote random", "margin", "PA-I")),
        PassiveAggressive(variant="PA-II", average=True, normalize=True, shuffle=False),
    ],
    expected_failed_checks=lambda rule: {
        **({} if rule.shuffle == "auto" or rule.normalize else {"check_class_weight_classifiers": TOO_FEW_PASSES}),
        "check_sample_weight_equivalence_on_dense_data": ORDER_DEPENDENT,
        "check_sample_weight_equivalence_on_sparse_data": ORDER_DEPENDENT,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@EVERY
def test_scikit_learns_check_of_class_weights_with_more_passes(rule):
    check_class_weight_classifiers(type(rule).__name__, clone(rule).set_params(max_passes=100))


def separable(rng, n=300, d=5):
    X = rng.normal(size=(n, d))
    u = rng.normal(size=d)
    X = X[np.abs(X @ u - 0.2) > 0.2]
    return X, np.where(X @ u > 0.2, "yes", "no")


def overlapping(rng, n=200, d=4):
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0.2, "yes", "no")


@EVERY
def test_a_separating_rule_says_so_and_only_then(rule, rng):
    for X, y in (separable(rng), overlapping(rng)):
        fitted = clone(rule).fit(X, y)
        right = (fitted.predict(X) == y).all()
        assert fitted.stop_reason_ is (Reason.SEPARATED if right else Reason.MAX_PASSES)
        assert fitted.n_updates_ == len(fitted.ledger_)
        assert fitted.n_passes_ == fitted.ledger_.n_passes
        assert fitted.n_examples_seen_ == fitted.n_passes_ * len(X)
        replayed = fitted.ledger_.replay(Examples.of(X, y))
        assert replayed.tobytes() == fitted.last_weights_[0].tobytes()
    long = clone(rule).set_params(max_passes=2000).fit(*separable(rng))
    assert long.stop_reason_ is Reason.SEPARATED


@EVERY
@pytest.mark.parametrize("sizes", [[1] * 40, [7, 3, 30], [39, 1]])
@pytest.mark.parametrize("classes", [2, 3])
def test_any_chunks_of_a_stream_give_the_same_bits(rule, sizes, classes, rng):
    X, y = rng.normal(size=(40, 3)), rng.integers(classes, size=40)
    w = rng.integers(0, 3, size=40) + rng.choice([0.0, 0.3], size=40)
    whole = clone(rule).partial_fit(X, y, classes=range(classes), sample_weight=w)
    parts, at = clone(rule), 0
    for number, size in enumerate(sizes):
        piece = slice(at, at + size)
        held = sp.csr_array(X[piece]) if number % 2 else X[piece]
        parts.partial_fit(held, y[piece], classes=range(classes), sample_weight=w[piece])
        at += size
    assert parts.weights_.tobytes() == whole.weights_.tobytes()
    assert parts.last_weights_.tobytes() == whole.last_weights_.tobytes()
    assert (parts.n_updates_, parts.n_examples_seen_) == (whole.n_updates_, whole.n_examples_seen_)
    assert parts.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    assert parts.stop_reason_ is Reason.STREAM
    if classes == 2:
        assert parts.ledger_.replay(Examples.of(X, y, weights=w)).tobytes() == parts.last_weights_[0].tobytes()


@EVERY
def test_a_stream_goes_on_after_fit_as_one_more_pass(rule, rng):
    X, y = overlapping(rng)
    rule = clone(rule).set_params(shuffle=False)
    gone_on = clone(rule).set_params(max_passes=2).fit(X, y).partial_fit(X, y)
    at_once = clone(rule).set_params(max_passes=3).fit(X, y)
    assert gone_on.last_weights_.tobytes() == at_once.last_weights_.tobytes()
    assert gone_on.decision_function(X).tobytes() == at_once.decision_function(X).tobytes()


def told(rule, X):
    return rule.stop_reason_, rule.n_updates_, rule.weights_.tobytes(), rule.decision_function(X).tobytes()


@EVERY
def test_rows_sorted_by_class_are_spread_out_unless_told_otherwise(rule, rng):
    X, y = overlapping(rng)
    rule = clone(rule).set_params(shuffle="auto", max_passes=3)
    in_order = clone(rule).set_params(shuffle=False)
    assert told(clone(rule).fit(X, y), X) == told(clone(in_order).fit(X, y), X)
    by_class = np.argsort(y, kind="stable")
    X, y = X[by_class], y[by_class]
    met = spread_out(len(y))
    assert told(clone(rule).fit(X, y), X) == told(clone(in_order).fit(X[met], y[met]), X)
    with pytest.raises(OptionError, match="shuffle must be True, False, or 'auto', not 'some'"):
        clone(rule).set_params(shuffle="some").fit(X, y)


@pytest.mark.parametrize("rule", [AveragedPerceptron(), VotedPerceptron(), MarginPerceptron(max_passes=20)])
def test_a_sorted_table_is_learned_as_well_as_a_mixed_one(rule, rng):
    X = rng.normal(size=(2000, 10))
    y = (X.sum(axis=1) + 2.5 * rng.normal(size=2000) > 0).astype(int)
    by_class = np.argsort(y[:1000], kind="stable")
    mixed = clone(rule).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    as_sorted = clone(rule).fit(X[by_class], y[by_class]).score(X[1000:], y[1000:])
    assert as_sorted > mixed - 0.05


@EVERY
def test_a_stream_that_fails_changes_nothing(rule):
    X, y = np.eye(200), np.arange(200) % 2
    fitted = clone(rule).set_params(fit_intercept=False).partial_fit(X, y, classes=[0, 1])
    before, made = fitted.decision_function(X), len(fitted.ledger_)
    with pytest.raises(DataError, match=r"overflow|too large"):
        fitted.partial_fit(X * 1e306, 1 - y)
    with pytest.raises(DataError, match="row 1, column 0"):
        fitted.partial_fit(np.where(np.arange(X.size).reshape(X.shape) == 200, np.nan, X), y)
    assert fitted.decision_function(X).tobytes() == before.tobytes()
    assert len(fitted.ledger_) == made
    assert fitted.ledger_.n_rows == 200


@EVERY
def test_three_classes_are_learned_one_against_the_rest(rule, rng):
    X = rng.normal(size=(90, 2)) * 0.3 + np.repeat([[0, 4], [4, 0], [-4, -4]], 30, axis=0)
    y = np.repeat(["a", "b", "c"], 30)
    rest = {"multi_class": "one-vs-rest"} if isinstance(rule, AveragedPerceptron) else {}
    fitted = clone(rule).set_params(shuffle=False, **rest).fit(X, y)
    assert (fitted.predict(X) == y).all()
    assert fitted.decision_function(X).shape == (90, 3)
    for k, label in enumerate("abc"):
        alone = clone(fitted).fit(X, y == label)
        assert alone.weights_[0].tobytes() == fitted.weights_[k].tobytes()


def test_votes_of_several_classes_that_are_even_follow_the_average(rng):
    X, y, asked = rng.normal(size=(6, 2)), [0, 1, 2, 0, 1, 2], rng.normal(size=(500, 2))
    mean = AveragedPerceptron(max_passes=1, multi_class="one-vs-rest").fit(X, y)
    voted = VotedPerceptron(max_passes=1).fit(X, y)
    shares, scores = voted.decision_function(asked), mean.decision_function(asked)
    votes = 2 * np.rint(shares * 3)  # six looks, so the votes for yes less those for no are even
    assert (np.abs(shares * 6 - votes) < 0.5).all()
    best = votes == votes.max(axis=1, keepdims=True)
    assert (best.sum(axis=1) > 1).any()
    assert (voted.predict(asked) == np.where(best, scores, -np.inf).argmax(axis=1)).all()


@EVERY
def test_clone_and_pickle(rule, rng):
    X, y = overlapping(rng)
    fitted = clone(rule).fit(X, y)
    again, back = clone(fitted).fit(X, y), pickle.loads(pickle.dumps(fitted))
    for other in (again, back):
        assert other.decision_function(X).tobytes() == fitted.decision_function(X).tobytes()
        assert other.n_updates_ == fitted.n_updates_
    assert again.replay(X, y).tobytes() == fitted.last_weights_.tobytes()
    back.partial_fit(X, y)
    assert back.weights_.tobytes() == fitted.partial_fit(X, y).weights_.tobytes()
    assert back.replay(X, y).tobytes() == fitted.last_weights_.tobytes()  # its ledger began at the weights of the fit
    assert back.n_updates_ == fitted.n_updates_


@EVERY
def test_options_set_after_fit_do_not_change_predictions(rule, rng):
    X, y = overlapping(rng)
    fitted = clone(rule).fit(X, y)
    before = fitted.decision_function(X)
    changes = {"vote": "last", "variant": "PA", "C": 7.0, "average": True, "beta": 3.0, "ties": "plus"}
    fitted.set_params(bias_scale=10.0, fit_intercept=False, normalize=True)
    fitted.set_params(**{name: to for name, to in changes.items() if name in fitted.get_params()})
    assert fitted.decision_function(X).tobytes() == before.tobytes()


@EVERY
def test_bad_input_is_refused_by_name(rule, rng):
    X, y = overlapping(rng, n=20)
    for bad, message in ((np.nan, "row 3, column 1"), (np.inf, "row 3, column 1")):
        broken = X.copy()
        broken[3, 1] = bad
        with pytest.raises(DataError, match=message):
            clone(rule).fit(broken, y)
    with pytest.raises(DataError, match="one class only"):
        clone(rule).fit(X, ["yes"] * 20)
    with pytest.raises(DataError, match="row 0: the weight"):
        clone(rule).fit(X, y, sample_weight=-np.ones(20))
    with pytest.raises(DataError, match="weights of all rows are zero"):
        clone(rule).fit(X, y, sample_weight=np.zeros(20))
    with pytest.raises(ValueError, match="0 sample"):
        clone(rule).fit(X[:0], y[:0])
    with pytest.raises(OptionError, match="must be given all classes"):
        clone(rule).partial_fit(X, y)
    with pytest.raises(OptionError, match="max_passes"):
        clone(rule).set_params(max_passes=0).fit(X, y)
    with pytest.raises(NotFittedError):
        clone(rule).predict(X)
    fitted = clone(rule).fit(X, y)
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict(X[:, :3])


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (VotedPerceptron(vote="most"), "vote"),
        (MarginPerceptron(beta=-1), "beta"),
        (MarginPerceptron(beta=np.inf), "beta"),
        (MarginPerceptron(max_updates=0), "max_updates"),
        (PassiveAggressive(C=0), "C"),
        (PassiveAggressive(C=np.nan), "C"),
        (PassiveAggressive(variant="hinge"), "variant"),
        (AveragedPerceptron(ties="no"), "ties"),
        (AveragedPerceptron(start="one"), "start"),
    ],
)
def test_bad_options_are_refused(rule, name):
    with pytest.raises(OptionError, match=f"^{name} must be"):
        rule.fit([[0.0], [1.0]], [0, 1])


def test_values_beyond_the_range_of_floats_are_refused():
    X, y = np.array([[1e200], [-1e200], [2e200]]), [1, 0, 0]
    with pytest.raises(DataError, match="row 0: its length 1e\\+200 is too large"):
        PassiveAggressive().fit(X, y)
    with pytest.raises(DataError, match="row 0: its length 1e-200 is too small"):
        PassiveAggressive(fit_intercept=False).fit(X * 1e-200 * 1e-200, y)
    with pytest.raises(DataError, match="the average would overflow"):
        AveragedPerceptron().fit(X * 1e102, y)
    assert np.isfinite(AveragedPerceptron().fit(X, y).coef_).all()
    with pytest.raises(DataError, match="weights would overflow"):
        PassiveAggressive(start=[1e306], fit_intercept=False).fit([[1e3], [-1e3]], y[:2])
    with pytest.raises(OptionError, match="too many to shuffle"):
        AveragedPerceptron(shuffle=True).fit([[0.0], [1.0]], [0, 1], sample_weight=[2.0**32, 1])


def test_a_row_of_zeros_moves_nothing():
    fitted = PassiveAggressive(variant="PA", fit_intercept=False).fit([[0.0], [2.0], [-1.0]], [1, 1, 0])
    assert 0 not in fitted.ledger_.rows
    assert fitted.stop_reason_ is Reason.QUIET  # the row of zeros is on no side, whatever the passes
    assert fitted.n_passes_ < 10


def test_the_averaged_vote_is_the_averaged_perceptron(rng):
    X, y = overlapping(rng)
    voted, mean = VotedPerceptron(vote="averaged").fit(X, y), AveragedPerceptron().fit(X, y)
    assert voted.coef_.tobytes() == mean.coef_.tobytes()
    last = VotedPerceptron(vote="last", max_passes=4).fit(X, y)
    assert last.coef_.tobytes() == Perceptron(order="cyclic", max_passes=4).fit(X, y).coef_.tobytes()
    assert not hasattr(VotedPerceptron().fit(X, y), "coef_")


def test_the_random_vote_draws_by_the_votes(rng):
    X, y = overlapping(rng, n=60)
    examples = Examples.of(X, y)
    drawn = [VotedPerceptron(vote="random", max_passes=1, random_state=seed).fit(X, y) for seed in range(400)]
    votes, ledger = drawn[0].votes_, drawn[0].ledger_
    chances = {ledger.replay(examples, t).tobytes(): votes[t] / votes.sum() for t in range(votes.size) if votes[t]}
    shares = {key: sum(rule.weights_[0].tobytes() == key for rule in drawn) / 400 for key in chances}
    assert sum(shares.values()) == pytest.approx(1)
    assert max(abs(shares[key] - chances[key]) for key in chances) < 0.1


def test_margin_perceptron_with_beta_0_is_the_perceptron_and_says_what_was_not_reached(rng):
    X, y = separable(rng)
    zero = MarginPerceptron(beta=0).fit(X, y)
    assert zero.weights_.tobytes() == Perceptron(order="cyclic").fit(X, y).weights_.tobytes()
    assert zero.margin_reached_
    with pytest.warns(ConvergenceWarning, match="y .w . x. > 1e.06 was not reached.*2 passes"):
        short = MarginPerceptron(beta=1e6, max_passes=2).fit(X, y)
    assert not short.margin_reached_
    few = MarginPerceptron(beta=10, max_updates=3).fit(X, y)
    assert few.n_updates_ == 3
    assert few.stop_reason_ is Reason.MAX_UPDATES
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rule = MarginPerceptron(beta=2).fit(X, y)
    assert (np.where(y == "yes", 1, -1) * rule.decision_function(X) > 2).all()
    assert not rule.partial_fit(X, y).margin_reached_


def test_class_weights_are_sample_weights(rng):
    X, y = overlapping(rng, n=40)
    for rule in FAMILY.values():
        weighted = clone(rule).set_params(class_weight={"yes": 2, "no": 0.5}).fit(X, y)
        same = clone(rule).fit(X, y, sample_weight=np.where(y == "yes", 2, 0.5))
        assert weighted.decision_function(X).tobytes() == same.decision_function(X).tobytes()


def test_a_start_goes_on_where_a_run_ended(rng):
    X, y = overlapping(rng)
    first = PassiveAggressive(shuffle=False, max_passes=2).fit(X, y)
    second = PassiveAggressive(shuffle=False, max_passes=2, start=first.last_weights_).fit(X, y)
    assert second.weights_.tobytes() == PassiveAggressive(shuffle=False, max_passes=4).fit(X, y).weights_.tobytes()


def test_ledgers_of_steps_replay_and_come_back_from_a_file(rng, tmp_path):
    X, y = overlapping(rng, n=30)
    rule = PassiveAggressive(C=0.3, max_passes=2, random_state=0).fit(X, y)
    examples = Examples.of(X, y)
    states = list(rule.ledger_.steps(examples))
    assert len(states) == rule.n_updates_ + 1
    assert states[0].row == -1
    assert [state.row for state in states[1:]] == rule.ledger_.rows.tolist()
    for state in states:
        assert rule.ledger_.replay(examples, state.t).tobytes() == state.weights.tobytes()
    rule.ledger_.save(tmp_path / "ledger")
    again = type(rule.ledger_).load(tmp_path / "ledger")
    assert again.replay(examples).tobytes() == rule.ledger_.replay(examples).tobytes()
    with pytest.raises(LedgerError, match="not a ledger of this kind"):
        Ledger.load(tmp_path / "ledger")
    with pytest.raises(LedgerError, match="no state after"):
        rule.ledger_.replay(examples, rule.n_updates_ + 1)


def test_progress_is_shown_on_standard_error(capsys, monkeypatch):
    from rosenblatt import progress

    clock = iter(range(0, 10**9, 3))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    AveragedPerceptron(verbose=True, max_passes=50).fit([[1.0], [1.0]], [0, 1])
    captured = capsys.readouterr()
    assert "averaged perceptron: " in captured.err
    assert captured.out == ""


def test_what_a_vote_keeps_grows_with_the_corrected_rows_and_not_with_the_vectors(rng):
    X, y = overlapping(rng, n=500, d=50)
    voters = VotedPerceptron(max_passes=20).fit(X, y)._electorates[0]
    (chunk,) = voters._chunks
    assert len(chunk.rows.values) <= 500 < voters.votes.size
    single = VotedPerceptron()
    for x, label in zip(X, y, strict=True):
        single.partial_fit(x[None], [label], classes=["no", "yes"])
    assert len(single._electorates[0]._chunks) < 12


def test_blocks_of_vectors_do_not_change_a_vote(rng, monkeypatch):
    X, y = overlapping(rng)
    rule = VotedPerceptron().fit(X, y)
    expected = rule.decision_function(X)
    for numbers in (1, 64, 10**6):
        monkeypatch.setattr(electorate, "NUMBERS_IN_A_BLOCK", numbers)
        assert rule.decision_function(X).tobytes() == expected.tobytes()
        assert rule.decision_function(sp.csr_array(X)).tobytes() == expected.tobytes()
