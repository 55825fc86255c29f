"""Learn a credit-approval rule from real applications, say why it stopped, and prove how good it is.

Runs on the German credit data that comes with the package. Writes build/credit-report.html and the proofs beside it.
"""

import csv
import html
from importlib.resources import files
from pathlib import Path

import numpy as np

from rosenblatt import Examples, Perceptron, PocketPerceptron, bounds, margin, optimality, separability
from rosenblatt.prove.certificate import Certificate

PROOFS = Path("build")
REPORT = PROOFS / "credit-report.html"
TARGET = "creditability"
Rule = Perceptron | PocketPerceptron


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


def learn(title: str, X: np.ndarray, y: np.ndarray) -> tuple[Rule, list[str]]:
    """Learn, and say in sentences what came of it and what is proved."""
    verdict = separability(X, y)
    said = [
        f"Verdict: {'separable' if verdict.separable else 'not separable'}. Proved, and checked in exact arithmetic:",
        checked(f"{title}, verdict", verdict.certificate, X, y),
    ]
    rule, more = separated(X, y) if verdict.separable else pocketed(title, X, y)
    right = int((rule.predict(X) == y).sum())
    said += [f"Stopped: {rule.stop_reason_}", f"Right on {right} of {len(X)} applications, by exact signs.", *more]
    return rule, [title, *said]


def separated(X: np.ndarray, y: np.ndarray) -> tuple[Perceptron, list[str]]:
    """A rule that is right on every row, from which its ledger leads, and how long that could have taken."""
    rule, examples, widest = Perceptron().fit(X, y), Examples.of(X, y), margin(X, y)
    bound = bounds.novikoff(examples.radius, widest.lower)
    same = "bit for bit" if rule.ledger_.replay(examples).tobytes() == rule.weights_[0].tobytes() else "NOT"
    return rule, [
        f"Replaying the {len(rule.ledger_)} entries of the ledger gives these weights {same}.",
        f"The largest margin is {widest.lower:.12g}, to a relative gap of {widest.gap:.0e}.",
        f"So no run from zeros makes more than {bound} updates.",
    ]


def pocketed(title: str, X: np.ndarray, y: np.ndarray) -> tuple[PocketPerceptron, list[str]]:
    """A rule with as few mistakes as can be found, and how few are possible."""
    plain = PocketPerceptron(improve=None, random_state=0).fit(X, y)
    rule = PocketPerceptron(random_state=0).fit(X, y)
    return rule, [
        f"The pocket algorithm kept a rule with {plain.mistakes_} mistakes; from there, {rule.mistakes_} were reached.",
        checked(f"{title}, mistakes", optimality(X, y, rule), X, y),
    ]


def checked(name: str, proof: Certificate, X: np.ndarray, y: np.ndarray) -> str:
    """Write a certificate to a file, and say what the file proves."""
    path = PROOFS / f"{name.lower().replace(',', '').replace(' ', '-')}.json"
    path.write_text(proof.to_json(), "utf-8")
    return f"{Certificate.from_json(path.read_text('utf-8')).verify(X, y)} ({path})"


def scorecard(rule: Rule, names: list[tuple[str, str]], most: int = 12) -> list[tuple[str, str, float]]:
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
        f"<h1>Credit approval, learned with proof</h1>{said}<h2>Scorecard of the last rule</h2>"
        f"<p>Approve where the points add up to more than {threshold:.2f}.</p>"
        f"<table><tr><th>column</th><th>value</th><th>points</th></tr>{rows}</table>"
        "<p>Data: Statlog (German Credit Data), Hans Hofmann, UCI, CC BY 4.0.</p></html>"
    )


def main() -> None:
    """Print the verdicts and the scorecard, write the proofs and the report."""
    X, y, names = table()
    PROOFS.mkdir(exist_ok=True)
    _, first = learn("The first 100 applications", X[:100], y[:100])
    rule, everything = learn("All 1000 applications", X, y)
    for part in (first, everything):
        print(f"\n{part[0]}\n  " + "\n  ".join(part[1:]))
    card = scorecard(rule, names)
    print(f"\nScorecard of the last rule: approve where the points add up to more than {rule.threshold_[0]:.2f}")
    for column, value, points in card:
        print(f"  {points:+8.2f}  {column} = {value}")
    REPORT.write_text(report([first, everything], card, rule.threshold_[0]), "utf-8")
    print(f"\nWritten: {REPORT}")


if __name__ == "__main__":
    main()
