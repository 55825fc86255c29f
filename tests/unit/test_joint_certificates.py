"""Certificates of several classes: what is changed in them is refused, with the reason."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import cases
from rosenblatt import Perceptron, margin, optimality, separability
from rosenblatt.errors import CertificateError, DataError, OptionError
from rosenblatt.prove.check.certificate import Certificate
from rosenblatt.prove.solve.clock import Clock
from rosenblatt.prove.solve.joint_optimality import interval
from rosenblatt.prove.solve.joint_separability import decide
from rosenblatt.rows.kesler import JointExamples

X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]], ["a", "b", "c", "c"]
MIXED = [[0.0], [1.0], [2.0], [0.0]], ["a", "b", "c", "b"]


def forged(certificate, **changes):
    """A certificate with other numbers and a fingerprint that fits them."""
    return replace(certificate, fingerprint="", **changes)


def test_a_separation_is_about_all_classes_and_says_so():
    proof = separability(X, Y).certificate
    told = "There are linear scores of 3 classes whose largest is that of the right class on all 4 rows; "
    assert proof.verify(X, Y).startswith(told)
    assert proof.verdict == "Linear scores of 3 classes choose the right one on every row"
    assert len(proof.weights) == 9
    assert 0.0 < proof.lower <= proof.upper


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"weights": (0.0,) * 9}, "row .*: its class scores no more than class .*; the rule is wrong on it"),
        ({"weights": (0.0,) * 8}, "weights must have 9 entries, not 8"),
        ({"weights": (float("inf"),) + (0.0,) * 8}, "finite"),
        ({"lower": 1e9}, "the lower bound of the margin is"),
        ({"upper": 0.0}, "the upper bound of the margin is"),
        ({"ties": "heads"}, "ties must be one of"),
        ({"classes": 4}, "about 4 classes; the data has 3"),
        ({"n": 5}, "about 5 rows"),
        ({"features": 3}, "3 features"),
        ({"bias": 2.0}, "bias 2|lower bound"),
    ],
)
def test_a_forged_separation_is_refused(changes, complaint):
    proof = separability(X, Y).certificate
    with pytest.raises(CertificateError, match=complaint):
        forged(proof, **changes).verify(X, Y)


def test_the_support_must_be_pairs_that_there_are():
    proof = separability(X, Y).certificate
    own = {row: ["a", "b", "c", "c"].index(label) if label != "c" else 2 for row, label in enumerate(Y)}
    some = proof.support[0]
    for changes, complaint in (
        ({"support": (9,), "rivals": (0,), "multipliers": (1,)}, "row 9 does not exist"),
        ({"support": (some,), "rivals": (own[some],), "multipliers": (1,)}, "is not a rival of it"),
        ({"support": (some,), "rivals": (7,), "multipliers": (1,)}, "is not a rival of it"),
        ({"support": (0, 0), "rivals": (1, 1), "multipliers": (1, 1)}, "twice"),
        ({"support": (0,), "rivals": (1,), "multipliers": (0,)}, "weight 0"),
        ({"support": (0,), "rivals": (1, 2), "multipliers": (1,)}, "as many rows as rivals"),
    ):
        with pytest.raises(CertificateError, match=complaint):
            forged(proof, **changes).verify(X, Y)


def test_equal_rows_of_different_classes_contradict_each_other():
    proof = separability(*MIXED).certificate
    assert (proof.rows, proof.rivals, proof.weights) == ((0, 3), (1, 0), (1, 1))
    assert "these 2 contradict each other" in proof.verify(*MIXED)
    for changes, complaint in (
        ({"weights": (1, 2)}, "not zero: not in column .* of class"),
        ({"rivals": (2, 0)}, "not zero"),
        ({"ties": "correct"}, "may all tie"),
    ):
        with pytest.raises(CertificateError, match=complaint):
            forged(proof, **changes).verify(*MIXED)
    with pytest.raises(CertificateError):
        proof.verify(MIXED[0], ["a", "b", "c", "a"])  # with other labels it is not so


def test_a_changed_digit_is_noticed_and_so_are_other_kinds_of_values():
    record = json.loads(separability(X, Y).certificate.to_json())
    for name, value in (("weights", [*record["weights"][:-1], record["weights"][-1] * 2]), ("lower", 0)):
        with pytest.raises(CertificateError):
            Certificate.from_json(json.dumps(record | {name: value})).verify(X, Y)
    with pytest.raises(CertificateError, match="other fields"):
        Certificate.from_json(json.dumps({k: v for k, v in record.items() if k != "rivals"}))


def test_an_interval_needs_its_contradictions_and_its_mistakes():
    data = load_iris(return_X_y=True)
    interval = optimality(*data)
    assert (interval.lower, interval.upper) == (1, 1)
    for changes, complaint in (
        ({"upper": 0}, "the rule makes 1 mistakes, not 0"),
        ({"lower": 2}, "1 contradictions do not prove that any rule makes 2 mistakes"),
        ({"contradictions": ()}, "0 contradictions do not prove"),
        ({"contradictions": (forged(interval.contradictions[0], ties="mistake"),)}, "about ties 'mistake'"),
    ):
        with pytest.raises(CertificateError, match=complaint):
            forged(interval, **changes).verify(*data)


def test_a_run_refutes_a_margin_of_all_classes():
    with pytest.warns(match="The bound was reached"):
        rule = Perceptron(max_updates="bound", margin=1.0, max_passes=None).fit(*MIXED)
    proof = rule.certificate_
    if proof.kind == "joint no margin":
        proof.verify(*MIXED)
        with pytest.raises(CertificateError, match="do not refute"):
            forged(proof, margin=1e-9).verify(*MIXED)


def test_what_is_asked_of_several_classes_is_answered_or_refused():
    with pytest.raises(OptionError, match="affine margin needs two classes"):
        margin(X, Y, affine=True)
    with pytest.raises(OptionError, match="a row for each"):
        optimality(X, Y, [0.0, 1.0, 2.0])
    with pytest.raises(DataError, match="row 1: the label is missing"):
        separability(X, [0.0, np.nan, 1.0, 2.0])
    assert margin(X, Y).support == margin(X, Y).certificate.support


@given(cases.classed_tables(max_rows=6, max_columns=2), st.data())
def test_no_other_labels_make_a_certificate_true_that_is_not(table, data):
    """A certificate proves what it says of the labels given, or is refused: there is no other way to be both."""
    X, y, _ = table
    other = np.array(data.draw(st.permutations(y.tolist())))
    proof, verdict = separability(X, y).certificate, separability(X, other)
    try:
        proof.verify(X, other)
    except CertificateError:
        return
    assert proof.kind == verdict.certificate.kind


def test_a_known_contradiction_proves_that_a_mistake_is_needed(rng):
    """Where there is no time for another, too."""
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    examples = JointExamples.of(X, y)
    known = decide(examples).certificate
    late = Clock(1e-9)
    found = interval(examples, np.zeros((3, 3)), rng, late)
    assert (found.lower, found.contradictions) == (0, ())
    found = interval(examples, np.zeros((3, 3)), rng, late, known)
    assert found.lower == 1
    assert found.verify(X, y)
