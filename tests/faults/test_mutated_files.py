"""Fields that say something else than they said, signed again: refused in one line, or used as they then are.

`fuzz_files.py` tries as many as there is time for.
"""

import json

import pytest

from cli.running import run
from faults.fuzz_files import counted
from faults.mutating import GOLDEN, each_field, signed, subjects
from rosenblatt.desk.verifying.verify import claims_in
from rosenblatt.errors import ModelError

STRIDE = 47  # a prime, so that every change meets fields of every file


def test_changed_fields_of_all_golden_files_are_refused_in_words_or_used():
    tally = counted(each_field(STRIDE))
    assert tally.files > 1000
    assert {subject.kind for subject in subjects()} == {"model", "proof", "certificate"}
    assert tally.faults == []
    used = {code.split()[0] for code in tally.codes}
    assert used >= {"predict", "explain", "verify", "export"}  # some are used


def altered(name, *path, to):
    """The text of a golden file with one field changed."""
    record = json.loads((GOLDEN / name).read_text("utf-8"))
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    return signed(record)


@pytest.mark.parametrize(
    ("name", "path", "to", "told"),
    [
        ("table/model.json", "held_out part", "x", "held_out.part must be .* number from 0 to"),
        ("table/model.json", "held_out part", [1], "held_out.part must be"),
        ("table/model.json", "held_out part", -0.2, "held_out.part must be"),
        ("table/model.json", "held_out part", 1.0, "held_out.part must be"),
        ("table/model.json", "held_out seed", "x", "held_out.seed must be a whole number of at least 0, not 'x'"),
        ("table/model.json", "held_out folds", 2.0, "held_out.folds must be a whole number"),
        ("table/model.json", "held_out trained_mistakes", 64, "more mistakes than rows"),
        ("table/model.json", "held_out exact", 1, "held_out.exact must be true or false"),
        ("table/model.json", "held_out error", {}, "held_out.error lacks rows"),
        ("table/model.json", "held_out error rows", 3, "4 mistakes on 3 rows are impossible"),
        ("table/model.json", "held_out error upper", 0.1, "does not fit these counts"),
        ("table/model.json", "held_out error confidence", 1.5, "confidence must be .* from 0 to 1, not 1.5"),
        ("table/model.json", "held_out means", "words", "held_out.means must be a list"),
        ("table/model.json", "held_out means 3", "words", r"means\[3\] must be a number with a decimal point"),
        ("table/model.json", "held_out means 3", -1.0, "a feature of column 'job' cannot have -1.0"),
        ("table/model.json", "held_out means 0", 1e308, "a feature of column 'age' cannot have 1e[+]308"),
        ("table/model.json", "held_out means", [0.5], "means must have 14 entries, not 1"),
        ("table/tree.json", "held_out part", "x", "held_out.part must be"),
        ("table/decided.json", "decision", None, "decision must be an object"),
        ("table/decided.json", "decision rung lower", 1, "decision.rung.lower must be a finite number, not 1"),
        ("table/decided.json", "decision rung lower", 1.0, "decision: the cut-offs must be .* not above the upper one"),
        ("table/decided.json", "decision probability kind", "x", "must be one of steps, .*, one-vs-rest, by-lead"),
        ("table/decided.json", "decision probability edges", [0.5], "1 edges need 2 values, not"),
        ("table/decided.json", "decision probability lower 0", -0.1, "probabilities must be from 0 to 1"),
        ("table/decided.json", "encoding target classes", ["no", "ask a person"], "a class is called 'ask a person'"),
        ("classes/decided.json", "decision rung lower", 0.5, "with more than two classes there is no lower cut-off"),
        ("classes/decided.json", "decision probability classes", [], "the probabilities are for 0 classes, not 3"),
        ("classes/decided.json", "decision probability classes 0 values 0", 1.5, r"classes\[0\]: probabilities must"),
        ("table/model.json", "settled bias", 1e308, "settled.bias must be a finite number from 0 to"),
        ("table/tree.json", "classes labels", [0, 2], "numbers of the target's classes, 0 to 1"),
        ("table/model.json", "classes labels", [1, 2], "numbers of the target's classes, 0 to 1"),
        ("table/model.json", "parameters ties", "foo", "parameters.ties must be one of mistake, plus, minus, correct"),
        ("table/model.json", "parameters max_passes", -1, "max_passes must be .* of at least 1.*, not -1"),
        ("models/online.json", "parameters ledger", 2**64, "ledger must be .* of at least 1.*, not 1844674407"),
        ("classes/voted.json", "learned tallies 2 last 9", -1e308, "so large that their mean overflows"),
        ("table/tree.json", "parameters folds", 1, "folds must be .* of at least 2.*, not 1"),
        ("table/model.json", "encoding columns 1 scale", 2.0**-900, "'age': the scale is too small"),
        ("numbered/model.json", "encoding columns 0 count", 2**31 - 1, "count must be from 1 to 2\\^24"),
        ("numbered/model.json", "encoding columns 0 step", 2.0**1000, "step and highest do not fit together"),
        ("numbered/model.json", "encoding columns 0 numbers", [1, 2], "9 features must have 9 numbers, not 2"),
        ("numbered/model.json", "encoding columns 0 numbers", [2, 1], "numbers must be increasing whole numbers"),
        ("numbered/model.json", "encoding columns 0 numbers", ["a"], "numbers must be increasing whole numbers"),
    ],
)  # fmt: skip
def test_a_field_of_another_kind_or_out_of_range_is_named(name, path, to, told, tmp_path):
    keys = [int(key) if key.isdigit() else key for key in path.split()]
    (tmp_path / "m.json").write_text(altered(name, *keys, to=to))
    with pytest.raises(ModelError, match=f"m.json: .*{told}"):
        claims_in(str(tmp_path / "m.json"))


def test_a_record_in_other_words_is_kept_as_it_is(tmp_path):
    text = altered("table/model.json", "held_out", to={"error": 0.1, "judged by": ["a colleague"]})
    (tmp_path / "m.json").write_text(text)
    assert claims_in(str(tmp_path / "m.json")).held_out == {"error": 0.1, "judged by": ["a colleague"]}


@pytest.mark.parametrize("to", ["sql", "python", "pmml", "onnx"])
@pytest.mark.parametrize(("place", "weight"), [(0, -1e308), (14, 1e308)])
def test_scores_that_overflow_are_told_of_by_every_export_and_predicted_exactly(place, weight, to, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(altered("table/model.json", "learned", "weights", 0, place, to=weight))
    ran = run("export", path, "--to", to, "-o", tmp_path / "out")
    assert ran.code == 2
    assert "the weights are so large that scores overflow" in ran.err
    ran = run("predict", path, GOLDEN / "table" / "applications.csv", "-q")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 81


def test_points_that_overflow_have_no_scorecard(tmp_path):
    record = json.loads((GOLDEN / "table/model.json").read_text("utf-8"))
    record["learned"]["weights"][0] = [weight * 1e-307 for weight in record["learned"]["weights"][0]]
    (tmp_path / "m.json").write_text(signed(record))
    ran = run("explain", tmp_path / "m.json")
    assert ran.code == 2
    assert "points overflow" in ran.err
