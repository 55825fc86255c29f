"""Certificates that were made to keep the checker busy: refused in words, before anything is computed with them."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from cli.running import run
from rosenblatt import Examples, optimality, separability
from rosenblatt.errors import CertificateError
from rosenblatt.prove.check import exact
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.prove.check.hitting import is_needed

XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
LONG = 16**830_000  # a million decimal digits


def contradiction():
    return separability(*XOR).certificate


@pytest.mark.parametrize("k", [LONG, -LONG, 2**50_000], ids=["long", "negative", "too long"])
def test_numbers_longer_than_the_data_can_need_are_refused(k):
    with pytest.raises(CertificateError, match="bits"):
        replace(contradiction(), weights=(k, 1, 1, 1), fingerprint="").verify(*XOR)
    with pytest.raises(CertificateError, match=r"has a number of \d+ bits; no proof here needs more than"):
        replace(optimality(*XOR), weights=(k, 1, 1), fingerprint="").verify(*XOR)


@pytest.mark.parametrize("seed", range(4))
def test_numbers_that_the_data_needs_are_not(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(9, 4)) * 10.0 ** rng.uniform(-300, 300, (9, 4)), np.arange(9) % 2
    certificate = separability(X, y).certificate
    longest = max(k.bit_length() for k in getattr(certificate, "multipliers", certificate.weights))
    assert 2 * longest < exact.longest(Examples.of(X, y))
    certificate.verify(X, y)


@pytest.mark.parametrize("field", ["n", "features", "rows", "support", "lower", "upper"])
def test_rows_and_counts_are_not_long(field):
    certificate = separability(XOR[0], [0, 0, 0, 1]).certificate if field == "support" else optimality(*XOR)
    record = json.loads(certificate.to_json())
    if field == "rows":
        record["contradictions"][0]["rows"][0] = hex(LONG)
    else:
        record[field] = [hex(LONG)] if field == "support" else hex(LONG)
    with pytest.raises(CertificateError, match="must be a number of rows or columns, not a number of 3320001 bits"):
        Certificate.from_json(json.dumps(record))


def test_long_decimals_are_refused():
    text = contradiction().to_json().replace('"weights": [\n  1,', f'"weights": [\n  {"7" * 5000},')
    assert len(text) > 5000
    with pytest.raises(CertificateError, match="a number has 5000 digits; over 4096 bits, it must be a hexadecimal"):
        Certificate.from_json(text)


def test_one_mistake_more_than_there_are_contradictions():
    pairs = [(2 * k, 2 * k + 1) for k in range(1500)]
    assert is_needed(pairs, 1500)
    assert not is_needed(pairs, 1501)


def test_many_disjoint_contradictions_and_one_mistake_too_many(rng):
    X = np.repeat(rng.normal(size=(1500, 1)), 2, axis=0)
    y = np.tile([0, 1], 1500)
    interval = optimality(X, y, [0.0, 1.0], ties="mistake")
    assert interval.lower == interval.upper == 1500
    with pytest.raises(CertificateError, match="1500 contradictions do not prove that any rule makes 1501 mistakes"):
        replace(interval, lower=1501, swept=False, fingerprint="").verify(X, y)


def test_sets_that_overlap_much_are_given_up():
    """Of 3000 sets, disjoint ones prove some mistakes; how many more there are would take too long to prove."""
    rng = np.random.default_rng(0)
    sets = [tuple(rng.choice(90, 6, replace=False).tolist()) for _ in range(3000)]
    assert is_needed(sets, 10)
    assert not is_needed(sets, 30)
    triples = list(combinations(range(30), 3))
    assert is_needed(triples, 28), "all triples of 30 rows are hit by 28 of them"
    assert not is_needed(triples, 29)


@pytest.mark.parametrize("weight", [hex(LONG), hex(-LONG), hex(2**20_000)], ids=["long", "negative", "too long"])
def test_the_command_refuses_them_in_one_line(tmp_path, weight):
    record = json.loads(contradiction().to_json())
    record["weights"][0] = weight
    (tmp_path / "c.json").write_text(json.dumps(record))
    (tmp_path / "t.csv").write_text("a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    ran = run("verify", tmp_path / "c.json", tmp_path / "t.csv", "-t", "y")
    assert ran.code == 1
    assert "FAILS" in ran.out
    assert len(ran.out) < 1000
