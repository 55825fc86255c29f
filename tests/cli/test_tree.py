"""A tree in the command: from a table with numbers, a date, categories, words, gaps and three classes to decisions."""

import re
import signal
import sqlite3

import numpy as np
import pytest

from cli.running import rows_of, run
from cli.test_page import PAGE, complaints
from rosenblatt.desk.data import encoded
from rosenblatt.desk.predict import predictions
from rosenblatt.learn.tree import pruning
from rosenblatt.read.sources import read_table
from rosenblatt.rules.tree import TreeRule
from rosenblatt.ship.file.modelfile import Model

TOWNS = ("Rome", "Oslo", "Bonn", "")
NOTES = ("late again", "paid early", "late and rude", "")


def letters(many=150):
    """Rows that a few tests part, but for some."""
    lines = ["id,size,sent,town,note,stamp,kind"]
    for k in range(many):
        size, year, town, note = k * 37 % 101, 2000 + k * 7 % 20, TOWNS[k * 5 % 7 % 4], NOTES[k * 11 % 13 % 4]
        kind = "bill" if "late" in note and size > 40 else "card" if town == "Rome" or year < 2006 else "ad"
        kind = "ad" if k % 29 == 3 else kind
        gap = "" if k % 17 == 5 else size
        lines.append(f"n{k},{gap},{year}-0{1 + k % 9}-1{k % 10},{town},{note},{('yes', 'no')[k % 3 == 0]},{kind}")
    return "\n".join(lines) + "\n"


HEAD, REST = "size,sent,town,note,stamp", ",2001-01-01,Rome,,yes"
FIT = ("--kind", "note=text", "--kind", "id=ignore", "-a", "tree", "-q")


@pytest.fixture(scope="module")
def post(tmp_path_factory):
    """letters.csv, and trees of it: by single columns, unpruned, and with perceptrons in nodes and leaves."""
    folder = tmp_path_factory.mktemp("post")
    (folder / "letters.csv").write_text(letters())
    for name, options in (
        ("plain", ("--set", "test=feature")),
        ("whole", ("--set", "test=feature", "--set", "prune=none", "--hold-out", "0")),
        ("slanted", ("--set", "test=perceptron", "--set", "leaves=perceptron", "--set", "max-depth=2")),
    ):
        ran = run("fit", folder / "letters.csv", "-t", "kind", "-o", folder / f"{name}.json", *FIT, *options)
        assert ran.code == 0, ran
        (folder / f"{name}.txt").write_text(ran.out)
    return folder


class TestFit:
    def test_for_people(self, post):
        told = (post / "plain.txt").read_text()
        assert "150 rows, 5 columns\n" in told
        assert "PerceptronTree, because you chose it." in told
        assert "were pruned, by cross-validation." in told
        assert re.search(r"Learned from \d+ rows: \d+ of them wrong", told)
        assert re.search(r"Error on new rows: \d+ mistakes? on \d+ held-out rows \(", told)
        assert re.search(r"The tree has \d+ nodes, \d+ of them leaves, and is \d+ tests deep.", told)
        assert re.search(r"^(\|   )*sent is up to 2005-\d\d-\d\d:$", told, re.M)
        assert re.search(r"^(\|   )*note (has|does not have) 'late':$", told, re.M)
        assert re.search(r"^(\|   )*town is .*Rome.*:$", told, re.M)

    def test_a_large_tree_is_shortened(self, post):
        told = (post / "whole.txt").read_text()
        more = re.search(r"\(and (\d+) lines more: rosenblatt explain MODEL --most (\d+) shows all\)", told)
        assert int(more[2]) == 40 + int(more[1])
        whole = run("explain", post / "whole.json").out.splitlines()
        assert len(whole) == 1 + int(more[2])
        assert run("explain", post / "whole.json", "--most", "40").out.splitlines()[:-1] == whole[:41]

    def test_for_programs(self, post, tmp_path):
        out = tmp_path / "m.json"
        options = ("--folds", "3", "--class-weight", "bill=4", "--set", "max-depth=3", "--json")
        found = run("fit", post / "letters.csv", "-t", "kind", "-o", out, *FIT, *options).record
        assert (found["algorithm"], found["estimator"], found["updates"]) == ("tree", "PerceptronTree", None)
        assert found["tree"]["depth"] <= 3
        assert found["error"]["rows"] == found["trained_rows"] == 150
        rule = Model.load(out).estimator
        assert (rule.max_depth, rule.class_weight) == (3, {1: 4.0})
        assert sum(rule.tree_.nodes[0].counts) > 150

    def test_weights_are_copies(self, post, tmp_path):
        rows = letters(60).splitlines()
        (tmp_path / "one.csv").write_text(
            "\n".join([f"{rows[0]},w", *(f"{r},{1 + k % 2}" for k, r in enumerate(rows[1:]))])
        )
        (tmp_path / "two.csv").write_text(
            "\n".join([rows[0], *(r for k, r in enumerate(rows[1:]) for _ in range(1 + k % 2))])
        )
        trees = []
        for name, more in (("one", ("--weights", "w")), ("two", ())):
            options = ("--hold-out", "0", "--set", "prune=none", "--set", "test=feature", *more)
            ran = run("fit", tmp_path / f"{name}.csv", "-t", "kind", "-o", tmp_path / f"{name}.json", *FIT, *options)
            assert ran.code == 0, ran
            trees.append(Model.load(tmp_path / f"{name}.json").estimator.tree_)
        assert [node.counts for node in trees[0].nodes] == [node.counts for node in trees[1].nodes]

    def test_a_table_that_stays_in_its_file(self, post):
        encoding = Model.load(post / "plain.json").encoding
        whole, large = (encoded(read_table(post / "letters.csv", large=how), encoding) for how in (False, True))
        np.testing.assert_array_equal(whole.seen_by(TreeRule).X.table, large.seen_by(TreeRule).X.table)
        assert (
            whole.some(whole.rows % 3 == 1).seen_by(TreeRule).fingerprint
            == large.seen_by(TreeRule).some(large.rows % 3 == 1).fingerprint
        )

    def test_a_table_that_is_too_large(self, post, tmp_path, monkeypatch):
        monkeypatch.setattr("rosenblatt.rules.tree_columns.MOST_LEARNED", 999)
        ran = run("fit", post / "letters.csv", "-t", "kind", "-o", tmp_path / "m.json", *FIT)
        assert ran.code == 3
        assert "150 rows of 10 columns are too many for a tree" in ran.err

    def test_options_from_a_file(self, post, tmp_path):
        (tmp_path / "o.toml").write_text('algorithm = "tree"\ntarget = "kind"\nset = ["max_depth=1", "prune=none"]\n')
        out = tmp_path / "m.json"
        found = run("fit", post / "letters.csv", "--config", tmp_path / "o.toml", "-o", out, "--json").record
        assert found["tree"]["depth"] == 1

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            (("--order", "cyclic"), "the tree rule has no option 'order'"),
            (("--set", "max_dept=3"), "the tree rule has no option 'max_dept'; did you mean 'max_depth'"),
            (("--set", "max-depth=deep"), "max_depth must be a whole number of at least 0, or None, not 'deep'"),
            (("--set", "max-depth=inf"), "max_depth must be a whole number of at least 0, or None, not inf"),
            (
                ("--set", "prune=some"),
                "prune must be a number of at least 0, 'cross-validation', 'one standard error', or None, not 'some'",
            ),
            (("--set", "categorical-features=3"), "the tree rule has no option 'categorical_features'"),
            (("--text", "hashed"), "a tree cannot use hashed words: use a vocabulary for 'note'"),
            (("--class-weight", "bill=0"), "class_weight must be above 0 for every class of a tree"),
        ],
    )
    def test_what_does_not_fit(self, given, told, post, tmp_path):
        ran = run("fit", post / "letters.csv", "-t", "kind", "-o", tmp_path / "m.json", *FIT, *given)
        assert ran.code == 2, ran
        assert ran.err.count("\n") == 1
        assert told in ran.err
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("criterion=foo", "criterion must be one of 'gain ratio', 'gini', 'mistakes', not 'foo'"),
            ("min-leaf=0", "min_leaf must be a number above 0, not 0"),
            (
                "prune=-1",
                "prune must be a number of at least 0, 'cross-validation', 'one standard error', or None, not -1",
            ),
        ],
    )
    @pytest.mark.parametrize("command", ["fit", "report"])
    def test_values_are_refused_before_anything_is_read(self, command, given, told, tmp_path):
        out = tmp_path / "out.html"
        ran = run(command, tmp_path / "nowhere.csv", "-t", "kind", "-o", out, *FIT, "--set", given)
        assert ran.code == 2
        assert ran.err == f"rosenblatt: {told}\n"


class TestPredict:
    @pytest.mark.parametrize("name", ["plain", "whole", "slanted"])
    def test_shares_and_conditions(self, name, post):
        rows = rows_of(
            run("predict", post / f"{name}.json", post / "letters.csv", "--reasons", "3", "--keep", "id").out
        )
        assert list(rows[0]) == [
            "id",
            "label",
            "score ad",
            "score bill",
            "score card",
            *(f"reason {k}" for k in (1, 2, 3)),
        ]
        for k in (0, 5, 77):
            shares = {label: float(rows[k][f"score {label}"]) for label in ("ad", "bill", "card")}
            assert sum(shares.values()) == pytest.approx(1.0)
            assert shares[rows[k]["label"]] == max(shares.values())
            way = run("explain", post / f"{name}.json", post / "letters.csv", "--row", k + 1, "--json").record["way"]
            conditions = [step["condition"] for step in way["steps"]][::-1]
            assert [rows[k][f"reason {r}"] for r in (1, 2, 3)] == [*conditions, "", "", ""][:3]
            assert way["label"] == rows[k]["label"]
            total = sum(way["counts"].values())
            assert shares == pytest.approx({label: count / total for label, count in way["counts"].items()})

    def test_blocks_do_not_matter(self, post, monkeypatch):
        model, table = Model.load(post / "slanted.json"), read_table(post / "letters.csv")
        whole = predictions(model, table, reasons_wanted=2).collect()
        monkeypatch.setattr("rosenblatt.rules.tree.MOST_NUMBERS", 70)
        assert predictions(model, table, reasons_wanted=2).collect().equals(whole)
        large = read_table(post / "letters.csv", large=True)
        assert predictions(model, large, reasons_wanted=2).collect().equals(whole)
        assert predictions(model, table).head(0).collect().is_empty()

    def test_rows_that_are_unlike_those_seen(self, post, tmp_path):
        table = tmp_path / "new.csv"
        table.write_text(f"{HEAD}\n1e300,1800-01-01,Paris,new words,maybe\nnan,soon,Rome,,\n")
        rows = rows_of(run("predict", post / "whole.json", table).out)
        assert [row["label"] in ("ad", "bill", "card") for row in rows] == [True] * 2
        said = "".join(run("explain", post / "whole.json", table, "--row", k).out for k in (1, 2))
        assert "town is" in said
        assert "it is Paris, a new value" in said

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("size,town\n1,Rome\n", "no columns 'sent', 'note', 'stamp'"),
            (f"{HEAD}\n1{REST}\nbig{REST}\n", "row 2, column 'size': 'big'"),
        ],
    )
    def test_a_table_that_does_not_fit(self, text, told, post, tmp_path):
        (tmp_path / "new.csv").write_text(text)
        ran = run("predict", post / "plain.json", tmp_path / "new.csv")
        assert ran.code == 3
        assert told in ran.err

    def test_two_classes_have_one_score(self, desk, tmp_path):
        out = tmp_path / "m.json"
        assert run("fit", desk["noisy.csv"], "-t", "approved", "-a", "tree", "-o", out, "-q").code == 0
        rows = rows_of(run("predict", out, desk["noisy.csv"]).out)
        assert list(rows[0]) == ["label", "score"]
        assert all((float(row["score"]) > 0.5) == (row["label"] == "yes") for row in rows if row["score"] != "0.5")
        assert "rows in this table" in run("predict", out, desk["noisy.csv"], "--judge").err

    def test_numbered_features(self, desk, tmp_path):
        out = tmp_path / "m.json"
        assert run("fit", desk["sparse.libsvm"], "-t", "label", "-a", "tree", "-o", out, "-q").code == 0
        assert len(rows_of(run("predict", out, desk["sparse.libsvm"], "--reasons", "1").out)) == 40
        assert "So label is" in run("explain", out, desk["sparse.libsvm"], "--row", "40").out
        assert run("verify", out, desk["sparse.libsvm"]).code == 0


class TestExplain:
    def test_the_way_of_a_row(self, post):
        lines = run("explain", post / "plain.json", post / "letters.csv", "--row", "3").out.splitlines()
        own = rows_of(letters())[2]
        assert [line.split(".")[0] for line in lines[:-1]] == [str(k + 1) for k in range(len(lines) - 1)]
        for line in lines[:-1]:
            column = line.split()[1]
            assert line.endswith((f": it is {own[column] or 'missing'}", f"{column} is missing"))
        assert re.fullmatch(r"So kind is \w+; training rows in this leaf: (\w+ \d+(, )?)+", lines[-1])

    def test_a_sum_tells_its_cells(self, post):
        way = run("explain", post / "slanted.json", post / "letters.csv", "--row", "1", "--json").record["way"]
        step = next(step for step in way["steps"] if step["is_sum"])
        assert len(step["cells"]) > 1
        assert step["score"] is None or isinstance(step["score"], float)

    def test_the_fields_on_the_page(self, post):
        body = re.search(r"^\| in `tree` and `way` \| type \| \|\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.M)[1]
        rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in body.splitlines()]
        known = {name: (kind.split(" or "), False) for name, kind, _ in rows}
        known |= {name: (["object"], False) for name in ("tree", "way")}
        seen = set()
        for name in ("plain", "slanted"):
            found = run("explain", post / f"{name}.json", post / "letters.csv", "--row", "7", "--json").record
            assert list(complaints({name: found[name] for name in ("tree", "way")}, "", known, seen)) == []
            assert found["card"] is None
        assert set(known) - seen == set()

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            (("letters.csv",), "FILE and --row require each other"),
            (("--row", "1"), "FILE and --row require each other"),
            (("letters.csv", "--row", "151"), "letters.csv has 150 rows; there is no row 151"),
            (("letters.csv", "--row", f"{10**30}"), f"letters.csv has 150 rows; there is no row {10**30}"),
            (("letters.csv", "--integers"), "the rule is a tree, which has tests instead of points"),
            (("letters.csv", "--row", "1", "--integers"), "cannot be used with --row, nor with a tree"),
        ],
    )
    def test_what_does_not_fit(self, given, told, post):
        ran = run("explain", post / "plain.json", *(str(post / g) if g.endswith("csv") else g for g in given))
        assert ran.code == 2
        assert told in ran.err

    def test_other_rules_have_no_way(self, desk):
        ran = run("explain", desk["noisy.json"], desk["noisy.csv"], "--row", "1")
        assert ran.code == 2
        assert "for other rules, use predict --reasons" in ran.err


class TestExport:
    def test_sql_and_python_say_what_predict_says(self, post):
        rows = [{name: cell or None for name, cell in row.items()} for row in rows_of(letters())]
        said = [row["label"] for row in rows_of(run("predict", post / "slanted.json", post / "letters.csv").out)]
        base, module = sqlite3.connect(":memory:"), {"__name__": "letters"}
        base.execute(
            "create table letters (id text, size real, sent text, town text, note text, stamp text, kind text)"
        )
        base.executemany("insert into letters values (?, ?, ?, ?, ?, ?, ?)", [list(row.values()) for row in rows])
        found = base.execute(run("export", post / "slanted.json", "--to", "sql", "--table", "letters").out)
        names = [each[0] for each in found.description]
        assert [row[names.index("label")] for row in found] == said
        exec(run("export", post / "slanted.json", "--to", "python").out, module)
        assert [module["predict"](row) for row in rows] == said

    def test_json_is_the_model(self, post):
        assert run("export", post / "plain.json", "--to", "json").out == (post / "plain.json").read_text()

    @pytest.mark.parametrize("to", ["onnx", "pmml"])
    def test_what_is_not_written(self, to, post, tmp_path):
        ran = run("export", post / "plain.json", "--to", to, "-o", tmp_path / "out")
        assert ran.code == 2
        assert f"a tree can be exported to sql, python or json, not to {to}" in ran.err
        assert not list(tmp_path.iterdir())


class TestVerify:
    def test_what_is_claimed_holds(self, post):
        ran = run("verify", post / "slanted.json", post / "letters.csv")
        assert ran.code == 0
        assert "11 claims checked: all hold." in ran.out

    def test_another_table_and_another_number_fail(self, post, tmp_path):
        (tmp_path / "other.csv").write_text(letters().replace(",Rome,", ",Bonn,", 1))
        ran = run("verify", post / "plain.json", tmp_path / "other.csv")
        assert ran.code == 1
        assert "FAILS: The data differs" in ran.out
        model = Model.load(post / "plain.json")
        model.held_out["trained_mistakes"] += 1
        model.save(tmp_path / "liar.json")
        ran = run("verify", tmp_path / "liar.json", post / "letters.csv")
        assert ran.code == 1
        assert re.search(r"FAILS: The rule makes (\d+) mistakes on the \d+ training rows, not \d+.", ran.out)


def test_report(post, tmp_path):
    pytest.importorskip("matplotlib")
    page = tmp_path / "r.html"
    ran = run("report", post / "letters.csv", "-t", "kind", "-o", page, *FIT, "--set", "max-depth=2", "--json")
    assert ran.code == 0, ran
    assert ran.record["tree"]["depth"] == 2
    text = page.read_text()
    assert '<figure class="tree"><svg' in text
    assert "town is" in text.split("<pre>")[1]
    assert "points" not in text.split("Mistakes</h2>")[1].split("</section>")[0]
    assert run("verify", tmp_path / "r.json", post / "letters.csv").code == 0


def test_ctrl_c_keeps_the_tree(post, tmp_path, monkeypatch):
    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        return grow(*given)

    grow, out = pruning.grow, tmp_path / "m.json"
    monkeypatch.setattr(pruning, "grow", interrupted)
    ran = run("fit", post / "letters.csv", "-t", "kind", "-o", out, *FIT)
    assert ran.code == 130, ran
    assert "Interrupted: this is the best rule so far." in ran.out
    assert (
        "Stopped: It was interrupted before it was pruned: expect more mistakes on new rows than on these." in ran.out
    )
    assert re.search(r"Error on new rows: \d+ mistakes? on \d+ held-out rows \(", ran.out)
    assert len(re.findall(r" on the \d+ held-out rows", run("verify", out, post / "letters.csv").out)) == 1
    assert [column.name for column in Model.load(out).estimator.tree_.columns][:2] == ["size", "sent"]
    assert len(rows_of(run("predict", out, post / "letters.csv").out)) == 150
