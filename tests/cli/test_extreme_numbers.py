"""Numbers near the ends of what a double holds, in every format: learned from, or refused in one line."""

import pytest

from cli.running import run

TABLES = {
    "large.csv": "a,y\n1.7e308,yes\n-1.7e308,no\n1.6e308,no\n-1.6e308,yes\n",
    "small.csv": "a,y\n1e-310,yes\n-1e-310,no\n2e-310,yes\n-2e-310,no\n",
    "mixed.csv": "a,b,y\n1e308,5e-324,yes\n-1e308,1e-300,no\n1,1,no\n2,1e300,yes\n",
    "large.libsvm": "1 1:1e308 2:-1e308\n-1 1:5e-324\n1 1:3\n-1 2:1e40\n",
    "small.libsvm": "1 1:1e-300\n-1 1:5e-324 2:1e-310\n1 1:2e-300\n-1 2:1e-40\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_extreme_numbers(name, tmp_path):
    (tmp_path / name).write_text(TABLES[name])
    target = "label" if name.endswith("libsvm") else "y"
    assert run("check", tmp_path / name, "-t", target).code in (0, 1)
    for algorithm in ("auto", "averaged", "tree"):
        out = tmp_path / f"{algorithm}.json"
        ran = run("fit", tmp_path / name, "-t", target, "-a", algorithm, "--hold-out", "0", "-o", out)
        assert ran.code == 0, ran.err
        assert "Warning" not in ran.err
        assert run("verify", out, tmp_path / name).code == 0


def test_a_number_of_too_many_digits(tmp_path):
    (tmp_path / "t.ndjson").write_text('{"a":1' + 4400 * "0" + ',"y":"yes"}\n{"a":1,"y":"no"}\n')
    ran = run("check", tmp_path / "t.ndjson", "-t", "y")
    assert ran.code == 3
    assert "line 1: it contains a number with too many digits" in ran.err
