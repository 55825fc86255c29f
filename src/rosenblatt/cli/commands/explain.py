"""`rosenblatt explain`: the rule as points, or as a tree in words."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.groups import flattened

NAME = "explain"
EXAMPLE = "Example: rosenblatt explain model.json --integers applications.csv -o card.json"
MOST_LINES, MOST_COLUMNS = 20, 100  # of a column; of a card


@dataclass(frozen=True)
class View:
    """What to show of a rule, and whether to make whole points of it."""

    integers: Annotated[
        bool, typer.Option("--integers", help="Choose small whole-number points, and count the mistakes they add.")
    ] = False
    largest: Annotated[
        str, typer.Option("--largest", metavar="N", help="Most points for one value; auto: as few as cost little.")
    ] = "auto"
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="MODEL", help="Write the rule with whole points as a model."),
    ] = None
    row: Annotated[
        int | None,
        typer.Option(
            "--row", min=1, metavar="K", help="Show the path of row K of the table through a tree, step by step."
        ),
    ] = None
    most: Annotated[
        int | None,
        typer.Option("--most", min=1, metavar="K", help="At most K lines per column (default 20) or tree (1000)."),
    ] = None
    columns: Annotated[
        int,
        typer.Option("--columns", min=1, metavar="K", help="Show the K columns with the most points."),
    ] = MOST_COLUMNS


@flattened
def run(
    *,
    model: parameters.ModelFile,
    file: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...]",
            help="Table to choose whole points on (--integers), or that contains row K (--row).",
            show_default=False,
        ),
    ] = None,
    view: View,
    wanted: parameters.KnownTable,
    shown: parameters.FileOutput,
) -> None:
    """Show the scorecard: points for each value of each column, and the threshold; or, for a tree, its tests."""
    from rosenblatt.cli import reading, wording
    from rosenblatt.desk.model_contents import points_of
    from rosenblatt.errors import OptionError
    from rosenblatt.ship.file.modelfile import Model

    screen = shown.screen_for(view.output)
    loaded = Model.load(model)
    if view.row is not None or (loaded.rule.tree is not None and not view.integers):
        if view.integers or view.output:
            raise OptionError("--integers and --output cannot be used with --row, nor with a tree")
        screen.record(_tree(screen, model, loaded, file or [], view, wanted))
        return
    most, most_points = view.most or MOST_LINES, _largest(view.largest)
    if not view.integers:
        if file or view.output:
            raise OptionError("FILE and --output require --integers")
        screen.record(_card(screen, model, loaded, most, view.columns))
        return
    if not file:
        raise OptionError(
            "--integers requires a table to choose the points on: rosenblatt explain MODEL FILE --integers"
        )
    from rosenblatt.desk.whole_points import whole_points

    encoding, weights = points_of(loaded).encoding, (loaded.held_out or {}).get("weights")
    data = reading.known(screen, file, wanted, encoding, weights)
    with screen.busy("choosing whole points"):
        found = whole_points(loaded, data, most_points)
    wording.card(screen, found.chosen.card, most, view.columns)
    screen.line(found.statement)
    if view.output is not None:
        found.model.save(view.output, force=shown.force)
        screen.line(f"Model written to {view.output}")
    counts = found.as_record()
    screen.record(_record(model, counts.pop("card"), counts, view.output))


def _card(screen: Any, model: Path, loaded: Any, most: int, columns: int) -> dict[str, Any]:
    """Show the points, their constraints, and the limit on columns; returns the record for a program."""
    from rosenblatt.cli import wording
    from rosenblatt.desk.constraints import points_in_words
    from rosenblatt.desk.model_contents import card_of

    card, path = card_of(loaded), loaded.rule.column_path
    wording.card(screen, card, most, columns)
    if loaded.rule.cone:
        screen.line(points_in_words(loaded.table_encoding, loaded.rule.cone))
    if path is not None:
        screen.line(path.statement)
        wording.column_path(screen, path)
    return _record(model, card.as_record()) | {"few_columns": None if path is None else path.record}


def _tree(
    screen: Any,
    model: Path,
    loaded: Any,
    file: list[str],
    view: View,
    wanted: parameters.Format,
) -> dict[str, Any]:
    """Show a tree, or the path of one row through it; returns the record for a program."""
    from rosenblatt.cli import reading, wording
    from rosenblatt.desk.tree_paths import path_of, tree_of
    from rosenblatt.errors import OptionError

    tree = tree_of(loaded)
    if bool(file) != (view.row is not None):
        raise OptionError("FILE and --row require each other: rosenblatt explain MODEL FILE --row K")
    encoding, way = loaded.table_encoding, None
    if view.row is None:
        wording.tree(screen, tree, view.most or wording.MOST_TREE_LINES)
    else:
        table = reading.table(screen, file, wanted, encoding, target=False)
        with reading.named(table):
            way = path_of(loaded, table, view.row)
        for line in way.lines(encoding.target.name):
            screen.line(line)
    record = _record(model, None)
    return record | {"tree": wording.tree_record(tree, view.most), "way": way and way.as_record()}


def _record(
    model: Path, card: dict[str, Any] | None, integers: dict[str, Any] | None = None, output: Path | None = None
) -> dict[str, Any]:
    """The scorecard, for a program."""
    card = card and {"threshold": None, **card}
    found = {
        "card": card,
        "few_columns": None,
        "tree": None,
        "way": None,
        "integers": integers,
        "output": output and str(output),
    }
    return {"command": NAME, "model": str(model), **found}


def _largest(given: str) -> int | str:
    from rosenblatt.errors import OptionError

    if given == "auto":
        return given
    if not given.isdecimal() or int(given) < 1:
        raise OptionError(f"--largest must be auto or a whole number from 1, not {given!r}")
    return int(given)
