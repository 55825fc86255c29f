"""The data that the benchmarks use: seeded, made on the spot or read from the shared folder; names never change."""

import csv
import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_svmlight_file, load_wine

from rosenblatt import separability

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

DENSE = {
    "2k x 20, .01": (2_000, 20, 0.01),
    "20k x 100, .005": (20_000, 100, 0.005),
    "100k x 50, .003": (100_000, 50, 0.003),
    "50k x 400, .004": (50_000, 400, 0.004),
    "200k x 20, .002": (200_000, 20, 0.002),
    "1M x 20, .002": (1_000_000, 20, 0.002),
}


def unit_rows(n: int, d: int, margin: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """n rows of length 1, labelled by a random plane off the origin, none nearer to it than `margin`."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=d)
    normal /= np.linalg.norm(normal)
    offset = 0.3 / np.sqrt(d)
    X = np.empty((n, d))
    made = 0
    while made < n:
        block = rng.normal(size=(min(n, 100_000), d))
        block /= np.linalg.norm(block, axis=1, keepdims=True)
        block = block[np.abs(block @ normal - offset) >= margin][: n - made]
        X[made : made + len(block)] = block
        made += len(block)
    return X, np.where(X @ normal > offset, 1, -1)


def sparse_rows(
    words: str, seed: int, n: int = 20_000, d: int = 47_000, per_row: int = 75
) -> tuple[sp.csr_array, np.ndarray]:
    """n sparse unit rows of `per_row` features drawn uniformly or as Zipf draws words, labelled by a random plane."""
    rng = np.random.default_rng(seed)
    if words == "uniform":
        columns = rng.integers(d, size=(n, per_row))
    else:
        columns = (d ** rng.random((n, per_row))).astype(int) - 1  # the r-th word about 1/r as often as the first
    values = rng.random((n, per_row)) + 0.5
    X = sp.csr_array((values.ravel(), columns.ravel(), np.arange(0, n * per_row + 1, per_row)), shape=(n, d))
    X.sum_duplicates()
    X = sp.csr_array(sp.diags_array(1.0 / np.sqrt(X.multiply(X).sum(axis=1))) @ X)
    normal = rng.normal(size=d)
    scores = X @ normal
    keep = np.abs(scores) >= 0.1 * np.std(scores)
    X = sp.csr_array(X[np.flatnonzero(keep)])
    X.sort_indices()
    return _narrow(X), np.where(scores[keep] > 0, 1, -1)


def mixed_table(n: int, seed: int) -> pl.DataFrame:
    """n rows of ten numbers in various units and ten categories, and whether they are approved: logistic noise."""
    drawn = np.random.default_rng([20, 10])  # the same columns and the same truth for every seed
    rng, columns, score = np.random.default_rng(seed), {}, np.zeros(n)
    for k in range(10):
        unit, middle = 10.0 ** drawn.integers(-2, 4), drawn.integers(0, 100)
        x = rng.normal(size=n)
        score += drawn.normal() * x
        columns[f"num{k}"] = np.round(x * unit + middle, 4)
    for k in range(10):
        many = int(drawn.integers(3, 20))
        chosen = rng.integers(many, size=n)
        score += drawn.normal(size=many)[chosen]
        columns[f"cat{k}"] = np.array([f"value {k}.{j}" for j in range(many)])[chosen]
    columns["approved"] = np.where(score + rng.logistic(size=n) > 0, "yes", "no")
    return pl.DataFrame(columns)


def noisy_gaussians(n: int, d: int, flipped: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows labelled by a plane that is not through the origin, each label flipped with this probability."""
    rng = np.random.default_rng([seed, n, d])
    X, u = rng.normal(size=(n, d)), rng.normal(size=d + 1)
    y = np.where(X @ u[1:] + 0.3 * u[0] > 0, 1, -1)
    return X, np.where(rng.random(n) < flipped, -y, y)


def separable_sets() -> Iterator[tuple[str, object, np.ndarray]]:
    """The separable real sets of the shared folder, columns standardised where they are dense."""
    sonar = _table(SHARED / "sonar" / "sonar.all-data", ",")
    yield "sonar", _standard(np.array([r[:-1] for r in sonar], float)), np.array([r[-1] for r in sonar])
    mushrooms = _table(SHARED / "mushrooms" / "agaricus-lepiota.data", ",")
    yield "mushrooms", _one_hot([r[1:] for r in mushrooms]), np.array([r[0] for r in mushrooms])
    lines = (SHARED / "vote" / "vote.arff").read_text().splitlines()
    vote = [line.replace("'", "").split(",") for line in lines if line and line[0] not in "@%"]
    yield "vote", _one_hot([r[:-1] for r in vote]), np.array([r[-1] for r in vote])
    X, y = load_svmlight_file(str(SHARED / "mushrooms" / "mushrooms.libsvm.gz"))
    yield "mushrooms, CSR", _narrow(X), y
    spam = [line.split("\t", 1) for line in (SHARED / "sms_spam" / "SMSSpamCollection").read_text("utf-8").splitlines()]
    from sklearn.feature_extraction.text import CountVectorizer

    X = CountVectorizer(dtype=float).fit_transform(row[1] for row in spam)
    worded = np.flatnonzero(np.diff(X.indptr))  # a message without words is on no side of a rule without threshold
    yield "sms spam, CSR", _narrow(X[worded]), np.array([row[0] for row in spam])[worded]
    from scipy.io import loadmat

    for name in ("BASEHOCK", "PCMAC", "RELATHE"):
        stored = loadmat(SHARED / "text_pairs_20ng" / f"{name}.mat")
        yield f"{name}, CSR", _narrow(sp.csr_array(stored["X"], dtype=float)), stored["Y"].ravel()


def other_sets() -> Iterator[tuple[str, object, np.ndarray]]:
    """The real sets of the shared folder that no rule separates, as they are: categories one-hot, numbers untouched."""
    (german, credit) = ((name, np.hstack(columns), y) for name, columns, y in mixed_sets())
    yield german
    cars = [r[1:] for r in _table(SHARED / "auto_mpg" / "cars.csv", ",")[1:] if r[1]]
    yield (
        "auto mpg",
        _mixed([[r[1], r[2], r[3] or "?", *r[4:]] for r in cars]),
        np.array([float(r[0]) >= 23 for r in cars]),
    )
    yield credit
    for name, path in (
        ("banknote", "banknote/data_banknote_authentication.txt"),
        ("ionosphere", "ionosphere/ionosphere.data"),
        ("pima diabetes", "pima_diabetes/pima-indians-diabetes.data.csv"),
    ):
        rows = _table(SHARED / path, ",")
        yield name, np.array([r[:-1] for r in rows], float), np.array([r[-1] for r in rows])
    chess = [r for r in _table(SHARED / "kr_vs_kp" / "kr.vs.kp.arff.gz", ",") if len(r) == 37 and r[0][0] not in "@%"]
    yield "kr vs kp", _one_hot([r[:-1] for r in chess]), np.array([r[-1] for r in chess])
    phishing = _table(SHARED / "phishing" / "phishing_websites_uci.csv.gz", ",")
    yield "phishing", _one_hot([r[:-1] for r in phishing]), np.array([r[-1] for r in phishing])
    X, y = load_svmlight_file(str(SHARED / "a9a" / "a9a.gz"))
    yield "a9a, CSR", _narrow(X), y
    with zipfile.ZipFile(SHARED / "electricity" / "electricity.zip") as folder:
        rows = list(csv.reader(folder.read("electricity.csv").decode().splitlines()))[1:]
    yield "electricity", np.array([r[:-1] for r in rows], float), np.array([r[-1] for r in rows])


def one_against_rest() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The sets that come with scikit-learn, one class against the rest, where no rule separates them."""
    for name, load in (("iris", load_iris), ("wine", load_wine), ("digits", load_digits)):
        table = load()
        for label, called in enumerate(table.target_names):
            y = np.where(table.target == label, 1, -1)
            if not separability(table.data, y).separable:
                yield f"{name}, {called}", table.data, y


def inseparable_sets() -> Iterator[tuple[str, object, np.ndarray]]:
    """All real sets that no rule separates, as far as they are there."""
    if SHARED.exists():
        yield from other_sets()
    yield from one_against_rest()


def tell_if_absent() -> None:
    """Say so where the shared folder is not there."""
    if not SHARED.exists():
        print(f"\n{SHARED} is not there: its sets are left out")


def standardised(X: object, like: object = None) -> object:
    """Columns of numbers with mean 0 and deviation 1, those of `like`; zeros and ones stay, and so does CSR."""
    if sp.issparse(X):
        return X
    like = X if like is None else like
    numbers = ~np.isin(like, (0.0, 1.0)).all(axis=0)
    deviations = like.std(axis=0)
    return (X - np.where(numbers, like.mean(axis=0), 0.0)) / np.where(numbers & (deviations > 0), deviations, 1.0)


def _narrow(X: sp.csr_array) -> sp.csr_array:
    """The same matrix with 32-bit indices: the peer takes no others."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _table(path: Path, delimiter: str) -> list[list[str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as file:
        return [row for row in csv.reader(file, delimiter=delimiter) if row]


def _standard(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0), X.std(axis=0), 1.0)


def _mixed(rows: list[list[str]]) -> np.ndarray:
    """Columns of numbers as they are, others one-hot; an unknown number, "?", is a category and otherwise 0."""
    return np.hstack(mixed_columns(rows))


def mixed_columns(rows: list[list[str]]) -> list[np.ndarray]:
    """The same, the features of each column by themselves."""
    found = []
    for column in np.array(rows).T:
        known = column != "?"
        try:
            number = np.where(known, column, "0").astype(float)[:, None]
            found.append(number if known.all() else np.hstack([number, ~known[:, None]]))
        except ValueError:
            found.append((column[:, None] == np.unique(column)).astype(float))
    return found


def mixed_sets() -> Iterator[tuple[str, list[np.ndarray], np.ndarray]]:
    """The real sets of credit in the shared folder, column by column."""
    german = _table(SHARED / "german_credit" / "germancredit.csv", ",")[1:]
    yield "german credit", mixed_columns([r[:-1] for r in german]), np.array([r[-1] for r in german])
    crx = _table(SHARED / "credit_approval" / "crx.data", ",")
    yield "credit approval", mixed_columns([r[:-1] for r in crx]), np.array([r[-1] for r in crx])


def _one_hot(rows: list[list[str]]) -> np.ndarray:
    columns = np.array(rows).T
    return np.hstack([(column[:, None] == np.unique(column)).astype(float) for column in columns])
