"""What people see of two rules, or of old and new data."""

from rosenblatt.cli.screen import Screen
from rosenblatt.judge.monitor import Monitoring, p_text
from rosenblatt.plurals import many

MOST = 20  # columns that changed


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
        screen.line(f"{many(len(rest), 'column')} as before; the largest index is that of {largest}.")
    score = found.score
    if not found.comparable:
        screen.line(
            "No rows were held out in learning: the old scores and decisions are those of the rows learned from, so "
            "they may differ from new ones even if nothing changed."
        )
    how = score.statement if found.score_changed else "as before" if found.comparable else score.statement
    screen.line(f"Scores: {how} (index {score.drift.index:.3f}, {p_text(score.adjusted)}).")
    for rate in found.rates:
        screen.line(f"Decisions: {rate.statement}")
    if found.error is not None:
        screen.line(f"Error: {found.error.statement}", style="bold yellow" if found.error.worse else "")
    if found.more:
        screen.note(f"{many(found.more, 'column')} without a profile, which the model keeps of the first 1,000 only")
