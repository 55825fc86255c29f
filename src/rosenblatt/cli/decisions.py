"""How rows are decided, and how well: in words for people, and as a record for programs."""

from dataclasses import asdict
from typing import Any

from rosenblatt.cli.screen import Screen
from rosenblatt.desk.judging.in_words import areas_in_words, probabilities_in_words
from rosenblatt.desk.judging.judged import coverage_of, reliability_of
from rosenblatt.desk.judging.measures import Answers, Measures
from rosenblatt.desk.learning.train import Learned
from rosenblatt.judge.making import Decided
from rosenblatt.visible import visible

MOST_CLASSES = 8  # in the confusion matrix
CUT = 20  # letters of a class there


def decided(screen: Screen, found: Learned) -> None:
    """The cut-offs, what is guaranteed of them, and the probabilities."""
    made = found.decided
    if made is None:
        return
    if made.cut_off is not None:
        screen.line(f"Cut-off: {made.cut_off.statement} Each row was scored by a rule that was learned without it.")
        if made.cut_off.warning is not None:
            screen.line(made.cut_off.warning, style="bold yellow")
    if made.stays is not None:
        screen.line(f"Cut-off: {made.stays}")
    if made.guarantee is not None:
        style = "bold green" if made.guarantee.claims else "bold yellow"
        screen.line(f"Guaranteed: {made.guaranteed}" if made.guarantee.claims else str(made.guaranteed), style=style)
    if (chances := probabilities_in_words(made, found.judged)) is not None:
        screen.line(f"Probabilities: {chances}")


def judged(screen: Screen, found: Learned) -> None:
    """The confusion matrix on rows not learned from, and how well scores tell the classes apart."""
    if found.judged is None:
        if not found.interrupted:
            screen.line("Not judged on new rows: none were held out (--hold-out, --folds).", style="yellow")
        return
    measures, classes = found.judged.measures, found.trained.classes
    if found.judged.left_to_people:
        left, rows = found.judged.left_to_people, found.judged.answers.y.size
        screen.line(f"Left to people: {left:,} of these {rows:,} rows ({left / rows:.1%}).")
    if len(classes) <= MOST_CLASSES:
        _matrix(screen, measures, classes, bool(found.judged.left_to_people), found.costs.weight_column)
    if (line := areas_in_words(measures)) is not None:
        screen.line(line)


def _matrix(screen: Screen, measures: Measures, classes: tuple[str, ...], asks: bool, weights: str | None) -> None:
    """A row for each class and a column for each label, with recall and precision."""
    names, several = [_cut(label) for label in classes], range(len(classes))
    head = ["" if weights is None else f"by {_cut(weights)}", *(f"said {name}" for name in names)]
    head += [*(["left to people"] if asks else []), "recall"]
    lines = [
        [f"is {names[k]}", *(f"{count:,.6g}" for count in row[: len(head) - 2]), _percent(measures.recall(k))]
        for k, row in zip(several, measures.matrix, strict=True)
    ]
    lines.append(
        ["precision", *(_percent(measures.precision(k)) for k in several), *[""] * (len(head) - 1 - len(names))]
    )
    screen.table(head, lines, right=tuple(range(1, len(head))))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _cut(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= CUT else f"{shown[: CUT - 1]}…"


def record(found: Learned) -> dict[str, Any]:
    """The same, for a program."""
    made, classes = found.decided, found.trained.classes
    measured = None if found.judged is None else found.judged.measures.record(classes)
    return {
        "decision": None if made is None else _decision(made),
        "asked": None if found.judged is None else found.judged.left_to_people,
        "measures": measured,
        "reliability": [] if found.judged is None else [asdict(one) for one in reliability_of(found.judged.answers)],
        "coverage": [] if found.judged is None else _coverage(found.judged.answers, made),
    }


def _coverage(answers: Answers, made: Decided | None) -> list[dict[str, Any]]:
    """The error against the share of rows decided."""
    names = ("share", "decided", "errors", "lower", "upper")
    chosen = None if made is None or made.guarantee is None else made.guarantee.chosen
    return [
        {**{name: getattr(one, name) for name in names}, "chosen": one.rung == chosen}
        for one in coverage_of(answers, made)
    ]


def _decision(made: Decided) -> dict[str, Any]:
    rung, guarantee = made.decision.rung, made.guarantee
    claims = [] if guarantee is None else guarantee.claims
    return {
        "cut_offs": None if rung is None else {"lower": rung.lower, "upper": rung.upper},
        "stays": made.stays,
        "cut_off": None if made.cut_off is None else made.cut_off.record,
        "guarantee": None
        if guarantee is None
        else {
            "statement": made.guaranteed,
            "confidence": guarantee.confidence,
            "claims": [
                {
                    "among": one.tolerance.among,
                    "at_most": one.tolerance.rate,
                    "errors": one.errors,
                    "rows": one.rows,
                }
                for one in claims
            ],
            "rows": guarantee.n,
            "asked": guarantee.asked,
        },
        "probability": made.method,
    }
