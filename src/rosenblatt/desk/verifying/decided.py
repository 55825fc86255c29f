"""Checks how rows are decided: the counts behind a guarantee, what was measured on held-out rows, the cut-offs."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from rosenblatt.desk.judging.judged import answers_of
from rosenblatt.desk.judging.measures import Measures
from rosenblatt.desk.verifying.claim import AGAIN, PREDICT, Claim, Outcome, Subject, near
from rosenblatt.errors import DataError, OptionError
from rosenblatt.judge.abstain import Abstention, choose
from rosenblatt.judge.making import names_of
from rosenblatt.plurals import many
from rosenblatt.ship.file.codecs import NO_SHAPE
from rosenblatt.ship.file.decision_schemas import GUARANTEE


def _field(name: str) -> Callable[[Subject], Iterable[Any]]:
    """A field of the file's record of how the rule was judged, if this version wrote it."""
    return lambda about: [about.judged[name]] if "trained_rows" in about.judged and name in about.judged else []


def _guarantee(about: Subject, record: Any) -> Outcome:
    """The counts of every rung that was tested, on the rows set aside, scored by the rule itself."""
    classes, rows = about.trained.classes, about.aside
    claimed: Abstention = replace(GUARANTEE.read(record, "held_out.guarantee", NO_SHAPE), names=names_of(classes))
    decision = about.model.decision
    if decision is None or decision.rung is None:
        return Outcome(False, "The file has a guarantee about decisions, but no cut-offs.", AGAIN)
    if (decision.rung.lower, decision.rung.upper) != (claimed.chosen.lower, claimed.chosen.upper):
        return Outcome(False, "The cut-offs are not those that the guarantee is about.", AGAIN)
    if rows.n != claimed.n:
        return Outcome(False, f"{many(rows.n, 'row was', 'rows were')} set aside, not {claimed.n:,}.", AGAIN)
    tolerances = tuple(count.tolerance for count in claimed.tested[0])
    answers = answers_of(about.rule, None, rows)
    try:
        found = choose(
            answers.as_scored, claimed.ladder, tolerances, claimed.confidence, names_of(classes), claimed.first
        )
    except (DataError, OptionError) as error:
        return Outcome(False, str(error), AGAIN)
    same = GUARANTEE.write(found) == record
    return Outcome(
        same, found.statement if same else f"The file disagrees with its rows, which give: {found.statement}", PREDICT
    )


def _asked(about: Subject, wanted: Any) -> Outcome:
    if about.judged["folds"]:
        return Outcome(
            None, "How many rows are left to people in cross-validation can be checked only by learning again.", None
        )
    found = about.left_to_people
    left = f"{many(found, 'held-out row is', 'held-out rows are')} left to people"
    return Outcome(found == wanted, f"{left}." if found == wanted else f"{left}, not {wanted:,}.", PREDICT)


def _measures(about: Subject, claimed: Any) -> Outcome:
    """The confusion matrix, the areas and the distances on the held-out rows."""
    if about.judged["folds"]:
        return Outcome(None, "What was measured in cross-validation can be checked only by learning again.", None)
    if not about.tested.n:
        return Outcome(False, "No rows were held out, but the file has measures of held-out rows.", AGAIN)
    answers = answers_of(about.rule, about.model.decision, about.tested)
    same = near(claimed, Measures.of(answers, len(about.trained.classes)).kept)
    what = "The confusion matrix and the measures on the held-out rows are"
    return Outcome(same, f"{what} {'right' if same else 'not what the rows give'}.", PREDICT)


def _cut_off(about: Subject, claimed: Any) -> Outcome:
    """A cut-off by cost or by rate was chosen on scores of rules that the file does not have."""
    rung = about.model.decision.rung if about.model.decision is not None else None
    if rung is None or rung.lower is None or rung.lower != rung.upper:
        return Outcome(False, "The file says how a single cut-off was chosen, but has no single cut-off.", AGAIN)
    if claimed["rows"] > about.trained.n or claimed["said_yes"] > claimed["rows"]:
        return Outcome(False, "The cut-off was chosen on more rows than there are.", AGAIN)
    if claimed["costs"] is not None and not near(claimed["costs"], list(about.costs.of_class)):
        return Outcome(False, "The cut-off was chosen with other costs than the rule was learned with.", AGAIN)
    return Outcome(
        None,
        "That the cut-off is the best one at these costs or this rate can be checked only by learning again.",
        None,
    )


def _probability(about: Subject, method: Any) -> Outcome:
    if about.model.decision is None or about.model.decision.probability is None:
        return Outcome(
            False, f"The file says that probabilities were found by {method}, but has no probabilities.", AGAIN
        )
    return Outcome(
        None, "That the probabilities follow from the training rows can be checked only by learning again.", None
    )


CLAIMS = (
    Claim("guarantee", _field("guarantee"), _guarantee),
    Claim("rows left to people", _field("asked"), _asked),
    Claim("measures", _field("measures"), _measures),
    Claim("cut-off", _field("cut_off"), _cut_off),
    Claim("probability", _field("probability"), _probability),
)
