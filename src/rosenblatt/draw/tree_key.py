"""The colours of the classes in a drawing, and the key that explains them."""

from collections.abc import Sequence
from dataclasses import dataclass

from rosenblatt.draw.tree_words import cut, width_of

# Each stands out from light and from dark paper; the first two are a report's no and yes.
COLOURS = (
    "#bd7f26", "#1d6f6b", "#7d5fb8", "#b84a62", "#3d7dbd", "#6a8a30", "#a8589a", "#8c6a4d", "#c25e34", "#4a8496",
)  # fmt: skip
OTHERS = "#8a857b"  # all classes beyond these
SIZE, LINE = 11.0, 20.0
SWATCH, BESIDE, BETWEEN = 10.0, 6.0, 18.0  # a coloured square, the gap to its name, and the gap to the next square
NARROWEST = 260.0
LONGEST_NAME = 32  # characters


@dataclass(frozen=True)
class KeyEntry:
    """A colour, its name, and the upper left corner of its square."""

    colour: str
    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Key:
    """The colour of every class, the entries of the key, and their size."""

    colours: tuple[str, ...]
    entries: tuple[KeyEntry, ...]
    width: float
    height: float

    def bar(self, shares: Sequence[float]) -> list[tuple[str, float, float]]:
        """The parts of a bar from 0 to 1: colour, start and end."""
        sums = dict.fromkeys((*COLOURS, OTHERS), 0.0)
        for colour, share in zip(self.colours, shares, strict=True):
            sums[colour] += share
        parts, begin = [], 0.0
        for colour, share in sums.items():
            if share:
                parts.append((colour, begin, begin + share))
                begin += share
        return parts


def key_of(classes: Sequence[str], counts: Sequence[float], width: float) -> Key:
    """The key for these classes; if there are too many, only the most frequent have their own colour."""
    seen = list(range(len(classes)))
    if len(classes) > len(COLOURS):
        seen = sorted(sorted(seen, key=lambda k: -counts[k])[: len(COLOURS)])
    colours = [OTHERS] * len(classes)
    for colour, k in zip(COLOURS, seen, strict=False):
        colours[k] = colour
    named = [(colours[k], cut(classes[k], LONGEST_NAME)) for k in seen]
    if len(classes) > len(seen):
        named.append((OTHERS, f"{len(classes) - len(seen):,} others"))
    return _flowing(tuple(colours), named, max(width, NARROWEST))


def _flowing(colours: tuple[str, ...], named: Sequence[tuple[str, str]], widest: float) -> Key:
    """Entries from left to right, in as many lines as needed."""
    entries: list[KeyEntry] = []
    x = y = right = 0.0
    for colour, name in named:
        wide = SWATCH + BESIDE + width_of(name, SIZE)
        if x and x + wide > widest:
            x, y = 0.0, y + LINE
        entries.append(KeyEntry(colour, name, x, y))
        right = max(right, x + wide)
        x += wide + BETWEEN
    return Key(colours, tuple(entries), right, y + LINE)
