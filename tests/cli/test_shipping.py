"""What follows a fit: predict, explain, export, report, verify, and the demo of it all."""

import json
import os
import re
import sqlite3
import sys

import polars as pl
import pytest

from cli.running import rows_of, run


class TestPredict:
    def test_csv_on_standard_output(self, desk):
        ran = run("predict", desk["noisy.json"], desk["noisy.csv"])
        rows = rows_of(ran.out)
        assert len(rows) == 80
        assert list(rows[0]) == ["label", "score"]
        assert all((float(row["score"]) > 0) == (row["label"] == "yes") for row in rows)
        assert ran.err == ""

    def test_json_lines_on_standard_output(self, desk):
        ran = run("predict", desk["noisy.json"], desk["noisy.csv"], "--json", "--keep", "age", "--reasons", "2")
        rows = [json.loads(line) for line in ran.out.splitlines()]
        assert len(rows) == 80
        assert list(rows[0]) == ["age", "label", "score", "points", "reason 1", "reason 2"]

    @pytest.mark.parametrize("suffix", [".csv", ".parquet", ".ndjson", ".arrow"])
    def test_files(self, suffix, desk, tmp_path):
        out = tmp_path / f"out{suffix}"
        ran = run("predict", desk["noisy.json"], desk["noisy.csv"], "-o", out, "--keep", "all", "--json")
        assert ran.record["output"] == str(out)
        reader = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".ndjson": pl.read_ndjson, ".arrow": pl.read_ipc}
        read = reader[suffix](out)
        expected = pl.read_csv(run("predict", desk["noisy.json"], desk["noisy.csv"]).out.encode())
        assert read["label"].to_list() == expected["label"].to_list()
        assert read.height == 80
        assert read.width == 8
        assert sorted(os.listdir(tmp_path)) == [out.name]

    def test_no_overwriting(self, desk, tmp_path):
        out = tmp_path / "out.csv"
        out.write_text("precious")
        assert run("predict", desk["noisy.json"], desk["noisy.csv"], "-o", out).code == 2
        assert out.read_text() == "precious"
        assert run("predict", desk["noisy.json"], desk["noisy.csv"], "-o", out, "--force").code == 0

    def test_a_failure_leaves_the_old_file(self, desk, tmp_path):
        out, table = tmp_path / "out.csv", tmp_path / "t.csv"
        out.write_text("precious")
        table.write_text("age,income,job,owner,since\n30,plenty,cook,yes,2012-01-10\n")
        assert run("predict", desk["noisy.json"], table, "-o", out, "--force").code == 3
        assert out.read_text() == "precious"
        assert sorted(os.listdir(tmp_path)) == ["out.csv", "t.csv"]

    def test_a_file_that_is_replaced_keeps_its_place_and_its_permissions(self, desk, tmp_path):
        real, out = tmp_path / "real.csv", tmp_path / "out.csv"
        real.write_text("old")
        real.chmod(0o640)
        out.symlink_to(real)
        assert run("predict", desk["noisy.json"], desk["noisy.csv"], "-o", out, "--force").code == 0
        assert out.is_symlink()
        assert len(rows_of(real.read_text())) == 80
        assert real.stat().st_mode & 0o777 == 0o640
        assert sorted(os.listdir(tmp_path)) == ["out.csv", "real.csv"]

    def test_a_file_that_appears_meanwhile_is_not_overwritten(self, desk, tmp_path, monkeypatch):
        from rosenblatt.cli import writing

        def and_another_is_faster(found, draft, **options):
            sink(found, draft, **options)
            out.write_text("of somebody else")

        sink, out = writing.SINKS[".csv"], tmp_path / "out.csv"
        monkeypatch.setitem(writing.SINKS, ".csv", and_another_is_faster)
        ran = run("predict", desk["noisy.json"], desk["noisy.csv"], "-o", out)
        assert ran.code == 2
        assert ran.err == f"rosenblatt: {out} already exists; use --force to overwrite\n"
        assert out.read_text() == "of somebody else"
        assert os.listdir(tmp_path) == ["out.csv"]

    def test_judge(self, desk, tmp_path):
        ran = run("predict", desk["noisy.json"], desk["noisy.csv"], "--judge", "-o", tmp_path / "out.csv", "--json")
        assert ran.record["error"]["mistakes"] == 5
        plain = run("predict", desk["noisy.json"], desk["noisy.csv"], "--judge")
        assert "5 mistakes on 80 rows" in plain.err
        assert len(plain.out.splitlines()) == 81

    def test_three_classes(self, desk):
        rows = rows_of(run("predict", desk["grades.json"], desk["grades.csv"]).out)
        assert list(rows[0]) == ["label", "score A", "score B", "score C"]
        for row in rows:
            assert float(row[f"score {row['label']}"]) == max(float(row[f"score {c}"]) for c in "ABC")

    def test_numbered_features(self, desk):
        rows = rows_of(run("predict", desk["sparse.json"], desk["sparse.libsvm"]).out)
        assert len(rows) == 40
        assert {row["label"] for row in rows} <= {"-1", "1"}
        assert "feature 3" in run("explain", desk["sparse.json"]).out
        assert run("verify", desk["sparse.json"], desk["sparse.libsvm"]).code == 0

    def test_standard_input(self, desk):
        piped = run("predict", desk["noisy.json"], "-", stdin=desk.text("noisy.csv").encode())
        assert piped.out == run("predict", desk["noisy.json"], desk["noisy.csv"]).out


class TestExplain:
    def test_the_card(self, desk):
        ran = run("explain", desk["noisy.json"])
        assert ran.code == 0
        assert ran.out.startswith("approved is yes if the points add up to more than")
        for word in ("income", "clerk", "for every", "points"):
            assert word in ran.out

    def test_three_classes(self, desk):
        ran = run("explain", desk["grades.json"])
        assert ran.out.count("starts with") == 3

    def test_whole_points_and_the_model_of_them(self, desk, tmp_path):
        card = tmp_path / "card.json"
        ran = run("explain", desk["noisy.json"], desk["noisy.csv"], "--integers", "--largest", "20", "-o", card)
        assert ran.code == 0
        assert "Whole points up to 20 make" in ran.out
        found = run("explain", desk["noisy.json"], desk["noisy.csv"], "--integers", "--largest", "20", "--json").record
        judged = run("predict", card, desk["noisy.csv"], "--judge", "-o", tmp_path / "o.csv", "--json").record
        whole = found["integers"]
        assert judged["error"]["mistakes"] == whole["mistakes"] + whole["held_out"]["mistakes"]
        assert judged["error"]["rows"] == whole["rows"] + whole["held_out"]["rows"]
        verified = run("verify", card, desk["noisy.csv"])
        assert verified.code == 0
        assert "All points are whole numbers." in verified.out
        assert re.search(r"held-out rows?, they make", whole["statement"])
        shown = run("explain", card, "--json").record
        assert shown["card"] == found["card"]
        assert run("explain", card).out in ran.out

    def test_whole_points_go_by_the_cost_that_the_rule_was_learned_for(self, desk, tmp_path):
        model, card = tmp_path / "m.json", tmp_path / "c.json"
        run("fit", desk["noisy.csv"], "-t", "approved", "--weights", "age", "--class-weight", "balanced", "-o", model)
        ran = run("explain", model, desk["noisy.csv"], "--integers", "--largest", "5", "-o", card)
        assert re.search(r"The mistakes of whole points up to 5 cost [\d.,]+ on \d+ rows", ran.out)
        assert re.search(r"held-out rows?, they cost [\d.,]+ and the unrounded points [\d.,]+\.", ran.out)
        verified = run("verify", card, desk["noisy.csv"])
        assert verified.code == 0
        assert "a mistake costs the row's age, times" in verified.out
        bare = tmp_path / "bare.csv"
        pl.read_csv(desk["noisy.csv"]).drop("age").write_csv(bare)
        ran = run("explain", model, bare, "--integers", "--largest", "5")
        assert (
            "there is no column 'age', which held the weights of rows in learning: all rows count the same" in ran.err
        )

    def test_whole_points_of_another_table_are_chosen_by_all_its_rows(self, desk, tmp_path):
        table = tmp_path / "other.csv"
        table.write_text("".join(desk.text("noisy.csv").splitlines(True)[:60]))
        found = run("explain", desk["noisy.json"], table, "--integers", "--largest", "20", "--json").record["integers"]
        assert (found["rows"], found["held_out"], found["held_out_before"]) == (59, None, None)

    def test_few_columns(self, desk):
        every, few = run("explain", desk["noisy.json"]).out, run("explain", desk["noisy.json"], "--columns", "2").out
        assert "with fewer points" not in every
        assert re.search(r"\(\d+ columns? with fewer points: --columns N shows N, --json shows all\)", few)
        assert len(few.splitlines()) < len(every.splitlines())

    def test_a_constant_rule_is_not_a_list_of_zeros(self, tmp_path):
        table, model, page = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "r.html"
        rows = [f"{k * 37 % 101},{k * 53 % 97},{'yes' if k * k % 7 < 2 else 'no'}" for k in range(200)]
        table.write_text("\n".join(["a,b,y", *rows]))
        how = (table, "-t", "y", "-a", "perceptron", "--set", "max_passes=1")
        assert run("fit", *how, "-o", model).code == 0
        out = run("explain", model).out
        assert "(2 columns have no points)" in out
        assert "for every" not in out
        assert run("report", *how, "-o", page).code == 0
        assert "No column has points: the starting points decide." in page.read_text()

    def test_few_lines(self, desk):
        assert "and 3 more" in run("explain", desk["noisy.json"], "--most", "1").out


class TestExport:
    @pytest.mark.parametrize("to", ["sql", "python", "pmml", "json", "onnx"])
    def test_formats(self, to, desk, tmp_path):
        if to == "onnx":
            pytest.importorskip("onnx")
        out = tmp_path / "out"
        ran = run("export", desk["noisy.json"], "--to", to, "-o", out, "--json")
        assert ran.record == {
            "command": "export", "model": desk["noisy.json"], "to": to, "output": str(out), "exact": True,
        }  # fmt: skip
        assert out.stat().st_size > 100
        if to != "onnx":
            assert run("export", desk["noisy.json"], "--to", to).out == out.read_text()
        assert run("export", desk["noisy.json"], "--to", to, "-o", out).code == 2

    def test_sql_says_what_predict_says(self, desk):
        base = sqlite3.connect(":memory:")
        rows = [list(row.values()) for row in rows_of(desk.text("noisy.csv"))]
        base.execute("create table loans (age real, income real, job text, owner text, since text, approved text)")
        base.executemany("insert into loans values (?, ?, ?, ?, ?, ?)", rows)
        found = base.execute(run("export", desk["noisy.json"], "--to", "sql", "--table", "loans").out)
        names = [each[0] for each in found.description]
        said = [row["label"] for row in rows_of(run("predict", desk["noisy.json"], desk["noisy.csv"]).out)]
        assert [row[names.index("label")] for row in found] == said

    def test_json_is_the_model(self, desk, tmp_path):
        (tmp_path / "m.json").write_text(run("export", desk["noisy.json"], "--to", "json").out)
        assert run("verify", tmp_path / "m.json", desk["noisy.csv"]).code == 0

    def test_without_onnx(self, desk, monkeypatch):
        monkeypatch.setitem(sys.modules, "onnx", None)
        ran = run("export", desk["noisy.json"], "--to", "onnx", "-o", "out.onnx")
        assert ran.code == 2
        assert ran.err == 'rosenblatt: ONNX export needs an extra: pip install "rosenblatt[onnx]"\n'


class TestReport:
    def test_the_page_and_its_model(self, desk, tmp_path):
        pytest.importorskip("matplotlib")
        ran = run("report", desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "page.html", "--seconds", "1")
        assert ran.code == 0
        assert "Written: " in ran.out
        page = (tmp_path / "page.html").read_text()
        assert "<svg" in page
        assert "rosenblatt verify" in page
        assert run("verify", tmp_path / "page.json", desk["noisy.csv"]).code == 0
        assert run("report", desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "page.html").code == 2

    def test_without_matplotlib(self, desk, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        ran = run("report", desk["noisy.csv"], "-t", "approved", "-o", tmp_path / "page.html")
        assert ran.code == 2
        assert ran.err == 'rosenblatt: a report with plots needs an extra: pip install "rosenblatt[plot]"\n'
        assert os.listdir(tmp_path) == []


class TestVerify:
    def test_a_model_and_a_proof(self, desk):
        ran = run("verify", desk["noisy.json"], desk["noisy.csv"])
        assert ran.code == 0
        assert "all hold" in ran.out
        assert "FAILS" not in ran.out
        ran = run("verify", desk["proof.json"], desk["noisy.csv"])
        assert ran.code == 0
        assert "no rule makes fewer" in ran.out or "the fewest possible" in ran.out

    def test_another_table(self, desk, tmp_path):
        table = desk.text("noisy.csv").replace("\n27,", "\n28,", 1)
        (tmp_path / "t.csv").write_text(table)
        ran = run("verify", desk["noisy.json"], tmp_path / "t.csv")
        assert ran.code == 1
        assert "FAILS: The data differs" in ran.out
        assert "not all hold" in ran.out

    def test_rows_without_a_target(self, desk, tmp_path):
        lines, table, model = desk.text("noisy.csv").splitlines(), tmp_path / "t.csv", tmp_path / "m.json"
        lines[5] = lines[5].rpartition(",")[0] + ","
        table.write_text("\n".join(lines))
        fit = ("fit", table, "-t", "approved", "-a", "averaged", "-o", model)
        assert run(*fit).code == 3
        ran = run(*fit, "--drop-missing-target")
        assert ran.code == 0
        assert "1 row without a value of 'approved' left out" in ran.err
        ran = run("verify", model, table)
        assert ran.code == 0
        assert "1 row without a value of 'approved' left out" in ran.err
        assert run("verify", model, table, "--drop-missing-target").code == 0
        whole = run("explain", model, table, "--integers", "--largest", "5", "--drop-missing-target", "--json").record
        assert whole["integers"]["rows"] + whole["integers"]["held_out"]["rows"] == 79

    def test_a_changed_claim(self, desk, tmp_path):
        from cli.one_line import changed

        record = json.loads(desk.text("noisy.json"))
        judged = {**record["held_out"], "trained_mistakes": record["held_out"]["trained_mistakes"] - 1}
        (tmp_path / "m.json").write_text(changed(json.dumps(record), held_out=judged))
        ran = run("verify", tmp_path / "m.json", desk["noisy.csv"], "--json")
        assert ran.code == 1
        assert [claim["claim"] for claim in ran.record["claims"] if not claim["holds"]] == [
            "mistakes on the rows learned from"
        ]

    def test_a_changed_certificate(self, desk, tmp_path):
        from cli.one_line import changed

        record = json.loads(desk.text("noisy.json"))
        text = json.dumps(record["certificates"]).replace('"upper": 3', '"upper": 2')
        certificates = json.loads(text)
        assert certificates != record["certificates"]
        (tmp_path / "m.json").write_text(changed(json.dumps(record), certificates=certificates))
        ran = run("verify", tmp_path / "m.json", desk["noisy.csv"])
        assert ran.code == 1
        assert "FAILS: the rule makes 3 mistakes, not 2" in ran.out

    def test_a_bare_certificate(self, tmp_path):
        import numpy as np

        from rosenblatt import separability

        X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]]), np.array([0, 1, 1])
        (tmp_path / "c.json").write_text(separability(X, y).certificate.to_json())
        (tmp_path / "t.csv").write_text("a,b,y\n0,1,0\n1,0,1\n2,3,1\n")
        assert run("verify", tmp_path / "c.json", tmp_path / "t.csv", "-t", "y").code == 0
        (tmp_path / "t.csv").write_text("a,b,y\n0,1,1\n1,0,0\n2,3,1\n")
        assert run("verify", tmp_path / "c.json", tmp_path / "t.csv", "-t", "y").code == 1


def test_a_demo_goes_on_without_an_extra_and_ends_at_ctrl_c(tmp_path, monkeypatch):
    from rosenblatt.cli.commands import demo

    steps = ("report credit.csv -t creditability -o report.html", "explain nowhere.json")
    monkeypatch.setattr(demo, "STEPS", steps)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = run("demo", "--folder", tmp_path)
    assert 'note: a report with plots needs an extra: pip install "rosenblatt[plot]"' in ran.err
    assert ran.code == 3, "the next step"
    monkeypatch.setattr(
        demo, "STEPS", ("fit credit.csv -t creditability -a averaged -o m.json", "explain nowhere.json")
    )
    monkeypatch.setattr("rosenblatt.cli.learning.DONE", 130)
    assert run("demo", "--folder", tmp_path).code == 130


def test_demo(demo):
    assert demo.code == 0
    codes = demo.record["exit_codes"]
    assert len(codes) == 16
    assert [step for step, code in codes.items() if code] == [
        "check credit.csv --target creditability --positive good -o proof.json"
    ]
    assert {"model.json", "report.html", "score.sql", "decisions.csv", "wary.json"} <= set(demo.record["files"])
    assert any("--cost bad=5" in step and step.startswith("report") for step in codes)
