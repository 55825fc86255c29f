"""Quotation marks that do not hold their cells together are never read without a word."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import TableError
from rosenblatt.read.formats import quotes
from rosenblatt.read.formats.quotes import Stray, first_stray
from rosenblatt.read.sources import read_table

MANY = "".join(f"w{k},{k}\n" for k in range(40_000))
QUOTED = "".join(f'"w {k}",{k}\n' for k in range(40_000))
OPEN, EARLY = "opens a cell and does not close it", "closes before the end of its cell"
LETTERS = "so all quotation marks are read as text"


def read(tmp_path, text, large=False, name="t.csv"):
    (tmp_path / name).write_text(text)
    return read_table(tmp_path / name, large=large)


NOTED = {
    "opens in the first column": ('size,y\n"abc,1\ndef,2\nghi,3\n', 3, f"line 2: a quotation mark {OPEN}, {LETTERS}"),
    "opens in the last column": ('y,size\n1,abc\n2,"def\n3,ghi\n', 3, f"line 3: a quotation mark {OPEN}, {LETTERS}"),
    "opens after quoted cells": ('size,y\n"a",1\n"b",2\n"c,3\n', 3, f"line 4: a quotation mark {OPEN}, {LETTERS}"),
    "opens twice": ('size,y\n"abc,1\nd,2\n"f,4\ng,5\n', 4, f"line 2: a quotation mark {OPEN}, {LETTERS}"),
    "opens in the header": ('"size,y\na,1\nb,2\n', 2, f"line 1: a quotation mark {OPEN}, {LETTERS}"),
    "opens late": (f'size,y\n{MANY}"open,7\nw,8\n', 40_002, f"line 40002: a quotation mark {OPEN}, {LETTERS}"),
    "closes early": ('size,y\n"a"x,1\n"b",2\n"c",3\n', 3, f"line 2: a quotation mark {EARLY}, and is dropped"),
}


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("case", NOTED)
def test_a_stray_mark_is_noted_by_its_line(case, large, tmp_path):
    text, rows, note = NOTED[case]
    table = read(tmp_path, text, large)
    assert table.notes[2:] == (note,)
    assert table.height == rows, "no row is swallowed"


@pytest.mark.parametrize("large", [False, True])
def test_a_mark_that_swallows_rows_is_refused(large, tmp_path):
    text = f'size,y\n{QUOTED}"open,7\n"w",8\n"w",9\n'
    with pytest.raises(
        TableError, match=r"t\.csv, line 40002: a quotation mark opens a cell here and closes in the middle of one"
    ):
        read(tmp_path, text, large)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        'size,y\n5" pipe,1\n6" pipe,2\n8,4\n',
        'size,y\n"5"" pipe",1\n"6"" pipe",2\n8,4\n',
        'size,y\n"a\nb",1\n"c",2\nd,3\n',
        'size,y\n"a, b",1\n"",2\nd,3\n',
        'size,y\n "a, b" ,1\n "c, e" ,2\nd,3\n',
        "size,y\n'a,1\nb,2\n",
        MANY,
        QUOTED,
    ],
)
def test_no_false_alarms(text, large, tmp_path):
    assert len(read(tmp_path, text, large).notes) == 2


def test_a_large_file_is_judged_by_its_first_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(quotes, "SMALL", 0)
    assert len(read(tmp_path, NOTED["opens in the first column"][0], large=True).notes) == 3
    assert len(read(tmp_path, NOTED["opens late"][0], large=True).notes) == 2


def test_of_several_files_the_one_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("size,y\nabc,1\ndef,2\n")
    (tmp_path / "b.csv").write_text('size,y\nabc,1\n"def,2\n')
    note = read_table([tmp_path / "a.csv", tmp_path / "b.csv"]).notes[-1]
    assert note == f"{tmp_path / 'b.csv'}, line 3: a quotation mark {OPEN}, {LETTERS}"


@given(
    st.lists(st.lists(st.text('ab", \n;'), min_size=2, max_size=3), min_size=1, max_size=5),
    st.sampled_from(",;\t"), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)  # fmt: skip
def test_what_a_csv_writer_writes_has_no_stray_marks(rows, delimiter, quoting):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    text = out.getvalue()
    assert first_stray(text.splitlines(keepends=True), delimiter) is None
    shorter = text.rstrip("\n")
    if quoting == csv.QUOTE_ALL:
        found = first_stray(shorter.removesuffix('"').splitlines(keepends=True), delimiter)
        assert found is None or isinstance(found, Stray)
        if not rows[-1][-1].endswith('"') and rows[-1][-1]:
            assert found is not None
            assert found.closes is None
