"""What the README and the pages in docs show is what happens."""

import doctest
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGES = [p for p in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if ">>> " in p.read_text("utf-8")]


@pytest.mark.skipif(np.__version__ < "2", reason="numpy 1 prints scalars otherwise")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows(page):
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 5
    assert results.failed == 0


def test_the_credit_example(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "credit.py"), run_name="__main__")
    out = capsys.readouterr().out
    assert "The rule is right on every row." in out
    assert "Right on 100 of 100 applications, by exact signs." in out
    assert "Verdict: separable." in out
    assert "Verdict: not separable." in out
    assert "NOT" not in out
    assert "VIOLATED" not in out
    page = (tmp_path / "build" / "credit-report.html").read_text("utf-8")
    assert "Scorecard" in page
