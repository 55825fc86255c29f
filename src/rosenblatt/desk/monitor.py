"""Compares a new table with the rows that a model was learned from, by the counts in its profile."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.desk.profile import Counted, codes_and_scores, counted, edges_of_table, profiled_columns
from rosenblatt.errors import ModelError
from rosenblatt.judge import drift
from rosenblatt.judge.decision import ASK_A_PERSON
from rosenblatt.judge.monitor import CHANCE, Change, ErrorChange, Monitoring, Rate, adjusted
from rosenblatt.judge.profile import Counts, Profile
from rosenblatt.read.encode.census import ABSENT, UNKNOWN, WINDOW, names_of_bins, names_of_cells, numbers_of
from rosenblatt.read.table import Table
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain.card_parts import number_text
from rosenblatt.ship.file.modelfile import Model

MOVED = 0.05  # if this share of rows has crossed the old median, the change is described by medians
LONGEST = 40  # letters of an example
SCORE, DECISIONS = "score", "decisions"


def monitored(model: Model, table: Table, old: Table | None = None) -> Monitoring:
    """How a new table differs from the old rows: those of the model's profile, or those of another table."""
    profile, comparable = _before(model, old)
    edges = [each.edges for each in profile.columns]
    found = counted(model, table, edges, profile.scores.edges)
    changes = [*_columns(model, profile, found), _score(model, profile, found), _decisions(model, profile, found)]
    tested = len(changes) if comparable else len(changes) - 2
    changes = [*adjusted(changes[:tested]), *adjusted(changes[tested:])]
    columns, (score, decisions) = changes[:-2], changes[-2:]
    return Monitoring(
        profile.rows,
        found.profile.rows,
        tuple(sorted(columns, key=lambda each: (not each.changed, -each.drift.index))),
        len(model.table_encoding.used) - len(columns),
        score,
        decisions,
        _rates(decisions),
        comparable,
        _error(model, found),
    )


def _before(model: Model, old: Table | None) -> tuple[Profile, bool]:
    """The profile of the old rows, and whether its scores can be compared with those of new rows."""
    if old is not None:
        return counted(model, old, *edges_of_table(model, old)).profile, True
    if model.profile is None:
        raise ModelError(
            "the model has no profile of the rows it was learned from; name a table of those rows with --old"
        )
    return model.profile, model.profile.scores.held_out


def _columns(model: Model, profile: Profile, found: Counted) -> list[Change]:
    """The changes of the columns."""
    columns, made = profiled_columns(model.table_encoding), []
    numbers = numbers_of(columns, found.sample) if isinstance(found.sample, pl.DataFrame) else {}
    for column, before, after in zip(columns, profile.columns, found.profile.columns, strict=True):
        number = partial(number_text, column.kind)
        cells = tuple(names_of_cells(column, before.edges, number))
        change = _change(column.name, column.kind, cells, before.counts, after.counts, bool(before.edges))
        unseen = after.counts[UNKNOWN] / found.profile.rows
        change = replace(change, drift=replace(change.drift, unseen=unseen))
        example = found.unseen.examples.get(column.name)
        words = _in_words(change, before.edges, numbers.get(column.name), number, example)
        made.append(replace(change, statement=words))
    return made


def _change(name: str, kind: str, cells: tuple[str, ...], old: Counts, new: Counts, quantiles: bool) -> Change:
    return Change(name, kind, cells, old, new, drift.of_counts(old, new, quantiles=quantiles))


def _in_words(
    change: Change, edges: Sequence[float], numbers: Array | None, number: Callable[[Any], str], example: str | None
) -> str:
    """The difference in words: the old and the new median, or the shares of the cell that changed most."""
    k, unknown = change.foremost, len(change.cells) + UNKNOWN
    if 2 * change.part(unknown) >= change.part(k) and change.shares(unknown)[1] > change.shares(unknown)[0]:
        k = unknown  # a value that is now spelled differently moves its rows to this cell
    old, new = change.shares(k)
    shares = f"{new:.1%} now, {old:.1%} before"
    if k == unknown:
        return f"{change.cells[k]}{f', such as {_cut(example)!r}' if example else ''}: {shares}"
    moved = _median_moved(change, edges, numbers, number) if numbers is not None and k < unknown else ""
    return moved or f"{_cut(change.cells[k])}: {shares}"


def _median_moved(change: Change, edges: Sequence[float], numbers: Array, number: Callable[[Any], str]) -> str:
    """The old and the new median, if enough rows have crossed the old one."""
    own = slice(0, len(edges) + 1)
    sums = [np.cumsum(each[own]) / max(sum(each[own]), 1) for each in (change.old, change.new)]
    there = np.sort(numbers[np.isfinite(numbers)])
    middle = int(np.searchsorted(sums[0], 0.5 - 1 / WINDOW))
    if middle >= len(edges) or not there.size or abs(sums[1][middle] - sums[0][middle]) < MOVED:
        return ""
    now, then = float(there[(there.size - 1) // 2]), edges[middle]
    if (now < then) != (sums[1][middle] > sums[0][middle]) or number(now) == number(then):
        return ""
    ways = ("earlier", "later") if change.kind == "date" else ("lower", "higher")
    return f"{ways[now > then]}: the median was about {number(then)} and is now {number(now)}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _score(model: Model, profile: Profile, found: Counted) -> Change:
    """The change of the scores."""
    edges, number = profile.scores.edges, partial(number_text, SCORE)
    cells = tuple(names_of_bins([number(edge) for edge in edges]))
    change = _change(SCORE, SCORE, cells, profile.scores.counts, found.profile.scores.counts, True)
    _, scores = codes_and_scores(model, model.seen(model.table_encoding, found.sample))
    old, new = change.shares(change.foremost)
    moved = _median_moved(change, edges, scores, number)
    return replace(change, statement=moved or f"{cells[change.foremost]}: {new:.1%} now, {old:.1%} before")


def _decisions(model: Model, profile: Profile, found: Counted) -> Change:
    """The change of the decisions."""
    cells = (*model.table_encoding.target.classes, ASK_A_PERSON)
    return _change(DECISIONS, DECISIONS, cells, profile.scores.decisions, found.profile.scores.decisions, False)


def _rates(decisions: Change) -> tuple[Rate, ...]:
    """How often each label is given; with two classes, only the yes. All intervals hold together."""
    two, there = len(decisions.cells) == 3, [old + new for old, new in zip(decisions.old, decisions.new, strict=True)]
    labels = [k for k in range(len(there)) if (k == 1 if two and k < 2 else there[k])]
    old, new = decisions.drift.old_rows, decisions.drift.new_rows
    confidence = 1 - CHANCE / len(labels)
    return tuple(
        Rate(decisions.cells[k], drift.of_decisions(decisions.old[k], old, decisions.new[k], new, confidence))
        for k in labels
    )


def _error(model: Model, found: Counted) -> ErrorChange | None:
    """The error on new rows, compared with the one reported when the rule was learned, if both are known."""
    then = (model.held_out or {}).get("error")
    if not isinstance(then, dict) or not {"mistakes", "rows"} <= set(then) or not found.decided:
        return None
    return ErrorChange.of(then["mistakes"], then["rows"], found.mistakes, found.decided)


def as_record(found: Monitoring) -> dict[str, Any]:
    """The comparison as plain lists, numbers and texts."""
    return {
        "verdict": found.verdict,
        "changed": found.changed,
        "old_rows": found.old_rows,
        "new_rows": found.new_rows,
        "columns": [_column_record(each) for each in found.columns],
        "columns_without_profile": found.more,
        "score": {**_change_record(found.score), "changed": found.score_changed},
        "decisions": {**_change_record(found.decisions), "changed": found.decisions_changed},
        "comparable": found.comparable,
        "rates": [_rate_record(each) for each in found.rates],
        "error": None if found.error is None else _error_record(found.error),
    }


def _change_record(change: Change) -> dict[str, Any]:
    each = zip(change.cells, change.old, change.new, strict=True)
    return {
        "changed": change.changed,
        "index": change.drift.index,
        "p_value": change.drift.p_value,
        "adjusted": change.adjusted,
        "test": change.drift.test,
        "statement": change.statement,
        "cells": [{"cell": cell, "old": old, "new": new} for cell, old, new in each],
    }


def _column_record(change: Change) -> dict[str, Any]:
    unknown, missing = (change.shares(len(change.cells) + cell) for cell in (UNKNOWN, ABSENT))
    shares = {"unknown": unknown[1], "unknown_before": unknown[0], "missing": missing[1], "missing_before": missing[0]}
    return {"column": change.name, "kind": change.kind, **shares, **_change_record(change)}


def _interval(old: float, new: float, change: drift.RateChange) -> dict[str, Any]:
    return {
        "rate": new,
        "lower": change.new_interval[0],
        "upper": change.new_interval[1],
        "before": old,
        "before_lower": change.old_interval[0],
        "before_upper": change.old_interval[1],
        "confidence": change.confidence,
    }


def _rate_record(rate: Rate) -> dict[str, Any]:
    shares = _interval(rate.change.old, rate.change.new, rate.change)
    return {"label": rate.label, "changed": rate.much, "statement": rate.statement, **shares}


def _error_record(error: ErrorChange) -> dict[str, Any]:
    counts = {"mistakes": error.mistakes, "rows": error.rows, "p_value": error.p_value, "higher": error.worse}
    shares = _interval(error.change.old, error.change.new, error.change)
    return {**counts, "statement": error.statement, **shares}
