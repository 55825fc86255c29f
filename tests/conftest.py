import os
import signal
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from rosenblatt.rows import compiling

sys.path.insert(0, str(Path(__file__).parent))  # for `oracle` and `cases`

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored by what runs in the background
UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
if UNCOMPILED:  # compiled code does not warn of overflow, which the kernels expect and handle
    np.seterr(over="ignore", invalid="ignore")
settings.register_profile(
    "rosenblatt",
    max_examples=15 if UNCOMPILED else 100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("rosenblatt")
compiling.compile_all()  # small tables would be learned from uncompiled, which the other half of `make test` does


def pytest_collection_modifyitems(items):
    if UNCOMPILED:
        for item in items:
            if item.get_closest_marker("large"):
                item.add_marker(pytest.mark.skip(reason="too slow uncompiled"))


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture
def no_convergence_warning():
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
