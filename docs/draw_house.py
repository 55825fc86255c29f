"""Draw the rooms of the house and who uses whom, from the imports: python docs/draw_house.py

Every box is a room, in the order in which data flows; every arc is a room that imports another, as thick as the number
of files that do. Arcs on the left, if there were any, would go against the flow.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from math import log2
from pathlib import Path

HERE = Path(__file__).parent
SOURCE, PICTURE = HERE.parent / "src" / "rosenblatt", HERE / "house.svg"
ROOMS = {  # from the data to the user
    "rows": ("rows as compiled code sees them, and passes over them", "kernels storage examples door find scan"),
    "read": ("files become tables, columns become features", "formats/ profile/ encode/"),
    "geometry": ("nearest points, in floats", "wolfe whitening line_search working_set"),
    "learn": ("rows become weights", "pla/ pocket/ passes/ lifted/ soft/ dual/ online/ tree/"),
    "judge": ("scores become decisions, and are judged", "calibration curves cutoff abstain drift"),
    "prove": ("claims become certificates", "check/ solve/ theory/"),
    "draw": ("pictures of trees", "tree_picture"),
    "rules": ("what was learned, and what may be asked of it", "rule linear tree kernel online"),
    "estimators": ("rules as scikit-learn knows them", "face, and one file each"),
    "ship": ("rules leave the machine", "file/ export/ explain/"),
    "desk": ("what an analyst does", "check train predict report verifying/"),
    "cli": ("parse, call, print", "commands/"),
}
LEFT, WIDTH, HEIGHT, GAP, TOP = 20, 470, 52, 14, 20
STYLE = """<style>
  text { font: 13px system-ui, sans-serif; fill: #1b2733 }
  .room { font-weight: 700; font-size: 15px }
  .files { font-family: ui-monospace, monospace; font-size: 11px; fill: #5b6b7a }
  rect { fill: #f4f7fa; stroke: #b8c4d0 }
  path { fill: none; stroke: #3b6ea5; stroke-opacity: .45 }
  path.back { stroke: #b3261e; stroke-opacity: .9 }
</style>"""


def uses() -> Counter[tuple[str, str]]:
    """How many files of one room import another."""
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0]
        if room in ROOMS:
            found.update((room, other) for other in set(_imported(path)) if other in ROOMS and other != room)
    return found


def _imported(path: Path) -> Iterator[str]:
    """The rooms that a file imports from, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name.startswith("rosenblatt."):
                yield name.split(".")[1]
            elif name == "rosenblatt" and isinstance(node, ast.ImportFrom):
                yield from (alias.name for alias in node.names)


def picture() -> str:
    """The text of the SVG."""
    places = {room: TOP + k * (HEIGHT + GAP) for k, room in enumerate(ROOMS)}
    right, bottom = LEFT + WIDTH, TOP + len(ROOMS) * (HEIGHT + GAP)
    parts = []
    for (room, other), files in sorted(uses().items()):
        begin, end = places[room] + HEIGHT / 2, places[other] + HEIGHT / 2
        reach, kind = 12 + abs(begin - end) * 0.36, "back" if places[room] < places[other] else "use"
        x, bend = (LEFT, LEFT - reach) if kind == "back" else (right, right + reach)
        parts.append(
            f'<path class="{kind}" stroke-width="{1 + log2(files):.1f}" '
            f'd="M{x} {begin:g} C{bend:g} {begin:g} {bend:g} {end:g} {x} {end:g}">'
            f"<title>{room} uses {other}: {files} {'file' if files == 1 else 'files'}</title></path>"
        )
    for room, (what, files) in ROOMS.items():
        y = places[room]
        parts.append(
            f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
            f'<text class="room" x="{LEFT + 14}" y="{y + 22}">{room}</text>'
            f'<text x="{LEFT + 120}" y="{y + 22}">{what}</text>'
            f'<text class="files" x="{LEFT + 120}" y="{y + 41}">{files}</text>'
        )
    size = f'width="760" height="{bottom}" viewBox="0 0 760 {bottom}"'
    title = "<title>The rooms of rosenblatt, and which imports which</title>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n{title}\n{STYLE}\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
