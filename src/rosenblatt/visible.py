"""Untrusted text made safe to show: characters that control a terminal or are invisible become \\x1b or \\u202e.

Names, labels, cells and file names may contain anything. A terminal obeys control characters; direction overrides make
one text look like another; zero-width characters are invisible; half a surrogate pair cannot be written at all.
"""

import html
import json
import re
from typing import Any

C0_AND_C1 = "\x00-\x1f\x7f-\x9f"
HIDDEN = "\u061c\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
UNSAFE = re.compile(f"[{C0_AND_C1}{HIDDEN}]")
UNSAFE_IN_LINES = re.compile(f"[{C0_AND_C1}{HIDDEN}]".replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))  # without \t and \n
SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: object) -> str:
    """The text on one line, safe to show anywhere."""
    return UNSAFE.sub(_escaped, str(text))


def visible_lines(text: str) -> str:
    """A text of several lines, safe to show; line breaks and tabs are kept."""
    return UNSAFE_IN_LINES.sub(_escaped, text)


def json_text(record: Any, **how: Any) -> str:
    """A record as JSON with all unsafe characters escaped, including those that JSON allows."""
    return visible_json(json.dumps(record, ensure_ascii=False, allow_nan=False, **how))


def visible_json(written: str) -> str:
    """JSON text with all unsafe characters escaped."""
    return UNSAFE_IN_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    return SHORT.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


class ReadableResult:
    """A result that prints as sentences, also at a prompt and in a notebook, with the verdict in bold."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _repr_html_(self) -> str:
        first, *more = (html.escape(part) for part in re.split(r"(?<=\.)\s+", str(self), maxsplit=1))
        return f"<p><b>{first}</b> {more[0]}</p>" if more else f"<p>{first}</p>"


def brief(value: Any) -> str:
    """A value for a message, shortened to one line."""
    text = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
