"""Measurements against named peers, in the same run: `python -m benchmarks.NAME`."""
