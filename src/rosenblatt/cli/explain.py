"""`rosenblatt explain`: the rule as points."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli import terms

NAME = "explain"
EXAMPLE = "Example: rosenblatt explain model.json --integers applications.csv -o card.json"


def run(
    model: terms.ModelFile,
    file: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...]", help="Table to choose whole points by; for --integers.", show_default=False
        ),
    ] = None,
    integers: Annotated[
        bool, typer.Option("--integers", help="Small whole-number points, and the mistakes they cost.")
    ] = False,
    largest: Annotated[
        str, typer.Option("--largest", metavar="N", help="The most points for anything; auto: as few as cost little.")
    ] = "auto",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="MODEL", help="Write the rule with whole points as a model."),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, metavar="K", help="Show at most K lines per column.")] = 20,
    file_format: terms.Format = None,
    delimiter: terms.Delimiter = None,
    drop_missing_target: terms.DropMissing = False,
    force: terms.Force = False,
    json: terms.Json = False,
    quiet: terms.Quiet = False,
) -> None:
    """Show the scorecard: points for what stands in each column, and the threshold."""
    from rosenblatt.cli import reading, wording
    from rosenblatt.cli.screen import Screen
    from rosenblatt.desk.shipping import card_of, points_of, with_points
    from rosenblatt.errors import OptionError
    from rosenblatt.ship.integers import integers as whole_points
    from rosenblatt.ship.modelfile import Model

    screen = Screen(json, quiet)
    reading.free(output, force)
    loaded = Model.load(model)
    points = points_of(loaded)
    if not integers:
        if file or output:
            raise OptionError("a table and an output are for --integers")
        card = card_of(loaded)
        wording.card(screen, card, most)
        screen.record(_record(model, card.as_record()))
        return
    if not file:
        raise OptionError(
            "--integers needs the table that the points are chosen by: rosenblatt explain MODEL FILE --integers"
        )
    data = reading.known(screen, file, points.encoding, file_format, delimiter, drop_missing_target)
    with screen.busy("choosing whole points"):
        chosen = whole_points(points, data.X, data.y, largest=_largest(largest))
    wording.card(screen, chosen.card, most)
    screen.line(chosen.statement)
    if output is not None:
        with_points(loaded, chosen.points, data).save(output, force=force)
        screen.line(f"Model written to {output}")
    counts = chosen.as_record()
    screen.record(_record(model, counts.pop("card"), counts, output))


def _record(
    model: Path, card: dict[str, Any], integers: dict[str, Any] | None = None, output: Path | None = None
) -> dict[str, Any]:
    """The scorecard, for a program."""
    card = {"threshold": None, **card}
    return {"command": NAME, "model": str(model), "card": card, "integers": integers, "output": output and str(output)}


def _largest(given: str) -> int | str:
    from rosenblatt.errors import OptionError

    if given == "auto":
        return given
    if not given.isdecimal() or int(given) < 1:
        raise OptionError(f"--largest must be auto or a whole number from 1, not {given!r}")
    return int(given)
