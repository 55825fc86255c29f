"""What the README and the pages in docs show is what happens."""

import doctest
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGES = [p for p in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if ">>> " in p.read_text("utf-8")]


@pytest.mark.skipif(np.__version__ < "2", reason="numpy 1 prints scalars otherwise")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 5
    assert results.failed == 0
    for made in tmp_path.iterdir():  # what a page writes stands beside it
        assert made.read_text("utf-8") == (ROOT / "docs" / made.name).read_text("utf-8")
