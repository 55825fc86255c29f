"""`rosenblatt fit`: from a table to a rule."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli import parameters
from rosenblatt.cli.groups import flattened
from rosenblatt.cli.parameters import of_judging, of_learning
from rosenblatt.cli.values import above_zero
from rosenblatt.vocabulary import ORDERS, STARTS, TIE_RULES

NAME = "fit"
EXAMPLE = "Example: rosenblatt fit applications.csv --target approved --positive yes -o model.json"


def choice(help_text: str, words: tuple[str, ...]) -> Any:
    """An option whose value is one of these words."""
    completed = parameters.one_of(*words)
    return of_learning(metavar="RULE", help=f"{help_text}: {', '.join(words)}.", autocompletion=completed)


@dataclass(frozen=True)
class FitOptions(parameters.RuleOptions):
    """Options of the rule that have their own names here."""

    order: Annotated[str | None, choice("Which mistake is corrected next", ORDERS)] = None
    ties: Annotated[str | None, choice("What a score of zero counts as", TIE_RULES)] = None
    start: Annotated[str | None, choice("First weights", STARTS)] = None
    threshold: Annotated[
        bool | None, of_learning("--threshold/--no-threshold", help="Whether the rule has a threshold.")
    ] = None
    bias_scale: Annotated[
        float | None,
        of_learning(
            metavar="X", callback=above_zero, help="Value of the constant feature whose weight the threshold is."
        ),
    ] = None
    normalize: Annotated[
        bool | None, of_learning("--normalize/--no-normalize", help="Scale every row to length 1.")
    ] = None
    max_passes: Annotated[int | None, of_learning(metavar="N", min=1, help="Budget of passes over the rows.")] = None
    max_updates: Annotated[int | None, of_learning(metavar="N", min=1, help="Budget of corrections.")] = None
    max_seconds: Annotated[float | None, of_learning(metavar="S", callback=above_zero, help="Budget of seconds.")] = (
        None
    )
    patience: Annotated[
        int | None,
        of_learning(metavar="N", min=1, help="Draws without an update, or failed restarts, before stopping."),
    ] = None

    def given(self) -> dict[str, Any]:
        """The options that were given, by their names in Python."""
        named = {
            "order": self.order, "ties": self.ties, "start": self.start, "fit_intercept": self.threshold,
            "bias_scale": self.bias_scale, "normalize": self.normalize, "max_passes": self.max_passes,
            "max_updates": self.max_updates, "max_seconds": self.max_seconds, "patience": self.patience,
        }  # fmt: skip
        return {name: value for name, value in named.items() if value is not None} | super().given()


@flattened
def run(
    *,
    file: parameters.Source,
    target: parameters.TargetColumn,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write.", show_default=False)
    ],
    training: parameters.Training,
    prove: Annotated[
        bool,
        of_judging(
            "--prove/--no-prove",
            help="Put a proof of how good the rule is into the model. --no-prove: no proof, and fewest-mistakes means "
            "the pocket.",
        ),
    ] = True,
    options: FitOptions,
    deciding: parameters.Deciding,
    constraints: parameters.Constraints,
    table: parameters.WeightedTable,
    shown: parameters.ConfiguredOutput,
) -> None:
    """Learn a rule from a table and write it to a model file, with its proof.

    By default, a fifth of the rows is held out, and the rule's error on them is reported with an exact interval. Ctrl-C
    ends learning early and keeps the best rule so far.
    """
    begun = table.begin(file)

    from rosenblatt.cli import learning

    screen = shown.screen_for(output, kernels=15)
    found = learning.outcome(screen, begun, target, table, training, options, deciding, constraints, prove)
    found.model.save(output, force=shown.force)
    found.show(screen)
    screen.line(f"Model written to {output}")
    screen.record({"command": NAME, **found.record(), "model": str(output)})
    raise typer.Exit(found.code)
