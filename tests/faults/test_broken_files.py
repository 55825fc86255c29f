"""Broken files and wrong options: each has its own error of one line, which names the file and the place in it."""

import gzip
import io
import os
import zipfile

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.errors import OptionError, TableError
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.sources import read_table

GOOD = b"a,b,y\n" + b"1,2,yes\n3,4,no\n" * 20
ARFF = b"@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n"


def parquet(**columns):
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def arrow(**columns):
    out = io.BytesIO()
    pl.DataFrame(columns).write_ipc(out)
    return out.getvalue()


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def zstd(content):
    out = io.BytesIO()
    pl.read_csv(content).write_csv(out, compression="zstd")
    return out.getvalue()


FILES = {  # name: content, what the error says
    "empty.csv": (b"", "empty"),
    "blank.csv": (b" \n\n \n", "empty"),
    "header.csv": (b"a,b,y\n", "no rows"),
    "header.arff": (ARFF, "no rows after @data"),
    "header.parquet": (parquet(a=pl.Series([], dtype=pl.Int64)), "no rows"),
    "nothing.parquet": (parquet(), "no columns"),
    "short.csv.gz": (gzip.compress(GOOD)[:-12], "the file is truncated"),
    "long.csv.gz": (
        gzip.compress(np.random.default_rng(0).bytes(500_000).hex().encode())[:-9000],
        "the file is truncated",
    ),
    "junk.csv.gz": (b"\x1f\x8b" + b"junk" * 9, "damaged"),
    "short.csv.zst": (zstd(GOOD)[:-9], "the file is truncated"),
    "junk.csv.zst": (b"\x28\xb5\x2f\xfd" + b"junk" * 9, "damaged"),
    "short.parquet": (parquet(a=[1, 2, 3])[:-20], "not Parquet, or damaged"),
    "junk.parquet": (b"PAR1" + bytes(range(256)), "not Parquet, or damaged"),
    "text.parquet": (GOOD, "not Parquet, or damaged"),
    "short.arrow": (arrow(a=[1, 2, 3])[:-20], "not Arrow IPC, or damaged"),
    "packed.parquet.gz": (gzip.compress(parquet(a=[1])), "unpack it first"),
    "junk.csv": (bytes(range(1, 256)) * 20, "neither text nor"),
    "junk": (np.random.default_rng(0).bytes(4000), "binary file"),
    "nul.csv": (b"a,b\n1,2\n3,\x004\n", "byte 11 is zero"),
    "prose.md": (b"Once upon a time\nthere was a king, and he\nhad no table.\n", "specify its format or its delimiter"),
    "two.zip": (zipped(a="x,y\n1,2\n", b="x,y\n1,2\n"), "a zip archive of 2 files"),
    "none.zip": (zipped(), "a zip archive of 0 files"),
    "short.zip": (zipped(a="x,y\n1,2\n" * 99)[:300], "cannot unpack the zip archive"),
    "book.xlsx": (zipped(**{"[Content_Types].xml": "", "xl/workbook.xml": ""}), "Excel"),
    "book.xls": (b"\xd0\xcf\x11\xe0" + b"\0" * 99, "Excel"),
    "table.pickle": (b"\x80\x04\x95junk", "pickle"),
    "table.db": (b"SQLite format 3\0" + b"\0" * 99, "SQLite"),
    "table.h5": (b"\x89HDF\r\n\x1a\n" + b"\0" * 99, "HDF5"),
    "old.feather": (b"FEA1" + b"\0" * 99, "old Feather"),
    "page.txt": (b"<html><table></table></html>\n", "HTML"),
    "array.txt": (b'[{"a": 1}, {"a": 2}]\n', "JSON array"),
    "long_row.csv": (GOOD + b"5,6,yes,7\n" + GOOD[6:], "line 42: 4 cells where the header has 3"),
    "short_row.csv": (GOOD + b"5,6\n" + GOOD[6:], "line 42: 2 cells where the header has 3"),
    "short_last_row.csv": (GOOD + b"5", "line 42: 1 cell where the header has 3"),
    "short_row.data": (b"1,2,3\n4,5,6\n7,8\n9,1,2\n", "line 3: 2 cells where the other rows have 3"),
    "short_quoted.csv": (b'a,b\n"x\ny",1\n"z"\n"w",2\n', "line 4: 1 cell where the header has 2"),
    "ragged_blanks.txt": (b"1 2 3\n" * 1500 + b"1 2\n", "line 1501: 2 cells"),
    "twice.csv": (b"a,b,a\n1,2,3\n4,5,6\n", "columns 1 and 3 are both named 'a'"),
    "star.csv": (b"*,b\n1,2\n4,5\n", "the column name '*' is a pattern to Polars; rename the column"),
    "pattern.csv": (b"^b.*$,b\n1,2\n4,5\n", "the column name '^b.*$' is a pattern to Polars"),
    "star.ndjson": (b'{"*": 1, "b": 2}\n{"*": 4, "b": 5}\n', "the column name '*' is a pattern"),
    "star.arff": (
        b"@relation t\n@attribute * numeric\n@attribute b numeric\n@data\n1,2\n4,5\n",
        "the column name '*' is a pattern",
    ),
    "twice.arff": (b"@relation r\n@attribute x real\n@attribute x real\n@data\n1,2\n", "line 3: a second column"),
    "open_quote.csv": (b'a,b\n"1",x\n2,"y\n3,z\n4,w\n', "line 3: unclosed quotation mark"),
    "no_data.arff": (b"@relation r\n@attribute x numeric\n1\n", "line 3"),
    "no_data_at_all.arff": (b"@relation r\n@attribute x numeric\n", "no @data line"),
    "no_columns.arff": (b"@relation r\n@data\n1\n", "line 2: @data comes before"),
    "undeclared.arff": (ARFF + b"1,a\n2,c\n", "line 6, column 'y': 'c' is not among the declared values"),
    "word.arff": (ARFF + b"one,a\n", "line 5, column 'x': 'one' is not a number"),
    "wide.arff": (ARFF + b"1,a,2\n", "line 5: 3 values where 2 columns are declared"),
    "quote.arff": (ARFF + b"1,'a\n", "line 5: unclosed quotation mark"),
    "sparse.arff": (ARFF + b"{0 1}\n", "line 5: sparse ARFF"),
    "type.arff": (b"@relation r\n@attribute x relational\n@data\n1\n", "line 2: column 'x' has an unknown type"),
    "zero.libsvm": (b"+1 1:1\n-1 0:1\n", "line 2: feature numbers start at 1, but there is '0:1'"),
    "falls.libsvm": (b"+1 1:1\n-1 3:1 2:1\n", "line 2: feature numbers must increase, but '2:1'"),
    "same.libsvm": (b"+1 1:1 1:2\n", "line 1: feature numbers must increase, but '1:2'"),
    "word.libsvm": (b"+1 1:1\n-1 2:x\n", "line 2: '2:x' is not a feature number and a value"),
    "pair.libsvm": (b"+1 1:1\n-1 2\n", "line 2: '2' is not a feature number and a value"),
    "label.libsvm": (b"+1 1:1\nyes 2:1\n", "line 2: the label 'yes' is not a number"),
    "infinite.libsvm": (b"+1 1:inf\n", "line 1: '1:inf' is not a finite value"),
    "huge.libsvm": (b"+1 99999999999:1\n", "the feature number in '99999999999:1' is too large"),
    "remarks.libsvm": (b"# nothing\n# here\n", "no rows"),
    "broken.ndjson": (b'{"a": 1}\n{"a": \n', "line 2: not JSON"),
    "list.ndjson": (b'{"a": 1}\n[1]\n', "line 2: not a JSON object"),
    "short.ndjson.gz": (gzip.compress(b'{"a": 1}\n' * 99)[:-12], "the file is truncated"),
}


SEEDS = {
    "t.csv": GOOD,
    "t.csv.gz": gzip.compress(GOOD),
    "t.csv.zst": zstd(GOOD),
    "t.zip": zipped(a=GOOD),
    "t.ndjson": b'{"a": 1, "b": "x"}\n' * 5,
    "t.libsvm": b"+1 1:0.5 3:2\n-1 2:1 # remark\n" * 5,
    "t.arff": ARFF + b"1,a\n?,'b'\n" * 5,
    "t.txt": b'1  2 "x y"\n3  4 z\n' * 5,
}
odd_bytes = [b"", b'"', b",", b"\n", b"\r", b"\0", b"\xff", b";", b"'", b"{", b"1:", b"\n\n", b'"x"', b"NA"]
edits = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30), st.sampled_from(odd_bytes)), min_size=1, max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(list(SEEDS)), edits=edits, large=st.booleans())
def test_a_damaged_file_is_read_or_refused_and_nothing_else(name, edits, large, tmp_path):
    content = SEEDS[name]
    for place, length, new in edits:
        content = content[:place] + new + content[place + length :]
    path = tmp_path / name
    path.write_bytes(content)
    try:
        read_table(path, large=large).whole()
        told = str(path)
    except TableError as error:
        told = str(error)
    assert str(path) in told
    assert "\n" not in told


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_refused_in_one_line(name, tmp_path):
    content, says = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TableError) as caught:
        read_table(path)
    message = str(caught.value)
    assert says in message
    assert message.startswith(str(path))
    assert "\n" not in message


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(TableError, match=r"nowhere.csv: no such file"):
        read_table(tmp_path / "nowhere.csv")


def test_a_directory(tmp_path):
    with pytest.raises(TableError, match="is a directory; name the files in it"):
        read_table(tmp_path)


def test_a_pattern_that_fits_nothing(tmp_path):
    with pytest.raises(TableError, match="no file matches this pattern"):
        read_table(tmp_path / "*.csv")


def test_no_files_at_all():
    with pytest.raises(TableError, match="no input file given"):
        read_table([])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    (tmp_path / "secret.csv").write_bytes(GOOD)
    (tmp_path / "secret.csv").chmod(0)
    with pytest.raises(TableError, match=r"secret.csv: permission denied"):
        read_table(tmp_path / "secret.csv")


def test_permission_errors_are_told(tmp_path, monkeypatch):
    (tmp_path / "secret.csv").write_bytes(GOOD)

    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(TableError, match=r"secret.csv: permission denied"):
        read_table(tmp_path / "secret.csv")


PAIRS = {  # the second file, and what the error says about it
    "name": (b"a,c,y\n1,2,yes\n", "2.csv: column 2 is 'c', but 'b' in"),
    "more": (b"a,b,y,z\n1,2,yes,3\n", "2.csv: 4 columns, but .*1.csv has 3; 'z' is only in .*2.csv"),
    "fewer": (b"a,b\n1,2\n", "2.csv: 2 columns, but .*1.csv has 3; 'y' is only in .*1.csv"),
}


@pytest.mark.parametrize("case", PAIRS)
def test_files_of_a_pattern_must_have_the_same_columns(case, tmp_path):
    (tmp_path / "1.csv").write_bytes(GOOD)
    (tmp_path / "2.csv").write_bytes(PAIRS[case][0])
    with pytest.raises(TableError, match=PAIRS[case][1]):
        read_table(tmp_path / "*.csv")


def test_parquet_files_of_a_pattern_must_have_the_same_columns(tmp_path):
    (tmp_path / "1.parquet").write_bytes(parquet(a=[1], b=["x"]))
    (tmp_path / "2.parquet").write_bytes(parquet(a=["1"], b=["x"]))
    (tmp_path / "3.parquet").write_bytes(parquet(a=[1], c=["x"]))
    with pytest.raises(TableError, match=r"2.parquet: column 'a' is String, but Int64 in .*1.parquet"):
        read_table([tmp_path / "1.parquet", tmp_path / "2.parquet"])
    with pytest.raises(TableError, match=r"3.parquet: column 2 is 'c', but 'b' in .*1.parquet"):
        read_table([tmp_path / "1.parquet", tmp_path / "3.parquet"])


def test_files_without_header_must_have_the_same_width(tmp_path):
    (tmp_path / "1.data").write_bytes(b"1,2\n3,4\n")
    (tmp_path / "2.data").write_bytes(b"1,2,3\n")
    with pytest.raises(TableError, match=r"2.data: 3 columns, but .*1.data has 2"):
        read_table(tmp_path / "*.data")


def test_arff_files_must_declare_the_same_columns(tmp_path):
    (tmp_path / "1.arff").write_bytes(ARFF + b"1,a\n")
    (tmp_path / "2.arff").write_bytes(ARFF.replace(b"{a,b}", b"{a,c}") + b"1,a\n")
    with pytest.raises(TableError, match=r"2.arff: 'y' is declared differently"):
        read_table(tmp_path / "*.arff")


def test_files_of_two_formats(tmp_path):
    (tmp_path / "1.csv").write_bytes(GOOD)
    (tmp_path / "2.parquet").write_bytes(parquet(a=[1]))
    with pytest.raises(TableError, match=r"2.parquet: is parquet, but .*1.csv is csv"):
        read_table(tmp_path / "*")


def test_one_truncated_file_among_several_is_named(tmp_path):
    rows = np.random.default_rng(0).normal(size=100_000)
    (tmp_path / "1.parquet").write_bytes(parquet(a=rows))
    broken = bytearray(parquet(a=rows))
    broken[5000:400_000] = bytes(395_000)
    (tmp_path / "2.parquet").write_bytes(broken)
    with pytest.raises(TableError, match=r"2.parquet: not Parquet, or damaged"):
        read_table(tmp_path / "*.parquet")


OPTIONS = {
    "format": ({"format": "excel"}, OptionError, "unknown format 'excel'; choose one of csv"),
    "delimiter": ({"delimiter": ",,"}, OptionError, "the delimiter must be one character"),
    "letter": ({"delimiter": "x"}, OptionError, "the delimiter must be one character"),
    "encoding": ({"encoding": "klingon"}, OptionError, "unknown encoding 'klingon'"),
    "ascii": ({"encoding": "ascii"}, TableError, "byte 0xc3 is not ascii"),
    "types": ({"types": {"b": pl.Float64()}}, TableError, "row 2, column 'b': 'é' is not a number"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_wrong_options(case, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,é\n", encoding="utf-8")
    options, error, says = OPTIONS[case]
    with pytest.raises(error, match=says):
        read_table(tmp_path / "t.csv", **options)


@pytest.mark.parametrize("large", [False, True])
def test_words_in_a_column_of_numbers_are_told_by_row_and_column(large, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"1,2\n" * 5000 + b"1,two\n" + b"1,2\n" * 5000)
    types = {"a": pl.Float64(), "b": pl.Float64()}
    with pytest.raises(TableError, match=r"t.csv: row 5001, column 'b': 'two' is not a number"):
        read_table(tmp_path / "t.csv", types=types, large=large).whole()


TARGETS = {
    "absent": ("yy", {}, TableError, "there is no target column 'yy'; did you mean 'y'"),
    "missing": (
        "holes",
        {},
        TableError,
        "row 2: the target 'holes' is missing, and in 20 more rows; .*--drop-missing",
    ),
    "infinite": ("far", {}, TableError, "the target 'far' has values that are not finite"),
    "one": ("same", {}, TableError, "the target 'same' needs two classes or more; the only value is 'x'"),
    "none": ("void", {}, TableError, "the target 'void' is missing"),
    "many": (
        "n",
        {},
        TableError,
        "the target 'n' has 120 different values, more than the 100 classes .*; it looks like a number to predict",
    ),
    "positive": ("y", {"positive": "yess"}, OptionError, "no value 'yess'; did you mean 'yes'"),
    "kind": ("y", {"overrides": {"n": "float"}}, OptionError, "column 'n': unknown kind 'float'; choose one of number"),
    "column": (
        "y",
        {"overrides": {"sane": "text"}},
        OptionError,
        "no column 'sane' to read as text; did you mean 'same'",
    ),
    "target": ("y", {"overrides": {"y": "text"}}, OptionError, "'y' is the target"),
    "number": ("y", {"overrides": {"same": "number"}}, TableError, "row 1, column 'same': 'x' is not a number"),
    "text": ("y", {"overrides": {"n": "text"}}, OptionError, "column 'n' holds numbers, which cannot be read as text"),
    "date": (
        "y",
        {"overrides": {"same": "date"}},
        OptionError,
        "column 'same' has values that are not dates, such as 'x'",
    ),
    "yes/no": ("y", {"overrides": {"n": "yes/no"}}, OptionError, "column 'n' has 120 different values; yes/no"),
    "words": ("y", {"text": "words"}, OptionError, "text must be 'vocabulary' or 'hashed'"),
}


@pytest.mark.parametrize("case", TARGETS)
def test_targets_and_kinds_that_do_not_fit(case, tmp_path):
    rows = [
        f"{k},{k * k},x,{'yes' if k % 3 else 'no'},{'' if k % 6 == 1 or k == 3 else k % 2},{'inf' if k % 2 else 1},"
        for k in range(120)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["k,n,same,y,holes,far,void", *rows]) + "\n")
    target, options, error, says = TARGETS[case]
    with pytest.raises(error, match=says) as caught:
        encoding_of(read_table(tmp_path / "t.csv"), target, **options)
    assert "\n" not in str(caught.value)
