"""Files of every other format become the same table, and real files of every format are read whole."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from rosenblatt.read.sources import read_table
from unit.sources import TABLE, same, write, zstd

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
