"""Names, labels, cells and file names that would steer a terminal are shown, not obeyed."""

import csv
import io
import json
import re

import polars as pl
import pytest

from cli.running import run
from rosenblatt.visible import json_text, visible, visible_lines

ODD = "a\x1b[31mred\x9b2J\u202etxt\u2066x\u200b[bold]b[red]"
SEEN = r"a\x1b[31mred\x9b2J\u202etxt\u2066x\u200b[bold]b[red]"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ud800-\udfff]")
STYLES = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A folder with tables whose every text is odd, and rules learned from them."""
    folder = tmp_path_factory.mktemp("odd")
    rows = [(k % 7, f"{ODD}{'pq'[k % 2]}", f"{ODD}{'YN'[k % 7 > 3]}") for k in range(60)]
    rows[5] = (*rows[5][:2], f"{ODD}{'YN'[rows[5][2].endswith('Y')]}")
    out = io.StringIO()
    csv.writer(out).writerows([("n", f"{ODD}col", f"{ODD}y"), *rows])
    (folder / f"{ODD}.csv").write_bytes(out.getvalue().encode())
    for algorithm in ("pocket", "tree"):
        ran = run("fit", folder / f"{ODD}.csv", "-t", f"{ODD}y", "-a", algorithm, "-o", folder / f"{algorithm}.json")
        assert ran.code == 0, ran
        assert_seen(ran)
    return folder


def assert_seen(ran, shown=True):
    for text in (ran.out, ran.err):
        assert not UNSAFE.search(text), text
    assert not shown or SEEN in ran.out + ran.err


@pytest.mark.parametrize(
    "command",
    [
        "check TABLE -t TARGET --seconds 1",
        "check TABLE -t NOTHING",
        "check NOWHERE -t TARGET",
        "explain pocket.json",
        "explain tree.json",
        "explain tree.json TABLE --row 3",
        "verify pocket.json TABLE",
        "predict pocket.json TABLE -o NEW.csv",
        "predict pocket.json TABLE --keep NOTHING",
        "fit TABLE -t TARGET --kind NOTHING=number -o new.json",
        "fit TABLE -t TARGET --class-weight NOTHING=1 -o new.json",
        "fit TABLE -t TARGET --set NOTHING=1 -o new.json",
        "check TABLE --NOTHING",
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_nothing_odd_is_written_as_it_is(command, as_json, odd, monkeypatch):
    monkeypatch.chdir(odd)
    names = {"TABLE": f"{ODD}.csv", "TARGET": f"{ODD}y", "NOTHING": f"{ODD}0", "NOWHERE": f"{ODD}.txt", "NEW": ODD * 2}
    words = [names.get(word, word) for word in command.split()]
    words = [re.sub("NOTHING|NEW", lambda found: names[found[0]], word) for word in words]
    ran = run(*words, "--force" if "-o" in words else "--quiet", *(["--json"] if as_json else []))
    assert ran.code in (0, 1, 2, 3)
    assert_seen(ran, shown=not as_json and command != "verify pocket.json TABLE")
    if as_json:
        assert isinstance(ran.record, dict)


def test_files_keep_the_data(odd, monkeypatch):
    monkeypatch.chdir(odd)
    assert run("predict", "pocket.json", f"{ODD}.csv", "--keep", f"{ODD}col", "-o", "p.csv", "--force").code == 0
    found = pl.read_csv("p.csv")
    assert set(found["label"]) == {f"{ODD}Y", f"{ODD}N"}
    assert set(found[f"{ODD}col"]) == {f"{ODD}p", f"{ODD}q"}
    piped = run("predict", "pocket.json", f"{ODD}.csv")
    assert ODD in piped.out, "a program reads it"


def test_a_page_shows_them(odd, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(odd)
    ran = run("report", f"{ODD}.csv", "-t", f"{ODD}y", "-o", "page.html", "--force", "--seconds", "1")
    assert ran.code == 0
    assert_seen(ran)
    page = (odd / "page.html").read_text()
    assert not UNSAFE.search(page)
    assert SEEN in page


def test_markup_of_rich_is_no_markup(odd, monkeypatch):
    monkeypatch.chdir(odd)
    ran = run("explain", "pocket.json", terminal=True)
    assert "[bold]b[red]" in ran.out.replace("\n", "")


def test_one_line_stays_one_line():
    assert visible("a\nb\tc\rd") == r"a\nb\tc\rd"
    assert visible_lines("a\nb\tc\rd") == "a\nb\tc\\rd"


@pytest.mark.parametrize("plain", ["é", "日本語", "שלום", "👩‍👩‍👧", "ni\u200cst", "…"])
def test_other_letters_stay(plain):
    assert visible(plain) == plain


def test_json_means_the_same():
    everything = "".join(map(chr, [*range(0x300), *range(0x2000, 0x2070), 0xFEFF, 0xDCFF, 0x1F600]))
    written = json_text({everything: [everything]})
    assert json.loads(written) == {everything: [everything]}
    assert not UNSAFE.search(written)
    written.encode()


def test_a_file_name_that_is_no_text(odd, monkeypatch):
    monkeypatch.chdir(odd)
    ran = run("check", "no\udcffwhere.csv", "-t", "y", "--json")
    assert ran.code == 3
    assert "no\\udcffwhere.csv" in ran.err
    assert ran.record["error"].startswith("no\udcffwhere.csv")
