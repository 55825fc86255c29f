"""A decision in a Python module: labels by cut-offs, and probabilities looked up in tables of scores."""

from rosenblatt.judge.calibration import Steps
from rosenblatt.judge.decision import ASK_A_PERSON, Decision
from rosenblatt.ship.export.decided import Tables

BY_CUT_OFFS = '''
def predict(row):
    """The label by the cut-offs of the score: yes from the upper one on, no below the lower one, else a person."""
    result = score(row)
    return CLASSES[1] if result >= UPPER else CLASSES[0] if result < LOWER else ASK
'''
BY_LEAD = '''
def predict(row):
    """The first class with the largest score, if that is far enough ahead of every other; else a person."""
    result = score(row)
    best = max(result, key=result.get)
    ahead = min(result[best] - other for label, other in result.items() if label != best)
    return best if ahead >= AHEAD else ASK
'''
CHANCES = '''
def probability(row):
    """The probability of yes."""
    return _at(score(row), CHANCES)


def _at(x, table):
    """The value at the last edge that is not above x."""
    return table["values"][bisect.bisect_right(table["edges"], x)]
'''
ENDS = '''
def interval(row):
    """The lower and the upper probability of yes."""
    x = score(row)
    return _at(x, LOWEST), _at(x, HIGHEST)
'''
SHARES = '''
def probability(row):
    """The probability of each class: that against the rest, divided by the sum of all."""
    result = score(row)
    alone = {label: _at(result[label], table) for label, table in zip(CLASSES, CHANCES)}
    total = 0.0
    for p in alone.values():  # in order: sum() is more exact in some versions than in others
        total += p
    return {label: p / total if total > 0 else 1 / len(CLASSES) for label, p in alone.items()}


def _at(x, table):
    """The value at the last edge that is not above x."""
    return table["values"][bisect.bisect_right(table["edges"], x)]
'''
LEADS = '''
def _ahead(result):
    """How far the score of each class is ahead of the highest other."""
    return {label: x - max(y for other, y in result.items() if other != label) for label, x in result.items()}
'''
ABOUT_CHANCES = '    probability({"a column": its value, ...})    how likely yes is; with several classes, each\n'
ABOUT_ENDS = '    interval({"a column": its value, ...})    between which two probabilities\n'


def constants_of(decision: Decision, classes: int) -> list[str]:
    """The cut-offs and the tables, as lines of a module."""
    lines, rung, tables = [], decision.rung, Tables.of(decision)
    if rung is not None:
        ends = [f"LOWER = {_end(rung.lower, '-')}", f"UPPER = {_end(rung.upper, '')}"]
        lines += ends if classes == 2 else [f"AHEAD = {_end(rung.upper, '')}"]
        lines.append(f"ASK = {ASK_A_PERSON!r}")
    names = ("CHANCES", "LOWEST", "HIGHEST")
    lines += [f"{name} = {_written(steps)}" for name, (_, steps) in zip(names, tables.named, strict=False)]
    if tables.of_classes:
        lines.append(f"CHANCES = [{', '.join(map(_written, tables.of_classes))}]")
    return lines


def code_of(decision: Decision, classes: int, by_itself: str) -> str:
    """How a module labels a row, and its probabilities; `by_itself` is how the rule labels it alone."""
    tables = Tables.of(decision)
    parts = [by_itself if decision.rung is None else BY_CUT_OFFS if classes == 2 else BY_LEAD]
    parts += [CHANCES] if tables.named else [SHARES] if tables.of_classes else []
    if tables.by_lead:
        parts[-1:] = [SHARES.replace("= score(row)", "= _ahead(score(row))"), LEADS]
    parts += [ENDS] if len(tables.named) > 1 else []
    return "\n".join(parts)


def about(decision: Decision) -> str:
    """The lines of a module's docstring on what its decision adds."""
    tables = Tables.of(decision)
    return (ABOUT_CHANCES if tables else "") + (ABOUT_ENDS if len(tables.named) > 1 else "")


def _end(cut_off: float | None, sign: str) -> str:
    return f"{sign}math.inf" if cut_off is None else repr(cut_off)


def _written(steps: Steps) -> str:
    return f'{{"edges": {list(steps.edges)!r}, "values": {list(steps.values)!r}}}'
