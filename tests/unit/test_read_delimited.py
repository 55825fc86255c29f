"""Delimited text of every dialect, packing and encoding becomes the same table."""

import codecs
import csv
import gzip
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.errors import TableError
from rosenblatt.read.sources import read_table
from rosenblatt.read.values import MISSING
from unit.sources import PACKED, TABLE, as_csv, same, write


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_and_packings(delimiter, suffix, large, tmp_path):
    content = PACKED[suffix](as_csv(TABLE, separator=delimiter))
    table = read_table(write(tmp_path / f"t{suffix}", content), large=large)
    assert table.is_large is large
    same(table)


def test_a_packed_file_is_known_by_its_first_bytes(tmp_path):
    same(read_table(write(tmp_path / "t.csv", gzip.compress(as_csv(TABLE)))))


ENCODED = {
    "utf-8": str.encode,
    "utf-8 with BOM": lambda text: codecs.BOM_UTF8 + text.encode(),
    "latin-1": lambda text: text.encode("latin-1"),
    "cp1252": lambda text: text.replace("the ", "the\u2019").encode("cp1252"),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16-be with BOM": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "utf-16-le": lambda text: text.encode("utf-16-le"),
    "utf-16-be": lambda text: text.encode("utf-16-be"),
}


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("encoding", ENCODED)
def test_encodings_are_found(encoding, header, tmp_path):
    frame = TABLE.with_columns(pl.col("town").str.replace("the ", "the\u2019")) if encoding == "cp1252" else TABLE
    content = ENCODED[encoding](as_csv(TABLE, include_header=header).decode())
    found = read_table(write(tmp_path / "t.csv", content)).whole()
    assert found.equals(
        frame if header else frame.rename(dict(zip(frame.columns, ["c1", "c2", "c3", "c4"], strict=True)))
    )


def test_an_encoding_can_be_given(tmp_path):
    path = write(tmp_path / "t.csv", "a,b\nж,1\nщ,2\n".encode("koi8-r"))
    assert read_table(path, encoding="koi8-r").whole()["a"].to_list() == ["ж", "щ"]


def test_a_byte_that_is_not_utf_8_may_come_late(tmp_path):
    path = write(tmp_path / "t.csv", b"a,b\n" + b"x,1\n" * 100_000 + "é,2\n".encode("latin-1"))
    for large in (False, True):
        table = read_table(path, large=large)
        assert table.whole()["a"][-1] == "é"
        assert table.height == 100_001


def test_a_late_byte_that_is_not_utf_8_among_odd_quotes(tmp_path):
    content = b'a,b\n5" pipe,"x, y"\n' + b"x,1\n" * 100_000 + "é,2\n".encode("latin-1")
    assert read_table(write(tmp_path / "t.csv", content)).whole().row(-1) == ("é", "2")
    with pytest.raises(TableError, match="not valid UTF-8; specify its encoding"):
        read_table(tmp_path / "t.csv", encoding="utf-8")
    write(tmp_path / "t.csv", content.replace(b'5" pipe,"x, y"', b"u,v"))
    with pytest.raises(TableError, match="not valid UTF-8; specify its encoding"):
        read_table(tmp_path / "t.csv", encoding="utf-8")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end, tmp_path):
    content = "a,b,y\n1,x,yes\n2,z,no\n".replace("\n", end).encode()
    same(
        read_table(write(tmp_path / "t.csv", content)), pl.DataFrame({"a": [1, 2], "b": ["x", "z"], "y": ["yes", "no"]})
    )


@pytest.mark.parametrize("suffix", [".csv", ".txt", ".data", "", ".all-data"])
def test_a_missing_header_is_noticed(suffix, tmp_path):
    frame = read_table(write(tmp_path / f"t{suffix}", "5.1,3.5,a\n4.9,3.0,b\n4.7,3.2,a\n")).whole()
    assert frame.columns == ["c1", "c2", "c3"]
    assert frame.height == 3


def test_words_that_come_again_are_no_header(tmp_path):
    assert read_table(write(tmp_path / "t.csv", "p,x,s\ne,x,s\np,b,s\ne,y,y\n")).whole().height == 4
    assert read_table(write(tmp_path / "t.csv", "cap,odor\np,x\np,y\ne,x\n")).columns.keys() == {"cap", "odor"}


def test_the_header_can_be_told(tmp_path):
    path = write(tmp_path / "t.csv", "2019,2020\n1,2\n3,4\n")
    assert list(read_table(path).columns) == ["c1", "c2"]
    assert list(read_table(path, header=True).columns) == ["2019", "2020"]
    assert read_table(write(tmp_path / "u.csv", "a,b\nc,d\n"), header=False).whole().height == 2


def test_a_column_without_a_name_gets_a_number(tmp_path):
    assert list(read_table(write(tmp_path / "t.csv", ",a,b\n0,1,2\n1,3,4\n")).columns) == ["c1", "a", "b"]


def test_blanks_after_delimiters_are_dropped(tmp_path):
    path = write(tmp_path / "t.csv", 'age, job, y\n39, State-gov, <=50K\n50, ?, >50K\n38, "a, b", <=50K\n')
    frame = pl.DataFrame({"age": [39, 50, 38], "job": ["State-gov", None, "a, b"], "y": ["<=50K", ">50K", "<=50K"]})
    same(read_table(path), frame)
    path = write(tmp_path / "u.csv", "age, job, y\n39, State-gov, <=50K\n50, ?, >50K\n")
    same(read_table(path), frame.head(2))
    same(read_table(path, large=True), frame.head(2))


def test_runs_of_blanks(tmp_path):
    text = '18.0   8   307.0      "chevrolet malibu"\n15.0   8   ?          "buick"\n 16.0  6   12.5  "x y z" \n'
    frame = read_table(write(tmp_path / "t.data", text)).whole()
    assert frame.rows() == [(18.0, 8, 307.0, "chevrolet malibu"), (15.0, 8, None, "buick"), (16.0, 6, 12.5, "x y z")]


@pytest.mark.parametrize("large", [False, True])
def test_decimal_commas(large, tmp_path):
    path = write(tmp_path / "t.csv", "x;n;s\n1,5;2;a,b\n-0,25;3;c\n1e3;;d\n")
    frame = pl.DataFrame({"x": [1.5, -0.25, 1000.0], "n": [2, 3, None], "s": ["a,b", "c", "d"]})
    same(read_table(path, large=large), frame)


def test_decimal_commas_where_the_fast_way_fails(tmp_path):
    path = write(tmp_path / "t.csv", "x;n\n" + "1,5;2\n" * 3000 + "2,5;two\n")
    frame = read_table(path).whole()
    assert frame["x"].sum() == 4502.5
    assert frame["n"][-1] == "two"


def test_a_comma_in_text_between_semicolons_is_no_delimiter(tmp_path):
    path = write(tmp_path / "t.csv", "a;b\nx, y;1\nz, w;2\n")
    assert read_table(path).whole()["a"].to_list() == ["x, y", "z, w"]


@pytest.mark.parametrize("large", [False, True])
def test_types_hold_for_all_rows(large, tmp_path):
    lines = ["1,1,2,,x"] * 5000
    lines[4000] = "1,1.5,2,,x"
    lines[4500] = "1,1,two,3,x"
    lines[4600] = "NA,nan,null,?,None"
    frame = read_table(write(tmp_path / "t.csv", "\n".join(["a,b,c,d,e", *lines])), large=large).whole()
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.String, pl.Int64, pl.String]
    assert (frame["b"][4000], frame["c"][4500], frame["c"][0], frame["d"][4500]) == (1.5, "two", "2", 3)
    assert frame.height == 4999  # a row without any value is none
    assert frame["d"].null_count() == 4998


@pytest.mark.parametrize("token", MISSING)
@pytest.mark.parametrize("late", [False, True])
def test_missing_values(token, late, tmp_path):
    rows = 2000 if late else 3
    path = write(tmp_path / "t.csv", "a,b,c\n" + "1,2.5,x\n" * rows + f"{token},{token},{token}\n1,,x\n")
    frame = read_table(path).whole()
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.String]
    frame = read_table(write(tmp_path / "t.csv", "a,b,c\n" + "1,2.5,x\n" * rows + f"{token},1.5,{token}\n")).whole()
    assert frame.row(rows) == (None, 1.5, None)


def test_none_in_small_letters_is_a_word(tmp_path):
    assert read_table(write(tmp_path / "t.csv", "a,b\nnone,1\nsome,2\n")).whole()["a"].to_list() == ["none", "some"]


def test_missing_values_can_be_told(tmp_path):
    path = write(tmp_path / "t.csv", "a,b\n-9,x\n?,y\n3,-9\n")
    assert read_table(path, missing=["-9"]).whole().rows() == [(None, "x"), ("?", "y"), ("3", None)]


def test_rows_without_any_value_are_left_out(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,c\n1,2,3\n\n,,\n4,5,6\n\n\n")
    for large in (False, True):
        assert read_table(path, large=large).whole().rows() == [(1, 2, 3), (4, 5, 6)]


def test_blank_lines_before_the_header(tmp_path):
    assert read_table(write(tmp_path / "t.csv", "\n\na,b\n1,2\n3,4\n")).whole().rows() == [(1, 2), (3, 4)]


@pytest.mark.parametrize("large", [False, True])
def test_stray_quotes_are_letters(large, tmp_path):
    path = write(tmp_path / "t.csv", 'size,y\n5" pipe,1\n6" pipe,2\n"7 pipe,3\n8,4\n')
    assert read_table(path, large=large).whole()["size"].to_list() == ['5" pipe', '6" pipe', '"7 pipe', "8"]
    path = write(tmp_path / "t.tsv", 'ham\t"so" he said\nspam\t"open\nham\tplain\n' * 9)
    assert read_table(path, large=large).whole()["c2"].to_list() == ['"so" he said', '"open', "plain"] * 9


def test_a_stray_quote_beside_quoted_cells(tmp_path):
    path = write(tmp_path / "t.csv", 'a,b\n"x, y",1\n5" pipe,2\n"z",3\n')
    assert read_table(path).whole()["a"].to_list() == ["x, y", '5" pipe', "z"]


def test_a_single_column(tmp_path):
    frame = read_table(write(tmp_path / "t.csv", "word\nalpha\nbeta\n")).whole()
    assert frame.to_dict(as_series=False) == {"word": ["alpha", "beta"]}


letters = st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs", "Cc"])
cells = st.text(st.one_of(letters, st.sampled_from(list(' ,;|\t"\n'))), max_size=8)
numbers = st.one_of(st.integers(-(10**12), 10**12).map(str), st.floats(allow_nan=False, allow_infinity=False).map(repr))


def kept(cell):
    """What is read of a cell of text, where nothing pads the cells."""
    return None if cell in MISSING else cell


@st.composite
def odd_tables(draw):
    width, height = draw(st.integers(2, 4)), draw(st.integers(1, 8))
    kinds = [draw(st.sampled_from([cells, numbers])) for _ in range(width)]
    return [[draw(kind) for kind in kinds] for _ in range(height)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=odd_tables(), delimiter=st.sampled_from([",", ";", "\t", "|"]), every=st.booleans(), large=st.booleans())
def test_whatever_a_csv_writer_writes_is_read_back(rows, delimiter, every, large, tmp_path):
    names = [f"name {k}" for k in range(len(rows[0]))]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL if every else csv.QUOTE_MINIMAL)
    writer.writerows([names, *rows])
    path = write(tmp_path / "t.csv", out.getvalue().encode())
    expected = [tuple(map(kept, row)) for row in rows if any(kept(cell.strip(" \t")) is not None for cell in row)]
    if not expected:
        return
    frame = read_table(path, delimiter=delimiter, header=True, large=large).whole()
    assert frame.columns == names
    assert frame.height == len(expected)
    for name, column in zip(names, zip(*expected, strict=True), strict=True):
        if frame[name].dtype == pl.String:
            assert [strip(cell) for cell in frame[name]] == [strip(cell) for cell in column]
        else:
            assert frame[name].to_list() == [None if cell is None else number(cell) for cell in column]


def number(cell):
    """What is read of a cell of numbers: NaN is none."""
    return None if np.isnan(float(cell)) else float(cell)


def strip(cell):
    """Blanks at the ends may go, where a file has them."""
    return cell and kept(cell.strip(" \t"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=odd_tables())
def test_in_blocks_or_at_once_it_is_the_same_to_the_bit(rows, tmp_path):
    out = io.StringIO()
    csv.writer(out).writerows([[f"n{k}" for k in range(len(rows[0]))], *rows])
    path = write(tmp_path / "t.csv", out.getvalue().encode())
    if not any(kept(cell) for row in rows for cell in row):
        return
    whole = read_table(path, large=False).whole()
    large = read_table(path, large=True)
    assert large.columns == dict(whole.schema)
    assert pl.concat([whole.clear(), *large.blocks(3)]).equals(whole)
