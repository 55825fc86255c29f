"""Drawings of trees: boxes stand as the layout promises, and nothing in a name becomes markup."""

import re
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.draw.tree_boxes import GAP, picture_of
from rosenblatt.draw.tree_key import COLOURS, OTHERS, key_of
from rosenblatt.draw.tree_layout import tidy
from rosenblatt.draw.tree_picture import figure_of, svg_of
from rosenblatt.draw.tree_words import ELLIPSIS, clean, lines_of, width_of
from rosenblatt.errors import MissingExtraError, OptionError
from rosenblatt.estimators.tree import PerceptronTree
from rosenblatt.learn.tree.tree import (
    NUMBER_ITSELF,
    CategoryTest,
    ColumnHead,
    FeatureTest,
    LeafRule,
    Node,
    PerceptronTest,
    Stop,
    Tree,
)

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 1e-6
SHAPE = [[1, 2], [3, 4, 5], [6, 7], [], [], [], [], []]
FEW = settings(max_examples=50)
HOSTILE = {
    "script": "<script>alert('x')</script>",
    "quotes": '" onload="alert(1)" x=\'&amp;',
    "entities": '&lt; &#0; ]]> --> <!ENTITY a "b"> <![CDATA[',
    "controls": "a\x00b\x1b[31m\nc\td\x7f\x85\ufffe\ud800",
    "long": "x" * 500,
    "long words": "column with many words " * 25,
    "leftwards": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "turned": "abc\u202efdp.exe\u2066",
    "mathematics": "$x^2$ \\frac{1}{2} {braces} 100%",
    "nothing": "",
}


@st.composite
def shapes(draw, most_children=4):
    """The children of every node of a tree, parents before children, and a width for each."""
    children = [[]]
    for _ in range(draw(st.integers(0, 14))):
        leaf = draw(st.sampled_from([k for k, below in enumerate(children) if not below]))
        many = draw(st.integers(1, most_children))
        children[leaf] = list(range(len(children), len(children) + many))
        children += [[] for _ in range(many)]
    return children, draw(st.lists(st.integers(1, 60).map(float), min_size=len(children), max_size=len(children)))


def tree_of(children, names=("weight", "power", "origin"), values=("Europe", "Japan", "USA"), classes=("bad", "good")):
    """A tree of this shape, tests of all kinds in turn."""
    columns = (ColumnHead(names[0]), ColumnHead(names[1]), ColumnHead(names[2], tuple(values)))
    counts = [None] * len(children)
    for k in reversed(range(len(children))):
        below = [counts[child] for child in children[k]]
        counts[k] = (
            tuple(map(sum, zip(*below, strict=True))) if below else tuple(float(k + c) for c in range(len(classes)))
        )
    nodes = []
    for k, below in enumerate(children):
        test = None
        if len(below) in (2, 3):
            slant = PerceptronTest((0, 2), (NUMBER_ITSELF, 1), (0.123456, -1.0), k + 0.25)
            test = (FeatureTest(1, k + 0.5), slant, CategoryTest(2, ((0,), (1, 2))))[k % 3]
        elif below:
            test = CategoryTest(2, tuple((code % len(values),) for code in range(len(below))))
        end = (below[0], below[0]) if below else (None, None)
        nodes.append(Node(k, counts[k], test, tuple(below), *end, stop=None if below else Stop.PURE))
    return Tree(columns, tuple(classes), tuple(nodes))


def chain(n):
    """A tree that sends all rows but one on and on."""
    nodes = []
    for k in range(0, 2 * n, 2):
        nodes.append(Node(k, (n - k / 2, 1.0), FeatureTest(0, float(k)), (k + 1, k + 2), k + 2, k + 2))
        nodes.append(Node(k + 1, (1.0, 0.0), stop=Stop.PURE))
    return Tree((ColumnHead("x"),), ("a", "b"), (*nodes, Node(2 * n, (0.0, 1.0), stop=Stop.PURE)))


def levels(children, root=0):
    """The nodes of each level from left to right, from the root on."""
    level = [root]
    while level:
        yield level
        level = [child for node in level for child in children[node]]


@FEW
@given(shapes())
def test_boxes_keep_their_distance_and_their_order(shape):
    children, widths = shape
    middles = tidy(widths, children, 5.0)
    for level in levels(children):
        for a, b in pairwise(level):
            assert middles[a] + widths[a] / 2 + 5.0 <= middles[b] - widths[b] / 2 + NEAR
    assert min(middle - width / 2 for middle, width in zip(middles, widths, strict=True)) == pytest.approx(
        0.0, abs=NEAR
    )


@FEW
@given(shapes())
def test_parents_stand_above_the_middle_of_their_children(shape):
    children, widths = shape
    middles = tidy(widths, children, 5.0)
    for node, below in enumerate(children):
        if below:
            assert middles[node] == pytest.approx((middles[below[0]] + middles[below[-1]]) / 2, abs=NEAR)


@FEW
@given(shapes(most_children=2))
def test_two_subtrees_touch_somewhere(shape):
    """Nothing can be drawn closer together."""
    children, widths = shape
    middles = tidy(widths, children, 5.0)
    for below in children:
        if len(below) == 2:
            both = zip(*(levels(children, child) for child in below), strict=False)
            room = [
                min(middles[k] - widths[k] / 2 for k in right) - max(middles[k] + widths[k] / 2 for k in left)
                for left, right in both
            ]
            assert min(room) == pytest.approx(5.0, abs=NEAR)


@FEW
@given(shapes(most_children=2))
def test_the_mirror_image_of_a_tree_is_drawn_as_the_mirror_image(shape):
    children, widths = shape
    middles, mirrored = tidy(widths, children, 5.0), tidy(widths, [below[::-1] for below in children], 5.0)
    assert [a + b for a, b in zip(middles, mirrored, strict=True)] == pytest.approx(
        [middles[0] + mirrored[0]] * len(middles)
    )


@FEW
@given(shapes())
def test_the_same_subtree_looks_the_same_everywhere(shape):
    children, widths = shape
    many = len(children)
    twice = [[1, 1 + many], *([k + 1 for k in below] for below in children)]
    twice += [[k + 1 + many for k in below] for below in children]
    middles = tidy([30.0, *widths, *widths], twice, 5.0)
    first, second = middles[1 : 1 + many], middles[1 + many :]
    assert [b - a for a, b in zip(first, second, strict=True)] == pytest.approx([second[0] - first[0]] * many)


def test_small_ones_between_large_ones_are_spread_evenly():
    wide = [[1, 2, 3, 4], [5, 6, 7, 8], [], [], [9, 10, 11, 12], *([[]] * 8)]
    middles = tidy([10.0] * 13, wide, 5.0)
    steps = [b - a for a, b in pairwise(middles[1:5])]
    assert steps == pytest.approx([20.0] * 3)  # 60 from the one to the other, as their children touch


@FEW
@given(shapes(), st.none() | st.integers(0, 4))
def test_every_node_is_drawn_once_and_none_on_another(shape, most_depth):
    tree = tree_of(shape[0])
    svg = svg_of(tree, most_depth=most_depth)
    root = ElementTree.fromstring(svg)
    shown = [k for k, depth in enumerate(tree.depths) if most_depth is None or depth <= most_depth]
    drawn = [g for g in root.iter(f"{SVG}g") if "data-node" in g.attrib]
    assert [int(g.get("data-node")) for g in drawn] == shown
    width, height = map(float, root.get("viewBox").split()[2:])
    boxes = {}
    for g in drawn:
        box = g.find(f"{SVG}rect[1]")
        x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
        boxes[int(g.get("data-node"))] = x, y, w, h
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
        bars = [float(part.get("width")) for part in g.iterfind(f"{SVG}rect")][1:]
        assert sum(bars) <= w
    for node in shown:
        for child in tree.nodes[node].children:
            if child in boxes:
                assert boxes[child][1] > boxes[node][1] + boxes[node][3]
    for a, b in pairwise(sorted(boxes.values(), key=lambda box: (box[1], box[0]))):
        assert a[1] < b[1] or a[0] + a[2] + GAP <= b[0] + 0.05
    assert sum(map(int, re.findall(r">(\d+) more nodes?<", svg))) + len(shown) == len(tree.nodes)


def texts(svg):
    """The words of each box by its node, caption and all; without what is shown when it is pointed at."""
    root = ElementTree.fromstring(svg)
    return {int(g.get("data-node")): [text.text or "" for text in g.iterfind(f"{SVG}text")]
            for g in root.iter(f"{SVG}g") if "data-node" in g.attrib}  # fmt: skip


def test_what_is_written():
    columns = (ColumnHead("weight"), ColumnHead("origin", ("Europe", "Japan", "USA")))
    slant = PerceptronTest((0, 1), (NUMBER_ITSELF, 2), (-0.123456, 1.0), -7.5)
    rule = LeafRule(PerceptronTest((0,), (NUMBER_ITSELF,), (2.0,), 9.0), ((5.0, 0.0), (0.0, 3.0), (0.0, 0.0)))
    nodes = (
        Node(0, (1237.0, 20.5), FeatureTest(0, 75.5), (1, 2, 3), 3, 1),
        Node(1, (1200.0, 10.0), CategoryTest(1, ((0, 1), (2,))), (4, 5), 4, 4),
        Node(2, (32.0, 7.5), slant, (6, 7, 8), 8, 6),
        Node(3, (5.0, 3.0), stop=Stop.NO_GAIN, rule=rule),
        Node(4, (1200.0, 0.0), stop=Stop.PURE),
        Node(5, (0.0, 10.0), stop=Stop.PURE),
        Node(6, (0.0, 7.5), stop=Stop.PURE),
        Node(7, (30.0, 0.0), stop=Stop.PURE),
        Node(8, (2.0, 0.0), stop=Stop.PURE),
    )
    tree = Tree(columns, ("bad", "good"), nodes)
    assert texts(svg_of(tree)) == {
        0: ["weight"],
        1: ["<= 75.5", "origin"],
        2: ["> 75.5", "-0.123 weight", "+ [origin is USA]"],
        3: ["missing", "bad if", "2 weight", "<= 9,", "else good", "bad: 5, good: 3"],
        4: ["is one of Europe,", "Japan", "bad", "bad: 1,200"],
        5: ["is USA", "good", "good: 10"],
        6: ["<= -7.5", "good", "good: 7.5"],
        7: ["> -7.5", "bad", "bad: 30"],
        8: ["missing", "bad", "bad: 2"],
    }
    told = svg_of(tree, names=["mass", "home"])
    assert "-0.123456 mass + [home is USA] &lt;= -7.5?" in told  # unrounded, for who points at it
    assert "bad (bad 1200). All its rows are of one class." in told
    root = ElementTree.fromstring(told)
    assert root.get("role") == "img"
    assert [root[0].tag, root[0].text] == [f"{SVG}title", "Decision tree"]
    assert root[1].tag == f"{SVG}desc"
    assert "Nodes: 9; leaves: 6; depth: 2." in root[1].text
    assert "home is one of Europe, Japan:" in root[1].text
    with pytest.raises(OptionError, match="2 columns need 2 names, not 1"):
        svg_of(tree, names=["mass"])


def test_captions_keep_their_distance():
    values = [f"a region with a name of its own, number {k}" for k in range(4)]
    picture = picture_of(tree_of([[1, 2, 3, 4], [], [], [], []], values=values, classes="ab"))
    leaves = list(zip(picture.boxes, picture.middles, strict=True))[1:]
    assert all(box.caption_width > box.width for box, _ in leaves)
    for (a, at), (b, to) in pairwise(leaves):
        assert at + a.caption_width / 2 + GAP <= to - b.caption_width / 2 + NEAR
    for box, _, floor, _, (_, end) in picture.lines:  # which end above the words
        _, baseline, size = next(iter(box.texts))
        assert floor < end <= picture.tops[1] + baseline - size + NEAR


@pytest.mark.parametrize("most_depth", [-1, 1.5, True])
def test_bad_depths_are_refused(most_depth):
    with pytest.raises(OptionError, match="most_depth must be a whole number of at least 0"):
        svg_of(chain(1), most_depth=most_depth)


def test_what_is_folded_away_is_counted():
    top = svg_of(chain(10), most_depth=3)
    assert texts(top)[6] == ["> 4", "a", "a: 7, b: 1", "14 more nodes"]
    assert "Hidden: 14." in top
    assert "more node" not in svg_of(chain(10))
    assert texts(svg_of(tree_of([[1], []]), most_depth=0))[0][-1] == "1 more node"


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_names_stay_inert(name):
    plain = svg_of(tree_of(SHAPE))
    svg = svg_of(
        tree_of(SHAPE, [f"{name}{k}" for k in range(3)], [name, f"{name}1", f"{name}2"], [name, "good"]), title=name
    )
    svg.encode()
    root, known = ElementTree.fromstring(svg), ElementTree.fromstring(plain)
    assert {e.tag for e in root.iter()} == {e.tag for e in known.iter()}
    assert {key for e in root.iter() for key in e.attrib} == {key for e in known.iter() for key in e.attrib}
    assert svg.count("data-node=") == 8
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe]", svg)
    width, height = map(float, root.get("viewBox").split()[2:])
    assert width < 1400
    assert height < 1400


def test_nothing_is_fetched_and_styles_stay_within_the_drawing():
    svg = svg_of(chain(3))
    assert not re.search(r"url\(|@import|href|<script|<image|<foreignObject|\bid=", svg)
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    style = ElementTree.fromstring(svg).find(f"{SVG}style").text
    rules = re.sub(r"@media[^{]*", "", style)
    for selector in re.findall(r"([^{}]+)\{[^{}]*\}", rules):
        assert selector.strip().startswith((".perceptron-tree", "svg.perceptron-tree:root"))


def test_a_very_deep_tree_is_drawn():
    tree = chain(2000)
    assert len(tree.nodes) == 4001 > sys.getrecursionlimit()
    assert svg_of(tree).count("data-node=") == 4001


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [*COLOURS, OTHERS])
def test_colours_are_seen_on_light_and_on_dark_paper(colour):
    """WCAG 2.2, 1.4.11: a contrast of 3 to 1."""
    for paper in ("#fdfcf8", "#171614"):
        dark, light = sorted([luminance(colour), luminance(paper)])
        assert (light + 0.05) / (dark + 0.05) >= 3.0


@given(st.integers(1, 30), st.floats(10.0, 2000.0))
def test_the_key_names_the_most_frequent_classes(many, width):
    names, counts = [f"class {k}" for k in range(many)], [float(k * 7 % 31) for k in range(many)]
    key = key_of(names, counts, width)
    named = [entry.name for entry in key.entries if entry.colour != OTHERS]
    assert len(set(key.colours) - {OTHERS}) == len(named) == min(many, len(COLOURS))
    least = min(counts[names.index(name)] for name in named)
    assert all(name in named or counts[k] <= least for k, name in enumerate(names))
    assert (key.entries[-1].name == f"{many - len(COLOURS)} others") == (many > len(COLOURS))
    parts = key.bar([1 / many] * many)
    assert parts[0][1] == 0.0
    assert parts[-1][2] == pytest.approx(1.0)
    assert all(a[2] == b[1] for a, b in pairwise(parts))


@given(st.lists(st.text("iaW \u6f22", max_size=80) | st.text(max_size=40), min_size=1, max_size=6), st.integers(1, 5))
def test_lines_are_no_wider_than_they_may_be_and_lose_nothing_in_silence(units, most):
    units = [clean(unit) for unit in units]
    lines = lines_of(units, 10.0, 120.0, most)
    assert 1 <= len(lines) <= most
    assert all(width_of(line, 10.0) <= 120.0 for line in lines)
    whole, shown = "".join("".join(units).split()), "".join("".join(lines).split())
    assert shown == whole or (lines[-1].endswith(ELLIPSIS) and whole.startswith(shown.removesuffix(ELLIPSIS)))


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("name", ["weight", HOSTILE["mathematics"], HOSTILE["controls"]])
def test_a_figure_has_the_same_boxes(pyplot, name):
    from matplotlib.patches import FancyBboxPatch

    tree = tree_of(SHAPE, [name, "power", "origin"])
    axes = figure_of(tree)
    axes.figure.canvas.draw()
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    picture = picture_of(tree)
    assert len(boxes) == 8
    middles = [box.get_x() + box.get_width() / 2 for box in boxes]
    assert middles == pytest.approx(list(picture.middles))
    written = [line for lines in texts(svg_of(tree)).values() for line in lines]
    assert [text.get_text() for text in axes.texts][2:] == written  # after the two classes of the key
    folded = figure_of(tree, pyplot.figure().add_subplot(1, 2, 1), most_depth=1)
    assert sum(isinstance(patch, FancyBboxPatch) for patch in folded.patches) == 3


def test_a_figures_text_stays_within_its_box(pyplot):
    tree = tree_of(SHAPE, ["acceleration", "displacement", "origin"])
    axes = figure_of(tree)
    axes.figure.canvas.draw()
    widest = {text: box.width for box in picture_of(tree).boxes for text in (*box.heading, *box.small)}
    for text in axes.texts[2:]:
        if text.get_text() in widest:
            extent = text.get_window_extent().transformed(axes.transData.inverted())
            assert extent.width <= widest[text.get_text()]


def test_without_matplotlib_the_command_to_install_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        MissingExtraError, match=re.escape('a figure of a tree needs an extra: pip install "rosenblatt[plot]"')
    ):
        figure_of(chain(1))


def test_the_estimator_draws_itself(pyplot):
    tree = PerceptronTree(test="feature", prune=None).fit([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], ["a", "a", "b"])
    assert tree.export_svg(feature_names=["size", "age"], title="Which?") == svg_of(
        tree.tree_, names=["size", "age"], title="Which?"
    )
    assert tree.export_svg()._repr_svg_() == tree.export_svg()
    assert texts(tree.export_svg(most_depth=0, feature_names=["size", "age"]))[0][-1] == "2 more nodes"
    assert tree.plot(feature_names=["size", "age"]).texts[2].get_text() in ("size", "age")
    assert "PerceptronTree" in tree._repr_html_()  # as before: a drawing is shown where it is asked for
    assert not hasattr(tree, "_repr_svg_")
