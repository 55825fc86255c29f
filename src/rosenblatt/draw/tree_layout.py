"""The positions of the boxes in a tree drawing.

Problem   place boxes of any width, each below its parent: close together, not overlapping, easy to read.
Input     the width of every box and the numbers of its children, parents before children.
Result    the middle of every box: a parent above the middle of its children, children in order, with the space
          between them spread evenly. Time is linear in the number of boxes; nothing is recursive.
Papers    Reingold and Tilford, Tidier drawings of trees, 1981; Buchheim, Juenger and Leipert, linear time for any
          number of children, 2002; van der Ploeg, boxes of different sizes, 2014.
"""

from collections.abc import Sequence
from dataclasses import dataclass

NARROWEST, WIDEST = 30.0, 84.0  # between two levels
SLOPE = 0.09  # extra height for every unit that a line reaches to the side


@dataclass
class _Outline:
    """The edges of a subtree, level by level from the lowest up to its root."""

    left: list[float]
    right: list[float]
    moved: float = 0.0  # to be added to every edge


def tidy(widths: Sequence[float], children: Sequence[Sequence[int]], gap: float) -> list[float]:
    """The middle of every box; the leftmost edge is at 0."""
    outlines: dict[int, _Outline] = {}
    aside = [0.0] * len(widths)  # the distance from the parent's middle
    for node in reversed(range(len(widths))):
        half, below = widths[node] / 2, [outlines.pop(child) for child in children[node]]
        outline, places = _side_by_side(below, gap) if below else (_Outline([], []), [0.0])
        middle = (places[0] + places[-1]) / 2
        for child, place in zip(children[node], places, strict=False):
            aside[child] = place - middle
        outline.moved -= middle
        outline.left.append(-half - outline.moved)
        outline.right.append(half - outline.moved)
        outlines[node] = outline
    middles = [0.0] * len(widths)
    for node, below_it in enumerate(children):
        for child in below_it:
            middles[child] = middles[node] + aside[child]
    leftmost = min(middle - width / 2 for middle, width in zip(middles, widths, strict=True))
    return [middle - leftmost for middle in middles]


def tallest(heights: Sequence[float], depths: Sequence[int]) -> list[float]:
    """The height of the tallest box on each level."""
    found = [0.0] * (max(depths) + 1)
    for height, depth in zip(heights, depths, strict=True):
        found[depth] = max(found[depth], height)
    return found


def stacked(heights: Sequence[float], between: Sequence[float]) -> list[float]:
    """The top of each level: below the level above it and the gap between the two."""
    found = [0.0]
    for height, band in zip(heights, between, strict=True):
        found.append(found[-1] + height + band)
    return found[:-1]


def bands(middles: Sequence[float], children: Sequence[Sequence[int]], depths: Sequence[int]) -> list[float]:
    """The gap between each level and the next: larger where a line reaches far to the side."""
    reach = [0.0] * (max(depths) + 1)
    for node, below in enumerate(children):
        for child in below:
            reach[depths[node]] = max(reach[depths[node]], abs(middles[child] - middles[node]))
    return [min(max(NARROWEST, SLOPE * far), WIDEST) for far in reach]


def _side_by_side(outlines: Sequence[_Outline], gap: float) -> tuple[_Outline, list[float]]:
    """Subtrees from left to right as one outline, and the position of each."""
    joined, places = outlines[0], [0.0]
    reaching = [(len(joined.left), 0)]  # levels, and the last subtree that reaches so far down; fewer and fewer levels
    for number, outline in enumerate(outlines[1:], start=1):
        place, extra, blocker = _place(joined, outline, reaching, gap)
        places.append(place)
        for between in range(blocker + 1, number):  # these end above the level where the two meet: nothing touches them
            places[between] += extra * (between - blocker) / (number - blocker)
        outline.moved += place
        levels = len(outline.left)
        joined = _merged(joined, outline)
        while reaching and reaching[-1][0] <= levels:
            reaching.pop()
        reaching.append((levels, number))
    return joined, places


def _place(
    joined: _Outline, new: _Outline, reaching: Sequence[tuple[int, int]], gap: float
) -> tuple[float, float, int]:
    """The leftmost position of a new subtree, the part of it due to a subtree beyond its neighbour, and which one.

    `reaching` gives, for each level, the subtree that has the right edge there.
    """
    apart = joined.moved - new.moved + gap
    top = len(reaching) - 1
    neighbour = place = float("-inf")
    blocker = reaching[top][1]
    for level in range(1, min(len(joined.right), len(new.left)) + 1):
        while reaching[top][0] < level:
            top -= 1
        wanted = joined.right[-level] - new.left[-level] + apart
        if top == len(reaching) - 1:
            neighbour = max(neighbour, wanted)
        if wanted > place:
            place, blocker = wanted, reaching[top][1]
    return place, place - neighbour, blocker


def _merged(joined: _Outline, new: _Outline) -> _Outline:
    """Both outlines as one: the deeper one's edges, overwritten as far down as the other reaches."""
    if len(new.left) > len(joined.left):
        moved = joined.moved - new.moved
        new.left[len(new.left) - len(joined.left) :] = [edge + moved for edge in joined.left]
        return new
    moved = new.moved - joined.moved
    joined.right[len(joined.right) - len(new.right) :] = [edge + moved for edge in new.right]
    return joined
