"""A report: a page that shows what was learned, how good it is, and how to check it.

Problem   the people who must trust a rule were not there when it was learned.
Input     `ReportContents`: everything that the page shows, as plain values.
Result    one HTML file without scripts or external references, readable on a phone, in dark mode and on paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosenblatt.learn.selection.column_path import ColumnPath
from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain import few_columns, plots
from rosenblatt.ship.explain.card_parts import Part, number_text
from rosenblatt.ship.explain.judging import ShownJudging, section_of
from rosenblatt.ship.explain.page import Fact, facts_of, footer_of, page_of
from rosenblatt.ship.explain.page import name as _name
from rosenblatt.ship.explain.page import text as _text
from rosenblatt.ship.explain.scorecard import Card, Scorecard

MINUS = "\N{MINUS SIGN}"
MOST_MISTAKES = 20
MOST_LINES, MOST_COLUMNS = 20, 100  # of one column; of one card
FAR_OFF = 5  # points, out of 100; if rounded points may be off by more, their sum is useless
MOST_CONTRADICTIONS = 5
MOST_CARDS = 3  # with a plot
MOST_ROWS = 12  # of one contradiction


@dataclass(frozen=True)
class ErrorRate:
    """The error rate as the page shows it: a copy of `desk.judging.error_rate.ErrorEstimate`."""

    errors: int
    n: int
    lower: float
    upper: float
    confidence: float
    how: str = "rows not used in learning"


@dataclass(frozen=True)
class ShownRow:
    """A row with the values of the original table."""

    number: int  # the first row after the header is row 1
    label: str
    values: tuple[tuple[str, str], ...]  # column and value
    predicted: str = ""  # the rule's label
    score: float | None = None  # in points above the threshold
    share: float | None = None  # of the row in a contradiction


@dataclass(frozen=True)
class ShownContradiction:
    """Rows on which no linear rule is right, and a sentence that says why."""

    why: str
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True)
class ColumnRead:
    """How a column was read, with a note."""

    name: str
    kind: str
    note: str = ""


@dataclass(frozen=True)
class ReportProof:
    """A proved statement, the command that checks it, and what the command checks."""

    statement: str
    command: str
    meaning: str


@dataclass(frozen=True)
class ReportContents:
    """Everything that a report contains."""

    title: str
    source: str  # the file or files
    verdict: str  # in one sentence
    target: str
    classes: tuple[str, ...]
    n: int  # rows learned from
    error: ErrorRate | None
    facts: tuple[Fact, ...]
    card: Scorecard | None  # None if the rule is not a sum of points
    why_no_card: str
    scores: Array  # two classes: points above the threshold; more: points ahead of the best other class; may be empty
    labels: Array  # the class number of each row
    wrong: Array  # whether the rule is wrong on it
    columns: tuple[ColumnRead, ...]
    proofs: tuple[ReportProof, ...]
    fingerprint: str  # of the data
    version: str
    made: str  # when
    learned: str = ""  # the algorithm, and why it stopped, in a sentence or two
    warnings: tuple[str, ...] = ()
    mistakes: tuple[ShownRow, ...] = ()
    n_mistakes: int = 0
    contradictions: tuple[ShownContradiction, ...] = ()
    learning: tuple[Array, Array] | None = None  # as `plots.mistakes_along` gives
    tree: str = ""  # in words, if the rule is a tree
    picture: str = ""  # of the tree: an SVG element
    judging: ShownJudging | None = None  # on rows not learned from
    cut_offs: tuple[float, ...] = (0.0,)  # among the scores
    left_to_people: str = ""  # which rows, by these cut-offs
    of_new_rows: tuple[Fact, ...] = ()  # besides the error
    path: ColumnPath | None = None  # of a rule of few columns


def report_of(contents: ReportContents) -> str:
    """The report as an HTML page."""
    sections = [
        ("The rule", _rule(contents)),
        ("How many columns it takes", "" if contents.path is None else few_columns.section_of(contents.path)),
        ("On rows not learned from", "" if contents.judging is None else section_of(contents.judging)),
        ("How clear the decisions are", _pictures(contents)),
        ("Mistakes", _mistakes(contents)),
        ("Rows that contradict each other", _contradictions(contents)),
        ("How the columns were read", _columns(contents)),
        ("Proofs, and how to check them", _proofs(contents)),
    ]
    return page_of(contents.title, _opening(contents), sections, _colophon(contents))


def _opening(contents: ReportContents) -> str:
    facts = [*contents.of_new_rows, Fact("training rows", f"{contents.n:,}"), *contents.facts]
    if (error := contents.error) is not None:
        rate = f"{error.errors / max(error.n, 1):.1%}"
        between = f"{error.lower:.1%} to {error.upper:.1%} with {error.confidence:.0%} confidence"
        facts.insert(0, Fact("errors", rate, f"{error.errors:,} of {error.n:,} {error.how}; {between}"))
    notes = "".join(f'<p class="warning">{_text(warning)}</p>' for warning in contents.warnings)
    learned = f"<p>{_text(contents.learned)}</p>" if contents.learned else ""
    return (
        f'<header><p class="kicker">{_text(contents.target)} <i>from</i> {_text(contents.source)}</p>'
        f'<h1>{_text(contents.title)}</h1><p class="lead">{_text(contents.verdict)}</p>{learned}</header>'
        f"{notes}{facts_of(facts)}"
    )


def _rule(contents: ReportContents) -> str:
    card = contents.card
    if contents.tree:
        return f'<figure class="tree">{contents.picture}</figure><pre>{_text(contents.tree)}</pre>'
    if card is None:
        return f"<p>{_text(contents.why_no_card)}</p>"
    largest = max((abs(end) for one in card.cards for part in one.parts for end in part.span), default=0)
    tables = []
    for one in card.cards:
        head = f"<h3>{_text(one.label)}: starts with {card.shown(one.start)}</h3>" if len(card.cards) > 1 else ""
        tables.append(head + _card_table(card, one, float(largest) or 1.0))
    off = ""
    if card.slack > FAR_OFF or any(len(one.moving) > MOST_COLUMNS for one in card.cards):
        off = " The points shown are rounded; to decide a row, use the model, which adds up all digits."
    elif card.slack:
        off = f" The points shown are rounded; their sum is off by at most {float(card.slack):.2g}."
    numbers = any(part.range for one in card.cards for part in one.parts)
    range_note = " Numbers count in proportion, and outside their range as the nearest end." if numbers else ""
    return (
        f'<p class="rule">{_text(card.rule)}</p>'
        f'<p class="note">Points are measured from the middle of each column: 0 counts neither for nor against.'
        f"{range_note}{off}</p>{''.join(tables)}"
    )


def _card_table(card: Scorecard, one: Card, largest: float) -> str:
    moving = one.moving
    idle = [part.column for part in one.parts if part not in moving]
    if not moving:
        return '<p class="note">No column has points: the starting points decide.</p>'
    bodies = [_part_body(card, one, part, largest) for part in moving[:MOST_COLUMNS]]
    note = f"{len(moving) - MOST_COLUMNS:,} columns with fewer points are not shown. " * (len(moving) > MOST_COLUMNS)
    names = ", ".join(idle[:MOST_COLUMNS]) + f", and {len(idle) - MOST_COLUMNS:,} more" * (len(idle) > MOST_COLUMNS)
    note += f"No points: {names}." if idle else ""
    none = f'<p class="note">{_text(note.rstrip())}</p>' if note else ""
    head = "<thead><tr><th>column and value</th><th>points</th><th></th></tr></thead>"
    return f'<table class="card">{head}{"".join(bodies)}</table>{none}'


def _part_body(card: Scorecard, one: Card, part: Part, largest: float) -> str:
    ends = [number_text(part.kind, end) for end in part.range or ()]
    between = f"counted from {ends[0]} to {ends[1]}" if ends else ""
    lines = [line for line in part.lines if line.seen]
    rows = [
        f'<tr><td>{_text(value)}</td><td class="number">{points}</td><td>{_bar(float(line.points), largest)}</td></tr>'
        for (value, points), line in zip(card.lines(part, MOST_LINES, one.label), lines, strict=False)
    ]
    if len(lines) > MOST_LINES:
        rows.append(f'<tr><td colspan="3">and {len(lines) - MOST_LINES:,} more</td></tr>')
    head = f'<tr><th colspan="3" scope="rowgroup">{_name(part.column)} <small>{_text(between)}</small></th></tr>'
    return f"<tbody>{head}{''.join(rows)}</tbody>"


def _bar(points: float, largest: float) -> str:
    """A bar that starts in the middle of its cell."""
    width = min(abs(points) / largest, 1.0) * 50
    side = "yes" if points >= 0 else "no"
    return f'<span class="bar"><i class="{side}" style="width:{width:.1f}%"></i></span>'


def _pictures(contents: ReportContents) -> str:
    shown = []
    if np.size(contents.scores):
        drawn = plots.margins(contents.scores, contents.labels, contents.wrong, contents.classes, contents.cut_offs)
        people = f"{contents.left_to_people} are left to people."
        where = people if contents.left_to_people else "Mistakes are on the wrong side of the line."
        shown.append((drawn, f"Number of rows by points. {where}"))
    if contents.learning is not None:
        shown.append((plots.learning(*contents.learning), "Mistakes on all rows during learning."))
    if contents.card is not None:
        for k, one in enumerate(contents.card.cards[:MOST_CARDS]):
            start = f"{one.label}: the" if len(contents.card.cards) > 1 else "The"
            says = f"{start} fewest and most points that each column gives."
            shown.append((plots.columns(one, f"columns-{k}"), says))
    figures = [f"<figure>{svg}<figcaption>{_text(says)}</figcaption></figure>" for svg, says in shown]
    return f'<div class="figures">{"".join(figures)}</div>' if figures else ""


def _mistakes(contents: ReportContents) -> str:
    if not contents.n_mistakes:
        which = "training rows that it does not leave to people" if contents.left_to_people else "training rows"
        return f"<p>The rule makes no mistakes on the {which}.</p>"
    shown = contents.mistakes[:MOST_MISTAKES]
    which = f" The first {len(shown)} are shown." if len(shown) < contents.n_mistakes else ""
    wrong = f"The rule is wrong on {contents.n_mistakes:,} of {contents.n:,} training rows."
    return f"<p>{wrong}{which}</p>{_rows(shown)}"


def _contradictions(contents: ReportContents) -> str:
    shown = contents.contradictions[:MOST_CONTRADICTIONS]
    parts = []
    for each in shown:
        more = len(each.rows) - MOST_ROWS
        rest = f'<p class="note">and {more} more rows</p>' if more > 0 else ""
        parts.append(f'<div class="together"><p>{_text(each.why)}</p>{_rows(each.rows[:MOST_ROWS])}{rest}</div>')
    left = len(contents.contradictions) - len(shown)
    more_of_them = f'<p class="note">and {left:,} more contradictions, in the proof</p>' if left else ""
    return "".join(parts) + more_of_them


def _rows(rows: Sequence[ShownRow]) -> str:
    """Rows of the table, each with its number, its class and its values."""
    return f'<ol class="rows">{"".join(map(_row, rows))}</ol>'


def _row(row: ShownRow) -> str:
    values = "".join(f"<span><i>{_name(name)}</i> {_text(value)}</span> " for name, value in row.values)
    predicted = f", the rule predicts <b>{_text(row.predicted)}</b>" if row.predicted else ""
    score = "" if row.score is None else f'<em class="number">{_signed(row.score)} points</em>'
    share = "" if row.share is None else f", weight {row.share:.2%}"
    return (
        f"<li><p><b>row {row.number:,}</b> is <b>{_text(row.label)}</b>{predicted}{share} {score}</p>"
        f'<p class="values">{values}</p></li>'
    )


def _signed(points: float) -> str:
    return f"{MINUS if points < 0 else '+'}{abs(points):.1f}"


def _columns(contents: ReportContents) -> str:
    rows = "".join(
        f"<tr><td>{_name(column.name)}</td><td>{_text(column.kind)}</td><td>{_text(column.note)}</td></tr>"
        for column in contents.columns
    )
    head = "<thead><tr><th>column</th><th>read as</th><th>note</th></tr></thead>"
    return f'<table class="columns">{head}<tbody>{rows}</tbody></table>' if rows else ""


def _proofs(contents: ReportContents) -> str:
    return "".join(
        f'<div class="together"><p class="proved">{_text(proof.statement)}</p><p>{_text(proof.meaning)}</p>'
        f"<pre><code>{_text(proof.command)}</code></pre></div>"
        for proof in contents.proofs
    )


def _colophon(contents: ReportContents) -> str:
    return footer_of(
        {
            "Data": contents.source,
            "Fingerprint": contents.fingerprint,
            "Created": f"{contents.made}, by rosenblatt {contents.version}",
        }
    )
