"""Costs, rates, probabilities and guarantees in the command: what is said, written, drawn and verified."""

import json
from copy import deepcopy
from importlib.resources import files

import numpy as np
import pytest

from cli.one_line import changed
from cli.running import loans, rows_of, run
from rosenblatt.desk.judging.error_rate import HELD_OUT, ErrorEstimate

TARGET = ("-t", "approved", "-a", "soft-margin", "--no-prove")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """many.csv, and models that decide in several ways."""
    made = tmp_path_factory.mktemp("deciding")
    (made / "many.csv").write_text(loans(600, wrong=60))
    for name, options in (
        ("priced", ("--cost", "no=5", "--probability=sigmoid")),
        ("rated", ("--rate", "30%")),
        ("sure", ("--at-most", "25%", "--at-most", "no=0.3", "--probability")),
        ("folded", ("--cost", "yes=9", "--folds", "3", "--probability=isotonic")),
    ):
        ran = run("fit", made / "many.csv", *TARGET, *options, "-o", made / f"{name}.json")
        assert ran.code == 0, ran
        (made / f"{name}.txt").write_text(ran.out)
    return made


def test_fit_says_what_was_said_and_what_was_so(folder):
    text = (folder / "priced.txt").read_text()
    assert "said no   said yes   recall" in text
    assert "precision" in text
    assert "Area under the ROC curve 0." in text
    assert "Probabilities: by sigmoid" in text
    assert "Cut-off: " in text
    assert "Guaranteed: It says " in (folder / "sure.txt").read_text()
    assert (
        "a person decides the rest. With confidence 95%, at most 25% of the rows decided are wrong"
        in (folder / "sure.txt").read_text()
    )
    ran = run("fit", folder / "many.csv", *TARGET, "--hold-out", "0", "-o", folder / "none.json")
    assert "Not judged on new rows: none were held out" in ran.out


def test_the_record_has_all_of_it(folder, tmp_path):
    ran = run(
        "fit", folder / "many.csv", *TARGET, "--at-most", "25%", "--probability", "--json", "-o", tmp_path / "m.json"
    )
    record = ran.record
    assert record["measures"]["classes"]["yes"].keys() == {"precision", "recall"}
    assert record["measures"]["gini"] == pytest.approx(2 * record["measures"]["roc"]["value"] - 1)
    guarantee = record["decision"]["guarantee"]
    (claim,) = guarantee["claims"]
    assert claim["errors"] / claim["rows"] < claim["at_most"] == 0.25
    assert record["decision"]["probability"] == "venn-abers"
    assert record["asked"] == sum(row[2] for row in record["measures"]["matrix"])
    plain = run("fit", folder / "many.csv", *TARGET, "--json", "-o", tmp_path / "n.json").record
    assert plain["decision"] is None
    assert plain["asked"] == 0


def test_predict_asks_a_person_and_counts(folder, tmp_path):
    ran = run("predict", folder / "sure.json", folder / "many.csv", "-o", tmp_path / "p.csv", "--json")
    rows = rows_of((tmp_path / "p.csv").read_text())
    asked = sum(row["label"] == "ask a person" for row in rows)
    assert asked == ran.record["asked"] > 0
    assert list(rows[0]) == ["label", "score", "probability", "probability from", "probability to"]
    told = run("predict", folder / "sure.json", folder / "many.csv", "-o", tmp_path / "q.csv").out
    assert f"Left to people: {asked} rows." in told
    told = run("predict", folder / "sure.json", folder / "many.csv", "-o", tmp_path / "r.csv", "--judge").out
    assert f"{asked} of 600 rows" in told
    assert f"mistakes on {600 - asked} rows in this table" in told


def test_places_and_shares_of_the_table_itself(folder, tmp_path):
    ran = run("predict", folder / "priced.json", folder / "many.csv", "--places", "50", "-o", tmp_path / "p.csv")
    assert "there are 50 places" in ran.out
    said = [row["label"] for row in rows_of((tmp_path / "p.csv").read_text())]
    assert 0 < said.count("yes") <= 50
    ran = run("predict", folder / "priced.json", folder / "many.csv", "--rate", "0.1")
    assert "It says yes at a score of" in ran.err
    assert 50 <= sum(row["label"] == "yes" for row in rows_of(ran.out)) <= 70
    record = run(
        "predict", folder / "priced.json", folder / "many.csv", "--places", "9", "--json", "-o", tmp_path / "q.csv"
    ).record
    assert record["cut_off"]["said_yes"] <= 9


def test_the_report_draws_it(folder, tmp_path):
    pytest.importorskip("matplotlib")
    credit, target = files("rosenblatt") / "data" / "german_credit.csv", ("-t", "creditability", "--positive", "good")
    ran = run("report", credit, *target, "--at-most", "15%", "--probability", "-o", tmp_path / "r.html")
    assert ran.code == 0, ran
    page = (tmp_path / "r.html").read_text()
    assert "On rows not learned from" in page
    for drawn in ("roc-", "precision-recall-", "reliability-", "coverage-"):
        assert f'id="{drawn}' in page
    assert "The line is the tolerated error. The ring marks the chosen cut-offs." in page
    assert "Number of rows by points. Rows between the lines are left to people." in page
    assert "held-out rows that are decided" in page
    assert "<dt>guaranteed</dt><dd><b>at most 15%</b><span>rows decided are wrong" in page.replace("of the ", "")
    run("report", folder / "many.csv", *TARGET[:4], "--hold-out", "0", "-o", tmp_path / "s.html")
    assert "On rows not learned from" not in (tmp_path / "s.html").read_text()


def test_explain_names_the_cut_offs(folder):
    assert "points add up to" in run("explain", folder / "rated.json").out
    assert "; otherwise a person decides." in run("explain", folder / "sure.json").out
    ran = run("explain", folder / "rated.json", folder / "many.csv", "--integers")
    assert (ran.code, "for its own points" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--cost no", "--cost needs CLASS=COST, as in --cost yes=5, not 'no'"),
        ("--cost maybe=5", "--cost names the class 'maybe', but the classes are no, yes"),
        (
            "--cost no=5 --class-weight no=5",
            "--cost says what mistakes cost in learning, too: leave --class-weight out",
        ),
        ("--cost no=5 --rate 20%", "--rate sets the cut-off, and so do --cost and --at-most"),
        ("--cost no=0 --cost yes=0", "with --cost 0 for every class, no mistake would cost anything"),
        ("--rate 20", "--rate must be a share above 0% and below 100%, such as 20%, not '20'"),
        ("--rate much", "--rate must be a share"),
        ("--probability=guess", "--probability must be one of"),
        ("--at-most 0", "--at-most must be a share above 0% and below 100%, such as 5% or yes=10%, not '0'"),
        ("--at-most maybe=5%", "--at-most names 'maybe'; it takes no, yes"),
        ("--at-most 5% --confidence 20%", "confidence must be a number of at least 0.5"),
        ("--at-most 1%", "takes at least 299 such rows, all without an error, but there are"),
        ("--at-most 5% --weights age", "--at-most counts rows"),
        ("--calibrate 20%", "use it with --at-most"),
    ],
)
def test_wrong_options_get_one_line(folder, tmp_path, options, told):
    ran = run("fit", folder / "many.csv", *TARGET, *options.split(), "-o", tmp_path / "m.json", "-q")
    assert ran.code in (2, 3)
    assert told in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("sure.json many.csv --places 3", "the model leaves rows to people by cut-offs of its own"),
        ("rated.json many.csv --places 3 --rate 5%", "leave one of them out"),
    ],
)
def test_wrong_capacities_get_one_line(folder, options, told):
    model, table, *rest = options.split()
    ran = run("predict", folder / model, folder / table, *rest)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert told in ran.err


def test_a_probability_may_go_without_a_method_wherever_it_stands(folder, tmp_path):
    for options in (("--probability", "--seed", "1"), ("--seed", "1", "--probability", "isotonic"), ("--probability",)):
        ran = run("fit", folder / "many.csv", *TARGET, "-o", tmp_path / "m.json", "-f", *options)
        assert ran.code == 0, ran
        assert f"Probabilities: by {'isotonic' if 'isotonic' in options else 'venn-abers'}" in ran.out


def test_no_option_at_all_is_no_bug(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run("fit")
    assert (ran.code, "bug" in ran.err) == (2, False)


def test_few_of_a_rare_class_found_are_told_with_what_to_do(folder, tmp_path):
    rows = rows_of((folder / "many.csv").read_text())
    rng = np.random.default_rng(0)
    kept = [row for row in rows * 4 if row["approved"] == "no" or rng.random() < 0.12]
    for row in kept:
        row["age"] = str(rng.integers(20, 70))
        row["income"] = str(float(row["income"]) * rng.uniform(0.5, 2))
    lines = [",".join(kept[0]), *(",".join(row.values()) for row in kept)]
    (tmp_path / "rare.csv").write_text("\n".join(lines) + "\n")
    ran = run("fit", tmp_path / "rare.csv", *TARGET, "-o", tmp_path / "m.json")
    assert "would make both classes count the same" in ran.err
    assert "note: the rule finds " in ran.err
    assert "would say yes as often as rows are yes" in ran.err
    ran = run("fit", tmp_path / "rare.csv", *TARGET, "--rate", "30%", "-o", tmp_path / "r.json")
    assert "note: the rule predicts" not in ran.err


def test_what_mistakes_cost_on_new_rows_is_told(folder, tmp_path):
    for name, options in (("plain", ()), ("priced", ("--cost", "no=5"))):
        ran = run("fit", folder / "many.csv", *TARGET, *options, "-o", tmp_path / f"{name}.json")
        assert ("(the rule costs " in ran.out) == (name == "priced")
    told = run("compare", tmp_path / "plain.json", tmp_path / "priced.json", folder / "many.csv", "--cost", "no=5").out
    assert "less" in told
    assert "McNemar's exact test" in told
    assert "Neither clearly costs less" in told or "'s mistakes cost less than " in told


def test_too_few_rows_decided_are_told_with_how_many_it_would_take(folder, tmp_path):
    ran = run("fit", folder / "many.csv", *TARGET, "--at-most", "4%", "-o", tmp_path / "m.json")
    assert "Every row is left to people" in ran.out
    assert "rows instead of" in ran.out or "more rows would not help much" in ran.out


def test_three_classes(desk, tmp_path):
    ran = run(
        "fit", desk["grades.csv"], "-t", "grade", "-a", "averaged", "--probability=isotonic", "-o", tmp_path / "g.json"
    )
    assert ran.code == 0, ran
    assert "said A   said B   said C   recall" in ran.out
    rows = rows_of(run("predict", tmp_path / "g.json", desk["grades.csv"]).out)
    assert all(abs(sum(float(row[f"probability {label}"]) for label in "ABC") - 1) < 1e-9 for row in rows)


# -- what a file claims ----------------------------------------------------------------------------------------


def verified(folder, tmp_path, model, change=None):
    """The claims that fail, of a model that was changed and signed again; "refused" where it cannot be read."""
    record = json.loads((folder / model).read_text())
    if change is not None:
        before = deepcopy(record)
        change(record)
        assert record != before
    (tmp_path / "forged.json").write_text(changed(json.dumps(record)))
    ran = run("verify", tmp_path / "forged.json", folder / "many.csv", "--json")
    assert ran.code in (0, 1, 3), ran.err
    return ["refused"] if ran.code == 3 else [each["claim"] for each in ran.record["claims"] if not each["holds"]]


@pytest.mark.parametrize("model", ["priced.json", "rated.json", "sure.json", "folded.json"])
def test_what_is_claimed_holds(folder, tmp_path, model):
    assert verified(folder, tmp_path, model) == []


def at(*path, to):
    """A change of what stands at a place."""

    def change(record):
        holder = record
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = to(holder[path[-1]]) if callable(to) else to

    return change


def fewer_errors(record):
    """One error less in every rung tested: it still follows, but the rows say otherwise."""
    for counts in record["held_out"]["guarantee"]["tested"][:-1]:
        for count in counts:
            count["errors"] = max(count["errors"] - 1, 0)


def as_if_all_were_decided(record):
    """The mistakes as a share of all held-out rows, with no word of those left to people."""
    judged = record["held_out"]
    rows = judged["error"]["rows"] + judged.pop("asked")
    judged["error"] |= vars(ErrorEstimate.of(judged["error"]["mistakes"], rows, HELD_OUT))


@pytest.mark.parametrize(
    ("model", "change", "claim"),
    [
        ("sure.json", as_if_all_were_decided, "interval"),
        ("sure.json", fewer_errors, "guarantee"),
        ("sure.json", at("held_out", "guarantee", "said_yes", to=lambda count: count - 1), "guarantee"),
        ("sure.json", at("held_out", "guarantee", "n", to=lambda count: count + 1), "guarantee"),
        ("sure.json", at("held_out", "guarantee", "confidence", to=0.99), "guarantee"),
        ("sure.json", at("held_out", "set_aside", to=0.3), "guarantee"),
        ("sure.json", at("decision", "rung", "upper", to=lambda cut: cut - 0.1), "guarantee"),
        ("sure.json", at("decision", "rung", to=None), "guarantee"),
        ("sure.json", at("held_out", "asked", to=lambda count: count + 1), "rows left to people"),
        ("sure.json", at("held_out", "error", "mistakes", to=lambda count: count - 1), "mistakes on the rows held out"),
        ("sure.json", at("held_out", "measures", "matrix", 0, 2, to=0.0), "measures"),
        ("priced.json", at("held_out", "measures", "roc", "value", to=0.99), "measures"),
        ("priced.json", at("held_out", "measures", "brier", to=0.01), "measures"),
        (
            "priced.json",
            at("decision", "probability", "values", to=lambda values: [value / 2 for value in values]),
            "measures",
        ),
        ("rated.json", at("decision", "rung", to={"lower": 0.5, "upper": 0.5}), "mistakes on the rows held out"),
        ("rated.json", at("decision", "rung", "lower", to=-9.0), "cut-off"),
        ("rated.json", at("held_out", "cut_off", "rows", to=10**6), "cut-off"),
        ("rated.json", at("held_out", "cut_off", "costs", to=[1.0, 7.0]), "cut-off"),
        ("rated.json", lambda record: record["held_out"].update(probability="sigmoid"), "probability"),
    ],
)
def test_a_false_claim_fails(folder, tmp_path, model, change, claim):
    assert {claim, "refused"} & set(verified(folder, tmp_path, model, change))
