"""A table comes from files, patterns or stdin, at once or in blocks, and leaves nothing behind."""

import gzip
import io
import sys

import numpy as np
import polars as pl
import pytest

from rosenblatt.errors import TableError
from rosenblatt.read import files
from rosenblatt.read.sources import read_table
from unit.sources import TABLE, as_csv, same, write


def test_a_pattern_a_list_and_names_with_brackets(tmp_path):
    for k in range(3):
        TABLE.write_csv(tmp_path / f"part{k}.csv")
    table = read_table(tmp_path / "part*.csv")
    same(table, pl.concat([TABLE] * 3))
    assert table.source.endswith("part*.csv (3 files)")
    same(read_table([tmp_path / "part2.csv", str(tmp_path / "part0.csv")]), pl.concat([TABLE] * 2))
    same(read_table(write(tmp_path / "odd [1].csv", as_csv(TABLE))))


def test_types_hold_for_all_files_of_a_pattern(tmp_path):
    write(tmp_path / "1.csv", "a,b\n1,2\n3,4\n")
    write(tmp_path / "2.csv", "a,b\n1.5,2\n3,four\n")
    frame = read_table(tmp_path / "*.csv").whole()
    assert frame.rows() == [(1.0, "2"), (3.0, "4"), (1.5, "2"), (3.0, "four")]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_stdin(suffix, monkeypatch):
    content = as_csv(TABLE)
    raw = io.BytesIO(gzip.compress(content) if suffix else content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    table = read_table("-")
    assert table.source == "stdin"
    same(table)


def test_stdin_of_parquet_and_of_nothing(monkeypatch):
    out = io.BytesIO()
    TABLE.write_parquet(out)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(out.getvalue())))
    same(read_table("-", large=True))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(TableError, match="stdin: the file is empty"):
        read_table("-")


def test_large_files_stay_in_their_files_and_come_in_blocks(tmp_path, monkeypatch):
    frame = pl.DataFrame({"k": range(50_000), "x": np.linspace(0, 1, 50_000), "s": ["a", "b,c"] * 25_000})
    frame.write_csv(tmp_path / "t.csv")
    assert not read_table(tmp_path / "t.csv").is_large
    monkeypatch.setattr(files, "available_memory", lambda: 1e6)
    table = read_table(tmp_path / "t.csv")
    assert table.is_large
    assert table.height == 50_000
    blocks = list(table.blocks(7000))
    assert max(block.height for block in blocks) <= 7000
    assert pl.concat(blocks).equals(frame)
    assert table.columns == dict(frame.schema)
    assert pl.concat(read_table(tmp_path / "t.csv", large=False).blocks(7000)).equals(frame)


def test_given_types_are_kept(tmp_path):
    path = write(tmp_path / "t.csv", "zip,n\n01234,1\n00007,2\n")
    for large in (False, True):
        table = read_table(path, types={"zip": pl.String(), "n": pl.Float64()}, large=large)
        assert table.whole().rows() == [("01234", 1.0), ("00007", 2.0)]
    assert read_table(path).whole().rows() == [(1234, 1), (7, 2)]


def test_temporary_files_go_with_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = write(tmp_path / "t.csv", "a,b\ncafé,1\n".encode("latin-1"))
    table = read_table(path, large=True)
    assert len(list(tmp_path.glob("rosenblatt-*"))) == 1
    assert table.whole().rows() == [("café", 1)]
    del table
    assert not list(tmp_path.glob("rosenblatt-*"))


def test_rows_without_a_target_can_be_left_out(tmp_path):
    path = write(tmp_path / "t.csv", "a,y\n1,yes\n2,\n3,no\n4,?\n5,no\n")
    table = read_table(path).with_known("y")
    assert table.whole()["a"].to_list() == [1, 3, 5]
    assert table.rows.tolist() == [1, 3, 5]
    assert "2 rows without a value of 'y' left out" in table.notes
    assert table.with_known("y") is table
    assert read_table(path, large=True).with_known("y").whole()["a"].to_list() == [1, 3, 5]
