"""A decision in PMML: labels by cut-offs, and probabilities by the intervals that a score may lie in."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement

from rosenblatt.judge.calibration import Steps
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.ship.export.decided import PROBABILITY, Tables
from rosenblatt.ship.export.pmml_elements import NUMBER, apply, constant, derive, field

Leaf = tuple[str, dict[str, str] | None]  # a label, and the test for its rows; None for the last: all other rows


def leaves_of(decision: Decision, classes: Sequence[str], score: str) -> list[Leaf]:
    """The labels by the cut-offs of the only score."""
    rung = decision.rung
    assert rung is not None
    ends = ((classes[1], "greaterOrEqual", rung.upper), (classes[0], "lessThan", rung.lower))
    tests: list[Leaf] = [
        (label, {"field": score, "operator": sign, "value": repr(end)}) for label, sign, end in ends if end is not None
    ]
    return [*tests, (ASK_A_PERSON, None)] if decision.asks else [tests[0], (classes[0], None)]


def far_ahead(decision: Decision, scores: Sequence[str], best: Element) -> Element:
    """The place of the label: `best`, or one past the classes if no score is far enough ahead of the others."""
    ask = constant(float(len(scores)))
    if decision.rung is None or (decision.rung.upper is not None and decision.rung.upper <= 0):
        return best
    if decision.rung.upper is None:
        return ask
    found = ask
    for k, score in enumerate(scores):
        leads = [apply("-", field(score), field(other)) for other in scores if other != score]
        tests = [apply("greaterOrEqual", lead, constant(decision.rung.upper)) for lead in leads]
        found = apply("if", apply("and", *tests), constant(float(k)), found)
    return found


def probabilities(derived: Element, decision: Decision, sums: Sequence[str], own: str) -> Iterator[tuple[str, str]]:
    """Derived fields for the probabilities: for each, the name of its output, and of the field."""
    tables = Tables.of(decision)
    for name, steps in tables.named:
        yield f"{own}{name}", _at(derived, f"{own}sum_{name}", steps, sums[0])
    if not tables.of_classes:
        return
    asked = _leads(derived, sums, own) if tables.by_lead else sums
    alone = [_at(derived, f"{own}sum_alone_{k + 1}", steps, asked[k]) for k, steps in enumerate(tables.of_classes)]
    total, whole = field(alone[0]), f"{own}sum_of_all"
    for each in alone[1:]:
        total = apply("+", total, field(each))
    derive(derived, whole, total)
    for k, each in enumerate(alone):
        share = apply("/", field(each), field(whole))
        some = apply("greaterThan", field(whole), constant(0.0))
        name = f"{own}sum_{PROBABILITY}_{k + 1}"
        derive(derived, name, apply("if", some, share, constant(1 / len(alone))))
        yield f"{own}{PROBABILITY}_{k + 1}", name


def _leads(derived: Element, sums: Sequence[str], own: str) -> list[str]:
    """Derived fields for how far each score is ahead of the highest other."""
    names = [f"{own}sum_lead_{k + 1}" for k in range(len(sums))]
    for name, score in zip(names, sums, strict=True):
        highest = apply("max", *(field(other) for other in sums if other != score))
        derive(derived, name, apply("-", field(score), highest))
    return names


def _at(derived: Element, name: str, steps: Steps, score: str) -> str:
    """A derived field with the value of a table at a score; returns its name."""
    if not steps.edges:
        derive(derived, name, constant(steps.values[0]))
        return name
    table = Element("Discretize", {"field": score})
    ends = [None, *map(repr, steps.edges), None]
    for value, low, high in zip(steps.values, ends[:-1], ends[1:], strict=True):
        sides = {"leftMargin": low, "rightMargin": high}
        kind = "openOpen" if low is None else "closedOpen"
        part = SubElement(table, "DiscretizeBin", {"binValue": repr(value)})
        SubElement(part, "Interval", {"closure": kind, **{side: end for side, end in sides.items() if end is not None}})
    derive(derived, name, table, NUMBER)
    return name
