"""Notes on columns: identifiers, leaks, numbers that are written as text, yes and no in other words."""

import numpy as np
import polars as pl
import pytest

from rosenblatt.read.encode.columns import CategoryColumn, IgnoredColumn, NumberColumn, YesNoColumn
from rosenblatt.read.encode.infer import encoding_of
from rosenblatt.read.table import Table
from rosenblatt.ship.explain.card_parts import measure_of

N = 60
RNG = np.random.default_rng(5)
Y = ["no", "yes"] * (N // 2)


def found(name, cells, y=Y):
    encoding, notes = encoding_of(Table("t", pl.DataFrame({name: cells, "y": y})), "y")
    return encoding.columns[0], " ".join(notes)


@pytest.mark.parametrize("name", ["rownames", "id", "x"])
def test_consecutive_whole_numbers_are_left_out(name):
    column, notes = found(name, list(range(1, N + 1)))
    assert isinstance(column, IgnoredColumn)
    assert "identifier" in notes
    assert "in a row" not in notes
    if name == "x":
        assert notes == "'x' is left out: identifier: consecutive whole numbers"


def test_numbers_that_are_nearly_names_are_asked_about():
    cells = [*RNG.permutation(10_000)[: N - 2].tolist(), 7, 7]
    column, notes = found("customer_id", cells)
    assert isinstance(column, NumberColumn)
    assert notes == "'customer_id': most values occur only once; if it is an identifier, use --ignore customer_id"
    assert found("salary", cells)[1] == ""


def test_names_of_people_are_asked_about():
    names = [f"Braund, Mr. Owen {chr(65 + k * 2 // 3)}arris" for k in range(N)]
    assert found("Name", names)[1] == "'Name': if these are only names, use --ignore Name"
    assert found("Full Name", names)[1].endswith("--ignore 'Full Name'")
    assert found("story", names)[1] == ""


@pytest.mark.parametrize("kind", ["number", "category", "several classes"])
def test_a_column_that_almost_decides_is_noted(kind):
    y, wrong = RNG.integers(0, 2, 400), np.arange(400) % 80 == 3
    cells = np.where(y ^ wrong, RNG.normal(5, 1, 400), 0.0).tolist()
    labels = ["no" if k == 0 else "yes" for k in y]
    if kind != "number":
        cells = ["spent" if x else "nothing" for x in cells]
    if kind == "several classes":
        labels = [label if k % 3 else "other" for k, label in enumerate(labels)]
        cells = [cell if k % 3 else "else" for k, cell in enumerate(cells)]
    _, notes = found("spending", cells, labels)
    assert "almost determines the target on its own (it alone is wrong on" in notes
    assert notes.endswith("--ignore spending")
    assert found("spending", RNG.permutation(cells).tolist(), labels)[1] == ""


def test_missing_numbers_are_a_side_of_their_own():
    y = RNG.integers(0, 2, 200)
    _, notes = found("x", [None if k == 0 else float(RNG.normal()) for k in y[:199]] + [1.0], [str(k) for k in y])
    assert "almost determines the target" in notes or "determines the target on its own" in notes


def test_many_values_are_no_leak():
    """A value that comes once says nothing about others."""
    assert "almost" not in found("town", [f"t{k // 2}" for k in range(N)], Y[: N // 2] * 2)[1]


def test_numbers_that_are_written_as_text():
    cells = [f"{k * 137 + 1000:,}" for k in range(N - 2)] + [None, "7"]
    column, notes = found("price", cells)
    assert isinstance(column, NumberColumn)
    assert column.written
    assert (column.missing, notes) == (True, "")
    assert encoding_of(Table("t", pl.DataFrame({"price": cells, "y": Y})), "y")[0].encode(
        pl.DataFrame({"price": ["2,000", "2000", "NA"]})
    )[:, 0].tolist() == [*2 * [float(np.float32((2000 - column.centre) / column.scale))], 0.0]


def test_percents_beside_plain_numbers_are_noted():
    column, notes = found("rate", [f"{k}%" for k in range(N - 1)] + ["0.5"])
    assert isinstance(column, NumberColumn)
    assert "some values have a % sign and some do not: 12% is read as 0.12" in notes


def test_a_word_among_numbers_is_named():
    column, notes = found("price", [f"1,{k % 10}00" for k in range(N - 1)] + ["ask"])
    assert isinstance(column, CategoryColumn)
    assert "'ask' is not, so all are treated as words" in notes


def test_codes_are_no_numbers():
    assert isinstance(found("code", [f"0{k % 9}" for k in range(N)])[0], CategoryColumn)


def test_yes_and_no_in_several_spellings():
    column, _ = found("flag", ["Yes", "yes", "NO", "no", "Yes", "true"] * 10)
    assert column == YesNoColumn("flag", ("Yes",), False, False, "NO") or column.known[0].lower() == "no"
    assert isinstance(column, YesNoColumn)
    X = encoding_of(Table("t", pl.DataFrame({"flag": ["Yes", "no", "YES"] * 20, "y": Y})), "y")[0].encode(
        pl.DataFrame({"flag": ["y", "off", "True"]})
    )
    assert X.ravel().tolist() == [1.0, 0.0, 1.0]
    assert isinstance(found("letter", ["y", "n", "f"] * 20)[0], CategoryColumn)


def test_a_target_in_several_spellings():
    y = ["Yes", "no", "yes", "No"] * 15
    encoding, _ = encoding_of(Table("t", pl.DataFrame({"x": RNG.normal(size=N), "y": y})), "y", positive="YES")
    assert [label.lower() for label in encoding.target.classes] == ["no", "yes"]
    assert encoding.labels(pl.DataFrame({"y": [*y, "TRUE", "f"]})).tolist() == [1, 0] * 31


@pytest.mark.parametrize(
    ("scale", "unit"), [(0.02, 1), (0.9, 1), (3, 1), (8, 10), (25, 10), (250, 100), (9e6, 10_000_000)]
)
def test_whole_numbers_are_counted_in_whole_steps(scale, unit):
    column = NumberColumn.of("x", least=0, most=scale * 4, mean=scale * 1.7, deviation=scale, missing=False)
    whole = measure_of(NumberColumn(**{**vars(column), "whole": True}))
    assert whole.unit == unit
    assert whole.base.denominator == 1
    assert found("x", [k % 20 for k in range(N)])[0].whole
    assert not found("x", [k % 20 + 0.5 for k in range(N)])[0].whole


def test_a_number_so_large_that_others_become_equal_is_named():
    incomes = (RNG.permutation(N) * 100.0 + 1000.0).tolist()
    _, notes = found("income", [1e15, *incomes[1:]])
    assert "'income': its numbers reach 1e+15, so those less than" in notes
    assert f"{N} different numbers become 2. If the largest stand for missing values, leave those cells empty" in notes
    assert found("income", [99_999.0, *incomes[1:]])[1] == ""
