"""A page about two rules on the same rows: which is better, whether that may be chance, and where they differ."""

from collections.abc import Mapping

from rosenblatt.judge.side_by_side import Differing, SideBySide
from rosenblatt.plurals import many
from rosenblatt.ship.explain.page import Fact, facts_of, footer_of, header_of, name, page_of, text

TITLE = "Which of two rules is better?"


def compare_page(found: SideBySide, about: Mapping[str, str]) -> str:
    """The page; `about` names what was compared."""
    sections = [
        ("Rows that each gets right", _counts(found)),
        ("Where they differ", _kinds(found)),
        ("The first of these rows", _rows(found)),
        ("How to read this", _meaning(found)),
    ]
    rules = " ".join(f"{side.letter} is {side.file} ({side.rule})." for side in found.sides)
    cautions = "".join(f'<p class="warning">{text(each)}</p>' for each in found.cautions)
    opening = (
        f"{header_of(about['Table'], TITLE, found.verdict)}<p>{text(rules)}</p>{cautions}{facts_of(_facts(found))}"
    )
    return page_of(TITLE, opening, sections, footer_of(about))


def _facts(found: SideBySide) -> list[Fact]:
    facts = []
    for side in found.sides:
        low, high = side.interval
        rate = f"{side.mistakes / side.decided:.1%}" if side.decided else "no row decided"
        note = f"{side.mistakes:,} of {side.decided:,}; {low:.1%} to {high:.1%} with {side.confidence:.0%} confidence"
        asked = f"; {side.rows - side.decided:,} left to a person" if side.decided < side.rows else ""
        facts.append(Fact(f"errors of {side.letter}", rate, note + asked))
    which = "held out from both rules" if found.held_out else "with a label"
    rest = f"; {found.unlabelled:,} without a label left out" if found.unlabelled else ""
    return [*facts, Fact("rows", f"{found.rows:,}", which + rest)]


def _counts(found: SideBySide) -> str:
    if not found.counts:
        return ""
    top = max(count for _, count in found.counts) or 1
    rows = "".join(
        f'<tr><td>{text(each)}</td><td class="number">{count:,}</td>'
        f'<td><svg viewBox="0 0 100 6" role="img" aria-label="{count:,} rows" preserveAspectRatio="none" width="100%" '
        f'height="10"><rect width="{100 * count / top:.2f}" height="6" fill="var(--{_colour(each)})"/></svg></td></tr>'
        for each, count in found.counts
    )
    head = "<thead><tr><th></th><th>rows</th><th></th></tr></thead>"
    return f'<p>{text(found.costs)}</p><table class="card">{head}<tbody>{rows}</tbody></table>'


def _colour(cell: str) -> str:
    return {"both wrong": "wrong", "both right": "faint"}.get(cell, "yes")


def _kinds(found: SideBySide) -> str:
    rows = "".join(
        f"<tr><td>{text(kind.actual)}</td><td>{text(kind.first)}</td><td>{text(kind.second)}</td>"
        f'<td class="number">{kind.rows:,}</td></tr>'
        for kind in found.kinds
    )
    head = '<thead><tr><th>it is</th><th>A says</th><th>B says</th><th class="number">rows</th></tr></thead>'
    return f'<table class="columns">{head}<tbody>{rows}</tbody></table>' if rows else ""


def _rows(found: SideBySide) -> str:
    return f'<ol class="rows">{"".join(map(_row, found.first_rows))}</ol>' if found.first_rows else ""


def _row(row: Differing) -> str:
    cells = "".join(f"<span><i>{name(each)}</i> {text(value)}</span> " for each, value in row.cells.items())
    says = ", ".join(f"{letter} says <b>{text(label)}</b>" for letter, label in zip("AB", row.labels, strict=True))
    return f'<li><p><b>row {row.row:,}</b> is <b>{text(row.actual)}</b>: {says}</p><p class="values">{cells}</p></li>'


def _meaning(found: SideBySide) -> str:
    test = (
        "Only rows that one rule gets right and the other wrong can show which is better. McNemar's test says how "
        "likely so uneven a division of them is if both rules are equally good: below 5%, chance is an unlikely "
        "explanation. This is about these rows and others drawn in the same way, not about other times or places."
    )
    rows = many(found.rows, "row")
    fair = "Rows that a rule was learned from are no fair test of it: it has seen their labels."
    return f"<p>{text(test)}</p><p>{text(f'{fair} Here {rows} were used.')}</p>"
