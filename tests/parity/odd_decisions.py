"""Decisions as no one would make them: cut-offs and edges at scores exactly, or beside them; zeros of either sign."""

import numpy as np

from rosenblatt.judge.calibration import ByLead, OneVsRest, Steps, VennAbers, ahead
from rosenblatt.judge.decision import UNDECIDED, Decision, leads
from rosenblatt.judge.ladder import Rung
from rosenblatt.ship.export.decided import Tables

LARGEST = np.finfo(np.float64).max


def decision_for(scores, rng, several):
    """Cut-offs, probabilities, or both, for such scores."""
    kind = rng.integers(3)  # both twice as often
    rung = None if kind == 0 else _rung(leads(scores) if several else scores[:, 0], rng, several)
    if kind == 1 and rng.random() < 0.5:
        return Decision(rung)
    if several and rng.random() < 0.5:
        return Decision(rung, ByLead(tuple(_table(column, rng) for column in ahead(scores).T)))
    tables = [_table(column, rng) for column in scores.T]
    return Decision(rung, OneVsRest(tuple(tables)) if several else tables[0])


def _near(scores, rng, many):
    """Some of the scores, their neighbours, and numbers of any size."""
    at = rng.choice(scores, many)
    beside = np.nextafter(at, rng.choice([-np.inf, np.inf], many))
    others = rng.normal(size=many) * 10.0 ** rng.integers(-300, 300, many)
    zeros = rng.choice([0.0, -0.0], many)
    found = np.choose(rng.choice(4, many, p=[0.5, 0.2, 0.2, 0.1]), [at, beside, others, zeros])
    return np.clip(found, -LARGEST, LARGEST)


def _rung(scores, rng, several):
    low, high = sorted(_near(scores, rng, 2).tolist())
    if several:
        return Rung(None, None if rng.random() < 0.1 else high)
    low, high = (low, low) if rng.random() < 0.2 else (low, high)
    gone = rng.random()
    return Rung(None if gone < 0.15 else low, None if 0.1 < gone < 0.25 else high)


def _table(scores, rng):
    edges = np.unique(_near(scores, rng, int(rng.choice([0, 1, 2, 5, 40]))))
    values = [np.sort(_values(edges.size + 1, rng)) for _ in range(2)]
    if rng.random() < 0.5:
        return Steps(tuple(edges.tolist()), tuple(values[0].tolist()))
    low, high = np.minimum(*values), np.maximum(*values)
    return VennAbers(tuple(edges.tolist()), tuple(low.tolist()), tuple(high.tolist()))


def _values(many, rng):
    """Probabilities, some of them equal; those that are not 0 are no smaller than any real table's."""
    return rng.choice([0.0, -0.0, 1.0, 1 / 3, 1e-12, *rng.random(many)], many)


def decided(rule, labels, scores):
    """What must come out: labels, scores and probabilities, by the decision itself."""
    classes, several = rule.encoding.target.classes, len(rule.encoding.target.classes) > 2
    given = scores if several else scores[:, 0]
    codes = rule.decision.codes(given, np.array([classes.index(label) for label in labels]))
    found = rule.decision.probability
    chances = []
    if found is not None:
        chances = [rule.decision.probabilities(given).reshape(len(labels), -1)]
    if len(Tables.of(rule.decision).named) > 1:
        chances = [np.column_stack([*chances, *found.interval(given)])]
    return ["ask a person" if code == UNDECIDED else classes[code] for code in codes], scores, *chances
