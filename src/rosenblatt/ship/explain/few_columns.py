"""The section of a report about the number of columns: the error of rules of one column, of two, and so on."""

from rosenblatt.learn.selection.column_path import ColumnPath
from rosenblatt.ship.explain import plots
from rosenblatt.ship.explain.page import name as _name
from rosenblatt.ship.explain.page import text as _text


def section_of(path: ColumnPath) -> str:
    """The section as HTML."""
    opening = (
        f"<p>{_text(path.statement)} For each error, columns were chosen and points were learned without the "
        "rows that the rules were judged on.</p>"
    )
    lines = "".join(
        f'<tr><td>{_text(many)}</td><td class="number">{error}</td><td>{_name(added)}</td></tr>'
        for many, error, added in path.rows
    )
    head = '<thead><tr><th>columns</th><th class="number">error</th><th>added</th></tr></thead>'
    table = f"<table>{head}<tbody>{lines}</tbody></table>"
    if path.error.size < 2:
        return f"{opening}{table}"
    says = "Error by the number of columns; each bar is the noise in its distance from the least error."
    says += "" if path.all_error is None else " The line is the error of a rule of all columns."
    drawn = plots.by_columns(path.error, path.noise, path.many, path.all_error)
    return f'{opening}{table}<div class="figures"><figure>{drawn}<figcaption>{says}</figcaption></figure></div>'
