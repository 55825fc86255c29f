"""Every command does its work: for people and for programs, with results on stdout and notes on stderr."""

import gzip
import os
import re

import polars as pl
import pytest

from cli.running import loans, rows_of, run
from rosenblatt import __version__, load_model

ALGORITHMS = ("perceptron", "pocket", "lifted", "averaged", "voted", "margin", "kernel", "pa", "soft-margin")


def test_version():
    assert run("--version").out == f"rosenblatt {__version__}\n"


def test_the_options_of_an_algorithm_are_listed_without_a_table():
    for command in ("fit", "report"):
        ran = run(command, "--options", "tree")
        assert ran.code == 0
        assert (
            "max_depth : int of at least 0 or None, default=None\n    The most tests on the way to a leaf.\n" in ran.out
        )
        assert ran.err == ""


class TestCheck:
    def test_of_separable_rows_says_yes(self, desk):
        ran = run("check", desk["clean.csv"], "-t", "approved")
        assert ran.code == 0
        assert "80 rows, 5 columns as 8 features" in ran.out
        assert "Separable: a line is right on every row." in ran.out
        assert "Largest margin 0." in ran.out
        assert "target approved: no 27, yes 53; positive: yes" in ran.out
        assert ran.err == ""

    def test_of_other_rows_says_no_and_shows_the_contradiction(self, desk):
        ran = run("check", desk["noisy.csv"], "-t", "approved")
        assert ran.code == 1
        assert "Not separable: no line is right on every row." in ran.out
        assert "rows contradict each other" in ran.out
        assert "A rule with 5 mistakes was found, which is the fewest possible." in ran.out

    def test_two_equal_rows_are_named(self, tmp_path):
        (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n3,a\n2,a\n")
        ran = run("check", tmp_path / "t.csv", "-t", "y")
        assert ran.code == 1
        assert "are the same in every column, but y is" in ran.out
        rows = run("check", tmp_path / "t.csv", "-t", "y", "--json").record["findings"][0]["contradiction"]
        assert sorted(row["row"] for row in rows) == [2, 4]
        assert [row["cells"]["x"] for row in rows] == [2, 2]

    def test_without_the_fewest_mistakes(self, desk):
        ran = run("check", desk["noisy.csv"], "-t", "approved", "--no-fewest", "--json")
        assert ran.record["findings"][0]["fewest_mistakes"] is None

    def test_of_three_classes(self, desk):
        ran = run("check", desk["grades.csv"], "-t", "grade", "--json")
        assert [each["class"] for each in ran.record["findings"]] == [None]  # all at once
        assert ran.code == (0 if all(ran.record["separable"]) else 1)

    def test_positive_and_kinds_are_heard(self, desk):
        ran = run("check", desk["clean.csv"], "-t", "approved", "--positive", "no", "--kind", "job=ignore", "--json")
        assert ran.record["positive"] == "no"
        assert ran.record["classes"] == ["yes", "no"]
        column = next(each for each in ran.record["columns"] if each["name"] == "job")
        assert column["kind"] == "ignore"
        assert column["why"]

    def test_without_time_for_a_proof(self, desk):
        ran = run("check", desk["noisy.csv"], "-t", "approved", "--seconds", "1e-9")
        assert ran.code == 1
        assert "Undecided. Time ran out before there was a proof either way." in ran.out
        assert run("check", desk["noisy.csv"], "-t", "approved", "--seconds", "1e-9", "--json").record["separable"] == [
            None
        ]

    def test_a_margin_that_is_not_found_in_time_has_bounds(self, desk, monkeypatch):
        from rosenblatt.prove.solve.margin import largest

        def hurried(examples, clock, **given):
            clock.most_work = 0.0
            return largest(examples, clock=clock, **given)

        monkeypatch.setattr("rosenblatt.desk.check.largest", hurried)
        ran = run("check", desk["clean.csv"], "-t", "approved")
        assert ran.code == 0
        assert "The largest margin is between 0.0" in ran.out
        assert "The default budget of work was spent; use --seconds N to allow N seconds" in ran.out
        found = run("check", desk["clean.csv"], "-t", "approved", "--json").record["findings"][0]
        assert 0 < found["margin"]["lower"] < found["margin"]["upper"]
        assert found["most_updates"] > 0

    def test_rows_without_a_target(self, tmp_path):
        table = tmp_path / "t.csv"
        table.write_text("x,y\n1,a\n2,\n3,b\n4,b\n0,a\n")
        assert run("check", table, "-t", "y").code == 3
        assert run("check", table, "-t", "y", "--drop-missing-target", "--json").record["rows"] == 4


class TestSources:
    def test_standard_input(self, desk):
        ran = run("check", "-", "-t", "approved", "--json", stdin=desk.text("clean.csv").encode())
        assert ran.record["source"] == "stdin"
        assert ran.record["rows"] == 80

    def test_several_files_and_patterns(self, tmp_path):
        (tmp_path / "part1.csv").write_text(loans(40))
        (tmp_path / "part2.csv").write_text(loans(30))
        both = run("check", tmp_path / "part1.csv", tmp_path / "part2.csv", "-t", "approved", "--json")
        pattern = run("check", tmp_path / "part*.csv", "-t", "approved", "--json")
        assert both.record["rows"] == pattern.record["rows"] == 70

    @pytest.mark.parametrize("suffix", [".csv.gz", ".tsv", ".parquet", ".ndjson", ".arrow"])
    def test_other_formats_give_the_same_verdict(self, suffix, desk, tmp_path):
        frame, path = pl.read_csv(desk["noisy.csv"], try_parse_dates=True), tmp_path / f"t{suffix}"
        if suffix == ".csv.gz":
            path.write_bytes(gzip.compress(desk.text("noisy.csv").encode()))
        elif suffix == ".tsv":
            frame.write_csv(path, separator="\t")
        else:
            {".parquet": frame.write_parquet, ".ndjson": frame.write_ndjson, ".arrow": frame.write_ipc}[suffix](path)
        ran = run("check", path, "-t", "approved", "--json", "--quiet")
        expected = run("check", desk["noisy.csv"], "-t", "approved", "--json").record
        assert ran.record["features"] == expected["features"]
        assert ran.record["findings"][0]["fewest_mistakes"] == expected["findings"][0]["fewest_mistakes"]

    def test_a_file_without_a_header_is_noted(self, tmp_path):
        (tmp_path / "t.data").write_text("".join(f"{k},{k * k % 7},{'ab'[k % 2]}\n" for k in range(30)))
        ran = run("check", tmp_path / "t.data", "-t", "c3")
        assert "note: " in ran.err
        assert "no header: columns are named c1, c2, ..." in ran.err
        assert run("check", tmp_path / "t.data", "-t", "c3", "--quiet").err == ""


class TestFit:
    def test_auto_compares_proves_and_judges(self, desk, tmp_path):
        ran = run("fit", desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "m.json")
        assert ran.code == 0
        assert "PerceptronCV, because it aims at few errors on new rows; the rows are proved not separable." in ran.out
        assert "errs least on rows not learned from: on " in ran.out
        assert "(one class for every row errs on " in ran.out
        assert "Proved: No weights are right on all 69 rows" in ran.out
        assert re.search(r"Proved: The rule makes \d+ mistakes on 69 rows, and no rule makes fewer than \d+.", ran.out)
        assert "Error on new rows: " in ran.out
        assert run("verify", tmp_path / "m.json", desk["noisy.csv"]).code == 0

    @pytest.mark.parametrize("judged", [(), ("--folds", "3")])
    def test_a_tree_is_chosen_where_no_line_helps(self, judged, tmp_path):
        table, model = tmp_path / "xor.csv", tmp_path / "m.json"
        cells = [(a, b, "same" if (a < 4) == (b < 4) else "other") for a in range(8) for b in range(8)]
        table.write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in 2 * cells))
        options = ("-t", "y", "--also", "tree", *judged, "-o", model, "--json")
        found = run("fit", table, *options).record
        assert found["algorithm"] == "tree"
        rates = "it errs on (.+)% of rows not learned from, the best linear rule on (.+)%"
        why = f"it aims at few errors on new rows: {rates}"
        tree, linear = map(float, re.fullmatch(why, found["why"]).groups())
        assert 2 * tree < linear
        assert 2 * found["error"]["mistakes"] < found["baseline"]["cost"]
        assert run("verify", model, table).code == 0
        told = run("fit", table, "-t", "y", "--also", "averaged", "--no-prove", "-o", model, "--force", "--json").record
        assert told["algorithm"] == "cv"
        assert any(note.startswith("averaged errs on ") for note in told["notes"])

    def test_the_fewest_mistakes_are_proved_and_judged(self, desk, tmp_path):
        ran = run("fit", desk["clean.csv"], "-t", "approved", "-a", "fewest-mistakes", "-o", tmp_path / "m.json")
        assert ran.code == 0
        assert "Perceptron, because the rows are proved separable; it starts from the largest margin." in ran.out
        assert "Proved: The rule makes 0 mistakes on 69 rows, which is the fewest possible." in ran.out
        assert "Error on new rows: " in ran.out
        assert "95% confidence interval" in ran.out
        assert f"Model written to {tmp_path / 'm.json'}" in ran.out
        assert load_model(tmp_path / "m.json").n_features_in_ == 8

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_every_algorithm_and_what_follows(self, algorithm, desk, tmp_path):
        model = tmp_path / "m.json"
        ran = run("fit", desk["noisy.csv"], "-t", "approved", "-a", algorithm, "-o", model, "--json", "--seconds", "1")
        assert ran.code == 0
        assert ran.record["algorithm"] == algorithm
        labels = [row["label"] for row in rows_of(run("predict", model, desk["noisy.csv"]).out)]
        own = [row["approved"] for row in rows_of(desk.text("noisy.csv"))]
        wrong = sum(mine != theirs for mine, theirs in zip(labels, own, strict=True))
        assert wrong == ran.record["trained_mistakes"] + ran.record["error"]["mistakes"]
        assert run("verify", model, desk["noisy.csv"]).code == 0

    def test_the_seed_chooses_the_rows_held_out(self, desk, tmp_path):
        def trained(seed):
            options = ("-a", "averaged", "--seed", seed, "-o", tmp_path / "m.json", "--force", "--json")
            return run("fit", desk["noisy.csv"], "-t", "approved", *options).record["trained_rows"]

        assert trained(0) == trained(0) == 69
        assert len({trained(seed) for seed in range(4)}) > 1

    def test_folds(self, desk, tmp_path):
        options = ("-a", "averaged", "--folds", "5", "-o", tmp_path / "m.json", "--json")
        found = run("fit", desk["noisy.csv"], "-t", "approved", *options).record
        assert found["trained_rows"] == 80
        assert found["error"]["rows"] == 80
        assert "one of 5" in found["error"]["how"]

    def test_nothing_held_out(self, desk, tmp_path):
        options = ("-a", "pocket", "--hold-out", "0", "-o", tmp_path / "m.json", "--json", "--no-prove")
        found = run("fit", desk["noisy.csv"], "-t", "approved", *options).record
        assert found["error"] is None
        assert found["proved"] == []

    def test_without_proofs_nothing_is_proved(self, desk, tmp_path):
        options = ("-o", tmp_path / "m.json", "--json", "--no-prove")
        found = run("fit", desk["clean.csv"], "-t", "approved", *options).record
        assert (found["separable"], found["proved"]) == (None, [])
        assert (found["algorithm"], found["why"]) == ("cv", "it aims at few errors on new rows")
        found = run("fit", desk["clean.csv"], "-t", "approved", "-a", "fewest-mistakes", "--force", *options).record
        assert (found["separable"], found["proved"]) == (None, [])
        assert (found["algorithm"], found["why"]) == ("pocket", "proofs are turned off")

    @pytest.mark.parametrize("command", ["fit", "report"])
    def test_ctrl_c_while_proving_keeps_the_rule(self, command, desk, tmp_path, monkeypatch):
        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr("rosenblatt.desk.model.interval", interrupted)
        ran = run(command, desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "m.html", "--json")
        assert ran.code == 130
        assert ran.record["interrupted"]
        assert ran.record["proved"] == []
        assert load_model(ran.record["model"]).predict is not None

    def test_rules_are_heard(self, desk, tmp_path):
        options = ("--order", "random", "--ties", "plus", "--max-passes", "7", "--no-threshold", "--set", "margin=0.5")
        where = ("-t", "approved", "-a", "perceptron", "-o", tmp_path / "m.json", "--seed", "3")
        assert run("fit", desk["noisy.csv"], *where, *options).code == 0
        made = load_model(tmp_path / "m.json").get_params()
        expected = {"order": "random", "ties": "plus", "max_passes": 7, "fit_intercept": False, "margin": 0.5}
        assert {name: made[name] for name in expected} == expected

    def test_costs_move_the_mistakes(self, desk, tmp_path):
        def mistakes(*options):
            model = tmp_path / "m.json"
            run("fit", desk["noisy.csv"], "-t", "approved", "-a", "pocket", "-o", model, "--force", *options)
            rows = rows_of(run("predict", model, desk["noisy.csv"], "--keep", "approved").out)
            return sum(row["approved"] == "yes" != row["label"] for row in rows)

        assert mistakes("--class-weight", "yes=50") < mistakes("--class-weight", "no=50")

    def test_weights_are_copies(self, desk, tmp_path):
        lines = desk.text("noisy.csv").splitlines()
        (tmp_path / "w.csv").write_text("\n".join([f"{lines[0]},w", *(f"{each},2" for each in lines[1:])]))
        ran = run(
            "fit", tmp_path / "w.csv", "-t", "approved", "--weights", "w", "-a", "pocket", "-o", tmp_path / "m.json"
        )
        assert ran.code == 0
        assert "w" not in [c.name for c in json_columns(tmp_path / "m.json")]

    def test_a_config_file_stands_in_for_options(self, desk, tmp_path):
        config = tmp_path / "run.toml"
        config.write_text(
            "target = 'approved'\nalgorithm = 'averaged'\nhold-out = 0.5\nseed = 2\nmax_passes = 3\n"
            "kind = 'job=ignore'\nthreshold = false\njson = true\n"
        )
        found = run("fit", desk["noisy.csv"], "--config", config, "-o", tmp_path / "m.json").record
        assert found["algorithm"] == "averaged"
        assert [column["kind"] for column in found["columns"] if column["name"] == "job"] == ["ignore"]
        assert found["trained_rows"] < 60
        made = load_model(tmp_path / "m.json")
        assert made.get_params()["max_passes"] == 3
        assert made.get_params()["fit_intercept"] is False
        again = run("fit", desk["noisy.csv"], "--config", config, "-a", "pocket", "-o", tmp_path / "n.json").record
        assert again["algorithm"] == "pocket", "the command line is stronger"

    def test_nothing_is_overwritten_without_force(self, desk, tmp_path):
        model = tmp_path / "m.json"
        model.write_text("precious")
        given = ("fit", desk["clean.csv"], "-t", "approved", "-a", "averaged", "-o", model)
        assert run(*given).code == 2
        assert model.read_text() == "precious"
        assert run(*given, "--force").code == 0
        assert model.read_text() != "precious"


def json_columns(model):
    from rosenblatt.ship.file.modelfile import Model

    return [column for column in Model.load(model).encoding.columns if column.size]


def test_errors_are_json_too(desk):
    ran = run("export", desk["clean.json"], "--to", "sql", "--json")
    assert ran.code == 2
    assert ran.record == {"error": "--output is required here: name a file to write", "exit_code": 2}
    assert ran.err == "rosenblatt: --output is required here: name a file to write\n"


def test_a_mistake_of_ours_is_one_line_and_no_verdict(desk, monkeypatch):
    monkeypatch.setattr("rosenblatt.desk.check.finding", lambda *_, **__: 1 / 0)
    ran = run("check", desk["clean.csv"], "-t", "approved")
    assert ran.code == 70
    assert ran.err.startswith("rosenblatt: ZeroDivisionError: division by zero; this is a bug in rosenblatt")
    assert len(ran.err.splitlines()) == 1
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")
    ran = run("check", desk["clean.csv"], "-t", "approved")
    assert ran.code == 70
    assert ran.err.startswith("Traceback (most recent call last):\n")
    assert "\nrosenblatt: ZeroDivisionError: division by zero; this" in ran.err


def test_an_unwritable_folder(desk, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    ran = run("fit", desk["clean.csv"], "-t", "approved", "-o", tmp_path / "m.json")
    assert ran.code == 2
    assert ran.err == (f"rosenblatt: the folder {tmp_path} is not writable; choose another with --output\n")


def test_a_quotation_mark_that_never_closes_is_noted_for_people_and_programs(tmp_path):
    (tmp_path / "t.csv").write_text(
        "size,y\n" + "".join(f"w{k % 3},{'ab'[k % 3 > 1]}\n" for k in range(30)) + '"w0,a\n'
    )
    ran = run("check", tmp_path / "t.csv", "-t", "y", "--json")
    note = "line 32: a quotation mark opens a cell and does not close it, so all quotation marks are read as text"
    assert note in ran.record["notes"]
    assert note in ran.err


def test_rows_that_only_rounding_makes_equal(tmp_path):
    rows = "".join(f"{k}000000000,yes\n" for k in range(1, 31))
    (tmp_path / "near.csv").write_text(f"x,y\n{rows}1.25,no\n1.5,yes\n0.5,no\n")
    ran = run("check", tmp_path / "near.csv", "-t", "y")
    assert ran.code == 1
    assert (
        "No rule can tell them apart: it does not see digits of a number beyond 24 bits of the range of its column."
        in ran.out
    )
