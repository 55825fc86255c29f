"""Findings in words, for people and for programs."""

import re
from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.screen import Screen
from rosenblatt.desk.check import Finding, in_words
from rosenblatt.desk.constraints import but_for, points_in_words
from rosenblatt.desk.constraints import record as constraints_record
from rosenblatt.desk.data import Data
from rosenblatt.plurals import many
from rosenblatt.prove.check.certificate import Contradiction
from rosenblatt.prove.check.joint_certificate import JointContradiction
from rosenblatt.prove.solve.separability import NotSeparable, Separable, Undecided
from rosenblatt.read.encode.columns import BITS, CategoryColumn, DateColumn, NumberColumn, StepColumn, TextColumn
from rosenblatt.visible import visible

if TYPE_CHECKING:  # `check` does without what knows all rules
    from rosenblatt.desk.learning.train import Learned
    from rosenblatt.desk.tree_paths import TableTree
    from rosenblatt.learn.selection.column_path import ColumnPath
    from rosenblatt.ship.explain.scorecard import Scorecard
    from rosenblatt.ship.file.modelfile import Model

MOST_COLUMNS = 12
FIRST_LINES, MOST_TREE_LINES = 40, 1000  # of a tree: after learning it, and in `explain`
MOST_LINES = 3  # of the names of columns of one kind
NAME, CELL = 32, 22  # characters for the names and, at least, the cells of rows that contradict each other


def columns(screen: Screen, data: Data, features: bool = True) -> None:
    """What the table was read as; a tree has no features."""
    kinds: dict[str, list[str]] = {}
    for column in data.encoding.columns:
        if column.size:
            kinds.setdefault(column.kind, []).append(column.name)
    used = sum(len(names) for names in kinds.values())
    become = f" as {many(data.encoding.size, 'feature')}" if features else ""
    screen.line(f"{data.table.source}: {many(data.n, 'row')}, {many(used, 'column')}{become}")
    for kind, names in kinds.items():
        for line in _listed(f"  {len(names)} {kind}: ", names, screen.out.width):
            screen.line(line)
    screen.line(f"target {data.encoding.target.name}: {_classes(data)}")


def _listed(text: str, names: list[str], width: int) -> list[str]:
    """A text, then as many of the names as fit into a few lines."""
    room = MOST_LINES * (width - 8)
    for k, name in enumerate(map(visible, names)):
        rest = f", and {len(names) - k} more"
        if k and len(text) + len(name) + len(rest) > room:
            text += rest
            break
        text += f", {name}" if k else name
    return wrap(text, width, subsequent_indent="    ", break_on_hyphens=False, replace_whitespace=False)


def _classes(data: Data) -> str:
    counts = [int((data.y == code).sum()) for code in range(len(data.classes))]
    text = ", ".join(f"{label} {count:,}" for label, count in zip(data.classes, counts, strict=True))
    return f"{text}; positive: {data.classes[1]}" if len(data.classes) == 2 else text


def finding(screen: Screen, data: Data, found: Finding) -> None:
    """The verdict, for people."""
    screen.line()
    verdict, rules = found.verdict, "a line is" if found.label else "linear scores, one for each class, are"
    under = " under the constraints" if found.cone else ""
    if isinstance(verdict, Separable):
        screen.line(f"Separable{under}: {rules} right on every row.", style="bold green")
        lower, upper, gap = _margin(found)
        if gap < 0.01:
            screen.line(f"Largest margin{under} {lower:.9g}, proved to a relative gap of {gap:.0e}.")
        else:
            screen.line(f"The largest margin{under} is between {lower:.3g} and {upper:.3g}.")
        if found.updates is not None:
            screen.line(
                f"The longest {'row' if found.label else 'signed row'} has length {found.radius:.6g}, so no run from "
                f"zeros makes more than {many(found.updates, 'update')}."
            )
    elif isinstance(verdict, Undecided):
        screen.line(str(verdict), style="bold yellow")
    else:
        screen.line(f"Not separable{under}: no {rules.removeprefix('a ')} right on every row.", style="bold red")
        contradiction(screen, data, verdict.certificate)
    if found.fewest is not None:
        lower, upper = found.fewest.lower, found.fewest.upper
        none = "no rule that keeps the constraints" if found.cone else "no rule"
        best = f"which is the fewest possible{under}" if lower == upper else f"and {none} makes fewer than {lower:,}"
        screen.line(f"A rule with {many(upper, 'mistake')} was found{f', {best}' if lower else ''}.")
    if found.cut_short is not None:
        screen.line(f"{found.cut_short}.", style="yellow")


def _margin(found: Finding) -> tuple[float, float, float]:
    """Bounds on the largest margin and their gap: the verdict's, where the search for better ones ran out of time."""
    known = [each for each in (found.margin, getattr(found.verdict, "certificate", None)) if each is not None]
    lower, upper = max(each.lower for each in known), min(each.upper for each in known)
    return lower, upper, (upper - lower) / abs(upper) if upper else 0.0


def contradiction(screen: Screen, data: Data, proof: Contradiction | JointContradiction) -> None:
    """The rows that contradict each other, as they stand in the table: a column for each row, the weightiest first."""
    room = screen.out.width - NAME
    shown = in_words(data, proof, max(2, min(4, room // CELL)))
    rows, target = len(proof.rows), data.encoding.target.name
    cell = room // len(shown) - 3
    names = [name for name in dict.fromkeys(name for each in shown for name in each["cells"]) if name != target]
    differ = [name for name in names if len({str(each["cells"].get(name)) for each in shown}) > 1]
    if rows == 2 and not differ:
        first, second = shown
        screen.line(
            f"Rows {first['row']} and {second['row']} are the same in every column, but {target} is "
            f"{first['cells'][target]} in one and {second['cells'][target]} in the other."
        )
        return
    if isinstance(proof, JointContradiction):
        screen.line(
            f"These {len(set(proof.rows))} rows contradict each other: weighted by their shares, what they "
            "require of the scores cancels out."
        )
    else:
        against = but_for(data, proof)
        screen.line(
            f"These {rows} rows contradict each other: the weighted averages of the two classes coincide{against}."
        )
    if rows == 2 and not against:
        screen.line(f"No rule can tell them apart: it does not see {_unseen(data, differ)}.")
    lines = [[target, *(each["cells"].get(target) for each in shown)], ["share", *(_share(e, proof) for e in shown)]]
    if isinstance(proof, JointContradiction):
        lines.insert(1, ["against", *(each["rival"] for each in shown)])
    lines += [[name, *(each["cells"].get(name) for each in shown)] for name in differ[:MOST_COLUMNS]]
    cut = [[_cut(name, NAME - 3), *(_cut(value, cell) for value in values)] for name, *values in lines]
    screen.table(["row", *(str(each["row"]) for each in shown)], cut)
    more = [many(rows - len(shown), "row")] if rows > len(shown) else []
    more += [many(len(differ) - MOST_COLUMNS, "column")] if len(differ) > MOST_COLUMNS else []
    if more:
        screen.line(f"({' and '.join(more)} more: --json shows all)")


def _unseen(data: Data, differ: list[str]) -> str:
    """What rows with the same features may still differ in, for these columns."""
    reasons = {
        DateColumn: "the time of day",
        StepColumn: "where in its step a number is",
        NumberColumn: f"digits of a number beyond {BITS} bits of the range of its column",
        CategoryColumn: "which of the rare values a column has",
        TextColumn: "rare words, nor their order",
    }
    kinds = [column for column in data.encoding.columns if column.name in differ]
    found = [next((kind for kind in reasons if isinstance(column, kind)), None) for column in kinds]
    texts = [text for kind, text in reasons.items() if kind in found]
    return ", nor ".join(texts or ["columns that are left out"])


def _share(row: dict[str, Any], proof: Contradiction | JointContradiction) -> str:
    """A weight as a part of all."""
    return f"{int(row['weight']) / sum(proof.weights):.2%}"


def _cut(value: Any, length: int) -> str:
    """A cell of a table, shortened."""
    text = "" if value is None else str(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def finding_record(data: Data, found: Finding) -> dict[str, Any]:
    """The verdict, for a program."""
    record: dict[str, Any] = {
        "class": found.label,
        "constraints": constraints_record(data.encoding, found.cone),
        "separable": found.verdict.separable,
        "statement": str(found.verdict),
        "radius": found.radius,
        "margin": None,
        "most_updates": found.updates,
        "contradiction": None,
        "fewest_mistakes": None,
        "cut_short": found.cut_short,
    }
    if isinstance(found.verdict, Separable):
        record["margin"] = dict(zip(("lower", "upper", "gap"), _margin(found), strict=True))
    if isinstance(found.verdict, NotSeparable):
        rows = in_words(data, found.verdict.certificate, len(found.verdict.certificate.rows))
        record["contradiction"] = [{**each, "cells": {k: _plain(v) for k, v in each["cells"].items()}} for each in rows]
    if found.fewest is not None:
        record["fewest_mistakes"] = {"lower": found.fewest.lower, "upper": found.fewest.upper}
    return record


def _plain(value: Any) -> Any:
    """A cell as JSON knows it."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def learned(screen: Screen, found: "Learned", model: "Model") -> None:
    """A rule and what is known of it, for people."""
    from rosenblatt.cli import decisions
    from rosenblatt.rules.schemes import ONE_VS_ONE

    screen.line()
    name, form = found.rule.name, found.rule.linear
    screen.line(f"{name}, because {found.why}." if found.why else f"{name}.", style="bold")
    screen.line(f"Stopped: {found.rule.stop_sentence(found.trained.weights)}")
    if (path := found.rule.column_path) is not None:
        column_path(screen, path)
    if found.interrupted:
        screen.line("Interrupted: this is the best rule so far.", style="bold yellow")
    share = found.mistakes / found.trained.n
    before = ", before the cut-off" if model.decision is not None and model.decision.rung is not None else ""
    wrong = f"{found.mistakes:,} of them wrong ({share:.2%}){before}"
    screen.line(f"Learned from {many(found.trained.n, 'row')}: {wrong}.")
    if not found.costs.are_counts:
        screen.line(f"These mistakes cost {found.cost:,.6g}: {found.costs.in_words(found.trained.classes)}.")
    if found.rule.cone:
        screen.line(f"Constraints: {points_in_words(found.trained.encoding, found.rule.cone)}")
    for certificate in model.certificates:
        screen.line(f"Proved: {certificate.statement}")
    decisions.decided(screen, found)
    if found.error is not None:
        screen.line(f"Error on new rows{_decided(found)}: {found.error.statement}")
    decisions.judged(screen, found)
    if (baseline := found.baseline) is not None and not (baseline.clearly_better and found.costs.are_counts):
        style = "" if baseline.clearly_better else "bold yellow"
        screen.line(baseline.statement(found.costs.are_counts), style=style)
    if form is not None and form.scheme == ONE_VS_ONE:
        screen.note("one-vs-one rules vote: this model predicts, but cannot be exported to other systems")
    elif form is not None and not found.exact:
        screen.note(
            "the weights need more digits than a double has room for: exports may differ on rows that nearly tie"
        )
    screen.line(f"Learned in {found.seconds:.2f} s.")
    if found.rule.tree is not None:
        from rosenblatt.desk.tree_paths import table_tree

        screen.line()
        tree(screen, table_tree(found.trained.encoding, found.rule.tree), FIRST_LINES)


def column_path(screen: Screen, path: "ColumnPath") -> None:
    """The errors of rules of one column, of two, ..., for people."""
    screen.table(["columns", "error", "added"], path.rows, right=(1,))


def _decided(found: "Learned") -> str:
    """The new rows that errors are counted on, if not all."""
    return " that are decided" if found.judged is not None and found.judged.left_to_people else ""


def tree(screen: Screen, shown: "TableTree", most: int) -> None:
    """A tree in words: at most `most` lines of it."""
    from rosenblatt.desk.tree_paths import first_lines

    depth = max(shown.depths)
    nodes, deep = many(len(shown.nodes), "node"), many(depth, "test")
    parts = f"{nodes}, {len(shown.leaves):,} of them leaves, and is {deep} deep"
    screen.line(f"The tree has {parts if depth else 'one node: it is a leaf'}.", style="bold")
    lines, more = first_lines(shown, most)
    for line in lines:
        screen.line(line)
    if more:
        screen.line(f"(and {many(more, 'line')} more: rosenblatt explain MODEL --most {most + more} shows all)")


def tree_record(shown: "TableTree", most: int | None = None) -> dict[str, Any]:
    """A tree for a program."""
    from rosenblatt.desk.tree_paths import first_lines

    counts = {"nodes": len(shown.nodes), "leaves": len(shown.leaves), "depth": max(shown.depths)}
    return counts | {"lines": first_lines(shown, most or MOST_TREE_LINES)[0]}


def learned_record(found: "Learned", model: "Model") -> dict[str, Any]:
    """A rule and what is known of it, for a program."""
    from rosenblatt.cli import decisions
    from rosenblatt.desk.tree_paths import table_tree

    error, grown, (updates, passes) = found.error, found.rule.tree, found.rule.effort
    return {
        "algorithm": found.algorithm,
        "estimator": found.rule.name,
        "why": found.why,
        "stop_reason": found.rule.stop_sentence(found.trained.weights),
        "updates": updates,
        "passes": passes,
        "tree": None if grown is None else tree_record(table_tree(found.trained.encoding, grown)),
        "trained_rows": found.trained.n,
        "trained_mistakes": found.mistakes,
        "trained_cost": found.cost,
        "costs": {
            "classes": dict(zip(found.trained.classes, found.costs.of_class, strict=True)),
            "weights": found.costs.weight_column,
        },
        "separable": None if found.verdict is None else found.verdict.separable,
        "proved": [certificate.statement for certificate in model.certificates],
        "error": None if error is None else {**asdict(error), "rate": error.mistakes / error.rows},
        "baseline": None if found.baseline is None else found.baseline.record,
        **decisions.record(found),
        "exact": found.exact,
        "constraints": constraints_record(found.trained.encoding, found.rule.cone),
        "few_columns": None if found.rule.column_path is None else found.rule.column_path.record,
        "interrupted": found.interrupted,
        "seconds": found.seconds,
    }


def card(screen: Screen, made: "Scorecard", most: int, columns: int) -> None:
    """A scorecard, for people: at most `most` lines of a column, and `columns` columns."""
    for k, each in enumerate(made.cards):
        if k == 0:
            screen.line(made.rule, style="bold")
        if len(made.cards) > 1:
            if k == 0:
                screen.line()
            screen.line(f"{each.label}: starts with {made.shown(each.start)} points", style="bold")
        rows, moving = _grouped(list(made.rows(k, most, columns))), len(each.moving)
        room = screen.out.width // 2 - 6
        if rows:
            table = [(_broken(visible(name), room), *rest) for name, *rest in rows]
            screen.table(["column", "value", "points"], table, right=(2,))
        if moving > columns:
            screen.line(
                f"({many(moving - columns, 'column')} with fewer points: --columns N shows N, --json shows all)"
            )
        if moving < len(each.parts):
            screen.line(f"({many(len(each.parts) - moving, 'column has', 'columns have')} no points)")


def _grouped(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Rows that name each column only once."""
    return [
        ("" if k and rows[k - 1][0] == column else column, value, points)
        for k, (column, value, points) in enumerate(rows)
    ]


def _broken(name: str, length: int) -> str:
    """A long name on several lines, broken between its words."""
    lines = [""]
    for word in re.findall(r"[^_\s.-]*[_\s.-]*", name):
        if lines[-1] and len(lines[-1]) + len(word.rstrip()) > length:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)
