"""Claim: the bounds of `rosenblatt.prove.theory.risk` hold as often as they say, and this is how tight they are.

Rows are uniform on the unit sphere, labelled by a plane through the origin, some labels flipped. Then the risk of any
rule without a threshold is known: noise + (1 - 2 noise) angle / pi. Every bound is computed for 250 samples at
delta = 0.05, so up to 12 or 13 violations are nominal. PLA runs in cycles, for up to 300 passes. "held out" learns from
three quarters of the rows. A rule of zeros errs on every row, as a tie is a mistake. Margins are fixed beforehand.
Leave one out bounds an expectation: there, only the means are to be compared.
"""

import numpy as np

from rosenblatt.learn.choices import TIES, Budget, Order
from rosenblatt.learn.pla import pla
from rosenblatt.prove.theory import risk
from rosenblatt.rows import find
from rosenblatt.rows.examples import Examples

DELTA, RUNS, MARGIN = 0.05, 250, 0.2
SETTINGS = [(200, 2, 0.0), (1000, 5, 0.0), (1000, 5, 0.05), (4000, 10, 0.1), (10_000, 2, 0.01)]


class Source:
    """Rows on the unit sphere, labelled by a plane through the origin, some labels flipped."""

    def __init__(self, d: int, noise: float, rng: np.random.Generator) -> None:
        self.normal, self.noise, self.rng = rng.normal(size=d), noise, rng
        self.normal /= np.linalg.norm(self.normal)

    def draw(self, n: int) -> Examples:
        """n rows without a threshold."""
        X = self.rng.normal(size=(n, self.normal.size))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        flipped = self.rng.random(n) < self.noise
        return Examples.of(X, np.where((X @ self.normal > 0) ^ flipped, 1, -1), fit_intercept=False)

    def risks(self, rules: np.ndarray) -> np.ndarray:
        """The true risk of each row of weights; 1 for zeros."""
        lengths = np.linalg.norm(rules, axis=-1)
        cosines = rules @ self.normal / np.where(lengths > 0, lengths, 1.0)
        angles = np.arccos(np.clip(cosines, -1.0, 1.0))
        return np.where(lengths > 0, self.noise + (1 - 2 * self.noise) * angles / np.pi, 1.0)


def cycles(examples: Examples, passes: int = 300) -> pla.Run:
    """PLA from zeros."""
    return pla.learn(examples, np.zeros(examples.size), order=Order.CYCLIC, budget=Budget(max_passes=passes))


def first(examples: Examples, begin: int, end: int) -> Examples:
    """Rows begin .. end-1."""
    return Examples(examples.rows._replace(values=examples.rows.values[begin:end]), examples.labels[begin:end])


def whole_run(source: Source, examples: Examples):
    """Bounds for the last weights of a run, each with the risk that it bounds."""
    n, run = examples.n, cycles(examples)
    (true,) = source.risks(run.weights[np.newaxis, :-1])
    yield risk.of_run(examples, run, "cyclic", delta=DELTA), true
    margins = find.margins(examples, run.weights) / find.norm(run.weights)
    yield risk.pac_bayes(margins / examples.lengths, DELTA), true
    short = int((margins < MARGIN).sum())
    yield risk.rademacher(short, n, 1.0, MARGIN, DELTA), true
    yield risk.pocket_margin(short, n, MARGIN, DELTA), true
    part, rest = first(examples, 0, 3 * n // 4), first(examples, 3 * n // 4, n)
    w = cycles(part).weights
    yield risk.held_out(find.count(rest, w, TIES["mistake"]), rest.n, DELTA), source.risks(w[np.newaxis, :-1])[0]


def single_pass(source: Source, examples: Examples):
    """Bounds for the rules of a single pass."""
    n, rows = examples.n, cycles(examples, 1).ledger.rows
    steps = examples.labels[rows, np.newaxis] * examples.rows.values[rows]
    rules = np.vstack([np.zeros(examples.size - 1), np.cumsum(steps, axis=0)])
    risks = source.risks(rules)
    begins = np.concatenate([[0], rows + 1])  # the first row that each rule predicts
    lengths = np.diff(begins, append=n + 1) - 1  # rows that it was right on, until its mistake or the end
    predicted = np.diff(np.minimum(begins, n), append=n)
    average = float(risks @ predicted) / n
    yield risk.online_to_batch(rows.size, n, DELTA), average
    after = n - begins[begins < n]
    signed = examples.labels[:, np.newaxis] * examples.rows.values
    wrong = [(signed[n - left :] @ rule <= 0).mean() for rule, left in zip(rules, after, strict=False)]
    chosen = int(np.argmin(wrong + np.sqrt(np.log(2 * n * (n + 1) / DELTA) / (2 * after))))
    yield risk.online_to_batch(rows.size, n, DELTA, rule="selected"), risks[chosen]
    longest = int(np.argmax(lengths))
    yield risk.longest_survivor(int(lengths[longest]), n, DELTA), risks[longest]
    yield risk.leave_one_out(rows.size, n), average


def main(runs: int = RUNS) -> None:
    """Simulate, and print a row per setting and bound."""
    print("\n| n | d | noise | bound | violations | nominal | mean bound | mean true risk |\n|" + "---|" * 8)
    for n, d, noise in SETTINGS:
        rng = np.random.default_rng([n, d, round(100 * noise)])
        found: dict[str, list[tuple[float, float]]] = {}
        for _ in range(runs):
            source = Source(d, noise, rng)
            examples = source.draw(n)
            for bound, true in (*whole_run(source, examples), *single_pass(source, examples)):
                selected = ", selected" * ("selected" in bound.statement)
                found.setdefault(bound.kind + selected, []).append((bound.bound, float(true)))
        for name, pairs in found.items():
            bounds, risks = np.array(pairs).T
            wrong, nominal = (f"{(risks > bounds).sum()} of {runs}", f"{DELTA * runs:g}")
            if name == "leave one out":
                wrong = nominal = "-"
            print(
                f"| {n} | {d} | {noise:g} | {name} | {wrong} | {nominal} | {bounds.mean():.3f} | {risks.mean():.3f} |"
            )


if __name__ == "__main__":
    main()
