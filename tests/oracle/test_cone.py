"""Verdicts, intervals and soft margins under constraints on signs, against independent decisions in rationals."""

from fractions import Fraction
from itertools import combinations, product

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from oracle import gordan, naive_soft
from rosenblatt import SoftMarginPerceptron, optimality, separability
from rosenblatt.errors import CertificateError
from rosenblatt.prove.check.certificate import Certificate

SETS = 15 if numba.config.DISABLE_JIT else 60
STRICT = {"mistake": (True, True), "minus": (True, False), "plus": (False, True)}  # for a yes, for a no


def table(rng, most=8):
    n, d = int(rng.integers(2, most)), int(rng.integers(1, 4))
    kind = rng.integers(3)
    X = rng.normal(size=(n, d)) if kind == 0 else rng.integers(-2, 3, (n, d)).astype(float)
    X = X * 10.0 ** rng.integers(-30, 31, (1, d)) if kind == 1 else X
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y, rng.integers(-1, 2, d)


def naively_separable(X, y, signs, ties, bias):
    """Rows and constraints, each as it is: a constraint is a number that may be 0."""
    of_yes, of_no = STRICT[ties]
    rows = [[Fraction(v) * (2 * int(label) - 1) for v in [*row, bias]] for row, label in zip(X, y, strict=True)]
    strict = [of_yes if label else of_no for label in y]
    for k, sign in enumerate(signs):
        if sign:
            rows.append([Fraction(int(sign) * (j == k)) for j in range(len(signs) + 1)])
            strict.append(False)
    if not any(strict):
        return True
    return gordan.is_separable(rows, strict)


@pytest.mark.parametrize("bias", [0.0, 0.75])
@pytest.mark.parametrize("ties", STRICT)
def test_the_verdict_is_right_and_proved(ties, bias):
    rng = np.random.default_rng(len(ties))
    found = set()
    for _ in range(SETS):
        X, y, signs = table(rng)
        shape = sp.csr_array(X) if rng.integers(2) else X
        how = {"ties": ties, "fit_intercept": bool(bias), "bias_scale": bias or 1.0}
        verdict = separability(shape, y, monotonic_cst=signs, **how)
        assert verdict.separable is naively_separable(X, y, signs, ties, bias)
        again = Certificate.from_json(verdict.certificate.to_json())
        assert again.verify(X, y) == verdict.certificate.statement
        assert ("under the constraints" in again.statement.lower()) is bool(signs.any())
        found.add((verdict.separable, bool(signs.any())))
    assert {(True, True), (False, True)} <= found


def test_what_constraints_alone_contradict_is_nothing_without_them():
    """The rows are separable, but not with weights of this sign: every proof names the constraint it needs."""
    X, y = [[0.0], [1.0], [3.0]], [1, 0, 0]
    verdict = separability(X, y, monotonic_cst=[1])
    assert verdict.separable is False
    record = verdict.certificate.as_record()
    for change in ({"increasing": []}, {"increasing": [], "decreasing": [0]}):
        forged = {**record, **change, "fingerprint": ""}
        forged = {name: value for name, value in forged.items() if value != []}
        with pytest.raises(CertificateError, match="not zero"):
            Certificate._from_record(forged).verify(X, y)
    for change in ({"increasing": [1]}, {"increasing": [0, 0]}, {"decreasing": [0]}):
        with pytest.raises(CertificateError, match="constraints must name features"):
            Certificate._from_record({**record, **change, "fingerprint": ""}).verify(X, y)
    assert separability(X, y, monotonic_cst=[-1]).separable
    assert separability(X, y).separable


def test_a_separation_keeps_the_constraints():
    X, y = [[0.0, 1.0], [1.0, 0.0], [3.0, 1.0]], [1, 0, 0]
    record = separability(X, y, monotonic_cst=[0, 1]).certificate.as_record()
    weights = record["weights"]
    record["weights"] = [weights[0], -1.0, weights[2]]
    with pytest.raises(CertificateError, match="against the constraints"):
        Certificate._from_record({**record, "fingerprint": ""}).verify(X, y)


def test_long_contradictions_are_near_ones():
    """Of so many columns, weights of whole numbers would be too long: existence is proved in floats."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 40)), np.arange(200) % 2
    signs = rng.integers(-1, 2, 40)
    certificate = separability(X, y, monotonic_cst=signs).certificate
    assert certificate.verify(X, y)
    if not certificate.exact:
        assert "very near" in certificate.statement
    bare = {k: v for k, v in certificate.as_record().items() if k not in ("increasing", "decreasing")}
    with pytest.raises(CertificateError):
        Certificate._from_record({**bare, "fingerprint": ""}).verify(X, y)


def fewest(X, y, signs):
    """The fewest rows to leave out, so that a rule is right on the others; a score of 0 is a no."""
    every = range(len(y))
    for many in every:
        for left_out in combinations(every, many):
            kept = [k for k in every if k not in left_out]
            if naively_separable(X[kept], y[kept], signs, "minus", 1.0):
                return many
    return len(y)


def test_the_interval_holds_the_fewest_mistakes_that_keep_the_constraints():
    rng = np.random.default_rng(5)
    tight = 0
    for _ in range(SETS // 3):
        X, y, signs = table(rng, most=9)
        interval = optimality(X, y, monotonic_cst=signs)
        interval.verify(X, y)
        assert interval.lower <= fewest(X, y, signs) <= interval.upper
        assert (np.array(interval.weights[:-1]) * signs >= 0).all()
        tight += interval.lower == interval.upper
    assert tight > SETS // 6  # of few rows, nearly all are


def naive_soft_margin(X, y, signs, costs):
    """The least objective in the cone: for some set of weights at 0, the lowest point of the others is in it."""
    rows, best = naive_soft.signed(X, y), None
    places = [k for k, sign in enumerate(signs) if sign]
    for held in product([False, True], repeat=len(places)):
        free = [k for k in range(len(signs) + 1) if k not in {p for p, h in zip(places, held, strict=True) if h}]
        some = [[row[k] for k in free] for row in rows]
        w = naive_soft.lowest(some, costs)
        if all(signs[k] * v >= 0 for k, v in zip(free, w, strict=True) if k < len(signs)):
            value = naive_soft.objective([naive_soft.exact(row) for row in some], costs, w)
            best = value if best is None else min(best, value)
    return best


def test_the_soft_margin_is_solved_in_the_cone():
    rng = np.random.default_rng(7)
    for _ in range(SETS // 3):
        n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
        X, y, signs = rng.integers(-3, 4, (n, d)).astype(float), np.arange(n) % 2, rng.integers(-1, 2, d)
        C, weights = float(2.0 ** rng.integers(-6, 7)), rng.integers(1, 4, n)
        rule = SoftMarginPerceptron(C=C, monotonic_cst=signs).fit(X, y, weights)
        least = naive_soft_margin(X, 2 * y - 1, signs, [Fraction(C) * int(k) for k in weights])
        assert Fraction(rule.dual_objective_) <= least <= Fraction(rule.objective_)
        assert rule.gap_ <= 1e-9 * rule.objective_
        assert (rule.coef_[0] * signs >= 0).all()
        assert rule.certificate_.verify(X, y, weights)
        bare = {k: v for k, v in rule.certificate_.as_record().items() if k not in ("increasing", "decreasing")}
        free = Certificate._from_record({**bare, "fingerprint": ""})
        if least > naive_soft_margin(X, 2 * y - 1, np.zeros(d, int), [Fraction(C) * int(k) for k in weights]):
            with pytest.raises(CertificateError, match="do not prove"):
                free.verify(X, y, weights)
