"""--increasing and --decreasing, from the table to the page: kept, said, proved, and not to be taken out of a file."""

import json
from copy import deepcopy

import pytest

from cli.one_line import changed, check_one_line
from cli.running import run
from rosenblatt.prove.check.certificate import Certificate

USAGE = 2


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Loans that are granted against the constraints that will be put on them: no to high incomes, in part."""
    folder = tmp_path_factory.mktemp("constraints")
    rows = []
    for k in range(90):
        income, debts, since, phone, job = k * 37 % 101, k * 17 % 23, f"20{k % 20:02d}-01-0{k % 9 + 1}", k % 3, k % 4
        yes = income + 5 * debts - 3 * (k % 7) > 80
        missing = "" if k % 11 == 5 else income
        rows.append(f"{missing},{debts},{since},{'yn'[phone == 0]},{'abcd'[job]},{'yes' if yes else 'no'}")
    (folder / "loans.csv").write_text("income,debts,since,phone,job,granted\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def fitted(here):
    ran = run(
        "fit", here / "loans.csv", "-t", "granted", "--positive", "yes", "--increasing", "income", "--decreasing",
        "debts", "--increasing", "since", "--decreasing", "phone", "-a", "pocket", "-o", here / "m.json", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    return ran


def weights(here, name="m.json"):
    record = json.loads((here / name).read_text())
    rule = record["learned"]["weights"][0]
    at, found = 0, {}
    for column in record["encoding"]["columns"]:
        size = {"number": 1, "date": 1, "yes/no": 1, "category": len(column.get("values", ()))}[column["kind"]]
        size += bool(column.get("missing")) + bool(column.get("other"))
        found[column["name"]] = rule[at : at + size]
        at += size
    return found


def test_the_rule_keeps_them_and_every_record_says_so(here, fitted):
    assert fitted.record["constraints"] == {"increasing": ["income", "since"], "decreasing": ["debts", "phone"]}
    own = weights(here)
    assert own["income"][0] >= 0 >= own["debts"][0]
    assert own["since"][0] >= 0 >= own["phone"][0]
    assert any(statement.startswith("Under the constraints on 4 weights") for statement in fitted.record["proved"])
    assert any("the constraints leave no points to" in note for note in fitted.record["notes"])
    says = "The points never fall as income or since rises and never rise as debts or phone rises."
    assert says in run("explain", here / "m.json", columns=200).out
    checked = run("verify", here / "m.json", here / "loans.csv", "--json")
    assert checked.code == 0
    claim = {"claim": "constraints", "holds": True, "statement": says, "by": "exact arithmetic"}
    assert claim in checked.record["claims"]


def test_whole_points_keep_them(here, fitted):
    ran = run("explain", here / "m.json", here / "loans.csv", "--integers", "-o", here / "whole.json", "--json")
    assert ran.code == 0
    own = weights(here, "whole.json")
    assert own["income"][0] >= 0 >= own["debts"][0]
    assert run("verify", here / "whole.json", here / "loans.csv").code == 0


def without(*names):
    """Take constraints, or fields of the file, out again."""

    def change(record):
        for certificate in record["certificates"]:
            for each in [certificate, *certificate.get("contradictions", [])]:
                for name in names:
                    each.pop(name, None)

    return change


def other_constraints(record):
    record["parameters"]["monotonic_cst"]["increasing"].pop()


def none_at_all(record):
    del record["parameters"]["monotonic_cst"]


def on_the_missing_ones(record):
    record["parameters"]["monotonic_cst"]["increasing"].append(1)  # what an empty income counts


@pytest.mark.parametrize(
    "change", [without("increasing", "decreasing"), without("decreasing"), other_constraints, none_at_all]
)
def test_a_file_without_the_constraints_of_its_proofs_is_refused(here, fitted, change):
    record = json.loads((here / "m.json").read_text())
    before = deepcopy(record)
    change(record)
    assert record != before
    signed = [Certificate._from_record(_unsigned(each)).as_record() for each in record["certificates"]]
    (here / "forged.json").write_text(changed(json.dumps({**record, "certificates": signed})))
    ran = run("verify", here / "forged.json", here / "loans.csv", "--json")
    assert ran.code == 1
    failed = {claim["claim"] for claim in ran.record["claims"] if not claim["holds"]}
    assert failed & {"contradiction", "error interval"}


def _unsigned(certificate):
    inner = [_unsigned(each) for each in certificate.get("contradictions", [])]
    inner = [Certificate._from_record(each).as_record() for each in inner]
    return {**certificate, **({"contradictions": inner} if "contradictions" in certificate else {}), "fingerprint": ""}


def test_a_constraint_on_what_does_not_rise_is_no_claim(here, fitted):
    record = json.loads((here / "m.json").read_text())
    if record["learned"]["weights"][0][1] < 0:
        record["learned"]["weights"][0][1] = 0.0
    on_the_missing_ones(record)
    (here / "forged.json").write_text(changed(json.dumps(record)))
    ran = run("verify", here / "forged.json", here / "loans.csv", "--json")
    assert ran.code == 1
    assert "constraints" in {claim["claim"] for claim in ran.record["claims"] if not claim["holds"]}


@pytest.mark.parametrize("algorithm", ["auto", "cv", "soft-margin", "averaged", "perceptron"])
def test_every_algorithm_that_can_keeps_them(here, algorithm):
    out = here / f"{algorithm}.json"
    ran = run(
        "fit", here / "loans.csv", "-t", "granted", "--increasing", "income", "--decreasing", "debts", "-a", algorithm,
        "-o", out, "--folds", "3", "-f",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    own = weights(here, out.name)
    assert own["income"][0] >= 0 >= own["debts"][0]
    assert run("verify", out, here / "loans.csv").code == 0


def test_check_proves_it_for_rules_that_keep_them(here):
    table = here / "line.csv"
    table.write_text("a,b,y\n" + "".join(f"{k * k % 41},{k * 7 % 5},{'yn'[k * k % 41 > 20]}\n" for k in range(40)))
    ask = ("check", table, "-t", "y", "--positive", "y")
    assert run(*ask).code == 0
    ran = run(*ask, "--decreasing", "a", "-o", here / "proof.json")
    assert ran.code == 0
    assert "Separable under the constraints" in ran.out
    checked = run("verify", here / "proof.json", table)
    assert checked.code == 0
    assert "The points never rise as a rises." in checked.out
    ran = run(*ask, "--increasing", "a", columns=200)
    assert ran.code == 1
    assert "Not separable under the constraints" in ran.out
    assert "coincide, except in a, where they differ in the way that the constraints rule out." in ran.out
    assert "which is the fewest possible under the constraints" in ran.out
    assert run(*ask, "--increasing", "a", "--json").record["findings"][0]["constraints"]["increasing"] == ["a"]
    assert run("fit", table, "-t", "y", "--decreasing", "a", "-o", here / "line.json", "-f").code == 0
    assert "largest margin" in run("verify", here / "line.json", table).out


def test_equal_rows_contradict_each_other_whatever_the_constraints(here):
    table = here / "equal.csv"
    table.write_text("a,b,y\n" + "1,2,n\n1,2,y\n" + "".join(f"{k},{k % 3},{'yn'[k > 5]}\n" for k in range(12)))
    ran = run("check", table, "-t", "y", "--decreasing", "a", columns=200)
    assert "are the same in every column" in ran.out
    assert "the constraints rule out" not in ran.out


def test_a_forged_constraint_in_both_directions_is_no_claim(here):
    """Of steps, each edge has a weight of its own: that one rises and another falls says nothing of the column."""
    table = here / "waves.csv"
    table.write_text("x,y\n" + "".join(f"{k},{'yn'[k // 50 % 2]}\n" for k in range(200)))
    ran = run("fit", table, "-t", "y", "--steps", "x", "--increasing", "x", "-a", "averaged", "-o", here / "steps.json")
    assert ran.code == 0, ran.err
    record = json.loads((here / "steps.json").read_text())
    first, *rest = record["parameters"]["monotonic_cst"]["increasing"]
    assert rest
    record["parameters"]["monotonic_cst"] = {"increasing": [first], "decreasing": rest}
    for place in rest:
        record["learned"]["weights"][0][place] = 0.0
    (here / "forged.json").write_text(changed(json.dumps(record)))
    ran = run("verify", here / "forged.json", table, "--json")
    assert ran.code == 1
    (claim,) = [claim for claim in ran.record["claims"] if claim["claim"] == "constraints"]
    assert claim["holds"] is False


def test_the_page_says_so(here):
    pytest.importorskip("matplotlib", reason="reports need it")
    page = here / "page.html"
    ran = run("report", here / "loans.csv", "-t", "granted", "--increasing", "income", "-o", page, "-a", "averaged")
    assert ran.code == 0, ran.err
    assert "The points never fall as income rises." in page.read_text()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("--increasing incme", "--increasing: there is no column 'incme'; did you mean 'income'\\?"),
        ("--decreasing job", "--decreasing: column 'job' is read as a category; only numbers, dates and yes/no .*"),
        ("--increasing granted", "--increasing: 'granted' is the target"),
        ("--increasing debts --decreasing debts", "column 'debts' cannot be both --increasing and --decreasing"),
        ("--increasing debts --ignore debts", "--increasing: column 'debts' is left out: .*"),
        (
            "--steps debts --kind debts=category",
            "column 'debts' cannot be both category \\(--kind\\) and cut into steps \\(--steps\\)",
        ),
        ("--increasing debts -a tree", "the tree rule does not support --increasing and --decreasing; these do: .*"),
        (
            "--increasing debts -a kernel",
            "the kernel rule does not support --increasing and --decreasing; these do: .*",
        ),
        ("--increasing debts -a perceptron --normalize", "constraints on signs are not for normalize: .*"),
        ("--increasing debts -a perceptron --order worst", "constraints on signs need the order .*"),
    ],
)
def test_wrong_constraints_get_one_line(here, typed, says, monkeypatch):
    monkeypatch.chdir(here)
    check_one_line(here, (f"fit loans.csv -t granted -o new.json {typed}", USAGE, says))


def test_several_classes_have_no_order(here, monkeypatch):
    monkeypatch.chdir(here)
    says = "--increasing and --decreasing need a target of two classes; 'job' has 4, .*"
    check_one_line(here, ("fit loans.csv -t job -o new.json --increasing income", USAGE, says))


def test_numbered_features_are_named_by_their_numbers(here, monkeypatch):
    monkeypatch.chdir(here)
    (here / "numbers.svm").write_text("".join(f"{k % 2} 1:{k % 5} 3:{k % 7}.5\n" for k in range(60)))
    ran = run("fit", "numbers.svm", "-t", "label", "--increasing", "3", "-o", "n.json", "-a", "cv", "-f")
    assert ran.code == 0, ran.err
    assert "The points never fall as 3 rises." in ran.out
    assert run("verify", "n.json", "numbers.svm").code == 0
    check_one_line(here, ("fit numbers.svm -t label -o new.json --increasing 9", USAGE, ".*there is no feature '9'.*"))
