"""A decision in ONNX: labels by cut-offs, and probabilities looked up in tables of scores.

A table is searched by halving, all rows at once: a step for every power of two, each a comparison with one edge for
every row. Comparisons are exact, so the place is that of every other engine.
"""

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.judge.calibration import Steps
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.ship.export.decided import PROBABILITY, Tables

if TYPE_CHECKING:
    from rosenblatt.ship.export.onnx import Graph

INT64 = 7  # the number of this type in TensorProto
MEANINGS = {"probability": "of {1}", "probability_from": "of {1}, at least", "probability_to": "of {1}, at most"}


def place_of_label(graph: "Graph", scores: str, classes: int, by_itself: str, decision: Decision) -> str:
    """The place of the label: classes come first, then asking a person; `by_itself` is the rule's own place."""
    rung = decision.rung
    if rung is None:
        return by_itself
    ask = graph.constant(classes)
    if classes == 2:
        low, high = (-np.inf if rung.lower is None else rung.lower), (np.inf if rung.upper is None else rung.upper)
        no = graph.node("Where", [graph.node("Less", [scores, graph.constant(low)]), graph.constant(0), ask])
        yes = graph.node("GreaterOrEqual", [scores, graph.constant(high)])
        return graph.node("Where", [yes, graph.constant(1), no])
    two, _ = graph.nodes_of("TopK", [scores, graph.constant([2])], 2, axis=1)
    first, second = (graph.node("Gather", [two, graph.constant(k)], axis=1) for k in (0, 1))
    lead = graph.node("Sub", [first, second])
    clear = graph.node("GreaterOrEqual", [lead, graph.constant(np.inf if rung.upper is None else rung.upper)])
    return graph.node("Where", [clear, by_itself, ask])


def labels_of(classes: tuple[str, ...], decision: Decision) -> list[str]:
    """The label of each place."""
    return [*classes, *([] if decision.rung is None else [ASK_A_PERSON])]


def add_probabilities(graph: "Graph", scores: str, classes: tuple[str, ...], decision: Decision) -> None:
    """The outputs of the probabilities, if there are any."""
    tables = Tables.of(decision)
    for name, steps in tables.named:
        graph.output(name, _at(graph, steps, scores), "DOUBLE", ["rows"], MEANINGS[name].format(*classes))
    if not tables.of_classes:
        return
    each = [graph.node("Gather", [scores, graph.constant(k)], axis=1) for k in range(len(tables.of_classes))]
    if tables.by_lead:
        highest = [graph.node("Max", [other for other in each if other != one]) for one in each]
        each = [graph.node("Sub", pair) for pair in map(list, zip(each, highest, strict=True))]
    alone = [_at(graph, steps, one) for steps, one in zip(tables.of_classes, each, strict=True)]
    total = alone[0]
    for one in alone[1:]:  # one after the other, because the order of a sum is the engine's own
        total = graph.node("Add", [total, one])
    some = graph.node("Greater", [total, graph.constant(0.0)])
    safe = graph.node("Where", [some, total, graph.constant(1.0)])
    even = graph.constant(1 / len(alone))
    last = graph.constant([1])
    columns = [
        graph.node("Unsqueeze", [graph.node("Where", [some, graph.node("Div", [one, safe]), even]), last])
        for one in alone
    ]
    shares = graph.node("Concat", columns, axis=1)
    graph.output(PROBABILITY, shares, "DOUBLE", ["rows", len(alone)], "of each class, in their order")


def _at(graph: "Graph", steps: Steps, scores: str) -> str:
    """The values of a table at the scores, one for each row."""
    halvings = len(steps.edges).bit_length()
    edges = graph.constant([*steps.edges, *[np.inf] * (2**halvings - 1 - len(steps.edges))] or [np.inf])
    place = graph.node("Cast", [graph.node("IsNaN", [scores])], to=INT64)  # 0: no score is NaN
    for step in (2**k for k in reversed(range(halvings))):
        edge = graph.node("Gather", [edges, graph.node("Add", [place, graph.constant(step - 1)])])
        beyond = graph.node("Cast", [graph.node("GreaterOrEqual", [scores, edge])], to=INT64)
        place = graph.node("Add", [place, graph.node("Mul", [beyond, graph.constant(step)])])
    return graph.node("Gather", [graph.constant(list(steps.values)), place])
