"""The contents of a tree drawing: a box for every node, a caption for every branch, and their positions.

Units are SVG pixels; `tree_picture` draws the picture on a page or in a figure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rosenblatt import options
from rosenblatt.draw.tree_key import Key, key_of
from rosenblatt.draw.tree_layout import bands, stacked, tallest, tidy
from rosenblatt.draw.tree_words import clean, cut, lines_of, width_of
from rosenblatt.errors import OptionError
from rosenblatt.learn.tree.tree import ColumnHead, FeatureTest, Node, PerceptronTest, Test, Tree

SIZE, SMALL = 13.0, 11.0  # of letters
LINE, SMALL_LINE = 17.0, 14.0  # from one line of text to the next
PADDING, INSIDE = 10.0, 8.0  # beside a box's text; above and below it
BAR = 5.0
GAP = 18.0  # between boxes side by side
MARGIN = 16.0  # around the picture
THINNEST, THICKEST = 1.0, 4.5  # lines
NARROWEST, WIDEST = 64.0, 240.0  # text of a test
LEAF, CAPTION = 150.0, 130.0  # the widest text of a leaf and of a caption
MOST_LINES = {"name": 3, "term": 3, "counts": 4, "caption": 3}
MOST_TERMS = 8  # of a perceptron
LONGEST_NAME = 26  # characters, if a box has several names
BOLD = 1.1  # the width of bold text relative to plain
MOST_COUNTS = 3
DIGITS = 3  # of a weight


@dataclass(frozen=True)
class Box:
    """A node as drawn."""

    number: int
    depth: int
    children: tuple[int, ...]  # places among the boxes
    caption: tuple[str, ...]  # the condition of the branch that leads here
    share: float  # of its parent's rows that take this branch
    heading: tuple[str, ...]  # the test, or the label
    small: tuple[str, ...]  # below that
    label: int | None  # the class that it decides for; None for a test
    folded: int  # nodes below it that are not drawn
    counts: tuple[float, ...]
    full: str  # everything about it, in words

    @cached_property
    def width(self) -> float:
        """The width of the box itself."""
        size = SIZE if self.label is None else BOLD * SIZE
        lines = [*(width_of(line, size) for line in self.heading), *(width_of(line, SMALL) for line in self.small)]
        return max(NARROWEST, *lines) + 2 * PADDING

    @cached_property
    def height(self) -> float:
        """The height of the box itself."""
        text = LINE * len(self.heading) + SMALL_LINE * len(self.small)
        return text + BAR + 3 * INSIDE

    @cached_property
    def caption_width(self) -> float:
        """The width of the caption's widest line."""
        return max((width_of(line, SMALL) for line in self.caption), default=0.0)

    @property
    def caption_height(self) -> float:
        """The height of the caption, including the gap to the box."""
        return SMALL_LINE * len(self.caption) + 4.0 if self.caption else 0.0

    @property
    def texts(self) -> Iterator[tuple[str, float, float]]:
        """Every line of text: the distance of its baseline from the box's top, and its font size."""
        for k, line in enumerate(self.caption, start=1 - len(self.caption)):
            yield line, SMALL_LINE * k - 7.0, SMALL
        y = INSIDE
        for lines, step, size in ((self.heading, LINE, SIZE), (self.small, SMALL_LINE, SMALL)):
            for line in lines:
                y += step
                yield line, y - (step - size) / 2 - 1.5, size

    @property
    def thickness(self) -> float:
        """The thickness of the line that leads here: the more rows take it, the thicker."""
        return THINNEST + (THICKEST - THINNEST) * self.share

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each class among its rows."""
        total = sum(self.counts) or 1.0
        return tuple(count / total for count in self.counts)


@dataclass(frozen=True)
class Picture:
    """Boxes and their positions: the middle and the top of each, with its caption above."""

    boxes: tuple[Box, ...]
    middles: tuple[float, ...]
    tops: tuple[float, ...]
    floors: tuple[float, ...]  # the lower end of each box's level
    key: Key  # begins at the margins
    width: float
    height: float
    words: str  # a description

    @property
    def lines(self) -> Iterator[tuple[Box, tuple[float, float], float, float, tuple[float, float]]]:
        """For every box but the first, the line to it: its start, the end of its straight part, its bend, its end."""
        for parent, box in enumerate(self.boxes):
            start = (self.middles[parent], self.tops[parent] + box.height)
            for child in box.children:
                end = (self.middles[child], self.tops[child] - self.boxes[child].caption_height)
                yield self.boxes[child], start, self.floors[parent], (self.floors[parent] + end[1]) / 2, end


def picture_of(tree: Tree, *, most_depth: int | None = None, names: Sequence[str] | None = None) -> Picture:
    """The picture of a tree, down to `most_depth`."""
    full = _printable(tree, names)
    boxes = tuple(_boxes(full, most_depth))
    children, depths = [box.children for box in boxes], [box.depth for box in boxes]
    widths = [max(box.width, box.caption_width) for box in boxes]
    middles = tidy(widths, children, GAP)
    wide = max(middle + width / 2 for middle, width in zip(middles, widths, strict=True))
    key = key_of(full.classes, tree.nodes[0].counts, wide)
    left, top = MARGIN + max(key.width - wide, 0.0) / 2, 2 * MARGIN + key.height
    captions = tallest([box.caption_height for box in boxes], depths)
    heights = tallest([box.height for box in boxes], depths)
    levels = stacked([a + b for a, b in zip(captions, heights, strict=True)], bands(middles, children, depths))
    tops = [top + level + caption for level, caption in zip(levels, captions, strict=True)]
    return Picture(
        boxes,
        tuple(left + middle for middle in middles),
        tuple(tops[depth] for depth in depths),
        tuple(tops[depth] + heights[depth] for depth in depths),
        key,
        max(wide, key.width) + 2 * MARGIN,
        tops[-1] + heights[-1] + MARGIN,
        _summary(tree, len(boxes)),
    )


def _boxes(full: Tree, most_depth: int | None) -> Iterator[Box]:
    """A box for every node down to `most_depth`, parents before children."""
    options.whole("most_depth", most_depth, 0, none=True)
    brief = _shortened(full)
    depths, below = full.depths, _nodes_below(full)
    shown = [node for node in full.nodes if most_depth is None or depths[node.number] <= most_depth]
    place = {node.number: k for k, node in enumerate(shown)}
    above = {child: (node, branch) for node in shown for branch, child in enumerate(node.children)}
    for node in shown:
        inner = node.test is not None and depths[node.number] != most_depth
        parent, branch = above.get(node.number, (None, 0))
        yield Box(
            number=node.number,
            depth=depths[node.number],
            children=tuple(place[child] for child in node.children) if inner else (),
            caption=() if parent is None else _caption(full, parent, branch),
            share=1.0 if parent is None else min(sum(node.counts) / (sum(parent.counts) or 1.0), 1.0),
            heading=_heading(full, brief, node) if inner else _decision(full, brief, node),
            small=() if inner else tuple(_counts_in_small(brief, node, below[node.number])),
            label=None if inner else node.label,
            folded=0 if inner else below[node.number],
            counts=node.counts,
            full=_in_full(full, node),
        )


def _printable(tree: Tree, names: Sequence[str] | None) -> Tree:
    """The tree with names, categories and classes that are safe to print."""
    names = [head.name for head in tree.columns] if names is None else list(names)
    if len(names) != len(tree.columns):
        raise OptionError(f"{len(tree.columns)} columns need {len(tree.columns)} names, not {len(names)}")
    columns = tuple(
        ColumnHead(clean(name), None if head.categories is None else tuple(map(clean, head.categories)))
        for head, name in zip(tree.columns, names, strict=True)
    )
    return replace(tree, columns=columns, classes=tuple(map(clean, tree.classes)))


def _shortened(tree: Tree) -> Tree:
    """The tree with shortened names."""
    columns = tuple(
        ColumnHead(
            cut(head.name, LONGEST_NAME),
            None if head.categories is None else tuple(cut(value, LONGEST_NAME) for value in head.categories),
        )
        for head in tree.columns
    )
    return replace(tree, columns=columns, classes=tuple(cut(label, LONGEST_NAME) for label in tree.classes))


def _nodes_below(tree: Tree) -> list[int]:
    """The number of nodes below each node."""
    below = [0] * len(tree.nodes)
    for node in reversed(tree.nodes):
        below[node.number] = sum(below[child] + 1 for child in node.children)
    return below


def _heading(full: Tree, brief: Tree, node: Node) -> tuple[str, ...]:
    """The heading of a node: its test."""
    if isinstance(node.test, PerceptronTest):
        return tuple(_terms(brief, node.test))
    return lines_of([full.in_words(_test(node))], SIZE, WIDEST, MOST_LINES["name"])


def _decision(full: Tree, brief: Tree, node: Node) -> tuple[str, ...]:
    """The heading of a leaf: its decision."""
    if node.rule is None or node.test is not None:  # a hidden test
        return lines_of([full.classes[node.label]], BOLD * SIZE, LEAF, MOST_LINES["name"])
    test = node.rule.test
    low, high, _ = node.sides
    rule = (f"{brief.classes[low]} if", *_terms(brief, test), f"<= {test.threshold:.6g},")
    return (*rule, f"else {brief.classes[high]}")


def _terms(tree: Tree, test: PerceptronTest) -> Iterator[str]:
    """The terms of a sum, one per line, each with its sign and a rounded weight."""
    terms = list(zip(test.columns, test.codes, test.weights, strict=True))
    shown = terms if len(terms) <= MOST_TERMS else terms[: MOST_TERMS - 1]
    for k, (column, code, weight) in enumerate(shown):
        rounded = float(f"{abs(weight):.{DIGITS}g}")
        sign = ("- " if k else "-") if weight < 0 else ("+ " if k else "")
        term = sign + tree.in_words(PerceptronTest((column,), (code,), (rounded,), 0.0))
        yield from lines_of([term], SIZE, WIDEST, MOST_LINES["term"])
    if len(terms) > len(shown):
        yield f"and {len(terms) - len(shown):,} more terms"


def _caption(tree: Tree, parent: Node, branch: int) -> tuple[str, ...]:
    """The condition of a branch, without what the parent's box already says."""
    test = _test(parent)
    words = "missing" if branch == test.many else tree.branch_in_words(parent, branch).removeprefix(tree.in_words(test))
    return lines_of(words.split(), SMALL, CAPTION, MOST_LINES["caption"])


def _counts_in_small(tree: Tree, node: Node, below: int) -> Iterator[str]:
    """The class counts of a leaf, the most frequent first, and how much is hidden below."""
    counted = sorted(((count, -k) for k, count in enumerate(node.counts) if count), reverse=True)
    parts = [f"{tree.classes[-k]}: {_amount(count)}" for count, k in counted[:MOST_COUNTS]]
    more = len(counted) - MOST_COUNTS
    units = [part + "," for part in parts[:-1]] + parts[-1:] + ([f"and {more} more"] if more > 0 else [])
    yield from lines_of(units, SMALL, LEAF, MOST_LINES["counts"])
    if below:
        yield f"{below:,} more node{'s' if below > 1 else ''}"


def _amount(count: float) -> str:
    """A number of rows, or their weight, as text."""
    return f"{int(count):,}" if count == int(count) else f"{count:,.4g}"


def _in_full(tree: Tree, node: Node) -> str:
    """The full description of a node: its number, its contents, and why it is a leaf."""
    if node.test is None:
        return f"Node {node.number}: {tree.leaf_in_words(node)}. {node.stop or ''}".strip()
    counts = ", ".join(
        f"{label} {_amount(count)}" for label, count in zip(tree.classes, node.counts, strict=True) if count
    )
    threshold = f" <= {node.test.threshold!r}?" if isinstance(node.test, FeatureTest | PerceptronTest) else ""
    return f"Node {node.number}: {tree.in_words(node.test)}{threshold} ({counts})"


def _summary(tree: Tree, drawn: int) -> str:
    many, folded = len(tree.nodes), len(tree.nodes) - drawn
    rest = f" Hidden: {folded:,}." if folded else ""
    return f"A decision tree. Nodes: {many:,}; leaves: {len(tree.leaves):,}; depth: {max(tree.depths):,}.{rest}"


def _test(node: Node) -> Test:
    """The test of a node that is not a leaf."""
    assert node.test is not None
    return node.test
