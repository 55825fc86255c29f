"""Uncompiled, the files below are left out: they reach kernels only by rules that tests/oracle learns uncompiled."""

import os

ABOVE_THE_KERNELS = [
    "test_bounds.py", "test_desk.py", "test_drawing.py", "test_model_record.py", "test_modelfile.py", "test_package.py",
    "test_read_delimited.py", "test_read_formats.py", "test_read_kinds.py", "test_read_sources.py", "test_reasons.py",
    "test_report.py", "test_risk.py", "test_risk_of_runs.py", "test_scorecard.py", "test_tree_states.py",
    "test_whole_points.py",
]  # fmt: skip
collect_ignore = ABOVE_THE_KERNELS if os.environ.get("NUMBA_DISABLE_JIT") == "1" else []
