"""Learn a credit-approval rule from real applications, say why it stopped, and check it exactly.

Runs on the German credit data that comes with the package. Writes build/credit-report.html.
"""

import csv
import html
import warnings
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np

from rosenblatt import Examples, Perceptron

REPORT = Path("build/credit-report.html")
TARGET = "creditability"


def table() -> tuple[np.ndarray, np.ndarray, list[tuple[str, str]]]:
    """The applications as numbers, their outcome, and each feature's column and meaning."""
    with (files("rosenblatt") / "data" / "german_credit.csv").open() as file:
        rows = list(csv.DictReader(file))
    features, names = [], []
    for column in (c for c in rows[0] if c != TARGET):
        values = [row[column] for row in rows]
        if all(value.isdigit() for value in values):
            numbers = np.array(values, float)
            step = 2.0 ** round(np.log2(numbers.std()))  # a power of two, so that scaled numbers stay exact
            features.append(numbers / step)
            names.append((column, f"per {step:g}"))
        else:
            for value in sorted(set(values)):
                features.append(np.array([v == value for v in values], float))
                names.append((column, value))
    return np.stack(features, axis=1), np.array([row[TARGET] for row in rows]), names


def proven_right(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> int:
    """How many applications the rule decides as they were decided, counted in exact rational arithmetic."""
    right = 0
    for x, label in zip(X, y, strict=True):
        score = sum(Fraction(a) * Fraction(b) for a, b in zip([*x, 1.0], w, strict=True))
        right += score > 0 if label == "good" else score < 0
    return right


def learn(title: str, X: np.ndarray, y: np.ndarray) -> tuple[Perceptron, list[str]]:
    """Learn, and say in sentences what came of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason is printed below
        rule = Perceptron(random_state=0).fit(X, y)
    w, n = rule.weights_[0], len(X)
    examples = Examples.of(X, y)
    replayed = rule.ledger_.replay(examples)
    norms = np.array(
        [np.linalg.norm(rule.ledger_.replay(examples, t)) for t in (rule.n_updates_ // 2, rule.n_updates_)]
    )
    bound = examples.radius * np.sqrt([rule.n_updates_ // 2, rule.n_updates_])
    same = "bit for bit" if replayed.tobytes() == w.tobytes() else "NOT"
    holds = "holds" if (norms <= bound).all() else "VIOLATED"
    return rule, [
        title,
        f"Stopped after {rule.n_updates_} updates and {rule.n_passes_} full passes. {rule.stop_reason_}",
        f"Right on {proven_right(X, y, w)} of {n} applications, counted in exact rational arithmetic.",
        f"Replaying the {len(rule.ledger_)} entries of the ledger gives these weights {same}.",
        f"||w_t|| <= R sqrt(t) {holds}: {norms[0]:.1f} <= {bound[0]:.1f} half way, {norms[1]:.1f} <= {bound[1]:.1f}.",
    ]


def scorecard(rule: Perceptron, names: list[tuple[str, str]], most: int = 12) -> list[tuple[str, str, float]]:
    """The features that count most: column, value, points."""
    points = rule.coef_[0]
    return [(*names[k], float(points[k])) for k in np.argsort(-np.abs(points))[:most]]


def report(parts: list[list[str]], card: list[tuple[str, str, float]], threshold: float) -> str:
    """One self-contained page."""
    said = "".join(f"<h2>{html.escape(p[0])}</h2>" + "".join(f"<p>{html.escape(s)}</p>" for s in p[1:]) for p in parts)
    rows = "".join(f"<tr><td>{html.escape(c)}</td><td>{html.escape(v)}</td><td>{p:+.2f}</td></tr>" for c, v, p in card)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Credit approval, learned with proof</title>'
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#222}"
        "h1{font-weight:600}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}"
        "td,th{padding:.35rem .6rem;border-bottom:1px solid #ddd;text-align:left}td:last-child,th:last-child"
        "{text-align:right;font-variant-numeric:tabular-nums}</style>"
        f"<h1>Credit approval, learned with proof</h1>{said}<h2>Scorecard of the first rule</h2>"
        f"<p>Approve where the points add up to more than {threshold:.2f}.</p>"
        f"<table><tr><th>column</th><th>value</th><th>points</th></tr>{rows}</table>"
        "<p>Data: Statlog (German Credit Data), Hans Hofmann, UCI, CC BY 4.0.</p></html>"
    )


def main() -> None:
    """Print the verdicts and the scorecard, write the report."""
    X, y, names = table()
    rule, first = learn("The first 100 applications", X[:100], y[:100])
    _, everything = learn("All 1000 applications", X, y)
    for part in (first, everything):
        print(f"\n{part[0]}\n  " + "\n  ".join(part[1:]))
    card = scorecard(rule, names)
    print(f"\nScorecard of the first rule: approve where the points add up to more than {rule.threshold_[0]:.2f}")
    for column, value, points in card:
        print(f"  {points:+8.2f}  {column} = {value}")
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report([first, everything], card, rule.threshold_[0]), "utf-8")
    print(f"\nWritten: {REPORT}")


if __name__ == "__main__":
    main()
