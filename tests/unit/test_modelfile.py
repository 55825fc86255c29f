"""The model file: every estimator comes back to the last bit, and goes on as if it had never been away."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import cases
import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    Examples,
    KernelPerceptron,
    LiftedPerceptron,
    MarginPerceptron,
    OnlinePerceptron,
    PassiveAggressive,
    Perceptron,
    PerceptronCV,
    PocketPerceptron,
    SoftMarginPerceptron,
    VotedPerceptron,
)
from rosenblatt.desk.load import load_model
from rosenblatt.errors import ModelError
from rosenblatt.registry import NAMED
from rosenblatt.ship.file.modelfile import save_model
from rosenblatt.ship.file.options import kinds_kept

pytestmark = pytest.mark.usefixtures("no_convergence_warning")

RULES = [
    Perceptron(max_passes=20, random_state=5, order="random-mistake"),
    Perceptron(max_passes=20, ties="plus", normalize=True, bias_scale="auto"),
    PocketPerceptron(max_updates=60, random_state=1),
    LiftedPerceptron(a=0.5),
    SoftMarginPerceptron(C=0.5),
    PerceptronCV(families="soft", cv=3),
    AveragedPerceptron(max_passes=3),
    VotedPerceptron(max_passes=2),
    VotedPerceptron(max_passes=2, vote="random", random_state=3),
    MarginPerceptron(max_passes=5, beta=2),
    PassiveAggressive(random_state=0, variant="PA-II", C=0.3),
    PassiveAggressive(random_state=0, average=True),
    KernelPerceptron(max_passes=5),
    KernelPerceptron(max_passes=5, budget=6, random_state=1, kernel="poly", degree=2, gamma=0.1, fit_intercept=True),
    KernelPerceptron(max_passes=5, average=True, kernel="cosine"),
]
RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 4)) * (RNG.random((40, 4)) < 0.7)
TWO = np.where(X @ [1, -1, 2, 0.5] + RNG.normal(size=40) > 0, "yes", "no")
THREE = RNG.integers(-1, 2, 40)


def again(rule, tmp_path, **about):
    save_model(rule, tmp_path / "m", **about)
    return load_model(tmp_path / "m")


def same_bits(a, b, rows=X):
    assert a.decision_function(rows).tobytes() == b.decision_function(rows).tobytes()
    assert a.predict(rows).tolist() == b.predict(rows).tolist()
    assert a.predict(rows).dtype == b.predict(rows).dtype


def shown(rule):
    """The public attributes, but for the record of the run."""
    found = {name: value for name, value in vars(rule).items() if name.endswith("_") and name[0] != "_"}
    for name in ("ledger_", "forgotten_", "certificate_", "support_vectors_", "stop_reason_"):
        found.pop(name, None)
    if isinstance(rule, SoftMarginPerceptron):
        found.pop("support_", None)  # as long as the data: files leave it out
    return {name: np.asarray(value, float if name != "classes_" else None).tolist() for name, value in found.items()}


def name_of(rule):
    return repr(rule).replace("\n", "")[:70]


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_every_rule_comes_back_to_the_last_bit(rule, y, tmp_path):
    for _, table in cases.containers(X.astype(np.float32).astype(float)):
        rule = clone(rule).fit(table, y)
        back = again(rule, tmp_path)
        (tmp_path / "m").unlink()
        assert type(back) is type(rule)
        assert back.get_params() == rule.get_params()
        assert back.stop_reason_ is rule.stop_reason_
        same_bits(rule, back)
        if not isinstance(rule, LiftedPerceptron):
            assert shown(back) == shown(rule)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("rule", [r for r in RULES if hasattr(r, "partial_fit")], ids=name_of)
@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
def test_learning_goes_on_as_if_nothing_had_happened(rule, y, begin, tmp_path):
    rule = clone(rule).set_params(bias_scale=1.0)
    if begin == "fit":
        rule.fit(X[:20], y[:20])
    else:
        rule.partial_fit(X[:20], y[:20], classes=np.unique(y))
    back = again(rule, tmp_path)
    for some in (slice(20, 33), slice(33, 40)):
        rule.partial_fit(X[some], y[some])
        back.partial_fit(X[some], y[some])
        assert rule.weights_.tobytes() == back.weights_.tobytes()
        assert shown(rule) == shown(back)
        same_bits(rule, back)
    save_model(rule, tmp_path / "a")
    save_model(back, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_ledger_begins_at_the_loaded_weights(tmp_path):
    rule = Perceptron(max_passes=20).fit(X[:20], TWO[:20])
    back = again(rule, tmp_path)
    assert len(back.ledger_) == 0
    assert back.n_updates_ == rule.n_updates_ > 0
    back.partial_fit(X[20:], TWO[20:])
    assert back.ledger_.replay(Examples.of(X[20:], TWO[20:])).tobytes() == back.weights_[0].tobytes()
    assert pickle.loads(pickle.dumps(back)).partial_fit(X, TWO).n_updates_ > back.n_updates_ > rule.n_updates_
    assert back.fit(X[:20], TWO[:20]).n_updates_ == rule.n_updates_


def test_a_precomputed_kernel_comes_back(tmp_path):
    rule = KernelPerceptron(kernel="precomputed", max_passes=3).fit(X @ X.T, TWO)
    back = again(rule, tmp_path)
    same_bits(rule, back, X[:7] @ X.T)
    assert back.support_vectors_ is None
    assert back.support_.tolist() == rule.support_.tolist()


def test_a_rule_says_the_same_after_a_change_of_its_options(tmp_path):
    rule = Perceptron(ties="plus", normalize=True, max_passes=20).fit(X, TWO)
    rule.set_params(ties="mistake", normalize=False, bias_scale=9.0)
    back = again(rule, tmp_path)
    assert back.ties == "mistake"
    same_bits(rule, back, np.vstack([X, np.zeros((1, 4))]))


def test_weights_that_were_changed_are_kept(tmp_path):
    rule = AveragedPerceptron().fit(X, TWO)
    rule.weights_ = rule.weights_.astype(np.float32).astype(float)
    rule._expose()
    same_bits(rule, again(rule, tmp_path))


def test_rules_that_only_followed_a_stream(tmp_path):
    rule = AveragedPerceptron().partial_fit(X[:1], [1], classes=[0, 1])
    same_bits(rule, again(rule, tmp_path))
    (tmp_path / "m").unlink()
    assert not hasattr(again(Perceptron().partial_fit(X[:1], [1], classes=[0, 1]), tmp_path), "certificate_")


# -- the stream ------------------------------------------------------------------------------------------------

STREAM = [({"a": 1, "b": 2.5}, 1), ({"b": -1, "ü": 0.1}, 0), ({"a": -3, 7: 1}, 1), ({"ü": 2, "a": 1}, 0)] * 3


@pytest.mark.parametrize("mode", ["perceptron", "averaged", "PA", "PA-I", "PA-II"])
@pytest.mark.parametrize("rows", ["named", "dense", "sparse", "none"])
def test_a_stream_goes_on(mode, rows, tmp_path):
    options = {"ledger": 4, "fit_intercept": mode != "PA"}
    if mode == "averaged" and rows == "named":
        options |= {"comparator": ({"a": 1.0, None: -2}, 0.5), "ledger": "all"}
    rule = OnlinePerceptron(mode=mode, **options)
    stream = [(np.array([x.get(k, 0) for k in ("a", "b", "ü")]), y) for x, y in STREAM] if rows == "dense" else STREAM
    stream = [(([0, k + 2], [1.5, k]), y) for k, (_, y) in enumerate(STREAM)] if rows == "sparse" else stream
    for x, y in stream[: 0 if rows == "none" else 6]:
        rule.learn_one(x, y)
    back = again(rule, tmp_path)
    for x, y in stream:
        assert rule.learn_one(x, y) == back.learn_one(x, y)
    assert rule.get_state() == back.get_state()
    assert [rule.score_one(x) for x, _ in stream] == [back.score_one(x) for x, _ in stream]


def test_labels_of_a_stream_keep_their_type(tmp_path):
    for classes in [(False, True), (0, 1), (-1.0, 1.0), ("no", "yes"), (np.str_("a"), np.str_("b"))]:
        rule = OnlinePerceptron(classes=classes)
        rule.learn_one([1.0], classes[0])
        (tmp_path / "m").unlink(missing_ok=True)
        back = again(rule, tmp_path)
        assert back.predict_one([1.0]) == classes[0]
        assert type(back.classes_[0]) is type(classes[0].item() if isinstance(classes[0], np.generic) else classes[0])


def test_rivers_rule_is_saved_by_what_is_inside(tmp_path):
    pytest.importorskip("river")
    rule = rosenblatt.RiverPerceptron()
    rule.learn_one({"a": 1}, True)
    with pytest.raises(ModelError, match="save its `rule` instead"):
        save_model(rule, tmp_path / "m")
    assert again(rule.rule, tmp_path).weights_.tolist() == rule.rule.weights_.tolist()


# -- classes and options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "much longer than the longest"])[[0, 0]].astype("U40") + np.array(["", "é\U0001f600"]),
        np.array(["b", "a"], object),
        np.array([True, False]),
        np.array([3, -(2**63)]),
        np.array([0, 2**64 - 1], np.uint64),
        np.array([7, 200], np.uint8),
        np.array([1.0, -0.0]),
        np.array([1.0, 2.0**24], np.float32),
        np.array([1.0, 3.0], np.float16),
        np.array([0, 1, 5, 2]),
    ],
    ids=repr,
)
def test_labels_come_back_with_their_type(labels, tmp_path):
    y = labels[np.arange(40) % labels.size]
    rule = Perceptron(max_passes=3).fit(X, y)
    back = again(rule, tmp_path)
    assert back.classes_.dtype == rule.classes_.dtype
    assert list(map(repr, back.classes_.tolist())) == list(map(repr, rule.classes_.tolist()))
    same_bits(rule, back)


@pytest.mark.parametrize(
    "labels", [np.array([b"no", b"yes"]), np.array(["2020", "2021"], "datetime64[Y]"), np.array(["a", "\ud800"])]
)
def test_labels_that_json_cannot_hold_are_refused(labels, tmp_path):
    rule = Perceptron(max_passes=3).fit(X, np.arange(40) % 2)
    rule.classes_ = labels
    with pytest.raises(ModelError, match=r"classes|surrogate"):
        save_model(rule, tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_the_tables_know_every_option_of_every_estimator():
    for name in NAMED:
        assert list(kinds_kept(name)) == list(inspect.signature(getattr(rosenblatt, name)).parameters)


OPTIONS = [
    {"start": np.array([0.1, -0.0, 5e-324, 1e300])},
    {"start": [1, 2, 3, 4, 5]},
    {"class_weight": {"no": 2, "yes": 0.5}},
    {"class_weight": "balanced"},
    {"random_state": np.int64(4)},
    {"random_state": 2**127},
    {"max_passes": None, "max_updates": np.int32(9), "max_seconds": np.float32(0.1)},
    {"fit_intercept": np.False_, "verbose": 0},
    {"max_updates": "bound", "margin": 0.1, "max_passes": 4},
]


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_options_come_back(options, tmp_path):
    rule = Perceptron(**{"max_passes": 4, **options}).fit(X, TWO)
    back = again(rule, tmp_path)
    for name, value in rule.get_params().items():
        assert np.array_equal(getattr(back, name), value), name
        assert np.asarray(getattr(back, name), object).shape == np.asarray(value, object).shape
    clone(back).fit(X, TWO)


def test_a_start_for_each_class_and_labels_as_keys(tmp_path):
    start = RNG.normal(size=(3, 5))
    rule = Perceptron(start=start, class_weight={np.int64(-1): 2, 0: 1.0, 1: 3}, max_passes=3).fit(X, THREE)
    back = again(rule, tmp_path)
    assert back.start.tobytes() == start.tobytes()
    assert back.class_weight == {-1: 2, 0: 1.0, 1: 3}
    assert back.fit(X, THREE).weights_.tobytes() == rule.fit(X, THREE).weights_.tobytes()


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (KernelPerceptron(kernel=lambda a, b: a @ b.T, max_passes=2), "the option kernel.* not a function"),
        (Perceptron(random_state=np.random.default_rng(0), max_passes=2), "the option random_state.* Generator"),
        (Perceptron(random_state=np.random.RandomState(0), max_passes=2), "the option random_state.* RandomState"),
        (Perceptron(max_seconds=float("inf"), max_passes=2), "the option max_seconds.* inf"),
    ],
    ids=["kernel", "generator", "state", "infinity"],
)
def test_options_that_json_cannot_hold_are_refused_by_name(rule, told, tmp_path):
    with pytest.raises(ModelError, match=told):
        save_model(rule.fit(X, TWO), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_what_is_no_fitted_rule_of_ours_is_refused(tmp_path):
    class Mine(Perceptron):
        pass

    for rule, told in [(Perceptron(), "call fit first"), (Mine().fit(X[:2], [0, 1]), "not Mine"), (X, "not ndarray")]:
        with pytest.raises(ModelError, match=told):
            save_model(rule, tmp_path / "m")
