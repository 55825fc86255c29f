"""The record around a rule: what is known about it, its checksum, how it is written, the fingerprint of its data."""

import json
import os
import stat
from hashlib import sha256

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
import rosenblatt
from rosenblatt import Examples, Perceptron, separability
from rosenblatt.desk.load import load_model
from rosenblatt.errors import DataError, ModelError
from rosenblatt.read.encode.columns import CategoryColumn, NumberColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.file.canonical import digest, laid_out, parsed
from rosenblatt.ship.file.modelfile import Model, data_fingerprint, save_model

pytestmark = pytest.mark.usefixtures("no_convergence_warning")

X = np.random.default_rng(3).normal(size=(40, 4))
TWO = np.where(np.round(X @ [1, -1, 2, 0.5]) % 3 > 0, "yes", "no")


def encoding():
    age = NumberColumn("age, years", centre=40.0, scale=16.0, step=0.5, lowest=0.0, highest=99.5, missing=True)
    return Encoding((age, CategoryColumn("town", ("Köln", "Bonn"), True, False)), Target("approved", ("no", "yes")))


def test_a_model_keeps_what_is_known_about_it(tmp_path):
    table = np.hstack([X, X[:, :1]])
    rule = Perceptron(max_passes=9).fit(table, TWO == "yes")
    verdict = separability(table, TWO == "yes")
    model = Model(
        rule, encoding(), (verdict.certificate,), data_fingerprint(table, TWO), {"error": 0.1, "interval": [0.0, 0.25]}
    )
    model.save(tmp_path / "m")
    back = Model.load(tmp_path / "m")
    assert back.encoding == model.encoding
    assert back.certificates == model.certificates
    assert back.certificates[0].verify(table, TWO == "yes") == verdict.certificate.statement
    assert (back.data, back.held_out, back.made_by) == (model.data, model.held_out, rosenblatt.__version__)
    assert back.text() == model.text() == (tmp_path / "m").read_text()


def test_a_contradiction_that_the_run_found_comes_back(tmp_path):
    xor = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    rule = Perceptron(order="cyclic", max_passes=40).fit(xor, [0, 1, 1, 0])
    save_model(rule, tmp_path / "m")
    back = load_model(tmp_path / "m")
    assert back.certificate_ == rule.certificate_
    back.certificate_.verify(xor, [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"encoding": encoding()}, "the encoding has 5 features, but the rule has 2"),
        ({"data": data_fingerprint(X, TWO)}, "the data had 4 features, but the rule has 2"),
        ({"data": {"rows": 1}}, "data lacks features, sha256"),
        ({"held_out": {"error": float("nan")}}, "not finite"),
        ({"held_out": {"error": {1: "x"}, "a": object()}}, "what JSON cannot: Object of type object"),
        ({"held_out": [1]}, "held_out must be an object, not a list"),
        ({"held_out": {"a": [[[[[[[[[1]]]]]]]]]}}, "nested too deeply"),
    ],
    ids=["encoding", "data", "fields", "nan", "object", "list", "nested"],
)
def test_what_does_not_fit_together_is_not_saved(about, told, tmp_path):
    rule = Perceptron(max_passes=9).fit(X[:, :2], TWO)
    with pytest.raises(ModelError, match=told):
        save_model(rule, tmp_path / "m", **about)
    assert not list(tmp_path.iterdir())


def test_the_checksum_can_be_computed_by_anybody(tmp_path):
    save_model(Perceptron().fit([[0.0], [1.0]], ["ß", "\u2028"]), tmp_path / "m")
    record = json.loads((tmp_path / "m").read_text())
    written = record.pop("sha256")
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert digest(record) == written
    assert sha256(text.encode()).hexdigest() == written


def test_a_file_laid_out_anew_is_the_same_model(tmp_path):
    save_model(Perceptron(max_passes=3).fit(X, TWO), tmp_path / "m")
    record = json.loads((tmp_path / "m").read_text())
    (tmp_path / "n").write_text(json.dumps(record, sort_keys=True, ensure_ascii=True, indent=7))
    assert Model.load(tmp_path / "n").text() == (tmp_path / "m").read_text()


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
                    | st.text(st.characters(exclude_categories=["Cs"])),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner)))  # fmt: skip
def test_what_is_laid_out_is_parsed_to_the_same(value):
    try:
        text = laid_out(value).encode()
    except UnicodeEncodeError:
        return
    assert repr(parsed(text)) == repr(value)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_weights_come_back_to_the_last_bit(weights):
    rule = Perceptron().fit([[0.0, 1.0], [1.0, 1.0]], [0, 1])
    rule.weights_ = np.array([weights])
    with np.errstate(over="ignore"):
        rule._expose()
        back = Model.from_text(Model(rule).text().encode()).estimator
    assert back.weights_.tobytes() == rule.weights_.tobytes()


# -- writing ---------------------------------------------------------------------------------------------------


def test_a_file_is_overwritten_only_by_force(tmp_path):
    first, second = (Perceptron(max_passes=k).fit(X, TWO) for k in (1, 2))
    save_model(first, tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    with pytest.raises(ModelError, match="already exists; use force=True"):
        save_model(second, tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == before
    os.chmod(tmp_path / "m", 0o600)
    save_model(second, tmp_path / "m", force=True)
    assert load_model(tmp_path / "m").max_passes == 2
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    save_model(Perceptron(max_passes=1).fit(X, TWO), tmp_path / "m")
    (tmp_path / "usual").write_text("")
    assert (tmp_path / "m").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "m").symlink_to(tmp_path / "real" / "m")
    save_model(Perceptron(max_passes=1).fit(X, TWO), tmp_path / "m")
    save_model(Perceptron(max_passes=2).fit(X, TWO), tmp_path / "m", force=True)
    assert (tmp_path / "m").is_symlink()
    assert load_model(tmp_path / "real" / "m").max_passes == 2


# -- the fingerprint of the data -------------------------------------------------------------------------------


@given(cases.tables())
def test_the_fingerprint_is_that_of_the_numbers(table):
    rows, y = table
    prints = {
        data_fingerprint(T, labels)["sha256"] for _, T in cases.containers(rows) for labels in (y, y > 0, y * 2.0)
    }
    prints.add(data_fingerprint(Examples.of(rows, y))["sha256"])
    prints.add(data_fingerprint(np.where(rows == 0, -0.0, rows), y)["sha256"])
    assert len(prints) == 1
    i, j = len(rows) // 2, rows.shape[1] // 2
    changed = rows.copy()
    changed[i, j] += 0.5
    flipped = y.copy()
    flipped[i] *= -1
    others = [
        (changed, y),
        (rows, flipped),
        (np.hstack([rows, rows[:, :1] * 0]), y),
        (np.vstack([rows, rows[:1]]), [*y, 1]),
    ]
    assert all(data_fingerprint(*other)["sha256"] not in prints for other in others)


def test_the_fingerprint_does_not_depend_on_the_blocks(monkeypatch):
    table, whole = sp.random_array((300, 40), density=0.2, format="csr", rng=np.random.default_rng(0)), set()
    y = np.arange(300) % 3
    for numbers in (1, 77, 2**20):
        monkeypatch.setattr("rosenblatt.ship.file.modelfile.NUMBERS_AT_ONCE", numbers)
        whole |= {data_fingerprint(table, y)["sha256"], data_fingerprint(table.toarray(), y)["sha256"]}
    assert len(whole) == 1
    assert data_fingerprint(table, y) | {"sha256": ""} == {"rows": 300, "features": 40, "sha256": ""}
    with pytest.raises(DataError, match="300 rows, but y has the shape"):
        data_fingerprint(table, y[:-1])
