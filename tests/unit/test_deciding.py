"""Decisions of a learned rule: what they are found from, what they may not see, and what is measured of them."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, confusion_matrix, roc_auc_score

from rosenblatt.desk.data import data_of
from rosenblatt.desk.judging.deciding import scored_by_folds
from rosenblatt.desk.judging.decision_options import DecisionOptions
from rosenblatt.desk.judging.judged import answers_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.model import model_of
from rosenblatt.desk.model_contents import card_of
from rosenblatt.desk.predict import judged, predictions, with_capacity
from rosenblatt.desk.split import HoldOut
from rosenblatt.desk.verifying.verify import verified
from rosenblatt.errors import DataError, OptionError
from rosenblatt.judge.calibration import VennAbers
from rosenblatt.judge.cutoff import by_cost
from rosenblatt.judge.decision import ASK_A_PERSON, UNDECIDED
from rosenblatt.judge.scored import Scored
from rosenblatt.read.table import Table
from rosenblatt.ship.file.modelfile import Model

COSTS = {"no": 5.0}


def applications(n=600, classes=2, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    age, income, job = rng.integers(18, 80, n), rng.lognormal(8, 1, n).round(2), rng.choice(["clerk", "nurse"], n)
    score = (age - 45) / 15 + np.log(income) - 8 + (job == "nurse") + rng.normal(size=n) * noise
    label = np.array(["no", "yes", "maybe"])[np.digitize(score, [0.0] if classes == 2 else [-0.5, 0.8])]
    return pl.DataFrame(
        {"age": age, "income": income, "job": job, "weight": rng.integers(1, 4, n).astype(float), "approved": label}
    )


def learned(frame, decision_options, algorithm="soft-margin", weights=None, **options):
    """What is learned, its model, and its table; a cost is paid in learning, too, as by the command."""
    costs = {"class_weight": dict(decision_options.costs)} if decision_options.costs else {}
    training = TrainingOptions(algorithm, costs, decision_options=decision_options, prove=False, **options)
    kinds = None if weights else {"weight": "ignore"}
    table = Table("applications", frame)
    data, _ = data_of(table, "approved", held_out=training.held_out, weights=weights, kinds=kinds)
    found = learn(data, training)
    return found, model_of(found, training, prove=False), table


EVERY = {
    "cost": DecisionOptions(costs=COSTS),
    "rate": DecisionOptions(rate=0.2),
    "probability": DecisionOptions(probability="auto"),
    "sigmoid": DecisionOptions(probability="sigmoid", costs=COSTS),
    "isotonic": DecisionOptions(probability="isotonic"),
    "guarantee": DecisionOptions(at_most=((None, 0.2),)),
    "of a class": DecisionOptions(at_most=(("no", 0.2),)),
    "of the other": DecisionOptions(at_most=(("yes", 0.2),)),
    "of those said": DecisionOptions(at_most=(("said:yes", 0.2), ("said:no", 0.3)), probability="venn-abers"),
    "all": DecisionOptions(
        costs=COSTS, probability="auto", at_most=((None, 0.25), ("no", 0.3)), confidence=0.9, calibrate=0.3
    ),
}


@pytest.mark.parametrize(
    "algorithm", ["soft-margin", "averaged", "tree", pytest.param("kernel", marks=pytest.mark.large)]
)
@pytest.mark.parametrize("wish", EVERY)
def test_every_decision_ships_predicts_and_verifies(wish, algorithm, tmp_path):
    if algorithm in ("tree", "kernel") and wish not in ("all", "cost", "guarantee"):
        pytest.skip("what differs for rules without points is the same for all options")
    found, model, table = learned(applications(), EVERY[wish], algorithm)
    model.save(tmp_path / "m.json")
    again = Model.load(tmp_path / "m.json")
    assert again.decision == model.decision
    assert again.text() == model.text()
    decided = predictions(again, table).collect()
    assert decided["label"].to_list() == again.predict(table.frame)
    asked = decided["label"].to_list().count(ASK_A_PERSON)
    assert (asked > 0) <= again.decision.asks
    results = verified(again, table, None)
    assert [result.statement for result in results if result.holds is False] == []
    inside = judged(again, table)
    assert inside.left_to_people == asked
    assert (0 if inside.error is None else inside.error.rows) == table.frame.height - asked
    if found.judged.error is not None:
        assert found.judged.error.rows == found.judged.answers.y.size - found.judged.left_to_people


@pytest.mark.parametrize("wish", ["cost", "rate", "probability", "all"])
def test_rows_held_out_change_nothing_but_how_the_rule_is_judged(wish):
    frame, decision_options = applications(), EVERY[wish]
    training = TrainingOptions(decision_options=decision_options)
    out = training.tested(0, frame.height)
    other = frame.with_columns(pl.when(pl.Series(out)).then(pl.lit("no")).otherwise("approved").alias("approved"))
    assert not other.equals(frame)
    (one, model, _), (two, like, _) = learned(frame, decision_options), learned(other, decision_options)
    assert one.decided.decision == two.decided.decision
    assert one.decided.guarantee == two.decided.guarantee
    assert (one.rule.weights_ == two.rule.weights_).all()
    assert model.held_out["measures"] != like.held_out["measures"]


def test_rows_set_aside_choose_among_cut_offs_that_they_did_not_make():
    frame, decision_options = applications(), EVERY["all"]
    training = TrainingOptions(decision_options=decision_options)
    aside = training.held_out(0, frame.height) & ~training.tested(0, frame.height)
    labels = frame["approved"].to_numpy()
    swapped = np.where(aside & (np.arange(frame.height) % 3 == 0), np.where(labels == "no", "yes", "no"), labels)
    one, two = (learned(each, decision_options)[0] for each in (frame, frame.with_columns(approved=pl.Series(swapped))))
    assert one.decided.guarantee.ladder == two.decided.guarantee.ladder
    assert one.decided.decision.probability == two.decided.decision.probability
    assert one.decided.guarantee.tested != two.decided.guarantee.tested
    assert one.decided.guarantee.n == aside.sum()


def test_without_wishes_the_rule_is_what_it_was_and_decides_alone():
    frame = applications()
    plain, model, _ = learned(frame, DecisionOptions())
    decided, _, _ = learned(frame, DecisionOptions(rate=0.3, probability="auto"))
    assert (plain.rule.weights_ == decided.rule.weights_).all()
    assert plain.decided is None
    assert model.decision is None
    assert '"decision":' not in model.text()


def test_the_cut_off_is_the_cheapest_on_scores_by_rules_learned_anew():
    frame = applications()
    found, _, _ = learned(frame, DecisionOptions(costs={"no": 20.0}))
    training = TrainingOptions("soft-margin", {"class_weight": {0: 20.0}}, prove=False)

    def anew(part):
        return type(found.rule)(class_weight={0: 20.0}).fit(part.seen, part.y)

    rows = scored_by_folds(found.rule, found.trained, training.seed, anew)
    assert sorted(rows.fold.tolist()) == sorted(np.arange(found.trained.n) % 5)
    best = by_cost(Scored.of(rows.scores, rows.y == 1), 20.0, 1.0, ("no", "yes"))
    cost = [
        20.0 * (said & (rows.y == 0)).sum() + (~said & (rows.y == 1)).sum()
        for said in (rows.own == 1, best.of(rows.scores))
    ]
    if found.decided.cut_off is None:
        assert cost[1] <= cost[0]
    else:
        assert (found.decided.cut_off.of(rows.scores) == best.of(rows.scores)).all()
        assert max(rows.scores[rows.scores < best.at]) < found.decided.cut_off.at < best.at  # halfway


def test_what_is_measured_is_what_others_measure():
    found, _, _ = learned(applications(), DecisionOptions(probability="sigmoid", costs=COSTS))
    answers, measures = found.judged.answers, found.judged.measures
    assert measures.roc.value == pytest.approx(roc_auc_score(answers.y, answers.scores))
    assert measures.precision_recall.value == pytest.approx(average_precision_score(answers.y, answers.scores))
    assert measures.brier == pytest.approx(brier_score_loss(answers.y, answers.probabilities))
    assert measures.brier_of_shares == pytest.approx(answers.y.mean() * (1 - answers.y.mean()))
    assert [list(row[:2]) for row in measures.matrix] == confusion_matrix(answers.y, answers.codes).tolist()
    assert found.error.mistakes == sum(measures.matrix[0][1:]) + sum(measures.matrix[1][::2])
    assert measures.precision_recall.lower < measures.precision_recall.value < measures.precision_recall.upper


def test_several_classes():
    frame = applications(classes=3, noise=0.3)
    found, model, table = learned(frame, DecisionOptions(probability="auto", at_most=((None, 0.3),)))
    decided = predictions(model, table).collect()
    chances = decided.select(pl.col("^probability .*$"))
    assert chances.columns == ["probability maybe", "probability no", "probability yes"]
    assert np.allclose(chances.to_numpy().sum(axis=1), 1)
    assert found.decided.guarantee.chosen.lower is None
    scores = decided.select(pl.col("^score .*$")).to_numpy()
    lead = np.diff(np.sort(scores, axis=1)[:, -2:]).ravel()
    asked = (decided["label"] == ASK_A_PERSON).to_numpy()
    assert (asked == (lead < model.decision.rung.upper)).all()
    assert all(result.holds is not False for result in verified(model, table, None))
    assert "lead of" in found.decided.guaranteed
    assert "if it is ahead by" in card_of(model).rule
    with pytest.raises(OptionError, match="--rate is the share of yes, so it needs two classes; there are 3"):
        learned(frame, DecisionOptions(rate=0.2))
    with pytest.raises(OptionError, match="needs two classes; with 3, give one rate"):
        learned(frame, DecisionOptions(at_most=(("no", 0.2),)))
    assert (
        learned(frame, DecisionOptions(costs={"no": 3.0}))[0].decided.decision.rung is None
    )  # costs count in learning alone


def test_rows_with_weights():
    frame = applications()
    found, model, table = learned(frame, DecisionOptions(costs=COSTS, probability="auto"), weights="weight")
    assert found.decided.method == "sigmoid"
    assert found.judged.measures.roc.lower is None
    answers = found.judged.answers
    assert sum(map(sum, found.judged.measures.matrix)) == answers.weights.sum()
    assert found.judged.measures.brier == pytest.approx(
        np.average((answers.probabilities - answers.y) ** 2, weights=answers.weights)
    )
    assert all(result.holds is not False for result in verified(model, table, None))
    with pytest.raises(OptionError, match=r"--at-most counts rows, .*leave --weights out"):
        learned(frame, DecisionOptions(at_most=((None, 0.2),)), weights="weight")
    with pytest.raises(DataError, match="Venn-Abers counts rows"):
        learned(frame, DecisionOptions(probability="venn-abers"), weights="weight")


@pytest.mark.parametrize("wish", ["cost", "all", "probability"])
def test_by_folds_every_row_is_decided_without_its_own_fold(wish):
    found, model, table = learned(applications(), EVERY[wish], folds=4)
    aside = TrainingOptions(decision_options=EVERY[wish], folds=4).held_out
    there = 600 - (0 if aside is None else int(aside(0, 600).sum()))
    assert found.trained.n == there == found.judged.answers.y.size
    assert found.judged.left_to_people == (found.judged.answers.codes == UNDECIDED).sum()
    assert all(result.holds is not False for result in verified(model, table, None))


def test_folds_without_wishes_count_the_mistakes_of_their_rules():
    found, _, _ = learned(applications(), DecisionOptions(), folds=4)
    answers = found.judged.answers
    assert found.error.mistakes == (answers.codes != answers.y).sum()
    assert found.error.rows == 600


def test_a_part_and_a_fold_may_be_held_out_together():
    part, folds = HoldOut(0.3, 4)(0, 900), [HoldOut(0.3, 4, 3, k)(0, 900) for k in range(3)]
    assert all((fold >= part).all() for fold in folds)
    assert (np.sum([fold & ~part for fold in folds], axis=0) == ~part).all()


def test_points_are_measured_from_the_cut_off():
    _, model, table = learned(applications(), DecisionOptions(rate=0.15))
    found = predictions(model, table, reasons_wanted=1).collect()
    assert ((found["points"] >= 0) == (found["label"] == "yes")).all()
    assert found["label"].to_list() == model.predict(table.frame)
    card = card_of(model)
    assert card.zero_is_yes
    assert float(card.threshold) == pytest.approx(
        float(card_of(replace(model, decision=None)).threshold) + model.decision.rung.upper * float(card.factor)
    )


def test_the_scorecard_names_the_points_between_which_people_decide():
    _, model, _ = learned(applications(), DecisionOptions(at_most=((None, 0.2),)))
    rule = card_of(model).rule
    assert rule.startswith("approved is yes if the points add up to ")
    assert rule.endswith("; otherwise a person decides.")


@pytest.mark.parametrize("places", [0, 1, 60, 600, 1000])
def test_places_are_given_to_the_highest_scores_of_the_table(places):
    _, model, table = learned(applications(), DecisionOptions(probability="sigmoid"))
    chosen, cut_off = with_capacity(model, table, places, None)
    found = predictions(chosen, table).collect()
    yes = found.filter(pl.col("label") == "yes")["score"]
    rest = found.filter(pl.col("label") == "no")["score"]
    assert yes.len() == min(places, 600) == cut_off.said_yes
    assert yes.is_empty() or rest.is_empty() or yes.min() > rest.max()
    assert chosen.decision.probability == model.decision.probability


def test_a_share_of_the_very_rows():
    _, model, table = learned(applications(), DecisionOptions())
    chosen, cut_off = with_capacity(model, table, None, 0.25)
    assert chosen.predict(table.frame).count("yes") == cut_off.said_yes == 150
    _, asking, _ = learned(applications(), EVERY["guarantee"])
    with pytest.raises(OptionError, match="leaves rows to people by cut-offs of its own"):
        with_capacity(asking, table, 5, None)


def test_intervals_hold_the_probability():
    _, model, table = learned(applications(), DecisionOptions(probability="auto"))
    assert isinstance(model.decision.probability, VennAbers)
    found = predictions(model, table).collect()
    low, single, high = (found[f"probability{end}"] for end in (" from", "", " to"))
    assert ((low <= single) & (single <= high)).all()
    assert (low < high).any()
    assert set(model.decision.probability.lower) <= {round(k / 1000, 3) for k in range(1001)}


@pytest.mark.parametrize(
    ("decision_options", "told"),
    [
        (DecisionOptions(costs={"perhaps": 2.0}), "--cost names the class 'perhaps', but the classes are no, yes"),
        (DecisionOptions(costs=COSTS, rate=0.2), "--rate sets the cut-off, and so do --cost and --at-most"),
        (DecisionOptions(rate=1.5), "--rate must be a number above 0 and below 1"),
        (
            DecisionOptions(probability="guess"),
            "--probability must be one of 'auto', 'sigmoid', 'isotonic', 'merged', 'venn-abers', not 'guess'",
        ),
        (DecisionOptions(calibrate=0.3), "--calibrate is the share of the rows that --at-most is tested on"),
        (DecisionOptions(at_most=((None, 0.2),), calibrate=0.9), "--hold-out 0.2 and --calibrate 0.9 leave no rows"),
        (DecisionOptions(at_most=((None, 0.2), (None, 0.1))), "--at-most is given twice for all rows decided"),
        (
            DecisionOptions(at_most=(("perhaps", 0.2),)),
            "--at-most names 'perhaps'; it takes no, yes .*said:no, said:yes",
        ),
        (DecisionOptions(at_most=((None, 0.2),), confidence=0.3), "confidence must be a number of at least 0.5"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(decision_options, told):
    with pytest.raises(OptionError, match=told):
        learned(applications(100), replace(decision_options), "averaged")


def test_too_few_rows_are_refused_before_learning_with_how_many_it_takes():
    with pytest.raises(
        DataError, match=r"takes at least 299 such rows, all without an error, but there are \d+: .*\(--calibrate\)"
    ):
        learned(applications(200), DecisionOptions(at_most=((None, 0.01),)))
    with pytest.raises(DataError, match="takes at least 59 such rows"):
        learned(applications(300), DecisionOptions(at_most=(("no", 0.05),)))
    few = applications(200).with_columns(
        pl.when(pl.int_range(200) % 50 == 3).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("approved")
    )
    with pytest.raises(DataError, match=r"class 'yes' has \d training rows; .* at least 5 of each class"):
        learned(few, DecisionOptions(probability="auto"))


def test_a_class_called_ask_a_person_is_refused():
    frame = applications().with_columns(pl.col("approved").replace("no", ASK_A_PERSON))
    with pytest.raises(OptionError, match="a class is called 'ask a person'"):
        learned(frame, DecisionOptions(at_most=((None, 0.2),)))
    assert learned(frame, DecisionOptions(rate=0.2))[1].decision.rung is not None


def test_a_rule_that_is_right_about_no_row_of_a_class_is_told_of():
    rng = np.random.default_rng(0)
    frame = applications(400).with_columns(approved=pl.Series(np.where(rng.random(400) < 0.05, "yes", "no")))
    found, _, _ = learned(frame, DecisionOptions(), "pocket")
    assert any("--cost yes=" in note and "--rate " in note for note in found.notes)
    cheap, _, _ = learned(frame, DecisionOptions(costs={"yes": 20.0}), "pocket")
    assert not any("--cost yes=" in note for note in cheap.notes)


def test_what_a_model_says_is_what_it_decides():
    found, model, _ = learned(applications(), EVERY["all"])
    data = found.trained
    answers = answers_of(model.rule, model.decision, data)
    assert (answers.codes == model.codes(data.seen)).all()
    assert (answers.probabilities == model.decision.probabilities(answers.scores)).all()
