"""A page about new data: what changed since a rule was learned, with a picture of each column that did."""

from collections.abc import Mapping

from rosenblatt.judge.monitor import Change, ErrorChange, Monitoring, p_text
from rosenblatt.plurals import many
from rosenblatt.read.encode.census import ABSENT, UNKNOWN
from rosenblatt.ship.explain.page import Fact, facts_of, footer_of, header_of, name, page_of, text
from rosenblatt.ship.explain.pairs import key, pairs

MOST_PICTURES = 30
NAMES = ("old rows", "new rows")
IN_ORDER = ("number", "date", "text", "hashed text", "sparse", "score")  # kinds of columns whose cells have an order
TITLE = "Does the new data look like the old?"


def monitor_page(found: Monitoring, about: Mapping[str, str]) -> str:
    """The page; `about` names what was compared."""
    sections = [
        ("What changed", _changed(found)),
        ("Scores and decisions", _outcome(found)),
        ("All columns", _columns(found)),
        ("How to read this", _meaning(found)),
    ]
    opening = header_of(f"{about['New data']}, for {about['Rule']}", TITLE, found.verdict) + facts_of(_facts(found))
    return page_of(TITLE, opening, sections, footer_of(about))


def _facts(found: Monitoring) -> list[Fact]:
    facts = [Fact("new rows", f"{found.new_rows:,}", f"compared with {many(found.old_rows, 'old row')}")]
    changed, several = len(found.changed_columns), many(len(found.columns), "column")
    facts.append(Fact("columns that changed", f"{changed:,}", f"of {several}"))
    facts += [
        Fact(f"labelled {rate.label}", f"{rate.change.new:.1%}", f"{rate.change.old:.1%} of the old rows")
        for rate in found.rates[:2]
    ]
    return facts + ([] if found.error is None else [_error(found.error)])


def _error(error: ErrorChange) -> Fact:
    return Fact("error", f"{error.change.new:.1%}", f"{error.change.old:.1%} when it was learned")


def _changed(found: Monitoring) -> str:
    shown = found.changed_columns[:MOST_PICTURES]
    if not shown:
        return ""
    more = len(found.changed_columns) - len(shown)
    rest = f'<p class="note">and {more:,} more columns, in the table below</p>' if more else ""
    return key(NAMES) + f'<div class="figures">{"".join(map(_picture, shown))}</div>{rest}'


def _picture(change: Change, caption: str | None = None) -> str:
    shares = [change.shares(k) for k in range(len(change.cells))]
    drawn = pairs(change.name, change.cells, shares, whole=change.kind in IN_ORDER, names=NAMES)
    says = (
        f"{change.statement} (index {change.drift.index:.3f}, {p_text(change.adjusted)})"
        if caption is None
        else caption
    )
    return f"<figure><h3>{name(change.name)}</h3>{drawn}<figcaption>{text(says)}</figcaption></figure>"


def _outcome(found: Monitoring) -> str:
    lines = [rate.statement for rate in found.rates]
    lines += [] if found.error is None else [f"Error: {found.error.statement}"]
    if not found.comparable:
        lines.append(
            "No rows were held out in learning: the old scores and decisions are those of the rows learned from, so "
            "they may differ from new ones even if nothing changed."
        )
    statements = "".join(f"<p>{text(line)}</p>" for line in lines)
    test = f"index {found.decisions.drift.index:.3f}, {p_text(found.decisions.adjusted)}"
    figures = _picture(found.score) + _picture(found.decisions, f"how often each label is given ({test})")
    return f'{statements}{key(NAMES)}<div class="figures">{figures}</div>'


def _columns(found: Monitoring) -> str:
    rows = "".join(map(_row, found.columns))
    heads = "".join(
        f"<th{' class=number' * (k > 1)}>{each}</th>"
        for k, each in enumerate(("column", "kind", "index", "p", "unknown", "missing"))
    )
    more = f"The model keeps no profile of {many(found.more, 'more column')}." if found.more else ""
    note = f'<p class="note">{more}</p>' if more else ""
    return f'<table class="columns"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{note}'


def _row(change: Change) -> str:
    unknown, missing = (change.shares(len(change.cells) + cell)[1] for cell in (UNKNOWN, ABSENT))
    numbers = (
        f"{change.drift.index:.3f}",
        p_text(change.adjusted)[2:].lstrip("= "),
        f"{unknown:.1%}",
        f"{missing:.1%}",
    )
    cells = "".join(f'<td class="number">{each}</td>' for each in numbers)
    shown = f"<b>{name(change.name)}</b>" if change.changed else name(change.name)
    return f"<tr><td>{shown}</td><td>{text(change.kind)}</td>{cells}</tr>"


def _meaning(found: Monitoring) -> str:
    tests = len(found.columns) + 2 * found.comparable
    return (
        "<p>The index is the population stability index: 0 for equal shares; from 0.1 a change, from 0.25 a large "
        "one. With few rows, chance alone makes it large, so the p-value must be at most 0.05, too. That is the chance "
        f"of such a difference if nothing changed, adjusted for {many(tests, 'test')} (Holm's method). With many rows, "
        "every difference is more than chance, so the index decides.</p><p>Unknown values are those that the rule does "
        "not distinguish: new or rare ones, and numbers far outside the range that it was learned on.</p>"
    )
