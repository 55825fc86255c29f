"""The promise of the same bits, kept in other environments of this machine."""

import json
from pathlib import Path

import numba
import pytest

from parity.same_bits import QUICK, compared, results

RECORDED = Path(__file__).parent.parent / "golden" / "bits.json"  # written by same_bits.py


def test_what_is_learned_is_what_it_was():
    assert json.loads(json.dumps(results())) == json.loads(RECORDED.read_text())


def test_every_storage_gives_the_same():
    assert [name for name in results()["same"] if name.endswith(("float32", "sparse"))] == []


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the uncompiled environment is one of those compared")
def test_other_environments_give_the_same(tmp_path):
    for name, differ in compared(QUICK, tmp_path):
        assert differ == {"same": [], "as good": []}, name
