"""What every table of `fuzz_tables.py` goes through: all proofs and all estimators, and what must be true then."""

from collections.abc import Callable

import numpy as np

import rosenblatt as rb
from faults.fuzzed_tables import Table

LINEAR = (
    rb.Perceptron, rb.PocketPerceptron, rb.AveragedPerceptron, rb.MarginPerceptron, rb.PassiveAggressive,
    rb.SecondOrderPerceptron,
)  # fmt: skip
ORDERS = "active", "cyclic", "random", "random-mistake", "worst"


class UntrueError(Exception):
    """An answer that cannot be."""


def holds(claim: bool, text: str) -> None:
    """Raise what a fault is made of."""
    if not claim:
        raise UntrueError(text)


def verdict(table: Table) -> None:
    found = rb.separability(table.X, table.y, **options(table), max_seconds=table.seconds)
    holds(found.separable is not None, "undecided")
    found.certificate.verify(table.X, table.y)
    table.separable = found.separable


def largest_margin(affine: bool) -> Callable[[Table], None]:
    def call(table: Table) -> None:
        if affine and (not table.fit_intercept or np.unique(table.y).size > 2):  # there is no such margin
            return
        found = rb.margin(table.X, table.y, affine=affine, fit_intercept=table.fit_intercept, max_seconds=table.seconds)
        holds(found.lower <= found.upper, f"margin from {found.lower} to {found.upper}")
        holds(found.certificate is not None, "margin without a proof")
        found.certificate.verify(table.X, table.y)

    return call


def fewest_mistakes(table: Table) -> None:
    several = np.unique(table.y).size > 2  # then ties are those of prediction
    ties = "minus" if several else table.ties
    found = rb.optimality(table.X, table.y, **options(table, ties=ties), max_seconds=table.seconds)
    found.verify(table.X, table.y)
    holds(found.lower <= found.upper, f"mistakes from {found.lower} to {found.upper}")
    same = ties == table.ties or table.fit_intercept
    strict = same or table.ties == "mistake"  # who is right without a tie is right under any rule for ties
    holds(table.separable is not True or found.lower == 0 or not strict, "separable, yet mistakes are needed")
    holds(table.separable is not False or found.upper > 0 or not same, "not separable, yet no mistakes")


def fitted(make: Callable[[Table], object], *, in_parts: bool = False) -> Callable[[Table], None]:
    """Fit, predict the rows learned from, and judge both."""

    def call(table: Table) -> None:
        rule = make(table)
        rule.fit(table.X, table.y, sample_weight=table.weights)
        judge(rule, table, rule.predict(table.X))
        if in_parts:
            rule = make(table)
            for _ in range(2):
                rule.partial_fit(table.X, table.y, classes=np.unique(table.y), sample_weight=table.weights)
            judge(rule, table, rule.predict(table.X))

    return call


def judge(rule: object, table: Table, predicted: np.ndarray) -> None:
    """Predictions are classes; a linear rule that says that it is right on every row is, and there must be one."""
    holds(np.isin(predicted, rule.classes_).all(), f"predicted {predicted.tolist()} of {rule.classes_}")
    if isinstance(rule, LINEAR) and rule.stop_reason_ is rb.Reason.SEPARATED and np.unique(table.y).size == 2:
        counted = slice(None) if table.weights is None else table.weights > 0
        holds((predicted == table.y)[counted].all(), "separated, yet some rows are wrong")
        other_rows = table.weights is not None or rule.normalize  # than those that the proof is about
        holds(table.separable is not False or other_rows, "separated what is not separable")


def constrained_proofs(table: Table) -> None:
    """Verdict, margin and fewest mistakes of rules that keep constraints: never better than without."""
    if np.unique(table.y).size > 2:
        return
    how, limit = options(table, monotonic_cst=table.signs), {"max_seconds": table.seconds}
    found = rb.separability(table.X, table.y, **how, **limit)
    holds(found.separable is not None, "undecided")
    holds(table.separable is not False or not found.separable, "separable under constraints only")
    widest = rb.margin(table.X, table.y, **threshold(table, monotonic_cst=table.signs), **limit)
    fewest = rb.optimality(table.X, table.y, **how, **limit)
    for interval in (widest, fewest):
        holds(interval.lower <= interval.upper, f"from {interval.lower} to {interval.upper}")
    holds(found.separable is not True or fewest.lower == 0, "separable, yet mistakes are needed")
    for certificate in (found.certificate, widest.certificate, fewest):
        certificate.verify(table.X, table.y)


def constrained(make: Callable[..., object], *, in_parts: bool = False) -> Callable[[Table], None]:
    """The same as `fitted`, of two classes, with weights that must have signs; and that they have them."""

    def made(table: Table) -> object:
        rule = make(table, monotonic_cst=table.signs)
        rules.append(rule)
        return rule

    rules: list[object] = []
    fit = fitted(made, in_parts=in_parts)

    def call(table: Table) -> None:
        if np.unique(table.y).size > 2 or table.signs is None:
            return
        rules.clear()
        fit(table)
        holds(all((rule.coef_[0] * table.signs >= 0).all() for rule in rules), "a weight breaks its constraint")

    return call


def stream(mode: str) -> Callable[[Table], None]:
    def call(table: Table) -> None:
        rule = rb.OnlinePerceptron(mode=mode, **options(table, classes=[0, 1]))
        rule.learn_many(table.X, table.y, sample_weight=table.weights)
        if isinstance(table.X, np.ndarray):
            for x, label in zip(table.X[:3], table.y.tolist(), strict=False):
                rule.learn_one(x.astype(float), label)
        judge(rule, table, rule.predict_many(table.X))

    return call


def decided(make: Callable[[Table], rb.DecisionRule]) -> Callable[[Table], None]:
    """Decide the rows learned from: by classes or not at all, with probabilities."""

    def call(table: Table) -> None:
        rule = make(table)
        rule.fit(table.X, table.y, sample_weight=table.weights)
        predicted, sure = rule.predict(table.X), rule.decided(table.X)
        asked = (predicted == rule.undecided) if rule.at_most else np.zeros(len(sure), bool)
        holds((np.isin(predicted, rule.classes_) | asked).all(), f"predicted {predicted.tolist()} of {rule.classes_}")
        holds((sure == ~asked).all(), f"decided {sure.tolist()}, but predicted {predicted.tolist()}")
        shares = rule.predict_proba(table.X)
        one = np.isclose(shares.sum(axis=1), 1.0) & ((shares >= 0.0) & (shares <= 1.0)).all(axis=1)
        holds(one.all(), f"probabilities {shares.tolist()}")

    return call


def costs(table: Table) -> dict[int, float] | None:
    """What mistakes cost; with several classes there is no cut-off to move."""
    labels = np.unique(table.y).tolist()
    return {labels[1]: 5.0} if len(labels) == 2 else None


def options(table: Table, **more: object) -> dict:
    return {"fit_intercept": table.fit_intercept, "ties": table.ties} | more


def threshold(table: Table, **more: object) -> dict:
    return {"fit_intercept": table.fit_intercept} | more  # of a rule whose ties are always mistakes


CONSTRAINED = {
    "perceptron": constrained(lambda t, **c: rb.Perceptron(**options(t, max_passes=50, **c)), in_parts=True),
    "pocket": constrained(
        lambda t, **c: rb.PocketPerceptron(**options(t, max_updates=30, patience=3, random_state=0, **c))
    ),
    "averaged": constrained(lambda t, **c: rb.AveragedPerceptron(**options(t, **c)), in_parts=True),
    "with margin": constrained(lambda t, **c: rb.MarginPerceptron(**threshold(t, max_passes=30, **c)), in_parts=True),
    "passive-aggressive": constrained(
        lambda t, **c: rb.PassiveAggressive(**threshold(t, random_state=0, **c)), in_parts=True
    ),
    "soft margin": constrained(lambda t, **c: rb.SoftMarginPerceptron(**threshold(t, **c))),
    "chosen": constrained(lambda t, **c: rb.PerceptronCV(fit_intercept=t.fit_intercept, cv=3, **c)),
}  # fmt: skip
CALLS: dict[str, Callable[[Table], None]] = {
    "separability": verdict,
    "margin": largest_margin(False),
    "affine margin": largest_margin(True),
    "optimality": fewest_mistakes,
    **{
        order: fitted(lambda t, order=order: rb.Perceptron(**options(t, order=order, max_passes=30, random_state=0)))
        for order in ORDERS[1:]
    },
    "active": fitted(lambda t: rb.Perceptron(**options(t, max_passes=100)), in_parts=True),
    "unit rows": fitted(lambda t: rb.Perceptron(**options(t, normalize=True, max_passes=30))),
    "pocket": fitted(lambda t: rb.PocketPerceptron(**options(t, max_updates=30, patience=3, random_state=0))),
    "pocket with margin": fitted(
        lambda t: rb.PocketPerceptron(
            **options(t, max_updates=30, patience=3, margin=0.1, multi_class="one-vs-rest", random_state=0)
        )
    ),
    "lifted": fitted(lambda t: rb.LiftedPerceptron(**threshold(t, max_passes=30))),
    "soft margin": fitted(lambda t: rb.SoftMarginPerceptron(**threshold(t))),
    "chosen": fitted(lambda t: rb.PerceptronCV(fit_intercept=t.fit_intercept, cv=3)),
    "averaged": fitted(lambda t: rb.AveragedPerceptron(**options(t)), in_parts=True),
    "voted": fitted(lambda t: rb.VotedPerceptron(**options(t, max_passes=4)), in_parts=True),
    "with margin": fitted(lambda t: rb.MarginPerceptron(**threshold(t, max_passes=30))),
    "passive-aggressive": fitted(lambda t: rb.PassiveAggressive(**threshold(t, random_state=0)), in_parts=True),
    "second order": fitted(lambda t: rb.SecondOrderPerceptron(**options(t, max_passes=20)), in_parts=True),
    "rbf": fitted(lambda t: rb.KernelPerceptron(max_passes=20), in_parts=True),
    "polynomial": fitted(lambda t: rb.KernelPerceptron(kernel="poly", budget=3, max_passes=20, random_state=0)),
    "tree": fitted(lambda t: rb.PerceptronTree(random_state=0)),
    "tree of perceptrons": fitted(
        lambda t: rb.PerceptronTree(test="perceptron", leaves="perceptron", criterion="gain ratio", prune=None)
    ),
    "decided by cost": decided(lambda t: rb.DecisionRule(rb.AveragedPerceptron(**options(t)), cv=2, cost=costs(t))),
    "decided if sure": decided(
        lambda t: rb.DecisionRule(
            rb.PerceptronTree(prune=None, random_state=0),
            method="venn-abers", at_most=0.4, confidence=0.5, undecided=-1, cv=2, validation_fraction=0.5,
        )
    ),
    "constrained proofs": constrained_proofs,
    **{f"constrained {name}": call for name, call in CONSTRAINED.items()},
    "stream": stream("perceptron"),
    "averaged stream": stream("averaged"),
}  # fmt: skip

VARIANTS = (
    ("cyclic", "random", "random-mistake", "worst", "unit rows"), ("pocket", "pocket with margin"),
    ("rbf", "polynomial"), ("tree", "tree of perceptrons"), ("decided by cost", "decided if sure"),
    ("stream", "averaged stream"), tuple(f"constrained {name}" for name in CONSTRAINED),
)  # fmt: skip


def in_turn(number: int) -> list[str]:
    """The calls for this table that go through every proof and every estimator once: its variants take turns."""
    others = {name for names in VARIANTS for k, name in enumerate(names) if k != number % len(names)}
    return [name for name in CALLS if name not in others]
