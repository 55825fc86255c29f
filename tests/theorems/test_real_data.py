"""The verdicts on real data, each with a certificate that verifies."""

from itertools import chain

import numba
import pytest
from benchmarks import workloads
from sklearn.datasets import load_breast_cancer

from rosenblatt import margin, separability

needs_data = pytest.mark.skipif(not workloads.SHARED.exists(), reason=f"{workloads.SHARED} is not there")
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes minutes uncompiled")


@needs_data
@compiled
def test_every_set_gets_the_verdict_of_its_index():
    separable = {name for name, _, _ in workloads.separable_sets()}
    for name, X, y in chain(workloads.separable_sets(), workloads.other_sets()):
        verdict = separability(X, y)
        assert verdict.separable is (name in separable), name
        verdict.certificate.verify(X, y)


@compiled
def test_breast_cancer_is_separable_by_a_tiny_margin():
    X, y = load_breast_cancer(return_X_y=True)
    verdict = separability(X, y)
    assert verdict.separable
    verdict.certificate.verify(X, y)
    found = margin(X, y)
    assert 4.137e-5 < found.lower < found.upper < 4.1371e-5
    assert found.gap < 1e-9
    found.certificate.verify(X, y)
