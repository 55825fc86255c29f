"""Two rules compared, or old and new data, in words for people."""

from rosenblatt.cli.screen import Screen
from rosenblatt.judge.monitor import Monitoring, p_text
from rosenblatt.judge.side_by_side import SideBySide
from rosenblatt.plurals import many

MOST = 20  # columns that changed
MOST_KINDS, MOST_ROWS, MOST_CELLS = 6, 5, 4  # of rows labelled differently
LONGEST = 20  # letters of a cell


def monitored(screen: Screen, found: Monitoring) -> None:
    """How new data differs from old data."""
    screen.line(found.verdict, style="bold yellow" if found.changed else "bold")
    screen.line(f"Compared: {many(found.new_rows, 'new row')} with {many(found.old_rows, 'old row')}.")
    changed = found.changed_columns
    if changed:
        screen.line()
        rows = [
            (
                each.name,
                f"{each.drift.index:.3f}",
                p_text(each.adjusted)[2:].lstrip("= "),
                f"{each.drift.unseen:.1%}",
                each.statement,
            )
            for each in changed[:MOST]
        ]
        screen.table(("column", "index", "p", "unknown", "what changed"), rows, right=(1, 2, 3))
    if len(changed) > MOST:
        screen.line(f"({many(len(changed) - MOST, 'more column')} changed: --json and --report show all)")
    rest = found.columns[len(changed) :]
    if rest:
        largest = f"{rest[0].name} ({rest[0].drift.index:.3f}, {p_text(rest[0].adjusted)})"
        screen.line(f"{many(len(rest), 'column')} unchanged; the largest index is that of {largest}.")
    score = found.score
    if not found.comparable:
        screen.line(
            "No rows were held out in learning: the old scores and decisions are those of the rows learned from, so "
            "they may differ from new ones even if nothing changed."
        )
    how = score.statement if found.score_changed else "unchanged" if found.comparable else score.statement
    screen.line(f"Scores: {how} (index {score.drift.index:.3f}, {p_text(score.adjusted)}).")
    for rate in found.rates:
        screen.line(f"Decisions: {rate.statement}")
    if found.error is not None:
        screen.line(f"Error: {found.error.statement}", style="bold yellow" if found.error.worse else "")
    if found.more:
        screen.note(
            f"{many(found.more, 'column')} not compared: the model keeps a profile of the first 1,000 columns only"
        )


def compared(screen: Screen, found: SideBySide) -> None:
    """Two rules on the same rows."""
    for side in found.sides:
        screen.line(f"{side.letter} is {side.file} ({side.rule}).")
    where = "held out from both rules" if found.held_out else "with a label"
    rest = f" ({many(found.unlabelled, 'row')} without a label left out)" if found.unlabelled else ""
    screen.line(f"Judged on {many(found.rows, 'row')} {where}{rest}.")
    for caution in found.cautions:
        screen.line(f"{caution} Use --held-out, or other rows.", style="bold yellow")
    screen.line()
    screen.line(found.verdict, style="bold")
    for side in found.sides:
        screen.line(side.statement)
    if found.counts:
        screen.line(found.costs)
        screen.line()
        rows = [(name, f"{count:,}") for name, count in found.counts]
        screen.table(("on rows that both decide" if _asks(found) else "", "rows"), rows, right=(1,))
    _kinds(screen, found)


def _asks(found: SideBySide) -> bool:
    """Whether some row is left to a person."""
    return any(side.decided < side.rows for side in found.sides)


def _kinds(screen: Screen, found: SideBySide) -> None:
    """Where the rules differ."""
    if not found.kinds:
        return
    kinds = [(kind.actual, kind.first, kind.second, f"{kind.rows:,}") for kind in found.kinds[:MOST_KINDS]]
    screen.table(("where they differ: it is", "A says", "B says", "rows"), kinds, right=(3,))
    rows = []
    for each in found.first_rows[:MOST_ROWS]:
        cells = ", ".join(_cell(name, value) for name, value in list(each.cells.items())[:MOST_CELLS])
        rows.append((f"{each.row:,}", each.actual, *each.labels, cells))
    screen.table(("row", "is", "A says", "B says", "with"), rows, right=(0,))


def _cell(name: str, value: str) -> str:
    """A column and what a row has in it, cut short."""
    return f"{name} {value if len(value) <= LONGEST else f'{value[: LONGEST - 1]}…'}"
