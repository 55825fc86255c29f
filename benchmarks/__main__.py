"""All measurements, one after the other: `python -m benchmarks`; only some: `python -m benchmarks NAME...`."""

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

NAMES = [
    "clean_pass",
    "bandwidth",
    "growth",
    "cold_start",
    "proofs",
    "coverage",
    "averaged",
    "online",
    "mistakes",
    "optimal",
    "held_out",
    "new_rows",
    "several_classes",
    "few_columns",
    "imbalanced",
    "steps",
    "probabilities",
    "abstention",
    "published",
    "end_to_end",
    "trees",
    "wide",
    "soft_margin",
]


def machine() -> str:
    """What all this runs on."""
    processor, info = platform.processor() or platform.machine(), Path("/proc/cpuinfo")
    if info.exists():
        models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line[:10] == "model name"]
        processor = models[0] if models else processor
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30 if hasattr(os, "sysconf") else 0
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn"))
    return f"{processor}, {os.cpu_count()} cores, {memory:.0f} GiB; Python {platform.python_version()}, {packages}"


def main(names: list[str]) -> None:
    """Run the measurements of these names, or all."""
    if unknown := set(names) - set(NAMES):
        sys.exit(f"no measurement is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    print(f"# Benchmarks\n\n{machine()}", flush=True)
    for name in names or NAMES:
        module = import_module(f"benchmarks.{name}")
        print(f"\n## {name}\n\n{module.__doc__.strip()}", flush=True)
        module.main()


if __name__ == "__main__":
    main(sys.argv[1:])
