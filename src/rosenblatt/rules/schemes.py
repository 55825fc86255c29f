"""More than two classes: how they are split into rules, and how the rules' scores choose one.

joint         a score for each class, learned at once, so that the largest is that of the right class
one-vs-rest   a rule for each class against the rest; the largest score chooses
one-vs-one    a rule for each pair of classes; they vote
"""

from typing import Any

import numpy as np

from rosenblatt.rows.examples import Examples
from rosenblatt.rows.kernels import Array, Rows
from rosenblatt.rows.kesler import JointExamples

JOINT, ONE_VS_REST, ONE_VS_ONE = SCHEMES = ("joint", "one-vs-rest", "one-vs-one")


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """The pairs of classes, in order: the rules of one-vs-one."""
    return [(low, high) for high in range(classes) for low in range(high)]


def rules_of(classes: int, scheme: str | None) -> int:
    """How many rows of weights there are; None is the scheme of two classes."""
    return 1 if scheme is None else len(pairs_of(classes)) if scheme == ONE_VS_ONE else classes


def examples_of_rules(rows: Rows, y: Array, classes: Array, weights: Array, scheme: str) -> list[Examples]:
    """The examples of each rule: second class against first; all classes; each against the rest or another."""
    if classes.size > 2 and scheme == JOINT:
        return [JointExamples(rows, np.searchsorted(classes, y).astype(np.int64), weights, tuple(classes))]
    if classes.size > 2 and scheme == ONE_VS_ONE:
        return [_duel(rows, y, weights, classes[low], classes[high]) for low, high in pairs_of(classes.size)]
    pairs = [(classes[0], classes[1])] if classes.size == 2 else [(f"not {label}", label) for label in classes]
    return [Examples(rows, 2 * (y == yes).astype(np.int8) - 1, weights, (no, yes)) for no, yes in pairs]


def _duel(rows: Rows, y: Array, weights: Array, no: Any, yes: Any) -> Examples:
    """The examples of two classes of several: the rows of all others have the weight 0."""
    counts = ((y == no) | (y == yes)).astype(np.float64)
    return Examples(rows, 2 * (y == yes).astype(np.int8) - 1, counts * weights if weights.size else counts, (no, yes))


def votes(scores: list[Array], classes: int, zero_is_yes: bool) -> Array:
    """How many one-vs-one rules say each class, and a part of one for those won among classes with as many."""
    wins = np.zeros((scores[0].size, classes, classes), bool)
    for (low, high), score in zip(pairs_of(classes), scores, strict=True):
        wins[:, high, low] = score >= 0 if zero_is_yes else score > 0
        wins[:, low, high] = ~wins[:, high, low]
    count = wins.sum(axis=2)
    even = count[:, :, np.newaxis] == count[:, np.newaxis, :]
    return count + (wins & even).sum(axis=2) / classes  # type: ignore[no-any-return]


def names_of_rules(scheme: str | None, classes: tuple[str, ...]) -> list[str]:
    """Which classes each rule tells apart, as the beginning of a sentence; nothing where there is one rule."""
    if scheme == ONE_VS_REST:
        return [f"{label} against the rest: " for label in classes]
    if scheme == ONE_VS_ONE:
        return [f"{classes[yes]} against {classes[no]}: " for no, yes in pairs_of(len(classes))]
    return [""]


def one_or_all(each: list[Any]) -> Any:
    """What belongs to each rule: itself if there is one rule, else the list."""
    return each[0] if len(each) == 1 else each


def as_list(each: Any) -> list[Any]:
    """What belongs to each rule, from what `one_or_all` made of it."""
    return each if isinstance(each, list) else [each]
