"""Tables whose first lines are longer than the first look at a file."""

import gzip

import polars as pl
import pytest

from rosenblatt.errors import TableError
from rosenblatt.read import files
from rosenblatt.read.sources import read_table
from unit.sources import zstd

NAMES = [f"{k:05d} {'a long name ' * 7}".strip() for k in range(3000)]
ROWS = [[str((k * 7 + row) % 10) for k in range(len(NAMES))] for row in range(3)]
TEXT = "\n".join(",".join(cells) for cells in (NAMES, *ROWS)) + "\n"


def test_the_table_is_wide_enough_to_tell():
    assert TEXT.index("\n") > files.SAMPLE


@pytest.mark.parametrize(
    ("pack", "end"),
    [(pack, end) for pack in ("plain", "gz", "utf-16", "zst") for end in ("\n", "\r\n", "\r")][:-1],
)
def test_a_long_header_is_read(pack, end, tmp_path):
    path, data = tmp_path / "wide.csv", TEXT.replace("\n", end).encode(pack if pack == "utf-16" else "utf-8")
    path.write_bytes({"gz": gzip.compress, "zst": zstd}.get(pack, bytes)(data))
    table = read_table(path, others=pl.Float64())
    assert list(table.columns) == NAMES
    assert table.whole().rows() == [tuple(map(float, row)) for row in ROWS]


def test_two_columns_of_one_name_are_named_truly(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(TEXT.replace(NAMES[-1], NAMES[5]))
    with pytest.raises(TableError, match=f"columns 6 and {len(NAMES)} are both named"):
        read_table(path)


@pytest.mark.parametrize("packed", [False, True])
def test_a_first_line_beyond_all_limits_is_refused_for_what_it_is(packed, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 2**20)
    path = tmp_path / "wide.csv"
    text = ",".join(f"c{k}" for k in range(200_000)).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(TableError, match=r"wide\.csv: line 1 is longer than \d+ MiB, the maximum"):
        read_table(path)
