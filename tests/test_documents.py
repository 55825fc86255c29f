"""What the README and the pages in docs show is what happens."""

import doctest
import re
import runpy
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


def test_the_picture_of_the_house_is_that_of_its_imports():
    drawn = runpy.run_path(str(ROOT / "docs" / "draw_house.py"))
    assert (ROOT / "docs" / "house.svg").read_text("utf-8") == drawn["picture"](), "run python docs/draw_house.py"
    order = list(drawn["ROOMS"])
    assert all(order.index(room) > order.index(other) for room, other in drawn["uses"]())


def test_the_map_names_rooms_and_files_that_are_there():
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]*)(?:\.py)?[`:.]", (ROOT / "docs" / "architecture.md").read_text("utf-8"))
    source = ROOT / "src" / "rosenblatt"
    roomy = {room.name: room for room in (*source.glob("*/"), *source.glob("*/*/"))}
    for name in named:
        room = name.split("/")[0]
        place = (source if (source / room).is_dir() else roomy[room].parent) / name
        assert place.is_dir() or place.with_suffix(".py").is_file(), name
    assert len(named) > 40
