"""Draws a tree as SVG, for a page or a file, and as a matplotlib figure.

An SVG takes its text colour from the surrounding page; on its own, it has a background, light or dark. It has no
scripts, fetches nothing, and includes a text description.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from rosenblatt.draw import tree_key
from rosenblatt.draw.tree_boxes import BAR, INSIDE, MARGIN, PADDING, SMALL, Box, Picture, picture_of
from rosenblatt.draw.tree_key import BESIDE, COLOURS, SWATCH
from rosenblatt.draw.tree_words import clean
from rosenblatt.errors import MissingExtraError
from rosenblatt.learn.tree.tree import Tree

TITLE = "Decision tree"
PAGES_OWN = {COLOURS[0]: "no", COLOURS[1]: "yes"}  # colours that a page may define as variables
NEW_LINE = "\n"
WORDS = 30  # nodes; up to this many, the description lists every branch
ROUND = 6.0  # corners
SHRUNK = 0.72  # a page may shrink a drawing to this part of its size; narrower pages scroll, except on paper
STYLE = f"""
.perceptron-tree{{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}}
svg.perceptron-tree:root{{color:#1f1d19;background:#fdfcf8}}
@media screen and (prefers-color-scheme:dark){{svg.perceptron-tree:root{{color:#ebe6db;background:#171614}}}}
.perceptron-tree text{{fill:currentColor;text-anchor:middle;font-size:13px}}
.perceptron-tree text.small{{font-size:11px;fill-opacity:.8}}
.perceptron-tree text.key{{text-anchor:start}}
.perceptron-tree .leaf text:not(.small){{font-weight:600}}
.perceptron-tree .lines{{fill:none;stroke:currentColor;opacity:.3}}
.perceptron-tree .no{{fill:var(--no,{COLOURS[0]});stroke:var(--no,{COLOURS[0]})}}
.perceptron-tree .yes{{fill:var(--yes,{COLOURS[1]});stroke:var(--yes,{COLOURS[1]})}}
.perceptron-tree .bar{{stroke:none}}
.perceptron-tree .test .box{{fill:currentColor;fill-opacity:.045;stroke:currentColor;stroke-opacity:.4}}
.perceptron-tree .leaf .box{{fill-opacity:.11;stroke-width:1.3}}
.perceptron-tree .folded .box{{stroke-dasharray:5 3}}
@media print{{.perceptron-tree{{min-width:0!important;width:100%;height:auto}}}}
"""
POINTS = 0.8  # of a figure per unit of the picture
LARGEST = 80.0  # inches
FONT = 0.86  # because matplotlib's own font is wider


class Svg(str):
    """The SVG text of a drawing; a notebook displays the drawing."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg_of(
    tree: Tree, *, most_depth: int | None = None, names: Sequence[str] | None = None, title: str | None = None
) -> Svg:
    """A tree as the text of an SVG element, for use in a page or as a file.

    Nodes below `most_depth` are hidden, and the box above them says how many there are. `names` replaces the columns'
    own names.
    """
    picture = picture_of(tree, most_depth=most_depth, names=names)
    branches = tree.in_text(names).split("\n") if len(tree.nodes) <= WORDS else []
    width, height, least = map(_short, (picture.width, picture.height, SHRUNK * picture.width))
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    style = f"max-width:{width}px;min-width:{least}px"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="perceptron-tree" role="img" {size} style="{style}">',
        f"<title>{escape(clean(title or TITLE))}</title>",
        f"<desc>{escape(NEW_LINE.join(map(clean, [picture.words, *branches])))}</desc>",
        f"<style>{STYLE}</style>",
        *_key_in_svg(picture),
        '<g class="lines">',
        *_lines_in_svg(picture),
        "</g>",
        *(_box_in_svg(picture, place) for place in range(len(picture.boxes))),
        "</svg>",
    ]
    return Svg("\n".join(parts) + "\n")


def figure_of(tree: Tree, ax: Any = None, *, most_depth: int | None = None, names: Sequence[str] | None = None) -> Any:
    """Draw a tree on matplotlib axes and return them; without `ax`, on a new figure of the right size."""
    picture = picture_of(tree, most_depth=most_depth, names=names)
    axes = _new_axes(picture) if ax is None else ax
    axes.set(xlim=(0, picture.width), ylim=(picture.height, 0), aspect="equal")
    axes.set_axis_off()
    inches = axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())
    points = 72 * min(inches.width / picture.width, inches.height / picture.height)
    _draw(axes, picture, points)
    return axes


def _key_in_svg(picture: Picture) -> Iterator[str]:
    for entry in picture.key.entries:
        x, y = MARGIN + entry.x, MARGIN + entry.y
        yield (
            f"{_rect(x, y, SWATCH, SWATCH, 'bar', entry.colour)}"
            f'<text class="small key" x="{_short(x + SWATCH + BESIDE)}" y="{_short(y + SWATCH - 1)}">'
            f"{escape(entry.name)}</text>"
        )


def _lines_in_svg(picture: Picture) -> Iterator[str]:
    """The lines of the branches, as SVG."""
    for box, start, floor, bend, end in picture.lines:
        x, y, to_x, to_y = map(_short, (*start, *end))
        yield (
            f'<path stroke-width="{_short(box.thickness)}" '
            f'd="M{x} {y}V{_short(floor)}C{x} {_short(bend)} {to_x} {_short(bend)} {to_x} {to_y}"/>'
        )


def _box_in_svg(picture: Picture, place: int) -> str:
    """A box with its texts, its bar, and the caption above it, as SVG."""
    box, middle, top = picture.boxes[place], picture.middles[place], picture.tops[place]
    kind = "test" if box.label is None else "leaf folded" if box.folded else "leaf"
    colour = "" if box.label is None else picture.key.colours[box.label]
    left = middle - box.width / 2
    parts = [
        f'<g class="{kind}" data-node="{box.number}"><title>{escape(box.full)}</title>',
        _rect(left, top, box.width, box.height, "box", colour),
    ]
    for text, y, size in box.texts:
        small = ' class="small"' if size == SMALL else ""
        parts.append(f'<text{small} x="{_short(middle)}" y="{_short(top + y)}">{escape(text)}</text>')
    for x, wide, part in _bar(picture, box):
        parts.append(_rect(left + x, top + box.height - INSIDE - BAR, wide, BAR, "bar", part))
    return "".join(parts) + "</g>"


def _bar(picture: Picture, box: Box) -> Iterator[tuple[float, float, str]]:
    """The parts of a box's bar: the offset of each from the box's left, its width, and its colour."""
    wide = box.width - 2 * PADDING
    for colour, begin, end in picture.key.bar(box.shares):
        yield PADDING + begin * wide, (end - begin) * wide, colour


def _rect(x: float, y: float, width: float, height: float, kind: str, colour: str) -> str:
    """A rectangle; colours are also attributes, for programs that do not support CSS variables."""
    names = f"{kind} {PAGES_OWN[colour]}" if colour in PAGES_OWN else kind
    painted = f' fill="{colour}"' + (f' stroke="{colour}"' if kind == "box" else "") if colour else ""
    corner = ROUND if kind == "box" else 1.0
    return (
        f'<rect class="{names}" x="{_short(x)}" y="{_short(y)}" width="{_short(width)}" height="{_short(height)}" '
        f'rx="{_short(corner)}"{painted}/>'
    )


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _new_axes(picture: Picture) -> Any:
    """New axes, large enough to read everything."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("plot", "a figure of a tree") from error
    size = [min(POINTS * length / 72, LARGEST) for length in (picture.width, picture.height)]
    return pyplot.figure(figsize=size).add_axes((0, 0, 1, 1))


def _draw(axes: Any, picture: Picture, points: float) -> None:
    """Draw everything on axes with this many points per unit."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path

    both = zip(to_rgb(rcParams["text.color"]), to_rgb(axes.get_facecolor()), strict=True)
    faint = tuple(
        0.3 * ink + 0.7 * paper for ink, paper in both
    )  # not transparent, so that overlapping lines look like one
    for entry in picture.key.entries:
        x, y = MARGIN + entry.x, MARGIN + entry.y
        axes.add_patch(Rectangle((x, y), SWATCH, SWATCH, color=entry.colour, linewidth=0))
        _write(axes, x + SWATCH + BESIDE, y + SWATCH - 1, entry.name, tree_key.SIZE * points, ha="left")
    for box, (x, y), floor, bend, (to_x, to_y) in picture.lines:
        path = Path([(x, y), (x, floor), (x, bend), (to_x, bend), (to_x, to_y)], [1, 2, 4, 4, 4])
        axes.add_patch(PathPatch(path, fill=False, edgecolor=faint, linewidth=box.thickness * points))
    for place in range(len(picture.boxes)):
        _draw_box(axes, picture, place, points)


def _draw_box(axes: Any, picture: Picture, place: int, points: float) -> None:
    from matplotlib import rcParams
    from matplotlib.colors import to_rgba
    from matplotlib.patches import FancyBboxPatch, Rectangle

    box, middle, top = picture.boxes[place], picture.middles[place], picture.tops[place]
    left, colour = middle - box.width / 2, rcParams["text.color"]
    inside, edge = to_rgba(colour, 0.045), to_rgba(colour, 0.4)
    if box.label is not None:
        colour = picture.key.colours[box.label]
        inside, edge = to_rgba(colour, 0.11), to_rgba(colour)
    axes.add_patch(
        FancyBboxPatch(
            (left + ROUND, top + ROUND), box.width - 2 * ROUND, box.height - 2 * ROUND, boxstyle=f"round,pad={ROUND}",
            facecolor=inside, edgecolor=edge, linewidth=1.2 * points, linestyle="--" if box.folded else "-",
        )
    )  # fmt: skip
    for text, y, size in box.texts:
        bold = box.label is not None and size != SMALL
        _write(axes, middle, top + y, text, size * points, ha="center", weight="bold" if bold else "normal")
    for x, wide, part in _bar(picture, box):
        axes.add_patch(Rectangle((left + x, top + box.height - INSIDE - BAR), wide, BAR, color=part, linewidth=0))


def _write(axes: Any, x: float, y: float, text: str, size: float, **how: Any) -> None:
    axes.text(x, y, text, size=FONT * size, va="baseline", parse_math=False, clip_on=False, **how)
