"""A report: a page that shows what was learned, how good it is, and how to check it.

Problem   the people who must trust a rule were not there when it was learned.
Input     `ReportContents`: everything that the page shows, as plain values.
Result    one HTML file without scripts or external references, readable on a phone, in dark mode and on paper.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from rosenblatt.rows.kernels import Array
from rosenblatt.ship.explain import plots
from rosenblatt.ship.explain.judging import ShownJudging, section_of
from rosenblatt.ship.explain.scorecard import Card, Part, Scorecard, number_text
from rosenblatt.visible import visible_lines

MINUS = "\N{MINUS SIGN}"
MOST_MISTAKES = 20
MOST_LINES, MOST_COLUMNS = 20, 100  # of one column; of one card
FAR_OFF = 5  # points, out of 100; if rounded points may be off by more, their sum is useless
MOST_CONTRADICTIONS = 5
MOST_CARDS = 3  # with a plot
MOST_ROWS = 12  # of one contradiction
STYLE = """
:root{--paper:#fdfcf8;--tint:#f5f2e9;--ink:#1f1d19;--soft:#6b665c;--faint:#a49d8e;--hair:#e0dacb;
--yes:#1d6f6b;--no:#bd7f26;--wrong:#b3281e}
@media screen and (prefers-color-scheme:dark){:root{--paper:#171614;--tint:#211f1c;--ink:#ebe6db;--soft:#a8a195;
--faint:#6f695f;--hair:#38352f;--yes:#5db5ae;--no:#d9a352;--wrong:#ef7a6d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:1.0625rem/1.55 Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif}
main{max-width:52rem;margin:0 auto;padding:3rem 1.25rem 4rem}
p{margin:.6rem 0;max-width:40rem}
h1{font-size:clamp(1.9rem,5.5vw,2.75rem);line-height:1.12;font-weight:600;margin:.2rem 0 1rem;text-wrap:balance}
h2{font-size:1.4rem;line-height:1.25;font-weight:600;margin:0 0 .8rem}
h3{font-size:1.05rem;margin:1.6rem 0 .3rem}
section{margin-top:3.2rem;padding-top:1.1rem;border-top:2px solid var(--ink)}
h1,h2,h3,td,th,p,dd{overflow-wrap:anywhere}
.kicker,nav,dt,dd span,.note,figcaption,thead th,small,footer,.rows .values,figure text{
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
.kicker{margin:0;color:var(--soft);font-size:.85rem}
.kicker i{font-style:normal;color:var(--faint)}
.lead{font-size:1.3rem;line-height:1.45;max-width:44rem}
.warning{border-left:3px solid var(--wrong);padding:.1rem 0 .1rem .9rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(11.5rem,1fr));gap:1.2rem 2rem;margin:2rem 0 1.4rem}
dt{font-size:.8rem;color:var(--soft)}
dd{margin:0}
dd b{display:block;font-size:1.9rem;line-height:1.25;font-weight:600;font-variant-numeric:tabular-nums}
dd span{display:block;font-size:.8rem;line-height:1.4;color:var(--soft)}
nav ol{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;padding:0;margin:1.6rem 0 0;font-size:.85rem}
a{color:inherit;text-decoration-color:var(--faint);text-underline-offset:.2em}
.rule{font-size:1.15rem;font-weight:600}
.note,figcaption{font-size:.83rem;line-height:1.45;color:var(--soft)}
table{width:100%;border-collapse:collapse;font-size:.95rem;margin:1.1rem 0}
th,td{text-align:left;vertical-align:top;padding:.28rem .8rem .28rem 0}
thead th{font-size:.78rem;font-weight:400;color:var(--soft);border-bottom:1px solid var(--ink)}
tbody th{padding-top:.9rem;border-bottom:1px solid var(--hair);font-weight:600}
small{font-size:.78rem;font-weight:400;color:var(--soft)}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.card thead th:nth-child(2){text-align:right}
.card td:last-child{width:34%;padding-right:0}
.bar{display:block;position:relative;height:.7rem;margin-top:.42rem;
background:linear-gradient(var(--faint),var(--faint)) 50% 0/1px 100% no-repeat}
.bar i{position:absolute;top:0;bottom:0}
.bar .yes{left:50%;background:var(--yes)}
.bar .no{right:50%;background:var(--no)}
.columns td{border-bottom:1px solid var(--hair)}
.columns td:nth-child(2){white-space:nowrap}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));gap:2rem 2.5rem;
align-items:start}
figure{margin:0}
figure svg{display:block;width:100%;height:auto;overflow:visible}
.tree{overflow-x:auto}
.rows{list-style:none;padding:0;margin:.8rem 0}
.rows li{border-top:1px solid var(--hair);padding:.55rem 0}
.rows p{margin:0;max-width:none}
.rows em{font-style:normal;color:var(--wrong);float:right;margin-left:1rem}
.rows .values{font-size:.8rem;line-height:1.5;color:var(--ink);margin-top:.15rem}
.values i{font-style:normal;color:var(--soft)}
.values span:not(:last-child)::after{content:" \\00b7";color:var(--faint)}
.together{margin:0 0 1.8rem}
.proved{font-weight:600}
pre{background:var(--tint);padding:.7rem .9rem;font-size:.85rem;line-height:1.45;white-space:pre-wrap;
overflow-wrap:anywhere;border-radius:3px}
footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--hair);font-size:.8rem;color:var(--soft)}
footer p{margin:.15rem 0;max-width:none;overflow-wrap:anywhere}
@media (max-width:34rem){main{padding-top:1.6rem}.lead{font-size:1.15rem}.card td:last-child{width:26%}
.facts{grid-template-columns:1fr 1fr;gap:1rem 1.2rem}.facts div:first-child{grid-column:1/-1}
dd b{font-size:1.5rem}}
@page{margin:17mm 16mm}
@media print{html{font-size:12px}body{background:none}main{max-width:none;padding:0}nav{display:none}
section{margin-top:1.6rem}h1{font-size:2.4rem}h2,h3,section>p,thead,tbody th{break-after:avoid}
tr,figure,.rows li,.facts div,pre{break-inside:avoid}.figures{grid-template-columns:1fr 1fr}
thead{display:table-header-group}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
"""


@dataclass(frozen=True)
class Fact:
    """A key figure, its label, and a note."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class ErrorRate:
    """The error rate as the page shows it: a copy of `desk.error_rate.ErrorEstimate`."""

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


def report_of(contents: ReportContents) -> str:
    """The report as an HTML page."""
    sections = [
        ("The rule", _rule(contents)),
        ("On rows not learned from", "" if contents.judging is None else section_of(contents.judging)),
        ("How clear the decisions are", _pictures(contents)),
        ("Mistakes", _mistakes(contents)),
        ("Rows that contradict each other", _contradictions(contents)),
        ("How the columns were read", _columns(contents)),
        ("Proofs, and how to check them", _proofs(contents)),
    ]
    there = [(title, body) for title, body in sections if body]
    body = "".join(f'<section id="part-{k}"><h2>{title}</h2>{body}</section>' for k, (title, body) in enumerate(there))
    navigation = "".join(f'<li><a href="#part-{k}">{title}</a></li>' for k, (title, _) in enumerate(there))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{_text(contents.title)}</title><style>{STYLE}</style></head>\n<body><main>"
        f"{_opening(contents)}<nav><ol>{navigation}</ol></nav>{body}{_colophon(contents)}</main></body></html>\n"
    )


def _text(value: object) -> str:
    """Any text, escaped for the page."""
    return escape(visible_lines(str(value)))


def _name(value: str) -> str:
    """The name of a column, which may break after an underscore."""
    return _text(value).replace("_", "_<wbr>")


def _opening(contents: ReportContents) -> str:
    facts = [Fact("training rows", f"{contents.n:,}"), *contents.facts]
    if (error := contents.error) is not None:
        rate = f"{error.errors / max(error.n, 1):.1%}"
        between = f"{error.lower:.1%} to {error.upper:.1%} with {error.confidence:.0%} confidence"
        facts.insert(0, Fact("errors", rate, f"{error.errors:,} of {error.n:,} {error.how}; {between}"))
    shown = "".join(
        f"<div><dt>{_text(fact.name)}</dt><dd><b>{_text(fact.value)}</b><span>{_text(fact.note)}</span></dd></div>"
        for fact in facts
    )
    notes = "".join(f'<p class="warning">{_text(warning)}</p>' for warning in contents.warnings)
    learned = f"<p>{_text(contents.learned)}</p>" if contents.learned else ""
    return (
        f'<header><p class="kicker">{_text(contents.target)} <i>from</i> {_text(contents.source)}</p>'
        f'<h1>{_text(contents.title)}</h1><p class="lead">{_text(contents.verdict)}</p>{learned}</header>'
        f'{notes}<dl class="facts">{shown}</dl>'
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
    bodies = [_part_body(card, part, largest) for part in moving[:MOST_COLUMNS]]
    note = f"{len(moving) - MOST_COLUMNS:,} columns with fewer points are not shown. " * (len(moving) > MOST_COLUMNS)
    names = ", ".join(idle[:MOST_COLUMNS]) + f", and {len(idle) - MOST_COLUMNS:,} more" * (len(idle) > MOST_COLUMNS)
    note += f"No points: {names}." if idle else ""
    none = f'<p class="note">{_text(note.rstrip())}</p>' if note else ""
    head = "<thead><tr><th>column and value</th><th>points</th><th></th></tr></thead>"
    return f'<table class="card">{head}{"".join(bodies)}</table>{none}'


def _part_body(card: Scorecard, part: Part, largest: float) -> str:
    ends = [number_text(part.kind, end) for end in part.range or ()]
    between = f"counted from {ends[0]} to {ends[1]}" if ends else ""
    lines = [line for line in part.lines if line.seen]
    rows = [
        f'<tr><td>{_text(value)}</td><td class="number">{points}</td><td>{_bar(float(line.points), largest)}</td></tr>'
        for (value, points), line in zip(card.lines(part, MOST_LINES), lines, strict=False)
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
        what = "Number of rows by points. Mistakes are on the wrong side of the line."
        shown.append((plots.margins(contents.scores, contents.labels, contents.wrong, contents.classes), what))
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
        return "<p>The rule makes no mistakes on the training rows.</p>"
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
    facts: Iterable[tuple[str, str]] = (
        ("Data", contents.source),
        ("Fingerprint", contents.fingerprint),
        ("Created", f"{contents.made}, by rosenblatt {contents.version}"),
    )
    return f"<footer>{''.join(f'<p><b>{name}</b> {_text(value)}</p>' for name, value in facts)}</footer>"
