"""Files of every format, delimiter, packing and encoding become the same table."""

import codecs
import csv
import gzip
import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.errors import TableError
from rosenblatt.read import files
from rosenblatt.read.sources import DEFAULT_MISSING, read_table

TABLE = pl.DataFrame(
    {
        "age": [31, 42, None, 27, 55] * 4,
        "income": [1.5, -2.25, 1e-3, None, 4e9] * 4,
        "town": ["Bern", "Genève", None, "Zürich, Kreis 4", 'the "old" town'] * 4,
        "y": ["yes", "no", "yes", "no", "no"] * 4,
    }
)


def write(path, content, **options):
    path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content, newline="", **options)
    return path


def as_csv(frame, **options):
    out = io.BytesIO()
    frame.write_csv(out, **options)
    return out.getvalue()


def zstd(content):
    """Packed by what Polars has for it, as it is not in this Python's library."""
    lines = pl.DataFrame({"line": content.decode().removesuffix("\n").split("\n")})
    out = io.BytesIO()
    lines.write_csv(out, include_header=False, quote_style="never", compression="zstd")
    return out.getvalue()


def zipped(content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("inside.csv", content)
    return out.getvalue()


def same(table, frame=TABLE):
    found = table.whole()
    assert found.columns == frame.columns
    assert found.equals(frame)


PACKED = {".csv": bytes, ".csv.gz": gzip.compress, ".csv.zst": zstd, ".zip": zipped}


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
    with pytest.raises(TableError, match="it is not all UTF-8; name its encoding"):
        read_table(tmp_path / "t.csv", encoding="utf-8")
    write(tmp_path / "t.csv", content.replace(b'5" pipe,"x, y"', b"u,v"))
    with pytest.raises(TableError, match="it is not all UTF-8; name its encoding"):
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


@pytest.mark.parametrize("token", DEFAULT_MISSING)
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


WRITERS = {
    ".parquet": pl.DataFrame.write_parquet,
    ".arrow": pl.DataFrame.write_ipc,
    ".feather": pl.DataFrame.write_ipc,
    ".ndjson": pl.DataFrame.write_ndjson,
    ".jsonl": pl.DataFrame.write_ndjson,
    ".other": pl.DataFrame.write_parquet,
    ".dump": pl.DataFrame.write_ndjson,
}


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("suffix", WRITERS)
def test_other_formats(suffix, large, tmp_path):
    WRITERS[suffix](TABLE, tmp_path / f"t{suffix}")
    same(read_table(tmp_path / f"t{suffix}", large=large))


def test_ndjson_packed_and_with_late_surprises(tmp_path):
    lines = b'{"a": 1, "b": true}\n' * 3000 + b'{"a": "x", "c": 2.5}\n'
    frame = read_table(write(tmp_path / "t.ndjson.gz", gzip.compress(lines))).whole()
    assert frame.columns == ["a", "b", "c"]
    assert frame.row(-1) == ("x", None, 2.5)


def test_categories_and_decimals_of_parquet_become_plain(tmp_path):
    frame = pl.DataFrame({"a": ["x", "y"], "b": ["1.5", "2.5"], "c": ["u", "v"]}).with_columns(
        pl.col("a").cast(pl.Categorical), pl.col("b").cast(pl.Decimal(10, 2)), pl.col("c").cast(pl.Enum(["u", "v"]))
    )
    frame.write_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet").whole()
    assert found.to_dict(as_series=False) == {"a": ["x", "y"], "b": [1.5, 2.5], "c": ["u", "v"]}


LIBSVM = b"+1 1:0.5 3:2 # remark\n-1\n# nothing\n\n1.0 qid:7 2:-1e3\t4:1 \r\n-1.5 4:0.25\n"


@pytest.mark.parametrize("name", ["t.libsvm", "t.svm.gz", "t.svmlight", "t.libsvm.zst"])
def test_libsvm(name, tmp_path):
    content = LIBSVM
    packed = gzip.compress(content) if name.endswith("gz") else zstd(content) if name.endswith("zst") else content
    table = read_table(write(tmp_path / name, packed))
    X, labels = table.sparse
    assert X.toarray().tolist() == [[0.5, 0, 2, 0], [0, 0, 0, 0], [0, -1000, 0, 1], [0, 0, 0, 0.25]]
    assert labels == ["1", "-1", "1", "-1.5"]
    assert table.height == 4
    assert [part.shape for part in table.blocks(3)] == [(3, 4), (1, 4)]


def test_libsvm_is_known_by_its_content(tmp_path):
    assert read_table(write(tmp_path / "a1a", "-1 3:1 11:1\n+1 2:1 5:0.5\n")).sparse[0].shape == (2, 11)
    assert read_table(write(tmp_path / "t.txt", "10:30 12:40\n11:00 13:10\n")).sparse is None


def test_libsvm_agrees_with_scikit_learn(tmp_path, rng):
    from scipy.sparse import random_array
    from sklearn.datasets import dump_svmlight_file, load_svmlight_file

    X = random_array((500, 40), density=0.2, rng=rng, format="csr")
    y = rng.integers(-3, 4, 500)
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=False)
    found, labels = read_table(tmp_path / "t.svm").sparse
    expected, y = load_svmlight_file(str(tmp_path / "t.svm"))
    assert (found != expected).nnz == 0
    assert labels == [str(int(label)) for label in y]


ARFF = b"""% a remark
@RELATION 'odd one'
@attribute 'the size' REAL
@ATTRIBUTE colour { red, 'dark blue', "it\\'s" }
@attribute note string
@attribute day date "yyyy-MM-dd"
@data
% another
1.5, red, 'a, b', 2020-01-02
?, 'dark blue', ?, ?
-3e2, "it\\'s", "say \\"so\\"", "2021-12-31"
"""


@pytest.mark.parametrize("name", ["t.arff", "t.arff.gz", "t.txt"])
def test_arff(name, tmp_path):
    table = read_table(write(tmp_path / name, gzip.compress(ARFF) if name.endswith("gz") else ARFF))
    assert table.hints == {"the size": "number", "colour": "category"}
    assert table.whole().rows() == [
        (1.5, "red", "a, b", "2020-01-02"),
        (None, "dark blue", None, None),
        (-300.0, "it's", 'say "so"', "2021-12-31"),
    ]


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


letters = st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs", "Cc"])
cells = st.text(st.one_of(letters, st.sampled_from(list(' ,;|\t"\n'))), max_size=8)
numbers = st.one_of(st.integers(-(10**12), 10**12).map(str), st.floats(allow_nan=False, allow_infinity=False).map(repr))


def kept(cell):
    """What is read of a cell of text, where nothing pads the cells."""
    return None if cell in DEFAULT_MISSING else cell


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
    expected = [tuple(map(kept, row)) for row in rows if any(kept(cell) is not None for cell in row)]
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


SHARED = Path(__file__).parents[3] / "shared" / "data"
SHAPES = {
    "auto_mpg/cars.csv": (406, 9),
    "banknote/data_banknote_authentication.txt": (1372, 5),
    "credit_approval/crx.data": (690, 16),
    "electricity/electricity.zip": (45312, 9),
    "german_credit/germancredit.csv": (1000, 21),
    "ionosphere/ionosphere.data": (351, 35),
    "kr_vs_kp/kr.vs.kp.arff.gz": (3196, 37),
    "mushrooms/agaricus-lepiota.data": (8124, 23),
    "phishing/phishing_river_1250.csv.gz": (1250, 10),
    "phishing/phishing_websites_uci.csv.gz": (11055, 31),
    "pima_diabetes/pima-indians-diabetes.data.csv": (768, 9),
    "sms_spam/SMSSpamCollection": (5574, 2),
    "sonar/sonar.all-data": (208, 61),
    "vote/vote.arff": (435, 17),
    "a9a/a1a": (1605, 119),
    "a9a/a9a.gz": (32561, 123),
    "a9a/a9a.t.gz": (16281, 122),
    "mushrooms/agaricus.txt.test.gz": (1611, 126),
    "mushrooms/agaricus.txt.train.gz": (6513, 126),
    "mushrooms/mushrooms.libsvm.gz": (8124, 112),
}


@pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")
@pytest.mark.parametrize("name", SHAPES)
def test_real_files_are_read_with_the_right_shape(name):
    assert read_table(SHARED / name).whole().shape == SHAPES[name]
