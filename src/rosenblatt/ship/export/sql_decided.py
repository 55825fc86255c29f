"""A decision in SQL: labels by cut-offs, and probabilities by comparing scores with the edges of tables.

A long table is a CASE of CASEs, each for a part of the edges, because engines compare from the top. Without a score
there is neither a label nor a probability.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt
from typing import Any

from rosenblatt.judge.calibration import Steps
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.ship.export.decided import BY_ITSELF, PROBABILITY, Tables
from rosenblatt.ship.export.sql_cells import number, text

ALL_ROWS = "LIMIT 9223372036854775807 OFFSET 0"  # keeps planners from copying an expression to where its name is used
AGAINST_REST = "against_rest"  # the probability of a class against all others
LEAD = "lead"  # how far the score of a class is ahead of the highest other
AT_ONCE = 16  # edges that are compared in turn

Label = Callable[[Sequence[str]], str]  # from the names of the scores


def often_used(scores: Sequence[Any], decision: Decision) -> str:
    """The end of a query on rows whose scores are used more than once, if they are."""
    return f" {ALL_ROWS}" if len(scores) > 1 or decision != BY_ITSELF else ""


def query(
    rows: str, scores: Sequence[str], by_itself: Label, decision: Decision, classes: Sequence[str], own: str
) -> str:
    """A query on scored rows, with labels and probabilities; `by_itself` is the rule's own label."""
    each, tables = [f"s.{name}" for name in scores], Tables.of(decision)
    made, asked = [f"{label_of(classes, by_itself, decision)(each)} AS {own}label"], each
    if tables.by_lead:
        named = [f"{own}{LEAD}_{k + 1}" for k in range(len(each))]
        made += [
            f"{score} - {_highest([other for other in each if other != score])} AS {name}"
            for name, score in zip(named, each, strict=True)
        ]
        rows = f"SELECT s.*,\n{_listed(made)}\nFROM ({rows}) AS s {ALL_ROWS}"
        made, asked = [], [f"s.{name}" for name in named]
    made += [f"{of_steps(steps, each[0])} AS {own}{name}" for name, steps in tables.named]
    alone = [f"{own}{AGAINST_REST}_{k + 1}" for k in range(len(tables.of_classes))]
    made += [f"{of_steps(steps, asked[k])} AS {alone[k]}" for k, steps in enumerate(tables.of_classes)]
    found = f"SELECT s.*,\n{_listed(made)}\nFROM ({rows}) AS s"
    if not alone:
        return found
    total = " + ".join(f"p.{name}" for name in alone)
    shares = [
        f"CASE WHEN {total} > 0 THEN p.{name} / ({total}) WHEN {total} = 0 THEN {number(1 / len(alone))} END"
        f" AS {own}{PROBABILITY}_{k + 1}"
        for k, name in enumerate(alone)
    ]
    return f"SELECT p.*,\n{_listed(shares)}\nFROM ({found} {ALL_ROWS}) AS p"


def _listed(columns: Sequence[str]) -> str:
    """Columns, each in lines of its own."""
    return ",\n".join(columns)


def _highest(scores: Sequence[str]) -> str:
    """The highest of some scores."""
    *others, last = scores
    cases = [
        f"WHEN {' AND '.join(f'{score} >= {later}' for later in scores[k + 1 :])} THEN {score}"
        for k, score in enumerate(others)
    ]
    return f"CASE {_in_lines(cases)} ELSE {last} END"


def label_of(classes: Sequence[str], by_itself: Label, decision: Decision) -> Label:
    """The label by the cut-offs, if there are any."""
    return by_itself if decision.rung is None else partial(_by_cut_offs, classes, by_itself, decision)


def _by_cut_offs(classes: Sequence[str], by_itself: Label, decision: Decision, scores: Sequence[str]) -> str:
    """The label by the cut-offs of the score, or of how far the highest score is ahead."""
    rung, ask = decision.rung, text(ASK_A_PERSON)
    assert rung is not None
    if len(scores) == 1:
        yes = "" if rung.upper is None else f" WHEN {scores[0]} >= {number(rung.upper)} THEN {text(classes[1])}"
        no = "" if rung.lower is None else f" WHEN {scores[0]} < {number(rung.lower)} THEN {text(classes[0])}"
        person = f" WHEN {scores[0]} IS NOT NULL THEN {ask}" if decision.asks else ""
        return f"CASE{yes}{no}{person} END"
    someone = f"WHEN {' + '.join(scores)} IS NOT NULL THEN"
    if rung.upper is None:
        return f"CASE {someone} {ask} END"
    if rung.upper <= 0:  # no lead is below 0
        return by_itself(scores)
    cases = "".join(
        f" WHEN {_ahead(scores, k, number(rung.upper))} THEN {text(label)}" for k, label in enumerate(classes)
    )
    return f"CASE{cases} {someone} {ask} END"


def _ahead(scores: Sequence[str], k: int, by: str) -> str:
    """The test whether a score is ahead of every other one by a given lead."""
    return " AND ".join(f"{scores[k]} - {other} >= {by}" for other in scores if other != scores[k])


def of_steps(steps: Steps, score: str) -> str:
    """The value of a table at a score."""
    values = [number(value) for value in steps.values]
    size = max(AT_ONCE, isqrt(len(values)))
    parts = []
    for begin in range(0, len(values), size):
        cases = [
            f"WHEN {score} < {number(edge)} THEN {value}"
            for edge, value in zip(steps.edges[begin : begin + size - 1], values[begin:], strict=False)
        ]
        last = values[min(begin + size, len(values)) - 1]
        parts.append(f"CASE {_in_lines(cases)} ELSE {last} END" if cases else last)
    ends = [f"WHEN {score} < {number(edge)} THEN" for edge in steps.edges[size - 1 :: size]]
    ends = [*ends[: len(parts) - 1], f"WHEN {score} IS NOT NULL THEN"]
    whole = "\n".join(f"{end} {part}" for end, part in zip(ends, parts, strict=True))
    return f"CAST(CASE {whole} END AS DOUBLE PRECISION)"


def _in_lines(cases: Sequence[str], width: int = 3) -> str:
    """A few cases in each line."""
    return "\n ".join(" ".join(cases[k : k + width]) for k in range(0, len(cases), width))
