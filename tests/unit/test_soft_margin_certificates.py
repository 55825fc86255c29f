"""Certificates of the soft margin: what is changed in them is refused, with the reason."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from oracle import naive_soft
from rosenblatt import Certificate
from rosenblatt.errors import CertificateError, DataError
from rosenblatt.learn.choices import Budget, Reason
from rosenblatt.learn.soft import soft
from rosenblatt.learn.soft.systems import Conjugate, Normal, RowProducts, solved, system_for
from rosenblatt.prove.check.certificate import Separation
from rosenblatt.prove.check.soft_margin import SoftMargin
from rosenblatt.prove.solve import soft_margin
from rosenblatt.rows.examples import Examples

X = np.array([[0.0, 2.0], [1.0, 3.0], [4.0, 1.0], [2.0, 0.5], [3.0, 3.0]])
Y = np.array([-1, -1, 1, 1, -1])
TOL = 1e-9


def proof_of(X, y, C=1.0, weights=None, **shape):
    examples = Examples.of(X, y, weights=weights, **shape)
    return soft_margin.certified(examples, soft.learn(examples, C, TOL), TOL)


def forged(certificate, **changes):
    """A certificate with other numbers and a fingerprint that fits them."""
    return replace(certificate, fingerprint="", **changes)


def with_own(certificate, y=Y):
    """The same with the multipliers written out."""
    signed = naive_soft.signed(X, y)
    w = naive_soft.exact(certificate.weights)
    slacks = [float(1 - naive_soft.dot(z, w)) for z in signed]
    rows = tuple(i for i, s in enumerate(slacks) if s > 0)
    return forged(certificate, reference=(), rows=rows, multipliers=tuple(slacks[i] for i in rows))


def test_it_says_what_it_proves_and_comes_back_from_json():
    proof = proof_of(X, Y)
    assert proof.verify(X, Y) == proof.statement == str(proof)
    assert proof.statement == (
        f"The rule's soft-margin objective, with C = 1.0 on 5 rows, is at most {proof.upper!r}, and no rule has one "
        f"that is lower by more than {proof.gap!r}."
    )
    again = Certificate.from_json(proof.to_json())
    assert again == proof
    assert isinstance(again, SoftMargin)
    assert proof.rows == ()
    assert proof.reference == proof.weights
    assert proof.gap >= Fraction(proof.upper) - Fraction(proof.lower)
    assert proof_of(X, Y, fit_intercept=False).statement.startswith("Without a threshold, the rule's soft-margin")


def test_other_weights_are_compared_with_the_reference():
    proof = proof_of(X, Y)
    other = forged(proof, weights=(0.0, 0.0, 0.0), upper=2.5)
    assert other.verify(X, Y) == other.statement
    assert other.gap == pytest.approx(2.5 - proof.lower)
    with pytest.raises(CertificateError, match="objective is above"):
        forged(other, upper=2.4999).verify(X, Y)


def test_own_multipliers_prove_as_much():
    proof = with_own(proof_of(X, Y))
    assert proof.verify(X, Y) == proof.statement
    assert Certificate.from_json(proof.to_json()) == proof


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"upper": 1e-9}, "the weights' objective is above 1e-09"),
        ({"lower": 1e9}, "do not prove that no objective is below"),
        ({"reference": (), "lower": 3.0, "rows": (0,), "multipliers": (0.0,)}, "do not prove"),
        ({"weights": (0.0, 0.0, 0.0)}, "objective is above"),
        ({"weights": (0.0, 0.0)}, "weights must have 3 entries, not 2"),
        ({"weights": (float("inf"), 0.0, 0.0)}, "finite"),
        ({"C": 0.0}, "C is 0.0; it must be a number above 0"),
        ({"C": -1.0}, "above 0"),
        ({"C": float("nan")}, "finite"),
        ({"C": 2.0}, "objective is above"),
        ({"C": 0.5}, "do not prove"),
        ({"reference": (), "rows": (0, 0), "multipliers": (1.0, 1.0)}, "every row must occur once"),
        ({"reference": (), "rows": (0,), "multipliers": ()}, "one multiplier"),
        ({"reference": (), "rows": (), "multipliers": (1.0,)}, "one multiplier"),
        ({"reference": (), "rows": (5,), "multipliers": (1.0,)}, "row 5 does not exist"),
        ({"reference": (), "rows": (-1,), "multipliers": (1.0,)}, "row -1 does not exist"),
        ({"reference": (), "rows": (0,), "multipliers": (-1.0,)}, "at least 0"),
        ({"reference": (), "rows": (0,), "multipliers": (float("inf"),)}, "finite"),
        ({"reference": (), "rows": (0,), "multipliers": (1e308,)}, "do not prove"),
        ({"reference": (), "rows": (0, 1), "multipliers": (5e-324, 1e308)}, "do not prove"),
        ({"rows": (0,), "multipliers": (1.0,)}, "multipliers and a reference; one of them must be empty"),
        ({"reference": ()}, "reference must have 3 entries, not 0"),
        ({"reference": (0.0, 0.0)}, "reference must have 3 entries, not 2"),
        ({"reference": (0.0, 0.0, 0.0)}, "do not prove"),
        ({"reference": (0.0, float("inf"), 0.0)}, "finite"),
        ({"bias": 2.0}, "objective is above|do not prove"),
        ({"bias": -1.0}, "at least 0"),
        ({"n": 6}, "about 6 rows"),
        ({"features": 3}, "3 features"),
    ],
)
def test_a_forged_certificate_is_refused(changes, complaint):
    with pytest.raises(CertificateError, match=complaint):
        forged(proof_of(X, Y), **changes).verify(X, Y)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300, 1.7e308])
@pytest.mark.parametrize("field", ["C", "upper", "lower"])
def test_extreme_numbers_are_checked_without_a_fault(field, size):
    changed = forged(proof_of(X, Y), **{field: size})
    try:
        told = changed.verify(X, Y)
    except CertificateError as error:
        told = str(error)
    assert "\n" not in told
    assert told


def test_a_changed_certificate_and_other_kinds_are_refused():
    proof = proof_of(X, Y)
    with pytest.raises(CertificateError, match="its fingerprint does not match"):
        replace(proof, upper=proof.upper + 1).verify(X, Y)
    with pytest.raises(CertificateError, match="this is a certificate of soft margin, not of separation"):
        Separation.from_json(proof.to_json())
    record = proof.as_record()
    for name, value in (("C", "1"), ("weights", [1, 2, 3]), ("rows", [0.5]), ("multipliers", [1]), ("upper", None)):
        with pytest.raises(CertificateError, match=name):
            Certificate.from_json(json.dumps({**record, name: value}))
    with pytest.raises(CertificateError, match="missing or unknown: C"):
        Certificate.from_json(json.dumps({name: value for name, value in record.items() if name != "C"}))


def test_other_rows_labels_and_weights_are_refused():
    proof = proof_of(X, Y, weights=[1.0, 2.0, 1.0, 0.5, 3.0])
    assert proof.verify(X, Y, [1.0, 2.0, 1.0, 0.5, 3.0]) == proof.statement
    assert proof.verify(sp.csr_array(X), Y, [1.0, 2.0, 1.0, 0.5, 3.0]) == proof.statement
    for rows, labels, weights in ((X, Y, None), (X + 1.0, Y, [1.0, 2.0, 1.0, 0.5, 3.0]), (X, -Y, [1.0] * 5)):
        with pytest.raises(CertificateError, match=r"objective is above|do not prove"):
            proof.verify(rows, labels, weights)


def test_a_row_that_does_not_count_has_no_multiplier():
    weights = [1.0, 1.0, 1.0, 1.0, 0.0]
    proof = proof_of(X, Y, weights=weights)
    assert proof.verify(X, Y, weights) == proof.statement
    with pytest.raises(CertificateError, match="a row that does not count has a multiplier"):
        forged(proof, reference=(), rows=(4,), multipliers=(1.0,)).verify(X, Y, weights)


def test_where_weights_have_too_few_digits_rows_have_numbers_of_their_own(rng):
    X = rng.normal(size=(60, 4))
    y = np.where(X @ rng.normal(size=4) > 0, 1, -1)
    examples = Examples.of(X, y)
    run = soft.learn(examples, 1e13, TOL)
    proof = soft_margin.certified(examples, run, TOL)
    assert proof.rows == tuple(run.support.tolist())
    assert proof.gap <= TOL * proof.upper
    assert proof.verify(X, y) == proof.statement


def test_a_wide_gap_is_told_as_it_is(rng):
    X = rng.normal(size=(50, 5))
    y = np.where(X @ rng.normal(size=5) > 0, 1, -1)
    examples = Examples.of(X, y)
    run = soft.learn(examples, 100.0, TOL, budget=Budget(max_passes=1))
    proof = soft_margin.certified(examples, run, TOL)
    assert run.reason is Reason.MAX_PASSES
    assert proof.gap > TOL * proof.upper
    assert proof.verify(X, y) == proof.statement


def test_budgets_and_interruptions_are_told():
    examples = Examples.of(X, Y)
    for how, reason in (
        ({"budget": Budget(max_passes=1)}, Reason.MAX_PASSES),
        ({"budget": Budget(max_seconds=1e-9)}, Reason.MAX_SECONDS),
        ({"interrupted": lambda: True}, Reason.INTERRUPTED),
    ):
        run = soft.learn(examples, 1.0, TOL, **how)
        assert run.reason is reason
        assert soft_margin.certified(examples, run, TOL).verify(X, Y)


def test_the_way_suits_the_shape(rng):
    y = np.where(np.arange(60) % 2, 1, -1)
    assert isinstance(system_for(Examples.of(rng.normal(size=(60, 4)), y)), Normal)
    assert isinstance(system_for(Examples.of(rng.normal(size=(60, 90)), y)), RowProducts)
    many = sp.random_array((5000, 6000), density=0.001, rng=rng, format="csr")
    assert isinstance(system_for(Examples.of(many, np.where(np.arange(5000) % 2, 1, -1))), Conjugate)


def test_a_system_that_rounding_leaves_indefinite_still_has_a_direction():
    H = np.array([[1.0, 1.0], [1.0, 1.0 - 2**-52]])  # its determinant is below zero
    assert np.isfinite(solved(H, np.array([1.0, 1.0]))).all()


@pytest.mark.parametrize(("size", "C"), [(1e120, 1.0), (1.0, 1e200), (1e60, 1e60)])
def test_what_overflows_is_refused(size, C):
    with pytest.raises(DataError, match="the soft margin's sums would overflow"):
        soft.learn(Examples.of(X * size, Y), C)


@pytest.mark.parametrize("size", [5e-324, 1e-160, 1e-30, 1e30])
def test_rows_of_extreme_length_are_solved_or_told_of(size):
    examples = Examples.of(X * size, Y)
    run = soft.learn(examples, 1.0, TOL)
    assert run.reason in (Reason.SOLVED, Reason.ROUNDED)
    proof = soft_margin.certified(examples, run, TOL)
    assert proof.verify(X * size, Y) == proof.statement
    assert run.reason is Reason.ROUNDED or proof.gap <= TOL * proof.upper


def test_a_path_ends_where_single_runs_do(rng):
    X, y = rng.normal(size=(200, 4)), np.where(rng.random(200) < 0.5, 1, -1)
    examples = Examples.of(X, y)
    costs = [1e-3, 0.1, 1.0, 100.0]
    for runs in (list(soft.path(examples, costs, TOL)), list(soft.path(examples, costs[::-1], TOL))[::-1]):
        for run, C in zip(runs, costs, strict=True):
            alone = soft.learn(examples, C, TOL)
            assert (run.C, run.reason) == (C, Reason.SOLVED)
            assert run.objective == pytest.approx(alone.objective, rel=TOL)
            assert run.support.tolist() == alone.support.tolist()


@pytest.mark.parametrize("way", [Normal, RowProducts, lambda examples: Conjugate()])
def test_one_system_serves_other_labels_and_weights(way, rng):
    X = rng.normal(size=(80, 6))
    first = Examples.of(X, np.where(rng.random(80) < 0.5, 1, -1))
    system = way(first)
    for _ in range(3):
        examples = Examples.of(X, np.where(rng.random(80) < 0.5, 1, -1), weights=rng.random(80))
        shared, alone = soft.learn(examples, 2.0, TOL, system=system), soft.learn(examples, 2.0, TOL)
        assert shared.objective == pytest.approx(alone.objective, rel=TOL)
