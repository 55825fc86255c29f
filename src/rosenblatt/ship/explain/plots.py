"""The plots of a report, as SVG inside the page: text remains text, and colours come from the page.

For any number of rows, a plot has only a few bars or one line. Needs matplotlib, the extra `plot`.
"""

import io
import re
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import MissingExtraError
from rosenblatt.learn.ledger import Ledger
from rosenblatt.rows.examples import Examples
from rosenblatt.rows.find import count
from rosenblatt.rows.kernels import Array, Ties
from rosenblatt.ship.explain.scorecard import Card
from rosenblatt.visible import visible

BINS = 41
INNER = (0.5, 99.5)  # percentiles; scores beyond them are in the outermost bars
STATES = 120  # of a run, at most, for which mistakes are counted
LOOKS = 400_000_000  # numbers read for that at most
MOST_BARS = 14
CORNERS = 200  # of a curve, at most
NAME = 26  # characters
WIDTH = 4.6  # inches

# Each colour of the page has a stand-in, which the finished plot is searched for.
COLOURS = {"ink": "#010101", "faint": "#020202", "yes": "#030303", "no": "#040404", "wrong": "#050505"}


def margins(
    scores: Array, labels: Array, wrong: Array, classes: Sequence[str], cut_offs: Sequence[float] = (0.0,)
) -> str:
    """The distribution of scores: with two classes, the yes upwards and the no downwards; mistakes stand out in colour.

    With more classes, `scores` are the leads of each row's own class, and all bars point upwards. There is a line at
    each cut-off.
    """
    scores = np.asarray(scores, float)
    low, high = np.percentile(scores, INNER) if scores.size else (0.0, 0.0)
    reach = max(abs(low), abs(high)) or 1.0
    edges = np.linspace(-reach, reach, BINS)  # an even number of bars: zero is an edge
    clipped = np.clip(scores, -reach, reach)
    figure, axes = _figure(2.7)
    middles, width = (edges[1:] + edges[:-1]) / 2, 0.86 * (edges[1] - edges[0])
    groups = [(labels >= 0, 1, "yes")] if len(classes) > 2 else [(labels > 0, 1, "yes"), (labels == 0, -1, "no")]
    for rows, sign, colour in groups:
        right, errs = (np.histogram(clipped[rows & part], edges)[0] for part in (~wrong, wrong))
        axes.bar(middles, sign * right, width, color=COLOURS[colour])
        axes.bar(middles, sign * errs, width, bottom=sign * right, color=COLOURS["wrong"])
    for cut in cut_offs:
        if abs(cut) <= reach:
            axes.axvline(cut, color=COLOURS["ink"], linewidth=0.9)
    axes.margins(y=0.14)  # room for the words
    if len(classes) == 2:
        axes.axhline(0.0, color=COLOURS["faint"], linewidth=0.6)
        axes.text(0.01, 0.97, f"is {_cut(classes[1])}", transform=axes.transAxes, va="top", color=COLOURS["yes"])
        axes.text(0.01, 0.03, f"is {_cut(classes[0])}", transform=axes.transAxes, va="bottom", color=COLOURS["no"])
    axes.text(0.99, 0.97, "mistakes", transform=axes.transAxes, va="top", ha="right", color=COLOURS["wrong"])
    above = "points" if tuple(cut_offs) != (0.0,) else "points above the threshold"
    axes.set_xlabel(above if len(classes) == 2 else "points ahead of the next class")
    axes.set_ylabel("rows")
    axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}")
    return _svg(figure, "margins")


def learning(updates: Array, mistakes: Array) -> str:
    """The mistakes on all rows during a run."""
    figure, axes = _figure(2.4)
    axes.step(updates, mistakes, where="post", color=COLOURS["yes"], linewidth=1.4)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("corrections")
    axes.set_ylabel("mistakes on all rows")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return _svg(figure, "learning")


def columns(card: Card, name: str = "columns") -> str:
    """The range of points of each column; for a number, within 2 scales of its middle."""
    parts = [part for part in card.parts if part.swing][:MOST_BARS]
    figure, axes = _figure(0.7 + 0.24 * max(len(parts), 1))
    for place, part in enumerate(parts):
        low, high = (float(end) for end in part.span)
        axes.barh(place, min(low, 0.0), left=0.0, height=0.62, color=COLOURS["no"])
        axes.barh(place, max(high, 0.0), left=0.0, height=0.62, color=COLOURS["yes"])
    axes.set_yticks(range(len(parts)), [_cut(part.column) for part in parts])
    axes.invert_yaxis()
    axes.axvline(0.0, color=COLOURS["ink"], linewidth=0.9)
    axes.set_xlabel("points")
    axes.tick_params(axis="y", length=0)
    return _svg(figure, name)


class Bar(NamedTuple):
    """A share with the ends of its interval, at a place between 0 and 1."""

    at: float
    share: float
    lower: float | None
    upper: float | None
    chosen: bool = False  # whether it is marked


def line(
    x: Array, y: Array, across: str, up: str, name: str, diagonal: bool = False, level: float | None = None
) -> str:
    """A curve of shares, with the diagonal or a level to compare it with."""
    figure, axes = _square(across, up, diagonal, level)
    some = np.unique(np.linspace(0, x.size - 1, min(x.size, CORNERS)).astype(np.int64))
    axes.plot(x[some], y[some], color=COLOURS["yes"], linewidth=1.4)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    return _svg(figure, name)


def bars(
    found: Sequence[Bar], across: str, up: str, name: str, diagonal: bool = False, level: float | None = None
) -> str:
    """Shares with their intervals, with the diagonal or a level to compare them with."""
    figure, axes = _square(across, up, diagonal, level)
    for bar in found:
        if bar.lower is not None and bar.upper is not None:
            axes.plot([bar.at] * 2, [bar.lower, bar.upper], color=COLOURS["no"], linewidth=2.2)
    axes.plot([bar.at for bar in found], [bar.share for bar in found], "o", color=COLOURS["yes"], markersize=4.5)
    chosen = [bar for bar in found if bar.chosen]
    rings = [bar.at for bar in chosen], [bar.share for bar in chosen]
    axes.plot(*rings, "o", color=COLOURS["ink"], markersize=9, markerfacecolor="none", markeredgewidth=1.2)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(bottom=-0.02)
    return _svg(figure, name)


def by_columns(error: Array, noise: Array, used: int, of_all: float | None) -> str:
    """The errors of rules of one column, of two, ..., with bars of noise; the number used stands out."""
    figure, axes = _square("columns", "error", False, of_all)
    many = np.arange(1, error.size + 1)
    axes.vlines(many, error - noise, error + noise, color=COLOURS["no"], linewidth=2.2)
    axes.plot(many, error, "o", color=COLOURS["no"], markersize=4.5)
    axes.plot([used], [error[used - 1]], "o", color=COLOURS["yes"], markersize=7)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value == round(value) else "")
    axes.set_xlim(0.5, error.size + 0.5)
    return _svg(figure, "by-columns")


def _square(across: str, up: str, diagonal: bool, level: float | None) -> tuple[Any, Any]:
    """A figure for shares."""
    figure, axes = _figure(3.1)
    if diagonal:
        axes.plot([0, 1], [0, 1], color=COLOURS["faint"], linewidth=0.9)
    if level is not None:
        axes.axhline(level, color=COLOURS["faint"], linewidth=0.9)
    axes.set_xlabel(_cut(across))
    axes.set_ylabel(_cut(up))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")
    return figure, axes


def mistakes_along(ledger: Ledger, examples: Examples, ties: Ties) -> tuple[Array, Array]:
    """Numbers of corrections, and of wrong rows after them: at most 120 states of a run, including the last."""
    states = int(np.clip(LOOKS // max(examples.n * examples.size, 1), 2, STATES))
    at = np.unique(np.linspace(0, len(ledger), min(states, len(ledger) + 1)).astype(np.int64))
    w, wrong, before = ledger.start.copy(), [], 0
    follow = ledger.follower(examples)
    for t in at.tolist():
        follow(w, ledger.entries(before, t))
        before = t
        wrong.append(count(examples, w, ties))
    return at, np.array(wrong)


def _figure(height: float) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("plot", "a report with plots") from error
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(COLOURS["faint"])
    axes.tick_params(colors=COLOURS["ink"], labelsize=9, width=0.6, length=3)
    axes.xaxis.label.set(color=COLOURS["ink"], size=9.5)
    axes.yaxis.label.set(color=COLOURS["ink"], size=9.5)
    return figure, axes


def _svg(figure: Any, name: str) -> str:
    """The figure as an element of a page; ids begin with its name, and colours are variables of the page."""
    from matplotlib import rc_context

    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
        for text in [*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]:
            text.set_parse_math(False)
    file = io.StringIO()
    with (
        rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "text.parse_math": False}),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # about characters that the font for measuring lacks
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    for gone in (r"<metadata>.*?</metadata>", r"<!--.*?-->", r' xmlns(:\w+)?="[^"]*"', r' (width|height)="[\d.]+pt"'):
        text = re.sub(gone, "", text, flags=re.S)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(?:xlink:)?href="#', f'href="#{name}-', text).replace("url(#", f"url(#{name}-")
    text = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", text)
    for colour, stand_in in COLOURS.items():
        text = text.replace(stand_in, f"var(--{colour})")
    return text


def _cut(name: str) -> str:
    """A name, shortened and safe for XML."""
    shown = visible(name)
    return shown if len(shown) <= NAME else shown[: NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
