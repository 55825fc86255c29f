"""Monitor: no alarm where nothing changed, and the right words where something did."""

import json
import re

import numpy as np
import polars as pl
import pytest

from cli.one_line import BAD, USAGE, changed, check_one_line
from cli.running import run

N = 1000


def rows(seed, many=N):
    """Applications, drawn in the same way by every seed."""
    rng = np.random.default_rng(seed)
    age, income = rng.integers(18, 70, many), np.round(rng.lognormal(8, 0.7, many), 2)
    jobs = rng.choice(["clerk", "cook", "pilot", "nurse"], many, p=[0.5, 0.3, 0.15, 0.05])
    since = pl.Series(16_436 + rng.integers(0, 1826, many)).cast(pl.Date)
    good = income + 40 * age + 300 * rng.normal(size=many) > 4800
    return pl.DataFrame({"age": age, "income": income, "job": jobs, "since": since, "ok": np.where(good, "yes", "no")})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("monitor")
    rows(1).write_csv(made / "old.csv")
    for name, more in (("model", ()), ("folds", ("--folds", "2")), ("tree", ("-a", "tree"))):
        fit = ("fit", made / "old.csv", "-t", "ok", "-a", "averaged", "--no-prove", "-o", made / f"{name}.json")
        ran = run(*fit, *more)
        assert ran.code == 0, ran
    return made


def monitored(folder, table, *options, model="model"):
    table.write_csv(folder / "new.csv")
    ran = run("monitor", folder / f"{model}.json", folder / "new.csv", "--json", "--fail-on-change", *options)
    assert ran.code == ran.record["changed"], ran
    return ran.record


def column(found, name):
    return next(each for each in found["columns"] if each["column"] == name)


@pytest.mark.parametrize("model", ["model", "folds", "tree"])
def test_rows_drawn_alike_raise_no_alarm(folder, model):
    for seed in range(2, 7):
        found = monitored(folder, rows(seed), model=model)
        assert not found["changed"]
        assert found["verdict"].startswith("The new data looks like the old: its columns")
        assert found["comparable"] is (model != "folds")
        assert found["error"]["p_value"] > 0.01


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("income", pl.col("income") * 1.5, "higher: the median was about 2.* and is now 4"),
        ("income", pl.col("income") / 100, "lower: the median was about 2.* and is now [23]"),
        ("income", pl.when(pl.int_range(pl.len()) % 4 > 0).then("income"), "missing: 25.0% now, 0.0% before"),
        ("income", pl.col("income") * 1e9, "far out of range: .*% now, 0.0% before"),
        ("job", pl.col("job").replace("cook", "chef"), "unknown values, such as 'chef': [23].*% now, 0.0% before"),
        ("job", pl.col("job").replace("cook", "clerk"), "cook: 0.0% now, [23].*% before"),
        ("since", pl.col("since").dt.offset_by("2y"), "later: the median was about 2017-.* and is now 2019-"),
    ],
)
def test_what_changed_is_told(folder, name, change, says):
    found = monitored(folder, rows(2).with_columns(change.alias(name)))
    assert found["changed"]
    first = found["columns"][0]
    assert first["column"] == name
    assert [each["column"] for each in found["columns"] if each["changed"]] == [name]
    assert pytest.approx(1, abs=1e-9) == sum(each["new"] for each in first["cells"]) / N
    assert re.match(says, first["statement"]), first["statement"]
    assert f"1 of 4 columns ({name})" in found["verdict"]


def test_a_small_difference_of_many_rows_is_told_as_small(folder):
    many = 200_000
    rows(3, many).write_csv(folder / "many.csv")
    found = monitored(folder, rows(2, many).with_columns(pl.col("income") * 1.03), "--old", folder / "many.csv")
    income = column(found, "income")
    assert income["adjusted"] < 1e-6
    assert income["index"] < 0.1
    assert not found["changed"]
    assert "1 column differs slightly." in found["verdict"]


def test_more_mistakes_are_told(folder):
    some = pl.when(pl.int_range(pl.len()) % 3 > 0).then("ok").otherwise(pl.lit("yes"))
    found = monitored(folder, rows(2).with_columns(some.alias("ok")))
    assert found["changed"]
    assert found["error"]["higher"]
    assert "makes clearly more mistakes" in found["verdict"]
    assert not any(each["changed"] for each in found["columns"])
    assert monitored(folder, rows(2).drop("ok"))["error"] is None


def test_decisions_and_scores_change_with_what_the_rule_uses(folder):
    found = monitored(folder, rows(2).with_columns(pl.col("income") * 3))
    assert found["score"]["changed"]
    assert found["decisions"]["changed"]
    (rate,) = found["rates"]
    assert rate["label"] == "yes"
    assert rate["changed"]
    assert rate["lower"] > rate["before_upper"]
    assert "and so have the scores and the decisions" in found["verdict"]
    folds = monitored(folder, rows(2).with_columns(pl.col("income") * 3), model="folds")
    assert not folds["score"]["changed"]  # scores of rows learned from are no fair comparison


def test_one_row_is_too_few_for_an_alarm_and_the_words_say_so(folder):
    found = monitored(folder, rows(2, 1))
    assert not found["changed"]
    assert found["verdict"].endswith("But 1 row can only show large changes.")


def test_a_page_has_a_picture_of_what_changed(folder):
    table = rows(2).with_columns(pl.col("job").replace("cook", "<b>chef</b>"))
    found = monitored(folder, table, "--report", folder / "page.html")
    page = (folder / "page.html").read_text("utf-8")
    assert found["report"] == str(folder / "page.html")
    assert found["verdict"] in page
    assert page.count("<svg") == 3  # the column, the scores, the decisions
    assert page.count('role="img" aria-label="') == 3
    assert 'aria-label="job. clerk: old rows' in page
    assert "&lt;b&gt;chef" in page
    assert "<b>chef" not in page
    assert not any(outside in page for outside in ("<script", "http://", "https://", "<link", "<img"))
    again = run("monitor", folder / "model.json", folder / "new.csv", "--report", folder / "page.html")
    assert again.code == USAGE
    assert again.err == f"rosenblatt: {folder / 'page.html'} already exists; use --force to overwrite\n"


def test_text_and_numbered_features_and_several_classes(desk):
    pairs = (("sparse", "sparse.libsvm"), ("grades", "grades.csv"), ("kernel", "noisy.csv"), ("voted", "noisy.csv"))
    for model, table in pairs:
        ran = run("monitor", desk[f"{model}.json"], desk[table], "--json", "--fail-on-change")
        assert ran.code == 0, ran
        assert ran.record["rates"]
    assert len(run("monitor", desk["grades.json"], desk["grades.csv"], "--json").record["rates"]) == 3


def bare(text):
    """A model without a profile, as older versions wrote it."""
    return changed(json.dumps({name: value for name, value in json.loads(text).items() if name != "profile"}))


HEAD = "age,income,job,owner,since,approved\n"
ERRORS = {
    "no rows": ("monitor clean.json none.csv", BAD, "none.csv: there are no rows", ("none.csv", HEAD)),
    "an empty file": ("monitor clean.json none.csv", BAD, "none.csv: the file is empty", ("none.csv", "")),
    "a missing column": (
        "monitor clean.json less.csv", BAD, "less.csv: the table has no column 'income'",
        ("less.csv", "age,job,owner,since\n20,cook,yes,2012-01-10\n"),
    ),
    "words for numbers": (
        "monitor clean.json words.csv", BAD, "words.csv: row 1, column 'income': 'much' is not a number",
        ("words.csv", "age,income,job,owner,since\n20,much,cook,yes,2012-01-10\n"),
    ),
    "no profile": (
        "monitor bare.json clean.csv", BAD,
        "the model has no profile of the rows it was learned from; name a table of those rows with --old",
        ("bare.json", lambda texts: bare(texts["clean.json"])),
    ),
    "numbered features": (
        "monitor clean.json sparse.libsvm", BAD,
        "sparse.libsvm: the table has numbered features, but the rule was learned from named columns", None,
    ),
    "a proof": ("monitor proof.json clean.csv", BAD, "proof.json: it is JSON, but not a rosenblatt model", None),
    "no such table": ("monitor clean.json nowhere.csv", BAD, "nowhere.csv: no such file", None),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case, here):
    *typed, file = ERRORS[case]
    check_one_line(here, tuple(typed), file)


def test_old_rows_may_come_from_a_table(here):
    (here / "bare.json").write_text(bare((here / "clean.json").read_text()))
    ran = run("monitor", "bare.json", "noisy.csv", "--old", "clean.csv", "--json")
    assert ran.code == 0
    assert ran.record["old_rows"] == ran.record["new_rows"] == 80
    assert all(each["index"] == 0 for each in ran.record["columns"])
    assert ran.record["columns"][0]["p_value"] == 1.0
