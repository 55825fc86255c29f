"""Kinds of columns, and the encoding that follows from them."""

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rosenblatt.errors import TableError
from rosenblatt.read.encode import infer
from rosenblatt.read.encode.columns import (
    CategoryColumn,
    DateColumn,
    HashedTextColumn,
    IgnoredColumn,
    NumberColumn,
    SparseColumn,
    TextColumn,
    YesNoColumn,
)
from rosenblatt.read.encode.infer import encoding_of, types_for
from rosenblatt.read.profile.kinds import kinds_of
from rosenblatt.read.sources import read_table
from rosenblatt.read.table import Table

N = 60
LABELS = ["yes", "no", "no"] * (N // 3)


def guess(values, name="x", overrides=None, labels=LABELS, dtype=None):
    frame = pl.DataFrame({name: pl.Series(values, dtype=dtype), "y": labels[: len(values)]})
    return kinds_of(Table("t", frame), "y", overrides)[0]


def spread(values):
    """Values over all rows, so that none goes with one class."""
    return [values[(k // 3 + k % 7) % len(values)] for k in range(N)]


KINDS = {
    "number": [0.5 * k for k in range(N)],
    "few numbers": [k % 5 for k in range(N)],
    "category": spread(["red", "green", "blue"]),
    "sentences that come again": spread(["not at this bank", "paid back duly", "no credits taken"]),
    "yes/no": spread(["m", "f"]),
    "two numbers": spread([0, 1]),
    "bools": spread([True, False]),
    "text": [f"word{k % 7} and word{k % 11} go to {k}" for k in range(N)],
    "iso": [f"2020-01-{k % 28 + 1:02d}" for k in range(N)],
    "constant": ["same"] * N,
    "constant number": [3.5] * N,
    "constant with gaps": ["same", None, "same"] * (N // 3),
    "empty": [None] * N,
    "in a row": list(range(1000, 1000 + N)),
    "codes": [f"A{k:04d}X" for k in range(N)],
    "lists": [[1]] * N,
}
EXPECTED = {
    "number": ("number", "numbers"),
    "few numbers": ("number", "numbers"),
    "category": ("category", "3 different values"),
    "sentences that come again": ("category", "3 different values"),
    "yes/no": ("yes/no", "two values: f and m"),
    "two numbers": ("yes/no", "two values: 0 and 1"),
    "bools": ("yes/no", "two values: false and true"),
    "text": ("text", "free text: 6 words on average"),
    "iso": ("date", "all values are dates (year-month-day)"),
    "constant": ("ignore", "constant: always 'same'"),
    "constant number": ("ignore", "constant: always '3.5'"),
    "constant with gaps": ("category", "always 'same' or missing"),
    "empty": ("ignore", "no values"),
    "in a row": ("ignore", "identifier: consecutive whole numbers"),
    "codes": ("ignore", "identifier: all values differ"),
    "lists": ("ignore", "values of type List(Int64), which a rule cannot use"),
}


@pytest.mark.parametrize("case", KINDS)
def test_kinds_are_guessed(case):
    found = guess(KINDS[case])
    assert (found.kind, found.why) == EXPECTED[case]
    assert found.notes == ()


@pytest.mark.parametrize("name", ["id", "customer_id", "customerId", "order nr", "Key", "passport.number", "UUID"])
def test_a_column_whose_name_says_so_is_an_identifier(name):
    values = [k * k for k in range(N)]
    assert guess(values, name).kind == "ignore"
    assert guess(values, "paid").kind == "number"  # it ends in id, too
    assert guess([k % 30 for k in range(N)], name).kind == "number"  # values that come again identify nothing


def test_few_rows_may_be_in_a_row_by_coincidence():
    assert guess([1, 2, 3, 4, 5]).kind == "number"
    assert guess(["a", "b", "c"]).kind == "category"


def test_dates_that_can_be_read_in_two_ways_are_told():
    found = guess([f"{k % 12 + 1:02d}/{k % 7 + 1:02d}/2020" for k in range(N)])
    assert (found.kind, found.form) == ("date", "%d/%m/%Y")
    assert found.notes == ("dates read as day/month/year; they could also be month/day/year",)
    found = guess([f"{k % 12 + 1:02d}/{k % 28 + 1:02d}/2020" for k in range(N)])
    assert (found.form, found.notes) == ("%m/%d/%Y", ())


def test_a_column_that_gives_the_answer_away_is_kept_and_told():
    found = guess([{"yes": "paid", "no": "open"}[label] for label in LABELS])
    assert found.kind == "yes/no"
    assert "determines the target on its own (each value belongs to one class): a leak?" in found.notes[0]
    found = guess([k + 100.5 * (label == "yes") for k, label in enumerate(LABELS)])
    assert found.kind == "number"
    assert "one threshold separates the classes" in found.notes[0]


def test_a_category_of_many_values_is_told():
    found = guess([f"v{k % 40}" for k in range(N)])
    assert found.kind == "category"
    assert "most values occur only once" in found.notes[0]


def test_overrides_are_followed():
    assert guess(KINDS["few numbers"], overrides={"x": "category"}).kind == "category"
    assert guess(KINDS["in a row"], overrides={"x": "number"}).kind == "number"
    assert guess(KINDS["category"], overrides={"x": "ignore"}).why == "as requested"
    assert guess(KINDS["iso"], overrides={"x": "category"}).kind == "category"
    assert guess(KINDS["category"], overrides={"x": "text"}).kind == "text"
    assert guess([f"{k}.5" for k in range(N)], overrides={"x": "number"}).kind == "number"


def mixed():
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "id": range(N),
            "amount": [None if k == 5 else float(x) for k, x in enumerate(rng.normal(1000, 300, N))],
            "colour": [*spread(["red", "green", "blue"])[:-2], "pink", "mauve"],
            "sex": spread(["m", "f", None]),
            "since": [f"2020-01-{k % 28 + 1:02d}" for k in range(N)],
            "note": [f"Word{k % 7}, and word{k % 3}: once{k} more" for k in range(N)],
            "y": LABELS,
        }
    )


def test_the_encoding_of_a_mixed_table():
    encoding, notes = encoding_of(Table("t", mixed()), "y")
    amount, colour, sex, since, note = encoding.used
    assert isinstance(encoding.columns[0], IgnoredColumn)
    assert isinstance(amount, NumberColumn)
    assert amount.missing
    assert amount.lowest < 200 < 1800 < amount.highest
    assert abs(amount.centre - 1000) < 150
    assert isinstance(colour, CategoryColumn)
    assert (set(colour.values), colour.other, colour.missing) == ({"red", "green", "blue"}, True, False)
    assert isinstance(sex, YesNoColumn)
    assert (sex.values, sex.no, sex.missing) == (("m",), "f", True)
    assert isinstance(since, DateColumn)
    assert not since.missing
    assert isinstance(note, TextColumn)
    assert set(note.words) == {*(f"word{k}" for k in range(7)), "and", "more"}
    assert note.words[:2] == ("and", "more")
    assert encoding.target.classes == ("no", "yes")
    assert "'id' is left out: identifier: all values differ, and its name says so" in notes
    X = encoding.encode(mixed())
    assert X.shape == (N, encoding.size)
    assert np.isfinite(X).all()
    assert not X.std(axis=0)[[encoding.names.index("amount"), encoding.names.index("since")]].min() < 0.5


def test_the_encoding_does_not_depend_on_how_the_table_is_read(tmp_path):
    mixed().write_csv(tmp_path / "t.csv")
    mixed().write_parquet(tmp_path / "t.parquet")
    expected = encoding_of(Table("t", mixed()), "y")
    for name in ("t.csv", "t.parquet"):
        for large in (False, True):
            assert encoding_of(read_table(tmp_path / name, large=large), "y") == expected


def test_the_yes_can_be_named():
    table = Table("t", pl.DataFrame({"x": range(6), "y": ["approved", "rejected", "open"] * 2}))
    assert encoding_of(table, "y")[0].target.classes == ("approved", "open", "rejected")
    assert encoding_of(table, "y", positive="approved")[0].target.classes == ("open", "rejected", "approved")


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (["yes", "no"], ("no", "yes")),
        (["true", "wrong"], ("wrong", "true")),
        (["+", "-"], ("-", "+")),
        ([2, 10], ("2", "10")),
        ([1, 2], ("1", "2")),
        ([-1.0, 1.0], ("-1", "1")),
        ([True, False], ("false", "true")),
    ],
)
def test_the_order_of_classes(values, classes):
    table = Table("t", pl.DataFrame({"x": range(8), "y": values * 4}))
    assert encoding_of(table, "y")[0].target.classes == classes


def test_rare_values_share_a_feature():
    values = [f"v{k % 300}" for k in range(900)] + ["once"]
    table = Table("t", pl.DataFrame({"x": values, "y": (["a", "b"] * 500)[:901]}))
    column = encoding_of(table, "y")[0].columns[0]
    assert len(column.values) == 255
    assert column.other
    assert "once" not in column.values
    values = ["a", "b", "c"] * 300
    table = Table("t", pl.DataFrame({"x": values, "y": ["a", "b"] * 450}))
    assert encoding_of(table, "y")[0].columns[0] == CategoryColumn("x", ("a", "b", "c"), False, False)


def test_hashed_text():
    encoding, _ = encoding_of(Table("t", mixed()), "y", text="hashed", buckets=64)
    note = encoding.columns[-1]
    assert isinstance(note, HashedTextColumn)
    assert note.buckets == 64


def test_a_vocabulary_is_bounded(monkeypatch):
    monkeypatch.setattr(infer, "MOST_WORDS", 3)
    encoding, _ = encoding_of(Table("t", mixed()), "y")
    assert encoding.columns[-1].words == ("and", "more", "word0")


def test_overridden_columns_are_encoded():
    frame = pl.DataFrame(
        {
            "code": [k % 40 for k in range(N)],
            "size": [f"{k % 9}.5" for k in range(N)],
            "day": [f"{k % 28 + 1}.{k % 12 + 1}.2020" for k in range(N)],
            "y": LABELS,
        }
    )
    told = {"code": "category", "size": "number", "day": "date"}
    code, size, day = encoding_of(Table("t", frame), "y", overrides=told)[0].columns
    assert len(code.values) == 20  # 40 values in 60 rows: 20 come twice
    assert code.other
    assert isinstance(size, NumberColumn)
    assert 3 < size.centre < 6
    assert day.format == "%d.%m.%Y"
    assert 18262 < day.centre < 18628


def test_numbers_that_hardly_differ_have_a_scale():
    values = [1.0, 1.0 + 2**-52] * (N // 2)
    column = encoding_of(Table("t", pl.DataFrame({"x": values, "y": LABELS})), "y", overrides={"x": "number"})[
        0
    ].columns[0]
    assert isinstance(column, NumberColumn)
    assert column.scale > 0


def test_libsvm_has_numbered_features(tmp_path):
    (tmp_path / "t.svm").write_text("+1 1:0.5 7:2\n-1 2:1\n")
    table = read_table(tmp_path / "t.svm")
    encoding, _ = encoding_of(table, "label")
    assert isinstance(encoding.columns[0], SparseColumn)
    assert encoding.columns[0].count == 7
    assert encoding.target.classes == ("-1", "1")
    assert encoding.encode(table.sparse[0]).toarray()[0].tolist() == [0.5, 0, 0, 0, 0, 0, 2]
    (tmp_path / "one.svm").write_text("+1 1:0.5\n+1 2:1\n")
    with pytest.raises(TableError, match="needs two classes"):
        encoding_of(read_table(tmp_path / "one.svm"), "label")
    (tmp_path / "none.svm").write_text("+1\n-1\n")
    with pytest.raises(TableError, match="no row has a feature"):
        encoding_of(read_table(tmp_path / "none.svm"), "label")


def test_later_files_are_read_as_the_first_was_meant(tmp_path):
    first = "zip,flag,n,y\n" + "".join(
        f"{k % 4:05d}{'A' if k % 7 == 0 else ''},{k % 2},{k % 13},{k % 3 > 0}\n" for k in range(N)
    )
    (tmp_path / "1.csv").write_text(first)
    (tmp_path / "2.csv").write_text("zip,flag,n,y\n00001,1.0,5,True\n00002,0,7,False\n")
    encoding, _ = encoding_of(read_table(tmp_path / "1.csv"), "y")
    assert types_for(encoding) == {"zip": pl.String(), "flag": None, "n": pl.Float64(), "y": None}
    plain = read_table(tmp_path / "2.csv").whole()
    typed = read_table(tmp_path / "2.csv", types=types_for(encoding)).whole()
    place = encoding.names.index("zip = 00001")
    assert encoding.encode(plain)[0, place] == 0  # 1 is another text than 00001
    assert encoding.encode(typed)[0, place] == 1
    assert encoding.encode(typed)[:, encoding.names.index("flag = 1")].tolist() == [1, 0]


SHARED = Path(__file__).parents[3] / "shared" / "data"
REAL = {  # the target, its classes, and how many columns there are of each kind
    "auto_mpg/cars.csv": ("origin", ("Europe", "Japan", "USA"), {"number": 7, "text": 1}),
    "banknote/data_banknote_authentication.txt": ("c5", ("0", "1"), {"number": 4}),
    "credit_approval/crx.data": ("c16", ("-", "+"), {"number": 6, "category": 5, "yes/no": 4}),
    "electricity/electricity.zip": ("class", ("DOWN", "UP"), {"number": 8}),
    "german_credit/germancredit.csv": ("creditability", ("bad", "good"), {"number": 6, "category": 11, "yes/no": 3}),
    "ionosphere/ionosphere.data": ("c35", ("b", "g"), {"number": 32, "yes/no": 1, "ignore": 1}),
    "kr_vs_kp/kr.vs.kp.arff.gz": ("class", ("nowin", "won"), {"yes/no": 35, "category": 1}),
    "mushrooms/agaricus-lepiota.data": ("c1", ("e", "p"), {"category": 16, "yes/no": 5, "ignore": 1}),
    "phishing/phishing_river_1250.csv.gz": ("is_phishing", ("0", "1"), {"number": 7, "yes/no": 2}),
    "phishing/phishing_websites_uci.csv.gz": ("c31", ("-1", "1"), {"number": 8, "yes/no": 22}),
    "pima_diabetes/pima-indians-diabetes.data.csv": ("c9", ("0", "1"), {"number": 8}),
    "sms_spam/SMSSpamCollection": ("c1", ("ham", "spam"), {"text": 1}),
    "sonar/sonar.all-data": ("c61", ("M", "R"), {"number": 60}),
    "vote/vote.arff": ("Class", ("democrat", "republican"), {"yes/no": 16}),
}


@pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")
@pytest.mark.parametrize("name", REAL)
def test_real_columns_have_the_right_kinds(name):
    target, classes, kinds = REAL[name]
    table = read_table(SHARED / name)
    assert Counter(guess.kind for guess in kinds_of(table, target)) == kinds
    encoding, _ = encoding_of(table, target)
    assert encoding.target.classes == classes
    assert encoding.encode(table.whole()).shape == (table.height, encoding.size)


@pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")
def test_cars_without_mpg_are_told_or_left_out():
    table = read_table(SHARED / "auto_mpg" / "cars.csv")
    with pytest.raises(TableError, match="the target 'mpg' is missing, and in 7 more rows"):
        encoding_of(table, "mpg")
    with pytest.raises(TableError, match="looks like a number to predict"):
        encoding_of(table.with_known("mpg"), "mpg")
