"""From a file to a saved model, and from a model to a file of predictions: whole processes, imports included.

Learning: a table of 1M rows, 10 numbers and 10 categories, as CSV; and a9a in LIBSVM's format. `rosenblatt fit` as it
comes (a fifth of the rows held out, the verdict proved), and with neither. Peers learn from all rows and prove nothing:
scikit-learn's usual pipeline (one-hot and standardised columns, LogisticRegression) on a table that pandas or Polars
read; Vowpal Wabbit with logistic loss, one pass, its text format written from Polars, a line at a time for LIBSVM.
Errors are on rows of a second file. Predicting: the same table of 10M rows, from Parquet and from CSV, to Parquet.
Times are the least of three, in turns; memory is the most that a process held.
"""

import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.workloads import SHARED, mixed_table

ROUNDS = 3
COMMAND = Path(sys.executable).with_name("rosenblatt")
SKLEARN = """
import sys, joblib
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
{read}
X, y = table.drop({columns}["approved"]), table["approved"]
words = [name for name in X.columns if name.startswith("cat")]
numbers = [name for name in X.columns if not name.startswith("cat")]
encoder = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), words))
joblib.dump(make_pipeline(encoder, LogisticRegression(max_iter=1000)).fit(X, y), sys.argv[2])
"""
PANDAS = SKLEARN.format(read="import pandas\ntable = pandas.read_csv(sys.argv[1])", columns="columns=")
POLARS = SKLEARN.format(read="import polars\ntable = polars.read_csv(sys.argv[1])", columns="")
SVMLIGHT = """
import sys, joblib
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
X, y = load_svmlight_file(sys.argv[1])
joblib.dump(LogisticRegression(max_iter=1000).fit(X, y), sys.argv[2])
"""
SCORE = """
import sys, joblib, polars
{read}
print((joblib.load(sys.argv[2]).predict(X) != y).mean())
"""
SCORE_TABLE = SCORE.format(read="t = polars.read_csv(sys.argv[1])\nX, y = t.drop('approved'), t['approved'].to_numpy()")
SCORE_PANDAS = SCORE.format(
    read="import pandas\nt = pandas.read_csv(sys.argv[1])\nX, y = t.drop(columns='approved'), t['approved']"
)
SCORE_SVMLIGHT = SCORE.format(
    read="from sklearn.datasets import load_svmlight_file\nX, y = load_svmlight_file(sys.argv[1], n_features=123)"
)
VW_TABLE = """
import sys, polars as pl
from vowpalwabbit import Workspace
def written(source, target):
    table = pl.scan_csv(source)
    names = [name for name in table.collect_schema().names() if name != "approved"]
    cells = [pl.concat_str(pl.lit(name + (":" if name.startswith("num") else "=")), pl.col(name)) for name in names]
    label = pl.when(pl.col("approved") == "yes").then(pl.lit("1 |")).otherwise(pl.lit("-1 |"))
    line = pl.concat_str([label, *cells], separator=" ")
    table.select(line).sink_csv(target, include_header=False, quote_style="never")
"""
VW_LIBSVM = """
import sys
from vowpalwabbit import Workspace
def written(source, target):
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            label, _, features = line.partition(" ")
            out.write(f"{int(label)} | {features}")
"""
VW_LEARN = """
written(sys.argv[1], sys.argv[3])
Workspace(f"-d {sys.argv[3]} -f {sys.argv[2]} --loss_function logistic --quiet").finish()
"""
VW_SCORE = """
written(sys.argv[1], sys.argv[3])
Workspace(f"-d {sys.argv[3]} -t -i {sys.argv[2]} -p {sys.argv[3]}.out --quiet").finish()
said = [float(line.split()[0]) > 0 for line in open(sys.argv[3] + ".out")]
truth = [not line.startswith("-") for line in open(sys.argv[3])]
print(sum(a != b for a, b in zip(said, truth)) / len(truth))
"""


LAUNCHER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""  # small itself, because a process is counted with the memory of the one that started it


def timed(arguments: list[str]) -> tuple[float, float]:
    """Seconds, and the most memory in MB, of a process that must succeed."""
    begun = time.perf_counter()
    found = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *arguments], capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    if found.returncode:
        raise RuntimeError(f"{arguments[:3]} failed: {found.stderr[-500:]}")
    return seconds, float(found.stdout.split()[-1]) / 1000


def told(arguments: list[str]) -> str:
    """What a process writes."""
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def python(script: str, *arguments: Path) -> list[str]:
    """A process of Python."""
    return [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)]


def learning(name: str, folder: Path, train: Path, test: Path, target: str) -> None:
    """Learn from one file in every way, and tell times and errors."""
    is_table = train.suffix == ".csv"
    ours = [str(COMMAND), "fit", str(train), "--target", target, "--quiet", "--force", "-o"]
    bare = ["--hold-out", "0", "--no-prove", "--algorithm", "averaged", "--max-passes", "3"]
    convert = VW_TABLE if is_table else VW_LIBSVM
    model = {who: folder / f"{k}.model" for k, who in enumerate(("ours", "bare", "pandas", "polars", "vw"))}
    ways = {
        "rosenblatt fit": [*ours, str(model["ours"])],
        "rosenblatt fit --algorithm averaged, no proof, all rows": [*ours, str(model["bare"]), *bare],
    }
    if is_table:
        ways["pandas, scikit-learn"] = python(PANDAS, train, model["pandas"])
        ways["Polars, scikit-learn"] = python(POLARS, train, model["polars"])
    else:
        ways["scikit-learn"] = python(SVMLIGHT, train, model["polars"])
    ways["Vowpal Wabbit"] = python(convert + VW_LEARN, train, model["vw"], folder / "train.vw")
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, arguments in ways.items():
            seconds[way].append(timed(arguments)[0])
    judge = [str(COMMAND), "predict", "{}", str(test), "--quiet", "--judge", "--json", "--force", "-o"]
    error = {}
    for way, key in zip(list(ways)[:2], ("ours", "bare"), strict=True):
        arguments = [part.format(model[key]) for part in judge]
        record = json.loads(told([*arguments, str(folder / "out.parquet")]))
        error[way] = record["error"]["mistakes"] / record["error"]["rows"]
    if is_table:
        error["pandas, scikit-learn"] = float(told(python(SCORE_PANDAS, test, model["pandas"])))
        error["Polars, scikit-learn"] = float(told(python(SCORE_TABLE, test, model["polars"])))
    else:
        error["scikit-learn"] = float(told(python(SCORE_SVMLIGHT, test, model["polars"])))
    error["Vowpal Wabbit"] = float(told(python(convert + VW_SCORE, test, model["vw"], folder / "test.vw")))
    first = min(seconds["rosenblatt fit"])
    print(f"\n### {name}\n\n| | seconds | times ours | error on other rows |\n|---|---|---|---|")
    for way in ways:
        least = min(seconds[way])
        print(f"| {way} | {least:.2f} | {least / first:.2f} | {100 * error[way]:.2f} % |", flush=True)


def predicting(folder: Path, model: Path, rows: int) -> None:
    """Apply the model to a long table."""
    part = mixed_table(rows // 10, 2)
    pl.concat([part] * 10).write_parquet(folder / "long.parquet")
    pl.scan_parquet(folder / "long.parquet").sink_csv(folder / "long.csv")
    print(f"\n### predict, {rows:,} rows\n\n| from | seconds | rows per second | memory, MB |\n|---|---|---|---|")
    for suffix in ("parquet", "csv"):
        arguments = [str(COMMAND), "predict", str(model), str(folder / f"long.{suffix}"), "--quiet", "--force", "-o"]
        found = [timed([*arguments, str(folder / "out.parquet")]) for _ in range(ROUNDS)]
        seconds, memory = min(s for s, _ in found), max(m for _, m in found)
        print(f"| {suffix} | {seconds:.2f} | {rows / seconds:,.0f} | {memory:,.0f} |", flush=True)


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = mixed_table(1_200_000, 1)
        order = np.random.default_rng(0).random(table.height) < 1 / 6
        table.filter(~pl.Series(order)).write_csv(folder / "train.csv")
        table.filter(pl.Series(order)).write_csv(folder / "test.csv")
        learning("1M x 20, mixed, CSV", folder, folder / "train.csv", folder / "test.csv", "approved")
        predicting(folder, folder / "0.model", 10_000_000)
        if (SHARED / "a9a").exists():
            for file in ("a9a", "a9a.t"):
                packed = (SHARED / "a9a" / f"{file}.gz").read_bytes()
                (folder / f"{file}.libsvm").write_bytes(gzip.decompress(packed))
            learning("a9a, LIBSVM", folder, folder / "a9a.libsvm", folder / "a9a.t.libsvm", "label")
