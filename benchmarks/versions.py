"""Two versions of this package on the same work, in turns: `python -m benchmarks.versions OTHER [TURNS]`.

OTHER is a checkout of another version, made by `git worktree add ../before COMMIT`. Each version works in a process
of its own, on the same data, and both take turns at every case, so that they see the same machine; the first turn,
which compiles, does not count. Times are the least of the turns. A ratio above 1 says that this version takes longer.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parents[1]
TURNS = 5
NOISY = 0.05  # the part of labels that are flipped


def cases(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """The work, by the name of the measurement it stands for; everything is public and as old as the package."""
    import rosenblatt as rb
    from benchmarks import proofs, workloads
    from benchmarks.online import stream

    for shape in ((2_000, 20, 0.01), (100_000, 50, 0.003), (1_000_000, 20, 0.002)):
        X, y = workloads.unit_rows(*shape, 0)
        yield f"clean_pass {shape[0]:,} x {shape[1]}", lambda X=X, y=y: rb.Perceptron(max_passes=None).fit(X, y)
    X, y = workloads.sparse_rows("zipf", 0)
    yield "clean_pass, CSR", lambda: rb.Perceptron(max_passes=None, fit_intercept=False).fit(X, y)
    for n, d, flipped in ((2_000, 10, 0.002), (20_000, 100, 0.0), (200_000, 20, 0.002)):
        table = proofs.rows(n, d, flipped)
        yield f"proofs, verdict {n:,} x {d}, {flipped:.1%} flipped", lambda table=table: proofs.proved(*table)
    for n, d in ((2_000, 10), (20_000, 100)):
        table = proofs.rows(n, d, 0.0)
        yield f"proofs, margin {n:,} x {d}", lambda table=table: rb.margin(*table, fit_intercept=False)
    for n, d in ((300, 5), (2_000, 10), (20_000, 20)):
        table = workloads.noisy_gaussians(n, d, NOISY)
        yield f"mistakes {n:,} x {d}", lambda table=table: rb.PocketPerceptron(random_state=0).fit(*table)
    rows, labels = stream()
    arrays, names = list(rows), [f"x{j}" for j in range(rows.shape[1])]
    dicts = [dict(zip(names, x, strict=True)) for x in rows.tolist()]
    for form, given in (("arrays", arrays), ("dicts", dicts)):
        yield f"online, {form}", lambda given=given: one_by_one(rb.OnlinePerceptron(), given, labels.tolist())
    yield "online, blocks of 100", lambda: in_blocks(rb.OnlinePerceptron(), rows, labels, 100)
    noisy = workloads.noisy_gaussians(20_000, 20, NOISY)
    for test in ("feature", "auto"):
        yield f"trees, {test}", lambda test=test: rb.PerceptronTree(test=test, prune=None, random_state=0).fit(*noisy)
    yield "averaged 20,000 x 20", lambda: rb.AveragedPerceptron(shuffle=False).fit(*noisy)
    small = workloads.noisy_gaussians(1_000, 20, NOISY)
    yield "kernel 1,000 x 20", lambda: rb.KernelPerceptron(max_passes=20).fit(*small)
    yield "lifted 20,000 x 20", lambda: rb.LiftedPerceptron(max_passes=20).fit(*noisy)
    tiny = small[0][:20], small[1][:20]
    yield "Perceptron 20 x 20", lambda: [rb.Perceptron(max_passes=10).fit(*tiny) for _ in range(20)]
    table, model = str(folder / "table.csv"), str(folder / f"{os.getpid()}.json")
    if not Path(table).exists():
        workloads.mixed_table(100_000, 0).write_csv(table)
    yield "end_to_end, fit 100,000 x 20", lambda: ran("fit", table, "-t", "approved", "-o", model, "-qf")
    yield "end_to_end, predict", lambda: ran("predict", model, table, "-o", f"{model}.csv", "-qf")


def one_by_one(rule: object, rows: list, labels: list) -> None:
    """Learn a stream a row at a time."""
    for x, y in zip(rows, labels, strict=True):
        rule.learn_one(x, y)


def in_blocks(rule: object, rows: np.ndarray, labels: np.ndarray, size: int) -> None:
    """Learn a stream in blocks."""
    for k in range(0, len(labels), size):
        rule.learn_many(rows[k : k + size], labels[k : k + size])


def ran(*words: str) -> None:
    """Run the command of this version as a process, imports included."""
    source = os.environ | {"PYTHONPATH": sys.path[0]}
    subprocess.run([sys.executable, "-m", "rosenblatt", *words], check=True, env=source, stdout=subprocess.DEVNULL)


def work(requests: Connection, checkout: str, folder: str) -> None:
    """Do the cases of one version, each as often as requested; tells their names, then times."""
    sys.path[:0] = [str(Path(checkout, "src")), str(HERE)]
    import warnings

    import rosenblatt

    assert Path(rosenblatt.__file__).is_relative_to(checkout), rosenblatt.__file__
    warnings.simplefilter("ignore")
    for name, call in cases(Path(folder)):
        requests.send(name)
        while requests.recv():
            begin = time.perf_counter()
            call()
            requests.send(time.perf_counter() - begin)
    requests.send(None)


def main(other: str, turns: int = TURNS) -> None:
    """Compare this version with the one in another checkout."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        versions = []
        for checkout in (str(Path(other).resolve()), str(HERE)):
            ours, theirs = context.Pipe()
            context.Process(target=work, args=(theirs, checkout, folder), daemon=True).start()
            versions.append(ours)
        print("| case | other ms | this ms | ratio |\n|---|---|---|---|")
        ratios = []
        while (names := [version.recv() for version in versions]) != [None, None]:
            times = np.array([[measured(version) for version in versions] for _ in range(turns + 1)])[1:]
            before, now = times.min(axis=0)
            ratios.append(now / before)
            print(f"| {names[0]} | {before * 1e3:.2f} | {now * 1e3:.2f} | **{ratios[-1]:.2f}** |", flush=True)
            for version in versions:
                version.send(False)
    print(
        f"\nGeometric mean of {len(ratios)} ratios: {np.exp(np.mean(np.log(ratios))):.2f}; largest: {max(ratios):.2f}"
    )


def measured(version: Connection) -> float:
    """One turn of one version."""
    version.send(True)
    return version.recv()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
