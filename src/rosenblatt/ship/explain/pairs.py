"""Pairs of bars, old and new, as an SVG element of a page: colours come from the page, and a description is for all.

Nothing is drawn with matplotlib, which these pages do not need.
"""

from collections.abc import Sequence

from rosenblatt.ship.explain.page import text

MOST = 14  # pairs; the others are added up
LABEL = 24  # letters
WIDTH, LEFT, RIGHT = 400, 146, 46  # of the picture; of the labels; of the percentages
BAR, GAP = 11, 8


def pairs(
    title: str, cells: Sequence[str], shares: Sequence[tuple[float, float]], *, whole: bool, names: tuple[str, str]
) -> str:
    """Two bars for each cell; `whole`: bins in order, which are all shown, with their empty ends left out."""
    shown = _all(cells, shares) if whole else _most_frequent(cells, shares)
    top = max((max(pair) for _, pair in shown), default=0.0) or 1.0
    parts, step = [], 2 * BAR + GAP
    for k, (cell, pair) in enumerate(shown):
        y = k * step + 4
        parts.append(f'<text x="{LEFT - 8}" y="{y + BAR + 3}" text-anchor="end">{text(_cut(cell))}</text>')
        for side, (share, colour) in enumerate(zip(pair, ("faint", "yes"), strict=True)):
            wide, low = (WIDTH - LEFT - RIGHT) * share / top, y + side * BAR
            parts.append(f'<rect x="{LEFT}" y="{low}" width="{wide:.1f}" height="{BAR - 1}" fill="var(--{colour})"/>')
            end = f'x="{LEFT + wide + 5:.1f}" y="{low + BAR - 2}" font-size="10"'
            parts.append(f"<text {end}>{share:.1%}</text>")
    said = "; ".join(f"{cell}: {names[0]} {old:.1%}, {names[1]} {new:.1%}" for cell, (old, new) in shown)
    return (
        f'<svg viewBox="0 0 {WIDTH} {len(shown) * step + 6}" role="img" aria-label="{text(f"{title}. {said}")}" '
        f'font-size="12" fill="var(--ink)"><title>{text(title)}</title>{"".join(parts)}</svg>'
    )


def key(names: tuple[str, str]) -> str:
    """What the colours mean."""
    marks = (f'<i style="background:var(--{colour})"></i>' for colour in ("faint", "yes"))
    return '<p class="key">' + " ".join(f"{mark}{text(each)}" for mark, each in zip(marks, names, strict=True)) + "</p>"


def _all(cells: Sequence[str], shares: Sequence[tuple[float, float]]) -> list[tuple[str, tuple[float, float]]]:
    """All cells, without those that are empty on both sides."""
    return [(cell, pair) for cell, pair in zip(cells, shares, strict=True) if any(pair)]


def _most_frequent(
    cells: Sequence[str], shares: Sequence[tuple[float, float]]
) -> list[tuple[str, tuple[float, float]]]:
    """The most frequent cells, the most frequent first, and all others together."""
    there = sorted(_all(cells, shares), key=lambda each: -max(each[1]))
    if len(there) <= MOST:
        return there
    rest = [pair for _, pair in there[MOST - 1 :]]
    return [*there[: MOST - 1], (f"{len(rest)} others", (sum(p for p, _ in rest), sum(q for _, q in rest)))]


def _cut(label: str) -> str:
    return label if len(label) <= LABEL else f"{label[: LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"
