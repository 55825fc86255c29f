"""Whatever in a model file reads like a claim is checked by `verify`: a file that was signed again tells no lies."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from cli.one_line import changed
from cli.running import run
from rosenblatt.prove.check.certificate import Certificate


def verified(desk, tmp_path, model, change, table="noisy.csv"):
    """What `verify` says of a model that was changed and signed again: the claims that fail."""
    record = json.loads(desk.text(model))
    before = deepcopy(record)
    change(record)
    assert record != before
    for k, certificate in enumerate(record["certificates"]):
        del certificate["fingerprint"]
        record["certificates"][k] = Certificate._from_record({**certificate, "fingerprint": ""}).as_record()
    (tmp_path / "forged.json").write_text(changed(json.dumps(record)))
    ran = run("verify", tmp_path / "forged.json", desk[table], "--json")
    if ran.code == 3:  # it cannot even be meant: refused when it was read
        return ["refused"]
    assert ran.code in (0, 1), ran.err
    assert ran.record["holds"] is (ran.code == 0)
    return [claim["claim"] for claim in ran.record["claims"] if claim["holds"] is False]


def judged(name, value):
    def change(record):
        record["held_out"][name] = value(record["held_out"][name]) if callable(value) else value

    return change


def of_error(name, value):
    def change(record):
        error = record["held_out"]["error"]
        error[name] = value(error[name]) if callable(value) else value

    return change


def learned(name, value):
    def change(record):
        record["learned"][name] = value

    return change


def certified(kind, **values):
    def change(record):
        next(each for each in record["certificates"] if each["certificate"] == kind).update(values)

    return change


FORGERIES = [
    (judged("trained_rows", 60), "rows learned from"),
    (judged("trained_mistakes", 0), "mistakes on the rows learned from"),
    (judged("means", lambda means: [mean + 1e-3 for mean in means]), "means"),
    (of_error("mistakes", 0), "mistakes on the rows held out"),
    (of_error("rows", 1000), "interval"),
    (of_error("lower", 0.0), "interval"),
    (of_error("upper", lambda upper: upper * 0.99), "interval"),
    (of_error("confidence", 0.99), "interval"),
    (of_error("how", "held out by an auditor"), "interval"),
    (learned("mistakes", [0]), "mistakes"),
    (learned("cost", [0.0]), "cost"),
    (learned("stop_reason", "SEPARATED"), "stop reason"),
    (certified("error interval", ties="correct"), "error interval"),
    (certified("error interval", ties="plus"), "error interval"),
    (certified("error interval", upper=0, lower=0), "error interval"),
    (certified("error interval", bias=2.0), "error interval"),
]


@pytest.mark.parametrize(("change", "claim"), FORGERIES, ids=range(len(FORGERIES)))
def test_a_false_claim_fails(desk, tmp_path, change, claim):
    assert {claim, "refused"} & set(verified(desk, tmp_path, "noisy.json", change))


def test_zero_weights_cannot_hide_behind_ties(desk, tmp_path):
    """Every row ties, and is predicted no: a certificate that counts no tie as a mistake is not about this rule."""

    def change(record):
        record["learned"]["weights"] = [[0.0] * len(record["learned"]["weights"][0])]
        wrong = sum(line.endswith("yes") for line in desk.text("noisy.csv").splitlines())
        record["held_out"] |= {"part": 0.0, "error": None, "trained_rows": 80, "trained_mistakes": wrong}
        record["certificates"] = [each for each in record["certificates"] if each["certificate"] == "error interval"]
        record["certificates"][0] |= {
            "n": 80, "ties": "correct", "weights": [0.0] * len(record["learned"]["weights"][0]),
            "lower": 0, "upper": 0, "swept": False, "contradictions": [],
        }  # fmt: skip

    failed = verified(desk, tmp_path, "noisy.json", change)
    assert "error interval" in failed
    assert "mistakes on the rows learned from" not in failed


def test_an_error_that_nobody_measured_fails(desk, tmp_path):
    assert "interval" in verified(desk, tmp_path, "noisy.json", judged("part", 0.0))


def test_exports_that_may_differ_are_not_called_the_same(desk, tmp_path):
    def change(record):
        weights = record["learned"]["weights"][0]
        weights[0] += 1e-9 * max(map(abs, weights))

    assert "exact" in verified(desk, tmp_path, "noisy.json", change)


def test_a_run_that_was_not_right_on_every_row(desk, tmp_path):
    assert "stop reason" in verified(desk, tmp_path, "kernel.json", flipped_stop("kernel.json", desk))


def flipped_stop(model, desk):
    """A kernel rule that says it is right on every row, with labels that say otherwise."""

    def change(record):
        record["learned"]["stop_reason"] = "SEPARATED"
        for rule in record["learned"]["rules"]:
            rule["amounts"] = [-amount for amount in rule["amounts"]]

    return change


@pytest.mark.parametrize(
    ("model", "table", "by"),
    [
        ("noisy.json", "noisy.csv", "exact arithmetic"),
        ("voted.json", "noisy.csv", "predict"),
        ("kernel.json", "noisy.csv", "predict"),
        ("grades.json", "grades.csv", "exact arithmetic"),
    ],
)
def test_every_claim_tells_what_it_was_judged_by(desk, model, table, by):
    ran = run("verify", desk[model], desk[table], "--json")
    assert ran.code == 0
    found = {claim["claim"]: claim for claim in ran.record["claims"]}
    for claim in ("mistakes on the rows learned from", "mistakes on the rows held out"):
        assert found[claim]["by"] == by
        assert ("(counted by predict, in floating point)" in found[claim]["statement"]) is (by == "predict")
    assert any("A table cannot show why learning stopped" in each for each in ran.record["not_checked"])


def test_ties_that_are_right_make_no_rule_perfect(desk, tmp_path):
    """Under --ties correct zero weights are never corrected; what is said, proved and predicted still agrees."""
    out = tmp_path / "m.json"
    for algorithm in ("pocket", "perceptron", "fewest-mistakes"):
        ran = run(
            "fit", desk["noisy.csv"], "-t", "approved", "-a", algorithm, "--ties", "correct", "--hold-out", "0",
            "-o", out, "--force", "--json", "--seconds", "1",
        )  # fmt: skip
        assert ran.code == 0, ran
        wrong = ran.record["trained_mistakes"]
        assert wrong > 0
        assert ran.record["stop_reason"] != "The rule is right on every row."
        assert any(f"The rule makes {wrong} mistakes on 80 rows" in each for each in ran.record["proved"])
        assert run("verify", out, desk["noisy.csv"]).code == 0
        judged_again = run("predict", out, desk["noisy.csv"], "--judge", "--json", "-o", tmp_path / f"{algorithm}.csv")
        assert judged_again.record["error"]["mistakes"] == wrong


@pytest.mark.parametrize("weights", [None, "age"])
def test_costs_are_checked_with_the_weights_they_are_of(desk, tmp_path, weights):
    out = tmp_path / "m.json"
    given = [] if weights is None else ["--weights", weights]
    assert run("fit", desk["noisy.csv"], "-t", "approved", "-a", "pocket", "--class-weight", "no=3", *given,
               "-o", out, "--no-prove").code == 0  # fmt: skip
    ran = run("verify", out, desk["noisy.csv"], "--json")
    assert ran.code == 0
    assert {claim["claim"]: claim["holds"] for claim in ran.record["claims"]}["cost"] is True


def test_the_counts_of_a_tree(desk, tmp_path):
    out = tmp_path / "t.json"
    assert run("fit", desk["noisy.csv"], "-t", "approved", "-a", "tree", "-o", out).code == 0
    assert run("verify", out, desk["noisy.csv"]).code == 0
    record = json.loads(out.read_text())
    record["learned"]["tree"]["nodes"][0]["counts"][0] += 1.0
    (tmp_path / "liar.json").write_text(changed(json.dumps(record)))
    ran = run("verify", tmp_path / "liar.json", desk["noisy.csv"], "--json")
    assert [claim["claim"] for claim in ran.record["claims"] if claim["holds"] is False] == ["counts"]


def test_a_certificate_of_the_run_is_about_the_run(desk, tmp_path):
    """A perceptron's own certificate says what cannot be; whatever else is put there fails."""
    out = tmp_path / "m.json"
    given = ("-a", "perceptron", "--max-passes", "3", "--hold-out", "0", "-o", out)
    assert run("fit", desk["noisy.csv"], "-t", "approved", *given).code == 0
    record = json.loads(out.read_text())
    record["learned"]["certificate"] = [c for c in record["certificates"] if c["certificate"] == "error interval"]
    (tmp_path / "liar.json").write_text(changed(json.dumps(record)))
    ran = run("verify", tmp_path / "liar.json", desk["noisy.csv"])
    assert ran.code == 1
    assert "FAILS: a run cannot prove this kind of certificate: error interval" in ran.out


def test_an_error_by_cross_validation_is_not_said_to_hold(desk, tmp_path):
    out = tmp_path / "m.json"
    assert run("fit", desk["noisy.csv"], "-t", "approved", "-a", "averaged", "--folds", "4", "-o", out).code == 0
    ran = run("verify", out, desk["noisy.csv"])
    assert ran.code == 0
    assert "not checked: The error by cross-validation can be checked only by learning again." in ran.out
    record = json.loads(out.read_text())
    record["held_out"]["error"] |= {"rows": 10**6, "mistakes": 0, "lower": 0.0, "upper": 1.0}
    (tmp_path / "liar.json").write_text(changed(json.dumps(record)))
    ran = run("verify", tmp_path / "liar.json", desk["noisy.csv"])
    assert ran.code == 1
    assert "FAILS: The error by cross-validation does not fit these rows." in ran.out


def test_rows_of_weight_zero_do_not_count_and_that_is_said(tmp_path):
    (tmp_path / "w.csv").write_text("x,w,y\n1,1,no\n2,1,no\n3,1,yes\n4,1,yes\n0,0,yes\n9,0,no\n-1,0,yes\n")
    for algorithm in ("perceptron", "pocket", "kernel"):
        out = tmp_path / f"{algorithm}.json"
        ran = run("fit", tmp_path / "w.csv", "-t", "y", "-a", algorithm, "--weights", "w", "--hold-out", "0", "-o", out)
        assert "Stopped: The rule is right on every row whose weight is above 0." in ran.out
        ran = run("verify", out, tmp_path / "w.csv")
        assert ran.code == 0
        assert "holds: The rule is right on every row whose weight is above 0." in ran.out


@pytest.mark.parametrize("options", [["--class-weight", "balanced"], ["--class-weight", "yes=1e-300"]])
@pytest.mark.parametrize("algorithm", ["tree", "pocket"])
def test_what_is_weighted_is_counted_as_it_was(desk, tmp_path, algorithm, options):
    out = tmp_path / "m.json"
    ran = run("fit", desk["noisy.csv"], "-t", "approved", "-a", algorithm, "--weights", "income", *options, "-o", out)
    if ran.code == 0:
        assert run("verify", out, desk["noisy.csv"]).code == 0
    else:  # too small to count in
        assert (algorithm, ran.code) == ("tree", 3)


def test_a_proof_is_about_all_classes_at_once_and_a_forged_one_fails(desk, tmp_path):
    out = tmp_path / "p.json"
    run("check", desk["grades.csv"], "-t", "grade", "-o", out, "--seconds", "1")
    ran = run("verify", out, desk["grades.csv"])
    assert ran.code == 0
    assert "of 3 classes" in ran.out
    record = json.loads(out.read_text("utf-8"))
    for claim in record["claims"]:
        certificate = claim["certificate"]
        name = "weights" if "weights" in certificate else "multipliers"
        certificate[name][0] += type(certificate[name][0])(1)
        certificate["fingerprint"] = ""
    (tmp_path / "f.json").write_text(changed(json.dumps(record)))
    assert run("verify", tmp_path / "f.json", desk["grades.csv"]).code in (1, 3)
    record = json.loads(out.read_text("utf-8"))
    for claim in record["claims"]:
        claim["class"] = "A"  # the same numbers, said of one class against the rest
    (tmp_path / "g.json").write_text(changed(json.dumps(record)))
    ran = run("verify", tmp_path / "g.json", desk["grades.csv"])
    assert ran.code == 1
    assert "about 3 classes; the data has 2" in ran.out


@pytest.mark.parametrize("model", ["weighted_pocket", "weighted_tree"])
@pytest.mark.filterwarnings("error")
def test_costs_of_classes_that_overflow_are_refused(tmp_path, model):
    golden = Path(__file__).parents[1] / "golden" / "table"
    record = json.loads((golden / f"{model}.json").read_text("utf-8"))
    record["parameters"]["class_weight"][0][1] = 1e308
    (tmp_path / "m.json").write_text(changed(json.dumps(record)))
    assert run("verify", tmp_path / "m.json", golden / "applications.csv").code in (1, 3)


def test_more_mistakes_than_there_are_is_false_whatever_the_weights(desk, tmp_path):
    def change(record):
        del record["held_out"]["weights"]  # as older files are
        record["learned"]["mistakes"] = [1000]

    assert "mistakes" in verified(desk, tmp_path, "noisy.json", change)


def threshold_of(bias, weight):
    """A rule with its own constant for the threshold, which says that exports cannot round."""

    def change(record):
        record["settled"]["bias"] = record["parameters"]["bias_scale"] = bias
        record["learned"]["weights"][0][-1] = weight
        record["held_out"]["exact"] = True

    return change


@pytest.mark.parametrize(("bias", "weight"), [(1 / 3, 3.0), (2.0**-600, 2.0**-600), (14**0.5, 14**0.5)])
def test_a_threshold_whose_product_rounds_is_not_exact(desk, tmp_path, bias, weight):
    assert "exact" in verified(desk, tmp_path, "noisy.json", threshold_of(bias, weight))


def numbers_of(weight, **grid):
    """A rule that gives one weight to its first column of numbers, on a grid of its own, and none to the others."""

    def change(record):
        column = next(each for each in record["encoding"]["columns"] if each["kind"] == "number")
        column.update(grid)
        weights = record["learned"]["weights"][0]
        weights[:] = [0.0] * len(weights)
        weights[0] = weight
        record["held_out"]["exact"] = True
        del record["held_out"]["means"]

    return change


LOPSIDED = {"centre": 0.0, "scale": 1.0, "step": 1.0, "lowest": -(2.0**23), "highest": 0.0}
LARGE = {"centre": 0.0, "scale": 2.0**900, "step": 2.0**900, "lowest": -(2.0**910), "highest": 2.0**910}
TOO_LONG = {"centre": 0.0, "scale": 2.0, "step": 1.0, "lowest": 0.0, "highest": 2.0**25}


@pytest.mark.parametrize(
    ("weight", "grid", "claim"),
    [(1 + 2.0**-52, LOPSIDED, "exact"), (2.0**-500, LARGE, "exact"), (1.0, TOO_LONG, "refused")],
)
def test_points_that_round_are_not_exact(desk, tmp_path, weight, grid, claim):
    assert claim in verified(desk, tmp_path, "noisy.json", numbers_of(weight, **grid))


def test_one_heavy_row_does_not_cover_for_the_counts_of_others(tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "t.json"
    rows = [f"{k * 7 % 31},{'yes' if k % 10 > 4 else 'no'},{10**12 if k == 0 else 1}" for k in range(60)]
    table.write_text("\n".join(["x,y,w", *rows, ""]))
    assert run("fit", table, "-t", "y", "-a", "tree", "--weights", "w", "--hold-out", "0", "-o", out).code == 0
    record = json.loads(out.read_text())
    leaf = next(
        each for each in record["learned"]["tree"]["nodes"] if each["test"] is None and sum(each["counts"]) < 99
    )
    leaf["counts"] = [count + 500.0 for count in leaf["counts"]]
    out.write_text(changed(json.dumps(record)))
    ran = run("verify", out, table)
    assert ran.code == 1
    assert "do not match the training rows" in ran.out


def test_a_kernels_rows_are_rows_that_it_was_learned_from(desk, tmp_path):
    record = json.loads(desk.text("kernel.json"))
    assert run("verify", desk["kernel.json"], desk["noisy.csv"]).code == 0
    kept = record["learned"]["support"]
    gap = next((k for k in range(len(kept) - 1) if kept[k + 1] - kept[k] > 1), None)
    assert gap is not None

    def shifted(record):
        record["learned"]["support"][gap] += 1

    assert "support rows" in verified(desk, tmp_path, "kernel.json", shifted)


def test_what_nobody_can_check_about_rows_held_out_is_said(desk):
    ran = run("verify", desk["noisy.json"], desk["noisy.csv"], "--json")
    assert any("that the weights were learned without the held-out rows" in each for each in ran.record["not_checked"])


def test_reasons_change_no_label(tmp_path):
    """A rule whose threshold's product rounds: its labels are the exact ones, with reasons and without."""
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("x,y\n" + "".join(f"{k * 7 % 11},{'yes' if k * 7 % 11 > 4 else 'no'}\n" for k in range(60)))
    assert (
        run("fit", table, "-t", "y", "-a", "perceptron", "--kind", "x=number", "--hold-out", "0", "-o", model).code == 0
    )
    record = json.loads(model.read_text())
    column = record["encoding"]["columns"][0]
    column.update(centre=0.0, scale=1.0, step=1.0, lowest=-8.0, highest=8.0)
    record["settled"]["bias"] = record["parameters"]["bias_scale"] = 1 / 3  # times 3 it is a little below 1
    record["learned"]["weights"] = [[-1.0, 3.0]]
    record |= {"certificates": [], "data": None, "held_out": None}
    model.write_text(changed(json.dumps(record)))
    (tmp_path / "one.csv").write_text("x\n1\n0\n")
    labels = []
    for more in ((), ("--reasons", "1")):
        ran = run("predict", model, tmp_path / "one.csv", *more)
        assert ran.code == 0, ran.err
        labels.append([line.split(",")[0] for line in ran.out.splitlines()[1:]])
    assert labels[0] == labels[1]
    assert labels[0][0] == "no"
