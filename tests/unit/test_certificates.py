"""Every certificate verifies, survives JSON to the last bit, and fails when any one number of it is changed."""

import json
from dataclasses import replace

import numpy as np
import pytest

import cases
from rosenblatt import Examples, margin, optimality, separability
from rosenblatt.errors import CertificateError, OptionError
from rosenblatt.learn import ledger
from rosenblatt.prove.check.certificate import (
    Certificate,
    Contradiction,
    ErrorInterval,
    NoMargin,
    RunRecord,
    Separation,
    common_point,
)
from rosenblatt.prove.solve.run import no_margin, recurrence, run_record

AND = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def error_interval():
    """The rule that says 1 always, and one exclusive or."""
    contradiction = separability(*XOR).certificate
    return ErrorInterval(
        n=4, features=2, bias=1.0, ties="mistake", weights=(0.0, 0.0, 1.0), lower=1, upper=2, swept=False,
        contradictions=(contradiction,),
    )  # fmt: skip


def swept():
    """The same, for the number that a sweep gives."""
    return replace(error_interval(), contradictions=(), swept=True, fingerprint="")


def overlapping():
    """Contradictions that share rows."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(30, 4)), rng.integers(0, 2, 30)
    return optimality(X, y), (X, y)


def record(**reference):
    run, examples = cases.learn(AND[0], AND[1], "cyclic")
    return run_record(examples, run, start=np.zeros(3), order="cyclic", ties="mistake", **reference)


def refuted():
    run, examples = cases.learn(AND[0], AND[1], "cyclic")
    return no_margin(examples, run)


def many_columns():
    """A contradiction too long for whole numbers."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, 300)
    return separability(X, y).certificate, (X, y)


CASES = {
    "separation": (separability(*AND).certificate, AND),
    "affine": (margin(*AND, affine=True).certificate, AND),
    "contradiction": (separability(*XOR).certificate, XOR),
    "verified float": many_columns(),
    "no margin": (refuted(), AND),
    "error interval": (error_interval(), XOR),
    "swept": (swept(), XOR),
    "overlapping contradictions": overlapping(),
    "run": (record(), AND),
    "run with a reference": (record(reference=np.array([2.0, 2.0, -3.0]), level=1.0), AND),
}
every_case = pytest.mark.parametrize("case", CASES)


def test_the_cases_are_of_every_kind():
    kinds = {type(certificate) for certificate, _ in CASES.values()}
    assert kinds == {Separation, Contradiction, NoMargin, ErrorInterval, RunRecord}
    assert CASES["verified float"][0].exact is False
    shared = CASES["overlapping contradictions"][0]
    assert len(shared.contradictions) > shared.lower == shared.upper


@every_case
def test_it_verifies_and_comes_back_from_json(case):
    certificate, data = CASES[case]
    assert certificate.verify(*data) == certificate.statement
    for read in (Certificate.from_json, type(certificate).from_json):
        again = read(certificate.to_json())
        assert again == certificate
        assert again.verify(*data) == certificate.statement


def numbers_in(record, path=()):
    """The paths of all numbers in nested lists and dictionaries."""
    if isinstance(record, dict | list):
        for key, part in record.items() if isinstance(record, dict) else enumerate(record):
            yield from numbers_in(part, (*path, key))
    elif not isinstance(record, str):
        yield path


def changed(number):
    if isinstance(number, bool):
        return not number
    return number + 1 if isinstance(number, int) else float(np.nextafter(number, np.inf))


@every_case
def test_a_change_of_any_one_number_is_noticed(case):
    certificate, data = CASES[case]
    paths = list(numbers_in(json.loads(certificate.to_json())))
    assert len(paths) > 5
    for path in paths[:: max(len(paths) // 60, 1)]:
        broken = json.loads(certificate.to_json())
        place = broken
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = changed(place[path[-1]])
        with pytest.raises(CertificateError):
            Certificate.from_json(json.dumps(broken)).verify(*data)


def forged(certificate, **changes):
    """A certificate changed by someone who also mends the fingerprint."""
    return replace(certificate, fingerprint="", **changes)


@pytest.mark.parametrize(
    ("case", "changes", "message"),
    [
        ("separation", {"n": 5}, "about 5 rows"),
        ("separation", {"weights": (1.0, 1.0, 1.0)}, "row [012]: .* wrong on it"),
        ("separation", {"weights": (1.0, 1.0)}, "must have 3 entries"),
        ("separation", {"weights": (1.0, np.inf, 1.0)}, "must be a finite number"),
        ("separation", {"lower": 0.9}, "lower bound of the margin is"),
        ("separation", {"upper": 0.1}, "upper bound of the margin is"),
        ("separation", {"support": (0, 9, 3)}, "support row 9 does not exist"),
        ("separation", {"support": (0, 0, 3)}, "must occur once"),
        ("separation", {"multipliers": (1, -1, 1)}, "must be at least 1"),
        ("separation", {"ties": "never"}, "ties must be one of"),
        ("affine", {"multipliers": (1, 2, 1)}, "have different sums"),
        ("contradiction", {"weights": (1, 1, 1, 2)}, "not zero: not in column"),
        ("contradiction", {"rows": (0, 1, 2)}, "one weight"),
        ("contradiction", {"point": (0.5, 0.25)}, "common point .* column 1"),
        ("verified float", {"weights": (1,) * 42}, "near the given ones"),
        ("no margin", {"margin": 0.01}, "do not refute a margin of 0.01"),
        ("error interval", {"upper": 1}, "makes 2 mistakes, not 1"),
        ("error interval", {"lower": 2}, "do not prove that any rule makes 2"),
        ("error interval", {"lower": 2, "contradictions": (CASES["contradiction"][0],) * 2}, "2 contradictions do not"),
        ("error interval", {"ties": "plus"}, "is about ties 'mistake'"),
        ("run", {"corrections": (3, 3)}, "correction 1: row 3 was not a mistake"),
        ("run", {"corrections": (3,)}, "other weights"),
        ("run", {"level": 1.0}, "no reference"),
        ("run with a reference", {"bound": 3}, "allows .* not 3"),
        ("run with a reference", {"level": 0.0}, "must be above 0"),
    ],
)
def test_what_failed_is_named(case, changes, message):
    certificate, data = CASES[case]
    with pytest.raises(CertificateError, match=message):
        forged(certificate, **changes).verify(*data)


def test_other_data_is_refused():
    X, y = AND
    with pytest.raises(CertificateError, match="wrong on it"):
        CASES["separation"][0].verify(X, 1 - y)
    with pytest.raises(CertificateError, match="the data has 3 rows"):
        CASES["separation"][0].verify(X[1:], y[1:])
    with pytest.raises(CertificateError, match="not zero"):
        CASES["contradiction"][0].verify(*AND)


def test_a_threshold_that_does_not_exist_is_refused():
    certificate = separability([[1.0], [-1.0]], [1, 0], fit_intercept=False).certificate
    with pytest.raises(CertificateError, match="has a threshold, but the rule has none"):
        forged(certificate, weights=(1.0, 1.0)).verify([[1.0], [-1.0]], [1, 0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a certificate"),
        ("[]", "its kind must be"),
        ('{"certificate": "oath", "protocol": 1}', "its kind must be"),
        ('{"certificate": "no margin", "protocol": 7}', "protocol 7 is unknown"),
        ('{"certificate": "no margin", "protocol": 1}', "missing or unknown: bias"),
    ],
)
def test_damaged_files_are_refused(text, message):
    with pytest.raises(CertificateError, match=message):
        Certificate.from_json(text)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("n", 4.0, "n must be a whole number"),
        ("bias", float("nan"), "bias must be a finite number"),
        ("weights", 3, "weights must be a list"),
        ("weights", [1.0, "2", 3.0], r"weights\[1\] must be a finite number"),
        ("ties", None, "ties must be a text"),
        ("affine", 1, "affine must be true or false"),
    ],
)
def test_fields_of_another_type_are_refused(field, value, message):
    broken = json.loads(CASES["separation"][0].to_json()) | {field: value}
    with pytest.raises(CertificateError, match=message):
        Certificate.from_json(json.dumps(broken))


def test_a_certificate_of_another_kind_is_refused():
    with pytest.raises(CertificateError, match="of separation, not of contradiction"):
        Contradiction.from_json(CASES["separation"][0].to_json())


@pytest.mark.parametrize(
    "text",
    [
        '{"certificate": []}',
        "[" * 100_000,
        '{"certificate": "run", "protocol": true}',
        '{"certificate": "run", "protocol": 1.0}',
    ],
    ids=["kind", "depth", "bool", "float"],
)
def test_strange_texts_are_refused(text):
    with pytest.raises(CertificateError):
        Certificate.from_json(text)


def test_values_of_another_type_are_refused():
    with pytest.raises(CertificateError, match=r"start\[0\] must be a finite number"):
        forged(CASES["run"][0], start=(2**60 + 1, 0.0, 0.0)).verify(*AND)
    with pytest.raises(CertificateError, match=r"rows\[0\] must be a whole number"):
        forged(CASES["contradiction"][0], rows=(0.0, 1, 2, 3)).verify(*XOR)
    with pytest.raises(CertificateError, match=r"the bias is -1\.0"):
        forged(CASES["contradiction"][0], bias=-1.0).verify(*XOR)


def test_weights_that_overflow_on_the_way_are_refused():
    X, y = [[1e306, 1e306], [-1e306, 1e306]], [1, 0]
    run, examples = cases.learn(X, y, "cyclic", bias=False, max_updates=1)
    certificate = run_record(examples, run, start=np.zeros(3), order="cyclic", ties="mistake")
    start = (1.797e308, -1.797e308, 0.0)
    with pytest.raises(CertificateError, match=r"overflow|not a mistake"):
        forged(certificate, start=start, corrections=(0, 0, 0)).verify(X, y)


def test_weights_that_are_not_near_prove_nothing():
    X, y, weights = [[0.0], [1.0], [0.5]], [0, 0, 1], (130, 100, 200)
    examples = Examples.of(X, y)
    point = common_point(examples, (0, 1, 2), weights)
    values = {"n": 3, "features": 1, "bias": 1.0, "ties": "mistake", "rows": (0, 1, 2), "weights": weights}
    with pytest.raises(CertificateError, match="near the given ones"):
        Contradiction(**values, exact=False, point=point).verify(X, y)


def test_zero_weights_claim_no_margin():
    certificate = separability(*XOR, ties="correct").certificate
    assert "margin" not in certificate.verify(*XOR)


def test_very_long_whole_numbers_survive():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(13, 8)) * 10.0 ** np.random.default_rng(2).uniform(-300, 300, (13, 8))
    y = np.arange(13) % 2
    certificate = separability(X, y).certificate
    assert max(certificate.multipliers) > 2**5000
    assert Certificate.from_json(certificate.to_json()).verify(X, y) == certificate.statement


def test_runs_that_prove_nothing_are_refused():
    run, examples = cases.learn(*AND, "cyclic", start=[2.0, 2.0, -3.0])
    assert run.updates == 0
    with pytest.raises(OptionError, match="without a correction"):
        no_margin(examples, run)
    run, examples = cases.learn(*AND, "cyclic", weights=[0.5, 1, 1, 1])
    with pytest.raises(OptionError, match="fractional"):
        run_record(examples, run, start=np.zeros(3), order="cyclic", ties="mistake")


@pytest.mark.parametrize("in_memory", [1, 3, 2**24])
def test_weights_that_return_are_found_in_pieces_of_any_length(monkeypatch, in_memory):
    run, examples = cases.learn(*XOR, "cyclic", max_passes=30)
    monkeypatch.setattr(ledger, "IN_MEMORY", in_memory)
    found = recurrence(examples, run, np.zeros(3), "mistake")
    assert (found.rows, found.weights) == ((0, 1, 2, 3), (1, 1, 1, 1))
    found.verify(*XOR)
