"""The section of a report about rows that the rule did not learn from: a confusion matrix, and curves."""

from collections.abc import Sequence
from dataclasses import dataclass

from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain import plots
from rosenblatt.ship.explain.page import text as _text

MOST_CLASSES = 20  # in the table


@dataclass(frozen=True, eq=False)
class ShownJudging:
    """How a model did on rows that it did not learn from, as plain values."""

    which: str  # rows, in words
    classes: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]  # a row for each class, a column for each label; last, left to people
    asks: bool
    recall: tuple[float | None, ...]
    precision: tuple[float | None, ...]
    statements: tuple[str, ...]
    roc: tuple[Array, Array] | None = None  # the shares of no and of yes that are labelled yes
    precision_recall: tuple[Array, Array] | None = None
    share: float = 0.0  # of yes
    reliability: tuple[plots.Bar, ...] = ()  # by probability
    coverage: tuple[plots.Bar, ...] = ()  # error by the share decided
    tolerated: float | None = None  # error


def section_of(shown: ShownJudging) -> str:
    """The section as HTML."""
    statements = "".join(f"<p>{_text(each)}</p>" for each in shown.statements)
    figures = "".join(f"<figure>{svg}<figcaption>{_text(says)}</figcaption></figure>" for svg, says in _figures(shown))
    table = _table(shown) if len(shown.classes) <= MOST_CLASSES else ""
    return f'{statements}{table}<div class="figures">{figures}</div>'


def _table(shown: ShownJudging) -> str:
    """The confusion matrix."""
    head = ["", *(f"said {label}" for label in shown.classes), *(["left to people"] if shown.asks else []), "recall"]
    lines = []
    for label, counts, recall in zip(shown.classes, shown.matrix, shown.recall, strict=True):
        kept = counts if shown.asks else counts[:-1]
        lines.append([f"is {label}", *(f"{count:,.6g}" for count in kept), _percent(recall)])
    lines.append(["precision", *map(_percent, shown.precision), *[""] * (len(head) - 1 - len(shown.classes))])
    body = "".join(f"<tr><td>{_text(line[0])}</td>{_cells(line[1:], 'td')}</tr>" for line in lines)
    title = f'<p class="note">{_text(shown.which)}: actual classes, and the labels that they were given</p>'
    return f"{title}<table><thead><tr><th></th>{_cells(head[1:], 'th')}</tr></thead><tbody>{body}</tbody></table>"


def _cells(texts: Sequence[str], tag: str) -> str:
    return "".join(f'<{tag} class="number">{_text(text)}</{tag}>' for text in texts)


def _figures(shown: ShownJudging) -> list[tuple[str, str]]:
    """The plots, each with what it shows."""
    made = []
    if shown.roc is not None:
        yes, no = shown.classes[1], shown.classes[0]
        says = (
            f"ROC curve: of the rows that are {yes}, the share above a cut-off, against that of the rows that are {no}."
        )
        across, up = (f"of {label}, said {yes}" for label in (no, yes))
        made.append((plots.line(*shown.roc, across, up, "roc", diagonal=True), says))
    if shown.precision_recall is not None:
        says = f"Precision and recall of {shown.classes[1]}. The line is the share of {shown.classes[1]} in all rows."
        drawn = plots.line(*shown.precision_recall, "recall", "precision", "precision-recall", level=shown.share)
        made.append((drawn, says))
    if shown.reliability:
        says = (
            "Probabilities against actual shares: each bar is the exact 95% interval of the share in a bin of rows "
            "with similar probabilities. On the line, the two are equal."
        )
        made.append((plots.bars(shown.reliability, "probability", "share", "reliability", diagonal=True), says))
    if shown.coverage:
        says = "Error among the rows decided, with its exact 95% interval, against the share of rows decided."
        drawn = plots.bars(shown.coverage, "share of rows decided", "error", "coverage", level=shown.tolerated)
        says += " The line is the tolerated error." if shown.tolerated else ""
        says += " The ring marks the chosen cut-offs." if any(bar.chosen for bar in shown.coverage) else ""
        made.append((drawn, says))
    return made


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"
