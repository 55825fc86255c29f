"""Texts in a drawing: safe for XML, measured without a font, and broken into lines."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
# Control characters, halves of pairs, what is no character, and marks that turn the direction of what follows.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
NARROW, BROAD = frozenset("fijlrtI.,:;'|!()[]{} -/\\"), frozenset("mwMW@%&+=<>_")
WIDE = 1.15  # the width of an ideograph relative to the font size


def clean(text: object) -> str:
    """A text on one line, safe anywhere; right-to-left text does not affect what follows it."""
    line = " ".join(NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", str(text)).split())
    leftwards = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in line)
    return f"{line}\N{LEFT-TO-RIGHT MARK}" if leftwards else line


def cut(text: str, most: int) -> str:
    """The text, cut to at most this many characters."""
    return text if len(text) <= most else clean(text[: most - 1].rstrip() + ELLIPSIS)


def width_of(text: str, size: float) -> float:
    """The approximate width of a text in a wide sans-serif font."""
    return size * sum(map(_width, text))


def lines_of(units: Sequence[str], size: float, widest: float, most: int) -> tuple[str, ...]:
    """Units of text in at most this many lines, each kept together if it fits; an ellipsis replaces the rest."""
    lines = [""]
    for word in _words(units, size, widest):
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer, size) <= widest:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = _ended(lines[-1], size, widest)
            break
        else:
            lines.append(word)
    return tuple(lines)


def _width(letter: str) -> float:
    if letter in NARROW:
        return 0.38
    if letter in BROAD:
        return 0.88
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return WIDE
    return 0.72 if letter.isupper() else 0.61


def _words(units: Sequence[str], size: float, widest: float) -> Iterator[str]:
    """The units if they fit into a line; otherwise their words; otherwise parts of words."""
    for unit in units:
        for word in [unit] if width_of(unit, size) <= widest else unit.split():
            yield from _parts(word, size, widest)


def _parts(word: str, size: float, widest: float) -> Iterator[str]:
    part, width = "", 0.0
    for letter in word:
        wide = size * _width(letter)
        if part and width + wide > widest:
            yield part
            part, width = "", 0.0
        part, width = part + letter, width + wide
    yield part


def _ended(line: str, size: float, widest: float) -> str:
    """The line, ended by an ellipsis."""
    while line and width_of(line + ELLIPSIS, size) > widest:
        line = line[:-1]
    return line.rstrip() + ELLIPSIS
