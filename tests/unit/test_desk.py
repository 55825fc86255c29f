"""What an analyst does with a table, without the command."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta

from rosenblatt.desk import check
from rosenblatt.desk.check import finding as finding_of
from rosenblatt.desk.check import in_words
from rosenblatt.desk.data import data_of, encoded
from rosenblatt.desk.judging.error_rate import ErrorEstimate
from rosenblatt.desk.learning.choosing import AUTO, FEWEST
from rosenblatt.desk.learning.shortening import made_short
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of, proof_of
from rosenblatt.desk.model_contents import card_of, points_of
from rosenblatt.desk.predict import judged, predictions
from rosenblatt.desk.report import contents_of
from rosenblatt.desk.split import HoldOut, mixed
from rosenblatt.desk.verifying.verify import claims_in, verified
from rosenblatt.desk.whole_points import whole_points
from rosenblatt.errors import DataError, OptionError
from rosenblatt.prove.check.certificate import Contradiction, ErrorInterval, Separation
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.margin import largest
from rosenblatt.read.sources import read_table
from rosenblatt.read.table import Table
from rosenblatt.rules.linear.cross_validated import CrossValidatedRule
from rosenblatt.ship.file.modelfile import Model


def applications(n=400, noise=0.1, seed=0, classes=2):
    """A table with numbers, categories, dates, words and holes."""
    rng = np.random.default_rng(seed)
    age, income = rng.integers(18, 80, n), np.round(rng.lognormal(8, 1, n), 2)
    job = rng.choice(["clerk", "nurse", "it's me", "naïve"], n)
    since = (np.datetime64("2010-01-01") + rng.integers(0, 4000, n)).astype(str)
    note = rng.choice(["paid in time", "Late, again!", "nothing to say here", "late once, paid"], n)
    score = (age - 45) / 15 + np.log(income) - 8 + (job == "nurse") + rng.normal(size=n) * noise
    answer = np.array(["no", "yes", "maybe"])[np.digitize(score, [0.0] if classes == 2 else [-0.5, 0.8])]
    holes = rng.random(n) < 0.05
    return pl.DataFrame(
        {
            "number": np.arange(n) + 7000,
            "age": pl.Series(age, dtype=pl.Float64).set(pl.Series(holes), None),
            "income": income,
            "job": job,
            "since": since,
            "note": note,
            "approved": answer,
        }
    )


def data_from(frame, **options):
    return data_of(Table("applications", frame), "approved", **options)[0]


def mistakes(rule, data):
    return int((rule.predict(data.X) != data.y).sum())


def checked(claims, table, target):
    """What `verify` checks; all that it leaves out is how learning went."""
    results = verified(claims, table, target)
    assert {result.claim for result in results if result.holds is None} <= {"run"}
    return [result for result in results if result.holds is not None]


def test_rows_are_held_out_by_their_numbers_alone():
    def by_the_book(row, seed):
        z = (row + (seed + 1) * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    assert mixed(0, 1, 0).tolist() == [16294208416658607535]  # the first number of SplitMix64 from 0, as published
    assert mixed(0, 20, 7).tolist() == [by_the_book(row, 7) for row in range(20)]
    assert HoldOut(0.0, 5)(0, 10).sum() == 0
    assert (HoldOut(0.3, 5)(10, 50) == HoldOut(0.3, 5)(0, 1000)[10:50]).all()
    assert 0.28 < HoldOut(0.3, 1)(0, 100_000).mean() < 0.32
    assert (HoldOut(0.3, 1)(0, 1000) != HoldOut(0.3, 2)(0, 1000)).any()
    folds = np.array([HoldOut(seed=3, folds=5, fold=k)(0, 10_000) for k in range(5)])
    assert (folds.sum(axis=0) == 1).all()
    assert folds.sum(axis=1).min() > 1800


@pytest.mark.parametrize(("wrong", "n"), [(0, 10), (3, 17), (50, 100), (17, 17)])
def test_the_interval_is_that_of_clopper_and_pearson(wrong, n):
    error = ErrorEstimate.of(wrong, n, "held out")
    low = beta.ppf(0.025, wrong, n - wrong + 1) if wrong else 0.0
    high = beta.ppf(0.975, wrong + 1, n - wrong) if wrong < n else 1.0
    assert (error.lower, error.upper) == pytest.approx((low, high), abs=1e-9)
    assert error.lower <= low
    assert error.upper >= high


def test_a_separable_table_gives_the_largest_margin_and_its_proof():
    frame = applications(200).with_columns(
        pl.when(pl.col("income") > 3000).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("approved")
    )
    frame = frame.with_columns(pl.col("income") + 500 * (pl.col("approved") == "yes"))
    data = data_from(frame)
    learned = learn(data, TrainingOptions(FEWEST))
    assert learned.algorithm == "perceptron"
    assert learned.mistakes == 0
    assert learned.exact
    model = model_of(learned, TrainingOptions())
    kinds = [type(certificate) for certificate in model.certificates]
    assert kinds == [Separation, ErrorInterval]
    assert model.certificates[1].upper == 0
    finding = finding_of(data)
    assert finding.margin.gap < 1e-9
    assert finding.updates > 0


def test_a_margin_that_is_not_found_in_time_is_no_start(monkeypatch):
    frame = applications(200).with_columns(
        pl.when(pl.col("income") > 3000).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("approved")
    )
    for asks in (0, 1, 300):
        found = []
        monkeypatch.setattr(
            check,
            "largest",
            lambda e, clock, asks=asks, found=found, **given: (
                found.append(largest(e, clock=Clock(most_asks=asks), **given)) or found[0]
            ),
        )
        learned = learn(data_from(frame), TrainingOptions(FEWEST))
        assert learned.algorithm == "perceptron"
        assert learned.mistakes == 0
        assert (found[0].certificate is None) == (asks < 300)
        begun = "the weights that prove it" if asks < 300 else "the largest margin"
        assert learned.why == f"the rows are proved separable; it starts from {begun}"


def test_without_a_wish_for_proofs_nothing_is_proved(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("nothing is to be proved")

    for name in ("decide_in", "largest"):
        monkeypatch.setattr(check, name, refuse)
    learned = learn(data_from(applications(120, noise=0.0)), TrainingOptions(FEWEST, prove=False))
    assert (learned.algorithm, learned.why, learned.verdict) == ("pocket", "proofs are turned off", None)
    learned = learn(data_from(applications(120, noise=0.0)), TrainingOptions(prove=False))
    assert (learned.algorithm, learned.why, learned.verdict) == ("cv", "it aims at few errors on new rows", None)
    assert model_of(learned, TrainingOptions(prove=False), prove=False).certificates == ()


@pytest.fixture(scope="module")
def noisy():
    training = TrainingOptions(seed=3)
    data = data_from(applications(noise=0.7), held_out=training.held_out)
    return data, learn(data, training)


def test_an_overlapping_table_gives_a_compared_rule_with_proof(noisy):
    data, learned = noisy
    assert learned.algorithm == "cv"
    assert learned.why == "it aims at few errors on new rows; the rows are proved not separable"
    assert learned.error.rows == data.n - learned.trained.n
    assert learned.exact
    assert points_of(model_of(learned, TrainingOptions(seed=3))).exact
    assert mistakes(learned.rule, learned.trained) == learned.mistakes


def test_a_separable_table_is_said_to_be_even_if_the_rule_for_new_rows_is_not_right_on_it():
    data = data_from(applications(24, noise=2.0))
    learned = learn(data, TrainingOptions(hold_out=0.0))
    model = model_of(learned, TrainingOptions(hold_out=0.0))
    assert learned.verdict.separable
    assert learned.mistakes > 0
    assert learned.why == "it aims at few errors on new rows; the rows are proved separable"
    wrong = f"this one, which aims at few errors on new rows, is wrong on {learned.mistakes} rows"
    assert learned.notes == (f"some rule is right on every training row, and -a fewest-mistakes finds it; {wrong}",)
    assert [type(certificate) for certificate in model.certificates] == [Separation]
    assert all(result.holds is not False for result in verified(model, data.table, None))
    told = contents_of(data, learned, model, (), "").verdict
    assert told.startswith("A linear rule is right on every row that this one was learned from, which is proved. The")
    assert learn(data, TrainingOptions(FEWEST, hold_out=0.0)).mistakes == 0


def test_the_choice_has_no_part_in_the_rows_that_judge_it(monkeypatch):
    """With held-out rows and with folds, only the others are compared; in each fold anew, where nothing is proved."""
    seen, proved = [], []
    fit, decide = CrossValidatedRule.fit, check.decide_in
    monkeypatch.setattr(CrossValidatedRule, "fit", lambda rule, X, y, **w: seen.append(len(y)) or fit(rule, X, y, **w))
    monkeypatch.setattr(check, "decide_in", lambda *given: proved.append(True) or decide(*given))
    data = data_from(applications(120, noise=0.7))
    learned = learn(data, TrainingOptions())
    assert seen == [learned.trained.n]
    assert learned.trained.n + learned.error.rows == 120
    seen.clear()
    proved.clear()
    learned = learn(data, TrainingOptions(folds=4))
    assert seen[0] == 120
    assert sum(120 - rows for rows in seen[1:]) == learned.error.rows == 120
    assert len(seen) == 5
    assert len(proved) == 1


def test_a_rule_that_says_the_same_of_every_row_says_so():
    frame = applications(300).with_columns(
        pl.when(pl.arange(300) % 40 == 0).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("approved")
    )
    learned = learn(data_from(frame), TrainingOptions(prove=False))
    assert (learned.rule.predict(learned.trained.seen) == 0).all()
    assert any(note.startswith("the rule predicts no for every") for note in learned.notes)


def test_the_contradiction_is_told_in_the_tables_words(noisy):
    data, _ = noisy
    finding = finding_of(data, fewest=False)
    proof = finding.verdict.certificate
    assert isinstance(proof, Contradiction)
    told = in_words(data, proof, 100)
    assert {each["row"] - 1 for each in told} == set(proof.rows)
    for each in told:
        row = data.table.frame.row(each["row"] - 1, named=True)
        assert all(row[name] == value for name, value in each["cells"].items())


@pytest.mark.parametrize(
    "algorithm", ["perceptron", "pocket", "lifted", "averaged", "voted", "margin", "kernel", "pa", "soft-margin", "cv"]
)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_algorithm_ships_predicts_and_verifies(algorithm, classes, tmp_path):
    frame = applications(120, 0.7, classes=classes)
    training = TrainingOptions(algorithm, {"max_passes": 5} if algorithm not in ("pocket", "lifted", "cv") else {})
    data = data_from(frame, held_out=training.held_out)
    learned = learn(data, training)
    model = model_of(learned, training)
    model.save(tmp_path / "m.json")
    again = Model.load(tmp_path / "m.json")
    found = predictions(again, data.table).collect()
    assert found["label"].to_list() == [data.classes[k] for k in learned.rule.predict(data.X)]
    assert judged(again, data.table).error.mistakes == mistakes(learned.rule, data)
    results = checked(claims_in(str(tmp_path / "m.json")), data.table, None)
    assert all(result.holds for result in results)
    changed = frame.with_columns(pl.col("income") * 1.5)
    assert not all(result.holds for result in checked(again, Table("t", changed), None))


def test_a_model_that_lies_is_found_out(noisy, tmp_path):
    data, learned = noisy
    training = TrainingOptions(seed=3)
    model = model_of(learned, training)
    for lie, claims in (
        ({"trained_mistakes": 0}, ["mistakes on the rows learned from"]),
        ({"error": {**model.held_out["error"], "mistakes": 1}}, ["mistakes on the rows held out", "interval"]),
    ):
        liar = replace(model, held_out={**model.held_out, **lie})
        failed = [result for result in checked(liar, data.table, None) if not result.holds]
        assert [result.claim for result in failed] == claims
        assert "mistakes" in failed[0].statement
    other = replace(model.certificates[1], weights=(1.0,) * len(model.certificates[1].weights), fingerprint="")
    failed = [r for r in checked(replace(model, certificates=(other,)), data.table, None) if not r.holds]
    assert "a different rule" in failed[0].statement


def test_a_proof_file_is_checked_on_the_table(noisy, tmp_path):
    data, _ = noisy
    proof_of(data, finding_of(data, fewest=False)).save(tmp_path / "proof.json")
    assert all(result.holds for result in checked(claims_in(str(tmp_path / "proof.json")), data.table, None))
    shuffled = Table("t", data.table.frame.reverse())
    assert not checked(claims_in(str(tmp_path / "proof.json")), shuffled, None)[0].holds


def test_short_weights_add_no_mistake(noisy):
    data, learned = noisy
    rule = learned.rule
    before = rule.weights_.copy()
    wrong = mistakes(rule, data)
    rule.replace_weights(before * (1 + np.pi))
    assert made_short(rule, data)
    assert mistakes(rule, data) <= wrong
    rule.replace_weights(before)


def test_a_large_table_gives_the_same_rule(tmp_path):
    frame = applications(3000, 0.7)
    frame.write_csv(tmp_path / "t.csv")
    small, large = (read_table(tmp_path / "t.csv", large=large) for large in (False, True))
    assert large.is_large
    one, two = (data_of(table, "approved")[0] for table in (small, large))
    assert one.encoding == two.encoding
    dense = two.X.toarray() if hasattr(two.X, "toarray") else two.X
    assert np.array_equal(one.X, dense)
    assert two.shown([5, 3]) == one.shown([5, 3])
    training = TrainingOptions("averaged")
    assert np.array_equal(learn(one, training).rule.weights_, learn(two, training).rule.weights_)


def test_cross_validation_learns_from_all_rows():
    data = data_from(applications(150, 0.7))
    learned = learn(data, TrainingOptions("averaged", folds=5))
    assert learned.trained.n == learned.error.rows == 150


def test_row_weights_count(tmp_path):
    frame = applications(200, 0.7).with_columns(weight=pl.lit(2.0))
    data = data_from(frame, weights="weight")
    assert data.weights.tolist() == [2.0] * 200
    assert "weight" not in [column.name for column in data.encoding.used]
    assert learn(data, TrainingOptions("averaged")).trained.weights.size < 200


def test_rows_keep_the_numbers_that_people_know():
    frame = applications(100, 0.7).with_columns(
        pl.when(pl.int_range(100) < 3).then(None).otherwise(pl.col("approved")).alias("approved")
    )
    data = data_of(Table("t", frame).with_known("approved"), "approved")[0]
    assert data.number(0) == 4
    assert data.shown([0])[0]["age"] == frame["age"][3]


def test_whole_points_become_a_model(noisy):
    data, learned = noisy
    model = model_of(learned, TrainingOptions(seed=3), prove=False)
    found = whole_points(model, data, 10)
    assert found.chosen.rows == learned.trained.n
    assert mistakes(found.model.estimator, learned.trained) == found.chosen.mistakes
    assert all(result.holds is not False for result in checked(found.model, data.table, None))
    assert card_of(found.model) == found.chosen.card


@pytest.mark.parametrize(
    ("training", "error", "words"),
    [
        (TrainingOptions(hold_out=1.0), OptionError, "--hold-out must be at least 0"),
        (TrainingOptions(folds=1), OptionError, "--folds must be at least 2"),
        (TrainingOptions(folds=1000), OptionError, "cannot split 60 rows into 1000 folds"),
        (TrainingOptions("pockets"), OptionError, "'pockets'"),
        (TrainingOptions("pocket", {"rachet": True}), OptionError, "did you mean 'ratchet'"),
        (TrainingOptions("averaged", {"class_weight": {"perhaps": 2}}), OptionError, "'perhaps'"),
        (TrainingOptions(hold_out=0.999), DataError, "would be held out"),
    ],
)
def test_training_that_cannot_be_met(training, error, words):
    with pytest.raises(error, match=words):
        learn(data_from(applications(60, 0.7)), training)


def test_encoding_a_table_without_any_column_left():
    frame = pl.DataFrame({"a": [1.0] * 50, "approved": ["yes", "no"] * 25})
    with pytest.raises(DataError, match="there are no columns left"):
        data_from(frame)


def test_encoded_is_what_the_encoding_says(noisy):
    data, _ = noisy
    assert np.array_equal(encoded(data.table, data.encoding).X, data.X)


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        (AUTO, {"fit_intercept": False}),
        *(
            (FEWEST, {name: value})
            for name, value in (("fit_intercept", False), ("bias_scale", 2.0), ("ties", "plus"), ("normalize", True))
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("noise", [0.0, 0.7])
def test_the_verdict_is_about_the_rows_as_the_rule_sees_them(algorithm, options, noise, tmp_path):
    data, training = data_from(applications(120, noise)), TrainingOptions(algorithm, options)
    model_of(learn(data, training), training).save(tmp_path / "m.json")
    results = checked(claims_in(str(tmp_path / "m.json")), data.table, None)
    assert [result.statement for result in results if not result.holds] == []
