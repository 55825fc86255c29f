"""Model files that are damaged, hostile, half written or in the way: refused in one line, or what they say."""

import copy
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import OnlinePerceptron, Perceptron
from rosenblatt.desk.load import load_model
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.read.encode.columns import CategoryColumn, NumberColumn
from rosenblatt.read.encode.encoding import Encoding, Target
from rosenblatt.ship.file import canonical
from rosenblatt.ship.file.canonical import digest, laid_out, parsed
from rosenblatt.ship.file.modelfile import Model, save_model

GOLDEN = Path(__file__).parents[1] / "golden" / "models"


def encoded():
    age = NumberColumn("age", centre=40.0, scale=16.0, step=0.5, lowest=0.0, highest=99.5, missing=True)
    encoding = Encoding((age, CategoryColumn("town", ("Köln", "Bonn"), True, False)), Target("approved", ("no", "yes")))
    X = np.eye(5)[[0, 1, 2, 3, 4, 0]]
    return Model(Perceptron().fit(X, [0, 1, 1, 0, 1, 0]), encoding).text()


TEXTS = {path.stem: path.read_text() for path in sorted(GOLDEN.glob("*.json"))} | {"encoded": encoded()}
texts = st.sampled_from(sorted(TEXTS)).map(TEXTS.__getitem__)


def loaded(text):
    """The model of a text, or None if it is refused, as it must be: with a ModelError of one line."""
    try:
        return Model.from_text(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    except ModelError as error:
        told = str(error)
    assert told.isprintable()
    return None


def checked(record):
    """The text of a record with a checksum that fits."""
    record = {name: value for name, value in record.items() if name != "sha256"}
    return laid_out(record | {"sha256": digest(record)})


# -- damage ----------------------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(texts, st.data())
def test_a_changed_character_is_refused_or_changes_nothing(text, data):
    k = data.draw(st.integers(0, len(text) - 1))
    near = st.sampled_from('0123456789.eE+-"[]{},: \n\\tfn\x00') | st.characters()
    damaged = text[:k] + data.draw(near) + text[k + 1 :]
    assert (model := loaded(damaged)) is None or model.text() == text


@settings(max_examples=200)
@given(texts, st.data())
def test_a_missing_part_is_refused_or_changes_nothing(text, data):
    a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    assert (model := loaded(text[:a] + text[b:])) is None or model.text() == text


def test_every_truncated_file_is_refused():
    for text in TEXTS.values():
        for k in range(0, len(text) - 2, 41):
            assert loaded(text[:k]) is None


# -- lies, with a checksum that fits ---------------------------------------------------------------------------


def places(value, path=()):
    """Where something stands in a record."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.integers(-(2**70), 2**70), st.just(10**1500),
    st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=4), st.just([]), st.just({}), st.just([[]]),
    st.lists(st.floats(-1, 1), max_size=5), st.just(["\ud800"]), st.just([[[[0.0]]]]),
)  # fmt: skip


@settings(max_examples=600)
@given(texts, st.data())
def test_a_changed_value_is_refused_or_is_what_the_model_then_says(text, data):
    record = json.loads(text)
    path = data.draw(st.sampled_from([path for path in places(record) if path and path != ("sha256",)]))
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    how = data.draw(st.sampled_from(["change", "change", "remove", "repeat", "negate"]))
    if how == "remove":
        del holder[path[-1]]
    elif how == "repeat":
        copied = copy.deepcopy(holder[path[-1]])
        holder.append(copied) if isinstance(holder, list) else holder.update({f"{path[-1]}x": copied})
    elif how == "negate" and type(holder[path[-1]]) in (int, float):
        holder[path[-1]] *= -1
    else:
        holder[path[-1]] = data.draw(ODD)
    try:
        text = checked(record)
    except ModelError:
        return
    if (model := loaded(text)) is None:
        return
    said = parsed(model.text().encode())
    assert said | {"sha256": ""} == record | {"sha256": ""}
    use(model.estimator)


def use(rule):
    """Predict with a rule that the file made up; it may refuse, but not in an odd way."""
    with suppress(RosenblattError), np.errstate(all="ignore"):
        if isinstance(rule, OnlinePerceptron):
            rule.predict_one({"a": 1.0} if rule.feature_names_ else [1.0] * rule.n_features_in_)
        else:
            rule.feature_names_in_ = None
            rule.predict(np.ones((2, rule.n_features_in_)))


def altered(name, *path, to):
    record = json.loads(TEXTS[name])
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    return checked(record)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not valid JSON"),
        ("[]", "not a rosenblatt model"),
        ('{"format": "rosenblatt model"}', "an unknown protocol"),
        (altered("perceptron", "protocol", to=2), "written by a newer version .protocol 2.; .*reads protocol 1"),
        (altered("perceptron", "protocol", to=True), "an unknown protocol"),
        (TEXTS["perceptron"].replace('"features": 3', '"features": 4'), "SHA-256 does not match"),
        (TEXTS["perceptron"].replace('"protocol": 1', '"protocol": 1, "protocol": 1'), "'protocol' occurs twice"),
        (TEXTS["perceptron"].replace("-6.0024999999999995", "NaN"), "NaN, which is not a number"),
        (TEXTS["perceptron"].replace("-6.0024999999999995", "-Infinity"), "Infinity, which is not a number"),
        (TEXTS["perceptron"].replace("-6.0024999999999995", "1e400"), "not finite"),
        (TEXTS["perceptron"].replace("164", "1" * 5000), "a number of 5000 digits"),
        (TEXTS["perceptron"].replace("mistake", "\\udcff"), "half a surrogate pair"),
        (TEXTS["perceptron"].replace("mistake", "\udcff").encode("utf-8", "surrogateescape"), "not UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("\ufeff" + TEXTS["perceptron"], "not valid JSON"),
        (altered("perceptron", "estimator", to="os.system"), "unknown estimator 'os.system'; this version has Perc"),
        (altered("perceptron", "classes", "labels", to=["yes", "no"]), "different labels, in order"),
        (altered("perceptron", "classes", "labels", to=["no"]), "two or more different labels"),
        (altered("perceptron", "classes", "type", to="text999999999"), "do not have the type"),
        (altered("perceptron", "classes", "type", to="text99999999"), "do not have the type"),
        (altered("perceptron", "classes", "type", to="text1025"), "do not have the type"),
        (altered("perceptron", "classes", "type", to="text1024"), None),
        (altered("perceptron", "classes", "type", to="int64"), "do not have the type 'int64'"),
        (altered("perceptron", "features", to=2**40), "features must be"),
        (altered("perceptron", "features", to=2), "feature_names must be 2 texts"),
        (altered("perceptron", "feature_names", to=None), None),
        (altered("perceptron", "learned", "weights", to=[[1.0, 2.0]]), r"weights\[0\] must have 4 entries, not 2"),
        (altered("perceptron", "learned", "weights", to=[]), "learned.weights must have 1 entries, not 0"),
        (altered("perceptron", "learned", "weights", 0, 1, to=1), r"weights\[0\]\[1\] must be a number with a dec"),
        (altered("perceptron", "learned", "n_updates", to=True), "n_updates must be a whole number of at least 0, not"),
        (altered("perceptron", "learned", "n_updates", to=-1), "of at least 0, not -1"),
        (altered("perceptron", "learned", "stop_reason", to="BORED"), "one of SEPARATED"),
        (altered("perceptron", "learned", "__class__", to="x"), "learned has the unknown field '__class__'"),
        (altered("perceptron", "parameters", "n_jobs", to=1), "parameters has the unknown field 'n_jobs'"),
        (altered("perceptron", "parameters", "max_passes", to=True), "max_passes must be a whole number of at least 1"),
        (altered("perceptron", "parameters", "start", to=[[1.0], [1.0, 2.0]]), r"start\[1\] must have 1 entries"),
        (altered("perceptron", "parameters", "class_weight", to=[["a", 1], ["a", 2]]), "a duplicate name"),
        (altered("perceptron", "conventions", "ties", to="a score of exactly 0 is no"), "conventions do not match"),
        (altered("perceptron", "settled", "zero_is_yes", to=False), "the conventions do not match"),
        (altered("perceptron", "certificates", 0, "exact", to=1), "exact must be true or false"),
        (altered("perceptron", "certificates", 0, "fingerprint", to=""), "not in the canonical form"),
        (altered("perceptron", "data", "sha256", to="x" * 64), "64 hexadecimal digits"),
        (altered("perceptron", "data", "features", to=4), "the data had 4 features, but the rule has 3"),
        (altered("encoded", "features", to=4), "must have 5 entries, not 6"),
        (altered("encoded", "encoding", "columns", to=[]), "the encoding has 0 features, but the rule has 5"),
        (altered("encoded", "encoding", "target", "classes", to=["a", "b", "c"]), "3 classes, but the rule has 2"),
        (altered("encoded", "encoding", to=[]), "the encoding must have exactly the fields"),
        (altered("kernel", "learned", "kernel", "function", to="eval"), "must be one of linear"),
        (altered("kernel", "learned", "support", to=[11, 16, 20, 99]), "numbers of the support rows"),
        (altered("kernel", "learned", "support", to=[11, 16, 20]), "each number needs a support row"),
        (altered("kernel", "learned", "rules", 0, "amounts", to=[1.0]), "do not fit the support rows"),
        (altered("kernel", "learned", "rules", 0, "memory", "row", to=[20, 11, 11, 16, 3]), "do not fit the support"),
        (altered("kernel", "learned", "support_rows", "values", 0, to=[1.0]), r"\[0\] must have 3 entries, not 1"),
        (altered("kernel", "learned", "support_rows", "numbers", to="float8"), "one of float32, float64"),
        (altered("kernel_averaged", "features", to=2**30), "a file may have 16777216 features here"),
        (altered("kernel_averaged", "learned", "support_rows", "columns", 0, to=[2, 1, 0]), "must rise and stay"),
        (altered("kernel_averaged", "learned", "support_rows", "columns", 0, to=[0]), "as many columns as values"),
        (altered("voted", "learned", "electorates", 0, "looks", to=58), "different numbers of looks"),
        (altered("voted", "learned", "electorates", 0, "chunks", 0, "entries", 0, to=99), "do not fit together"),
        (altered("voted", "learned", "electorates", 0, "chunks", 0, "when", 0, to=50), "not in order"),
        (altered("voted", "learned", "tallies", 0, "sums", to=[]), "the sums of the tallies"),
        (altered("online", "feature_names", to=["a", "a", "b", "c"]), "4 different names"),
        (altered("online", "learned", "width", to=4), "the width must be null"),
        (altered("online", "learned", "sums", to=None), "the state does not fit the options"),
        (altered("online", "learned", "mistakes_at", to=[1, 2, 3, 4]), "the kept mistakes do not fit"),
        (altered("online", "classes", "labels", to=[["ham"], "spam"]), "must be a number or true or false or a text"),
        (altered("online", "parameters", "mode", to="magic"), "parameters.mode must be one of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text, told, tmp_path):
    path = tmp_path / "odd.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if told is None:
        load_model(path)
        return
    with pytest.raises(ModelError, match=f"odd.json: .*{told}") as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


# -- what is not a file ----------------------------------------------------------------------------------------


def test_what_cannot_be_read_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, told in [
        (tmp_path / "nowhere", "No such file"),
        (tmp_path, "directory"),
        (tmp_path / "pipe", "not a file"),
        ("/dev/zero", "not a file"),
        (tmp_path / "odd\nname", r"odd\\nname': cannot be read: No such file"),
    ]:
        with pytest.raises(ModelError, match=told):
            load_model(path)
    with pytest.raises(ModelError, match="not a file"):
        save_model(Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "pipe", force=True)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(canonical.MOST_BYTES + 1)
    with pytest.raises(ModelError, match="larger than 268,435,456 bytes"):
        load_model(tmp_path / "large")


HUNGRY = """
import resource, sys
from rosenblatt.errors import ModelError
from rosenblatt.ship.file.modelfile import Model
base = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (base + 900_000_000, -1))
for text in (b"[[],", b'{"a":0},', b"0,", b"0.1,", b'"ab",', b"[0,"):
    try:
        Model.from_text(b"[" + text * (40_000_000 // len(text)))
    except ModelError as error:
        print("refused", error)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="this system does not tell how much memory is used")
def test_a_hostile_file_does_not_exhaust_the_memory():
    run = subprocess.run([sys.executable, "-c", HUNGRY], capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout.count("refused") == 6
    assert "MemoryError" not in run.stdout + run.stderr


@pytest.mark.parametrize(
    "digits", ["1" * 3_000_000, "0." + "1" * 3_000_000, "1" * 3_000_000 + ".5", "1e" + "9" * 3_000_000]
)
def test_a_long_number_takes_no_time(digits):
    assert loaded(f'{{"format": {digits}}}') is None
