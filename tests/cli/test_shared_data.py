"""The whole way on real tables as they come: no header, ARFF, LIBSVM, tabs, gzip, zip."""

from pathlib import Path

import pytest

from cli.running import rows_of, run

DATA = Path(__file__).parents[3] / "shared" / "data"
TABLES = {  # target, rows, features
    "credit_approval/crx.data": ("c16", 690, 49),
    "sonar/sonar.all-data": ("c61", 208, 60),
    "vote/vote.arff": ("Class", 435, 32),
    "kr_vs_kp/kr.vs.kp.arff.gz": ("class", 3196, 38),
    "mushrooms/agaricus.txt.train.gz": ("label", 6513, 126),
    "electricity/electricity.zip": ("class", 45312, 8),
    "sms_spam/SMSSpamCollection": ("c1", 5574, 3718),
}

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not beside the project")


@pytest.mark.parametrize("name", TABLES)
def test_the_whole_way(name, tmp_path):
    (target, rows, features), model = TABLES[name], tmp_path / "m.json"
    options = ("-t", target, "-a", "averaged", "--max-passes", "3", "-o", model, "--seconds", "1", "--json")
    learned = run("fit", DATA / name, *options).record
    assert (learned["rows"], learned["features"]) == (rows, features)
    assert learned["exact"]
    said = run("predict", model, DATA / name, "--judge", "-o", tmp_path / "out.csv", "--json").record["error"]
    assert said["mistakes"] == learned["trained_mistakes"] + learned["error"]["mistakes"]
    assert len(rows_of((tmp_path / "out.csv").read_text())) == rows
    assert run("verify", model, DATA / name).code == 0
    assert f"{target} is" in run("explain", model, "--most", "3").out
    assert "CASE" in run("export", model, "--to", "sql").out
